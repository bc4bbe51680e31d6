"""Which numbers of the reports does a question ask for?

`FigureSource` parses the question into a `FigureQuery`, looks its things up in a `FigureStore`, and
says what it did: what was taken for what, the SQL, and what no report has. Where it is sure of
nothing, a language model may fill the same query; each of its values has to quote the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import duckdb

from consilience.errors import SourceError
from consilience.filters import passes
from consilience.packs.finance.figures.calculation import Calculation, Calculator
from consilience.packs.finance.figures.query import FigureQuery, fill_query, parse_query
from consilience.packs.finance.figures.search import Allowed, FigureSearch, Found
from consilience.packs.finance.figures.store import Asked, Fact, FigureStore, Patience
from consilience.packs.finance.notation.periods import told
from consilience.protocols import Generator, Lookup, Shelf, StoreKind
from consilience.stores.common import check_limit, collection_of, filter_passages
from consilience.types import Found as Entry
from consilience.types import Request, Signal, SourceReply
from consilience.worker_pool import WorkerPool

LONGEST_MS = 60_000.0
"""How long the engine works on a question that is still waited for."""
_CALCULATED = 3.0
"""How far above the best row a calculation stands with what it was calculated from."""
_NEAR = 0.02
"""Cells that fit within this of the best answer together, where they say the same."""
_MOST_SURE = 8
_MOST_OPERANDS = 12


class FigureSource:
    """Ranks the rows whose numbers a question asks for, best first, ties by id.

    Where it asks for a calculation, that comes first, with the rows it was made from behind it.
    Filters bind: they are checked on the passages, through `lookup`.
    """

    signal = Signal.ROWS

    def __init__(
        self,
        store: FigureStore,
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

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Entry]:
        """At most `limit` rows."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same, with the statement, the steps that led there and what no report has."""
        check_limit(limit)
        patience = Patience(self._deadline_ms)

        def answer() -> SourceReply:
            lexicon = self._store.lexicon()
            query = parse_query(request.text, lexicon)
            with self._store.asking(patience) as asked:
                reply = self._answer(query, request, limit, asked)
                if reply.sure or not any(one.kind == "label" for one in query.terms):
                    return reply
                plain = parse_query(request.text, lexicon, labels=False)
                if not plain.measures:
                    return reply
                other = self._answer(plain, request, limit, asked)
                return other if other.sure else reply

        return await self._working(patience, answer)

    async def propose(self, request: Request, generator: Generator, *, limit: int) -> SourceReply:
        """What is found when a language model fills the query; what it may not say is a step."""
        check_limit(limit)
        patience = Patience(self._deadline_ms)
        lexicon = await self._workers.run(self._store.lexicon)
        try:
            query = await fill_query(request.text, lexicon, generator)

            def answer() -> SourceReply:
                with self._store.asking(patience) as asked:
                    return self._answer(query, request, limit, asked)

            return await self._working(patience, answer)
        except SourceError as error:
            return SourceReply(found=(), steps=(str(error),))

    def warm(self) -> None:
        """Make the lexicon and have a first question answered."""
        lexicon = self._store.lexicon()
        for row in lexicon.rows[:1]:
            query = parse_query(f"What was the {row.metric or row.label}?", lexicon)
            with self._store.asking(Patience(LONGEST_MS)) as asked:
                self._answer(query, Request(text=query.text), 1, asked)

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
                "if it happens again, rebuild the index with `consilience rebuild`"
            ) from error

    def _answer(
        self, query: FigureQuery, request: Request, limit: int, asked: Asked
    ) -> SourceReply:
        lexicon = self._store.lexicon()
        told = {one.kind for one in query.terms} - (
            {"word", "name"} if query.wants_words else set()
        )
        if not told:
            return SourceReply(found=(), steps=tuple(query.lines()), missing=_unknown(query))
        search = FigureSearch(asked, lexicon, query, self._allowed(request))
        found = self._lookups(search, query)
        calculator = Calculator(search, query, self.collection)
        made = None if query.unknown or query.wants_words else calculator.calculate()
        if made and not passes(made.passage, request.filters):
            made = None
        return _reply(query, found, made, calculator.missing, search.statements, limit)

    def _lookups(self, search: FigureSearch, query: FigureQuery) -> list[Found]:
        periods = query.periods or (None,)
        companies = query.companies or ("",)
        measures = query.measures
        terms = query.terms
        if len(measures) > 1 and query.operation == "lookup":
            whole = search.find(terms, periods[0])
            if not whole.is_sure:
                others = tuple(one for one in terms if one.kind != "measure")
                return [
                    search.find((one, *others), period, company=company)
                    for one in measures
                    for company in companies
                    for period in periods
                ]
        return [
            search.find(terms, period, company=company)
            for company in companies
            for period in periods
        ]

    def _allowed(self, request: Request) -> Allowed | None:
        if not request.filters:
            return None
        return lambda ids: filter_passages(list(ids), request.filters, self._lookup).keys()


