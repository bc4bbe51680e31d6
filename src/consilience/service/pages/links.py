"""Where do the links of a page lead? To addresses with the question as it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import BaseModel

# The fields of a question by their names in an address, with what they are when left out.
_FIELDS: Mapping[str, tuple[str, Any]] = {
    "query": ("q", ""),
    "collections": ("in", ()),
    "filters": ("where", ()),
    "limit": ("limit", 10),
    "expand": ("expand", True),
    "rerank": ("rerank", True),
    "bucket": ("bucket", ""),
    "length": ("length", None),
    "model": ("model", True),
}


def address(space: str, what: str, asked: object = None, **changes: Any) -> str:
    """An address below a workspace, with a question and what is to be other than it was asked.

    A change that is empty leaves its field out: `collections=()` asks all of them.
    """
    parts = _parts({**_asked(asked), **changes})
    path = "/".join(quote(part, safe="") for part in ("w", space, *filter(None, what.split("/"))))
    return f"/{path}?{urlencode(parts)}" if parts else f"/{path}"


def whole(space: str, found: Mapping[str, Any], column: int | None = None) -> str:
    """Where a passage stands whole; a path, which is kept nowhere, between its two ends.

    Of a row, `column` is the cell that is meant.
    """
    start, arrow, end = str(found["title"]).partition(" → ")
    if found["kind"] == "path" and arrow:
        return address(space, "path", start=start, end=end)
    return address(space, f"passages/{found['passage']}", column=column)


def missed(asked: object) -> str:
    """A question with its filters, to be handed on: it lacks something that is looked for."""
    return urlencode(_parts({**_asked(asked), "length": None, "model": True}))


def why_missing(space: str, told: str, passage: str) -> str:
    """Where it is said why a question, as `missed` hands it on, did not find a passage."""
    known = {name for name, _ in _FIELDS.values()}
    kept = [(name, value) for name, value in parse_qsl(told) if name in known]
    return f"{address(space, 'why-not')}?{urlencode([*kept, ('passage', passage)])}"


def question_of(told: str) -> str:
    """The words of a question that was handed on."""
    return dict(parse_qsl(told)).get("q", "")


def _asked(asked: object) -> dict[str, Any]:
    """The fields of a question, in the order in which they stand in an address."""
    if isinstance(asked, BaseModel):
        asked = asked.model_dump()
    known = asked if isinstance(asked, Mapping) else {}
    return {field: known[field] for field in _FIELDS if field in known}


def _parts(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The fields of an address, without those that are as usual."""
    parts: list[tuple[str, str]] = []
    for field, value in fields.items():
        name, plain = _FIELDS.get(field, (field, ""))
        if value is None or value == plain:
            continue
        each = value if isinstance(value, (tuple, list)) else (value,)
        parts += [(name, _told(one)) for one in each]
    return parts


def _told(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
