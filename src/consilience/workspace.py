"""What does a person open? A workspace: a folder with settings and the stores built from it.

`open_workspace` owns the folder until it is closed: it can search and take evidence in.
`Workspace.peek` only reads the catalogue, which any number of processes may do at any time.
"""

from __future__ import annotations

import asyncio
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from consilience import ingest, plugins
from consilience.catalogue import Catalogue
from consilience.errors import MissingWorkspace, StoreError, UsageError
from consilience.lock import owning
from consilience.models import QueryVectors, open_embedder, open_reranker
from consilience.names import Mention, surface
from consilience.packs import Pack
from consilience.pipeline import Engine, search
from consilience.plan import Knowledge
from consilience.protocols import Embedder, Reranker, Retriever, Shelf
from consilience.settings import FILE, Settings, read_settings
from consilience.stores import Stores
from consilience.types import Filter, Note, Passage, Query, Result

STORE = ".consilience"
_TEMPLATE = """\
# A Consilience workspace. `consilience settings` lists every setting with its meaning.
pack = "{pack}"
"""


def find_workspace(start: Path) -> Path:
    """The nearest folder upwards that has a `consilience.toml`."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder
    raise MissingWorkspace(
        f"no {FILE} in {start} or above it; make a workspace with `consilience init DIR`, "
        "or name one with -w DIR"
    )


def init_workspace(folder: Path, *, pack: str = "general") -> Path:
    """Make a workspace of a folder; one that is there already is refused."""
    plugins.load("packs", pack)
    if (folder / FILE).exists():
        raise UsageError(f"{folder} is a workspace already; add to it with `consilience add`")
    try:
        (folder / STORE).mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(_TEMPLATE.format(pack=pack), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot make a workspace in {folder}: {error.strerror}") from error
    return folder


def copy_sample(folder: Path, pack: str) -> Path:
    """Copy a pack's sample files into a workspace; the folder they went to."""
    sample = plugins.load("packs", pack).sample
    if sample is None:
        raise UsageError(f"the pack {pack!r} has no sample; leave out --sample")
    target = folder / "sample"
    shutil.copytree(sample, target, dirs_exist_ok=True)
    return target


