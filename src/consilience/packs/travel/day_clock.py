"""At what time does each thing of a day happen? A small exact model per day: order, ways, hours.

The plan says what is done on a day and how one goes on; here it gets its order and its clock
times. Each stop is reached from the one before it, is open while one is there, and what does not
fit is left out, the least wanted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from ortools.sat.python import cp_model

from consilience.packs.travel.atlas import CHANGE_MIN, Atlas, Place
from consilience.packs.travel.hours import usual_spans
from consilience.packs.travel.itinerary import (
    DAY_MINUTES,
    MEAL_MINUTES,
    Engagement,
    Leg,
    Meal,
    MealName,
    Visit,
)
from consilience.packs.travel.journeys import Journey, LocalWay, local_way
from consilience.packs.travel.plan_model import MEAL_WINDOWS, Move, Part, visit_minutes

EARLIEST_VISIT = 8 * 60
LATEST_VISIT = 22 * 60 + 30
LATEST_SIGHT = 19 * 60 + 30
EARLIEST_LEG = 6 * 60 + 30
LATEST_LEG = 22 * 60
DROP_COST = 400
KEEP_COST = 100_000
TRAVEL_COST = 3
LATE_COST = 2
MORNING, NOON = 9 * 60 + 15, 11 * 60 + 30
STEP = 5
"""Times are in steps of so many minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A place that is visited or eaten at, in a city, with what it is worth."""

    place: Place
    city: str
    value: int = 1
    part: Part | None = None
    meal: MealName | None = None
    pinned: bool = False
    at: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTask:
    """What a day has to hold: stops, journeys, and the hours it may use."""

    number: int
    move: Move
    leaves: Place
    sleeps: Place
    stops: Sequence[Stop]
    on: date | None = None
    month: int | None = None
    ready: int = 0
    start: int = 0
    end: int = 2 * DAY_MINUTES
    meal_hours: dict[str, tuple[int, int]] = field(default_factory=dict)
    visit_hours: tuple[int, int] = (0, 2 * DAY_MINUTES)
    ride_hours: tuple[int, int] = (0, 2 * DAY_MINUTES)
    blocked: tuple[tuple[int, int], ...] = ()
    engagements: tuple[Engagement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTimes:
    """The stops of a day with their times, and what did not fit."""

    visits: tuple[Visit, ...]
    meals: tuple[Meal, ...]
    legs: tuple[Leg, ...]
    dropped: tuple[Stop, ...] = ()
    feasible: bool = True


@dataclass(slots=True)
class _Node:
    """Something with a time: a stop, a journey or an engagement."""

    minutes: int
    spans: list[tuple[int, int]]
    arrive: Place
    leave: Place
    segment: int
    last_segment: int
    stop: Stop | None = None
    journey: Journey | None = None
    engagement: Engagement | None = None
    start: cp_model.IntVar | None = None
    taken: cp_model.IntVar | None = None

    @property
    def anywhere(self) -> bool:
        """Whether it is not bound to a place."""
        return self.engagement is not None and not self.engagement.place


def set_times(task: DayTask, atlas: Atlas) -> DayTimes:
    """The day with clock times; nothing of it where its journeys do not fit."""
    nodes = list(_nodes(task, atlas))
    fitting = [node for node in nodes if node.spans]
    dropped = [node.stop for node in nodes if not node.spans and node.stop]
    if any(node.stop is None for node in nodes if not node.spans):
        return DayTimes(visits=(), meals=(), legs=(), dropped=tuple(task.stops), feasible=False)
    if not fitting:
        return _decode(task, [], dropped, atlas)
    order = _solve(task, fitting, atlas)
    if order is None:
        return DayTimes(visits=(), meals=(), legs=(), dropped=tuple(task.stops), feasible=False)
    kept = {id(node) for node, _ in order}
    dropped += [node.stop for node in fitting if node.stop and id(node) not in kept]
    return _decode(task, order, dropped, atlas)


# --- the things of a day ------------------------------------------------------------------


def _nodes(task: DayTask, atlas: Atlas) -> Iterator[_Node]:
    for number, journey in enumerate(task.move.journeys):
        yield _journey_node(task, journey, number, atlas)
    for stop in task.stops:
        segment = _segment(task.move, stop)
        minutes = MEAL_MINUTES if stop.meal else visit_minutes(stop.place)
        yield _Node(
            minutes=minutes,
            spans=_stop_spans(task, stop, minutes),
            arrive=stop.place,
            leave=stop.place,
            segment=segment,
            last_segment=segment,
            stop=stop,
        )
    for engagement in task.engagements:
        place = atlas.places.get(engagement.place, task.leaves)
        segments = len(task.move.journeys)
        yield _Node(
            minutes=engagement.end - engagement.start,
            spans=[(engagement.start, engagement.start)],
            arrive=place,
            leave=place,
            segment=0,
            last_segment=segments,
            engagement=engagement,
        )


def _journey_node(task: DayTask, journey: Journey, number: int, atlas: Atlas) -> _Node:
    if journey.overnight:
        spans = [(journey.night_departure, journey.night_departure)]
    else:
        first, last = journey.departures()
        low = max(first, task.start, task.ready, task.ride_hours[0], EARLIEST_LEG)
        high = min(last, task.end - journey.minutes, task.ride_hours[1] - journey.minutes)
        spans = [(low, min(high, LATEST_LEG))] if low <= min(high, LATEST_LEG) else []
        spans = _without(spans, task.blocked, journey.minutes)
    return _Node(
        minutes=min(journey.minutes, 30) if journey.overnight else journey.minutes,
        spans=spans,
        arrive=atlas.places.get(journey.origin, task.leaves),
        leave=atlas.places.get(journey.destination, task.sleeps),
        segment=number,
        last_segment=number + 1,
        journey=journey,
    )


def _segment(move: Move, stop: Stop) -> int:
    """Before or after which journey a stop is."""
    if move.journey is None or move.overnight:
        return 0
    if move.back is not None:
        return 1 if stop.city == move.visited else 2 if stop.part == "evening" or (
            stop.meal == "dinner"
        ) else 0  # fmt: skip
    return 0 if stop.city == move.origin else 1


def _stop_spans(task: DayTask, stop: Stop, minutes: int) -> list[tuple[int, int]]:
    """When a stop may begin: open, within the hours of the day and of what it is."""
    low, high = max(task.start, task.ready), task.end
    if stop.at is not None:
        hours = ((stop.at, stop.at + minutes), (0, 2 * DAY_MINUTES))
    elif stop.meal:
        hours = (MEAL_WINDOWS[stop.meal], task.meal_hours.get(stop.meal, (0, 2 * DAY_MINUTES)))
    else:
        latest = LATEST_VISIT if stop.part == "evening" else LATEST_SIGHT
        earliest = 17 * 60 + 30 if stop.part == "evening" else EARLIEST_VISIT
        hours = ((earliest, latest), task.visit_hours)
    low = max(low, *(span[0] for span in hours))
    high = min(high, *(span[1] for span in hours))
    found = []
    for opens, closes in usual_spans(stop.place, task.on, task.month):
        first, last = max(low, opens), min(high, closes) - minutes
        first = STEP * -(-first // STEP)
        if first <= last:
            found.append((first, last))
    return found if stop.meal else _without(found, task.blocked, minutes)


def _without(
    spans: list[tuple[int, int]], blocked: Sequence[tuple[int, int]], minutes: int
) -> list[tuple[int, int]]:
    """When something may begin that lasts so long and must not touch blocked times."""
    for low, high in blocked:
        before = [(first, min(last, low - minutes)) for first, last in spans]
        after = [(max(first, high), last) for first, last in spans]
        spans = [span for span in (*before, *after) if span[0] <= span[1]]
    return sorted(spans)


# --- order and times ----------------------------------------------------------------------


def _solve(task: DayTask, nodes: list[_Node], atlas: Atlas) -> list[tuple[_Node, int]] | None:
    model = cp_model.CpModel()
    arcs: list[tuple[int, int, cp_model.IntVar]] = []
    costs: list[cp_model.LinearExprT] = []
    low = max(task.start, task.ready)
    first, last = (model.new_int_var(low, 2 * DAY_MINUTES, name) for name in ("first", "last"))
    model.add(first <= last)
    late = model.new_int_var(0, 2 * DAY_MINUTES, "late")
    model.add(late >= first - max(low, MORNING))
    costs += [last, -first, LATE_COST * late]
    for index, node in enumerate(nodes, start=1):
        domain = cp_model.Domain.from_intervals([list(span) for span in node.spans])
        node.start = model.new_int_var_from_domain(domain, f"start {index}")
        node.taken = model.new_bool_var(f"taken {index}")
        arcs.append((index, index, node.taken.negated()))  # type: ignore[arg-type]
        if node.stop is None or node.stop.pinned:
            cost = KEEP_COST
        else:
            cost = DROP_COST + 10 * node.stop.value
        if node.stop is None:
            model.add(node.taken == 1)
        costs.append(cost * (1 - node.taken))
        if node.stop is not None and node.stop.part == "morning":
            delay = model.new_int_var(0, 2 * DAY_MINUTES, "")
            model.add(delay >= node.start - max(low, NOON))
            costs.append(LATE_COST * delay)
        leaving = _minutes(task.leaves, node.arrive, node, atlas)
        arc = model.new_bool_var("")
        arcs.append((0, index, arc))
        model.add(node.start - leaving >= first).only_enforce_if(arc)
        costs.append(TRAVEL_COST * leaving * arc)
        if node.segment > 0:
            model.add(arc == 0)
        arc = model.new_bool_var("")
        arcs.append((index, 0, arc))
        returning = 0 if _ends_on_the_way(node) else _minutes(node.leave, task.sleeps, node, atlas)
        end = node.start + node.minutes + returning
        model.add(end <= last).only_enforce_if(arc)
        if not _ends_on_the_way(node):
            model.add(end <= min(task.end, DAY_MINUTES)).only_enforce_if(arc)
        costs.append(TRAVEL_COST * returning * arc)
        if node.last_segment < len(task.move.journeys):
            model.add(arc == 0)
    _add_order(model, nodes, arcs, costs, atlas)
    empty = model.new_bool_var("")
    arcs.append((0, 0, empty))
    for node in nodes:
        if node.taken is not None:
            model.add_implication(empty, node.taken.negated())
    model.add_circuit(arcs)
    model.minimize(cp_model.LinearExpr.sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = 0.3
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    found = [
        (node, solver.value(node.start))
        for node in nodes
        if node.start is not None and node.taken is not None and solver.value(node.taken)
    ]
    return sorted(found, key=lambda pair: (pair[1], pair[1] + pair[0].minutes))


def _add_order(
    model: cp_model.CpModel,
    nodes: list[_Node],
    arcs: list[tuple[int, int, cp_model.IntVar]],
    costs: list[cp_model.LinearExprT],
    atlas: Atlas,
) -> None:
    """Whatever follows something else begins after it and after the way between them."""
    for index, node in enumerate(nodes, start=1):
        for other_index, other in enumerate(nodes, start=1):
            if node is other or not _may_follow(node, other):
                continue
            arc = model.new_bool_var("")
            arcs.append((index, other_index, arc))
            minutes = _minutes(node.leave, other.arrive, other, atlas)
            if node.anywhere:
                minutes = max(_minutes(one.leave, other.arrive, other, atlas) for one in nodes)
            model.add(other.start >= node.start + node.minutes + minutes).only_enforce_if(arc)  # type: ignore[operator]
            costs.append(TRAVEL_COST * minutes * arc)
    for before in nodes:
        for after in nodes:
            if before.journey and after is not before and not after.anywhere:
                _order_segments(model, before, after)


def _order_segments(model: cp_model.CpModel, journey: _Node, other: _Node) -> None:
    if other.last_segment <= journey.segment:
        model.add(other.start + other.minutes <= journey.start).only_enforce_if(other.taken)  # type: ignore[operator]
    elif other.segment >= journey.last_segment:
        model.add(other.start >= journey.start + journey.minutes).only_enforce_if(other.taken)  # type: ignore[operator]


def _may_follow(node: _Node, other: _Node) -> bool:
    if node.anywhere or other.anywhere:
        return True
    return node.last_segment == other.segment or (
        bool(node.engagement or other.engagement) and node.segment <= other.last_segment
    )


def _ends_on_the_way(node: _Node) -> bool:
    return node.journey is not None and node.journey.overnight


def _minutes(start: Place, end: Place, node: _Node, atlas: Atlas) -> int:
    if node.anywhere:
        return 0
    return local_way(start, end, atlas).minutes


# --- back to values -----------------------------------------------------------------------


def _decode(
    task: DayTask, order: list[tuple[_Node, int]], dropped: Sequence[Stop], atlas: Atlas
) -> DayTimes:
    visits: list[Visit] = []
    meals: list[Meal] = []
    legs: list[Leg] = []
    here, ended = task.leaves, -1
    for node, start in order:
        if not node.anywhere:
            way = local_way(here, node.arrive, atlas)
            legs += _local_leg(here, node.arrive, way, start - way.minutes)
            here = node.leave
        ended = start + node.minutes
        if node.journey:
            legs += _journey_legs(node.journey, start)
        elif node.stop and node.stop.meal:
            meals.append(_meal(node.stop, node.stop.meal, start))
        elif node.stop:
            visits.append(_visit(node.stop, start))
    if order and not task.move.overnight:
        way = local_way(here, task.sleeps, atlas)
        legs += _local_leg(here, task.sleeps, way, ended)
    return DayTimes(
        visits=tuple(visits), meals=tuple(meals), legs=tuple(legs), dropped=tuple(dropped)
    )


def _local_leg(start: Place, end: Place, way: LocalWay, at: int) -> Iterator[Leg]:
    if way.minutes > 0:
        yield Leg(
            origin=start.id,
            destination=end.id,
            mode=way.mode,
            start=at,
            minutes=way.minutes,
            price=way.price,
            km=way.km,
            local=True,
        )


def _journey_legs(journey: Journey, start: int) -> Iterator[Leg]:
    for way in journey.connections:
        yield Leg(
            origin=way.start,
            destination=way.end,
            mode=way.mode,
            start=start,
            minutes=way.minutes,
            price=way.price,
            passage=way.passage,
            overnight=way.overnight,
        )
        start += way.minutes + CHANGE_MIN


def _visit(stop: Stop, start: int) -> Visit:
    place = stop.place
    return Visit(
        place=place.id,
        name=place.name,
        start=start,
        end=start + visit_minutes(place),
        price=place.price,
        passage=place.passage,
        reason=stop.reason,
    )


def _meal(stop: Stop, meal: MealName, start: int) -> Meal:
    place = stop.place
    return Meal(
        meal=meal,
        place=place.id,
        name=place.name,
        start=start,
        end=start + MEAL_MINUTES,
        price=place.price,
        passage=place.passage,
    )
