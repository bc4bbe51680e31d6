"""Which addresses does the service have? Those of every workspace, and those of its pack."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
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
from consilience.service.mistakes import told
from consilience.service.pages import index_page, results_page
from consilience.workspace import Workspace

LARGEST = 64 * 1024
"""Bytes of a request at most."""
LOOKED_AT = 50
"""Passages that a page looks at: those of one game share a card."""
PATIENCE = 10.0
"""Seconds within which a request has to be there as a whole."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'"


def create_app(workspace: Workspace, *, hosts: Collection[str] = ()) -> FastAPI:
    """The service over an open workspace, with the addresses of its pack.

    With `hosts` it answers only who calls it by one of these names: a page of somebody else's
    that leads a browser here under a name of its own is refused.
    """
    app = FastAPI(
        title="Consilience",
        version=__version__,
        summary=f"{workspace.folder.name}: {workspace.pack.summary}",
        docs_url=None,  # its page is loaded from elsewhere; the description itself is served
        redoc_url=None,
    )
    _guard(app, frozenset(hosts))
    app.add_api_route(
        "/", _index(workspace), methods=["GET"], response_class=HTMLResponse,
        include_in_schema=False,
    )  # fmt: skip
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

    async def page(request: Request) -> HTMLResponse:
        asked = request.query_params  # read loosely: a page is for people, not for programs
        every = asked.get("all", "") not in {"", "0"}
        question = asked.get("q", "")
        return await asyncio.to_thread(_page, workspace, endpoint, question, every=every)

    app.add_api_route(
        endpoint.path, page, methods=["GET"], response_class=HTMLResponse, include_in_schema=False
    )


def _page(workspace: Workspace, endpoint: Endpoint, question: str, *, every: bool) -> HTMLResponse:
    """The page, with results where something is asked; what is wrong stands on it."""
    if not question.strip():
        return HTMLResponse(results_page(workspace, endpoint))
    try:
        found = answer(workspace, endpoint, Asked(query=question, limit=LOOKED_AT))
    except ConsilienceError as error:
        text = results_page(workspace, endpoint, question=question, trouble=str(error))
        return HTMLResponse(text, status_code=_status(error))
    text = results_page(workspace, endpoint, question=question, found=found, every=every)
    return HTMLResponse(text)


def _index(workspace: Workspace) -> Callable[[], Awaitable[HTMLResponse]]:
    async def index() -> HTMLResponse:
        counts = await asyncio.to_thread(workspace.catalogue.counts)
        return HTMLResponse(index_page(workspace, counts))

    return index


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


def _guard(app: FastAPI, hosts: frozenset[str]) -> None:
    """Limits, headers, and one shape for everything that goes wrong."""

    @app.middleware("http")
    async def guarded(
        request: Request, go_on: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = _called(request, hosts) or await _whole(request) or await go_on(request)
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    @app.exception_handler(ConsilienceError)
    async def refused(_request: Request, error: ConsilienceError) -> JSONResponse:
        return _error(_status(error), type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        declared = request.headers.get("content-type", "")
        return _error(422, "InvalidRequest", told(error.errors(), declared=declared))

    @app.exception_handler(HTTPException)
    async def missing(request: Request, error: HTTPException) -> JSONResponse:
        said = _refusal(request, error)
        reply = _error(error.status_code, "HTTPError", said)
        reply.headers.update(error.headers or {})
        return reply

    @app.exception_handler(Exception)
    async def broken(_request: Request, error: Exception) -> JSONResponse:
        said = f"something went wrong here ({type(error).__name__}); the server's log says what"
        return _error(500, "InternalError", said)


def _refusal(request: Request, error: HTTPException) -> str:
    """Why an address gives nothing: there is none such, or not by this method."""
    path = request.url.path[:100]
    if error.status_code == 404:
        return f"there is no address {path}; GET / lists those that there are"
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        return f"{path} does not take {request.method}; use {allowed}"
    return str(error.detail)


def _called(request: Request, hosts: frozenset[str]) -> JSONResponse | None:
    """A refusal where the service is called by a name that is not its own."""
    name = request.url.hostname or ""
    if not hosts or name in hosts:
        return None
    known = ", ".join(sorted(hosts))
    return _error(421, "WrongHost", f"this service is not called {name!r}; call it {known}")


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
