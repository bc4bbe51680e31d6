"""In which pieces is a statement checked? A sentence whole, a table by rows, lines one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.checking import figures, marks, proper, quotations
from consilience.answer.checking.findings import Finding
from consilience.answer.checking.sources import Source, read
from consilience.markup import MARK, marks_in, plain, without_marks
from consilience.names import surface
from consilience.types import Form

_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_CELL = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*\*|__|~~|`|(?<!\w)[*_](?=\w)|(?<=\w|[.!?,])[*_](?!\w))")
_LISTED = re.compile(r"(?m)^[ \t]*(?:[-+*•]|\d{1,2}[.)])[ \t]+(?=[^\W\d_]+[\s,;:'’])")
_NAMED = re.compile(r"\b[Ss]ources?\s\d{1,3}(?:(?:,\s?|,?\sand\s|\s?&\s?)\d{1,3})*\b")
_ROW_END = re.compile(r"(?<!\\)\|((?:\s*\[[0-9]{1,3}\])*)\s*\Z")
_GROUP = re.compile(r"(?<!\s)(?:\s*\[[0-9]{1,3}\])+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a statement that is checked by itself; a row with the header of its table."""

    text: str
    header: tuple[str, ...] = ()
    checked: bool = True
    form: Form = "prose"

    def behind(self, words: str) -> str:
        """The piece with words behind it: in the last cell of a row."""
        end = _ROW_END.search(self.text) if self.header else None
        if end is None:
            return f"{self.text.rstrip()} {words}"
        return f"{self.text[: end.start()].rstrip()}{end[1]} {words} |"

    def with_mark(self, mark: int) -> str:
        """The piece with a mark: in the last cell of a row, else before what ends it."""
        return self.behind(f"[{mark}]") if self.header else marks.with_mark(self.text, mark)

    @property
    def bare(self) -> str:
        """What it says, without marks, emphasis and bullets; a row with a bar between cells."""
        return " | ".join(self.cells) if self.header else bare(self.text, self.form)

    @property
    def cells(self) -> tuple[str, ...]:
        """What the cells of a row say."""
        return _cells(self.text) if self.header else ()

    def segments(self) -> list[tuple[str, tuple[int, ...]]]:
        """A sentence in parts, each with the marks behind it; the last may have none.

        Marks within a quotation part nothing, and where one place has all of them, the whole
        sentence is one part.
        """
        quoted = quotations.spans(self.text)
        groups = [
            one
            for one in _GROUP.finditer(self.text)
            if not any(start < one.start() < end for start, end in quoted)
        ]
        if self.header or len({marks_in(one[0]) for one in groups}) < 2:
            return [(self.bare, marks_in(self.text))]
        found, at = [], 0
        for one in groups:
            found.append((self._said(at, one.start()), marks_in(one[0])))
            at = one.end()
        return [*found, (self._said(at, len(self.text)), marks_in(self.text))]

    def _said(self, start: int, end: int) -> str:
        """What a part of it says, without the comma before."""
        return bare(self.text[start:end].lstrip(" ,"), self.form)


def bare(text: str, form: Form = "prose") -> str:
    """What a text says, without marks, emphasis and bullets.

    In prose a writer may speak of its sources by their numbers, which are no facts; never in a
    quotation, which is the text of others.
    """
    text = _LISTED.sub("", _EMPHASIS.sub("", without_marks(text)))
    if form == "prose":
        text = quotations.outside(text, lambda said: _NAMED.sub("it", said))
    return plain(text)


def pieces(text: str, form: Form) -> list[Piece]:
    """The pieces of a statement."""
    if form == "table":
        return _rows(text)
    if form == "lines":
        return [Piece(line, checked=bool(line.strip()), form="lines") for line in text.split("\n")]
    return [Piece(text, checked=bool(text.strip()), form=form)]


def _rows(text: str) -> list[Piece]:
    lines = text.strip("\n").split("\n")
    header = _cells(lines[0])
    found = []
    for place, line in enumerate(lines):
        rule = not line.strip() or bool(_RULE.fullmatch(line))
        found.append(Piece(line, header, checked=place > 0 and not rule, form="table"))
    return found


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a row, parted before anything is unescaped: a bar in a cell is none of ours."""
    whole = MARK.sub("", line).strip().removeprefix("|")
    ended = whole.endswith("|") and not whole.endswith("\\|")
    parts = _CELL.split(whole[:-1] if ended else whole)
    return tuple(bare(part.strip(), "table") for part in parts)


def cells(
    row: Sequence[str],
    header: Sequence[str],
    cited: Sequence[Source],
    everything: Sequence[Source],
) -> list[Finding]:
    """The facts of a row: each cell under its heading, against the field of that name if any."""
    findings: list[Finding] = []
    owners = [one for one in cited if _is_of(row, header, one)] or cited
    for place, cell in enumerate(row):
        name = header[place] if place < len(header) else ""
        if not cell or cell in "-–—":
            continue
        if (field := _field(name, cell, owners)) is not None:
            findings.append(field)
            continue
        label = f"{name}: " if name and cell[:1].isdigit() else ""
        rest = label + cell
        for reader in (figures.dates, figures.codes, figures.numbers):
            rest, more = reader(rest, cited)
            findings += more
        findings += proper.names(rest[len(label) :], cited, everything, strict=True)
    return findings


def _is_of(row: Sequence[str], header: Sequence[str], one: Source) -> bool:
    """Whether a row speaks of this source: the field that its first cell names has that value."""
    known = _field(header[0], row[0], (one,)) if row and header else None
    return known is not None and known.found


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
