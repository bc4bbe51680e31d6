"""What does a search need, and what have the sources said to a question?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consilience.plan import Knowledge
from consilience.protocols import Embedder, Generator, Likeness, Lookup, Reranker, Retriever
from consilience.refine import Cited
from consilience.relevance import Calibration
from consilience.retrieve import Breakers, Retrieved
from consilience.settings import Settings
from consilience.trust import TrustModel, trust_model
from consilience.types import Hit, Passage, Plan

Phrases = Callable[[str, int], Sequence[Passage]]
Names = Callable[[Sequence[str]], Sequence[str]]
Reorder = Callable[[Sequence[Hit], Plan], Sequence[Hit]]


def _no_phrases(phrase: str, limit: int) -> Sequence[Passage]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What a search needs: sources by name, the passages behind ids, and what planning knows.

    `phrases` gives at most so many passages that may have the words of a phrase in order, and
    `cited` how documents stand that others cite, worked out when it is first asked for. An
    answer is written by `generator` where there is one; `embedder` helps to choose sentences, and
    `names` gives names of the evidence that begin like some words, for how they are spelt.
    """

    sources: Mapping[str, Retriever]
    lookup: Lookup
    knowledge: Knowledge
    settings: Settings
    reranker: Reranker | None = None
    breakers: Breakers = field(default_factory=Breakers)
    phrases: Phrases = _no_phrases
    trust: TrustModel = field(default_factory=lambda: trust_model(""))
    learned: Reorder | None = None
    calibration: Calibration | None = None
    generator: Generator | None = None
    embedder: Embedder | None = None
    names: Names = lambda words: ()
    cited: Callable[[], Mapping[str, Cited]] = dict
    pieces: Callable[[Passage], Sequence[Passage]] = lambda passage: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What the sources said to a question, before any of it is fused."""

    plan: Plan
    found: Retrieved
    likeness: Mapping[str, Likeness] = field(default_factory=dict)
    timing_ms: Mapping[str, float] = field(default_factory=dict)
