"""Does the gate let through what is shown, and nothing else? Every cheat is fed to it."""

import copy
import json
import random

import pytest
from gate_shared import now

import consilience
from consilience.errors import UsageError
from consilience.measure import gate
from consilience.measure.controls import CONTROLS
from consilience.measure.data_model import Comparison, Interval, Question
from consilience.measure.evaluation import DIGEST, signed
from consilience.measure.gate import EXIT, Thresholds, gate_template, read_thresholds
from consilience.measure.golden import question_digest
from consilience.measure.runs import MERGED, UNRERANKED, recorded_settings
from consilience.measure.seen_questions import SeenQuestions
from consilience.measure.statistics import SIGNIFICANCE, explain_gain, is_better, is_worse
from consilience.settings import Settings

WAYS = {
    "documents/bm25": ("source", 0.40),
    "documents/dense": ("source", 0.45),
    UNRERANKED: ("merged", 0.55),
    MERGED: ("merged", 0.60),
}
LOOSE = Thresholds(retrieval={MERGED: {"nDCG@10": 0.5}}, attribution=0.4, latency_p95_ms=500)


def interval(mean):
    return {"mean": mean, "low": mean - 0.03, "high": mean + 0.03}


def made(levels=None, count=80, spread=0.05):
    """An evaluation in which every way scores about its level.

    Half of the questions are attributed rightly, one in 20 is refused; of 20 others, which nothing
    answers, 9 in 10.
    """
    chance = random.Random(1)
    levels = {name: level for name, (_, level) in WAYS.items()} | (levels or {})
    asked = {"value_in_top_5": None, "first": 1}
    questions = [
        {
            "id": f"q{number}",
            "text": f"question {number}",
            "category": "",
            "answerable": True,
            "ways": {
                name: {
                    **asked,
                    "nDCG@10": level + chance.uniform(-spread, spread),
                    "attribution": number % 2,
                    "ms": 20.0 if number % 4 else 90.0,
                    "refused": number % 20 == 0,
                }
                for name, level in levels.items()
            },
        }
        for number in range(count)
    ]
    unscored = [
        {
            "id": f"u{number}",
            "text": f"unanswerable {number}",
            "answerable": False,
            "ways": {
                name: {**asked, "attribution": None, "ms": 20.0, "refused": number % 10 != 0}
                for name in levels
            },
        }
        for number in range(20)
    ]
    ways = {}
    refused = sum(number % 20 == 0 for number in range(count)) / count
    for name, (kind, _) in WAYS.items():
        mean = sum(one["ways"][name]["nDCG@10"] for one in questions) / count
        ways[name] = {
            "kind": kind,
            "measures": {"nDCG@10": {"strict": interval(mean), "lenient": interval(mean)}},
            "attribution": interval((count // 2) / count),
            "value_in_top_5": None,
            "latency_ms": {"p50": 20.0, "p95": 90.0},
            "refusals": {"unanswerable": 0.9, "answerable": refused},
        }
    return {
        "version": 1,
        "consilience": consilience.__version__,
        "golden": {
            "name": "g",
            "path": "",
            "digest": "d",
            "questions": count + len(unscored),
            "judged": count,
        },
        "fingerprint": "f",
        "key": "k",
        "settings": json.loads(json.dumps(recorded_settings(Settings()))),
        "models": {"embed": "a", "rerank": None},
        "ways": ways,
        "comparisons": [],
        "controls": [{"name": name, "passed": True, "told": "fine"} for name in CONTROLS],
        "questions": questions,
        "unscored": unscored,
    }


def decide(evaluation, wanted, present):
    """The decision on an evaluation whose digest fits, as one has it who signs his edits."""
    return gate.decide(signed(evaluation), wanted, present)


def told(decision, verdict):
    return {one.name: one.message for one in decision.checks if one.verdict == verdict}


@pytest.fixture
def good():
    return made()


def test_what_is_good_and_shown_passes(good):
    decision = decide(good, LOOSE, now())
    assert decision.verdict == "pass", told(decision, "fail") | told(decision, "re-evaluate")
    assert EXIT[decision.verdict] == 0
    assert decision.advice == ()
    names = {one.name for one in decision.checks}
    assert {"merged beats documents/bm25", "merged beats documents/dense"} <= names
    assert {f"control: {name}" for name in CONTROLS} <= names
    assert json.loads(json.dumps(decision.as_json()))["verdict"] == "pass"


# --- cheats -----------------------------------------------------------------------------


def test_an_edit_is_seen_by_the_digest(good):
    """Controls cannot be worked out again: a red one is turned green here."""
    good["controls"][0]["passed"] = False
    written = signed(good)
    written["controls"] = [{**one, "passed": True} for one in written["controls"]]
    decision = gate.decide(written, LOOSE, now())
    assert decision.verdict == "fail"
    assert "edited by hand" in told(decision, "fail")["as it was written"]
    del written[DIGEST]
    unsigned = gate.decide(written, LOOSE, now())
    assert "no digest" in told(unsigned, "re-evaluate")["as it was written"]


def test_other_bounds_go_by_the_questions(good):
    """Whatever the way as a whole is said to have."""
    good["ways"][MERGED]["attribution"] = interval(0.99)
    good["ways"][MERGED]["latency_ms"] = {"p50": 1.0, "p95": 1.0}
    good["ways"][MERGED]["refusals"] = {"unanswerable": 1.0, "answerable": 0.0}
    wanted = Thresholds(attribution=0.9, latency_p95_ms=5, unanswerable=1.01, answerable=0.01)
    failed = told(decide(good, wanted, now()), "fail")
    assert {
        "attribution",
        "latency p95 in ms",
        "unanswerable refused",
        "answerable refused",
    } <= failed.keys()


def test_times_of_an_earlier_run_say_nothing_of_now(good):
    good["latency_kept"] = 3
    decision = decide(good, Thresholds(latency_p95_ms=500), now())
    assert decision.verdict == "re-evaluate"
    assert "--fresh" in told(decision, "re-evaluate")["latency p95 in ms"]
    assert decide(good, Thresholds(), now()).verdict == "pass"


def test_refusals_count_on_questions_that_the_calibration_has_not_seen(good):
    """Of the answerable questions it has seen none is refused, of the others every one."""
    texts = [one["text"] for one in good["questions"] if not one["ways"][MERGED]["refused"]]
    calibrated = {question_digest(Question(id="", text=one)) for one in texts}
    wanted = Thresholds(answerable=0.2)
    assert decide(good, wanted, now()).verdict == "pass"
    decision = decide(good, wanted, now(seen=SeenQuestions(calibrated=frozenset(calibrated))))
    assert "1, at most 0.2" in told(decision, "fail")["answerable refused"]
    every = frozenset(
        question_digest(Question(id="", text=one["text"])) for one in good["unscored"]
    )
    decision = decide(good, Thresholds(unanswerable=0.1), now(seen=SeenQuestions(calibrated=every)))
    assert "from all 20 questions" in told(decision, "re-evaluate")["unanswerable refused"]


@pytest.mark.parametrize("name", CONTROLS[:2])
def test_a_control_that_is_red_or_missing_is_no_pass(good, name):
    red = copy.deepcopy(good)
    next(one for one in red["controls"] if one["name"] == name)["passed"] = False
    assert decide(red, LOOSE, now()).verdict == "fail"
    good["controls"] = [one for one in good["controls"] if one["name"] != name]
    decision = decide(good, LOOSE, now())
    assert decision.verdict == "re-evaluate"
    assert name in told(decision, "re-evaluate")["controls"]


def test_questions_that_tuning_has_seen_do_not_count(good):
    """On the questions seen in tuning merged is far better; on the others it is not."""
    for number, one in enumerate(good["questions"]):
        if number >= 60:
            one["ways"][MERGED]["nDCG@10"] = 0.1
    values = [one["ways"][MERGED]["nDCG@10"] for one in good["questions"]]
    good["ways"][MERGED]["measures"]["nDCG@10"]["strict"] = interval(sum(values) / 80)
    wanted = Thresholds(least_questions=10, reranked="any")
    assert not told(decide(good, wanted, now()), "fail")
    seen = [question_digest(Question(id="", text=f"Question  {number}")) for number in range(60)]
    decision = decide(good, wanted, now(seen=SeenQuestions(tuned=frozenset(seen))))
    assert "do not fuse" in decision.advice[0]
    assert "20 questions" in told(decision, "fail")["merged beats documents/dense"]
    assert "20 judged questions that tuning has not seen (60 it has)" in str(decision.checks)


# --- stale and thin ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fingerprint": "other"}, "the corpus has changed"),
        ({"golden": "other"}, "the golden set is another one"),
        ({"golden": ""}, "the golden set is not found (no path): name it with --golden"),
        ({"key": "other"}, "the calibration or the program have changed"),
        (
            {"settings": {**recorded_settings(Settings()), "fusion.k": 5.0}},
            "fusion.k was 60.0, is 5.0",
        ),
    ],
)
def test_stale_evidence_asks_for_another_evaluation(good, change, reason):
    decision = decide(good, LOOSE, now(**change))
    assert decision.verdict == "re-evaluate"
    assert EXIT[decision.verdict] == 4
    assert reason in told(decision, "re-evaluate")["evidence is fresh"]


