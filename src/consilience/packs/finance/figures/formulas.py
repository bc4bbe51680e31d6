"""How is a calculation told? Its formula with the numbers as printed, and what comes out.

Numbers are written with a point and commas between thousands; in the lines below the formula the
operands keep the text of their cells. What comes out is rounded to what the operands allow; the
unrounded number is kept beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from consilience.packs.finance.figures.rows import compared
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.operations import Bound
from consilience.packs.finance.shapes import BETWEEN
from consilience.packs.finance.tables.items import unit_text

_PERCENT = frozenset({"%", "percent", "pp"})
_SIGNS = {">": "above", ">=": "at least", "<": "below", "<=": "at most"}
_MOST_LISTED = 24
_FEW = 1000
_TENTHS = 1
"""Decimals of a percentage, as reports print them; the next one is told below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the arithmetic gave, in whole units.

    `percent` is a change in percent of `base`. `field` are the numbers among which some were
    picked, and `limit` is the bound that they were measured by.
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
    value = _scaled(one.result, first)
    unit = "pp" if first.unit in _PERCENT else _unit(first)
    text = f"{_signed(value, _decimals(one.facts))} {unit}".strip()
    percent = _percent(one)
    if first.unit not in _PERCENT and percent:
        text = f"{text} ({percent})"
    formula = f"{_side(first, first)} − {_side(second, first)} = {text}"
    return Result(
        operation=one.operation,
        formula=formula,
        text=text,
        value=_plain(value),
        unit=unit,
        by=one.by,
        finer=f"{_signed(one.percent, 2)} %" if one.percent is not None and "(" in text else "",
    )


def _growth(one: Outcome) -> Result:
    first, second = one.facts[:2]
    if first.unit in _PERCENT:
        return _difference(one)
    over = f"({_side(first, first)} − {_side(second, first)}) / {_side(second, first)}"
    text = _percent(one) or "not meaningful, because what it is counted from is negative"
    value = _plain(one.percent) if one.percent is not None and text[0] in "+−0" else ""
    return Result(
        operation=one.operation,
        formula=f"{over} = {text}",
        text=text,
        value=value,
        unit="%",
        by=one.by,
        finer=f"{_signed(one.percent, 2)} %" if one.percent is not None and value else "",
    )


def _percent(one: Outcome) -> str:
    """A change in percent; none from nothing, nor from a loss to a profit.

    Two numbers below zero are mostly costs: there the amounts are compared.
    """
    if one.percent is None or not one.base:
        return ""
    text = f"{_signed(one.percent, _TENTHS)} %"
    if one.base > 0:
        return text
    return f"{text} by amount" if one.result + one.base < 0 else ""


def _ratio(one: Outcome) -> Result:
    return _quotient(one, _number(one.result, 2 if abs(one.result) >= 1 else 4))


def _share(one: Outcome) -> Result:
    told = f"{_number(one.result, _TENTHS)} %"
    return _quotient(one, told, unit="%", finer=f"{_number(one.result, 2)} %")


def _quotient(one: Outcome, text: str, *, unit: str = "", finer: str = "") -> Result:
    first, second = one.facts[:2]
    return Result(
        operation=one.operation,
        formula=f"{_over(one, first)} / {_over(one, second)} = {text}",
        text=text,
        value=_plain(one.result),
        unit=unit,
        by=one.by,
        finer=finer,
    )


def _over(one: Outcome, fact: Fact) -> str:
    """A side of a quotient; one below zero of which the amount was taken stands between bars."""
    first, second = one.facts[:2]
    text = _side(fact, first)
    amounts = one.result > 0 and (first.value < 0) != (second.value < 0)
    return f"|{text.strip('()')}|" if amounts and fact.value < 0 else text


def _shares(one: Outcome) -> Result:
    """Two shares and their difference; `percent` and `base` are the later and the earlier one."""
    pairs = (one.facts[:2], one.facts[2:4])
    over = " − ".join(f"{_side(part, part)} / {_side(whole, part)}" for part, whole in pairs)
    now, before = one.percent or Decimal(0), one.base or Decimal(0)
    text = f"{_signed(one.result, _TENTHS)} pp"
    shares = f"{_number(now, _TENTHS)} % − {_number(before, _TENTHS)} %"
    return Result(
        operation=one.operation,
        formula=f"{over} = {shares} = {text}",
        text=text,
        value=_plain(one.result),
        unit="pp",
        finer=f"{_signed(one.result, 2)} pp",
    )


