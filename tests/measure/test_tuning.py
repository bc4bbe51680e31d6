"""Does tuning find what helps, and does it say so only where other questions show it?"""

import json
import random
import re
from dataclasses import replace

import library_shared as library
import numpy as np
import pytest

from consilience.errors import StoreError, UsageError
from consilience.measure.golden import question_digest, write_atomically
from consilience.measure.label_resolver import resolve
from consilience.measure.report import tuning_report
from consilience.measure.seen_questions import SeenQuestions as Known
from consilience.measure.seen_questions import read_seen_questions as seen_in
from consilience.measure.statistics import stratified_split
from consilience.measure.tuning import (
    CHOSEN,
    CURRENT,
    apply_tuning,
    case_digests,
    diff_settings,
    forget_tuning,
    list_parameters,
    reads_option,
    record_of,
    record_replay,
    rewrite_settings,
    split_cases,
    split_questions,
    tune,
    worth,
)
from consilience.settings import Settings, read_settings
from consilience.workspace import init_workspace

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
    return record_replay(space.engine, resolve(library.golden(), space.catalogue))


@pytest.fixture(scope="module")
def seen():
    return Seen()


@pytest.fixture(scope="module")
def found(asked, seen):
    return tune(asked, skip=SLOW[1:], progress=seen)


# --- parts of the questions -------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.8])
def test_parts_have_their_share_of_every_group(share):
    groups = ["a"] * 40 + ["b"] * 20 + ["c"] * 3
    random.Random(4).shuffle(groups)
    part, rest = stratified_split(groups, share, seed=2)
    assert sorted(part + rest) == list(range(63))
    assert abs(len(part) - 63 * share) <= 1
    for name in "abc":
        count = groups.count(name)
        assert abs(sum(groups[one] == name for one in part) - count * share) <= 1


def test_the_same_text_is_never_in_both_parts(asked):
    double = [
        replace(case, question=replace(case.question, id=f"{case.question.id} again"))
        for case in asked.cases
    ]
    twice = type(asked)(asked.engine, asked.resolved, [*asked.cases, *double])
    for seed in range(3):
        one, other = split_cases(twice, range(96), 0.5, seed)
        assert len(one) == len(other) == 48
        assert not set(case_digests(twice, one)) & set(case_digests(twice, other))


# --- what is tried ----------------------------------------------------------------------


def test_the_ranges_are_those_that_are_promised(asked):
    tried = {one.title: [move.value for move in one.moves] for one in list_parameters(asked.engine)}
    assert tried["fusion.k (rrf)"] == [1, 5, 10, 20, 40, 60, 100]
    assert tried["fusion.alpha (convex)"] == pytest.approx([n / 10 for n in range(11)])
    assert tried["retrieve.depth"] == [10, 20, 50, 100]
    assert tried["refine.mmr"] == [0.7, 0.8, 0.9, 1]
    ranked = replace(asked.engine, reranker=object())
    blend = next(one for one in list_parameters(ranked) if one.name == "refine.blend")
    assert (blend.moves[0].value, blend.moves[-1].value) == (0, 0.6)
    for kind in ("bm25", "dense"):
        weights = tried[f"fusion.weights.{kind}"]
        assert (min(weights), max(weights)) == (0, 1)
    assert {"rrf", "convex", "dbsf", "combsum", "borda", "isr"} <= set(tried["fusion.method"])


def test_which_fusers_read_what_is_found_by_trying():
    assert reads_option("rrf", "k")
    assert not reads_option("rrf", "alpha")
    assert reads_option("convex", "alpha")
    assert not reads_option("convex", "k")


def test_a_parameter_can_be_left_alone(asked):
    names = [one.name for one in list_parameters(asked.engine, skip=["refine.blend", "fusion.k"])]
    assert "refine.blend" not in names
    assert "fusion.k" not in names
    assert "refine.mmr" in names
    with pytest.raises(UsageError, match=r"refine\.mrr.*known:.*refine\.mmr"):
        list_parameters(asked.engine, skip=["refine.mrr"])


# --- choosing ---------------------------------------------------------------------------


