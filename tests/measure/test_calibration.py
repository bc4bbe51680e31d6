"""Is a calibration learned that holds on unseen questions, and kept only then?"""

import json
import random
from dataclasses import replace

import library_shared as library
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.engine.relevance import FILE, Answerable, Best, Calibration, Signs
from consilience.errors import UsageError
from consilience.measure.calibration import (
    FEW_QUESTIONS,
    Sample,
    adopt_calibration,
    brier_losses,
    calibrate,
    fit_calibration,
    forget_calibration,
    measure_quality,
    refused_shares,
    reliability,
    score_samples,
    try_calibration,
)
from consilience.measure.controls import read_off_topic_data
from consilience.measure.golden import question_digest, write_golden
from consilience.measure.seen_questions import TUNED, read_seen_questions
from consilience.workspace import STORE

OTHER_SUBJECTS = read_off_topic_data()["other_subjects"]
TRUE = Calibration(model="m", base=-3.0, weights={"meaning": 5.0, "words": 1.0, "first": 0.5})
PART = Answerable(reranker="r", base=-6.0, weights={"meaning": 4.0, "words": 1.0, "reranked": 8.0})


def drawn(count, *, seed=1, by=TRUE):
    """Questions whose labels come about by a known calibration."""
    chance = random.Random(seed)
    samples = []
    for number in range(count):
        answerable = chance.random() < 0.7
        for place in range(1, 11):
            near = chance.uniform(0.3, 1.0) if answerable else chance.uniform(0.0, 0.3)
            signs = Signs(meaning=near, words=chance.random(), first=1 / place)
            relevant = answerable and chance.random() < by.relevance(signs)
            samples.append(
                Sample(question=f"q{number}", signs=signs, relevant=relevant, answerable=answerable)
            )
    return samples


def test_the_weights_behind_the_labels_are_found_again():
    found = fit_calibration([one for one in drawn(3000) if one.answerable], model="m")
    assert found.base == pytest.approx(TRUE.base, abs=0.3)
    assert found.weights["meaning"] == pytest.approx(5.0, abs=0.5)
    assert found.weights["words"] == pytest.approx(1.0, abs=0.3)


def test_few_questions_move_only_the_base_of_the_prior():
    prior = replace(TRUE, base=-6.0)
    few = fit_calibration(drawn(FEW_QUESTIONS - 1), model="m", prior=prior)
    assert few.weights == TRUE.weights
    assert few.base > -6.0
    many = fit_calibration(drawn(FEW_QUESTIONS + 1), model="m", prior=prior)
    assert many.weights != TRUE.weights


def asked(count, *, part=PART, seed=5):
    """Questions of which the best signs say, by a known part, whether they have an answer."""
    chance = random.Random(seed)
    signs = Signs(meaning=0.5, words=0.5, first=1.0)
    samples = []
    for number in range(count):
        best = Best(chance.random(), chance.random(), chance.random())
        has = chance.random() < part.chance(best)
        samples += [
            Sample(question=f"q{number}", signs=signs, relevant=has, answerable=has, best=best)
        ] * 2
    return samples


def test_with_the_part_the_hits_of_a_question_decide_together():
    samples = asked(400)
    alone = refused_shares(score_samples(samples, TRUE), 0.2)
    both = refused_shares(score_samples(samples, TRUE), 0.2, PART)
    assert alone == {"unanswerable": 0.0, "answerable": 0.0}
    assert both["unanswerable"] > 0.4 > 0.1 > both["answerable"]
    exact = [replace(one, signs=replace(one.signs, exact=True)) for one in samples]
    assert refused_shares(score_samples(exact, TRUE), 0.2, PART) == alone
    unread = [replace(one, best=None) for one in samples]
    assert refused_shares(score_samples(unread, TRUE), 0.2, PART) == alone


