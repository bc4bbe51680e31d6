"""Does a text ask for a thing and rule it out, or rule out what it cannot be without?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.names import other_number, surface
from consilience.packs.travel.trips.reading.sentence import either

_NEEDS = {  # what is asked for: what it cannot be without
    r"div(?:e|ing)|snorkel\w*|swim\w*|surf\w*|kayak\w*|raft\w*|water[- ]?sports?":
        r"wet|water|the water|sea|the sea|swimming|boats?",
    r"beach(?:es)?|seaside|island(?: hopping)?": r"sand|beaches|the sea|sea|water|the beach",
    r"trek\w*|hik(?:e|es|ing)|climb(?:ing)?|walking (?:tours?|holiday)":
        r"walk(?:ing)?|hiking|steps|being on foot|mountains?|hills?|climbing|effort",
    r"museums?|galler(?:y|ies)": r"indoors?|inside|buildings?|museums?|art",
    r"cruises?|boat (?:trips?|tours?|rides?)|sailing|island hopping": r"boats?|ships?|water"
    r"|the water",
    r"street[- ]food|food (?:tours?|trip)|gourmet|culinary|foodie|eating": r"eat(?:ing)?|food"
    r"|street food|meals?",
    r"part(?:y|ies|ying)|nightlife|clubbing|bar crawl":
        r"music|people|drink(?:s|ing)?|alcohol|bars?|clubs?|noise|night(?:s|life)?|staying up",
    r"city (?:trip|break|tour|holiday)|cities": r"cit(?:y|ies)|towns?|streets",
    r"shopping": r"shops?|markets?|malls?|buying(?: anything)?|shopping",
    r"wildlife|safari|animals?|bird\w*": r"animals?|wildlife|nature|birds?",
    r"temples?|pagodas?|monaster(?:y|ies)|pilgrimage": r"temples?|pagodas?|religio\w+"
    r"|spiritual \w+",
    r"camping": r"tents?|outdoors?|nature|camping",
    r"seafood": r"fish|seafood", r"caves?|caving": r"caves?|dark(?:ness)?|underground",
    r"road[- ]trip|motorbike (?:loop|tour|trip)|cycling (?:tour|trip|holiday)":
        r"driving|roads?|cars?|motorbikes?|bikes?|bicycles?|cycling|riding",
    r"mountains?|hills": r"mountains?|hills?|heights|slopes", r"history|historical": r"history"
    r"|old \w+|ruins",
    r"nature": r"nature|outdoors?|green|trees|plants", r"spa|massage": r"massages?|spas?"
    r"|being touched",
}  # fmt: skip
_RULED = either(r"""
no|without(?: any| getting| going| being| seeing| setting foot on| using| a single)?|avoid(?:ing)?
nothing|never|nowhere near|(?:terrified|afraid|scared|frightened|phobic) of|hates?
allergic to(?: [a-z]+ and)?|not (?:go|get|be)|skip(?:ping)?
(?:can't|cannot|won't|will not|refuse to|don't want to|do not want to|hate to)(?: go| get| be
| set foot (?:on|in)| do| eat| see| enter| use| any)?
""")  # fmt: skip
_ANY = r"(?:\s+(?:any|a|an|all|kind of|sort of|single|the|in|on|into))*"
_END = (
    r"(?=\s*(?:$|[.,;!?)]|but\b|at all|whatsoever|please|and\b|or\b|either|of any|anywhere"
    r"|ever|\d))"
)


def clashes_in(text: str) -> Iterator[tuple[str, str]]:
    """What is asked for, and what is ruled out that it cannot be without, each as it is said."""
    for wanted, needed in _NEEDS.items():
        ruled = re.search(rf"\b{_RULED}{_ANY}\s+(?P<what>(?:{needed})){_END}", text, re.IGNORECASE)
        if ruled is None:
            continue
        span = range(*ruled.span())
        found = re.finditer(rf"\b(?:{wanted})\b", text, re.IGNORECASE)
        asked = [one for one in found if not _is_ruled(text, one) and one.start() not in span]
        if asked:
            yield asked[0][0], ruled["what"]
            return
    yield from _same(text)


def _is_ruled(text: str, one: re.Match[str]) -> bool:
    before = re.search(
        rf"\b(?:{_RULED}|not|n't|less|than|instead of)\b[^.;!?,]{{0,25}}$",
        text[: one.start()],
        re.I,
    )
    return before is not None


def _same(text: str) -> Iterator[tuple[str, str]]:
    """The same word asked for and ruled out: "a jazz tour, but no jazz"."""
    for ruled in re.finditer(
        rf"\b(?:but )?(?:no|without(?: any)?)\s+(?P<what>[a-z]{{4,}}){_END}", text, re.I
    ):
        forms = {surface(ruled["what"]), *other_number(surface(ruled["what"]))}
        before = text[: ruled.start()]
        for word in re.finditer(r"[^\W\d_]{4,}", before):
            if (
                surface(word[0]) in forms
                and not _is_ruled(text, word)
                and not _is_part(before, word)
            ):
                yield word[0], ruled["what"]
                return


def _is_part(text: str, word: re.Match[str]) -> bool:
    """Whether a word says more exactly what is meant: "car-free", "crowded places"."""
    return (
        re.match(r"-|\s+(?:free|lovers?|haters?)\b", text[word.end() :], re.IGNORECASE) is not None
    )
