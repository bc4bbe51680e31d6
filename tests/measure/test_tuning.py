"""Does tuning find what helps, and does it say so only where other questions show it?"""

import json
import random
import re
from dataclasses import replace

import library_shared as library
import numpy as np
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.cli.tuning import NOT_CONNECTED
from consilience.errors import UsageError
from consilience.fuse import FUSERS
from consilience.measure.golden.files import golden_digest, question_digest, write_golden
from consilience.measure.golden.resolve import resolve
from consilience.measure.scoring.splits import parted
from consilience.measure.tune import choosing
from consilience.measure.tune import replay as replay_module
from consilience.measure.tune.applying import apply, difference, record_of, rewritten
from consilience.measure.tune.choosing import ENOUGH, intent_alphas, worth
from consilience.measure.tune.parameters import own_fusers, parameters_of, reads
from consilience.measure.tune.replay import replay
from consilience.measure.tune.surfaces import as_json, page
from consilience.measure.tune.tuning import CURRENT, PER_INTENT, TUNED, tune
from consilience.measure.values import Judgement
from consilience.settings import Settings, read_settings
from consilience.workspace import init_workspace, open_workspace

SLOW = ["fusion.method", "fusion.k", "retrieve.depth", "refine.mmr"]


class Seen:
    """A progress that counts."""

    def __init__(self):
        self.stages = {}

    def stage(self, name, *, total, unit):
        self.stages[name] = [total, 0]
        self.now = name

    def advance(self, number=1):
        self.stages[self.now][1] += number


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """Only meaning has a say at the beginning, and the model here knows little of meaning."""
    with library.built(tmp_path_factory.mktemp("tuning"), **{"fusion.alpha": 1.0}) as space:
        yield space


@pytest.fixture(scope="module")
def asked(space):
    return replay(space.engine, resolve(library.golden(), space.catalogue))


@pytest.fixture(scope="module")
def seen():
    return Seen()


@pytest.fixture(scope="module")
def found(asked, seen):
    return tune(asked, splits=2, progress=seen)


# --- parts of the questions -------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.8])
def test_parts_have_their_share_of_every_group(share):
    groups = ["a"] * 40 + ["b"] * 20 + ["c"] * 3
    random.Random(4).shuffle(groups)
    part, rest = parted(groups, share, seed=2)
    assert sorted(part + rest) == list(range(63))
    assert abs(len(part) - 63 * share) <= 1
    for name in "abc":
        count = groups.count(name)
        assert abs(sum(groups[one] == name for one in part) - count * share) <= 1


def test_parts_differ_by_seed_and_are_the_same_for_the_same_one():
    groups = ["a"] * 30
    assert parted(groups, 0.5, seed=1) == parted(groups, 0.5, seed=1)
    assert parted(groups, 0.5, seed=1) != parted(groups, 0.5, seed=2)


# --- what is tried ----------------------------------------------------------------------


def test_the_ranges_are_those_that_are_promised(asked):
    tried = {one.title: [move.value for move in one.moves] for one in parameters_of(asked.engine)}
    assert tried["fusion.k (rrf)"] == [1, 5, 10, 20, 40, 60, 100]
    assert tried["fusion.alpha (convex)"] == pytest.approx([n / 10 for n in range(11)])
    assert tried["retrieve.depth"] == [10, 20, 50, 100]
    assert tried["refine.mmr"] == [0.7, 0.8, 0.9, 1]
    assert (tried["refine.blend"][0], tried["refine.blend"][-1]) == (0, 0.6)
    for kind in ("bm25", "dense"):
        weights = tried[f"fusion.weights.{kind}"]
        assert (min(weights), max(weights)) == (0, 1)
    assert {"rrf", "convex", "dbsf", "combsum", "borda", "isr"} <= set(tried["fusion.method"])
    assert not {"qdrant-rrf", "txtai", "weaviate-relative"} & set(tried["fusion.method"])


def test_which_fusers_read_what_is_found_by_trying():
    assert reads("rrf", "k")
    assert not reads("rrf", "alpha")
    assert reads("convex", "alpha")
    assert not reads("convex", "k")
    assert set(own_fusers()) < set(FUSERS)


