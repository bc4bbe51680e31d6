"""Language models at an address: a real local server, what it refuses, and how it breaks."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models import open_generator
from consilience.models.generators import Chat, Thoughts, open_openai
from consilience.models.servers import Server
from consilience.protocols import Chunk
from consilience.settings import build_settings
from consilience.types import Prompt

PROMPT = Prompt(stage="expand 1", system="Be brief.", user="Who?")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}

Script = Callable[["Handler"], None]


def event(text: str | None = None, end: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": end}
    return {"id": "1", "object": "chat.completion.chunk", "model": "m", "created": 1} | {
        "choices": [choice],
        **more,
    }


def streams(*texts: str, end: str = "stop", usage: bool = True) -> Script:
    events = [*(event(text) for text in texts), event(end=end)]
    if usage:
        events.append(event() | {"choices": [], "usage": USAGE})
    return lambda handler: handler.stream(events)


def status(code: int, message: str = "because") -> Script:
    return lambda handler: handler.answer(code, {"error": {"message": message}})


GOOD = streams("Hel", "lo", ".")


@dataclass
class Fake:
    """A local server: each request takes the next of the script, then a good one."""

    script: list[Script] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    address: str = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Fake

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.asked.append(body)
        self.state.headers.append(
            {"path": self.path, **{name.lower(): value for name, value in self.headers.items()}}
        )
        try:
            (self.state.script.pop(0) if self.state.script else GOOD)(self)
        except OSError:
            self.state.left.set()  # whoever asked is gone
        self.close_connection = True

    def answer(self, code: int, value: Any, kind: str = "application/json") -> None:
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send(self, value: Any) -> None:
        data = f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def stream(self, events: list[Any], *, whole: bool = True) -> None:
        self.begin()
        for one in events:
            self.send(one)
        if whole:
            self.send("[DONE]")
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    pytest.importorskip("openai")
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_BASE_URL",
        "HTTP_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    state = Fake()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Ours", (Handler,), {"state": state}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def at(fake: Fake, **more: Any) -> Chat:
    return Chat("m", Server(**{"url": fake.address, "timeout_s": 10, **more}))


def chunks(chat: Any, *, most: int = 50, schema: Any = None) -> list[Chunk]:
    async def read() -> list[Chunk]:
        return [one async for one in chat.generate(PROMPT, most=most, schema=schema)]

    return asyncio.run(read())


def wrote(chat: Any, **more: Any) -> str:
    return "".join(one.text for one in chunks(chat, **more))


def test_letters_come_as_they_are_written_and_counts_at_the_end(fake: Fake) -> None:
    found = chunks(at(fake))
    assert [one.text for one in found] == ["Hel", "lo", ".", ""]
    assert (found[-1].asked, found[-1].written, found[-1].retries) == (7, 3, 0)
    (asked,) = fake.asked
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who?"},
    ]
    assert (asked["model"], asked["max_tokens"], asked["temperature"]) == ("m", 50, 0.0)
    assert asked["stream"] is True
    assert asked["stream_options"] == {"include_usage": True}
    assert "response_format" not in asked
    assert fake.headers[0]["path"] == "/v1/chat/completions"


def test_a_schema_goes_to_the_server(fake: Fake) -> None:
    wrote(at(fake), schema=SCHEMA)
    form = fake.asked[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"] == SCHEMA
    assert form["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("refusal", "gone", "there"),
    [
        ("Unsupported value: 'temperature' does not support 0", "temperature", None),
        ("stream_options: Extra inputs are not permitted", "stream_options", None),
        ("This response_format type is unavailable now", "response_format", None),
        ("failed to parse grammar", "response_format", None),
        (
            "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
    ],
)
@pytest.mark.parametrize("code", [400, 422])
def test_an_option_that_is_refused_is_left_out_from_then_on(
    fake: Fake, code: int, refusal: str, gone: str, there: str | None
) -> None:
    fake.script = [status(code, refusal)]
    chat = at(fake)
    assert wrote(chat, schema=SCHEMA) == "Hello."
    assert wrote(chat, schema=SCHEMA) == "Hello."
    assert [gone in one for one in fake.asked] == [True, False, False]
    if there:
        assert [one.get(there) for one in fake.asked] == [None, 50, 50]


def test_several_options_may_be_refused_one_after_the_other(fake: Fake) -> None:
    names = ["max_tokens", "temperature", "stream_options", "response_format"]
    fake.script = [*(status(400, f"no {name}") for name in names)]
    assert wrote(at(fake), schema=SCHEMA) == "Hello."
    assert not set(names) & set(fake.asked[-1])


def test_an_option_is_not_forgotten_for_a_refusal_that_had_another_cause(fake: Fake) -> None:
    fake.script = [status(400, "max_tokens is too large")] * 2
    chat = at(fake)
    with pytest.raises(ModelError, match=r"too large.*lower answer\.tokens"):
        wrote(chat)
    assert wrote(chat) == "Hello."
    assert "max_tokens" in fake.asked[-1]


def test_trouble_is_waited_for_and_counted(fake: Fake) -> None:
    fake.script = [status(503), status(429)]
    assert chunks(at(fake))[-1].retries == 2
    assert len(fake.asked) == 3


@pytest.mark.parametrize(
    ("code", "tries", "advice"),
    [
        (500, 2, "try again later"),
        (429, 2, "raise the limit"),
        (401, 1, r"models\.generate_key"),
        (403, 1, "choose another"),
        (404, 1, "check the model's name"),
        (400, 1, r"lower answer\.tokens"),
    ],
)
def test_a_failure_says_what_and_where_and_what_to_do(
    fake: Fake, code: int, tries: int, advice: str
) -> None:
    fake.script = [status(code)] * 5
    with pytest.raises(ModelError, match=rf"(?s)'openai:m' at http.*because.*{advice}") as error:
        wrote(at(fake, retries=1))
    assert len(fake.asked) == tries
    assert ("after 1 more tries" in str(error.value)) == (tries == 2)


def test_the_key_is_sent_and_never_told(fake: Fake) -> None:
    fake.script = [status(401, "wrong key: sesame-open")] * 2
    with pytest.raises(ModelError, match="wrong key: …") as error:
        wrote(at(fake, key="sesame-open"))
    assert fake.headers[0]["authorization"] == "Bearer sesame-open"
    assert "sesame" not in str(error.value)
    address = fake.address.replace("127.0.0.1", "me:secret@127.0.0.1")
    with pytest.raises(ModelError, match=r"at http://127\.0") as error:
        wrote(at(fake, url=address))
    assert "secret" not in str(error.value)
    assert "sesame" not in repr(Server(key="sesame-open"))


def test_a_server_of_ones_own_needs_no_key(fake: Fake) -> None:
    assert wrote(at(fake)) == "Hello."


def test_without_an_address_the_key_is_asked_for(fake: Fake) -> None:
    with pytest.raises(ModelError, match=r"models\.generate_key"):
        wrote(Chat("m", Server()))
    assert fake.asked == []


def test_nobody_listens() -> None:
    pytest.importorskip("openai")
    with pytest.raises(ModelError, match=r"server runs and that models\.generate_address"):
        wrote(Chat("m", Server(url="http://127.0.0.1:9/v1", retries=0)))


def slow(handler: Handler) -> None:
    """A letter now and then: no single wait is long, all together are."""
    handler.begin()
    for _ in range(200):
        handler.send(event("x"))
        time.sleep(0.02)


def silent(handler: Handler) -> None:
    handler.state.left.wait(5)


@pytest.mark.parametrize("script", [slow, silent])
def test_the_time_out_bounds_the_whole_request(fake: Fake, script: Script) -> None:
    fake.script = [script] * 3
    with pytest.raises(ModelError, match=r"did not finish within 0\.3 s; raise answer\.timeout_s"):
        wrote(at(fake, timeout_s=0.3))
    fake.left.set()


def test_a_reader_who_takes_long_is_not_the_servers_fault(fake: Fake) -> None:
    async def read() -> str:
        text = ""
        async for one in at(fake, timeout_s=0.5).generate(PROMPT, most=5):
            text += one.text
            await asyncio.sleep(0.2)
        return text

    assert asyncio.run(read()) == "Hello."


def test_whoever_stops_reading_stops_the_server(fake: Fake) -> None:
    fake.script = [slow]

    async def read() -> None:
        async with aclosing(at(fake).generate(PROMPT, most=5)) as stream:
            async for one in stream:
                assert one.text == "x"
                break

    asyncio.run(read())
    assert fake.left.wait(5)


@pytest.mark.parametrize(
    "script",
    [
        lambda handler: handler.stream([event("Hel"), event("lo")], whole=False),
        lambda handler: handler.stream([event("Hel"), event("lo")]),
        lambda handler: handler.stream([event("Hel"), {"error": {"message": "out of memory"}}]),
        lambda handler: handler.stream([event("Hel"), "{not json"]),
        lambda handler: handler.answer(200, "<html>a page</html>", "text/html"),
        lambda handler: handler.answer(200, {"choices": [{"message": {"content": "Hi"}}]}),
        streams(),
        streams("Hel", end="content_filter"),
    ],
    ids=["dropped", "no end", "error", "not json", "page", "no stream", "nothing", "filtered"],
)
def test_what_breaks_off_or_makes_no_sense_is_a_failure(fake: Fake, script: Script) -> None:
    fake.script = [script] * 5
    with pytest.raises(ModelError, match=r"'openai:m' at http://127.*;"):
        wrote(at(fake))


@pytest.mark.parametrize(
    "texts",
    [
        ("<think>Hm, [3]?</think>\n\n", "Hello."),
        ("<th", "ink", ">Hm", "</thi", "nk>Hel", "lo."),
        ("\n<thinking>a</thinking>Hello.",),
        ("  Hello.",),
    ],
)
def test_thoughts_are_left_out(fake: Fake, texts: tuple[str, ...]) -> None:
    fake.script = [streams(*texts)]
    assert wrote(at(fake)) == "Hello."


def test_what_only_looks_like_a_thought_stays() -> None:
    thoughts = Thoughts()
    assert thoughts.without("<thorn> ") + thoughts.without("<think>") == "<thorn> <think>"


@pytest.mark.parametrize("text", ["<", "<th", "<b", "5 <"])
def test_a_reply_that_begins_like_a_thought_is_not_lost(fake: Fake, text: str) -> None:
    fake.script = [streams(text)]
    assert wrote(at(fake)) == text


def test_a_thought_that_the_server_opened_is_left_out_once_it_is_known(fake: Fake) -> None:
    chat = at(fake)
    fake.script = [
        streams("Hm, a", "<b. Well</th", "ink>Hello."),
        streams("Let me ", "see.</thi", "nk>\n", "Hello."),
        streams("Without ", "a thought."),
        streams("<think>Once more</think>Hello."),
        streams("And so on", end="length"),
        streams("And so forth</think>Hello."),
    ]
    assert wrote(chat) == "Hm, a<b. Well</think>Hello."
    assert wrote(chat) == "Hello."
    assert wrote(chat) == "Without a thought."
    assert wrote(chat) == "Hello."
    assert wrote(chat) == "Hello."
    assert [one["max_tokens"] for one in fake.asked] == [50, 50, 50, 50, 50, 4050]


def test_half_a_letter_does_not_pass(fake: Fake) -> None:
    fake.script = [streams("Hel", "lo\ud83d.")]
    assert wrote(at(fake)) == "Hello?."


def test_an_ordinary_reply_is_not_held_back() -> None:
    thoughts = Thoughts()
    assert [thoughts.without(one) for one in ("It", " is", " 3 <", " 4")] == [
        "It",
        " is",
        " 3 <",
        " 4",
    ]
    assert not thoughts.unopened


def test_a_model_that_used_all_up_by_thinking_gets_more_room(fake: Fake) -> None:
    fake.script = [streams("<think>well", end="length")]
    chat = at(fake)
    assert wrote(chat) == "Hello."
    assert wrote(chat) == "Hello."
    assert [one["max_tokens"] for one in fake.asked] == [50, 4050, 4050]


# --- by name ----------------------------------------------------------------------------


def test_none_is_none_and_an_unknown_one_is_refused_with_the_known() -> None:
    assert open_generator("none", build_settings({})) is None
    with pytest.raises(UsageError, match=r"known: none, gguf, openai"):
        open_generator("nobody:x", build_settings({}))


def test_settings_say_where_and_how_patiently(fake: Fake) -> None:
    values = {
        "models.generate_address": fake.address,
        "models.address": "http://127.0.0.1:9/v1",
        "models.generate_key": "sesame",
        "answer.retries": 1,
    }
    fake.script = [status(500)] * 5
    generator = open_generator("openai:a/b:c", build_settings(values))
    assert generator is not None
    assert generator.name == "openai:a/b:c"
    with pytest.raises(ModelError):
        wrote(generator)
    assert len(fake.asked) == 2
    assert fake.asked[0]["model"] == "a/b:c"
    assert fake.headers[0]["authorization"] == "Bearer sesame"


def test_the_address_of_embedders_counts_where_there_is_no_other(fake: Fake) -> None:
    settings = build_settings({"models.address": fake.address})
    assert wrote(open_openai("m", settings)) == "Hello."


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"models.generate_address": "localhost:8080"}, "needs the whole address"),
        ({"models.generate_key": "sé same"}, "characters that no key has"),
    ],
)
def test_bad_settings_are_refused(values: dict[str, str], told: str) -> None:
    pytest.importorskip("openai")
    with pytest.raises(UsageError, match=told):
        open_openai("m", build_settings(values))


def test_a_model_needs_a_name() -> None:
    with pytest.raises(UsageError, match="openai:qwen"):
        open_openai(" ", build_settings({}))


def test_the_client_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"consilience\[openai\]"):
        open_openai("m", build_settings({}))
