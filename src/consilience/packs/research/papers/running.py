"""What at the edges of a page belongs to the paper, and not to the text? Heads and numbers.

Lines that repeat on many pages are known to the loaders of all packs. A paper has few pages, and
says its title, its authors or its journal on them: here two pages are enough, where a line stands
apart from the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from consilience.packs.research.papers.glyphs import Print
from consilience.understand.names import surface

_NUMBER = re.compile(r"\W*(?:page\s+)?(\d{1,8})(?:\s*(?:of|/)\s*\d+)?\W*", re.IGNORECASE)
_APART = 1.4  # of the usual step: how far a head stands from the text
_JOINING = frozenset(("and", "et", "al", "a", "the", "of"))


def without_heads(
    pages: Sequence[Sequence[Print]], *, said: Sequence[str], step: float, body: float
) -> tuple[list[list[Print]], list[str]]:
    """The pages without heads and numbers, and what those said.

    `said` are the title and the authors: a line at an edge that has no other words is a head,
    but for the title itself, on the first page in larger type than the text.
    """
    edges = [_edges(lines, step) for lines in pages]
    again = Counter(form for held in edges for form in {_form(line.text) for line in held})
    numbers = _numbers(edges)
    known = frozenset(word for text in said for word in surface(text).split()) | _JOINING
    kept: list[list[Print]] = []
    dropped: dict[str, None] = {}
    for page, (lines, held) in enumerate(zip(pages, edges, strict=True)):
        gone = {
            id(line)
            for line in held
            if (page, line.text) in numbers
            or (again[_form(line.text)] > 1 and (page > 0 or line.size <= body))
            or (page > 0 and _says_only(line.text, known))
        }
        dropped.update((line.text, None) for line in held if id(line) in gone)
        kept.append([line for line in lines if id(line) not in gone])
    return kept, list(dropped)


def _edges(lines: Sequence[Print], step: float) -> list[Print]:
    """The highest and the lowest line of a page, and those beside them, that stand apart."""
    if len(lines) < 3:
        return []
    levels = sorted({round(line.base, 1) for line in lines}, reverse=True)
    found: list[Print] = []
    for row in (levels[:2], levels[-1:-3:-1]):
        if len(row) > 1 and abs(row[0] - row[1]) > _APART * step:
            found.extend(line for line in lines if round(line.base, 1) == row[0])
    return found


def _form(text: str) -> str:
    """A line with its numbers left open."""
    return re.sub(r"\d+", "#", text)


def _numbers(edges: Sequence[Sequence[Print]]) -> set[tuple[int, str]]:
    """The lines that are but a number which goes up with the page, on two pages or more."""
    found: dict[int, set[tuple[int, str]]] = {}
    for page, held in enumerate(edges):
        for line in held:
            if match := _NUMBER.fullmatch(line.text):
                found.setdefault(int(match[1]) - page, set()).add((page, line.text))
    return {one for same in found.values() if len(same) > 1 for one in same}


def _says_only(text: str, known: frozenset[str]) -> bool:
    words = [word for word in surface(text).split() if not word.isdigit()]
    return bool(words) and len(text) < 150 and all(word in known for word in words)
