"""Evaluating a golden set: what is put together, what stops it, what turns red."""

import json
from dataclasses import replace
from statistics import mean

import pytest
from golden_shared import DEFINED, GOLDEN

from consilience.errors import UsageError
from consilience.measure import controls, runs
from consilience.measure.controls import golden_set_sound
from consilience.measure.data_model import (
    Answer,
    Comparison,
    Golden,
    Interval,
    Judgement,
    Question,
    Run,
    Way,
)
from consilience.measure.evaluation import (
    Evaluation,
    EvaluationOptions,
    compare_with_earlier,
    evaluate,
    read_evaluation,
    signed,
    verdict,
)
from consilience.measure.golden import question_digest
from consilience.measure.golden_health import find_problems
from consilience.measure.label_resolver import resolve
from consilience.measure.metrics import MEASURES, PRIMARY, score
from consilience.measure.report import evaluation_report
from consilience.measure.runs import MERGED, recorded_settings
from consilience.measure.statistics import correct_for_number
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.workspace import STORE


@pytest.fixture
def evaluation(workspace) -> Evaluation:
    """One of the test's own workspace."""
    return evaluate(workspace, GOLDEN, path="golden.yaml")


@pytest.fixture(scope="module")
def measured(shared) -> Evaluation:
    """One that tests only read."""
    return evaluate(shared, GOLDEN, path="golden.yaml")


def without_times(value):
    """An evaluation's JSON but for its times, and what speaks of them."""
    for name in ("latency_kept", "notes", "digest"):
        value.pop(name)
    for way in value["ways"].values():
        way.pop("latency_ms")
    for one in (*value["questions"], *value["unscored"]):
        for way in one["ways"].values():
            way.pop("ms")
    return value


def test_the_json_says_all_that_was_measured(shared, measured):
    told = json.loads(json.dumps(measured.as_json()))
    assert told["version"] == 1
    assert told["golden"]["questions"] == 7
    assert told["golden"]["judged"] == 6
    assert told["golden"]["unanswerable"] == 1
    assert told["fingerprint"] == shared.catalogue.fingerprint()
    assert told["settings"] == recorded_settings(shared.settings)
    assert told["models"] == {"embed": "words:1", "rerank": None}
    assert {one["name"] for one in told["controls"]} == DEFINED
    assert {one["theirs"] for one in told["comparisons"]} == set(told["ways"]) - {MERGED}
    assert {len(one["ways"]) for one in told["questions"]} == {len(told["ways"])}
    merged = told["ways"][MERGED]
    assert merged["kind"] == "merged"
    assert merged["categories"]["row"]["count"] == 2
    assert merged["value_in_top_5"]["mean"] in (0, 1)
    assert 0 <= merged["attribution"]["low"] <= merged["attribution"]["high"] <= 1
    assert set(merged["coverage"]) >= {"all", "row"}


def test_means_are_those_of_the_questions_and_of_the_measures(measured):
    told = measured.as_json()
    for name, way in told["ways"].items():
        strict = score(measured.runs[name], measured.resolved)
        lenient = score(measured.runs[name], measured.resolved, strict=False)
        for measure in MEASURES:
            values = [one["ways"][name][measure] for one in told["questions"]]
            assert way["measures"][measure]["strict"]["mean"] == pytest.approx(mean(values))
            assert values == list(strict[measure].values())
            assert way["measures"][measure]["lenient"]["mean"] == pytest.approx(
                mean(lenient[measure].values())
            )
    for one in told["comparisons"]:
        gains = [
            each["ways"][MERGED][PRIMARY] - each["ways"][one["theirs"]][PRIMARY]
            for each in told["questions"]
        ]
        assert one["gain"] == pytest.approx(mean(gains))
        assert one["p"] <= one["p_corrected"] <= 1
    assert list(measured.comparisons) == correct_for_number(measured.comparisons)
    assert any(one["p"] < one["p_corrected"] for one in told["comparisons"])


def test_measuring_again_gives_the_same_whether_kept_or_fresh(workspace, evaluation):
    first = evaluation.as_json()
    kept = evaluate(workspace, GOLDEN, path="golden.yaml")
    assert kept.ways == evaluation.ways  # times as well: they are those of then
    assert (evaluation.latency_kept, kept.latency_kept) == (0, 7)
    assert any("--fresh measures them again" in note for note in kept.notes)
    assert without_times(kept.as_json()) == without_times(evaluation.as_json())
    fresh = evaluate(workspace, GOLDEN, path="golden.yaml", options=EvaluationOptions(fresh=True))
    assert without_times(fresh.as_json()) == without_times(first)


