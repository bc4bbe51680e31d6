"""How is a file of JSON opened? Whole, with the line and column of what is wrong in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import decode, read_bytes
from consilience.evidence.loaders.json_records import Json

LARGEST = 400_000_000  # bytes of a file that is read whole


def read_json(path: Path) -> tuple[Json, Sequence[str]]:
    """What a file of JSON holds, and notes on its encoding; None for a file without text."""
    size = path.stat().st_size if path.exists() else 0
    if size > LARGEST:
        raise LoadError(
            f"{path.name} has {size:,} bytes, and a file of JSON may have {LARGEST:,}; write it as "
            "lines of JSON (.jsonl), one record a line, which are read one after the other"
        )
    text, notes = decode(read_bytes(path), path.name)
    if not text.strip():
        return None, notes
    try:
        found: Json = json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise LoadError(
            f"{path.name} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}; "
            "correct it there"
        ) from error
    except (ValueError, RecursionError) as error:
        reason = str(error).split(";")[0] or "nested too deep"
        raise LoadError(f"{path.name} cannot be read: {reason}; nest or write less") from error
    return found, notes
