"""Which requests are let in? Checks for every address, before a handler runs and after it replies.

The host name, how large and how slow a request may be, which site it comes from, the right of its
sender, parameters that nothing reads, and what a browser may do with the reply. The work stops
when the client goes away.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from difflib import get_close_matches
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import RedirectResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from consilience.errors import ConsilienceError
from consilience.service import auth
from consilience.service.auth import COOKIE, Authenticator, Unknown
from consilience.service.error_responses import (
    Refusal,
    error_response,
    handle_errors,
    internal_error,
    known_error,
)
from consilience.service.openapi import complete_openapi
from consilience.service.pages import wants_page
from consilience.service.redaction import PathRedactor, set_redactor
from consilience.service.service import Service

MAX_BODY = 64 * 1024
"""Bytes of a request, except for uploaded files."""
MAX_PATH, MAX_PARAMS = 4096, 60_000
"""Bytes of an address before and after `?`."""
BODY_TIMEOUT_S = 10.0
"""Seconds within which a request has to arrive."""
SEND_TIMEOUT_S = 30.0
"""Seconds within which the client has to take a part of a reply."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OPEN = ("/health", "/login")  # need no key, as everything below /static/
_FORMS = ("/login", "/logout")  # browsers send these as forms
_UPLOADS = {
    "PUT": re.compile(r"/w/[^/]+/files/.+"),
    "POST": re.compile(r"/w/[^/]+/(remote/)?documents"),
}
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_READING = ("GET", "HEAD", "OPTIONS")


def guard(app: FastAPI, service: Service) -> None:
    """Put the checks before every address, and one shape on all errors."""
    options = service.options
    door = Authenticator(options.keys, secret=options.secret, read_only=options.read_only)
    service.metrics.watch(service)
    app.add_middleware(Guard, service=service, authenticator=door)
    app.include_router(auth.router(door))
    handle_errors(app)
    complete_openapi(app, service)


class Guard:
    """The middleware that checks every request."""

    def __init__(self, app: ASGIApp, *, service: Service, authenticator: Authenticator) -> None:
        self._app = app
        self._hosts = service.options.hosts
        self._metrics = service.metrics
        self._authenticator = authenticator
        folders = (space.workspace.folder for space in service.spaces.values())
        self._redactor = PathRedactor(folders)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, have it handled, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, reply, began = Request(scope), Reply(scope, send), time.perf_counter()
        try:
            await self._handle(request, receive, reply)
        finally:
            seconds = time.perf_counter() - began
            self._metrics.requested(scope, status=reply.status, seconds=seconds)

    async def _handle(self, request: Request, receive: Receive, reply: Reply) -> None:
        scope = request.scope
        try:
            if (redirect := self._check(request)) is not None:
                await redirect(scope, receive, reply)
            elif _is_upload(request):
                await self._app(scope, receive, reply)
            else:
                body = await _read_body(request, receive)
                await run_while_connected(self._app, scope, receive, reply, body)
        except Refusal as error:
            await error_response(request, error)(scope, receive, reply)
        except ConsilienceError as error:
            await known_error(request, error)(scope, receive, reply)
        except Exception as error:
            if reply.begun:  # too late for a message: the client sees the reply end early
                raise
            await internal_error(request, error)(scope, receive, reply)

    def _check(self, request: Request) -> Response | None:
        """A redirect to the login page, or None where the request may pass; else it is refused."""
        request.state.right = ""
        set_redactor(self._redactor)
        _check_host(request, self._hosts)
        _check_length(request)
        _check_site(request)
        right = self._authenticator.right(
            authorization=request.headers.get("authorization", ""),
            cookie=request.cookies.get(COOKIE, ""),
            address=request.client.host if request.client else "",
        )
        request.state.right = right or ""
        set_redactor(None if right == "write" else self._redactor)
        path = _path(request)
        if right or path in _OPEN or path.startswith("/static/"):
            return None
        if request.method in ("GET", "HEAD") and wants_page(request):
            params = request.scope["query_string"].decode("latin-1")
            onwards = quote(f"{quote(path)}?{params}" if params else quote(path))
            return RedirectResponse(f"/login?next={onwards}", 303)
        raise Unknown("this server wants a key; send it as `Authorization: Bearer KEY`")


