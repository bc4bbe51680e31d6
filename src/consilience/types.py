"""The values that move through the engine: frozen, standard library only.

Read in the order in which data moves: a `Document` is what a loader reads, a `Passage` what can be
cited, a `Query` what a person asks, a `Plan` what each source is asked, a `Ranking` what one source
found, a `Hit` a passage with the votes that placed it, a `Result` the list of hits with the `Trace`
that explains it, an `Answer` the text written from them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, get_args

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]
Metadata = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where in its document a passage is, in terms a person can follow.

    `extra` are parts that only some kinds have, as pairs of name and value. The first names the
    whole that the passage is a piece of: the number of a game, before the number of a move.
    """

    section: tuple[str, ...] = ()
    page: int | None = None
    table: str | None = None
    row: int | None = None
    node: str | None = None
    part: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()

    def get(self, name: str) -> Value | None:
        """A part by its name; None where it is unknown."""
        if name in LOCATOR_FIELDS:
            value: Value | None = getattr(self, name)
            return value
        return dict(self.extra).get(name)

    def number(self, name: str) -> int | None:
        """A part that is a number, such as that of a game; None where it is unknown."""
        value = self.get(name)
        return value if isinstance(value, int) else None

    def parts(self) -> dict[str, Value]:
        """The parts that are known, by name."""
        named = {name: getattr(self, name) for name in LOCATOR_FIELDS}
        known = {name: value for name, value in named.items() if value}
        return {**known, **dict(self.extra)}

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> Locator:
        """The locator with these parts; a name that is no field goes to `extra`."""
        known = {name: value for name, value in parts.items() if value is not None}
        named = {name: known.pop(name) for name in LOCATOR_FIELDS if name in known}
        return cls(
            **{**named, "section": tuple(named.get("section", ()))}, extra=tuple(known.items())
        )

    def __str__(self) -> str:
        """`Part I › Lenses, page 12, passage 2`; empty when nothing is known.

        Headings lose the commas, colons and dashes that they end in.
        """
        headings = [name for part in self.section if (name := part.rstrip(" ,;:-–—"))]
        words = [" › ".join(headings)] if headings else []
        named = [(name, getattr(self, name)) for name in ("page", "table", "row", "node")]
        for name, value in (*named, *self.extra, ("passage", self.part)):
            if value is not None:
                words.append(f"{name} {value}")
        return ", ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a document as its author made it: a paragraph, a heading's text, a row.

    A `whole` block (a row, a node) is never merged with its neighbours. `search` replaces the
    text for indexing only, where what is printed and what is looked for differ.
    """

    text: str
    locator: Locator = field(default_factory=Locator)
    kind: str | None = None
    whole: bool = False
    metadata: Metadata = field(default_factory=dict)
    search: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as a loader read it: its title, kind and blocks in reading order.

    `notes` are what the user should know of the reading: pages with no text, rows skipped.
    """

    title: str
    kind: str
    blocks: tuple[Block, ...]
    metadata: Metadata = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What can be cited. It knows nothing of any search."""

    id: str
    collection: str
    document: str
    kind: str
    title: str
    text: str
    locator: Locator = field(default_factory=Locator)
    metadata: Metadata = field(default_factory=dict)
    search: str = ""

    @property
    def indexed(self) -> str:
        """The text that engines index: title and section give a short passage its context."""
        return indexed(self.title, self.locator.section, self.search or self.text)

    def value(self, name: str) -> Value | None:
        """A field by the name that filters use: metadata, an attribute, or a locator part.

        Metadata comes first: a table may well have a column called `title` or `id`.
        """
        if name in self.metadata:
            return self.metadata[name]
        if name in ATTRIBUTES:
            return str(getattr(self, name))
        return self.locator.get(name)

    @property
    def source_document(self) -> tuple[str, str]:
        """What it is a passage of: its file or, in a file of many texts, the one with its `id`."""
        key = "" if self.kind == "row" else self.metadata.get("id", self.metadata.get("_id", ""))
        return self.document, str(key)


ID_LENGTH = 16  # hexadecimal digits: a number that engines take as it is; 64 bits are enough
LOCATOR_FIELDS = tuple(part.name for part in fields(Locator) if part.name != "extra")
ATTRIBUTES = ("id", "collection", "document", "kind", "title", "text")
FIELDS = (*ATTRIBUTES, *LOCATOR_FIELDS)
"""What filters can name in every passage, whatever its metadata."""


def indexed(title: str, section: tuple[str, ...], text: str) -> str:
    """A text under the headings it stands under, as engines index it."""
    return f"{' › '.join((title, *section))}\n{text}"


def identified(passage: Passage) -> Passage:
    """The passage under the id that follows from what it holds."""
    key = passage_id(
        passage.collection,
        passage.kind,
        passage.title,
        passage.locator,
        passage.text,
        passage.metadata,
    )
    return passage if key == passage.id else replace(passage, id=key)


def passage_id(
    collection: str,
    kind: str,
    title: str,
    locator: Locator,
    text: str,
    metadata: Metadata | None = None,
) -> str:
    """An id from content and locator: the same file read again gives the same ids.

    `part` counts the pieces of a section, so it is left out: a paragraph inserted above must
    not rename everything below it.
    """
    place = [getattr(locator, name) for name in LOCATOR_FIELDS if name != "part"]
    extra = [value for _, value in locator.extra]
    place += [*extra, None, None][: max(2, len(extra))]  # keeps old ids
    known = sorted((metadata or {}).items())
    content = repr((collection, kind, title, place, text, known))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


# --- what a person asks, and what each source is asked -----------------------------------


Emphasis = Literal["ideas", "lines"]
"""What an answer puts first: `ideas`, or `lines` that the evidence lists step by step."""
AGAIN = "+again"
"""Behind the name of a source that is asked a second time, of some passages alone."""
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "contains")


class Signal(StrEnum):
    """What a source ranks passages by. A source says so in its attribute `signal`; for one that
    does not, the last part of its name decides (`of_name`).
    """

    MEANING = "meaning"
    WORDS = "words"
    ROWS = "rows"
    NODES = "nodes"
    PATHS = "paths"
    IDENTIFIERS = "identifiers"
    OTHER = "other"

    @property
    def reads_text(self) -> bool:
        """Whether the words of a question are enough to ask such a source."""
        return self in (Signal.MEANING, Signal.WORDS)

    @property
    def is_exact(self) -> bool:
        """Whether such a source looks names and values up, so that its scores count criteria."""
        return self in (Signal.ROWS, Signal.NODES, Signal.PATHS, Signal.IDENTIFIERS)

    @classmethod
    def of_name(cls, name: str) -> Signal:
        """The signal by convention of a source or vote: MEANING of `books/dense+terms`."""
        kind = name.rpartition("/")[2].partition("+")[0]
        if kind in SIGNAL_NAMES:
            return SIGNAL_NAMES[kind]
        return cls.MEANING if kind.startswith("dense") or kind.endswith("dense") else cls.OTHER


SIGNAL_NAMES: Mapping[str, Signal] = {
    "dense": Signal.MEANING,
    "bm25": Signal.WORDS,
    "sql": Signal.ROWS,
    "graph": Signal.NODES,
    "paths": Signal.PATHS,
    "position": Signal.IDENTIFIERS,
}
"""The last part of a source's name, by convention; weights in the settings use these names."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on one field of a passage, e.g. `Filter("year", ">=", 1900)`."""

    field: str
    operator: Operator
    value: Scalar

    def __str__(self) -> str:
        return f"{self.field} {self.operator} {self.value}"


