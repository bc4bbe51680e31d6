"""Is python-chess there? It is GPL-3 and comes with the `chess` extra only."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from consilience.errors import MissingExtra


def needed() -> None:
    """Raise `MissingExtra` where python-chess is not installed."""
    if find_spec("chess") is None:
        raise MissingExtra("chess (books and games with their moves)", "chess")


def later(module: str, name: str) -> Callable[..., Any]:
    """A function of one of this package's modules, imported when it is first called."""

    def call(*given: Any, **named: Any) -> Any:
        needed()
        found = import_module(f"consilience.packs.chess.{module}")
        return getattr(found, name)(*given, **named)

    return call
