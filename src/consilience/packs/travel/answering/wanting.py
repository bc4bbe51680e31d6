"""What does a question want to know: a price, hours, months, how long, a way, what is near?

Words tell it, with the names of places taken out, so that "Night Market" asks for no night.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.packs.travel.vocabulary import features_in, months_in

_PRICE = re.compile(
    r"\b(?:how much (?!time)|cost\w*|pric\w+|fees?|fares?|expensive|entrance|admission|tickets?|"
    r"what do (?:i|we|you) pay|is .{0,30}\bfree|charge\w*|rates?)\b",
    re.IGNORECASE,
)
_HOURS = re.compile(
    r"\b(?:opening|open|opens|opened|close|closes|closed|closing|what time|until when|shut|"
    r"business hours|hours of)\b",
    re.IGNORECASE,
)
_VISIT = re.compile(
    r"\b(?:how (?:long|much time|many hours)(?! is the (?:train|bus|flight|ride|drive|way))|"
    r"(?:is|are) .{1,40} enough|time (?:to|needed|required)|duration)\b",
    re.IGNORECASE,
)
_DAYS = re.compile(
    r"\b(?:how many (?:days|nights)|how long (?:should|do|would|to)|"
    r"(?:days|nights) (?:in|do|should)|how much time)\b",
    re.IGNORECASE,
)
_MONTHS = re.compile(
    r"\b(?:when (?:is|are|should|to|do|does|can|would|shall|may)|best (?:time|months?|season)|"
    r"(?:which|what) (?:months?|season)|time of (?:the )?year|good time|right time|"
    r"when(?:'s|’s) (?:the )?best)\b",
    re.IGNORECASE,
)
_EATEN = re.compile(
    r"\b(?:what (?:to|can|should|do|does|dishes?|food)\b.{0,25}\b(?:eat|try|serves?|order|taste)|"
    r"(?:local )?(?:dish(?:es)?|special(?:i)?t(?:y|ies))|menu|serves?)\b",
    re.IGNORECASE,
)
_KNOWN = re.compile(r"\b(?:known|famous|renowned|special) (?:for|about)\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere (?:is|are|exactly|does)\b|\blocat\w+|\baddress\b", re.IGNORECASE)
_GOOD = re.compile(r"\b(?:good|worth|nice|ok|okay|like|pleasant|bad|too)\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:(?:need|have|good|important) to know|should (?:i|we) know|tips|advice)\b", re.IGNORECASE
)
_SUBJECTS = {
    "season": re.compile(
        r"\b(?:when|weather|season\w*|climate|rain\w*|monsoon|typhoons?|floods?|temperatures?|"
        r"humid\w*|months?|best time|time of year|hot|cold|dry|wet|sunny|storms?|crowded|warm|"
        r"snow\w*|windy|pack|wear)\b",
        re.IGNORECASE,
    ),
    "safety": re.compile(
        r"\b(?:safe\w*|danger\w*|scams?|theft|steal\w*|pickpocket\w*|crime|risk\w*|careful|"
        r"warn\w*|robbed|hazards?|jellyfish|currents?|mosquito\w*|malaria|watch out|worry)\b",
        re.IGNORECASE,
    ),
    "booking": re.compile(
        r"\b(?:book\w*|reserv\w*|in advance|sold out|sell out|tickets? (?:early|ahead)|permits?|"
        r"beforehand)\b",
        re.IGNORECASE,
    ),
    "getting_around": re.compile(
        r"\b(?:get(?:ting)? (?:around|about)|move around|local transport|taxis?|grab|rent\w*|"
        r"hire|hiring|scooters?|motorbikes?|bicycles?|on foot|walkable|metro|public transport|"
        r"need a car)\b",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is wanted of a place that is named; `subjects` are those of remarks."""

    price: bool = False
    hours: bool = False
    visit: bool = False
    days: bool = False
    months: bool = False
    dishes: bool = False
    where: bool = False
    known: bool = False
    subjects: tuple[str, ...] = ()

    @property
    def facts(self) -> bool:
        """Whether anything is wanted that a place's own passage says."""
        return any((self.price, self.hours, self.visit, self.days, self.months, self.dishes,
                    self.where, self.known))  # fmt: skip


def wanted_in(text: str) -> Wanted:
    """What a text wants; names of places should be taken out of it."""
    return Wanted(
        price=bool(_PRICE.search(text)),
        hours=bool(_HOURS.search(text)),
        visit=bool(_VISIT.search(text)),
        days=bool(_DAYS.search(text)),
        months=_asks_months(text),
        dishes=bool(_EATEN.search(text)),
        where=bool(_WHERE.search(text)),
        known=bool(_KNOWN.search(text)),
        subjects=tuple(subjects_in(text)),
    )


def _asks_months(text: str) -> bool:
    if _HOURS.search(text):
        return False
    return bool(_MONTHS.search(text) or (_GOOD.search(text) and months_in(text)))


def subjects_in(text: str) -> list[str]:
    """What remarks are asked for; who looks for a roof in the rain does not ask for the season,
    who names a month beside something else that is remarked on asks for it, too.
    """
    found = [topic for topic, words in _SUBJECTS.items() if words.search(text)]
    roofed = any(one.feature == "indoor" and not one.negated for one in features_in(text))
    found = [one for one in found if one != "season" or not roofed]
    if _ALL.search(text):
        return list(_SUBJECTS)
    if "season" not in found and months_in(text) and (found or _GOOD.search(text)):
        found.append("season")
    return found
