"""Under which conditions is it measured? As a person asks, with patience, and on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consilience.settings import TABLE, Settings

LIMIT = 10
"""How many results a person is shown."""
DEADLINES: Mapping[str, int] = {
    "models.live_ms": 60_000,
    "retrieve.soft_ms": 60_000,
    "retrieve.hard_ms": 60_000,
    "refine.rerank_ms": 60_000,
}
"""What is waited for while measuring: what a search finds must not depend on the machine."""


def patient(settings: Settings) -> Settings:
    """These settings with the deadlines of a measurement."""
    return replace(
        settings,
        models=replace(settings.models, live_ms=DEADLINES["models.live_ms"]),
        retrieve=replace(
            settings.retrieve,
            soft_ms=DEADLINES["retrieve.soft_ms"],
            hard_ms=DEADLINES["retrieve.hard_ms"],
        ),
        refine=replace(settings.refine, rerank_ms=DEADLINES["refine.rerank_ms"]),
    )


def recorded(settings: Settings) -> dict[str, Any]:
    """The settings that what is found depends on, by dotted name; no deadline, no key."""
    values: dict[str, Any] = {}
    for row in TABLE:
        if row.name in DEADLINES or row.name.endswith("_key"):
            continue
        section, _, last = row.name.rpartition(".")
        value = getattr(getattr(settings, section) if section else settings, last)
        values[row.name] = dict(value) if isinstance(value, Mapping) else value
    return values
