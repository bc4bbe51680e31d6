"""What becomes of the fused list? Boosts, duplicates, reranking, diversity, guard-rails, a cut.

Each step takes hits and gives hits; none changes its input. What a step does to a score is a
`Change` with a delta, what it does to the order is a `Change` with places, and what it takes
out is a `Loss`: `why` and `why-not` read those.
"""

from consilience.refine.cited import Cited, cite, cited_works
from consilience.refine.duplicates import Copies, dedupe
from consilience.refine.guarantees import (
    Promise,
    guarantee,
    of_identifiers,
    of_kinds,
    promises_of,
)
from consilience.refine.order import cap, cut, diversify
from consilience.refine.scores import agree, boost, rerank
from consilience.refine.steps import Refined

__all__ = [
    "Cited",
    "Copies",
    "Promise",
    "Refined",
    "agree",
    "boost",
    "cap",
    "cite",
    "cited_works",
    "cut",
    "dedupe",
    "diversify",
    "guarantee",
    "of_identifiers",
    "of_kinds",
    "promises_of",
    "rerank",
]
