"""How is a trip taken along? As text, Markdown, JSON, iCalendar, GeoJSON and a drawn map.

Calendar times are floating (RFC 5545, 3.3.5): half past nine is half past nine wherever one is
then. The same trip has the same identifiers, so that importing it again makes no duplicates. The
map is drawn without tiles or network.
"""

from __future__ import annotations

import math
import textwrap
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from consilience.errors import UsageError
from consilience.packs.travel.agenda import (
    Entry,
    Source,
    as_sentence,
    day_entries,
    join_words,
    long_date,
    show_amount,
    sources_of,
    title_of,
)
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.constraints import constraint_to_json
from consilience.packs.travel.geography import Point
from consilience.packs.travel.itinerary import Bill, Clash, Itinerary, Report, Trip
from consilience.packs.travel.wish import wish_to_json
from consilience.text_markup import escape_markdown, strip_invisible

BlockKind = Literal["title", "heading", "item", "line"]
Block = tuple[BlockKind, str]
_MAP_WIDTH, _MAP_HEIGHT, _MARGIN = 440.0, 520.0, 36.0
_DAY_COLOURS = (
    "#1f6fd8", "#be4f0f", "#13824e", "#a04aca", "#d82653", "#7c730e", "#0f7d89", "#657192",
)  # fmt: skip
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:consilience:trip")


def need_days(trip: Trip, what: str) -> Itinerary:
    """The days of a trip, for something that cannot be written without."""
    if trip.itinerary is None:
        raise UsageError(f"there is no {what} of a trip that is not planned: {trip.reason}")
    return trip.itinerary


# --- to read ------------------------------------------------------------------------------


def trip_text(trip: Trip, atlas: Atlas, *, width: int = 88) -> str:
    """A trip for a terminal."""
    lines: list[str] = []
    for kind, words in blocks(trip, atlas):
        if kind in ("title", "heading"):
            lines += ["", words, ("=" if kind == "title" else "-") * min(len(words), width)]
        else:
            first, rest = ("- ", "  ") if kind == "item" else ("", "  ")
            lines += textwrap.wrap(words, width, initial_indent=first, subsequent_indent=rest)
    return "\n".join(lines).strip("\n") + "\n"


def markdown(trip: Trip, atlas: Atlas) -> str:
    """A trip as Markdown, in which words of others are shown as they stand."""
    marks: Mapping[BlockKind, str] = {"title": "# ", "heading": "\n## ", "item": "- ", "line": ""}
    lines = [
        f"{marks[kind]}{escape_markdown(' '.join(words.split()))}"
        + ("" if kind == "item" else "\n")
        for kind, words in blocks(trip, atlas)
    ]
    return "\n".join(lines).strip() + "\n"


def blocks(trip: Trip, atlas: Atlas) -> Iterator[Block]:
    """A trip as titles, lines and items: the wish and its verdicts, days, bill, tips, sources."""
    days = trip.itinerary
    yield "title", title_of(days, atlas) if days else "No trip is planned"
    yield "line", f"Status: {trip.status}" + (f": {trip.reason}" if trip.reason else "")
    if trip.wish.leftover:
        yield "heading", "Not understood"
        yield from (("item", f"“{span.text}”") for span in trip.wish.leftover)
    if trip.clashes:
        yield "heading", "Cannot be had together"
        yield from (("item", clash_words(clash, atlas)) for clash in trip.clashes)
    yield "heading", "The wish, line by line"
    yield from (("item", line) for line in report_lines(trip, atlas))
    if days is None:
        return
    sources = sources_of(trip, atlas)
    numbers = {source.passage: source.number for source in sources}
    yield from _day_blocks(days, atlas, numbers)
    if trip.report.faults:
        yield "heading", "Faults of the plan"
        yield from (("item", fault.message) for fault in trip.report.faults)
    for title, some in (("Left open", days.gaps), ("Assumed", days.assumed)):
        if some:
            yield "heading", title
            yield from (("item", as_sentence(words)) for words in some)
    yield from _advice_blocks(trip, numbers)
    yield "heading", "Sources"
    yield from (("item", f"[{source.number}] {source.label}") for source in sources)
    if any(entry.invented for day in days.days for entry in day_entries(day, atlas)):
        yield "line", "Places marked as invented are examples, and no businesses that exist."


