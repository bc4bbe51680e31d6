from dataclasses import replace

import pytest

from consilience.engine.plan import Knowledge, plan
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.kinds import filter_fields
from consilience.pack import Files, Pack, Questions, Rule
from consilience.settings import build_settings
from consilience.types import Filter, Query, Term
from consilience.understand.names import Mention

MENTIONS = (
    Mention("bell rock", "lights", "value", "name", "Bell Rock"),
    Mention("bell rock", "graph", "node", "", "bell"),
    Mention("built by", "graph", "relation", "", "BUILT_BY"),
    Mention("1811", "lights", "number", "first lit", "1811"),
)
ALIASES = {
    ("bell", "graph"): ["bell rock", "bell rocks", "inchcape"],
    ("bell", "lights"): ["a bell in a buoy"],
}
SOURCES = {
    "lights/dense": "lights",
    "lights/bm25": "lights",
    "lights/sql": "lights",
    "graph/dense": "graph",
    "graph/graph": "graph",
}
RULES = (
    Rule(
        name="it says tall",
        intent="measure",
        fires=lambda reading: "tall" in reading.text,
        weights={"sql": 2.0},
        shares={"lights": 1.5},
        cover={"row": 3},
    ),
)


def knowledge(**values):
    return Knowledge(
        sources=SOURCES,
        sizes={"lights": 200, "graph": 10},
        pack=Pack(
            name="p",
            summary="",
            files=Files(collections={"*": "lights"}),
            questions=Questions(rules=RULES),
        ),
        settings=build_settings(values),
        mentions=lambda surfaces: [one for one in MENTIONS if one.surface in surfaces],
        aliases=lambda node, collection: ALIASES.get((node, collection), []),
        fields={"lights": frozenset({"name", "first lit", "Year"}), "graph": frozenset({"name"})},
        synonyms={"tall": ("height", "elevation of the tower")},
    )


def with_questions(pack, **values):
    return replace(pack, questions=replace(pack.questions, **values))


def asks(question, **values):
    todo = plan(Query(text=question), knowledge(**values))
    return {ask.vote: ask for ask in todo.asks}


def test_every_source_is_asked_at_equal_depth_whatever_its_collection_holds():
    found = asks("anything at all")
    assert {ask.depth for ask in found.values()} == {50}
    assert set(found) == set(SOURCES)


def test_a_collection_may_have_a_depth_of_its_own():
    found = asks("anything at all", **{"retrieve.depths": {"graph": 80}})
    assert {ask.collection: ask.depth for ask in found.values()} == {"lights": 50, "graph": 80}


def test_the_rule_that_fired_is_named_and_followed():
    todo = plan(Query(text="how tall is it"), knowledge())
    assert (todo.intent, todo.rule, todo.cover) == ("measure", "it says tall", {"row": 3})
    assert todo.shares == {"lights": 1.5, "graph": 1.0}
    assert next(ask.weight for ask in todo.asks if ask.source == "lights/sql") == 2.0
    assert plan(Query(text="where is it"), knowledge()).rule == "no rule fired"


def test_names_become_criteria_and_seeds_of_their_own_collection():
    found = asks("was Bell Rock built by him")
    assert found["lights/sql"].request.criteria == (Filter("name", "=", "Bell Rock"),)
    assert found["graph/graph"].request.seeds == ("bell",)
    assert found["graph/graph"].request.intents == ("BUILT_BY",)
    assert found["lights/sql"].request.seeds == ()
    year = asks("what was lit in 1811")["lights/sql"].request.criteria
    assert year == (Filter("first lit", "=", 1811),)


def test_a_number_that_is_compared_with_is_no_criterion():
    assert asks("lit in 1811")["lights/sql"].request.criteria
    for question in ("lit after 1811", "between 1800 and 1811", "taller than 1811"):
        assert "names no value" in asks(question)["lights/sql"].skip


def test_a_node_named_in_the_plural_is_a_seed():
    assert asks("all Bell Rocks")["graph/graph"].request.seeds == ("bell",)


def test_a_source_with_nothing_to_go_on_is_skipped_with_a_reason():
    found = asks("anything at all")
    assert "names no value" in found["lights/sql"].skip
    assert "names no node" in found["graph/graph"].skip
    assert not asks("about Bell Rock")["lights/sql"].skip


def test_expansion_reaches_words_as_weighted_terms_and_meaning_as_a_second_vote():
    found = asks("how tall is Bell Rock")
    terms = found["lights/bm25"].request.terms
    assert [(term.text, term.weight, term.origin) for term in terms] == [
        ("height", 0.5, "tall"),
        ("inchcape", 0.5, "bell rock"),
    ]
    second = found["lights/dense+terms"]
    assert second.request.text == "how tall is Bell Rock height inchcape"
    assert second.weight == pytest.approx(0.3)
    assert found["lights/dense"].request.text == "how tall is Bell Rock"


