"""How do two things connect? By chains of relations that a graph holds, each told by a passage."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from difflib import get_close_matches

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.names import mentioned, surface
from consilience.pipeline import Engine
from consilience.protocols import Connector
from consilience.threads import finished
from consilience.types import Chain

_NEAR = 3
_SHORT = 3  # letters
Nodes = Mapping[str, tuple[str, ...]]
"""What a name stands for: ids of nodes, by the collection that has them."""


def connected(
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
            "this workspace holds no graph; add one, a file that ends in .graph.jsonl, with "
            "`consilience add`"
        )
    starts, ends = _nodes(catalogue, start), _nodes(catalogue, end)
    if starts == ends:
        raise UsageError(f"{start!r} and {end!r} are the same thing; name two")

    async def ask() -> list[Chain]:
        asked = [
            source.connect(starts[collection], ends[collection], limit=limit)
            for name, source in sorted(connectors.items())
            if (collection := engine.sources[name].collection) in starts.keys() & ends.keys()
        ]
        return [chain for found in await asyncio.gather(*asked) for chain in found]

    chains = sorted(finished(ask()), key=lambda one: (-one.score, one.passage.id))[:limit]
    catalogue.keep_made([one.passage for one in chains if len(one.links) > 1])
    return chains


def _nodes(catalogue: Catalogue, name: str) -> Nodes:
    """The nodes that a name stands for: as a question would name them, or by their own id."""
    found = [one for one in mentioned(name, catalogue.mentions) if one.role == "node"]
    if len({one.surface for one in found}) > 1:
        several = " and ".join(dict.fromkeys(repr(one.surface) for one in found))
        raise UsageError(f"{name!r} names several things, {several}; name one")
    nodes: dict[str, tuple[str, ...]] = {}
    for one in found:
        nodes[one.collection] = (*nodes.get(one.collection, ()), one.value)
    known = nodes or _by_id(catalogue, name) or _unlisted(catalogue, name)
    if not known:
        raise UsageError(f"no graph here names {name!r}{_near(catalogue, name)}")
    return known


def _by_id(catalogue: Catalogue, name: str) -> Nodes:
    return {one: (name,) for one in catalogue.counts() if catalogue.aliases(name, one)}


def _unlisted(catalogue: Catalogue, name: str) -> Nodes:
    """Nodes called by a letter or a number: no question could mean them, but here they are meant.

    The catalogue does not list such names, so its nodes are looked through.
    """
    wanted = surface(name)
    if not wanted or not (len(wanted) < _SHORT or wanted.replace(" ", "").isdigit()):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for collection, kinds in catalogue.counts().items():
        for passage in catalogue.each(collection) if "node" in kinds else ():
            spelt = (passage.metadata.get(field) for field in ("node", "name"))
            if passage.kind == "node" and wanted in {surface(str(one)) for one in spelt}:
                node = str(passage.metadata.get("node"))
                found[collection] = (*found.get(collection, ()), node)
    return found


def _near(catalogue: Catalogue, name: str) -> str:
    """`; did you mean 'Bell Rock'?`, or where to find the names that there are."""
    words = surface(name)
    spellings = {surface(one): one for one in catalogue.names_near(words.split())}
    known = {one.surface for one in catalogue.mentions(list(spellings)) if one.role == "node"}
    near = get_close_matches(words, sorted(known), n=_NEAR)
    inside = [one for one in sorted(known) if set(words.split()) & set(one.split())]
    told = list(dict.fromkeys((*near, *inside)))[:_NEAR]
    if not told:
        return "; a search for it shows what comes near"
    return f"; did you mean {' or '.join(repr(spellings[one]) for one in told)}?"
