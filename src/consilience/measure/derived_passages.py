"""How are passages judged that a source creates for a question? By what they are made of.

The catalogue holds nodes and edges. A path of several edges is created when a source is asked for
one, so no golden set can point at it. In a ranking that is measured, its edges replace it, in the
order in which it walks them. A calculation keeps its place, since it states more than the passages
it was computed from; it is judged by these operands, and facts are looked for in its own text.
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from consilience.errors import ConsilienceError
from consilience.evidence.catalogue import Catalogue
from consilience.kinds import edge_kinds
from consilience.measure.data_model import DEPTH, Answer, Edges, ResolvedLabels, Run, Units
from consilience.protocols import Lookup
from consilience.types import Passage, Ranking, Result

PLACES = 10
"""First places in which derived passages are judged, and evidence is looked at."""


def edges_in(catalogue: Catalogue) -> Edges:
    """The edges that a workspace holds."""
    counts = catalogue.counts().items()
    collections = [name for name, kinds in counts if edge_kinds() & kinds.keys()]
    return edges_of(passage for name in collections for passage in catalogue.each(name))


def edges_of(passages: Iterable[Passage]) -> Edges:
    """The edges among these passages."""
    ends = ("source", "relation", "target")
    return {
        cast("tuple[str, str, str]", tuple(str(passage.metadata[end]) for end in ends)): passage.id
        for passage in passages
        if passage.kind in edge_kinds() and passage.metadata.keys() >= set(ends)
    }


def edges_on_path(path: Passage, edges: Edges) -> tuple[str, ...]:
    """The passages of a path's edges, in its order, whatever their direction."""
    nodes, relations = path.metadata.get("nodes", ()), path.metadata.get("relations", ())
    if not isinstance(nodes, tuple) or not isinstance(relations, tuple):
        return ()
    steps = zip(map(str, nodes), map(str, relations), map(str, nodes[1:]), strict=False)
    found = (
        edges.get((start, relation, end)) or edges.get((end, relation, start))
        for start, relation, end in steps
    )
    return tuple(key for key in found if key)


def operands_of(passage: Passage) -> tuple[str, ...]:
    """The ids of the passages that a calculation was computed from; none for other passages."""
    try:
        operands = json.loads(str(passage.metadata.get("operands", "[]")))
    except ValueError:
        return ()
    if not isinstance(operands, list):
        return ()
    ids = (operand.get("passage") for operand in operands if isinstance(operand, dict))
    return tuple(dict.fromkeys(str(key) for key in ids if key))


def derived_in(rankings: Sequence[Ranking]) -> dict[str, Passage]:
    """The passages that sources created for a question."""
    return {
        hit.id: hit.passage
        for ranking in rankings
        for hit in ranking.found
        if hit.passage is not None
    }


def replace_paths(
    order: Sequence[tuple[str, float]], derived: Mapping[str, Passage], edges: Edges
) -> list[tuple[str, float]]:
    """A ranking in which edges replace the paths over them; what is above is not repeated."""
    scores: dict[str, float] = {}
    for key, score in order:
        path = derived.get(key)
        for part in (edges_on_path(path, edges) if path is not None else ()) or (key,):
            scores.setdefault(part, score)
    return list(scores.items())


def full_order(result: Result, edges: Edges | None = None) -> list[tuple[str, float]]:
    """The whole order behind a result: what is shown, what was cut, then the rest of the fused.

    Copies that were merged into another passage are left out, and edges replace the paths over
    them. Scores never rise downwards: later steps change scores, so those of the tail are capped.
    """
    trace = result.trace
    fused = dict(trace.fused)
    cut = sorted((loss.place, loss.id) for loss in trace.losses if loss.place is not None)
    merged = {loss.id for loss in trace.losses if loss.place is None}
    order = {hit.passage.id: hit.score for hit in result.hits}
    for _, key in cut:
        order.setdefault(key, fused.get(key, 0.0))
    for key, score in trace.fused:
        if key not in merged:
            order.setdefault(key, score)
    paths = derived_in(trace.rankings) if edges else {}
    falling: list[tuple[str, float]] = []
    for key, score in replace_paths(list(order.items()), paths, edges or {})[:DEPTH]:
        falling.append((key, min(score, falling[-1][1]) if falling else score))
    return falling


def answer_of(question: str, order: Sequence[tuple[str, float]]) -> Answer:
    """A ranking as the answer to a question."""
    passages, scores = tuple(key for key, _ in order), tuple(score for _, score in order)
    return Answer(question=question, passages=passages, scores=scores)


def lookup_with_derived(catalogue: Catalogue, ids: Sequence[str]) -> Mapping[str, Passage]:
    """The passages that `consilience show` would find, those created for a question included."""
    found = dict(catalogue.get(ids))
    for key in ids:
        if key not in found:
            with suppress(ConsilienceError):
                found[key] = catalogue.resolve(key)
    return found


def resolve_derived(
    resolved: ResolvedLabels, runs: Iterable[Run], lookup: Lookup
) -> ResolvedLabels:
    """The labels with the derived passages in the first places of these runs.

    Each matches the units that its operands match, or has the home that one of them has.
    """
    first: dict[str, dict[str, None]] = {}
    for run in runs:
        for question, answer in run.answers.items():
            first.setdefault(question, {}).update(dict.fromkeys(answer.passages[:PLACES]))
    known = lookup(list(dict.fromkeys(key for ids in first.values() for key in ids)))
    derived = {key: ids for key, passage in known.items() if (ids := operands_of(passage))}
    if not derived:
        return resolved
    if resolved.homes:
        homes = {
            key: home
            for key, ids in derived.items()
            if (home := next((resolved.homes[key] for key in ids if key in resolved.homes), ""))
        }
        return replace(resolved, homes={**homes, **resolved.homes})

    def extended(question: str, matches: Units) -> Units:
        units = {
            key: found
            for key in first.get(question, ())
            if key in derived
            if (
                found := tuple(
                    dict.fromkeys(u for part in derived[key] for u in matches.get(part, ()))
                )
            )
        }
        return ChainMap(units, cast("dict[str, tuple[str, ...]]", matches)) if units else matches

    return replace(
        resolved,
        strict={key: extended(key, matches) for key, matches in resolved.strict.items()},
        lenient={key: extended(key, matches) for key, matches in resolved.lenient.items()},
    )
