"""What should one know on the way, and what does it cost? Told from the atlas alone.

Every tip cites the passages it is made of; where the atlas says nothing, nothing is advised. A
subject has no more tips than can be read, what warns before what praises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import zip_longest

from consilience.packs.travel.atlas import Atlas, Connection, Place
from consilience.packs.travel.hours import closed_weekdays, is_open
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.reading.ways.travelling import is_barred
from consilience.packs.travel.trips.types import (
    MEAL_MIN,
    Advice,
    Day,
    Itinerary,
    Leg,
    Tip,
    Wish,
)
from consilience.packs.travel.trips.wording import (
    MONTHS,
    WEEKDAYS,
    briefly,
    duration,
    joined,
    months_of,
    priced,
    sentence,
    weekdays_of,
)

MOST_TIPS = 6
"""Tips on a subject; of a trip through many cities two more than these, as each has its own."""
_MOST_OTHER_WAYS = 3
_MOST_DEMANDS = 4
_MOST_NAMED = 3
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


async def advise(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Advice:
    """What to know on this way, and what it costs."""
    most = max(MOST_TIPS, len(_cities(itinerary, atlas)) + 2)
    legs = len({_way(leg) for leg in _legs(itinerary)})
    return Advice(
        transport=_few(_transport(wish, itinerary, atlas), max(most, legs)),
        season=_few(_season(wish, itinerary, atlas), most),
        booking=_few(_booking(wish, itinerary, atlas, most), most),
        safety=_few(_safety(itinerary, atlas, most), most),
        bill=bill_of(wish, itinerary, atlas),
    )


def _few(tips: Iterable[Tip], most: int) -> tuple[Tip, ...]:
    """The first of them, each once."""
    return tuple({tip.text: tip for tip in tips}.values())[:most]


# --- transport --------------------------------------------------------------------------


def _transport(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """Each leg between cities as its connection tells it, then how one gets around."""
    for leg in _legs(itinerary):
        ways = atlas.direct(leg.start, leg.end)
        taken = next((one for one in ways if _way(one) == _way(leg)), None)
        if taken is not None:
            others = [one for one in ways if one is not taken]
            allowed = [one for one in others if not is_barred(one, wish.avoid.modes)]
            yield _leg_tip(taken, allowed[:_MOST_OTHER_WAYS], itinerary.currency, atlas)
    for city in _cities(itinerary, atlas):
        yield from _remarked(city, "getting_around", atlas)


def _leg_tip(taken: Connection, others: list[Connection], currency: str, atlas: Atlas) -> Tip:
    ends = f"{atlas.name_of(taken.start)} to {atlas.name_of(taken.end)}"
    said = f"{ends}: {_told_way(taken, currency)}"
    said += f"; departures {briefly(taken.departures)}." if taken.departures else "."
    if taken.note:
        said += f" {sentence(briefly(taken.note))}"
    if taken.computed:
        said += " No timetable is known: the time is computed from the distance."
    if others:
        told = joined([_told_way(one, currency) for one in others], "or")
        said += f" Otherwise: {told}."
    return Tip(text=said, passages=tuple(dict.fromkeys(one.passage for one in (taken, *others))))


def _told_way(way: Connection, currency: str) -> str:
    mode = f"overnight {way.mode}" if way.overnight else way.mode
    price = priced(way.price, currency, "a person") if way.price else "no price told"
    return f"{mode or 'a way'} ({duration(way.minutes)}, {price})"


def _legs(itinerary: Itinerary) -> list[Leg]:
    return [leg for day in itinerary.days for leg in day.legs if leg.passage]


def _way(one: Leg | Connection) -> tuple[str, str, str, str]:
    return (one.start, one.end, one.mode, one.passage)


# --- season -----------------------------------------------------------------------------


def _season(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """When it is best, and whether the trip is then: what is not in season comes first."""
    travelled = _months(wish, itinerary)
    cities = _cities(itinerary, atlas)
    if not travelled:
        yield from _common_months(cities)
        yield from (tip for city in cities for tip in _city_season(city, (), atlas))
        return
    late = [city for city in cities if city.months and not _suits(city, travelled)]
    yield from (tip for city in late for tip in _city_season(city, travelled, atlas))
    for place in _visited(itinerary, atlas):
        if place.months and not _suits(place, travelled) and place not in cities:
            text = f"{place.name} is best {months_of(place.months)}, not {months_of(travelled)}."
            yield Tip(text=text, passages=(place.passage,))
    rest = [city for city in cities if city not in late]
    yield from (tip for city in rest for tip in _city_season(city, travelled, atlas))


def _city_season(city: Place, travelled: tuple[int, ...], atlas: Atlas) -> Iterator[Tip]:
    """When a city is best, with what is remarked of its weather."""
    said, passages = [], []
    if city.months:
        best = months_of(city.months)
        if not travelled:
            said.append(f"{city.name} is best {best}.")
        elif _suits(city, travelled):
            said.append(f"{_named(travelled)} suits {city.name}: it is best {best}.")
        else:
            said.append(f"{city.name} is best {best}, not {months_of(travelled)}.")
        passages.append(city.passage)
    remark = atlas.remark(city.id, "season")
    if remark is not None:
        said.append(_of(city, briefly(remark.text)) if not said else briefly(remark.text))
        passages.append(remark.passage)
    if said:
        yield Tip(text=" ".join(map(sentence, said)), passages=tuple(passages))


def _common_months(cities: list[Place]) -> Iterator[Tip]:
    told = [city for city in cities if city.months]
    common = set.intersection(*(set(city.months) for city in told)) if len(told) > 1 else set()
    if common:
        names = joined([city.name for city in told])
        text = f"{names} are all at their best {months_of(common)}."
        yield Tip(text=text, passages=tuple(city.passage for city in told))


def _months(wish: Wish, itinerary: Itinerary) -> tuple[int, ...]:
    dated = [day.on.month for day in itinerary.days if day.on is not None]
    asked = [wish.month] if wish.month else []
    return tuple(dict.fromkeys(dated or asked))


def _suits(place: Place, travelled: tuple[int, ...]) -> bool:
    return set(travelled) <= set(place.months)


def _named(months: tuple[int, ...]) -> str:
    return joined([MONTHS[one - 1] for one in months])


# --- booking ----------------------------------------------------------------------------


def _booking(wish: Wish, itinerary: Itinerary, atlas: Atlas, most: int) -> Iterator[Tip]:
    """Closing days of a trip without dates, nights on the way, what has to be booked."""
    if all(day.on is None for day in itinerary.days):
        yield from _closing(wish, itinerary, atlas)
    nights = [(day, leg) for day in itinerary.days for leg in day.legs if leg.overnight]
    for day, leg in nights:
        if leg.passage:
            ends = f"{atlas.name_of(leg.start)} to {atlas.name_of(leg.end)}"
            text = f"The night of day {day.number} is spent on the {leg.mode} from {ends}."
            yield Tip(text=text, passages=(leg.passage,))
    yield from _of_places(itinerary, atlas, "booking", most - len(nights))


def _closing(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Iterator[Tip]:
    """Which days places are closed on, and on which day of the week the trip can begin."""
    shut: dict[tuple[int, ...], list[Place]] = {}
    for place in _used(itinerary, atlas):
        if days := closed_weekdays(place.hours):
            shut.setdefault(days, []).append(place)
    if not shut:
        return
    for days, places in shut.items():
        verb = "is" if len(places) == 1 else "are"
        text = f"{joined([one.name for one in places])} {verb} closed on {weekdays_of(days)}."
        yield Tip(text=text, passages=tuple(one.passage for one in places))
    first = _monday(wish.month or 6)
    fits = [day for day in range(7) if _all_open(itinerary, first + timedelta(days=day), atlas)]
    cited = tuple(one.passage for places in shut.values() for one in places)
    if fits and len(fits) < 7:
        text = f"Begin on {_begun(fits)}: then every place is open when it is visited."
        yield Tip(text=text, passages=cited)
    elif not fits:
        text = "Whatever day the trip begins on, one of these is closed when it is visited."
        yield Tip(text=text, passages=cited)


def _begun(fits: list[int]) -> str:
    """`a Monday or a Friday`; of many, those that it is not: `any day but a Sunday`."""
    few = fits if len(fits) < 4 else [one for one in range(7) if one not in fits]
    named = joined([f"a {WEEKDAYS[one]}" for one in few], "or")
    return named if few is fits else f"any day but {named}"


def _monday(month: int) -> date:
    """A Monday in the middle of a month, in a week like others."""
    middle = date(2027, month, 8)
    return middle + timedelta(days=-middle.weekday() % 7)


def _all_open(itinerary: Itinerary, begins_on: date, atlas: Atlas) -> bool:
    return all(
        is_open(atlas.places[place].hours, begins_on + timedelta(days=day.number - 1), begins, ends)
        for day in itinerary.days
        for place, begins, ends in _times(day)
        if place in atlas.places
    )


def _times(day: Day) -> Iterator[tuple[str, int, int]]:
    yield from ((one.place, one.begins, one.ends) for one in day.visits)
    yield from ((one.place, one.begins, one.begins + MEAL_MIN) for one in day.meals)


# --- safety -----------------------------------------------------------------------------


def _safety(itinerary: Itinerary, atlas: Atlas, most: int) -> Iterator[Tip]:
    """What the places ask of one, and what is remarked of them and of the cities."""
    demanding = list(_demands(_visited(itinerary, atlas)))
    yield from demanding
    yield from _of_places(itinerary, atlas, "safety", most - len(demanding))


def _demands(visited: list[Place]) -> Iterator[Tip]:
    """What the places that ask most of one are like, those that ask the same together."""
    asking: dict[str, list[Place]] = {}
    for place in sorted(visited, key=lambda one: -_strain(one)):
        asked = ["hard going"] if place.effort == "hard" else []
        asked += [words for name, words in _CAUTIONS.items() if name in place.features]
        if asked:
            asking.setdefault(joined(asked), []).append(place)
    told = [(words, places[:_MOST_NAMED]) for words, places in asking.items()][:_MOST_DEMANDS]
    if told:
        parts = [f"{words} at {joined([one.name for one in places])}" for words, places in told]
        cited = tuple(one.passage for _, places in told for one in places)
        yield Tip(text=f"Be ready for {'; for '.join(parts)}.", passages=cited)


def _strain(place: Place) -> int:
    """How much a place asks of those who go there."""
    effort = {"hard": 6, "moderate": 2}.get(place.effort, 0)
    return effort + len(place.features & _CAUTIONS.keys())


# --- what all of them read --------------------------------------------------------------


def _of_places(itinerary: Itinerary, atlas: Atlas, topic: str, most: int) -> Iterator[Tip]:
    """What is remarked of places and of cities, so that every day has its share of so many."""
    cities = [tip for city in _cities(itinerary, atlas) for tip in _remarked(city, topic, atlas)]
    queues = [
        [tip for place in _used_on(day, atlas) for tip in _remarked(place, topic, atlas)]
        for day in itinerary.days
    ]
    turns = [tip for turn in zip_longest(*queues) for tip in turn if tip is not None]
    chosen = {tip.text for tip in list(dict.fromkeys(turns))[: max(most - len(cities), most // 2)]}
    yield from (tip for queue in queues for tip in queue if tip.text in chosen)
    yield from cities


def _remarked(place: Place, topic: str, atlas: Atlas) -> Iterator[Tip]:
    remark = atlas.remark(place.id, topic)
    if remark is not None and remark.text.strip():
        yield Tip(text=_of(place, briefly(remark.text)), passages=(remark.passage,))


def _of(place: Place, text: str) -> str:
    """A remark with the name of what it is about, where it does not have that itself."""
    said = text if place.name.casefold() in text.casefold() else f"{place.name}: {text}"
    return sentence(said)


def _cities(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    """The cities one is in, in the order in which one comes there."""
    found: list[str] = []
    for day in itinerary.days:
        found += [leg.start for leg in day.legs if leg.passage]
        found += [atlas.city_of(one.place) for one in day.visits]
        found += [day.city]
    return [atlas.places[one] for one in dict.fromkeys(found) if one in atlas.places]


def _visited(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    ids = dict.fromkeys(visit.place for day in itinerary.days for visit in day.visits)
    return [atlas.places[one] for one in ids if one in atlas.places]


def _used(itinerary: Itinerary, atlas: Atlas) -> list[Place]:
    """The places that are visited, eaten at and slept in, each once."""
    every = {place.id: place for day in itinerary.days for place in _used_on(day, atlas)}
    return list(every.values())


def _used_on(day: Day, atlas: Atlas) -> list[Place]:
    ids = [visit.place for visit in day.visits] + [meal.place for meal in day.meals]
    ids += [day.stay.place] if day.stay else []
    return [atlas.places[one] for one in ids if one in atlas.places]
