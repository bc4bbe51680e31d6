"""How far do sources bear a claim? All of its facts, and enough of its telling words.

Words are weighed by how few of the exhibits have them: a word that all of them have does not
say which of them is meant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from consilience.answer.checking import blocks, figures, lines, proper, quotations
from consilience.answer.checking.findings import Finding, masked, places, shortened
from consilience.answer.checking.sources import Source, read
from consilience.answer.checking.words import tellings
from consilience.types import Fault

LEAST = 0.35  # share of its words that a cited source must have; see benchmarks/planted.py
LEAST_UNCITED = 0.5  # share that an uncited statement needs of the source it is given
CLOSE = 0.8  # share from which another source may be the one that was meant
BETTER = 0.4  # by how much another source must be ahead for a citation to be the wrong one
_FEWEST = 3  # telling words below which words decide nothing
_FEWEST_UNCITED = 4  # telling words from which a statement without facts needs a source


def facts(
    text: str, cited: Sequence[Source], everything: Sequence[Source], *, goes_on: bool = False
) -> list[Finding]:
    """Every fact of a text, and whether it stands in what is cited.

    With `goes_on` the text is the rest of a sentence, so its first word opens none.
    """
    rest, found = quotations.quotations(text, cited)
    for reader in (lines.paths, figures.dates, lines.moves, figures.codes, figures.numbers):
        rest, more = reader(rest, cited)
        found += more
    return [*found, *proper.names(rest, cited, everything, goes_on=goes_on)]


def by_marks(
    piece: blocks.Piece, cited: Sequence[Source], everything: Sequence[Source]
) -> list[tuple[Finding, Sequence[Source]]]:
    """Every fact of a piece, with the sources that were to bear it: those next behind it.

    What one part of a sentence rightly says, another may say again.
    """
    segments = piece.segments()
    if len(segments) < 2:
        found = Claim(piece, everything).compare(cited)
        return [(one, cited) for one in found]
    outcome: list[tuple[Finding, Sequence[Source]]] = []
    for place, (text, marks) in enumerate(segments):
        here = [one for one in cited if one.mark in marks]
        found = facts(text, here, everything, goes_on=place > 0)
        outcome += [(one, here) for one in found]
    said = {(one.check, one.value) for one, _ in outcome if one.found}
    return [
        (replace(one, found=one.found or (one.check, one.value) in said), here)
        for one, here in outcome
    ]


class Claim:
    """A sentence, a row or a line without its marks, to be compared with sources."""

    def __init__(self, piece: blocks.Piece, everything: Sequence[Source]) -> None:
        self.text = piece.bare
        self._piece = piece
        self._everything = everything

    def compare(self, cited: Sequence[Source]) -> list[Finding]:
        """Every fact of the claim, and whether it stands in what is cited."""
        if self._piece.header:
            return blocks.cells(self._piece.cells, self._piece.header, cited, self._everything)
        return facts(self.text, cited, self._everything)

    @cached_property
    def _words(self) -> frozenset[str]:
        taken = [(one.start, one.end) for one in read(self.text).amounts]
        return frozenset(tellings(masked(self.text, taken)))

    @property
    def has_words(self) -> bool:
        """Whether it has enough telling words for them to be compared."""
        return not self._piece.header and len(self._words) >= _FEWEST

    @cached_property
    def needs_source(self) -> bool:
        """Whether it says anything that a source must bear: facts, much, or what is nowhere."""
        strange = len(self._words) > 1 and self.share(*self._everything) < 1
        return len(self._words) >= _FEWEST_UNCITED or strange or bool(self.compare(()))

    @cached_property
    def _weights(self) -> dict[str, float]:
        count = len(self._everything)
        return {
            word: math.log(
                1 + (1 + count) / (1 + sum(word in one.reading.stems for one in self._everything))
            )
            for word in self._words
        }

    def share(self, *cited: Source) -> float:
        """The share of its telling words that sources have, by weight."""
        whole = sum(self._weights.values())
        had = sum(
            weight
            for word, weight in self._weights.items()
            if any(word in one.reading.stems for one in cited)
        )
        return had / whole if whole else 1.0

    def borne_by(self, one: Source) -> bool:
        """Whether one source bears all of it."""
        found = self.compare((one,))
        if not all(finding.found for finding in found):
            return False
        if not self.has_words:  # too few to share: facts or all of them
            return bool(found) or self.share(one) == 1
        return self._with_facts(len(found), one) >= LEAST_UNCITED

    def _with_facts(self, facts: int, *cited: Source) -> float:
        """The share of its words that sources have, facts found there counted as words."""
        words = len(self._words)
        return (facts + words * self.share(*cited)) / (facts + words)

    def astray(self, cited: Sequence[Source], facts: int) -> Fault | None:
        """What is wrong with a citation whose source speaks of something else.

        `facts` that were found there count as words that were.
        """
        if self._piece.header or not self._words:
            return None
        marks = {one.mark for one in cited}
        others = [one for one in self._everything if one.mark not in marks]
        best = max(others, key=self.share, default=None)
        most = self.share(best) if best else 0.0
        here = self.share(*cited)
        share = self._with_facts(facts, *cited)
        if self.has_words:
            astray = share < LEAST or most >= max(CLOSE, share + BETTER)
        else:
            astray = len(self._words) > 1 and share == 0 and most == 1  # too few words to say more
        if not astray:
            return None
        nearer = f"; [{best.mark}] is nearer" if best and most > here else ""
        told = f"“{shortened(self.text)}” does not speak of what {places(cited)} says{nearer}"
        return Fault(check="citation", value=self.text, told=told)
