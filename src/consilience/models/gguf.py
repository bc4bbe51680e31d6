"""Which language model runs here? A GGUF file inside this process, by llama.cpp.

`gguf:<path>` needs the extra `local`. The file is loaded when something is first written, once for
a process however many workspaces use it, and llama.cpp writes one text at a time.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models.generators import Deadline, Thoughts
from consilience.models.servers import encodable
from consilience.protocols import Chunk, Generator
from consilience.settings import Settings
from consilience.types import Prompt

REPLY_TOKENS = 2_048
"""Tokens that the context holds beside the evidence: instructions, question and reply."""
MAGIC = b"GGUF"
EXIT_S = 5.0

_servers: dict[tuple[Path, int], Any] = {}
_threads: set[threading.Thread] = set()
_loading = threading.Lock()


@atexit.register
def _unload() -> None:
    """Let what is being written end, then free the models: llama.cpp breaks at a bare exit."""
    for thread in list(_threads):
        thread.join(timeout=EXIT_S)
    _servers.clear()


def open_gguf(argument: str, settings: Settings) -> Generator:
    """A model file by its path, loaded when something is first written."""
    if not argument.strip():
        raise UsageError("language model 'gguf' needs a file: models.generate = \"gguf:<path>\"")
    path = Path(argument.strip()).expanduser()
    if not path.is_file():
        raise UsageError(
            f"language model 'gguf:{argument}': there is no file {str(path)!r}; "
            "download a GGUF file and name its path"
        )
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise UsageError(
                f"language model 'gguf:{argument}': {str(path)!r} is not a GGUF file; "
                "choose a file in the format of llama.cpp"
            )
    if find_spec("xllamacpp") is None:
        raise MissingExtra(f"language model 'gguf:{argument}'", "local")
    context = 3 * settings.answer.tokens + REPLY_TOKENS  # an answer in depth
    return Gguf(path.resolve(), context=context, timeout_s=settings.answer.timeout_s)


class Gguf:
    """A `Generator` inside this process; what it writes comes as tokens are made."""

    def __init__(self, path: Path, *, context: int, timeout_s: float) -> None:
        self._path = path
        self._context = context
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """`gguf:<file name>`."""
        return f"gguf:{self._path.name}"

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """What the model writes, as it comes; the last chunk has the counts."""
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Mapping[str, Any] | BaseException | None] = asyncio.Queue()
        stopped = threading.Event()

        def send(event: Mapping[str, Any] | BaseException | None) -> None:
            if not stopped.is_set():
                loop.call_soon_threadsafe(events.put_nowait, event)

        def receive(event: Mapping[str, Any]) -> bool:
            send(event)
            return stopped.is_set()  # true ends the generation

        thread = threading.Thread(
            target=self._write, args=(_body(prompt, most, schema), send, receive), daemon=True
        )
        _threads.add(thread)
        thread.start()
        deadline = Deadline(self._timeout_s)
        thoughts, counts, wrote, reason = Thoughts(), Chunk(), False, ""
        try:
            while (event := await deadline.wait(events.get())) is not None:
                text, reason = self._parse(event, reason)
                counts = _count(counts, cast("Mapping[str, Any]", event))
                if text := thoughts.without(text):
                    wrote = True
                    yield Chunk(text=text)
            if text := thoughts.rest(whole=reason != "length"):
                wrote = True
                yield Chunk(text=text)
        except TimeoutError as error:
            raise ModelError(
                f"language model {self.name!r} did not finish within {self._timeout_s:g} s; raise "
                "answer.timeout_s, or choose a smaller model or a shorter answer"
            ) from error
        finally:
            stopped.set()
        if not wrote:
            raise ModelError(f"language model {self.name!r} wrote nothing; choose another model")
        yield counts

    def _write(
        self,
        body: Mapping[str, Any],
        send: Callable[[Mapping[str, Any] | BaseException | None], None],
        receive: Callable[[Mapping[str, Any]], bool],
    ) -> None:
        """Generate in a thread of its own; the end, or what went wrong, is the last event."""
        try:
            _load(self._path, self._context).handle_chat_completions(dict(body), receive)
        except Exception as error:  # noqa: BLE001 - whatever the bindings raise
            send(error)
        else:
            send(None)
        finally:
            _threads.discard(threading.current_thread())

    def _parse(self, event: Mapping[str, Any] | BaseException, reason: str) -> tuple[str, str]:
        """The text of an event and why the model ended, where it did."""
        if isinstance(event, BaseException):
            raise ModelError(f"language model {self.name!r} failed ({event})") from event
        if failure := event.get("error"):
            message = failure.get("message", failure) if isinstance(failure, dict) else failure
            raise ModelError(
                f"language model {self.name!r} failed ({message}); "
                "lower answer.tokens or answer.passages if the text is too long for it"
            )
        choices = event.get("choices") or ()
        if not choices:
            return "", reason
        text = (choices[0].get("delta") or {}).get("content") or ""
        return encodable(text), choices[0].get("finish_reason") or reason


def _load(path: Path, context: int) -> Any:
    """The loaded model of a file; loading takes seconds and memory, so it happens once."""
    with _loading:
        if (path, context) not in _servers:
            import xllamacpp  # noqa: PLC0415 - an optional package

            parameters = xllamacpp.CommonParams()
            parameters.model.path = str(path)
            parameters.n_ctx = context
            parameters.n_parallel = 1
            parameters.verbosity = 0
            # The bindings open a port of this machine; nobody knows the key to it.
            parameters.api_keys = [secrets.token_hex(32)]
            threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
            count = threads or os.cpu_count() or 1
            parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = count
            try:
                _servers[path, context] = xllamacpp.Server(parameters)
            except RuntimeError as error:
                raise ModelError(
                    f"language model 'gguf:{path.name}' cannot be loaded ({error}); see that the "
                    "file is whole and that there is enough memory"
                ) from error
        return _servers[path, context]


def _body(prompt: Prompt, most: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    messages = [
        {"role": role, "content": encodable(text)}
        for role, text in (("system", prompt.system), ("user", prompt.user))
        if text
    ]
    body: dict[str, Any] = {
        "messages": messages,
        "max_tokens": most,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if schema is not None:
        form = {"name": "reply", "schema": dict(schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def _count(counts: Chunk, event: Mapping[str, Any]) -> Chunk:
    usage = event.get("usage")
    if not usage:
        return counts
    return Chunk(
        asked=int(usage.get("prompt_tokens") or 0), written=int(usage.get("completion_tokens") or 0)
    )
