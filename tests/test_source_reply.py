"""What a source says besides what it found: each part of it must act, and be seen."""

import asyncio
from dataclasses import replace

import pytest

from consilience import json_output
from consilience.answer.evidence import chosen
from consilience.engine import Engine, search
from consilience.engine.pipeline import find_exact_matches
from consilience.engine.plan import Knowledge
from consilience.pack import Files, Pack, Questions, Rule
from consilience.settings import build_settings
from consilience.testing import Scripted, ScriptedGenerator
from consilience.types import (
    Ask,
    Boost,
    Filter,
    Found,
    Hit,
    Plan,
    Query,
    Request,
    SourceReply,
    Term,
    Topic,
)

LETTERS = "a b d e f g h i j k l z"


class Telling(Scripted):
    """A scripted source that says how it came to what it found."""

    def __init__(self, name, ids, *, proposes=(), **told):
        found = [Found(key, 20.0 - place) for place, key in enumerate(ids.split())]
        super().__init__(name, name.split("/")[0], found=found)
        self._told, self._proposes = told, proposes

    async def tell(self, request, *, limit):
        return SourceReply(found=tuple(await self.retrieve(request, limit=limit)), **self._told)

    async def propose(self, request, generator, *, limit):
        return SourceReply(found=tuple(Found(key, 1.0) for key in self._proposes), query="SELECT 1")


def plain_source(name, ids):
    found = [Found(key, 10.0 - place) for place, key in enumerate(ids.split())]
    return Scripted(name, name.split("/")[0], found=found)


@pytest.fixture
def engine(passage):
    def make(sources, *, pack=None, generator=None, metadata=None, kind="document", **values):
        made = {
            key.id: passage(
                key.id,
                f"all about {key.id * 3}",
                metadata=(metadata or {}).get(key.id, {}),
                kind=kind,
            )
            for one in sources
            for key in (*one._found, *(Found(key, 1.0) for key in getattr(one, "_proposes", ())))
        }
        settings = build_settings(
            {"fusion.method": "rrf", "refine.mmr": 1, "retrieve.hard_ms": 20_000, **values}
        )
        return Engine(
            sources={one.name: one for one in sources},
            lookup=lambda ids: {key: made[key] for key in ids if key in made},
            settings=settings,
            generator=generator,
            knowledge=Knowledge(
                sources={one.name: one.collection for one in sources},
                sizes={},
                pack=pack
                or Pack(
                    name="p",
                    summary="",
                    files=Files(collections={"*": "c"}),
                    questions=Questions(reads=SQL),
                ),
                settings=settings,
                mentions=lambda surfaces: [],
                aliases=lambda node, collection: [],
                synonyms={},
            ),
        )

    return make


SQL = frozenset({"sql"})


def ids(result):
    return [hit.passage.id for hit in result.hits]


def find(engine, **more):
    return asyncio.run(search(Query(text="words of a question"), engine, **more))


def test_what_a_source_took_the_question_for_is_a_note(engine):
    source = Telling("c/sql", "a b", steps=("no figure for May; April is the nearest",), query="Q")
    result = find(engine([source]))
    assert "c/sql: no figure for May; April is the nearest" in map(str, result.notes)
    told = json_output.result_json(result)["outcomes"]["c/sql"]
    assert (told["query"], told["steps"]) == ("Q", ["no figure for May; April is the nearest"])


def test_what_a_source_is_sure_of_stands_first_in_its_order(engine):
    words = plain_source("c/bm25", LETTERS)
    assert ids(find(engine([words, Telling("c/sql", "a l z")])))[:2] != ["z", "l"]
    result = find(engine([words, Telling("c/sql", "a l z", sure=("z", "l"))]))
    assert ids(result)[:2] == ["z", "l"]
    assert result.hits[0].changes[-1].step == "exact match"
    assert json_output.describe_moves(result.hits[0])


def test_what_a_source_is_sure_of_is_seen_though_far_behind(engine):
    many = " ".join(f"p{number}" for number in range(60))
    sources = [plain_source("c/bm25", many), plain_source("c/dense", many)]
    far = Telling("c/sql", f"{many} z", sure=("z",))
    assert ids(find(engine([*sources, far], **{"retrieve.depth": 100})))[0] == "z"


