"""Which words of a text are only a joke, or the wish of somebody who was laughed off?

"Dad keeps joking about a bungee jump", "my brother-in-law asked for skiing; we laughed": nobody
wants what stands there. The wish of somebody else is one, unless it is dismissed behind it; what
the writers want themselves is always meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from consilience.packs.travel.trips.reading.sentence import either

_ENDS = re.compile(r"[.!?;\n]+(?=\s|$)")
_JOKES = re.compile(
    r"\b(?<!no )(?<!not )(?:(?:keeps?|kept|is|are|was|were|always|likes to|loves to)\s+)?"
    r"(?:jok(?:es|ed|ing|e)|teas(?:es|ed|ing)|kidding)\b(?! (?:apart|aside|over))"
    r"(?:(?!,\s*(?:but|so|and|we|i|please|in earnest)\b|\s-\s).)*",
    re.IGNORECASE,
)
"""A joke, from the word that says so to the end of its clause."""
_OTHER = re.compile(
    r"\b(?:(?:my|our|his|her|their|the) (?!wish|plan|idea)[\w'-]+(?: [\w'-]+){0,2}?|he|she|they"
    r"|grandpa|grandma|granny|mum|mom|dad|uncle|auntie?|one of us|somebody|someone|(?-i:[A-Z])\w+)"
    r" (?:\w+ly |also |even |just |still |first )?(?:(?:is|was|are) (?:begging|asking|dreaming"
    r"|hoping|longing|pleading)|asks?|asked|wants?|wanted|proposed|proposes"
    r"|suggested|suggests|voted|begged|begs|dreams?|dreamt|insisted|insists|demanded|demands|hoped"
    r"|hopes|wished|wishes|pleaded|said|says|keeps|kept|thought|thinks|fancied|fancies)\b",
    re.IGNORECASE,
)
"""Somebody who is not the one who writes wants something."""
_HIM = r"(?:it|that|this|him|her|them)"
_SAID_NO = either(rf"""
laughed(?: (?:it off|out loud|a lot))?|said no|told {_HIM} (?:no|off|to forget it)|refused|declined
overruled {_HIM}|outvoted {_HIM}|vetoed {_HIM}|ignored {_HIM}|voted {_HIM} down|rolled our eyes
sent {_HIM} (?:home|away|back|to)|shook our heads|are not doing (?:it|that)|aren't doing that
""")
_CALLS_OFF = either(rf"""
in (?:his|her|their|your) dreams|not (?:happening|a chance|on my watch|going to happen|in this life
|this time)|no (?:chance|way|such luck)\b(?! (?:to|of|around|out|back))|nice try|dream on
as if(?=\s*[.!])|ha ?ha|lol\b|(?:he|she|they) lost(?= the vote|\s*[.,;!]|$)
{_HIM} (?:is|was) (?:a joke|only a joke|nonsense|vetoed|overruled|not happening)
(?:(?:he|she|they|it) )?(?:was|were|got|has been|is) (?:outvoted|overruled|vetoed|voted down
|laughed (?:off|at|down)|turned down)|(?:just|only) (?:kidding|joking)
""")
_DISMISSED = re.compile(
    r"\b(?:and |but |so )?(?:(?:we|i|everyone|everybody|the rest of us|nobody else|the others)"
    rf" (?:all |both |just |only )?{_SAID_NO}|{_CALLS_OFF})",
    re.IGNORECASE,
)
"""What dismisses a wish."""


@lru_cache(maxsize=64)
def jokes_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where the jokes of a text stand."""
    return tuple(_spans(text.replace("’", "'")))


def in_joke(text: str, start: int) -> bool:
    """Whether what begins there belongs to a joke."""
    return any(low <= start < high for low, high in jokes_in(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    sentences = list(_sentences(text))
    for number, (start, end) in enumerate(sentences):
        for joke in _JOKES.finditer(text, start, end):
            yield joke.span()
        wanted = _OTHER.search(text, start, end)
        if wanted is None:
            continue
        inside = _DISMISSED.search(text, wanted.end(), end)
        behind = sentences[number + 1][0] if number + 1 < len(sentences) else end
        if inside:
            yield wanted.start(), inside.end()
        elif _DISMISSED.match(text, behind):
            yield wanted.start(), end


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begins = 0
    for stop in [*(one.span() for one in _ENDS.finditer(text)), (len(text), len(text))]:
        start = begins + len(text[begins : stop[0]]) - len(text[begins : stop[0]].lstrip())
        if start < stop[0]:
            yield start, stop[0]
        begins = stop[1]
