"""Which days come of a wish? A route through cities, and each day filled by the clock.

The order of the candidates decides who is preferred; the atlas decides what is possible. With an
itinerary from before, that one is mended.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips import mending
from consilience.packs.travel.trips.composing.brief import briefed
from consilience.packs.travel.trips.composing.thrift import within_budget
from consilience.packs.travel.trips.composing.trip import survey_of, written
from consilience.packs.travel.trips.types import Candidates, Finding, Itinerary, Wish


async def compose(
    wish: Wish,
    candidates: Candidates,
    atlas: Atlas,
    *,
    before: Itinerary | None = None,
    findings: Sequence[Finding] = (),
) -> Itinerary:
    """The itinerary for a wish; with one from `before`, that one mended by its findings."""
    brief = briefed(wish, candidates, atlas)
    if before is None or not before.days:
        return within_budget(brief, lambda one: written(survey_of(one)))
    return within_budget(brief, lambda one: mending.mended(one, before, findings))
