"""How good are the answers that are written? Their support, their citations, what they refuse.

Every question is answered as a person would have it answered. Of each answer are told: the share
of its facts that what it cites bears out, how many of its marks lead to a passage whose words
they quote, and whether it says or cites what was judged to answer. A checker that says yes to
everything would find all of that in order: so each answer is checked a second time, with every
mark leading to another exhibit, and then its support must fall.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from consilience import types
from consilience.answer.checking import check
from consilience.errors import StoreError
from consilience.ingest import Progress, Silent
from consilience.markup import marks_in, plain, without_marks
from consilience.measure.golden.quoting import letters, stands_in
from consilience.measure.golden.walking import made_of, there, walked
from consilience.measure.scoring.facts import states
from consilience.measure.scoring.measures import within
from consilience.measure.scoring.statistics import interval
from consilience.measure.values import Control, Edges, Interval, Question, Resolved
from consilience.protocols import Check, Lookup
from consilience.types import Exhibit, Passage, Statement
from consilience.workspace import Workspace

NAME = "the checker of answers can refuse"
_FALL = 0.75  # of the support at most is left when marks lead elsewhere
_LEAST = 10  # facts without which nothing is shown
_PIECE = re.compile(r"[^\n]*?(?:\[\d{1,3}\])+[.,;:!?)]*|[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one question got in writing.

    `support` is that of the answer, `facts` how many were checked. Of its `marks`, `resolved` so
    many lead to a passage of the catalogue and quote its words. `found` says whether it states
    or cites what was judged to answer; None where nothing is judged. `shuffled` are facts and
    faults when every mark leads to another exhibit.
    """

    refused: bool
    words: int
    ms: float
    support: float | None = None
    facts: int = 0
    marks: int = 0
    resolved: int = 0
    found: bool | None = None
    shuffled: tuple[int, int] = (0, 0)
    suggestions: int = 0
    writer: str = ""

    def as_json(self) -> dict[str, Any]:
        """What is told of the question, as plain values."""
        return {key: value for key, value in asdict(self).items() if key != "shuffled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The written answers to a golden set, by question, and what sums them up."""

    questions: tuple[Question, ...]
    written: Mapping[str, Written]

    @property
    def answered(self) -> list[Written]:
        """The answers that were not refused."""
        return [one for one in self.written.values() if not one.refused]

    @property
    def support(self) -> Interval | None:
        """The mean support over answered questions in which there was something to check."""
        return _mean([one.support for one in self.answered if one.support is not None])

    @property
    def found(self) -> Interval | None:
        """The share of judged questions whose answer says or cites what answers them."""
        return _mean([float(one.found) for one in self.written.values() if one.found is not None])

    @property
    def resolved(self) -> float | None:
        """The share of all marks that lead somewhere and quote what stands there."""
        marks = sum(one.marks for one in self.answered)
        return sum(one.resolved for one in self.answered) / marks if marks else None

    @property
    def refusals(self) -> dict[str, float | None]:
        """The share refused of the questions with an answer, and of those without."""
        sides = {
            "answerable": [one for one in self.questions if one.judgements or one.facts],
            "unanswerable": [one for one in self.questions if one.unanswerable],
        }
        return {
            side: fmean(self.written[one.id].refused for one in some) if some else None
            for side, some in sides.items()
        }

    def as_json(self) -> dict[str, Any]:
        """What sums the answers up, as plain values."""
        support, found = self.support, self.found
        answered = self.answered
        return {
            "writers": sorted({one.writer for one in answered}),
            "questions": len(self.written),
            "answered": len(answered),
            "support": asdict(support) if support else None,
            "facts": sum(one.facts for one in answered),
            "citations": sum(one.marks for one in answered),
            "citations_resolved": self.resolved,
            "found": asdict(found) if found else None,
            "refusals": self.refusals,
            "words": within([float(one.words) for one in answered]),
            "ms": within([one.ms for one in self.written.values()]),
        }


def write_all(
    workspace: Workspace,
    resolved: Resolved,
    *,
    kept: Path | None = None,
    progress: Progress | None = None,
) -> Answers:
    """Have every question answered in writing; what the file `kept` has is not asked again."""
    questions = resolved.golden.questions
    known = _read(kept)
    todo = [one for one in questions if one.text not in known]
    progress = progress or Silent()
    progress.stage("writing", total=len(todo), unit="answers")
    for question in todo:
        known[question.text] = _answered(workspace, question, resolved)
        _keep(kept, question.text, known[question.text])
        progress.advance()
    return Answers(questions=questions, written={one.id: known[one.text] for one in questions})


def checker_can_refuse(answers: Answers) -> Control:
    """With marks that lead to other exhibits the support must fall clearly."""
    told = [one for one in answers.answered if one.shuffled[0] and one.support is not None]
    facts = sum(one.shuffled[0] for one in told)
    if facts < _LEAST:
        return Control(name=NAME, passed=True, told=f"not checked: {facts} facts are too few")
    real = fmean(one.support or 0.0 for one in told)
    wrong = fmean(1 - min(one.shuffled) / one.shuffled[0] for one in told)
    passed = wrong <= _FALL * real
    said = f"support {real:.2f} falls to {wrong:.2f} when citations lead to other exhibits"
    said += "" if passed else f", at most {_FALL * real:.2f} is right: it agrees too easily"
    return Control(name=NAME, passed=passed, told=said)


def told(answers: Answers) -> list[tuple[str, str]]:
    """What sums the answers up, line by line, for a person."""
    found = answers.as_json()
    facts, marks = found["facts"], found["citations"]
    refused = found["refusals"]
    lines = [
        ("answered", f"{found['answered']} of {found['questions']} questions"),
        ("support", f"{_spread(answers.support)} ({facts:,} facts)"),
        ("citations that resolve", f"{_share(found['citations_resolved'])} of {marks:,}"),
        ("answered by what was judged", _spread(answers.found)),
        ("answerable refused", _share(refused["answerable"])),
        ("unanswerable refused", _share(refused["unanswerable"])),
        ("words, half / 95 %", f"{found['words']['p50']:.0f} / {found['words']['p95']:.0f}"),
        ("ms, half / 95 %", f"{found['ms']['p50']:.0f} / {found['ms']['p95']:.0f}"),
    ]
    return [*lines, ("written by", ", ".join(found["writers"]) or "–")]


def _spread(one: Interval | None) -> str:
    return "–" if one is None else f"{one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _answered(workspace: Workspace, question: Question, resolved: Resolved) -> Written:
    began = time.perf_counter()
    answer = workspace.ask(question.text)
    ms = (time.perf_counter() - began) * 1000
    checks = workspace.pack.answers.checks
    lookup = partial(there, workspace.catalogue)
    return examined(answer, question, resolved, lookup, checks=checks, ms=ms)


def examined(
    answer: types.Answer,
    question: Question,
    resolved: Resolved,
    lookup: Lookup,
    *,
    checks: Sequence[Check] = (),
    ms: float = 0.0,
) -> Written:
    """What there is to tell of one answer."""
    judged = any(one.grade > 0 for one in question.judgements) or bool(question.facts)
    words = len(without_marks(answer.text).split())
    if answer.abstained:
        return Written(
            refused=True,
            words=words,
            ms=round(ms, 3),
            found=False if judged else None,
            suggestions=len(answer.suggestions),
        )
    marks = marks_in(answer.text)
    return Written(
        refused=False,
        words=words,
        ms=round(ms, 3),
        support=answer.support,
        facts=answer.facts,
        marks=len(marks),
        resolved=_resolving(answer, marks, lookup),
        found=_finds(answer, question, resolved) if judged else None,
        shuffled=_shuffled(answer, checks),
        writer=answer.writer,
    )


def _resolving(answer: types.Answer, marks: Sequence[int], lookup: Lookup) -> int:
    """How many marks lead to a passage that is there and has the words that are quoted."""
    cited = {one.mark: one for one in answer.citations}
    there = lookup([one.passage.id for one in cited.values()])
    return sum(
        mark in cited
        and cited[mark].passage.id in there
        and _quotes(cited[mark].quote, there[cited[mark].passage.id])
        for mark in marks
    )


def _quotes(quote: str, passage: Passage) -> bool:
    """Whether all parts of a quotation stand in a passage; what was left out is marked by `…`."""
    text = letters(f"{passage.indexed}\n{passage.text}")
    parts = [letters(plain(one)) for one in re.split(r"…|\.\.\.|\[…\]", quote)]
    return all(stands_in(one, text) for one in parts if len(one))


# --- does it answer? --------------------------------------------------------------------


def _finds(answer: types.Answer, question: Question, resolved: Resolved) -> bool:
    """Whether an answer cites a judged passage, or has a judged quotation or fact in its text."""
    grades = resolved.grades.get(question.id, {})
    right = {unit for unit, grade in grades.items() if grade > 0}
    cited = [key for one in answer.citations for key in _judgeable(one.passage, resolved.edges)]
    if right & set(resolved.order(question.id, cited)):
        return True
    text = plain(without_marks(answer.text))
    said = letters(text)
    quotes = [one.quote for one in question.judgements if one.grade > 0 and one.quote]
    if any(stands_in(letters(one), said) for one in quotes):
        return True
    whole = Passage(id="", collection="", document="", kind="answer", title="", text=text)
    facts = [replace(one, document="", page=None) for one in question.facts]
    return bool(facts) and all(states(one, whole) for one in facts)


def _judgeable(passage: Passage, edges: Edges) -> tuple[str, ...]:
    """What stands for a passage in a golden set: edges, what it was made of, else itself."""
    return (walked(passage, edges) if passage.kind == "path" else made_of(passage)) or (passage.id,)


# --- can the checker refuse? ------------------------------------------------------------


def _shuffled(answer: types.Answer, checks: Sequence[Check]) -> tuple[int, int]:
    """Facts and faults of an answer whose every mark leads to another exhibit."""
    others = _exchanged(answer.exhibits)
    if not others:
        return 0, 0
    facts = faults = 0
    for piece in _pieces(answer.text):
        verdict = check(Statement(text=piece), others, checks)
        facts += verdict.facts
        faults += min(verdict.facts, len(verdict.faults))
    return facts, faults


def _exchanged(exhibits: Sequence[Exhibit]) -> dict[int, Exhibit]:
    """Each mark with another exhibit: half the list away, where the subject is another too."""
    half = len(exhibits) // 2
    if not half:
        return {}
    moved = [*exhibits[half:], *exhibits[:half]]
    return {
        one.mark: replace(other, mark=one.mark) for one, other in zip(exhibits, moved, strict=True)
    }


def _pieces(text: str) -> Iterator[str]:
    """The statements of a text: each ends in its marks. Headings and the like cite nothing."""
    for found in _PIECE.findall(text):
        if marks_in(found):
            yield found.strip()


# --- what is known already --------------------------------------------------------------


def _read(path: Path | None) -> dict[str, Written]:
    """The answers that a file has, by the text of the question; a line cut short ends it."""
    known: dict[str, Written] = {}
    if path is None or not path.exists():
        return known
    sound = 0
    with path.open("rb") as stream:
        for raw in stream:
            with suppress(ValueError, KeyError, TypeError):
                line = json.loads(raw)
                written = dict(line["written"])
                written["shuffled"] = tuple(written["shuffled"])
                known[line["text"]] = Written(**written)
                sound += len(raw)
                continue
            break
    with path.open("r+b") as stream:
        stream.truncate(sound)
    return known


def _keep(path: Path | None, text: str, written: Written) -> None:
    if path is None:
        return
    line = json.dumps({"text": text, "written": asdict(written)}, ensure_ascii=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
    except OSError as error:
        raise StoreError(
            f"cannot keep answers in {path}: {error.strerror}; is the disk read-only?"
        ) from error


def _mean(values: Sequence[float]) -> Interval | None:
    return interval(values) if values else None
