"""The wiring: for each part, a test that fails when the part is disconnected."""

import asyncio
import threading
from dataclasses import replace

import pytest

from consilience.engine import Engine, search
from consilience.engine.plan import Knowledge
from consilience.explain import total
from consilience.pack import Files, Pack, Questions, Rule
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Boost, Filter, Found, Query
from consilience.understand.names import Mention


@pytest.fixture
def ask(passage):
    """Search over scripted sources; every id has a passage of its own collection."""

    def run(sources, question="words", *, made=(), query=None, parts=None, **values):
        pack, names = values.pop("pack", None), values.pop("names", ())
        kinds = {one.id: one.passage for one in made}
        homes = {found.id: source.collection for source in sources for found in source._found}
        passages = {
            key: kinds.get(key) or passage(key, f"all about {key} {key * 3}", collection=home)
            for key, home in homes.items()
        }
        settings = build_settings(
            {
                "fusion.method": "rrf",
                "refine.mmr": 1,
                "retrieve.hard_ms": 20_000,
                **values,
            }
        )
        engine = Engine(
            sources={one.name: one for one in sources},
            lookup=lambda ids: {key: passages[key] for key in ids if key in passages},
            settings=settings,
            **(parts or {}),
            knowledge=Knowledge(
                sources={one.name: one.collection for one in sources},
                sizes={},
                pack=pack or Pack(name="p", summary="", files=Files(collections={"*": "c"})),
                settings=settings,
                mentions=lambda surfaces: [one for one in names if one.surface in surfaces],
                aliases=lambda node, collection: [],
                synonyms={"tower": ("lighthouse",)},
                fields={"c": frozenset({"Year"})},
            ),
        )
        return asyncio.run(search(Query(text=question, **(query or {})), engine))

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
    even = ask(sources, query={"limit": 30}, **loose)
    tilted = ask(sources, query={"limit": 30}, **loose, **{"fusion.weights": {"g": 1.3}})
    count = lambda result: sum(key.startswith("g") for key in ids(result))  # noqa: E731
    assert count(even) == 15
    assert count(tilted) == 17  # 57 % of 30, not all of them


def test_a_collection_that_has_nothing_near_has_less_to_say(ask):
    near = source("c/dense", "c0 c1 c2 c3 c4 c5", start=20.0)
    far = source("g/dense", "g0 g1 g2 g3 g4 g5", start=5.0)
    even = ask([near, far], **{"fusion.lean": 0})
    leaning = ask([near, far], **{"fusion.lean": 2})
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


def test_expansion_can_be_left_out_of_a_query(ask):
    words, meaning = source("c/bm25", "a"), source("c/dense", "a b")
    result = ask([words, meaning], "tower", query={"expand": False})
    assert words.asked[0].terms == ()
    assert [request.text for request in meaning.asked] == ["tower"]
    assert {vote.source for vote in result.hits[0].votes} == {"c/bm25", "c/dense"}


@pytest.mark.parametrize("weight", [0.3, 0.7])
def test_the_second_vote_weighs_what_the_settings_say(ask, weight):
    sources = [source("c/bm25", "a"), source("c/dense", "a b")]
    hit = ask(sources, "tower", **{"fusion.expansion": weight}).hits[0]
    second = next(vote for vote in hit.votes if vote.source == "c/dense+terms")
    assert second.weight == weight
    assert second.contribution == pytest.approx(weight / 61)


def test_a_soft_boost_moves_and_drops_nothing(ask, passage):
    made = [Found("d", 1.0, passage("d", "other", collection="c", metadata={"year": 1811}))]
    wish = Boost(condition=Filter("year", "=", 1811), factor=1.0, reason="1811")
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(boosts=lambda reading: (wish,)),
    )
    result = ask([source("c/bm25", "a b d")], made=made, pack=pack)
    assert ids(result) == ["d", "a", "b"]


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
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )
    made = [Found("z", 1.0, passage("z", "the game", collection="c", kind="game"))]
    letters = "a b d e f g h i j k l z"
    found = ids(ask([source("c/bm25", letters)], made=made, pack=pack))
    assert found.index("z") == 9
    assert "z" not in ids(ask([source("c/bm25", letters)], made=made))


