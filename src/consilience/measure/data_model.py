"""What is a measurement made of? Questions with judgements, runs, and comparisons.

In the order of the data flow: a `Golden` set holds `Question`s whose `Judgement`s point at text.
`resolve` finds that text among the passages of a workspace (`ResolvedLabels`). A `Run` is what one
`Way` of searching returned, and `ResolvedLabels.order` turns it into a ranking of judged units.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from consilience.types import Locator, Metadata

Units = Mapping[str, tuple[str, ...]]
"""By passage id: the judgements that a passage matches."""
Scores = Mapping[str, Mapping[str, float]]
"""By measure (`nDCG@10`), by question: a value."""
Edges = Mapping[tuple[str, str, str], str]
"""By source, relation and target: the passage of an edge."""

DEPTH = 100
"""Places of a ranking that are kept for measuring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A place in the corpus, and how well it answers: 3 fully, 2 well, 1 in part, 0 not at all.

    `document` is a file's path as `consilience show` gives it, or the end of it. `locator` has
    the parts that are known (page, section, row …), `fields` metadata of the passage, and `quote`
    words from it. With `document` alone any passage of the document counts.
    """

    document: str
    grade: int = 1
    locator: Locator = field(default_factory=Locator)
    fields: Metadata = field(default_factory=dict)
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A value that a right answer states: `1,234.5` of unit `EUR/t`, in a document, on a page."""

    value: str
    unit: str = ""
    document: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its labels. `pool` names the methods whose results a person judged."""

    id: str
    text: str
    category: str = ""
    language: str = "en"
    judgements: tuple[Judgement, ...] = ()
    facts: tuple[Fact, ...] = ()
    unanswerable: bool = False
    pool: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """A set of questions. `fingerprint` is that of the corpus it was written for, if known.

    `by` says what is judged: the `passage` (text, wherever it is cut), the whole `document`, or
    a field (`_id`) that names the record a passage belongs to, as in the public collections.
    """

    name: str
    questions: tuple[Question, ...]
    fingerprint: str = ""
    by: str = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedLabels:
    """A golden set with its judgements found among the passages of a workspace.

    A unit is one judgement (or, in a set `by` document, one document). `grades` are the units'
    grades by question. `strict` gives, by question, the passages that contain a judged text;
    `lenient` those of the same document and place (page, section, row) as well. `homes` gives
    the unit of every passage in a set by document or field, and is empty in a set by passage.
    `edges` are the edges of the corpus: a path is judged by the edges on it.
    """

    golden: Golden
    grades: Mapping[str, Mapping[str, int]]
    strict: Mapping[str, Units]
    lenient: Mapping[str, Units]
    homes: Mapping[str, str] = field(default_factory=dict)
    edges: Edges = field(default_factory=dict)

    def order(self, question: str, passages: Iterable[str], *, strict: bool = True) -> list[str]:
        """A ranking of passages as a ranking of units, each at its first place.

        A passage that matches several judgements counts as the best that no passage above matches;
        one that matches none counts as itself; one whose judgements are all matched above is left
        out, so that splitting a text more finely neither gains nor loses.
        """
        matches = (self.strict if strict else self.lenient).get(question, {})
        grades = self.grades.get(question, {})
        order: dict[str, None] = {}
        for passage in passages:
            if self.homes:
                order.setdefault(self.homes.get(passage, passage))
                continue
            units = matches.get(passage)
            if units is None:
                order.setdefault(passage)
                continue
            fresh = [unit for unit in units if unit not in order]
            if fresh:
                order.setdefault(max(fresh, key=lambda unit: (grades.get(unit, 0), unit)))
        return list(order)

    def relevant_units(self, question: str) -> set[str]:
        """The units of a question with a grade above 0."""
        return {unit for unit, grade in self.grades.get(question, {}).items() if grade > 0}

    def grade_of(self, question: str, passage: str) -> int:
        """The best grade of the judgements that a passage matches strictly; 0 for none."""
        grades = self.grades.get(question, {})
        if self.homes:
            return grades.get(self.homes.get(passage, passage), 0)
        units = self.strict.get(question, {}).get(passage, ())
        return max((grades.get(unit, 0) for unit in units), default=0)

    def restricted_to(self, questions: Sequence[Question]) -> ResolvedLabels:
        """The same labels for some of the questions."""
        return replace(
            self,
            golden=replace(self.golden, questions=tuple(questions)),
            grades={question.id: self.grades[question.id] for question in questions},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of searching: a single source, one collection, all merged, or another system's."""

    name: str
    kind: Literal["source", "collection", "merged", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The passages returned for a question, best first, at most `DEPTH`, and the time it took.

    `refused` says that the engine itself found the evidence too weak; `relevances` are the
    calibrated relevances of the first passages, None where a passage has none.
    """

    question: str
    passages: tuple[str, ...]
    scores: tuple[float, ...]
    ms: float = 0.0
    refused: bool = False
    relevances: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The answers of one way of searching, by question."""

    way: Way
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A check that an honest measurement passes, whether it passed, and the explanation."""

    name: str
    passed: bool
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean with its 95 % interval over questions."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One way against another on the same questions: mean gain, its interval, p, corrected p."""

    ours: str
    theirs: str
    measure: str
    gain: Interval
    p: float
    p_corrected: float


def judged_questions(questions: Iterable[Question]) -> list[Question]:
    """The questions that can be scored by rank: those with a judgement above 0."""
    return [
        question
        for question in questions
        if any(judgement.grade > 0 for judgement in question.judgements)
    ]
