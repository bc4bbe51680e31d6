"""What must hold before a change goes out? A gate file, read and checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.measure.evaluate.running import MERGED

BETTER, NOT_WORSE, ANY = "better", "not worse", "any"
TEMPLATE = """\
# What must hold before a change goes out; `consilience gate` reads this file.
# Exit status: 0 pass, 1 fail, 4 re-evaluate (the evidence is stale, thin or undecided),
# 2 the gate itself could not be read. Take out what does not matter to you.
# Every control of the evaluation must be green; that is not for choice.

[gate]
# With fewer judged questions than this nothing is decided.
least_questions = 25
# Merged against every single source, on questions that tuning has not seen:
# "better" (must be shown), "not worse" (no single source may be shown to be better), "any".
merged = "better"
# Merged with its reranker against merged without it, in the same words.
reranked = "not worse"

# The least that a way must reach, by any measure of the evaluation. The name of a way is that of
# the evaluation: "merged", "documents/bm25" ...
[retrieval.merged]
"nDCG@10" = {ndcg}
"R@20" = {recall}

# The first result is from the right document and page: the least share of questions.
[attribution]
least = {attribution}

# One of the first five results is from the right document and page: the least share of questions.
# [pages]
# least = 0.7

# What the questions have as facts stands in the first five results: the least share of questions;
# and of those the least share in which it is on the right page.
# [values]
# least = 0.9
# on_page = 0.95

# The most milliseconds that 95 of 100 questions may take.
[latency]
p95_ms = {latency}

# Questions that nothing here answers: the least share that must be refused. And the most of the
# others that may be.
[refusals]
{refusing}unanswerable = 0.8
answerable = 0.2

# Facts of written answers that the evidence bears out: the least share. `consilience evaluate
# --answers` measures it; without that the verdict is "re-evaluate".
# [support]
# least = 0.9
"""
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "gate": ("least_questions", "merged", "reranked"),
    "retrieval": (),
    "attribution": ("least",),
    "pages": ("least",),
    "values": ("least", "on_page"),
    "latency": ("p95_ms",),
    "refusals": ("unanswerable", "answerable"),
    "support": ("least",),
}
Evaluated = Mapping[str, Any]
"""The JSON of an evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What is asked for; None asks for nothing. `retrieval` is by way, then by measure."""

    least_questions: int = 25
    merged: str = BETTER
    reranked: str = NOT_WORSE
    retrieval: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    attribution: float | None = None
    pages: float | None = None
    values: float | None = None
    on_page: float | None = None
    latency_p95_ms: float | None = None
    unanswerable: float | None = None
    answerable: float | None = None
    support: float | None = None


def template(evaluation: Evaluated | None = None) -> str:
    """A gate file with comments; the bounds are those of an evaluation, if one is given."""
    values = {
        "ndcg": "0.30",
        "recall": "0.40",
        "attribution": "0.50",
        "latency": "1000",
        "refusing": "",
    }
    merged = (evaluation or {}).get("ways", {}).get(MERGED)
    if merged:
        for key, measure in (("ndcg", "nDCG@10"), ("recall", "R@20")):
            if measure in merged["measures"]:
                values[key] = f"{merged['measures'][measure]['strict']['low']:.2f}"
        if merged.get("attribution"):
            values["attribution"] = f"{merged['attribution']['low']:.2f}"
        if (
            merged.get("refusals", {}).get("unanswerable") is None
        ):  # there is no such question to ask
            values["refusing"] = "# "
        latency = float(merged.get("latency_ms", {}).get("p95", 0.0))
        values["latency"] = f"{max(50.0, 2 * latency):.0f}"
    return TEMPLATE.format(**values)


def read_thresholds(path: Path) -> Thresholds:
    """The thresholds of a gate file; what it cannot mean is refused."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(
            f"no such gate: {path}; write one with `consilience gate --init`"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it and try again") from error
    for section, values in table.items():
        _check_names(section, values, path)
    gate = table.get("gate", {})
    refusals = table.get("refusals", {})
    return Thresholds(
        least_questions=int(_number(gate, "least_questions", path) or 0)
        if "least_questions" in gate
        else Thresholds().least_questions,
        merged=_word(gate, "merged", BETTER, path),
        reranked=_word(gate, "reranked", NOT_WORSE, path),
        retrieval=_retrieval(table.get("retrieval", {}), path),
        attribution=_number(table.get("attribution", {}), "least", path),
        pages=_number(table.get("pages", {}), "least", path),
        values=_number(table.get("values", {}), "least", path),
        on_page=_number(table.get("values", {}), "on_page", path),
        latency_p95_ms=_number(table.get("latency", {}), "p95_ms", path),
        unanswerable=_number(refusals, "unanswerable", path),
        answerable=_number(refusals, "answerable", path),
        support=_number(table.get("support", {}), "least", path),
    )


def _check_names(section: str, values: Any, path: Path) -> None:
    if section not in _KNOWN or not isinstance(values, dict):
        raise UsageError(f"{path}: unknown section [{section}]; {_near(section, _KNOWN)}")
    for name in values if section != "retrieval" else ():
        if name not in _KNOWN[section]:
            hint = _near(name, dict.fromkeys(_KNOWN[section]))
            raise UsageError(f"{path}: [{section}] has no {name!r}; {hint}")


def _near(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"


def _retrieval(table: Mapping[str, Any], path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for way, wanted in table.items():
        if not isinstance(wanted, dict):
            raise UsageError(
                f"{path}: [retrieval] takes a table a way, like [retrieval.merged], "
                f"not {way} = {wanted!r}"
            )
        found[way] = {name: _number(wanted, name, path) or 0.0 for name in wanted}
    return found


def _number(table: Mapping[str, Any], name: str, path: Path) -> float | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise UsageError(f"{path}: {name} takes a number of 0 or more, not {value!r}")
    return float(value)


def _word(table: Mapping[str, Any], name: str, default: str, path: Path) -> str:
    value = table.get(name, default)
    if value not in (BETTER, NOT_WORSE, ANY):
        raise UsageError(
            f"{path}: {name} takes {BETTER!r}, {NOT_WORSE!r} or {ANY!r}, not {value!r}"
        )
    return str(value)
