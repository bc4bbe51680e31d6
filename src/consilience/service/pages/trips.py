"""How is a trip looked at on a page? Days as cards, in parts, with all that stands around them.

What comes out are words and numbers for a template to lay out. Only the map is markup: a drawing
of our own, in which whatever comes from outside is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import rounded
from consilience.packs.travel.trips.checking import RULES
from consilience.packs.travel.trips.checking.spans import DAY_MIN, clock
from consilience.packs.travel.trips.showing.agenda import Entry, entries, meal_word, title_of
from consilience.packs.travel.trips.showing.citing import Source, numbers_of, sources_of
from consilience.packs.travel.trips.showing.drawing import svg
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
from consilience.service.pages.purses import Purse, comparing, cost, purses
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
