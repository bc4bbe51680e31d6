"""What do the tables of a workspace talk about? Their rows by word, their reports by company.

Made from the figures once after each change. A row is known by the words of its label, by the
measures that these are names of, and by the statement that its table is: an income statement, a
balance sheet, a cash flow statement, a summary of several years, or none of these.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from consilience.packs.finance.data_model import BETWEEN, Period
from consilience.packs.finance.figures.companies import Companies
from consilience.packs.finance.figures.vocabulary import (
    LIGHT,
    PhraseBook,
    Vocabulary,
    book,
    frame,
    signatures,
    stems_of,
    tokenize,
)

if TYPE_CHECKING:
    import duckdb

SUMMARY, NOTE, QUARTERS = "summary", "note", "quarters"
_LEAST = {"income statement": 3, "balance sheet": 3, "cash flow statement": 2}
_NOTE_WORDS = frozenset({"note", "anhang", "schedule", "parent"})
_WEEK = timedelta(days=7)
_ROWS = (
    'SELECT passage, document, company, "table", caption, section, label, metric, entity, '
    "any_value(unit), mode(kind), min(page), count(*), any_value(title) FROM figures "
    "GROUP BY ALL ORDER BY document, min(page), passage, metric, entity"
)
_REPORTS = (
    "SELECT document, any_value(company), any_value(title), any_value(_report), any_value(_names), "
    "max(ends) FROM figures GROUP BY document ORDER BY document"
)
_ENDS = (
    "SELECT document, ends, count(*) FROM figures WHERE kind IN ('day', 'year') "
    "AND NOT (kind = 'year' AND month(ends) = 12 AND day(ends) = 31) GROUP BY document, ends"
)
_PERIODS = (
    "SELECT period, any_value(kind), min(starts), max(ends), any_value(year), company, count(*) "
    "FROM figures WHERE ends IS NOT NULL GROUP BY period, company"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowName:
    """A row of a table, or a column of one, by what its numbers are named by.

    `core` are the stems of what is counted, `path` those of what it stands under, `place` those of
    caption and headings. `groups` are the measures and names that it has. `strength` is how much
    of a statement its table has, `parts` are those of its entity.
    """

    passage: str
    document: str
    company: str
    table: str
    metric: str
    entity: str
    label: str
    core: frozenset[str]
    path: frozenset[str]
    place: frozenset[str]
    groups: frozenset[str]
    statement: str = ""
    strength: float = 0.0
    unit: str = ""
    parts: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportName:
    """A report: whose it is, for when, and on which day its business year ends."""

    document: str
    company: str
    title: str
    period: str
    year_end: tuple[int, int] | None = None
    last: date | None = None

    def ends_year(self, period: Period) -> bool:
        """Whether a day is the last of a business year of this report."""
        if self.year_end is None:
            return (period.end.month, period.end.day) == (12, 31)
        month, day = self.year_end
        near = (
            date(year, month, min(day, 28)) + timedelta(days=max(0, day - 28))
            for year in range(period.end.year - 1, period.end.year + 2)
        )
        return any(abs(one - period.end) <= _WEEK for one in near)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The rows and reports of a workspace, to look words up in."""

    vocabulary: Vocabulary
    rows: tuple[RowName, ...] = ()
    reports: Mapping[str, ReportName] = field(default_factory=dict)
    companies: Companies = field(default_factory=lambda: Companies(()))
    postings: Mapping[str, Sequence[int]] = field(default_factory=dict)
    by_group: Mapping[str, Sequence[int]] = field(default_factory=dict)
    labels: PhraseBook = field(default_factory=PhraseBook)
    words: frozenset[str] = frozenset()
    periods: Mapping[str, Period] = field(default_factory=dict)
    latest: Mapping[str, Period] = field(default_factory=dict)
    statements: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        cursor: duckdb.DuckDBPyConnection,
        synonyms: Mapping[str, Iterable[str]] | None = None,
    ) -> Lexicon:
        """What the figures of a store are named by."""
        vocabulary = Vocabulary(synonyms)
        reports = _reports(cursor)
        companies = Companies(
            (one.company for one in reports.values()),
            [
                (one.company, text)
                for one in reports.values()
                for text in (one.title, one.document.rpartition("/")[2].rpartition(".")[0])
            ],
            _tickers(cursor),
        )
        rows = _rows(cursor, vocabulary, companies)
        postings: defaultdict[str, list[int]] = defaultdict(list)
        by_group: defaultdict[str, list[int]] = defaultdict(list)
        labels = PhraseBook()
        words: set[str] = set()
        for at, row in enumerate(rows):
            for word in row.core | row.path:
                postings[word].append(at)
            for group in row.groups:
                by_group[group].append(at)
            words |= row.core | row.path | row.place
            for part in row.label.split(BETWEEN):
                _add_label(labels, part)
        statements: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            statements[row.document].add(row.statement)
        periods, latest = _periods(cursor, reports, companies)
        return cls(
            vocabulary=vocabulary,
            rows=rows,
            reports=reports,
            companies=companies,
            postings=dict(postings),
            by_group=dict(by_group),
            labels=labels,
            words=frozenset(words),
            periods=periods,
            latest=latest,
            statements={name: frozenset(held) for name, held in statements.items()},
        )

    @classmethod
    def of_names(
        cls, names: Iterable[str], companies: Companies, vocabulary: Vocabulary
    ) -> Lexicon:
        """What names alone tell, where the figures themselves are out of reach."""
        labels = PhraseBook()
        words: set[str] = set()
        for name in names:
            for part in name.split(BETWEEN):
                _add_label(labels, part)
                words.update(stems_of(part))
        return cls(
            vocabulary=vocabulary, companies=companies, labels=labels, words=frozenset(words)
        )

    def weight(self, word: str) -> float:
        """How much a word tells: between 0.1 for one that most rows have, and 1."""
        often = len(self.postings.get(word, ()))
        most = math.log(1 + len(self.rows))
        if not often or not most:
            return 1.0
        return max(0.1, 1 - math.log(often) / most) if word not in LIGHT else 0.1


