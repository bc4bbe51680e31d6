"""What is wrong with a request, in words for whoever wrote it? The field, the value, what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LONGEST = 60
"""Letters of a wrong value that are shown."""
_WANTED = {
    "query": "a text",
    "q": "a text",
    "limit": "a whole number",
    "length": "`concise`, `balanced` or `in-depth`",
    "bucket": "`a` or `b`",
    "filters": 'a list of conditions, such as ["eco=B90", "year>=1960"]',
    "collections": 'a list of names, such as ["documents", "tables"]',
    "start": "the name of a thing",
    "end": "the name of a thing",
    "passage": "the id of a passage",
    "wish": "a text",
    "days": "a whole number",
    "budget": 'an object such as {"amount": 600, "currency": "EUR", "per": "trip"}',
    "amount": "a number above 0",
    "currency": "three letters, such as EUR",
    "per": "`trip` or `day`",
    "pace": "`relaxed`, `balanced` or `packed`",
}
_TYPES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
}
OBJECT = 'a request is a JSON object such as {"query": "plans in the Najdorf"}'
_Error = Mapping[str, Any]


def told(errors: Sequence[_Error]) -> str:
    """All that is wrong with a request."""
    return "; ".join(dict.fromkeys(map(_mistake, errors)))


def _mistake(error: _Error) -> str:
    where, *place = (str(part) for part in error["loc"])
    if error["type"] == "json_invalid":
        return f"the request is no JSON ({_reason(error)}); {OBJECT}"
    if not place and where == "body":
        return f"{OBJECT}, this one is {_shown(error['input'])}"
    is_entry = len(place) > 1 and place[1].isdigit()  # of a list; else a field of an object
    name = place[0] if is_entry else ".".join(place) or where
    known = _KINDS.get(error["type"], _wrong)
    return known(name, {**error, "in": where, "item": is_entry})


def _reason(error: _Error) -> str:
    """What the reader of JSON stumbled over, and at which letter."""
    said = str(error.get("ctx", {}).get("error", "it cannot be read"))
    at = error["loc"][1] if len(error["loc"]) > 1 else 0
    return f"{said[:1].lower()}{said[1:]}, at letter {int(at) + 1}"


def _wrong(name: str, error: _Error) -> str:
    """A value of another type than is wanted."""
    if error["item"]:
        return f"an entry of `{name}` has to be a text, not {_shown(error['input'])}"
    wanted = _WANTED.get(name.rpartition(".")[2]) or _TYPES.get(error["type"].split("_")[0])
    if wanted is None:
        return f"`{name}`: {error['msg'][:1].lower()}{error['msg'][1:]}"
    return f"`{name}` has to be {wanted}, not {_shown(error['input'])}"


def _missing(name: str, error: _Error) -> str:
    if error["in"] == "query":
        return f"`{name}` is missing; ask with ?{name}=…"
    if name in ("query", "body"):
        return f"`query` is missing; {OBJECT}" if name == "query" else OBJECT
    return f"`{name}` is missing; GET /openapi.json shows the request as a whole"


def _unknown(name: str, _error: _Error) -> str:
    return f"`{_cut(name)}` is no field of this request; GET /openapi.json lists those that are"


def _small(name: str, error: _Error) -> str:
    return f"`{name}` has to be at least {error['ctx']['ge']}, not {_shown(error['input'])}"


def _large(name: str, error: _Error) -> str:
    return f"`{name}` can be at most {error['ctx']['le']}, not {_shown(error['input'])}"


def _many(name: str, error: _Error) -> str:
    return f"`{name}` can have at most {error['ctx']['max_length']} entries"


def _long(name: str, error: _Error) -> str:
    most, given = error["ctx"]["max_length"], len(str(error["input"]))
    return f"`{name}` can have at most {most} letters, this one has {given}"


def _empty(name: str, _error: _Error) -> str:
    return f"`{name}` is empty; write something"


def _odd(name: str, error: _Error) -> str:
    """What a check of our own says of a value."""
    return f"`{name}`: {error['ctx']['error']}"


_KINDS: Mapping[str, Callable[[str, _Error], str]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "greater_than_equal": _small,
    "less_than_equal": _large,
    "too_long": _many,
    "string_too_long": _long,
    "string_too_short": _empty,
    "value_error": _odd,
}


def _shown(value: object) -> str:
    """A value as its sender wrote it, not endless."""
    try:
        return _cut(json.dumps(value, ensure_ascii=False, default=str))
    except RecursionError:
        return "lists within lists without end"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
