"""Does a check find every break that is planted, call no kept plan broken, and say unknown?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wish_shared import atlas, change_day, meal, plan, ride, stay, visit

from consilience.errors import UsageError
from consilience.packs.travel import constraints as c
from consilience.packs.travel.constraints import Constraint, Scope, Thing
from consilience.packs.travel.itinerary import Itinerary

ATLAS = atlas()
PLAN = plan()
LATE = change_day(PLAN, 2, visits=(visit("strand", 1300),))
CAVE = change_day(PLAN, 1, visits=(visit("mine", 615), visit("glass", 840)))
BUS = change_day(PLAN, 2, legs=(ride("oltova", "port-selm", "bus", 570, 150, 22),))
LONG = change_day(PLAN, 2, legs=(ride("oltova", "port-selm", "train", 570, 330, 22),))
CHEAP = change_day(PLAN, 2, stay=stay("bunk"), city="varn")
SHORT = replace(PLAN, days=PLAN.days[:2])
MOVED = replace(PLAN, days=tuple(replace(d, date=date(2027, 6, 4 + d.number)) for d in PLAN.days))
MONDAY = Scope(weekdays=(0,))
MUSEUM, BEACH, CASTLE, CAVES = (
    Thing(by="type", name=name) for name in ("museum", "beach", "castle", "cave")
)

CASES: tuple[tuple[Constraint, Itinerary], ...] = (
    (c.Length(least=3, most=3), SHORT),
    (c.Dates(start=date(2027, 3, 5), end=date(2027, 3, 7)), MOVED),
    (c.Dates(start_weekday=4, end_weekday=6), MOVED),
    (c.Dates(start=date(2027, 3, 1), end=date(2027, 3, 31), within=True), MOVED),
    (c.Season(months=(3, 4)), MOVED),
    (c.ClockWindow(earliest=540, latest=1290), LATE),
    (c.ClockWindow(latest=720, what="visits", scope=Scope(days=(3,))),
     change_day(PLAN, 3, visits=(visit("strand", 700, 60),))),
    (c.Appointment(title="beach", start=840, thing=BEACH, scope=Scope(days=(2,))), LATE),
    (c.Appointment(title="call", start=1020, end=1080, scope=Scope(days=(2,))),
     change_day(PLAN, 2, visits=(visit("strand", 1000),))),
    (c.FreeTime(scope=Scope(days=(2,), part="evening")),
     change_day(PLAN, 2, visits=(visit("strand", 1140),))),
    (c.GoTo(place="port-selm"), change_day(change_day(CHEAP, 2, visits=(), meals=()), 3, visits=(),
                                           meals=())),
    (c.GoTo(place="cast", scope=Scope(days=(1,))), CAVE),
    (c.Start(place="oltova"), replace(PLAN, start="varn")),
    (c.End(place="oltova"), change_day(PLAN, 3, city="varn")),
    (c.Order(places=("oltova", "port-selm")), replace(
        PLAN, start="port-selm", days=tuple(
            replace(day, number=4 - day.number) for day in reversed(PLAN.days[1:])))),
    (c.Nights(place="port-selm", least=1, most=1), CHEAP),
    (c.Nights(thing=Thing(by="setting", name="sea"), least=1, most=1),
     change_day(PLAN, 1, city="port-selm", stay=stay("palm"))),
    (c.Within(places=("oltova", "lowmark")), CAVE),
    (c.Within(places=("oltova", "port-selm"), km=20), CAVE),
    (c.Group(adults=2), replace(PLAN, adults=4)),
    (c.Need(need="vegetarian", scope=Scope(days=(1,))),
     change_day(PLAN, 1, meals=(meal("hut", 750),))),
    (c.Money(amount=Decimal(600), currency="EUR"), replace(PLAN, adults=6)),
    (c.Money(amount=Decimal(160), currency="EUR", per="person day"),
     change_day(PLAN, 1, stay=stay("palm", rooms=3))),
    (c.Money(amount=Decimal(140), currency="EUR", per="bed"),
     change_day(PLAN, 1, stay=replace(stay("inn"), price=Decimal(150)))),
    (c.Money(amount=Decimal(140), currency="EUR", per="night"),
     change_day(PLAN, 2, stay=stay("palm", rooms=2))),
    (c.Money(amount=Decimal(25), currency="EUR", per="meal"),
     change_day(PLAN, 1, meals=(replace(meal("leaf", 750), price=Decimal(26)),))),
    (c.Money(amount=Decimal(12), currency="EUR", per="ticket"), CAVE),
    (c.Level(levels=("mid-range", "luxury")), CHEAP),
    (c.Theme(theme="art"), change_day(PLAN, 1, visits=(visit("cast", 615),))),
    (c.Want(things=(MUSEUM,)), change_day(PLAN, 1, visits=(visit("cast", 615),))),
    (c.Want(things=(MUSEUM, CASTLE, CAVES), least=2, most=2),
     change_day(PLAN, 2, visits=(visit("mine", 840),))),
    (c.Avoid(things=(CAVES,)), CAVE),
    (c.Avoid(things=(Thing(by="offer", name="zipline"),)), CAVE),
    (c.Avoid(things=(MUSEUM, CAVES), but=("glass",)), CAVE),
    (c.Avoid(things=(Thing(by="place", name="varn"),)), CAVE),
    (c.Pace(measure="visits", most=2),
     change_day(PLAN, 1, visits=tuple(visit("cast", 600 + 100 * n) for n in range(3)))),
    (c.Pace(measure="travel", most=180), LONG),
    (c.Pace(measure="ride", most=150, modes=("train",)), LONG),
    (c.Pace(measure="beds", most=1), replace(PLAN, days=(*PLAN.days, replace(
        PLAN.days[0], number=4, stay=stay("bunk"))))),
    (c.Pace(measure="cities", most=2), replace(PLAN, days=(*PLAN.days, replace(
        PLAN.days[0], number=4, city="varn", stay=stay("bunk"))))),
    (c.Pace(measure="nights", most=1), change_day(PLAN, 2, city="oltova", stay=stay("inn"))),
    (c.Means(modes=("train",)), BUS),
    (c.Means(modes=("bus",), rule="never"), BUS),
    (c.Means(modes=("train",), rule="some"), replace(BUS, days=BUS.days[:2])),
    (c.Means(modes=("train",), between=("oltova", "port-selm")), BUS),
)  # fmt: skip


def _id(case: tuple[Constraint, Itinerary]) -> str:
    return f"{case[0].kind}: {case[0].state(ATLAS)}"


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_a_planted_break_is_found_and_the_kept_plan_is_not_called_broken(
    case: tuple[Constraint, Itinerary],
) -> None:
    constraint, broken = case
    assert constraint.check(PLAN, ATLAS).verdict == "kept", constraint.check(PLAN, ATLAS)
    assert constraint.check(broken, ATLAS).verdict == "broken", constraint.check(broken, ATLAS)


def test_stairs_break_what_a_wheelchair_needs() -> None:
    need = c.Need(need="wheelchair", scope=Scope(days=(1,)))
    step_free = change_day(PLAN, 1, visits=(visit("glass", 840),), meals=())
    assert need.check(step_free, ATLAS).verdict == "kept"
    assert need.check(PLAN, ATLAS).verdict == "broken"


def test_every_kind_has_a_case() -> None:
    assert {case[0].kind for case in CASES} | {"missing"} == set(c.KINDS)


def test_a_name_that_nothing_tells_of_is_never_kept() -> None:
    assert c.Missing(name="Paris").check(PLAN, ATLAS).verdict == "broken"


@pytest.mark.parametrize(
    "constraint",
    [
        c.Need(need="wheelchair", scope=Scope(days=(2,))),
        c.Need(need="without pork"),
        c.Avoid(things=(Thing(by="feature", name="stairs"),), scope=Scope(days=(2,))),
        c.Want(things=(Thing(by="feature", name="sauna"),)),
        c.Level(levels=("luxury",), of="food", scope=Scope(days=(1,), city="varn")),
        c.Money(amount=Decimal(50), currency="XXX"),
    ],
    ids=lambda constraint: constraint.kind,
)
def test_what_nobody_knows_is_never_kept(constraint: Constraint) -> None:
    plan_with_hut = change_day(PLAN, 1, meals=(meal("hut", 750),), city="varn", stay=stay("bunk"))
    verdicts = {constraint.check(each, ATLAS).verdict for each in (PLAN, plan_with_hut)}
    assert "unknown" in verdicts


def test_an_unknown_price_leaves_the_budget_open() -> None:
    unpriced = change_day(PLAN, 1, meals=(meal("hut", 750),))
    budget = c.Money(amount=Decimal(2000), currency="EUR")
    assert budget.check(unpriced, ATLAS).verdict == "unknown"
    assert replace(budget, amount=Decimal(100)).check(unpriced, ATLAS).verdict == "broken"


def test_without_dates_what_needs_dates_is_unknown() -> None:
    undated = replace(PLAN, days=tuple(replace(day, date=None) for day in PLAN.days))
    dated: tuple[Constraint, ...] = (
        c.Season(months=(3,)),
        c.Dates(start=date(2027, 3, 5)),
        c.ClockWindow(earliest=600, scope=MONDAY),
    )
    assert {each.check(undated, ATLAS).verdict for each in dated} == {"unknown"}


@given(visits=st.lists(st.integers(1, 4), min_size=1, max_size=5), bound=st.integers(1, 4))
def test_visits_a_day_are_counted(visits: list[int], bound: int) -> None:
    days = tuple(
        replace(PLAN.days[0], number=n, visits=tuple(visit("cast", 600 + 90 * v) for v in range(k)))
        for n, k in enumerate(visits, start=1)
    )
    verdict = c.Pace(measure="visits", most=bound).check(replace(PLAN, days=days), ATLAS).verdict
    assert (verdict == "kept") == (max(visits) <= bound)


@given(cities=st.lists(st.sampled_from(["oltova", "varn", "port-selm"]), min_size=2, max_size=7))
def test_nights_add_up(cities: list[str]) -> None:
    beds = {"oltova": "inn", "varn": "bunk", "port-selm": "palm"}
    days = tuple(
        replace(PLAN.days[0], number=n, city=city, stay=stay(beds[city]))
        for n, city in enumerate(cities, start=1)
    )
    trip = replace(PLAN, days=days)
    for city in beds:
        exact = c.Nights(place=city, least=cities.count(city), most=cities.count(city))
        assert exact.check(trip, ATLAS).verdict == "kept"
        more = replace(exact, least=exact.least + 1, most=exact.most + 1)
        assert more.check(trip, ATLAS).verdict == "broken"


@given(amount=st.integers(0, 1500), adults=st.integers(1, 5))
def test_a_budget_is_kept_exactly_up_to_the_sum(amount: int, adults: int) -> None:
    trip = replace(PLAN, adults=adults)
    each = sum([12, 8, 18, 18, 22, 0, 25, 25, 22, 0, 25])  # tickets, meals and trains of one person
    total = each * adults + 70 + 140
    verdict = c.Money(amount=Decimal(amount), currency="EUR").check(trip, ATLAS).verdict
    assert (verdict == "kept") == (total <= amount)


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_a_form_gives_back_the_same_constraint(case: tuple[Constraint, Itinerary]) -> None:
    constraint = replace(case[0], span=c.Span(start=1, end=3, text="so"))  # type: ignore[type-var]
    assert c.constraint_from_json(c.constraint_to_json(constraint)) == constraint
    assert constraint.state(ATLAS)


@pytest.mark.parametrize(
    "found", [{"kind": "wings"}, {"kind": "length"}, {"kind": "pace", "measure": "noise"}]
)
def test_a_form_that_is_wrong_is_refused_with_the_reason(found: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        c.constraint_from_json(found)


def test_means_belong_to_families() -> None:
    check: Callable[[str], str] = c.mode_family
    assert [check(mode) for mode in ("limousine van", "sleeper train", "ferry", "flight")] == [
        "bus",
        "train",
        "boat",
        "plane",
    ]


def test_a_daily_appointment_holds_on_every_day():
    nap = c.Appointment(title="nap", start=930, end=950, each_day=True)
    assert nap.check(plan(), atlas()).verdict == "broken"
    free = c.Appointment(title="nap", start=930, end=950)
    assert free.check(plan(), atlas()).verdict == "kept"


def test_a_theme_on_a_day_without_visits_is_not_kept():
    idle = change_day(plan(), 2, visits=())
    assert c.Theme(theme="beach", scope=Scope(days=(2,))).check(idle, atlas()).verdict == "broken"
