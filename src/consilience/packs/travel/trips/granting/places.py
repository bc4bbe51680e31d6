"""Are the places and themes of a wish here, open, and not ruled out by the wish itself?"""

from __future__ import annotations

import re
from datetime import date, timedelta

from consilience.packs.travel.atlas import FOOD, SIGHTS, Place
from consilience.packs.travel.hours import open_spans
from consilience.packs.travel.trips.checking.wishes import (
    MEAL_NEEDS,
    VISIT_NEEDS,
    meets,
    why_avoided,
)
from consilience.packs.travel.trips.composing.route import find_route
from consilience.packs.travel.trips.composing.trip import survey_of
from consilience.packs.travel.trips.granting.period import period_of
from consilience.packs.travel.trips.granting.seasons import settle_seasons
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.granting.times import settle_times
from consilience.packs.travel.trips.reading.things.weighing import UNSAID
from consilience.understand.names import surface

_TELLING = 0.3  # strength from which a place has something of a theme
_SHARE = 20  # per cent from which a theme that a city does not have is worth a word
_MOODS = frozenset({"budget", "luxury", "family", "romance", "relaxation", "photography"})
_MOST_OFFERS = 8
_A_YEAR = 366
_IF_POSSIBLE = re.compile(
    r"\s*,?\s*\(?(?:if (?:it|that|this) (?:works|fits|can be done|is (?:possible|accessible))"
    r"|if possible|if accessible|if at all)\b",
    re.IGNORECASE,
)
_SOFT = frozenset({"crowds"})
"""Features that one would rather not have: a sight that is named stays in spite of them."""


def refusal_of(talk: Talk) -> str:
    """Why nothing at all can be planned; empty where something can."""
    wish, atlas = talk.wish, talk.atlas
    known = any((wish.cities, wish.must, wish.region, wish.start, wish.end)) or _names_country(talk)
    if wish.unknown and not known:
        names = ", ".join(wish.unknown)
        return f"nothing here tells of {names}: no trip there can be planned"
    left = [one for one in atlas.cities() if one.id not in wish.avoid.places]
    if not left:
        return "every city that is known here is to be avoided: nothing is left to go to"
    return ""


def offers_of(talk: Talk) -> tuple[str, ...]:
    """What is here instead: the cities that suit the themes best, and what they are for."""
    themes, avoided = talk.wish.themes, talk.wish.avoid.places
    suited = [
        (-sum(one.themes.get(theme, 0) * share for theme, share in themes.items()), one.id, one)
        for one in talk.atlas.cities()
        if one.id not in avoided
    ]
    ranked = sorted(suited, key=lambda one: one[:2])
    return tuple(_offer(city) for _, _, city in ranked[:_MOST_OFFERS])


def _offer(city: Place) -> str:
    best = sorted(city.themes, key=lambda one: (-city.themes[one], one))[:3]
    return f"{city.name}: {', '.join(best)}" if best else city.name


def _names_country(talk: Talk) -> bool:
    text = f" {surface(talk.wish.text)} "
    countries = [one for one in talk.atlas.places.values() if one.kind == "country"]
    return any(f" {surface(name)} " in text for one in countries for name in (one.name, *one.names))


def settle_places(talk: Talk) -> None:
    """Settle names that are not here, contradictions, what is closed, and what nobody has."""
    for name in talk.wish.unknown:
        reason = "no place of that name is known here"
        talk.settle(name, reason, "planned without it")
    _contradictions(talk)
    _ends(talk)
    _region(talk)
    _closed(talk)
    settle_seasons(talk)
    settle_times(talk)
    _needs(talk)
    _themes(talk)


def _contradictions(talk: Talk) -> None:
    wish, atlas = talk.wish, talk.atlas
    for theme in [one for one in wish.themes if one in wish.avoid.themes]:
        talk.drop_theme(theme)
        left = ", ".join(f"{one} {share} %" for one, share in talk.wish.themes.items())
        reason = f"{theme} is asked for and ruled out in one"
        talk.settle(f"a trip for {theme} without any", reason, f"no {theme}: {left}")
    for key in dict.fromkeys((*wish.must, *wish.cities)):
        place = atlas.places.get(key)
        reason = why_avoided(place, wish.avoid, atlas) if place else ""
        if place is None or not reason:
            continue
        ruled_out = {key, atlas.city_of(key)} & wish.avoid.places
        if not ruled_out and not place.features & wish.avoid.features - _SOFT:
            if place.kind != "city":
                talk.assume(f"{place.name} is named and stays, though {reason}")
            continue
        talk.drop(key)
        if not ruled_out and _is_soft(talk, place):
            talk.assume(f"{place.name} is left out, since {reason}")
            continue
        why = "it is to be left out as well" if ruled_out else f"it is to be avoided: {reason}"
        talk.settle(f"{place.name} in the trip", why, "left out")


def _is_soft(talk: Talk, place: Place) -> bool:
    """Whether a place is asked for only if it can be had: "the palace if it works"."""
    text = talk.wanted.text
    found = re.search(re.escape(place.name), text, re.IGNORECASE)
    return found is not None and bool(_IF_POSSIBLE.match(text[found.end() :]))