def _total(one: Outcome) -> Result:
    first, value = one.facts[0], _scaled(one.result, one.facts[0])
    digits = _decimals(one.facts)
    finer = ""
    if one.operation == "average":
        digits = digits or int(abs(value) < _FEW)
        finer = f"{_number(value, max(digits + 1, 2))} {_unit(first)}".strip()
    terms = " + ".join(_side(fact, first, brackets=True) for fact in one.facts[:_MOST_LISTED])
    terms += " + …" if len(one.facts) > _MOST_LISTED else ""
    if one.operation == "average":
        terms = f"({terms}) / {len(one.facts)}"
    text = f"{_number(value, digits)} {_unit(first)}".strip()
    return Result(
        operation=one.operation,
        formula=f"{terms} = {text}",
        text=text,
        value=_plain(value),
        unit=_unit(first),
        finer=finer,
    )


def _picked(one: Outcome) -> Result:
    named = [f"{_name(fact, one.field)} ({_amount(fact)})" for fact in one.facts[:_MOST_LISTED]]
    text = ", ".join(named)
    first = one.facts[0]
    return Result(
        operation=one.operation,
        formula=f"{one.operation} of {len(one.field)}: {text}",
        text=text,
        value=_plain(first.value),
        unit=_unit(first),
    )


def _counted(one: Outcome) -> Result:
    limit = ""
    if one.bound and one.limit is not None:
        number = _scaled(one.limit, one.field[0])
        unit = _unit(one.field[0])
        limit = f"{_SIGNS[one.bound.comparison]} {_number(number, _places(number))} {unit}".strip()
    named = ", ".join(
        f"{_name(fact, one.field)} ({_amount(fact)})" for fact in one.facts[:_MOST_LISTED]
    )
    text = f"{len(one.facts)} of {len(one.field)}"
    formula = f"{text} are {limit}" + (f": {named}" if named else "")
    return Result(
        operation=one.operation, formula=formula, text=text, value=str(len(one.facts)), unit=""
    )


def _trend(one: Outcome) -> Result:
    """The first and the last of a series; the others stand in the lines below."""
    first, last = one.facts[0], one.facts[-1]
    value = _scaled(one.result, last)
    unit = "pp" if last.unit in _PERCENT else _unit(last)
    percent = _percent(one) if last.unit not in _PERCENT else ""
    change = _signed(value, _decimals(one.facts)) + (" pp" if unit == "pp" else "")
    change += f" ({percent})" if percent else ""
    text = f"{_side(first, last)} → {_amount(last)}, {change}"
    return Result(operation=one.operation, formula=text, text=text, value=_plain(value), unit=unit)


def heading(facts: Sequence[Fact], result: Result) -> str:
    """What was computed: `EBITDA of Portugal, August 2025 against budget`."""
    first = facts[0]
    metrics = list(dict.fromkeys(one.metric for one in facts))
    entities = list(dict.fromkeys(_entity(one) for one in facts if one.entity))
    joint = " against " if result.by else " and "
    name = joint.join(metrics[:3])
    if entities and result.operation not in ("highest", "lowest", "count"):
        name += f" of {joint.join(entities[:4])}"
    elif first.company:
        name += f" of {first.company}"
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
    unit = f" {_unit(one)}" if _unit(one) and _unit(one) not in one.text else ""
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


def _side(fact: Fact, first: Fact, *, brackets: bool = False) -> str:
    """An operand in a formula; with its unit where that is another than the first one's."""
    text = _value(fact)
    if fact.scale != first.scale or fact.unit != first.unit:
        text = _amount(fact)
    return f"({text})" if fact.value < 0 and (brackets or fact is not first) else text


def _amount(fact: Fact) -> str:
    return f"{_value(fact)} {_unit(fact)}".strip()


def _value(fact: Fact) -> str:
    return _number(fact.value, _printed(fact))


def _unit(fact: Fact) -> str:
    return unit_text(fact.unit, fact.scale)


def _scaled(number: Decimal, fact: Fact) -> Decimal:
    return number / fact.scale if fact.scale > 1 else number


def _decimals(facts: Sequence[Fact]) -> int:
    return min(6, max((_printed(one) for one in facts), default=0))


def _printed(fact: Fact) -> int:
    """The decimals that a number has in print: three of 12.500, though the last tell nothing."""
    least = _places(fact.value)
    print_digits = _digits(fact.text)
    fits = (at for at in range(least, least + 5) if _digits(f"{fact.value:.{at}f}") == print_digits)
    return next(fits, least)


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdecimal())


def _places(value: Decimal) -> int:
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _number(value: Decimal, digits: int) -> str:
    rounded = value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{abs(rounded):,.{digits}f}"
    return f"−{text}" if rounded < 0 else text


def _signed(value: Decimal, digits: int) -> str:
    text = _number(value, digits)
    return text if text.startswith("−") or not text.strip("0.,") else f"+{text}"


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
