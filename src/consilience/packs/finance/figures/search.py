"""Which cells of which rows does a query mean? Rows are ranked by their words, cells by their time.

What a question names is matched against the labels of the rows that are there: the very words,
then names of equal standing. Words of a label that the question does not say count against it; the
statement that prints such a measure comes before notes, totals before parts, the full year before
its quarters. Rows are ranked in memory, their cells come from one SELECT.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.packs.finance.data_model import BETWEEN, Period
from consilience.packs.finance.figures.lexicon import NOTE, QUARTERS, SUMMARY, Lexicon, RowName
from consilience.packs.finance.figures.query import FigureQuery, Term
from consilience.packs.finance.figures.store import LISTED, Asked, Fact, facts_of, shown
from consilience.packs.finance.figures.vocabulary import LIGHT, counts, formulas, statement_of
from consilience.packs.finance.notation.periods import closeness
from consilience.packs.finance.notation.periods.times import counted
from consilience.understand.names import surface

Allowed = Callable[[Collection[str]], Collection[str]]
"""Which of these passages the filters of a request let through."""
_ROWS = 120
"""Rows whose cells are looked at."""
_SURE_SHARE = 0.66
"""How much of what is named a row has to have, to answer."""
_EXACT = 0.9
"""How well its time must fit."""
_FITS = {"exact": 1.05, "group": 1.0, "core": 1.0, "path": 0.9, "other": 0.7, "place": 0.35}
WHOLE = LIGHT | {"gesamt", "week", "weeks", "52", "53", "ended", "operation", "segment"}
"""Words of entities that name no part of a whole."""
_TIED = 0.001
_INSIDE, _LEAST = 0.9, 0.4
"""How well a measure fits a longer label that has its words, less for each further one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row with how well it fits, and which share of what is named it has."""

    row: RowName
    score: float
    share: float
    missing: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Cells for one thing at one time, best first; `is_sure` says that the first answers."""

    facts: tuple[Fact, ...] = ()
    is_sure: bool = False
    missing: tuple[str, ...] = ()
    note: str = ""

    @property
    def best(self) -> Fact | None:
        """The cell that answers, where that is sure."""
        return self.facts[0] if self.facts and self.is_sure else None


