"""What do the rows of a grid stand under? Their labels, from the outermost inwards.

A row without numbers is a section over the rows below it; two such rows in a row are one section in
another. A section ends where another of its kind begins, where the rows are set in no further
than it is, or behind its own total. Where rows are set in, the row they are set in under is part
of their label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.packs.finance.notation.values import read_value
from consilience.packs.finance.tables.headings import lone_text
from consilience.packs.finance.tables.lattice import Lattice, sort_of

_NEAR = 2.0  # points by which labels that stand under one another may differ
_TOTALS = r"(?:sub-?\s?)?totals?|totale|totaux|sum|summe|gesamt|insgesamt|zwischensumme|gesamtsumme"
_BARE = re.compile(rf"(?:{_TOTALS})(?: {_TOTALS})*", re.IGNORECASE)
_WHOLE = frozenset({"group", "groupe", "grupo", "gruppe", "gruppo", "konzern"})
_SIGN = re.compile(r"\s+[$€£¥]$")  # of the number beside the label
_BALANCE = re.compile(
    r"(?i)(?:(?:opening|closing|beginning|ending|gross|net) )*balances?\b|"
    r"(?:\S+ ){0,4}(?:outstanding|nonvested|unvested|stand am|anfangsbestand|endbestand)\b"
)
_SHARE = re.compile(
    r"(?i)%|\b(?:margins?|of which|thereof|davon|marge|as a percentage|in percent|growth)\b|marge\b"
)  # what is set in under a total tells of it
_LEADING = re.compile(rf"(?:{_TOTALS})\b\s*(.*)|(.*?)[\s,–-]+(?:{_TOTALS})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a label, and the column it stands in; a section has none."""

    text: str
    column: int | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    row: int
    parts: tuple[Part, ...]
    indent: float
    mark: tuple[bool, bool, bool]
    section: bool


@dataclass(slots=True)
class _Open:
    """A section, or a row that others may be set in under, and whether it still counts."""

    text: str
    indent: float
    mark: tuple[bool, bool, bool]
    number: bool = False
    total: bool = False
    flat: bool | None = None
    closed: bool = False


def is_total(text: str) -> bool:
    """Whether a label says no more than that it is a total."""
    return bool(_BARE.fullmatch(text.strip(" :.*()")))


def is_balance(text: str) -> bool:
    """Whether a row is what there was on a day: what is set in below it came after that day."""
    return bool(_BALANCE.match(text)) and bool(re.search(r"\b(?:19|20)\d\d\b", text))


def total_of(text: str) -> str:
    """What a label is the total of: `Spain` of `Total Spain`; empty for others."""
    found = _LEADING.fullmatch(text.strip(" :.*()"))
    return (found[1] or found[2] or "").strip() if found else ""


def is_whole(text: str) -> bool:
    """Whether a label stands for all there is: `Total`, `Group`, `Group total`, `Konzern`."""
    bare = text.strip(" :.*()").casefold()
    return is_total(text) or bare in _WHOLE or total_of(text).casefold() in _WHOLE


def label_paths(
    lattice: Lattice, rows: Sequence[int], labels: Sequence[int], heads: Collection[int] = ()
) -> dict[int, tuple[Part, ...]]:
    """The label of each row that is no section, outermost part first.

    `heads` are rows that hold headings; what stands there in the place of a label is a section.
    Sections with nothing under them are rows themselves.
    """
    lines = _lines(lattice, rows, labels, heads)
    found = _Walk(lines).paths()
    for line in reversed(lines):
        if not line.section or line.row in heads:
            break
        found[line.row] = line.parts
    return found


def _lines(
    lattice: Lattice, rows: Sequence[int], labels: Sequence[int], heads: Collection[int]
) -> list[_Line]:
    found: list[_Line] = []
    above: dict[int, str] = {}
    for row in rows:
        alone = _head_label(lattice, row, labels) if row in heads else None
        if row in heads and alone is None:
            continue
        if alone := alone or _lone_label(lattice, row, labels):
            text, cell = alone[1], lattice.cell(row, alone[0])
            bold, indent = (cell.bold, cell.indent) if cell else (False, 0.0)
            mark = (bold, text.endswith(":"), text.isupper())
            found.append(_Line(row, (Part(text.rstrip(" :")),), indent, mark, section=True))
            above.clear()
            continue
        parts = _own(lattice, row, labels, above)
        first = next((cell for c in labels if (cell := lattice.cell(row, c))), None)
        indent = first.indent if first else 0.0
        found.append(_Line(row, parts, indent, (False, False, False), section=False))
    return found


def _lone_label(lattice: Lattice, row: int, labels: Sequence[int]) -> tuple[int, str] | None:
    """The text of a row that has no other, unless it is a number."""
    alone = lone_text(lattice, row)
    if alone is None or sort_of(alone[1], lattice.style) in ("number", "none"):
        return None
    own = [one for one in lattice.lines.get(row, ()) if one.column not in labels]
    return None if any(read_value(one.text, lattice.style) for one in own) else alone


