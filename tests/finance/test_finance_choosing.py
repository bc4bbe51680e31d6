"""Is the right one chosen: by its unit, its kind of entity, its time, and told in few words?"""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from figures_shared import AUGUST, JULY, cell, month, row, year

from consilience.packs.finance.figures.cursors import Patience
from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.questions.counting import is_quantity, unit_in
from consilience.protocols import Retriever
from consilience.types import Request

BY = {
    ("Portugal", "Cement"): ("9.0", "24.0%"),
    ("Portugal", "Aggregates"): ("2.0", "40.0%"),
    ("Portugal", "Total Portugal"): ("11.0", "26.0%"),
    ("Spain", "Cement"): ("12.0", "30.0%"),
    ("Spain", "Aggregates"): ("4.0", "25.0%"),
    ("Spain", "Total Spain"): ("16.0", "28.5%"),
    ("By division", "Cement"): ("21.0", "27.0%"),
    ("By division", "Aggregates"): ("6.0", "31.0%"),
}
MONTHS = ("8.0", "8.4", "9.1", "10.0", "10.5", "11.0")


def by_country():
    number = 0
    for label, texts in BY.items():
        entity = tuple(one for one in label if not one.startswith(("Total", "By")))
        for metric, text in zip(("EBITDA", "EBITDA margin"), texts, strict=True):
            number += 1
            yield row(number, metric, entity, [cell(1, text, AUGUST)], label=(*label, metric))


def others():
    series = [cell(at, text, month(2025, 2 + at)) for at, text in enumerate(MONTHS, start=1)]
    yield row(1, "EBITDA", ("Portugal",), series, table="8.1", label=("EBITDA", "Portugal"))
    for at, (entity, texts) in enumerate(
        {("Portugal",): ("30.0", "40.0"), (): ("100.0", "125.0")}.items(), start=1
    ):
        known = [cell(1, texts[0], JULY), cell(2, texts[1], AUGUST)]
        yield row(at, "Revenue", entity, known, table="9.1", label=entity or ("Group total",))
    volume = {"unit": "m³", "scale": 1000}
    yield row(1, "Volume", ("Spain",), [cell(1, "61", AUGUST, **volume)], table="4.1")
    tonnes = {"unit": "t", "scale": 1000}
    yield row(2, "Volume", ("Spain",), [cell(1, "175", AUGUST, **tonnes)], table="4.1")
    yield row(3, "CO2 emissions", ("Spain",), [cell(1, "90", AUGUST, **tonnes)], table="4.2")
    for number in (2018, 2019):
        found = cell(1, f"{number}.0", year(number))
        yield row(number, "Total revenue", (), [found], table="5.1", label=("Total revenue",))


@pytest.fixture(scope="module")
def known():
    return {one.id: one for one in (*by_country(), *others())}


@pytest.fixture(scope="module")
def source(tmp_path_factory, known):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    store.write(list(known.values()))
    made = ByFigures(store, "reports/sql")
    made.warm()
    yield made
    store.close()


def ask(source, question):
    return asyncio.run(source.tell(Request(text=question), limit=20))


def first_line(told) -> str:
    return told.found[0].passage.text.partition("\n")[0]


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("Which country had the highest EBITDA margin in August 2025?", "Spain (28.5 %)"),
        ("Which division had the highest EBITDA margin in August 2025?", "Aggregates (31.0 %)"),
        ("Which country had the lowest EBITDA in August 2025?", "Portugal (11.0 EUR million)"),
        ("Which segment had the highest EBITDA in August 2025?", "Cement (21.0 EUR million)"),
    ],
)
def test_entities_of_the_kind_that_is_asked_for_compete(source, question, result):
    told = ask(source, question)
    assert told.found[0].passage.metadata["result"] == result


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many m3 did Spain sell in August 2025?", "61"),
        ("How many cubic metres were sold in Spain in August 2025?", "61"),
        ("How many tonnes did Spain sell in August 2025?", "175"),
        ("How many tonnes did Spain emit in August 2025?", "90"),
    ],
)
def test_a_unit_in_a_question_chooses_the_figure(source, known, question, text):
    told = ask(source, question)
    assert told.missing == ()
    assert told.sure[0] == told.found[0].id
    assert json.loads(known[told.found[0].id].metadata["cells"])[0]["text"] == text


