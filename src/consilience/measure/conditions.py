"""Under which conditions is it measured? As a person asks, with patience, and on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consilience.settings import TABLE, Settings
from consilience.settings.telling import hidden

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


def too_late(times: Mapping[str, float], settings: Settings) -> bool:
    """Whether a live search would not have waited: a time is above the setting it is named by."""
    return any(ms > value_of(settings, name) for name, ms in times.items())


def recorded(settings: Settings) -> dict[str, Any]:
    """The settings that what is found depends on, by dotted name; no deadline, no key."""
    values: dict[str, Any] = {}
    for row in TABLE:
        if row.name in DEADLINES or row.name.endswith("_key") or row.name.startswith("serve."):
            continue
        value = hidden(row.name, value_of(settings, row.name))
        values[row.name] = dict(value) if isinstance(value, Mapping) else value
    return values


def value_of(settings: Settings, name: str) -> Any:
    """A setting by its dotted name."""
    section, _, last = name.rpartition(".")
    return getattr(getattr(settings, section) if section else settings, last)
