"""How are lines of JSON read? One object a line; a bad line is told, the others are given."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from consilience.errors import LoadError
from consilience.loaders._text import plain, read_text
from consilience.types import Scalar, Value

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Fault = tuple[int, str]
_MOST_NOTES = 5
_LARGEST = 2**63


def read_lines(path: Path) -> tuple[list[tuple[int, dict[str, Json]]], list[Fault], list[str]]:
    """(line number, object) pairs, faulty lines with their reasons, and notes on the encoding."""
    text, notes = read_text(path)
    records: list[tuple[int, dict[str, Json]]] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            found = parse(line)
            if isinstance(found, str):
                faults.append((number, found))
            else:
                records.append((number, found))
    if faults and not records:
        number, reason = faults[0]
        raise LoadError(
            f"no line of {path.name} is a JSON object (line {number}: {reason}); "
            "write one object a line"
        )
    return records, faults, list(notes)


def parse(line: str) -> dict[str, Json] | str:
    """The object on a line, or why there is none. `NaN` is read as a missing value."""
    try:
        found = json.loads(line, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        return f"{error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return str(error).split(";")[0] or "nested too deep"
    return found if isinstance(found, dict) else f"not an object but {type(found).__name__}"


def fault_notes(faults: list[Fault]) -> list[str]:
    """What to tell of lines that were left out: the first few in full, the rest counted."""
    notes = [f"line {number} left out: {reason}" for number, reason in sorted(faults)]
    rest = len(notes) - _MOST_NOTES
    return [*notes[:_MOST_NOTES], f"{rest} more lines left out"] if rest > 0 else notes


def flatten(record: Mapping[str, Json]) -> dict[str, Value]:
    """Fields by dotted names. Lists of plain values are tuples, other lists their JSON; null
    and empty values are left out.
    """
    fields: dict[str, Value] = {}
    waiting: list[tuple[str, Json]] = [(plain(k).strip(), v) for k, v in record.items()][::-1]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            inner = [(f"{name}.{plain(key).strip()}", one) for key, one in value.items()]
            waiting.extend(reversed(inner))
        elif (known := value_of(value)) not in (None, "", ()):
            fields[name or "value"] = known
    return fields


def value_of(value: Json) -> Value | None:
    """A JSON value as a field's value; null and numbers without end are none."""
    if isinstance(value, list):
        items = [scalar(item) for item in value]
        if any(isinstance(item, list | dict) for item in value):
            return plain(_dumped(value))
        return tuple(item for item in items if item is not None)
    return scalar(value)


def scalar(value: Json) -> Scalar | None:
    """A plain value; a whole number beyond 64 bits is kept as text."""
    if isinstance(value, str):
        return plain(value).strip()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return str(value)
    return value if isinstance(value, int) else None


def shown(value: Value) -> str:
    """A field's value as it is printed."""
    if isinstance(value, tuple):
        return ", ".join(shown(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _dumped(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
