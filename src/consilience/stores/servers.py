"""Where is a store that is on a server, and what of it is kept here?

The settings name an address and a key; the collection's folder keeps a `Handle`, a small file that
says what the store is called there. A store whose handle is gone is made anew; what it was stays
on the server under its own name.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from consilience.errors import StoreError, UsageError
from consilience.settings import Settings

Role = Literal["passages", "tables", "graph"]
Result = TypeVar("Result")
TRIES = 5
"""How often a write is tried while a server is overloaded or starts again."""
_FIRST_WAIT_S = 0.2
_FILE = "file:"
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server by its address, and the key or password for it.

    `place` is the address without secrets, to be shown; `file` the name of handles for it.
    """

    role: Role
    url: str
    key: str
    place: str

    @property
    def file(self) -> str:
        """The name of a handle: another address is another store."""
        return f"{self.role}@{sha256(self.place.encode()).hexdigest()[:8]}"


def read_server(role: Role, settings: Settings) -> Server:
    """The server that the settings name for a role."""
    url: str = getattr(settings.store, role)
    key: str = getattr(settings.store, f"{role}_key")
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    if not (host or parts.path.strip("/")):
        raise UsageError(f"store.{role} names no server: write {parts.scheme}://HOST:PORT")
    return Server(
        role=role,
        url=url,
        key=_read_secret(f"store.{role}_key", key),
        place=f"{parts.scheme}://{host}{parts.path}".rstrip("/"),
    )


def _read_secret(name: str, value: str) -> str:
    """A secret, or what stands in the file that it names."""
    if not value.startswith(_FILE):
        return value
    path = Path(value.removeprefix(_FILE))
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UsageError(f"{name} names the file {path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """What a store on a server is called there, and which of its generations is which.

    A rebuild writes a new generation beside the one that is searched; `publish` in the store makes
    it the searched one.
    """

    name: str
    searched: int = 1
    written: int = 1
    dimensions: int = 0

    @staticmethod
    def open(path: Path, *, dimensions: int = 0) -> Handle:
        """The handle in this file, made if it is not there."""
        if not path.exists():
            workspace = _UNSAFE.sub("_", path.absolute().parents[3].name.casefold())[:20]
            collection = _UNSAFE.sub("_", path.parent.name)[:20]
            name = f"consilience_{workspace}_{collection}_{uuid.uuid4().hex[:8]}"
            handle = Handle(name=name, dimensions=dimensions)
            handle.save(path)
            return handle
        try:
            return Handle(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(
                f"{path} cannot be read: {error}; delete it and run `consilience add`, which "
                "writes the store on the server again"
            ) from error

    def save(self, path: Path) -> None:
        """Write it to the disk, all at once."""
        beside = path.with_name(f"{path.name}.new")
        beside.write_text(json.dumps(asdict(self)), encoding="utf-8")
        beside.replace(path)

    def renew(self, dimensions: int) -> Handle:
        """With a new generation to write to."""
        return replace(self, written=self.written + 1, dimensions=dimensions)

    def publish(self) -> Handle:
        """With the written generation as the searched one."""
        return replace(self, searched=self.written)

    @property
    def is_published(self) -> bool:
        """Whether what is written is what is searched."""
        return self.searched == self.written


def retry_overloaded(
    call: Callable[[], Result], is_overloaded: Callable[[Exception], bool]
) -> Result:
    """Call again, after longer and longer waits, while a server cannot keep up."""
    for attempt in range(1, TRIES):
        try:
            return call()
        except Exception as error:
            if not is_overloaded(error):
                raise
            time.sleep(_FIRST_WAIT_S * 2 ** (attempt - 1))
    return call()


def no_answer(engine: str, place: str, error: Exception) -> StoreError:
    """A server failed at what it was asked."""
    text = " ".join(str(error).split())[:300] or type(error).__name__
    return StoreError(
        f"{engine} at {place} failed: {text}; is it running, and may this machine reach it?"
    )
