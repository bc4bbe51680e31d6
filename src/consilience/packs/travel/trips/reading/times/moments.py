"""From which moment to which is there time: landing on Tuesday at 11pm, flying home at 7am?

A moment is a clock time with a day of the week or a date near it. Two of them, one of coming or
being free and a later one of leaving or having to be back, bound the time between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.times.almanac import day_at
from consilience.packs.travel.trips.reading.times.clocks import CLOCK, DAY, clock_of

_CLOCK = re.compile(rf"(?<![\w:.,$€£]){CLOCK}(?![\w%])", re.IGNORECASE)
_COMES = re.compile(
    r"\b(?:land|lands|landing|landed|arriv\w*|touch(?:es|ing)? down|gets? in|get off|off work"
    r"|finish(?:es|ing)?|free from|ends?|docks?|layover|stopover|done)\b"
    r"|\b(?:from|between)(?: \w+day)?,?\s*$",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:fly|flies|flying|flight|leav(?:e|es|ing)|depart\w*|boards?|boarding|takes? off|be back"
    r"|back (?:in|at|by|on)|return\w*|have to be|has to be|must be|need to be|next one|home|to"
    r"|until|till|and)\b",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\b(?:same|that very|that same) (?:day|evening|afternoon|morning|night|\w+day)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b(?:next|following) (?:morning|day|afternoon|evening)\b", re.IGNORECASE)
_STOP = re.compile(r"\b(?:layover|stop-?over|between (?:two |the |my |our )?flights)\b", re.I)
_ENDED = re.compile(r"[.;!?](?=\s|$)")
_NEAR = 40  # letters between a clock and its day
_WAKES, _SLEEPS = 6 * 60, 22 * 60
_WEEK = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The minutes between two moments, those of them by day, the days, and how both are said."""

    minutes: int
    awake: int
    said: str
    days: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A clock time where it stands, with the day that is told near it.

    `later` are the days after the moment before it, where "the same day" or "the next" says so.
    """

    start: int
    end: int
    minutes: int
    weekday: int | None
    on: date | None
    comes: bool
    leaves: bool
    later: int | None
    said: str


def gap_of(text: str, today: date) -> Gap | None:
    """The time between coming and leaving, where both are told to the hour; None if not."""
    found = list(moments(text, today))
    for place, first in enumerate(found):
        for last in found[place + 1 :] if first.comes else ():
            days = days_between(first, last, layover=bool(_STOP.search(text)))
            if not last.leaves or days is None:
                continue
            minutes = days * DAY + last.minutes - first.minutes
            if minutes > 0:
                said = f"{first.said} and {last.said}"
                awake = _awake(first.minutes, minutes)
                return Gap(minutes=minutes, awake=awake, said=said, days=days + 1)
    return None


def moments(text: str, today: date) -> Iterator[Moment]:
    """The clock times of a text in their order."""
    ended = 0
    for match in _CLOCK.finditer(text):
        minutes = clock_of(match)
        if minutes is None and match["whole"]:
            minutes = int(match["whole"]) * 60 + int(match["minute"])
        if minutes is None:
            continue
        breaks = [one.end() for one in _ENDED.finditer(text, 0, match.start())]
        before = text[max([ended, *breaks]) : match.start()]
        stop = _ENDED.search(text, match.end())
        behind = text[match.end() : stop.start() if stop else len(text)][:_NEAR]
        day = _day(before, behind, today)
        later = 0 if _SAME.search(before + behind) else 1 if _NEXT.search(before + behind) else None
        yield Moment(
            start=match.start(), end=match.end(), minutes=minutes, weekday=day[0] if day else None,
            on=day[1] if day else None, comes=bool(_COMES.search(before)),
            leaves=bool(_LEAVES.search(before)), later=later, said=_told(match, day),
        )  # fmt: skip
        ended = match.end()


_DayTold = tuple[int, date | None, str]


def _day(before: str, behind: str, today: date) -> _DayTold | None:
    """The day that is told nearest to a clock: right behind it, else before it."""
    lead = re.match(r"\s*,?\s*(?:on |the )*", behind, re.IGNORECASE)
    start = lead.end() if lead else 0
    if found := day_at(behind, start, today):
        return found[0], found[1], behind[start : found[2]].strip()
    for place in range(len(before) - 1, max(-1, len(before) - _NEAR), -1):
        bounded = place == 0 or not before[place - 1].isalnum()
        if bounded and before[place].isalnum() and (found := day_at(before, place, today)):
            whole = _widest(before, place, today)
            return (*whole[:2], before[whole[3] : whole[2]].strip())
    return None


def _widest(text: str, place: int, today: date) -> tuple[int, date | None, int, int]:
    """The longest telling of a day that ends where one does: "Friday 15 October" over "15"."""
    found = day_at(text, place, today)
    assert found is not None  # noqa: S101 - asked for by the caller
    best = (*found, place)
    for start in range(max(0, place - 14), place):
        wider = day_at(text, start, today)
        bounded = start == 0 or not text[start - 1].isalnum()
        if bounded and wider and wider[2] == found[2]:
            return (*wider, start)
    return best


def _told(match: re.Match[str], day: _DayTold | None) -> str:
    clock = re.sub(r"(?<=[ap]m)\.$", "", match[0].strip(), flags=re.IGNORECASE)
    return f"{clock} {day[2]}" if day else clock


def days_between(first: Moment, last: Moment, *, layover: bool = False) -> int | None:
    """The days from one moment to another; None where it cannot be told."""
    if first.on and last.on:
        return (last.on - first.on).days
    if first.weekday is not None and last.weekday is not None:
        ahead = (last.weekday - first.weekday) % _WEEK
        return ahead if ahead or last.minutes > first.minutes else _WEEK
    if last.later is not None:
        return last.later
    if layover and last.weekday is None:
        return 0 if last.minutes > first.minutes else 1
    return None


def _awake(begins: int, minutes: int) -> int:
    """Those minutes from a time of day on in which something is open."""
    days = range(-(-(begins + minutes) // DAY))
    wake = (
        min(begins + minutes, day * DAY + _SLEEPS) - max(begins, day * DAY + _WAKES) for day in days
    )
    return sum(max(0, one) for one in wake)


_APART = re.compile(
    rf"\b(?:at least|minimum(?: of)?|min\.?|no(?:t)? less than|less than|complete|full|whole)\s+"
    rf"(?P<count>{NUMBER})[ -]hours?\b[^.;!?]{{0,25}}?\b(?:between|after|before|apart|from)\b",
    re.IGNORECASE,
)


def apart(text: str) -> tuple[int, str] | None:
    """The minutes that are to lie between two things, and how that is said."""
    match = _APART.search(text)
    return (value(match["count"]) * 60, match[0]) if match else None


_PARTED = re.compile(
    r"[.;!?](?=\s)|\b(?:days?|nights?|next|following|later|tomorrow|weeks?|\w+day)\b", re.IGNORECASE
)
"""What tells that two clock times are not of one day, or may not be."""


def same_day_gap(text: str) -> Gap | None:
    """The time between two clock times of one day: "back at 15:00, and my flight is at 17:00"."""
    found = list(moments(text, date.min + timedelta(days=1)))
    for first, last in pairwise(found):
        between = text[first.end : last.start]
        at_once = last.later is None and not _PARTED.search(between)
        if (last.later == 0 or at_once) and last.minutes > first.minutes:
            minutes = last.minutes - first.minutes
            return Gap(minutes=minutes, awake=minutes, said=f"{first.said} and {last.said}")
    return None