def _ends(talk: Talk) -> None:
    for end, word in (("start", "beginning"), ("end", "ending")):
        place = getattr(talk.wish, end)
        if place and place in talk.wish.avoid.places:
            talk.grant(**{end: ""})
            name = talk.atlas.name_of(place)
            talk.settle(f"{word} in {name}", "it is to be avoided as well", "another city")


def _region(talk: Talk) -> None:
    wish, atlas = talk.wish, talk.atlas
    if not wish.region:
        return
    inside = [one.id for one in atlas.cities() if atlas.lies_in(one.id, wish.region)]
    if any(one not in wish.avoid.places for one in inside):
        return
    name = atlas.name_of(wish.region)
    reason = (
        f"all {len(inside)} cities of it are to be avoided" if inside else "no city of it is known"
    )
    talk.grant(region="")
    talk.settle(f"a trip in {name}", reason, "planned in the other regions")


# --- closed -----------------------------------------------------------------------------


def _closed(talk: Talk) -> None:
    days = list(period_of(talk))
    if not days:
        return
    for key in talk.wish.must:
        place = talk.atlas.places.get(key)
        if place is None or not place.hours or any(open_spans(place.hours, day) for day in days):
            continue
        opens = _opens(place, days[-1])
        talk.drop(key)
        when = f"; it opens on {opens.day} {opens:%B %Y}" if opens else ""
        talk.settle(
            f"{place.name} in the trip",
            f"it is closed from {days[0]} to {days[-1]} ({place.hours}){when}",
            "left out",
        )


def _opens(place: Place, after: date) -> date | None:
    days = (after + timedelta(days=one) for one in range(1, _A_YEAR))
    return next((day for day in days if open_spans(place.hours, day)), None)


# --- what nobody has --------------------------------------------------------------------


def _needs(talk: Talk) -> None:
    for need in sorted(talk.wish.needs):
        towns = talk.cities() or [one.id for one in talk.atlas.cities()]
        kinds = {FOOD} if need in MEAL_NEEDS else SIGHTS if need in VISIT_NEEDS else {FOOD, *SIGHTS}
        lacking = [
            town
            for town in towns
            if not any(meets(one, need) for one in talk.atlas.within(town, kinds))
        ]
        if lacking and (len(lacking) == len(towns) or talk.cities()):
            talk.grant(needs=talk.wish.needs - {need})
            where = talk.names(lacking) if talk.cities() else "any city"
            talk.settle(
                need, f"no place in {where} tells of it", "planned without: ask at each place"
            )
    for key in talk.wish.must:
        place = talk.atlas.places.get(key)
        for need in sorted(talk.wish.needs & VISIT_NEEDS):
            if place is not None and place.kind in SIGHTS and not meets(place, need):
                talk.drop(key)
                talk.settle(
                    f"{place.name} in the trip", f"it is not known to be fit for {need}", "left out"
                )


def _themes(talk: Talk) -> None:
    """Themes that no place here has, or none of the cities that the trip is bound to."""
    if any("no theme" in one for one in talk.wish.assumed):
        return
    _unknown_themes(talk)
    towns = _bound(talk)
    for theme, share in tuple(talk.wish.themes.items()) if towns else ():
        weighs = share >= _SHARE and theme not in _MOODS
        if weighs and _has(talk, theme, None) and not _has(talk, theme, towns):
            _elsewhere(talk, theme, towns)


def _bound(talk: Talk) -> list[str]:
    """The cities of a trip that names some: no others are gone to, unless its days are many."""
    if not talk.wish.cities:
        return []
    route = find_route(survey_of(talk.brief()))
    return list(dict.fromkeys((*talk.cities(), *(one.city for one in route.stops))))


def _unknown_themes(talk: Talk) -> None:
    """Themes that no place here has: all of them told at once."""
    missing = {
        theme: share
        for theme, share in talk.wish.themes.items()
        if theme not in _MOODS and not _has(talk, theme, None)
    }
    if not missing:
        return
    for theme in missing:
        talk.drop_theme(theme, without=[one for one in UNSAID if not _has(talk, one, None)])
    left = ", ".join(f"{one} {part} %" for one, part in talk.wish.themes.items())
    talk.settle(
        ", ".join(f"{share} % {theme}" for theme, share in missing.items()),
        f"no place here is for {' or '.join(missing)}",
        f"planned for {left}",
    )


def _elsewhere(talk: Talk, theme: str, towns: list[str]) -> None:
    others = [one.id for one in talk.atlas.cities() if _has(talk, theme, [one.id])]
    near = sorted(others, key=lambda one: (talk.atlas.km(one, towns[0]) or 1e9, one))[:2]
    if len(talk.wish.themes) > 1:
        talk.drop_theme(theme)
    where = f"; the nearest with it: {talk.names(near)}" if near else ""
    talk.settle(
        f"{theme} in {talk.names(towns)}",
        f"no place there is for {theme}{where}",
        f"planned for what {talk.names(towns)} has",
    )


def _has(talk: Talk, theme: str, towns: list[str] | None) -> bool:
    places = (
        talk.atlas.places.values()
        if towns is None
        else [
            *(talk.atlas.places[one] for one in towns),
            *(place for one in towns for place in talk.atlas.within(one, {FOOD, *SIGHTS})),
        ]
    )
    return any(
        one.themes.get(theme, 0) >= _TELLING
        and one.kind not in ("country", "region")
        and not why_avoided(one, talk.wish.avoid, talk.atlas)
        for one in places
    )
