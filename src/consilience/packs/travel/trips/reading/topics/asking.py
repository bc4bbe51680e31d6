"""Is a text a wish for a trip at all? A question, a task or nonsense is none.

What speaks for a trip is a place, a word of travelling, or several of the things that one wishes
for (days, dates, a budget, themes). A question about a place is to be asked as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.ordinary import is_ordinary
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.topics.tasks import (
    POLITE,
    is_small_talk,
    is_task,
    unframed,
)
from consilience.understand.names import surface

ASK = "this is a question, not a wish for a trip: ask it with `consilience ask`"
OTHER = "this is no wish for a trip: say for instance how many days, where and what for"
EMPTY = "nothing is asked for: say for instance how many days, where and what for"

_FOREIGN = re.compile(
    r"\b(?:python|javascript|java|sql|html|code|bug|compiler|algorithm|equation|integral|gdp"
    r"|president|prime minister|election|parliament|stocks?|shares|bitcoin|crypto\w*|mortgage"
    r"|loan|taxes|tax return|invoice"
    r"|homework|thesis|exam|essay|poem|recipe|bake|baking|bread|cake|laptop|computer|iphone"
    r"|android|wifi router|printer|washing machine|dishwasher|doctor|symptoms?|headache|fever"
    r"|diabetes|vaccine side|dentist|lawyer|lawsuit"
    r"|football (?:match|score|game)|world cup|champions league|movie|film|netflix|lyrics"
    r"|workout|gym|diet|lose weight|kilos|meal plan|wedding speech|cover letter|resume"
    r"|job interview|salary|kitchen renovation|bathroom|plumb\w+|sofa|curtains|lawn|tomatoes"
    r"|cat|dog|puppy|hamster|vet|physics|chemistry|quantum|photosynthesis|theorem|derivative"
    r"|prime numbers?|grammar|synonyms?|password|excel|spreadsheet|server|database|linux"
    r"|windows|docker|neural|machine learning|presentation slides|interest rate|inflation"
    r"|birthday party|study plan|study schedule|learn (?:french|spanish|german|guitar|piano"
    r"|english))\b",
    re.IGNORECASE,
)  # fmt: skip
_STRANGE = re.compile(
    r"\b(?:css|html|python|javascript|sql|source code|money back|refund|apology|apologi[sz]e"
    r"|complain\w*|compensation"
    r"|how (?:do|can|to) (?:i |we |you )?(?:fix|install|repair|debug|configure|reset)|gdp"
    r"|president|prime minister|election|parliament"
    r"|stock (?:price|market)|stocks|shares|bitcoin|crypto\w*|inflation|interest rate"
    r"|population|anthem"
    r"|homework|essay|lyrics|economy of|exports?|passport number)\b",
    re.IGNORECASE,
)
_TRIP = re.compile(
    r"\b(?:trips?|holidays?|vacations?|vacay|itinerar(?:y|ies)|getaways?|honeymoon\w*|travel\w*"
    r"|tours?|touring|weekends?|(?:city|short|beach|winter|summer|spring|long) breaks?|a break"
    r"|journeys?|visit\w*|backpacking|escapes?|explor\w+"
    r"|sightsee\w*|road ?trips?|route|excursions?|retreat|staycation|babymoon|adventures?"
    r"|bucket list|roam\w*|wander\w*|hop(?:ping)?|cruise|safari|roadtrip|globetrot\w*"
    r"|destinations?)\b"
    r"|\b(?:go|going|fly|flying|head|get away|take (?:us|me|my|our)|spend"
    r"|stay\w*)\s+(?:\w+\s){0,4}(?:to|in|somewhere|away|on|at)\b|\bsomewhere\b|\bnights\b"
    r"|\bwhere (?:should|can|could|do|to) (?:we |i )?(?:go|travel|stay)",
    re.IGNORECASE,
)  # fmt: skip
_QUESTION = re.compile(
    r"^\W*(?:(?:hi|hello|hey|so|and|ok|please|well|quick question|question)\W+)*(?:what|what's"
    r"|whats|which|who|who's|whose|when|when's|where|where's|why|how|is|are|was|were|do|does"
    r"|did|can|could|should|would|will|has|have|am|isn't|aren't)\b(?!\s*:)", re.I
)  # fmt: skip
_ENQUIRY = re.compile(
    r"\b(?:how (?:many|long|far|much|big|old|high|tall|deep|safe|do i get|can i get|do we get"
    r"|to get|hot|cold|expensive|late|early|often|is|are|was|does|did)|what (?:time|is|are|was"
    r"|were|does|did|do people|currency|language|kind|sort|type|food|dishes)"
    r"|what's(?! a good (?:\d|trip|itinerary|plan))|when (?:is|are|was|does|do|did|should)"
    r"|which is|who|whose|why"
    r"|is (?:it|there|that|this|the)|are there|is \w+ (?:worth|safe|good|better|expensive|far"
    r"|enough)|worth (?:it|visiting|seeing)|enough (?:for|time|to)|do i need|do we need"
    r"|is .{1,25} (?:enough|worth)|should i (?:tip|drink|bring|pack|wear))\b",
    re.IGNORECASE,
)  # fmt: skip
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) (?:you|someone|anyone)\b|\b(?:where|how) (?:should|can|could"
    r"|would|might|do|shall) (?:we|i|you|one|a \w+) (?:best )?(?:go|travel|spend|take|stay|head"
    r"|plan|holiday|see|do|fit|split)"
    r"|\bwhat (?:can|should|could|would|to|shall) (?:we|i|you|one)? ?(?:do|see|visit"
    r"|plan)\b.*(?:\b\d+|\bone|\btwo|\bthree|\bfour|\bfive|\bsix|\bseven|\bten|\bweek|\bweekend"
    r"|\bfew) ?-?(?:full )?(?:days?|nights?|weeks?|weekend|$)?"
    r"|\b(?:any|some|got) (?:ideas?|suggestions?|recommendations?|tips) for (?:a|our|my|the|\d)"
    r"|\bhow about (?:a|an|\d|some)|\bwhat about (?:a|an|\d)|\bis (?:it|that|there) (?:a "
    r"|any )?(?:possible|way|chance) (?:to|of)|\bcan (?:we|i) (?:do|see|visit|fit|have|get|go"
    r"|spend|travel|combine|make|squeeze)\b"
    r"|\bwhat(?:'s| is| would be| could be) (?:a|the) (?:good |best |nice |great |perfect "
    r"|ideal |romantic |relaxed )*(?:(?:\w+)[ -](?:day|week|night)s? )?(?:itinerary|route|trip"
    r"|plan|way to (?:spend|see))|\bwhich (?:cities|places|route|towns) (?:should|could|can"
    r"|would) (?:we|i)\b|\bdo you have (?:a|any) (?:trip|plan|itinerary|idea)|\bis (?:this|that"
    r"|it|the following|my plan) (?:doable|possible|feasible|realistic|ok|manageable)"
    r"|\b(?:would|does|will|could) (?:this|that|it) work|\bmay (?:we|i)\b|\bwould love\b"
    r"|\bwould like\b|\bwant\b",
    re.IGNORECASE,
)  # fmt: skip
_TELLING = re.compile(
    rf"{POLITE}(?:tell (?:me|us) (?:the|about|more|something|how|what|why|if|whether)|describe"
    rf"|explain|compare|list|show me (?:a list|all|photos|pictures|the (?:best )?(?:hotels"
    rf"|restaurants|museums))|give (?:me|us) (?:the )?(?:phone number|number|address|e-?mail"
    rf"|contact|website"
    rf"|opening hours|weather|prices?)\b|who|define|history of|weather in|name)\b", re.I
)  # fmt: skip
_BOOKING = re.compile(
    r"\b(?:book|reserve|cancel|refund)\s+(?:me |us |my |our )?(?:an? |the |this )?(?:\w+ )?"
    r"(?:rooms?|hotels?|tables?|flights?|tickets?|taxi|booking|seats?|appointments?|dentist"
    r"|court)\b",
    re.IGNORECASE,
)
_LOOKUP = re.compile(
    r"^\W*(?:the )?(?:best|top|cheap(?:est)?|good|nice|list of|opening hours|opening times"
    r"|weather|train|bus|flights?|hotels?|restaurants?|museums?|distance|visa\w*|price|cost"
    r"|ticket)\b[^,.;]*\b(?:in|of|for|from|to|between|at|near)\b[^,.;]*$", re.I
)  # fmt: skip
_FEW = 2
_MANY = 4  # words that nobody here understands, and nothing else but a place
_TRAVELLED = (
    r"(?!(?:\W+\w+){0,1}\W+(?:trips?|holidays?|vacations?|tours?|journeys?|weekends?|anniversar\w+"
    r"|itinerar\w+|getaway|break)\b)"
)
_PLANNED = re.compile(
    rf"{POLITE}(?:plan|organi[sz]e|arrange|prepare|schedule|set up)\s+(?:me |us )?"
    r"(?:an? |the |my |our )?(?:[\w-]+ ){0,3}?(?:weddings?|part(?:y|ies)|conferences?|meetings?"
    r"|trainings?|programmes?"
    r"|programs?|courses?|workshops?|menus?|garden|career|projects?|lessons?|curriculum|strategy"
    rf"|campaigns?|exhibition|funeral|renovation|move|marathon)\b{_TRAVELLED}",
    re.IGNORECASE,
)
_RECALLED = re.compile(
    r"\b(?:i|we) (?:\w+ )?(?:had|went|visited|enjoyed|loved|were|was|stayed|came back|spent)\b",
    re.I,
)
_THANKS = re.compile(
    r"\b(?:thanks|thank you|thx|cheers)\b|\blast (?:year|month|week|summer)\b", re.I
)
_LAST_ASKED = re.compile(
    r"(?:^|[.,;!?]\s+)(?:who|whom|whose|why|when|what (?:is|are|does|do)"
    r"|how (?:do|does|much|many))\b[^.!?]*\?\s*$",
    re.IGNORECASE,
)


_ENDS = re.compile(r"[.!?]+\s+")
_SPAN = re.compile(
    r"\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen"
    r"|long) ?-?(?:full )?"
    r"(?:days?|nights?|weeks?|weekend|fortnight)\b(?! (?:ago|old|enough|since|after))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What was understood of a text that speaks for a trip."""

    places: bool
    unknown: bool
    length: bool
    others: int

    @property
    def count(self) -> int:
        """How many of the things that one wishes for are there."""
        return self.others + self.length