def test_a_calibration_since_makes_answers_old(workspace, evaluation):
    runs = workspace.folder / STORE / "runs"
    (workspace.folder / STORE / "relevance.json").write_text("{}")
    evaluate(workspace, GOLDEN)
    assert len(list(runs.glob("*.jsonl"))) == 2


def test_answers_are_kept_beside_the_catalogue_and_depend_on_settings(
    workspace, opened, evaluation
):
    runs = workspace.folder / STORE / "runs"
    assert len(list(runs.glob("*.jsonl"))) == 1
    workspace.close()
    evaluate(opened(**{"fusion.method": "rrf"}), GOLDEN)
    assert len(list(runs.glob("*.jsonl"))) == 2


def test_a_golden_set_in_error_is_not_asked(workspace):
    again = replace(GOLDEN.questions[0], id="again")
    with pytest.raises(UsageError, match=r"has errors(.|\n)*arbroath, again"):
        evaluate(workspace, replace(GOLDEN, questions=(*GOLDEN.questions, again)))
    assert not (workspace.folder / STORE / "runs").exists()


def test_an_unknown_measure_is_refused_before_anything_is_asked(workspace):
    with pytest.raises(UsageError, match="goodness"):
        evaluate(workspace, GOLDEN, options=EvaluationOptions(names=("goodness",)))
    assert not (workspace.folder / STORE / "runs").exists()


def test_half_a_corpus_is_not_measured(workspace):
    one = next(iter(workspace.catalogue.each("documents")))
    workspace.catalogue.queue([one.id], "documents", "write")
    with pytest.raises(UsageError, match=r"1 passages are not indexed yet.*consilience add"):
        evaluate(workspace, GOLDEN)
    assert not (workspace.folder / STORE / "runs").exists()


def test_what_is_slower_than_a_live_search_waits_is_told(workspace):
    found = evaluate(workspace, GOLDEN)
    assert found.too_late == 0
    usual = build_settings({})
    hasty = replace(usual, retrieve=replace(usual.retrieve, hard_ms=0))
    found = evaluate(workspace, GOLDEN, options=EvaluationOptions(live=hasty))
    assert found.as_json()["too_late"] == 7
    assert any("longer than a live search waits" in note for note in found.notes)
    assert any(
        "longer than a live search waits" in line for line in evaluation_report(found).split("<p")
    )


def test_a_failure_off_topic_is_no_refusal(workspace, monkeypatch):
    known = {one.text for one in GOLDEN.questions if not one.unanswerable}
    refusing(monkeypatch, lambda text: text not in known)
    gather = runs.gather

    async def failing(query, engine, **more):
        if query.text == controls.off_topic_questions(workspace.catalogue)[0]:
            raise UsageError("this one cannot be asked")
        return await gather(query, engine, **more)

    monkeypatch.setattr(runs, "gather", failing)
    found = evaluate(workspace, GOLDEN)
    told = {one.name: one for one in found.controls}
    assert not told["every source answered"].passed
    assert "this one cannot be asked" in told["every source answered"].message
    count = len(controls.off_topic_questions(workspace.catalogue))
    share = (count - 1) / count
    assert f"{share:.0%} of {count} off-topic" in told["off-topic questions refused"].message


def test_questions_that_the_calibration_was_learned_from_are_told(workspace):
    path = workspace.folder / STORE / "relevance.json"
    path.write_text(json.dumps({"digests": [question_digest(GOLDEN.questions[0])]}))
    found = evaluate(workspace, GOLDEN)
    assert any("learned from 1 of these 7 questions" in note for note in found.notes)


def test_a_source_that_fails_turns_a_control_red(workspace):
    engine = workspace.engine
    broken = Scripted("documents/bm25", "documents", error=RuntimeError("gone"))
    workspace._engine = replace(engine, sources={**engine.sources, "documents/bm25": broken})
    found = evaluate(workspace, GOLDEN)
    red = {one.name: one.message for one in found.controls if not one.passed}
    assert "gone" in red["every source answered"]
    assert found.failed_controls


