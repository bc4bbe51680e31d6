"""What plan did the model write? Its reply read, repaired where little is wrong, or refused.

The shape is a pydantic model; its JSON schema goes to the server, which may follow it or not.
So the reply is read leniently: the first JSON object in it, with commas too many, an end that is
missing, and sources written in any way that has their numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import from_json

from consilience.answer.prompts import SIZES
from consilience.answer.task import Task
from consilience.answer.writer import heading_of
from consilience.text_markup import find_marks, neutralize
from consilience.types import Outline, Section

POINT = 300
OPENING = 700
_ENDLESS = "brackets within brackets without end"
_NEEDLESS = re.compile(r",(\s*[}\]])")
_CLOSED = ConfigDict(json_schema_extra={"additionalProperties": False})


def _numbers(value: Any) -> list[int]:
    """Marks however they are written: 3, "3", "[Source 3]", "1, 2", or a list of those."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [number for one in value for number in _numbers(one)]
    if isinstance(value, str):
        before = value.partition(":")[0]  # a label says more numbers after its own
        return [int(one) for one in re.findall(r"\d{1,3}", before)]
    with suppress(ValueError, OverflowError):  # JSON of a model may hold 1e400 or NaN
        return [int(value)] if isinstance(value, int | float) else []
    return []


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_text(one) for one in value)
    # JSON may hold half of a pair of letters, which no file and no terminal takes.
    return "" if value is None else str(value).encode("utf-8", "replace").decode()


Text = Annotated[str, BeforeValidator(_text)]


class Part(BaseModel):
    """A section as the model plans it."""

    model_config = _CLOSED
    heading: Text
    sources: Annotated[list[int], BeforeValidator(_numbers)]
    point: Text

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        """What is missing is empty; a heading may be called a title."""
        if not isinstance(value, Mapping):
            return {"heading": _text(value), "sources": list(find_marks(_text(value))), "point": ""}
        heading = value.get("heading", value.get("title", ""))
        return {"sources": [], "point": "", **value, "heading": heading}


class Plan(BaseModel):
    """The outline as the model writes it."""

    model_config = _CLOSED
    sections: list[Part]  # first, so that a reply that is cut off has them
    answer: Text

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        return {"answer": "", **value} if isinstance(value, Mapping) else value


def schema(task: Task) -> dict[str, Any]:
    """The JSON schema of an outline, without references, with the marks that there are."""
    own = Plan.model_json_schema()
    part = own.pop("$defs")["Part"]
    part["properties"]["sources"]["items"] = {"enum": [one.mark for one in task.exhibits]}
    part["properties"]["sources"] |= {"minItems": 1, "maxItems": len(task.exhibits)}
    most = min(SIZES[task.length].sections, len(task.exhibits))
    own["properties"]["sections"] |= {"items": part, "minItems": 1, "maxItems": most}
    found: dict[str, Any] = _untitled(own)
    return found


def parse(reply: str, task: Task) -> tuple[Outline, list[str]]:
    """The outline in a reply, and what was repaired; `ValueError` says why there is none."""
    value, repairs = _first_object(reply)
    try:
        plan = Plan.model_validate(value)
    except RecursionError as error:
        raise ValueError(_ENDLESS) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(one) for one in first["loc"])
        raise ValueError(f"{place or 'the reply'}: {first['msg']}") from error
    sections = list(_sections(plan, task, repairs))
    if not sections:
        raise ValueError("no section names a source that there is")
    most = SIZES[task.length].sections
    if len(sections) > most:
        repairs.append(f"{len(sections)} sections were made {most}")
        last = _merged(sections[most - 1 :])
        sections = [*sections[: most - 1], last]
    opening = " ".join(plan.answer.split())[:OPENING]
    return Outline(sections=tuple(sections), opening=opening), repairs


def _sections(plan: Plan, task: Task, repairs: list[str]) -> Iterator[Section]:
    """Sections with a heading and a known source, those of one heading as one."""
    found: dict[str, list[Section]] = {}
    for part in plan.sections:
        marks = tuple(dict.fromkeys(one for one in part.sources if one in task.by_mark))
        unknown = sorted(set(part.sources) - set(marks))
        if unknown:
            repairs.append(f"there is no source {', '.join(map(str, unknown))}")
        heading = heading_of(part.heading) or heading_of(part.point)
        if not marks or not heading:
            repairs.append(f"section {heading or '(without a name)'!r} names no source")
            continue
        point = " ".join(neutralize(part.point).split())[:POINT]
        section = Section(heading=heading, marks=marks, point=point)
        found.setdefault(heading.casefold(), []).append(section)
    for same in found.values():
        if len(same) > 1:
            repairs.append(f"section {same[0].heading!r} stood there {len(same)} times")
        yield _merged(same)


def _merged(sections: Sequence[Section]) -> Section:
    marks = dict.fromkeys(mark for one in sections for mark in one.marks)
    points = dict.fromkeys(one.point for one in sections if one.point)
    return Section(heading=sections[0].heading, marks=tuple(marks), point=" ".join(points)[:POINT])


# --- reading JSON that is not quite JSON ------------------------------------------------


def _first_object(reply: str) -> tuple[Any, list[str]]:
    """The first JSON object of a reply; `ValueError` if there is none to be made of it."""
    start = reply.find("{")
    if start < 0:
        raise ValueError("there is no JSON object in the reply")
    text, repairs = reply[start:], []
    decoder = json.JSONDecoder(strict=False)
    for repair in ("", "a comma too many"):
        if repair:
            text = _NEEDLESS.sub(r"\1", text)
        try:
            return decoder.raw_decode(text)[0], [repair] if repair else []
        except RecursionError as error:
            raise ValueError(_ENDLESS) from error
        except ValueError:
            repairs = ["the end was missing"]
    try:
        value = from_json(text, allow_partial="trailing-strings")
    except ValueError as error:
        raise ValueError(f"the JSON object breaks off: {error}") from error
    return value, repairs


def _untitled(value: Any) -> Any:
    """A schema without the titles that pydantic gives everything."""
    if isinstance(value, dict):
        return {
            name: _untitled(one)
            for name, one in value.items()
            if name not in ("title", "description") or not isinstance(one, str)
        }
    return [_untitled(one) for one in value] if isinstance(value, list) else value
