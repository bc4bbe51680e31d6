"""Which rows, lines of names and values, and links answer a question, and how do they read?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import inf
from typing import NamedTuple

from consilience.answer.excerpts import SAME, Asked, Candidate, chain_end, quoted, said, terms
from consilience.kinds import whole_kinds
from consilience.types import Exhibit, Form, Statement
from consilience.understand.amounts import Amount, amounts, units_named
from consilience.understand.names import compared_numbers, surface
from consilience.understand.sentences import one_line, sentences

# --- What cells does a row have, as they are printed? -------------------------------------


_KEY = re.compile(r"[^\W_](?:[^:;,.!?“”\[\]]|\.(?=\S)){0,40}")
_DIGITS = re.compile(r"[-+−]?\d[\d\s\u00a0']*(?:[.,]\d+)*")


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
    pairs: list[tuple[str, str]] = []
    for part in line.split("; "):
        name, sign, value = part.partition(": ")
        if sign and value and _KEY.fullmatch(name):
            pairs.append((name, value))
        elif pairs and not sign:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {part}")
        else:
            return None
    if len(pairs) < 2 or line.endswith((".", "!", "?")):
        return None
    return Row(exhibit, dict(pairs), text)


def row_of(exhibit: Exhibit) -> Row:
    """The cells of a row as its text prints them, `name: value; name: value`.

    The names are those of its fields; where the text has none of these, what stands before a colon.
    """
    text, columns = exhibit.passage.text, list(exhibit.passage.metadata)
    starts: list[tuple[str, int, int]] = []
    at = 0
    for column in columns:
        found = text.find(f"{column}: ", at)
        if found >= 0 and (found == 0 or text[:found].endswith("; ")):
            starts.append((column, found, found + len(column) + 2))
            at = found + len(column) + 2
    if not starts:
        pairs = [part.partition(": ") for part in text.split("; ")]
        named = {name: value.strip() for name, colon, value in pairs if colon}
        return Row(exhibit, named or {"": text}, text)
    ends = [begin - 2 for _, begin, _ in starts[1:]] + [len(text)]
    cells = {
        column: text[value:end].strip()
        for (column, _, value), end in zip(starts, ends, strict=True)
    }
    return Row(exhibit, cells, text)


def records(exhibit: Exhibit) -> list[Row]:
    """The lines of names and values of a document, such as a table that a page holds."""
    if exhibit.passage.kind in {*whole_kinds(), "node", "edge", "path"}:
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


def columns_of(rows: Sequence[Row]) -> list[str]:
    """All columns that any of the rows has, in order."""
    return list(dict.fromkeys(column for row in rows for column in row.cells))


def name_column(rows: Sequence[Row]) -> str:
    """The column that names rows: the first of texts that differ from row to row."""
    columns = columns_of(rows)
    for column in columns:
        values = [row.cells[column] for row in rows if column in row.cells]
        texts = [value for value in values if as_number(value) is None]
        if len(texts) == len(rows) and len(set(values)) == len(values):
            return column
    return columns[0]


def number(row: Row, column: str) -> float | None:
    """The number in a cell: as the table's reader understood it, else as it is printed."""
    value = row.exhibit.passage.metadata.get(column)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return as_number(row.cells.get(column, ""))


def as_number(cell: str) -> float | None:
    """A cell that is a number and nothing else; 1,234.5 and 67,5 are read as they are meant."""
    if not _DIGITS.fullmatch(cell.strip()):
        return None
    bare = re.sub(r"[\s\u00a0']", "", cell).replace("−", "-")
    if re.fullmatch(r"[-+]?\d+,\d+", bare) and not re.fullmatch(r"[-+]?\d{1,3},\d{3}", bare):
        bare = bare.replace(",", ".")
    try:
        return float(bare.replace(",", ""))
    except ValueError:
        return None


# --- Which rows and columns of a table does a question want? ------------------------------


