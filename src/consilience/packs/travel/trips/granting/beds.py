"""Is a bed of the kind that is asked for anywhere here, and is it in a house where people sleep?

A castle, an igloo or a yacht has to be told of by a stay. Nobody sleeps in a museum, in a tomb or
on top of a tower, unless the text of the place tells of beds or tents.
"""

from __future__ import annotations

import re

from consilience.packs.travel.atlas import SIGHTS, STAY, Place
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.sentence import PLACE
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

_KINDS = {
    "castle": r"castles?", "palace": r"palaces?", "igloo": r"igloos?", "ice hotel": r"ice hotels?",
    "treehouse": r"tree ?houses?", "yurt": r"yurts?", "lighthouse": r"lighthouses?",
    "overwater bungalow": r"over-?water (?:bungalows?|villas?)|water villas?|(?:bungalows?|villas?)"
    r" (?:over|on) (?:the )?water", "underwater hotel": r"underwater(?: hotels?| rooms?)?",
    "houseboat": r"house ?boats?", "capsule hotel": r"capsule hotels?|capsules?", "cave": r"caves?",
    "space hotel": r"space (?:station|hotel)s?|(?:hotels?"
        r"|resorts?) in space", "temple": r"temples?", "iceberg": r"icebergs?",
    "monastery": r"monaster(?:y|ies)", "prison": r"prisons?|prison cells?", "museum": r"museums?",
    "chateau": r"ch[aâ]teaux?", "manor": r"manors?", "yacht": r"(?:super|mega)?-?yachts?",
    "throne hall": r"throne (?:halls?|rooms?)|thrones?|dais", "tower": r"towers?|watchtowers?",
    "church": r"church(?:es)?|cathedrals?|basilicas?|chapels?", "pagoda": r"pagodas?|stupas?",
    "tomb": r"tombs?|mausoleums?|crypts?|sarcophag\w+|coffins?|pyramids?", "mosque": r"mosques?",
    "theatre": r"theat(?:re|er)s?|opera houses?|concert halls?", "stadium": r"stadiums?|arenas?",
    "zoo": r"zoos?|aquariums?|(?:lion|tiger|monkey|elephant)'?s?'? (?:cages?|enclosures?)",
    "bridge": r"bridges?", "statue": r"statues?|monuments?", "waterfall": r"waterfalls?",
    "volcano": r"volcano(?:e?s)?|craters?", "parliament": r"parliament\w*|city hall|town hall",
    "sea bed": r"sea ?bed|bottom of the (?:sea|ocean|lake|river)|shipwrecks?", "cloud": r"clouds?",
    "shop": r"super ?markets?|department stores?|shopping (?:malls?|cent\w+)|librar(?:y|ies)",
}  # fmt: skip
_HOUSES = frozenset({
    "castle", "palace", "cave", "temple", "prison", "museum", "lighthouse", "throne hall", "tower",
    "church", "pagoda", "tomb", "mosque", "theatre", "stadium", "zoo", "bridge", "statue", "shop",
    "waterfall", "volcano", "parliament", "sea bed", "cloud", "monastery", "manor", "iceberg",
})  # fmt: skip
"""Sights as well: meant as a bed only where somebody sleeps in it."""
_FILLING = r"(?:an? |the |our |my |own |real |private |old |very |great |main |ancient |royal )*"
_IN = (
    r"(?:in|on|inside|within|atop|upon|under|underneath|beneath|(?:on |at )?(?:the )?top of"
    r"|next to the throne (?:in|of))"
)
_SLEEPS = (
    r"(?:(?:sleep(?!ing (?:bus|train|car))|camp)\w*|(?:spend|pass|stay)\w*\s+(?:[\w']+\s){0,2}"
    r"?(?:nights?|overnight)"
    r"|stay(?:ing)? overnight|(?:our |my |the |two |both |a )?(?:beds?|mattress\w*|hammocks?"
    r"|sleeping bags?"
    r"|bedrooms?|suite|honeymoon suite|hotel room)|pitch\w* (?:a|our|the|my) tents?"
    r"|overnight(?:ing)?"
    r"|wak(?:e|ing) up|bunk\w*|bed down|lodg(?:e|ing)|accommodation|night['s]* sleep)"
)
_SLEPT = re.compile(
    rf"\b{_SLEEPS}(?:\s+[\w'-]+){{0,3}}?,?\s+(?:right |directly |actually |literally )?{_IN}\s+"
    rf"{_FILLING}$",
    re.IGNORECASE,
)
_HOUSED = re.compile(
    r"\b(?:sleep\w*|stay\w*|nights?|lodg\w*|live|living|bed|accommodation)\s+(?:[\w']+\s){0,2}?"
    rf"(?:in|on|at|inside)\s+{_FILLING}$",
    re.IGNORECASE,
)
"""The same with words that go with houses only: a night in a castle, but not at a bridge."""
_LIVED_IN = frozenset({"castle", "palace", "cave", "temple", "prison", "museum", "lighthouse",
                       "monastery", "manor"})  # fmt: skip
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
_SEEN_WORDS = """
museum pagoda temple monument theatre theater tower church cathedral palace tomb mausoleum bridge
fort citadel ruins viewpoint mosque castle library statue stadium memorial shrine gate zoo market
aquarium gallery garden fountain waterfall craft show
"""
_SEEN_ONLY = frozenset(_SEEN_WORDS.split())
"""Types of sights in which nobody sleeps."""
_BEDDED = re.compile(
    r"\b(?:overnight|sleep (?:here|in it|inside)|camp(?:ing|site|sites|s)?|guest ?rooms?"
    r"|home ?stays?|lodg(?:e|es|ing)"
    r"|tents?|guest ?house|stay the night|spend the night|beds? for (?:guests|visitors))\b",
    re.IGNORECASE,
)
"""What tells that a sight has beds."""
_INNER = rf"(?:(?:[\w'-]+ ){{1,5}}(?:of|in|at|inside|within|on) (?:the )?)?(?P<place>{PLACE})"
_IN_SIGHT = re.compile(
    rf"\b{_SLEEPS}(?:\s+[\w'-]+){{0,3}}?,?\s+(?:right |directly |actually |literally )?{_IN}\s"
    rf"+(?:the |old |real )*{_INNER}",
    re.IGNORECASE,
)


