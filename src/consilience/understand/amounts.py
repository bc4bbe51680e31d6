"""Which numbers are in a text, what may they mean, and in what unit?

Numbers are compared as numbers: 1,234.5 is 1.234,5 and 1 234.5 and 1234.50; (1,234.5) is negative,
as accountants write it. Where 1.234 may be read in two ways, the other numbers of the text decide;
without them both readings hold. A number is never part of a longer one, of a code (A35) or of a
version (1.2.3). English number words ("twenty-four") and ordinals are read as well. A unit, a
currency or a scale (million) belongs to the number next to it, or to the number after its label, as
in `height_m: 48`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
def find_numbers(text: str) -> frozenset[Number]:
    """Every number of a text in digits, by value and as it is spelt; negative ones with a sign."""
    tokens, point = tokens_of(text)
    return frozenset(number for match in tokens for number in read_token(text, match, point))


def separate_scripts(text: str) -> str:
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


# --- numbers in words --------------------------------------------------------------------


_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NTHS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_TENTHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
_WORDS = {
    **{word: value for value, word in enumerate(_ONES.split())},
    **{word: 20 + 10 * value for value, word in enumerate(_TENS.split())},
}
_RANKS = {
    **{word: 1 + value for value, word in enumerate(_NTHS.split())},
    **{word: 20 + 10 * value for value, word in enumerate(_TENTHS.split())},
}
_TIMES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted((*_WORDS, *_RANKS, *_TIMES), key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)
_ONE_WORD = re.compile(r"[^\W\d_]+")

Spelt = tuple[int, int, int, bool]
"""Where a number stands, from and to, its value, and whether it is an ordinal."""


def find_number_words(text: str) -> Iterator[Spelt]:
    """The numbers and ordinals that a text spells out: twenty-four, nineteenth.

    A word that cannot go on with a number begins another one.
    """
    for run in _RUN.finditer(text):
        start, end, total, part, joined = -1, -1, 0, 0, False
        for word in _ONE_WORD.finditer(run[0]):
            name = word[0].casefold()
            if name == "and":
                joined = True
                continue
            value = _WORDS.get(name, _RANKS.get(name))
            if start >= 0 and not _goes_on(total, part, value, joined=joined):
                yield start, end, total + part, False
                start, total, part = -1, 0, 0
            if value is not None:
                part += value
            elif (factor := _TIMES[name]) >= 1000:
                total, part = total + (part or 1) * factor, 0
            else:
                part = (part or 1) * factor
            start = run.start() + word.start() if start < 0 else start
            end, joined = run.start() + word.end(), False
            if name in _RANKS:
                yield start, end, total + part, True
                start, total, part = -1, 0, 0
        if start >= 0:
            yield start, end, total + part, False


def _goes_on(total: int, part: int, value: int | None, *, joined: bool) -> bool:
    """Whether a number so far can be followed by this value, or by a factor if it is None."""
    left = part % 100
    if value is None:
        return not joined
    if left == 0:
        return bool(part or total)
    return left >= 20 and left % 10 == 0 and 0 < value < 10 and not joined


# --- units -------------------------------------------------------------------------------


_OVER = re.compile(r"\s*(?:/|\bper\b|\bpro\b)\s*", re.IGNORECASE)
_LONGEST_UNIT = 3  # words

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
# Units that are read only where they stand by a number, or in the name of a field.
_BY_A_NUMBER = """
CHF, francs, Swiss francs | JPY, ¥, yen
%, percentage, percentages, Prozent, por ciento, pour cent, pourcent
pp, percentage point, percentage points | bp, bps, basis point, basis points
mm, millimetre, millimetres, millimeter, millimeters
cm, centimetre, centimetres, centimeter, centimeters
m, mètre, mètres, metro, metros | km, kilomètre, kilomètres, kilómetro, kilómetros
ft, feet, foot | inch, inches | yd, yard, yards | mi, mile, miles
nmi, nautical mile, nautical miles, sea mile, sea miles | fathom, fathoms
km², km2, sq km, square kilometre, square kilometres, square kilometer, square kilometers
m², m2, sq m, square metre, square metres, square meter, square meters
ft², sq ft, square foot, square feet | ha, hectare, hectares | acre, acres
square mile, square miles, sq mi | m³, m3, cubic metre, cubic metres, cubic meter, cubic meters
mg, milligram, milligrams | μg, µg, mcg, microgram, micrograms | g, gram, grams, gramme, grammes
lb, lbs, pound, pounds | oz, ounce, ounces | l, L, litre, litres, liter, liters | ml, mL
barrel, barrels, bbl | gallon, gallons, gal
°C, ° C, degrees Celsius, degree Celsius, degrees C, °c
°F, ° F, degrees Fahrenheit, degree Fahrenheit, degrees F | °, degree, degrees
km/h, kph, kmh, kilometres per hour, kilometers per hour | mph, miles per hour | knot, knots, kn
m/s, metres per second, meters per second
s, sec, secs, second, seconds, Sekunden | ms, millisecond, milliseconds
min, mins, minute, minutes, Minuten | h, hr, hrs, hour, hours, Stunden, heures, horas
day, days, Tage, Tagen, jours, días | week, weeks, Wochen, semaines, semanas
month, months, Monate, Monaten, mois, meses
year, years, Jahre, Jahren, ans, années, años | decade, decades | century, centuries
W, watt, watts | kW, kilowatt, kilowatts | MW, megawatt, megawatts | GW, gigawatt, gigawatts
kWh, kilowatt-hour, kilowatt-hours | MWh | GWh | V, volt, volts | Hz, hertz | kHz | MHz | GHz
KB, kilobyte, kilobytes | MB, megabyte, megabytes | GB, gigabyte, gigabytes | TB, terabytes
Pa, pascal, pascals | hPa | kPa | bar, bars | dB, decibel, decibels | kcal, calories | kJ
candela, candelas | mmol | mol | mm Hg, mmHg | rpm
"""
SCALES = {
    name: 10**power
    for power, names in (
        (2, "hundred"),
        (3, "thousand thousands k K Tausend mille mil"),
        (6, "million millions mn mio Mio. Mio M mm Millionen Million millones millón MM"),
        (9, "billion billions bn Mrd. Mrd B Milliarden milliard milliards Milliarde"),
        (12, "trillion trillions tn"),
    )
    for name in names.split()
}
LETTERS_ALONE = frozenset(("k", "K", "M", "B", "mm", "MM"))  # scales only right behind a number


def parse_quantity(value: str) -> tuple[frozenset[Number], str] | None:
    """A value that is one number with, at most, a unit: the number and the unit."""
    match = only_token(value)
    if match is None:
        return None
    before = value[: match.start()].strip("(-−–+ ")
    after = value[match.end() :].strip(") ")
    if any(letter.isdigit() for letter in before + after):
        return None
    if before and before.casefold() not in _UNITS:
        return None
    if len(after.split()) > _LONGEST_UNIT or (before and after):
        return None
    return frozenset(read_token(value, match, ".")), before or after


def is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else: `EUR/ton`, `%`."""
    parts = [part.casefold() for part in _OVER.split(text) if part]
    return text.casefold() in _UNITS or all(part in _UNITS for part in parts)


