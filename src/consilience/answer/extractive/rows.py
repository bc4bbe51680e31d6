"""How do rows of tables read in an answer? As a sentence of one row, or as one table of several.

Only columns that matter are shown: the one that names the row, those that the question names,
and those whose values it mentions. Values stand as they are printed; where one that is asked for
is missing, that is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.answer.extractive.asking import Asked
from consilience.answer.extractive.cells import Row, columns_of, name_column
from consilience.answer.extractive.matching import mentioned, unit, wanted
from consilience.answer.extractive.wording import said
from consilience.types import Statement

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
