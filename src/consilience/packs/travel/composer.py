"""Which days keep a wish? CP-SAT chooses them; where none do, it names what clashes.

Hard constraints hold under literals. If no plan keeps all of them, the solver names constraints
that are enough to rule every plan out, and leaving them out one by one shrinks them to a minimal
set. One of these is then dropped, and the rest is planned. Searches end by deterministic time, so
that the same wish gives the same plan on any machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TypeVar

from ortools.sat.python import cp_model

from consilience.packs.travel.atlas import FOOD, SIGHTS, STAY, Atlas, Place
from consilience.packs.travel.constraints import (
    ALWAYS,
    Avoid,
    Constraint,
    Dates,
    End,
    GoTo,
    Group,
    Length,
    Means,
    Need,
    Nights,
    Order,
    Season,
    Start,
    Theme,
    Thing,
    Want,
    Within,
    cities_meant,
    mode_family,
)
from consilience.packs.travel.day_clock import DayTask, DayTimes, Stop, set_times
from consilience.packs.travel.itinerary import (
    Candidates,
    Clash,
    Day,
    Itinerary,
    MealName,
    Stay,
)
from consilience.packs.travel.journeys import (
    Journey,
    arrival_on_next_day,
    is_bearable,
    journeys_between,
)
from consilience.packs.travel.plan_model import Frame, Move, PlanModel, Pool
from consilience.packs.travel.wish import Wish

MOST_DAYS = 35
DEFAULT_DAYS = 3
MOST_CITIES = 9
MOST_STAYS = 5
ROUTE_TIME = 0.4
SOLVE_TIME = 0.25
GAP = 0.02
OTHER_CITY = 5
"""Where a wish names cities, days in others are worth so many times less."""
"""Deterministic seconds for the route and for the days; a core takes about as long."""
STRAIGHT_TIME = 0.15
FIRST_TIME = 1.2
FEASIBLE_TIME = 0.5
LENGTHENED = (1, 2, 3, 5, 8, 12, 17, 24)
"""By how many days a length that is only assumed is tried to be stretched."""
ROUNDS = 3
SEED = 7
TIGHTEN = 0.12
"""By which share a limit is lowered when taxis make a plan dearer than was expected."""
_DROP_FIRST = (
    *("missing", "pace", "level", "theme", "want", "free time", "order", "nights", "go to"),
    *("means", "clock window", "money", "within", "end", "start", "appointment", "avoid"),
    *("need", "season", "length", "dates", "group"),
)
"""Which of the constraints that clash is left out: the first of these kinds."""
Kind = TypeVar("Kind", bound=Constraint)
_FRAME_KINDS = frozenset({"length", "dates", "group", "season"})
"""Kinds that are left out only where nothing else helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """A plan, the clashes on the way to it, what it is worth and the most it could be worth."""

    itinerary: Itinerary | None
    clashes: tuple[Clash, ...] = ()
    value: float | None = None
    bound: float | None = None
    length: Length | None = None
    """The length that it was made with, where the assumed one had no room for what was stated."""

    @property
    def dropped(self) -> tuple[Constraint, ...]:
        """The constraints that the plan goes without."""
        return tuple(one for clash in self.clashes for one in clash.dropped)


@dataclass(slots=True)
class _Job:
    """One wish being composed: what is left of its constraints, and what was learnt so far."""

    constraints: list[Constraint]
    candidates: Candidates
    atlas: Atlas
    today: date
    clashes: list[Clash] = field(default_factory=list)
    extra_days: int = 0
    length: Length | None = None
    values: dict[str, int] = field(init=False)
    wanted: frozenset[str] = field(init=False)
    named: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.values = _values(self)
        self.wanted = _wanted_places(self.constraints, self.atlas)
        self.named = frozenset(place for one in self.constraints for place in named_places(one))

    def drop(self, constraints: Iterable[Constraint]) -> None:
        """Go on without some constraints."""
        dropped = {id(one) for one in constraints}
        self.constraints = [one for one in self.constraints if id(one) not in dropped]


def compose(wish: Wish, candidates: Candidates, atlas: Atlas, *, today: date) -> Composition:
    """The best plan for a wish; what cannot be had together is named and one of it dropped."""
    job = _Job(list(wish.constraints), candidates, atlas, today)
    while True:
        model = _build(job)
        if model.impossible:
            if _lengthen(job, model.impossible):
                continue
            for one in model.impossible:
                job.clashes.append(Clash(constraints=(one,), dropped=(one,), without=(True,)))
            job.drop(model.impossible)
            continue
        solver, status = _optimise(model, ROUTE_TIME)
        if status:
            return _fill(job, model, _straighten(model, solver))
        clash = _find_clash(job, model)
        if not clash.dropped:
            return Composition(itinerary=None, clashes=(*job.clashes, clash))
        if _lengthen(job, clash.constraints):
            continue
        job.clashes.append(clash)
        job.drop(clash.dropped)


