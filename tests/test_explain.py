"""Why a passage is not there: the step, the reason, and advice that works when it is taken."""

import asyncio
import re
from dataclasses import replace

import pytest

from consilience.engine import Engine, search
from consilience.engine.plan import Knowledge
from consilience.errors import SourceError
from consilience.explain import why_not
from consilience.pack import Files, Pack, Questions, Rule
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Filter, Found, Query

LETTERS = [f"k{number:02}" for number in range(40)]


def source(name, keys, **more):
    found = [Found(key, 100.0 - place) for place, key in enumerate(keys)]
    return Scripted(name, name.split("/")[0], found=found, **more)


@pytest.fixture
def built(passage):
    """An engine over scripted sources; every id has a passage, with a text of its own if given."""

    def build(*sources, texts=None, known=None, pack=None, sizes=None, **values):
        homes = {found.id: one.collection for one in sources for found in one._found}
        passages = {
            key: passage(key, (texts or {}).get(key, f"all about {key}"), collection=home)
            for key, home in homes.items()
        }
        passages.update(known or {})
        settings = build_settings({"refine.mmr": 1, "retrieve.hard_ms": 20_000, **values})
        return Engine(
            sources={one.name: one for one in sources},
            lookup=lambda ids: {key: passages[key] for key in ids if key in passages},
            settings=settings,
            knowledge=Knowledge(
                sources={one.name: one.collection for one in sources},
                sizes=sizes or {},
                pack=pack or Pack(name="p", summary="", files=Files(collections={"*": "c"})),
                settings=settings,
                mentions=lambda surfaces: [],
                aliases=lambda *names: [],
                synonyms={},
            ),
        )

    return build


def absent(engine, key, query=None, **more):
    asked = query or Query(text="words", limit=5)
    wanted = key if not isinstance(key, str) else engine.lookup([key])[key]
    return asyncio.run(why_not(asked, wanted, engine, **more))


def taken(advice, engine, query=None):
    """The ids that a search gives when the advice is taken."""
    query = query or Query(text="words", limit=5)
    settings = engine.settings
    for name, value in re.findall(r"set ([\w.]+) to ([\d.]+)", advice):
        section, last = name.split(".")
        part = getattr(settings, section)
        changed = replace(part, **{last: type(getattr(part, last))(float(value))})
        settings = replace(settings, **{section: changed})
    for limit in re.findall(r"limit of (\d+)", advice):
        query = replace(query, limit=int(limit))
    engine = replace(
        engine, settings=settings, knowledge=replace(engine.knowledge, settings=settings)
    )
    return [hit.passage.id for hit in asyncio.run(search(query, engine)).hits]


def ways(advice):
    return advice.split(", or ")


# --- lost by refining -------------------------------------------------------------------


def test_a_cut_names_a_limit_that_works(built):
    engine = built(source("c/bm25", LETTERS))
    found = absent(engine, "k08")
    assert found.step == "cut"
    assert found.remedy == "ask for a limit of 9"
    assert "k08" in taken(found.remedy, engine)


@pytest.mark.parametrize("key", ["k05", "k07", "k09", "k15", "k25"])
def test_advice_against_diversity_works_though_the_limit_moves_it(built, key):
    same = "glass prisms stand in rings around the lamp and throw its light far out"
    texts = {one: f"{same} {one}" for one in LETTERS[1::2]}
    engine = built(source("c/bm25", LETTERS), texts=texts, **{"refine.mmr": 0.3})
    found = absent(engine, key)
    for way in ways(found.remedy):
        assert key in taken(way, engine)


def test_where_no_longer_list_can_be_asked_for_the_collection_alone_is(built):
    engine = built(source("a/x", LETTERS[:20]), source("b/x", LETTERS[20:]))
    whole = absent(engine, LETTERS[35])
    wanted = int(re.search(r"limit of (\d+)", whole.remedy)[1])
    assert absent(engine, LETTERS[35], most=wanted).remedy == whole.remedy
    bounded = absent(engine, LETTERS[35], most=wanted - 1)
    assert "ask b alone" in bounded.remedy
    narrow = Query(text="words", limit=5, collections=("b",))
    assert LETTERS[35] in taken(bounded.remedy, engine, narrow)
    assert all(int(one) < wanted for one in re.findall(r"limit of (\d+)", bounded.remedy))
    assert "limit of" not in absent(engine, LETTERS[35], narrow, most=5).remedy


