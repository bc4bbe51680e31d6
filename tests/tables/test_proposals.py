"""SQL that a language model writes for a table: what may run, what it means, a second try."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from consilience.errors import SourceError
from consilience.protocols import Chunk
from consilience.tables.database import Database
from consilience.tables.proposal import plain_names, propose_answer, run_proposal
from consilience.tables.query import TableAnswer
from consilience.tables.schema import make_table
from consilience.types import Prompt

TABLE = make_table(
    "kilns",
    ["Name", "Height (m)", "lit on", "region"],
    [
        ["Ashdown", "3.5", "March 5, 2004", "North"],
        ["Übel [1]", "2", "2 Apr 2001", "north"],
        ["Cray", "7", "2010-06-30", "South"],
    ],
)


class Writer:
    """A language model that writes what it is given, one reply after the other."""

    name = "writer"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[Prompt] = []

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Chunk]:
        self.prompts.append(prompt)
        yield Chunk(text=self.replies.pop(0))


def run(sql: str) -> TableAnswer:
    return run_proposal(sql, TABLE, plain_names(TABLE), Database([TABLE]))


@pytest.mark.parametrize(
    ("sql", "values", "rows"),
    [
        ("SELECT name FROM t ORDER BY height_m DESC LIMIT 1", ("Cray",), (3,)),
        ("SELECT lit_on FROM t WHERE name = 'ashdown'", ("March 5, 2004",), (1,)),
        ("SELECT count(*) FROM t WHERE region = 'NORTH'", ("2",), (1, 2)),
        ("SELECT sum(height_m) FROM t WHERE name IN ('ubel', 'ashdon')", ("5.5",), (1, 2)),
        ("SELECT name FROM t WHERE extract(year FROM lit_on) = 2004", ("Ashdown",), (1,)),
        ("SELECT name FROM t WHERE name LIKE '%CRAY%'", ("Cray",), (3,)),
        ("SELECT lit_on FROM t GROUP BY lit_on ORDER BY 1 LIMIT 1", ("2001-04-02",), (1, 2, 3)),
        ("SELECT 1 - (SELECT height_m FROM t WHERE name = 'Ubel')", ("-1",), ()),
        ("SELECT name FROM t WHERE _row > (SELECT 1 + min(_row) FROM t)", ("Cray",), (3,)),
    ],
)  # fmt: skip
def test_a_select_is_compared_with_the_cells_that_are_there(
    sql: str, values: tuple[str, ...], rows: tuple[int, ...]
) -> None:
    answer = run(sql)
    assert answer.values == values
    assert answer.rows == rows
    assert answer.query is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DELETE FROM t", "not one SELECT"),
        ("SELECT 1; SELECT 2", "not one SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "table"),
        ("SELECT * FROM duckdb_settings()", "table"),
        ("SELECT * FROM other", "no table 'other'"),
        ("SELECT getenv('HOME') FROM t", "not allowed"),
        ("SELECT heigth_m FROM t", "did you mean height_m"),
        ("SELECT name FROM t WHERE region = 'Zanzibar'", "no cell of region"),
        ("SELECT name FROM t WHERE region = 'Cray'", "it is in name"),
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r", "RECURSIVE"),
        ("SELECT a.name FROM t a, t b, t c", "not allowed"),
        ("I cannot answer that", "not SQL"),
        ("COPY t TO '/tmp/t.csv'", "not one SELECT"),
    ],
)
def test_what_may_not_run_is_refused_with_the_reason(sql: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        run(sql)


def test_a_wrong_statement_is_written_again_with_the_reason() -> None:
    writer = Writer("```sql\nSELECT heigth FROM t;\n```", "SELECT name FROM t WHERE height_m > 5")
    answer = asyncio.run(
        propose_answer("which kiln is over 5 m?", TABLE, Database([TABLE]), writer)
    )
    assert answer.values == ("Cray",)
    first, second = writer.prompts
    assert "Ashdown | 3.5" in first.user
    assert "did you mean height_m" in second.user


def test_after_two_wrong_statements_there_is_no_answer() -> None:
    writer = Writer("SELECT x FROM t", "SELECT y FROM t")
    with pytest.raises(SourceError, match="no column 'y'"):
        asyncio.run(propose_answer("?", TABLE, Database([TABLE]), writer))
    assert not writer.replies
