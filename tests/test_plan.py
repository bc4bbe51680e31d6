import pytest

from consilience.errors import UsageError
from consilience.names import Mention
from consilience.packs import Pack, Rule
from consilience.plan import Knowledge, plan
from consilience.settings import build_settings
from consilience.types import Filter, Query

MENTIONS = (
    Mention("bell rock", "lights", "value", "name", "Bell Rock"),
    Mention("bell rock", "graph", "node", "", "bell"),
    Mention("built by", "graph", "relation", "", "BUILT_BY"),
    Mention("1811", "lights", "number", "first lit", "1811"),
)
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
        pack=Pack(name="p", summary="", collections={"*": "lights"}, rules=RULES),
        settings=build_settings(values),
        mentions=lambda surfaces: [one for one in MENTIONS if one.surface in surfaces],
        aliases=lambda node: ["bell rock", "inchcape"] if node == "bell" else [],
        synonyms={"tall": ("height", "elevation of the tower")},
    )


def asks(question, **values):
    todo = plan(Query(text=question), knowledge(**values))
    return {ask.vote: ask for ask in todo.asks}


def test_every_source_is_asked_at_equal_depth_whatever_its_collection_holds():
    found = asks("anything at all")
    assert {ask.depth for ask in found.values()} == {50}
    assert set(found) == set(SOURCES)


def test_depth_by_percentile_follows_the_size_and_never_falls_below_the_limit():
    found = asks("anything at all", **{"retrieve.percentile": 10})
    assert found["lights/bm25"].depth == 20
    assert found["graph/dense"].depth == 10


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
        ("elevation of the tower", 0.5, "tall"),
        ("inchcape", 0.5, "bell rock"),
    ]
    second = found["lights/dense+terms"]
    assert second.request.text == "how tall is Bell Rock height elevation of the tower inchcape"
    assert second.weight == pytest.approx(0.3)
    assert found["lights/dense"].request.text == "how tall is Bell Rock"


def test_aliases_of_a_named_node_are_expansions():
    terms = asks("Bell Rock")["lights/bm25"].request.terms
    assert [term.text for term in terms] == ["inchcape"]


def test_expansion_never_more_than_doubles_a_question_and_can_be_turned_off():
    assert [term.text for term in asks("tall")["lights/bm25"].request.terms] == ["height"]
    todo = plan(Query(text="how tall is it", expand=False), knowledge())
    assert todo.terms == ()
    assert all(not ask.request.terms for ask in todo.asks)
    assert not any(ask.vote.endswith("+terms") for ask in todo.asks)


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
        (Query(text="words", collections=("boats",)), "unknown collection 'boats'; known: graph"),
    ],
)
def test_an_impossible_query_is_refused(query, message):
    with pytest.raises(UsageError, match=message):
        plan(query, knowledge())
