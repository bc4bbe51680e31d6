"""What does a cell of a workbook say? Its value as its number format shows it.

A number has the decimals of its format, and what the format writes around it: 0.2345 as `0.0%` is
`23.5%`, 1234.5 as `#,##0.00` is `1,234.50`, -3 as `#,##0;(#,##0)` is `(3)`. A format that shows
thousands or millions (`#,##0,`) gives the number in these, because the table around it speaks of
them. What is lost by that is kept by `exact`: all digits (15, as spreadsheets count) of the number
that is shown. A date gives what its format shows of it: `August 2025`, `2025`, `31 August 2025`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from consilience.evidence.loaders.common import one_line

_EXACT = Context(prec=15)  # digits that a spreadsheet keeps
_SHORT = Context(prec=10, rounding=ROUND_HALF_UP)  # digits shown where no format says how many
_WIDE = Context(prec=400)
_GROUP = 3  # decimals: `1.234` could be a thousand elsewhere
_MOST = 30  # decimals of a format
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[0-9A-Fa-f]+)?\]")
_BRACKETED = re.compile(r"\[[^\]]*\]")  # colours and conditions
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_DIGITS = re.compile(r"[#0?][#0?,.]*")
_SCALED = re.compile(r"[#0?](,+)(?![#0?])")
_DECIMALS = re.compile(r"\.([0#?]*)")
_DAY = re.compile(r"d", re.IGNORECASE)
_MONTH = re.compile(r"m", re.IGNORECASE)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_FORMAT = 255  # letters of a number format; a spreadsheet allows no more
_LONGEST = 40  # characters of a number; longer ones are written with an exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """One section of a number format: how it groups, scales, and what it writes around."""

    before: str = ""
    after: str = ""
    least: int = 0
    decimals: int = 0
    grouped: bool = False
    percent: bool = False
    thousands: int = 0
    general: bool = False


def shown(value: object, number_format: str = "General") -> str:
    """A cell's value as text; an empty one is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime | date):
        return _dated(value, number_format or "")
    if isinstance(value, int | float | Decimal):
        return _numbered(value, number_format or "General")
    if isinstance(value, time | timedelta):
        return str(value)
    return one_line(str(value))


# --- numbers ----------------------------------------------------------------------------


def exact(value: object, number_format: str = "General") -> str:
    """The number that a cell shows, with all its digits; empty where the text has them all."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return ""
    number, style, _ = _scaled(value, number_format or "General")
    if not number.is_finite():
        return ""
    rounded = _rounded(number, style)
    clear = rounded == number and _decimals(rounded, style) != _GROUP
    return "" if clear else f"{number.normalize():f}"


def _scaled(value: float | Decimal, number_format: str) -> tuple[Decimal, _Style, bool]:
    """The number as it is shown, its style, and whether that style is one of negative numbers."""
    number = _EXACT.create_decimal(str(value))
    sections = _sections(number_format[:_FORMAT])
    signed = number.is_signed() and bool(number) and len(sections) > 1
    style = _style(sections[1] if signed else sections[0])
    if number.is_finite():
        number = number * (100 if style.percent else 1) / (Decimal(1000) ** style.thousands)
    return number, style, signed


def _numbered(value: float | Decimal, number_format: str) -> str:
    number, style, signed = _scaled(value, number_format)
    if not number.is_finite():
        return ""
    body = _written(abs(number) if signed else number, style)
    if signed and not re.search(r"[-−(]", style.before):
        body = f"-{body}"  # negative by its colour only
    return one_line(f"{style.before}{body}{style.after}")


def _written(number: Decimal, style: _Style) -> str:
    number = _rounded(number, style)
    mark = "," if style.grouped else ""
    text = f"{number:{mark}.{_decimals(number, style)}f}"
    return text if len(text) <= _LONGEST else f"{number.normalize():E}"


def _rounded(number: Decimal, style: _Style) -> Decimal:
    """A number as far as its style shows it; one without a format has so many digits in all."""
    if not style.general:
        step = Decimal(1).scaleb(-style.decimals)
        return number.quantize(step, ROUND_HALF_UP, _WIDE)
    return number if number == number.to_integral_value() else _SHORT.plus(number)


def _decimals(number: Decimal, style: _Style) -> int:
    exponent = number.normalize().as_tuple().exponent
    own = max(0, -exponent) if isinstance(exponent, int) else 0
    return own if style.general else max(own, style.least)


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> list[str]:
    """The sections of a format, for positive, negative and zero; marks inside quotes part none."""
    return re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format)


@lru_cache(maxsize=1024)
def _style(section: str) -> _Style:
    if section.strip().lower() in ("general", "", "@"):
        return _Style(general=True)
    plain = _BRACKETED.sub("", _CURRENCY.sub(lambda found: f'"{found[1]}"', section))
    held = _LITERAL.sub(" ", plain)
    place = _DIGITS.search(_LITERAL.sub(lambda found: " " * len(found[0]), plain))
    if place is None:
        return _Style(general=True)
    code = place[0]
    decimals = _DECIMALS.search(code)
    scaled = _SCALED.search(code)
    return _Style(
        before=_said(plain[: place.start()]),
        after=_said(plain[place.end() :]),
        least=decimals[1].count("0") if decimals else 0,
        decimals=min(len(decimals[1]), _MOST) if decimals else 0,
        grouped="," in code[: scaled.start(1)] if scaled else "," in code,
        percent="%" in held,
        thousands=len(scaled[1]) if scaled else 0,
    )


def _said(part: str) -> str:
    """What a part of a format writes as it is: quoted words, currency signs, brackets."""
    found = _LITERAL.sub(lambda match: match[1] or match[2] or " ", part)
    return re.sub(r"[#0?@]|[Ee][+-]0*", "", found)


# --- dates ------------------------------------------------------------------------------


def _dated(value: date, number_format: str) -> str:
    code = _LITERAL.sub("", _BRACKETED.sub("", number_format[:_FORMAT]))
    month = _MONTHS[value.month - 1]
    if _DAY.search(code) or not re.search(r"y", code, re.IGNORECASE):
        return f"{value.day} {month} {value.year}"
    return f"{month} {value.year}" if _MONTH.search(code) else f"{value.year}"
