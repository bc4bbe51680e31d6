"""How does a workspace plan a trip? Its searches and its places, in the steps of a plan.

The atlas of places is cached until the evidence changes: reading it takes longer than planning.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from consilience.engine import search
from consilience.errors import UsageError
from consilience.types import Query, Result
from consilience.worker_pool import iterate_sync
from consilience.workspace.local import Workspace

if TYPE_CHECKING:  # what a trip needs is imported when one is planned
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.trips.given import Given
    from consilience.packs.travel.trips.running import Stage
    from consilience.packs.travel.trips.steps import Searches, Steps
    from consilience.packs.travel.trips.types import Search, Trip

PACK = "travel"
_TIMEOUT_MS = 20_000
"""How long the searches of a trip wait for a source."""
_ATLASES: WeakKeyDictionary[Workspace, tuple[str, Atlas]] = WeakKeyDictionary()


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
    space: Workspace, text: str, *, given: Given | None = None, model: bool = False
) -> Trip:
    """Plan a trip, checked and cited; a refused one says why."""
    *_, last = stream_trip(space, text, given=given, model=model)
    return last.value  # type: ignore[return-value]  # of the last stage, always


def stream_trip(
    space: Workspace, text: str, *, given: Given | None = None, model: bool = False
) -> Generator[Stage]:
    """The same step by step; close the generator to stop early."""
    open_atlas(space)  # opened here, so that its errors are raised here
    return iterate_sync(lambda: trip_stages(space, text, given=given, model=model))


async def trip_stages(
    space: Workspace, text: str, *, given: Given | None = None, model: bool = False
) -> AsyncGenerator[Stage]:
    """The same for asynchronous callers."""
    from consilience.packs.travel.trips.running import Kit, stages  # noqa: PLC0415 - see above

    atlas = await asyncio.to_thread(open_atlas, space)
    kit = Kit(
        atlas=atlas,
        searches=plan_searches(space),
        steps=_choose_steps(space, model=model),
        today=date.today(),
    )
    async for stage in stages(text, kit, given):
        yield stage


def _choose_steps(space: Workspace, *, model: bool) -> Steps:
    """The steps of a plan: computed, or by the language model of the settings."""
    from consilience.packs.travel.trips.reckoned import STEPS  # noqa: PLC0415 - see above

    if not model:
        return STEPS
    from consilience.packs.travel.trips.modelled import modelled_steps  # noqa: PLC0415 - an extra

    return modelled_steps(space.settings, STEPS)


def plan_searches(space: Workspace) -> Searches:
    """Run the searches of a plan in the collections with places, without reranking.

    They wait for every source, so that the same wish gives the same trip on a busy machine.
    """
    engine = space.engine
    retrieving = replace(engine.settings.retrieve, soft_ms=_TIMEOUT_MS, hard_ms=_TIMEOUT_MS)
    patient = replace(engine, settings=replace(engine.settings, retrieve=retrieving))
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