def _head_label(lattice: Lattice, row: int, labels: Sequence[int]) -> tuple[int, str] | None:
    found = ((column, lattice.text(row, column)) for column in labels)
    return next((one for one in found if sort_of(one[1], lattice.style) == "words"), None)


def _own(
    lattice: Lattice, row: int, labels: Sequence[int], above: dict[int, str]
) -> tuple[Part, ...]:
    """The label's own parts; one that is missing before another is that of the row above."""
    texts = {column: lattice.text(row, column) for column in labels}
    parts: list[Part] = []
    for at, column in enumerate(labels):
        text = texts[column]
        if text:
            if above.get(column) != text:
                for inner in labels[at + 1 :]:
                    above.pop(inner, None)
            above[column] = text
        elif any(texts[inner] for inner in labels[at + 1 :]):
            text = above.get(column, "")
        if text and (not parts or parts[-1].text != text):
            parts.append(Part(_SIGN.sub("", text).rstrip(" :"), column))
    return tuple(parts)


class _Walk:
    """One way down the rows, with the sections that are open at each."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._lines = lines
        self._open: list[_Open] = []

    def paths(self) -> dict[int, tuple[Part, ...]]:
        """The label of each row that is no section."""
        found: dict[int, tuple[Part, ...]] = {}
        for at, line in enumerate(self._lines):
            if line.section:
                if at == 0 or not self._lines[at - 1].section:
                    self._make_room(line, self._run(at))
                self._open.append(_Open(line.parts[0].text, line.indent, line.mark))
            else:
                found[line.row] = self._labelled(line)
        return found

    def _run(self, at: int) -> int:
        """How many sections follow one another from here."""
        until = at
        while until < len(self._lines) and self._lines[until].section:
            until += 1
        return until - at

    def _make_room(self, line: _Line, run: int) -> None:
        """End the sections that this one takes the place of."""
        self._open = [
            one for one in self._open if not one.number or one.indent < line.indent - _NEAR
        ]
        inside = [at for at, one in enumerate(self._open) if one.indent >= line.indent - _NEAR]
        if not inside:
            return
        like = [at for at in inside if self._open[at].mark == line.mark]
        cut = like[-1] if like else inside[0]
        del self._open[max(0, min(cut, len(self._open) - run)) :]

    def _labelled(self, line: _Line) -> tuple[Part, ...]:
        text = line.parts[-1].text if line.parts else ""
        total = _total(text)
        for one in self._open:
            if one.flat is None and not one.number:
                one.flat = line.indent <= one.indent + _NEAR
        if total is None:
            self._leave(line.indent)
        else:
            self._open = [one for one in self._open if not one.number]
            self._outgrow(total)
            if total and not any(_words(one.text) <= total for one in self._open):
                self._leave(line.indent)
        share = bool(_SHARE.search(text))
        outer = tuple(
            Part(one.text) for one in self._open if not one.closed and (share or not one.total)
        )
        if total is not None and not self._closes_inside(total, line):
            self._open.append(_Open(text, line.indent, line.mark, number=True, total=True))
            return (*outer, *line.parts)
        if line.parts and not is_balance(text):
            self._open.append(_Open(text, line.indent, line.mark, number=True))
        return (*outer, *line.parts)

    def _leave(self, indent: float) -> None:
        """End what a row at this indent does not belong to."""
        kept = []
        for one in self._open:
            if one.number and indent <= one.indent + _NEAR:
                continue
            if indent < one.indent - _NEAR or (indent <= one.indent + _NEAR and not one.flat):
                one.closed = one.closed or not one.number
            kept.append(one)
        self._open = kept

    def _outgrow(self, total: frozenset[str]) -> None:
        """A total of more than a section is outside of it: `Total assets` after `Fixed assets`."""
        for one in self._open:
            if total and total < _words(one.text):
                one.closed = True

    def _closes_inside(self, total: frozenset[str], line: _Line) -> bool:
        """End the section that this is the total of, the innermost one, and all inside.

        A total that is set in under its section may have rows set in under itself.
        """
        for at in reversed(range(len(self._open))):
            one = self._open[at]
            last = at == len(self._open) - 1
            if one.closed or not ((total and _words(one.text) <= total) or (not total and last)):
                continue
            if line.indent > one.indent + _NEAR:
                self._open[at:] = [replace(one, flat=False)]
                return True
            for inner in self._open[at:]:
                inner.closed = True
            return False
        return False


def _total(text: str) -> frozenset[str] | None:
    """The words of what a label is the total of; none where it does not say, None for no total."""
    found = _LEADING.fullmatch(text.strip(" :.*()"))
    if found is None:
        return frozenset() if is_total(text) else None
    return _words(found[1] or found[2] or "")


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(word.rstrip("s") for word in found if word not in ("net", "and", "of", "the"))


def sections_of(paths: Mapping[int, Sequence[Part]]) -> dict[str, set[str]]:
    """The innermost labels, each with the outer parts it stands under somewhere."""
    found: dict[str, set[str]] = {}
    for path in paths.values():
        if path:
            outer = " › ".join(one.text for one in path[:-1])
            found.setdefault(path[-1].text, set()).add(outer)
    return found
