"""What is searched for a wish? Decided before anything is: one search a theme, and a few besides.

A theme weighs what its share of the wish is. Filters bound a search to the kinds of places that it
is for, and to a city where the wish names cities: a filter has one value, so several cities make
several searches. What is avoided is excluded from all of them.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Sequence

from consilience.packs.travel.atlas import CITY, FOOD, STAY, Atlas
from consilience.packs.travel.trips.types import RetrievalPlan, Search, Wish
from consilience.packs.travel.vocabulary import themes_in
from consilience.types import Filter

_MOST_SEARCHES = 8
"""So many searches of themes, stays and food at most: each takes a tenth of a second."""
_BESIDES = 2  # searches that there are besides themes: stays and food
_LEAST_DEPTH, _MOST_DEPTH = 20, 80
_USUAL_THEMES = {"culture": 34, "food": 33, "nature": 33}


async def plan_retrieval(wish: Wish, atlas: Atlas) -> RetrievalPlan:
    """The searches for a wish, their weights, filters and depth, and what is excluded."""
    cities = bounding_cities(wish, atlas)
    searches = [
        *_for_themes(wish, atlas, cities),
        *_for_musts(wish, atlas),
        *_for_cities(wish, atlas, cities),
        *_for_stays(wish, atlas, cities),
        *_for_food(wish, atlas, cities),
    ]
    return RetrievalPlan(searches=tuple(searches), exclusions=wish.avoid, cities=cities)


def bounding_cities(wish: Wish, atlas: Atlas) -> tuple[str, ...]:
    """The cities that a trip is bound to: those it names, and where it starts and ends."""
    if not wish.cities:
        return ()
    named = (*wish.cities, wish.start, wish.end, *map(atlas.city_of, wish.must))
    return tuple(dict.fromkeys(one for one in named if one in atlas.places))


def _for_themes(wish: Wish, atlas: Atlas, cities: Sequence[str]) -> Iterator[Search]:
    themes = wish.themes or _USUAL_THEMES
    whole = sum(themes.values())
    split = len(themes) * len(cities) + _BESIDES <= _MOST_SEARCHES
    for theme, share in sorted(themes.items(), key=lambda one: (-one[1], one[0])):
        text = _sentence(_words(theme, wish), wish, atlas, cities)
        yield from _in_each(theme, text, share / whole, _depth(wish), cities if split else ())


def _words(theme: str, wish: Wish) -> str:
    """A theme in its own word and in those of the wish."""
    said = [one.word for one in themes_in(wish.text) if one.theme == theme and not one.negated]
    return f"places for {', '.join(dict.fromkeys((theme, *said)))}"


def _for_musts(wish: Wish, atlas: Atlas) -> Iterator[Search]:
    for key in dict.fromkeys(wish.must):
        place = atlas.places.get(key)
        if place is not None and place.kind != CITY:
            where = Filter("node", "=", key)
            yield Search(purpose="must", text=place.name, weight=2.0, depth=5, filters=(where,))


def _for_cities(wish: Wish, atlas: Atlas, cities: Sequence[str]) -> Iterator[Search]:
    if cities:
        return
    themes = " and ".join(wish.themes or _USUAL_THEMES)
    text = _sentence(f"cities and towns for {themes}", wish, atlas, ())
    yield Search(purpose="cities", text=text, depth=20, filters=(Filter("node_kind", "=", CITY),))


def _for_stays(wish: Wish, atlas: Atlas, cities: Sequence[str]) -> Iterator[Search]:
    group = {"couple": "couples", "family": "families"}.get(wish.group.kind, wish.group.kind)
    who = f" for {group}" if group else ""
    needs = f", {', '.join(sorted(wish.needs))}" if wish.needs else ""
    text = _sentence(f"{wish.level or ''} hotel to stay{who}{needs}".strip(), wish, atlas, cities)
    kinds = (Filter("node_kind", "=", STAY), *_at_level(wish))
    yield from _in_each("stays", text, 0.5, _depth(wish), _split(wish, cities), kinds)


def _for_food(wish: Wish, atlas: Atlas, cities: Sequence[str]) -> Iterator[Search]:
    needs = " ".join(sorted(wish.needs & {"vegetarian", "vegan", "halal"}))
    text = f"{wish.level or ''} {needs} restaurant with local dishes"
    text = _sentence(" ".join(text.split()), wish, atlas, cities)
    kinds = (Filter("node_kind", "=", FOOD),)
    yield from _in_each("food", text, 0.5, _depth(wish), _split(wish, cities), kinds)


def _split(wish: Wish, cities: Sequence[str]) -> Sequence[str]:
    """The cities in which stays and food are searched one by one: none where they are many."""
    themes = len(wish.themes or _USUAL_THEMES)
    return cities if (themes + _BESIDES) * len(cities) <= _MOST_SEARCHES else ()


def _at_level(wish: Wish) -> tuple[Filter, ...]:
    return (Filter("level", "=", wish.level),) if wish.level else ()


def _in_each(
    purpose: str,
    text: str,
    weight: float,
    depth: int,
    cities: Sequence[str],
    kinds: tuple[Filter, ...] = (),
) -> Iterator[Search]:
    """The search in each city that the trip is bound to; in all of them at once where it is not."""
    if not cities:
        yield Search(purpose=purpose, text=text, weight=weight, depth=depth, filters=kinds)
        return
    for city in cities:
        where = Filter("city", "=", city)
        yield Search(
            purpose=purpose, text=text, weight=weight, depth=depth, filters=(*kinds, where)
        )


def _sentence(words: str, wish: Wish, atlas: Atlas, cities: Sequence[str]) -> str:
    """The words of a search, where and when."""
    where = [atlas.name_of(one) for one in cities] or [atlas.name_of(wish.region)]
    named = " and ".join(one for one in where if one)
    month = wish.starts_on.month if wish.starts_on else wish.month
    parts = [words, f"in {named}" if named else "", f"in {month_name[month]}" if month else ""]
    return " ".join(part for part in parts if part)


def _depth(wish: Wish) -> int:
    """How many are looked at: more for more days."""
    return max(_LEAST_DEPTH, min(_MOST_DEPTH, 10 + 6 * wish.days))
