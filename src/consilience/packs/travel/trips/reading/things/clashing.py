"""Does a text ask for a thing and rule it out, or rule out what it cannot be without?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.sentence import compiled, either
from consilience.understand.names import singular_or_plural, surface

_NEEDS = {  # what is asked for: what it cannot be without
    r"div(?:e|es|ing)|snorkel\w*|surf\w*|kayak\w*|raft\w*|water[- ]?sports?|canyoning":
        r"wet|(?:the )?water|(?:the )?sea|(?:the )?ocean|swim(?:ming)?",
    r"swim(?:s|ming)?": r"wet|(?:the )?water",
    r"beach(?:es)?|seaside|island(?: hopping)?": r"sand(?: or sea)?|beach(?:es)?"
    r"|(?:the )?sea|water",
    r"trek\w*|hik(?:e|es|ing)|walking (?:tours?|holiday|trip)":
        r"walk(?:ing)?(?: (?:a (?:single )?(?:step|metre|meter)|anywhere))?|hik(?:e|ing)"
        r"|(?:being )?on foot|leave the car",
    r"rock climbing|mountaineering|climbing": r"climb(?:ing)?|heights",
    r"museums?|galler(?:y|ies)": r"indoors?|inside|(?:any )?buildings?|museums?",
    r"cruises?|boat (?:trips?|tours?|rides?)|sailing|island hopping": r"boats?|ships?|vessels?"
    r"|(?:the )?water|on board",
    r"street[- ]food|food (?:tours?|trip|walk)|gourmet|culinary|foodie|eating": r"eat(?:ing)?"
    r"(?: (?:anything|a (?:single )?bite|food|a thing))?|food|street food|meals?",
    r"part(?:y|ies|ying)|nightlife|clubbing|bar crawl|night ?clubs?":
        r"people|night(?:s|life)?|staying up|after dark|going out",
    r"clubbing|night ?clubs?": r"clubs?|music|noise", r"bar crawl|pub crawl": r"bars?|pubs?"
    r"|alcohol|drink(?:s|ing)?",
    r"city (?:trip|break|tour|holiday)|cities": r"cit(?:y|ies)",
    r"shopping": r"shops?|buy(?:ing)?(?: anything)?|shopping|spend(?:ing)? (?:a cent"
    r"|money|anything)",
    r"wildlife|safari|animals?|bird(?:s|ing|watching)?": r"animals?|wildlife|nature|birds?",
    r"temples?|pagodas?|monaster(?:y|ies)|pilgrimage": r"religio\w+|spiritual \w+|sacred \w+",
    r"camping": r"tents?|outdoors?|nature|camping|sleep(?:ing)? outside",
    r"seafood": r"seafood", r"caves?|caving": r"caves?|dark(?:ness)?|underground",
    r"motorbike (?:loop|tour|trip)": r"motorbikes?|roads?", r"road[- ]trip": r"roads?",
    r"cycling (?:tour|trip|holiday)|bike (?:tour|trip)": r"bikes?|bicycles?|cycl(?:e|ing)|a bike",
    r"mountains?|hills": r"mountains?|hills?|slopes", r"history|historical": r"history",
    r"nature": r"nature|outdoors?|green|trees|plants",
    r"massages?": r"massages?|(?:be(?:ing)? )?touch(?:ed)?",
    r"hotel(?! rooms?)s?|guest ?house": r"rooms?|beds?", r"concerts?|live music": r"music|sound",
    r"train (?:rides?|trips?|journeys?)|rail (?:trip|holiday)": r"trains?|rails?|railways?",
    r"cooking class(?:es)?|cookery course": r"cook(?:ing)?|kitchens?|touch(?:ing)? food",
    r"wine tastings?": r"wine|alcohol", r"coffee (?:tours?|tastings?|trip)": r"coffee",
    r"restaurants?": r"food|eating", r"forests?|jungle": r"trees", r"pools?": r"water",
    r"sun ?bath\w*": r"sun(?:light|shine)?", r"star ?gazing": r"night(?:s|time)?|dark(?:ness)?",
    r"photo (?:tour|trip|safari)|photography (?:tour|trip)": r"photos?|cameras?|pictures?",
}  # fmt: skip
_DENIALS = {  # what is asked for: what rules it out without a word of negation
    r"div(?:e|es|ing)|snorkel\w*|swim\w*|surf\w*|raft\w*|canyoning":
        r"(?:stay|remain|keep|be|is|are)(?: me| us)? (?:completely|perfectly|totally|entirely"
        r"|bone|100 ?%)"
        r"[ -]dry|not get wet|don't get wet",
    r"street[- ]food|food (?:tours?|trip|walk)|gourmet|culinary|foodie":
        r"fasting|eat(?:ing)? (?:absolutely )?nothing|hunger strike",
    r"part(?:y|ies|ying)|nightlife|clubbing|bar crawl|night ?clubs?":
        r"in bed by (?:six|seven|eight|6|7|8)(?: ?pm)?(?: every| each)|asleep by (?:seven"
        r"|eight|7|8)",
    r"trek\w*|hik(?:e|es|ing)|climb(?:ing)?":
        r"(?:never|not|without|won't|refuse to) (?:once )?(?:leav(?:e|ing)"
        r"|get(?:ting)? out of) (?:the|our|my) (?:car|hotel|bed|room)",
}  # fmt: skip
_GO = (
    r"(?: (?:go|get|be|come|do|eat|see|enter|use|board|take|ride|sit|step|touch(?:es)?|visit"
    r"|sleep|swim"
    r"|drink))?"
)
_RULED = either(rf"""
no|zero|without(?: any| ever| getting| going| being| seeing| setting foot on| using| touching
| a single)*
avoid(?:ing)?(?: all| any)?|nothing|never{_GO}|nowhere near|not(?: a single| one| even one)
(?:terrified|afraid|scared|frightened|phobic) of|hates?|detests?|loathes?
(?:can't|cannot) (?:stand|bear)
allergic to(?: [a-z]+ and)?|not{_GO}|skip(?:ping)?|ban(?:ned)?
(?:keep|stay|stays) (?:away from|out of|off|clear of)
never (?:want to|will|ever|wish to|intend to){_GO}
(?:can't|cannot|won't|will not|would never|will never|refuses? to|don't|do not|don't want to
|do not want to|hate to|must not|may not|am not allowed to|are not allowed to|unwilling to
|am not going to|are not going to|decline to){_GO}(?: set foot (?:on|in))?(?: any)?
""")  # fmt: skip
_ANY = (
    r"(?:\s+(?:any|a|an|all|kind of|sort of|single|the|in|on|into|onto|near|under|inside|on or in"
    r"|in or on|in or near|anywhere near|close to|with|up|aboard))*"
)
_END = (
    r"(?=\s*(?:$|[.,;!?)]|but\b|at all|whatsoever|please|and\b|or\b|either|of any|anywhere"
    r"|ever|under any|in any|for any|no matter|full stop|period\b|on this trip|myself|because|since"
    r"|the whole|during|throughout|\d))"
)
_BARRED = (
    r"(?:forbidden|banned|out of the question|off[- ]limits|taboo|not allowed|prohibited|a no-go)"
)
_OTHERS = re.compile(
    r"\b(?:wife|husband|mother|father|mum|mom|dad|partner|girlfriend|boyfriend|friend|sister"
    r"|brother"
    r"|son|daughter|grandma|grandpa|one of us|some of us|he|she|kids|children)(?:,? who)?\s+$",
    re.IGNORECASE,
)
"""Somebody among others who does without: the rest may have it all the same."""


def clashes_in(text: str) -> Iterator[tuple[str, str]]:
    """What is asked for, and what is ruled out that it cannot be without, each as it is said."""
    for wanted, needed in _NEEDS.items():
        form = rf"\b{_RULED}{_ANY}\s+(?P<what>(?:{needed})){_END}"
        barred = rf"\b(?P<what>{needed}) (?:is|are) (?:strictly |absolutely |completely )?{_BARRED}"
        found = (one for each in (form, barred) for one in compiled(each).finditer(text))
        for ruled in found:
            asked = None if _OTHERS.search(text[: ruled.start()]) else _asked(text, wanted, ruled)
            if asked:
                yield asked, ruled[0]
                return
    for wanted, denied in _DENIALS.items():
        for ruled in compiled(rf"\b(?:{denied})\b").finditer(text):
            if asked := _asked(text, wanted, ruled):
                yield asked, ruled[0]
                return
    yield from _same(text)


def _asked(text: str, wanted: str, ruled: re.Match[str]) -> str | None:
    """What is wanted, as it is said, unless it stands only where it is ruled out."""
    span = range(*ruled.span())
    found = compiled(rf"\b(?:{wanted})\b").finditer(text)
    asked = [one for one in found if not _is_ruled(text, one) and one.start() not in span]
    return asked[0][0] if asked else None


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
        forms = {surface(ruled["what"]), *singular_or_plural(surface(ruled["what"]))}
        before = text[: ruled.start()]
        for word in re.finditer(r"[^\W\d_]{4,}", before):
            if (
                surface(word[0]) in forms
                and not _is_ruled(text, word)
                and not _is_part(before, word)
            ):
                yield word[0], ruled[0]
                return


def _is_part(text: str, word: re.Match[str]) -> bool:
    """Whether a word says more exactly what is meant: "car-free", "crowded places"."""
    return (
        re.match(r"-|\s+(?:free|lovers?|haters?)\b", text[word.end() :], re.IGNORECASE) is not None
    )
