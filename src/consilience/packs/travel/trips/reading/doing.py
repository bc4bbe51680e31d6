"""Which things to do does a text ask for by name that not every country has?"""

from __future__ import annotations

import re

_STEMS = {
    "skiing": r"ski(?:ing|s|[- ]in|[- ]resorts?| slopes?| holidays?| trips?)?",
    "snowboarding": r"snowboard\w*",
    "ice skating": r"ice[- ]skat\w+",
    "dog sledding": r"dog[- ]sled\w*|husky (?:rides?|tours?|safari)",
    "northern lights": r"northern lights|aurora(?: borealis)?",
    "whale watching": r"whale[- ]watching|see whales",
    "safari": r"safaris?",
    "bungee jumping": r"bungee\w*",
    "skydiving": r"sky ?div\w+",
    "hot air balloon": r"hot[- ]air balloon\w*|balloon (?:rides?|flights?)",
    "paragliding": r"paraglid\w+",
    "surfing": r"surf(?:ing|ers?)?",
    "kitesurfing": r"kite[- ]?surf\w*",
    "diving": r"scuba(?: diving)?|diving",
    "snorkelling": r"snorkel\w*",
    "golf": r"golf\w*",
    "rafting": r"rafting",
    "canyoning": r"canyon(?:ing|eering)",
    "zip lines": r"zip[- ]?lin\w+",
    "camel rides": r"camel (?:rides?|treks?|riding)",
    "horse riding": r"horse[- ](?:riding|back|rides?)",
    "glaciers": r"glaciers?",
    "volcanoes": r"volcano(?:es)?",
    "hot springs": r"hot springs?|onsen",
    "vineyards": r"vineyards?|wineries|winery",
    "kayaking": r"kayak\w*",
    "caving": r"caving|spelunking",
    "rock climbing": r"rock[- ]climbing",
    "opera": r"operas?",
    "casinos": r"casinos?",
    "theme parks": r"theme parks?|amusement parks?",
    "desert": r"deserts?",
}
_NOT = re.compile(
    r"\b(?:no|not|without|avoid|skip|hate|never|n't|nor)\b[^.;!?]{0,25}$", re.IGNORECASE
)


def things_asked(text: str) -> tuple[tuple[str, str], ...]:
    """What a text asks to do, each with the form that its words have."""
    found: list[tuple[str, str]] = []
    for name, stem in _STEMS.items():
        for match in re.finditer(rf"\b(?:{stem})\b", text, re.IGNORECASE):
            if not _NOT.search(text[: match.start()]):
                found.append((name, stem))
                break
    return tuple(found)
