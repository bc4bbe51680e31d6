"""What becomes of the SQL that a language model proposes, and does it reach the ranking?"""

from __future__ import annotations

import asyncio
import json

import pytest
from figures_shared import rows

from consilience.errors import ModelError
from consilience.packs.finance.figures import facts
from consilience.packs.finance.figures.cursors import Patience
from consilience.packs.finance.figures.facts import ByFigures
from consilience.packs.finance.figures.guarding import checked
from consilience.packs.finance.figures.holding import FactStore
from consilience.protocols import Proposer, Warmed
from consilience.settings import build_settings
from consilience.testing import ScriptedGenerator
from consilience.types import Filter, Request
from consilience.workspace import init_workspace, open_workspace

QUESTION = "Which places earned the most?"
GOOD = (
    "SELECT passage, \"column\", value FROM figures WHERE metric = 'EBITDA' AND basis = 'actual' "
    "AND period = '2025-08' AND entity <> '' ORDER BY number DESC LIMIT 3"
)
PLACE = (
    "metric = 'EBITDA' AND basis = 'actual' AND period = '2025-08' "
    "AND entity IN ('Portugal', 'Spain')"
)


@pytest.fixture(scope="module")
def known():
    return {one.id: one for one in rows()}


@pytest.fixture(scope="module")
def source(tmp_path_factory, known):
    store = FactStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    store.write(list(known.values()))
    yield ByFigures(
        store, "reports/sql", lookup=lambda ids: {key: known[key] for key in ids if key in known}
    )
    store.close()


def propose(source, reply, *filters, limit=10):
    model = ScriptedGenerator({"sql": reply})
    request = Request(text=QUESTION, filters=filters)
    return asyncio.run(source.propose(request, model, limit=limit)), model


def test_the_source_keeps_what_it_promises(source):
    assert isinstance(source, Proposer)
    assert isinstance(source, Warmed)


def test_the_rows_that_it_names_are_found_in_its_order(source, known):
    told, model = propose(source, f"```sql\n{GOOD}; -- the best\n```")
    entities = [known[one.id].metadata["entity"] for one in told.found]
    assert entities == ["Spain", "Portugal", "Portugal › Cement"]
    assert [one.score for one in told.found] == sorted(one.score for one in told.found)[::-1]
    assert told.query == checked(GOOD)
    assert (told.steps, told.sure, told.missing) == ((), (), ())
    shown = model.prompts[0].user
    assert "EBITDA" in shown  # what most figures are of is shown, though the question names none
    assert "2025-08" in shown
    assert len(shown) < 10_000


def test_filters_bind_and_the_limit_does(source, known):
    told, _ = propose(source, GOOD, Filter(field="entity", operator="=", value="Portugal"))
    assert [known[one.id].metadata["entity"] for one in told.found] == ["Portugal"]
    told, _ = propose(source, GOOD, limit=1)
    assert len(told.found) == 1


def test_a_passage_that_no_figure_has_is_left_out(source):
    told, _ = propose(source, "SELECT 'made up' AS passage FROM figures")
    assert told.found == ()


@pytest.mark.parametrize(
    ("sql", "result", "operands"),
    [
        (f"SELECT sum(number) FROM figures WHERE {PLACE}", "53.4 EUR million", 2),
        (f"SELECT avg(value) AS mean FROM figures WHERE {PLACE}", "26.7 EUR million", 2),
        (f"SELECT round(max(number), 2) FROM figures WHERE {PLACE}", "Spain (41.0 EUR million)", 1),
        (f"SELECT min(value) FROM figures WHERE {PLACE}", "Portugal (12.4 EUR million)", 1),
    ],
)
def test_one_number_of_many_is_reckoned_again_of_its_cells(source, known, sql, result, operands):
    told, _ = propose(source, sql)
    made = told.found[0].passage
    assert made.kind == "calculation"
    assert made.metadata["result"] == result
    cells = json.loads(made.metadata["operands"])
    assert len(cells) == operands
    assert {one["passage"] for one in cells} == {one.id for one in told.found[1:]} <= known.keys()
    assert told.query.startswith(checked(sql))


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT count(*) FROM figures WHERE {PLACE}",
        f"SELECT sum(number) / 2 FROM figures WHERE {PLACE}",
        "SELECT sum(number) FROM figures",  # units are mixed
        f"SELECT metric, sum(number) FROM figures WHERE {PLACE} GROUP BY metric",
        f"SELECT value FROM figures WHERE {PLACE}",
    ],
)
def test_a_number_whose_rows_nobody_knows_is_not_used(source, sql):
    told, _ = propose(source, sql)
    assert told.found == ()
    assert "without the rows" in told.steps[0]
    assert told.query == checked(sql)


