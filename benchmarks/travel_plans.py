r"""Can the planned trips be walked? Judged by the files of places, not by the planner's own check.

    python benchmarks/travel_plans.py --json
    python benchmarks/travel_plans.py --tuning --misses

100 wishes are drawn by lot (`travel_wishes`) and planned in the sample of the pack `travel`. Each
plan is compared with the sample's files, read here once more: every place exists, under its name
and at its price; its citation leads to a passage that names it; no way between cities that no row
of transport.csv has, or that does not fit its day; doors that are open; sums; musts and avoids as
they were drawn. Then errors are planted into plans without fault, one at a time: the check has to
find each, and the composer to mend it. Last, the time a plan takes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from travel_judging import Ground, faults, ground
from travel_planting import KINDS, planted
from travel_wishes import TODAY, Drawn, drawn

from consilience.measure.conditions import patient_settings
from consilience.packs.travel import PACK
from consilience.packs.travel.trip_planner import atlas_of, searches_of
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.running import ROUNDS, Kit, stages
from consilience.packs.travel.trips.types import Trip
from consilience.settings import Settings, read_settings
from consilience.worker_pool import iterate_sync, run_sync
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

PLANS = 100
EACH = 20  # plans into which errors of every kind are planted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--plans", type=int, default=PLANS)
    parser.add_argument("--tuning", action="store_true", help="the wordings for tuning")
    parser.add_argument("--misses", action="store_true", help="list what is wrong")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    assert PACK.sample is not None
    files = ground(PACK.sample)
    with sample(options.workspace) as space:
        kit = Kit(atlas=atlas_of(space), searches=searches_of(space), steps=STEPS, today=TODAY)
        wishes = [
            drawn(files.places, number, held_out=not options.tuning)
            for number in range(options.plans)
        ]
        plan(wishes[0].words, kit)  # models are loaded by the first
        planned = [(wish, *timed(wish, kit)) for wish in wishes]
        found = {**judged(planned, files, space), "planted": mended(planned, kit)}
        if options.misses:
            for line in misses(planned, files, space):
                print(line)
    print(json.dumps(found, indent=2) if options.json else yaml.safe_dump(found, sort_keys=False))


@contextmanager
def sample(given: Path | None, *, patiently: bool = False) -> Iterator[Workspace]:
    """The workspace of the sample, built from nothing where none is given.

    A search that is done `patiently` finds the same on a machine that is busy.
    """
    if given is not None:
        with open_workspace(given, settings=_settings(given, patiently=patiently)) as space:
            yield space
        return
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "travel"
        init_workspace(where, pack=PACK.name)
        copy_sample(where)
        with open_workspace(where, settings=_settings(where, patiently=patiently)) as space:
            space.add([where / "sample"] if (where / "sample").exists() else [where])
            yield space


def _settings(folder: Path, *, patiently: bool) -> Settings:
    settings = read_settings(folder)
    return patient_settings(settings) if patiently else settings


def plan(words: str, kit: Kit) -> Trip:
    *_, last = iterate_sync(lambda: stages(words, kit))
    assert isinstance(last.value, Trip)
    return last.value


def timed(wish: Drawn, kit: Kit) -> tuple[Trip, float]:
    began = time.perf_counter()
    return plan(wish.words, kit), time.perf_counter() - began


Planned = list[tuple[Drawn, Trip, float]]


def judged(planned: Planned, files: Ground, space: Workspace) -> dict[str, Any]:
    """How many plans keep which promise, and whether those that do not say so."""
    broken: Counter[str] = Counter()
    kept = as_wished = silent = 0
    for wish, trip, _ in planned:
        wrong = faults(wish, trip, files, space)
        broken.update(one.promise for one in wrong)
        kept += not wrong and trip.status != "refused"
        as_wished += not wrong and trip.status == "planned"
        silent += bool(wrong) and not trip.compromises
    seconds = sorted(one for *_, one in planned)
    return {
        "plans": len(planned),
        "all_promises_kept": kept,
        "of_these_without_compromise": as_wished,
        "broken_and_not_said": silent,
        "refused": sum(trip.status == "refused" for _, trip, _ in planned),
        "broken": dict(sorted(broken.items())),
        "mended_by_check": sum(
            len(trip.rounds) > 1 and not trip.findings for _, trip, _ in planned
        ),
        "seconds_median": round(statistics.median(seconds), 3),
        "seconds_p95": round(seconds[int(len(seconds) * 0.95)], 3),
        "seconds_most": round(seconds[-1], 3),
    }


def mended(planned: Planned, kit: Kit) -> dict[str, Any]:
    """Of errors that were planted, how many the check finds, and how many are mended."""
    sound = [one for one in planned if one[1].itinerary and not one[1].findings]
    counts: dict[str, dict[str, int]] = {
        kind: {"planted": 0, "caught": 0, "mended": 0} for kind in KINDS
    }
    for number, (_, trip, _) in enumerate(sound):
        for kind in KINDS:
            if counts[kind]["planted"] >= EACH:
                continue
            wrong = planted(kind, trip, kit.atlas, seed=number)
            if wrong is not None:
                caught, well = run_sync(_rounds(trip, wrong, kind, kit))
                counts[kind]["planted"] += 1
                counts[kind]["caught"] += caught
                counts[kind]["mended"] += well
    total = {
        name: sum(one[name] for one in counts.values()) for name in ("planted", "caught", "mended")
    }
    return {**total, "kinds": counts}


async def _rounds(trip: Trip, wrong: Any, kind: str, kit: Kit) -> tuple[bool, bool]:
    """Whether the check finds what was planted, and whether it is gone after mending."""
    days, advice = wrong
    wish, candidates = trip.granted, trip.candidates
    assert wish is not None
    assert candidates is not None
    findings = await kit.steps.check(wish, days, advice, kit.atlas)
    caught = bool({one.rule for one in findings} & KINDS[kind])
    for _ in range(ROUNDS):
        if not findings:
            break
        days = await kit.steps.compose(wish, candidates, kit.atlas, before=days, findings=findings)
        advice = await kit.steps.advise(wish, days, kit.atlas)
        findings = await kit.steps.check(wish, days, advice, kit.atlas)
    return caught, caught and not findings


def misses(planned: Planned, files: Ground, space: Workspace) -> Iterator[str]:
    for wish, trip, _ in planned:
        wrong = faults(wish, trip, files, space)
        if wrong or trip.status != "planned":
            yield f"\n{wish.words}\n  {trip.status} {trip.refusal}"
            yield from (f"  {one.promise}: {one.told}" for one in wrong)
            yield from (f"  compromise: {one.wanted}: {one.reason}" for one in trip.compromises)


if __name__ == "__main__":
    main()
