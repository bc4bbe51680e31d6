"""Which things does a text ask for by describing them: "a chocolate factory", "a space museum"?

A noun that stands where the point of a trip does, with the word before it that says which kind.
Only nouns for what a town either has or has not; what every town has (a cafe, a market, a garden,
a walk) is never found so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.ordinary import is_plain
from consilience.packs.travel.trips.reading.sentence import either
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.understand.names import singular_or_plural, surface

_MAKERS = (
    "factory|factories|workshop|workshops|mill|mills|maker|makers|producer|producers|village"
    "|works|farm"
)
_HEADS = {  # a noun, and the nouns that tell of the same
    "factory": _MAKERS, "factories": _MAKERS,
    "museum": "museum|museums|collection|exhibition|house",
    "mine": "mine|mines", "ranch": "ranch|farm|horses", "stadium": "stadium", "arena": "arena",
    "race": "race|races|racing", "rally": "rally", "tournament": "tournament",
    "parade": "parade|procession", "rink": "rink", "laboratory": "laboratory|lab",
    "refinery": "refinery",
    "grove": "grove|groves|orchard|farm|trees", "launch": "launch", "shipyard": "shipyard",
    "reactor": "reactor", "observatory": "observatory", "cathedral": "cathedral|church",
    "academy": "academy|school", "monastery": "monastery|temple|pagoda", "wreck": "wreck|wrecks",
    "sanctuary": "sanctuary|reserve|park|rescue|centre", "colony": "colony|colonies",
    "distillery": "distillery", "airshow": "airshow", "spaceport": "spaceport",
    "match": "match|game|stadium", "derby": "derby|race", "regatta": "regatta|race",
}  # fmt: skip
_ASKS = either("""
sees?|seeing|visit(?:ing|s)?|tour(?:ing)?|watch(?:ing)?|go(?:ing)? to|attend(?:ing)?
stay(?:ing)? (?:in|on|at)
want|wants|love|like|includ(?:e|ing)|experience|try|explore|exploring|enter|must have|need|plus
day (?:at|in|on)|morning (?:at|in)|afternoon (?:at|in)|trip to|visit to|tour of|tickets? (?:to|for)
""")  # fmt: skip
_ASKED = re.compile(
    rf"\b{_ASKS}(?:\s+(?:to|go|see|us|me|also|both|definitely|really)\b){{0,3}}\s+(?:an?|the"
    r"|some|one|its|their|our)\s+(?:real |famous |big |working |old |local )*"
    rf"(?P<kind>(?-i:[a-z])[a-z-]{{2,}})\s+(?P<head>{'|'.join(_HEADS)})\b(?!\s+(?:of|shop"
    r"|street|hotel))",
    re.IGNORECASE,
)
_VAGUE_WORDS = """
    best small large great famous whole same good nice real fun main only last first second third
    huge tiny lovely beautiful interesting unusual quirky weird strange modern contemporary ancient
    excellent decent fascinating public central national provincial regional municipal city town
    state local history folk women ethnology ethnic fine art arts war military police royal open air
    interactive living outdoor indoor kid kids children child-friendly family-friendly little
    underrated favourite favorite other another different single particular specific certain
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A thing as it is said, with the forms of its kind and the nouns that tell of the same."""

    said: str
    kinds: frozenset[str]
    heads: frozenset[str]


def described_in(text: str) -> Iterator[Described]:
    """Things that a text asks for by describing them."""
    for match in _ASKED.finditer(text):
        kind, head = surface(match["kind"]), match["head"].casefold()
        if kind in _VAGUE or is_plain(kind) or is_aside(text, match.start("kind"), match.end()):
            continue
        yield Described(
            said=f"{match['kind']} {match['head']}",
            kinds=frozenset({kind, *singular_or_plural(kind)}),
            heads=frozenset(_HEADS[head].split("|")),
        )
