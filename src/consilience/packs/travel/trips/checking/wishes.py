"""Is it what was wished for? Musts are in it, what is to be avoided is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from consilience.packs.travel.atlas import CITY, STAY, Atlas, Place
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.trips.reading.bans.banning import noun_told_of
from consilience.packs.travel.trips.reading.ways.travelling import is_barred
from consilience.packs.travel.trips.types import Avoid, Finding, Itinerary, Leg, Wish

STRONG = 0.5
"""From this strength on a place is one of a theme."""
LEAST_SHARE = 20
"""Per cent of a wish from which on a theme has to be met."""
_LEVELS = frozenset({"budget", "luxury"})  # how one travels, not what one does
MEAL_NEEDS = frozenset({"vegetarian"})
"""What is needed of places to eat."""
VISIT_NEEDS = frozenset({"wheelchair"})
"""What is needed of places to visit."""
_BARRIERS = frozenset({"stairs", "steep", "motorbike", "cycling", "swimming"})


def wish_findings(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """What was wished for and is not so."""
    yield from _missing(wish, itinerary, atlas)
    yield from _nights(wish, itinerary, atlas)
    yield from _avoided(wish, itinerary, atlas)
    yield from _needs(wish, itinerary, atlas)
    yield from _themes(wish, itinerary, atlas)
    yield from _bounds(wish, itinerary, atlas)
    yield from _levels(wish, itinerary, atlas)


def _missing(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    used = {visit.place for day in itinerary.days for visit in day.visits}
    used |= {meal.place for day in itinerary.days for meal in day.meals}
    used |= {day.stay.place for day in itinerary.days if day.stay}
    towns = {day.city for day in itinerary.days} | {atlas.city_of(one) for one in used}
    for place in dict.fromkeys((*wish.must, *wish.cities)):
        known = atlas.places.get(place)
        there = towns if known is not None and known.kind == CITY else used
        if place not in there and not _inside(place, used, atlas):
            told = f"{atlas.name_of(place)} has to be in it, and is not"
            yield Finding(rule="must-missing", message=told, place=place)


def _inside(place: str, used: set[str], atlas: Atlas) -> bool:
    """Whether something that is used lies in an area, a region or a country."""
    known = atlas.places.get(place)
    if known is None or known.kind not in ("area", "region", "country"):
        return False
    return any(atlas.lies_in(one, place) for one in used)


def _nights(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    slept = Counter(day.city for day in itinerary.days if day.stay)
    for city, wanted in wish.nights.items():
        if slept[city] < min(wanted, max(1, wish.days - 1)):
            told = f"{wanted} nights in {atlas.name_of(city)} were asked for, and {slept[city]} are"
            yield Finding(rule="nights", message=told, place=city)


def _avoided(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    avoid = wish.avoid
    for day in itinerary.days:
        visits = [(visit.place, visit.slot) for visit in day.visits]
        for place, slot in (*visits, *((meal.place, meal.slot) for meal in day.meals)):
            known = atlas.places.get(place)
            if known is None or _stays(place, wish, atlas):
                continue
            if not (reason := why_avoided(known, avoid, atlas)):
                continue
            told = f"day {day.number}: {known.name} is to be avoided: {reason}"
            yield Finding(rule="avoided", message=told, day=day.number, slot=slot, place=place)
        if day.city in avoid.places:
            told = f"day {day.number}: {atlas.name_of(day.city)} is to be avoided"
            yield Finding(rule="avoided", message=told, day=day.number, place=day.city)
        for leg in day.legs:
            if mode := _ruled_out(leg, avoid, atlas):
                told = f"day {day.number}: {mode} is to be avoided"
                yield Finding(rule="avoided", message=told, day=day.number, place=leg.end)


def _ruled_out(leg: Leg, avoid: Avoid, atlas: Atlas) -> str:
    """The way that a leg takes against the wish, by its own mode or one that it changes to."""
    mode = f"overnight {leg.mode}" if leg.overnight else leg.mode
    ways = [one for one in atlas.direct(leg.start, leg.end) if one.passage == leg.passage]
    barred = {mode, leg.mode} & avoid.modes or any(is_barred(one, avoid.modes) for one in ways)
    return mode if barred else ""


def _stays(place: str, wish: Wish, atlas: Atlas) -> bool:
    """Whether a place was asked for by name: then what is avoided in general does not bar it."""
    named = {place, atlas.city_of(place)} & wish.avoid.places
    return place in wish.must and not named


def why_avoided(place: Place, avoid: Avoid, atlas: Atlas) -> str:
    """Why a place is to be avoided; empty where it is not."""
    if place.id in avoid.places or atlas.city_of(place.id) in avoid.places:
        return "it was named"
    if place.type in avoid.types or place.kind in avoid.types:
        return f"it is a {place.type or place.kind}"
    if features := sorted(place.features & avoid.features):
        return f"it has {', '.join(features)}"
    if noun := noun_told_of(place, avoid.words):
        return f"it tells of {noun}"
    themes = [one for one in sorted(avoid.themes) if place.themes.get(one, 0.0) >= STRONG]
    return f"it is for {', '.join(themes)}" if themes and place.kind != STAY else ""


def _needs(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    for day in itinerary.days:
        uses = [(one.place, one.slot, MEAL_NEEDS) for one in day.meals]
        uses += [(one.place, one.slot, VISIT_NEEDS) for one in day.visits]
        for place, slot, kind in uses:
            known = atlas.places.get(place)
            for need in sorted(wish.needs & kind):
                if known is not None and not meets(known, need):
                    told = f"day {day.number}: {known.name} is not known to be {need}"
                    yield Finding(
                        rule="need-unmet", message=told, day=day.number, slot=slot, place=place
                    )


def meets(place: Place, need: str) -> bool:
    """Whether a place has what somebody needs; a sight without barriers takes a wheelchair."""
    if need in place.features:
        return True
    easy = place.effort in ("", "none", "easy") and not place.features & _BARRIERS
    return need == "wheelchair" and easy


def _themes(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """Whether each theme of some weight has something for it, where these cities have any."""
    if any(one.startswith("no theme") for one in wish.assumed):  # nobody asked for any
        return
    used = [one.place for day in itinerary.days for one in day.visits]
    used += [one.place for day in itinerary.days for one in day.meals]
    towns = dict.fromkeys(day.city for day in itinerary.days)
    for theme, share in wish.themes.items():
        if (
            share < LEAST_SHARE
            or theme in _LEVELS
            or any(_suits(one, theme, atlas) for one in used)
        ):
            continue
        there = [
            one for town in towns for one in atlas.within(town) if _suits(one.id, theme, atlas)
        ]
        fine = [one for one in there if _can_be_visited(one, wish, itinerary, atlas)]
        if fine:
            told = f"{theme} was asked for, and nothing is for it; there is {fine[0].name}"
            yield Finding(rule="theme-missing", message=told, place=fine[0].id)


def _can_be_visited(place: Place, wish: Wish, itinerary: Itinerary, atlas: Atlas) -> bool:
    """Whether a place may be in the trip: allowed, with what is needed, open on some day of it."""
    days = [day.on for day in itinerary.days if day.on]
    return (
        not why_avoided(place, wish.avoid, atlas)
        and all(meets(place, need) for need in wish.needs & VISIT_NEEDS)
        and (not days or any(open_spans(place.hours, day) for day in days))
    )


def _suits(place: str, theme: str, atlas: Atlas) -> bool:
    known = atlas.places.get(place)
    return known is not None and known.themes.get(theme, 0.0) >= STRONG


def _bounds(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    towns = list(dict.fromkeys(day.city for day in itinerary.days))
    if wish.most_cities is not None and len(towns) > wish.most_cities:
        told = f"{len(towns)} cities, and at most {wish.most_cities} were asked for"
        yield Finding(rule="too-many-cities", message=told, place=towns[-1])
    named = {*wish.cities, wish.start, wish.end, *(atlas.city_of(one) for one in wish.must)}
    for town in towns:
        if wish.region and town not in named and not atlas.lies_in(town, wish.region):
            told = f"{atlas.name_of(town)} is not in {atlas.name_of(wish.region)}"
            yield Finding(rule="region", message=told, place=town)


def _levels(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Finding]:
    """Whether one stays as was asked for, where there is such a place."""
    for day in itinerary.days:
        bed = atlas.places.get(day.stay.place) if day.stay else None
        if wish.level is None or bed is None or bed.level in ("", wish.level):
            continue
        if any(one.level == wish.level for one in atlas.within(day.city, {STAY})):
            told = f"day {day.number}: {bed.name} is {bed.level}, and {wish.level} was asked for"
            yield Finding(rule="level", message=told, day=day.number, place=bed.id)
