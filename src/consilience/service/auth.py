"""Who sent a request, and what may they do? Keys with a right each, and sessions of browsers.

Only the digest of a key is kept. A program sends its key with every request; a browser sends it
once and gets a cookie with a random number. After several wrong keys the wait doubles each time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from consilience.errors import ConsilienceError, UsageError
from consilience.service.pages import reply, wants_page

Right = Literal["read", "write"]
COOKIE = "consilience"
SHORTEST = 16
"""Letters of a key at least."""
SESSION_S = 12 * 3600.0
"""Seconds after which a browser has to show its key again."""
FREE = 5
"""Wrong keys from an address before it has to wait."""
LONGEST_WAIT_S = 300.0
_MAX_SESSIONS = 10_000  # browsers that are remembered at a time
_ADDRESSES = 10_000  # addresses with wrong keys that are remembered at a time
_OTHERS = 0o077  # what others than the owner of a file may do with it


class Unknown(ConsilienceError):
    """Whoever asks showed no key, or a wrong one."""


class TooMany(ConsilienceError):
    """Too many wrong keys came from there."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong keys; try again in {max(1, round(wait_s))} seconds")
        self.wait_s = wait_s


def read_keys(path: str | Path) -> Mapping[str, Right]:
    """The digests of the keys in a file, each with its right.

    A line is `read KEY` or `write KEY`; empty lines and those that begin with `#` say nothing.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the keys in {path} cannot be read: {error}") from error
    found: dict[str, Right] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        right, key = _line(line, f"{path}, line {number}")
        if digest(key) in found:
            raise UsageError(f"{path}, line {number}: this key stands there already")
        found[digest(key)] = right
    if not found:
        raise UsageError(f"{path} holds no key; write a line such as `read KEY` or `write KEY`")
    return found


def too_open(path: str | Path) -> str:
    """A remark where others on this machine can read a file of keys, else nothing."""
    if Path(path).stat().st_mode & _OTHERS:
        return f"others on this machine can read {path}; `chmod 600` keeps its keys to yourself"
    return ""


def _line(line: str, where: str) -> tuple[Right, str]:
    """The right and the key of a line; the key itself is never shown."""
    right, _, key = line.strip().partition(" ")
    key = key.strip()
    if right not in ("read", "write"):
        raise UsageError(f"{where}: a line is `read KEY` or `write KEY`")
    if len(key) < SHORTEST or any(sign.isspace() for sign in key):
        raise UsageError(
            f"{where}: a key has at least {SHORTEST} letters and no spaces; "
            "make one with `openssl rand -hex 24`"
        )
    return right, key  # type: ignore[return-value]


def digest(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Session:
    right: Right
    until: float


class Authenticator:
    """Tells the right of whoever asks, by key or by cookie."""

    def __init__(
        self,
        keys: Mapping[str, Right],
        *,
        secret: str,
        read_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keys = keys
        self._secret = digest(secret)
        self._read_only = read_only
        self._clock = clock
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._opened: OrderedDict[tuple[str, str], None] = OrderedDict()

    @property
    def locked(self) -> bool:
        """Whether a key is needed at all."""
        return bool(self._keys)

    def right(self, *, authorization: str, cookie: str, address: str) -> Right | None:
        """What whoever asks may do; None for nothing, because no key was shown.

        A wrong key is `Unknown`, and the next ones are `TooMany`.
        """
        scheme, _, key = authorization.partition(" ")
        shown = key.strip() if scheme.casefold() == "bearer" else ""
        if shown and hmac.compare_digest(digest(shown), self._secret):
            return "write"
        if not self.locked:
            return self._at_most("write")
        if shown:
            return self._at_most(self._opens(shown, address))
        visit = self._sessions.get(digest(cookie)) if cookie else None
        if visit is None or visit.until < self._clock():
            return None
        return self._at_most(visit.right)

    def start_session(self, key: str, *, address: str) -> str:
        """Begin a visit with a key: what the cookie says."""
        right = self._opens(key, address)
        visit = secrets.token_urlsafe(32)
        self._sessions[digest(visit)] = _Session(right, self._clock() + SESSION_S)
        while len(self._sessions) > _MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return visit

    def end_session(self, visit: str) -> None:
        """End a visit."""
        self._sessions.pop(digest(visit), None)

    def _at_most(self, right: Right) -> Right:
        return "read" if self._read_only else right

    def _opens(self, key: str, address: str) -> Right:
        """The right of a key. Every key is compared, so that the time says nothing."""
        shown, found = digest(key), None
        count, until = self._wrong.get(address, (0, 0.0))
        wait_s = until - self._clock()
        # Others may share the address: what opened from there before is not made to wait.
        if wait_s > 0 and (address, shown) not in self._opened:
            raise TooMany(wait_s)
        for known, right in self._keys.items():
            if hmac.compare_digest(shown, known):
                found = right
        if found is None:
            self._note(address, count + 1)
            raise Unknown("this key opens nothing here; ask whoever runs the server for one")
        if wait_s <= 0:
            self._wrong.pop(address, None)
        self._opened[address, shown] = None
        while len(self._opened) > _ADDRESSES:
            self._opened.popitem(last=False)
        return found

    def _note(self, address: str, count: int) -> None:
        """Remember a wrong key; from the sixth on each doubles the time that is waited."""
        wait_s = min(2.0 ** (count - FREE), LONGEST_WAIT_S) if count > FREE else 0.0
        self._wrong.pop(address, None)
        self._wrong[address] = (min(count, 100), self._clock() + wait_s)
        while len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)


# --- the login page -----------------------------------------------------------------


_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_FIELDS = 10


def router(door: Authenticator) -> APIRouter:
    """The page on which a key is shown, and the way out."""
    router = APIRouter(include_in_schema=False)

    @router.get("/login")
    async def ask(request: Request) -> Response:
        onwards = local(request.query_params.get("next", ""))
        if not door.locked:
            return RedirectResponse(onwards, 303)
        return _page(request, onwards)

    @router.post("/login")
    async def enter(request: Request) -> Response:
        given = _form(await request.body())
        onwards = local(given.get("next", ""))
        if not door.locked:
            return RedirectResponse(onwards, 303)
        address = request.client.host if request.client else ""
        try:
            visit = door.start_session(given.get("key", "").strip(), address=address)
        except (Unknown, TooMany) as error:
            return _page(request, onwards, error)
        found = RedirectResponse(onwards, 303)
        found.set_cookie(
            COOKIE,
            visit,
            max_age=int(SESSION_S),
            secure=_is_private(request),
            httponly=True,
            samesite="strict",
        )
        return found

    @router.post("/logout")
    async def leave(request: Request) -> Response:
        door.end_session(request.cookies.get(COOKIE, ""))
        found = RedirectResponse("/login" if door.locked else "/", 303)
        found.delete_cookie(COOKIE, secure=_is_private(request), httponly=True, samesite="strict")
        return found

    return router


def local(address: str) -> str:
    """An address of this server, to go on to; anything else is the first page."""
    return address if _LOCAL.fullmatch(address) else "/"


def _page(request: Request, onwards: str, error: ConsilienceError | None = None) -> Response:
    """The page, with what was wrong with the last key; a program is told as everywhere."""
    if error and not wants_page(request):
        raise error
    status = {Unknown: 401, TooMany: 429}.get(type(error), 200) if error else 200
    found = reply(
        request, {"next": onwards, "wrong": str(error or "")}, "login.html", status=status
    )
    if isinstance(error, TooMany):
        found.headers["Retry-After"] = str(max(1, round(error.wait_s)))
    return found


def _form(body: bytes) -> dict[str, str]:
    """The fields of a form as a browser sends it; what is no form has none."""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _is_private(request: Request) -> bool:
    """Whether the browser speaks TLS: with us, or with a proxy before us that says so."""
    said = request.headers.get("x-forwarded-proto", request.url.scheme)
    return said.partition(",")[0].strip().casefold() == "https"
