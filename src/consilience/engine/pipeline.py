"""How does a question become an explained ranking? plan → retrieve → complete → fuse → refine.

`gather` plans and asks the sources, `fuse_and_refine` turns their answers into a result. Tuning
gathers once and fuses under many settings.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from consilience.engine.complete import compare, complete
from consilience.engine.coverage import uncovered, windows
from consilience.engine.deduplication import Copies
from consilience.engine.fusion import (
    Fused,
    Mixture,
    completes,
    damp_collections,
    find_fuser,
    fuse_levels,
    has_enough_neighbours,
)
from consilience.engine.fusion_methods import Options
from consilience.engine.plan import Knowledge, plan
from consilience.engine.refine import (
    CAPPED,
    Refined,
    boost,
    cap,
    cut,
    dedupe,
    diversify,
    guarantee,
    keep_best_of_document,
    rerank,
)
from consilience.engine.relevance import FIRST, SURE, Calibration, Judged, Matches, judge
from consilience.engine.retrieve import Breakers, Retrieved, retrieve, retrieve_proposals
from consilience.engine.trust import (
    TrustModel,
    adjust_trust,
    compute_trusts,
    trust_model,
    weigh_trust,
)
from consilience.errors import UsageError
from consilience.filters import passes
from consilience.kinds import FEDERATED, record_kinds
from consilience.pack import Pack, Sought
from consilience.protocols import Embedder, Generator, Likeness, Lookup, Reranker, Retriever
from consilience.settings import Settings
from consilience.types import (
    MISSING,
    Hit,
    Note,
    Passage,
    Plan,
    Query,
    Ranking,
    Result,
    Signal,
    Trace,
    Trust,
    Vote,
)
from consilience.understand.names import surface
from consilience.understand.words import is_english

PHRASES = (200, 2000)
"""How many passages are checked for a phrase, and how many if it is in none of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What a search needs: sources by name, the passages behind ids, and what planning knows.

    `phrases` gives at most so many passages that may contain a phrase, `pieces` the passages that
    a longer one was split into. For answers: `generator` writes where there is one, `embedder`
    helps to choose sentences, and `names` gives names in the evidence that are spelt like some
    words.
    """

    sources: Mapping[str, Retriever]
    lookup: Lookup
    knowledge: Knowledge
    settings: Settings
    reranker: Reranker | None = None
    breakers: Breakers = field(default_factory=Breakers)
    phrases: Callable[[str, int], Sequence[Passage]] = lambda phrase, limit: ()
    trust: TrustModel = field(default_factory=lambda: trust_model(""))
    calibration: Calibration | None = None
    generator: Generator | None = None
    embedder: Embedder | None = None
    names: Callable[[Sequence[str]], Sequence[str]] = lambda words: ()
    pieces: Callable[[Passage], Sequence[Passage]] = lambda passage: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What the sources answered to a question, before any of it is fused."""

    plan: Plan
    found: Retrieved
    likeness: Mapping[str, Likeness] = field(default_factory=dict)
    patient: bool = False
    timing_ms: Mapping[str, float] = field(default_factory=dict)


class Clock:
    """Milliseconds of each stage."""

    def __init__(self, so_far: Mapping[str, float] | None = None) -> None:
        self.ms: dict[str, float] = dict(so_far or {})

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Time the code under it."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.ms[stage] = round((time.perf_counter() - started) * 1000, 3)


async def search(
    query: Query, engine: Engine, *, proposing: bool = False, patient: bool = False
) -> Result:
    """Answer a query with hits in order, each with the votes and changes that placed it.

    With `proposing` the language model helps sources that found nothing sure. With `patient`
    sources are waited for as long as a written answer allows, and asked again if need be.
    """
    gathered = await gather(query, engine, proposing=proposing, patient=patient)
    return await fuse_and_refine(gathered, engine)


