"""Which engines hold a collection? Those whose plug-ins take its kinds of passages.

Each collection has a folder, and each store its file in it. Stores are opened when first needed,
by the process that owns the workspace, and closed together. Any thread may ask for one.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import cast

from consilience import plugins
from consilience.errors import UsageError
from consilience.protocols import Retriever, Shelf, Store, StoreKind
from consilience.settings import Settings
from consilience.stores.qdrant_edge import EdgeStore

PASSAGES = "passages"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")


def check_collection_name(name: str) -> str:
    """A collection's name is a folder's name too, so it is kept plain."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a collection; use small letters, digits, - and _, "
            "starting with a letter"
        )
    return name


class Stores:
    """The open stores of a workspace, by collection and kind of store."""

    def __init__(
        self, folder: Path, shelf_of: Callable[[str], Shelf], *, settings: Settings | None = None
    ) -> None:
        self._folder = folder
        self._settings = settings or Settings()
        self.failed: dict[str, str] = {}  # stores whose plug-in cannot be imported, with the reason
        self._shelf_of = shelf_of
        self._open: dict[tuple[str, str], Store] = {}
        self._asked: dict[tuple[str, str], list[Retriever]] = {}
        self._opening = RLock()  # guards both

    def store(self, collection: str, name: str) -> Store:
        """One store of a collection, made if it is not there."""
        key = (collection, name)
        with self._opening:
            if key not in self._open:
                path = self._path(collection, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                self._open[key] = self._kinds[name].open(path, self._shelf_of(collection))
            return self._open[key]

    def passages(self, collection: str) -> EdgeStore:
        """The store of every passage of a collection that is searched as text."""
        return cast("EdgeStore", self.store(collection, PASSAGES))

    def searched(self, kinds: Iterable[str]) -> list[str]:
        """Those of these kinds that are searched as text."""
        return self._taken(PASSAGES, kinds)

    def taking(self, collection: str, kinds: Iterable[str]) -> list[tuple[Store, list[str]]]:
        """The stores that take passages of these kinds, each with those of the kinds it takes."""
        present = sorted(set(kinds))
        return [
            (self.store(collection, name), self._taken(name, present))
            for name in self._taking(present)
        ]

    def existing(self, collection: str) -> list[Store]:
        """The stores that are on disk."""
        there = [name for name in self._kinds if self._path(collection, name).exists()]
        return [self.store(collection, name) for name in there]

    def absent(self, collection: str, kinds: Iterable[str]) -> list[tuple[str, list[str]]]:
        """The stores that should be on disk and are not, each with those of the kinds it takes."""
        present = sorted(set(kinds))
        return [
            (name, self._taken(name, present))
            for name in self._taking(present)
            if not self._path(collection, name).exists()
        ]

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds.

        They are made once for each open store: each has threads of its own.
        """
        with self._opening:
            return [source for name in self._taking(kinds) for source in self._of(collection, name)]

    def _of(self, collection: str, name: str) -> list[Retriever]:
        key = (collection, name)
        if key not in self._asked:
            store, shelf = self.store(collection, name), self._shelf_of(collection)
            self._asked[key] = list(self._kinds[name].sources(store, shelf))
        return self._asked[key]

    def shards(self) -> list[EdgeStore]:
        """The passage stores that are open."""
        with self._opening:
            opened = list(self._open.items())
        return [cast("EdgeStore", one) for (_, name), one in opened if name == PASSAGES]

    def close(self) -> None:
        """Write everything to disk and let go of it."""
        with self._opening:
            opened, self._open, self._asked = self._open, {}, {}
        for store in opened.values():
            store.close()

    def wipe(self) -> None:
        """Remove every store from disk; the catalogue can build them again."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def _kinds(self) -> Mapping[str, StoreKind]:
        loaded: dict[str, StoreKind] = {}
        for name, point in plugins.active("stores", self._settings).items():
            try:
                loaded[name] = point.load()
            except Exception as error:
                if plugins.distribution(point) == "consilience":
                    raise
                self.failed[name] = f"{type(error).__name__}: {error}"
        pack = self._settings.pack
        here = {name: kind for name, kind in loaded.items() if not kind.packs or pack in kind.packs}
        replaced = {name for kind in here.values() for name in kind.replaces}
        return {name: kind for name, kind in here.items() if name not in replaced}

    def _taking(self, kinds: Iterable[str]) -> list[str]:
        present = set(kinds)
        return [name for name in self._kinds if self._taken(name, present)]

    def _taken(self, name: str, kinds: Iterable[str]) -> list[str]:
        return [kind for kind in kinds if self._kinds[name].takes(kind)]

    def _path(self, collection: str, name: str) -> Path:
        return self._folder / check_collection_name(collection) / self._kinds[name].file
