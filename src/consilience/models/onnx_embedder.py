"""How does the shipped model turn text into vectors? On the CPU, from files of this package.

The model (`fine`, a MiniLM of six layers in int8) reads at most 256 tokens. Its activations
are scaled row by row, so a text's vector does not depend on the texts beside it. Batches are
kept small, because they then stay in a core's cache, and each core runs batches of its own:
on two cores that was faster than one batch on both (see docs/models.md for the numbers).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.models.embedders import distinct, refuse_long
from consilience.models.model_cards import DATA, Card, Shipped, checked_bytes, cores
from consilience.settings import Settings

if TYPE_CHECKING:
    from consilience.protocols import Embedder, Vectors

FOLDER = DATA / "fine"
Pack = Callable[[Sequence[int], "Vectors"], bytes]
"""Makes what is kept of a text from its tokens and their last states."""

BATCH_TOKENS = 512  # padded tokens in one run of the model
QUESTIONS = 64  # questions whose states are kept for the reranker, which comes after the embedder


def open_fine(argument: str, settings: Settings) -> Embedder:
    """The shipped embedder; nothing is read from disk before it is first used."""
    del settings  # the shipped model has nothing to set
    if argument:
        raise UsageError(f"embedder 'fine' takes no argument, not {argument!r}; write `fine`")
    return shipped()


@cache
def shipped() -> Fine:
    """The shipped model, one for the whole process: embedder and reranker share it."""
    return Fine(FOLDER)


class Fine(Shipped["_Loaded"]):
    """An `Embedder`: a small transformer. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        super().__init__("fine", folder, lambda card: _load(folder, card))
        self._read_question = lru_cache(maxsize=QUESTIONS)(self._encode_question)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens that each text takes of the limit, the special ones among them."""
        return [len(tokens) for tokens in self._tokens(texts)]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order; a text over the limit is refused, none is cut."""
        return self.embed_and_pack(texts, None, cut=False)[0]

    def embed_and_pack(
        self, texts: Sequence[str], pack: Pack | None, *, cut: bool
    ) -> tuple[Vectors, list[bytes]]:
        """The vectors, and what `pack` makes of each text's token states, in one run.

        A text over the limit is refused, or with `cut` only read up to it.
        """
        different, places = distinct(texts)
        tokens = self._tokens(different)
        if cut:
            tokens = [self._cut(each) for each in tokens]
        refuse_long(different, [len(each) for each in tokens], limit=self.limit, name="fine")
        rows = np.empty((len(different), self.dimensions), dtype=np.float32)
        packed = [b""] * len(different)

        def run(batch: Sequence[int]) -> None:
            some = [tokens[index] for index in batch]
            if pack is None:
                (rows[batch],) = self._run(some, "sentence")
                return
            rows[batch], states = self._run(some, "sentence", "tokens")
            for index, ids, found in zip(batch, some, states, strict=True):
                packed[index] = pack(ids, found[: len(ids)])

        with ThreadPoolExecutor(cores(), thread_name_prefix="fine") as pool:
            list(pool.map(run, _batches(tokens)))  # each core has batches of its own
        return rows[places], [packed[place] for place in places]

    def pack_until(self, texts: Sequence[str], pack: Pack, until: float) -> list[bytes | None]:
        """What `pack` makes of each text, cut at the limit, as long as the clock allows.

        The cores take the texts in order, one each. One that would probably not be done by
        `until` (of `time.perf_counter`) is not begun: None stands in its place.
        """
        tokens = [self._cut(each) for each in self._tokens(texts)]
        done: list[tuple[int, float]] = []  # tokens and seconds of what was read

        def read(ids: list[int]) -> bytes | None:
            began = time.perf_counter()
            seconds = sum(each for _, each in done) / max(1, sum(count for count, _ in done))
            if began + seconds * len(ids) > until:
                return None
            packed = pack(ids, self._run([ids], "tokens")[0][0])
            done.append((len(ids), time.perf_counter() - began))
            return packed

        with ThreadPoolExecutor(cores(), thread_name_prefix="fine") as pool:
            return list(pool.map(read, tokens))

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question; what is over the limit is not read."""
        return self._read_question(text)[1].copy()

    def states(self, text: str) -> tuple[list[int], Vectors]:
        """The tokens of a question and the last state of each; what is over is not read."""
        ids, _, states = self._read_question(text)
        return ids, states

    def _encode_question(self, text: str) -> tuple[list[int], Vectors, Vectors]:
        """Its tokens, its vector and its states: embedder and reranker ask for the same one."""
        ids = self._cut(self._tokens([text])[0])
        vectors, states = self._run([ids], "sentence", "tokens")
        return ids, vectors[0], states[0]

    def _cut(self, tokens: list[int]) -> list[int]:
        if len(tokens) <= self.limit:
            return tokens
        return [*tokens[: self.limit - 1], tokens[-1]]

    def _run(self, batch: Sequence[Sequence[int]], *outputs: str) -> list[Vectors]:
        width = max(len(tokens) for tokens in batch)
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        found: list[Vectors] = self._loaded.session.run(list(outputs), feed)
        return found

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        return [each.ids for each in self._loaded.tokenizer.encode_batch_fast(readable)]


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any


def _load(folder: Path, card: Card) -> _Loaded:
    """Read both files, check them against the card and hand them to their libraries."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - name and limit must not cost its loading

    data = {name: checked_bytes(folder / name, card) for name in card.files}
    session = open_session(data["model.onnx"])
    return _Loaded(session, Tokenizer.from_buffer(data["tokenizer.json"]))


def open_session(model: bytes) -> Any:
    """A graph ready to run in the thread that calls it: each core runs batches of its own."""
    import onnxruntime  # noqa: PLC0415 - takes long to load

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indices of texts of like length, at most `BATCH_TOKENS` padded tokens at a time.

    Longest first, so that no core is left with a long batch at the end.
    """
    batch: list[int] = []
    for index in sorted(range(len(tokens)), key=lambda index: (-len(tokens[index]), index)):
        if batch and (len(batch) + 1) * len(tokens[batch[0]]) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
