"""How long, how often and of what may a model be asked?"""

from __future__ import annotations

from typing import Any

import pytest
from modelled_shared import (
    ATLAS,
    DAYS,
    TEXT,
    TODAY,
    Rote,
    found,
    notes,
    plainly,
    read,
    run,
    slowly,
    steps,
)
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo

from consilience.packs.travel.trips.modelled.asking import MOST_REQUESTS
from consilience.packs.travel.trips.reckoned import STEPS

pytestmark = pytest.mark.usefixtures("nobody_else_is_asked")


# --- bounds -----------------------------------------------------------------------------


def test_a_model_that_is_too_slow_is_left_alone_for_the_rest_of_the_trip() -> None:
    rote = Rote(analyse=slowly, plan=slowly)
    made = steps(rote, **{"answer.timeout_s": 0.2})
    wish = run(made.analyse(TEXT, ATLAS, today=TODAY))
    assert wish == plainly()
    assert "did not finish within 0.2 s (answer.timeout_s)" in notes(made)
    assert "not asked again for this trip" in notes(made)
    assert run(made.plan(wish, ATLAS)) == run(STEPS.plan(wish, ATLAS))
    assert rote.asked == ["analyse"]
    assert set(made.account.made.values()) == {"reckoned"}


def test_a_model_that_only_looks_things_up_comes_to_an_end() -> None:
    def look(_: object, info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("look_up_place", {"name": "Lindow"})])

    rote = Rote(analyse=look)
    wish, made = read(rote)
    assert wish == plainly()
    assert len(rote.asked) <= 2 * MOST_REQUESTS
    assert made.account.made["analyse"] == "reckoned"


def test_a_model_that_calls_no_tools_is_asked_for_the_form_alone() -> None:
    reply = {"themes": [{"theme": "food", "share": 1, "words": "good food"}]}
    asked: list[bool] = []

    def tell(_: object, info: AgentInfo) -> Any:
        asked.append(bool(info.function_tools))
        return "No tools, please." if info.output_tools else reply

    plan = {"searches": [{"purpose": "food", "text": "noodles"}]}
    rote = Rote(analyse=tell, plan=lambda _, info: [asked.append(bool(info.output_tools)), plan][1])
    wish, made = read(rote, **{"answer.retries": 0})
    assert wish.themes["food"] > plainly().themes["food"]
    run(made.plan(wish, ATLAS))
    assert asked == [True, False, False], "and from then on at once"
    assert made.account.made["plan"] == "function:rote"


def test_what_is_half_right_is_used_when_the_next_try_is_worse() -> None:
    half = {
        "themes": [
            {"theme": "food", "share": 1, "words": "good food"},
            {"theme": "astrology", "share": 1, "words": "romantic"},
        ]
    }
    wish, made = read(Rote(analyse=[half, "I give up.", "I give up."]))
    assert wish.themes["food"] > plainly().themes["food"]
    assert "'astrology'" in notes(made)


def test_evidence_is_no_longer_than_the_settings_say() -> None:
    wish = plainly("Six days of culture, food and nature in Port Aurel, Lindow and Brackwell")
    lengths = []
    for tokens in (200, 4000):
        rote = Rote(compose=DAYS)
        run(steps(rote, **{"answer.tokens": tokens}).compose(wish, found(wish), ATLAS))
        lengths.append(len(rote.prompts[0]))
    assert lengths[0] < 2000 < lengths[1]


# --- looking things up ------------------------------------------------------------------


def test_a_model_can_look_up_places_ways_and_hours() -> None:
    calls = {
        "look_up_place": {"name": "lindow museum"},
        "places_in_city": {"city": "Lindow", "theme": "romance"},
        "ways_between": {"start": "Port Aurel", "end": "lindow"},
        "opening_hours": {"place": "lindow-museum", "on": "2027-03-01"},
    }
    told: dict[str, Any] = {}

    def look(messages: list[Any], info: AgentInfo) -> Any:
        for message in messages:
            parts = message.parts if isinstance(message, ModelRequest) else ()
            told.update({p.tool_name: p.content for p in parts if isinstance(p, ToolReturnPart)})
        if told:
            return {"themes": [{"theme": "food", "share": 1, "words": "good food"}]}
        return ModelResponse(parts=[ToolCallPart(name, args) for name, args in calls.items()])

    _, made = read(Rote(analyse=look))
    assert made.account.made["analyse"] == "function:rote"
    assert [one["id"] for one in told["look_up_place"]] == ["lindow-museum"]
    assert all(one["themes"]["romance"] for one in told["places_in_city"])
    assert {one["mode"] for one in told["ways_between"]} == {"bus", "train"}
    assert told["opening_hours"]["closed"] == "Mondays"
    assert told["opening_hours"]["open_on_it"] == [], "the first of March 2027 is a Monday"


def test_what_is_not_known_is_told_so() -> None:
    told: list[Any] = []

    def look(messages: list[Any], info: AgentInfo) -> Any:
        last = messages[-1]
        told.extend(part.content for part in last.parts if isinstance(part, ToolReturnPart))
        if told:
            return {"themes": [{"theme": "food", "share": 1, "words": "good food"}]}
        return ModelResponse(
            parts=[
                ToolCallPart("look_up_place", {"name": "Atlantis"}),
                ToolCallPart("places_in_city", {"city": "Atlantis"}),
                ToolCallPart("ways_between", {"start": "Atlantis", "end": "Lindow"}),
                ToolCallPart("opening_hours", {"place": "Atlantis"}),
            ]
        )

    read(Rote(analyse=look))
    assert len(told) == 4
    assert all("nothing of that name is known" in str(one) for one in told)
