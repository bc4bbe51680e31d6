"""Which words of a question say what it is about, and how are they spelt elsewhere?

The commonest words of a few languages say nothing; every other word of three letters or more, or
with a digit in it, tells something. Chess moves and positions are no words, in whatever notation.
Words are compared as `surface`, and forms of a word by their beginning, as relevance does.
Spellings are compared by the standard library's `difflib`: a few thousand words of what was found
are all there is to compare with.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from consilience.answer.words import COMMON, LINKING, beginning
from consilience.names import other_number, surface

_ALIKE = 0.8  # two spellings of one word: one slip in five letters
_SHORT = 6  # letters up to which a name with two slips is another one (`Dundee`, `Dune`)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ALL_COMMON = frozenset(word for words in COMMON.values() for word in words)
_PIECE = "[KQRBNPDTLSCFA♔-♟]"  # English, German, French, Spanish, Italian, Dutch, drawn
_SQUARE = "[a-h][1-8]"
_NOTATION = re.compile(
    r"(?<![\w/\\])(?:[pnbrqkPNBRQK1-8]{1,8}[/\\]){3,7}[pnbrqkPNBRQK1-8]{1,8}(?![\w/\\])"
    r"(?:[ _][wb]\b(?:[ _](?:-|[KQkqA-Ha-h]{1,4})(?!\w))?(?:[ _](?:-|[a-h][36])(?!\w))?"
    r"(?:[ _]\d{1,3}){0,2}(?!\w))?"
    r"|(?<![\w/])(?:\d{1,3}\s?(?:\.{1,3}|…)\s?)?"
    rf"(?:{_PIECE}[a-h]?[1-8]?[x:×-]?{_SQUARE}|(?:[a-h]?[x:×])?{_SQUARE}|{_SQUARE}[x:×-]?{_SQUARE}"
    r"|[O0]-[O0](?:-[O0])?)(?:=?[QRBNDTLSCFAqrbn])?[+#]{0,2}[!?]{0,2}(?![\w/-])"
)
_ENDINGS = frozenset({"s", "es", "d", "ed", "ing", "r", "er", "ers", "ly", "al", "ous"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: as it is spelt, where it stands, and how it is compared."""

    text: str
    start: int
    end: int
    key: str

    @property
    def telling(self) -> bool:
        """Whether it says what the question is about."""
        short = len(self.key) < 3 and self.key.isascii() and not self._numbered
        return bool(self.key) and not short and self.key not in _ALL_COMMON

    @property
    def linking(self) -> bool:
        """Whether it only ties the next word to the one before: `of`, `in`, `the`."""
        return self.key in LINKING

    @property
    def forms(self) -> tuple[str, ...]:
        """Itself, and in the other number: `keeper`, `keepers`."""
        return (self.key, *other_number(self.key))

    def same_as(self, key: str) -> bool:
        """Whether another word, by its key, is this one or a form of it: `prove`, `proved`."""
        short, long = sorted((key, self.key), key=len)
        ending = long[len(short) :] if long.startswith(short) else None
        return ending == "" or (len(short) >= 4 and ending in _ENDINGS)

    @property
    def _numbered(self) -> bool:
        return any(letter.isdigit() for letter in self.key)


def words_of(text: str) -> list[Word]:
    """The words of a text in order; `keeper's` is compared as `keeper`."""
    found = []
    for match in _WORD.finditer(text):
        key = surface(match[0]).partition(" ")[0]
        found.append(Word(match[0], match.start(), match.end(), key))
    return found


def spoken(text: str) -> list[Word]:
    """The words of a text without chess moves and positions."""
    spans = [match.span() for match in _NOTATION.finditer(text)]
    return [
        word
        for word in words_of(text)
        if not any(start <= word.start and word.end <= end for start, end in spans)
    ]


def share_in(words: Collection[Word], text: str) -> float:
    """The share of the words' letters that stand in words which a text has too."""
    have = {beginning(one) for one in surface(text).split()}
    total = sum(len(word.key) for word in words)
    met = sum(len(word.key) for word in words if beginning(word.key) in have)
    return met / total if total else 0.0


def vocabulary(texts: Sequence[str]) -> dict[str, str]:
    """The words of texts, by how they are compared, as they are spelt; names alone in capitals."""
    known: dict[str, str] = {}
    for text in texts:
        for word in words_of(text):
            spelt = re.split("['’]", word.text)[0]
            if len(word.key) > 2 and (word.key not in known or spelt.islower()):
                known[word.key] = spelt
    return known


def respelt(word: Word, known: Mapping[str, str]) -> str:
    """The nearest spelling that the evidence has; empty if none is near. Numbers are kept.

    An ordinary word may differ by one slip, or it is another word (`constant`, `consultant`); a
    long name by more, for names are heard and seldom read. What goes on behind a word that the
    evidence has is another one, too (`springbok`, `Spring`).
    """
    if any(letter.isdigit() for letter in word.key):
        return ""
    for near in get_close_matches(word.key, known, n=3, cutoff=_ALIKE):
        if word.key.startswith(near) and not _one_slip(word.key, near):
            continue
        heard = not known[near].islower() and len(word.key) > _SHORT
        if heard or _one_slip(word.key, near):
            return known[near]
    return ""


def _one_slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, wrong, or two exchanged make all the difference."""
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])
