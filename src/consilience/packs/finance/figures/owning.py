"""By which name does the company that is named print a metric? Others may call it otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.counting import PEOPLE, is_money
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_PRINTED = (
    "SELECT DISTINCT metric, unit, list_contains(?::VARCHAR[], company) FROM figures "
    "WHERE metric IN (SELECT unnest(?::VARCHAR[])) AND basis <> 'change'"
)


def for_company(asked: Asked, wanted: Wanted, vocabulary: Vocabulary) -> Wanted:
    """With other names for the metrics that only other companies print as they are said."""
    companies = [value for one in wanted.companies for value in one.values]
    if not companies or not wanted.metrics:
        return wanted
    metrics = tuple(_owned(asked, one, companies, vocabulary) for one in wanted.metrics)
    return replace(wanted, metrics=metrics) if metrics != wanted.metrics else wanted


def _owned(asked: Asked, match: Match, companies: Sequence[str], vocabulary: Vocabulary) -> Match:
    if match.field != "metric":
        return match
    known = asked.rows(_PRINTED, [list(companies), list(match.values)])
    if any(ours for _, _, ours in known):
        return match
    units = {unit for _, unit, _ in known}
    for other in vocabulary.wider(match):
        rows = asked.rows(_PRINTED, [list(companies), list(other.values)])
        there = {name for name, unit, ours in rows if ours and _is_alike(unit, units)}
        if values := tuple(one for one in other.values if one in there):
            score = min(match.score, other.score)
            return replace(match, values=values, how=other.how, score=score)
    return match


def _is_alike(unit: str, units: Collection[str]) -> bool:
    """Whether a unit may count the same: personnel are people here, and what they cost there."""
    if unit in units or (unit in PEOPLE and PEOPLE.intersection(units)):
        return True
    return (not unit or "" in units) and not is_money(unit) and not any(map(is_money, units))