def test_a_parameter_can_be_left_alone(asked):
    names = [one.name for one in parameters_of(asked.engine, skip=["refine.blend", "fusion.k"])]
    assert "refine.blend" not in names
    assert "fusion.k" not in names
    assert "refine.mmr" in names
    with pytest.raises(UsageError, match=r"refine\.mrr.*known:.*refine\.mmr"):
        parameters_of(asked.engine, skip=["refine.mrr"])


# --- choosing ---------------------------------------------------------------------------


def test_it_finds_what_helps_and_shows_it_on_other_questions(asked, found):
    assert found.recommended, found.verdict
    held = found.held_out
    assert held.means[TUNED].mean > held.means[CURRENT].mean + 0.1
    assert held.compared(TUNED, CURRENT).p_corrected < 0.05
    kept = found.kept_out
    assert kept.compared(TUNED, CURRENT).gain.mean > 0
    assert set(kept.means) == {CURRENT, TUNED, "documents/bm25", "documents/dense"}
    which = [n for n, c in enumerate(asked.cases) if question_digest(c.question) in found.kept]
    assert kept.means[TUNED].mean == pytest.approx(asked.scores(found.choice, which).mean())
    assert "change" in found.verdict


def test_the_questions_kept_out_are_not_chosen_on(found):
    assert not set(found.used) & set(found.kept)
    assert len(found.used) == len(found.kept) == 24
    every = {question_digest(one) for one in library.golden().questions}
    assert set(found.used) | set(found.kept) == every


def test_no_question_that_is_kept_out_is_looked_at_before_the_end(asked):
    """Judged anew with the kept-out questions spoilt, the same is chosen."""
    first = tune(asked, splits=1, skip=SLOW)
    spoilt = [
        replace(case, gathered=None) if question_digest(case.question) in first.kept else case
        for case in asked.cases
    ]
    again = tune(type(asked)(asked.engine, asked._resolved, spoilt), splits=1, skip=SLOW)
    assert again.choice == first.choice
    assert again.choice
    assert again.held_out == first.held_out
    assert again.kept_out != first.kept_out


def test_values_have_intervals_and_say_how_often_they_were_chosen(found):
    used = Settings().fusion.method
    alpha = next(one for one in found.surfaces if one.parameter.title == f"fusion.alpha ({used})")
    assert [one.now for one in alpha.points].index(True) == 10
    assert alpha.points[2].gives.mean > alpha.points[10].gives.mean + 0.1
    assert all(one.gives.low <= one.gives.mean <= one.gives.high for one in alpha.points)
    method = next(one for one in found.surfaces if one.parameter.name == "fusion.method")
    assert sum(one.chosen for one in method.points) == 4  # halves of two splits


def test_progress_is_told_to_the_end(found, seen):
    assert seen.stages["trying"][0] == sum(len(one.points) for one in found.surfaces)
    for total, done in seen.stages.values():
        assert total == done


def test_labels_without_rhyme_or_reason_change_nothing(space):
    golden = library.golden()
    others = [one.judgements for one in golden.questions]
    random.Random(8).shuffle(others)
    questions = zip(golden.questions, others, strict=True)
    golden = replace(golden, questions=tuple(replace(a, judgements=b) for a, b in questions))
    got = tune(replay(space.engine, resolve(golden, space.catalogue)), splits=1, skip=SLOW)
    assert not got.recommended
    assert "keep what you have" in got.verdict


def test_a_gain_must_be_larger_than_its_error():
    assert worth(np.array([0.1, 0.2, 0.1, 0.2]))
    assert not worth(np.array([1.0, -0.9, 0.9, -0.8]))
    assert not worth(np.zeros(4))


def test_too_few_questions_are_refused(asked):
    few = type(asked)(asked.engine, asked._resolved, asked.cases[:10])
    with pytest.raises(UsageError, match="at least 8 are needed"):
        tune(few)
    with pytest.raises(UsageError, match="below 1"):
        tune(asked, keep_out=1.0)


def test_nothing_kept_out_means_all_are_used(asked):
    few = type(asked)(asked.engine, asked._resolved, asked.cases[:12])
    found = tune(few, keep_out=0, splits=1, skip=SLOW)
    assert found.kept_out is None
    assert found.kept == ()
    assert len(found.used) == 12


