"""Is a number counted in what the question asks for? Tonnes are no money, and percent no tonnes."""

from __future__ import annotations

import re
from dataclasses import replace

from consilience.packs.finance.figures.querying import Answered
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.counting import PEOPLE, is_money

_NEAR = 0.25
_PERCENT = frozenset({"%", "pp"})
_IN_PERCENT = re.compile(r"(?i)\bin (?:%|per ?cent|prozent)(?!\w| points?| of)")
_MANY = re.compile(
    r"(?i)\b(?:how many|number of|wie ?viele) "
    r"(?!million|billion|thousand|\S*(?:euro|dollar))"
)
_IN_MONEY = re.compile(
    r"(?i)\bin (?:(?:million|thousand|billion|mio\.?|tausend) )?(?:€|£|us\$|\$|euros?|dollars?|"
    r"pounds?|eur|usd|gbp|chf)(?!\w)"
)


def in_unit(answered: Answered, wanted: Wanted) -> Answered:
    """What was found; nothing is sure of it where its best number is counted in something else."""
    if not answered.rows or wanted.operation is not None:
        return answered
    top = max(one.score for one in answered.rows)
    best = [one for one in answered.rows if one.score >= top - _NEAR]
    if any(_is_in(one, wanted) for one in best):
        return answered
    step = f"no figure for this is counted in {wanted.unit}" if wanted.unit else ""
    return replace(answered, whole=False, steps=(*answered.steps, *([step] if step else [])))


def _is_in(fact: Fact, wanted: Wanted) -> bool:
    """Whether a number has the unit that was said; one without a unit may have any."""
    if not fact.unit:
        return True
    if wanted.unit:
        return fact.unit == wanted.unit or {wanted.unit, fact.unit} <= PEOPLE
    if _MANY.search(wanted.question):
        return not is_money(fact.unit)
    if _IN_PERCENT.search(wanted.question):
        return fact.unit in _PERCENT
    if _IN_MONEY.search(wanted.question):
        return is_money(fact.unit)
    return True