async def gather(
    query: Query,
    engine: Engine,
    *,
    completing: bool = False,
    proposing: bool = False,
    patient: bool = False,
) -> Gathered:
    """Plan, ask every source, complete their scores and compare passages, as the method wants.

    With `completing` that is done for any method: for callers that will try several.
    """
    clock, settings, sources = Clock(), engine.settings, engine.sources
    with clock.timing("plan"):
        _check_alpha(query, settings)
        todo = plan(query, engine.knowledge)
    with clock.timing("retrieve"):
        found = await retrieve(
            todo,
            sources,
            settings=settings.retrieve,
            breakers=engine.breakers,
            patient=patient,
        )
    if proposing and engine.generator is not None and settings.answer.propose == "yes":
        with clock.timing("propose"):
            todo, found = await retrieve_proposals(
                todo, found, sources, engine.generator, settings=settings
            )
    likeness: Mapping[str, Likeness] = {}
    if completing or completes(settings.fusion.method):
        hard_ms = max(settings.retrieve.hard_ms, settings.retrieve.answer_ms if patient else 0)
        compared = found.rankings if completing or find_fuser(settings.fusion.method).adapts else ()
        with clock.timing("complete"):
            (rankings, notes), (likeness, more) = await asyncio.gather(
                complete(todo, found.rankings, sources, deadline_ms=hard_ms),
                compare(compared, sources, deadline_ms=hard_ms),
            )
            found = replace(found, rankings=rankings, notes=(*found.notes, *notes, *more))
    return Gathered(plan=todo, found=found, likeness=likeness, patient=patient, timing_ms=clock.ms)


async def fuse_and_refine(gathered: Gathered, engine: Engine) -> Result:
    """Fuse what was gathered and refine it. The sources are not asked again."""
    todo, found = gathered.plan, gathered.found
    clock = Clock(gathered.timing_ms)
    with clock.timing("fuse"):
        lean = engine.settings.fusion.lean if todo.damps else 0.0
        shares = damp_collections(found.rankings, todo.shares, width=lean)
        alpha = engine.settings.fusion.alpha if todo.query.alpha is None else todo.query.alpha
        trusts = _trusts(gathered, engine, alpha)
        fused = _fuse(gathered, engine, alpha, shares, trusts)
    with clock.timing("look up"):
        window = _window(fused, gathered, engine)
        window = await _add_phrase_matches(window, fused, gathered, engine)
    with clock.timing("refine"):
        whole = await _refine(window, gathered, engine)
        if todo.query.per == "document":
            whole = keep_best_of_document(whole)
        refined = cut(whole, limit=todo.query.places, few=engine.settings.refine.few)
        judged = _judge(refined.hits, whole.hits[:FIRST], gathered, engine)
        if judged.abstained and any(outcome.left_out for outcome in found.outcomes):
            judged = replace(judged, abstained=False)  # what did not answer may have had it
    return Result(
        query=todo.query,
        hits=judged.hits[todo.query.offset :],
        notes=(
            *(Note("question", offer) for offer in todo.offers),
            *unjoined(found.rankings, todo, engine.lookup),
            *found.notes,
            *_idle_settings(engine.settings),
            *refined.notes,
            *judged.notes,
        ),
        abstained=judged.abstained,
        answerable=judged.answerable,
        more=whole.hits[len(refined.hits) :],
        trace=Trace(
            plan=todo,
            rankings=found.rankings,
            outcomes=found.outcomes,
            shares=shares,
            trusts={name: _weighed(trust, todo, engine) for name, trust in trusts.items()},
            fused=fused.order,
            losses=refined.losses,
            timing_ms=clock.ms,
        ),
    )


# --- fuse ---------------------------------------------------------------------------------


def _uses_alpha(settings: Settings) -> bool:
    methods = (settings.fusion.method, settings.fusion.across)
    return any(find_fuser(name).uses_alpha for name in methods)


_DEFAULT_FUSION = Settings().fusion


def _check_alpha(query: Query, settings: Settings) -> None:
    """An alpha that is no share, or that the method does not use, is refused."""
    if query.alpha is None:
        return
    if not 0 <= query.alpha <= 1:
        raise UsageError(f"alpha is {query.alpha!r}; give a number from 0 (words) to 1 (meaning)")
    if not _uses_alpha(settings):
        raise UsageError(
            f"alpha changes nothing under fusion.method {settings.fusion.method!r}; leave it out, "
            "or set the method to adaptive or convex"
        )


