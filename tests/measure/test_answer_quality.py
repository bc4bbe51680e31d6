"""Written answers are measured: support, citations, what they say, what they refuse."""

import json
from dataclasses import replace

import pytest
from gate_shared import now
from golden_shared import GOLDEN
from typer.testing import CliRunner

from consilience.answer.checker import Verdict
from consilience.cli.app import app
from consilience.measure import answer_quality
from consilience.measure.answer_quality import (
    CONTROL,
    AnswerQuality,
    WrittenAnswer,
    checker_can_refuse,
    examine_answer,
    write_answers,
)
from consilience.measure.evaluation import EvaluationOptions, evaluate, read_evaluation, signed
from consilience.measure.gate import Thresholds, decide
from consilience.measure.golden import write_golden
from consilience.measure.label_resolver import resolve
from consilience.measure.report import evaluation_report
from consilience.measure.runs import MERGED
from consilience.settings import FILE
from consilience.types import Citation
from consilience.workspace import init_workspace, open_workspace

QUESTIONS = {one.id: one for one in GOLDEN.questions}


@pytest.fixture
def resolved(workspace):
    return resolve(GOLDEN, workspace.catalogue)


@pytest.fixture
def answers(workspace, resolved):
    return write_answers(workspace, resolved)


@pytest.fixture
def answer(workspace):
    return workspace.ask("Who built a tower on a reef off Arbroath?")


def look(answer, resolved, workspace, question="arbroath"):
    return examine_answer(answer, QUESTIONS[question], resolved, workspace.catalogue.get)


def test_every_question_is_answered_and_summed_up(answers):
    found = answers.as_json()
    assert found["questions"] == len(GOLDEN.questions)
    assert found["answered"] == 7  # the test's embedder has no calibration: nothing is refused
    assert found["writers"] == ["extractive"]
    assert found["support"]["mean"] == 1.0
    assert found["facts"] > 5
    assert found["citations_resolved"] == 1.0
    assert found["found"]["count"] == 6
    assert found["found"]["mean"] >= 0.8
    assert found["refusals"] == {"answerable": 0.0, "unanswerable": 0.0}
    assert found["words"]["p50"] > 3
    assert dict(answers.rows())["written by"] == "extractive"


def test_what_is_written_is_kept_and_a_line_cut_short_is_written_again(
    workspace, resolved, tmp_path, monkeypatch
):
    kept = tmp_path / "deep" / "written.jsonl"
    first = write_answers(workspace, resolved, cache=kept)
    text = kept.read_text(encoding="utf-8")
    asked = []
    real = workspace.ask
    monkeypatch.setattr(workspace, "ask", lambda text: asked.append(text) or real(text))
    assert write_answers(workspace, resolved, cache=kept).written == first.written
    assert asked == []
    lines = text.splitlines(keepends=True)
    kept.write_text("".join(lines[:-1]) + lines[-1][:20], encoding="utf-8")
    again = write_answers(workspace, resolved, cache=kept)
    assert asked == [GOLDEN.questions[-1].text]
    assert again.written.keys() == first.written.keys()
    assert len(kept.read_text(encoding="utf-8").splitlines()) == len(lines)


def test_a_mark_resolves_only_where_its_words_stand(answer, resolved, workspace):
    sound = look(answer, resolved, workspace)
    assert sound.marks == sound.resolved > 0
    nowhere = replace(answer, text=answer.text + " It was blue. [99]")
    assert (
        look(nowhere, resolved, workspace).resolved == look(nowhere, resolved, workspace).marks - 1
    )
    first, *rest = answer.citations
    invented = replace(answer, citations=(replace(first, quote="a blue tower on the moon"), *rest))
    assert look(invented, resolved, workspace).resolved == sound.resolved - 1
    gone = replace(first, passage=replace(first.passage, id="0" * 16))
    assert look(replace(answer, citations=(gone, *rest)), resolved, workspace).resolved == (
        sound.resolved - 1
    )


def test_it_is_found_by_what_is_cited_quoted_or_stated(answer, resolved, workspace):
    assert look(answer, resolved, workspace).found is True
    bare = replace(answer, text="It stands on a reef.", citations=())
    assert look(bare, resolved, workspace).found is False
    quoted = replace(bare, text="They say “Robert Stevenson built a tower on a reef”.")
    assert look(quoted, resolved, workspace).found is True
    stated = replace(bare, text="It is 67 m tall.")
    assert look(stated, resolved, workspace, "cordouan").found is True
    assert look(bare, resolved, workspace, "cordouan").found is False
    assert look(answer, resolved, workspace, "sourdough").found is None


