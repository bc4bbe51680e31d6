"""How much does a fused, explained search cost over the bare engine legs, and at what size?

Builds workspaces of generated passages (384 dimensions) through the real catalogue and index,
then asks each question both ways in one process, in turns: the two engine legs alone, in two
threads at once, and the whole search. `fused` is planning, asking, completing and fusing;
`explained` adds the look-up of passages, votes, duplicates, diversity, guard-rails and the trace.

    python benchmarks/scale.py --sizes 10000 100000 --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import qdrant_edge as qdrant

from consilience.engine import Engine, search
from consilience.evidence import ingest
from consilience.evidence.catalogue import Record
from consilience.settings import build_settings
from consilience.types import Locator, Passage, Query, passage_id
from consilience.workspace import Workspace, init_workspace, open_workspace

DIMENSIONS, WORDS, LENGTH, TOPICS, DEPTH = 384, 30_000, 60, 200, 50
SETTINGS = build_settings({"retrieve.soft_ms": 60_000, "retrieve.hard_ms": 60_000})


class Generated:
    """A stand-in for a model: a text's vector is its topic's, with noise, and costs nothing."""

    name, dimensions, limit = "generated:1", DIMENSIONS, 512

    def __init__(self) -> None:
        self._topics = np.random.default_rng(1).standard_normal((TOPICS, DIMENSIONS))

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        seeds = [hash_of(text) for text in texts]
        noise = np.random.default_rng(seeds[0] if seeds else 0)
        rows = self._topics[[seed % TOPICS for seed in seeds]]
        rows = rows + noise.standard_normal(rows.shape)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text])[0]


def hash_of(text: str) -> int:
    return int.from_bytes(text.encode()[-12:], "big") % (2**31)


def vocabulary() -> tuple[list[str], list[float]]:
    letters = random.Random(1)
    words = ["".join(letters.choices("bcdfglmnprst", k=3)) + f"{n:x}" for n in range(WORDS)]
    weights = [1 / (rank + 10) for rank in range(WORDS)]
    return words, list(np.cumsum(weights))


def fill(workspace: Workspace, size: int) -> None:
    words, weights = vocabulary()
    chance = random.Random(2)
    for start in range(0, size, 1000):
        passages = []
        for number in range(start, min(start + 1000, size)):
            text = " ".join(chance.choices(words, cum_weights=weights, k=LENGTH))
            where = Locator(row=number)
            key = passage_id("scale", "text", "Generated", where, text)
            passages.append(
                Passage(
                    id=key,
                    collection="scale",
                    document="",
                    kind="text",
                    title="Generated",
                    text=text,
                    locator=where,
                    metadata={"year": 1900 + number % 100},
                )
            )
        record = Record(
            path=f"part{start}",
            collection="scale",
            loader="generated",
            version=1,
        )
        workspace.catalogue.store(record, passages)


def build(folder: Path, size: int) -> tuple[Workspace, dict[str, float]]:
    init_workspace(folder)
    workspace = open_workspace(folder, settings=SETTINGS, embedder=Generated())
    started = time.perf_counter()
    fill(workspace, size)
    stored = time.perf_counter()
    ingest.bring_up_to_date(workspace._evidence(), ingest.Silent())
    done = time.perf_counter()
    size_mb = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6
    return workspace, {
        "store_s": round(stored - started, 1),
        "index_s": round(done - stored, 1),
        "disk_mb": round(size_mb),
    }


def questions(number: int) -> list[str]:
    words, weights = vocabulary()
    chance = random.Random(3)
    return [
        " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(3, 8)))
        for _ in range(number)
    ]


class Legs:
    """The two engine calls and nothing else, in two threads at once."""

    def __init__(self, workspace: Workspace, texts: Sequence[str]) -> None:
        store = workspace.stores.passages("scale")
        self._shard = store._open_shard
        self._words = store.words
        exact = store.count() <= SETTINGS.store.exact
        again = qdrant.QuantizationSearchParams(rescore=True, oversampling=3.0)
        self._params = qdrant.SearchParams(exact=exact, quantization=again)  # as the store asks
        self._vectors = {text: workspace.embedder.embed_query(text).tolist() for text in texts}
        self._pool = ThreadPoolExecutor(2)

    def ask(self, text: str) -> None:
        dense = self._vectors[text]
        jobs = [
            self._pool.submit(self._query, dense, "dense"),
            self._pool.submit(self._query, self._words(text, ()), "bm25"),
        ]
        for job in jobs:
            job.result()

    def _query(self, vector: object, using: str) -> None:
        nearest = qdrant.Query.Nearest(vector, using=using)
        self._shard.query(qdrant.QueryRequest(limit=DEPTH, query=nearest, params=self._params))


async def measure(workspace: Workspace, engine: Engine, texts: Sequence[str]) -> dict[str, object]:
    legs, ours, raw, stages = Legs(workspace, texts), [], [], []
    vectors = engine.sources["scale/dense"]._vectors
    for text in texts:
        await vectors.get(text)  # embedded beforehand on both sides: it is not what is measured
    for text in texts[:50]:
        legs.ask(text)
        await search(Query(text=text), engine)
    for number, text in enumerate(texts[50:]):
        for which in (0, 1) if number % 2 else (1, 0):
            started = time.perf_counter()
            if which:
                legs.ask(text)
            else:
                result = await search(Query(text=text), engine)
                stages.append(result.trace.timing_ms)
            (raw if which else ours).append((time.perf_counter() - started) * 1000)
    parts = ("plan", "retrieve", "complete", "fuse")
    fused = [sum(stage[name] for name in parts) for stage in stages]
    legs_ms = statistics.median(raw)
    return {
        "legs_ms": spread(raw),
        "fused_ms": spread(fused),
        "explained_ms": spread(ours),
        "fused_ratio": round(statistics.median(fused) / legs_ms, 3),
        "explained_ratio": round(statistics.median(ours) / legs_ms, 3),
        "stages_ms": {
            name: round(statistics.median(stage[name] for stage in stages), 3) for name in stages[0]
        },
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=20)
    return {"p50": round(statistics.median(values), 2), "p95": round(cuts[18], 2)}


def plain(workspace: Workspace) -> Engine:
    """The engine with a fuser that compares no passages."""
    engine = workspace.engine
    fusion = replace(engine.settings.fusion, method="convex")
    return replace(engine, settings=replace(engine.settings, fusion=fusion))


def run(size: int, number: int) -> dict[str, object]:
    folder = Path(tempfile.mkdtemp(prefix="scale-"))
    try:
        workspace, built = build(folder / "space", size)
        with workspace:
            found = asyncio.run(measure(workspace, workspace.engine, questions(number + 50)))
            convex = asyncio.run(measure(workspace, plain(workspace), questions(number + 50)))
            found["convex"] = {name: convex[name] for name in ("fused_ms", "fused_ratio")}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {**built, "peak_mb": round(peak), **found}
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {str(size): run(size, options.questions) for size in options.sizes}
    if options.json:
        print(json.dumps({"sizes": found}, indent=2))
        return
    for size, one in found.items():
        print(f"{int(size):>9,} passages: {one}")


if __name__ == "__main__":
    main()
