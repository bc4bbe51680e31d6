"""How do other products fuse? Their arithmetic by name, for users who know it from there.

Each docstring states what the product's own source or documentation does: constant, rank base,
normalisation with its edge cases, weights, missing. Products whose formula takes no weights
get one that multiplies; at weight 1 the arithmetic is theirs. Ties are broken by the rule of
this engine, since several leave them to chance or to the order of arrival. Where a product
lets a contribution fall below 0, it stops at 0 here: being found by one source more must
never hurt.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from consilience.engine.fusion_methods import (
    ADDED,
    NORMALISED,
    SHARE,
    SIDES,
    Ballot,
    Contributions,
    Fuser,
    Options,
    clamped,
    combsum,
    min_max,
    reciprocal,
    rrf,
    scaled,
    shared_reciprocal,
    side_weights,
    three_sigma,
)


def opensearch_min_max(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """OpenSearch, normalisation processor: `min_max`, then the weighted arithmetic mean.

    (w / Σw) · max((s - min) / (max - min), 0.001). One result, or equal scores: 1 each. The
    lowest score becomes 0.001 instead of 0; here whatever is below that is raised to it, so
    that a source's own order holds. The mean is over all sources: missing counts as 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [
        scaled(clamped(min_max(ballot.scores), low=0.001), ballot.weight / total)
        for ballot in ballots
    ]