def _day_blocks(days: Itinerary, atlas: Atlas, numbers: Mapping[str, int]) -> Iterator[Block]:
    for day in days.days:
        dated = f", {long_date(day.date)}" if day.date else ""
        yield "heading", f"Day {day.number}: {atlas.name_of(day.city)}{dated}"
        for entry in day_entries(day, atlas):
            mark = f" [{numbers[entry.passage]}]" if entry.passage in numbers else ""
            cost = entry.cost(days.currency)
            invented = ", invented" if entry.invented else ""
            note = f" ({entry.note})" if entry.note else ""
            yield (
                "item",
                f"{entry.time} {entry.name}{mark}{note}{invented}" + (f": {cost}" if cost else ""),
            )


def _advice_blocks(trip: Trip, numbers: Mapping[str, int]) -> Iterator[Block]:
    advice = trip.advice
    if advice is None:
        return
    if advice.bill is not None:
        yield "heading", "What it costs, for everybody"
        yield from (("item", line) for line in bill_lines(advice.bill))
    for subject, tips in advice.subjects().items():
        yield "heading", subject
        for tip in tips:
            marks = "".join(f"[{numbers[found]}]" for found in tip.passages if found in numbers)
            yield "item", f"{tip.text} {marks}".strip()


def bill_lines(bill: Bill) -> list[str]:
    """The bill line by line, its total and what is not in it."""
    lines = [
        f"{cost.what}: {cost.count} × {show_amount(cost.each, bill.currency)} = "
        f"{show_amount(cost.total, bill.currency)}"
        for cost in bill.costs
    ]
    lines.append(f"Total: {total_words(bill)}")
    if bill.unpriced:
        lines.append(f"Not in it, as no price is known: {join_words(bill.unpriced)}")
    return lines


def total_words(bill: Bill) -> str:
    """`1,250,000 VND (48.10 USD at 26,000 VND for 1 USD)`."""
    own = show_amount(bill.total, bill.currency)
    if bill.converted is None or bill.wish_currency == bill.currency or bill.rate is None:
        return own
    rate = f"{bill.rate.normalize():,f} {bill.currency} for 1 {bill.wish_currency}"
    return f"{own} ({show_amount(bill.converted, bill.wish_currency)} at {rate})"


def report_lines(trip: Trip, atlas: Atlas) -> list[str]:
    """Each constraint with its verdict and why; before a plan is there, the constraint alone."""
    checked = trip.report.lines
    if not checked:
        return [one.state(atlas) for one in trip.wish.constraints]
    return [
        f"{line.check.verdict}: {line.constraint.state(atlas)}"
        f"{'' if line.constraint.hard else ' (rather)'}"
        f"{' (assumed)' if line.constraint.assumed else ''} — {line.check.reason}"
        for line in checked
    ]


def clash_words(clash: Clash, atlas: Atlas) -> str:
    """What cannot be had together, what the plan goes without, and what else would do."""
    names = [f"“{one.state(atlas)}”" for one in clash.constraints]
    dropped = join_words([f"“{one.state(atlas)}”" for one in clash.dropped])
    if len(names) == 1:
        return f"{names[0]} cannot be had here; it is left out."
    others = [
        name
        for name, one, holds in zip(names, clash.constraints, clash.without, strict=True)
        if holds and one not in clash.dropped
    ]
    words = f"{join_words(names)} cannot be had together. Planned without {dropped}."
    return f"{words} It could also be without {join_words(others, 'or')}." if others else words


# --- as data ------------------------------------------------------------------------------


