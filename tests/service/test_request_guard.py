"""Nobody gets in by another name, from another site, too large or too slow; and no work goes on
for who has left.
"""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from hanging_source_shared import hanging

from consilience.service import request_guard
from consilience.service.app import create_app
from consilience.service.request_guard import MAX_BODY, MAX_PARAMS, MAX_PATH
from consilience.service.service import Options, Service

SEARCH = "/w/apiary/search"
BROWSER = {"accept": "text/html"}


def kind(reply):
    assert set(reply.json()) == {"error"}
    assert set(reply.json()["error"]) == {"kind", "message"}
    return reply.status_code, reply.json()["error"]["kind"]


@pytest.mark.parametrize("address", ["/", SEARCH + "?q=bees", "/nowhere", "/openapi.json"])
@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_every_reply_tells_browsers_to_be_careful(served, address, headers):
    found = served.get(address, headers=headers).headers
    assert "default-src 'none'" in found["content-security-policy"]
    assert "unsafe" not in found["content-security-policy"]
    assert found["x-content-type-options"] == "nosniff"
    assert found["x-frame-options"] == "DENY"
    assert found["referrer-policy"] == "no-referrer"
    assert found["cross-origin-opener-policy"] == "same-origin"
    assert found["cross-origin-resource-policy"] == "same-origin"
    assert found["cache-control"] == "no-store"
    assert not [name for name in found if name.startswith("access-control")]


def test_what_a_page_loads_may_be_kept(served):
    found = served.get("/static/page.css")
    assert found.status_code == 200
    assert "max-age" in found.headers["cache-control"]
    assert served.get("/static/none.css").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("told", ["evil.example", "127.0.0.1.evil.example", "localhost.", ""])
def test_it_answers_to_its_own_names_only(serving, space, told):
    client = serving(space, hosts=frozenset({"127.0.0.1", "localhost", "::1"}))
    for own in ("localhost:8000", "127.0.0.1", "[::1]:8000"):
        assert client.get("/", headers={"host": own}).status_code == 200
    assert kind(client.get("/", headers={"host": told})) == (421, "WrongHost")


@pytest.mark.parametrize("told", ["a/static/", "a?b", "[", "a b", "x@y", "a:99999999", "<b>", "ü"])
def test_a_host_that_is_none_is_refused(served, told):
    reply = served.get("/", headers={"host": told.encode("latin-1")})
    assert kind(reply) == (400, "WrongHost")


def test_an_address_without_end_is_refused(served):
    assert kind(served.get("/" + "x" * MAX_PATH)) == (414, "TooLong")
    assert kind(served.get(f"{SEARCH}?q={'x' * MAX_PARAMS}")) == (414, "TooLong")


def test_a_request_without_end_is_refused(served):
    large = served.post(SEARCH, json={"query": "x" * MAX_BODY})
    assert kind(large) == (413, "TooLarge")
    assert "65536 bytes" in large.json()["error"]["message"]


@pytest.mark.parametrize("size", ["9" * 5000, "-1", "1e3", "٣"])
def test_a_length_that_is_none_is_refused(served, size):
    headers = {"content-length": size.encode(), "content-type": "application/json"}
    assert kind(served.post(SEARCH, content=b"{}", headers=headers)) == (413, "TooLarge")


def test_a_body_longer_than_it_says_is_refused(served):
    headers = {"content-length": "2", "content-type": "application/json"}
    reply = served.post(SEARCH, content=b"x" * (MAX_BODY + 1), headers=headers)
    assert kind(reply) == (413, "TooLarge")


def test_a_request_of_unknown_length_is_asked_for_it(served):
    assert kind(served.post(SEARCH, content=iter([b"{", b"}"]))) == (411, "LengthRequired")