def test_a_step_is_blamed_only_if_it_moved_the_passage_past_the_limit(built):
    engine = built(
        source("c/dense", LETTERS),
        source("g/dense", ["x", "y"]),
        **{"fusion.weights": {"c": 50}, "refine.window": 50},
    )
    query = Query(text="words", limit=20)
    assert absent(engine, "k19", query).step == "share cap"
    assert absent(engine, "k25", query).step == "cut"


def test_what_gave_way_is_told_to_whom_and_in_sentences(built, passage):
    rule = Rule(name="r", intent="i", fires=lambda _: True, cover={"game": 5})
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )
    game = passage("k20", "the game", collection="c", kind="game")
    engine = built(source("c/bm25", LETTERS), pack=pack, known={"k20": game})
    found = absent(engine, "k04")
    assert found.step == "coverage"
    assert "its place went to a kind of evidence that this question calls for" in found.reasons
    assert found.remedy == "ask for a limit of 6"
    exact = passage("k20", "order 42", collection="c")
    engine = built(source("c/bm25", LETTERS), known={"k20": exact})
    query = Query(text='find "order 42"', limit=5)
    found = absent(engine, "k04", query)
    assert found.step == "exact identifier"
    assert ways(found.remedy) == ["ask for a limit of 6", "set refine.pinned to 0"]
    for way in ways(found.remedy):
        assert "k04" in taken(way, engine, query)


TEXT = "the light was first shown in the winter of that year by two keepers and a boy from town"


def test_a_near_copy_comes_back_when_the_advice_is_taken(built):
    engine = built(source("c/bm25", LETTERS), texts={"k00": TEXT, "k02": f"{TEXT} nearby"})
    found = absent(engine, "k02")
    assert found.step == "dedupe"
    assert found.reasons == ("nearly the same text as k00, which stands for both",)
    look, change = ways(found.remedy)
    assert look == "look at k00, at place 1"
    assert "k02" in taken(change, engine)


def test_the_same_text_is_looked_at_where_it_stands(built):
    engine = built(source("c/bm25", LETTERS), texts={"k00": TEXT, "k02": TEXT.upper()})
    found = absent(engine, "k02")
    assert found.reasons == ("the same text as k00, which stands for both",)
    assert found.remedy == "look at k00, at place 1"


def test_the_same_thing_is_not_said_to_be_the_same_text(built, passage):
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}, identities={"row": lambda one: one.metadata["cell"]}),
    )
    known = {
        key: passage(key, f"row {key}", collection="c", kind="row", metadata={"cell": "7"})
        for key in ("k00", "k02")
    }
    found = absent(built(source("c/bm25", LETTERS), pack=pack, known=known), "k02")
    assert found.reasons == ("the same row as k00, which stands for both",)
    assert "duplicate" not in found.remedy


def test_a_copy_of_what_was_cut_is_told_both(built):
    texts = {"k10": TEXT, "k12": f"{TEXT} nearby"}
    engine = built(source("c/bm25", LETTERS), texts=texts)
    found = absent(engine, "k12")
    assert found.step == "dedupe"
    assert found.reasons[1].startswith("k10 was cut in its turn: place 11")
    stand_in, itself = ways(found.remedy)
    assert stand_in == "ask for a limit of 11 to see k10"
    assert "k10" in taken(stand_in, engine)
    assert "k12" in taken(itself, engine)


# --- outside the window, and never retrieved --------------------------------------------


def test_the_window_takes_a_combination(built):
    engine = built(source("c/bm25", LETTERS), **{"refine.window": 10})
    found = absent(engine, "k30")
    assert found.step == "window"
    assert found.reasons == ("fused at place 31; the first 10 are looked at",)
    assert "k30" in taken(found.remedy, engine)


