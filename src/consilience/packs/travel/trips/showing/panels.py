"""Which maps does a trip need? One of the whole way, where it leads through cities, and one a city.

Stops of a city lie too near one another for a map of a country; each city has its own, then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.geography import Point
from consilience.packs.travel.trips.showing.agenda import day_route, meal_word, way_words
from consilience.packs.travel.trips.showing.stops import (
    Line,
    Stop,
    lines_of,
    point_of,
    stops_of,
)
from consilience.packs.travel.trips.types import Itinerary
from consilience.packs.travel.trips.wording import duration, joined

_KINDS = ("visit", "stay", "meal")  # in the order in which they get labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place with its number, coloured by its day; `told` says all of it, `name` is its label."""

    point: Point
    number: str
    day: int
    name: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A way on a map; one between cities has a `name` and a direction, others are thin."""

    ends: tuple[Point, Point]
    mode: str
    day: int
    told: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One map, of a city or of the `whole` way.

    `listed` are the stops of each day in words; `missing` those that it cannot show, as nobody
    knows where they are.
    """

    title: str
    marks: tuple[Mark, ...]
    strokes: tuple[Stroke, ...]
    listed: tuple[tuple[int, str], ...] = ()
    missing: tuple[str, ...] = ()
    whole: bool = False


def panels_of(itinerary: Itinerary, atlas: Atlas) -> tuple[Panel, ...]:
    """The maps of a trip, the whole way first."""
    stops, lines = stops_of(itinerary, atlas), lines_of(itinerary, atlas)
    cities = _days_in(itinerary, atlas)
    found = [_overview(cities, lines, atlas)] if len(cities) > 1 else []
    for city in cities:
        here = [one for one in stops if one.city == city]
        if here:
            found.append(_city_panel(city, here, lines, atlas))
    return tuple(one for one in found if one.marks or one.missing)


def _days_in(itinerary: Itinerary, atlas: Atlas) -> dict[str, list[int]]:
    """The cities in the order in which one comes there, with the days one is there."""
    found: dict[str, list[int]] = {}
    for day in itinerary.days:
        visited = [atlas.city_of(one.place) for one in day.visits]
        for city in dict.fromkeys((*day_route(day), *visited)):
            if city:
                found.setdefault(city, []).append(day.number)
    return found


def _overview(cities: dict[str, list[int]], lines: Sequence[Line], atlas: Atlas) -> Panel:
    marks, missing = [], []
    for city, days in cities.items():
        point, name = point_of(city, atlas), atlas.name_of(city)
        told = f"{name}, {'day' if len(days) == 1 else 'days'} {_runs(days)}"
        if point is None:
            missing.append(told)
        else:
            marks.append(Mark(point=point, number=_runs(days), day=days[0], name=name, told=told))
    legs = [one for one in lines if one.entry.kind == "leg"]
    return Panel(
        title="The whole way",
        marks=tuple(marks),
        strokes=tuple(_stroke(one, atlas) for one in legs if one.ends),
        missing=tuple(missing),
        whole=True,
    )


def _city_panel(city: str, stops: Sequence[Stop], lines: Sequence[Line], atlas: Atlas) -> Panel:
    places: dict[str, list[Stop]] = {}
    for stop in sorted(stops, key=lambda one: _KINDS.index(one.entry.kind)):
        places.setdefault(stop.entry.place, []).append(stop)
    located = {place for place, same in places.items() if same[0].point is not None}
    ways = [one for one in lines if one.entry.kind == "way"]
    return Panel(
        title=atlas.name_of(city),
        marks=tuple(_mark(same) for place, same in places.items() if place in located),
        strokes=tuple(
            _stroke(one, atlas)
            for one in ways
            if one.ends and {one.entry.start, one.entry.place} <= located
        ),
        listed=_listed([one for one in stops if one.entry.place in located]),
        missing=tuple(_told(same) for place, same in places.items() if place not in located),
    )


def _listed(stops: Sequence[Stop]) -> tuple[tuple[int, str], ...]:
    days = dict.fromkeys(one.day for one in stops)
    return tuple((day, "; ".join(_told([one]) for one in stops if one.day == day)) for day in days)


def _mark(same: Sequence[Stop]) -> Mark:
    first = same[0]
    point = first.point or Point(0.0, 0.0)  # only stops with one come here
    number = first.number + ("+" if len(same) > 1 else "")
    name = first.entry.name
    return Mark(point=point, number=number, day=first.day, name=name, told=_told(same))


def _told(same: Sequence[Stop]) -> str:
    """`1.2 Hotel Aurel (night)`, with every number that the place has."""
    entry = same[0].entry
    kinds = {"meal": f" ({meal_word(entry.begins)})", "stay": " (night)"}
    numbers = joined([one.number for one in same])
    return f"{numbers} {entry.name}{kinds.get(entry.kind, '')}"


def _stroke(line: Line, atlas: Atlas) -> Stroke:
    entry = line.entry
    between = entry.kind == "leg"
    return Stroke(
        ends=line.ends or (Point(0.0, 0.0), Point(0.0, 0.0)),  # only lines with ends come here
        mode=entry.mode,
        day=line.day,
        told=f"day {line.day}: {way_words(entry, atlas)}",
        name=f"{line.day}: {entry.mode} {duration(entry.ends - entry.begins)}" if between else "",
    )


def _runs(days: Iterable[int]) -> str:
    """`1–2, 5`."""
    runs: list[list[int]] = []
    for day in days:
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
