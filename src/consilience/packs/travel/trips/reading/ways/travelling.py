"""Which ways of travelling does a text rule out? By families: a speedboat is a boat.

Bus, car, van and motorbike are ways by road. A way is barred as well where what is told of it says
that it changes to one that is ruled out: a bus that "takes the ferry" is none for who bears no sea.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from consilience.packs.travel.tellings import Connection
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence, either

_FAMILIES = {
    "flight": r"flights?|fly|flies|flying|planes?|aeroplanes?|airplanes?|aircrafts?|air travel"
    r"|by air|in the air|(?:anything |whatever )?that flies|airlines?|jets?|air",
    "bus": r"bus(?:es)?|coach(?:es)?|minibus(?:es)?|sleeper bus(?:es)?|busses",
    "train": r"trains?|rails?|railways?|sleeper trains?",
    "boat": r"boats?|ferr(?:y|ies)|ships?|speedboats?|cruises?|hydrofoils?|catamarans?"
    r"|sail(?:s|ing)?|by sea|(?:anything |whatever )?that floats|on (?:the )?(?:water|sea)"
    r"|sea crossings?|vessels?|by water",
    "motorbike": r"motorbikes?|motorcycles?|scooters?|mopeds?|motos?",
    "car": r"cars?|driving|drives?|taxis?|cabs?|road trips?|hire cars?|rental cars?",
    "van": r"vans?|limousine vans?|shuttles?|minivans?",
    "bicycle": r"bicycles?|bikes?|cycling",
}
ROAD = frozenset({"bus", "car", "van", "motorbike"})
"""The families that go by road."""
_WIDER = {
    r"roads?(?= (?:transfers?|transport|travel|legs?|vehicles?|journeys?))|by road|on the road"
    r"|road transport|tarmac|asphalt": ROAD,
    r"motor(?:ised|ized)? (?:vehicles?|transport)|engines?": frozenset(_FAMILIES) - {"bicycle"},
    r"bikes?": frozenset({"bicycle", "motorbike"}),
    r"wheels?": frozenset(_FAMILIES) - {"boat", "flight"},
}
"""Words for several families at once."""
_ANY = "|".join((*_FAMILIES.values(), *_WIDER))
_NOT = either(r"""
no|not|n't|neither|without|avoid|avoiding|hate|hates|dislikes?|never|nobody|no one|none of us
neither of us|(?:scared|afraid|frightened|terrified|fear|phobia|petrified) of|can't stand
cannot stand|won't
refus(?:e|es|ed|ing)(?: to)?|rather than|instead of|sick (?:on|in|of)|skip|nor|not a fan of
nothing by|nothing with|nervous about|rule out|ruling out|ruled out|cannot|zero
except(?: for)?|excluding|don't like|do not like|rather not|ill on|under no circumstances
on no account|steer clear of|stay off|keep off|keep (?:me|us|her|him|them) off|allergic to
will not|would not|must not|may not|shall not|not one|not a single|not an?|forbids?|forbade
forbidden(?: from)?|bans?|banned(?: from)?|prohibits?|barred from|not allowed(?: to| on)?|vetoes
""")  # fmt: skip
_FILLER = either("""
any|long|longer|short|domestic|internal|overnight|night|sleeper|local|public|more|to|take|takes
taking|taken|travel|travels|travelling|traveling|go|goes|going|by|on|in|the|a|an|want|wants|like
ride|rides|riding|use|uses|using|be|endless|big|small|too many|many|please|fancy|all|getting|get
gets|board|boards|boarding|set|sets|setting|foot|step|steps|stepping|sit|sits|sitting|ever|single
one|kind of|sort of|type of|into|onto|aboard|inside|near|with|enter|entering|involving|involve|of
we|i|she|he|they|us|will|would|another|touch|touching|anything|something|do|does
may|must|can|shall|should|me|him|her|them|from|metre|meter|mile|inch|kilometre|kilometer|step
minute|second|leg|stretch
""")  # fmt: skip
_RIDE = r"(?:\s+(?:rides?|trips?|journeys?|travel|transfers?|hours|legs?|transport))?"
_MORE = r"(?:(?:any|a|an|on|by|long|domestic|night|overnight|no|not|public|even)\s+)*"
_LISTED = (
    rf"(?P<modes>(?:{_ANY})\b{_RIDE}"
    rf"(?:(?:\s*,\s*{_MORE}(?:{_ANY})\b{_RIDE})*\s*,?\s*(?:or|and|nor|&|/)\s*{_MORE}(?:{_ANY})\b"
    rf"|(?:\s*,\s*{_MORE}(?:{_ANY})\b{_RIDE}){{2,}}(?!\s+(?:where|when|if|only|please|are|is|and))"
    rf")?)"
)
"""Modes in a row: closed by "or", or three at least between commas."""
_RULED = re.compile(
    rf"(?:\b|(?<=\w)(?=n't)){_NOT}(?:\s+{_FILLER}){{0,7}}:?\s+{_LISTED}", re.IGNORECASE
)
_OFF = re.compile(
    rf"\b{_LISTED}\s+(?:(?:is|are)\s+)?(?:off[- ]limits?|(?:strictly |absolutely )?(?:forbidden"
    rf"|banned|verboten|out of the question|a no[- ]go|prohibited|excluded|ruled out)"
    rf"|not (?:an option|allowed|permitted|possible|acceptable))\b"
    rf"(?:,?\s+(?:and )?(?:so|neither|nor) (?:is|are)\s+(?P<too>(?:{_ANY})\b))?",
    re.IGNORECASE,
)
_SICK = re.compile(r"\b(?:sea[- ]?sick\w*|sick (?:at sea|on boats?))\b", re.IGNORECASE)
_FEAR = re.compile(
    r"\b(?:aerophobi\w*|fear of flying|overland(?: only)?|by land only|flight-free"
    r"|keep (?:both |our |my |all )?feet on the ground|(?:never|not) leav(?:e|ing) the ground)\b",
    re.IGNORECASE,
)
_ALONE = r"(?:exclusively|entirely|solely|strictly|purely|only|nothing but|all|just)"
_SOME = rf"(?P<{{name}}>(?:{_ANY})\b(?:\s*(?:,|and|or|&)\s*(?:by )?(?:{_ANY})\b)*)"
_WHOLE = r"(?:all the way|the (?:whole|entire) (?:way|trip|time|journey|route)|throughout)"
_ONLY = re.compile(
    rf"\bonly (?:ever )?(?:by|use|uses|take|takes|want|(?:travel|go|move|ride)(?:s|l?ing|es)?"
    rf"(?: (?:between|from|around) [\w ]{{1,18}}?)? (?:by|on|in)) (?:(?:the|a|scheduled|passenger"
    rf"|regular|public|ordinary|normal|local|proper|real) )*{_SOME.format(name='first')}"
    rf"|\b{_SOME.format(name='last')}s? only\b(?! (?:with|if|when|for(?! (?:the (?:whole|entire)"
    rf"|all|every|our))|as|where|on|at|in|once"
    rf"|after|to|because))"
    rf"|\bby {_SOME.format(name='by')} (?:only|alone|{_WHOLE}|and (?:by )?nothing else)\b"
    rf"|\b{_ALONE} (?:by|on|with|using) (?:the )?{_SOME.format(name='alone')}"
    rf"|\b(?:every|each|any)(?: single)? (?:leg|transfer|journey|move|stage|hop|way|trip)"
    rf"(?: [\w ]{{0,16}}?)?,? (?:by|on|in|is by|has to be by|must be by|must be a) (?:the )?"
    rf"{_SOME.format(name='each')}"
    rf"|\bonly (?:the )?{_SOME.format(name='kept')} (?:travel\b|transport\b|(?:(?:she|he|they|we"
    rf"|i) (?:will )?)?"
    rf"(?:accepts?|is accepted|(?:is |are )?(?:allowed|acceptable|permitted)|tolerates?|will do)\b)"
    rf"|\b(?:nothing|no (?:other )?(?:transport|means|way)) (?:but|except|other than|besides)"
    rf" (?:the )?{_SOME.format(name='but')}"
    rf"|\b{_WHOLE} by {_SOME.format(name='whole')}"
    rf"|\ball (?:the |our )?(?:travel|transport|transfers|journeys|legs|ways|moves)(?: (?:is|are"
    rf"|must be|has to be|have to be|should be))? (?:by|on) {_SOME.format(name='travel')}",
    re.IGNORECASE,
)
_TO_ONE = re.compile(
    rf"^\s*,?\s*(?:if|where|when|as far as|unless|for (?:the )?(?:long|short|last|first|one))\b"
    rf"|^[^.;!?,]{{0,16}}?\b(?:from|to|into|until|up to|between)\s+{PLACE}",
    re.I,
)
OVERNIGHT = "overnight"
"""Before a mode: only those of it that take a night."""
_NIGHTLY = re.compile(r"\b(?:overnight|night|sleeper)\b", re.IGNORECASE)
_LONG = re.compile(r"\b(?:long|overnight|night|sleeper)\b", re.IGNORECASE)
_OFFERED = re.compile(
    r"^\s*(?:crowds|licen[cs]e|parks?|tours?|sickness|museum|spotting|dealers?|conditioning|con\b"
    r"|stations?|tickets?|bookings?|needed to|lag\b|before\b|after\b|until\b|home\b|queues?|noise"
    r"|(?:bigger|larger|smaller|longer|older|earlier|later) than|for more than|over \d|can\b"
    r"|that\b|which\b|ourselves|myself|in the (?:early )?(?:morning|evening))",
    re.IGNORECASE,
)
_VEHICLES = {
    "boat": r"ferry|speed ?boat|boat|ship|hydrofoil|catamaran|sea crossing",
    "bus": r"bus|minibus|coach|shuttle bus",
    "van": r"van|minivan",
    "train": r"train|rail",
    "flight": r"flight|plane",
    "motorbike": r"motorbike|motorcycle taxi|scooter",
}
"""What a way may change to, as it is told of one."""
_LINK = (
    r"(?:\bthen|\bonto|\bchang\w+ (?:to|for)|\band|\bplus|\bwith|(?<!or )\bby|\bfor|,|:|^)\s+"
    r"(?:(?:takes?|an?|the|short|slow|slower|fast|one|another|public|local|island|car|\d+"
    r"|(?-i:[A-Z]\w+))"
    r"\s+){0,4}"
)
_BEHIND = r"(?!s?\s+(?:stations?|stops?|queues?|parks?|museums?|line))"
_CHANGES = {
    family: re.compile(
        rf"(?:{_LINK}|^)(?:{words})\b{_BEHIND}"
        rf"|\b(?:{words})\s+(?:included|together|first|crossing|ride|runs)\b",
        re.IGNORECASE,
    )
    for family, words in _VEHICLES.items()
}
_DRIVEN = frozenset({"bus", "car"})
"""Who rules these out rules out the transfer by road as well."""
_BY_ROAD = re.compile(rf"(?:{_LINK}|^)(?:taxi|transfer|car|jeep)\b(?! for)", re.IGNORECASE)
_AT_SEA = re.compile(r"\bhours? (?:at|by|across the) sea\b|\bby sea\b", re.IGNORECASE)


def family_of(mode: str) -> str:
    """The family that a way of travelling belongs to; itself where none is known."""
    for family, words in _FAMILIES.items():
        if re.search(rf"\b(?:{words})\b", mode, re.IGNORECASE):
            return family
    return mode


def families_in(text: str) -> frozenset[str]:
    """The families of modes that a text speaks of."""
    return frozenset(family for family, _ in _families(text))


@lru_cache(maxsize=8192)
def is_barred(way: Connection, avoided: frozenset[str]) -> bool:
    """Whether a way is ruled out: by its mode, as one of the night, or by what it changes to."""
    if not avoided:
        return False
    if way.mode in avoided or (way.overnight and f"{OVERNIGHT} {way.mode}" in avoided):
        return True
    own = family_of(way.mode)
    told = [one for one in (*re.split(r"(?<=[.;])\s", way.note), way.departures) if one]
    others = [one for one in _CHANGES if one in avoided and one != own]
    if any(_CHANGES[one].search(part) for one in others for part in told):
        return True
    if "boat" in others and any(map(_AT_SEA.search, told)):
        return True
    return avoided >= _DRIVEN and own not in ROAD and any(map(_BY_ROAD.search, told))


def read_modes(sentence: Sentence, known: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The modes that are ruled out, as the atlas calls them and by family; and in which words."""
    modes = sorted(set(known))
    families: dict[str, str] = {}
    for family, said in _ruled(sentence):
        families.setdefault(family, said)
    kept = _only(sentence)
    if kept:
        said = f"all but {' and '.join(sorted(kept))}"
        others = {*map(family_of, modes)} - kept
        families |= dict.fromkeys(sorted(others), said)
    found = {one for one in modes if family_of(one) in families} | set(families)
    found |= {f"{OVERNIGHT} {one}" for one in modes if f"{OVERNIGHT} {family_of(one)}" in families}
    return frozenset(found), tuple(dict.fromkeys(families.values()))