def test_what_lies_too_deep_takes_a_combination_that_was_tried(built):
    engine = built(
        source("c/bm25", LETTERS), **{"retrieve.depth": 5, "refine.window": 5, "refine.mmr": 0.5}
    )
    found = absent(engine, "k30")
    assert found.step == "retrieve"
    assert found.reasons == ("c/bm25: true rank 31, its score 70.0000; asked for 5",)
    assert "k30" in taken(found.remedy, engine)


def test_depth_alone_is_advised_when_it_is_enough(built):
    words = source("c/bm25", ["a", "b"])
    engine = built(
        words, source("c/dense", ["d", "a", "k"]), **{"retrieve.depth": 2, "fusion.k": 1}
    )
    query = Query(text="words", limit=2)
    found = absent(engine, "k", query)
    assert "k" in taken(found.remedy, engine, query)


class Approximate(Scripted):
    async def retrieve(self, request, *, limit):
        found = await super().retrieve(request, limit=limit)
        return [one for one in found if limit > 1000 or one.id != "k01"]


def test_a_passage_within_the_depth_was_missed_by_the_index(built):
    missing = Approximate("c/dense", "c", found=[Found(key, 1.0) for key in LETTERS[:3]])
    engine = built(missing, sizes={"c": 600_000})
    found = absent(engine, "k01")
    assert found.reasons[0].endswith("asked for 50, its shortened vectors missed it")
    assert "raise store.exact to 600000" in found.remedy
    assert "retrieve.depth" not in found.remedy


def test_a_weight_of_0_is_named_and_lifting_it_is_tried(built):
    engine = built(
        source("c/bm25", ["a"]), source("c/dense", ["k"]), **{"fusion.weights": {"dense": 0}}
    )
    found = absent(engine, "k")
    assert "c/dense: skipped: its weight is set to 0" in found.reasons
    assert found.remedy == "give dense a weight above 0 in fusion.weights"


def test_a_source_that_was_too_slow_is_named_and_given_more_time(built):
    late = source("c/dense", ["k"], delay_s=0.15)
    engine = built(source("c/bm25", ["a"]), late, **{"retrieve.hard_ms": 50})
    found = absent(engine, "k")
    assert "c/dense: slow: no answer within 50 ms; left out" in found.reasons
    assert found.remedy == "set retrieve.hard_ms to 500"
    assert "k" in taken(found.remedy, engine)


def test_a_source_that_fails_is_for_the_doctor(built):
    down = source("c/dense", ["k"], error=SourceError("down"))
    found = absent(built(source("c/bm25", ["a"]), down), "k")
    assert "c/dense: failed: down" in found.reasons
    assert found.remedy == "`consilience doctor` looks further"


class Fragile(Scripted):
    async def retrieve(self, request, *, limit):
        if limit > 1000:
            raise MemoryError("too many")
        return await super().retrieve(request, limit=limit)


def test_a_source_that_breaks_when_asked_for_more_is_told_of(built):
    engine = built(Fragile("c/dense", "c", found=[Found(key, 1.0) for key in LETTERS[:9]]))
    found = absent(built(*engine.sources.values(), **{"retrieve.depth": 5}), "k08")
    assert "MemoryError: too many" in found.reasons[0]


class Holding(Scripted):
    async def score(self, request, ids):
        return {}


def test_what_no_engine_holds_is_to_be_added(built, passage):
    known = {"k": passage("k", collection="c")}
    engine = built(Holding("c/dense", "c", found=[Found("a", 1.0)]), known=known)
    found = absent(engine, "k")
    assert found.reasons == ("c/dense: does not hold it",)
    assert "consilience add" in found.remedy
    waiting = absent(engine, "k", pending=True)
    assert (waiting.step, waiting.remedy) == ("index", "run `consilience add`")


