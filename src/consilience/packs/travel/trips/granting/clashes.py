"""Does a wish contradict itself: in what it asks for, in who travels, in where a sight is?"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, Place
from consilience.packs.travel.trips.granting.ages import settle_ages
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.people.ages import is_apart
from consilience.packs.travel.trips.reading.sentence import PLACE
from consilience.packs.travel.trips.reading.things.clashing import clashes_in
from consilience.packs.travel.trips.reading.things.opposites import (
    contraries_in,
    homes_in,
    neither_in,
    out_of_time,
    same_night,
)

_NEAR_KM = 60.0  # a sight so far from a city is still one of it
_TOWN_KM = 10.0  # what is so near is one town
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
_SPARED = re.compile(
    r"(?:\b(?:not?(?! (?:only|just|worry|rush|hurry|limit))|none|nobody|neither|without|never|nor"
    r"|avoid\w*|skip\w*|omit\w*|leav(?:e|es|ing) (?:out|off|away)|left out|hates?|dislikes?|free"
    r"|cannot|instead of|rather than|replac\w+|swap\w*|substitut\w+|minus|drop\w*|g[ai]ven? up"
    r"|quit|refus\w+|stay\w* (?:off|away)|steer\w* clear|keep\w* (?:off|away)|exclud\w+"
    r"|stopped eating|rul\w+ out|allergic|(?:everything|anything|all)(?: \w+)? (?:but|except|save"
    r"|bar))|\w+n['’]t(?! wait)|\bmeans no)\b"
    r"(?:(?!\b(?:but|just|only|except|plenty)\b)[^.;!?]){0,35}$",
    re.IGNORECASE,
)
"""What stands before food that is left out: "where we can skip the", "none of us eats"."""
_MOCK = re.compile(
    r"\b(?:cauliflower|mushroom|tofu|jackfruit|soya?|seitan|vegan|vegetarian|veggie|mock|fake"
    r"|plant[- ]based|meatless|imitation)\s+(?:(?!but|and|or|with)\w+\s+)?$",
    re.IGNORECASE,
)
"""What is called after food that it is not."""
_LEFT_OUT = re.compile(
    r"(?:[- ](?:free|less|substitutes?|alternatives?|replacements?|markets?|auctions?|farms?"
    r"|harbours?|ponds?|sauce)\b"
    r"|(?:,? (?:and|or|nor) \w+)?\s+(?:(?:is|are|be|being|has|have|must|can|could|should|to|all"
    r"|simply|just|please)\s+)*(?:skipped|left|leave[ds]? out|ruled|off|out|not|never|forbidden"
    r"|excluded|banned|taboo|replaced|swapped|omitted|optional|a no-go|no option"
    r"|no thanks|\w+n['’]t)\b)",
    re.IGNORECASE,
)
"""What stands behind it: "meat left out", "fish is off the menu", "meat-free"."""
_OTHER_EATER = re.compile(
    r"\b(?:but|while|whereas|and|though) (?:my|the|our|his|her) (?:husband|wife|partner|friend"
    r"|sister|brother"
    r"|son|daughter|kids|children|mother|father|mum|mom|dad|others|rest)\b(?![^.;!?]*\b"
    r"(?:herself|himself|both))[^.;!?]*",
    re.IGNORECASE,
)
"""Somebody else who eats what the diet leaves out."""


def settle_clashes(talk: Talk) -> None:
    """Settle what a wish says against itself."""
    for asked, ruled in clashes_in(talk.wanted.text):
        talk.settle(
            f"{asked}, and '{ruled}'",
            "the one cannot be had with the other, and both stand in the wish",
            f"planned for {asked}: say which of the two counts",
        )
    _opposites(talk)
    _travellers(talk)
    settle_ages(talk)
    _displaced(talk)


def _opposites(talk: Talk) -> None:
    """Both of two that exclude each other, neither of two of which one has to be, and no trip."""
    text = talk.wanted.text
    for one, other in contraries_in(text):
        reason = "the two exclude each other"
        talk.settle(f"{one} and {other} at once", reason, "planned with each in its turn")
    for one, other in neither_in(text):
        reason = "one of the two there has to be"
        talk.settle(f"neither {one} nor {other}", reason, "planned with as little as places allow")
    for said in list(out_of_time(text))[:1]:
        talk.settle(f"'{said}'", "the sun does not rise or set then", "planned for its own hour")
    for said in list(homes_in(text))[:1]:
        reason = "a trip leads away from home"
        talk.settle(f"a trip '{said}'", reason, "planned for days there")
    told = any("same" in one.wanted for one in talk.compromises)
    for first, second in () if told else same_night(talk.sentence()):
        km = talk.atlas.km(first.place, second.place)
        if km is not None and km > _TOWN_KM:
            talk.settle(
                f"a night in {talk.names([first.place, second.place])} at once",
                f"they are {round(km)} km apart, and nobody sleeps in two places in one night",
                "one night after the other",
            )


def _travellers(talk: Talk) -> None:
    text, wish = talk.wanted.text, talk.wish
    if "wheelchair" in wish.needs and (hard := _asked(_STEEP, text)):
        talk.settle(f"{hard} in a wheelchair", "paths of that kind have steps and steep parts",
                    "planned with places that are fit for wheelchairs")  # fmt: skip
    risk = _asked(_RISKY, text) if wish.group.children and _SMALL.search(text) else ""
    if risk and not any(is_apart(one) for one in re.split(r"[.;!?]\s", text) if risk in one):
        talk.settle(f"{risk} with a small child", "it is not for children so young",
                    "for the adults in turn, or left out")  # fmt: skip
    flesh = _flesh(_OTHER_EATER.sub("", text)) if "vegetarian" in wish.needs else ""
    if flesh:
        talk.settle(f"{flesh} and a diet without it", "the two exclude each other",
                    "tables that serve the diet")  # fmt: skip


def _asked(form: re.Pattern[str], text: str) -> str:
    found = (one for one in form.finditer(text) if not _NOT.search(text[: one.start()]))
    return next((one[0] for one in found), "")


def _flesh(text: str) -> str:
    """Meat or fish that is wished for; what is skipped, ruled out or not eaten is none."""
    for one in _FLESH.finditer(text):
        before = text[: one.start()]
        if not (_SPARED.search(before) or _MOCK.search(before) or _LEFT_OUT.match(text, one.end())):
            return one[0]
    return ""


def _displaced(talk: Talk) -> None:
    """A sight that is said to be in another city than it is: planned where it is."""
    atlas = talk.atlas
    sentence = talk.sentence()
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
