"""Is a name that of a person: in a signature, behind "uncle" or "Dr", with an age?

"With thanks, Mwalimu Achieng", "Uncle Kamau, 58", "my friend Priya", "Marguerite here": nobody
wants to go there, so such a name is no place, whether one is known by it or not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.packs.travel.trips.reading.sentence import either

_TITLE = either("""
mr|mrs|ms|miss|mx|dr|doctor|prof|professor|rev|reverend|pastor|captain|colonel|judge|madame|monsieur
se[ñn]ora?|herr|frau|mwalimu|mzee|mama|papa|baba
""")
_HONOURED = either("""
uncle|aunt|auntie|aunty|grandma|grandpa|granny|grandad|granddad|nana|grandmother|grandfather|cousin
mum|mom|dad|oma|opa
""")
"""Kin whose name begins with what they are: "Uncle Kamau"."""
_KIN = either("""
cousins|gran|nan|nephews?|nieces?|mother|father|brothers?|sisters?|sons?|daughters?|wife|husband
partner|girlfriend|boyfriend|fianc[eé]e?|friends?|mates?|buddy|colleagues?|boss|neighbou?rs?
teacher|secretary|assistant|clients?|customers?|guests?|trainees?|twins?|baby|toddler
(?:grand)?children|kids|(?:sister|brother|mother|father|daughter|son)-in-law|godson|goddaughter
godmother|godfather|widow|widower|student|pupil|intern|manager|director|owner
""")
_GREETING = r"(?:dear|hi|hello|hey|hiya|good (?:morning|afternoon|evening)|attention|attn)"
_CALLED = re.compile(
    rf"\b(?:{_TITLE}|{_HONOURED}|(?:my|our|his|her|their|and|with|for|an?) (?:\w+ )?{_KIN}"
    rf"|{_GREETING}|my name's|name is|i am|i'm|this is|we are|we're|call me|signed)"
    r"(?:,? (?:called|named))?\.?,?\s+(?:(?-i:[A-Z])\w+ (?:and|&) )?$",
    re.IGNORECASE,
)
"""What stands before the name of a person."""
_TITLED = re.compile(rf"(?:{_TITLE}|{_HONOURED}|{_GREETING})\b", re.IGNORECASE)
"""What the name of a person begins with."""
_AGED = re.compile(
    r",?\s*\(?(?:(?:aged? |age |is |who is )(?P<said>\d{1,3})|(?P<bare>\d{2}))\)?"
    r"(?=\s*[,.;)]|\s+and\b|\s+years?\b|\s*$)"
)
_DOES = re.compile(
    r"(?:,?\s+here\s*[,.:;!-]|\s+(?:wants|wishes|hopes|adores|insists|turns \d"
    r"|would like|and (?:his|her) (?:wife|husband|family|partner|friend|children))\b"
    r"|\s+(?:and|&) (?-i:[A-Z])\w+ (?:want|wish|hope|adore|would like)\b)"
)
"""What a person does and a place does not."""
_CLOSING = re.compile(
    r"(?:\b(?:regards|(?:best|warm|kind) wishes|many thanks|yours (?:\w+)|sincerely|faithfully"
    r"|respectfully|cordially|gratefully)\b|(?:^|[.,;!?-]\s*)(?:with )?(?:thanks|thank you|cheers"
    r"|greetings|hugs|kisses|signed|xx+|(?:love|best)(?=,)|-))"
    r"(?: (?:from|in advance|a lot|so much|again))?[\s,.!-]+"
    r"(?P<names>(?-i:(?:(?:and|&|from|of|van|von|de|la|bin|al)\s+|[^\W\d_a-z][\w'.-]*[\s,&]*)"
    r"{1,8}))$",
    re.IGNORECASE,
)
"""A signature: a word of farewell, and names up to the end."""
_YOUNGEST = 13  # below, a bare number behind a name may be one of nights


@lru_cache(maxsize=64)
def _signed_from(text: str) -> int:
    """Where the names of a signature begin; the end of the text where there is none."""
    found = _CLOSING.search(text.rstrip())
    return found.start("names") if found else len(text)


def is_person(text: str, start: int, end: int) -> bool:
    """Whether the name that stands there is that of a person."""
    if start >= _signed_from(text) or _CALLED.search(text[:start]):
        return True
    if _TITLED.match(text, start, end) or _DOES.match(text, end):
        return True
    aged = _AGED.match(text, end)
    return aged is not None and int(aged["said"] or aged["bare"]) >= (
        _YOUNGEST if aged["bare"] else 0
    )
