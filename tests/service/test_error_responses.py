"""Whatever is wrong with a request is told in one shape, in words for whoever wrote it."""

from __future__ import annotations

import pytest

from consilience.errors import (
    ConsilienceError,
    LoadError,
    MissingWorkspace,
    ModelError,
    NoSourceAnswered,
    StoreError,
    UsageError,
    WorkspaceBusy,
)
from consilience.service.auth import TooMany, Unknown
from consilience.service.error_responses import status_of
from consilience.service.jobs import NoJob, Rebuilding
from consilience.service.request_pool import Busy, Late
from consilience.service.service import Missing, Refused

AT = "/w/apiary"


def told(reply):
    assert set(reply.json()) == {"error"}
    assert set(reply.json()["error"]) == {"kind", "message"}
    return reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/search", 422, "`q` is missing; ask with ?q=…"),
        ("/search?q=", 422, "`q` is empty"),
        ("/search?q=%20%09", 422, "`q`: it is empty; ask something"),
        ("/search?q=a%00b", 422, "`q`: it contains a character that text cannot have"),
        ("/search?q=" + "x" * 4001, 422, "`q` can have at most 4000 letters, this one has 4001"),
        ("/search?q=x&limit=ten", 422, '`limit` has to be a whole number, not "ten"'),
        ("/search?q=x&limit=0", 422, '`limit` has to be at least 1, not "0"'),
        ("/search?q=x&limit=999", 422, "`limit` can be at most 100"),
        ("/search?q=x&expand=perhaps", 422, '`expand` has to be true or false, not "perhaps"'),
        ("/search?q=x&per=c", 422, "`per` has to be `passage` or `document`"),
        (
            "/search?q=x&zeta=1",
            422,
            "`zeta` is not a parameter of GET /w/apiary/search; it takes",
        ),
        ("/search?q=x&limits=3", 422, "did you mean `limit`?"),
        ("/search?q=x&where=nonsense", 400, "nonsense"),
        ("/search?q=x" + "&in=a" * 21, 422, "`in` can have at most 20 entries"),
        ("/search?q=x&in=nothing", 400, "nothing"),
        ("/search?q=%3F%21", 400, "has no words"),
        ("/ask?q=x&length=endless", 422, "`length` has to be `concise`, `balanced` or `in-depth`"),
        ("/why-not?q=x", 422, "`passage` is missing; ask with ?passage=…"),
        ("/path?start=bee", 400, "a path has two ends"),
        ("/passages/zzzz", 404, "'zzzz' is not a passage id"),
        ("/passages/00000000", 404, "no passage has the id"),
        ("/nowhere", 404, "there is no address /w/apiary/nowhere; GET /openapi.json lists"),
        ("/plan", 405, "/w/apiary/plan does not take GET; use POST"),
        ("x/search?q=x", 404, "no workspace 'apiaryx' is served here; there are apiary"),
    ],
)
def test_faults_of_an_address(served, address, status, words):
    reply = served.get(AT + address)
    assert reply.status_code == status, reply.text
    assert words in told(reply)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "`query` is missing; a request is a JSON object such as {"),
        ({"query": None}, "`query` has to be a text, not null"),
        ({"query": ["x"]}, '`query` has to be a text, not ["x"]'),
        ({"query": "x", "limit": 1.5}, "`limit` has to be a whole number, not 1.5"),
        ({"query": "x", "filters": [5]}, "`filters.0` has to be a text, not 5"),
        ({"query": "x", "y" * 90: 1}, "y…` is not a field of this request"),
        ({"query": "x", "rerank": "perhaps"}, "`rerank` has to be true or false"),
        ({"query": "x", "collections": {}}, "`collections` has to be a list of names"),
        ({"query": "x", "limit": 0, "expand": 7}, "`expand` has to be true or false"),
        ("query", 'a request is a JSON object such as {"query": "When do bees swarm?"}'),
        (None, "a request is a JSON object"),
    ],
)
def test_faults_of_a_body(served, body, words):
    reply = served.post(AT + "/search", json=body)
    assert reply.status_code == 422
    assert words in told(reply)


def test_parameters_of_a_body_in_the_address_are_refused(served):
    reply = served.post(AT + "/search?merge=true", json={"query": "x"})
    assert reply.status_code == 422
    assert "`merge` is not a parameter of POST" in told(reply)
    assert "as JSON, in its body" in told(reply)


def test_every_fault_of_a_request_is_told_at_once(served):
    said = told(served.post(AT + "/search", json={"limit": 0, "colour": "red"}))
    assert said.count(";") >= 2
    assert "`query` is missing" in said
    assert "`limit` has to be at least 1" in said
    assert "`colour` is not a field" in said


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b'{"query": "x"', 422, "the request is not JSON (expecting ',' delimiter, at letter 14)"),
        (b'"\xff"', 400, "the request cannot be read; a request is a JSON object"),
        (b"[" * 30_000, 400, "the request cannot be read"),
        (b"", 422, "a request is a JSON object"),
    ],
)
def test_faults_of_json(served, content, status, words):
    headers = {"content-type": "application/json"}
    reply = served.post(AT + "/search", content=content, headers=headers)
    assert reply.status_code == status
    assert words in told(reply)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unknown("x"), 401),
        (Refused("x"), 403),
        (Missing("x"), 404),
        (NoJob("x"), 404),
        (MissingWorkspace("x"), 404),
        (UsageError("x"), 400),
        (TooMany(1.0), 429),
        (Busy("x"), 503),
        (Rebuilding("x"), 503),
        (NoSourceAnswered("x"), 503),
        (ModelError("x"), 503),
        (WorkspaceBusy("x"), 503),
        (Late("x"), 504),
        (StoreError("x"), 500),
        (LoadError("x"), 500),
        (ConsilienceError("x"), 500),
    ],
)
def test_each_error_has_its_status(error, status):
    assert status_of(error) == status


def test_a_stream_that_fails_says_so_in_the_same_shape(serving, space, monkeypatch):
    found = serving(space).get(AT + "/ask/events?q=%3F%21")
    assert found.status_code == 200
    assert found.text.startswith('event: error\ndata: {"error": {"kind": "UsageError"')

    def broken(*_given, **_more):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(type(space), "events", broken)
    found = serving(space).get(AT + "/ask/events?q=bees")
    assert found.text.startswith('event: error\ndata: {"error": {"kind": "InternalError"')
    assert "hunter2" not in found.text


def test_a_method_that_is_wrong_is_told_with_all_that_are_right(served):
    reply = served.put(AT + "/ask")
    assert reply.status_code == 405
    assert told(reply) == "/w/apiary/ask does not take PUT; use GET or POST"
    assert reply.headers["allow"] == "GET, POST"