_WORD = r"[A-ZÀ-ÖØ-Þ][\w.'’-]*"
_PERSON = re.compile(rf"{_WORD}(?: (?:de|la|le|van|von|der|den|di|da|du|of|and|{_WORD}))+")
_PLACES = frozenset(
    terms(
        "country city town state sea ocean place location region island capital subregion "
        "continent county province district"
    )
)
_YES = frozenset(("yes", "true", "y", "x", "✓", "ja", "oui", "sí"))
_NO = frozenset(("no", "false", "n", "-", "nein", "non"))
_MANNER = re.compile(r"^\s*(?:how|wie|comment|cómo)\b", re.IGNORECASE)
_LISTING = re.compile(
    r"^\s*(?:list|show|name|give|enumerate|which|what)\b|\bhow many\b", re.IGNORECASE
)
_MORE = (
    r"(?P<more>more|greater|higher|taller|longer|larger|bigger|heavier|later|older|wider|deeper|"
    r"over|above|after|exceed\w*|>)|(?P<least>since|from|at least|no less|>=|≥)"
)
_LESS = (
    r"(?P<less>less|fewer|lower|shorter|smaller|lighter|earlier|younger|under|below|before|<)|"
    r"(?P<most>until|up to|at most|no more|<=|≤)"
)
_BOUND = re.compile(
    rf"(?:\b|(?=[<>≤≥]))(?:{_LESS}|{_MORE})\s*(?:than\s+)?(?:the\s+year\s+|about\s+)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:and|to|[-–])\s*", re.IGNORECASE)
_SORTING = re.compile(
    r"\b(?:(?P<most>most|highest|tallest|longest|largest|biggest|latest|newest|heaviest|greatest|"
    r"deepest|widest|last|youngest)|(?P<least>least|fewest|lowest|shortest|smallest|earliest|"
    r"oldest|first|lightest))\b",
    re.IGNORECASE,
)


class Bound(NamedTuple):
    """What a question compares with: values strictly between `low` and `high`, or equal to one
    where that is `meant`, in one of these `units` where it says any.
    """

    low: float
    high: float
    meant: frozenset[float]
    units: frozenset[str]

    def meets(self, value: float | None) -> bool:
        """Whether a value is within."""
        return value is not None and (self.low < value < self.high or value in self.meant)


