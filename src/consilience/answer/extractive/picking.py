"""Which sentences are said? The best that add something, until there is enough.

Chosen one after the other by relevance less likeness to what was chosen (maximal marginal
relevance, Carbonell and Goldstein 1998). A sentence that another source has to the letter is said
once, and both are cited; one in nearly the same words is not said again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.leaning import announces_nothing, far_back, leans, together
from consilience.answer.extractive.quotable import is_code, is_entry, is_row, length, telling
from consilience.answer.extractive.scoring import Candidate, Reading

__all__ = ["Pick", "length", "picked", "telling"]

NOVELTY = 0.3
"""What likeness to a chosen sentence costs against relevance."""
SAME_WORDS = 0.8
"""The share of words from which a sentence repeats another."""
REPEATS = 0.88
"""A sentence more alike than this to a chosen one is not said again."""
LEANING = 1.15
"""How much more than the least a sentence must score to bring others along."""
FAR_BETTER = 1.25
"""How much more than the best that stands on its own one must score to be quoted with a gap."""
_LOOSE = re.compile(r"[\s\"'“”‘’«»„‚]+")


@dataclass(frozen=True, slots=True)
class Pick:
    """Neighbouring sentences of one exhibit that are quoted together, in reading order.

    `best` is the one they were chosen for, `also` are those of other exhibits that say the same.
    """

    best: Candidate
    parts: tuple[Candidate, ...]
    also: tuple[Candidate, ...] = ()

    @property
    def mark(self) -> int:
        """The mark of their exhibit."""
        return self.best.mark

    @property
    def words(self) -> int:
        """How long they are."""
        return sum(length(one.sentence.text) for one in self.parts)


def picked(
    reading: Reading,
    among: Sequence[Candidate],
    *,
    words: int,
    least: float,
    most: int,
    before: Sequence[Pick] = (),
) -> list[Pick]:
    """The sentences to say besides those said before, best first.

    At most so many `words` and `most` quotations, and none that scores less than `least`.
    """
    said = list(before)
    new: list[Pick] = []
    best = max((one.score for one in among), default=0.0) or 1.0
    rest = [one for one in among if one.score >= least]
    left = words
    near = {one.key: _nearest(reading, one, said) for one in rest}
    picks = {one.key: _pick(reading, one) for one in rest}
    enough = FAR_BETTER * max((one.score for one in rest if picks[one.key]), default=0.0)
    while rest and left > 0 and len(new) < most:
        chosen = max(
            rest,
            key=lambda one: (one.score / best - NOVELTY * near[one.key], -one.mark, -one.place),
        )
        rest.remove(chosen)
        pick = picks[chosen.key]
        if pick is None and not said and chosen.score >= enough:
            pick = _pick(reading, chosen, far=True)
        pick = _besides(pick, before)
        if pick is None or not _is_new(reading, pick, said):
            continue
        if len(pick.parts) > 1 and chosen.score < LEANING * least:
            continue
        if pick.words > left and (new or before):
            if left < 25:
                break
            continue
        pick = replace(pick, also=_twins(reading, chosen))
        said.append(pick)
        new.append(pick)
        left -= pick.words
        near = {one.key: max(near[one.key], reading.alike(one, chosen)) for one in rest}
    return new


def _nearest(reading: Reading, one: Candidate, said: Sequence[Pick]) -> float:
    return max((reading.alike(one, pick.best) for pick in said), default=0.0)


def _pick(reading: Reading, chosen: Candidate, *, far: bool = False) -> Pick | None:
    """A sentence with what it leans on; None where that is not there, or nothing is told.

    With `far` it may lean on something far back: it is far better than those that do not.
    """
    said = chosen.sentence
    if not telling(said.text) and not (said.entry and is_entry(said.text)):
        return None
    everything = reading.of(chosen.mark)
    if not _whole(everything):
        return Pick(chosen, (chosen,)) if not leans(chosen.sentence.text) else None
    found = [one.sentence for one in everything]
    if announces_nothing(found, chosen.place):
        return None
    headed = far and _headed(reading, chosen)
    places = far_back(found, chosen.place, headed=headed) if far else together(found, chosen.place)
    parts = _quotable(chosen, [everything[at] for at in places or ()])
    return Pick(chosen, parts) if parts else None


def _headed(reading: Reading, chosen: Candidate) -> bool:
    """Whether the headings or title above a sentence have something that the question names."""
    passage = chosen.exhibit.passage
    above = terms(" ".join((passage.title, *passage.locator.section)))
    return not set(above).isdisjoint(reading.asked.terms)


def _quotable(chosen: Candidate, parts: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The parts without code, and without the rest of an entry that has some; none if there is
    some before the chosen one, or if that announces what is not left.
    """
    kept: list[Candidate] = []
    cut: set[int] = set()
    for one in parts:
        if _is_code(one):
            cut.add(one.sentence.block)
        elif one.sentence.block not in cut:
            kept.append(one)
    if chosen not in kept or any(_is_code(one) for one in parts if one.place < chosen.place):
        return ()
    ends = kept[-1] is chosen and chosen.sentence.text.rstrip().endswith(":")
    return () if ends else tuple(kept)


def _is_code(one: Candidate) -> bool:
    return is_code(one.sentence.text) or is_row(one.sentence.text)


def _whole(everything: Sequence[Candidate]) -> bool:
    """Whether all sentences of an exhibit are there, so that neighbours can be brought along."""
    return [one.place for one in everything] == list(range(len(everything)))


def _besides(pick: Pick | None, before: Sequence[Pick]) -> Pick | None:
    """A pick without sentences that were quoted before; None if it leans on one of those."""
    told = {one.key for earlier in before for one in earlier.parts}
    if pick is None or told.isdisjoint(one.key for one in pick.parts):
        return pick
    left = tuple(one for one in pick.parts if one.key not in told)
    if pick.best not in left or leans(left[0].sentence.text):
        return None
    return replace(pick, parts=left)


def _is_new(reading: Reading, pick: Pick, said: Sequence[Pick]) -> bool:
    """Whether it says something that is not said yet, word for word or nearly so."""
    told = {one.key for earlier in said for one in (*earlier.parts, *earlier.also)}
    if pick.best.key in told:
        return False
    return all(
        reading.alike(pick.best, earlier.best) < REPEATS
        and not _repeats(pick.best.sentence.text, earlier.best.sentence.text)
        for earlier in said
    )


def _twins(reading: Reading, chosen: Candidate) -> tuple[Candidate, ...]:
    """The same sentence in every other exhibit that has it to the letter."""
    here = _letters(chosen.sentence.text)
    found: dict[int, Candidate] = {}
    for one in reading.candidates:
        if one.mark != chosen.mark and _letters(one.sentence.text) == here:
            found.setdefault(one.mark, one)
    return tuple(found[mark] for mark in sorted(found))


def _letters(text: str) -> str:
    """A sentence as it is compared to the letter: case, spaces and quotation marks aside."""
    return _LOOSE.sub("", text).casefold()


def _repeats(one: str, other: str) -> bool:
    """Whether two sentences have nearly the same words, and the same numbers."""
    first, second = set(terms(one)), set(terms(other))
    shared = len(first & second) / max(1, len(first | second))
    return shared >= SAME_WORDS and _numbers(first) == _numbers(second)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if any(sign.isdigit() for sign in word)}
