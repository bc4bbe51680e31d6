"""Which names of the table stand in a question? Whole words only, the longest name first.

Words that hyphens, underscores or dots join may be one word of the table (`2-SLS`), and a long word
several of it (`crossvalidation`). A name that is an ordinary word too counts as the table spells
it. Written otherwise, it is a guess where the question has little but names (`did assumptions`) or
words that speak for the name (`does late differ for compliers under monotonicity`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from consilience.packs.research.spelling import (
    framing,
    function,
    key_of,
    keys_of_last,
    ordinary,
    speaks,
)
from consilience.packs.research.table import Entry, Table
from consilience.understand.names import surface

_WORD = re.compile(r"[^\W_]+")
_TIGHT = re.compile(r"[-‐‑‒–_./]")
_LONG = 8  # letters of a name that is known without its spaces
_PARTS = 4  # words that one short name may be written as: `D-i-D`
_FEW = 3  # words of a question that is no sentence
_SPEAKING = 2  # words that make a name of an ordinary word
_SHOUTED = 3  # words in capitals from which capitals say nothing
_VERBS = frozenset({"did", "ate"})
_LINKING = frozenset({"and", "or", "vs", "versus"})
# What is asked of any method or quantity: such a word is no subject by itself.
_STUDIED_WORDS = "assumption assume definition estimator identification formula interpretation"
_STUDIED = frozenset(_STUDIED_WORDS.split())
# Words that no verb follows: behind them `did` and `ate` are names.
_BEFORE_WORDS = "a an the of in with for by using use versus vs does is than"
_BEFORE = frozenset(_BEFORE_WORDS.split())


@dataclass(frozen=True, slots=True)
class Match:
    """A name in a question as it is written there, its key, and the entries that have it.

    It is `guessed` where it may as well be an ordinary word; `alone` where nothing else is asked
    about, so that the question had no subject otherwise: `did assumptions`, `what is late?`.
    """

    text: str
    key: str
    places: tuple[int, ...]
    guessed: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Question:
    """A question in words, with their keys, `ends` being those at the end of a name; `tight` says
    of each whether nothing but a hyphen follows.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    ends: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[int, int], ...]
    tight: tuple[bool, ...]
    shouted: bool


def matches(text: str, table: Table) -> list[Match]:
    """The names in a text, in their order; no word belongs to two of them."""
    asked = _question(text)
    free = [True] * len(asked.words)
    found: dict[int, Match] = {}
    for length in range(min(max(table.longest, _PARTS), len(free)), 0, -1):
        for start in range(len(free) - length + 1):
            window = range(start, start + length)
            if not all(free[start : start + length]):
                continue
            one = _match(text, asked, window, table)
            if one is not None:
                found[start] = one
                free[start : start + length] = [False] * length
    return [found[start] for start in sorted(found)]


def _question(text: str) -> _Question:
    found = list(_WORD.finditer(text))
    between = pairwise(found)
    tight = [_tight(text[one.end() : two.start()], one[0], two[0]) for one, two in between]
    return _Question(
        words=tuple(one[0] for one in found),
        keys=tuple(key_of(one[0]) for one in found),
        ends=tuple(keys_of_last(surface(one[0])) for one in found),
        spans=tuple(one.span() for one in found),
        tight=(*tight, False),
        shouted=len(found) > _SHOUTED and text.isupper(),
    )


def _tight(between: str, one: str, two: str) -> bool:
    """Whether two words are written as one: `2-SLS`; a letter with an index, `V_i`, is none."""
    indexed = between == "_" and len(one) == len(two) == 1
    return bool(_TIGHT.fullmatch(between)) and not indexed


def _match(text: str, asked: _Question, window: range, table: Table) -> Match | None:
    for key in _keys(asked, window, table):
        spelt = [asked.words[at] for at in window]
        certain, guessed = [], []
        for place in table.places[key]:
            cased = [one for one in table.entries[place].cased if key_of(one) == key]
            if not cased and _person(asked, window, table.entries[place]):
                continue
            if not cased or (not asked.shouted and _spelt_as(spelt, cased)):
                certain.append(place)
            elif _as_a_name(asked, window, table.entries[place], table):
                guessed.append(place)
        if certain or guessed:
            written = text[asked.spans[window[0]][0] : asked.spans[window[-1]][1]]
            return Match(
                written,
                key,
                tuple(certain or guessed),
                guessed=not certain,
                alone=_alone(asked, window, table),
            )
    return None


