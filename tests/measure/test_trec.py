"""Runs and judgements go out and come back; other tools see our order."""

import gzip
import json

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.measure import trec
from consilience.measure.data_model import Answer, Golden, ResolvedLabels, Run, Way
from consilience.measure.label_resolver import resolve

WAY = Way(name="all merged", kind="other")


def run_of(passages, scores):
    return Run(way=WAY, answers={"q": Answer(question="q", passages=passages, scores=scores)})


def test_a_run_goes_out_and_comes_back(tmp_path):
    path = tmp_path / "run.trec"
    trec.write_run(run_of(("b", "a", "c"), (3.0, 1.5, 1.0)), path)
    assert path.read_text().splitlines()[0] == "q Q0 b 1 3 all␣merged"
    found = trec.read_run(path)
    assert found.way == WAY
    assert found.answers["q"].passages == ("b", "a", "c")
    assert found.answers["q"].scores == (3.0, 1.5, 1.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_written_scores_fall_even_in_single_precision(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("runs") / "run.trec"
    passages = tuple(f"d{number:02}" for number in range(len(scores)))
    trec.write_run(run_of(passages, tuple(scores)), path)
    assert trec.read_run(path).answers["q"].passages == passages
    with path.open() as stream:
        read = pytrec_eval.parse_run(stream)
    for number, one in enumerate(passages):
        found = pytrec_eval.RelevanceEvaluator({"q": {one: 1}}, {"recip_rank"}).evaluate(read)
        assert found["q"]["recip_rank"] == pytest.approx(1 / (number + 1))


def test_a_run_of_units_goes_with_its_judgements(tmp_path):
    golden = Golden(name="g", questions=())
    homes = {"p1": "my file.pdf", "p2": "my file.pdf", "p3": "other.pdf"}
    grades = {"q": {"my file.pdf": 2, "other.pdf": 0}}
    resolved = ResolvedLabels(golden=golden, grades=grades, strict={}, lenient={}, homes=homes)
    trec.write_run(run_of(("p3", "p1", "p2"), (0.5, 0.5, 0.1)), tmp_path / "r", resolved)
    trec.write_qrels(grades, tmp_path / "q")
    with (tmp_path / "r").open() as run, (tmp_path / "q").open() as qrels:
        tool = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"recip_rank"})
        assert tool.evaluate(pytrec_eval.parse_run(run))["q"]["recip_rank"] == 0.5
    assert trec.read_qrels(tmp_path / "q") == grades
    again = trec.read_run(tmp_path / "r").answers["q"].passages
    assert resolved.order("q", again) == ["other.pdf", "my file.pdf"]


def test_a_run_is_read_by_score_and_by_rank_where_scores_tie(tmp_path):
    path = tmp_path / "run"
    path.write_text("q Q0 c 3 0.5 x\nq Q0 a 2 0.5 x\n\nq Q0 b 1 0.9 x\nr Q0 b 1 1 x\n")
    found = trec.read_run(path)
    assert found.answers["q"].passages == ("b", "a", "c")
    assert set(found.answers) == {"q", "r"}


def test_packed_files_are_read_and_written(tmp_path):
    trec.write_run(run_of(("a",), (1.0,)), tmp_path / "run.gz")
    assert gzip.decompress((tmp_path / "run.gz").read_bytes()).startswith(b"q Q0 a 1 1")
    assert trec.read_run(tmp_path / "run.gz").answers["q"].passages == ("a",)


def test_judgements_go_out_and_come_back(tmp_path):
    grades = {"1": {"a": 2, "b": 0}, "2": {"a": -1}}
    trec.write_qrels(grades, tmp_path / "qrels")
    assert trec.read_qrels(tmp_path / "qrels") == grades
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta b\t2\n")
    assert trec.read_qrels(tmp_path / "beir.tsv") == {"1": {"a b": 2}}


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (trec.read_run, "q Q0 a 1 1 x\nq Q0 b 2\n", "line 2: 'q Q0 b 2' is not 6 columns"),
        (trec.read_run, "q Q0 a 1 high x\n", "line 1: .* a number as score"),
        (trec.read_run, "q Q0 a 1 2 x\nq Q0 a 2 1 x\n", "gives a document twice"),
        (trec.read_qrels, "q 0 a 1\nq 0 b much\n", "line 2: .* a whole number as grade"),
        (trec.read_qrels, "q 0 a much\n", "line 1: .* a whole number as grade"),
        (trec.read_qrels, "q a\n", "line 1: 'q a' is not question"),
    ],
)
def test_bad_lines_are_named(tmp_path, read, text, told):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(UsageError, match=told):
        read(path)
    with pytest.raises(UsageError, match="could not be read"):
        read(tmp_path / "nothing")


# --- BEIR -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "lights"
    (home / "qrels").mkdir(parents=True)
    texts = {
        "r1": "Robert Stevenson built a tower on a reef off Arbroath in the North Sea.",
        "r2": "Fresnel arranged prisms in rings around a lamp, and light went far out.",
    }
    corpus = [{"_id": key, "title": f"On {key}", "text": text} for key, text in texts.items()]
    queries = [{"_id": "1", "text": "who built it?"}, {"_id": "2", "text": "unjudged"}]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (home / f"{name}.jsonl").write_text(lines)
    (home / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tr1\t2\n1\tr2\t0\n")
    return home


def test_a_beir_folder_is_a_golden_set_of_its_judged_questions(folder):
    golden = trec.read_beir(folder)
    assert (golden.name, golden.by) == ("lights", "_id")
    (question,) = golden.questions
    assert (question.id, question.text) == ("1", "who built it?")
    assert [one.fields["_id"] for one in question.judgements] == ["r1", "r2"]
    assert [one.grade for one in question.judgements] == [2, 0]
    assert trec.read_beir(folder, by="document").questions[0].judgements[0].document == "r1"


def test_a_beir_folder_resolves_in_a_workspace_that_has_its_corpus(folder, opened):
    space = opened()
    space.add([folder / "corpus.jsonl"])
    resolved = resolve(trec.read_beir(folder), space.catalogue)
    assert set(resolved.homes.values()) == {"r1", "r2"}
    assert resolved.grades["1"] == {"r1": 2, "r2": 0}


def test_packed_parts_are_found_and_missing_ones_named(folder):
    for name in ("queries.jsonl", "qrels/test.tsv"):
        path = folder / name
        (folder / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert len(trec.read_beir(folder).questions) == 1
    with pytest.raises(UsageError, match="no judgements 'dev'; it has test"):
        trec.read_beir(folder, "dev")


def test_judgements_of_unknown_questions_and_bad_queries_are_refused(folder):
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n9\tr1\t1\n")
    with pytest.raises(UsageError, match="such as '9'"):
        trec.read_beir(folder, "train")
    (folder / "queries.jsonl").write_text('{"_id": "1"}\n')
    with pytest.raises(UsageError, match=r"queries.jsonl, line 1"):
        trec.read_beir(folder)
