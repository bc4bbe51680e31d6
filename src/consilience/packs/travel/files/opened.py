"""When is a place open, in the syntax of OpenStreetMap? From that, from English, from a table.

`M-Sa 8:30AM-5PM, Su 9AM-6PM` becomes `Mo-Sa 08:30-17:00; Su 09:00-18:00`. What cannot be read
stays words: it is told, and not counted on.
"""

from __future__ import annotations

import re

from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import as_text
from consilience.packs.travel.files.languages import days_in_english
from consilience.packs.travel.hours import is_hours

_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_SPELT = {
    "mo": r"mon(?:days?)?|m(?:o)?", "tu": r"tues?(?:days?)?|tu", "we": r"wed(?:nesdays?)?|we?",
    "th": r"thu(?:r|rs)?(?:days?)?|th", "fr": r"fri(?:days?)?|fr?", "sa": r"sat(?:urdays?)?|sa",
    "su": r"sun(?:days?)?|su",
}  # fmt: skip
_DAY = "|".join(f"(?P<{key}>{words})" for key, words in _SPELT.items())
_ONE_DAY = re.compile(rf"\b(?:{_DAY})\b\.?", re.IGNORECASE)
_TIME = re.compile(r"(?P<h>\d{1,2})(?:[:.h](?P<m>\d{1,2}))?\s*(?P<half>[ap])?\.?(?:m\b\.?)?", re.I)
_CLOCK = r"(?<![\d:.])\d{1,2}(?::\d{1,2}(?!\d)|[.h]\d{2})?(?![:.]?\d)\s*(?:[ap]\.?m\b\.?)?"
_TIMES = re.compile(rf"({_CLOCK})\s*(?:-|–|—|to|until|till)\s*({_CLOCK})", re.IGNORECASE)
_ALWAYS = re.compile(r"24\s*(?:/\s*7|hours?|hrs?|h\b)|\balways open\b|\bopen all day\b", re.I)
_DAILY = re.compile(r"\b(?:daily|every\s?day|each day|all week|7 days a week|mon?-sun?)\b", re.I)
_CLOSED = re.compile(r"\b(?:closed|off|shut)\b", re.IGNORECASE)
_NOISE = re.compile(r"\b(?:open|opens|hours?|from|on|and|opening)\b|[:&]", re.IGNORECASE)


def hours_of(value: Json) -> str:
    """Opening hours as they are kept; empty for none, and for such as cannot be read."""
    if isinstance(value, dict) and "weekday_text" in value:
        return hours_of(value["weekday_text"])
    if isinstance(value, dict):
        parts = [f"{day} {as_text(times) or _listed(times)}" for day, times in value.items()]
        return _translated("; ".join(parts))
    if isinstance(value, list):
        return _translated("; ".join(filter(None, map(as_text, value))))
    text = as_text(value)
    if not text:
        return ""
    if is_hours(text) and _named_right(text):
        return text
    told = days_in_english(text)
    return told if told != text and is_hours(told) else _translated(text) or _translated(told)


def _listed(times: Json) -> str:
    if isinstance(times, dict):
        ends = [as_text(times.get(one)) for one in ("open", "close")]
        return "-".join(ends) if all(ends) else ""
    return ", ".join(filter(None, map(as_text, times))) if isinstance(times, list) else ""


def _named_right(text: str) -> bool:
    """Whether hours name days and times as the syntax does, rather than being read by luck."""
    return bool(re.search(r"\d\d:\d\d|24/7|\boff\b|sun(?:rise|set)", text))


def _translated(text: str) -> str:
    if _ALWAYS.search(text) and not _TIMES.search(text):
        return "24/7"
    rules: list[str] = []
    for part in re.split(r";|\n|(?<=[\dmM.])\s*,\s*(?=[A-Za-z])", text):
        rule = _rule(part)
        if rule is None:
            return ""
        if rule:
            rules.append(rule)
    found = "; ".join(rules)
    return found if found and is_hours(found) else ""


def _rule(part: str) -> str | None:
    """One rule: days and times; empty for no words, None for words that are not understood."""
    if not part.strip():
        return ""
    times = [_span(match) for match in _TIMES.finditer(part)]
    rest = _TIMES.sub(" ", part)
    closed = bool(_CLOSED.search(rest))
    days = _days(rest)
    if days is None or (not times and not closed) or None in times:
        return None
    if closed and not times:
        return f"{days} off" if days else None
    return " ".join(filter(None, (days or "Mo-Su", ",".join(filter(None, times)))))


def _span(match: re.Match[str]) -> str | None:
    ends = [_TIME.match(one.strip()) for one in match.groups()]
    if ends[0] is None or ends[1] is None:
        return None
    halves = [one["half"] for one in ends if one]
    if halves[1] and not halves[0]:
        first, last = int(ends[0]["h"]), int(ends[1]["h"])
        halves[0] = halves[1] if first < last or first == 12 else "a"
    found = [_clock(one, half) for one, half in zip(ends, halves, strict=True) if one]
    return "-".join(found) if all(found) else None


def _clock(match: re.Match[str], half: str | None) -> str:
    hour, minute = int(match["h"]), int(match["m"] or 0)
    if half:
        hour = hour % 12 + (12 if half.casefold() == "p" else 0)
    return f"{hour:02}:{minute:02}" if hour <= 24 and minute < 60 else ""


def _days(text: str) -> str | None:
    """The days of a rule; empty for every day, None where words are left that are no days."""
    if _DAILY.search(text):
        return "Mo-Su"
    bare = _NOISE.sub(" ", _CLOSED.sub(" ", text))
    named = _ONE_DAY.sub(lambda match: f"<{_DAYS[_number(match)]}>", bare)
    named = re.sub(r">\s*(?:-|–|—|to|through)\s*<", "-", named)
    days = re.findall(r"<([^<>]*)>", named)
    if re.search(r"[^\W\d_]", re.sub(r"<[^<>]*>|\bto\b", "", named)):
        return None
    return ",".join(days)


def _number(match: re.Match[str]) -> int:
    return next(at for at, key in enumerate(_SPELT) if match[key])
