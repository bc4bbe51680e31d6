"""How do rows of tables read in an answer? As a sentence of one row, or as one table of several.

Only columns that matter are shown: the one that names the row, those that the question names,
and those whose values it mentions. Values stand as they are printed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.answer.extractive.asking import SAME, Asked, terms
from consilience.answer.extractive.wording import said
from consilience.answer.sentences import one_line, sentences
from consilience.names import compared, surface
from consilience.types import Exhibit, Statement

COLUMNS = 6
"""Columns of a table in an answer."""
_UNITS = frozenset(
    """
    m km cm mm ft mi nmi kg g t lb l ml ha s ms min h kw mw v w hz usd eur gbp pct
    """.split()  # noqa: SIM905
)
_SPELT = {
    "nmi": "nautical mile",
    "km": "kilomet",
    "kg": "kilogram",
    "ft": "feet",
    "mi": " miles",
    "t": " tons",
    "ha": "hectare",
    "pct": "percent",
    "kw": "kilowatt",
    "mw": "megawatt",
    "usd": "dollar",
    "eur": "euro",
    "gbp": "pound",
}
_KEY = re.compile(r"[^\W_](?:[^:;,.!?“”\[\]]|\.(?=\S)){0,40}")
_PERSON = re.compile(r"[^\W\d_][\w.'’-]+(?: [\w.'’-]+)+")
_PLACES = frozenset(terms("country city town state sea ocean place location region island"))
_COMPARED = re.compile(
    r"(?P<more>more|greater|higher|taller|longer|larger|bigger|heavier|later|older|wider|deeper|"
    r"over|above|after|since|at least|exceed\w*|>=?)"
    r"|(?P<less>less|fewer|lower|shorter|smaller|lighter|earlier|younger|under|below|before|until|"
    r"up to|at most|<=?)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    rf"(?:{_COMPARED.pattern})\s+(?:than\s+)?(?:the\s+year\s+)?(?P<number>\d[\d.,]*)", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\b(?:between|from)\s+(?P<low>\d[\d.,]*)\s+(?:and|to)\s+(?P<high>\d[\d.,]*)", re.IGNORECASE
)
_SORTING = re.compile(
    r"\b(?:(?P<most>most|highest|tallest|longest|largest|biggest|latest|newest|heaviest|greatest|"
    r"deepest|widest|last|youngest)|(?P<least>least|fewest|lowest|shortest|smallest|earliest|"
    r"oldest|first|lightest))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its exhibit and its cells as printed, by column."""

    exhibit: Exhibit
    cells: Mapping[str, str]
    text: str

    @property
    def mark(self) -> int:
        """The mark of its exhibit."""
        return self.exhibit.mark


def record(exhibit: Exhibit, text: str) -> Row | None:
    """A line of names and values in a document, `name: value; name: value`, as a row."""
    line = one_line(text)
    parts = [part.partition(": ") for part in line.split("; ")]
    named = all(_KEY.fullmatch(name) and value for name, _, value in parts)
    if len(parts) < 2 or not named or line.endswith((".", "!", "?")):
        return None
    return Row(exhibit, {name: value for name, _, value in parts}, text)


def row_of(exhibit: Exhibit) -> Row:
    """The cells of a row as its text prints them, `name: value; name: value`."""
    text, columns = exhibit.passage.text, list(exhibit.passage.metadata)
    starts: list[tuple[str, int, int]] = []
    at = 0
    for column in columns:
        found = text.find(f"{column}: ", at)
        if found >= 0 and (found == 0 or text[:found].endswith("; ")):
            starts.append((column, found, found + len(column) + 2))
            at = found + len(column) + 2
    ends = [begin - 2 for _, begin, _ in starts[1:]] + [len(text)]
    cells = {
        column: text[value:end].strip()
        for (column, _, value), end in zip(starts, ends, strict=True)
    }
    return Row(exhibit, cells or {"": text}, text)


def records(exhibit: Exhibit) -> list[Row]:
    """The lines of names and values of a document, such as a table that a page holds."""
    if exhibit.passage.kind in ("row", "game", "node", "edge", "path"):
        return []
    found = (record(exhibit, one.text) for one in sentences(exhibit.passage.text))
    return [row for row in found if row is not None]