@pytest.mark.parametrize("declared", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_what_says_that_it_is_json_is_read(served, declared):
    headers = {"content-type": declared}
    reply = served.post(SEARCH, content=b'{"query": "bees"}', headers=headers)
    assert kind(reply) == (415, "WrongType")
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert served.post(SEARCH, content=b'{"query": "bees"}', headers=headers).status_code == 200


def test_a_file_that_comes_in_is_left_to_where_it_is_stored(served):
    reply = served.put("/w/nowhere/files/a.bin", content=b"x" * (MAX_BODY + 1))
    assert reply.status_code not in (411, 413, 415)


def scope(path, *, method="GET", query=b"", headers=()):
    return {
        "type": "http", "method": method, "path": path, "query_string": query, "scheme": "http",
        "headers": [(b"host", b"localhost"), *headers], "client": ("127.0.0.1", 5),
    }  # fmt: skip


def test_a_request_that_never_comes_is_given_up(space, monkeypatch):
    monkeypatch.setattr(request_guard, "BODY_TIMEOUT_S", 0.01)
    sent = []

    async def never():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    service = Service([space])
    headers = [(b"content-length", b"9"), (b"content-type", b"application/json")]
    asked = scope(SEARCH, method="POST", headers=headers)
    asyncio.run(create_app(service)(asked, never, send))
    service.close()
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"]["kind"] == "TooSlow"


@pytest.mark.parametrize("path", ["/w/apiary/ask/events", "/w/apiary/ask", SEARCH])
def test_who_goes_away_stops_the_work(space, path):
    async def visit(source):
        service = Service([space], Options(seats=1))
        left = asyncio.Event()

        async def receive():
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            pass

        asked = scope(path, query=b"q=when+do+bees+swarm")
        reading = asyncio.ensure_future(create_app(service)(asked, receive, send))
        assert await asyncio.to_thread(source.asked.wait, 20)
        assert service.searching.inside == 1
        left.set()
        await asyncio.wait_for(reading, 20)
        inside = service.searching.inside
        service.close()
        return inside

    with hanging(space, "documents/bm25", hard_ms=5_000) as source:
        assert asyncio.run(visit(source)) == 0
        if "ask" in path:  # a search that runs in a thread ends at its own deadline
            assert source.stopped.wait(20)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://testserver:81"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
    ],
)
def test_pages_of_other_sites_change_nothing(served, headers):
    assert kind(served.post(SEARCH, json={"query": "bees"}, headers=headers)) == (403, "OtherSite")


def test_pages_of_other_sites_may_link_here_but_load_nothing(served):
    other = {"sec-fetch-site": "cross-site"}
    assert kind(served.get(SEARCH + "?q=bees", headers=other)) == (403, "OtherSite")
    link = {**other, "sec-fetch-mode": "navigate"}
    assert served.get(SEARCH + "?q=bees", headers=link).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://testserver"},
        {"origin": "https://testserver"},
        {"sec-fetch-site": "same-origin", "origin": "https://seen.example"},
        {"sec-fetch-site": "none"},
    ],
)
def test_its_own_pages_and_programs_are_heard(served, headers):
    assert served.post(SEARCH, json={"query": "bees"}, headers=headers).status_code == 200


def test_a_page_is_shown_to_people_when_something_goes_wrong(served):
    for address, status in (("/nowhere", 404), (SEARCH, 422), ("/w/none/search?q=x", 404)):
        reply = served.get(address, headers=BROWSER)
        assert reply.status_code == status
        assert reply.headers["content-type"].startswith("text/html")
        assert "<h1" in reply.text
        assert kind(served.get(address))[0] == status


def test_what_nobody_thought_of_is_logged_and_not_shown(serving, space, monkeypatch, caplog):
    def broken(*_given):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(type(space), "find", broken)
    with caplog.at_level(logging.ERROR, logger="consilience.service"):
        reply = serving(space).get(SEARCH + "?q=bees")
    assert kind(reply) == (500, "InternalError")
    assert "hunter2" not in reply.text
    assert "hunter2" in caplog.text
    assert "Traceback" in caplog.text
    assert reply.headers["x-content-type-options"] == "nosniff"
