"""Is every part of the pack in use? On a small workspace each is missed where it is cut off."""

from __future__ import annotations

import json
import shutil
import sys

import duckdb
import pytest
from wired_shared import COUNTRIES, PAGES, VALUES, write_files

from consilience.cli import main
from consilience.settings import build_settings
from consilience.workspace import init_workspace, open_workspace

LOOKUP = "What was the revenue of Portugal in August 2025?"
SUM = "Sum of the revenue of Portugal and Spain in July 2025"
PROSE = "Why could no ship be loaded in the harbour of Sines?"
BOTH = "What does the group write about the storm at the harbour and the fleet of lorries?"
SQL, DENSE, WORDS = "reports/sql", "reports/dense", "reports/bm25"
PATIENT = {
    "pack": "finance",
    "models.embed": "fast",
    "models.rerank": "none",
    "retrieve.soft_ms": 20_000,
    "retrieve.hard_ms": 30_000,
}


def opened(folder, **values):
    return open_workspace(folder, settings=build_settings({**PATIENT, **values}))


def built(folder):
    files = write_files(folder / "files")
    init_workspace(folder, pack="finance")
    with opened(folder) as space:
        report = space.add([files])
        assert not report.failed
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return built(tmp_path_factory.mktemp("wired") / "space")


@pytest.fixture(scope="module")
def space(home):
    with opened(home) as found:
        yield found


@pytest.fixture
def copied(home, space, tmp_path):
    """A workspace of its own, for what changes it or opens it with other settings."""
    del space  # a copy of what is written down, whoever has it open
    return shutil.copytree(home, tmp_path / "copy", ignore=shutil.ignore_patterns("*lock*"))


def outcome(result, source=SQL):
    return next(one for one in result.trace.outcomes if one.source == source)


def first(result):
    return result.hits[0].passage


def votes(hit):
    return {vote.source: vote for vote in hit.votes}


def figures(folder):
    """The documents that the numbers in SQL are of, once for each number."""
    (path,) = folder.rglob("figures.duckdb")
    with duckdb.connect(str(path), read_only=True) as connection:
        return [row[0] for row in connection.execute("SELECT document FROM figures").fetchall()]


# --- reading ----------------------------------------------------------------------------


def test_files_are_read_by_the_loader_of_the_pack(space, tmp_path):
    rows = [one for one in space.catalogue.each("reports") if one.kind == "row"]
    assert len(rows) == len(VALUES) * len(COUNTRIES) + 2
    assert all(json.loads(one.metadata["cells"]) for one in rows)
    general = init_workspace(tmp_path / "general")
    files = write_files(tmp_path / "files")
    with open_workspace(general, settings=build_settings({**PATIENT, "pack": "general"})) as other:
        other.add([files / "norvale-staff.csv"])
        plain = [one for name in other.catalogue.counts() for one in other.catalogue.each(name)]
    assert plain
    assert not any("cells" in one.metadata for one in plain)


def test_every_number_is_in_sql(space, copied):
    assert space.search(LOOKUP).hits
    assert len(figures(copied)) == len(VALUES) * len(COUNTRIES) * 3 + 4


def test_a_removed_file_takes_its_numbers_along(copied):
    with opened(copied) as space:
        assert first(space.search(LOOKUP)).document.endswith("norvale-august.pdf")
        (copied / "files" / "norvale-august.pdf").unlink()
        space.remove([copied / "files" / "norvale-august.pdf"])
        left = space.search(LOOKUP)
        assert not any("44.0" in hit.passage.text for hit in left.hits)
        assert "August 2025" in " ".join(outcome(left).missing)
    assert {one.rpartition("/")[2] for one in figures(copied)} == {
        "norvale-july.pdf",
        "norvale-staff.csv",
    }


def test_a_workspace_that_is_built_again_has_the_same_ids(space, copied, tmp_path):
    ids = [one.id for one in space.catalogue.each("reports")]
    with opened(built(tmp_path / "again")) as again:
        assert [one.id for one in again.catalogue.each("reports")] == ids
    before = len(figures(copied))
    with opened(copied) as other:
        other.rebuild()
        assert [one.id for one in other.catalogue.each("reports")] == ids
    assert len(figures(copied)) == before


# --- searching --------------------------------------------------------------------------


def test_a_question_for_a_figure_asks_sql_and_its_vote_counts(space):
    result = space.search(LOOKUP)
    assert result.trace.plan.intent == "figure"
    assert outcome(result).status == "ok"
    assert "SELECT" in outcome(result).query
    vote = votes(result.hits[0])[SQL]
    assert vote.rank == 1
    assert vote.contribution > 0
    assert "44.0" in first(result).text


def test_a_question_for_words_is_put_to_prose_and_tables(space):
    result = space.search(PROSE)
    assert result.trace.plan.intent == "prose"
    assert outcome(result).status != "skipped"
    assert (first(result).kind, first(result).locator.page) == ("report", 1)


