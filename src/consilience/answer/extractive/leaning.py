"""Does a sentence stand on its own? One that begins with `He`, `This` or `However` leans.

What leans is quoted together with what it leans on, or passed over, unless it is by far the best.
A sentence that announces (`for three reasons.`) brings what it announces; a list is brought whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from consilience.answer.sentences import Sentence, one_line

REACH = 2
"""Sentences before it that a leaning sentence may bring along."""

ENTRIES = 12
"""Sentences or entries of a list that an announcing sentence may bring along."""

LIST = 180
"""Words of a list that is brought whole; of a longer one, each entry's first sentence is."""

RUN = 90
"""Words from the beginning of a paragraph to a sentence about a person who is named there."""

_PRONOUNS = """
he she it they him them his her hers its their theirs this that these those such both neither
either another others er sie es ihr sein seine ihre dies diese dieser dieses il elle ils elles
cela ceci ce celui celle ceux ello esto eso este esta estos estas ellos ellas él ella
"""
_JOINTS = """
however but thus therefore hence so yet still also then moreover furthermore nevertheless
nonetheless consequently similarly likewise instead otherwise accordingly and or nor meanwhile
now afterwards afterward later subsequently conversely besides additionally finally here
unfortunately fortunately
aber jedoch doch daher deshalb somit außerdem dann danach
mais cependant donc ainsi pourtant puis ensuite
pero además entonces luego así
"""
_HARD = frozenset(_PRONOUNS.split())
_SOFT = frozenset(_JOINTS.split())
_HARD_PHRASES = re.compile(
    r"^(?:the (?:latter|former|same|other|others|first|second|third|last|two|three)\b"
    r"(?! (?:of|in|to|world|time|century|day|half|part|\w+ed|\w+ \w+ed)\b)"
    r"|in (?:this|that|these|those|such)\b|as such\b|for (?:this|that|these)\b"
    r"|at (?:this|that|the same) \w+|by (?:this|that)\b|after (?:this|that|which)\b"
    r"|one of (?:them|these|those)\b"
    r"|(?:\w+ing|to \w+|with|given|like|as|from|about) (?:this|these|those|such)\b"
    r"|(?:\w+ of|in|at|with|on|by|for|under|of|despite|during) (?:his|her|their|its)\b"
    r"|(?:some|many|most|all|none|each|two|three|four) of (?:them|these|those)\b"
    r"|(?:at|in|on|by|from|after|before|during|since|with|without|for|to|under|over|until|through)"
    r" (?:[\w.,'’-]+ ){1,5}?(?:it|he|she|they)\b"
    r"|(?:when|if|as|once|while|because|although|where|since) (?:at last |at first |then )?"
    r"(?:it|he|she|they|this|these)\b"
    r"|(?:there|here|no|not even) (?:he|she|it|they|such)\b)",
    re.IGNORECASE,
)
_SOFT_PHRASES = re.compile(
    r"^(?:in (?:addition|contrast|turn|other words|the end)\b|as a (?:result|consequence)\b"
    r"|for (?:example|instance)\b|on the (?:other|contrary)\b|by (?:then|contrast)\b"
    r"|from (?:then|there)\b|the result\b|once again\b|first of all\b"
    r"|(?:first|second|third|next|again|last),)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^(?:it (?:is|was|has been|would be|may be|must be) \w+ (?:that|to|who|which)\b"
    r"|these days\b|this (?:chapter|book|paper|report|section|article|study|page|guide|table)\b"
    r"|so (?:many|much|few|far)\b|such (?:is|are)\b|then[- ]\w+)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"^(?:[^\s,;:—–(]+ ){1,14}?(?:this|these)\b"
    r"(?! (?:day|week|month|year|decade|century|chapter|book|paper|report|section|article|study|"
    r"page|guide|table)s?\b)"
    r"|^[A-ZÀ-ÖØ-Þ][\w’'-]+ (?!found|thought|consider|believe)(?:\w+ed|made|took) it\b"
    r"|\b(?:they|it|he|she) \w+ that (?!\w+ed\b)[a-z]+\.$"
    r"|\b(?:for|of|with|by|about) that[.:]"
    r"|\bthe (?:intermediate|opposite|former|latter|reverse|converse|other|same) "
    r"(?:case|one|way|thing|reason|method|rule|idea|kind)s?\.$"
)
_GOES_ON = re.compile(
    r"^[^,;:—–(]{1,80}\binstead\b(?! of)|^(?:[^\s,;:]+ ){1,5}also\b"
    r"|\b(?:earlier|likewise|as well|too)[.!]$",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|she|they|him)\b")
_ABOUT_SOMEONE = re.compile(r"\b(?:he|she|they|him|his|her|them|their)\b", re.IGNORECASE)
_KEYED = re.compile(r"[^\W\d_][\w /()'’-]{0,40}:\s\S")
_NOT_A_WORD = re.compile(r"[^\W\d_]*[A-Z0-9]|[^\W\d_]-\w")
_FIRST = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(
    r"^(?:the |a )?(?:first|second|third|fourth|last|another|one|finally)\b", re.I
)
_ANNOUNCES = re.compile(
    r"(?::|\b(?:two|three|four|five|six|several|following|these|same|main|\d) (?:\w+ )?\w+s\.)$"
)


def leans(text: str) -> bool:
    """Whether a sentence can hardly be understood without the one before."""
    return leans_hard(text) or leans_softly(text)


def leans_hard(text: str) -> bool:
    """Whether it speaks of someone or something that only the sentence before names."""
    line, word = _opening(text)
    if not word or _EXPLETIVE.match(line):
        return False
    if line[0].islower() and not _KEYED.match(line) and not _NOT_A_WORD.match(line):
        return True  # the rest of a sentence; not `area: 5 km`, `e4 is played`, `k-means is`
    if word in _HARD and not _compound(line, word):
        return True
    return bool(_HARD_PHRASES.match(line) or _WITHIN.search(line))


def leans_softly(text: str) -> bool:
    """Whether it only goes on from the sentence before: `However, the tower stood.`"""
    line, word = _opening(text)
    if not word or _EXPLETIVE.match(line):
        return False
    rest = line[len(word) :]
    if word in _SOFT and not rest.startswith("-"):
        return True
    return bool(_SOFT_PHRASES.match(line) or _GOES_ON.search(line))


def _opening(text: str) -> tuple[str, str]:
    line = one_line(text).lstrip("“\"'‘«(")
    first = _FIRST.match(line)
    return line, first[0].casefold() if first else ""


def _compound(line: str, word: str) -> bool:
    """`Both X and Y`, `Either A or B`: the first word is no pronoun here."""
    rest = line[len(word) :]
    if rest.startswith("-"):
        return True
    return word in ("both", "either", "neither") and bool(re.search(r"\b(?:and|or|nor)\b", rest))


def together(found: Sequence[Sentence], place: int) -> list[int] | None:
    """The places of the sentences that one is quoted with, itself among them, in order.

    One that leans on a name brings those before it, up to the one that has it; one that only
    goes on may be quoted after the beginning of its paragraph, with a gap. None where what it
    leans on is not there, or too far back.
    """
    at = place
    goes_on = leans_softly(found[at].text) and not _PERSON.search(found[at].text)
    if goes_on and at and leans(found[at - 1].text):
        return _after_gap(found, place, at)
    while leans(found[at].text):
        far = place - at >= REACH
        first = at == 0 or found[at - 1].block != found[place].block
        if first or far:
            return _after_gap(found, place, at)
        at -= 1
    return [*range(at, place + 1), *_announced(found, place)]


def _after_gap(found: Sequence[Sentence], place: int, at: int) -> list[int] | None:
    """A sentence that only goes on, behind the one that its paragraph begins with."""
    block = [one for one, sentence in enumerate(found) if sentence.block == found[place].block]
    begins = block[0]
    text = found[place].text
    if leans_hard(text) or _PERSON.search(text) or begins == place or leans(found[begins].text):
        return None
    return [begins, place] if begins < at else None


def far_back(found: Sequence[Sentence], place: int, *, headed: bool) -> list[int] | None:
    """The places of a sentence that leans on something far back, behind what its paragraph
    begins with, with a gap; of a person all between is told as well, lest it be another.

    One that begins the text is quoted alone where it is `headed`: its heading or title has what
    the question names.
    """
    begins = min(at for at, one in enumerate(found) if one.block == found[place].block)
    if begins == place or leans(found[begins].text):
        return [place, *_announced(found, place)] if headed and place == 0 else None
    if not _ABOUT_SOMEONE.search(_opening(found[place].text)[0][:40]):
        return [begins, place, *_announced(found, place)]
    words = sum(len(found[at].text.split()) for at in range(begins, place + 1))
    return list(range(begins, place + 1)) if words <= RUN else None


def announces_nothing(found: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence ends with a colon, and what it announces is not here."""
    ends = one_line(found[place].text).endswith((":", "："))
    return ends and not _announced(found, place)


def _announced(found: Sequence[Sentence], place: int) -> list[int]:
    """The sentences after one that announces them: the first, the second; the entries of a list."""
    last = place
    following = found[place + 1] if place + 1 < len(found) else None
    if following and following.text.endswith(":") and following.block == found[place].block:
        last = place + 1
    if not _ANNOUNCES.search(one_line(found[last].text)):
        return []
    places = list(range(place + 1, last + 1))
    rest = range(last + 1, len(found))
    if found[last + 1 : last + 2] and found[last + 1].entry and not found[last].entry:
        return places + _entries(found, list(takewhile(lambda at: found[at].entry, rest)))
    for at in rest[:ENTRIES]:
        entry = found[last].text.endswith(":") and (
            at == last + 1 or found[at].block != found[at - 1].block
        )
        if not entry and not _COUNTED.match(found[at].text):
            break
        places.append(at)
    return places


def _entries(found: Sequence[Sentence], listed: Sequence[int]) -> list[int]:
    """The places of a list's entries, whole where that is not too long."""
    blocks = sorted({found[at].block for at in listed})[:ENTRIES]
    kept = [at for at in listed if found[at].block in blocks]
    if sum(len(found[at].text.split()) for at in kept) <= LIST:
        return kept
    return [at for at in kept if at == listed[0] or found[at].block != found[at - 1].block]
