"""At which addresses is a workspace searched? Results, answers, reasons, passages, paths.

Each takes a question as JSON by POST, or as parameters of the address by GET.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Query as Param
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from consilience.errors import ConsilienceError, UsageError
from consilience.kinds import hidden_fields
from consilience.service.error_responses import error_shape, unexpected_error
from consilience.service.pages import reply, wants_page
from consilience.service.pages.graph_layout import layout_paths
from consilience.service.pages.prose import number_marks
from consilience.service.search import (
    IN_ADDRESS,
    MAX_PAGES,
    AnswerRequest,
    Handlers,
    Json,
    Key,
    PassageRequest,
    PathRequest,
    Png,
    SearchRequest,
    WhyNotRequest,
    WhyRequest,
    draw_picture,
    page_image,
    space_json,
)
from consilience.service.service import Service, Space

ColumnParam = Annotated[
    int | None,
    Param(ge=0, le=10_000, description="Of a row, the cell that is meant: its `column`"),
]
EVENT_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""The headers of a stream of events: neither a cache nor a proxy may hold it back."""
EVENT_SCHEMA = {
    "type": "object",
    "description": "One event; its data is JSON",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["event", "data"],
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`searched`, `drafted`, `said`, `withdrawn`, then `done` or `error`",
        "content": {"text/event-stream": {"schema": EVENT_SCHEMA}},
    }
}


class AnswerParams(AnswerRequest):
    """A question in an address."""

    model_config = IN_ADDRESS


class WhyParams(WhyRequest):
    """A question in an address, and the result whose rank is explained."""

    model_config = IN_ADDRESS


class WhyNotParams(WhyNotRequest):
    """A question in an address, and the passage that is missing."""

    model_config = IN_ADDRESS


class PathParams(BaseModel):
    """Two nodes in an address; a page without them has an empty form."""

    start: Annotated[Key | None, Field(description="A name of the first")] = None
    end: Annotated[Key | None, Field(description="A name of the other")] = None
    limit: Annotated[int, Field(ge=1, le=10, description="Paths at most")] = 3


class Svg(Response):
    """A drawing."""

    media_type = "image/svg+xml"


def router(service: Service) -> APIRouter:
    """The addresses for questions, below each workspace."""
    router, handlers = APIRouter(tags=["ask"]), Handlers(service)
    _add_workspaces(router, service)
    _add_questions(router, handlers)
    _add_pages(router, handlers)
    _add_events(router, handlers)
    _add_passages(router, handlers)
    return router


def _add_workspaces(router: APIRouter, service: Service) -> None:
    @router.get("/", summary="The workspaces that are served")
    async def home(request: Request) -> Response:
        if wants_page(request) and len(service.spaces) == 1:
            return RedirectResponse(f"/w/{next(iter(service.spaces))}")
        spaces = list(service.spaces.values())
        views = await service.searching.run(lambda: [space_json(space) for space in spaces])
        return reply(request, {"workspaces": views}, "home.html")

    @router.get("/w/{name}", summary="A workspace: what it holds, and example questions")
    async def workspace(
        request: Request,
        name: str,
        _within: Annotated[
            list[Key], Param(alias="in", description="Collections that its box searches")
        ] = [],  # noqa: B006
    ) -> Response:
        space = service.space(name)
        view = await service.searching.run(lambda: space_json(space))
        return reply(request, view, "ask.html", space=view, asked=None)


def _add_questions(router: APIRouter, handlers: Handlers) -> None:
    """Every kind of question as JSON, by POST."""

    def add(
        what: str, summary: str, kind: type[Any], handle: Callable[[Space, Any], Awaitable[Json]]
    ) -> None:
        async def post(name: str, asked: Any) -> Json:
            return await handle(handlers.service.space(name), asked)

        post.__annotations__["asked"] = kind
        post.__name__ = what.replace("-", "_")
        router.add_api_route(f"/w/{{name}}/{what}", post, methods=["POST"], summary=summary)

    add("search", "Results, best first, each with its reasons", SearchRequest, handlers.search)
    add("ask", "A written answer, cited and checked", AnswerRequest, handlers.answer)
    add("why", "How ranks came about, adding up to the scores", WhyRequest, handlers.why)
    add("why-not", "At which step a passage was lost", WhyNotRequest, handlers.why_not)
    add("plan", "What each source would be asked, by which rule", SearchRequest, handlers.plan)
    add("path", "How two nodes of a graph connect", PathRequest, handlers.path)