def trip_json(trip: Trip, atlas: Atlas) -> dict[str, Any]:
    """A trip as JSON values: amounts are strings, clock times minutes after midnight."""
    return {
        "status": trip.status,
        "reason": trip.reason,
        "title": title_of(trip.itinerary, atlas) if trip.itinerary else "",
        "wish": wish_to_json(trip.wish, atlas),
        "clashes": [_clash_json(clash, atlas) for clash in trip.clashes],
        "report": report_json(trip.report, atlas),
        "itinerary": plain_json(trip.itinerary),
        "advice": plain_json(trip.advice),
        "value": trip.value,
        "bound": trip.bound,
        "plan": plain_json(trip.plan),
        "candidates": plain_json(trip.candidates),
        "places": _places_json(trip, atlas),
        "citations": [asdict(source) for source in sources_of(trip, atlas)],
        "steps": dict(trip.steps),
        "notes": [str(note) for note in trip.notes],
    }


def report_json(report: Report, atlas: Atlas) -> dict[str, Any]:
    """The report as JSON: a line for each constraint, faults, words not understood."""
    return {
        "as_wished": report.as_wished,
        "lines": [
            {
                "constraint": constraint_to_json(line.constraint),
                "statement": line.constraint.state(atlas),
                "hard": line.constraint.hard,
                "assumed": line.constraint.assumed,
                **plain_json(line.check),
            }
            for line in report.lines
        ],
        "faults": plain_json(report.faults),
        "leftover": list(report.leftover),
    }


def _clash_json(clash: Clash, atlas: Atlas) -> dict[str, Any]:
    return {
        "statement": clash_words(clash, atlas),
        "constraints": [one.state(atlas) for one in clash.constraints],
        "dropped": [one.state(atlas) for one in clash.dropped],
        "possible_without": list(clash.without),
    }


