"""The addresses of the chess pack say what the commands say, and refuse what is wrong."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from consilience.errors import UsageError
from consilience.pack import Endpoint
from consilience.packs.chess import PACK
from consilience.service.app import create_app
from consilience.service.pack_routes import collections_of
from consilience.service.service import Service


@pytest.fixture(scope="module")
def client(space):
    with TestClient(create_app(Service([space]))) as found:
        yield found


def ask(client, path, **body):
    reply = client.post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def kinds(found):
    return {one["kind"] for one in found["results"]}


def test_query_answers_from_the_books_alone(client):
    found = ask(client, "/query", query="What is the plan against an isolated pawn?")
    assert kinds(found) == {"book"}
    assert found["answer"] == found["text"] != ""
    assert found["sources"] == found["citations"] != []
    assert set(found["fusion"]["candidates"]) == {"books"}


def test_with_merge_the_games_come_in(client):
    question = "What is the plan against an isolated pawn in the Tarrasch Defence?"
    merged = ask(client, "/query", query=question, merge=True)
    assert kinds(merged) == {"book", "game"}
    same = ask(client, "/query_merged", query=question)
    assert [one["passage"] for one in same["results"]] == [
        one["passage"] for one in merged["results"]
    ]
    assert set(same["fusion"]["candidates"]) == {"books", "games"}


def test_merge_counts_in_the_address_too(client):
    question = "What is the plan against an isolated pawn in the Tarrasch Defence?"
    assert kinds(ask(client, "/query?merge=true", query=question)) == {"book", "game"}
    assert client.post("/query?merge=perhaps", json={"query": "x"}).status_code == 422


def test_query_merged_asks_every_collection(opened, evidence):
    space = opened()
    space.add([evidence])
    endpoint = next(one for one in PACK.web.endpoints if one.path == "/query_merged")
    assert set(collections_of(space, endpoint, merge=False)) == set(space.catalogue.counts())


def test_query_pgn_gives_games_without_an_answer(client):
    found = ask(client, "/query_pgn", query="games in the Najdorf", top_k=2)
    assert kinds(found) == {"game"}
    assert "answer" not in found
    first = found["results"][0]
    assert first["metadata"]["white"] == "Ingrid Dahl"
    assert first["best_rank"] >= 1
    assert first["votes"]
    assert not first["preview"].startswith(("Ingrid", "["))
    assert found["fusion"]["intent"] == "opening"
    assert found["fusion"]["weights"]["games/position"] > 0
    assert found["fusion"]["merged"] >= 1
    assert {"plan", "retrieve", "fuse", "refine"} <= set(found["timing_ms"])


def test_games_come_with_their_positions(client):
    found = ask(client, "/query_pgn", query="1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6")
    board = found["positions"][0]
    assert board["fen"].startswith("rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq -")
    assert board["passage"] in {one["passage"] for one in found["results"]}
    assert board["svg"].startswith("<svg")


def test_the_board_shows_what_is_spoken_of_and_not_where_every_game_begins(client):
    found = ask(client, "/query_pgn", query="an isolated pawn for free play")
    first = found["positions"][0]
    assert (first["number"], first["caption"]) == (1, "After 4...exd5, Anna Berg–Ole Vik 1999")


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({}, 422, "`query` is missing; a request is a JSON object such as {"),
        ({"query": 5}, 422, "`query` has to be a text, not 5"),
        ({"query": "x", "limit": 0}, 422, "`limit` has to be at least 1, not 0"),
        ({"query": "x", "limit": 101}, 422, "`limit` can be at most 100, not 101"),
        ({"query": "x", "limit": "ten"}, 422, '`limit` has to be a whole number, not "ten"'),
        ({"query": "x", "colour": 1}, 422, "`colour` is not a field of this request; GET /openapi"),
        ({"query": "?!"}, 400, "has no words"),
        ({"query": "x", "length": "endless"}, 422, "`concise`, `balanced` or `in-depth`, not"),
        ({"query": "x", "merge": []}, 422, "`merge` has to be true or false, not []"),
        ({"query": "x", "filters": ["nonsense"]}, 400, "nonsense"),
        ({"query": "x", "filters": "eco=B90"}, 422, "`filters` has to be a list of conditions"),
        ({"query": "x", "filters": ["a=1"] * 21}, 422, "`filters` can have at most 20 entries"),
        (["query"], 422, 'a request is a JSON object such as {"query": "When do bees swarm?"}'),
    ],
)
def test_what_is_wrong_has_one_shape_and_plain_words(client, body, status, told):
    reply = client.post("/query", json=body)
    assert reply.status_code == status
    assert set(reply.json()) == {"error"}
    assert told in reply.json()["error"]["message"]


def test_filters_bind(client):
    found = ask(client, "/query_pgn", query="Najdorf", filters=["year<2000"])
    assert {one["metadata"]["white"] for one in found["results"]} == {"Anna Berg"}


def test_a_workspace_without_games_says_so(opened, evidence):
    space = opened()
    space.add([evidence])
    endpoint = Endpoint(path="/g", summary="", collections=("games",))
    with pytest.raises(UsageError, match="holds no games yet"):
        collections_of(space, endpoint, merge=False)


def test_every_address_stands_below_its_workspace_and_is_described(client, space):
    paths = client.get("/openapi.json").json()["paths"]
    for endpoint in space.pack.web.endpoints:
        for path in (endpoint.path, f"/w/space{endpoint.path}"):
            assert paths[path]["post"]["summary"] == endpoint.summary
            assert client.post(path, json={"query": "the Najdorf"}).status_code == 200


def test_a_page_leads_to_the_search_of_its_collections(client):
    found = client.get("/query_pgn?q=Najdorf", follow_redirects=False)
    assert found.headers["location"] == "/w/space/search?q=Najdorf&in=games"
    assert client.get("/query_pgn", follow_redirects=False).headers["location"] == "/w/space"
    assert (client.get("/query").status_code, client.get("/query").headers["allow"]) == (
        405,
        "POST",
    )


def test_questions_by_these_addresses_are_counted(space):
    with TestClient(create_app(Service([space]))) as client:
        ask(client, "/query", query="an isolated pawn")
        ask(client, "/query_pgn", query="Najdorf")
        counted = client.get("/metrics").text
    assert 'consilience_questions_total{workspace="space"} 2.0' in counted
    assert 'consilience_answers_total{workspace="space",writer="extractive"} 1.0' in counted
