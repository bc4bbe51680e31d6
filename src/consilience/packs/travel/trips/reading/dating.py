"""When is the trip? Dates, spans of dates, days of the week, months, feasts and seasons.

A date without a year is the next one; what may be read in two ways is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.festivals import FEASTS, next_feast
from consilience.packs.travel.trips.reading.sentence import Sentence

_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)s?\b"
)
_DAY = rf"(?:{_WEEKDAY},? )?(?:the )?(?P<day{{0}}>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?:,? ?(?P<year{0}>20\d\d))?"
_TO = r"\s*(?:-|to|until|till|through|thru|and|bis|up to)\s*"
_LATER = re.compile(
    rf"\b(?:to|until|till|on|through|by"
    rf"|back)\s+(?:on\s+)?(?:{_WEEKDAY},?\s+)?(?:the\s+)?(?P<day>[1-3]?\d)(?:st|nd|rd|th)\b"
    r"(?!\s+(?:birthday|anniversary|century|floor|of))",
    re.IGNORECASE,
)
_FEAST = (
    r"\b(?:(?:over|at|for|during|around|on|in|this|next|the)\s)?\b(?:{0})\b(?! (?:island|market))"
    r"(?: (?P<year>20\d\d))?"
)
_AROUND = re.compile(r"\b(?:before|after|avoid|avoiding|not|until)\s\w?$", re.IGNORECASE)
_LONGEST = 300  # days from which a span without a year is taken as turned round
_SPAN = 60  # days between a first and a last day


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What is said of the time: the first day, the month, and how many days, each if it is."""

    starts_on: date | None = None
    month: int | None = None
    days: int | None = None


_Reader = Callable[[re.Match[str], date, Sentence], When | None]


def _one(number: str = "") -> str:
    """A day and a month in either order, a year behind."""
    return (
        rf"(?:{_DAY.format(number + 'a')}(?: of)? (?P<month{number}a>{_MONTH})"
        rf"{_YEAR.format(number + 'a')}|(?P<month{number}b>{_MONTH}) {_DAY.format(number + 'b')}"
        rf"(?!\d|:){_YEAR.format(number + 'b')})"
    )


_FORMS = {
    "iso": r"\b(20\d\d)-(\d\d)-(\d\d)(?:(?:\s*(?:to|until|till|-|/)\s*)(20\d\d)-(\d\d)-(\d\d))?\b",
    "spans": rf"(?:\b(?:from|between) )?\b{_one('1')}{_TO}{_one('2')}",
    "span": rf"(?:\b(?:from|between) )?\b{_DAY.format('1')}{_TO}{_DAY.format('2')}(?: of)? "
    rf"(?P<month>{_MONTH}){_YEAR.format('')}",
    "turned": rf"(?:\b(?:from|between) )?\b(?P<month>{_MONTH}) {_DAY.format('1')}{_TO}"
    rf"{_DAY.format('2')}(?!\d|:| (?:days?|nights?|people)){_YEAR.format('')}",
    "slashed": r"(?<![\d/.])([0-3]?\d)[/.]([0-3]?\d)(?:[/.]((?:20)?\d\d))?(?![\d/]|\.\d|,\d"
    r"|\s*(?:million|mil|k|%|usd|eur|stars?|star))",
    "single": rf"\b{_one()}",
    "part": rf"\b(?P<which>first|second|third|last|1st|2nd|3rd) (?P<unit>week|weekend|half|days) "
    rf"(?:of|in) (?P<month>{_MONTH}){_YEAR.format('')}",
    "in month": rf"\b(?:on |starting |leaving |from )*(?:an? |the )?(?P<which>first |last )?"
    rf"(?P<first>{_WEEKDAY}) (?:in|of) (?P<month>{_MONTH}){_YEAR.format('')}",
    "weekdays": rf"\b(?:(?P<next>next|this|coming) )?(?P<first>{_WEEKDAY})"
    rf"(?: (?:morning|afternoon|evening|night))?{_TO}(?P<last>{_WEEKDAY})",
    "weekday": rf"\b(?:(?P<next>next|this|coming) |on (?:a )?|starting (?:on )?|from "
    rf"|leaving (?:on )?)"
    rf"(?P<first>{_WEEKDAY})",
    "soon": r"\b(?P<what>today|tonight|tomorrow|(?:this|next|the coming|coming) (?:long )?weekend"
    r"|yesterday|last (?:week|weekend|month|year)(?! of)|next week|next month|this month"
    r"|this week)\b",
    "hence": rf"\b(?:in )?(?P<count>{NUMBER}|an?) (?P<unit>day|week|month)s?'?"
    r"(?: from (?:now|today)|'? time\b)",
    "month": rf"\b(?:(?:in|during|over|for|around|by|throughout|of|next|this|early|mid|late|end of"
    rf"|beginning of|start of|middle of)[ -]|(?<=, )|(?<=\. )|^(?=\w+(?: 20\d\d)?\s*(?:[,:;-]|$"
    rf"|for\b|with\b|trip\b)))(?:the )?"
    rf"(?P<month>{_MONTH})(?! i\b| we\b| through)(?:(?: of)? (?P<year>20\d\d))?",
    "bare": r"\b(?P<month>january|february|april|june|july|august|september|october|november"
    r"|december|(?-i:March))\b(?: (?P<year>20\d\d))?",
}  # fmt: skip