def _alone(asked: _Question, window: range, table: Table) -> bool:
    """Whether every other word only asks, joins, is a name too, or asks of methods in general."""
    rest = (*asked.words[: window.start], *asked.words[window.stop :])
    return all(
        framing(word) or word in _LINKING or key in _STUDIED or key in table.places
        for word, key in ((surface(one), key_of(one)) for one in rest)
    )


def _keys(asked: _Question, window: range, table: Table) -> Iterator[str]:
    """The names that these words may be: as they stand, then with other spaces."""
    head = asked.keys[window.start : window.stop - 1]
    for last in asked.ends[window.stop - 1]:
        key, run = " ".join((*head, last)), "".join((*head, last))
        if key in table.places:
            yield key
        joined = table.joined.get(run, key)
        tight = len(window) > 1 and all(asked.tight[at] for at in window[:-1])
        if joined != key and (tight or len(run) >= _LONG):
            yield joined


def _person(asked: _Question, window: range, entry: Entry) -> bool:
    """Whether letters are spelt as a person's name beside another's: `Nie and Wager`, `Nie et al`.

    Where the table has such a spelling, it is that name.
    """
    word, rest = asked.words[window.start], asked.words[window.stop : window.stop + 2]
    if len(window) > 1 or not word.istitle() or word in entry.names:
        return False
    return len(rest) == 2 and (rest[0] == "et" or (rest[0] == "and" and rest[1].istitle()))


def _spelt_as(words: Sequence[str], cased: Sequence[str]) -> bool:
    """Whether words have the very letters of one of these names, perhaps in the plural."""
    spelt = "".join(words)
    return any(spelt in (plain, f"{plain}s") for plain in map(_plain, cased))


def _plain(name: str) -> str:
    return "".join(_WORD.findall(name))


def _as_a_name(asked: _Question, window: range, entry: Entry, table: Table) -> bool:
    """Whether a word that is spelt as an ordinary one may well be a name here."""
    words = [surface(word) for word in asked.words]
    own, before = words[window.start], words[window.start - 1] if window.start else ""
    if len(window) > 1 or function(own):
        return False
    if own in _VERBS and before in _BEFORE:
        return True
    rest = [*words[: window.start], *words[window.stop :]]
    others = [word for word in rest if not framing(word)]
    unnamed = [word for word in others if key_of(word) not in table.places]
    few = len(others) < (_FEW if len(others) == len(rest) else _FEW - 1)
    counted = words[window.stop : window.stop + 1] == ["of"]  # `rate of convergence`
    if few and not counted and not any(ordinary(word) or word.isdigit() for word in unnamed):
        return True
    if _beside_a_name(words, window.start, table):
        return True
    enough = _SPEAKING if ordinary(own) else 1
    return own not in _VERBS and _speaking(entry, key_of(own), rest, table) >= enough


def _beside_a_name(words: Sequence[str], place: int, table: Table) -> bool:
    """Whether a word is put beside a name: `mar and mnar`, `iv or did`."""
    sides = ((place - 1, place - 2), (place + 1, place + 2))
    return any(
        0 <= name < len(words)
        and words[link] in _LINKING
        and key_of(words[name]) in table.places
        and not ordinary(words[name])
        for link, name in sides
    )


def _speaking(entry: Entry, key: str, words: Sequence[str], table: Table) -> int:
    """How many words of a question speak for an entry: as it says, or as names of its fields."""
    told = {key_of(one) for one in entry.contexts.get(key, ()) if speaks(one, " ".join(words))}
    for word in map(key_of, words):
        fields = [table.entries[place].about for place in table.places.get(word, ())]
        told |= {word for about in fields if not about.isdisjoint(entry.about)}
    return len(told)
