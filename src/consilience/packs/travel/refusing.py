"""Which questions are not answerable here: about what else, about which name that nothing tells of?

The evidence decides. A question names things: by a proper name, as what is asked for in a place
("the dentist in Lindow", "is there a tram?"), or by all its words where none is of travel. Each of
them must stand in a passage that was found, and what is asked for in a place in one that tells of
this place, or of one that lies in it. Words of the vocabulary need not: places suit them by theme.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from zoneinfo import available_timezones

from consilience.names import surface
from consilience.packs import Reading
from consilience.packs.travel.vocabulary import (
    is_travel,
    kinds_in,
    months_in,
    rarities_in,
    themes_in,
)
from consilience.packs.travel.wording import read
from consilience.types import Passage, Topic

_CAPITAL = r"[A-ZÀ-ÞĐ][\w'’-]*"
_RUN = rf"{_CAPITAL}(?:\s+(?:(?:de|la|le|of|of the|del|di|do|da|and the)\s+)?{_CAPITAL})*"
_NAME = re.compile(
    r"\b(?:[Ii]n|[Tt]o|[Aa]t|[Nn]ear|[Aa]round|[Vv]isit(?:ing)?|[Ee]xplor(?:e|ing)|[Tt]our(?:ing)?)\s+"
    rf"(?:the\s+)?({_RUN})"
)
_HOME = re.compile(  # where somebody comes from is not what is asked about
    r"\b(?:(?:liv(?:e|es|ing)|based|born|raised|grew up|work(?:s|ing)?) in|"
    r"(?:am|are|is|['’]m|['’]re|['’]s|flying|coming|come|comes|travell?ing|arriving|visiting)"
    rf"(?: in| over| here)? from) (?:the )?{_RUN}(?!\s+to\b)"
)
_PROPER = re.compile(rf"(?P<before>^|[.!?:;,]\s+|\S+\s+)(?P<name>{_RUN})")
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|$)", re.DOTALL)
_OWN = re.compile(
    r"^(?:i'm|i’m|im|am|we're|we’re|are|called|named|by|says?|said|and|or|with|via|using|than)\s+$",
    re.I,
)
_RELATIVE = re.compile(r"(?:\b(?:my|our|his|her)\s+\w+\s+)$", re.IGNORECASE)
_COMMON = re.compile(r"^(?:[A-Z]{1,4}|.+(?:ish|ese|day)|I|I'm|I’m|English|French|German|Christmas|"
                     r"Easter|New Year.*|Tet|God|Euros?|Dollars?|Dong|Instagram|Google.*|"
                     r"Airbnb|Uber|Grab|UNESCO.*)$")  # fmt: skip
_FOLK = re.compile(r"^(?:I\W.*|[A-Z0-9]{2,5}s?|.+(?:days|ians?|icans?|ists?|eans?|ims?|indus?))$")
_CONTINENTS = frozenset({"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific"})
_ORDINARY = frozenset({"easter", "center", "central", "midway", "nome", "south", "north", "west"})
_PLACED = re.compile(r"\b(?:in|to|near|around|visit|visiting|at) (?=((?:[a-z]+ ?){1,3}))")
_IN, _OR = " in ", " or "
_ON_THE_WAY = r"\b(?:from|to|via|leaving|based in|staying in|landing in|near|around) (?:the )?"
_RUNNING = frozenset({"bullet train", "cable car", "funicular", "metro", "monorail", "tram"})
_LIVE = re.compile(
    r"(?i)^(?=.*\b(?:weather|forecast|temperature|rain|raining|sunny|exchange rate)\b)"
    r".*\b(?P<when>tomorrow|today|tonight|right now|at the moment)\b"
)
_HERE = "§"
_CLAUSE = re.compile(r"[.,;:!?()\n–—]+|\s-\s")
_WITHIN = frozenset({"in", "at", "of", "on", "inside", "around", "near", "over"})
_ARTICLES = frozenset({"a", "an", "the", "any", "some", "which", "what", "whose"})
_ACTING = frozenset(
    {"i", "we", "you", "one", "they", "to", "can", "he", "she", "people", "kids"}
) | {"am", "be", "been", "being", "get", "got"}
_ASKED = re.compile(
    r"^(?:(?:so|and|but|hi|hello|please|excuse me) )?(?:"
    r"(?:(?:how \w+|what|when|where|which|why|what time|who)? ?(?:is|are|was|were|does|do|s|did) )"
    r"(?:there )?(?:a|an|the|any|some)?|"
    r"(?:where|when|how|how \w+) (?:can|could|do|does|should|would) (?:i|we|you|one|they) "
    r"\w+ (?:a|an|the|any|some)|"
    r"(?:which|what)|does § have|(?:tell me|anything|something) about|"
    r"(?:opening hours|opening times|price|prices|cost|entrance fee|entry fee|tickets?|address) "
    r"(?:of|for|to)(?: the| a)?"
    r") (?P<thing>[^§]+)"
)
_MONTH = 9  # letters of the longest month
_LEAST = 4  # letters that the stem of a word keeps
_CLOSE = 0.8  # how alike a misspelt name is to the one that is meant
_ADJECTIVE = re.compile(r".{3,}(?:ful|ive|able|ible|ous|less|iest|ly|esque|ical|ish|ese)$")
_ENDING = re.compile(r"(?:ings?|ed|ers?|ies|es|s|y|e)$")
_FEW = 2  # words of a question, each of which must be told of


def topics(reading: Reading) -> tuple[Topic, ...]:
    """What a question is about that has no word of travel and names no place: all its words, of
    many most. So it is answered where something here speaks of that, and refused elsewhere.
    """
    if reading.nodes or is_travel(reading.text) or rarities_in(reading.text):
        return ()
    every = [one for one in surface(reading.text).split() if len(one) > 1 and not one.isdigit()]
    words = list(
        dict.fromkeys(one for one in every if one not in _words("light", "loose", "verbs"))
    )
    if len(words) <= _FEW:
        return tuple(Topic(names=(one,), must=True) for one in words)
    return (Topic(names=(" ".join(words),), must=True),)


def absent(reading: Reading) -> tuple[str, ...]:
    """The names in a question that are no place here, and what it asks for in a place (or at all)
    that a place either has or has not.
    """
    reading = replace(reading, text=_HOME.sub(" ", reading.text))
    known = {one.surface for one in reading.mentions}
    found = dict.fromkeys((*strangers(reading.text, known), *_names(reading.text, known)))
    where = _where(reading)
    if len(found) == 1 and not known:
        where = f"{_IN}{surface(next(iter(found)))}"
    if rare := rarities_in(reading.text):
        found[f"{_OR.join(rare.values())}{where}"] = None
    for thing in _things(reading):
        if not rarities_in(thing) and not any(thing in surface(one) for one in found):
            found[f"{thing}{where}"] = None
    if live := _LIVE.match(reading.text):
        found[f"Weather {live['when'].lower()}"] = None
    return tuple(found)


def has(passage: Passage, identifier: str) -> bool:
    """Whether a passage has the words of a name; of `surf in aurel` both, and of `a or b` one."""
    things, *places = identifier.split(_IN)
    whole = f"{passage.indexed} {passage.text}"
    if not places and surface(things) in _cities():
        return _is_of(passage, [surface(things)]) or _dwells_on(passage.text, surface(things))
    if not all(_is_of(passage, place.split(_OR)) for place in places):
        sentences = _SENTENCE.findall(passage.text)
        return any(_says(one, things) and _tells_of(one, places) for one in sentences)
    return _says(whole, things)


def _dwells_on(text: str, city: str) -> bool:
    """Whether a text names a city more than in passing: the Paris of the East is not Paris."""
    return f" {surface(text)} ".count(f" {city} ") > 1


def _says(text: str, things: str) -> bool:
    words = surface(text)
    if wanted := rarities_in(things):
        return not wanted.keys().isdisjoint(rarities_in(text))
    if f" {surface(things)} " in f" {words} ":
        return True
    parts = [one for one in surface(things).split() if one not in _words("light", "people")]
    stems, said = [*map(_stem, parts)], [*map(_stem, words.split())]
    if things.islower():
        return bool(parts) and set(stems) <= set(said)
    return bool(parts) and _stand_together(stems, said)


def _tells_of(text: str, places: Sequence[str]) -> bool:
    words = f" {surface(text)} "
    return all(any(f" {name} " in words for name in one.split(_OR)) for one in places)


def _stand_together(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words stand side by side: two in their order, three or more in any."""
    size = len(parts)
    for at in range(len(words) - size + 1):
        if words[at] not in parts:
            continue
        run = [*words[at : at + size]] if size <= _FEW else [*words[at : at + size + _FEW]]
        if run == [*parts] or (size > _FEW and set(parts) <= set(run)):
            return True
    return False


