"""Measures equal those of the public tools, and count every question."""

import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from passages_shared import make_passage

from consilience.errors import UsageError
from consilience.measure import metrics
from consilience.measure.data_model import (
    Answer,
    Fact,
    Golden,
    Judgement,
    Question,
    ResolvedLabels,
    Run,
    Way,
)
from consilience.measure.metrics import MEASURES, PRIMARY, score
from consilience.measure.trec import read_beir
from consilience.types import Locator

CRANFIELD = Path(__file__).parents[3] / "shared" / "data" / "ir_cranfield"
WAY = Way(name="merged", kind="merged")
TOOLS = {
    "nDCG@10": "ndcg_cut_10",
    "P@5": "P_5",
    "R@20": "recall_20",
    "R@100": "recall_100",
    "Hit@5": "success_5",
    "AP": "map",
    "Rprec": "Rprec",
    "MRR": "recip_rank",
}


def answer(question, *passages, ms=0.0, refused=False):
    falling = tuple(float(-place) for place in range(len(passages)))
    return Answer(question=question, passages=passages, scores=falling, ms=ms, refused=refused)


def run_of(**answers):
    return Run(way=WAY, answers={key: answer(key, *found) for key, found in answers.items()})


def by_document(grades, found):
    """A set in which every passage is a document of its own."""
    questions = tuple(
        Question(
            id=key,
            text=f"question {key}",
            judgements=tuple(Judgement(document=one, grade=grade) for one, grade in some.items()),
        )
        for key, some in grades.items()
    )
    ids = {one for some in (*grades.values(), *found.values()) for one in some}
    return ResolvedLabels(
        golden=Golden(name="set", questions=questions, by="document"),
        grades=grades,
        strict={},
        lenient={},
        homes={one: one for one in ids},
    )


def by_passage(*questions, units):
    """A set by passage; `units` are, by question, the judgement numbers that passages meet."""
    met = {
        key: {one: tuple(f"{key}#{number}" for number in numbers) for one, numbers in some.items()}
        for key, some in units.items()
    }
    return ResolvedLabels(
        golden=Golden(name="set", questions=questions),
        grades={
            one.id: {f"{one.id}#{n}": each.grade for n, each in enumerate(one.judgements, 1)}
            for one in questions
        },
        strict=met,
        lenient=met,
    )


def words(text):
    return re.findall(r"[a-z]{2,}", text.lower())


def bm25(texts, asked, depth=100):
    """Rankings by BM25, for a run that none of our parts made."""
    counts = {key: Counter(words(text)) for key, text in texts.items()}
    average = sum(sum(one.values()) for one in counts.values()) / len(counts)
    postings = defaultdict(list)
    for key, count in counts.items():
        length = 1.2 * (0.25 + 0.75 * sum(count.values()) / average)
        for word, times in count.items():
            postings[word].append((key, times * 2.2 / (times + length)))
    found = {}
    for question, text in asked.items():
        scores = Counter()
        for word in set(words(text)):
            rarity = math.log(1 + len(texts) / (1 + len(postings[word])))
            for key, part in postings[word]:
                scores[key] += rarity * part
        found[question] = [key for key, _ in scores.most_common(depth)]
    return found


def by_tool(grades, found):
    falling = {key: {one: -float(n) for n, one in enumerate(some)} for key, some in found.items()}
    families = {re.sub(r"_\d+$", "", tool) for tool in TOOLS.values()}
    judge = pytrec_eval.RelevanceEvaluator(grades, families)
    values = judge.evaluate({key: some for key, some in falling.items() if some})
    return {
        name: {key: values.get(key, {}).get(tool, 0.0) for key in grades}
        for name, tool in TOOLS.items()
    }


def agrees(grades, found):
    resolved = by_document(grades, found)
    run = Run(way=WAY, answers={key: answer(key, *some) for key, some in found.items()})
    ours = score(run, resolved, names=(*MEASURES, "AP", "Rprec", "MRR"))
    for name, values in by_tool(grades, found).items():
        assert ours[name] == pytest.approx(values, abs=1e-6), name
    scored = {key: {one: -float(n) for n, one in enumerate(some)} for key, some in found.items()}
    for one in ir_measures.iter_calc([ir_measures.RR @ 10], grades, scored):
        assert ours["MRR@10"][one.query_id] == pytest.approx(one.value, abs=1e-6)
    return ours


@pytest.mark.skipif(not CRANFIELD.exists(), reason="the public collections are not here")
def test_measures_equal_the_public_tools_on_a_public_run():
    golden = read_beir(CRANFIELD, by="document")
    grades = {
        one.id: {each.document: each.grade for each in one.judgements} for one in golden.questions
    }
    with (CRANFIELD / "corpus.jsonl").open(encoding="utf-8") as stream:
        texts = {one["_id"]: f"{one['title']} {one['text']}" for one in map(json.loads, stream)}
    found = bm25(texts, {one.id: one.text for one in golden.questions})
    ours = agrees(grades, found)
    assert len(ours[PRIMARY]) == 225
    assert 0.3 < sum(ours[PRIMARY].values()) / 225 < 0.5


