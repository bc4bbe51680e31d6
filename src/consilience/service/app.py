"""Which addresses does the service have? Those of every workspace, and those of its pack."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from consilience import __version__
from consilience.errors import ConsilienceError, MissingWorkspace, SourceError, UsageError
from consilience.packs import Endpoint
from consilience.service.answering import Asked, answer
from consilience.service.pages import results_page
from consilience.workspace import Workspace

LARGEST = 64 * 1024
"""Bytes of a request at most."""
PATIENCE = 10.0
"""Seconds within which a request has to be there as a whole."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'"


def create_app(workspace: Workspace) -> FastAPI:
    """The service over an open workspace, with the addresses of its pack."""
    app = FastAPI(
        title="Consilience",
        version=__version__,
        summary=f"{workspace.folder.name}: {workspace.pack.summary}",
        docs_url=None,  # its page is loaded from elsewhere; the description itself is served
        redoc_url=None,
    )
    _guard(app)
    app.add_api_route("/health", _health(workspace), methods=["GET"], summary="Is it there?")
    for endpoint in workspace.pack.endpoints:
        _mount(app, workspace, endpoint)
    return app


def _mount(app: FastAPI, workspace: Workspace, endpoint: Endpoint) -> None:
    """One address of a pack: JSON by POST, and its page by GET where it has one."""

    async def reply(asked: Asked) -> dict[str, Any]:
        return await asyncio.to_thread(answer, workspace, endpoint, asked)

    name = endpoint.path.strip("/")
    app.add_api_route(
        endpoint.path, reply, methods=["POST"], summary=endpoint.summary, operation_id=name
    )
    if not endpoint.page:
        return

    async def page(q: str = "") -> HTMLResponse:
        return await asyncio.to_thread(_page, workspace, endpoint, q)

    app.add_api_route(
        endpoint.path, page, methods=["GET"], response_class=HTMLResponse, include_in_schema=False
    )


def _page(workspace: Workspace, endpoint: Endpoint, question: str) -> HTMLResponse:
    """The page, with results where something is asked; what is wrong stands on it."""
    if not question.strip():
        return HTMLResponse(results_page(workspace, endpoint))
    try:
        found = answer(workspace, endpoint, Asked(query=question))
    except ConsilienceError as error:
        text = results_page(workspace, endpoint, question=question, trouble=str(error))
        return HTMLResponse(text, status_code=_status(error))
    return HTMLResponse(results_page(workspace, endpoint, question=question, found=found))


def _health(workspace: Workspace) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def health() -> dict[str, Any]:
        """What the workspace holds, by collection and kind."""
        return {
            "status": "ok",
            "version": __version__,
            "workspace": workspace.folder.name,
            "pack": workspace.pack.name,
            "collections": await asyncio.to_thread(workspace.catalogue.counts),
        }

    return health


# --- what holds for every address -------------------------------------------------------


def _guard(app: FastAPI) -> None:
    """Limits, headers, and one shape for everything that goes wrong."""

    @app.middleware("http")
    async def guarded(
        request: Request, go_on: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await _whole(request) or await go_on(request)
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    @app.exception_handler(ConsilienceError)
    async def refused(_request: Request, error: ConsilienceError) -> JSONResponse:
        return _error(_status(error), type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        told = "; ".join(
            f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}"
            for one in error.errors()
        )
        return _error(422, "InvalidRequest", told)

    @app.exception_handler(HTTPException)
    async def missing(_request: Request, error: HTTPException) -> JSONResponse:
        return _error(error.status_code, "HTTPError", str(error.detail))

    @app.exception_handler(Exception)
    async def broken(_request: Request, error: Exception) -> JSONResponse:
        told = f"something went wrong here ({type(error).__name__}); the server's log says what"
        return _error(500, "InternalError", told)


async def _whole(request: Request) -> JSONResponse | None:
    """None once a request is there and not too large, else the reason why it is refused."""
    if "transfer-encoding" in request.headers:
        return _error(411, "LengthRequired", "say in Content-Length how long the request is")
    size = request.headers.get("content-length", "0")
    if not size.isdecimal() or len(size) > len(str(LARGEST)) or int(size) > LARGEST:
        return _error(413, "TooLarge", f"a request has at most {LARGEST} bytes")
    try:
        async with asyncio.timeout(PATIENCE):
            await request.body()
    except (TimeoutError, ClientDisconnect):
        return _error(408, "TooSlow", f"the request was not there within {PATIENCE:g} seconds")
    return None


def _status(error: ConsilienceError) -> int:
    if isinstance(error, MissingWorkspace):
        return 404
    if isinstance(error, UsageError):
        return 400
    return 503 if isinstance(error, SourceError) else 500


def _error(status: int, kind: str, message: str) -> JSONResponse:
    """`{"error": {"kind": …, "message": …}}`, whatever went wrong."""
    return JSONResponse({"error": {"kind": kind, "message": message}}, status_code=status)