def test_aliases_of_a_named_node_are_expansions():
    terms = asks("Bell Rock")["lights/bm25"].request.terms
    assert [term.text for term in terms] == ["inchcape"]


def test_aliases_of_another_collection_s_node_of_the_same_id_do_not_leak():
    terms = plan(Query(text="what of Bell Rock then"), knowledge()).terms
    assert [term.text for term in terms] == ["inchcape"]


def added(question, **table):
    known = replace(knowledge(), synonyms=table)
    return [term.text for term in plan(Query(text=question), known).terms]


def test_expansion_never_more_than_doubles_a_question_and_can_be_turned_off():
    assert [term.text for term in asks("tall")["lights/bm25"].request.terms] == ["height"]
    long = added("how tall is it in all", tall=("height", "elevation of the tower", "size"))
    assert long == ["height", "elevation of the tower", "size"]
    assert added("how tall is it", tall=("height", "elevation of the tower", "size")) == [
        "height",
        "size",
    ]
    todo = plan(Query(text="how tall is it", expand=False), knowledge())
    assert todo.terms == ()
    assert all(not ask.request.terms for ask in todo.asks)
    assert not any(ask.vote.endswith("+terms") for ask in todo.asks)


def test_the_room_for_terms_is_counted_in_words_and_shared_by_the_names_of_a_question():
    tables = {"tall": ("high", "height", "lofty"), "old": ("aged",)}
    assert added("tall or old", **tables) == ["high", "aged", "height"]


def test_an_abbreviation_counts_as_the_words_that_it_stands_for():
    assert added("what is usgs", usgs=("united states geological survey", "us survey"))[0] == (
        "united states geological survey"
    )
    assert added("what is ashlar", ashlar=("masonry of large square cut stones",)) == []
    assert added("ashlar", ashlar=("masonry of large square cut stones", "x")) == [
        "masonry of large square cut stones"
    ]


def test_a_term_that_only_repeats_another_in_the_plural_is_left_out():
    assert added("a tall old thing", tall=("lighthouse", "lighthouses", "beacon")) == [
        "lighthouse",
        "beacon",
    ]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({"lights/bm25": 0.5}, 0.5),
        ({"bm25": 0.25}, 0.25),
        ({"bm25": 0.25, "lights/bm25": 3}, 3.0),
        ({}, 1.0),
    ],
)
def test_a_weight_is_set_for_a_source_or_its_kind(weights, expected):
    assert asks("words", **{"fusion.weights": weights})["lights/bm25"].weight == expected


def test_a_collection_s_weight_is_its_share_of_voice():
    todo = plan(Query(text="how tall"), knowledge(**{"fusion.weights": {"lights": 2.0}}))
    assert todo.shares["lights"] == 3.0


def test_a_name_that_is_a_collection_and_a_kind_means_the_collection():
    bare = plan(Query(text="Bell Rock"), knowledge(**{"fusion.weights": {"graph": 2.0}}))
    assert bare.shares["graph"] == 2.0
    assert {ask.weight for ask in bare.asks if ask.vote == "graph/graph"} == {1.0}
    assert asks("words", **{"fusion.weights": {"graph/graph": 2.0}})["graph/graph"].weight == 2.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "bm52",
            "'bm52', which is not a source, kind of source or collection; did you mean 'bm25'",
        ),
        ("lihgts", "did you mean 'lights'"),
        ("lights/bm2", "did you mean 'lights/bm25'"),
        ("zzzz", "known: bm25, dense, graph"),
    ],
)
def test_a_weight_that_names_nothing_is_refused(name, message):
    with pytest.raises(UsageError, match=message):
        asks("words", **{"fusion.weights": {name: 2.0}})


@pytest.mark.parametrize("name", ["paths", "lights", "lights/paths", "graph/dense"])
def test_a_weight_may_name_what_there_is_no_evidence_of_yet(name):
    assert asks("words", **{"fusion.weights": {name: 2.0}})


def test_what_weighs_nothing_is_not_asked():
    assert asks("words", **{"fusion.weights": {"bm25": 0}})["lights/bm25"].skip
    assert asks("words", **{"fusion.weights": {"lights": 0}})["lights/dense"].skip


def test_only_the_collections_asked_for():
    todo = plan(Query(text="words", collections=("graph",)), knowledge())
    assert {ask.collection for ask in todo.asks} == {"graph"}


def test_quoted_phrases_are_identifiers():
    assert plan(Query(text='what is "order of 1810" about'), knowledge()).identifiers == (
        "order of 1810",
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query(text="  ?! "), "has no words"),
        (Query(text="x" * 5000), "5000 characters"),
        (Query(text="words", limit=0), "limit is 0"),
        (Query(text="words", limit=-3), "limit is -3"),
        (Query(text="words", limit=1001), "limit is 1001, at most 1000 results"),
        (Query(text="words", collections=("boats",)), "unknown collection 'boats'; known: graph"),
    ],
)
def test_an_impossible_query_is_refused(query, message):
    with pytest.raises(UsageError, match=message):
        plan(query, knowledge())


