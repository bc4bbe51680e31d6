"""Which dates does a text give? Days and months with or without a year, in any usual spelling.

12 March 1811 = March 12, 1811 = 1811-03-12 = 12.3.1811. A year alone is read as a number.
Months are known in English, French, German and Spanish. Where 3/4/1811 may be read in two ways,
both hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.answer.words import MONTHS

# Short and other spellings of the months, in order.
_SPELLINGS = """
jan jänner | feb fevrier | mar maerz | apr | | jun | jul | aug aout | sep sept setiembre | oct okt
| nov | dec decembre dez
"""
_MONTHS = {
    name.casefold(): number
    for names in (*MONTHS.values(), _SPELLINGS.split("|"))
    for number, spellings in enumerate(names, start=1)
    for name in spellings.split()
}
_MONTH = rf"(?P<month>(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W_])\.?)"
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth
twenty-ninth thirtieth thirty-first
"""
_NTH = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
_IN_WORDS = "|".join(sorted(_NTH, key=len, reverse=True))
_DAY = rf"(?:(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|er|\.|º)?|{_IN_WORDS})"
_ONE_DAY = re.compile(rf"\d+|{_IN_WORDS}", re.IGNORECASE)
_DAYS = rf"(?P<days>{_DAY}(?:\s*(?:-|–|—|/|,|and|to|or|&|und|bis|et|au|y|al)\s*{_DAY}){{0,4}})"
_YEAR = r"(?:1\d{3}|20\d{2})(?![\d.,:%]*\d)"
_YEARS = rf"(?P<years>{_YEAR}(?:\s*(?:,|and|or|to|-|–|\||und|et|y)\s*{_YEAR}){{0,6}})"
_OF = r"(?:\s+(?:of|de|del|du))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<![\w.,]){_DAYS}{_OF}\s+{_MONTH}(?:,?{_OF}\s+{_YEARS})?",
        rf"(?<![\w]){_MONTH}\s+(?:the\s+)?{_DAYS}(?!\d)(?!(?:st|nd|rd|th)?[\w%])(?:,?\s+{_YEARS})?",
        rf"(?<![\w]){_MONTH},?{_OF}\s+{_YEARS}",
    )
)
_ISO = re.compile(r"(?<![\w.-])(\d{4})[-/](0[1-9]|1[0-2])[-/](0[1-9]|[12]\d|3[01])(?![\d-])")
_FIGURES = re.compile(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\w)")


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is given, and where it stands."""

    start: int
    end: int
    spelt: str
    year: int | None
    month: int
    day: int | None

    def bears(self, other: Date) -> bool:
        """Whether whoever reads this date reads the other one too."""
        return (
            self.month == other.month
            and other.day in (None, self.day)
            and (other.year is None or self.year in (None, other.year))
        )


def dates_in(text: str) -> tuple[Date, ...]:
    """The dates of a text that name a month, in order; a list of days or years gives several."""
    found: list[Date] = []
    taken: set[int] = set()
    for one in (*_in_figures(text), *_in_names(text)):
        places = set(range(one.start, one.end))
        same = any((one.start, one.end) == (other.start, other.end) for other in found)
        if same or not places & taken:
            found.append(one)
            taken |= places
    return tuple(sorted(found, key=lambda one: one.start))


def _in_names(text: str) -> Iterator[Date]:
    for form in _FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            month = parts["month"].rstrip(".")
            if not (month[0].isupper() or len(month) > 3):
                continue
            days = [_day(one) for one in _ONE_DAY.findall(parts.get("days") or "")]
            years = [int(one) for one in re.findall(r"\d+", parts.get("years") or "")]
            number = _MONTHS[month.casefold()]
            for year in years or (None,):
                for day in days or (None,):
                    yield Date(match.start(), match.end(), match[0].strip(), year, number, day)


def _day(spelt: str) -> int:
    return int(spelt) if spelt.isdigit() else _NTH[spelt.casefold()]


def _in_figures(text: str) -> Iterator[Date]:
    for match in _ISO.finditer(text):
        year, month, day = (int(match[part]) for part in (1, 2, 3))
        yield Date(match.start(), match.end(), match[0], year, month, day)
    for match in _FIGURES.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        for day, month in dict.fromkeys(((first, second), (second, first))):
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield Date(match.start(), match.end(), match[0], year, month, day)
