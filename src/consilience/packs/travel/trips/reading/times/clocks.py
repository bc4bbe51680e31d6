"""At which hour, or on which day of the week, is a place wanted?

"The floating market at six in the evening", "breakfast at the night market", "the museum on
Monday": a time belongs to the sight of its clause, and a clause that is nothing but a time to the
sight before it. A time that is told of something else (a flight, a meal, the way back) is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.counting import value
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence
from consilience.packs.travel.trips.reading.times.almanac import weekday_number

NOON, DAY = 12 * 60, 24 * 60
_NEAR = 45  # minutes around a clock time that count as that time
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HALF = (
    r"(?:[ap]\.?m\b\.?|(?:in|at) (?:the )?(?:morning|afternoon|arvo|evening|night)\b"
    r"|(?:this|that) (?:morning|afternoon|evening|night)\b)"
)
CLOCK = (
    rf"(?:(?P<noon>noon|midday)|(?P<midnight>midnight)|(?P<past>half past |half )?"
    rf"(?:(?P<whole>[01]?\d|2[0-4])[:.h](?P<minute>[0-5]\d)|(?P<hour>[01]?\d|2[0-4]|{_HOURS}))"
    rf"(?:\s*o'?clock)?(?:\s*(?P<half>{_HALF}))?)"
)
"""A clock time in figures or words, with the half of the day where it is said."""
_CLOCK = re.compile(rf"(?<![\w:.,$€£]){CLOCK}(?![\w%])", re.IGNORECASE)
_NAMED_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_ONLY_WEEKDAY = re.compile(
    r"\s*(?:and |but |so )?on (?:the |a )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
    r"(?: (?:morning|afternoon|evening|night))?(?: please)?\s*$",
    re.IGNORECASE,
)
"""A clause that is nothing but a day of the week."""
_DOTTED = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)

_PARTS = {
    r"(?:(?:at|for|during|before|watch(?:ing)?) (?:the )?)?(?:sunrise|dawn|daybreak|first light)":
        (270, 450),
    r"(?:for |before |have |having |eat(?:ing)? )?(?:our |a |my )?breakfast": (300, 630),
    r"(?:in the|early in the|(?:one|every|each|this|that) (?:early )?|\w+day) ?mornings?":
        (300, 720),
    r"(?:for|at|over|after) lunch(?:time)?|lunch(?= (?:at|in|on)\b)": (660, 900),
    r"(?:in the|late in the|(?:one|every|each|this|that)|\w+day) (?:afternoons?|arvos?)":
        (720, 1080),
    r"(?:(?:at|for|during|watch(?:ing)?) (?:the )?)?(?:sunset|dusk|sundown)": (990, 1140),
    r"(?:in the|late in the|(?:one|every|each|this|that)|\w+day) evenings?": (1050, 1350),
    r"after (?:our |a |the )?(?:dinner|supper)": (1170, 1410),
    r"for (?:our |a |my )?(?:dinner|supper)|(?:dinner|supper|evening meal)(?= (?:at|in|on)\b)":
        (1050, 1320),
    r"(?:at|by|late at|in the|\w+day|one|every|each) nights?|after dark|after nightfall|tonight":
        (1110, 1560),
}  # fmt: skip
"""Parts of a day in words, from the earliest to the latest minute that is meant at all."""
_WORDED = {re.compile(rf"\b(?:{form})\b", re.IGNORECASE): span for form, span in _PARTS.items()}
_BREAK = re.compile(
    r"[;!?()\n]|[,.:](?!\d)|\s-\s|\b(?:and )?then\b|\bbut\b|\bfollowed by\b|\bbefore(?= \w+ing\b)",
    re.IGNORECASE,
)
_TRAVELS = (
    r"back|home|return\w*|flights?|fly|flying|train|bus|plane|leav\w+|land|lands|landing|arriv\w*"
    r"|hotel|check\w*|bed|sleep\w*|until|till|by|from|since|drinks?|bars?|pick\w*|meet\w*|meeting"
    r"|depart\w*|work|free|clos\w+|opens?|opening|get up|massage"
)
_BESIDES = re.compile(rf"\b(?:{_TRAVELS})\b", re.IGNORECASE)
"""What else a time may be told of."""
_OTHERWISE = re.compile(rf"\b(?:and|or|plus|with|{_TRAVELS})\b", re.IGNORECASE)
"""What parts a time from the sight before or behind it."""
_DENIED = re.compile(
    r"\b(?:not|never|no|nor|without|avoid\w*|except|clos\w+|shut|over|ends?|unless|instead of"
    r"|know|heard|says|said)\b|n't\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\s*(?:(?:say|let's say|around|about|at|roughly|preferably|ideally|best|like|maybe|perhaps"
    r"|from|starting(?: at)?|so|and|it should be|it has to be|that is|towards)\s+)*$",
    re.IGNORECASE,
)
_LIGHT = re.compile(
    r"^\s*(?:please|thanks|thank you|sharp|(?:or so|ish|exactly|precisely|if possible)\b"
    r"|(?:would|will|should|is|works|suits|sounds)\b.*|(?:with|while|when|for|because|as|since)\b"
    r".*|on (?:the|our|day)\b.*|both days|every day|each day)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A place at a time: between these minutes of a day, or on a day of the week; as it is said."""

    place: str
    said: str
    begins: int = 0
    ends: int = DAY
    weekday: int | None = None


