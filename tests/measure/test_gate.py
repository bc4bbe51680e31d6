"""Does the gate let through what is shown, and nothing else? Every cheat is fed to it."""

import copy
import json
import random

import library_shared as library
import pytest
from typer.testing import CliRunner

import consilience
from consilience.cli.app import app
from consilience.cli.gating import UNREADABLE
from consilience.errors import UsageError
from consilience.measure.conditions import recorded
from consilience.measure.evaluate.evaluating import evaluate
from consilience.measure.evaluate.running import MERGED, UNRERANKED
from consilience.measure.gate.deciding import EXIT, decide, read_evaluation
from consilience.measure.gate.soundness import CONTROLS, Now
from consilience.measure.gate.thresholds import Thresholds, read_thresholds, template
from consilience.measure.golden.files import question_digest, write_golden
from consilience.measure.values import Question
from consilience.settings import Settings
from consilience.workspace import init_workspace, open_workspace

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
    """An evaluation in which every way scores about its level."""
    chance = random.Random(1)
    levels = {name: level for name, (_, level) in WAYS.items()} | (levels or {})
    questions = [
        {
            "id": f"q{number}",
            "text": f"question {number}",
            "category": "",
            "ways": {
                name: {"nDCG@10": level + chance.uniform(-spread, spread), "first": 1}
                for name, level in levels.items()
            },
        }
        for number in range(count)
    ]
    ways = {}
    for name, (kind, _) in WAYS.items():
        mean = sum(one["ways"][name]["nDCG@10"] for one in questions) / count
        ways[name] = {
            "kind": kind,
            "measures": {"nDCG@10": {"strict": interval(mean), "lenient": interval(mean)}},
            "attribution": interval(0.5),
            "latency_ms": {"p50": 20.0, "p95": 90.0},
            "refusals": {"unanswerable": 0.9, "answerable": 0.05},
        }
    return {
        "version": 1,
        "consilience": consilience.__version__,
        "golden": {"name": "g", "path": "", "digest": "d", "questions": count, "judged": count},
        "fingerprint": "f",
        "settings": json.loads(json.dumps(recorded(Settings()))),
        "ways": ways,
        "comparisons": [],
        "controls": [{"name": name, "passed": True, "told": "fine"} for name in CONTROLS],
        "questions": questions,
    }


def now(**more):
    values = {"fingerprint": "f", "settings": recorded(Settings()), "tuned": {}, "golden": "d"}
    return Now(**{**values, **more})


def told(decision, verdict):
    return {one.name: one.told for one in decision.checks if one.verdict == verdict}


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


def test_a_mean_edited_by_hand_fails(good):
    good["ways"][MERGED]["measures"]["nDCG@10"]["strict"]["mean"] += 0.01
    decision = decide(good, LOOSE, now())
    assert decision.verdict == "fail"
    assert "its questions give" in told(decision, "fail")["numbers add up"]


def test_questions_dropped_or_doubled_fail(good):
    dropped = copy.deepcopy(good)
    del dropped["questions"][:10]
    assert (
        "80 questions are judged" in told(decide(dropped, LOOSE, now()), "fail")["numbers add up"]
    )
    good["questions"][0]["id"] = good["questions"][1]["id"]
    assert "counts twice" in told(decide(good, LOOSE, now()), "fail")["numbers add up"]


def test_a_value_left_out_fails(good):
    lacking = copy.deepcopy(good)
    del lacking["questions"][5]["ways"]["documents/bm25"]
    decision = decide(lacking, LOOSE, now())
    assert decision.verdict == "fail"
    assert "has no nDCG@10 for 1" in told(decision, "fail")["numbers add up"]
    del good["ways"]["documents/dense"]
    assert "not among the ways" in told(decide(good, LOOSE, now()), "fail")["numbers add up"]


def test_an_interval_edited_by_hand_counts_for_nothing(good):
    strict = good["ways"][MERGED]["measures"]["nDCG@10"]["strict"]
    strict["low"], strict["high"] = 0.9, 1.0
    wanted = Thresholds(retrieval={MERGED: {"nDCG@10": 0.9}})
    assert decide(good, wanted, now()).verdict == "fail"


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_that_is_red_or_missing_is_no_pass(good, name):
    red = copy.deepcopy(good)
    next(one for one in red["controls"] if one["name"] == name)["passed"] = False
    assert decide(red, LOOSE, now()).verdict == "fail"
    good["controls"] = [one for one in good["controls"] if one["name"] != name]
    decision = decide(good, LOOSE, now())
    assert decision.verdict == "re-evaluate"
    assert name in told(decision, "re-evaluate")["controls"]


