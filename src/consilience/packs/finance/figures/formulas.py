"""How is a calculation told? Its formula with the numbers as printed, and what comes out.

Numbers are written with a point and commas between thousands; in the lines below the formula the
operands keep the text of their cells. What comes out is rounded to what the operands allow; the
unrounded number is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from consilience.packs.finance.data_model import BETWEEN
from consilience.packs.finance.figures.rows import compared
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.figures.writing import (
    amount_of,
    decimals,
    places,
    plain,
    scaled,
    side,
    signed,
    unit_of,
    written,
)
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.operations import Bound
from consilience.packs.finance.tables.items import unit_text

_PERCENT = frozenset({"%", "percent", "pp"})
_SIGNS = {">": "above", ">=": "at least", "<": "below", "<=": "at most"}
_MOST_LISTED = 24
_FEW = 1000
_SHORT = 3
_SCALED = re.compile(
    r"(?i)(?<!\bper )(?<!\bje )(?<!\bpro )(?<!\w)(?:(?P<thousand>thousands?|tausend|k(?=[€$£])|kt|"
    r"t€)|(?P<million>millions?|millionen|mio\.?|mn))(?!\w)"
)
_TENTHS = 1
"""Decimals of a percentage, as reports print them; the next one is told below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the arithmetic gave, in whole units.

    `percent` is a change in percent of `base`. `field` are the numbers among which some were
    picked, and `limit` is the bound that they were measured by. `question` is what was asked.
    """

    operation: str
    facts: tuple[Fact, ...]
    result: Decimal
    by: str = ""
    percent: Decimal | None = None
    base: Decimal | None = None
    field: tuple[Fact, ...] = ()
    bound: Bound | None = None
    limit: Decimal | None = None
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The same in words: `text` is what comes out, `value` the number of it, unrounded.

    `finer` is the same with more decimals than the operands bear out, for those who compare.
    """

    operation: str
    formula: str
    text: str
    value: str
    unit: str
    by: str = ""
    finer: str = ""


def worded(outcome: Outcome) -> Result:
    """What comes out, in words."""
    makers = {
        "ratio": _ratio,
        "share": _share,
        "change of share": _shares,
        "growth": _growth,
        "sum": _total,
        "average": _total,
        "highest": _picked,
        "lowest": _picked,
        "count": _counted,
        "trend": _trend,
    }
    return makers.get(outcome.operation, _difference)(outcome)


def _difference(one: Outcome) -> Result:
    first, second = one.facts[:2]
    value = scaled(one.result, first)
    unit = "pp" if first.unit in _PERCENT else unit_of(first)
    text = f"{signed(value, decimals(one.facts))} {unit}".strip()
    percent = _percent(one)
    if first.unit not in _PERCENT and percent:
        text = f"{text} ({percent})"
    taken = side(second, first)
    if second.number < 0 and one.result == first.number + second.number:
        taken = f"|{taken.strip('()')}|"  # printed below zero because it was spent
    formula = f"{side(first, first)} − {taken} = {text}"
    return Result(
        operation=one.operation,
        formula=formula,
        text=text,
        value=plain(value),
        unit=unit,
        by=one.by,
        finer=f"{signed(one.percent, 2)} %" if one.percent is not None and "(" in text else "",
    )


def _growth(one: Outcome) -> Result:
    first, second = one.facts[:2]
    if first.unit in _PERCENT:
        return _difference(one)
    over = f"({side(first, first)} − {side(second, first)}) / {side(second, first)}"
    text = _percent(one) or "not meaningful, because what it is counted from is negative"
    value = plain(one.percent) if one.percent is not None and text[0] in "+−0" else ""
    return Result(
        operation=one.operation,
        formula=f"{over} = {text}",
        text=text,
        value=value,
        unit="%",
        by=one.by,
        finer=f"{signed(one.percent, 2)} %" if one.percent is not None and value else "",
    )


def _percent(one: Outcome) -> str:
    """A change in percent; none from nothing, nor from a loss to a profit.

    Two numbers below zero are mostly costs: there the amounts are compared.
    """
    if one.percent is None or not one.base:
        return ""
    text = f"{signed(one.percent, _TENTHS)} %"
    if one.base > 0:
        return text
    return f"{text} by amount" if one.result + one.base < 0 else ""