def test_a_filter_names_the_field_as_each_collection_spells_it():
    query = Query(text="words", filters=(Filter("year", ">", 1811), Filter("NAME", "=", "x")))
    found = {ask.vote: ask for ask in plan(query, knowledge()).asks}
    assert found["lights/bm25"].request.filters == (
        Filter("Year", ">", 1811),
        Filter("name", "=", "x"),
    )
    assert not found["lights/bm25"].skip
    assert found["graph/dense"].skip == "no passage here has a field 'year'"


@pytest.mark.parametrize("name", [*filter_fields(), "Title", "PAGE"])
def test_what_every_passage_has_can_be_filtered_everywhere(name):
    todo = plan(Query(text="words", filters=(Filter(name, "=", "x"),)), knowledge())
    assert {ask.skip for ask in todo.asks if ask.source.endswith("/dense")} == {""}


def test_the_fields_of_paths_are_known_where_there_are_paths():
    query = Query(text="words", filters=(Filter("length", "<", 3),))
    with pytest.raises(UsageError, match="no passage has a field 'length'"):
        plan(query, knowledge())
    walked = replace(knowledge(), sources={**SOURCES, "graph/paths": "graph"})
    skips = {ask.collection: ask.skip for ask in plan(query, walked).asks if "dense" in ask.source}
    assert skips == {"graph": "", "lights": "no passage here has a field 'length'"}


@pytest.mark.parametrize(
    ("name", "collections", "message"),
    [
        ("yaer", (), "no passage has a field 'yaer'; did you mean 'Year'"),
        ("Titel", (), "did you mean 'title'"),
        ("first lit", ("graph",), "no passage has a field 'first lit'"),
        ("zzzz", (), "known: .*first lit"),
    ],
)
def test_a_filter_on_a_field_that_nothing_asked_has_is_refused(name, collections, message):
    query = Query(text="words", filters=(Filter(name, "=", "x"),), collections=collections)
    with pytest.raises(UsageError, match=message):
        plan(query, knowledge())


def test_an_order_of_texts_is_refused():
    with pytest.raises(UsageError, match="'Year contains late'"):
        plan(Query(text="words", filters=(Filter("Year", ">=", "late"),)), knowledge())


@pytest.mark.parametrize(
    ("typed", "skipped", "resolved"),
    [
        ("yeaR > 1900 or kind = row", {}, None),
        ("first lit > 1900 and kind = row", {"graph"}, None),
        ("first lit > 1900 or kind = row", set(), "kind = row"),
        ("not first lit > 1900", set(), ""),
        ("not (first lit > 1 or kind = row)", set(), "not (kind = row)"),
    ],
)
def test_a_collection_without_a_field_is_left_out_only_if_nothing_there_can_match(
    typed, skipped, resolved
):
    asks = plan(Query(text="words", filters=(parse_filter(typed),)), knowledge()).asks
    there = {ask.collection for ask in asks if "has a field" in ask.skip}
    assert ("graph" in there) == ("graph" in skipped)
    if resolved is not None:
        found = {ask.request.filters for ask in asks if ask.collection == "graph"}
        assert {" and ".join(map(str, one)) for one in found} == {resolved}


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (Filter("Year", "~", 1), "unknown operator '~'"),
        (Filter("Year", "=", [1, 2]), r"'Year in \(…\)'"),
        (Filter("Year", "=", None), "not 'Year' with None"),
        (Filter("Year", ">", float("nan")), "nothing compares with nan"),
        ("Year > 3", "is not a filter; write"),
        (Filter(7, "=", 1), "not 7 with 1"),
    ],
)
def test_a_filter_that_compares_nothing_is_refused_before_any_source_is_asked(condition, message):
    with pytest.raises(UsageError, match=message):
        plan(Query(text="words", filters=(condition,)), knowledge())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"offset": -1}, "offset is -1"),
        ({"limit": "5"}, "limit is '5'; give a whole number"),
        ({"offset": 1.5}, "offset is 1.5; give a whole number"),
        ({"offset": 995}, "limit is 10 and offset 995, at most 1000"),
        ({"per": "page"}, "unknown `per` 'page'; known: passage, document"),
    ],
)
def test_pages_that_cannot_be_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        plan(Query(text="words", **options), knowledge())


def weights(trust, **values):
    todo = plan(Query(text="anything"), replace(knowledge(**values), trust=trust))
    return {ask.vote: ask.weight for ask in todo.asks}