def test_a_made_path_says_what_it_takes_to_make_it(built, passage):
    path = passage("p", "A → B", collection="c", kind="path", title="A → B")
    found = absent(built(source("c/paths", ["a"])), path)
    assert "it was made for a question, and is not made for this one" in found.reasons
    assert "name both ends in the question (A → B)" in found.remedy


def test_a_collection_without_sources_says_so(built, passage):
    stray = passage("s", collection="elsewhere")
    found = absent(built(source("c/bm25", ["a"]), known={"s": stray}), stray)
    assert found.reasons == ("no source holds anything of elsewhere",)
    assert "consilience add" in found.remedy


def test_trying_remedies_tells_the_breakers_nothing(built):
    down = source("c/dense", ["k"], error=SourceError("down"))
    engine = built(source("c/bm25", LETTERS), down, **{"retrieve.depth": 5, "retrieve.failures": 9})
    absent(engine, "k20")
    assert engine.breakers.of("c/dense").failures == 1


# --- on real engines --------------------------------------------------------------------


def asked(workspace, question, wanted, **more):
    passage = next(
        one
        for name in workspace.catalogue.counts()
        for one in workspace.catalogue.each(name)
        if wanted in one.text
    )
    query = Query(text=question, **more)
    found = asyncio.run(why_not(query, passage, workspace.engine))
    return passage.id, query, found


def test_why_not_says_when_it_is_there(workspace):
    _, _, found = asked(workspace, "granite", "granite")
    assert (found.step, found.place) == ("present", 1)


def test_why_not_knows_a_filter(workspace):
    _, _, found = asked(workspace, "granite", "granite", filters=(Filter("kind", "=", "row"),))
    assert found.step == "filter"
    assert "kind = row does not hold: it has 'document'" in found.reasons[0]
    assert found.remedy == "leave that filter out"
    _, _, found = asked(workspace, "granite", "granite", collections=("tables",))
    assert found.step == "filter"
    assert "which was not asked" in found.reasons[0]


def test_leaving_a_filter_out_may_take_a_limit_too(workspace):
    narrow = (Filter("kind", "=", "row"),)
    key, query, found = asked(workspace, "granite", "Fresnel", filters=narrow, limit=1)
    assert found.remedy.startswith("leave that filter out and ask for a limit of")
    assert key in taken(found.remedy, workspace.engine, replace(query, filters=()))


@pytest.mark.parametrize(
    ("step", "values"),
    [
        ("cut", {"refine.mmr": 1, "refine.share": 1}),
        ("retrieve", {"retrieve.depth": 1}),
        ("window", {"refine.window": 2, "refine.share": 1}),
    ],
)
def test_advice_works_on_real_engines(opened, evidence, step, values):
    space = opened(**values)
    space.add([evidence])
    key, query, found = asked(space, "granite", "Fresnel", limit=1)
    assert found.step == step
    assert key in taken(found.remedy, space.engine, query)


def test_why_not_finds_the_true_rank_of_what_was_never_retrieved(opened, evidence):
    space = opened(**{"retrieve.depth": 1})
    space.add([evidence])
    _, _, found = asked(space, "granite", "Fresnel", limit=1)
    reasons = dict(reason.split(": ", 1) for reason in found.reasons)
    assert reasons["documents/bm25"].startswith("does not match")
    assert int(reasons["documents/dense"].split("true rank ")[1].split(",")[0]) > 1


def test_why_not_names_the_passage_that_stands_for_it(opened, evidence):
    text = "# {}\n\nA lantern room was glazed with thick plate glass against gales and birds.\n"
    for name in ("North", "South"):
        (evidence / f"{name}.md").write_text(text.format(name))
    space = opened()
    space.add([evidence])
    hits = space.search("lantern room plate glass").hits
    passage = space.catalogue.resolve(hits[0].merged[0])
    query = Query(text="lantern room plate glass")
    found = asyncio.run(why_not(query, passage, space.engine))
    assert found.step == "dedupe"
    assert hits[0].passage.id[:12] in found.reasons[0]
    assert "at place 1" in found.remedy
