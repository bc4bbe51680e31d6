"""Which cities, regions and countries does no file tell of, though places say they are in them?

A city that only a column names is a place of its own where at least two places are in it: in the
middle of them, with a text that says what is there. The first file that names it tells of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from consilience.evidence.size_limits import short
from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.gazetteer import Gazetteer, Known, id_of, slug
from consilience.packs.travel.files.records import name_from
from consilience.packs.travel.files.suiting import Suit
from consilience.packs.travel.files.words import WIDE, WITHIN
from consilience.packs.travel.geography import Point, distance_km

LEAST = 2
"""Places that have to be in a city that only they name."""
MOST_CITIES = 0.6
"""The share of the cities whose texts have to speak of a country that no field names."""
REACH_KM = 15.0
"""How far from the middle of a city a place may be that says of no city that it is in it."""
_LONGEST = 60  # letters of a name
_TOLD = 5  # places of a kind that are named
_PREFIX = re.compile(r"^(?:city|town|region|country|place)[_:\s-]+", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{2,3}|[a-z]{2}")
_SORTS = (
    ("city", ("city", "cities")),
    ("attraction", ("sight", "sights")),
    ("activity", ("thing to do", "things to do")),
    ("area", ("neighbourhood", "neighbourhoods")),
    ("stay", ("place to stay", "places to stay")),
    ("food", ("place to eat", "places to eat")),
)


@dataclass(frozen=True, slots=True)
class Founded:
    """A place that was made of what is in it, and the file that tells of it.

    `cities` are those, by id, whose texts alone say that they are in it.
    """

    draft: Draft
    file: str
    cities: frozenset[str] = frozenset()


def founded(places: Sequence[Known]) -> list[Founded]:
    """The cities that places are in and none tells of, then regions and countries."""
    known = Gazetteer()
    for one in places:
        known.add(one)
    inside = [one for one in places if one.kind in WITHIN or one.kind == "area"]
    cities = list(_of_kind("city", inside, lambda one: one.city, known))
    made = [_known(one) for one in cities]
    whole = [*places, *made]
    for one in made:
        known.add(one)
    regions = list(_of_kind("region", _spread(whole, known), lambda one: one.region, known))
    countries = list(_of_kind("country", whole, lambda one: one.country, known))
    if not countries and not any(one.kind == "country" for one in places):
        countries = list(_spoken_of(whole, known))
    return [*cities, *regions, *countries]


def _known(one: Founded) -> Known:
    draft = one.draft
    return Known(
        id=draft.id, name=draft.name, kind=draft.kind, region=draft.region, country=draft.country,
        point=draft.point, file=one.file, themes=tuple(suit.theme for suit in draft.suits),
    )  # fmt: skip


def _spread(places: Iterable[Known], known: Gazetteer) -> Iterator[Known]:
    """Places, each with the region that its city is in where it says none."""
    cities = frozenset({"city"})
    for one in places:
        city = known.find(one.city, cities) if one.city and not one.region else None
        if city is None or city.id == one.id:
            yield one
        else:
            yield Known(
                id=one.id, name=one.name, kind=one.kind, region=city.region, point=one.point,
                country=one.country or city.country, file=city.file or one.file, themes=one.themes,
            )  # fmt: skip


def _spoken_of(places: Sequence[Known], known: Gazetteer) -> Iterator[Founded]:
    """The country that the texts of most cities speak of, where no field names one."""
    cities = [one for one in places if one.kind == "city"]
    counts = Counter(name for one in cities for name in one.said_in if not known.find(name))
    best = max(counts, key=lambda one: (counts[one], len(one), one), default="")
    if counts[best] >= max(LEAST, MOST_CITIES * len(cities)):
        inside = [one for one in cities if best in one.said_in]
        made = _draft("country", best, inside, known)
        yield Founded(made.draft, made.file, frozenset(one.id for one in inside))


def _of_kind(
    kind: str, places: Iterable[Known], said: Callable[[Known], str], known: Gazetteer
) -> Iterator[Founded]:
    wide = WIDE if kind == "city" else WIDE - {"city", "area"}
    groups: dict[str, list[tuple[str, Known]]] = {}
    for one in places:
        name = said(one)
        if _is_name(name, kind) and one.kind != kind:
            groups.setdefault(slug(_bare(name)), []).append((name, one))
    for key, group in groups.items():
        names = Counter(name for name, _ in group)
        name = max(names, key=lambda one: names[one])
        found = known.find(name, frozenset({kind})) or known.find(key, frozenset({kind}))
        if not key or len({one.id for _, one in group}) < LEAST:
            continue
        if found is None or found.kind not in wide:
            yield _draft(kind, name, [one for _, one in group], known)


def _is_name(name: str, kind: str) -> bool:
    """Whether a reference is the name of a place, rather than a number, a code or an address."""
    if len(name) > _LONGEST or not re.search(r"[^\W\d_]{2}", name) or re.match(r"\d", name):
        return False
    return not (kind != "city" and _CODE.fullmatch(name))


def _bare(name: str) -> str:
    is_id = name == name.casefold() and not re.search(r"\s", name)
    return _PREFIX.sub("", name) if is_id else name


def _draft(kind: str, said: str, places: Sequence[Known], known: Gazetteer) -> Founded:
    bare = _bare(said)
    name = name_from(bare) if bare == bare.casefold() else bare
    key = id_of(said)
    draft = Draft(
        number=-1,
        where="",
        name=name,
        id=key if key not in known.ids else f"{key}-{kind}",
        kind=kind,
        type=kind,
        point=_middle(places),
        keys=(said,) if said != name else (),
        region=_shared(places, lambda one: one.region) if kind == "city" else "",
        country=_shared(places, lambda one: one.country) if kind != "country" else "",
        description=_told(kind, places),
        suits=tuple(_suits(places)),
    )
    draft.facts["computed"] = True
    return Founded(draft, min(one.file for one in places))


def _middle(places: Sequence[Known]) -> Point | None:
    """The middle of places; by the median, which one that is far off does not move."""
    points = [one.point for one in places if one.point is not None]
    if not points:
        return None
    lat, lon = median(one.lat for one in points), median(one.lon for one in points)
    return Point(round(lat, 5), round(lon, 5))


def _shared(places: Sequence[Known], said: Callable[[Known], str]) -> str:
    names = {name for one in places if (name := said(one))}
    return names.pop() if len(names) == 1 else ""


def _told(kind: str, places: Sequence[Known]) -> str:
    parts = []
    for sort, words in _SORTS:
        names = sorted({one.name for one in places if one.kind == sort})
        if names:
            some = ", ".join([*names[:_TOLD], *["…"] * (len(names) > _TOLD)])
            parts.append(f"{len(names)} {words[len(names) > 1]} ({some})")
    there = "; ".join(parts) or f"{len(places)} places"
    return f"Known here: {there}. No file tells of the {kind} itself: it is known from these."


def _suits(places: Sequence[Known]) -> Iterator[Suit]:
    """The themes that several of the places suit."""
    named: dict[str, list[str]] = {}
    for one in places:
        for theme in one.themes:
            named.setdefault(theme, []).append(one.name)
    for theme, names in sorted(named.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if len(names) >= LEAST:
            strength = min(0.8, 0.4 + 0.1 * len(names))
            yield Suit(theme, round(strength, 2), short(", ".join(sorted(names)[:2]), 80))


def nearest_city(point: Point, cities: Iterable[Known]) -> Known | None:
    """The city whose middle is nearest to a point, within reach; None where there is none."""
    near = (
        (distance_km(point, one.point), one.id, one)
        for one in cities
        if one.point is not None and abs(one.point.lat - point.lat) < REACH_KM / 110
    )
    found = min(near, default=None, key=lambda pair: pair[:2])
    return found[2] if found is not None and found[0] <= REACH_KM else None
