"""Which time do the headings of a column mean together?

`December 31,` above `2018` is one day; `2025` above `Q3` one quarter; `August 2025` above `YTD`
above `Budget` the plan for the first eight months. A word that has a meaning only near a time
takes the one that the other headings name, else the one that the report is for. Of several times
the innermost counts, which is the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache

from consilience.packs.finance.data_model import Basis, Period
from consilience.packs.finance.notation.periods import times
from consilience.packs.finance.notation.periods.parser import (
    LONGEST,
    Part,
    Spoken,
    parts_of,
    spoken,
)

_VERSUS = re.compile(r"(?i)\s*(?:vs\.?|versus|against|compared\s(?:to|with)|over|/|-|to)\s*")
_SHORT = {"day", "month", "quarter", "half", "ytd"}


def joined_header(parts: Sequence[str], *, near: Period | None = None) -> Spoken:
    """What a path of headings says: one time and one basis, as far as they name any.

    Without a time, `period` is `near` only where a word (`Month`, `Budget`) means it, and else
    None. The offsets are those of the whole path, joined by line ends.
    """
    return _joined(tuple(one.strip() for one in parts if one.strip()), near)


@lru_cache(maxsize=20_000)
def _joined(given: tuple[str, ...], near: Period | None) -> Spoken:
    text = "\n".join(one for at, one in enumerate(given) if one not in given[:at])[:LONGEST]
    found = parts_of(text)
    phrases = [one for one in found if one.phrase]
    named = spoken(text, phrases, near)
    period = _worded(text, found, _context(named, near)) or _innermost(named, phrases)
    basis, against = _basis(found, given, named)
    if len(named) > 1 and period and (basis == "change" or _compared(text, named)):
        period, basis, against = _difference(named, basis, against)
    said = Spoken(period=period, basis=basis, against=against, end=len(text))
    return _placed(said, near, _is_said(found, text)) if basis else said


def _context(named: Sequence[Spoken], near: Period | None) -> Period | None:
    """The time that words like `Month` are said of; a year alone means the report's part of it."""
    period = named[-1].period if named else None
    if period is None:
        return near
    if period.kind == "year" and near is not None and near.kind in _SHORT:
        return times.shifted(near, period.year - near.year)
    return period


def _worded(text: str, found: Sequence[Part], context: Period | None) -> Period | None:
    read = spoken(text, [one for one in found if one.word], context)
    return read[-1].period if read else None


def _innermost(named: Sequence[Spoken], phrases: Sequence[Part]) -> Period | None:
    """The last time that is named; a year alone below a longer phrase is that phrase's year."""
    if not named or named[-1].period is None:
        return None
    if len(named) > 1 and [one.role for one in named[-2:]] == ["from", "to"]:
        return _between(named[-2].period, named[-1].period)
    last, first = named[-1], named[0].period
    bare = any(one.phrase and one.phrase.bare and one.start == last.start for one in phrases)
    if bare and first is not None and last.period is not None and first.kind != "span":
        return times.shifted(first, last.period.year - first.year)
    return last.period


def _between(first: Period | None, last: Period | None) -> Period | None:
    """The time from one to another: `January 1, 2019 to December 31, 2019` is a year."""
    if first is None or last is None or first.start >= last.end:
        return last
    for count in (1, 3, 6, 12):
        whole = times.months(count, last.end)
        if whole.start == first.start:
            return whole
    start = (
        first.start + timedelta(days=1)
        if first.kind == "day" and first.start.day > 27
        else first.start
    )
    return times.of_days(start, last.end)


def _compared(text: str, named: Sequence[Spoken]) -> bool:
    """Whether two times are set against one another: `2019 vs. 2018`."""
    between = text[named[-2].end : named[-1].start]
    return bool(_VERSUS.fullmatch(between)) and ("v" in between or named[-1].role != "to")


def _difference(
    named: Sequence[Spoken], basis: Basis | None, against: Basis | None
) -> tuple[Period | None, Basis, Basis | None]:
    """The later of two times, and against what it is set."""
    one, two = named[-2].period, named[-1].period
    if one is None or two is None:
        return one or two, basis or "change", against
    late, early = (one, two) if one.end >= two.end else (two, one)
    yearly = times.shifted(late, -1).key == early.key
    return late, "change", against or ("last year" if yearly else None)


def _basis(
    found: Sequence[Part], given: Sequence[str], named: Sequence[Spoken]
) -> tuple[Basis | None, Basis | None]:
    """The basis that headings say together, and what a change is counted from."""
    said = [one.told for one in found if one.told]
    if not said:
        said = [one.told for text in given for one in parts_of(text) if one.told]
    plain: list[Basis] = [one.basis for one in said if one.basis != "change"]
    changes = [one for one in said if one.basis == "change"]
    if changes:
        others: list[Basis | None] = [one.against for one in changes if one.against]
        others += [one for one in plain if one != "actual"]
        against = others[-1] if others else None
        return "change", None if against == "actual" else against
    tagged = [one.basis for one in named if one.basis]
    last = [*tagged, *plain]
    return (last[-1] if last else None), None


def _is_said(found: Sequence[Part], text: str) -> bool:
    """Whether the time that is named is the year before itself: `PY 2024`."""
    words = [one.start for one in found if one.told and one.told.basis == "last year"]
    named = [one.start for one in found if one.phrase]
    if not words or not named:
        return False
    return words[-1] < named[-1] or "\n" not in text[named[-1] : words[-1]]


def _placed(said: Spoken, near: Period | None, already: bool) -> Spoken:  # noqa: FBT001
    """A basis with its time; the year before is a year before the time that is named."""
    at = said.period or near
    if said.basis != "last year" or at is None:
        return replace(said, period=at)
    if said.period and near is not None and at.year in {near.year, near.year - 1}:
        already = at.year < near.year
    if already:
        return replace(said, period=at, stated=times.shifted(at, 1))
    return replace(said, period=times.shifted(at, -1), stated=at)
