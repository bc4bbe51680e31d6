"""Which collections have something to say to this question? Shares follow the best similarity.

Across collections ranks say nothing of relevance: every collection has a first place. What does
compare is similarity of meaning, since one model made all vectors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import pstdev

from consilience.fuse.methods import is_dense
from consilience.types import Ranking


def lean(
    rankings: Sequence[Ranking], shares: Mapping[str, float], *, width: float
) -> dict[str, float]:
    """Shares of voice that fall with the distance of a collection's best from the best of all.

    share(c) · exp((best(c) - best) / (width · σ)), where best(c) is the highest similarity found
    in c, best the highest of all, and σ the standard deviation of all similarities found. A
    collection without a source of meaning keeps its share, and so does one that alone has any
    of the question's words: a rare name says more than a model knows. A width of 0 changes
    nothing. A second vote (`books/dense+terms`) is not looked at: its question is another one.
    """
    asked = [one for one in rankings if is_dense(one.source) and "+" not in one.source]
    found = [one for one in asked if one.found]
    spread = pstdev([hit.score for one in found for hit in one.found]) if found else 0.0
    if not width or not spread:
        return dict(shares)
    best: dict[str, float] = {}
    for one in found:
        highest = max(hit.score for hit in one.found)
        best[one.collection] = max(highest, best.get(one.collection, highest))
    top = max(best.values())
    alone = _alone(rankings)
    return {
        name: share
        if name == alone
        else share * math.exp((best.get(name, top) - top) / (width * spread))
        for name, share in shares.items()
    }


def _alone(rankings: Sequence[Ranking]) -> str:
    """The only collection in which words were found; empty when there are several or none."""
    having = {one.collection for one in rankings if one.source.endswith("/bm25") and one.found}
    return having.pop() if len(having) == 1 else ""
