"""Is something that no plan can hold meant, or is it ruled out, compared with or remembered?

What cannot be is told even in a clause that reads as if it only tells ("he rides alone on his own
motorbike"), so only what stands right before it, or rules it out, makes it harmless.
"""

from __future__ import annotations

import re

from consilience.packs.travel.wording import is_unwanted

_SPOKEN_OF = re.compile(
    r"\b(?:no|not|never|n't|without|(?<!would )(?<!'d )(?<!we )(?<!i )like|as if|than|fit for"
    r"|away from|far from|enough of|tired of"
    r"|sick of|instead of|unlike|once|used to|last (?:time|year)|books? (?:on|about|by)|films?"
    r"|stor(?:y|ies) (?:of|about)|history of|watched|saw|loves|if (?:possible|there is))\b"
    r"[^.;!?,]{0,25}$",
    re.IGNORECASE,
)


def is_meant(text: str, start: int, end: int) -> bool:
    """Whether what stands there is asked for in earnest."""
    return not _SPOKEN_OF.search(text[:start]) and not is_unwanted(text, start, end)
