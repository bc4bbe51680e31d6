"""What is to be done within a day: a way, a way there and back, two places at clock times?

"Start after breakfast, be there for lunch", "leaving after breakfast and back for dinner", "at 6.00
in A, at 7.30 the same Tuesday in B".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence
from consilience.packs.travel.trips.reading.times.almanac import WEEKDAY
from consilience.packs.travel.trips.reading.times.clocks import CLOCK, DAY, clock_of
from consilience.packs.travel.trips.reading.times.moments import Moment, moments

_LEAVES = {
    r"(?:at |before )?(?:dawn|sunrise|daybreak|first light)": 300,
    r"(?:after|at|over|from) (?:an early )?breakfast|(?:in the |this )?(?:early )?morning": 420,
    r"at (?:noon|midday)|before lunch": 690,
    r"after lunch": 780,
}
"""When one leaves at the earliest, by the words for it."""
_FOR = r"(?:for|by|at|before|in time for)(?: a late| an early)? (?:\w+day )?"
_ARRIVES = {
    rf"{_FOR}(?:noon|midday)": 735,
    rf"{_FOR}lunch(?:time)?": 840,
    rf"{_FOR}(?:dusk|sunset|sundown|nightfall|dark)": 1140,
    rf"{_FOR}(?:dinner|supper|tea)": 1260,
    rf"{_FOR}(?:bedtime|midnight|night)|(?:the |that )?(?:very )?same (?:day|evening|night)"
    r"|tonight|\w+day (?:night|evening)": DAY,
}
"""When one is there at the latest."""
_STARTS = (
    r"\b(?:start\w*|leav(?:e|es|ing)|depart\w*|set(?:ting)? (?:off|out)|off|out|go|going|head\w*"
    r"|begin\w*)\b"
)
_ENDS = (
    r"\b(?P<verb>be there|there|arriv\w+|reach\w*|be in|get (?:to|in|there)|and in|back|home"
    r"|return\w*)\b"
)
_NEAR = r"[^.;!?]{0,45}?"
_LEAVING = re.compile(rf"{_STARTS}{_NEAR}\b(?P<time>{'|'.join(_LEAVES)}|at {CLOCK})", re.IGNORECASE)
_ARRIVING = re.compile(rf"{_ENDS}{_NEAR}\b(?P<time>{'|'.join(_ARRIVES)}|(?:at|by) {CLOCK})", re.I)
_BETWEEN = re.compile(r"\bbetween breakfast and (?P<time>lunch|dinner|supper)\b", re.IGNORECASE)
_OTHER_DAY = re.compile(
    r"\b(?:next|following|second|third|last|final|another|days|nights|later|week"
    r"|day (?:\d|one|two|three|four|five|six|seven|eight|nine|ten))\b",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(rf"\b{WEEKDAY}", re.IGNORECASE)
_BACK = re.compile(r"back|home|return", re.IGNORECASE)
_EARLY = 360


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A way within a day: from when to when, whether it leads back, and how it is said.

    It is `certain` where both ends are told to be on one day.
    """

    begins: int
    ends: int
    back: bool
    certain: bool
    said: str


_FREE_IN = re.compile(
    rf"\bday (?:free|off|to spare) in (?P<place>{PLACE})\s*(?:[:,-]|and (?:want|would))",
    re.IGNORECASE,
)


def free_in(sentence: Sentence) -> str:
    """The city in which one has a day for something else; empty for none."""
    match = next(sentence.find(_FREE_IN), None)
    return sentence.places(match["place"])[0].place if match else ""


def errand_of(text: str) -> Errand | None:
    """The way that is to be made within a day; None where none is told."""
    if match := _BETWEEN.search(text):
        late = 840 if match["time"].casefold() == "lunch" else 1260
        return Errand(begins=480, ends=late, back=False, certain=True, said=match[0])
    for leaving in _LEAVING.finditer(text):
        begins = _minutes(leaving, _LEAVES)
        arriving = _ARRIVING.search(text, leaving.end())
        if begins is None or arriving is None or _ends_between(text, leaving, arriving):
            continue
        ends, certain = _minutes(arriving, _ARRIVES), _same_day(text, leaving, arriving)
        if ends is not None and certain is not None and ends > begins:
            said = f"{leaving['time'].strip()}, {arriving[0].strip()}"
            back = bool(_BACK.match(arriving["verb"]))
            return Errand(begins=begins, ends=ends, back=back, certain=certain, said=said)
    return _return_only(text)


