"""Do tuning and evaluating count the same? A calculation stands for its operands."""

import hashlib
import json
from dataclasses import replace

import library_shared as library
import pytest

from consilience.measure import gate, metrics, tuning
from consilience.measure.evaluation import EvaluationOptions, evaluate
from consilience.measure.label_resolver import resolve
from consilience.measure.metrics import PRIMARY
from consilience.measure.runs import MERGED
from consilience.measure.tuning import confirm_choice, list_parameters, prepare_tuning, tune
from consilience.types import Found
from consilience.workspace import Workspace
from tests_shared import make_passage

WITHOUT = {"fusion.weights.sums": 0.0}


class Calculator:
    """A source that answers with a calculation from the passage that is judged right."""

    name, collection = "documents/sums", "documents"

    def __init__(self, right):
        self.right = right

    async def retrieve(self, request, *, limit):
        if request.text not in self.right:
            return []
        operands = json.dumps([{"passage": self.right[request.text]}])
        key = hashlib.sha256(request.text.encode()).hexdigest()[:16]
        passage = make_passage(
            key, "2 + 3 = 5", kind="calculation", metadata={"operands": operands}
        )
        return [Found(key, 1.0, replace(passage, collection="documents"))]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    quiet = {"fusion.method": "rrf", "fusion.weights": {"bm25": 0.25, "dense": 0.25}}
    with library.built(tmp_path_factory.mktemp("scored"), **quiet) as space:
        strict = resolve(library.golden(), space.catalogue).strict
        asked = library.golden().questions
        source = Calculator({one.text: next(iter(strict[one.id])) for one in asked})
        own = space.engine
        knowledge = replace(
            own.knowledge, sources={**own.knowledge.sources, source.name: "documents"}
        )
        engine = replace(own, sources={**own.sources, source.name: source}, knowledge=knowledge)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Workspace, "engine", property(lambda _: engine))
            yield space


@pytest.mark.parametrize("changes", [{}, WITHOUT], ids=["as it is", "without the calculations"])
def test_tuning_scores_as_an_evaluation_does(space, changes):
    asked = prepare_tuning(space, library.golden())
    options = EvaluationOptions(engine=asked.engine_with(changes))
    found = evaluate(space, library.golden(), options=options)
    wanted = found.ways[MERGED].strict[PRIMARY]
    scores = asked.scores(changes).tolist()
    assert dict(zip((case.question.id for case in asked.cases), scores, strict=True)) == wanted
    single = found.ways["documents/sums"].strict[PRIMARY]
    assert asked.single("documents/sums").tolist() == list(single.values())
    assert set(single.values()) == {1.0}


def test_a_choice_that_the_evaluation_denies_is_not_recommended(space, monkeypatch):
    """Planted: a scorer to which a calculation is worth nothing. It drops the source of them."""
    asked = prepare_tuning(space, library.golden())
    others = [one.title for one in list_parameters(asked.engine) if one.name not in WITHOUT]
    blind = prepare_tuning(space, library.golden())
    monkeypatch.setattr(
        tuning,
        "score_primary",
        lambda answers, *_: metrics.score_primary(answers, blind.resolved, lambda ids: {}),
    )
    denied = tune(blind, skip=others)
    assert denied.choice == WITHOUT
    assert not denied.recommended
    assert "keep what you have: evaluated, nDCG@10 is" in denied.verdict
    blind.confirm = None
    assert tune(blind, skip=others).recommended
    monkeypatch.undo()
    assert tune(asked, skip=others).choice == {}


def test_a_choice_that_makes_the_gate_fail_is_not_recommended(space):
    golden = library.golden()
    asked = prepare_tuning(space, golden)
    file = space.folder / "gate.toml"
    file.write_text('[gate]\nmerged = "any"\n[retrieval."documents/dense"]\n"nDCG@10" = 0.99\n')
    try:
        assert confirm_choice(space, golden, asked, {"refine.mmr": 1.0}, ())[0]  # it fails anyway
        file.write_text('[gate]\nmerged = "any"\n[retrieval.merged]\n"nDCG@10" = 0.9\n')
        is_right, message = confirm_choice(space, golden, asked, WITHOUT, ())
    finally:
        file.unlink()
    assert not is_right
    assert "the gate fails with it: nDCG@10 of merged" in message


def test_a_choice_that_evaluates_as_well_is_refused_where_only_the_gate_says_no(space, monkeypatch):
    """Planted: a check that passes with the current settings, and fails with the choice."""
    decisions = []

    def planted(*values):
        found = gate.decide(*values)
        verdict = "fail" if decisions else "pass"
        decisions.append(gate.Check(name="planted", verdict=verdict, message=""))
        return replace(found, checks=(*found.checks, decisions[-1]))

    golden = library.golden()
    asked = prepare_tuning(space, golden)
    monkeypatch.setattr(tuning, "decide", planted)
    is_right, message = confirm_choice(space, golden, asked, {}, ())
    assert not is_right
    assert message.endswith("the gate fails with it: planted")
