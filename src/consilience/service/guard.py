"""Who is let in, and what is said to those who are not? One shape for every refusal.

What holds for every address: the name by which it is called, how large and how slow a request
may be, which rights its sender has, what a browser may load, and how errors are told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from consilience.errors import ConsilienceError, MissingWorkspace, SourceError, UsageError
from consilience.service.core import Refused, Service
from consilience.service.desk import Busy, Late
from consilience.service.mistakes import told

LARGEST = 64 * 1024
"""Bytes of a request at most, but for files that come in."""
PATIENCE = 10.0
"""Seconds within which a request has to be there as a whole."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_STATUS: Mapping[type[ConsilienceError], int] = {
    Refused: 403,
    Busy: 503,
    Late: 504,
    MissingWorkspace: 404,
    UsageError: 400,
    SourceError: 503,
}


def guard(app: FastAPI, service: Service) -> None:
    """Put the checks before every address, and one shape on everything that goes wrong."""
    _check(app, service)
    _tell(app)


def _check(app: FastAPI, service: Service) -> None:
    @app.middleware("http")
    async def guarded(
        request: Request, go_on: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        request.state.right = "read" if service.options.read_only else "write"
        response = (
            _called(request, service.options.hosts) or await _whole(request) or await go_on(request)
        )
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response


def _tell(app: FastAPI) -> None:
    @app.exception_handler(ConsilienceError)
    async def refused(_request: Request, error: ConsilienceError) -> JSONResponse:
        return error_reply(status_of(error), type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        declared = request.headers.get("content-type", "")
        return error_reply(422, "InvalidRequest", told(error.errors(), declared=declared))

    @app.exception_handler(HTTPException)
    async def missing(request: Request, error: HTTPException) -> JSONResponse:
        reply = error_reply(error.status_code, "HTTPError", _refusal(request, error))
        reply.headers.update(error.headers or {})
        return reply

    @app.exception_handler(Exception)
    async def broken(_request: Request, error: Exception) -> JSONResponse:
        said = f"something went wrong here ({type(error).__name__}); the server's log says what"
        return error_reply(500, "InternalError", said)


def status_of(error: ConsilienceError) -> int:
    """The status that goes with an error; what is wrong here, not with the request, is 500."""
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)


def error_reply(status: int, kind: str, message: str) -> JSONResponse:
    """`{"error": {"kind": …, "message": …}}`, whatever went wrong."""
    return JSONResponse({"error": {"kind": kind, "message": message}}, status_code=status)


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
    return error_reply(421, "WrongHost", f"this service is not called {name!r}; call it {known}")


async def _whole(request: Request) -> JSONResponse | None:
    """None once a request is there and not too large, else the reason why it is refused."""
    if "transfer-encoding" in request.headers:
        return error_reply(411, "LengthRequired", "say in Content-Length how long the request is")
    size = request.headers.get("content-length", "0")
    if not size.isdecimal() or len(size) > len(str(LARGEST)) or int(size) > LARGEST:
        return error_reply(413, "TooLarge", f"a request has at most {LARGEST} bytes")
    try:
        async with asyncio.timeout(PATIENCE):
            await request.body()
    except (TimeoutError, ClientDisconnect):
        return error_reply(408, "TooSlow", f"the request was not there within {PATIENCE:g} seconds")
    return None
