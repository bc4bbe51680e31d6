"""Which language model writes? One by name at any address with the OpenAI interface.

`openai:<model>` asks OpenAI, Ollama, vLLM, llama.cpp or another server that speaks as they do,
through OpenAI's own client. Servers differ in which options they take: one that refuses an option
and names it is asked again without it, or with the other spelling, and so from then on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from consilience.errors import ModelError
from consilience.models.servers import (
    Server,
    advise,
    check_model,
    check_server,
    connect_openai,
    encodable,
    hide_secrets,
    shorten,
)
from consilience.protocols import Chunk
from consilience.settings import Settings
from consilience.types import Prompt

if TYPE_CHECKING:
    from consilience.protocols import Generator

EXAMPLE = "http://localhost:8080/v1"
THINKING = 4000  # tokens more for a model that used up all it had by thinking
QUOTED = 300  # letters of what a server said

Value = TypeVar("Value")


def open_openai(argument: str, settings: Settings) -> Generator:
    """A model by its name at the address of the settings, asked only when something is written."""
    model = check_model(
        "language model 'openai'", argument, "qwen3:8b", package="openai", extra="openai"
    )
    server = Server(
        url=(settings.models.generate_address or settings.models.address).strip(),
        key=settings.models.generate_key.strip(),
        timeout_s=settings.answer.timeout_s,
        retries=settings.answer.retries,
    )
    what, setting = f"language model 'openai:{model}'", "models.generate_address"
    return Chat(model, check_server(what, server, setting=setting, example=EXAMPLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    """Which options a server takes, and how it spells the most that may be written."""

    most: str = "max_tokens"
    without: frozenset[str] = frozenset()
    room: int = 0  # for thoughts, which are not what was asked for

    def options(self, most: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        """The options of a request, as this server takes them."""
        options: dict[str, Any] = {
            self.most: most + self.room,
            "temperature": 0.0,
            "stream_options": {"include_usage": True},
        }
        if schema is not None:
            form = {"name": "reply", "schema": dict(schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        return {name: value for name, value in options.items() if name not in self.without}

    def after(self, refusal: str, sent: Mapping[str, Any]) -> _Dialect | None:
        """How to ask again after a refusal; None if it names nothing that can be left out."""
        for name, words in _NAMED.items():
            if name in sent and re.search(words, refusal, re.IGNORECASE):
                return replace(self, without=self.without | {name})
        if self.most == "max_tokens" and re.search(r"max_(completion_)?tokens", refusal):
            return replace(self, most="max_completion_tokens")
        return None


_NAMED: Mapping[str, str] = {
    "temperature": r"\btemperature\b",
    "stream_options": r"\bstream_options\b|\binclude_usage\b",
    "response_format": r"\bresponse_format\b|json_schema|\bgrammar\b|\bschema\b|guided",
}


class Chat:
    """A `Generator` at an address with the OpenAI interface; it answers as tokens are made.

    A connection lasts for one request: each question may run in an event loop of its own. What a
    model thinks aloud before its answer, between `<think>` and `</think>`, is left out.
    """

    def __init__(self, model: str, server: Server, *, name: str = "") -> None:
        self._model = model
        self._name = name or f"openai:{model}"
        self._server = server
        self._dialect = _Dialect()
        self.unopened = False  # a reply closed a thought that it had not opened

    @property
    def name(self) -> str:
        """As the settings name it: `openai:<model>`."""
        return self._name

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """What the model writes, as it comes; the last chunk has the counts."""
        dialect, deadline = self._dialect, _Deadline(self._server.timeout_s)
        for _ in range(len(_NAMED) + 3):
            request = _Request(self, prompt, dialect.options(most, schema), deadline)
            wrote = False
            async with aclosing(request.chunks()) as chunks:
                async for chunk in chunks:
                    wrote = wrote or bool(chunk.text)
                    yield chunk
            if request.refusal is not None:
                other = dialect.after(str(request.refusal), request.options)
                if other is None:
                    raise self.failed(request.refusal, request.key) from request.refusal
            elif not wrote and request.ended == "length" and not dialect.room:
                other = replace(dialect, room=THINKING)
            else:
                self._dialect = dialect
                if not wrote:
                    raise ModelError(f"{self.where} wrote nothing; choose another model")
                return
            dialect = other
        raise ModelError(f"{self.where} refuses one option after the other; choose another")

    def connect(self) -> Any:
        """A client for one request."""
        import openai  # noqa: PLC0415 - an optional package, and slow to import

        try:
            return connect_openai(openai.AsyncOpenAI, self._server)
        except openai.OpenAIError as error:
            raise self.failed(error, "") from error

    def body(self, prompt: Prompt, options: Mapping[str, Any]) -> dict[str, Any]:
        """All that a request says."""
        messages = [
            {"role": role, "content": encodable(text)}
            for role, text in (("system", prompt.system), ("user", prompt.user))
            if text
        ]
        return {"model": self._model, "messages": messages, "stream": True, **options}

    def failed(self, error: BaseException, key: str) -> ModelError:
        """What happened, where, and what to do; without the key, which some servers repeat."""
        cause = error.__cause__
        message = f"{error} ({cause})" if cause and str(cause) not in str(error) else str(error)
        message = shorten(message, key, QUOTED)
        request = getattr(error, "request", None)
        again = int(getattr(request, "headers", {}).get("x-stainless-retry-count", 0))
        after = f" after {again} more tries" if again else ""
        kind = type(error).__name__
        advice = advise(error, _ADVICE, "check models.generate_address")
        return ModelError(f"{self.where} failed{after} ({kind}: {message}); {advice}")

    @property
    def where(self) -> str:
        """The model and its address, for messages."""
        at = f" at {hide_secrets(self._server.url)}" if self._server.url else ""
        return f"language model {self.name!r}{at}"


class _Request:
    """One request and the reading of its answer; a refusal of its options is left in `refusal`."""

    def __init__(
        self, chat: Chat, prompt: Prompt, options: Mapping[str, Any], deadline: _Deadline
    ) -> None:
        self.options = options
        self.refusal: Exception | None = None
        self.ended = ""
        self.key = ""
        self._chat = chat
        self._prompt = prompt
        self._deadline = deadline
        self._counts = Chunk()

    async def chunks(self) -> AsyncGenerator[Chunk]:
        """What is written, and at the end the counts."""
        async with AsyncExitStack() as stack:
            try:
                stream = await self._deadline.wait(self._open(stack))
                thoughts = Thoughts(unopened=self._chat.unopened)
                while (event := await self._deadline.wait(anext(stream, None))) is not None:
                    text = thoughts.without(self._read(event))
                    self._chat.unopened = self._chat.unopened or thoughts.unopened
                    if text:
                        yield Chunk(text=text)
                if text := thoughts.rest(whole=self.ended != "length"):
                    yield Chunk(text=text)
            except ModelError:
                raise
            except TimeoutError as error:
                raise ModelError(
                    f"{self._chat.where} did not finish within {self._deadline.whole_s:g} s; raise "
                    f"answer.timeout_s, or choose a smaller model or a shorter answer"
                ) from error
            except Exception as error:
                # Whatever the client, its transport or the reading of an event raised.
                if getattr(error, "status_code", 0) not in (400, 422):
                    raise self._chat.failed(error, self.key) from error
                self.refusal = error
                return
        if not self.ended:
            raise ModelError(
                f"{self._chat.where} broke off before the end, or does not stream; see that the "
                f"server runs, and check models.generate_address"
            )
        yield self._counts

    async def _open(self, stack: AsyncExitStack) -> Any:
        client = self._chat.connect()
        self.key = str(client.api_key)
        await stack.enter_async_context(client)
        ask = client.chat.completions.with_streaming_response.create
        response = await stack.enter_async_context(
            ask(**self._chat.body(self._prompt, self.options))
        )
        self._counts = Chunk(retries=response.retries_taken)
        stream = await response.parse()
        stack.push_async_callback(stream.close)
        return stream

    def _read(self, event: Any) -> str:
        if usage := getattr(event, "usage", None):
            self._counts = replace(
                self._counts,
                asked=int(usage.prompt_tokens or 0),
                written=int(usage.completion_tokens or 0),
            )
        if not event.choices:
            self.ended = self.ended or ("counted" if usage else "")
            return ""
        choice = event.choices[0]
        self.ended = choice.finish_reason or self.ended
        if self.ended == "content_filter" or getattr(choice.delta, "refusal", None):
            why = getattr(choice.delta, "refusal", None) or "its filter stopped the answer"
            raise ModelError(
                f"{self._chat.where} declined to answer ({why[:QUOTED]}); ask otherwise"
            )
        return encodable((choice.delta and choice.delta.content) or "")


class _Deadline:
    """How long the server may still take in all; time that the reader takes does not count."""

    def __init__(self, whole_s: float) -> None:
        self.whole_s = whole_s
        self._left_s = whole_s

    async def wait(self, step: Awaitable[Value]) -> Value:
        """The step's value; `TimeoutError` when nothing is left to wait."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            async with asyncio.timeout(self._left_s):
                return await step
        finally:
            self._left_s = max(0.0, self._left_s - (loop.time() - started))


