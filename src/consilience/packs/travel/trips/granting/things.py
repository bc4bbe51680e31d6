"""Is what a wish asks for told of anywhere here, and is it anybody's to give?

Things to do and to see, and beds of a rare kind, have to be told of by some place. A promise that
nobody can give, what the law forbids and what is long past are told and left out.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import STAY, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.asides import is_aside
from consilience.packs.travel.trips.reading.doing import animals_asked, things_asked
from consilience.packs.travel.trips.reading.forbidden import (
    bygone_asked,
    promises_asked,
    unlawful_asked,
)
from consilience.packs.travel.vocabulary import themes_in

_NEAR_KM = 120.0  # what is so near can be reached from a city in a day
_BEDS = {
    "castle": r"castles?", "palace": r"palaces?", "igloo": r"igloos?", "ice hotel": r"ice hotels?",
    "treehouse": r"tree ?houses?", "yurt": r"yurts?", "lighthouse": r"lighthouses?",
    "overwater bungalow": r"over-?water (?:bungalows?|villas?)|water villas?|(?:bungalows?|villas?)"
    r" (?:over|on) (?:the )?water", "underwater hotel": r"underwater(?: hotels?| rooms?)?",
    "houseboat": r"house ?boats?", "capsule hotel": r"capsule hotels?|capsules?", "cave": r"caves?",
    "space hotel": r"space (?:station|hotel)s?|(?:hotels?"
        r"|resorts?) in space", "temple": r"temples?",
    "monastery": r"monaster(?:y|ies)", "prison": r"prisons?", "museum": r"museums?",
    "chateau": r"ch[aâ]teaux?", "manor": r"manors?", "yacht": r"(?:super|mega)?-?yachts?",
}  # fmt: skip
_HOUSES = frozenset({"castle", "palace", "cave", "temple", "prison", "museum", "lighthouse"})
"""Sights as well: meant as a bed only where somebody sleeps in it."""
_SLEPT = re.compile(
    r"\b(?:sleep\w*|stay\w*|nights?|lodg\w*|live|living|bed|accommodation)\s+(?:[\w']+\s){0,2}?"
    r"(?:in|on|at|inside)\s+(?:an? |the |our |my |own |real |private |old )*$",
    re.IGNORECASE,
)
_STARS = re.compile(
    r"\b(?:six|seven|eight|nine|ten|6|7|8|9|10|\d{2,3})[ -]?stars?\b(?! (?:rating|reviews?))",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\b(?:our|my|an?|whole|entire|own)\s+(?:very )?(?:own |entire |whole )?(?:private"
    r"|own) (?P<what>"
    r"islands?|beach(?:es)?|jets?|mountains?|palaces?|castles?|bay)\b"
    r"|\brent (?:out )?(?:the|an?) (?:whole|entire) (?P<rented>island|city|town|beach|bay"
    r"|museum)\b",
    re.IGNORECASE,
)


def settle_things(talk: Talk) -> None:
    """Settle what nobody here has, and what nobody can give."""
    _asked(talk)
    _beds(talk)
    text = talk.wanted.text
    for said in dict.fromkeys(promises_asked(text)):
        talk.settle(f"'{said}'", "nobody can promise that", "planned without the promise")
    for said in dict.fromkeys(unlawful_asked(text)):
        reason = "it is against the law nearly everywhere, or harms others"
        talk.settle(f"'{said}'", reason, "planned without it")
    for said in dict.fromkeys(bygone_asked(text)):
        reason = "it belongs to the past or to tales, and no place here offers it"
        talk.settle(f"'{said}'", reason, "planned with what is there today")


def _asked(talk: Talk) -> None:
    """Things by name or by where they stand that no place here, or none there, tells of."""
    text, every = talk.wanted.text, list(talk.atlas.places.values())
    wild = [one for one in every if "animals" in one.features or one.themes.get("wildlife", 0) > 0]
    animals = dict(animals_asked(text))
    for name, stem in animals.items():
        _told(talk, name, stem, wild)
    for name, stem in things_asked(text):
        if name not in animals:
            _told(talk, name, stem, every)


def _told(talk: Talk, name: str, stem: str, places: list[Place]) -> None:
    form = re.compile(rf"(?<!jet )(?<!water )(?<!-)\b(?:{stem})\b", re.IGNORECASE)
    telling = [one for one in places if form.search(_telling(one))]
    if not telling:
        talk.settle(name, f"no place here tells of {name}", "planned without it")
        return
    towns = {talk.atlas.city_of(one.id) for one in telling} - {""}
    named = talk.cities()
    near = {
        one for one in towns if any((talk.atlas.km(one, two) or 0) <= _NEAR_KM for two in named)
    }
    if not named or near or not towns or _in_themes(talk, stem):
        return
    where = talk.names(sorted(towns)[:2])
    reason = f"no place there tells of {name}; one does in {where}"
    talk.settle(f"{name} in {talk.names(named)}", reason, "planned without it")


def _in_themes(talk: Talk, stem: str) -> bool:
    """Whether a compromise on themes or places has told of it already."""
    themes = {
        one.theme
        for found in re.finditer(stem, talk.wanted.text, re.I)
        for one in themes_in(found[0])
    }
    return any(theme in one.wanted for one in talk.compromises for theme in themes)


def _telling(place: Place) -> str:
    return " ".join((place.name, place.type, *place.offers, place.text))


def _beds(talk: Talk) -> None:
    """Beds of a kind that no stay here, or none of the cities asked for, tells of."""
    text, towns = talk.wanted.text, talk.cities()
    inside = [one for town in towns for one in talk.atlas.within(town, {STAY})]
    stays = inside if towns else [one for one in talk.atlas.places.values() if one.kind == STAY]
    where = f"no stay in {talk.names(towns)}" if towns else "no stay here"
    for name, stem in _BEDS.items():
        for match in re.finditer(rf"\b(?:{stem})\b", text, re.IGNORECASE):
            slept = _SLEPT.search(text[: match.start()]) is not None
            if (name in _HOUSES and not slept) or is_aside(text, *match.span()):
                continue
            if not any(re.search(rf"\b(?:{stem})\b", _telling(one), re.I) for one in stays):
                talk.settle(f"a night in: {name}", f"{where} is one", "other stays of the level")
            break
    for match in _STARS.finditer(text):
        if not is_aside(text, *match.span()):
            talk.settle(match[0], "no hotel has more than five stars", "the best level that fits")
    for match in _OWNED.finditer(text):
        what = match["what"] or match["rented"]
        if not is_aside(text, *match.span()) and not any(
            re.search(rf"\bprivate {what}", one.text, re.IGNORECASE) for one in stays
        ):
            talk.settle(match[0], f"{where} has it for one party alone", "planned among others")
