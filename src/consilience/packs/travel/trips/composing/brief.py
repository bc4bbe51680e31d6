"""What does a composer know before it begins? The wish, who is preferred, and what money is worth.

The order of the candidates decides: in a city, whoever was found further up stands higher. Places
that no search found stand at nothing, and are taken by their themes where a gap is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from statistics import median

from consilience.packs.travel.atlas import SIGHTS, STAY, Atlas, Place
from consilience.packs.travel.trips.checking.wishes import (
    MEAL_NEEDS,
    VISIT_NEEDS,
    meets,
    why_avoided,
)
from consilience.packs.travel.trips.planning import bounding_cities
from consilience.packs.travel.trips.types import Candidates, Level, Wish

SHARE = 100.0
_UNSAID: Level = "mid-range"
_FALL = 0.7
_NEEDED = 0.8
"""What a place gains that is known to have what somebody needs."""
_NOT_FOR_CHILDREN = 9.0
"""What children take off a hard climb or a bar: they go there only if nothing else serves."""
_CHILD_BARRIERS = frozenset({"alcohol"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What is to be composed. `standing` is from 0 to 1 within a city and a kind of place.

    `thrift` says how much prices count against what is liked, and `scale` is a usual price: that
    of a room for a night. `level` is the one to stay at, `fewer` are cities to be left out.
    """

    wish: Wish
    atlas: Atlas
    level: Level
    scale: Decimal
    scores: Mapping[str, float] = field(default_factory=dict)
    standing: Mapping[str, float] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)
    thrift: float = 0.0
    fewer: int = 0

    @property
    def month(self) -> int | None:
        """The month of the trip, where it is known."""
        on = self.wish.starts_on
        return on.month if on else self.wish.month


def briefed(wish: Wish, candidates: Candidates, atlas: Atlas) -> Brief:
    """The brief for a wish and what was found for it.

    What was left out for being elsewhere may come in where the cities asked for do not fill the
    days.
    """
    bounds = bounding_cities(wish, atlas)
    return Brief(
        wish=_rounded(wish),
        atlas=atlas,
        level=wish.level or _UNSAID,
        scale=_scale(atlas),
        scores={one.place: one.score for one in reversed(candidates.found)},
        standing=_standing(candidates, atlas),
        excluded={
            key: why
            for key, why in candidates.excluded.items()
            if not bounds or atlas.city_of(key) in bounds
        },
    )


def _rounded(wish: Wish) -> Wish:
    """The wish with its start where it ends, if that city is asked for first of several."""
    is_round = not wish.start and wish.end and wish.cities[:1] == (wish.end,)
    if is_round and 1 < len(wish.cities) < wish.days:
        return replace(wish, start=wish.end)
    return wish


