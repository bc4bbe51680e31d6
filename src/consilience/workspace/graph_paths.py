"""How do two nodes of a graph connect, what does each step weigh, and what is one edge away?

A chain is a sequence of relations, each stated by a passage. The factors shown for a chain multiply
to its score: they are the ones that it was ranked by.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from consilience.engine import Engine
from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.filters import is_number
from consilience.kinds import node_kinds
from consilience.pack import Pack
from consilience.protocols import Connector, TermConnector
from consilience.stores.graph_paths import DECAY, REACH, STATED, GraphPath, Step, read_edge
from consilience.types import Chain, Passage, Value
from consilience.understand.names import find_mentions, surface
from consilience.worker_pool import run_sync

_SUGGESTED = 3
_SIMILARITY = 0.7  # of two spellings, by `difflib`
Nodes = dict[str, tuple[str, ...]]
"""What a name stands for: ids of nodes, by the collection that has them."""


def find_chains(
    catalogue: Catalogue, engine: Engine, start: str, end: str, *, limit: int
) -> list[Chain]:
    """The best chains between what two names stand for; empty where nothing connects them.

    Graphs come first; where they have no chain, sources that connect terms of texts are asked. A
    name that neither has is refused. Passages made for a chain can be shown later.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}; ask for at least 1 path")
    connectors = [
        source for _, source in sorted(engine.sources.items()) if isinstance(source, Connector)
    ]
    if not connectors:
        raise UsageError(
            "this workspace holds no graph; add one, a file that ends in .concepts.yaml or "
            ".graph.jsonl, with `consilience add`"
        )

    graphs = [source for source in connectors if not isinstance(source, TermConnector)]
    texts = [source for source in connectors if isinstance(source, TermConnector)]
    nodes: list[Nodes] = []
    unknown: list[UsageError] = []  # names that no graph has, and no text
    for name in (start, end):
        try:
            nodes.append(resolve_nodes(catalogue, name, engine.knowledge.pack))
        except UsageError as error:
            nodes.append({})
            unknown += () if any(source.has_term(name) for source in texts) else (error,)
    starts, ends = nodes
    if surface(start) == surface(end) or (starts and starts == ends):
        raise UsageError(f"{start!r} and {end!r} are the same thing; name two")
    if unknown:
        raise unknown[0]
    chains = _connect(
        source.connect(starts[source.collection], ends[source.collection], limit=limit)
        for source in graphs
        if source.collection in starts.keys() & ends.keys()
    ) or _connect(source.connect((start,), (end,), limit=limit) for source in texts)
    chains = chains[:limit]
    catalogue.keep_made([chain.passage for chain in chains if chain.passage.kind == "path"])
    return chains


def _connect(calls: Iterable[Awaitable[Sequence[Chain]]]) -> list[Chain]:
    """The chains that sources find, best first."""

    async def gather() -> list[Sequence[Chain]]:
        return await asyncio.gather(*calls)

    found = [chain for chains in run_sync(gather()) for chain in chains]
    return sorted(found, key=lambda chain: (-chain.score, chain.passage.id))


def longest_chain(catalogue: Catalogue) -> int:
    """How many steps a chain can have: fewer where nodes are joined by statements."""
    stated = any("inverse" in fields for fields in catalogue.fields().values())
    return STATED if stated else 2 * REACH


# --- names --------------------------------------------------------------------------------


def resolve_nodes(catalogue: Catalogue, name: str, pack: Pack) -> Nodes:
    """The nodes that a name stands for: as a question would name them, or by their own id.

    Where no node has it, its meanings according to the pack are tried (an abbreviation in full),
    all of them if it is ambiguous. What no graph has is refused.
    """
    nodes = _named_nodes(catalogue, name)
    for term in () if nodes else pack.questions.expand(name):
        if not nodes or pack.questions.offers(name):
            for collection, ids in _named_nodes(catalogue, term.text).items():
                _add(nodes, collection, *ids)
    if not nodes:
        nodes = {
            collection: (name,)
            for collection in catalogue.counts()
            if catalogue.aliases(name, collection)
        }
    nodes = nodes or _unlisted_nodes(catalogue, name)
    if not nodes:
        raise UsageError(f"no graph here names {name!r}{_suggestion(catalogue, name)}")
    return nodes


def _named_nodes(catalogue: Catalogue, name: str) -> Nodes:
    """The nodes of a name; those whose own name it is come before those of an alias."""
    mentions = [
        mention for mention in find_mentions(name, catalogue.mentions) if mention.role == "node"
    ]
    if len({mention.surface for mention in mentions}) > 1:
        several = " and ".join(dict.fromkeys(repr(mention.surface) for mention in mentions))
        raise UsageError(f"{name!r} names several things, {several}; name one")
    own = [mention for mention in mentions if mention.value == mention.surface]
    nodes: Nodes = {}
    for mention in own or mentions:
        _add(nodes, mention.collection, mention.value)
    return nodes


def _unlisted_nodes(catalogue: Catalogue, name: str) -> Nodes:
    """Nodes called by a letter, a number or a common word (`DiD`, `ITS`).

    In a question such a word means no node, so the catalogue does not list it; here it does.
    """
    wanted = surface(name)
    nodes: Nodes = {}
    for passage in _node_passages(catalogue) if wanted else ():
        if wanted in map(surface, _names(passage)):
            _add(nodes, passage.collection, str(passage.metadata.get("node", "")))
    return nodes


def _add(nodes: Nodes, collection: str, *ids: str) -> None:
    nodes[collection] = tuple(dict.fromkeys((*nodes.get(collection, ()), *ids)))


