"""What did an earlier evaluation say? Its JSON, read and examined, and what sums it up again.

The shape, as far as others rely on it: `questions` are the judged ones, `unscored` the others
that were asked. Each has `id`, `text`, `answerable` (True, False, or None where nobody said) and
`ways`; by way there are the measures (in `questions` only), `first`, the `SHARES` (0, 1, or None
where that cannot be told), `ms` and `refused`. Where answers were
written, `merged` has their `support` too, and the question an `answer`. `key` is the
digest of all that the answers depend on (`keeping.answers_key` gives that of now), `digest`
that of the JSON itself, by which an edit is seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.measure.scoring.measures import within

DIGEST = "digest"
SHARES = ("attribution", "page_in_top_5", "value_in_top_5", "value_on_page")
"""Of each question 0, 1, or None where that cannot be told; of a way their mean."""
_HOW = "make one with `consilience evaluate --json`"
_PARTS: Mapping[str, type] = {
    "golden": dict,
    "fingerprint": str,
    "settings": dict,
    "models": dict,
    "ways": dict,
    "comparisons": list,
    "controls": list,
    "questions": list,
}
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    float: "a number",
}


def read_evaluation(path: Path) -> dict[str, Any]:
    """The JSON of an evaluation, whole and of the right shape; anything else is refused."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; name a JSON file") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}; {_HOW}") from error
    if not isinstance(found, dict) or found.get("version") != 1:
        raise UsageError(f"{path} is no evaluation of version 1; {_HOW}")
    wrong = next(_faults(found), None)
    if wrong:
        raise UsageError(f"{path} is no whole evaluation: {wrong}; {_HOW}")
    return found


def signed(value: Mapping[str, Any]) -> dict[str, Any]:
    """These values with their digest, by which an edit by hand is seen later."""
    return {**value, DIGEST: digest_of(value)}


def digest_of(value: Mapping[str, Any]) -> str:
    """The digest of all values but the digest itself, however the file is laid out."""
    rest = {key: one for key, one in value.items() if key != DIGEST}
    told = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


def edited(value: Mapping[str, Any]) -> bool:
    """Whether the values are not those that were written, or were written without a digest."""
    return value.get(DIGEST) != digest_of(value)


def sums(evaluation: Mapping[str, Any], way: str) -> dict[str, Any]:
    """What a way's questions give when added up again, under the names that the ways have.

    The `SHARES` are means (None where no question tells), `latency_ms` has p50 and p95,
    `refusals` the share of either side.
    """
    asked = [*evaluation["questions"], *evaluation.get("unscored", ())]
    told = [(one.get("answerable"), one["ways"][way]) for one in asked if way in one["ways"]]
    known = {
        name: [float(one[name]) for _, one in told if one.get(name) is not None]
        for name in (*SHARES, "ms")
    }
    sides = {"answerable": True, "unanswerable": False}
    refused = {
        side: [float(bool(one.get("refused"))) for answerable, one in told if answerable is wanted]
        for side, wanted in sides.items()
    }
    return {
        **{name: _mean(known[name]) for name in SHARES},
        "latency_ms": within(known["ms"]),
        "refusals": {side: _mean(values) for side, values in refused.items()},
    }


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- what may be wrong ------------------------------------------------------------------


def _faults(value: Mapping[str, Any]) -> Iterator[str]:
    """What is not as it must be, part by part; what follows the first may be a consequence."""
    for name, kind in _PARTS.items():
        yield from _unlike(value, name, kind, "it")
    for name, way in value["ways"].items():
        yield from _way(way, f"way {name!r}")
    yield from _each(value, "controls", {"name": str, "passed": bool, "told": str})
    numbers = dict.fromkeys(("gain", "low", "high", "p", "p_corrected"), float)
    yield from _each(value, "comparisons", {"ours": str, "theirs": str, "measure": str, **numbers})
    yield from _asked(value, "questions")
    if "unscored" in value:
        yield from _unlike(value, "unscored", list, "it")
        yield from _asked(value, "unscored")


def _way(way: Any, where: str) -> Iterator[str]:
    if not isinstance(way, dict):
        yield f"{where} is not an object"
    yield from _unlike(way, "kind", str, where)
    yield from _unlike(way, "measures", dict, where)
    for part in ("latency_ms", "refusals", "categories", "coverage"):
        if part in way:
            yield from _unlike(way, part, dict, where)
    for measure, sides in way["measures"].items():
        yield from _means(sides, f"{measure} of {where}")
    for name in SHARES:
        if way.get(name) is not None:
            yield from _mean_of(way[name], f"{name} of {where}")


def _asked(value: Mapping[str, Any], part: str) -> Iterator[str]:
    yield from _each(value, part, {"id": str, "text": str, "ways": dict})
    for number, one in enumerate(value[part], start=1):
        for name, given in one["ways"].items():
            where = f"{name!r} in number {number} of {part}"
            if not isinstance(given, dict):
                yield f"{where} is not an object"
                continue
            for key, number_given in given.items():
                if not isinstance(number_given, int | float | None):
                    yield f"{key} of {where} is {number_given!r}, not a number"


def _each(value: Mapping[str, Any], part: str, needed: Mapping[str, type]) -> Iterator[str]:
    for number, one in enumerate(value[part], start=1):
        where = f"number {number} of {part}"
        if not isinstance(one, dict):
            yield f"{where} is not an object"
            continue
        for name, kind in needed.items():
            yield from _unlike(one, name, kind, where)


def _means(sides: object, where: str) -> Iterator[str]:
    if not isinstance(sides, dict) or "strict" not in sides:
        yield f"{where} has no strict mean"
        return
    for side, mean in sides.items():
        yield from _mean_of(mean, f"{side} {where}")


def _mean_of(mean: object, where: str) -> Iterator[str]:
    if not isinstance(mean, dict):
        yield f"{where} is not an object"
        return
    for name in ("mean", "low", "high"):
        yield from _unlike(mean, name, float, where)


def _unlike(value: Mapping[str, Any], name: str, kind: type, where: str) -> Iterator[str]:
    if name not in value:
        yield f"{where} has no {name}"
        return
    given = value[name]
    fits = isinstance(given, int | float) if kind is float else isinstance(given, kind)
    if kind is float and isinstance(given, bool):
        fits = False
    if not fits:
        yield f"{name} of {where} is {given!r:.60}, not {_KINDS[kind]}"
