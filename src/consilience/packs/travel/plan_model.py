"""What may a plan choose, and what holds of every plan? Variables and physics for CP-SAT.

Each day has a move (stay, go on, go and come back, take the night train), which says where one is
in the morning, in the afternoon and in the evening; places are visited in these parts of a day,
if one is there, they are open and time is left. Constraints of a wish are added with `require`
under a literal of their own, so that those that clash can be named, or with `prefer`.
Exact clock times come afterwards, day by day (`day_clock`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from ortools.sat.python import cp_model

from consilience.packs.travel.atlas import Atlas, Connection, Place
from consilience.packs.travel.hours import overlap, usual_spans
from consilience.packs.travel.itinerary import DAY_MINUTES, MEAL_MINUTES, Engagement, rooms_for
from consilience.packs.travel.journeys import Journey, LocalWay, arrival_on_next_day, local_way

if TYPE_CHECKING:
    from consilience.packs.travel.constraints import Constraint, Scope

Part = Literal["morning", "afternoon", "evening", "whole"]
Fits = Callable[[Place], bool]
Expr = cp_model.LinearExpr
Condition = cp_model.BoundedLinearExpression | bool
ZERO = cp_model.LinearExpr.constant(0)
PARTS: Mapping[Part, tuple[int, int]] = {
    "morning": (8 * 60 + 30, 12 * 60 + 30),
    "afternoon": (13 * 60 + 30, 18 * 60),
    "evening": (19 * 60, 22 * 60),
}
"""When the parts of a day are; a meal lies between them."""
WINDOWS: Mapping[Part, tuple[int, int]] = {
    "morning": (7 * 60 + 30, 13 * 60),
    "afternoon": (13 * 60, 19 * 60),
    "evening": (17 * 60 + 30, 22 * 60 + 30),
    "whole": (7 * 60 + 30, 19 * 60),
}
"""Within which a visit of a part of the day lies."""
MEAL_WINDOWS = {"lunch": (11 * 60, 14 * 60 + 30), "dinner": (17 * 60 + 30, 21 * 60 + 30)}
DEPARTURES = (8 * 60, 13 * 60 + 15, 17 * 60)
DAY_START, DAY_END = 8 * 60 + 30, 22 * 60
LATEST_ARRIVAL = 22 * 60 + 30
EXCURSION_MINUTES = 150
SETTLE_MINUTES = 20
LONG_VISIT = 265
DEFAULT_VISIT = 75
FAR_MINUTES = 25
MOST_STOPS = 5
MOST_IN_A_PART = 2
CENT = 100
CLOCK_KINDS = frozenset({"clock window", "appointment", "free time"})
OUTLINE_VALUE = 5
"""What a place adds to a route beyond what the days in its city are worth."""
SOFT_VALUE = 500
"""What it is worth to keep a constraint that is rather wanted than not."""

MOVE_COST = 80
LAST_MOVE_COST = 200
"""To arrive in another city when the trip ends is rarely meant."""
MINUTE_COST_PER_HOUR = 32
NIGHT_COST = 60
FILLED_BONUS = 70
MEAL_VALUE = {"lunch": 35, "dinner": 50}
NO_BED_COST = 120
UNWANTED_PART_COST = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a model is built around: how many days, from when, for whom."""

    days: int
    first: date | None = None
    month: int | None = None
    adults: int = 2
    children: int = 0

    @property
    def people(self) -> int:
        """All who travel."""
        return self.adults + self.children

    @property
    def rooms(self) -> int:
        """The rooms that they take."""
        return rooms_for(self.adults, self.children)

    def date_of(self, day: int) -> date | None:
        """The date of a day, which counts from 1."""
        return self.first + timedelta(days=day - 1) if self.first else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What is chosen from: cities, and in each the places to see, to eat and to sleep.

    `values` say how much each place is wanted, from 0 to 100, `city_days` what each further day
    in a city is worth.
    """

    cities: tuple[str, ...]
    sights: Mapping[str, tuple[Place, ...]]
    foods: Mapping[str, tuple[Place, ...]]
    stays: Mapping[str, tuple[Place, ...]]
    values: Mapping[str, int]
    journeys: Mapping[tuple[str, str], tuple[Journey, ...]]
    city_days: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How a day goes on: one stays, goes on, goes and comes back, or leaves for the night."""

    origin: str
    destination: str
    journey: Journey | None = None
    back: Journey | None = None
    depart: int = 0

    @property
    def overnight(self) -> bool:
        """Whether the night is spent on the way."""
        return self.journey is not None and self.journey.overnight

    @property
    def minutes(self) -> int:
        """How long one is on the way between cities."""
        return sum(one.minutes for one in (self.journey, self.back) if one)

    @property
    def journeys(self) -> tuple[Journey, ...]:
        """The journeys of the day, in order."""
        return tuple(one for one in (self.journey, self.back) if one)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The connections of its journeys, in order."""
        return tuple(way for journey in self.journeys for way in journey.connections)

    @property
    def arrive(self) -> int:
        """When the first journey arrives."""
        return self.depart + (self.journey.minutes if self.journey else 0)

    def city_at(self, part: Part) -> str:
        """Where one is in a part of the day."""
        if self.journey is None:
            return self.origin
        if self.back is not None:
            return self.origin if part == "evening" else self.visited
        if self.overnight:
            return self.origin
        if part == "whole":
            return self.destination if self.arrive <= 9 * 60 else ""
        first = {"morning": 10 * 60, "afternoon": 15 * 60, "evening": DAY_MINUTES}[part]
        return self.destination if self.depart < first else self.origin

    @property
    def way(self) -> tuple[str, str, str]:
        """From where to where, and by which city."""
        return self.origin, self.destination, self.visited

    @property
    def visited(self) -> str:
        """The city that one goes to."""
        return self.journey.destination if self.journey else self.origin

    def blocked(self, part: Part) -> int:
        """Minutes of a part of the day that are spent on the way."""
        start, end = PARTS[part]
        if self.journey is None:
            return 0
        if self.back is not None:
            lost = {"morning": self.arrive + SETTLE_MINUTES - start, "afternoon": self.back.minutes}
            return min(end - start, max(0, lost.get(part, 0)))
        until = self.arrive + SETTLE_MINUTES
        since = self.depart - SETTLE_MINUTES
        return max(0, min(end, until) - max(start, since))

    def meal_city(self, meal: str) -> str:
        """Where one can eat; empty while one is on the way."""
        if self.journey is None:
            return self.origin
        if self.overnight:
            return self.origin if meal == "lunch" or self.depart >= 19 * 60 + 30 else ""
        if self.back is not None:
            return self.visited if meal == "lunch" else self.origin
        early, late = MEAL_WINDOWS[meal]
        if self.depart >= early + MEAL_MINUTES + SETTLE_MINUTES + 30:
            return self.origin
        return self.destination if self.arrive <= late - MEAL_MINUTES - SETTLE_MINUTES else ""


@dataclass(frozen=True, slots=True)
class Window:
    """The hours of a day that a constraint leaves to something, and when it holds."""

    literals: tuple[cp_model.IntVar, ...]
    what: str
    start: int
    end: int


@dataclass(slots=True)
class PlanModel:
    """The variables of a plan. Days count from 1; `at[0]` is where the trip begins.

    Without a `route` it chooses one: days in cities stand for what can be seen there, and only
    places that constraints speak of are chosen. With one, each day keeps to its origin,
    destination and city that is visited, and all of the pool is chosen from.
    """

    frame: Frame
    pool: Pool
    atlas: Atlas
    cp: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    moves: dict[int, list[tuple[Move, cp_model.IntVar]]] = field(default_factory=dict)
    at: list[dict[str, cp_model.IntVar]] = field(default_factory=list)
    parts: dict[tuple[str, int], list[tuple[Part, cp_model.IntVar]]] = field(default_factory=dict)
    meal_vars: dict[tuple[str, int], list[tuple[str, cp_model.IntVar]]] = field(
        default_factory=dict
    )
    beds: dict[tuple[str, int], cp_model.IntVar] = field(default_factory=dict)
    literals: dict[int, tuple[Constraint, cp_model.IntVar]] = field(default_factory=dict)
    windows: dict[int, list[Window]] = field(default_factory=dict)
    engagements: dict[int, list[tuple[Constraint, Engagement]]] = field(default_factory=dict)
    terms: list[tuple[int, Expr]] = field(default_factory=list)
    constraints: Sequence[Constraint] = ()
    route: Mapping[int, tuple[str, str, str]] | None = None
    caps: list[tuple[Constraint, Expr, int]] = field(default_factory=list)
    free: list[tuple[cp_model.IntVar, int, int, int]] = field(default_factory=list)
    appointed: list[tuple[Constraint, Fits, tuple[int, ...], int | None]] = field(
        default_factory=list
    )
    pinned: set[str] = field(default_factory=set)
    impossible: list[Constraint] = field(default_factory=list)
    soft: dict[int, cp_model.IntVar] = field(default_factory=dict)
    _loads: dict[tuple[int, Part], list[Expr]] = field(default_factory=dict)
    _visit_loads: dict[tuple[int, Part], list[Expr]] = field(default_factory=dict)
    _presence: dict[tuple[int, str, str], cp_model.IntVar | None] = field(default_factory=dict)
    _where: dict[tuple[int, str], dict[str, list[cp_model.IntVar]]] = field(default_factory=dict)
    _bases: dict[str, str] = field(default_factory=dict)

    @property
    def days(self) -> range:
        """The days, from 1."""
        return range(1, self.frame.days + 1)

    @property
    def nights(self) -> range:
        """The nights; each follows the day of its number."""
        return range(1, self.frame.days)

    # --- what constraints speak of --------------------------------------------------------

    def total(self, parts: Iterable[Expr]) -> Expr:
        """A sum; also of nothing."""
        return _sum(parts)

    def visit(self, place: str, day: int) -> Expr:
        """1 if a place is visited on a day."""
        return _sum(var for _, var in self.parts.get((place, day), ()))

    def visited(self, place: str) -> Expr:
        """1 if a place is visited."""
        return _sum(self.visit(place, day) for day in self.days)

    def visits(
        self, fits: Fits | None = None, days: Iterable[int] | None = None, part: str = ""
    ) -> Expr:
        """How many places of a sort are visited, on some days, in a part of them."""
        wanted = set(self.days if days is None else days)
        return _sum(
            var
            for (place, day), options in self.parts.items()
            if day in wanted and (fits is None or fits(self.atlas.places[place]))
            for name, var in options
            if part in ("", name)
        )

    def meals(
        self, fits: Fits | None = None, days: Iterable[int] | None = None, meal: str = ""
    ) -> Expr:
        """How many meals are at places of a sort."""
        wanted = set(self.days if days is None else days)
        return _sum(
            var
            for (place, day), options in self.meal_vars.items()
            if day in wanted and (fits is None or fits(self.atlas.places[place]))
            for name, var in options
            if meal in ("", name)
        )

    def beds_in(self, fits: Fits | None = None, days: Iterable[int] | None = None) -> Expr:
        """How many nights are in beds of a sort."""
        wanted = set(self.nights if days is None else days)
        return _sum(
            var
            for (place, day), var in self.beds.items()
            if day in wanted and (fits is None or fits(self.atlas.places[place]))
        )

    def sleeps(self, day: int, city: str) -> Expr:
        """1 if the night after a day is spent in a city, or on the way to it."""
        return self.at[day].get(city, ZERO) if day in self.nights else ZERO

    def nights_in(self, cities: Iterable[str]) -> Expr:
        """How many nights are spent in some cities."""
        wanted = list(cities)
        return _sum(self.sleeps(day, city) for day in self.nights for city in wanted)

    def is_at(self, day: int, city: str) -> Expr:
        """1 if a day ends in a city; day 0 is where the trip begins."""
        return self.at[day].get(city, ZERO)

    def move_count(self, fits: Callable[[Move], bool], days: Iterable[int] | None = None) -> Expr:
        """How many days have a move of a sort."""
        wanted = self.days if days is None else days
        return _sum(var for day in wanted for move, var in self.moves.get(day, ()) if fits(move))

    def riding(self, day: int, counts: Callable[[Connection], bool]) -> Expr:
        """How long one is on the way between cities on a day, by the connections that count."""
        return _sum(
            sum(way.minutes for way in move.connections if counts(way)) * var
            for move, var in self.moves[day]
            if move.journey is not None
        )

    def walking(self, day: int) -> Expr:
        """Tenths of a km on foot on a day, each way from the middle of the city."""
        stops = ((place, var) for place, some in self.stops_of(day) for var in some)
        ways = ((self.local(place), var) for place, var in stops)
        return _sum(round(10 * way.km) * var for way, var in ways if way.mode == "walk")

    def sleeps_ever(self, city: str) -> Expr:
        """1 if a night is spent in a city."""
        slept = self.cp.new_bool_var("")
        there = [self.at[day][city] for day in self.nights]
        self.cp.add_max_equality(slept, [*there, ZERO])
        return slept

    def keep_stretches(self, least: int, most: int | None, constraint: Constraint) -> None:
        """Whoever comes to a city stays for so many nights."""
        literal = self.literal(constraint)
        for day in self.nights:
            for city in self.pool.cities:
                for move, var in self.moves[day]:
                    if move.destination != city or (move.origin == city and day > 1):
                        continue
                    given, first = [literal, var], day + move.overnight  # that night is aboard
                    for later in range(first, first + least):
                        if later in self.nights:
                            self.cp.add(self.at[later][city] == 1).only_enforce_if(given)
                        else:
                            self.cp.add_bool_or([one.negated() for one in given])
                    if most is not None and first + most in self.nights:
                        self.cp.add(self.at[first + most][city] == 0).only_enforce_if(given)

    def changes_of_bed(self) -> Expr:
        """How often one sleeps elsewhere than the night before."""
        return _sum(
            var
            for day in self.nights
            if day > 1
            for move, var in self.moves[day]
            if move.destination != move.origin
        )

    def spend(
        self, *what: str, days: Iterable[int] | None = None, fits: Fits | None = None
    ) -> Expr:
        """What is spent, in hundredths: `visits`, `meals`, `beds`, `journeys`, `local`."""
        wanted = set(self.days if days is None else days)
        chosen = what or ("visits", "meals", "beds", "journeys", "local")
        people, found = self.frame.people, list[Expr]()
        places = self.atlas.places
        for (place, day), parts in self.parts.items():
            if day not in wanted or (fits and not fits(places[place])):
                continue
            each = _cents(places[place].price) * people if "visits" in chosen else 0
            each += self._fare(place) if "local" in chosen else 0
            found += [each * var for _, var in parts if each]
        for (place, day), meals in self.meal_vars.items():
            each = _cents(places[place].price) * people
            if (
                day in wanted
                and "meals" in chosen
                and each
                and not (fits and not fits(places[place]))
            ):
                found += [each * var for _, var in meals]
        for (place, day), var in self.beds.items():
            each = _cents(places[place].price) * self.frame.rooms
            if (
                day in wanted
                and "beds" in chosen
                and each
                and not (fits and not fits(places[place]))
            ):
                found.append(each * var)
        if "journeys" in chosen and fits is None:
            for day in wanted:
                found += [
                    _cents(_price(move)) * people * var
                    for move, var in self.moves.get(day, ())
                    if _price(move)
                ]
        return _sum(found)

    def _fare(self, place: str) -> int:
        """What a taxi to a place and on from there is expected to cost all."""
        cars = -(-self.frame.people // 4)
        return _cents(self.local(place).price) * cars * 3 // 2

    def local(self, place: str) -> LocalWay:
        """The way to a place from the middle of its city."""
        known = self.atlas.places[place]
        centre = self.atlas.places.get(self.base(place), known)
        return local_way(centre, known, self.atlas)

    def base(self, place: str) -> str:
        """The city that a place is visited from."""
        return self._bases[place] if place in self._bases else self.atlas.city_of(place)

    # --- adding constraints ---------------------------------------------------------------

    def literal(self, constraint: Constraint) -> cp_model.IntVar:
        """The literal under which a constraint holds; a soft one is free to be false."""
        if not constraint.hard:
            if id(constraint) not in self.soft:
                self.soft[id(constraint)] = self.cp.new_bool_var(f"rather {constraint.kind}")
                self.terms.append((SOFT_VALUE, self.soft[id(constraint)]))
            return self.soft[id(constraint)]
        known = self.literals.get(id(constraint))
        if known is None:
            known = (constraint, self.cp.new_bool_var(constraint.kind))
            self.literals[id(constraint)] = known
        return known[1]

    def require(
        self, condition: Condition, constraint: Constraint, *given: cp_model.IntVar
    ) -> None:
        """A condition that holds wherever the constraint does, and where all of `given` are."""
        literals = [self.literal(constraint), *given]
        if isinstance(condition, bool):
            if not condition:
                self.cp.add_bool_or([literal.negated() for literal in literals])
                if constraint.hard and not given and constraint not in self.impossible:
                    self.impossible.append(constraint)
            return
        self.cp.add(condition).only_enforce_if(literals)

    def rule_out(self, constraint: Constraint) -> None:
        """No plan keeps it."""
        self.require(condition=False, constraint=constraint)

    def exclude(self, *constraints: Constraint) -> None:
        """Constraints that contradict one another whatever the plan is."""
        if len(constraints) == 1 and constraints[0].hard:
            self.impossible.append(constraints[0])
        self.cp.add_bool_or([self.literal(one).negated() for one in constraints])

    def prefer(self, condition: Condition, weight: int) -> None:
        """A condition that counts for so much when it holds."""
        if not isinstance(condition, bool):
            holds = self.cp.new_bool_var("")
            self.cp.add(condition).only_enforce_if(holds)
            self.terms.append((weight, holds))

    def reward(self, count: Expr, weight: int) -> None:
        """Each of a count is worth so much; less than nothing where it is not wanted."""
        if count is not ZERO:
            self.terms.append((weight if self.route or weight < 0 else weight // 4, count))

    def cap(self, amount: Expr, limit: int, constraint: Constraint) -> None:
        """An amount that may not pass a limit; it is tightened if the clock makes it dearer."""
        self.require(amount <= limit, constraint)
        self.caps.append((constraint, amount, limit))

    def tighten(self, constraint: Constraint, share: float) -> bool:
        """Lower the limits of a constraint by a share; False where it has none."""
        found = False
        for owner, amount, limit in self.caps:
            if owner is constraint:
                self.require(amount <= int(limit * (1 - share)), constraint)
                found = True
        self.caps = [
            (owner, amount, int(limit * (1 - share)) if owner is constraint else limit)
            for owner, amount, limit in self.caps
        ]
        return found

    def days_of(self, scope: Scope) -> tuple[int, ...]:
        """The days that a scope means; its city is asked of the places of a day."""
        found = list(self.days)
        if scope.days:
            last = self.frame.days
            meant = {day if day > 0 else last + 1 + day for day in scope.days}
            found = [day for day in found if day in meant]
        if scope.weekdays or scope.dates:
            dated = {day: self.frame.date_of(day) for day in found}
            found = [
                day
                for day, on in dated.items()
                if on and (on in scope.dates or on.weekday() in scope.weekdays)
            ]
        return tuple(found)

    def in_scope(self, fits: Callable[[Place], bool | None], scope: Scope) -> Fits:
        """Whether a place fits and lies in the city of a scope."""
        known: dict[str, bool] = {}

        def holds(place: Place) -> bool:
            if place.id not in known:
                there = not scope.city or self.atlas.lies_in(place.id, scope.city)
                known[place.id] = there and bool(fits(place))
            return known[place.id]

        return holds

    def keep_hours(
        self, scope: Scope, start: int, end: int, constraint: Constraint, what: str = "all"
    ) -> None:
        """Nothing (or none of something) before `start` and after `end` on the days of a scope."""
        for day in self.days_of(scope):
            given = [self.literal(constraint)]
            if scope.city:
                there = [
                    var for city, var in self.at[day].items()
                    if self.atlas.lies_in(city, scope.city)
                ]  # fmt: skip
                if not there:
                    continue
                given.append(there[0])
            self.windows.setdefault(day, []).append(Window(tuple(given), what, start, end))
            if what in ("all", "rides"):
                self._keep_ride_hours(day, start, end, given)
            if what in ("all", "visits"):
                self._keep_visit_hours(day, start, end, given)
            for (_, on), meals in self.meal_vars.items():
                for meal, var in meals:
                    early, late = MEAL_WINDOWS[meal]
                    left = min(end, late) - max(start, early)
                    if on == day and what in ("all", meal) and left < MEAL_MINUTES:
                        self.cp.add(var == 0).only_enforce_if(given)

    def _keep_ride_hours(
        self, day: int, start: int, end: int, given: list[cp_model.IntVar]
    ) -> None:
        for move, var in self.moves[day]:
            late = move.journey is not None and not move.overnight and move.arrive > end
            back = move.back is not None and move.arrive + move.back.minutes + 60 > end
            night = move.overnight and move.depart > end
            if move.journey is not None and (move.depart < start or late or back or night):
                self.cp.add(var == 0).only_enforce_if(given)

    def _keep_visit_hours(
        self, day: int, start: int, end: int, given: list[cp_model.IntVar]
    ) -> None:
        for place, options in self._options(day):
            for part, var in options:
                if not self._fits_hours(place, day, part, start, end):
                    self.cp.add(var == 0).only_enforce_if(given)
        for part, (opens, closes) in PARTS.items():
            left = max(0, min(closes, end - SETTLE_MINUTES) - max(opens, start))
            if left < closes - opens:
                load = _sum(self._visit_loads[day, part])
                self.cp.add(load <= left).only_enforce_if(given)

    def hours(self, day: int, solver: cp_model.CpSolver) -> dict[str, tuple[int, int]]:
        """The hours of a day that the constraints of a solution leave, by what they are of."""
        found = dict.fromkeys(("all", "visits", "rides", "lunch", "dinner"), (0, 2 * DAY_MINUTES))
        for window in self.windows.get(day, ()):
            if all(solver.boolean_value(literal) for literal in window.literals):
                start, end = found[window.what]
                found[window.what] = (max(start, window.start), min(end, window.end))
        return found

    def engaged(self, day: int, solver: cp_model.CpSolver) -> tuple[Engagement, ...]:
        """The times of a day that are taken in a solution."""
        found = self.engagements.get(day, ())
        return tuple(one for owner, one in found if solver.boolean_value(self.literal(owner)))

    def blocked_times(self, day: int, solver: cp_model.CpSolver) -> tuple[tuple[int, int], ...]:
        """The times of a day that a solution keeps free of visits and journeys."""
        return tuple(
            (low, high)
            for free, on, low, high in self.free
            if on == day and solver.boolean_value(free)
        )

    def fixed_times(self, day: int, solver: cp_model.CpSolver) -> dict[str, int]:
        """The places of a day that have a fixed time in a solution."""
        found: dict[str, int] = {}
        for _, fits, days, start in self.appointed:
            if day not in days or start is None:
                continue
            chosen = [
                place
                for place, variables in self.stops_of(day)
                if any(solver.boolean_value(var) for var in variables)
            ]
            found.update({place: start for place in chosen if fits(self.atlas.places[place])})
        return found

    def stops_of(self, day: int) -> list[tuple[str, list[cp_model.IntVar]]]:
        """The places that may be visited or eaten at on a day, with their variables."""
        visits = [
            (p, [var for _, var in some]) for (p, on), some in self.parts.items() if on == day
        ]
        meals = [
            (p, [var for _, var in some]) for (p, on), some in self.meal_vars.items() if on == day
        ]
        return visits + meals

    def keep_free(self, day: int, low: int, high: int) -> cp_model.IntVar:
        """A literal under which no visit and no journey lies between two times of a day."""
        free = self.cp.new_bool_var(f"free {day}")
        for place, options in self._options(day):
            for part, var in options:
                window = WINDOWS[part]
                left = max(overlap(window, (0, low)), overlap(window, (high, DAY_MINUTES)))
                if left < visit_minutes(self.atlas.places[place]) + SETTLE_MINUTES:
                    self.cp.add_implication(free, var.negated())
        for move, var in self.moves[day]:
            if move.journey and any(overlap(span, (low, high)) for span in _spans_of(move)):
                self.cp.add_implication(free, var.negated())
        self.free.append((free, day, low, high))
        return free

    def engage(self, day: int, engagement: Engagement, constraint: Constraint) -> None:
        """A time that is taken; where it has a place, one has to be in its city then."""
        if day not in self.days:
            self.rule_out(constraint)
            return
        self.engagements.setdefault(day, []).append((constraint, engagement))
        literal = self.literal(constraint)
        city = self.base(engagement.place) if engagement.place else ""
        middle = (engagement.start + engagement.end) // 2
        part: Part = "morning" if middle < 13 * 60 else "afternoon"
        part = "evening" if middle >= 18 * 60 + 30 else part
        for move, var in self.moves[day]:
            on_the_way = move.journey is not None and any(
                overlap(span, (engagement.start, engagement.end)) for span in _spans_of(move)
            )
            elsewhere = city and move.city_at(part) != city
            if on_the_way or elsewhere:
                self.cp.add(var == 0).only_enforce_if(literal)
        for name, span in PARTS.items():
            taken = overlap(span, (engagement.start, engagement.end))
            if taken:
                left = span[1] - span[0] - taken - SETTLE_MINUTES
                self.cp.add(_sum(self._loads[day, name]) <= max(0, left)).only_enforce_if(literal)
        for (_, on), meals in self.meal_vars.items():
            for meal, var in meals:
                early, late = MEAL_WINDOWS[meal]
                taken = overlap((early, late), (engagement.start, engagement.end))
                if on == day and late - early - taken < MEAL_MINUTES + SETTLE_MINUTES:
                    self.cp.add(var == 0).only_enforce_if(literal)

    def _options(self, day: int) -> Iterable[tuple[str, list[tuple[Part, cp_model.IntVar]]]]:
        return [(place, options) for (place, on), options in self.parts.items() if on == day]

    def _fits_hours(self, place: str, day: int, part: Part, start: int, end: int) -> bool:
        opens, closes = WINDOWS[part]
        known = self.atlas.places[place]
        spans = usual_spans(known, self.frame.date_of(day), self.frame.month)
        return any(
            overlap(span, (max(opens, start), min(closes, end))) >= visit_minutes(known)
            for span in spans
        )

    # --- physics --------------------------------------------------------------------------

    def build(self) -> None:
        """Add the variables, and what holds of every plan."""
        for city in self.pool.cities:
            for place in (*self.pool.sights.get(city, ()), *self.pool.foods.get(city, ())):
                self._bases[place.id] = city
        self._add_moves()
        if self.route is None:
            self._add_city_days()
        self._add_visits()
        self._add_meals()
        self._add_beds()
        self._add_days()

    def _add_moves(self) -> None:
        cities = self.pool.cities
        self.at = [
            {city: self.cp.new_bool_var(f"at {day} {city}") for city in cities}
            for day in range(self.frame.days + 1)
        ]
        self.cp.add_exactly_one(self.at[0].values())
        for day in self.days:
            options = [(move, self.cp.new_bool_var("")) for move in self._day_moves(day)]
            self.moves[day] = options
            for city in cities:
                leaving = [var for move, var in options if move.origin == city]
                arriving = [var for move, var in options if move.destination == city]
                self.cp.add(_sum(leaving) == self.at[day - 1][city])
                self.cp.add(_sum(arriving) == self.at[day][city])
            for move, var in options:
                if move.journey is None:
                    continue
                cost = move.minutes * MINUTE_COST_PER_HOUR // 60
                cost += NIGHT_COST if move.overnight else MOVE_COST
                if day == self.frame.days > 1 and move.back is None:
                    cost += LAST_MOVE_COST
                self.terms.append((-cost, var))
            self._rest_after_nights(day)
        for city in cities if self.enter_once else ():
            arriving = [
                var
                for options in self.moves.values()
                for move, var in options
                if move.destination == city != move.origin
            ]
            self.cp.add_at_most_one(arriving)
            for var in arriving:  # whoever comes back to where the trip began, ends it there
                back = (var.negated(), self.at[0][city].negated(), self.at[-1][city])
                self.cp.add_bool_or(back)

    @property
    def timed(self) -> bool:
        """Whether constraints speak of the clock."""
        return any(one.kind in CLOCK_KINDS for one in self.constraints)

    @property
    def enter_once(self) -> bool:
        """Whether one comes to each city only once, which holds unless an order says otherwise."""
        orders = [getattr(one, "places", ()) for one in self.constraints if one.kind == "order"]
        return all(len(set(places)) == len(places) for places in orders)

    def _day_moves(self, day: int) -> list[Move]:
        found = [Move(origin=city, destination=city) for city in self.pool.cities]
        for (origin, destination), journeys in self.pool.journeys.items():
            for journey in journeys:
                found += self._journey_moves(origin, destination, journey, day)
        if self.route is None:
            return found
        return [move for move in found if move.way == self.route[day]]

    def _add_city_days(self) -> None:
        """What the days in a city are worth, the first more than those after it."""
        for city, worth in self.pool.city_days.items():
            there = _sum(self.at[day][city] for day in self.days)
            steps = [self.cp.new_bool_var("") for _ in worth]
            self.cp.add(_sum(steps) <= there)
            self.terms += [(value, step) for value, step in zip(worth, steps, strict=True)]
            for day in self.days:
                trips = [
                    var
                    for move, var in self.moves[day]
                    if move.back is not None and move.visited == city
                ]
                if trips and worth:
                    self.terms.append((worth[0] * 2 // 3, _sum(trips)))

    def _journey_moves(
        self, origin: str, destination: str, journey: Journey, day: int
    ) -> list[Move]:
        if journey.overnight:
            if day >= self.frame.days:
                return []
            depart = journey.night_departure
            return [Move(origin=origin, destination=destination, journey=journey, depart=depart)]
        first, last = journey.departures()
        wanted = DEPARTURES if self.route else DEPARTURES[: 1 + self.timed]
        departs = dict.fromkeys(min(max(at, first), last) for at in wanted)
        found = [
            Move(origin=origin, destination=destination, journey=journey, depart=at)
            for at in departs
            if at + journey.minutes <= LATEST_ARRIVAL
        ]
        back = self.pool.journeys.get((destination, origin), ())
        returning = next((one for one in back if not one.overnight), None)
        if journey.minutes <= EXCURSION_MINUTES and returning is not None:
            found.append(
                Move(
                    origin=origin,
                    destination=origin,
                    journey=journey,
                    back=returning,
                    depart=max(8 * 60, first),
                )
            )
        return found

    def _rest_after_nights(self, day: int) -> None:
        """After a night on the way one arrives before one goes on."""
        if day == 1:
            return
        for move, var in self.moves[day - 1]:
            if not move.overnight or move.journey is None:
                continue
            ready = arrival_on_next_day(move.journey) + SETTLE_MINUTES
            for after, later in self.moves[day]:
                if after.journey is not None and after.depart < ready:
                    self.cp.add_implication(var, later.negated())

    def presence(self, day: int, when: str, city: str) -> cp_model.IntVar | None:
        """Whether one is in a city in a part of a day or for a meal; None where one never is."""
        key = (day, when, city)
        if key not in self._presence:
            if (day, when) not in self._where:
                places: dict[str, list[cp_model.IntVar]] = {}
                for move, var in self.moves[day]:
                    places.setdefault(_where(move, when), []).append(var)
                self._where[day, when] = places
            there = self._where[day, when].get(city, [])
            found = self.cp.new_bool_var("") if there else None
            if found is not None:
                self.cp.add(_sum(there) == found)
            self._presence[key] = found
        return self._presence[key]

    def _add_visits(self) -> None:
        for city, sights in self.pool.sights.items():
            for place in sights:
                for day in self.days:
                    self._add_visit(place, city, day)
                chosen = [
                    var for day in self.days for _, var in self.parts.get((place.id, day), ())
                ]
                if chosen:
                    self.cp.add_at_most_one(chosen)

    def _add_visit(self, place: Place, city: str, day: int) -> None:
        options: list[tuple[Part, cp_model.IntVar]] = []
        for part in visit_parts(place, _ways_to(self.local(place.id))):
            if not self._fits_hours(place.id, day, part, 0, 2 * DAY_MINUTES):
                continue
            there = self.presence(day, part, city)
            if there is None:
                continue
            var = self.cp.new_bool_var(f"{place.id} {day} {part}")
            self.cp.add_implication(var, there)
            options.append((part, var))
            unwanted = place.slots and part != "whole" and part not in place.slots
            worth = self.pool.values.get(place.id, 1) if self.route else OUTLINE_VALUE
            self.terms.append((worth - (UNWANTED_PART_COST if unwanted else 0), var))
        if options:
            self.parts[place.id, day] = options

    def _add_meals(self) -> None:
        for city, foods in self.pool.foods.items():
            for place in foods:
                every: list[cp_model.IntVar] = []
                for day in self.days:
                    options = [
                        (meal, self._add_meal(place, city, day, meal))
                        for meal in MEAL_WINDOWS
                        if self._serves(place, day, meal)
                    ]
                    if options:
                        self.meal_vars[place.id, day] = options
                        every += [var for _, var in options]
                if every:
                    self.cp.add_at_most_one(every)
        for day in self.days:
            for meal in MEAL_WINDOWS:
                same = [
                    var
                    for (_, on), options in self.meal_vars.items()
                    if on == day
                    for name, var in options
                    if name == meal
                ]
                whole = [
                    var
                    for place, options in self._options(day)
                    for part, var in options
                    if part == "whole" and meal == "lunch"
                ]
                if same:
                    self.cp.add(_sum((*same, *whole)) <= 1)

    def _add_meal(self, place: Place, city: str, day: int, meal: str) -> cp_model.IntVar:
        var = self.cp.new_bool_var(f"{place.id} {day} {meal}")
        there = self.presence(day, meal, city)
        if there is None:
            self.cp.add(var == 0)
        else:
            self.cp.add_implication(var, there)
        value = MEAL_VALUE[meal] + self.pool.values.get(place.id, 1) // 4
        self.terms.append((value, var))
        return var

    def _serves(self, place: Place, day: int, meal: str) -> bool:
        spans = usual_spans(place, self.frame.date_of(day), self.frame.month)
        return any(overlap(span, MEAL_WINDOWS[meal]) >= MEAL_MINUTES for span in spans)

    def _add_beds(self) -> None:
        """A bed in the city of each night, the same on all nights there."""
        for city in self.pool.cities:
            stays = self.pool.stays.get(city, ())
            uses = {stay.id: self.cp.new_bool_var("") for stay in stays}
            if uses:
                self.cp.add_at_most_one(uses.values())
            for day in self.nights:
                aboard = [
                    var
                    for move, var in self.moves[day]
                    if move.overnight and move.destination == city
                ]
                needed = self.at[day][city] - _sum(aboard)
                if not stays:
                    self.terms.append((-NO_BED_COST, needed))
                    continue
                for stay in stays:
                    var = self.cp.new_bool_var(f"{stay.id} {day}")
                    self.cp.add_implication(var, uses[stay.id])
                    self.beds[stay.id, day] = var
                self.cp.add(_sum(self.beds[stay.id, day] for stay in stays) == needed)
            for stay in stays:
                self.terms.append((self.pool.values.get(stay.id, 1) // 2, uses[stay.id]))

    def _add_days(self) -> None:
        """Time is left for what is done, and no day is empty or too full."""
        for day in self.days:
            for part in PARTS:
                self._add_part(day, part)
            every = [var for _, options in self._options(day) for _, var in options]
            if every:
                self.cp.add(_sum(every) <= MOST_STOPS)
            for move, var in self.moves[day]:
                if move.back is not None:
                    there = [
                        taken
                        for place, options in self._options(day)
                        if self.base(place) == move.visited
                        for part, taken in options
                        if part != "evening"
                    ]
                    self.cp.add(var <= _sum(there))

    def _add_part(self, day: int, part: Part) -> None:
        loads: list[Expr] = []
        chosen: list[cp_model.IntVar] = []
        start, end = PARTS[part]
        for place, options in self._options(day):
            for name, var in options:
                if name == part or (name == "whole" and part != "evening"):
                    loads.append(self._load(place, name, part) * var)
                    chosen.append(var)
        self._visit_loads[day, part] = list(loads)
        loads += [
            min(end - start, move.blocked(part)) * var
            for move, var in self.moves[day]
            if move.blocked(part)
        ]
        if part == "evening":
            loads += [
                MEAL_MINUTES * var
                for (_, on), options in self.meal_vars.items()
                if on == day
                for meal, var in options
                if meal == "dinner"
            ]
        if part == "morning" and day > 1:
            loads += [
                min(end - start, max(0, arrival_on_next_day(move.journey) + 40 - start)) * var
                for move, var in self.moves[day - 1]
                if move.overnight and move.journey is not None
            ]
        self._loads[day, part] = loads
        self.cp.add(_sum(loads) <= end - start + (60 if part == "evening" else 0))
        self.cp.add(_sum(chosen) <= MOST_IN_A_PART + (part == "afternoon"))
        if part != "evening" and self.route is not None:
            filled = self.cp.new_bool_var("")
            busy = [var for move, var in self.moves[day] if move.blocked(part) >= 90]
            self.cp.add(_sum((*chosen, *busy)) >= filled)
            self.terms.append((FILLED_BONUS, filled))

    def _load(self, place: str, name: Part, part: Part) -> int:
        known = self.atlas.places[place]
        minutes = visit_minutes(known) + _ways_to(self.local(place))
        start, end = PARTS[part]
        if name != "whole":
            return min(minutes, end - start + 60)
        return end - start if part == "morning" else max(0, min(minutes - 300, end - start))


def visit_minutes(place: Place) -> int:
    """How long a visit takes; an hour and a quarter where nothing says it."""
    return min(place.minutes or DEFAULT_VISIT, 10 * 60)


def visit_parts(place: Place, on_the_way: int) -> tuple[Part, ...]:
    """The parts of a day in which a place may be visited; the evening only where it is said.

    What takes longer than a morning, its ways included, takes the whole day.
    """
    if place.slots == ("evening",):
        return ("evening",)
    if visit_minutes(place) + on_the_way > LONG_VISIT:
        return ("whole",)
    found: tuple[Part, ...] = ("morning", "afternoon")
    return (*found, "evening") if "evening" in place.slots else found


def _where(move: Move, when: str) -> str:
    if when in MEAL_WINDOWS:
        return move.meal_city(when)
    return move.city_at(when)  # type: ignore[arg-type]  # it is a part of the day


def _ways_to(way: LocalWay) -> int:
    """Minutes on the way that a visit costs: out, and back as well where it lies far off."""
    return way.minutes * 2 if way.minutes > FAR_MINUTES else max(10, way.minutes)


def _spans_of(move: Move) -> Sequence[tuple[int, int]]:
    spans = [(move.depart, move.arrive)]
    if move.back is not None:
        spans.append((18 * 60 - move.back.minutes, 18 * 60))
    return spans


def _price(move: Move) -> Decimal | None:
    prices = [one.price for one in move.journeys]
    known = [price for price in prices if price is not None]
    return sum(known, Decimal(0)) if known else None


def _cents(price: Decimal | None) -> int:
    return int((price or Decimal(0)) * CENT)


def _sum(parts: Iterable[Expr]) -> Expr:
    found = list(parts)
    return cp_model.LinearExpr.sum(found) if found else ZERO
