"""Which pages does a workspace have? One of paths only where a graph is there to look for them,
and one of trips only where there are places to travel to.
"""

from __future__ import annotations

from consilience.kinds import graph_kinds
from consilience.service.core import Service
from consilience.workspace import touring


def has_graph(service: Service, name: str) -> bool:
    """Whether a workspace holds things that are joined by links."""
    space = service.spaces.get(name)
    counts = space.workspace.catalogue.counts() if space else {}
    return any(graph_kinds() & kinds.keys() for kinds in counts.values())


def has_trips(service: Service, name: str) -> bool:
    """Whether trips are planned in a workspace."""
    space = service.spaces.get(name)
    return space is not None and space.workspace.pack.name == touring.PACK