def test_no_controls_at_all_is_no_pass(good):
    good["controls"] = []
    assert decide(good, LOOSE, now()).verdict == "re-evaluate"


def test_a_comparison_written_by_hand_counts_for_nothing():
    worse = made({MERGED: 0.30, UNRERANKED: 0.30})
    worse["comparisons"] = [
        {"ours": MERGED, "theirs": "documents/dense", "gain": 0.2, "p_corrected": 0.0}
    ]
    decision = decide(worse, Thresholds(), now())
    assert "merged beats documents/dense" in told(decision, "fail")


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
    decision = decide(good, wanted, now(tuned={"questions": seen}))
    assert "do not fuse" in decision.advice[0]
    assert "20 questions" in told(decision, "fail")["merged beats documents/dense"]
    assert "20 judged questions that tuning has not seen (60 it has)" in str(decision.checks)


def test_all_questions_seen_in_tuning_is_no_pass(good):
    seen = [question_digest(Question(id="", text=one["text"])) for one in good["questions"]]
    decision = decide(good, LOOSE, now(tuned={"questions": seen}))
    assert decision.verdict == "re-evaluate"
    assert "0 judged questions" in told(decision, "re-evaluate")["enough questions"]


# --- stale and thin ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fingerprint": "other"}, "the corpus has changed"),
        ({"golden": "other"}, "the golden set is another one"),
        ({"settings": {**recorded(Settings()), "fusion.k": 5.0}}, "fusion.k was 60.0, is 5.0"),
    ],
)
def test_stale_evidence_asks_for_another_evaluation(good, change, reason):
    decision = decide(good, LOOSE, now(**change))
    assert decision.verdict == "re-evaluate"
    assert EXIT[decision.verdict] == 4
    assert reason in told(decision, "re-evaluate")["evidence is fresh"]


def test_an_evaluation_by_another_version_is_stale(good):
    good["consilience"] = "0.0.1"
    assert "0.0.1" in told(decide(good, LOOSE, now()), "re-evaluate")["evidence is fresh"]


def test_few_questions_decide_nothing():
    decision = decide(made(count=49), LOOSE, now())
    assert decision.verdict == "re-evaluate"
    assert "at least 50" in told(decision, "re-evaluate")["enough questions"]


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
        ({"attribution": 0.6}, "fail"),
        ({"attribution": 0.52}, "re-evaluate"),
        ({"latency_p95_ms": 80}, "fail"),
        ({"unanswerable": 0.95}, "fail"),
        ({"unanswerable": 0.9}, "pass"),
        ({"answerable": 0.01}, "fail"),
        ({"answerable": 0.05}, "pass"),
        ({"support": 0.1}, "re-evaluate"),
    ],
)
def test_other_bounds_hold_too(good, wanted, verdict):
    assert decide(good, Thresholds(**wanted), now()).verdict == verdict


def test_what_was_not_measured_is_no_pass(good):
    good["ways"][MERGED]["attribution"] = None
    good["ways"][MERGED]["refusals"]["unanswerable"] = None
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


def test_without_single_sources_nothing_is_shown(good):
    for one in ("documents/bm25", "documents/dense"):
        del good["ways"][one]
    for one in good["questions"]:
        for way in ("documents/bm25", "documents/dense"):
            del one["ways"][way]
    decision = decide(good, Thresholds(), now())
    assert decision.verdict == "re-evaluate"
    assert "merged beats every single source" in told(decision, "re-evaluate")


def test_a_reranker_without_a_comparison_is_not_decided(good):
    good["models"] = {"embed": "a", "rerank": "late"}
    del good["ways"][UNRERANKED]
    for one in good["questions"]:
        del one["ways"][UNRERANKED]
    decision = decide(good, Thresholds(), now())
    assert set(told(decision, "re-evaluate")) == {f"merged beats {UNRERANKED}"}


