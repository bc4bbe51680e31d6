"""Has a calendar room for it: five nights in two days, a sixth week of May, two full moons?"""

from __future__ import annotations

import re
from calendar import monthrange

from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.times.almanac import MONTH, month_number
from consilience.packs.travel.trips.reading.times.festivals import FEASTS
from consilience.packs.travel.trips.reading.times.lasting import nights_beyond

_WEEK = re.compile(
    rf"\b(?P<which>sixth|seventh|eighth|ninth|tenth|6th|7th|8th|9th|1\dth) week (?:of|in) "
    rf"(?P<month>{MONTH})",
    re.IGNORECASE,
)
_DAYS_OF = re.compile(
    rf"\b(?P<count>{NUMBER}) (?:days|nights) (?:in|of|during) (?P<month>{MONTH})"
    r"(?: (?P<year>20\d\d))?",
    re.IGNORECASE,
)
_OFTEN = r"(?:twice|two times|three times|thrice|again on|and again)"
_RARE = re.compile(
    rf"\b(?P<first>full[- ]moon|new moon|{'|'.join(FEASTS)})\b[^.;!?]*\b{_OFTEN}\b"
    rf"|\b{_OFTEN}\b[^.;!?]*\b(?P<second>full[- ]moon|new moon|{'|'.join(FEASTS)})\b",
    re.IGNORECASE,
)
_MOON, _YEAR = 28, 360  # days from which it is there twice


def settle_calendar(talk: Talk) -> None:
    """Settle what no calendar has."""
    _nights(talk)
    _week(talk)
    _month(talk)
    _twice(talk)


def _nights(talk: Talk) -> None:
    """More nights than the days that are said hold."""
    found = nights_beyond(talk.wanted.text, talk.atlas)
    if found is None:
        return
    days, nights = found
    granted = nights + 1
    talk.grant(days=granted)
    talk.settle(
        f"{counted(days, 'day')} with {counted(nights, 'night')}",
        f"{counted(nights, 'night')} take {counted(granted, 'day')}",
        counted(granted, "day"),
    )


def _week(talk: Talk) -> None:
    for match in _WEEK.finditer(talk.wanted.text):
        talk.settle(match[0], "no month has so many weeks", f"some days of {match['month']}")


def _month(talk: Talk) -> None:
    for match in _DAYS_OF.finditer(talk.wanted.text):
        year = int(match["year"]) if match["year"] else talk.today.year if talk.today else 2028
        has = monthrange(year, month_number(match["month"]))[1]
        if value(match["count"]) > has and not talk.compromises:
            talk.grant(days=min(talk.wish.days, has))
            talk.settle(match[0], f"that month has {has} days", counted(talk.wish.days, "day"))


def _twice(talk: Talk) -> None:
    """A feast or a moon more often than it is there."""
    for match in _RARE.finditer(talk.wanted.text):
        feast = match["first"] or match["second"]
        least = _MOON if "moon" in feast.casefold() else _YEAR
        if talk.wish.days < least:
            wanted = f"{feast} more than once in {counted(talk.wish.days, 'day')}"
            talk.settle(wanted, f"it is once in a {'month' if least == _MOON else 'year'}", "once")
