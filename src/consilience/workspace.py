"""What does a person open? A workspace: a folder with settings and the stores built from it.

`open_workspace` owns the folder until it is closed: it can search and take evidence in.
`Workspace.peek` only reads the catalogue, which any number of processes may do at any time.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from consilience import ingest, plugins
from consilience.catalogue import Catalogue
from consilience.errors import MissingWorkspace, ModelError, StoreError, UsageError
from consilience.learned import open_learned
from consilience.lock import owning
from consilience.models import QueryVectors, open_embedder, open_reranker
from consilience.packs import Pack, read_synonyms
from consilience.pipeline import Engine, made, search
from consilience.plan import Knowledge
from consilience.protocols import (
    Embedder,
    Preparing,
    Reranker,
    Retriever,
    Shelf,
    Warming,
    Weighted,
)
from consilience.relevance import open_calibration
from consilience.settings import FILE, Settings, read_settings
from consilience.stores import Stores
from consilience.threads import finished
from consilience.tokens import TOKENS, Keeping, KeptTokens, drop, is_kept
from consilience.trust import trust_model
from consilience.types import Filter, Note, Query, Result

STORE = ".consilience"
Opinion = TypeVar("Opinion")
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
    """Copy a pack's sample files and golden set into a workspace; the folder of the files."""
    chosen: Pack = plugins.load("packs", pack)
    if chosen.sample is None:
        raise UsageError(f"the pack {pack!r} has no sample; leave out --sample")
    target = folder / "sample"
    shutil.copytree(chosen.sample, target, dirs_exist_ok=True)
    if chosen.golden is not None and not (folder / chosen.golden.name).exists():
        shutil.copyfile(chosen.golden, folder / chosen.golden.name)
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
        waiting: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self.settings = settings or read_settings(folder)
        self.pack: Pack = plugins.load("packs", self.settings.pack)
        self._given = (embedder, reranker)
        self._trouble: list[Note] = []
        store = _store_folder(folder)
        wait_s = self.settings.store.wait_s
        with ExitStack() as opening:  # an error on the way lets go of the lock
            opening.enter_context(owning(store, command=command, wait_s=wait_s, waiting=waiting))
            self.catalogue = Catalogue(store / "catalogue.db")
            opening.callback(self.catalogue.close)
            self._closing = opening.pop_all()

    @staticmethod
    def peek(folder: str | Path) -> Catalogue:
        """The catalogue alone, to read: for status and for showing passages."""
        path = find_workspace(Path(folder)) / STORE / "catalogue.db"
        if path.exists():
            return Catalogue(path, read_only=True)
        return Catalogue(_store_folder(path.parent.parent) / path.name)

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
        """Answer a query; works inside a running event loop too, as in a notebook."""
        engine = self.engine
        result = finished(search(query, engine))
        self.catalogue.keep_made(made(result))
        return replace(result, notes=(*self._remarks(query), *result.notes))

    def _remarks(self, query: Query) -> list[Note]:
        """What a person should know of the workspace when reading these results."""
        notes = list(self._trouble)
        if pending := self.catalogue.pending_count():
            told = f"{pending} passages are not indexed yet; run `consilience add`"
            notes.append(Note("workspace", told))
        limit = self.embedder.limit
        if len(query.text) > limit and self.embedder.count([query.text])[0] > limit:
            told = f"the question is long; only its first {limit} tokens are read for meaning"
            notes.append(Note("search", told))
        return notes

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
        self._trouble = []
        self._read_kept()
        self._warm()
        sources = {source.name: source for source in self._sources(counts)}
        return Engine(
            sources=sources,
            lookup=self.catalogue.get,
            settings=self.settings,
            reranker=self.reranker,
            phrases=self.catalogue.with_phrase,
            trust=trust_model(self.embedder.name),
            learned=self._opinion(open_learned),
            calibration=self._opinion(open_calibration),
            knowledge=Knowledge(
                sources={name: source.collection for name, source in sources.items()},
                sizes={name: sum(kinds.values()) for name, kinds in counts.items()},
                pack=self.pack,
                settings=self.settings,
                mentions=self.catalogue.mentions if self.catalogue.has_names() else (lambda _: ()),
                aliases=self.catalogue.aliases,
                fields=self.catalogue.fields(),
                synonyms=read_synonyms(self.folder, self.pack),
                trust=self.embedder.trust if isinstance(self.embedder, Weighted) else 1.0,
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
        for path in named:
            if not path.exists() and not path.is_symlink():
                raise UsageError(f"no such file or folder: {path}")
        self.catalogue.include([ingest.key_of(path, self.folder) for path in named])
        away: list[Path] = []
        roots = named or self._roots(away)
        try:
            report = ingest.add(self._evidence(), roots, progress=progress, force=force)
        finally:
            self._reopen()
        told = "its folder is not there; what was read from it is kept"
        report.notes.extend((str(path), told) for path in away)
        return report

    def remove(self, paths: Iterable[str | Path]) -> ingest.Report:
        """Forget files and folders; the files themselves stay where they are."""
        try:
            return ingest.remove(self._evidence(), [Path(path) for path in paths])
        finally:
            self._reopen()

    def rebuild(self, *, progress: ingest.Progress | None = None) -> ingest.Report:
        """Read and index everything again, with the model that the settings name."""
        ingest.check_language(self.catalogue, self.settings.passages.language, changing=True)
        self.embedder.embed_query("a model that cannot be used must not cost the index")
        self.catalogue.start_over()
        self._let_go()
        return self.add((), progress=progress, force=True)

    @cached_property
    def embedder(self) -> Embedder:
        """The model of the settings."""
        return self._given[0] or open_embedder(self.settings.models.embed, self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, if any."""
        return self._given[1] or open_reranker(
            self.settings.models.rerank, self.settings, self.embedder
        )

    @cached_property
    def keeping(self) -> Keeping | None:
        """Where the reranker's token vectors are kept; None if they are made at each question."""
        reranker = self.reranker
        kept = is_kept(self.settings.models.tokens, reranker, self.embedder)
        if not kept or not isinstance(reranker, Preparing):
            return None
        _ = self.stores  # what a rebuild left to wipe goes first
        keeping = Keeping(reranker, KeptTokens(self.folder / STORE / TOKENS, reranker.name))
        self._closing.callback(keeping.close)
        reranker.reads_from(keeping.store.get)
        return keeping

    @cached_property
    def stores(self) -> Stores:
        """The engines, opened when first needed."""
        stores = Stores(self.folder / STORE / "collections", self._shelf)
        if self.catalogue.fact("wipe"):  # left by `rebuild`, however it ended
            stores.wipe()
            drop(self.folder / STORE / TOKENS)
            self.catalogue.drop_fact("wipe")
        self._closing.callback(stores.close)
        return stores

    # --- inside -------------------------------------------------------------------------

    def close(self) -> None:
        """Write everything to disk and let other processes in."""
        self._let_go()
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

    def _let_go(self) -> None:
        """Close the engines; they are opened again when next needed."""
        self._reopen()
        stores: Stores | None = self.__dict__.pop("stores", None)
        if stores is not None:
            stores.close()
        keeping: Keeping | None = self.__dict__.pop("keeping", None)
        if keeping is not None:
            keeping.close()

    def _reopen(self) -> None:
        """What a search sees changes with the evidence."""
        self.__dict__.pop("engine", None)

    def _evidence(self) -> ingest.Evidence:
        if self.keeping is None:  # what is written from now on would not be in there
            drop(self.folder / STORE / TOKENS)
        return ingest.Evidence(
            home=self.folder,
            catalogue=self.catalogue,
            stores=self.stores,
            embedder=self.embedder,
            keeping=self.keeping,
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

    def _read_kept(self) -> None:
        """Have the reranker read what is kept; what cannot be read is made at the question."""
        try:
            _ = self.keeping
        except StoreError as error:
            self._trouble.append(Note("workspace", str(error)))

    def _opinion(self, read: Callable[[Path, str], tuple[Opinion, tuple[Note, ...]]]) -> Opinion:
        """What labels taught with this embedder; what is wrong with it is remarked on."""
        found, notes = read(self.folder / STORE, self.embedder.name)
        self._trouble.extend(notes)
        return found

    def _warm(self) -> None:
        """Load the models before any deadline runs; without them, words and graphs still answer."""
        with suppress(ModelError):
            self.embedder.embed_query("warm")
        if isinstance(self.reranker, Warming):
            with suppress(ModelError):
                self.reranker.warm()

    def _roots(self, away: list[Path]) -> dict[Path, str]:
        """What was added; a root whose whole folder is not there (a drive) is left as it was."""
        roots = {self.folder / path: name for path, name in self.catalogue.roots().items()}
        if not roots:
            raise UsageError("nothing was added yet; name files or folders: consilience add PATH")
        away.extend(path for path in roots if not path.exists() and not path.parent.exists())
        return {path: name for path, name in roots.items() if path not in away}


def _store_folder(folder: Path) -> Path:
    store = folder / STORE
    try:
        store.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {store}: {error.strerror}; is the disk read-only?"
        ) from error
    return store
