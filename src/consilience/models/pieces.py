"""How does text become word pieces, fast? Blocks of texts at once, each different word once.

The tokenizer cuts text into words and each word, on its own, into pieces. So what it makes of a
character and of a word is asked once and remembered. The characters of a whole block are put
into their normal form with a handful of array operations, and each word is then looked up.
The numbers are exactly those of the tokenizer. Text with a character that becomes several, as in
Korean, or that spells a special token such as [SEP], is handed to the tokenizer itself.

Characters can be taken one by one because the only ones that may change places, marks that
belong to the letter before, are dropped or in no piece, so that their word is unknown anyway.
"""

from __future__ import annotations

import re
import struct
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pieces: TypeAlias = NDArray[np.intp]

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
