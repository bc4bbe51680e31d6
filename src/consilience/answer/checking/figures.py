"""Do the numbers, dates and codes of a statement stand in what it cites?

A number needs its unit, scale and sign. Where the source gives a bare number, the unit may
stand in a caption, a heading or the name of a field. "Fell by 3.2 %" says the same as -3.2 %, and
not what "rose by 3.2 %" says. A year bears its decade and its century, and two years what lies
between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from consilience.answer.checking.dates import Date
from consilience.answer.checking.findings import Finding, masked
from consilience.answer.checking.sources import Reading, Source, read
from consilience.numbers import ORDINAL, Amount, Number, parted

_LESS = re.compile(
    r"\b(?:fell|fall\w*|los[est]\w*|decreas\w*|declin\w*|drop\w*|down|negative|minus|deficit\w*|"
    r"lower\w*|shr[aiu]nk\w*|reduc\w*|cut|outflow\w*|less|fewer|below|under|expens\w*|cost\w*|used|"
    r"paid|credit\w*|benefit\w*|deduct\w*|contract\w*|slump\w*|slid\w*|unfavou?rable|impair\w*)\b",
    re.IGNORECASE,
)
_FALLING = (
    r"fell|fall(?:s|ing|en)?|decreas\w*|declin\w*|dropp?(?:s|ed|ing)?|shr[aiu]nk\w*|reduc\w*|"
    r"slump\w*|slid|lower(?:s|ed|ing)?|down"
)
_RISING = (
    r"rose|ris(?:e|es|en|ing)|grew|grow(?:s|n|th|ing)?|increas\w*|climb\w*|gain(?:s|ed)?|higher|"
    r"up(?!\s+to)"
)
_TURN = re.compile(rf"\b(?:(?P<fell>{_FALLING})|(?:{_RISING}))\b", re.IGNORECASE)
_TURN_BEHIND = re.compile(rf"\s(?:\w+\s)??(?:{_TURN.pattern})", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;!?:|\n](?=\s|\Z)|\b(?:while|whereas|but)\b")
_START = re.compile(r"\bfrom\s*\Z", re.IGNORECASE)  # what it rose or fell from is neither
_CENTURY = re.compile(r"(?:st|nd|rd|th)?[\s-]centur(?:y|ies)\b(?!\s(?:BC|B\.C))", re.IGNORECASE)
_BETWEEN = re.compile(r"\s(?:later|earlier|before|after|afterwards|apart)\b", re.IGNORECASE)
_BEFORE = 80  # letters before a number that may say that it is a decrease
_SMALL = 12  # number words up to this one are as often figures of speech
_YEARS = range(1000, 2101)
_CODE = re.compile(r"(?<![\w·])[^\W_]+(?:(?:[-/.]|,(?=\d))[^\W_]+|\(\d+\)[^\W_]*)*(?![^\W_])")
_COUNTED = re.compile(r"(?:s?-[a-zà-ÿ][\w-]*|[a-zà-ÿ]{1,3})?[.]?")
_PREFIXED = re.compile(r"[a-z]+-(\d[\d,.]*)(s?)")
_FISCAL = re.compile(r"(?:FY|CY)(\d{4}|\d{2})")
_BLOTTED = re.compile(r"(?<=·)[-–−](?=\d)")  # joins a number to a code; no sign of it
_PARTS = re.compile(r"[^\W\d_]+|\d+")


def dates(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The dates of a text that name a month, and the text with them blotted out."""
    claimed: dict[tuple[int, int], list[Date]] = {}
    for one in read(text).dates:
        claimed.setdefault((one.start, one.end), []).append(one)
    findings = []
    for same in claimed.values():
        several = len({(one.year, one.day) for one in same}) > 1 and same[0].spelt.count("/") < 2
        test = all if several and not re.fullmatch(r"[\d./-]+", same[0].spelt) else any
        found = test(_dated(one, cited) for one in same)
        near = "" if found else _nearest_date(same[0], cited)
        findings.append(Finding(check="date", value=same[0].spelt, found=found, near=near))
    return masked(text, list(claimed)), findings


