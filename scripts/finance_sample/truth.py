"""What do the tables of the sample really say? Every cell of every table, as it was printed.

One table a line. `name` is its first page and its number there (`3.1`). Headings, labels and
numbers each have their place; a number has what it means: its value, unit, scale, period, basis.
The key `period` is the time that a number is about, and `stated` the one its column names where
that is another (last year's column under this year's month). It is null where a column names no
time at all, or one that is not the figure's (the year in which a debt falls due).
"""

from __future__ import annotations

from typing import Any

from finance_sample.figures import key_of
from finance_sample.grids import Column, Line, Number, Sheet


def tables(document: str, sheets: list[Sheet]) -> list[dict[str, Any]]:
    """The tables of one document, in the order of its pages."""
    counts: dict[int, int] = {}
    found = []
    for sheet in sheets:
        page = sheet.placed[0][0]
        counts[page] = counts.get(page, 0) + 1
        found.append(_table(document, f"{page}.{counts[page]}", sheet))
    return found


def _table(document: str, name: str, sheet: Sheet) -> dict[str, Any]:
    depth = max(len(one.heading) for one in sheet.columns)
    return {
        "document": document,
        "name": name,
        "pages": sorted({page for page, _ in sheet.placed.values()}),
        "caption": sheet.caption,
        "look": sheet.look,
        "notes": list(sheet.notes),
        "header": depth,
        "headings": _headings(sheet, depth),
        "labels": [
            {
                "row": depth + row,
                "text": line.label,
                "level": line.level,
                "page": sheet.placed[row][0],
                "box": sheet.placed[row][1][0],
            }
            for row, line in enumerate(sheet.lines)
        ],
        "cells": [
            _cell(sheet, row, number, column)
            for row, line in enumerate(sheet.lines)
            for column, number in enumerate(line.numbers)
            if number is not None
        ],
    }


def _headings(sheet: Sheet, depth: int) -> list[dict[str, Any]]:
    found = []
    if sheet.corner:
        found.append({"row": depth - 1, "column": 0, "columns": 1, "text": sheet.corner})
    for level in range(depth):
        at = 0
        while at < len(sheet.columns):
            heading, end = sheet.columns[at].heading, at
            while (
                level < depth - 1
                and end + 1 < len(sheet.columns)
                and sheet.columns[end + 1].heading[: level + 1] == heading[: level + 1]
            ):
                end += 1
            if heading[level]:
                found.append(
                    {
                        "row": level,
                        "column": at + 1,
                        "columns": end - at + 1,
                        "text": heading[level],
                    }
                )
            at = end + 1
    return found


def _cell(sheet: Sheet, row: int, number: Number, at: int) -> dict[str, Any]:
    line, column = sheet.lines[row], sheet.columns[at]
    page, boxes = sheet.placed[row]
    depth = max(len(one.heading) for one in sheet.columns)
    made: dict[str, Any] = {
        "row": depth + row,
        "column": at + 1,
        "page": page,
        "label": list(line.path),
        "heading": [one for one in column.heading if one],
        "text": number.text,
        "value": None if number.value is None else str(number.value),
    }
    if column.basis != "text":
        made |= _meaning(line, column, number)
    return made | {"box": boxes[at + 1]}


def keyed(table: dict[str, Any]) -> dict[str, Any]:
    """A table with the keys that the pack has for its periods."""
    cells = [
        {**cell, **{name: key_of(cell[name]) for name in ("period", "stated") if cell.get(name)}}
        for cell in table["cells"]
    ]
    return {**table, "cells": cells}


def _meaning(line: Line, column: Column, number: Number) -> dict[str, Any]:
    made: dict[str, Any] = {
        "metric": column.metric or line.metric,
        "entity": [*line.entity, *column.entity],
        "unit": number.unit,
        "scale": number.scale,
        "period": column.period or None,
        "basis": column.basis,
    }
    if column.stated:
        made["stated"] = column.stated
    if column.against:
        made["against"] = column.against
    return made
