"""Reading an evaluation back: what sums it up again, what is seen of edits, what is refused."""

import json

import pytest
from golden_shared import GOLDEN

from consilience.errors import UsageError
from consilience.measure.data_model import Question
from consilience.measure.evaluation import evaluate, is_edited, read_evaluation, signed
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


def test_the_key_is_that_of_the_workspace_as_it_is(shared, path):
    assert read_evaluation(path)["key"] == answers_key(shared, golden_digest(GOLDEN))


def test_an_edit_is_seen_and_another_layout_is_none(path):
    assert not is_edited(read_evaluation(path))
    assert not is_edited(read_evaluation(changed(path, lambda value: None)))
    found = read_evaluation(changed(path, lambda value: value["controls"][0].update(passed=True)))
    assert not is_edited(found)  # it was true before
    turned = changed(path, lambda value: value["controls"][-1].update(passed=None))
    found = read_evaluation(turned)
    assert is_edited(found)
    assert not is_edited(signed(found))
    assert is_edited({key: one for key, one in found.items() if key != "digest"})


@pytest.mark.parametrize("name", ["controls", "golden", "ways", "questions"])
def test_what_is_incomplete_is_named(path, name):
    changed(path, lambda value: value.pop(name))
    with pytest.raises(UsageError, match=f"not a complete evaluation: see {name}"):
        read_evaluation(path)


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
    assert found["ways"][MERGED]["refusals"] == pytest.approx(
        evaluate(shared, GOLDEN).ways[MERGED].refusals
    )