@dataclass(frozen=True, slots=True)
class Combined:
    """Conditions joined: all of the parts hold (`and`), any (`or`), or not its only one (`not`).

    `not` also holds for a passage that does not have the field.
    """

    join: Literal["and", "or", "not"]
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        if self.join == "not":
            return f"not ({self.parts[0]})"
        return f" {self.join} ".join(
            f"({part})" if isinstance(part, Combined) else str(part) for part in self.parts
        )


Condition: TypeAlias = "Filter | Combined"
"""What `parse_filter` makes of a text: one condition, or several that are joined."""
PASSAGES_PER_DOCUMENT = 4
Per = Literal["passage", "document"]
"""What `limit` counts: passages, or documents by their best passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was asked before, as it was understood, and the answer where it is known."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a person asks. Filters are hard: the user typed them.

    A written answer completes a question that leans on its `history`, oldest first.
    The hits are those from place `offset` + 1 on. With `per` document, each document comes once, by
    its best passage. `alpha` takes the place of the setting `fusion.alpha`.
    """

    text: str
    limit: int = 10
    filters: tuple[Condition, ...] = ()
    collections: tuple[str, ...] = ()
    expand: bool = True
    rerank: bool = True
    offset: int = 0
    per: Per = "passage"
    alpha: float | None = None
    history: tuple[Turn, ...] = ()

    @property
    def places(self) -> int:
        """How many places are filled: those left out and those shown."""
        return self.offset + self.limit

    @property
    def depth(self) -> int:
        """How many passages that takes: of one document there are often several."""
        return self.places * (PASSAGES_PER_DOCUMENT if self.per == "document" else 1)


