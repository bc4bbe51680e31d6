"""How are the settings told? Every one with its value here, its default and its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from consilience.settings import TABLE, Settings

REBUILT = frozenset(("pack", "models.embed", "passages.target", "passages.language"))
"""What is built into the index: after a change of one of these, `consilience rebuild`."""
_PASSWORD = re.compile(r"(?<=//).*@")  # to the last one: a password may hold some itself
_ASKED = re.compile(r"(?<==)[^&#]+")


def told(settings: Settings) -> list[dict[str, Any]]:
    """One entry for each setting; keys, and passwords in addresses, are not among the values."""
    values = asdict(settings)
    return [
        {
            "name": row.name,
            "value": hidden(row.name, _value(values, row.name)),
            "default": row.default,
            "variable": row.variable,
            "help": row.help,
        }
        for row in TABLE
    ]


def hidden(name: str, value: Any) -> Any:
    """A key is not shown, only that there is one, nor is a password or a key in an address."""
    if name.endswith("_key") and value:
        return "(set)"
    if name.endswith("address") and isinstance(value, str):
        plain, mark, asked = _PASSWORD.sub("(set)@", value).partition("?")
        return plain + mark + _ASKED.sub("(set)", asked)
    return value


def _value(values: Mapping[str, Any], name: str) -> Any:
    section, _, last = name.rpartition(".")
    return values[section][last] if section else values[last]