def _idle_settings(settings: Settings) -> list[Note]:
    """A note for each setting of fusing that was changed and has no effect with these methods."""
    fusion, default = settings.fusion, _DEFAULT_FUSION
    if fusion == default:
        return []
    inside, across = find_fuser(fusion.method), find_fuser(fusion.across)
    idle = {
        "alpha": fusion.alpha != default.alpha and not _uses_alpha(settings),
        "k": fusion.k != default.k and not (inside.uses_k or across.uses_k),
        "neighbours": fusion.neighbours != default.neighbours and not inside.adapts,
    }
    text = f"changes nothing under fusion.method {fusion.method!r} and fusion.across"
    return [
        Note("settings", f"fusion.{name} {text} {fusion.across!r}")
        for name, is_idle in idle.items()
        if is_idle
    ]


def _trusts(gathered: Gathered, engine: Engine, alpha: float) -> dict[str, Trust]:
    """How far each side is trusted in each collection, for a method that adapts."""
    settings, likeness = engine.settings.fusion, gathered.likeness
    if not find_fuser(settings.method).adapts:
        return {}
    trusts = compute_trusts(gathered.found.rankings, gathered.plan.query.text, engine.trust)
    return {
        name: adjust_trust(
            trust,
            alpha=alpha,
            neighbours=settings.neighbours if has_enough_neighbours(likeness.get(name)) else 0.0,
        )
        for name, trust in trusts.items()
    }


def _weighed(trust: Trust, todo: Plan, engine: Engine) -> Trust:
    """A trust with the weights in force, for the trace: 1 is the default weight of a side."""
    weights = {
        ask.ranks_by: ask.weight
        for ask in todo.asks
        if ask.collection == trust.collection and ask.vote == ask.source
    }
    meaning, words = (weights.get(signal, 1.0) for signal in (Signal.MEANING, Signal.WORDS))
    return weigh_trust(trust, meaning=meaning / engine.knowledge.trust, words=words)


def _fuse(
    gathered: Gathered,
    engine: Engine,
    alpha: float,
    shares: Mapping[str, float],
    trusts: Mapping[str, Trust],
) -> Fused:
    settings = engine.settings.fusion
    weights = {ask.vote: ask.weight for ask in gathered.plan.asks}
    return fuse_levels(
        gathered.found.rankings,
        method=settings.method,
        across=settings.across,
        options=Options(k=settings.k, alpha=alpha, weights=weights),
        shares=shares,
        mixtures={
            name: Mixture(
                alpha=trust.meaning / (trust.meaning + trust.words * engine.knowledge.trust),
                neighbours=trust.neighbours,
                likeness=gathered.likeness.get(name),
            )
            for name, trust in trusts.items()
        },
    )


# --- look up ------------------------------------------------------------------------------


def window_size(settings: Settings, depth: int, *, reranks: bool) -> int:
    """How many fused passages are refined: room to choose from, and what the reranker wants."""
    wanted = settings.refine.rerank if reranks else 0
    return max(settings.refine.window, 2 * depth, wanted)


def _window(fused: Fused, gathered: Gathered, engine: Engine) -> Refined:
    """The first hits with their passages; ids without a passage get a note.

    If a question calls for a kind of evidence or names an identifier, the best of every source is
    included: what only one source can find (a path, a row, an exact match) may have too few votes
    to come this far.
    """
    todo, found = gathered.plan, gathered.found
    size = window_size(engine.settings, todo.query.depth, reranks=engine.reranker is not None)
    size *= todo.window
    best = {*found.sure, *_reserve_places(fused, found, share=engine.settings.refine.share)}
    if todo.cover or todo.identifiers:
        best |= {ranking.found[0].id for ranking in found.rankings}
    first = [*fused.order[:size], *(entry for entry in fused.order[size:] if entry[0] in best)]
    ids = {key for key, _ in first}
    brought = {
        entry.id: entry.passage
        for ranking in found.rankings
        for entry in ranking.found
        if entry.passage is not None and entry.id in ids
    }
    passages = {**brought, **engine.lookup([key for key, _ in first])}
    hits = [
        Hit(passage=passages[key], score=score, votes=_votes(key, fused, found))
        for key, score in first
        if key in passages
    ]
    stale = len(first) - len(hits)
    notes = (Note("search", f"{stale} stale results left out; run `consilience add`"),)
    return Refined(hits=tuple(hits), notes=notes if stale else ())


