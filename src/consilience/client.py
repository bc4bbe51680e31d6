"""How is a workspace reached that another process serves? Through that process, over HTTP.

The owner's note says where it listens and what opens it. Standard library alone. What goes wrong
there is raised here as the same error; an owner that is gone in the middle is an error of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self
from urllib.parse import urlsplit

from consilience import errors
from consilience.errors import ConsilienceError, SourceError, UsageError, WorkspaceBusy
from consilience.settings import TABLE, Settings
from consilience.wire import decoded, encoded

GREETING_S = 5.0
"""How long an owner may take to say that it is there."""
BEAT_S = 20.0
"""How long an owner says nothing at most while a long job goes on."""
SPARE_S = 15.0
"""How much longer than an owner allows itself its answer is waited for."""
VERSION = "X-Consilience-Version"


class Gone(WorkspaceBusy):
    """Whoever served the workspace does not answer."""


class OtherVersion(WorkspaceBusy):
    """Whoever serves the workspace is of another version than this."""


_KINDS: Mapping[str, type[ConsilienceError]] = {
    **{
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ConsilienceError)
    },
    "MissingExtra": UsageError,  # it is told as it was told there
    "Refused": UsageError,
    "InvalidRequest": UsageError,
    "TooLarge": UsageError,
    "Busy": WorkspaceBusy,
    "Rebuilding": WorkspaceBusy,
    "Late": SourceError,
    "OtherVersion": OtherVersion,
}


@cache
def installed() -> str:
    """The version that is installed here."""
    try:
        return version("consilience")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


def fingerprints(settings: Settings, secret: str) -> dict[str, str]:
    """A few digits for every setting, to compare two processes without telling either's keys."""
    values = asdict(settings)
    found = {}
    for row in TABLE:
        section, _, last = row.name.rpartition(".")
        value = values[section][last] if section else values[last]
        told = encoded([row.name, _ordered(value)])
        found[row.name] = hmac.new(secret.encode(), told, hashlib.sha256).hexdigest()[:16]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whoever serves a workspace: where, by which secret, and what it is called in messages."""

    address: str
    secret: str
    name: str
    answers_s: float = GREETING_S

    def ask(self, what: str, body: Any = None) -> Any:
        """What it answers."""
        with self._reached(what, body, self.answers_s + SPARE_S) as lines:
            return decoded(lines.all())

    def told(self, what: str, body: Any = None, *, quiet_s: float = 0.0) -> Lines:
        """What it answers line by line, none of which takes longer than `quiet_s` to come."""
        return self._reached(what, body, (quiet_s or self.answers_s) + SPARE_S)

    def greeted(self) -> Mapping[str, Any] | None:
        """What it says of itself; None where nothing listens there, or something else does."""
        try:
            with self._reached("hello", None, GREETING_S) as lines:
                found = decoded(lines.all())
        except OtherVersion:
            raise
        except ConsilienceError:
            return None
        return found if isinstance(found, dict) else None

    def gone(self, reason: object) -> Gone:
        """The error that says that it does not answer any more."""
        return Gone(
            f"{self.name} serves this workspace at {self.address}, but does not answer "
            f"({reason or 'it hung up'}). What it had stored is kept: if it has ended, run the "
            "same again; if it hangs, stop it first"
        )

    def _reached(self, what: str, body: Any, patience_s: float) -> Lines:
        parts = urlsplit(self.address)
        connection = HTTPConnection(
            parts.hostname or "", parts.port, timeout=patience_s, blocksize=2**16
        )
        headers = {
            "Authorization": f"Bearer {self.secret}",
            "Content-Type": "application/json",
            VERSION: installed(),
        }
        path = f"{parts.path}/remote/{what}"
        try:
            connection.request("POST", path, body=encoded(body), headers=headers)
            reply = connection.getresponse()
            if reply.status != 200:
                raise raised(reply.read(), reply.status)
        except (OSError, HTTPException) as error:
            connection.close()
            raise self.gone(error) from error
        except BaseException:
            connection.close()
            raise
        return Lines(self, connection, reply)


class Lines:
    """What an owner says, line by line, until it has said all or nobody listens any more."""

    def __init__(self, owner: Owner, connection: HTTPConnection, reply: HTTPResponse) -> None:
        self._owner = owner
        self._connection = connection
        self._reply = reply

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Every line; one that tells of an error raises it. An empty one only says it is there."""
        while line := self._read(self._reply.readline):
            if not line.endswith(b"\n"):
                raise self._owner.gone("it stopped in the middle of a line")
            if not line.strip():
                continue
            found = decoded(line)
            if "error" in found:
                raise raised(line, 200)
            yield found

    def cut_off(self) -> Gone:
        """The error of what ended before it was whole."""
        return self._owner.gone("it stopped before the answer was whole")

    def all(self) -> bytes:
        """Everything at once."""
        return self._read(self._reply.read)

    def close(self) -> None:
        """Listen no more; whoever waits for the next line in another thread is woken."""
        with suppress(OSError, AttributeError):
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, read: Any) -> bytes:
        try:
            found: bytes = read()
        except (OSError, HTTPException, ValueError) as error:
            raise self._owner.gone(error) from error
        return found


def raised(data: bytes, status: int) -> ConsilienceError:
    """The error that an owner tells of, as it was raised there."""
    try:
        told = decoded(data)["error"]
        kind, message = str(told["kind"]), str(told["message"])
    except (ConsilienceError, LookupError, TypeError):
        kind, message = "", f"it answered with status {status}, not in words that are known here"
    return _KINDS.get(kind, ConsilienceError)(message)


def _ordered(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, Mapping) else value
