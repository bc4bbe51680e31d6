"""What can be done with a workspace? Search it and add evidence, as the process that owns it.

`Workspace.peek` only reads the catalogue, which any number of processes may do at any time.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Protocol, Self, TypeVar

from consilience import plugins
from consilience.answer.pipeline import ask
from consilience.engine import Engine, made_passages, search
from consilience.engine.citation_rank import cited_works
from consilience.engine.learned_fusion import open_learned
from consilience.engine.plan import Knowledge, plan
from consilience.engine.relevance import open_calibration
from consilience.engine.trust import trust_model
from consilience.errors import ConsilienceError, ModelError, StoreError, UsageError
from consilience.evidence import ingest
from consilience.evidence.catalogue import Catalogue
from consilience.evidence.token_store import (
    TOKENS_FILE,
    TokenKeeper,
    TokenStore,
    delete_sqlite,
    keeps_tokens,
)
from consilience.kinds import unsearched_kinds
from consilience.lock import Hold, hold
from consilience.models import QueryVectors, open_embedder, open_generator, open_reranker
from consilience.open_stores import Stores, open_federated
from consilience.pack import Pack, read_synonyms
from consilience.protocols import (
    Embedder,
    Generator,
    Preparing,
    Reranker,
    Retriever,
    Shelf,
    Warmed,
    Warming,
    Weighted,
    declared_signal,
)
from consilience.settings import Settings, read_settings
from consilience.types import (
    LENGTHS,
    Answer,
    Chain,
    Done,
    Event,
    Filter,
    Length,
    Note,
    Plan,
    Query,
    Result,
)
from consilience.worker_pool import iterate_sync, run_sync
from consilience.workspace.graph_paths import find_chains, graph_neighbours
from consilience.workspace.layout import STORE, find_workspace, store_folder


class WorkspaceModels:
    """The models of some settings, each opened when first needed."""

    def __init__(self, settings: Settings, given: GivenModels) -> None:
        self.settings = settings
        self._given = given

    @cached_property
    def embedder(self) -> Embedder:
        """The model of the settings."""
        return self._given.embedder or open_embedder(self.settings.models.embed, self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, if any."""
        return self._given.reranker or open_reranker(
            self.settings.models.rerank, self.settings, self.embedder
        )

    @cached_property
    def generator(self) -> Generator | None:
        """The language model of the settings, if any."""
        return self._given.generator or open_generator(self.settings.models.generate, self.settings)

    @cached_property
    def vectors(self) -> QueryVectors:
        """The vectors of questions, remembered."""
        return QueryVectors(self.embedder, self.settings.models.cache)


# --- the engine of a workspace -----------------------------------------------------------


Opinion = TypeVar("Opinion")
_FIRST = Query(text="warm")  # planned at once: what a pack reads questions with is loaded by it


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenModels:
    """Models that a caller brings instead of those that the settings name."""

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    generator: Generator | None = None


class SourceProvider(Protocol):
    """Whatever gives the sources of a collection: engines here, or those of another process."""

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParts:
    """An open workspace, as far as an engine is made of it."""

    folder: Path
    settings: Settings
    pack: Pack
    catalogue: Catalogue
    stores: SourceProvider
    embedder: Embedder
    reranker: Reranker | None
    generator: Generator | None


def open_engine(parts: EngineParts) -> tuple[Engine, list[Note]]:
    """The engine of a workspace, and what a person should know of it."""
    _warm(parts)
    federated, errors = open_federated(parts.settings)
    trouble = [
        Note("workspace", f"the federated source {name!r} is left out: {reason}")
        for name, reason in errors.items()
    ]
    sources = {source.name: source for source in (*_sources(parts), *federated)}
    engine = Engine(
        sources=sources,
        lookup=parts.catalogue.get,
        settings=parts.settings,
        reranker=parts.reranker,
        phrases=parts.catalogue.with_phrase,
        pieces=parts.catalogue.pieces,
        names=parts.catalogue.names_near,
        cited=cache(lambda: cited_works(*parts.catalogue.citations())),
        trust=trust_model(parts.embedder.name),
        learned=_opinion(parts, open_learned, trouble),
        calibration=_opinion(parts, open_calibration, trouble),
        generator=parts.generator,
        embedder=parts.embedder,
        knowledge=_knowledge(parts, sources),
    )
    plan(_FIRST, engine.knowledge)
    if parts.settings.refine.cited:
        engine.cited()
    for source in sources.values():
        if isinstance(source, Warmed):
            with suppress(ConsilienceError):  # the search that needs it tells
                source.warm()
    return engine, trouble


