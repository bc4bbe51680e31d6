"""What is asked of a workspace? Results, answers, the reasons for both, passages and paths."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi import Query as Part
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from consilience.errors import UsageError
from consilience.kinds import hidden_fields
from consilience.service.bodies import (
    Asked,
    AskedAnswer,
    AskedPath,
    AskedWhy,
    AskedWhyNot,
    Key,
    by_address,
)
from consilience.service.core import Service
from consilience.service.handlers import Handlers
from consilience.service.pages import reply, wants_page
from consilience.service.pages.graph import drawing
from consilience.service.printed import MOST, SAME, Png, page_image
from consilience.service.streaming import told_as_events
from consilience.service.views import picture, space_view
from consilience.types import Length

ByAddress = Annotated[dict[str, Any], Depends(by_address)]
ByColumn = Annotated[
    int | None,
    Part(ge=0, le=10_000, description="Of a row, the cell that is meant: its `column`"),
]


def router(service: Service) -> APIRouter:
    """The addresses below a workspace at which something is asked."""
    router, handlers = APIRouter(tags=["ask"]), Handlers(service)
    _lists(router, handlers)
    _searches(router, handlers)
    _answers(router, handlers)
    _reasons(router, handlers)
    _paths(router, handlers)
    _things(router, handlers)
    _pictures(router, handlers)
    return router


def _lists(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.get("/", summary="The workspaces that are served")
    async def home(request: Request) -> Response:
        if wants_page(request) and len(service.spaces) == 1:
            return RedirectResponse(f"/w/{next(iter(service.spaces))}")
        every = list(service.spaces.values())
        views = await service.searching.run(lambda: [space_view(one) for one in every])
        return reply(request, {"workspaces": views}, "home.html")

    @router.get("/w/{name}", summary="A workspace: what it holds, what it can be asked")
    async def workspace(request: Request, name: str) -> Response:
        space = service.space(name)
        view = await service.searching.run(lambda: space_view(space))
        return reply(request, view, "ask.html", space=view, asked=None)


def _searches(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.post("/w/{name}/search", summary="Results, best first, each with its reasons")
    async def search(name: str, asked: Asked) -> dict[str, Any]:
        return await handlers.search(service.space(name), asked)

    @router.get("/w/{name}/search", summary="The same, asked in the address")
    async def search_page(request: Request, name: str, asked: ByAddress) -> Response:
        space, wanted = service.space(name), Asked(**asked)
        found = await handlers.search(space, wanted)
        if not wants_page(request):
            return reply(request, found, "results.html")
        view = await service.searching.run(lambda: space_view(space))
        return reply(request, found, "results.html", space=view, asked=wanted)


def _answers(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.post("/w/{name}/ask", summary="A written answer, cited and checked")
    async def ask(name: str, asked: AskedAnswer) -> dict[str, Any]:
        return await handlers.answer(service.space(name), asked)

    @router.get("/w/{name}/ask", summary="The same, asked in the address")
    async def ask_page(
        request: Request,
        name: str,
        asked: ByAddress,
        length: Annotated[Length | None, Part(description="How long the answer is")] = None,
        model: Annotated[bool, Part(description="Let a language model write")] = True,
        whole: Annotated[bool, Part(description="A page that is whole when it comes")] = False,
    ) -> Response:
        space = service.space(name)
        wanted = AskedAnswer(**asked, length=length, model=model)
        if not wants_page(request):
            return reply(request, await handlers.answer(space, wanted), "ask.html")
        view = await service.searching.run(lambda: space_view(space))
        # A page that can is filled while the answer is written; one without scripts comes whole.
        found = await handlers.answer(space, wanted) if whole else {}
        return reply(request, found, "ask.html", space=view, asked=wanted)

    @router.get(
        "/w/{name}/ask/events",
        summary="The same while it is written, as server-sent events",
        response_class=StreamingResponse,
        responses=_EVENTS,
    )
    async def ask_events(
        request: Request,
        name: str,
        asked: ByAddress,
        length: Annotated[Length | None, Part(description="How long the answer is")] = None,
        model: Annotated[bool, Part(description="Let a language model write")] = True,
        html: Annotated[bool, Part(description="With what a page shows of each event")] = False,
    ) -> Response:
        space, wanted = service.space(name), AskedAnswer(**asked, length=length, model=model)
        events = told_as_events(handlers, space, wanted, html=html)
        return StreamingResponse(events, media_type="text/event-stream", headers=LIVE)


def _reasons(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.post("/w/{name}/why", summary="How ranks came about, adding up to the scores")
    async def why(name: str, asked: AskedWhy) -> dict[str, Any]:
        return await handlers.why(service.space(name), asked)

    @router.get("/w/{name}/why", summary="The same, asked in the address")
    async def why_page(
        request: Request,
        name: str,
        asked: ByAddress,
        passage: Annotated[str, Part(max_length=200, description="A place or an id")] = "",
    ) -> Response:
        found = await handlers.why(service.space(name), AskedWhy(**asked, passage=passage))
        return reply(request, found, "why.html", space=name, asked=asked)

    @router.post("/w/{name}/why-not", summary="At which step a passage was lost")
    async def why_not(name: str, asked: AskedWhyNot) -> dict[str, Any]:
        return await handlers.why_not(service.space(name), asked)

    @router.get("/w/{name}/why-not", summary="The same, asked in the address")
    async def why_not_page(
        request: Request,
        name: str,
        asked: ByAddress,
        passage: Annotated[Key, Part(description="The id of a passage")],
    ) -> Response:
        found = await handlers.why_not(service.space(name), AskedWhyNot(**asked, passage=passage))
        return reply(request, found, "why-not.html", space=name, asked=asked)

    @router.post("/w/{name}/plan", summary="What each source would be asked, by which rule")
    async def plan(name: str, asked: Asked) -> dict[str, Any]:
        return await handlers.plan(service.space(name), asked)


def _paths(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.post("/w/{name}/path", summary="How two things of a graph connect")
    async def path(name: str, asked: AskedPath) -> dict[str, Any]:
        return await handlers.path(service.space(name), asked)

    @router.get("/w/{name}/path", summary="The same, asked in the address")
    async def path_page(
        request: Request,
        name: str,
        start: Annotated[Key | None, Part(description="A name of the first")] = None,
        end: Annotated[Key | None, Part(description="A name of the other")] = None,
        limit: Annotated[int, Part(ge=1, le=10, description="Paths at most")] = 3,
    ) -> Response:
        space = service.space(name)
        if start is None or end is None:
            if not wants_page(request):
                raise UsageError("a path has two ends; name both: ?start=…&end=…")
            return reply(request, {}, "path.html", space=name, asked=None)
        asked = AskedPath(start=start, end=end, limit=limit)
        more: dict[str, Any] = {"space": name, "asked": asked}
        try:
            found = await handlers.path(space, asked)
        except UsageError as error:
            if not wants_page(request):
                raise
            trouble = str(error)  # the names stay in their boxes, to be corrected
            return reply(request, {}, "path.html", status=400, trouble=trouble, **more)
        return reply(request, found, "path.html", drawing=drawing(found["paths"]), **more)


def _things(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.get("/w/{name}/passages/{key}", summary="A passage, whole")
    async def passage(request: Request, name: str, key: Key, column: ByColumn = None) -> Response:
        found = await handlers.passage(service.space(name), key, column)
        return reply(request, found, "passage.html", space=name, hidden=hidden_fields())


def _pictures(router: APIRouter, handlers: Handlers) -> None:
    service = handlers.service

    @router.get(
        "/w/{name}/passages/{key}/page.png",
        summary="A page on which a passage stands, with its cells outlined",
        response_class=Png,
        responses=SAME,
    )
    async def page(
        request: Request,
        name: str,
        key: Key,
        n: Annotated[int, Part(ge=1, le=MOST, description="Which of its pages, from 1")] = 1,
        column: ByColumn = None,
        strip: Annotated[bool, Part(description="Only what is around the cells")] = False,
    ) -> Response:
        space, seen = service.space(name), request.headers.get("if-none-match", "")
        draw = partial(page_image, space, key, n, column=column, strip=strip, seen=seen)
        return await service.searching.run(draw)

    @router.get(
        "/w/{name}/figures",
        summary="A picture of what a step of a figure holds",
        response_class=Picture,
    )
    async def figure(
        name: str,
        kind: Annotated[Key, Part(description="What it is, `board`")],
        data: Annotated[Key, Part(description="What it holds, a FEN")],
        step: Annotated[
            str, Part(alias="name", max_length=100, description="What led there, a move")
        ] = "",
        before: Annotated[str, Part(max_length=200, description="What was there before")] = "",
        turned: Annotated[bool, Part(description="Seen from the other side")] = False,
    ) -> Response:
        workspace = service.space(name).workspace
        svg = await service.searching.run(
            lambda: picture(workspace, kind, data, name=step, before=before, turned=turned)
        )
        return Picture(svg, headers={"Cache-Control": "private, max-age=86400"})


class Picture(Response):
    """A drawing."""

    media_type = "image/svg+xml"


EVENT = {
    "type": "object",
    "description": "One event; its data is JSON",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["event", "data"],
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`searched`, `drafted`, `said`, `withdrawn`, then `done` or `error`",
        "content": {"text/event-stream": {"schema": EVENT}},
    }
}
LIVE = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
