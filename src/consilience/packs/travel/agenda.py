"""What happens on a day, in order, and which source does each thing cite?"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from consilience.packs.travel.atlas import Atlas, Place
from consilience.packs.travel.itinerary import Day, Itinerary, Leg, Trip
from consilience.packs.travel.money import rounded
from consilience.text_markup import neutralize

EntryKind = Literal["visit", "meal", "leg", "way", "stay", "engagement", "free"]
FREE_MINUTES = 100
"""From so many minutes on, time between two things is shown as free."""
_TOPICS = {"getting_around": "getting around"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing on a day; a `leg` leads from city to city, a `way` from place to place.

    `name` is what it is called, `note` what is said of it, `per` for whom its price is.
    """

    kind: EntryKind
    name: str
    start: int
    end: int
    place: str = ""
    origin: str = ""
    note: str = ""
    price: Decimal | None = None
    per: str = ""
    passage: str = ""
    invented: bool = False

    @property
    def time(self) -> str:
        """`09:00–10:30`."""
        return "night" if self.kind == "stay" else f"{clock(self.start)}–{clock(self.end)}"

    def cost(self, currency: str) -> str:
        """Its price in words; nothing for a walk and for free time."""
        if not self.per or (self.kind == "way" and self.price == 0):
            return ""
        return show_price(self.price, currency, self.per)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that a trip rests on: its number, its id, the place it is about, and a label."""

    number: int
    passage: str
    place: str
    label: str


def day_entries(day: Day, atlas: Atlas) -> list[Entry]:
    """All that happens on a day in the order of the clock, and at last where one sleeps."""
    found = [
        Entry(
            kind="visit", name=visit.name, start=visit.start, end=visit.end, place=visit.place,
            note=visit.reason, price=visit.price, per="a person", passage=visit.passage,
            invented=_is_invented(visit.place, atlas),
        )
        for visit in day.visits
    ]  # fmt: skip
    found += [
        Entry(
            kind="meal", name=f"{meal.meal.capitalize()} at {meal.name}", start=meal.start,
            end=meal.end, place=meal.place, price=meal.price, per="a person",
            passage=meal.passage, invented=_is_invented(meal.place, atlas),
        )
        for meal in day.meals
    ]  # fmt: skip
    found += [_leg_entry(leg, atlas) for leg in day.legs]
    found += [
        Entry(kind="engagement", name=taken.label, start=taken.start, end=taken.end,
              place=taken.place)
        for taken in day.engagements
    ]  # fmt: skip
    found.sort(key=lambda entry: (entry.start, entry.end))
    found = [entry for pair in _with_free_time(found) for entry in pair]
    if day.stay:
        rooms = "1 room" if day.stay.rooms == 1 else f"{day.stay.rooms} rooms"
        found.append(
            Entry(
                kind="stay", name=day.stay.name, start=1440, end=1440, place=day.stay.place,
                note=rooms, price=day.stay.price, per="a room", passage=day.stay.passage,
                invented=_is_invented(day.stay.place, atlas),
            )
        )  # fmt: skip
    return found


def _with_free_time(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Each thing, after the free time before it where that is long."""
    ended: int | None = None
    for entry in entries:
        free = []
        if ended is not None and entry.start - ended >= FREE_MINUTES:
            free = [Entry(kind="free", name="free time", start=ended, end=entry.start)]
        yield [*free, entry]
        ended = max(ended or 0, entry.end)


def _leg_entry(leg: Leg, atlas: Atlas) -> Entry:
    mode = f"overnight {leg.mode}" if leg.overnight else leg.mode
    name = f"{mode} to {atlas.name_of(leg.destination)}"
    if not leg.local:
        name = f"{mode} from {atlas.name_of(leg.origin)} to {atlas.name_of(leg.destination)}"
    note = duration(leg.minutes) + (f", {leg.km:.1f} km" if leg.km else "")
    return Entry(
        kind="way" if leg.local else "leg", name=name[:1].upper() + name[1:], start=leg.start,
        end=leg.end, place=leg.destination, origin=leg.origin, note=note, price=leg.price,
        per="a car, estimated" if leg.local else "a person", passage=leg.passage,
    )  # fmt: skip


def title_of(itinerary: Itinerary, atlas: Atlas) -> str:
    """`4 days: Hue and Hoi An`."""
    days = len(itinerary.days)
    slept = dict.fromkeys(day.city for day in itinerary.days)
    names = [atlas.name_of(city) for city in slept]
    return f"{days} {'day' if days == 1 else 'days'}: {join_words(names)}"


