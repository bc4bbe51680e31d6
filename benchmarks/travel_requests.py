r"""What becomes of requests for trips: planned as wished, with something open, or not at all?

    python benchmarks/travel_requests.py --json                # the half that is held out
    python benchmarks/travel_requests.py --half tuning --misses

The requests of `travel_requests.yaml` were written without sight of the planner: `usual` ones as
travellers send them, and `searching` ones that look for every kind of impossibility and for
ordinary wishes that sound alarming. A request that cannot be fulfilled must not come out as wished.
Whether a plan keeps what was said is not judged here: a status is no judge of that.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml

from consilience.measure.runs import patient_settings
from consilience.packs.travel.itinerary import Trip
from consilience.packs.travel.trip_planner import plan_trip
from consilience.settings import read_settings
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

REQUESTS = Path(__file__).with_name("travel_requests.yaml")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", default="held out", choices=("tuning", "held out"))
    parser.add_argument("--misses", action="store_true", help="for requests to tune on only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    every = yaml.safe_load(REQUESTS.read_text(encoding="utf-8"))["requests"]
    requests = [request for request in every if request["half"] == options.half]
    counts: dict[str, Counter[str]] = {}
    with sample(options.workspace) as space:
        for request in requests:
            trip = plan_trip(space, request["text"])
            counts.setdefault(f"{request['voice']}, {request['kind']}", Counter())[trip.status] += 1
            if options.misses and is_wrong(request, trip):
                print(f"\n{request['kind']} ({request['why']}): {request['text']}\n  {trip.status}")
    found = {kind: dict(count) for kind, count in counts.items()}
    print(json.dumps(found, indent=2) if options.json else yaml.safe_dump(found, sort_keys=False))


def is_wrong(request: Mapping[str, str], trip: Trip) -> bool:
    """Whether what cannot be done came out as wished, or what can be done not at all."""
    if request["expect"] == "plan":
        return trip.status == "impossible"
    return trip.status == "as wished"


@contextmanager
def sample(given: Path | None) -> Iterator[Workspace]:
    """The workspace of the sample, built from nothing where none is given; it waits for sources."""
    with tempfile.TemporaryDirectory() as folder:
        where = given or Path(folder) / "travel"
        if given is None:
            init_workspace(where, pack="travel")
            copy_sample(where, "travel")
        with open_workspace(where, settings=patient_settings(read_settings(where))) as space:
            if given is None:
                space.add([where / "sample"])
            yield space


if __name__ == "__main__":
    main()
