"""How do chosen sentences become a paragraph? In reading order, quoted, by their sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from consilience.answer.extractive.picking import Pick
from consilience.answer.extractive.reading import Candidate
from consilience.answer.extractive.wording import heading, marks, quoted, source
from consilience.types import Exhibit, Statement

GAP = 1
"""Sentences that may be left out inside one quotation."""
_VERBS = ("says", "notes", "writes")


@dataclass(slots=True)
class Teller:
    """Puts quotations together; remembers which sources were named, so as to vary its words.

    With `named` sources are named at all; with `english` connecting words are used.
    """

    named: bool
    english: bool
    _last: Exhibit | None = None
    _count: int = 0
    _met: set[str] = field(default_factory=set)

    def paragraph(self, picks: Sequence[Pick], under: str = "") -> list[Statement]:
        """The statements of one paragraph, under a heading or none."""
        self._last = None
        groups = _grouped(picks)
        return [
            self.statement(group, opens=at == 0, under=under) for at, group in enumerate(groups)
        ]

    def statement(self, group: Sequence[Pick], *, opens: bool, under: str = "") -> Statement:
        """Neighbouring sentences of one exhibit as one quotation, with its source and marks."""
        parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
        also = {one.mark: one for pick in group for one in pick.also} if len(group) == 1 else {}
        exhibit = parts[0].exhibit
        pieces = _pieces(parts)
        intro = self._intro(exhibit, under)
        cited = [exhibit.mark, *(mark for mark in also if mark != exhibit.mark)]
        text = f"{intro}{quoted(pieces)} {marks(cited)}"
        quotes = {exhibit.mark: pieces[0] if len(pieces) == 1 else " … ".join(pieces)}
        quotes.update({mark: one.sentence.text for mark, one in also.items()})
        self._last = exhibit
        return Statement(text=text, opens=opens, quotes=quotes, within=(exhibit.mark,))

    def _intro(self, exhibit: Exhibit, under: str) -> str:
        last, passage = self._last, exhibit.passage
        if last is not None and last.passage.id == passage.id:
            return "It adds: " if self.english else ""
        section = next((heading(one) for one in reversed(passage.locator.section) if one), "")
        if last is not None and last.passage.document == passage.document:
            return f"Under “{section}”: " if self.english and section and section != under else ""
        if not self.named:
            return ""
        if heading(passage.title) == under:
            return ""
        name = source(passage, part=section != under)
        if not name:
            return ""
        if not self.english:
            return f"{name}: "
        verb = _VERBS[self._count % len(_VERBS)]
        self._count += 1
        return f"{name} {verb}: "


def _place(one: Candidate) -> int:
    return one.place


def _grouped(picks: Sequence[Pick]) -> list[list[Pick]]:
    """Picks by exhibit and in reading order; those with more than a sentence between are apart."""
    groups: list[list[Pick]] = []
    end, block = 0, -1
    for pick in sorted(picks, key=lambda one: (one.mark, one.parts[0].place)):
        first = pick.parts[0]
        near = first.place - end <= GAP + 1 and first.sentence.block == block
        if groups and groups[-1][0].mark == pick.mark and (near or first.place <= end):
            groups[-1].append(pick)
        else:
            groups.append([pick])
        end = max(one.place for one in pick.parts)
        block = pick.parts[-1].sentence.block
    return groups


def _pieces(parts: Sequence[Candidate]) -> list[str]:
    """The exact pieces of the passage that the sentences make up; neighbours are one piece."""
    text = parts[0].exhibit.passage.text
    pieces: list[tuple[int, int]] = []
    last = -2
    for one in parts:
        start, end = one.sentence.start, one.sentence.end
        if pieces and one.place == last + 1:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        last = one.place
    return [text[start:end] for start, end in pieces]