def test_a_vote_of_meaning_weighs_what_its_embedder_is_trusted():
    found = weights(0.45)
    assert (found["lights/dense"], found["graph/dense"], found["lights/bm25"]) == (0.45, 0.45, 1)
    assert weights(0.45, **{"fusion.weights": {"dense": 2}})["lights/dense"] == 2
    assert weights(0.45, **{"fusion.weights": {"lights/dense": 3}})["lights/dense"] == 3


def test_a_pack_may_route_a_question_itself_and_name_what_fired():
    routed = Rule(
        name="an opening (Najdorf)",
        intent="opening",
        fires=lambda _: True,
        depths={"lights": 2.0},
        cover={"game": 10},
    )
    known = knowledge()
    pack = with_questions(
        known.pack, route=lambda reading: routed if "tall" in reading.text else None
    )
    todo = plan(Query(text="how tall"), replace(known, pack=pack))
    assert (todo.intent, todo.rule, todo.cover) == ("opening", "an opening (Najdorf)", {"game": 10})
    assert {ask.collection: ask.depth for ask in todo.asks} == {"lights": 100, "graph": 50}
    open_one = plan(Query(text="anything else"), replace(known, pack=pack))
    assert open_one.rule == "no rule fired"


def test_what_is_no_language_is_asked_for_in_words_where_meaning_is_compared():
    known = knowledge()
    term = Term(text="Sicilian Defense", weight=0.5, origin="e4 c5", replaces=True)
    pack = with_questions(known.pack, expand=lambda text: (term,) if "e4 c5" in text else ())
    todo = plan(Query(text="games with e4 c5"), replace(known, pack=pack))
    found = {ask.vote: ask.request for ask in todo.asks}
    assert found["lights/dense"].text == "games with e4 c5"
    assert found["lights/dense+terms"].text == "games with Sicilian Defense"
    assert found["lights/bm25"].terms == (term,)


def test_a_pack_that_routes_nothing_leaves_it_to_its_rules():
    assert plan(Query(text="how tall"), knowledge()).rule == "it says tall"


def test_an_abbreviation_is_spelt_out_for_whoever_reads_the_question_as_a_whole():
    known = knowledge()
    term = Term(text="height above water", weight=0.8, origin="HAW", spells=True)
    pack = with_questions(known.pack, expand=lambda text: (term,))
    known = replace(known, pack=pack)
    assert plan(Query(text="HAWs and the HAW of it"), known).spelt_out == (
        "HAWs and the height above water of it"
    )
    plain = Query(text="HAWs and the HAW of it", expand=False)
    assert plan(plain, known).spelt_out == plain.text


def test_a_node_s_alias_that_abbreviates_it_is_spelt_out_unless_it_may_mean_another():
    names = {"b": ["br", "bell rock"], "o": ["br", "black reef"]}

    def read(*nodes):
        found = [Mention("br", "graph", "node", "", node) for node in nodes]
        return plan(
            Query(text="how old is the BR"),
            replace(
                knowledge(),
                mentions=lambda surfaces: [one for one in found if one.surface in surfaces],
                aliases=lambda node, collection: names[node],
            ),
        )

    assert read("b").spelt_out == "how old is the bell rock"
    assert read("b", "o").spelt_out == "how old is the BR"
    assert {term.text for term in read("b", "o").terms} == {"bell rock", "black reef"}


def test_a_name_that_does_not_mean_a_node_is_no_seed_and_adds_no_alias():
    known = knowledge()
    pack = with_questions(known.pack, means=lambda text, name, names: "inchcape" not in names)
    todo = plan(Query(text="what of Bell Rock then"), replace(known, pack=pack))
    assert todo.terms == ()
    assert {ask.request.seeds for ask in todo.asks} == {()}


def test_neighbours_come_last_weigh_less_and_only_where_the_pack_wants_them():
    known = replace(
        knowledge(),
        neighbours=lambda node, collection: [("stevenson", 0.9), ("sea", 0.5)],
    )
    near = replace(known, pack=with_questions(known.pack, neighbours=0.4))
    found = plan(Query(text="how tall is Bell Rock"), near).terms
    assert [(term.text, term.weight) for term in found] == [
        ("height", 0.5),
        ("inchcape", 0.5),
        ("stevenson", pytest.approx(0.5 * 0.4 * 0.9)),
        ("sea", pytest.approx(0.5 * 0.4 * 0.5)),
    ]
    assert "stevenson" not in [
        one.text for one in plan(Query(text="how tall is Bell Rock"), known).terms
    ]


def test_what_a_name_may_mean_is_offered_unless_nothing_is_added():
    known = knowledge()
    known = replace(known, pack=with_questions(known.pack, offers=lambda text: ("say which",)))
    assert plan(Query(text="how tall"), known).offers == ("say which",)
    assert plan(Query(text="how tall", expand=False), known).offers == ()
