"""What happens to the fused list? Boosts, duplicates, reranking, diversity, guarantees, a cut.

Each step takes hits and returns hits; none changes its input. A step that changes a score adds a
`Change` with a delta, a step that changes the order adds a `Change` with places, and what a step
removes is a `Loss`: `why` and `why-not` read those.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

import numpy as np

from consilience.engine.deduplication import Copies, merge_copies, overlaps
from consilience.errors import ModelError
from consilience.filters import holds
from consilience.kinds import edge_kinds
from consilience.protocols import Reranker
from consilience.timeouts import within
from consilience.types import Boost, Change, Hit, Loss, Note, Passage, Plan

CAPPED = 30  # first places in which a collection takes at most its share
TIED = 1e-12  # scores closer than this are equal: `rescored` does not tell them apart
SMALLEST = 1e-6  # the deviation a reranker gets among fused scores that are all 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """The hits after a step, in order, with the losses and notes of the steps so far."""

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
    """Hits with the deltas of `change` added to their scores, best first; ties keep their order."""
    changed = [_apply(hit, change(hit)) for hit in hits]
    return sorted(changed, key=lambda hit: -round(hit.score, 12))


def _moved(
    before: Sequence[Hit], after: Sequence[Hit], step: str, *, up: str = "", down: str = ""
) -> list[Hit]:
    """`after`, with a change on each hit whose place differs from that in `before`.

    A step moves hits either up or down on purpose; the others give way or close the gap.
    """
    places = {hit.passage.id: place for place, hit in enumerate(before, start=1)}
    moved = []
    for place, hit in enumerate(after, start=1):
        was = places[hit.passage.id]
        reason = (up or "closed a gap") if place < was else (down or "gave way")
        moved.append(_apply(hit, Change(step=step, before=was, after=place, reason=reason)))
    return moved


def _apply(hit: Hit, change: Change | None) -> Hit:
    """The hit with a change; one that neither moves it nor tells a score is not noted."""
    if change is None:
        return hit
    if not change.delta and change.before == change.after and change.score is None:
        return hit
    return replace(hit, score=hit.score + change.delta, changes=(*hit.changes, change))


# --- steps that change scores -------------------------------------------------------------


def boost(refined: Refined, boosts: Sequence[Boost]) -> Refined:
    """Soft preferences: a match gains `factor` of its fused score; nothing is dropped."""
    hits: Sequence[Hit] = refined.hits
    for preference in boosts:
        hits = rescored(hits, partial(_boost, preference))
    return refined.then(hits)


def _boost(preference: Boost, hit: Hit) -> Change | None:
    condition = preference.condition
    if not holds(condition, hit.passage.value(condition.field)):
        return None
    return Change(step="boost", delta=hit.score * preference.factor, reason=preference.reason)


async def rerank(
    refined: Refined,
    text: str,
    reranker: Reranker | None,
    *,
    depth: int,
    blend: float,
    timeout_ms: float = 2000,
    exact: Callable[[Passage], bool] = lambda passage: False,
) -> Refined:
    """Blend a reranker's scores of the first `depth` hits into theirs; what is `exact` does not
    fall.

    blended = (1 - blend) * fused + blend * reranked, both as standard scores over those hits
    (mean 0, deviation 1) and then back to the deviation of the fused ones, so that the difference
    is a delta on the fused score and the sum still adds up. If all fused scores are equal, the
    reranker decides. If it fails or takes longer than `timeout_ms`, the order stays, with a note;
    a hit that it has no opinion of keeps its score. The reranker's own score stays on the hit: it
    can be compared between questions, a standard score cannot.
    """
    head = refined.hits[:depth]
    if reranker is None or len(head) < 2 or not blend:
        return refined
    name = _name_of(reranker)

    async def read_opinions() -> Mapping[str, Change]:
        scores = await reranker.rerank(text, [hit.passage for hit in head])
        return _blend(head, list(scores), blend, name)

    opinions, reason = await within(timeout_ms, read_opinions())
    if opinions is None:
        note = Note(name, f"{reason}; the order is the fused one")
        return refined.then(refined.hits, notes=[note])
    unread = len(head) - len(opinions)
    message = (
        f"{unread} of {len(head)} passages were not compared word by word: no time, or no words"
    )
    changes = _hold_exact(head, opinions, exact)
    reranked = rescored(head, lambda hit: changes.get(hit.passage.id))
    return refined.then(
        [*reranked, *refined.hits[depth:]], notes=[Note(name, message)] if unread else []
    )


def _hold_exact(
    head: Sequence[Hit], opinions: Mapping[str, Change], exact: Callable[[Passage], bool]
) -> dict[str, Change]:
    """The changes under which what is not exact rises above no exact hit before it.

    Among exact hits the reranker decides.
    """
    changes: dict[str, Change] = dict(opinions)
    best = -math.inf
    for hit in reversed(head):
        change = opinions.get(hit.passage.id, Change(step="rerank", reason="exact"))
        if not exact(hit.passage):
            best = max(best, hit.score + change.delta)
        elif hit.score + change.delta <= best:
            changes[hit.passage.id] = replace(change, delta=best + SMALLEST - hit.score)
    return changes


def _name_of(reranker: Reranker) -> str:
    """The reranker's name; one whose files are damaged cannot give it."""
    try:
        return reranker.name
    except Exception:  # noqa: BLE001 - a plug-in may raise anything
        return "reranker"


