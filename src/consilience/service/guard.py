"""Who is let in? What holds for every address, before it is asked and after it has answered.

The name by which it is called, how large and how slow a request may be, which site it comes from,
which right its sender has, what a browser may do with the reply. Whoever goes away while an
answer is made stops the work on it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from consilience.errors import ConsilienceError
from consilience.service import visiting
from consilience.service.core import Service
from consilience.service.describing import describe
from consilience.service.hiding import Hiding, hide
from consilience.service.keys import COOKIE, Door, Unknown
from consilience.service.pages import wants_page
from consilience.service.refusals import Refusal, broken, raised, refusal, tell

LARGEST = 64 * 1024
"""Bytes of a request at most, but for files that come in."""
LONGEST, LONGEST_ASKED = 4096, 60_000
"""Bytes of an address at most, before and after `?`."""
PATIENCE = 10.0
"""Seconds within which a request has to be there as a whole."""
UNREAD_S = 30.0
"""Seconds within which a part of a reply has to be taken."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OPEN = ("/health", "/login")  # for which, as for all below /static/, nobody needs a key
_FORMS = ("/login", "/logout")  # which browsers send as forms
_FILE = re.compile(r"/w/[^/]+/files/.+")
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_READING = ("GET", "HEAD", "OPTIONS")


def guard(app: FastAPI, service: Service) -> None:
    """Put the checks before every address, and one shape on everything that goes wrong."""
    options = service.options
    door = Door(options.keys, secret=options.secret, read_only=options.read_only)
    service.metrics.watch(service)
    app.add_middleware(Guard, service=service, door=door)
    app.include_router(visiting.router(door))
    tell(app)
    describe(app, service)


