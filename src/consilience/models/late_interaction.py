"""Which passages answer the question word by word? Late interaction over token vectors.

Every token of a passage has a vector: the last state of `fine` for it, projected to 96
dimensions, in 4 bits a number (48 bytes a token). A question is compared token by token:

    score = Σ w(t) · max_j cos(q_t, d_j) / Σ w(t)

over the question's tokens t and the passage's tokens d_j, special tokens on neither side. The
weight w(t) is the square root of the token's inverse document frequency in the text that the
projection was learned from.

A passage's vectors do not depend on the question, so they can be kept when it comes in; `fine`
gives them in the run that embeds. What is not kept is read at the question, best passages first,
as far as a time budget reaches; the rest gets no opinion.
"""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.models.model_cards import DATA, Card, Shipped, broken, checked_bytes
from consilience.models.onnx_embedder import Fine, open_session, shipped
from consilience.settings import Settings
from consilience.worker_pool import WorkerPool

if TYPE_CHECKING:
    from consilience.protocols import Embedder, Kept, Reranker, Vectors
    from consilience.types import Passage

FOLDER = DATA / "late"
LEVELS = 7  # numbers are kept as -7 … 7
SPECIAL = slice(1, -1)  # without the first and the last token, which are special

GRAPHS = ("head.onnx", "compare.onnx")

_BYTES = np.arange(256)
_HALVES = np.stack([(_BYTES >> 4) - 8, (_BYTES & 15) - 8], axis=1).astype(np.float32)
_PAIRS = _HALVES.view(np.float64)[:, 0]  # two numbers of 32 bits as one of 64: taken in one go


def open_late(argument: str, settings: Settings) -> Reranker:
    """The shipped reranker; nothing is read from disk before it is first used."""
    if argument:
        raise UsageError(f"reranker 'late' takes no argument, not {argument!r}; write `late`")
    # It must be done before the search stops waiting, or all that it read is lost.
    budget_ms = min(settings.models.live_ms, 0.9 * settings.refine.rerank_ms)
    return Late(FOLDER, shipped(), budget_s=budget_ms / 1000)


def _nothing(ids: Sequence[str]) -> Mapping[str, bytes]:
    return {}


class Late(Shipped["_Learned"]):
    """A `Reranker` that can prepare passages (`Preparing`). Safe to use from several threads."""

    def __init__(self, folder: Path, encoder: Fine, *, budget_s: float) -> None:
        super().__init__("late", folder, lambda card: _load(folder, card, encoder))
        self._encoder = encoder
        self._budget_s = budget_s
        self._kept: Kept = _nothing
        self._workers = WorkerPool("late")

    def ready(self, embedder: Embedder) -> bool:
        """Whether embedding a passage already makes what is kept of it."""
        return embedder is self._encoder

    def prepare(self, texts: Sequence[str], embedder: Embedder) -> tuple[Vectors, list[bytes]]:
        """The embedder's vectors of these texts, and the token vectors to keep of each."""
        if self.ready(embedder):
            return self._encoder.embed_and_pack(texts, self._pack, cut=False)
        return embedder.embed(texts), self._packed(texts)

    def reads_from(self, kept: Kept) -> None:
        """Use kept token vectors where there are any."""
        self._kept = kept

    async def rerank(self, text: str, passages: Sequence[Passage]) -> list[float | None]:
        """The weighted similarity of each passage; None for those there was no time to read."""
        return await self._workers.run(lambda: self._rerank(text, passages))

    def warm(self) -> None:
        """Load what the first question would otherwise wait for."""
        self._ask("warm")

    def _rerank(self, text: str, passages: Sequence[Passage]) -> list[float | None]:
        until = time.perf_counter() + self._budget_s
        question = self._ask(text)
        found = dict(self._kept([passage.id for passage in passages]))
        found = {key: data for key, data in found.items() if self._sound(data)}
        missing = [passage for passage in passages if passage.id not in found]
        texts = [passage.indexed for passage in missing]
        for passage, data in zip(
            missing, self._encoder.pack_until(texts, self._pack, until), strict=True
        ):
            found[passage.id] = data or b""
        known = [passage.id for passage in passages if found[passage.id]]
        scores = dict(zip(known, question.scores([found[key] for key in known]), strict=True))
        return [scores.get(passage.id) for passage in passages]

    def _packed(self, texts: Sequence[str]) -> list[bytes]:
        """What is kept of each text; another embedder may have let longer ones through."""
        return self._encoder.embed_and_pack(texts, self._pack, cut=True)[1]

    def _ask(self, text: str) -> _Question:
        ids, states = self._encoder.states(text)
        weights = self._loaded.weights[ids[SPECIAL]]
        shares = weights / max(float(weights.sum()), 1e-9)
        return _Question(self._loaded, self._loaded.project(states[SPECIAL]), shares)

    def _pack(self, ids: Sequence[int], states: Vectors) -> bytes:
        """The token vectors in 4 bits a number, two to a byte; their lengths do not matter."""
        del ids
        vectors = self._loaded.project(states[SPECIAL])
        step = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9) / LEVELS
        numbers = (np.rint(vectors / step) + 8).astype(np.uint8)
        packed: bytes = ((numbers[:, ::2] << 4) | numbers[:, 1::2]).tobytes()
        return packed

    def _sound(self, data: bytes) -> bool:
        return len(data) % (self.dimensions // 2) == 0


@dataclass(frozen=True, slots=True)
class _Learned:
    head: Any
    compare: Any
    weights: Vectors

    def project(self, states: Vectors) -> Vectors:
        """The vectors of tokens, of length 1, from their last states."""
        vectors: Vectors = self.head.run(["vectors"], {"states": states})[0]
        return vectors

    def near(self, question: Vectors, tokens: Vectors) -> Vectors:
        """The cosine of each token of a question with each of `tokens`."""
        found: Vectors = self.compare.run(["near"], {"question": question, "tokens": tokens})[0]
        return found


@dataclass(frozen=True, slots=True)
class _Question:
    """Unit vectors of the question's tokens, and the share of each in the score."""

    learned: _Learned
    vectors: Vectors
    shares: Vectors

    def scores(self, packed: Sequence[bytes]) -> list[float]:
        """The score of each passage by its packed token vectors; none may be empty."""
        if not packed:
            return []
        width = self.vectors.shape[1]
        numbers = np.frombuffer(b"".join(packed), dtype=np.uint8)
        tokens = _PAIRS.take(numbers).view(np.float32).reshape(-1, width)
        near = self.learned.near(self.vectors, tokens)
        counts = [2 * len(data) // width for data in packed]
        starts = np.concatenate([[0], np.cumsum(counts[:-1])]).astype(np.intp)
        best = np.maximum.reduceat(near, starts, axis=1)
        scores: list[float] = (self.shares[:, None] * best).sum(axis=0).tolist()
        return scores


def _load(folder: Path, card: Card, encoder: Fine) -> _Learned:
    """Read both files and check them against the card, and the card against the encoder's."""
    if any(card.files.get(name) != own for name, own in encoder.files.items()):
        raise broken(folder / "card.json", "it was made for another `fine`")
    weights = io.BytesIO(checked_bytes(folder / "weights.npy", card))
    head, compare = (open_session(checked_bytes(folder / name, card)) for name in GRAPHS)
    return _Learned(head, compare, np.load(weights, allow_pickle=False).astype(np.float32))
