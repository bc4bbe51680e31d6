"""Do the five steps run in their order, and is a broken one noticed?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from atlas_shared import make_atlas

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.bill import bill_of
from consilience.packs.travel.trips.given import Given
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.running import ROUNDS, Kit, Stage, stages, unmended
from consilience.packs.travel.trips.steps import Steps
from consilience.packs.travel.trips.types import (
    Advice,
    Finding,
    Itinerary,
    RetrievalPlan,
    Search,
    Trip,
    Wish,
)
from consilience.types import Filter, Hit, Passage, Plan, Query, Result, Trace

ATLAS = make_atlas()
TODAY = date(2027, 1, 4)
TEXT = "4 days for two in Port Aurel and Lindow, history and food, no churches, 900 EUR"


def passage(place: str) -> Passage:
    known = ATLAS.places[place]
    return Passage(
        id=known.passage,
        collection="places",
        document="velmora.json",
        kind="place",
        title=known.name,
        text=known.text,
        metadata={"node": place, "city": known.city, "node_kind": known.kind},
    )


class Searching:
    """Finds the places that are strongest in the themes whose words a search has."""

    def __init__(self) -> None:
        self.asked: list[Search] = []

    async def __call__(self, search: Search) -> Result:
        self.asked.append(search)
        words = set(search.text.lower().split()) | {search.purpose}
        strengths = {
            key: sum(share for theme, share in one.themes.items() if theme in words)
            for key, one in ATLAS.places.items()
            if one.kind not in ("country", "region") and _passes(key, search.filters)
        }
        order = sorted(strengths, key=lambda key: (-strengths[key], key))[: search.depth]
        query = Query(text=search.text)
        trace = Trace(plan=Plan(query=query, intent="", rule="", asks=()))
        hits = tuple(Hit(passage=passage(key), score=1.0) for key in order)
        return Result(query=query, hits=hits, notes=(), trace=trace)


def _passes(place: str, filters: Sequence[Filter]) -> bool:
    known = passage(place)
    return all(str(known.value(one.field)) == str(one.value) for one in filters)


def kit(steps: Steps = STEPS, atlas: Atlas = ATLAS) -> Kit:
    return Kit(atlas=atlas, searches=Searching(), steps=steps, today=TODAY)


def run(text: str, using: Kit, given: Given | None = None) -> list[Stage]:
    async def every() -> list[Stage]:
        return [one async for one in stages(text, using, given)]

    return asyncio.run(every())


def trip_of(text: str, using: Kit, given: Given | None = None) -> Trip:
    found = run(text, using, given)[-1].value
    assert isinstance(found, Trip)
    return found


def test_the_steps_are_told_in_their_order_and_the_last_has_all_of_it() -> None:
    told = [one.step for one in run(TEXT, kit())]
    assert told[:6] == ["analyse", "plan", "retrieve", "compose", "advise", "check"]
    assert told[-1] == "done"


def test_what_is_searched_is_planned_before_anything_is() -> None:
    using = kit()

    async def first() -> list[str]:
        seen = []
        async for one in stages(TEXT, using):
            assert isinstance(using.searches, Searching)
            seen.append(f"{one.step} {len(using.searches.asked) > 0}")
        return seen

    seen = asyncio.run(first())
    assert "plan False" in seen
    assert "retrieve True" in seen


def test_a_trip_is_planned_without_a_fault() -> None:
    verify(trip_of(TEXT, kit()))


def verify(trip: Trip) -> None:
    """What anybody can see of a trip for `TEXT`, without asking a step."""
    assert trip.status == "planned", trip.compromises
    assert trip.itinerary is not None
    assert trip.advice is not None
    assert not trip.findings
    assert trip.plan is not None
    assert {"history", "food"} <= {one.purpose for one in trip.plan.searches}
    days = trip.itinerary.days
    assert len(days) == 4
    assert {"aurel", "lindow"} <= {day.city for day in days}
    visits = [visit for day in days for visit in day.visits]
    assert all(ATLAS.places[one.place].type != "church" for one in visits)
    themes = [
        max(ATLAS.places[one.place].themes.get(t, 0) for t in ("history", "food")) for one in visits
    ]
    assert sum(one >= 0.5 for one in themes) >= len(themes) / 3
    assert trip.advice.bill is not None
    assert trip.advice.bill.total <= 900
    assert trip.advice.bill == bill_of(trip.granted or trip.wish, trip.itinerary, ATLAS)
    assert trip.advice.transport


async def _deaf(text: str, atlas: Atlas, *, today: date) -> Wish:
    return Wish(text=text, days=3, themes={"beach": 100})


async def _aimless(wish: Wish, atlas: Atlas) -> RetrievalPlan:
    return RetrievalPlan(searches=(Search(purpose="wildlife", text="wildlife", depth=40),))


async def _lazy(*_: object, **__: object) -> Itinerary:
    return Itinerary(days=(), currency="EUR")


async def _silent(wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Advice:
    return Advice()


async def _content(*_: object) -> Sequence[Finding]:
    return ()


async def _untidy(wish: Wish, candidates: Any, atlas: Atlas, **more: Any) -> Itinerary:
    """Composes well, and then forgets where things are."""
    days = await STEPS.compose(wish, candidates, atlas)
    first = days.days[0]
    wrong = tuple(replace(one, place="nowhere") for one in first.visits)
    return replace(days, days=(replace(first, visits=wrong), *days.days[1:]))


BROKEN = {
    "analyse": replace(STEPS, analyse=_deaf),
    "plan": replace(STEPS, plan=_aimless),
    "compose": replace(STEPS, compose=_lazy),
    "advise": replace(STEPS, advise=_silent),
    "check": replace(STEPS, compose=_untidy, check=_content),
}


@pytest.mark.parametrize("step", BROKEN)
def test_a_broken_step_is_noticed(step: str) -> None:
    broken = trip_of(TEXT, kit(BROKEN[step]))
    with pytest.raises((AssertionError, KeyError)):
        verify(broken)


@pytest.mark.parametrize(("step", "rule"), [("compose", "day-count"), ("advise", "arithmetic")])
def test_the_check_says_what_a_broken_step_did(step: str, rule: str) -> None:
    broken = trip_of(TEXT, kit(BROKEN[step]))
    assert rule in {one.rule for one in broken.findings}
    assert broken.status == "negotiated"
    assert broken.compromises


def test_what_the_check_finds_goes_back_to_the_composer() -> None:
    """A composer that errs in its first round is sent back and mends it."""
    heard: list[set[str]] = []

    async def first_wrong(wish: Wish, candidates: Any, atlas: Atlas, **more: Any) -> Itinerary:
        heard.append({one.rule for one in more.get("findings", ())})
        if more.get("before") is None:
            return await _untidy(wish, candidates, atlas)
        return await STEPS.compose(wish, candidates, atlas, **more)

    trip = trip_of(TEXT, kit(replace(STEPS, compose=first_wrong)))
    assert heard[0] == set()
    assert "place-unknown" in heard[1]
    assert len(trip.rounds) == 2
    verify(trip)


def test_after_three_rounds_it_is_said_what_could_not_be_mended() -> None:
    trip = trip_of(TEXT, kit(replace(STEPS, compose=_untidy)))
    assert len(trip.rounds) <= ROUNDS
    assert {one.rule for one in trip.findings} >= {"place-unknown"}
    assert any("exists" in one.wanted for one in trip.compromises)


def test_the_best_round_is_kept() -> None:
    numbers = iter(range(10))

    async def worse(wish: Wish, candidates: Any, atlas: Atlas, **more: Any) -> Itinerary:
        days = await STEPS.compose(wish, candidates, atlas)
        if next(numbers) == 0:
            return replace(days, days=days.days[:-1])
        return Itinerary(days=(), currency="EUR")

    trip = trip_of(TEXT, kit(replace(STEPS, compose=worse)))
    assert trip.itinerary is not None
    assert len(trip.itinerary.days) == 3


def test_what_is_given_goes_before_the_words() -> None:
    given = Given(
        days=3, starts_on=date(2027, 3, 1), budget="1,200 eur", pace="Relaxed", start="Lindow"
    )
    trip = trip_of(TEXT, kit(), given)
    wish = trip.wish
    assert (wish.days, wish.starts_on, wish.pace, wish.start) == (
        3,
        date(2027, 3, 1),
        "relaxed",
        "lindow",
    )
    assert wish.budget is not None
    assert (wish.budget.amount, wish.budget.currency) == (Decimal(1200), "EUR")


def test_what_is_given_is_not_told_as_assumed() -> None:
    words = "a trip to Port Aurel for history"
    assert any(one.startswith("no length") for one in trip_of(words, kit()).wish.assumed)
    given = trip_of(words, kit(), Given(days=2, budget="900 EUR")).wish.assumed
    assert not any(one.startswith(("no length", "no level")) for one in given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Given(budget="lots"), "is not like"),
        (Given(budget="5 XYZ"), "no rate"),
        (Given(pace="brisk"), "none of"),
        (Given(start="Atlantis"), "no city"),
        (Given(end="Atlantis"), "no city"),
    ],
)
def test_what_is_given_wrongly_is_refused(given: Given, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        run(TEXT, kit(), given)


def test_an_atlas_without_cities_is_refused() -> None:
    with pytest.raises(UsageError, match="no cities"):
        run(TEXT, kit(atlas=Atlas()))


def test_what_is_no_wish_for_a_trip_is_refused() -> None:
    trip = trip_of("Write me a poem about autumn", kit())
    assert trip.status == "refused"
    assert trip.refusal
    assert trip.itinerary is None


def test_faults_of_one_rule_are_one_compromise() -> None:
    found = unmended(
        [Finding(rule="closed", message="a"), Finding(rule="closed", message="b", day=2)]
    )
    assert len(found) == 1
    assert found[0].reason == "a; b"
