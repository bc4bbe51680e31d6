r"""Which fusion does best, and does trust by question pay? Every fuser on the public collections.

    python benchmarks/fusing.py ../shared/data --embed fine --keep build/collections --json

The sources are asked once a question; every fuser then orders what they said. A document stands
where its best passage stands; nDCG@10 by ir-measures through `consilience.measure`.

- untuned: each fuser at its defaults (k = 60, alpha = 0.5);
- tuned: k of `rrf` and alpha of `convex`, chosen on one half of a collection's questions and
  reported on the other, both ways round, so that every question is reported once;
- `adaptive, left out`: what trust to give is learned on the other collections only;
- `… + late`: reranked as a search does it, at `refine.blend`;
- oracles: the better leg, and the best of 11 alphas, for each question; nobody can have those.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "models"))

import ir_measures
from ir_measures import Qrel, ScoredDoc
from quality import MEASURE, documents, gain, late, settings_of
from train_trust import COLLECTIONS, Case, cases, family, fit, opened
from vendor_fusers import VENDORS

from consilience.engine import Engine, fuse_and_refine
from consilience.engine.fusion import FUSERS, fuse
from consilience.engine.fusion_methods import Fuser, Options
from consilience.engine.trust import TrustModel, trust_model
from consilience.measure.statistics import interval

KS = (1, 5, 10, 20, 40, 60, 100)
ALPHAS = tuple(round(step / 10, 1) for step in range(11))
REPORTED = ("ir_scifact", "ir_cranfield", "ir_cisi", "ir_med", "ir_npl_vaswani")
SEED = 11
Order = list[tuple[str, float]]


class Collection:
    """A collection's questions with what the sources said, and its engine."""

    def __init__(self, folder: Path, part: str, embed: str, keep: Path, most: int) -> None:
        self.name, self.part = folder.name, part
        self.workspace = opened(folder, embed, keep)
        self.homes = {one.id: one.document for one in self.workspace.catalogue.each("documents")}
        self.cases = cases(folder, part, self.workspace, most)

    @property
    def engine(self) -> Engine:
        return self.workspace.engine

    def score(self, orders: Sequence[Order]) -> np.ndarray:
        """NDCG@10 of each question; one without results scores 0."""
        judged = [
            Qrel(case.key, document, grade)
            for case in self.cases
            for document, grade in case.grades.items()
        ]
        run = [
            ScoredDoc(case.key, one, -float(place))
            for case, order in zip(self.cases, orders, strict=True)
            for place, one in enumerate(documents((key for key, _ in order), self.homes)[:100])
        ]
        found = {one.query_id: one.value for one in ir_measures.iter_calc([MEASURE], judged, run)}
        return np.array([found.get(case.key, 0.0) for case in self.cases])


def alone(case: Case, kind: str) -> Order:
    return [
        (one.id, one.score)
        for ranking in case.gathered.found.rankings
        if ranking.source.endswith(f"/{kind}")
        for one in ranking.found
    ]


def fused(case: Case, method: str | Fuser, **options: float) -> Order:
    weights = {ask.vote: ask.weight for ask in case.gathered.plan.asks}
    chosen = Options(weights=weights, **options)
    return list(fuse(case.gathered.found.rankings, method=method, options=chosen).order)


def adaptive(one: Collection, model: TrustModel) -> list[Order]:
    """The fused order of a search with this model of trust."""
    plain = {"refine.mmr": "1", "fusion.method": "adaptive", "models.rerank": "none"}
    settings = settings_of(one.workspace.settings.models.embed, plain)
    engine = replace(one.engine, settings=settings, trust=model, reranker=None)

    async def settled() -> list[Order]:
        return [
            list((await fuse_and_refine(case.gathered, engine)).trace.fused) for case in one.cases
        ]

    return asyncio.run(settled())


def reranked(one: Collection, orders: Sequence[Order]) -> list[Order]:
    async def ask() -> list[Order]:
        return [
            [(key, 0.0) for key in await late(case.text, order[:100], one.engine)]
            for case, order in zip(one.cases, orders, strict=True)
        ]

    return asyncio.run(ask())


