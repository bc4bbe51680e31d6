"""What can be done with a workspace? Search it and add evidence, as the process that owns it.

`Workspace.peek` only reads the catalogue, which any number of processes may do at any time.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

from consilience import plugins
from consilience.answer.conversation import Conversation
from consilience.answer.pipeline import ask
from consilience.engine import Engine, made_passages, search
from consilience.engine.plan import Knowledge, plan
from consilience.engine.relevance import open_calibration
from consilience.engine.trust import trust_model
from consilience.errors import ConsilienceError, ModelError, StoreError, UsageError
from consilience.evidence import ingest
from consilience.evidence.catalogue import MEMORY, Catalogue
from consilience.evidence.indexer import queue_missing
from consilience.evidence.ingest import DocumentValue
from consilience.evidence.token_store import (
    TOKENS_FILE,
    TokenKeeper,
    TokenStore,
    delete_sqlite,
    keeps_tokens,
)
from consilience.explain import Absence, Explanation, explain_result, why_not
from consilience.filters import as_conditions
from consilience.kinds import TABLE_ANSWER, unsearched_kinds
from consilience.lock import Hold
from consilience.models import QueryVectors, open_embedder, open_generator, open_reranker
from consilience.open_stores import Stores, open_federated
from consilience.pack import Pack, read_synonyms
from consilience.protocols import (
    Closable,
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
from consilience.settings import Settings
from consilience.types import (
    LENGTHS,
    Answer,
    Chain,
    Done,
    Event,
    Length,
    Note,
    Plan,
    Query,
    QueryOptions,
    Result,
)
from consilience.worker_pool import (
    WorkerPool,
    end_idle_threads,
    iterate_sync,
    run_sync,
    stream_from_thread,
)
from consilience.workspace.graph_paths import find_chains, graph_neighbours
from consilience.workspace.layout import STORE, store_folder, workspace_at

Item = TypeVar("Item")
AsSet = Literal["as set"]
"""Stands for the model that the settings name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenModels:
    """Models that a caller brings instead of those that the settings name; None is none."""

    embedder: Embedder | None = None
    reranker: Reranker | AsSet | None = "as set"
    generator: Generator | AsSet | None = "as set"


