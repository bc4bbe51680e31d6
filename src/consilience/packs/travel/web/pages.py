"""How is a trip shown on a page? The wish as chips to change, a verdict per line, days, the bill.

The functions give words and numbers for a template. Every chip is a link or a small form, so that
the page works without scripts. Only the map is markup: a drawing of our own, in which everything
from outside is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from consilience.packs.travel.agenda import (
    Entry,
    Source,
    day_entries,
    join_words,
    long_date,
    show_amount,
    sources_of,
    title_of,
)
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import Constraint
from consilience.packs.travel.exports import clash_words, svg, total_words
from consilience.packs.travel.itinerary import Day, Itinerary, Trip
from consilience.packs.travel.web.requests import TripRequest, trip_address
from consilience.packs.travel.wish import edited_json
from consilience.service.pages.words import plural, sentence

STEPS: Mapping[str, str] = {
    "analyse": "Understand the wish",
    "plan": "Decide what to search",
    "retrieve": "Search places",
    "compose": "Compose the days",
    "advise": "Advise and add up",
    "check": "Check and correct",
}
"""What each step is called."""
_FOLLOWING = dict(zip(STEPS, (*list(STEPS)[1:], ""), strict=True))
_STATUS = {
    "as wished": ("As wished", "good"),
    "planned": ("Planned, not all as wished", "warn"),
    "negotiated": ("Planned without something", "warn"),
    "impossible": ("Not planned", "bad"),
}
_VERDICTS = {"kept": "good", "broken": "bad", "unknown": "warn"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A constraint on the page: what it says, its words, its verdict, and how it is changed."""

    statement: str
    words: str
    hard: bool
    assumed: bool
    verdict: str
    colour: str
    reason: str
    remove: str
    toggle: str
    others: str
    """The edited wish without it, as JSON for a form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """Words that were not understood, and the wish without them for a form."""

    text: str
    others: str
    ignore: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing on a day, in words."""

    kind: str
    time: str
    name: str
    note: str
    cost: str
    number: int | None
    passage: str
    invented: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCard:
    """One day: its bar on the timeline and its items."""

    number: int
    date: str
    city: str
    items: tuple[Item, ...]
    bars: tuple[tuple[str, float, float, str], ...]
    night: Item | None


def plan_view(
    trip: Trip, atlas: Atlas, stages: Sequence[Mapping[str, Any]], space: str, asked: TripRequest
) -> dict[str, Any]:
    """All that a page shows of a trip."""
    sources, days = sources_of(trip, atlas), trip.itinerary
    numbers = {source.passage: source.number for source in sources}
    badge, colour = _STATUS[trip.status]
    bill = trip.advice.bill if trip.advice else None
    return {
        "title": title_of(days, atlas) if days else "No trip is planned",
        "badge": badge,
        "colour": colour,
        "reason": sentence(trip.reason) if trip.reason else "",
        "chips": list(_chips(trip, atlas, space, asked)),
        "leftover": list(_leftover(trip, space, asked)),
        "clashes": [clash_words(clash, atlas) for clash in trip.clashes],
        "faults": [fault.message for fault in trip.report.faults],
        "days": [_card(day, days, atlas, numbers) for day in days.days] if days else [],
        "gaps": list(map(sentence, days.gaps)) if days else [],
        "assumed": list(map(sentence, days.assumed)) if days else [],
        "map": Markup(svg(trip, atlas, alone=False)) if days else Markup(),  # noqa: S704 - our own
        "cost": f"{total_words(bill)} for {plural(days.people, 'person', 'people')}"
        if bill and days
        else "",
        "bill": _bill_rows(trip),
        "total": show_amount(bill.total, bill.currency) if bill else "",
        "unpriced": join_words(bill.unpriced) if bill else "",
        "advice": _advice(trip, numbers),
        "sources": sources,
        "invented": any(_is_invented(source, atlas) for source in sources),
        "stages": [step_view(stage) for stage in stages],
        "how": _how(trip),
        "notes": [sentence(note.message) for note in trip.notes],
    }


