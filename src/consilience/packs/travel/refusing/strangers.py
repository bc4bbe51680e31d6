"""Which names does a question have that are no place here?

A name behind a word of place ("in Zermatt"), one that stands anywhere in what is asked, and a city
of the world even in lower case. What belongs to people (a nationality, a day, a company that all
know) names no place, nor does a slip of the pen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import cache
from zoneinfo import available_timezones

from consilience.packs.travel.refusing.clauses import NAME_RUN
from consilience.packs.travel.refusing.content import is_ordinary, words_of_kind
from consilience.packs.travel.trips.reading.places.elsewhere import is_elsewhere
from consilience.packs.travel.vocabulary import months_in, themes_in
from consilience.understand.names import surface

_NAME = re.compile(
    r"\b(?:[Ii]n|[Tt]o|[Aa]t|[Nn]ear|[Aa]round|[Vv]isit(?:ing)?|[Ee]xplor(?:e|ing)|[Tt]our(?:ing)?)\s+"
    rf"(?:the\s+)?({NAME_RUN})"
)
_PROPER = re.compile(rf"(?P<before>^|[.!?:;,]\s+|\S+\s+)(?P<name>{NAME_RUN})")
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|$)", re.DOTALL)
_OWN = re.compile(
    r"^(?:i'm|i’m|im|am|we're|we’re|are|called|named|by|says?|said|and|or|with|via|using|than)\s+$",
    re.I,
)
_ONE = re.compile(r"^(?:an?|my|our|his|her|their|your)\s+$", re.IGNORECASE)
"""Behind these a word that is spelt as a name is one of many: `a Honda`."""
_WORK = re.compile(
    rf"\b(?i:band|group|film|movie|musical|song|album|novel|book|video ?game|opera)"
    rf"(?: (?i:called|named))? (?P<name>{NAME_RUN})"
)
"""What people have written or play, with its name."""
_RELATIVE = re.compile(r"(?:\b(?:my|our|his|her)\s+\w+\s+)$", re.IGNORECASE)
_COMMON = re.compile(r"^(?:[A-Z]{1,4}|\S+(?:ish|ese|day)|I|I'm|I’m|English|French|German|Christmas|"
                     r"Easter|New Year.*|Tet|God|Euros?|Dollars?|Dong|Instagram|Google.*|"
                     r"Airbnb|Uber|Grab|UNESCO.*)$")  # fmt: skip
_FOLK = re.compile(r"^(?:I\W.*|[A-Z0-9]{2,5}s?|\S+(?:days|ians?|icans?|ists?|eans?|ims?|indus?))$")
_CONTINENTS = frozenset({"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific"})
_ORDINARY = frozenset({"easter", "center", "central", "midway", "nome", "south", "north", "west"})
_PLACED = re.compile(r"\b(?:in|to|near|around|visit|visiting|at) (?=((?:[a-z]+ ?){1,3}))")
_LIGHT = ("light", "loose", "verbs", "people", "talk")
_MONTH = 9  # letters of the longest month
_CLOSE = 0.8  # how alike a misspelt name is to the one that is meant


def strangers(text: str, known: Collection[str]) -> tuple[str, ...]:
    """The names of places in a text that are none of those which are `known`."""
    every = {word for name in known for word in name.split()}
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = re.sub(r"['’]s$", "", match[1].rstrip(".'’-"))
        if _COMMON.match(name) or _is_known(name, known):
            continue
        if not months_in(name) and not themes_in(name):
            found[name] = None
    low = surface(text)
    for match in _PLACED.finditer(low):
        spelt = next((run for run in _beginnings(match[1]) if is_far(run)), "")
        if spelt and spelt not in known and not set(spelt.split()) & every:
            found.setdefault(spelt.title(), None)
    return tuple(found)


def proper_names(question: str, known: Collection[str]) -> Iterator[str]:
    """The proper names in what is asked, wherever they stand, that are none of the `known`."""
    yield from (match["name"] for match in _WORK.finditer(question))
    sentences = [one.strip() for one in _SENTENCE.findall(question)]
    asking = [one for one in sentences if one.rstrip().endswith("?")] or sentences
    for text, match in ((one, match) for one in asking for match in _PROPER.finditer(one)):
        name, before = match["name"].rstrip(".'’-"), match["before"]
        name = re.sub(r"['’]s$", "", name)
        opens = not before.strip() or before.strip()[-1:] in ".!?:;,"
        if opens:
            name = _without_opening(name, text[match.end() :])
        if not name or _OWN.match(before) or _RELATIVE.search(text[: match.start("name")]):
            continue
        if _ONE.match(before) and " " not in name and _is_noun(text[match.end() :]):
            continue
        if not _is_own(name, known) and not _is_plain(name, opens=opens):
            yield name


def _is_noun(behind: str) -> bool:
    """Whether what stands behind a name goes on with no other noun: `a Honda here`."""
    return next(iter(surface(behind).split()), "and") in words_of_kind("light")


def _is_own(name: str, known: Collection[str]) -> bool:
    """Whether a name is known, or one that all people have: a nation, a day, a currency."""
    return bool(_COMMON.match(name) or _FOLK.match(name)) or _is_known(name, known)


def _is_plain(name: str, *, opens: bool) -> bool:
    """Whether a name is a month or of words that name nothing; what stands in the midst of a
    sentence is spelt so because it is a name, be it one that the vocabulary has.
    """
    if months_in(name) and len(name) <= _MONTH:
        return True
    parts = surface(name).split()
    if opens or len(parts) > 1:
        return all(is_ordinary(one) for one in parts)
    return all(one in words_of_kind(*_LIGHT) for one in parts)


def _without_opening(name: str, behind: str) -> str:
    """A name that opens a sentence, without the word that is only spelt so for that."""
    first, _, rest = name.partition(" ")
    if not rest:
        return ""
    named = not is_ordinary(surface(first)) and not behind.startswith(("’", "'"))
    return name if named else rest if rest[:1].isupper() else ""


def _is_known(name: str, known: Collection[str]) -> bool:
    """Whether a name is a known one, a part of it, or one with a slip of the pen."""
    spelt = surface(name)
    if (
        not spelt
        or spelt in known
        or set(spelt.split()) & {w for one in known for w in one.split()}
    ):
        return True
    joined = [one.replace(" ", "") for one in known]
    return bool(get_close_matches(spelt.replace(" ", ""), joined, n=1, cutoff=_CLOSE))


def _beginnings(text: str) -> list[str]:
    """The runs of words with which a text begins, the longest first."""
    every = text.split()
    return [" ".join(every[:length]) for length in range(len(every), 0, -1)]


def is_far(name: str) -> bool:
    """Whether a name (as `surface` spells it) is that of a country or city of the world."""
    return name in cities() or is_elsewhere(name)


@cache
def cities() -> frozenset[str]:
    """Cities of the world that time zones are named after: known in lower case, too."""
    names = (one.split("/") for one in available_timezones())
    found = {surface(parts[-1]) for parts in names if len(parts) > 1 and parts[0] in _CONTINENTS}
    return frozenset(one for one in found if len(one) > 3) - _ORDINARY
