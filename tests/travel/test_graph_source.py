"""Does the graph of places rank what a question asks for, and say by which path?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from atlas_shared import passages, tie_passage

from consilience.pack import Reading
from consilience.packs.travel.graph import PlaceGraph, PlaceStore, term_nodes
from consilience.packs.travel.routing import boosts, route
from consilience.types import Passage, Request, SourceReply
from consilience.understand.names import Mention

NAMES = {"aurel": ("Port Aurel",), "lindow": ("Lindow",)}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlaceGraph]:
    known = {passage.id: passage for passage in passages()}
    store = PlaceStore(tmp_path_factory.mktemp("graph") / "graph.lbug")
    inside = [
        tie_passage(str(place.metadata["node"]), "LOCATED_IN", str(place.metadata["city"]))
        for place in known.values()
        if place.kind == "place" and "city" in place.metadata
    ]
    store.write([*known.values(), *inside])

    def lookup(ids: Sequence[str]) -> dict[str, Passage]:
        return {key: known[key] for key in ids if key in known}

    yield PlaceGraph(store, "places/graph", lookup=lookup)
    store.close()


def _ask(graph: PlaceGraph, text: str, *seeds: str) -> SourceReply:
    request = Request(text=text, seeds=seeds)
    return asyncio.run(graph.tell(request, limit=10))


def test_places_with_a_theme_come_with_the_path_that_leads_to_them(graph: PlaceGraph) -> None:
    told = _ask(graph, "somewhere romantic for photography")
    reasons = dict(told.reasons)
    assert told.found
    assert "suits → romance" in reasons[told.found[0].id]


def test_a_named_city_and_a_feature_come_first_together(graph: PlaceGraph) -> None:
    told = _ask(graph, "wheelchair-friendly museums in Lindow", "lindow")
    assert told.found[0].id.startswith("p:lindow")
    assert "has → wheelchair" in dict(told.reasons)[told.found[0].id]


def test_what_is_not_wanted_leads_nowhere(graph: PlaceGraph) -> None:
    assert "type:museum" not in term_nodes("places for history but no museums")
    assert term_nodes("romantic temples")["theme:romance"] == 1.0
    assert not _ask(graph, "xyzzy").found


@pytest.mark.parametrize(
    ("text", "nodes", "intent"),
    [
        ("How long is the train from Port Aurel to Lindow?", ("aurel", "lindow"), "way"),
        ("Is Port Aurel better than Lindow?", ("aurel", "lindow"), "comparison"),
        ("What is near Lindow?", ("lindow",), "near"),
        ("When is the best time to visit Lindow?", ("lindow",), "season"),
        ("Is Lindow safe at night?", ("lindow",), "advice"),
        ("Cheap hotels with a pool", (), "stay"),
        ("Romantic places", (), "theme"),
        ("Who built it?", (), "fact"),
    ],
)
def test_questions_are_routed_by_names_and_terms(
    text: str, nodes: tuple[str, ...], intent: str
) -> None:
    mentions = tuple(
        Mention(NAMES[node][0].casefold(), "places", "node", "", node) for node in nodes
    )
    reading = Reading(text=text, mentions=mentions)
    rule = route(reading)
    assert rule is not None
    assert rule.intent == intent
    assert {boost.condition.value for boost in boosts(reading)} >= set(nodes)
