"""What has been agreed of a wish so far, and what had to be given up?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from consilience.packs.travel.atlas import CITY, Atlas
from consilience.packs.travel.trips.composing.brief import Brief, briefed
from consilience.packs.travel.trips.reading.places.naming import name_places
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.things.weighing import UNSAID, percentages
from consilience.packs.travel.trips.types import Candidates, Compromise, Wish


@dataclass(slots=True)
class Talk:
    """A wish as it is granted so far; `wanted` is as it was put."""

    wanted: Wish
    atlas: Atlas
    today: date | None
    wish: Wish
    compromises: list[Compromise] = field(default_factory=list)
    _named: Sentence | None = None

    def sentence(self) -> Sentence:
        """The text as it was put with its places in it, for one reader to use up."""
        if self._named is None:
            self._named = Sentence(self.wanted.text)
            name_places(self._named, self.atlas)
        return self._named.again()

    def settle(self, wanted: str, reason: str, instead: str) -> None:
        """Tell what is given up."""
        self.compromises.append(Compromise(wanted=wanted, reason=reason, instead=instead))

    def grant(self, **changes: object) -> None:
        """Change the wish."""
        self.wish = replace(self.wish, **changes)  # type: ignore[arg-type]

    def names(self, places: Sequence[str]) -> str:
        """Places by name, in a row."""
        return ", ".join(self.atlas.name_of(one) for one in places)

    def drop(self, *places: str) -> None:
        """Leave places out of what has to be in the trip."""
        gone = set(places)
        self.grant(
            must=tuple(one for one in self.wish.must if one not in gone),
            cities=tuple(one for one in self.wish.cities if one not in gone),
            nights={one: count for one, count in self.wish.nights.items() if one not in gone},
        )

    def assume(self, told: str) -> None:
        """Tell how something was taken that is given up by nobody."""
        self.grant(assumed=(*self.wish.assumed, told))

    def drop_theme(self, theme: str, *, without: Sequence[str] = ()) -> None:
        """Share a theme out among the others; where none is left, the usual ones come in."""
        left = {one: float(share) for one, share in self.wish.themes.items() if one != theme}
        if not left:
            avoided = self.wish.avoid.themes | {theme, *without}
            usual = [one for one in UNSAID if one not in avoided] or UNSAID
            left = dict.fromkeys(usual[:3], 1.0)
        self.grant(themes=percentages(left))

    def cities(self) -> list[str]:
        """The cities that the wish names, in its order, with those of its sights."""
        named = (*self.wish.cities, *map(self.atlas.city_of, self.wish.must))
        return [one for one in dict.fromkeys(named) if one and self.is_city(one)]

    def is_city(self, place: str) -> bool:
        """Whether one can stay there."""
        known = self.atlas.places.get(place)
        return known is not None and known.kind == CITY

    def brief(self) -> Brief:
        """What a composer would know of the wish, before anything is searched."""
        return briefed(self.wish, Candidates(found=()), self.atlas)


def counted(number: int, noun: str) -> str:
    """`1 day`, `3 days`, `2 cities`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("ty") else f"{number} {noun}s"
