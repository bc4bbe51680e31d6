"""Is hardly anything to be spent, in words without a figure: "everything gratis", "a fiver"?"""

from __future__ import annotations

import re
from decimal import Decimal

_ALL = r"(?:everything|it all|all of it|the (?:whole )?(?:trip|stay)|hotels? and (?:food|meals))"
_NOTHING = re.compile(
    r"\b(?:(?:zero|0) (?:euros?|dollars?|pounds?|bucks|cents?)(?= to (?:spend|spare)| at all"
    r"|\s*[,.;!]|$)|no (?:cash|money|funds) (?:at all|whatsoever|to (?:spend|spare))"
    r"|budget\W{0,3}(?:is |of )?(?:zero|nil|0(?![\d.,]))|budget\W{1,3}none at all\W{0,3}0"
    rf"|{_ALL} (?:has to be |must be |should be |to be |is |be )?(?:gratis|free|for free"
    r"|for nothing|at no cost|unpaid)|(?:paid|pay|living) (?:from|with|on) nothing"
    r"|(?:nobody|no one|none of us) pays? (?:anything|a thing)"
    r"|at no cost (?:at all|whatsoever|to us)"
    r"|not (?:to )?cost (?:us |me |anyone )?(?:a (?:single )?(?:cent|penny|dime|thing)|anything)"
    r"|not a (?:cent|penny|dime|dollar) to (?:our|my) names?)",
    re.IGNORECASE,
)
"""What says that nothing at all may be spent."""
_A_COIN = r"(?:a |one )(?:single )?(?:cent|penny|dime|nickel|dollar|euro|pound|coin|thing)"
_NO_MEANS = re.compile(
    r"\b(?:no (?:travel |trip )?budget(?=,? (?:at all|whatsoever|none|literally|not even)"
    r"|\W+(?:zero|nothing|nil)\b)(?! at all (?:in mind|set|fixed|yet|limit))"
    r"|budget\W{0,3}(?:is |of |'s )?(?:literally|exactly|absolutely|precisely|a round|a big|plain)"
    r" (?:zero|nil|nothing|none)|budget (?:does not|doesn['’]t) exist|non-?existent budget"
    r"|(?:have|has|had|got|with|on) (?:absolutely|literally) (?:no|zero) (?:budget|funds|money"
    r"|cash)"
    r"|(?:do not|don['’]t|does not|doesn['’]t|haven['’]t|have not) (?:have |got |own )+(?:any |a )?"
    r"(?:(?:money|budget|cash|funds)(?: at all(?! in mind)| whatsoever)"
    rf"|{_A_COIN})(?! (?:in mind|to spare))"
    r"|(?:we|i|nobody|none of us|they) (?:can(?:['’]t|not| not)|could(?:n['’]t| not)|won['’]t"
    r"|will not|can|(?:are|am) unable to|(?:are|am) not able to) (?:\w+ )?(?:pay|spend|contribute)"
    rf" (?:for )?(?:anything|any money|{_A_COIN})"
    r"(?! (?:above|over|more|extra|like|fancy|on|before|until|beyond|in|by|with|else|too|now|yet"
    r"|up ?front|for|towards|online))"
    r"|(?:nothing|zero|no money|not one (?:cent|penny)) to spend(?! on)"
    r"|(?:purse|wallet|kitty|piggy bank|(?:bank )?accounts?|pockets?|funds|coffers) (?:is|are)"
    r" (?:completely |totally |quite |entirely )?(?:empty|at zero|bare)"
    r"|(?:are|am|'re|'m) (?:completely |totally |utterly )?penniless|(?:flat|stone) broke)\b",
    re.IGNORECASE,
)
"""What says that there is nothing to spend: "no budget at all", "we can't pay anything"."""
_NOTE = re.compile(
    r"\b(?:for|on|of|with|have|has|got|only|just|spend|than|budget is)\s+(?:only |just )?(?:a|one) "
    r"(?:single )?(?P<note>fiver|tenner|buck|quid|dime|nickel|dollar|euro|pound)\b"
    r"(?!\s+(?:a|per|each|store|shop|apiece|note|bill))",
    re.IGNORECASE,
)
"""A coin or a note as the whole purse: "on a fiver"."""
_WORTH = {
    "fiver": Decimal(5),
    "tenner": Decimal(10),
    "dime": Decimal("0.1"),
    "nickel": Decimal("0.05"),
}
_LIMITED = re.compile(
    r"\b(?:lessons?|tip|tips|coffee|beers?|entry|snacks?|taxis?|souvenirs?)\b", re.IGNORECASE
)


def hardly_anything(text: str) -> tuple[Decimal, str] | None:
    """What may be spent on all of it, in dollars, and how that is said; None where none is said."""
    if match := _NOTHING.search(text) or _NO_MEANS.search(text):
        return Decimal(0), match[0]
    for match in _NOTE.finditer(text):
        if not _LIMITED.search(text[max(0, match.start() - 30) : match.end() + 20]):
            return _WORTH.get(match["note"].casefold(), Decimal(1)), match[0]
    return None
