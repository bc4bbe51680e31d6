"""The values that move through the engine: frozen, standard library only.

Read in the order in which data moves: a `Document` is what a loader reads, a `Passage` what
can be cited, a `Query` what a person asks, a `Plan` what each source is asked, a `Ranking`
what one source found, a `Hit` a passage with the votes that placed it, a `Result` the answer
list with the `Trace` that explains it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]
Metadata = Mapping[str, Value]

Status = Literal["ok", "empty", "slow", "failed", "skipped"]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "contains")


# --- evidence ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where in its document a passage stands, in terms a person can follow."""

    section: tuple[str, ...] = ()
    page: int | None = None
    table: str | None = None
    row: int | None = None
    node: str | None = None
    game: int | None = None
    ply: int | None = None
    part: int | None = None

    def __str__(self) -> str:
        """`Part I › Lenses, page 12, passage 2`; empty when nothing is known.

        Headings lose the commas, colons and dashes that they end in.
        """
        headings = [name for part in self.section if (name := part.rstrip(" ,;:-–—"))]
        words = [" › ".join(headings)] if headings else []
        for name in ("page", "table", "row", "node", "game", "ply", "part"):
            value = getattr(self, name)
            if value is not None:
                words.append(f"{'passage' if name == 'part' else name} {value}")
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
        heading = " › ".join((self.title, *self.locator.section))
        return f"{heading}\n{self.search or self.text}"

    def value(self, name: str) -> Value | None:
        """A field by the name that filters use: metadata, an attribute, or a locator part.

        Metadata comes first: a table may well have a column called `title` or `id`.
        """
        if name in self.metadata:
            return self.metadata[name]
        if name in ATTRIBUTES:
            return str(getattr(self, name))
        if name in LOCATOR_FIELDS:
            found: Value | None = getattr(self.locator, name)
            return found
        return None


ID_LENGTH = 16  # hexadecimal digits: a number that engines take as it is; 64 bits are enough
LOCATOR_FIELDS = tuple(part.name for part in fields(Locator))
ATTRIBUTES = ("id", "collection", "document", "kind", "title", "text")
FIELDS = (*ATTRIBUTES, *LOCATOR_FIELDS)
"""What filters can name in every passage, whatever its metadata."""


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
    known = sorted((metadata or {}).items())
    content = repr((collection, kind, title, place, text, known))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


# --- what is asked ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on one field of a passage, e.g. `Filter("year", ">=", 1900)`."""

    field: str
    operator: Operator
    value: Scalar

    def __str__(self) -> str:
        return f"{self.field} {self.operator} {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a person asks. Filters are hard: the user typed them."""

    text: str
    limit: int = 10
    filters: tuple[Filter, ...] = ()
    collections: tuple[str, ...] = ()
    expand: bool = True
    rerank: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word or phrase that expansion adds to the question, and why."""

    text: str
    weight: float
    origin: str


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
    filters: tuple[Filter, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a query asks for, and the rule that decided it."""

    query: Query
    intent: str
    rule: str
    asks: tuple[Ask, ...]
    shares: Mapping[str, float] = field(default_factory=dict)
    cover: Mapping[str, int] = field(default_factory=dict)
    terms: tuple[Term, ...] = ()
    boosts: tuple[Boost, ...] = ()
    identifiers: tuple[str, ...] = ()


# --- what is found ----------------------------------------------------------------------


class Found(NamedTuple):
    """A passage as one source ranked it. Higher scores are better, whatever the engine.

    A source whose passages are not in the catalogue (a path made for this question) brings
    the passage along. There are hundreds of these in a search: a tuple is made fastest.
    """

    id: str
    score: float
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What one source found, best first.

    `completed` are its scores of passages that others found and it did not, best first.
    """

    source: str
    collection: str
    found: tuple[Found, ...]
    completed: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How asking one source went. Empty is not failed.

    `left_out` says that the source should have answered and did not: it failed, missed the hard
    deadline, or rests after failing again and again.
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
    vote's `score`.
    """

    source: str
    rank: int | None
    score: float
    weight: float
    contribution: float
    parts: tuple[Vote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a step after fusing did to a hit: `delta` on its score, or a move in the order."""

    step: str
    delta: float = 0.0
    before: int | None = None
    after: int | None = None
    reason: str = ""


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
        votes = (part for vote in self.votes for part in vote.parts or (vote,))
        return frozenset(vote.source for vote in votes if vote.rank is not None)


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know: a source left out, a filter dropped."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The explained answer list; `abstained` when none of it is likely to answer."""

    query: Query
    hits: tuple[Hit, ...]
    notes: tuple[Note, ...]
    trace: Trace
    abstained: bool = False
