"""What has been used up so far? Places visited, tables eaten at, themes served, beds taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.checking.wishes import LEAST_SHARE, STRONG
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.cities import Survey, is_by_day
from consilience.packs.travel.trips.composing.frames import Frame
from consilience.packs.travel.trips.composing.times import suits_slot
from consilience.packs.travel.trips.types import Slot


@dataclass(slots=True)
class Diary:
    """The trip so far. `beds` are the stays by city, `pinned` what a day is to keep, by its number.

    `held` are places that a day keeps: they are not for others. `welcome` ones are for any day.
    `frames` are the days to be filled, `nights` all of them. Cities that were `lacking` something
    for a part of a day are those to be `sparing` with, a second time.
    """

    survey: Survey
    beds: Mapping[str, Place] = field(default_factory=dict)
    pinned: Mapping[int, Mapping[str, Slot]] = field(default_factory=dict)
    tabled: Mapping[int, Mapping[Slot, str]] = field(default_factory=dict)
    welcome: frozenset[str] = frozenset()
    frames: tuple[Frame, ...] = ()
    nights: tuple[Frame, ...] = ()
    used: set[str] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)
    served: dict[str, float] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    gaps: list[str] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)
    sparing: frozenset[str] = frozenset()

    @property
    def brief(self) -> Brief:
        """The brief that is composed."""
        return self.survey.brief

    @property
    def unmet(self) -> frozenset[str]:
        """The themes of some weight that nothing was for so far."""
        wanted = {one for one, share in self.brief.wish.themes.items() if share >= LEAST_SHARE}
        return frozenset(wanted - self.met)

    @property
    def held(self) -> frozenset[str]:
        """What some day keeps."""
        return frozenset(place for places in self.pinned.values() for place in places)

    def visit(self, place: Place) -> None:
        """Mark a place as visited."""
        self.used.add(place.id)
        self.types[place.type or place.kind] += 1
        for theme, strength in place.themes.items():
            self.served[theme] = self.served.get(theme, 0.0) + strength
            if strength >= STRONG:
                self.met.add(theme)

    def forget(self, place: Place) -> None:
        """Take a visit back."""
        self.used.discard(place.id)
        self.types[place.type or place.kind] -= 1
        for theme, strength in place.themes.items():
            self.served[theme] = self.served.get(theme, 0.0) - strength

    def waits(self, number: int, slot: Slot) -> bool:
        """Whether a sight that a part of a day keeps is not in it yet."""
        pinned = self.pinned.get(number, {})
        return any(one == slot and key not in self.used for key, one in pinned.items())

    def has_must(self, city: str) -> bool:
        """Whether a sight that has to be in the trip still waits in a city."""
        return bool(self.waiting(city))

    def waiting(self, city: str) -> tuple[Place, ...]:
        """The sights of a city that have to be in the trip and are not yet."""
        left = set(self.brief.wish.must) - self.used
        if not left:
            return ()
        return tuple(one for one in self.survey.sights.get(city, ()) if one.id in left)

    def base(self, city: str) -> Place | None:
        """Where one sets out from in a city: one's bed there, without one its centre."""
        if any(one.sleeps and one.city == city for one in self.nights):
            return self.beds.get(city)
        centre = self.brief.atlas.places.get(city)
        return centre if centre and centre.point else None

    def days_after(self, number: int, city: str) -> int:
        """How many later days are in a city, as far as they are to be filled."""
        later = (one for one in self.frames if one.number > number)
        return sum(any(here.city == city for here in one.here) for one in later)

    def stock(self, city: str) -> tuple[int, int]:
        """How many sights of a city are left for the day, and for the evening."""
        left = [one for one in self.survey.sights.get(city, ()) if one.id not in self.used]
        late = sum(suits_slot(one, "evening") for one in left)
        return len(left) - late, late

    def left_by_day(self, city: str) -> int:
        """How many sights of a city are left that are for the day, or for the evening as well."""
        return sum(
            one.id not in self.used and is_by_day(one) for one in self.survey.sights.get(city, ())
        )

    def eat(self, place: Place) -> None:
        """Mark a table as taken."""
        self.tables[place.id] += 1

    def lack(self, theme: str) -> float:
        """How far a theme is behind its share of the wish, from -1 to 1."""
        themes = self.brief.wish.themes
        whole = sum(self.served.get(one, 0.0) for one in themes)
        if not whole or theme not in themes:
            return 0.0
        return themes[theme] / sum(themes.values()) - self.served.get(theme, 0.0) / whole
