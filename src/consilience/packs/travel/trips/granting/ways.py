"""Do the cities of a wish fit into its days, by the ways that are left?

A city takes a day at least, a night on the way one more. As many as fit are kept, those near each
other first; what cannot be reached or has no day left is left out, and told with the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from consilience.packs.travel.atlas import SIGHTS
from consilience.packs.travel.trips.composing.cities import VISITS, Survey
from consilience.packs.travel.trips.composing.order import in_order, journey_weight
from consilience.packs.travel.trips.composing.route import find_route
from consilience.packs.travel.trips.composing.trip import survey_of
from consilience.packs.travel.trips.granting.journeys import way_minutes
from consilience.packs.travel.trips.granting.talk import Talk, counted
from consilience.packs.travel.trips.reading.places.ordering import orders_in
from consilience.packs.travel.trips.reading.times.errands import errand_of, free_in
from consilience.packs.travel.trips.reading.ways.pacing import changes_daily, cities_asked
from consilience.packs.travel.trips.reading.ways.travelling import family_of, is_barred
from consilience.packs.travel.trips.wording import joined

_TRIED = 8  # cities of which every set is tried
_AWAKE_MIN = 840  # minutes of a day out
_DAY_MIN = 540  # minutes of a day that visits may take


def settle_ways(talk: Talk) -> None:
    """Settle how many cities and sights there are, and how one gets from one to another."""
    _order(talk)
    _base(talk)
    _most(talk)
    _number(talk)
    _ends(talk)
    _cities(talk)
    _cut_off(talk)
    _sights(talk)


def _order(talk: Talk) -> None:
    """Two places of which each is to come before the other."""
    sentence = talk.sentence()
    orders = list(orders_in(sentence))
    for first, last in orders:
        if first != last and (last, first) in orders:
            names = talk.names([first, last])
            reason = "each of the two is to come before the other"
            talk.settle(f"the order of {names}", reason, "planned in the order with the least way")
            return


def _base(talk: Talk) -> None:
    """A city from which a single day leads elsewhere and back is only where it begins."""
    wish, towns = talk.wish, talk.cities()
    if wish.days > 1 or len(towns) < 2 or wish.start or wish.end:
        return
    sentence = talk.sentence()
    errand = errand_of(sentence.text)
    base = towns[0]
    stays = any(talk.atlas.city_of(one) == base != one for one in wish.must)
    if stays or not ((errand and errand.back) or free_in(sentence) == base):
        return
    have = errand.ends - errand.begins if errand else _AWAKE_MIN
    around = pairwise((*towns, base))
    if 2 * sum(way_minutes(talk, *pair) for pair in around) > have:
        return  # most of the day would pass on the way
    talk.drop(base)
    talk.grant(start=base)
    talk.assume(f"{talk.atlas.name_of(base)} is taken as where the day begins")


def _most(talk: Talk) -> None:
    """At most so many cities, and more of them by name."""
    most = talk.wish.most_cities
    named = list(dict.fromkeys((*talk.cities(), *([talk.wish.end] if talk.wish.end else []))))
    if most is None or len(named) <= max(1, most):
        return
    talk.grant(most_cities=len(named))
    talk.settle(
        f"at most {counted(most, 'city')}",
        f"{len(named)} are asked for by name: {talk.names(named)}",
        f"{len(named)} cities",
    )


def _number(talk: Talk) -> None:
    """So many cities, and fewer days or fewer cities here."""
    asked = cities_asked(talk.wanted.text) if len(talk.cities()) < 2 else None
    if changes_daily(talk.wanted.text):
        asked = max(asked or 0, talk.wanted.days)
    region, atlas = talk.wish.region, talk.atlas
    here = [
        one
        for one in atlas.cities()
        if one.id not in talk.wish.avoid.places and (not region or atlas.lies_in(one.id, region))
    ]
    most = min(talk.wish.days, len(here))
    if asked is None or asked <= most:
        return
    reason = (
        f"each takes a day at least with the way there, and there are {talk.wish.days}"
        if talk.wish.days < len(here)
        else f"only {len(here)} are known here"
    )
    talk.grant(most_cities=min(most, talk.wish.most_cities or most))
    talk.settle(counted(asked, "city"), reason, counted(most, "city"))


def _ends(talk: Talk) -> None:
    """A start and an end that no way joins."""
    start, end = talk.wish.start, talk.wish.end
    if not start or not end or start == end:
        return
    survey = survey_of(talk.brief())
    if not _gaps(survey, [end]):
        return
    through = survey.ways.through(start, end)
    reason = _why_not(talk, start, end)
    if through:
        days = counted(talk.wish.days, "day")
        reason = f"by {talk.names(through)}, with the nights on the way, it takes more than {days}"
    talk.grant(end="")
    talk.settle(
        f"from {talk.atlas.name_of(start)} to {talk.atlas.name_of(end)}",
        reason,
        f"begun in {talk.atlas.name_of(start)}, ended where the days lead",
    )


def _cities(talk: Talk) -> None:
    """Keep as many of the cities asked for as the days allow, with the least travel."""
    asked = talk.cities()
    survey = survey_of(talk.brief())
    if not asked or not _gaps(survey, asked):
        return
    kept = _most_that_fit(talk, survey, asked)
    lost = [one for one in asked if one not in kept]
    if not lost:
        return
    reason = "; ".join(_reason(talk, survey, kept, city) for city in lost)
    gone = [one for one in talk.wish.must if talk.atlas.city_of(one) in lost]
    talk.drop(*lost, *gone)
    planned = f"planned with {talk.names(kept)}" if kept else "planned with other cities"
    talk.settle(
        f"{talk.names(asked)} in {counted(talk.wish.days, 'day')}",
        reason,
        f"{planned}; left out: {talk.names(lost)}",
    )


def _cut_off(talk: Talk) -> None:
    """Cities that are reached only by what is ruled out."""
    barred = talk.wish.avoid.modes
    ways = talk.atlas.connections if barred else {}
    asked = [*talk.cities(), *([talk.wish.end] if talk.wish.end else [])]
    for city in dict.fromkeys(asked):
        arriving = [way for (_, to), some in ways.items() if to == city for way in some]
        if not arriving or city == talk.wish.start:
            continue
        if not all(is_barred(way, barred) for way in arriving):
            continue
        name, modes = talk.atlas.name_of(city), sorted({way.mode for way in arriving})
        talk.settle(
            f"{name} {_left(talk)}",
            f"it is reached only by {joined(modes)}, and each of these needs what is ruled out",
            f"planned in {name}, the way there left open",
        )


def _left(talk: Talk) -> str:
    """What is ruled out, in few words: "without boat and flight", "by train alone"."""
    known = {family_of(way.mode) for some in talk.atlas.connections.values() for way in some}
    barred = {family_of(one) for one in talk.wish.avoid.modes} & known
    left = sorted(known - barred)
    if left and len(left) < len(barred):
        return f"by {joined(left)} alone"
    return f"without {joined(sorted(barred))}"


def _most_that_fit(talk: Talk, survey: Survey, asked: Sequence[str]) -> list[str]:
    """The largest set of cities that fits, of equal ones that with the least travel, then those
    asked for first. Of very many cities, as many of the first as fit.
    """
    if len(asked) > _TRIED:
        kept: list[str] = []
        for city in asked:
            kept += [] if _gaps(survey, [*kept, city]) else [city]
        return kept
    ends = (talk.wish.start, talk.wish.end)
    for size in range(min(len(asked), talk.wish.days + bool(talk.wish.start)), 0, -1):
        fitting = [
            (journey_weight(in_order(some, survey.ways, *ends), survey.ways, *ends), number, some)
            for number, some in enumerate(combinations(asked, size))
            if not _gaps(survey, some)
        ]
        if fitting:
            return list(min(fitting)[2])
    return []


def _gaps(survey: Survey, cities: Sequence[str]) -> bool:
    """Whether a route through these cities leaves one of them out."""
    route = find_route(survey, cities)
    there = {stop.city for stop in route.stops} | {route.begins}
    return bool(route.gaps) or not set(cities) <= there


def _reason(talk: Talk, survey: Survey, kept: Sequence[str], city: str) -> str:
    others = [*kept, *(one for one in (talk.wish.start, talk.wish.end) if one)]
    name = talk.atlas.name_of(city)
    near = [
        (journey.minutes, other)
        for other in others
        if other != city and (journey := survey.ways.best(other, city))
    ]
    if others and not near and not any(survey.ways.through(other, city) for other in others):
        return _why_not(talk, others[0], city)
    if not near:
        return f"{name} is more than a day or a night away"
    minutes, other = min(near)
    hours = f"{minutes // 60} h {minutes % 60:02d} min"
    days = "the day is" if talk.wish.days == 1 else f"{counted(talk.wish.days, 'day')} are"
    return f"{name} is {hours} from {talk.atlas.name_of(other)}, and {days} taken by the others"


def _why_not(talk: Talk, start: str, end: str) -> str:
    """Why there is no way, and whether there is one by what is ruled out."""
    name, other = talk.atlas.name_of(start), talk.atlas.name_of(end)
    ways = talk.atlas.fastest(start, end)
    avoided = talk.wish.avoid.modes
    barred = dict.fromkeys(one.mode for one in ways if is_barred(one, avoided))
    if barred and not set(barred) & avoided:
        return f"every way from {name} to {other} changes to what is ruled out: {', '.join(barred)}"
    if barred:
        minutes = sum(one.minutes for one in ways)
        return (
            f"no way from {name} to {other} is left without {', '.join(barred)}, "
            f"which takes {minutes} minutes"
        )
    return f"no way from {name} to {other} is known that a day or a night bears"


def _sights(talk: Talk) -> None:
    """More sights than the days have room for."""
    wish, places = talk.wish, talk.atlas.places
    musts = [one for one in wish.must if one in places and places[one].kind in SIGHTS]
    if (
        len(musts) <= wish.days * VISITS[wish.pace]
        and _minutes(talk, musts) <= wish.days * _DAY_MIN
    ):
        return
    if wish.pace != "packed":
        talk.grant(pace="packed")
        reason = f"{len(musts)} sights in {counted(wish.days, 'day')} leave no time to rest"
        talk.settle(f"a {wish.pace} pace", reason, "full days")
    kept: list[str] = []
    for one in musts:
        enough = len(kept) < wish.days * VISITS["packed"]
        if enough and _minutes(talk, [*kept, one]) <= wish.days * _DAY_MIN:
            kept.append(one)
    lost = [one for one in musts if one not in kept]
    if lost:
        talk.drop(*lost)
        hours = _minutes(talk, musts) // 60
        talk.settle(
            f"{len(musts)} sights in {counted(wish.days, 'day')}",
            f"they take {hours} hours, and a day has room for {_DAY_MIN // 60}",
            f"left out: {talk.names(lost)}",
        )


def _minutes(talk: Talk, sights: Sequence[str]) -> int:
    return sum(talk.atlas.places[one].minutes or 60 for one in sights)
