"""Which days, tips and faults of a model are taken, and which are not?"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from atlas_shared import make_atlas, place_passage, remark_passage
from modelled_shared import (
    ATLAS,
    CHOSEN,
    DAYS,
    Rote,
    checked,
    data_of,
    fault,
    found,
    notes,
    plainly,
    run,
    settings,
    steps,
    visited,
)
from trip_shared import make_days, make_wish

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.modelled import (
    ModelledSteps,
    modelled_steps,
)
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.types import (
    Advice,
    Candidates,
    Finding,
    Itinerary,
    Wish,
)

pytestmark = pytest.mark.usefixtures("nobody_else_is_asked")


# --- compose ----------------------------------------------------------------------------


def composed(rote: Rote, wish: Wish | None = None) -> tuple[Itinerary, ModelledSteps]:
    made, wish = steps(rote), wish or plainly()
    return run(made.compose(wish, found(wish), ATLAS)), made


def faults(days: Itinerary, wish: Wish, atlas: Atlas = ATLAS) -> list[str]:
    async def look() -> list[str]:
        advice = await STEPS.advise(wish, days, atlas)
        return [one.message for one in await STEPS.check(wish, days, advice, atlas)]

    return asyncio.run(look())


def test_the_places_that_the_model_chose_are_laid_out_soundly() -> None:
    days, made = composed(Rote(compose=DAYS))
    wish = plainly()
    assert visited(days) >= CHOSEN
    assert not visited(run(STEPS.compose(wish, found(wish), ATLAS))) >= CHOSEN
    assert faults(days, wish) == []
    assert [day.number for day in days.days] == [1, 2, 3]
    assert made.account.made["compose"] == "function:rote"


def test_invented_unwanted_and_distant_places_do_not_get_in() -> None:
    bad = json.loads(json.dumps(DAYS))
    bad["days"][0]["morning"] += ["the-golden-palace", "lindow-ridge-walk", "farpoint-museum"]
    bad["days"][1]["evening"] += ["lindow-museum"]
    bad["days"][1]["dinner"] = "Trattoria Nowhere"
    days, made = composed(Rote(compose=bad))
    wish = plainly()
    assert faults(days, wish) == []
    assert visited(days) <= ATLAS.places.keys()
    assert not {"lindow-ridge-walk", "farpoint-museum"} & visited(days)
    for told in ("'the-golden-palace'", "not wanted", "is not in lindow", "twice", "Nowhere"):
        assert told in notes(made)


@pytest.mark.parametrize(
    "reply",
    [
        {"days": DAYS["days"][:2]},
        {"days": []},
        {"days": [{**one, "city": "Atlantis"} for one in DAYS["days"]]},
        {"days": [{"city": "lindow"}] * 3},
        {"days": "three"},
        "I would rather tell you a story.",
        RuntimeError("the server fell over"),
    ],
)
def test_days_that_are_none_are_reckoned_and_it_is_said(reply: Any) -> None:
    days, made = composed(Rote(compose=reply))
    wish = plainly()
    assert days == run(STEPS.compose(wish, found(wish), ATLAS))
    assert made.account.made["compose"] == "reckoned"
    assert "compose: reckoned, since" in notes(made)


def test_days_with_more_faults_than_the_reckoned_ones_are_not_taken() -> None:
    async def stubborn(
        wish: Wish, candidates: Candidates, atlas: Atlas, *, before: Any = None, findings: Any = ()
    ) -> Itinerary:
        if before is not None:
            return before  # type: ignore[no-any-return]
        days = await STEPS.compose(wish, candidates, atlas)
        is_models = "chosen by the model" in candidates.found[0].reasons
        return replace(days, days=days.days[:1]) if is_models else days

    rote, wish = Rote(compose=DAYS), plainly()
    made = modelled_steps(settings(), replace(STEPS, compose=stubborn), model=rote.model)
    days = run(made.compose(wish, found(wish), ATLAS))
    assert days == run(STEPS.compose(wish, found(wish), ATLAS))
    assert rote.asked == ["compose"]
    assert made.account.made["compose"] == "reckoned"
    assert "the days of function:rote have faults left" in notes(made)


def test_a_model_stays_in_the_cities_that_are_named() -> None:
    reply = json.loads(json.dumps(DAYS))
    reply["days"][1] = {"city": "wren", "morning": ["wren-museum"]}
    days, made = composed(Rote(compose=reply))
    assert {day.city for day in days.days} == {"lindow"}
    assert "'wren' is not wanted" in notes(made)


def test_a_route_through_several_cities_is_joined_by_known_ways() -> None:
    wish = plainly("Three days of history and food, anywhere")
    cities = ["aurel", "brackwell", "old-tarn"]
    reply = {
        "days": [
            {"city": one, "morning": [f"{one}-museum"], "afternoon": [f"{one}-cathedral"]}
            for one in cities
        ]
    }
    days, _ = composed(Rote(compose=reply), wish)
    assert [day.city for day in days.days] == cities
    ways = [(leg.start, leg.end) for day in days.days for leg in day.legs if leg.passage]
    assert ways == [("aurel", "brackwell"), ("brackwell", "old-tarn")]
    assert faults(days, wish) == []


def test_mending_is_reckoned_and_asks_nobody() -> None:
    rote = Rote(compose=DAYS)
    made, wish = steps(rote), plainly()
    candidates = found(wish)
    before = run(STEPS.compose(wish, candidates, ATLAS))
    spoilt = replace(before, days=(replace(before.days[0], stay=None), *before.days[1:]))
    finding = Finding(rule="stay-missing", message="no bed", day=1, place="lindow")
    after = run(made.compose(wish, candidates, ATLAS, before=spoilt, findings=[finding]))
    assert after.days[0].stay is not None
    assert rote.asked == []


# --- advise -----------------------------------------------------------------------------


def advised(rote: Rote, atlas: Atlas = ATLAS) -> tuple[Advice, Advice, ModelledSteps]:
    made = modelled_steps(settings(), STEPS, model=rote.model)
    wish, days = make_wish(), make_days(atlas)
    return run(made.advise(wish, days, atlas)), run(STEPS.advise(wish, days, atlas)), made


def number_of(passage_text: str, rote: Rote) -> int:
    numbered = data_of(rote.prompts[-1])["passages"]
    return next(one["number"] for one in numbered if passage_text in one["text"])


def test_a_tip_of_the_model_that_a_passage_bears_out_is_added() -> None:
    told = remark_passage(
        "aurel-gallery", "booking", "Tickets for the gallery are sold online only."
    )
    atlas = make_atlas(told, place_passage("x", "X", "other"))
    said = "Tickets for the Port Aurel Gallery are sold online only."
    reading = Rote(advise={"tips": []})
    advised(reading, atlas)
    number = number_of("a museum of Velmora", reading)
    rote = Rote(
        advise={"tips": [{"subject": "safety", "text": "Port Aurel Museum is a museum of Velmora.",
                          "cites": [number]}]}
    )  # fmt: skip
    advice, reckoned, made = advised(rote, atlas)
    added = set(advice.safety) - set(reckoned.safety)
    assert [tip.text for tip in added] == ["Port Aurel Museum is a museum of Velmora."]
    assert {passage for tip in added for passage in tip.passages} == {"p:aurel-museum"}
    assert advice.bill == reckoned.bill
    assert set(reckoned.booking) <= set(advice.booking)
    assert any(said.split(" are ")[1] in tip.text for tip in advice.booking)
    assert made.account.made["advise"] == "function:rote"


@pytest.mark.parametrize(
    "tip",
    [
        {"subject": "safety", "text": "Beware of dragons.", "cites": []},
        {"subject": "safety", "text": "Beware of dragons.", "cites": [4711]},
        {"subject": "safety", "text": "Beware of fiery dragons at night.", "cites": [1]},
        {"subject": "season", "text": "Port Aurel is mild, 31 degrees.", "cites": [1]},
        {"subject": "season", "text": "mild " * 200, "cites": [1]},
    ],
)
def test_a_tip_that_nothing_bears_out_is_set_aside(tip: dict[str, Any]) -> None:
    advice, reckoned, made = advised(Rote(advise={"tips": [tip]}))
    assert advice == reckoned
    assert "advise: reckoned, since" in notes(made)


# --- check ------------------------------------------------------------------------------


def test_the_model_adds_a_fault_that_a_description_shows() -> None:
    findings, ours, made = checked(Rote(check=fault()))
    assert set(ours) < set(findings)
    (added,) = set(findings) - set(ours)
    assert (added.rule, added.day, added.place, added.slot) == (
        "closed", 1, "aurel-gallery", "afternoon",
    )  # fmt: skip
    assert "closed for repairs" in added.message
    assert made.account.made["check"] == "function:rote"


@pytest.mark.parametrize(
    "wrong",
    [
        {"rule": "arithmetic"},
        {"rule": "ugly"},
        {"day": 3},
        {"place": "the-golden-palace"},
        {"quote": "closed on account of rain"},
        {"quote": "The hall is"},
        {"rule": "avoided", "quote": "The hall is closed"},
    ],
)
def test_a_fault_that_no_passage_shows_is_not_added(wrong: dict[str, Any]) -> None:
    findings, ours, made = checked(Rote(check=fault(**wrong)))
    assert findings == ours
    assert "check: reckoned, since" in notes(made)


def test_what_is_avoided_or_needed_may_be_found_in_a_description() -> None:
    text = "Visitors climb on a trekking path; there is no wheelchair access."
    avoid = replace(make_wish().avoid, themes=frozenset({"hiking"}), said=("hiking",))
    quote = {"rule": "avoided", "quote": "climb on a trekking path"}
    findings, ours, _ = checked(Rote(check=fault(**quote)), text=text, avoid=avoid)
    assert {one.rule for one in set(findings) - set(ours)} == {"avoided"}
    quote = {"rule": "need-unmet", "quote": "there is no wheelchair access"}
    needs = frozenset({"wheelchair"})
    findings, ours, _ = checked(Rote(check=fault(**quote)), text=text, needs=needs)
    assert {one.rule for one in set(findings) - set(ours)} == {"need-unmet"}


def test_no_reply_takes_a_reckoned_fault_away() -> None:
    days = make_days(ATLAS)
    first = replace(days.days[0], visits=(*days.days[0].visits, days.days[0].visits[0]))
    spoilt = replace(days, days=(first, *days.days[1:]))
    for reply in ({"faults": []}, "All is well, 100 points.", RuntimeError("down")):
        findings, ours, _ = checked(Rote(check=reply), spoilt)
        assert "repeated" in {one.rule for one in ours}
        assert findings == ours
