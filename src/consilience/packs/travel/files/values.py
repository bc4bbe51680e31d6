"""What do values of foreign data say: a duration, months, a truth, a list, a share from 0 to 1?"""

from __future__ import annotations

import calendar
import math
import re

from consilience.evidence.loaders.common import one_line
from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import as_text, spelt, unaccented
from consilience.packs.travel.files.languages import MONTHS

_DAY_MIN = 480  # minutes of a day that are spent at something
_HOURS_UP_TO = 12  # a duration without a unit is hours up to here
_UNITS = {"d": _DAY_MIN, "h": 60, "m": 1, "s": 1 / 60}
_PART = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*(?:(?:-|–|—|to)\s*(\d+(?:[.,]\d+)?)\s*)?"
    r"(days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)?(?![a-z])",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?")
_WORDS = {"half a day": 240, "half day": 240, "half-day": 240, "full day": _DAY_MIN,
          "full-day": _DAY_MIN, "whole day": _DAY_MIN, "all day": _DAY_MIN, "a day": _DAY_MIN,
          "half an hour": 30, "an hour": 60}  # fmt: skip
_COUNTED = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty
"""
_NUMBER_WORDS = {word: at for at, word in enumerate(_COUNTED.split(), start=1)}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b")
_HALF = re.compile(r"\b(\d+) and a half (hours?|days?)")
_HALF_BEHIND = re.compile(r"\b(\d+) (hours?|days?) and a half")
_MONTHS = (
    {
        name.casefold(): number
        for names in (calendar.month_name, calendar.month_abbr)
        for number, name in enumerate(names)
        if name
    }
    | {"sept": 9}
    | dict(MONTHS)
)
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_SPAN = re.compile(
    rf"\b({_MONTH})\b\.?(?:\s*(?:-|–|—|to|through|until|till|bis|au|a|al)\s*(?:(?:early|mid|late)[\s-]+)?"
    rf"\b({_MONTH})\b)?",
    re.IGNORECASE,
)
_TRUE = frozenset({"yes", "true", "y", "1", "t"})
_FALSE = frozenset({"no", "false", "n", "0", "f"})


def number(value: Json) -> float | None:
    """A plain number, also where it is written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value.strip().replace("−", "-"))
        except ValueError:
            return None
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def truth(value: Json) -> bool | None:
    """Yes or no; None for anything else."""
    if isinstance(value, bool):
        return value
    word = as_text(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def items(value: Json) -> list[str]:
    """A list of short texts, also where it is written as one: `a; b`, `a | b`, `a, b`."""
    if isinstance(value, dict):
        return [one_line(name) for name, given in value.items() if given not in (False, None, 0)]
    if isinstance(value, list):
        return [text for one in value if (text := as_text(one) or _named(one))]
    text = as_text(value)
    mark = next((one for one in (";", "|", ",") if one in text), ";")
    return [part for one in text.split(mark) if (part := one.strip())]


def _named(value: Json) -> str:
    if not isinstance(value, dict):
        return ""
    names = (as_text(value.get(one)) for one in ("name", "title", "label", "id"))
    return next(filter(None, names), "")


def minutes(value: Json, name: str = "") -> int | None:
    """A duration in minutes: `2h 30m`, `1.5 hours`, `2:30`, `half day`, or a number whose unit
    the field's name tells; None for anything else.
    """
    plain = number(value)
    if plain is not None:
        return _counted(plain, spelt(name))
    text = _in_digits(as_text(value).casefold())
    if match := _CLOCK.fullmatch(text):
        return int(match[1]) * 60 + int(match[2])
    for words, spent in _WORDS.items():
        if words in text and not re.search(r"\d", text):
            return spent
    text = text.removeprefix("pt") if text.startswith("pt") else text
    total = _summed(text)
    return round(total) if total else None


def _in_digits(text: str) -> str:
    """Numbers in words as digits: `four and a half hours` is 4.5 hours."""
    text = _NUMBER_WORD.sub(lambda match: str(_NUMBER_WORDS[match[0]]), text)
    text = _HALF.sub(r"\1.5 \2", text)
    return _HALF_BEHIND.sub(r"\1.5 \2", text)


def _counted(plain: float, name: str) -> int | None:
    if plain <= 0:
        return None
    words = name.split("_")
    if {"minutes", "min", "mins"} & set(words):
        return round(plain)
    if {"hours", "h", "hrs", "hour"} & set(words):
        return round(plain * 60)
    if {"days", "day"} & set(words):
        return round(plain * _DAY_MIN)
    return round(plain * 60 if plain <= _HOURS_UP_TO else plain)


def _summed(text: str) -> float:
    total, before = 0.0, ""
    for match in _PART.finditer(text):
        unit = (match[3] or ("m" if before == "h" else ""))[:1]
        if not unit:
            continue
        ends = [float(one.replace(",", ".")) for one in match.group(1, 2) if one]
        total, before = total + sum(ends) / len(ends) * _UNITS[unit], unit
        if len(ends) == 2:
            break
    return total


def days(value: Json) -> tuple[int, ...]:
    """How many days: `[2, 3]`, `2-3 days`, `3`; empty for anything else."""
    if isinstance(value, list):
        found = [number(one) for one in value]
    else:
        text = as_text(value)
        if re.search(r"hour|min|week|month", text.casefold()):
            return ()
        found = [float(one) for one in re.findall(r"\d+", text)[:2]]
    return tuple(sorted({round(one) for one in found if one and 0 < one <= 365}))


def months(value: Json) -> tuple[int, ...]:
    """The months that are named: `[2, 3]`, `["Feb"]`, `February to May`; none for all year."""
    if isinstance(value, list):
        found = [one for given in value for one in months(given)]
        return tuple(sorted(set(found)))
    plain = number(value)
    if plain is not None:
        return (int(plain),) if plain in range(1, 13) else ()
    text = unaccented(as_text(value))
    spread: set[int] = set()
    for match in _SPAN.finditer(text):
        if match[1] == "may" and len(text) > 30:  # the verb
            continue
        first = _MONTHS[match[1].casefold()]
        last = _MONTHS[match[2].casefold()] if match[2] else first
        spread.update((first + step - 1) % 12 + 1 for step in range((last - first) % 12 + 1))
    if not spread and re.fullmatch(r"[\d,;\s]+", text):
        spread.update(one for one in map(int, re.findall(r"\d+", text)) if one in range(1, 13))
    return tuple(sorted(spread)) if len(spread) < 12 else ()


def share(value: Json) -> float | None:
    """A strength from 0 to 1; of ten or a hundred where it is more than one."""
    plain = number(value)
    if plain is None or plain < 0 or plain > 100:
        return None
    return plain if plain <= 1 else plain / 10 if plain <= 10 else plain / 100
