"""Does public data of places come in whole? Every record of every file is accounted for.

Reads each file of the folders `travel_*` that the travel pack reads, as `add` does, and tells what
came of its records: places, relations, rows, texts, told together with another, or left out for a
reason; and of the relations that records state inside them. It fails where a record is in none of
these, where the loader saw more or fewer records than a plain count finds, or where a file cannot
be read.

    python benchmarks/travel_places.py --data ../shared/data --json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from consilience.errors import LoadError
from consilience.packs.travel.files.documents import read
from consilience.packs.travel.loading import LOADER

SUMS = ("records", "places", "relations", "rows", "texts", "together")


def counted(path: Path) -> int:
    """How many records a file has, counted by the plainest means, apart from the loader."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return sum(1 for line in text.splitlines() if line.strip())
    value = json.loads(text)
    if isinstance(value, list):
        return len(value)
    if value.get("type") == "root":
        return 1 + len(nodes(value, "text", "listing", "template"))
    keyed = all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in value.values()
    )
    return len(value) if keyed else leaves(value)


def nodes(value: Any, *types: str) -> list[Any]:
    """The nodes of some types in a tree of an article."""
    below = [one for child in value["children"] for one in nodes(child, *types)]
    return [*([value] if value["type"] in types else []), *below]


def leaves(value: Any) -> int:
    """How many plain values a nested object has."""
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def account(path: Path) -> dict[str, Any]:
    """What came of the records of a file."""
    started = time.perf_counter()
    try:
        document, tally = read(path)
    except LoadError as error:
        return {"failed": str(error), "unaccounted": 1}
    return {
        "kind": document.kind,
        **{name: getattr(tally, name) for name in SUMS},
        "left_out": dict(tally.left_out),
        "stated": tally.said,
        "stated_kept": tally.kept,
        "stated_left_out": dict(tally.dropped),
        "made": dict(tally.made),
        "passages": dict(Counter(one.kind or document.kind for one in document.blocks)),
        "unaccounted": abs(tally.unaccounted) + abs(counted(path) - tally.records),
        "notes": list(document.notes),
        "seconds": round(time.perf_counter() - started, 1),
    }


def run(data: Path) -> dict[str, Any]:
    """Account for all files of all folders, and sum it up."""
    files = [
        path
        for path in sorted(data.glob("travel_*/**/*"))
        if path.is_file() and path.name.lower().endswith(LOADER.endings)
    ]
    if not files:
        raise SystemExit(f"skipped: no travel_* in {data}; name their folder by --data")
    found = {str(path.relative_to(data)): account(path) for path in files}
    whole: dict[str, Any] = {
        name: sum(one.get(name, 0) for one in found.values())
        for name in (*SUMS, "stated", "stated_kept", "unaccounted")
    }
    reasons: Counter[str] = Counter()
    for one in found.values():
        reasons.update(one.get("left_out", {}))
    whole["left_out"] = dict(reasons)
    return {"files": found, "whole": whole}


def show(found: dict[str, Any]) -> None:
    """Print a line for each file, and the sums."""
    head = ("file", *SUMS, "left out", "unaccounted")
    print(f"{head[0]:<52}" + "".join(f"{name:>12}" for name in head[1:]))
    for name, one in (*found["files"].items(), ("all", found["whole"])):
        if "failed" in one:
            print(f"{name:<52}  {one['failed']}")
            continue
        left = sum(one["left_out"].values())
        numbers = [*(one[part] for part in SUMS), left, one["unaccounted"]]
        print(f"{name:<52}" + "".join(f"{number:>12,}" for number in numbers))
        for why, number in one["left_out"].items():
            print(f"{'':<54}{number:,} left out: {why}")


def main() -> None:
    """Read everything once; exit with 1 where a record is not accounted for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options.data)
    if options.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        show(found)
    sys.exit(1 if found["whole"]["unaccounted"] else 0)


if __name__ == "__main__":
    main()
