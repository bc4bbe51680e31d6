"""How is a quotation shared without its words? Sealed: by digests of its letters.

A golden set on books that may not be copied can still be given away: whoever has the books finds
the quoted places, whoever has not cannot read them. A sealed quotation has three parts, the whole
and its two halves, so that it is found where a cut goes through it as well. Each part is its
number of letters, a digest of its first letters, by which places are looked up, and a digest of
all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from consilience.measure.golden.quoting import Letters, letters
from consilience.measure.values import Golden, Judgement
from consilience.types import Passage

PREFIX = "sealed:"
HEAD = 12
"""Letters by which a place is looked up; a shorter part is looked for everywhere."""
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Seal:
    """A run of letters, sealed."""

    length: int
    head: str
    whole: str

    def __str__(self) -> str:
        return f"{self.length}.{self.head}.{self.whole}"


def is_sealed(quote: str) -> bool:
    """Whether a quotation is sealed."""
    return quote.startswith(PREFIX)


def seal(quote: str) -> str:
    """A quotation, sealed; one that is sealed already stays as it is."""
    if is_sealed(quote) or not quote.strip():
        return quote
    words = letters(quote).words
    half = (len(words) + 1) // 2
    parts = [words, words[:half], words[half:]] if len(words) > 1 else [words]
    return PREFIX + ",".join(str(_seal("".join(part))) for part in parts)


def sealed(golden: Golden) -> Golden:
    """A golden set with every quotation sealed."""
    questions = tuple(
        replace(question, judgements=tuple(map(_sealed, question.judgements)))
        for question in golden.questions
    )
    return replace(golden, questions=questions)


def _sealed(judgement: Judgement) -> Judgement:
    return replace(judgement, quote=seal(judgement.quote))


def _seal(row: str) -> Seal:
    return Seal(len(row), _digest(row[:HEAD])[: _DIGITS // 2], _digest(row))


def _digest(row: str) -> str:
    return hashlib.sha256(row.encode()).hexdigest()[:_DIGITS]


def seals_of(quote: str) -> list[Seal]:
    """The parts of a sealed quotation: the whole, then its halves; none where it is damaged."""
    found = []
    for part in quote.removeprefix(PREFIX).split(","):
        length, _, digests = part.partition(".")
        head, _, whole = digests.partition(".")
        if not length.isdecimal() or not head or not whole:
            return []
        found.append(Seal(int(length), head, whole))
    return found


@dataclass(slots=True)
class Places:
    """Where in some passages words begin, by a digest of the letters there."""

    _at: dict[str, list[tuple[Passage, Letters, int]]] = field(default_factory=dict)

    def add(self, passage: Passage, text: Letters) -> None:
        """Know the words of a passage."""
        for start in text.starts:
            head = _digest(text.row[start : start + HEAD])[: _DIGITS // 2]
            self._at.setdefault(head, []).append((passage, text, start))

    def holding(self, quote: str) -> list[Passage]:
        """The passages that have a sealed quotation, or half of it where none has the whole."""
        found: list[list[Passage]] = [list(self._having(one)) for one in seals_of(quote)]
        if not found:
            return []
        whole, *halves = found
        return _once(whole or [one for half in halves for one in half])

    def _having(self, wanted: Seal) -> Iterator[Passage]:
        short = wanted.length < HEAD
        likely = chain.from_iterable(self._at.values()) if short else self._at.get(wanted.head, ())
        for passage, text, start in likely:
            end = start + wanted.length
            if text.parts_at(end) and _digest(text.row[start:end]) == wanted.whole:
                yield passage


def _once(passages: Sequence[Passage]) -> list[Passage]:
    return list({one.id: one for one in passages}.values())
