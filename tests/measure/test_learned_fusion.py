"""Does what is learned help where it can, and is it refused where it cannot?"""

import json
import random
import sys
from dataclasses import replace
from statistics import pstdev

import library_shared as library
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.engine.learned_fusion import (
    CARD,
    KINDS,
    MODEL,
    PER_KIND,
    feature_names,
    features,
    open_learned,
    rising,
)
from consilience.errors import MissingExtra, UsageError
from consilience.measure.data_model import Golden, Judgement, Question, ResolvedLabels
from consilience.measure.golden import question_digest, write_golden
from consilience.measure.learned_fusion import (
    FEWEST,
    Lesson,
    adopt_order,
    forget_order,
    learn_order,
    train,
)
from consilience.measure.seen_questions import TUNED, read_seen_questions
from consilience.types import Hit, Plan, Query, Signal, Vote
from consilience.workspace import STORE
from tests_shared import make_passage

PLAN = Plan(query=Query(text="who built it"), intent="open", rule="", asks=())


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """Only meaning has a say, and the model here knows little of it: words would help."""
    made = tmp_path_factory.mktemp("learned")
    with library.built(made, **{"fusion.alpha": 1.0, "refine.mmr": 1.0}) as space:
        yield space


@pytest.fixture(scope="module")
def verdict(space):
    return learn_order(space, library.golden())


def vote(source, score, rank):
    return Vote(source=source, rank=rank, score=score, weight=1.0, contribution=0.0)


def test_features_say_what_the_votes_say():
    hits = [
        Hit(
            passage=make_passage("a"),
            score=2.0,
            votes=(vote("n/bm25", 8.0, 1), vote("n/dense", 0.5, 2)),
        ),
        Hit(passage=make_passage("b", kind="row"), score=1.0, votes=(vote("n/dense", 0.9, None),)),
    ]
    names = feature_names(["open", "lookup"])
    first, second = (
        dict(zip(names, row, strict=True)) for row in features(hits, PLAN, ["open", "lookup"])
    )
    assert [first[f"bm25 {part}"] for part in PER_KIND] == [8.0, 0.0, 1.0, 1.0]
    assert [first[f"dense {part}"] for part in PER_KIND] == [0.5, 0.0, 1.0, 0.5]
    assert [second[f"dense {part}"] for part in PER_KIND] == [0.9, 1.0, 0.0, 0.0]
    assert (first["fused"], second["fused"]) == (1.0, 0.0)
    assert (first["agreement"], second["agreement"]) == (2.0, 0.0)
    assert (first["row"], second["row"]) == (0.0, 1.0)
    assert (first["intent open"], first["intent lookup"]) == (1.0, 0.0)
    assert first["words asked"] == 3.0
    declared = replace(vote("n/colbert", 0.7, 1), signal=Signal.MEANING)
    (row,) = features([replace(hits[0], votes=(declared,))], PLAN, [])
    assert dict(zip(feature_names([]), row, strict=True))["dense score"] == 0.7
    assert len(rising(["open"])) == len(feature_names(["open"]))
    assert sum(rising([])) == 2 * len(KINDS) + 1


def lesson(number, scores, text=""):
    """A question whose first hit is right, with these fused scores."""
    hits = [
        Hit(
            passage=make_passage(f"passage {number} {place}"),
            score=score,
            votes=(vote("n/dense", score, place + 1),),
        )
        for place, score in enumerate(scores)
    ]
    question = Question(
        id=f"q{number}",
        text=text or f"question {number}",
        judgements=(Judgement(document=hits[0].passage.id),),
    )
    return Lesson(question=question, hits=hits, plan=PLAN)


def correction(lead):
    """How far the first of ten hits is lifted, in deviations, when it leads by so much."""
    chance = random.Random(4)
    lessons = [lesson(n, [lead, *(chance.random() for _ in range(9))]) for n in range(80)]
    rights = {one.question.id: one.hits[0].passage.id for one in lessons}
    golden = Golden(name="g", questions=tuple(one.question for one in lessons), by="document")
    resolved = ResolvedLabels(
        golden=golden,
        grades={key: {right: 1} for key, right in rights.items()},
        strict={},
        lenient={},
        homes={hit.passage.id: hit.passage.id for one in lessons for hit in one.hits},
    )
    learned = train(lessons, resolved)
    hits = lessons[0].hits
    moved = {hit.passage.id: hit.score for hit in learned(hits, PLAN)}
    return (moved[hits[0].passage.id] - hits[0].score) / pstdev([hit.score for hit in hits])


def test_trees_add_only_what_the_fused_scores_lack():
    narrow, wide = correction(1.0), correction(20.0)
    # the features are the same in both: only where the trees start from differs
    assert 0 < wide < 0.8 * narrow


def test_it_learns_to_trust_the_source_that_knows(verdict):
    assert verdict.adopt
    assert verdict.after > verdict.before
    assert next(iter(verdict.weights)).startswith("bm25")


