"""How do two nodes of a graph connect, what does each step weigh, and what is one edge away?

A chain is a sequence of relations, each stated by a passage. The factors shown for a chain multiply
to its score: they are the ones that it was ranked by.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from consilience.engine import Engine
from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.kinds import node_kinds
from consilience.pack import Pack
from consilience.protocols import Connector
from consilience.stores.graph_paths import DECAY, REACH, STATED, GraphPath, Step, read_edge
from consilience.types import Chain, Passage, Value
from consilience.understand.names import find_mentions, surface
from consilience.worker_pool import run_sync

_NEAR = 3
_LIKE = 0.7  # of two spellings, by `difflib`
Nodes = Mapping[str, tuple[str, ...]]
"""What a name stands for: ids of nodes, by the collection that has them."""


def find_chains(
    catalogue: Catalogue, engine: Engine, start: str, end: str, *, limit: int
) -> list[Chain]:
    """The best chains between what two names stand for; empty where nothing connects them.

    A name that no graph has is refused. What was made to tell a chain can be shown again.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}; ask for at least 1 path")
    connectors = {
        name: source for name, source in engine.sources.items() if isinstance(source, Connector)
    }
    if not connectors:
        raise UsageError(
            "this workspace holds no graph; add one, a file that ends in .concepts.yaml or "
            ".graph.jsonl, with `consilience add`"
        )
    pack = engine.knowledge.pack
    starts, ends = resolve_nodes(catalogue, start, pack), resolve_nodes(catalogue, end, pack)
    if starts == ends:
        raise UsageError(f"{start!r} and {end!r} are the same thing; name two")

    async def ask() -> list[Chain]:
        asked = [
            source.connect(starts[collection], ends[collection], limit=limit)
            for name, source in sorted(connectors.items())
            if (collection := engine.sources[name].collection) in starts.keys() & ends.keys()
        ]
        return [chain for found in await asyncio.gather(*asked) for chain in found]

    chains = sorted(run_sync(ask()), key=lambda one: (-one.score, one.passage.id))[:limit]
    catalogue.keep_made([one.passage for one in chains if len(one.links) > 1])
    return chains


def longest_chain(catalogue: Catalogue) -> int:
    """How many steps a chain can have at most, where what it joins are statements or not."""
    stated = any("inverse" in fields for fields in catalogue.fields().values())
    return STATED if stated else 2 * REACH


def resolve_nodes(catalogue: Catalogue, name: str, pack: Pack) -> Nodes:
    """The nodes that a name stands for: as a question would name them, or by their own id.

    Where no node has it, what the pack takes it to mean is tried (an abbreviation in full), all of
    it where it may mean several things. What no graph has is refused.
    """
    found = _nodes(catalogue, name)
    for term in () if found else pack.questions.expand(name):
        meant = _nodes(catalogue, term.text)
        found = found or meant if not pack.questions.offers(name) else _either(found, meant)
    found = found or _by_id(catalogue, name) or _unlisted(catalogue, name)
    if not found:
        raise UsageError(f"no graph here names {name!r}{_suggestion(catalogue, name)}")
    return found


def _either(one: Nodes, other: Nodes) -> Nodes:
    return {
        collection: tuple(dict.fromkeys((*one.get(collection, ()), *other.get(collection, ()))))
        for collection in (*one, *other)
    }


def _nodes(catalogue: Catalogue, name: str) -> Nodes:
    """What a name is said to name; a node whose own name it is goes before others so called."""
    found = [one for one in find_mentions(name, catalogue.mentions) if one.role == "node"]
    if len({one.surface for one in found}) > 1:
        several = " and ".join(dict.fromkeys(repr(one.surface) for one in found))
        raise UsageError(f"{name!r} names several things, {several}; name one")
    own = [one for one in found if one.value == one.surface]
    nodes: dict[str, tuple[str, ...]] = {}
    for one in own or found:
        nodes[one.collection] = (*nodes.get(one.collection, ()), one.value)
    return nodes


def _by_id(catalogue: Catalogue, name: str) -> Nodes:
    return {one: (name,) for one in catalogue.counts() if catalogue.aliases(name, one)}


def _unlisted(catalogue: Catalogue, name: str) -> Nodes:
    """Nodes called by a letter, a number or a common word (`DiD`, `ITS`).

    No question could mean them, so the catalogue does not list them; but here they are meant.
    """
    wanted = surface(name)
    found: dict[str, tuple[str, ...]] = {}
    for passage in _told(catalogue) if wanted else ():
        node = str(passage.metadata.get("node", ""))
        if wanted in map(surface, _spelt(passage)):
            found[passage.collection] = (*found.get(passage.collection, ()), node)
    return {collection: tuple(dict.fromkeys(nodes)) for collection, nodes in found.items()}


