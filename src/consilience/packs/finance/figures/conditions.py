"""What does a number have to be, to be asked for? Expressions in SQL that say how well it fits.

Each thing that a question names is a `Choice`: an expression that is 0 where a number is not of it,
and more the better it fits. A `Criterion` are the choices of one kind (two periods, three
countries): a number has to meet one of them. Names and dates are parameters, never part of the SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from consilience.packs.finance.data_model import BETWEEN, Basis, Kind, Period
from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.figures.wholes import PATHS, Wholes
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match

METRIC, ENTITY, COMPANY, PERIOD, PLACE = "metric", "entity", "company", "period", "place"
REPORT, DUE = "report", "due"
WORTH = {METRIC: 4.0, ENTITY: 3.0, PERIOD: 3.0, COMPANY: 1.5, PLACE: 1.0, REPORT: 1.0, DUE: 2.0}
"""What a full match of each kind is worth."""
MOST_VALUES = 200
"""Names that one word of a question may stand for; more of them would tell nothing."""
_NAMING = frozenset({METRIC, "caption", "section", "label", "header"})
_FINER: dict[str, tuple[Kind, ...]] = {
    "year": ("month", "quarter", "half"),
    "half": ("month", "quarter"),
    "quarter": ("month",),
    "ytd": ("month", "quarter"),
    "span": ("year", "quarter", "month"),
}
_STEP: dict[str, Kind] = {"mont": "month", "quar": "quarter", "half": "half", "year": "year"}
_STEP |= {"annu": "year", "mona": "month", "vier": "quarter", "halb": "half", "jahr": "year"}
_STEP |= {"jähr": "year"}
_STEPS = re.compile(
    r"(?i)\b(month|quarter|half[ -]?year|year|annual)ly\b|"
    r"\b(?:by|per|each|every|which|what|(?:over|through|across)(?: the| all)?(?: past| last)?|"
    r"recent|(?:past|last) few)\s+"
    r"(month|quarter|half|year)s?\b|"
    r"\b(?:je|pro|nach|jede[nms]?)\s+(monat|quartal|halbjahr|jahr)\w*|"
    r"\b(monatlich|monatsweise|quartalsweise|vierteljährlich|jährlich)\w*"
)
_IN_PERCENT = re.compile(
    r"(?i)margin|marge|\b(?:rates?|ratio|per ?cent\w*|share|yield|return on|quote)\b|%|quote\b"
)
_ELSEWHERE = 0.6
"""What it is worth that a name stands in the headings of a table and not at the number itself."""
_EARLY = "CASE WHEN basis = 'actual' AND ends > _until THEN 0.6 ELSE 1.0 END"
"""What a report says of a time after its own is no more than expected, whatever it is called."""
_BASES: dict[str, float] = {
    "actual": 1.0,
    "last year": 0.95,
    "forecast": 0.5,
    "budget": 0.45,
    "change": 0.3,
}
"""What a number is worth by its basis, where the question names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing that is named: how people read it, and how well a number fits it, from 0 to 1.

    `only` are the values of a column outside of which nothing fits, where that is known: those
    are left out before anything else is looked at.
    """

    said: str
    sql: str
    parameters: tuple[Any, ...]
    only: tuple[str, tuple[Any, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """The choices of a kind, one of which a number has to meet."""

    name: str
    choices: tuple[Choice, ...]

    @property
    def sql(self) -> str:
        """How well a number fits the best of the choices."""
        return f"greatest(0.0, {', '.join(one.sql for one in self.choices)})"

    @property
    def only(self) -> tuple[str, list[Any]] | None:
        """The column and the values of it outside of which nothing fits, where that is known."""
        known = [one.only for one in self.choices if one.only is not None]
        if len(known) < len(self.choices) or len({column for column, _ in known}) != 1:
            return None
        return known[0][0], sorted({value for _, values in known for value in values})

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The values that the expression needs, in order."""
        return tuple(value for one in self.choices for value in one.parameters)


def criteria_of(
    wanted: Wanted, groups: Sequence[Sequence[Match]], wholes: Wholes | None = None
) -> tuple[Criterion, ...]:
    """All that a number has to meet; `groups` are the entities that are named together."""
    found = {
        METRIC: tuple(_named(one, wanted.unit) for one in wanted.metrics),
        ENTITY: tuple(together(group, wholes) for group in groups),
        COMPANY: tuple(_company(one) for one in wanted.companies),
        PERIOD: tuple(_times(wanted)),
        REPORT: tuple(_reported(one) for one in wanted.reports),
        DUE: tuple(_due(one) for one in wanted.due),
    }
    return tuple(Criterion(name=name, choices=some) for name, some in found.items() if some)


