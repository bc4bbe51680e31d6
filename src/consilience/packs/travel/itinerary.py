"""What is a planned trip made of? Days with visits, meals, legs and beds, and what is said of them.

Clock times are minutes after midnight of their day; what lasts past midnight counts on (1,500 is
one o'clock of the next day). Amounts are exact (`Decimal`), in the currency of the places. A price
of None is not known: it is never taken for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from consilience.types import Filter, Note

if TYPE_CHECKING:
    from consilience.packs.travel.constraints import Check, Constraint
    from consilience.packs.travel.wish import Wish

DAY_MINUTES = 24 * 60
MEAL_MINUTES = 60
ADULTS_TO_A_ROOM = 2
PEOPLE_TO_A_ROOM = 4
PEOPLE_TO_A_CAR = 4

MealName = Literal["lunch", "dinner"]
Status = Literal["as wished", "planned", "negotiated", "impossible"]
StepName = Literal["analyse", "plan", "retrieve", "compose", "advise", "check", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A place that is visited; `price` is for one person, `reason` says why it was chosen."""

    place: str
    name: str
    start: int
    end: int
    price: Decimal | None
    passage: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meal:
    """A meal at a place to eat; `price` is for one person."""

    meal: MealName
    place: str
    name: str
    start: int
    end: int
    price: Decimal | None
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A night in a bed; `price` is for one room and night."""

    place: str
    name: str
    rooms: int
    price: Decimal | None
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A way from one place to another, `minutes` long from `start`.

    Between cities it is a connection that `passage` tells of, and `price` is for one person;
    without a passage it is estimated from the distance. A `local` leg is within a city or around
    it: its `km` and time are estimated from coordinates, and `price` is for a car of up to four.
    An `overnight` leg leaves on its day and takes the night after it.
    """

    origin: str
    destination: str
    mode: str
    start: int
    minutes: int
    price: Decimal | None
    km: float = 0.0
    passage: str = ""
    local: bool = False
    overnight: bool = False

    @property
    def end(self) -> int:
        """When it arrives."""
        return self.start + self.minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement:
    """A time of the day that is taken by something the travellers said themselves, or kept free.

    `place` is where it is, empty where that is not known.
    """

    label: str
    start: int
    end: int
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One day. `city` is where its night is spent; of the last day, where the trip ends."""

    number: int
    city: str
    date: date | None = None
    visits: tuple[Visit, ...] = ()
    meals: tuple[Meal, ...] = ()
    legs: tuple[Leg, ...] = ()
    engagements: tuple[Engagement, ...] = ()
    stay: Stay | None = None

    @property
    def between(self) -> tuple[Leg, ...]:
        """The legs between cities, in order."""
        return tuple(leg for leg in self.legs if not leg.local)

    @property
    def stops(self) -> tuple[Visit | Meal, ...]:
        """Visits and meals."""
        found: list[Visit | Meal] = [*self.visits, *self.meals]
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Itinerary:
    """The days in order. The night after the last day is not part of the trip.

    `start` is the city where it begins. `gaps` says what could not be filled and why, `assumed`
    which prices, speeds and times are not from the places.
    """

    days: tuple[Day, ...]
    start: str
    currency: str
    adults: int = 2
    children: int = 0
    gaps: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def people(self) -> int:
        """All who travel."""
        return self.adults + self.children

    @property
    def rooms(self) -> int:
        """The rooms that they take."""
        return rooms_for(self.adults, self.children)

    @property
    def cars(self) -> int:
        """The cars that they fill."""
        return -(-self.people // PEOPLE_TO_A_CAR)

    @property
    def end(self) -> str:
        """The city where it ends."""
        return self.days[-1].city if self.days else self.start

    @property
    def nights(self) -> int:
        """How many nights it has."""
        return max(0, len(self.days) - 1)

    def visits(self) -> Iterator[tuple[Day, Visit]]:
        """All visits with their days."""
        return ((day, visit) for day in self.days for visit in day.visits)

    def meals(self) -> Iterator[tuple[Day, Meal]]:
        """All meals with their days."""
        return ((day, meal) for day in self.days for meal in day.meals)

    def stays(self) -> Iterator[tuple[Day, Stay]]:
        """All nights in a bed with their days."""
        return ((day, day.stay) for day in self.days if day.stay is not None)

    def legs(self) -> Iterator[tuple[Day, Leg]]:
        """All legs with their days."""
        return ((day, leg) for day in self.days for leg in day.legs)

    def cities(self) -> tuple[str, ...]:
        """The cities where one sleeps, begins or ends, in order, each stretch once."""
        found = [self.start]
        found += [day.city for day in self.days if day.city != found[-1]]
        return tuple(
            city for at, city in enumerate(found) if city and (at == 0 or city != found[at - 1])
        )


def rooms_for(adults: int, children: int) -> int:
    """Two adults share a room, and two children one with them."""
    people = adults + children
    return max(1, -(-adults // ADULTS_TO_A_ROOM), -(-people // PEOPLE_TO_A_ROOM))


# --- what is searched ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search for places: for which purpose, in which words, where, how deep."""

    purpose: str
    text: str
    weight: float = 1.0
    depth: int = 40
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalPlan:
    """What is searched for a wish, decided before anything is searched."""

    searches: tuple[Search, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Places by id with how well they were found (1 is best), and by which searches."""

    scores: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


# --- what it costs, and what to know ------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A line of the bill: `count` times `each` is `total`."""

    what: str
    count: int
    each: Decimal
    total: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What the trip costs for everybody. `total` is the sum of the lines.

    `unpriced` names what is in the plan and has no known price: the total is without it.
    `converted` is the total in the currency of the wish, at `rate` units of ours for one of it.
    """

    costs: tuple[Cost, ...]
    total: Decimal
    currency: str
    unpriced: tuple[str, ...] = ()
    converted: Decimal | None = None
    wish_currency: str = ""
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A sentence of advice and the passages it rests on."""

    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to know on the way, by subject, and what it costs."""

    transport: tuple[Tip, ...] = ()
    season: tuple[Tip, ...] = ()
    booking: tuple[Tip, ...] = ()
    safety: tuple[Tip, ...] = ()
    bill: Bill | None = None

    def subjects(self) -> Mapping[str, tuple[Tip, ...]]:
        """The tips by subject, those subjects that have any."""
        found = {
            "Transport": self.transport,
            "Season": self.season,
            "Booking": self.booking,
            "Safety": self.safety,
        }
        return {name: tips for name, tips in found.items() if tips}


# --- what the check says, and all of it ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A plan that contradicts the clock, the map, the opening hours or arithmetic."""

    rule: str
    message: str
    day: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the report: a constraint and whether the plan keeps it."""

    constraint: Constraint
    check: Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Constraints that cannot be had together, and what is possible without each of them.

    `dropped` are those that the plan goes without. `without` says for each of `constraints`
    whether a plan was found once it is left out.
    """

    constraints: tuple[Constraint, ...]
    dropped: tuple[Constraint, ...] = ()
    without: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the check found: one line per constraint, faults of the plan, words not understood."""

    lines: tuple[Line, ...] = ()
    faults: tuple[Fault, ...] = ()
    leftover: tuple[str, ...] = ()

    def count(self, verdict: str, *, hard: bool | None = None) -> int:
        """How many lines have a verdict; only the hard or the soft ones where that is said."""
        return sum(
            line.check.verdict == verdict and (hard is None or line.constraint.hard == hard)
            for line in self.lines
        )

    @property
    def as_wished(self) -> bool:
        """Whether every hard constraint is kept, and nothing is broken, wrong or left over."""
        kept = all(line.check.verdict == "kept" for line in self.lines if line.constraint.hard)
        broken = any(
            line.check.verdict == "broken" for line in self.lines if not line.constraint.assumed
        )
        return kept and not broken and not self.faults and not self.leftover


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """All of it. `value` is what the solver's objective gives the plan, `bound` the most it could.

    `steps` says who did each step (the solver, the grammar, a language model).
    """

    wish: Wish
    status: Status
    clashes: tuple[Clash, ...] = ()
    reason: str = ""
    plan: RetrievalPlan | None = None
    candidates: Candidates | None = None
    itinerary: Itinerary | None = None
    advice: Advice | None = None
    report: Report = Report()
    value: float | None = None
    bound: float | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
