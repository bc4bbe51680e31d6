"""What stands where in a plan that is read? Headings, items and tables, for text and Markdown.

All words of others are made harmless here: nothing in them can be taken for a citation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.checking import RULES
from consilience.packs.travel.trips.checking.spans import DAY_MIN, clock
from consilience.packs.travel.trips.showing.agenda import (
    Entry,
    day_route,
    entries,
    meal_word,
    title_of,
    way_words,
)
from consilience.packs.travel.trips.showing.blocks import (
    Block,
    Heading,
    Items,
    Lines,
    Table,
    Told,
)
from consilience.packs.travel.trips.showing.citing import Source, numbers_of, sources_of
from consilience.packs.travel.trips.showing.paying import bill_blocks
from consilience.packs.travel.trips.showing.understanding import understood
from consilience.packs.travel.trips.types import Advice, Day, Itinerary, Trip
from consilience.packs.travel.trips.wording import day_of, sentence
from consilience.text_markup import neutralize

INVENTED = "Places marked as invented are examples, and no businesses that exist."
_SUBJECTS = (
    ("transport", "Getting there and around"),
    ("season", "Season"),
    ("booking", "Booking"),
    ("safety", "Safety"),
)


def page(trip: Trip, atlas: Atlas) -> list[Block]:
    """A trip to read, from what was understood to the sources."""
    sources = sources_of(trip, atlas)
    numbers = numbers_of(sources)
    found = [*_head(trip, atlas), *_compromises(trip)]
    if trip.itinerary is not None:
        found += _days(trip.itinerary, atlas, numbers)
    if trip.itinerary is not None and trip.advice is not None:
        if trip.advice.bill is not None:
            found += bill_blocks(trip.advice.bill, trip.itinerary, atlas)
        found += _advice(trip.advice, numbers)
    return [*found, *_faults(trip), *_sources(sources, atlas)]


def _head(trip: Trip, atlas: Atlas) -> Iterator[Block]:
    wish = trip.wish
    if trip.itinerary is not None:
        yield Heading(neutralize(title_of(trip.itinerary, atlas)), level=1)
    else:
        yield Heading("This trip is not planned", level=1)
    parts = [("Asked", wish.text)]
    parts += [("Why not", trip.refusal)] if trip.refusal else []
    if not wish.off_topic:
        parts += understood(wish, atlas)
        parts += [("Assumed", one) for one in (trip.granted or wish).assumed]
        parts += [("Not known here", ", ".join(wish.unknown))] if wish.unknown else []
        parts += [("Not understood", ", ".join(wish.unclear))] if wish.unclear else []
    yield _lines(parts)
    if trip.offers:
        yield Heading("What can be had instead")
        yield _items(trip.offers)


def _compromises(trip: Trip) -> Iterator[Block]:
    """What is planned otherwise than it was asked for; faults have their own place."""
    faults = {RULES.get(one.rule) for one in trip.findings}
    told = [
        f"{sentence(f'{one.wanted}: {one.reason}')} {sentence(f'Instead: {one.instead}')}"
        for one in trip.compromises
        if one.wanted not in faults
    ]
    if told:
        yield Heading("Planned otherwise than asked")
        yield _items(told)


def _days(itinerary: Itinerary, atlas: Atlas, numbers: Mapping[str, int]) -> Iterator[Block]:
    for day in itinerary.days:
        yield Heading(neutralize(_day_title(day, atlas)))
        rows = tuple(_row(one, itinerary.currency, atlas, numbers) for one in entries(day, atlas))
        if rows:
            yield Table(
                columns=("Time", "What", "Price"), rows=rows, right=frozenset({2}), wide=1,
                plain=True,
            )  # fmt: skip
        else:
            yield _lines([("", "Nothing is planned.")])
    if itinerary.gaps:
        yield Heading("Left open")
        yield _items(itinerary.gaps)


def _day_title(day: Day, atlas: Atlas) -> str:
    dated = f", {day_of(day.on)}" if day.on else ""
    towns = " – ".join(atlas.name_of(one) for one in day_route(day))
    return f"Day {day.number}{dated}: {towns}"


def _row(
    entry: Entry, currency: str, atlas: Atlas, numbers: Mapping[str, int]
) -> tuple[Told, Told, Told]:
    cited = (numbers[entry.passage],) if entry.passage else ()
    if entry.kind in ("leg", "way"):
        what = Told(neutralize(way_words(entry, atlas)), cited)
    else:
        first = f"{meal_word(entry.begins)} at " if entry.kind == "meal" else ""
        invented = " (invented)" if entry.invented else ""
        what = Told(neutralize(f"{first}{entry.name}{invented}"), cited, neutralize(entry.note))
    return (Told(_time(entry)), what, Told(entry.cost(currency)))


def _time(entry: Entry) -> str:
    if entry.kind == "stay":
        return "night"
    late = " +1" if entry.ends >= DAY_MIN else ""
    return f"{clock(entry.begins % DAY_MIN)}–{clock(entry.ends % DAY_MIN)}{late}"


def _advice(advice: Advice, numbers: Mapping[str, int]) -> Iterator[Block]:
    for part, title in _SUBJECTS:
        if tips := getattr(advice, part):
            yield Heading(title)
            yield Items(
                tuple(
                    Told(neutralize(tip.text), tuple(numbers[one] for one in tip.passages))
                    for tip in tips
                )
            )


def _faults(trip: Trip) -> Iterator[Block]:
    if trip.findings:
        yield Heading("What could not be mended")
        yield _items([f"{one.message} ({one.rule})" for one in trip.findings])
    if trip.notes:
        yield Heading("Notes")
        yield _items([str(one) for one in trip.notes])


def _sources(sources: Sequence[Source], atlas: Atlas) -> Iterator[Block]:
    if not sources:
        return
    yield Heading("Sources")
    yield Items(
        tuple(Told(neutralize(one.label), note=one.passage) for one in sources), numbered=True
    )
    if any(one.place in atlas.places and atlas.places[one.place].invented for one in sources):
        yield _lines([("", INVENTED)])


def _lines(parts: Sequence[tuple[str, str]]) -> Lines:
    return Lines(tuple((name, Told(neutralize(text))) for name, text in parts))


def _items(texts: Sequence[str]) -> Items:
    return Items(tuple(Told(neutralize(one)) for one in texts))