@pytest.mark.parametrize(("alpha", "source"), [(0.0, WORDS), (1.0, DENSE)])
def test_the_ends_of_alpha_are_the_single_sources(copied, alpha, source):
    with opened(copied, **{"fusion.method": "convex", "fusion.alpha": alpha}) as space:
        trace = space.search(BOTH).trace
    assert {one.source for one in trace.rankings} == {WORDS, DENSE}
    (ranking,) = [one for one in trace.rankings if one.source == source]
    own = [one.id for one in ranking.found]
    assert len(own) > 1
    assert [key for key, _ in trace.fused[: len(own)]] == own


def test_alpha_moves_the_ranking(copied):
    orders = set()
    for alpha in (0.0, 0.5, 1.0):
        with opened(copied, **{"fusion.method": "convex", "fusion.alpha": alpha}) as space:
            orders.add(tuple(key for key, _ in space.search(LOOKUP).trace.fused[:10]))
    assert len(orders) == 3


def test_what_was_understood_is_noted(space):
    result = space.search("Portuguese revenue in August 2025")
    step = next(one for one in outcome(result).steps if "Portugal" in one)
    assert any(note.origin == SQL and note.message == step for note in result.notes)
    assert not result.abstained
    assert "44.0" in first(result).text


@pytest.mark.parametrize(
    ("question", "missing"),
    [("Revenue of Peru in August 2025", "Peru"), ("Revenue of Spain in March 2025", "March 2025")],
)
def test_what_no_figure_has_is_named_and_the_question_refused(space, question, missing):
    answer = space.ask(question)
    assert missing in outcome(answer.result).missing
    assert answer.abstained
    assert not answer.citations
    assert any(missing in note.message for note in answer.notes)


def test_what_sql_is_sure_of_comes_first(space, copied):
    result = space.search(SUM)
    sure = outcome(result).sure
    assert [hit.passage.id for hit in result.hits[: len(sure)]] == list(sure)
    assert first(result).kind == "calculation"
    light = {"fusion.weights": {"sql": 0.001}}
    with opened(copied, **light, **{"refine.pinned": 0}) as free:
        assert first(free.search(SUM)).kind != "calculation"


# --- calculating and answering ----------------------------------------------------------


def test_a_calculation_is_cited_with_its_operands_and_can_be_shown_again(space):
    answer = space.ask(SUM)
    made, *operands = [one.passage for one in answer.citations]
    assert made.kind == "calculation"
    assert "41.0 + 60.5 = 101.5" in made.text
    assert "101.5" in answer.text.splitlines()[0]
    assert {one.metadata["entity"] for one in operands} == {"Portugal", "Spain"}
    assert [one["passage"] for one in json.loads(made.metadata["operands"])] == [
        one.id for one in operands
    ]
    assert made.id not in space.catalogue.get([made.id])
    assert space.catalogue.resolve(made.id) == made


@pytest.mark.parametrize("metric", PAGES)
@pytest.mark.parametrize("month", ["July", "August"])
def test_citations_lead_to_the_page_that_prints_the_number(space, month, metric):
    for country, values in zip(COUNTRIES, VALUES[month, metric], strict=True):
        answer = space.ask(f"What was the {metric} of {country} in {month} 2025?")
        cited = answer.citations[0].passage
        assert values[0] in answer.text.splitlines()[0]
        assert cited.document.endswith(f"norvale-{month.lower()}.pdf")
        assert cited.locator.page == PAGES[metric]


# --- what a question says of itself -----------------------------------------------------


def test_company_and_time_are_preferred_unless_that_is_turned_off(space, copied):
    question = "What did the Norvale Group write about lorries in August 2025?"
    boosts = {one.condition.field: one for one in space.search(question).trace.plan.boosts}
    assert boosts["company"].condition.value == "Norvale Group"
    assert boosts["period"].condition.value == "2025-08"
    changed = [change for hit in space.search(question).hits for change in hit.changes]
    assert any(one.step == "boost" and one.delta > 0 for one in changed)
    with opened(copied, **{"refine.unread": "period, company"}) as other:
        fields = {one.condition.field for one in other.search(question).trace.plan.boosts}
    assert not fields & {"company", "period"}


def told_by(monkeypatch, capsys, folder, *words):
    (folder / "consilience.toml").write_text('pack = "finance"\n[models]\nembed = "fast"\n')
    monkeypatch.setattr(sys, "argv", ["consilience", *words, "-w", str(folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return capsys.readouterr().out


def test_diagnose_shows_every_source_and_how_sql_came_to_it(copied, capsys, monkeypatch):
    told = told_by(monkeypatch, capsys, copied, "diagnose", SUM)
    rows = {line.split("\t")[0] for line in told.splitlines() if "\t" in line}
    assert {DENSE, WORDS, SQL, "merged"} <= rows
    assert "Revenue of Portugal and Spain" in told
    assert "SELECT" in told
    assert "norvale-july.pdf p. 2  calculation" in told
    steps = told_by(monkeypatch, capsys, copied, "diagnose", "Portuguese revenue in August 2025")
    assert "“Portuguese” = Portugal" in steps
    missing = told_by(monkeypatch, capsys, copied, "diagnose", "--json", "Revenue of Peru in July")
    assert "Peru" in json.loads(missing)["told"][SQL]["missing"]
