"""How is a trip asked for on a page, and taken along from it? A form, and links."""

from __future__ import annotations

from typing import Any

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import Trip
from consilience.packs.travel.trips.wording import joined
from consilience.service.pages.words import plural
from consilience.service.wishes import AskedTrip, trip_address


def form(space: str, atlas: Atlas, asked: AskedTrip | None, *, model: str) -> dict[str, Any]:
    """What the form has: wishes to begin with, cities by name, currencies, the language model."""
    own = atlas.currency
    kept = asked.budget.currency.upper() if asked and asked.budget else ""
    known = [one for one in dict.fromkeys((own, *atlas.rates)) if one]
    return {
        "examples": begun(space, atlas),
        "cities": sorted(one.name for one in atlas.cities()),
        "currencies": known,
        "currency": kept or ("USD" if "USD" in known else own),
        "model": model,
        "events": trip_address(space, "trip/events", asked, html="1") if asked else "",
        "whole": trip_address(space, "trip", asked, whole="1") if asked else "",
        "given": given(asked) if asked else "",
    }


def begun(space: str, atlas: Atlas) -> list[tuple[str, str]]:
    """Wishes to begin with, and where each is planned."""
    return [(one, trip_address(space, "trip", AskedTrip(wish=one))) for one in examples(atlas)]


def given(asked: AskedTrip) -> str:
    """What goes before the words of a wish: `5 days, from 2027-03-01, 600 USD in all`."""
    spent = asked.budget
    per = {"trip": "in all", "day": "a day"}
    parts = [
        plural(asked.days, "day") if asked.days else "",
        f"from {asked.starts_on}" if asked.starts_on else "",
        f"{spent.amount:,f} {spent.currency.upper()} {per[spent.per]}" if spent else "",
        asked.pace or "",
        f"from {asked.start}" if asked.start else "",
        f"to {asked.end}" if asked.end else "",
        "with the language model" if asked.model else "",
    ]
    return ", ".join(filter(None, parts))


def examples(atlas: Atlas) -> list[str]:
    """Three wishes that these places can meet: the last names the two cities with the most."""
    found = [
        "A romantic four-day trip, good food, no hiking, mid-range",
        "A relaxed week for a family with two children: beaches, nature and animals",
    ]
    cities = sorted(atlas.cities(), key=lambda one: (-len(atlas.inside.get(one.id, ())), one.id))
    for one in cities[:1]:
        near = [other for other in cities[1:] if atlas.direct(one.id, other.id)]
        near.sort(key=lambda other: (atlas.km(one.id, other.id) or 0.0, other.id))
        where = joined([one.name, *(other.name for other in near[:1])])
        found.append(f"Five days in {where} for history and street food, on a budget")
    return found


def links(space: str, asked: AskedTrip, trip: Trip) -> list[tuple[str, str]]:
    """Where a trip can be had as a file, by what it is; a calendar only with a date."""
    if trip.itinerary is None:
        return [("JSON", trip_address(space, "trip", asked, format="json"))]
    dated = any(day.on for day in trip.itinerary.days)
    kinds = [("Calendar", "trip.ics")] if dated else []
    kinds += [("Markdown", "trip.md"), ("GeoJSON", "trip.geojson"), ("Map", "trip.svg")]
    found = [(name, trip_address(space, what, asked)) for name, what in kinds]
    return [*found, ("JSON", trip_address(space, "trip", asked, format="json"))]
