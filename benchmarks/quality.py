r"""How well do our parts find on public test collections? Each alone, fused, reranked, and whole.

    python benchmarks/quality.py ../shared/data/ir_{scifact,cranfield,cisi,med,npl_vaswani} \
        --embed fast fine --json

Every collection is indexed as a user's files would be: split, catalogued, in the real engines.
A document stands where its best passage stands. nDCG@10 by ir-measures; a question without
results scores 0. `gains` compares two ways on the same questions: the mean difference, its 95 %
interval (bootstrap over questions inside each collection) and the p-value of a paired
randomisation test, of the mean over collections.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG

from consilience.engine import Engine, search
from consilience.engine.complete import complete
from consilience.engine.fusion import fuse
from consilience.engine.fusion_methods import Options
from consilience.engine.plan import plan
from consilience.engine.refine import Refined, rerank
from consilience.engine.retrieve import retrieve
from consilience.evidence import ingest
from consilience.evidence.catalogue import Record
from consilience.evidence.splitter import split
from consilience.protocols import Room
from consilience.settings import Settings, build_settings
from consilience.types import Block, Document, Hit, Query
from consilience.workspace import Workspace, init_workspace, open_workspace

MEASURE = nDCG @ 10
LONGEST = 4000  # characters of a question that are asked
PASSAGES = 30  # asked of the whole search: a document may have several among the first
ROUNDS = 10_000
Homes = Mapping[str, str]
Values = dict[str, dict[str, float]]  # by way, by question


def settings_of(embed: str, changed: Mapping[str, str]) -> Settings:
    waiting = {"retrieve.soft_ms": 60_000, "retrieve.hard_ms": 60_000, "refine.rerank_ms": 60_000}
    models = {"models.embed": embed, "models.rerank": "late", "models.tokens": "keep"}
    return build_settings({**waiting, **models, **changed})


def lines(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def judgements(folder: Path, part: str) -> list[Qrel]:
    with (folder / "qrels" / f"{part}.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    return [Qrel(query, document, int(grade)) for query, document, grade in rows[1:]]


def chosen_on(folder: Path) -> set[str]:
    """The questions of SQuAD that choices were made on: models on 1,500 by a seed (see
    models/dev.py), fusion and blending on the first 1,500 by id.
    """
    texts = {one["_id"]: one["text"] for one in lines(folder / "queries.jsonl")}
    judged = sorted({one.query_id for one in judgements(folder, "test") if one.relevance > 0})
    shuffled = list(judged)
    random.Random(7).shuffle(shuffled)
    return {texts[key] for key in (*judged[:1500], *shuffled[:1500])}


def build(folder: Path, workspace: Workspace) -> None:
    """Index a collection; a document's id is its path."""
    embedder = workspace.embedder
    for one in lines(folder / "corpus.jsonl"):
        document = Document(
            title=one.get("title") or "Untitled",
            kind="document",
            blocks=(Block(text=one["text"] or "."),),
        )
        passages = split(
            document,
            collection="documents",
            path=one["_id"],
            room=Room(
                count=embedder.count,
                limit=embedder.limit,
                target=workspace.settings.passages.target,
            ),
        )
        record = Record(
            path=one["_id"],
            collection="documents",
            loader="collections",
            version=1,
        )
        workspace.catalogue.store(record, passages)
    ingest.bring_up_to_date(workspace._evidence(), ingest.Silent())


def documents(ids: Iterable[str], homes: Homes) -> list[str]:
    return list(dict.fromkeys(homes[key] for key in ids if key in homes))


async def ways(
    text: str, engine: Engine, alphas: Sequence[float], homes: Homes
) -> dict[str, list[str]]:
    """The documents that each way of ranking gives, best first."""
    settings = engine.settings
    todo = plan(Query(text=text, limit=10), engine.knowledge)
    found = await retrieve(
        todo, engine.sources, settings=settings.retrieve, breakers=engine.breakers
    )
    rankings, _ = await complete(todo, found.rankings, engine.sources, deadline_ms=60_000)
    orders = {
        one.source.split("/")[1]: documents((hit.id for hit in one.found), homes)
        for one in found.rankings
    }
    for method in ("rrf", "dbsf"):
        fused = fuse(found.rankings, method=method, options=Options()).order
        orders[method] = documents((key for key, _ in fused), homes)
    for alpha in alphas:
        options = Options(alpha=alpha, weights={ask.vote: ask.weight for ask in todo.asks})
        fused = fuse(rankings, method="convex", options=options).order
        name = "convex" if alpha == settings.fusion.alpha else f"convex {alpha:g}"
        orders[name] = documents((key for key, _ in fused), homes)
        hits = await late(text, fused[:100], engine)
        orders[f"{name} + late"] = documents(hits, homes)
    result = await search(Query(text=text, limit=PASSAGES), engine)
    method = settings.fusion.method
    orders[method] = documents((key for key, _ in result.trace.fused), homes)
    orders[f"{method} + late"] = documents(
        await late(text, result.trace.fused[:100], engine), homes
    )
    orders["search"] = documents((hit.passage.id for hit in result.hits), homes)
    return orders


