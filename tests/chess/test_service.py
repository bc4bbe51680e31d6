"""The service says what the commands say, in one shape, and refuses what is wrong with a reason."""

from __future__ import annotations

import asyncio

import pytest
from consilience.service.answering import LONGEST, Asked, collections_of
from consilience.service.cards import cards
from fastapi.testclient import TestClient

from consilience import render
from consilience.errors import UsageError
from consilience.packs import Endpoint
from consilience.service import answering
from consilience.service.app import LARGEST, create_app
from consilience.types import Hit, Locator, Passage


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


def test_a_card_says_what_it_shows_in_plain_words(client):
    page = client.get("/query_pgn", params={"q": "the Najdorf with 6.Bg5"}).text
    assert "<figcaption>After 6.Bg5, Black to move</figcaption>" in page
    assert "<strong>Moves 1–8</strong>" in page
    assert "“The sharpest reply: White pins the knight" in page
    assert "; or 7...Qb6 “The poisoned pawn:" in page
    assert "found by words, meaning and position" in page
    assert "looked for Najdorf, 6.Bg5 ·" in page
    assert "1 copy left out" in page
    for engineer in ("bm25", "rank", "%", "{", "games/"):
        assert engineer not in page.split("</form>")[1]


def test_the_board_shows_what_is_spoken_of_and_not_where_every_game_begins(client):
    found = ask(client, "/query_pgn", query="an isolated pawn for free play")
    first = found["positions"][0]
    assert (first["number"], first["caption"]) == (1, "After 4...exd5, Anna Berg–Ole Vik 1999")


def piece(number, first, last, **known):
    metadata = {"file": "a.pgn", "game": 3, "ply_first": first, "ply_last": last, **known}
    passage = Passage(
        id=str(number), collection="games", document="a.pgn", kind="game", title="Masters",
        text=f"A – B.\n\n{first}. e4", metadata={"white": "A", "black": "B", **metadata},
        locator=Locator(game=3, ply=first),
    )  # fmt: skip
    return render.hit_json(Hit(passage=passage, score=0.1), "e4")


def test_the_pieces_of_a_game_share_a_card():
    board = {"passage": "2", "caption": "After 9.e4, A–B", "fen": "8/8 b - - 0 9", "svg": "<svg />"}
    hits = [piece(1, 1, 1, positions=("x",)), piece(2, 49, 61), piece(3, 23, 36), piece(4, 37, 40)]
    [card] = cards({"results": hits, "positions": [board]})
    assert "<h2>A–B</h2>" in card
    assert "<strong>Introduction</strong>" in card
    assert "Also: moves 12–20, 25–31" in card
    assert "After 9.e4, Black to move" in card
    other = piece(5, 1, 2, game=4)
    assert len(cards({"results": [*hits, other], "positions": []})) == 2


def test_what_answers_nothing_is_listed_only_if_wanted(space, monkeypatch):
    found = answering.answer(space, space.pack.endpoints[1], Asked(query="Najdorf"))
    refused = {**found, "abstained": True}
    monkeypatch.setattr("consilience.service.app.answer", lambda *given: refused)
    with TestClient(create_app(space)) as client:
        page = client.get("/query_pgn", params={"q": "pasta & wine"}).text
        assert "Nothing here is likely to answer this." in page
        assert "<li>" not in page
        link = 'href="/query_pgn?q=pasta+%26+wine&amp;all=1"'
        assert link in page
        every = client.get("/query_pgn", params={"q": "pasta & wine", "all": 1}).text
    assert "Nothing here is likely to answer this." in every
    assert "Ingrid Dahl" in every


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({}, 422, "`query` is missing; a request is a JSON object such as {"),
        ({"query": 5}, 422, "`query` has to be a text, not 5"),
        ({"query": "x", "limit": 0}, 422, "`limit` has to be at least 1, not 0"),
        ({"query": "x", "limit": 101}, 422, "`limit` can be at most 100, not 101"),
        ({"query": "x", "limit": "ten"}, 422, '`limit` has to be a whole number, not "ten"'),
        ({"query": "x", "colour": 1}, 422, "`colour` is no field of a request; there are query,"),
        ({"query": "?!"}, 400, "has no words"),
        ({"query": "x", "length": "endless"}, 422, "`concise`, `balanced` or `in-depth`, not"),
        ({"query": "x", "merge": []}, 422, "`merge` has to be true or false, not []"),
        ({"query": "x", "filters": ["nonsense"]}, 400, "nonsense"),
        ({"query": "x", "filters": "eco=B90"}, 422, "`filters` has to be a list of conditions"),
        ({"query": "x", "filters": ["a=1"] * 21}, 422, "`filters` can have at most 20 entries"),
        (["query"], 422, 'a request is a JSON object such as {"query": "plans in the Najdorf"}'),
    ],
)
def test_what_is_wrong_has_one_shape_and_plain_words(client, body, status, told):
    reply = client.post("/query", json=body)
    assert reply.status_code == status
    assert set(reply.json()) == {"error"}
    assert told in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "declared", "told"),
    [
        ('{"query": "x"', "application/json", "the request is no JSON (expecting ',' delimiter"),
        ("query=x", "application/x-www-form-urlencoded", "`content-type: application/json`"),
    ],
)
def test_what_is_no_json_is_told_so(client, content, declared, told):
    reply = client.post("/query", content=content, headers={"content-type": declared})
    assert reply.status_code == 422
    assert told in reply.json()["error"]["message"]


def test_the_root_lists_the_addresses(client, space):
    page = client.get("/")
    assert page.status_code == 200
    for one in space.pack.endpoints:
        assert f"<code>{one.path}</code>" in page.text
    assert '<a href="/query_pgn">' in page.text
    assert '<a href="/query">' not in page.text


def test_what_is_not_there_and_what_is_too_large_have_that_shape_too(client):
    nowhere = client.get("/nowhere")
    assert nowhere.status_code == 404
    assert nowhere.json()["error"]["message"].startswith("there is no address /nowhere; GET /")
    wrong = client.get("/query")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert wrong.json()["error"]["message"] == "/query does not take GET; use POST"
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
    found = ask(client, "/query_pgn", query="Najdorf", filters=["year<2000"])
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


def test_on_this_machine_it_answers_to_its_own_names_only(space):
    with TestClient(create_app(space, hosts=("127.0.0.1", "localhost"))) as local:
        assert local.get("/health", headers={"host": "localhost:8000"}).status_code == 200
        refused = local.get("/health", headers={"host": "evil.example"})
    assert refused.status_code == 421
    assert "not called 'evil.example'" in refused.json()["error"]["message"]
    assert "content-security-policy" in refused.headers
