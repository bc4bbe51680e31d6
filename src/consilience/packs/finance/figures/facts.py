"""Which numbers of the reports does a question ask for?

`ByFigures` reads the question with the words that the numbers themselves are named by, looks them
up in a `FactStore`, and tells what it did: the SQL, what it took for what, and what no number has.
Where it is sure of nothing, a language model may propose the SQL (`proposing`), which is checked
before it runs (`guarding`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import duckdb

from consilience.errors import SourceError
from consilience.filters import passes
from consilience.packs.finance.figures.composing import composed
from consilience.packs.finance.figures.computing import Computed, compute, of_many
from consilience.packs.finance.figures.counted import in_unit
from consilience.packs.finance.figures.cursors import Asked, Patience
from consilience.packs.finance.figures.deriving import derived
from consilience.packs.finance.figures.holding import FactStore
from consilience.packs.finance.figures.proposing import names_of, propose
from consilience.packs.finance.figures.querying import Allowed, Answered, Search
from consilience.packs.finance.figures.selected import selected
from consilience.packs.finance.figures.selecting import Fact, shown
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.asking import Wanted, read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.protocols import Generator, Lookup, Shelf, StoreKind
from consilience.stores.common import check_limit, collection_of, filter_passages
from consilience.types import Found, Request, Signal, SourceReply
from consilience.worker_pool import WorkerPool

LONGEST_MS = 60_000.0
"""How long the engine works on a question that is still waited for."""
PROPOSED_MS = 2000.0
"""How long it works on SQL that a language model proposed."""
_CALCULATED, _BESIDE = 3.0, 3.0
"""How far above the best row a calculation stands with what it was calculated from, and how far
below it what is of other times.
"""
_NEAR = 0.25
_TIED = 1e-6
_MOST_SURE = 5
_FEW = 12
_MOST_OPERANDS = 12
_FIRST = "What was the {} in 2020 compared with the year before?"


class ByFigures:
    """Ranks the rows whose numbers a question asks for, best first, ties by id.

    Where it asks for a calculation, that comes first, with the rows it was made from behind it. The
    score adds up how well each thing that is named is met (see `querying`). Filters bind: they are
    checked on the passages, through `lookup`.
    """

    signal = Signal.ROWS

    def __init__(
        self,
        store: FactStore,
        name: str,
        *,
        lookup: Lookup | None = None,
        deadline_ms: float = LONGEST_MS,
    ) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._deadline_ms = deadline_ms
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` rows."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same, with the statement, the steps that led there and what no number has."""
        check_limit(limit)
        patience = Patience(self._deadline_ms)
        return await self._working(patience, lambda: self._tell(request, limit, patience))

    async def propose(self, request: Request, generator: Generator, *, limit: int) -> SourceReply:
        """What a language model's SQL finds; one that is refused or fails is told as a step."""
        check_limit(limit)
        patience = Patience(PROPOSED_MS)
        vocabulary = await self._workers.run(self._store.vocabulary)
        try:
            sql = await propose(request.text, names_of(request.text, vocabulary), generator)
            return await self._working(
                patience, lambda: self._selected(request, sql, limit, patience)
            )
        except SourceError as error:
            return SourceReply(found=(), steps=(str(error),))

    def warm(self) -> None:
        """Make the vocabulary and have a first question answered."""
        vocabulary = self._store.vocabulary()
        for name in vocabulary.common("metric", 1):
            self._tell(Request(text=_FIRST.format(name)), 1, Patience(LONGEST_MS))

    async def _working(self, patience: Patience, call: Callable[[], SourceReply]) -> SourceReply:
        """What a call in a thread gives; the engine stops when nobody waits for it any more."""
        try:
            return await self._workers.run(call)
        except asyncio.CancelledError:
            patience.give_up()
            raise
        except duckdb.Error as error:
            raise SourceError(
                f"DuckDB could not search {self._store.path}: {error}; "
                "if it happens again, index the collection anew"
            ) from error

    def _tell(self, request: Request, limit: int, patience: Patience) -> SourceReply:
        known = self._store.known()
        wanted = read(request.text, known.vocabulary)
        with self._store.asking(patience) as asked:
            allowed = self._allowed(request)
            search = Search(asked, known.vocabulary, limit, allowed, known.wholes)
            answered, computed = self._answered(asked, search, wanted, known.vocabulary)
            if computed and not passes(computed.passage, request.filters):
                computed = None
            beside = _beside(search, answered, computed)
        return _told(wanted, answered, computed, limit, beside)

    def _selected(self, request: Request, sql: str, limit: int, patience: Patience) -> SourceReply:
        with self._store.asking(patience) as asked:
            told = selected(asked, sql, self.collection, limit, self._allowed(request))
        kept = [
            one for one in told.found if not one.passage or passes(one.passage, request.filters)
        ]
        return SourceReply(found=tuple(kept), query=told.query, steps=told.steps)

    def _answered(
        self, asked: Asked, search: Search, wanted: Wanted, vocabulary: Vocabulary
    ) -> tuple[Answered, Computed | None]:
        """What was found, and what comes out of it; what no report prints is made from others."""
        answered = in_unit(search.find(wanted), wanted)
        computed = self._computed(asked, search, answered)
        other = None if computed else derived(search, wanted, answered, vocabulary)
        if other is None:
            return answered, computed
        made = of_many(asked, "sum", other.facts, self.collection) if other.facts else None
        if made := made or self._computed(asked, search, other.answered):
            return other.answered, made
        missing = tuple(dict.fromkeys((*answered.missing, other.said)))
        return replace(answered, missing=missing, whole=False), None

    def _computed(self, asked: Asked, search: Search, answered: Answered) -> Computed | None:
        """What the question asks to compute; without time left the rows alone are told."""
        if not answered.whole or answered.met is None:
            return None
        try:
            given = (asked, search, answered.met, answered.rows[0], self.collection)
            is_composed, made = composed(*given)
            return made if is_composed else compute(*given)
        except SourceError:
            return None

    def _allowed(self, request: Request) -> Allowed | None:
        if not request.filters:
            return None
        return lambda ids: filter_passages(list(ids), request.filters, self._lookup).keys()