def off_topic(sentence: Sentence, signals: Signals) -> str:
    """Why a text is no wish for a trip; empty where it is one."""
    text = sentence.text.strip()
    if not surface(text):
        return EMPTY
    trip = _TRIP.search(text) is not None
    if _is_foreign(text, signals, trip=trip):
        return OTHER
    if _goes_on(sentence) and not text.endswith("?"):
        return ""
    if _is_question(text, signals, trip=trip) or _is_lookup(text, signals, trip=trip):
        return ASK if signals.places or signals.unknown or trip or signals.others else OTHER
    return "" if _is_wish(sentence, signals, trip=trip) else OTHER


def _is_wish(sentence: Sentence, signals: Signals, *, trip: bool) -> bool:
    """Whether enough is understood for a trip: a place, a word of travelling, or several wishes."""
    if signals.places and not trip and not signals.count:
        return _left(sentence) < _MANY
    if signals.places or trip or (signals.unknown and signals.count):
        return True
    few = max(_FEW, signals.count - 1)
    return bool(signals.count) and _left(sentence) <= few


def _is_foreign(text: str, signals: Signals, *, trip: bool) -> bool:
    """Whether it is a task, or about something else than travelling."""
    put = unframed(text) if signals.places and signals.length else text
    if is_task(put, length=signals.length) or (_PLANNED.search(text) and not signals.places):
        return True
    if is_small_talk(text) and not signals.places:
        return True
    recalled = _RECALLED.search(text) and _THANKS.search(text) and not _REQUEST.search(text)
    if recalled and not signals.length:
        return True
    known = signals.places or (trip and signals.count)
    if not signals.length and (_STRANGE.search(text) or _BOOKING.search(text)):
        return True
    return _FOREIGN.search(text) is not None and not known


