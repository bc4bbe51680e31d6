"""Which tools are there, and what does each do? The questions of the service, one tool each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from consilience.errors import UsageError
from consilience.service.core import Service, Space
from consilience.service.handlers import Handlers
from consilience.service.mistakes import told as mistakes
from consilience.service.tools.asked import (
    Named,
    ToAsk,
    ToConnect,
    ToExplain,
    ToList,
    ToMiss,
    ToPlan,
    ToSearch,
    ToShow,
    ToTravel,
)
from consilience.service.tools.state import Held, Planned, Workspaces
from consilience.service.tools.told import Missed, Paths, Reasons, Results, Told, Whole, Written
from consilience.service.tools.travelled import Travelled
from consilience.service.trips import Trips
from consilience.workspace import touring


class Tools:
    """What the tools do, for the workspaces of a service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._handlers = Handlers(service)
        self._trips = Trips(service)

    def space(self, name: str) -> Space:
        """The workspace of a name, which may be left out where there is only one."""
        spaces = self.service.spaces
        if name or len(spaces) == 1:
            return self.service.space(name or next(iter(spaces)))
        raise UsageError(f"say which `workspace` is meant: {', '.join(spaces)}")

    async def search(self, asked: ToSearch) -> Results:
        """The results of a question."""
        found = await self._handlers.search(self.space(asked.workspace), asked.asked())
        return Results.of(found)

    async def ask(self, asked: ToAsk) -> Written:
        """The written answer to a question."""
        found = await self._handlers.answer(self.space(asked.workspace), asked.asked())
        return Written.of(found)

    async def why(self, asked: ToExplain) -> Reasons:
        """How results came about."""
        return Reasons.of(await self._handlers.why(self.space(asked.workspace), asked.asked()))

    async def why_not(self, asked: ToMiss) -> Missed:
        """At which step a passage was lost."""
        return Missed.of(await self._handlers.why_not(self.space(asked.workspace), asked.asked()))

    async def show(self, asked: ToShow) -> Whole:
        """A passage, whole."""
        return Whole.of(await self._handlers.passage(self.space(asked.workspace), asked.passage))

    async def path(self, asked: ToConnect) -> Paths:
        """How two things connect."""
        return Paths.of(await self._handlers.path(self.space(asked.workspace), asked.asked()))

    async def plan(self, asked: ToPlan) -> Planned:
        """What each source would be asked."""
        return Planned.of(await self._handlers.plan(self.space(asked.workspace), asked.asked()))

    async def plan_trip(self, asked: ToTravel) -> Travelled:
        """A trip, day by day."""
        space = self.space(asked.workspace)
        return await self._trips.planned(
            space, asked.asked(), lambda planned: Travelled.of(planned.trip, planned.atlas)
        )

    async def status(self, asked: Named) -> Held:
        """What a workspace holds."""
        space = self.space(asked.workspace)
        return await self.service.searching.run(lambda: Held.of(space))

    async def workspaces(self, _asked: ToList) -> Workspaces:
        """The workspaces that are served."""
        return await self.service.searching.run(lambda: Workspaces.of(self.service.spaces))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as an assistant sees it: what it takes, what it gives, and what does the work."""

    name: str
    title: str
    summary: str
    takes: type[ToList]
    gives: type[Told]
    call: Callable[[Tools, Any], Awaitable[Told]]

    async def __call__(self, tools: Tools, given: Mapping[str, Any]) -> Told:
        """What it gives for these arguments; a `UsageError` says what is wrong with them."""
        try:
            asked = self.takes.model_validate(given)
        except ValidationError as error:
            raise UsageError(self._wrong(error)) from error
        return await self.call(tools, asked)

    def _wrong(self, error: ValidationError) -> str:
        known = ", ".join(f"`{name}`" for name in self.takes.model_fields) or "none"
        said = []
        for one in error.errors(include_url=False):
            name = str(one["loc"][0]) if one["loc"] else ""
            if one["type"] == "missing":
                said.append(f"`{name}` is missing; `{self.name}` takes {known}")
            elif one["type"] == "extra_forbidden":
                said.append(f"`{name[:60]}` is nothing that `{self.name}` takes; it takes {known}")
            else:
                said.append(mistakes([{**one, "loc": ("body", *one["loc"])}]))
        return "; ".join(dict.fromkeys(said))


TOOLS = (
    Tool(
        name="search",
        title="Search the evidence",
        summary="Passages that may answer a question, best first, each with its place, how likely "
        "it answers and who found it.",
        takes=ToSearch,
        gives=Results,
        call=Tools.search,
    ),
    Tool(
        name="ask",
        title="Answer from the evidence",
        summary="A written answer in which every claim was checked and has a mark, [1], with the "
        "passages that the marks name; or that the evidence does not answer.",
        takes=ToAsk,
        gives=Written,
        call=Tools.ask,
    ),
    Tool(
        name="show",
        title="Show a passage",
        summary="A passage, whole, by the id that other tools give.",
        takes=ToShow,
        gives=Whole,
        call=Tools.show,
    ),
    Tool(
        name="path",
        title="Connect two things",
        summary="How two things that a graph names connect, step by step, with the passage that "
        "tells each step.",
        takes=ToConnect,
        gives=Paths,
        call=Tools.path,
    ),
    Tool(
        name="why",
        title="Explain ranks",
        summary="How the results of a question came about: the votes, weights and changes that "
        "add up to each score.",
        takes=ToExplain,
        gives=Reasons,
        call=Tools.why,
    ),
    Tool(
        name="why_not",
        title="Explain what is missing",
        summary="At which step a passage was lost for a question, and what would have to change.",
        takes=ToMiss,
        gives=Missed,
        call=Tools.why_not,
    ),
    Tool(
        name="plan",
        title="Plan a question",
        summary="What a question would ask of each source, and by which rule; nothing is searched.",
        takes=ToPlan,
        gives=Planned,
        call=Tools.plan,
    ),
    Tool(
        name="plan_trip",
        title="Plan a trip",
        summary="A trip for a wish in words, day by day, checked, with times, prices and the "
        "passages that tell of each place; or why it cannot be had, and what can.",
        takes=ToTravel,
        gives=Travelled,
        call=Tools.plan_trip,
    ),
    Tool(
        name="status",
        title="What is held",
        summary="What a workspace holds: collections, kinds of passages, the fields that filters "
        "can name, files that could not be read.",
        takes=Named,
        gives=Held,
        call=Tools.status,
    ),
    Tool(
        name="workspaces",
        title="List workspaces",
        summary="The workspaces that can be asked, where there are several.",
        takes=ToList,
        gives=Workspaces,
        call=Tools.workspaces,
    ),
)
"""Every tool; `workspaces` is there only where there are several, `plan_trip` only with places."""


def offered(service: Service) -> dict[str, Tool]:
    """The tools for these workspaces, by name."""
    spaces = service.spaces.values()
    left_out = {"workspaces"} if len(service.spaces) == 1 else set[str]()
    if all(one.workspace.pack.name != touring.PACK for one in spaces):
        left_out.add("plan_trip")
    return {one.name: one for one in TOOLS if one.name not in left_out}