def test_it_finds_what_helps_and_shows_it_on_other_questions(asked, found):
    assert found.recommended, found.verdict
    kept = found.kept_out
    assert kept.means[CHOSEN].mean > kept.means[CURRENT].mean + 0.1
    assert kept.compared(CHOSEN, CURRENT).p_corrected < 0.05
    assert set(kept.means) == {CURRENT, CHOSEN, "documents/bm25", "documents/dense"}
    which = [n for n, c in enumerate(asked.cases) if question_digest(c.question) in found.kept]
    assert kept.means[CHOSEN].mean == pytest.approx(asked.scores(found.choice, which).mean())
    assert "change" in found.verdict


def test_the_questions_kept_out_are_not_chosen_on(found):
    assert not set(found.used) & set(found.kept)
    assert len(found.used) == len(found.kept) == 24
    every = {question_digest(one) for one in library.golden().questions}
    assert set(found.used) | set(found.kept) == every


def test_values_have_intervals(found):
    used = Settings().fusion.method
    alpha = next(one for one in found.surfaces if one.parameter.title == f"fusion.alpha ({used})")
    assert [one.now for one in alpha.points].index(True) == 10
    assert alpha.points[2].gives.mean > alpha.points[10].gives.mean + 0.1
    assert all(one.gives.low <= one.gives.mean <= one.gives.high for one in alpha.points)


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
    got = tune(record_replay(space.engine, resolve(golden, space.catalogue)), skip=SLOW)
    assert not got.recommended
    assert "keep what you have" in got.verdict


def test_a_gain_must_be_larger_than_its_error():
    assert worth(np.array([0.1, 0.2, 0.1, 0.2]))
    assert not worth(np.array([1.0, -0.9, 0.9, -0.8]))
    assert not worth(np.zeros(4))


def test_too_few_questions_are_refused(asked):
    few = type(asked)(asked.engine, asked.resolved, asked.cases[:10])
    with pytest.raises(UsageError, match="at least 8 are needed"):
        tune(few)
    for share in (0.0, 1.0):
        with pytest.raises(UsageError, match="below 1"):
            tune(asked, keep_out=share)


# --- what is not connected --------------------------------------------------------------


def test_without_a_reranker_nothing_of_it_is_tried_and_that_is_said(found):
    assert set(found.untried) == {"models.rerank", "refine.blend"}
    assert "no reranker" in found.untried["refine.blend"]
    assert not found.unconnected
    assert not {one.parameter.name for one in found.surfaces} & set(found.untried)


def test_a_range_that_changes_nothing_is_reported_with_its_likely_reason(space, asked):
    settings = replace(
        space.settings, retrieve=replace(space.settings.retrieve, depths={"documents": 20})
    )
    knowledge = replace(space.engine.knowledge, settings=settings)
    engine = replace(space.engine, settings=settings, knowledge=knowledge)
    others = [one.title for one in list_parameters(engine) if one.name != "retrieve.depth"]
    got = tune(record_replay(engine, asked.resolved), skip=others)
    assert [one.parameter.name for one in got.unconnected] == ["retrieve.depth"]
    assert "retrieve.depths decides it" in got.unconnected[0].reason


def test_with_one_source_there_is_nothing_to_fuse(space):
    sources = {"documents/bm25": space.engine.sources["documents/bm25"]}
    knowledge = replace(space.engine.knowledge, sources={"documents/bm25": "documents"})
    engine = replace(space.engine, sources=sources, knowledge=knowledge)
    asked = record_replay(engine, resolve(library.golden(16), space.catalogue))
    got = tune(asked, keep_out=0.25)
    reasons = {one.parameter.title: one.reason for one in got.unconnected}
    for name in ("fusion.method", "fusion.k (rrf)", "fusion.alpha (convex)"):
        assert "only one source" in reasons[name]
    assert "only one source" in reasons["fusion.weights.bm25"]
    assert "refine.mmr" not in reasons


# --- writing ----------------------------------------------------------------------------


def test_settings_are_written_beside_what_stands_there():
    text = '# mine\npack = "general"  # keep\n\n[fusion]\nk = 7 # seven\n'
    new = rewrite_settings(
        text, {"fusion.alpha": 0.2, "fusion.weights.bm25": 0.5, "fusion.k": 9.0, "refine.mmr": 1.0}
    )
    assert "# mine" in new
    assert "# keep" in new
    assert "# seven" in new
    assert re.search(r"k = 9\.0 +# seven", new)
    assert "alpha = 0.2" in new
    assert re.search(r"\[fusion\.weights\]\nbm25 = 0\.5", new)
    with pytest.raises(UsageError, match="not valid TOML"):
        rewrite_settings("[fusion", {"fusion.k": 1})


