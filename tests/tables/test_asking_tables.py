"""Can any table be asked? Plain questions on tables that are made up here, through a workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from consilience.answer import pipeline
from consilience.kinds import TABLE_ANSWER
from consilience.testing import ScriptedGenerator
from consilience.types import Done, Query
from consilience.workspace import Workspace, init_workspace, open_workspace

CISTERNS = """name,region,depth_m,weight_kg,dug
Ulvane,North,14.5,"1,200",1907
Brosk,South,31,900,1844
Teminar,North,8,"2,400",1990
Quoll,East,22,150,1951
"""
EXPENSES = """paid_on,category,payee,amount
2024-03-02,Travel,Ottilie,100
2024-03-20,Rent,Marlow,50.5
2024-04-01,Travel,Pelling,7
2024-05-09,Rent,Marlow,20
"""
PLAIN = [
    ("which cistern is the deepest?", "Brosk (31 m)"),
    ("which is the oldest cistern?", "Brosk (1844)"),
    ("what is the average depth of the cisterns?", "18.875 m"),
    ("which cisterns are deeper than 20 m?", "Brosk; Quoll"),
    ("how many cisterns have a depth of more than 10?", "3"),
]
SUMS = [
    ("total amount of the expenses for travel", "107"),
    ("sum of amounts in March", "150.5"),
    ("total amount per category", "Travel (107); Rent (70.5)"),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("tables")
    (folder / "cisterns.csv").write_text(CISTERNS)
    (folder / "expenses.csv").write_text(EXPENSES)
    (folder / "notes.md").write_text(
        "# Notes\n\nCisterns were dug by hand. The deepest wells need props against collapse.\n"
    )
    init_workspace(folder / "workspace")
    with open_workspace(folder / "workspace") as opened:
        opened.add([folder / name for name in ("cisterns.csv", "expenses.csv", "notes.md")])
        yield opened


@pytest.mark.parametrize(("question", "value"), PLAIN + SUMS)
def test_a_plain_question_is_answered_first_with_its_rows(
    workspace: Workspace, question: str, value: str
) -> None:
    answer = workspace.ask(question)
    first, _, rest = answer.text.strip().partition("\n")
    assert first.startswith(f"{value}:")
    assert "| --- |" in rest
    lead = answer.citations[0].passage
    assert lead.kind == TABLE_ANSWER
    assert str(lead.metadata["sql"]).startswith("SELECT")
    assert all(citation.passage.kind == "row" for citation in answer.citations[1:])


async def unanswered(*_: object) -> tuple[None, tuple[()]]:
    return None, ()


def test_without_the_wiring_nothing_is_computed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "what is the average depth of the cisterns?"
    assert "18.875" in workspace.ask(question).text
    monkeypatch.setattr(pipeline, "ask_tables", unanswered)
    assert "18.875" not in workspace.ask(question).text


def test_a_search_lists_rows_and_no_answers(workspace: Workspace) -> None:
    result = workspace.search("which cistern is the deepest?")
    assert result.hits
    assert TABLE_ANSWER not in {hit.passage.kind for hit in result.hits}


def test_a_spreadsheet_is_asked_like_any_table(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["kiln", "fired on", "pots"],
        ["Ashdown", date(2024, 3, 2), 12],
        ["Cray", date(2024, 5, 1), 30],
    ):
        book.active.append(row)
    book.save(tmp_path / "kilns.xlsx")
    init_workspace(tmp_path / "workspace")
    with open_workspace(tmp_path / "workspace") as opened:
        opened.add([tmp_path / "kilns.xlsx"])
        assert opened.ask("which kiln has the most pots?").text.startswith("Cray (30):")
        assert opened.ask("how many pots in total?").text.startswith("42:")
        assert opened.ask("total pots in March").text.startswith("12:")


def test_what_has_no_place_is_said_with_the_columns_there_are(workspace: Workspace) -> None:
    answer = workspace.ask("what is the average salinity of the cisterns?")
    notes = " ".join(note.message for note in answer.notes)
    assert "no place for “salinity”" in notes
    assert "depth_m" in notes


def test_prose_is_still_answered_from_prose(workspace: Workspace) -> None:
    answer = workspace.ask("what do the deepest wells need against collapse?")
    assert "props" in answer.text
    assert TABLE_ANSWER not in {citation.passage.kind for citation in answer.citations}


def test_a_language_model_writes_the_sql_where_the_grammar_is_not_sure(
    workspace: Workspace,
) -> None:
    question = "which cistern of the region North has the most voluminous hollow?"
    assert "Teminar" not in workspace.ask(question).text.partition("\n")[0]
    sql = "SELECT name FROM t WHERE region = 'north' ORDER BY depth_m LIMIT 1"
    engine = replace(workspace.engine, generator=ScriptedGenerator({"table sql": sql}))

    async def last() -> Done:
        events = [event async for event in pipeline.ask(Query(text=question), engine)]
        assert isinstance(events[-1], Done)
        return events[-1]

    text = asyncio.run(last()).answer.text
    assert text.startswith("Teminar: computed by SQL")
    assert "Not sure: scripted wrote the SQL" in text
