"""What is served, and within which limits? Workspaces by name, and what they share."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fastapi import Request

from consilience.errors import ConsilienceError, MissingWorkspace, UsageError
from consilience.journal import JOURNAL, Journal
from consilience.service.buckets import Asking, Buckets
from consilience.service.desk import Desk
from consilience.service.jobs import Jobs
from consilience.service.keys import Right
from consilience.service.metrics import Metrics
from consilience.workspace import STORE, Workspace

_WRITERS = 16  # answers that language models write at a time: their servers are waited for
_ODD = re.compile(r"[^a-z0-9_-]+")


class Refused(ConsilienceError):
    """Whoever asks may not do this."""


class Missing(UsageError):
    """There is no such thing here: no report, no job, no file of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What holds for a server as a whole.

    With `hosts` only who calls it by one of these names is answered. `keys` are the digests of
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
    """A workspace as it is served: its name in addresses, its journal, its jobs."""

    name: str
    workspace: Workspace
    journal: Journal
    jobs: Jobs
    buckets: Buckets

    def close(self) -> None:
        """Stop what is going on; the workspace itself stays open."""
        self.jobs.close()
        self.journal.close()


class Service:
    """All that is served: workspaces by name, the desks where questions wait, what is counted."""

    def __init__(self, workspaces: Sequence[Workspace], options: Options | None = None) -> None:
        self.options = options or Options()
        self.metrics = Metrics()
        self.spaces: Mapping[str, Space] = dict(self._space(one) for one in _named(workspaces))
        self.searching = self._desk("search", self.options.seats)
        self.writing = self._desk("write", _WRITERS)

    def space(self, name: str) -> Space:
        """The workspace of a name."""
        if name not in self.spaces:
            known = ", ".join(self.spaces)
            raise MissingWorkspace(f"no workspace {name[:60]!r} is served here; there are {known}")
        return self.spaces[name]

    def desk(self, asking: Asking, *, model: bool = False) -> Desk:
        """Where a question waits: a language model's server takes its time elsewhere."""
        return self.writing if model and asking.generator else self.searching

    def close(self) -> None:
        """Stop what is going on, in good order."""
        for space in self.spaces.values():
            space.close()
        for desk in (self.searching, self.writing):
            desk.close()

    def _desk(self, name: str, seats: int) -> Desk:
        limits = self.options
        return Desk(name, seats=seats, waiting=limits.waiting, timeout_s=limits.timeout_s)

    def _space(self, named: tuple[str, Workspace]) -> tuple[str, Space]:
        name, workspace = named
        on = workspace.settings.serve.journal == "on"
        path = workspace.folder / STORE / JOURNAL if on else None
        buckets = Buckets(workspace)
        return name, Space(
            name=name,
            workspace=workspace,
            journal=Journal(path, settings=buckets.settings),
            jobs=self._jobs(workspace),
            buckets=buckets,
        )

    def _jobs(self, workspace: Workspace) -> Jobs:
        return Jobs(workspace, upload_bytes=self.options.upload_bytes)


def may_write(request: Request) -> None:
    """Refuse a request that changes something where its sender may only read."""
    if request.state.right != "write":
        raise Refused("this server only lets you read; whoever runs it can add and remove")


def _named(workspaces: Sequence[Workspace]) -> list[tuple[str, Workspace]]:
    """Names for addresses, from those of the folders; the second of a name gets a number."""
    found: dict[str, Workspace] = {}
    for one in workspaces:
        plain = _ODD.sub("-", one.folder.name.lower()).strip("-") or "workspace"
        numbered = (f"{plain}-{number}" for number in range(2, len(workspaces) + 2))
        name = next(each for each in (plain, *numbered) if each not in found)
        found[name] = one
    return list(found.items())
