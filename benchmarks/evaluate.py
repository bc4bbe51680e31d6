r"""How long does an evaluation take, and does it say the same again?

    python benchmarks/evaluate.py ../shared/data/ir_scifact --json

SciFact's training questions on its 5,183 documents, read by `add` as a user would read them: every
source, merged, with and without the reranker, and all controls; then all of it again, from nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from consilience.measure.evaluation import EvaluationOptions, evaluate
from consilience.measure.trec import read_beir
from consilience.workspace import init_workspace, open_workspace

TIMES = ("latency_ms", "ms")


def steady(found: Any) -> Any:
    """What an evaluation says, without its times and what they make: the digest of the file."""
    if isinstance(found, dict):
        kept = {name: value for name, value in found.items() if name not in (*TIMES, "digest")}
        return {name: steady(value) for name, value in kept.items() if "deadline" not in name}
    return [steady(one) for one in found] if isinstance(found, list) else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="train")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.folder / "corpus.jsonl").exists():
        sys.exit(f"{options.folder} is not here; this needs a public collection")
    golden = read_beir(options.folder, options.part)
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        with open_workspace(home) as workspace:
            workspace.add([options.folder / "corpus.jsonl"])
            passages = sum(sum(kinds.values()) for kinds in workspace.catalogue.counts().values())
            started = time.perf_counter()
            first = evaluate(workspace, golden, options=EvaluationOptions(fresh=True)).as_json()
            seconds = time.perf_counter() - started
            again = evaluate(workspace, golden, options=EvaluationOptions(fresh=True)).as_json()
    result = {
        "questions": len(golden.questions),
        "passages": passages,
        "seconds": round(seconds, 1),
        "per_1000": round(seconds / len(golden.questions) * 1000, 1),
        "same": int(steady(first) == steady(again)),
        "ndcg_10": first["ways"]["merged"]["measures"]["nDCG@10"]["strict"]["mean"],
    }
    print(json.dumps(result, indent=2) if options.json else result)


if __name__ == "__main__":
    main()
