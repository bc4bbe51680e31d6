"""What is said when something goes wrong? One shape for programs, a page for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from consilience.errors import (
    ConsilienceError,
    MissingWorkspace,
    ModelError,
    SourceError,
    UsageError,
    WorkspaceBusy,
)
from consilience.service.core import Missing, Refused
from consilience.service.desk import Busy, Late
from consilience.service.hiding import hidden
from consilience.service.jobs import NoJob, Rebuilding
from consilience.service.keys import TooMany, Unknown
from consilience.service.mistakes import OBJECT, told
from consilience.service.pages import page, wants_page, where

log = logging.getLogger("consilience.service")
_STATUS: Mapping[type[ConsilienceError], int] = {
    Unknown: 401,
    Refused: 403,
    TooMany: 429,
    Busy: 503,
    Late: 504,
    Missing: 404,
    NoJob: 404,
    Rebuilding: 503,
    MissingWorkspace: 404,
    UsageError: 400,
    SourceError: 503,
    ModelError: 503,
    WorkspaceBusy: 503,
}
_AGAIN_S: Mapping[type[ConsilienceError], int] = {Busy: 2, Rebuilding: 10, SourceError: 5}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_UNREADABLE = "There was an error parsing the body"  # what FastAPI says of it


class Refusal(Exception):
    """A request that goes no further: the status, and what is said."""

    def __init__(
        self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = headers or {}


def tell(app: FastAPI) -> None:
    """Put one shape on everything that goes wrong behind the guard."""

    @app.exception_handler(ConsilienceError)
    async def refused(request: Request, error: ConsilienceError) -> Response:
        return raised(request, error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return refusal(request, Refusal(422, "InvalidRequest", told(error.errors())))

    @app.exception_handler(HTTPException)
    async def missing(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        said = Refusal(error.status_code, "HTTPError", _words(request, error), headers)
        return refusal(request, said)


def raised(request: Request, error: ConsilienceError) -> Response:
    """What is said of an error that was raised on purpose."""
    status, headers = status_of(error), dict[str, str]()
    wait_s = error.wait_s if isinstance(error, TooMany) else _of(_AGAIN_S, error)
    if wait_s:
        headers["Retry-After"] = str(max(1, round(wait_s)))
    if isinstance(error, Unknown):
        headers["WWW-Authenticate"] = "Bearer"
    if status == 500:
        log.error("%s %r", request.method, request.scope["path"][:200], exc_info=error)
    return refusal(request, Refusal(status, type(error).__name__, str(error), headers))


def broken(request: Request, error: Exception) -> Response:
    """What is said where nobody thought of it."""
    shape = unexpected(f"{request.method} {request.scope['path'][:200]!r}", error)
    return refusal(request, Refusal(500, shape["error"]["kind"], shape["error"]["message"]))


def unexpected(what: str, error: Exception) -> dict[str, dict[str, str]]:
    """The shape of an error that nobody thought of: little of it here, all of it in the log."""
    log.error("%s", what, exc_info=error)
    said = f"something went wrong here ({type(error).__name__}); the server's log says what"
    return error_shape("InternalError", said)


def refusal(request: Request, error: Refusal) -> Response:
    """The page of an error for people, its JSON for programs."""
    shape = error_shape(error.kind, str(error))
    found: Response = JSONResponse(shape, status_code=error.status)
    if wants_page(request):
        try:
            text = page("error.html", found=shape, status=error.status, at=where(request))
            found = HTMLResponse(text, status_code=error.status)
        except Exception:  # an error that cannot be drawn is told all the same
            log.exception("the page of an error cannot be drawn")
    found.headers["Vary"] = "Accept"
    found.headers.update(error.headers)
    return found


def error_shape(kind: str, message: str) -> dict[str, dict[str, str]]:
    """`{"error": {"kind": …, "message": …}}`, with nothing in it that is no text."""
    said = hidden(message).encode("utf-8", "backslashreplace").decode()
    return {"error": {"kind": kind, "message": said}}


def status_of(error: ConsilienceError) -> int:
    """The status that goes with an error; what is wrong here, not with the request, is 500."""
    return _of(_STATUS, error) or 500


def _of(table: Mapping[type[ConsilienceError], int], error: ConsilienceError) -> int:
    return next((value for kind, value in table.items() if isinstance(error, kind)), 0)


def _words(request: Request, error: HTTPException) -> str:
    """Why an address gives nothing: there is none such, or not by this method."""
    path = request.scope["path"][:100]
    if error.status_code == 404:
        if wants_page(request):
            return "there is nothing at this address"
        return f"there is no address {path}; GET /openapi.json lists those that there are"
    if error.status_code == 405:
        allowed = " or ".join(_methods(request)) or "another method"
        return f"{path} does not take {request.method}; use {allowed}"
    if error.detail == _UNREADABLE:
        return f"the request cannot be read; {OBJECT}"
    return str(error.detail)


def _methods(request: Request) -> list[str]:
    """Every method that an address takes; each of them may be a route of its own."""
    routes = request.app.routes
    asked = {method: {**request.scope, "method": method} for method in _METHODS}
    return [
        method
        for method, scope in asked.items()
        if any(one.matches(scope)[0] is Match.FULL for one in routes)
    ]
