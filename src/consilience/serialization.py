"""How do values travel between two processes? As JSON from which the same values are made again.

Whatever dataclass goes in comes out equal: numbers to the last digit, tuples as tuples. What was
not made by this module, or by another version of the types, is refused.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, TypeVar

from consilience.errors import UsageError
from consilience.protocols import Likeness, Vectors
from consilience.types import Done, Drafted, Event, Said, Searched, Withdrawn

if TYPE_CHECKING:  # costs more at import than most commands need
    from pydantic import TypeAdapter

Kind = TypeVar("Kind")
_EVENTS: dict[str, type[Event]] = {
    event.__name__.lower(): event for event in (Searched, Drafted, Said, Withdrawn, Done)
}


def to_plain(kind: type[Kind], value: Kind) -> Any:
    """A value of a kind as lists, dicts and scalars, for JSON."""
    return _ADAPTERS[kind].dump_python(value, mode="json")


def from_plain(kind: type[Kind], found: Any) -> Kind:
    """The value that these lists, dicts and scalars stand for."""
    from pydantic import ValidationError  # noqa: PLC0415 - only for those who need it

    try:
        value: Kind = _ADAPTERS[kind].validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise UsageError(
            f"this is not a {getattr(kind, '__name__', kind)}: {where}: {first['msg']}; are both "
            "sides of the same version?"
        ) from error
    return value


def event_to_plain(event: Event) -> dict[str, Any]:
    """An event of an answer, by its name."""
    return {"event": type(event).__name__.lower(), "value": to_plain(type(event), event)}


def event_from_plain(found: dict[str, Any]) -> Event:
    """The event of a name."""
    if found.get("event") not in _EVENTS:
        raise UsageError(f"unknown event {found.get('event')!r}; are both of the same version?")
    return from_plain(_EVENTS[found["event"]], found.get("value"))


def likeness_to_plain(likeness: Likeness) -> dict[str, Any]:
    """How alike passages are; the numbers as they lie in memory."""
    return {"ids": list(likeness.ids), "matrix": _packed(likeness.matrix)}


def likeness_from_plain(found: dict[str, Any]) -> Likeness:
    """The likeness again."""
    import numpy as np  # noqa: PLC0415 - costs more than all of this package

    numbers = np.frombuffer(base64.b64decode(found["matrix"]), dtype="<f4").astype(np.float32)
    size = len(found["ids"])
    return Likeness(ids=tuple(found["ids"]), matrix=numbers.reshape(size, size))


def encode_json(value: Any) -> bytes:
    """One line of JSON; whatever letters it holds, it is ASCII."""
    return json.dumps(value).encode()


def decode_json(data: bytes) -> Any:
    """What a line of JSON says."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise UsageError(f"the reply is not JSON: {error}") from error


def _packed(matrix: Vectors) -> str:
    return base64.b64encode(matrix.astype("<f4").tobytes()).decode()


class _Adapters(dict[Any, "TypeAdapter[Any]"]):
    """What reads and writes each kind, made when first needed."""

    def __missing__(self, kind: Any) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter  # noqa: PLC0415 - only for those who need it

        return self.setdefault(kind, TypeAdapter(kind))


_ADAPTERS = _Adapters()
