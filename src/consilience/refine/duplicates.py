"""Which hits are the same thing twice? By type first, then by the words of the text.

A pack says what makes two passages of a kind the same (a game by its moves, a row by its
cells). Other texts are the same when their words overlap nearly whole. The best-placed copy
stays, and carries the ids of the others as provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from consilience.refine.overlap import Overlaps, overlaps
from consilience.refine.steps import Refined
from consilience.types import Hit, Loss, Passage

Identities = Mapping[str, Callable[[Passage], str]]


@dataclass(slots=True)
class _Kept:
    """The hits kept so far, how to find them again, and who was merged into them."""

    hits: list[Hit] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    names: dict[tuple[str, str], int] = field(default_factory=dict)


def dedupe(refined: Refined, identities: Identities, *, threshold: float) -> Refined:
    """Merge copies into the best-placed one."""
    kept, losses = _Kept(), []
    shared = overlaps([hit.passage for hit in refined.hits])
    for place, hit in enumerate(refined.hits):
        identify = identities.get(hit.passage.kind)
        if identify is not None:
            twin, reason = _same_thing(hit, identify(hit.passage), kept)
        else:
            twin, reason = _same_text(place, hit, kept, shared, threshold)
        if twin is None:
            kept.hits.append(hit)
            kept.places.append(place)
            continue
        best = kept.hits[twin]
        kept.hits[twin] = replace(best, merged=(*best.merged, hit.passage.id, *hit.merged))
        losses.append(Loss(id=hit.passage.id, step="dedupe", reason=reason, into=best.passage.id))
    return refined.then(kept.hits, losses)


def _same_thing(hit: Hit, name: str, kept: _Kept) -> tuple[int | None, str]:
    place = kept.names.setdefault((hit.passage.kind, name), len(kept.hits))
    return (place, f"the same {hit.passage.kind}") if place < len(kept.hits) else (None, "")


def _same_text(
    place: int, hit: Hit, kept: _Kept, shared: Overlaps, threshold: float
) -> tuple[int | None, str]:
    alike = shared[place, kept.places] >= threshold
    for twin in alike.nonzero()[0].tolist():
        if kept.hits[twin].passage.kind == hit.passage.kind:
            return twin, "nearly the same text"
    return None, ""