def _beside(search: Search, answered: Answered, computed: Computed | None) -> list[str]:
    """Rows of the same at other times, where a calculation takes all rows that were found: beside
    others its operands are seen to fit about equally well.
    """
    if computed is None or answered.met is None:
        return []
    if not {one.passage for one in answered.rows} <= {*computed.operands}:
        return []
    try:
        facts = search.facts(replace(answered.met, periods=(), is_range=False), _FEW)
    except SourceError:
        return []
    keys = dict.fromkeys(one.passage for one in facts)
    return [key for key in keys if key not in computed.operands][:_FEW]


def _told(
    wanted: Wanted,
    answered: Answered,
    computed: Computed | None,
    limit: int,
    beside: Sequence[str] = (),
) -> SourceReply:
    rows = {one.passage: one.score for one in reversed(answered.rows)}
    top = max(rows.values(), default=0.0)
    found: dict[str, Found] = {}
    query = shown(answered.sql, answered.parameters)
    if computed:
        one = computed.passage
        found[one.id] = Found(one.id, top + _CALCULATED, one)
        for at, key in enumerate(computed.operands):
            found.setdefault(key, Found(key, top + _CALCULATED - (at + 1) / 1000))
        query = f"{query};\n{computed.query}"
    made = tuple(found)[: 1 + _MOST_OPERANDS]
    for key, score in sorted(rows.items(), key=lambda one: (-one[1], _place(answered, one[0]))):
        found.setdefault(key, Found(key, score - len(found) / 1e6))
    for key in beside:
        found.setdefault(key, Found(key, top - _BESIDE - len(found) / 1e6))
    kept = tuple(found.values())[:limit]
    sure = _sure(kept, top, made) if answered.whole and wanted.asks_figure else ()
    return SourceReply(
        found=kept,
        query=query,
        steps=answered.steps,
        missing=_missing(wanted, answered.missing),
        named=_named(wanted),
        sure=sure,
        cells=_cells(answered.rows, sure, top),
    )


def _named(wanted: Wanted) -> tuple[str, ...]:
    """What the question names, in its own words; times as people write them."""
    names = [one.said for one in (*wanted.metrics, *wanted.entities)]
    names += [one for one in wanted.bases if one not in ("actual", "last year")]
    return (*names, *(told(one) for one in wanted.periods))


def _cells(rows: Sequence[Fact], sure: Sequence[str], top: float) -> tuple[tuple[str, int], ...]:
    """The cells that answer: those of the sure rows that fit best, in their order."""
    best: dict[str, float] = {}
    for one in rows:
        best[one.passage] = max(best.get(one.passage, 0.0), one.score)
    meant = [
        one.cell
        for one in rows
        if one.passage in sure and one.score >= max(best[one.passage], top - _NEAR) - _TIED
    ]
    return tuple(dict.fromkeys(meant))


def _sure(found: Sequence[Found], top: float, made: Sequence[str]) -> tuple[str, ...]:
    """A calculation and what it was made from, then what fits about as well as the best row."""
    near = [one.id for one in found if one.score >= top - _NEAR]
    return tuple(near[: max(_MOST_SURE, len(made))])


def _place(answered: Answered, key: str) -> int:
    return next(at for at, one in enumerate(answered.rows) if one.passage == key)


def _missing(wanted: Wanted, missing: Sequence[str]) -> tuple[str, ...]:
    """What is missing of a question for a figure; prose may tell of what no figure has."""
    return tuple(missing) if wanted.asks_figure else ()


def _sources(store: FactStore, shelf: Shelf) -> list[ByFigures]:
    return [ByFigures(store, f"{shelf.collection}/sql", lookup=shelf.lookup)]


FIGURES = StoreKind(
    takes=lambda kind: kind == "row",
    packs=frozenset({"finance"}),
    file="figures.duckdb",
    replaces=frozenset({"tables"}),
    open=lambda path, shelf: FactStore(path, shelf.synonyms),
    sources=_sources,
)
