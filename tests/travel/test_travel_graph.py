"""Places by the paths that match a question: weights, decay, what is not wanted, and the words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from atlas_shared import place_passage, tie_passage
from graph_shared import Walked, coast, lies_in, suits

from consilience.packs.travel import walking
from consilience.packs.travel.graph import AVOIDABLE, OTHER_KIND, OUTSIDE
from consilience.stores.graph_paths import DECAY, OFF_INTENT
from consilience.stores.ladybug import GraphPaths
from consilience.types import Filter, Locator, Request


@pytest.fixture
def walked(tmp_path: Path) -> Iterator[Walked]:
    graph = Walked(tmp_path, coast())
    yield graph
    graph.store.close()


def test_a_place_scores_the_strength_with_which_it_suits(walked: Walked) -> None:
    found = walked.scores("somewhere romantic")
    assert found["lumen"] == pytest.approx(0.9)
    assert found["table"] == pytest.approx(0.7)
    assert list(found)[:3] == ["lumen", "table", "ridge"]


def test_a_further_step_is_decayed_and_a_relation_nobody_asked_for_counts_less(
    walked: Walked,
) -> None:
    found = walked.scores("somewhere romantic")
    # Amber Strand suits no romance; it is in Lumen, which does.
    assert found["strand"] == pytest.approx(0.9 * 0.8 * DECAY * OFF_INTENT)


def test_the_relation_that_the_question_speaks_of_counts_fully(walked: Walked) -> None:
    away = walked.scores("romantic")["strand"]
    close = walked.scores("romantic and close by")["strand"]
    assert close == pytest.approx(0.9 * 0.6 * DECAY)
    assert close > away


def test_a_score_is_the_sum_over_interests_of_the_best_path(walked: Walked) -> None:
    found = walked.scores("romantic with good food")
    assert found["table"] == pytest.approx(0.7 + 0.8)
    assert next(iter(found)) == "table"


def test_two_words_of_one_theme_count_once(walked: Walked) -> None:
    assert walked.scores("a romantic honeymoon for a couple") == walked.scores("romantic")


def test_how_many_edges_a_place_has_never_counts(tmp_path: Path) -> None:
    hub = [place_passage("hub", "Hub", "attraction", type="square"), suits("hub", "romance", 0.4)]
    for number in range(60):
        hub.append(place_passage(f"dull-{number}", f"Dull {number}", "attraction", type="kiosk"))
        hub.append(tie_passage("hub", "NEAR", f"dull-{number}", weight=0.7, km=0.1))
        hub.append(suits(f"dull-{number}", "romance", 0.3))
        hub.append(tie_passage("hub", "PAIRS_WITH", f"dull-{number}", weight=0.65))
    graph = Walked(tmp_path, [*coast(), *hub])
    try:
        found = graph.scores("romantic")
        assert found["hub"] == pytest.approx(0.4)
        assert found["lumen"] > found["table"] > found["hub"]
    finally:
        graph.store.close()


def test_the_path_is_the_reason_in_words(walked: Walked) -> None:
    told = walked.reason("romantic, by the beach, and close", "lumen")
    assert told == (
        "Lumen — suits → romance (lamps along the quay); near → Amber Strand, 5.2 km, which "
        "suits → beach"
    )


def test_what_is_not_wanted_is_left_out_and_a_city_only_counts_less(tmp_path: Path) -> None:
    graph = Walked(tmp_path, [*coast(), suits("lumen", "hiking", 0.4)])
    try:
        found = graph.scores("romantic, no hiking")
        assert "ridge" not in found
        assert found["lumen"] == pytest.approx(0.9 - AVOIDABLE * 0.4)
        assert "ridge" in graph.scores("romantic")
    finally:
        graph.store.close()


def test_an_avoided_feature_and_type_leave_places_out(walked: Walked) -> None:
    assert "shrine" in walked.scores("spiritual places")
    assert "shrine" not in walked.scores("spiritual places without stairs")
    assert "shrine" not in walked.scores("history and spirituality but no temples")


def test_the_kind_asked_for_comes_first(walked: Walked) -> None:
    plain, towns = walked.scores("romantic"), walked.scores("Which town is romantic?")
    assert towns["lumen"] == pytest.approx(plain["lumen"])
    assert towns["table"] == pytest.approx(plain["table"] * OTHER_KIND)
    assert next(iter(walked.scores("a romantic restaurant"))) == "table"
    assert next(iter(walked.scores("cheap hotels"))) == "inn"


def test_a_named_city_and_a_theme_mean_places_in_it(walked: Walked) -> None:
    found = walked.scores("romantic places in Lumen")
    assert {"lumen", "table", "ridge"} == set(list(found)[:3])
    assert found["barrow"] < found["table"] * OUTSIDE * 2


def test_a_place_that_is_excepted_is_left_out_with_all_in_it(walked: Walked) -> None:
    found = walked.scores("romantic, but not Lumen")
    assert "barrow" in found
    assert not {"lumen", "table", "ridge", "strand"} & found.keys()


def test_what_is_like_a_place_is_another_of_its_kind(walked: Walked) -> None:
    found = walked.scores("somewhere like Lumen")
    assert next(iter(found)) == "barrow"
    assert "lumen" not in found


def test_dishes_months_features_and_parts_of_the_day_are_started_from(walked: Walked) -> None:
    assert next(iter(walked.scores("who makes fig tarts?"))) == "table"
    assert next(iter(walked.scores("where in May?"))) == "lumen"
    assert next(iter(walked.scores("we are vegans"))) == "table"
    assert next(iter(walked.scores("what is nice in the morning?"))) == "strand"


def test_filters_are_hard(walked: Walked) -> None:
    told = walked.tell("romantic", filters=(Filter("node_kind", "=", "food"),))
    assert [one.id for one in told.found] == ["p:table"]


def test_it_tells_its_queries_and_what_it_understood(walked: Walked) -> None:
    told = walked.tell("romantic food in Lumen, no hiking")
    assert told.query == "\n".join(walking.QUERIES)
    assert told.steps == ("looked for: romantic, food; not: hiking; in: Lumen",)


def test_nothing_to_start_from_is_nothing(walked: Walked) -> None:
    assert walked.tell("why is that so?").found == ()


def test_a_question_only_reads_and_reaches_cypher_as_parameters(
    walked: Walked, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(walked.store.ids())
    run, asked = walked.store.run, []

    def spied(query: str, **parameters: object) -> object:
        asked.append(query)
        return run(query, **parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(walked.store, "run", spied)
    walked.tell("romantic'}) DETACH DELETE n // MATCH (n) SET n.id = 1 in Lumen")
    assert asked
    assert all("romantic" not in one and "lumen" not in one.lower() for one in asked)
    words = {word for one in asked for word in one.upper().split()}
    assert not words & {"CREATE", "MERGE", "SET", "DELETE", "DROP", "ALTER", "COPY", "CALL"}
    assert list(walked.store.ids()) == before


def test_the_scores_of_single_passages_are_those_of_the_ranking(walked: Walked) -> None:
    request = Request(text="romantic food")
    told = asyncio.run(walked.source.tell(request, limit=1))
    scores = asyncio.run(walked.source.score(request, ["p:table", "p:lumen", "p:nowhere"]))
    assert scores["p:table"] == told.found[0].score
    assert set(scores) == {"p:table", "p:lumen"}


def test_a_place_that_is_gone_leaves_no_edge_behind(walked: Walked) -> None:
    walked.store.remove(["p:table"])
    assert "p:table" not in list(walked.store.ids())
    assert "table" not in walked.scores("we are vegans")


def test_each_passage_is_counted_once(walked: Walked) -> None:
    found = list(walked.store.ids())
    assert len(found) == len(set(found)) == len(walked.passages) == walked.store.count()


def test_two_places_are_joined_by_ways_and_not_by_what_both_are(tmp_path: Path) -> None:
    passages = [*coast(), place_passage("islet", "Islet", "city", type="town")]
    graph = Walked(tmp_path, [*passages, suits("islet", "romance", 1.0)])
    try:
        paths = GraphPaths(graph.store, "places/paths", lookup=graph.known)
        request = Request(text="", seeds=("lumen", "barrow"), intents=("CONNECTED_TO",))
        ways = asyncio.run(paths.retrieve(request, limit=5))
        assert [one.id for one in ways] == ["w:lumen-barrow-train"]
        assert asyncio.run(paths.connect(["lumen"], ["barrow"], limit=3))
        assert asyncio.run(paths.connect(["lumen"], ["islet"], limit=3)) == []
    finally:
        graph.store.close()


def test_a_city_in_parts_has_a_vote_for_each_part(tmp_path: Path) -> None:
    whole = place_passage("lumen", "Lumen", "city", type="town")
    parts = [replace(whole, id=f"p:{one}", locator=Locator(part=one)) for one in (1, 2)]
    graph = Walked(tmp_path, [*parts, suits("lumen", "romance", 0.9), lies_in("a", "lumen")])
    try:
        assert [one.id for one in graph.tell("romantic").found] == ["p:1", "p:2"]
    finally:
        graph.store.close()


def test_a_place_in_a_city_that_meets_no_interest_is_not_found(walked: Walked) -> None:
    assert "inn" not in walked.scores("a spiritual place in Barrow")
    assert next(iter(walked.scores("spiritual places in Barrow"))) == "shrine"


def test_countries_that_border_on_one_another_are_joined_by_that_alone(tmp_path: Path) -> None:
    names = ("Norland", "Sudland", "Westland")
    countries = [place_passage(one.lower(), one, "country") for one in names]
    within = [tie_passage(one.lower(), "PART_OF", "continent", weight=0.7) for one in names]
    border = tie_passage("norland", "BORDERS", "sudland", weight=0.4)
    graph = Walked(tmp_path, [*countries, *within, border])
    try:
        assert list(graph.scores("Which countries border Norland?"))[:2] == ["norland", "sudland"]
        assert "westland" not in graph.scores("What is Norland like?")
    finally:
        graph.store.close()
