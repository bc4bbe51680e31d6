"""How is a day written down? On a sheet, by the clock; then with names, prices and reasons."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.composing.boarding import Table, meal_slot
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.choosing import Chosen
from consilience.packs.travel.trips.composing.diary import Diary
from consilience.packs.travel.trips.composing.frames import Frame
from consilience.packs.travel.trips.types import Day, Leg, Meal, Slot, Stay, Visit


@dataclass(slots=True)
class Sheet:
    """A day as far as it is written: the time, where one is, and what was done."""

    frame: Frame
    now: int
    city: str
    at: Place | None
    seen: list[tuple[Slot, Chosen]] = field(default_factory=list)
    eaten: list[Table] = field(default_factory=list)
    legs: list[Leg] = field(default_factory=list)

    def copied(self) -> Sheet:
        """A copy to try something on."""
        other = copy(self)
        other.seen, other.eaten, other.legs = list(self.seen), list(self.eaten), list(self.legs)
        return other

    def take(self, other: Sheet) -> None:
        """Go on from what was tried on a copy."""
        self.seen, self.eaten, self.legs = other.seen, other.eaten, other.legs
        self.now, self.at, self.city = other.now, other.at, other.city


def written_day(sheet: Sheet, diary: Diary) -> Day:
    """The day of a sheet, with names, prices and citations."""
    frame = sheet.frame
    legs = sorted((*frame.legs, *sheet.legs), key=lambda one: one.begins)
    return Day(
        number=frame.number,
        city=frame.city,
        visits=tuple(_as_visit(slot, one, diary.brief) for slot, one in sheet.seen),
        meals=tuple(_as_meal(one) for one in sheet.eaten),
        legs=tuple(legs),
        stay=stay_of(diary.beds.get(frame.city), diary.brief) if frame.sleeps else None,
        on=frame.on,
    )


def _as_visit(slot: Slot, chosen: Chosen, brief: Brief) -> Visit:
    place = chosen.place
    return Visit(
        slot=slot,
        place=place.id,
        name=place.name,
        begins=chosen.begins,
        ends=chosen.ends,
        price=place.price or Decimal(0),
        passage=place.passage,
        why=reason(place, brief),
    )


def _as_meal(table: Table) -> Meal:
    place = table.place
    return Meal(
        slot=meal_slot(table.begins),
        place=place.id,
        name=place.name,
        begins=table.begins,
        price=place.price or Decimal(0),
        passage=place.passage,
    )


def stay_of(bed: Place | None, brief: Brief) -> Stay | None:
    """A night in a bed, for everybody."""
    if bed is None:
        return None
    return Stay(
        place=bed.id,
        name=bed.name,
        rooms=brief.wish.group.rooms,
        price=bed.price or Decimal(0),
        passage=bed.passage,
    )


def reason(place: Place, brief: Brief) -> str:
    """Why a place is in the trip: for the theme of the wish that it suits best."""
    if place.id in brief.wish.must:
        return "asked for"
    themes = brief.wish.themes or place.themes
    suited = [one for one in sorted(themes) if place.themes.get(one)] or sorted(place.themes)
    if not suited:
        return ""
    best = max(suited, key=lambda one: place.themes[one] * themes.get(one, 1))
    why = place.whys.get(best, "")
    return f"{best}: {why}" if why else best
