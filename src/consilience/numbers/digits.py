"""Which numbers in digits stand in a text, and by which values may each be read?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

Number = Decimal | str
"""A number by its value, or as it is spelt with its sign."""
Point = Literal[".", ",", ""]
"""What parts the decimals in a text, as far as it can be told."""

_GAP = "\u00a0\u202f\u2009'’"  # between thousands: no-break and thin spaces, apostrophes
_CURRENCY = r"(?:[$€£¥]|\b(?:EUR|USD|GBP|CHF)\b)"
_TOKEN = re.compile(
    r"(?:(?<![^\W_])(?<![^\W\d_]-)(?<!\d[.,])|(?<=EUR)|(?<=USD)|(?<=GBP)|(?<=CHF))"
    rf"(?P<body>(?<![\w.])\.\d+|\d+(?:[.,{_GAP}]\d+)*)"
    r"(?!(?:st|nd|rd|th)\b)(?![^\W\d_]+\d)(?![_\d])"
)
_SPACED = re.compile(r"(?<![\w.,])(?P<body>\d{1,3}(?: \d{3})+(?:[.,]\d+)?)(?![\w.,]*\d)")
_GROUPS = re.compile(rf"\d{{1,3}}(?:[{_GAP} ]\d{{3}})+(?:[.,]\d+)?")
_POINTED = re.compile(r"\d{1,3}(?:,\d{2})*(?:,\d{3})+\.\d+")
_COMMAED = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_THOUSANDS = re.compile(r"\d{1,3}(?:(?:\.\d{3}){2,}|(?:,\d{2,3})*,\d{3})")
_SIGNED = re.compile(rf"(?<![\w)])[-−–]{_CURRENCY}?$")
_OPENED = re.compile(rf"\({_CURRENCY}?\s?{_CURRENCY}?$")
_CLOSED = re.compile(rf"^\s?(?P<share>%?){_CURRENCY}?\)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_NEAR = 8  # characters around a number that may hold its sign or brackets


@lru_cache(maxsize=20_000)
def numbers_in(text: str) -> frozenset[Number]:
    """Every number of a text in digits, by value and as it is spelt; negative ones with a sign."""
    tokens, point = tokens_of(text)
    return frozenset(number for match in tokens for number in read_token(text, match, point))


def parted(text: str) -> str:
    """A text of the same length in which letters of scripts without spaces part the words."""
    return _UNSPACED.sub("、", text)


def tokens_of(text: str) -> tuple[list[re.Match[str]], Point]:
    """Every number in digits where it stands, and what parts the decimals in the text.

    Of `1 234` both the parts and the whole are given.
    """
    tokens = [*_TOKEN.finditer(text), *_SPACED.finditer(text)]
    return tokens, _point(match["body"] for match in tokens)


def only_token(value: str) -> re.Match[str] | None:
    """The one number of a value; None where it has none or several."""
    tokens = [*_SPACED.finditer(value)] or [*_TOKEN.finditer(value)]
    return tokens[0] if len(tokens) == 1 else None


def read_token(text: str, match: re.Match[str], point: Point) -> set[Number]:
    """What a number may mean where it stands."""
    body = match["body"]
    before = text[max(0, match.start() - _NEAR) : match.start()]
    after = text[match.end() : match.end() + _NEAR]
    closed = _CLOSED.search(after) if _OPENED.search(before) else None
    values = _values(body, point)
    negative: set[Number] = {-value for value in values} | {f"-{body}"}
    positive: set[Number] = {*values, body}
    if closed is None:
        return negative if _SIGNED.search(before) else positive
    # A year or a share in brackets is as often an aside as it is a loss.
    aside = bool(closed["share"]) or (body.isdigit() and len(body) <= 4)
    return negative | positive if aside else negative


def _values(body: str, point: Point) -> set[Decimal]:
    """The values that digits and separators may stand for; none for a version or a code."""
    if _GROUPS.fullmatch(body):
        return {Decimal(re.sub(rf"[{_GAP} ]", "", body).replace(",", "."))}
    if _POINTED.fullmatch(body):
        return {Decimal(body.replace(",", ""))}
    if _COMMAED.fullmatch(body):
        return {Decimal(body.replace(".", "").replace(",", "."))}
    whole, *rest = re.split(r"[.,]", body)
    if len(rest) == 1 and (whole + rest[0]).isdecimal():
        return _parted(whole, rest[0], body[len(whole)], point)
    if not rest and body.isdecimal():
        return set() if len(body) > 1 and body.startswith("0") else {Decimal(body)}
    return {Decimal(re.sub("[.,]", "", body))} if _THOUSANDS.fullmatch(body) else set()


def _parted(whole: str, rest: str, sign: str, point: Point) -> set[Decimal]:
    """The readings of two runs of digits with a point or comma between."""
    fraction, joined = Decimal(f"{whole or 0}.{rest}"), Decimal(whole + rest)
    if not _may_group(whole, rest):
        return {fraction}
    if sign == ",":
        return {joined, fraction} if point == "," else {joined}
    return {".": {fraction}, ",": {joined}}.get(point, {fraction, joined})


def _may_group(whole: str, rest: str) -> bool:
    """Whether these may be thousands: 1.234, but not 0.234, 1234.567 or 1.23."""
    return len(rest) == 3 and 0 < len(whole) <= 3 and not whole.startswith("0")


def _point(bodies: Iterable[str]) -> Point:
    """What parts the decimals, from the numbers that can be read in one way only."""
    found: set[Point] = set()
    for body in bodies:
        if _POINTED.fullmatch(body):
            found.add(".")
        elif _COMMAED.fullmatch(body):
            found.add(",")
        elif (parts := re.fullmatch(r"(\d+)([.,])(\d+)", body)) and not _may_group(
            parts[1], parts[3]
        ):
            found.add("." if parts[2] == "." else ",")
    return found.pop() if len(found) == 1 else ""