def _ratio(one: Outcome) -> Result:
    """A quotient; of two units it is so much of the one for each of the other."""
    text = written(one.result, 2 if abs(one.result) >= 1 else 4)
    over, under = (fact.unit for fact in one.facts[:2])
    if not over or not under or over == under:
        return _quotient(one, text)
    each = under[:-1] if under.endswith("s") and len(under) > _SHORT else under
    if (scale := _scale_said(one.question)) > 1:
        value = one.result / scale
        text = written(value, 2 if abs(value) >= 1 else 4)
    return _quotient(one, f"{text} {unit_text(over, scale)} per {each}", unit=f"{over}/{each}")


def _scale_said(question: str) -> int:
    """In how many at once a question wants what is divided to be told: thousand euros a head."""
    said = _SCALED.search(question)
    return 1 if said is None else 1000 if said["thousand"] else 1_000_000


def _share(one: Outcome) -> Result:
    told = f"{written(one.result, _TENTHS)} %"
    return _quotient(one, told, unit="%", finer=f"{written(one.result, 2)} %")


def _quotient(one: Outcome, text: str, *, unit: str = "", finer: str = "") -> Result:
    first, second = one.facts[:2]
    return Result(
        operation=one.operation,
        formula=f"{_over(one, first)} / {_over(one, second)} = {text}",
        text=text,
        value=plain(one.result),
        unit=unit,
        by=one.by,
        finer=finer,
    )


def _over(one: Outcome, fact: Fact) -> str:
    """A side of a quotient; one below zero of which the amount was taken stands between bars."""
    first, second = one.facts[:2]
    text = side(fact, first) if first.unit == second.unit else amount_of(fact)
    amounts = one.result > 0 and (first.value < 0) != (second.value < 0)
    return f"|{text.strip('()')}|" if amounts and fact.value < 0 else text


def _shares(one: Outcome) -> Result:
    """Two shares and their difference; `percent` and `base` are the later and the earlier one."""
    pairs = (one.facts[:2], one.facts[2:4])
    over = " − ".join(f"{side(part, part)} / {side(whole, part)}" for part, whole in pairs)
    now, before = one.percent or Decimal(0), one.base or Decimal(0)
    text = f"{signed(one.result, _TENTHS)} pp"
    shares = f"{written(now, _TENTHS)} % − {written(before, _TENTHS)} %"
    return Result(
        operation=one.operation,
        formula=f"{over} = {shares} = {text}",
        text=text,
        value=plain(one.result),
        unit="pp",
        finer=f"{signed(one.result, 2)} pp",
    )


def _total(one: Outcome) -> Result:
    first, value = one.facts[0], scaled(one.result, one.facts[0])
    digits = decimals(one.facts)
    finer = ""
    if one.operation == "average":
        digits = digits or int(abs(value) < _FEW)
        finer = f"{written(value, max(digits + 1, 2))} {unit_of(first)}".strip()
    terms = " + ".join(side(fact, first, brackets=True) for fact in one.facts[:_MOST_LISTED])
    terms += " + …" if len(one.facts) > _MOST_LISTED else ""
    if one.operation == "average":
        terms = f"({terms}) / {len(one.facts)}"
    text = f"{written(value, digits)} {unit_of(first)}".strip()
    return Result(
        operation=one.operation,
        formula=f"{terms} = {text}",
        text=text,
        value=plain(value),
        unit=unit_of(first),
        finer=finer,
    )


def _picked(one: Outcome) -> Result:
    named = [f"{_name(fact, one.field)} ({amount_of(fact)})" for fact in one.facts[:_MOST_LISTED]]
    text = ", ".join(named)
    first = one.facts[0]
    return Result(
        operation=one.operation,
        formula=f"{one.operation} of {len(one.field)}: {text}",
        text=text,
        value=plain(first.value),
        unit=unit_of(first),
    )


