"""Are two names of a question meant at once, or side by side? The words between them say it.

"Cement in Portugal" is one thing, "Portugal and Spain" are two. A country and a division are one
thing whatever stands between them, unless a word sets them against each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.questions.aliases import country_names
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.spelling import joined, words_of
from consilience.packs.finance.questions.vocabulary import Match

_BESIDE = re.compile(
    r"(?i)[;/&]|\b(?:and|or|vs|versus|than|against|et|ou|y|und|oder|als|gegenüber|exceed\w*|beats?|"
    r"outperform\w*|higher|lower|above|below|ahead of|behind|minus|über|unter|trail\w*)\b|"
    r"\bcompar\w+ (?:to|with)\b|\brelative to\b|\bvergl[ei]+ch\w*"
)
_LISTED = re.compile(r"(?i),|\b(?:with|to|from|mit|zu)\b")


def apart(group: Sequence[Match]) -> bool:
    """Whether each stands in a place of its own; two readings of one word are never both meant."""
    return len({one.start for one in group}) == len(group)


def side_by_side(wanted: Wanted) -> bool:
    """Whether any two entities that follow one another are set beside each other."""
    ordered = sorted(wanted.entities, key=lambda one: one.start)
    for one, other in pairwise(ordered):
        between = wanted.question[one.end : other.start]
        if _BESIDE.search(between) or (_LISTED.search(between) and _is_alike(one, other)):
            return True
        if _is_country(one) and _is_country(other):
            return True  # nothing is in two countries
    return False


def compared_pair(group: Sequence[Match], question: str) -> bool:
    """Whether two of a kind are set against each other: Cement and Ready-mix, Spain or Italy."""
    ordered = sorted(group, key=lambda one: one.start)
    return any(
        _is_alike(one, other) and _BESIDE.search(question, one.end, other.start)
        for one, other in pairwise(ordered)
    )


def _is_alike(one: Match, other: Match) -> bool:
    """Whether both are countries, or neither is; the whole is set beside any part of it."""
    return _is_country(one) == _is_country(other) or _is_whole(one) or _is_whole(other)


def _is_whole(match: Match) -> bool:
    return all(is_total(compared(value)) for value in match.values)


def _is_country(match: Match) -> bool:
    return any(joined(words_of(value)) in country_names() for value in match.values)
