"""How much of what a question names is looked for? Each name and time once, and not too many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

MOST_NAMES = 8
MOST_TIMES = 24
"""Names of a kind and times that are looked for; what a question names beyond them is not."""
_SINCE = re.compile(r"(?i)\b(?:since|from|after|starting|beginning|seit)\b[\w ]{0,12}$")


def bounded(wanted: Wanted, vocabulary: Vocabulary) -> Wanted:
    """With each name and time once, no more of them than a question has, and `since 2021` up to
    the latest time that is known.
    """
    first, last = wanted.periods[:1], vocabulary.near
    spoken = [one.start for one in wanted.spoken if one.period]
    since = any(_SINCE.search(wanted.question, 0, start) for start in spoken)
    if wanted.is_range and since and len(wanted.periods) == 1 and last and last.end > first[0].end:
        end = replace(first[0], start=last.end, end=last.end, year=last.year)
        wanted = replace(wanted, periods=(*first, end))
    # The group in "group revenue" is no metric beside revenue, whatever row is called so.
    metrics = [one for one in wanted.metrics if not all(map(_is_whole, one.values))]
    return replace(
        wanted,
        metrics=_once(metrics or wanted.metrics),
        entities=_once(wanted.entities),
        companies=_once(wanted.companies),
        periods=tuple(dict.fromkeys(wanted.periods))[:MOST_TIMES],
    )


def of_parts(wanted: Wanted) -> Wanted:
    """Without the whole company beside a part of it, of whose share that is the whole anyway."""
    if wanted.operation != "share":
        return wanted
    parts = tuple(
        one for one in wanted.entities if not all(is_total(compared(name)) for name in one.values)
    )
    return replace(wanted, entities=parts) if parts else wanted


def _is_whole(name: str) -> bool:
    return is_total(compared(name))


def _once(matches: Sequence[Match]) -> tuple[Match, ...]:
    known: dict[object, Match] = {}
    for one in matches:
        known.setdefault((one.field, one.values), one)
    return tuple(known.values())[:MOST_NAMES]
