"""Is a name that no place has told of in the texts of places: a river, a province, the country?

Where most cities tell of it, it is all of it ("a week in Portugal"). Where some do, the city that
tells of it most is gone to, and told. What one place alone mentions stays unknown, and so does a
sight by its name: nobody tells how it is visited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.reading.places.elsewhere import is_elsewhere
from consilience.packs.travel.trips.reading.places.placing import Placed
from consilience.packs.travel.trips.reading.places.sightings import LANDMARK
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.understand.names import surface

_LEAST = 2  # places that have to tell of a name
_MOST = 0.5  # of the cities: from here on the name is that of all of it


def told_of(
    sentence: Sentence, placed: Placed, unknown: Sequence[str], atlas: Atlas
) -> tuple[str, ...]:
    """The names that no text tells of; for the others, the city that does is put in."""
    left: list[str] = []
    for name in unknown:
        tells = Counter[str]() if is_elsewhere(surface(name)) else _cities_telling(name, atlas)
        if sum(tells.values()) < _LEAST:
            left.append(name)
            continue
        if len(tells) >= _MOST * len(atlas.cities()):
            sentence.assumed.append(f"{name}: most places here are told to be in it")
            continue
        city = max(sorted(tells), key=lambda one: tells[one])
        if city not in {*placed.cities, *placed.must, placed.start, placed.end}:
            placed.cities.append(city)
            placed.must.append(city)
        if _is_sight(sentence, name):
            left.append(name)
        else:
            sentence.assumed.append(f"{name}: taken as {atlas.name_of(city)}, which tells of it")
    return tuple(left)


def _is_sight(sentence: Sentence, name: str) -> bool:
    """Whether the text says that a name is that of a cave, a peak, a temple: no visit is known."""
    behind = sentence.text.partition(name)[2]
    return LANDMARK.match(behind.lstrip()) is not None


def _cities_telling(name: str, atlas: Atlas) -> Counter[str]:
    """How many places of each city tell of a name, the city itself among them."""
    form = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found: Counter[str] = Counter()
    for one in atlas.places.values():
        city = atlas.city_of(one.id)
        if city in atlas.places and form.search(one.text):
            found[city] += 1
    return found
