"""Are the figures that a question names found, in the right order, and is each step told?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from figures_shared import AUGUST, cell, day, month, row, rows, year

from consilience.packs.finance.figures.conditions import told, year_before
from consilience.packs.finance.figures.cursors import Patience
from consilience.packs.finance.figures.facts import FactStore
from consilience.packs.finance.figures.querying import Answered, find
from consilience.packs.finance.figures.selecting import shown
from consilience.packs.finance.questions.asking import Wanted, read


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    made = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    made.write(rows())
    yield made
    made.close()


def ask(store: FactStore, question: str, limit: int = 10, **known) -> Answered:
    vocabulary = store.vocabulary()
    with store.asking(Patience(20_000)) as asked:
        return find(asked, read(question, vocabulary), vocabulary, limit, **known)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the EBITDA of Portugal in August 2025?", "12.4"),
        ("EBITDA Portugal Aug 2025 budget", "11.9"),
        ("What was Portugal's EBITDA in August 2024?", "10.8"),
        ("EBITDA of Portugal in July 2025", "11.0"),
        ("EBITDA of Cement in Portugal, August 2025", "9.1"),
        ("EBITDA margin of Spain in August 2025", "12.4%"),
        ("What was the revenue in August 2025?", "1,250.4"),
        ("Revenue in 2023", "11,020.5"),
        ("Revenue from contracts with customers in 2023", "10,900.0"),
        ("Turnover 2022", "10,450.0"),
        ("net income in 2021", "(120.0)"),
        ("How many employees were there in 2024?", "21,350"),
        ("Total assets at 31 December 2023", "5,100.0"),
        ("total assets 2024", "5,400.0"),
    ],
)
def test_the_number_that_is_meant_comes_first(store, question, text):
    answered = ask(store, question)
    assert answered.rows[0].text == text
    assert answered.missing == ()
    assert answered.whole


def test_a_total_comes_before_what_it_is_made_of(store):
    found = [one.entity for one in ask(store, "EBITDA in August 2025").rows]
    assert found[0] == ""
    assert found.index("Spain") < found.index("Portugal › Cement")


def test_a_shorter_label_and_a_main_statement_come_first(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    at = [cell(1, "1.0", year(2024))]
    long = row(1, "Revenue", (), at, label=("Revenue from contracts with customers",))
    short = row(2, "Revenue", (), at, label=("Revenue",))
    note = row(3, "Revenue", (), at, caption="Note 12")
    main = row(4, "Revenue", (), at, label=("Revenue",), caption="Income statement")
    store.write([long, short, note, main])
    found = [one.passage for one in ask(store, "revenue 2024").rows]
    assert found.index(short.id) < found.index(long.id) < found.index(note.id)
    assert found.index(main.id) < found.index(note.id)
    store.close()


def test_a_report_speaks_of_later_times_only_as_expected(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    early = row(1, "Revenue", (), [cell(1, "1.0", AUGUST)], document="may.pdf")
    early = replace(early, metadata={**early.metadata, "period": "2025-05"})
    own = row(1, "Revenue", (), [cell(1, "2.0", AUGUST)], document="august.pdf")
    own = replace(own, metadata={**own.metadata, "period": "2025-08"})
    late = row(1, "Revenue", (), [cell(1, "2.1", AUGUST)], document="december.pdf")
    late = replace(late, metadata={**late.metadata, "period": "2025-12"})
    store.write([early, own, late])
    found = [one.passage for one in ask(store, "revenue August 2025").rows]
    assert found == [own.id, late.id, early.id]
    store.close()


def test_the_order_is_the_same_every_time(store):
    first = ask(store, "revenue and EBITDA")
    assert first.rows == ask(store, "revenue and EBITDA").rows
    scores = [one.score for one in first.rows]
    assert scores == sorted(scores, reverse=True)


def test_two_entities_and_two_periods_are_all_found(store):
    answered = ask(store, "EBITDA of Portugal and Spain in August 2025")
    assert {one.entity for one in answered.rows[:2]} >= {"Portugal", "Spain"} - {""}
    answered = ask(store, "revenue in 2022 and 2024")
    assert {"2022", "2024"} <= {one.period for one in answered.rows}


def test_one_of_two_that_no_figure_has_is_missing(store):
    answered = ask(store, "revenue in 2015 and 2024")
    assert answered.missing == ("2015",)
    assert not answered.whole
    assert answered.rows[0].period == "2024"


def test_the_nearest_period_is_taken_and_told(store):
    answered = ask(store, "EBITDA of Portugal in June 2025")
    assert answered.steps[0] == "no figure for June 2025; the nearest is July 2025"
    assert answered.missing == ("June 2025",)
    assert answered.rows[0].text == "11.0"


def test_the_least_telling_condition_is_let_go_of_and_told(store):
    answered = ask(store, "EBITDA margin of Portugal Cement in August 2025")
    assert answered.missing == ("Cement",)
    assert "without “Cement”" in answered.steps[0]
    assert answered.rows[0].text == "5.9%"
    answered = ask(store, "total assets of Veldmark in 2024")
    assert answered.missing == ("Veldmark",)
    assert answered.rows[0].company == "Tessenhof"


def test_another_name_for_a_metric_is_told(store):
    answered = ask(store, "turnover in 2021")
    assert answered.steps == ("“turnover” is taken as Revenue",)
    assert answered.missing == ()


def test_the_ladder_tries_wider_names_before_it_lets_go(tmp_path: Path):
    store = FactStore(tmp_path / "figures.duckdb")
    at, other = month(2025, 8), month(2025, 7)
    store.write(
        [
            row(1, "Revenue", ("Spain",), [cell(1, "1.0", at)]),
            row(2, "Net sales", ("Portugal",), [cell(1, "2.0", at)]),
            row(3, "Revenue", ("Portugal",), [cell(1, "3.0", other)]),
        ]
    )
    answered = ask(store, "revenue of Portugal in August 2025")
    assert answered.rows[0].text == "2.0"
    assert answered.missing == ()
    assert "Net sales" in answered.steps[0]
    store.close()


def test_filters_are_asked_of_the_passages(store):
    july = {one.id for one in rows() if one.document == "july.pdf"}
    answered = ask(store, "EBITDA of Portugal", allowed=lambda ids: july & set(ids))
    assert {one.passage for one in answered.rows} == july
    answered = ask(store, "EBITDA of Portugal", allowed=lambda ids: set())
    assert answered.rows == ()


def test_neither_metric_nor_entity_is_no_question_for_figures(store):
    with store.asking(Patience(20_000)) as asked:
        answered = find(
            asked, Wanted(question="2024?", periods=(year(2024),)), store.vocabulary(), 5
        )
    assert answered.rows == ()
    assert answered.sql == ""


def test_the_statement_is_shown_with_its_values_in_place(store):
    answered = ask(store, "EBITDA of Portugal in August 2025")
    text = shown(answered.sql, answered.parameters)
    assert "['EBITDA']" in text
    assert "'2025-08'" in text
    assert "?" not in text
    assert shown("SELECT ?, ?", ["it's", [1, None]]) == "SELECT 'it''s', [1, NULL]"


def test_periods_are_told_as_people_say_them():
    assert told(AUGUST) == "August 2025"
    assert told(year(2024)) == "2024"
    assert told(day(2024, 12, 31)) == "31 December 2024"
    assert year_before(month(2024, 2)).end.day == 28
    assert year_before(month(2025, 2)).end.day == 29


def test_every_row_of_the_sample_has_its_cells():
    assert all(json.loads(one.metadata["cells"]) for one in rows())