def test_applying_writes_settings_and_a_record_of_the_questions(found, tmp_path):
    init_workspace(tmp_path)
    (tmp_path / ".consilience").mkdir(exist_ok=True)
    lines = diff_settings(tmp_path, found.choice)
    assert any(line.startswith("+alpha = ") for line in lines)
    before = read_settings(tmp_path)
    assert before.fusion.alpha == 0.5
    written, overridden = apply_tuning(tmp_path, found, golden="g", fingerprint="f")
    assert not overridden
    assert read_settings(tmp_path).fusion.alpha == found.choice["fusion.alpha"]
    record = json.loads(written[1].read_text())
    assert written[1] == tmp_path / ".consilience" / "tuned.json"
    assert record == record_of(found, {}, golden="g", fingerprint="f")
    assert record["questions"] == list(found.used)
    assert record["held_out"] == list(found.kept)
    assert record["settings"] == dict(found.choice)
    assert record["held_out_gain"]["mean"] > 0
    assert (record["golden"], record["fingerprint"]) == ("g", "f")


def test_what_was_tuned_on_once_stays_on_record(found, tmp_path):
    """Tuned again with the halves exchanged, no question becomes one held out."""
    init_workspace(tmp_path)
    (tmp_path / ".consilience").mkdir(exist_ok=True)
    apply_tuning(tmp_path, found, golden="g", fingerprint="f")
    apply_tuning(
        tmp_path,
        replace(found, used=(*found.kept[:5], "new"), kept=(*found.used, "more")),
        golden="g",
        fingerprint="f",
    )
    known = seen_in(tmp_path)
    assert known.tuned == {*found.used, *found.kept[:5], "new"}
    assert known.kept_out == {*found.kept[5:], "more"}
    assert forget_tuning(tmp_path)
    assert seen_in(tmp_path) == seen_in(tmp_path / "elsewhere")
    assert not forget_tuning(tmp_path)


def test_what_was_kept_out_or_used_before_stays_so(asked):
    every = [question_digest(case.question) for case in asked.cases]
    before = Known(
        tuned=frozenset(every[:16]),
        held_out=frozenset(every[12:30]),  # the first four of them were tuned on since
    )
    again = type(asked)(asked.engine, asked.resolved, asked.cases, before)
    for seed in range(3):
        kept, used = split_questions(again, 0.5, seed)
        assert set(range(16)) <= set(used)
        assert set(range(16, 30)) <= set(kept)
        assert len(kept) == 14 + 9
        assert sorted([*kept, *used]) == list(range(48))
    assert split_questions(again, 0.5, 1) != split_questions(again, 0.5, 2)


def test_records_are_read_from_where_each_command_leaves_them(tmp_path):
    store = tmp_path / ".consilience"
    store.mkdir()
    assert seen_in(tmp_path) == Known()
    (store / "tuned.json").write_text('{"questions": ["a"], "held_out": ["b", "c"]}')
    (store / "relevance.json").write_text('{"questions": 3, "digests": ["e"]}')
    found = seen_in(tmp_path)
    assert (found.tuned, found.calibrated) == ({"a"}, {"e"})
    assert found.kept_out == {"b", "c"}


@pytest.mark.parametrize("text", ["{", "[]", '{"questions": 3}', '{"held_out": [1]}'])
def test_a_record_that_cannot_be_read_is_refused(tmp_path, text):
    (tmp_path / ".consilience").mkdir()
    (tmp_path / ".consilience" / "tuned.json").write_text(text)
    with pytest.raises(UsageError, match=r"tuned\.json.*--forget"):
        seen_in(tmp_path)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.json"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(StoreError, match="cannot write"):
        write_atomically(folder, "text")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.json", "folder"]


def test_the_page_needs_nothing_but_itself(found):
    text = tuning_report(found, name="<script>alert(1)</script>")
    assert "<script" not in text
    assert not re.search(r"(src|href)=.https?:", text)
    for surface in found.surfaces:
        assert f'aria-label="{surface.parameter.title}"' in text
    assert text.count("<svg") == len(found.surfaces) + 1
    assert found.verdict in text.replace("&#x27;", "'")
    assert "<h2>Not tried</h2>" in text
    plain = json.loads(json.dumps(found.as_json()))
    assert plain["recommended"] is True
    assert plain["not_tried"] == dict(found.untried)
    assert plain["not_connected"] == {}
