"""How does a trip come into a calendar? As events of the days, in the local time of each place.

Times are floating ones (RFC 5545, 3.3.5): half past nine is half past nine wherever the traveller
is then. Nights are events of whole days. The same trip has the same identifiers, so that importing
it again changes events and does not double them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta

from icalendar import Calendar, Event, vGeo, vText

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.showing.agenda import (
    Entry,
    entries,
    meal_word,
    planned,
    title_of,
    way_words,
)
from consilience.packs.travel.trips.showing.citing import numbers_of, sources_of
from consilience.packs.travel.trips.types import Itinerary, Trip
from consilience.text_markup import strip_invisible

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:consilience:trip")
_CATEGORIES = {"visit": "Visit", "meal": "Meal", "leg": "Travel", "stay": "Stay"}


def calendar(trip: Trip, atlas: Atlas, *, stamped: datetime | None = None) -> bytes:
    """A trip as iCalendar; `stamped` is when it was made, now where it is not given."""
    days = _dated(trip)
    made = Calendar()
    made.add("prodid", "-//Consilience//Trips//EN")
    made.add("version", "2.0")
    made.add("calscale", "GREGORIAN")
    made.add("name", strip_invisible(title_of(days, atlas)))
    made.add("x-wr-calname", strip_invisible(title_of(days, atlas)))
    numbers = numbers_of(sources_of(trip, atlas))
    for event in _events(trip.wish.text, days, atlas, numbers):
        event.add("dtstamp", stamped or datetime.now(UTC))
        made.add_component(event)
    written: bytes = made.to_ical()
    return written


def _dated(trip: Trip) -> Itinerary:
    days = planned(trip, "calendar")
    if any(day.on is None for day in days.days):
        raise UsageError(
            "a calendar needs dates, and this trip has none; say on which day it begins, as in "
            "'from 3 March 2027', or with --start-date 2027-03-03"
        )
    return days


def _events(
    text: str, days: Itinerary, atlas: Atlas, numbers: Mapping[str, int]
) -> Iterator[Event]:
    for day in days.days:
        on = day.on or date.min  # every day is dated, see above
        before: Entry | None = None
        for entry in entries(day, atlas):
            if entry.kind == "way":
                before = entry
                continue
            if entry.kind != "stay":
                event = _event(entry, days.currency, atlas, numbers, before)
                _timed(event, on, entry)
                event.add("uid", _uid(text, on, entry.kind, entry.place, entry.begins))
                yield event
            before = None
    for entry, first, nights in _nights(days, atlas):
        event = _event(entry, days.currency, atlas, numbers)
        event.add("transp", "TRANSPARENT")  # one is not busy all day
        event.add("dtstart", first)
        event.add("dtend", first + timedelta(days=nights))
        event.add("uid", _uid(text, first, "stay", entry.place, 0))
        yield event


def _event(
    entry: Entry,
    currency: str,
    atlas: Atlas,
    numbers: Mapping[str, int],
    before: Entry | None = None,
) -> Event:
    """What an event is called, where it is, and what it says of price, reason and source."""
    event = Event()
    named = _named(entry, atlas)
    event.add("summary", strip_invisible(named[:1].upper() + named[1:]))
    lines = [f"To get there: {way_words(before, atlas)}"] if before else []
    lines += [entry.note] if entry.note else []
    lines += [f"Price: {entry.cost(currency)}"]
    lines += ["An invented example, and no business that exists."] if entry.invented else []
    lines += [f"Source [{numbers[entry.passage]}]: {entry.passage}"] if entry.passage else []
    event.add("description", strip_invisible("\n".join(lines)))
    event.add("categories", [_CATEGORIES[entry.kind]])
    _placed(event, entry.start if entry.kind == "leg" else entry.place, atlas)
    return event


def _named(entry: Entry, atlas: Atlas) -> str:
    if entry.kind == "leg":
        return way_words(entry, atlas)
    first = {"meal": f"{meal_word(entry.begins)} at ", "stay": "stay at "}.get(entry.kind, "")
    return first + entry.name


def _timed(event: Event, on: date, entry: Entry) -> None:
    """Floating times; what goes on after midnight ends on the next day."""
    midnight = datetime.combine(on, time())
    event.add("dtstart", midnight + timedelta(minutes=entry.begins))
    event.add("dtend", midnight + timedelta(minutes=entry.ends))


def _nights(days: Itinerary, atlas: Atlas) -> list[tuple[Entry, date, int]]:
    """Nights that follow one another at the same place, taken together."""
    found: list[tuple[Entry, date, int]] = []
    slept = [
        (entry, day.on) for day in days.days for entry in entries(day, atlas)
        if entry.kind == "stay" and day.on is not None
    ]  # fmt: skip
    for entry, on in slept:
        if found:
            last, first, nights = found[-1]
            if (last.place, first + timedelta(days=nights)) == (entry.place, on):
                found[-1] = (last, first, nights + 1)
                continue
        found.append((entry, on, 1))
    return found


def _placed(event: Event, place: str, atlas: Atlas) -> None:
    known = atlas.places.get(place)
    if known is None:
        return
    city = atlas.name_of(known.city) if known.city and known.city != place else ""
    event.add("location", vText(strip_invisible(", ".join(filter(None, (known.name, city))))))
    if known.point is not None:
        event.add("geo", vGeo((known.point.lat, known.point.lon)))


def _uid(text: str, on: date, kind: str, place: str, begins: int) -> str:
    """The same for the same event of the same wish."""
    return (
        f"{uuid.uuid5(_NAMESPACE, repr((text, on.isoformat(), kind, place, begins)))}@consilience"
    )