class QueryOptions(TypedDict, total=False):
    """How a question is searched: the fields of `Query` beside its text. Filters may be texts."""

    limit: int
    filters: Sequence[Condition | str]
    collections: Sequence[str]
    expand: bool
    rerank: bool
    offset: int
    per: Per
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word or phrase that expansion adds to the question, and why.

    One that `replaces` its origin is searched for instead of it where meaning is compared (a
    position has no meaning as text). One that `spells` its origin out is what an abbreviation
    stands for; models read the question with it.
    """

    text: str
    weight: float
    origin: str
    replaces: bool = False
    spells: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Boost:
    """A soft preference: passages that match gain `factor` of their score, none is dropped."""

    condition: Filter
    factor: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one source is asked. A source uses the parts it understands.

    `terms` are weighted expansions for a source of words; `criteria` are conditions that a
    source of rows counts (more met is better); `seeds` are nodes named in the question and
    `intents` the relations it speaks of, for a source of paths; `filters` bind every source.
    """

    text: str
    terms: tuple[Term, ...] = ()
    criteria: tuple[Filter, ...] = ()
    seeds: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    filters: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One line of a plan: which source is asked what, how deep, with which weight.

    `vote` names the ranking it gives; it differs from `source` when a source votes twice, as
    the dense source does for an expanded question. With `skip` the source is not asked.
    """

    source: str
    collection: str
    vote: str
    request: Request
    depth: int
    weight: float = 1.0
    skip: str = ""
    signal: Signal | None = None

    @property
    def ranks_by(self) -> Signal:
        """What the source ranks by; by its name if it does not say."""
        return self.signal or Signal.of_name(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A thing that a question is about, by its possible names, the question's own first.

    Evidence that does not mention one that `must` be there answers nothing.
    """

    names: tuple[str, ...]
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a query asks for, and the rule that decided it.

    `offers` list the meanings of an ambiguous name in it.
    """

    query: Query
    intent: str
    rule: str
    asks: tuple[Ask, ...]
    shares: Mapping[str, float] = field(default_factory=dict)
    cover: Mapping[str, int] = field(default_factory=dict)
    terms: tuple[Term, ...] = ()
    boosts: tuple[Boost, ...] = ()
    identifiers: tuple[str, ...] = ()
    emphasis: Emphasis | None = None
    exact: bool = False
    absent: tuple[str, ...] = ()
    window: int = 1
    topics: tuple[Topic, ...] = ()
    reranks: bool = True
    damps: bool = True
    offers: tuple[str, ...] = ()

    @property
    def spelt_out(self) -> str:
        """The question with its abbreviations spelt out, for models that read it as a whole."""
        text = self.query.text
        for term in self.terms:
            if term.spells:
                case = re.NOFLAG if term.origin in text else re.IGNORECASE
                written = rf"(?<!\w){re.escape(term.origin)}(?!\w)"
                text = re.sub(written, term.text.replace("\\", r"\\"), text, flags=case)
        return text


# --- what is found -----------------------------------------------------------------------


Status = Literal["ok", "empty", "slow", "failed", "skipped"]


class Found(NamedTuple):
    """A passage as one source ranked it. Higher scores are better, whatever the engine.

    A source whose passages are not in the catalogue (a path made for this question) brings
    the passage along. There are hundreds of these in a search: a tuple is made fastest.
    """

    id: str
    score: float
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalDetails:
    """How a source came to what it found.

    `query` is what its engine was asked, and `steps` are what a person should know of it (another
    period was used, a condition was dropped). `missing` is what the question names and the source
    does not have: then what was found is near the question and does not answer it. `named` is all
    that the question names. `sure` are the ids that match all of it, best first; they have a
    guaranteed place. `cells` are the columns of those rows that answer, as passage and column.
    `reasons` say by id why a passage was found, such as the path to it.
    """

    query: str = ""
    steps: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()
    cells: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()

    def details(self) -> dict[str, Any]:
        """These fields alone, by name."""
        return {part.name: getattr(self, part.name) for part in fields(RetrievalDetails)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReply(RetrievalDetails):
    """What a source found, best first, and how it came to it."""

    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What one source found, best first.

    `completed` are its scores of passages that others found and it did not, best first.
    """

    source: str
    collection: str
    found: tuple[Found, ...]
    completed: tuple[Found, ...] = ()
    signal: Signal | None = None

    @property
    def ranks_by(self) -> Signal:
        """What the source ranks by; by its name if it does not say."""
        return self.signal or Signal.of_name(self.source)

    @property
    def is_repeated(self) -> bool:
        """Whether it is a second vote of its source: `books/dense+terms`."""
        return "+" in self.source.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(RetrievalDetails):
    """How asking one source went. Empty is not failed.

    With `left_out` the source should have answered and did not: it failed, missed the hard
    deadline, or rests after repeated failures.
    """

    source: str
    status: Status
    ms: float
    count: int = 0
    reason: str = ""
    left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """The arithmetic behind a fused score: `contribution` is what this source added to it.

    Ranks count from 1; None is a source that did not find the passage among those it was asked
    for, and was asked for its score afterwards. `score` is the source's own, never overwritten.
    Across collections a vote has `parts`: the votes inside the collection whose sum is that
    vote's `score`. `because` is what the source says of why it found the passage.
    """

    source: str
    rank: int | None
    score: float
    weight: float
    contribution: float
    parts: tuple[Vote, ...] = ()
    because: str = ""
    signal: Signal | None = None

    @property
    def ranks_by(self) -> Signal:
        """What the source ranks by; by its name if it does not say."""
        return self.signal or Signal.of_name(self.source)

    @property
    def is_repeated(self) -> bool:
        """Whether it is a second vote of its source: `books/dense+terms`."""
        return "+" in self.source.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a step after fusing did to a hit: `delta` on its score, or a move in the order.

    `score` is what a reranker itself gave the passage, as it gave it.
    """

    step: str
    delta: float = 0.0
    before: int | None = None
    after: int | None = None
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with the votes that placed it and what was done to it since.

    The contributions of the votes and the deltas of the changes add up to `score`. `relevance`
    in [0, 1] is how likely it answers the question, by calibration; None where there is none.
    """

    passage: Passage
    score: float
    votes: tuple[Vote, ...] = ()
    changes: tuple[Change, ...] = ()
    merged: tuple[str, ...] = ()
    relevance: float | None = None

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources that found it."""
        return frozenset(vote.source for vote in self._found())

    @property
    def best_rank(self) -> int | None:
        """The best rank that a source gave it; None where none of them found it."""
        return min((vote.rank for vote in self._found() if vote.rank is not None), default=None)

    def _found(self) -> list[Vote]:
        votes = (part for vote in self.votes for part in vote.parts or (vote,))
        return [vote for vote in votes if vote.rank is not None]


MISSING = "missing"
"""The origin of a note that says what no evidence here has."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know: a source was left out, a filter dropped."""

    origin: str
    message: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far each side was trusted in a collection for this question, 1 in all, and why."""

    collection: str
    meaning: float
    words: float
    neighbours: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A passage that a step took out of the list: into which other one, or past which place."""

    id: str
    step: str
    reason: str
    into: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What each stage did: all that `why` and `why-not` know, and nothing that was not used."""

    plan: Plan
    rankings: tuple[Ranking, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    trusts: Mapping[str, Trust] = field(default_factory=dict)
    fused: tuple[tuple[str, float], ...] = ()
    losses: tuple[Loss, ...] = ()
    timing_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def sure(self) -> tuple[str, ...]:
        """The ids of what sources are sure of, best first."""
        return tuple(dict.fromkeys(key for outcome in self.outcomes for key in outcome.sure))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The explained list of hits; `abstained` when none of it is likely to answer.

    `answerable` in [0, 1] is the chance that anything found answers the question, by calibration;
    None where only the relevances of the hits are known. `more` are the hits past the limit, in
    their order, as far as they were refined.
    """

    query: Query
    hits: tuple[Hit, ...]
    notes: tuple[Note, ...]
    trace: Trace
    abstained: bool = False
    answerable: float | None = None
    more: tuple[Hit, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:  # a result without hits is one all the same
        return True

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The sources that should have answered and did not, each with the reason."""
        return tuple(f"{o.source}: {o.reason}" for o in self.trace.outcomes if o.left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One step of a chain: from one thing to the next, along a relation that a passage states.

    Without `forward` the relation runs the other way, from the next thing to this one.
    """

    start: str
    relation: str
    end: str
    passage: Passage
    forward: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """How two things connect, step by step; `passage` states all of it and can be cited."""

    links: tuple[Link, ...]
    score: float
    passage: Passage


# --- what is answered --------------------------------------------------------------------


Length = Literal["concise", "balanced", "in-depth"]
LENGTHS: tuple[Length, ...] = get_args(Length)
Form = Literal["heading", "prose", "table", "lines", "path"]
Action = Literal["removed", "marked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A passage as a writer sees it: by its mark and label, with as much text as fits.

    `label` is `Book - "Title", chapter › section`, without number and brackets. `text` is the
    passage's text made harmless: what looks like a mark or a label of ours is none.
    """

    mark: int
    passage: Passage
    label: str
    text: str
    relevance: float | None = None

    @property
    def introduced(self) -> str:
        """`[Source 3: Book - "Title", chapter › section]`."""
        return f"[Source {self.mark}: {self.label}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something in a statement that what it cites does not support, and what was done.

    `check` names what looked: mark, citation, number, date, name, quotation, code, move, path, or
    a pack's own.
    `value` is what was not found, as the statement spells it.
    """

    check: str
    value: str
    told: str
    action: Action = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The outcome of checking a statement: how many facts were looked for, and which failed."""

    facts: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence, a heading, or a block such as a table, of an answer, in Markdown.

    Its text cites exhibits as `[3]`. `quotes` are the words of an exhibit that it rests on, by
    mark, where the writer knows them. With `opens` a new paragraph begins. `within` are the
    exhibits that its section rests on: what it does not cite itself may be found in those.
    """

    text: str
    form: Form = "prose"
    opens: bool = False
    quotes: Mapping[int, str] = field(default_factory=dict)
    within: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of an outline: what it is about and which exhibits it rests on."""

    heading: str
    marks: tuple[int, ...]
    point: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The plan of an answer: the answer in a sentence or two, where known, then its sections."""

    sections: tuple[Section, ...]
    opening: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a mark of an answer leads, with the words that it rests on."""

    mark: int
    passage: Passage
    label: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something to look at beside the text: `kind` says what (`board`), `data` holds it (a FEN).

    It stands where the text says `[DIAGRAM 2]`, and shows what the exhibit of `mark` holds.
    `steps` are what leads there, one after the other, each by its name and its own data.
    """

    kind: str
    mark: int
    data: str
    caption: str
    number: int = 0
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a language model: for which stage, how long, how many tokens, what cost."""

    stage: str
    ms: float
    asked: int = 0
    written: int = 0
    cost: float | None = None
    retries: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a language model was given, for those who want to read it."""

    stage: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Another question that was tried and found evidence, and how it differs from the first."""

    text: str
    reason: str
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A written answer with all that it rests on.

    `support` is the share of checked facts that the cited passages support, before anything was
    removed; None where nothing was there to check. `writer` is `extractive` or a model's name.
    """

    text: str
    citations: tuple[Citation, ...]
    result: Result
    faults: tuple[Fault, ...] = ()
    support: float | None = None
    facts: int = 0
    abstained: bool = False
    suggestions: tuple[Suggestion, ...] = ()
    writer: str = "extractive"
    length: Length = "balanced"
    emphasis: Emphasis = "ideas"
    exhibits: tuple[Exhibit, ...] = ()
    figures: tuple[Figure, ...] = ()
    outline: Outline | None = None
    prompts: tuple[Prompt, ...] = ()
    calls: tuple[Call, ...] = ()
    notes: tuple[Note, ...] = ()
    timing_ms: Mapping[str, float] = field(default_factory=dict)


# --- while it is written ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """The search is done: what was found, and the evidence that the answer will rest on."""

    result: Result
    exhibits: tuple[Exhibit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A few letters as a model writes them, not yet checked.

    A mark comes whole and alone, with the citation it leads to, None if it leads nowhere.
    """

    text: str
    citation: Citation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A checked statement as it is in the answer: `text` begins with what separates it from the
    one before. What failed is in `faults`; a removed statement has no text.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    faults: tuple[Fault, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The model failed: what was said so far is withdrawn, and the answer starts again."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The whole answer. Its text is that of the `Said` events since the last
    `Withdrawn`, one after the other.
    """

    answer: Answer


Event = Searched | Drafted | Said | Withdrawn | Done
