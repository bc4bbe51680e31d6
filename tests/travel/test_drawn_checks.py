"""Constraint sets drawn at random: is every planted break found by its kind, and nothing else?

For each kind there is one rule that reads off a finished plan what it certainly keeps, and one that
changes this so that the plan certainly breaks it. The plans come from the composer. The rules look
at days, names and sums of the plan themselves, not at the constraints' own checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

import pytest
from atlas_shared import make_atlas
from hypothesis import given, settings
from hypothesis import strategies as st
from test_composer import TODAY, days_of, wish_of

from consilience.packs.travel import constraints as c
from consilience.packs.travel.check import check
from consilience.packs.travel.composer import compose
from consilience.packs.travel.constraints import Constraint, Scope, Thing
from consilience.packs.travel.itinerary import Candidates, Itinerary
from consilience.packs.travel.wish import Wish

ATLAS = make_atlas()
Pair = tuple[Constraint, Constraint]
"""What a plan keeps, and what it breaks."""
CITIES = tuple(city.id for city in ATLAS.cities())
TYPES = ("museum", "church", "fort", "garden", "beach", "market", "temple", "viewpoint")
MODES = ("train", "bus", "plane", "boat", "motorbike")


@cache
def plans() -> tuple[Itinerary, ...]:
    """Dated plans of unlike length, company and places."""
    wishes = (
        wish_of(days_of(5), c.Dates(start=date(2027, 3, 9)), c.Start(place="aurel"),
                c.GoTo(place="lindow")),
        wish_of(days_of(3), c.Dates(start=date(2027, 5, 1)), c.Group(adults=3, children=1)),
        wish_of(days_of(7), c.Dates(start=date(2027, 6, 7)), c.End(place="sandmouth"),
                c.Means(modes=("train",), rule="never")),
    )  # fmt: skip
    found = [compose(wish, Candidates(), ATLAS, today=TODAY).itinerary for wish in wishes]
    return tuple(plan for plan in found if plan is not None)


def _went(plan: Itinerary) -> set[str]:
    stops = {stop.place for day in plan.days for stop in day.stops}
    beds = {stay.place for _, stay in plan.stays()}
    return {*stops, *beds, plan.start, *(day.city for day in plan.days)}


def _spent(plan: Itinerary) -> Decimal:
    total = Decimal(0)
    for day in plan.days:
        total += sum((stop.price or 0) * plan.people for stop in day.stops)
        total += sum((leg.price or 0) * (plan.cars if leg.local else plan.people)
                     for leg in day.legs)  # fmt: skip
        total += (day.stay.price or 0) * day.stay.rooms if day.stay else 0
    return total


def _types(plan: Itinerary) -> set[str]:
    return {ATLAS.places[visit.place].type for _, visit in plan.visits()}


def _modes(plan: Itinerary) -> set[str]:
    return {c.mode_family(leg.mode) for _, leg in plan.legs()}


def _elsewhere(plan: Itinerary) -> str:
    inside = {ATLAS.city_of(place) for place in _went(plan)}
    return next(city for city in CITIES if city not in inside)


def _length(plan: Itinerary, by: int) -> Pair:
    days = len(plan.days)
    return c.Length(least=days, most=days), c.Length(least=days + by, most=days + by)


def _dates(plan: Itinerary, by: int) -> Pair:
    first, last = plan.days[0].date, plan.days[-1].date
    assert first
    assert last
    later = timedelta(days=by)
    return c.Dates(start=first, end=last), c.Dates(start=first + later, end=last + later)


def _season(plan: Itinerary, by: int) -> Pair:
    months = {day.date.month for day in plan.days if day.date}
    other = next(month for month in range(by, 13) if month not in months)
    return c.Season(months=tuple(months)), c.Season(months=(other,))


def _clock(plan: Itinerary, by: int) -> Pair:
    first = min(min(e.start for e in (*d.stops, *d.legs)) for d in plan.days if d.stops or d.legs)
    return c.ClockWindow(earliest=first), c.ClockWindow(earliest=first + by)


def _appointment(plan: Itinerary, by: int) -> Pair:
    day, visit = next(plan.visits())
    thing, scope = Thing(by="place", name=visit.place), Scope(days=(day.number,))
    kept = c.Appointment(title="it", start=visit.start, thing=thing, scope=scope)
    return kept, replace(kept, start=visit.start + 60 + by)


def _free(plan: Itinerary, by: int) -> Pair:
    day = next(day for day in plan.days if any(v.start < 12 * 60 for v in day.visits))
    busy = c.FreeTime(scope=Scope(days=(day.number,), part="morning"))
    return c.FreeTime(count=0, scope=Scope(part="evening")), busy


def _goto(plan: Itinerary, by: int) -> Pair:
    places = sorted(_went(plan))
    return c.GoTo(place=places[by % len(places)]), c.GoTo(place=_elsewhere(plan))


def _start(plan: Itinerary, by: int) -> Pair:
    return c.Start(place=plan.start), c.Start(place=_elsewhere(plan))


def _end(plan: Itinerary, by: int) -> Pair:
    return c.End(place=plan.end), c.End(place=_elsewhere(plan))


def _order(plan: Itinerary, by: int) -> Pair:
    route = plan.cities()
    kept = tuple(dict.fromkeys(route))
    return c.Order(places=kept), c.Order(places=(*kept, _elsewhere(plan)))


def _nights(plan: Itinerary, by: int) -> Pair:
    slept = Counter(day.city for day in plan.days if day.stay)
    city, nights = sorted(slept.items())[by % len(slept)]
    kept = c.Nights(place=city, least=nights, most=nights)
    return kept, replace(kept, least=nights + 1, most=nights + by)


def _within(plan: Itinerary, by: int) -> Pair:
    cities = tuple(sorted({ATLAS.city_of(place) for place in _went(plan)}))
    return c.Within(places=cities), c.Within(places=(_elsewhere(plan),))


def _missing(plan: Itinerary, by: int) -> Pair:
    return c.Group(adults=plan.adults, children=plan.children), c.Missing(name="Xanadu")


def _group(plan: Itinerary, by: int) -> Pair:
    kept = c.Group(adults=plan.adults, children=plan.children)
    return kept, replace(kept, adults=plan.adults + by)


def _money(plan: Itinerary, by: int) -> Pair:
    spent = _spent(plan)
    kept = c.Money(amount=spent, currency=plan.currency)
    return kept, replace(kept, amount=spent - Decimal(by) / 100)


def _want(plan: Itinerary, by: int) -> Pair:
    had = sorted(_types(plan) & set(TYPES))
    lacking = next(t for t in (*TYPES[by:], *TYPES, "volcano") if t not in _types(plan))
    kept = c.Want(things=(Thing(by="type", name=had[by % len(had)]),))
    return kept, c.Want(things=(Thing(by="type", name=lacking),), scope=Scope(part="morning"))


def _avoid(plan: Itinerary, by: int) -> Pair:
    had = sorted(_types(plan))
    kept = c.Avoid(things=(Thing(by="type", name="volcano"),))
    return kept, c.Avoid(things=(Thing(by="type", name=had[by % len(had)]),))


def _pace(plan: Itinerary, by: int) -> Pair:
    most = max(len(day.visits) for day in plan.days)
    kept = c.Pace(measure="visits", most=most)
    return kept, c.Pace(measure="visits", most=most - 1)


def _means(plan: Itinerary, by: int) -> Pair:
    used, unused = _modes(plan), [mode for mode in MODES if mode not in _modes(plan)]
    kept = c.Means(modes=(unused[by % len(unused)],), rule="never")
    return kept, c.Means(modes=(sorted(used)[by % len(used)],), rule="never")


def _level(plan: Itinerary, by: int) -> Pair:
    had = {ATLAS.places[stay.place].level for _, stay in plan.stays()}
    others = tuple(level for level in c.LEVELS if level not in had)
    return c.Level(levels=tuple(sorted(had))), c.Level(levels=others[:1] or ("royal",))


def _theme(plan: Itinerary, by: int) -> Pair:
    best = Counter(
        name for place in _went(plan) for name, suits in ATLAS.places[place].themes.items()
        if suits >= c.SUITS and ATLAS.places[place].kind == "attraction"
    ).most_common(1)[0][0]  # fmt: skip
    return c.Theme(theme=best), c.Theme(theme="falconry")


def _need(plan: Itinerary, by: int) -> Pair:
    lacks = Thing(by="type", name="hostel")
    beds = {ATLAS.places[stay.place].type for _, stay in plan.stays()}
    kept, broken = ("hotel", "hostel") if beds == {"hotel"} else ("", "resort")
    need = c.Need(need=kept, of="stay") if kept else c.Avoid(
        things=(replace(lacks, name="igloo"),)
    )  # fmt: skip
    return need, c.Need(need=broken if broken not in beds else "lodge", of="stay")


RULES: Mapping[str, Callable[[Itinerary, int], Pair]] = {
    "length": _length, "dates": _dates, "season": _season, "clock window": _clock,
    "appointment": _appointment, "free time": _free, "go to": _goto, "start": _start, "end": _end,
    "order": _order, "nights": _nights, "within": _within, "missing": _missing, "group": _group,
    "need": _need, "money": _money, "level": _level, "theme": _theme, "want": _want,
    "avoid": _avoid, "pace": _pace, "means": _means,
}  # fmt: skip


def test_every_kind_of_constraint_has_a_rule() -> None:
    assert set(RULES) == set(c.KINDS)


@pytest.mark.parametrize("kind", sorted(RULES))
def test_each_rule_plants_a_break_of_its_kind(kind: str) -> None:
    for plan in plans():
        _, broken = RULES[kind](plan, 1)
        assert broken.kind == kind
        assert broken.check(plan, ATLAS).verdict == "broken", broken


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_planted_breaks_are_found_and_no_kept_plan_is_called_broken(data: st.DataObject) -> None:
    plan = data.draw(st.sampled_from(plans()))
    kinds = data.draw(st.lists(st.sampled_from(sorted(RULES)), min_size=1, max_size=8, unique=True))
    planted = data.draw(st.sets(st.sampled_from(kinds)))
    by = data.draw(st.integers(1, 5))
    chosen = [RULES[kind](plan, by)[kind in planted] for kind in kinds]
    report = check(Wish(text="", constraints=tuple(chosen)), plan, None, ATLAS)
    broken = {line.constraint.kind for line in report.lines if line.check.verdict == "broken"}
    assert broken == planted
    assert report.as_wished == (not planted and report.count("unknown") == 0)