def tables(exhibits: Sequence[Exhibit]) -> list[list[Row]]:
    """The rows of the evidence by the table they stand in, in order."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for one in exhibits:
        passage = one.passage
        if passage.kind == "row":
            key = (passage.collection, passage.document, passage.locator.table or passage.title)
            found.setdefault(key, []).append(row_of(one))
    return list(found.values())


def printed(exhibits: Sequence[Exhibit]) -> list[list[Row]]:
    """Tables that documents hold, one for each passage that has two or more lines of one."""
    return [found for one in exhibits if len(found := records(one)) > 1]


# --- what a question wants of a table ---------------------------------------------------


def named(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows whose name the question says, at least as far as a bracket or comma."""
    if not rows:
        return []
    words = _words(question)
    column = name_column(rows)
    common = general(rows)
    return [row for row in rows if _mentions(words, row.cells.get(column, ""), common)]


def name_column(rows: Sequence[Row]) -> str:
    """The column that names rows: the first of texts that differ from row to row."""
    columns = columns_of(rows)
    for column in columns:
        values = [row.cells[column] for row in rows if column in row.cells]
        texts = [value for value in values if not _number(value)]
        if len(texts) == len(rows) and len(set(values)) == len(values):
            return column
    return columns[0]


def columns_of(rows: Sequence[Row]) -> list[str]:
    """All columns that any of the rows has, in order."""
    return list(dict.fromkeys(column for row in rows for column in row.cells))


def wanted(rows: Sequence[Row], asked: Asked) -> list[str]:
    """The columns that the question asks for, by their names or by what kind of thing they hold."""
    name = name_column(rows)
    columns = [column for column in columns_of(rows) if column != name]
    by_name = [column for column in columns if _asked_by_name(column, asked)]
    return by_name or [column for column in columns if _asked_by_kind(rows, column, asked)]


def mentioned(rows: Sequence[Row], question: str) -> list[str]:
    """The columns in which a row has a value that the question says."""
    words = _words(question)
    name = name_column(rows)
    return [
        column
        for column in columns_of(rows)
        if column != name and any(_mentions(words, row.cells.get(column, "")) for row in rows)
    ]


def _words(question: str) -> str:
    """The words of a question, without the numbers that it only compares with."""
    bounds = compared(question)
    return f" {' '.join(word for word in surface(question).split() if word not in bounds)} "