def open_workspace(
    folder: str | Path,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> Workspace:
    """Open a workspace for searching and adding; close it, or use it as a context.

    Settings and models are those of the folder unless others are given.
    """
    home = find_workspace(Path(folder))
    return Workspace(home, settings=settings, embedder=embedder, reranker=reranker)


class Workspace:
    """An open workspace. It belongs to this process until it is closed."""

    def __init__(
        self,
        folder: Path,
        *,
        command: str = "open_workspace",
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self.settings = settings or read_settings(folder)
        self._given = (embedder, reranker)
        self.pack: Pack = plugins.load("packs", self.settings.pack)
        self._closing = ExitStack()
        store = _store_folder(folder)
        wait_s = self.settings.store.wait_s
        self._closing.enter_context(owning(store, command=command, wait_s=wait_s))
        with self._closing.pop_all() as undo:  # an error below must not keep the lock
            self.catalogue = Catalogue(store / "catalogue.db")
            undo.callback(self.catalogue.close)
            self._closing = undo.pop_all()

    @staticmethod
    def peek(folder: str | Path) -> Catalogue:
        """The catalogue alone, to read: for status and for showing passages."""
        store = _store_folder(find_workspace(Path(folder)))
        return Catalogue(store / "catalogue.db")

    # --- asking -------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        filters: Sequence[Filter] = (),
        collections: Sequence[str] = (),
    ) -> Result:
        """Ask in words; the hits come best first, each with its reasons."""
        query = Query(
            text=text, limit=limit, filters=tuple(filters), collections=tuple(collections)
        )
        return self.ask(query)

    def ask(self, query: Query) -> Result:
        """Answer a query. Inside a running event loop use `await search(query, engine)`."""
        result = asyncio.run(search(query, self.engine))
        self.catalogue.keep_made(_made(result))
        pending = self.catalogue.pending_count()
        if not pending:
            return result
        note = Note("workspace", f"{pending} passages are not indexed yet; run `consilience add`")
        return replace(result, notes=(note, *result.notes))

    @cached_property
    def engine(self) -> Engine:
        """What a search needs, opened when first asked for."""
        ingest.check_model(self.catalogue, self.embedder)
        ingest.check_language(self.catalogue, self.settings.passages.language)
        counts = self.catalogue.counts()
        if not counts:
            raise UsageError(
                f"{self.folder} holds no evidence yet; add files with `consilience add PATH`"
            )
        self._warm()
        sources = {source.name: source for source in self._sources(counts)}
        return Engine(
            sources=sources,
            lookup=self.catalogue.get,
            settings=self.settings,
            reranker=self.reranker,
            knowledge=Knowledge(
                sources={name: source.collection for name, source in sources.items()},
                sizes={name: sum(kinds.values()) for name, kinds in counts.items()},
                pack=self.pack,
                settings=self.settings,
                mentions=self.catalogue.mentions if self.catalogue.has_names() else _nothing,
                aliases=self.catalogue.aliases,
                synonyms=_synonyms(self.folder, self.pack),
            ),
        )

    # --- evidence -----------------------------------------------------------------------

    def add(
        self,
        paths: Iterable[str | Path],
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
        force: bool = False,
    ) -> ingest.Report:
        """Take files and folders in; without any, look again at all that was added before."""
        named = {Path(path).absolute(): collection for path in paths}
        if named:
            self.catalogue.include(self._excluded_below(named))
        roots = named or self._roots()
        report = ingest.add(self._evidence(), roots, progress=progress, force=force)
        self._reopen()
        return report

    def remove(self, paths: Iterable[str | Path]) -> ingest.Report:
        """Forget files and folders; the files themselves stay where they are."""
        evidence = self._evidence()
        report = ingest.Report()
        for path in paths:
            one = ingest.remove(evidence, Path(path))
            report.gone += one.gone
            report.removed += one.removed
            report.indexed += one.indexed
        self._reopen()
        return report

    def rebuild(self, *, progress: ingest.Progress | None = None) -> ingest.Report:
        """Read and index everything again, with the model that the settings name."""
        self.catalogue.start_over()  # first: killed in between, the next `add` writes everything
        self.stores.wipe()
        return self.add((), progress=progress, force=True)

    @cached_property
    def embedder(self) -> Embedder:
        """The model of the settings."""
        return self._given[0] or open_embedder(self.settings.models.embed, self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, if any."""
        return self._given[1] or open_reranker(self.settings.models.rerank, self.settings)

    @cached_property
    def stores(self) -> Stores:
        """The engines, opened when first needed."""
        stores = Stores(self.folder / STORE / "collections", self._shelf)
        self._closing.callback(stores.close)
        return stores

    # --- inside -------------------------------------------------------------------------

    def close(self) -> None:
        """Write everything to disk and let other processes in."""
        self.__dict__.pop("engine", None)
        self.__dict__.pop("stores", None)
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _reopen(self) -> None:
        """What a search sees changes with the evidence."""
        self.__dict__.pop("engine", None)

    def _evidence(self) -> ingest.Evidence:
        return ingest.Evidence(
            home=self.folder,
            catalogue=self.catalogue,
            stores=self.stores,
            embedder=self.embedder,
            settings=self.settings,
            collections=self.pack.collections,
        )

    def _sources(self, counts: Mapping[str, Mapping[str, int]]) -> list[Retriever]:
        return [
            source
            for collection, kinds in counts.items()
            for source in self.stores.sources(collection, kinds)
        ]

    @cached_property
    def _vectors(self) -> QueryVectors:
        return QueryVectors(self.embedder, self.settings.models.cache)

    def _shelf(self, collection: str) -> Shelf:
        return Shelf(
            collection=collection,
            dimensions=self.embedder.dimensions,
            language=self.settings.passages.language,
            average_length=ingest.average_length(self.catalogue, collection),
            exact=self.settings.store.exact,
            vectors=self._vectors,
            lookup=self.catalogue.get,
        )

    def _warm(self) -> None:
        """Load the model before any deadline runs."""
        self.embedder.embed_query("warm")

    def _excluded_below(self, paths: Iterable[Path]) -> list[str]:
        keys = [ingest.key_of(path, self.folder) for path in paths]
        return [one for one in self.catalogue.excluded() for key in keys if ingest.below(one, key)]

    def _roots(self) -> dict[Path, str]:
        roots = {self.folder / path: name for path, name in self.catalogue.roots().items()}
        if not roots:
            raise UsageError("nothing was added yet; name files or folders: consilience add PATH")
        there = {path: name for path, name in roots.items() if path.exists()}
        if not there:
            raise UsageError(
                f"none of what was added is there any more: {', '.join(map(str, roots))}"
            )
        return there


def _store_folder(folder: Path) -> Path:
    store = folder / STORE
    try:
        store.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {store}: {error.strerror}; is the disk read-only?"
        ) from error
    return store


def _nothing(surfaces: Sequence[str]) -> list[Mention]:
    return []


def _made(result: Result) -> list[Passage]:
    """The hits that a source made for this question; the catalogue does not have them yet."""
    brought = {
        one.id
        for ranking in result.trace.rankings
        for one in ranking.found
        if one.passage is not None
    }
    return [hit.passage for hit in result.hits if hit.passage.id in brought]


def _synonyms(folder: Path, pack: Pack) -> dict[str, tuple[str, ...]]:
    """The pack's table and the workspace's own `synonyms.toml`: `word = ["other", …]`."""
    path = folder / "synonyms.toml"
    own: dict[str, object] = {}
    if path.exists():
        try:
            own = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from error
    table = {surface(word): tuple(others) for word, others in pack.synonyms.items()}
    for word, others in own.items():
        if not isinstance(others, list) or not all(isinstance(one, str) for one in others):
            raise UsageError(f'{path}: {word!r} takes a list of words, like ["other", "another"]')
        table[surface(word)] = (*table.get(surface(word), ()), *others)
    return table
