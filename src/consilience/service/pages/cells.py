"""How are numbers of a table shown? A row as its cells, a calculation as what it is made of.

The cells that answer are marked: those that a source is sure of, else those that the question names
by the words of their headings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from consilience.names import surface

Found = Mapping[str, Any]
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
ROOM = 6
"""Cells of a row that a card shows: those that are meant, then the first."""
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ALIKE = 3  # letters from which on `Aug` may stand for `August`


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A cell: what stands above it, what it says, and whether the question names it."""

    heading: tuple[str, ...]
    text: str
    column: int | None
    meant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A number that a calculation is made of, and where it stands."""

    passage: str
    name: str
    text: str
    place: str
    column: int | None


def of_row(row: Found, question: str) -> tuple[Shown, ...]:
    """The cells of a row that a card has room for, with those marked that answer a question."""
    every: Sequence[Found] = row.get("cells", ())
    sure = {at for at, one in enumerate(every) if one.get("sure")}
    named = sure or _named(every, question)
    first = sorted(range(len(every)), key=lambda at: (at not in named, at))[:ROOM]
    return tuple(
        Shown(
            heading=tuple(every[at]["heading"].split(" › ")),
            text=every[at]["text"],
            column=every[at]["column"],
            meant=at in named,
        )
        for at in sorted(first)
    )


def of_calculation(made: Found) -> tuple[Operand, ...]:
    """What a calculation is made of, in the order of its formula."""
    return tuple(
        Operand(
            passage=str(one["passage"]),
            name=", ".join(filter(None, (one["label"], one["heading"]))),
            text=one["text"],
            place=_place(one),
            column=one["column"],
        )
        for one in made.get("operands", ())
    )


def meant(shown: Sequence[Shown]) -> int | None:
    """The column of the one cell that a question names; None where it names none, or several."""
    found = [one.column for one in shown if one.meant]
    return found[0] if len(found) == 1 else None


def _named(every: Sequence[Found], question: str) -> set[int]:
    """The places of the cells whose headings, and times, share most words with a question.

    Of two that share as many, it is the one that says less besides. What is only planned, or a
    change, is meant where the question says so.
    """
    asked = _tokens(question)
    scores = [_score(one, asked) for one in every]
    best = max(scores, default=(0, 0))
    found = {at for at, score in enumerate(scores) if score == best}
    actual = {at for at in found if every[at].get("basis", "actual") == "actual"}
    found = actual or found
    return found if best[0] and (len(found) < len(every) or len(every) == 1) else set()


def _score(cell: Found, asked: set[str]) -> tuple[int, int]:
    """How many words of a question name a cell, and how few others stand above it.

    A cell of another month than the question names is none that it names.
    """
    heading, time = _tokens(cell["heading"]), _time(str(cell.get("period", "")))
    months = {one for one in _MONTHS if any(_same(one, other) for other in asked)}
    if months and time.intersection(_MONTHS) - months:
        return 0, 0
    shared = {other for other in asked if any(_same(word, other) for word in heading | time)}
    besides = [word for word in heading if not any(_same(word, other) for other in asked)]
    return len(shared), -len(besides)


def _time(period: str) -> set[str]:
    """The words of a period: `2025-08` is `2025` and `august`."""
    year, _, rest = period.partition("-")
    month = _MONTHS[int(rest) - 1] if rest.isdecimal() and 1 <= int(rest) <= 12 else ""
    return {word for word in (year, month) if word}


def _tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(surface(text)))


def _same(word: str, asked: str) -> bool:
    """`2025` and `25`, `august` and `aug`, or the same word."""
    if word.isdecimal() or asked.isdecimal():
        return word == asked or (len(word) == 2 and len(asked) == 4 and asked[2:] == word)
    short, long = sorted((word, asked), key=len)
    return short == long or (len(short) >= _ALIKE and long.startswith(short))


def _place(one: Found) -> str:
    file = PurePath(str(one.get("document") or "")).name
    page = f"page {one['page']}" if one.get("page") else ""
    return ", ".join(filter(None, (file, page)))
