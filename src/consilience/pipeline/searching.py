"""How does a question become an explained ranking? plan → retrieve → complete → fuse → refine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from consilience.complete import compare, complete
from consilience.filters import passes
from consilience.fuse import (
    Fused,
    Mixture,
    Options,
    adapts,
    can_hear,
    completes,
    fuse_levels,
    lean,
)
from consilience.names import surface
from consilience.pipeline.engine import Engine, Gathered
from consilience.pipeline.joining import unjoined
from consilience.pipeline.weighing import weighed_hits
from consilience.plan import plan
from consilience.protocols import Likeness, Lookup
from consilience.refine import (
    Copies,
    Refined,
    agree,
    boost,
    cap,
    cite,
    cut,
    dedupe,
    diversify,
    guarantee,
    promises_of,
    rerank,
)
from consilience.relevance import FIRST
from consilience.retrieve import Retrieved, proposed, retrieve
from consilience.settings import Fusion, Settings
from consilience.trust import trusts, weighed, wished
from consilience.types import Hit, Note, Passage, Plan, Query, Result, Trace, Trust, Vote

PHRASES = (200, 2000)
"""How many passages are looked at for a phrase, and how many if it is in none of those."""


async def search(query: Query, engine: Engine, *, proposing: bool = False) -> Result:
    """Answer a query with hits in order, each with the votes and changes that placed it.

    With `proposing` the language model helps sources that found nothing sure.
    """
    return await settle(await gather(query, engine, proposing=proposing), engine)


async def gather(
    query: Query, engine: Engine, *, completing: bool = False, proposing: bool = False
) -> Gathered:
    """Plan, ask every source, complete their scores and compare passages, as the fuser wants.

    With `completing` that is done whatever the fuser: for those who will try several.
    """
    clock = Clock()
    with clock.timing("plan"):
        todo = plan(query, engine.knowledge)
    with clock.timing("retrieve"):
        found = await retrieve(
            todo, engine.sources, settings=engine.settings.retrieve, breakers=engine.breakers
        )
    if proposing and engine.generator is not None and engine.settings.answer.propose == "yes":
        with clock.timing("propose"):
            todo, found = await proposed(
                todo, found, engine.sources, engine.generator, settings=engine.settings
            )
    likeness: Mapping[str, Likeness] = {}
    if completing or completes(engine.settings.fusion.method):
        with clock.timing("complete"):
            found, likeness = await _completed(todo, found, engine, comparing=completing)
    return Gathered(plan=todo, found=found, likeness=likeness, timing_ms=clock.ms)


async def settle(gathered: Gathered, engine: Engine) -> Result:
    """Fuse what was gathered and refine it. The sources are not asked again."""
    todo, found = gathered.plan, gathered.found
    clock = Clock(gathered.timing_ms)
    with clock.timing("fuse"):
        shares = lean(found.rankings, todo.shares, width=engine.settings.fusion.lean)
        trusted = _trusts(gathered, engine)
        told = {name: _told(one, todo, engine) for name, one in trusted.items()}
        fused = _fuse(gathered, engine, shares, trusted)
    with clock.timing("look up"):
        window = _window(fused, found, todo, engine)
        window = await _with_phrases(window, fused, gathered, engine)
    with clock.timing("refine"):
        whole = await _refine(gathered, window, engine)
        refined = cut(whole, limit=todo.query.limit, few=engine.settings.refine.few)
        weighed = weighed_hits(
            refined.hits,
            whole.hits[:FIRST],
            gathered,
            engine,
        )
    return Result(
        query=todo.query,
        hits=weighed.hits,
        notes=(
            *_offers(todo),
            *unjoined(found.rankings, todo, engine.lookup),
            *found.notes,
            *refined.notes,
            *weighed.notes,
        ),
        abstained=weighed.abstained,
        answerable=weighed.answerable,
        more=whole.hits[len(refined.hits) :],
        trace=Trace(
            plan=todo,
            rankings=found.rankings,
            outcomes=found.outcomes,
            shares=shares,
            trusts=told,
            fused=fused.order,
            losses=refined.losses,
            timing_ms=clock.ms,
        ),
    )


def _offers(todo: Plan) -> list[Note]:
    """What a person may say to be understood better."""
    return [Note("question", one) for one in todo.offers]


async def _completed(
    todo: Plan, found: Retrieved, engine: Engine, *, comparing: bool
) -> tuple[Retrieved, Mapping[str, Likeness]]:
    """What was found with completed scores and, for a fuser that adapts, how alike passages are."""
    hard_ms = engine.settings.retrieve.hard_ms
    wanted = found.rankings if comparing or adapts(engine.settings.fusion.method) else ()
    (rankings, notes), (likeness, more) = await asyncio.gather(
        complete(todo, found.rankings, engine.sources, deadline_ms=hard_ms),
        compare(wanted, engine.sources, deadline_ms=hard_ms),
    )
    return replace(found, rankings=rankings, notes=(*found.notes, *notes, *more)), likeness


def _trusts(gathered: Gathered, engine: Engine) -> dict[str, Trust]:
    """How far each side is trusted in each collection, for a fuser that asks."""
    settings, text = engine.settings.fusion, gathered.plan.query.text
    if not adapts(settings.method):
        return {}
    found = trusts(gathered.found.rankings, text, engine.trust)
    alpha, likeness = _alpha(gathered.plan, settings), gathered.likeness
    return {
        name: wished(
            one,
            alpha=alpha,
            neighbours=settings.neighbours if can_hear(likeness.get(name)) else 0.0,
        )
        for name, one in found.items()
    }


def _told(trust: Trust, todo: Plan, engine: Engine) -> Trust:
    """A trust with the weights that are in force: 1 is what the sides have by themselves."""
    weights = {ask.vote: ask.weight for ask in todo.asks}
    meaning, words = (weights.get(f"{trust.collection}/{kind}", 1.0) for kind in ("dense", "bm25"))
    return weighed(trust, meaning=meaning / engine.knowledge.trust, words=words)


def _alpha(todo: Plan, settings: Fusion) -> float:
    return settings.alphas.get(todo.intent, settings.alpha)


def _fuse(
    gathered: Gathered, engine: Engine, shares: Mapping[str, float], trusted: Mapping[str, Trust]
) -> Fused:
    todo, settings = gathered.plan, engine.settings.fusion
    weights = {ask.vote: ask.weight for ask in todo.asks}
    own = engine.knowledge.trust
    return fuse_levels(
        gathered.found.rankings,
        method=settings.method,
        across=settings.across,
        options=Options(k=settings.k, alpha=_alpha(todo, settings), weights=weights),
        shares=shares,
        mixtures={
            name: Mixture(
                alpha=one.meaning / (one.meaning + one.words * own),
                neighbours=one.neighbours,
                likeness=gathered.likeness.get(name),
            )
            for name, one in trusted.items()
        },
    )


def _window(fused: Fused, found: Retrieved, todo: Plan, engine: Engine) -> Refined:
    """The first hits with their passages; an id that no passage stands behind is remarked on.

    A question that calls for some kind of evidence looks at the best of every source as well:
    what one source alone can find, a path, a row or a position, may have too few votes to come
    this far. So does one that names something exactly.
    """
    size = window_size(engine.settings, todo.query.limit, reranks=engine.reranker is not None)
    size *= todo.window
    calls = todo.cover or todo.identifiers
    best = {ranking.found[0].id for ranking in found.rankings} if calls else set()
    best |= {*found.sure}
    first = [*fused.order[:size], *(one for one in fused.order[size:] if one[0] in best)]
    passages = _passages([key for key, _ in first], found, engine.lookup)
    hits = [
        Hit(passage=passages[key], score=score, votes=_votes(key, fused, found))
        for key, score in first
        if key in passages
    ]
    lost = len(first) - len(hits)
    notes = (Note("search", f"{lost} stale results left out; run `consilience add`"),)
    return Refined(hits=tuple(hits), notes=notes if lost else ())


def _votes(key: str, fused: Fused, found: Retrieved) -> tuple[Vote, ...]:
    """The votes for a passage, each with what its source says of why it found it."""
    reasons = {
        one.source: reason for one in found.outcomes for id_, reason in one.reasons if id_ == key
    }
    votes = fused.votes(key)
    return tuple(_reasoned(vote, reasons) for vote in votes) if reasons else votes


def _reasoned(vote: Vote, reasons: Mapping[str, str]) -> Vote:
    parts = tuple(_reasoned(part, reasons) for part in vote.parts)
    return replace(vote, parts=parts, because=reasons.get(vote.source, ""))


async def _with_phrases(
    window: Refined, fused: Fused, gathered: Gathered, engine: Engine
) -> Refined:
    """The window with passages for each identifier that none of its hits has exactly.

    They come last, with the few votes they got or none; their guarantee will place the best.
    """
    todo = gathered.plan
    scores, has = dict(fused.order), engine.knowledge.pack.questions.has
    places = min(engine.settings.refine.pinned, todo.query.limit)
    for identifier in todo.identifiers[:places]:
        if any(has(hit.passage, identifier) for hit in window.hits) or not surface(identifier):
            continue
        having, all_seen = await asyncio.to_thread(_having, identifier, todo, engine)
        having.sort(key=lambda one: -scores.get(one.id, 0.0))
        hits = [
            Hit(
                passage=one,
                score=scores[one.id],
                votes=_votes(one.id, fused, gathered.found),
            )
            if one.id in scores
            else Hit(passage=one, score=0.0)
            for one in having[:places]
        ]
        which = f"no passage{_asked_for(todo)}" if all_seen else f"none of {PHRASES[-1]} passages"
        note = Note("search", f"{which} has {identifier!r} exactly")
        window = window.then([*window.hits, *hits], notes=() if hits else (note,))
    return window


def _having(identifier: str, todo: Plan, engine: Engine) -> tuple[list[Passage], bool]:
    """The passages that have an identifier, of those asked for; and whether all were seen.

    The look-up may give others as well, so it is asked for more while nothing comes of it.
    """
    filters = {ask.collection: ask.request.filters for ask in todo.asks if not ask.skip}
    having: list[Passage] = []
    found: Sequence[Passage] = ()
    for limit in PHRASES:
        found = engine.phrases(identifier, limit)
        having = [
            one
            for one in found
            if one.collection in filters
            and engine.knowledge.pack.questions.has(one, identifier)
            and passes(one, filters[one.collection])
        ]
        if having or len(found) < limit:
            break
    return having, len(found) < PHRASES[-1]


def _asked_for(todo: Plan) -> str:
    return " that was asked for" if todo.query.filters or todo.query.collections else ""


def window_size(settings: Settings, limit: int, *, reranks: bool) -> int:
    """How many of the fused are refined: room to choose from, and what the reranker wants."""
    wanted = settings.refine.rerank if reranks else 0
    return max(settings.refine.window, 2 * limit, wanted)


def _passages(ids: Sequence[str], found: Retrieved, lookup: Lookup) -> dict[str, Passage]:
    wanted = set(ids)
    brought = {
        one.id: one.passage
        for ranking in found.rankings
        for one in ranking.found
        if one.passage is not None and one.id in wanted
    }
    return {**brought, **lookup(ids)}


def _copies(engine: Engine) -> Copies:
    pack = engine.knowledge.pack
    return Copies(identities=pack.files.identities, worth=pack.files.worth)


async def _refine(gathered: Gathered, window: Refined, engine: Engine) -> Refined:
    settings, todo = engine.settings.refine, gathered.plan
    limit = todo.query.limit
    refined = window
    if engine.learned is not None:
        refined = refined.then(engine.learned(refined.hits, todo))
    refined = boost(refined, todo.boosts)
    if settings.cited:
        refined = cite(refined, engine.cited(), weight=settings.cited)
    refined = agree(refined, bonus=engine.settings.fusion.bonus)
    refined = dedupe(refined, _copies(engine), threshold=settings.duplicate)
    if todo.query.rerank and todo.reranks:
        refined = await rerank(
            refined,
            todo.spelt_out,
            engine.reranker,
            depth=settings.rerank,
            blend=settings.blend,
            timeout_ms=settings.rerank_ms,
        )
    refined = diversify(refined, trust=settings.mmr, places=limit)
    refined = cap(refined, share=settings.share)
    promises = promises_of(
        refined,
        todo,
        pinned=settings.pinned,
        has=engine.knowledge.pack.questions.has,
        sure=gathered.found.sure,
    )
    return guarantee(refined, promises)


def made(result: Result, shown: Sequence[Passage] | None = None) -> list[Passage]:
    """Of what is shown, by itself the hits, what a source made for this question: the catalogue
    does not have it yet.
    """
    brought = {
        one.id
        for ranking in result.trace.rankings
        for one in ranking.found
        if one.passage is not None
    }
    passages = [hit.passage for hit in result.hits] if shown is None else shown
    return [one for one in passages if one.id in brought]


class Clock:
    """Milliseconds of each stage."""

    def __init__(self, so_far: Mapping[str, float] | None = None) -> None:
        self.ms: dict[str, float] = dict(so_far or {})

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Time what runs under it."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.ms[stage] = round((time.perf_counter() - started) * 1000, 3)