def _return_only(text: str) -> Errand | None:
    """A way back within the day, where nothing tells when it begins."""
    for arriving in _ARRIVING.finditer(text):
        ends = _minutes(arriving, _ARRIVES)
        span = _clause(text, arriving)
        if ends is not None and _BACK.match(arriving["verb"]) and not _OTHER_DAY.search(span):
            return Errand(begins=_EARLY, ends=ends, back=True, certain=False, said=arriving[0])
    return None


def _clause(text: str, arriving: re.Match[str]) -> str:
    """What tells of arriving, with a little of what is behind it."""
    behind = re.split(r"[.,;!?]", text[arriving.end() : arriving.end() + 16])[0]
    return arriving[0] + behind


def _minutes(match: re.Match[str], words: dict[str, int]) -> int | None:
    said = match["time"]
    for form, minutes in words.items():
        if re.fullmatch(form, said, re.IGNORECASE):
            return minutes
    return clock_of(match)


def _ends_between(text: str, leaving: re.Match[str], arriving: re.Match[str]) -> bool:
    """Whether another sentence begins between both."""
    return bool(re.search(r"[.;!?]", text[leaving.end() : arriving.start()]))


def _same_day(text: str, leaving: re.Match[str], arriving: re.Match[str]) -> bool | None:
    """Whether both are told to be on one day; None where they are on different ones."""
    first = text[leaving.start() : arriving.start()]
    last = _clause(text, arriving)
    begun = {one[0][:3].casefold() for one in _WEEKDAY.finditer(first)}
    ended = {one[0][:3].casefold() for one in _WEEKDAY.finditer(last)}
    same = re.search(r"\bsame (?:day|evening|night|afternoon|morning|\w+day)\b", last, re.I)
    if _OTHER_DAY.search(first + last) or (begun and ended and begun != ended):
        return None
    return bool(same or (begun and ended))


# --- two places on one day --------------------------------------------------------------

_CHUNK = re.compile(r"[,;.!?](?!\d)|\band\b", re.IGNORECASE)
_BOTH = re.compile(r"[^.;!?]*\bboth (?:on )?(?:the same day|\w+day)\b", re.IGNORECASE)
_MOVES = re.compile(
    r"\b(?:fly|flies|flying|flights?|planes?|trains?|bus|leav\w+|land\w*|depart\w*|takes? off"
    r"|boards?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two places at clock times of one day, so many minutes apart."""

    first: str
    last: str
    minutes: int
    said: str


def meetings_in(sentence: Sentence, today: date) -> Iterator[Meeting]:
    """The places that are to be had one after the other at clock times of the same day."""
    rest = sentence.rest
    known = list(moments(rest, today))
    placed = [(one, _place_of(sentence, one, known)) for one in known]
    for (one, first), (other, last) in pairwise(placed):
        both = _BOTH.match(rest, other.end)
        if not first or not last or not (both or _on_one_day(one, other)):
            continue
        between = rest[one.end : other.end]
        if _MOVES.search(between) or _MOVES.search(rest[max(0, one.start - 40) : one.start]):
            continue
        minutes = abs(other.minutes - one.minutes)
        yield Meeting(first=first, last=last, minutes=minutes, said=f"{one.said} and {other.said}")


def _on_one_day(one: Moment, other: Moment) -> bool:
    if one.on and other.on:
        return one.on == other.on
    if one.weekday is not None and other.weekday is not None:
        return one.weekday == other.weekday
    return other.later == 0


def _place_of(sentence: Sentence, moment: Moment, known: list[Moment]) -> str:
    """The place of a clock time: in its clause, else the next one behind it."""
    rest = sentence.rest
    breaks = [one.span() for one in _CHUNK.finditer(rest)]
    start = max((end for _, end in breaks if end <= moment.start), default=0)
    end = min((begin for begin, _ in breaks if begin >= moment.end), default=len(rest))
    named = sentence.places(rest[start:end])
    if named:
        return named[-1].place
    stops = [one.start for one in known if one.start > moment.end]
    ended = re.search(r"[.;!?](?!\d)", rest[moment.end :])
    until = min([*stops, moment.end + ended.start() if ended else len(rest)])
    behind = re.search(PLACE, rest[moment.end : until])
    return sentence.places(behind[0])[0].place if behind else ""