class Thoughts:
    """Leaves out what a model thinks aloud at the start of a reply.

    Where the server opens the thought itself, a reply only closes it. The first such reply passes
    as it comes, up to its reader to make sense of; with `unopened`, which says that there was
    one, a reply is held back until its thought ends.
    """

    _OPEN = ("<think>", "<thinking>")
    _END = re.compile(r"</think(?:ing)?>\s*")

    def __init__(self, *, unopened: bool = False) -> None:
        self.unopened = unopened
        self._held: str | None = ""  # None once the answer itself has begun
        self._opened = False
        self._last = ""

    def without(self, text: str) -> str:
        """The part of this text that belongs to the answer."""
        if self._held is not None:
            text = self._held + text
            begun = text.lstrip()
            self._opened = self._opened or begun.startswith(self._OPEN)
            end = self._END.search(text)
            waits = self._opened or self.unopened
            if waits and end:
                text = text[end.end() :]
            elif waits or not begun or any(tag.startswith(begun) for tag in self._OPEN):
                self._held = text
                return ""
            self._held, text = None, text.lstrip()
        self._watch(text)
        return text

    def rest(self, *, whole: bool) -> str:
        """What was held back to the end and is no thought; one cut off may be all thought."""
        held, self._held = self._held or "", None
        return held if held.strip() and not self._opened and (whole or not self.unopened) else ""

    def _watch(self, text: str) -> None:
        if not self._opened:
            self._last = self._last[-len("</thinking") :] + text
            self.unopened = self.unopened or bool(self._END.search(self._last))


_ADVICE: Mapping[str, str] = {
    "APITimeoutError": "it did not answer in time: raise answer.timeout_s, or try again",
    "APIConnectionError": "see that the server runs and that models.generate_address is right",
    "AuthenticationError": "set models.generate_key to a valid key",
    "NotFoundError": "check the model's name, and that models.generate_address is whole, such as "
    + EXAMPLE,
    "BadRequestError": "it may read fewer tokens: lower answer.tokens or answer.passages",
    "OpenAIError": "set models.generate_key, and check models.generate_address",
}
