"""The settings table: every setting, its default and its meaning, in one place.

A value comes from, last wins: the default here, `consilience.toml` in the workspace, an
environment variable (`fusion.k` is `CONSILIENCE_FUSION_K`). Nothing else in the package reads
the environment. An unknown name, an unknown variable of ours, or a value of the wrong kind is
refused, with what would be right.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.settings.sections import (
    SECTIONS,
    Answering,
    Fusion,
    Models,
    Passages,
    Refine,
    Retrieve,
    Serve,
    Settings,
    Store,
)

__all__ = [
    "FILE",
    "PREFIX",
    "SECTIONS",
    "TABLE",
    "Answering",
    "Fusion",
    "Models",
    "Passages",
    "Refine",
    "Retrieve",
    "Row",
    "Serve",
    "Settings",
    "Store",
    "build_settings",
    "dotted",
    "read_settings",
]

FILE = "consilience.toml"
PREFIX = "CONSILIENCE_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the settings table."""

    name: str
    default: Any
    help: str
    least: int = 0
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper().replace(".", "_")


def _rows(owner: type, prefix: str = "") -> list[Row]:
    return [
        Row(
            name=prefix + part.name,
            default=part.metadata.get("default", part.default),
            help=part.metadata["help"],
            least=part.metadata.get("least", 0),
            choices=part.metadata.get("choices", ()),
        )
        for part in fields(owner)
        if "help" in part.metadata
    ]


TABLE: tuple[Row, ...] = (
    *_rows(Settings),
    *(row for name, owner in SECTIONS.items() for row in _rows(owner, f"{name}.")),
)


def read_settings(folder: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of a workspace folder; without a folder, defaults and environment."""
    values: dict[str, Any] = {}
    if folder is not None:
        values.update(_from_file(folder / FILE))
    values.update(_from_environment(os.environ if environment is None else environment))
    return build_settings(values)


def build_settings(values: Mapping[str, Any]) -> Settings:
    """Settings from dotted names; the rest stands at its default."""
    known = {row.name: row for row in TABLE}
    parts: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    top: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"unknown setting {name!r}; `consilience settings` lists them")
        checked = _checked(known[name], value)
        section, _, last = name.rpartition(".")
        (parts[section] if section else top)[last] = checked
    built = {name: owner(**parts[name]) for name, owner in SECTIONS.items()}
    return Settings(**top, **built)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it and try again") from error
    return dotted(table)


def dotted(table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a file by dotted name, whether they stand in a section or not."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if name in SECTIONS and isinstance(value, dict):
            flat.update({f"{name}.{inner}": item for inner, item in value.items()})
        else:
            flat[name] = value
    return flat


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    names = {row.variable: row.name for row in TABLE}
    ours = {key: value for key, value in environment.items() if key.startswith(PREFIX)}
    for key in ours:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.0)[0]
            raise UsageError(
                f"unknown variable {key}; the nearest is {near}: correct it, or unset it"
            )
    return {names[key]: value for key, value in ours.items()}


def _checked(row: Row, value: Any) -> Any:
    kind = type(row.default)
    try:
        found = _PARSERS[kind](value)
        if kind in (int, float) and found < row.least:
            raise ValueError("too small")
        if row.choices and found not in row.choices:
            raise ValueError("not one of them")
    except (TypeError, ValueError) as error:
        wanted = " or ".join(map(repr, row.choices)) or _KINDS[kind].format(least=row.least)
        shown = "what it was given" if row.name.endswith("_key") else repr(value)
        raise UsageError(f"setting {row.name!r} takes {wanted}, not {shown}: {row.help}") from error
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError("not a number")
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError("not a finite number of 0 or more")
    return number


def _whole(value: Any) -> int:
    number = _number(value)
    if number != int(number):
        raise ValueError("not a whole number")
    return int(number)


def _weights(value: Any) -> dict[str, float]:
    """`{"books/bm25": 0.5}` from TOML, or `books/bm25=0.5,games=2` from the environment."""
    if isinstance(value, str):
        value = dict(pair.split("=", 1) for pair in value.split(",") if pair)
    return {str(name): _number(weight) for name, weight in dict(value).items()}


_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number of {least} or more",
    float: "a number of {least} or more",
    dict: "names with weights of {least} or more, like bm25=0.5,books=2",
}
_PARSERS: Mapping[type, Callable[[Any], Any]] = {
    str: _text,
    int: _whole,
    float: _number,
    dict: _weights,
}
