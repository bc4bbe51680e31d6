"""Score completion: every source's true score of the union, and nothing that was not found."""

import asyncio
from dataclasses import replace

import pytest

from consilience.engine import Engine, search
from consilience.engine.complete import complete
from consilience.engine.fusion import FUSERS, completes
from consilience.engine.plan import Knowledge
from consilience.explain import total
from consilience.pack import Files, Pack
from consilience.settings import build_settings
from consilience.testing import COLLECTION, PROSE, QUESTION, VECTORS, Scripted
from consilience.types import Ask, Filter, Found, Passage, Plan, Query, Ranking, Request
from memory_shared import ByMeaning, ByWords, Memory

COMPLETED = ("adaptive", "convex", "relative", "dbsf", "combsum")


class Scoring(Scripted):
    """A scripted source that also scores what it is asked to; it keeps what that was."""

    def __init__(self, name, found, scores=None, *, fails=None, waits_s=0.0):
        pairs = [Found(key, score) for key, score in found.items()]
        super().__init__(name, name.split("/")[0], found=pairs)
        self.scores = {} if scores is None else scores
        self.fails = fails
        self.waits_s = waits_s
        self.scored = []

    async def score(self, request, ids):
        self.scored.append((request, list(ids)))
        await asyncio.sleep(self.waits_s)
        if self.fails is not None:
            raise self.fails
        if not isinstance(self.scores, dict):
            return self.scores
        return {key: score for key, score in self.scores.items() if key in ids}


class Silent(Scripted):
    """A source that can only find."""

    def __init__(self, name, found):
        pairs = [Found(key, score) for key, score in found.items()]
        super().__init__(name, name.split("/")[0], found=pairs)


def words():
    return Scoring("c/bm25", {"a": 9.0, "b": 5.0}, {"d": 0.0})


def meaning():
    return Scoring("c/dense", {"b": 0.9, "d": 0.8}, {"a": 0.7})


def passage(key, collection):
    text = f"all about {key} {key * 3}"
    return Passage(
        id=key, collection=collection, document="n.md", kind="note", title="Notes", text=text
    )


def run(sources, question="words", *, query=None, **values):
    """Search over these sources; every id that one finds has a passage."""
    ids = {found.id: one.collection for one in sources for found in one._found}

    passages = {key: passage(key, home) for key, home in ids.items()}
    settings = build_settings(
        {"refine.mmr": 1, "retrieve.soft_ms": 20_000, "retrieve.hard_ms": 20_000, **values}
    )
    engine = Engine(
        sources={one.name: one for one in sources},
        lookup=lambda ids: {key: passages[key] for key in ids if key in passages},
        settings=settings,
        knowledge=Knowledge(
            sources={one.name: one.collection for one in sources},
            sizes={},
            pack=Pack(name="p", summary="", files=Files(collections={"*": "c"})),
            settings=settings,
            mentions=lambda surfaces: [],
            aliases=lambda node, collection: [],
            synonyms={"tower": ("lighthouse",)},
            fields={"c": frozenset({"Year"})},
        ),
    )
    return asyncio.run(search(Query(text=question, **(query or {})), engine))


def votes(result):
    """Rank and score by passage and source."""
    return {
        hit.passage.id: {vote.source: (vote.rank, vote.score) for vote in hit.votes}
        for hit in result.hits
    }


def order(result):
    return [hit.passage.id for hit in result.hits]


# --- through the whole of a search ------------------------------------------------------


@pytest.mark.parametrize("method", COMPLETED)
def test_every_source_says_what_it_thinks_of_the_union(method):
    result = run([words(), meaning()], **{"fusion.method": method})
    assert votes(result) == {
        "a": {"c/bm25": (1, 9.0), "c/dense": (None, 0.7)},
        "b": {"c/bm25": (2, 5.0), "c/dense": (1, 0.9)},
        "d": {"c/bm25": (None, 0.0), "c/dense": (2, 0.8)},
    }
    for hit in result.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
    assert not any("score" in note.message for note in result.notes)
    assert "complete" in result.trace.timing_ms


def test_the_completed_score_is_counted_like_a_found_one():
    result = run([words(), meaning()], **{"fusion.method": "convex", "fusion.alpha": 0.5})
    scores = {hit.passage.id: hit.score for hit in result.hits}
    assert scores == pytest.approx(
        {"a": 0.5 * 1 + 0.5 * 0, "b": 0.5 * 5 / 9 + 0.5 * 1, "d": 0.5 * 0 + 0.5 * 0.5}
    )


