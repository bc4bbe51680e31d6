"""Is something to be done with animals that the places which have them do not allow?

"We ride on an elephant", where the sight says "no riding": the animals stay in the trip, and that
they are not ridden is told.
"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.things.doing import animals_asked

_DEEDS = {  # what is done with animals, and the forms that a text has of it
    "riding": r"rid(?:e|es|ing|den)",
    "feeding": r"feed(?:s|ing)?",
    "bathing": r"bath(?:e|es|ing)",
    "touching": r"touch(?:es|ing)?|pet(?:s|ting)|strok(?:e|es|ing)|cuddl(?:e|es|ing)",
    "swimming with": r"swim(?:s|ming)?",
    "holding": r"hold(?:s|ing)?",
}
_ENDED = r"(?:is|are|was|were|has|have)(?: \w+)? (?:forbidden|ended|banned|stopped|no longer|not)"


def settle_animals(talk: Talk) -> None:
    """Tell what is asked for with animals and denied where they are."""
    text = talk.wanted.text
    for animal, stem in animals_asked(text):
        telling = re.compile(rf"\b(?:{stem})\b", re.IGNORECASE)
        having = [one for one in talk.atlas.places.values() if telling.search(one.text)]
        for deed, forms in _DEEDS.items():
            asked = re.compile(
                rf"\b(?:{forms})\b[^.;!?,]{{0,30}}\b(?:{stem})\b|\b(?:{stem})[ -](?:{forms})\b",
                re.IGNORECASE,
            )
            denied = re.compile(
                rf"\bno\b[^.;!?]{{0,40}}\b(?:{forms})\b|\b(?:{forms})\b {_ENDED}\b", re.IGNORECASE
            )
            denying = [one for one in having if denied.search(one.text)]
            if asked.search(text) and denying:
                reason = f"{denying[0].name} tells that it is not done"
                talk.settle(f"{deed} {animal}", reason, "planned without it")