def test_a_filter_keeps_cells_out_of_a_calculation_too(source):
    spain = Filter(field="entity", operator="=", value="Spain")
    told, _ = propose(source, f"SELECT sum(number) FROM figures WHERE {PLACE}", spain)
    assert told.found == ()


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("DROP TABLE figures; SELECT 1", "refused"),
        ("SELECT * FROM read_csv('/etc/passwd')", "refused"),
        ("SELECT passage FROM figures; DELETE FROM figures", "refused"),
        ("SELECT passage FROM duckdb_settings()", "refused"),
        ("SELECT passage FROM figures WHERE metric = nowhere", "refused"),
        ("SELECT metric + 1 AS passage FROM figures", "does not run"),
        ("I would rather talk about the weather.", "no SQL"),
        ("", "no SQL"),
    ],
)
def test_what_may_not_run_is_told_as_a_step(source, reply, step):
    told, _ = propose(source, reply)
    assert told.found == ()
    assert step in told.steps[0]
    assert asyncio.run(source.retrieve(Request(text="EBITDA of Spain in August 2025"), limit=1))


def test_a_statement_whose_time_is_over_is_stopped(source, monkeypatch):
    def short(ms):
        patience = Patience(ms)
        patience.give_up()
        return patience

    monkeypatch.setattr(facts, "Patience", short)
    told, _ = propose(source, GOOD)
    assert told.found == ()
    assert "not searched within 2000 ms" in told.steps[0]


def test_a_model_that_fails_is_the_callers_to_tell(source):
    with pytest.raises(ModelError):
        propose(source, ModelError("gone"))


# --- through a workspace ------------------------------------------------------------------

STAFF = """Employees by country (FTE)

Country,July 2025,August 2025
Portugal,210,214
Spain,305,301
Morocco,77,79
"""
MODEL = "SELECT passage FROM figures WHERE entity = 'Morocco'"


def opened(folder, generator=None, **values):
    settings = build_settings(
        {
            "pack": "finance",
            "models.embed": "fast",
            "models.rerank": "none",
            "retrieve.hard_ms": 30_000,
            **values,
        }
    )
    return open_workspace(folder, settings=settings, generator=generator)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proposed") / "space"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "staff.csv").write_text(STAFF, encoding="utf-8")
    init_workspace(folder, pack="finance")
    with opened(folder) as space:
        assert not space.add([folder / "files"]).failed
    return folder


def answered(home, question, reply, **values):
    def replies(prompt):
        return reply if prompt.stage == "sql" else ModelError("only SQL is written here")

    with opened(home, ScriptedGenerator(replies), **values) as space:
        return space.ask(question).result


def test_a_proposal_reaches_the_ranking(home):
    result = answered(home, "How many heads has the smallest crew in August 2025?", MODEL)
    outcome = next(one for one in result.trace.outcomes if one.source == "reports/sql+model")
    assert outcome.status == "ok"
    assert outcome.query.startswith("SELECT passage FROM figures")
    voted = {vote.source for hit in result.hits for vote in hit.votes if vote.rank}
    assert "reports/sql+model" in voted
    first = next(one for one in result.hits if "Morocco" in one.passage.text)
    assert "reports/sql+model" in {vote.source for vote in first.votes if vote.rank}


def test_a_refused_proposal_is_noted(home):
    result = answered(
        home, "How many heads has the smallest crew in August 2025?", "SELECT * FROM read_csv('x')"
    )
    assert any("refused" in note.message for note in result.notes)


def test_nothing_is_proposed_where_the_source_is_sure_or_it_is_not_wanted(home):
    sure = answered(home, "How many employees did Spain have in August 2025?", MODEL)
    unwanted = answered(
        home,
        "How many heads has the smallest crew in August 2025?",
        MODEL,
        **{"answer.propose": "no"},
    )
    for result in (sure, unwanted):
        assert not any(one.source.endswith("+model") for one in result.trace.outcomes)


def test_the_workspaces_own_synonyms_find_figures(home):
    question = "What was the bodycount of Spain in August 2025?"

    def sure():
        with opened(home) as space:
            result = space.search(question)
        return next(one.sure for one in result.trace.outcomes if one.source == "reports/sql")

    assert not sure()
    own = home / "synonyms.toml"
    own.write_text('bodycount = ["employees"]\n', encoding="utf-8")
    try:
        assert sure()
    finally:
        own.unlink()
