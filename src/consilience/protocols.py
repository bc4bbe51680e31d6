"""What does a plug-in look like? Small protocols, each with its promise in the docstring.

Engines that block are called in threads by the adapter; the protocols are async where I/O or
a model is behind them, and plain where the work is pure.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from consilience.types import (
    Block,
    Chain,
    Checked,
    Document,
    Exhibit,
    Figure,
    Found,
    Metadata,
    Passage,
    Prompt,
    Request,
    Signal,
    SourceReply,
    indexed,
)

if TYPE_CHECKING:  # numpy costs more at import than all of this package
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"


class Loader(Protocol):
    """Reads one file. Raises `LoadError` with a reason a person can act on; never returns part
    of a file without saying so in the document's notes.
    """

    def __call__(self, path: Path) -> Document: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much fits into a passage: `count` measures texts in the encoder's tokens, `limit` is
    how many it reads, `target` how many a passage is filled to where the structure allows.
    """

    count: Callable[[Sequence[str]], Sequence[int]]
    limit: int
    target: int

    def sizes(self, title: str, blocks: Sequence[Block]) -> Sequence[int]:
        """The tokens of blocks as passages of a document of this title, as they are indexed."""
        texts = [
            indexed(title, block.locator.section, block.search or block.text) for block in blocks
        ]
        return self.count(texts) if texts else ()


class Cutter(Protocol):
    """Cuts what a loader read where only the loader's domain knows how: a game by its variations.

    Every block of the document it gives fits the room; what is left over is cut by words.
    """

    def __call__(self, document: Document, room: Room) -> Document: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a loader plug-in registers: the file names it reads, by their endings, and how.

    `version` goes up when the loader reads the same file differently: files that an older
    version read are then read again. The longest ending wins (`.graph.jsonl` over `.jsonl`).
    With `packs` it reads these files in workspaces of those only, instead of whoever reads them
    elsewhere.
    """

    endings: tuple[str, ...]
    version: int
    load: Loader
    cut: Cutter | None = None
    packs: frozenset[str] = frozenset()


class Retriever(Protocol):
    """One source over one collection. At most `limit` passages, best first, each once; ties by
    id. No match is empty, not an error; a refusal or failure raises `SourceError`.

    A source may have an attribute `signal: Signal`: what it ranks by (see `declared_signal`), and
    `blocks = False`: a promise that it never blocks the event loop. Others run in a thread.
    """

    @property
    def name(self) -> str: ...

    @property
    def collection(self) -> str: ...

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]: ...


def declared_signal(source: Retriever) -> Signal | None:
    """What a source says that it ranks by; None for one that does not say."""
    signal = getattr(source, "signal", None)
    return signal if isinstance(signal, Signal) else None


@runtime_checkable
class Warmed(Protocol):
    """A source that can get ready before the first question, so that no deadline pays for it."""

    def warm(self) -> None: ...


@runtime_checkable
class Teller(Protocol):
    """A source that says how it came to what it found, where that is of interest."""

    async def tell(self, request: Request, *, limit: int) -> SourceReply: ...


@runtime_checkable
class Proposer(Protocol):
    """A source that can have a language model put a question into its engine's own words.

    What the model proposes is checked before it runs; one that is refused is told in `steps`.
    """

    async def propose(
        self, request: Request, generator: Generator, *, limit: int
    ) -> SourceReply: ...


@runtime_checkable
class Scorer(Protocol):
    """A source that can score named passages for a request, whether it would find them or not.

    An id that it does not hold, or that a filter excludes, is absent from the answer.
    """

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike passages are, from 0 to 1: a row and a column for each id. One that is not
    known is like no other.
    """

    ids: tuple[str, ...]
    matrix: Vectors

    def between(self, ids: Sequence[str]) -> Vectors:
        """The likeness of these, in their order."""
        import numpy as np  # noqa: PLC0415 - costs more than all of this package

        places = {key: place for place, key in enumerate(self.ids)}
        rows = np.array([places.get(key, -1) for key in ids])
        known = rows >= 0
        part: Vectors = self.matrix[np.ix_(rows, rows)] * np.outer(known, known)
        return part


@runtime_checkable
class Comparer(Protocol):
    """A source that can compare passages with one another. One that it does not hold is absent."""

    async def compare(self, ids: Sequence[str]) -> Likeness: ...


@runtime_checkable
class Connector(Protocol):
    """A source that can tell how things of a graph connect: at most `limit` chains from one of
    `starts` to one of `ends`, nodes by their ids, best first, ties by id. None is empty.
    """

    async def connect(
        self, starts: Sequence[str], ends: Sequence[str], *, limit: int
    ) -> Sequence[Chain]: ...


@runtime_checkable
class TermConnector(Protocol):
    """A `Connector` of terms by the texts that use them: `starts` and `ends` are the names of one
    term each. `has_term` says whether a text uses a term.
    """

    def has_term(self, name: str) -> bool: ...


class Index(Protocol):
    """What ingest writes to. `write` replaces passages of the same id; both calls may be
    repeated after a crash without harm. Passages and vectors stand in the same order.
    """

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None: ...

    def remove(self, ids: Sequence[str]) -> None: ...


class Lookup(Protocol):
    """Gives the passages of these ids; an unknown id is absent from the answer."""

    def __call__(self, ids: Sequence[str]) -> Mapping[str, Passage]: ...


class Store(Index, Protocol):
    """One engine's part of one collection, opened for this process alone."""

    def close(self) -> None: ...


