"""What answers the question at once? A value of a row, a link between what it names, a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from consilience.answer.extractive import cells, games, links, matching, rows
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.picking import Pick, picked
from consilience.answer.extractive.prose import Teller
from consilience.answer.extractive.reading import Candidate, Reading
from consilience.answer.extractive.themes import kind_of
from consilience.answer.extractive.wording import quoted, shortened
from consilience.answer.sentences import one_line
from consilience.types import Exhibit, Statement

SECOND = 0.9
"""The share of the best score from which a second sentence belongs to the opening."""
LEADING = 3
"""Passages at the top: where most of them are rows, a table opens."""
ROOM = 75
"""Words of an opening of two sentences."""


@dataclass(slots=True)
class Opening:
    """What is said first: the statements, what they rest on, and what the rest must speak of.

    `subject` are the words of a row's name, where its value is the answer: what says nothing of
    it adds nothing. `told` are sentences of links that were said.
    """

    statements: list[Statement] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    marks: set[int] = field(default_factory=set)
    subject: frozenset[str] = frozenset()
    told: set[str] = field(default_factory=set)


def opening(
    exhibits: Sequence[Exhibit],
    reading: Reading,
    *,
    most: int,
    links_most: int,
    lines: int = 0,
) -> Opening:
    """The opening of an answer; `most` rows or `links_most` links at most.

    With `lines` the best game opens, with so many of its comments.
    """
    played = [one for one in exhibits if lines and kind_of(one) == "games"]
    if played:
        told = games.statements(played[0], reading.asked.text, comments=lines)
        return Opening(statements=told, marks={played[0].mark})
    return (
        _row(exhibits, reading)
        or _table(exhibits, reading, most)
        or _links(exhibits, reading, links_most)
        or _sentences(reading)
        or _whatever(exhibits)
    )


def prose(reading: Reading) -> list[Candidate]:
    """The candidates that are sentences of prose."""
    return [one for one in reading.candidates if kind_of(one.exhibit) == "prose"]


def order(one: Candidate) -> tuple[float, int, int]:
    """Best first when the largest comes first; ties by mark and place."""
    return (one.score, -one.mark, -one.place)


def _row(exhibits: Sequence[Exhibit], reading: Reading) -> Opening | None:
    """Where the question names one or two rows and asks for a value of theirs."""
    for table in [*cells.tables(exhibits), *cells.printed(exhibits)]:
        named = matching.named(table, reading.asked.text)
        columns = matching.wanted(table, reading.asked)
        having = [row for row in named if any(column in row.cells for column in columns)]
        if 0 < len(having) <= 2:
            return _rows_said(having, columns, table, reading)
    return None


def _rows_said(
    chosen: Sequence[cells.Row],
    columns: Sequence[str],
    table: Sequence[cells.Row],
    reading: Reading,
) -> Opening:
    name = cells.name_column(table)
    lines = {(row.mark, row.text) for row in chosen}
    told = [one for one in reading.candidates if (one.mark, one.sentence.text) in lines]
    names = " ".join(row.cells.get(name, "") for row in chosen)
    return Opening(
        statements=[rows.sentence(row, columns, table) for row in chosen],
        picks=[Pick(one, (one,)) for one in told],
        marks={row.mark for row in table if row.exhibit.passage.kind == "row"},
        subject=frozenset(terms(names)) - frozenset(terms(" ".join(matching.general(table)))),
    )


def _table(exhibits: Sequence[Exhibit], reading: Reading, most: int) -> Opening | None:
    """Where rows lead the evidence, or those that have what the question says are among it."""
    found = min(cells.tables(exhibits), key=lambda one: one[0].mark, default=[])
    if not found:
        return None
    leading = exhibits[:LEADING]
    first = sum(one.passage.kind == "row" for one in leading) * 2 > len(leading)
    listed = matching.mentioned(found, reading.asked.text)
    kept = matching.fitting(found, reading.asked)[:most]
    if not kept or not (first or (len(listed) > 1 and len(kept) > 1)):
        return None
    if len(kept) == 1:
        columns = list(dict.fromkeys([*matching.wanted(found, reading.asked), *listed]))
        return _rows_said(kept, columns or cells.columns_of(found)[1:5], found, reading)
    table = rows.table(kept, reading.asked, among=found)
    return Opening(statements=[table], marks={row.mark for row in found})


def _links(exhibits: Sequence[Exhibit], reading: Reading, most: int) -> Opening | None:
    """Where links answer: by what they join, by their relation, or better than any prose."""
    linked = [one for one in exhibits if kind_of(one) == "links"]
    best = max(reading.candidates, key=order, default=None)
    if not linked or best is None:
        return None
    names = links.Names.among(linked, reading.asked)
    joining = [one for one in linked if links.joins(one, names)]
    paths = [one for one in joining if one.passage.kind == "path"]
    chosen = paths[:1] or (links.answering(linked, names) or joining)[:most]
    if not chosen and kind_of(best.exhibit) == "links":
        chosen = [best.exhibit]
    if "reason" in reading.asked.kinds and not any(_has_reason(one, reading) for one in chosen):
        return None
    made = Opening(marks={one.mark for one in chosen})
    for one in chosen:
        made.statements.extend(links.statements(one, reading.of(one.mark), made.told))
    return made if made.statements else None


def _has_reason(exhibit: Exhibit, reading: Reading) -> bool:
    return any(reading.asked.answers(one.sentence.text) for one in reading.of(exhibit.mark))


def _whatever(exhibits: Sequence[Exhibit]) -> Opening:
    """The first passage as it is, where none of it is a sentence."""
    if not exhibits:
        return Opening()
    one = exhibits[0]
    text = f"{quoted([shortened(one_line(one.passage.text))])} [{one.mark}]"
    told = Statement(text=text, opens=True, quotes={one.mark: one.passage.text})
    return Opening(statements=[told], marks={one.mark})


def _sentences(reading: Reading) -> Opening | None:
    """The best sentence; a second one where the question is open and it is nearly as good."""
    among = prose(reading)
    best = max((one.score for one in among), default=0.0)
    found = picked(reading, among, words=1, least=0.0, most=1)
    if not found and among:
        one = max(among, key=order)
        found = [Pick(one, (one,))]
    if not found:
        return None
    if not reading.asked.one_thing:
        left = ROOM - found[0].words
        here = [one for one in among if one.mark == found[0].mark]
        found += picked(reading, here, words=left, least=SECOND * best, most=1, before=found)
    teller = Teller(reading.asked, named=False, english=False)
    return Opening(statements=teller.paragraph(found), picks=found)