class FigureSearch:
    """Looks the things of one query up; what was ranked once is kept for its other times."""

    def __init__(
        self, asked: Asked, lexicon: Lexicon, query: FigureQuery, allowed: Allowed | None = None
    ) -> None:
        self.asked = asked
        self.lexicon = lexicon
        self.query = query
        self._allowed = allowed
        self.statements: list[str] = []
        self._matched: dict[tuple[Any, ...], list[Match]] = {}
        self._fits: dict[Term, dict[int, float]] = {}
        self._said = f" {surface(query.text)} "

    def find(
        self,
        terms: Sequence[Term],
        period: Period | None,
        *,
        company: str = "",
        basis: str = "",
        table: tuple[str, str] | None = None,
        measure: str = "",
    ) -> Found:
        """The cells that have what is named, at a time, best first.

        With a `table` only those of it; with a `measure` only rows that are named that, in
        the statement that prints it where a report has that statement.
        """
        matches = self.rows(terms, company=company, table=table)
        if measure:
            matches = [one for one in matches if self._is_measure(one.row, measure)]
        if not matches:
            return Found()
        basis = basis or self.query.basis
        facts = self._cells(matches, terms, period, basis)
        if not facts:
            return Found(missing=(period.key,) if period else ())
        best = facts[0]
        by_row = {(one.row.passage, one.row.metric, one.row.entity): one for one in matches}
        match = _match(by_row, best)
        lost = tuple(one.words for one in match.missing if one.kind in ("name", "measure", "label"))
        timed = period is None or self.fit(best, period) >= _EXACT
        note = "" if company else self._rivals(best, facts, by_row)
        note = note or _tie(facts)
        lost += tuple(one.words for one in terms if one.kind == "lost")
        counted = any(
            one.kind != "name" and match.row.core.intersection(one.stems) for one in terms
        )
        counted = counted or any(
            one.group in match.row.groups for one in terms if one.kind == "measure"
        )
        if not any(one.kind in ("measure", "label") for one in terms):
            counted = counted and not self.query.unread  # what is asked for is not understood
        sure = match.share >= _SURE_SHARE and not lost and timed and not note and counted
        return Found(facts=tuple(facts), is_sure=sure, missing=lost, note=note)

    def _is_measure(self, row: RowName, measure: str) -> bool:
        """Whether a row is a measure itself, and stands where a report has it for the group."""
        own = statement_of(measure)
        held = self.lexicon.statements.get(row.document, frozenset())
        if own and own in held and row.statement not in (own, SUMMARY):
            return False
        if measure in row.groups:
            return True
        names = self.lexicon.vocabulary.names_of(measure)
        return any(
            0 <= len(row.core - LIGHT - {*name}) <= 1 and row.core >= {*name} for name in names
        )

    # --- rows ---

    def rows(
        self,
        terms: Sequence[Term],
        *,
        company: str = "",
        table: tuple[str, str] | None = None,
    ) -> list[Match]:
        """The rows that have what is named, best first."""
        key = (tuple(terms), company, table)
        if key not in self._matched:
            self._matched[key] = self._ranked(key[0], company, table)
        return self._matched[key]

    def _ranked(
        self, terms: Sequence[Term], company: str, table: tuple[str, str] | None
    ) -> list[Match]:
        lexicon, wanted = self.lexicon, [one for one in terms if one.stems]
        companies = (company,) if company else self.query.companies
        fits: dict[int, dict[int, float]] = {}
        for number, term in enumerate(wanted):
            if term not in self._fits:
                self._fits[term] = _fits(lexicon, term)
            for at, fit in self._fits[term].items():
                row = lexicon.rows[at]
                if companies and row.company not in companies:
                    continue
                if table and (row.document, row.table) != table:
                    continue
                fits.setdefault(at, {})[number] = fit
        weights = [_weight(lexicon, one) for one in wanted]
        total = sum(weights) or 1.0
        measures = {at for at, one in enumerate(wanted) if one.kind in ("measure", "label", "lost")}
        found = []
        for at, met in fits.items():
            row = lexicon.rows[at]
            if measures and not measures & met.keys():
                continue
            for number, term in enumerate(wanted):
                if number not in met and row.place.issuperset(term.stems):
                    met[number] = _FITS["place"]
            gained = sum(weights[number] * fit for number, fit in met.items())
            missing = tuple(one for number, one in enumerate(wanted) if number not in met)
            score = gained - self._surplus(row, wanted, met) + self._prior(row, wanted, met)
            score -= sum(0.4 for one in missing if one.kind == "name")
            if (label := surface(row.label.rpartition(BETWEEN)[2])) and f" {label} " in self._said:
                score += 0.15 * (len(label.split()) > 1)
            found.append(
                Match(row=row, score=round(score, 6), share=gained / total, missing=missing)
            )
        found.sort(key=lambda one: (-one.score, one.row.passage, one.row.metric, one.row.entity))
        return found[:_ROWS]

    def _surplus(self, row: RowName, terms: Sequence[Term], met: dict[int, float]) -> float:
        """What a label says beyond the question counts against it."""
        said = {stem for number in met for stem in terms[number].stems}
        named = any(
            terms[number].group in row.groups and terms[number].kind == "measure" for number in met
        )
        each = 0.03 if named else 0.15
        extra = sum(self.lexicon.weight(one) for one in row.core - said if one not in LIGHT)
        is_main = row.statement not in ("", NOTE, SUMMARY, QUARTERS)
        groups = {terms[number].group for number in met} - {""}
        unsaid = [not (stems & said or own & groups or stems <= WHOLE) for stems, own in row.parts]
        inner = 0.2 * any(unsaid[-1:]) + 0.06 * min(sum(unsaid[:-1]), 3)
        under = 0.0 if is_main else inner
        return each * min(extra, 5.0) + under

    def _prior(self, row: RowName, terms: Sequence[Term], met: dict[int, float]) -> float:
        """The statement that prints a measure before others, or the one that is asked for."""
        wanted = self.query.statement
        own = {statement_of(terms[number].group) for number in met} - {""}
        main = row.statement not in ("", NOTE, SUMMARY, QUARTERS)
        score = {NOTE: -0.05, QUARTERS: -0.3, SUMMARY: 0.1}.get(row.statement, 0.15 * main)
        if row.statement == QUARTERS and any(one.kind == "quarter" for one in self.query.periods):
            score = 0.1
        if wanted and (not self.query.numerator or not own or wanted in own):
            score += 0.6 + 0.15 * row.strength if row.statement == wanted else -0.2 * main
        elif own:
            score += 0.25 + 0.15 * row.strength if row.statement in own else -0.15 * main
        return score

    # --- cells ---

    def _cells(
        self, matches: Sequence[Match], terms: Sequence[Term], period: Period | None, basis: str
    ) -> list[Fact]:
        names = {(one.row.passage, one.row.metric, one.row.entity): one for one in matches}
        passages = list(dict.fromkeys(one.row.passage for one in matches))
        if self._allowed is not None:
            allowed = set(self._allowed(passages))
            passages = [one for one in passages if one in allowed]
        sql = f"SELECT {LISTED} FROM figures WHERE passage IN (SELECT unnest(?::VARCHAR[]))"  # noqa: S608
        parameters: list[object] = [passages]
        bases = ["actual", "last year"] if basis == "actual" else [basis]
        sql += " AND basis IN (SELECT unnest(?::VARCHAR[]))"
        parameters.append(bases)
        if period is not None:
            sql += " AND (period = ? OR period IS NULL OR year BETWEEN ? AND ?)"
            parameters += [period.key, period.year - 1, period.year + 1]
        self.statements.append(shown(sql, parameters))
        found = []
        for fact in facts_of(self.asked.rows(sql, parameters)):
            match = names.get((fact.passage, fact.metric or "", fact.entity or ""))
            if match is None:
                continue
            fit = self.fit(fact, period) if period is not None else self._recent(fact)
            if fit <= 0:
                continue
            score = match.score + 1.5 * fit + self._column(fact, terms, period)
            found.append(replace(fact, score=round(score, 6)))
        found.sort(key=lambda one: (-one.score, one.page or 0, one.passage, one.column))
        return found

    def fit(self, fact: Fact, period: Period) -> float:
        """How well a cell is of a time: 1 the same, 0 another.

        A balance of the last day of a business year is that of the year, and the other way round.
        """
        time = fact.time
        report = self.lexicon.reports.get(fact.document)
        if time is None:
            return 0.35 if report and report.period == period.key else 0.0
        if time.key == period.key:
            return 1.0
        if report is not None and {time.kind, period.kind} == {"day", "year"}:
            day, year = (time, period) if time.kind == "day" else (period, time)
            if report.ends_year(day):
                return 0.97 if counted(day.end) == year.year else 0.0
            return 0.3 if day.end.year == year.year else 0.0
        if time.kind == period.kind == "year":
            return 1.0 if time.year == period.year else 0.0
        return closeness(period, time)

    def _recent(self, fact: Fact) -> float:
        """Where no time is named, the one that the report is for."""
        report = self.lexicon.reports.get(fact.document)
        period = self.lexicon.periods.get(report.period) if report else None
        if period is None or fact.time is None:
            return 0.5
        return max(0.1, self.fit(fact, period))

    def _column(self, fact: Fact, terms: Sequence[Term], period: Period | None) -> float:
        report = self.lexicon.reports.get(fact.document)
        score = 0.1 if report and period and report.period == period.key else 0.0
        if fact.basis == "last year":
            score -= 0.1
        rates = [one for one in terms if formulas().get(one.group, {}).get("unit") == "%"]
        if rates and fact.unit not in ("%", "bps", "pp"):
            score -= 1.0
        is_amount = len(fact.unit) == 3 and fact.unit.isupper() and fact.unit != "FTE"
        if is_amount and any(one.group in counts() for one in terms):
            score -= 2.0
        is_money = any(statement_of(one.group) for one in terms)
        if is_money and fact.unit in ("%", "bps", "pp") and self.query.unit.unit != "%":
            score -= 1.5
        return score

    def _owner(self, fact: Fact) -> str:
        return self.lexicon.companies.same.get(fact.company, fact.company)

    def _rivals(
        self, best: Fact, facts: Sequence[Fact], rows: Mapping[tuple[str, str, str], Match]
    ) -> str:
        """Why the first cell may not be the one: another company has as much of what is named."""
        if self.query.companies:
            return ""
        least = _match(rows, best).share - 0.05
        others = [
            one.company
            for one in facts
            if self._owner(one) != self._owner(best)
            and one.company
            and best.company
            and one.score > best.score - 0.6
            and _match(rows, one).share >= least
        ]
        names = ", ".join(dict.fromkeys((best.company, *others)))
        return f"several companies have it: {names}; name one" if others else ""