def _reserve_places(fused: Fused, found: Retrieved, *, share: float) -> Iterator[str]:
    """So many of each collection's first that no other need take more than its share."""
    collections = {e.id: ranking.collection for ranking in found.rankings for e in ranking.found}
    room = Counter(dict.fromkeys(collections.values(), CAPPED - int(share * CAPPED)))
    for key, _ in fused.order if len(room) > 1 else ():
        if room[collections[key]] > 0:
            room[collections[key]] -= 1
            yield key


def _votes(key: str, fused: Fused, found: Retrieved) -> tuple[Vote, ...]:
    """The votes for a passage, each with the reason that its source gives."""
    reasons = {
        outcome.source: reason
        for outcome in found.outcomes
        for passage, reason in outcome.reasons
        if passage == key
    }

    def explained(vote: Vote) -> Vote:
        parts = tuple(map(explained, vote.parts))
        return replace(vote, parts=parts, because=reasons.get(vote.source, ""))

    votes = fused.votes(key)
    return tuple(map(explained, votes)) if reasons else votes


async def _add_phrase_matches(
    window: Refined, fused: Fused, gathered: Gathered, engine: Engine
) -> Refined:
    """The window with passages for each identifier that none of its hits contains exactly.

    They come last, with the few votes they got or none; their guarantee places the best.
    """
    todo = gathered.plan
    scores, has = dict(fused.order), engine.knowledge.pack.questions.has
    places = min(engine.settings.refine.pinned, todo.query.places)
    for identifier in todo.identifiers[:places]:
        if any(has(hit.passage, identifier) for hit in window.hits) or not surface(identifier):
            continue
        matches, checked_all = await asyncio.to_thread(_find_phrase, identifier, todo, engine)
        matches.sort(key=lambda passage: -scores.get(passage.id, 0.0))
        hits = [
            Hit(
                passage=passage,
                score=scores.get(passage.id, 0.0),
                votes=_votes(passage.id, fused, gathered.found) if passage.id in scores else (),
            )
            for passage in matches[:places]
        ]
        asked = " that was asked for" if todo.query.filters or todo.query.collections else ""
        which = f"no passage{asked}" if checked_all else f"none of {PHRASES[-1]} passages"
        note = Note("search", f"{which} has {identifier!r} exactly")
        window = window.then([*window.hits, *hits], notes=() if hits else (note,))
    return window


def _find_phrase(identifier: str, todo: Plan, engine: Engine) -> tuple[list[Passage], bool]:
    """The passages with an identifier, within the filters; and whether all were checked.

    The look-up may give others as well, so it is repeated with a larger limit if none matches.
    """
    filters = {ask.collection: ask.request.filters for ask in todo.asks if not ask.skip}
    matches: list[Passage] = []
    candidates: Sequence[Passage] = ()
    for limit in PHRASES:
        candidates = engine.phrases(identifier, limit)
        matches = [
            passage
            for passage in candidates
            if passage.collection in filters
            and engine.knowledge.pack.questions.has(passage, identifier)
            and passes(passage, filters[passage.collection])
        ]
        if matches or len(candidates) < limit:
            break
    return matches, len(candidates) < PHRASES[-1]


# --- refine -------------------------------------------------------------------------------


async def _refine(window: Refined, gathered: Gathered, engine: Engine) -> Refined:
    settings, todo, pack = engine.settings.refine, gathered.plan, engine.knowledge.pack
    refined = boost(window, todo.boosts)
    copies = Copies(identities=pack.files.identities, worth=pack.files.worth)
    refined = dedupe(refined, copies, threshold=settings.duplicate)
    if todo.query.rerank and todo.reranks:
        answer_ms = engine.settings.retrieve.answer_ms if gathered.patient else 0
        refined = await rerank(
            refined,
            todo.spelt_out,
            engine.reranker,
            depth=settings.rerank,
            blend=settings.blend,
            timeout_ms=max(settings.rerank_ms, answer_ms),
            exact=partial(_is_exact, identifiers=todo.identifiers, pack=pack),
        )
    refined = diversify(refined, trust=settings.mmr, places=todo.query.depth)
    refined = cap(refined, share=settings.share)
    return guarantee(
        refined, todo, pinned=settings.pinned, has=pack.questions.has, sure=gathered.found.sure
    )


