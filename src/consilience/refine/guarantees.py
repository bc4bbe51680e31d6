"""Which hits have a guaranteed place? Exact identifiers, and the kinds a question calls for.

All guarantees are met in one step. One after the other they would push each other's hits out:
here a hit gives way only as far as its own guarantee allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from consilience.kinds import edge_kinds
from consilience.refine.steps import Refined, placed
from consilience.types import Change, Hit, Passage, Plan

Has = Callable[[Passage, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """That a hit of some sort stands in the first `places`; `target` is where it is brought."""

    step: str
    reason: str
    kept_by: Callable[[Passage], bool]
    places: int
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The hit, by its place in the list, that keeps some promises."""

    at: int
    promises: tuple[Promise, ...]

    @property
    def places(self) -> int:
        """The first so many places in which it must stand."""
        return min(one.places for one in self.promises)


def guarantee(refined: Refined, promises: Sequence[Promise]) -> Refined:
    """Bring the best hit of each sort into its first places, when none is there.

    What can hold together holds; where there is no room for all, the promises that come first
    count. A promise that no hit can keep changes nothing.
    """
    chosen = _choose(refined.hits, [one for one in promises if one.places > 0])
    order = _order(len(refined.hits), chosen)
    return refined.then(_told(refined.hits, order, chosen))


def of_identifiers(identifiers: Sequence[str], places: int, has: Has) -> list[Promise]:
    """That hits have these exactly in the first places, from the top: one looks there."""
    return [
        Promise(
            step="exact identifier",
            reason=f"has {identifier!r} exactly",
            kept_by=lambda passage, identifier=identifier: has(passage, identifier),  # type: ignore[misc]
            places=places,
            target=min(number, places - 1),
        )
        for number, identifier in enumerate(identifiers)
    ]


def of_kinds(kinds: Mapping[str, int], limit: int) -> list[Promise]:
    """That hits of these kinds stand in the first places, at the last of them that will do."""
    return [
        Promise(
            step="coverage",
            reason=f"a question of this kind shows a {kind} in the first {min(wanted, limit)}",
            kept_by=lambda passage, kind=kind: passage.kind == kind,  # type: ignore[misc]
            places=min(wanted, limit),
            target=min(wanted, limit) - 1,
        )
        for kind, wanted in kinds.items()
    ]


def _choose(hits: Sequence[Hit], promises: Sequence[Promise]) -> list[_Chosen]:
    """A hit for every promise that can be kept beside those before it.

    A hit chosen already serves again if it can, else the best one is taken; where there is no
    room for one more hit, one that keeps both promises is looked for.
    """
    chosen: list[_Chosen] = []
    for promise in promises:
        able = [at for at, hit in enumerate(hits) if promise.kept_by(hit.passage)]
        options = [
            *(_joined(chosen, one, promise, [one.at]) for one in chosen if one.at in able),
            *([[*chosen, _Chosen(at=able[0], promises=(promise,))]] if able else []),
            *(_joined(chosen, one, promise, _both(hits, one, able)) for one in chosen),
        ]
        chosen = next((one for one in options if one and _fits(one)), chosen)
    return chosen


def _joined(
    chosen: Sequence[_Chosen], partner: _Chosen, promise: Promise, able: Sequence[int]
) -> list[_Chosen]:
    """The choice with one promise more for `partner`, kept by the first of `able`."""
    if not able:
        return []
    joined = _Chosen(at=able[0], promises=(*partner.promises, promise))
    return [joined if one is partner else one for one in chosen]


def _both(hits: Sequence[Hit], partner: _Chosen, able: Sequence[int]) -> list[int]:
    return [at for at in able if all(one.kept_by(hits[at].passage) for one in partner.promises)]


def _fits(chosen: Sequence[_Chosen]) -> bool:
    """Whether each can stand in its first places: of n hits no n - 1 places are all there is."""
    ends = sorted(one.places for one in chosen)
    different = len({one.at for one in chosen}) == len(chosen)
    return different and all(end > place for place, end in enumerate(ends))