def named(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows whose name the question says, at least as far as a bracket or comma."""
    if not rows:
        return []
    words = _words(question)
    column = name_column(rows)
    common = general(rows)
    return [row for row in rows if _mentions(words, row.cells.get(column, ""), common)]


def wanted(rows: Sequence[Row], asked: Asked) -> list[str]:
    """The columns that the question asks for, by their names or by what kind of thing they hold."""
    name = name_column(rows)
    columns = [column for column in columns_of(rows) if column != name]
    return asked_by_name(rows, asked) or [
        column for column in columns if _asked_by_kind(rows, column, asked)
    ]


def asked_by_name(rows: Sequence[Row], asked: Asked) -> list[str]:
    """The columns that the question names."""
    name = name_column(rows)
    return [one for one in columns_of(rows) if one != name and _asked_by_name(one, asked)]


def covers(rows: Sequence[Row], named: Sequence[Row], columns: Sequence[str], asked: Asked) -> bool:
    """Whether a question asks for columns of these rows and not for something else besides.

    `How tall is the tower at X?` does; `the strongest blow of the sea at X` is no column `sea`.
    """
    name = name_column(rows)
    said = {term for row in named for term in terms(row.cells.get(name, ""))}
    passage = rows[0].exhibit.passage
    said |= {*general(rows), *terms(f"{passage.title} {passage.locator.table or ''}")}
    asks = [term for term in asked.terms if term not in said and len(term) > 2]
    own = {term for column in columns for term in terms(" ".join(_split(column)))}
    hit = [one for one in asks if one in own or not own.isdisjoint(SAME.get(one, ()))]
    return len(asks) - len(hit) <= max(1, len(hit))


def tells(asked: Asked) -> bool:
    """Whether a question wants to be told why or how, which no row does."""
    manner = _MANNER.match(asked.text) and "number" not in asked.kinds
    return bool(manner) or "reason" in asked.kinds


def restricts(rows: Sequence[Row], asked: Asked) -> bool:
    """Whether a question says which rows it wants: by a value, a bound, an order, a yes or no.

    One that asks for a list of what the table holds wants them all.
    """
    text = asked.text
    bounded = any(_bounded(rows, wanted(rows, asked), bound) for bound in _bounds(text))
    if mentioned(rows, text) or bounded or flags(rows, asked):
        return True
    if (_SORTING.search(text) or _bounds(text)) and wanted(rows, asked):
        return True
    passage = rows[0].exhibit.passage
    held = {*terms(f"{passage.title} {passage.locator.table or ''}"), *general(rows)}
    return bool(_LISTING.match(text)) and set(asked.terms) <= {*held, *terms("list show name give")}


def compares_all(rows: Sequence[Row], asked: Asked) -> bool:
    """Whether the rows could be held against every bound of a question."""
    columns = wanted(rows, asked)
    return all(_bounded(rows, columns, bound) for bound in _bounds(asked.text))


def flags(rows: Sequence[Row], asked: Asked) -> dict[str, bool]:
    """The columns of yes and no that the question names, and which of the two it means."""
    found = {}
    for column in asked_by_name(rows, asked):
        values = {row.cells[column].casefold() for row in rows if column in row.cells}
        if values and values <= _YES | _NO:
            word = re.escape(_split(column)[0][:5])
            found[column] = not re.search(
                rf"\b(?:not|non|no|never|without|isn't|aren't)\W+(?:\w+\W+)?{word}",
                asked.text,
                re.IGNORECASE,
            )
    return found


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
    bounds = compared_numbers(question)
    return f" {' '.join(word for word in surface(question).split() if word not in bounds)} "


def fitting(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """The rows that meet the bounds of a question (`taller than 50`), where its column is known.

    In the order it asks for (`tallest`), else as they came.
    """
    columns = [
        one for one in wanted(rows, asked) if any(number(row, one) is not None for row in rows)
    ]
    kept = _having(rows, asked.text)
    for column, meant in flags(rows, asked).items():
        values = _YES if meant else _NO
        kept = [row for row in kept if row.cells.get(column, "").casefold() in values]
    for bound in _bounds(asked.text):
        column = _bounded(rows, columns, bound)
        if column:
            kept = [row for row in kept if bound.meets(number(row, column))]
            columns = [column, *columns]
    order = _SORTING.search(asked.text)
    if order and columns:
        sign = -1 if order["most"] else 1
        by = next((one for one in columns if _said_by(order[0], one)), columns[0])
        kept.sort(key=lambda row: _key(number(row, by), sign))
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


def _key(value: float | None, sign: int) -> tuple[bool, float]:
    return (value is None, sign * (value or 0.0))


def _bounds(question: str) -> list[Bound]:
    """Every comparison with a number that a question makes."""
    found: list[Bound] = []
    numbers = amounts(question)
    for at, one in enumerate(numbers):
        before = question[: one.start]
        following = numbers[at + 1] if at + 1 < len(numbers) else None
        if following and _BETWEEN.search(before) and _joins(question, one, following):
            low, high = _value(one), _value(following)
            found.append(Bound(low, high, frozenset((low, high)), _units(following)))
            continue
        if compares := _BOUND.search(before):
            value = _value(one)
            meant = frozenset((value,)) if compares["least"] or compares["most"] else frozenset()
            low, high = (-inf, value) if compares["less"] or compares["most"] else (value, inf)
            found.append(Bound(low, high, meant, _units(one)))
    return found


def _joins(question: str, one: Amount, other: Amount) -> bool:
    return bool(_TO.fullmatch(question[one.end : other.start]))


def _value(amount: Amount) -> float:
    return float(min(one for one in amount.numbers if isinstance(one, Decimal)))


def _units(amount: Amount) -> frozenset[str]:
    return amount.units - {""}


def _bounded(rows: Sequence[Row], columns: Sequence[str], bound: Bound) -> str:
    """The column that a bound is on: one asked for by name, or that of years for a year.

    One whose unit is another than the question's cannot be compared.
    """
    ends = [one for one in (bound.low, bound.high) if abs(one) != inf]
    year = not bound.units and all(1000 <= one <= 2100 and one == int(one) for one in ends)
    years = [one for one in columns_of(rows) if _holds_years(rows, one)]
    if year and years:
        return next((one for one in columns if one in years), years[0])
    fitting_units = (
        one
        for one in columns
        if one not in years
        and not (bound.units and unit(one) and bound.units.isdisjoint(unit(one)))
    )
    return next(fitting_units, "")


def unit(column: str) -> frozenset[str]:
    """The units that a column's name ends in: `m` of `height_m`."""
    words = _split(column)
    return units_named(words[-1]) if len(words) > 1 else frozenset()


def _split(column: str) -> list[str]:
    return re.sub(r"[_()\[\]]", " ", column).split()


def _holds_years(rows: Sequence[Row], column: str) -> bool:
    values = [row.cells[column] for row in rows if column in row.cells]
    return bool(values) and all(re.fullmatch(r"1\d{3}|20\d{2}", value) for value in values)


def _said_by(word: str, column: str) -> bool:
    """Whether a word such as `tallest` speaks of a column such as `height`."""
    own = terms(column.replace("_", " "))
    return any(not SAME.get(term, frozenset()).isdisjoint(own) for term in terms(word))


def _asked_by_name(column: str, asked: Asked) -> bool:
    words = _split(column)
    if "number" in asked.kinds and unit(column) & _units_said(asked.text):
        return True
    own = {one for one in terms(" ".join(words[:-1] if unit(column) else words)) if len(one) > 1}
    return any(term in own or not own.isdisjoint(SAME.get(term, ())) for term in asked.terms)


def _units_said(question: str) -> frozenset[str]:
    """The units that a question names by words: `how many nautical miles`."""
    words = [word for word in surface(question).split() if len(word) > 2]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    in_pairs = [pair for pair in pairs if units_named(pair)]
    alone = [word for word in words if not any(word in pair.split() for pair in in_pairs)]
    return frozenset(one for name in (*in_pairs, *alone) for one in units_named(name))


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
    heads = {_head(row.cells.get(column, "")) for row in rows}
    last = Counter(head.rpartition(" ")[2] for head in sorted(heads))
    passage = rows[0].exhibit.passage
    about = set(terms(f"{passage.title} {passage.locator.table or ''}"))
    return frozenset(
        word for word, count in last.items() if count > 1 or not about.isdisjoint(terms(word))
    )


def _head(name: str) -> str:
    """A name as far as a bracket or comma: `Eddystone Lighthouse` of `… (Douglass)`."""
    return surface(re.split(r"[(,]", name)[0])


def _mentions(words: str, value: str, general: frozenset[str] = frozenset()) -> bool:
    if len(value) < 2 or (as_number(value) is not None and len(value) < 3):
        return False
    spellings = {surface(value), _head(value)}
    for name in sorted(spellings):
        head, _, last = name.rpartition(" ")
        if last in general:
            spellings.add(head)
    return any(one and f" {one} " in words for one in spellings)


# --- How do rows of tables read in an answer? ---------------------------------------------


ALONE = 12
"""Cells of a row that is shown by itself."""
COLUMNS = 6
"""Columns of a table in an answer."""


def title(column: str) -> str:
    """`height_m` as a person would write it: `height (m)`."""
    words = column.replace("_", " ").split()
    if unit(column) and not words[-1].startswith("("):
        return f"{' '.join(words[:-1])} ({words[-1]})"
    return " ".join(words)


def sentence(row: Row, columns: Sequence[str], rows: Sequence[Row]) -> Statement:
    """`Cordouan Lighthouse: height (m) 67.5, first lit 1611 [1].`"""
    shown = [one for one in columns if one in row.cells]
    facts = [(said(title(one)), said(row.cells[one])) for one in shown]
    lead = said(_name(row, rows))
    if not facts:
        text = f"{lead} [{row.mark}]."
    elif any("," in value or len(value.split()) > 3 for _, value in facts):
        text = f"{lead} ({'; '.join(f'{name}: {value}' for name, value in facts)}) [{row.mark}]."
    else:
        text = f"{lead}: {', '.join(f'{name} {value}' for name, value in facts)} [{row.mark}]."
    return Statement(text=text, opens=True, quotes={row.mark: row.text})


def missing(row: Row, columns: Sequence[str], rows: Sequence[Row]) -> Statement:
    """`Cape Agulhas Lighthouse: no engineer is given [1].`"""
    names = " or ".join(said(title(one)) for one in columns)
    text = f"{said(_name(row, rows))}: no {names} is given [{row.mark}]."
    return Statement(text=text, opens=True, quotes={row.mark: row.text})


def _name(row: Row, rows: Sequence[Row]) -> str:
    return row.cells.get(name_column(rows), row.exhibit.passage.title)


def table(
    rows: Sequence[Row], asked: Asked, *, among: Sequence[Row], columns: Sequence[str] = ()
) -> Statement:
    """Rows as a Markdown table; each ends in its mark.

    Of `columns` where they are given, else of those that the question asks for or mentions.
    """
    name = name_column(among)
    matter = columns or [*wanted(among, asked), *mentioned(among, asked.text)]
    filled = [one for one in matter if any(one in row.cells for row in rows)]
    shown = list(dict.fromkeys([name, *filled]))[:COLUMNS]
    head = " | ".join(said(title(one)) for one in shown)
    lines = [f"| {head} |", "|" + " --- |" * len(shown)]
    for row in rows:
        cells = [said(row.cells.get(one, "")) for one in shown]
        cells[-1] = f"{cells[-1]} [{row.mark}]".strip()
        lines.append(f"| {' | '.join(cells)} |")
    quotes: dict[int, str] = {}
    for row in rows:
        quotes[row.mark] = f"{quotes[row.mark]}\n{row.text}" if row.mark in quotes else row.text
    return Statement(text="\n".join(lines), form="table", opens=True, quotes=quotes)


def alone(row: Row) -> Statement:
    """A row by itself: a line for each of its cells, with its mark."""
    shown = list(row.cells.items())[:ALONE]
    lines = [f"| {said(title(name))} | {said(value)} [{row.mark}] |" for name, value in shown]
    text = "\n".join([lines[0], "| --- | --- |", *lines[1:]])
    return Statement(text=text, form="table", opens=True, quotes={row.mark: row.text})


def common(rows: Sequence[Row]) -> list[str]:
    """The columns of some rows, those that all of them have first."""
    columns = columns_of(rows)
    return sorted(columns, key=lambda one: sum(one not in row.cells for row in rows))


# --- How do nodes, edges and paths of a graph read in an answer? --------------------------


COMMON = 3
"""Names that end in a word, from which on the word tells none of them apart."""
_SUBJECT = re.compile(r"\b(?:whom|who did|what did|which \w+ did|what does|whose)\b", re.IGNORECASE)


def chain(exhibit: Exhibit) -> str:
    """The arrows of a path or edge, or the name of a node."""
    passage = exhibit.passage
    if passage.kind == "node":
        return str(passage.metadata.get("name") or passage.locator.node or passage.title)
    end = chain_end(passage.kind, passage.text) or len(passage.text)
    return one_line(passage.text[:end]).rstrip(".")


@dataclass(frozen=True, slots=True)
class Names:
    """Which names of nodes a question says: words that many names share say nothing of one.

    Where it says a name in full, another name that only has a part of the same words is not meant.
    """

    asked: Asked
    general: frozenset[str]
    full: frozenset[str]

    @classmethod
    def among(cls, exhibits: Sequence[Exhibit], asked: Asked) -> Names:
        """The names of the nodes of these exhibits."""
        names = {name for one in exhibits for name in _nodes(one)}
        counts = Counter(last[-1] for name in sorted(names) if (last := _telling(name)))
        titles = {term for one in exhibits for term in terms(one.passage.title)}
        general = frozenset(
            term for term, count in counts.items() if count >= COMMON or term in titles
        )
        full = {
            term
            for name in sorted(names)
            if (own := set(_telling(name)) - general) and own <= set(asked.terms)
            for term in own
        }
        return cls(asked, general, frozenset(full))

    def shared(self, name: str) -> frozenset[str]:
        """The words of a name that the question says, if they are at least half of it."""
        own = frozenset(_telling(name)) - self.general
        said_of = own & frozenset(self.asked.terms)
        if own - said_of and said_of <= self.full:
            return frozenset()
        return said_of if 2 * len(said_of) >= len(own) else frozenset()


def joins(exhibit: Exhibit, names: Names) -> bool:
    """Whether a path or edge joins two things that the question names, each by its own words."""
    if exhibit.passage.kind not in ("path", "edge"):
        return False
    found: list[frozenset[str]] = []
    for name in _nodes(exhibit):
        shared = names.shared(name)
        if shared and not any(shared & other for other in found):
            found.append(shared)
    return len(found) >= 2


def answering(exhibits: Sequence[Exhibit], names: Names) -> list[Exhibit]:
    """The edges whose relation the question says and of which it names one end.

    Where it names the near end of some and the far end of others, those that answer it by their
    direction come alone: from whom X learned begins with X, who learned from X ends there.
    """
    asked = names.asked
    ends = {}
    for one in exhibits:
        nodes = _nodes(one)
        if one.passage.kind == "edge" and len(nodes) == 2 and _relates(one, asked):
            at_source, at_target = (bool(names.shared(name)) for name in nodes)
            if at_source or at_target:
                ends[one.mark] = (one, at_source, at_target)
    near = [one for one, at_source, _ in ends.values() if at_source and _forward(one, asked)]
    far = [one for one, _, at_target in ends.values() if at_target and not _forward(one, asked)]
    related = near or far or [one for one, _, _ in ends.values()] or _between_kin(exhibits, asked)
    return _by_verb(_also_related(related, exhibits, asked), asked)


def defining(exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """The node that a question for a meaning names, which says what it is."""
    return [
        one
        for one in exhibits
        if one.passage.kind == "node" and asked.subject and surface(chain(one)) == asked.subject
    ][:1]


def _also_related(found: list[Exhibit], exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """With them those whose relation the question says earlier, and which have a word of it."""
    first = min((_verb_place(one, asked) for one in found), default=0)
    return found + [
        one
        for one in exhibits
        if one.passage.kind == "edge"
        and _relates(one, asked)
        and _verb_place(one, asked) < first
        and any(set(_telling(name)) & set(asked.terms) for name in _nodes(one))
    ]


def _by_verb(found: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """Those whose relation is the verb that the question asks by: the first it says.

    `Who invented the lens used in lighthouses?` asks who invented, not who used.
    """
    first = min((_verb_place(one, asked) for one in found), default=0)
    return [one for one in found if _verb_place(one, asked) == first]


def _verb_place(exhibit: Exhibit, asked: Asked) -> int:
    own = _relation(exhibit)
    places = [at for at, word in enumerate(asked.terms) if any(_fits(one, word) for one in own)]
    return min(places, default=len(asked.terms))


def _between_kin(exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """The edges of a relation that the question says, the ends of which have a word of it.

    Where none has at both, those that have at one, if they are few.
    """
    related = [one for one in exhibits if one.passage.kind == "edge" and _relates(one, asked)]
    shared = {
        one.mark: [bool(set(terms(name)) & set(asked.terms)) for name in _nodes(one)]
        for one in related
    }
    some = [one for one in related if any(shared[one.mark])]
    return [one for one in some if all(shared[one.mark])] or (some if len(some) < COMMON else [])


def _forward(exhibit: Exhibit, asked: Asked) -> bool:
    """Whether the end that the question names should be where the edge begins."""
    relation = str(exhibit.passage.metadata.get("relation", "")).casefold()
    return relation.endswith(("_by", " by")) or bool(_SUBJECT.search(asked.text))


def _relation(exhibit: Exhibit) -> set[str]:
    relation = str(exhibit.passage.metadata.get("relation", "")).replace("_", " ")
    return {term for term in terms(relation) if len(term) > 2}


def _relates(exhibit: Exhibit, asked: Asked) -> bool:
    return any(_fits(term, word) for term in _relation(exhibit) for word in asked.terms)


def _fits(term: str, word: str) -> bool:
    """Whether a word says a relation, in whatever form: `learned` answers `learn`."""
    if word == term or word in SAME.get(term, frozenset()):
        return True
    return min(len(word), len(term)) > 3 and (word.startswith(term) or term.startswith(word))


def _nodes(exhibit: Exhibit) -> list[str]:
    if exhibit.passage.kind == "node":
        return [chain(exhibit)]
    parts = re.split(r"[→←]", chain(exhibit))
    return [part.strip() for part in parts if part.strip() and not part.strip().startswith("(")]


def _telling(name: str) -> list[str]:
    return [term for term in terms(name) if len(term) > 2]


def _of_node(exhibit: Exhibit, texts: list[str]) -> list[str]:
    """What a node says of itself, after its name and its other names in brackets."""
    passage = exhibit.passage
    name, others = passage.metadata.get("name"), passage.metadata.get("aliases") or ()
    if not name or isinstance(others, str | int | float):
        return texts
    head = re.escape(str(name))
    if others:
        head += rf"(?: \({', '.join(re.escape(str(one)) for one in others)}\))?"
    cut = re.match(rf"{head}\.\s+", passage.text)
    rest = passage.text[cut.end() :] if cut else ""
    return [one.text for one in sentences(rest)] if rest else texts


def statements(
    exhibit: Exhibit, candidates: Sequence[Candidate], told: set[str]
) -> list[Statement]:
    """A path as a line of arrows and then its sentences; an edge or node as one line.

    Sentences that were `told` are not told again; a node that has nothing to tell is left out.
    """
    mark, kind = exhibit.mark, exhibit.passage.kind
    every = [one.sentence.text for one in candidates if one.sentence.text != exhibit.passage.text]
    if kind == "node":
        every = _of_node(exhibit, every)
    texts = [text for text in every if one_line(text) not in told]
    known = bool(every)
    told.update(one_line(text) for text in texts)
    if (kind == "node" or known) and not texts:
        return []
    lead = said(chain(exhibit))
    quotes = {mark: " … ".join(texts) or exhibit.passage.text}
    if kind == "path":
        found = [Statement(text=f"{lead} [{mark}]", form="path", opens=True, quotes=quotes)]
        if texts:
            found.append(Statement(text=f"{quoted(texts)} [{mark}]", opens=True, quotes=quotes))
        return found
    if kind == "node":
        lead = f"**{lead}**"
    text = f"{lead}: {quoted(texts)} [{mark}]" if texts else f"{lead} [{mark}]"
    form: Form = "path" if kind == "edge" else "prose"
    return [Statement(text=text, form=form, opens=True, quotes=quotes)]