def _is_exact(passage: Passage, *, identifiers: Sequence[str], pack: Pack) -> bool:
    """Whether a passage has an identifier that answers by itself."""
    questions = pack.questions
    return any(
        questions.certain(identifier) and questions.has(passage, identifier)
        for identifier in identifiers
    )


def made_passages(result: Result, shown: Sequence[Passage] | None = None) -> list[Passage]:
    """The passages shown (by default the hits) that a source built for this question: the
    catalogue does not have them yet. Those of federated sources are not copied.
    """
    brought = {
        entry.id
        for ranking in result.trace.rankings
        for entry in ranking.found
        if entry.passage is not None and entry.passage.kind != FEDERATED
    }
    passages = [hit.passage for hit in result.hits] if shown is None else shown
    return [passage for passage in passages if passage.id in brought]


def unjoined(rankings: Sequence[Ranking], todo: Plan, lookup: Lookup) -> list[Note]:
    """A note where a question asks how two things connect and no path joins them."""
    notes = []
    for ask in todo.asks if "path" in todo.cover else ():
        seeds = ask.request.seeds
        if ask.ranks_by is not Signal.PATHS or ask.skip or len(seeds) < 2:
            continue
        own = (ranking for ranking in rankings if ranking.source == ask.vote)
        found = [entry for ranking in own for entry in ranking.found]
        known = lookup([entry.id for entry in found])
        passages = [entry.passage or known.get(entry.id) for entry in found]
        ends = [
            {str(passage.metadata.get(end)) for end in ("source", "target")}
            for passage in passages
            if passage is not None
        ]
        if not any(pair <= {*seeds} for pair in ends):
            named = " and ".join(f"“{seed}”" for seed in seeds)
            notes.append(Note(ask.source, f"no chain of relations here joins {named}"))
    return notes


# --- relevance and abstention -------------------------------------------------------------


def _judge(hits: Sequence[Hit], first: Sequence[Hit], gathered: Gathered, engine: Engine) -> Judged:
    """The hits with their relevance, and whether the search abstains.

    It abstains where the calibration does, where only an exact match answers and there is none,
    and where a source or the pack says that what the question names is missing and nothing else
    has it.
    """
    todo, found, pack = gathered.plan, gathered.found, engine.knowledge.pack
    matches = find_exact_matches(hits, todo, pack, sure=found.sure)
    judged = judge(
        hits,
        todo.query.text,
        engine.calibration,
        first=first,
        floor=engine.settings.refine.floor,
        matches=matches,
    )
    if judged.abstained:
        return judged
    every = [*hits, *first]
    if missing := _missing_by_pack(every, gathered, engine, judged.answerable):
        return replace(judged, abstained=True, notes=(*judged.notes, missing))
    absent = _absent(every, gathered, engine)
    if matches.exact and not absent:
        return judged
    reason = ""
    if todo.exact:
        reason = "no passage has what the question names, and it names nothing else"
    elif lost := (*_missing_by_sources(every, gathered, pack), *absent):
        reason = f"no passage has {' and '.join(map(repr, lost))} together with what is asked"
    elif judged.answerable is None or judged.answerable < SURE:
        reason = _uncovered_topics(every, todo)
    if not reason:
        return judged
    return replace(judged, abstained=True, notes=(*judged.notes, Note("search", reason)))


def find_exact_matches(
    hits: Sequence[Hit], todo: Plan, pack: Pack, *, sure: Sequence[str] = ()
) -> Matches:
    """The hits that contain an identifier of the question exactly (the pack decides), those that a
    source is sure of, paths between two named things, and the wanted relations of a named thing.
    """

    def having(identifiers: Sequence[str]) -> set[str]:
        return {
            hit.passage.id
            for hit in hits
            if any(pack.questions.has(hit.passage, identifier) for identifier in identifiers)
        }

    certain = [identifier for identifier in todo.identifiers if pack.questions.certain(identifier)]
    known = {hit.passage.id for hit in hits}.intersection(sure) | _find_links(hits, todo)
    return Matches(
        exact=frozenset(having(todo.identifiers) | known),
        certain=frozenset(having(certain) | known),
    )