_RECALLED = re.compile(
    r"\b(?:saw|went|visited|were|was|had|did|been|loved|spent|stayed)\b[^.;!?]*$", re.I
)


def read_dates(sentence: Sentence, today: date, *, south: bool) -> When:
    """When the trip is; in the `south` of the earth, summer is around January."""
    readers: dict[str, _Reader] = {
        "iso": _iso, "spans": _spans, "span": _span, "turned": _span, "slashed": _slashed,
        "part": _part, "single": _single, "in month": _weekday_in, "weekdays": _weekdays,
        "weekday": _weekday, "soon": _soon, "hence": _hence,
    }  # fmt: skip
    for kind, reader in readers.items():
        found = [
            (match, when)
            for match in list(sentence.find(_FORMS[kind]))
            if (when := _read(reader, match, today, sentence)) is not None
        ]
        for match, _ in found:
            sentence.use(*match.span())
        if found:
            return _until(sentence, _joined([when for _, when in found]))
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
    for match in sentence.find(_LATER) if first and when.days is None else ():
        if first and int(match["day"]) > first.day:
            sentence.use(*match.span())
            days = int(match["day"]) - first.day + 1
            return When(starts_on=first, month=when.month, days=days)
    return when


def _joined(found: list[When]) -> When:
    """Two dates, the later one soon after the first, are the first and the last day."""
    first, last = found[0], found[-1]
    if len(found) == 2 and first.starts_on and last.starts_on:
        days = (last.starts_on - first.starts_on).days
        if first.days is None and last.days is None and 0 < days <= _SPAN:
            return When(starts_on=first.starts_on, month=first.month, days=days + 1)
    return first


def month_number(name: str) -> int:
    """The number of a month by its name or the beginning of it."""
    return _NAMES.index(name[:3].casefold()) + 1


def _next(today: date, month: int, day: int, year: str | None = None) -> date | None:
    """A day in that year, or the next such day; None for one that no month has."""
    try:
        if year:
            return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        found = date(today.year, month, day)
        return found if found >= today else date(today.year + 1, month, day)
    except ValueError:
        return None


def _told(sentence: Sentence, said: str, meant: date) -> None:
    sentence.assumed.append(f"'{said.strip()}' is taken as {meant.day} {meant:%B %Y}")


def _between(first: date | None, last: date | None) -> When | None:
    if first is None or last is None:
        return None
    if last < first and first.year != last.year + 1:
        last = last.replace(year=first.year + (last.month < first.month))
    return When(starts_on=first, month=first.month, days=(last - first).days + 1)


def _iso(match: re.Match[str], today: date, _: Sentence) -> When | None:
    first = _next(today, int(match[2]), int(match[3]), match[1])
    if match[4] is None or first is None:
        return When(starts_on=first, month=first.month) if first else None
    return _between(first, _next(today, int(match[5]), int(match[6]), match[4]))


def _read_one(match: re.Match[str], today: date, which: str, year: str | None) -> date | None:
    side = "a" if match[f"month{which}a"] else "b"
    own = match[f"year{which}{side}"]
    month, day = month_number(match[f"month{which}{side}"]), int(match[f"day{which}{side}"])
    return _next(today, month, day, own or year)


