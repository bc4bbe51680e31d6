"""How does a workspace of places plan a trip? Its searches and its atlas, under the five steps.

An atlas is kept until the evidence changes: reading all places takes longer than planning does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from consilience.errors import UsageError
from consilience.pipeline import search
from consilience.threads import streamed
from consilience.types import Query, Result
from consilience.workspace.held import Workspace

if TYPE_CHECKING:  # what a trip needs is imported when one is planned
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.trips.given import Given
    from consilience.packs.travel.trips.running import Stage
    from consilience.packs.travel.trips.steps import Searches, Steps
    from consilience.packs.travel.trips.types import Search, Trip

PACK = "travel"
PATIENCE_MS = 20_000
"""How long the searches of a trip wait for a source."""
_KEPT: WeakKeyDictionary[Workspace, tuple[str, Atlas]] = WeakKeyDictionary()


def atlas_of(space: Workspace) -> Atlas:
    """All places of a workspace."""
    from consilience.packs.travel.atlas import Atlas  # noqa: PLC0415 - see above
    from consilience.packs.travel.money import read_rates  # noqa: PLC0415

    if space.pack.name != PACK:
        raise UsageError(
            f"trips are planned in workspaces of the pack {PACK!r}, and this one is of "
            f"{space.pack.name!r}; make one with `consilience init {PACK} FOLDER --sample`"
        )
    rates = read_rates(space.folder)
    mark = f"{space.catalogue.fingerprint()} {sorted(rates.items())}"
    kept = _KEPT.get(space)
    if kept is None or kept[0] != mark:
        every = sorted(space.catalogue.counts())
        passages = chain.from_iterable(space.catalogue.each(one) for one in every)
        kept = _KEPT[space] = (mark, Atlas.of(passages, rates=rates))
    return kept[1]


def trip(space: Workspace, text: str, *, given: Given | None = None, model: bool = False) -> Trip:
    """A trip for a wish, checked and cited; a refused one says why."""
    *_, last = events(space, text, given=given, model=model)
    return last.value  # type: ignore[return-value]  # of the last stage, always


def events(
    space: Workspace, text: str, *, given: Given | None = None, model: bool = False
) -> Generator[Stage]:
    """The same step by step, each as it ends; whoever stops early closes it."""
    atlas_of(space)  # read here, so that its errors come from here
    return streamed(lambda: told(space, text, given=given, model=model))


async def told(
    space: Workspace, text: str, *, given: Given | None = None, model: bool = False
) -> AsyncGenerator[Stage]:
    """The same for callers that are asynchronous themselves."""
    from consilience.packs.travel.trips.running import Kit, stages  # noqa: PLC0415 - see above

    atlas = await asyncio.to_thread(atlas_of, space)
    kit = Kit(
        atlas=atlas,
        searches=searches_of(space),
        steps=steps_of(space, model=model),
        today=date.today(),
    )
    async for stage in stages(text, kit, given):
        yield stage


def steps_of(space: Workspace, *, model: bool) -> Steps:
    """The five steps: reckoned, or by the language model of the settings."""
    from consilience.packs.travel.trips.reckoned import STEPS  # noqa: PLC0415 - see above

    if not model:
        return STEPS
    from consilience.packs.travel.trips.modelled import modelled_steps  # noqa: PLC0415 - an extra

    return modelled_steps(space.settings, STEPS)


def searches_of(space: Workspace) -> Searches:
    """Searches of a retrieval plan, done where a workspace has places: the fused order, without
    reranking.

    Every source is waited for: the same wish gives the same trip, however busy the machine is.
    """
    engine = space.engine
    retrieving = replace(engine.settings.retrieve, soft_ms=PATIENCE_MS, hard_ms=PATIENCE_MS)
    patient = replace(engine, settings=replace(engine.settings, retrieve=retrieving))
    held = space.catalogue.counts().items()
    collections = tuple(sorted(name for name, kinds in held if "place" in kinds))

    async def searched(wanted: Search) -> Result:
        query = Query(
            text=wanted.text,
            limit=wanted.depth,
            filters=wanted.filters,
            collections=collections,
            rerank=False,
        )
        return await search(query, patient)

    return searched
