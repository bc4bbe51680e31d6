"""The reference, by hand arithmetic."""

import asyncio
import math

import pytest

from consilience.types import Filter, Found, Passage, Request, Term
from memory_shared import ByCriteria, ByMeaning, ByNodes, ByPaths, ByWords, Memory


def make(key, text="", *, kind="text", **metadata):
    return Passage(
        id=key, collection="c", document="d", kind=kind, title="T", text=text, metadata=metadata
    )


def ask(passages, rank, limit=10, **request):
    source = Memory("c/x", "c", passages=passages, rank=rank)
    return list(asyncio.run(source.retrieve(Request(**{"text": "", **request}), limit=limit)))


def edge(key, source, relation, target, weight=1.0):
    return make(
        key, f"{key}!", kind="edge", source=source, relation=relation, target=target, weight=weight
    )


def test_meaning_is_the_cosine():
    rank = ByMeaning({"a": (3, 4), "b": (0, 2), "z": (0, 0)}, lambda text: (0, 1))
    passages = [make("z"), make("b"), make("a"), make("no vector")]
    assert ask(passages, rank) == [Found("b", 1.0), Found("a", 0.8), Found("z", 0.0)]


def test_words_are_bm25():
    # Two passages of three words (the title counts), so length / average = 1 and
    # tf · 2.2 / (tf + 1.2) is 1 for one occurrence and 4.4 / 3.2 = 1.375 for two.
    passages = [make("a", "fox fox"), make("b", "fox hen")]
    both, one = math.log(1 + 0.5 / 2.5), math.log(1 + 1.5 / 1.5)
    assert ask(passages, ByWords(), text="fox") == [
        Found("a", pytest.approx(1.375 * both)),
        Found("b", pytest.approx(both)),
    ]
    assert ask(passages, ByWords(), text="hen") == [Found("b", pytest.approx(one))]


def test_a_longer_passage_counts_for_less():
    # Lengths 2 and 4, average 3: K = 1.2 (0.25 + 0.75 · 2/3) = 0.9, and 1.2 (0.25 + 1) = 1.5.
    passages = [make("short", "fox"), make("long", "fox hen corn")]
    idf = math.log(1 + 0.5 / 2.5)
    assert ask(passages, ByWords(), text="fox") == [
        Found("short", pytest.approx(idf * 2.2 / 1.9)),
        Found("long", pytest.approx(idf * 2.2 / 2.5)),
    ]


def test_expansions_add_their_weight_and_are_not_counted_twice():
    passages = [make("a", "fox"), make("b", "hen")]
    idf = math.log(2)
    terms = (
        Term(text="hen", weight=0.5, origin="synonym"),
        Term(text="fox", weight=0.5, origin="synonym"),
    )
    assert ask(passages, ByWords(), text="fox", terms=terms) == [
        Found("a", pytest.approx(idf)),
        Found("b", pytest.approx(0.5 * idf)),
    ]


def test_passages_without_a_word_do_not_count_in_idf():
    empty = Passage(id="e", collection="c", document="d", kind="text", title="", text="")
    assert ask([make("a", "fox"), empty], ByWords(), text="fox") == ask(
        [make("a", "fox")], ByWords(), text="fox"
    )


def test_rows_count_the_criteria_they_meet():
    passages = [
        make("a", kind="row", year=1900, city="Bath"),
        make("b", kind="row", year=1950),
        make("c", kind="row", year=1800),
        make("prose", kind="text", year=1900, city="Bath"),
    ]
    criteria = (Filter("year", ">=", 1900), Filter("city", "=", "bath"))
    assert ask(passages, ByCriteria(), criteria=criteria) == [Found("a", 2.0), Found("b", 1.0)]
    assert ask(passages, ByCriteria(), filters=criteria) == []


GRAPH = (
    edge("ab", "a", "requires", "b", 0.8),
    edge("cb", "c", "uses", "b", 0.5),
    edge("cd", "c", "uses", "d", 1.0),
    edge("de", "d", "uses", "e", 1.0),
    *(make(f"node {key}", kind="node", node=key, name=key.upper()) for key in "abcde"),
)


def test_nodes_score_by_their_best_path_from_each_seed():
    assert ask(GRAPH, ByNodes(), seeds=("a",)) == [
        Found("node a", 1.0),
        Found("node b", 0.8),
        Found("node c", pytest.approx(0.8 * 0.5 * 0.5)),
        Found("node d", pytest.approx(0.8 * 0.5 * 1.0 * 0.25)),
    ]  # e is four edges away
    two = {one.id: one.score for one in ask(GRAPH, ByNodes(), seeds=("a", "c"))}
    assert two["node b"] == pytest.approx(0.8 + 0.5)
    assert two["node a"] == pytest.approx(1 + 0.2)


def test_a_relation_that_was_not_asked_for_weighs_less():
    found = ask(GRAPH, ByNodes(), seeds=("a",), intents=("REQUIRES",))
    scores = {one.id: one.score for one in found}
    assert scores["node b"] == pytest.approx(0.8)
    assert scores["node c"] == pytest.approx(0.8 * (0.5 * 0.3) * 0.5)


def test_degree_never_counts():
    hub = [edge(f"h{at}", "hub", "has", f"leaf{at}", 0.1) for at in range(50)]
    graph = (*GRAPH, *hub, edge("ah", "a", "has", "hub", 0.1), make("n", kind="node", node="hub"))
    scores = {one.id: one.score for one in ask(graph, ByNodes(), limit=99, seeds=("a",))}
    assert scores["n"] == pytest.approx(0.1)


def test_paths_are_told_with_their_direction_and_evidence():
    found = ask(GRAPH, ByPaths(), seeds=("a",))
    assert [(one.id, one.score) for one in found[:1]] == [("ab", 0.8)]
    made = found[1].passage
    assert made.title == "A → C"
    assert made.text == "A → (requires) → B ← (uses) ← C\nab!\ncb!"
    assert made.kind == "path"
    assert made.metadata == {
        "source": "a",
        "target": "c",
        "relations": ("requires", "uses"),
        "length": 2,
        "nodes": ("a", "b", "c"),
    }
    assert found[1].score == pytest.approx(0.2)


def test_a_path_between_two_seeds_counts_fourfold_and_is_told_once():
    found = ask(GRAPH, ByPaths(), seeds=("e", "c"))
    between = [one for one in found if one.passage and one.passage.title == "C → E"]
    assert [one.score for one in between] == [4 * 1.0 * 1.0 * 0.5]
    assert between[0].passage.text.startswith("C → (uses) → D → (uses) → E\n")
    assert not [one for one in found if one.passage and one.passage.title == "E → C"]


def test_of_parallel_edges_the_best_is_told():
    graph = (edge("weak", "a", "is near", "b", 0.2), edge("strong", "a", "is in", "b", 0.9))
    assert ask(graph, ByPaths(), seeds=("a",)) == [Found("strong", 0.9)]


def test_loops_and_strange_weights_do_no_harm():
    graph = (edge("loop", "a", "is", "a"), edge("odd", "a", "is", "b", float("nan")))
    assert ask(graph, ByPaths(), seeds=("a",)) == [Found("odd", 1.0)]


def test_named_passages_are_scored_whether_found_or_not():
    source = Memory("c/x", "c", passages=[make("a", "fox"), make("b", "hen")], rank=ByWords())
    named = asyncio.run(source.score(Request(text="fox"), ["a", "b", "unknown"]))
    assert named == {"a": pytest.approx(math.log(2)), "b": 0.0}
