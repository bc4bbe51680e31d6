"""What is each place of a wish in it for: to go to, to begin or end in, to be left out?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from consilience.packs.travel.atlas import CITY, Atlas
from consilience.packs.travel.trips.reading.sentence import PLACE, Mention, Sentence, either

_THE = r"(?:the |beautiful |old |lovely |city of |town of |island of |region of )*"
_AND = (
    r"\s*(?:,\s*(?:and|or|then)?|and(?: then)?|or|nor|&|\+|/|then|followed by|plus|-+>?|→"
    r"|via)\s*(?:on )?(?:to |in )?"
)
_LIST = rf"(?P<list>{_THE}{PLACE}(?:{_AND}{_THE}{PLACE})*)"
_CLOSED = (
    rf"(?P<list>{_THE}{PLACE}(?:(?:\s*,\s*{_THE}{PLACE})*\s*,?\s*(?:or|and|nor"
    rf"|&)\s*{_THE}{PLACE})?)"
)
_ONE = rf"(?P<list>{_THE}{PLACE})"
_GOING = (
    r"(?:\s+(?:to|go|going|visit|visiting|see|seeing|want|need|in|stop|stopping|at|include"
    r"|including|interested|keen|on|any|stay|staying|for|spend|time|bother|with|back|into|of"
    r"|anything|anywhere|around|near|again|really|like|travel|travelling|through|please|ever"
    r"|set|setting|foot|step|stepping|enter|entering|be|being|come|coming|close|circumstances"
    r"|will|would|may|shall|pass|passing|touch|touching|sleep|sleeping|account|night|nights|single|day|a))*"
)  # fmt: skip
_NOT = either(r"""
skip|skipping|avoid|avoiding|without|except|except for|excluding|exclude|not|no|never|nothing
don't|do not|doesn't|won't|hate|dislike|leave out|leaving out|apart from|other than|anything but
anywhere but|everywhere but|tired of|sick of|steer clear of|stay away from|away from|rule out
minus|ignore
(?:have |has |we've |i've |having )?(?:already |previously )(?:been(?: to)?|seen|visited|done
|know|knew|did|went to)|(?:have|has|we've|i've) (?:been to|seen|visited|done)|been to
can't stand|omit|drop|refus(?:e|es|ing)|under no|on no|nowhere near|out of the question:?
will not|would not|must not|cannot|can't|keep (?:me|us|them|him|her)? ?(?:out of|away from|clear of)
stay out of|clear of|nobody|none of us|neither of us|no one
""")  # fmt: skip
_FORMS = {
    "over": rf"\bprefer\w*\s+{PLACE}\s+(?:over|to)\s+{_ONE}",
    "swap": rf"\b(?:instead of|rather than|as opposed to)\s+(?:going to |visiting )?{_ONE}",
    "avoid": rf"\b{_NOT}{_GOING}:?\s+{_CLOSED}",
    "out": rf"{_ONE}\s+(?:is|are)\s+(?:out\b|off the list|not (?:for|wanted|of interest|necessary"
    rf"|needed|an option|allowed|permitted)|(?:strictly |absolutely |completely )*(?:off[- ]limits?"
    rf"|forbidden|banned|a no[- ]go|taboo|out of the question|ruled out|excluded|not on))\b",
    "round": rf"\b(?:(?:round[- ]?trip|loop|circuit|circular (?:trip|route|tour)"
    rf"|there and back)\s+(?:from|out of)"
    rf"|(?:start(?:ing)? and (?:end(?:ing)?|finish(?:ing)?)"
    rf"|begin(?:ning)? and end(?:ing)?)(?:\s+(?:in|at|from|is)|\s*:)?"
    rf"|(?:in|into) and out of)\s+{_ONE}",
    "home": rf"\b(?:from|out of)\s+{_ONE}\s*,?\s*(?:(?:by|on|with) (?:an? |the )?[\w ]{{1,14}} )?"
    rf"(?:and back|and return(?:ing)?|both ways|there and back|return)\b(?! (?:to|from|via))",
    "chain": rf"(?:\bfrom\s+)?(?P<list>{_THE}{PLACE}"
    rf"(?:\s*(?:(?:up |down |over |all the way )?to|-+>|→|via|through|-)\s*(?:the )?{PLACE})+)"
    rf"(?P<back>\s+and back\b)?",
    "outing": rf"{_ONE}\s+(?:only )?(?:as|for|is|on) (?:just )?(?:a |an |one )?(?:single )?"
    rf"(?:day[ -]?trips?|excursion|day out|day tour|side[ -]?trip)\b",
    "excursion": rf"\b(?:day[ -]?trips?|excursions?|side[ -]?trips?|days? out|day tours?"
    rf"|half-day trips?|detours?)\s+(?:out )?(?:to|in|at|around)\s+{_LIST}",
    "out of": rf"(?:,|\band|\bthen)\s+(?:back )?out (?:of|from)\s+{_ONE}",
    "end": rf"\b(?:end(?:ing|s)?|finish(?:ing)?|fly(?:ing)? (?:out|home|back)|flights? (?:out|home"
    rf"|back)|return(?:ing)? flight"
    rf"|wind(?:ing)? up|final stop|last stop|conclud\w+|return(?:ing)?|get back|(?:go|come"
    rf"|going|coming) back|back|home)"
    rf"\s+(?:up |out |the trip |our trip |it |with |is |flight )*(?:in|at|of|from|out of|to|is"
    rf"|with)?\s*{_ONE}",
    "start": rf"\b(?:start(?:ing|s)?|commenc(?:e|ing|es)|begin(?:ning|s)?|arriv(?:e|ing|al)"
    rf"|land(?:ing)?|fly(?:ing)? in|fly|flying|flights?|touch(?:ing)? down"
    rf"|set(?:ting)? (?:off|out)"
    rf"|first stop|we're|we are|i'm|i am|currently|live)\s+(?:our trip |the trip |off |out |it "
    rf"|is )*(?:in|at|from|into|in to|to|with)\s+{_ONE}",
    "begin": rf"\b(?:start(?:ing)?|begin(?:ning)?|arrival|land(?:ing)?)\s*:?\s+{_ONE}",
    "leave": rf"\b(?:leav(?:e|es|ing)|depart(?:s|ing|ure)?)\s+(?:(?:[^,.;]{{0,25}}?\s)?(?:from"
    rf"|out of|via) )?{_ONE}",
    "from": rf"(?<!far )(?<! away )(?<!hours )(?<!hour )(?<!km )(?<!minutes )\bfrom\s+{_ONE}",
    "maybe": rf"\b(?:maybe|perhaps|possibly|optionally|or maybe)\s+(?:also |even |in |to |go to "
    rf"|visit |see |a \w+ (?:to|in) )*{_CLOSED}",
    "spare": rf"{_ONE}\s*,?\s*\(?(?:if (?:possible|there(?:'s| is) (?:enough )?time|time allows"
    rf"|we have time|i have time)|as an option|\(optional\))",
    "like": rf"\b(?:like|similar to|reminiscent of|compared to|compared with)\s+(?:in "
    rf"|the )?{_ONE}",
}  # fmt: skip
_ROLES = {
    "over": "maybe",
    "swap": "avoid",
    "out": "avoid",
    "spare": "maybe",
    "from": "start",
    "out of": "end",
    "begin": "start",
    "outing": "excursion",
    "home": "round",
}
_KEPT = re.compile(
    r"\b(?:miss|forget|only|just|mind|far|sure|matter|problem|idea)\b"
    r"|(?:\bno|\bnot|\bnever|n't)\b.*\b(?:without|skip|leave out|avoid)\b",
    re.IGNORECASE,
)
_NOT_OUT = re.compile(
    r"(?:\b(?:not|never|no way|no chance)|n't)(?: (?:i|we|i'm|we're|that|will|would|going|to|dream"
    r"|of|ever|be|i'd|we'd|could|want))* $",
    re.IGNORECASE,
)
"""Before "skip": what makes it the opposite."""
_LIKED = re.compile(
    r"(?:would|'d|i|we|they|really|also|both|and|to) like\s*$|(?:would|'d|i|we|they|really"
    r"|also)\s+$",
    re.I,
)
_OR = re.compile(
    rf"(?:{PLACE}\s+or|\b(?:decide|choose|choosing|torn) between (?:the )?{PLACE} and)\s+(?:the )?"
    rf"(?P<other>{PLACE})",
    re.IGNORECASE,
)
_COMPASS = re.compile(
    r"\b(?:in|to|of|around|through|across|explore|exploring|visit|tour"
    r"|touring) the (?:far )?(?P<side>north|south|east|west|cent(?:re|er)|middle(?= of)|north-?east"
    r"|north-?west|south-?east|south-?west|highlands?|coast|islands)\b"
    r"|\b(?P<adjective>northern|southern|eastern|western|central) (?:part|half|region|coast"
    r"|area|provinces?)\b"
    r"|(?<=, )(?P<bare>north|south|east|west)(?=\s*(?:[,.;]|$))"
    r"|\b(?P<only>north|south|east|west|centre) only\b"
    r"|\b(?:trip|go|going|head|heading|travel|travelling|up|down|holiday)"
    r" (?P<way>north|south|east|west)\b(?! (?:of|to)\b)",
    re.IGNORECASE,
)  # fmt: skip


_SWEEP = re.compile(
    r"\b(?:the )?(?P<first>north|south|east|west) (?:(?:all the way|down|up|right) )?"
    r"to (?:the )?(?P<last>north|south|east|west)\b(?! of)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Placed:
    """Places by what they are for, by id; `cities` and `must` in the order of the text."""

    start: str = ""
    end: str = ""
    regions: list[str] = field(default_factory=list)
    cities: list[str] = field(default_factory=list)
    must: list[str] = field(default_factory=list)
    avoid: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def read_places(sentence: Sentence, atlas: Atlas) -> Placed:
    """What every place in a sentence is for."""
    roles: dict[int, str] = {}
    for role, mention in _roles(sentence):
        roles.setdefault(mention.start, role)
    _alternatives(sentence, atlas, roles)
    _based(sentence, roles)
    placed = Placed()
    for match in [one for form in ("swap", "avoid", "out") for one in sentence.find(_FORMS[form])]:
        if any(roles.get(one.start) == "avoid" for one in sentence.places(match["list"])):
            sentence.use(*match.span())
    for mention in sentence.mentions:
        _put(placed, sentence, atlas, mention, roles.get(mention.start, "visit"))
    if not _swept(placed, sentence, atlas) and not placed.regions:
        _by_compass(placed, sentence, atlas)
    _settle(placed)
    return placed


def _based(sentence: Sentence, roles: dict[int, str]) -> None:
    """With one base and day trips from it, every other city is one of these."""
    base = next(
        sentence.find(rf"\b(?:base|based|stay(?:ing)?|hotel)\b[^,.;]{{0,12}}\s{_ONE}"), None
    )
    if base is None or not sentence.has(r"\b(?:day[ -]?trips|excursions)\b"):
        return
    stays = {one.place for one in sentence.places(base["list"])}
    for one in sentence.mentions:
        if one.place not in stays:
            roles.setdefault(one.start, "excursion")


def _swept(placed: Placed, sentence: Sentence, atlas: Atlas) -> bool:
    """Whether a trip goes "from north to south": between the main cities of the two ends."""
    match = _SWEEP.search(sentence.text)
    if match is None or placed.start or placed.end or placed.cities:
        return False
    ends = [_outermost(atlas, match[side].casefold(), placed.avoid) for side in ("first", "last")]
    if not all(ends) or ends[0] == ends[1]:
        return False
    placed.start, placed.end = ends
    placed.regions = []
    names = " to ".join(atlas.name_of(one) for one in ends)
    sentence.assumed.append(f"'{match[0].strip()}' is taken as from {names}")
    return True


def _outermost(atlas: Atlas, side: str, avoided: Iterable[str]) -> str:
    """The city with most to see of the third of all cities that lies furthest to a side."""
    along = 1 if side in ("north", "east") else -1
    known = [one for one in atlas.cities() if one.point and one.id not in set(avoided)]
    known.sort(
        key=lambda one: (
            -along * (one.point.lat if side in ("north", "south") else one.point.lon)
            if one.point
            else 0.0
        )
    )
    outer = known[: max(1, len(known) // 3)]
    return max(outer, key=lambda one: (len(atlas.within(one.id)), one.id)).id if outer else ""


def _roles(sentence: Sentence) -> Iterator[tuple[str, Mention]]:
    """Each role that words around a place give it; the first one counts."""
    opened = False
    for form, pattern in _FORMS.items():
        for match in sentence.find(pattern):
            mentions = sentence.places(match["list"])
            before = sentence.rest[: match.start()]
            if form == "avoid" and (_KEPT.search(match[0]) or _NOT_OUT.search(before)):
                continue
            if form == "like" and _LIKED.search(before):
                continue
            if form == "chain":
                yield from _chained(match, mentions)
                continue
            if form == "from" and re.search(r"(?:day[ -]?trips?|excursions?|tours?) $", before):
                continue
            role = _ROLES.get(form, form)
            opened = opened or role == "start"
            if form == "leave":
                role = "end" if opened else "start"
            if form == "start" and re.search(r"^fl\w+\s+to\b", match[0], re.I):
                role = "visit"
            yield from ((role, one) for one in mentions)


def _chained(match: re.Match[str], mentions: list[Mention]) -> Iterator[tuple[str, Mention]]:
    """What "from A to B" says: it begins in A and ends in B; "A - B - C" goes to all in turn."""
    opened = match[0].casefold().startswith("from")
    only_two = len(mentions) == 2 and re.search(r"\sto\s", match[0], re.IGNORECASE)
    if match["back"]:
        yield "round", mentions[0]
    elif len(mentions) > 2 and mentions[0].place == mentions[-1].place:
        yield "round", mentions[0]
        yield "round", mentions[-1]
    elif opened or only_two:
        yield "start", mentions[0]
        yield "end", mentions[-1]


def _alternatives(sentence: Sentence, atlas: Atlas, roles: dict[int, str]) -> None:
    for match in sentence.find(_OR):
        other = sentence.places(match["other"])[0]
        if other.start not in roles:
            roles[other.start] = "maybe"


def _put(placed: Placed, sentence: Sentence, atlas: Atlas, mention: Mention, role: str) -> None:
    place = atlas.places[mention.place]
    city = atlas.city_of(place.id)
    if role == "avoid":
        placed.avoid += [place.id, *_within(atlas, place.id)]
        placed.said.append(mention.said)
    elif place.kind == "country":
        if sum(one.kind == "country" for one in atlas.places.values()) > 1:
            placed.regions.append(place.id)
    elif place.kind == "region":
        placed.regions.append(place.id)
    elif role in ("maybe", "like"):
        sentence.assumed.append(f"{place.name} is no must: it is said as one that may be")
    elif role in ("start", "end", "round") and city:
        placed.start = placed.start or (city if role != "end" else "")
        if role == "end" and placed.end not in ("", city, placed.start):
            placed.cities.append(placed.end)
            placed.must.append(placed.end)
        placed.end = placed.end if role == "start" else city
    elif place.kind == CITY or (place.kind == "airport" and city):
        placed.must.append(city)
        if role != "excursion":
            placed.cities.append(city)
    else:
        placed.must.append(place.id)


def _within(atlas: Atlas, region: str) -> Iterable[str]:
    """The cities of a region that is to be left out."""
    if atlas.places[region].kind != "region":
        return ()
    return [one.id for one in atlas.cities() if one.region == region]


def _by_compass(placed: Placed, sentence: Sentence, atlas: Atlas) -> None:
    """A side of the compass ("in the north") where a region has that in its name."""
    regions = [one for _, one in sorted(atlas.places.items()) if one.kind == "region"]
    for match in sentence.find(_COMPASS):
        side = (
            (match["side"] or match["adjective"] or match["only"] or match["way"] or match["bare"])
            .casefold()
            .removesuffix("ern")
        )
        stem = {"centre": "cent", "center": "cent", "central": "cent", "middle": "cent"}.get(
            side, side[:9]
        )
        fitting = [
            one
            for one in regions
            if re.search(rf"\b{stem}", " ".join((one.name, *one.names)), re.I)
        ]
        if fitting:
            placed.regions.append(fitting[0].id)
        elif side not in ("coast", "islands", "middle"):
            sentence.unclear.append(match[0])


def _settle(placed: Placed) -> None:
    """Each place once, and none to go to that is only begun or ended in."""
    avoided = list(dict.fromkeys(placed.avoid))
    placed.avoid = avoided
    placed.cities = list(dict.fromkeys(placed.cities))
    placed.must = list(dict.fromkeys(placed.must))
    placed.regions = list(dict.fromkeys(placed.regions))
