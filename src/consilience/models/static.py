"""How is a text embedded without a network of layers? One row per word piece, added up.

The model (`fast`) is a table: a row for each word piece of `fine`'s tokenizer, 8 bits a number
with a scale for each row. A text's vector is the sum of its pieces' rows, brought to length 1;
special tokens are not in the sum. A text whose rows add up to nothing, the empty one among them,
gets the last axis: the direction in which texts differ least.

Texts are read and added up in blocks, which the cores share. The table stays in 8 bits, and a
core holds the rows of one text at a time, so that both stay in its cache.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.models.cards import DATA, Card, Shipped, broken, checked_bytes, cores
from consilience.models.checks import UNIT, distinct, refuse_long
from consilience.models.pieces import Reader, blocks
from consilience.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.models.pieces import Pieces
    from consilience.protocols import Embedder, Vectors

FOLDER = DATA / "fast"
TOKENIZER = DATA / "fine" / "tokenizer.json"
SPECIAL = 2  # counted as `fine` counts, so that passages of one fit the other


def open_fast(argument: str, settings: Settings) -> Embedder:
    """The shipped table of word pieces; nothing is read from disk before it is first used."""
    del settings  # the shipped model has nothing to set
    if argument:
        raise UsageError(f"embedder 'fast' takes no argument, not {argument!r}; write `fast`")
    return Static(FOLDER)


class Static(Shipped["_Loaded"]):
    """An `Embedder`: a row for each word piece. Safe to use from several threads."""

    kind = "fast"
    trust = 0.45  # by the development split: see docs/models.md

    def __init__(self, folder: Path, *, tokenizer: Path = TOKENIZER) -> None:
        super().__init__(folder)
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens that each text takes of the limit, two special ones among them."""
        return [len(pieces) + SPECIAL for pieces in self._loaded.reader.read(texts)]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order; a text over the limit is refused, none is cut."""
        different, places = distinct(texts)
        vectors = np.empty((len(different), self.dimensions), dtype=np.float32)
        loaded = self._loaded

        def run(block: tuple[int, int]) -> None:
            some = different[slice(*block)]
            pieces = list(loaded.reader.read(some))
            counts = [len(each) + SPECIAL for each in pieces]
            refuse_long(some, counts, limit=self.limit, name="fast")
            _add_up(loaded.table, pieces, vectors[slice(*block)])

        parts = list(blocks(different))
        if len(parts) < 2:
            list(map(run, parts))
        else:
            with ThreadPoolExecutor(cores(), thread_name_prefix="fast") as pool:
                list(pool.map(run, parts))
        return vectors if len(different) == len(texts) else vectors[places]

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question; what is over the limit is not read."""
        vectors = np.empty((1, self.dimensions), dtype=np.float32)
        pieces = next(iter(self._loaded.reader.read([text])))
        _add_up(self._loaded.table, [pieces[: self.limit - SPECIAL]], vectors)
        vector: Vectors = vectors[0]
        return vector

    def _load(self) -> _Loaded:
        return _load(self._folder, self._tokenizer, self._card)


@dataclass(frozen=True, slots=True)
class _Table:
    rows: NDArray[np.int8]
    scales: Vectors


@dataclass(frozen=True, slots=True)
class _Loaded:
    reader: Reader
    table: _Table


def _load(folder: Path, tokenizer: Path, card: Card) -> _Loaded:
    """Read the three files and check them against the card, and against one another."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - name and limit must not cost its loading

    words = Tokenizer.from_buffer(checked_bytes(tokenizer, card))
    shape = (words.get_vocab_size(), card.dimensions)
    rows = _array(folder / "rows.npy", card, shape=shape, kind=np.int8)
    scales = _array(folder / "scales.npy", card, shape=shape[:1], kind=np.float32)
    if not np.isfinite(scales).all():
        raise broken(folder / "scales.npy", "a scale is not a finite number")
    return _Loaded(Reader(words), _Table(rows, scales))


def _array(path: Path, card: Card, *, shape: tuple[int, ...], kind: type[Any]) -> Any:
    data = checked_bytes(path, card)
    try:
        found = np.load(io.BytesIO(data), allow_pickle=False)
    except ValueError as error:
        raise broken(path, f"not an array: {error}") from error
    if found.shape != shape or found.dtype != kind:
        wanted = f"{np.dtype(kind)} of shape {shape}"
        raise broken(path, f"{found.dtype} of shape {found.shape} where {wanted} belongs")
    return found


def _add_up(table: _Table, texts: Sequence[Pieces], vectors: Vectors) -> None:
    """Write each text's unit vector; only the rows of one text are held at a time."""
    narrow = np.empty((max(map(len, texts)), table.rows.shape[1]), dtype=np.int8)
    wide = np.empty(narrow.shape, dtype=np.float32)
    for pieces, vector in zip(texts, vectors, strict=True):
        some = slice(len(pieces))
        table.rows.take(pieces, axis=0, out=narrow[some], mode="clip")  # no copy beside `out`
        wide[some] = narrow[some]
        np.einsum("i,ij->j", table.scales.take(pieces), wide[some], out=vector)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    nothing = lengths[:, 0] < UNIT
    vectors /= np.where(lengths < UNIT, 1, lengths)
    vectors[nothing] = 0
    vectors[nothing, -1] = 1
