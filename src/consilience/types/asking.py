"""What a person asks, and what each source is asked for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from consilience.types.evidence import Scalar

Emphasis = Literal["ideas", "lines"]
"""What an answer puts first: ideas where prose dominates, lines of moves where games do."""
AGAIN = "+again"
"""Behind the name of a source that is asked a second time, of some passages alone."""
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "contains")


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
    """A word or phrase that expansion adds to the question, and why.

    One that `replaces` its origin is asked for instead of it where meaning is compared: a
    position has none. One that `spells` its origin out is what those letters stand for: whoever
    reads the question as a whole reads it with these words.
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
class Topic:
    """A thing that a question is about, by the names it may have, the question's own first.

    Evidence that does not speak of one that `must` be there answers nothing.
    """

    names: tuple[str, ...]
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a query asks for, and the rule that decided it.

    `offers` tell what a name in it may mean, where nothing in it says which of several things.
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
    offers: tuple[str, ...] = ()

    @property
    def spelt_out(self) -> str:
        """The question with its abbreviations spelt out, for whoever reads it as a whole."""
        text = self.query.text
        for term in self.terms:
            if term.spells:
                case = re.NOFLAG if term.origin in text else re.IGNORECASE
                written = rf"(?<!\w){re.escape(term.origin)}(?!\w)"
                text = re.sub(written, term.text.replace("\\", r"\\"), text, flags=case)
        return text
