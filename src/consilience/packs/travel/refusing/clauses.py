"""Which part of a question asks, and what is only told around it?

"We sledged down dunes in Namibia. Anything like that here?", "as one goes up to Shimla", "my dad
restores cars back in Coventry": what somebody has done, where he comes from and what he compares
with is not what he asks about. A clause that asks stays whatever it says; so does a question that
has nothing but what is told.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_CAPITAL = r"[A-ZÀ-ÞĐ][\w'’-]*"
NAME_RUN = (
    rf"{_CAPITAL}(?:\s+(?:(?:de|la|le|of|of the|del|di|do|da|and the)\s+)?{_CAPITAL})*"
    r"(?:\s\d{1,4}\b(?!\s*(?:am|pm|km|days?|nights?|weeks?|hours?|people|dong|%|,\d)))?"
)
"""Words that are spelt as a name."""
_PARTS = re.compile(
    r"(?P<stop>(?<!\bst)(?<!\bmr)[.!?]+(?=\s|$)|[;\n]|\s[–—-]\s)|(?P<comma>,(?!\d{3}))"
    r"|(?=\s(?:but|because|although|whereas)\s)"
    r"|(?=\s(?:and|or|so)\s(?:i|we|my|our|is|are|do|does|can|should|would|will|which|where|what"
    r"|how|when|who)\b)",
    re.IGNORECASE,
)
"""What parts a text into clauses."""
_LEADS = (
    r"(?:(?:and|or|but|so|also|hi|hello|hey|please|pls|well|right|ok|okay|now|then|if so|sir)"
    r"[ ,]+)*"
)
_ASKS = re.compile(
    rf"^\W*{_LEADS}(?:who|whom|whose|what|whats|where|wheres|when|which|wich|how|hows|why|is|isn'?t"
    r"|are|aren'?t|was|were|does|doesn'?t|do(?! not)|don'?t (?:you|they)|did|can|could|will|would"
    r"|should|shall|may (?:i|we)|must (?:i|we)|any|anything|anyone|anywhere|anybody|somewhere"
    r"|something|someone to|name|list|tell|show|give|find|recommend|suggest|kindly|explain|describe"
    r"|looking for|look for|need(?:ing)? (?:a|an|the|some|to)|want(?:ing)? (?:a|an|the|some|to)"
    r"|i(?:'d| would)? (?:need|want|like|love)\b|we(?:'d| would)? (?:need|want|like|love)\b"
    r"|best|cheapest|fastest|nearest|closest)\b",
    re.IGNORECASE,
)
"""How a clause begins that asks."""
_PAST = (
    r"(?:(?!need|feed|speed|exceed|bed|red|seed|hundred|naked|sacred|wicked|indeed)\w{2,}ed|was"
    r"|were"
    r"|had|went|came|saw|met|did|got|took|made|found|left|flew|drove|rode|swam|ate|drank|slept"
    r"|spent"
    r"|lost|broke|bought|grew|fell|ran|sat|told|said|felt|kept|paid|sold|won|wrote|heard|taught"
    r"|caught|brought|stood|been|seen|done|gone)"
)
_WHO = r"(?:i|we|he|she|they|(?:my|our|his|her|their) (?:\w+ ){0,2}?\w+)"
_DID = re.compile(
    rf"^\W*{_LEADS}(?:(?:{_WHO})(?:['’](?:ve|d|s)| have| has| had)? (?:\w+ly |just |once |already"
    rf" |never |really )*{_PAST}|(?!tired|need|bored)\w{{3,}}ed (?:a|an|my|our|the|down|up|out)|"
    r"(?:never|once|last (?:year|month|week|summer|winter|time|spring|autumn)|years ago))\b",
    re.IGNORECASE,
)
"""How a clause begins that tells what somebody has done."""
_OTHERS = re.compile(
    r"^\W*(?:(?:and|or|but|so|well|right) )*(?:my|our|his|her|their) (?:\w+ )?"
    r"(?:dad|father|mum|mom|mother|son|daughter|brother|sister|uncle|aunt|cousin|wife|husband"
    r"|partner|girlfriend|boyfriend|friend|friends|boss|neighbour|neighbor|parents|kids|children"
    r"|colleague|grand\w+|nephew|niece|editor|teacher|doctor)(?:['’]s)? (?!is from|loves|wants"
    r"|needs|likes|hopes|dreams|adores|craves"
    r"|is (?:mad|keen|crazy|nuts|obsessed|desperate|dying|into))\w+s\b",
    re.IGNORECASE,
)
"""How a clause begins that tells what others do."""
_STATES = re.compile(
    rf"^\W*{_LEADS}(?:i|im|we|he|she|they|it|this|that|there|my|our|mum|mom|dad|grandma|grandpa"
    rf"|granny"
    r"|got|having|being|both|all of us|us|everyone|nobody|only)\b(?!\s+(?:one|two)\b)"
    r"|^\W*(?:one|two|three|some|half|most|several|the|an?) (?:of (?:us|the) )?(?:\w+ ){1,2}"
    r"(?:is|are|has|have|can|cannot|can['’]?t|won['’]?t|will|does|doesn['’]?t|carries|needs|gets"
    r"|hates|loves|wants|likes|takes|suffers|uses|walks|eats|speaks|struggles)\b",
    re.IGNORECASE,
)
"""How a clause begins that says something of whoever asks."""
_OTHER_NAME = re.compile(r"\b([a-z]+(?: [a-z]+)?)( \([a-z])")
"""What has another name behind it, in brackets."""
_LIVES = (
    r"(?:liv(?:e|es|ing)|based|born|raised|grew up|work(?:s|ing)?|stud(?:y|ies|ying)|home|back)"
    r" (?:over |here |up |down )?in"
)
_FROM = rf"(?:{NAME_RUN}|[a-z]{{4,}})(?!\s+to\b)"
_HOME = re.compile(
    rf"\b(?i:{_LIVES} (?:the )?){_FROM}"
    r"|\b(?i:(?:(?:i|we)(?:['’]m|['’]re| am| are)|as an?|my \w+(?: is|['’]s)|all of us(?: are)?|us)"
    rf" (?:[^,.;?!]{{0,40}}? )?from (?:the )?){_FROM}"
    r"|(?i:\b(?:am|are|is|flying|coming|come|comes|travell?ing|arriving|visiting)|['’](?:m|re|s))"
    rf"(?i:(?: in| over| here)? from (?:the )?){_FROM}"
    r"|\b(?i:(?:couple|family|group|party|friends?|people|pair|lad(?:y|ies)|m[ae]n|wom[ae]n"
    rf"|students?|pupils?|pensioners?|guests?|travell?ers?) from (?:the )?){NAME_RUN}"
    r"|\b(?i:(?:bring|carry|drag|haul|lug|pack)(?:g?ing)? (?:it|one|them|some"
    r"|(?:my|our)(?: own)?(?: \w+)?) (?:over |along |all the way )?"
    rf"from (?:the )?){NAME_RUN}"
)
"""Where somebody comes from."""
_COMPARED = re.compile(
    r"\b(?i:the (?:same )?way (?:one|you|we|i|they|people)|(?:just |much )?(?:as|like) (?:one"
    r"|you|we"
    r"|i|they|people) (?:do|does|did|had|have|has|get|gets|go|goes|saw|see|find|would|can|used)\b)"
    r"[^,.;?!]*"
    r"|\b(?i:just like|like|as|unlike|than|compared (?:to|with)|similar to|reminds? (?:me|us) of"
    r"|reminiscent of|as good as|better than|worse than) (?:(?i:the (?:ones?|kind)|what \w+ (?:have"
    r"|had|get)|it is|they are) )?(?i:in|at|on|from) (?:(?i:the) )?"
    + NAME_RUN
    + r"|\b(?i:after|since|having spent|following) (?:(?i:\w+ing|years?|months?|weeks?|a \w+"
    r"|all) )+"
    r"(?:(?i:of|in|at|on|around|across) )+" + NAME_RUN + r"[^,.;?!]*"
    r"|\b(?i:fake|mock|little|mini|miniature|second|another|kind of|sort of|version of|copy of"
    r"|replica of|imitation|so-called|own|answer to|poor man'?s) (?:(?i:the|an?) )?" + NAME_RUN
)
"""What somebody compares with: no place that he asks about."""


_TAKEN_BACK = re.compile(
    r"[^?!]*\b(?:never ?mind|scrap that|forget (?:it|that)|strike that|doesn['’]?t matter)\b\W*"
    r"(?=\s\S)",
    re.IGNORECASE,
)
"""What somebody began to ask, and then did not."""


@lru_cache(maxsize=256)
def asking(text: str) -> str:
    """A question without what is only told around it, each letter where it was."""
    left = text
    for form in (_TAKEN_BACK, _HOME, _COMPARED):
        left = form.sub(lambda match: " " * len(match[0]), left)
    left = _OTHER_NAME.sub(lambda match: " " * len(match[1]) + match[2], left)
    clauses = _clauses(left)
    if not any(_asks(left[start:end]) for start, end in clauses):
        return left
    for start, end in clauses:
        if _tells(left[start:end]):
            left = f"{left[:start]}{' ' * (end - start)}{left[end:]}"
    return left


def main_clauses(text: str) -> str:
    """What a question is chiefly about: all up to where its second clause that asks begins,
    without what somebody says of himself.
    """
    left = asking(text)
    clauses = _clauses(left)
    asked = [one for one in clauses if _asks(left[slice(*one)])]
    end = asked[1][0] if len(asked) > 1 else len(left)
    kept = [one for one in clauses if one in asked or not _STATES.search(left[slice(*one)])]
    found = "".join(left[start:stop] for start, stop in kept if start < end)
    return found if found.strip() else left


def _clauses(text: str) -> list[tuple[int, int]]:
    """Where each clause begins and ends."""
    cuts = [0, *(match.end() for match in _PARTS.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(cuts) if end > start]


def _asks(clause: str) -> bool:
    return bool(_ASKS.search(clause)) or clause.rstrip().endswith("?")


def _tells(clause: str) -> bool:
    """Whether a clause tells what somebody has done, or what others do, and asks nothing."""
    if _ASKS.search(clause):
        return False
    return bool(_DID.search(clause) or _OTHERS.search(clause))
