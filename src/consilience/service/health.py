"""Is everything there? Each workspace, and each of its sources, by asking it something.

What was seen holds for a few seconds, so that looking often costs little. A source that hangs, or
a server with no seat free, shows as such: whoever looks never waits long.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from consilience import __version__
from consilience.engine import Engine
from consilience.engine.retrieve import ask_source
from consilience.errors import ConsilienceError
from consilience.protocols import Retriever
from consilience.service.jobs import Rebuilding
from consilience.service.redaction import redact
from consilience.service.request_pool import Busy, Late
from consilience.service.service import Service, Space
from consilience.types import Ask
from consilience.types import Request as Wanted

State = Literal["ok", "empty", "degraded", "failing"]
FRESH_S = 5.0
"""Seconds for which what was seen holds."""
LIMIT_S = 3.0
"""Seconds for which whoever looks waits at most."""
SLOWEST_MS = 2000
"""Milliseconds that a source may take at most, where the settings allow more."""
_WELL = ("ok", "empty")


def router(service: Service) -> APIRouter:
    """`GET /health`."""
    router = APIRouter(tags=["server"])
    looks = {name: Look(service, space) for name, space in service.spaces.items()}

    @router.get("/health", summary="How the server, its workspaces and their sources are")
    async def health(request: Request) -> JSONResponse:
        seen = await asyncio.gather(*(one.now() for one in looks.values()))
        status = overall([one["status"] for one in seen])
        code = 503 if status == "failing" else 200
        if not request.state.right:  # whoever has no key learns whether it lives, no more
            return JSONResponse({"status": status}, status_code=code)
        spaces = redact(dict(zip(looks, seen, strict=True)))
        told = {"status": status, "version": __version__, "workspaces": spaces}
        return JSONResponse(told, status_code=code)

    return router


def overall(states: list[State]) -> State:
    """How all of it is: failing where nothing answers that should, degraded where something does
    not.
    """
    holding = [one for one in states if one != "empty"]
    if holding and all(one == "failing" for one in holding):
        return "failing"
    return "ok" if all(one == "ok" for one in holding) else "degraded"


class Look:
    """How one workspace is, looked at by one at a time for all who want to know."""

    def __init__(self, service: Service, space: Space) -> None:
        self._service = service
        self._space = space
        self._seen: dict[str, Any] = _view("degraded", "not looked at yet")
        self._at = 0.0
        self._looking: asyncio.Future[None] | None = None

    async def now(self) -> dict[str, Any]:
        """What was seen last, if that holds; else what is seen now, or why nothing is."""
        if self._at and time.monotonic() - self._at < FRESH_S:
            return self._seen
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        done, _ = await asyncio.wait({self._looking}, timeout=LIMIT_S)
        if done:
            return self._seen
        late = f"it could not be looked at within {LIMIT_S:g} seconds; this is what was seen before"
        return {**self._seen, "status": "degraded", "reason": late}

    async def _look(self) -> None:
        try:
            self._seen = await self._service.searching.run(lambda: probe(self._space))
        except (Busy, Late) as error:
            self._seen = {**self._seen, "status": "degraded", "reason": str(error)}
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            known = isinstance(error, ConsilienceError)
            said = str(error) if known else f"{type(error).__name__}: {error}"
            self._seen = _view("failing", said)
        self._at = time.monotonic()


def probe(space: Space) -> dict[str, Any]:
    """How a workspace is, by asking each of its sources; one that is rebuilt is left alone."""
    catalogue = space.workspace.catalogue
    held = {
        "collections": catalogue.counts(),
        "pending": catalogue.pending_count(),
        "jobs": space.jobs.going_on(),
        "failed": space.jobs.failed(),
        "journal": {"lost": space.journal.lost, "trouble": space.journal.trouble},
    }
    if not held["collections"]:
        return {**_view("empty", "it holds no evidence yet"), **held}
    try:
        space.jobs.ready()
    except Rebuilding as error:
        return {**_view("degraded", str(error)), **held}
    sources = asyncio.run(_asked(space.workspace.engine))
    well = [one["status"] in _WELL for one in sources.values()]
    state: State = "ok" if all(well) else "degraded" if any(well) else "failing"
    trouble = [f"{name}: {one['status']}" for name, one in sources.items() if one["reason"]]
    if space.journal.trouble:
        state = "degraded" if state == "ok" else state
        trouble.append(space.journal.trouble)
    return {**_view(state, "; ".join(trouble)), **held, "sources": sources}


async def _asked(engine: Engine) -> dict[str, dict[str, Any]]:
    outcomes = await asyncio.gather(
        *(_outcome(engine, name, source) for name, source in engine.sources.items())
    )
    return dict(zip(engine.sources, outcomes, strict=True))


async def _outcome(engine: Engine, name: str, source: Retriever) -> dict[str, Any]:
    """How a source does; one that rests after failing again and again is not asked."""
    settings = engine.settings.retrieve
    if rest_s := engine.breakers.of(name).rest_s():
        return _told("failed", reason=f"it failed too often; asked again in {rest_s:.0f} s")
    text = next(iter(engine.knowledge.pack.examples), "evidence")
    ask = Ask(
        source=name, collection=source.collection, vote=name, request=Wanted(text=text), depth=1
    )
    began = time.perf_counter()
    hard_ms = min(settings.hard_ms, SLOWEST_MS)
    told, status, reason = await ask_source(ask, source, hard_ms=hard_ms)
    ms = (time.perf_counter() - began) * 1000
    if status == "ok" and not told.found:
        status = "empty"
    return _told(status, ms=ms, count=len(told.found), reason=reason)


def _told(status: str, *, ms: float = 0.0, count: int = 0, reason: str = "") -> dict[str, Any]:
    return {"status": status, "ms": round(ms, 2), "count": count, "reason": reason}


def _view(status: State, reason: str) -> dict[str, Any]:
    return {
        "status": status,
        "reason": reason,
        "collections": {},
        "pending": 0,
        "jobs": 0,
        "failed": 0,
        "journal": {"lost": 0, "trouble": ""},
        "sources": {},
    }
