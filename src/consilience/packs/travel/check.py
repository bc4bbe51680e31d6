"""Does a plan hold? Physics first (clock, ways, hours, beds, sums), then every constraint.

The check knows nothing of how the plan was made: it follows the travellers from place to place by
the clock, looks everything up in the atlas again, and adds the bill up again. Each constraint says
itself whether it is kept, broken or unknown. What nobody knows is never counted as kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from consilience.packs.travel.atlas import FOOD, STAY, Atlas, Connection, Place
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.itinerary import (
    DAY_MINUTES,
    Bill,
    Day,
    Engagement,
    Fault,
    Itinerary,
    Leg,
    Line,
    Meal,
    Report,
    Stay,
    Visit,
)
from consilience.packs.travel.journeys import LONGEST_BY_DAY, departure_span, local_way
from consilience.packs.travel.wish import Wish

RULES = {
    "days": "the days are numbered and dated one after the other",
    "place": "every place is known, has its own name and passage, and is what it is used as",
    "price": "every price is the one that is known",
    "twice": "no place is visited or eaten at twice",
    "clock": "nothing happens at the same time",
    "way": "one is where a thing happens, and ways take the time they take",
    "connection": "every way between cities is a known connection, at its time and price",
    "hours": "a place is open while one is there",
    "short": "a visit has the time that it needs",
    "bed": "every night has a bed, or is spent on the way",
    "sum": "the sums are right",
}
"""What is checked of every plan, by the name of the rule."""
Event = Visit | Meal | Leg | Engagement


def check(wish: Wish, itinerary: Itinerary, bill: Bill | None, atlas: Atlas) -> Report:
    """The report on a plan: a line for every constraint, faults, and words not understood."""
    return Report(
        lines=tuple(Line(one, one.check(itinerary, atlas)) for one in wish.constraints),
        faults=tuple(find_faults(itinerary, bill, atlas)),
        leftover=tuple(span.text for span in wish.leftover),
    )


def find_faults(itinerary: Itinerary, bill: Bill | None, atlas: Atlas) -> Iterator[Fault]:
    """What is physically wrong with a plan; nothing where nothing is."""
    yield from _day_faults(itinerary)
    yield from _place_faults(itinerary, atlas)
    yield from _repeated(itinerary)
    here, free_from = "", 0
    for day in itinerary.days:
        if not here:
            here = _first_place(day, itinerary.start)
        yield from _overlaps(day, free_from)
        yield from _hour_faults(day, atlas)
        faults, here = _follow(day, here, atlas)
        yield from faults
        night = next((leg for leg in day.legs if leg.overnight), None)
        ended = max((leg.end for leg in day.legs), default=0)
        free_from = max(0, ended - DAY_MINUTES) if night else 0
        yield from _bed_faults(day, itinerary, night, atlas)
        if day.stay and day.stay.place and not night:
            here = day.stay.place
    if bill is not None:
        yield from _sum_faults(itinerary, bill)


# --- days and places ----------------------------------------------------------------------


def _day_faults(itinerary: Itinerary) -> Iterator[Fault]:
    first = itinerary.days[0].date if itinerary.days else None
    for number, day in enumerate(itinerary.days, start=1):
        if day.number != number:
            yield Fault(rule="days", message=f"day {day.number} stands at {number}", day=number)
        dated = first + timedelta(days=number - 1) if first else None
        if day.date != dated:
            yield Fault(rule="days", message=f"day {number} has the date {day.date}", day=number)


def _place_faults(itinerary: Itinerary, atlas: Atlas) -> Iterator[Fault]:
    for day in itinerary.days:
        used_as: list[tuple[Visit | Meal | Stay, str]] = [(visit, "") for visit in day.visits]
        used_as += [(meal, FOOD) for meal in day.meals]
        used_as += [(day.stay, STAY)] if day.stay and day.stay.place else []
        for used, kind in used_as:
            known = atlas.places.get(used.place)
            if known is None:
                yield _fault("place", f"{used.name} is not known", day, used.place)
                continue
            if (used.name, used.passage) != (known.name, known.passage):
                yield _fault("place", f"{used.name} is called {known.name}", day, used.place)
            if kind and known.kind != kind:
                yield _fault("place", f"{used.name} is of the kind {known.kind}", day, used.place)
            if used.price != known.price:
                message = f"{used.name} costs {known.price}, not {used.price}"
                yield _fault("price", message, day, used.place)


def _repeated(itinerary: Itinerary) -> Iterator[Fault]:
    seen: set[str] = set()
    for day in itinerary.days:
        for used in day.stops:
            if used.place in seen:
                yield _fault("twice", f"{used.name} comes twice", day, used.place)
            seen.add(used.place)


# --- the clock and the map ----------------------------------------------------------------


def _events(day: Day) -> list[Event]:
    found: list[Event] = [*day.visits, *day.meals, *day.legs, *day.engagements]
    return sorted(found, key=lambda event: (event.start, event.end))


def _overlaps(day: Day, free_from: int) -> Iterator[Fault]:
    ended, name = free_from, "the way of the night before"
    for event in _events(day):
        if event.start < ended:
            message = f"{_name(event)} begins at {clock(event.start)}, before {name} ends"
            yield _fault("clock", message, day)
        if event.end > ended:
            ended, name = event.end, _name(event)


def _follow(day: Day, here: str, atlas: Atlas) -> tuple[list[Fault], str]:
    """Go through a day from where it begins; what is wrong, and where it ends."""
    faults: list[Fault] = []
    for event in _events(day):
        if isinstance(event, Engagement):
            if event.place and atlas.city_of(event.place) != atlas.city_of(here):
                faults.append(_fault("way", f"{event.label} is elsewhere", day, event.place))
            continue
        if isinstance(event, Leg):
            if not _same_spot(here, event.origin, atlas):
                message = f"the {event.mode} leaves {atlas.name_of(event.origin)}, and one is at "
                faults.append(_fault("way", message + atlas.name_of(here), day, event.origin))
            faults += _local_faults(event, day, atlas) if event.local else _connection_faults(
                event, day, atlas
            )  # fmt: skip
            here = event.destination
        elif not _same_spot(here, event.place, atlas):
            message = f"no way leads from {atlas.name_of(here)} to {event.name}"
            faults.append(_fault("way", message, day, event.place))
            here = event.place
        else:
            here = event.place
    if atlas.city_of(here) != day.city and not _same_spot(here, day.city, atlas):
        message = f"it ends at {atlas.name_of(here)}, and the night is in {atlas.name_of(day.city)}"
        faults.append(_fault("way", message, day, day.city))
    return faults, here


def _first_place(day: Day, start: str) -> str:
    """Where the first day begins: where its first way leaves, else where it first is."""
    legs = sorted(day.legs, key=lambda leg: leg.start)
    events = _events(day)
    if events and isinstance(events[0], Leg):
        return legs[0].origin
    places = [event.place for event in events if not isinstance(event, Leg) and event.place]
    return places[0] if places else start


def _same_spot(one: str, other: str, atlas: Atlas) -> bool:
    """Whether two places are so near that no way is needed."""
    if one == other:
        return True
    first, second = atlas.places.get(one), atlas.places.get(other)
    if first is None or second is None:
        return False
    return local_way(first, second, atlas).minutes == 0


def _local_faults(leg: Leg, day: Day, atlas: Atlas) -> Iterator[Fault]:
    origin, destination = atlas.places.get(leg.origin), atlas.places.get(leg.destination)
    if origin is None or destination is None:
        yield _fault("way", f"the {leg.mode} leads to an unknown place", day, leg.destination)
        return
    way = local_way(origin, destination, atlas)
    if leg.minutes < way.minutes:
        message = f"the {leg.mode} to {destination.name} takes {way.minutes} min"
        yield _fault("way", f"{message}, not {leg.minutes}", day, leg.destination)
    if leg.mode == way.mode and leg.price != way.price:
        message = f"the {leg.mode} to {destination.name} costs {way.price}, not {leg.price}"
        yield _fault("price", message, day, leg.destination)


def _connection_faults(leg: Leg, day: Day, atlas: Atlas) -> Iterator[Fault]:
    name = f"{leg.mode} from {atlas.name_of(leg.origin)} to {atlas.name_of(leg.destination)}"
    if not leg.passage and not atlas.connections:
        if leg.minutes > LONGEST_BY_DAY:
            yield _fault("connection", f"the {name} does not fit into a day", day)
        return
    known = next(
        (
            way
            for way in atlas.direct(leg.origin, leg.destination)
            if (way.mode, way.passage) == (leg.mode, leg.passage)
        ),
        None,
    )
    if known is None:
        yield _fault("connection", f"there is no {name}", day, leg.destination)
        return
    yield from _exact_faults(leg, known, name, day)


def _exact_faults(leg: Leg, known: Connection, name: str, day: Day) -> Iterator[Fault]:
    if (leg.minutes, leg.overnight) != (known.minutes, known.overnight):
        message = f"the {name} takes {known.minutes} min, not {leg.minutes}"
        yield _fault("connection", message, day, leg.destination)
    if leg.price != known.price:
        message = f"the {name} costs {known.price}, not {leg.price}"
        yield _fault("price", message, day, leg.destination)
    first, last = departure_span(known)
    leaves = leg.start % DAY_MINUTES  # after a night on the way it is the next day
    if not leg.overnight and not first <= leaves <= last:
        message = f"the {name} leaves between {clock(first)} and {clock(last)}"
        yield _fault("connection", f"{message}, not at {clock(leaves)}", day, leg.destination)
    if not leg.overnight and leaves + leg.minutes > DAY_MINUTES:
        yield _fault("connection", f"the {name} does not fit into the day", day, leg.destination)


def _hour_faults(day: Day, atlas: Atlas) -> Iterator[Fault]:
    for event in day.stops:
        known = atlas.places.get(event.place)
        if known is None:
            continue
        if not _is_open(known, day.date, event.start, event.end):
            message = f"{known.name} is closed at {clock(event.start)} ({known.hours})"
            yield _fault("hours", message, day, known.id)
        if isinstance(event, Visit) and event.end - event.start < min(known.minutes, 10 * 60):
            message = f"{known.name} takes {known.minutes} min"
            yield _fault("short", message, day, known.id)


def _is_open(place: Place, on: date | None, start: int, end: int) -> bool:
    """Whether a place is open all that time; without a date, on some day of the week."""
    days = [on] if on else [date(2027, 6, 7) + timedelta(days=step) for step in range(7)]
    days += [] if on else [date(2027, month, 9) for month in range(1, 13)]
    return not place.hours or any(
        first <= start and end <= last
        for found in days
        for first, last in open_spans(place.hours, found)
    )


def _bed_faults(day: Day, itinerary: Itinerary, night: Leg | None, atlas: Atlas) -> Iterator[Fault]:
    if day.number == len(itinerary.days):
        return
    if day.stay is None:
        if night is None:
            yield _fault("bed", f"no bed for the night of day {day.number}", day)
        return
    if night is not None:
        yield _fault("bed", f"a bed although the night of day {day.number} is on the way", day)
    if day.stay.rooms < itinerary.rooms:
        message = f"{itinerary.people} people need {itinerary.rooms} rooms, not {day.stay.rooms}"
        yield _fault("bed", message, day, day.stay.place)
    if day.stay.place and atlas.city_of(day.stay.place) != day.city:
        yield _fault("bed", f"{day.stay.name} is not in {atlas.name_of(day.city)}", day)


# --- sums ---------------------------------------------------------------------------------


def _sum_faults(itinerary: Itinerary, bill: Bill) -> Iterator[Fault]:
    for cost in bill.costs:
        if cost.count * cost.each != cost.total:
            message = f"{cost.what}: {cost.count} × {cost.each} is not {cost.total}"
            yield Fault(rule="sum", message=message)
    if sum((cost.total for cost in bill.costs), Decimal(0)) != bill.total:
        yield Fault(rule="sum", message=f"the lines of the bill do not add up to {bill.total}")
    if _total(itinerary) != bill.total:
        message = f"the days cost {_total(itinerary)}, and the bill says {bill.total}"
        yield Fault(rule="sum", message=message)


def _total(itinerary: Itinerary) -> Decimal:
    """What the days cost, added up from them."""
    people, total = itinerary.people, Decimal(0)
    for day in itinerary.days:
        prices: Iterable[tuple[Decimal | None, int]] = (
            *((visit.price, people) for visit in day.visits),
            *((meal.price, people) for meal in day.meals),
            *((leg.price, itinerary.cars if leg.local else people) for leg in day.legs),
            *([(day.stay.price, day.stay.rooms)] if day.stay else []),
        )
        total += sum((price * count for price, count in prices if price is not None), Decimal(0))
    return total


def clock(minutes: int) -> str:
    """`09:30`."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def _name(event: Event) -> str:
    if isinstance(event, Engagement):
        return event.label
    return f"the {event.mode}" if isinstance(event, Leg) else event.name


def _fault(rule: str, message: str, day: Day, place: str = "") -> Fault:
    return Fault(rule=rule, message=f"day {day.number}: {message}", day=day.number, place=place)
