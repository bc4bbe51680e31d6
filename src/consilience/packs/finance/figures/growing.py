"""What grew more, what grew most, and how much a year? Growth set against growth.

"By how much more did Spain grow than Portugal", "which country grew fastest", "growth a year from
2020 to 2024": the growth of each is computed first, of cells of reports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from consilience.packs.finance.figures.computing import run_over
from consilience.packs.finance.figures.conditions import year_before
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.formulas import Result
from consilience.packs.finance.figures.operands import (
    MOST,
    Side,
    plainly,
    rivals,
    series,
    spoken_times,
    together,
)
from consilience.packs.finance.figures.querying import Search
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.figures.writing import decimals, plain, scaled, side, signed, unit_of
from consilience.packs.finance.notation.measures import CURRENCIES
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match

Told = tuple[Result, Sequence[Fact], str]
"""What comes out, the numbers that it is made of, and the statement."""
Way = Callable[[Asked, Search, Wanted, Fact], Told | None]
"""How something is computed of what is wanted; None where a number is not there."""
EXACT = Decimal("1e-10")
"""To its last sure digit."""
_GROWN = re.compile(
    r"(?i)\b(?:grow(?:s|n|th|ing)?|grew|increas\w*|ris(?:e|es|en|ing)|rose|declin\w*|decreas\w*|"
    r"f(?:ell|all|alls|allen)|drop\w*|shr[aiu]nk|wachstum|wuchs\w*|gewachsen|stieg\w*|gestiegen)\b"
)
_FASTER = re.compile(
    r"(?i)\b(?:faster|slower|fastest|slowest|quicker|stronger|weaker|more|less|than|or|between|"
    r"exceed\w*|above|below|ahead|behind|beat\w*|points|compar\w+|"
    r"outpace\w*|schneller|langsamer|stärker|als|oder)\b"
)
_YEARLY = re.compile(
    r"(?i)\bcagr\b|\b(?:average|mean|compound|annual|annuali[sz]ed|yearly)\b[\w ]{0,20}\b(?:growth|"
    r"gr[eo]w\w*|increase|rate)|\b(?:grow|grew|grown|growth|increase\w*)\b.{0,60}"
    r"\b(?:per year|a year|each year|annually|per annum|p\.a\.|on average)|jährlich"
)
_EXTREME = re.compile(
    r"(?i)\b(?:fastest|slowest|most|least|highest|lowest|largest|biggest|smallest|strongest|weakest|"
    r"greatest|best|worst|steepest|sharpest)\b"
)
_LEAST = re.compile(r"(?i)\b(?:slowest|least|lowest|smallest|weakest|worst)\b")
_FALLEN = re.compile(r"(?i)\b(?:declin\w*|decreas\w*|f(?:ell|all\w*)|drop\w*|shr[aiu]nk\w*)\b")
_IN_PERCENT = re.compile(r"(?i)\bgr[eo]w\w*|fastest|slowest|per ?cent|%|rate|wachstum|gewachsen")
_RELATED = frozenset({"growth", "difference", "compare", "highest", "lowest"})
_GROWTHS = "SELECT 100 * (a - b) / b, 100 * (c - d) / d FROM sides"
_RANKED = (
    "SELECT a.operand, a.number - b.number, 100 * (a.number - b.number) / b.number "
    "FROM cells a JOIN cells b ON b.operand = a.operand + ? ORDER BY {by} {order}, 1 LIMIT 1"
)
_YEARS = "SELECT 100 * (pow(a::DOUBLE / b::DOUBLE, 1.0 / ?::DOUBLE) - 1) FROM sides"


def way_of_growth(search: Search, wanted: Wanted) -> Way | None:
    """How growth is to be set against growth, where a question asks for that."""
    words, groups = around(wanted), search.groups(wanted)
    if wanted.operation == "growth" and len(wanted.periods) == 2 and _YEARLY.search(words):
        return _yearly
    if not _GROWN.search(words):
        return None
    if _EXTREME.search(words) and len(groups) < 2:
        return _ranked
    metrics = places(wanted.metrics)
    several = len(groups) == 2 or (len(metrics) == 2 and len(groups) < 2) or _rivals(wanted)
    grown = wanted.operation in _RELATED and wanted.against in (None, "last year")
    set_apart = wanted.operation == "growth" or _FASTER.search(words)
    return _growths if grown and several and set_apart else None


def _rivals(wanted: Wanted) -> bool:
    """Whether two companies are set against each other."""
    return len(wanted.companies) == 2 and not wanted.entities


def _growths(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """How much two things grew, and by how many points the one grew more."""
    now = max(wanted.periods, key=lambda one: one.end, default=best.time)
    if now is None:
        return None
    first = min(wanted.periods, key=lambda one: one.end, default=now)
    before = first if first != now else year_before(now)
    bare = plainly(replace(wanted, bases=(), against=None, is_range=False))
    facts: list[Fact] = []
    for one in _apart(search, bare):
        sides = [Side(wanted=replace(one, periods=(when,))) for when in (now, before)]
        facts += together(search, sides, "period") or ()
    if len(facts) != 4 or any(one.number <= 0 for one in facts[1::2]):
        return None
    rows, query = run_over(asked, _GROWTHS, facts, [])
    ours, theirs = (Decimal(str(one)).quantize(EXACT) for one in rows[0])
    points = ours - theirs
    over = " − ".join(
        f"({side(one, one)} − {side(other, one)}) / {side(other, one)}"
        for one, other in (facts[:2], facts[2:])
    )
    digits = 1 if round(ours, 1) - round(theirs, 1) == round(points, 1) else 2
    shares = f"{signed(ours, digits)} % − ({signed(theirs, digits)} %)"
    text = f"{signed(points, digits)} pp"
    result = Result(
        operation="difference of growth",
        formula=f"{over} = {shares} = {text}",
        text=text,
        value=plain(points),
        unit="pp",
        by="growth",
        finer=f"{signed(points, 2)} pp",
    )
    return result, facts, query


def _apart(search: Search, wanted: Wanted) -> list[Wanted]:
    """The two things that are set against each other."""
    groups, metrics = search.groups(wanted), places(wanted.metrics)
    if len(groups) < 2 and len(wanted.companies) == 2:
        return [replace(wanted, companies=(one,)) for one in wanted.companies]
    if len(groups) == 2:
        ordered = sorted(groups, key=lambda group: min(one.start for one in group))
        return [replace(wanted, entities=tuple(one)) for one in ordered]
    return [replace(wanted, metrics=one) for one in metrics]


def _ranked(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """What grew or fell most: of all that stand side by side, or from each time to the next."""
    bare = plainly(replace(wanted, bases=(), against=None))
    pairs = _in_time(search, bare) if spoken_times(wanted) else _beside(search, bare, best)
    pairs = [(one, other) for one, other in pairs if other.number > 0 and one.unit == other.unit]
    if len(pairs) < 2:
        return None
    words = around(wanted)
    in_percent = bool(_IN_PERCENT.search(words)) or pairs[0][0].unit not in CURRENCIES
    falls = bool(_FALLEN.search(words)) != bool(_LEAST.search(words))
    facts = [one for one, _ in pairs] + [other for _, other in pairs]
    sql = _RANKED.format(
        by="100 * (a.number - b.number) / b.number" if in_percent else "a.number - b.number",
        order="ASC" if falls else "DESC",
    )
    rows, query = run_over(asked, sql, facts, [len(pairs)])
    at, change, share = rows[0]
    one, other = pairs[at - 1]
    name = told(one.time) if spoken_times(wanted) and one.time else _entity(one)
    percent = f"{signed(Decimal(str(share)).quantize(EXACT), 1)} %"
    amount = f"{signed(scaled(change, one), decimals((one, other)))} {unit_of(one)}"
    text = f"{name} ({percent if in_percent else f'{amount}, {percent}'})"
    kind = "lowest" if falls else "highest"
    result = Result(
        operation=kind,
        formula=f"{kind} change of {len(pairs)}: {text}",
        text=text,
        value=plain(Decimal(str(share)).quantize(EXACT)),
        unit="%",
        by="growth",
    )
    return result, (one, other), query


def _beside(search: Search, wanted: Wanted, best: Fact) -> list[tuple[Fact, Fact]]:
    """All that stand side by side, each with the same a time before."""
    now = max(wanted.periods, key=lambda one: one.end, default=best.time)
    if now is None:
        return []
    first = min(wanted.periods, key=lambda one: one.end, default=now)
    before = first if first != now else year_before(now)
    ours = rivals(search, replace(wanted, periods=(now,), is_range=False))
    others = search.facts(replace(wanted, periods=(before,), is_range=False), MOST)
    found = {}
    for one in reversed(others):
        found[one.document, one.table, one.metric, one.label, one.entity] = one
    keys = [(one.document, one.table, one.metric, one.label, one.entity) for one in ours]
    return [(one, found[key]) for one, key in zip(ours, keys, strict=True) if key in found]


def _in_time(search: Search, wanted: Wanted) -> list[tuple[Fact, Fact]]:
    """Each time of a series with the one before it."""
    found = series(search, replace(wanted, operation="trend"))
    return [(one, other) for other, one in pairwise(found)]


def _entity(one: Fact) -> str:
    return one.parts[-1] if one.parts else one.company or one.label


def _yearly(asked: Asked, search: Search, wanted: Wanted, best: Fact) -> Told | None:
    """By how much something grew in each year on average, from its first to its last number."""
    del best
    times = sorted(wanted.periods, key=lambda one: one.end, reverse=True)
    bare = plainly(replace(wanted, bases=(), against=None, is_range=False))
    sides = [Side(wanted=replace(bare, periods=(one,))) for one in times]
    facts, years = together(search, sides, "period"), times[0].year - times[1].year
    if not facts or years < 1 or any(one.number <= 0 for one in facts):
        return None
    rows, query = run_over(asked, _YEARS, facts, [years])
    value = Decimal(str(rows[0][0])).quantize(EXACT)
    text = f"{signed(value, 1)} % a year"
    over = f"{side(facts[0], facts[0])} / {side(facts[1], facts[0])}"
    result = Result(
        operation="growth",
        formula=f"({over}) ^ (1/{years}) − 1 = {text}",
        text=text,
        value=plain(value),
        unit="%",
        by="period",
        finer=f"{signed(value, 2)} %",
    )
    return result, facts, query


def places(matches: Sequence[Match]) -> list[tuple[Match, ...]]:
    """Matches by where they are named, in order."""
    starts = sorted({one.start for one in matches})
    return [tuple(one for one in matches if one.start == start) for start in starts]


def around(wanted: Wanted) -> str:
    """A question without the names in it: "increase in provisions" asks for no growth."""
    text: list[Any] = list(wanted.question)
    for one in (*wanted.metrics, *wanted.entities, *wanted.companies):
        if one.how != "alias" or not _GROWN.search(one.said):
            text[one.start : one.end] = " " * (one.end - one.start)
    return "".join(text)
