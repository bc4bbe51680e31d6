"""Which hits are the same thing twice? By type first, then by the words of the text.

A pack says what makes two passages of a kind the same (a game by its moves, a row by its
cells). Other texts are the same when one retells the other but for a few words; a record (a
node, an edge, a path, a row) says little with every word, so only an exact copy is the same. The
best-placed copy stays, and carries the ids of the others as provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from consilience.refine.overlap import Overlaps, normal, overlaps, retold
from consilience.refine.steps import Refined
from consilience.types import Hit, Loss, Passage

Identities = Mapping[str, Callable[[Passage], str]]

SAME_TEXT = "the same text"
SIMILAR_TEXT = "nearly the same text"
RECORDS = frozenset({"node", "edge", "path", "row"})
_LOOKS = 100  # at so many texts that share its words one is looked at closely, not at a thousand
_SLACK = 0.05  # by which hashed words may tell less in common than there is


@dataclass(slots=True)
class _Kept:
    """The hits kept so far, how to find them again, and who was merged into them."""

    hits: list[Hit] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], int] = field(default_factory=dict)


def dedupe(refined: Refined, identities: Identities, *, threshold: float) -> Refined:
    """Merge copies into the best-placed one.

    Texts are merged from `threshold` of common words on, but never when a number differs or
    words have moved. From a threshold of 1 on only the same text is merged, whatever its case
    and spacing. What a pack's identity says of a kind holds at any threshold.
    """
    kept, losses = _Kept(), []
    shared = overlaps([hit.passage for hit in refined.hits]) if threshold < 1 else None
    for place, hit in enumerate(refined.hits):
        name, reason = _name(hit.passage, identities)
        twin = kept.names.get(name)
        if twin is None and shared is not None and reason == SAME_TEXT:
            twin, reason = _similar(place, hit, kept, shared, threshold), SIMILAR_TEXT
        kept.names[name] = len(kept.hits) if twin is None else twin
        if twin is None:
            kept.hits.append(hit)
            kept.places.append(place)
            continue
        best = kept.hits[twin]
        kept.hits[twin] = replace(best, merged=(*best.merged, hit.passage.id, *hit.merged))
        losses.append(Loss(id=hit.passage.id, step="dedupe", reason=reason, into=best.passage.id))
    return refined.then(kept.hits, losses)


def _name(passage: Passage, identities: Identities) -> tuple[tuple[str, ...], str]:
    """What an exact copy is known by, and what two of them are.

    Of a record the title counts too: the text of an edge may be the same for two edges.
    """
    kind = passage.kind
    identify = identities.get(kind)
    if identify is not None:
        return ("thing", kind, identify(passage)), f"the same {kind}"
    title = normal(passage.title) if kind in RECORDS else ""
    return ("text", kind, title, normal(passage.text)), SAME_TEXT


def _similar(place: int, hit: Hit, kept: _Kept, shared: Overlaps, threshold: float) -> int | None:
    """The best-placed hit of the same kind that says the same but for a few words."""
    text, kind = hit.passage.text, hit.passage.kind
    if kind in RECORDS:
        return None
    alike = shared[place, kept.places] >= threshold - _SLACK
    for twin in alike.nonzero()[0][:_LOOKS].tolist():
        best = kept.hits[twin].passage
        if best.kind == kind and retold(best.text, text, threshold=threshold):
            return int(twin)
    return None