documents = st.sampled_from([f"d{number}" for number in range(30)])
graded = st.dictionaries(documents, st.integers(0, 3), min_size=1, max_size=8).filter(
    lambda some: any(some.values())
)
rankings = st.lists(documents, unique=True, max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(graded, rankings), min_size=1, max_size=5))
def test_measures_equal_the_public_tools_on_any_run(rows):
    agrees(
        {f"q{number}": grades for number, (grades, _) in enumerate(rows)},
        {f"q{number}": found for number, (_, found) in enumerate(rows)},
    )


def test_no_results_and_no_answer_score_nothing_and_are_counted():
    grades = {"a": {"x": 1}, "b": {"x": 1}, "c": {"y": 2}}
    resolved = by_document(grades, {})
    run = run_of(a=("x",), b=())
    values = score(run, resolved)
    assert values[PRIMARY] == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert all(set(some) == {"a", "b", "c"} for some in values.values())
    assert metrics.unanswered(run, resolved.golden) == ["c"]
    assert score(run_of(), resolved)["Hit@5"] == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_our_order_stands_whatever_the_scores():
    resolved = by_document({"a": {"z": 1}}, {"a": ("z", "b", "c")})
    tied = Answer(question="a", passages=("z", "b", "c"), scores=(0.5, 0.5, 0.5))
    last = Answer(question="a", passages=("b", "c", "z"), scores=(0.5, 0.5, 0.5))
    values = [
        score(Run(way=WAY, answers={"a": one}), resolved, names=("MRR@10",))["MRR@10"]["a"]
        for one in (tied, last)
    ]
    assert values == pytest.approx([1.0, 1 / 3])


