"""How well do single sources and their fusion rank, on public test collections (BEIR folders)?

Each document is split and indexed as a user's would be; a document stands where its best passage
stands, so it has one vote per source however many of its passages matched. Fusers are run on the
same rankings, untuned.

    python benchmarks/beir.py ../shared/data/ir_scifact ../shared/data/ir_cranfield
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import ir_measures
from ir_measures import Qrel, ScoredDoc, nDCG

from consilience import ingest
from consilience.catalogue import Record
from consilience.fuse import Options, fuse
from consilience.plan import plan
from consilience.retrieve import retrieve
from consilience.settings import build_settings
from consilience.split import split
from consilience.types import Block, Document, Found, Query, Ranking
from consilience.workspace import Workspace, init_workspace, open_workspace

DEPTH, MEASURE = 100, nDCG @ 10
SETTINGS = build_settings(
    {"retrieve.depth": DEPTH, "retrieve.soft_ms": 60_000, "retrieve.hard_ms": 60_000}
)
Homes = Mapping[str, str]


def lines(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def judgements(folder: Path) -> list[Qrel]:
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    return [Qrel(query, document, int(grade)) for query, document, grade in rows[1:]]


def build(folder: Path, workspace: Workspace) -> Homes:
    """Index a collection; which document each passage is of."""
    homes: dict[str, str] = {}
    embedder = workspace.embedder
    for one in lines(folder / "corpus.jsonl"):
        title = one.get("title") or "Untitled"
        document = Document(title=title, kind="document", blocks=(Block(text=one["text"]),))
        passages = split(
            document,
            collection="documents",
            path=one["_id"],
            count=embedder.count,
            limit=embedder.limit,
            target=workspace.settings.passages.target,
        )
        homes.update((passage.id, one["_id"]) for passage in passages)
        workspace.catalogue.store(
            Record(
                path=one["_id"],
                collection="documents",
                sha256="",
                size=0,
                mtime_ns=0,
                loader="beir",
                version=1,
            ),
            passages,
        )
    ingest.bring_up_to_date(workspace._evidence(), ingest.Silent())
    return homes


def by_document(ranking: Ranking, homes: Homes) -> Ranking:
    """The same ranking of documents: each where its best passage stands."""
    first: dict[str, Found] = {}
    for one in ranking.found:
        first.setdefault(homes[one.id], Found(homes[one.id], one.score))
    return Ranking(
        source=ranking.source, collection=ranking.collection, found=tuple(first.values())
    )


async def rankings(text: str, workspace: Workspace, homes: Homes) -> list[Ranking]:
    engine = workspace.engine
    todo = plan(Query(text=text[:4000], limit=10), engine.knowledge)
    found = await retrieve(
        todo, engine.sources, settings=engine.settings.retrieve, breakers=engine.breakers
    )
    return [by_document(ranking, homes) for ranking in found.rankings]


def measure(folder: Path, fusers: Iterable[str]) -> dict[str, float]:
    wanted = judgements(folder)
    asked = {one.query_id for one in wanted if one.relevance > 0}
    runs: dict[str, list[ScoredDoc]] = {}
    with tempfile.TemporaryDirectory() as place:
        init_workspace(Path(place) / "space")
        with open_workspace(Path(place) / "space", settings=SETTINGS) as workspace:
            homes = build(folder, workspace)
            for one in lines(folder / "queries.jsonl"):
                if one["_id"] not in asked:
                    continue
                found = asyncio.run(rankings(one["text"], workspace, homes))
                for name, order in orders(found, fusers).items():
                    runs.setdefault(name, []).extend(
                        ScoredDoc(one["_id"], key, -float(place)) for place, key in enumerate(order)
                    )
    judged = [one for one in wanted if one.query_id in asked]
    return {
        name: round(ir_measures.calc_aggregate([MEASURE], judged, run)[MEASURE], 4)
        for name, run in sorted(runs.items())
    }


def orders(found: list[Ranking], fusers: Iterable[str]) -> dict[str, list[str]]:
    single = {one.source.split("/")[1]: [hit.id for hit in one.found] for one in found}
    fused = {
        method: [key for key, _ in fuse(found, method=method, options=Options()).order]
        for method in fusers
    }
    return {**single, **fused}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--fusers", nargs="+", default=["rrf", "dbsf", "relative"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in options.folders:
        if not (folder / "corpus.jsonl").exists():
            sys.exit(f"{folder} is not here; these numbers need the public collections")
    found = {folder.name: measure(folder, options.fusers) for folder in options.folders}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, values in found.items():
        print(name, "  ".join(f"{key} {value:.4f}" for key, value in values.items()))


if __name__ == "__main__":
    main()
