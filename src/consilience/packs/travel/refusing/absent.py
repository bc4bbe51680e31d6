"""Which questions are not answerable here: about what else, about which name that nothing tells of?

The evidence decides (`lacking`). What a question asks, without what is only told around it
(`clauses`), names things: by a proper name, as what is asked for in a place ("the dentist in
Lindow", "is there a tram?"), as a fact of it or a way to it, or by all its words where none is of
travel. Each of them must stand in a passage that was found, and what is asked for in a place in one
that tells of this place, or of one that lies in it. Words of the vocabulary need not: places suit
them by theme.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from consilience.pack import Reading
from consilience.packs.travel.refusing.attributes import asked_facts, tells
from consilience.packs.travel.refusing.clauses import asking, main_clauses
from consilience.packs.travel.refusing.content import (
    is_ordinary,
    is_told,
    naming,
    stem,
    told_words,
    words_of_kind,
)
from consilience.packs.travel.refusing.means import asked_way
from consilience.packs.travel.refusing.strangers import is_far, proper_names, strangers
from consilience.packs.travel.vocabulary import (
    is_travel,
    kinds_in,
    rarities_in,
    themes_in,
)
from consilience.types import Passage, Topic
from consilience.understand.names import surface

WORD = "word"
"""What the identifier of a word begins with that names something."""
JOIN = " ~ "
"""What parts such an identifier."""
IN, OR = " in ", " or "
"""What parts a thing from the place that it is asked for in, and names for the same."""
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|$)", re.DOTALL)
_ON_THE_WAY = r"\b(?:from|to|via|leaving|based in|staying in|landing in|near|around) (?:the )?"
_RUNNING = frozenset({"bullet train", "cable car", "funicular", "metro", "monorail", "tram"})
_LIVE = re.compile(
    r"(?i)^(?=.*\b(?P<what>weather|forecast|temperature|rain|raining|sunny|exchange rate|queues?"
    r"|traffic"
    r"|crowded|on strike)\b)"
    r".*\b(?P<when>tomorrow|today|tonight|right now|at the moment)\b"
)
_COUNT = r"\b(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\b"
_SUM = re.compile(
    rf"(?i)\bhow (?:many|much|far|long)\b(?=.*\bif\b.*\b(?:each|every|per|a)\b)"
    rf"(?:.*?{_COUNT}){{3}}"
    r"|(?i:\bif an? \w+ (?:leaves|travels|goes|costs|takes|drives|weighs)\b)(?:.*?\d+){3}"
)
"""What is reckoned from the numbers of the question itself."""
_EITHER = re.compile(r"\bor\b", re.IGNORECASE)
_HERE = "§"
_CLAUSE = re.compile(r"[.,;:!?()\n–—]+|\s-\s")
_WITHIN = frozenset({"in", "at", "of", "on", "inside", "around", "near", "over"})
_ARTICLES = frozenset({"a", "an", "the", "any", "some", "which", "what", "whose"})
_ACTING = frozenset(
    {"i", "we", "you", "one", "they", "to", "can", "he", "she", "people", "kids"}
) | {"am", "be", "been", "being", "get", "got"}
_ASKED = re.compile(
    r"^(?:(?:so|and|but|hi|hello|please|excuse me) )?(?:"
    r"(?:(?:how \w+|what|when|where|which|why|what time|who) )?(?:is|are|was|were|does|do|s|did)"
    r"(?! (?:i|we|you|one|they|he|she|it)\b)(?: there)?(?: a| an| the| any| some)?|"
    r"(?:where|when|how|how \w+) (?:can|could|do|does|should|would) (?:i|we|you|one|they) "
    r"\w+ (?:a|an|the|any|some)|"
    r"(?:which|what)|how many|(?:does|do|did|will|would|can|has) § "
    r"(?:\w+ )?(?:have|offer|serve|provide|sell|show|take|accept|allow|rent|got)(?: a| an| the"
    r"| any)?|"
    r"(?:tell me|anything|something) about|"
    r"(?:opening hours|opening times|price|prices|cost|entrance fee|entry fee|tickets?|address) "
    r"(?:of|for|to)(?: the| a)?"
    r") (?P<thing>[^§]+)"
)
_DONE = re.compile(r"\w{4,}ed$")
"""What is done with a thing: `harvested`."""
_STATE = re.compile(r"^(?:(?:so|and|but) )?(?:is|are|was|were) (?!there)")
"""What opens a clause whose last word says how a thing is: `are the farms cruel`."""
_FEW = 2  # words that name what a question is about each by itself


def topics(reading: Reading) -> tuple[Topic, ...]:
    """What a question of many words is about that has no word of travel and names no place: most
    of them, told together. It is answered where something here speaks of that, and refused
    elsewhere.
    """
    if reading.nodes or is_travel(reading.text) or rarities_in(reading.text):
        return ()
    every = [
        one for one in surface(asking(reading.text)).split() if len(one) > 1 and not one.isdigit()
    ]
    light = words_of_kind("light", "loose", "verbs", "talk", "people")
    words = list(dict.fromkeys(one for one in every if one not in light))
    return (Topic(names=(" ".join(words),), must=True),) if len(words) > _FEW else ()


def absent(reading: Reading) -> tuple[str, ...]:
    """The names in a question that are no place here, and what it asks for in a place (or at all)
    that a place either has or has not.
    """
    text = asking(reading.text)
    known = {one.surface for one in reading.mentions}
    found = dict.fromkeys(strangers(text, known))
    where = _where(reading)
    if len(found) == 1 and not known:
        where = f"{IN}{surface(next(iter(found)))}"
    found |= dict.fromkeys(proper_names(text, known))
    own = {word for name in (*known, *map(surface, found)) for word in name.split()}
    way = asked_way(text, reading)
    rare = [one.lower() for one in rarities_in(_unnamed(text, known)).values()]
    for one in [OR.join(rare)] if _EITHER.search(text) and rare else rare:
        found[f"{one}{where}"] = None
    for thing, apart in _things(text, known).items():
        if not rarities_in(thing) and not any(thing in surface(one) for one in found):
            found[thing if apart else f"{thing}{where}"] = None
    if live := _LIVE.match(reading.text):
        found[f"{live['what'].title()} {live['when'].lower()}"] = None
    if not reading.nodes and _SUM.search(reading.text):
        found["Sum"] = None
    if way:
        found[way.identifier] = None
    names = _innermost(reading) or tuple(surface(one) for one in found if IN not in one)
    found |= dict.fromkeys((*asked_facts(text, names), *_words_of(reading, own)))
    return tuple(found)


def _names_of(reading: Reading) -> tuple[str, ...]:
    """The names of all places that a question names."""
    nodes = [one for one in reading.mentions if one.role == "node"]
    return tuple(dict.fromkeys(name for one in nodes for name in (one.surface, surface(one.value))))


def _innermost(reading: Reading) -> tuple[str, ...]:
    """The same without the place that another is said to lie in: a fact is asked of `the bridge
    in Lindow`, not of Lindow.
    """
    names, spelt = _names_of(reading), f" {surface(reading.text)} "
    around = {one for one in names if re.search(rf" (?:in|near) {one} ", spelt)}
    inner = tuple(one for one in names if one not in around)
    return inner if any(f" {one} " in spelt for one in inner) else names


def _words_of(reading: Reading, own: Collection[str]) -> Iterator[str]:
    """The identifiers of the words that name something in what is chiefly asked; those of names
    are left out.
    """
    names = _names_of(reading)
    for word in naming(main_clauses(reading.text)):
        if word not in own:
            yield JOIN.join((WORD, word, OR.join(names)))


def _unnamed(text: str, known: Collection[str]) -> str:
    """The words of a text without the names of places: a "Beach" in one asks for no beach."""
    spelt = f" {surface(text)} "
    for name in sorted(known, key=len, reverse=True):
        spelt = spelt.replace(f" {name} ", " , ")
    return spelt


def has(passage: Passage, identifier: str) -> bool:
    """Whether a passage has the words of a name; of `surf in aurel` both, and of `a or b` one."""
    if tells(passage, identifier):
        return True
    things, *places = identifier.split(IN)
    whole = f"{passage.indexed} {passage.text}"
    if not places and is_far(surface(things)):
        return is_of(passage, [surface(things)]) or _dwells_on(passage.text, surface(things))
    if not all(is_of(passage, place.split(OR)) for place in places):
        sentences = _SENTENCE.findall(passage.text)
        return any(_says(one, things) and _tells_of(one, places) for one in sentences)
    return _says(whole, things)


def _dwells_on(text: str, city: str) -> bool:
    """Whether a text names a city more than in passing: the Paris of the East is not Paris."""
    return f" {surface(text)} ".count(f" {city} ") > 1


def _says(text: str, things: str) -> bool:
    words = surface(text)
    if things.islower() and (wanted := rarities_in(things)):
        return not wanted.keys().isdisjoint(rarities_in(text))
    if f" {surface(things)} " in f" {words} ":
        return True
    parts = [one for one in surface(things).split() if one not in words_of_kind("light", "people")]
    if things.islower():
        told = told_words([words])
        return bool(parts) and all(is_told(one, told) for one in parts)
    stems, said = [*map(stem, parts)], [*map(stem, words.split())]
    return bool(parts) and _stand_together(stems, said)


def _tells_of(text: str, places: Sequence[str]) -> bool:
    words = f" {surface(text)} "
    return all(any(f" {name} " in words for name in one.split(OR)) for one in places)


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


def is_of(passage: Passage, names: Sequence[str]) -> bool:
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
    return "".join(f"{IN}{OR.join(names)}" for names in each)


# --- what is asked for --------------------------------------------------------------------


def _things(text: str, known: Collection[str]) -> dict[str, bool]:
    """The things that a question asks for and that no word of the vocabulary stands for; and
    whether each is asked for before any place is named, as something of its own.
    """
    names = sorted(known, key=len, reverse=True)
    clauses = []
    for part in _CLAUSE.split(text):
        clause = f" {surface(part)} "
        for name in names:
            clause = clause.replace(f" {name} ", f" {_HERE} ")
        clauses.append(clause)
    placed = next((at for at, one in enumerate(clauses) if _HERE in one), 0)
    found: dict[str, bool] = {}
    for at, clause in enumerate(clauses):
        for phrase in (*_placed(clause.split()), *_asked(clause.strip())):
            if wanted := _named(phrase):
                found.setdefault(wanted, at < placed)
    return found


def _named(phrase: Sequence[str]) -> str:
    """The last words of a phrase that name a thing; none where a theme says which: of `coffee
    bars` the coffee does, of `trampoline park` the park says nothing.
    """
    nouns = (at for at, one in enumerate(phrase) if not is_ordinary(one) and not _DONE.match(one))
    at = max(nouns, default=None)
    if at is None or (at and (themes_in(phrase[at - 1]) or kinds_in(phrase[at - 1]))):
        return ""
    return " ".join(one for one in phrase[max(0, at - 1) : at + 1] if not is_ordinary(one))


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
    if end == len(words) > 1 and _STATE.match(clause):
        end -= 1
    if end:
        yield words[:end]


@cache
def _closed() -> frozenset[str]:
    """Words that are no part of what a thing is called."""
    return words_of_kind("light") | _ARTICLES | _WITHIN | _ACTING