@pytest.mark.parametrize("method", sorted(set(FUSERS) - set(COMPLETED)))
def test_every_other_fuser_adds_up_only_what_was_found(method):
    assert not completes(method)
    sources = [words(), meaning()]
    result = run(sources, **{"fusion.method": method})
    assert [one.scored for one in sources] == [[], []]
    ranks = [rank for found in votes(result).values() for rank, _ in found.values()]
    assert None not in ranks
    assert len(ranks) == 4
    assert "complete" not in result.trace.timing_ms


def test_completion_can_change_the_winner():
    """`a` is the 3rd by words and the 3rd by meaning, each a hair below the cut."""
    first = Scoring("c/bm25", {"a": 9.0, "x": 8.9}, {"b": 1.0, "y": 1.0})
    second = Scoring("c/dense", {"b": 0.9, "y": 0.1}, {"a": 0.89, "x": 0.0})
    result = run([first, second], **{"fusion.method": "convex", "fusion.alpha": 0.6})
    alone = run(
        [Silent("c/bm25", {"a": 9.0, "x": 8.9}), Silent("c/dense", {"b": 0.9, "y": 0.1})],
        **{"fusion.method": "convex", "fusion.alpha": 0.6},
    )
    assert order(alone)[0] == "b"
    assert order(result)[0] == "a"


def test_a_source_that_is_no_scorer_is_left_alone():
    deaf = Silent("c/bm25", {"a": 9.0, "b": 5.0})
    result = run([deaf, meaning()], **{"fusion.method": "convex"})
    assert votes(result)["d"] == {"c/dense": (2, 0.8)}
    assert votes(result)["a"] == {"c/bm25": (1, 9.0), "c/dense": (None, 0.7)}
    assert not any("could not score" in note.message for note in result.notes)


def test_what_a_scorer_does_not_hold_it_says_nothing_of():
    ignorant = Scoring("c/bm25", {"a": 9.0, "b": 5.0}, {})
    result = run([ignorant, meaning()], **{"fusion.method": "convex"})
    assert set(votes(result)["d"]) == {"c/dense"}
    assert ignorant.scored[0][1] == ["d"]
    assert not any("could not score" in note.message for note in result.notes)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"fails": ZeroDivisionError("oops")}, "ZeroDivisionError: oops"),
        ({"fails": TimeoutError("its own")}, "TimeoutError: its own"),
        ({"scores": {"d": float("nan")}}, "it gave 'd' the score nan"),
        ({"scores": {"d": float("inf")}}, "it gave 'd' the score inf"),
        ({"scores": {"d": "high"}}, "TypeError"),
        ({"scores": {"d": None}}, "TypeError"),
        ({"scores": [1.0]}, "AttributeError"),
        ({"waits_s": 30.0}, "no answer within 300 ms"),
    ],
    ids=["raises", "its own timeout", "nan", "infinite", "text", "none", "a list", "slow"],
)
def test_a_scorer_that_fails_is_fused_as_it_was_with_a_note(broken, reason):
    bad = Scoring("c/bm25", {"a": 9.0, "b": 5.0}, **broken)
    result = run([bad, meaning()], **{"fusion.method": "convex", "retrieve.hard_ms": 300})
    note = next(note for note in result.notes if note.origin == "c/bm25")
    assert note.message.startswith(f"could not score what other sources found ({reason}")
    assert note.message.endswith("it counts as not found there")
    assert set(votes(result)["d"]) == {"c/dense"}
    assert votes(result)["a"]["c/dense"] == (None, 0.7)  # the other one is completed all the same
    for hit in result.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)


def test_a_score_for_a_passage_that_was_not_asked_for_is_refused():
    class Talkative(Scoring):
        async def score(self, request, ids):
            return {**dict.fromkeys(ids, 1.0), "z": 99.0}

    result = run(
        [Talkative("c/bm25", {"a": 9.0, "b": 5.0}), meaning()], **{"fusion.method": "dbsf"}
    )
    assert "z" not in order(result)
    assert any("it gave 'z' the score 99.0" in note.message for note in result.notes)


