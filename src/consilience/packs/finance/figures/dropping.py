"""What is let go of where no number meets it all, and what may not be let go of in silence?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from consilience.packs.finance.figures.conditions import (
    COMPANY,
    ENTITY,
    METRIC,
    PERIOD,
    criteria_of,
    reported,
)
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_WHO = frozenset({"entity", "company"})
_SURE = 0.8
_SPENT = re.compile(r"(?i)\s+(?:costs?|expenses?|expenditures?|charges?)$")
_DROPPED = (COMPANY, PERIOD, ENTITY, METRIC)
"""What is let go of first: a metric says more than of whom it is."""


def refusable(wanted: Wanted) -> set[str]:
    """What a figure has to have, or it answers something else: times and bases, companies and
    entities that are surely meant. A row or heading that is called alike is none of these.
    """
    sure = [
        one
        for one in (*wanted.companies, *wanted.entities)
        if one.field in _WHO and one.how != "partial" and one.score >= _SURE
    ]
    names = {one.said for one in sure} | {told(one) for one in wanted.periods} | set(wanted.bases)
    names |= {reported(one) for one in wanted.reports}
    names |= {" ".join(one.said for one in sure)}
    for choice in criteria_of(replace(wanted, metrics=(), entities=(), companies=()), ()):
        names |= {one.said for one in choice.choices}
    return names - {"actual"}


def shorter(match: Match, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """The rows that leave out the word for what was spent: Personnel, for personnel costs."""
    name = _SPENT.sub("", match.said)
    if name == match.said or match.field != "metric":
        return ()
    found = [
        one
        for one in vocabulary.matches(name)
        if one.field == "metric" and one.how == "exact" and one.said == name
    ]
    return tuple(replace(match, values=one.values, how="alias", score=_SURE) for one in found)


def fewer(wanted: Wanted) -> Iterator[tuple[Wanted, list[str]]]:
    """What is wanted without one of its conditions, and what that was, least telling first."""
    if wanted.reports:
        yield replace(wanted, reports=()), [reported(one) for one in wanted.reports]
    if wanted.bases:
        yield replace(wanted, bases=()), list(wanted.bases)
    named = {
        COMPANY: (replace(wanted, companies=()), [one.said for one in wanted.companies]),
        PERIOD: (replace(wanted, periods=(), bases=()), [told(one) for one in wanted.periods]),
        ENTITY: (replace(wanted, entities=()), [one.said for one in wanted.entities]),
        METRIC: (replace(wanted, metrics=()), [one.said for one in wanted.metrics]),
    }
    for name in _DROPPED:
        less, gone = named[name]
        if name == ENTITY and len(gone) > 1:
            for one in reversed(wanted.entities):
                others = tuple(other for other in wanted.entities if other != one)
                yield replace(wanted, entities=others), [one.said]
        if gone:
            yield less, list(dict.fromkeys(gone))
