"""What does a client get when something goes wrong? One JSON shape, or a page for people.

Messages name the field, the value and what to do.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

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
from consilience.service.auth import TooMany, Unknown
from consilience.service.jobs import NoJob, Rebuilding
from consilience.service.pages import render_page, wants_page
from consilience.service.redaction import redact
from consilience.service.request_pool import Busy, Late
from consilience.service.service import Missing, Refused

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
_RETRY_S: Mapping[type[ConsilienceError], int] = {Busy: 2, Rebuilding: 10, SourceError: 5}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_UNREADABLE = "There was an error parsing the body"  # FastAPI's message


class Refusal(Exception):
    """A request that is refused before a handler sees it: the status, and what is said."""

    def __init__(
        self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = headers or {}


def handle_errors(app: FastAPI) -> None:
    """Give every error of an app the one shape."""

    @app.exception_handler(ConsilienceError)
    async def refused(request: Request, error: ConsilienceError) -> Response:
        return known_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        message = describe_mistakes(error.errors())
        return error_response(request, Refusal(422, "InvalidRequest", message))

    @app.exception_handler(HTTPException)
    async def missing(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        message = _http_message(request, error)
        return error_response(request, Refusal(error.status_code, "HTTPError", message, headers))


def known_error(request: Request, error: ConsilienceError) -> Response:
    """The response to an error that was raised on purpose."""
    status, headers = status_of(error), dict[str, str]()
    wait_s = error.wait_s if isinstance(error, TooMany) else _look_up(_RETRY_S, error)
    if wait_s:
        headers["Retry-After"] = str(max(1, round(wait_s)))
    if isinstance(error, Unknown):
        headers["WWW-Authenticate"] = "Bearer"
    if status == 500:
        log.error("%s %r", request.method, request.scope["path"][:200], exc_info=error)
    return error_response(request, Refusal(status, type(error).__name__, str(error), headers))


def internal_error(request: Request, error: Exception) -> Response:
    """The response to any other error."""
    shape = unexpected_error(f"{request.method} {request.scope['path'][:200]!r}", error)
    return error_response(request, Refusal(500, shape["error"]["kind"], shape["error"]["message"]))


def unexpected_error(what: str, error: Exception) -> dict[str, dict[str, str]]:
    """The shape of an unexpected error: its details go to the log only."""
    log.error("%s", what, exc_info=error)
    message = f"something went wrong here ({type(error).__name__}); the server's log says what"
    return error_shape("InternalError", message)


def error_response(request: Request, error: Refusal) -> Response:
    """The page of an error for people, its JSON for programs."""
    shape = error_shape(error.kind, str(error))
    response: Response = JSONResponse(shape, status_code=error.status)
    if wants_page(request):
        try:
            text = render_page(request, "error.html", found=shape, status=error.status)
            response = HTMLResponse(text, status_code=error.status)
        except Exception:  # then the client gets the JSON
            log.exception("the page of an error cannot be rendered")
    response.headers["Vary"] = "Accept"
    response.headers.update(error.headers)
    return response


def error_shape(kind: str, message: str) -> dict[str, dict[str, str]]:
    """`{"error": {"kind": …, "message": …}}`, encodable whatever is in the message."""
    text = redact(message).encode("utf-8", "backslashreplace").decode()
    return {"error": {"kind": kind, "message": text}}


def status_of(error: ConsilienceError) -> int:
    """The status of an error; one that is not the client's fault is 500."""
    return _look_up(_STATUS, error) or 500


def _look_up(table: Mapping[type[ConsilienceError], int], error: ConsilienceError) -> int:
    return next((value for kind, value in table.items() if isinstance(error, kind)), 0)


def _http_message(request: Request, error: HTTPException) -> str:
    path = request.scope["path"][:100]
    if error.status_code == 404:
        if wants_page(request):
            return "there is nothing at this address"
        return f"there is no address {path}; GET /openapi.json lists all addresses"
    if error.status_code == 405:
        allowed = " or ".join(_methods(request)) or "another method"
        return f"{path} does not take {request.method}; use {allowed}"
    if error.detail == _UNREADABLE:
        return f"the request cannot be read; {EXAMPLE}"
    return str(error.detail)


def _methods(request: Request) -> list[str]:
    """All methods of an address; each of them may be a route of its own."""
    scopes = {method: {**request.scope, "method": method} for method in _METHODS}
    return [
        method
        for method, scope in scopes.items()
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    ]


# --- what is wrong with a request -------------------------------------------------------

MAX_SHOWN = 60
"""Characters of a wrong value that are shown."""
EXAMPLE = 'a request is a JSON object such as {"query": "When do bees swarm?"}'
_PHRASES = {
    "greater_than_equal": "has to be at least {ge}, not {shown}",
    "greater_than": "has to be above {gt}, not {shown}",
    "less_than_equal": "can be at most {le}, not {shown}",
    "too_long": "can have at most {max_length} entries",
    "string_too_long": "can have at most {max_length} letters, this one has {length}",
    "string_too_short": "is empty; write something",
    "literal_error": "has to be {expected}, not {shown}",
}
_TYPES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "model": "an object",
}
_EXAMPLES = {
    "filters": ' of conditions, such as ["year>=1960", "kind=row"]',
    "collections": ' of names, such as ["documents", "tables"]',
}
_Error = Mapping[str, Any]


def describe_mistakes(errors: Sequence[_Error]) -> str:
    """What is wrong with a request, from the errors of pydantic."""
    return "; ".join(dict.fromkeys(map(_describe, errors)))


def _describe(error: _Error) -> str:
    where, *place = map(str, error["loc"])
    kind, name, value = error["type"], ".".join(place) or where, error["input"]
    context = {**error.get("ctx", {}), "shown": _show(value), "length": len(str(value))}
    if kind == "json_invalid":
        reason = str(context.get("error", "it cannot be read"))
        reason = f"{reason[:1].lower()}{reason[1:]}, at letter {int(place[0] if place else 0) + 1}"
        return f"the request is not JSON ({reason}); {EXAMPLE}"
    if not place and where == "body":
        return f"{EXAMPLE}, this one is {context['shown']}"
    if kind == "missing":
        whole = EXAMPLE if name == "query" else "GET /openapi.json shows the request as a whole"
        return f"`{name}` is missing; {f'ask with ?{name}=…' if where == 'query' else whole}"
    if kind == "extra_forbidden":
        return (
            f"`{_cut(name)}` is not a field of this request; GET /openapi.json lists those that are"
        )
    if kind == "value_error":
        return f"`{name}`: {context['error']}"
    if kind in _PHRASES:
        return f"`{name}` {_PHRASES[kind].format_map(context)}".replace("'", "`")
    wanted = None if kind == "string_pattern_mismatch" else _TYPES.get(kind.split("_")[0])
    if wanted is None:
        return f"`{name}`: {error['msg'][:1].lower()}{error['msg'][1:]}"
    return f"`{name}` has to be {wanted}{_EXAMPLES.get(name, '')}, not {context['shown']}"


def _show(value: object) -> str:
    """A value as its sender wrote it, shortened."""
    try:
        return _cut(json.dumps(value, ensure_ascii=False, default=str))
    except RecursionError:
        return "lists within lists without end"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