def _named(match: Match, unit: str = "") -> Choice:
    """A name in the column that it was found in; one of several parts may be meant by any.

    What is counted in the unit that was said fits better, and percent only where they are meant.
    """
    values = list(match.values[:MOST_VALUES])
    column = match.field if match.field in _NAMING else METRIC
    met = f"list_contains(?::VARCHAR[], {column})"
    known: list[Any] = [values]
    if column in PATHS:
        met = f"({met} OR list_has_any(string_split({column}, '{BETWEEN}'), ?::VARCHAR[]))"
        known.append(values)
    sql = f"CASE WHEN {met} THEN ?::DOUBLE ELSE 0.0 END"
    known.append(float(match.score))
    if unit:
        sql += " * CASE WHEN unit = ? THEN 1.0 ELSE 0.7 END"
        known.append(unit)
    else:
        sql += " * CASE WHEN (unit IN ('%', 'pp')) = ?::BOOLEAN THEN 1.0 ELSE 0.85 END"
        known.append(bool(_IN_PERCENT.search(match.said)))
    only = (METRIC, tuple(values)) if column == METRIC else None
    return Choice(said=match.said, sql=sql, parameters=tuple(known), only=only)


def _company(match: Match) -> Choice:
    """A company by its name; where a file names none, by the file's own name."""
    sql = (
        "CASE WHEN list_contains(?::VARCHAR[], company) THEN ?::DOUBLE "
        "WHEN company = '' AND contains(lower(title || ' ' || document), ?) THEN ?::DOUBLE "
        "ELSE 0.0 END"
    )
    values, score = list(match.values[:MOST_VALUES]), float(match.score)
    known = (values, score, match.said.casefold(), score * _ELSEWHERE)
    return Choice(said=match.said, sql=sql, parameters=known, only=(COMPANY, (*values, "")))


def together(group: Sequence[Match], wholes: Wholes | None = None) -> Choice:
    """Entities that are all meant at once: `Portugal` and `Cement` in `Portugal › Cement`."""
    fits = [_entity(one) for one in group]
    sql = f"least({', '.join(sql for sql, _ in fits)})" if len(fits) > 1 else fits[0][0]
    # What else a number is of makes it less likely the one that is meant.
    depth = len(group)
    sql = f"({sql}) * (1.0 - 0.08 * least(5, greatest(0, len(_parts) - {depth})))"
    found = wholes.of(group) if wholes else None
    return Choice(
        said=" ".join(one.said for one in group),
        sql=sql,
        parameters=tuple(value for _, values in fits for value in values),
        only=("_whole", tuple(found)) if found is not None else None,
    )


def _entity(match: Match) -> tuple[str, list[Any]]:
    """Whether a number is of an entity: by its own, its company, its heading, or its table's."""
    values, score = list(match.values[:MOST_VALUES]), float(match.score)
    paths = [[compared(part) for part in one.split(BETWEEN)] for one in values]
    if match.field in PATHS and not all(is_total(part) for path in paths for part in path):
        choice = _named(match)
        return choice.sql, list(choice.parameters)
    single = sorted({path[0] for path in paths if len(path) == 1})
    longer = [path for path in paths if len(path) > 1][:12]
    whole = all(is_total(part) for path in paths for part in path)
    own = ["list_has_any(_parts, ?::VARCHAR[])"]
    own += ["list_has_all(_parts, ?::VARCHAR[])"] * len(longer)
    own += ["_depth = 0"] if whole else []
    names = sorted({f" {' '.join(path)} " for path in paths})[:12]
    near = " OR ".join("contains(' ' || _place || ' ', ?)" for _ in names)
    sql = (
        f"CASE WHEN {' OR '.join(own)} THEN ?::DOUBLE "
        f"WHEN list_contains(?::VARCHAR[], company) THEN ?::DOUBLE "
        f"WHEN {near} THEN ?::DOUBLE ELSE 0.0 END"
    )
    return sql, [single, *longer, score, values, score, *names, score * _ELSEWHERE]


def _reported(period: Period) -> Choice:
    """What stands in the report for a time, whatever time it tells of."""
    sql = "CASE WHEN _report = ? THEN 1.0 WHEN _until = ?::DATE THEN 0.9 ELSE 0.0 END"
    return Choice(said=reported(period), sql=sql, parameters=(period.key, period.end))


def _due(year: int) -> Choice:
    """What stands in the column of a year, under a heading of what falls due when."""
    sql = (
        f"CASE WHEN list_last(string_split(header, '{BETWEEN}')) = ? AND "
        "regexp_matches(lower(header || ' ' || caption), "
        "'due|matur|repay|expir|fällig|échéan|vencim') THEN 1.0 ELSE 0.0 END"
    )
    return Choice(said=f"due in {year}", sql=sql, parameters=(str(year),))


def reported(period: Period) -> str:
    """How people read which report is meant."""
    return f"the report for {told(period)}"


def _times(wanted: Wanted) -> Iterator[Choice]:
    """Each period on each basis that is asked for; a range is one choice."""
    bases: Sequence[Basis | None] = wanted.bases or (None,)
    for basis in bases:
        if wanted.is_range and len(wanted.periods) > 1:
            yield _within(wanted.periods, basis)
        elif wanted.periods:
            yield from (_at(one, basis) for one in wanted.periods)
        elif basis is not None:
            yield _of_basis(basis)


