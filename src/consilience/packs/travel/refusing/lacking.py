"""What does a question ask that nothing here tells, by all that was found?

Each thing that a question names (`refusing`) is looked for in the passages: a name or a thing in
prose about its place, a fact in what tells of the place itself, a way among the connections. What
only its words name counts the more, the fewer of them are told and the less likely anything found
answers. What is missing is told as a person is told it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from consilience.kinds import edge_kinds
from consilience.pack import Sought
from consilience.packs.travel.refusing.absent import IN, JOIN, OR, WORD, has, is_of
from consilience.packs.travel.refusing.attributes import fact_of, tells
from consilience.packs.travel.refusing.clauses import asking
from consilience.packs.travel.refusing.content import is_narrowing, is_told, naming, told_words
from consilience.packs.travel.refusing.means import missing_way, way_of
from consilience.packs.travel.vocabulary import (
    features_in,
    is_travel,
    kinds_in,
    rarities_in,
    themes_in,
)
from consilience.types import Passage
from consilience.understand.names import surface

UNLIKELY = 0.0025
"""Below this chance that anything found answers, nothing does."""
ALONE = 0.025
"""The same for a question that names no place, and nothing that places suit by theme."""
NEAR = 0.2
"""From this chance on, what is asked for in no place matters no more than other words do."""
FAINT = 0.001
"""The same where one passage tells all words that name something."""
SURE = 0.9
"""From this chance on, one word that is not told does not matter beside others that are; where no
place is named, none does.
"""
LIKELY = 0.5
"""The same where no place is named: what is near the question then is so by its subject."""
_SOME = 0.04  # a chance below which all words have to be told, whatever the others
_HALF = 0.5  # of the words, which may be untold where others tell what is asked


def lacks(sought: Sought) -> tuple[str, ...]:
    """What a question names that nothing tells, each in a few words; empty where all is told.

    A way or a fact says it best, then a name or a thing, then words.
    """
    plain = [one for one in sought.absent if one.startswith(f"{WORD}{JOIN}")]
    ways = (missing_way(way, sought.every) for one in sought.absent if (way := way_of(one)))
    found = (
        [*filter(None, ways), *_untold_facts(sought)]
        or _unheard(sought, {*plain})
        or _unsaid(plain, sought)
    )
    if not found and sought.chance is not None and sought.chance < _least(sought):
        return ("nothing here is about this",)
    return tuple(dict.fromkeys(found))


def _untold_facts(sought: Sought) -> Iterator[str]:
    prose = _prose(sought.every)
    for identifier in sought.absent:
        fact = fact_of(identifier)
        if fact and not any(tells(one, identifier) for one in prose):
            yield f"nothing here tells the {fact[0]} of {fact[1][0].title()}"


def _unheard(sought: Sought, others: Collection[str]) -> list[str]:
    """The names and things that no prose has: `nothing here tells of “golf” in Quy Nhon`."""
    found = []
    first, every = _prose(sought.first), _prose(sought.every)
    whole = _countries(sought.every)
    for identifier in sought.absent:
        if identifier in others or way_of(identifier) or fact_of(identifier):
            continue
        thing, *places = identifier.split(IN)
        if not places and thing.islower() and not rarities_in(thing) and _is_near(sought):
            continue
        anywhere = all(whole.intersection(one.split(OR)) for one in places)
        wanted = thing if anywhere else identifier
        if not any(has(one, wanted) for one in (every if places else first)):
            where = "".join(f" in {one.split(OR)[0].title()}" for one in places)
            found.append(f"nothing here tells of “{thing.replace(OR, '” or “')}”{where}")
    return found


def _is_near(sought: Sought) -> bool:
    return sought.chance is not None and sought.chance >= NEAR


def _countries(passages: Sequence[Passage]) -> frozenset[str]:
    """The names of countries: whatever is told here is told of them."""
    found = (one.metadata for one in passages if one.metadata.get("node_kind") == "country")
    return frozenset(surface(str(one[key])) for one in found for key in ("node", "name"))


def _prose(passages: Sequence[Passage]) -> list[Passage]:
    """What tells in words: connections and rows are looked up."""
    return [
        one for one in passages if one.kind not in edge_kinds() | {"row", "path", "node", "work"}
    ]


def _least(sought: Sought) -> float:
    """The chance below which nothing answers."""
    text = sought.text
    words = [*naming(asking(text))]
    if words and any(_tells_all(one, words) for one in _prose(sought.first)):
        return FAINT
    suits = themes_in(text) or kinds_in(text) or features_in(text)
    return UNLIKELY if sought.placed or suits or (not words and is_travel(text)) else ALONE


def _tells_all(passage: Passage, words: Sequence[str]) -> bool:
    told = told_words([passage.text])
    return all(is_told(one, told) for one in words)


def _unsaid(identifiers: Sequence[str], sought: Sought) -> list[str]:
    """The words that nothing tells, where they are what matters."""
    if not identifiers:
        return []
    parts = [one.split(JOIN) for one in identifiers]
    names = [one for one in parts[0][2].split(OR) if one]
    if _countries(sought.every).intersection(names):
        names = []
    passages = [one for one in sought.first if not names or _may_tell_of(one, names)]
    told = told_words([f"{one.indexed} {one.text}" for one in passages])
    missing = [word for _, word, _ in parts if not is_told(word, told)]
    chance = LIKELY if sought.chance is None else sought.chance
    narrowed = any(is_narrowing(one, sought.text) for one in missing)
    share = len(missing) / (len(parts) + (0 if narrowed else _suiting(sought.text, names)))
    if not missing or _is_tolerable(share, chance, placed=bool(names)):
        return []
    return [f"nothing here tells of “{one}”" for one in missing]


def _suiting(text: str, names: Sequence[str]) -> int:
    """How many words of a question, without those of names, stand for a theme or a kind."""
    own = {word for name in names for word in name.split()}
    words = {*surface(asking(text)).split()} - own
    return sum(bool(themes_in(one) or kinds_in(one)) for one in words)


def _is_tolerable(share: float, chance: float, *, placed: bool) -> bool:
    """Whether something answers although this share of the words is not told: one that is not
    beside one that is may be a circumstance.
    """
    if share <= _HALF:
        return chance > _SOME
    return not placed and (chance >= SURE or (chance >= LIKELY and share < 1))


def _may_tell_of(passage: Passage, names: Sequence[str]) -> bool:
    """Whether a passage is of one of these places, speaks of it, or is of no place at all."""
    if is_of(passage, names) or not passage.metadata.get("node"):
        return True
    spelt = f" {surface(passage.text)} "
    return any(f" {one} " in spelt for one in names)