# --- the wish -----------------------------------------------------------------------------


def _chips(trip: Trip, atlas: Atlas, space: str, asked: TripRequest) -> Iterator[Chip]:
    checks = {id(line.constraint): line.check for line in trip.report.lines}
    every = list(trip.wish.constraints)
    for constraint in every:
        others = [other for other in every if other is not constraint]
        softer = replace(constraint, hard=not constraint.hard)  # type: ignore[type-var]
        toggled = [softer if other is constraint else other for other in every]
        check = checks.get(id(constraint))
        yield Chip(
            statement=constraint.state(atlas),
            words=constraint.span.text if constraint.span else "",
            hard=constraint.hard,
            assumed=constraint.assumed,
            verdict=check.verdict if check else "",
            colour=_VERDICTS.get(check.verdict, "") if check else "",
            reason=check.reason if check else "",
            remove=_address(trip, space, asked, others),
            toggle=_address(trip, space, asked, toggled),
            others=_edited(trip, others),
        )


def _leftover(trip: Trip, space: str, asked: TripRequest) -> Iterator[Leftover]:
    words = [span.text for span in trip.wish.leftover]
    for text in dict.fromkeys(words):
        rest = [other for other in words if other != text]
        edited = edited_json(trip.wish.constraints, rest)
        yield Leftover(
            text=text,
            others=json.dumps(edited, ensure_ascii=False),
            ignore=trip_address(space, "trip", _bare(asked, edited)),
        )


def _edited(trip: Trip, constraints: Sequence[Constraint]) -> str:
    words = [span.text for span in trip.wish.leftover]
    return json.dumps(edited_json(constraints, words), ensure_ascii=False)


def _address(trip: Trip, space: str, asked: TripRequest, constraints: Sequence[Constraint]) -> str:
    edited = edited_json(constraints, [span.text for span in trip.wish.leftover])
    return trip_address(space, "trip", _bare(asked, edited))


def _bare(asked: TripRequest, edited: dict[str, Any]) -> TripRequest:
    """The same wish by its edited constraints alone: options are among them already."""
    return TripRequest(wish=asked.wish, edited=edited)


# --- days ---------------------------------------------------------------------------------


def _card(day: Day, itinerary: Itinerary, atlas: Atlas, numbers: Mapping[str, int]) -> DayCard:
    entries = day_entries(day, atlas)
    items = [_item(entry, itinerary, numbers) for entry in entries]
    return DayCard(
        number=day.number,
        date=long_date(day.date) if day.date else "",
        city=atlas.name_of(day.city),
        items=tuple(item for item in items if item.kind != "stay"),
        bars=tuple(_bar(entry) for entry in entries if entry.kind != "stay"),
        night=next((item for item in items if item.kind == "stay"), None),
    )


def _item(entry: Entry, itinerary: Itinerary, numbers: Mapping[str, int]) -> Item:
    return Item(
        kind=entry.kind,
        time=entry.time,
        name=entry.name,
        note=entry.note,
        cost=entry.cost(itinerary.currency),
        number=numbers.get(entry.passage),
        passage=entry.passage,
        invented=entry.invented,
    )


def _bar(entry: Entry) -> tuple[str, float, float, str]:
    """Kind, start and width in per cent of the hours from 6 to 24, and what it is."""
    first, last = 6 * 60, 24 * 60
    start, end = max(entry.start, first), min(entry.end, last)
    share = 100 / (last - first)
    left, width = round((start - first) * share, 2), round(max(0, end - start) * share, 2)
    return entry.kind, left, width, f"{entry.time} {entry.name}"


# --- what stands around them --------------------------------------------------------------


def _bill_rows(trip: Trip) -> list[tuple[str, str, str, str]]:
    bill = trip.advice.bill if trip.advice else None
    if bill is None:
        return []
    return [
        (
            f"{cost.what[:1].upper()}{cost.what[1:]}",
            f"{cost.count:,}",
            show_amount(cost.each, bill.currency),
            show_amount(cost.total, bill.currency),
        )
        for cost in bill.costs
    ]


