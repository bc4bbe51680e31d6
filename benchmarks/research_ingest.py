"""Do the open textbooks, the documents of libraries and the papers come in whole?

Adds each folder `research_*` to a workspace of its own through `Workspace.add`, as a person would,
and accounts for every file: read, failed with a reason, without text, or of an ending that nothing
reads. No passage may be longer than the embedder reads. Of the papers it compares title, authors,
year, abstract and references with what a person read (`research_papers.yaml`).

    python benchmarks/research_ingest.py --data ../shared/data --json
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from consilience.evidence.loaders.common import same_heading
from consilience.packs.research.papers import pdf
from consilience.packs.research.papers.entries import read_entry
from consilience.packs.research.papers.works import ENTRY, as_work
from consilience.settings import build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace

LABELS = Path(__file__).with_name("research_papers.yaml")
AT_ONCE = 500  # passages whose length is counted at a time


def take_in(folder: Path, place: Path, *, embed: str, target: int) -> dict[str, Any]:
    """Add a folder to a new workspace: what came of each of its files."""
    init_workspace(place, pack="research")
    chosen = {"pack": "research", "models.embed": embed, "passages.target": target}
    with open_workspace(place, settings=build_settings(chosen)) as workspace:
        started = time.perf_counter()
        done = workspace.add([folder])
        seconds = time.perf_counter() - started
        files = sum(1 for path in folder.rglob("*") if path.is_file())
        empty = [name for name, note in done.notes if note.endswith("holds no text")]
        return {
            "files": files,
            "read": done.read,
            "failed": {Path(name).name: reason for name, reason in done.failed},
            "without_text": sorted(Path(name).name for name in empty),
            "left_out": done.ignored,
            "seconds": round(seconds, 1),
            **account(workspace),
        }


def account(workspace: Workspace) -> dict[str, Any]:
    """What is in the workspace now; passages over the embedder's limit should be none."""
    kinds: Counter[str] = Counter()
    sizes: list[int] = []
    for batch in batches(workspace):
        kinds.update(one.kind for one in batch)
        sizes += workspace.embedder.count([one.indexed for one in batch if one.kind == "document"])
    over = sum(size > workspace.embedder.limit for size in sizes)
    return {
        "passages": dict(kinds),
        "tokens_median": median(sizes) if sizes else 0,
        "passages_over_the_limit": over,
    }


def batches(workspace: Workspace) -> Iterator[list[Passage]]:
    """All passages of a workspace, some at a time."""
    for collection in workspace.catalogue.counts():
        passages = workspace.catalogue.each(collection)
        while batch := list(islice(passages, AT_ONCE)):
            yield batch


def compare(papers: Path, labels: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How many papers say what a person read in them; those that do not are named."""
    right: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {}
    entries = keyed = 0
    for name, label in labels.items():
        read = pdf.load(papers / f"{name}.pdf")
        listed = [read_entry(one.text) for one in read.blocks if one.kind == ENTRY]
        entries += len(listed)
        keyed += sum(1 for one in listed if one.key)
        found = as_work(read)
        authors = found.metadata.get("authors", ())
        told = {
            "title": same_heading(found.title, label["title"]),
            "first_author": isinstance(authors, tuple) and authors[:1] == (label["first"],),
            "all_authors": isinstance(authors, tuple) and len(authors) == label["authors"],
            "year": found.metadata.get("year") == label["year"],
            "abstract": any(one.locator.section == ("Abstract",) for one in found.blocks),
            "references": len(listed) == label["references"],
        }
        right.update(what for what, holds in told.items() if holds)
        if not all(told.values()):
            wrong[name] = [what for what, holds in told.items() if not holds]
    return {
        "papers": len(labels),
        "right": dict(right),
        "wrong": wrong,
        "references": entries,
        "references_expected": sum(label["references"] for label in labels.values()),
        "references_with_author_and_year": keyed,
    }


def run(data: Path, *, embed: str, target: int) -> dict[str, Any]:
    """Take in all folders, one after the other, and look at the papers."""
    folders = sorted(path for path in data.glob("research_*") if path.is_dir())
    if not folders:
        raise SystemExit(f"skipped: no research_* in {data}; name their folder by --data")
    found: dict[str, Any] = {}
    for folder in folders:
        place = Path(tempfile.mkdtemp(prefix="research-ingest-"))
        try:
            found[folder.name] = take_in(folder, place / "space", embed=embed, target=target)
        finally:
            shutil.rmtree(place)
    labels = yaml.safe_load(LABELS.read_text(encoding="utf-8"))
    found["papers"] = compare(data / "research_papers", labels)
    return found


def main() -> None:
    """Measure once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--embed", default="fast", help="the embedder")
    parser.add_argument("--target", type=int, default=240, help="tokens a passage is filled to")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options.data, embed=options.embed, target=options.target)
    if options.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return
    for name, values in found.items():
        print(name)
        for what, value in values.items():
            print(f"{what:>34}: {value}")


if __name__ == "__main__":
    main()
