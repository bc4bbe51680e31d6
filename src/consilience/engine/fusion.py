"""How do several rankings become one? Contributions are added, sorted, and kept for `why`.

Inside a collection the sources rank the same passages, and their votes add up. Across collections
no passage is shared, so votes cannot agree: the fused rankings of the collections compete for
places, and a weight is a collection's share of voice. `damp_collections` lowers the share of a
collection that has nothing similar to the question.

The score of a passage is the sum of what each source contributed, added in the order of the
source names, so the votes add up to it by construction.

Ties (scores within 1e-12): best single rank; then, among the sources that gave that rank, the
highest raw score; then passage id. A source that contributed nothing to anything breaks no
tie, and what only such sources found comes last.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from operator import attrgetter, itemgetter
from statistics import pstdev

import numpy as np

from consilience.engine.fusion_methods import (
    DEFAULTS,
    METHODS,
    Ballot,
    Fuser,
    Options,
    scaled,
)
from consilience.errors import UsageError
from consilience.protocols import Likeness, Vectors
from consilience.types import Found, Ranking, Signal, Vote

FUSERS: Mapping[str, Fuser] = {fuser.name: fuser for fuser in METHODS}
"""All fusion methods: settings, docs and tests read this table."""
TIE = 1e-12
NEIGHBOURS = "neighbours"
"""What the vote of neighbours is called, after its collection: `books/neighbours`."""
NEAREST = 10  # neighbours of a passage, at most
PART = 8  # and at most one in so many of the candidates: else all would be neighbours

_second = itemgetter(1)


@dataclass(frozen=True, kw_only=True)
class Fused:
    """Every passage of the union with its fused score, best first, and the votes behind it.

    The first `heard` places were won by contributions; after them come passages that only
    sources of weight 0 found.
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
        """The place of each id on each ballot: built when the first hit is explained."""
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
            signal=ballot.signal,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """How one collection is fused for one question: the trust in meaning against words, and the
    share of the neighbours' scores, if it is known which passages are alike.
    """

    alpha: float
    neighbours: float = 0.0
    likeness: Likeness | None = None


def fuse(rankings: Sequence[Ranking], *, method: str | Fuser, options: Options = DEFAULTS) -> Fused:
    """Fuse rankings over the same passages. Neither the order of the rankings nor an empty
    one among them changes anything. A method is a name of `FUSERS` or a `Fuser` of your own.
    """
    fuser = find_fuser(method)
    return _fuse(read_ballots(rankings, options, completed=fuser.completes), fuser, options)


def fuse_levels(
    rankings: Sequence[Ranking],
    *,
    method: str | Fuser,
    across: str | Fuser,
    options: Options = DEFAULTS,
    shares: Mapping[str, float] | None = None,
    mixtures: Mapping[str, Mixture] | None = None,
) -> Fused:
    """Fuse inside each collection with `method`, then across collections with `across`.

    `shares` are the weights of the collections. When only one collection has hits there is no
    second level and votes name sources; otherwise votes name collections, their score is the
    fused score inside, and their `parts` are the votes of the sources, which add up to it.
    `mixtures` say, for a method that adapts, how far it trusts each side in a collection.
    """
    fuser, outer = find_fuser(method), find_fuser(across)
    groups: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        if ranking.found:
            groups.setdefault(ranking.collection, []).append(ranking)
    inside = {
        name: _fuse_collection(group, fuser, options, (mixtures or {}).get(name))
        for name, group in sorted(groups.items())
    }
    if len(inside) < 2:
        return next(iter(inside.values()), tally([], []))
    options = replace(options, weights=shares or {})
    ballots = []
    for name, fused in inside.items():
        weight = options.weights.get(name, 1.0)
        ids, scores = zip(*fused.order, strict=True)
        ballots.append(
            Ballot(
                source=name,
                weight=weight,
                ids=ids,
                scores=scores,
                heard=fused.heard if weight else 0,
                found=len(ids),
            )
        )
    return _fuse(ballots, outer, options, inside=inside)


def find_fuser(method: str | Fuser) -> Fuser:
    """The fusion method of a name; an unknown name is refused with the known ones."""
    if isinstance(method, Fuser):
        return method
    if method not in FUSERS:
        raise UsageError(f"unknown fusion method {method!r}; known: {', '.join(FUSERS)}")
    return FUSERS[method]


def completes(method: str) -> bool:
    """Whether a method wants the score of every source for every passage that any of them found."""
    return find_fuser(method).completes


