"""What tests of steps by a language model share: a model that answers by rote, and searches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Any, TypeVar

from atlas_shared import make_atlas, remark_passage
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles import ModelProfile
from trip_shared import make_days, make_wish

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.modelled import ModelledSteps, modelled_steps
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.retrieving import retrieve
from consilience.packs.travel.trips.running import Kit, stages
from consilience.packs.travel.trips.steps import Steps
from consilience.packs.travel.trips.types import Candidates, Finding, Itinerary, Search, Trip, Wish
from consilience.settings import Settings, build_settings
from consilience.types import Hit, Passage, Plan, Query, Result, Trace

ATLAS = make_atlas()
TODAY = date(2027, 1, 4)
KEYS = {
    "searches": "plan",
    "tips": "advise",
    "faults": "check",
    "themes": "analyse",
    "days": "compose",
}
TEXT = "Three romantic days in Lindow with good food, no hiking"
DAYS = {
    "days": [
        {
            "city": "lindow",
            "morning": ["lindow-museum"],
            "afternoon": ["lindow-strand"],
            "evening": ["lindow-lantern-show"],
        },
        {
            "city": "Lindow",
            "morning": ["lindow-kitchen-school"],
            "afternoon": ["Lindow Spa House"],
            "evening": ["lindow-night-market"],
            "stay": "lindow-courtyard-hotel",
            "dinner": "lindow-tavern",
        },
        {
            "city": "lindow",
            "morning": ["lindow-hermitage"],
            "afternoon": ["lindow-promenade"],
            "evening": ["lindow-jazz-cellar"],
        },
    ]
}
CHOSEN = {
    "lindow-museum",
    "lindow-strand",
    "lindow-lantern-show",
    "lindow-kitchen-school",
    "lindow-spa-house",
    "lindow-night-market",
    "lindow-hermitage",
    "lindow-promenade",
    "lindow-jazz-cellar",
}
SHUT = "The hall is closed for repairs until further notice."
Value = TypeVar("Value")
Reply = Mapping[str, Any] | str | Exception | Callable[..., Any]


class Rote:
    """A model that hands over what it was told to, step by step, and remembers what it read."""

    def __init__(self, **replies: Reply | list[Reply]) -> None:
        self.replies = {
            step: list(one) if isinstance(one, list) else [one] for step, one in replies.items()
        }
        self.asked: list[str] = []
        self.instructions: list[str] = []
        self.prompts: list[str] = []
        profile = ModelProfile(supports_json_schema_output=True)
        self.model = FunctionModel(self._answer, model_name="rote", profile=profile)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = step_of(info)
        self.asked.append(step)
        self.instructions.append(info.instructions or "")
        self.prompts.append(prompt_of(messages))
        told = self.replies.get(step, [{}])
        reply = told.pop(0) if len(told) > 1 else told[0]
        if callable(reply):
            reply = reply(messages, info)
            if isinstance(reply, Awaitable):
                reply = await reply
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, ModelResponse):
            return reply
        if isinstance(reply, str):
            return ModelResponse(parts=[TextPart(reply)])
        return handed(dict(reply), info)


def step_of(info: AgentInfo) -> str:
    """Which step asks, by the form that is to be filled in."""
    form = info.model_request_parameters.output_object
    schema = form.json_schema if form else info.output_tools[0].parameters_json_schema
    return next(name for key, name in KEYS.items() if key in schema["properties"])


def handed(reply: dict[str, Any], info: AgentInfo) -> ModelResponse:
    """A filled-in form, by the tool for it, or as text where there is none."""
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, reply)])
    return ModelResponse(parts=[TextPart(json.dumps(reply))])


def prompt_of(messages: list[ModelMessage]) -> str:
    """What the model was given as data."""
    return "\n".join(
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )


def data_of(prompt: str) -> dict[str, Any]:
    """The data of a prompt, which are all of it behind the first line."""
    found: dict[str, Any] = json.loads(prompt.partition("\n")[2])
    return found


async def slowly(*_: object) -> dict[str, Any]:
    """No answer for a long time."""
    await asyncio.sleep(60)
    return {}


def settings(**more: Any) -> Settings:
    return build_settings({"models.generate": "openai:small", "answer.retries": 1, **more})


async def search(wanted: Search, atlas: Atlas = ATLAS) -> Result:
    """The places that are strongest in the purpose of a search and the words of it."""
    words = {*wanted.text.lower().replace(",", " ").split(), wanted.purpose}
    wants = {one.field: str(one.value) for one in wanted.filters}
    passages = [
        _passage(key, atlas)
        for key, one in sorted(
            atlas.places.items(),
            key=lambda item: (-sum(s for t, s in item[1].themes.items() if t in words), item[0]),
        )
        if one.kind not in ("country", "region")
    ]
    kept = [
        one
        for one in passages
        if all(str(one.metadata[field]) == value for field, value in wants.items())
    ]
    query = Query(text=wanted.text)
    return Result(
        query=query,
        hits=tuple(Hit(passage=one, score=1.0) for one in kept[: wanted.depth]),
        notes=(),
        trace=Trace(plan=Plan(query=query, intent="", rule="", asks=())),
    )


def trip_of(text: str, steps: Steps, atlas: Atlas = ATLAS) -> Trip:
    """A whole trip."""

    async def go() -> Trip:
        kit = Kit(atlas=atlas, searches=lambda one: search(one, atlas), steps=steps, today=TODAY)
        *_, last = [one async for one in stages(text, kit)]
        assert isinstance(last.value, Trip)
        return last.value

    return asyncio.run(go())


def _passage(key: str, atlas: Atlas) -> Passage:
    known = atlas.places[key]
    return Passage(
        id=known.passage,
        collection="places",
        document="velmora.json",
        kind="place",
        title=known.name,
        text=known.text,
        metadata={
            "node": key,
            "city": known.city,
            "node_kind": known.kind,
            "level": known.level,
        },
    )


def run(awaited: Awaitable[Value]) -> Value:
    async def wait() -> Value:
        return await awaited

    return asyncio.run(wait())


def steps(rote: Rote, **more: Any) -> ModelledSteps:
    return modelled_steps(settings(**more), STEPS, model=rote.model)


def notes(made: ModelledSteps) -> str:
    return "\n".join(map(str, made.account.notes))


def read(rote: Rote, text: str = TEXT, **more: Any) -> tuple[Wish, ModelledSteps]:
    made = steps(rote, **more)
    return run(made.analyse(text, ATLAS, today=TODAY)), made


def plainly(text: str = TEXT) -> Wish:
    return run(STEPS.analyse(text, ATLAS, today=TODAY))


def found(wish: Wish, atlas: Atlas = ATLAS) -> Candidates:
    async def find() -> Candidates:
        return await retrieve(await STEPS.plan(wish, atlas), search, atlas)

    return asyncio.run(find())


def visited(days: Itinerary) -> set[str]:
    return {visit.place for day in days.days for visit in day.visits}


def checked(
    rote: Rote, days: Itinerary | None = None, text: str = SHUT, **parts: Any
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], ModelledSteps]:
    atlas = make_atlas(remark_passage("aurel-gallery", "booking", text))
    made = modelled_steps(settings(), STEPS, model=rote.model)
    wish, days = make_wish(**parts), days or make_days(atlas)

    async def look() -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        advice = await STEPS.advise(wish, days, atlas)
        ours = await STEPS.check(wish, days, advice, atlas)
        return tuple(await made.check(wish, days, advice, atlas)), tuple(ours)

    return (*asyncio.run(look()), made)


def fault(**parts: Any) -> dict[str, Any]:
    known = {"day": 1, "place": "aurel-gallery", "rule": "closed", "quote": "closed for repairs"}
    return {"faults": [{**known, **parts}]}
