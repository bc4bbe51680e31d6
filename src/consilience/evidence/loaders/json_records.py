"""How are lines of JSON read? One object a line; a bad line is told, the others are given.

Lines come one after the other, so that a file may be far larger than what is kept of it, and a
file whose name ends in `.gz` is unpacked on the way.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from consilience.errors import LoadError
from consilience.evidence.loaders.common import decode, plain
from consilience.types import Scalar, Value

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Fault = tuple[int, str]
Numbered = tuple[int, dict[str, Json]]
PACKED = ".gz"
MOST_FIELDS = 1000  # of a row: each is a column of the engine and a field of every passage
LONGEST_NAME = 500  # letters of a field's dotted name
LONGEST_LINE = 50_000_000  # bytes
MOST_RATIO = 200  # unpacked to packed bytes; text has 3 to 20
SMALL = 20_000_000  # bytes that may be packed as well as one likes
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16, whose lines are not those of its bytes
_MOST_NOTES = 5
_LARGEST = 2**63
_SHORT = 40
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


@dataclass(slots=True)
class Lines:
    """The records of a file, as they are read: `faults` and `notes` are whole at the end.

    A file in which no line is an object is refused, and one that cannot be read to its end.
    """

    path: Path
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Numbered]:
        """(line number, object) pairs."""
        empty = True
        for number, line in enumerate(self._texts(), start=1):
            if line.isspace() or not line:
                continue
            found = parse(line)
            if isinstance(found, str):
                self.faults.append((number, found))
            else:
                empty = False
                yield number, found
        if empty and self.faults:
            number, reason = self.faults[0]
            raise LoadError(
                f"no line of {self.path.name} is a JSON object (line {number}: {reason}); "
                "write one object a line"
            )

    def _texts(self) -> Iterator[str]:
        for line in _bytes(self.path):
            text, notes = decode(line, self.path.name)
            if notes and not self.notes:
                self.notes.extend(notes)
            yield from text.split("\n") if "\n" in text[:-1] else (text,)


def _bytes(path: Path) -> Iterator[bytes]:
    """The lines of a file as bytes; one in UTF-16 is given whole."""
    packed = path.name.lower().endswith(PACKED)
    try:
        most = max(SMALL, MOST_RATIO * path.stat().st_size) if packed else math.inf
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            line = stream.readline(LONGEST_LINE + 1)
            if line.startswith(_WIDE):
                line += stream.read(LONGEST_LINE + 1)
            while line:
                if len(line) > LONGEST_LINE:
                    raise LoadError(
                        f"{path.name} has a line of more than {LONGEST_LINE // 1_000_000} MB; "
                        "write one object a line"
                    )
                if stream.tell() > most:
                    raise LoadError(
                        f"{path.name} would unpack to more than {MOST_RATIO} times its size; "
                        "refused as a decompression bomb"
                    )
                yield line
                line = stream.readline(LONGEST_LINE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise LoadError(
            f"{path.name} cannot be unpacked: {error}; it may be cut short, fetch it again"
        ) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise LoadError(f"cannot open {path.name}: {reason}; check the path and rights") from error


def unpacked(path: Path) -> Path:
    """A file's path without the ending that says that it is packed."""
    return path.with_name(path.name[: -len(PACKED)]) if path.suffix.lower() == PACKED else path


def read_lines(path: Path) -> tuple[list[Numbered], list[Fault], list[str]]:
    """(line number, object) pairs, faulty lines with their reasons, and notes on the encoding."""
    lines = Lines(path)
    records = list(lines)
    return records, lines.faults, lines.notes


def parse(line: str) -> dict[str, Json] | str:
    """The object on a line, or why there is none. `NaN` is read as a missing value."""
    try:
        found = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        return f"{error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return str(error).split(";")[0] or "nested too deep"
    if not isinstance(found, dict):
        return f"not an object but {type(found).__name__}"
    return (len(line) > MOST_FIELDS and check_width(found)) or found


def check_width(record: dict[str, Json]) -> str:
    """Why a record has too many fields, or names that are too long; else nothing."""
    number, waiting = 0, [(0, record)]
    while waiting:
        before, fields = waiting.pop()
        for name, value in fields.items():
            length = before + len(name)
            if length > LONGEST_NAME:
                return f"the name of a field has more than {LONGEST_NAME:,} letters; shorten it"
            if isinstance(value, dict):
                waiting.append((length + 1, value))
            number += not isinstance(value, dict)
        if number > MOST_FIELDS:
            return f"more than {MOST_FIELDS:,} fields; keep those that are asked about"
    return ""


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
    waiting: list[tuple[str, Json]] = [(_short(k), v) for k, v in record.items()][::-1]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            inner = [(f"{name}.{_short(key)}", one) for key, one in value.items()]
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
        return _short(value) if len(value) <= _SHORT else plain(value).strip()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return str(value)
    return value if isinstance(value, int) else None


@lru_cache(2048)
def _short(text: str) -> str:
    """A name or a short text, cleaned once and kept once however many records have it."""
    return plain(text).strip()


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