def test_a_kind_that_one_source_alone_finds_is_covered_from_beyond_the_window(ask, passage):
    rule = Rule(name="r", intent="i", fires=lambda _: True, cover={"path": 1})
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )
    made = [Found("z", 1.0, passage("z", "from a to b", collection="c", kind="path"))]
    crowd = " ".join(f"c{number:02}" for number in range(40))
    sources = [source("c/bm25", crowd), source("c/dense", crowd), source("c/made", "z y")]
    result = ask(sources, made=made, pack=pack)
    assert [key for key, _ in result.trace.fused].index("z") == 40
    assert ids(result)[0] == "z"
    assert "y" not in {one.id for one in result.trace.losses}
    plain = ask(sources, made=made)
    assert "z" not in {*ids(plain), *(one.id for one in plain.trace.losses)}


def test_the_shortest_of_what_joins_two_named_nodes_is_the_path_that_is_meant(ask, passage):
    rule = Rule(name="r", intent="i", fires=lambda _: True, cover={"path": 1})
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )
    names = [Mention(one, "c", "node", "", one) for one in ("kent", "bath")]
    ends = {"source": "kent", "target": "bath"}
    made = [
        Found(key, 1.0, passage(key, f"road {key}", collection="c", kind=kind, metadata=metadata))
        for key, kind, metadata in (
            ("far", "path", {**ends, "target": "york", "length": 2}),
            ("long", "path", {**ends, "length": 3}),
            ("short", "path", {**ends, "length": 2}),
            ("edge", "edge", {**ends, "length": 170}),
        )
    ]
    run = lambda found: ids(  # noqa: E731
        ask([source("c/made", found)], "kent to bath", made=made, pack=pack, names=names)
    )
    assert run("a far long short edge") == ["edge", "a", "far", "long", "short"]
    assert run("a far long short") == ["short", "a", "far", "long"]
    assert run("a far") == ["far", "a"]


def test_an_exact_identifier_is_promoted(ask, passage):
    made = [Found("z", 1.0, passage("z", "it is order 42 of 1810", collection="c"))]
    letters = "a b d e f g z"
    assert ids(ask([source("c/bm25", letters)], 'find "order 42"', made=made))[0] == "z"
    assert ids(ask([source("c/bm25", letters)], "find order 42", made=made))[-1] == "z"


def test_the_share_cap_is_connected(ask):
    sources = [source("c/dense", " ".join(f"c{n}" for n in range(30))), source("g/dense", "x y")]
    heavy = {"fusion.weights": {"c": 50}}
    assert ids(ask(sources, query={"limit": 30}, **heavy)).index("x") < 20
    assert ids(ask(sources, query={"limit": 32}, **heavy, **{"refine.share": 1})).index("x") >= 20


def test_the_share_cap_holds_for_thirty_results_however_far_behind_the_others_are(ask):
    sources = [
        source("c/dense", " ".join(f"c{n}" for n in range(50))),
        source("g/dense", " ".join(f"g{n}" for n in range(50))),
    ]
    found = ids(ask(sources, query={"limit": 30}, **{"fusion.weights": {"c": 500}}))
    assert sum(key.startswith("c") for key in found) == 18


class Backwards:
    name = "backwards"

    async def rerank(self, text, passages):
        return list(range(len(passages)))


def test_the_reranker_is_connected_and_can_be_left_out(ask):
    sources, parts = [source("c/bm25", "a b d")], {"reranker": Backwards()}
    assert ids(ask(sources, parts=parts, **{"refine.blend": 1})) == ["d", "b", "a"]
    assert ids(ask(sources, parts=parts, **{"refine.blend": 0})) == ["a", "b", "d"]
    without = ask(sources, parts=parts, query={"rerank": False}, **{"refine.blend": 1})
    assert ids(without) == ["a", "b", "d"]