def _unknown(query: FigureQuery) -> tuple[str, ...]:
    return query.unknown if not query.wants_words else ()


def _reply(
    query: FigureQuery,
    found: Sequence[Found],
    made: Calculation | None,
    lacking: Sequence[str],
    statements: Sequence[str],
    limit: int,
) -> SourceReply:
    """The rows in their order, what is sure of them, and what was done."""
    top = max((one.score for each in found for one in each.facts), default=0.0)
    entries: dict[str, Entry] = {}
    if made:
        entries[made.passage.id] = Entry(made.passage.id, top + _CALCULATED, made.passage)
        for at, key in enumerate(made.operands[:_MOST_OPERANDS]):
            entries.setdefault(key, Entry(key, top + _CALCULATED - (at + 1) / 1000))
    calculated = tuple(entries)
    best = [one.facts[0] for one in found if one.facts]
    for at, fact in enumerate(best):
        entries.setdefault(fact.passage, Entry(fact.passage, top + 0.5 - at / 1000))
    rest = sorted(
        (fact for one in found for fact in one.facts),
        key=lambda one: (-one.score, one.page or 0, one.passage),
    )
    for fact in rest:
        entries.setdefault(fact.passage, Entry(fact.passage, fact.score - len(entries) / 1e6))
    sure = calculated if made else _sure(query, found)
    is_calculation = query.operation not in ("lookup", "trend") or bool(query.numerator)
    if is_calculation and not made:
        sure = ()
    missing = _missing(query, found, made)
    steps = [*query.lines(), *(one.note for one in found if one.note)]
    if lacking and not made:
        steps += [f"not found: {one}" for one in dict.fromkeys(lacking)]
    keys = [one for one in entries if one in sure]
    return SourceReply(
        found=tuple(sorted(entries.values(), key=lambda one: -one.score))[:limit],
        query=";\n".join(dict.fromkeys([*statements[:3], *([made.query] if made else [])])),
        steps=tuple(steps),
        missing=missing,
        named=tuple(one.words for one in query.terms) + tuple(told(one) for one in query.periods),
        sure=tuple(keys) if not missing else (),
        cells=_cells(query, found) if not made and not missing and sure else (),
    )


def _sure(query: FigureQuery, found: Sequence[Found]) -> tuple[str, ...]:
    if query.wants_words or query.unknown:
        return ()
    facts = _answering(found)
    return tuple(dict.fromkeys(one.passage for one in facts))[:_MOST_SURE]


def _cells(query: FigureQuery, found: Sequence[Found]) -> tuple[tuple[str, int], ...]:
    if query.wants_words or query.unknown:
        return ()
    return tuple(dict.fromkeys(one.cell for one in _answering(found)))


def _answering(found: Sequence[Found]) -> list[Fact]:
    """The best cell of each thing that is asked, with others that print the same number."""
    facts: list[Fact] = []
    for each in found:
        best = each.best
        if best is None:
            continue
        facts.append(best)
        facts += [
            one
            for one in each.facts[1:]
            if one.number == best.number
            and one.unit == best.unit
            and (one.company, one.period) == (best.company, best.period)
            and one.score >= best.score - 0.5
        ][:2]
    return facts


def _missing(
    query: FigureQuery, found: Sequence[Found], made: Calculation | None
) -> tuple[str, ...]:
    """What of a question for a figure no report has; prose may speak of it all the same."""
    if query.wants_words or made is not None:
        return _unknown(query)
    if query.unknown:
        return query.unknown
    lost = [name for one in found if not one.is_sure for name in one.missing]
    known = any(one.kind in ("measure", "label") for one in query.terms)
    if query.periods and not known and not any(one.is_sure for one in found):
        lost += query.unread
    if not any(one.facts for one in found):
        lost += [told(one) for one in query.periods]
    elif all(not one.facts for one in found):
        lost += [one.words for one in query.terms]
    return tuple(dict.fromkeys(lost))


def _sources(store: FigureStore, shelf: Shelf) -> list[FigureSource]:
    return [FigureSource(store, f"{shelf.collection}/sql", lookup=shelf.lookup)]


FIGURES = StoreKind(
    takes=lambda kind: kind == "row",
    packs=frozenset({"finance"}),
    file="figures.duckdb",
    replaces=frozenset({"tables"}),
    open=lambda path, shelf: FigureStore(path, shelf.synonyms),
    sources=_sources,
)