def _tie(facts: Sequence[Fact]) -> str:
    """Why the first cell may not be the one: others fit exactly as well and say another number."""
    best = facts[0]
    same = [
        one
        for one in facts[1:6]
        if one.score >= best.score - _TIED and (one.number, one.unit) != (best.number, best.unit)
    ]
    texts = ", ".join(dict.fromkeys(f"{one.label} ({one.text})" for one in (best, *same)))
    return f"several rows fit equally well: {texts}" if same else ""


def _match(rows: Mapping[tuple[str, str, str], Match], fact: Fact) -> Match:
    return rows[fact.passage, fact.metric or "", fact.entity or ""]


def _weight(lexicon: Lexicon, term: Term) -> float:
    """How much a term counts: by how rare its words are; a known measure counts at least 0.8."""
    words = [lexicon.weight(one) for one in term.stems if one not in LIGHT] or [0.1]
    known = 0.8 if term.kind in ("measure", "name") else 0.0
    return max(known, min(1.6, sum(words) * 0.8))


def _fits(lexicon: Lexicon, term: Term) -> dict[int, float]:
    """The rows that have a term, each with how well: by its words, then by other names."""
    found: dict[int, float] = {}
    if term.group:
        for at in lexicon.by_group.get(term.group, ()):
            found[at] = _FITS["group"]
        for other in lexicon.vocabulary.names_of(term.group):
            _add_fits(found, lexicon, term, frozenset(other), _FITS["other"])
    own = frozenset(one for one in term.stems if one not in LIGHT) or frozenset(term.stems)
    _add_fits(found, lexicon, term, own, 1.0)
    return found


