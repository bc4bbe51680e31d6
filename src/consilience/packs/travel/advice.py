"""What should one know on the way, and what does it cost? From the places alone, cited.

Every tip cites the passages it is made of; where the places say nothing, nothing is advised. The
bill adds up what the days say; what has no known price is named beside the total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from consilience.packs.travel.agenda import (
    MONTHS,
    WEEKDAYS,
    as_sentence,
    duration,
    join_words,
    month_span,
    shorten,
    show_price,
    weekday_names,
)
from consilience.packs.travel.atlas import Atlas, Connection, Place
from consilience.packs.travel.constraints import Money, Season
from consilience.packs.travel.hours import closed_days, is_open
from consilience.packs.travel.itinerary import Advice, Bill, Cost, Day, Itinerary, Tip
from consilience.packs.travel.money import rate, rounded
from consilience.packs.travel.wish import Wish

MOST_TIPS = 6
_OTHER_WAYS = 2
_CAUTIONS = {
    "steep": "steep ground",
    "heights": "heights",
    "stairs": "stairs",
    "cave": "a cave",
    "boat": "a boat",
    "swimming": "swimming",
    "motorbike": "a motorbike",
    "cable-car": "a cable car",
}


def advise(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Advice:
    """What to know on this way, and what it costs."""
    legs = len({(leg.origin, leg.destination) for _, leg in itinerary.legs() if leg.passage})
    most = max(MOST_TIPS, len(_cities(itinerary, atlas)) + 2)
    return Advice(
        transport=_few(_transport(itinerary, atlas), max(most, legs)),
        season=_few(_season(wish, itinerary, atlas), most),
        booking=_few(_booking(itinerary, atlas), most),
        safety=_few(_safety(itinerary, atlas), most),
        bill=bill_of(wish, itinerary, atlas),
    )


def _few(tips: Iterable[Tip], most: int) -> tuple[Tip, ...]:
    return tuple({tip.text: tip for tip in tips}.values())[:most]


# --- the bill -----------------------------------------------------------------------------


def bill_of(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Bill:
    """The budget table of an itinerary, and its total in the currency of the wish."""
    counts = Counter[tuple[str, Decimal]]()
    unpriced: list[str] = []
    for what, each, count in _paid(itinerary, atlas):
        if each is None:
            unpriced.append(what)
        elif each:
            counts[what, each] += count
    costs = tuple(
        Cost(what=what, count=count, each=each, total=each * count)
        for (what, each), count in counts.items()
    )
    total = sum((cost.total for cost in costs), Decimal(0))
    money = next((one for one in wish.of(Money) if one.currency), None)
    factor = rate(money.currency, itinerary.currency, atlas.rates) if money else None
    return Bill(
        costs=costs,
        total=total,
        currency=itinerary.currency,
        unpriced=tuple(dict.fromkeys(unpriced)),
        converted=rounded(total / factor, money.currency) if money and factor else None,
        wish_currency=money.currency if money else "",
        rate=factor,
    )


def _paid(itinerary: Itinerary, atlas: Atlas) -> Iterator[tuple[str, Decimal | None, int]]:
    """What is paid, for how much each, and how many are bought, in the order of the table."""
    people = itinerary.people
    for _, stay in itinerary.stays():
        yield f"{stay.name}, a room for a night", stay.price, stay.rooms
    for _, leg in itinerary.legs():
        if not leg.local:
            ends = f"{atlas.name_of(leg.origin)} to {atlas.name_of(leg.destination)}"
            yield f"{leg.mode} from {ends}, a person", leg.price, people
    for _, visit in itinerary.visits():
        yield f"{visit.name}, a person", visit.price, people
    for _, meal in itinerary.meals():
        yield f"meal at {meal.name}, a person", meal.price, people
    yield from _taxis(itinerary, atlas)


def _taxis(itinerary: Itinerary, atlas: Atlas) -> Iterator[tuple[str, Decimal | None, int]]:
    """The rides within each city, taken together."""
    fares: dict[str, list[Decimal | None]] = {}
    for day, leg in itinerary.legs():
        if leg.local and leg.price != 0:
            fares.setdefault(day.city, []).append(leg.price)
    for city, prices in fares.items():
        what = f"{len(prices)} local rides in {atlas.name_of(city)}, a car (estimated)"
        known = [price for price in prices if price is not None]
        yield what, sum(known, Decimal(0)) if known else None, itinerary.cars


# --- tips ---------------------------------------------------------------------------------


def _transport(itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """Each leg between cities as its connection tells it, then how one gets around."""
    for _, leg in itinerary.legs():
        ways = atlas.direct(leg.origin, leg.destination) if leg.passage else ()
        taken = next(
            (way for way in ways if (way.mode, way.passage) == (leg.mode, leg.passage)), None
        )
        if taken is not None:
            others = [way for way in ways if way is not taken][:_OTHER_WAYS]
            yield _leg_tip(taken, others, itinerary.currency, atlas)
    for city in _cities(itinerary, atlas):
        yield from _remarks(city, "getting_around", atlas)


def _leg_tip(taken: Connection, others: list[Connection], currency: str, atlas: Atlas) -> Tip:
    ends = f"{atlas.name_of(taken.start)} to {atlas.name_of(taken.end)}"
    text = f"{ends}: {_show_way(taken, currency)}"
    text += f"; departures {shorten(taken.departures)}." if taken.departures else "."
    if taken.note:
        text += f" {as_sentence(shorten(taken.note))}"
    if taken.computed:
        text += " No timetable is known: the time is estimated from the distance."
    if others:
        text += f" Otherwise: {join_words([_show_way(way, currency) for way in others], 'or')}."
    return Tip(text=text, passages=tuple(dict.fromkeys(way.passage for way in (taken, *others))))


def _show_way(way: Connection, currency: str) -> str:
    mode = f"overnight {way.mode}" if way.overnight else way.mode
    price = show_price(way.price, currency, "a person")
    return f"{mode or 'a way'} ({duration(way.minutes)}, {price})"


def _season(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """When it is best, and whether the trip is then: what is out of season comes first."""
    season = wish.first(Season)
    months = [day.date.month for day in itinerary.days if day.date]
    travelled = tuple(dict.fromkeys(months or (season.months if season else ())))
    cities = _cities(itinerary, atlas)
    late = [city for city in cities if city.months and not set(travelled) <= set(city.months)]
    for city in (*late, *(city for city in cities if city not in late)):
        yield from _city_season(city, travelled, atlas)
    for place in _visited(itinerary, atlas):
        if travelled and place.months and not set(travelled) <= set(place.months):
            text = f"{place.name} is best {month_span(place.months)}, not {month_span(travelled)}."
            yield Tip(text=text, passages=(place.passage,))


def _city_season(city: Place, travelled: tuple[int, ...], atlas: Atlas) -> Iterator[Tip]:
    words, passages = [], []
    if city.months:
        best = month_span(city.months)
        if not travelled:
            words.append(f"{city.name} is best {best}.")
        elif set(travelled) <= set(city.months):
            names = join_words([MONTHS[month - 1] for month in travelled])
            words.append(f"{names} suits {city.name}: it is best {best}.")
        else:
            words.append(f"{city.name} is best {best}, not {month_span(travelled)}.")
        passages.append(city.passage)
    remark = atlas.remark(city.id, "season")
    if remark is not None:
        text = shorten(remark.text)
        words.append(text if words else _with_name(city, text))
        passages.append(remark.passage)
    if words:
        yield Tip(text=" ".join(map(as_sentence, words)), passages=tuple(passages))


def _booking(itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """Closing days of a trip without dates, nights on the way, what has to be booked."""
    if all(day.date is None for day in itinerary.days):
        yield from _closing(itinerary, atlas)
    for day, leg in itinerary.legs():
        if leg.overnight and leg.passage:
            ends = f"{atlas.name_of(leg.origin)} to {atlas.name_of(leg.destination)}"
            text = f"The night of day {day.number} is spent on the {leg.mode} from {ends}."
            yield Tip(text=text, passages=(leg.passage,))
    for place in (*_used(itinerary, atlas), *_cities(itinerary, atlas)):
        yield from _remarks(place, "booking", atlas)


def _closing(itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """Which days places are closed on, and on which day of the week the trip can begin."""
    shut: dict[tuple[int, ...], list[Place]] = {}
    for place in _used(itinerary, atlas):
        if days := closed_days(place):
            shut.setdefault(days, []).append(place)
    if not shut:
        return
    for days, places in shut.items():
        verb = "is" if len(places) == 1 else "are"
        text = f"{join_words([place.name for place in places])} {verb} closed on "
        yield Tip(
            text=f"{text}{weekday_names(days)}.", passages=tuple(place.passage for place in places)
        )
    monday = date(2027, 6, 7)
    fits = [day for day in range(7) if _all_open(itinerary, monday + timedelta(days=day), atlas)]
    cited = tuple(place.passage for places in shut.values() for place in places)
    if fits and len(fits) < 7:
        names = join_words([f"a {WEEKDAYS[day]}" for day in fits], "or")
        text = f"Begin on {names}: then every place is open when it is visited."
        yield Tip(text=text, passages=cited)
    elif not fits:
        text = "Whatever day the trip begins on, one of these is closed when it is visited."
        yield Tip(text=text, passages=cited)


def _all_open(itinerary: Itinerary, first: date, atlas: Atlas) -> bool:
    return all(
        not atlas.places[event.place].hours
        or is_open(
            atlas.places[event.place].hours,
            first + timedelta(days=day.number - 1),
            event.start,
            event.end,
        )
        for day in itinerary.days
        for event in day.stops
        if event.place in atlas.places
    )


def _safety(itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """What the places ask of one, and what is remarked of them and of the cities."""
    asking: dict[str, list[Place]] = {}
    for place in _visited(itinerary, atlas):
        asked = ["hard going"] if place.effort == "hard" else []
        asked += [words for name, words in _CAUTIONS.items() if name in place.features]
        if asked:
            asking.setdefault(join_words(asked), []).append(place)
    if asking:
        named = [(words, places[:3]) for words, places in asking.items()][:4]
        parts = [f"{words} at {join_words([p.name for p in places])}" for words, places in named]
        cited = tuple(place.passage for _, places in named for place in places)
        yield Tip(text=f"Be ready for {'; for '.join(parts)}.", passages=cited)
    for place in (*_used(itinerary, atlas), *_cities(itinerary, atlas)):
        yield from _remarks(place, "safety", atlas)


def _remarks(place: Place, topic: str, atlas: Atlas) -> Iterator[Tip]:
    remark = atlas.remark(place.id, topic)
    if remark is not None and remark.text.strip():
        yield Tip(text=_with_name(place, shorten(remark.text)), passages=(remark.passage,))


def _with_name(place: Place, text: str) -> str:
    """A remark with the name of what it is about, where it does not have that itself."""
    named = text if place.name.casefold() in text.casefold() else f"{place.name}: {text}"
    return as_sentence(named)


# --- which places -------------------------------------------------------------------------


def _cities(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    """The cities one is in, in the order in which one comes there."""
    found = [itinerary.start]
    for day in itinerary.days:
        found += [atlas.city_of(visit.place) for visit in day.visits]
        found.append(day.city)
    return [atlas.places[city] for city in dict.fromkeys(found) if city in atlas.places]


def _visited(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    ids = dict.fromkeys(visit.place for _, visit in itinerary.visits())
    return [atlas.places[place] for place in ids if place in atlas.places]


def _used(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    """The places that are visited, eaten at and slept in, each once."""
    ids = dict.fromkeys(place for day in itinerary.days for place in _used_on(day))
    return [atlas.places[place] for place in ids if place in atlas.places]


def _used_on(day: Day) -> list[str]:
    stays = [day.stay.place] if day.stay else []
    return [*(event.place for event in day.stops), *stays]