class PassageStore(Store, Protocol):
    """The store of all passages that are searched as text, which indexing keeps complete.

    `count` and `ids` say what it holds. `reweigh` comes with the passages when the collection's
    average length has moved, and `optimize` at the end of a run; both may do nothing.
    """

    def count(self) -> int: ...

    def ids(self) -> Iterable[str]: ...

    def reweigh(self, passages: Sequence[Passage], average_length: float) -> None: ...

    def optimize(self) -> None: ...


@runtime_checkable
class Renewable(Protocol):
    """A store that can be built anew while it is searched: `renew` starts with nothing beside it,
    and `optimize` has that searched, from when it `is_published`. `drop` deletes all of it.
    """

    @property
    def is_published(self) -> bool: ...

    def renew(self) -> None: ...

    def drop(self) -> None: ...


class QueryVectors(Protocol):
    """Gives a question's vector, one row; may remember it."""

    async def get(self, text: str) -> Vectors: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What a store and its sources may use of the workspace they stand in.

    `average_length` is the mean number of words BM25 counts in a passage of the collection,
    `exact` the size up to which meaning is compared with every passage. `synonyms` are the words
    that the workspace and its pack take for one another.
    """

    collection: str
    dimensions: int
    language: str
    average_length: float
    exact: int
    vectors: QueryVectors
    lookup: Lookup
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """What a store plug-in registers: which passages it takes, where, and how they are ranked.

    `takes` says whether passages of a kind go into it. With `packs` it is active only in workspaces
    of those. Where it is active it takes the place of the stores that it `replaces`; one that
    replaces `passages` opens a `PassageStore`. `file` is the name of what it keeps in the
    collection's folder. `sources` gives the ways to rank what an open store holds,
    each named COLLECTION/KIND.
    """

    takes: Callable[[str], bool]
    file: str
    open: Callable[[Path, Shelf], Store]
    sources: Callable[[Any, Shelf], Sequence[Retriever]]
    packs: frozenset[str] = frozenset()
    replaces: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedPassage:
    """What an index elsewhere found: the text to cite, its title, and the link to its place."""

    text: str
    title: str
    link: str
    score: float
    metadata: Metadata = field(default_factory=dict)


class FederatedSource(Protocol):
    """An index that exists elsewhere: a wiki, a search server. Nothing of it is ingested here.

    At most `limit` passages, best first. No match is empty, not an error; a refusal or failure
    raises `SourceError`. The same question finds the same while the index does not change.
    """

    async def search(self, text: str, *, limit: int) -> Sequence[FederatedPassage]: ...


class Embedder(Protocol):
    """Turns texts into unit vectors, one row each, in order.

    `name` identifies the model exactly (a store refuses to mix two), `limit` is how many
    tokens it reads, `count` measures texts in those tokens. A text over the limit is refused;
    only a question, which nobody cites, is cut to fit by `embed_query` (one row's vector).
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def limit(self) -> int: ...

    def count(self, texts: Sequence[str]) -> Sequence[int]: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...

    def embed_query(self, text: str) -> Vectors: ...


@runtime_checkable
class Weighted(Protocol):
    """An embedder that says what its vote weighs against one by words; without, it is 1."""

    @property
    def trust(self) -> float: ...


class Reranker(Protocol):
    """Scores passages for a question, in order; higher is better. None is no opinion: that
    passage keeps the score it has.
    """

    @property
    def name(self) -> str: ...

    async def rerank(self, text: str, passages: Sequence[Passage]) -> Sequence[float | None]: ...


@runtime_checkable
class Warming(Reranker, Protocol):
    """A reranker that can be loaded before the first question, so that no deadline pays for it."""

    def warm(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A few letters that a language model wrote. The last one has the tokens it read and wrote,
    where the server counts them, and how often the request was made again.
    """

    text: str = ""
    asked: int = 0
    written: int = 0
    retries: int = 0


class Generator(Protocol):
    """A language model: what it writes comes as it is written.

    At most `most` tokens are written. With `schema`, a JSON schema, what comes is meant to be
    JSON of that shape; the caller checks it all the same. A failure, a server that is gone or
    one that takes too long raises `ModelError`. Whoever stops reading stops the model.
    """

    @property
    def name(self) -> str: ...

    def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Chunk]: ...


@runtime_checkable
class Closable(Protocol):
    """A model that holds a process or a connection until it is closed."""

    def close(self) -> None: ...


class Check(Protocol):
    """What a pack adds to the checking of answers: legal moves, known places.

    `text` is a statement of an answer without its marks, `cited` the exhibits that it cites.
    """

    def __call__(self, text: str, cited: Sequence[Exhibit]) -> Checked: ...


class Draw(Protocol):
    """What a pack adds to show what an answer speaks of: a board for `[DIAGRAM 12...Nd5]`.

    `wanted` is what stands behind the word, `cited` the exhibits of the statement. Gives the
    figure, or the reason why there is none: nothing is drawn that the evidence does not hold.
    """

    def __call__(self, wanted: str, cited: Sequence[Exhibit]) -> Figure | str: ...


class Kept(Protocol):
    """Gives what was kept for passages of these ids; an unknown id is absent from the answer."""

    def __call__(self, ids: Sequence[str]) -> Mapping[str, bytes]: ...


@runtime_checkable
class Preparing(Reranker, Protocol):
    """A reranker that can read passages when they come in rather than at each question.

    What `prepare` gives for a text may be kept with its passage, and read back through the
    look-up given to `reads_from`. With `embedder` it also gives that model's vectors, from one
    run where both are made by the same network. `ready` says whether that is so.
    """

    def ready(self, embedder: Embedder) -> bool: ...

    def prepare(
        self, texts: Sequence[str], embedder: Embedder
    ) -> tuple[Vectors, Sequence[bytes]]: ...

    def reads_from(self, kept: Kept) -> None: ...
