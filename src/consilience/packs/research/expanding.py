"""What else may a question call the things it names? Their other names, from the table of synonyms.

A name is found whatever its case, hyphens, number and spelling, never inside another word, and the
longest one first. A short name of several things is resolved by the question: by the words that
speak for one of them, by its other names, and by what those are about. Where nothing speaks, all of
them are looked for with less weight, and the person is offered to say which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from consilience.packs.research.matching import Match, matches
from consilience.packs.research.spelling import abbreviates, key_of, plain_words, speaks
from consilience.packs.research.table import Entry, Table, read_table
from consilience.types import Term
from consilience.understand.names import surface

TABLE = Path(__file__).parent / "synonyms.yaml"
WEIGHT = 0.5
"""What another name weighs against a word of the question."""
SPELT_OUT = 0.8
"""What the usual long name of an abbreviation weighs: whoever wrote the letters means the words."""
RARER = 0.8
"""What is left of that with each name after the two usual ones, and for another spelling."""
GUESSED = 0.5
"""What is left of it where an ordinary word may or may not be meant as a name."""
_ABBREVIATED = 5  # letters of a name that is hardly a word of its own: `DDD`, triple differences
_USUAL = 2  # names of an entry that are as usual as each other: the short and the long one


@dataclass(frozen=True, slots=True)
class _Meant:
    """A name in a question with the things that it may mean there."""

    match: Match
    entries: tuple[Entry, ...]


def expand(text: str) -> tuple[Term, ...]:
    """The other names of what a question names, those of each name by falling weight."""
    return expanded(text, read_table(TABLE))


def offers(text: str) -> tuple[str, ...]:
    """What names of a question may mean, where nothing in it says which of several things."""
    return offered(text, read_table(TABLE))


def means(text: str, name: str, names: Sequence[str]) -> bool:
    """Whether a name means, in this question, the thing that has all these names."""
    return meant(text, name, names, read_table(TABLE))


def expanded(text: str, table: Table) -> tuple[Term, ...]:
    """`expand` with this table."""
    found: dict[str, Term] = {}
    for one in _read(text, table):
        share = (GUESSED if one.match.guessed else 1.0) / len(one.entries)
        clear = len(one.entries) == 1 and (one.match.alone or not one.match.guessed)
        for entry in one.entries:
            for name, weight in _others(one.match, entry):
                term = Term(
                    text=name,
                    weight=round(weight * share, 3),
                    origin=one.match.text,
                    spells=clear and weight == SPELT_OUT,
                )
                found.setdefault(surface(name), term)
    return tuple(found.values())


def offered(text: str, table: Table) -> tuple[str, ...]:
    """`offers` with this table."""
    return tuple(
        f"“{one.match.text}” may mean {' or '.join(entry.meaning for entry in one.entries)}; "
        "say which"
        for one in _read(text, table)
        if len(one.entries) > 1
    )


def meant(text: str, name: str, names: Sequence[str], table: Table) -> bool:
    """`means` with this table: a thing that the table does not know is meant as it is named.

    An ordinary word (`late`) that is no name here means nothing, nor does one that nothing else in
    the question speaks for (`late fees`); of several things with one name only those are meant that
    the question speaks of.
    """
    key = key_of(name)
    known = [table.entries[place] for place in table.places.get(key, ())]
    here = next((one for one in _read(text, table) if one.match.key == key), None)
    if not known or here is None:
        return not known or not all(_cased(entry, key) for entry in known)
    if here.match.guessed and not here.match.alone and not _spoken_for(here, text, table):
        return False
    own = {key_of(one) for one in names} - {key}
    named = [entry for entry in known if not own.isdisjoint(map(key_of, entry.names))]
    return not named or any(entry in here.entries for entry in named)


def _cased(entry: Entry, key: str) -> bool:
    return any(key_of(one) == key for one in entry.cased)


@lru_cache(maxsize=64)
def _read(text: str, table: Table) -> tuple[_Meant, ...]:
    """The names of a question, each with what it means there: once, wherever it stands first."""
    found: dict[str, Match] = {}
    for one in matches(text, table):
        found.setdefault(one.key, one)
    certain = [one for one in found.values() if len(one.places) == 1]
    return tuple(_Meant(one, tuple(_resolved(one, certain, text, table))) for one in found.values())


def _resolved(match: Match, certain: Sequence[Match], text: str, table: Table) -> Iterator[Entry]:
    """The meanings of a name that most in the question speaks for; all where nothing does."""
    votes = {place: _votes(match, place, certain, text, table) for place in match.places}
    most = max(votes.values())
    yield from (table.entries[place] for place, count in votes.items() if count == most)


def _spoken_for(here: _Meant, text: str, table: Table) -> bool:
    """Whether another name or word of the question speaks for what a name means there."""
    others = [
        one for one in matches(text, table) if one.key != here.match.key and len(one.places) == 1
    ]
    places = [place for place in here.match.places if table.entries[place] in here.entries]
    return any(any(_votes(here.match, place, others, text, table)) for place in places)


def _votes(
    match: Match, place: int, certain: Sequence[Match], text: str, table: Table
) -> tuple[int, int, int]:
    """What speaks for one meaning: its own other names, then words, then names of its field."""
    entry = table.entries[place]
    others = [table.entries[one.places[0]] for one in certain]
    named = {key_of(name) for other in others for name in other.names}
    words = entry.contexts.get(match.key, ())
    return (
        sum(one.places == (place,) for one in certain),
        sum(key_of(word) in named or speaks(word, text) for word in words),
        sum(not entry.about.isdisjoint(other.about) for other in others),
    )


def _others(match: Match, entry: Entry) -> Iterator[tuple[str, float]]:
    """The other names of a thing with their weights: what an abbreviation stands for first, other
    spellings of a name after other names.

    One that adds no word is left out, and one that only adds a word to another: `… approach`.
    """
    said, spelt = plain_words(match.text), _spelt_out(match, entry)
    keys, given = {match.key}, list[set[str]]()
    names: list[tuple[str, float]] = []
    spellings: list[tuple[str, float]] = []
    for place, name in enumerate(entry.names):
        known = key_of(name) in keys
        keys.add(key_of(name))
        weight = SPELT_OUT if name == spelt else WEIGHT * RARER ** max(0, place + 1 - _USUAL)
        (spellings if known else names).append((name, weight))
    for name, weight in sorted((*names, *spellings), key=lambda pair: pair[0] != spelt):
        own = plain_words(name)
        if own <= said or any(one < own for one in given):
            continue
        said |= own
        given.append(own)
        yield name, weight


def _spelt_out(match: Match, entry: Entry) -> str | None:
    """What an abbreviation stands for: the first name of several words that has its letters
    (`CACE`: not the usual name), else a usual one. A word of its own (`dropout`) abbreviates none.
    """
    if " " in match.key:
        return None
    letters, usual = list[str](), list[str]()
    for place, name in enumerate(entry.names):
        if " " not in key_of(name) or match.key in key_of(name).replace(" ", ""):
            continue
        if abbreviates(match.key, name):
            letters.append(name)
        elif place < _USUAL and len(match.key) <= _ABBREVIATED:
            usual.append(name)
    return next(iter((*letters, *usual)), None)