def _fill(job: _Job, outline: PlanModel, solver: cp_model.CpSolver) -> Composition:
    """The days of a route with all that can be done there."""
    moves = {
        day: next(move for move, var in options if solver.boolean_value(var))
        for day, options in outline.moves.items()
    }
    route = {day: move.way for day, move in moves.items()}
    cities = dict.fromkeys(city for way in route.values() for city in way)
    pool = pool_of(job, outline.frame, tuple(cities))
    model = PlanModel(frame=outline.frame, pool=pool, atlas=job.atlas, route=route)
    _post(model, job)
    filled, feasible = _optimise(model, SOLVE_TIME)
    return _finish(job, *((model, filled) if feasible else (outline, solver)))


# --- the frame and the pool ---------------------------------------------------------------


def frame_of(constraints: Sequence[Constraint], today: date) -> Frame:
    """How many days, from when and for whom, as far as constraints say it."""
    length = _first(constraints, Length)
    dates = _first(constraints, Dates)
    group = _first(constraints, Group)
    season = _first(constraints, Season)
    days = DEFAULT_DAYS
    if length is not None:
        days = length.most if length.most <= MOST_DAYS else max(length.least, 14)
    if dates and dates.start and dates.end and not dates.within:
        days = (dates.end - dates.start).days + 1
    days = max(1, min(days, MOST_DAYS))
    return Frame(
        days=days,
        first=_first_date(constraints, dates, season, days, today),
        month=season.months[0] if season and season.months else None,
        adults=group.adults if group else 2,
        children=group.children if group else 0,
    )