class Slow(Backwards):
    async def rerank(self, text, passages):
        await asyncio.sleep(30)


def test_a_reranker_is_waited_for_as_long_as_the_settings_say(ask):
    sources, parts = [source("c/bm25", "a b d")], {"reranker": Slow()}
    result = ask(sources, parts=parts, **{"refine.rerank_ms": 20})
    assert ids(result) == ["a", "b", "d"]
    assert "backwards: no answer within 20 ms; the order is the fused one" in map(str, result.notes)


@pytest.mark.parametrize(
    ("values", "expected", "notes"),
    [
        ({}, "z a b d e", 0),
        ({"refine.few": 6}, "z a b d e", 1),
        ({"refine.pinned": 0}, "a b d e z", 0),
        ({"refine.duplicate": 0.5}, "z a d e", 1),
        ({"refine.mmr": 0.3}, "a d z e b", 0),
        ({"refine.blend": 1, "refine.rerank": 2}, "z b a d e", 0),
        ({"refine.blend": 1, "refine.rerank": 4}, "z e d b a", 0),
    ],
    ids=str,
)
def test_every_setting_of_refining_is_connected(ask, passage, values, expected, notes):
    text = "fresnel arranged glass prisms in rings around the lamp to throw its light far away"
    made = [
        Found("a", 1.0, passage("a", text, collection="c")),
        Found("b", 1.0, passage("b", text + " over a dark sea", collection="c")),
        Found("z", 1.0, passage("z", "it is order 42 of 1810", collection="c")),
    ]
    settings = {"refine.blend": 0, **values}
    parts = {"reranker": Backwards()}
    sources = [source("c/bm25", "a b d e z")]
    result = ask(sources, 'find "order 42"', made=made, parts=parts, **settings)
    assert ids(result) == expected.split()
    assert len(result.notes) == notes


def test_diversity_looks_at_the_places_that_are_shown_and_no_further(ask, passage):
    text = "fresnel arranged glass prisms in rings around the lamp to throw its light far away"
    made = [
        Found("a", 1.0, passage("a", text, collection="c")),
        Found("b", 1.0, passage("b", text + " over a dark sea", collection="c")),
    ]
    run = lambda limit: ask(  # noqa: E731
        [source("c/bm25", "a b d")], made=made, query={"limit": limit}, **{"refine.mmr": 0.3}
    )
    assert ids(run(2)) == ["a", "d"]
    assert [(one.id, one.place) for one in run(1).trace.losses] == [("b", 2), ("d", 3)]


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


class Phrases:
    """A look-up of phrases over given passages; it keeps who asked for what."""

    def __init__(self, *passages):
        self.passages = passages
        self.asked = []
        self.threads = set()

    def __call__(self, phrase, limit):
        self.asked.append((phrase, limit))
        self.threads.add(threading.current_thread())
        return self.passages[:limit]


@pytest.fixture
def order(passage):
    """A passage with the identifier that no source finds."""
    values = {"collection": "c", "metadata": {"Year": 1810}}
    return lambda key="z", **more: passage(key, "it is Order-42 of 1810", **{**values, **more})


LETTERS = "a b d e f g"


def test_an_identifier_is_found_though_no_source_ranked_it(ask, order):
    phrases = Phrases(order())
    result = ask([source("c/bm25", LETTERS)], 'find "order 42"', parts={"phrases": phrases})
    assert ids(result) == ["z", *LETTERS.split()]
    first = result.hits[0]
    assert first.votes == ()
    assert total(first) == first.score == 0.0
    assert first.changes[-1].step == "exact identifier"
    assert result.notes == ()


def test_an_identifier_from_beyond_the_window_keeps_its_votes(ask, order):
    crowd = " ".join(f"c{number:02}" for number in range(40))
    sources = [source("c/bm25", f"{crowd} z")]
    phrases = Phrases(order("y"), order())
    made = [Found("z", 1.0, order())]
    first = ask(sources, 'find "order 42"', made=made, parts={"phrases": phrases}).hits[0]
    assert first.passage.id == "z"
    assert total(first) == first.score == pytest.approx(1 / 101)