class Reply:
    """A reply on its way out: adds headers, and knows whether it has begun."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._static = str(scope["path"]).startswith("/static/")
        self.status = 0
        self.ended = False
        self.stalled = asyncio.Event()

    @property
    def begun(self) -> bool:
        """Whether any part of it was sent."""
        return bool(self.status)

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._add_headers(MutableHeaders(scope=message))
        elif message["type"] == "http.response.body":
            self.ended = not message.get("more_body", False)
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._send(message)
        except TimeoutError:
            self.stalled.set()

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name in [name for name in headers if name.startswith("access-control-")]:
            del headers[name]
        headers.update(HEADERS)
        headers.setdefault("Content-Security-Policy", POLICY)
        cached = self._static and self.status < 400
        headers.setdefault("Cache-Control", "public, max-age=300" if cached else "no-store")


async def run_while_connected(
    app: ASGIApp, scope: Scope, receive: Receive, reply: Reply, body: bytes
) -> None:
    """Handle a request while its client is connected; the work ends when it goes away."""
    gone, first = asyncio.Event(), True

    async def receive_body() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def await_disconnect() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    work = asyncio.ensure_future(app(scope, receive_body, reply))
    disconnect = asyncio.ensure_future(await_disconnect())
    stalled = asyncio.ensure_future(reply.stalled.wait())
    tasks = {work, disconnect, stalled}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not work.done() and reply.ended:  # the reply is sent; let it clean up
            await asyncio.wait({work})
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    if not work.cancelled():
        work.result()


async def check_params(request: Request) -> None:
    """Refuse parameters of an address that it does not take: they would have no effect."""
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    known = _query_params(route.dependant)
    known |= {"format"} if request.method == "GET" else set()
    for name in request.query_params:
        if name not in known:
            where = f"{request.method} {_path(request)[:100]}"
            message = f"`{name[:60]}` is not a parameter of {where}; {_suggest(name, known)}"
            raise Refusal(422, "InvalidRequest", message)


def _query_params(dependant: Dependant) -> set[str]:
    """The names of the parameters that a route reads after `?`."""
    names = set[str]()
    for param in dependant.query_params:
        kind = param.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names |= {field.alias or name for name, field in kind.model_fields.items()}
        else:
            names.add(param.alias)
    return names.union(*map(_query_params, dependant.dependencies))


def _suggest(name: str, known: set[str]) -> str:
    if near := get_close_matches(name, known, n=1):
        return f"did you mean `{near[0]}`?"
    if not known:
        return "it takes none after `?`; send the fields of a request as JSON, in its body"
    return f"it takes {', '.join(f'`{one}`' for one in sorted(known))}"


def _path(request: Request) -> str:
    """The path as it was sent; `request.url` would use the host header, which can be forged."""
    return str(request.scope["path"])


def _is_upload(request: Request) -> bool:
    """Whether it uploads files or documents; `uploads` reads and limits those itself."""
    address = _UPLOADS.get(request.method)
    return address is not None and address.fullmatch(_path(request)) is not None


def _check_host(request: Request, hosts: frozenset[str]) -> None:
    """Refuse a host name that is invalid or not one of the server's."""
    host = request.headers.get("host", "")
    if host and not _HOST.fullmatch(host):
        raise Refusal(
            400, "WrongHost", f"the header `host` is not the name of a host: {host[:100]!r}"
        )
    name = (urlsplit(f"//{host}").hostname or "") if host else ""
    if hosts and name not in hosts:
        known = ", ".join(sorted(hosts))
        raise Refusal(
            421, "WrongHost", f"this service is not called {name[:100]!r}; call it {known}"
        )


def _check_length(request: Request) -> None:
    """Refuse an address that is too long."""
    path = request.scope.get("raw_path") or request.scope["path"].encode()
    if len(path) > MAX_PATH:
        raise Refusal(414, "TooLong", f"an address has at most {MAX_PATH} bytes before `?`")
    if len(request.scope["query_string"]) > MAX_PARAMS:
        message = f"an address has at most {MAX_PARAMS} bytes after `?`; ask by POST"
        raise Refusal(414, "TooLong", message)


def _check_site(request: Request) -> None:
    """Refuse requests that a page of another site makes in somebody's browser.

    Browsers say where a request comes from; programs do not, and need not.
    """
    headers, is_reading = request.headers, request.method in _READING
    site = headers.get("sec-fetch-site", "")
    if site:
        is_link = is_reading and headers.get("sec-fetch-mode") == "navigate"
        is_own = site in ("same-origin", "none") or is_link
    else:
        origin = headers.get("origin", "")
        is_own = is_reading or not origin or origin.partition("://")[2] == headers.get("host", "")
    if not is_own:
        raise Refusal(403, "OtherSite", "a page of another site may not ask this; open this site")


async def _read_body(request: Request, receive: Receive) -> bytes:
    """The whole body of a request: not too large, not too slow, and JSON."""
    headers = request.headers
    if "transfer-encoding" in headers:
        raise Refusal(411, "LengthRequired", "say in Content-Length how long the request is")
    size = headers.get("content-length", "0")
    if not size.isdecimal() or len(size) > len(str(MAX_BODY)) or int(size) > MAX_BODY:
        raise Refusal(413, "TooLarge", f"a request has at most {MAX_BODY} bytes")
    if not int(size):
        return b""
    declared = headers.get("content-type", "").partition(";")[0].strip().casefold()
    if declared != "application/json" and _path(request) not in _FORMS:
        message = "a request is JSON, sent with the header `content-type: application/json`"
        raise Refusal(415, "WrongType", message)
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            return await _receive_all(receive)
    except TimeoutError as error:
        message = f"the request did not arrive within {BODY_TIMEOUT_S:g} seconds"
        raise Refusal(408, "TooSlow", message) from error


async def _receive_all(receive: Receive) -> bytes:
    parts, more = list[bytes](), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(408, "TooSlow", "the request ended before all of it arrived")
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
        if sum(map(len, parts)) > MAX_BODY:
            raise Refusal(413, "TooLarge", f"a request has at most {MAX_BODY} bytes")
    return b"".join(parts)
