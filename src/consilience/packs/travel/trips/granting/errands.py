"""Is a day long enough for the way that is to be made in it, or for two places at clock times?"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from consilience.packs.travel.atlas import SIGHTS
from consilience.packs.travel.trips.granting.journeys import SLACK, settle_journeys, way_minutes
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.times.clocks import DAY
from consilience.packs.travel.trips.reading.times.errands import Errand, errand_of, meetings_in
from consilience.packs.travel.trips.wording import duration

_A_LOOK = 180  # minutes in which another city can be looked at
_FEW_DAYS = 2  # days of a stay that a hurried day may stand for
_THOROUGH = re.compile(
    r"\b(?:full|whole|entire|complete)\b[^.;!?]{0,24}"
    r"\b(?:loop|circuit|trek|trail|traverse|round|tour|island|route)\b",
    re.IGNORECASE,
)
"""What asks for all of a place."""


def settle_errands(talk: Talk) -> None:
    """Settle what a day is too short for."""
    sentence = talk.sentence()
    if settle_journeys(talk, sentence) or _meetings(talk, sentence):
        return
    errand = errand_of(sentence.text)
    if errand is None or talk.compromises:
        return
    towns = _towns(talk, sentence)
    if errand.back:
        _there_and_back(talk, errand, towns)
    elif len(towns) == 2:
        _one_way(talk, errand, towns)


def _towns(talk: Talk, sentence: Sentence) -> list[str]:
    """The cities of a text in their order, that "from" which it starts first."""
    named = [talk.atlas.city_of(one.place) for one in sentence.mentions]
    found = list(dict.fromkeys(one for one in named if one and talk.is_city(one)))
    start = talk.wish.start
    told = start in found and re.search(r"\bfrom\b", sentence.text, re.IGNORECASE)
    return [start, *(one for one in found if one != start)] if told else found


def _one_way(talk: Talk, errand: Errand, towns: list[str]) -> None:
    start, end = towns
    needed, have = way_minutes(talk, start, end), errand.ends - errand.begins
    if needed * SLACK <= have:
        return
    talk.settle(
        f"{talk.atlas.name_of(start)} to {talk.atlas.name_of(end)}: {errand.said}",
        f"there are {duration(have)}, and the way takes {duration(needed)}",
        "planned with the time that it takes",
    )


def _there_and_back(talk: Talk, errand: Errand, towns: list[str]) -> None:
    """A way to other cities and back on one day; a longer trip has its days for it."""
    said = not any("no length" in one for one in talk.wish.assumed)
    if len(towns) < 2 or (said and talk.wish.days > 1 and not errand.certain):
        return
    around, places = [*towns, towns[0]], talk.atlas.places
    ways = sum(way_minutes(talk, one, other) for one, other in pairwise(around))
    sights = [places[one].minutes for one in talk.wish.must
              if places[one].kind in SIGHTS and talk.atlas.city_of(one) != towns[0]]  # fmt: skip
    needed, have = ways + max(_A_LOOK, sum(sights)), errand.ends - errand.begins
    stay = max(places[one].days[0] or 1 for one in towns[1:])
    if _THOROUGH.search(talk.wanted.text) and stay > _FEW_DAYS:
        needed += (stay - 1) * DAY
    if needed * SLACK <= have or not ways:
        return
    days = max(len(towns), 2, stay)
    talk.grant(days=max(talk.wish.days, days))
    talk.settle(
        f"{talk.names(towns[1:])} and back within a day",
        f"the ways alone take {duration(ways)}, the visits come on top, and there are "
        f"{duration(have)}",
        f"planned for {counted(talk.wish.days, 'day')}",
    )


def _meetings(talk: Talk, sentence: Sentence) -> bool:
    """Whether two places at clock times of a day lie further apart than the time between them."""
    for one in meetings_in(sentence, talk.today or date.min):
        first, last = talk.atlas.city_of(one.first), talk.atlas.city_of(one.last)
        ways = talk.atlas.fastest(first, last) if first and last else ()
        needed = sum(way.minutes for way in ways)
        if needed * SLACK > one.minutes:
            talk.settle(
                f"{talk.names([first, last])} at {one.said} of one day",
                f"there are {duration(one.minutes)}, and the way takes {duration(needed)}",
                "one after the other, with the time that the way takes",
            )
            return True
    return False