def _knowledge(parts: EngineParts, sources: Mapping[str, Retriever]) -> Knowledge:
    catalogue, embedder = parts.catalogue, parts.embedder
    return Knowledge(
        sources={name: source.collection for name, source in sources.items()},
        signals={
            name: signal
            for name, source in sources.items()
            if (signal := declared_signal(source)) is not None
        },
        sizes={name: _searched(kinds) for name, kinds in catalogue.counts().items()},
        pack=parts.pack,
        settings=parts.settings,
        mentions=catalogue.mentions if catalogue.has_names() else (lambda _: ()),
        aliases=catalogue.aliases,
        fields=catalogue.fields(),
        values=cache(catalogue.values_of),
        synonyms=read_synonyms(parts.folder, parts.pack),
        neighbours=graph_neighbours(catalogue),
        trust=embedder.trust if isinstance(embedder, Weighted) else 1.0,
    )


def _sources(parts: EngineParts) -> list[Retriever]:
    return [
        source
        for collection, kinds in parts.catalogue.counts().items()
        for source in parts.stores.sources(collection, kinds)
    ]


def _opinion(
    parts: EngineParts,
    read: Callable[[Path, str], tuple[Opinion, tuple[Note, ...]]],
    trouble: list[Note],
) -> Opinion:
    """What labels taught with this embedder; what is wrong with it is remarked on."""
    found, notes = read(parts.folder / STORE, parts.embedder.name)
    trouble.extend(notes)
    return found


def _warm(parts: EngineParts) -> None:
    """Load the models before any deadline runs; without them, words and graphs still answer."""
    with suppress(ModelError):
        parts.embedder.embed_query("warm")
    if isinstance(parts.reranker, Warming):
        with suppress(ModelError):
            parts.reranker.warm()


def _searched(kinds: Mapping[str, int]) -> int:
    """How many passages of a collection are searched as text: works and citations are walked."""
    return sum(count for kind, count in kinds.items() if kind not in unsearched_kinds())


# --- the workspace -----------------------------------------------------------------------


