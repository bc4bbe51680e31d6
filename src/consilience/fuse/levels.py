"""Are the rankings over the same passages or not? Inside a collection first, then across.

Inside a collection sources rank the same passages and votes add up. Across collections no
passage is shared, so votes cannot agree: there the fused rankings of the collections compete
for places, and a weight is a collection's share of voice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.errors import UsageError
from consilience.fuse.ballots import DEFAULTS, Ballot, Options, ballots_of
from consilience.fuse.neighbours import NEIGHBOURS, with_neighbours
from consilience.fuse.table import FUSERS, Fuser
from consilience.fuse.tally import Fused, tally
from consilience.protocols import Likeness
from consilience.types import Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """How one collection is fused for one question: trust in meaning against words, and the
    share of what neighbours say, if it is known which passages are alike.
    """

    alpha: float
    neighbours: float = 0.0
    likeness: Likeness | None = None


def fuse(rankings: Sequence[Ranking], *, method: str, options: Options = DEFAULTS) -> Fused:
    """Fuse rankings over the same passages. Neither the order of the rankings nor an empty
    one among them changes anything. An unknown method is refused with the known ones.
    """
    fuser = _fuser(method)
    return _fuse(ballots_of(rankings, options, completed=fuser.completes), fuser, options)


def fuse_levels(
    rankings: Sequence[Ranking],
    *,
    method: str,
    across: str,
    options: Options = DEFAULTS,
    shares: Mapping[str, float] | None = None,
    mixtures: Mapping[str, Mixture] | None = None,
) -> Fused:
    """Fuse inside each collection with `method`, then across collections with `across`.

    `shares` are the weights of the collections. When only one collection has hits there is no
    second level and votes name sources; otherwise votes name collections, their score is the
    fused score inside, and their `parts` are the votes of the sources, which add up to it.
    `mixtures` are for a fuser that adapts: how far it trusts each side in a collection.
    """
    fuser, outer = _fuser(method), _fuser(across)
    groups: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        if ranking.found:
            groups.setdefault(ranking.collection, []).append(ranking)
    inside = {
        name: _inside(group, fuser, options, (mixtures or {}).get(name))
        for name, group in sorted(groups.items())
    }
    if len(inside) < 2:
        return next(iter(inside.values()), tally([], []))
    sharing = replace(options, weights=shares or {})
    ballots = [_collection_ballot(name, fused, sharing) for name, fused in inside.items()]
    return _fuse(ballots, outer, sharing, inside=inside)


def _inside(
    group: Sequence[Ranking], fuser: Fuser, options: Options, mixture: Mixture | None
) -> Fused:
    """Fuse one collection; the mixture's alpha takes the place of the one for all."""
    if mixture is None or not fuser.adapts:
        return _fuse(ballots_of(group, options, completed=fuser.completes), fuser, options)
    options = replace(options, alpha=mixture.alpha)
    fused = _fuse(ballots_of(group, options, completed=fuser.completes), fuser, options)
    if mixture.likeness is None:
        return fused
    source = f"{group[0].collection}/{NEIGHBOURS}"
    return with_neighbours(fused, mixture.likeness, share=mixture.neighbours, source=source)


def adapts(method: str) -> bool:
    """Whether a fuser is told for each question how far to trust each side."""
    return _fuser(method).adapts


def completes(method: str) -> bool:
    """Whether a fuser wants every source's score of every passage that any of them found."""
    return _fuser(method).completes


def _fuser(method: str) -> Fuser:
    if method not in FUSERS:
        raise UsageError(f"unknown fusion method {method!r}; known: {', '.join(FUSERS)}")
    return FUSERS[method]


def _collection_ballot(name: str, fused: Fused, options: Options) -> Ballot:
    weight = options.weights.get(name, 1.0)
    ids, scores = zip(*fused.order, strict=True)
    return Ballot(
        source=name,
        weight=weight,
        ids=ids,
        scores=scores,
        heard=fused.heard if weight else 0,
        found=len(ids),
    )


def _fuse(
    ballots: Sequence[Ballot],
    fuser: Fuser,
    options: Options,
    *,
    inside: Mapping[str, Fused] | None = None,
) -> Fused:
    """Ask the fuser for the contributions of those that have a say; the rest add zero."""
    given = iter(fuser.contribute([ballot.cut() for ballot in ballots if ballot.heard], options))
    contributions = [_padded(next(given) if ballot.heard else [], ballot) for ballot in ballots]
    return tally(ballots, contributions, inside=inside)


def _padded(contributions: list[float], ballot: Ballot) -> list[float]:
    silent = len(ballot.ids) - ballot.heard
    return contributions + [0.0] * silent if silent else contributions