def test_an_intent_has_an_alpha_of_its_own_where_there_is_enough(asked, monkeypatch):
    which = range(len(asked))
    intents = ["path"] * ENOUGH + ["open"] * (len(asked) - ENOUGH)
    monkeypatch.setattr(type(asked), "intents", property(lambda _: intents))
    alphas = intent_alphas(asked, {}, which)
    assert set(alphas) == {"path", "open"}
    assert all(value < 0.8 for value in alphas.values())
    intents[:2] = ["open", "open"]
    assert set(intent_alphas(asked, {}, which)) == {"open"}  # too few of the other: it backs off
    assert intent_alphas(asked, {"fusion.method": "rrf"}, which) == {}


def test_intents_that_want_opposite_things_each_get_what_they_want(space, asked, monkeypatch):
    """What meaning puts first is right for one intent, what words put first for the other."""
    monkeypatch.setattr(choosing, "ENOUGH", 5)
    wants = {"short": "documents/dense", "long": "documents/bm25"}
    questions = []
    for case in asked.cases:
        rankings = {one.source: one.found for one in case.gathered.found.rankings}
        best = rankings[wants[case.question.category]][0].id
        text = space.catalogue.get([best])[best].text
        judgement = Judgement(document="library.md", quote=" ".join(text.split()[:15]))
        questions.append(replace(case.question, judgements=(judgement,)))
    golden = replace(library.golden(), questions=tuple(questions))
    other = replay(space.engine, resolve(golden, space.catalogue))
    intents = [case.question.category for case in other.cases]
    monkeypatch.setattr(type(other), "intents", property(lambda _: intents))
    cases = zip(other.cases, intents, strict=True)
    other.cases = tuple(
        replace(case, gathered=replace(case.gathered, plan=replace(case.gathered.plan, intent=one)))
        for case, one in cases
    )
    planned = {case.query.text: case.gathered.plan.intent for case in other.cases}
    real = replay_module.plan
    monkeypatch.setattr(
        replay_module,
        "plan",
        lambda query, knowledge: replace(real(query, knowledge), intent=planned[query.text]),
    )
    alone = [one.title for one in parameters_of(other.engine) if one.name != "fusion.alpha"]
    got = tune(other, splits=2, keep_out=0, skip=[*alone, "fusion.alpha (convex)"])
    assert got.recommended, got.verdict
    alphas = got.choice["fusion.alphas"]
    assert alphas.get("long", got.choice.get("fusion.alpha", 1.0)) < 0.5
    assert alphas.get("short", got.choice.get("fusion.alpha", 1.0)) > 0.5
    assert got.held_out.compared(PER_INTENT, TUNED).gain.mean > 0.05
    assert rewritten("", got.choice).count("alphas") == 1


# --- what is not connected --------------------------------------------------------------


def test_a_range_that_changes_nothing_is_reported_with_its_likely_reason(found):
    assert [one.parameter.name for one in found.unconnected] == ["refine.blend"]
    assert "no reranker" in found.unconnected[0].reason


def test_with_one_source_there_is_nothing_to_fuse(space):
    sources = {"documents/bm25": space.engine.sources["documents/bm25"]}
    knowledge = replace(space.engine.knowledge, sources={"documents/bm25": "documents"})
    engine = replace(space.engine, sources=sources, knowledge=knowledge)
    asked = replay(engine, resolve(library.golden(16), space.catalogue))
    got = tune(asked, splits=1, keep_out=0)
    reasons = {one.parameter.title: one.reason for one in got.unconnected}
    for name in ("fusion.method", "fusion.k (rrf)", "fusion.alpha (convex)"):
        assert "only one source" in reasons[name]
    assert "only one source" in reasons["fusion.weights.bm25"]
    assert "refine.mmr" not in reasons


# --- writing ----------------------------------------------------------------------------