def _suggestion(catalogue: Catalogue, name: str) -> str:
    """`; did you mean 'Bell Rock'?`, or where to find the names that there are."""
    words = surface(name)
    known: dict[str, str] = {}
    for passage in _node_passages(catalogue):
        for spelling in _names(passage):
            known.setdefault(surface(spelling), spelling)
    near = get_close_matches(words, known, n=_SUGGESTED, cutoff=_SIMILARITY)
    sharing = [key for key in known if set(words.split()) & set(key.split())]
    keys = list(dict.fromkeys((*near, *sorted(sharing, key=len))))[:_SUGGESTED]
    if not keys:
        return "; a search for it shows what comes near"
    return f"; did you mean {' or '.join(repr(known[key]) for key in keys)}?"


def _node_passages(catalogue: Catalogue) -> Iterator[Passage]:
    """Every passage about a node. This reads all of them, for names that are not listed."""
    for collection, kinds in catalogue.counts().items():
        for passage in catalogue.each(collection) if node_kinds() & kinds.keys() else ():
            if passage.kind in node_kinds():
                yield passage


def _names(passage: Passage) -> list[str]:
    """The names that a passage gives its node."""
    aliases = passage.metadata.get("aliases", ())
    names = (passage.metadata.get("name", ""), *(aliases if isinstance(aliases, tuple) else ()))
    return [str(name) for name in names if name]


# --- the weight of a chain ----------------------------------------------------------------

_EQUAL = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What a step weighs: by its kind of relation, its confidence and its distance.

    `turns` says how many more steps it counts as, because the chain changes its sense there.
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
    steps: list[Factors] = []
    for link in chain.links:
        edge = read_edge(link.passage)
        if edge is None:  # only edges join things
            steps.append(Factors())
            continue
        before, path = path.length, path.then(Step(edge, forward=link.forward))
        length = path.length - before
        confidence = _fraction(link.passage.metadata.get("confidence")) or 1.0
        steps.append(
            Factors(
                kind=edge.weight / confidence,
                confidence=confidence,
                decay=DECAY**length if before else 1.0,
                turns=length - 1,
            )
        )
    return tuple(steps)


def _fraction(value: Value | None) -> float | None:
    """A number from 0 to 1; None for anything else."""
    usable = is_number(value) and isinstance(value, int | float) and 0 <= value <= 1
    return float(value) if usable and isinstance(value, int | float) else None


def describe_chain(chain: Chain) -> str:
    """`requires 1 × 0.95, then uses 0.6 × 0.98 × 0.5 = 0.279`, the last factor by distance."""
    steps = []
    for link, step in zip(chain.links, chain_factors(chain), strict=True):
        factors = [f"{link.relation} {step.kind:.3g}"]
        if step.confidence != 1:
            factors.append(f"{step.confidence:.3g}")
        if step.decay != 1:
            turn = " for the turn" if step.turns else ""
            factors.append(f"{step.decay:.3g}{turn}{' to the same' if step.turns > 1 else ''}")
        steps.append(" × ".join(factors))
    return f"{', then '.join(steps)} = {chain.score:.3g}"


def why_first(chains: Sequence[Chain]) -> str:
    """By what the second chain lost to the first, in factors that multiply to its share."""
    if len(chains) < 2 or not chains[0].score:
        return "" if not chains else "no other chain was found"
    factors = [chain_factors(chain) for chain in chains[:2]]
    names = {"kind": "kinds of relation", "confidence": "confidence", "decay": "length and turns"}
    parts = []
    for name, text in names.items():
        first, second = (math.prod(getattr(step, name) for step in steps) for steps in factors)
        ratio = second / first if first else 1.0
        if abs(ratio - 1) > _EQUAL:
            parts.append(f"× {ratio:.3g} by {text}")
    if not parts:
        return "the second weighs the same; ties go by name"
    share = chains[1].score / chains[0].score
    return f"the second weighs {share:.0%} of the first: {', '.join(parts)}"


# --- neighbours ---------------------------------------------------------------------------

MOST = 8
"""Neighbours of a node that are looked at: a question has room for fewer."""
Neighbours = Mapping[str, tuple[tuple[str, float], ...]]
"""The names of a node's neighbours with the weights of the edges, the heaviest first."""


def graph_neighbours(catalogue: Catalogue) -> Callable[[str, str], Sequence[tuple[str, float]]]:
    """A function that gives the neighbours of a node, by its id, in a collection."""
    counts = catalogue.counts()

    @cache
    def neighbours(collection: str) -> Neighbours:
        if not {"node", "edge"} <= counts.get(collection, {}).keys():
            return {}
        return _read_neighbours(list(catalogue.each(collection)))

    return lambda node, collection: neighbours(collection).get(node, ())


def _read_neighbours(passages: Sequence[Passage]) -> Neighbours:
    names = {
        str(passage.metadata["node"]): str(passage.metadata.get("name", passage.metadata["node"]))
        for passage in passages
        if passage.kind == "node" and "node" in passage.metadata
    }
    weights: dict[str, dict[str, float]] = {}
    for passage in passages:
        ends = [str(passage.metadata.get(end, "")) for end in ("source", "target")]
        if passage.kind != "edge" or not set(ends) <= names.keys() or ends[0] == ends[1]:
            continue
        value = passage.metadata.get("weight")
        usable = isinstance(value, int | float) and 0 <= value < math.inf
        # At most 1: a neighbour's name never weighs more than another name of the node itself.
        weight = min(float(value), 1.0) if usable and isinstance(value, int | float) else 1.0
        for here, there in (ends, ends[::-1]):
            near = weights.setdefault(here, {})
            near[names[there]] = max(near.get(names[there], 0.0), weight)
    return {
        node: tuple(sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST])
        for node, near in weights.items()
    }
