"""Reading an evaluation back: what sums it up again, what is seen of edits, what is refused."""

import json

import pytest
from golden_shared import GOLDEN

from consilience.errors import UsageError
from consilience.measure.data_model import Question
from consilience.measure.evaluation import (
    evaluate,
    is_edited,
    read_evaluation,
    signed,
    summarize_way,
)
from consilience.measure.golden import golden_digest
from consilience.measure.runs import MERGED, answers_key


@pytest.fixture(scope="module")
def measured(shared):
    """An evaluation as it is written."""
    return json.dumps(evaluate(shared, GOLDEN).as_json(), indent=1)


@pytest.fixture
def path(measured, tmp_path):
    found = tmp_path / "evaluation.json"
    found.write_text(measured)
    return found


def changed(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
    return path


def test_what_sums_a_way_up_comes_from_its_questions(path):
    found = read_evaluation(path)
    assert [one["id"] for one in found["unscored"]] == ["sourdough"]
    assert found["unscored"][0]["answerable"] is False
    assert {one["answerable"] for one in found["questions"]} == {True}
    for name, way in found["ways"].items():
        again = summarize_way(found, name)
        for part in ("attribution", "value_in_top_5"):
            assert again[part] == pytest.approx(way[part]["mean"]), (name, part)
        assert again["latency_ms"] == pytest.approx(way["latency_ms"])
        assert again["refusals"] == pytest.approx(way["refusals"])
    told = [one["ways"][MERGED] for one in found["questions"]]
    assert {one["attribution"] for one in told} <= {0.0, 1.0}
    assert [one["value_in_top_5"] for one in told].count(None) == 5
    assert all(one["ms"] > 0 for one in told)


def test_sums_follow_the_questions(path):
    found = read_evaluation(path)
    for one in found["questions"]:
        one["ways"][MERGED].update(attribution=0.0, refused=True, ms=5.0)
    found["unscored"][0]["ways"][MERGED].update(refused=False, ms=5.0)
    again = summarize_way(found, MERGED)
    assert again["attribution"] == 0.0
    assert again["latency_ms"] == {"p50": 5.0, "p95": 5.0}
    assert again["refusals"] == {"answerable": 1.0, "unanswerable": 0.0}


def test_the_key_is_that_of_the_workspace_as_it_is(shared, path):
    assert read_evaluation(path)["key"] == answers_key(shared, golden_digest(GOLDEN))


def test_an_edit_is_seen_and_another_layout_is_none(path):
    assert not is_edited(read_evaluation(path))
    assert not is_edited(read_evaluation(changed(path, lambda value: None)))
    found = read_evaluation(changed(path, lambda value: value["controls"][0].update(passed=True)))
    assert not is_edited(found)  # it was true before
    found = read_evaluation(changed(path, lambda value: value["controls"][-2].update(passed=True)))
    assert is_edited(found)
    assert not is_edited(signed(found))
    assert is_edited({key: one for key, one in found.items() if key != "digest"})


FAULTS = {
    "controls: field required": lambda value: value.pop("controls"),
    "ways: input should be a valid dictionary": lambda value: value.update(ways=[]),
    "ways.merged: input should be": lambda value: value["ways"].update(merged=[]),
    "ways.merged.kind: field required": lambda value: value["ways"][MERGED].pop("kind"),
    "ways.merged.measures.nDCG@10.strict: field required": lambda value: value["ways"][MERGED][
        "measures"
    ].update({"nDCG@10": {}}),
    "ways.merged.attribution": lambda value: value["ways"][MERGED].update(attribution=1),
    "ways.merged.latency_ms": lambda value: value["ways"][MERGED].update(latency_ms=[1]),
    "controls.0: input should be": lambda value: value.update(controls=["red"]),
    "controls.0.passed": lambda value: value["controls"][0].update(passed="yes"),
    "comparisons.0.gain: field required": lambda value: value["comparisons"][0].pop("gain"),
    "comparisons.0.p.": lambda value: value["comparisons"][0].update(p=True),
    "questions.1.id: field required": lambda value: value["questions"][1].pop("id"),
    "questions.0.ways: input should be": lambda value: value["questions"][0].update(ways=[]),
    "questions.0.ways.merged: input should be": lambda value: value["questions"][0]["ways"].update(
        merged=[]
    ),
    "questions.0.ways.merged.nDCG@10": lambda value: value["questions"][0]["ways"][MERGED].update(
        {"nDCG@10": "high"}
    ),
    "unscored: input should be": lambda value: value.update(unscored={}),
}


@pytest.mark.parametrize("told", FAULTS)
def test_what_is_malformed_is_named(path, told):
    changed(path, FAULTS[told])
    with pytest.raises(UsageError) as caught:
        read_evaluation(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": 2}', "no JSON", "\xff"])
def test_what_is_no_evaluation_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="evaluate --json"):
        read_evaluation(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_evaluation(tmp_path)


def test_a_question_without_any_label_is_asked_and_counts_on_no_side(shared, tmp_path):
    odd = Question(id="odd", text="What did keepers eat?")
    golden = type(GOLDEN)(name="odd", questions=(*GOLDEN.questions, odd))
    path = tmp_path / "evaluation.json"
    path.write_text(json.dumps(evaluate(shared, golden).as_json()))
    found = read_evaluation(path)
    odd = next(one for one in found["unscored"] if one["id"] == "odd")
    assert odd["answerable"] is None
    for name, way in found["ways"].items():
        assert summarize_way(found, name)["refusals"] == pytest.approx(way["refusals"])
