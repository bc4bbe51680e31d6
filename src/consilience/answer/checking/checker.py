"""Is a statement borne out by what it cites? Marks, then facts, then words.

Every mark must lead to an exhibit. Every number, date, name, quotation, code and move must stand
in what the statement cites, and enough of its telling words: a true sentence with the mark of
another source fails by its words. A statement that cites nothing is given the mark of an exhibit
that bears all of it, and fails where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.answer.checking import blocks, marks, quotations, support
from consilience.answer.checking.findings import shortened
from consilience.answer.checking.reading import Source, source
from consilience.answer.markup import marks_in, plain, without_marks
from consilience.protocols import Check
from consilience.types import Exhibit, Fault, Statement

_EMPHASIS = re.compile(r"(?<!\\)(?:\*\*|__|~~|`|(?<!\w)[*_](?=\w)|(?<=\w|[.!?,])[*_](?!\w))")
_LISTED = re.compile(r"(?m)^\s*(?:[-+*•]|\d{1,2}[.)])\s+(?=[^\W\d_]+[\s,;:'’])")
_NAMED = re.compile(r"\b[Ss]ources?\s\d{1,3}(?:(?:,\s?|,?\sand\s|\s?&\s?)\d{1,3})*\b")
_TRIED = 6  # exhibits that an uncited statement is compared with in full


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What checking a statement came to.

    `text` is the statement with its marks in one form, those that lead nowhere taken out, and
    one added where an exhibit bears all of a statement that cites nothing. `facts` says how many
    facts were looked for. A statement that is not `sound` is removed or marked.
    """

    text: str
    marks: tuple[int, ...]
    facts: int
    faults: tuple[Fault, ...]
    sound: bool


def check(
    statement: Statement, exhibits: Mapping[int, Exhibit], checks: Sequence[Check] = ()
) -> Verdict:
    """Compare a statement with the exhibits that it cites; a pack's `checks` are asked as well."""
    text, stray = marks.lost(marks.normalised(statement.text), exhibits)
    faults = [Fault(check="mark", value=mark, told=f"{mark} leads to no source") for mark in stray]
    if statement.form == "heading":
        return Verdict(text=text, marks=marks_in(text), facts=0, faults=tuple(faults), sound=True)
    known = {mark: source(one) for mark, one in exhibits.items()}
    text, misled = quotations.misplaced(text, known)
    faults += misled
    pieces = blocks.pieces(text, statement.form)
    inherited = marks_in(text) if statement.form in ("lines", "path", "prose") else ()
    facts = 0
    wrong: list[Fault] = []
    for piece in pieces:
        if not piece.checked:
            continue
        outcome = _piece(piece, inherited, statement.within, known, checks)
        facts += outcome.facts
        wrong += outcome.faults
        if outcome.added is not None:
            text = text.replace(piece.text, piece.with_mark(outcome.added), 1)
    return Verdict(
        text=text,
        marks=marks_in(text),
        facts=facts + len(faults),
        faults=(*faults, *wrong),
        sound=not wrong,
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    facts: int
    faults: tuple[Fault, ...]
    added: int | None = None


def _piece(
    piece: blocks.Piece,
    inherited: Sequence[int],
    within: Sequence[int],
    known: Mapping[int, Source],
    checks: Sequence[Check],
) -> _Outcome:
    cited = [known[mark] for mark in marks_in(piece.text) or inherited]
    bare = _bare(piece.text)
    everything = list(known.values())
    claim = support.Claim(bare, piece.header, everything)
    added = None
    if not cited:
        bearer = _bearer(claim, within, known)
        if bearer is None:
            return _uncited(claim)
        cited, added = [bearer], bearer.mark
    outcome = claim.compare(cited)
    faults = [one.fault(cited) for one in outcome if not one.found]
    facts = len(outcome)
    if not faults and (fault := claim.astray(cited, facts)) is not None:
        faults.append(fault)
    facts += claim.has_words
    for one in checks:
        told = one(bare, [source.exhibit for source in cited])
        facts += told.facts
        faults += told.faults
    return _Outcome(facts, tuple(faults), added)


def _bare(text: str) -> str:
    """What a piece says, without its marks, emphasis, bullets and the numbers of sources."""
    text = _LISTED.sub("", _EMPHASIS.sub("", without_marks(text)))
    return plain(_NAMED.sub("it", text))


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