def test_few_questions_decide_nothing():
    decision = decide(made(count=24), LOOSE, now())
    assert decision.verdict == "re-evaluate"
    assert "at least 25" in told(decision, "re-evaluate")["enough questions"]


# --- good enough ------------------------------------------------------------------------


def test_a_measure_below_its_bound_fails_when_its_interval_is_too(good):
    mean = good["ways"][MERGED]["measures"]["nDCG@10"]["strict"]["mean"]
    for least, verdict in (
        (mean - 1e-9, "pass"),
        (mean + 1e-3, "re-evaluate"),
        (mean + 0.1, "fail"),
    ):
        wanted = Thresholds(retrieval={MERGED: {"nDCG@10": least}})
        assert decide(good, wanted, now()).verdict == verdict
    other = Thresholds(retrieval={"documents/bm25": {"nDCG@10": 0.9}})
    assert decide(good, other, now()).verdict == "fail"
    unknown = Thresholds(retrieval={MERGED: {"AP": 0.1}})
    assert "does not have it" in told(decide(good, unknown, now()), "re-evaluate")["AP of merged"]


@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [
        ({"attribution": 0.65}, "fail"),
        ({"attribution": 0.52}, "re-evaluate"),
        ({"latency_p95_ms": 80}, "fail"),
        ({"unanswerable": 1.01}, "fail"),
        ({"unanswerable": 0.95}, "re-evaluate"),
        ({"unanswerable": 0.9}, "pass"),
        ({"answerable": 0.01}, "fail"),
        ({"answerable": 0.05}, "pass"),
        ({"support": 0.1}, "re-evaluate"),
    ],
)
def test_other_bounds_hold_too(good, wanted, verdict):
    assert decide(good, Thresholds(**wanted), now()).verdict == verdict


