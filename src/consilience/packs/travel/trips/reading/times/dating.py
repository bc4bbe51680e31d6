"""When is the trip? Dates, spans of dates, days of the week, months, feasts and seasons.

A date without a year is the next one; what may be read in two ways is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from consilience.packs.travel.trips.reading.counting import value
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.times.almanac import (
    WEEKDAY,
    date_of,
    month_number,
    next_day,
    weekday_number,
)
from consilience.packs.travel.trips.reading.times.dateforms import FORMS
from consilience.packs.travel.trips.reading.times.feasting import read_feast

_LATER = re.compile(
    rf"\b(?:to|until|till|on|through|by"
    rf"|back)\s+(?:on\s+)?(?:{WEEKDAY},?\s+)?(?:the\s+)?(?P<day>[1-3]?\d)(?:st|nd|rd|th)\b"
    r"(?!\s+(?:birthday|anniversary|century|floor|of))",
    re.IGNORECASE,
)
_BACK_ON = re.compile(
    rf"\b(?:back|home|return\w*|leav(?:e|ing)|fly out|until|till)\b[^.;!?]{{0,25}}?"
    rf"\b(?:by |on |until |till )?(?:the )?(?P<last>{WEEKDAY})",
    re.IGNORECASE,
)
"""The day of the week of the way back, behind a first day with its date."""
_COUNTED = re.compile(r"\b(?:days?|nights|weeks?|weekend|fortnight)\b|\b(?:one|1) night\b", re.I)
_LONGEST = 300  # days from which a span without a year is taken as turned round
_SPAN = 60  # days between a first and a last day
_OVER_A_MONTH = 18  # days back from which "28 to 3 March" begins in the month before
_OCCASION = re.compile(
    r"\b(?:marry|marries|married|marrying|wedding|birthday|turns? \w+|exams?|finals|deadlines?"
    r"|anniversary|born|graduat\w+|since|work(?:ing)?|busy|lease|visa|passport|surgery"
    r"|operation)\b"
    r"[^.;!?]{0,30}$",
    re.IGNORECASE,
)
"""What a date may be of that is not the trip."""
_BOUND = re.compile(
    r"\bafter (?:the )?$"
    r"|\b(?:marry|wedding|exams?|finals|deadlines?|work(?:ing)?|busy|since)\b[^.;!?]{0,30}$",
    re.IGNORECASE,
)
"""What a date is of that the trip comes after."""
_IN, _OUT = (
    re.compile(rf"\b(?:{words})\b[^.;!?]{{0,20}}$", re.IGNORECASE)
    for words in (
        r"check(?:ing)?[ -]?in|arriv\w*|land|from|start\w*|begin\w*|coming|fly in|in on",
        r"check(?:ing)?[ -]?out|leav\w+|depart\w*|until|till|to|return\w*|end\w*|fly|back|home",
    )
)
"""What stands before the first and before the last day."""
_NAKED = re.compile(
    r"\b(?:from|between) (?:the )?(?P<first>[0-3]?\d)(?:st|nd|rd|th)?"
    r"\s*(?:to|until|till|and|-)\s*(?:the )?(?P<last>[0-3]?\d)(?:st|nd|rd|th)\b(?! of\b)",
    re.IGNORECASE,
)
"""Days of a month that is told elsewhere: "from the 8th to the 15th"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What is said of the time: the first day, the month, and how many days, each if it is."""

    starts_on: date | None = None
    month: int | None = None
    days: int | None = None


_Reader = Callable[[re.Match[str], date, Sentence], When | None]


_RECALLED = re.compile(
    r"\b(?:saw|went|were|was|had|did|been|spent|sold|bought|took|came|got|made|lost|broke|left|met"
    r"|gave|won|\w+ed)\b[^.;!?]*$",
    re.IGNORECASE,
)


def read_dates(sentence: Sentence, today: date, *, south: bool) -> When:
    """When the trip is; in the `south` of the earth, summer is around January."""
    readers: dict[str, _Reader] = {
        "iso": _iso, "spans": _spans, "span": _span, "turned": _span, "slashed": _slashed,
        "part": _part, "single": _single, "in month": _weekday_in, "weekdays": _weekdays,
        "stay": _stay, "weekday": _weekday, "soon": _soon, "hence": _hence,
    }  # fmt: skip
    for kind, reader in readers.items():
        found = [
            (match, when)
            for match in list(sentence.find(FORMS[kind]))
            if (when := _read(reader, match, today, sentence)) is not None
        ]
        for match, _ in found:
            sentence.use(*match.span())
        if found:
            return _until(sentence, _joined(sentence, _of_the_trip(sentence, found)))
    return _feast(sentence, today) or _month(sentence, today) or _season(sentence, south=south)


def _read(reader: _Reader, match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    """What a date says; one that no calendar has is told as not understood."""
    if (
        reader is _soon
        and match["what"].casefold().startswith("last")
        and _RECALLED.search(sentence.rest[: match.start()])
    ):
        return None
    found = reader(match, today, sentence)
    if found is None and reader in (_single, _iso):
        sentence.unclear.append(match[0].strip())
    return found


def _until(sentence: Sentence, when: When) -> When:
    """A later day of the same month that is told without it: "out on Friday the 12th"."""
    first = when.starts_on
    for match in sentence.find(_NAKED) if first and when.days is None else ():
        days = int(match["last"]) - int(match["first"]) + 1
        day, year = int(match["first"]), str(first.year) if first else None
        begins = next_day(first, first.month, day, year) if first else None
        if begins and days > 1:
            sentence.use(*match.span())
            return When(starts_on=begins, month=begins.month, days=days)
    for match in sentence.find(_LATER) if first and when.days is None else ():
        if first and int(match["day"]) > first.day:
            sentence.use(*match.span())
            days = int(match["day"]) - first.day + 1
            return When(starts_on=first, month=when.month, days=days)
    for match in sentence.find(_BACK_ON) if first and when.days is None else ():
        if first and not sentence.has(_COUNTED):
            days = (weekday_number(match["last"]) - first.weekday()) % 7 + 1
            return When(starts_on=first, month=when.month, days=days) if days > 1 else when
    return when


def _of_the_trip(
    sentence: Sentence, found: list[tuple[re.Match[str], When]]
) -> list[tuple[re.Match[str], When]]:
    """The dates without those of a wedding or a deadline; one of these alone is a bound."""
    kept = [one for one in found if not _OCCASION.search(sentence.text[: one[0].start()])]
    if not kept or len(kept) < len(found):
        gone = [one[0][0].strip() for one in found if one not in kept] if kept else []
        sentence.assumed = [
            told for told in sentence.assumed if not any(f"'{one}' is" in told for one in gone)
        ]
    if len(kept or found) > 1:
        return kept or found
    match, when = (kept or found)[0]
    if when.starts_on and when.days is None and _BOUND.search(sentence.text[: match.start()]):
        after = when.starts_on + timedelta(days=1)
        _told(sentence, f"after {match[0].strip()}", after)
        return [(match, When(starts_on=after, month=after.month))]
    return [(match, when)]


def _joined(sentence: Sentence, found: list[tuple[re.Match[str], When]]) -> When:
    """Two dates are the first and the last day: the later soon after, or told as the way out."""
    (arriving, first), (leaving, last) = found[0], found[-1]
    if len(found) != 2 or not (first.starts_on and last.starts_on):
        return first
    days = (last.starts_on - first.starts_on).days
    if first.days is None and last.days is None:
        if 0 < days <= _SPAN:
            return When(starts_on=first.starts_on, month=first.month, days=days + 1)
        text = sentence.text
        out = _OUT.search(text[arriving.end() : leaving.start()])
        if (days < 0 or days > _LONGEST) and out and _IN.search(text[: arriving.start()]):
            return _turned(first.starts_on, last.starts_on.replace(year=first.starts_on.year))
    return first


def _told(sentence: Sentence, said: str, meant: date) -> None:
    sentence.assumed.append(f"'{said.strip()}' is taken as {meant.day} {meant:%B %Y}")


def _between(first: date | None, last: date | None) -> When | None:
    if first is None or last is None:
        return None
    if last < first and first.year != last.year + 1:
        last = last.replace(year=first.year + (last.month < first.month))
    return When(starts_on=first, month=first.month, days=(last - first).days + 1)


def _iso(match: re.Match[str], today: date, _: Sentence) -> When | None:
    first = next_day(today, int(match[2]), int(match[3]), match[1])
    if match[4] is None or first is None:
        return When(starts_on=first, month=first.month) if first else None
    return _between(first, next_day(today, int(match[5]), int(match[6]), match[4]))


def _spans(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    years = [match[f"year2{side}"] for side in "ab"]
    year = next((one for one in years if one), None)
    first = date_of(match, today, "1", year)
    last = date_of(match, first or today, "2", year)
    if first and last and first > last and year:
        own = match["year1a"] or match["year1b"]
        earlier = first.replace(year=first.year - 1, day=min(first.day, 28))
        if own or (last - earlier).days > _SPAN:
            return _turned(first, last)
        first = first.replace(year=first.year - 1)
    if first and not year:
        _told(sentence, match[0], first)
    if first and last and not year and (last - first).days > _LONGEST:
        return _turned(first, last.replace(year=first.year))
    return _between(first, last)


def _turned(first: date, last: date) -> When:
    """A last day before the first one, as it is said: fewer days than none."""
    return When(starts_on=first, month=first.month, days=(last - first).days + 1)


def _span(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    month, year = month_number(match["month"]), match["year"]
    first = next_day(today, month, int(match["day1"]), year)
    last = next_day(first or today, month, int(match["day2"]), year)
    if first and last and int(match["day2"]) < int(match["day1"]):
        over = int(match["day1"]) - int(match["day2"]) > _OVER_A_MONTH
        return None if over else _turned(first, last.replace(year=first.year))
    if first and not year:
        _told(sentence, match[0], first)
    return _between(first, last)


def _slashed(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    one, two = int(match[1]), int(match[2])
    if "." in match[0] and not match[3]:
        return None
    day, month = (one, two) if two <= 12 else (two, one)
    found = next_day(today, month, day, match[3])
    if found is None:
        return None
    if one <= 12 and two <= 12 and one != two:
        sentence.assumed.append(
            f"'{match[0]}' may be read in two ways: taken as {found.day} {found:%B %Y}, day first"
        )
    return When(starts_on=found, month=found.month)


def _single(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    found = date_of(match, today)
    if found is None:
        return None
    if not (match["yeara"] or match["yearb"]):
        _told(sentence, match[0], found)
    return When(starts_on=found, month=found.month)


def _part(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    month, which = month_number(match["month"]), match["which"].casefold()
    number = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}.get(which, 3)
    step = 14 if match["unit"].casefold() == "half" else 7
    day = 22 if number == 3 else 1 + number * step
    found = next_day(today, month, min(day, 22), match["year"])
    if found is None:
        return None
    if match["unit"].casefold() == "weekend":
        found += timedelta(days=(5 - found.weekday()) % 7)
    _told(sentence, match[0], found)
    return When(starts_on=found, month=month)


def _on_weekday(today: date, name: str, said: str | None) -> date:
    """The next such day; "next Friday" on a Monday is that of this week still."""
    ahead = (weekday_number(name) - today.weekday()) % 7
    return today + timedelta(days=ahead or (7 if said else 0))


def _weekdays(match: re.Match[str], today: date, sentence: Sentence) -> When:
    first = _on_weekday(today, match["first"], match["next"])
    length = (weekday_number(match["last"]) - first.weekday()) % 7 + 1
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month, days=length)


_LONGER = re.compile(
    r"\b(?:weeks?|fortnight|months?|(?:[89]|\d\d|ten|\w+teen) (?:days|nights))\b", re.IGNORECASE
)


def _stay(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    """From the day of arriving to that of leaving, where no longer stay is told."""
    if sentence.has(_LONGER):
        return None
    first = _on_weekday(today, match["first"], None)
    length = (weekday_number(match["last"]) - first.weekday()) % 7 + 1
    _told(sentence, match["first"], first)
    return When(starts_on=first, month=first.month, days=length)


def _weekday(match: re.Match[str], today: date, sentence: Sentence) -> When:
    first = _on_weekday(today, match["first"], match["next"])
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month)


def _weekday_in(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    """The first such day of a month, or its last where that is said."""
    month, last = month_number(match["month"]), (match["which"] or "").strip() == "last"
    first = next_day(today, month, 22 if last else 1, match["year"])
    if first is None:
        return None
    found = first + timedelta(days=(weekday_number(match["first"]) - first.weekday()) % 7)
    if last and (found + timedelta(days=7)).month == month:
        found += timedelta(days=7)
    _told(sentence, match[0], found)
    return When(starts_on=found, month=month)


def _soon(match: re.Match[str], today: date, sentence: Sentence) -> When:
    what = match["what"].casefold()
    if what == "next month":
        return When(month=today.month % 12 + 1)
    if what == "this month":
        return When(month=today.month)
    past = {
        "yesterday": -1,
        "last week": -7,
        "last weekend": -7,
        "last month": -30,
        "last year": -365,
    }
    ahead, days = {"today": 0, "tonight": 0, "tomorrow": 1, **past}.get(what, 0), None
    if "weekend" in what and ahead == 0:
        ahead, days = (5 - today.weekday()) % 7, 2
        if "long" in what:
            ahead, days = (4 - today.weekday()) % 7, 3
        ahead += 7 if "next" in what and today.weekday() >= 5 else 0
    elif "next week" in what:
        ahead = 7 - today.weekday()
    first = today + timedelta(days=ahead)
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month, days=days)


def _hence(match: re.Match[str], today: date, sentence: Sentence) -> When:
    unit = {"day": 1, "week": 7, "month": 30}[match["unit"].casefold()]
    first = today + timedelta(days=value(match["count"]) * unit)
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month)


def _feast(sentence: Sentence, today: date) -> When | None:
    found = read_feast(sentence, today)
    return When(starts_on=found.first, month=found.first.month) if found else None


def months_told(text: str) -> frozenset[int]:
    """All months that a text names."""
    sentence = Sentence(text)
    found = [one for kind in ("month", "bare") for one in sentence.find(FORMS[kind])]
    return frozenset(month_number(one["month"]) for one in found)


def _month(sentence: Sentence, today: date) -> When | None:
    apart = next(sentence.find(r"\b(?:in|of|for) (?P<year>20\d\d)\b"), None)
    for kind in ("month", "bare"):
        for match in sentence.find(FORMS[kind]):
            number, year = month_number(match["month"]), match["year"]
            year = year or (apart["year"] if apart else None)
            sentence.use(*match.span())
            if year and (int(year), number) < (today.year, today.month):
                return When(starts_on=date(int(year), number, 1), month=number)
            return When(month=number)
    return None


def _season(sentence: Sentence, *, south: bool) -> When:
    form = (
        r"\b(?:in|during|over|this|next|for)(?: the| late| early)? (spring|summer|autumn|fall"
        r"|winter)\b"
    )
    for match in sentence.find(form):
        name = {"fall": "autumn"}.get(match[1].casefold(), match[1].casefold())
        number = {"spring": 4, "summer": 7, "autumn": 10, "winter": 1}[name]
        month = (number + 5) % 12 + 1 if south else number
        sentence.assumed.append(f"{name} is taken as {date(2000, month, 1):%B} there")
        sentence.use(*match.span())
        return When(month=month)
    return When()
