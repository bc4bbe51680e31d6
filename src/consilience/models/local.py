"""How does the shipped model turn text into vectors? On the CPU, from files of this package.

The model (`fine`, a MiniLM of six layers in int8) reads at most 256 tokens. Its activations
are scaled row by row, so a text's vector does not depend on the texts beside it. Batches are
kept small, because they then stay in a core's cache, and each core runs batches of its own:
on two cores that was faster than one batch on both (see docs/models.md for the numbers).
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import ModelError, UsageError
from consilience.models.checks import distinct, refuse_long
from consilience.settings import Settings

if TYPE_CHECKING:
    from consilience.protocols import Embedder, Vectors

FOLDER = Path(__file__).parent / "data" / "fine"
BATCH_TOKENS = 512  # padded tokens in one run of the model


def open_fine(argument: str, settings: Settings) -> Embedder:
    """The shipped embedder; nothing is read from disk before it is first used."""
    del settings  # the shipped model has nothing to set
    if argument:
        raise UsageError(f"embedder 'fine' takes no argument, not {argument!r}; write `fine`")
    return Fine(FOLDER)


class Fine:
    """An `Embedder` from the files of a folder. Safe to use from several threads.

    Raises `ModelError` when a file is missing or is not the one that the card names.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`fine:` and the first 12 digits of the hash over model and tokenizer."""
        return f"fine:{self._card.identity[:12]}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._card.dimensions

    @property
    def limit(self) -> int:
        """How many tokens the model reads, the two special ones among them."""
        return self._card.limit

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens that each text takes of the limit, the special ones among them."""
        return [len(tokens) for tokens in self._tokens(texts)]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order; a text over the limit is refused, none is cut."""
        different, places = distinct(texts)
        tokens = self._tokens(different)
        counts = [len(each) for each in tokens]
        refuse_long(different, counts, limit=self.limit, name="fine")
        rows = np.empty((len(different), self.dimensions), dtype=np.float32)
        batches = list(_batches(tokens))
        with ThreadPoolExecutor(_cores(), thread_name_prefix="fine") as pool:
            found = pool.map(lambda batch: self._run([tokens[index] for index in batch]), batches)
            for batch, vectors in zip(batches, found, strict=True):
                rows[batch] = vectors
        return rows[places]

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question; what is over the limit is not read."""
        tokens = self._tokens([text])[0]
        if len(tokens) > self.limit:
            tokens = [*tokens[: self.limit - 1], tokens[-1]]
        vector: Vectors = self._run([tokens])[0]
        return vector

    def _run(self, batch: Sequence[Sequence[int]]) -> Vectors:
        width = max(len(tokens) for tokens in batch)
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        vectors: Vectors = self._loaded.session.run(["sentence"], feed)[0]
        return vectors

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        return [each.ids for each in self._loaded.tokenizer.encode_batch_fast(readable)]

    @cached_property
    def _card(self) -> _Card:
        return _read_card(self._folder)

    @property
    def _loaded(self) -> _Loaded:
        with self._lock:  # a second thread waits rather than load the model twice
            return self._files

    @cached_property
    def _files(self) -> _Loaded:
        return _load(self._folder, self._card.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """What `card.json` must say for the model to be used."""

    identity: str
    dimensions: int
    limit: int
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any


def _read_card(folder: Path) -> _Card:
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        return _Card(**{name: card[name] for name in _Card.__slots__})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _broken(folder / "card.json", f"{type(error).__name__}: {error}") from error


def _load(folder: Path, hashes: Mapping[str, str]) -> _Loaded:
    """Read both files, check them against the card and hand them to their libraries."""
    import onnxruntime  # noqa: PLC0415 - name and limit must not cost its loading
    from tokenizers import Tokenizer  # noqa: PLC0415

    data = {name: _checked_bytes(folder / name, expected) for name, expected in hashes.items()}
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        data["model.onnx"], options, providers=["CPUExecutionProvider"]
    )
    return _Loaded(session, Tokenizer.from_buffer(data["tokenizer.json"]))


def _checked_bytes(path: Path, expected: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _broken(path, f"{type(error).__name__}: {error}") from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise _broken(path, "its content is not what the model's card says")
    return data


def _broken(path: Path, reason: str) -> ModelError:
    return ModelError(
        f"the model file {path} cannot be used ({reason}); reinstall the package: "
        f"pip install --force-reinstall consilience"
    )


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


def _cores() -> int:
    """The cores that this process may use, which a container can make fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