def test_what_was_not_measured_is_no_pass(good):
    for way in good["ways"]:
        good["ways"][way]["attribution"] = None
        good["ways"][way]["refusals"]["unanswerable"] = None
        for one in good["questions"]:
            one["ways"][way]["attribution"] = None
    for one in good["unscored"]:
        one["answerable"] = None
    decision = decide(good, Thresholds(attribution=0.1, unanswerable=0.1), now())
    assert set(told(decision, "re-evaluate")) == {"attribution", "unanswerable refused"}


# --- does it help? ----------------------------------------------------------------------


def test_a_single_source_that_is_better_says_do_not_fuse():
    decision = decide(made({"documents/bm25": 0.8}), Thresholds(), now())
    assert decision.verdict == "fail"
    assert EXIT[decision.verdict] == 1
    assert decision.advice == ("do not fuse: documents/bm25 alone is better",)


def test_a_gain_that_is_not_shown_is_not_decided():
    close = made({"documents/dense": 0.601}, spread=0.2)
    decision = decide(close, Thresholds(), now())
    assert decision.verdict == "re-evaluate"
    assert "not decided" in told(decision, "re-evaluate")["merged beats documents/dense"]
    assert decide(close, Thresholds(merged="not worse"), now()).verdict == "pass"


def test_a_reranker_that_harms_says_do_not_rerank():
    decision = decide(made({UNRERANKED: 0.7}), Thresholds(), now())
    assert decision.verdict == "fail"
    assert decision.advice == ("do not rerank: the fused order is better",)
    assert decide(made({UNRERANKED: 0.7}), Thresholds(reranked="any"), now()).verdict == "pass"


@pytest.mark.parametrize(
    ("mean", "p", "paying", "harming"),
    [
        (0.1, SIGNIFICANCE / 2, True, False),
        (0.1, SIGNIFICANCE, False, False),
        (0.0, SIGNIFICANCE / 2, False, False),
        (-0.1, SIGNIFICANCE / 2, False, True),
        (-0.1, SIGNIFICANCE, False, False),
    ],
)
def test_one_rule_says_what_pays(mean, p, paying, harming):
    gain = Interval(mean=mean, low=mean - 0.05, high=mean + 0.05, count=50)
    found = Comparison(ours="a", theirs="b", measure="nDCG@10", gain=gain, p=p / 2, p_corrected=p)
    assert is_better(found) is paying
    assert is_worse(found) is harming
    assert f"{mean:+.4f}" in explain_gain(found)


# --- files ------------------------------------------------------------------------------


def test_the_file_that_init_writes_is_read_again(tmp_path, good):
    path = tmp_path / "gate.toml"
    path.write_text(gate_template())
    assert "The first result is from the right document" in gate_template()  # as it is measured
    found = read_thresholds(path)
    assert found.least_questions == 25
    assert (found.merged, found.reranked) == ("better", "not worse")
    assert found.retrieval[MERGED]["nDCG@10"] == 0.3
    assert (found.unanswerable, found.support) == (0.8, None)
    path.write_text(gate_template(good))
    assert read_thresholds(path).retrieval[MERGED]["nDCG@10"] == pytest.approx(0.57, abs=0.01)
    assert read_thresholds(path).latency_p95_ms == 180
    good["ways"][MERGED]["refusals"]["unanswerable"] = (
        None  # no such question: nothing is asked for
    )
    path.write_text(gate_template(good))
    assert read_thresholds(path).unanswerable is None
    assert read_thresholds(path).answerable == 0.2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[gates]\nx = 1", "did you mean 'gate'"),
        ("[gate]\nleast_question = 1", "did you mean 'least_questions'"),
        ('[gate]\nmerged = "best"', "takes 'better'"),
        ("[latency]\np95_ms = true", "takes a number"),
        ("[retrieval]\nmerged = 0.4", "takes a table a way"),
        ("[gate", "not valid TOML"),
    ],
)
def test_a_gate_that_means_nothing_is_refused(tmp_path, text, reason):
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=reason):
        read_thresholds(path)
