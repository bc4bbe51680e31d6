"""What do values of other people's data say: a duration, a price, months, a point, opening hours?

Every function takes a value as JSON or a table has it, and returns None (or nothing) for what it
cannot read; the caller then keeps the value as it is.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.evidence.loaders.common import one_line
from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.geography import Point, is_point
from consilience.packs.travel.hours import is_hours
from consilience.packs.travel.terms import plain

DAY_MIN = 480
"""Minutes of a whole day that are spent at something."""
_HOURS_UP_TO = 12  # a duration without a unit is in hours up to here
_TRUE = frozenset({"yes", "true", "y", "1", "t"})
_FALSE = frozenset({"no", "false", "n", "0", "f"})


def as_text(value: Json) -> str:
    """A plain value on one line; empty for lists, objects, true, false and null."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return one_line(str(value))


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: null, blank, an empty list."""
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


def number(value: Json) -> float | None:
    """A plain number, also where it is written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value.strip().replace("−", "-"))
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def truth(value: Json) -> bool | None:
    """Yes or no."""
    if isinstance(value, bool):
        return value
    word = as_text(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def items(value: Json) -> list[str]:
    """A list of short texts, also where it is written as one text: `a; b`, `a | b`, `a, b`."""
    if isinstance(value, dict):
        return [one_line(name) for name, given in value.items() if given not in (False, None, 0)]
    if isinstance(value, list):
        return [text for item in value if (text := as_text(item) or reference(item))]
    text = as_text(value)
    mark = next((mark for mark in (";", "|", ",") if mark in text), ";")
    return [part for item in text.split(mark) if (part := item.strip())]


def reference(value: Json) -> str:
    """What a value refers to: its text, or the id or name of an object."""
    if isinstance(value, dict):
        wanted = ("id", "node", "target", "to", "code", "place", "name", "title", "label")
        return next((text for name in wanted if (text := as_text(value.get(name)))), "")
    return as_text(value)


def share(value: Json) -> float | None:
    """A strength from 0 to 1; of ten or a hundred where it is more than one."""
    found = number(value)
    if found is None or found < 0 or found > 100:
        return None
    return found if found <= 1 else found / 10 if found <= 10 else found / 100


# --- time -----------------------------------------------------------------------------------

_UNITS = {"d": DAY_MIN, "h": 60, "m": 1}
_PART = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*(?:(?:-|–|—|to)\s*(\d+(?:[.,]\d+)?)\s*)?"
    r"(days?|d|hours?|hrs?|h|minutes?|mins?|m)?(?![a-z])",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?")
_DURATIONS = {"half": DAY_MIN // 2, "full": DAY_MIN, "whole": DAY_MIN, "all": DAY_MIN, "a": DAY_MIN}
_MONTHS = {
    name.casefold(): at
    for names in (calendar.month_name, calendar.month_abbr)
    for at, name in enumerate(names)
    if name
} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_SPAN = re.compile(
    rf"\b({_MONTH})\b\.?(?:\s*(?:-|–|—|to|through|until|till)\s*(?:(?:early|mid|late)[\s-]+)?"
    rf"\b({_MONTH})\b)?",
    re.IGNORECASE,
)


def minutes(value: Json, name: str = "") -> int | None:
    """A duration in minutes: `2h 30m`, `1.5 hours`, `2:30`, `half day`, or a number whose unit
    the field's name has.
    """
    bare = number(value)
    if bare is not None:
        return _with_unit(bare, set(re.split(r"[^a-z]+", plain(name))))
    text = as_text(value).casefold().removeprefix("pt")
    if match := _CLOCK.fullmatch(text):
        return int(match[1]) * 60 + int(match[2])
    if match := re.search(r"\b(half|full|whole|all|a)(?: a)?[- ]day\b", text):
        return _DURATIONS[match[1]] if not re.search(r"\d", text) else None
    total, before = 0.0, ""
    for match in _PART.finditer(text):
        unit = (match[3] or ("m" if before == "h" else ""))[:1]
        if unit:
            ends = [float(end.replace(",", ".")) for end in match.group(1, 2) if end]
            total, before = total + sum(ends) / len(ends) * _UNITS[unit], unit
    return round(total) or None


def _with_unit(bare: float, words: set[str]) -> int | None:
    if bare <= 0:
        return None
    if words & {"minutes", "min", "mins"}:
        return round(bare)
    if words & {"hours", "hour", "hrs", "h"}:
        return round(bare * 60)
    if words & {"days", "day"}:
        return round(bare * DAY_MIN)
    return round(bare * 60 if bare <= _HOURS_UP_TO else bare)


def days(value: Json) -> tuple[int, ...]:
    """How many days: `[2, 3]`, `2-3 days`, `3`."""
    if isinstance(value, list):
        found = [number(item) for item in value]
    else:
        text = as_text(value)
        if re.search(r"hour|min|week|month", text.casefold()):
            return ()
        found = [float(digits) for digits in re.findall(r"\d+", text)[:2]]
    return tuple(sorted({round(count) for count in found if count and 0 < count <= 365}))


def months(value: Json) -> tuple[int, ...]:
    """The months that are named: `[2, 3]`, `["Feb"]`, `February to May`; none for all year."""
    if isinstance(value, list):
        return tuple(sorted({month for item in value for month in months(item)}))
    bare = number(value)
    if bare is not None:
        return (int(bare),) if bare in range(1, 13) else ()
    text = as_text(value)
    found: set[int] = set()
    for match in _SPAN.finditer(text):
        if match[1] == "may" and len(text) > 30:  # the verb
            continue
        first = _MONTHS[match[1].casefold()]
        last = _MONTHS[match[2].casefold()] if match[2] else first
        found.update((first + step - 1) % 12 + 1 for step in range((last - first) % 12 + 1))
    if not found and re.fullmatch(r"[\d,;\s]+", text):
        found.update(month for month in map(int, re.findall(r"\d+", text)) if month in range(1, 13))
    return tuple(sorted(found)) if len(found) < 12 else ()


def slots(text: str) -> tuple[str, ...]:
    """The parts of the day that words name."""
    named = {
        "morning": r"\b(?:morning|sunrise|breakfast)",
        "afternoon": r"\bafternoon",
        "evening": r"\b(?:evening|night|sunset|dinner)",
    }
    return tuple(slot for slot, words in named.items() if re.search(words, text, re.IGNORECASE))


# --- opening hours ----------------------------------------------------------------------------

_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_DAY = re.compile(
    r"\b(?:(mon(?:days?)?|mo?)|(tues?(?:days?)?|tu)|(wed(?:nesdays?)?|we?)|"
    r"(thu(?:r|rs)?(?:days?)?|th)|(fri(?:days?)?|fr?)|(sat(?:urdays?)?|sa)|(sun(?:days?)?|su))\b\.?",
    re.IGNORECASE,
)
_AT = r"(\d{1,2})(?:[:.h](\d{2}))?\s*([ap]\.?m\b\.?)?"
_TIMES = re.compile(rf"(?<![\d:.]){_AT}\s*(?:-|–|—|to|until|till)\s*{_AT}(?![\d:])", re.IGNORECASE)
_ALWAYS = re.compile(r"24\s*(?:/\s*7|hours?|hrs?|h\b)|\balways open\b|\bopen all day\b", re.I)
_DAILY = re.compile(r"\b(?:daily|every ?day|each day|all week)\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:closed|off|shut)\b", re.IGNORECASE)
_NOISE = re.compile(r"\b(?:opens?|opening|hours?|from|on|and)\b|[:&]", re.IGNORECASE)


def hours(value: Json) -> str:
    """Opening hours in the syntax of OpenStreetMap: `M-Sa 8:30AM-5PM` is `Mo-Sa 08:30-17:00`."""
    if isinstance(value, dict):
        if "weekday_text" in value:
            return hours(value["weekday_text"])
        return _translate("; ".join(f"{day} {_times(times)}" for day, times in value.items()))
    if isinstance(value, list):
        return _translate("; ".join(filter(None, map(as_text, value))))
    text = as_text(value)
    if text and is_hours(text) and re.search(r"\d\d:\d\d|24/7|\boff\b|sun(?:rise|set)", text):
        return text
    return _translate(text)


def _times(value: Json) -> str:
    if isinstance(value, dict):
        return "-".join(filter(None, (as_text(value.get(end)) for end in ("open", "close"))))
    return ", ".join(map(as_text, value)) if isinstance(value, list) else as_text(value)


def _translate(text: str) -> str:
    if _ALWAYS.search(text) and not _TIMES.search(text):
        return "24/7"
    parts = re.split(r";|\n|(?<=[\dmM.])\s*,\s*(?=[A-Za-z])", text)
    rules = [_rule(part) for part in parts if part.strip()]
    found = "; ".join(rules) if all(rules) else ""
    return found if found and is_hours(found) else ""


def _rule(part: str) -> str:
    """Days and times; empty where there are words that are neither."""
    times = [_clock_span(match) for match in _TIMES.finditer(part)]
    rest = _TIMES.sub(" ", part)
    closed, daily = bool(_CLOSED.search(rest)), bool(_DAILY.search(rest))
    bare = _NOISE.sub(" ", _DAILY.sub(" ", _CLOSED.sub(" ", rest)))
    named = _DAY.sub(lambda match: f"<{_DAYS[(match.lastindex or 1) - 1]}>", bare)
    named = re.sub(r">\s*(?:-|–|—|to|through)\s*<", "-", named)
    days_named = "Mo-Su" if daily else ",".join(re.findall(r"<([^<>]*)>", named))
    if re.search(r"[^\W\d_]", re.sub(r"<[^<>]*>|\bto\b", "", named)) or not all(times):
        return ""
    if not times:
        return f"{days_named} off" if closed and days_named else ""
    return f"{days_named or 'Mo-Su'} {','.join(times)}"


def _clock_span(match: re.Match[str]) -> str:
    first, last = match.group(1, 2, 3), match.group(4, 5, 6)
    halves = [half[:1].casefold() if half else "" for half in (first[2], last[2])]
    if halves[1] and not halves[0]:
        halves[0] = halves[1] if int(first[0]) < int(last[0]) or int(first[0]) == 12 else "a"
    ends = []
    for (hour, minute, _), half in zip((first, last), halves, strict=True):
        at = int(hour) % 12 + (12 if half == "p" else 0) if half else int(hour)
        ends.append(f"{at:02}:{int(minute or 0):02}" if at <= 24 else "")
    return "-".join(ends) if all(ends) else ""


# --- money ------------------------------------------------------------------------------------

_SIGNS = (
    *(("US$", "USD"), ("A$", "AUD"), ("C$", "CAD"), ("NZ$", "NZD"), ("S$", "SGD"), ("HK$", "HKD")),
    *(("R$", "BRL"), ("€", "EUR"), ("£", "GBP"), ("₫", "VND"), ("฿", "THB"), ("₹", "INR")),
    *(("₩", "KRW"), ("₱", "PHP"), ("₺", "TRY"), ("₽", "RUB"), ("₪", "ILS"), ("₴", "UAH")),
    *(("₭", "LAK"), ("៛", "KHR"), ("zł", "PLN"), ("Kč", "CZK"), ("¥", "JPY"), ("$", "USD")),
)
_CURRENCY_NAMES = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "pound": "GBP",
    "pounds": "GBP", "yen": "JPY", "yuan": "CNY", "won": "KRW", "baht": "THB", "rupee": "INR",
    "rupees": "INR", "dong": "VND", "ringgit": "MYR", "rupiah": "IDR", "lira": "TRY",
    "zloty": "PLN", "forint": "HUF", "dirham": "MAD", "dirhams": "MAD",
}  # fmt: skip
_CODE = re.compile(r"\b[A-Z]{3}\b")
_DOLLARS = frozenset({"AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "USD"})
_AMOUNT = re.compile(
    r"(\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?)"
    r"\s*(k|thousand|million|m)?(?![a-z])",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:[^\d\s-]{0,4}\s*)(?:-|–|—|to)\s*[^\d\s]{0,4}\s*", re.IGNORECASE)
_SCALES = {"k": 1000, "thousand": 1000, "million": 1_000_000, "m": 1_000_000}
_FREE = re.compile(r"\b(?:free|gratis|no charge|no (?:entrance )?fee|complimentary)\b", re.I)
_AMOUNT_KEYS = ("amount", "value", "price", "adult", "adults", "min", "from", "average")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An amount in a currency, empty where none is said, and the words it was read from."""

    amount: int | float
    currency: str = ""
    words: str = ""


def price(value: Json, name: str = "") -> Price | None:
    """A price: `120,000 VND`, `$15`, `€12–15` (its middle), `Free`; of several the first."""
    said = next(iter(_CODE.findall(re.sub(r"[^A-Z]+", " ", name.upper().partition("_")[2]))), "")
    if isinstance(value, dict):
        currency_said = next((as_text(value[key]).upper() for key in value if "curr" in key), said)
        found = (price(value.get(key)) for key in _AMOUNT_KEYS)
        first = next((one for one in found if one is not None), None)
        if first is None:
            return None
        return Price(amount=first.amount, currency=first.currency or currency_said)
    bare = number(value)
    if bare is not None:
        return Price(amount=_whole(bare), currency=said) if bare >= 0 else None
    text = as_text(value)
    match = _AMOUNT.search(text)
    if match is None:
        return Price(amount=0, currency=said, words=text) if _FREE.search(text) else None
    amounts = [_amount(match)]
    between = _TO.match(text, match.end())
    if between and (other := _AMOUNT.match(text, between.end())):
        amounts.append(_amount(other))
        if other[2] and not match[2] and amounts[0] < amounts[1] / 100:
            amounts[0] *= _SCALES[other[2].casefold()]  # 20-30k
    middle = sum(amounts) / len(amounts)
    return Price(amount=_whole(middle), currency=currency(text) or said, words=text)


def currency(text: str) -> str:
    """The currency that a text names by code, sign or word; empty for none."""
    if codes := _CODE.findall(text):
        return str(codes[0])
    sign = next((code for sign, code in _SIGNS if sign in text), "")
    words = (_CURRENCY_NAMES.get(word, "") for word in re.findall(r"[^\W\d_]+", text.casefold()))
    return sign or next(filter(None, words), "")


def meant_currency(said: str, usual: str) -> str:
    """The currency that is meant: `$` in a file of Australian dollars is no American one."""
    return usual if not said or (said == "USD" and usual in _DOLLARS) else said


def _amount(match: re.Match[str]) -> float:
    text = re.sub(r"[' \u00a0\u202f]", "", match[1])
    marks = [letter for letter in text if letter in ".,"]
    if len(set(marks)) == 2:
        text = text.replace(marks[0], "")
    elif marks:
        groups = text.split(marks[0])
        if all(len(group) == 3 for group in groups[1:]) and groups[0] not in ("", "0"):
            text = "".join(groups)
    return float(text.replace(",", ".")) * _SCALES.get((match[2] or "").casefold(), 1)


def _whole(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else round(amount, 4)


# --- where ------------------------------------------------------------------------------------

_SIGNED = re.compile(r"-?\d+(?:\.\d+)?")
_DEGREES = re.compile(
    r"(\d{1,3}(?:\.\d+)?)[°\s]*(?:(\d{1,2}(?:\.\d+)?)['′\s]*)?(?:(\d{1,2}(?:\.\d+)?)[\"″\s]*)?"
    r"\s*([NSEW])\b",
    re.IGNORECASE,
)


def point(lat: Json, lon: Json) -> Point | None:
    """A point from two values: numbers, or degrees with minutes and a side."""
    found = [_degrees(value) for value in (lat, lon)]
    if found[0] is None or found[1] is None or not is_point(found[0], found[1]):
        return None
    return Point(found[0], found[1])


def _degrees(value: Json) -> float | None:
    bare = number(value)
    if bare is not None:
        return bare
    sides = _sides(as_text(value))
    return next(iter(sides.values())) if len(sides) == 1 else None


def _sides(text: str) -> dict[str, float]:
    """Degrees by axis: `N` for latitudes, `E` for longitudes."""
    found = {}
    for match in _DEGREES.finditer(text):
        size = sum(float(part or 0) / 60**at for at, part in enumerate(match.group(1, 2, 3)))
        side = match[4].upper()
        found["N" if side in "NS" else "E"] = -size if side in "SW" else size
    return found


def geometry_point(value: Json) -> Point | None:
    """A point from an object, a pair, a text or a geometry, at the middle of its positions."""
    if isinstance(value, dict):
        if "coordinates" in value:
            return geometry_point(value["coordinates"])
        by = {plain(name)[:3]: inner for name, inner in value.items()}
        return point(by.get("lat"), by.get("lon", by.get("lng")))
    if isinstance(value, list):
        positions = list(dict.fromkeys(_positions(value)))
        if not positions:
            return None
        lon, lat = (sum(pair[axis] for pair in positions) / len(positions) for axis in (0, 1))
        return point(lat, lon) or point(lon, lat)
    text = as_text(value)
    sides = _sides(text)
    if len(sides) == 2:
        return point(sides["N"], sides["E"])
    found = _SIGNED.findall(text)
    if len(found) != 2:
        return None
    first, second = found
    return point(second, first) if "POINT" in text.upper() else point(first, second)


def _positions(value: Json) -> Iterator[tuple[float, float]]:
    if not isinstance(value, list):
        return
    pair = [number(part) for part in value[:2]]
    if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
        yield pair[0], pair[1]
    else:
        for inner in value:
            yield from _positions(inner)
