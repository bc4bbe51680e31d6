"""Which hits are the same thing twice? By type first, then by the words of the text.

A pack says what makes two passages of a kind the same (a game by its moves, a row by its cells),
and which copy is worth more (the one with more notes): that one takes the place. Other texts are
the same when one retells the other but for a few words; a record (a node, an edge, a path, a row)
says little with every word, so only an exact copy is the same. Of copies that are worth the same
the best-placed stays. The one that stays carries the ids of the others as provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from consilience.kinds import graph_kinds
from consilience.refine.overlap import Overlaps, normal, overlaps, retold
from consilience.refine.steps import Refined
from consilience.types import Change, Hit, Loss, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """How copies are known, by kind of passage: what makes two the same, and what one is worth."""

    identities: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    worth: Mapping[str, Callable[[Passage], float]] = field(default_factory=dict)

    def better(self, one: Passage, other: Passage) -> bool:
        """Whether one of two copies is worth more than the other."""
        worth = self.worth.get(one.kind)
        return worth is not None and worth(one) > worth(other)


SAME_TEXT = "the same text"
SIMILAR_TEXT = "nearly the same text"
_LOOKS = 100  # at so many texts that share its words one is looked at closely, not at a thousand
_SLACK = 0.05  # by which hashed words may tell less in common than there is


@dataclass(slots=True)
class _Kept:
    """The hits kept so far, how to find them again, and who was merged into them."""

    hits: list[Hit] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], int] = field(default_factory=dict)


def dedupe(refined: Refined, copies: Copies, *, threshold: float) -> Refined:
    """Merge copies into the best-placed one, or the one that is worth more in its place.

    Texts are merged from `threshold` of common words on, but never when a number differs or
    words have moved. From a threshold of 1 on only the same text is merged, whatever its case
    and spacing. What a pack's identity says of a kind holds at any threshold.
    """
    kept, losses = _Kept(), []
    shared = overlaps([hit.passage for hit in refined.hits]) if threshold < 1 else None
    for place, hit in enumerate(refined.hits):
        name, reason = _name(hit.passage, copies)
        twin = kept.names.get(name)
        if twin is None and shared is not None and reason == SAME_TEXT:
            twin, reason = _similar(place, hit, kept, shared, threshold), SIMILAR_TEXT
        kept.names[name] = len(kept.hits) if twin is None else twin
        if twin is None:
            kept.hits.append(hit)
            kept.places.append(place)
            continue
        best, rest = kept.hits[twin], hit
        if copies.better(hit.passage, best.passage):
            best, rest = _instead(hit, best), best
        merged = (*best.merged, rest.passage.id, *rest.merged)
        kept.hits[twin] = replace(best, merged=tuple(dict.fromkeys(merged)))
        losses.append(Loss(id=rest.passage.id, step="dedupe", reason=reason, into=best.passage.id))
    return refined.then(kept.hits, _followed(losses))


def _instead(hit: Hit, other: Hit) -> Hit:
    """A hit in the place of a copy that is worth less, with its score."""
    delta = other.score - hit.score
    change = Change(step="dedupe", delta=delta, reason="the copy that tells more takes the place")
    return replace(hit, score=other.score, changes=(*hit.changes, change))


def _followed(losses: Sequence[Loss]) -> list[Loss]:
    """Losses that point at what is kept in the end: a copy may itself have given way later."""
    into = {one.id: one.into for one in losses}
    followed = []
    for one in losses:
        last = one.into
        while last in into:
            last = into[last]
        followed.append(replace(one, into=last))
    return followed


def _name(passage: Passage, copies: Copies) -> tuple[tuple[str, ...], str]:
    """What an exact copy is known by, and what two of them are.

    Of a record the title counts too: the text of an edge may be the same for two edges.
    """
    kind = passage.kind
    identify = copies.identities.get(kind)
    if identify is not None:
        return ("thing", kind, identify(passage)), f"the same {kind}"
    title = normal(passage.title) if kind in graph_kinds() | {"path", "row"} else ""
    return ("text", kind, title, normal(passage.text)), SAME_TEXT


def _similar(place: int, hit: Hit, kept: _Kept, shared: Overlaps, threshold: float) -> int | None:
    """The best-placed hit of the same kind that says the same but for a few words."""
    text, kind = hit.passage.text, hit.passage.kind
    if kind in graph_kinds() | {"path", "row"}:
        return None
    alike = shared[place, kept.places] >= threshold - _SLACK
    for twin in alike.nonzero()[0][:_LOOKS].tolist():
        best = kept.hits[twin].passage
        if best.kind == kind and retold(best.text, text, threshold=threshold):
            return int(twin)
    return None
