"""Is something in a text wanted, or only spoken of: ruled out, compared with, remembered?

"We don't want to ski", "like Bali but quieter", "tired of theme parks", "the kids love lions": none
of these asks for the thing itself. A wish with a condition ("would be nice") is no demand either,
nor is a figure of speech, a joke, or a clause that tells of home, of the past or of a habit.
"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.reading.spoken.chatter import is_told
from consilience.packs.travel.trips.reading.spoken.figures import in_figure
from consilience.packs.travel.trips.reading.spoken.joking import in_joke
from consilience.packs.travel.wording import is_unwanted

_NOT = r"no|not|without|avoid(?:ing)?|skip(?:ping)?|hates?|dislikes?|never|nor|instead of|except"
_PAST = (
    r"saw|seen|went|lived|grew up|been|visited|did|done|loved|enjoyed|missed|met|rode|was|were|had"
    r"|came|come|coming|live|left"
)
_BEFORE = re.compile(
    rf"(?:(?:\b(?:{_NOT})|n't)\b(?:(?!\bbut\b)[^.;!?,:]){{0,25}}"
    rf"|\b(?:{_PAST})\b(?:\s+[\w']+){{0,4}}\s+"
    r"|\b(?:like|similar to|than|unlike|as in|reminds? (?:me|us) of|compared to|tired of|sick of"
    r"|who needs|who cares about|why go to|forget|never mind|so much for|to hell with|screw"
    r"|move over"
    r"|farewell to|goodbye|enough of|bored (?:of|with)|away from|far from|escape (?:from )?"
    r"|escaping|fans? of"
    r"|(?:\w+ )?(?:loves|adores|likes)|kids love|children love|as if|fit for|afraid of|scared of"
    r"|pretend\w*|books? (?:on|about)|museum of|history of|stor(?:y|ies) of|legends? of"
    r"|pictures? of)\s+(?:(?:the|a|an|our|my|all|some|those|these)\s+)*(?:[\w-]+\s+)?)$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"^(?:[- ](?:like|style|themed?|inspired|free)\b|[^.;!?]{0,30}\b(?:would be (?:nice|great"
    r"|lovely"
    r"|a bonus)|if (?:possible|it fits|there is|you have|we can|available|at all)|ideally"
    r"|at home|is not (?:needed|necessary|my thing)|isn't)\b)",
    re.IGNORECASE,
)
_SOFT = re.compile(r"\b(?:any|maybe|perhaps|possibly|ideally)\s+(?:[\w-]+\s+)?$", re.IGNORECASE)


def is_aside(text: str, start: int, end: int) -> bool:
    """Whether what stands there is not asked for, or only if it can be had."""
    before, behind = text[:start], text[end:]
    if _BEFORE.search(before) or _BEHIND.match(behind) or _SOFT.search(before):
        return True
    if in_figure(text, start) or in_joke(text, start):
        return True
    return is_unwanted(text, start, end) or is_told(text, start, end)