def opensearch_l2(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """OpenSearch, normalisation processor: `l2`, then the weighted arithmetic mean.

    (w / Σw) · s / √(Σ s²) over what the source found; 0 when all scores are 0. The mean is
    over all sources: missing counts as 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [
        scaled(clamped(_unit_length(ballot.scores)), ballot.weight / total) for ballot in ballots
    ]


def qdrant_rrf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Qdrant, `rrf` fusion as it comes: 1 / (r / w + k - 1) with k = 2, ranks from 1.

    At weight 1 that is 1 / (r + 1): 1/2, 1/3, 1/4. A weight divides the rank; weight 0 adds 0;
    missing adds 0.
    """
    return [shared_reciprocal(ballot, 1.0) for ballot in ballots]


def qdrant_dbsf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Qdrant, `dbsf` fusion: Σ (s - (μ - 3σ)) / 6σ with the sample deviation σ, not clamped.

    One result, or equal scores: 0.5 each. It takes no weights; missing adds 0.
    """
    return [
        scaled(clamped(three_sigma(ballot.scores, flat=0.5)), ballot.weight) for ballot in ballots
    ]


def weaviate_ranked(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Weaviate, `rankedFusion`: α / (60 + r) for vectors, (1 - α) / (60 + r) for keywords.

    Ranks from 0, so the first gets 1/60 of its side's weight. Missing adds 0.
    """
    return [
        scaled(_from_zero(len(ballot.ids), 60.0), weight)
        for ballot, weight in zip(ballots, side_weights(ballots, options.alpha), strict=True)
    ]


def weaviate_relative(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """Weaviate, `relativeScoreFusion`: min-max under α for vectors and 1 - α for keywords.

    Equal scores get the whole weight of their side. Missing adds 0.
    """
    return [
        scaled(min_max(ballot.scores), weight)
        for ballot, weight in zip(ballots, side_weights(ballots, options.alpha), strict=True)
    ]


def llamaindex_rrf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """LlamaIndex, `reciprocal_rerank`: 1 / (60 + r), ranks from 0: the first gets 1/60.

    It takes no weights in this mode; missing adds 0.
    """
    return [scaled(_from_zero(len(ballot.ids), 60.0), ballot.weight) for ballot in ballots]


def llamaindex_relative(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """LlamaIndex, `relative_score`, for one question: (w / Σw) · (s - min) / (max - min).

    Equal scores: 1 each if they are above 0, else 0. Missing adds 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [
        scaled(min_max(ballot.scores, flat=_positive(ballot.scores)), ballot.weight / total)
        for ballot in ballots
    ]


def llamaindex_dist(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """LlamaIndex, `dist_based_score`, for one question: (w / Σw) · (s - (μ - 3σ)) / 6σ.

    σ is the deviation of the population (by n), nothing is clamped. Equal scores: 1 each if
    they are above 0, else 0. Missing adds 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [
        scaled(clamped(_population(ballot, flat=_positive(ballot.scores))), ballot.weight / total)
        for ballot in ballots
    ]


def haystack_rrf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Haystack, `reciprocal_rank_fusion` joiner: (w / Σw) · 61 / (61 + r), ranks from 0.

    That is the paper's formula at k = 60, scaled so that first everywhere scores 1. Missing
    adds 0.
    """
    total = sum(ballot.weight for ballot in ballots)
    return [scaled(reciprocal(ballot, 60.0), 61 / total) for ballot in ballots]


def haystack_dbsf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Haystack, `distribution_based_rank_fusion` joiner: the best of (s - (μ - 3σ)) / 6σ.

    σ is the deviation of the population. Scores are not added: the source that gives the
    highest (the first by name among equals) contributes it, the others 0. Equal scores: 0
    each. It takes no weights.
    """
    values = [scaled(clamped(_population(b, flat=0.0)), b.weight) for b in ballots]
    best: dict[str, tuple[float, int]] = {}
    for number, (ballot, part) in enumerate(zip(ballots, values, strict=True)):
        for key, value in zip(ballot.ids, part, strict=True):
            best[key] = max(best.get(key, (value, number)), (value, number), key=itemgetter(0))
    return [
        [
            value if best[key][1] == number else 0.0
            for key, value in zip(ballot.ids, part, strict=True)
        ]
        for number, (ballot, part) in enumerate(zip(ballots, values, strict=True))
    ]


def txtai(ballots: Sequence[Ballot], options: Options) -> Contributions:
    """txtai, hybrid search over keyword scores it has not normalised: weight / r, ranks from 1.

    The weight is α for vectors and 1 - α for keywords. Its other rule, for keyword scores that
    its own index normalised, needs the average score over that index, which a ranking does
    not carry. Missing adds 0.
    """
    return [
        [weight / rank for rank in range(1, len(ballot.ids) + 1)]
        for ballot, weight in zip(ballots, side_weights(ballots, options.alpha), strict=True)
    ]


def _from_zero(length: int, k: float) -> list[float]:
    return [1 / (k + rank) for rank in range(length)]


def _population(ballot: Ballot, *, flat: float) -> list[float]:
    return three_sigma(ballot.scores, flat=flat, sample=False)


def _positive(scores: Sequence[float]) -> float:
    return 1.0 if max(scores) > 0 else 0.0


def _unit_length(scores: Sequence[float]) -> list[float]:
    norm = sum(score * score for score in scores) ** 0.5
    return [score / norm for score in scores] if norm else [0.0] * len(scores)


VENDORS = (
    # w / (rank_constant + r), ranks from 1; rank_constant is k, 60 by default.
    Fuser(
        "elasticsearch-rrf",
        rrf,
        "Σ w / (k + r)",
        "Elasticsearch, rrf retriever (k is rank_constant)",
    ),
    # Equal scores become 1 each (early versions kept the raw score); weights are not normalised.
    Fuser(
        "elasticsearch-linear",
        combsum,
        "Σ w · minmax(s)",
        "Elasticsearch, linear retriever with minmax",
        uses_scores=True,
    ),
    Fuser(
        "opensearch-minmax",
        opensearch_min_max,
        "Σ (w / Σw) · max(minmax(s), 0.001)",
        "OpenSearch, normalization processor: min_max, arithmetic_mean",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        "opensearch-l2",
        opensearch_l2,
        "Σ (w / Σw) · s / √(Σs²)",
        "OpenSearch, normalization processor: l2, arithmetic_mean",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        "qdrant-rrf",
        qdrant_rrf,
        "Σ 1 / (r / w + 1)",
        "Qdrant, rrf fusion at its k = 2",
        weights=SHARE,
    ),
    Fuser(
        "qdrant-dbsf",
        qdrant_dbsf,
        "Σ (s - (μ - 3σ)) / 6σ, sample σ",
        "Qdrant, dbsf fusion",
        weights=ADDED,
        uses_scores=True,
    ),
    Fuser(
        "weaviate-ranked",
        weaviate_ranked,
        "Σ side / (60 + r)",
        "Weaviate, rankedFusion",
        first_rank=0,
        weights=SIDES,
    ),
    Fuser(
        "weaviate-relative",
        weaviate_relative,
        "Σ side · minmax(s)",
        "Weaviate, relativeScoreFusion",
        weights=SIDES,
        uses_scores=True,
    ),
    Fuser(
        "llamaindex-rrf",
        llamaindex_rrf,
        "Σ 1 / (60 + r)",
        "LlamaIndex, QueryFusionRetriever: reciprocal_rerank",
        first_rank=0,
        weights=ADDED,
    ),
    Fuser(
        "llamaindex-relative",
        llamaindex_relative,
        "Σ (w / Σw) · minmax(s)",
        "LlamaIndex, QueryFusionRetriever: relative_score",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        "llamaindex-dist",
        llamaindex_dist,
        "Σ (w / Σw) · (s - (μ - 3σ)) / 6σ, population σ",
        "LlamaIndex, QueryFusionRetriever: dist_based_score",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        "haystack-rrf",
        haystack_rrf,
        "Σ (w / Σw) · 61 / (61 + r)",
        "Haystack, DocumentJoiner: reciprocal_rank_fusion",
        first_rank=0,
        weights=NORMALISED,
    ),
    Fuser(
        "haystack-dbsf",
        haystack_dbsf,
        "max (s - (μ - 3σ)) / 6σ, population σ",
        "Haystack, DocumentJoiner: distribution_based_rank_fusion",
        weights=ADDED,
        uses_scores=True,
    ),
    Fuser(
        "txtai",
        txtai,
        "Σ side / r",
        "txtai, hybrid search over keyword scores that are not normalised",
        weights=SIDES,
    ),
)
