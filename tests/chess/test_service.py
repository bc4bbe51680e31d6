"""The service says what the commands say, in one shape, and refuses what is wrong with a reason."""

from __future__ import annotations

import asyncio

import pytest
from fastapi.testclient import TestClient

from consilience.errors import UsageError
from consilience.packs import Endpoint
from consilience.service.answering import LONGEST, collections_of
from consilience.service.app import LARGEST, create_app


@pytest.fixture(scope="module")
def client(space):
    with TestClient(create_app(space)) as found:
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


def test_the_page_shows_games_and_boards_and_what_goes_wrong(client):
    empty = client.get("/query_pgn")
    assert empty.status_code == 200
    assert "<form" in empty.text
    page = client.get("/query_pgn", params={"q": "games in the Najdorf <script>"})
    assert "Ingrid Dahl" in page.text
    assert "<svg" in page.text
    assert "<script>" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    wrong = client.get("/query_pgn", params={"q": "?!"})
    assert wrong.status_code == 400
    assert 'role="alert"' in wrong.text


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({}, 422, "query: Field required"),
        ({"query": "x", "limit": 0}, 422, "greater than or equal to 1"),
        ({"query": "x", "colour": 1}, 422, "colour"),
        ({"query": "?!"}, 400, "has no words"),
        ({"query": "x", "length": "endless"}, 422, "length"),
        ({"query": "x", "filters": ["nonsense"]}, 400, "nonsense"),
    ],
)
def test_what_is_wrong_has_one_shape(client, body, status, told):
    reply = client.post("/query", json=body)
    assert reply.status_code == status
    assert set(reply.json()) == {"error"}
    assert told in reply.json()["error"]["message"]


def test_what_is_not_there_and_what_is_too_large_have_that_shape_too(client):
    assert client.get("/nowhere").json()["error"]["message"] == "Not Found"
    assert client.get("/query").status_code == 405
    large = client.post("/query", json={"query": "x" * LARGEST})
    assert large.status_code == 413
    assert "bytes" in large.json()["error"]["message"]


@pytest.mark.parametrize("size", ["9" * 5000, "-1", "1e3"])
def test_a_length_that_is_none_is_refused(client, size):
    reply = client.post("/query", content=b"{}", headers={"content-length": size})
    assert reply.status_code == 413
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_request_of_unknown_length_is_asked_for_it(client):
    reply = client.post("/query", content=iter([b"{", b"}"]))
    assert (reply.status_code, reply.json()["error"]["kind"]) == (411, "LengthRequired")


def test_a_request_that_never_comes_is_given_up(space, monkeypatch):
    monkeypatch.setattr("consilience.service.app.PATIENCE", 0.01)
    sent = []

    async def never():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/query", "query_string": b"",
        "headers": [(b"content-length", b"9"), (b"content-type", b"application/json")],
    }  # fmt: skip
    asyncio.run(create_app(space)(scope, never, send))
    assert sent[0]["status"] == 408


def test_a_question_without_end_is_refused_on_every_way(client):
    asked = "why " * LONGEST
    assert client.post("/query", json={"query": asked}).status_code == 400
    page = client.get("/query_pgn", params={"q": asked[: LONGEST + 1]})
    assert page.status_code == 400
    assert "at most 8000 letters" in page.text


def test_what_nobody_thought_of_has_that_shape_too(space, monkeypatch):
    monkeypatch.setattr("consilience.service.app.answer", lambda *given: 1 / 0)
    with TestClient(create_app(space), raise_server_exceptions=False) as client:
        reply = client.post("/query", json={"query": "pawns"})
    assert reply.status_code == 500
    assert reply.json()["error"]["kind"] == "InternalError"


def test_filters_bind(client):
    found = ask(client, "/query_pgn", query="Najdorf", filters=["date contains 1999"])
    assert {one["metadata"]["white"] for one in found["results"]} == {"Anna Berg"}


def test_health_and_description(client):
    assert client.get("/health").json()["collections"]["games"]["game"] >= 3
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/query", "/query_pgn", "/query_merged", "/health"} <= set(paths)


def test_a_workspace_without_games_says_so(opened, evidence):
    space = opened()
    space.add([evidence])
    endpoint = Endpoint(path="/g", summary="", collections=("games",))
    with pytest.raises(UsageError, match="holds no games yet"):
        collections_of(space, endpoint, merge=False)
