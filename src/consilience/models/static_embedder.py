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
import re
import struct
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.errors import UsageError
from consilience.models.embedders import UNIT, distinct, refuse_long
from consilience.models.model_cards import DATA, Card, Shipped, broken, checked_bytes, cores
from consilience.protocols import Embedder, Vectors
from consilience.settings import Settings

Pieces: TypeAlias = NDArray[np.intp]


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

    trust = 0.45  # by the development split: see docs/models.md

    def __init__(self, folder: Path, *, tokenizer: Path = TOKENIZER) -> None:
        super().__init__("fast", folder, lambda card: _load(folder, tokenizer, card))

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


# --- word pieces -------------------------------------------------------------------------
#
# How does text become word pieces, fast? Blocks of texts at once, each different word once.
#
# The tokenizer cuts text into words and each word, on its own, into pieces. So what it makes of a
# character and of a word is asked once and remembered. The characters of a whole block are put
# into their normal form with a handful of array operations, and each word is then looked up.
# The numbers are exactly those of the tokenizer. Text with a character that becomes several, as in
# Korean, or that spells a special token such as [SEP], is handed to the tokenizer itself.
#
# Characters can be taken one by one because the only ones that may change places, marks that
# belong to the letter before, are dropped or in no piece, so that their word is unknown anyway.

WORDS = 1 << 16  # words remembered in each of two generations, about 25 MB in all
LONGEST = 32  # characters of a word that is remembered; longer ones hardly come back
BLOCK_TEXTS = 64  # texts read at a time
BLOCK_CHARACTERS = 1 << 16  # characters read at a time, unless a single text has more
MARK = "\0"  # stands after each text of a block; the tokenizer drops it from the texts
STOP = -1  # the number that a mark becomes
SPACE = ord(" ")
DROPPED, KEPT, ALONE, ODD, UNSEEN = 0, 1, 3, 254, 255  # the first three: places in the output
CODES = 0x110000


class Reader:
    """The word pieces of texts, without special tokens. Safe to use from several threads."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._letters = _Letters(tokenizer)
        self._words = _Words(tokenizer.model)
        special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")

    def read(self, texts: Sequence[str]) -> Iterator[Pieces]:
        """The numbers of each text's pieces, in order, equal to the tokenizer's own."""
        for start, end in blocks(texts):
            yield from self._block(texts[start:end])

    def _block(self, texts: Sequence[str]) -> list[Pieces]:
        joined = MARK.join([*texts, ""])
        codes = np.frombuffer(joined.encode("utf-32-le", "replace"), dtype="<u4")
        marks = np.cumsum([len(text) + 1 for text in texts]) - 1
        width = self._letters.width(codes)
        odd = self._odd(joined, width, marks)
        for place in odd:
            width[marks[place] - len(texts[place]) : marks[place]] = DROPPED
        width[marks] = ALONE
        words = _spaced(self._letters.form[codes], width).split()
        numbers = np.frombuffer(b"".join(map(self._words.__getitem__, words)), dtype=np.intp)
        stops = np.flatnonzero(numbers == STOP).tolist()
        starts = [0, *(stop + 1 for stop in stops)]
        found = [numbers[start:stop] for start, stop in zip(starts, stops, strict=False)]
        for place in odd:
            found[place] = self._whole(texts[place])
        return found

    def _odd(self, joined: str, width: NDArray[np.uint8], marks: NDArray[np.intp]) -> list[int]:
        """Which texts of a block only the tokenizer itself can read."""
        at = [match.start() for match in self._special.finditer(joined)]
        if width.max() == ODD:
            at += np.flatnonzero(width == ODD).tolist()
        return sorted(set(np.searchsorted(marks, at).tolist())) if at else []

    def _whole(self, text: str) -> Pieces:
        readable = text.encode("utf-8", "replace").decode()
        ids = self._tokenizer.encode(readable, add_special_tokens=False).ids
        return np.array(ids, dtype=np.intp)


def blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each block of texts starts and ends; memory is bounded by the size of a block."""
    start, size = 0, 0
    for place, text in enumerate(texts):
        if place > start and (place - start == BLOCK_TEXTS or size + len(text) > BLOCK_CHARACTERS):
            yield start, place
            start, size = place, 0
        size += len(text)
    if texts:
        yield start, len(texts)


def _spaced(forms: NDArray[np.uint32], width: NDArray[np.uint8]) -> str:
    """The characters in their normal forms, with a space on either side of each lone one."""
    spaced = np.repeat(forms, width)
    after = np.cumsum(width, dtype=np.intp)[width == ALONE]
    spaced[after - 1] = SPACE
    spaced[after - 3] = SPACE
    return spaced.tobytes().decode("utf-32-le")


class _Letters:
    """What the tokenizer makes of each character, learnt when it is first seen.

    A character is dropped, kept as one (perhaps another) character, made a word of its own, or
    odd: it becomes several.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._normal = tokenizer.normalizer.normalize_str
        self._split = tokenizer.pre_tokenizer.pre_tokenize_str
        self._width = np.full(CODES, UNSEEN, dtype=np.uint8)
        self.form = np.zeros(CODES, dtype="<u4")

    def width(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """How many characters each one becomes, the spaces around it among them, or `ODD`."""
        width: NDArray[np.uint8] = self._width[codes]
        if width.max() == UNSEEN:
            for code in np.unique(codes[width == UNSEEN]).tolist():
                self._learn(code)
            width = self._width[codes]
        return width

    def _learn(self, code: int) -> None:
        char = chr(code)
        parts = [part for part, _ in self._split(self._normal(f"a{char}a"))]
        width, form = ODD, char
        if parts == ["aa"]:
            width = DROPPED
        elif parts == ["a", "a"]:
            width, form = KEPT, " "
        elif len(parts) == 1 and len(parts[0]) == 3:
            width, form = KEPT, parts[0][1]
        elif len(parts) == 3 and len(parts[1]) == 1:
            width, form = ALONE, parts[1]
        self.form[code] = ord(form)  # first, for another thread looks at the width
        self._width[code] = width


class _Words(dict[str, bytes]):
    """The pieces of each word, as the bytes of their numbers.

    Bounded: when `WORDS` are held they become the older generation, in place of the one before;
    a word of the older generation that comes up again moves to the new one.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._cut = model.tokenize
        self._older: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def __missing__(self, word: str) -> bytes:
        numbers = self._older.get(word)
        if numbers is None:
            ids = [STOP] if word == MARK else [token.id for token in self._cut(word)]
            numbers = struct.pack(f"{len(ids)}n", *ids)
        if len(word) <= LONGEST:
            with self._lock:
                if len(self) >= WORDS:
                    self._older = self.copy()
                    self.clear()
                self[word] = numbers
        return numbers
