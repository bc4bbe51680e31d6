"""What tests of outputs share: a hand-made trip through Velmora.

Two days in Port Aurel, one in Lindow, back to Port Aurel for the night train to Farpoint. Names,
prices and passages are those of the atlas.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.advising import advise
from consilience.packs.travel.trips.types import (
    Budget,
    Day,
    Group,
    Itinerary,
    Leg,
    Meal,
    Slot,
    Stay,
    Trip,
    Visit,
    Wish,
)

STARTS_ON = date(2027, 3, 2)  # a Tuesday


def make_wish(**parts: object) -> Wish:
    """Four days for a couple, on 1,500 dollars."""
    known: dict[str, object] = {
        "text": "four days of culture and food, no hiking, 1500 dollars",
        "days": 4,
        "themes": {"culture": 60, "food": 40},
        "budget": Budget(amount=Decimal(1500), currency="USD", said="1500 dollars"),
        "group": Group(adults=2, kind="couple"),
        "level": "mid-range",
        "assumed": ("two people travel",),
    }
    return Wish(**{**known, **parts})  # type: ignore[arg-type]


def make_days(atlas: Atlas, *, starts_on: date | None = None) -> Itinerary:
    """Port Aurel twice, Lindow, and over night to Farpoint."""
    days = (
        Day(
            number=1, city="aurel",
            visits=(visit(atlas, "aurel-museum", "morning", 540),
                    visit(atlas, "aurel-gallery", "afternoon", 840, why="paintings of the port"),
                    visit(atlas, "aurel-night-market", "evening", 1200)),
            meals=(meal(atlas, "aurel-tavern", "afternoon", 735),
                   meal(atlas, "aurel-fish-house", "evening", 1110)),
            legs=(way("aurel-museum", "aurel-tavern", "walk", 20, 640, km=1.4),
                  way("aurel-tavern", "aurel-gallery", "taxi", 15, 810, "6.40", km=4.2)),
            stay=stay(atlas, "aurel-inn"),
        ),
        Day(
            number=2, city="lindow",
            visits=(visit(atlas, "lindow-promenade", "afternoon", 840),
                    visit(atlas, "lindow-lantern-show", "evening", 1200)),
            meals=(meal(atlas, "lindow-garden-table", "evening", 1110),),
            legs=(leg(atlas, "aurel", "lindow", "train", 560),),
            stay=stay(atlas, "lindow-inn"),
        ),
        Day(
            number=3, city="farpoint",
            visits=(visit(atlas, "lindow-kayak-cove", "morning", 540),
                    visit(atlas, "aurel-town-square", "afternoon", 960)),
            legs=(leg(atlas, "lindow", "aurel", "train", 840),
                  leg(atlas, "aurel", "farpoint", "train", 1230)),
        ),
        Day(
            number=4, city="farpoint",
            visits=(visit(atlas, "farpoint-wildlife-reserve", "afternoon", 840),),
            meals=(meal(atlas, "farpoint-tavern", "evening", 1110),),
        ),
    )  # fmt: skip
    if starts_on is not None:
        later = [starts_on + timedelta(days=place) for place in range(4)]
        days = tuple(replace(day, on=on) for day, on in zip(days, later, strict=True))
    return Itinerary(days=days, currency="EUR")


def make_trip(atlas: Atlas, *, starts_on: date | None = STARTS_ON, **parts: object) -> Trip:
    """All of it, advised."""
    wish = make_wish(starts_on=starts_on)
    days = make_days(atlas, starts_on=starts_on)
    advice = asyncio.run(advise(wish, days, atlas))
    known = {"wish": wish, "granted": wish, "status": "planned", "itinerary": days}
    return Trip(**{**known, "advice": advice, **parts})  # type: ignore[arg-type]


def visit(atlas: Atlas, place: str, slot: Slot, begins: int, *, why: str = "") -> Visit:
    known = atlas.places[place]
    return Visit(
        slot=slot, place=place, name=known.name, begins=begins, ends=begins + known.minutes,
        price=known.price or Decimal(0), passage=known.passage, why=why,
    )  # fmt: skip


def meal(atlas: Atlas, place: str, slot: Slot, begins: int) -> Meal:
    known = atlas.places[place]
    return Meal(
        slot=slot, place=place, name=known.name, begins=begins, price=known.price or Decimal(0),
        passage=known.passage,
    )  # fmt: skip


def stay(atlas: Atlas, place: str, rooms: int = 1) -> Stay:
    known = atlas.places[place]
    price = known.price or Decimal(0)
    return Stay(place=place, name=known.name, rooms=rooms, price=price, passage=known.passage)


def leg(atlas: Atlas, start: str, end: str, mode: str, begins: int) -> Leg:
    way = next(one for one in atlas.direct(start, end) if one.mode == mode)
    return Leg(
        start=start, end=end, mode=mode, minutes=way.minutes, begins=begins, price=way.price,
        km=atlas.km(start, end) or 0.0, passage=way.passage, overnight=way.overnight,
    )  # fmt: skip


def way(
    start: str, end: str, mode: str, minutes: int, begins: int, price: str = "0", km: float = 0.0
) -> Leg:
    return Leg(
        start=start, end=end, mode=mode, minutes=minutes, begins=begins, price=Decimal(price), km=km
    )
