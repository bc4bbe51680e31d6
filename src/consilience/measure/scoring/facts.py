"""Does a passage state a fact? The value itself, its unit, the right document and page.

Numbers are compared as numbers: 1,234.5 is 1.234,5 and 1 234.5 and 1234.50; (1,234.5) is
negative, as accountants write it. Where 1.234 may be read in two ways, the other numbers of the
passage decide, and without them both readings hold. A number is never part of a longer one, of
a code (A35) or of a version (1.2.3). A value without digits must stand there as a whole phrase;
a unit alone (`EUR/ton`) is no value and is stated nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from consilience.measure.values import Fact
from consilience.names import surface
from consilience.types import Passage

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
_OVER = re.compile(r"\s*(?:/|\bper\b|\bpro\b)\s*", re.IGNORECASE)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # scripts without spaces
_LONGEST_UNIT = 3  # words
_NEAR = 8  # characters around a number that may hold its sign or brackets

_SAME_UNITS = (
    ("%", "percent", "per cent", "pct"),
    ("EUR", "€", "euro", "euros"),
    ("USD", "US$", "$", "dollar", "dollars"),
    ("GBP", "£", "pound", "pounds"),
    ("t", "ton", "tons", "tonne", "tonnes"),
    ("kg", "kilogram", "kilograms", "kilogramme", "kilogrammes"),
    ("km", "kilometre", "kilometres", "kilometer", "kilometers"),
    ("m", "metre", "metres", "meter", "meters"),
    ("million", "millions", "mn", "mio", "Mio."),
    ("billion", "billions", "bn", "Mrd."),
)
_UNITS = {name.casefold(): group for group in _SAME_UNITS for name in group}


def states(fact: Fact, passage: Passage) -> bool:
    """Whether the text of a passage states a fact, in the right place where that is known.

    The unit may stand in the text, its headings or its fields, as in a table.
    """
    if fact.page not in (None, passage.locator.page):
        return False
    if fact.document and not same_document(fact.document, passage.document):
        return False
    number = _number_of(fact.value)
    if number is None:
        if not has_value(fact) or not _has_phrase(passage.text, fact.value):
            return False
        return _has_units(passage, (fact.unit,))
    spelt, unit = number
    return not spelt.isdisjoint(numbers_in(passage.text)) and _has_units(passage, (fact.unit, unit))


def has_value(fact: Fact) -> bool:
    """Whether a fact has a value to look for at all: a number or a phrase, not a unit alone."""
    value = fact.value.strip()
    if any(letter.isdigit() for letter in value):
        return True
    parts = [part.casefold() for part in (value, *_OVER.split(value)) if part]
    alone = all(part in _UNITS for part in parts[1:]) or value.casefold() in _UNITS
    return bool(surface(value)) and not alone and value.casefold() != fact.unit.casefold()


def numbers_of(fact: Fact) -> frozenset[Number]:
    """The number that a fact states, as `numbers_in` gives them; empty for a phrase."""
    number = _number_of(fact.value)
    return number[0] if number else frozenset()


def same_document(wanted: str, path: str) -> bool:
    """Whether a document's path is the one wanted, or ends in it: `a/b.pdf` is `b.pdf`."""
    wanted, path = wanted.replace("\\", "/").removeprefix("./"), path.replace("\\", "/")
    return path == wanted or path.endswith("/" + wanted)


@lru_cache(maxsize=20_000)
def numbers_in(text: str) -> frozenset[Number]:
    """Every number of a text, by value and as it is spelt; negative ones with their sign."""
    tokens = [*_TOKEN.finditer(text), *_SPACED.finditer(text)]
    point = _point(match["body"] for match in tokens)
    return frozenset(number for match in tokens for number in _read(text, match, point))


def _read(text: str, match: re.Match[str], point: Point) -> set[Number]:
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


@lru_cache(maxsize=5_000)
def _number_of(value: str) -> tuple[frozenset[Number], str] | None:
    """A value that is one number with, at most, a unit: the number and the unit."""
    tokens = [*_SPACED.finditer(value)] or [*_TOKEN.finditer(value)]
    if len(tokens) != 1:
        return None
    match = tokens[0]
    before = value[: match.start()].strip("(-−–+ ")
    after = value[match.end() :].strip(") ")
    if any(letter.isdigit() for letter in before + after):
        return None
    if before and before.casefold() not in _UNITS:
        return None
    if len(after.split()) > _LONGEST_UNIT or (before and after):
        return None
    return frozenset(_read(value, match, ".")), before or after


def _has_phrase(text: str, phrase: str) -> bool:
    wanted, said = surface(phrase), surface(text)
    if _UNSPACED.search(wanted):
        return wanted in said
    return bool(wanted) and f" {wanted} " in f" {said} "


def _has_units(passage: Passage, units: Iterable[str]) -> bool:
    wanted = [unit for unit in units if unit.strip()]
    if not wanted:
        return True
    fields = (str(part) for field in passage.metadata.items() for part in field)
    around = "\n".join((passage.text, passage.title, *passage.locator.section, *fields))
    return all(_unit(unit).search(around) for unit in wanted)


@lru_cache(maxsize=1_000)
def _unit(unit: str) -> re.Pattern[str]:
    """Finds a unit under any of its names, never inside a word."""
    whole = unit.strip()
    parts = [whole] if whole.casefold() in _UNITS else _OVER.split(whole)
    spelt = [_names(part) for part in parts if part]
    return re.compile(r"(?<![^\W\d_])" + r"\s*(?:/|per|pro)\s*".join(spelt) + r"(?![^\W\d_])")


def _names(part: str) -> str:
    """A part of a unit under its names; case counts in those of one or two letters: m, M."""
    names = _UNITS.get(part.casefold(), (part,))
    each = [
        re.escape(name) if len(name) <= 2 else f"(?i:{re.escape(name)})"
        for name in sorted({*names, part}, key=len, reverse=True)
    ]
    return f"(?:{'|'.join(each)})"
