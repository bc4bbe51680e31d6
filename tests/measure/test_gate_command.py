"""`consilience gate`, on a real evaluation: what it reads, decides, prints and exits with."""

import json

import library_shared as library
import pytest
from gate_shared import now
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.cli.evaluate import UNREADABLE
from consilience.engine.relevance import shipped
from consilience.measure import gate
from consilience.measure.controls import CONTROLS
from consilience.measure.evaluation import evaluate, read_evaluation, signed
from consilience.measure.gate import EXIT, Thresholds
from consilience.measure.golden import question_digest, write_golden
from consilience.workspace import init_workspace, open_workspace


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
    decision = gate.decide(found, Thresholds(), now(fingerprint=found["fingerprint"]))
    ours = next(one for one in found["comparisons"] if one["theirs"] == "documents/bm25")
    assert f"{ours['gain']:+.4f}" in str(decision.checks)  # worked out anew, the same


def test_the_command_writes_a_gate_decides_by_it_and_exits_so(folder, tmp_path):
    result = run(folder, "--evaluation", folder / "evaluation.json")  # there is no gate yet
    assert "the default bounds hold" in result.output
    assert result.exit_code in set(EXIT.values())
    assert run(folder, folder / "none.toml").exit_code == UNREADABLE
    result = run(folder, "--init", "--evaluation", folder / "evaluation.json")
    assert result.exit_code == 0, result.output
    assert run(folder, "--init").exit_code == UNREADABLE  # what is there is not replaced
    result = run(folder, "--evaluation", folder / "evaluation.json", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == found["exit"] == EXIT[found["verdict"]]
    checks = {one["name"]: one for one in found["checks"]}
    assert checks["evidence is fresh"]["verdict"] == "pass", checks["evidence is fresh"]
    assert checks["enough questions"]["verdict"] == "pass"  # 48, and 25 are enough
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
    assert "AP of merged: the evaluation does not have it" in result.output
    assert "pass         as it was written" in result.output
    assert "pass         evidence is fresh" in result.output
    gate.write_text('[gate]\nmerged = "any"\nleast_questions = 1\n[latency]\np95_ms = 100000\n')
    assert "pass         latency p95 in ms" in run(folder, gate).output  # asked afresh
    gate.write_text('[gate]\nmerged = "any"\n[retrieval.merged]\n"nDCG@10" = 1.5\n')
    result = run(folder, gate, "--evaluation", folder / "evaluation.json")
    assert result.exit_code == EXIT["fail"]
    assert "verdict: fail" in result.output


def test_the_command_wants_the_golden_set_to_compare_with(folder, tmp_path):
    gate = tmp_path / "gate.toml"
    gate.write_text("[gate]\nleast_questions = 1\n")
    found = json.loads((folder / "evaluation.json").read_text())
    found["golden"]["path"] = str(tmp_path / "gone.yaml")
    moved = tmp_path / "moved.json"
    moved.write_text(json.dumps(signed(found)))
    result = run(folder, gate, "--evaluation", moved)
    assert "the golden set is not found" in result.output
    result = run(folder, gate, "--evaluation", moved, "--golden", folder / "golden.yaml")
    assert "pass         evidence is fresh" in result.output
    write_golden(library.golden(40), tmp_path / "other.yaml")
    result = run(folder, gate, "--evaluation", moved, "--golden", tmp_path / "other.yaml")
    assert "the golden set is another one" in result.output


def test_the_command_sees_what_changed_beside_settings_and_corpus(folder, tmp_path):
    """A calibration that was learned since gives other refusals, by the same settings."""
    gate = tmp_path / "gate.toml"
    gate.write_text("[gate]\nleast_questions = 1\n")
    own = folder / ".consilience" / "relevance.json"
    digests = [question_digest(one) for one in library.golden().questions]
    with open_workspace(folder) as space:
        shipped_one = shipped(space.embedder.name)
    own.write_text(json.dumps({**shipped_one.as_json(), "digests": digests}))
    try:
        result = run(folder, gate, "--evaluation", folder / "evaluation.json")
        assert "the calibration or the program have changed" in result.output
    finally:
        own.unlink()


def test_the_command_sees_an_edited_file(folder, tmp_path):
    gate = tmp_path / "gate.toml"
    gate.write_text("[gate]\nleast_questions = 1\n")
    edited = tmp_path / "edited.json"
    text = (folder / "evaluation.json").read_text()
    edited.write_text(text.replace('"passed": true', '"passed":  true'))
    assert "pass         as it was written" in run(folder, gate, "--evaluation", edited).output
    edited.write_text(text.replace('"passed": true', '"passed": false', 1))
    result = run(folder, gate, "--evaluation", edited)
    assert "edited by hand" in result.output
    assert result.exit_code == EXIT["fail"]
