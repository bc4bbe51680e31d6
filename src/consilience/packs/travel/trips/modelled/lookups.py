"""What may a language model look up while it works? Places, ways and opening hours of the atlas.

Each tool reads and changes nothing, and returns no more than a model can take in.
"""

from __future__ import annotations

from datetime import date

from pydantic_ai import RunContext, Tool

from consilience.packs.travel.atlas import CITY, FOOD, SIGHTS, STAY, Atlas
from consilience.packs.travel.hours import closed_weekdays, open_spans
from consilience.packs.travel.trips.checking.spans import clock
from consilience.packs.travel.trips.modelled.evidence import Fact, place_fact, resolved, way_fact
from consilience.packs.travel.trips.wording import weekdays_of

MOST_FOUND = 15
_NONE: Fact = {"found": "nothing of that name is known; use another name, or leave it out"}


def look_up_place(ctx: RunContext[Atlas], name: str) -> list[Fact]:
    """Look up places by their name or id.

    `name` is the name of a city or a place, or its id.
    """
    atlas = ctx.deps
    ids = (name,) if name in atlas.places else atlas.find(name)
    return [place_fact(atlas.places[one], atlas) for one in ids[:MOST_FOUND]] or [_NONE]


def places_in_city(ctx: RunContext[Atlas], city: str, theme: str = "") -> list[Fact]:
    """List places to see, eat and stay in a city, those that suit a theme best first.

    `city` is a name or an id, `theme` one such as romance, food or beach; empty for all.
    """
    atlas, town = ctx.deps, resolved(city, ctx.deps, {CITY})
    found = [
        one
        for one in atlas.within(town, SIGHTS | {STAY, FOOD})
        if not theme or one.themes.get(theme.strip().casefold(), 0.0) > 0
    ]
    found.sort(key=lambda one: (-one.themes.get(theme.strip().casefold(), 0.0), one.id))
    return [place_fact(one, atlas, letters=0) for one in found[:MOST_FOUND]] or [_NONE]


def ways_between(ctx: RunContext[Atlas], start: str, end: str) -> list[Fact]:
    """List the ways from one city to another, with modes, minutes and prices for a person.

    `start` and `end` are names or ids of cities.
    """
    atlas = ctx.deps
    ends = resolved(start, atlas, {CITY}), resolved(end, atlas, {CITY})
    if not all(ends):
        return [_NONE]
    ways = atlas.direct(*ends) or atlas.fastest(*ends)
    return [way_fact(one, atlas) for one in ways[:MOST_FOUND]] or [
        {"found": "there is no way between them"}
    ]


def opening_hours(ctx: RunContext[Atlas], place: str, on: date | None = None) -> Fact:
    """Tell when a place is open, and whether it is on a date.

    `place` is a name or an id, `on` a date where it is known.
    """
    atlas = ctx.deps
    known = atlas.places.get(resolved(place, atlas))
    if known is None:
        return _NONE
    shut = closed_weekdays(known.hours)
    told: Fact = {
        "id": known.id,
        "hours": known.hours or "not told",
        "closed": weekdays_of(shut) if shut else "",
    }
    if on is not None:
        spans = open_spans(known.hours, on)
        told["open_on_it"] = [f"{clock(first)} to {clock(last)}" for first, last in spans]
    return told


LOOKUPS: tuple[Tool[Atlas], ...] = tuple(
    Tool(one) for one in (look_up_place, places_in_city, ways_between, opening_hours)
)