class Guard:
    """The checks, around the whole of the service."""

    def __init__(self, app: ASGIApp, *, service: Service, door: Door) -> None:
        self._app = app
        self._hosts = service.options.hosts
        self._metrics = service.metrics
        self._door = door
        self._hiding = Hiding(one.workspace.folder for one in service.spaces.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, have it answered, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, reply, began = Request(scope), Reply(scope, send), time.perf_counter()
        try:
            await self._answer(request, receive, reply)
        finally:
            seconds = time.perf_counter() - began
            self._metrics.requested(scope, status=reply.status, seconds=seconds)

    async def _answer(self, request: Request, receive: Receive, reply: Reply) -> None:
        scope = request.scope
        try:
            if (elsewhere := self._checked(request)) is not None:
                await elsewhere(scope, receive, reply)
            elif _is_file(request):
                await self._app(scope, receive, reply)
            else:
                body = await _whole(request, receive)
                await while_listening(self._app, scope, receive, reply, body)
        except Refusal as error:
            await refusal(request, error)(scope, receive, reply)
        except ConsilienceError as error:
            await raised(request, error)(scope, receive, reply)
        except Exception as error:
            if reply.begun:  # too late to say anything: whoever reads sees it end in the middle
                raise
            await broken(request, error)(scope, receive, reply)

    def _checked(self, request: Request) -> Response | None:
        """Where to go instead, if anywhere; whoever is not let in is a refusal."""
        request.state.right = ""
        hide(self._hiding)
        _check_host(request, self._hosts)
        _check_length(request)
        _check_site(request)
        right = self._door.right(
            authorization=request.headers.get("authorization", ""),
            cookie=request.cookies.get(COOKIE, ""),
            address=request.client.host if request.client else "",
        )
        request.state.right = right or ""
        hide(None if right == "write" else self._hiding)
        path = _path(request)
        if right or path in _OPEN or path.startswith("/static/"):
            return None
        if request.method in ("GET", "HEAD") and wants_page(request):
            asked = request.scope["query_string"].decode("latin-1")
            onwards = quote(f"{quote(path)}?{asked}" if asked else quote(path))
            return RedirectResponse(f"/login?next={onwards}", 303)
        raise Unknown("this server wants a key; send it as `Authorization: Bearer KEY`")


class Reply:
    """A reply on its way out: with what a browser may do with it, and whether it has begun."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._static = str(scope["path"]).startswith("/static/")
        self.status = 0
        self.ended = False
        self.unread = asyncio.Event()

    @property
    def begun(self) -> bool:
        """Whether anything of it is out."""
        return bool(self.status)

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._dress(MutableHeaders(scope=message))
        elif message["type"] == "http.response.body":
            self.ended = not message.get("more_body", False)
        try:
            async with asyncio.timeout(UNREAD_S):
                await self._send(message)
        except TimeoutError:
            self.unread.set()  # whoever listens for its reader lets go of it

    def _dress(self, headers: MutableHeaders) -> None:
        for name in [name for name in headers if name.startswith("access-control-")]:
            del headers[name]
        headers.update(ALWAYS)
        headers.setdefault("Content-Security-Policy", POLICY)
        kept = self._static and self.status < 400
        headers.setdefault("Cache-Control", "public, max-age=300" if kept else "no-store")


async def while_listening(
    app: ASGIApp, scope: Scope, receive: Receive, reply: Reply, body: bytes
) -> None:
    """Answer a request as long as its sender is there; the work ends when they go away."""
    gone, first = asyncio.Event(), True

    async def again() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def listen() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    work = asyncio.ensure_future(app(scope, again, reply))
    ear = asyncio.ensure_future(listen())
    unread = asyncio.ensure_future(reply.unread.wait())
    try:
        await asyncio.wait({work, ear, unread}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done() and reply.ended:  # all was said; what is left is to tidy up
            await asyncio.wait({work})
    finally:
        for one in (work, ear, unread):
            one.cancel()
        await asyncio.wait({work, ear, unread})
    if not work.cancelled():
        work.result()


def _path(request: Request) -> str:
    """The address as it was sent; one put together with the name of the host could be forged."""
    return str(request.scope["path"])


def _is_file(request: Request) -> bool:
    """Whether it is a file that comes in: that is read, and limited, where it is stored."""
    return request.method == "PUT" and bool(_FILE.fullmatch(_path(request)))


def _check_host(request: Request, hosts: frozenset[str]) -> None:
    """Refuse who calls the service by a name that is none, or not its own."""
    told = request.headers.get("host", "")
    if told and not _HOST.fullmatch(told):
        raise Refusal(400, "WrongHost", f"the header `host` is no name of a host: {told[:100]!r}")
    name = (urlsplit(f"//{told}").hostname or "") if told else ""
    if hosts and name not in hosts:
        known = ", ".join(sorted(hosts))
        raise Refusal(
            421, "WrongHost", f"this service is not called {name[:100]!r}; call it {known}"
        )


def _check_length(request: Request) -> None:
    """Refuse an address without end."""
    path = request.scope.get("raw_path") or request.scope["path"].encode()
    if len(path) > LONGEST:
        raise Refusal(414, "TooLong", f"an address has at most {LONGEST} bytes before `?`")
    if len(request.scope["query_string"]) > LONGEST_ASKED:
        said = f"an address has at most {LONGEST_ASKED} bytes after `?`; ask by POST"
        raise Refusal(414, "TooLong", said)


def _check_site(request: Request) -> None:
    """Refuse what a page of another site sends on behalf of whoever looks at it.

    Browsers say where a request comes from; programs do not, and need not.
    """
    headers, reading = request.headers, request.method in _READING
    site = headers.get("sec-fetch-site", "")
    if site:
        follows = reading and headers.get("sec-fetch-mode") == "navigate"  # a link from elsewhere
        own = site in ("same-origin", "none") or follows
    else:
        origin = headers.get("origin", "")
        own = reading or not origin or origin.partition("://")[2] == headers.get("host", "")
    if not own:
        raise Refusal(403, "OtherSite", "a page of another site may not ask this; open this site")


async def _whole(request: Request, receive: Receive) -> bytes:
    """The body of a request, once it is there; not too large, not too slow, and JSON."""
    headers = request.headers
    if "transfer-encoding" in headers:
        raise Refusal(411, "LengthRequired", "say in Content-Length how long the request is")
    size = headers.get("content-length", "0")
    if not size.isdecimal() or len(size) > len(str(LARGEST)) or int(size) > LARGEST:
        raise Refusal(413, "TooLarge", f"a request has at most {LARGEST} bytes")
    if not int(size):
        return b""
    declared = headers.get("content-type", "").partition(";")[0].strip().casefold()
    if declared != "application/json" and _path(request) not in _FORMS:
        said = "a request is JSON, sent with the header `content-type: application/json`"
        raise Refusal(415, "WrongType", said)
    try:
        async with asyncio.timeout(PATIENCE):
            return await _read(receive)
    except TimeoutError as error:
        said = f"the request was not there within {PATIENCE:g} seconds"
        raise Refusal(408, "TooSlow", said) from error


async def _read(receive: Receive) -> bytes:
    """All that comes in. Who goes away in the middle gets what nobody will read."""
    parts, more = list[bytes](), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(408, "TooSlow", "the request ended before it was there as a whole")
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
        if sum(map(len, parts)) > LARGEST:
            raise Refusal(413, "TooLarge", f"a request has at most {LARGEST} bytes")
    return b"".join(parts)
