"""What is a page made of? Headings, named lines, items and tables, without any markup.

Text and Markdown are two ways to lay them out. Text in them is harmless already; `marks` are the
numbers of the sources that bear it out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """A text, the numbers of its sources, and what is added behind them."""

    text: str
    marks: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; that of the page has level 1."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Lines:
    """Texts with a name each; an empty name for a sentence of its own."""

    lines: tuple[tuple[str, Told], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list; a `numbered` one counts as citations do."""

    items: tuple[Told, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `right` are those of numbers, `wide` the one that may be wrapped.

    Where it is `plain`, the columns need no names in a terminal. With `total` the last row is the
    sum of the others.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Told, ...], ...]
    right: frozenset[int] = frozenset()
    wide: int = 0
    plain: bool = False
    total: bool = False


Block = Heading | Lines | Items | Table