def test_the_shipped_part_stays_where_it_refuses_no_worse_here():
    samples = asked(400)
    prior = replace(TRUE, base=3.0, answerable=PART)
    stays = try_calibration(samples, model="m", prior=prior, floor=0.2)
    assert stays.calibration.answerable == PART
    assert stays.held_out.refusals == stays.before.refusals
    # one that refuses everything is worse than the relevances that are learned here
    deaf = replace(prior, answerable=replace(PART, base=-60.0))
    near = [
        replace(one, signs=replace(one.signs, meaning=1.0 if one.answerable else 0.0))
        for one in samples
    ]
    goes = try_calibration(near, model="m", prior=deaf, floor=0.2)
    assert goes.calibration.answerable is None
    assert goes.held_out.refusals["unanswerable"] > 0.9
    assert goes.held_out.refusals["answerable"] < 0.1
    # and what nothing here could try is not taken over
    unread = [replace(one, best=None) for one in near]
    assert try_calibration(unread, model="m", prior=prior, floor=0.2).calibration.answerable is None


def test_reliability_shows_what_is_promised_and_what_comes_true():
    samples = [one for one in drawn(2000, seed=4) if one.answerable]
    right = reliability(score_samples(samples, TRUE))
    assert measure_quality(score_samples(samples, TRUE), 0.2).error < 0.03
    assert all(abs(one.given - one.came) < 0.1 for one in right if one.hits > 100)
    boast = replace(TRUE, base=3.0)
    assert measure_quality(score_samples(samples, boast), 0.2).error > 0.3
    assert sum(brier_losses(score_samples(samples, TRUE)).values()) < sum(
        brier_losses(score_samples(samples, boast)).values()
    )


def test_refusals_are_counted_by_the_best_hit_of_each_sort_of_question():
    signs = {
        True: Signs(meaning=0.9, words=1.0, first=1.0),
        False: Signs(meaning=0.0, words=0.0, first=1.0),
    }
    samples = [
        Sample(question=f"{sort} {n}", signs=one, relevant=sort, answerable=sort)
        for sort, one in signs.items()
        for n in range(4)
    ]
    samples.append(replace(samples[-1], signs=signs[True]))
    assert refused_shares(score_samples(samples, TRUE), 0.2) == {
        "unanswerable": 0.75,
        "answerable": 0.0,
    }
    unknown = [replace(one, signs=replace(one.signs, meaning=None)) for one in samples]
    assert refused_shares(score_samples(unknown, TRUE), 0.2) == {
        "unanswerable": 0.0,
        "answerable": 0.0,
    }


def test_only_what_is_better_on_unseen_questions_is_to_be_kept():
    samples = drawn(300)
    wrong = replace(TRUE, base=2.0)
    better = try_calibration(samples, model="m", prior=wrong, floor=0.2)
    assert better.adopt
    assert better.held_out.brier < better.before.brier
    chance = random.Random(3)
    noise = [
        replace(one, relevant=chance.random() < TRUE.relevance(one.signs))
        for one in drawn(FEW_QUESTIONS)
    ]
    best = fit_calibration(noise, model="m")
    # what knows these very labels is not beaten by what has seen four fifths of them
    worse = try_calibration(noise, model="m", prior=best, floor=0.2)
    assert not worse.adopt
    assert "no gain is shown" in worse.message
    assert "the shipped one" in worse.message


def test_what_would_refuse_less_well_is_not_kept_though_nearer_to_the_labels():
    samples = [*drawn(400, seed=6)]
    shy = replace(TRUE, base=-5.5)  # too low throughout, but it parts the two sorts at 0.2
    verdict = try_calibration(samples, model="m", prior=shy, floor=0.2)
    assert verdict.gain.gain.mean > 0
    assert not verdict.adopt
    assert "less well" in verdict.message
    assert try_calibration(samples, model="m", prior=shy, floor=0.5).adopt


