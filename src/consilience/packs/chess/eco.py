"""Which opening is a position, and what is known of an opening? The table of named lines.

`openings.tsv` (made by `scripts/build_openings.py`) holds named lines with the positions that
they lead to. A game has the name of the last of its positions that has one, so that every order
of moves comes to the same name. Names are read by their parts: `Sicilian Defense: Najdorf
Variation, English Attack` belongs to the two openings that its name begins with.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening: its code in the encyclopaedia, and its name."""

    eco: str
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """A named line: its opening, its moves as coordinates, and where they lead."""

    opening: Opening
    moves: tuple[str, ...]
    position: str


def openings_at(position: str) -> Opening | None:
    """The opening whose named position this is (an EPD as `notation.epd` writes it)."""
    return _positions().get(position)


def opening_of(positions: Sequence[str]) -> Opening | None:
    """The opening of a game, by the last of its positions that has a name."""
    known = _positions()
    return next((known[one] for one in reversed(positions) if one in known), None)


@lru_cache(maxsize=4096)
def ecos_of(name: str) -> tuple[str, ...]:
    """The codes of all lines whose name is this or begins with it."""
    return tuple(sorted({row.opening.eco for row in under().get(name, ())}))


@lru_cache(maxsize=1024)
def lines_of(name: str, *, own: bool) -> tuple[tuple[str, ...], ...]:
    """The lines of an opening, or of its variations, as coordinates: the most travelled first."""
    lines = under().get(name, ())
    found = [row.moves for row in lines if (row.opening.name == name) is own]
    return tuple(sorted(found, key=lambda line: (-_followed(line, lines), len(line))))


def _followed(line: tuple[str, ...], others: Iterable[Row]) -> int:
    """How many lines begin with this one."""
    return sum(row.moves[: len(line)] == line for row in others)


def belongs(name: str, wanted: str) -> bool:
    """Whether an opening is the wanted one or one of its variations, by their names: a gambit
    accepted or declined is still that gambit.
    """
    turned = {f"{wanted} {turn}" for turn in ("Accepted", "Declined", "Deferred")}
    return not {wanted, *turned}.isdisjoint(prefixes(name))


@cache
def rows() -> tuple[Row, ...]:
    """All lines of the table."""
    lines = (FOLDER / "openings.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = (line.split("\t") for line in lines)
    return tuple(
        Row(Opening(eco, name), tuple(moves.split()), end) for eco, name, moves, end in cells
    )


@cache
def _positions() -> dict[str, Opening]:
    return {row.position: row.opening for row in rows()}


@lru_cache(maxsize=16384)
def prefixes(name: str) -> tuple[str, ...]:
    """The openings that one belongs to, itself last: `A: b, c` is of `A` and of `A: b`."""
    ends = [match.start() for match in re.finditer(r"[:,] ", name)]
    return (*(name[:end] for end in ends), name)


@cache
def under() -> Mapping[str, Sequence[Row]]:
    """The rows of every name and of every beginning of a name."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows():
        for name in prefixes(row.opening.name):
            found[name].append(row)
    return dict(found)


def name_of(eco: str) -> str | None:
    """The opening that a code stands for, by the shortest of its names."""
    return _codes().get(eco)


@cache
def _codes() -> dict[str, str]:
    found = sorted(rows(), key=lambda row: (-len(row.opening.name), row.opening.name))
    return {row.opening.eco: row.opening.name for row in found}


@lru_cache(maxsize=1024)
def begins(named: str) -> tuple[str, ...]:
    """The positions in which an opening, given by its code or its name, begins.

    Of a line that goes on under the same name only the first position counts.
    """
    own = [row for row in rows() if named in (row.opening.eco, row.opening.name)]
    lines = {row.moves for row in own}
    return tuple(
        row.position
        for row in own
        if not any(row.moves[:end] in lines for end in range(1, len(row.moves)))
    )