def test_labels_that_one_source_alone_finds_turn_a_control_red(opened, evidence):
    for number in range(12):
        (evidence / f"n{number}.txt").write_text(f"Keeper {number} wound the lamp {number} times.")
    space = opened()
    space.add([evidence])
    asked = tuple(
        Question(
            id=f"q{number}",
            text=f"How often did keeper {number} turn the key?",
            judgements=(Judgement(document=f"n{number}.txt", quote=f"lamp {number} times"),),
        )
        for number in range(12)
    )
    golden = Golden(name="keepers", questions=asked)
    met = resolve(golden, space.catalogue).strict
    runs = {
        name: Run(
            way=Way(name=name, kind="source"),
            answers={
                key: Answer(question=key, passages=tuple(found) if all_found else (), scores=())
                for key, found in met.items()
            },
        )
        for name, all_found in (("documents/bm25", True), ("documents/dense", False))
    }
    assert golden_set_sound(find_problems(golden, space.catalogue)).passed
    control = golden_set_sound(find_problems(golden, space.catalogue, runs=runs))
    assert not control.passed
    assert "documents/bm25" in control.message


def refusing(monkeypatch, refuses):
    """The real pipeline, with a stage after it that refuses some questions."""
    settle = runs.fuse_and_refine

    async def judged_too(gathered, engine):
        result = await settle(gathered, engine)
        return replace(result, abstained=refuses(result.query.text))

    monkeypatch.setattr(runs, "fuse_and_refine", judged_too)


def test_an_engine_that_refuses_everything_is_red(workspace, monkeypatch):
    refusing(monkeypatch, lambda text: True)
    found = evaluate(workspace, GOLDEN)
    control = next(one for one in found.controls if one.name.startswith("off-topic"))
    assert not control.passed
    assert found.ways[MERGED].refusals == {"unanswerable": 1.0, "answerable": 1.0}


# --- questions that tuning has seen -----------------------------------------------------


def tuned_on(workspace, questions):
    path = workspace.folder / STORE / "tuned.json"
    path.write_text(json.dumps({"questions": [question_digest(one) for one in questions]}))


def test_questions_that_tuning_has_seen_are_left_out(workspace):
    tuned_on(workspace, GOLDEN.questions[:2])
    found = evaluate(workspace, GOLDEN)
    assert found.left_out == 2
    assert {one.id for one in found.golden.questions}.isdisjoint({"arbroath", "prisms"})
    assert next(one for one in found.controls if one.name.startswith("not tuned")).passed
    every = evaluate(workspace, GOLDEN, options=EvaluationOptions(tuned_on=True))
    assert every.left_out == 0
    assert not next(one for one in every.controls if one.name.startswith("not tuned")).passed


# --- other runs, earlier evaluations ----------------------------------------------------


def test_a_run_of_another_system_is_judged_beside_ours(shared, measured):
    wanted = measured.resolved
    answers = {
        key: Answer(question=key, passages=tuple(met), scores=tuple(-n for n in range(len(met))))
        for key, met in wanted.strict.items()
        if key != "granite"
    }
    other = Run(way=Way(name="theirs", kind="merged"), answers=answers)
    found = evaluate(shared, GOLDEN, options=EvaluationOptions(others={"theirs": other}))
    assert found.ways["theirs"].kind == "other"
    assert found.ways["theirs"].strict["Hit@5"]["granite"] == 0.0
    assert found.ways["theirs"].means["Hit@5"]["strict"].mean == pytest.approx(5 / 6)
    assert "theirs" in {one.theirs for one in found.comparisons}
    assert "theirs" not in found.singles
    own = [one for one in found.comparisons if one.theirs != "theirs"]
    assert own == list(measured.comparisons), "a run that is brought along weighs on no other p"


def foreign(**answers):
    found = {
        key: Answer(question=key, passages=ids, scores=(1.0,) * len(ids))
        for key, ids in answers.items()
    }
    return EvaluationOptions(
        others={"theirs": Run(way=Way(name="theirs", kind="merged"), answers=found)}
    )


def test_a_run_that_lacks_judged_questions_turns_a_control_red(shared, measured):
    judged_ones = {key: tuple(met) for key, met in measured.resolved.strict.items()}
    whole = evaluate(shared, GOLDEN, options=foreign(**judged_ones, elsewhere=("x",)))
    told = {one.name: one for one in whole.controls}
    assert told["every question counted"].passed, told["every question counted"].message
    judged_ones.pop("granite")
    part = evaluate(shared, GOLDEN, options=foreign(**judged_ones))
    told = {one.name: one for one in part.controls}
    assert not told["every question counted"].passed
    assert "theirs has no answer to 1 judged questions" in told["every question counted"].message
    assert any("granite" in note for note in part.notes)


