"""In which order is a page read? Down the first column, then down the second.

What runs over both columns, a title or a wide table, parts a page into bands that are read one
after the other. A page in one column is read in the order in which it was set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median

from consilience.packs.research.papers.glyphs import Print, part_of

_FEWEST = 8  # lines that each of two columns has at least, on a page that shows that there are two
_FILLED = 0.6  # of a column's breadth, that its lines take up as a rule
_CROSSING = 0.35  # of the lines, that may run over both columns


def in_order(pages: Sequence[Sequence[Print]]) -> list[list[Print]]:
    """The lines of each page in reading order, each with its column."""
    gaps = [_gap(lines) for lines in pages]
    known = [gap for gap in gaps if gap]
    if len(known) * 3 < sum(1 for lines in pages if len(lines) > 2 * _FEWEST):
        return [list(lines) for lines in pages]  # two columns on few pages are tables
    usual = (
        (median(left for left, _ in known), median(right for _, right in known)) if known else None
    )
    if usual is None:
        return [list(lines) for lines in pages]
    return [_read_across(lines, gap or usual) for lines, gap in zip(pages, gaps, strict=True)]


def _gap(lines: Sequence[Print]) -> tuple[float, float] | None:
    """Where the gap between two columns is, if a page has two."""
    pieces = [(left, right) for line in lines for left, right, _ in line.pieces]
    if len(pieces) < 2 * _FEWEST:
        return None
    first, last = min(left for left, _ in pieces), max(right for _, right in pieces)
    middle, half = (first + last) / 2, (last - first) / 2
    slack = 0.12 * half
    ones = [one for one in pieces if one[1] <= middle + slack and one[0] < middle - slack]
    others = [one for one in pieces if one[0] >= middle - slack and one[1] > middle + slack]
    wide = [
        [right - left for left, right in side if right - left > _FILLED * half]
        for side in (ones, others)
    ]
    crossing = len(pieces) - len(ones) - len(others)
    if min(map(len, wide)) < _FEWEST or crossing > _CROSSING * len(pieces):
        return None
    if min(len(wide[0]) / len(ones), len(wide[1]) / len(others)) < 0.4:
        return None
    ends, starts = [right for _, right in ones], [left for left, _ in others]
    edge = sorted(ends)[int(len(ends) * 0.95)]
    begin = sorted(starts)[int(len(starts) * 0.05)]
    return (edge, begin) if begin - edge > 2 else None


def _read_across(lines: Sequence[Print], gap: tuple[float, float]) -> list[Print]:
    """The lines of a page in two columns: band by band, the left column before the right."""
    middle = sum(gap) / 2
    parts = [part for line in lines for part in _parted(line, middle)]
    parts.sort(key=lambda one: (-one.base, one.left))
    ordered: list[Print] = []
    for crosses, band in groupby(parts, key=lambda one: one.left < middle < one.right):
        if crosses:
            ordered.extend(band)
            continue
        held = list(band)
        ordered.extend(replace(one, column=0) for one in held if one.right <= middle)
        ordered.extend(replace(one, column=1) for one in held if one.left >= middle)
    return ordered


def _parted(line: Print, middle: float) -> list[Print]:
    """A line that stands in both columns with nothing in the gap is two lines."""
    if not line.left < middle < line.right:
        return [line]
    left = [one for one in line.pieces if one[1] <= middle]
    right = [one for one in line.pieces if one[0] >= middle]
    if not left or not right or len(left) + len(right) < len(line.pieces):
        return [line]
    return [part_of(line, left, last=False), part_of(line, right, last=True)]
