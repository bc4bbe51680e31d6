r"""Does tuning find what helps, and refuse what does not? On Cranfield, from two settings.

    python benchmarks/tuning.py ../shared/data/ir_cranfield --json

From the settings as they come nothing better should be shown, and from `fusion.alpha = 1`, meaning
alone, the way back should be found. Gains are those on questions that nothing was chosen on.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from consilience.measure.runs import patient_settings
from consilience.measure.trec import read_beir
from consilience.measure.tuning import prepare_tuning, tune
from consilience.settings import build_settings
from consilience.workspace import init_workspace, open_workspace

STARTS = {"as it comes": {}, "meaning alone": {"fusion.alpha": 1.0}}


def gain(report: dict[str, object]) -> dict[str, object]:
    """What the tuned settings gain over those that it started from."""
    return next(one for one in report["comparisons"] if one["theirs"] == "current")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.folder / "corpus.jsonl").exists():
        sys.exit(f"{options.folder} is not here; this needs a public collection")
    golden = read_beir(options.folder)
    result = {}
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        with open_workspace(home) as workspace:
            workspace.add([options.folder / "corpus.jsonl"])
        for name, changed in STARTS.items():
            with open_workspace(
                home, settings=patient_settings(build_settings(changed))
            ) as workspace:
                found = tune(prepare_tuning(workspace, golden)).as_json()
            result[name] = {
                "recommended": int(found["recommended"]),
                "choice": found["choice"],
                "kept_out": gain(found["kept_out"]),
                "verdict": found["verdict"],
            }
    print(json.dumps(result, indent=2) if options.json else result)


if __name__ == "__main__":
    main()
