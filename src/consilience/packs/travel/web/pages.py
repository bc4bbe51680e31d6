"""How is a trip shown on a page? Its form, its days as cards, its bill, and what is around them.

The functions give words and numbers for a template. Only the map is markup: a drawing of our own,
in which everything from outside is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import rounded, told
from consilience.packs.travel.trips.bill import costs_of
from consilience.packs.travel.trips.checking import RULES
from consilience.packs.travel.trips.checking.spans import DAY_MIN, clock
from consilience.packs.travel.trips.showing.agenda import Entry, entries, meal_word, title_of
from consilience.packs.travel.trips.showing.blocks import Lines
from consilience.packs.travel.trips.showing.citing import Source, numbers_of, sources_of
from consilience.packs.travel.trips.showing.drawing import svg
from consilience.packs.travel.trips.showing.paying import bill_blocks
from consilience.packs.travel.trips.showing.understanding import understood
from consilience.packs.travel.trips.types import (
    Advice,
    Compromise,
    Day,
    Finding,
    Itinerary,
    Trip,
)
from consilience.packs.travel.trips.wording import day_of, duration, joined
from consilience.packs.travel.web.requests import TripRequest, trip_address
from consilience.service.pages.words import plural, sentence

STEPS: Mapping[str, str] = {
    "analyse": "Understand the wish",
    "plan": "Decide what to search",
    "retrieve": "Search places",
    "compose": "Compose the days",
    "advise": "Advise and add up",
    "check": "Check",
}
"""What each step is called."""
_NEXT = {"analyse": "plan", "plan": "retrieve", "retrieve": "compose", "compose": "advise"}
_SUBJECTS = (
    ("transport", "Getting there and around"),
    ("season", "Season"),
    ("booking", "Booking"),
    ("safety", "Safety"),
)
_PARTS = (("Morning", 12 * 60), ("Afternoon", 18 * 60), ("Evening", 2 * DAY_MIN))
_STATUS = {
    "planned": ("Planned as wished", "good"),
    "negotiated": ("Planned with compromises", "warn"),
    "refused": ("Not planned", "bad"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A citation: its number and the passage that it leads to."""

    number: int
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing on a day: when, what, why, for how much, and what tells of it."""

    kind: str
    time: str
    name: str
    lead: str = ""
    note: str = ""
    cost: str = ""
    mark: Mark | None = None
    invented: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a day, in the order of the clock."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A day: its date in words, the cities that it leads through, its parts and its night."""

    number: int
    date: str
    cities: tuple[str, ...]
    parts: tuple[Part, ...]
    night: Item | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much of a trip a theme is: where its slice begins, and how wide it is, in per cent."""

    theme: str
    start: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A sentence of advice and what bears it out."""

    text: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A trip as a page shows it."""

    title: str
    badge: str
    colour: str
    refusal: str
    offers: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    shares: tuple[Share, ...]
    assumed: tuple[str, ...]
    missed: tuple[tuple[str, str], ...]
    compromises: tuple[Compromise, ...]
    days: tuple[Card, ...]
    gaps: tuple[str, ...]
    map: Markup
    cost: str
    currency: str
    total: str
    purses: tuple[Purse, ...]
    comparing: tuple[tuple[str, str], ...]
    advice: tuple[tuple[str, tuple[Tip, ...]], ...]
    findings: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...]
    invented: bool
    stages: tuple[Mapping[str, Any], ...]
    summary: str
    notes: tuple[str, ...]


def plan(trip: Trip, atlas: Atlas, stages: Sequence[Mapping[str, Any]]) -> Plan:
    """All that a page shows of a trip."""
    sources, wish, days = sources_of(trip, atlas), trip.wish, trip.itinerary
    numbers = numbers_of(sources)
    badge, colour = _STATUS[trip.status]
    bill = trip.advice.bill if trip.advice else None
    is_trip = not wish.off_topic
    return Plan(
        title=title_of(days, atlas) if days else "No trip is planned",
        badge=badge,
        colour=colour,
        refusal=sentence(trip.refusal) if trip.refusal else "",
        offers=tuple(f"{one[:1].upper()}{one[1:]}" for one in trip.offers),
        facts=tuple(one for one in understood(wish, atlas) if one[0] != "Themes")
        if is_trip
        else (),
        shares=tuple(_shares(wish.themes)) if is_trip else (),
        assumed=tuple(map(sentence, (trip.granted or wish).assumed)),
        missed=tuple(_missed(trip)),
        compromises=_chosen(trip),
        days=tuple(_card(day, days, atlas, numbers) for day in days.days) if days else (),
        gaps=tuple(map(sentence, days.gaps)) if days else (),
        map=Markup(svg(trip, atlas, alone=False)) if days else Markup(),  # noqa: S704 - our own
        cost=cost(trip),
        currency=bill.currency if bill else "",
        total=f"{rounded(bill.total, bill.currency):,}" if bill else "",
        purses=tuple(purses(trip, atlas)),
        comparing=tuple(comparing(trip, atlas)),
        advice=tuple(_advice(trip.advice or Advice(), numbers)),
        findings=tuple((_when(one), sentence(one.message)) for one in trip.findings),
        sources=sources,
        invented=any(_is_invented(one.place, atlas) for one in sources),
        stages=tuple(step_view(one) for one in stages),
        summary=_summary(trip, stages),
        notes=tuple(sentence(one.message) for one in trip.notes),
    )


# --- what was understood ----------------------------------------------------------------


def _shares(themes: Mapping[str, int]) -> Iterator[Share]:
    start = 0
    for theme, share in themes.items():
        yield Share(theme=theme, start=start, width=share)
        start += share


def _missed(trip: Trip) -> Iterator[tuple[str, str]]:
    if trip.wish.unknown:
        yield "Not known here", joined(trip.wish.unknown)
    if trip.wish.unclear:
        yield "Not understood", joined(trip.wish.unclear)


def _chosen(trip: Trip) -> tuple[Compromise, ...]:
    """What is otherwise than wished; what could not be mended has a place of its own."""
    faults = {RULES.get(one.rule) for one in trip.findings}
    return tuple(one for one in trip.compromises if one.wanted not in faults)


def _when(finding: Finding) -> str:
    return f"Day {finding.day}" if finding.day else "The trip as a whole"


# --- days -------------------------------------------------------------------------------


def _card(day: Day, itinerary: Itinerary, atlas: Atlas, numbers: Mapping[str, int]) -> Card:
    items = [(one, _item(one, itinerary, atlas, numbers)) for one in entries(day, atlas)]
    ways = [leg for leg in day.legs if leg.passage]
    cities = (*(leg.start for leg in ways[:1]), *(leg.end for leg in ways), day.city)
    named = [atlas.name_of(one) for one in cities]
    return Card(
        number=day.number,
        date=day_of(day.on) if day.on else "",
        cities=tuple(one for before, one in pairwise(["", *named]) if one != before),
        parts=tuple(_parts([one for one in items if one[0].kind != "stay"])),
        night=next((item for entry, item in items if entry.kind == "stay"), None),
    )


def _parts(items: Sequence[tuple[Entry, Item]]) -> Iterator[Part]:
    since = -DAY_MIN
    for name, until in _PARTS:
        found = tuple(item for entry, item in items if since <= entry.begins < until)
        since = until
        if found:
            yield Part(name=name, items=found)


def _item(entry: Entry, itinerary: Itinerary, atlas: Atlas, numbers: Mapping[str, int]) -> Item:
    cited = entry.passage
    mark = Mark(number=numbers[cited], passage=cited) if cited else None
    is_way = entry.kind in ("leg", "way")
    return Item(
        kind=entry.kind,
        time=_time(entry),
        name=_way(entry, atlas) if is_way else entry.name,
        lead=f"{meal_word(entry.begins).capitalize()} at" if entry.kind == "meal" else "",
        note=_lasting(entry) if is_way else entry.note,
        cost=entry.cost(itinerary.currency),
        mark=mark,
        invented=entry.invented,
    )


def _way(entry: Entry, atlas: Atlas) -> str:
    """`Train from Hue to Da Nang`, `Walk`."""
    mode = f"overnight {entry.mode}" if entry.overnight else entry.mode
    ends = f" from {atlas.name_of(entry.start)} to {entry.name}" if entry.kind == "leg" else ""
    return f"{mode[:1].upper()}{mode[1:]}{ends}"


def _lasting(entry: Entry) -> str:
    far = f", {entry.km:.1f} km" if entry.km else ""
    return f"{duration(entry.ends - entry.begins)}{far}"


def _time(entry: Entry) -> str:
    if entry.kind == "stay":
        return "Night"
    return f"{clock(entry.begins % DAY_MIN)}–{clock(entry.ends % DAY_MIN)}"


# --- what stands around them ------------------------------------------------------------


def _advice(advice: Advice, numbers: Mapping[str, int]) -> Iterator[tuple[str, tuple[Tip, ...]]]:
    for part, title in _SUBJECTS:
        tips = tuple(
            Tip(
                text=sentence(tip.text),
                marks=tuple(Mark(number=numbers[one], passage=one) for one in tip.passages),
            )
            for tip in getattr(advice, part)
        )
        if tips:
            yield title, tips


def _is_invented(place: str, atlas: Atlas) -> bool:
    return place in atlas.places and atlas.places[place].invented


def _summary(trip: Trip, stages: Sequence[Mapping[str, Any]]) -> str:
    """`How this was planned: 9 steps, 2 rounds of checking, 1 fault mended`."""
    parts = [plural(len(stages), "step")]
    if trip.rounds:
        parts.append(plural(len(trip.rounds), "round") + " of checking")
        mended = len(trip.rounds[0].findings) - len(trip.findings)
        parts += [f"{plural(mended, 'fault')} mended"] if mended > 0 else []
    models = sorted(set(trip.steps.values()) - {"reckoned"})
    parts += [f"with {joined(models)}"] if models else []
    return f"How this was planned: {', '.join(parts)}"


def step_view(stage: Mapping[str, Any]) -> dict[str, Any]:
    """A step as a page shows it: its name, what it said, what it found, and what comes next."""
    found, number = stage["findings"], stage["round"]
    following = _NEXT.get(stage["step"], "compose" if found else "")
    if stage["step"] == "advise":
        following = "check"
    return {
        "label": STEPS.get(stage["step"], stage["step"]),
        "said": stage["said"],
        "again": f"round {number}" if number > 1 and stage["step"] != "check" else "",
        "findings": [{"message": sentence(one["message"]), "day": one["day"]} for one in found],
        "next": STEPS.get(following, ""),
    }


# --- the bill ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A line of the budget table, in words; where prices differ, `each` is the range of them."""

    what: str
    count: str
    each: str
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purse:
    """One part of the budget table: what it is for, its lines and their sum."""

    name: str
    total: str
    lines: tuple[Paid, ...]