def _first_date(
    constraints: Sequence[Constraint],
    dates: Dates | None,
    season: Season | None,
    days: int,
    today: date,
) -> date | None:
    """The first day, where dates, a season or days of the week say something of it."""
    dated = [day for one in constraints for day in getattr(one, "scope", ALWAYS).dates]
    if dates is not None:
        if dates.start:
            return dates.start
        if dates.end:
            return dates.end - timedelta(days=days - 1)
        if dates.start_weekday is not None and dated:
            return min(dated) - timedelta(days=(min(dated).weekday() - dates.start_weekday) % 7)
        if dates.start_weekday is not None:
            return _next_weekday(_season_start(season, today), dates.start_weekday)
        if dates.end_weekday is not None:
            last = (dates.end_weekday - days + 1) % 7
            return _next_weekday(_season_start(season, today), last)
    if dated:
        return min(dated)
    weekdays = {
        weekday for one in constraints for weekday in getattr(one, "scope", ALWAYS).weekdays
    }
    if season is not None and season.months:
        return _season_start(season, today)
    if weekdays:
        return _next_weekday(today + timedelta(days=7), (min(weekdays) - days // 2) % 7)
    return None


def _season_start(season: Season | None, today: date) -> date:
    """A day in the months that are asked for, the next time they come."""
    if season is None or not season.months:
        return today + timedelta(days=7)
    month = season.months[0]
    year = today.year if month > today.month else today.year + 1
    return date(year, month, 3)


def _next_weekday(after: date, weekday: int) -> date:
    return after + timedelta(days=(weekday - after.weekday()) % 7)


def _first(constraints: Iterable[Constraint], kind: type[Kind]) -> Kind | None:
    return next((one for one in constraints if isinstance(one, kind)), None)


def pool_of(job: _Job, frame: Frame, route: tuple[str, ...] = ()) -> Pool:
    """What a plan chooses from: of a route all of its cities, else a few places of many cities."""
    atlas, constraints, values = job.atlas, job.constraints, job.values
    cities = route or _cities(job, frame, values)
    each = max(8, min(30, 5 * frame.days // len(cities) + 4))
    asked = {
        city
        for one in constraints
        if isinstance(one, GoTo | Order | Nights)
        for place in named_places(one)
        for city in cities_meant(place, atlas)[:1]
        if place
    }
    sights, foods, stays, days = {}, {}, {}, {}
    for city in cities:
        every = _sights(city, atlas)
        sights[city] = _best(every, values, job.wanted, each if route else 0, 4, job.named)
        meals = min(12, 2 * frame.days) if route else 0
        eating = atlas.within(city, (FOOD,))
        foods[city] = _best(eating, values, job.wanted, meals, 3, job.named)
        stays[city] = _varied(atlas.within(city, (STAY,)), values, job.wanted)
        worth = _day_values(atlas.places[city], every, values)
        is_other = len(asked) > 1 and city not in asked
        days[city] = tuple(value // OTHER_CITY for value in worth) if is_other else worth
    return Pool(
        cities=cities,
        sights=sights,
        foods=foods,
        stays=stays,
        values=values,
        journeys=_journeys(cities, constraints, atlas, outline=not route),
        city_days=days,
    )


def _day_values(city: Place, sights: Sequence[Place], values: Mapping[str, int]) -> tuple[int, ...]:
    """What the first, the second and each further day in a city is worth.

    Days beyond those that are suggested for it (or three) are worth a third.
    """
    ranked = sorted((values[place.id] for place in sights), reverse=True)
    usual = max(city.days, default=3)
    worth = [sum(ranked[at : at + 3]) for at in range(0, min(len(ranked), 24), 3)]
    worth = worth or [20]
    return tuple(value if number < usual else value // 3 for number, value in enumerate(worth))


def _values(job: _Job) -> dict[str, int]:
    """What each place is worth from 1 to 100: as it was found, and as it suits the themes."""
    found = job.candidates.scores
    best = max(found.values(), default=1.0)
    themes = [one for one in job.constraints if isinstance(one, Theme)]
    wants = [one for one in job.constraints if isinstance(one, Want)]
    values: dict[str, int] = {}
    for place in job.atlas.places.values():
        worth = 20 + 50 * found.get(place.id, 0.0) / best
        worth += 15 * max((place.themes.get(one.theme, 0.0) for one in themes), default=0.0)
        worth += 5 * max(place.themes.values(), default=0.0)
        if any(thing.fits(place, job.atlas) for one in wants for thing in one.things[:3]):
            worth += 15
        values[place.id] = max(1, min(100, round(worth)))
    return values


def _sights(city: str, atlas: Atlas) -> tuple[Place, ...]:
    return tuple(place for place in atlas.within(city, SIGHTS) if place.id != city)


def _best(
    places: Sequence[Place],
    values: Mapping[str, int],
    wanted: frozenset[str],
    most: int,
    most_wanted: int,
    must: frozenset[str],
) -> tuple[Place, ...]:
    """The best places, all that are named, and the best of those that constraints ask for."""
    ranked = sorted(places, key=lambda one: (-values[one.id], one.id))
    named = [place for place in ranked if place.id in must]
    asked = [place for place in ranked if place.id in wanted]
    chosen = (*named, *asked[:most_wanted], *ranked[:most])
    return tuple({one.id: one for one in chosen}.values())


def _varied(
    places: Sequence[Place], values: Mapping[str, int], wanted: frozenset[str]
) -> tuple[Place, ...]:
    """Places to sleep: those wanted, the best, the cheapest, and of every level."""
    ranked = sorted(places, key=lambda one: (one.id not in wanted, -values[one.id], one.id))
    cheapest = sorted(
        (one for one in places if one.price is not None), key=lambda one: (one.price, one.id)
    )
    levels = {one.level: one for one in reversed(ranked)}
    chosen = [*ranked[:2], *cheapest[:2], *levels.values(), *ranked]
    return tuple({one.id: one for one in chosen}.values())[: MOST_STAYS + 2]


def _wanted_places(constraints: Sequence[Constraint], atlas: Atlas) -> frozenset[str]:
    """Places that constraints name, and for each thing that is wanted some that have it."""
    found: set[str] = set()
    for one in constraints:
        found.update(named_places(one))
        for thing in _things(one):
            fitting = [place for place in atlas.places.values() if thing.fits(place, atlas)]
            fitting = [place for place in fitting if place.kind in (*SIGHTS, FOOD, STAY)]
            found.update(place.id for place in fitting)
    return frozenset(found)


def named_places(constraint: Constraint) -> tuple[str, ...]:
    """The places that a trip has to go to by a constraint."""
    match constraint:
        case GoTo() | Start() | End() | Nights():
            return (constraint.place,)
        case Order():
            return constraint.places
        case _:
            return tuple(thing.name for thing in _things(constraint) if thing.by == "place")


def _things(constraint: Constraint) -> tuple[Thing, ...]:
    if isinstance(constraint, Want):
        return constraint.things
    if isinstance(constraint, Theme) and constraint.hard:
        return (Thing(by="theme", name=constraint.theme),)
    if isinstance(constraint, Need):
        return (Thing(by="feature", name=constraint.need),)
    thing = getattr(constraint, "thing", None)
    return (thing,) if isinstance(thing, Thing) else ()


def _cities(job: _Job, frame: Frame, values: Mapping[str, int]) -> tuple[str, ...]:
    """The cities to choose from: those that are named, and the best of those within reach."""
    atlas = job.atlas
    every = [city.id for city in atlas.cities()]
    named: dict[str, None] = {}
    for one in job.constraints:
        for place in named_places(one):
            named.update(dict.fromkeys(cities_meant(place, atlas)[:3]))
    allowed = _allowed_cities(job.constraints, every, atlas)
    named_first = [city for city in named if city in every]
    worth = {city: _city_worth(city, values, job, frame) for city in every}
    needed = _cities_with_wanted(job, allowed, worth)
    passed = _cities_between(named_first, job.constraints, atlas)
    chosen = list(dict.fromkeys((*named_first, *needed, *passed)))
    most = max(len(chosen), min(MOST_CITIES, 4 + frame.days // 2))
    others = [city for city in allowed if city not in chosen]
    others.sort(key=lambda city: (-worth[city] + _remoteness(city, named_first, atlas), city))
    return tuple((chosen + others)[:most])


def _allowed_cities(
    constraints: Sequence[Constraint], cities: Sequence[str], atlas: Atlas
) -> list[str]:
    """The cities that hard constraints leave; all where they leave none, to name the clash."""
    found = list(cities)
    for one in constraints:
        if isinstance(one, Within) and one.hard and not one.scope:
            found = [city for city in found if one.holds(city, atlas) is not False]
        if isinstance(one, Avoid) and one.hard and not one.scope:
            found = [
                city
                for city in found
                if not any(
                    thing.by == "place" and atlas.lies_in(city, thing.name) for thing in one.things
                )
            ]
    return found or list(cities)


def _city_worth(city: str, values: Mapping[str, int], job: _Job, frame: Frame) -> float:
    sights = sorted((values[one.id] for one in _sights(city, job.atlas)), reverse=True)
    best = sights[: 3 * min(3, frame.days)]
    place = job.atlas.places[city]
    season = 0 if not (frame.month and place.months) or frame.month in place.months else -40
    return sum(best) / 3 + values.get(city, 0) + season


def _cities_with_wanted(job: _Job, allowed: Sequence[str], worth: Mapping[str, float]) -> list[str]:
    """For each thing that must be had, the two best cities that have it."""
    found: list[str] = []
    for one in job.constraints:
        if not one.hard or not isinstance(one, Want):
            continue
        having = {
            job.atlas.city_of(place.id)
            for thing in one.things
            for place in job.atlas.places.values()
            if thing.fits(place, job.atlas)
        }
        ranked = sorted((city for city in having if city in allowed), key=lambda c: (-worth[c], c))
        found += ranked[:2]
    return found


def _cities_between(
    named: Sequence[str], constraints: Sequence[Constraint], atlas: Atlas
) -> list[str]:
    """The cities by which one gets from one named city to another, by the means that are left."""
    found: list[str] = []
    for modes in (frozenset[str](), *_bans(constraints, atlas)):
        onward: dict[str, list[str]] = {}
        for (start, end), ways in sorted(atlas.connections.items()):
            if any(way.mode not in modes and is_bearable(way) for way in ways):
                onward.setdefault(start, []).append(end)
        for origin in named:
            came = _reach(origin, onward)
            for destination in named:
                here = destination
                while came.get(here, origin) != origin:
                    here = came[here]
                    found.append(here)
    return [place for place in dict.fromkeys(found) if atlas.city_of(place) == place]


def _reach(origin: str, onward: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """From where each place is reached with the fewest changes."""
    came, waiting = {origin: origin}, deque([origin])
    while waiting:
        here = waiting.popleft()
        for there in onward.get(here, ()):
            if there not in came:
                came[there] = here
                waiting.append(there)
    return came


def _bans(constraints: Sequence[Constraint], atlas: Atlas) -> list[frozenset[str]]:
    """The modes that constraints rule out, one by one and together."""
    modes = {way.mode for ways in atlas.connections.values() for way in ways}
    found: list[frozenset[str]] = []
    for one in constraints:
        if isinstance(one, Means) and one.rule in ("only", "never"):
            meant = {mode for mode in modes if mode_family(mode) in one.modes}
            found.append(frozenset(modes - meant if one.rule == "only" else meant))
    if len(found) > 1:
        found.append(frozenset().union(*found))
    return found


def _remoteness(city: str, named: Sequence[str], atlas: Atlas) -> float:
    far = [km for one in named if (km := atlas.km(city, one)) is not None]
    return min(far) / 8 if far else 0.0


def _journeys(
    cities: Sequence[str], constraints: Sequence[Constraint], atlas: Atlas, *, outline: bool
) -> dict[tuple[str, str], tuple[Journey, ...]]:
    """The journeys between the cities: the fastest, by each mode that matters, the cheapest."""
    bans = _bans(constraints, atlas)
    asked = any(isinstance(one, Means) for one in constraints)
    few = 1 if outline and not any(one.kind in ("money", "pace") for one in constraints) else 2
    found = {}
    for origin in cities:
        for destination in cities:
            if origin == destination:
                continue
            every = journeys_between(origin, destination, atlas, bans)
            if every:
                found[origin, destination] = every if asked else _few(every, few)
    return found


def _few(journeys: Sequence[Journey], most: int) -> tuple[Journey, ...]:
    """The fastest by day, the cheapest that is not much slower, the best by night."""
    by_day = [one for one in journeys if not one.overnight]
    by_night = [one for one in journeys if one.overnight]
    priced = [one for one in by_day if one.price is not None]
    chosen = by_day[:1] + sorted(priced, key=lambda one: (one.price, one.minutes))[: most - 1]
    return tuple({one.connections: one for one in (*chosen, *by_night[:1])}.values())


# --- solving ------------------------------------------------------------------------------


def _build(job: _Job) -> PlanModel:
    frame = frame_of(job.constraints, job.today)
    frame = replace(frame, days=min(MOST_DAYS, frame.days + job.extra_days))
    model = PlanModel(frame=frame, pool=pool_of(job, frame), atlas=job.atlas)
    _post(model, job)
    return model


def _post(model: PlanModel, job: _Job) -> None:
    model.constraints = job.constraints
    model.build()
    for one in job.constraints:
        one.post(model)


def _solver(limit: float) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = SEED
    solver.parameters.max_deterministic_time = limit
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.max_presolve_iterations = 1
    solver.parameters.symmetry_level = 0
    solver.parameters.linearization_level = 2
    solver.parameters.relative_gap_limit = GAP
    solver.parameters.merge_at_most_one_work_limit = 1e6
    return solver


def _optimise(model: PlanModel, limit: float) -> tuple[cp_model.CpSolver, bool]:
    """The best plan that keeps every hard constraint; False where there is none."""
    cp = model.cp.clone()
    cp.clear_assumptions()
    for _, literal in model.literals.values():
        cp.add(cp.get_bool_var_from_proto_index(literal.index) == 1)
    objective = cp_model.LinearExpr.sum([weight * term for weight, term in model.terms])
    cp.maximize(objective)
    solver = _solver(limit)
    status = solver.solve(cp)
    if status == cp_model.UNKNOWN:  # a first plan without weighing, then better ones from there
        cp.clear_objective()  # type: ignore[no-untyped-call]
        solver = _solver(FIRST_TIME)
        status = solver.solve(cp)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return _improve(cp, solver, objective, limit)
    return solver, status in (cp_model.OPTIMAL, cp_model.FEASIBLE)


def _straighten(model: PlanModel, best: cp_model.CpSolver) -> cp_model.CpSolver:
    """The same nights and the same wishes kept, on the shortest way: a gap leaves detours."""
    cp = _with_hints(model, best)
    for city in model.pool.cities:
        there = [position[city] for position in model.at]
        cp.add(sum(there) == sum(best.value(var) for var in there))
    for literal in model.soft.values():
        cp.add(literal >= best.value(literal))
    fixed = [var for _, options in model.parts.items() for _, var in options]
    cp.add(sum(fixed) >= sum(best.value(var) for var in fixed)) if fixed else None
    on_the_way = [(m.minutes, v) for some in model.moves.values() for m, v in some if m.journey]
    cp.minimize(cp_model.LinearExpr.sum([minutes * var for minutes, var in on_the_way]))
    solver = _solver(STRAIGHT_TIME)
    found = solver.solve(cp) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return solver if found and on_the_way else best


def _with_hints(model: PlanModel, best: cp_model.CpSolver) -> cp_model.CpModel:
    cp = model.cp.clone()
    cp.clear_assumptions()
    cp.clear_objective()  # type: ignore[no-untyped-call]
    for _, literal in model.literals.values():
        cp.add(cp.get_bool_var_from_proto_index(literal.index) == 1)
    for index in range(len(cp.proto.variables)):
        variable = cp.get_int_var_from_proto_index(index)
        cp.add_hint(variable, best.value(variable))
    return cp


def _improve(
    cp: cp_model.CpModel,
    first: cp_model.CpSolver,
    objective: cp_model.LinearExprT,
    limit: float,
) -> tuple[cp_model.CpSolver, bool]:
    """Better plans than a first one, from which the search starts."""
    for index in range(len(cp.proto.variables)):
        variable = cp.get_int_var_from_proto_index(index)
        cp.add_hint(variable, first.value(variable))
    cp.maximize(objective)
    solver = _solver(limit)
    status = solver.solve(cp)
    return (solver, True) if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else (first, True)


def _is_feasible(model: PlanModel, kept: Iterable[cp_model.IntVar]) -> tuple[bool, list[int]]:
    """Whether a plan keeps some constraints; else literals that are enough to rule it out."""
    cp = model.cp.clone()
    cp.clear_assumptions()
    cp.add_assumptions([cp.get_bool_var_from_proto_index(one.index) for one in kept])
    solver = _solver(FEASIBLE_TIME)
    status = solver.solve(cp)
    if status != cp_model.INFEASIBLE:
        return True, []
    return False, list(solver.sufficient_assumptions_for_infeasibility())


def _find_clash(job: _Job, model: PlanModel) -> Clash:
    """A minimal set of constraints that cannot be had together, and which of them to drop."""
    every = list(model.literals.values())
    feasible, enough = _is_feasible(model, [literal for _, literal in every])
    core = [pair for pair in every if pair[1].index in enough] if enough else every
    if feasible:  # no plan was found in time, and nothing proves that there is none
        core = every
    for pair in sorted(core, key=lambda pair: _drop_rank(pair[0])):
        rest = [other for other in core if other is not pair]
        if not _is_feasible(model, [literal for _, literal in rest])[0]:
            core = rest
    constraints = [one for one, _ in core]
    constraints += _narrowing(job, model, constraints)
    if length := _length_clash(job, constraints):
        constraints.append(length)
    if not constraints:
        return Clash(constraints=())
    drop = min(constraints, key=_drop_rank)
    without = []
    for one in constraints:
        kept = [literal for other, literal in every if other is not one]
        without.append(one is length or _is_feasible(model, kept)[0])
    possible = [
        one
        for one, holds in zip(constraints, without, strict=True)
        if holds and one.kind not in _FRAME_KINDS
    ]
    if possible:
        drop = min(possible, key=_drop_rank)
    return Clash(constraints=tuple(constraints), dropped=(drop,), without=tuple(without))


def _narrowing(job: _Job, model: PlanModel, core: Sequence[Constraint]) -> Iterator[Constraint]:
    """Constraints that clash as well: where they leave out cities, the model never sees these."""
    every = [one for one in job.constraints if one.hard and one not in core]
    for one in (one for one in every if isinstance(one, Within | Avoid) and not one.scope):
        kept = [other for other in job.constraints if other in core or isinstance(other, Group)]
        kept += [other for other in every if other.kind in _FRAME_KINDS and other is not one]
        wider = _Job(kept, job.candidates, job.atlas, job.today)
        if set(_cities(wider, model.frame, wider.values)) - set(model.pool.cities):
            wide = _build(wider)
            if _is_feasible(wide, [literal for _, literal in wide.literals.values()])[0]:
                yield one
                return


def _length_clash(job: _Job, core: Sequence[Constraint]) -> Length | None:
    """The length of the trip, if the clash goes away with more days."""
    length = next((one for one in job.constraints if isinstance(one, Length) and one.hard), None)
    if length is None or length in core or not core:
        return None
    kept = [one for one in job.constraints if isinstance(one, Group) or one in core]
    days = frame_of(job.constraints, job.today).days
    longer = _Job(kept, job.candidates, job.atlas, job.today, extra_days=days + 6)
    model = _build(longer)
    feasible, _ = _is_feasible(model, [literal for _, literal in model.literals.values()])
    return length if feasible else None


def _lengthen(job: _Job, core: Sequence[Constraint]) -> bool:
    """Stretch a length that is only assumed until all that clashes has room; False where none has.

    What was stated is never dropped in favour of an assumption.
    """
    length = _first(job.constraints, Length)
    if length is None or not length.assumed or _is_dated(job.constraints):
        return False
    kept = [one for one in job.constraints if isinstance(one, Group | Dates) or one in core]
    days = frame_of(job.constraints, job.today).days
    for more in LENGTHENED:
        if days + more > MOST_DAYS:
            return False
        longer = replace(length, least=days + more, most=days + more, hard=False)
        others = [one for one in kept if one is not length]
        model = _build(_Job([*others, longer], job.candidates, job.atlas, job.today))
        every = [literal for _, literal in model.literals.values()]
        if not model.impossible and _is_feasible(model, every)[0]:
            job.length = longer
            job.constraints = [longer if one is length else one for one in job.constraints]
            return True
    return False


def _is_dated(constraints: Sequence[Constraint]) -> bool:
    dates = _first(constraints, Dates)
    return bool(dates and dates.start and dates.end and not dates.within)


def _drop_rank(constraint: Constraint) -> tuple[int, int]:
    kind = _DROP_FIRST.index(constraint.kind) if constraint.kind in _DROP_FIRST else 0
    start = constraint.span.start if constraint.span else 0
    return kind, -start


# --- from the solution to days ------------------------------------------------------------


def _finish(job: _Job, model: PlanModel, solver: cp_model.CpSolver) -> Composition:
    """Clock times for the solution; where they break a hard constraint, choose again."""
    best: tuple[int, Itinerary, float, float] | None = None
    for number in range(ROUNDS):
        itinerary, troubled = _itinerary(model, solver)
        value, bound = solver.objective_value, solver.best_objective_bound
        broken = [
            one
            for one in job.constraints
            if one.hard and one.check(itinerary, job.atlas).verdict == "broken"
        ]
        score = len(broken) * 10 + len(troubled)
        if best is None or score < best[0]:
            best = (score, itinerary, value, bound)
        if not broken and (not troubled or number):
            break
        if not _correct(model, solver, broken, troubled, itinerary):
            break
        solver, feasible = _optimise(model, SOLVE_TIME)
        if not feasible:
            break
    assert best is not None  # noqa: S101 - the first round always gives one
    _, itinerary, value, bound = best
    return Composition(
        itinerary=itinerary, clashes=tuple(job.clashes), value=value, bound=bound, length=job.length
    )


def _correct(
    model: PlanModel,
    solver: cp_model.CpSolver,
    broken: Sequence[Constraint],
    troubled: Sequence[int],
    itinerary: Itinerary,
) -> bool:
    """Rule out what went wrong: lower limits that are passed, and change days that do not fit."""
    days, changed = set(troubled), False
    for one in broken:
        if model.tighten(one, TIGHTEN):
            changed = True
        else:
            days |= set(one.check(itinerary, model.atlas).days)
    return _cut(model, solver, days) or changed


def _cut(model: PlanModel, solver: cp_model.CpSolver, days: Iterable[int]) -> bool:
    """Rule out what was chosen for some days: at least one thing of each has to change."""
    cut = False
    for day in days:
        chosen = [
            var
            for _, variables in model.stops_of(day)
            for var in variables
            if solver.boolean_value(var)
        ]
        chosen += [
            var for move, var in model.moves[day] if move.journey and solver.boolean_value(var)
        ]
        if chosen:
            model.cp.add(sum(chosen) <= len(chosen) - 1)
            cut = True
    return cut


def _itinerary(model: PlanModel, solver: cp_model.CpSolver) -> tuple[Itinerary, list[int]]:
    """The days with clock times, and those on which something did not fit."""
    atlas, frame = model.atlas, model.frame
    start = next(city for city, var in model.at[0].items() if solver.boolean_value(var))
    stays = _stays(model, solver)
    days: list[Day] = []
    troubled: list[int] = []
    gaps: list[str] = []
    before: Move | None = None
    for number in model.days:
        move = next(move for move, var in model.moves[number] if solver.boolean_value(var))
        task = _task(model, solver, number, move, before, stays)
        times = set_times(task, atlas)
        if not times.feasible or any(stop.meal is None for stop in times.dropped):
            troubled.append(number)
        engagements = model.engaged(number, solver)
        days.append(
            Day(
                number=number,
                city=move.destination,
                date=frame.date_of(number),
                visits=times.visits,
                meals=times.meals,
                legs=times.legs,
                engagements=engagements,
                stay=stays.get(number) or _unknown_stay(model, number, move),
            )
        )
        gaps += _gaps(days[-1], times, atlas, sleeps=number < frame.days and not move.overnight)
        before = move
    return (
        Itinerary(
            days=tuple(days),
            start=start,
            currency=atlas.currency,
            adults=frame.adults,
            children=frame.children,
            gaps=tuple(gaps),
            assumed=assumptions(days, atlas),
        ),
        troubled,
    )


def _stays(model: PlanModel, solver: cp_model.CpSolver) -> dict[int, Stay]:
    found = {}
    for (place, night), var in model.beds.items():
        if solver.boolean_value(var):
            known = model.atlas.places[place]
            found[night] = Stay(
                place=place,
                name=known.name,
                rooms=model.frame.rooms,
                price=known.price,
                passage=known.passage,
            )
    return found


def _unknown_stay(model: PlanModel, number: int, move: Move) -> Stay | None:
    """A night in a city of which no bed is known."""
    if number == model.frame.days or move.overnight:
        return None
    name = f"a bed in {model.atlas.name_of(move.destination)} (none is known here)"
    return Stay(place="", name=name, rooms=model.frame.rooms, price=None, passage="")


def _task(
    model: PlanModel,
    solver: cp_model.CpSolver,
    number: int,
    move: Move,
    before: Move | None,
    stays: Mapping[int, Stay],
) -> DayTask:
    places = model.atlas.places
    left = stays.get(number - 1) or (
        stays.get(number) if number == 1 and not move.journey else None
    )
    night = stays.get(number) or (left if number == model.frame.days else None)
    leaves = places[left.place] if left else places[move.origin]
    sleeps = places[night.place] if night and _is_in(model, night.place, move.destination) else (
        places[move.destination]
    )  # fmt: skip
    ready = 0
    if before is not None and before.overnight and before.journey is not None:
        ready = arrival_on_next_day(before.journey) + 20
        leaves = places[move.origin]
    hours = model.hours(number, solver)
    return DayTask(
        number=number,
        move=move,
        leaves=leaves,
        sleeps=sleeps,
        stops=_stops(model, solver, number),
        on=model.frame.date_of(number),
        month=model.frame.month,
        ready=ready,
        start=hours["all"][0],
        end=hours["all"][1],
        meal_hours={meal: hours[meal] for meal in ("lunch", "dinner")},
        visit_hours=hours["visits"],
        ride_hours=hours["rides"],
        blocked=model.blocked_times(number, solver),
        engagements=model.engaged(number, solver),
    )


def _is_in(model: PlanModel, place: str, city: str) -> bool:
    return model.atlas.city_of(place) == city or any(
        one.id == place for one in model.pool.stays.get(city, ())
    )


def _stops(model: PlanModel, solver: cp_model.CpSolver, number: int) -> list[Stop]:
    found = []
    fixed = model.fixed_times(number, solver)
    for (place, day), options in model.parts.items():
        for part, var in options:
            if day == number and solver.boolean_value(var):
                known = model.atlas.places[place]
                found.append(
                    Stop(
                        place=known,
                        city=model.base(place),
                        value=model.pool.values.get(place, 1),
                        part=part,
                        pinned=place in model.pinned or place in fixed,
                        at=fixed.get(place),
                        reason=_reason(known),
                    )
                )
    meals: Sequence[MealName] = ("lunch", "dinner")
    for (place, day), meal_options in model.meal_vars.items():
        for name, var in meal_options:
            if day == number and solver.boolean_value(var):
                meal = meals[0] if name == "lunch" else meals[1]
                known = model.atlas.places[place]
                at = fixed.get(place)
                found.append(
                    Stop(
                        place=known,
                        city=model.base(place),
                        meal=meal,
                        at=at,
                        pinned=at is not None or place in model.pinned,
                    )
                )
    return found


def _reason(place: Place) -> str:
    """Why a place is worth it, in its own words where it has any."""
    if not place.themes:
        return ", ".join(place.known_for[:2])
    theme = max(place.themes, key=lambda name: (place.themes[name], name))
    why = place.whys.get(theme, "")
    return f"{theme}: {why}" if why else theme


def _gaps(day: Day, times: DayTimes, atlas: Atlas, *, sleeps: bool) -> list[str]:
    """What a day lacks, and why."""
    found = []
    if sleeps and not (day.stay and day.stay.place):
        found.append(f"day {day.number}: no place to sleep in {atlas.name_of(day.city)} is known")
    if not any(meal.meal == "dinner" for meal in day.meals):
        found.append(f"day {day.number}: no place for dinner that fits is known")
    if not day.visits and not day.between and not day.engagements:
        found.append(f"day {day.number}: nothing that was found fits")
    return found


def assumptions(days: Sequence[Day], atlas: Atlas) -> tuple[str, ...]:
    """Which times and prices of the days are assumed, and from what."""
    found = []
    visits = [visit for day in days for visit in day.visits]
    untimed = [visit.name for visit in visits if not atlas.places[visit.place].minutes]
    unhoured = [visit.name for visit in visits if not atlas.places[visit.place].hours]
    if untimed:
        found.append(f"visits without a known length take 1 h 15 min: {_some(untimed)}")
    if unhoured:
        found.append(f"no opening hours are known of {_some(unhoured)}")
    if any(leg.local for day in days for leg in day.legs):
        found.append(
            "ways within a city are estimated: 1.3 times the straight line, 4.5 km/h on foot, "
            "25 km/h by taxi and 45 km/h beyond the town; a taxi is taken to cost 0.60 USD and "
            "0.50 USD a km"
        )
    if not atlas.currency and any(place.price is not None for place in atlas.places.values()):
        found.append("prices name no currency: they are taken to be in the currency of the wish")
    if any(not leg.passage for day in days for leg in day.between):
        found.append("no connections are known: ways between cities are estimated at 50 km/h")
    return tuple(found)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
