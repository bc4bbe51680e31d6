"""Which packs are installed, and which of them cannot be loaded?

A pack that somebody else wrote may fail to import. It costs only itself: the others work, and
`consilience doctor` shows the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from consilience import plugins
from consilience.pack import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPacks:
    """The packs that could be loaded, and the errors of the others, by name."""

    packs: Mapping[str, Pack]
    errors: Mapping[str, str]


@cache
def load_packs() -> InstalledPacks:
    """Load all installed packs once. This imports no implementation: packs defer that."""
    packs: dict[str, Pack] = {}
    errors: dict[str, str] = {}
    for name, point in plugins.find("packs").items():
        try:
            pack = point.load()
            if isinstance(pack, Pack):
                packs[name] = pack
            else:
                errors[name] = f"{point.value} is a {type(pack).__name__} and not a Pack"
        except Exception as error:  # noqa: BLE001 - a pack may raise anything
            errors[name] = f"{point.value}: {type(error).__name__}: {error}"
    return InstalledPacks(packs=packs, errors=errors)
