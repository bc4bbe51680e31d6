"""From which city does one leave at what time, and when is one to be in which other?

"Leaving A Friday 7 pm, three hours in B, then I need to be in C on Saturday at 6 pm."
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence
from consilience.packs.travel.trips.reading.times.clocks import DAY
from consilience.packs.travel.trips.reading.times.moments import Moment, days_between, moments

_LEAVES = re.compile(
    r"\b(?:leav(?:e|es|ing)|depart\w*|set(?:ting)? (?:off|out)|start\w*|check(?:ing)? out"
    r"|finish\w*|done|off)\b",
    re.IGNORECASE,
)
"""What says that one is in a city until then."""
_DUE = re.compile(
    r"\b(?:(?:need|have|has|got|must|want|supposed|due|expected)(?: to)? be|be (?:in|at|on|there)"
    r"|due (?:in|at)|arriv\w*|reach\w*|in time for|meeting|appointment|wedding|conference|concert"
    r"|dinner|interview)\b",
    re.IGNORECASE,
)
"""What says that one has to be in a city by then."""
_STOPS = re.compile(
    rf"(?P<place>{PLACE}) (?:for )?(?:about )?(?P<count>{NUMBER}) hours?\b"
    rf"|\b(?P<before>{NUMBER}) hours? (?:stop )?(?:in|at) (?P<behind>{PLACE})",
    re.IGNORECASE,
)
_LONG = 3  # days after which nobody is in a hurry


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """A way from one place to another within so many minutes, those of its `stops` among them."""

    first: str
    last: str
    minutes: int
    said: str
    stops: tuple[str, ...] = ()
    stopped: int = 0


def journeys_in(sentence: Sentence, today: date) -> Iterator[Journey]:
    """The ways of a text whose departure and whose appointment are told to the hour."""
    rest, known = sentence.rest, list(moments(sentence.rest, today))
    for number, one in enumerate(known):
        first = _place(sentence, one, known[number - 1].end if number else 0, _LEAVES)
        for place, other in enumerate(known[number + 1 :], number + 1):
            last = _place(sentence, other, known[place - 1].end, _DUE)
            days = days_between(one, other)
            if not first or not last or days is None or days > _LONG:
                continue
            minutes = days * DAY + other.minutes - one.minutes
            stops = list(_STOPS.finditer(rest, one.end, other.end))
            named = [(stop["place"] or stop["behind"]) for stop in stops]
            if minutes > 0:
                yield Journey(
                    first=first, last=last, minutes=minutes, said=f"{one.said} to {other.said}",
                    stops=tuple(sentence.places(name)[0].place for name in named),
                    stopped=sum(60 * value(stop["count"] or stop["before"]) for stop in stops),
                )  # fmt: skip


def _place(sentence: Sentence, moment: Moment, since: int, verb: re.Pattern[str]) -> str:
    """The only place near a clock time behind its verb, in the same sentence; empty for none."""
    rest = sentence.rest
    ended = [one.end() for one in re.finditer(r"[.;!?](?=\s)", rest[: moment.start])]
    start = max([since, *ended])
    told = [one.start() for one in verb.finditer(rest, start, moment.start)]
    behind = re.match(
        rf"[^.;!?,]{{0,30}}?\b(?:in|at|from|to) (?P<place>{PLACE})", rest[moment.end :]
    )
    if not told:
        return ""
    named = sentence.places(rest[told[0] : moment.start])
    if not named and behind:
        named = sentence.places(behind["place"])
    return named[-1].place if len({one.place for one in named}) == 1 else ""
