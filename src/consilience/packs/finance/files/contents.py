"""Which parts of a report are no evidence? Its table of contents, and headings that stand alone.

A list of headings with the pages they stand on answers nothing, but has the words of every
question. It is known by leaders (`Risks ..... 12`, `Risks · 12`) or by the heading over it, and by
page numbers that rise from line to line: prose that merely has numbers is kept. A heading with
nothing under it (a date on a cover, `Part II`) goes with the paragraph that follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from consilience.evidence.loaders.common import same_heading
from consilience.packs.finance.shapes import Grid
from consilience.types import Block

LEFT_OUT = "the table of contents is left out"
"""The note of a report whose table of contents is no part of the document."""
_Part = Block | Grid
_HEADING = re.compile(
    r"(?i)(?:table of )?contents|inhalt(?:sverzeichnis|sübersicht)?|sommaire|table des matières|"
    r"[íi]ndice|sum[áa]rio|sommario|inhoud(?:sopgave)?|innehåll|index"
)
_PAGE = re.compile(r"(?i)\s+(?:page|seite|pagina|página)(?:\s+part\s+[ivx\d]+)?$")
_ENTRY = re.compile(r"(?P<text>\S.*?)(?P<lead>[\s.·…_]+)(?P<page>\d{1,3})")
_LEADERS = re.compile(r"[·…]|(?:[._]\s?){3,}")
_ENDS = re.compile(r"[.!?:;,]$")
_FIRST = 10  # pages at the beginning that may hold a table of contents
_SCRAP = 12  # words of headings that stand alone
_SHORT = 8  # words of a line between the entries


def without_contents(parts: Sequence[_Part]) -> tuple[list[_Part], bool]:
    """The parts without those of a table of contents, and whether there was one."""
    kept: list[_Part] = []
    lost = False
    for _, group in groupby(parts, key=_page):
        some = list(group)
        left = _without(some)
        lost = lost or len(left) < len(some)
        kept.extend(left)
    return (kept, True) if lost and any(map(_says, kept)) else (list(parts), False)


def _says(part: _Part) -> bool:
    return isinstance(part, Grid) or bool(part.text)


def _page(part: _Part) -> int | None:
    return part.page if isinstance(part, Grid) else part.locator.page


def _without(parts: Sequence[_Part]) -> list[_Part]:
    """The parts of one page without its table of contents."""
    page = _page(parts[0])
    if page is not None and page > _FIRST:
        return list(parts)
    head = next((at for at, one in enumerate(parts) if page is not None and _heads(one)), None)
    out: set[int] = set()
    last = 0
    for at, part in enumerate(parts):
        headed = head is not None and at > head
        pages = _entries(part, headed=headed)
        if pages and pages[0] >= last:
            out.add(at)
            last = pages[-1]
    if head is not None and out:
        between = range(head, max(out))
        out.update(at for at in between if at == head or _is_label(parts[at]))
    return [part for at, part in enumerate(parts) if at not in out]


def _heads(part: _Part) -> bool:
    return isinstance(part, Block) and bool(_HEADING.fullmatch(_PAGE.sub("", part.text.strip())))


def _is_label(part: _Part) -> bool:
    """Whether a text between entries is a word over them: `Page`, `Part II`."""
    if not isinstance(part, Block) or part.kind:
        return False
    return len(part.text.split()) <= _SHORT and not _ENDS.search(part.text.rstrip(". "))


def _entries(part: _Part, *, headed: bool) -> list[int]:
    """The pages that a part lists, in its order; none where it is no list of them.

    Under the heading of a table of contents lines need no leaders; a few may name no page.
    """
    if isinstance(part, Grid):
        lines = _lines(part) if headed else []
    else:
        lines = [] if part.kind else [line.strip() for line in part.text.split("\n")]
    found = [match for line in lines if (match := _ENTRY.fullmatch(line))]
    led = [match for match in found if _LEADERS.search(match["lead"])]
    pages = [int(match["page"]) for match in found]
    if not pages or any(a > b for a, b in pairwise(pages)):
        return []
    if len(led) >= max(2, 0.8 * len(lines)) or (headed and led):
        return pages
    return pages if headed and len(found) >= 0.6 * len(lines) else []


def _lines(grid: Grid) -> list[str]:
    """The rows of a table as lines."""
    rows = groupby(grid.cells, key=lambda cell: cell.row)
    return [" ".join(cell.text for cell in row) for _, row in rows]


# --- headings that stand alone ----------------------------------------------------------


def with_scraps(parts: Sequence[_Part]) -> Iterator[_Part]:
    """The parts; headings with nothing under them are the first lines of what follows them."""
    waiting: list[Block] = []
    for group in _runs(parts):
        first = group[0]
        if isinstance(first, Block) and waiting and _page(first) == _page(waiting[-1]):
            lines = [one.text for one in waiting if not _is_in(one.text, first.locator.section)]
            group[0] = replace(first, text="\n".join((*lines, first.text)))
        else:
            yield from waiting
        waiting = []
        if _is_scrap(group):
            waiting = [one for one in group if isinstance(one, Block)]
        else:
            yield from group
    yield from waiting


def _runs(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts in runs under one heading."""
    for _, group in groupby(parts, key=_home):
        yield list(group)


def _home(part: _Part) -> tuple[bool, tuple[str, ...]]:
    """Whether a part is text, and the headings above it."""
    if isinstance(part, Grid):
        return False, part.section
    return not part.kind, part.locator.section


def _is_scrap(group: Sequence[_Part]) -> bool:
    texts = [one.text for one in group if isinstance(one, Block) and not one.kind]
    if len(texts) < len(group) or any(_ENDS.search(text.rstrip()) for text in texts):
        return False
    return sum(len(text.split()) for text in texts) <= _SCRAP


def _is_in(text: str, section: Sequence[str]) -> bool:
    return any(same_heading(text, one) for one in section)
