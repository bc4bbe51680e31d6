"""What do the steps of refining share? The shape of their answer, and how a move is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from consilience.types import Change, Hit, Loss, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """The hits after a step, in order, with what the steps so far took out and remarked."""

    hits: tuple[Hit, ...]
    losses: tuple[Loss, ...] = ()
    notes: tuple[Note, ...] = ()

    def then(
        self, hits: Sequence[Hit], losses: Sequence[Loss] = (), notes: Sequence[Note] = ()
    ) -> Refined:
        """The same with a step added."""
        return Refined(
            hits=tuple(hits),
            losses=(*self.losses, *losses),
            notes=(*self.notes, *notes),
        )


def rescored(hits: Sequence[Hit], change: Callable[[Hit], Change | None]) -> list[Hit]:
    """Hits with what `change` says added to their scores, best first; equal scores keep order."""
    changed = [_changed(hit, change(hit)) for hit in hits]
    return sorted(changed, key=lambda hit: -round(hit.score, 12))


def moved(
    before: Sequence[Hit], after: Sequence[Hit], step: str, *, up: str = "", down: str = ""
) -> list[Hit]:
    """`after`, in which each hit that stands elsewhere than in `before` says why.

    A step moves hits either up or down on purpose; the others give way or close the gap.
    """
    places = {hit.passage.id: place for place, hit in enumerate(before, start=1)}
    told = []
    for place, hit in enumerate(after, start=1):
        was = places[hit.passage.id]
        reason = (up or "closed a gap") if place < was else (down or "gave way")
        told.append(placed(hit, Change(step=step, before=was, after=place, reason=reason)))
    return told


def placed(hit: Hit, move: Change) -> Hit:
    """The hit with its move noted; one that stays where it was needs no note."""
    return hit if move.before == move.after else _changed(hit, move)


def _changed(hit: Hit, change: Change | None) -> Hit:
    if change is None or (not change.delta and change.before is None):
        return hit
    return replace(hit, score=hit.score + change.delta, changes=(*hit.changes, change))
