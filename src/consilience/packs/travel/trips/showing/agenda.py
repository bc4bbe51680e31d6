"""What happens on a day, in order? One list for all that show a trip."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.types import MEAL_MIN, Day, Itinerary, Leg, Stay, Trip
from consilience.packs.travel.trips.wording import duration, joined, priced

Doing = Literal["visit", "meal", "leg", "way", "stay"]
_LUNCH_FROM, _DINNER_FROM = 11 * 60, 16 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing on a day, from `begins` to `ends` in minutes after midnight.

    A `leg` leads from one city to another, a `way` from place to place within one; of these
    `place` is where they end and `start` where they begin. `name` is what the place is called,
    `note` why it is there. `price` is None where none is known, and for `per` whom it is. An
    `invented` place is one of a sample, and no business that exists.
    """

    kind: Doing
    place: str
    name: str
    begins: int
    ends: int
    price: Decimal | None
    per: str = "a person"
    passage: str = ""
    note: str = ""
    start: str = ""
    mode: str = ""
    km: float = 0.0
    overnight: bool = False
    invented: bool = False

    def cost(self, currency: str) -> str:
        """Its price in words; nothing for a way that is walked."""
        if self.kind == "way" and not self.price:
            return ""
        return priced(self.price, currency, self.per)


def planned(trip: Trip, what: str) -> Itinerary:
    """The days of a trip, for something that cannot be made without."""
    if trip.itinerary is None:
        raise UsageError(f"there is no {what} of a trip that is not planned: {trip.refusal}")
    return trip.itinerary


def entries(day: Day, atlas: Atlas) -> list[Entry]:
    """All that happens on a day in the order of the clock, and at last where one sleeps."""
    found = [
        Entry(
            kind="visit", place=one.place, name=one.name, begins=one.begins, ends=one.ends,
            price=_known(one.place, one.price, atlas), passage=one.passage, note=one.why,
            invented=_is_invented(one.place, atlas),
        )
        for one in day.visits
    ]  # fmt: skip
    found += [
        Entry(
            kind="meal", place=one.place, name=one.name, begins=one.begins,
            ends=one.begins + MEAL_MIN, price=_known(one.place, one.price, atlas),
            passage=one.passage, invented=_is_invented(one.place, atlas),
        )
        for one in day.meals
    ]  # fmt: skip
    found += [_leg_entry(leg, atlas) for leg in day.legs]
    found.sort(key=lambda one: (one.begins, one.ends))
    return found + ([_stay_entry(day.stay, atlas)] if day.stay else [])


def meal_word(begins: int) -> str:
    """`breakfast`, `lunch`, `dinner`: by when it begins."""
    if begins < _LUNCH_FROM:
        return "breakfast"
    return "lunch" if begins < _DINNER_FROM else "dinner"


def way_words(entry: Entry, atlas: Atlas) -> str:
    """`night train from Hue to Hanoi, 13 h`, `walk to the market, 11 min, 0.8 km`."""
    mode = f"overnight {entry.mode}" if entry.overnight else entry.mode
    origin = f" from {atlas.name_of(entry.start)}" if entry.kind == "leg" else ""
    far = f", {entry.km:.1f} km" if entry.km and entry.kind == "way" else ""
    return f"{mode}{origin} to {entry.name}, {duration(entry.ends - entry.begins)}{far}"


def route(itinerary: Itinerary) -> tuple[str, ...]:
    """The cities one comes to, by id, in order, each time one comes there."""
    every = [city for day in itinerary.days for city in day_route(day)]
    return tuple(city for place, city in enumerate(every) if place == 0 or every[place - 1] != city)


def day_route(day: Day) -> tuple[str, ...]:
    """Where a day begins, the cities it leads to, and where its night is."""
    legs = sorted((leg for leg in day.legs if leg.passage), key=lambda leg: leg.begins)
    every = [leg.start for leg in legs[:1]] + [leg.end for leg in legs] + [day.city]
    return tuple(city for place, city in enumerate(every) if place == 0 or every[place - 1] != city)


def title_of(itinerary: Itinerary, atlas: Atlas) -> str:
    """`4 days: Hue and Hoi An`."""
    days = len(itinerary.days)
    names = [atlas.name_of(one) for one in dict.fromkeys(route(itinerary))]
    return f"{days} {'day' if days == 1 else 'days'}: {joined(names)}"


def _leg_entry(leg: Leg, atlas: Atlas) -> Entry:
    between = bool(leg.passage)
    return Entry(
        kind="leg" if between else "way", place=leg.end, name=atlas.name_of(leg.end),
        begins=leg.begins, ends=leg.begins + leg.minutes, price=leg.price or None,
        per="a person" if between else "a car", passage=leg.passage, start=leg.start,
        mode=leg.mode, km=leg.km, overnight=leg.overnight,
    )  # fmt: skip


def _stay_entry(stay: Stay, atlas: Atlas) -> Entry:
    rooms = f"{stay.rooms} rooms" if stay.rooms != 1 else "1 room"
    return Entry(
        kind="stay", place=stay.place, name=stay.name, begins=24 * 60, ends=24 * 60,
        price=_known(stay.place, stay.price, atlas), per="a room", passage=stay.passage,
        note=rooms, invented=_is_invented(stay.place, atlas),
    )  # fmt: skip


def _known(place: str, price: Decimal, atlas: Atlas) -> Decimal | None:
    """A price of the plan; None where the place has none that is known."""
    known = atlas.places.get(place)
    return None if known is not None and known.price is None and not price else price


def _is_invented(place: str, atlas: Atlas) -> bool:
    known = atlas.places.get(place)
    return known is not None and known.invented