def test_only_sources_that_found_a_passage_are_its_sources():
    result = run([words(), meaning()], **{"fusion.method": "combsum"})
    found = {hit.passage.id: hit for hit in result.hits}
    assert {key: set(hit.sources) for key, hit in found.items()} == {
        "a": {"c/bm25"},
        "b": {"c/bm25", "c/dense"},
        "d": {"c/dense"},
    }


def test_across_collections_the_parts_add_up_and_tell_found_from_completed():
    other = Scoring("g/dense", {"x": 0.5, "y": 0.4})
    result = run([words(), meaning(), other], **{"fusion.method": "convex"})
    found = {hit.passage.id: hit for hit in result.hits}
    assert set(found) == {"a", "b", "d", "x", "y"}
    for hit in found.values():
        (vote,) = hit.votes
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
        assert sum(part.contribution for part in vote.parts) == pytest.approx(vote.score)
    assert [(one.source, one.rank) for one in found["a"].votes[0].parts] == [
        ("c/bm25", 1),
        ("c/dense", None),
    ]
    assert set(found["a"].sources) == {"c/bm25"}
    assert other.scored == []  # alone in its collection: nothing is missing


def test_a_source_is_not_asked_about_another_collection():
    first, other = words(), Scoring("g/dense", {"x": 0.5}, {"a": 1.0})
    run([first, meaning(), other], **{"fusion.method": "convex"})
    assert first.scored[0][1] == ["d"]
    assert other.scored == []


def test_the_second_vote_is_completed_with_its_own_question():
    class Expanding(Scoring):
        async def retrieve(self, request, *, limit):
            key = "d" if "lighthouse" in request.text else "b"
            return [Found(key, 0.9)]

        async def score(self, request, ids):
            self.scored.append((request, list(ids)))
            return dict.fromkeys(ids, 0.25 if "lighthouse" in request.text else 0.5)

    dense = Expanding("c/dense", {"b": 0.9, "d": 0.9})
    result = run([Silent("c/bm25", {"a": 9.0}), dense], "tower", **{"fusion.method": "combsum"})
    assert {request.text: sorted(ids) for request, ids in dense.scored} == {
        "tower": ["a", "d"],
        "tower lighthouse": ["a", "b"],
    }
    found = votes(result)
    assert found["a"]["c/dense"] == (None, 0.5)
    assert found["a"]["c/dense+terms"] == (None, 0.25)
    assert found["b"]["c/dense+terms"] == (None, 0.25)


def test_a_source_that_found_nothing_stays_silent():
    """Scores of 0 for all would be one flat vote for everything."""
    nothing = Scoring("c/bm25", {}, {"b": 0.0, "d": 0.0})
    result = run([nothing, meaning()], **{"fusion.method": "combsum"})
    assert nothing.scored == []
    assert votes(result) == {"b": {"c/dense": (1, 0.9)}, "d": {"c/dense": (2, 0.8)}}
    assert order(result) == ["b", "d"]


def test_a_silenced_source_is_not_asked_for_scores_either():
    silenced = words()
    values = {"fusion.method": "combsum", "fusion.weights": {"c/bm25": 0}}
    result = run([silenced, meaning()], **values)
    assert silenced.scored == []
    assert order(result) == ["b", "d"]


def test_the_trace_keeps_found_and_completed_apart():
    rankings = {
        one.source: one
        for one in run([words(), meaning()], **{"fusion.method": "rrf"}).trace.rankings
    }
    assert rankings["c/dense"].completed == ()
    values = {"fusion.method": "relative"}
    rankings = {one.source: one for one in run([words(), meaning()], **values).trace.rankings}
    assert rankings["c/dense"].completed == (Found("a", 0.7),)
    assert [one.id for one in rankings["c/dense"].found] == ["b", "d"]


# --- over real sources ------------------------------------------------------------------


def real_sources():
    passages = list(PROSE.values())
    return [
        Memory(f"{COLLECTION}/bm25", COLLECTION, passages=passages, rank=ByWords()),
        Memory(
            f"{COLLECTION}/dense",
            COLLECTION,
            passages=passages,
            rank=ByMeaning(VECTORS, embed=lambda text: VECTORS[text]),
        ),
    ]


