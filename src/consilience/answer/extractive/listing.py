"""Which rows open an answer? Those it names with the value it asks for, or those that fit it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.answer.extractive import cells, comparing, matching, rows
from consilience.answer.extractive.aim import Aim
from consilience.answer.extractive.asking import Asked, terms
from consilience.answer.extractive.opened import Opening
from consilience.answer.extractive.picking import Pick
from consilience.answer.extractive.wording import said
from consilience.answer.words import is_english
from consilience.types import Exhibit, Statement

FEW = 2
"""Rows that are told as sentences; more are a table."""
MANY = 6
"""Rows of one name that may be meant together."""
LEADING = 3
"""Passages at the top: where most of them are rows, a table opens."""
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)


def row(exhibits: Sequence[Exhibit], aim: Aim) -> Opening | None:
    """Where the question names a few rows and asks for a value of theirs, or compares them."""
    asked = aim.reading.asked
    if matching.tells(asked) and aim.pair is None:
        return None
    for table in [*cells.tables(exhibits), *cells.printed(exhibits)]:
        named = matching.named(table, asked.text)
        if not 0 < len(named) <= MANY:
            continue
        if aim.pair is not None:
            compared = _compared(named, table, aim)
            if compared is not None:
                return compared
            continue
        columns = matching.wanted(table, asked)
        if not matching.covers(table, named, columns, asked):
            continue
        having = [one for one in named if any(column in one.cells for column in columns)]
        if having:
            return _told(having, columns, table, aim)
        if lacking := matching.asked_by_name(table, asked):
            statements = [rows.missing(one, lacking, table) for one in named[:FEW]]
            return _made(statements, named[:FEW], table, aim)
    return None


def _compared(named: Sequence[cells.Row], table: Sequence[cells.Row], aim: Aim) -> Opening | None:
    """The rows of both sides: what is asked of them, or all that they have where nothing is."""
    if aim.pair is None:
        return None
    name = cells.name_column(table)
    names = [one.cells.get(name, "") for one in named]
    if not all(any(side.within(one) for one in names) for side in aim.pair):
        return None
    columns = matching.wanted(table, aim.reading.asked)
    having = [one for one in named if any(column in one.cells for column in columns)]
    if len(having) > 1:
        named = having
    if not columns and comparing.aspect(aim.reading.asked.text, aim.pair):
        return None
    shown = rows.table(named, aim.reading.asked, among=table, columns=columns or rows.common(named))
    made = _made([shown], named, table, aim)
    made.complete = bool(columns)
    made.subject = frozenset()
    return made


def _told(
    chosen: Sequence[cells.Row], columns: Sequence[str], table: Sequence[cells.Row], aim: Aim
) -> Opening:
    """Rows with the values that are asked for: a sentence each, or a table of several."""
    asked = aim.reading.asked
    if len(chosen) > FEW:
        statements = [rows.table(chosen, asked, among=table, columns=columns)]
    else:
        statements = [rows.sentence(one, columns, table) for one in chosen]
    made = _made(statements, chosen, table, aim)
    made.complete = "meaning" not in asked.kinds or bool(matching.asked_by_name(table, asked))
    return made


def _made(
    statements: list[Statement],
    chosen: Sequence[cells.Row],
    table: Sequence[cells.Row],
    aim: Aim,
) -> Opening:
    name = cells.name_column(table)
    lines = {(one.mark, one.text) for one in chosen}
    told = [one for one in aim.reading.candidates if (one.mark, one.sentence.text) in lines]
    names = " ".join(one.cells.get(name, "") for one in chosen)
    return Opening(
        statements=statements,
        picks=[Pick(one, (one,)) for one in told],
        marks={one.mark for one in table if one.exhibit.passage.kind == "row"},
        subject=frozenset(terms(names)) - frozenset(terms(" ".join(matching.general(table)))),
    )


def table(exhibits: Sequence[Exhibit], aim: Aim, most: int) -> Opening | None:
    """Where rows lead the evidence, or those that have what the question says are among it."""
    asked = aim.reading.asked
    found = min(cells.tables(exhibits), key=lambda one: one[0].mark, default=[])
    wrong = matching.tells(asked) or "meaning" in asked.kinds or aim.pair is not None
    if not found or wrong or not matching.restricts(found, asked):
        return None
    leading = exhibits[:LEADING]
    first = sum(one.passage.kind == "row" for one in leading) * 2 > len(leading)
    listed = matching.mentioned(found, asked.text)
    kept = matching.fitting(found, asked)
    if not kept or not (first or (len(listed) > 1 and len(kept) > 1)):
        return None
    if len(kept) == 1 and not _COUNT.search(asked.text):
        columns = list(dict.fromkeys([*matching.wanted(found, asked), *listed]))
        return _told(kept, columns, found, aim)
    shown = rows.table(kept[:most], asked, among=found)
    made = Opening(statements=[shown], marks={one.mark for one in found}, complete=True)
    if is_english(asked.text) and matching.compares_all(found, asked):
        _remark(made, asked, len(kept), min(most, len(kept)), found[0])
    return made


def _remark(made: Opening, asked: Asked, fitting: int, shown: int, one: cells.Row) -> None:
    """How many rows fit, of those that were found: the table may have others."""
    name = said(one.exhibit.passage.locator.table or one.exhibit.passage.title)
    rows_fit = "row fits" if fitting == 1 else "rows fit"
    part = f"; the first {shown} are shown" if shown < fitting else ""
    if _COUNT.search(asked.text):
        made.before = f"{fitting} {rows_fit}, of those that were found in “{name}”{part}."
    else:
        made.after = f"{fitting} of the rows that were found fit{part}; “{name}” may have others."
