"""Which units are there, under which names, and which one stands by a number?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from consilience.numbers.digits import Number, only_token, read_token

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
SCALES: dict[str, int] = {
    **dict.fromkeys(("hundred",), 10**2),
    **dict.fromkeys(("thousand", "thousands", "k", "K", "Tausend", "mille", "mil"), 10**3),
    **dict.fromkeys(("million", "millions", "mn", "mio", "Mio.", "Mio", "M", "mm"), 10**6),
    **dict.fromkeys(("Millionen", "Million", "millones", "millón", "MM"), 10**6),
    **dict.fromkeys(("billion", "billions", "bn", "Mrd.", "Mrd", "B", "Milliarden"), 10**9),
    **dict.fromkeys(("milliard", "milliards", "Milliarde"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "tn"), 10**12),
}
LETTERS_ALONE = frozenset(("k", "K", "M", "B", "mm", "MM"))  # scales only right behind a number


def number_of(value: str) -> tuple[frozenset[Number], str] | None:
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


def units_called(name: str) -> frozenset[str]:
    """What a unit of this name may be; empty where it is none."""
    return CALLED.get(_key(name), frozenset())


def either(names: Iterable[str]) -> str:
    """Any of these names, the longest first, case counting in short ones only."""
    ordered = sorted(set(names), key=lambda name: (-len(name), name))
    short = [re.escape(name) for name in ordered if len(name) <= 2]
    long = [re.escape(name) for name in ordered if len(name) > 2]
    return f"(?:(?i:{'|'.join(long)})|{'|'.join(short)})"