def _blend(
    head: Sequence[Hit], scores: Sequence[float | None], blend: float, name: str
) -> dict[str, Change]:
    """The change of each hit that the reranker has an opinion of, by id.

    Only those hits are compared, and none falls below the lowest of them: the best are read first,
    and a low score must not put a hit behind those that were not read. Equal scores for all change
    nothing.
    """
    if len(scores) != len(head):
        raise ModelError(f"the reranker gave {len(scores)} scores for {len(head)} passages")
    read = [(hit, score) for hit, score in zip(head, scores, strict=True) if score is not None]
    if not read:
        return {}
    judged = [score for _, score in read]
    odd = [score for score in judged if not math.isfinite(score)]
    if odd or not math.isfinite(max(judged) - min(judged)):
        raise ModelError(f"the reranker gave the score {(odd or [max(judged)])[0]!r}")
    fused = [hit.score for hit, _ in read]
    ours, room = _standardise(fused)
    lowest = min(fused)
    if max(fused) - lowest <= TIED:
        ours, room, lowest = [0.0] * len(fused), max(abs(max(fused)), SMALLEST), -math.inf
    deltas = [0.0] * len(read)
    if max(judged) > min(judged):
        pairs = zip(_standardise(judged)[0], ours, strict=True)
        deltas = [blend * room * (their - our) for their, our in pairs]
    return {
        hit.passage.id: Change(
            step="rerank",
            delta=max(delta, lowest - hit.score),
            reason=name,
            score=score,
        )
        for (hit, score), delta in zip(read, deltas, strict=True)
    }


def _standardise(scores: Sequence[float]) -> tuple[list[float], float]:
    """How many deviations each score lies above the mean (0 each when they are equal), and the
    deviation.
    """
    middle = fmean(scores)
    spread = math.sqrt(fmean((score - middle) ** 2 for score in scores))
    return [(score - middle) / spread if spread else 0.0 for score in scores], spread


# --- steps that remove or reorder ---------------------------------------------------------


def dedupe(refined: Refined, copies: Copies, *, threshold: float) -> Refined:
    """Merge copies: see `deduplication.merge_copies`."""
    return refined.then(*merge_copies(refined.hits, copies, threshold=threshold))


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
    rest = [place for place in range(len(hits)) if place not in chosen]
    after = [hits[place] for place in (*picked, *rest)]
    return refined.then(_moved(hits, after, "diversity", down="says much of what stands above"))


def cap(refined: Refined, *, share: float) -> Refined:
    """No collection takes more than `share` of the first 30 while others have something."""
    hits = list(refined.hits)
    first = min(CAPPED, len(hits))
    room = max(1, int(share * first))
    counts: Counter[str] = Counter()
    front: list[Hit] = []
    back: list[Hit] = []
    for hit in hits:
        if len(front) >= first or counts[hit.passage.collection] >= room:
            back.append(hit)
        else:
            counts[hit.passage.collection] += 1
            front.append(hit)
    reason = f"no collection takes more than {share:.0%} of the first {first}"
    return refined.then(_moved(hits, [*front, *back], "share cap", down=reason))


def keep_best_of_document(refined: Refined) -> Refined:
    """Each document once, by the first of its passages."""
    best: dict[tuple[str, str], Hit] = {}
    losses = []
    for hit in refined.hits:
        first = best.setdefault(hit.passage.source_document, hit)
        if first is not hit:
            reason = "each document is shown once, and a better passage of it stands higher"
            losses.append(
                Loss(id=hit.passage.id, step="document", reason=reason, into=first.passage.id)
            )
    return refined.then([*best.values()], losses)


