"""Which steps change the order? Diversity, the share cap, and the cut; see `guarantees` too.

None of these touches a score: a hit that was moved says by which step, from where to where.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from consilience.refine.overlap import overlaps
from consilience.refine.steps import Refined, moved
from consilience.types import Hit, Loss, Note

FIRST = 30


def diversify(refined: Refined, *, trust: float, places: int) -> Refined:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) for the first places.

    Picks in turn the hit with the largest `trust * relevance - (1 - trust) * overlap`, where
    relevance is the score scaled to [0, 1] and overlap the largest with any hit picked before.
    Ties keep the order. A trust of 1 changes nothing.
    """
    hits = refined.hits
    if trust >= 1 or len(hits) < 3:
        return refined
    scores = np.array([hit.score for hit in hits])
    worth = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    shared = overlaps([hit.passage for hit in hits])
    nearest = np.zeros(len(hits))
    picked: list[int] = []
    for _ in range(min(places, len(hits))):
        value = trust * worth - (1 - trust) * nearest
        value[picked] = -np.inf
        best = int(value.argmax())
        picked.append(best)
        nearest = np.maximum(nearest, shared[best])
    chosen = set(picked)
    order = [*picked, *(place for place in range(len(hits)) if place not in chosen)]
    after = [hits[place] for place in order]
    return refined.then(moved(hits, after, "diversity", down="says much of what stands above"))


def cap(refined: Refined, *, share: float) -> Refined:
    """No collection takes more than `share` of the first 30 while others have something."""
    hits = list(refined.hits)
    first = min(FIRST, len(hits))
    room = max(1, int(share * first))
    counts: Counter[str] = Counter()
    front: list[Hit] = []
    held: list[Hit] = []
    for hit in hits:
        full = counts[hit.passage.collection] >= room
        if len(front) >= first or full:
            held.append(hit)
            continue
        counts[hit.passage.collection] += 1
        front.append(hit)
    back = {hit.passage.id for hit in held}
    free = [hit for hit in hits if hit.passage.id in back]
    after = [*front, *free]
    reason = f"no collection takes more than {share:.0%} of the first {first}"
    return refined.then(moved(hits, after, "share cap", down=reason))


def cut(refined: Refined, *, limit: int, few: int) -> Refined:
    """Keep the first `limit`; say so when there are few."""
    kept, rest = refined.hits[:limit], refined.hits[limit:]
    losses = [
        Loss(
            id=hit.passage.id, step=_mover(hit, limit), reason=_late(hit, place, limit), place=place
        )
        for place, hit in enumerate(rest, start=limit + 1)
    ]
    notes = []
    if len(kept) < min(few, limit):
        told = f"only {len(kept)} result{'s' * (len(kept) != 1)}" if kept else "nothing found"
        notes.append(Note("search", f"{told}; try other or fewer words"))
    return refined.then(kept, losses, notes)


def _mover(hit: Hit, limit: int) -> str:
    """The step that last moved a hit past the limit, or the cut itself."""
    steps = [one.step for one in hit.changes if (one.before or 0) <= limit < (one.after or 0)]
    return steps[-1] if steps else "cut"


def _late(hit: Hit, place: int, limit: int) -> str:
    moves = [
        f"{one.step} moved it from {one.before} to {one.after}: {one.reason}"
        for one in hit.changes
        if one.before is not None
    ]
    return "; ".join([f"place {place}, {limit} were asked for", *moves])