def read_ballots(
    rankings: Sequence[Ranking], options: Options, *, completed: bool = False
) -> list[Ballot]:
    """The rankings that found something, by source name, whatever order they come in.

    If a source gives an id twice, the first place counts. A source with two rankings is refused:
    it has one vote. Completed scores are left out unless asked for.
    """
    found = sorted((ranking for ranking in rankings if ranking.found), key=attrgetter("source"))
    for ranking, following in pairwise(found):
        if ranking.source == following.source:
            raise UsageError(
                f"source {ranking.source!r} gave two rankings; give each vote a name of its own"
            )
    return [_ballot(ranking, options, ranking.completed if completed else ()) for ranking in found]


def _ballot(ranking: Ranking, options: Options, completed: Sequence[Found]) -> Ballot:
    ids = [entry.id for entry in ranking.found]
    scores = [entry.score for entry in ranking.found]
    if len(set(ids)) < len(ids):
        first = dict(zip(reversed(ids), reversed(scores), strict=True))
        ids = list(dict.fromkeys(ids))
        scores = [first[key] for key in ids]
    found = len(ids)
    if completed:
        ids.extend(entry.id for entry in completed)
        scores.extend(entry.score for entry in completed)
    weight = options.weights.get(ranking.source, 1.0)
    return Ballot(
        source=ranking.source,
        weight=weight,
        ids=ids,
        scores=scores,
        heard=len(ids) if weight else 0,
        found=found,
        signal=ranking.signal,
    )


def _fuse_collection(
    group: Sequence[Ranking], fuser: Fuser, options: Options, mixture: Mixture | None
) -> Fused:
    """Fuse one collection; the mixture's alpha replaces the general one."""
    if mixture is None or not fuser.adapts:
        return _fuse(read_ballots(group, options, completed=fuser.completes), fuser, options)
    options = replace(options, alpha=mixture.alpha)
    fused = _fuse(read_ballots(group, options, completed=fuser.completes), fuser, options)
    if mixture.likeness is None:
        return fused
    source = f"{group[0].collection}/{NEIGHBOURS}"
    return with_neighbours(fused, mixture.likeness, share=mixture.neighbours, source=source)


def _fuse(
    ballots: Sequence[Ballot],
    fuser: Fuser,
    options: Options,
    *,
    inside: Mapping[str, Fused] | None = None,
) -> Fused:
    """Compute the contributions of the ballots that count; the rest add zero."""
    computed = iter(fuser.contribute([ballot.cut() for ballot in ballots if ballot.heard], options))
    contributions = []
    for ballot in ballots:
        values = next(computed) if ballot.heard else []
        silent = len(ballot.ids) - ballot.heard
        contributions.append(values + [0.0] * silent if silent else values)
    return tally(ballots, contributions, inside=inside)


# --- adding up ----------------------------------------------------------------------------


def tally(
    ballots: Sequence[Ballot],
    contributions: Sequence[Sequence[float]],
    *,
    inside: Mapping[str, Fused] | None = None,
) -> Fused:
    """Add up the contributions, which are in the order of each ballot's ids."""
    scores: dict[str, float] = {}
    for ballot, parts in zip(ballots, contributions, strict=True):
        for key, part in zip(ballot.ids, parts, strict=True):
            scores[key] = scores.get(key, 0.0) + part
    counting = [b.heard if any(c) else 0 for b, c in zip(ballots, contributions, strict=True)]
    if not any(counting):  # if nobody contributes, ranks still decide
        counting = [ballot.heard for ballot in ballots]
    order = sorted(scores.items(), key=_second, reverse=True)
    if any(above[1] - below[1] < TIE for above, below in pairwise(order)):
        _break_ties(order, _tie_keys(ballots, counting))
    heard = set().union(*(b.ids[:end] for b, end in zip(ballots, counting, strict=True)))
    return Fused(
        order=tuple(order),
        heard=len(heard),
        ballots=ballots,
        contributions=contributions,
        inside=inside or {},
    )


_TieKey = tuple[bool, int, float, str]


def _tie_keys(ballots: Sequence[Ballot], counting: Sequence[int]) -> dict[str, _TieKey]:
    """What breaks ties, lowest first: whether only entries that do not count have the passage, its
    best rank, the highest score at that rank, its id.
    """
    keys: dict[str, _TieKey] = {}
    for ballot, end in zip(ballots, counting, strict=True):
        for rank, (key, score) in enumerate(zip(ballot.ids, ballot.scores, strict=True)):
            tie_key = (rank >= end, rank, -score, key)
            keys[key] = min(keys.get(key, tie_key), tie_key)
    return keys


