"""Rerankers at an address: a real local server, its troubles, and its key."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from reranking import ranked

from consilience.errors import ModelError, UsageError
from consilience.models import open_reranker
from consilience.models.rerankers import Remote, open_server
from consilience.models.servers import Server
from consilience.settings import build_settings
from consilience.types import Query

# --- at a server ------------------------------------------------------------------------

Answer = tuple[int, Any]
Script = Callable[[dict[str, Any]], Answer]


def common(body: dict[str, Any]) -> Answer:
    """As Cohere and others answer: best first, so that the index tells the place."""
    if "documents" not in body:
        return 422, {"detail": [{"loc": ["body", "documents"], "msg": "Field required"}]}
    scores = [len(text) / 10 for text in body["documents"]]
    rows = [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]
    rows.sort(key=lambda row: -row["relevance_score"])
    return 200, {"id": "1", "results": rows[: body["top_n"]], "meta": {}}


def tei(body: dict[str, Any]) -> Answer:
    """As Text Embeddings Inference answers, with its usual limits."""
    if "texts" not in body:
        told = "Failed to deserialize the JSON body into the target type: missing field `texts`"
        return 422, told
    if len(body["texts"]) > 32:
        told = f"batch size {len(body['texts'])} > maximum allowed batch size 32"
        return 422, {"error": told, "error_type": "Validation"}
    if not body.get("truncate"):
        return 413, {"error": "inputs must have less than 512 tokens"}
    rows = [{"index": place, "score": len(text)} for place, text in enumerate(body["texts"])]
    return 200, sorted(rows, key=lambda row: -row["score"])


def status(code: int, message: str = "because") -> Script:
    return lambda _: (code, {"error": {"message": message}})


def body_of(value: Any) -> Script:
    return lambda _: (200, value)


@dataclass
class Fake:
    """A local server: each request takes the next answer of the script, then usual ones."""

    usual: Script = common
    script: list[Script] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    address: str = ""

    def hang(self, _: dict[str, Any]) -> Answer:
        self.release.wait(10)
        return 200, {}


def make_handler(state: Fake) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.headers.append(
                {"path": self.path, **{k.lower(): v for k, v in self.headers.items()}}
            )
            code, value = (state.script.pop(0) if state.script else state.usual)(body)
            data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            try:
                if code == 0:  # hang up without a word
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(code)
                for name, text in {"Content-Length": str(len(data)), **state.more}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client that gave up is gone

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    pytest.importorskip("httpx")
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    state = Fake()
    server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(state))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}/v1/rerank"
    yield state
    state.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


def at(fake: Fake, **more: Any) -> Remote:
    return Remote("m", Server(**{"url": fake.address, **more}))


def test_a_server_is_asked_once_in_the_common_shape(fake: Fake) -> None:
    assert ranked(at(fake), "who?", ["bb", "dddd", "a"]) == [0.8, 1.0, 0.7]
    documents = ["Notes\nbb", "Notes\ndddd", "Notes\na"]
    assert fake.asked == [{"model": "m", "query": "who?", "documents": documents, "top_n": 3}]
    assert fake.headers[0]["path"] == "/v1/rerank"
    assert "authorization" not in fake.headers[0]


def test_a_server_that_wants_texts_is_asked_for_them_in_parts_and_from_then_on(fake: Fake) -> None:
    fake.usual = tei
    texts = ["x" * length for length in range(1, 41)]
    reranker = at(fake)
    expected = [float(len("Notes\n") + length) for length in range(1, 41)]
    assert ranked(reranker, "who?", texts) == expected
    assert ["documents" in one for one in fake.asked] == [True, False, False]
    assert [len(one["texts"]) for one in fake.asked[1:]] == [32, 8]
    assert set(fake.asked[1]) == {"query", "texts", "raw_scores", "truncate"}
    assert fake.asked[1]["raw_scores"] is True
    assert ranked(reranker, "who?", ["a"]) == [7.0]
    assert len(fake.asked) == 4


def test_another_refusal_does_not_change_the_shape(fake: Fake) -> None:
    fake.script = [status(422, "too many tokens")]
    reranker = at(fake)
    with pytest.raises(ModelError, match="too many tokens"):
        ranked(reranker)
    ranked(reranker)
    assert ["documents" in one for one in fake.asked] == [True, True]


def test_a_server_that_fails_in_the_second_shape_is_asked_in_both_again(fake: Fake) -> None:
    fake.usual = tei
    reranker = at(fake, retries=0)
    fake.script = [tei, status(424, "not a reranker")]
    with pytest.raises(ModelError, match=r"not a reranker.*runs a reranking model"):
        ranked(reranker)
    assert ranked(reranker, texts=["a"]) == [7.0]


def test_no_passages_are_no_request(fake: Fake) -> None:
    assert ranked(at(fake), texts=[]) == []
    assert fake.asked == []


def test_a_server_gets_no_half_pairs_of_surrogates(fake: Fake) -> None:
    ranked(at(fake), "why \udc80?", ["half \ud83d of one"])
    assert fake.asked[0]["query"] == "why ??"
    assert fake.asked[0]["documents"] == ["Notes\nhalf ? of one"]


def hang_up(_: dict[str, Any]) -> Answer:
    return 0, ""


@pytest.mark.parametrize("trouble", [status(500), status(429), status(503), hang_up])
def test_a_server_in_trouble_is_asked_again(fake: Fake, trouble: Script) -> None:
    fake.script = [trouble, trouble]
    assert ranked(at(fake), texts=["a"]) == [0.7]
    assert len(fake.asked) == 3


def test_pauses_grow_and_are_as_long_as_the_server_wants(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    monkeypatch.setattr("consilience.models.rerankers.asyncio.sleep", sleep)
    fake.script = [status(503)] * 4
    ranked(at(fake, retries=4))
    assert [seconds for seconds in slept if seconds] == [0.1, 0.2, 0.4, 0.8]
    slept.clear()
    fake.script, fake.more = [status(429)], {"Retry-After": "1.5"}
    ranked(at(fake))
    assert [seconds for seconds in slept if seconds] == [1.5]


@pytest.mark.parametrize("wait", ["3600", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_a_server_that_wants_a_long_rest_is_left_alone(fake: Fake, wait: str) -> None:
    fake.script, fake.more = [status(429)] * 5, {"Retry-After": wait}
    with pytest.raises(ModelError, match="429"):
        ranked(at(fake))
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    ("code", "tries", "advice"),
    [
        (500, 2, "try again later"),
        (429, 2, "wait, or raise the limit"),
        (501, 1, "started to rerank"),
        (424, 1, "runs a reranking model"),
        (401, 1, r"set models\.rerank_key to a valid key"),
        (403, 1, "may use this model"),
        (404, 1, r"check the model's name, and that models\.rerank_address is whole"),
        (405, 1, "must be whole, such as http://localhost"),
        (400, 1, "how many tokens it reads"),
        (307, 1, "leads elsewhere"),
        (0, 2, r"see that it runs, and check models\.rerank_address"),
    ],
)
def test_a_server_that_refuses_is_told_with_advice(
    fake: Fake, code: int, tries: int, advice: str
) -> None:
    fake.script = [status(code)] * 5
    reason = "because" if code else "could not be asked"
    where = r"reranker 'server:m' at http://127.0.0.1:\d+/v1/rerank"
    with pytest.raises(ModelError, match=rf"(?s){where}.*{reason}.*{advice}"):
        ranked(at(fake, retries=1))
    assert len(fake.asked) == tries


def row(index: Any, score: Any, name: str = "relevance_score") -> dict[str, Any]:
    return {"index": index, name: score}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "no list of results but"),
        ({"results": None}, "no list of results but"),
        ({"data": [{"embedding": [1.0]}]}, "no list of results but"),
        ("<html>not an API</html>", "not answer in JSON but with '<html>not an API"),
        ('{"results": [' + "[" * 100_000, "not answer in JSON"),
        ([], "0 results for 2 passages"),
        ([row(0, 1.0)], "1 results for 2 passages"),
        ([row(0, 1.0), row(1, 1.0), row(2, 1.0)], "3 results for 2 passages"),
        ([row(0, 1.0), row(0, 1.0)], "not every index from 0 to 1"),
        ([row(1, 1.0), row(2, 1.0)], "not every index from 0 to 1"),
        ([row(-1, 1.0), row(0, 1.0)], "not every index from 0 to 1"),
        ([row(0, 1.0), row(True, 1.0)], "without an index and a finite score"),
        ([row(0, 1.0), row("1", 1.0)], "without an index and a finite score"),
        ([row(0, 1.0), row(1, None)], "without an index and a finite score"),
        ([row(0, 1.0), row(1, "1.0")], "without an index and a finite score"),
        ([row(0, 1.0), row(1, True)], "without an index and a finite score"),
        ([row(0, 1.0), row(1, math.nan)], "without an index and a finite score"),
        ([row(0, 1.0), row(1, math.inf)], "without an index and a finite score"),
        ([row(0, 1.0), row(1, 10**400)], "without an index and a finite score"),
        ([row(0, 1.0), {"index": 1}], "without an index and a finite score"),
        ([row(0, 1.0), [1, 1.0]], "without an index and a finite score"),
        ([0.1, 0.2], "without an index and a finite score"),
    ],
    ids=lambda value: repr(value)[:60],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_server_that_answers_nonsense_is_refused(
    fake: Fake, value: Any, message: str, wrapped: bool
) -> None:
    fake.script = [body_of({"results": value} if wrapped and isinstance(value, list) else value)]
    with pytest.raises(ModelError, match=rf"'server:m' at http.*{message}.*models\.rerank_address"):
        ranked(at(fake), texts=["a", "b"])
    assert len(fake.asked) == 1


def test_either_name_of_the_score_is_understood(fake: Fake) -> None:
    fake.script = [body_of({"results": [row(1, 2, "score"), row(0, -3)]})]
    assert ranked(at(fake), texts=["a", "b"]) == [-3.0, 2.0]


def test_a_hung_server_is_not_waited_for(fake: Fake) -> None:
    fake.script = [fake.hang]
    with pytest.raises(ModelError, match=r"gave no answer within 0.2 s; .* refine\.rerank"):
        ranked(at(fake, timeout_s=0.2))
    assert len(fake.asked) == 1


def test_nobody_listening_is_told(fake: Fake) -> None:
    closed = Remote("m", Server(url="http://127.0.0.1:9/rerank"))
    with pytest.raises(ModelError, match=r"could not be asked \(ConnectError.*see that it runs"):
        ranked(closed)


@pytest.mark.parametrize("url", ["http://[::1/rerank", "http://localhost:port/rerank"])
def test_an_address_that_is_none_is_told(fake: Fake, url: str) -> None:
    with pytest.raises(ModelError, match=r"could not be asked \(InvalidURL"):
        ranked(Remote("m", Server(url=url)))


def test_a_name_that_is_looked_up_for_ever_holds_nobody_up(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def never(*_: object, **__: object) -> list[Any]:
        threads.append(threading.current_thread())
        fake.release.wait(10)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    with pytest.raises(ModelError, match="gave no answer within"):
        ranked(Remote("m", Server(url="http://nowhere.invalid/rerank", timeout_s=0.2)))
    assert [one.daemon for one in threads] == [True]  # asyncio waits for its own, which are not


# --- the key ----------------------------------------------------------------------------


def test_the_key_and_the_address_of_the_settings_are_used(fake: Fake) -> None:
    values = {"models.rerank_address": f" {fake.address}\n", "models.rerank_key": "sesame\n"}
    reranker = open_reranker("server:m", build_settings(values))
    assert ranked(reranker, texts=["a"]) == [0.7]
    assert fake.headers[0]["authorization"] == "Bearer sesame"
    assert fake.headers[0]["path"] == "/v1/rerank"


@pytest.mark.parametrize(
    "trouble",
    [
        status(401, "the key sesame-4711 is unknown"),
        status(500, "sesame-4711"),
        body_of("sesame-4711"),
        body_of({"told": "sesame-4711"}),
        body_of({"results": [{"told": "sesame-4711"}]}),
    ],
)
def test_the_key_is_never_told(fake: Fake, trouble: Script) -> None:
    fake.script = [trouble] * 3
    secret = fake.address.replace("//", "//user:sesame-4711@") + "?key=sesame-4711"
    with pytest.raises(ModelError) as caught:
        ranked(at(fake, url=secret, key="sesame-4711"), texts=["a"])
    assert "4711" not in str(caught.value)
    assert "/v1/rerank" in str(caught.value)
    assert "4711" not in str(caught.value.__cause__)
    assert "4711" not in repr(Server(url="http://a", key="sesame-4711"))


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8080/rerank", "ftp://localhost/rerank", "http:///rerank", "http://a b/rerank"],
)
def test_an_address_must_be_whole(address: str) -> None:
    pytest.importorskip("httpx")
    with pytest.raises(UsageError, match=rf"not '{address}': set models\.rerank_address, e\.g\."):
        open_server("m", build_settings({"models.rerank_address": address}))


def test_a_key_that_cannot_be_sent_is_refused_unseen() -> None:
    pytest.importorskip("httpx")
    values = {
        "models.rerank_address": "http://localhost/rerank",
        "models.rerank_key": "4711\n\x00é",
    }
    with pytest.raises(UsageError, match=r"models\.rerank_key has characters") as caught:
        open_server("m", build_settings(values))
    assert "4711" not in str(caught.value)


# --- in a search ------------------------------------------------------------------------

QUESTION = "tower on a reef"


def likes_electricity(body: dict[str, Any]) -> Answer:
    scores = [float("electricity" in text) for text in body["documents"]]
    return 200, {"results": [row(place, score) for place, score in enumerate(scores)]}


@pytest.fixture
def space(fake: Fake, opened: Any, evidence: Path) -> Any:
    """A workspace whose settings name the fake server."""
    values = {"models.rerank": "server:x", "models.rerank_address": fake.address}
    found = opened(**values, **{"refine.blend": 1, "refine.mmr": 1, "refine.share": 1})
    found.add([evidence])
    return found


def test_the_opinion_of_a_server_changes_the_order(fake: Fake, space: Any) -> None:
    fused = space.find(Query(text=QUESTION, rerank=False))
    assert fake.asked == []
    assert "electricity" not in fused.hits[0].passage.text
    fake.usual = likes_electricity
    for _ in range(2):  # each search runs in an event loop of its own
        best = space.search(QUESTION).hits[0]
        assert "electricity" in best.passage.text
        assert "server:x" in {change.reason for change in best.changes}
    assert fake.asked[0]["query"] == QUESTION
    assert best.passage.indexed in fake.asked[0]["documents"]


def test_a_server_in_trouble_leaves_the_fused_order_with_a_note(fake: Fake, space: Any) -> None:
    fused = space.find(Query(text=QUESTION, rerank=False))
    fake.usual = status(500)
    result = space.search(QUESTION)
    assert len(fake.asked) == 3
    assert [hit.passage.id for hit in result.hits] == [hit.passage.id for hit in fused.hits]
    notes = [note.message for note in result.notes if note.origin == "server:x"]
    assert len(notes) == 1
    assert "answered 500" in notes[0]
    assert "the order is the fused one" in notes[0]
