"""`consilience evaluate`: what it prints, writes, refuses and exits with."""

import json
import shutil

import ir_measures
import pytest
from golden_shared import GOLDEN
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.cli.evaluate import read_chosen
from consilience.errors import UsageError
from consilience.measure.golden import question_digest, write_golden
from consilience.measure.metrics import PRIMARY
from consilience.measure.runs import MERGED
from consilience.settings import FILE
from consilience.workspace import STORE, init_workspace, open_workspace
from copied_shared import copied
from tests_shared import write_evidence


@pytest.fixture(scope="module")
def fast(tmp_path_factory, place):
    """A workspace of the shipped `fast` model, with its golden set, to be copied."""
    folder = init_workspace(tmp_path_factory.mktemp("fast") / "fast")
    (folder / FILE).write_text('pack = "general"\n[models]\nembed = "fast"\nrerank = "none"\n')
    with open_workspace(folder) as space:
        space.add([write_evidence(place)])
    write_golden(GOLDEN, folder / "golden.yaml")
    return folder


@pytest.fixture
def ready(fast, evidence, tmp_path, monkeypatch):
    """A copy of it, of the test's own, that commands can open."""
    folder = copied(fast, tmp_path / "fast")
    monkeypatch.chdir(folder)
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["evaluate", *arguments])


def test_the_command_prints_ways_categories_controls_and_a_sentence(ready):
    result = run()
    lines = result.stdout.splitlines()
    assert lines[0].startswith("lights: 7 questions")
    header = next(line for line in lines if line.startswith("way\t")).split("\t")
    assert header[1:] == [
        "nDCG@10",
        "lenient",
        "MRR@10",
        "R@20",
        "Hit@5",
        "ms p50/p95",
        "merged − this",
    ]
    rows = {line.split("\t")[0] for line in lines if "\t" in line}
    assert {"merged", "documents", "tables/sql", "row", "relation"} <= rows
    assert any(line.startswith("passed  shuffled labels") for line in lines)
    assert any(word in lines[-1] for word in ("helps", "help", "shown", "better"))


def test_a_red_control_is_exit_status_1_and_says_so(ready):
    (ready / STORE / "tuned.json").write_text(
        json.dumps({"questions": [question_digest(one) for one in GOLDEN.questions]})
    )
    result = run()
    assert result.exit_code == 1
    assert "FAILED  not tuned on these questions" in result.stdout
    assert "a control is red" in result.stderr
    assert "not tuned on these questions" in result.stderr


def test_runs_are_written_that_other_tools_judge_the_same(ready, tmp_path):
    told = json.loads(run("--runs", str(tmp_path / "out"), "--json").stdout)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "out" / "qrels.txt")))
    for name in ("merged", "documents/bm25"):
        path = tmp_path / "out" / f"{name.replace('/', '-')}.run"
        found = list(ir_measures.read_trec_run(str(path)))
        measure = ir_measures.nDCG @ 10
        value = ir_measures.calc_aggregate([measure], qrels, found)[measure]
        assert value == pytest.approx(told["ways"][name]["measures"]["nDCG@10"]["strict"]["mean"])


def test_a_run_a_report_and_an_earlier_evaluation(ready, tmp_path):
    out = tmp_path / "out"
    earlier = tmp_path / "earlier.json"
    earlier.write_text(run("--runs", str(out), "--json").stdout)
    shutil.copy(out / "merged.run", out / "theirs.run")
    page = tmp_path / "report.html"
    result = run(
        "--run", str(out / "theirs.run"), "--report", str(page), "--against", str(earlier), "--json"
    )
    told = json.loads(result.stdout)
    assert told["ways"]["merged (theirs.run)"]["kind"] == "other"
    ours, theirs = (
        told["ways"][name]["measures"][PRIMARY]["strict"]["mean"]
        for name in (MERGED, "merged (theirs.run)")
    )
    assert ours == pytest.approx(theirs)
    assert {one["gain"] for one in told["against"]["comparisons"]} == {0.0}
    assert "merged (theirs.run)" in page.read_text(encoding="utf-8")


def test_what_cannot_be_written_or_read_is_refused_before_the_work(ready, tmp_path):
    (tmp_path / "file").write_text("")
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"version": 1, "questions": [{"text": "no id"}]}))
    cases = {
        ("--report", str(tmp_path / "nowhere" / "x.html")): "there is no folder",
        ("--report", str(tmp_path)): "is a folder",
        ("--runs", str(tmp_path / "file" / "runs")): "cannot be made",
        ("--against", str(broken)): "not a complete evaluation",
    }
    for arguments, told in cases.items():
        result = run(*arguments)
        assert isinstance(result.exception, UsageError), arguments
        assert told in str(result.exception)
    assert not (ready / STORE / "runs").exists()


def test_a_sample_is_drawn_the_same_way_every_time(ready):
    path, found = read_chosen(None, ready, sample=3)
    assert path == ready / "golden.yaml"
    assert len(found.questions) == 3
    assert read_chosen(None, ready, sample=3)[1] == found
    assert len(read_chosen(None, ready, sample=99)[1].questions) == 7
    with pytest.raises(UsageError, match="-1"):
        read_chosen(None, ready, sample=-1)
    (ready / "golden.yaml").unlink()
    with pytest.raises(UsageError, match="golden suggest"):
        read_chosen(None, ready)
