"""The wiring: for each part, a test that fails when the part is disconnected."""

import asyncio

import pytest

from consilience.explain import total
from consilience.packs import Pack, Rule
from consilience.pipeline import Engine, search
from consilience.plan import Knowledge
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Boost, Filter, Found, Query


@pytest.fixture
def ask(passage):
    """Search over scripted sources; every id has a passage of its own collection."""

    def run(sources, question="words", *, limit=10, reranker=None, pack=None, made=(), **values):
        kinds = {one.id: one.passage for one in made}
        homes = {found.id: source.collection for source in sources for found in source._found}
        passages = {
            key: kinds.get(key) or passage(key, f"all about {key} {key * 3}", collection=home)
            for key, home in homes.items()
        }
        settings = build_settings({"refine.mmr": 1, "retrieve.hard_ms": 20_000, **values})
        engine = Engine(
            sources={one.name: one for one in sources},
            lookup=lambda ids: {key: passages[key] for key in ids if key in passages},
            settings=settings,
            reranker=reranker,
            knowledge=Knowledge(
                sources={one.name: one.collection for one in sources},
                sizes={},
                pack=pack or Pack(name="p", summary="", collections={"*": "c"}),
                settings=settings,
                mentions=lambda surfaces: [],
                aliases=lambda node: [],
                synonyms={"tower": ("lighthouse",)},
            ),
        )
        return asyncio.run(search(Query(text=question, limit=limit), engine))

    return run


def source(name, ids, *, start=10.0):
    collection = name.split("/")[0]
    return Scripted(
        name,
        collection,
        found=[Found(key, start - place) for place, key in enumerate(ids.split())],
    )


def ids(result):
    return [hit.passage.id for hit in result.hits]


def test_the_union_is_fused_so_words_never_merely_reorder_meaning(ask):
    result = ask([source("c/bm25", "a b"), source("c/dense", "b d")])
    assert ids(result) == ["b", "a", "d"]
    assert result.hits[0].score == pytest.approx(1 / 62 + 1 / 61)


def test_contributions_add_up_at_both_levels(ask):
    sources = [source("c/bm25", "a b"), source("c/dense", "b d"), source("g/dense", "x y")]
    for hit in ask(sources).hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
        for vote in hit.votes:
            assert vote.parts
            assert sum(part.contribution for part in vote.parts) == pytest.approx(vote.score)


@pytest.mark.parametrize("weights", [{"c/bm25": 3}, {"bm25": 3}])
def test_a_source_s_weight_changes_the_order(ask, weights):
    sources = [source("c/bm25", "a b"), source("c/dense", "d b")]
    plain = ask(sources)
    weighted = ask(sources, **{"fusion.weights": weights})
    assert ids(plain) == ["b", "a", "d"]
    assert ids(weighted) == ["b", "a", "d"]
    assert weighted.hits[1].score == pytest.approx(3 / 61)
    lone = ask([source("c/bm25", "a"), source("c/dense", "d")], **{"fusion.weights": {"dense": 2}})
    assert ids(lone) == ["d", "a"]


def test_a_collection_s_weight_is_a_share_of_voice(ask):
    sources = [
        source("c/dense", " ".join(f"c{n:02}" for n in range(40))),
        source("g/dense", " ".join(f"g{n:02}" for n in range(40))),
    ]
    loose = {"refine.share": 1}
    even = ask(sources, limit=30, **loose)
    tilted = ask(sources, limit=30, **loose, **{"fusion.weights": {"g": 1.3}})
    count = lambda result: sum(key.startswith("g") for key in ids(result))  # noqa: E731
    assert count(even) == 15
    assert count(tilted) == 17  # 57 % of 30, not all of them


def test_a_collection_that_has_nothing_near_has_less_to_say(ask):
    near = source("c/dense", "c0 c1 c2 c3 c4 c5", start=20.0)
    far = source("g/dense", "g0 g1 g2 g3 g4 g5", start=5.0)
    even = ask([near, far], **{"fusion.lean": 0})
    leaning = ask([near, far])
    assert ids(even)[:4] == ["c0", "g0", "c1", "g1"]
    assert ids(leaning)[:6] == ["c0", "c1", "g0", "c2", "c3", "c4"]
    assert leaning.trace.shares["c"] == 1.0
    assert leaning.hits[-1].votes[0].weight == leaning.trace.shares["g"] < 0.5


def test_the_fuser_of_the_settings_is_the_one_used(ask):
    sources = [source("c/bm25", "a b"), source("c/dense", "b d")]
    assert ask(sources, **{"fusion.method": "isr"}).hits[0].score != ask(sources).hits[0].score
    assert ask(sources, **{"fusion.k": 1}).hits[0].score == pytest.approx(1 / 3 + 1 / 2)


def test_expanded_terms_reach_words_and_give_meaning_a_second_vote(ask):
    words, meaning = source("c/bm25", "a"), source("c/dense", "a b")
    result = ask([words, meaning], "tower")
    assert [term.text for term in words.asked[0].terms] == ["lighthouse"]
    assert [request.text for request in meaning.asked] == ["tower", "tower lighthouse"]
    assert {vote.source for vote in result.hits[0].votes} == {
        "c/bm25",
        "c/dense",
        "c/dense+terms",
    }