def cut(refined: Refined, *, limit: int, few: int) -> Refined:
    """Keep the first `limit`; add a note when there are few."""
    kept, rest = refined.hits[:limit], refined.hits[limit:]
    losses = [_cut_loss(hit, place, limit) for place, hit in enumerate(rest, start=limit + 1)]
    notes = []
    if len(kept) < min(few, limit):
        count = f"only {len(kept)} result{'s' * (len(kept) != 1)}" if kept else "nothing found"
        notes.append(Note("search", f"{count}; try other or fewer words"))
    return refined.then(kept, losses, notes)


def _cut_loss(hit: Hit, place: int, limit: int) -> Loss:
    """The loss of a hit past the limit, by the step that last moved it there, or by the cut."""
    moves = [change for change in hit.changes if change.before is not None]
    steps = [
        change.step for change in hit.changes if (change.before or 0) <= limit < (change.after or 0)
    ]
    reasons = [
        f"{change.step} moved it from {change.before} to {change.after}: {change.reason}"
        for change in moves
    ]
    return Loss(
        id=hit.passage.id,
        step=steps[-1] if steps else "cut",
        reason="; ".join([f"place {place}, {limit} were asked for", *reasons]),
        place=place,
    )


# --- guarantees ---------------------------------------------------------------------------
# All guarantees are met in one step. One after the other they would push each other's hits out;
# here a hit gives way only as far as its own guarantee allows.

