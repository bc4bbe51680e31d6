"""What can somebody ask of a trip, and does a finished plan keep it?

A wish is a list of constraints from this closed set. Each knows the words it came from (`span`),
states itself in words, checks a finished plan from the plan and the atlas alone, and posts itself
to the solver. A check is *kept*, *broken* or, for want of data, *unknown*: what nobody knows is
never counted as fit. Days count from 1; -1 is the last one. Clock times are minutes after midnight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consilience.errors import UsageError
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.itinerary import Engagement, rooms_for
from consilience.packs.travel.money import rate
from consilience.packs.travel.terms import lexicon, plain
from consilience.understand.names import surface

if TYPE_CHECKING:
    from consilience.packs.travel.atlas import Atlas, Connection, Place
    from consilience.packs.travel.itinerary import Day, Itinerary, Leg, Meal, Visit
    from consilience.packs.travel.plan_model import Move, PlanModel

Verdict = Literal["kept", "broken", "unknown"]
Part = Literal["", "morning", "afternoon", "evening", "night"]
By = Literal["theme", "type", "kind", "feature", "offer", "place", "setting", "word"]
MoneyScope = Literal[
    "trip", "person", "day", "person day", "night", "person night", "meal", "bed", "ticket", "ride"
]
Spent = Literal["bed", "meal", "plane"]
"""What an amount may leave out."""
_SPENT = ("visits", "meals", "beds", "journeys", "local")
Measure = Literal["visits", "travel", "ride", "walk", "beds", "cities", "nights"]
Hours = Literal["all", "visits", "rides", "lunch", "dinner"]
LEVELS = ("budget", "mid-range", "luxury")
SUITS = 0.5
"""From which strength on a place suits a theme."""
PARTS: Mapping[str, tuple[int, int]] = {
    "morning": (5 * 60, 12 * 60),
    "afternoon": (12 * 60, 18 * 60),
    "evening": (17 * 60, 24 * 60),
    "night": (20 * 60, 30 * 60),
}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MODES: Mapping[str, frozenset[str]] = {
    "train": frozenset(("train", "rail", "railway", "metro", "tram", "sleeper")),
    "bus": frozenset(("bus", "coach", "van", "minibus", "minivan", "shuttle", "limousine")),
    "plane": frozenset(("plane", "flight", "air", "airplane", "aeroplane", "helicopter")),
    "boat": frozenset(
        ("boat", "ferry", "ship", "speedboat", "hydrofoil", "catamaran", "cruise", "junk", "sampan")
    ),
    "car": frozenset(("car", "jeep", "drive", "transfer", "suv", "automobile")),
    "taxi": frozenset(("taxi", "cab", "grab", "uber", "tuk-tuk", "rickshaw")),
    "motorbike": frozenset(("motorbike", "motorcycle", "scooter", "moped")),
    "bicycle": frozenset(("bicycle", "bike", "cycle", "cycling")),
    "foot": frozenset(("walk", "foot", "walking", "hike")),
}
"""Families of means of transport, by the words that data and people use for them."""
_TOPICS = frozenset(
    ("war", "cave", "temple", "museum", "animals", "motorbike", "cable-car", "boat", "night")
)
"""Features that a text names where a place has them."""
_BY_CITY = frozenset(("setting", "place", "word", "offer"))
"""What a city may have as a whole."""
STAY_NEEDS = frozenset(("lift", "wifi", "air-conditioning", "parking"))
"""What is needed where one sleeps."""
WITHOUT = "without "
DIETS = frozenset(
    ("vegetarian", "vegan", "halal", "kosher", "gluten-free", "lactose-free", "nut-free")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Words of a wish, and where they stand; an empty text was assumed or comes from a form."""

    start: int = 0
    end: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Whether a plan keeps a constraint, why, and the days and places that it turns on."""

    verdict: Verdict
    reason: str
    days: tuple[int, ...] = ()
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """When, where and for whom a constraint holds; an empty scope is always and everywhere.

    `days` count from 1, or from the end with -1 as the last; `weekdays` from Monday as 0. `city` is
    the place that one stays in then, `who` the person it is for.
    """

    days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    dates: tuple[date, ...] = ()
    part: Part = ""
    city: str = ""
    who: str = ""

    def numbers(self, itinerary: Itinerary, atlas: Atlas) -> tuple[int, ...] | None:
        """The days of a plan that it means; None where the plan has no dates to tell."""
        whole = len(itinerary.days)
        found = [day.number for day in itinerary.days]
        if self.days:
            meant = {number if number > 0 else whole + 1 + number for number in self.days}
            found = [number for number in found if number in meant]
        if self.weekdays or self.dates:
            dated = {day.number: day.date for day in itinerary.days if day.date}
            if not dated:
                return None
            found = [
                number
                for number in found
                if number in dated
                and (dated[number] in self.dates or dated[number].weekday() in self.weekdays)
            ]
        if self.city:
            found = [
                day.number
                for day in itinerary.days
                if day.number in found and self._is_there(day, atlas)
            ]
        return tuple(found)

    def _is_there(self, day: Day, atlas: Atlas) -> bool:
        stops = {day.city, *(atlas.city_of(visit.place) for visit in day.visits)}
        stops |= {engagement.place for engagement in day.engagements}
        return any(stop and atlas.lies_in(stop, self.city) for stop in stops)

    def state(self, atlas: Atlas) -> str:
        """` on day 2`, ` on Sundays in Hue`; empty for always."""
        words = ""
        if self.days:
            words += f" on {_days(self.days)}"
        if self.weekdays:
            words += " on " + _list(WEEKDAYS[number] for number in self.weekdays)
        if self.dates:
            words += " on " + _list(_date(day) for day in self.dates)
        words += f" in the {self.part}" if self.part else ""
        words += f" in {atlas.name_of(self.city)}" if self.city else ""
        return words + (f" (for {self.who})" if self.who else "")

    def __bool__(self) -> bool:
        return self != ALWAYS


ALWAYS = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What a wish is about: a theme, a type or kind of places, a feature, an offer, a place, a
    setting (by the sea, in the mountains), or a word that no list has and that texts may mention.
    """

    by: By
    name: str

    def fits(self, place: Place, atlas: Atlas) -> bool | None:
        """Whether a place is or has it; None where nothing tells."""
        match self.by:
            case "theme":
                return place.themes.get(self.name, 0) >= SUITS if place.themes else None
            case "type":
                said = f" {surface(place.type)} {surface(place.name)} "
                if f" {surface(self.name)}" in said:
                    return True
                return False if place.type else None
            case "kind":
                return place.kind == self.name
            case "feature":
                return self._is_featured(place)
            case "place":
                return atlas.lies_in(place.id, self.name)
            case "setting":
                return (
                    True if atlas.setting(atlas.city_of(place.id) or place.id, self.name) else None
                )
            case "offer" | "word":
                return mentions(place, self.name)

    def _is_featured(self, place: Place) -> bool | None:
        """What a place is about stands in its text; what it merely has may not."""
        holds = fact_holds(place, self.name)
        if holds is None and (self.name in _TOPICS or (
            self.name == "alcohol" and place.kind not in ("food", "stay")
        )):  # fmt: skip
            return False
        return holds

    def state(self, atlas: Atlas) -> str:
        """What it is called."""
        return atlas.name_of(self.name) if self.by == "place" else self.name


def fact_holds(place: Place, name: str) -> bool | None:
    """Whether a place has a feature; None where neither its fields nor its text tell."""
    fact = place.fact(name)
    return None if fact is None else bool(fact.value)


def mentions(place: Place, words: str) -> bool:
    """Whether a place offers, serves or is called so, or its text speaks of it."""
    wanted = [stem(word) for word in surface(words).split()]
    said = " ".join((place.name, place.type, *place.offers, *place.serves, place.text))
    if wanted and wanted[0][:4] not in plain(said):
        return False
    found = [stem(word) for word in surface(said).split()]
    size = len(wanted)
    return bool(size) and any(found[at : at + size] == wanted for at in range(len(found)))


