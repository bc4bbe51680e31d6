"""Is a place to be done with before another, and that one before it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence

_ONCE = re.compile(
    r"\b(?:(?:finish(?:ed)?|done|through) with|(?:exactly|only) (?:one|once|a single)|single stay"
    r"|(?:each|every) (?:town|city|place)(?: \w+)? once|never (?:return|go back|come back))\b",
    re.IGNORECASE,
)
"""Who goes to a place once cannot be there before another and after it."""
_GAP = r"[^.;!?\ue000-\uefff]{0,30}?"
_BEFORE = re.compile(
    rf"(?P<first>{PLACE}){_GAP}\b(?P<word>before|ahead of|earlier than|after|later than)\b"
    rf"{_GAP}(?P<last>{PLACE})",
    re.IGNORECASE,
)


def orders_in(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Which place comes before which, by id, where each is gone to once."""
    if not _ONCE.search(sentence.rest):
        return
    found = _BEFORE.search(sentence.rest)
    while found is not None:
        first, last = (sentence.places(found[one])[0].place for one in ("first", "last"))
        is_turned = found["word"].casefold().startswith(("after", "later"))
        yield (last, first) if is_turned else (first, last)
        found = _BEFORE.search(sentence.rest, found.start("last"))