def _break_ties(order: list[tuple[str, float]], keys: Mapping[str, _TieKey]) -> None:
    """Sort each run of scores that differ by rounding at most, in place."""
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or order[end - 1][1] - order[end][1] >= TIE:
            order[start:end] = sorted(order[start:end], key=lambda entry: keys[entry[0]])
            start = end


# --- neighbours ---------------------------------------------------------------------------
# Similar passages tend to answer the same questions: the cluster hypothesis (Jardine and van
# Rijsbergen, 1971), used as by Diaz (Regularizing ad hoc retrieval scores, CIKM 2005). Part of a
# passage's score is the mean of its neighbours' scores.


def has_enough_neighbours(likeness: Likeness | None) -> bool:
    """Whether it is known which passages are alike, and there are enough of them to choose from."""
    return likeness is not None and len(likeness.ids) >= PART


def with_neighbours(fused: Fused, likeness: Likeness, *, share: float, source: str) -> Fused:
    """The ranking in which `share` of a score comes from the nearest neighbours' scores.

    score(d) = (1 - share) · s(d) + share · Σ sim(d, n) · s(n) / Σ sim(d, n) over the nearest n.
    It is one more vote, of `source`. A passage without neighbours keeps its own score there.
    """
    heard = fused.order[: fused.heard]
    nearest = min(NEAREST, len(heard) // PART)
    if not share or not nearest:
        return fused
    ids = [key for key, _ in heard]
    own = np.array([score for _, score in heard])
    means = neighbours_mean(own, likeness.between(ids), nearest)
    order = sorted(range(len(ids)), key=lambda place: (-means[place], ids[place]))
    ballot = Ballot(
        source=source,
        weight=share,
        ids=[ids[place] for place in order],
        scores=[float(means[place]) for place in order],
        heard=len(ids),
        found=0,
    )
    kept = [scaled(list(values), 1 - share) for values in fused.contributions]
    return tally([*fused.ballots, ballot], [*kept, scaled(list(ballot.scores), share)])


def neighbours_mean(own: Vectors, likeness: Vectors, nearest: int) -> Vectors:
    """For each passage the mean score of those most like it, by likeness; its own if none is."""
    alike = np.maximum(likeness, 0.0)
    np.fill_diagonal(alike, 0.0)
    least = np.partition(alike, -nearest, axis=1)[:, -nearest][:, None]
    alike = np.where(alike >= least, alike, 0.0)
    weight = alike.sum(axis=1)
    mean: Vectors = np.where(weight > 0, alike @ own / np.maximum(weight, 1e-12), own)
    return mean


# --- collections --------------------------------------------------------------------------


def damp_collections(
    rankings: Sequence[Ranking], shares: Mapping[str, float], *, width: float
) -> dict[str, float]:
    """Shares that fall with the distance of a collection's best passage from the best of all.

    Across collections ranks say nothing of relevance: every collection has a first place.
    Similarities do compare, since one model made all vectors. share(c) · exp((best(c) - best) /
    (width · σ)), where best(c) is the highest similarity found in c, best the highest of all, and
    σ the standard deviation of all similarities found. A collection without a source of meaning
    keeps its share, and so does one that alone contains any of the question's words: a rare name
    may be unknown to the model. A width of 0 changes nothing. A second vote (`books/dense+terms`)
    does not count: its question is another one.
    """
    dense = [
        ranking
        for ranking in rankings
        if ranking.ranks_by is Signal.MEANING and not ranking.is_repeated and ranking.found
    ]
    if not width or len({ranking.collection for ranking in dense}) < 2:
        return dict(shares)
    spread = pstdev([entry.score for ranking in dense for entry in ranking.found])
    if not spread:
        return dict(shares)
    best: dict[str, float] = {}
    for ranking in dense:
        highest = max(entry.score for entry in ranking.found)
        best[ranking.collection] = max(highest, best.get(ranking.collection, highest))
    top = max(best.values())
    with_words = {
        ranking.collection
        for ranking in rankings
        if ranking.ranks_by is Signal.WORDS and not ranking.is_repeated and ranking.found
    }
    alone = with_words if len(with_words) == 1 else set()
    return {
        name: share
        if name in alone
        else share * math.exp((best.get(name, top) - top) / (width * spread))
        for name, share in shares.items()
    }
