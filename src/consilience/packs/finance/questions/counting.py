"""In what does a question count? "How many m³ of cement" says the unit, and so which figures.

What is counted in money or in percent is said by every second question and chooses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.finance.notation.measures import CURRENCIES, RATES, unit_by_number
from consilience.packs.finance.questions.patterns import LONGEST, names_in, pattern

PEOPLE = frozenset({"FTE", "FTEs", "employees", "people", "persons", "workers", "headcount"})
"""Units that people are counted in: who asks for one is content with another."""
_COUNTED = re.compile(r"(?i)\b(?:how (?:many|much)|wie ?viele?)\s+(?P<said>\S+(?:\s\S+){0,2})")
_SOLD = re.compile(
    r"(?i)(?<!\w)(?P<said>\S+(?:\s\S+)?)\s(?:of|an|von)\s[^.;?]{1,60}?\b"
    r"(?:sold|sell|sells|shipped|delivered|produced|emitted|verkauft|geliefert|produziert)\b"
)
_DONE = re.compile(
    r"(?i)(?<!\w)(?P<said>\S+)\s(?:(?:were|was|are|is|have been|has been)\s)?"
    r"(?:sold|shipped|delivered|produced|emitted|verkauft|geliefert|produziert)\b"
)
_DOING = re.compile(
    r"(?i)\b(?:sold|sells?|ships?|shipped|delivers?|delivered|produces?|produced|emit(?:s|ted)?)\s"
    r"(?:(?:the|most|more|fewer|less|fewest|in)\s)*(?P<said>\S+(?:\s\S+)?)"
)
_ALONE = re.compile(
    r"(?i)(?<!\bper )(?<!\ba )(?<!\bone )(?<!\beach )(?<!\bje )(?<!\bpro )"
    r"(?<!\w)(?P<said>t|kt|mt|tonn?e?s|tons|tonnen|m³|m3|litres|liters)(?!\w)"
)
_HARMED = re.compile(
    r"(?i)\b(?:died?|dead|killed|injured|hurt|harmed|lost their|attend\w*|live|visit\w*|affected)\b"
)
_THINGS = re.compile(r"[^\s?.,;!]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit that a question counts in, from letter `start` up to `end`."""

    name: str
    start: int
    end: int


def is_money(unit: str) -> bool:
    """Whether a unit is money, or money for something: EUR, EUR/t."""
    return any(part in CURRENCIES for part in re.split(r"[/ ]", unit))


def is_quantity(unit: str) -> bool:
    """Whether a unit says what is counted: tonnes and m³ do, money and percent do not."""
    return bool(unit) and not is_money(unit) and unit not in RATES and "/" not in unit


def unit_in(text: str) -> Unit | None:
    """The unit that a question counts in, if it says one."""
    for form in (_COUNTED, _SOLD, _DONE, _DOING):
        for match in form.finditer(text[:LONGEST]):
            if unit := _unit_at(text, match):
                harmed = unit.name in PEOPLE and _HARMED.search(text, 0, LONGEST)
                return None if harmed else unit
    return None


def unit_alone(text: str) -> Unit | None:
    """The quantity that a question speaks of where it names no metric: the cement tonnes."""
    found = (_unit_at(text, match) for match in _ALONE.finditer(text[:LONGEST]))
    return next((one for one in found if one), None)


def _unit_at(text: str, match: re.Match[str]) -> Unit | None:
    """The unit that the words after "how many", or before "of … sold", begin with."""
    ends = [match.start("said") + one.end() for one in _THINGS.finditer(match["said"])]
    for end in reversed(ends):
        said = unit_by_number(text[match.start("said") : end])
        if said and is_quantity(said.unit):
            return Unit(name=said.unit, start=match.start("said"), end=end)
    return None


def counted_in(text: str, unit: Unit, known: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The metrics that are counted in a unit, those that the question's verb speaks of."""
    names = tuple(known.get(unit.name, ()))
    small = text.lower()
    for verb in names_in("counted"):
        if re.search(rf"\b(?:{verb})", small[:LONGEST]):
            chosen = [one for one in names if pattern("counted", verb).search(one.lower())]
            return tuple(chosen) or names
    return names
