"""How does a pack name functions without importing what they need? By module and name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

Later = Callable[[str, str], Callable[..., Any]]


def deferred(package: str, needed: Callable[[], None]) -> Later:
    """Gives functions of a package's modules, which are imported when they are first called.

    `needed` raises `MissingExtra` where something that they need is not installed.
    """

    def later(module: str, name: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            needed()
            return getattr(import_module(f"{package}.{module}"), name)(*given, **named)

        return call

    return later