def asked(sources, *, depth, filters=()):
    """A plan and the rankings that it gives."""
    request = Request(text=QUESTION, filters=filters)
    asks = tuple(
        Ask(source=one.name, collection=one.collection, vote=one.name, request=request, depth=depth)
        for one in sources
    )
    todo = Plan(query=Query(text=QUESTION), intent="open", rule="none", asks=asks)
    rankings = [
        Ranking(
            source=one.name,
            collection=one.collection,
            found=tuple(asyncio.run(one.retrieve(request, limit=depth))),
        )
        for one in sources
    ]
    return todo, rankings


def completed(todo, rankings, sources, deadline_ms=20_000):
    named = {one.name: one for one in sources}
    return asyncio.run(complete(todo, rankings, named, deadline_ms=deadline_ms))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_completed_scores_are_those_that_a_deeper_search_would_give(depth):
    sources = real_sources()
    _, deep = asked(sources, depth=50)
    todo, rankings = asked(sources, depth=depth)
    union = {one.id for ranking in rankings for one in ranking.found}
    after, notes = completed(todo, rankings, sources)
    assert notes == ()
    for ranking, full, before in zip(after, deep, rankings, strict=True):
        assert ranking.found == before.found
        known = {one.id: one.score for one in full.found}
        scores = {one.id: one.score for one in (*ranking.found, *ranking.completed)}
        assert scores == pytest.approx({key: known.get(key, 0.0) for key in union})
        parts = [one.score for one in ranking.completed]
        assert parts == sorted(parts, reverse=True)


def test_a_filtered_passage_never_comes_in_by_completion():
    """One source forgets the filter; the other still says nothing of what must not be there."""
    filters = (Filter("place", "=", "Kent"),)
    words, meaning = real_sources()
    todo, rankings = asked([words, meaning], depth=50, filters=filters)
    stray = Found(PROSE["barn"].id, 0.6)
    rankings[0] = replace(rankings[0], found=(*rankings[0].found, stray))
    after, _ = completed(todo, rankings, [words, meaning])
    assert {one.id for one in after[1].found} == {PROSE["den"].id, PROSE["field"].id}
    assert after[1].completed == ()
    todo, rankings = asked([words, meaning], depth=1, filters=filters)
    after, _ = completed(todo, rankings, [words, meaning])
    seen = {one.id for ranking in after for one in (*ranking.found, *ranking.completed)}
    assert seen <= {PROSE["den"].id, PROSE["field"].id}


def test_sources_are_asked_for_scores_at_the_same_time():
    """Each waits for the other: one after the other, both would run into the deadline."""
    met, both = [], asyncio.Event()

    class Waiting(Scoring):
        async def score(self, request, ids):
            met.append(self.name)
            if len(met) == 2:
                both.set()
            await both.wait()
            return dict.fromkeys(ids, 0.1)

    pair = [Waiting("c/bm25", {"a": 1.0}), Waiting("c/dense", {"b": 1.0})]
    todo, rankings = asked(pair, depth=5)
    after, notes = completed(todo, rankings, pair, deadline_ms=60_000)
    assert notes == ()
    assert [one.completed for one in after] == [(Found("b", 0.1),), (Found("a", 0.1),)]


# --- in a workspace ---------------------------------------------------------------------


def test_in_a_workspace_the_engines_complete_one_another_and_filters_hold(
    opened, evidence, embedder
):
    space = opened(**{"fusion.method": "convex", "retrieve.depth": 1, "refine.mmr": 1})
    space.add([evidence])
    text = "at sea lenses"  # by words the lamps, by meaning a tower
    result = space.search(text, collections=["documents"], limit=1)
    question = embedder.embed_query(text)
    rankings = {one.source: one for one in result.trace.rankings}
    dense, words = rankings["documents/dense"], rankings["documents/bm25"]
    assert [len(one.found) for one in (dense, words)] == [1, 1]
    assert [one.id for one in dense.completed] == [one.id for one in words.found]
    assert [one.id for one in words.completed] == [one.id for one in dense.found]
    for one in (*dense.found, *dense.completed):
        (vector,) = embedder.embed([space.catalogue.get([one.id])[one.id].indexed])
        assert one.score == pytest.approx(float(vector @ question), abs=1e-3)
    assert {vote.source for vote in result.hits[0].votes} == set(rankings)
    assert total(result.hits[0]) == pytest.approx(result.hits[0].score, abs=1e-12)
    only = [Filter("height", ">", 40)]
    hits = space.search("Bell Rock light in Scotland", filters=only).hits
    assert hits
    assert all(hit.passage.metadata["height"] > 40 for hit in hits)