def halves(count: int) -> np.ndarray:
    """Which questions are in the first half."""
    first = np.zeros(count, dtype=bool)
    first[np.random.default_rng(SEED).permutation(count)[: count // 2]] = True
    return first


def tuned(table: Mapping[float, np.ndarray]) -> np.ndarray:
    """The values of each half under the setting that is best on the other half."""
    values = np.array(list(table.values()))
    first = halves(values.shape[1])
    best_first, best_second = (values[:, part].mean(axis=1).argmax() for part in (first, ~first))
    return np.where(first, values[best_second], values[best_first])


def measure(one: Collection, left_out: TrustModel) -> dict[str, np.ndarray]:
    """Every way's values by question."""
    legs = {
        kind: one.score([alone(case, kind) for case in one.cases]) for kind in ("bm25", "dense")
    }
    plain = {
        name: one.score([fused(case, fuser) for case in one.cases])
        for name, fuser in {**FUSERS, **VENDORS}.items()
        if name not in ("rrf-share", "interleave", "adaptive")
    }
    ks = {k: one.score([fused(case, "rrf", k=k) for case in one.cases]) for k in KS}
    alphas = {a: one.score([fused(case, "convex", alpha=a) for case in one.cases]) for a in ALPHAS}
    found = adaptive(one, left_out)
    shipped = adaptive(one, trust_model(one.workspace.embedder.name))
    convex = [fused(case, "convex") for case in one.cases]
    return {
        **legs,
        **plain,
        "rrf, tuned": tuned(ks),
        "convex, tuned": tuned(alphas),
        "adaptive, left out": one.score(found),
        "adaptive": one.score(shipped),
        "convex + late": one.score(reranked(one, convex)),
        "adaptive, left out + late": one.score(reranked(one, found)),
        "adaptive + late": one.score(reranked(one, shipped)),
        "oracle: better leg": np.maximum(legs["bm25"], legs["dense"]),
        "oracle: best alpha": np.max(list(alphas.values()), axis=0),
    }


def summary(values: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, object]:
    """Means with intervals by collection, means over the reported ones, and gains."""
    ways = list(next(iter(values.values())))
    table: dict[str, dict[str, object]] = {way: {} for way in ways}
    for name, found in values.items():
        for way in ways:
            one = interval(list(found[way]))
            table[way][name] = {
                "mean": round(one.mean, 4),
                "low": round(one.low, 4),
                "high": round(one.high, 4),
            }
    reported = [f"{name} test" for name in REPORTED if f"{name} test" in values]
    for way in ways:
        means = [values[name][way].mean() for name in reported]
        table[way]["mean"] = round(float(np.mean(means)), 4)
    pairs = (
        ("adaptive, left out", "convex"),
        ("adaptive, left out", "rrf"),
        ("adaptive, left out + late", "convex + late"),
    )
    gains = {
        f"{ours} over {theirs}": gain(
            [dict(enumerate(values[name][ours])) for name in reported],
            [dict(enumerate(values[name][theirs])) for name in reported],
        )
        for ours, theirs in pairs
    }
    return {"ndcg_10": table, "gains": gains}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embed", default="fine")
    parser.add_argument("--keep", type=Path, default=Path("build/collections"))
    parser.add_argument("--most", type=int, default=1500, help="questions of a collection")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.data / "ir_scifact" / "corpus.jsonl").exists():
        sys.exit(f"{options.data} has no collections; these numbers need them")
    values = {}
    every: list[tuple[str, Sequence[Case], Mapping[str, str]]] = []
    for name, part in COLLECTIONS:  # all of them are asked before any is left out
        one = Collection(options.data / name, part, options.embed, options.keep, options.most)
        every.append((name, one.cases, one.homes))
        one.workspace.close()
    for number, (name, part) in enumerate(COLLECTIONS):
        others = [(found, homes) for other, found, homes in every if family(other) != family(name)]
        one = Collection(options.data / name, part, options.embed, options.keep, 0)
        one.cases = list(every[number][1])
        values[f"{name} {part}"] = measure(one, fit(others))
        one.workspace.close()
        print(f"{name} {part}: {len(one.cases)} questions", file=sys.stderr)
    result = summary(values)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    names = list(values)
    print(f"{'':28}", "  ".join(f"{name.removeprefix('ir_'):>16}" for name in names), "mean of 5")
    for way, row in result["ndcg_10"].items():
        cells = "  ".join(f"{row[name]['mean']:16.4f}" for name in names)
        print(f"{way:28}", cells, f"{row['mean']:.4f}")
    for pair, one in result["gains"].items():
        print(pair, json.dumps(one))


if __name__ == "__main__":
    main()