def _find_links(hits: Sequence[Hit], todo: Plan) -> set[str]:
    """Paths between two named things, where a path is asked for, and wanted relations of one."""
    seeds = {seed for ask in todo.asks for seed in ask.request.seeds}
    wanted = {relation for ask in todo.asks for relation in ask.request.intents}
    links = set()
    for passage in (hit.passage for hit in hits):
        ends = {passage.metadata.get("source"), passage.metadata.get("target")}
        if passage.kind == "path" and "path" in todo.cover and ends <= seeds:
            links.add(passage.id)
        if passage.kind == "edge" and passage.metadata.get("relation") in wanted and ends & seeds:
            links.add(passage.id)
    return links


def _missing_by_sources(hits: Sequence[Hit], gathered: Gathered, pack: Pack) -> Sequence[str]:
    """What a source says is missing, unless a sentence has it together with everything else that
    the question names. Records do not count: the source has looked at those.
    """
    missing, wanted = gathered.found.missing, (*gathered.found.missing, *gathered.found.named)
    for passage in _prose(hit.passage for hit in hits) if missing else ():
        for window in windows(passage):
            sentence = replace(passage, text=window.text)
            if all(pack.questions.has(sentence, name) for name in wanted):
                return ()
    return missing


def _missing_by_pack(
    hits: Sequence[Hit], gathered: Gathered, engine: Engine, chance: float | None
) -> Note | None:
    """What the pack says that no passage tells, for a pack that judges that itself."""
    lacks, todo = engine.knowledge.pack.questions.lacks, gathered.plan
    if lacks is None:
        return None
    every = dict.fromkeys(hit.id for ranking in gathered.found.rankings for hit in ranking.found)
    known = {hit.passage.id: hit.passage for hit in hits}
    first = {
        **known,
        **{passage.id: passage for passage in _first_of_each_source(gathered, engine)},
    }
    sought = Sought(
        text=todo.query.text,
        absent=todo.absent,
        first=tuple(first.values()),
        every=tuple({**first, **engine.lookup([*every])}.values()),
        chance=chance,
        placed=any(ask.request.seeds for ask in todo.asks),
    )
    missing = lacks(sought)
    return Note(MISSING, "; ".join(missing)) if missing else None


def _absent(hits: Sequence[Hit], gathered: Gathered, engine: Engine) -> Sequence[str]:
    """What the pack knows to be absent, unless some prose has it: among the hits, or the first of
    each source, since the fused window may not include the one passage that does.
    """
    questions = engine.knowledge.pack.questions
    absent: Sequence[str] = () if questions.lacks else gathered.plan.absent
    if not absent:
        return ()
    for passages in ([hit.passage for hit in hits], _first_of_each_source(gathered, engine)):
        prose = _prose(passages)
        absent = [
            name for name in absent if not any(questions.has(passage, name) for passage in prose)
        ]
    return absent


def _first_of_each_source(gathered: Gathered, engine: Engine) -> Iterable[Passage]:
    found = (hit for ranking in gathered.found.rankings for hit in ranking.found[:FIRST])
    return engine.lookup(list(dict.fromkeys(hit.id for hit in found))).values()


def _prose(passages: Iterable[Passage]) -> list[Passage]:
    return [passage for passage in passages if passage.kind not in record_kinds()]


def _uncovered_topics(hits: Sequence[Hit], todo: Plan) -> str:
    """The topics of the question that no passage speaks of, as a sentence; empty if there are none.

    Records do not count where the question asks for no figure.
    """
    if not todo.topics or not is_english(todo.query.text):
        return ""
    passages = [hit.passage for hit in hits]
    if any(ask.skip and ask.ranks_by is Signal.ROWS for ask in todo.asks):
        passages = _prose(passages)
    if topics := uncovered(todo.topics, passages):
        names = " or ".join(f"“{topic.names[0]}”" for topic in topics)
        return f"no passage that could answer mentions {names}"
    return ""
