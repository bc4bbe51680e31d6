"""What are the numbers of, taken together? Which names meet at one number, known before any asks.

A number is of the parts of its entity, of its company, and of what the headings above its table
name. "Cement in Portugal" is one thing only where some number is of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from consilience.packs.finance.data_model import BETWEEN
from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.questions.vocabulary import Match

DISTINCT = "SELECT DISTINCT _parts, company, _place, _whole FROM figures"
"""What gives them: the parts of the entity, the company, the words of the headings, the number."""
PATHS = frozenset({"section", "label", "header"})
"""Columns of several parts: what is named by one of those is looked for there alone."""
MOST = 5000
"""Things that are looked for by their numbers; more are looked for by their names alone."""


class Wholes:
    """Each distinct thing that numbers are of, by its parts, its company and its headings."""

    def __init__(self, found: Iterable[Sequence[Any]]) -> None:
        self._parts: dict[str, set[int]] = defaultdict(set)
        self._companies: dict[str, set[int]] = defaultdict(set)
        self._words: dict[str, set[int]] = defaultdict(set)
        self._places: list[str] = []
        self._numbers: list[int] = []
        for at, (parts, company, place, number) in enumerate(found):
            for part in parts or ():
                self._parts[part].add(at)
            self._companies[company].add(at)
            self._places.append(f" {place} ")
            self._numbers.append(number)
            for word in set(place.split()):
                self._words[word].add(at)

    def meet(self, group: Sequence[Match], *, headed: bool = True) -> bool:
        """Whether any number is of all these at once, be it by the headings of its table."""
        return bool(self._all_of(group, headed=headed))

    def of(self, group: Sequence[Match]) -> list[int] | None:
        """The numbers of the things that are all these at once, as the column `_whole` has them.

        None where they are too many, or named by more than their parts.
        """
        if any(map(_is_wider, group)):
            return None
        found = self._all_of(group)
        return sorted({self._numbers[at] for at in found}) if len(found) <= MOST else None

    def _all_of(self, group: Sequence[Match], *, headed: bool = True) -> set[int]:
        found: set[int] | None = None
        for one in group:
            ours = self._of(one, headed=headed)
            found = ours if found is None else found & ours
            if not found:
                break
        return found or set()

    def _of(self, match: Match, *, headed: bool) -> set[int]:
        found: set[int] = set()
        for value in match.values:
            found |= self._companies.get(value, set())
            key = compared(value)
            found |= self._parts.get(key, set())
            found |= self._headed(key) if headed else set()
        return found

    def _headed(self, key: str) -> set[int]:
        """Those with these words in their headings, side by side."""
        words = key.split()
        if not words:
            return set()
        rarest = min((self._words.get(word, set()) for word in words), key=len)
        return {at for at in rarest if f" {key} " in self._places[at]}


def _is_wider(match: Match) -> bool:
    """Whether a number may be of it by something else: a path, or the whole of everything."""
    values = match.values
    return match.field in PATHS or any(
        BETWEEN in value or is_total(compared(value)) for value in values
    )