class Workspace(WorkspaceModels):
    """An open workspace. It belongs to this process until it is closed."""

    def __init__(
        self,
        folder: Path,
        *,
        command: str = "open_workspace",
        settings: Settings | None = None,
        given: GivenModels | None = None,
        waiting: Callable[[str], None] | None = None,
        held: Hold | None = None,
    ) -> None:
        """Open the workspace of a folder, whose lock is taken here unless it is `held` already."""
        with ExitStack() as opening:  # an error on the way lets go of the lock
            if held is not None:
                opening.callback(held.release)
            self._prepare(folder, settings, given)
            if held is None:
                wait_s = self.settings.store.wait_s
                held = hold(store_folder(folder), command=command, wait_s=wait_s, waiting=waiting)
                opening.callback(held.release)
            self._hold: Hold | None = held
            self._open(opening)

    def _prepare(self, folder: Path, settings: Settings | None, given: GivenModels | None) -> None:
        """What there is before anything is opened."""
        self.folder = folder.absolute()
        WorkspaceModels.__init__(self, settings or read_settings(folder), given or GivenModels())
        self.pack: Pack = plugins.load("packs", self.settings.pack)
        self.pack.ready()
        self._trouble: list[Note] = []
        self._opening = RLock()
        self._engine: Engine | None = None

    def _open(self, opening: ExitStack) -> None:
        """Open the catalogue; from here on, closing is the workspace's."""
        self.catalogue = Catalogue(self.folder / STORE / "catalogue.db")
        opening.callback(self.catalogue.close)
        self._closing = opening.pop_all()

    def announce(self, address: str, secret: str) -> None:
        """Have other processes go through this one, which serves the workspace there."""
        if self._hold is not None:
            self._hold.announce(address, secret)

    def withdraw(self) -> None:
        """Serve other processes no more."""
        if self._hold is not None:
            self._hold.withdraw()

    @staticmethod
    def peek(folder: str | Path) -> Catalogue:
        """The catalogue alone, to read: for status and for showing passages."""
        path = find_workspace(Path(folder)) / STORE / "catalogue.db"
        if path.exists():
            return Catalogue(path, read_only=True)
        return Catalogue(store_folder(path.parent.parent) / path.name)

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
        query = _query(text, limit, filters, collections)
        return self.find(query)

    def find(self, query: Query) -> Result:
        """Answer a query; works inside a running event loop too, as in a notebook."""
        return self.found_by(self.engine, query)

    def found_by(self, engine: Engine, query: Query) -> Result:
        """What an engine over this workspace finds; what was made for it can be shown again."""
        result = run_sync(search(query, engine))
        self.catalogue.keep_made(made_passages(result))
        return replace(result, notes=(*self.remarks(query), *result.notes))

    def ask(
        self,
        text: str,
        *,
        length: Length | None = None,
        model: bool = True,
        limit: int = 10,
        filters: Sequence[Filter] = (),
        collections: Sequence[str] = (),
    ) -> Answer:
        """Ask in words; the answer comes written, cited and checked.

        Without `model` it is made of sentences of the evidence, whatever the settings say.
        """
        return self.answer(_query(text, limit, filters, collections), length=length, model=model)

    def answer(self, query: Query, *, length: Length | None = None, model: bool = True) -> Answer:
        """The written answer to a query."""
        *_, last = self.stream(query, length=length, model=model)
        assert isinstance(last, Done)  # noqa: S101 - the last event, always
        return last.answer

    def stream(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> Iterator[Event]:
        """The answer to a question as it is written: what is found, drafts, statements, all."""
        _ = self.engine  # opened here, so that its errors come from here
        return iterate_sync(lambda: self.events(question, length=length, model=model))

    async def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The same for callers that are asynchronous themselves."""
        told = self.told_by(self.engine, question, length=length, model=model)
        async with aclosing(told) as events:
            async for event in events:
                yield event

    async def told_by(
        self, engine: Engine, question: str | Query, *, length: Length | None, model: bool
    ) -> AsyncGenerator[Event]:
        """What an engine over this workspace writes, as it is written."""
        query = Query(text=question) if isinstance(question, str) else question
        chosen = length or engine.settings.answer.length
        if chosen not in LENGTHS:
            raise UsageError(f"unknown length {chosen!r}; known: {', '.join(LENGTHS)}")
        async with aclosing(ask(query, engine, length=chosen, modelled=model)) as events:
            async for event in events:
                yield self._kept(event, query) if isinstance(event, Done) else event

    def _kept(self, event: Done, query: Query) -> Done:
        """The answer with remarks on the workspace; what was made for it can be shown again."""
        answer = event.answer
        hits = [hit.passage for hit in answer.result.hits]
        shown = [*hits, *(one.passage for one in answer.exhibits)]
        self.catalogue.keep_made(made_passages(answer.result, shown))
        return Done(answer=replace(answer, notes=(*self.remarks(query), *answer.notes)))

    def remarks(self, query: Query) -> list[Note]:
        """What a person should know of the workspace when reading these results."""
        notes = list(self._trouble)
        if "_stores" in self.__dict__:
            notes += [Note("workspace", note) for note in self.stores.notes()]
        if pending := self.catalogue.pending_count():
            told = f"{pending} passages are not indexed yet; run `consilience add`"
            notes.append(Note("workspace", told))
        limit = self.embedder.limit
        if len(query.text) > limit and self.embedder.count([query.text])[0] > limit:
            told = f"the question is long; only its first {limit} tokens are read for meaning"
            notes.append(Note("search", told))
        return notes

    @property
    def engine(self) -> Engine:
        """What a search needs, opened when first asked for, by one thread for all."""
        with self._opening:
            if self._engine is None:
                self._engine = self._open_engine()
            return self._engine

    def _open_engine(self) -> Engine:
        ingest.check_model(self.catalogue, self.embedder)
        ingest.check_language(self.catalogue, self.settings.passages.language)
        if not (self.catalogue.counts() or plugins.active("federated", self.settings)):
            raise UsageError(
                "this workspace holds no evidence yet; add files with `consilience add PATH`"
            )
        trouble = self._read_kept()
        engine, notes = open_engine(
            EngineParts(
                folder=self.folder,
                settings=self.settings,
                pack=self.pack,
                catalogue=self.catalogue,
                stores=self._shelves,
                embedder=self.embedder,
                reranker=self.reranker,
                generator=self.generator,
            )
        )
        if not engine.sources:
            raise StoreError("; ".join(self.stores.notes()))
        self._trouble = [*trouble, *notes]
        return engine

    def plan(self, query: Query) -> Plan:
        """What each source would be asked for a query, and by which rule; none is asked."""
        return plan(query, self.engine.knowledge)

    def paths(self, start: str, end: str, *, limit: int = 3) -> list[Chain]:
        """How two things that a graph names connect, the best ways first."""
        return find_chains(self.catalogue, self.engine, start, end, limit=limit)

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

    @property
    def keeping(self) -> TokenKeeper | None:
        """Where the reranker's token vectors are kept; None if they are made at each question."""
        with self._opening:
            return self._keeping

    @cached_property
    def _keeping(self) -> TokenKeeper | None:
        reranker = self.reranker
        kept = keeps_tokens(self.settings.models.tokens, reranker, self.embedder)
        if not kept or not isinstance(reranker, Preparing):
            return None
        _ = self.stores  # what a rebuild left to wipe goes first
        keeping = TokenKeeper(
            reranker, TokenStore(self.folder / STORE / TOKENS_FILE, reranker.name)
        )
        self._closing.callback(keeping.close)
        reranker.reads_from(keeping.store.get)
        return keeping

    @property
    def stores(self) -> Stores:
        """The engines, opened when first needed, by one thread for all."""
        with self._opening:
            return self._stores

    @cached_property
    def _stores(self) -> Stores:
        folder = self.folder / STORE / "collections"
        stores = Stores(folder, self._shelf, settings=self.settings)
        if self.catalogue.fact("wipe"):  # left by `rebuild`, however it ended
            stores.wipe()
            delete_sqlite(self.folder / STORE / TOKENS_FILE)
            self.catalogue.drop_fact("wipe")
        self._closing.callback(stores.close)
        return stores

    @property
    def _shelves(self) -> SourceProvider:
        """Where an engine's sources come from."""
        return self.stores

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
        with self._opening:
            self._reopen()
            stores: Stores | None = self.__dict__.pop("_stores", None)
            if stores is not None:
                stores.close()
            keeping: TokenKeeper | None = self.__dict__.pop("_keeping", None)
            if keeping is not None:
                keeping.close()

    def _reopen(self) -> None:
        """What a search sees changes with the evidence."""
        with self._opening:  # not while one is being opened that knows nothing of it
            self._engine = None

    def _evidence(self) -> ingest.Evidence:
        if self.keeping is None:  # what is written from now on would not be in there
            delete_sqlite(self.folder / STORE / TOKENS_FILE)
        return ingest.Evidence(
            home=self.folder,
            catalogue=self.catalogue,
            stores=self.stores,
            embedder=self.embedder,
            keeping=self.keeping,
            settings=self.settings,
            pack=self.pack,
        )

    def _shelf(self, collection: str) -> Shelf:
        return Shelf(
            collection=collection,
            dimensions=self.embedder.dimensions,
            language=self.settings.passages.language,
            average_length=ingest.average_length(self.catalogue, collection),
            exact=self.settings.store.exact,
            vectors=self.vectors,
            lookup=self.catalogue.get,
            synonyms=read_synonyms(self.folder, self.pack),
        )

    def _read_kept(self) -> list[Note]:
        """Have the reranker read what is kept; what cannot be read is made at the question."""
        try:
            _ = self.keeping
        except StoreError as error:
            return [Note("workspace", str(error))]
        return []

    def _roots(self, away: list[Path]) -> dict[Path, str]:
        """What was added; a root whose whole folder is not there (a drive) is left as it was."""
        roots = {self.folder / path: name for path, name in self.catalogue.roots().items()}
        if not roots:
            raise UsageError("nothing was added yet; name files or folders: consilience add PATH")
        away.extend(path for path in roots if not path.exists() and not path.parent.exists())
        return {path: name for path, name in roots.items() if path not in away}


def _query(text: str, limit: int, filters: Sequence[Filter], collections: Sequence[str]) -> Query:
    return Query(text=text, limit=limit, filters=tuple(filters), collections=tuple(collections))