def _order(count: int, chosen: Sequence[_Chosen]) -> list[int]:
    """The places in their new order: as wished, but for a hit that must not wait any longer."""
    wished = list(range(count))
    late = [one for one in chosen if one.at >= one.places]
    for one in sorted(late, key=lambda one: min(promise.target for promise in one.promises)):
        wished.remove(one.at)
        wished.insert(min(promise.target for promise in one.promises), one.at)
    ends = {one.at: one.places for one in chosen}
    order: list[int] = []
    while wished:
        order.append(wished.pop(wished.index(_next(wished, ends, len(order)))))
        ends.pop(order[-1], None)
    return order


def _next(wished: Sequence[int], ends: Mapping[int, int], filled: int) -> int:
    """The first as wished, or the first of those that fill all places up to their end."""
    for end in sorted(set(ends.values())):
        due = [at for at in wished if ends.get(at, end + 1) <= end]
        if len(due) >= end - filled:
            return due[0]
    return wished[0]


def _told(hits: Sequence[Hit], order: Sequence[int], chosen: Sequence[_Chosen]) -> list[Hit]:
    """The hits in their new order; each that moved says why, or to whom it gave way."""
    after = {at: place for place, at in enumerate(order)}
    reasons = {one.at: one.promises[0] for one in chosen if after[one.at] < one.at}
    told = []
    for place, at in enumerate(order):
        if at in reasons:
            step, reason = reasons[at].step, reasons[at].reason
        else:
            over = [key for key in reasons if key > at and after[key] < place]
            step = reasons[over[0]].step if over else ""
            reason = "gave way"
        change = Change(step=step, before=at + 1, after=place + 1, reason=reason)
        told.append(placed(hits[at], change))
    return told


def of_sure(ids: Sequence[str], places: int) -> list[Promise]:
    """That what a source is sure of stands in the first places, from the top."""
    return [
        Promise(
            step="exact match",
            reason="it meets all that the question names",
            kept_by=lambda passage, key=key: passage.id == key,  # type: ignore[misc]
            places=number + 1,
            target=number,
        )
        for number, key in enumerate(ids[:places])
    ]


def promises_of(
    refined: Refined, todo: Plan, *, pinned: int, has: Has, sure: Sequence[str] = ()
) -> list[Promise]:
    """What must stand in the first places: what is meant exactly, then wanted kinds.

    What a source is `sure` of comes first of all, in its order. Where a path is wanted, the
    shortest that joins two named nodes is meant, be it a single edge; a longer path to some
    third node is not.
    """
    wanted, limit = dict(todo.cover), todo.query.limit
    promises = of_sure(sure, min(pinned, limit))
    promises += of_identifiers(todo.identifiers, min(pinned, limit), has)
    seeds = {ask.collection: frozenset(ask.request.seeds) for ask in todo.asks}
    found = [hit.passage for hit in refined.hits]
    joining = [one for one in found if _joins(one, seeds.get(one.collection, frozenset()))]
    if "path" in wanted and joining:
        shortest = min(joining, key=_edges).id
        places = min(wanted.pop("path"), limit)
        promises.append(
            Promise(
                step="coverage",
                reason="joins what the question names",
                kept_by=lambda passage: passage.id == shortest,
                places=places,
                target=places - 1,
            )
        )
    return [*promises, *of_kinds(wanted, limit)]


def _joins(passage: Passage, seeds: frozenset[str]) -> bool:
    ends = {str(passage.metadata.get(end)) for end in ("source", "target")}
    return passage.kind in edge_kinds() | {"path"} and len(ends) == 2 and ends <= seeds


def _edges(passage: Passage) -> int:
    """How long a path is; an edge is one, whatever it says of its own length."""
    length = passage.metadata.get("length") if passage.kind == "path" else 1
    return length if isinstance(length, int) else 1