def _spans(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    years = [match[f"year2{side}"] for side in "ab"]
    year = next((one for one in years if one), None)
    first = _read_one(match, today, "1", year)
    last = _read_one(match, first or today, "2", year)
    if first and last and first > last and year:
        first = first.replace(year=first.year - 1)
    if first and not year:
        _told(sentence, match[0], first)
    if first and last and not year and (last - first).days > _LONGEST:
        last = last.replace(year=first.year)
        return When(starts_on=first, month=first.month, days=(last - first).days + 1)
    return _between(first, last)


def _span(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    month, year = month_number(match["month"]), match["year"]
    first = _next(today, month, int(match["day1"]), year)
    last = _next(first or today, month, int(match["day2"]), year)
    if first and last and int(match["day2"]) < int(match["day1"]):
        return None
    if first and not year:
        _told(sentence, match[0], first)
    return _between(first, last)


def _slashed(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    one, two = int(match[1]), int(match[2])
    if "." in match[0] and not match[3]:
        return None
    day, month = (one, two) if two <= 12 else (two, one)
    found = _next(today, month, day, match[3])
    if found is None:
        return None
    if one <= 12 and two <= 12 and one != two:
        sentence.assumed.append(
            f"'{match[0]}' may be read in two ways: taken as {found.day} {found:%B %Y}, day first"
        )
    return When(starts_on=found, month=found.month)


def _single(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    found = _read_one(match, today, "", None)
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
    found = _next(today, month, min(day, 22), match["year"])
    if found is None:
        return None
    if match["unit"].casefold() == "weekend":
        found += timedelta(days=(5 - found.weekday()) % 7)
    _told(sentence, match[0], found)
    return When(starts_on=found, month=month)


def _weekday_number(name: str) -> int:
    return next(i for i, one in enumerate(_WEEKDAYS) if one.startswith(name[:3].casefold()))


def _on_weekday(today: date, name: str, said: str | None) -> date:
    """The next such day; "next Friday" on a Monday is that of this week still."""
    ahead = (_weekday_number(name) - today.weekday()) % 7
    return today + timedelta(days=ahead or (7 if said else 0))


def _weekdays(match: re.Match[str], today: date, sentence: Sentence) -> When:
    first = _on_weekday(today, match["first"], match["next"])
    length = (_weekday_number(match["last"]) - first.weekday()) % 7 + 1
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month, days=length)


def _weekday(match: re.Match[str], today: date, sentence: Sentence) -> When:
    first = _on_weekday(today, match["first"], match["next"])
    _told(sentence, match[0], first)
    return When(starts_on=first, month=first.month)


def _weekday_in(match: re.Match[str], today: date, sentence: Sentence) -> When | None:
    """The first such day of a month, or its last where that is said."""
    month, last = month_number(match["month"]), (match["which"] or "").strip() == "last"
    first = _next(today, month, 22 if last else 1, match["year"])
    if first is None:
        return None
    found = first + timedelta(days=(_weekday_number(match["first"]) - first.weekday()) % 7)
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
    for names, (called, day) in FEASTS.items():
        for match in sentence.find(_FEAST.format(names)):
            if _AROUND.search(sentence.rest[: match.start() + 1]):
                continue
            first = next_feast(day, today, int(match["year"]) if match["year"] else None)
            sentence.assumed.append(f"{called}: beginning about {first.day} {first:%B %Y}")
            sentence.use(*match.span())
            return When(starts_on=first, month=first.month)
    return None


def feast_clash(text: str, today: date) -> tuple[str, str, date] | None:
    """A feast that a text wants in another month than its own: both, and when it is."""
    sentence = Sentence(text)
    when = _feast(sentence, today)
    month = _month(sentence, today) if when is not None else None
    if when is None or month is None or month.month is None or when.starts_on is None:
        return None
    if (month.month - when.starts_on.month + 1) % 12 <= 2:  # the month before, its own, the next
        return None
    feast = sentence.assumed[0].partition(":")[0]
    return feast, f"{date(2000, month.month, 1):%B}", when.starts_on


def _month(sentence: Sentence, today: date) -> When | None:
    apart = next(sentence.find(r"\b(?:in|of|for) (?P<year>20\d\d)\b"), None)
    for kind in ("month", "bare"):
        for match in sentence.find(_FORMS[kind]):
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