@lru_cache(maxsize=1_000)
def unit_pattern(unit: str) -> re.Pattern[str]:
    """Finds a unit under any of its names, never inside a word."""
    whole = unit.strip()
    parts = [whole] if whole.casefold() in _UNITS else _OVER.split(whole)
    spelt = [either((*_UNITS.get(part.casefold(), ()), part)) for part in parts if part]
    return re.compile(r"(?<![^\W\d_])" + r"\s*(?:/|per|pro)\s*".join(spelt) + r"(?![^\W\d_])")


def _table() -> dict[str, frozenset[str]]:
    """What each name of a unit may mean; names of three letters or more in lower case."""
    table: dict[str, set[str]] = {}
    rows = [list(group) for group in _SAME_UNITS if group[0] not in SCALES]
    rows += [row.split(",") for line in _BY_A_NUMBER.split("\n") for row in line.split("|")]
    for row in rows:
        names = [name.strip() for name in row if name.strip()]
        for name in names:
            table.setdefault(_key(name), set()).add(names[0])
    return {name: frozenset(units) for name, units in table.items()}


def _key(name: str) -> str:
    """How a unit is looked up: case counts in names of one or two letters."""
    return name if len(name) <= 2 else name.casefold()


CALLED = _table()


def units_named(name: str) -> frozenset[str]:
    """What a unit of this name may be; empty where it is none."""
    return CALLED.get(_key(name), frozenset())


def either(names: Iterable[str]) -> str:
    """Any of these names, the longest first, case counting in short ones only."""
    ordered = sorted(set(names), key=lambda name: (-len(name), name))
    long = "|".join(re.escape(name) for name in ordered if len(name) > 2)
    short = [re.escape(name) for name in ordered if len(name) <= 2]
    return f"(?:{'|'.join([f'(?i:{long})', *short] if long else short)})"


# --- numbers with their units ------------------------------------------------------------


ORDINAL = "th"
"""The unit of an ordinal: 19th, nineteenth."""
_NTH = re.compile(r"(?<![\w.,])(?P<body>\d+(?:,\d{3})*)(?:st|nd|rd|th)\b")
_MONEY_NEAR = 8  # characters before a number that may hold its currency
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
    rf"(?:(?P<money>{_MONEY})\s?'?|[(\[_]\s?|\bin\s)(?P<scale>|{either(_SHORT)})(?=[\s)\],;:.]|$)"
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
        return frozenset(number * scale for number in self.numbers if isinstance(number, Decimal))