def stem(word: str) -> str:
    """A word without the endings of number and tense: `markets`, `kayaking`."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + instead
    if word.endswith("ing") and len(word) > 6:
        return word[:-3]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def mode_family(mode: str) -> str:
    """The family that a means of transport belongs to; its own name where none has it."""
    words = set(mode.casefold().replace("-", " ").split()) | {mode.casefold()}
    for family, names in MODES.items():
        if words & names or family in words:
            return family
    return mode


def cities_meant(place: str, atlas: Atlas) -> list[str]:
    """The cities by which one gets to a place: itself, where it lies, or those that lie in it."""
    city = atlas.city_of(place)
    if city:
        return [city]
    return [found.id for found in atlas.cities() if atlas.lies_in(found.id, place)]


class Constraint(ABC):
    """Something that a trip is to keep; `hard` must be, the rest is rather so than not."""

    kind: ClassVar[str]
    single: ClassVar[bool] = False
    """Whether a trip has only one of the kind."""
    hard: bool
    assumed: bool
    span: Span | None

    @abstractmethod
    def state(self, atlas: Atlas) -> str:
        """The constraint as part of a sentence: "at most 5 hours on the way a day"."""

    @abstractmethod
    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Whether a finished plan keeps it."""

    @abstractmethod
    def post(self, model: PlanModel) -> None:
        """Hand it to the solver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base(Constraint):
    hard: bool = True
    assumed: bool = False
    span: Span | None = None

    def post(self, model: PlanModel) -> None:
        """Nothing to hand over."""


# --- when -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Length(_Base):
    """How many days the trip has: from `least` to `most`."""

    kind: ClassVar[str] = "length"
    single: ClassVar[bool] = True
    least: int
    most: int

    def state(self, atlas: Atlas) -> str:
        """`4 days`, `3 to 5 days`."""
        return _range(self.least, self.most, "day")

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Count the days."""
        days = len(itinerary.days)
        return _verdict(self.least <= days <= self.most, f"the plan has {_count(days, 'day')}")

    def post(self, model: PlanModel) -> None:
        """The days of the model, which are fixed; dates may contradict them."""
        if not self.least <= model.frame.days <= self.most:
            model.exclude(self, *(one for one in model.constraints if isinstance(one, Dates)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates(_Base):
    """When it begins and ends; `within` says that it may be any days between the two.

    A weekday (0 is Monday) says it where no date does.
    """

    kind: ClassVar[str] = "dates"
    single: ClassVar[bool] = True
    start: date | None = None
    end: date | None = None
    start_weekday: int | None = None
    end_weekday: int | None = None
    within: bool = False

    def state(self, atlas: Atlas) -> str:
        """`from 3 March 2027 to 6 March 2027`."""
        first = _date(self.start) if self.start else _weekday(self.start_weekday)
        last = _date(self.end) if self.end else _weekday(self.end_weekday)
        if self.within:
            return f"some days between {first or 'now'} and {last or 'later'}"
        return " ".join(f"{word} {day}" for word, day in (("from", first), ("to", last)) if day)

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Compare the first and the last day with the calendar."""
        first, last = itinerary.days[0].date, itinerary.days[-1].date
        if first is None or last is None:
            return _unknown("the plan has no dates")
        said = f"the plan goes from {_date(first)} to {_date(last)}"
        if self.within:
            fits = (self.start or first) <= first and last <= (self.end or last)
            return _verdict(fits, said)
        fits = (self.start in (None, first)) and (self.end in (None, last))
        fits &= self.start_weekday in (None, first.weekday())
        return _verdict(fits and self.end_weekday in (None, last.weekday()), said)

    def post(self, model: PlanModel) -> None:
        """The dates of the model, which are fixed; a length may contradict them."""
        first, last = model.frame.date_of(1), model.frame.date_of(model.frame.days)
        if first is None or last is None:
            return
        fits = self.within or (self.start in (None, first) and self.end in (None, last))
        fits &= not self.within or last <= (self.end or last)
        fits &= self.start_weekday in (None, first.weekday())
        if not fits or self.end_weekday not in (None, last.weekday()):
            lengths = [one for one in model.constraints if isinstance(one, Length) and one.hard]
            model.exclude(self, *lengths)


@dataclass(frozen=True, slots=True, kw_only=True)
class Season(_Base):
    """The months that it may be in."""

    kind: ClassVar[str] = "season"
    single: ClassVar[bool] = True
    months: tuple[int, ...]

    def state(self, atlas: Atlas) -> str:
        """`in March or April`."""
        return "in " + _list((MONTHS[month - 1] for month in self.months), "or")

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at the months of the days."""
        dates = [day.date for day in itinerary.days if day.date]
        if not dates:
            return _unknown("the plan has no dates")
        late = [
            day.number for day in itinerary.days if day.date and day.date.month not in self.months
        ]
        return _verdict(not late, f"the plan begins on {_date(dates[0])}", days=late)

    def post(self, model: PlanModel) -> None:
        """The month of the model, which is fixed; dates may contradict it."""
        days = [model.frame.date_of(day) for day in model.days]
        if any(day and day.month not in self.months for day in days):
            others = [one for one in model.constraints if isinstance(one, Dates)]
            model.exclude(self, *others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockWindow(_Base):
    """Nothing (or no visit, ride or meal) before `earliest` or after `latest` on these days."""

    kind: ClassVar[str] = "clock window"
    earliest: int | None = None
    latest: int | None = None
    what: Hours = "all"
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`nothing before 10:00 on the last day`."""
        parts = []
        if self.earliest is not None:
            parts.append(f"before {_clock(self.earliest)}")
        if self.latest is not None:
            parts.append(f"after {_clock(self.latest)}")
        what = "nothing" if self.what == "all" else f"no {self.what}"
        return f"{what} {' or '.join(parts)}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Compare the clock of everything that is planned."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        low, high = self.earliest or 0, self.latest or 48 * 60
        faults = [
            (number, what, start)
            for number, what, start, end in self._events(itinerary)
            if number in numbers and not (low <= start and end <= high)
        ]
        if faults:
            number, what, start = faults[0]
            reason = f"{what} is at {_clock(start)} on day {number}"
            return _broken(reason, days=[number for number, _, _ in faults])
        return _kept("all times are within it")

    def post(self, model: PlanModel) -> None:
        """The hours that are left."""
        low, high = self.earliest or 0, self.latest or 48 * 60
        model.keep_hours(self.scope, low, high, self, self.what)

    def _events(self, itinerary: Itinerary) -> Iterator[tuple[int, str, int, int]]:
        for day in itinerary.days:
            if self.what in ("all", "visits"):
                for visit in day.visits:
                    yield day.number, visit.name, visit.start, visit.end
            if self.what in ("all", "rides"):
                for leg in day.legs:
                    if self.what == "all" or not leg.local:
                        end = leg.start if leg.overnight else leg.end
                        yield day.number, f"the {leg.mode}", leg.start, end
            for meal in day.meals:
                if self.what in ("all", meal.meal):
                    yield day.number, meal.name, meal.start, meal.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment(_Base):
    """A fixed time: a place or thing at that time, or (with neither) that time left alone for it.

    `title` are the words for it; `each_day` says that it is on every day of its scope.
    """

    kind: ClassVar[str] = "appointment"
    title: str
    start: int | None = None
    end: int | None = None
    thing: Thing | None = None
    each_day: bool = False
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`cooking class at 15:00 on day 2`."""
        clock = f" at {_clock(self.start)}" if self.start is not None else ""
        until = f" until {_clock(self.end)}" if self.end is not None else ""
        daily = " every day" if self.each_day else ""
        return f"{self.title}{clock}{until}{daily}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look for it at its time; or for anything that is in its way."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        days = [day for day in itinerary.days if day.number in numbers]
        if not days:
            return _broken("the plan has no such day")
        checks = [
            self._check_thing(some, self.thing, atlas) if self.thing else self._check_block(some)
            for some in ([[day] for day in days] if self.each_day else [days])
        ]
        return next((found for found in checks if found.verdict == "broken"), checks[0])

    def post(self, model: PlanModel) -> None:
        """Something that fits on one of the days, or a time that is taken."""
        days = model.days_of(self.scope)
        if not days:
            model.rule_out(self)
            return
        thing = self.thing
        if thing is None:
            low, high = PARTS.get(self.scope.part, (8 * 60, 22 * 60))
            start = self.start if self.start is not None else low
            end = self.end if self.end is not None else (start + 60 if self.start else high)
            taken = Engagement(label=self.title, start=start, end=end, place=self.scope.city)
            usual = days[0] if len(days) < model.frame.days else days[-1]
            for day in days if self.each_day else (usual,):
                model.engage(day, taken, self)
            return
        fits = model.in_scope(lambda place: thing.fits(place, model.atlas), self.scope)
        part, meal = "", ""
        if self.start is not None:
            part = "morning" if self.start < 12 * 60 else "afternoon"
            part = "evening" if self.start >= 17 * 60 + 30 else part
            meal = "lunch" if self.start < 16 * 60 else "dinner"
        for group in [(day,) for day in days] if self.each_day else [days]:
            count = model.visits(fits, group, part) + model.visits(fits, group, "whole")
            model.require(count + model.meals(fits, group, meal) >= 1, self)
        model.appointed.append((self, fits, days, self.start))

    def _check_thing(self, days: list[Day], thing: Thing, atlas: Atlas) -> Check:
        for day in days:
            for number, place, start, end in _timed(day):
                known = atlas.places.get(place)
                if known is None or not thing.fits(known, atlas):
                    continue
                if self._is_on_time(start, end):
                    return _kept(f"{known.name} is at {_clock(start)}", days=[number])
        return _broken(f"{self.title} is not there at that time", days=[day.number for day in days])

    def _is_on_time(self, start: int, end: int) -> bool:
        low, high = PARTS.get(self.scope.part, (0, 48 * 60))
        at = self.start
        return low <= start < high and (at is None or abs(start - at) <= 15)

    def _check_block(self, days: list[Day]) -> Check:
        low, high = PARTS.get(self.scope.part, (8 * 60, 22 * 60))
        first = self.start if self.start is not None else low
        last = self.end if self.end is not None else (first + 60 if self.start else high)
        for day in days:
            busy = [what for what, start, end in _busy(day) if start < last and first < end]
            if not busy:
                return _kept(f"the time is left free on day {day.number}", days=[day.number])
        return _broken(f"{busy[0]} is at that time", days=[day.number for day in days])


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeTime(_Base):
    """So many days, or parts of days, with nothing planned but meals."""

    kind: ClassVar[str] = "free time"
    count: int = 1
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`1 free afternoon on day 2`."""
        rest = replace(self.scope, part="")
        return f"{_count(self.count, 'free ' + (self.scope.part or 'day'))}{rest.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Count the days whose part is free."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        low, high = PARTS.get(self.scope.part, (0, 48 * 60))
        free = [
            day.number
            for day in itinerary.days
            if day.number in numbers
            and not any(visit.start < high and low < visit.end for visit in day.visits)
            and not any(leg.start < high and low < leg.end for leg in _ways(day))
        ]
        wanted = len(numbers) if self.scope.days or self.scope.weekdays else self.count
        return _verdict(len(free) >= min(wanted, len(itinerary.days)), f"free: {_days(free)}")

    def post(self, model: PlanModel) -> None:
        """Enough days on which that time is free."""
        days = model.days_of(self.scope)
        low, high = PARTS.get(self.scope.part, (0, 48 * 60))
        free = model.total(model.keep_free(day, low, high) for day in days)
        wanted = len(days) if self.scope.days or self.scope.weekdays else self.count
        model.require(free >= wanted if days else False, self)


# --- where ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GoTo(_Base):
    """A place that is in the trip; as a `day_trip`, without a night there."""

    kind: ClassVar[str] = "go to"
    place: str
    day_trip: bool = False
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`visit Hue on day 2`."""
        what = "a day trip to" if self.day_trip else "visit"
        return f"{what} {atlas.name_of(self.place)}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look for it among what is visited and where one sleeps."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        name = atlas.name_of(self.place)
        days = [
            day.number
            for day in itinerary.days
            if any(atlas.lies_in(place, self.place) for place in _places(day))
        ]
        meant = [number for number in days if number in numbers]
        if not meant or (self.scope.days and len(meant) < len(numbers)):
            closed = self._closed(itinerary, atlas)
            return _broken(closed or f"{name} is not in the plan{' then' if days else ''}")
        nights = [day.number for day in itinerary.days if _sleeps_in(day, self.place, atlas)]
        if self.day_trip and nights:
            return _broken(f"a night is spent in {name}", days=nights)
        return _kept(f"{name} is on {_days(meant)}", days=meant)

    def _closed(self, itinerary: Itinerary, atlas: Atlas) -> str:
        """That it is closed on every day of the plan, if it is."""
        place = atlas.places.get(self.place)
        dates = [day.date for day in itinerary.days if day.date]
        if place is None or not place.hours or not dates:
            return ""
        if any(open_spans(place.hours, on) for on in dates):
            return ""
        return f"{place.name} is closed on {_list(map(_weekday_of, dates))}"

    def post(self, model: PlanModel) -> None:
        """A visit, a meal or a night there on one of the days."""
        there = model.in_scope(lambda place: model.atlas.lies_in(place.id, self.place), ALWAYS)
        days = model.days_of(self.scope)
        if not days:
            model.rule_out(self)
            return
        cities = [city for city in model.pool.cities if model.atlas.lies_in(city, self.place)]
        if self.day_trip:
            model.require(model.nights_in(cities) == 0, self)
        model.pinned.add(self.place)
        for group in [(day,) for day in days] if self.scope.days else [tuple(days)]:
            count = model.visits(there, group) + model.meals(there, group)
            if not self.day_trip:
                count += model.total(model.is_at(day, city) for day in group for city in cities)
                count += model.beds_in(there, group)
            model.require(count >= 1, self)
        if cities and not self.day_trip:
            model.prefer(model.visits(there, days) >= 2, 80)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(_Base):
    """Where the trip begins."""

    kind: ClassVar[str] = "start"
    single: ClassVar[bool] = True
    place: str

    def state(self, atlas: Atlas) -> str:
        """`start in Hue`."""
        return f"start in {atlas.name_of(self.place)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at the first place of the first day."""
        first = itinerary.start
        return _verdict(
            atlas.lies_in(first, self.place), f"the plan starts in {atlas.name_of(first)}"
        )

    def post(self, model: PlanModel) -> None:
        """Where day 0 ends."""
        cities = cities_meant(self.place, model.atlas)
        model.require(model.total(model.is_at(0, city) for city in cities) >= 1, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class End(_Base):
    """Where the trip ends."""

    kind: ClassVar[str] = "end"
    single: ClassVar[bool] = True
    place: str

    def state(self, atlas: Atlas) -> str:
        """`end in Hue`."""
        return f"end in {atlas.name_of(self.place)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at the last place of the last day."""
        last = itinerary.end
        return _verdict(atlas.lies_in(last, self.place), f"the plan ends in {atlas.name_of(last)}")

    def post(self, model: PlanModel) -> None:
        """Where the last day ends."""
        cities = cities_meant(self.place, model.atlas)
        last = model.frame.days
        model.require(model.total(model.is_at(last, city) for city in cities) >= 1, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(_Base):
    """Places in the order in which they come."""

    kind: ClassVar[str] = "order"
    places: tuple[str, ...]

    def state(self, atlas: Atlas) -> str:
        """`first Hue, then Hoi An`."""
        return "first " + ", then ".join(map(atlas.name_of, self.places))

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Compare when each is reached first."""
        route = [itinerary.start, *(p for day in itinerary.days for p in _places(day))]
        if len(set(self.places)) < len(self.places):
            left = iter(route)
            again = all(any(atlas.lies_in(p, wanted) for p in left) for wanted in self.places)
            return _verdict(again, "by the order of the days")
        reached = []
        for wanted in self.places:
            at = [at for at, place in enumerate(route) if atlas.lies_in(place, wanted)]
            if not at:
                return _broken(f"{atlas.name_of(wanted)} is not in the plan")
            reached.append(at[0])
        return _verdict(reached == sorted(reached), "by when each is reached first")

    def post(self, model: PlanModel) -> None:
        """Whoever reaches a place has reached the one before it on that day or earlier."""
        for before, after in pairwise(self.places):
            reached = model.total(
                model.is_at(0, city) for city in cities_meant(before, model.atlas)
            )
            ever = model.total(())
            starts = (model.is_at(0, city) for city in cities_meant(after, model.atlas))
            if len(set(self.places)) == len(self.places):
                model.require(model.total(starts) <= reached, self)
            for day in model.days:
                reached += self._reached(model, before, day)
                there = self._reached(model, after, day)
                model.require(there <= 20 * reached, self)
                ever += there
            model.require(ever >= 1, self)
            model.require(reached >= 1, self)

    def _reached(self, model: PlanModel, place: str, day: int) -> Any:
        fits = model.in_scope(lambda found: model.atlas.lies_in(found.id, place), ALWAYS)
        cities = [city for city in model.pool.cities if model.atlas.lies_in(city, place)]
        return model.visits(fits, [day]) + model.total(model.is_at(day, city) for city in cities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights(_Base):
    """How many nights are spent in a place, or in cities that have a `thing` (by the sea)."""

    kind: ClassVar[str] = "nights"
    place: str = ""
    least: int
    most: int
    thing: Thing | None = None

    def state(self, atlas: Atlas) -> str:
        """`2 nights in Hue`."""
        where = f"with {self.thing.state(atlas)}" if self.thing else f"in {self._name(atlas)}"
        return f"{_range(self.least, self.most, 'night')} {where}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Count the nights."""
        slept = [day for day in itinerary.days if day.stay]
        if self.thing:
            cities = {day.number: atlas.places.get(day.city) for day in slept}
            fits = {n: city and self.thing.fits(city, atlas) for n, city in cities.items()}
            nights = [number for number, holds in fits.items() if holds]
            if len(nights) < self.least <= len(nights) + list(fits.values()).count(None):
                return _unknown(f"not every city says whether it has {self.thing.state(atlas)}")
        else:
            nights = [day.number for day in slept if _sleeps_in(day, self.place, atlas)]
        said = f"{_count(len(nights), 'night')}"
        return _verdict(self.least <= len(nights) <= self.most, said, days=nights)

    def post(self, model: PlanModel) -> None:
        """Count the nights in its cities."""
        thing, atlas = self.thing, model.atlas
        if thing is not None:
            cities = [city for city in model.pool.cities if thing.fits(atlas.places[city], atlas)]
        else:
            cities = [
                city
                for city in model.pool.cities
                if city in cities_meant(self.place, atlas) or atlas.lies_in(city, self.place)
            ]
        nights = model.nights_in(cities) - model.move_count(
            lambda move: move.overnight and move.destination in cities
        )
        model.require(nights >= self.least if cities or not self.least else False, self)
        if self.most < model.frame.days:
            model.require(nights <= self.most, self)

    def _name(self, atlas: Atlas) -> str:
        return atlas.name_of(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Within(_Base):
    """The trip stays in these places (regions, islands, a city), or within so many km of them."""

    kind: ClassVar[str] = "within"
    places: tuple[str, ...]
    name: str = ""
    km: int | None = None
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`only in the north`."""
        names = self.name or _list(map(atlas.name_of, self.places), "or")
        near = f"within {self.km} km of" if self.km is not None else "only in"
        return f"{near} {names}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at every city and visit."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        verdicts = {
            place: self.holds(place, atlas)
            for day in itinerary.days
            if day.number in numbers
            for place in _places(day)
        }
        return _judge(verdicts, atlas, "lies elsewhere", "where it lies is not known")

    def post(self, model: PlanModel) -> None:
        """Nothing elsewhere."""
        days = model.days_of(self.scope)
        outside = model.in_scope(lambda place: self.holds(place.id, model.atlas) is False, ALWAYS)
        cities = [city for city in model.pool.cities if outside(model.atlas.places[city])]
        where = days if self.scope else (0, *days)
        elsewhere = model.total(model.is_at(day, city) for day in where for city in cities)
        elsewhere += model.visits(outside, days) + model.meals(outside, days)
        model.require(elsewhere + model.beds_in(outside, days) == 0, self)

    def holds(self, place: str, atlas: Atlas) -> bool | None:
        """Whether a place lies within; None where nobody knows where it is."""
        if any(atlas.lies_in(place, whole) for whole in self.places):
            return True
        if self.km is None:
            return False
        known = atlas.places.get(place)
        here = place if known and known.point else atlas.city_of(place)
        far = [atlas.km(here, whole) for whole in self.places]
        told = [km for km in far if km is not None]
        return min(told) <= self.km if told else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing(_Base):
    """A place that was named and that nothing here tells of."""

    kind: ClassVar[str] = "missing"
    name: str

    def state(self, atlas: Atlas) -> str:
        """`visit Paris`."""
        return f"visit {self.name}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """It cannot be kept."""
        return _broken(f"nothing here tells of {self.name}")

    def post(self, model: PlanModel) -> None:
        """No plan has it."""
        model.rule_out(self)


# --- who --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(_Base):
    """Who travels; `company` is how they call themselves: solo, couple, family, friends."""

    kind: ClassVar[str] = "group"
    single: ClassVar[bool] = True
    adults: int = 2
    children: int = 0
    ages: tuple[int, ...] = ()
    company: str = ""

    @property
    def people(self) -> int:
        """All of them."""
        return self.adults + self.children

    @property
    def rooms(self) -> int:
        """The rooms that they need."""
        return rooms_for(self.adults, self.children)

    def state(self, atlas: Atlas) -> str:
        """`2 adults, 1 child (6)`."""
        words = _count(self.adults, "adult")
        if self.children:
            words += f", {self.children} {'child' if self.children == 1 else 'children'}"
        words += f" ({_list(map(str, self.ages))})" if self.ages else ""
        return words + (f", {self.company}" if self.company else "")

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Compare with whom the plan is for."""
        fits = (itinerary.adults, itinerary.children) == (self.adults, self.children)
        rooms = [day.stay.rooms for day in itinerary.days if day.stay]
        few = rooms and min(rooms) < self.rooms
        said = f"the plan is for {itinerary.people}"
        return _verdict(fits and not few, said + (", with too few rooms" if few else ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Need(_Base):
    """What somebody needs: access (wheelchair), a diet (vegan, without pork), fit for children.

    A diet is needed where one eats, anything else wherever one goes.
    """

    kind: ClassVar[str] = "need"
    need: str
    of: Literal["", "stay"] = ""
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`vegetarian food (for my sister)`."""
        what = f"food: {self.need}" if self.is_diet else f"fit for {self.need}"
        what = f"{self.need} where one sleeps" if self.is_of_bed else what
        return f"{what}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Ask every place for the fact."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        verdicts = {
            place: self.holds(atlas.places[place])
            for day in itinerary.days
            if day.number in numbers
            for place in self._asked(day)
            if place in atlas.places
        }
        return _judge(verdicts, atlas, f"is not {self.need}", f"{self.need} is not known")

    def post(self, model: PlanModel) -> None:
        """Nothing that is known not to fit; what nobody knows is rather left out."""
        days = model.days_of(self.scope)
        unfit = model.in_scope(lambda place: self.holds(place) is False, self.scope)
        untold = model.in_scope(lambda place: self.holds(place) is None, self.scope)
        count, open_ones = model.meals(unfit, days), model.meals(untold, days)
        model.reward(open_ones, -90)
        if self.is_of_bed:
            count = model.beds_in(unfit, days)
            model.reward(model.beds_in(untold, days), -90)
        elif not self.is_diet:
            count += model.visits(unfit, days) + model.beds_in(unfit, days)
            model.reward(model.visits(untold, days), -60)
            model.reward(model.beds_in(untold, days), -60)
        model.require(count == 0, self)

    def _asked(self, day: Day) -> list[str]:
        if self.is_diet:
            return _eaten_at(day)
        return _slept_at(day) if self.is_of_bed else _gone_to(day)

    @property
    def is_of_bed(self) -> bool:
        """Whether only places to sleep are to have it."""
        return self.of == "stay" or self.need in STAY_NEEDS

    @property
    def is_diet(self) -> bool:
        """Whether it is about what one eats."""
        return self.need in DIETS or self.need.startswith(WITHOUT)

    def holds(self, place: Place) -> bool | None:
        """Whether a place meets it; None where nobody says."""
        if self.of == "stay" and any(
            name.startswith("stay/") for name in lexicon("kind").names(self.need)
        ):
            said = f" {surface(place.type)} {surface(place.name)} "
            return f" {surface(self.need)}" in said if place.type else None
        return fact_holds(place, self.need)


# --- money ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Money(_Base):
    """What may be spent at most: on the whole trip by all, by a person, a day, a meal (each), a
    room for a night, a ticket (each) or a ride (each); with `things`, on those alone.
    """

    kind: ClassVar[str] = "money"
    amount: Decimal
    currency: str
    per: MoneyScope = "trip"
    least: Decimal | None = None
    things: tuple[Thing, ...] = ()
    without: tuple[Spent, ...] = ()
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`at most 400 USD for the trip`."""
        per = {
            "trip": "for the trip",
            "bed": "a room and night",
            "night": "a night for all rooms",
            "person night": "a person and night",
            "person day": "a person and day",
        }
        scope = per.get(self.per, f"a {self.per}")
        least = f"from {self.least:,} to " if self.least is not None else "at most "
        things = f" for {_list(thing.state(atlas) for thing in self.things)}" if self.things else ""
        things += f" without {_list(f'{what}s' for what in self.without)}" if self.without else ""
        return f"{least}{self.amount:,} {self.currency} {scope}{things}{self.scope.state(atlas)}"

    def limit(self, atlas: Atlas) -> Decimal | None:
        """The amount in the currency of the places; None without a rate."""
        if not atlas.currency:  # prices without a currency are taken to be in the wish's
            return self.amount
        worth = rate(self.currency or atlas.currency, atlas.currency, atlas.rates)
        return self.amount * worth if worth else None

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Add up, or compare each price."""
        limit = self.limit(atlas)
        if limit is None:
            return _unknown(f"no rate from {self.currency} to {atlas.currency or 'any currency'}")
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        prices = [price for price in _prices(itinerary) if price.day in numbers]
        prices = [price for price in prices if self._means(price, atlas)]
        left_out = {"the plane", "the flight"} if "plane" in self.without else set()
        prices = [p for p in prices if p.of not in self.without and p.name not in left_out]
        if self.per in ("night", "person night"):
            prices = [price for price in prices if price.of == "bed"]
        if self.per in ("meal", "bed", "ticket", "ride"):
            return self._check_each([price for price in prices if price.of == self.per], limit)
        return self._check_sums(itinerary, prices, limit, atlas)

    def post(self, model: PlanModel) -> None:
        """Sums below the limit, or nothing that is dearer; unknown prices are rather left out."""
        amount = self.limit(model.atlas)
        if amount is None:
            return
        days = model.days_of(self.scope)
        limit = int(amount * 100)
        meant = model.in_scope(
            lambda place: not self.things or any(t.fits(place, model.atlas) for t in self.things),
            ALWAYS,
        )
        self._post_unpriced(model, days, meant)
        if self.per in ("meal", "bed", "ticket"):
            dear = model.in_scope(
                lambda place: meant(place) and place.price is not None and place.price > amount,
                self.scope,
            )
            count = {"meal": model.meals, "bed": model.beds_in, "ticket": model.visits}[self.per]
            model.require(count(dear, days) == 0, self)
        elif self.per == "ride":
            model.require(
                model.move_count(lambda move: any(
                    way.price is not None and way.price > amount for way in move.connections
                ), days) == 0,
                self,
            )  # fmt: skip
        else:
            self._post_sums(model, days, limit, meant if self.things else None)

    def _post_sums(self, model: PlanModel, days: tuple[int, ...], limit: int, meant: Any) -> None:
        limit *= model.frame.people if self.per.startswith("person") else 1
        what: tuple[str, ...] = ("beds",) if self.per.endswith("night") else ()
        if self.without and not what:
            spent = {"bed": "beds", "meal": "meals", "plane": ""}
            left_out = {spent[one] for one in self.without}
            what = tuple(one for one in _SPENT if one not in left_out)
        groups = [days] if self.per in ("trip", "person") else [(day,) for day in days]
        for group in groups:
            model.cap(model.spend(*what, days=group, fits=meant), limit, self)

    def _post_unpriced(self, model: PlanModel, days: tuple[int, ...], meant: Any) -> None:
        unpriced = model.in_scope(lambda place: meant(place) and place.price is None, self.scope)
        if self.per not in ("bed", "night", "person night", "ride"):
            model.reward(model.visits(unpriced, days), -15)
            model.reward(model.meals(unpriced, days), -20)
        if self.per not in ("meal", "ticket", "ride"):
            model.reward(model.beds_in(unpriced, days), -40)

    def _means(self, price: Price, atlas: Atlas) -> bool:
        place = atlas.places.get(price.place)
        return not self.things or bool(
            place and any(thing.fits(place, atlas) for thing in self.things)
        )

    def _check_each(self, prices: list[Price], limit: Decimal) -> Check:
        dear = [price for price in prices if price.each is not None and price.each > limit]
        if dear:
            reason = f"{dear[0].name} costs {dear[0].each:,}"
            return _broken(reason, days=[price.day for price in dear], places=_ids(dear))
        unpriced = [price for price in prices if price.each is None]
        if unpriced:
            return _unknown(f"the price of {unpriced[0].name} is not known", places=_ids(unpriced))
        return _kept(f"{_count(len(prices), 'price')} compared")

    def _check_sums(
        self, itinerary: Itinerary, prices: list[Price], limit: Decimal, atlas: Atlas
    ) -> Check:
        people = max(1, itinerary.people)
        limit *= people if self.per.startswith("person") else 1
        groups = {0: prices}
        if self.per in ("day", "person day", "night", "person night"):
            groups = {
                day.number: [p for p in prices if p.day == day.number] for day in itinerary.days
            }
        sums = {day: sum((p.total for p in some), Decimal(0)) for day, some in groups.items()}
        dearest = max(sums.values(), default=Decimal(0))
        over = [day for day, total in sums.items() if total > limit]
        said = f"it comes to {dearest:,.0f} {atlas.currency} of {limit:,.0f}"
        if over:
            return _broken(said, days=[day for day in over if day])
        unpriced = [price for price in prices if price.each is None]
        if unpriced:
            return _unknown(
                f"{said}, without {_count(len(unpriced), 'price')} that nobody knows, such as "
                f"{unpriced[0].name}",
                places=_ids(unpriced),
            )
        return _kept(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level(_Base):
    """How dear places to stay (or to eat) are: budget, mid-range or luxury; any of `levels`."""

    kind: ClassVar[str] = "level"
    levels: tuple[str, ...]
    of: Literal["stay", "food"] = "stay"
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`mid-range stays`."""
        what = "places to stay" if self.of == "stay" else "places to eat"
        return f"{_list(self.levels, 'or')} {what}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Compare the level of each."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        places = (
            place
            for day in itinerary.days
            if day.number in numbers
            for place in (_eaten_at(day) if self.of == "food" else _slept_at(day))
            if place in atlas.places
        )
        verdicts = {place: self.fits(atlas.places[place]) for place in places}
        return _judge(verdicts, atlas, "is of another level", "its level is not known")

    def post(self, model: PlanModel) -> None:
        """No place of another level; what nobody knows is rather left out."""
        days = model.days_of(self.scope)
        other = model.in_scope(lambda place: self.fits(place) is False, self.scope)
        untold = model.in_scope(lambda place: self.fits(place) is None, self.scope)
        count = model.beds_in if self.of == "stay" else model.meals
        model.require(count(other, days) == 0, self)
        model.reward(count(untold, days), -40)

    def fits(self, place: Place) -> bool | None:
        """Whether a place is of it; None where its level is not known."""
        return place.level in self.levels if place.level else None


# --- what is wanted and what is not -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme(_Base):
    """What the trip, or a stretch of its days, is about; `share` in per cent where it was said."""

    kind: ClassVar[str] = "theme"
    theme: str
    share: int | None = None
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`romance on days 1 to 4`."""
        share = f"{self.share} % " if self.share else ""
        return f"{share}{self.theme}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Count what suits it: something each day of a stretch, else something in the trip."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        thing = Thing(by="theme", name=self.theme)
        suited, untold, filled = set[int](), set[int](), set[int]()
        for day in itinerary.days:
            places = [
                atlas.places[p] for p in (*_gone_to(day), day.city) if p and p in atlas.places
            ]
            fits = [thing.fits(place, atlas) for place in places]
            if day.number in numbers and day.visits:
                filled.add(day.number)
                suited |= {day.number} if any(fits) else set()
                untold |= {day.number} if None in fits else set()
        if not filled:
            return _broken(f"nothing for {self.theme}: no visit is on these days")
        missing = sorted(filled - suited) if self.scope else sorted(() if suited else filled)
        if not missing:
            return _kept(f"on {_days(sorted(suited))}", days=sorted(suited))
        if set(missing) <= untold:
            return _unknown(f"no place on {_days(missing)} says what it suits", days=missing)
        return _broken(f"nothing for {self.theme} on {_days(missing)}", days=missing)

    def post(self, model: PlanModel) -> None:
        """Something that suits it, on each day of a stretch or in the trip; the more the better."""
        thing, days = Thing(by="theme", name=self.theme), model.days_of(self.scope)
        fits = model.in_scope(lambda place: thing.fits(place, model.atlas), self.scope)
        model.reward(model.visits(fits, days), 25)
        if self.scope:
            for day in days:
                model.require(model.visits(None, [day]) <= 9 * model.visits(fits, [day]), self)
        else:
            model.require(model.visits(fits, days) + model.meals(fits, days) >= 1, self)
        if self.share:
            share = self.share
            model.prefer(100 * model.visits(fits, days) >= share * model.visits(None, days), 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Want(_Base):
    """Something to be had: any of `things`, at least `least` and at most `most` times.

    `each_day` says that it is wanted on every day.
    """

    kind: ClassVar[str] = "want"
    things: tuple[Thing, ...]
    least: int = 1
    most: int | None = None
    each_day: bool = False
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`at least 2 × museum`."""
        names = _list((thing.state(atlas) for thing in self.things), "or")
        times = "" if (self.least, self.most) == (1, None) else f"{_times(self.least, self.most)} "
        daily = " every day" if self.each_day else ""
        return f"{times}{names}{daily}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Count the places that are or have it."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        found, untold = self._count(itinerary, atlas, numbers)
        names = _list((thing.state(atlas) for thing in self.things), "or")
        places = tuple(dict.fromkeys(place for some in found.values() for place in some))
        if self.each_day:
            without = [number for number in numbers if not found.get(number)]
            enough, days = not without, without
        else:
            enough, days = len(places) >= self.least, sorted(found)
        if self.most is not None and len(places) > self.most:
            return _broken(f"{len(places)} × {names}", days=days, places=places)
        said = f"{_list(map(atlas.name_of, places[:3]))}" if places else f"no {names}"
        if enough:
            return _kept(said, days=days, places=places)
        if untold:
            return _unknown(f"no place is known to have {names}", places=tuple(untold))
        return _broken(f"{said}: {len(places)} of {self.least}", days=days, places=places)

    def post(self, model: PlanModel) -> None:
        """Enough places that are or have it."""
        days, atlas = model.days_of(self.scope), model.atlas
        fits = model.in_scope(
            lambda place: any(thing.fits(place, atlas) for thing in self.things), self.scope
        )
        model.reward(model.visits(fits, days), 20)
        if self.each_day:
            for day in days:
                model.require(self._had(model, fits, (day,)) >= 1, self)
        else:
            model.require(self._had(model, fits, days) >= self.least if days else False, self)
        if self.most is not None:
            model.require(self._had(model, fits, days, once=True) <= self.most, self)

    def _had(
        self, model: PlanModel, fits: Any, days: tuple[int, ...], *, once: bool = False
    ) -> Any:
        part = {"night": "evening"}.get(self.scope.part, self.scope.part)
        count = model.visits(fits, days, part)
        if part != "morning":
            meal = {"afternoon": "lunch", "evening": "dinner"}.get(part, "")
            count += model.meals(fits, days, meal)
        if part in ("", "evening") and (self.least == 1 or self.each_day) and not once:
            count += model.beds_in(fits, days)
        if any(thing.by in _BY_CITY for thing in self.things) and not part:
            cities = [city for city in model.pool.cities if fits(model.atlas.places[city])]
            count += model.total(model.is_at(day, city) for day in days for city in cities)
        return count

    def _places(self, day: Day) -> list[str]:
        wide = any(thing.by in _BY_CITY for thing in self.things)
        return _places(day) if wide and not self.scope.part else _during(day, self.scope.part)

    def _count(
        self, itinerary: Itinerary, atlas: Atlas, numbers: tuple[int, ...]
    ) -> tuple[dict[int, list[str]], list[str]]:
        found: dict[int, list[str]] = {}
        untold: list[str] = []
        for day in itinerary.days:
            for place in self._places(day) if day.number in numbers else ():
                known = atlas.places.get(place)
                fits = [thing.fits(known, atlas) for thing in self.things] if known else []
                if any(fits):
                    found.setdefault(day.number, []).append(place)
                elif None in fits:
                    untold.append(place)
        return found, untold


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoid(_Base):
    """Nothing of this: no place that is or has one of `things`, `but` for those places."""

    kind: ClassVar[str] = "avoid"
    things: tuple[Thing, ...]
    but: tuple[str, ...] = ()
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`no museum but the Cham Museum`."""
        names = _list((thing.state(atlas) for thing in self.things), "or")
        but = f" but {_list(map(atlas.name_of, self.but))}" if self.but else ""
        return f"no {names}{but}{self.scope.state(atlas)}"

    def rules_out(self, place: Place, atlas: Atlas) -> bool | None:
        """Whether a place is not to be had; None where nothing tells."""
        if any(atlas.lies_in(place.id, spared) for spared in self.but):
            return False
        fits = [thing.fits(place, atlas) for thing in self.things]
        return True if any(fits) else None if None in fits else False

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at every place that the plan goes to."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        cities = any(thing.by == "place" for thing in self.things)
        verdicts: dict[str, bool | None] = {}
        for day in itinerary.days:
            places = _places(day) if cities else _during(day, self.scope.part)
            for place in places if day.number in numbers else ():
                if place in atlas.places:
                    ruled_out = self.rules_out(atlas.places[place], atlas)
                    verdicts[place] = None if ruled_out is None else not ruled_out
        names = _list((thing.state(atlas) for thing in self.things), "or")
        return _judge(verdicts, atlas, f"has {names}", f"whether it has {names} is not known")

    def post(self, model: PlanModel) -> None:
        """Nothing that is or has it; what nobody knows is rather left out."""
        days, atlas = model.days_of(self.scope), model.atlas
        ruled_out = {}

        def rule(place: Place) -> bool | None:
            if place.id not in ruled_out:
                ruled_out[place.id] = self.rules_out(place, atlas)
            return ruled_out[place.id]

        part = {"night": "evening"}.get(self.scope.part, self.scope.part)
        banned = model.in_scope(lambda place: rule(place) is True, self.scope)
        untold = model.in_scope(lambda place: rule(place) is None, self.scope)
        count = model.visits(banned, days, part)
        if part != "morning":
            meal = {"afternoon": "lunch", "evening": "dinner"}.get(part, "")
            count += model.meals(banned, days, meal)
        if part in ("", "evening"):
            count += model.beds_in(banned, days)
        if any(thing.by == "place" for thing in self.things):
            cities = [city for city in model.pool.cities if banned(atlas.places[city])]
            count += model.total(model.is_at(day, city) for day in days for city in cities)
        model.require(count == 0, self)
        model.reward(model.visits(untold, days), -12)
        model.reward(model.meals(untold, days), -12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace(_Base):
    """How much at most (or at least): visits a day, minutes on the way a day, minutes of a single
    ride, km on foot a day, changes of bed, cities, nights in each city.
    """

    kind: ClassVar[str] = "pace"
    measure: Measure
    most: int | None = None
    least: int | None = None
    modes: tuple[str, ...] = ()
    things: tuple[Thing, ...] = ()
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`at most 3 visits a day`."""
        timed = self.measure in ("travel", "ride")
        show: Callable[[int], str] = _duration if timed else str
        bound = " and ".join(
            f"{word} {show(number)}"
            for word, number in (("at least", self.least), ("at most", self.most))
            if number is not None
        )
        what = {
            "visits": "visits a day",
            "travel": "on the way a day",
            "ride": "in one ride",
            "walk": "km on foot a day",
            "beds": "changes of bed",
            "cities": "cities",
            "nights": "nights in each city",
        }[self.measure]
        by = f" by {_list(self.modes, 'or')}" if self.modes else ""
        by += f" with {_list((t.state(atlas) for t in self.things), 'or')}" if self.things else ""
        return f"{bound} {what}{by}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Measure each day, or the trip."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        values = [
            (day, value) for day, value in self._values(itinerary, atlas) if day in (0, *numbers)
        ]
        wrong = [
            (day, value)
            for day, value in values
            if (self.most is not None and value > self.most)
            or (self.least is not None and value < self.least)
        ]
        if wrong:
            day, value = max(wrong, key=lambda found: found[1])
            shown = _duration(value) if self.measure in ("travel", "ride") else str(value)
            where = f" on day {day}" if day else ""
            return _broken(f"{shown}{where}", days=[number for number, _ in wrong if number])
        return _kept(f"at most {max((value for _, value in values), default=0)}")

    def post(self, model: PlanModel) -> None:
        """Bounds for each day, or for the trip."""
        days = model.days_of(self.scope)
        match self.measure:
            case "visits":
                fits = model.in_scope(
                    lambda place: (
                        not self.things
                        or any(thing.fits(place, model.atlas) for thing in self.things)
                    ),
                    self.scope,
                )
                for day in days:
                    self._bound(model, model.visits(fits, [day]))
            case "travel":
                for day in days:
                    self._bound(model, model.riding(day, self._rides_count))
            case "ride":
                longest = self.most if self.most is not None else 48 * 60
                model.require(
                    model.move_count(lambda move: any(
                        way.minutes > longest for way in move.connections if self._rides_count(way)
                    ), days) == 0,
                    self,
                )  # fmt: skip
            case "beds":
                self._bound(model, model.changes_of_bed())
            case "cities":
                self._bound(
                    model, model.total(model.sleeps_ever(city) for city in model.pool.cities)
                )
            case "nights":
                model.keep_stretches(self.least or 1, self.most, self)
            case "walk":  # from the middle of the city: lowered where the day's ways are longer
                for day in days:
                    if self.most is not None:
                        model.cap(model.walking(day), 10 * self.most, self)

    def _bound(self, model: PlanModel, value: Any) -> None:
        if self.most is not None:
            model.require(value <= self.most, self)
        if self.least is not None:
            model.require(value >= self.least, self)

    def _rides_count(self, way: Connection) -> bool:
        return not self.modes or mode_family(way.mode) in self.modes

    def _values(self, itinerary: Itinerary, atlas: Atlas) -> list[tuple[int, int]]:
        days = itinerary.days
        match self.measure:
            case "visits":
                return [(day.number, self._visits(day, atlas)) for day in days]
            case "travel":
                return [(day.number, sum(leg.minutes for leg in self._rides(day))) for day in days]
            case "ride":
                return [(day.number, leg.minutes) for day in days for leg in self._rides(day)]
            case "walk":
                return [(day.number, round(sum(_walked(day)))) for day in days]
            case "beds":
                return [(0, max(0, len(_runs(_beds(itinerary))) - 1))]
            case "cities":
                return [(0, len(set(_cities_slept_in(itinerary))))]
            case "nights":
                return [(0, nights) for _, nights in _runs(_cities_slept_in(itinerary))]

    def _visits(self, day: Day, atlas: Atlas) -> int:
        places = [atlas.places.get(visit.place) for visit in day.visits]
        return sum(
            not self.things or any(place and thing.fits(place, atlas) for thing in self.things)
            for place in places
        )

    def _rides(self, day: Day) -> list[Leg]:
        return [leg for leg in _ways(day) if not self.modes or mode_family(leg.mode) in self.modes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means(_Base):
    """How one travels: `only` by these means, `never`, `some` ride by them, or by them as well.

    `overnight` is a means too. `between` names the two ends of the way where only that is meant.
    """

    kind: ClassVar[str] = "means"
    modes: tuple[str, ...]
    rule: Literal["only", "never", "some", "may"] = "only"
    between: tuple[str, ...] = ()
    scope: Scope = ALWAYS

    def state(self, atlas: Atlas) -> str:
        """`never by bus`."""
        ends = f" between {_list(map(atlas.name_of, self.between))}" if self.between else ""
        rule = {"some": "a ride", "may": "if need be"}.get(self.rule, self.rule)
        return f"{rule} by {_list(self.modes, 'or')}{ends}{self.scope.state(atlas)}"

    def check(self, itinerary: Itinerary, atlas: Atlas) -> Check:
        """Look at every ride: local ones only where a means is ruled out."""
        numbers = self.scope.numbers(itinerary, atlas)
        if numbers is None:
            return _unknown("the plan has no dates")
        rides = [
            (day.number, leg)
            for day in itinerary.days
            if day.number in numbers
            for leg in (day.legs if self.rule == "never" else _ways(day))
            if self._is_meant(leg, atlas)
        ]
        by = [(number, leg) for number, leg in rides if self.has(leg.mode, overnight=leg.overnight)]
        names = _list(self.modes, "or")
        if self.rule == "may":
            return _kept(f"{_count(len(by), 'ride')} by {names}")
        if self.rule == "some":
            return _verdict(bool(by), f"{_count(len(by), 'ride')} by {names}")
        wrong = by if self.rule == "never" else [ride for ride in rides if ride not in by]
        if wrong:
            number, leg = wrong[0]
            return _broken(f"by {leg.mode} on day {number}", days=[number for number, _ in wrong])
        return _kept(f"{_count(len(rides), 'ride')} looked at")

    def post(self, model: PlanModel) -> None:
        """No journey by what is ruled out, or one by what is wanted."""
        if self.rule == "may":
            return
        days = model.days_of(self.scope)

        def by(way: Connection) -> bool:
            return self.has(way.mode, overnight=way.overnight)

        def meant(move: Move) -> list[Connection]:
            ends = (move.origin, move.visited)
            there = (any(model.atlas.lies_in(end, p) for end in ends) for p in self.between)
            city = self.scope.city
            if not all(there) or (city and not any(model.atlas.lies_in(e, city) for e in ends)):
                return []
            return list(move.connections)

        if self.rule == "some":
            model.require(model.move_count(lambda m: any(map(by, meant(m))), days) >= 1, self)
            return
        never = self.rule == "never"
        wrong = model.move_count(lambda move: any(by(way) == never for way in meant(move)), days)
        model.require(wrong == 0, self)
        if never and not self.between:
            local = model.in_scope(
                lambda place: mode_family(model.local(place.id).mode) in self.modes, self.scope
            )
            model.require(model.visits(local, days) + model.meals(local, days) == 0, self)

    def has(self, mode: str, *, overnight: bool) -> bool:
        """Whether a ride is by one of its means."""
        return mode_family(mode) in self.modes or (overnight and "overnight" in self.modes)

    def _is_meant(self, leg: Leg, atlas: Atlas) -> bool:
        ends = (leg.origin, leg.destination)
        return not self.between or (
            not leg.local
            and all(any(atlas.lies_in(end, place) for end in ends) for place in self.between)
        )


# --- the closed set, as JSON ------------------------------------------------------------

_CLASSES: tuple[type[_Base], ...] = (
    *(Length, Dates, Season, ClockWindow, Appointment, FreeTime),
    *(GoTo, Start, End, Order, Nights, Within, Missing),
    *(Group, Need, Money, Level, Theme, Want, Avoid, Pace, Means),
)
KINDS: Mapping[str, type[_Base]] = {each.kind: each for each in _CLASSES}
"""Every kind of constraint by name."""


def constraint_to_json(constraint: Constraint) -> dict[str, Any]:
    """A constraint as a form edits it: its kind and its fields."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import, and not always needed

    kind = type(constraint)
    return {"kind": kind.kind, **TypeAdapter(kind).dump_python(constraint, mode="json")}


def constraint_from_json(found: Mapping[str, Any]) -> Constraint:
    """The constraint that a form gives; what is wrong with it is said."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    values = dict(found)
    kind = KINDS.get(str(values.pop("kind", "")))
    if kind is None:
        raise UsageError(f"{found.get('kind')!r} is no constraint; choose from {', '.join(KINDS)}")
    try:
        constraint: Constraint = TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise UsageError(f"constraint {kind.kind!r}: {where}: {first['msg']}") from error
    return constraint


# --- what a plan holds ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What something of a plan costs: `each` (None where nobody knows), and in all."""

    day: int
    of: Literal["meal", "bed", "ticket", "ride", "taxi"]
    place: str
    name: str
    each: Decimal | None
    count: int

    @property
    def total(self) -> Decimal:
        """For all of them; nothing where it is not known."""
        return (self.each or Decimal(0)) * self.count


def _prices(itinerary: Itinerary) -> Iterator[Price]:
    people, cars = itinerary.people, itinerary.cars
    for day in itinerary.days:
        number = day.number
        for visit in day.visits:
            yield Price(day=number, of="ticket", place=visit.place, name=visit.name,
                        each=visit.price, count=people)  # fmt: skip
        for meal in day.meals:
            yield Price(day=number, of="meal", place=meal.place, name=meal.name,
                        each=meal.price, count=people)  # fmt: skip
        for leg in day.legs:
            of: Literal["ride", "taxi"] = "taxi" if leg.local else "ride"
            yield Price(day=number, of=of, place=leg.destination, name=f"the {leg.mode}",
                        each=leg.price, count=cars if leg.local else people)  # fmt: skip
        if day.stay:
            yield Price(day=number, of="bed", place=day.stay.place, name=day.stay.name,
                        each=day.stay.price, count=day.stay.rooms)  # fmt: skip


def _ways(day: Day) -> list[Leg]:
    """The rides between cities."""
    return list(day.between)


def _walked(day: Day) -> list[float]:
    return [leg.km for leg in day.legs if mode_family(leg.mode) == "foot"]


def _timed(day: Day) -> Iterator[tuple[int, str, int, int]]:
    events: tuple[Visit | Meal, ...] = (*day.visits, *day.meals)
    for event in events:
        yield day.number, event.place, event.start, event.end


def _busy(day: Day) -> Iterator[tuple[str, int, int]]:
    events: tuple[Visit | Meal, ...] = (*day.visits, *day.meals)
    for event in events:
        yield event.name, event.start, event.end
    for leg in day.legs:
        yield f"the {leg.mode}", leg.start, leg.end


def _during(day: Day, part: str) -> list[str]:
    """The places that one goes to in a part of a day, beds included; all of them for no part."""
    if not part:
        return [*_gone_to(day)]
    low, high = PARTS[part]
    there = [place for _, place, start, end in _timed(day) if start < high and low < end]
    return there + ([day.stay.place] if day.stay and part in ("evening", "night") else [])


def _gone_to(day: Day) -> list[str]:
    """Visits, places to eat and the bed."""
    return [*(visit.place for visit in day.visits), *_eaten_at(day), *_slept_at(day)]


def _eaten_at(day: Day) -> list[str]:
    return [meal.place for meal in day.meals]


def _slept_at(day: Day) -> list[str]:
    return [day.stay.place] if day.stay else []


def _places(day: Day) -> list[str]:
    """Every place of a day in its order, the city of its night last."""
    timed = sorted(_timed(day), key=lambda event: event[2])
    found = [*(place for _, place, _, _ in timed), *_slept_at(day), day.city]
    return [place for place in dict.fromkeys(found) if place]


def _sleeps_in(day: Day, place: str, atlas: Atlas) -> bool:
    return day.stay is not None and (
        atlas.lies_in(day.stay.place, place) or atlas.lies_in(day.city, place)
    )


def _beds(itinerary: Itinerary) -> list[str]:
    return [day.stay.place for day in itinerary.days if day.stay]


def _cities_slept_in(itinerary: Itinerary) -> list[str]:
    return [day.city for day in itinerary.days if day.stay]


def _runs(values: Iterable[str]) -> list[tuple[str, int]]:
    """Equal values in a row, with how many they are."""
    found: list[tuple[str, int]] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1] = (value, found[-1][1] + 1)
        else:
            found.append((value, 1))
    return found


# --- verdicts and words -----------------------------------------------------------------


def _kept(reason: str, days: Iterable[int] = (), places: Iterable[str] = ()) -> Check:
    return Check(verdict="kept", reason=reason, days=tuple(days), places=tuple(places))


def _broken(reason: str, days: Iterable[int] = (), places: Iterable[str] = ()) -> Check:
    return Check(verdict="broken", reason=reason, days=tuple(days), places=tuple(places))


def _unknown(reason: str, days: Iterable[int] = (), places: Iterable[str] = ()) -> Check:
    return Check(verdict="unknown", reason=reason, days=tuple(days), places=tuple(places))


def _verdict(holds: object, reason: str, days: Iterable[int] = ()) -> Check:
    return _kept(reason, days) if holds else _broken(reason, days)


def _judge(verdicts: Mapping[str, bool | None], atlas: Atlas, wrong: str, untold: str) -> Check:
    """One verdict from those of places: one that is wrong breaks it, one untold leaves it open."""
    faults = [place for place, holds in verdicts.items() if holds is False]
    if faults:
        return _broken(f"{atlas.name_of(faults[0])} {wrong}", places=faults)
    open_ones = [place for place, holds in verdicts.items() if holds is None]
    if open_ones:
        some = _list(map(atlas.name_of, open_ones[:3]))
        return _unknown(f"{some}: {untold}", places=open_ones)
    return _kept(f"{_count(len(verdicts), 'place')} looked at")


def _ids(prices: Iterable[Price]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(price.place for price in prices))


def _list(names: Iterable[str], join: str = "and") -> str:
    words = list(names)
    return f" {join} ".join((", ".join(words[:-1]), words[-1])) if words[1:] else "".join(words)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _range(least: int, most: int, noun: str) -> str:
    if least == most:
        return _count(least, noun)
    return f"at most {_count(most, noun)}" if least <= 1 else f"{least} to {_count(most, noun)}"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} ×"
    return f"{least} ×" if least == most else f"{least} to {most} ×"


def _days(numbers: Iterable[int]) -> str:
    days = list(numbers)
    if not days:
        return "no day"
    if len(days) > 2 and days[0] > 0 and days == list(range(days[0], days[-1] + 1)):
        return f"days {days[0]} to {days[-1]}"
    names = {-1: "the last day", -2: "the day before the last"}
    return _list(names.get(day, f"day {day}" if day > 0 else f"day {day} from the end")
                 for day in days)  # fmt: skip


def _date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _weekday_of(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]} {_date(day)}"


def _weekday(number: int | None) -> str:
    return "" if number is None else WEEKDAYS[number]


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def _duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours and rest else f"{hours} h" if hours else f"{rest} min"


def date_range(first: date, last: date) -> tuple[date, ...]:
    """The dates from one to another."""
    return tuple(first + timedelta(days=step) for step in range((last - first).days + 1))
