"""Can a wish be granted as it is? If not: what is the nearest that can, or why is there none?

What cannot be is settled one after the other: bounds (days, people, dates), places and themes, the
ways between them, the budget, since it depends on all the rest, and at last what was forbidden and
not understood. An ordinary wish is granted unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.granting.bounds import settle_bounds
from consilience.packs.travel.trips.granting.clashes import settle_clashes
from consilience.packs.travel.trips.granting.counting import settle_counts
from consilience.packs.travel.trips.granting.hurry import settle_hurry
from consilience.packs.travel.trips.granting.places import offers_of, refusal_of, settle_places
from consilience.packs.travel.trips.granting.purse import settle_purse
from consilience.packs.travel.trips.granting.rides import settle_rides
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.granting.things import settle_things
from consilience.packs.travel.trips.granting.unread import settle_unread
from consilience.packs.travel.trips.granting.ways import settle_ways
from consilience.packs.travel.trips.types import Compromise, Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Negotiated:
    """The wish as it is granted, and what was given up for it.

    With a `refusal` nothing is planned; `offers` tell what there is instead.
    """

    wish: Wish
    compromises: tuple[Compromise, ...] = ()
    refusal: str = ""
    offers: tuple[str, ...] = ()


def negotiate(wish: Wish, atlas: Atlas, *, today: date | None = None) -> Negotiated:
    """The nearest wish that can be granted; without `today`, dates are not held against it."""
    talk = Talk(wanted=wish, atlas=atlas, today=today, wish=wish)
    refusal = wish.off_topic or refusal_of(talk)
    if refusal:
        return Negotiated(wish=wish, refusal=refusal, offers=offers_of(talk))
    settle_bounds(talk)
    settle_counts(talk)
    settle_places(talk)
    settle_things(talk)
    settle_clashes(talk)
    settle_hurry(talk)
    settle_rides(talk)
    settle_ways(talk)
    settle_purse(talk)
    settle_unread(talk)
    return Negotiated(wish=talk.wish, compromises=tuple(talk.compromises))
