"""Is there time enough: hours for a city, a week for every one of them, one evening for two?"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.errands import settle_errands
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.times.hurrying import (
    each_of,
    every_kind,
    haste_of,
    meals_apart,
    nights_in_each,
    numbered,
    sides_in,
    together,
    wants_every_city,
    wants_everything,
)
from consilience.packs.travel.trips.reading.times.moments import apart, gap_of, same_day_gap
from consilience.packs.travel.trips.wording import duration, joined
from consilience.packs.travel.vocabulary import kinds_in
from consilience.understand.names import surface

_HALF_DAY = 300  # minutes that another city takes at least
_LEAST = 180  # minutes in which a city can be looked at
_WAKING = 780  # minutes of a day of a trip
_A_DAY = 5  # sights that a full day holds
_MOST_A_DAY = 7  # visits of the fullest day
_LEADS = re.compile(r"(?:before|by|over|between|in|this|on|with)\b", re.IGNORECASE)
"""What a time may begin with that needs no "in" before it."""
_EACH_REGION = 2  # days that a region takes with the way there, at least


def settle_hurry(talk: Talk) -> None:
    """Settle what there is no time for."""
    if not _between_moments(talk):
        _hours(talk)
    settle_errands(talk)
    _apart(talk)
    _at_once(talk)
    _every_city(talk)
    _each_of(talk)
    _every_kind(talk)
    _numbers(talk)
    _regions(talk)


def _named(talk: Talk) -> list[str]:
    """The cities of a wish, its ends among them."""
    wish = talk.wish
    ends = [one for one in (wish.start, wish.end) if one and talk.is_city(one)]
    return list(dict.fromkeys((*talk.cities(), *ends)))


def _between(talk: Talk, towns: list[str]) -> int:
    """Minutes that the ways between cities take in the order they are named."""
    ways = [talk.atlas.fastest(one, other) for one, other in pairwise(towns)]
    return sum(one.minutes for way in ways for one in way)


def _between_moments(talk: Talk) -> bool:
    """Whether less time lies between coming and leaving than the ways and visits take."""
    gap = gap_of(talk.wanted.text, talk.today or date.min)
    if gap is None:
        return False
    towns, places = talk.cities(), talk.atlas.places
    base = talk.wish.start or talk.wish.end or (towns[0] if towns else "")
    others = [one for one in towns if one != base]
    sights = [places[one].minutes or 60 for one in talk.wish.must if places[one].kind in SIGHTS]
    around = [base, *others, talk.wish.end or base] if base else towns
    needed = max(sum(sights), _HALF_DAY * len(others)) + _between(talk, around)
    if needed <= gap.awake and (talk.wish.days <= gap.days or not _is_said(talk)):
        if others and not _is_said(talk):
            days = max(1, gap.awake // _WAKING)
            talk.assume(f"the time between {gap.said} is taken as {counted(days, 'day')}")
            talk.grant(days=days)
        return False
    days = max(talk.wish.days, len({base, *others}), 1)
    reason = f"that is {duration(gap.minutes)}, {duration(gap.awake)} of it by day"
    if needed > gap.awake:
        reason += f", and the ways and visits take {duration(needed)} at least"
    talk.settle(
        f"{talk.names(others or towns) or 'the trip'} between {gap.said}",
        reason,
        f"planned for {counted(days, 'day')}: the times in between do not hold it",
    )
    talk.grant(days=days)
    return True


def _is_said(talk: Talk) -> bool:
    """Whether a length is said in days, nights or weeks."""
    return not any("no length" in one for one in talk.wish.assumed)


def _apart(talk: Talk) -> None:
    """Two things with more time to lie between them than there is."""
    rule = apart(talk.wanted.text)
    text = talk.wanted.text
    gap = gap_of(text, talk.today or date.min) or same_day_gap(text) if rule else None
    stay = _LEAST if gap and gap.days > 1 else 0
    if rule and gap and gap.minutes < rule[0] + stay:
        reason = f"there are {duration(gap.minutes)}"
        talk.settle(f"{gap.said}, and '{rule[1]}'", reason, "one of both: say which")


def _hours(talk: Talk) -> None:
    """Hours instead of days: too few for what is asked."""
    haste = haste_of(talk.wanted.text)
    if haste is None or any("taken as home" in one for one in talk.wish.assumed):
        return
    said_days = talk.wish.days > 1 and not any("no length" in one for one in talk.wish.assumed)
    if said_days:
        return
    towns, places = _named(talk), talk.atlas.places
    sights = [places[one].minutes or 60 for one in talk.wish.must if places[one].kind in SIGHTS]
    needed = max(_LEAST, sum(sights)) + _between(talk, towns)
    text = talk.wanted.text
    asked = (wants_everything(text), wants_every_city(text), every_kind(text), not towns)
    wide = any(asked)
    if haste.minutes >= needed and not wide:
        return
    what = talk.names(towns) or "the trip"
    reason = "a country is not seen in hours"
    if towns:
        reason = f"it takes {duration(needed)} at least" if haste.minutes < needed else (
            "all of it takes longer"
        )  # fmt: skip
    talk.grant(days=max(1, len(towns)))
    within = haste.said if _LEADS.match(haste.said) else f"in {haste.said}"
    talk.settle(f"{what} {within}", reason, counted(talk.wish.days, "day"))


def _at_once(talk: Talk) -> None:
    """Two cities at the same time that are too far apart for it."""
    said, towns = together(talk.wanted.text), talk.cities()
    if not said and any("no length" in one for one in talk.wish.assumed):
        sentence = talk.sentence()
        said = joined(meals_apart(sentence.rest))
    minutes = _between(talk, towns)
    if not said or len(towns) < 2 or minutes <= _LEAST / 2:
        return
    talk.settle(
        f"{talk.names(towns)} {said}",
        f"the way between them takes {duration(minutes)}",
        "one after the other",
    )
    talk.grant(days=max(talk.wish.days, len(towns)))


def _here(talk: Talk) -> list[Place]:
    region, atlas = talk.wish.region, talk.atlas
    return [one for one in atlas.cities() if not region or atlas.lies_in(one.id, region)]


def _each_of(talk: Talk) -> None:
    """Places that are counted, with more nights in them than the days have."""
    found = each_of(talk.wanted.text)
    if found and found[0] * found[1] > talk.wish.days:
        count, nights, said = found
        reason = f"that takes {counted(count * nights, 'day')} at least; there are {talk.wish.days}"
        talk.settle(said, reason, "as many as the days allow")
    least, towns = nights_in_each(talk.wanted.text), len(talk.wish.cities)
    own = least is not None and _is_said(talk) and talk.wish.days != least[0] + 1
    if least and own and towns * least[0] > talk.wish.days - 1:
        needed = counted(towns * least[0], "night")
        reason = f"{counted(towns, 'city')} take {needed}; there are {talk.wish.days - 1}"
        talk.settle(least[1], reason, "fewer nights in some of them")


def _every_city(talk: Talk) -> None:
    said, here = wants_every_city(talk.wanted.text), _here(talk)
    if not said or talk.cities() or talk.wish.days >= len(here):
        return
    talk.settle(
        said,
        f"{counted(len(here), 'city')} are known here, and each takes a day at least with the way "
        f"there; there are {talk.wish.days}",
        "as many as the days allow",
    )


def _every_kind(talk: Talk) -> None:
    """All places of a kind: more of them than the days hold."""
    for said in every_kind(talk.wanted.text):
        types = {one.type for one in kinds_in(said) if one.type}
        towns = _named(talk) or [one.id for one in _here(talk)]
        sights = [one for town in towns for one in talk.atlas.within(town) if one.type in types]
        cities = {talk.atlas.city_of(one.id) for one in sights}
        days = talk.wish.days
        if types and (len(sights) > days * _A_DAY or len(cities) > max(days, len(talk.cities()))):
            reason = f"{len(sights)} are known in {counted(len(cities), 'city')}, and the days are "
            talk.settle(f"all: {said}", f"{reason}{days}", "those that fit into the days")


def _numbers(talk: Talk) -> None:
    """More places of a kind than the days hold, or than there are."""
    for count, said, daily in numbered(talk.wanted.text):
        types = {one.type or one.kind for one in kinds_in(said) if one.kind in {*SIGHTS, "food"}}
        asked = count * talk.wish.days if daily else count
        room = talk.wish.days * _MOST_A_DAY
        if types and asked > room:
            talk.settle(
                f"{asked} {said} in {counted(talk.wish.days, 'day')}",
                f"a day holds {_MOST_A_DAY} places at most",
                f"{room} at most, of the best",
            )


def _regions(talk: Talk) -> None:
    """All of a country or several of its regions in fewer days than they take."""
    said, text = wants_everything(_marked(talk)), f" {surface(talk.wanted.text)} "
    held = {one.region for one in talk.atlas.cities() if one.region}
    known = [talk.atlas.places[one] for one in sorted(held) if one in talk.atlas.places]
    named = [one.id for one in known if any(f" {surface(name)} " in text for name in _names(one))]
    days = talk.wish.days
    if said and not talk.cities() and not talk.wish.region and days < _EACH_REGION * len(held):
        count = counted(len(held), "region")
        reason = f"its {count} take {_EACH_REGION} days each at least with the ways between them"
        talk.settle(f"'{said}' in {counted(days, 'day')}", reason, "a part of it")
    elif days < (sides := len(sides_in(talk.wanted.text))) and not talk.cities():
        reason = f"{counted(sides, 'part')} of a country take a day each at least"
        talk.settle(f"{counted(sides, 'part')} in {counted(days, 'day')}", reason, "one of them")
    elif len(named) > max(1, days):
        reason = f"they are {len(named)}, and the trip has {counted(days, 'day')}"
        talk.settle(talk.names(sorted(named)), reason, "a part of them")


def _names(place: Place) -> tuple[str, ...]:
    return (place.name, *place.names)


def _marked(talk: Talk) -> str:
    """The text with the countries in it as places."""
    text = talk.wanted.text
    for one in talk.atlas.places.values():
        if one.kind == "country":
            for name in _names(one):
                text = text.replace(name, "\ue000")
    return text