def test_money_and_percent_are_no_quantities():
    assert unit_in("How many euros did Spain earn?") is None
    assert unit_in("What was the volume in tonnes?") is None
    assert unit_in("how many m³ were sold").name == "m³"
    assert not any(map(is_quantity, ("EUR", "%", "EUR/t", "pp", "")))


def test_a_share_at_two_times_is_a_change_in_points(source):
    told = ask(source, "How did the share of Portugal in revenue change from July to August 2025?")
    made = told.found[0].passage
    assert made.metadata["result"] == "+2.0 pp"
    assert "40.0 / 125.0 − 30.0 / 100.0 = 32.0 % − 30.0 % = +2.0 pp" in first_line(told)
    assert len(json.loads(made.metadata["operands"])) == 4


def test_a_calculation_is_sure_with_all_that_it_was_made_from(source):
    told = ask(source, "How did the share of Portugal in revenue change from July to August 2025?")
    used = {one["passage"] for one in json.loads(told.found[0].passage.metadata["operands"])}
    assert told.sure[0] == told.found[0].id
    assert used <= set(told.sure)
    assert told.steps == ()  # nothing was taken for something else


def test_a_trend_is_told_in_short_with_its_series_below(source):
    told = ask(source, "How did EBITDA of Portugal develop from March to August 2025?")
    line, *below = told.found[0].passage.text.splitlines()
    assert line == (
        "EBITDA of Portugal, March to August 2025: 8.0 → 11.0 EUR million, +3.0 (+37.5 %)"
    )
    assert [one.split()[0] for one in below] == list(MONTHS)


def test_a_name_is_said_once(source):
    told = ask(source, "Which country had the highest EBITDA in August 2025?")
    assert "Spain › EBITDA, August 2025, actual" in told.found[0].passage.text
    assert "Total Spain" not in told.found[0].passage.text
    assert "Spain, Spain" not in told.found[0].passage.text


@pytest.mark.parametrize("joint", ["and", "or", "to"])
def test_two_years_of_a_row_called_total_are_looked_up(source, known, joint):
    told = ask(source, f"Total revenue in 2018 {joint} 2019")
    found = {known[one].metadata["cells"] for one in told.sure}
    assert len(found) == 2
    assert all(one.passage is None for one in told.found)


def test_since_reaches_to_the_latest_time(source, known):
    told = ask(source, "EBITDA of Portugal since May 2025")
    assert "8.1" in {known[one].locator.table for one in told.sure if one in known}
    assert told.found[0].passage.metadata["operation"] == "trend"
    assert "2025-08-31" in told.query


def test_a_planned_year_is_not_the_latest(tmp_path):
    store = FactStore(tmp_path / "figures.duckdb")
    plan = row(1, "Revenue", (), [cell(1, "9.0", year(2025), basis="budget")], document="plan.xlsx")
    reports = [
        row(1, "Revenue", (), [cell(1, "1.0", one), cell(2, "2.0", one)], document=one.key)
        for one in (JULY, AUGUST)
    ]
    for one, period in ((plan, "2025"), *zip(reports, ("2025-07", "2025-08"), strict=True)):
        one.metadata["period"] = period
    store.write([plan, *reports])
    assert store.vocabulary().near == AUGUST
    store.close()


def test_the_engine_stops_when_nobody_waits(source):
    one: Retriever = source
    started, patience = threading.Event(), Patience(60_000)

    def work() -> str:
        with source._store.asking(patience) as asked:
            started.set()
            try:
                asked.rows("SELECT count(*) FROM range(100000000000) a WHERE hash(a.range) = 1")
            except Exception as error:  # noqa: BLE001
                return str(error)
        return ""

    async def give_up() -> str:
        waiting = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.to_thread(started.wait)
        patience.give_up()
        return await waiting

    assert "not searched" in asyncio.run(give_up())
    assert asyncio.run(one.retrieve(Request(text="EBITDA of Portugal"), limit=1))


def test_cancelling_a_question_gives_it_up(source, monkeypatch):
    made: list[Patience] = []
    running = threading.Event()

    def slow(request, limit, patience):
        made.append(patience)
        running.set()
        while not patience.is_over:
            threading.Event().wait(0.001)

    monkeypatch.setattr(source, "_tell", slow)

    async def cancelled() -> None:
        task = asyncio.create_task(source.tell(Request(text="EBITDA"), limit=1))
        await asyncio.to_thread(running.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert made[0].is_over
