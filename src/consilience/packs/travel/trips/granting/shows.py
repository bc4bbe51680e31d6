"""Does what a sight shows on some days of the week only come on the one day that there is?

"The dragon breathing fire" is the bridge whose text tells of it, and of its days. It has to be
sure which sight is meant: one of the city alone, by two words, one of them told with the days.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.times.almanac import WEEKDAY, weekday_number
from consilience.packs.travel.trips.reading.times.onlydays import OnlyDay
from consilience.understand.names import singular_or_plural, surface

_DEMANDED = re.compile(
    r"\b(?:must|ha(?:s|ve) to|need|insist|booked|reason|whole point|(?:come|coming|there|here) for"
    r"|want to (?:see|watch|catch)|not (?:to )?miss|dream|because of|highlight)\b",
    re.IGNORECASE,
)
_DAYS = re.compile(rf"\b(?:{WEEKDAY}|weekends?)", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:clos\w+|except|shut|crowd(?:s|ed)\b(?= on)|busy|busiest|quiet\w*|daily|every (?:day"
    r"|night|evening)|nightly|avoid)\b",
    re.IGNORECASE,
)
"""What tells of days for another reason, or of all of them."""
_UNTELLING_WORDS = (
    "must need booked reason point night nights evening evenings show shows rest only that this"
    " with from city town want watch come coming there here have monday tuesday wednesday thursday"
    " friday saturday sunday weekend time when what which will would they them before after"
)
_UNTELLING = frozenset(_UNTELLING_WORDS.split())
"""Words that tell of no sight."""
_LETTERS = 4
_SURE = 2  # words that a sight and what is asked for have in common
_WEEKEND = frozenset({4, 5, 6})  # with the evening before it


def settle_shows(talk: Talk, only: OnlyDay) -> None:
    """Settle a show that is demanded on the only day in its city, and is on others."""
    city = talk.atlas.city_of(only.place)
    asked = _asked(talk.wanted.text) - _words(talk.atlas.name_of(city))
    found = [
        (place, said) for place in talk.atlas.within(city, SIGHTS) if (said := _told(place, asked))
    ]
    if len(found) != 1:
        return
    place, said = found[0]
    if only.weekday not in _weekdays(said):
        talk.settle(
            f"what {place.name} shows on {only.said}, the only {only.part} there",
            f"it is told: {said.strip(' .;')}",
            "planned without it",
        )


def _asked(text: str) -> set[str]:
    """The words of the sentences that demand something."""
    told = (one for one in re.split(r"[.;!?]\s", text) if _DEMANDED.search(one))
    return {word for one in told for word in _words(one)}


def _told(place: Place, asked: set[str]) -> str:
    """The sentence of a sight's text that tells the days of what is asked for; empty for none."""
    for said in re.split(r"(?<=[.;!])\s+", place.text):
        if not _weekdays(said) or _OTHERWISE.search(said):
            continue
        shown, named = _common(asked, said), _common(asked, place.name)
        if shown - named and len(shown | named) >= _SURE:
            return said
    return ""


def _common(asked: set[str], text: str) -> set[str]:
    known = _words(text)
    return {one for one in asked if {one, *singular_or_plural(one)} & known}


def _weekdays(said: str) -> set[int]:
    found: set[int] = set()
    for match in _DAYS.finditer(said):
        weekend = match[0].casefold().startswith("week")
        found |= _WEEKEND if weekend else {weekday_number(match[0])}
    return found


def _words(text: str) -> set[str]:
    return {one for one in surface(text).split() if len(one) >= _LETTERS} - _UNTELLING
