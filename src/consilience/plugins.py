"""Which loaders, stores, models and packs are there? Entry points; built-ins use the same door.

Two packages that claim one name are refused, naming both: which one wins must not depend on
the order of installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from consilience.errors import UsageError
from consilience.settings import Settings

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


def active(group: str, settings: Settings) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group that are active in a workspace with these settings.

    Built-ins always are. A plug-in of another distribution is active where the settings have a
    table `[plugins.NAME]`, which may be empty, or where it comes with the workspace's pack.
    """
    pack = find("packs").get(settings.pack)
    owners = {"consilience", distribution(pack) if pack else ""}
    return {
        name: point
        for name, point in find(group).items()
        if distribution(point) in owners or name in settings.plugins
    }


def distribution(point: EntryPoint) -> str:
    """The name of the distribution that a plug-in comes from; `?` where it is unknown."""
    return point.dist.name if point.dist else "?"


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