def test_a_soft_boost_moves_and_drops_nothing(ask, passage):
    made = [Found("d", 1.0, passage("d", "other", collection="c", metadata={"year": 1811}))]
    wish = Boost(condition=Filter("year", "=", 1811), factor=1.0, reason="1811")
    pack = Pack(name="p", summary="", collections={"*": "c"}, boosts=lambda text: (wish,))
    result = ask([source("c/bm25", "a b d")], made=made, pack=pack)
    assert ids(result) == ["d", "a", "b"]


def test_the_agreement_bonus_is_connected(ask):
    sources = [source("c/bm25", "a b"), source("c/dense", "b")]
    assert ask(sources, **{"fusion.bonus": 0.5}).hits[0].score == pytest.approx(
        1.5 * (1 / 62 + 1 / 61)
    )


def test_duplicates_are_merged_and_the_trace_knows(ask, passage):
    text = "one and the same sentence about a light on a rock far out at sea"
    made = [Found(key, 1.0, passage(key, text, collection="c")) for key in ("a", "b")]
    result = ask([source("c/bm25", "a b d")], made=made)
    assert ids(result) == ["a", "d"]
    assert result.trace.losses[0].into == "a"


def test_diversity_is_connected(ask, passage):
    text = "fresnel arranged glass prisms in rings around the lamp to throw its light far away"
    made = [
        Found("a", 1.0, passage("a", text, collection="c")),
        Found("b", 1.0, passage("b", text + " over a dark sea", collection="c")),
    ]
    sources = [source("c/bm25", "a b d")]
    assert ids(ask(sources, made=made)) == ["a", "b", "d"]
    assert ids(ask(sources, made=made, **{"refine.mmr": 0.3})) == ["a", "d", "b"]


def test_guard_rails_are_connected(ask, passage):
    rule = Rule(name="r", intent="i", fires=lambda _: True, cover={"game": 10})
    pack = Pack(name="p", summary="", collections={"*": "c"}, rules=(rule,))
    made = [Found("z", 1.0, passage("z", "the game", collection="c", kind="game"))]
    letters = "a b d e f g h i j k l z"
    found = ids(ask([source("c/bm25", letters)], made=made, pack=pack))
    assert found.index("z") == 9
    assert "z" not in ids(ask([source("c/bm25", letters)], made=made))


def test_an_exact_identifier_is_promoted(ask, passage):
    made = [Found("z", 1.0, passage("z", "it is order 42 of 1810", collection="c"))]
    letters = "a b d e f g z"
    assert ids(ask([source("c/bm25", letters)], 'find "order 42"', made=made))[0] == "z"
    assert ids(ask([source("c/bm25", letters)], "find order 42", made=made))[-1] == "z"


def test_the_share_cap_is_connected(ask):
    sources = [source("c/dense", " ".join(f"c{n}" for n in range(30))), source("g/dense", "x y")]
    heavy = {"fusion.weights": {"c": 50}}
    assert ids(ask(sources, limit=30, **heavy)).index("x") < 20
    assert ids(ask(sources, limit=32, **heavy, **{"refine.share": 1})).index("x") >= 20


class Backwards:
    name = "backwards"

    async def rerank(self, text, passages):
        return list(range(len(passages)))


def test_the_reranker_is_connected_and_can_be_left_out(ask):
    sources = [source("c/bm25", "a b d")]
    assert ids(ask(sources, reranker=Backwards(), **{"refine.blend": 1})) == ["d", "b", "a"]
    assert ids(ask(sources, reranker=Backwards(), **{"refine.blend": 0})) == ["a", "b", "d"]


def test_a_passage_that_a_source_brings_along_needs_no_catalogue(ask, passage):
    path = passage("p" * 16, "A → (requires) → B", collection="g", kind="path", document="")
    made = Scripted("g/made", "g", found=[Found(path.id, 1.0, path)])
    assert ids(ask([made])) == [path.id]


def test_an_id_that_nothing_stands_behind_is_remarked_on(ask):
    class Stale(Scripted):
        async def retrieve(self, request, *, limit):
            return [Found("gone", 2.0), Found("a", 1.0)]

    stale = Stale("c/bm25", "c", found=[Found("a", 1.0)])
    result = ask([stale])
    assert ids(result) == ["a"]
    assert "1 stale results left out" in result.notes[0].message


def test_identical_runs_are_identical(ask):
    sources = [source("c/bm25", "a b d"), source("c/dense", "d b a"), source("g/dense", "x y")]
    first, second = ask(sources), ask(sources)
    assert first.hits == second.hits


def test_every_stage_is_timed(ask):
    timing = ask([source("c/bm25", "a")]).trace.timing_ms
    assert list(timing) == ["plan", "retrieve", "fuse", "look up", "refine"]
    assert all(ms >= 0 for ms in timing.values())
