"""What is counted while serving? Requests, times, what sources did; for Prometheus to read.

Each server has a registry of its own. Addresses are counted by their template, never as they were
asked: whoever asks must not decide how much is kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from consilience.types import Answer, Result

FRESH_S = 5.0
"""Seconds for which passages are not counted again."""
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"})
_TIMES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_EXAMPLE = 'consilience_questions_total{workspace="apiary"} 12.0'


class Watched(Protocol):
    """What is looked at when somebody reads: the desks, and the workspaces by name."""

    @property
    def spaces(self) -> Mapping[str, Any]:
        """The workspaces that are served."""
        ...

    searching: Any
    writing: Any


class Metrics:
    """Counters and times of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        count, times = self._counter, self._times
        self._requests = count("requests", "Requests", "route", "method", "status")
        self._seconds = times("request_seconds", "Time to the end of a reply", "route")
        self._questions = count("questions", "Questions searched for", "workspace")
        self._abstained = count("abstained", "Questions that nothing answers", "workspace")
        self._answers = count("answers", "Answers written", "workspace", "writer")
        self._outcomes = count(
            "source_outcomes", "How asking a source went", "workspace", "source", "status"
        )
        self._source_seconds = times("source_seconds", "Time of a source", "workspace", "source")

    def watch(self, service: Watched) -> None:
        """Show desks, jobs and passages of a service as they are when somebody reads."""
        self.registry.register(_Standing(service))

    def requested(self, scope: Mapping[str, Any], *, status: int, seconds: float) -> None:
        """Count a request that has ended; one whose sender went away has the status 499."""
        route, method = route_of(scope), str(scope["method"])
        known = method if method in _METHODS else "other"
        self._requests.labels(route, known, str(status or 499)).inc()
        self._seconds.labels(route).observe(seconds)

    def searched(self, space: str, result: Result) -> None:
        """Count a question and what each source did for it."""
        self._questions.labels(space).inc()
        if result.abstained:
            self._abstained.labels(space).inc()
        for one in result.trace.outcomes:
            self._outcomes.labels(space, one.source, one.status).inc()
            if one.status != "skipped":
                self._source_seconds.labels(space, one.source).observe(one.ms / 1000)

    def answered(self, space: str, answer: Answer) -> None:
        """Count an answer that was written, by its writer."""
        self._answers.labels(space, answer.writer).inc()

    def router(self) -> APIRouter:
        """`GET /metrics`."""
        router = APIRouter(tags=["server"])

        @router.get(
            "/metrics",
            summary="What is counted, for Prometheus",
            response_class=Response,
            responses={200: {"content": {"text/plain": {"example": _EXAMPLE}}}},
        )
        async def metrics() -> Response:
            text = await asyncio.to_thread(generate_latest, self.registry)
            return Response(text, media_type=CONTENT_TYPE_LATEST)

        return router

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(f"consilience_{name}", told, labels, registry=self.registry)

    def _times(self, name: str, told: str, *labels: str) -> Histogram:
        return Histogram(
            f"consilience_{name}", told, labels, registry=self.registry, buckets=_TIMES
        )


def route_of(scope: Mapping[str, Any]) -> str:
    """The template of the address that a request went to; `other` where there is none."""
    path = getattr(scope.get("route"), "path", "")
    for prefix in ("/static", "/mcp"):
        if path == prefix or (not path and str(scope["path"]).startswith(f"{prefix}/")):
            return prefix
    return path or "other"


class _Standing(Collector):
    """What stands at the moment, looked at when somebody reads it."""

    def __init__(self, service: Watched) -> None:
        self._service = service
        self._counted = _Kept(self._count)

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: to register is not to look."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Desks, jobs, journals, passages."""
        service, spaces = self._service, self._service.spaces.items()
        desks = {"search": service.searching, "write": service.writing}
        yield _gauge(
            "desk_inside", "Questions worked on or waiting", ("desk",),
            {(name,): desk.inside for name, desk in desks.items()},
        )  # fmt: skip
        yield _gauge(
            "desk_waiting", "Questions that wait for a seat", ("desk",),
            {(name,): desk.waiting for name, desk in desks.items()},
        )  # fmt: skip
        yield _gauge(
            "jobs", "Jobs that are not done", ("workspace",),
            {(name,): space.jobs.going_on() for name, space in spaces},
        )  # fmt: skip
        yield _gauge(
            "jobs_failed", "Jobs that failed, of those still known", ("workspace",),
            {(name,): space.jobs.failed() for name, space in spaces},
        )  # fmt: skip
        yield _gauge(
            "journal_lost", "Lines that the journal could not keep since the start", ("workspace",),
            {(name,): space.journal.lost for name, space in spaces},
        )  # fmt: skip
        yield _gauge(
            "journal_trouble", "1 while the journal cannot be written", ("workspace",),
            {(name,): bool(space.journal.trouble) for name, space in spaces},
        )  # fmt: skip
        labels = ("workspace", "collection")
        yield _gauge("passages", "Passages held", labels, self._counted())

    def _count(self) -> dict[tuple[str, ...], float]:
        return {
            (name, collection): sum(kinds.values())
            for name, space in self._service.spaces.items()
            for collection, kinds in space.workspace.catalogue.counts().items()
        }


class _Kept:
    """A count that is not made again within a few seconds."""

    def __init__(self, count: Callable[[], dict[tuple[str, ...], float]]) -> None:
        self._count = count
        self._at = 0.0
        self._found: dict[tuple[str, ...], float] = {}

    def __call__(self) -> dict[tuple[str, ...], float]:
        if not self._at or time.monotonic() - self._at > FRESH_S:
            self._found, self._at = self._count(), time.monotonic()
        return self._found


def _gauge(
    name: str, told: str, labels: tuple[str, ...], values: Mapping[tuple[str, ...], float]
) -> Metric:
    found = GaugeMetricFamily(f"consilience_{name}", told, labels=labels)
    for label, value in values.items():
        found.add_metric(label, value)
    return found
