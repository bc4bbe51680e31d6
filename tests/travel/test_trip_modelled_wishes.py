"""What does a model read of a wish, and what does it search for?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from modelled_shared import (
    ATLAS,
    TODAY,
    Rote,
    notes,
    plainly,
    read,
    run,
    search,
    settings,
    steps,
)

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.modelled import (
    modelled_steps,
)
from consilience.packs.travel.trips.modelled.reading import WishRead
from consilience.packs.travel.trips.modelled.searches import MOST_A_PURPOSE, MOST_DEPTH
from consilience.packs.travel.trips.modelled.wishes import in_per_cent, judged
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.types import (
    Search,
    Wish,
)

pytestmark = pytest.mark.usefixtures("nobody_else_is_asked")


# --- analyse ----------------------------------------------------------------------------


def test_the_model_weighs_the_themes_and_shares_add_up_to_100() -> None:
    rote = Rote(
        analyse={
            "themes": [
                {"theme": "romance", "share": 5, "words": "romantic"},
                {"theme": "food", "share": 1, "words": "good food"},
            ]
        }
    )
    wish, made = read(rote)
    assert wish.themes == {"romance": 83, "food": 17}
    assert wish.themes != plainly().themes
    assert made.account.made["analyse"] == "function:rote"
    assert made.account.notes == []


@pytest.mark.parametrize(
    "shares",
    [{"food": 1.0}, {"a": 1, "b": 1, "c": 1}, {"a": 0.1, "b": 99.9}, {"a": 7, "b": 11, "c": 0.01}],
)
def test_shares_always_add_up(shares: dict[str, float]) -> None:
    assert sum(in_per_cent(shares).values()) == 100


def vaguely(text: str) -> Wish:
    """A reading by rules that left most of it open."""
    assumed = ("no length is said: 3 days", "no level is said: mid-range", "two adults travel")
    return Wish(text=text, themes={"food": 100}, assumed=assumed)


def test_what_rules_did_not_read_the_model_fills_in() -> None:
    text = "Lindow as long as a cricket test, temples mostly, on a cellist's wages, from the Port"

    async def vague(text: str, atlas: Atlas, *, today: date) -> Wish:
        return vaguely(text)

    rote = Rote(
        analyse={
            "days": {"value": 5, "words": "a cricket test"},
            "level": {"value": "budget", "words": "on a cellist's wages"},
            "must": [
                {"name": "Lindow Hermitage", "words": "temples mostly"},
                {"name": "lindow", "words": "Lindow"},
            ],
            "start": {"name": "Port Aurel", "words": "from the Port"},
            "pace": {"value": "relaxed", "words": "cricket"},
            "group": {"adults": 1, "kind": "solo", "words": "a cellist's"},
        }
    )
    made = modelled_steps(settings(), replace(STEPS, analyse=vague), model=rote.model)
    wish = run(made.analyse(text, ATLAS, today=TODAY))
    assert (wish.days, wish.level, wish.pace, wish.start) == (5, "budget", "relaxed", "aurel")
    assert wish.must == ("lindow-hermitage", "lindow")
    assert wish.cities == ("lindow",)
    assert wish.group.people == 1
    assert wish.assumed == ()


def test_what_rules_read_stays_whatever_the_model_says() -> None:
    rote = Rote(
        analyse={
            "themes": [{"theme": "food", "share": 1, "words": "good food"}],
            "days": {"value": 21, "words": "Three romantic days"},
            "start": {"name": "Farpoint", "words": "Farpoint"},
        }
    )
    wish, made = read(rote)
    assert wish.days == 3
    assert wish.start == ""
    assert wish.themes["romance"] > 0, "it is named outright"
    assert "'Farpoint', given for Farpoint, does not stand in the wish" in notes(made)


def test_unknown_places_themes_and_features_are_rejected() -> None:
    text = "Lindow for two days, with sushi"
    rote = Rote(
        analyse={
            "themes": [
                {"theme": "food", "share": 1, "words": "sushi"},
                {"theme": "astrology", "share": 1, "words": "sushi"},
            ],
            "must": [{"name": "Atlantis", "words": "Lindow"}],
            "needs": [{"term": "jacuzzi", "words": "sushi"}],
        }
    )
    wish, made = read(rote, text)
    assert wish.must == ("lindow",)
    for told in ("'astrology'", "'Atlantis'", "'jacuzzi'"):
        assert told in notes(made)
    assert len(rote.asked) == 2, "asked again once, as the settings say"


@pytest.mark.parametrize(
    ("amount", "words", "is_right"),
    [
        ("900", "nine hundred put by", True),
        ("900", "900 put by", True),
        ("1200.50", "1,200.50 in all", True),
        ("90000", "nine hundred put by", False),
        ("900", "put by", False),
        ("900", "900 doubloons", False),
    ],
)
def test_a_budget_has_to_be_that_of_the_words(amount: str, words: str, is_right: bool) -> None:
    reply = {"budget": {"amount": amount, "currency": "eur", "words": words}}
    text = "Lindow, 900 put by, or nine hundred put by, 1,200.50 in all"
    verdict = judged(WishRead.model_validate(reply), vaguely(text), ATLAS)
    assert (verdict.value is not None) is is_right
    if verdict.value is not None:
        assert verdict.value.budget is not None
        assert (verdict.value.budget.amount, verdict.value.budget.currency) == (
            Decimal(amount), "EUR",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("days", "words", "is_right"),
    [
        (5, "five moons", True),
        (6, "five moons", True),
        (35, "five moons", True),
        (50, "five moons", False),
        (10, "a long while", True),
        (10, "an age", False),
    ],
)
def test_a_length_has_to_be_that_of_the_words(days: int, words: str, is_right: bool) -> None:
    reply = WishRead.model_validate({"days": {"value": days, "words": words}})
    verdict = judged(reply, vaguely("Lindow for five moons, a long while"), ATLAS)
    assert (verdict.value is not None and verdict.value.days == days) is is_right


def test_what_is_to_be_avoided_only_grows() -> None:
    rote = Rote(
        analyse={
            "themes": [
                {"theme": "hiking", "share": 90, "words": "hiking"},
                {"theme": "food", "share": 10, "words": "good food"},
            ],
            "avoid": [{"term": "museum", "words": "no hiking"}],
            "avoid_places": [{"name": "Lindow", "words": "Lindow"}],
        }
    )
    wish, made = read(rote)
    assert "hiking" not in wish.themes
    assert wish.avoid.themes >= plainly().avoid.themes == {"hiking"}
    assert "museum" in wish.avoid.features | wish.avoid.types
    assert wish.avoid.places == frozenset(), "a must is not avoided"
    assert "hiking is to be avoided" in notes(made)


def test_a_model_is_not_asked_what_is_no_trip() -> None:
    rote = Rote()
    wish, _ = read(rote, "What is the square root of 1764?")
    assert wish.off_topic
    assert rote.asked == []


def test_a_reply_that_says_nothing_valid_leaves_the_plain_reading_and_a_note() -> None:
    rote = Rote(analyse={"themes": [{"theme": "beach", "share": 1, "words": "seaside"}]})
    wish, made = read(rote)
    assert wish == plainly()
    assert made.account.made["analyse"] == "reckoned"
    assert "reckoned, since function:rote gave nothing" in notes(made)
    assert "'seaside'" in notes(made)


# --- plan -------------------------------------------------------------------------------


def test_the_model_words_the_searches_and_the_bounds_stay() -> None:
    wish = plainly()
    old = run(STEPS.plan(wish, ATLAS))
    many = [
        {"purpose": "romance", "text": f"by lantern light {n}", "depth": 9999} for n in range(9)
    ]
    rote = Rote(plan={"searches": [*many, {"purpose": "gambling", "text": "casinos"}]})
    made = steps(rote)
    plan = run(made.plan(wish, ATLAS))
    texts = [one.text for one in plan.searches if one.purpose == "romance"]
    assert texts == [f"by lantern light {n}" for n in range(MOST_A_PURPOSE)]
    assert all(one.depth <= MOST_DEPTH for one in plan.searches)
    assert plan.exclusions == wish.avoid
    for purpose in {one.purpose for one in old.searches}:
        assert _weight(plan.searches, purpose) == pytest.approx(_weight(old.searches, purpose))
        assert _filters(plan.searches, purpose) == _filters(old.searches, purpose)
    assert "'gambling'" in notes(made)
    assert made.account.made["plan"] == "function:rote"


def _weight(searches: tuple[Search, ...], purpose: str) -> float:
    return sum(one.weight for one in searches if one.purpose == purpose)


def _filters(searches: tuple[Search, ...], purpose: str) -> set[object]:
    return {one.filters for one in searches if one.purpose == purpose}


def test_other_words_find_other_places() -> None:
    wish = plainly()
    reply = {"searches": [{"purpose": "romance", "text": "luxury relaxation"}]}
    plan = run(steps(Rote(plan=reply)).plan(wish, ATLAS))

    async def first(one: Search) -> list[str]:
        return [hit.passage.id for hit in (await search(one)).hits[:5]]

    assert run(first(plan.searches[0])) != run(first(run(STEPS.plan(wish, ATLAS)).searches[0]))


def test_a_plan_without_a_valid_search_is_reckoned() -> None:
    rote = Rote(plan={"searches": [{"purpose": "romance", "text": "   "}]})
    made = steps(rote)
    wish = plainly()
    assert run(made.plan(wish, ATLAS)) == run(STEPS.plan(wish, ATLAS))
    assert made.account.made["plan"] == "reckoned"