def _add_fits(
    found: dict[int, float], lexicon: Lexicon, term: Term, stems: frozenset[str], least: float
) -> None:
    """How well rows have a name of a term: the better, the less else their labels say."""
    for at, fit in _having(lexicon, stems):
        row, value = lexicon.rows[at], fit * least
        more = {one for one in row.core - LIGHT - stems if not one.isdecimal()}
        if not more:
            value = max(value, _FITS["exact"] * least)
        elif term.kind == "measure":
            value *= max(_LEAST, _INSIDE - 0.1 * len(more))
            if term.group and _is_other(lexicon, row, term.group):
                value *= 0.5
        found[at] = max(found.get(at, 0.0), value)


def _is_other(lexicon: Lexicon, row: RowName, group: str) -> bool:
    """Whether a row is named after another measure: cost of sales is no sales."""
    kinds = lexicon.vocabulary.kinds
    return group not in row.groups and any(kinds.get(one) == "measure" for one in row.groups)


def _having(lexicon: Lexicon, stems: Iterable[str]) -> Iterable[tuple[int, float]]:
    wanted = frozenset(stems)
    if not wanted or not all(one in lexicon.postings for one in wanted):
        return
    rarest = min(wanted, key=lambda one: len(lexicon.postings[one]))
    for at in lexicon.postings[rarest]:
        row = lexicon.rows[at]
        if wanted <= row.core:
            yield at, _FITS["core"]
        elif wanted <= row.core | row.path:
            yield at, _FITS["path"]