def plain_json(value: object) -> Any:
    """A value of a step as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_json(found) for key, found in value.items()}
    if isinstance(value, tuple | list):
        return [plain_json(found) for found in value]
    if isinstance(value, frozenset | set):
        return sorted(plain_json(found) for found in value)
    if isinstance(value, date):
        return value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) else value


def _places_json(trip: Trip, atlas: Atlas) -> dict[str, Any]:
    found = [source.place for source in sources_of(trip, atlas)]
    found += [day.city for day in trip.itinerary.days] if trip.itinerary else []
    known = {place: atlas.places[place] for place in dict.fromkeys(found) if place in atlas.places}
    return {
        key: {
            "name": place.name,
            "kind": place.kind,
            "type": place.type,
            "city": place.city,
            "lat": place.point.lat if place.point else None,
            "lon": place.point.lon if place.point else None,
            "invented": place.invented,
            "passage": place.passage,
        }
        for key, place in known.items()
    }


# --- calendar -----------------------------------------------------------------------------


def calendar(trip: Trip, atlas: Atlas, *, stamped: datetime | None = None) -> bytes:
    """A trip as iCalendar; `stamped` is when it was written."""
    from icalendar import Calendar  # noqa: PLC0415 - an extra, and only calendars need it

    days = need_days(trip, "calendar")
    if any(day.date is None for day in days.days):
        raise UsageError(
            "a calendar needs dates, and this trip has none; say on which day it begins, as in "
            "'from 3 March 2027', or with --start-date 2027-03-03"
        )
    found = Calendar()
    found.add("prodid", "-//Consilience//Trips//EN")
    found.add("version", "2.0")
    found.add("calscale", "GREGORIAN")
    found.add("x-wr-calname", strip_invisible(title_of(days, atlas)))
    sources = {source.passage: source for source in sources_of(trip, atlas)}
    for day in days.days:
        for entry in day_entries(day, atlas):
            if entry.kind not in ("way", "free") and day.date is not None:
                event = _event(entry, day.date, trip.wish.text, days, atlas, sources)
                event.add("dtstamp", stamped or datetime.now(UTC))
                found.add_component(event)
    written: bytes = found.to_ical()
    return written


def _event(
    entry: Entry,
    on: date,
    text: str,
    days: Itinerary,
    atlas: Atlas,
    sources: Mapping[str, Source],
) -> Any:
    from icalendar import Event, vGeo  # noqa: PLC0415 - see above

    event = Event()
    midnight = datetime.combine(on, time())
    if entry.kind == "stay":
        event.add("summary", strip_invisible(f"Stay at {entry.name}"))
        event.add("transp", "TRANSPARENT")
        event.add("dtstart", on)
        event.add("dtend", on + timedelta(days=1))
    else:
        event.add("summary", strip_invisible(entry.name))
        event.add("dtstart", midnight + timedelta(minutes=entry.start))
        event.add("dtend", midnight + timedelta(minutes=entry.end))
    lines = [entry.note] if entry.note else []
    lines += [f"Price: {entry.cost(days.currency)}"] if entry.cost(days.currency) else []
    lines += ["An invented example, and no business that exists."] if entry.invented else []
    source = sources.get(entry.passage)
    lines += [f"Source [{source.number}]: {source.label}"] if source else []
    event.add("description", strip_invisible("\n".join(lines)))
    place = atlas.places.get(entry.origin or entry.place)
    if place is not None:
        city = atlas.name_of(place.city) if place.city and place.city != place.id else ""
        event.add("location", strip_invisible(", ".join(filter(None, (place.name, city)))))
        if place.point is not None:
            event.add("geo", vGeo((place.point.lat, place.point.lon)))
    key = repr((text, on.isoformat(), entry.kind, entry.place, entry.start))
    event.add("uid", f"{uuid.uuid5(_NAMESPACE, key)}@consilience")
    return event


# --- maps ---------------------------------------------------------------------------------


def geojson(trip: Trip, atlas: Atlas) -> dict[str, Any]:
    """The route as a FeatureCollection (RFC 7946): points of the stops, lines of the ways."""
    days = need_days(trip, "map")
    numbers = {source.passage: source.number for source in sources_of(trip, atlas)}
    features = []
    for day in days.days:
        for order, entry in enumerate(day_entries(day, atlas), start=1):
            properties = {
                "day": day.number,
                "order": order,
                "kind": entry.kind,
                "name": entry.name,
                "place": entry.place,
                "time": entry.time,
                "price": None if entry.price is None else format(entry.price, "f"),
                "currency": days.currency,
                "citation": numbers.get(entry.passage),
                "invented": entry.invented,
            }
            geometry = _geometry(entry, atlas)
            features.append({"type": "Feature", "geometry": geometry, "properties": properties})
    return {"type": "FeatureCollection", "name": title_of(days, atlas), "features": features}


def _geometry(entry: Entry, atlas: Atlas) -> dict[str, Any] | None:
    ends = [_point(place, atlas) for place in (entry.origin, entry.place)]
    if entry.kind in ("leg", "way") and ends[0] and ends[1]:
        line = [_position(ends[0]), _position(ends[1])]
        return {"type": "LineString", "coordinates": line}
    return {"type": "Point", "coordinates": _position(ends[1])} if ends[1] else None


def _point(place: str, atlas: Atlas) -> Point | None:
    known = atlas.places.get(place)
    return known.point if known else None


def _position(point: Point) -> list[float]:
    return [round(point.lon, 6), round(point.lat, 6)]


def svg(trip: Trip, atlas: Atlas, *, alone: bool = True) -> str:
    """The route as SVG: cities as circles, legs as lines, each with the number of its day."""
    days = need_days(trip, "map")
    root = Element("svg", {"class": "trip-map", "role": "img", "aria-labelledby": "map-title"})
    root.set("xmlns", "http://www.w3.org/2000/svg")
    _add(root, "title", id="map-title").text = strip_invisible(title_of(days, atlas))
    stops = _city_stops(days, atlas)
    place = _projection([point for _, point, _ in stops])
    _add(root, "rect", class_="map-paper", width=_MAP_WIDTH, height=_MAP_HEIGHT, fill="#ffffff")
    for day in days.days:
        for leg in day.between:
            ends = [_point(end, atlas) for end in (leg.origin, leg.destination)]
            if ends[0] and ends[1]:
                (x1, y1), (x2, y2) = place(ends[0]), place(ends[1])
                line = _add(
                    root, "line", class_="map-leg", x1=x1, y1=y1, x2=x2, y2=y2,
                    stroke=_colour(day.number), stroke_width=2.5, stroke_linecap="round",
                )  # fmt: skip
                if leg.overnight:
                    line.set("stroke-dasharray", "6 5")
                _add(line, "title").text = strip_invisible(
                    f"Day {day.number}: {leg.mode} from {atlas.name_of(leg.origin)} to "
                    f"{atlas.name_of(leg.destination)}"
                )
    for entry, day_number in _visit_points(days, atlas):
        x, y = place(entry)
        _add(root, "circle", class_="map-visit", cx=x, cy=y, r=2.2, fill=_colour(day_number))
    taken: list[tuple[float, float]] = []
    for name, point, numbers in stops:
        x, y = place(point)
        _add(root, "circle", class_="map-stop", cx=x, cy=y, r=6.0, fill=_colour(numbers[0]))
        at = y + 4.0
        while any(abs(at - other) < 14 and abs(x - where) < 150 for where, other in taken):
            at += 14
        taken.append((x, at))
        right = x > _MAP_WIDTH * 0.62
        label = _add(
            root, "text", class_="map-ink map-halo", x=x - 10 if right else x + 10, y=at,
            fill="#1b2330", font_size=12.5, text_anchor="end" if right else "start",
        )  # fmt: skip
        label.text = strip_invisible(f"{name} · {_day_words(numbers)}")
    root.set("viewBox", f"0 0 {_MAP_WIDTH:.0f} {_MAP_HEIGHT:.0f}")
    if alone:
        root.set("width", f"{_MAP_WIDTH * 1.5:.0f}")
        root.set("height", f"{_MAP_HEIGHT * 1.5:.0f}")
        root.set("font-family", "system-ui, sans-serif")
    return tostring(root, encoding="unicode") + "\n"


def _city_stops(days: Itinerary, atlas: Atlas) -> list[tuple[str, Point, list[int]]]:
    found: dict[str, list[int]] = {}
    for day in days.days:
        found.setdefault(day.city, []).append(day.number)
        for leg in day.between:
            found.setdefault(leg.origin, [])
    stops = []
    for city, numbers in found.items():
        point = _point(city, atlas)
        if point is not None:
            stops.append((atlas.name_of(city), point, numbers or [days.days[0].number]))
    return stops


def _visit_points(days: Itinerary, atlas: Atlas) -> Iterator[tuple[Point, int]]:
    for day, visit in days.visits():
        point = _point(visit.place, atlas)
        if point is not None:
            yield point, day.number


def _projection(points: Sequence[Point]) -> Any:
    """From degrees to the drawing: the same scale along and across, north up."""
    if not points:
        return lambda point: (_MAP_WIDTH / 2, _MAP_HEIGHT / 2)
    middle = math.cos(math.radians(sum(point.lat for point in points) / len(points)))
    xs, ys = [point.lon * middle for point in points], [point.lat for point in points]
    wide, high = max(max(xs) - min(xs), 0.15), max(max(ys) - min(ys), 0.15)
    scale = min((_MAP_WIDTH - 4 * _MARGIN) / wide, (_MAP_HEIGHT - 2 * _MARGIN) / high)
    centre_x, centre_y = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2

    def place(point: Point) -> tuple[float, float]:
        return (
            _MAP_WIDTH / 2 + (point.lon * middle - centre_x) * scale,
            _MAP_HEIGHT / 2 - (point.lat - centre_y) * scale,
        )

    return place


def _day_words(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"day {numbers[0]}"
    return f"days {numbers[0]}–{numbers[-1]}"


def _colour(day: int) -> str:
    return _DAY_COLOURS[(day - 1) % len(_DAY_COLOURS)]


def _add(parent: Element, tag: str, **attributes: object) -> Element:
    named = {
        name.rstrip("_").replace("_", "-"): f"{value:.1f}"
        if isinstance(value, float)
        else str(value)
        for name, value in attributes.items()
    }
    return SubElement(parent, tag, named)