def test_a_phrase_is_looked_up_beside_the_loop_and_only_where_the_window_has_none(ask, order):
    phrases = Phrases(order())
    ask([source("c/bm25", LETTERS)], 'find "order 42"', parts={"phrases": phrases})
    assert [phrase for phrase, _ in phrases.asked] == ["order 42"]
    assert threading.main_thread() not in phrases.threads
    for question, values in (
        ("find order 42", {}),
        ('"all about a"', {}),
        ('find "order 42"', {"refine.pinned": 0}),
        ('find "?!"', {}),
    ):
        idle = Phrases(order())
        ask([source("c/bm25", LETTERS)], question, parts={"phrases": idle}, **values)
        assert idle.asked == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, True),
        ({"filters": (Filter("year", "=", 1810),)}, True),
        ({"filters": (Filter("year", "=", 1811),)}, False),
        ({"filters": (Filter("kind", "=", "row"),)}, False),
        ({"collections": ("c",)}, True),
        ({"collections": ("g",)}, False),
    ],
    ids=str,
)
def test_an_identifier_is_bound_by_filters_and_collections(ask, order, query, expected):
    sources = [source("c/bm25", "a b"), source("g/bm25", "x y")]
    parts = {"phrases": Phrases(order())}
    result = ask(sources, 'find "order 42"', parts=parts, query=query)
    assert ("z" in ids(result)) is expected
    said = [note.message for note in result.notes if "exactly" in note.message]
    assert said == ([] if expected else ["no passage that was asked for has 'order 42' exactly"])


def test_a_collection_that_weighs_nothing_gives_no_identifiers_either(ask, order):
    sources = [source("c/bm25", "a b"), source("g/bm25", "x y")]
    parts = {"phrases": Phrases(order(collection="g"))}
    assert "z" in ids(ask(sources, '"order 42"', parts=parts))
    assert "z" not in ids(ask(sources, '"order 42"', parts=parts, **{"fusion.weights": {"g": 0}}))


def test_a_phrase_that_nothing_has_is_remarked_on(ask, order):
    result = ask(
        [source("c/bm25", LETTERS)],
        'a "flying purple hippopotamus"',
        parts={"phrases": Phrases(order())},
    )
    assert [note.message for note in result.notes] == [
        "no passage has 'flying purple hippopotamus' exactly"
    ]
    assert ids(result) == LETTERS.split()


def test_a_phrase_is_looked_for_until_the_look_up_has_no_more(ask, order, passage):
    loose = [passage(f"l{number}", "an order of 42", collection="c") for number in range(500)]
    phrases = Phrases(*loose, order())
    result = ask([source("c/bm25", LETTERS)], 'find "order 42"', parts={"phrases": phrases})
    assert ids(result) == ["z", *LETTERS.split()]
    assert len(phrases.asked) == 2


def test_a_phrase_is_not_said_to_be_nowhere_when_not_all_was_looked_at(ask, passage):
    loose = [passage(f"l{number}", "an order of 42", collection="c") for number in range(2000)]
    parts = {"phrases": Phrases(*loose)}
    result = ask([source("c/bm25", LETTERS)], 'find "order 42"', parts=parts)
    assert [note.message for note in result.notes] == [
        "none of 2000 passages has 'order 42' exactly"
    ]


def test_no_more_passages_are_added_for_a_phrase_than_have_places(ask, passage):
    texts = ("lamp", "lens", "tower", "keeper")
    having = [
        passage(f"z{place}", f"order 42 is of the {text}, a {text * 2} or {text * 3}, says {text}s")
        for place, text in enumerate(texts)
    ]
    parts = {"phrases": Phrases(*(replace(one, collection="c") for one in having))}
    sources = [source("c/bm25", "a b d")]
    result = ask(sources, '"order 42"', parts=parts, **{"refine.pinned": 2})
    assert ids(result) == ["z0", "a", "b", "d", "z1"]
