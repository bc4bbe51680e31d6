"""Which shape does the JSON of an evaluation have? A schema, to refuse files that were damaged."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

Number = StrictInt | StrictFloat


class Mean(BaseModel):
    """A mean with its interval."""

    mean: Number
    low: Number
    high: Number


class Sides(BaseModel):
    """A measure, strict and lenient."""

    strict: Mean
    lenient: Mean | None = None


class WayResult(BaseModel):
    """The summary of one way of searching."""

    kind: StrictStr
    measures: dict[str, Sides]
    attribution: Mean | None = None
    page_in_top_5: Mean | None = None
    value_in_top_5: Mean | None = None
    value_on_page: Mean | None = None
    latency_ms: dict[str, Any] = {}
    refusals: dict[str, Any] = {}
    categories: dict[str, Any] = {}
    coverage: dict[str, Any] = {}


class ControlResult(BaseModel):
    """A control and how it went."""

    name: StrictStr
    passed: StrictBool
    told: StrictStr


class ComparisonResult(BaseModel):
    """Merged against another way."""

    ours: StrictStr
    theirs: StrictStr
    measure: StrictStr
    gain: Number
    low: Number
    high: Number
    p: Number
    p_corrected: Number


class QuestionResult(BaseModel):
    """What every way made of a question."""

    id: StrictStr
    text: StrictStr
    ways: dict[str, dict[str, StrictBool | Number | None]]


class EvaluationFile(BaseModel):
    """The whole file, as far as others rely on it."""

    golden: dict[str, Any]
    fingerprint: StrictStr
    settings: dict[str, Any]
    models: dict[str, Any]
    ways: dict[str, WayResult]
    comparisons: list[ComparisonResult]
    controls: list[ControlResult]
    questions: list[QuestionResult]
    unscored: list[QuestionResult] = []


def find_error(value: Any) -> str:
    """The first thing that is wrong with an evaluation and where; empty if nothing is."""
    try:
        EvaluationFile.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    return ""
