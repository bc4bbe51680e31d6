"""The check finds every planted break of the physics, and calls no sound plan broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from atlas_shared import make_atlas
from test_composer import TODAY, days_of, wish_of

from consilience.packs.travel.advice import advise
from consilience.packs.travel.check import RULES, check, find_faults
from consilience.packs.travel.composer import compose
from consilience.packs.travel.constraints import Dates, GoTo, Span, Start
from consilience.packs.travel.itinerary import Bill, Candidates, Cost, Day, Itinerary

ATLAS = make_atlas()
WISH = wish_of(
    days_of(5), Dates(start=date(2027, 3, 9)), Start(place="aurel"), GoTo(place="lindow")
)


@pytest.fixture(scope="module")
def plan() -> Itinerary:
    found = compose(WISH, Candidates(), ATLAS, today=TODAY).itinerary
    assert found is not None
    return found


@pytest.fixture(scope="module")
def bill(plan: Itinerary) -> Bill:
    found = advise(WISH, plan, ATLAS).bill
    assert found is not None
    return found


def with_day(plan: Itinerary, change: Callable[[Day], Day | None]) -> Itinerary:
    """The plan with the first day that a change fits."""
    days = list(plan.days)
    for at, day in enumerate(days):
        changed = change(day)
        if changed is not None:
            days[at] = changed
            return replace(plan, days=tuple(days))
    raise AssertionError("no day fits")


def first_visit(day: Day, **fields: object) -> Day | None:
    if not day.visits:
        return None
    return replace(day, visits=(replace(day.visits[0], **fields), *day.visits[1:]))


def first_leg(day: Day, **fields: object) -> Day | None:
    legs = list(day.legs)
    for at, leg in enumerate(legs):
        if not leg.local:
            legs[at] = replace(leg, **fields)
            return replace(day, legs=tuple(legs))
    return None


PLANTED: dict[str, tuple[str, Callable[[Itinerary], Itinerary]]] = {
    "a day too many": ("days", lambda p: with_day(p, lambda d: replace(d, number=9))),
    "a wrong date": (
        "days",
        lambda p: with_day(p, lambda d: replace(d, date=d.date + timedelta(days=3)) if d.number > 1
                           else None),
    ),
    "an invented place": ("place", lambda p: with_day(p, lambda d: first_visit(d, place="x"))),
    "a wrong name": ("place", lambda p: with_day(p, lambda d: first_visit(d, name="Eldorado"))),
    "a wrong price": ("price", lambda p: with_day(p, lambda d: first_visit(d, price=Decimal(1)))),
    "a place twice": (
        "twice",
        lambda p: with_day(p, lambda d: replace(d, visits=(*d.visits, d.visits[0])) if d.visits
                           else None),
    ),
    "an overlap": (
        "clock",
        lambda p: with_day(p, lambda d: first_visit(d, end=d.visits[0].end + 300) if d.visits
                           else None),
    ),
    "no way to it": (
        "way",
        lambda p: with_day(p, lambda d: replace(d, legs=()) if len(d.visits) > 1 else None),
    ),
    "a way too fast": (
        "way",
        lambda p: with_day(p, lambda d: replace(d, legs=tuple(replace(leg, minutes=1) if leg.local
                                                              else leg for leg in d.legs))),
    ),
    "an unknown connection": (
        "connection",
        lambda p: with_day(p, lambda d: first_leg(d, mode="teleport")),
    ),
    "a fast connection": ("connection", lambda p: with_day(p, lambda d: first_leg(d, minutes=3))),
    "closed": (
        "hours",
        lambda p: with_day(p, lambda d: first_visit(d, start=180, end=240)
                           if d.visits and ATLAS.places[d.visits[0].place].hours not in
                           ("", "24/7") else None),
    ),
    "too short": (
        "short",
        lambda p: with_day(p, lambda d: first_visit(d, end=d.visits[0].start + 5) if d.visits
                           else None),
    ),
    "no bed": (
        "bed",
        lambda p: with_day(p, lambda d: replace(d, stay=None) if d.stay else None),
    ),
    "too few rooms": ("bed", lambda p: replace(p, adults=9)),
}  # fmt: skip


def test_a_sound_plan_has_no_fault(plan, bill):
    assert list(find_faults(plan, bill, ATLAS)) == []


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_break_is_found(plan, name):
    rule, plant = PLANTED[name]
    assert rule in {fault.rule for fault in find_faults(plant(plan), None, ATLAS)}


def test_wrong_sums_are_found(plan, bill):
    dearer = replace(bill, total=bill.total + 1)
    line = Cost(what="x", count=2, each=Decimal(3), total=Decimal(7))
    wrong_line = replace(bill, costs=(*bill.costs, line))
    for found in (dearer, wrong_line, replace(bill, costs=bill.costs[1:])):
        assert {fault.rule for fault in find_faults(plan, found, ATLAS)} == {"sum"}


def test_every_rule_has_a_planted_break():
    assert {rule for rule, _ in PLANTED.values()} | {"sum"} == set(RULES)


def test_a_plan_with_words_left_over_is_never_as_wished(plan, bill):
    report = check(WISH, plan, bill, ATLAS)
    assert report.as_wished
    assert {line.check.verdict for line in report.lines} == {"kept"}
    leftover = (Span(text="with unicorns"),)
    assert not check(replace(WISH, leftover=leftover), plan, bill, ATLAS).as_wished
