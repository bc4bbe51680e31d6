"""What is counted while serving? Requests, times, what sources did; for Prometheus to read."""

from __future__ import annotations

from fastapi import APIRouter

from consilience.types import Result


class Metrics:
    """Counters and times of one server."""

    def searched(self, space: str, result: Result) -> None:
        """Count what each source did for a question."""

    def router(self) -> APIRouter:
        """`GET /metrics`."""
        return APIRouter()
