"""What does a fuser see of a ranking? A ballot: ids and scores, best first, each id once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from consilience.errors import UsageError
from consilience.types import Found, Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a fuser can be told; each uses what its formula names.

    A source that `weights` does not name has weight 1. Weight 0 silences a source: it adds
    nothing and breaks no tie, but what only it found is kept, at the end.
    """

    k: float = 60.0
    alpha: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k) and self.k >= 0):
            raise UsageError(f"fusion k is {self.k!r}; give a finite number of 0 or more")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"fusion alpha is {self.alpha!r}; give a number from 0 to 1")
        for name, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise UsageError(
                    f"the weight of {name!r} is {weight!r}; give a finite number of 0 or more"
                )


DEFAULTS = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One source's say. Only the first `heard` entries may contribute: all, or none of a
    silenced source, or at the second level those that some source inside placed.

    The first `found` it found itself; of the others it only gave the scores.
    """

    source: str
    weight: float
    ids: Sequence[str]
    scores: Sequence[float]
    heard: int
    found: int

    def cut(self) -> Ballot:
        """The entries that may contribute."""
        if self.heard == len(self.ids):
            return self
        ids, scores = self.ids[: self.heard], self.scores[: self.heard]
        return replace(self, ids=ids, scores=scores, found=min(self.found, self.heard))


def ballots_of(
    rankings: Sequence[Ranking], options: Options, *, completed: bool = False
) -> list[Ballot]:
    """The rankings that found something, by source name, whatever order they come in.

    An id that a source gives twice counts where it stands first. A source that gives two
    rankings is refused: it has one vote. Completed scores are left out unless asked for.
    """
    found = sorted((ranking for ranking in rankings if ranking.found), key=_source)
    for one, other in pairwise(found):
        if one.source == other.source:
            raise UsageError(
                f"source {one.source!r} gave two rankings; give each vote a name of its own"
            )
    return [_ballot(ranking, options, ranking.completed if completed else ()) for ranking in found]


def _source(ranking: Ranking) -> str:
    return ranking.source


def _ballot(ranking: Ranking, options: Options, completed: Sequence[Found]) -> Ballot:
    ids = [found.id for found in ranking.found]
    scores = [found.score for found in ranking.found]
    if len(set(ids)) < len(ids):
        first = dict(zip(reversed(ids), reversed(scores), strict=True))
        ids = list(dict.fromkeys(ids))
        scores = [first[each] for each in ids]
    found = len(ids)
    if completed:
        ids.extend(one.id for one in completed)
        scores.extend(one.score for one in completed)
    weight = options.weights.get(ranking.source, 1.0)
    return Ballot(
        source=ranking.source,
        weight=weight,
        ids=ids,
        scores=scores,
        heard=len(ids) if weight else 0,
        found=found,
    )
