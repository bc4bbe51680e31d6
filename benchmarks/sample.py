r"""What does an evaluation of the sample say? The numbers that docs/measuring.md shows.

    python benchmarks/sample.py --json
    python benchmarks/sample.py --answers --json

The sample of the pack `general` with its golden set, built and evaluated from nothing; with
`--answers` every question is answered in writing too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from consilience.measure.evaluation import EvaluationOptions, evaluate
from consilience.measure.golden import read_golden
from consilience.workspace import copy_sample, init_workspace, open_workspace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        sample = copy_sample(home, "general")
        with open_workspace(home) as workspace:
            workspace.add([sample])
            golden = read_golden(home / "golden.yaml")
            wanted = EvaluationOptions(answers=options.answers)
            found = evaluate(workspace, golden, options=wanted).as_json()
    ways = {
        name: way["measures"]["nDCG@10"]["strict"]["mean"] for name, way in found["ways"].items()
    }
    red = [one["name"] for one in found["controls"] if not one["passed"]]
    result = {"ndcg_10": ways, "red": len(red), "refusals": found["ways"]["merged"]["refusals"]}
    if options.answers:
        result["answers"] = found["answers"]
    print(json.dumps(result, indent=2) if options.json else result)


if __name__ == "__main__":
    main()
