"""Under which conditions is measured? With raised deadlines, so that no clock decides a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consilience.engine import Engine
from consilience.engine.retrieve import Breakers
from consilience.settings import TABLE, Settings, hide_secret

LIMIT = 10
"""Results that a person sees."""
DEADLINES: Mapping[str, int] = {
    "models.live_ms": 60_000,
    "retrieve.soft_ms": 60_000,
    "retrieve.hard_ms": 60_000,
    "refine.rerank_ms": 60_000,
}
"""Deadlines while measuring: what a search finds must not depend on the machine."""


def patient_settings(settings: Settings) -> Settings:
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


def patient_engine(engine: Engine) -> Engine:
    """An engine with the deadlines of a measurement and no open circuit breaker."""
    return replace(engine, settings=patient_settings(engine.settings), breakers=Breakers())


def exceeds_deadlines(times: Mapping[str, float], settings: Settings) -> bool:
    """Whether a live search would not have waited; `times` are ms by the name of the setting."""
    return any(ms > setting_value(settings, name) for name, ms in times.items())


def recorded_settings(settings: Settings) -> dict[str, Any]:
    """The settings that results depend on, by dotted name; no deadline, no key."""
    values: dict[str, Any] = {}
    for row in TABLE:
        if row.name in DEADLINES or row.name.endswith("_key") or row.name.startswith("serve."):
            continue
        value = hide_secret(row.name, setting_value(settings, row.name))
        values[row.name] = dict(value) if isinstance(value, Mapping) else value
    return values


def setting_value(settings: Settings, name: str) -> Any:
    """A setting by its dotted name."""
    section, _, key = name.rpartition(".")
    return getattr(getattr(settings, section) if section else settings, key)
