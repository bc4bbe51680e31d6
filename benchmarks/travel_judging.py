"""Does a plan keep its promises? By the files of places as they lie, and by what was drawn."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from opening_hours import OpeningHours
from travel_wishes import Drawn, is_avoided

from consilience.packs.travel.trips.types import Day, Itinerary, Trip
from consilience.workspace import Workspace

Places = Mapping[str, Mapping[str, Any]]
Ways = Mapping[tuple[str, str, str], list[tuple[int, int]]]
WEEK = 7
DOLLAR = 26_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the files say: places by id, ways by ends and mode with minutes and price."""

    places: Places
    ways: Ways


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A promise that a plan does not keep."""

    promise: str
    told: str


def ground(folder: Path) -> Ground:
    places: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        for one in json.loads(path.read_text(encoding="utf-8")):
            kind = one["type"] if one["type"] in ("region", "country") else "city"
            places[one["id"]] = _place(one, kind, one["lat"], one["lon"])
    for path in sorted(folder.glob("*.geojson")):
        for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
            lon, lat = feature["geometry"]["coordinates"]
            one = feature["properties"]
            places[one["id"]] = _place(one, one["category"], lat, lon)
    for start, kind in (("stays", "stay"), ("food", "food")):
        for path in sorted(folder.glob(f"{start}-*.csv")):
            with path.open(encoding="utf-8") as lines:
                for row in csv.DictReader(lines):
                    places[row["id"]] = _place(row, kind, float(row["lat"]), float(row["lon"]))
    ways: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    with (folder / "transport.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            cost = (int(row["minutes"]), int(row["price"]))
            ways.setdefault((row["from"], row["to"], row["mode"]), []).append(cost)
            if row["both_ways"] == "yes":
                ways.setdefault((row["to"], row["from"], row["mode"]), []).append(cost)
    return Ground(places=places, ways=ways)


def _place(one: Mapping[str, Any], kind: str, lat: float, lon: float) -> dict[str, Any]:
    suits = one.get("suits") or []
    if isinstance(suits, str):
        pairs = [part.rsplit(" ", 1) for part in suits.split(";") if part.strip()]
        themes = {theme.strip(): float(strength) for theme, strength in pairs}
        features = [part.strip() for part in one["features"].split(";")]
    else:
        themes = {part["theme"]: part["strength"] for part in suits}
        features = one.get("features", [])
    return {
        "name": one["name"],
        "kind": kind,
        "type": one.get("type", ""),
        "city": one.get("city", ""),
        "price": int(one.get("price") or 0),
        "hours": one.get("hours", ""),
        "minutes": int(one.get("visit_minutes") or 0),
        "from": one.get("day_trip_from", []),
        "level": one.get("level", ""),
        "themes": themes,
        "features": features,
        "lat": lat,
        "lon": lon,
    }


def faults(wish: Drawn, trip: Trip, files: Ground, space: Workspace) -> list[Broken]:
    """Every promise that a plan does not keep; a refused one has made none."""
    if trip.itinerary is None or trip.advice is None:
        return []
    return [
        *_places(trip.itinerary, files, space),
        *_ways(trip.itinerary, files),
        *_clock(trip.itinerary, files),
        *_wishes(wish, trip.itinerary, files),
        *_money(wish, trip, files),
    ]


def _uses(day: Day) -> Iterator[tuple[str, str, Decimal, str]]:
    for visit in day.visits:
        yield visit.place, visit.name, visit.price, visit.passage
    for meal in day.meals:
        yield meal.place, meal.name, meal.price, meal.passage
    if day.stay:
        yield day.stay.place, day.stay.name, day.stay.price, day.stay.passage


def _places(days: Itinerary, files: Ground, space: Workspace) -> Iterator[Broken]:
    cited = {use[3] for day in days.days for use in _uses(day)}
    cited |= {leg.passage for day in days.days for leg in day.legs if leg.passage}
    passages = space.catalogue.get(sorted(cited))
    for day in days.days:
        for place, name, price, passage in _uses(day):
            known = files.places.get(place)
            if known is None or known["name"] != name:
                yield Broken(promise="exists", told=f"day {day.number}: {name}")
            elif price != known["price"]:
                yield Broken(promise="price", told=f"{name}: {price}, not {known['price']}")
            if passage not in passages or name not in passages[passage].text:
                yield Broken(promise="cited", told=f"day {day.number}: {name}")
        for leg in day.legs:
            if leg.passage and leg.passage not in passages:
                yield Broken(promise="cited", told=f"day {day.number}: {leg.start} to {leg.end}")


def _ways(days: Itinerary, files: Ground) -> Iterator[Broken]:
    here = ""
    for day in days.days:
        for leg in sorted(day.legs, key=lambda one: one.begins):
            if not leg.passage:
                continue
            told = f"day {day.number}: {leg.mode} {leg.start} to {leg.end}"
            known = files.ways.get((leg.start, leg.end, leg.mode), [])
            if (leg.minutes, leg.price) not in known:
                yield Broken(promise="way exists", told=told)
            if here and leg.start != here:
                yield Broken(promise="way joins", told=f"{told}, being in {here}")
            if not leg.overnight and (leg.minutes > 540 or leg.begins + leg.minutes > 1440):
                yield Broken(promise="way fits the day", told=told)
            here = leg.end
        if here and day.city != here:
            yield Broken(promise="way joins", told=f"day {day.number}: in {day.city}, not {here}")
        here = day.city
        for visit in day.visits:
            known_place = files.places.get(visit.place, {"city": "", "from": []})
            towns = {day.city, *(leg.start for leg in day.legs if leg.passage)}
            if not towns & {known_place["city"], *known_place["from"]}:
                told = f"day {day.number}: {visit.name} is not in {day.city}"
                yield Broken(promise="right city", told=told)


def _clock(days: Itinerary, files: Ground) -> Iterator[Broken]:
    seen = set[str]()
    for day in days.days:
        spans = sorted(
            [(one.begins, one.ends, one.name) for one in day.visits]
            + [(one.begins, one.begins + 60, one.name) for one in day.meals]
            + [(one.begins, one.begins + one.minutes, one.mode) for one in day.legs]
        )
        for before, after in itertools.pairwise(spans):
            if after[0] < before[1]:
                yield Broken(promise="no overlap", told=f"day {day.number}: {before} {after}")
        if not day.visits and sum(leg.minutes for leg in day.legs if leg.passage) < 300:
            yield Broken(promise="day filled", told=f"day {day.number}")
        for visit in day.visits:
            if visit.place in seen:
                yield Broken(promise="no repeats", told=visit.name)
            seen.add(visit.place)
            hours = files.places.get(visit.place, {}).get("hours", "")
            if hours and day.on and not _open(hours, day, visit.begins, visit.ends):
                yield Broken(promise="open", told=f"{visit.name} on {day.on}: {hours}")


def _open(hours: str, day: Day, begins: int, ends: int) -> bool:
    from datetime import datetime, time  # noqa: PLC0415

    assert day.on is not None
    midnight = datetime.combine(day.on, time())
    known = OpeningHours(hours)
    minutes = (begins, (begins + ends) // 2, ends - 1)
    return all(known.is_open(midnight + timedelta(minutes=one)) for one in minutes)


def _wishes(wish: Drawn, days: Itinerary, files: Ground) -> Iterator[Broken]:
    used = {use[0] for day in days.days for use in _uses(day)}
    towns = {day.city for day in days.days}
    if len(days.days) != wish.days:
        yield Broken(promise="days", told=f"{len(days.days)}, not {wish.days}")
    for place in wish.must:
        inside = place in used or place in towns
        if not inside and place not in {
            files.places[one]["city"] for one in used if one in files.places
        }:
            yield Broken(promise="must", told=files.places[place]["name"])
    for day in days.days:
        yield from _day(wish, day, files)
    if wish.start and days.days:
        first = days.days[0]
        ways = sorted((leg for leg in first.legs if leg.passage), key=lambda one: one.begins)
        if (ways[0].start if ways else first.city) != wish.start:
            yield Broken(promise="start", told=f"not {wish.start}")


def _day(wish: Drawn, day: Day, files: Ground) -> Iterator[Broken]:
    for visit in day.visits:
        known = files.places.get(visit.place)
        if known and is_avoided(known, wish.avoid) and visit.place not in wish.must:
            yield Broken(promise="avoid", told=f"{visit.name} ({wish.avoid})")
    for leg in day.legs:
        if ("modes", leg.mode) in wish.avoid:
            yield Broken(promise="avoid", told=leg.mode)
    if wish.starts_on and day.on != wish.starts_on + timedelta(days=day.number - 1):
        yield Broken(promise="dates", told=f"day {day.number} on {day.on}")
    if wish.level and day.stay and files.places[day.stay.place]["level"] != wish.level:
        yield Broken(promise="level", told=f"{day.stay.name}")


def _money(wish: Drawn, trip: Trip, files: Ground) -> Iterator[Broken]:
    assert trip.itinerary is not None
    assert trip.advice is not None
    people, rooms, cars = wish.people, -(-wish.people // 2), -(-wish.people // 4)
    total = Decimal(0)
    for day in trip.itinerary.days:
        for one in (*day.visits, *day.meals):
            total += files.places.get(one.place, {"price": 0})["price"] * people
        if day.stay:
            total += files.places[day.stay.place]["price"] * day.stay.rooms
            if not max(1, -(-people // 4)) <= day.stay.rooms <= rooms:
                yield Broken(promise="rooms", told=f"{day.stay.rooms} for {people}")
        for leg in day.legs:
            total += leg.price * (people if leg.passage else cars)
    bill = trip.advice.bill
    if bill is None or bill.total != total or sum(one.total for one in bill.costs) != total:
        yield Broken(promise="arithmetic", told=f"{bill.total if bill else None}, not {total}")
    if wish.budget_usd is not None:
        most = wish.budget_usd * DOLLAR * (wish.days if wish.per_day else 1)
        if total > most:
            yield Broken(promise="budget", told=f"{total} of {most}")
