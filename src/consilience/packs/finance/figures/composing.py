"""What is computed of what has to be computed first? Growth against growth, the share of a sum.

"By how much more did Spain grow than Portugal", "cement and ready-mix together as a share of
EBITDA", "inventories plus receivables less payables", "volume times price": each is one formula
over the cells of reports, and where a cell is not there, nothing is told instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from consilience.packs.finance.figures.computing import Computed, is_outlay, made, run_over
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.formulas import Result
from consilience.packs.finance.figures.growing import (
    EXACT,
    Told,
    Way,
    around,
    places,
    way_of_growth,
)
from consilience.packs.finance.figures.operands import Side, plainly, together
from consilience.packs.finance.figures.querying import Search
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.figures.writing import (
    amount_of,
    decimals,
    plain,
    scaled,
    side,
    unit_of,
    written,
)
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match

_JOINTLY = re.compile(
    r"(?i)\b(?:together|combined|jointly|sum of|plus|in total|between them|added up|zusammen|"
    r"summe)\b"
)
_THEIR = re.compile(r"(?i)\b(?:their|these|both|ihrem|ihrer|deren)\b")
_WHOLE = re.compile(r"(?i)\b(?:group|company|total|overall|consolidated|konzern)\w*\b")
_LESS = re.compile(
    r"(?i)\W*(?:and\s)?(?:less|minus|net of|[-−–]|abzüglich)\W*(?:the |its |their )?"
)
_PLUS = re.compile(r"(?i)\W*(?:and|plus|\+|und|zuzüglich)?\W*(?:the |its |their )?")
_TIMES = re.compile(
    r"(?i)\W*(?:\w+ )?(?:times|multiplied (?:by|with)|[×*x]|mal|multipliziert mit)\W*"
    r"(?:the |its |their )?"
)
_QUOTIENT = (
    "SELECT CASE WHEN sum(number) FILTER (operand > ?) <> 0 THEN "
    "sum(number) FILTER (operand <= ?) / sum(number) FILTER (operand > ?) END FROM cells"
)
_SIGNED = (
    "SELECT sum(CASE WHEN list_contains(?::INTEGER[], operand) THEN -number ELSE number END) "
    "FROM cells"
)
_PRODUCT = "SELECT a::DOUBLE * b::DOUBLE FROM sides"


def composed(
    asked: Asked, search: Search, wanted: Wanted, best: Fact, collection: str
) -> tuple[bool, Computed | None]:
    """Whether something is asked of what has to be computed first, and what comes out."""
    way = _way(search, wanted)
    if way is None:
        return False, None
    found = way(asked, search, wanted, best)
    if found is None:
        return True, None
    result, facts, query = found
    return True, made(result, facts, query, collection)


def _way(search: Search, wanted: Wanted) -> Way | None:
    metrics, groups = places(wanted.metrics), search.groups(wanted)
    words = around(wanted)
    if len(wanted.periods) > 1:
        return way_of_growth(search, wanted)
    if len(metrics) == 2 and _TIMES.fullmatch(_between(wanted, metrics)[0]):
        return _product
    if wanted.operation in ("share", "ratio") and _JOINTLY.search(words):
        parts = [one for one in metrics if not _same(one, _under(wanted))]
        return _joint if len(groups) > 1 or len(parts) > 1 else None
    if len(metrics) > 2 and wanted.operation in ("difference", "sum") and _signs(wanted):
        return _summed
    return way_of_growth(search, wanted)


def _joint(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """What several make together, by what they are a part of or are divided by."""
    del best
    bare, under = plainly(wanted), _under(wanted)
    metrics, groups = places(wanted.metrics), search.groups(wanted)
    parts = [one for one in metrics if not _same(one, under)] or metrics[:1]
    over = [_of(bare, one, group) for one in parts for group in groups or [()]]
    same = _same(parts[0], under)
    if under is None or len(over) < 2:
        return None
    whole = same or (len(groups) > 1 and bool(_WHOLE.search(around(wanted))))
    if whole and len(groups) > 1 and not _THEIR.search(wanted.question):
        below = [Side(wanted=replace(bare, metrics=(under,), entities=()), whole=True)]
    else:
        below = [_of(bare, (under,), group) for group in groups or [()]]
    facts = together(search, [*over, *below], "entity" if same else "metric")
    if not facts or len({one.unit for one in facts}) > 1:
        return None
    first, count = facts[0], len(over)
    rows, query = run_over(asked, _QUOTIENT, facts, [count] * 3)
    if rows[0][0] is None:
        return None
    quotient = abs(Decimal(str(rows[0][0]))).quantize(EXACT)
    share = wanted.operation == "share"
    value = quotient * 100 if share else quotient
    text = f"{written(value, 1)} %" if share else written(value, 2)
    sums = [" + ".join(side(one, first) for one in some) for some in (facts[:count], facts[count:])]
    shown = [f"({one})" if " + " in one else one for one in sums]
    result = Result(
        operation=str(wanted.operation),
        formula=f"{' / '.join(shown)} = {text}",
        text=text,
        value=plain(value),
        unit="%" if share else "",
        finer=f"{written(value, 2)} %" if share else "",
    )
    return result, facts, query


def _of(wanted: Wanted, metrics: Sequence[Match], group: Sequence[Match]) -> Side:
    return Side(wanted=replace(wanted, metrics=tuple(metrics), entities=tuple(group)))


def _summed(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """Several metrics added up, those behind "less" taken off."""
    del best
    bare = plainly(wanted)
    sides = [Side(wanted=replace(bare, metrics=one)) for one in places(wanted.metrics)]
    facts = together(search, sides, "metric")
    if not facts or len({one.unit for one in facts}) > 1:
        return None
    signs = _signs(wanted)
    less = [
        at
        for at, (one, sign) in enumerate(zip(facts, signs, strict=True), start=1)
        if sign < 0 and not is_outlay(one)  # which is printed below zero already
    ]
    rows, query = run_over(asked, _SIGNED, facts, [less])
    first = facts[0]
    value, terms = scaled(rows[0][0], first), [side(first, first)]
    for one, sign in zip(facts[1:], signs[1:], strict=True):
        amount = f"|{side(one, first).strip('()')}|"
        terms += ["+" if sign > 0 else "−"]
        terms += [amount if sign < 0 and is_outlay(one) else side(one, first)]
    text = f"{written(value, decimals(facts))} {unit_of(first)}".strip()
    result = Result(
        operation="sum",
        formula=f"{' '.join(terms)} = {text}",
        text=text,
        value=plain(value),
        unit=unit_of(first),
    )
    return result, facts, query


def _product(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """One metric times another: tonnes at a price for each are money."""
    del best
    bare = plainly(wanted)
    sides = [Side(wanted=replace(bare, metrics=one)) for one in places(wanted.metrics)]
    facts = together(search, sides, "metric")
    if not facts:
        return None
    rows, query = run_over(asked, _PRODUCT, facts, [])
    value = Decimal(str(rows[0][0])).quantize(EXACT)
    unit = _times(facts[0].unit, facts[1].unit)
    shown, name = value, unit
    for scale, word in ((1_000_000, "million"), (1000, "thousand")):
        if abs(value) >= scale * 10:
            shown, name = value / scale, f"{unit} {word}".strip()
            break
    text = f"{written(shown, 1)} {name}".strip()
    result = Result(
        operation="product",
        formula=f"{amount_of(facts[0])} × {amount_of(facts[1])} = {text}",
        text=text,
        value=plain(shown),
        unit=name,
    )
    return result, facts, query


def _times(one: str, other: str) -> str:
    """The unit of a product: t and USD/t are USD."""
    for whole, each in ((one, other), (other, one)):
        over, slash, under = each.partition("/")
        if slash and under == whole:
            return over
    return " ".join(unit for unit in (one, other) if unit)


def _under(wanted: Wanted) -> Match | None:
    """What is divided by: what a share is taken of, else the metric that is named last."""
    if wanted.whole is not None and wanted.whole.field == "metric":
        return wanted.whole
    metrics = places(wanted.metrics)
    return metrics[-1][0] if metrics else None


def _same(some: Sequence[Match], other: Match | None) -> bool:
    return other is not None and any(one.values == other.values for one in some)


def _between(wanted: Wanted, metrics: Sequence[Sequence[Match]]) -> list[str]:
    """The words between each metric and the next."""
    ends = [one[0].end for one in metrics]
    return [
        wanted.question[end : one[0].start] for end, one in zip(ends, metrics[1:], strict=False)
    ]


def _signs(wanted: Wanted) -> list[int]:
    """1 for each metric that is added and -1 for those taken off; empty where they are not."""
    metrics = places(wanted.metrics)
    signs = [1]
    for words in _between(wanted, metrics):
        if _LESS.fullmatch(words):
            signs.append(-1)
        elif _PLUS.fullmatch(words):
            signs.append(1)
        else:
            return []
    return signs if -1 in signs else []
