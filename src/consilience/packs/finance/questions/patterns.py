"""In which ways are questions put? The table `asking.toml`, made into patterns."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

LONGEST = 600
"""Letters of a question whose wording is looked at."""
_GAP = "(?:.{0,160}?(?<!\\w))?"


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    path = Path(__file__).with_name("asking.toml")
    found: dict[str, dict[str, list[str]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def pattern(group: str, name: str) -> re.Pattern[str]:
    """Any of the ways of a name in a group of the table, between whole words."""
    ways = [_filled(way) for way in _table()[group][name]]
    return re.compile("|".join(rf"{_begin(way)}(?:{way})(?!\w)" for way in ways))


def names_in(group: str) -> tuple[str, ...]:
    """The names of a group of the table."""
    return tuple(_table()[group])


def is_put(told: str, group: str, name: str) -> bool:
    """Whether a question is put in one of the ways of a name."""
    return pattern(group, name).search(told, 0, LONGEST) is not None


def _begin(way: str) -> str:
    return "" if way.startswith(("^", "%")) else r"(?<!\w)"


def _filled(way: str) -> str:
    parts = _table()["parts"]
    for _ in range(3):
        way = re.sub(r"\{([a-z]+)\}", lambda match: str(parts[match[1]]), way)
    return way.replace("…", _GAP)
