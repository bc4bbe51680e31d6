"""What is wrong with a request, in words for whoever wrote it? The field, the value, what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LONGEST = 60
"""Letters of a wrong value that are shown."""
_WANTED = {
    "query": "a text",
    "limit": "a whole number",
    "length": "`concise`, `balanced` or `in-depth`",
    "merge": "true or false",
    "filters": 'a list of conditions, such as ["eco=B90", "year>=1960"]',
    "model": "true or false",
}
_OBJECT = 'a request is a JSON object such as {"query": "plans in the Najdorf"}'


def told(errors: Sequence[Mapping[str, Any]], *, declared: str) -> str:
    """All that is wrong with a request, which was declared as this type of content."""
    if "json" not in declared.casefold():
        return f"{_OBJECT}, sent with the header `content-type: application/json`"
    return "; ".join(dict.fromkeys(map(_mistake, errors)))


def _mistake(error: Mapping[str, Any]) -> str:
    place = [str(part) for part in error["loc"][1:]]
    known = _KINDS.get(error["type"])
    if error["type"] == "json_invalid":
        return f"the request is no JSON ({_reason(error)}); {_OBJECT}"
    if not place:
        return f"{_OBJECT}, this one is {_shown(error['input'])}"
    return known(place[0], error) if known else _wrong(place[0], error)


def _reason(error: Mapping[str, Any]) -> str:
    """What the reader of JSON stumbled over, and at which letter."""
    said = str(error.get("ctx", {}).get("error", "it cannot be read"))
    at = error["loc"][1] if len(error["loc"]) > 1 else 0
    return f"{said[:1].lower()}{said[1:]}, at letter {int(at) + 1}"


def _wrong(name: str, error: Mapping[str, Any]) -> str:
    wanted = _WANTED.get(name)
    if wanted is None:
        return f"`{name}`: {error['msg']}"
    return f"`{name}` has to be {wanted}, not {_shown(error['input'])}"


def _missing(name: str, _error: Mapping[str, Any]) -> str:
    return f"`{name}` is missing; {_OBJECT}"


def _unknown(name: str, _error: Mapping[str, Any]) -> str:
    return f"`{name}` is no field of this request; GET /openapi.json lists those that are"


def _small(name: str, error: Mapping[str, Any]) -> str:
    return f"`{name}` has to be at least {error['ctx']['ge']}, not {_shown(error['input'])}"


def _large(name: str, error: Mapping[str, Any]) -> str:
    return f"`{name}` can be at most {error['ctx']['le']}, not {_shown(error['input'])}"


def _many(name: str, error: Mapping[str, Any]) -> str:
    return f"`{name}` can have at most {error['ctx']['max_length']} entries"


_KINDS: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "greater_than_equal": _small,
    "less_than_equal": _large,
    "too_long": _many,
}


def _shown(value: object) -> str:
    """A value as its sender wrote it, not endless."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
