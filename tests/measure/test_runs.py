"""Asking every way: what is asked, what is kept, and what happens when something fails."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from golden_shared import GOLDEN

import consilience
from consilience.engine.plan import plan
from consilience.measure import runs
from consilience.measure.data_model import DEPTH, Question
from consilience.measure.derived_passages import full_order
from consilience.measure.runs import (
    DEADLINES,
    MERGED,
    UNRERANKED,
    AnswerCache,
    CachedAnswer,
    answers_key,
    exceeds_deadlines,
    list_ways,
    patient_settings,
    program_files,
    recorded_settings,
    run_questions,
)
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Query
from consilience.workspace import STORE, open_workspace

QUESTIONS = [
    Question(id="a", text="Who built a tower off Arbroath?"),
    Question(id="b", text="What stands around a lamp?"),
    Question(id="c", text="How tall is Cordouan?"),
]


class Counting:
    """A progress that remembers what it was told."""

    def __init__(self):
        self.totals, self.done = [], 0

    def stage(self, name, *, total, unit):
        self.totals.append(total)

    def advance(self, number=1):
        self.done += number


class Backwards:
    """A real reranker: the longer a text, the better."""

    name = "longest:1"

    async def rerank(self, text, passages):
        return [float(len(passage.text)) for passage in passages]


def ids(result):
    return [key for key, _ in full_order(result)]


def test_every_source_every_collection_and_merged(workspace):
    ways = {way.name: way.kind for way in list_ways(workspace.engine)}
    assert {name for name, kind in ways.items() if kind == "source"} == set(
        workspace.engine.sources
    )
    assert {name for name, kind in ways.items() if kind == "collection"} == {
        "documents",
        "graph",
        "tables",
    }
    assert ways[MERGED] == "merged"
    assert UNRERANKED not in ways


def test_no_way_repeats_another(opened, evidence):
    space = opened()
    space.add([evidence / "lamps.txt"])
    assert [way.name for way in list_ways(space.engine)] == [
        "documents/bm25",
        "documents/dense",
        MERGED,
    ]
    space.add([evidence / "lights.csv"])
    knowledge = replace(
        space.engine.knowledge,
        sources={**space.engine.knowledge.sources, "lone/bm25": "lone"},
    )
    sources = {**space.engine.sources, "lone/bm25": Scripted("lone/bm25", "lone")}
    ways = list_ways(replace(space.engine, sources=sources, knowledge=knowledge))
    assert [way.name for way in ways if way.kind == "collection"] == ["documents", "tables"]


def test_the_order_goes_on_below_what_is_shown(opened, evidence):
    space = opened(**{"refine.mmr": 1.0})
    space.add([evidence])
    shown, whole = (space.search("Who built Bell Rock?", limit=limit) for limit in (2, 20))
    assert [hit.passage.id for hit in shown.hits] == ids(shown)[:2]
    assert ids(shown) == [hit.passage.id for hit in whole.hits]
    scores = [score for _, score in full_order(shown)]
    assert scores == sorted(scores, reverse=True)


def test_the_rest_of_the_fused_follows_and_copies_do_not(opened, evidence):
    for number in range(40):
        (evidence / f"n{number}.txt").write_text(f"Keeper {number} wound the lamp {number} times.")
    (evidence / "copy.txt").write_text((evidence / "n7.txt").read_text() + "\n")
    (evidence / "n7.md").write_text((evidence / "n7.txt").read_text())
    space = opened(**{"refine.window": 15})
    space.add([evidence])
    result = space.search("which keeper wound the lamp 7 times", limit=5)
    order = ids(result)
    assert len(result.trace.fused) > len(result.hits) + len(result.trace.losses)
    assert len(order) == len(set(order)) > 15
    merged = {one.id for one in result.trace.losses if one.step == "dedupe"}
    assert set(order) == {key for key, _ in result.trace.fused[:DEPTH]} - merged


def test_single_sources_are_those_of_the_merged_search(workspace):
    runs = run_questions(QUESTIONS, workspace).runs
    for question in QUESTIONS:
        todo = plan(Query(text=question.text), workspace.engine.knowledge)
        for ask in todo.asks:
            source = workspace.engine.sources[ask.source]
            found = [] if ask.skip else asyncio.run(source.retrieve(ask.request, limit=ask.depth))
            assert list(runs[ask.source].answers[question.id].passages) == [one.id for one in found]
        result = workspace.search(question.text)
        assert list(runs[MERGED].answers[question.id].passages) == ids(result)
        inside = workspace.search(question.text, collections=("tables",))
        assert list(runs["tables"].answers[question.id].passages) == ids(inside)
    assert all(answer.ms > 0 for answer in runs[MERGED].answers.values())


def test_a_single_source_is_asked_as_deep_as_is_measured(opened, evidence):
    for number in range(30):
        (evidence / f"n{number}.txt").write_text(f"Keeper {number} wound the lamp {number} times.")
    space = opened(**{"retrieve.depth": 10})
    space.add([evidence])
    run = run_questions([Question(id="q", text="keeper wound lamp")], space).runs["documents/bm25"]
    todo = plan(Query(text="keeper wound lamp"), space.engine.knowledge)
    ask = next(one for one in todo.asks if one.vote == "documents/bm25")
    found = asyncio.run(space.engine.sources[ask.source].retrieve(ask.request, limit=DEPTH))
    assert len(found) > 10
    assert set(run.answers["q"].passages) == {one.id for one in found}


@pytest.mark.parametrize("muted", ["bm25", "documents/bm25", "documents"])
def test_a_source_without_a_voice_in_merged_is_scored_by_what_it_finds(opened, evidence, muted):
    heard = opened()
    heard.add([evidence])
    runs = run_questions(QUESTIONS, heard).runs
    heard.close()
    quiet = run_questions(QUESTIONS, opened(**{"fusion.weights": {muted: 0.0}})).runs
    for key, answer in runs["documents/bm25"].answers.items():
        alone = quiet["documents/bm25"].answers[key]
        assert alone.passages == answer.passages
        assert alone.ms > 0
    assert any(one.passages for one in quiet["documents/bm25"].answers.values())
    before, after = (one[MERGED].answers["a"] for one in (runs, quiet))
    assert (before.passages, before.scores) != (after.passages, after.scores)


def test_relevances_stand_beside_their_passages(workspace, monkeypatch):
    """A hit without a relevance must not move those of others."""
    settle = runs.fuse_and_refine

    async def weighed(gathered, engine):
        result = await settle(gathered, engine)
        hits = [
            replace(hit, relevance=None if place == 1 else 0.9 - place / 100)
            for place, hit in enumerate(result.hits)
        ]
        return replace(result, hits=tuple(hits))

    monkeypatch.setattr(runs, "fuse_and_refine", weighed)
    question = next(one for one in GOLDEN.questions if one.id == "studied")
    answer = run_questions([question], workspace).runs[MERGED].answers["studied"]
    result = workspace.search(question.text)
    wanted = {
        hit.passage.id: 0.9 - place / 100 for place, hit in enumerate(result.hits) if place != 1
    }
    given = dict(zip(answer.passages, answer.relevances, strict=False))
    assert given
    assert {key: one for key, one in given.items() if one is not None} == pytest.approx(
        {key: one for key, one in wanted.items() if key in given}
    )
    assert given[result.hits[1].passage.id] is None


def test_reranking_is_a_way_of_its_own(tmp_path, workspace, embedder):
    workspace.close()
    settings = build_settings({"retrieve.hard_ms": 30_000, "refine.blend": 1.0})
    with open_workspace(
        tmp_path / "space", settings=settings, embedder=embedder, reranker=Backwards()
    ) as space:
        runs = run_questions(QUESTIONS, space).runs
        with_it, without = (runs[name].answers["a"].passages for name in (MERGED, UNRERANKED))
        assert with_it != without
        plain = space.find(Query(text=QUESTIONS[0].text, rerank=False))
        assert list(without) == ids(plain)


def test_an_interrupted_run_goes_on_where_it_stopped(workspace, tmp_path):
    path = tmp_path / "runs" / "k.jsonl"
    first = run_questions(QUESTIONS[:2], workspace, cache=AnswerCache(path))
    with path.open("a") as stream:
        stream.write('{"text": "How tall is Cor')
    progress = Counting()
    every = run_questions(QUESTIONS, workspace, cache=AnswerCache(path), progress=progress)
    assert (progress.totals, progress.done) == ([1], 1)
    assert every.runs[MERGED].answers["a"] == first.runs[MERGED].answers["a"]
    again = Counting()
    later = run_questions(QUESTIONS, workspace, cache=AnswerCache(path), progress=again)
    assert (first.cached, every.cached, later.cached) == (0, 2, 3)
    assert replace(later, cached=every.cached) == every
    assert again.totals == [0]
    assert len(path.read_text().splitlines()) == 3
    assert len(AnswerCache(path, fresh=True)) == 0


def test_only_the_newest_runs_are_kept(tmp_path):
    for number in range(12):
        AnswerCache(tmp_path / f"{number}.jsonl").add("q", CachedAnswer(answers={}))
    assert len(list(tmp_path.glob("*.jsonl"))) == 8
    assert (tmp_path / "11.jsonl").exists()


def test_what_an_answer_depends_on_is_in_the_name(workspace):
    before = answers_key(workspace, "a")
    assert before == answers_key(workspace, "a") != answers_key(workspace, "b")
    (workspace.folder / STORE / "relevance.json").write_text("{}")
    assert answers_key(workspace, "a") != before


def test_the_program_is_in_the_name_but_for_what_prints_and_reads():
    root = Path(consilience.__file__).parent
    files = {path.relative_to(root).as_posix() for path in program_files(root)}
    assert files >= {
        "measure/runs.py",
        "measure/data_model.py",
        "measure/derived_passages.py",
        "engine/complete.py",
        "engine/trust.py",
        "engine/trust.json",
        "engine/relevance.py",
        "engine/calibration.json",
    }
    outside = ("cli/", "evidence/loaders/", "models/data/")
    assert not [one for one in files if one.startswith(outside)]


def test_what_a_live_search_would_not_wait_for_is_known(workspace, tmp_path):
    engine = workspace.engine
    found = asyncio.run(
        engine.sources["documents/dense"].retrieve(
            plan(Query(text="lamp"), engine.knowledge).asks[0].request, limit=1
        )
    )
    slow = Scripted("documents/bm25", "documents", found=found, delay_s=0.1)
    sources = {**engine.sources, "documents/bm25": slow}
    workspace._engine = replace(engine, sources=sources)
    path = tmp_path / "k.jsonl"
    run_questions(QUESTIONS[:1], workspace, cache=AnswerCache(path))
    times = run_questions(QUESTIONS[:1], workspace, cache=AnswerCache(path)).times["a"]
    assert set(times) == {"retrieve.hard_ms"}
    assert exceeds_deadlines(times, build_settings({"retrieve.hard_ms": 60}))
    assert not exceeds_deadlines(times, build_settings({"retrieve.hard_ms": 60_000}))
    workspace._engine = replace(engine, reranker=Backwards())
    times = run_questions(QUESTIONS[:1], workspace).times["a"]
    assert times["refine.rerank_ms"] > 0


def test_a_source_that_fails_is_told_of_and_asked_again(workspace):
    engine = workspace.engine
    broken = Scripted("documents/bm25", "documents", error=RuntimeError("disk is gone"))
    workspace._engine = replace(engine, sources={**engine.sources, "documents/bm25": broken})
    kept = AnswerCache()
    asked = run_questions(QUESTIONS[:1], workspace, cache=kept)
    assert "documents/bm25" in asked.missed[0]
    assert "disk is gone" in asked.missed[0]
    workspace._engine = engine
    mended = run_questions(QUESTIONS[:1], workspace, cache=kept)
    assert not mended.missed
    assert mended.runs["documents/bm25"].answers["a"].passages


def test_a_question_that_cannot_be_asked_finds_nothing_and_is_told_of(workspace):
    asked = run_questions([Question(id="odd", text="???")], workspace)
    assert {run.answers["odd"].passages for run in asked.runs.values()} == {()}
    assert "no words" in asked.missed[0]


def test_deadlines_are_raised_and_not_recorded_as_settings(workspace):
    raised = patient_settings(workspace.settings)
    assert raised.retrieve.hard_ms == DEADLINES["retrieve.hard_ms"]
    assert raised.refine.rerank_ms == DEADLINES["refine.rerank_ms"]
    assert raised.models.live_ms == DEADLINES["models.live_ms"]
    assert recorded_settings(raised) == recorded_settings(workspace.settings)
    changed = recorded_settings(build_settings({"fusion.k": 7, "models.rerank_key": "secret"}))
    assert changed["fusion.k"] == 7
    assert "secret" not in json.dumps(changed)
    assert not set(DEADLINES) & set(changed)
    assert "models.rerank_key" not in changed


def test_a_slow_source_counts_while_measuring(workspace):
    engine = workspace.engine
    found = asyncio.run(
        engine.sources["documents/dense"].retrieve(
            plan(Query(text="lamp"), engine.knowledge).asks[0].request, limit=1
        )
    )
    slow = Scripted("documents/bm25", "documents", found=found, delay_s=0.05)
    impatient = build_settings({"retrieve.hard_ms": 1, "retrieve.soft_ms": 1})
    workspace._engine = replace(
        engine, settings=impatient, sources={**engine.sources, "documents/bm25": slow}
    )
    asked = run_questions(QUESTIONS[:1], workspace)
    assert not asked.missed
    assert asked.runs["documents/bm25"].answers["a"].passages == (found[0].id,)


def test_paths_that_were_made_can_be_shown(workspace):
    question = next(one for one in GOLDEN.questions if one.id == "studied")
    runs = run_questions([question], workspace).runs
    made = runs["graph/paths"].answers["studied"].passages
    shown = set(runs[MERGED].answers["studied"].passages[:10]) & set(made)
    assert shown
    assert {workspace.catalogue.resolve(key).kind for key in shown} <= {"path", "edge"}
