"""Is there time for a way between leaving one city and having to be in another, stops counted?"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.ways.journeys import journeys_in
from consilience.packs.travel.trips.reading.ways.travelling import ROAD, family_of
from consilience.packs.travel.trips.wording import duration

SLACK = 0.9  # of the time that a way takes
_WINDING = 1.3
_KM_AN_HOUR = {"bicycle": 16.0, "foot": 5.0}
_MEANS = {
    "bicycle": r"bicycl\w*|cycl(?:e|ing)|(?:on|by) (?:\w+ )?bikes?|pedal\w*",
    "foot": r"on foot|walk(?:ing)?|hik(?:e|ing)|march(?:ing)?(?= from)",
    "train": r"trains?|by rail",
    "boat": r"(?:by|the) (?:ferry|boat|ship)|by sea",
    "road": r"(?:by|in a|our|hired|rental) car|driv(?:e|ing)|by road|bus|coach|van|taxi"
    r"|motorbikes?",
}
"""By what a way is to be made."""
_FAMILIES = {
    "train": frozenset({"train"}), "road": ROAD,
    "boat": frozenset(family_of(one) for one in ("ferry", "boat", "speedboat")),
}  # fmt: skip


def settle_journeys(talk: Talk, sentence: Sentence) -> bool:
    """Whether a way takes longer than from its departure to the appointment at its end."""
    for one in journeys_in(sentence, talk.today or date.min):
        towns = [talk.atlas.city_of(key) for key in (one.first, *one.stops, one.last)]
        if not all(towns) or towns[0] == towns[-1]:
            continue
        ways = sum(way_minutes(talk, *pair) for pair in pairwise(dict.fromkeys(towns)))
        if ways * SLACK + one.stopped > one.minutes:
            stops = f", the stops {duration(one.stopped)}" if one.stopped else ""
            talk.settle(
                f"{talk.names([towns[0], towns[-1]])}: {one.said}",
                f"there are {duration(one.minutes)}, and the way takes {duration(ways)}{stops}",
                "planned with the time that the way takes",
            )
            return True
    return False


def way_minutes(talk: Talk, start: str, end: str) -> int:
    """The minutes that a way takes by the means that the text tells, or else by the fastest."""
    text = talk.wanted.text
    means = [one for one, form in _MEANS.items() if re.search(rf"\b(?:{form})\b", text, re.I)]
    if len(means) == 1 and means[0] in _KM_AN_HOUR:
        km = talk.atlas.km(start, end) or 0.0
        return round(km * _WINDING / _KM_AN_HOUR[means[0]] * 60)
    modes = {one.mode for ways in talk.atlas.connections.values() for one in ways}
    fitting = _FAMILIES.get(means[0], frozenset()) if len(means) == 1 else frozenset()
    barred = frozenset(one for one in modes if fitting and family_of(one) not in fitting)
    barred |= talk.wish.avoid.modes
    ways = talk.atlas.fastest(start, end, barred) or talk.atlas.fastest(start, end)
    return sum(one.minutes for one in ways)
