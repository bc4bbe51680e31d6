"""Which amounts stand in a text: numbers with their unit, currency and scale?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from consilience.numbers.digits import Number, Point, parted, read_token, tokens_of
from consilience.numbers.units import CALLED, LETTERS_ALONE, SCALES, either, units_called
from consilience.numbers.words import spelt_out

ORDINAL = "th"
"""The unit of an ordinal: 19th, nineteenth."""
_NTH = re.compile(r"(?<![\w.,])(?P<body>\d+(?:,\d{3})*)(?:st|nd|rd|th)\b")
_NEAR = 8  # characters before a number that may hold its currency
_MONEY = r"(?:US\$|[$€£¥]|(?<![^\W_])(?:EUR|USD|GBP|CHF|JPY))"
_MONEY_BEFORE = re.compile(rf"(?P<money>{_MONEY})\s{{0,2}}[-−–(]?$")
_SCALE_AFTER = re.compile(rf"\)?[\s-]?(?P<scale>{either(SCALES)})(?![^\W_])")
_UNIT_AFTER = re.compile(rf"\)?[\s-]{{0,2}}(?P<unit>{either(CALLED)})(?![^\W_])")
_LABEL = re.compile(
    r"[\w)](?:_|\s?[(\[]|,\s|\sin\s)(?P<unit>[^\s_():;=|\[\]]+)[)\]]?\s*[:=]\s*[$€£¥(−-]*$"
)
_SEPARATE = sorted(name for name in (*CALLED, *SCALES) if len(name) > 2)
_NAMED = re.compile(
    rf"(?<![^\W_])(?P<name>{either([*_SEPARATE, '%', '$', '€', '£', '¥', '°C', '°F'])})(?![^\W_])"
)
_SHORT = sorted(name for name in (*CALLED, *SCALES) if len(name) <= 2 and name.isalpha())
_CAPTION = re.compile(
    rf"(?:(?P<money>{_MONEY})\s?'?|[(\[_]\s?|\bin\s)(?P<scale>{either(_SHORT)})(?=[\s)\],;:.]|$)"
)
_THOUSANDS_MEANT = re.compile(r"[$€£'’(]\s?000s?\b")
_BETWEEN = re.compile(
    r"\s*(?:,|-|–|—|x|×|/|,?\s(?:and|to|or|by|through|und|bis|oder|et|à|ou|y|a|o)\s)\s*[$€£]?\s*"
)
_YEAR_BEFORE = re.compile(r"(?<!\d)(?P<century>1\d|20)(?P<end>\d\d)[-–/]$")
_AGED = re.compile(r"[\s-]olds?\b")
_DECADE = re.compile(r"\d{1,3}0")
_SCALES_ALONE = frozenset(("mn", "bn", "tn"))
_BARE = frozenset({("", 1)})


@dataclass(frozen=True, slots=True)
class Amount:
    """A number where it stands in a text: what it may mean, and in which unit and scale.

    `numbers` are its readings, signed, and its spelling. `meanings` pairs each unit it may have
    ("" where none is said) with a scale: `5m` is five metres or five million.
    """

    start: int
    end: int
    spelt: str
    numbers: frozenset[Number]
    meanings: frozenset[tuple[str, int]] = _BARE
    in_words: bool = False

    @property
    def units(self) -> frozenset[str]:
        """The units it may have; "" where none is said."""
        return frozenset(unit for unit, _ in self.meanings)

    def values(self, scale: int = 1) -> frozenset[Number]:
        """Its readings in ones, and as it is spelt where that is not scaled."""
        if scale == 1:
            return self.numbers
        return frozenset(one * scale for one in self.numbers if isinstance(one, Decimal))


@lru_cache(maxsize=2_000)
def amounts(text: str) -> tuple[Amount, ...]:
    """Every number of a text where it stands, in digits or in words, with its unit.

    Of `1 234` both the whole and its parts are given, the whole first. Digits between letters
    of a script without spaces are numbers as well.
    """
    text = parted(text)
    tokens, point = tokens_of(text)
    found = [_amount(text, match, point) for match in tokens]
    for match in _NTH.finditer(text):
        number = Decimal(match["body"].replace(",", ""))
        meanings = frozenset({(ORDINAL, 1)})
        spelt = match[0]
        found.append(Amount(match.start(), match.end(), spelt, frozenset({number}), meanings))
    taken = {place for one in found for place in range(one.start, one.end)}
    found.extend(one for one in _in_words(text) if one.start not in taken)
    found.sort(key=lambda one: (one.start, -one.end))
    return tuple(_shared(text, found))


@lru_cache(maxsize=2_000)
def units_around(text: str) -> tuple[frozenset[str], frozenset[int]]:
    """The units and the scales that a text names apart from any number: `in € millions`."""
    taken = {place for one in amounts(text) for place in range(one.start, one.end)}
    units: set[str] = set()
    scales: set[int] = set()
    for match in _NAMED.finditer(text):
        if match.start("name") in taken:
            continue
        name = match["name"]
        units |= units_called(name)
        scales |= {SCALES[one] for one in (name, name.casefold()) if one in SCALES}
    for match in _CAPTION.finditer(text):
        money, scale = match["money"], match["scale"]
        units |= units_called(money or scale)
        if money or scale in _SCALES_ALONE:
            scales.add(10**6 if scale == "m" else SCALES.get(scale, 0))
    if _THOUSANDS_MEANT.search(text):
        scales.add(1000)
    return frozenset(units), frozenset(scales - {0})


def _amount(text: str, match: re.Match[str], point: Point) -> Amount:
    """A number in digits with what stands by it."""
    numbers = frozenset((*read_token(text, match, point), *_short_year(text, match)))
    start, end = match.span("body")
    money = _MONEY_BEFORE.search(text[max(0, start - _NEAR) : start])
    if money:
        start -= len(money[0])
    meanings, end = _meanings(text, end, money["money"] if money else "")
    body = match["body"]
    if text[match.end() : match.end() + 1] == "s" and _DECADE.fullmatch(body):
        meanings = _BARE if len(body) == 4 else meanings | _BARE
    if meanings == _BARE:
        meanings = (
            frozenset((unit, 1) for unit in _label_units(text[max(0, start - 60) : start]))
            or meanings
        )
    return Amount(start, end, text[start:end], numbers, meanings)


def _short_year(text: str, match: re.Match[str]) -> Iterator[Decimal]:
    """The year that the end of a span is short for: 1807–11."""
    first = _YEAR_BEFORE.search(text[max(0, match.start() - 6) : match.start()])
    if first and len(match["body"]) == 2 and match["body"] > first["end"]:
        yield Decimal(first["century"] + match["body"])


def _meanings(text: str, end: int, money: str) -> tuple[frozenset[tuple[str, int]], int]:
    """What the number that ends here may be counted in, and where that ends."""
    units, scale = units_called(money), 1
    behind = text[end : end + 40]
    if found := _SCALE_AFTER.match(behind):
        spelt = found["scale"]
        spaced = not behind.startswith(spelt)
        if not (spelt in LETTERS_ALONE and (spaced or (not money and spelt == "mm"))):
            scale = SCALES.get(spelt) or SCALES[spelt.casefold()]
            end, behind = end + found.end(), behind[found.end() :]
    unit = _UNIT_AFTER.match(behind)
    if unit and not money:
        units, end = units_called(unit["unit"]), end + unit.end()
        if _AGED.match(text, end):
            return frozenset({("", 1), *((one, 1) for one in units)}), end
        if unit["unit"] == "m" and scale == 1:
            return frozenset({("m", 1), ("", 10**6)}), end
    elif unit and unit["unit"] == "m" and scale == 1:
        scale, end = 10**6, end + unit.end()
    return frozenset((one, scale) for one in units or {""}), end


def _label_units(before: str) -> frozenset[str]:
    """The unit in the label before a number: `height_m: `, `Range (nmi) = `."""
    label = _LABEL.search(before)
    return units_called(label["unit"]) if label else frozenset()


def _shared(text: str, found: list[Amount]) -> Iterator[Amount]:
    """A unit at the end of a range or a list holds for all of it: between 2 and 3 million."""
    done: list[Amount] = []
    for one in reversed(found):
        after = next((other for other in done[::-1] if other.start >= one.end), None)
        between = text[one.end : after.start] if after else ""
        shares = after and ORDINAL not in after.units and _BETWEEN.fullmatch(between)
        if after and shares and one.meanings == _BARE:
            done.append(replace(one, meanings=one.meanings | after.meanings))
        else:
            done.append(one)
    yield from reversed(done)


def _in_words(text: str) -> Iterator[Amount]:
    """The numbers that a text spells out, with their units."""
    for start, end, value, ordinal in spelt_out(text):
        meanings, until = frozenset({(ORDINAL, 1)}), end
        if not ordinal:
            meanings, until = _meanings(text, end, "")
        numbers: frozenset[Number] = frozenset({Decimal(value)})
        yield Amount(start, until, text[start:until], numbers, meanings, in_words=True)
