"""How full are the days to be, and at how many places is one to sleep?"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE, USED, Sentence, either
from consilience.packs.travel.trips.types import Pace

_FULL = (
    r"(?:packed|rushed|busy|hectic|tiring|stressful|full|intense|fast|much moving|jam-packed"
    r"|crammed)"
)
_RELAXED = either(rf"""
relaxed|relaxing pace|relaxing|relax|slow(?:ly|er)?(?: pace| travel| paced)?|slow-paced
easy[ -]?going|leisurely|laid[ -]back|no rush(?:ing)?|unhurried|tak(?:e|ing) it easy
gentle pace|gently|easy pace|chilled?|lazy|lots of free time|plenty of (?:free time|rest|time)
calm pace|quiet pace|without (?:any )?(?:rush(?:ing)?|hurry(?:ing)?)
(?:not|nothing|n't|never|without being|isn't) (?:be |want |being |it |a |anything
|to be |want it )*(?:too |so |overly |very )?{_FULL}
not in a (?:rush|hurry)|no (?:hurry|stress|early mornings|packed days|tight schedule)
not (?:too |so )?(?:much|many) per day|unrushed|easy days|sleep in
(?:easy|quiet|calm|gentle)(?= (?:days?|trip|holiday|week|{USED}))
(?<=, )easy(?=[,.;])|nap(?:s| time|time)?
""")  # fmt: skip
_PACKED = either("""
packed|action[ -]packed|jam[ -]packed|busy days|fast[ -]paced|fast pace
as much as (?:possible|we can|i can)|as many (?:places|sights|things) as (?:possible|we can|i can)
see everything|see it all|do everything|do it all|cram(?:med)?|full days|intensive|intense
non-?stop|whirlwind|hectic|make the most of every|every minute
full programme|full program|full schedule|tight schedule|busy schedule|busy itinerary
from dawn to dusk|from morning till night|maximum sights|max out
""")  # fmt: skip


def read_pace(sentence: Sentence) -> Pace:
    """Relaxed, packed, or balanced where nothing is said."""
    relaxed = next(sentence.find(rf"\b{_RELAXED}\b"), None)
    packed = next(sentence.find(rf"\b{_PACKED}\b"), None)
    if relaxed and packed:
        inside = relaxed.start() <= packed.start() < relaxed.end()
        return "relaxed" if inside or _is_pace(relaxed[0]) else "packed"
    if relaxed:
        return "relaxed"
    return "packed" if packed else "balanced"


def _is_pace(said: str) -> bool:
    return re.search(r"pace|slow|leisure|rush|hurr|unhurried|easy", said, re.IGNORECASE) is not None


_STOPS = (
    r"(?:cit(?:y|ies)|towns?|bases?|stops?|places? to stay|destinations?|hotels?|locations?|places)"
)
_ONE = either(rf"""
(?:one|single|a single|1) (?:base|hotel|place to stay|place only)
in (?:just |only )?one (?:place|city|town|hotel|spot|location)|stay(?:ing)? put
(?:without|no|don't want to|do not want to|hate|not|avoid|rather not|prefer not to) (?:change
|changing|move|moving|switch|switching|pack|packing)(?: between| around)? ?(?:hotels?|cities|bases
|places|accommodation|every day)
same (?:hotel|base|place) (?:every|all|the whole|throughout)
(?:just|only) (?:one|1|a single) (?:city|town|place|base|destination)|based in (?:one|{PLACE})
one city only|one base|a fixed base
(?:exactly|precisely|strictly) (?:one|1|a single) (?:city|town|place|base|destination|location)
one and the same (?:city|town|place|hotel|base)|a single (?:city|town|destination)
(?:never|not|without(?: ever)?|no|n't(?: want to| ever)?) leav(?:e|ing) (?:it|{PLACE}|the city
|the town|the place)(?= (?:at all|ever|once|until the end)|\s*[:,.;!?]|$)
""")  # fmt: skip
_MOST = (
    rf"\b(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|only|just"
    rf"|limit(?:ed)? to|fewer than"
    rf"|keep it to|less than)\s+(?P<count>{NUMBER})\s+(?:different |other )?{_STOPS}\b"
)
_BEHIND = rf"\b(?P<count>{NUMBER}) {_STOPS} (?:max(?:imum)?|at most|only|tops|or (?:less|fewer))\b"
_BASES = rf"\b(?P<count>{NUMBER}) bases\b"
_ASKED = (
    rf"(?<!most )(?<!than )(?<!to )\b(?P<count>{NUMBER})\s+(?:different |main |big |major "
    rf"|other |beautiful |great )*"
    r"(?:cities|towns|destinations|islands|regions|countries)\b"
)

_DAILY = re.compile(
    r"\b(?:an? )?(?:different|new|another|other) (?:city|town|place to stay|hotel|destination)"
    r" (?:every|each|per|a)(?: single)? (?:day|night|morning|evening)\b"
    r"|\b(?:every|each)(?: single)? (?:day|night) (?:in )?(?:an? )?(?:different|new|another|other)"
    r" (?:city|town|hotel|destination)\b"
    r"|\bnever (?:sleep|stay|spend a night|be)[\w ]{0,12} in the same (?:city|town|place) twice\b",
    re.IGNORECASE,
)
"""A city a day, each another one."""

_LISTED = re.compile(
    rf"\b(?:list|catalogue|catalog|guide|country|map|site|website|book)\b[\w ']{{0,12}}? (?:has"
    rf"|have|of|with|shows|names|holds|lists) (?:all )?(?P<count>{NUMBER}) (?:\w+ )?(?:places"
    rf"|cities|towns"
    rf"|destinations|stops)\b(?=.*\b(?:each|every one|all) of (?:them|these|those)\b)",
    re.IGNORECASE | re.DOTALL,
)

_HELD = re.compile(
    r"\b(?:you|list|catalogue|catalog|guide|country|map|site|website|book)\b[\w ']{0,12}?"
    r"\b(?:have|has|list|lists|offer|offers|of|know|with|names?|shows?|holds?)\s+(?:all |some )?$",
    re.IGNORECASE,
)
"""Before a count of cities: they are told of, not asked for."""


def read_most_cities(sentence: Sentence) -> int | None:
    """How many places to sleep at there may be at most."""
    if sentence.has(rf"\b{_ONE}"):
        return 1
    for form in (_MOST, _BEHIND, _BASES):
        for match in sentence.find(form):
            less = re.match(r"(?:fewer|less) than", match[0], re.IGNORECASE)
            return max(1, value(match["count"]) - bool(less))
    return None


def cities_asked(text: str) -> int | None:
    """How many cities a text asks for by number: "five cities in two days"."""
    sentence = Sentence(text)
    if read_most_cities(sentence) is not None:
        return None
    asked = [one for one in sentence.find(_ASKED) if not _HELD.search(text[: one.start()])]
    found = [*asked, *sentence.find(_LISTED)]
    return max((value(one["count"]) for one in found), default=None)


def changes_daily(text: str) -> bool:
    """Whether each day is to be spent in another city."""
    return _DAILY.search(text) is not None