def _suggestion(catalogue: Catalogue, name: str) -> str:
    """`; did you mean 'Bell Rock'?`, or where to find the names that there are."""
    words = surface(name)
    spelt: dict[str, str] = {}
    for passage in _told(catalogue):
        for one in _spelt(passage):
            spelt.setdefault(surface(one), one)
    near = get_close_matches(words, spelt, n=_NEAR, cutoff=_LIKE)
    inside = [one for one in spelt if set(words.split()) & set(one.split())]
    names = list(dict.fromkeys(spelt[one] for one in (*near, *sorted(inside, key=len))))[:_NEAR]
    if not names:
        return "; a search for it shows what comes near"
    return f"; did you mean {' or '.join(map(repr, names))}?"


def _told(catalogue: Catalogue) -> Iterator[Passage]:
    """Every passage that tells of a node. All are read, for a name that is looked up in vain."""
    for collection, kinds in catalogue.counts().items():
        for passage in catalogue.each(collection) if node_kinds() & kinds.keys() else ():
            if passage.kind in node_kinds():
                yield passage


def _spelt(passage: Passage) -> list[str]:
    """The names that a passage gives its node."""
    aliases = passage.metadata.get("aliases", ())
    names = (passage.metadata.get("name", ""), *(aliases if isinstance(aliases, tuple) else ()))
    return [str(one) for one in names if one]


# --- what a chain weighs -----------------------------------------------------------------


_SAME = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What a step weighs: its kind of relation, how sure it is, and how far along it stands.

    `turns` says how many steps more it counts for, since the chain changes its sense there.
    """

    kind: float = 1.0
    confidence: float = 1.0
    decay: float = 1.0
    turns: int = 0

    @property
    def product(self) -> float:
        """All of it together."""
        return self.kind * self.confidence * self.decay


def chain_factors(chain: Chain) -> tuple[Factors, ...]:
    """The factors of each step of a chain; their product is its score."""
    path = GraphPath.start("", ())
    found: list[Factors] = []
    for link in chain.links:
        edge = read_edge(link.passage)
        if edge is None:  # only edges join things
            found.append(Factors())
            continue
        before, path = path.length, path.then(Step(edge, forward=link.forward))
        more = path.length - before
        confidence = _confidence(link.passage)
        found.append(
            Factors(
                kind=edge.weight / confidence,
                confidence=confidence,
                decay=DECAY**more if before else 1.0,
                turns=more - 1,
            )
        )
    return tuple(found)


def _confidence(passage: Passage) -> float:
    """How sure a relation is; 1 where its weight is all that is known."""
    given = passage.metadata.get("confidence")
    usable = isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= 1
    return float(given) if usable and isinstance(given, int | float) else 1.0


def describe_chain(chain: Chain) -> str:
    """`requires 1 × 0.95, then uses 0.6 × 0.98 × 0.5 = 0.279`, the last factor by distance."""
    parts = [
        " × ".join([f"{link.relation} {_number(one.kind)}", *_rest(one)])
        for link, one in zip(chain.links, chain_factors(chain), strict=True)
    ]
    return f"{', then '.join(parts)} = {_number(chain.score)}"


def _rest(one: Factors) -> list[str]:
    sure = [_number(one.confidence)] if one.confidence != 1 else []
    turn = " for the turn" if one.turns == 1 else " for the turn to the same" if one.turns else ""
    return [*sure, *([f"{_number(one.decay)}{turn}"] if one.decay != 1 else [])]


def why_first(chains: Sequence[Chain]) -> str:
    """By what the second chain lost to the first, in factors that multiply to its share."""
    if len(chains) < 2 or not chains[0].score:
        return "" if not chains else "no other chain was found"
    first, second = chain_factors(chains[0]), chain_factors(chains[1])
    share = chains[1].score / chains[0].score
    ratios = {
        "kinds of relation": _ratio(first, second, "kind"),
        "confidence": _ratio(first, second, "confidence"),
        "length and turns": _ratio(first, second, "decay"),
    }
    parts = [f"× {_number(one)} by {name}" for name, one in ratios.items() if abs(one - 1) > _SAME]
    if not parts:
        return "the second weighs the same; ties go by name"
    return f"the second weighs {share:.0%} of the first: {', '.join(parts)}"


def _ratio(first: Sequence[Factors], second: Sequence[Factors], name: str) -> float:
    one, other = (math.prod(getattr(each, name) for each in every) for every in (first, second))
    return other / one if one else 1.0


def _number(value: float) -> str:
    return f"{value:.3g}"


# --- neighbours --------------------------------------------------------------------------


MOST = 8
"""Neighbours of a node that are looked at: a question has room for fewer."""
Near = Mapping[str, tuple[tuple[str, float], ...]]
"""The names of a node's neighbours with the weights of the edges, the heaviest first."""


def graph_neighbours(catalogue: Catalogue) -> Callable[[str, str], Sequence[tuple[str, float]]]:
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