def test_settings_are_written_beside_what_stands_there():
    text = '# mine\npack = "general"  # keep\n\n[fusion]\nk = 7 # seven\n'
    new = rewritten(
        text, {"fusion.alpha": 0.2, "fusion.weights.bm25": 0.5, "fusion.k": 9.0, "refine.mmr": 1.0}
    )
    assert "# mine" in new
    assert "# keep" in new
    assert "# seven" in new
    assert re.search(r"k = 9\.0 +# seven", new)
    assert "alpha = 0.2" in new
    assert re.search(r"\[fusion\.weights\]\nbm25 = 0\.5", new)
    with pytest.raises(UsageError, match="not valid TOML"):
        rewritten("[fusion", {"fusion.k": 1})


def test_applying_writes_settings_and_a_record_of_the_questions(found, tmp_path):
    init_workspace(tmp_path)
    (tmp_path / ".consilience").mkdir(exist_ok=True)
    lines = difference(tmp_path, found.choice)
    assert any(line.startswith("+alpha = ") for line in lines)
    before = read_settings(tmp_path)
    assert before.fusion.alpha == 0.5
    written, overridden = apply(tmp_path, found, golden="g", fingerprint="f")
    assert not overridden
    assert read_settings(tmp_path).fusion.alpha == found.choice["fusion.alpha"]
    record = json.loads(written[1].read_text())
    assert written[1] == tmp_path / ".consilience" / "tuned.json"
    assert record == record_of(found, golden="g", fingerprint="f")
    assert record["questions"] == list(found.used)
    assert record["held_out"] == list(found.kept)
    assert record["settings"] == dict(found.choice)
    assert record["held_out_gain"]["mean"] > 0
    assert (record["golden"], record["fingerprint"]) == ("g", "f")


def test_a_variable_that_overrides_what_was_written_is_told_of(found, tmp_path, monkeypatch):
    init_workspace(tmp_path)
    (tmp_path / ".consilience").mkdir(exist_ok=True)
    monkeypatch.setenv("CONSILIENCE_FUSION_ALPHA", "0.9")
    _, overridden = apply(tmp_path, found, golden="g", fingerprint="f")
    assert overridden == ["fusion.alpha"]


def test_the_page_needs_nothing_but_itself(found):
    text = page(found, name="<script>alert(1)</script>")
    assert "<script" not in text
    assert not re.search(r"(src|href)=.https?:", text)
    for surface in found.surfaces:
        assert f'aria-label="{surface.parameter.title}"' in text
    assert text.count("<svg") == len(found.surfaces) + 2
    assert found.verdict in text.replace("&#x27;", "'")
    plain = json.loads(json.dumps(as_json(found)))
    assert plain["recommended"] is True
    assert plain["not_connected"] == {"refine.blend": found.unconnected[0].reason}


# --- the command ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace as a person has one, with a model that comes along."""
    home = tmp_path_factory.mktemp("tuned") / "space"
    init_workspace(home)
    with (home / "consilience.toml").open("a") as stream:
        stream.write('\n[models]\nembed = "fast"\n\n[fusion]\nalpha = 1.0  # all meaning\n')
    library.write(home)
    with open_workspace(home) as space:
        space.add([home / "library.md"])
    write_golden(library.golden(), home / "golden.yaml")
    return home


def test_the_command_tells_applies_and_exits_with_3_where_something_is_not_connected(folder):
    out = folder / "tuning.html"
    command = ["tune", "-w", str(folder), "--splits", "1", "--report", str(out), "--apply"]
    command += [f"--skip={one}" for one in SLOW]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == NOT_CONNECTED, result.output
    assert "not connected: refine.blend" in result.output
    assert "held-out halves" in result.output
    assert "+alpha = " in result.output
    assert "change: the held-out halves show" in result.output
    assert out.read_text().startswith("<!doctype html>")
    written = (folder / "consilience.toml").read_text()
    assert "# all meaning" in written
    assert read_settings(folder).fusion.alpha < 1
    record = json.loads((folder / ".consilience" / "tuned.json").read_text())
    assert record["golden"] == golden_digest(library.golden())
    assert len(record["questions"]) == len(record["held_out"]) == 24


def test_the_command_gives_json_and_exits_with_0_where_all_is_connected(folder):
    quick = [f"--skip={one}" for one in ("refine.blend", *SLOW)]
    command = ["tune", "-w", str(folder), "--splits", "1", "--json", *quick]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["questions"] == {"tuning": 24, "kept_out": 24}
    assert "fusion.method" not in {one["name"] for one in found["parameters"]}
