"""What stands around a concept, and what does a method require? Asked of a workspace's graph.

The catalogue knows all of it: no engine is opened, and every statement comes with the passage that
has the words it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.kinds import edge_kinds, node_kinds
from consilience.pack import Pack
from consilience.packs.research import auditing
from consilience.packs.research.auditing import Audit
from consilience.packs.research.graphs import Concept, Graph, Near, Statement
from consilience.packs.research.relations import RELATIONS, relation_named
from consilience.workspace.bearing import Bearing, bearing
from consilience.workspace.connecting import named
from consilience.workspace.held import Workspace

FARTHEST = 3
MOST = 200  # neighbours: more cannot be read

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A concept and what stands around it; `left_out` counts what was too much to give."""

    concept: Concept
    near: tuple[Near, ...]
    left_out: int = 0


def neighbourhood(
    space: Workspace, name: str, *, hops: int = 1, relations: Sequence[str] = ()
) -> Neighbourhood:
    """What a graph says of a concept, the nearest first, each statement with its evidence."""
    if not 1 <= hops <= FARTHEST:
        raise UsageError(f"hops is {hops}; ask for 1 to {FARTHEST}")
    wanted = [_relation(one) for one in relations]
    graph, node = _found(space.catalogue, name, space.pack)
    near = graph.around(node, hops=hops, relations=wanted)
    told = Neighbourhood(
        concept=graph.concept(node), near=tuple(near[:MOST]), left_out=len(near[MOST:])
    )
    return evidenced(told, bearing(space.catalogue))


def audit(space: Workspace, name: str) -> Audit:
    """What a method requires, how each is tested, what to use when it fails, with its evidence."""
    graph, node = _found(space.catalogue, name, space.pack)
    return evidenced(auditing.audit(graph, node), bearing(space.catalogue))


def evidenced(value: Told, borne: Bearing) -> Told:
    """A value with every statement in it given the passage that has the words it rests on."""
    return cast("Told", _evidenced(value, borne))


def _evidenced(value: Any, borne: Bearing) -> Any:
    if isinstance(value, Statement):
        return replace(value, evidence=borne(value.passage))
    if isinstance(value, tuple):
        return tuple(_evidenced(one, borne) for one in value)
    if not is_dataclass(value) or isinstance(value, type | Concept):
        return value
    parts = {one.name: getattr(value, one.name) for one in fields(value)}
    return replace(value, **{name: _evidenced(one, borne) for name, one in parts.items()})


def _relation(text: str) -> str:
    known = relation_named(text)
    if known is None:
        raise UsageError(f"{text!r} is no type of relation; known: {', '.join(RELATIONS)}")
    return known.name


def _found(catalogue: Catalogue, name: str, pack: Pack) -> tuple[Graph, str]:
    """The graph that has a name, and the one node that it means."""
    kinds = node_kinds() | edge_kinds()
    held = [one for one, counts in catalogue.counts().items() if kinds & counts.keys()]
    if not held:
        raise UsageError(
            "this workspace holds no graph; add one, a file that ends in .concepts.yaml or "
            ".graph.jsonl, with `consilience add`"
        )
    nodes = named(catalogue, name, pack)
    every = (one for collection in sorted(nodes) for one in catalogue.each(collection))
    graph = Graph.of(one for one in every if one.kind in kinds)
    meant = list(dict.fromkeys(node for some in nodes.values() for node in some))
    if len(meant) > 1:
        several = " and ".join(repr(graph.concept(one).name) for one in meant)
        raise UsageError(f"{name!r} names several things, {several}; name one")
    return graph, meant[0]
