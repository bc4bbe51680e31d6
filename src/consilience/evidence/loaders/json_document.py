"""How is a JSON file read? Lists of objects are rows of tables, the rest lines under its names.

`{"name": "Bell Rock", "keepers": [{"who": "Reid"}, …]}` gives the line `name: Bell Rock` and a
table `keepers`. Objects that hold mostly a text, such as posts, are read as texts (see `table`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import plain, read_text, said, title_of
from consilience.evidence.loaders.json_records import Json, check_width, flatten, shown
from consilience.evidence.loaders.table import record_blocks
from consilience.evidence.size_limits import short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator

_DEEPEST = 6  # names above a value that are its section; deeper ones are part of its own name
_NAME = 100


def load(path: Path) -> Document:
    """Read a JSON file of any shape."""
    text, notes = read_text(path)
    try:
        found: Json = json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise LoadError(
            f"{path.name} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{path.name} cannot be read: {str(error) or 'nested too deep'}") from error
    name = plain(path.stem)
    faults: list[str] = []
    blocks = tuple(_blocks(found, (), name, faults))
    rows = bool(blocks) and all(block.kind == "row" for block in blocks)
    return Document(
        title=title_of(path),
        kind="table" if rows else "document",
        blocks=blocks,
        notes=(*notes, *faults, *said(path, blocks)),
    )


def _blocks(
    value: Json, section: tuple[str, ...], table: str, faults: list[str]
) -> Iterator[Block]:
    place = Locator(section=section)
    if isinstance(value, dict) and len(section) < _DEEPEST:
        inner = {key: item for key, item in value.items() if _is_branch(item)}
        lines = flatten({key: item for key, item in value.items() if key not in inner})
        if lines:
            text = "\n".join(f"{name}: {shown(item)}" for name, item in lines.items())
            yield Block(text=text, locator=place)
        for key, item in inner.items():
            name = short(" ".join(plain(key).split()), _NAME)
            yield from _blocks(item, (*section, name), f"{table} {name}", faults)
    elif isinstance(value, dict):
        yield from _blocks({f"{key}": json.dumps(item) for key, item in value.items()}, (), "", [])
    elif isinstance(value, list) and _is_branch(value):
        records = [(at, item) for at, item in enumerate(value, start=1) if isinstance(item, dict)]
        wide = [(at, fault) for at, item in records if (fault := check_width(item))]
        faults.extend(f"item {at} left out: {fault}" for at, fault in wide[:3])
        kept = [(at, item) for at, item in records if at not in dict(wide)]
        yield from record_blocks(kept, Locator(section=section, table=table))
        if rest := [item for item in value if not isinstance(item, dict)]:
            yield from _blocks(json.dumps(rest, ensure_ascii=False), section, table, faults)
    else:
        lines = flatten({"": value})
        yield from (Block(text=shown(item), locator=place) for item in lines.values())


def _is_branch(value: Json) -> bool:
    """Whether a value has names of its own: an object, or a list that has objects in it."""
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in value)
    return isinstance(value, dict) and bool(value)


LOADER = Format(endings=(".json", ".geojson"), version=1, load=load)
