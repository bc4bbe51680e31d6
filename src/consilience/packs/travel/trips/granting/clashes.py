"""Does a wish contradict itself: in what it asks for, in who travels, in where a sight is?"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.clashing import clashes_in
from consilience.packs.travel.trips.reading.naming import name_places
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence

_NEAR_KM = 60.0  # a sight so far from a city is still one of it
_IN = re.compile(
    rf"(?P<sight>{PLACE})\s+(?:right )?(?:in|of|at)\s+(?:the )?(?P<city>{PLACE})", re.IGNORECASE
)
_STEEP = re.compile(
    r"\b(?:trek\w*|hik(?:e|es|ing)|climb(?:ing)?|summit|mountaineer\w*|canyon(?:ing|eering)|caving"
    r"|rock[- ]climbing|abseil\w*|motorbike loop|bungee\w*)\b",
    re.IGNORECASE,
)
_RISKY = re.compile(
    r"\b(?:motorbikes?|motorcycles?|scooters?|(?:scuba[- ])?diving|canyon(?:ing|eering)|bungee\w*"
    r"|rafting|paraglid\w+|rock[- ]climbing|abseil\w*|night ?clubs?|clubbing|bar crawls?"
    r"|pub crawls?"
    r"|sky ?div\w+|caving expedition|kite ?surf\w*)\b",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"\b(?:bab(?:y|ies)|infants?|toddlers?|newborns?|(?P<age>[1-6]|one|two|three|four|five|six)"
    r"[ -]?(?:years?|yrs?|yo)(?:[ -]olds?)?(?! (?:anniversary|married)))\b|\b(?:aged?"
    r"|ages) [1-5]\b",
    re.IGNORECASE,
)
_FLESH = re.compile(
    r"\b(?:(?:only |nothing but )?(?:seafood|fish|steak|meat|barbecue|bbq|oysters?|lobster|crab"
    r"|beef"
    r"|pork)(?: (?:restaurants?|dinners?|feasts?|every|only|lovers?|tours?|tasting))*)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:no|not|without|never|nor|avoid\w*|hates?|free|n't|instead of)\b[^.;!?]{0,25}$", re.I
)
_HARD = frozenset({"steep", "heights", "motorbike", "cave"})


def settle_clashes(talk: Talk) -> None:
    """Settle what a wish says against itself."""
    for asked, ruled in clashes_in(talk.wanted.text):
        talk.settle(
            f"{asked} without {ruled}",
            f"{asked} cannot be had without it, and both stand in the wish",
            f"planned with as little {ruled} as places allow: say which of the two counts",
        )
    _travellers(talk)
    _displaced(talk)


def _travellers(talk: Talk) -> None:
    text, wish = talk.wanted.text, talk.wish
    if "wheelchair" in wish.needs and (hard := _asked(_STEEP, text)):
        talk.settle(f"{hard} in a wheelchair", "paths of that kind have steps and steep parts",
                    "planned with places that are fit for wheelchairs")  # fmt: skip
    if wish.group.children and _SMALL.search(text) and (risk := _asked(_RISKY, text)):
        talk.settle(f"{risk} with a small child", "it is not for children so young",
                    "for the adults in turn, or left out")  # fmt: skip
    if "vegetarian" in wish.needs and (flesh := _asked(_FLESH, text)):
        talk.settle(f"{flesh} and a diet without it", "the two exclude each other",
                    "tables that serve the diet")  # fmt: skip


def _asked(form: re.Pattern[str], text: str) -> str:
    found = (one for one in form.finditer(text) if not _NOT.search(text[: one.start()]))
    return next((one[0] for one in found), "")


def _displaced(talk: Talk) -> None:
    """A sight that is said to be in another city than it is: planned where it is."""
    atlas = talk.atlas
    sentence = Sentence(talk.wanted.text)
    name_places(sentence, atlas)
    for match in _IN.finditer(sentence.rest):
        sight = atlas.places[sentence.places(match["sight"])[0].place]
        said = atlas.places[sentence.places(match["city"])[0].place]
        if not _is_astray(talk, sight, said):
            continue
        home = atlas.city_of(sight.id) or sight.id
        talk.settle(
            f"{sight.name} in {said.name}",
            f"{sight.name} is in {_home(talk, sight)}" + _apart(talk, sight, said),
            f"planned in {atlas.name_of(home)}, where it is",
        )
        if said.kind == "city" and sentence.rest.count(match["city"][0]) == len(match["city"]):
            talk.drop(said.id)
            must = dict.fromkeys((*talk.wish.must, sight.id))
            talk.grant(must=tuple(must), region="")
        elif talk.wish.region == said.id:
            talk.grant(region="")


def _home(talk: Talk, sight: Place) -> str:
    city = talk.atlas.city_of(sight.id)
    return talk.atlas.name_of(city if city != sight.id else sight.region)


def _apart(talk: Talk, sight: Place, said: Place) -> str:
    km = talk.atlas.km(sight.id, said.id)
    return f", {round(km)} km away" if km is not None and said.kind == "city" else ""


def _is_astray(talk: Talk, sight: Place, said: Place) -> bool:
    atlas = talk.atlas
    if (
        sight.kind not in {*SIGHTS, "city"}
        or said.kind not in {"city", "region"}
        or sight.id == said.id
    ):
        return False
    if sight.kind == "city" and said.kind == "city":
        return False
    if atlas.lies_in(sight.id, said.id):
        return False
    if said.kind == "region":
        return sight.kind == "city" and bool(sight.region)
    ties = [
        one for one in atlas.ties.get(sight.id, ()) if one.relation in ("DAY_TRIP_FROM", "NEAR")
    ]
    km = atlas.km(sight.id, said.id)
    return all(one.target != said.id for one in ties) and (km is None or km > _NEAR_KM)
