"""What is around a concept, and what does a method require? Read from a workspace's graph.

The catalogue has all of it, so no engine is opened. Every statement comes with the passage that
has its quoted words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.kinds import edge_kinds, node_kinds
from consilience.pack import Pack
from consilience.packs.research import auditing
from consilience.packs.research.auditing import Audit
from consilience.packs.research.graphs import Concept, Graph, Near, Statement
from consilience.packs.research.relations import RELATIONS, relation_named
from consilience.workspace.graph_paths import resolve_nodes
from consilience.workspace.local import Workspace
from consilience.workspace.supporting_passage import FindSupport, supporting_passages

FARTHEST = 3
_MOST = 200  # neighbours: nobody reads more

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A concept and what is around it; `left_out` counts what was too much to return."""

    concept: Concept
    near: tuple[Near, ...]
    left_out: int = 0


def find_neighbourhood(
    space: Workspace, name: str, *, hops: int = 1, relations: Sequence[str] = ()
) -> Neighbourhood:
    """What a graph says of a concept, the nearest first, each statement with its evidence."""
    if not 1 <= hops <= FARTHEST:
        raise UsageError(f"hops is {hops}; ask for 1 to {FARTHEST}")
    wanted = [_relation(relation) for relation in relations]
    graph, node = _find_node(space.catalogue, name, space.pack)
    near = graph.around(node, hops=hops, relations=wanted)
    found = Neighbourhood(
        concept=graph.concept(node), near=tuple(near[:_MOST]), left_out=len(near[_MOST:])
    )
    return _with_evidence(found, supporting_passages(space.catalogue))


def find_requirements(space: Workspace, name: str) -> Audit:
    """What a method requires, how each is tested, what to use when it fails, with its evidence."""
    graph, node = _find_node(space.catalogue, name, space.pack)
    return _with_evidence(auditing.audit(graph, node), supporting_passages(space.catalogue))


def _with_evidence(value: Value, evidence: FindSupport) -> Value:
    """The same value, with the passage that has its quoted words in every statement."""
    return cast("Value", _add_evidence(value, evidence))


def _add_evidence(value: Any, evidence: FindSupport) -> Any:
    if isinstance(value, Statement):
        return replace(value, evidence=evidence(value.passage))
    if isinstance(value, tuple):
        return tuple(_add_evidence(item, evidence) for item in value)
    if not is_dataclass(value) or isinstance(value, type | Concept):
        return value
    parts = {field.name: getattr(value, field.name) for field in fields(value)}
    return replace(value, **{name: _add_evidence(part, evidence) for name, part in parts.items()})


def _relation(text: str) -> str:
    known = relation_named(text)
    if known is None:
        raise UsageError(f"{text!r} is not a type of relation; known: {', '.join(RELATIONS)}")
    return known.name


def _find_node(catalogue: Catalogue, name: str, pack: Pack) -> tuple[Graph, str]:
    """The graph that has a name, and the node that it stands for."""
    kinds = node_kinds() | edge_kinds()
    if not any(kinds & counts.keys() for counts in catalogue.counts().values()):
        raise UsageError(
            "this workspace holds no graph; add one, a file that ends in .concepts.yaml or "
            ".graph.jsonl, with `consilience add`"
        )
    nodes = resolve_nodes(catalogue, name, pack)
    passages = (passage for collection in sorted(nodes) for passage in catalogue.each(collection))
    graph = Graph.of(passage for passage in passages if passage.kind in kinds)
    candidates = list(dict.fromkeys(node for ids in nodes.values() for node in ids))
    if len(candidates) > 1:
        several = " and ".join(repr(graph.concept(node).name) for node in candidates)
        raise UsageError(f"{name!r} names several things, {several}; name one")
    return graph, candidates[0]
