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
    return max((value(one["count"]) for one in sentence.find(_ASKED)), default=None)
