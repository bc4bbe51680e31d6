"""What is to be done with the figures that a question names? Read from how it is put.

The question comes with what it names replaced by `METRIC`, `ENTITY`, `PERIOD` and `BASIS`, the
rest in small letters: so a metric called "change in working capital" asks for no change, and
"share capital" for no share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from consilience.packs.finance.notation.periods.phrases import month_in
from consilience.packs.finance.questions.patterns import LONGEST, is_put, pattern
from consilience.understand.amounts import Amount, amounts

Operation = Literal[
    "difference",
    "growth",
    "share",
    "ratio",
    "sum",
    "average",
    "highest",
    "lowest",
    "count",
    "trend",
    "compare",
]
"""What is computed of figures. None is a look-up."""
Comparison = Literal[">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What figures must be above or below: the number in whole units, and its unit if one is said.

    The span goes from letter `start` up to `end` of the question.
    """

    comparison: Comparison
    number: Decimal
    unit: str = ""
    start: int = 0
    end: int = 0


NUMBERS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
"""Numbers as words, from one on."""
_NTHS = ("first", "second", "third", "fourth", "fifth")
_BETWEEN = re.compile(r"\s*(?:of\s+|the\s+|about\s+|around\s+|by\s+)?")
_SIGNS: dict[str, Comparison] = {">": ">", "<": "<", ">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}
_SIGN = re.compile("|".join(sorted(_SIGNS, key=len, reverse=True)))
_YEARS = range(1985, 2061)
_DAYS = 31
_ORDINAL = "th"
_BY = "divided by|over|to|per|by|minus|less|plus|net of|times|relative to|in relation to"
_FORMULA = (
    rf"METRIC\s?(?:(?:{_BY}|as an? \w+ of|in (?:%|percent) of|geteilt durch|dividiert durch|zu|"
    r"durch)\s|[/÷+−-])\s?"
    r"(?:its |the |their |total )*METRIC"
)
_SAYING = (
    r"(?:i\.? ?e\b\.?|that is(?: to say)?|that means|meaning|namely|in other words|"
    r"(?:defined|measured|calculated|computed|expressed|understood) as|d\.? ?h\b\.?|das heißt|also)"
)
_SPELT = re.compile(
    rf"(?:[(:]\s?|(?<=[,\s(–—-]){_SAYING}[,:]?\s)(?:the |its |their )*(?={_FORMULA})"
)
_CALLED = re.compile(
    rf"{_FORMULA}(?P<name>\s?\([^()]{{1,60}}\)|,?\s(?:{_SAYING}|known as|called)\s[^,.?()]{{1,60}})"
)
_NEXT = re.compile(r"\W{1,2}(?:of )?(?P<word>[^\W\d_]{3,10})")
_INSIDE = re.compile(
    r"(?:ENTITY|METRIC|COMPANY)[^.?]{0,80}? (?:in|to|an|am) "
    r"(?=(?:the |de[mnr] |its |their )?(?:(?:COMPANY|ENTITY|group|company)(?:['’]s?)? )*"
    r"(?:total )?METRIC)"
)
_OF_SOMEONE = re.compile(r"share|contribut|proportion|anteil")
_SHARED = re.compile(r"\b(?:share|proportion|anteil) (?:of|in|an|am|von|der|des) ")
_OF = re.compile(r"\b(?:of|to|am|vom|des|der)\b|(?<=\banteil )an\b")


def operation_of(told: str, *, many: bool) -> Operation | None:
    """What a question asks to compute.

    `told` is the question with placeholders; `many` says whether it names several metrics,
    entities or periods.
    """
    if is_put(told, "operations", "trend"):
        return "share" if _SHARED.search(told) else "trend"
    if is_put(told, "operations", "count"):
        return "count"
    first = _first(told, ("highest", "lowest", "growth", "share", "ratio", "difference"))
    if first in ("highest", "lowest"):
        return first
    related = first if first in ("growth", "share", "ratio") else None
    if related == "ratio" and is_put(told, "operations", "percent"):
        related = "share"
    found = _picked(told) or related or _compared(told) or _combined(told, many=many)
    return found or ("trend" if is_put(told, "operations", "series") else None)


def spelt_at(told: str) -> int:
    """Where a question spells out what it has named before: cash conversion (cash flow by EBITDA).

    0 where it does not.
    """
    match = _SPELT.search(told, 0, LONGEST)
    return match.end() if match else 0


def named_at(told: str) -> tuple[int, int]:
    """From where to where a question names what it has spelt out: net debt by EBITDA (leverage)."""
    match = _CALLED.search(told, 0, LONGEST)
    return match.span("name") if match else (0, 0)


def number_of(told: str) -> int:
    """How many are asked for: the n of "top n" or "nth highest", 0 for a whole ranking, else 1."""
    match = pattern("choosing", "top").search(told, 0, LONGEST)
    if match:
        said = match["behind"] or match["before"] or match["between"]
        return int(said) if said.isdigit() else NUMBERS.index(said) + 1
    nth = pattern("choosing", "nth").search(told, 0, LONGEST)
    if nth:
        return _NTHS.index(nth["nth"]) + 1
    return 0 if is_put(told, "choosing", "all") else 1


def whole_behind(told: str) -> int | None:
    """Where in a question the words begin that name what a share is taken of."""
    match = pattern("operations", "share").search(told, 0, LONGEST)
    if not match:
        return None
    inner = _INSIDE.search(told, match.start())
    if inner and _OF_SOMEONE.search(match[0]):
        return inner.end()
    ends = [one.end() for one in _OF.finditer(told) if one.end() <= match.end() + 1]
    return ends[-1] if ends else match.end()


def bound_of(text: str) -> Bound | None:
    """The number that figures are to be above or below, if a question says one.

    A bare number that may be a year counts only behind words that no year follows.
    """
    small = text[:LONGEST].lower()
    if len(small) != len(text[:LONGEST]):
        return None
    spoken = {one.start: one for one in reversed(amounts(text[:LONGEST]))}
    for comparison, start, end in _comparisons(small):
        gap = _BETWEEN.match(small, end)
        amount = spoken.get(gap.end() if gap else end)
        if amount and not _may_be_time(small, start, end, amount):
            return _bound(comparison, start, amount)
    for name, sign in (("negative", "<"), ("positive", ">")):
        match = pattern("bounds", name).search(small)
        if match:
            start, end = match.span("word")
            return Bound(comparison=_SIGNS[sign], number=Decimal(0), start=start, end=end)
    return None


def _comparisons(text: str) -> list[tuple[Comparison, int, int]]:
    """Words and signs that compare, from where to where, in order."""
    found = [(_SIGNS[match[0]], *match.span()) for match in _SIGN.finditer(text)]
    for name, sign in (("more", ">"), ("less", "<")):
        for match in pattern("bounds", name).finditer(text):
            equal = "=" if is_put(match[0], "bounds", "equal") else ""
            found.append((_SIGNS[sign + equal], *match.span()))
    return sorted(found, key=lambda one: one[1])


def _bound(comparison: Comparison, start: int, amount: Amount) -> Bound | None:
    unit, scale = min(amount.meanings, key=lambda one: (one[0] == "", -one[1], one[0]))
    numbers = sorted(one for one in amount.numbers if isinstance(one, Decimal))
    if not numbers:
        return None
    number = numbers[-1] * scale
    return Bound(comparison=comparison, number=number, unit=unit, start=start, end=amount.end)


def _may_be_time(text: str, start: int, end: int, amount: Amount) -> bool:
    """Whether a number behind words that compare is a year, or the day of a month."""
    if any(unit == _ORDINAL for unit, _ in amount.meanings):  # over the first half
        return True
    if not amount.spelt.isdecimal():
        return False
    behind = _NEXT.match(text, amount.end)
    if behind and int(amount.spelt) <= _DAYS and month_in(behind["word"]):
        return True
    said = text[start:end]
    return int(amount.spelt) in _YEARS and said.endswith(("than", "over", "under", "up to"))


def _first(told: str, names: tuple[Operation, ...]) -> Operation | None:
    """The operation that is named first; of two named at once, the one that is listed first."""
    found = [
        (match.start(), place, name)
        for place, name in enumerate(names)
        if (match := pattern("operations", name).search(told, 0, LONGEST))
    ]
    return min(found)[2] if found else None


def _picked(told: str) -> Operation | None:
    """Whether one of two is asked for: the year in which a figure was higher."""
    which = pattern("choosing", "which").search(told, 0, LONGEST)
    if not which or "BOUND" in told or is_put(told, "choosing", "not"):
        return None
    rest = told[which.start() :]
    if is_put(rest, "choosing", "less"):
        return "lowest"
    return "highest" if is_put(rest, "choosing", "more") else None


def _compared(told: str) -> Operation | None:
    """Whether it is asked which of two figures is more."""
    return "compare" if "BASIS" not in told and is_put(told, "operations", "compare") else None


def _combined(told: str, *, many: bool) -> Operation | None:
    """The difference, the average or the sum: that which is named first.

    `total` alone is a sum only of several figures; else it is a word for one of them.
    """
    first = _first(told, ("difference", "average", "sum"))
    if first:
        return first
    summed = many and "respective" not in told and is_put(told, "operations", "total")
    return "sum" if summed else None
