"""What do passages like it score? Those most alike tend to answer the same questions.

The cluster hypothesis (Jardine and van Rijsbergen, 1971) put to work as by Diaz (Regularizing ad
hoc retrieval scores, CIKM 2005): part of a passage's score is the mean of its neighbours'. A good
passage that shares few of the question's words is carried by its kind; a stray match among
passages of another subject is not.
"""

from __future__ import annotations

import numpy as np

from consilience.fuse.ballots import Ballot
from consilience.fuse.methods import scaled
from consilience.fuse.tally import Fused, tally
from consilience.protocols import Likeness, Vectors

NEIGHBOURS = "neighbours"
"""What the vote of neighbours is called, after its collection: `books/neighbours`."""
NEAREST = 10  # neighbours that are heard, at most
PART = 8  # and at most one in so many of the candidates: they would else all be neighbours


def can_hear(likeness: Likeness | None) -> bool:
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
    ballots = [*fused.ballots, ballot]
    given = [scaled(list(one), 1 - share) for one in fused.contributions]
    return tally(ballots, [*given, scaled(list(ballot.scores), share)])


def neighbours_mean(own: Vectors, likeness: Vectors, nearest: int) -> Vectors:
    """For each passage the mean score of those most like it, by likeness; its own if none is."""
    alike = np.maximum(likeness, 0.0)
    np.fill_diagonal(alike, 0.0)
    least = np.partition(alike, -nearest, axis=1)[:, -nearest][:, None]
    alike = np.where(alike >= least, alike, 0.0)
    weight = alike.sum(axis=1)
    mean: Vectors = np.where(weight > 0, alike @ own / np.maximum(weight, 1e-12), own)
    return mean
