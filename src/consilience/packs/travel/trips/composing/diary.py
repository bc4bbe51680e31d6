"""What has been used up so far? Places visited, tables eaten at, themes served, beds taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.composing.brief import Brief
from consilience.packs.travel.trips.composing.cities import Survey
from consilience.packs.travel.trips.types import Slot


@dataclass(slots=True)
class Diary:
    """The trip so far. `beds` are the stays by city, `pinned` what a day is to keep, by its number.

    `held` are places that a day keeps: they are not for others. `welcome` ones are for any day.
    """

    survey: Survey
    beds: Mapping[str, Place] = field(default_factory=dict)
    pinned: Mapping[int, Mapping[str, Slot]] = field(default_factory=dict)
    tabled: Mapping[int, Mapping[Slot, str]] = field(default_factory=dict)
    welcome: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)
    served: dict[str, float] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)

    @property
    def brief(self) -> Brief:
        """The brief that is composed."""
        return self.survey.brief

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
        musts = self.brief.wish.must
        return any(
            one.id in musts and one.id not in self.used for one in self.survey.sights.get(city, ())
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
