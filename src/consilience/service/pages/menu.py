"""Which pages does a workspace have? One of paths only where a graph is there to look for them."""

from __future__ import annotations

from consilience.service.core import Service
from consilience.types import EDGE_KINDS, NODE_KINDS

_JOINED = NODE_KINDS | EDGE_KINDS


def has_graph(service: Service, name: str) -> bool:
    """Whether a workspace holds things that are joined by links."""
    space = service.spaces.get(name)
    counts = space.workspace.catalogue.counts() if space else {}
    return any(_JOINED & kinds.keys() for kinds in counts.values())
