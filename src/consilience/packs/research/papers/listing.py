"""Where does one printed reference end and the next begin? By numbers, indents or gaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from consilience.packs.research.papers.glyphs import Print

_NUMBER = re.compile(r"(?:\[(\d{1,4})\]|(\d{1,4})\.)(?=\s|$)")
_LABEL = re.compile(r"\[[^\]\s]{1,12}?\d{2,4}[a-z]?\](?=\s|$)")
_AUTHOR = re.compile(r"[^\W\d_a-z][\w'’.-]*(?:,|\s+(?:[a-z]{1,3}\s+)*[^\W\d_a-z])")
_ENDED = re.compile(r"(?:\.|\d|\)|/\S*|\w{12,})\s*$")
_LEAST = 0.12  # of the lines, that are indented where entries hang


def entries(lines: Sequence[Print]) -> list[list[Print]]:
    """The printed lines of a list of references, entry by entry."""
    if not lines:
        return []
    starts = _numbered(lines) or _labelled(lines) or _hanging(lines) or _parted(lines)
    found: list[list[Print]] = []
    for at, line in enumerate(lines):
        if at in starts or not found:
            found.append([])
        found[-1].append(line)
    return found


def _numbered(lines: Sequence[Print]) -> set[int]:
    """Lines that begin with the next number."""
    starts: set[int] = set()
    wanted = 0
    for at, line in enumerate(lines):
        match = _NUMBER.match(line.text)
        number = int(match[1] or match[2]) if match else -1
        if match and (number == wanted or (not starts and number in (0, 1))):
            starts.add(at)
            wanted = number + 1
    return starts if len(starts) > 1 and len(starts) > 0.1 * len(lines) else set()


def _labelled(lines: Sequence[Print]) -> set[int]:
    starts = {at for at, line in enumerate(lines) if _LABEL.match(line.text)}
    return starts if len(starts) > 1 and 0 in starts else set()


def _hanging(lines: Sequence[Print]) -> set[int]:
    """Lines at the edge of their column, where the others are indented, or the other way round."""
    edges: dict[tuple[int, int], float] = {}
    shifts: list[float] = []
    groups = _groups(lines)
    for group, members in groups.items():
        edges[group] = min(lines[at].left for at in members)
        shifts.extend(lines[at].left - edges[group] for at in members)
    indent = Counter(round(shift) for shift in shifts if shift > 4).most_common(1)
    if not indent or indent[0][1] < _LEAST * len(lines):
        return set()
    depth, edge = indent[0][0], min(edges.values())
    at_edge = set()
    for group, members in groups.items():
        all_hung = abs(edges[group] - edge - depth) < 2  # no entry begins in this column
        start = edge if all_hung else edges[group]
        at_edge |= {at for at in members if lines[at].left < start + 0.5 * depth}
    hung = set(range(len(lines))) - at_edge
    outer = sum(1 for at in at_edge if _AUTHOR.match(lines[at].text))
    inner = sum(1 for at in hung if _AUTHOR.match(lines[at].text))
    if hung and inner / len(hung) > 1.5 * outer / max(1, len(at_edge)):
        return hung
    return at_edge


def _groups(lines: Sequence[Print]) -> dict[tuple[int, int], list[int]]:
    """The lines of one column on one page: a line above the one before it begins the next."""
    groups: dict[tuple[int, int], list[int]] = {}
    page = 0
    for at, line in enumerate(lines):
        if at and line.base > lines[at - 1].base + 2 * line.size:
            page += 1
        groups.setdefault((page, line.column), []).append(at)
    return groups


def _parted(lines: Sequence[Print]) -> set[int]:
    """Lines below a gap, or, where there is none, that begin with a name after a full stop."""
    steps = [one.base - two.base for one, two in pairwise(lines) if 0 < one.base - two.base < 60]
    usual = min(steps, default=0.0)
    gaps = {
        at + 1 for at, (one, two) in enumerate(pairwise(lines)) if one.base - two.base > 1.2 * usual
    }
    if len(gaps) >= 0.15 * len(lines):
        tops = {at + 1 for at, (one, two) in enumerate(pairwise(lines)) if one.base < two.base}
        return gaps | {at for at in tops if _ENDED.search(lines[at - 1].text)}
    return {
        at + 1
        for at, (one, two) in enumerate(pairwise(lines))
        if _ENDED.search(one.text) and not one.hyphen and _AUTHOR.match(two.text)
    }