def _dated(wanted: Date, cited: Sequence[Source]) -> bool:
    """Whether a date is given; a date without its year takes it from elsewhere in its source."""
    for one in cited:
        for other in one.reading.dates:
            if not other.bears(wanted):
                continue
            if wanted.year is None or other.year is not None or _has_year(one.reading, wanted.year):
                return True
    return False


def _has_year(reading: Reading, year: int) -> bool:
    return any(Decimal(year) in one.numbers for one in reading.amounts)


def _nearest_date(wanted: Date, cited: Sequence[Source]) -> str:
    def alike(other: Date) -> int:
        parts = ("year", "month", "day")
        return sum(getattr(wanted, part) == getattr(other, part) for part in parts)

    known = [other for one in cited for other in one.reading.dates]
    return max(known, key=alike).spelt if known else ""


def codes(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The codes of a text (A35, Fl(2), ISO-9001), and the text with them blotted out."""
    known = read(text).amounts
    spans, findings = [], []
    for match in _CODE.finditer(parted(text)):
        code, (start, end) = match[0], match.span()
        letters, digits = (any(map(test, code)) for test in (str.isalpha, str.isdecimal))
        if not (letters and digits) or any(_counted(one, text, start, end) for one in known):
            continue
        wanted = code
        if prefixed := _PREFIXED.fullmatch(code):
            wanted = prefixed[1] + prefixed[2]
        if fiscal := _FISCAL.fullmatch(code):
            wanted = f"20{fiscal[1]}" if len(fiscal[1]) == 2 else fiscal[1]
        found = any(_code(code).search(one.reading.text) for one in cited) or any(
            _code(wanted).search(one.reading.text) for one in cited
        )
        findings.append(Finding(check="code", value=code, found=found))
        spans.append(match.span())
    return masked(text, spans), findings


def _counted(one: Amount, text: str, start: int, end: int) -> bool:
    """Whether a token is a number with what it counts: 35m, 18th-century, the unit km2."""
    if one.start == start:
        return bool(_COUNTED.fullmatch(text[min(one.end, end) : end]))
    return one.start < start and end <= one.end


def _code(code: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in _PARTS.findall(code)]
    return re.compile(r"(?<![^\W_])" + r"[\s\-–./(),]*".join(parts) + r"(?![^\W_])", re.IGNORECASE)


def numbers(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The numbers of a text with unit and sign, and the text with them blotted out."""
    spans: list[tuple[int, int]] = []
    findings = []
    falls = bool(_LESS.search(text))
    for one in read(_BLOTTED.sub("·", text)).amounts:
        within = spans and one.end <= spans[-1][1]
        if within or not _checkable(one):
            continue
        turn = _turn(text, one)
        found = any(_stated(one, source.reading, falls=falls, turn=turn) for source in cited)
        found = found or _worked_out(one, text, cited)
        if not found and " " in re.sub(r"[^\d ]", "", one.spelt).strip():
            continue  # 1 234 may be two numbers: its parts are looked for
        year = is_year(one)
        near = "" if found else _nearest_number(one, cited)
        check = "date" if year else "number"
        value = _signed(one)
        findings.append(Finding(check=check, value=value, found=found, near=near))
        spans.append((one.start, one.end))
    return masked(text, spans), findings


def is_year(one: Amount) -> bool:
    """Whether a number looks like a year: four digits and nothing by them."""
    bare = one.spelt.rstrip("s")
    return bare.isdigit() and len(bare) == 4 and int(bare) in _YEARS and "" in one.units


def _checkable(one: Amount) -> bool:
    """Whether a number is a claim; small ones in words are so only with a unit."""
    if not one.in_words:
        return True
    if ORDINAL in one.units:
        return False
    large = any(isinstance(value, Decimal) and value > _SMALL for value in one.numbers)
    return large or "" not in one.units


def _signed(one: Amount) -> str:
    """An amount as it is spelt, with its sign."""
    return ("-" if _negative(one.numbers) else "") + one.spelt


def _negative(values: frozenset[Number]) -> bool:
    """Whether a number can only be read as a negative one."""
    known = [value for value in values if isinstance(value, Decimal)]
    return bool(known) and all(value < 0 for value in known)


def _turn(text: str, one: Amount) -> int:
    """Whether a number is said to be a rise (1), a fall (-1), or neither (0)."""
    before = text[max(0, one.start - _BEFORE) : one.start]
    *_, clause = _CLAUSE.split(before)
    if _START.search(clause):
        return 0
    turns = [*_TURN.finditer(clause)]
    last = turns[-1] if turns else _TURN_BEHIND.match(text, one.end)
    return 0 if last is None else -1 if last["fell"] else 1


def _worked_out(one: Amount, text: str, cited: Sequence[Source]) -> bool:
    """Whether a century, a decade or a span of years follows from years of the sources."""
    known = {year for source in cited for other in source.reading.amounts for year in _year(other)}
    value = next((number for number in one.numbers if isinstance(number, Decimal)), None)
    if value is None:
        return False
    if ORDINAL in one.units and _CENTURY.match(text, one.end):
        return any((year - 1) // 100 + 1 == value for year in known)
    if one.spelt.endswith("s") and is_year(one):
        width = 100 if value % 100 == 0 else 10
        return value % width == 0 and any(value <= year < value + width for year in known)
    if "year" in one.units and _BETWEEN.match(text, one.end):
        said = {year for other in read(text).amounts for year in _year(other)} & known
        return any(later - value in said for later in said)
    return False


def _year(one: Amount) -> list[int]:
    return [int(one.spelt)] if is_year(one) and one.spelt.isdigit() else []


def _stated(wanted: Amount, reading: Reading, *, falls: bool, turn: int) -> bool:
    for found in reading.amounts:
        if turn and not is_year(found) and _turn(reading.text, found) == -turn:
            continue
        turned = falls
        if _negative(wanted.numbers):
            before = reading.text[max(0, found.start - _BEFORE) : found.start]
            turned = bool(_LESS.search(before))
        for unit, scale in wanted.meanings:
            for other, other_scale in found.meanings:
                if not _unit_fits(unit, other, reading):
                    continue
                if _equal(wanted, found, _scales(scale, other_scale, reading), turned=turned):
                    return True
    return False


def _scales(scale: int, other: int, reading: Reading) -> Iterator[tuple[int, int]]:
    """The scales by which two numbers may be compared; a caption may give that of bare ones."""
    yield scale, other
    if other == 1:
        yield from ((scale, named) for named in reading.around[1])


def _unit_fits(unit: str, other: str, reading: Reading) -> bool:
    if unit == other:
        return True
    if ORDINAL in (unit, other):
        return unit == ORDINAL and not other  # the 10th week is week 10
    return not unit or (not other and unit in reading.around[0])


def _equal(
    wanted: Amount, found: Amount, scales: Iterator[tuple[int, int]], *, turned: bool
) -> bool:
    for mine, theirs in scales:
        ours, others = wanted.values(mine), found.values(theirs)
        if not ours.isdisjoint(others):
            return True
        if turned and not _sizes(ours).isdisjoint(_sizes(others)):
            return True
    return False


def _sizes(values: frozenset[Number]) -> set[Decimal]:
    return {abs(value) for value in values if isinstance(value, Decimal)}


def _nearest_number(wanted: Amount, cited: Sequence[Source]) -> str:
    """The number in the sources that differs least, in value or in unit alone."""
    known = [one for source in cited for one in source.reading.amounts if not one.in_words]
    values = [value for value in wanted.numbers if isinstance(value, Decimal)]
    if not known or not values:
        return ""

    def apart(one: Amount) -> tuple[bool, Decimal]:
        theirs = [value for value in one.numbers if isinstance(value, Decimal)] or [Decimal("1e30")]
        least = min(abs(mine - other) for mine in values for other in theirs)
        return wanted.units.isdisjoint(one.units) and least != 0, least

    return _signed(min(known, key=apart))
