"""What came of a step, in a line?"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import told
from consilience.packs.travel.trips.types import (
    Advice,
    Candidates,
    Finding,
    Itinerary,
    RetrievalPlan,
    Wish,
)

_SOME = 3


def told_wish(wish: Wish, atlas: Atlas) -> str:
    """`4 days, romance 60 %, food 40 %, mid-range, avoiding hiking`."""
    if wish.off_topic:
        return wish.off_topic
    parts = [counted(wish.days, "day")]
    parts += [f"{theme} {share} %" for theme, share in wish.themes.items()]
    if wish.starts_on:
        parts.append(f"from {wish.starts_on}")
    if wish.level:
        parts.append(wish.level)
    if wish.budget:
        parts.append(f"{told(wish.budget.amount, wish.budget.currency)} a {wish.budget.per}")
    if wish.must:
        parts.append("with " + ", ".join(atlas.name_of(one) for one in wish.must))
    if wish.avoid.said:
        parts.append("without " + ", ".join(wish.avoid.said))
    return ", ".join(parts)


def told_plan(plan: RetrievalPlan) -> str:
    """`5 searches: romance, food, stays`."""
    purposes = list(dict.fromkeys(one.purpose for one in plan.searches))
    return f"{counted(len(plan.searches), 'search', 'searches')}: {', '.join(purposes)}"


def told_candidates(candidates: Candidates, atlas: Atlas) -> str:
    """`46 places, first Hoi An, Hue and Da Lat; 3 left out`."""
    first = ", ".join(atlas.name_of(one.place) for one in candidates.found[:_SOME])
    out = f"; {len(candidates.excluded)} left out" if candidates.excluded else ""
    return f"{counted(len(candidates.found), 'place')}, first {first}{out}"


def told_days(itinerary: Itinerary, atlas: Atlas) -> str:
    """`4 days in Hue and Hoi An, 11 visits`."""
    towns = list(dict.fromkeys(atlas.name_of(day.city) for day in itinerary.days))
    visits = sum(len(day.visits) for day in itinerary.days)
    where = " and ".join(filter(None, (", ".join(towns[:-1]), *towns[-1:])))
    return f"{counted(len(itinerary.days), 'day')} in {where}, {counted(visits, 'visit')}"


def told_advice(advice: Advice) -> str:
    """`7 tips, 4,200,000 VND in all`."""
    tips = (*advice.transport, *advice.season, *advice.booking, *advice.safety)
    cost = f", {told(advice.bill.total, advice.bill.currency)} in all" if advice.bill else ""
    return f"{counted(len(tips), 'tip')}{cost}"


def told_check(findings: Sequence[Finding], number: int) -> str:
    """`round 1: 2 faults (closed, budget)`."""
    rules = ", ".join(dict.fromkeys(one.rule for one in findings))
    found = f"{counted(len(findings), 'fault')} ({rules})" if findings else "no fault"
    return f"round {number}: {found}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 day`, `2 days`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