@dataclass(frozen=True, slots=True)
class _Time:
    begins: int
    ends: int
    start: int
    end: int
    said: str


def asked_times(sentence: Sentence, is_sight: Callable[[str], bool]) -> Iterator[Asked]:
    """The sights of a sentence that are wanted at an hour or in a part of the day."""
    last = ""
    for clause in _clauses(sentence.rest):
        spots = _spots(sentence, clause, is_sight)
        for time in () if _DENIED.search(clause) else _times(clause):
            place = _belongs(clause, time, spots)
            if not place and not spots and last and _only_time(clause, time):
                place = last
            if place:
                yield Asked(place=place, said=time.said, begins=time.begins, ends=time.ends)
        if spots:
            last = spots[-1][2] if len({one[2] for one in spots}) == 1 else ""


_LISTED = re.compile(r"(?P<head>[^.;!?:]+):(?=\s)(?P<list>[^.;!?]+)")
_MEALS = re.compile(r"\b(?P<late>dinners?|suppers?|evening meals?)\b", re.IGNORECASE)
_OTHER_MEAL = re.compile(
    r"\b(?:breakfasts?|brunch|lunch(?:es)?|morning|noon|coffee)\b", re.IGNORECASE
)
_DINNER = (1050, 1320)


def asked_lists(sentence: Sentence, is_food: Callable[[str], bool]) -> Iterator[Asked]:
    """The places to eat of a list whose head tells the meal: "supper at 8 pm: first A, then B"."""
    plain = _DOTTED.sub(lambda one: f"{one[1]}m".ljust(len(one[0])), sentence.rest)
    for match in _LISTED.finditer(plain):
        head, rest = match["head"], match["list"]
        meal = _MEALS.search(head)
        if (
            not meal
            or _DENIED.search(head)
            or _OTHER_MEAL.search(head)
            or _spots(sentence, head, is_food)
        ):
            continue
        clocks = [one for one in _times(head) if one.said[:1].isdigit()]
        begins, ends = (clocks[0].begins, clocks[0].ends) if clocks else _DINNER
        said = f"for {meal[0]}" + (f" at {clocks[0].said}" if clocks else "")
        for part in re.split(r",|\band\b|\bthen\b", rest):
            for _, _, place in () if _OTHER_MEAL.search(part) else _spots(sentence, part, is_food):
                yield Asked(place=place, said=said, begins=begins, ends=ends)