def cost(trip: Trip) -> str:
    """`10,016,000 VND for 2 people`, and what that is in the currency of the wish."""
    bill = trip.advice.bill if trip.advice else None
    if bill is None:
        return ""
    people = (trip.granted or trip.wish).group.people
    own = told(bill.total, bill.currency)
    if bill.converted is not None and bill.in_currency != bill.currency:
        own = f"{own} ({told(bill.converted, bill.in_currency)})"
    return f"{own} for {plural(people, 'person', 'people')}"


def purses(trip: Trip, atlas: Atlas) -> Iterator[Purse]:
    """The budget table by what is paid for; the lines are those of the bill, and add up to it."""
    if trip.itinerary is None or trip.advice is None or trip.advice.bill is None:
        return
    group, currency = (trip.granted or trip.wish).group, trip.advice.bill.currency
    for name, days in _kinds(trip.itinerary):
        lines: dict[str, list[tuple[int, Decimal]]] = {}
        for one in costs_of(replace(trip.itinerary, days=days), group, atlas):
            if one.total:
                lines.setdefault(one.what, []).append((one.count, one.each))
        if lines:
            total = sum(
                (times * each for line in lines.values() for times, each in line), Decimal()
            )
            yield Purse(
                name=name,
                total=f"{rounded(total, currency):,}",
                lines=tuple(_paid(what, line, currency) for what, line in lines.items()),
            )


