"""Where do the methods disagree about a question? All of them side by side, with raw scores.

The sources are asked once, with completed scores; every fuser of ours, and the one in use, then
fuses the same rankings by the code that answers a search. Nothing here needs a label: it shows what
each method does, not which is right.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, permutations
from typing import Any, Literal

from consilience.fuse import completes
from consilience.measure.conditions import patient
from consilience.measure.tune.parameters import own_fusers
from consilience.names import surface
from consilience.pipeline import Engine, Gathered, gather, settle
from consilience.plan import kind_of
from consilience.render import passage_json
from consilience.retrieve import Breakers, ask_source
from consilience.types import Ask, Note, Passage, Query, Ranking, Request, Result

FIRST = 10
"""Places over which overlap is counted."""
TOP = 3
"""One method holds a passage among its first so many, another not at all: they disagree."""
DEEPEST = 10_000
RARE = 0.01
"""A word in at most this share of the passages is rare."""
_PATIENCE_MS = 10_000
_LETTERS = 3  # shorter words tell nothing

State = Literal["absent", "rare", "common", "not counted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One method's order: ids with its own scores, best first; `completed` were only scored."""

    name: str
    kind: Literal["source", "fuser", "merged"]
    order: tuple[tuple[str, float], ...]
    completed: int = 0

    @property
    def scores(self) -> list[float]:
        """The scores, best first."""
        return [score for _, score in self.order]

    @property
    def spread(self) -> dict[str, float] | None:
        """Highest, lowest and their distance, and the gaps to the second and the tenth."""
        scores = self.scores
        if not scores:
            return None
        at = {place: scores[min(place, len(scores)) - 1] for place in (2, FIRST)}
        return {
            "max": scores[0],
            "min": scores[-1],
            "spread": scores[0] - scores[-1],
            "gap_to_2": scores[0] - at[2],
            f"gap_to_{FIRST}": scores[0] - at[FIRST],
        }

    def place(self, key: str) -> int | None:
        """Where a passage stands, counted from 1."""
        return next((n for n, (one, _) in enumerate(self.order, start=1) if one == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two sources of one collection: what they share of their first places, and in which order.

    `tau` is Kendall's over what both found: 1 the same order, -1 the reverse; None below two.
    """

    one: str
    other: str
    jaccard: float
    common: int
    tau: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A passage that one source has among its first and another not among all it found.

    `score` is what the other gives it when asked; `lowest` what its last find has.
    """

    passage: str
    holds: str
    place: int
    lacks: str
    asked: int
    score: float
    lowest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the question, and in how many passages it stands."""

    word: str
    passages: int
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A passage that completing scores moved, among the first places; None is beyond them."""

    passage: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All that was seen of one question."""

    result: Result
    columns: tuple[Column, ...]
    overlaps: tuple[Overlap, ...]
    disputes: tuple[Dispute, ...]
    words: tuple[Word, ...]
    moves: tuple[Move, ...]
    passages: Mapping[str, Passage]
    method: str
    notes: tuple[Note, ...] = ()

    def column(self, kind: str) -> list[Column]:
        """The columns of a kind."""
        return [one for one in self.columns if one.kind == kind]

    def shared(self, fuser: Column) -> int:
        """How many of the first places a fuser shares with the one in use."""
        used = next(one for one in self.column("fuser") if one.name == self.method)
        return len(_first(fuser.order) & _first(used.order))

    def as_json(self, places: int) -> dict[str, Any]:
        """For `--json`; only the first places of each method."""
        return {
            "question": self.result.query.text,
            "intent": self.result.trace.plan.intent,
            "rule": self.result.trace.plan.rule,
            "abstained": self.result.abstained,
            "answerable": self.result.answerable,
            "trusts": {name: asdict(one) for name, one in self.result.trace.trusts.items()},
            "told": {
                one.source: {
                    "steps": list(one.steps),
                    "missing": list(one.missing),
                    "sure": list(one.sure),
                    "query": one.query,
                }
                for one in self.result.trace.outcomes
                if one.query or one.steps or one.missing
            },
            "methods": [self._column_json(one, places) for one in self.columns],
            "overlaps": [_plain(one) for one in self.overlaps],
            "disputes": [_plain(one) for one in self.disputes],
            "words": [_plain(one) for one in self.words],
            "completing": [_plain(one) for one in self.moves],
            "passages": {key: passage_json(one) for key, one in self.passages.items()},
            "notes": [str(note) for note in self.notes],
        }

    def _column_json(self, one: Column, places: int) -> dict[str, Any]:
        return {
            "name": one.name,
            "kind": one.kind,
            "found": len(one.order),
            "completed": one.completed,
            "scores": one.spread,
            "first": [{"passage": key, "score": score} for key, score in one.order[:places]],
            **({"shared_with_used": self.shared(one)} if one.kind == "fuser" else {}),
        }


async def diagnose(query: Query, engine: Engine, *, places: int = 5) -> Diagnosis:
    """Ask once, fuse in every way, and compare; `places` of each method are looked up."""
    engine = replace(engine, settings=patient(engine.settings), breakers=Breakers())
    gathered = await gather(query, engine, completing=True)
    merged = await settle(gathered, engine)
    plain = _unranked(gathered)
    method = engine.settings.fusion.method
    columns = [
        *(_source_column(one) for one in gathered.found.rankings),
        *[await _fused(name, plain, engine) for name in sorted({*own_fusers(), method})],
        Column(
            name="merged",
            kind="merged",
            order=tuple((hit.passage.id, hit.score) for hit in merged.hits),
        ),
    ]
    disputes = _disputes(gathered)
    moves = await _moves(plain, method, engine)
    wanted = [key for column in columns for key, _ in column.order[:places]]
    wanted += [one.passage for one in disputes] + [one.passage for one in moves]
    return Diagnosis(
        result=merged,
        columns=tuple(columns),
        overlaps=tuple(_overlaps(gathered.found.rankings)),
        disputes=tuple(disputes),
        words=tuple(await _words(query.text, gathered, engine)),
        moves=tuple(moves),
        passages=_passages(wanted, gathered, engine),
        method=method,
        notes=merged.notes,
    )


def kendall(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Kendall's tau of what two orders share: pairs in the same order less those reversed."""
    places = {key: place for place, key in enumerate(other)}
    common = [places[key] for key in one if key in places]
    pairs = list(combinations(common, 2))
    if not pairs:
        return None
    return sum(1 if first < second else -1 for first, second in pairs) / len(pairs)


def _unranked(gathered: Gathered) -> Gathered:
    """The same without reranking: fusers are compared by what they themselves do."""
    return replace(
        gathered, plan=replace(gathered.plan, query=replace(gathered.plan.query, rerank=False))
    )


def _source_column(ranking: Ranking) -> Column:
    return Column(
        name=ranking.source,
        kind="source",
        order=tuple((one.id, one.score) for one in ranking.found),
        completed=len(ranking.completed),
    )


async def _fused(method: str, gathered: Gathered, engine: Engine) -> Column:
    fusion = replace(engine.settings.fusion, method=method)
    using = replace(engine, settings=replace(engine.settings, fusion=fusion))
    result = await settle(gathered, using)
    return Column(name=method, kind="fuser", order=result.trace.fused)


def _first_votes(rankings: Sequence[Ranking]) -> list[Ranking]:
    """Without second votes (`books/dense+terms`): a source agrees with itself."""
    return [one for one in rankings if "+" not in kind_of(one.source)]


def _overlaps(rankings: Sequence[Ranking]) -> list[Overlap]:
    found = []
    for one, other in combinations(_first_votes(rankings), 2):
        if one.collection != other.collection:
            continue
        mine, theirs = [hit.id for hit in one.found], [hit.id for hit in other.found]
        union = set(mine[:FIRST]) | set(theirs[:FIRST])
        both = set(mine[:FIRST]) & set(theirs[:FIRST])
        found.append(
            Overlap(
                one=one.source,
                other=other.source,
                jaccard=len(both) / len(union) if union else 0.0,
                common=len(set(mine) & set(theirs)),
                tau=kendall(mine, theirs),
            )
        )
    return found


def _disputes(gathered: Gathered) -> list[Dispute]:
    """The passages about which two sources of a collection differ most, best places first.

    A source that cannot say what it thinks of a passage, as it does not hold it, differs not.
    """
    asks = {ask.vote: ask for ask in gathered.plan.asks}
    found: list[Dispute] = []
    for one, other in permutations(_first_votes(gathered.found.rankings), 2):
        scores = {hit.id: hit.score for hit in other.completed}
        if one.collection == other.collection:
            found.extend(
                Dispute(
                    passage=hit.id,
                    holds=one.source,
                    place=place,
                    lacks=other.source,
                    asked=asks[other.source].depth,
                    score=scores[hit.id],
                    lowest=other.found[-1].score,
                )
                for place, hit in enumerate(one.found[:TOP], start=1)
                if hit.id in scores
            )
    return sorted(found, key=lambda each: (each.place, each.holds, each.lacks))


async def _moves(gathered: Gathered, method: str, engine: Engine) -> list[Move]:
    """What completing changed among the first places of the fuser in use."""
    if not completes(method):
        return []
    bare = tuple(replace(one, completed=()) for one in gathered.found.rankings)
    without = replace(gathered, found=replace(gathered.found, rankings=bare))
    before, after = await asyncio.gather(
        _fused(method, without, engine), _fused(method, gathered, engine)
    )
    keys = dict.fromkeys([*_firsts(after.order), *_firsts(before.order)])
    moves = [
        Move(passage=key, before=_within(before.place(key)), after=_within(after.place(key)))
        for key in keys
    ]
    return [one for one in moves if one.before != one.after]


async def _words(text: str, gathered: Gathered, engine: Engine) -> list[Word]:
    """In how many passages each word of the question stands, by the sources of words."""
    asks = [
        ask
        for ask in gathered.plan.asks
        if kind_of(ask.vote) == "bm25" and ask.source in engine.sources
    ]
    asked = {ask.collection for ask in asks}
    total = sum(size for name, size in engine.knowledge.sizes.items() if name in asked)
    words = [one for one in dict.fromkeys(surface(text).split()) if len(one) >= _LETTERS]
    if not total:
        return []
    counts = await asyncio.gather(*(_having(word, asks, engine) for word in words))
    return [
        Word(word=word, passages=count, state=_state(word, count, total, engine))
        for word, count in zip(words, counts, strict=True)
    ]


async def _having(word: str, asks: Sequence[Ask], engine: Engine) -> int:
    counts = []
    for ask in asks:
        request = Request(text=word, filters=ask.request.filters)
        wider = replace(ask, request=request, depth=DEEPEST)
        told, _, _ = await ask_source(wider, engine.sources[ask.source], hard_ms=_PATIENCE_MS)
        counts.append(len(told.found))
    return sum(counts)


def _state(word: str, count: int, total: int, engine: Engine) -> State:
    """A word that no source of words finds, though it stands there, is one they leave out."""
    if count:
        return "rare" if count <= max(1.0, RARE * total) else "common"
    return "not counted" if any(_has(one, word) for one in engine.phrases(word, 50)) else "absent"


def _has(passage: Passage, word: str) -> bool:
    return word in surface(passage.indexed).split()


def _passages(keys: Sequence[str], gathered: Gathered, engine: Engine) -> dict[str, Passage]:
    wanted = dict.fromkeys(keys)
    brought = {
        one.id: one.passage
        for ranking in gathered.found.rankings
        for one in ranking.found
        if one.passage is not None and one.id in wanted
    }
    known = {**brought, **engine.lookup(list(wanted))}
    return {key: known[key] for key in wanted if key in known}


def _firsts(order: Sequence[tuple[str, float]]) -> list[str]:
    return [key for key, _ in order[:FIRST]]


def _first(order: Sequence[tuple[str, float]]) -> set[str]:
    return set(_firsts(order))


def _within(place: int | None) -> int | None:
    return place if place is not None and place <= FIRST else None


def _plain(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
