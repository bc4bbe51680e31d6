"""Which fusers are there? One table: settings, docs and tests all read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from consilience.fuse import methods, vendors
from consilience.fuse.ballots import Ballot, Options
from consilience.fuse.methods import Contributions

MULTIPLIES = "multiplies what the source adds"
NORMALISED = "multiplies, normalised so that weights sum to 1"
SHARE = "divides the rank: a share of voice"
SIDES = "α for dense, 1 - α for the rest, times the source's weight"
ADDED = "multiplies; the product has none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuser:
    """A way to fuse: what it computes, where it comes from, what ranks and weights mean.

    One that `completes` adds up scores, and wants every source's score of every passage that any
    of them found; without, a passage that a source did not find gets nothing from it. One that
    `adapts` is told for each question how far to trust each side, and hears neighbours.
    """

    name: str
    contribute: Callable[[Sequence[Ballot], Options], Contributions]
    formula: str
    origin: str
    rank_base: str = "1"
    weights: str = MULTIPLIES
    uses_scores: bool = False
    completes: bool = False
    adapts: bool = False


_METHODS = (
    Fuser(
        name="rrf",
        contribute=methods.rrf,
        formula="Σ w / (k + r)",
        origin="Cormack, Clarke and Büttcher, SIGIR 2009",
    ),
    Fuser(
        name="rrf-share",
        contribute=methods.rrf_share,
        formula="Σ 1 / (k + r / w)",
        origin="reciprocal rank fusion for collections that share no passages",
        weights=SHARE,
    ),
    Fuser(
        name="combsum",
        contribute=methods.combsum,
        formula="Σ w · minmax(s)",
        origin="Fox and Shaw, TREC-2, 1994",
        rank_base="none",
        uses_scores=True,
        completes=True,
    ),
    Fuser(
        name="combmnz",
        contribute=methods.combmnz,
        formula="N(d) · Σ w · minmax(s)",
        origin="Fox and Shaw, TREC-2, 1994",
        rank_base="none",
        uses_scores=True,
    ),
    Fuser(
        name="borda",
        contribute=methods.borda,
        formula="Σ w · ((c + n + 1) / 2 - r)",
        origin="Aslam and Montague, SIGIR 2001",
    ),
    Fuser(
        name="isr",
        contribute=methods.isr,
        formula="N(d) · Σ w / r²",
        origin="Mourão, Martins and Magalhães, 2014",
    ),
    Fuser(
        name="relative",
        contribute=methods.relative,
        formula="Σ (w / Σw) · minmax(s)",
        origin="relative score fusion, common in hybrid search",
        rank_base="none",
        weights=NORMALISED,
        uses_scores=True,
        completes=True,
    ),
    Fuser(
        name="convex",
        contribute=methods.convex,
        formula="α · minmax(dense) + (1 - α) · minmax(others)",
        origin="Bruch, Gai and Ingber, TOIS 2023",
        rank_base="none",
        weights=SIDES,
        uses_scores=True,
        completes=True,
    ),
    Fuser(
        name="adaptive",
        contribute=methods.convex,
        formula="(1 - λ) · (α · minmax(dense) + (1 - α) · minmax(others)) + λ · neighbours",
        origin="`convex` with α and λ by question, and scores shared among neighbours: Diaz, "
        "CIKM 2005",
        rank_base="none",
        weights=SIDES,
        uses_scores=True,
        completes=True,
        adapts=True,
    ),
    Fuser(
        name="dbsf",
        contribute=methods.dbsf,
        formula="Σ w · clamp((s - (μ - 3σ)) / 6σ, 0, 1)",
        origin="Mazzeschi, 2023",
        rank_base="none",
        uses_scores=True,
        completes=True,
    ),
    Fuser(
        name="interleave",
        contribute=methods.interleave,
        formula="1 / place, the t-th turn of a source at t / w",
        origin="round-robin by stride scheduling, Waldspurger and Weihl, 1995",
        weights="places in proportion: a share of voice",
    ),
)

_VENDORS = (
    Fuser(
        name="elasticsearch-rrf",
        contribute=vendors.elasticsearch_rrf,
        formula="Σ w / (k + r)",
        origin="Elasticsearch, rrf retriever (k is rank_constant)",
    ),
    Fuser(
        name="elasticsearch-linear",
        contribute=vendors.elasticsearch_linear,
        formula="Σ w · minmax(s)",
        origin="Elasticsearch, linear retriever with minmax",
        rank_base="none",
        uses_scores=True,
    ),
    Fuser(
        name="opensearch-minmax",
        contribute=vendors.opensearch_min_max,
        formula="Σ (w / Σw) · max(minmax(s), 0.001)",
        origin="OpenSearch, normalization processor: min_max, arithmetic_mean",
        rank_base="none",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        name="opensearch-l2",
        contribute=vendors.opensearch_l2,
        formula="Σ (w / Σw) · s / √(Σs²)",
        origin="OpenSearch, normalization processor: l2, arithmetic_mean",
        rank_base="none",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        name="qdrant-rrf",
        contribute=vendors.qdrant_rrf,
        formula="Σ 1 / (r / w + 1)",
        origin="Qdrant, rrf fusion at its k = 2",
        weights=SHARE,
    ),
    Fuser(
        name="qdrant-dbsf",
        contribute=vendors.qdrant_dbsf,
        formula="Σ (s - (μ - 3σ)) / 6σ, sample σ",
        origin="Qdrant, dbsf fusion",
        rank_base="none",
        weights=ADDED,
        uses_scores=True,
    ),
    Fuser(
        name="weaviate-ranked",
        contribute=vendors.weaviate_ranked,
        formula="Σ side / (60 + r)",
        origin="Weaviate, rankedFusion",
        rank_base="0",
        weights=SIDES,
    ),
    Fuser(
        name="weaviate-relative",
        contribute=vendors.weaviate_relative,
        formula="Σ side · minmax(s)",
        origin="Weaviate, relativeScoreFusion",
        rank_base="none",
        weights=SIDES,
        uses_scores=True,
    ),
    Fuser(
        name="llamaindex-rrf",
        contribute=vendors.llamaindex_rrf,
        formula="Σ 1 / (60 + r)",
        origin="LlamaIndex, QueryFusionRetriever: reciprocal_rerank",
        rank_base="0",
        weights=ADDED,
    ),
    Fuser(
        name="llamaindex-relative",
        contribute=vendors.llamaindex_relative,
        formula="Σ (w / Σw) · minmax(s)",
        origin="LlamaIndex, QueryFusionRetriever: relative_score",
        rank_base="none",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        name="llamaindex-dist",
        contribute=vendors.llamaindex_dist,
        formula="Σ (w / Σw) · (s - (μ - 3σ)) / 6σ, population σ",
        origin="LlamaIndex, QueryFusionRetriever: dist_based_score",
        rank_base="none",
        weights=NORMALISED,
        uses_scores=True,
    ),
    Fuser(
        name="haystack-rrf",
        contribute=vendors.haystack_rrf,
        formula="Σ (w / Σw) · 61 / (61 + r)",
        origin="Haystack, DocumentJoiner: reciprocal_rank_fusion",
        rank_base="0",
        weights=NORMALISED,
    ),
    Fuser(
        name="haystack-dbsf",
        contribute=vendors.haystack_dbsf,
        formula="max (s - (μ - 3σ)) / 6σ, population σ",
        origin="Haystack, DocumentJoiner: distribution_based_rank_fusion",
        rank_base="none",
        weights=ADDED,
        uses_scores=True,
    ),
    Fuser(
        name="txtai",
        contribute=vendors.txtai,
        formula="Σ side / r",
        origin="txtai, hybrid search over keyword scores that are not normalised",
        weights=SIDES,
    ),
)

FUSERS: Mapping[str, Fuser] = {fuser.name: fuser for fuser in (*_METHODS, *_VENDORS)}
