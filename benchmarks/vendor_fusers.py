"""How do other products fuse? Their arithmetic under their defaults, to be measured beside ours.

Each follows the source or documentation of its product. Where a product takes no weights, a weight
multiplies. Where a product lets a contribution fall below 0, it stops at 0 here, and ties follow
the rule of this engine: several products leave them to chance. `fuse` takes each as its method.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from consilience.engine.fusion_methods import (
    NORMALISED,
    SHARE,
    SIDES,
    Ballot,
    Contributions,
    Fuser,
    Options,
    clamped,
    min_max,
    normalised_weights,
    rrf_share,
    scaled,
    side_weights,
    three_sigma,
    weighted,
)

ADDED = "multiplies; the product has none"


def haystack_rrf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """The paper's formula at k = 60, scaled so that first everywhere scores 1."""
    total = sum(ballot.weight for ballot in ballots)
    return [
        scaled([ballot.weight / (60 + rank) for rank in range(1, len(ballot.ids) + 1)], 61 / total)
        for ballot in ballots
    ]


def haystack_dbsf(ballots: Sequence[Ballot], _options: Options) -> Contributions:
    """Scores are not added: the source that gives the highest (the first by name among equals)
    contributes it, the others 0.
    """
    values = [
        scaled(clamped(three_sigma(ballot.scores, flat=0.0, sample=False)), ballot.weight)
        for ballot in ballots
    ]
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
    """The rule for keyword scores that are not normalised: side / r.

    The other one needs the average score over an index, which a ranking does not have.
    """
    return [
        [weight / rank for rank in range(1, len(ballot.ids) + 1)]
        for ballot, weight in zip(ballots, side_weights(ballots, options), strict=True)
    ]


def _reciprocal_from_zero(ballot: Ballot, _options: Options) -> list[float]:
    return [1 / (60.0 + rank) for rank in range(len(ballot.ids))]


def _unit_length(ballot: Ballot, _options: Options) -> list[float]:
    norm = sum(score * score for score in ballot.scores) ** 0.5
    return clamped([score / norm if norm else 0.0 for score in ballot.scores])


def _flat(scores: Sequence[float]) -> float:
    """LlamaIndex's value for equal scores: 1 if they are above 0, else 0."""
    return 1.0 if max(scores) > 0 else 0.0


def _min_max(ballot: Ballot, _options: Options) -> list[float]:
    return min_max(ballot.scores)


def _reciprocal(ballot: Ballot, options: Options) -> list[float]:
    return [1 / (options.k + rank) for rank in range(1, len(ballot.ids) + 1)]


_rrf, _combsum = weighted(_reciprocal), weighted(_min_max)
VENDORS = {
    fuser.name: fuser
    for fuser in (
        Fuser(
            "elasticsearch-rrf",
            _rrf,
            "Σ w / (k + r)",
            "Elasticsearch, rrf retriever (k is rank_constant)",
        ),
        # Equal scores become 1 each (early versions kept the raw score).
        Fuser(
            "elasticsearch-linear",
            _combsum,
            "Σ w · minmax(s)",
            "Elasticsearch, linear retriever with minmax",
            uses_scores=True,
        ),
        # The product turns only the lowest score into 0.001. Here whatever is below that is
        # raised to it, so that a source's own order holds.
        Fuser(
            "opensearch-minmax",
            weighted(
                lambda ballot, _: clamped(min_max(ballot.scores), low=0.001), normalised_weights
            ),
            "Σ (w / Σw) · max(minmax(s), 0.001)",
            "OpenSearch, normalization processor: min_max, arithmetic_mean",
            weights=NORMALISED,
            uses_scores=True,
        ),
        Fuser(
            "opensearch-l2",
            weighted(_unit_length, normalised_weights),
            "Σ (w / Σw) · s / √(Σs²)",
            "OpenSearch, normalization processor: l2, arithmetic_mean",
            weights=NORMALISED,
            uses_scores=True,
        ),
        # 1 / (r / w + k - 1) with k = 2: at weight 1 that is 1/2, 1/3, 1/4.
        Fuser(
            "qdrant-rrf",
            lambda ballots, _: rrf_share(ballots, Options(k=1.0)),
            "Σ 1 / (r / w + 1)",
            "Qdrant, rrf fusion at its k = 2",
            weights=SHARE,
        ),
        Fuser(
            "qdrant-dbsf",
            weighted(lambda ballot, _: clamped(three_sigma(ballot.scores, flat=0.5))),
            "Σ (s - (μ - 3σ)) / 6σ, sample σ",
            "Qdrant, dbsf fusion",
            weights=ADDED,
            uses_scores=True,
        ),
        Fuser(
            "weaviate-ranked",
            weighted(_reciprocal_from_zero, side_weights),
            "Σ side / (60 + r)",
            "Weaviate, rankedFusion",
            weights=SIDES,
        ),
        Fuser(
            "weaviate-relative",
            weighted(_min_max, side_weights),
            "Σ side · minmax(s)",
            "Weaviate, relativeScoreFusion",
            weights=SIDES,
            uses_scores=True,
        ),
        Fuser(
            "llamaindex-rrf",
            weighted(_reciprocal_from_zero),
            "Σ 1 / (60 + r)",
            "LlamaIndex, QueryFusionRetriever: reciprocal_rerank",
            weights=ADDED,
        ),
        Fuser(
            "llamaindex-relative",
            weighted(
                lambda ballot, _: min_max(ballot.scores, flat=_flat(ballot.scores)),
                normalised_weights,
            ),
            "Σ (w / Σw) · minmax(s)",
            "LlamaIndex, QueryFusionRetriever: relative_score",
            weights=NORMALISED,
            uses_scores=True,
        ),
        Fuser(
            "llamaindex-dist",
            weighted(
                lambda ballot, _: clamped(
                    three_sigma(ballot.scores, flat=_flat(ballot.scores), sample=False)
                ),
                normalised_weights,
            ),
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
}
