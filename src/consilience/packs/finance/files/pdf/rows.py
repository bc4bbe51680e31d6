"""Which words stand beside one another? Rows of a page, and the pieces they are made of.

A piece is what stands together: words with no more than a space between them. A currency sign
or a closing mark that stands in a column of its own belongs to its number's piece.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from consilience.packs.finance.files.pdf.page import Word

_SPACE = 0.55  # of the size of the type: a wider gap parts two pieces
_LEVEL = 0.4  # of the size: how far words of one row stand above or below one another
_LONGEST_MARK = 8
_NEIGHBOURS = 400
_FAR = 12.0  # of the size: how far a currency sign stands from its number
_SIGN = r"(?:[$€£¥₹₩₽]|[A-Z]{1,3}\$|US\$|USD|EUR|GBP|CHF|JPY|CNY|RMB|Rs\.?|kr\.?|zł|R\$)"
_SIGNS = re.compile(_SIGN + r"\(?")
_CLOSES = re.compile(r"[)\]%‰]+|\)?(?:bps?|pp|PP|pts?|x)\.?\)?")
_MARK = r"(?:\s?(?:\(\d{1,2}\)|\([a-z]{1,2}\)|\[\d{1,2}\]|[*†‡§#¹²³⁴⁵⁶⁷⁸⁹]+))*"
_DIGITS = r"(?:\d{1,3}(?:[ \u00a0\u2009\u202f'’.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+)"
_UNIT = r"(?:\s?(?:%|‰|bps?|pp|PP|pts?|p\.p\.|x|[kKmM]|mn|bn|tn|" + _SIGN + r"))?"
NUMBER = re.compile(
    rf"(?:[<>~≈±]\s?)?[(\[]?[-–—−+]?\s?[(]?\s?(?:{_SIGN}\s?)?[(]?[-–—−+]?\s?{_DIGITS}{_UNIT}\s?[)\]]?\s?"
    rf"[%‰]?[)\]]?{_MARK}|\d+[.,]\d+ (?:years?|yrs?\.?|months?|days?){_MARK}",
)
_NOTHING = re.compile(
    rf"(?:{_SIGN}\s?)?\(?(?:[-–—−‒―]{{1,3}}|n/?a|n\.a\.|nm|n\.m\.|n/m|nil|\*{{1,3}})\)?\s?%?{_MARK}",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\((?:\d{1,2}|[a-z])\)|[*†‡]+")
_GROUP = re.compile(r"[-–−(+]?\d{1,3}(?:[ \u00a0]\d{3})*")
_THREE = re.compile(r"\d{3}(?:[.,]\d+)?\)?%?")
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:/\d\d(?:\d\d)?)?E?" + _MARK)
_DAY = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d\d)?\d\d" + _MARK)
_LEADERS = re.compile(r"(?:[.·…_]\s?){4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Words that stand together: a cell of a table, if it is one.

    `core` is where its number begins, without a currency sign that stands apart from it. `named`
    is whether it is a year or a date: a number that is a heading as well.
    """

    words: tuple[Word, ...]
    text: str
    core: float
    left: float
    right: float
    number: bool
    named: bool

    @property
    def bold(self) -> bool:
        """Whether all of it is in bold type."""
        return all(word.bold for word in self.words)

    @property
    def dated(self) -> bool:
        """Whether it is a date in digits."""
        return bool(_DAY.fullmatch(self.text))

    @property
    def counts(self) -> bool:
        """Whether it is a number that is no year."""
        return self.number and not self.named


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Pieces beside one another, from left to right."""

    pieces: tuple[Piece, ...]
    base: float
    size: float

    @property
    def top(self) -> float:
        """Where its type begins."""
        return min(word.top for piece in self.pieces for word in piece.words)

    @property
    def bottom(self) -> float:
        """Where its type ends."""
        return max(word.bottom for piece in self.pieces for word in piece.words)

    @property
    def left(self) -> float:
        """Where its first piece begins."""
        return self.pieces[0].left

    @property
    def right(self) -> float:
        """Where its last piece ends."""
        return max(piece.right for piece in self.pieces)

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def leaders(self) -> bool:
        """Whether dots lead from its words to a page: a line of a table of contents."""
        return bool(_LEADERS.search(self.text))


def is_number(text: str) -> bool:
    """Whether a piece is a number as tables print them, or a mark for none."""
    return bool(NUMBER.fullmatch(text) or _NOTHING.fullmatch(text))


def is_named(text: str) -> bool:
    """Whether a number is a year or a date, which may be a heading as well."""
    return bool(_YEAR.fullmatch(text) or _DAY.fullmatch(text))


def rows_of(words: Iterable[Word]) -> list[Row]:
    """Words in rows from the top down; raised and lowered marks stand in the row of their word."""
    some = sorted(words, key=lambda word: (word.base, word.left))
    bases = [word.base for word in some]
    small = 0.88 * max((word.size for word in some), default=0.0)
    levelled = sorted(
        ((_level(word, some, bases) if word.size <= small else word.base, word) for word in some),
        key=lambda one: (one[0], one[1].left),
    )
    groups: list[list[Word]] = []
    last = 0.0
    for base, word in levelled:
        if groups and base - last <= _LEVEL * max(word.size, groups[-1][0].size):
            groups[-1].append(word)
        else:
            groups.append([word])
            last = base
    return sorted((_row(group) for group in groups), key=lambda row: row.base)


def _level(word: Word, words: Sequence[Word], bases: Sequence[float]) -> float:
    """The line that a word stands on; for a small mark, that of the word beside it."""
    if len(word.text) > _LONGEST_MARK:
        return word.base
    low = bisect_left(bases, word.base - 0.4 * word.size)
    high = bisect_right(bases, word.base + word.size)
    for one in words[low : min(high, low + _NEIGHBOURS)]:
        if _is_raised(word, one) and (
            -0.3 * one.size < word.left - one.right < 1.1 * one.size
            or 0 < one.left - word.right < 3 * one.size
        ):
            return one.base
    return word.base


def _is_raised(word: Word, beside: Word) -> bool:
    return (
        word.size <= 0.88 * beside.size
        and -0.3 * beside.size <= beside.base - word.base <= 0.7 * beside.size
    )


def _row(group: Sequence[Word]) -> Row:
    words = sorted(group, key=lambda word: word.left)
    size = median([word.size for word in words])
    base = median([word.base for word in words])
    pieces = [_piece(some) for some in _together(words)]
    return Row(pieces=tuple(_merged(pieces)), base=base, size=size)


def _together(words: Sequence[Word]) -> list[list[Word]]:
    groups = [[words[0]]]
    leading = _leads(words)
    for word in words[1:]:
        last = groups[-1][-1]
        if leading and _SIGNS.fullmatch(word.text) and is_number(last.text):
            groups.append([word])
            continue
        apart = word.left - max(one.right for one in groups[-1][-3:])
        size = max(last.size, word.size)
        if apart <= _limit(groups[-1], word) * size:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _leads(words: Sequence[Word]) -> bool:
    """Whether currency signs stand before their numbers in a row: one does before the first."""
    signed = False
    for word in words:
        if word.text[:1] in "$£¥" and _SIGNS.match(word.text):
            return True
        if is_number(word.text):
            return signed
        signed = bool(_SIGNS.fullmatch(word.text))
    return False


def _limit(before: Sequence[Word], word: Word) -> float:
    """How wide a space may be, in sizes of the type: less between two numbers."""
    last = before[-1].text
    if not (is_number(last) and is_number(word.text)):
        return _SPACE
    if _GROUP.fullmatch(last) and _THREE.fullmatch(word.text):
        return 0.4  # 1 234 567
    return _SPACE if word.size < 0.8 * before[-1].size else 0.38


def _made(*, words: Sequence[Word], text: str, core: float, number: bool) -> Piece:
    return Piece(
        words=tuple(words),
        text=text,
        core=core,
        left=min(word.left for word in words),
        right=max(word.right for word in words),
        number=number,
        named=is_named(text),
    )


def _piece(words: Sequence[Word]) -> Piece:
    text = " ".join(word.text for word in words)
    core = words[0].left
    if len(words) > 1 and _SIGNS.fullmatch(words[0].text):
        tail = " ".join(word.text for word in words[1:])
        if is_number(tail):
            return _made(words=words, text=words[0].text + tail, core=words[1].left, number=True)
    return _made(words=words, text=text, core=core, number=is_number(text))


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Currency signs and closing marks put to their numbers."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        size = piece.words[0].size
        if last and _SIGNS.fullmatch(last.text) and piece.number and _near(last, piece, _FAR):
            both = (*last.words, *piece.words)
            found[-1] = _made(words=both, text=last.text + piece.text, core=piece.core, number=True)
        elif last and _NOTE.fullmatch(piece.text) and _noted(last, piece):
            both = (*last.words, *piece.words)
            text = f"{last.text} {piece.text}"
            found[-1] = _made(words=both, text=text, core=last.core, number=last.number)
        elif last and last.number and _CLOSES.fullmatch(piece.text) and _near(last, piece, 1.6):
            wide = piece.left - last.right > 0.15 * size and piece.text[0] not in ")]%"
            text = last.text + " " * wide + piece.text
            both = (*last.words, *piece.words)
            found[-1] = _made(words=both, text=text, core=last.core, number=is_number(text))
        else:
            found.append(piece)
    return found


def _near(last: Piece, piece: Piece, limit: float) -> bool:
    return piece.core - last.right <= limit * piece.words[0].size


def _noted(last: Piece, piece: Piece) -> bool:
    """Whether a mark of a note belongs to the piece before it: close to a label, or raised."""
    raised = piece.words[0].size <= 0.88 * last.words[0].size
    return _near(last, piece, 2.5 if raised else 1.3) and (raised or not last.number)