async def late(text: str, fused: Sequence[tuple[str, float]], engine: Engine) -> list[str]:
    passages = engine.lookup([key for key, _ in fused])
    hits = tuple(Hit(passage=passages[key], score=score) for key, score in fused)
    refine = engine.settings.refine
    done = await rerank(
        Refined(hits=hits),
        text,
        engine.reranker,
        depth=refine.rerank,
        blend=refine.blend,
        timeout_ms=60_000,
    )
    return [hit.passage.id for hit in done.hits]


def measure(folder: Path, embed: str, options: argparse.Namespace, stack: ExitStack) -> Values:
    """NDCG@10 of every question by every way of ranking."""
    judged = [one for one in judgements(folder, options.part) if one.relevance > 0]
    texts = {one["_id"]: one["text"] for one in lines(folder / "queries.jsonl")}
    seen = set().union(*map(chosen_on, options.without))
    asked = [key for key in sorted({one.query_id for one in judged}) if texts[key] not in seen]
    asked = asked[: options.questions or None]
    place = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
    home = place / f"{folder.name}-{embed}"
    fresh = not home.exists()
    if fresh:
        init_workspace(home)
    chosen = dict(pair.split("=", 1) for pair in options.set)
    with open_workspace(home, settings=settings_of(embed, chosen)) as workspace:
        if fresh:
            build(folder, workspace)
        homes = {one.id: one.document for one in workspace.catalogue.each("documents")}
        runs: dict[str, list[ScoredDoc]] = {}
        for key in asked:
            found = asyncio.run(ways(texts[key][:LONGEST], workspace.engine, options.alpha, homes))
            for name, order in found.items():
                runs.setdefault(name, []).extend(
                    ScoredDoc(key, one, -float(place)) for place, one in enumerate(order)
                )
    return {name: by_question(judged, run, asked) for name, run in runs.items()}


def by_question(judged: list[Qrel], run: list[ScoredDoc], asked: list[str]) -> dict[str, float]:
    wanted = set(asked)
    judged = [one for one in judged if one.query_id in wanted]
    found = {one.query_id: one.value for one in ir_measures.iter_calc([MEASURE], judged, run)}
    return {key: found.get(key, 0.0) for key in asked}


def gain(
    ours: Sequence[Mapping[str, float]], theirs: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """The mean over collections of the mean difference, its interval and its p-value."""
    chance = np.random.default_rng(5)
    parts = [
        np.array([one[key] - other[key] for key in one])
        for one, other in zip(ours, theirs, strict=True)
    ]
    mean = float(np.mean([part.mean() for part in parts]))
    again = np.mean([resampled(part, chance) for part in parts], axis=0)
    flipped = np.mean([signs_flipped(part, chance) for part in parts], axis=0)
    low, high = np.quantile(again, [0.025, 0.975])
    extreme = int((np.abs(flipped) >= abs(mean) - 1e-12).sum())
    return {
        "mean": round(mean, 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "p": round((extreme + 1) / (ROUNDS + 1), 4),
    }


def resampled(part: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Means of as many questions drawn with replacement, `ROUNDS` times."""
    size = len(part)
    return np.array([part[chance.integers(0, size, size)].mean() for _ in range(ROUNDS)])


def signs_flipped(part: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Means under the hypothesis that it does not matter which way is which."""
    return np.array([(part * chance.choice((-1, 1), len(part))).mean() for _ in range(ROUNDS)])


def summary(found: Mapping[str, Values], pairs: Sequence[str]) -> dict[str, object]:
    """Means per collection and over all, and the gains that were asked for."""
    names = list(next(iter(found.values())))
    table = {
        name: {
            folder: round(float(np.mean(list(values[name].values()))), 4)
            for folder, values in found.items()
        }
        for name in names
    }
    for name in names:
        table[name]["mean"] = round(float(np.mean(list(table[name].values()))), 4)
    gains = {}
    for pair in pairs:
        ours, theirs = pair.split(" over ")
        if ours in names and theirs in names:
            both = [(values[ours], values[theirs]) for values in found.values()]
            gains[pair] = {
                "all": gain([one for one, _ in both], [other for _, other in both]),
                **{
                    folder: gain([values[ours]], [values[theirs]])
                    for folder, values in found.items()
                },
            }
    return {"ndcg_10": table, "gains": gains}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--embed", nargs="+", default=["fast", "fine"])
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.5])
    parser.add_argument("--part", default="test", help="which judgements: test, or train")
    parser.add_argument("--questions", type=int, default=0, help="ask only the first so many")
    parser.add_argument(
        "--without", type=Path, nargs="*", default=[], help="leave out what choices were made on"
    )
    parser.add_argument("--set", nargs="*", default=[], help="settings, like retrieve.depth=100")
    parser.add_argument("--keep", type=Path, default=None, help="folder to keep workspaces in")
    parser.add_argument("--gains", nargs="*", default=[], help="like 'convex over bm25'")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in options.folders:
        if not (folder / "corpus.jsonl").exists():
            sys.exit(f"{folder} is not here; these numbers need the public collections")
    result = {}
    for embed in options.embed:
        with ExitStack() as stack:
            found = {one.name: measure(one, embed, options, stack) for one in options.folders}
        result[embed] = summary(found, options.gains)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for embed, one in result.items():
        for name, values in one["ndcg_10"].items():
            print(f"{embed:5} {name:18}", "  ".join(f"{value:.4f}" for value in values.values()))
        for pair, gains in one["gains"].items():
            print(embed, pair, json.dumps(gains))


if __name__ == "__main__":
    main()
