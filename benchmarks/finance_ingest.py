"""How long does a report of 300 pages take until it can be asked, and does all of it come in?

Joins pages of real filings to one PDF, makes a workspace of the finance pack with its usual
settings, and adds the PDF through `Workspace.add`, as a person would. No passage may be longer
than the embedder reads. Everything written is removed at the end.

    python benchmarks/finance_ingest.py --data ../shared/data/finance_filings --pages 300 --json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pypdfium2
from ingest import Memory, Stages, resident_mb

from consilience.packs.finance.tables.encoding import loaded
from consilience.settings import build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace

AT_ONCE = 500  # passages whose length is counted at a time


def join_pages(filings: list[Path], wanted: int, target: Path) -> int:
    """Write so many pages of the filings, one filing after the other; how many there were."""
    whole = pypdfium2.PdfDocument.new()
    for path in filings:
        one = pypdfium2.PdfDocument(path)
        some = min(wanted - len(whole), len(one))
        whole.import_pages(one, list(range(some)))
        one.close()
        if len(whole) == wanted:
            break
    whole.save(target)
    return len(whole)


def take_in(report: Path, folder: Path, embed: str) -> dict[str, object]:
    """Add a report to a new workspace: how long each stage took, and what came of it."""
    init_workspace(folder, pack="finance")
    chosen = {"pack": "finance", **({"models.embed": embed} if embed else {})}
    with open_workspace(folder, settings=build_settings(chosen)) as workspace:
        workspace.embedder.embed_query("loading the model is not what is measured")
        stages, started, worked = Stages(), time.perf_counter(), time.process_time()
        with Memory() as memory:
            done = workspace.add([report], progress=stages)
        seconds = time.perf_counter() - started
        stages.stage("", total=0, unit="")
        if done.failed:
            raise SystemExit(f"it could not be read: {done.failed[0][1]}")
        return {
            "seconds": round(seconds, 1),
            "processor_seconds": round(time.process_time() - worked, 1),
            "stages_s": {name: round(spent, 1) for name, spent in stages.seconds.items()},
            "passages_per_s": round(done.indexed / seconds),
            "peak_mb": memory.peak_mb,
            "peak_with_mapped_files_mb": resident_mb(),
            **account(workspace),
            "notes": [note for _, note in done.notes],
        }


def account(workspace: Workspace) -> dict[str, object]:
    """What is in the workspace now; passages over the embedder's limit should be none."""
    kinds: Counter[str] = Counter()
    pages, tables = set(), set()
    numbers, over = 0, 0
    for batch in batches(workspace):
        counts = workspace.embedder.count([one.indexed for one in batch])
        over += sum(count > workspace.embedder.limit for count in counts)
        for one in batch:
            kinds[one.kind] += 1
            pages.add(one.locator.page)
            if one.kind == "row":
                tables.add(one.locator.table)
                numbers += len(loaded(str(one.metadata.get("cells", "[]"))))
    return {
        "pages_with_passages": len(pages),
        "tables": len(tables),
        "numbers": numbers,
        "passages": dict(kinds),
        "passages_over_the_limit": over,
    }


def batches(workspace: Workspace) -> Iterator[list[Passage]]:
    """All passages of a workspace, some at a time."""
    for collection in workspace.catalogue.counts():
        passages = workspace.catalogue.each(collection)
        while batch := list(islice(passages, AT_ONCE)):
            yield batch


def run(data: Path, pages: int, embed: str) -> dict[str, object]:
    """Make the report, take it in, and tell how that went."""
    filings = sorted(data.glob("*.pdf"))
    if not filings:
        raise SystemExit(f"skipped: no PDF in {data}; name the folder of filings by --data")
    place = Path(tempfile.mkdtemp(prefix="finance-ingest-"))
    try:
        report = place / "report.pdf"
        count = join_pages(filings, pages, report)
        size = round(report.stat().st_size / 1e6, 1)
        busy = round(os.getloadavg()[0], 1)
        found = take_in(report, place / "space", embed)
        return {"pages": count, "file_mb": size, "busy_before": busy, **found}
    finally:
        shutil.rmtree(place)


def main() -> None:
    """Measure once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/finance_filings"))
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--embed", default="", help="an embedder other than the usual one")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options.data, options.pages, options.embed)
    if options.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return
    for name, value in found.items():
        print(f"{name:>26}: {value}")


if __name__ == "__main__":
    main()