def _is_of(passage: Passage, names: Sequence[str]) -> bool:
    """Whether a passage is of a place with one of these names, or of what lies in it."""
    fields = (passage.metadata.get(one) for one in ("node", "city", "region", "country", "about"))
    lies = {surface(str(one)) for one in fields if one}
    heads = f" {surface(' '.join((passage.title, *passage.locator.section)))} "
    return any(one in lies or f" {one} " in heads for one in names)


def _where(reading: Reading) -> str:
    """The one place in which something is asked for, by its names; empty for none or several. On
    what runs between places one goes to them, and from one to the other.
    """
    named: dict[str, list[str]] = {}
    for one in reading.mentions:
        if one.role == "node":
            named.setdefault(one.value, []).append(one.surface)
    text = surface(reading.text)
    passed = any(
        re.search(f"{_ON_THE_WAY}{one}\\b", text) for names in named.values() for one in names
    )
    if not _RUNNING.isdisjoint(rarities_in(reading.text)):
        passed = False
    elif len(named) > 1:
        return ""
    if passed:
        return ""
    each = (dict.fromkeys((*names, surface(node))) for node, names in named.items())
    return "".join(f"{_IN}{_OR.join(names)}" for names in each)


# --- what is asked for --------------------------------------------------------------------


def _things(reading: Reading) -> list[str]:
    """The things that a question asks for and that no word of the vocabulary stands for."""
    names = sorted({one.surface for one in reading.mentions}, key=len, reverse=True)
    found: dict[str, None] = {}
    for part in _CLAUSE.split(reading.text):
        clause = f" {surface(part)} "
        for name in names:
            clause = clause.replace(f" {name} ", f" {_HERE} ")
        for phrase in (*_placed(clause.split()), *_asked(clause.strip())):
            if wanted := _named(phrase):
                found[wanted] = None
    return list(found)