def _add_pages(router: APIRouter, handlers: Handlers) -> None:
    """The same questions in an address: a page for people, JSON for programs."""
    service = handlers.service

    @router.get("/w/{name}/search", summary="The same, asked in the address")
    async def search_page(
        request: Request,
        name: str,
        asked: Annotated[AnswerParams, Param()],  # the page keeps how long an answer would be
        _missed: Annotated[
            str,
            Param(alias="for", description="The question in whose results something is missing"),
        ] = "",
    ) -> Response:
        space = service.space(name)
        found = await handlers.search(space, asked)
        if not wants_page(request):
            return reply(request, found, "results.html")
        view = await service.searching.run(lambda: space_json(space))
        return reply(request, found, "results.html", space=view, asked=asked)

    @router.get("/w/{name}/ask", summary="The same, asked in the address")
    async def ask_page(
        request: Request,
        name: str,
        asked: Annotated[AnswerParams, Param()],
        whole: Annotated[bool, Param(description="A page that comes with its answer")] = False,
    ) -> Response:
        space = service.space(name)
        if not wants_page(request):
            return reply(request, await handlers.answer(space, asked), "ask.html")
        view = await service.searching.run(lambda: space_json(space))
        # The script of the page fetches the answer as events; without scripts it comes `whole`.
        found = number_marks(await handlers.answer(space, asked), {}) if whole else {}
        return reply(request, found, "ask.html", space=view, asked=asked)

    @router.get("/w/{name}/why", summary="The same, asked in the address")
    async def why_page(
        request: Request, name: str, asked: Annotated[WhyParams, Param()]
    ) -> Response:
        found = await handlers.why(service.space(name), asked)
        return reply(request, found, "why.html", space=name, asked=asked)

    @router.get("/w/{name}/why-not", summary="The same, asked in the address")
    async def why_not_page(
        request: Request, name: str, asked: Annotated[WhyNotParams, Param()]
    ) -> Response:
        found = await handlers.why_not(service.space(name), asked)
        return reply(request, found, "why-not.html", space=name, asked=asked)

    @router.get("/w/{name}/path", summary="The same, asked in the address")
    async def path_page(
        request: Request, name: str, params: Annotated[PathParams, Param()]
    ) -> Response:
        space = service.space(name)
        if params.start is None or params.end is None:
            if not wants_page(request):
                raise UsageError("a path has two ends; name both: ?start=…&end=…")
            return reply(request, {}, "path.html", space=name, asked=None)
        asked = PathRequest(start=params.start, end=params.end, limit=params.limit)
        context: dict[str, Any] = {"space": name, "asked": asked}
        try:
            found = await handlers.path(space, asked)
        except UsageError as error:
            if not wants_page(request):
                raise
            trouble = str(error)  # the form keeps the names, so that they can be corrected
            return reply(request, {}, "path.html", status=400, trouble=trouble, **context)
        return reply(request, found, "path.html", drawing=layout_paths(found["paths"]), **context)


def _add_events(router: APIRouter, handlers: Handlers) -> None:
    @router.get(
        "/w/{name}/ask/events",
        summary="The same while it is written, as server-sent events",
        response_class=StreamingResponse,
        responses=_EVENTS,
    )
    async def ask_events(
        name: str,
        asked: Annotated[AnswerParams, Param()],
        html: Annotated[bool, Param(description="With what a page shows of each event")] = False,
    ) -> Response:
        events = _stream_answer(handlers, handlers.service.space(name), asked, html=html)
        return StreamingResponse(events, media_type="text/event-stream", headers=EVENT_STREAM)


async def _stream_answer(
    handlers: Handlers, space: Space, asked: AnswerRequest, *, html: bool
) -> AsyncIterator[str]:
    """The events of an answer: searched, drafted, said, withdrawn, done; an error comes last.

    With `html` each has what a page shows of it.
    """
    numbers: dict[int, int] = {}

    def to_html(name: str, found: Mapping[str, Any]) -> str:
        template = f"events/{name}.html"
        if name == "withdrawn":
            numbers.clear()
        if name in ("said", "done"):
            found = number_marks(found, numbers)
        return space.renderer.render(template, found=found, name=space.name, asked=asked).strip()

    try:
        stream = handlers.events(space, asked, to_html=to_html if html else None)
        async with aclosing(stream) as events:
            async for name, found in events:
                yield format_event(name, found)
    except ConsilienceError as error:
        yield format_event("error", error_shape(type(error).__name__, str(error)))
    except Exception as error:  # noqa: BLE001 - it is logged
        yield format_event("error", unexpected_error(f"the answer to {asked.query[:100]!r}", error))


def format_event(name: str, data: Mapping[str, Any]) -> str:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _add_passages(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.get("/w/{name}/passages/{key}", summary="A whole passage")
    async def passage(
        request: Request, name: str, key: Key, column: ColumnParam = None
    ) -> Response:
        asked = PassageRequest(passage=key, column=column)
        found = await handlers.passage(service.space(name), asked)
        return reply(request, found, "passage.html", space=name, hidden=hidden_fields())

    @router.get(
        "/w/{name}/passages/{key}/page.png",
        summary="A page on which a passage is printed, with its cells outlined",
        response_class=Png,
        responses={304: {"description": "The client has the same picture already"}},
    )
    async def page(
        request: Request,
        name: str,
        key: Key,
        n: Annotated[int, Param(ge=1, le=MAX_PAGES, description="Which of its pages, from 1")] = 1,
        column: ColumnParam = None,
        strip: Annotated[bool, Param(description="Only what is around the cells")] = False,
    ) -> Response:
        space, etags = service.space(name), request.headers.get("if-none-match", "")
        draw = partial(page_image, space, key, n, column=column, strip=strip, etags=etags)
        return await service.searching.run(draw)

    @router.get(
        "/w/{name}/figures", summary="A picture of one step of a figure", response_class=Svg
    )
    async def figure(
        name: str,
        kind: Annotated[Key, Param(description="The kind of the figure")],
        data: Annotated[Key, Param(description="What it shows, as the figure's `data` says")],
        step: Annotated[
            str, Param(alias="name", max_length=100, description="The name of the step")
        ] = "",
        before: Annotated[str, Param(max_length=200, description="The data before it")] = "",
        turned: Annotated[bool, Param(description="Seen from the other side")] = False,
    ) -> Response:
        workspace = service.space(name).workspace
        svg = await service.searching.run(
            lambda: draw_picture(workspace, kind, data, name=step, before=before, turned=turned)
        )
        return Svg(svg, headers={"Cache-Control": "private, max-age=86400"})
