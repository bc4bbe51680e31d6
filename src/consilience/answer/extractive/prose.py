"""How do chosen sentences become a paragraph? In reading order, quoted, by their sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.extractive import cells, matching, rows
from consilience.answer.extractive.asking import Asked
from consilience.answer.extractive.picking import Pick
from consilience.answer.extractive.reading import Candidate
from consilience.answer.extractive.wording import heading, marks, quoted, shortened, source
from consilience.answer.sentences import one_line
from consilience.types import Exhibit, Statement

GAP = 1
"""Sentences that may be left out inside one quotation."""
_VERBS = ("says", "notes", "writes")


@dataclass(slots=True)
class Teller:
    """Puts quotations together; remembers which sources were named, so as to vary its words.

    With `named` sources are named at all; with `english` connecting words are used.
    """

    asked: Asked
    named: bool
    english: bool
    _last: Exhibit | None = None
    _count: int = 0

    def paragraph(self, picks: Sequence[Pick], under: str = "") -> list[Statement]:
        """The statements of one paragraph, under a heading or none."""
        self._last = None
        found: list[Statement] = []
        for group in _grouped(picks):
            listed = _records(group)
            if listed:
                found.append(self._listed(listed))
            else:
                found.append(self.statement(group, opens=not found, under=under))
        return found

    def _listed(self, listed: Sequence[cells.Row]) -> Statement:
        """Lines of names and values: one as a sentence, several as a table."""
        self._last = listed[0].exhibit
        listed = matching.named(listed, self.asked.text) or listed
        columns = cells.columns_of(listed)
        if len(listed) == 1:
            return rows.sentence(listed[0], columns[1:], listed)
        return rows.table(listed, self.asked, among=listed)

    def statement(self, group: Sequence[Pick], *, opens: bool, under: str = "") -> Statement:
        """Neighbouring sentences of one exhibit as one quotation, with its source and marks."""
        parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
        also = {one.mark: one for pick in group for one in pick.also} if len(group) == 1 else {}
        exhibit = parts[0].exhibit
        pieces = _pieces(parts)
        intro = self._intro(exhibit, under)
        cited = [exhibit.mark, *(mark for mark in also if mark != exhibit.mark)]
        words = [shortened(one_line(one)) for one in pieces] if len(parts) == 1 else pieces
        text = f"{intro}{quoted(words)} {marks(cited)}"
        quotes = {exhibit.mark: pieces[0] if len(pieces) == 1 else " … ".join(pieces)}
        quotes.update({mark: one.sentence.text for mark, one in also.items()})
        self._last = exhibit
        return Statement(text=text, opens=opens, quotes=quotes, within=(exhibit.mark,))

    def _intro(self, exhibit: Exhibit, under: str) -> str:
        """What stands before a quotation: its source, where that is not clear already."""
        passage = exhibit.passage
        section = next((heading(one) for one in reversed(passage.locator.section) if one), "")
        last = self._last.passage if self._last else None
        if last is not None and last.title == passage.title:
            if last.id == passage.id:
                told = "It adds: "
            else:
                told = f"Under “{section}”: " if section and section != under else ""
            return told if self.english else ""
        name = source(passage, part=section != under)
        if not self.named or not name or heading(passage.title) == under:
            return ""
        if not self.english:
            return f"{name}: "
        self._count += 1
        return f"{name} {_VERBS[(self._count - 1) % len(_VERBS)]}: "


def _records(group: Sequence[Pick]) -> list[cells.Row]:
    """The lines of names and values that a group consists of; none if it has other sentences."""
    parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
    found = [cells.record(one.exhibit, one.sentence.text) for one in parts]
    return [row for row in found if row is not None] if all(found) else []


def _place(one: Candidate) -> int:
    return one.place


def _grouped(picks: Sequence[Pick]) -> list[list[Pick]]:
    """Picks by exhibit and in reading order; those with more than a sentence between are apart."""
    groups: list[list[Pick]] = []
    end, block = 0, -1
    for pick in sorted(picks, key=lambda one: (one.mark, one.parts[0].place)):
        first = pick.parts[0]
        near = first.place - end <= GAP + 1 and first.sentence.block == block
        near = near or (_is_record(pick) and bool(groups) and _is_record(groups[-1][0]))
        if groups and groups[-1][0].mark == pick.mark and (near or first.place <= end):
            groups[-1].append(pick)
        else:
            groups.append([pick])
        end = max(one.place for one in pick.parts)
        block = pick.parts[-1].sentence.block
    return groups


def _is_record(pick: Pick) -> bool:
    return cells.record(pick.best.exhibit, pick.best.sentence.text) is not None


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