def _named(phrase: Sequence[str]) -> str:
    """The last words of a phrase that name a thing; none where a theme says which: of `coffee
    bars` the coffee does, of `trampoline park` the park says nothing.
    """
    at = next((at for at in reversed(range(len(phrase))) if not _is_ordinary(phrase[at])), None)
    if at is None or (at and (themes_in(phrase[at - 1]) or kinds_in(phrase[at - 1]))):
        return ""
    return " ".join(one for one in phrase[max(0, at - 1) : at + 1] if not _is_ordinary(one))


def _placed(words: Sequence[str]) -> Iterator[list[str]]:
    """The nouns before "in" and a place: of `the dentist in Lindow` the dentist."""
    for at, word in enumerate(words):
        if word != _HERE:
            continue
        end = at - 1 if at and words[at - 1] == "the" else at
        while end and words[end - 1] in _WITHIN:
            end -= 1
            phrase, before = _phrase(words, end)
            if before in _ACTING:
                phrase = phrase[1:]
            if phrase:
                yield phrase
            end -= len(phrase)
            while end and words[end - 1] in _ARTICLES:
                end -= 1


def _phrase(words: Sequence[str], end: int) -> tuple[list[str], str]:
    """The words up to one that opens them, and that one."""
    start = end
    while start and words[start - 1] not in _closed() and words[start - 1] != _HERE:
        start -= 1
    return list(words[start:end]), words[start - 1] if start else ""


