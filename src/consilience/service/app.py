"""Which addresses does the service have? Those below every workspace, and those of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from consilience import __version__
from consilience.service import (
    asking,
    feedback,
    health,
    owning,
    packed,
    remote,
    tools,
    trips,
    uploading,
)
from consilience.service.core import Service
from consilience.service.guard import guard
from consilience.service.pages.menu import has_graph, has_trips

_ROUTERS = (asking, trips, feedback, uploading, owning, health, remote, tools)


def create_app(service: Service) -> FastAPI:
    """The service over open workspaces; what is going on ends in good order with it."""

    @asynccontextmanager
    async def living(_app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="Consilience",
        version=__version__,
        summary="Answers from several kinds of evidence at once",
        docs_url=None,  # its page is loaded from elsewhere; the description itself is served
        redoc_url=None,
        lifespan=living,
    )
    app.state.spaces = tuple(service.spaces)
    app.state.has_graph = partial(has_graph, service)
    app.state.has_trips = partial(has_trips, service)
    guard(app, service)
    for module in _ROUTERS:
        app.include_router(module.router(service))
    app.include_router(service.metrics.router())
    static = Path(__file__).with_name("static")
    app.add_api_route(
        "/favicon.ico", lambda: FileResponse(static / "mark.svg"), include_in_schema=False
    )
    app.mount("/static", StaticFiles(directory=static), name="static")
    packed.refuse_taken(service, app.routes)
    app.include_router(packed.router(service))
    return app