Has = Callable[[Passage, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Promise:
    """One of the hits at `able` is in the first `places`; `target` is the place it is moved to."""

    step: str
    reason: str
    able: tuple[int, ...]
    places: int
    target: int


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The hit, by its place in the list, that keeps some promises."""

    at: int
    promises: tuple[_Promise, ...]

    @property
    def places(self) -> int:
        """The hit must be in the first so many places."""
        return min(promise.places for promise in self.promises)

    @property
    def target(self) -> int:
        return min(promise.target for promise in self.promises)


def guarantee(
    refined: Refined, plan: Plan, *, pinned: int, has: Has, sure: Sequence[str] = ()
) -> Refined:
    """Move exact matches, and the kinds that a question calls for, into the first places.

    What a source is `sure` of comes first of all, in its order, then a hit for each identifier;
    both get at most `pinned` places. Where a path is wanted, the shortest one that joins two named
    nodes is guaranteed, even if it is a single edge; a longer path to some third node is not.
    Promises that can hold together are all kept; where there is no room for all, the first ones
    count. A promise that no hit can keep changes nothing.
    """
    passages = [hit.passage for hit in refined.hits]
    promises = [
        *_promise_matches(passages, plan, pinned=pinned, has=has, sure=sure),
        *_promise_kinds(passages, plan),
    ]
    chosen = _choose([promise for promise in promises if promise.places > 0 and promise.able])
    order = _order(len(refined.hits), chosen)
    return refined.then(_explain_moves(refined.hits, order, chosen))


def _promise_matches(
    passages: Sequence[Passage], plan: Plan, *, pinned: int, has: Has, sure: Sequence[str]
) -> list[_Promise]:
    """What a source is sure of and what has an identifier is in the first places, from the top."""
    pinned = min(pinned, plan.query.places)
    promises = [
        _Promise(
            step="exact match",
            reason="it meets all that the question names",
            able=_places(passage.id == key for passage in passages),
            places=number + 1,
            target=number,
        )
        for number, key in enumerate(sure[:pinned])
    ]
    promises += [
        _Promise(
            step="exact identifier",
            reason=f"has {identifier!r} exactly",
            able=_places(has(passage, identifier) for passage in passages),
            places=pinned,
            target=min(number, pinned - 1),
        )
        for number, identifier in enumerate(plan.identifiers)
    ]
    return promises


def _promise_kinds(passages: Sequence[Passage], plan: Plan) -> list[_Promise]:
    """Hits of these kinds are in the first places, at the last of them that will do."""
    seeds = {ask.collection: frozenset(ask.request.seeds) for ask in plan.asks}
    joining = _places(
        _joins(passage, seeds.get(passage.collection, frozenset())) for passage in passages
    )
    promises = []
    # A path that joins what is named comes first: it may be kept by a single edge.
    for kind in sorted(plan.cover, key=lambda kind: not (kind == "path" and joining)):
        places = min(plan.cover[kind], plan.query.places)
        able = _places(passage.kind == kind for passage in passages)
        reason = f"a question of this kind shows a {kind} in the first {places}"
        if kind == "path" and joining:
            able = (min(joining, key=lambda at: _path_length(passages[at])),)
            reason = "joins what the question names"
        promises.append(
            _Promise(step="coverage", reason=reason, able=able, places=places, target=places - 1)
        )
    return promises


def _places(keeps: Iterable[bool]) -> tuple[int, ...]:
    return tuple(at for at, is_kept in enumerate(keeps) if is_kept)


def _joins(passage: Passage, seeds: frozenset[str]) -> bool:
    ends = {str(passage.metadata.get(end)) for end in ("source", "target")}
    return passage.kind in edge_kinds() | {"path"} and len(ends) == 2 and ends <= seeds


def _path_length(passage: Passage) -> int:
    """The length of a path; an edge has 1, whatever its metadata says."""
    length = passage.metadata.get("length") if passage.kind == "path" else 1
    return length if isinstance(length, int) else 1


def _choose(promises: Sequence[_Promise]) -> list[_Chosen]:
    """A hit for every promise that can be kept beside those before it.

    A hit chosen already is used again if it can, else the best one is taken; where there is no
    room for one more hit, one that keeps both promises is looked for.
    """
    chosen: list[_Chosen] = []
    for promise in promises:
        options = [*_share(chosen, promise, moving=False)]
        options += [[*chosen, _Chosen(promise.able[0], (promise,))]]
        options += _share(chosen, promise, moving=True)
        chosen = next((option for option in options if _fits(option)), chosen)
    return chosen


def _share(
    chosen: Sequence[_Chosen], promise: _Promise, *, moving: bool
) -> Iterator[list[_Chosen]]:
    """The choices in which one of the chosen keeps the promise too: the same hit, or, when
    `moving`, the first that keeps all of its promises.
    """
    for partner in chosen:
        every = (*partner.promises, promise)
        able = [at for at in promise.able if all(at in other.able for other in partner.promises)]
        if not moving:
            able = [partner.at] if partner.at in promise.able else []
        if able:
            shared = _Chosen(able[0], every)
            yield [shared if choice is partner else choice for choice in chosen]


def _fits(chosen: Sequence[_Chosen]) -> bool:
    """Whether each can be in its first places: n hits need at least n places."""
    ends = sorted(choice.places for choice in chosen)
    different = len({choice.at for choice in chosen}) == len(chosen)
    return different and all(end > place for place, end in enumerate(ends))


def _order(count: int, chosen: Sequence[_Chosen]) -> list[int]:
    """The places in their new order: as targeted, except for hits that must not wait longer."""
    waiting = list(range(count))
    late = [choice for choice in chosen if choice.at >= choice.places]
    for choice in sorted(late, key=lambda choice: choice.target):
        waiting.remove(choice.at)
        waiting.insert(choice.target, choice.at)
    ends = {choice.at: choice.places for choice in chosen}
    order: list[int] = []
    while waiting:
        order.append(waiting.pop(waiting.index(_next(waiting, ends, len(order)))))
        ends.pop(order[-1], None)
    return order


def _next(waiting: Sequence[int], ends: Mapping[int, int], filled: int) -> int:
    """The first one waiting, or the first of those that fill all places up to their end."""
    for end in sorted(set(ends.values())):
        due = [at for at in waiting if ends.get(at, end + 1) <= end]
        if len(due) >= end - filled:
            return due[0]
    return waiting[0]


def _explain_moves(
    hits: Sequence[Hit], order: Sequence[int], chosen: Sequence[_Chosen]
) -> list[Hit]:
    """The hits in their new order; each that moved says why, or for which step it gave way."""
    after = {at: place for place, at in enumerate(order)}
    reasons = {entry.at: entry.promises[0] for entry in chosen if after[entry.at] < entry.at}
    moved = []
    for place, at in enumerate(order):
        if at in reasons:
            step, reason = reasons[at].step, reasons[at].reason
        else:
            over = [key for key in reasons if key > at and after[key] < place]
            step, reason = reasons[over[0]].step if over else "", "gave way"
        change = Change(step=step, before=at + 1, after=place + 1, reason=reason)
        moved.append(_apply(hits[at], change))
    return moved
