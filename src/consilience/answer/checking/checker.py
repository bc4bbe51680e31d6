"""Is a statement borne out by what it cites? Marks, then facts, then words.

Every mark must lead to an exhibit. Every number, date, name, quotation, code and move must stand
in what the statement cites, and enough of its telling words: a true sentence with the mark of
another source fails by its words. Where a sentence has marks in several places, a fact belongs to
those next behind it. A statement that cites nothing is given the mark of an exhibit that bears
all of it, and fails where there is none. Rows of a table and lines fail one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.answer.checking import blocks, marks, quotations, support
from consilience.answer.checking.findings import shortened
from consilience.answer.checking.sources import Source, source
from consilience.markup import marks_in
from consilience.protocols import Check
from consilience.types import Exhibit, Fault, Statement

_TRIED = 6  # exhibits that an uncited statement is compared with in full


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, row or line of a statement, and whether it stood the check."""

    piece: blocks.Piece
    sound: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What checking a statement came to.

    `text` is the statement without the marks that lead nowhere, and with one added where an
    exhibit bears all of a statement that cites nothing. `facts` says how many facts were looked
    for. A statement that is not `sound` is removed or marked, as far as its `parts` fail.
    """

    text: str
    marks: tuple[int, ...]
    facts: int
    faults: tuple[Fault, ...]
    sound: bool
    parts: tuple[Part, ...] = ()

    @property
    def kept(self) -> str:
        """What is left without the parts that failed: nothing where no row or line is left."""
        if self.sound:
            return self.text
        left = [one.piece for one in self.parts if one.sound]
        if not any(one.checked for one in left):
            return ""
        rest = "\n".join(one.text for one in left)
        missing = () if marks_in(rest) else self.marks  # stood in a line that is gone
        for mark in missing:
            left[-1] = replace(left[-1], text=left[-1].with_mark(mark))
        return "\n".join(one.text for one in left).strip("\n")

    def doubted(self, remark: str) -> str:
        """The whole with a remark at each part that failed, in the last cell of a row."""
        if self.sound or not self.parts:
            return self.text if self.sound else f"{self.text} {remark}"
        told = (one.piece.text if one.sound else one.piece.behind(remark) for one in self.parts)
        return "\n".join(told)


def check(
    statement: Statement, exhibits: Mapping[int, Exhibit], checks: Sequence[Check] = ()
) -> Verdict:
    """Compare a statement with the exhibits that it cites; a pack's `checks` are asked as well."""
    text, stray = marks.lost(marks.apart(statement.text), exhibits)
    faults = [Fault(check="mark", value=mark, told=f"{mark} leads to no source") for mark in stray]
    if statement.form == "heading":
        return Verdict(text=text, marks=marks_in(text), facts=0, faults=tuple(faults), sound=True)
    known = {mark: source(one) for mark, one in exhibits.items()}
    text, misled = quotations.misplaced(text, known)
    faults += misled
    inherited = marks_in(text) if statement.form in ("lines", "path", "prose") else ()
    facts, parts = len(faults), []
    for piece in blocks.pieces(text, statement.form):
        outcome = _Outcome(0, ())
        if piece.checked:
            outcome = _piece(piece, inherited, statement.within, known, checks)
        facts += outcome.facts
        faults += outcome.faults
        parts.append(Part(_marked(piece, outcome.added), sound=not outcome.faults))
    text = "\n".join(one.piece.text for one in parts)
    return Verdict(
        text=text,
        marks=marks_in(text),
        facts=facts,
        faults=tuple(faults),
        sound=all(one.sound for one in parts),
        parts=tuple(parts),
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    facts: int
    faults: tuple[Fault, ...]
    added: int | None = None


def _marked(piece: blocks.Piece, mark: int | None) -> blocks.Piece:
    return piece if mark is None else replace(piece, text=piece.with_mark(mark))


def _piece(
    piece: blocks.Piece,
    inherited: Sequence[int],
    within: Sequence[int],
    known: Mapping[int, Source],
    checks: Sequence[Check],
) -> _Outcome:
    cited = [known[mark] for mark in marks_in(piece.text) or inherited]
    everything = list(known.values())
    claim = support.Claim(piece, everything)
    added = None
    if not cited:
        bearer = _bearer(claim, within, known)
        if bearer is None:
            return _uncited(claim)
        cited, added = [bearer], bearer.mark
    outcome = support.by_marks(piece, cited, everything)
    faults = [found.fault(here) for found, here in outcome if not found.found]
    facts = len(outcome)
    if not faults and (fault := claim.astray(cited, facts)) is not None:
        faults.append(fault)
    facts += claim.has_words
    for one in checks:
        told = one(claim.text, [source.exhibit for source in cited])
        known_by = {fault.check for fault in faults}
        new = [fault for fault in told.faults if fault.check not in known_by]
        facts += told.facts - (len(told.faults) - len(new))
        faults += new
    return _Outcome(facts, tuple(faults), added)


def _bearer(
    claim: support.Claim, within: Sequence[int], known: Mapping[int, Source]
) -> Source | None:
    """An exhibit that bears all of a statement; those of its section are asked first."""
    if not claim.needs_source:
        return None
    first = [known[mark] for mark in within if mark in known]
    rest = [one for mark, one in known.items() if mark not in within]
    for group in (first, rest):
        likely = sorted(group, key=claim.share, reverse=True)[:_TRIED]
        for one in likely:
            if claim.borne_by(one):
                return one
    return None


def _uncited(claim: support.Claim) -> _Outcome:
    if not claim.needs_source:
        return _Outcome(0, ())
    told = f"“{shortened(claim.text)}” cites no source, and none of the evidence bears all of it"
    fault = Fault(check="citation", value=claim.text, told=told)
    return _Outcome(max(1, len(claim.compare(()))), (fault,))
