"""Which engines hold a collection? Those whose plug-ins take its kinds of passages.

Each collection has a folder, and each store its file in it. Stores are opened when first needed,
by the process that owns the workspace, and closed together. Any thread may ask for one.

A store that fails costs only itself: the others are indexed and searched. One that cannot be opened
is left out; one that cannot be written to is searched as it is. A store that misses a change is
marked on disk as behind; the next indexing that can open it empties it and writes it anew. What the
store for passages misses stays in the queue.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import cast

from consilience import plugins
from consilience.errors import ConsilienceError, DiskFull, StoreError, UsageError, WorkspaceBusy
from consilience.evidence.size_limits import TO_OPEN, TO_WRITE, check_free_space
from consilience.evidence.token_store import disk_size
from consilience.protocols import (
    FederatedSource,
    PassageStore,
    Renewable,
    Retriever,
    Shelf,
    Store,
    StoreKind,
    Vectors,
)
from consilience.settings import SERVERS, Settings
from consilience.stores.federated import FederatedRetriever
from consilience.types import Passage

PASSAGES = "passages"
HANDLE = "@"
"""In the names of files that stand for a store on a server, behind the name of the store."""
_BEHIND = ".behind"
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
    """The open stores of a workspace, by collection and kind of store.

    `failed` are those that cannot be used, with the reason: plug-ins by their names, stores as
    COLLECTION/NAME. `incomplete` are those that can be searched and failed otherwise.
    """

    def __init__(
        self, folder: Path, shelf_of: Callable[[str], Shelf], *, settings: Settings | None = None
    ) -> None:
        self._folder = folder
        self._settings = settings or Settings()
        self.failed: dict[str, str] = {}
        self.incomplete: dict[str, str] = {}
        self._shelf_of = shelf_of
        self._open: dict[tuple[str, str], Store] = {}
        self._sources: dict[tuple[str, str], list[Retriever]] = {}
        self._opening = RLock()  # guards both

    def store(self, collection: str, name: str) -> Store:
        """One store of a collection, made if it is not there; `StoreError` if it cannot be used."""
        key = (collection, name)
        with self._opening:
            if reason := self.failed.get(f"{collection}/{name}"):
                raise StoreError(f"the store '{collection}/{name}' cannot be used: {reason}")
            if key not in self._open:
                path = self._path(collection, name)
                is_new = not path.exists()
                check_free_space(
                    path, TO_WRITE if is_new else TO_OPEN, "make a store" if is_new else "open it"
                )
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    self._open[key] = self._kinds[name].open(path, self._shelf_of(collection))
                except (UsageError, WorkspaceBusy, DiskFull):
                    raise
                except Exception as error:
                    self.failed[f"{collection}/{name}"] = _reason(error)
                    raise
            return self._open[key]

    def passages(self, collection: str) -> PassageStore:
        """The store of every passage of a collection that is searched as text."""
        return cast("PassageStore", self.store(collection, self.passage_store))

    def has_passages(self, collection: str) -> bool:
        """Whether the store for passages works, as far as is known."""
        key = f"{collection}/{self.passage_store}"
        return key not in self.failed and key not in self.incomplete

    def check_passages(self, collection: str) -> None:
        """Raise `StoreError` if the store for passages failed."""
        if not self.has_passages(collection):
            self._working(collection, self.passage_store)

    @cached_property
    def passage_store(self) -> str:
        """The name of the store for passages: `passages`, or what replaces it."""
        replacing = [name for name, kind in self._kinds.items() if PASSAGES in kind.replaces]
        if len(replacing) > 1:
            raise UsageError(f"two stores replace {PASSAGES!r}: {', '.join(replacing)}; use one")
        name = replacing[0] if replacing else PASSAGES
        if name not in self._kinds:
            raise StoreError(f"the store {name!r} cannot be loaded: {self.failed.get(name)}")
        return name

    def searched(self, kinds: Iterable[str]) -> list[str]:
        """Those of these kinds that are searched as text."""
        return self._taken(self.passage_store, kinds)

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> bool:
        """Write passages of one collection to its stores, to each the kinds that it takes.

        False when the store for passages does not have them.
        """
        collection = passages[0].collection
        check_free_space(self._folder, TO_WRITE, "write to its stores")
        for name in self._taking({passage.kind for passage in passages}):
            takes = self._kinds[name].takes
            places = [at for at, passage in enumerate(passages) if takes(passage.kind)]
            with self.isolate(collection, name, changing=True):
                store = self._working(collection, name)
                if len(places) == len(passages):
                    store.write(passages, vectors)
                else:
                    rows = None if vectors is None else vectors[places]
                    store.write([passages[at] for at in places], rows)
        return self.has_passages(collection)

    def remove(self, collection: str, ids: Sequence[str]) -> bool:
        """Remove passages from the stores that are on disk; False if that for passages fails."""
        check_free_space(self._folder, TO_WRITE, "remove from its stores")
        for name in self._kinds:
            if self._path(collection, name).exists():
                with self.isolate(collection, name, changing=True):
                    self._working(collection, name).remove(ids)
        return self.has_passages(collection)

    @property
    def is_published(self) -> bool:
        """Whether no rebuild on a server waits for `optimize` to have it searched."""
        with self._opening:
            opened = list(self._open.values())
        return all(store.is_published for store in opened if isinstance(store, Renewable))

    def optimize(self) -> None:
        """Have the open stores for passages do what is worth doing after much was written."""
        with self._opening:
            opened = [collection for collection, name in self._open if name == self.passage_store]
        for collection in opened:
            files = self._path(collection, self.passage_store).rglob("*")
            size = sum(map(disk_size, files))
            check_free_space(self._folder, TO_WRITE + size, "write its vectors anew")
            with self.isolate(collection, self.passage_store):
                self.passages(collection).optimize()

    def absent(
        self, collection: str, kinds: Iterable[str], *, behind: bool = True
    ) -> list[tuple[str, list[str]]]:
        """The stores that are not on disk, each with those of the kinds it takes.

        With `behind` also those that lack something.
        """
        present = sorted(set(kinds))
        return [
            (name, self._taken(name, present))
            for name in self._taking(present)
            if not self._path(collection, name).exists()
            or (behind and self._mark(collection, name).exists())
        ]

    def create(self, collection: str, name: str) -> bool:
        """Create a store, or empty one that is behind; False if it cannot be opened.

        It counts as behind until `complete` says that everything is queued for it.
        """
        mark = self._mark(collection, name)
        was_behind = mark.exists()
        with self.isolate(collection, name, changing=True):
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            self._outdate_others(collection, name)
            self.store(collection, name)
            if was_behind:
                self._empty(collection, name)
        key = f"{collection}/{name}"
        return key not in self.failed and key not in self.incomplete

    def complete(self, collection: str, name: str) -> None:
        """Note that all that a new store takes is queued for it."""
        self._mark(collection, name).unlink()

    def retry(self) -> None:
        """Try stores again that could not be used."""
        with self._opening:
            self.failed = {key: reason for key, reason in self.failed.items() if "/" not in key}
            self.incomplete = {}

    def notes(self) -> list[str]:
        """What a person should know of the stores."""
        with self._opening:
            behind = {
                f"{collection}/{name}": "run `consilience add`"
                for collection, name in self._open
                if self._mark(collection, name).exists()
            }
            return [
                *(f"the store {key!r} is left out: {why}" for key, why in self.failed.items()),
                *(
                    f"the store {key!r} is not complete: {why}"
                    for key, why in {**behind, **self.incomplete}.items()
                    if key not in self.failed
                ),
            ]

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds.

        They are made once for each open store: each has threads of its own.
        """
        found: list[Retriever] = []
        with self._opening:
            for name in self._taking(kinds):
                try:
                    found += self._sources_of(collection, name)
                except (UsageError, WorkspaceBusy, DiskFull):
                    raise
                except Exception as error:  # noqa: BLE001 - whatever an engine raises
                    self.failed.setdefault(f"{collection}/{name}", _reason(error))
        return found

    @contextmanager
    def isolate(self, collection: str, name: str, *, changing: bool = False) -> Iterator[None]:
        """Run code that uses a store; its failure is recorded, and the others go on.

        With `changing` a failure leaves it behind. A mistake of the user and a workspace that
        another process holds are errors for all.
        """
        key = f"{collection}/{name}"
        try:
            yield
        except (UsageError, WorkspaceBusy, DiskFull):
            raise
        except Exception as error:  # noqa: BLE001 - whatever an engine raises
            with self._opening:
                if key not in self.failed:
                    self.incomplete.setdefault(key, _reason(error))
            if changing and name != self.passage_store:
                try:
                    self._mark(collection, name).touch()
                except OSError:
                    raise error from None

    def close(self) -> None:
        """Write everything to disk and let go of it."""
        with self._opening:
            opened, self._open, self._sources = self._open, {}, {}
        for (collection, name), store in opened.items():
            with self.isolate(collection, name):
                store.close()

    def wipe(self) -> None:
        """Have every store built again from the catalogue.

        Those on disk are removed; those on servers are searched until their successors are full.
        """
        self.close()
        for path in self._folder.glob("*/*"):
            if HANDLE in path.name:
                path.with_name(f"{path.name.removesuffix(_BEHIND)}{_BEHIND}").touch()
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    @cached_property
    def _kinds(self) -> Mapping[str, StoreKind]:
        kinds = dict(self._embedded)
        for role in SERVERS:
            if address := self._settings.value(f"store.{role}"):
                kinds[role] = self._open_server(role, address, kinds)
        return kinds

    def _open_server(self, role: str, address: str, kinds: Mapping[str, StoreKind]) -> StoreKind:
        """The kind of store that takes a role's place on a server."""
        if role not in kinds:
            others = [name for name, kind in kinds.items() if role in kind.replaces]
            raise UsageError(
                f"store.{role} is set, but in a workspace of the pack {self._settings.pack!r} "
                f"{' and '.join(others) or 'another store'} takes the place of {role}, and is "
                "kept on this machine; leave the setting empty"
            )
        scheme = address.partition("://")[0]
        known = plugins.find("servers")
        if f"{role}.{scheme}" not in known:
            schemes = [name.partition(".")[2] for name in known if name.startswith(f"{role}.")]
            raise UsageError(
                f"store.{role} has an address that begins with {scheme[:20]!r}; known: "
                f"{', '.join(f'{each}://' for each in schemes)}"
            )
        kind: StoreKind = plugins.load("servers", f"{role}.{scheme}")(self._settings)
        return kind

    @cached_property
    def _embedded(self) -> Mapping[str, StoreKind]:
        loaded = plugins.load_active("stores", self._settings)
        self.failed.update(loaded.errors)
        kinds: Mapping[str, StoreKind] = loaded.found
        pack = self._settings.pack
        here = {name: kind for name, kind in kinds.items() if not kind.packs or pack in kind.packs}
        replaced = {name for kind in here.values() for name in kind.replaces}
        return {name: kind for name, kind in here.items() if name not in replaced}

    def _working(self, collection: str, name: str) -> Store:
        """A store that did not fail since it was last tried."""
        if reason := self.incomplete.get(f"{collection}/{name}"):
            raise StoreError(f"the store '{collection}/{name}' cannot be used: {reason}")
        return self.store(collection, name)

    def _sources_of(self, collection: str, name: str) -> list[Retriever]:
        key = (collection, name)
        if key not in self._sources:
            store, shelf = self.store(collection, name), self._shelf_of(collection)
            self._sources[key] = list(self._kinds[name].sources(store, shelf))
        return self._sources[key]

    def _empty(self, collection: str, name: str) -> None:
        """Replace a store that is behind by an empty one."""
        path = self._path(collection, name)
        with self._opening:
            store = self._open[collection, name]
            if isinstance(store, Renewable):
                store.renew()
                return
            self._sources.pop((collection, name), None)
            self._open.pop((collection, name)).close()
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            self.store(collection, name)

    def _taking(self, kinds: Iterable[str]) -> list[str]:
        present = set(kinds)
        return [name for name in self._kinds if self._taken(name, present)]

    def _taken(self, name: str, kinds: Iterable[str]) -> list[str]:
        return [kind for kind in kinds if self._kinds[name].takes(kind)]

    def _path(self, collection: str, name: str) -> Path:
        return self._folder / check_collection_name(collection) / self._kinds[name].file

    def _mark(self, collection: str, name: str) -> Path:
        """The file that says that a store lacks something, or keeps what is gone."""
        path = self._path(collection, name)
        return path.with_name(f"{path.name}{_BEHIND}")

    def _outdate_others(self, collection: str, name: str) -> None:
        """Mark what this store was kept in before, elsewhere: it will miss what changes now."""
        path = self._path(collection, name)
        places = set(path.parent.glob(f"{name}{HANDLE}*"))
        if name in self._embedded:
            places.add(path.with_name(self._embedded[name].file))
        for place in places - {path}:
            if place.exists() and not place.name.endswith(_BEHIND):
                place.with_name(f"{place.name}{_BEHIND}").touch()


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ConsilienceError) else f"{type(error).__name__}: {error}"


def open_federated(settings: Settings) -> tuple[list[Retriever], dict[str, str]]:
    """The federated sources that the settings name, and the errors of the others."""
    loaded = plugins.load_active("federated", settings)
    found: Mapping[str, FederatedSource] = loaded.found
    sources: list[Retriever] = [
        FederatedRetriever(check_collection_name(name), source) for name, source in found.items()
    ]
    return sources, dict(loaded.errors)
