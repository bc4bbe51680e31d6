"""Is a sight that is asked for there in the months of the trip?

Best months that are few are a season. Where they are many, it counts that a passage says that
something stops or is closed in the months asked for.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator

from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.period import period_of
from consilience.packs.travel.trips.granting.states import settle_states
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.places.nicknames import Nicknames
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.times.almanac import MONTH, month_number
from consilience.understand.names import singular_or_plural, surface

_SEASON = 5  # months at most in which something is that has a season
_HALTS = re.compile(
    r"\b(?:clos(?:e|es|ed)|shut|stop|stops|stopped|suspend\w*|halt\w*|cancel\w*|not run|do(?:es)?"
    r" not (?:run|operate|sail|go)|no (?:boats?|tours?|trips?|departures?|ferr\w+|cruises?))\b",
    re.IGNORECASE,
)
"""What says that something does not run."""
_MONTHS = re.compile(
    rf"\b(?P<since>early|mid|late|end of)?[- ]?(?P<first>{MONTH})"
    rf"(?:\s*(?:to|-|until|till|through)\s*"
    rf"(?P<until>early|mid|late|end of)?[- ]?(?P<last>{MONTH}))?",
    re.IGNORECASE,
)
_TOPICS = ("season", "safety", "booking")
_LETTERS = 4  # of a word that two tellings may have in common


def settle_seasons(talk: Talk) -> None:
    """Settle sights by name that are at their best in other months than those of the trip."""
    months = {day.month for day in period_of(talk)}
    for key in dict.fromkeys((*talk.wish.must, *_meant(talk))) if months else ():
        place = talk.atlas.places.get(key)
        best = place.months if place is not None and place.kind in SIGHTS else ()
        if place is None or not best or months & set(best):
            continue
        told = " and ".join(month_name[one] for one in sorted(months))
        reason = f"its months are {', '.join(month_name[one] for one in best)}"
        halt = next(_halts(talk, place, months), "")
        if len(best) <= _SEASON or halt:
            instead = "planned all the same: ask there what can be seen"
            reason = f"{reason}; it is told: {halt}" if halt else reason
            talk.settle(f"{place.name} in {told}", reason, instead)
        else:
            talk.assume(f"{place.name} is planned in {told}, though {reason}")
    settle_states(talk)


def _meant(talk: Talk) -> Iterator[str]:
    """The sights that a single word means, where it is wanted and no kind of places: "turtles"."""
    text, known = talk.wanted.text, Nicknames.of(talk.atlas, talk.cities())
    types = _words(" ".join(one.type for one in talk.atlas.places.values()))
    for match in re.finditer(r"[^\W\d_]+", text):
        told = surface(match[0]) in types or is_aside(text, *match.span())
        if len(match[0]) > _LETTERS and not told:
            yield from known.meant(match[0])


def _halts(talk: Talk, place: Place, months: set[int]) -> Iterator[str]:
    """What is told of a place, or of such things in its city, that stops in all these months."""
    city = talk.atlas.city_of(place.id)
    own = [place.text, *_remarks(talk, place.id)]
    words = _words(f"{place.name} {place.type} {' '.join(place.offers)}")
    for number, text in enumerate((*own, *_remarks(talk, city))):
        for said in re.split(r"(?<=[.;!])\s+", text):
            alike = number < len(own) or words & _words(said)
            if alike and _HALTS.search(said) and months <= _months(said):
                yield said.strip(" .;")


def _remarks(talk: Talk, place: str) -> list[str]:
    found = (talk.atlas.remark(place, topic) for topic in _TOPICS)
    return [one.text for one in found if one is not None]


def _words(text: str) -> set[str]:
    """The longer words of a text, in both numbers."""
    long = [one for one in surface(text).split() if len(one) >= _LETTERS]
    return {form for one in long for form in (one, *singular_or_plural(one))}


def _months(said: str) -> set[int]:
    """The months that a sentence names, all of a span; one that is only begun in is left out."""
    found: set[int] = set()
    for match in _MONTHS.finditer(said):
        first = month_number(match["first"]) + (match["since"] in ("mid", "late", "end of"))
        last = month_number(match["last"] or match["first"]) - (match["until"] in ("early", "mid"))
        found |= {(first - 1 + step) % 12 + 1 for step in range((last - first) % 12 + 1)}
    return found
