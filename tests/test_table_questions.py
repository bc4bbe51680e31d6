"""Can any table be asked? Plain questions on a table that is made up here, through a workspace."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from consilience.tables.database import Database
from consilience.tables.grammar import parse
from consilience.tables.schema import parse_number, table_of
from consilience.workspace import Workspace, init_workspace, open_workspace

CISTERNS = """name,region,depth_m,weight_kg,dug,paid_on,amount
Ulvane,North,14.5,"1,200",1907,2024-03-02,100
Brosk,South,31,900,1844,2024-03-20,50.5
Teminar,North,8,"2,400",1990,2024-04-01,7
Quoll,East,22,150,1951,2024-05-09,20
"""

QUESTIONS = [
    ("which is the deepest", "Brosk"),
    ("which is the oldest", "Brosk"),
    ("what is the average depth", "18.875"),
    ("how many have a depth of more than 10", "3"),
    ("sum of amounts in March", "150.5"),
    ("which is the heaviest", "Teminar"),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("cisterns")
    (folder / "cisterns.csv").write_text(CISTERNS)
    init_workspace(folder / "workspace")
    with open_workspace(folder / "workspace") as opened:
        opened.add([folder / "cisterns.csv"])
        yield opened


@pytest.mark.parametrize(("question", "value"), QUESTIONS)
def test_a_plain_question_is_answered_first_with_its_rows(
    workspace: Workspace, question: str, value: str
) -> None:
    answer = workspace.ask(question)
    first = answer.text.strip().splitlines()[0]
    assert value in first
    assert answer.citations
    assert any("SELECT" in one.query for one in answer.result.trace.outcomes)


def test_words_without_a_place_make_a_query_unsure() -> None:
    table = table_of("t", ["name", "depth"], [["a", "1"], ["b", "2"]])
    query = parse("which is the deepest of the enchanted ones", table)
    assert query.unplaced == ("enchanted",)
    assert not query.sure


@pytest.mark.parametrize(
    ("cell", "number"),
    [("1,234", 1234), ("$3.5", 3.5), ("12%", 12), ("3 (2nd)", 3), ("n/a", None), ("−4", -4)],
)
def test_messy_cells_are_numbers(cell: str, number: float | None) -> None:
    assert parse_number(cell) == number


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM t", "SELECT * FROM read_csv('/etc/passwd')", "COPY t TO '/tmp/t.csv'"],
)
def test_the_database_neither_writes_nor_reads_files(sql: str) -> None:
    database = Database([table_of("t", ["name"], [["a"]])])
    with pytest.raises(duckdb.Error):
        database.select(sql)
    assert database.select("SELECT count(*) FROM t") == [(1,)]
