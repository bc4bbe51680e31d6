"""Which city is seen on one day or evening only, and which day is it?

"Our only evening in X is Tuesday 16 March", "X just on Monday", "X for one night, Tuesday".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence
from consilience.packs.travel.trips.reading.times.almanac import WEEKDAY, day_at

_LONE = r"(?:only|one|single|sole|exactly one|just one|one single|one and only)"
_PART = r"(?P<part>day|evening|night)"
_ONLY = (
    # X only on Monday
    rf"(?P<place>{PLACE})\s*(?:is |we have |:|=)?\s*(?:only|just)\s+(?:on )?(?:the )?(?P<day>)",
    # our only evening in X is Tuesday
    (
        rf"\b{_LONE} (?:full |free |whole )?{_PART} (?:only )?(?:that )?"
        rf"(?:(?:we|i) (?:have|get|are) )?(?:only )?(?:in|at|for|on) (?P<place>{PLACE})"
        r"\s*(?:is|will be|on|,|:|-|=|\()*\s*(?:a |the |on )*(?P<day>)"
    ),
    # X on Monday only
    rf"(?P<place>{PLACE})\s+(?:is |on )*(?:the )?(?P<day>)(?=[^.;,]{{0,24}}\bonly\b)",
    # in X we have only Monday
    rf"\b(?:in|for) (?P<place>{PLACE}) (?:we have|there is|we get) (?:only |just )+(?P<day>)",
    # X for a single night, Tuesday
    (
        rf"(?P<place>{PLACE})[,:]? (?:only |just )?(?:for )?(?:only |just )?"
        rf"(?:one|a|a single|a lone|one single) {_PART}(?: only)?\s*[,:(-]*\s*"
        r"(?:on )?(?:the )?(?P<day>)"
    ),
    # X just for the evening of Tuesday
    (
        rf"(?P<place>{PLACE}),? (?:only|just) for (?:the|an|one) {_PART} (?:of |on )?(?:the )?"
        r"(?P<day>)"
    ),
)
"""Where the day stands behind the city."""
_BEHIND = (
    # just Tuesday evening in X
    (
        re.compile(r"\b(?:just|only) (?:on )?(?P<day>)", re.IGNORECASE),
        re.compile(
            rf"\s*(?P<part>evening|night|day)?(?: is)?(?: free)? (?:in|for) (?P<place>{PLACE})",
            re.I,
        ),
    ),
    # Tuesday is our sole evening in X
    (
        re.compile(rf"\b(?P<day>)(?={WEEKDAY}|\d)", re.IGNORECASE),
        re.compile(
            rf"\s*(?:is|will be) (?:our|the|my) {_LONE} (?:full |free )?{_PART} (?:we have )?"
            rf"(?:in|at|on) (?P<place>{PLACE})",
            re.IGNORECASE,
        ),
    ),
)
"""Where the day stands before the city: what leads to it, and what is behind it."""
_GOES_ON = re.compile(rf"^\s*(?:to|-|until|till|through|and|or)\s*(?:the )?{WEEKDAY}", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyDay:
    """A place and the one day of the week on which it is seen, by day or in its `evening`."""

    place: str
    said: str
    weekday: int
    part: str = "day"


def only_days(sentence: Sentence, today: date) -> Iterator[OnlyDay]:
    """The cities that have one day of the trip and no other, where its date or weekday is told."""
    rest = sentence.rest
    for form in _ONLY:
        for match in sentence.find(form):
            found = day_at(rest, match.start("day"), today)
            if found and not _GOES_ON.match(rest[found[2] :]):
                part = match.groupdict().get("part") or "day"
                yield _only(sentence, match, found, rest[match.start("day") : found[2]], part)
    for lead, behind in _BEHIND:
        for match in sentence.find(lead):
            found = day_at(rest, match.start("day"), today)
            told = behind.match(rest, found[2]) if found else None
            if found and told:
                said = rest[match.start("day") : found[2]]
                yield _only(sentence, told, found, said, told["part"] or "day")


def _only(
    sentence: Sentence,
    match: re.Match[str],
    found: tuple[int, date | None, int],
    said: str,
    part: str,
) -> OnlyDay:
    place = sentence.places(match["place"])[0].place
    return OnlyDay(place=place, said=said.strip(), weekday=found[0], part=part.casefold())
