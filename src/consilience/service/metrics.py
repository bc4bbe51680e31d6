"""What is counted while serving? Requests, times, what sources did; for Prometheus to read.

Each server has a registry of its own. Addresses are counted by their template, never as they were
asked: a client must not decide how much is stored.
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


class Monitored(Protocol):
    """What is read when somebody reads the metrics: the pools, and the workspaces by name."""

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
        count, times = self._counter, self._histogram
        self._requests = count("requests", "Requests", "route", "method", "status")
        self._seconds = times("request_seconds", "Time to the end of a reply", "route")
        self._questions = count("questions", "Questions searched for", "workspace")
        self._abstained = count("abstained", "Questions that nothing answers", "workspace")
        self._answers = count("answers", "Answers written", "workspace", "writer")
        self._outcomes = count(
            "source_outcomes", "How asking a source went", "workspace", "source", "status"
        )
        self._source_seconds = times("source_seconds", "Time of a source", "workspace", "source")

    def watch(self, service: Monitored) -> None:
        """Show pools, jobs and passages of a service as they are when somebody reads."""
        self.registry.register(_Gauges(service))

    def requested(self, scope: Mapping[str, Any], *, status: int, seconds: float) -> None:
        """Count a request that has ended; one whose client went away has the status 499."""
        route, method = route_of(scope), str(scope["method"])
        known = method if method in _METHODS else "other"
        self._requests.labels(route, known, str(status or 499)).inc()
        self._seconds.labels(route).observe(seconds)

    def searched(self, space: str, result: Result) -> None:
        """Count a question and what each source did for it."""
        self._questions.labels(space).inc()
        if result.abstained:
            self._abstained.labels(space).inc()
        for outcome in result.trace.outcomes:
            self._outcomes.labels(space, outcome.source, outcome.status).inc()
            if outcome.status != "skipped":
                self._source_seconds.labels(space, outcome.source).observe(outcome.ms / 1000)

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

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(f"consilience_{name}", meaning, labels, registry=self.registry)

    def _histogram(self, name: str, meaning: str, *labels: str) -> Histogram:
        full = f"consilience_{name}"
        return Histogram(full, meaning, labels, registry=self.registry, buckets=_TIMES)


def route_of(scope: Mapping[str, Any]) -> str:
    """The template of the address of a request; `other` where there is none."""
    path = getattr(scope.get("route"), "path", "")
    for prefix in ("/static", "/mcp"):
        if path == prefix or (not path and str(scope["path"]).startswith(f"{prefix}/")):
            return prefix
    return path or "other"


_POOL_GAUGES: tuple[tuple[str, str, Callable[[Any], float]], ...] = (
    ("worker_pool_inside", "Questions that run or wait", lambda pool: pool.inside),
    ("worker_pool_waiting", "Questions that wait for a thread", lambda pool: pool.waiting),
)
_SPACE_GAUGES: tuple[tuple[str, str, Callable[[Any], float]], ...] = (
    ("jobs", "Jobs that are not done", lambda space: space.jobs.unfinished()),
    ("jobs_failed", "Jobs that failed, of those still known", lambda space: space.jobs.failed()),
    (
        "journal_lost",
        "Lines that the journal could not keep since the start",
        lambda space: space.journal.lost,
    ),
    (
        "journal_trouble",
        "1 while the journal cannot be written",
        lambda space: bool(space.journal.trouble),
    ),
)


class _Gauges(Collector):
    """Values of the moment, computed when somebody reads them."""

    def __init__(self, service: Monitored) -> None:
        self._service = service
        self._counted: tuple[float, dict[tuple[str, ...], float]] | None = None

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: to register is not to compute."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Pools, jobs, journals, passages."""
        service, spaces = self._service, self._service.spaces.items()
        pools = {"search": service.searching, "write": service.writing}
        for name, meaning, value in _POOL_GAUGES:
            yield _gauge(name, meaning, ("pool",), {(key,): value(pools[key]) for key in pools})
        for name, meaning, value in _SPACE_GAUGES:
            yield _gauge(
                name, meaning, ("workspace",), {(key,): value(space) for key, space in spaces}
            )
        yield _gauge("passages", "Passages held", ("workspace", "collection"), self._passages())

    def _passages(self) -> dict[tuple[str, ...], float]:
        """Passages of each collection, not counted again within a few seconds."""
        if self._counted is None or time.monotonic() - self._counted[0] > FRESH_S:
            counts: dict[tuple[str, ...], float] = {
                (name, collection): sum(kinds.values())
                for name, space in self._service.spaces.items()
                for collection, kinds in space.workspace.catalogue.counts().items()
            }
            self._counted = (time.monotonic(), counts)
        return self._counted[1]


def _gauge(
    name: str, meaning: str, labels: tuple[str, ...], values: Mapping[tuple[str, ...], float]
) -> Metric:
    metric = GaugeMetricFamily(f"consilience_{name}", meaning, labels=labels)
    for label, value in values.items():
        metric.add_metric(label, value)
    return metric
