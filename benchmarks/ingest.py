"""How long does it take until evidence can be searched, and what does that cost?

Builds a workspace from a file or folder through `Workspace.add`, as a person would, then asks
questions made of words of its passages. Everything it writes is removed at the end.

    python benchmarks/ingest.py ../shared/data/scale_chunks/chunks.jsonl.gz --embed fast --json
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Self

from consilience.protocols import Embedder
from consilience.settings import Settings, build_settings
from consilience.workspace import Workspace, init_workspace, open_workspace

WARM = 20  # questions asked before the clock runs


class Stages:
    """A progress that takes the time of each stage."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._now = ("Looking", time.perf_counter())

    def stage(self, name: str, *, total: int, unit: str) -> None:
        now = time.perf_counter()
        before, since = self._now
        self.seconds[before] += now - since
        self._now = (name, now)

    def advance(self, number: int = 1) -> None:
        pass


class Memory:
    """Watches the memory that is the process's own, without the files that it has mapped.

    The system takes mapped pages back when it needs them, so they bound nothing. Where the
    system does not tell the two apart, the peak is 0.
    """

    def __init__(self) -> None:
        self.peak_mb = 0
        self._status = Path("/proc/self/status")
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while self._status.exists():
            found = re.search(r"RssAnon:\s+(\d+) kB", self._status.read_text())
            self.peak_mb = max(self.peak_mb, int(found[1]) // 1024 if found else 0)
            if self._done.wait(0.2):
                return


def build(
    source: Path, folder: Path, settings: Settings, embedder: Embedder | None
) -> tuple[Workspace, dict[str, object]]:
    init_workspace(folder)
    workspace = open_workspace(folder, settings=settings, embedder=embedder)
    workspace.embedder.embed_query("loading the model is not what is measured")
    stages, started = Stages(), time.perf_counter()
    with Memory() as memory:
        report = workspace.add([source], progress=stages)
    seconds = time.perf_counter() - started
    stages.stage("", total=0, unit="")
    if report.failed or not report.indexed:
        raise SystemExit(f"nothing was built of {source}: {report.failed or 'no text in it'}")
    size = sum(one.stat().st_blocks * 512 for one in folder.rglob("*") if one.is_file())
    return workspace, {
        "passages": report.indexed,
        "seconds": round(seconds, 1),
        "passages_per_s": round(report.indexed / seconds),
        "stages_s": {name: round(spent, 1) for name, spent in stages.seconds.items()},
        "peak_mb": memory.peak_mb,
        "peak_with_mapped_files_mb": resident_mb(),
        "disk_mb": round(size / 1e6),
    }


def resident_mb() -> int:
    """The most memory that this process has had, mapped files among it."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def questions(workspace: Workspace, number: int) -> list[str]:
    """Runs of 3 to 8 words out of passages all over the workspace."""
    chance, found = random.Random(1), []
    for collection in workspace.catalogue.counts():
        for passage in islice(workspace.catalogue.each(collection), number):
            words = re.findall(r"[^\W_]+", passage.text) or [passage.title]
            start = chance.randrange(max(1, len(words) - 8))
            found.append(" ".join(words[start : start + chance.randint(3, 8)]))
    chance.shuffle(found)
    return found[:number]


def ask(workspace: Workspace, texts: Sequence[str]) -> dict[str, object]:
    """The time of each search, the first one apart: it opens what a search needs."""
    started = time.perf_counter()
    workspace.search(texts[0])
    first = time.perf_counter() - started
    for text in texts[:WARM]:
        workspace.search(text)
    whole, dense, left_out = [], [], 0
    for text in texts[WARM:]:
        started = time.perf_counter()
        result = workspace.search(text)
        whole.append((time.perf_counter() - started) * 1000)
        outcomes = result.trace.outcomes
        dense += [one.ms for one in outcomes if one.source.endswith("/dense")]
        left_out += any(one.left_out for one in outcomes)
    return {
        "first_search_ms": round(first * 1000),
        "search_ms": spread(whole),
        "dense_ms": spread(dense),
        "searches_with_a_source_left_out": left_out,
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=20)
    return {"p50": round(statistics.median(values), 1), "p95": round(cuts[18], 1)}


def beginning(source: Path, limit: int, folder: Path) -> Path:
    """The first lines of a file, in a file of their own."""
    if not source.is_file():
        raise SystemExit(f"--limit takes the first lines of a file, and {source} is none")
    target = folder / source.name.removesuffix(".gz")
    opening = gzip.open if source.suffix == ".gz" else open
    with opening(source, "rb") as lines, target.open("wb") as out:
        out.writelines(islice(lines, limit))
    return target


def run(
    source: Path,
    *,
    limit: int = 0,
    settings: Settings,
    number: int = 200,
    embedder: Embedder | None = None,
) -> dict[str, object]:
    if not source.exists():
        raise SystemExit(f"no such file or folder: {source}; name JSON Lines of texts, or a folder")
    place = Path(tempfile.mkdtemp(prefix="ingest-"))
    try:
        chosen = beginning(source, limit, place) if limit else source.absolute()
        workspace, built = build(chosen, place / "space", settings, embedder)
        with workspace:
            asked = ask(workspace, questions(workspace, number + WARM))
        return {**built, **asked}
    finally:
        shutil.rmtree(place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, metavar="FOLDER_OR_FILE")
    parser.add_argument("--limit", type=int, default=0, help="only the first lines of a file")
    parser.add_argument("--embed", default="fast", help="the embedder, by name")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    settings = build_settings({"models.embed": options.embed})
    found = run(options.source, limit=options.limit, settings=settings, number=options.questions)
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        print()
        return
    for name, value in found.items():
        print(f"{name:>32}: {value}")


if __name__ == "__main__":
    main()
