"""Who wins? Contributions are added up, sorted, and ties broken; votes are kept for `why`.

The score of a passage is the sum of what each source contributed, added in the order of the
source names, so the votes add up to it by construction.

Ties (scores within 1e-12): best single rank; then, among the sources that gave that rank, the
highest raw score; then passage id. A source that contributed nothing to anything breaks no
tie, and what only such sources found comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from operator import itemgetter, neg, sub

from consilience.fuse.ballots import Ballot
from consilience.types import Vote

TIE = 1e-12

_second = itemgetter(1)


@dataclass(frozen=True, kw_only=True)
class Fused:
    """Every passage of the union with its fused score, best first, and the votes behind it.

    The first `heard` places were won by contributions; after them come passages that only
    silenced sources found.
    """

    order: tuple[tuple[str, float], ...]
    heard: int
    ballots: Sequence[Ballot] = field(repr=False)
    contributions: Sequence[Sequence[float]] = field(repr=False)
    inside: Mapping[str, Fused] = field(default_factory=dict, repr=False)

    def votes(self, passage: str) -> tuple[Vote, ...]:
        """One vote per source that found or scored the passage, by name; none if none did.

        Their contributions add up to the passage's score.
        """
        return tuple(
            self._vote(number, places[passage])
            for number, places in enumerate(self._places)
            if passage in places
        )

    @cached_property
    def _places(self) -> list[dict[str, int]]:
        """Where each id stands on each ballot: built when the first hit is explained."""
        return [dict(zip(b.ids, range(len(b.ids)), strict=True)) for b in self.ballots]

    def _vote(self, number: int, place: int) -> Vote:
        ballot = self.ballots[number]
        inside = self.inside.get(ballot.source)
        return Vote(
            source=ballot.source,
            rank=place + 1 if place < ballot.found else None,
            score=ballot.scores[place],
            weight=ballot.weight,
            contribution=self.contributions[number][place],
            parts=inside.votes(ballot.ids[place]) if inside else (),
        )


def tally(
    ballots: Sequence[Ballot],
    contributions: Sequence[Sequence[float]],
    *,
    inside: Mapping[str, Fused] | None = None,
) -> Fused:
    """Add up the contributions, which stand in the order of each ballot's ids."""
    heard = _heard(ballots, contributions)
    scores = _sums(ballots, contributions)
    distinct = set(scores.values())
    tied = len(distinct) < len(scores)
    if tied:
        # In the order in which ties fall; the sort is stable and keeps it.
        order = [(each, scores[each]) for each in _tie_order(ballots, heard, len(scores))]
    else:
        order = list(scores.items())
    order.sort(key=_second, reverse=True)
    ascending = sorted(distinct) if tied else [score for _, score in reversed(order)]
    if _rounding_ties(ascending):
        _settle(order, _tie_order(ballots, heard, len(scores)))
    return Fused(
        order=tuple(order),
        heard=len(scores) - _unheard(ballots, heard),
        ballots=ballots,
        contributions=contributions,
        inside=inside or {},
    )


def _heard(ballots: Sequence[Ballot], contributions: Sequence[Sequence[float]]) -> list[int]:
    """How far each ballot has a say; if nobody contributes, ranks still decide."""
    said = [b.heard if any(c) else 0 for b, c in zip(ballots, contributions, strict=True)]
    return said if any(said) else [ballot.heard for ballot in ballots]


def _unheard(ballots: Sequence[Ballot], heard: Sequence[int]) -> int:
    """How many passages stand only beyond what was heard."""
    cut = list(zip(ballots, heard, strict=True))
    rest = set().union(*(b.ids[h:] for b, h in cut))
    return len(rest.difference(*(b.ids[:h] for b, h in cut))) if rest else 0


def _sums(ballots: Sequence[Ballot], contributions: Sequence[Sequence[float]]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for ballot, parts in zip(ballots, contributions, strict=True):
        if scores.keys().isdisjoint(ballot.ids):
            scores.update(zip(ballot.ids, parts, strict=True))
            continue
        for each, part in zip(ballot.ids, parts, strict=True):
            scores[each] = scores.get(each, 0.0) + part
    return scores


def _tie_order(ballots: Sequence[Ballot], heard: Sequence[int], size: int) -> list[str]:
    """The union, of this size, in the order in which ties fall: what was heard, then the rest."""
    columns = [list(zip(map(neg, b.scores), b.ids, strict=True)) for b in ballots]
    ids = _by_rank([c[:h] for c, h in zip(columns, heard, strict=True)])
    if sum(heard) == size == sum(len(ballot.ids) for ballot in ballots):
        return ids  # all heard, no passage found twice
    return list(dict.fromkeys([*ids, *_by_rank(columns)]))


def _by_rank(columns: Sequence[list[tuple[float, str]]]) -> list[str]:
    """The ids rank by rank, in each the best raw score first, so each first at its best."""
    ids: list[str] = []
    start = 0
    for end in sorted({len(column) for column in columns} - {0}):
        alive = [column[start:end] for column in columns if len(column) >= end]
        ids.extend(map(_second, chain.from_iterable(map(sorted, zip(*alive, strict=True)))))
        start = end
    return ids


def _rounding_ties(ascending: Sequence[float]) -> bool:
    """Whether among these different scores two differ by no more than rounding."""
    return min(map(sub, ascending[1:], ascending), default=1.0) < TIE


def _settle(order: list[tuple[str, float]], ties: Iterable[str]) -> None:
    """Put runs of scores that are equal but for rounding into the order of `ties`, in place."""
    places = {each: place for place, each in enumerate(ties)}
    close = [i for i, (a, b) in enumerate(pairwise(order)) if a[1] - b[1] < TIE]
    while close:
        start = end = close.pop()
        while close and close[-1] == start - 1:
            start = close.pop()
        order[start : end + 2] = sorted(order[start : end + 2], key=lambda pair: places[pair[0]])
