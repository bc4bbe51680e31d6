"""Which feast is the trip for, and is it when the trip is?

A feast that is only spoken of (a present, a bonus, where one was or cannot be) is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.times.festivals import FEASTS, next_feast

_FEAST = (
    r"\b(?:(?:over|at|for|during|around|on|in|this|next|the)\s)?\b(?P<feast>{0})\b(?! island)"
    r"(?P<fair>(?: eve)? (?:markets?|fairs?|stalls))?(?: (?P<year>20\d\d))?"
)
_AROUND = re.compile(
    r"\b(?:before|after|avoid|avoiding|not|until|till|since|last|past|every|each)\s\w?$",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(
    r"(?:\b(?:money|savings|presents?|gifts?|bonus|vouchers?|cards?|leftovers?|kilos?|pounds?)"
    r" (?:from|for|of|at|since)(?: the| our| my)?"
    r"|\b(?:cannot|can't|could not|couldn't|did not|didn't|won't|will not|missed|not|never)\b"
    r"[^.,;!?]{0,30}(?:for|at|over|on|during)?)\s*$",
    re.IGNORECASE,
)
"""What stands before a feast that is only spoken of."""
_GIVEN = re.compile(
    r"^\s*(?:(?:present|gift|bonus|money|voucher|card|savings|jumper|tree|pudding|pounds|leftovers)s?\b"
    r"|,?\s*(?:we|i|they|he|she) (?:are|am|is|will be|'ll be|stay|stays|work|works|have to|must)"
    r" (?:at home|home|elsewhere|with|work\w*|in the office|busy|away)\b)",
    re.IGNORECASE,
)
"""What stands behind one."""
_NEAR = 2  # months about a feast in which it may be meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A feast: what it is called and the first day of a trip for it."""

    called: str
    first: date


def read_feast(sentence: Sentence, today: date) -> Feast | None:
    """The feast that a trip is for; it is taken out of the sentence."""
    found = _find(sentence, today, fairs=False)
    if found is None:
        return None
    feast, span = found
    first = feast.first
    sentence.assumed.append(f"{feast.called}: beginning about {first.day} {first:%B %Y}")
    sentence.use(*span)
    return feast


def feast_in(text: str, today: date) -> tuple[Feast, str] | None:
    """The feast that a text wants, its markets as well, and the text without it."""
    sentence = Sentence(text)
    found = _find(sentence, today, fairs=True)
    if found is None:
        return None
    sentence.use(*found[1])
    return found[0], sentence.rest


def is_far(feast: Feast, month: int) -> bool:
    """Whether a month is neither that of a feast nor next to it."""
    return (month - feast.first.month + 1) % 12 > _NEAR


def _find(sentence: Sentence, today: date, *, fairs: bool) -> tuple[Feast, tuple[int, int]] | None:
    for names, (called, day) in FEASTS.items():
        for match in sentence.find(_FEAST.format(names)):
            if (match["fair"] and not fairs) or _is_spoken_of(sentence, match):
                continue
            first = next_feast(day, today, int(match["year"]) if match["year"] else None)
            what = f"{called}{match['fair'] or ''}"
            return Feast(called=what, first=first), match.span()
    return None


def _is_spoken_of(sentence: Sentence, match: re.Match[str]) -> bool:
    """Whether a feast is no time for the trip."""
    before, behind = sentence.rest[: match.start("feast")], sentence.rest[match.end("feast") :]
    around = (_AROUND.search(sentence.rest[: match.start() + 1]), _AROUND.search(before))
    return (
        any(around)
        or bool(_SPOKEN_OF.search(sentence.rest[: match.start()]))
        or bool(_GIVEN.match(behind))
        or is_aside(sentence.text, *match.span("feast"))
    )