def test_where_something_is_missing_and_nobody_else_has_it_nothing_answers(engine):
    source = Telling("c/sql", "a b", missing=("March 2023",))
    result = find(engine([source]))
    assert result.abstained
    assert any("'March 2023'" in note.message for note in result.notes)
    assert json_output.result_json(result)["outcomes"]["c/sql"]["missing"] == ["March 2023"]
    assert not find(engine([Telling("c/sql", "a b")])).abstained


def test_what_is_missing_in_one_source_may_stand_in_another(engine):
    has = lambda passage, name: passage.id == "a" and name == "March 2023"  # noqa: E731
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(reads=SQL, has=has),
    )
    source = Telling("c/sql", "b", missing=("March 2023",))
    assert not find(engine([source, plain_source("c/bm25", "a b")], pack=pack)).abstained


def test_a_rule_leaves_sources_of_a_kind_out_and_says_why(engine):
    rule = Rule(name="r", intent="i", fires=lambda _: True, skips={"sql": "no figure is asked for"})
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,), reads=SQL),
    )
    source = Telling("c/sql", "a")
    result = find(engine([source, plain_source("c/bm25", "b")], pack=pack))
    assert source.asked == []
    assert [one.reason for one in result.trace.outcomes if one.source == "c/sql"] == [
        "no figure is asked for"
    ]


def test_only_a_source_that_reads_questions_itself_is_asked_without_names(engine):
    source = Telling("c/sql", "a")
    other = Pack(name="p", summary="", files=Files(collections={"*": "c"}))
    find(engine([source, plain_source("c/bm25", "b")], pack=other))
    assert source.asked == []
    find(engine([source]))
    assert len(source.asked) == 1


def test_a_field_that_is_read_badly_is_left_alone(engine):
    wish = Boost(condition=Filter("year", "=", 1811), factor=1.0, reason="1811")
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(boosts=lambda reading: (wish,)),
    )
    sources, known = [plain_source("c/bm25", "a b d")], {"d": {"year": 1811}}
    assert ids(find(engine(sources, pack=pack, metadata=known)))[0] == "d"
    left = {"refine.unread": "company, year"}
    assert ids(find(engine(sources, pack=pack, metadata=known, **left)))[0] == "a"


def test_a_model_s_proposal_is_a_vote_of_its_own(engine):
    generator = ScriptedGenerator([])
    sources = [Telling("c/sql", "", proposes=("z",)), plain_source("c/bm25", "a b")]
    result = find(engine(sources, generator=generator), proposing=True)
    assert "z" in ids(result)
    votes = {vote.source for hit in result.hits for vote in hit.votes}
    assert "c/sql+model" in votes
    assert json_output.result_json(result)["outcomes"]["c/sql+model"]["query"] == "SELECT 1"
    for without in (
        find(engine(sources, generator=generator)),
        find(engine(sources), proposing=True),
        find(engine(sources, generator=generator, **{"answer.propose": "no"}), proposing=True),
    ):
        assert "z" not in ids(without)


def test_nobody_proposes_where_a_source_is_sure_or_breaks_the_search(engine):
    generator = ScriptedGenerator([])
    sure = Telling("c/sql", "a", proposes=("z",), sure=("a",))
    assert "z" not in ids(find(engine([sure], generator=generator), proposing=True))

    class Breaking(Telling):
        async def propose(self, request, generator, *, limit):
            raise ValueError("the model writes rubbish")

    result = find(engine([Breaking("c/sql", "a")], generator=generator), proposing=True)
    assert ids(result) == ["a"]
    assert any("rubbish" in note.message for note in result.notes)


def test_what_a_rule_prefers_comes_first(engine):
    wish = Boost(condition=Filter("colour", "=", "red"), factor=9.0, reason="red ones answer")
    rule = Rule(name="r", intent="i", fires=lambda _: True, prefers=(wish,))
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )
    made = engine([plain_source("c/bm25", "a b z")], pack=pack, metadata={"z": {"colour": "red"}})
    assert ids(find(made))[0] == "z"


def test_sources_of_text_are_asked_again_of_what_answers_such_questions(engine):
    alone = Filter("kind", "=", "report")
    rule = Rule(name="r", intent="i", fires=lambda _: True, again=alone)
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,), reads=SQL),
    )
    words, meaning = plain_source("c/bm25", "a"), plain_source("c/dense", "b")
    looked_up = Telling("c/sql", "d")
    result = find(engine([words, meaning, looked_up], pack=pack))
    for source in (words, meaning):
        assert [one.filters for one in source.asked] == [(), (alone,)]
    assert len(looked_up.asked) == 1
    votes = {vote.source for hit in result.hits for vote in hit.votes}
    assert votes == {"c/bm25", "c/dense", "c/sql"}