_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
_PART = re.compile(r"(?i)\b(half|quarter) (?:of )?(?:an? )?\Z")


@lru_cache(maxsize=2_000)
def amounts(text: str) -> tuple[Amount, ...]:
    """Every number of a text where it stands, in digits or in words, with its unit.

    Of `1 234` both the whole and its parts are given, the whole first. Digits between letters
    of a script without spaces are numbers as well.
    """
    text = separate_scripts(text)
    tokens, point = tokens_of(text)
    found = [_amount(text, match, point) for match in tokens]
    for match in _NTH.finditer(text):
        number = Decimal(match["body"].replace(",", ""))
        meanings = frozenset({(ORDINAL, 1)})
        spelt = match[0]
        found.append(Amount(match.start(), match.end(), spelt, frozenset({number}), meanings))
    taken = {place for amount in found for place in range(amount.start, amount.end)}
    found.extend(amount for amount in _in_words(text) if amount.start not in taken)
    found.sort(key=lambda amount: (amount.start, -amount.end))
    return tuple(_shared(text, found))


@lru_cache(maxsize=2_000)
def units_around(text: str) -> tuple[frozenset[str], frozenset[int]]:
    """The units and the scales that a text names apart from any number: `in € millions`."""
    taken = {place for amount in amounts(text) for place in range(amount.start, amount.end)}
    units: set[str] = set()
    scales: set[int] = set()
    for match in _NAMED.finditer(text):
        if match.start("name") in taken:
            continue
        name = match["name"]
        units |= units_named(name)
        scales |= {SCALES[spelling] for spelling in (name, name.casefold()) if spelling in SCALES}
    for match in _CAPTION.finditer(text):
        money, scale = match["money"], match["scale"]
        units |= units_named(money or scale)
        if money or scale in _SCALES_ALONE:
            scales.add(10**6 if scale == "m" else SCALES.get(scale, 0))
    if _THOUSANDS_MEANT.search(text):
        scales.add(1000)
    return frozenset(units), frozenset(scales - {0})


def _amount(text: str, match: re.Match[str], point: Point) -> Amount:
    """A number in digits with what stands by it."""
    numbers = frozenset((*read_token(text, match, point), *_short_year(text, match)))
    start, end = match.span("body")
    money = _MONEY_BEFORE.search(text[max(0, start - _MONEY_NEAR) : start])
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
    units, scale = units_named(money), 1
    behind = text[end : end + 40]
    if found := _SCALE_AFTER.match(behind):
        spelt = found["scale"]
        spaced = not behind.startswith(spelt)
        if not (spelt in LETTERS_ALONE and (spaced or (not money and spelt == "mm"))):
            scale = SCALES.get(spelt) or SCALES[spelt.casefold()]
            end, behind = end + found.end(), behind[found.end() :]
    unit = _UNIT_AFTER.match(behind)
    if unit and not money:
        units, end = units_named(unit["unit"]), end + unit.end()
        if _AGED.match(text, end):
            return frozenset({("", 1), *((unit, 1) for unit in units)}), end
        if unit["unit"] == "m" and scale == 1:
            return frozenset({("m", 1), ("", 10**6)}), end
    elif unit and unit["unit"] == "m" and scale == 1:
        scale, end = 10**6, end + unit.end()
    return frozenset((unit, scale) for unit in units or {""}), end


def _label_units(before: str) -> frozenset[str]:
    """The unit in the label before a number: `height_m: `, `Range (nmi) = `."""
    label = _LABEL.search(before)
    return units_named(label["unit"]) if label else frozenset()


def _shared(text: str, found: list[Amount]) -> Iterator[Amount]:
    """A unit at the end of a range or a list holds for all of it: between 2 and 3 million."""
    done: list[Amount] = []
    for amount in reversed(found):
        after = next((other for other in done[::-1] if other.start >= amount.end), None)
        between = text[amount.end : after.start] if after else ""
        shares = after and ORDINAL not in after.units and _BETWEEN.fullmatch(between)
        if after and shares and amount.meanings == _BARE:
            done.append(replace(amount, meanings=amount.meanings | after.meanings))
        else:
            done.append(amount)
    yield from reversed(done)


def _in_words(text: str) -> Iterator[Amount]:
    """The numbers that a text spells out, with their units."""
    for start, end, value, ordinal in find_number_words(text):
        meanings, until = frozenset({(ORDINAL, 1)}), end
        if not ordinal:
            meanings, until = _meanings(text, end, "")
        part = _PART.search(text[:start])
        begins = part.start() if part else start
        times = _PARTS[part[1].casefold()] if part else Decimal(1)
        numbers: frozenset[Number] = frozenset({value * times})
        yield Amount(begins, until, text[begins:until], numbers, meanings, in_words=True)
