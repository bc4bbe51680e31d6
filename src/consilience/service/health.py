"""Is everything there? Each workspace, and each of its sources, by asking it something.

A check holds for a few seconds, so that frequent requests cost little. A source that hangs, or a
server without a free thread, shows as such: no request waits long.
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
from consilience.types import Request as SourceRequest

State = Literal["ok", "empty", "degraded", "failing"]
FRESH_S = 5.0
"""Seconds for which a check holds."""
LIMIT_S = 3.0
"""Seconds for which a request waits for a check."""
SLOWEST_MS = 2000
"""Milliseconds that a source may take at most, where the settings allow more."""


def router(service: Service) -> APIRouter:
    """`GET /health`."""
    router = APIRouter(tags=["server"])
    monitors = {name: Monitor(service, space) for name, space in service.spaces.items()}

    @router.get("/health", summary="How the server, its workspaces and their sources are")
    async def health(request: Request) -> JSONResponse:
        checks = await asyncio.gather(*(monitor.check() for monitor in monitors.values()))
        status = overall([check["status"] for check in checks])
        found: dict[str, Any] = {"status": status}
        if request.state.right:  # without a key, only whether it lives
            spaces = redact(dict(zip(monitors, checks, strict=True)))
            found |= {"version": __version__, "workspaces": spaces}
        return JSONResponse(found, status_code=503 if status == "failing" else 200)

    return router


def overall(states: list[State]) -> State:
    """The state of all workspaces: failing where no source of any answers, degraded where some
    do not. Empty workspaces do not count.
    """
    filled = [state for state in states if state != "empty"]
    if filled and all(state == "failing" for state in filled):
        return "failing"
    return "ok" if all(state == "ok" for state in filled) else "degraded"


class Monitor:
    """Checks one workspace, once at a time for all requests."""

    def __init__(self, service: Service, space: Space) -> None:
        self._service = service
        self._space = space
        self._last: dict[str, Any] = _view("degraded", "not checked yet")
        self._at = 0.0
        self._running: asyncio.Future[None] | None = None

    async def check(self) -> dict[str, Any]:
        """The last check where it is fresh, else a new one, or why there is none."""
        if self._at and time.monotonic() - self._at < FRESH_S:
            return self._last
        if self._running is None or self._running.done():
            self._running = asyncio.ensure_future(self._run())
        done, _ = await asyncio.wait({self._running}, timeout=LIMIT_S)
        if done:
            return self._last
        late = f"the check took more than {LIMIT_S:g} seconds; this is the result of the last one"
        return {**self._last, "status": "degraded", "reason": late}

    async def _run(self) -> None:
        try:
            self._last = await self._service.searching.run(lambda: probe(self._space))
        except (Busy, Late) as error:
            self._last = {**self._last, "status": "degraded", "reason": str(error)}
        except ConsilienceError as error:
            self._last = _view("failing", str(error))
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            self._last = _view("failing", f"{type(error).__name__}: {error}")
        self._at = time.monotonic()


def probe(space: Space) -> dict[str, Any]:
    """The state of a workspace, by asking each of its sources; not while it is rebuilt."""
    catalogue, trouble = space.workspace.catalogue, space.journal.trouble
    counts = {
        "collections": catalogue.counts(),
        "pending": catalogue.pending_count(),
        "jobs": space.jobs.unfinished(),
        "failed": space.jobs.failed(),
        "journal": {"lost": space.journal.lost, "trouble": trouble},
    }
    if not counts["collections"]:
        return {**_view("empty", "it holds no evidence yet"), **counts}
    try:
        space.jobs.ready()
    except Rebuilding as error:
        return {**_view("degraded", str(error)), **counts}
    sources = asyncio.run(_ask_all(space.workspace.engine))
    answers = [source["status"] in ("ok", "empty") for source in sources.values()]
    state: State = "ok" if all(answers) else "degraded" if any(answers) else "failing"
    state = "degraded" if trouble and state == "ok" else state
    reasons = [f"{name}: {one['status']}" for name, one in sources.items() if one["reason"]]
    reason = "; ".join(filter(None, (*reasons, trouble)))
    return {**_view(state, reason), **counts, "sources": sources}


async def _ask_all(engine: Engine) -> dict[str, dict[str, Any]]:
    outcomes = await asyncio.gather(
        *(_ask(engine, name, source) for name, source in engine.sources.items())
    )
    return dict(zip(engine.sources, outcomes, strict=True))


async def _ask(engine: Engine, name: str, source: Retriever) -> dict[str, Any]:
    """How a source answers; one whose breaker is open is not asked."""
    breaker = engine.breakers.of(name)
    if rest_s := breaker.rest_s():
        reason = f"{breaker.reason}; asked again in {rest_s:.0f} s"
        return {"status": "failed", "ms": 0.0, "count": 0, "reason": reason}
    text = next(iter(engine.knowledge.pack.examples), "evidence")
    request = SourceRequest(text=text)
    ask = Ask(source=name, collection=source.collection, vote=name, request=request, depth=1)
    began = time.perf_counter()
    hard_ms = min(engine.settings.retrieve.hard_ms, SLOWEST_MS)
    answer, status, reason = await ask_source(ask, source, hard_ms=hard_ms)
    ms = (time.perf_counter() - began) * 1000
    if status == "ok" and not answer.found:
        status = "empty"
    return {"status": status, "ms": round(ms, 2), "count": len(answer.found), "reason": reason}


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
