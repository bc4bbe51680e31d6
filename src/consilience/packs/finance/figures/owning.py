"""By which name does the company that is named print a metric? Others may call it otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.dropping import shorter
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.counting import PEOPLE, is_money
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_PRINTED = (
    "SELECT DISTINCT metric, unit, list_contains(?::VARCHAR[], company) FROM figures "
    "WHERE metric IN (SELECT unnest(?::VARCHAR[])) AND basis <> 'change'"
)


def for_company(asked: Asked, wanted: Wanted, vocabulary: Vocabulary) -> Wanted:
    """With other names for the metrics that only other companies print as they are said."""
    metrics = tuple(_of_people(asked, one) for one in wanted.metrics)
    if wanted.companies:
        metrics = tuple(_by_all(asked, one, wanted.companies, vocabulary) for one in metrics)
    return replace(wanted, metrics=metrics) if metrics != wanted.metrics else wanted


def _of_people(asked: Asked, match: Match) -> Match:
    """Without what people cost, where they are called by a name of both: the personnel."""
    if match.field != "metric" or len(match.values) < 2:
        return match
    units: dict[str, set[str]] = {}
    for name, unit, _ in asked.rows(_PRINTED, [[], list(match.values)]):
        units.setdefault(name, set()).add(unit)
    if not any(PEOPLE & some for some in units.values()):
        return match
    kept = tuple(one for one in match.values if not any(map(is_money, units.get(one, ()))))
    return replace(match, values=kept) if kept else match


def _by_all(
    asked: Asked, match: Match, companies: Sequence[Match], vocabulary: Vocabulary
) -> Match:
    """A metric by the names that each of the companies has for it."""
    found = [_owned(asked, match, one.values, vocabulary) for one in companies]
    values = dict.fromkeys(value for one in found for value in one.values)
    other = next((one for one in found if one != match), match)
    return replace(other, values=tuple(values))


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


def equally(asked: Asked, match: Match, vocabulary: Vocabulary) -> Match:
    """A metric with all names of equal standing that are counted in the same: who names no company
    may mean one that prints it otherwise.
    """
    if match.field != "metric":
        return match
    units = {unit for _, unit, _ in asked.rows(_PRINTED, [[], list(match.values)])}
    others = [one for one in vocabulary.wider(match) if one.how != "partial"]
    others += shorter(match, vocabulary)
    named = dict.fromkeys(value for one in others for value in one.values)
    rows = asked.rows(_PRINTED, [[], list(named)]) if named else ()
    there = {name for name, unit, _ in rows if _is_alike(unit, units)}
    values = dict.fromkeys((*match.values, *(name for name in named if name in there)))
    return replace(match, values=tuple(values))


def _is_alike(unit: str, units: Collection[str]) -> bool:
    """Whether a unit may count the same: personnel are people here, and what they cost there."""
    if unit in units or (unit in PEOPLE and PEOPLE.intersection(units)):
        return True
    if is_money(unit) and any(map(is_money, units)):
        return ("/" in unit) in {"/" in one for one in units if is_money(one)}
    return (not unit or "" in units) and not is_money(unit) and not any(map(is_money, units))
