"""How do rows of tables read in an answer? As a sentence of one row, or as one table of several.

Only columns that matter are shown: the one that names the row, those that the question names,
and those whose values it mentions. Values stand as they are printed.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.answer.extractive.asking import Asked
from consilience.answer.extractive.cells import Row, columns_of, name_column
from consilience.answer.extractive.matching import mentioned, unit, wanted
from consilience.answer.extractive.wording import said
from consilience.types import Statement

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