def _add_label(labels: PhraseBook, part: str) -> None:
    """A label, and the same without the light words around it, to be found in questions."""
    stems = [one.stem for one in tokenize(part) if not one.is_sign]
    while stems and stems[0] in LIGHT:
        stems.pop(0)
    while stems and stems[-1] in LIGHT | frame():
        stems.pop()
    for form in (tuple(stems), tuple(one for one in stems if one not in LIGHT)):
        telling = [one for one in form if one not in LIGHT and one not in frame()]
        if 1 < len(form) <= 10 and telling:
            labels.add(form, part, "label")


def _reports(cursor: duckdb.DuckDBPyConnection) -> dict[str, ReportName]:
    ends: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for document, end, often in cursor.execute(_ENDS).fetchall():
        ends[document][end.month, end.day] += often
    found = {}
    for document, company, title, period, _, last in cursor.execute(_REPORTS).fetchall():
        common = ends[document].most_common(1)
        found[document] = ReportName(
            document=document,
            company=company or title or "",
            title=title or "",
            period=period or "",
            year_end=common[0][0] if common else None,
            last=last,
        )
    return found


def _tickers(cursor: duckdb.DuckDBPyConnection) -> dict[str, str]:
    rows = cursor.execute(
        "SELECT DISTINCT _names, company FROM figures WHERE _names <> '' AND company <> ''"
    ).fetchall()
    return {ticker: company for names, company in rows for ticker in names.split()}