def _goes_on(sentence: Sentence) -> bool:
    """Whether a wish with a place and a length stands behind a question: "Who needs the Alps?"."""
    begins = 0
    for end in [one.end() for one in _ENDS.finditer(sentence.text)] + [len(sentence.text)]:
        part = sentence.text[begins:end]
        named = any(begins <= one.start < end for one in sentence.mentions)
        if begins and named and not part.rstrip().endswith("?") and _SPAN.search(part):
            return True
        begins = end
    return False


def _is_question(text: str, signals: Signals, *, trip: bool) -> bool:
    if not (_QUESTION.search(text) or text.endswith("?")):
        return False
    if _LAST_ASKED.search(text) and not signals.places and not _REQUEST.search(text):
        return True
    asked = _REQUEST.search(text)
    enquiry = _ENQUIRY.search(text)
    if asked and (signals.length or trip or signals.others > 1):
        return bool(enquiry and enquiry.start() < asked.start() and _QUESTION.search(text))
    if enquiry or not signals.length:
        return bool(_QUESTION.search(text)) or not (signals.length or trip)
    return False


def _is_lookup(text: str, signals: Signals, *, trip: bool) -> bool:
    """Whether it asks to be told something, without a question mark."""
    if signals.length:
        return False
    if _TELLING.search(text):
        return True
    return _LOOKUP.search(text) is not None and not trip and signals.others <= 2


def _left(sentence: Sentence) -> int:
    """How many words that are no ordinary ones were not understood."""
    words = re.findall(r"[^\W\d_]{3,}", sentence.rest)
    return sum(not is_ordinary(surface(one)) for one in words)
