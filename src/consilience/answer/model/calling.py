"""What did each request to the model take? Letters as they come, and a line in the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from consilience.answer.model.thinking import Thinking, after
from consilience.answer.task import Log
from consilience.errors import ModelError
from consilience.protocols import Chunk, Generator
from consilience.settings import Answering
from consilience.types import Call, Prompt

STOPPED = "stopped before its end"
LOOPED = "it repeated itself and was stopped"
LOOP = 60
"""Letters that stand in a text so often only when a model turns in a circle."""
TURNS = 4


@dataclass(slots=True, kw_only=True)
class Caller:
    """Asks a model, at most so many requests at a time, and keeps what each took."""

    generator: Generator
    log: Log
    settings: Answering
    room: asyncio.Semaphore

    async def letters(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """What the model writes, as it comes; what it took is logged however it ends.

        A model that turns in a circle is stopped, and counts as cut off.
        """
        async with self.room:
            started, counts, error, text = time.perf_counter(), Chunk(), STOPPED, ""
            try:
                stream = self.generator.generate(prompt, most=most, schema=schema)
                async with _closing(stream) as chunks:
                    async for chunk in chunks:
                        counts = _more(counts, chunk)
                        yield chunk
                        text += chunk.text
                        if loops(text):
                            break
                error = LOOPED if loops(text) else ""
                yield Chunk(written=most if error else 0)
            except ModelError as failure:
                error = str(failure)
                raise
            except Exception as failure:
                # A plug-in raises whatever its client raised.
                error = f"language model {self.generator.name!r} failed ({failure!r})"
                raise ModelError(error) from failure
            finally:
                took = (time.perf_counter() - started) * 1000
                self.log.calls.append(self._call(prompt.stage, took, counts, error))

    async def whole(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """All that the model writes, but for what it thought aloud before."""
        self.log.prompts.append(prompt)
        async with _closing(self.letters(prompt, most=most, schema=schema)) as chunks:
            return after("".join([chunk.text async for chunk in chunks]))

    def _call(self, stage: str, ms: float, counts: Chunk, error: str) -> Call:
        prices = self.settings.price_asked, self.settings.price_written
        counted = counts.asked or counts.written
        spent = counts.asked * prices[0] + counts.written * prices[1]
        return Call(
            stage=stage,
            ms=ms,
            asked=counts.asked,
            written=counts.written,
            cost=spent / 1e6 if counted and any(prices) else None,
            retries=counts.retries,
            error=error,
        )


def loops(text: str) -> bool:
    """Whether the end of a text, if it is more than signs and spaces, stands in it often."""
    end = text[-LOOP:]
    worded = 3 * sum(map(str.isalnum, end)) >= LOOP
    return worded and len(text) > TURNS * LOOP and text.count(end) >= TURNS


def _more(counts: Chunk, chunk: Chunk) -> Chunk:
    return Chunk(
        asked=counts.asked or chunk.asked,
        written=max(counts.written, chunk.written),
        retries=max(counts.retries, chunk.retries),
    )


class Writing:
    """A section on its way: written by a task of its own, read whenever its turn comes."""

    def __init__(self, caller: Caller, prompt: Prompt, *, most: int) -> None:
        self.cut = False
        self._caller = caller
        self._prompt = prompt
        self._most = most
        self._came: asyncio.Queue[str | None] = asyncio.Queue()
        self._over = False
        caller.log.prompts.append(prompt)
        self.task = asyncio.create_task(self._write())

    @property
    def model(self) -> str:
        """The name of the model that writes."""
        return self._caller.generator.name

    async def letters(self) -> AsyncGenerator[str | None]:
        """What was written so far, then the rest as it comes; raises what the task raised.

        None says that all that came before it was a thought.
        """
        while not (self._over and self._came.empty()):
            text = await self._came.get()
            if text != "":
                yield text
        await self.task

    async def _write(self) -> None:
        thinking = Thinking()
        try:
            letters = self._caller.letters(self._prompt, most=self._most)
            async with _closing(letters) as chunks:
                async for chunk in chunks:
                    self.cut = self.cut or chunk.written >= self._most
                    self._put(thinking.take(chunk.text))
            self._put(thinking.end())
        finally:
            self._over = True
            self._came.put_nowait("")  # whoever waits need not wait longer

    def _put(self, pieces: Iterator[str | None]) -> None:
        for piece in pieces:
            while piece is None and not self._came.empty():
                self._came.get_nowait()  # nobody has read this thought yet
            self._came.put_nowait(piece)


@asynccontextmanager
async def _closing(stream: AsyncIterator[Chunk]) -> AsyncGenerator[AsyncIterator[Chunk]]:
    """Stops the model when its reader stops; a plug-in's stream may have nothing to close."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