def _within(periods: Sequence[Period], basis: Basis | None) -> Choice:
    """Any time of a range, in steps of the kind that it is named in, or on a day."""
    first, last = min(one.start for one in periods), max(one.end for one in periods)
    kinds = sorted({"day", *(one.kind for one in periods)})
    weight, known = _weight(basis)
    years = min(one.year for one in periods), max(one.year for one in periods)
    # A business year is meant by its number, whenever it began.
    sql = (
        "CASE WHEN list_contains(?::VARCHAR[], kind) AND (starts >= ?::DATE AND ends <= ?::DATE "
        f"OR kind = 'year' AND year BETWEEN ? AND ?) THEN {weight} ELSE 0.0 END"
    )
    said = f"{told(periods[0])} to {told(periods[-1])}"
    values = (kinds, first, last, *years, *known)
    return Choice(said=_with(basis, said), sql=sql, parameters=values)


def _at(period: Period, basis: Basis | None) -> Choice:
    said = _with(basis, told(period))
    fits, values = _fits(period)
    if basis == "last year":
        before, known = _fits(year_before(period))
        sql = (
            "CASE WHEN basis = 'last year' AND stated = ? THEN 1.0 "
            f"WHEN basis = 'actual' THEN {before} ELSE 0.0 END"
        )
        return Choice(said=said, sql=sql, parameters=(period.key, *known))
    if basis == "change":
        fits = f"greatest(({fits}), (stated = ?)::INTEGER)"
        sql = f"CASE WHEN basis = 'change' THEN {fits} ELSE 0.0 END"
        return Choice(said=said, sql=sql, parameters=(*values, period.key))
    weight, known = _weight(basis)
    return Choice(said=said, sql=f"({fits}) * ({weight})", parameters=(*values, *known))


def _weight(basis: Basis | None) -> tuple[str, list[Any]]:
    """What the basis of a number is worth; a year that is told of as the last one was actual."""
    if basis is None:
        cases = " ".join(f"WHEN '{name}' THEN {worth}" for name, worth in _BASES.items())
        return f"{_EARLY} * CASE basis {cases} ELSE 0.3 END", []
    if basis == "actual":
        known = "CASE basis WHEN 'actual' THEN 1.0 WHEN 'last year' THEN 0.95 ELSE 0.0 END"
        return f"{_EARLY} * {known}", []
    return "CASE WHEN basis = ? THEN 1.0 ELSE 0.0 END", [basis]


def _of_basis(basis: Basis) -> Choice:
    weight, values = _weight(basis)
    return Choice(said=basis, sql=weight, parameters=tuple(values))


def _fits(period: Period) -> tuple[str, list[Any]]:
    """How well the time of a number fits: the same, or the day at the end of it, or the reverse.

    A balance is drawn up on a day, and asked for by its month, quarter or year.
    """
    sql = (
        "CASE WHEN period = ? THEN 1.0 WHEN starts = ?::DATE AND ends = ?::DATE THEN 0.95 "
        "WHEN kind = 'day' AND ends = ?::DATE THEN 0.9 "
    )
    values: list[Any] = [period.key, period.start, period.end, period.end]
    if period.kind == "day":
        # A business year is often named by its number alone, and its last day by those who ask.
        sql += "WHEN ends = ?::DATE THEN 0.8 WHEN kind = 'year' AND year = ? THEN 0.3 "
        values += [period.end, period.year]
    elif period.kind == "year":
        sql += "WHEN kind = 'day' AND year = ? AND ends > ?::DATE THEN 0.6 "
        values += [period.year, period.start]
    return f"{sql}ELSE 0.0 END", values


def said_kind(wanted: Wanted) -> Kind | None:
    """The kind of times that a question speaks of: quarterly, by month."""
    found = _STEPS.search(wanted.question)
    said = next(filter(None, found.groups())) if found else ""
    return _STEP[said.casefold()[:4]] if said else None


def finer_times(wanted: Wanted) -> Iterator[Wanted]:
    """The same for the months, quarters or halves of the one time that is named."""
    if len(wanted.periods) != 1:
        return
    whole, said = wanted.periods[0], said_kind(wanted)
    kinds = _FINER.get(whole.kind, ())
    for kind in (said,) if said in kinds else kinds:
        first = Period(kind=kind, start=whole.start, end=whole.start, year=whole.year)
        last = Period(kind=kind, start=whole.end, end=whole.end, year=whole.year)
        yield replace(wanted, periods=(first, last), is_range=True)


def year_before(period: Period) -> Period:
    """The same time a year earlier."""
    return Period(
        kind=period.kind,
        start=_earlier(period.start),
        end=_earlier(period.end),
        year=period.year - 1,
    )


def _earlier(day: date) -> date:
    if (day.month, day.day) == (2, 29):
        return day.replace(year=day.year - 1, day=28)
    last = date(day.year - 1, 2, 28)
    if (day.month, day.day) == (2, 28) and _is_leap(last.year):
        return last.replace(day=29)
    return day.replace(year=day.year - 1)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _with(basis: Basis | None, said: str) -> str:
    return f"{basis} {said}" if basis not in (None, "actual") else said
