"""How long does fusing take? Prints p50 and p95 in milliseconds; `--json` for machines.

    python benchmarks/fuse.py [--json] [--repeat 200]

Rankings are made here from a fixed seed: `disjoint` ones share no passage, `overlapping` ones
draw from a pool one and a half times as long as a ranking. `naive` is reciprocal rank fusion
written the obvious way: a dictionary and one sort with the whole tie rule as its key.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

from consilience.engine.fusion import fuse, fuse_levels
from consilience.engine.fusion_methods import Options
from consilience.types import Found, Ranking

SIZES = ((2, 100), (10, 1000))
SHAPES = ("disjoint", "overlapping")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeat", type=int, default=200)
    arguments = parser.parse_args()
    rows = [
        row(shape, sources, depth, arguments.repeat) for sources, depth in SIZES for shape in SHAPES
    ]
    lines = [line for part in rows for line in part]
    if arguments.json:
        named = {f"{one['rankings']} {one['shape']} {one['fuser']}": one for one in lines}
        print(json.dumps(named, indent=2))
        return
    print(f"{'rankings':<12}{'shape':<13}{'fuser':<12}{'p50 ms':>8}{'p95 ms':>8}")
    for line in lines:
        print(
            f"{line['rankings']:<12}{line['shape']:<13}{line['fuser']:<12}"
            f"{line['p50_ms']:>8.2f}{line['p95_ms']:>8.2f}"
        )


def row(shape: str, sources: int, depth: int, repeat: int) -> list[dict[str, str | float]]:
    rankings = make(shape, sources, depth)
    calls: dict[str, Callable[[], object]] = {
        "rrf": partial(fuse, rankings, method="rrf"),
        "dbsf": partial(fuse, rankings, method="dbsf"),
        "two-level": partial(
            fuse_levels, rankings, method="rrf", across="rrf-share", options=Options()
        ),
        "naive": partial(naive, rankings),
    }
    return [
        {"rankings": f"{sources}x{depth}", "shape": shape, "fuser": name, **measure(call, repeat)}
        for name, call in calls.items()
    ]


def make(shape: str, sources: int, depth: int) -> list[Ranking]:
    """Rankings whose collections pair up the sources: two sources to a collection."""
    chance = random.Random(1)
    pool = [f"{chance.getrandbits(128):032x}" for _ in range(depth * 3 // 2)]
    rankings = []
    for number in range(sources):
        fresh = [f"{chance.getrandbits(128):032x}" for _ in range(depth)]
        ids = fresh if shape == "disjoint" else chance.sample(pool, depth)
        scores = sorted((chance.random() for _ in range(depth)), reverse=True)
        found = tuple(Found(each, score) for each, score in zip(ids, scores, strict=True))
        collection = f"c{number // 2}"
        rankings.append(
            Ranking(source=f"{collection}/s{number}", collection=collection, found=found)
        )
    return rankings


def naive(rankings: Sequence[Ranking]) -> list[tuple[str, float]]:
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, float]] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking.found, start=1):
            scores[found.id] = scores.get(found.id, 0.0) + 1 / (60 + rank)
            place = (rank, -found.score)
            best[found.id] = min(best.get(found.id, place), place)
    return sorted(scores.items(), key=lambda pair: (-round(pair[1], 12), *best[pair[0]], pair[0]))


def measure(call: Callable[[], object], repeat: int) -> dict[str, float]:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(times, n=20)
    return {"p50_ms": round(statistics.median(times), 3), "p95_ms": round(cuts[-1], 3)}


if __name__ == "__main__":
    main()
