"""What does somebody wish for? Read from the words by rules, the same way every time.

Each idea has a reader of its own in `reading`. What is understood is taken out of the sentence
before the next one reads, in this order: places, money, dates, length, people, and what is left.
What is not said is assumed and told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.reading.bans.avoiding import Ruled, read_ruled
from consilience.packs.travel.trips.reading.money.spending import read_budget, read_level
from consilience.packs.travel.trips.reading.people.grouping import read_group
from consilience.packs.travel.trips.reading.places.elsewhere import unknown_places
from consilience.packs.travel.trips.reading.places.hearsay import told_of
from consilience.packs.travel.trips.reading.places.naming import name_places
from consilience.packs.travel.trips.reading.places.placing import Placed, read_places
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.spoken.figures import leave_out_figures
from consilience.packs.travel.trips.reading.things.weighing import read_themes
from consilience.packs.travel.trips.reading.times.dating import When, read_dates
from consilience.packs.travel.trips.reading.times.lasting import Length, read_length
from consilience.packs.travel.trips.reading.topics.asking import Signals, off_topic
from consilience.packs.travel.trips.reading.ways.bearing import read_bound
from consilience.packs.travel.trips.reading.ways.pacing import (
    cities_asked,
    read_most_cities,
    read_pace,
)
from consilience.packs.travel.trips.reading.ways.travelling import read_modes
from consilience.packs.travel.trips.types import Avoid, Budget, Group, Level, Pace, Wish
from consilience.packs.travel.vocabulary import themes_in
from consilience.understand.names import surface

DAYS = 3
"""How long a trip is where nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What the readers found, before it is one wish."""

    placed: Placed
    group: Group
    budget: Budget | None
    level: Level | None
    when: When
    length: Length
    pace: Pace
    most_cities: int | None
    modes: tuple[frozenset[str], tuple[str, ...]]
    ruled: Ruled


async def analyse(text: str, atlas: Atlas, *, today: date) -> Wish:
    """The wish that a text is; `off_topic` says why it is none."""
    sentence = Sentence(text)
    name_places(sentence, atlas)
    leave_out_figures(sentence)
    bound = read_bound(sentence)
    if bound:
        sentence.unclear.append(f"{bound[1]} (no plan holds to it: check the ways)")
    facts = _facts(sentence, atlas, today)
    unknown, home = unknown_places(sentence, atlas.reckoned("told", _told))
    reason = off_topic(sentence, _signals(sentence, facts, unknown=bool(unknown)))
    if reason:
        return Wish(text=text, off_topic=reason)
    unknown = told_of(sentence, facts.placed, unknown, atlas)
    if home:
        sentence.assumed.append(
            f"{', '.join(home)}: taken as home; the way from there is not planned"
        )
    return _wish(sentence, facts, unknown, atlas)


def _facts(sentence: Sentence, atlas: Atlas, today: date) -> _Facts:
    placed = read_places(sentence, atlas)
    group = read_group(sentence)
    budget = read_budget(sentence, atlas, group)
    level = read_level(sentence, atlas)
    when = read_dates(sentence, today, south=_is_south(atlas))
    most_cities = read_most_cities(sentence)
    return _Facts(
        placed=placed,
        group=group,
        budget=budget,
        level=level,
        when=when,
        length=read_length(sentence, _wide(atlas)),
        pace=read_pace(sentence),
        most_cities=most_cities,
        modes=read_modes(sentence, _modes(atlas)),
        ruled=read_ruled(sentence, list(atlas.places.values())),
    )


def _signals(sentence: Sentence, facts: _Facts, *, unknown: bool) -> Signals:
    said = (
        facts.budget is not None,
        facts.level is not None,
        facts.group.kind != "",
        facts.pace != "balanced",
        cities_asked(sentence.put) is not None,
        bool(facts.modes[0]),
        bool(facts.ruled.said),
        *(True for _ in {one.theme for one in themes_in(sentence.rest)}),
    )
    return Signals(
        places=bool(sentence.mentions),
        unknown=unknown,
        length=facts.length.days is not None,
        others=sum(said) + (facts.when != When() and any(said)),
    )


def _wish(sentence: Sentence, facts: _Facts, unknown: tuple[str, ...], atlas: Atlas) -> Wish:
    placed, ruled = facts.placed, facts.ruled
    avoid = Avoid(
        places=frozenset(placed.avoid),
        themes=frozenset(ruled.themes),
        features=frozenset(ruled.features),
        types=frozenset(ruled.types),
        modes=facts.modes[0],
        words=ruled.words,
        said=tuple(dict.fromkeys((*placed.said, *facts.modes[1], *ruled.said))),
    )
    days = _days(sentence, facts, atlas)
    themes = read_themes(sentence, avoid.themes)
    if facts.level is None and facts.budget is None:
        sentence.assumed.append("no level is said: mid-range")
    if len(placed.regions) > 1:
        sentence.assumed.append("several regions are named: the trip is not bound to one of them")
    return Wish(
        text=sentence.put,
        days=days,
        themes=themes,
        starts_on=facts.when.starts_on,
        month=facts.when.month,
        budget=facts.budget,
        level=facts.level,
        pace=facts.pace,
        group=facts.group,
        cities=tuple(placed.cities),
        nights={one: count for one, count in facts.length.nights.items() if one in placed.cities},
        must=tuple(placed.must),
        avoid=avoid,
        start=placed.start,
        end=placed.end,
        region=placed.regions[0] if len(placed.regions) == 1 else "",
        most_cities=facts.most_cities,
        needs=frozenset(ruled.needs),
        assumed=tuple(dict.fromkeys(sentence.assumed)),
        unknown=unknown,
        unclear=tuple(dict.fromkeys(sentence.unclear)),
    )


def _days(sentence: Sentence, facts: _Facts, atlas: Atlas) -> int:
    """How many days: those between dates, those said, or as many as the cities need."""
    said = facts.when.days if facts.when.days is not None else facts.length.days
    if facts.when.days == 2 and facts.length.days is not None:
        said = max(2, facts.length.days)
    if said is not None:
        return said
    cities = {*facts.placed.cities, *map(atlas.city_of, facts.placed.must)}
    days = max(DAYS, 2 * len(cities))
    sentence.assumed.append(f"no length is said: {days} days")
    return days


def _modes(atlas: Atlas) -> list[str]:
    return sorted({one.mode for ways in atlas.connections.values() for one in ways})


def _wide(atlas: Atlas) -> frozenset[str]:
    """Countries and regions: days in one of them are those of the whole trip."""
    return frozenset(one.id for one in atlas.places.values() if one.kind in ("country", "region"))


def _told(atlas: Atlas) -> frozenset[str]:
    """Every word that a place tells."""
    return frozenset(
        word for one in atlas.places.values() for word in surface(f"{one.name} {one.text}").split()
    )


def _is_south(atlas: Atlas) -> bool:
    """Whether most places with coordinates lie south of the equator."""
    points = [one.point.lat for one in atlas.places.values() if one.point is not None]
    return sum(lat < 0 for lat in points) > len(points) / 2
