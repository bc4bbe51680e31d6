"""How do two things connect? By chains of relations that a graph holds, each told by a passage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.kinds import node_kinds
from consilience.names import mentioned, surface
from consilience.pack import Pack
from consilience.pipeline import Engine
from consilience.protocols import Connector
from consilience.sources._joining import REACH
from consilience.sources._paths import STATED
from consilience.threads import finished
from consilience.types import Chain, Passage

_NEAR = 3
_LIKE = 0.7  # of two spellings, by `difflib`
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
            "this workspace holds no graph; add one, a file that ends in .concepts.yaml or "
            ".graph.jsonl, with `consilience add`"
        )
    pack = engine.knowledge.pack
    starts, ends = named(catalogue, start, pack), named(catalogue, end, pack)
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


def farthest(catalogue: Catalogue) -> int:
    """How many steps a chain can have at most, where what it joins are statements or not."""
    stated = any("inverse" in fields for fields in catalogue.fields().values())
    return STATED if stated else 2 * REACH


def named(catalogue: Catalogue, name: str, pack: Pack) -> Nodes:
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
        raise UsageError(f"no graph here names {name!r}{_near(catalogue, name)}")
    return found


def _either(one: Nodes, other: Nodes) -> Nodes:
    return {
        collection: tuple(dict.fromkeys((*one.get(collection, ()), *other.get(collection, ()))))
        for collection in (*one, *other)
    }


def _nodes(catalogue: Catalogue, name: str) -> Nodes:
    """What a name is said to name; a node whose own name it is goes before others so called."""
    found = [one for one in mentioned(name, catalogue.mentions) if one.role == "node"]
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


def _near(catalogue: Catalogue, name: str) -> str:
    """`; did you mean 'Bell Rock'?`, or where to find the names that there are."""
    words = surface(name)
    spelt: dict[str, str] = {}
    for passage in _told(catalogue):
        for one in _spelt(passage):
            spelt.setdefault(surface(one), one)
    near = get_close_matches(words, spelt, n=_NEAR, cutoff=_LIKE)
    inside = [one for one in spelt if set(words.split()) & set(one.split())]
    told = list(dict.fromkeys(spelt[one] for one in (*near, *sorted(inside, key=len))))[:_NEAR]
    if not told:
        return "; a search for it shows what comes near"
    return f"; did you mean {' or '.join(map(repr, told))}?"


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
