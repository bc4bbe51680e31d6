"""Does a text want two things that exclude each other, or neither of two of which one has to be?

"Awake and asleep", "silent, with loud music": both cannot be. "Never indoors and never outdoors",
"no walking and no vehicles": one of the two has to be. A trip "without leaving my sofa" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.sentence import PLACE, Mention, Sentence
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

_CONTRARY = {  # two that cannot be at once, in one sentence
    r"awake": r"asleep|sleeping",
    r"(?:completely|totally|utterly|perfectly|absolutely) (?:empty|deserted)":
        r"crowded|packed|bustling|heaving",
    r"(?:total|complete|absolute|perfect|utter) silence|completely silent|not a sound":
        r"loud|noisy|blaring|deafening",
    r"(?:completely|totally|entirely|all) alone": r"with (?:all )?(?:our|my) (?:friends|family)",
    r"pitch[- ](?:dark|black)(?: night)?":
        r"(?:bright|full|blazing) (?:sun(?:shine|light)?|daylight)",
    r"frozen (?:solid )?(?:lake|sea|river)|ice[- ]cold winter":
        r"(?:tropical|boiling|blazing) (?:heat|summer)",
    r"dead of winter": r"height of summer", r"invisible": r"photograph\w*|be seen|photos of us",
    r"sitting still|motionless|without moving": r"dancing|running|hiking|trekking",
}  # fmt: skip
_OUT_OF_TIME = re.compile(
    r"\bsun ?rise\s+(?:swim |walk |tour )?(?:at|around|after) (?:midnight|noon|midday|\d{1,2}"
    r" ?pm|sunset)\b"
    r"|\bsun ?set\s+(?:drinks |walk |tour )?(?:at|around|before) (?:midnight|noon|midday|dawn"
    r"|breakfast|\d{1,2} ?am)\b"
    r"|\b(?:midnight|nightly) (?:sunshine|sun ?bath\w+)\b|\bstar ?gazing at (?:noon|midday"
    r"|lunch\w*)\b",
    re.IGNORECASE,
)
"""The sun and the stars at an hour at which they are not there."""
_EITHER = (  # two of which one has to be
    ("indoors", r"(?:be )?indoors?|inside(?: anything| a building)?|under (?:a|any) roof",
     "outdoors", r"(?:be )?outdoors?|outside|in the open(?: air)?"),
    ("walking", r"walk(?:ing)?|on foot|going on foot", "vehicles",
     r"vehicles?(?: of any kind)?|transport(?:ation)?(?: of any kind)?|wheels|driving"),
    ("daytime", r"(?:by )?day(?:time|light)?|sun(?:light)?", "night",
     r"(?:by )?night(?:time)?|dark(?:ness)?"),
    ("land", r"(?:on )?(?:dry )?land|solid ground", "water", r"(?:on )?(?:the )?water|at sea"),
    ("sitting", r"sit(?:ting)?", "standing", r"stand(?:ing)?"),
)  # fmt: skip
_NO = (
    r"(?:no|never|not|nor|neither|without(?: any)?|(?:won't|will not|refuse to"
    r"|don't want to)(?: be| go)?"
    r"|nothing|zero|avoid(?:ing)?)(?: ever| any| be| being| go| going| be on| be in)?"
)
_STAYS = (
    r"(?:hotels?|hostels?|home ?stays?|guest ?houses?|resorts?|camping|tents?|campsites?"
    r"|apartments?|villas?"
    r"|cruises?|boats?|night trains?|lodges?|dorms?|airbnbs?)"
)
_NO_STAYS = re.compile(rf"\b(?:no|not an?|without(?: any)?|nor)\s+{_STAYS}\b", re.IGNORECASE)
_ENOUGH = 4  # kinds of stays ruled out, after which none is left
_AT_HOME = re.compile(
    r"\b(?:without (?:ever |us |me )?leaving|(?:never|not|don't|won't|do not"
    r"|will not)(?: want to| ever| even)? leav(?:e|ing)"
    r"|stay(?:ing)? (?:the whole time )?(?:on|in))\s+(?:my|our"
    r"|the)(?: own)? (?P<home>house(?! ?boat)|home|flat|sofa|couch"
    r"|living room|kitchen|garden shed|armchair|office desk|home town|own country)\b(?!s)",
    re.IGNORECASE,
)
_ONE_NIGHT = re.compile(
    r"\b(?:(?:the|that|this) (?:very |one |same )?night of|(?:on |in )?(?:the"
    r"|one) (?:very )?same nights?|on one night|every night|each night|that night)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:also|both|simultaneously|at the same time|as well|at once)\b", re.IGNORECASE
)
_SLEEPS = re.compile(
    r"\b(?:sleep\w*|spend(?:ing)? the night|overnight\w*|in bed|go(?:ing)? to bed)\b", re.IGNORECASE
)


def contraries_in(text: str) -> Iterator[tuple[str, str]]:
    """Two things that exclude each other and are wanted in one sentence."""
    for sentence in re.split(r"[.;!?](?:\s|$)", text):
        for one, other in _CONTRARY.items():
            first = re.search(rf"\b(?:{one})\b", sentence, re.IGNORECASE)
            second = re.search(rf"\b(?:{other})\b", sentence, re.IGNORECASE)
            if first and second and all(
                is_meant(sentence, *found.span()) for found in (first, second)
            ):  # fmt: skip
                yield first[0], second[0]


def neither_in(text: str) -> Iterator[tuple[str, str]]:
    """Two things of which one has to be, both ruled out."""
    for one, first, other, second in _EITHER:
        end = r"(?=\s*(?:$|[.,;!?)]|and\b|or\b|nor\b|but\b|at all|either|whatsoever|of any))"
        ruled = rf"\b{_NO}\s+(?:{first}){end}[^.;!?]{{0,20}}?\b{_NO}\s+(?:{second}){end}"
        turned = rf"\b{_NO}\s+(?:{second}){end}[^.;!?]{{0,20}}?\b{_NO}\s+(?:{first}){end}"
        if re.search(ruled, text, re.IGNORECASE) or re.search(turned, text, re.IGNORECASE):
            yield one, other
    if len({one[0].casefold() for one in _NO_STAYS.finditer(text)}) >= _ENOUGH:
        yield "hotels", "any other bed"


def out_of_time(text: str) -> Iterator[str]:
    """A sunrise at midnight, as it is said."""
    for match in _OUT_OF_TIME.finditer(text):
        if is_meant(text, *match.span()):
            yield match[0]


def homes_in(text: str) -> Iterator[str]:
    """A trip on which nobody leaves home, as it is said."""
    for match in _AT_HOME.finditer(text):
        if match[0].casefold().startswith("stay") and match["home"] not in (
            "sofa",
            "couch",
            "armchair",
        ):
            continue
        yield match[0]


def same_night(sentence: Sentence) -> Iterator[tuple[Mention, Mention]]:
    """Two places in which the same people are to sleep in the same night."""
    start = 0
    for end in [
        *(one.start() for one in re.finditer(r"[.;!?](?:\s|$)", sentence.rest)),
        len(sentence.rest),
    ]:
        part = sentence.rest[start:end]
        start = end
        if _ONE_NIGHT.search(part) and _BOTH.search(part) and _SLEEPS.search(part):
            named = sentence.places(part) if re.search(PLACE, part) else []
            if len(named) > 1:
                yield named[0], named[1]
