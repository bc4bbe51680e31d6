"""What has been said so far? Each statement is checked before it is said; the text grows by it.

Both writers speak through a transcript, so nothing unchecked is ever in an answer. What fails is
removed, or marked where the settings say so, and listed either way; of a table or a block of
lines only the rows and lines that fail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from consilience.answer.checker import Verdict, check
from consilience.answer.figures import Figures, parted, wanted
from consilience.protocols import Check, Draw
from consilience.text_markup import find_marks, strip_marks
from consilience.types import Action, Citation, Exhibit, Fault, Figure, Said, Statement
from consilience.understand.names import surface
from consilience.understand.sentences import sentences

DOUBTED = "*(not borne out by what it cites)*"
"""What follows a statement that failed, where it is marked instead of removed."""


class Transcript:
    """The statements of an answer, checked one after the other, and what they cite."""

    def __init__(
        self,
        exhibits: Sequence[Exhibit],
        *,
        checks: Sequence[Check] = (),
        draw: Draw | None = None,
        unsupported: str = "remove",
    ) -> None:
        self.exhibits = {one.mark: one for one in exhibits}
        self.faults: list[Fault] = []
        self.facts = 0
        self._checks = tuple(checks)
        self._figures = Figures(draw)
        self._action: Action = "marked" if unsupported == "mark" else "removed"
        self._parts: list[str] = []
        self._heading = ""
        self._block = True  # the next statement begins a paragraph
        self._wrong = 0
        self._citations: dict[int, Citation] = {}

    @property
    def text(self) -> str:
        """All that was said."""
        return "".join(self._parts)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Where the marks of the text lead, in the order of the marks."""
        return tuple(self._citations[mark] for mark in sorted(self._citations))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What is to be looked at beside the text, by its number."""
        return tuple(self._figures.drawn)

    @property
    def support(self) -> float | None:
        """The share of facts that what is cited bears out; None where nothing was to check."""
        return 1 - self._wrong / self.facts if self.facts else None

    def citation(self, mark: int) -> Citation | None:
        """Where a mark leads; None if nowhere."""
        exhibit = self.exhibits.get(mark)
        if exhibit is None:
            return None
        known = self._citations.get(mark)
        return known or Citation(mark=mark, passage=exhibit.passage, label=exhibit.label)

    def remark(self, text: str) -> Said:
        """Add a sentence of our own about the evidence, which nothing cites, as a paragraph."""
        self._block = True
        said = self._joined(text)
        self._block = True
        return Said(text=said)

    def say(self, statement: Statement) -> Said:
        """Check a statement and add it; a heading waits until something stands under it."""
        if statement.form == "heading":
            self._heading, self._block = statement.text, True
            return Said(text="")
        words, shown = parted(statement.text)
        if shown and not strip_marks(words):
            return self._show(shown, statement)
        statement = replace(statement, text=words)
        verdict = check(statement, self.exhibits, self._checks)
        faults = tuple(replace(one, action=self._done(one, verdict)) for one in verdict.faults)
        self._count(verdict.facts, faults)
        said = self._add(statement, verdict, faults)
        if not shown or not said.text:
            return said
        beside = self._show(shown, replace(statement, text=said.text))
        return Said(
            text=said.text + beside.text,
            citations=said.citations,
            faults=(*said.faults, *beside.faults),
            figures=beside.figures,
        )

    def _add(self, statement: Statement, verdict: Verdict, faults: tuple[Fault, ...]) -> Said:
        """Join a statement that was checked to the text, as far as it stands."""
        if statement.opens or statement.form != "prose":
            self._block = True
        text = verdict.kept if self._action == "removed" else verdict.doubted(DOUBTED)
        if not text:
            return Said(text="", faults=faults)
        said = self._joined(text)
        self._block = statement.form != "prose"
        return Said(text=said, citations=self._cite(text, statement), faults=faults)

    def _show(self, shown: Sequence[str], statement: Statement) -> Said:
        """Draw what a statement asks for from what it cites; what cannot be drawn is a fault."""
        marks = find_marks(statement.text) or statement.within
        cited = [self.exhibits[mark] for mark in marks if mark in self.exhibits]
        outcomes = [self._figures.ask(what, cited) for what in shown]
        figures = tuple(figure for figure, _ in outcomes if figure)
        faults = tuple(fault for _, fault in outcomes if fault)
        self._count(len(shown), faults)
        text = ""
        for figure in figures:
            self._block = True
            text += self._joined(f"{wanted(str(figure.number))} [{figure.mark}]")
        self._block = True
        return Said(
            text=text, citations=self._cite(text, statement), faults=faults, figures=figures
        )

    def _done(self, fault: Fault, verdict: Verdict) -> Action:
        """A mark that leads nowhere is always taken out."""
        return "removed" if fault.check == "mark" and verdict.sound else self._action

    def _count(self, facts: int, faults: Sequence[Fault]) -> None:
        self.facts += facts
        self._wrong += min(facts, len(faults))
        self.faults.extend(faults)

    def _joined(self, text: str) -> str:
        """A statement with what parts it from the one before, and the heading that waited."""
        heading, self._heading = self._heading, ""
        before = "" if not self._parts else "\n\n" if self._block or heading else " "
        part = f"{before}## {heading}\n\n{text}" if heading else before + text
        self._parts.append(part)
        return part

    def _cite(self, text: str, statement: Statement) -> tuple[Citation, ...]:
        found = []
        for mark in find_marks(text):
            exhibit = self.exhibits[mark]
            if mark not in self._citations:
                self._citations[mark] = Citation(
                    mark=mark,
                    passage=exhibit.passage,
                    label=exhibit.label,
                    quote=_quote(statement.quotes.get(mark, ""), text, exhibit),
                )
            found.append(self._citations[mark])
        return tuple(found)


def _quote(quoted: str, text: str, exhibit: Exhibit) -> str:
    """The longest piece of what a writer quoted, letter by letter as the passage has it."""
    for piece in sorted(quoted.split("…"), key=len, reverse=True):
        words = r"\s+".join(map(re.escape, piece.split()))
        if words and (found := re.search(words, exhibit.passage.text)):
            return found[0]
    return _nearest(text, exhibit)


def _nearest(text: str, exhibit: Exhibit) -> str:
    """The sentence of a passage that has most of the words of what was said of it."""
    said = set(surface(strip_marks(text)).split())
    whole = exhibit.passage.text
    told = [one.text for one in sentences(whole)] or [whole]
    return max(told, key=lambda one: len(said & set(surface(one).split())))