def test_a_path_is_judged_by_the_edges_that_it_walks(workspace, resolved):
    result = workspace.search("How is Bell Rock related to John Smeaton?")
    path = next(hit.passage for hit in result.hits if hit.passage.kind == "path")
    assert path.id not in workspace.catalogue.get([path.id])
    cited = (Citation(mark=1, passage=path, label="Path"),)
    answer = replace(workspace.ask("Bell Rock"), text="So it is. [1]", citations=cited)
    assert look(answer, resolved, workspace, "studied").found is True
    assert answer_quality.lookup_with_derived(workspace.catalogue, [path.id])[path.id] == path


def test_a_refusal_has_no_support_and_finds_nothing(answer, resolved, workspace):
    refused = look(replace(answer, abstained=True), resolved, workspace)
    assert (refused.refused, refused.support, refused.found, refused.marks) == (
        True,
        None,
        False,
        0,
    )
    answers = AnswerQuality(
        questions=(QUESTIONS["arbroath"], QUESTIONS["sourdough"]),
        written={"arbroath": refused, "sourdough": WrittenAnswer(refused=True, words=9, ms=1)},
    )
    assert answers.refusals == {"answerable": 1.0, "unanswerable": 1.0}
    assert answers.support is None
    assert answers.as_json()["citations_resolved"] is None
    assert answers.as_json()["found"]["mean"] == 0.0
    assert dict(answers.rows())["support"].startswith("–")


def test_the_checker_must_refuse_citations_that_lead_elsewhere(answers):
    control = checker_can_refuse(answers)
    assert control.passed
    assert control.name == CONTROL
    assert "falls to" in control.message


def test_a_checker_that_agrees_with_everything_turns_the_control_red(
    workspace, resolved, monkeypatch
):
    def agrees(statement, exhibits, checks=()):
        return Verdict(text=statement.text, marks=(1,), facts=3, faults=(), sound=True)

    monkeypatch.setattr(answer_quality, "check", agrees)
    control = checker_can_refuse(write_answers(workspace, resolved))
    assert not control.passed
    assert "it agrees too easily" in control.message


def test_too_few_facts_show_nothing():
    one = WrittenAnswer(refused=False, words=3, ms=1, support=1.0, facts=2, shuffled=(2, 0))
    control = checker_can_refuse(AnswerQuality(questions=(), written={"a": one}))
    assert control.passed
    assert "not checked" in control.message


# --- in an evaluation -------------------------------------------------------------------


def test_an_evaluation_has_answers_only_where_they_are_wanted(workspace):
    plain = evaluate(workspace, GOLDEN)
    assert "answers" not in plain.as_json()
    assert "Written answers" not in evaluation_report(plain)
    found = evaluate(workspace, GOLDEN, options=EvaluationOptions(answers=True))
    values = json.loads(json.dumps(found.as_json()))
    assert values["answers"]["support"]["mean"] == 1.0
    assert CONTROL in [one["name"] for one in values["controls"]]
    for one in (*values["questions"], *values["unscored"]):
        assert one["ways"][MERGED]["support"] == one["answer"]["support"]
        assert "support" not in one["ways"]["documents/bm25"]
    page = evaluation_report(found)
    assert '<section id="answers">' in page
    assert "citations that resolve" in page


def test_the_gate_reads_the_support(workspace, tmp_path):
    values = evaluate(workspace, GOLDEN, options=EvaluationOptions(answers=True)).as_json()
    path = tmp_path / "evaluation.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    evaluation = read_evaluation(path)

    def verdict(evaluation, least):
        wanted = Thresholds(support=least, merged="any", reranked="any")
        checks = decide(signed(evaluation), wanted, now()).checks
        return next(one.verdict for one in checks if one.name == "support")

    assert verdict(evaluation, 0.9) == "pass"
    for one in (*evaluation["questions"], *evaluation["unscored"]):
        one["ways"][MERGED]["support"] = 0.5
    assert verdict(evaluation, 0.9) == "fail"


def test_the_command_prints_what_the_answers_are_worth(evidence, tmp_path, monkeypatch):
    folder = init_workspace(tmp_path / "fast")
    (folder / FILE).write_text('pack = "general"\n[models]\nembed = "fast"\nrerank = "none"\n')
    with open_workspace(folder) as space:
        space.add([evidence])
    write_golden(GOLDEN, folder / "golden.yaml")
    monkeypatch.chdir(folder)
    printed = CliRunner().invoke(app, ["evaluate", "--answers"]).stdout
    assert "written answers" in printed
    assert "citations that resolve\t100.0% of" in printed
    assert "unanswerable refused\t100.0%" in printed
    assert f"passed  {CONTROL}" in printed
    assert "written answers" not in CliRunner().invoke(app, ["evaluate"]).stdout