def test_only_one_half_of_the_questions_teaches(verdict):
    asked = {question_digest(one) for one in library.golden().questions}
    taught = set(verdict.learned.card["questions"])
    assert taught < asked
    assert len(taught) == len(asked) / 2
    assert set(verdict.taught) == taught
    assert set(verdict.learned.card["held_out"]) == asked - taught
    assert verdict.gain.gain.count == len(asked) / 2


def test_tuning_and_learning_keep_the_same_questions_out(space):
    digests = [question_digest(one) for one in library.golden().questions]
    record = {"questions": digests[:6], "held_out": digests[6:26]}
    path = space.folder / STORE / TUNED
    path.write_text(json.dumps(record), encoding="utf-8")
    try:
        tried = learn_order(space, library.golden())
        assert set(digests[:6]) <= set(tried.taught)
        assert not set(tried.taught) & set(digests[6:26])
        adopt_order(space, tried)
        again = learn_order(space, library.golden())
        assert again.taught == tried.taught
        known = read_seen_questions(space.folder)
        assert known.learned == set(tried.taught)
        assert known.kept_out == set(digests) - set(tried.taught)
    finally:
        path.unlink()
        forget_order(space.folder)


def test_scores_still_add_up_and_the_reasons_name_features(space, verdict):
    adopt_order(space, verdict)
    space._drop_engine()
    try:
        hits = space.search(library.golden().questions[1].text).hits
    finally:
        assert forget_order(space.folder)
        space._drop_engine()
    assert not (space.folder / STORE / MODEL).exists()
    told = []
    for hit in hits:
        total = sum(one.contribution for one in hit.votes) + sum(one.delta for one in hit.changes)
        assert hit.score == pytest.approx(total, abs=1e-9)
        told += [one.reason for one in hit.changes if one.step == "learned"]
    assert told
    assert any("bm25" in one for one in told)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_same_labels_give_the_same_model(space, verdict):
    again = learn_order(space, library.golden())
    assert again.learned.booster.model_to_string() == verdict.learned.booster.model_to_string()
    assert again.gain == verdict.gain


def test_labels_by_chance_teach_nothing_that_is_kept(space):
    golden = library.golden()
    judgements = [one.judgements for one in golden.questions]
    random.Random(2).shuffle(judgements)
    shuffled = replace(
        golden,
        questions=tuple(
            replace(one, judgements=other)
            for one, other in zip(golden.questions, judgements, strict=True)
        ),
    )
    verdict = learn_order(space, shuffled)
    assert not verdict.adopt
    assert "no gain is shown" in verdict.message


def test_too_few_questions_are_refused(space):
    few = replace(library.golden(), questions=library.golden().questions[: FEWEST - 1])
    with pytest.raises(
        UsageError, match=f"39 judged questions, and learning an order needs {FEWEST}"
    ):
        learn_order(space, few)


def test_without_lightgbm_it_says_what_to_install_and_the_search_goes_on(
    space, verdict, monkeypatch
):
    adopt_order(space, verdict)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    try:
        with pytest.raises(MissingExtra, match=r"pip install 'consilience\[learned\]'"):
            learn_order(space, library.golden())
        found, notes = open_learned(space.folder / STORE, space.embedder.name)
        assert found is None
        assert "consilience[learned]" in str(notes[0])
    finally:
        forget_order(space.folder)


def test_what_another_embedder_taught_or_what_is_damaged_is_not_used(space, verdict):
    store = space.folder / STORE
    adopt_order(space, verdict)
    try:
        assert open_learned(store, space.embedder.name)[1] == ()
        found, notes = open_learned(store, "another:1")
        assert found is None
        assert "not with another:1" in str(notes[0])
        (store / MODEL).write_text("tree", encoding="utf-8")
        found, notes = open_learned(store, space.embedder.name)
        assert found is None
        assert "cannot be used" in str(notes[0])
        (store / CARD).write_text("{}", encoding="utf-8")
        assert open_learned(store, space.embedder.name)[0] is None
    finally:
        forget_order(space.folder)
    assert open_learned(store, space.embedder.name) == (None, ())


def test_the_command_decides_and_goes_back(tmp_path, monkeypatch):
    with library.built(tmp_path) as built:
        folder, embedder = built.folder, built.embedder
    write_golden(library.golden(), folder / "golden.yaml")
    (folder / "consilience.toml").write_text("[fusion]\nalpha = 1.0\n", encoding="utf-8")
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: embedder)
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK", "none")
    run = CliRunner().invoke
    kept = run(app, ["learn", "-w", str(folder)])
    assert kept.exit_code == 0, kept.output
    assert "is used from now on" in kept.output
    assert (folder / STORE / MODEL).exists()
    gone = run(app, ["learn", "-w", str(folder), "--forget"])
    assert "forgotten" in gone.output
    assert not (folder / STORE / MODEL).exists()
