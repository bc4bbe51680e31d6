"""Does a wish forbid something that nobody here understood? Then that cannot be promised.

Every strong ban has to be accounted for: by what the trip leaves out, by what it needs, or by
another compromise. One that is not is told as it was said, so that nobody relies on it.
"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.bans.banning import Ban, strong_bans
from consilience.packs.travel.trips.reading.ways.travelling import families_in
from consilience.packs.travel.vocabulary import features_in, kinds_in, themes_in
from consilience.understand.names import surface

_CONTENT = 5  # letters of a word that says what a sentence is about


def settle_unread(talk: Talk) -> None:
    """Tell each strong ban that neither the wish nor a compromise accounts for."""
    for ban in strong_bans(talk.wanted.text):
        if not _is_kept(talk, ban) and not _is_told(talk, ban):
            talk.settle(
                f"'{ban.said}'",
                "this was not understood as something that a plan can hold to",
                "planned without it: check the days against it",
            )


def _is_kept(talk: Talk, ban: Ban) -> bool:
    """Whether the trip leaves out, or sees to, something that the ban speaks of."""
    avoid, said = talk.wanted.avoid, surface(ban.said)
    named = {one.theme for one in themes_in(ban.said)}
    named |= {one.feature for one in features_in(ban.said)}
    named |= {one.type for one in kinds_in(ban.said)}
    kept = avoid.themes | avoid.features | avoid.types | talk.wanted.needs
    if named & kept or families_in(ban.said) & avoid.modes:
        return True
    return any(re.search(rf"\b{re.escape(surface(one))}\b", said) for one in avoid.said)


def _is_told(talk: Talk, ban: Ban) -> bool:
    """Whether a compromise speaks of it already."""
    words = {one for one in surface(ban.said).split() if len(one) >= _CONTENT}
    told = " ".join(f"{one.wanted} {one.reason}" for one in talk.compromises)
    return bool(words & set(surface(told).split()))