# --- files ------------------------------------------------------------------------------


def test_the_file_that_init_writes_is_read_again(tmp_path, good):
    path = tmp_path / "gate.toml"
    path.write_text(template())
    found = read_thresholds(path)
    assert found.least_questions == 50
    assert (found.merged, found.reranked) == ("better", "not worse")
    assert found.retrieval[MERGED]["nDCG@10"] == 0.3
    assert (found.unanswerable, found.support) == (0.8, None)
    path.write_text(template(good))
    assert read_thresholds(path).retrieval[MERGED]["nDCG@10"] == pytest.approx(0.57, abs=0.01)
    assert read_thresholds(path).latency_p95_ms == 180
    good["ways"][MERGED]["refusals"]["unanswerable"] = (
        None  # no such question: nothing is asked for
    )
    path.write_text(template(good))
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


@pytest.mark.parametrize("text", ["[]", "{", '{"version": 1}', '{"version": 2}'])
def test_what_is_no_evaluation_is_refused(tmp_path, text):
    path = tmp_path / "e.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"e\.json"):
        read_evaluation(path)


# --- the command, on a real evaluation --------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("gated") / "space"
    init_workspace(home)
    with (home / "consilience.toml").open("a") as stream:
        stream.write('\n[models]\nembed = "fast"\n')
    library.write(home)
    write_golden(library.golden(), home / "golden.yaml")
    with open_workspace(home) as space:
        space.add([home / "library.md"])
        found = evaluate(space, library.golden(), path=str(home / "golden.yaml"))
    (home / "evaluation.json").write_text(json.dumps(found.as_json()))
    return home


def run(folder, *more):
    return CliRunner().invoke(app, ["gate", "-w", str(folder), *map(str, more)])


def test_a_real_evaluation_has_every_control_and_adds_up(folder):
    found = read_evaluation(folder / "evaluation.json")
    assert {one["name"] for one in found["controls"]} == set(CONTROLS)
    decision = decide(found, Thresholds(), now(fingerprint=found["fingerprint"]))
    checks = {one.name: one.verdict for one in decision.checks}
    assert checks["numbers add up"] == "pass"
    ours = next(one for one in found["comparisons"] if one["theirs"] == "documents/bm25")
    assert f"{ours['gain']:+.4f}" in str(decision.checks)  # worked out anew, the same


def test_the_command_writes_a_gate_decides_by_it_and_exits_so(folder, tmp_path):
    assert run(folder).exit_code == UNREADABLE  # there is none yet
    result = run(folder, "--init", "--evaluation", folder / "evaluation.json")
    assert result.exit_code == 0, result.output
    assert run(folder, "--init").exit_code == UNREADABLE  # what is there is not replaced
    result = run(folder, "--evaluation", folder / "evaluation.json", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == found["exit"] == EXIT[found["verdict"]]
    checks = {one["name"]: one for one in found["checks"]}
    assert checks["evidence is fresh"]["verdict"] == "pass", checks["evidence is fresh"]
    assert checks["numbers add up"]["verdict"] == "pass"
    assert checks["enough questions"]["verdict"] == "re-evaluate"  # 48 of 50
    assert checks["nDCG@10 of merged"]["verdict"] == "pass"


def test_the_command_sees_that_settings_have_changed(folder, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_FUSION_ALPHA", "0.9")
    gate = folder / "other.toml"
    gate.write_text("[gate]\nleast_questions = 1\n")
    result = run(folder, gate, "--evaluation", folder / "evaluation.json")
    assert "fusion.alpha was 0.5, is 0.9" in result.output


def test_without_an_evaluation_the_command_makes_one(folder):
    gate = folder / "strict.toml"
    gate.write_text('[gate]\nmerged = "any"\nleast_questions = 1\n[retrieval.merged]\nAP = 0.1\n')
    result = run(folder, gate)
    assert "numbers add up: means are those of 48 questions" in result.output
    gate.write_text('[gate]\nmerged = "any"\n[retrieval.merged]\n"nDCG@10" = 1.5\n')
    result = run(folder, gate, "--evaluation", folder / "evaluation.json")
    assert result.exit_code == EXIT["fail"]
    assert "verdict: fail" in result.output
