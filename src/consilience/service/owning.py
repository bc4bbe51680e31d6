"""What does an owner look at? What is held, how it is set, how well it was measured."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Query as Part
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import AfterValidator

from consilience.errors import UsageError
from consilience.measure.evaluate.shelf import json_of, page_of
from consilience.service.core import Missing, Service
from consilience.service.pages import reply, wants_page
from consilience.service.pages.owned import policy_of, reports_view, settings_view, status_view
from consilience.service.pages.timeline import timelines


def _without_zero(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a sign that no text has")
    return text


Words = Annotated[
    str,
    Part(max_length=200, description="Only files with these words in path, title or collection"),
    AfterValidator(_without_zero),
]
Number = Annotated[int, Part(ge=1, le=1_000_000, description="Which page of the files")]


def router(service: Service) -> APIRouter:
    """The addresses below a workspace that are for its owner."""
    router = APIRouter(tags=["own"])
    _status(router, service)
    _settings(router, service)
    _reports(router, service)
    return router


def _status(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/status", summary="What a workspace holds, and what is wrong")
    async def status(request: Request, name: str, find: Words = "", page: Number = 1) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: status_view(space, find=find, number=page))
        writes = request.state.right == "write"
        most = service.options.upload_bytes
        return reply(request, found, "status.html", space=name, writes=writes, most=most)


def _settings(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/settings", summary="Every setting, its value and its meaning")
    async def settings(request: Request, name: str) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: settings_view(space))
        return reply(request, found, "settings.html", space=name)


def _reports(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/reports", summary="The evaluations that were made here")
    async def reports(request: Request, name: str) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: reports_view(space))
        lines = timelines(found["reports"])
        return reply(request, found, "reports.html", space=name, lines=lines)

    @router.get(
        "/w/{name}/reports/{key}",
        summary="One evaluation: a page, or what `consilience evaluate --json` gives",
    )
    async def report(request: Request, name: str, key: str) -> Response:
        folder, headers = service.space(name).workspace.folder, {"Vary": "Accept"}
        try:
            if not wants_page(request):
                found = await service.searching.run(lambda: json_of(folder, key))
                return JSONResponse(found, headers=headers)
            text = await service.searching.run(lambda: page_of(folder, key))
        except UsageError as error:
            raise Missing(str(error)) from error
        policy = {"Content-Security-Policy": policy_of(text)}
        return HTMLResponse(text, headers={**headers, **policy})