class Workspace:
    """An open workspace. It belongs to this process until it is closed."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: Settings,
        given: GivenModels,
        lock: Hold | None = None,
        copy: TemporaryDirectory[str] | None = None,
    ) -> None:
        """Open the workspace of a folder, with the lock of its stores or a copy of them."""
        with ExitStack() as cleanup:  # an error on the way releases the lock
            if lock is not None:
                cleanup.callback(lock.release)
            self.folder = folder.absolute()
            self._copy = copy
            self._store = Path(copy.name) if copy else self.folder / STORE
            if copy is not None:
                cleanup.callback(copy.cleanup)
            self.settings = settings
            self._given = given
            self._lock = lock
            self.pack: Pack = plugins.load("packs", settings.pack)
            self.pack.ready()
            self._engine_notes: list[Note] = []
            self._opening = RLock()
            self._engine: Engine | None = None
            self._catalogue = Catalogue(self._store / "catalogue.db")
            cleanup.callback(self._catalogue.close)
            self._process, self._closed = os.getpid(), False
            self._cleanup = cleanup.pop_all()

    @staticmethod
    def peek(folder: str | Path) -> Catalogue:
        """The catalogue alone, to read: for status and for showing passages."""
        path = workspace_at(Path(folder)) / STORE / "catalogue.db"
        if path.exists():
            return Catalogue(path, read_only=True)
        return Catalogue(store_folder(path.parent.parent) / path.name)

    # --- models, each opened when first needed --------------------------------------------

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of the settings."""
        return self._given.embedder or open_embedder(self.settings.models.embed, self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker that was given, else that of the settings, if any."""
        if self._given.reranker == "as set":
            return open_reranker(self.settings.models.rerank, self.settings, self.embedder)
        return self._given.reranker

    @cached_property
    def generator(self) -> Generator | None:
        """The language model that was given, else that of the settings, if any."""
        if self._given.generator != "as set":
            return self._given.generator
        generator = open_generator(self.settings.models.generate, self.settings)
        if generator is not None and isinstance(generator, Closable):
            self._cleanup.callback(generator.close)
        return generator

    @cached_property
    def vectors(self) -> QueryVectors:
        """The vectors of questions, cached."""
        return QueryVectors(self.embedder, self.settings.models.cache)

    # --- questions ------------------------------------------------------------------------

    def search(self, question: str | Query, **options: Unpack[QueryOptions]) -> Result:
        """Search; the hits come best first, each with its reasons.

        `limit` is how many, `offset` how many are left out before. With `per="document"` each
        document comes once, by its best passage. `filters` is a list of texts such as
        "year >= 1900 and kind = row", or of `Filter`; `collections` a list of names.
        """
        return self.find(as_query(question, options))

    def find(self, query: Query) -> Result:
        """Answer a query; works inside a running event loop too, as in a notebook."""
        return self.search_with(self.engine, query)

    def search_with(self, engine: Engine, query: Query) -> Result:
        """What an engine over this workspace finds; passages made for it can be shown later."""
        result = run_sync(search(query, engine))
        self.catalogue.keep_made(made_passages(result))
        return replace(result, notes=(*self.remarks(query), *result.notes))

    def ask(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """Answer in words, cited and checked; `options` are those of `search`.

        Without `model` the answer consists of sentences of the evidence, whatever the settings say.
        """
        return self.answer(as_query(question, options), length=length, model=model)

    def conversation(self) -> Conversation:
        """Questions one after another: a follow-up is completed from those before it."""
        return Conversation(self.answer)

    def answer(self, query: Query, *, length: Length | None = None, model: bool = True) -> Answer:
        """The written answer to a query."""
        *_, last = self.stream(query, length=length, model=model)
        assert isinstance(last, Done)  # noqa: S101 - the last event, always
        return last.answer

    def stream(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> Iterator[Event]:
        """The events of an answer as it is written: what is found, drafts, statements, all."""
        query = as_query(question, options)
        _ = self.engine  # opened here, so that its errors come from here
        return iterate_sync(lambda: self.events(query, length=length, model=model))

    async def events(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> AsyncGenerator[Event]:
        """The same for asynchronous callers."""
        query = as_query(question, options)
        answering = self.events_with(self.engine, query, length=length, model=model)
        async with aclosing(answering) as events:
            async for event in events:
                yield event

    async def events_with(
        self, engine: Engine, question: str | Query, *, length: Length | None, model: bool
    ) -> AsyncGenerator[Event]:
        """The events of an answer that an engine over this workspace writes."""
        query = Query(text=question) if isinstance(question, str) else question
        chosen = length or engine.settings.answer.length
        if chosen not in LENGTHS:
            raise UsageError(f"unknown length {chosen!r}; known: {', '.join(LENGTHS)}")
        async with aclosing(ask(query, engine, length=chosen, modelled=model)) as events:
            async for event in events:
                yield self._complete(event, query) if isinstance(event, Done) else event

    def _complete(self, event: Done, query: Query) -> Done:
        """The answer with remarks on the workspace; passages made for it can be shown later."""
        answer = event.answer
        exhibits = [exhibit.passage for exhibit in answer.exhibits]
        shown = [*(hit.passage for hit in answer.result.hits), *exhibits]
        tables = [passage for passage in exhibits if passage.kind == TABLE_ANSWER]
        self.catalogue.keep_made([*made_passages(answer.result, shown), *tables])
        return Done(answer=replace(answer, notes=(*self.remarks(query), *answer.notes)))

    def why(
        self, question: str | Query, passage: str = "", **options: Unpack[QueryOptions]
    ) -> Explanation:
        """How ranks came about: that of a place or a passage id, or the first three."""
        result = self.search(question, **options)
        return explain_result(result, self.engine, passage)

    def why_not(
        self,
        question: str | Query,
        passage: str,
        *,
        most: float = math.inf,
        **options: Unpack[QueryOptions],
    ) -> Absence:
        """At which step a search lost the passage of an id, and what would bring it in.

        `most` is the largest limit that may be advised.
        """
        query, found = as_query(question, options), self.catalogue.resolve(passage)
        pending = self.catalogue.is_pending(found.id)
        return run_sync(why_not(query, found, self.engine, pending=pending, most=most))

    # --- the same for asynchronous callers: it runs in threads, so that the loop never waits -----

    async def asearch(self, question: str | Query, **options: Unpack[QueryOptions]) -> Result:
        """`search`, awaited."""
        return await self._threads.run(lambda: self.search(question, **options))

    async def aask(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """`ask`, awaited."""
        query = as_query(question, options)
        threads = self._writers if model else self._threads
        return await threads.run(lambda: self.ask(query, length=length, model=model))

    async def astream(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> AsyncGenerator[Event]:
        """`stream`, as an asynchronous generator."""
        query = as_query(question, options)
        threads = self._writers if model else self._threads
        stream = stream_from_thread(
            lambda: self.events(query, length=length, model=model), threads.run
        )
        async with aclosing(stream) as events:
            async for event in events:
                yield event

    async def awhy(
        self, question: str | Query, passage: str = "", **options: Unpack[QueryOptions]
    ) -> Explanation:
        """`why`, awaited."""
        return await self._threads.run(lambda: self.why(question, passage, **options))

    async def awhy_not(
        self, question: str | Query, passage: str, **options: Unpack[QueryOptions]
    ) -> Absence:
        """`why_not`, awaited."""
        return await self._threads.run(lambda: self.why_not(question, passage, **options))

    @cached_property
    def _threads(self) -> WorkerPool:
        """Few: each that computes may hold up the loop for some milliseconds."""
        return WorkerPool("asked", threads=2)

    @cached_property
    def _writers(self) -> WorkerPool:
        """For answers: more where a language model writes, which is mostly waited for."""
        return WorkerPool("answered", threads=2 if self.generator is None else 16)

    def plan(self, query: Query) -> Plan:
        """What each source would be asked for a query, and by which rule; none is asked."""
        return plan(query, self.engine.knowledge)

    def paths(self, start: str, end: str, *, limit: int = 3) -> list[Chain]:
        """How two things that a graph names connect, the best chains first."""
        return find_chains(self.catalogue, self.engine, start, end, limit=limit)

    def remarks(self, query: Query) -> list[Note]:
        """What a person should know of the workspace when reading these results."""
        notes = list(self._engine_notes)
        if self._copy is not None:
            notes.append(Note("workspace", f"{self.folder} is read-only; a copy is searched"))
        if "_stores" in self.__dict__:
            notes += [Note("workspace", note) for note in self.stores.notes()]
        if pending := self.catalogue.pending_count():
            text = f"{pending} passages are not indexed yet; run `consilience add`"
            notes.append(Note("workspace", text))
        if unread := unread_files(self.catalogue, query.text):
            notes.append(Note("workspace", unread))
        limit = self.embedder.limit
        if len(query.text) > limit and self.embedder.count([query.text])[0] > limit:
            text = f"the question is long; only its first {limit} tokens are read for meaning"
            notes.append(Note("search", text))
        return notes

    # --- evidence -------------------------------------------------------------------------

    @property
    def catalogue(self) -> Catalogue:
        """The documents and passages of the workspace."""
        self._check_usable()
        return self._catalogue

    def add(
        self,
        paths: str | Path | Iterable[str | Path] = (),
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
        force: bool = False,
    ) -> ingest.Report:
        """Add files and folders; without any, look again at all that was added before."""
        named = dict.fromkeys(existing_paths(paths), collection)
        self.catalogue.include([ingest.key_of(path, self.folder) for path in named])
        absent: list[Path] = []
        try:
            roots = named or self._roots(absent)
            report = ingest.add(self._evidence(), roots, progress=progress, force=force)
        finally:
            self._drop_engine()
        text = "its folder is not there; what was read from it is kept"
        report.notes.extend((str(path), text) for path in absent)
        return report

    def add_documents(
        self,
        documents: DocumentValue | Iterable[DocumentValue],
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
    ) -> ingest.Report:
        """Add dicts or dataclasses: `text`, `passages` or `rows`, with `id`, `title`, `metadata`.

        A known `id` is replaced. Other fields become metadata. An iterator may be of any length.
        """
        try:
            return ingest.add_documents(
                self._evidence(), documents, collection=collection, progress=progress
            )
        finally:
            self._drop_engine()

    def remove_documents(self, ids: Iterable[str | int]) -> ingest.Report:
        """Forget documents that were added as values, by their ids."""
        return self.remove([ingest.key_of_id(name) for name in as_list("ids", ids)])

    def remove(self, paths: str | Path | Iterable[str | Path]) -> ingest.Report:
        """Forget files and folders; the files themselves are not deleted."""
        try:
            return ingest.remove(self._evidence(), as_paths(paths))
        finally:
            self._drop_engine()

    def rebuild(self, *, progress: ingest.Progress | None = None) -> ingest.Report:
        """Read and index everything again, with the model that the settings name."""
        self._check_writable()
        ingest.check_language(self.catalogue, self.settings.passages.language, changing=True)
        self.embedder.embed_query("a model that cannot be used must not cost the index")
        self.catalogue.start_over(f"{self.embedder.name} {self.settings.passages.language}")
        self._close_stores()
        return self.add((), progress=progress)

    def _roots(self, absent: list[Path]) -> dict[Path, str]:
        """What was added; a root whose whole folder is not there (a drive) is left as it is."""
        roots = {self.folder / path: name for path, name in self.catalogue.roots().items()}
        if not roots and not self.catalogue.documents(MEMORY):
            raise UsageError("nothing was added yet; name files or folders: consilience add PATH")
        absent.extend(path for path in roots if not path.exists() and not path.parent.exists())
        return {path: name for path, name in roots.items() if path not in absent}

    def _evidence(self) -> ingest.Evidence:
        self._check_writable()
        if self.keeping is None:  # new passages would be missing in a file that is left over
            delete_sqlite(self._store / TOKENS_FILE)
        return ingest.Evidence(
            home=self.folder,
            catalogue=self.catalogue,
            stores=self.stores,
            embedder=self.embedder,
            keeping=self.keeping,
            settings=self.settings,
            pack=self.pack,
        )

    # --- stores ---------------------------------------------------------------------------

    @property
    def stores(self) -> Stores:
        """The stores, opened when first needed, by one thread for all."""
        self._check_usable()
        with self._opening:
            return self._stores

    @cached_property
    def _stores(self) -> Stores:
        folder = self._store / "collections"
        stores = Stores(folder, self._shelf, settings=self.settings)
        if self.catalogue.fact("wipe"):  # left by `rebuild`, however it ended
            stores.wipe()
            delete_sqlite(self._store / TOKENS_FILE)
            self.catalogue.drop_fact("wipe")
        return stores

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

    @property
    def keeping(self) -> TokenKeeper | None:
        """Where the reranker's token vectors are stored; None if each question computes them."""
        with self._opening:
            return self._keeping

    @cached_property
    def _keeping(self) -> TokenKeeper | None:
        _ = self.stores  # first: they wipe what a rebuild left
        return self._open_tokens(read_only=False)

    def _open_tokens(self, *, read_only: bool) -> TokenKeeper | None:
        """Let the reranker read the stored token vectors, if these models store any."""
        reranker = self.reranker
        is_stored = keeps_tokens(self.settings.models.tokens, reranker, self.embedder)
        if not is_stored or not isinstance(reranker, Preparing):
            return None
        path = self._store / TOKENS_FILE
        keeper = TokenKeeper(reranker, TokenStore(path, reranker.name, read_only=read_only))
        reranker.reads_from(keeper.store.get)
        return keeper

    # --- the engine -----------------------------------------------------------------------

    @property
    def engine(self) -> Engine:
        """What a search needs, opened when first asked for, by one thread for all."""
        self._check_usable()
        with self._opening:
            if self._engine is None:
                self._engine = self._open_engine()
            return self._engine

    def _open_engine(self) -> Engine:
        catalogue = self.catalogue
        ingest.check_model(catalogue, self.embedder)
        ingest.check_language(catalogue, self.settings.passages.language)
        if not (catalogue.counts() or plugins.active("federated", self.settings)):
            raise UsageError(
                "this workspace holds no evidence yet; add files with `consilience add PATH`"
            )
        notes = self._prepare_stores()
        self._load_models()
        federated, errors = open_federated(self.settings)
        notes += [
            Note("workspace", f"the federated source {name!r} is left out: {reason}")
            for name, reason in errors.items()
        ]
        own = [
            source
            for collection, kinds in catalogue.counts().items()
            for source in self._sources(collection, kinds)
        ]
        sources = {source.name: source for source in (*own, *federated)}
        if not sources:
            raise StoreError("; ".join(note.message for note in self.remarks(Query(text=""))))
        calibration, calibration_notes = open_calibration(self._store, self.embedder.name)
        self._engine_notes = [*notes, *calibration_notes]
        engine = Engine(
            sources=sources,
            lookup=catalogue.get,
            settings=self.settings,
            reranker=self.reranker,
            phrases=catalogue.with_phrase,
            pieces=catalogue.pieces,
            names=catalogue.names_near,
            trust=trust_model(self.embedder.name),
            calibration=calibration,
            generator=self.generator,
            embedder=self.embedder,
            knowledge=self._knowledge(sources.values()),
        )
        plan(Query(text="warm"), engine.knowledge)  # loads what a pack parses questions with
        for source in sources.values():
            if isinstance(source, Warmed):
                with suppress(ConsilienceError):  # reported by the search that needs it
                    source.warm()
        return engine

    def _prepare_stores(self) -> list[Note]:
        """Queue what the stores have lost, open the token vectors; notes on what is wrong."""
        notes = []
        if missing := queue_missing(self.catalogue, self.stores, behind=False):
            text = (
                f"{missing} passages are missing from the stores, whose files were deleted or "
                "damaged; run `consilience add` to write them again"
            )
            notes.append(Note("workspace", text))
        try:
            _ = self.keeping
        except StoreError as error:
            notes.append(Note("workspace", str(error)))
        return notes

    def _load_models(self) -> None:
        """Load the models before any deadline runs; without them, words and graphs still answer."""
        with suppress(Exception):  # reported by the search that needs it
            self.embedder.embed_query("warm")
        if isinstance(self.reranker, Warming):
            with suppress(ModelError):
                self.reranker.warm()

    def _sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection that holds passages of these kinds."""
        return self.stores.sources(collection, kinds)

    def _knowledge(self, sources: Iterable[Retriever]) -> Knowledge:
        catalogue, embedder = self.catalogue, self.embedder
        signals = {source.name: declared_signal(source) for source in sources}
        return Knowledge(
            sources={source.name: source.collection for source in sources},
            signals={name: signal for name, signal in signals.items() if signal is not None},
            sizes={
                name: sum(count for kind, count in kinds.items() if kind not in unsearched_kinds())
                for name, kinds in catalogue.counts().items()
            },
            pack=self.pack,
            settings=self.settings,
            mentions=catalogue.mentions if catalogue.has_names() else (lambda _: ()),
            aliases=catalogue.aliases,
            fields=catalogue.fields(),
            values=cache(catalogue.values_of),
            synonyms=read_synonyms(self.folder, self.pack),
            neighbours=graph_neighbours(catalogue),
            trust=embedder.trust if isinstance(embedder, Weighted) else 1.0,
        )

    # --- the end --------------------------------------------------------------------------

    def announce(self, address: str, secret: str) -> None:
        """Have other processes connect to this one, which serves the workspace there."""
        if self._lock is not None:
            self._lock.announce(address, secret)

    def withdraw(self) -> None:
        """Stop serving other processes."""
        if self._lock is not None:
            self._lock.withdraw()

    def close(self) -> None:
        """Write everything to disk, end the threads and let other processes in; may be repeated.

        In a process that inherited the workspace by `fork` it does nothing.
        """
        if self._closed or self._process != os.getpid():
            return
        self._close_stores()
        self._closed = True
        self._cleanup.close()
        end_idle_threads()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_usable(self) -> None:
        """Refuse a workspace that is closed, or that another process opened."""
        if self._closed:
            raise UsageError(
                f"the workspace {self.folder} is closed; open it again with open_workspace"
            )
        if self._process != os.getpid():
            raise UsageError(
                f"the workspace {self.folder} was opened by process {self._process} and cannot be "
                "used in a process forked from it; open it there after closing it here, or let "
                "both use `consilience serve`"
            )

    def _check_writable(self) -> None:
        if self._copy is not None:
            raise StoreError(f"{self.folder} is read-only; nothing can be added or removed")

    def _close_stores(self) -> None:
        """Close the stores; they are opened again when next needed."""
        with self._opening:
            self._drop_engine()
            stores: Stores | None = self.__dict__.pop("_stores", None)
            if stores is not None:
                stores.close()
            keeper: TokenKeeper | None = self.__dict__.pop("_keeping", None)
            if keeper is not None:
                keeper.close()

    def _drop_engine(self) -> None:
        """Have the next search open an engine that sees the evidence as it is then."""
        with self._opening:  # not while one is being opened
            self._engine = None


def as_list(name: str, values: Iterable[Item]) -> list[Item]:
    """The values of a list; one text is refused, where its letters would be taken."""
    if isinstance(values, str | bytes):
        raise UsageError(f"`{name}` is the text {values!r}, not a list; write [{values!r}]")
    return list(values)


def as_paths(paths: str | Path | Iterable[str | Path]) -> list[str | Path]:
    """One path or several."""
    found = [paths] if isinstance(paths, str | Path) else list(paths)
    for path in found:
        if not isinstance(path, str | Path):
            raise UsageError(
                f"a path is a str or a Path, not {str(path)[:40]!r}; values go in by add_documents"
            )
    return found


def existing_paths(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Paths as absolute ones; one that does not exist is refused."""
    found = [Path(path).absolute() for path in as_paths(paths)]
    for path in found:
        if not path.exists() and not path.is_symlink():
            raise UsageError(f"no such file or folder: {path}")
    return found


def as_query(question: str | Query, options: QueryOptions) -> Query:
    """A question with its options; a query has its own, and none is given beside it."""
    if unknown := sorted(options.keys() - QueryOptions.__annotations__.keys()):
        known = ", ".join(QueryOptions.__annotations__)
        raise UsageError(f"unknown option {unknown[0]!r} of a question; known: {known}")
    if isinstance(question, Query):
        if options:
            raise UsageError(f"a Query has its own options; set {', '.join(options)} in it")
        return question
    parts: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name in ("filters", "collections"):
        parts[name] = tuple(as_list(name, parts.get(name, ())))
    return Query(**{**parts, "text": question, "filters": as_conditions(parts["filters"])})


_NAMED_FILES = 3  # in one note
_NAME_WORD = re.compile(r"[^\W_]{4,}")


def unread_files(catalogue: Catalogue, question: str) -> str:
    """A note on the files that were not read and whose names share a word with the question."""
    words = set(_NAME_WORD.findall(question.casefold()))
    named = [
        f"{record.path} ({record.reason})"
        for record in catalogue.unread()
        if not words.isdisjoint(_NAME_WORD.findall(Path(record.path).stem.casefold()))
    ]
    more = f", and {len(named) - _NAMED_FILES} more" if len(named) > _NAMED_FILES else ""
    shown = "; ".join(named[:_NAMED_FILES])
    return f"not read, though its name is in the question: {shown}{more}" if named else ""