def fitting(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """The rows that meet the bounds of a question (`taller than 50`), where its column is known.

    In the order it asks for (`tallest`), else as they came.
    """
    columns = [
        one for one in wanted(rows, asked) if any(_number(row.cells.get(one, "")) for row in rows)
    ]
    kept = _having(rows, asked.text)
    for low, high, written in _bounds(asked.text):
        column = _bounded(rows, columns, written)
        if column:
            kept = [
                row
                for row in kept
                if (value := _number(row.cells.get(column, ""))) is not None
                and low <= value <= high
            ]
            columns = [column, *columns]
    order = _SORTING.search(asked.text)
    if order and columns:
        sign = -1 if order["most"] else 1
        by = next((one for one in columns if _said_by(order[0], one)), columns[0])
        kept.sort(key=lambda row: _key(row.cells.get(by, ""), sign))
    return kept


def _having(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows that have most of the values that the question says: `Japan`, `first order`."""
    words = _words(question)
    columns = mentioned(rows, question)
    counts = [
        sum(_mentions(words, row.cells.get(column, "")) for column in columns) for row in rows
    ]
    most = max(counts, default=0)
    return [row for row, count in zip(rows, counts, strict=True) if count == most]


def _key(cell: str, sign: int) -> tuple[bool, float]:
    value = _number(cell)
    return (value is None, sign * (value or 0.0))


def _bounds(question: str) -> list[tuple[float, float, float]]:
    """`(low, high, number)` of every comparison; open ends are infinite."""
    found = []
    for match in _BETWEEN.finditer(question):
        low, high = _number(match["low"]), _number(match["high"])
        if low is not None and high is not None:
            found.append((low, high, low))
    for match in _BOUND.finditer(question):
        value = _number(match["number"].rstrip(".,"))
        if value is not None:
            low, high = (value, float("inf")) if match["more"] else (float("-inf"), value)
            found.append((low, high, value))
    return found


def _bounded(rows: Sequence[Row], columns: Sequence[str], number: float) -> str:
    """The column that a bound is on: one asked for by name, or that of years for a year."""
    year = 1000 <= number <= 2100 and number == int(number)
    every = columns_of(rows)
    years = [one for one in every if _holds_years(rows, one)]
    if year and years:
        return next((one for one in columns if one in years), years[0])
    return next((one for one in columns if one not in years), "")


def _holds_years(rows: Sequence[Row], column: str) -> bool:
    values = [row.cells[column] for row in rows if column in row.cells]
    return bool(values) and all(re.fullmatch(r"1\d{3}|20\d{2}", value) for value in values)


def _said_by(word: str, column: str) -> bool:
    """Whether a word such as `tallest` speaks of a column such as `height`."""
    own = terms(column.replace("_", " "))
    return any(not SAME.get(term, frozenset()).isdisjoint(own) for term in terms(word))


def _asked_by_name(column: str, asked: Asked) -> bool:
    words = column.replace("_", " ").replace("(", " ").replace(")", " ").split()
    own = {one for one in terms(" ".join(words)) if one not in _UNITS and len(one) > 1}
    spelt = _SPELT.get(words[-1].casefold(), "") if words else ""
    if spelt and "number" in asked.kinds and spelt in surface(asked.text):
        return True
    return any(term in own or not own.isdisjoint(SAME.get(term, ())) for term in asked.terms)


def _asked_by_kind(rows: Sequence[Row], column: str, asked: Asked) -> bool:
    values = [row.cells[column] for row in rows if column in row.cells]
    if "time" in asked.kinds:
        return _holds_years(rows, column)
    if "person" in asked.kinds:
        return all(_PERSON.fullmatch(value) for value in values) and not _is_place(column)
    return "place" in asked.kinds and _is_place(column)


def _is_place(column: str) -> bool:
    return not _PLACES.isdisjoint(terms(column.replace("_", " ")))


def general(rows: Sequence[Row]) -> frozenset[str]:
    """Last words of names that say what all rows are: `Lighthouse` in a table of lighthouses."""
    column = name_column(rows)
    last = Counter(surface(row.cells.get(column, "")).rpartition(" ")[2] for row in rows)
    passage = rows[0].exhibit.passage
    about = set(terms(f"{passage.title} {passage.locator.table or ''}"))
    return frozenset(
        word for word, count in last.items() if count > 1 or not about.isdisjoint(terms(word))
    )


def _mentions(words: str, value: str, general: frozenset[str] = frozenset()) -> bool:
    if len(value) < 2 or (_number(value) is not None and len(value) < 3):
        return False
    name = surface(value)
    spellings = {name, surface(re.split(r"[(,]", value)[0])}
    head, _, last = name.rpartition(" ")
    if last in general:
        spellings.add(head)
    return any(one and f" {one} " in words for one in spellings)


def _number(cell: str) -> float | None:
    bare = cell.strip().replace(",", "").replace(" ", "")
    try:
        return float(bare)
    except ValueError:
        return None


# --- how they read ----------------------------------------------------------------------


def title(column: str) -> str:
    """`height_m` as a person would write it: `height (m)`."""
    words = column.replace("_", " ").split()
    if len(words) > 1 and words[-1].casefold() in _UNITS:
        return f"{' '.join(words[:-1])} ({words[-1]})"
    return " ".join(words)


def sentence(row: Row, columns: Sequence[str], rows: Sequence[Row]) -> Statement:
    """`Cordouan Lighthouse: height (m) 67.5, first lit 1611 [1].`"""
    name = name_column(rows)
    shown = [one for one in columns if one in row.cells]
    facts = [(said(title(one)), said(row.cells[one])) for one in shown]
    lead = said(row.cells.get(name, row.exhibit.passage.title))
    if not facts:
        text = f"{lead} [{row.mark}]."
    elif any("," in value or len(value.split()) > 3 for _, value in facts):
        text = f"{lead} ({'; '.join(f'{name}: {value}' for name, value in facts)}) [{row.mark}]."
    else:
        text = f"{lead}: {', '.join(f'{name} {value}' for name, value in facts)} [{row.mark}]."
    return Statement(text=text, opens=True, quotes={row.mark: row.text})


def table(rows: Sequence[Row], asked: Asked, *, among: Sequence[Row]) -> Statement:
    """Rows as a Markdown table; each ends in its mark."""
    name = name_column(among)
    matter = [name, *wanted(among, asked), *mentioned(among, asked.text)]
    columns = list(dict.fromkeys(matter))
    if len(columns) < 3:
        columns = list(dict.fromkeys([*columns, *columns_of(among)]))[:4]
    columns = columns[:COLUMNS]
    head = " | ".join(said(title(one)) for one in columns)
    lines = [f"| {head} |", "|" + " --- |" * len(columns)]
    for row in rows:
        cells = [said(row.cells.get(one, "")) for one in columns]
        cells[-1] = f"{cells[-1]} [{row.mark}]".strip()
        lines.append(f"| {' | '.join(cells)} |")
    quotes: dict[int, str] = {}
    for row in rows:
        quotes[row.mark] = f"{quotes[row.mark]}\n{row.text}" if row.mark in quotes else row.text
    return Statement(text="\n".join(lines), form="table", opens=True, quotes=quotes)
