"""Which words are known of tables? Those of the lists in `roles.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list, without case."""
    return frozenset(table()[name].casefold().split())


@cache
def table() -> dict[str, Any]:
    """All lists, by their names."""
    path = Path(__file__).with_name("roles.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