def _standing(candidates: Candidates, atlas: Atlas) -> dict[str, float]:
    """Where each candidate stands among those of its city and kind: 1 for the first of them."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in candidates.found:
        place = atlas.places.get(one.place)
        if place is not None:
            kind = "sight" if place.kind in SIGHTS else place.kind
            groups.setdefault((atlas.city_of(place.id), kind), []).append(place.id)
    return {
        key: 1.0 - _FALL * number / len(ids)
        for ids in groups.values()
        for number, key in enumerate(dict.fromkeys(ids))
    }


def _scale(atlas: Atlas) -> Decimal:
    """A usual price of a room; without any, what other things and ways cost makes one."""
    rooms = [one.price for one in atlas.places.values() if one.kind == STAY and one.price]
    if rooms:
        return Decimal(median(rooms))
    prices = [one.price for one in atlas.places.values() if one.price]
    fares = [one.price for ways in atlas.connections.values() for one in ways if one.price]
    if prices:
        return Decimal(median(prices)) * 20
    return Decimal(median(fares)) * 5 if fares else Decimal(1)


# --- who may be taken -------------------------------------------------------------------


def may_visit(place: Place, brief: Brief) -> bool:
    """Whether a place may be visited at all; what has to be in the trip may."""
    if place.id in brief.wish.must:
        return True
    return may_use(place, brief) and _meets(place, brief.wish.needs & VISIT_NEEDS)


def may_eat(place: Place, brief: Brief) -> bool:
    """Whether one may eat there; whoever does not travel for food has to eat all the same."""
    if place.id in brief.wish.must:
        return True
    avoid = replace(brief.wish.avoid, themes=brief.wish.avoid.themes - {"food"})
    avoided = place.id in avoid.places or why_avoided(place, avoid, brief.atlas)
    return not avoided and _meets(place, brief.wish.needs & MEAL_NEEDS)


def may_use(place: Place, brief: Brief) -> bool:
    """Whether nothing that is to be avoided speaks against a place."""
    if place.id in brief.wish.must:
        return True
    return place.id not in brief.excluded and not why_avoided(place, brief.wish.avoid, brief.atlas)


def _meets(place: Place, needs: Iterable[str]) -> bool:
    return all(meets(place, need) for need in needs)


# --- who is preferred -------------------------------------------------------------------


def appeal(place: Place, brief: Brief) -> float:
    """How well a place suits the themes of the wish, from 0 to 1."""
    themes = brief.wish.themes
    if not themes:
        return max(place.themes.values(), default=0.0) / 2
    whole = sum(themes.values()) or SHARE
    return sum(place.themes.get(one, 0.0) * share for one, share in themes.items()) / whole


def worth(place: Place, brief: Brief) -> float:
    """How much a place is preferred: its standing, its themes, its season, and what it costs."""
    value = brief.standing.get(place.id, 0.0) + 0.6 * appeal(place, brief)
    value -= sum(place.themes.get(one, 0.0) for one in brief.wish.avoid.themes)
    value -= 0.5 * out_of_season(place, brief)
    value += _NEEDED * len(brief.wish.needs & place.features)
    if brief.wish.group.children and place.kind in SIGHTS:
        value += 0.2 * ("children-ok" in place.features)
        value -= _NOT_FOR_CHILDREN * _is_hard_on_children(place)
    return value - dearness(place.price, brief) - _needless(place, brief)


def _is_hard_on_children(place: Place) -> bool:
    return place.effort == "hard" or bool(place.features & _CHILD_BARRIERS)


def _needless(place: Place, brief: Brief) -> float:
    """What a dear thing loses that is for something nobody asked for, a tailor's suit above all."""
    if place.kind not in SIGHTS or not place.price:
        return 0.0
    wanted = not brief.wish.themes or main_theme(place) in brief.wish.themes
    return float(place.price / brief.scale) * (0.2 if wanted else 1.5)


def main_theme(place: Place) -> str:
    """The theme that a place suits best; empty for none."""
    return max(sorted(place.themes), key=lambda one: place.themes[one], default="")


def dearness(price: Decimal | None, brief: Brief) -> float:
    """What a price for one person takes away."""
    return brief.thrift * float((price or Decimal(0)) / brief.scale)


def out_of_season(place: Place, brief: Brief) -> bool:
    """Whether the trip is in none of the months that a place is best in."""
    return bool(place.months) and brief.month is not None and brief.month not in place.months


def sights_of(city: str, brief: Brief) -> tuple[Place, ...]:
    """What may be visited from a city: in it, or a day trip from it; by id."""
    atlas = brief.atlas
    found = {one.id: one for one in atlas.within(city) if may_visit(one, brief)}
    for key in day_trips(atlas).get(city, ()):
        place = atlas.places[key]
        if may_visit(place, brief):
            found.setdefault(key, place)
    return tuple(found[key] for key in sorted(found))


def day_trips(atlas: Atlas) -> Mapping[str, tuple[str, ...]]:
    """The sights that are visited from a city they are not in, by that city."""
    found: dict[str, list[str]] = {}
    for key, ties in atlas.ties.items():
        place = atlas.places.get(key)
        if place is None or place.kind not in SIGHTS:
            continue
        for tie in ties:
            if tie.relation == "DAY_TRIP_FROM" and atlas.city_of(key) != tie.target:
                found.setdefault(tie.target, []).append(key)
    return {city: tuple(keys) for city, keys in found.items()}
