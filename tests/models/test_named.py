"""Models by name: fastembed through a fake of its interface, `openai:` at a real local server."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from consilience.errors import ModelError
from consilience.models.embedders import FastEmbed, Remote, open_openai, unit_rows
from consilience.models.onnx_embedder import FOLDER
from consilience.models.servers import Server
from consilience.settings import build_settings

# --- fastembed --------------------------------------------------------------------------


class FakeInner:
    def __init__(self, limit: int) -> None:
        self.tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
        self.tokenizer.enable_truncation(limit)
        self.tokenizer.enable_padding()


class FakeModel:
    """The part of fastembed's TextEmbedding that is used: a vector is (length, 1 or 2, 0)."""

    embedding_size = 3

    def __init__(self, limit: int = 8) -> None:
        self.model = FakeInner(limit)
        self.passages: list[str] = []

    def passage_embed(self, texts: Sequence[str], batch_size: int) -> Iterator[np.ndarray]:
        assert batch_size == 2
        self.passages.extend(texts)
        return (np.array([len(text), 1, 0]) for text in texts)

    def query_embed(self, text: str) -> Iterator[np.ndarray]:
        yield np.array([len(text), 2, 0])


def fast(model: FakeModel) -> FastEmbed:
    return FastEmbed("some/model", lambda: model, batch=2)


def test_fastembed_gives_unit_rows_in_order_each_text_once() -> None:
    model = FakeModel()
    vectors = fast(model).embed(["abc", "", "abc"])
    assert model.passages == ["abc", ""]
    root = math.sqrt(10)
    expected = [[3 / root, 1 / root, 0], [0, 1, 0], [3 / root, 1 / root, 0]]
    assert vectors == pytest.approx(np.array(expected), abs=1e-6)
    assert vectors.dtype == np.float32


def test_fastembed_asks_its_model_for_questions_as_questions() -> None:
    vector = fast(FakeModel()).embed_query("ab")
    assert vector == pytest.approx(np.array([2, 2, 0]) / math.sqrt(8))


def test_fastembed_knows_name_dimensions_limit_and_true_counts() -> None:
    embedder = fast(FakeModel(limit=8))
    assert (embedder.name, embedder.dimensions, embedder.limit) == ("fastembed:some/model", 3, 8)
    assert embedder.count(["pawn", "pawn " * 20]) == [3, 22]  # beyond its own cutting at 8
    assert embedder.embed([]).shape == (0, 3)


def test_fastembed_refuses_what_it_would_cut() -> None:
    with pytest.raises(ModelError, match="22 tokens is longer than the 8 that 'fastembed:some"):
        fast(FakeModel(limit=8)).embed(["pawn " * 20])


def test_fastembed_loads_once_and_only_when_used() -> None:
    loads: list[int] = []
    embedder = FastEmbed("m", lambda: loads.append(1) or FakeModel(), batch=2)
    assert embedder.name == "fastembed:m"
    assert loads == []
    embedder.embed(["a"])
    embedder.embed_query("b")
    assert loads == [1]


def test_fastembed_that_cannot_be_loaded_says_what_to_do() -> None:
    def load() -> FakeModel:
        raise OSError("no route to the hub")

    with pytest.raises(ModelError, match=r"OSError: no route to the hub.*can be downloaded"):
        FastEmbed("m", load).embed(["a"])


