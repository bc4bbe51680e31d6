"""What is a measurement made of? Questions with judgements, runs, and the judgements' places.

Read in the order in which data moves: a `Golden` set holds `Question`s whose `Judgement`s point
at text; `resolve` finds that text among the passages of a workspace (`Resolved`); a `Run` is
what one `Way` of searching gave; `Resolved.order` says what each place of it is worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from consilience.types import Locator, Metadata

Units = Mapping[str, tuple[str, ...]]
"""By passage id: the judgements that a passage meets."""
Scores = Mapping[str, Mapping[str, float]]
"""By measure (`nDCG@10`), by question: a value."""
Edges = Mapping[tuple[str, str, str], str]
"""By source, relation and target: the passage of an edge."""

DEPTH = 100
"""How many places of a ranking are kept for measuring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A place in the corpus, and how well it answers: 3 fully, 2 well, 1 in part, 0 not at all.

    `document` is a file's path as `consilience show` gives it, or the end of it. `locator` has
    the parts that are known (page, section, row …), `fields` metadata that the passage has, and
    `quote` words that stand there. With `document` alone the whole document is meant.
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
    """A question with what answers it. `pool` names the methods whose finds a person judged."""

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
    """A set of questions. `fingerprint` is that of the corpus it was made on, if known.

    `by` says what is judged: the `passage` (text, wherever it is cut), the whole `document`, or
    a field (`_id`) that names the record a passage belongs to, as in the public collections.
    """

    name: str
    questions: tuple[Question, ...]
    fingerprint: str = ""
    by: str = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A golden set with its judgements found among the passages of a workspace.

    A unit is one judgement (or, in a set `by` document, one document). `grades` are the units'
    grades by question. `strict` gives, by question, the passages that hold a judged text;
    `lenient` those of the same document and place (page, section, row) as well. `homes` gives
    the unit of every passage in a set by document or field, and is empty in a set by passage.
    `edges` are those of the corpus: a path is judged by the edges that it walks.
    """

    golden: Golden
    grades: Mapping[str, Mapping[str, int]]
    strict: Mapping[str, Units]
    lenient: Mapping[str, Units]
    homes: Mapping[str, str] = field(default_factory=dict)
    edges: Edges = field(default_factory=dict)

    def order(self, question: str, passages: Iterable[str], *, strict: bool = True) -> list[str]:
        """A ranking of passages as a ranking of units, each where it is first met.

        A passage that meets several judgements stands for the best of those not met above it;
        one that meets none stands for itself; one whose judgements are all met above it is left
        out, so that splitting a text more finely neither gains nor loses.
        """
        met = (self.strict if strict else self.lenient).get(question, {})
        grades = self.grades.get(question, {})
        order: dict[str, None] = {}
        for one in passages:
            if self.homes:
                order.setdefault(self.homes.get(one, one))
                continue
            units = met.get(one)
            if units is None:
                order.setdefault(one)
                continue
            fresh = [unit for unit in units if unit not in order]
            if fresh:
                order.setdefault(max(fresh, key=lambda unit: (grades.get(unit, 0), unit)))
        return list(order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of searching: a single source, one collection, all merged, or another system's."""

    name: str
    kind: Literal["source", "collection", "merged", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one question got: passages best first, at most `DEPTH`, and how long it took.

    `refused` says that the engine itself held the evidence too weak; `relevances` are the
    calibrated ones of the first passages, place by place, None where one has none.
    """

    question: str
    passages: tuple[str, ...]
    scores: tuple[float, ...]
    ms: float = 0.0
    refused: bool = False
    relevances: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one way gave to every question asked, by question."""

    way: Way
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something that must come out as expected in an honest measurement, and whether it did."""

    name: str
    passed: bool
    told: str


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


def judged(questions: Sequence[Question]) -> list[Question]:
    """The questions that can be scored by rank: those with a judgement above 0."""
    return [one for one in questions if any(each.grade > 0 for each in one.judgements)]
