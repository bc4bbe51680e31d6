"""What is one edge away from a node of a graph? Read from the catalogue, once for a collection.

Only relations count, not what papers cite. The catalogue is always at hand, also where another
process has the engines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from consilience.catalogue import Catalogue
from consilience.types import Passage, Value

MOST = 8
"""Neighbours of a node that are looked at: a question has room for fewer."""
Near = Mapping[str, tuple[tuple[str, float], ...]]
"""The names of a node's neighbours with the weights of the edges, the heaviest first."""


def neighbours_in(catalogue: Catalogue) -> Callable[[str, str], Sequence[tuple[str, float]]]:
    """Gives the neighbours of a node, by its id, in a collection."""
    kinds = catalogue.counts()

    @cache
    def near(collection: str) -> Near:
        held = kinds.get(collection, {})
        return _near(list(catalogue.each(collection))) if {"node", "edge"} <= held.keys() else {}

    return lambda node, collection: near(collection).get(node, ())


def _near(passages: Sequence[Passage]) -> Near:
    names = {
        str(one.metadata["node"]): str(one.metadata.get("name", one.metadata["node"]))
        for one in passages
        if one.kind == "node" and "node" in one.metadata
    }
    ways: dict[str, dict[str, float]] = {}
    for one in passages:
        ends = [str(one.metadata.get(end, "")) for end in ("source", "target")]
        if one.kind != "edge" or not set(ends) <= names.keys() or ends[0] == ends[1]:
            continue
        for here, there in (ends, ends[::-1]):
            way = ways.setdefault(here, {})
            way[names[there]] = max(way.get(names[there], 0.0), _weight(one.metadata.get("weight")))
    return {node: _heaviest(way) for node, way in ways.items()}


def _heaviest(way: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(way.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST])


def _weight(value: Value | None) -> float:
    """An edge's weight, at most 1: a neighbour's name never weighs more than another name."""
    usable = isinstance(value, int | float) and 0 <= value < math.inf
    return min(float(value), 1.0) if usable and isinstance(value, int | float) else 1.0