def settle_beds(talk: Talk) -> None:
    """Settle beds that nobody here has, and beds in what is no house to sleep in."""
    sights = _in_sights(talk)
    if not sights:
        _kinds(talk)
    text = talk.wanted.text
    for match in _STARS.finditer(text):
        if not is_aside(text, *match.span()):
            talk.settle(match[0], "no hotel has more than five stars", "the best level that fits")
    stays, where = _stays(talk)
    for match in _OWNED.finditer(text):
        what = match["what"] or match["rented"]
        if not is_aside(text, *match.span()) and not any(
            re.search(rf"\bprivate {what}", one.text, re.IGNORECASE) for one in stays
        ):
            talk.settle(match[0], f"{where} has it for one party alone", "planned among others")


def _stays(talk: Talk) -> tuple[list[Place], str]:
    """The stays of the cities asked for, or all, and how their lack is told."""
    towns = talk.cities()
    inside = [one for town in towns for one in talk.atlas.within(town, {STAY})]
    stays = inside if towns else [one for one in talk.atlas.places.values() if one.kind == STAY]
    return stays, f"no stay in {talk.names(towns)}" if towns else "no stay here"


def _kinds(talk: Talk) -> None:
    """Beds of a kind that no stay here, or none of the cities asked for, tells of."""
    text, (stays, where) = talk.wanted.text, _stays(talk)
    for name, stem in _KINDS.items():
        for match in re.finditer(rf"\b(?:{stem})\b", text, re.IGNORECASE):
            before = text[: match.start()]
            slept = _SLEPT.search(before) or (name in _LIVED_IN and _HOUSED.search(before))
            if (name in _HOUSES and not slept) or is_aside(text, *match.span()):
                continue
            if not any(_is_one(one, name, stem) for one in stays):
                talk.settle(f"a night in: {name}", f"{where} is one", "other stays of the level")
            break


def _is_one(stay: Place, name: str, stem: str) -> bool:
    """Whether a stay is of the kind; a sight that its text speaks of may be only near to it."""
    if name in _LIVED_IN or name not in _HOUSES:
        return re.search(rf"\b(?:{stem})\b", _telling(stay), re.IGNORECASE) is not None
    called = re.search(rf"\b(?:{stem})\b", f"{stay.name} {stay.type}", re.IGNORECASE)
    built = rf"\b(?:former|converted|old|restored|in an?|is an?|an?)\s+(?:\w+ )?(?:{stem})\b"
    return called is not None or re.search(built, stay.text, re.IGNORECASE) is not None


def _in_sights(talk: Talk) -> bool:
    """Beds in a sight by name; whether any was asked for."""
    sentence = talk.sentence()
    found = False
    for match in sentence.find(_IN_SIGHT):
        place = talk.atlas.places[sentence.places(match["place"])[0].place]
        if not is_meant(sentence.rest, *match.span()) or not _is_seen_only(place):
            continue
        found = True
        reason = "it is a sight: nobody is lodged in it, and its text tells of no beds"
        talk.settle(f"a night in {place.name}", reason, "other stays of the level near by")
    return found


def _is_seen_only(place: Place) -> bool:
    last = place.type.casefold().rpartition(" ")[2]
    seen = place.kind in SIGHTS and bool({place.type.casefold(), last} & _SEEN_ONLY)
    return seen and not _BEDDED.search(place.text)


def _telling(place: Place) -> str:
    return " ".join((place.name, place.type, *place.offers, place.text))
