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
from pathlib import Path
from typing import Literal, TypeVar, get_args
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from consilience.errors import ConsilienceError, UsageError
from consilience.service.pages import reply, wants_page

Right = Literal["read", "write"]
COOKIE = "consilience"
MIN_KEY = 16
"""The fewest characters of a key."""
SESSION_S = 12 * 3600.0
"""Seconds after which a browser has to show its key again."""
FREE_ATTEMPTS = 5
"""Wrong keys from an address before it has to wait."""
MAX_WAIT_S = 300.0
_REMEMBERED = 10_000  # sessions, and addresses, that are remembered at a time
_OTHERS = 0o077  # what others than the owner of a file may do with it


class Unknown(ConsilienceError):
    """The sender showed no key, or a wrong one."""


class TooMany(ConsilienceError):
    """Too many wrong keys came from there."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong keys; try again in {max(1, round(wait_s))} seconds")
        self.wait_s = wait_s


def read_keys(path: str | Path) -> Mapping[str, Right]:
    """The digests of the keys in a file, each with its right.

    A line is `read KEY` or `write KEY`; empty lines and those that begin with `#` are skipped.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the keys in {path} cannot be read: {error}") from error
    keys: dict[str, Right] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        right, key = _parse_line(line, f"{path}, line {number}")
        if digest(key) in keys:
            raise UsageError(f"{path}, line {number}: this key stands there already")
        keys[digest(key)] = right
    if not keys:
        raise UsageError(f"{path} holds no key; write a line such as `read KEY` or `write KEY`")
    return keys


def too_open(path: str | Path) -> str:
    """A remark where others on this machine can read a file of keys, else nothing."""
    if Path(path).stat().st_mode & _OTHERS:
        return f"others on this machine can read {path}; `chmod 600` keeps its keys to yourself"
    return ""


def _parse_line(line: str, where: str) -> tuple[Right, str]:
    """The right and the key of a line; messages never show the key."""
    name, _, key = line.strip().partition(" ")
    key = key.strip()
    right = next((right for right in get_args(Right) if right == name), None)
    if right is None:
        raise UsageError(f"{where}: a line is `read KEY` or `write KEY`")
    if len(key) < MIN_KEY or any(char.isspace() for char in key):
        raise UsageError(
            f"{where}: a key has at least {MIN_KEY} letters and no spaces; "
            "make one with `openssl rand -hex 24`"
        )
    return right, key


def digest(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


Key = TypeVar("Key")
Value = TypeVar("Value")


def _remember(table: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    """Put a value at the end of a table, which forgets its oldest ones."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > _REMEMBERED:
        table.popitem(last=False)


class Authenticator:
    """Knows the right of the sender of a request, by key or by cookie."""

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
        self._sessions: OrderedDict[str, tuple[Right, float]] = OrderedDict()  # and their ends
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()  # and when to try again
        self._opened: OrderedDict[tuple[str, str], None] = OrderedDict()

    @property
    def locked(self) -> bool:
        """Whether a key is needed at all."""
        return bool(self._keys)

    def right(self, *, authorization: str, cookie: str, address: str) -> Right | None:
        """What the sender may do; None for nothing, because no key was shown.

        A wrong key is `Unknown`, and the next ones are `TooMany`.
        """
        scheme, _, key = authorization.partition(" ")
        shown = key.strip() if scheme.casefold() == "bearer" else ""
        if shown and hmac.compare_digest(digest(shown), self._secret):
            return "write"
        right: Right | None = "write"
        if self.locked and shown:
            right = self._check_key(shown, address)
        elif self.locked:
            right, until = self._sessions.get(digest(cookie), (None, 0.0))
            right = right if until >= self._clock() else None
        return "read" if right and self._read_only else right

    def start_session(self, key: str, *, address: str) -> str:
        """Start a session with a key: the value of its cookie."""
        right = self._check_key(key, address)
        session = secrets.token_urlsafe(32)
        _remember(self._sessions, digest(session), (right, self._clock() + SESSION_S))
        return session

    def end_session(self, session: str) -> None:
        """End a session."""
        self._sessions.pop(digest(session), None)

    def _check_key(self, key: str, address: str) -> Right:
        """The right of a key. Every key is compared, so that the time says nothing."""
        shown, found = digest(key), None
        count, until = self._wrong.get(address, (0, 0.0))
        wait_s = until - self._clock()
        # Others may share the address: a key that opened from there before does not wait.
        if wait_s > 0 and (address, shown) not in self._opened:
            raise TooMany(wait_s)
        for known, right in self._keys.items():
            if hmac.compare_digest(shown, known):
                found = right
        if found is None:
            count = min(count + 1, 100)  # from the sixth on each doubles the wait
            late_s = min(2.0 ** (count - FREE_ATTEMPTS), MAX_WAIT_S) if count > FREE_ATTEMPTS else 0
            _remember(self._wrong, address, (count, self._clock() + late_s))
            raise Unknown("this key is not valid here; ask the owner of the server for one")
        if wait_s <= 0:
            self._wrong.pop(address, None)
        _remember(self._opened, (address, shown), None)
        return found


# --- the login page -----------------------------------------------------------------


_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_FIELDS = 10


def router(authenticator: Authenticator) -> APIRouter:
    """The page on which a key is shown, and the way out."""
    router = APIRouter(include_in_schema=False)

    @router.get("/login")
    async def form(request: Request) -> Response:
        onwards = local_address(request.query_params.get("next", ""))
        return _page(request, onwards) if authenticator.locked else RedirectResponse(onwards, 303)

    @router.post("/login")
    async def login(request: Request) -> Response:
        fields = _form(await request.body())
        onwards = local_address(fields.get("next", ""))
        response = RedirectResponse(onwards, 303)
        if not authenticator.locked:
            return response
        address = request.client.host if request.client else ""
        try:
            key = fields.get("key", "").strip()
            session = authenticator.start_session(key, address=address)
        except (Unknown, TooMany) as error:
            return _page(request, onwards, error)
        response.set_cookie(
            COOKIE,
            session,
            max_age=int(SESSION_S),
            secure=_is_private(request),
            httponly=True,
            samesite="strict",
        )
        return response

    @router.post("/logout")
    async def logout(request: Request) -> Response:
        authenticator.end_session(request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/login" if authenticator.locked else "/", 303)
        secure = _is_private(request)
        response.delete_cookie(COOKIE, secure=secure, httponly=True, samesite="strict")
        return response

    return router


def local_address(address: str) -> str:
    """An address of this server; anything else becomes the first page."""
    return address if _LOCAL.fullmatch(address) else "/"


def _page(request: Request, onwards: str, error: ConsilienceError | None = None) -> Response:
    """The page, with what was wrong with the last key; a program gets the error as everywhere."""
    if error and not wants_page(request):
        raise error
    status = {Unknown: 401, TooMany: 429}.get(type(error), 200) if error else 200
    data = {"next": onwards, "wrong": str(error or "")}
    response = reply(request, data, "login.html", status=status)
    if isinstance(error, TooMany):
        response.headers["Retry-After"] = str(max(1, round(error.wait_s)))
    return response


def _form(body: bytes) -> dict[str, str]:
    """The fields of a form as a browser sends it; what is no form has none."""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _is_private(request: Request) -> bool:
    """Whether the browser speaks TLS: with us, or with a proxy before us that says so."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    return scheme.partition(",")[0].strip().casefold() == "https"
