"""Which language model runs on this machine? A GGUF file, by llama.cpp in a process of its own.

`gguf:<path>` needs the extra `local`. llama.cpp does not share a process with the engines, whose
native libraries it may clash with: `python -m consilience.models.gguf` serves the file on a free
port of this machine, under a key that only its parent knows, and ends when its parent does. It
starts when something is first written and takes one request at a time.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models.generators import Chat
from consilience.models.servers import Server
from consilience.protocols import Chunk, Generator
from consilience.settings import Settings
from consilience.types import Prompt

REPLY_TOKENS = 2_048
"""Tokens that the context holds beside the evidence: instructions, question and reply."""
LONGEST = 3
"""Times `answer.tokens` that an answer in depth is given."""
START_S = 300.0
"""How long the file may take to load."""
_MAGIC = b"GGUF"
_POLL_S = 0.02


def open_gguf(argument: str, settings: Settings) -> Generator:
    """A model file by its path; it is loaded when something is first written."""
    what = f"language model 'gguf:{argument}'"
    if not argument.strip():
        raise UsageError("language model 'gguf' needs a file: models.generate = \"gguf:<path>\"")
    path = Path(argument.strip()).expanduser()
    if not path.is_file():
        raise UsageError(
            f"{what}: there is no file {str(path)!r}; download a GGUF file and give its path"
        )
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise UsageError(f"{what}: {str(path)!r} is not a GGUF file; choose one of llama.cpp")
    if any(find_spec(package) is None for package in ("xllamacpp", "openai")):
        raise MissingExtra(what, "local")
    context = LONGEST * settings.answer.tokens + REPLY_TOKENS
    return Gguf(path.resolve(), context=context, timeout_s=settings.answer.timeout_s)


class Gguf:
    """A `Generator` from a file. Loading and waiting for one's turn do not count as its time."""

    def __init__(self, path: Path, *, context: int, timeout_s: float) -> None:
        self._path = path
        self._context = context
        self._timeout_s = timeout_s
        self._turn = threading.Lock()  # questions may come from several event loops
        self._process: subprocess.Popen[str] | None = None
        self._chat: Chat | None = None
        self._stop: weakref.finalize[..., Gguf] | None = None

    @property
    def name(self) -> str:
        """`gguf:<file name>`."""
        return f"gguf:{self._path.name}"

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """What the model writes, as it comes; the last chunk has the counts."""
        async with self._turned():
            chat = await self._started()
            try:
                async with aclosing(chat.generate(prompt, most=most, schema=schema)) as chunks:
                    async for chunk in chunks:
                        yield chunk
            except ModelError as error:
                if (code := await self._ended()) is None:
                    raise
                raise ModelError(
                    f"language model {self.name!r} ended while it wrote ({_exit(code)}); it starts "
                    "again with the next answer. Where memory is short, choose a smaller model"
                ) from error

    def close(self) -> None:
        """End the process; it starts again if something else is written."""
        if self._stop is not None:
            self._stop()
        self._process = self._chat = self._stop = None

    @asynccontextmanager
    async def _turned(self) -> AsyncGenerator[None]:
        while not self._turn.acquire(blocking=False):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)
        try:
            yield
        finally:
            self._turn.release()

    async def _started(self) -> Chat:
        """The client of the running process, started if there is none."""
        if self._chat is None or self._process is None or self._process.poll() is not None:
            self.close()
            process, key = self._spawn()
            self._process, self._stop = process, weakref.finalize(self, _end, process)
            try:
                async with asyncio.timeout(START_S):
                    reply = await asyncio.to_thread(_read_reply, process)
            except TimeoutError as error:
                self.close()
                raise ModelError(
                    f"language model {self.name!r} did not load within {START_S:g} s; choose a "
                    "smaller model"
                ) from error
            except asyncio.CancelledError:
                self.close()
                raise
            if "address" not in reply:
                self.close()
                raise ModelError(
                    f"language model {self.name!r} cannot be loaded ({reply.get('error')}); see "
                    "that the file is whole and that there is enough memory"
                )
            url = f"{reply['address']}/v1"
            server = Server(url=url, key=key, timeout_s=self._timeout_s, retries=0)
            self._chat = Chat(self._path.name, server, name=self.name)
        return self._chat

    def _spawn(self) -> tuple[subprocess.Popen[str], str]:
        """A process that loads the file, and the key to it; neither stands in its command line."""
        key = secrets.token_hex(32)
        here = str(Path(__file__).parents[2])
        start = f"import sys; sys.path.insert(0, {here!r}); from {__name__} import serve; serve()"
        process = subprocess.Popen(  # noqa: S603 - this very module
            [sys.executable, "-P", "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        order = {"path": str(self._path), "context": self._context, "key": key}
        if process.stdin is not None:
            with suppress(OSError):  # it ended at once; reading its reply says so
                process.stdin.write(json.dumps(order) + "\n")
                process.stdin.flush()
        return process, key

    async def _ended(self) -> int | None:
        """How the process ended, if it did: a broken connection is seen before its end is."""
        for _ in range(10):
            if self._process is None or (code := self._process.poll()) is not None:
                return None if self._process is None else code
            await asyncio.sleep(_POLL_S)
        return None


def _read_reply(process: subprocess.Popen[str]) -> Mapping[str, str]:
    """What the process says once the file is loaded, or cannot be."""
    for line in process.stdout or ():  # llama.cpp may print lines of its own
        with suppress(ValueError):
            reply = json.loads(line)
            if isinstance(reply, dict):
                return reply
    return {"error": _exit(process.wait())}


def _exit(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()  # nothing that it holds is worth a slow end
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


# --- the process -------------------------------------------------------------------------


def serve() -> None:
    """Load the file that standard input names, print the address, and serve until input ends."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    import xllamacpp  # noqa: PLC0415 - an optional package, and only here

    parameters = xllamacpp.CommonParams()
    parameters.model.path = order["path"]
    parameters.n_ctx = order["context"]
    parameters.n_parallel = 1
    parameters.verbosity = 0
    parameters.api_keys = [order["key"]]
    affinity = getattr(os, "sched_getaffinity", None)
    threads = len(affinity(0)) if affinity else os.cpu_count() or 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    try:
        server = xllamacpp.Server(parameters)  # it serves as long as this lives
        reply = {"address": server.listening_address}
    except RuntimeError as error:
        reply = {"error": str(error)}
    os.write(1, f"\n{json.dumps(reply)}\n".encode())  # what the parent waits for
    threading.Event().wait()


def _exit_with_parent() -> None:
    sys.stdin.read()  # ends when the parent closes it or dies
    os._exit(0)