def _ruled(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for match in [*sentence.find(_RULED), *sentence.find(_OFF)]:
        if _OFFERED.match(sentence.rest[match.end() :]) or _is_kept(sentence.rest, match.start()):
            continue
        said = match[0].strip()
        nightly = _NIGHTLY.search(said)
        night = f"{OVERNIGHT} " if nightly else ""
        too = match.groupdict().get("too") or ""
        for family, word in _families(f"{match['modes']} {too}"):
            yield night + family, night + word
        if _LONG.search(said) and not nightly:
            sentence.assumed.append(f"'{said}' is taken as none of them at all")
    for form, family in ((_SICK, "boat"), (_FEAR, "flight")):
        if sentence.has(form):
            yield family, f"{family}s"


def _families(words: str) -> Iterator[tuple[str, str]]:
    """The families that words name, and how; a wider word names all that it holds."""
    for word in re.finditer(rf"\b(?:{_ANY})\b", words, re.IGNORECASE):
        wider = [
            held
            for form, held in _WIDER.items()
            if re.compile(form, re.IGNORECASE).match(words, word.start())
        ]
        for family in sorted(wider[0]) if wider else (family_of(word[0]),):
            yield family, word[0]


def _is_kept(text: str, start: int) -> bool:
    """Whether the word before turns it round: "don't mind flights", "why not"."""
    return (
        re.match(r"(?:n't|not) (?:mind|only|just|include|including|counting)", text[start:], re.I)
        is not None
    )


def _only(sentence: Sentence) -> frozenset[str]:
    """The families that alone are left; none where any may be used, or one way alone is meant."""
    for match in sentence.find(_ONLY):
        if _TO_ONE.match(sentence.rest[match.end() :]):
            continue
        said = next(one for one in match.groups() if one)
        return frozenset(family for family, _ in _families(said))
    return frozenset()