def _advice(
    trip: Trip, numbers: Mapping[str, int]
) -> list[tuple[str, list[tuple[str, list[tuple[int, str]]]]]]:
    """Subjects with tips, each with the numbers and ids of the passages it cites."""
    if trip.advice is None:
        return []
    return [
        (
            subject,
            [
                (sentence(tip.text), [(numbers[found], found) for found in tip.passages])
                for tip in tips
            ],
        )
        for subject, tips in trip.advice.subjects().items()
    ]


def _is_invented(source: Source, atlas: Atlas) -> bool:
    return source.place in atlas.places and atlas.places[source.place].invented


def _how(trip: Trip) -> str:
    """`read by the grammar; worth 1,240 of at most 1,260 on this route`."""
    parts = [f"read by the {trip.steps.get('analyse', 'grammar')}"]
    if trip.value is not None and trip.bound is not None:
        parts.append(f"worth {trip.value:,.0f} of at most {trip.bound:,.0f} on this route")
    return "; ".join(parts)


def step_view(stage: Mapping[str, Any]) -> dict[str, Any]:
    """A step as a page shows it: its name, what came of it, and what comes next."""
    following = _FOLLOWING.get(stage["step"], "")
    return {
        "label": STEPS.get(stage["step"], stage["step"]),
        "summary": stage["summary"],
        "next": STEPS.get(following, ""),
    }


# --- the form -----------------------------------------------------------------------------


def form_view(space: str, atlas: Atlas, asked: TripRequest | None, *, model: str) -> dict[str, Any]:
    """What the form has: wishes to begin with, cities by name, currencies, the language model."""
    own = atlas.currency
    kept = asked.budget.currency.upper() if asked and asked.budget else ""
    known = [name for name in dict.fromkeys((own, *atlas.rates)) if name]
    return {
        "examples": example_links(space, atlas),
        "cities": sorted(city.name for city in atlas.cities()),
        "currencies": known,
        "currency": kept or ("USD" if "USD" in known else own),
        "model": model,
        "events": trip_address(space, "trip/events", asked, html="1") if asked else "",
        "whole": trip_address(space, "trip", asked, whole="1") if asked else "",
        "chosen": chosen_words(asked) if asked else "",
    }


def example_links(space: str, atlas: Atlas) -> list[tuple[str, str]]:
    """Wishes to begin with, and where each is planned."""
    return [
        (wish, trip_address(space, "trip", TripRequest(wish=wish)))
        for wish in example_wishes(atlas)
    ]


def chosen_words(asked: TripRequest) -> str:
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


def example_wishes(atlas: Atlas) -> list[str]:
    """Three wishes that these places can meet: the last names the two cities with the most."""
    found = [
        "A romantic four-day trip, good food, no hiking, mid-range",
        "A relaxed week for a family with two children: beaches, nature and animals",
    ]
    cities = sorted(atlas.cities(), key=lambda city: (-len(atlas.inside.get(city.id, ())), city.id))
    for first in cities[:1]:
        near = [other for other in cities[1:] if atlas.direct(first.id, other.id)]
        near.sort(key=lambda other: (atlas.km(first.id, other.id) or 0.0, other.id))
        where = join_words([first.name, *(other.name for other in near[:1])])
        found.append(f"Five days in {where} for history and street food, on a budget")
    return found


def links(space: str, asked: TripRequest, trip: Trip) -> list[tuple[str, str]]:
    """Where a trip can be had as a file, by what it is; a calendar only with a date."""
    as_json = ("JSON", trip_address(space, "trip", asked, format="json"))
    if trip.itinerary is None:
        return [as_json]
    dated = any(day.date for day in trip.itinerary.days)
    kinds = [("Calendar", "trip.ics")] if dated else []
    kinds += [("Markdown", "trip.md"), ("GeoJSON", "trip.geojson"), ("Map", "trip.svg")]
    return [*((name, trip_address(space, what, asked)) for name, what in kinds), as_json]
