"""What is the order behind a result, in passages that can be judged? Paths stand by their edges.

The catalogue holds nodes and edges; a path of several edges is told by a source when it is asked
for one, so no golden set can point at it. In a ranking that is to be measured its edges stand in
its place, in the order in which it walks them. A calculation keeps its place, since it states more
than the passages that it was made of; it is judged by these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from consilience.catalogue import Catalogue
from consilience.errors import ConsilienceError
from consilience.kinds import edge_kinds
from consilience.measure.values import DEPTH, Edges
from consilience.types import Passage, Ranking, Result


def edges_in(catalogue: Catalogue) -> Edges:
    """The edges that a workspace holds."""
    collections = [
        name for name, kinds in catalogue.counts().items() if edge_kinds() & kinds.keys()
    ]
    return edges_of(one for name in collections for one in catalogue.each(name))


def edges_of(passages: Iterable[Passage]) -> Edges:
    """The edges among these passages."""
    return {
        (str(one.metadata["source"]), str(one.metadata["relation"]), str(one.metadata["target"])): (
            one.id
        )
        for one in passages
        if one.kind in edge_kinds() and {"source", "relation", "target"} <= one.metadata.keys()
    }


def walked(path: Passage, edges: Edges) -> tuple[str, ...]:
    """The passages of a path's edges, in its order, whichever way it walks them."""
    nodes, relations = path.metadata.get("nodes", ()), path.metadata.get("relations", ())
    if not isinstance(nodes, tuple) or not isinstance(relations, tuple):
        return ()
    steps = zip(map(str, nodes), map(str, relations), map(str, nodes[1:]), strict=False)
    found = (
        edges.get((one, relation, other)) or edges.get((other, relation, one))
        for one, relation, other in steps
    )
    return tuple(key for key in found if key)


def by_edges(
    order: Sequence[tuple[str, float]], made: Mapping[str, Passage], edges: Edges
) -> list[tuple[str, float]]:
    """A ranking in which edges stand for the paths that walk them; what is above is not repeated.

    `made` are the passages that a source made for the question, by id.
    """
    told: dict[str, float] = {}
    for key, score in order:
        path = made.get(key)
        for one in (walked(path, edges) if path is not None else ()) or (key,):
            told.setdefault(one, score)
    return list(told.items())


def made_for(rankings: Sequence[Ranking]) -> dict[str, Passage]:
    """The passages that sources made for a question."""
    return {
        one.id: one.passage
        for ranking in rankings
        for one in ranking.found
        if one.passage is not None
    }


def there(catalogue: Catalogue, ids: Sequence[str]) -> Mapping[str, Passage]:
    """The passages that `consilience show` would find, those made for a question among them."""
    found = dict(catalogue.get(ids))
    for one in ids:
        if one not in found:
            with suppress(ConsilienceError):
                found[one] = catalogue.resolve(one)
    return found


def made_of(passage: Passage) -> tuple[str, ...]:
    """The ids of the passages that one was made of, in their order; none for one of a file."""
    try:
        operands = json.loads(str(passage.metadata.get("operands", "[]")))
    except ValueError:
        return ()
    if not isinstance(operands, list):
        return ()
    ids = (one.get("passage") for one in operands if isinstance(one, dict))
    return tuple(dict.fromkeys(str(one) for one in ids if one))


def order_of(result: Result, edges: Edges | None = None) -> list[tuple[str, float]]:
    """The whole order behind a result: what is shown, what was cut, then the rest of the fused.

    Copies that were merged into another passage are left out, and edges stand for the paths that
    walk them. Scores never rise downwards.
    """
    trace = result.trace
    fused = dict(trace.fused)
    cut = sorted((one.place, one.id) for one in trace.losses if one.place is not None)
    gone = {one.id for one in trace.losses if one.place is None}
    order = {hit.passage.id: hit.score for hit in result.hits}
    for _, key in cut:
        order.setdefault(key, fused.get(key, 0.0))
    for key, score in trace.fused:
        if key not in gone:
            order.setdefault(key, score)
    paths = made_for(trace.rankings) if edges else {}
    return falling(by_edges(list(order.items()), paths, edges or {})[:DEPTH])


def falling(order: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Later steps change scores, so those of the tail are held below what stands above them."""
    falling: list[tuple[str, float]] = []
    for key, score in order:
        falling.append((key, min(score, falling[-1][1]) if falling else score))
    return falling