def test_a_run_whose_ids_mean_nothing_is_refused_before_anything_is_asked(workspace):
    with pytest.raises(UsageError, match=r"none of the 2 ids in the run theirs.*'doc-1'"):
        evaluate(workspace, GOLDEN, options=foreign(granite=("doc-1", "doc-2")))
    with pytest.raises(UsageError, match="has no question of lights: it has '17'"):
        evaluate(workspace, GOLDEN, options=foreign(**{"17": ("doc-1",)}))
    assert not (workspace.folder / STORE / "runs").exists()


def test_lenient_takes_what_stands_at_the_same_place(opened, evidence):
    lines = [f"Keeper {word} wound the clock. " * 9 for word in ("Adam", "Boaz", "Cain", "Dan")]
    (evidence / "keepers.md").write_text("# Keepers\n\n" + "\n\n".join(lines))
    space = opened()
    space.add([evidence])
    label = Judgement(document="keepers.md", quote=lines[0].strip(), grade=3)
    golden = Golden(
        name="keepers", questions=(Question(id="q", text="Who is Adam?", judgements=(label,)),)
    )
    resolved = resolve(golden, space.catalogue)
    near = sorted(set(resolved.lenient["q"]) - set(resolved.strict["q"]))
    answer = Answer(question="q", passages=(near[0],), scores=(1.0,))
    other = Run(way=Way(name="near", kind="merged"), answers={"q": answer})
    found = evaluate(space, golden, options=EvaluationOptions(others={"near": other}))
    sides = found.as_json()["ways"]["near"]["measures"]["Hit@5"]
    assert (sides["strict"]["mean"], sides["lenient"]["mean"]) == (0.0, 1.0)


def test_an_earlier_evaluation_is_compared_pair_by_pair(measured, tmp_path):
    path = tmp_path / "earlier.json"
    earlier = json.loads(json.dumps(measured.as_json()))
    first = earlier["questions"][0]["ways"][MERGED]
    gain = first[PRIMARY]
    first[PRIMARY] = 0.0
    earlier["settings"]["fusion.k"] = 1.0
    with pytest.raises(UsageError, match="not as it was written"):
        compare_with_earlier(measured, earlier, "earlier.json")
    path.write_text(json.dumps(signed(earlier)))
    found = compare_with_earlier(measured, read_evaluation(path), "earlier.json")
    merged = next(one for one in found.comparisons if one.ours == MERGED)
    assert merged.gain.mean == pytest.approx(gain / 6)
    assert any("fusion.k" in note for note in found.notes)
    path.write_text("[]")
    with pytest.raises(UsageError, match="not an evaluation"):
        read_evaluation(path)
    with pytest.raises(UsageError, match="same golden set"):
        compare_with_earlier(measured, signed({**earlier, "questions": []}), "earlier.json")


# --- the sentence -----------------------------------------------------------------------


def compared(evaluation, **gains):
    """The evaluation with other outcomes against its single sources."""
    singles = evaluation.singles
    found = []
    for name in singles:
        gain, p = gains.get(name.replace("/", "_"), (0.2, 0.001))
        spread = Interval(mean=gain, low=gain - 0.1, high=gain + 0.1, count=6)
        found.append(
            Comparison(ours=MERGED, theirs=name, measure=PRIMARY, gain=spread, p=p, p_corrected=p)
        )
    return replace(evaluation, comparisons=tuple(found))


def test_the_sentence_says_what_is_shown_and_what_is_not(measured):
    assert verdict(compared(measured)).startswith("Fusing helps here")
    worse = verdict(compared(measured, tables_sql=(-0.1, 0.01)))
    assert worse.startswith("Fusing does not help here: tables/sql alone")
    unsure = verdict(compared(measured, graph_dense=(0.01, 0.6)))
    assert "not shown against graph/dense (+0.010 nDCG@10, p = 0.600)" in unsure
    nothing = {name.replace("/", "_"): (0.0, 1.0) for name in measured.singles}
    assert verdict(compared(measured, **nothing)).startswith("It is not shown")
