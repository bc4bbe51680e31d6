"""Which loaders, stores, models and packs are there? Entry points; built-ins use the same door.

A plug-in that cannot be loaded costs only itself: `doctor` shows its error. Two packages that claim
one name are refused, naming both: which one wins must not depend on the order of installation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from consilience.errors import MissingExtra, UsageError
from consilience.protocols import Format, StoreKind
from consilience.settings import Settings

GROUPS = {
    "loaders": "consilience.loaders",
    "stores": "consilience.stores",
    "servers": "consilience.servers",
    "federated": "consilience.federated",
    "embedders": "consilience.embedders",
    "rerankers": "consilience.rerankers",
    "generators": "consilience.generators",
    "packs": "consilience.packs",
}
_TYPES: Mapping[str, type] = {"loaders": Format, "stores": StoreKind}
_OURS = "consilience"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The plug-ins that could be loaded, and the errors of the others, by name."""

    found: Mapping[str, Any]
    errors: Mapping[str, str]


def find(group: str) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group by name, not yet imported."""
    return by_name(group, entry_points(group=GROUPS[group]))


def active(group: str, settings: Settings) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group that are active in a workspace with these settings.

    Built-ins are, without the stores of other packs. A plug-in of another distribution is active
    where the settings have a table `[plugins.NAME]`, which may be empty, or where it comes with the
    workspace's pack.
    """
    pack = find("packs").get(settings.pack)

    def is_active(point: EntryPoint) -> bool:
        if point.name in settings.plugins:
            return True
        if distribution(point) == _OURS:
            return group == "loaders" or _pack_of(point) in (None, settings.pack)
        return pack is not None and distribution(point) == distribution(pack)

    return {name: point for name, point in find(group).items() if is_active(point)}


def load_active(group: str, settings: Settings) -> Loaded:
    """Import the active plug-ins of a group; a function among them is called with its table.

    What is missing for a pack that this workspace does not use is no error here.
    """
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, point in active(group, settings).items():
        try:
            plugin = point.load()
            plugin = plugin(settings.plugin(name)) if callable(plugin) else plugin
            wanted = _TYPES.get(group, object)
            if not isinstance(plugin, wanted):
                raise TypeError(f"it is a {type(plugin).__name__} and not a {wanted.__name__}")
            found[name] = plugin
        except Exception as error:  # noqa: BLE001 - code of others
            if name in settings.plugins or _pack_of(point) in (None, settings.pack):
                errors[name] = describe_failure(point, error)
    return Loaded(found=found, errors=errors)


def load(group: str, name: str) -> Any:
    """Import one plug-in; an unknown name is refused with the known ones."""
    points = find(group)
    if name not in points:
        raise UsageError(f"unknown {group[:-1]} {name!r}; known: {', '.join(points) or 'none'}")
    try:
        return points[name].load()
    except MissingExtra:
        raise
    except Exception as error:
        raise UsageError(
            f"the {group[:-1]} {name!r} cannot be loaded: {describe_failure(points[name], error)}"
        ) from error


def describe_failure(point: EntryPoint, error: Exception) -> str:
    """Why a plug-in cannot be used, whose it is, and what to do."""
    return f"{type(error).__name__}: {error}; update or uninstall {_owner(point)}"


def distribution(point: EntryPoint) -> str:
    """The name of the distribution that a plug-in comes from; `?` where it is unknown."""
    return point.dist.name if point.dist else "?"


def by_name(group: str, points: Iterable[EntryPoint]) -> Mapping[str, EntryPoint]:
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


def _pack_of(point: EntryPoint) -> str | None:
    """The pack in whose Python package a plug-in is; None for one that is in no pack."""
    for name, pack in find("packs").items():
        if f"{point.module}.".startswith(f"{pack.module}."):
            return name
    return None


def _owner(point: EntryPoint) -> str:
    return f"{point.dist.name if point.dist else 'unknown package'} ({point.value})"
