"""How good are written answers? Their support, their citations, and what they refuse.

Every question is answered as for a person. Measured are: the share of an answer's facts that its
citations support, how many of its citation marks lead to a passage that has the quoted words, and
whether it states or cites what was judged to answer. A checker that agrees with everything would
pass all of that: so each answer is checked a second time, with every mark leading to another
exhibit, and then its support must fall.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from consilience import types
from consilience.answer.checker import check
from consilience.evidence.ingest import Progress, Silent
from consilience.measure.data_model import Control, Interval, Question, ResolvedLabels
from consilience.measure.derived_passages import edges_on_path, lookup_with_derived, operands_of
from consilience.measure.label_resolver import contains, letters_of
from consilience.measure.metrics import percentiles, states
from consilience.measure.runs import append_line, read_lines
from consilience.measure.statistics import interval
from consilience.protocols import Check, Lookup
from consilience.text_markup import find_marks, strip_marks, unescape_markdown
from consilience.types import Passage, Statement
from consilience.workspace import Workspace

CONTROL = "the checker of answers can refuse"
_MOST_LEFT = 0.75  # of the support at most is left when marks lead elsewhere
_FEWEST_FACTS = 10
_STATEMENT = re.compile(r"[^\n]*?(?:\[\d{1,3}\])+[.,;:!?)]*|[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """The measured quality of one written answer.

    `support` is that of the answer, `facts` how many were checked. Of its `marks`, `resolved`
    lead to a passage of the catalogue and quote its words. `found` says whether it states or
    cites what was judged to answer; None where nothing is judged. `shuffled` are facts and
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
        """The quality as plain values."""
        return {key: value for key, value in asdict(self).items() if key != "shuffled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuality:
    """The written answers to a golden set, by question, and their summary."""

    questions: tuple[Question, ...]
    written: Mapping[str, WrittenAnswer]

    @property
    def answered(self) -> list[WrittenAnswer]:
        """The answers that were not refused."""
        return [answer for answer in self.written.values() if not answer.refused]

    @property
    def support(self) -> Interval | None:
        """The mean support over answered questions in which there was something to check."""
        values = [answer.support for answer in self.answered if answer.support is not None]
        return interval(values) if values else None

    @property
    def found(self) -> Interval | None:
        """The share of judged questions whose answer states or cites what answers them."""
        values = [
            float(answer.found) for answer in self.written.values() if answer.found is not None
        ]
        return interval(values) if values else None

    @property
    def resolved(self) -> float | None:
        """The share of all marks that lead to a passage and quote what it says."""
        marks = sum(answer.marks for answer in self.answered)
        return sum(answer.resolved for answer in self.answered) / marks if marks else None

    @property
    def refusals(self) -> dict[str, float | None]:
        """The share refused of the questions with an answer, and of those without."""
        sides = {
            "answerable": [
                question.id for question in self.questions if question.judgements or question.facts
            ],
            "unanswerable": [question.id for question in self.questions if question.unanswerable],
        }
        refused = {key: answer.refused for key, answer in self.written.items()}
        return {
            side: fmean(refused[key] for key in keys) if keys else None
            for side, keys in sides.items()
        }

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        support, found = self.support, self.found
        answered = self.answered
        return {
            "writers": sorted({answer.writer for answer in answered}),
            "questions": len(self.written),
            "answered": len(answered),
            "support": asdict(support) if support else None,
            "facts": sum(answer.facts for answer in answered),
            "citations": sum(answer.marks for answer in answered),
            "citations_resolved": self.resolved,
            "found": asdict(found) if found else None,
            "refusals": self.refusals,
            "words": percentiles([float(answer.words) for answer in answered]),
            "ms": percentiles([answer.ms for answer in self.written.values()]),
        }

    def rows(self) -> list[tuple[str, str]]:
        """The summary line by line, for a person."""

        def spread(mean: Interval | None) -> str:
            return "–" if mean is None else f"{mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]"

        def share(value: float | None) -> str:
            return "–" if value is None else f"{value:.1%}"

        values = self.as_json()
        words, ms, refused = values["words"], values["ms"], values["refusals"]
        resolved = f"{share(self.resolved)} of {values['citations']:,}"
        return [
            ("answered", f"{values['answered']} of {values['questions']} questions"),
            ("support", f"{spread(self.support)} ({values['facts']:,} facts)"),
            ("citations that resolve", resolved),
            ("answered by what was judged", spread(self.found)),
            ("answerable refused", share(refused["answerable"])),
            ("unanswerable refused", share(refused["unanswerable"])),
            ("words, half / 95 %", f"{words['p50']:.0f} / {words['p95']:.0f}"),
            ("ms, half / 95 %", f"{ms['p50']:.0f} / {ms['p95']:.0f}"),
            ("written by", ", ".join(values["writers"]) or "–"),
        ]


def write_answers(
    workspace: Workspace,
    resolved: ResolvedLabels,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> AnswerQuality:
    """Have every question answered in writing; what the file `cache` has is not asked again."""

    def parse(line: Mapping[str, Any]) -> tuple[str, WrittenAnswer]:
        written = {**line["written"], "shuffled": tuple(line["written"]["shuffled"])}
        return line["text"], WrittenAnswer(**written)

    questions = resolved.golden.questions
    known = dict(read_lines(cache, parse)) if cache is not None else {}
    todo = [question for question in questions if question.text not in known]
    progress = progress or Silent()
    progress.stage("writing", total=len(todo), unit="answers")
    for question in todo:
        began = time.perf_counter()
        answer = workspace.ask(question.text)
        known[question.text] = examine_answer(
            answer,
            question,
            resolved,
            partial(lookup_with_derived, workspace.catalogue),
            checks=workspace.pack.answers.checks,
            ms=(time.perf_counter() - began) * 1000,
        )
        if cache is not None:
            written = asdict(known[question.text])
            append_line(cache, {"text": question.text, "written": written})
        progress.advance()
    written = {question.id: known[question.text] for question in questions}
    return AnswerQuality(questions=questions, written=written)


def checker_can_refuse(quality: AnswerQuality) -> Control:
    """With marks that lead to other exhibits the support must fall clearly."""
    checked = [
        answer for answer in quality.answered if answer.shuffled[0] and answer.support is not None
    ]
    facts = sum(answer.shuffled[0] for answer in checked)
    if facts < _FEWEST_FACTS:
        message = f"not checked: {facts} facts are too few"
        return Control(name=CONTROL, passed=True, message=message)
    real = fmean(answer.support or 0.0 for answer in checked)
    wrong = fmean(1 - min(answer.shuffled) / answer.shuffled[0] for answer in checked)
    passed = wrong <= _MOST_LEFT * real
    message = f"support {real:.2f} falls to {wrong:.2f} when citations lead to other exhibits"
    message += "" if passed else f", at most {_MOST_LEFT * real:.2f} is right: it agrees too easily"
    return Control(name=CONTROL, passed=passed, message=message)


def examine_answer(
    answer: types.Answer,
    question: Question,
    resolved: ResolvedLabels,
    lookup: Lookup,
    *,
    checks: Sequence[Check] = (),
    ms: float = 0.0,
) -> WrittenAnswer:
    """The quality of one answer."""
    is_judged = any(judgement.grade > 0 for judgement in question.judgements) or bool(
        question.facts
    )
    written = WrittenAnswer(
        refused=answer.abstained,
        words=len(strip_marks(answer.text).split()),
        ms=round(ms, 3),
        found=False if is_judged else None,
    )
    if answer.abstained:
        return replace(written, suggestions=len(answer.suggestions))
    marks = find_marks(answer.text)
    return replace(
        written,
        support=answer.support,
        facts=answer.facts,
        marks=len(marks),
        resolved=_count_resolving(answer, marks, lookup),
        found=_has_answer(answer, question, resolved) if is_judged else None,
        shuffled=_check_shuffled(answer, checks),
        writer=answer.writer,
    )


def _count_resolving(answer: types.Answer, marks: Sequence[int], lookup: Lookup) -> int:
    """How many marks lead to a passage that exists and has the quoted words."""
    cited = {citation.mark: citation for citation in answer.citations}
    passages = lookup([citation.passage.id for citation in cited.values()])
    return sum(
        mark in cited
        and cited[mark].passage.id in passages
        and _has_quote(cited[mark].quote, passages[cited[mark].passage.id])
        for mark in marks
    )


def _has_quote(quote: str, passage: Passage) -> bool:
    """Whether a passage has all parts of a quotation; `…` marks what was left out."""
    text = letters_of(f"{passage.indexed}\n{passage.text}")
    parts = [letters_of(unescape_markdown(part)) for part in re.split(r"…|\.\.\.|\[…\]", quote)]
    return all(contains(text, part) for part in parts if len(part))


def _has_answer(answer: types.Answer, question: Question, resolved: ResolvedLabels) -> bool:
    """Whether an answer cites a judged passage, or has a judged quotation or fact in its text."""
    cited: list[str] = []
    for citation in answer.citations:
        passage = citation.passage
        is_path = passage.kind == "path"
        parts = edges_on_path(passage, resolved.edges) if is_path else operands_of(passage)
        cited.extend(parts or (passage.id,))
    if resolved.relevant_units(question.id) & set(resolved.order(question.id, cited)):
        return True
    text = unescape_markdown(strip_marks(answer.text))
    letters = letters_of(text)
    quotes = [
        judgement.quote
        for judgement in question.judgements
        if judgement.grade > 0 and judgement.quote
    ]
    if any(contains(letters, letters_of(quote)) for quote in quotes):
        return True
    whole = Passage(id="", collection="", document="", kind="answer", title="", text=text)
    facts = [replace(fact, document="", page=None) for fact in question.facts]
    return bool(facts) and all(states(fact, whole) for fact in facts)


def _check_shuffled(answer: types.Answer, checks: Sequence[Check]) -> tuple[int, int]:
    """Facts and faults of an answer whose every mark leads to another exhibit.

    That exhibit is half the list away, where the subject is another too.
    """
    exhibits = answer.exhibits
    half = len(exhibits) // 2
    if not half:
        return 0, 0
    moved = zip(exhibits, [*exhibits[half:], *exhibits[:half]], strict=True)
    others = {exhibit.mark: replace(other, mark=exhibit.mark) for exhibit, other in moved}
    facts = faults = 0
    for statement in _STATEMENT.findall(answer.text):
        if find_marks(statement):  # headings and the like cite nothing
            verdict = check(Statement(text=statement.strip()), others, checks)
            facts += verdict.facts
            faults += min(verdict.facts, len(verdict.faults))
    return facts, faults