def test_what_is_found_by_asking_again_has_its_own_score_in_the_source_s_ranking(engine):
    alone = Filter("kind", "=", "report")
    rule = Rule(name="r", intent="i", fires=lambda _: True, again=alone)
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(rules=(rule,)),
    )

    class Crowded(Scripted):
        async def retrieve(self, request, *, limit):
            return [Found("z", 3.0)] if alone in request.filters else self._found

    source = Crowded("c/bm25", "c", found=[Found("a", 9.0), Found("b", 2.0)])
    made = engine([source, plain_source("c/dense", "z")], pack=pack)
    ranking = next(one for one in find(made).trace.rankings if one.source == "c/bm25")
    assert [(one.id, one.score) for one in ranking.found] == [("a", 9.0), ("z", 3.0), ("b", 2.0)]


def test_a_wider_window_reaches_what_many_others_crowd_out(engine):
    many = " ".join(f"p{number}" for number in range(60))
    wish = Boost(condition=Filter("colour", "=", "red"), factor=99.0, reason="red ones answer")

    def first(**more):
        rule = Rule(name="r", intent="i", fires=lambda _: True, prefers=(wish,), **more)
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(rules=(rule,)),
        )
        source = plain_source("c/bm25", f"{many} z")
        known = {"z": {"colour": "red"}}
        return ids(find(engine([source], pack=pack, metadata=known, **{"retrieve.depth": 100})))[0]

    assert first() == "p0"
    assert first(window=3) == "z"


def test_what_the_pack_knows_to_be_absent_is_refused_unless_a_passage_has_it(engine):
    def abstained(word):
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(absent=lambda reading: (word,)),
        )
        return find(engine([plain_source("c/bm25", "a b")], pack=pack)).abstained

    assert abstained("Egypt")
    assert not abstained("aaa")


def test_what_is_absent_is_refused_however_sure_a_source_is(engine):
    def abstained(word):
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(reads=SQL, absent=lambda reading: (word,)),
        )
        return find(engine([Telling("c/sql", "a b", sure=("a",))], pack=pack)).abstained

    assert abstained("Egypt")
    assert not abstained("aaa")


def test_prose_answers_for_a_source_only_where_it_has_all_that_is_named(engine, passage):
    def has(one, name):
        return one.id == "a" and name in ("March 2023", "revenue")

    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(reads=SQL, has=has),
    )
    prose = plain_source("c/bm25", "a b")

    def abstained(*named):
        source = Telling("c/sql", "b", missing=("March 2023",), named=named)
        return find(engine([source, prose], pack=pack)).abstained

    assert not abstained("revenue")
    assert abstained("revenue", "Portugal")


def test_what_a_question_names_binds_the_evidence_of_its_answer(engine):
    wish = Boost(condition=Filter("year", "=", "2024"), factor=0.1, reason="2024")
    known = {"a": {"year": "2024"}, "b": {"year": "2023"}, "d": {"year": "2024"}, "e": {}}
    words = [plain_source("c/bm25", "b a d e")]

    def kept(*binding):
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(boosts=lambda reading: (wish,), binding=frozenset(binding)),
        )
        made = engine(words, pack=pack, metadata=known)
        return {hit.passage.id for hit in chosen(find(made), made, "balanced")}

    assert kept() == {"a", "b", "d", "e"}
    assert kept("year") == {"a", "d", "e"}
    del known["d"]
    assert kept("year") == {"a", "b", "d", "e"}


def test_a_question_is_refused_where_no_hit_speaks_of_its_topics(engine):
    def abstained(*names):
        told = tuple(Topic(names=(name,)) for name in names)
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(topics=lambda reading: told),
        )
        made = engine([plain_source("c/bm25", "a b")], pack=pack)
        question = Query(text="what is the churn of the submarine division")
        return asyncio.run(search(question, made)).abstained

    assert abstained("churn")
    assert not abstained("aaa")
    assert not abstained()


