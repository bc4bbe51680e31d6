"""The products' arithmetic by hand, and Qdrant's against Qdrant itself."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
import qdrant_edge as edge

from consilience.engine.fusion import fuse
from consilience.engine.fusion_methods import Options
from consilience.types import Found, Ranking

PATH = Path(__file__).parents[2] / "benchmarks" / "vendor_fusers.py"
SPEC = importlib.util.spec_from_file_location("vendor_fusers", PATH)
assert SPEC is not None
assert SPEC.loader is not None
vendor_fusers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(vendor_fusers)
VENDORS = vendor_fusers.VENDORS


def ranking(source: str, **scores: float) -> Ranking:
    found = tuple(Found(each, score) for each, score in scores.items())
    return Ranking(source=source, collection="books", found=found)


BM25 = ranking("bm25", a=9, b=5, c=1)
DENSE = ranking("dense", b=0.9, d=0.5, a=0.1)
ONE = ranking("one", a=-2)
FLAT = ranking("flat", a=3, b=3)

# 9, 5, 1 (and 0.9, 0.5, 0.1 alike) on μ ± 3σ: σ = 4 as a sample, √(32/3) as a population.
SAMPLE = (16 / 24, 12 / 24, 8 / 24)
POPULATION = tuple(0.5 + step / (6 * (32 / 3) ** 0.5) for step in (4, 0, -4))

CASES: dict[str, dict[str, float]] = {
    "elasticsearch-rrf": {"a": 1 / 61 + 1 / 63, "b": 1 / 62 + 1 / 61, "c": 1 / 63, "d": 1 / 62},
    "elasticsearch-linear": {"a": 1, "b": 0.5 + 1, "c": 0, "d": 0.5},
    "opensearch-minmax": {
        "a": (1 + 0.001) / 2,
        "b": (0.5 + 1) / 2,
        "c": 0.001 / 2,
        "d": 0.5 / 2,
    },
    "opensearch-l2": {
        "a": (9 / 107**0.5 + 0.1 / 1.07**0.5) / 2,
        "b": (5 / 107**0.5 + 0.9 / 1.07**0.5) / 2,
        "c": 1 / 107**0.5 / 2,
        "d": 0.5 / 1.07**0.5 / 2,
    },
    "qdrant-rrf": {"a": 1 / 2 + 1 / 4, "b": 1 / 3 + 1 / 2, "c": 1 / 4, "d": 1 / 3},
    "qdrant-dbsf": {
        "a": SAMPLE[0] + SAMPLE[2],
        "b": SAMPLE[1] + SAMPLE[0],
        "c": SAMPLE[2],
        "d": SAMPLE[1],
    },
    "weaviate-ranked": {
        "a": 0.5 / 60 + 0.5 / 62,
        "b": 0.5 / 61 + 0.5 / 60,
        "c": 0.5 / 62,
        "d": 0.5 / 61,
    },
    "weaviate-relative": {"a": 0.5, "b": 0.25 + 0.5, "c": 0, "d": 0.25},
    "llamaindex-rrf": {"a": 1 / 60 + 1 / 62, "b": 1 / 61 + 1 / 60, "c": 1 / 62, "d": 1 / 61},
    "llamaindex-relative": {"a": 0.5, "b": 0.25 + 0.5, "c": 0, "d": 0.25},
    "llamaindex-dist": {
        "a": (POPULATION[0] + POPULATION[2]) / 2,
        "b": (POPULATION[1] + POPULATION[0]) / 2,
        "c": POPULATION[2] / 2,
        "d": POPULATION[1] / 2,
    },
    "haystack-rrf": {
        "a": (61 / 61 + 61 / 63) / 2,
        "b": (61 / 62 + 61 / 61) / 2,
        "c": 61 / 63 / 2,
        "d": 61 / 62 / 2,
    },
    "haystack-dbsf": {
        "a": POPULATION[0],
        "b": POPULATION[0],
        "c": POPULATION[2],
        "d": POPULATION[1],
    },
    "txtai": {"a": 0.5 + 0.5 / 3, "b": 0.5 / 2 + 0.5, "c": 0.5 / 3, "d": 0.5 / 2},
}


@pytest.mark.parametrize("method", CASES)
def test_two_sources_by_hand(method: str) -> None:
    assert dict(fuse([BM25, DENSE], method=VENDORS[method]).order) == pytest.approx(
        CASES[method], abs=1e-12
    )


@pytest.mark.parametrize(
    ("method", "one", "flat"),
    [
        ("elasticsearch-linear", 1, 1),
        ("opensearch-minmax", 1, 1),
        ("opensearch-l2", 0, 3 / 18**0.5),
        ("qdrant-dbsf", 0.5, 0.5),
        ("weaviate-relative", 1, 1),
        ("llamaindex-relative", 0, 1),
        ("llamaindex-dist", 0, 1),
        ("haystack-dbsf", 0, 0),
    ],
)
def test_one_result_and_equal_scores(method: str, one: float, flat: float) -> None:
    assert [score for _, score in fuse([ONE], method=VENDORS[method]).order] == pytest.approx([one])
    assert [score for _, score in fuse([FLAT], method=VENDORS[method]).order] == pytest.approx(
        [flat] * 2
    )


def test_every_product_is_tested() -> None:
    assert set(CASES) == set(VENDORS)


def test_one_result_is_kept_when_its_product_scores_it_zero() -> None:
    fused = fuse([ONE], method=VENDORS["haystack-dbsf"])
    assert fused.heard == 1


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("elasticsearch-rrf", 3 / 61 + 1 / 63),
        ("elasticsearch-linear", 3),
        ("opensearch-minmax", 0.75 * 1 + 0.25 * 0.001),
        ("qdrant-rrf", 1 / (1 / 3 + 1) + 1 / 4),
        ("llamaindex-rrf", 3 / 60 + 1 / 62),
        ("llamaindex-relative", 0.75),
        ("haystack-rrf", 0.75 * 61 / 61 + 0.25 * 61 / 63),
        ("haystack-dbsf", 3 * POPULATION[0]),
    ],
)
def test_a_weight_of_three(method: str, expected: float) -> None:
    fused = fuse([BM25, DENSE], method=VENDORS[method], options=Options(weights={"bm25": 3}))
    assert dict(fused.order)["a"] == pytest.approx(expected)


@pytest.mark.parametrize("method", ["weaviate-ranked", "weaviate-relative", "txtai"])
def test_alpha_is_the_weight_of_vectors(method: str) -> None:
    firsts = dict(fuse([BM25, DENSE], method=VENDORS[method], options=Options(alpha=0.75)).order)
    half = dict(fuse([BM25, DENSE], method=VENDORS[method], options=Options(alpha=0.5)).order)
    assert firsts["d"] == pytest.approx(half["d"] * 1.5)
    assert firsts["c"] == pytest.approx(half["c"] * 0.5)


def test_elasticsearch_obeys_its_rank_constant_and_the_fixed_ones_do_not() -> None:
    options = Options(k=20)
    assert fuse([ONE], method=VENDORS["elasticsearch-rrf"], options=options).order == (
        ("a", 1 / 21),
    )
    assert fuse([ONE], method=VENDORS["qdrant-rrf"], options=options).order == (("a", 1 / 2),)
    assert fuse([ONE], method=VENDORS["llamaindex-rrf"], options=options).order == (("a", 1 / 60),)


# --- Qdrant itself ----------------------------------------------------------------------

LEFT = {1: 0.9, 2: 0.8, 3: 0.75, 4: 0.3, 5: 0.2}
RIGHT = {6: 12.0, 3: 7.5, 1: 7.0, 7: 2.25}


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[edge.EdgeShard]:
    """Points of one dimension whose dot product with 1 is the score wanted."""
    folder: Path = tmp_path_factory.mktemp("shard")
    line = edge.EdgeVectorParams(size=1, distance=edge.Distance.Dot)
    shard = edge.EdgeShard.create(
        str(folder), edge.EdgeConfig(vectors={"left": line, "right": line})
    )
    points = [
        edge.Point(
            number,
            {
                name: [scores[number]]
                for name, scores in (("left", LEFT), ("right", RIGHT))
                if number in scores
            },
        )
        for number in sorted({*LEFT, *RIGHT})
    ]
    shard.update(edge.UpdateOperation.upsert_points(points))
    yield shard
    shard.close()


def engine(shard: edge.EdgeShard, fusion: edge.Fusion.Rrf | edge.Fusion.Dbsf) -> dict[str, float]:
    legs = [
        edge.Prefetch(limit=10, query=edge.Query.Nearest([1.0], using=name))
        for name in ("left", "right")
    ]
    request = edge.QueryRequest(limit=20, prefetches=legs, query=fusion)  # type: ignore[arg-type]
    points = shard.query(request)
    return {str(point.id): point.score for point in points}


def ours(method: str, **weights: float) -> dict[str, float]:
    rankings = [
        Ranking(source=name, collection="c", found=tuple(Found(str(i), s) for i, s in legs.items()))
        for name, legs in (("left", LEFT), ("right", RIGHT))
    ]
    return dict(fuse(rankings, method=VENDORS[method], options=Options(weights=weights)).order)


def test_qdrant_rrf_is_what_qdrant_computes(shard: edge.EdgeShard) -> None:
    assert ours("qdrant-rrf") == pytest.approx(engine(shard, edge.Fusion.Rrf(k=2)), abs=1e-6)


@pytest.mark.parametrize("weights", [(3.0, 1.0), (0.5, 2.0), (1.0, 0.0)])
def test_qdrant_rrf_weighs_as_qdrant_does(
    shard: edge.EdgeShard, weights: tuple[float, float]
) -> None:
    theirs = engine(shard, edge.Fusion.Rrf(k=2, weights=list(weights)))
    assert ours("qdrant-rrf", left=weights[0], right=weights[1]) == pytest.approx(theirs, abs=1e-6)


def test_qdrant_dbsf_is_what_qdrant_computes(shard: edge.EdgeShard) -> None:
    assert ours("qdrant-dbsf") == pytest.approx(engine(shard, edge.Fusion.Dbsf()), abs=1e-6)