def _rows(
    cursor: duckdb.DuckDBPyConnection, vocabulary: Vocabulary, companies: Companies
) -> tuple[RowName, ...]:
    records = cursor.execute(_ROWS).fetchall()
    tables: defaultdict[tuple[str, str], list[RowName]] = defaultdict(list)
    kinds: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    texts: dict[tuple[str, str], str] = {}
    rows: list[RowName] = []
    for (
        passage, document, company, table, caption, section,
        label, metric, entity, unit, kind, _, often, title,
    ) in records:  # fmt: skip
        parts = label.split(BETWEEN) if label else []
        core = {*stems_of(metric)} | ({*stems_of(parts[-1])} if parts else set())
        path = {one for part in (*parts[:-1], *entity.split(BETWEEN)) for one in stems_of(part)}
        place = {*stems_of(caption), *stems_of(section), *stems_of(title)}
        names = (metric, *parts[-1:], *entity.split(BETWEEN), *parts[:-1])
        groups = {group for text in names if text for group in vocabulary.groups_of(text)}
        own = {group for text in names[:2] for group in vocabulary.groups_of(text)}
        row = RowName(
            passage=passage,
            document=document,
            company=companies.same.get(company, company) or title or "",
            table=table,
            metric=metric,
            entity=entity,
            label=label,
            core=frozenset(core - companies.words),
            path=frozenset(path - companies.words),
            place=frozenset(place),
            groups=frozenset(
                one for one in groups if one in own or vocabulary.kinds.get(one) == "name"
            ),
            unit=unit,
            parts=tuple(
                (frozenset(stems_of(one)), vocabulary.groups_of(one))
                for one in entity.split(BETWEEN)
                if one
            ),
        )
        rows.append(row)
        tables[document, table].append(row)
        kinds[document, table][kind or ""] += often
        texts[document, table] = f"{caption} {section}"
    statements = {key: _statement(held, texts[key], kinds[key]) for key, held in tables.items()}
    return tuple(
        replace(row, statement=name, strength=strength)
        for row in rows
        for name, strength in (statements[row.document, row.table],)
    )


def _statement(rows: Sequence[RowName], place: str, kinds: Counter[str]) -> tuple[str, float]:
    """Which statement a table is: by the measures in its rows, then by its heading."""
    groups = {group for row in rows for group in row.groups}
    named = {one.name for one in book("statement_names").find(tokenize(place))}
    shares = {
        name: len(groups & signature) / len(signature) + (name in named)
        for name, signature in signatures().items()
        if len(groups & signature) + 2 * (name in named) >= _LEAST[name]
    }
    if not shares:
        return (NOTE if _NOTE_WORDS & {*stems_of(place)} and not named else "", 0.0)
    if kinds and kinds.most_common(1)[0][0] in ("quarter", "month"):
        return QUARTERS, 0.0
    if _NOTE_WORDS & {*stems_of(place)} and not named:
        return NOTE, 0.0
    both = {"income statement", "balance sheet"} <= shares.keys() and len(named) != 1
    best = max(shares, key=lambda name: shares[name])
    return (SUMMARY, 0.0) if both else (best, min(shares[best], 1.5))


def _periods(
    cursor: duckdb.DuckDBPyConnection, reports: Mapping[str, ReportName], companies: Companies
) -> tuple[dict[str, Period], dict[str, Period]]:
    """All periods by their keys, and the latest that a report of each company is for."""
    found: dict[str, Period] = {}
    often: dict[str, list[tuple[int, Period]]] = {}
    for key, kind, starts, ends, year, company, count in cursor.execute(_PERIODS).fetchall():
        period = Period(kind=kind, start=starts, end=ends, year=year)
        found.setdefault(key, period)
        own = companies.same.get(company, company)
        often.setdefault(own, []).append((count, period))
    latest: dict[str, Period] = {}
    for report in reports.values():
        name = companies.same.get(report.company, report.company)
        time, known = found.get(report.period), latest.get(name)
        if time is not None and (known is None or time.end > known.end):
            latest[name] = time
    for company, held in often.items():
        if company not in latest:
            most = max(count for count, _ in held)
            common = [one for count, one in held if count * 4 >= most]
            latest[company] = max(common, key=lambda one: one.end)
    return found, latest


def telling(words: Iterable[str]) -> frozenset[str]:
    """Words of a label that tell it from others."""
    return frozenset(one for one in words if one not in LIGHT and not one.isdecimal())