def sources_of(trip: Trip, atlas: Atlas) -> tuple[Source, ...]:
    """All that a trip cites, numbered from 1 in the order in which one reads."""
    labels = _labels(atlas)
    return tuple(
        Source(number=number, passage=passage, place=place, label=label)
        for number, passage in enumerate(dict.fromkeys(_cited(trip, atlas)), start=1)
        for place, label in (labels.get(passage, ("", passage)),)
    )


def _cited(trip: Trip, atlas: Atlas) -> Iterator[str]:
    for day in trip.itinerary.days if trip.itinerary else ():
        yield from (entry.passage for entry in day_entries(day, atlas) if entry.passage)
    for tips in trip.advice.subjects().values() if trip.advice else ():
        for tip in tips:
            yield from tip.passages


def _labels(atlas: Atlas) -> Mapping[str, tuple[str, str]]:
    """What each passage of the atlas is about: a place by id, and in words."""
    return atlas.derive("passage labels", _make_labels)


def _make_labels(atlas: Atlas) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for ways in atlas.connections.values():
        for way in ways:
            ends = f"{atlas.name_of(way.start)} – {atlas.name_of(way.end)}"
            found.setdefault(way.passage, (way.start, f"{ends} by {way.mode}"))
    for (about, topic), remarks in atlas.remarks.items():
        for remark in remarks:
            label = f"{atlas.name_of(about)}: {_TOPICS.get(topic, topic)}"
            found.setdefault(remark.passage, (about, label))
    for place in atlas.places.values():
        found[place.passage] = (place.id, _place_label(place, atlas))
    return found


def _place_label(place: Place, atlas: Atlas) -> str:
    kind = (place.type or place.kind).replace("_", " ")
    where = f" in {atlas.name_of(place.city)}" if place.city and place.city != place.id else ""
    return f"{place.name} ({kind}{where}{', invented' if place.invented else ''})"


def _is_invented(place: str, atlas: Atlas) -> bool:
    known = atlas.places.get(place)
    return known is not None and known.invented


# --- words for times and amounts ----------------------------------------


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def clock(minutes: int) -> str:
    """`09:30`; past midnight as the clock shows it."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def duration(minutes: int) -> str:
    """`45 min`, `2 h`, `3 h 10 min`."""
    hours, rest = divmod(minutes, 60)
    parts = ([f"{hours} h"] if hours else []) + ([f"{rest} min"] if rest or not hours else [])
    return " ".join(parts)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def long_date(on: date) -> str:
    """`Monday 1 March 2027`."""
    return f"{WEEKDAYS[on.weekday()]} {on.day} {MONTHS[on.month - 1]} {on.year}"


def month_span(months: Iterable[int]) -> str:
    """Months in words, runs as such and over the end of the year: `from November to February`."""
    wanted = {month for month in months if 1 <= month <= 12}
    if len(wanted) == 12:
        return "all year"
    runs = [_run(first, wanted) for first in sorted(wanted) if (first - 2) % 12 + 1 not in wanted]
    if all(len(run) < 3 for run in runs):
        names = [MONTHS[month - 1] for run in runs for month in run]
        return f"in {join_words(names)}" if runs else ""
    return join_words([_run_words(run) for run in runs])


def _run_words(run: Sequence[int]) -> str:
    first, last = MONTHS[run[0] - 1], MONTHS[run[-1] - 1]
    if len(run) < 3:
        return f"in {join_words(list(dict.fromkeys((first, last))))}"
    return f"from {first} to {last}"


def _run(first: int, wanted: Container[int]) -> list[int]:
    """The months from the first on that follow one another."""
    run = [first]
    while run[-1] % 12 + 1 in wanted:
        run.append(run[-1] % 12 + 1)
    return run


def weekday_names(days: Iterable[int]) -> str:
    """`Mondays`, `Mondays and Tuesdays`."""
    return join_words([f"{WEEKDAYS[day]}s" for day in sorted(set(days))])


def show_amount(amount: Decimal, currency: str) -> str:
    """`1,250,000 VND`, `48.50 USD`."""
    return f"{rounded(amount, currency):,} {currency}".strip()


def show_price(amount: Decimal | None, currency: str, per: str = "") -> str:
    """`12.50 EUR a person`; `free` for nothing, `price not known` where none is."""
    if amount is None:
        return "price not known"
    return f"{show_amount(amount, currency)} {per}".strip() if amount else "free"


def as_sentence(text: str) -> str:
    """A text with a stop at its end."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def shorten(text: str, most: int = 60) -> str:
    """The first sentences of a text on one line, no more than so many words."""
    words = neutralize(text).split()
    if len(words) <= most:
        return " ".join(words)
    kept: list[str] = []
    for found in _SENTENCE_END.split(" ".join(words)):
        if len(kept) + len(found.split()) > most:
            break
        kept += found.split()
    return " ".join(kept) if kept else f"{' '.join(words[:most])} …"