def asked_weekdays(sentence: Sentence, is_sight: Callable[[str], bool]) -> Iterator[Asked]:
    """The sights of a sentence that are wanted on a day of the week."""
    last = ""
    for clause in _clauses(sentence.rest):
        spots = _spots(sentence, clause, is_sight)
        days = list(_NAMED_DAY.finditer(clause))
        if last and not spots and (only := _ONLY_WEEKDAY.match(clause)):
            yield Asked(place=last, said=f"on {only[1]}", weekday=weekday_number(only[1]))
        if spots:
            last = spots[0][2] if len(spots) == 1 else ""
        if len(spots) != 1 or len(days) != 1 or _DENIED.search(clause):
            continue
        start, end, place = spots[0]
        between = clause[end : days[0].start()] or clause[days[0].end() : start]
        if not _OTHERWISE.search(between) and not _BESIDES.search(clause[: days[0].start()]):
            yield Asked(place=place, said=f"on {days[0][0]}", weekday=weekday_number(days[0][0]))


# --- clauses ----------------------------------------------------------------------------


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a text; "p.m." ends none."""
    plain = _DOTTED.sub(lambda one: f"{one[1]}m".ljust(len(one[0])), text)
    return (one for one in _BREAK.split(plain) if one.strip())


def _spots(
    sentence: Sentence, clause: str, is_sight: Callable[[str], bool]
) -> list[tuple[int, int, str]]:
    """Where the sights of a clause stand, and which they are."""
    found = [(one.start(), one.end(), sentence.places(one[0])[0].place)
             for one in re.finditer(PLACE, clause)]  # fmt: skip
    return [one for one in found if is_sight(one[2])]


def _times(clause: str) -> Iterator[_Time]:
    taken: list[tuple[int, int]] = []
    for match in _CLOCK.finditer(clause):
        minutes = clock_of(match)
        if minutes is not None:
            taken.append(match.span())
            yield _Time(minutes - _NEAR, minutes + _NEAR, *match.span(), match[0].strip())
    for form, (begins, ends) in _WORDED.items():
        for match in form.finditer(clause):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                yield _Time(begins, ends, *match.span(), match[0].strip())


def clock_of(match: re.Match[str]) -> int | None:
    """The minutes after midnight that a `CLOCK` tells; None where it may be either half of a day.

    Figures with minutes ("15:00", "06:30") are told as on a timetable.
    """
    if match["noon"] or match["midnight"]:
        return NOON if match["noon"] else DAY
    said = match["whole"] or match["hour"]
    hour = value(said)
    minute = int(match["minute"] or 0) + (30 if match["past"] else 0)
    half = (match["half"] or "").casefold()
    if not half:
        certain = match["whole"] and (hour > 12 or said.startswith("0"))
        return hour * 60 + minute if certain else None
    late = half.startswith("p") or any(one in half for one in ("noon", "arvo", "evening"))
    late = late or ("night" in half and 5 < hour < 12)
    hour = hour % 12 if hour == 12 and not late and "night" not in half else hour
    return (hour + (12 if late and hour < 12 else 0)) * 60 + minute


def _belongs(clause: str, time: _Time, spots: list[tuple[int, int, str]]) -> str:
    """The sight of a clause that a time is told of: the one before it, else the one behind."""
    before = [one for one in spots if one[1] <= time.start]
    if before:
        between = clause[before[-1][1] : time.start]
        return "" if len(between) > 60 or _OTHERWISE.search(between) else before[-1][2]
    behind = [one for one in spots if one[0] >= time.end]
    if behind and not _OTHERWISE.search(clause[: time.start]):
        between = clause[time.end : behind[0][0]]
        return "" if len(between) > 40 or _OTHERWISE.search(between) else behind[0][2]
    return ""


def _only_time(clause: str, time: _Time) -> bool:
    """Whether a clause says nothing but a time: "say six in the evening with a beer"."""
    return bool(_LEAD.match(clause[: time.start]) and _LIGHT.match(clause[time.end :]))


# --- days that a traveller keeps --------------------------------------------------------

_BARE = rf"(?:{CLOCK}|lunch(?:time)?)"
_STIRS = (
    r"(?:get(?:s|ting)?(?: ourselves)? up|out of bed|up|awake|wak(?:e|es|ing)(?: up)?"
    r"|ris(?:e|es|ing)"
    r"|leav(?:e|es|ing) (?:the|our) (?:hotel|room|house)"
    r"|surfac\w+|exists?|emerges?|appears?|function|do(?:es)? anything"
    r"|see anything|stir|moving)"
)
_EARLIEST = (
    re.compile(
        rf"\bnothing (?:at all |whatsoever |planned |on |scheduled )*(?:before|until|till|earlier"
        rf" than) {_BARE}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:\b(?:never|not|nobody|no one|none|refuse to|cannot|neither)\b|n't\b)[^.;!?]{{0,30}}?"
        rf"\b{_STIRS}[^.;,!?]{{0,15}}?\b(?:before|until|till|earlier than) {_BARE}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:sleep|stay in bed|are in bed|lie in)(?: in| late)?(?: every day| always| daily)? "
        rf"(?:until|till) {_BARE}(?!\s*(?:on|that|the first))",
        re.IGNORECASE,
    ),
)
_UP_AT = re.compile(
    rf"\b(?:we|i|everyone|everybody|they|both of us|all of us) (?:\w+ )?(?:get|wake|are) up "
    rf"(?:at|around|about) {CLOCK}",
    re.IGNORECASE,
)
_LATE_RISER = 10 * 60
_NO_MORNINGS = re.compile(
    r"\b(?:(?:do not|don't|never|cannot|can't) do (?:early )?mornings|no mornings(?: at all| ever)?"
    r"|mornings (?:are|is) (?:out|off|off limits|sacred|for sleep\w*|not (?:for us|our thing)))\b",
    re.IGNORECASE,
)
_LATEST = (
    re.compile(rf"\bnothing (?:at all |planned |on )*(?:after|later than) {CLOCK}", re.IGNORECASE),
    re.compile(
        rf"\b(?:in bed|asleep|indoors|back (?:at|in) (?:the|our) \w+) (?:by|before) {CLOCK}"
        r"(?=[^.;!?]{0,20}\b(?:every|each|always|sharp|daily|without)\b)",
        re.IGNORECASE,
    ),
)
_NO_EVENINGS = re.compile(
    r"\b(?:nothing after (?:dark|sunset|nightfall|dinner)|(?:do not|don't|never) go out (?:after"
    r" dark|at night|in the evenings?)|no (?:evenings|going out after dark)(?: at all| ever)?)\b",
    re.IGNORECASE,
)
_DUSK = 18 * 60


def earliest(text: str) -> tuple[int, str] | None:
    """The minute before which nothing is to be done on any day, and how that is said."""
    for form in _EARLIEST:
        match = form.search(text)
        if match:
            minutes = clock_of(match)
            hour = value(match["hour"] or match["whole"] or "twelve") * 60
            return (hour if minutes is None else minutes), match[0]
    match = _UP_AT.search(text)
    if match and (clock_of(match) or 0) >= _LATE_RISER:
        return clock_of(match) or 0, match[0]
    match = _NO_MORNINGS.search(text)
    return (NOON, match[0]) if match else None


def latest(text: str) -> tuple[int, str] | None:
    """The minute after which nothing is to be done on any day, and how that is said."""
    for form in _LATEST:
        match = form.search(text)
        if match:
            minutes = clock_of(match)
            hour = value(match["hour"] or match["whole"] or "six") * 60
            return (hour % NOON + NOON if minutes is None else minutes), match[0]
    match = _NO_EVENINGS.search(text)
    return (_DUSK, match[0]) if match else None
