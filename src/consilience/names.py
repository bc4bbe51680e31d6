"""Which names does the evidence know, and which of them does a question mention?

A name is a text in a table's cell or a whole number of three digits or more (a year, a code), a
node of a graph under any of its aliases, or a relation. Names are compared as `surface`: lower
case, accents and punctuation gone, so that "Bell-Rock" meets "bell rock". They are how a question
turns into criteria for rows and seeds for paths, without guessing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, cast

from consilience.types import Passage

Role = Literal["value", "number", "node", "relation"]
LONGEST = 8
SMALLEST = 100
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
# Words that are also values in many a table, and say nothing of what a question is about.
_COMMON_WORDS = """
a an and are as at be by did do does for from had has have he her his how i if in into is it its
me more most my no not of on one or our she so some than that the their them then there they this
to two us was we were what when where which who why will with would yes you your true false none
all any
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a passage gives: how it is spelt, what it is, and what it stands for."""

    surface: str
    role: Role
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a question."""

    surface: str
    collection: str
    role: Role
    field: str
    value: str


def surface(text: str) -> str:
    """How names are compared: lower-case words without accents or punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(_WORD.findall(bare))


def names_of(passage: Passage) -> list[Name]:
    """The names that a passage gives to questions."""
    if passage.kind == "row":
        return _values(passage)
    if passage.kind == "node":
        return _node(passage)
    if passage.kind == "edge" and "relation" in passage.metadata:
        relation = str(passage.metadata["relation"])
        return _usable([Name(surface(relation), "relation", "", relation)])
    return []


def spans(text: str) -> list[str]:
    """Every run of up to eight words of a text, as surfaces, longest first."""
    words = surface(text).split()
    found: dict[str, None] = {}
    for length in range(min(LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            found[" ".join(words[start : start + length])] = None
    return list(found)


def longest(text: str, mentions: list[Mention]) -> list[Mention]:
    """Drop a mention that is only part of a longer one: `bell` inside `bell rock`."""
    words = f" {surface(text)} "
    kept: list[Mention] = []
    for length in sorted({len(one.surface) for one in mentions}, reverse=True):
        same = [one for one in mentions if len(one.surface) == length]
        seen = [one for one in same if f" {one.surface} " in words]
        kept.extend(seen)
        for one in seen:
            words = words.replace(f" {one.surface} ", " | ")
    return kept


def _values(passage: Passage) -> list[Name]:
    """Texts in cells; what stands in brackets behind a name may be left out by a question."""
    texts = [
        Name(surface(spelt), "value", field, value)
        for field, value in passage.metadata.items()
        if isinstance(value, str)
        for spelt in dict.fromkeys((value, _BRACKETS.sub("", value)))
    ]
    numbers = [
        Name(str(value), "number", field, str(value))
        for field, value in passage.metadata.items()
        if isinstance(value, int) and value >= SMALLEST
    ]
    return [*_usable(texts), *numbers]


def _node(passage: Passage) -> list[Name]:
    node = str(passage.metadata.get("node", ""))
    aliases = passage.metadata.get("aliases", ())
    spellings = [str(passage.metadata.get("name", "")), *cast("tuple[str, ...]", aliases)]
    return _usable([Name(surface(one), "node", "", node) for one in spellings])


def _usable(names: list[Name]) -> list[Name]:
    return [one for one in names if _telling(one.surface)]


def _telling(text: str) -> bool:
    words = text.split()
    return (
        0 < len(words) <= LONGEST
        and len(text) > 1
        and not set(words) <= _COMMON
        and not text.replace(" ", "").isdigit()
    )
