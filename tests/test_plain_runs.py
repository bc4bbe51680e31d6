"""Rankings and runs as plain values: fused, scored, and refused where they are none."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import consilience
from consilience.errors import UsageError

BM25, DENSE = {"b": 5.0, "a": 9.0}, ["b", "c"]
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"c": 1.0}}
QRELS = {"q1": {"b": 1, "d": 2}, "q2": {"c": 1}, "q3": {"a": 1}, "q4": {"a": 0}}


def test_dicts_and_lists_are_fused_by_the_formula():
    fused = consilience.fuse({"bm25": BM25, "dense": DENSE}, method="rrf")
    assert list(fused.items()) == [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]
    votes = fused.votes("b")
    assert [(vote.source, vote.rank) for vote in votes] == [("bm25", 2), ("dense", 1)]
    assert math.fsum(vote.contribution for vote in votes) == pytest.approx(fused["b"])


def test_a_dict_is_ordered_by_its_scores_and_pairs_as_they_stand():
    pairs = [("a", 9.0), ("b", np.float32(5))]
    assert consilience.fuse({"x": BM25}) == consilience.fuse({"x": pairs})
    assert list(consilience.fuse({"x": dict(reversed(pairs))})) == ["a", "b"]


def test_k_alpha_and_weights_count():
    both = {"bm25": BM25, "dense": {"b": 0.9, "c": 0.5}}
    assert consilience.fuse(both, k=0)["b"] == 1 / 2 + 1
    assert consilience.fuse(both, weights={"bm25": 3})["a"] == 3 / 61
    assert consilience.fuse(both, method="convex", alpha=1)["b"] == 1
    assert consilience.fuse(both, method="convex", alpha=0)["b"] == 0


@pytest.mark.parametrize(
    ("rankings", "options", "message"),
    [
        ({}, {}, "give rankings by name"),
        ([BM25], {}, "give rankings by name"),
        ({"a": "text"}, {}, "'a' is 'text'"),
        ({"a": {"x": float("nan")}}, {}, "'a' gives 'x' the score nan"),
        ({"a": {"x": None}}, {}, "the score None"),
        ({"a": {"x": True}}, {}, "the score True"),
        ({"a": ["x", "y", "x"]}, {}, "'a' has 'x' twice"),
        ({"a": [("x", 1.0), ("y", 2.0)]}, {}, "rise at place 2"),
        ({"a": ["x", ("y", 2.0)]}, {}, "with scores and ids without"),
        ({"a": [("x", 1, 2)]}, {}, "at place 1; give ids"),
        ({"a": {1: 2.0}}, {}, "has the id 1"),
        ({"a": BM25}, {"method": "rff"}, "unknown fusion method 'rff'; known: rrf"),
        ({"a": BM25}, {"method": "adaptive"}, "needs the vectors of a workspace"),
        ({"a": BM25}, {"alpha": 0.5}, "alpha changes nothing under 'rrf'"),
        ({"a": BM25}, {"method": "dbsf", "k": 60}, "k changes nothing under 'dbsf'"),
        ({"a": BM25}, {"method": "convex"}, "weighs the ranking called 'dense'"),
        ({"a": DENSE}, {"method": "dbsf"}, "adds scores, and 'a' is a list of ids"),
        ({"a": BM25}, {"weights": {"b": 1}}, "`weights` names 'b'"),
        ({"a": BM25}, {"weights": {"a": -1}}, "finite number of 0 or more"),
    ],
)
def test_what_cannot_be_fused_is_refused_with_the_reason(rankings, options, message):
    with pytest.raises(UsageError, match=message):
        consilience.fuse(rankings, **options)


def test_every_method_that_is_listed_fuses():
    both = {"bm25": BM25, "dense": {"b": 0.9, "c": 0.5}}
    for method in consilience.fusion_methods():
        assert set(consilience.fuse(both, method=method)) == {"a", "b", "c"}


def test_runs_are_fused_by_question_and_one_may_lack_some():
    fused = consilience.fuse_runs({"one": RUN, "two": {"q2": ["a", "c"]}}, weights={"two": 2})
    assert fused["q1"] == consilience.fuse({"one": RUN["q1"]})
    assert fused["q2"] == consilience.fuse(
        {"one": {"c": 1.0}, "two": ["a", "c"]}, weights={"two": 2}
    )
    with pytest.raises(UsageError, match="`weights` names 'three'"):
        consilience.fuse_runs({"one": RUN}, weights={"three": 1})


def test_every_judged_question_counts():
    scores = consilience.score_run(RUN, QRELS, "nDCG@10", "MRR@10", "Hit@1")
    by_hand = (1 / math.log2(3)) / (2 / math.log2(2) + 1 / math.log2(3))
    assert scores.by_question["nDCG@10"] == pytest.approx({"q1": by_hand, "q2": 1, "q3": 0})
    assert scores["MRR@10"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert scores["Hit@1"] == pytest.approx(1 / 3)
    assert list(consilience.score_run(RUN, QRELS)) == ["nDCG@10", "Recall@100", "MRR@10"]
    assert consilience.score_run({}, QRELS)["nDCG@10"] == 0


SCORES = st.integers(0, 4).map(float)  # few: ties are frequent
RUNS = st.dictionaries(
    st.sampled_from(("q1", "q2")),
    st.dictionaries(st.sampled_from(("d1", "d10", "d2", "d3")), SCORES, min_size=1),
    min_size=1,
)


@given(RUNS)
def test_ties_are_ordered_as_trec_eval_does(run):
    qrels = {"q1": {"d2": 1, "d10": 2}, "q2": {"d1": 1}}
    ours = consilience.score_run(run, qrels, "nDCG@3", "MRR@10").by_question
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.3", "recip_rank"}).evaluate(run)
    for name, key in (("nDCG@3", "ndcg_cut_3"), ("MRR@10", "recip_rank")):
        values = {q: theirs.get(q, {}).get(key, 0.0) for q in qrels}
        assert ours[name] == pytest.approx(values), run


def test_files_of_trec_are_read(tmp_path):
    (tmp_path / "run.trec").write_text("q1 Q0 a 1 3.0 x\nq1 Q0 b 2 2.0 x\nq2 Q0 c 1 1.0 x\n")
    (tmp_path / "qrels").write_text("q1 0 b 1\nq2 0 c 1\n")
    run, qrels = str(tmp_path / "run.trec"), tmp_path / "qrels"
    assert consilience.score_run(run, qrels, "MRR@10")["MRR@10"] == 0.75
    assert list(consilience.fuse_runs({"a": run, "b": {"q1": ["b"]}})["q1"]) == ["b", "a"]


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"q1": {"a": 0}}, "grade nothing above 0"),
        ({"q1": ["a"]}, "give whole numbers"),
        ({"q1": {"a": 0.5}}, "give whole numbers"),
        ("nowhere.qrels", "nowhere.qrels"),
    ],
)
def test_judgements_that_are_none_are_refused(qrels, message):
    with pytest.raises(UsageError, match=message):
        consilience.score_run(RUN, qrels)
    with pytest.raises(UsageError, match="no measure is called 'ndgc'"):
        consilience.score_run(RUN, QRELS, "ndgc")


def test_no_engine_store_or_model_is_loaded():
    code = (
        "import sys, consilience; consilience.fuse({'a': ['x']});"
        "consilience.score_run({'q': ['x']}, {'q': {'x': 1}});"
        "print([m for m in sys.modules if m.split('.')[-1] in ('pipeline', 'retrieve', 'stores',"
        " 'workspace', 'qdrant_edge', 'duckdb', 'ladybug', 'onnxruntime', 'models')])"
    )
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=path)
    assert found.stdout.strip() == "[]"
