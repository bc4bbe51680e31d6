"""Which workspaces are served, and with which limits and settings?"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fastapi import Request

from consilience.errors import ConsilienceError, MissingWorkspace, UsageError
from consilience.journal import JOURNAL, Journal
from consilience.protocols import Generator
from consilience.service.auth import Right
from consilience.service.jobs import Jobs
from consilience.service.metrics import Metrics
from consilience.service.pages import Renderer
from consilience.service.request_pool import RequestPool
from consilience.types import Event, Length, Query, Result
from consilience.workspace import STORE, Workspace

_MODEL_THREADS = 16  # answers that language models write at a time; mostly they wait for a server
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_-]+")


class Refused(ConsilienceError):
    """The sender of the request may not do this."""


class Missing(UsageError):
    """There is no such thing here: no report, no job, no file of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a whole server.

    With `hosts` only requests to one of these host names are answered. `keys` are the digests of
    the keys that open it, each with its right; without any, nobody needs one. `secret` opens it
    for commands on this machine that can read the workspace's folder.
    """

    hosts: frozenset[str] = frozenset()
    keys: Mapping[str, Right] = field(default_factory=dict)
    read_only: bool = False
    seats: int = field(default_factory=lambda: os.cpu_count() or 1)
    waiting: int = 64
    timeout_s: float = 60.0
    upload_bytes: int = 200 * 2**20
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A workspace that is served: its name in addresses, its journal, jobs and templates."""

    name: str
    workspace: Workspace
    journal: Journal
    jobs: Jobs
    renderer: Renderer

    def close(self) -> None:
        """Stop its jobs; the workspace itself stays open."""
        self.jobs.close()
        self.journal.close()


class Service:
    """All that is served: workspaces by name, pools of threads for questions, metrics."""

    def __init__(self, workspaces: Sequence[Workspace], options: Options | None = None) -> None:
        self.options = options or Options()
        self.metrics = Metrics()
        self.renderer = Renderer()
        self.spaces: Mapping[str, Space] = {
            name: self._space(name, workspace) for name, workspace in _name_spaces(workspaces)
        }
        self.searching = self._pool("search", self.options.seats)
        self.writing = self._pool("write", _MODEL_THREADS)

    def space(self, name: str) -> Space:
        """The workspace of a name."""
        if name not in self.spaces:
            known = ", ".join(self.spaces)
            raise MissingWorkspace(f"no workspace {name[:60]!r} is served here; there are {known}")
        return self.spaces[name]

    def pool(self, engine: Answering, *, model: bool = False) -> RequestPool:
        """The pool for a question: answers of a language model have a pool of their own."""
        return self.writing if model and engine.generator else self.searching

    def close(self) -> None:
        """Stop all jobs and idle threads."""
        for space in self.spaces.values():
            space.close()
        for pool in (self.searching, self.writing):
            pool.close()

    def _pool(self, name: str, threads: int) -> RequestPool:
        limits = self.options
        return RequestPool(
            name, threads=threads, waiting=limits.waiting, timeout_s=limits.timeout_s
        )

    def _space(self, name: str, workspace: Workspace) -> Space:
        is_on = workspace.settings.serve.journal == "on"
        path = workspace.folder / STORE / JOURNAL if is_on else None
        return Space(
            name=name,
            workspace=workspace,
            journal=Journal(path),
            jobs=self._jobs(workspace),
            renderer=Renderer(workspace.pack),
        )

    def _jobs(self, workspace: Workspace) -> Jobs:
        return Jobs(workspace, upload_bytes=self.options.upload_bytes)


def may_write(request: Request) -> None:
    """Refuse a request that changes something where its sender may only read."""
    if request.state.right != "write":
        raise Refused("this server is read-only for you; its owner can add and remove files")


def _name_spaces(workspaces: Sequence[Workspace]) -> list[tuple[str, Workspace]]:
    """Names for addresses, from those of the folders; the second of a name gets a number."""
    named: dict[str, Workspace] = {}
    for workspace in workspaces:
        plain = _NOT_IN_NAMES.sub("-", workspace.folder.name.lower()).strip("-") or "workspace"
        numbered = (f"{plain}-{number}" for number in range(2, len(workspaces) + 2))
        free = next(name for name in (plain, *numbered) if name not in named)
        named[free] = workspace
    return list(named.items())


class Answering(Protocol):
    """What answers questions: a workspace, or the same with other settings."""

    @property
    def generator(self) -> Generator | None:
        """The language model that writes, if any."""
        ...

    def find(self, query: Query) -> Result:
        """The results of a query."""
        ...

    def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The answer as it is written."""
        ...
