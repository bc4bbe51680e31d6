"""How is a graph read? From lines of JSON: nodes to name, edges between them.

`{"node": "e4", "name": "King's pawn", "kind": "opening", "aliases": ["1. e4"], "text": "…"}`
`{"edge": ["e4", "LEADS_TO", "sicilian"], "weight": 0.8, "text": "…"}`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from consilience.evidence.loaders.common import one_line, said, tidy, title_of
from consilience.evidence.loaders.json_records import (
    PACKED,
    Fault,
    Json,
    fault_notes,
    flatten,
    read_lines,
    scalar,
    unpacked,
    value_of,
)
from consilience.evidence.size_limits import HEADING, short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

ENDING = ".graph.jsonl"
_LONG = f"give it at most {HEADING}"
_NODE_FIELDS = frozenset(("node", "name", "kind", "aliases", "text"))
_EDGE_FIELDS = frozenset(("edge", "weight", "text"))


@dataclass(slots=True)
class _Graph:
    """What was read so far."""

    nodes: dict[str, Block] = field(default_factory=dict)
    edges: list[Block] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def load(path: Path) -> Document:
    """Read a graph; an edge may stand before its nodes. Lines that say neither are told."""
    records, faults, notes = read_lines(path)
    graph = _Graph(faults=faults)
    for number, record in records:
        if "node" in record:
            _add_node(graph, number, record=record)
    for number, record in records:
        if "node" not in record:
            _add_edge(graph, number, record=record)
    blocks = (*graph.nodes.values(), *graph.edges)
    return Document(
        title=_title(unpacked(path)),
        kind="graph",
        blocks=blocks,
        notes=(*notes, *fault_notes(graph.faults), *said(path, blocks)),
    )


def _add_node(graph: _Graph, number: int, *, record: Mapping[str, Json]) -> None:
    name = _name(record["node"])
    if not name:
        graph.faults.append((number, "the node has no id"))
    elif len(name) > HEADING:
        graph.faults.append((number, f"the node's id has {len(name):,} letters; {_LONG}"))
    elif name in graph.nodes:
        graph.faults.append((number, f"the node {name!r} was already given"))
    else:
        graph.nodes[name] = _node(name, record)


def _node(node: str, record: Mapping[str, Json]) -> Block:
    name = short(_name(record.get("name"))) or node
    aliases = _aliases(record.get("aliases"))
    known = f"{name} ({', '.join(aliases)})" if aliases else name
    text = _text(record)
    fields: dict[str, Value] = {**_others(record, _NODE_FIELDS), "node": node, "name": name}
    if aliases:
        fields["aliases"] = aliases
    if kind := _name(record.get("kind")):
        fields["node_kind"] = kind
    return Block(
        text=f"{known}. {text}" if text else known,
        locator=Locator(node=node),
        kind="node",
        whole=True,
        metadata=fields,
    )


def _add_edge(graph: _Graph, number: int, *, record: Mapping[str, Json]) -> None:
    ends = record.get("edge")
    parts = [_name(part) for part in ends] if isinstance(ends, list) else []
    if len(parts) != 3 or not all(parts):
        graph.faults.append((number, "neither a node nor an edge [source, RELATION, target]"))
        return
    unknown = [repr(short(part)) for part in (parts[0], parts[2]) if part not in graph.nodes]
    weight = record.get("weight", 1.0)
    if len(parts[1]) > HEADING:
        graph.faults.append((number, f"the relation has {len(parts[1]):,} letters; {_LONG}"))
    elif unknown:
        graph.faults.append((number, f"the edge names no known node: {', '.join(unknown)}"))
    elif isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        graph.faults.append(
            (number, f"the weight {short(repr(weight), 40)} is not a number from 0 to 1")
        )
    else:
        graph.edges.append(_edge(graph, parts, record=record))


def _edge(graph: _Graph, parts: list[str], *, record: Mapping[str, Json]) -> Block:
    source, relation, target = parts
    names = [str(graph.nodes[node].metadata["name"]) for node in (source, target)]
    line = f"{names[0]} → ({relation.replace('_', ' ').lower()}) → {names[1]}"
    text = _text(record)
    weight = record.get("weight", 1.0)
    fields: dict[str, Value] = {
        **_others(record, _EDGE_FIELDS),
        "source": source,
        "relation": relation,
        "target": target,
        "weight": float(weight) if isinstance(weight, int | float) else 1.0,
    }
    return Block(
        text=f"{line}. {text}" if text else line,
        locator=Locator(node=f"{source} → {target}"),
        kind="edge",
        whole=True,
        metadata=fields,
    )


def _name(value: Json) -> str:
    known = scalar(value)
    return "" if known is None or isinstance(known, bool) else one_line(str(known))


def _aliases(value: Json) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(name for alias in names if (name := _name(alias))))


def _text(record: Mapping[str, Json]) -> str:
    return tidy(str(value_of(record.get("text")) or ""))


def _others(record: Mapping[str, Json], known: frozenset[str]) -> dict[str, Value]:
    return flatten({name: value for name, value in record.items() if name not in known})


def _title(path: Path) -> str:
    if path.name.lower().endswith(ENDING):
        path = path.with_name(path.name[: -len(ENDING)] + ".jsonl")
    return title_of(path)


LOADER = Format(endings=(ENDING, ENDING + PACKED), version=1, load=load)
