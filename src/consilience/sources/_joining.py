"""Which paths join two things? Walked from both ends, and joined where they meet.

Half as many steps from each end reach as far as all of them from one, and a hub between the two
is met without being walked through. The work is bounded: from each end at most `REACH` steps, at
each step the `FRONTIER` best paths go on and the `WIDTH` best to a node are kept, and at most
`TRIES` meetings are looked at. Below these bounds the answer is exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

from consilience.sources._paths import DECAY, Path, Step

REACH = 3
FRONTIER = 500
WIDTH = 20
TRIES = 20_000

Ways = Callable[[Sequence[str]], Mapping[str, Sequence[Step]]]
Half = dict[str, list[Path]]


def joined(ways: Ways, starts: Sequence[str], ends: Sequence[str], *, limit: int) -> list[Path]:
    """The best paths from a start to an end, best first: of parallel edges the best, ties by id.

    `ways` gives the steps that lead out of nodes, the best of each node first.
    """
    here, there = _reached(ways, starts), _reached(ways, ends)
    found: dict[tuple[str, ...], Path] = {}
    best: list[float] = []  # weights of the best so far, the weakest first
    for weight, one, other in _meetings(here, there):
        if len(best) == limit and weight < best[0] * (1 - 1e-9):  # however it was rounded
            break
        path = _whole(one, other)
        if path is None:
            continue
        known = found.get(path.nodes)
        if known is not None and known.order <= path.order:
            continue
        found[path.nodes] = path
        if known is not None:
            best = heapq.nlargest(limit, (one.weight for one in found.values()))[::-1]
        elif len(best) < limit:
            heapq.heappush(best, path.weight)
        else:
            heapq.heappushpop(best, path.weight)
    return sorted(found.values(), key=lambda path: path.order)[:limit]


def _reached(ways: Ways, seeds: Sequence[str]) -> Half:
    """The best paths from seeds to each node that they reach, the seeds themselves included."""
    frontier = [Path.start(seed, ()) for seed in dict.fromkeys(seeds)]
    half: Half = {path.end: [path] for path in frontier}
    steps: dict[str, Sequence[Step]] = {}
    for _ in range(REACH):
        new = sorted({path.end for path in frontier} - steps.keys())
        if new:
            steps.update((node, _one_to_each(out)) for node, out in ways(new).items())
        arrived = _best_to_each(frontier, steps)
        for end, paths in arrived.items():
            half.setdefault(end, []).extend(paths)
        every = (path for paths in arrived.values() for path in paths)
        frontier = heapq.nsmallest(FRONTIER, every, key=lambda path: path.order)
    for paths in half.values():
        paths.sort(key=lambda path: (-_value(path), path.order))
    return half


def _one_to_each(steps: Sequence[Step]) -> list[Step]:
    """Of parallel edges the best, which comes first; of statements the best of each kind."""
    best: dict[tuple[str, int, str], Step] = {}
    for step in steps:
        kind = step.edge.relation if step.sense else ""
        best.setdefault((step.end, step.sense, kind), step)
    return list(best.values())


def _best_to_each(frontier: Sequence[Path], steps: Mapping[str, Sequence[Step]]) -> Half:
    """One step further: the best paths to every node that is reached."""
    arrived: Half = {}
    for path in frontier:
        for step in steps.get(path.end, ()):
            if step.end not in path.nodes and (longer := path.then(step)).holds:
                arrived.setdefault(step.end, []).append(longer)
    return {
        end: heapq.nsmallest(WIDTH, paths, key=lambda path: path.order)
        for end, paths in arrived.items()
    }


def _meetings(here: Half, there: Half) -> Iterator[tuple[float, Path, Path]]:
    """Two halves that meet at a node, and what they weigh together at most; the best first."""
    heap = [
        (-DECAY * _value(here[node][0]) * _value(there[node][0]), node, 0, 0)
        for node in here.keys() & there.keys()
    ]
    heapq.heapify(heap)
    for _ in range(TRIES):
        if not heap:
            return
        weight, node, at, other = heapq.heappop(heap)
        yield -weight, here[node][at], there[node][other]
        following = [(at, other + 1), *([(at + 1, 0)] if other == 0 else [])]
        for one, two in following:
            if one < len(here[node]) and two < len(there[node]):
                pair = DECAY * _value(here[node][one]) * _value(there[node][two])
                heapq.heappush(heap, (-pair, node, one, two))


def _value(path: Path) -> float:
    """What a half brings: two that have steps are joined by one more step, others by none."""
    return path.weight if path.steps else 1 / DECAY


def _whole(one: Path, other: Path) -> Path | None:
    """Two halves as one path; None where it passes a node twice, has no step, or does not hold."""
    back = other.reverse()
    if set(one.nodes[:-1]) & set(back.nodes) or not (one.steps or back.steps):
        return None
    path = Path.start(one.nodes[0], ())
    for step in (*one.steps, *back.steps):
        path = path.then(step)
    return path if path.holds else None
