"""Which places lie on paths that match a question? (being written)"""

from __future__ import annotations

from consilience.protocols import StoreKind
from consilience.sources.ladybug import GRAPH, GraphNodes
from consilience.types import EDGE_KINDS, NODE_KINDS

PLACES = StoreKind(
    kinds=NODE_KINDS | EDGE_KINDS,
    file="graph.lbug",
    open=GRAPH.open,
    sources=lambda store, shelf: [
        GraphNodes(store, f"{shelf.collection}/graph", lookup=shelf.lookup)
    ],
    packs=frozenset({"travel"}),
    replaces=frozenset({"graph"}),
)
