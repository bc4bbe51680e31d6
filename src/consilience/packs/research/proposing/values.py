"""What is proposed? Concepts and relations that a text may mean, each with the words that say so.

A proposal is a question to a person, never a fact: it has a confidence, a reason, and a quotation
that stands in the passage letter by letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from consilience.packs.research.relations import KINDS, RELATIONS
from consilience.types import Passage

__all__ = [
    "GRAPH",
    "KINDS",
    "NO_PROSE",
    "SYMMETRIC",
    "TYPES",
    "Asked",
    "Concept",
    "Evidence",
    "Proposals",
    "Relation",
    "Text",
    "is_prose",
    "one_line",
    "spread",
    "stands",
]

TYPES = tuple(name for name in RELATIONS if name != "CITES")
"""The relations that a text can say; `CITES` comes from lists of references."""
SYMMETRIC = frozenset(one.name for one in RELATIONS.values() if not one.has_direction)
GRAPH = frozenset(("node", "edge"))
NO_PROSE = GRAPH | {"row", "work", "citation", "path", "table"}
"""Kinds of passages that hold no sentences to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Words of a passage, and where they stand."""

    quote: str
    document: str
    passage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A passage as its sentences, each on one line, under its headings."""

    passage: str
    document: str
    headings: tuple[str, ...]
    sentences: tuple[str, ...]

    def evidence(self, quote: str) -> Evidence:
        """These words of it."""
        return Evidence(quote=quote, document=self.document, passage=self.passage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept that the graph lacks; with `known`, one that it has, which gains `aliases`."""

    name: str
    kind: str
    confidence: float
    why: str
    evidence: Evidence
    aliases: tuple[str, ...] = ()
    definition: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation between two concepts; without a type, a person is asked for it."""

    source: str
    type: str
    target: str
    confidence: float
    why: str
    evidence: Evidence

    @property
    def pair(self) -> frozenset[str]:
        """The two ends, whatever the direction."""
        return frozenset((self.source, self.target))

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two relations the same: some types have no direction."""
        ends = (self.source, self.target)
        first, last = sorted(ends) if self.type in SYMMETRIC or not self.type else ends
        return first, self.type, last


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """All that is proposed, the surest first, and what a person should know of it."""

    concepts: tuple[Concept, ...] = ()
    relations: tuple[Relation, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Asked:
    """What a language model proposed that stood the checks, and why the rest did not."""

    concepts: list[Concept] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def one_line(text: str) -> str:
    """A text with its line breaks turned into spaces."""
    return " ".join(text.split())


def stands(quote: str, text: str) -> bool:
    """Whether words stand in a text letter by letter, wherever its lines break."""
    wanted = one_line(quote)
    return bool(wanted) and wanted in one_line(text)


def is_prose(passage: Passage) -> bool:
    """Whether a passage holds sentences."""
    return passage.kind not in NO_PROSE and bool(passage.text.strip())


def spread(first: Sequence[str], *more: Sequence[str]) -> tuple[str, ...]:
    """Several lists as one, each entry once."""
    return tuple(dict.fromkeys(entry for part in (first, *more) for entry in part))