# --- nonsense ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 0.0]], r"shape \(1, 2\) to 2 texts"),
        ([1.0, 0.0], r"shape \(2,\) to 2 texts"),
        ([[1.0], [1.0]], "1 dimensions where there were 2"),
        ([[1.0, 0.0], [math.nan, 0.0]], "without a direction"),
        ([[1.0, 0.0], [math.inf, 0.0]], "without a direction"),
        ([[1.0, 0.0], [0.0, 0.0]], "without a direction"),
        ([["a", "b"], ["c", "d"]], "not rows of numbers"),
        ([[1.0, 0.0], [1.0]], "not rows of numbers"),
        ([None, None], r"shape|not rows of numbers"),
    ],
)
def test_nonsense_is_refused(rows: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        unit_rows(rows, count=2, dimensions=2, name="m")


# --- openai -----------------------------------------------------------------------------

Answer = tuple[int, Any]
Script = Callable[[list[str]], Answer]


def good(texts: list[str]) -> Answer:
    """A vector (length, 3) per text, the last text first: the index tells the place."""
    rows = [{"index": place, "embedding": [len(text), 3]} for place, text in enumerate(texts)]
    return 200, {"object": "list", "data": rows[::-1], "model": "m"}


def status(code: int, message: str = "no") -> Script:
    return lambda _: (code, {"error": {"message": message}})


def body(value: Any) -> Script:
    return lambda _: (200, value)


def hang(_: list[str]) -> Answer:
    time.sleep(0.6)
    return 200, {}


@dataclass
class Fake:
    """A local server: each request takes the next answer of the script, then good ones."""

    script: list[Script] = field(default_factory=list)
    asked: list[list[str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    state = Fake()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            texts = json.loads(self.rfile.read(length))["input"]
            state.asked.append(texts)
            state.headers.append(
                {"path": self.path, **{k.lower(): v for k, v in self.headers.items()}}
            )
            code, value = (state.script.pop(0) if state.script else good)(texts)
            data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            try:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client that gave up is gone

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def remote(fake: Fake) -> Iterator[Callable[..., Remote]]:
    """Opens embedders at the fake server and closes their connections afterwards."""
    pytest.importorskip("openai")
    made: list[Remote] = []

    def open_remote(*, batch: int = 32, timeout_s: float = 5, retries: int = 3) -> Remote:
        server = Server(url=fake.address, timeout_s=timeout_s, retries=retries)
        made.append(Remote("m", server, batch=batch))
        return made[-1]

    yield open_remote
    for each in made:
        each._client.get().close()


Open = Callable[..., Remote]


def test_openai_gives_unit_rows_in_order_in_batches_each_text_once(
    fake: Fake, remote: Open
) -> None:
    vectors = remote(batch=2).embed(["aaaa", "", "aaaa", "bbbb-bbbb-bb"])
    assert fake.asked == [["aaaa", " "], ["bbbb-bbbb-bb"]]
    empty = [1 / math.sqrt(10), 3 / math.sqrt(10)]
    long = [12 / math.sqrt(153), 3 / math.sqrt(153)]
    assert vectors == pytest.approx(np.array([[0.8, 0.6], empty, [0.8, 0.6], long]), abs=1e-6)
    assert vectors.dtype == np.float32


def test_openai_uses_the_address_of_the_settings(fake: Fake) -> None:
    pytest.importorskip("openai")
    settings = build_settings({"models.address": fake.address})
    embedder = open_openai("text-embedding-3-small", settings)
    assert embedder.embed_query("aaaa") == pytest.approx(np.array([0.8, 0.6]))
    assert fake.headers[0]["path"] == "/v1/embeddings"
    embedder._client.get().close()  # type: ignore[attr-defined]


def test_openai_sends_the_key_of_the_environment(
    fake: Fake, remote: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    remote().embed_query("a")
    assert fake.headers[0]["authorization"] == "Bearer sesame"


def test_openai_without_a_key_or_an_address_says_which_variable(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        Remote("m", Server()).embed(["a"])
    assert fake.asked == []


def test_openai_asks_for_the_dimensions_once(fake: Fake, remote: Open) -> None:
    embedder = remote()
    assert (embedder.dimensions, embedder.dimensions) == (2, 2)
    assert embedder.embed([]).shape == (0, 2)
    assert len(fake.asked) == 1


def test_openai_counts_a_third_of_the_bytes_and_refuses_more_than_the_limit(
    fake: Fake, remote: Open
) -> None:
    embedder = remote()
    assert embedder.count(["", "abc", "abcd", "数学"]) == [0, 1, 2, 2]
    assert embedder.limit == 8191
    with pytest.raises(ModelError, match="8192 tokens is longer than the 8191"):
        embedder.embed(["x" * (3 * 8191 + 1)])
    assert fake.asked == []


def test_openai_cuts_a_long_question(fake: Fake, remote: Open) -> None:
    remote().embed_query("é" * 20_000)  # two bytes each; 24,573 bytes hold 12,286 of them
    assert fake.asked == [["é" * 12_286]]


@pytest.mark.parametrize("code", [500, 429, 503])
def test_openai_tries_again_after_trouble(fake: Fake, remote: Open, code: int) -> None:
    fake.script = [status(code), status(code)]
    assert remote().embed_query("aaaa") == pytest.approx(np.array([0.8, 0.6]))
    assert len(fake.asked) == 3


@pytest.mark.parametrize(
    ("code", "tries", "advice"),
    [
        (500, 2, "try again later"),
        (429, 2, "wait, or raise the limit"),
        (401, 1, "set the environment variable OPENAI_API_KEY"),
        (403, 1, "choose another"),
        (404, 1, "check the model's name"),
        (400, 1, "may read fewer tokens"),
    ],
)
def test_openai_gives_up_with_advice(
    fake: Fake, remote: Open, code: int, tries: int, advice: str
) -> None:
    fake.script = [status(code, "because")] * 5
    with pytest.raises(ModelError, match=rf"(?s)'openai:m' at http.*because.*{advice}"):
        remote(retries=1).embed(["a"])
    assert len(fake.asked) == tries


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"data": None},
        {"data": []},
        {"data": [{"index": 1, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": None}]},
        {"data": [{"index": 0, "embedding": [1, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [[1, 2]]}]},
        {"data": [{"index": place, "embedding": [1, 2]} for place in range(2)]},
        {"data": "words"},
        [],
        "<html>not an API</html>",
    ],
    ids=repr,
)
def test_openai_refuses_nonsense(fake: Fake, remote: Open, value: object) -> None:
    fake.script = [body(value)] * 5
    with pytest.raises(ModelError, match="openai:m"):
        remote(retries=0).embed(["a"])


def test_openai_refuses_vectors_of_another_length_than_before(fake: Fake, remote: Open) -> None:
    embedder = remote()
    embedder.embed_query("a")
    fake.script = [body({"data": [{"index": 0, "embedding": [1, 2, 3]}]})]
    with pytest.raises(ModelError, match="3 dimensions where there were 2"):
        embedder.embed_query("b")


def test_openai_does_not_wait_for_a_hung_server(fake: Fake, remote: Open) -> None:
    fake.script = [hang]
    with pytest.raises(ModelError, match="did not answer in time"):
        remote(timeout_s=0.2, retries=0).embed(["a"])


def test_openai_says_when_nobody_listens(fake: Fake) -> None:
    pytest.importorskip("openai")
    closed = Remote("m", Server(url="http://127.0.0.1:9/v1", retries=0))
    with pytest.raises(ModelError, match=r"server runs and that models\.address"):
        closed.embed(["a"])
    closed._client.get().close()
