"""Which addresses does the service have? Those of every workspace, of packs, and of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from consilience import __version__
from consilience.service import (
    admin,
    comparison,
    health,
    mcp_server,
    pack_routes,
    remote_api,
    search_routes,
    uploads,
)
from consilience.service.request_guard import check_params, guard
from consilience.service.service import Service

_ROUTERS = (search_routes, comparison, uploads, admin, health, remote_api, mcp_server)
_STATIC = Path(__file__).with_name("static")


def create_app(service: Service) -> FastAPI:
    """The app that serves open workspaces; when it ends, it stops their jobs in good order."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="Consilience",
        version=__version__,
        summary="Answers from several kinds of evidence at once",
        docs_url=None,  # those pages load scripts from elsewhere; the description itself is served
        redoc_url=None,
        lifespan=lifespan,
        dependencies=[Depends(check_params)],
    )
    app.state.service = service
    guard(app, service)
    for module in _ROUTERS:
        app.include_router(module.router(service))
    app.include_router(service.metrics.router())
    app.add_api_route(
        "/favicon.ico", lambda: FileResponse(_STATIC / "mark.svg"), include_in_schema=False
    )
    pack_routes.mount_static(app, service)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    pack_routes.mount(app, service)
    return app
