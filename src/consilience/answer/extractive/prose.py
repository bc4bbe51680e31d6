"""How do chosen sentences become a paragraph? In reading order, quoted, by their sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.drawn import has_drawing, positions
from consilience.answer.extractive import cells, matching, rows
from consilience.answer.extractive.asking import Asked
from consilience.answer.extractive.picking import Pick
from consilience.answer.extractive.scoring import Candidate, Reading
from consilience.answer.extractive.wording import (
    marks,
    quoted,
    shortened,
    source,
    telling_heading,
    titled,
)
from consilience.answer.figures import wanted
from consilience.answer.sentences import one_line
from consilience.types import Exhibit, Statement

GAP = 1
"""Sentences that may be left out inside one quotation."""
TOGETHER = 3
"""Sentences apart from one another in one quotation."""
PARAGRAPH = 4
"""Quotations of a paragraph."""


@dataclass(slots=True)
class Teller:
    """Puts quotations together; remembers what was quoted last, so as to name a source once.

    With `named` sources are named at all; with `english` connecting words are used.
    """

    asked: Asked
    named: bool
    english: bool
    _last: Exhibit | None = None

    def paragraph(self, picks: Sequence[Pick], under: str = "") -> list[Statement]:
        """The statements of one part, in paragraphs, under a heading or none."""
        self._last = None
        found: list[Statement] = []
        held = 0
        for group in _grouped(picks):
            listed = _records(group)
            if listed:
                found.append(self._listed(listed))
                held = 0
                continue
            full = held + len(group) > PARAGRAPH
            found.append(self.statement(group, opens=not held or full, under=under))
            held = len(group) if full else held + len(group)
        return found

    def _listed(self, listed: Sequence[cells.Row]) -> Statement:
        """Lines of names and values: one as a sentence, several as a table."""
        self._last = listed[0].exhibit
        listed = matching.named(listed, self.asked.text) or listed
        columns = cells.columns_of(listed)
        if len(listed) == 1:
            return rows.sentence(listed[0], columns[1:], listed)
        return rows.table(listed, self.asked, among=listed, columns=columns)

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
        section = telling_heading(passage)
        last = self._last.passage if self._last else None
        if last is not None and last.title == passage.title:
            new = section and section not in (under, telling_heading(last))
            return f"Under “{section}”: " if new and self.english else ""
        name = source(passage, part=section != under)
        if not self.named or not name or titled(passage.title) == under:
            return ""
        return f"{name}: "


def board(picks: Sequence[Pick], reading: Reading) -> list[Statement]:
    """The first position that is written down beside quoted sentences, as a board to be drawn.

    Beside them is what stands between them, or before the sentence that follows.
    """
    for pick in picks:
        text = pick.best.exhibit.passage.text
        last = max(one.place for one in pick.parts)
        after = [one.sentence.start for one in reading.of(pick.mark) if one.place == last + 1]
        found = positions(text[pick.parts[0].sentence.start : (after or [len(text)])[0]])
        if found:
            shown = f"{wanted(found[0])} [{pick.mark}]"
            return [Statement(text=shown, form="lines", opens=True)]
    return []


def _records(group: Sequence[Pick]) -> list[cells.Row]:
    """The lines of a table that a group consists of; none if it has other sentences."""
    parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
    found = [cells.record(one.exhibit, one.sentence.text) for one in parts]
    lines = [row for row in found if row is not None]
    return lines if len(lines) == len(parts) and all(map(_in_table, lines)) else []


def _in_table(row: cells.Row) -> bool:
    """Whether a line of names and values is one of several with the same columns."""
    same = [one for one in cells.records(row.exhibit) if set(one.cells) == set(row.cells)]
    return len(same) > 1


def _place(one: Candidate) -> int:
    return one.place


def _grouped(picks: Sequence[Pick]) -> list[list[Pick]]:
    """Picks by exhibit and in reading order, a few together; lines of a table by themselves."""
    groups: list[list[Pick]] = []
    end, block = 0, -1
    for pick in sorted(picks, key=lambda one: (one.mark, one.parts[0].place)):
        first = pick.parts[0]
        near = first.place - end <= GAP + 1 and first.sentence.block == block
        last = groups[-1] if groups else []
        if last and last[0].mark == pick.mark and _fits(pick, last, near=near):
            last.append(pick)
        else:
            groups.append([pick])
        end = max(one.place for one in pick.parts)
        block = pick.parts[-1].sentence.block
    return groups


def _fits(pick: Pick, group: Sequence[Pick], *, near: bool) -> bool:
    if _is_record(pick) or _is_record(group[0]):
        return _is_record(pick) and _is_record(group[0])
    return near or len(group) < TOGETHER


def _is_record(pick: Pick) -> bool:
    return cells.record(pick.best.exhibit, pick.best.sentence.text) is not None


def _pieces(parts: Sequence[Candidate]) -> list[str]:
    """The exact pieces of the passage that the sentences make up; neighbours are one piece."""
    text = parts[0].exhibit.passage.text
    pieces: list[tuple[int, int]] = []
    last = -2
    for one in parts:
        start, end = one.sentence.start, one.sentence.end
        if pieces and one.place == last + 1 and not has_drawing(text[pieces[-1][1] : start]):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        last = one.place
    return [text[start:end] for start, end in pieces]
