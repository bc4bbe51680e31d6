"""Is a replayed search the search itself? Every order is compared with that of the real one."""

import asyncio
import random
from dataclasses import replace

import library_shared as library
import numpy as np
import pytest

from consilience.engine import search
from consilience.measure.data_model import (
    Golden,
    Judgement,
    Question,
    ResolvedLabels,
)
from consilience.measure.derived_passages import edges_in, full_order
from consilience.measure.label_resolver import resolve
from consilience.measure.metrics import PRIMARY, score
from consilience.measure.runs import run_questions
from consilience.measure.tuning import change_settings, flatten_settings, record_replay
from consilience.settings import build_settings
from consilience.types import Query

CHANGES = [
    {},
    {"fusion.alpha": 0.2},
    {"fusion.method": "rrf", "fusion.k": 5.0},
    {"fusion.method": "interleave", "fusion.weights.bm25": 0.25},
    {"fusion.weights.dense": 0.0},
    {"retrieve.depth": 10},
    {"refine.mmr": 0.7},
    {"models.rerank": "none"},
    {"retrieve.depth": 10, "fusion.weights.bm25": 0.5, "refine.blend": 0.5, "refine.mmr": 1.0},
]


class Counting:
    """A reranker that likes passages which share words with the question; it counts its work."""

    name = "counting"

    def __init__(self):
        self.read = []

    async def rerank(self, text, passages):
        self.read += [(text, one.id) for one in passages]
        asked = set(text.split())
        return [len(asked & set(one.text.split())) + len(one.text) / 1e4 for one in passages]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    with library.built(tmp_path_factory.mktemp("replay"), reranker=Counting()) as space:
        yield space


@pytest.fixture
def asked(space):
    space.engine.reranker.read.clear()
    return record_replay(space.engine, resolve(library.golden(), space.catalogue))


def really(space, changes, count=6):
    """The orders of real searches for the first questions, under changed settings."""
    settings = change_settings(space.settings, changes)
    engine = replace(
        space.engine,
        settings=settings,
        knowledge=replace(space.engine.knowledge, settings=settings),
        reranker=None if "models.rerank" in changes else space.engine.reranker,
    )
    return [
        [key for key, _ in full_order(asyncio.run(search(Query(text=one.text), engine)))]
        for one in library.golden().questions[:count]
    ]


def orders_of(asked, changes):
    """The orders of the same questions, replayed."""
    results = asked.settle(asked.engine_with(changes), range(6))
    return [[key for key, _ in full_order(result)] for result in results]


def test_a_replayed_order_is_that_of_a_search_with_these_settings(space, asked):
    seen = []
    for changes in CHANGES:
        orders = really(space, changes)
        assert orders_of(asked, changes) == orders, changes
        seen.append(orders)
    assert sum(seen.count(one) == 1 for one in seen) > len(CHANGES) - 3  # the changes do something


def test_a_single_source_is_scored_as_it_ranked(space, asked):
    resolved = resolve(library.golden(), space.catalogue)
    case = asked.cases[3]
    rankings = case.gathered.found.rankings
    found = next(one.found for one in rankings if one.source == "documents/bm25")
    right = next(iter(resolved.strict[case.question.id]))
    place = [one.id for one in found].index(right)
    assert asked.single("documents/bm25", [3])[0] == pytest.approx(1 / np.log2(place + 2))


def test_a_passage_is_read_once_a_question_and_sources_are_asked_once(space, asked, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a source was asked again")

    for source in space.engine.sources.values():
        monkeypatch.setattr(type(source), "retrieve", refuse)
        monkeypatch.setattr(type(source), "score", refuse, raising=False)
    for changes in CHANGES:
        asked.scores(changes)
    read = space.engine.reranker.read
    assert read
    assert len(read) == len(set(read))


def test_what_is_known_is_not_settled_again(asked, monkeypatch):
    first = asked.scores({"fusion.alpha": 0.3, "fusion.k": 10.0}, [0, 1, 2])
    monkeypatch.setattr(asked, "settle", lambda *_: pytest.fail("settled again"))
    assert asked.scores({"fusion.k": 10.0, "fusion.alpha": 0.3}, [2, 1]).tolist() == [
        first[2],
        first[1],
    ]


def test_a_silenced_source_is_gathered_all_the_same(space):
    quiet = change_settings(space.settings, {"fusion.weights.dense": 0.0})
    engine = replace(
        space.engine, settings=quiet, knowledge=replace(space.engine.knowledge, settings=quiet)
    )
    asked = record_replay(engine, resolve(library.golden(), space.catalogue))
    assert orders_of(asked, {"fusion.weights.dense": 1.0}) == really(space, {})
    assert orders_of(asked, {}) == really(space, {"fusion.weights.dense": 0.0})


def test_a_single_source_is_scored_as_an_evaluation_scores_it(workspace):
    """A source of paths is judged by their edges, which are what labels can point at."""
    question = Question(id="q", text="How is Bell Rock connected to John Smeaton?")
    edges = edges_in(workspace.catalogue)
    first = edges["bell", "BUILT_BY", "stevenson"]  # below the other where the path stands itself
    judgement = Judgement(document="people.graph.jsonl")
    golden = Golden(name="g", questions=(replace(question, judgements=(judgement,)),))
    units = {"q": {first: ("unit",)}}
    resolved = ResolvedLabels(
        golden=golden, grades={"q": {"unit": 1}}, strict=units, lenient=units, edges=edges
    )
    runs = run_questions(golden.questions, workspace).runs
    asked = record_replay(workspace.engine, resolved)
    for source in workspace.engine.sources:
        wanted = score(runs[source], resolved, names=(PRIMARY,))[PRIMARY]["q"]
        assert asked.single(source).tolist() == pytest.approx([wanted]), source
    assert asked.single("graph/paths")[0] == 1


def test_a_question_that_cannot_be_asked_scores_nothing(space):
    golden = library.golden()
    long = Question(id="long", text="word " * 1000, judgements=golden.questions[0].judgements)
    golden = replace(golden, questions=(*golden.questions[:2], long))
    asked = record_replay(space.engine, resolve(golden, space.catalogue))
    assert asked.scores({})[2] == 0


def test_a_source_that_fails_is_told_of(space, monkeypatch):
    source = space.engine.sources["documents/bm25"]

    async def fail(self, request, *, limit):
        raise OSError("unplugged")

    monkeypatch.setattr(type(source), "retrieve", fail)
    sources = {**space.engine.sources}
    asked = record_replay(
        replace(space.engine, sources=sources), resolve(library.golden(), space.catalogue)
    )
    assert any("unplugged" in one for one in asked.trouble)


def test_settings_are_taken_apart_and_put_together_again():
    chance = random.Random(1)
    settings = build_settings({"fusion.k": chance.random(), "fusion.weights": {"bm25": 0.5}})
    assert build_settings(flatten_settings(settings)) == settings
    more = change_settings(settings, {"fusion.weights.dense": 0.1, "refine.mmr": 0.7})
    assert more.fusion.weights == {"bm25": 0.5, "dense": 0.1}
    assert more.refine.mmr == 0.7
