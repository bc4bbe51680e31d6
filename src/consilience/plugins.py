"""Which loaders, stores, models and packs are there? Entry points; built-ins use the same door.

Two packages that claim one name are refused, naming both: which one wins must not depend on
the order of installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from consilience.errors import UsageError

GROUPS = {
    "loaders": "consilience.loaders",
    "stores": "consilience.stores",
    "embedders": "consilience.embedders",
    "rerankers": "consilience.rerankers",
    "generators": "consilience.generators",
    "packs": "consilience.packs",
}


def find(group: str) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group by name, not yet imported."""
    return by_name(group, entry_points(group=GROUPS[group]))


def by_name(group: str, points: Any) -> Mapping[str, EntryPoint]:
    """Index entry points by name; a clash is refused."""
    found: dict[str, EntryPoint] = {}
    for point in points:
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise UsageError(
                f"two plug-ins claim the name {point.name!r} among {group}: "
                f"{_owner(other)} and {_owner(point)}; uninstall one"
            )
    return dict(sorted(found.items()))


def load(group: str, name: str) -> Any:
    """Import one plug-in; an unknown name is refused with the known ones."""
    points = find(group)
    if name not in points:
        raise UsageError(f"unknown {group[:-1]} {name!r}; known: {', '.join(points) or 'none'}")
    return points[name].load()


def _owner(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "unknown package"
    return f"{package} ({point.value})"