def test_grades_count_in_ndcg_and_not_in_the_others():
    resolved = by_document({"a": {"x": 3, "y": 1}}, {})
    better, worse = (
        score(run_of(a=order), resolved, names=(PRIMARY, "P@5"))
        for order in (("x", "y"), ("y", "x"))
    )
    assert better[PRIMARY]["a"] == pytest.approx(1.0)
    assert worse[PRIMARY]["a"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert better["P@5"] == worse["P@5"] == {"a": pytest.approx(0.4)}


def test_cutting_a_text_more_finely_gains_nothing():
    question = Question(id="a", text="?", judgements=(Judgement(document="d"),))
    whole = by_passage(question, units={"a": {"p": (1,)}})
    halves = by_passage(question, units={"a": {"p1": (1,), "p2": (1,)}})
    assert score(run_of(a=("o", "p")), whole) == score(run_of(a=("o", "p1", "p2")), halves)


def test_other_measures_are_known_and_unknown_ones_named():
    resolved = by_document({"a": {"x": 1}}, {})
    run = run_of(a=("o", "x"))
    assert score(run, resolved, names=("Hit@1", "Hit@2")) == {"Hit@1": {"a": 0}, "Hit@2": {"a": 1}}
    both = score(run, resolved, names=("MRR@10", "RR@10"))
    assert both["MRR@10"] == both["RR@10"] == {"a": 0.5}
    for name in ("nDGC@10", "nDCG@ten", ""):
        with pytest.raises(UsageError, match="nDCG@10, MRR@10"):
            score(run, resolved, names=(name,))


def test_many_passages_of_one_document_take_one_place():
    """The first places by document may lie deep among the passages."""
    homes = {f"p{number}": "long.pdf" for number in range(60)} | {"x": "x", "y": "y"}
    questions = by_document({"a": {"x": 1, "y": 1}}, {})
    resolved = ResolvedLabels(
        golden=questions.golden, grades=questions.grades, strict={}, lenient={}, homes=homes
    )
    run = run_of(a=(*(one for one in homes if one != "y"), "y"))
    values = score(run, resolved, names=("MRR@10", "P@5", "AP"))
    assert values["MRR@10"]["a"] == pytest.approx(1 / 2)
    assert values["P@5"]["a"] == pytest.approx(2 / 5)
    assert values["AP"]["a"] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_the_first_relevant_place_is_found():
    resolved = by_document({"a": {"x": 1, "y": 0}}, {})
    assert metrics.first_relevant(run_of(a=("y", "x")), resolved, "a") == 2
    assert metrics.first_relevant(run_of(a=("y",)), resolved, "a") is None
    assert metrics.first_relevant(run_of(), resolved, "a") is None


# --- ours -------------------------------------------------------------------------------


def mixed():
    """Two questions: a row and a page answer the first, a page the second."""
    passages = {
        "row": make_passage("row", kind="row", document="/f/t.csv"),
        "page": make_passage("page", kind="document", document="/f/a.pdf", locator=Locator(page=3)),
        "next": make_passage("next", kind="document", document="/f/a.pdf", locator=Locator(page=4)),
        "other": make_passage(
            "other", kind="document", document="/f/b.pdf", locator=Locator(page=3)
        ),
    }
    page = Judgement(document="a.pdf", locator=Locator(page=3))
    both = Question(id="both", text="?", judgements=(Judgement(document="t.csv"), page))
    one = Question(id="one", text="?", judgements=(page,))
    units = {"both": {"row": (1,), "page": (2,)}, "one": {"page": (1,)}}
    return by_passage(both, one, units=units), passages


def test_coverage_is_by_kind_over_the_questions_that_the_kind_answers():
    resolved, passages = mixed()
    run = run_of(both=("page", "other"), one=("other", "page"))
    assert metrics.coverage(run, resolved, passages) == {"all": 0.75, "document": 1.0, "row": 0.0}
    late = run_of(both=(*"0123456789", "page", "row"), one=())
    assert metrics.coverage(late, resolved, passages) == {"all": 0, "document": 0, "row": 0}


def test_diversity_counts_documents():
    _, passages = mixed()
    run = run_of(a=("page", "next", "row", "other"), b=("page",), c=())
    assert metrics.diversity(run, passages) == pytest.approx((3 / 4 + 1) / 2)
    records = {"page": "r1", "next": "r2"}
    assert metrics.diversity(run, passages, records) == 1


def test_attribution_wants_the_right_document_and_page():
    resolved, passages = mixed()
    run = run_of(both=("other", "row"), one=("next", "other", "page"))
    assert metrics.attribution(run, resolved, passages) == {"both": 0, "one": 0}
    assert metrics.attribution(run, resolved, passages, places=2) == {"both": 1, "one": 0}
    assert metrics.attribution(run, resolved, passages, places=5) == {"both": 1, "one": 1}
    assert metrics.attribution(run_of(), resolved, passages) == {"both": 0, "one": 0}


def test_attribution_of_a_question_with_facts_alone_is_by_their_documents():
    fact = Fact(value="35", document="b.pdf", page=3)
    questions = (Question(id="a", text="?", facts=(fact,)), Question(id="b", text="?"))
    resolved = by_passage(*questions, units={})
    _, passages = mixed()
    assert metrics.attribution(run_of(a=("other",)), resolved, passages) == {"a": 1}
    assert metrics.attribution(run_of(a=("page",)), resolved, passages) == {"a": 0}


def test_every_fact_must_be_stated_in_the_first_five():
    facts = (Fact(value="35", unit="m"), Fact(value="1811"))
    golden = Golden(name="g", questions=(Question(id="a", text="?", facts=facts),))
    passages = {key: make_passage(key, f"filler {key}") for key in "uvwxyz"}
    passages["h"] = make_passage("h", "It is 35 m high.")
    passages["y"] = make_passage("y", "Lit in 1811.")
    assert metrics.value_in_top(run_of(a=("h", "y")), golden, passages) == {"a": 1}
    assert metrics.value_in_top(run_of(a=("h", "u")), golden, passages) == {"a": 0}
    late = run_of(a=("h", "u", "v", "w", "x", "y"))
    assert metrics.value_in_top(late, golden, passages) == {"a": 0}
    assert metrics.value_in_top(run_of(), golden, passages) == {"a": 0}


def test_latency_and_refusals():
    answers = {str(n): answer(str(n), "p", ms=float(n)) for n in range(101)}
    assert metrics.percentiles([one.ms for one in answers.values()]) == {"p50": 50.0, "p95": 95.0}
    assert metrics.percentiles([]) == {"p50": 0.0, "p95": 0.0}
    asked = (
        Question(id="a", text="?", judgements=(Judgement(document="d"),)),
        Question(id="b", text="?", facts=(Fact(value="1"),)),
        Question(id="u", text="?", unanswerable=True),
        Question(id="v", text="?", unanswerable=True),
    )
    run = Run(
        way=WAY,
        answers={
            "a": answer("a", "p", refused=True),
            "b": answer("b", "p"),
            "u": answer("u", "p"),
            "v": answer("v"),
        },
    )
    golden = Golden(name="g", questions=asked)
    assert metrics.refusals(run, golden) == {"unanswerable": 0.5, "answerable": 0.5}
    assert metrics.refusals(run, Golden(name="g", questions=())) == {
        "unanswerable": None,
        "answerable": None,
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nDCG@0", "1 or more"),
        ("Hit@0", "1 or more"),
        ("P@0.5", "1 or more"),
        ("R@1000", "kept to 100"),
        ("AP(rel=2)@101", "kept to 100"),
    ],
)
def test_places_that_no_ranking_has_are_refused(name, told):
    """The first aborts the process in another library, the last would be R@100 unsaid."""
    with pytest.raises(UsageError, match=told):
        metrics.parse_measure(name)
