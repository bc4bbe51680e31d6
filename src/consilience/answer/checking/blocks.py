"""In which pieces is a statement checked? A sentence whole, a table by rows, lines one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.checking import figures, marks, proper
from consilience.answer.checking.findings import Finding
from consilience.answer.checking.reading import Source, read
from consilience.answer.markup import MARK
from consilience.names import surface
from consilience.types import Form

_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a statement that is checked by itself; a row with the header of its table."""

    text: str
    header: tuple[str, ...] = ()
    checked: bool = True

    def with_mark(self, mark: int) -> str:
        """The piece with a mark: in the last cell of a row, else before what ends it."""
        row = self.text.rstrip()
        if self.header and row.endswith("|"):
            return f"{row[:-1].rstrip()} [{mark}] |"
        return marks.with_mark(self.text, mark)


def pieces(text: str, form: Form) -> list[Piece]:
    """The pieces of a statement."""
    if form == "table":
        return _rows(text)
    if form == "lines":
        return [Piece(line, checked=bool(line.strip())) for line in text.split("\n")]
    return [Piece(text, checked=bool(text.strip()))]


def _rows(text: str) -> list[Piece]:
    lines = text.strip("\n").split("\n")
    header = tuple(_cells(lines[0])) if lines else ()
    found = []
    for place, line in enumerate(lines):
        rule = not line.strip() or bool(_RULE.fullmatch(line))
        found.append(Piece(line, header, checked=place > 0 and not rule))
    return found


def _cells(line: str) -> list[str]:
    parts = _CELL.split(MARK.sub("", line).strip().removeprefix("|").removesuffix("|"))
    return [part.strip() for part in parts]


def cells(
    row: str, header: Sequence[str], cited: Sequence[Source], everything: Sequence[Source]
) -> list[Finding]:
    """The facts of a row: each cell under its heading, against the field of that name if any."""
    findings: list[Finding] = []
    for place, cell in enumerate(_cells(row)):
        name = header[place] if place < len(header) else ""
        if not cell or cell in "-–—":
            continue
        if (field := _field(name, cell, cited)) is not None:
            findings.append(field)
            continue
        label = f"{name}: " if name and cell[:1].isdigit() else ""
        rest = label + cell
        for reader in (figures.dates, figures.codes, figures.numbers):
            rest, more = reader(rest, cited)
            findings += more
        findings += proper.names(rest[len(label) :], cited, everything, strict=True)
    return findings


def _field(name: str, cell: str, cited: Sequence[Source]) -> Finding | None:
    """A cell compared with the field that its heading names; None where there is no such field."""
    wanted = surface(name)
    known = [
        str(value)
        for one in cited
        for key, value in one.exhibit.passage.metadata.items()
        if wanted and surface(key) == wanted
    ]
    if not known:
        return None
    return Finding(
        check="number" if cell[:1].isdigit() else "name",
        value=cell,
        found=any(_alike(cell, value) for value in known),
        near=known[0],
    )


def _alike(cell: str, value: str) -> bool:
    if surface(cell) == surface(value):
        return True
    ours, theirs = read(cell).amounts, read(value).amounts
    return len(ours) == len(theirs) == 1 and not ours[0].numbers.isdisjoint(theirs[0].numbers)
