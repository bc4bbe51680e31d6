r"""Is what cannot be done refused or negotiated, and what can be done planned?

    python benchmarks/travel_requests.py --json                # the half that is held out
    python benchmarks/travel_requests.py --half tuning --misses

The requests of `travel_requests.yaml` were written without sight of the planner: `usual` ones as
travellers send them, and `searching` ones that look for every kind of impossibility and
for ordinary wishes that sound alarming. Each says what is right: a plan without compromises, a
negotiated one, a refusal, or either of the last two. An ordinary request that is planned with a
compromise is counted apart: it is not refused.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from travel_plans import plan, sample
from travel_wishes import TODAY

from consilience.packs.travel.trip_planner import atlas_of, searches_of
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.running import Kit
from consilience.packs.travel.trips.types import Trip

REQUESTS = Path(__file__).with_name("travel_requests.yaml")
RIGHT = {
    "plan": {"planned"},
    "negotiate": {"negotiated"},
    "refuse": {"refused"},
    "either": {"negotiated", "refused"},
}
Asked = list[tuple[Mapping[str, str], Trip]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", default="held out", choices=("tuning", "held out"))
    parser.add_argument("--misses", action="store_true", help="for requests to tune on only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    every = yaml.safe_load(REQUESTS.read_text(encoding="utf-8"))["requests"]
    requests = [one for one in every if one["half"] == options.half]
    with sample(options.workspace, patiently=True) as space:
        kit = Kit(atlas=atlas_of(space), searches=searches_of(space), steps=STEPS, today=TODAY)
        asked = [(one, plan(one["text"], kit)) for one in requests]
    found = {
        voice: judged([(one, trip) for one, trip in asked if one["voice"] == voice])
        for voice in dict.fromkeys(one["voice"] for one, _ in asked)
    }
    if options.misses:
        for line in misses(asked):
            print(line)
    print(json.dumps(found, indent=2) if options.json else yaml.safe_dump(found, sort_keys=False))


def judged(asked: Asked) -> dict[str, Any]:
    """For each kind of request, what became of it."""
    kinds: dict[str, dict[str, int]] = {}
    for one, trip in asked:
        count = kinds.setdefault(
            one["kind"],
            {"of": 0, "right": 0, "not_planned_as_asked": 0, "refused": 0, "negotiated": 0},
        )
        count["of"] += 1
        count["right"] += trip.status in RIGHT[one["expect"]]
        count["not_planned_as_asked"] += trip.status != "planned"
        count["refused"] += trip.status == "refused"
        count["negotiated"] += trip.status == "negotiated"
    vain = [kinds[kind] for kind in ("impossible", "off-topic") if kind in kinds]
    return {
        "kinds": kinds,
        "vain": {
            "of": sum(one["of"] for one in vain),
            "refused_or_negotiated": sum(one["not_planned_as_asked"] for one in vain),
        },
    }


def misses(asked: Asked) -> Iterator[str]:
    for one, trip in asked:
        if trip.status not in RIGHT[one["expect"]]:
            yield f"\n{one['kind']} ({one['why']}): {one['text']}"
            yield f"  {trip.status}, not {one['expect']}: {trip.refusal}"
            yield from (
                f"  {each.wanted}: {each.reason}; instead {each.instead}"
                for each in trip.compromises
            )
            yield from (f"  assumed: {each}" for each in trip.wish.assumed)
            yield f"  unknown {trip.wish.unknown}, must {trip.wish.must}, days {trip.wish.days}"


if __name__ == "__main__":
    main()