def test_the_questions_that_teach_are_not_those_of_the_control():
    assert len(set(OTHER_SUBJECTS)) == len(OTHER_SUBJECTS) >= 20
    data = read_off_topic_data()
    assert not set(data["other_subjects"]) & {one["text"] for one in data["off_topic"]}


# --- in a workspace -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    with library.built(tmp_path_factory.mktemp("calibrating")) as space:
        yield space


@pytest.fixture(scope="module")
def verdict(space):
    return calibrate(space, library.golden())


def test_a_workspace_learns_from_its_labels_and_searches_with_that(space, verdict):
    assert verdict.adopt
    assert verdict.calibration.model == space.embedder.name
    assert verdict.calibration.fingerprint == space.catalogue.fingerprint()
    assert verdict.held_out.refusals["unanswerable"] is not None
    question = library.golden().questions[0].text
    assert {hit.relevance for hit in space.search(question).hits} == {None}
    adopt_calibration(space, verdict)
    space._drop_engine()
    try:
        found = space.search(question)
        assert all(0 <= hit.relevance <= 1 for hit in found.hits)
        assert found.hits[0].relevance > found.hits[-1].relevance
        stored = json.loads((space.folder / STORE / FILE).read_text(encoding="utf-8"))
        told = json.loads(json.dumps(verdict.calibration.as_json()))
        assert {name: stored[name] for name in told} == told
    finally:
        assert forget_calibration(space.folder)
        space._drop_engine()
    assert not forget_calibration(space.folder)


def test_what_taught_it_and_what_it_was_worth_unseen_is_kept_with_it(space, verdict):
    asked = {question_digest(one) for one in library.golden().questions}
    assert set(verdict.digests) == asked  # questions of other subjects are not of the set
    adopt_calibration(space, replace(verdict, digests=("earlier",)))
    adopt_calibration(space, verdict)
    try:
        stored = json.loads((space.folder / STORE / FILE).read_text(encoding="utf-8"))
        assert stored["held_out"] == json.loads(json.dumps(verdict.held_out.as_json()))
        assert stored["held_out"]["bins"]
        assert read_seen_questions(space.folder).calibrated == {*asked, "earlier"}
    finally:
        forget_calibration(space.folder)
    assert read_seen_questions(space.folder).calibrated == set()


def test_questions_that_tuning_kept_out_are_not_looked_at(space):
    golden = library.golden()
    digests = [question_digest(one) for one in golden.questions]
    path = space.folder / STORE / TUNED
    path.write_text(json.dumps({"questions": [], "held_out": digests[:12]}), encoding="utf-8")
    try:
        tried = calibrate(space, golden)
        assert set(tried.digests) == set(digests[12:])
        assert tried.left_out == 12
        few = replace(golden, questions=golden.questions[:20])
        with pytest.raises(UsageError, match="8 judged questions beside 12 that tuning kept"):
            calibrate(space, few)
    finally:
        path.unlink()


def test_too_few_questions_are_refused(space):
    few = replace(library.golden(), questions=library.golden().questions[:3])
    with pytest.raises(UsageError, match="3 judged questions, and a calibration needs 10"):
        calibrate(space, few)


def test_the_command_says_what_it_found_keeps_it_and_forgets_it(tmp_path, monkeypatch):
    with library.built(tmp_path) as built:
        folder, embedder = built.folder, built.embedder
    write_golden(library.golden(), folder / "golden.yaml")
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: embedder)
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK", "none")
    run = CliRunner().invoke
    tried = run(app, ["calibrate", "-w", str(folder), "--try"])
    assert tried.exit_code == 0, tried.output
    assert "was only tried" in tried.output
    assert not (folder / STORE / FILE).exists()
    kept = run(app, ["calibrate", "-w", str(folder), "--json"])
    assert kept.exit_code == 0, kept.output
    assert (folder / STORE / FILE).exists()
    gone = run(app, ["calibrate", "-w", str(folder), "--forget"])
    assert "forgotten" in gone.output
    assert not (folder / STORE / FILE).exists()