def test_records_speak_of_no_topic_where_the_question_asks_for_no_figure(engine):
    def abstained(kind, **more):
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(topics=lambda reading: (Topic(names=("aaa",)),), **more),
        )
        sources = [plain_source("c/bm25", "a b"), plain_source("c/sql", "a")]
        question = Query(text="what is the aaa of the division")
        return asyncio.run(search(question, engine(sources, pack=pack, kind=kind))).abstained

    assert abstained("row")
    assert not abstained("document")
    assert not abstained("row", reads=SQL)


def test_a_rule_may_leave_the_fused_order_and_the_question_as_they_are(engine):
    def planned(**more):
        rule = Rule(name="r", intent="i", fires=lambda _: True, **more)
        term = Term(text="boat", weight=0.5, origin="submarine")
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(rules=(rule,), expand=lambda text: (term,)),
        )
        made = engine([plain_source("c/bm25", "a b")], pack=pack)
        return find(made).trace.plan

    assert planned().terms
    assert planned().reranks
    assert not planned(expands=False).terms
    assert not planned(reranks=False).reranks


def test_a_relation_that_is_wanted_of_a_named_thing_is_meant_for_certain(passage):
    wanted = Request(text="what does a need?", seeds=("a",), intents=("NEEDS",))
    ask = Ask(source="c/graph", collection="c", vote="c/graph", request=wanted, depth=5)
    todo = Plan(query=Query(text=wanted.text), intent="i", rule="r", asks=(ask,))
    edges = {"right": ("a", "NEEDS"), "other": ("a", "USES"), "else": ("d", "NEEDS")}
    hits = [
        Hit(
            passage=passage(key, kind="edge", metadata={"source": end, "relation": name}), score=1.0
        )
        for key, (end, name) in edges.items()
    ]
    found = find_exact_matches(
        hits, todo, Pack(name="p", summary="", files=Files(collections={"*": "c"}))
    )
    assert found.certain == {"right"}


def test_a_chain_between_two_named_things_is_meant_for_certain(passage):
    seeds = Request(text="how does a relate to b?", seeds=("a", "b"))
    ask = Ask(source="c/paths", collection="c", vote="c/paths", request=seeds, depth=5)
    todo = Plan(query=Query(text=seeds.text), intent="i", rule="r", asks=(ask,), cover={"path": 3})
    ends = {"whole": ("a", "b"), "half": ("a", "d")}
    hits = [
        Hit(passage=passage(key, kind="path", metadata={"source": one, "target": other}), score=1.0)
        for key, (one, other) in ends.items()
    ]
    found = find_exact_matches(
        hits, todo, Pack(name="p", summary="", files=Files(collections={"*": "c"}))
    )
    assert found.exact == found.certain == {"whole"}
    other = find_exact_matches(
        hits, replace(todo, cover={}), Pack(name="p", summary="", files=Files(collections={}))
    )
    assert not other.exact


class Backwards:
    name = "backwards"

    async def rerank(self, text, passages):
        return [float(place) for place, _ in enumerate(passages)]


def test_what_a_rule_leaves_alone_is_not_reranked(engine):
    def order(**more):
        rule = Rule(name="r", intent="i", fires=lambda _: True, **more)
        pack = Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "c"}),
            questions=Questions(rules=(rule,)),
        )
        made = engine([plain_source("c/bm25", "a b")], pack=pack, **{"refine.blend": 1.0})
        return ids(find(replace(made, reranker=Backwards())))

    assert order() == ["b", "a"]
    assert order(reranks=False) == ["a", "b"]


def test_what_a_pack_says_is_missing_refuses_and_is_told(engine):
    seen = []

    def lacks(sought):
        seen.append(sought)
        return ("no ferry goes there", "its depth is not told")

    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(absent=lambda _: ("way",), lacks=lacks),
    )
    result = find(engine([plain_source("c/bm25", LETTERS)], pack=pack))
    assert result.abstained
    assert "missing: no ferry goes there; its depth is not told" in map(str, result.notes)
    (sought,) = seen
    assert sought.absent == ("way",)
    assert len(sought.every) == len(LETTERS.split())
    assert len(sought.first) < len(sought.every)


def test_a_pack_that_lacks_nothing_refuses_nothing(engine):
    pack = Pack(
        name="p",
        summary="",
        files=Files(collections={"*": "c"}),
        questions=Questions(absent=lambda _: ("way",), lacks=lambda _: ()),
    )
    assert not find(engine([plain_source("c/bm25", LETTERS)], pack=pack)).abstained
