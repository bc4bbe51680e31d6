"""How do people react to results, and how do two settings compare?"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Query as Part
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.journal import Reaction, Unasked
from consilience.service.bodies import MANY, MOST, Filters, Key, Limit, Long, Model, Question, Text
from consilience.service.comparing import OWN, Side, Sides, second, told, ways
from consilience.service.core import Missing, Service, Space
from consilience.service.pages import reply, wants_page
from consilience.service.views import answer_view, result_view, space_view
from consilience.types import Answer, Done, Length, Query, Result

_DAY_S = 86_400
_SIDE = "`settings`, `other`, a collection `in:books`, or changes `fusion.method=rrf,refine.mmr=1`"
Way = Annotated[Key, Field(description=f"One side: {_SIDE}", examples=["fusion.method=rrf"])]


class Reacted(BaseModel):
    """What somebody did with a result, or with the answer as a whole."""

    model_config = ConfigDict(extra="forbid")

    asked: Annotated[Key, Field(description="The `asked` of the answer that this is about")]
    kind: Annotated[
        Reaction,
        Field(description="A passage opened, read for some seconds, kept; a thumb up or down"),
    ]
    passage: Annotated[
        str, Field(max_length=200, description="Which passage; none is the answer as a whole")
    ] = ""
    value: Annotated[
        float, Field(ge=0, le=_DAY_S, allow_inf_nan=False, description="Seconds of `dwell`")
    ] = 1.0


class AskedCompare(BaseModel):
    """A question, and the two ways in which it is asked."""

    model_config = ConfigDict(extra="forbid")

    query: Question
    a: Way = OWN
    b: Annotated[
        Way | None, Field(description="The other side; none: `other`, or where there is none rrf")
    ] = None
    limit: Limit = 10
    filters: Filters = ()
    answer: Annotated[bool, Field(description="Compare written answers, not only results")] = False
    length: Long = None
    model: Model = True

    def wanted(self) -> Query:
        """The query, before either side makes it its own."""
        filters = tuple(map(parse_filter, self.filters))
        return Query(text=self.query, limit=self.limit, filters=filters)


def router(service: Service) -> APIRouter:
    """The addresses below a workspace at which people react and compare."""
    router = APIRouter(tags=["compare"])
    _reactions(router, service)
    _comparisons(router, Comparing(service))
    return router


def _reactions(router: APIRouter, service: Service) -> None:
    @router.post(
        "/w/{name}/feedback",
        summary="Say what was done with a result; kept on this machine alone",
        status_code=204,
        response_class=Response,
    )
    async def feedback(name: str, done: Reacted) -> Response:
        journal = service.space(name).journal
        try:
            await asyncio.to_thread(
                journal.reacted, done.asked, done.kind, passage=done.passage, value=done.value
            )
        except Unasked as error:
            raise Missing(str(error)) from error
        return Response(status_code=204)


def _comparisons(router: APIRouter, comparing: Comparing) -> None:
    service = comparing.service

    @router.post("/w/{name}/compare", summary="One question, asked in two ways")
    async def compare(name: str, asked: AskedCompare) -> dict[str, Any]:
        return await comparing.compared(service.space(name), asked)

    @router.get("/w/{name}/compare", summary="The same, asked in the address")
    async def compare_page(
        request: Request,
        name: str,
        q: Annotated[Text | None, Part(description="The question, in words")] = None,
        a: Annotated[Key, Part(description=f"One side: {_SIDE}")] = OWN,
        b: Annotated[Key | None, Part(description="The other side, named likewise")] = None,
        limit: Annotated[int, Part(ge=1, le=MOST, description="Results at most")] = 10,
        where: Annotated[list[Key], Part(max_length=MANY, description="Conditions")] = [],  # noqa: B006
        answer: Annotated[bool, Part(description="Compare written answers")] = False,
        length: Annotated[Length | None, Part(description="How long the answers are")] = None,
        model: Annotated[bool, Part(description="Let a language model write")] = True,
    ) -> Response:
        space, page = service.space(name), wants_page(request)
        if q is None and not page:
            raise UsageError("what is to be compared? Ask something: ?q=…&a=…&b=…")
        asked = q and AskedCompare(
            query=q, a=a, b=b or second(space), limit=limit, filters=tuple(where),
            answer=answer, length=length, model=model,
        )  # fmt: skip
        found, trouble = dict[str, Any](), ""
        try:
            found = await comparing.compared(space, asked) if asked else {}
        except UsageError as error:
            if not page:
                raise
            trouble = str(error)  # the question stays in its box, to be asked in another way
        if not page:
            return reply(request, found, "compare.html")
        more = await service.searching.run(
            lambda: {"space": space_view(space), "ways": ways(space), "other": second(space)}
        )
        status = 400 if trouble else 200
        told = {"asked": asked or None, "trouble": trouble}
        return reply(request, found, "compare.html", status=status, **more, **told)


class Comparing:
    """Asks a question in two ways."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._sides = Sides()

    async def compared(self, space: Space, asked: AskedCompare) -> dict[str, Any]:
        """What both sides found, and where they differ. Nothing of it is kept in the journal."""
        space.jobs.ready()
        query = asked.wanted()
        named = (asked.a, asked.b or second(space))
        ours, theirs = await self.service.searching.run(
            lambda: [self._sides.side(space, one) for one in named]
        )
        one = await self._found(space, ours, asked, query)
        other = await self._found(space, theirs, asked, query)
        return told(query, (ours, *one), (theirs, *other))

    async def _found(
        self, space: Space, side: Side, asked: AskedCompare, query: Query
    ) -> tuple[dict[str, Any], Result]:
        if asked.answer:
            answer = await self._answer(side, asked, query)
            view = await self.service.searching.run(lambda: answer_view(space, answer))
            return view, answer.result
        result = await self.service.searching.run(lambda: side.asking.find(side.query(query)))
        view = await self.service.searching.run(lambda: result_view(space, result))
        return view, result

    async def _answer(self, side: Side, asked: AskedCompare, query: Query) -> Answer:
        desk = self.service.desk(side.asking, model=asked.model)
        *_, last = [
            event
            async for event in desk.stream(
                lambda: side.asking.events(
                    side.query(query), length=asked.length, model=asked.model
                )
            )
        ]
        assert isinstance(last, Done)  # noqa: S101 - the last event, always
        return last.answer
