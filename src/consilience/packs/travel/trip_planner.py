"""How does a wish become a trip? In five steps: analyse, plan retrieval, compose, advise, check.

Each step gives a typed value and is shown as it ends. The wish is read by the grammar, by a
language model or from a form; the solver composes days and names what clashes; the check reports
every constraint as kept, broken or unknown. A plan that breaks one is corrected by the composer,
which looks at the same constraints. The atlas of places is cached until the evidence changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from consilience.engine import search
from consilience.errors import ConsilienceError, UsageError
from consilience.types import Note, Query, Result
from consilience.worker_pool import iterate_sync
from consilience.workspace.local import Workspace

if TYPE_CHECKING:  # the solver and the readers are imported when a trip is planned
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.constraints import Constraint
    from consilience.packs.travel.itinerary import (
        Advice,
        Candidates,
        Clash,
        Itinerary,
        Report,
        RetrievalPlan,
        Search,
        StepName,
        Trip,
    )
    from consilience.packs.travel.retrieval import RunSearch
    from consilience.packs.travel.wish import Wish

PACK = "travel"
_TIMEOUT_MS = 20_000
"""How long the searches of a trip wait for a source."""
_ATLASES: WeakKeyDictionary[Workspace, tuple[str, Atlas]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A step that has ended: its name, what came of it in a line, and its value."""

    step: StepName
    summary: str
    value: Wish | RetrievalPlan | Candidates | Itinerary | Advice | Report | Trip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A wish, who read it, and what went otherwise than asked."""

    wish: Wish
    reader: str
    notes: tuple[Note, ...] = ()


def open_atlas(space: Workspace) -> Atlas:
    """All places of a workspace."""
    from consilience.packs.travel.atlas import Atlas  # noqa: PLC0415 - see above
    from consilience.packs.travel.money import read_rates  # noqa: PLC0415

    if space.pack.name != PACK:
        raise UsageError(
            f"trips are planned in workspaces of the pack {PACK!r}, and this one is of "
            f"{space.pack.name!r}; make one with `consilience init {PACK} FOLDER --sample`"
        )
    rates = read_rates(space.folder)
    version = f"{space.catalogue.fingerprint()} {sorted(rates.items())}"
    cached = _ATLASES.get(space)
    if cached is None or cached[0] != version:
        collections = sorted(space.catalogue.counts())
        passages = chain.from_iterable(space.catalogue.each(name) for name in collections)
        cached = _ATLASES[space] = (version, Atlas.of(passages, rates=rates))
    return cached[1]


def plan_trip(
    space: Workspace,
    text: str,
    *,
    changes: Sequence[Constraint] = (),
    wish: Wish | None = None,
    model: bool = False,
) -> Trip:
    """Plan a trip for a text, with constraints from options, or for a wish from a form."""
    *_, last = stream_trip(space, text, changes=changes, wish=wish, model=model)
    return last.value  # type: ignore[return-value]  # of the last stage, always


def stream_trip(
    space: Workspace,
    text: str,
    *,
    changes: Sequence[Constraint] = (),
    wish: Wish | None = None,
    model: bool = False,
) -> Generator[Stage]:
    """The same step by step; close the generator to stop early."""
    open_atlas(space)  # opened here, so that its errors are raised here
    return iterate_sync(lambda: trip_stages(space, text, changes=changes, wish=wish, model=model))


async def trip_stages(
    space: Workspace,
    text: str,
    *,
    changes: Sequence[Constraint] = (),
    wish: Wish | None = None,
    model: bool = False,
) -> AsyncGenerator[Stage]:
    """The same for asynchronous callers."""
    atlas = await asyncio.to_thread(open_atlas, space)
    if not atlas.cities():
        raise UsageError(
            "this workspace holds no cities to travel to; add files of places: `consilience add`"
        )
    if wish is not None:
        reading = _Reading(wish=wish, reader="form")
    else:
        reading = await read(space, text, atlas, model=model)
    async for stage in _stages(space, reading, changes, atlas):
        yield stage


async def read(space: Workspace, text: str, atlas: Atlas, *, model: bool = False) -> _Reading:
    """What a text asks for: by the language model of the settings, else by the grammar."""
    from consilience.packs.travel.wish import read_wish  # noqa: PLC0415 - see above

    notes: tuple[Note, ...] = ()
    if model:
        try:
            return await _read_by_model(space, text, atlas)
        except ConsilienceError as error:
            detail = f"planned without the language model: {error}"
            notes = (Note("trip", detail),)
    wish = await asyncio.to_thread(read_wish, text, atlas, today=date.today())
    return _Reading(wish=wish, reader="grammar", notes=notes)


async def _read_by_model(space: Workspace, text: str, atlas: Atlas) -> _Reading:
    from consilience.packs.travel.wish_model import read_wish_model  # noqa: PLC0415 - an extra

    wish = await read_wish_model(text, atlas, space.settings, today=date.today())
    return _Reading(wish=wish, reader=f"language model ({space.settings.models.generate})")


async def _stages(
    space: Workspace, reading: _Reading, changes: Sequence[Constraint], atlas: Atlas
) -> AsyncGenerator[Stage]:
    from consilience.packs.travel.advice import advise  # noqa: PLC0415 - see above
    from consilience.packs.travel.check import check  # noqa: PLC0415
    from consilience.packs.travel.composer import compose  # noqa: PLC0415
    from consilience.packs.travel.itinerary import Trip  # noqa: PLC0415
    from consilience.packs.travel.retrieval import plan_retrieval, retrieve  # noqa: PLC0415
    from consilience.packs.travel.wish import change  # noqa: PLC0415

    wish = change(reading.wish, changes)
    yield Stage(step="analyse", summary=_wish_line(wish, atlas), value=wish)
    steps = {"analyse": reading.reader, "plan": "rules", "compose": "CP-SAT", "check": "rules"}
    trip = Trip(wish=wish, status="impossible", steps=steps, notes=reading.notes)
    if reason := _refusal(wish, atlas):
        yield _done(replace(trip, reason=reason))
        return
    plan = plan_retrieval(wish, atlas)
    yield Stage(step="plan", summary=_plan_line(plan), value=plan)
    candidates = await retrieve(plan, search_runner(space), atlas)
    found = f"{len(candidates.scores)} places"
    yield Stage(step="retrieve", summary=found, value=candidates)
    composition = await asyncio.to_thread(compose, wish, candidates, atlas, today=date.today())
    itinerary = composition.itinerary
    if composition.length is not None:
        wish = change(wish, [composition.length])
    trip = replace(
        trip,
        wish=wish,
        plan=plan,
        candidates=candidates,
        clashes=composition.clashes,
        notes=(*trip.notes, *candidates.notes),
    )
    summary = _days_line(itinerary, composition.clashes, atlas)
    yield Stage(step="compose", summary=summary, value=itinerary)
    if itinerary is None:
        yield _done(replace(trip, reason="no plan keeps what every trip needs"))
        return
    advice = advise(wish, itinerary, atlas)
    tips = sum(len(found) for found in advice.subjects().values())
    yield Stage(step="advise", summary=f"{tips} tips and the bill", value=advice)
    report = check(wish, itinerary, advice.bill, atlas)
    yield Stage(step="check", summary=_report_line(report), value=report)
    trip = replace(
        trip,
        itinerary=itinerary,
        advice=advice,
        report=report,
        value=composition.value,
        bound=composition.bound,
        status="negotiated" if trip.clashes else "as wished" if report.as_wished else "planned",
    )
    yield _done(trip)


def _refusal(wish: Wish, atlas: Atlas) -> str:
    """Why there is nothing to plan: places that are not here, or no wish for a trip at all."""
    from consilience.packs.travel.constraints import Missing  # noqa: PLC0415 - see above

    missing = [one.name for one in wish.of(Missing)]
    said = [one for one in wish.constraints if not one.assumed]
    where = {"go to", "start", "end", "order", "nights", "within"}
    if missing and not any(one.kind in where for one in said):
        known = ", ".join(city.name for city in atlas.cities()[:5])
        return f"nothing here tells of {', '.join(missing)}; there is, for example, {known}"
    if not said and wish.leftover:
        words = "; ".join(span.text for span in wish.leftover)
        return f"nothing of it was understood as a wish for a trip: {words}"
    return ""


def search_runner(space: Workspace) -> RunSearch:
    """Runs searches in the collections with places, without reranking.

    They wait for every source, so that the same wish gives the same trip on a busy machine.
    """
    engine = space.engine
    patient_times = replace(engine.settings.retrieve, soft_ms=_TIMEOUT_MS, hard_ms=_TIMEOUT_MS)
    patient = replace(engine, settings=replace(engine.settings, retrieve=patient_times))
    counts = space.catalogue.counts().items()
    collections = tuple(sorted(name for name, kinds in counts if "place" in kinds))

    async def run_search(wanted: Search) -> Result:
        query = Query(
            text=wanted.text,
            limit=wanted.depth,
            filters=wanted.filters,
            collections=collections,
            rerank=False,
        )
        return await search(query, patient)

    return run_search


# --- what each step says ------------------------------------------------------------------


def _wish_line(wish: Wish, atlas: Atlas) -> str:
    line = "; ".join(one.state(atlas) for one in wish.constraints)
    if wish.leftover:
        line += f" · not understood: {'; '.join(span.text for span in wish.leftover)}"
    return line


def _plan_line(plan: RetrievalPlan) -> str:
    return f"{len(plan.searches)} searches: {', '.join(one.purpose for one in plan.searches)}"


def _days_line(itinerary: Itinerary | None, clashes: Sequence[Clash], atlas: Atlas) -> str:
    parts = []
    if itinerary is not None:
        cities = ", ".join(atlas.name_of(city) for city in itinerary.cities())
        parts.append(f"{len(itinerary.days)} days: {cities}")
    parts += [clash_line(clash, atlas) for clash in clashes]
    return " · ".join(parts) or "no plan"


def clash_line(clash: Clash, atlas: Atlas) -> str:
    """`these 3 cannot be had together: …; planned without …`."""
    names = [f"“{one.state(atlas)}”" for one in clash.constraints]
    dropped = ", ".join(f"“{one.state(atlas)}”" for one in clash.dropped)
    if len(names) == 1:
        return f"{names[0]} cannot be had"
    return (
        f"these {len(names)} cannot be had together: {', '.join(names)}; without {dropped} it can"
    )


def _report_line(report: Report) -> str:
    counts = [f"{report.count(verdict)} {verdict}" for verdict in ("kept", "broken", "unknown")]
    faults = [f"{len(report.faults)} faults"] if report.faults else []
    words = [f"{len(report.leftover)} not understood"] if report.leftover else []
    return ", ".join((*counts, *faults, *words))


def _done(trip: Trip) -> Stage:
    return Stage(step="done", summary=trip.reason or trip.status, value=trip)