def _kinds(itinerary: Itinerary) -> Iterator[tuple[str, tuple[Day, ...]]]:
    """The days of an itinerary with nothing on them but what is paid for in one way."""
    bare = [replace(day, visits=(), meals=(), legs=(), stay=None) for day in itinerary.days]
    both = list(zip(bare, itinerary.days, strict=True))
    yield "Nights", tuple(replace(one, stay=day.stay) for one, day in both)
    for name, between in (("From city to city", True), ("In town", False)):
        legs = [tuple(leg for leg in day.legs if bool(leg.passage) == between) for _, day in both]
        yield name, tuple(replace(one, legs=found) for one, found in zip(bare, legs, strict=True))
    yield "Visits", tuple(replace(one, visits=day.visits) for one, day in both)
    yield "Meals", tuple(replace(one, meals=day.meals) for one, day in both)


def _paid(what: str, line: Sequence[tuple[int, Decimal]], currency: str) -> Paid:
    each = sorted({rounded(price, currency) for _, price in line})
    total = sum((times * price for times, price in line), Decimal())
    return Paid(
        what=f"{what[:1].upper()}{what[1:]}",
        count=f"{sum(times for times, _ in line):,}",
        each=f"{each[0]:,}" if len(each) == 1 else f"{each[0]:,} to {each[-1]:,}",
        total=f"{rounded(total, currency):,}",
    )