def _asked(clause: str) -> Iterator[list[str]]:
    """The nouns behind the words with which a question opens: of `is there a tram` the tram."""
    if not (match := _ASKED.match(clause)):
        return
    words = match["thing"].split()
    while words and words[0] in _ARTICLES:
        words = words[1:]
    end = next((at for at, one in enumerate(words) if one in _closed()), len(words))
    if end:
        yield words[:end]


@cache
def _closed() -> frozenset[str]:
    """Words that are no part of what a thing is called."""
    return _words("light") | _ARTICLES | _WITHIN | _ACTING


@lru_cache(maxsize=4096)
def _is_ordinary(word: str) -> bool:
    """Whether a word names nothing that a passage would have to have."""
    known = word in _words("light", "loose", "verbs", "people") or len(word) < _LEAST - 1
    acted = _stem(word) in {_stem(one) for one in _words("verbs")}
    said = known or acted or word.isdigit() or bool(_ADJECTIVE.match(word))
    return said or is_vocabulary(word)


@lru_cache(maxsize=4096)
def is_vocabulary(text: str) -> bool:
    """Whether words of the vocabulary stand for all of a text."""
    words = text.split()
    return all(is_travel(one) or one in _words("light", "loose", "people") for one in words)


@cache
def _words(*kinds: str) -> frozenset[str]:
    lists = read("asking")
    return frozenset(str(one) for kind in kinds for one in lists[kind])


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    """A word without its endings, as long as enough letters stay."""
    ending = _ENDING.search(word)
    return word[: ending.start()] if ending and ending.start() >= _LEAST - 1 else word


# --- names --------------------------------------------------------------------------------


def strangers(text: str, known: Collection[str]) -> tuple[str, ...]:
    """The names of places in a text that are none of those which are `known`."""
    words = {word for name in known for word in name.split()}
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = match[1].rstrip(".'’-")
        if _COMMON.match(name) or _is_known(name, known):
            continue
        if not months_in(name) and not themes_in(name):
            found[name] = None
    low = surface(text)
    for match in _PLACED.finditer(low):
        spelt = next((run for run in _beginnings(match[1]) if run in _cities()), "")
        if spelt and spelt not in known and not set(spelt.split()) & words:
            found.setdefault(spelt.title(), None)
    return tuple(found)


def _names(question: str, known: Collection[str]) -> Iterator[str]:
    """The proper names in what is asked, wherever they stand, that are none of the `known`."""
    sentences = [one.strip() for one in _SENTENCE.findall(question)]
    asking = [one for one in sentences if one.rstrip().endswith("?")] or sentences
    for text, match in ((one, match) for one in asking for match in _PROPER.finditer(one)):
        name, before = match["name"].rstrip(".'’-"), match["before"]
        name = re.sub(r"['’]s$", "", name)
        if not before.strip() or before.strip()[-1:] in ".!?:;,":
            name = _without_opening(name, text[match.end() :])
        if not name or _OWN.match(before) or _RELATIVE.search(text[: match.start("name")]):
            continue
        if _COMMON.match(name) or _FOLK.match(name) or _is_known(name, known):
            continue
        if not (months_in(name) and len(name) <= _MONTH) and not all(
            _is_ordinary(one) for one in surface(name).split()
        ):
            yield name


def _without_opening(name: str, behind: str) -> str:
    """A name that opens a sentence, without the word that is only spelt so for that."""
    first, _, rest = name.partition(" ")
    if not rest:
        return ""
    named = not _is_ordinary(surface(first)) and not behind.startswith(("’", "'"))
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
    words = text.split()
    return [" ".join(words[:length]) for length in range(len(words), 0, -1)]


@cache
def _cities() -> frozenset[str]:
    """Cities of the world that time zones are named after: known in lower case, too."""
    names = (one.split("/") for one in available_timezones())
    found = {surface(parts[-1]) for parts in names if len(parts) > 1 and parts[0] in _CONTINENTS}
    return frozenset(one for one in found if len(one) > 3) - _ORDINARY