def _counted(one: Outcome) -> Result:
    limit = ""
    if one.bound and one.limit is not None:
        number = scaled(one.limit, one.field[0])
        unit = unit_of(one.field[0])
        limit = f"{_SIGNS[one.bound.comparison]} {written(number, places(number))} {unit}".strip()
    named = ", ".join(
        f"{_name(fact, one.field)} ({amount_of(fact)})" for fact in one.facts[:_MOST_LISTED]
    )
    text = f"{len(one.facts)} of {len(one.field)}"
    formula = f"{text} are {limit}" + (f": {named}" if named else "")
    return Result(
        operation=one.operation, formula=formula, text=text, value=str(len(one.facts)), unit=""
    )


def _trend(one: Outcome) -> Result:
    """The first and the last of a series; the others stand in the lines below."""
    first, last = one.facts[0], one.facts[-1]
    value = scaled(one.result, last)
    unit = "pp" if last.unit in _PERCENT else unit_of(last)
    percent = _percent(one) if last.unit not in _PERCENT else ""
    change = signed(value, decimals(one.facts)) + (" pp" if unit == "pp" else "")
    change += f" ({percent})" if percent else ""
    text = f"{side(first, last)} → {amount_of(last)}, {change}"
    return Result(operation=one.operation, formula=text, text=text, value=plain(value), unit=unit)


def heading(facts: Sequence[Fact], result: Result) -> str:
    """What was computed: `EBITDA of Portugal, August 2025 against budget`."""
    first = facts[0]
    metrics = list(dict.fromkeys(one.metric for one in facts))
    entities = list(dict.fromkeys(_entity(one) for one in facts if one.entity))
    joint = " against " if result.by else " and "
    name = joint.join(metrics[:3])
    if entities and result.operation not in ("highest", "lowest", "count"):
        name += f" of {joint.join(entities[:4])}"
    elif companies := list(dict.fromkeys(one.company for one in facts if one.company)):
        name += f" of {joint.join(companies[:2])}"
    if result.by == "basis" and facts[1].basis != first.basis:
        return ", ".join(
            part for part in (name, f"{_when(first)} against {facts[1].basis}") if part
        )
    return ", ".join(part for part in (name, _times(facts, joint)) if part)


def _times(facts: Sequence[Fact], joint: str) -> str:
    """The times of numbers; of more than three the first and the last."""
    times = list(dict.fromkeys(_when(one) for one in facts if one.period))
    if len(times) <= 3:
        return joint.join(times)
    first, last = times[0].split(), times[-1].split()
    if len(first) == len(last) == 2 and first[1] == last[1]:
        return f"{first[0]} to {times[-1]}"
    return f"{times[0]} to {times[-1]}"


def line_of(one: Fact) -> str:
    """Where an operand is printed: what it is, its text, document, page, table and row."""
    what = ", ".join(part for part in (_subject(one), _when(one), one.basis) if part)
    place = [one.title or one.document]
    place += [f"page {one.page}"] if one.page is not None else []
    place += [f"table {one.table}"] if one.table else []
    place += [f"row {one.row}"] if one.row is not None else []
    unit = f" {unit_of(one)}" if unit_of(one) and unit_of(one) not in one.text else ""
    return f"{one.text}{unit}: {what} ({', '.join(place)})"


def _subject(one: Fact) -> str:
    """What a number is of, each name once: its metric, the labels of its row, its entity."""
    labels = one.label.split(BETWEEN) if one.label else []
    measured = any(one.metric.casefold() in label.casefold() for label in labels)
    return _once([*([] if measured else [one.metric]), *labels, *one.parts])


def _entity(one: Fact) -> str:
    return _once(one.parts)


def _once(names: Sequence[str]) -> str:
    """Names without those that say the same again: `Portugal` and `Total Portugal`."""
    kept: dict[str, str] = {}
    for name in names:
        key = compared(name)
        if name and (key not in kept or len(name) < len(kept[key])):
            kept[key] = name
    return BETWEEN.join(kept.values())


def _name(fact: Fact, facts: Sequence[Fact]) -> str:
    """By what a number differs from the others it is listed with."""
    if len({one.entity for one in facts}) > 1:
        return _entity(fact) or fact.company or fact.metric
    if len({one.period for one in facts}) > 1:
        return _when(fact)
    if len({one.metric for one in facts}) > 1:
        return fact.metric
    return _entity(fact) or _when(fact) or fact.label


def _when(fact: Fact) -> str:
    return told(fact.time) if fact.time else ""