def comparing(trip: Trip, atlas: Atlas) -> Iterator[tuple[str, str]]:
    """What is free, what has no price, and how the whole compares with the budget."""
    if trip.itinerary is None or trip.advice is None or trip.advice.bill is None:
        return
    for block in bill_blocks(trip.advice.bill, trip.itinerary, atlas):
        if isinstance(block, Lines):
            yield from ((name, one.text) for name, one in block.lines)


# --- the form ---------------------------------------------------------------------------


def form(space: str, atlas: Atlas, asked: TripRequest | None, *, model: str) -> dict[str, Any]:
    """What the form has: wishes to begin with, cities by name, currencies, the language model."""
    own = atlas.currency
    kept = asked.budget.currency.upper() if asked and asked.budget else ""
    known = [one for one in dict.fromkeys((own, *atlas.rates)) if one]
    return {
        "examples": example_links(space, atlas),
        "cities": sorted(one.name for one in atlas.cities()),
        "currencies": known,
        "currency": kept or ("USD" if "USD" in known else own),
        "model": model,
        "events": trip_address(space, "trip/events", asked, html="1") if asked else "",
        "whole": trip_address(space, "trip", asked, whole="1") if asked else "",
        "given": given(asked) if asked else "",
    }


def example_links(space: str, atlas: Atlas) -> list[tuple[str, str]]:
    """Wishes to begin with, and where each is planned."""
    return [
        (one, trip_address(space, "trip", TripRequest(wish=one))) for one in example_wishes(atlas)
    ]


def given(asked: TripRequest) -> str:
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
    cities = sorted(atlas.cities(), key=lambda one: (-len(atlas.inside.get(one.id, ())), one.id))
    for one in cities[:1]:
        near = [other for other in cities[1:] if atlas.direct(one.id, other.id)]
        near.sort(key=lambda other: (atlas.km(one.id, other.id) or 0.0, other.id))
        where = joined([one.name, *(other.name for other in near[:1])])
        found.append(f"Five days in {where} for history and street food, on a budget")
    return found


def links(space: str, asked: TripRequest, trip: Trip) -> list[tuple[str, str]]:
    """Where a trip can be had as a file, by what it is; a calendar only with a date."""
    if trip.itinerary is None:
        return [("JSON", trip_address(space, "trip", asked, format="json"))]
    dated = any(day.on for day in trip.itinerary.days)
    kinds = [("Calendar", "trip.ics")] if dated else []
    kinds += [("Markdown", "trip.md"), ("GeoJSON", "trip.geojson"), ("Map", "trip.svg")]
    found = [(name, trip_address(space, what, asked)) for name, what in kinds]
    return [*found, ("JSON", trip_address(space, "trip", asked, format="json"))]
