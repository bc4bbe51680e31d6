"""Why is a passage at its place, and why is another one missing?

`why` and `explain_result` read the trace of a search. `why_not` asks sources again, deeper, to find
the true rank of a passage that none of them returned. Then it searches again with changes, so that
it only advises what works.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from consilience.engine import Engine, find_exact_matches, search, window_size
from consilience.engine.deduplication import SIMILAR_TEXT
from consilience.engine.fusion import NEIGHBOURS
from consilience.engine.plan import kind_of
from consilience.engine.relevance import Calibration, best_of, signs_of
from consilience.engine.retrieve import Breakers, ask_source
from consilience.errors import ConsilienceError, UsageError
from consilience.filters import holds
from consilience.kinds import unsearched_kinds
from consilience.protocols import Scorer
from consilience.settings import Settings
from consilience.types import (
    Ask,
    Change,
    Filter,
    Hit,
    Loss,
    Outcome,
    Passage,
    Plan,
    Query,
    Result,
    Trace,
    Trust,
    Vote,
)
from consilience.understand.names import find_mentions
from consilience.workspace import Workspace

_EXPLAINED = 3
"""Hits that are explained when none is named."""
# Sources that compare texts; they use neither criteria nor nodes.


# --- why: the score of a hit --------------------------------------------------------------


def why(hit: Hit) -> list[str]:
    """The arithmetic of a hit in lines; the numbers add up to its score."""
    lines = [line for vote in hit.votes for line in _vote_lines(vote)]
    lines.extend(_change_line(change) for change in hit.changes)
    if hit.merged:
        lines.append(f"stands for {len(hit.merged)} more of the same: {', '.join(hit.merged)}")
    lines.append(f"score {hit.score:.6f}")
    return lines


def total(hit: Hit) -> float:
    """The sum of a hit's votes and changes: its score."""
    votes = sum(vote.contribution for vote in hit.votes)
    return votes + sum(change.delta for change in hit.changes)


def _vote_lines(vote: Vote, indent: str = "") -> list[str]:
    rank = f"rank {vote.rank}"
    if not vote.rank:  # neighbours find nothing themselves: they average scores
        is_neighbours = vote.source.rpartition("/")[2] == NEIGHBOURS
        rank = "the mean of those most like it" if is_neighbours else "not among its first"
    line = (
        f"{indent}{vote.source}: {rank}, its score {vote.score:.4f}, "
        f"weight {vote.weight:g} → {vote.contribution:+.6f}"
    )
    because = [f"{indent}  {vote.because}"] if vote.because else []
    parts = (line for part in vote.parts for line in _vote_lines(part, indent + "  "))
    return [line, *because, *parts]


def _change_line(change: Change) -> str:
    if change.before is not None:
        return f"{change.step}: moved from {change.before} to {change.after} ({change.reason})"
    own = "" if change.score is None else f", its score {change.score:.4f}"
    return f"{change.step}: {change.delta:+.6f} ({change.reason}{own})"


# --- why: a whole result ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedHit:
    """A hit at its place, with the lines that explain it."""

    place: int
    hit: Hit
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a result came about: the plan, the chance that anything answers, and the hits."""

    plan: tuple[str, ...]
    chance: tuple[str, ...]
    hits: tuple[ExplainedHit, ...]


def explain_result(result: Result, space: Workspace, which: str = "") -> Explanation:
    """Explain a result: one place or passage of it, or the first few hits."""
    chosen = _choose_hits(result, which)
    calibration = space.engine.calibration
    relevance: list[str] = []
    if calibration is not None:
        exact = find_exact_matches(
            result.hits, result.trace.plan, space.pack, sure=result.trace.sure
        )
        signs = signs_of(result.hits, result.query.text, exact)
        relevance = [calibration.explained(sign) for sign in signs]
    mentions = find_mentions(result.query.text, space.catalogue.mentions)
    nodes = {mention.value: mention.surface for mention in mentions if mention.role == "node"}
    return Explanation(
        plan=tuple(plan_lines(result.trace, nodes)),
        chance=tuple(answerable(result, calibration)),
        hits=tuple(
            ExplainedHit(place=place, hit=hit, lines=(*why(hit), *relevance[place - 1 : place]))
            for place, hit in chosen
        ),
    )


def _choose_hits(result: Result, which: str) -> Sequence[tuple[int, Hit]]:
    numbered = list(enumerate(result.hits, start=1))
    if not which:
        return numbered[:_EXPLAINED]
    chosen = [
        (place, hit)
        for place, hit in numbered
        if which == str(place) or (len(which) >= 4 and hit.passage.id.startswith(which))
    ]
    if not chosen:
        raise UsageError(
            f"{which!r} is neither one of the {len(numbered)} places nor the id of a result; "
            "for a passage that is missing use `consilience why-not`"
        )
    return chosen


def answerable(result: Result, calibration: Calibration | None) -> list[str]:
    """How the chance that anything answers was computed; empty where it is unknown."""
    part = calibration.answerable if calibration else None
    if part is None:
        return []
    best = best_of([*result.hits, *result.more], result.query.text, part.reranker)
    return [part.explained(best)] if best else []


def plan_lines(trace: Trace, nodes: Mapping[str, str]) -> list[str]:
    """The plan in lines: the rule, shares of collections, added words, what each source got.

    `nodes` gives the words by which the question names a node.
    """
    plan = trace.plan
    lines = [f"intent: {plan.intent} ({plan.rule})"]
    shares = shares_asked(trace)
    if len(shares) > 1:
        listed = " · ".join(f"{name} {share:.2f}" for name, share in shares.items())
        lines.append(f"share of voice, by the best similarity found: {listed}")
    for trust in trace.trusts.values():
        lines.extend(_trust_lines(trust))
    lines.extend(
        f"also looked for: {term.text} (weight {term.weight:g}, for {term.origin!r})"
        for term in plan.terms
    )
    queries = {outcome.source: outcome.query for outcome in trace.outcomes if outcome.query}
    for ask in plan.asks:
        request = _request_line(ask, nodes)
        if request and ask.vote not in queries:
            lines.append(f"{ask.vote} was given {request}")
    lines.extend(f"{source} ran: {' '.join(query.split())}" for source, query in queries.items())
    return [*lines, *_preference_lines(plan)]


def shares_asked(trace: Trace) -> dict[str, float]:
    """The share of each collection that was asked."""
    asked = {ask.collection for ask in trace.plan.asks}
    return {name: share for name, share in trace.shares.items() if name in asked}


def _trust_lines(trust: Trust) -> list[str]:
    """How much meaning, words and neighbours count in a collection for this question, and why."""
    line = (
        f"trust in {trust.collection}: meaning {trust.meaning:.2f} · words {trust.words:.2f} · "
        f"neighbours {trust.neighbours:.2f}"
    )
    return [line, *(f"  {reason}" for reason in trust.reasons)]


def _request_line(ask: Ask, nodes: Mapping[str, str]) -> str:
    """What a source was asked besides the words: criteria, start nodes, relations."""
    if ask.skip or ask.ranks_by.reads_text:
        return ""
    request = ask.request
    parts = {
        "rows": [str(criterion) for criterion in request.criteria],
        "from": [nodes.get(seed, seed) for seed in request.seeds],
        "along": list(request.intents),
    }
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in parts.items() if values)


def _preference_lines(plan: Plan) -> list[str]:
    """What may move a passage after fusion."""
    return [
        *(
            f"preferred: {boost.condition} (+{boost.factor:.0%}, {boost.reason})"
            for boost in plan.boosts
        ),
        *(f"meant exactly: {identifier}" for identifier in plan.identifiers),
        *(
            f"shown by place {places}, if there is any: {kind}"
            for kind, places in plan.cover.items()
        ),
    ]


# --- why not ------------------------------------------------------------------------------

_NO_REMEDY = "nothing that was tried brings it in: a limit, a window or a depth; ask in other words"
# The setting that turns a step off.
_SWITCHES = {
    "diversity": ("refine.mmr", 1),
    "share cap": ("refine.share", 1),
    "exact identifier": ("refine.pinned", 0),
}
# What took the place of a hit, where the step's own reason does not say it.
_WINNERS = {
    "coverage": "its place went to a kind of evidence that this question calls for",
    "exact identifier": "its place went to a passage that has the identifier exactly",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """At which step a passage was lost, why, and what would have to change.

    `place` is set if the passage is among the results after all.
    """

    passage: Passage
    step: str
    reasons: tuple[str, ...]
    remedy: str
    place: int | None = None


async def why_not(
    query: Query,
    passage: Passage,
    engine: Engine,
    *,
    pending: bool = False,
    most: float = math.inf,
) -> Absence:
    """Search, and say at which step the passage was lost, and which change brings it in.

    Limits and settings that are advised were tried: with them the passage is among the hits.
    `pending` says that the passage is not indexed yet, and `most` is the largest allowed limit.
    """
    result = await search(query, engine)
    place = _place_of(result, passage.id)
    if place is not None:
        return Absence(
            passage=passage,
            step="present",
            place=place,
            reasons=(f"it is among the results, at place {place}",),
            remedy="nothing; `consilience why` explains its place",
        )
    attempt = _Attempt(query=query, engine=engine, most=most)
    not_indexed = Absence(
        passage=passage,
        step="index",
        reasons=("it is in the catalogue, but not indexed yet",),
        remedy="run `consilience add`",
    )
    return (
        await _lost_by_filter(result, passage, attempt)
        or await _lost_in_refining(result, passage, attempt)
        or await _lost_outside_window(result, passage, attempt)
        or (not_indexed if pending else None)
        or await _never_retrieved(result, passage, attempt)
    )


async def _lost_by_filter(result: Result, passage: Passage, attempt: _Attempt) -> Absence | None:
    query = attempt.query
    if query.collections and passage.collection not in query.collections:
        wider = replace(query, collections=(*query.collections, passage.collection))
        change = f"ask {passage.collection} as well, or every collection"
        attempt = attempt.with_query(wider, "filter", change)
        reasons = [f"it is in {passage.collection}, which was not asked"]
    else:
        missed = _missed_filters(result, passage)
        if not missed:
            return None
        kept = tuple(item for at, item in enumerate(query.filters) if at not in missed)
        wider = replace(query, filters=kept)
        attempt = attempt.with_query(wider, "filter", "leave that filter out")
        reasons = [
            f"{condition} does not hold: it has {passage.value(condition.field)!r}"
            for condition in missed.values()
        ]
    advice = await _find_remedy(await attempt.run(), passage, attempt) or str(attempt)
    return Absence(passage=passage, step="filter", reasons=tuple(reasons), remedy=advice)


def _missed_filters(result: Result, passage: Passage) -> dict[int, Filter]:
    """The filters that the passage does not meet, by position, as its collection got them."""
    asked = [ask for ask in result.trace.plan.asks if ask.collection == passage.collection]
    filters = asked[0].request.filters if asked else result.query.filters
    return {
        at: condition
        for at, condition in enumerate(filters)
        if not holds(condition, passage.value(condition.field))
    }


async def _lost_in_refining(result: Result, passage: Passage, attempt: _Attempt) -> Absence | None:
    loss = _loss_of(result, passage.id)
    if loss is None:
        return None
    if loss.into:
        return await _merged(result, loss, passage, attempt)
    advice = [await _find_remedy(result, passage, attempt)]
    if loss.step in _SWITCHES:
        switched = attempt.with_setting(*_SWITCHES[loss.step])
        advice.append(str(switched) if await _works(switched, passage) else "")
    reasons = [loss.reason, *([_WINNERS[loss.step]] if loss.step in _WINNERS else [])]
    return Absence(
        passage=passage,
        step=loss.step,
        reasons=tuple(reasons),
        remedy=", or ".join(filter(None, advice)) or _NO_REMEDY,
    )


async def _merged(result: Result, loss: Loss, passage: Passage, attempt: _Attempt) -> Absence:
    """Merged into another passage, which is shown or was lost as well."""
    key, place = loss.into[:12], _place_of(result, loss.into)
    further = _loss_of(result, loss.into)
    reasons = [f"{loss.reason} as {key}, which stands for both"]
    advice = [f"look at {key}, at place {place}"] if place else []
    if further is not None:
        reasons.append(f"{key} was cut in its turn: {further.reason}")
        shown = await _find_remedy(result, passage, attempt, merged=True)
        advice.append(f"{shown} to see {key}" if shown else "")
    if loss.reason == SIMILAR_TEXT:
        advice.append(await _find_remedy(result, passage, attempt))
    return Absence(
        passage=passage,
        step=loss.step,
        reasons=tuple(reasons),
        remedy=", or ".join(filter(None, advice)) or _NO_REMEDY,
    )


async def _lost_outside_window(
    result: Result, passage: Passage, attempt: _Attempt
) -> Absence | None:
    place = _fused_place(result, passage.id)
    if place is None:
        return None
    engine = attempt.engine
    size = window_size(engine.settings, result.query.limit, reranks=engine.reranker is not None)
    if place <= size:
        reasons = (f"fused at place {place}, but the catalogue no longer has it",)
        return Absence(
            passage=passage, step="look up", reasons=reasons, remedy="run `consilience add`"
        )
    return Absence(
        passage=passage,
        step="window",
        reasons=(f"fused at place {place}; the first {size} are looked at",),
        remedy=await _find_remedy(result, passage, attempt) or _NO_REMEDY,
    )


async def _never_retrieved(result: Result, passage: Passage, attempt: _Attempt) -> Absence:
    standings = await _ask_sources(result, passage, attempt.engine)
    reasons = [f"{standing.ask.vote}: {standing.reason}" for standing in standings]
    if not standings:
        reasons.append(f"no source holds anything of {passage.collection}")
    was_made = passage.id not in attempt.engine.lookup([passage.id])
    if was_made:
        reasons.append("it was made for a question, and is not made for this one")
    advice = await _find_remedy(result, passage, attempt)
    return Absence(
        passage=passage,
        step="retrieve",
        reasons=tuple(reasons),
        remedy=advice or _other_advice(standings, passage, attempt.engine, was_made=was_made),
    )


def _other_advice(
    standings: Sequence[_Standing], passage: Passage, engine: Engine, *, was_made: bool
) -> str:
    """Advice that cannot be tried by searching again."""
    if any(standing.missed for standing in standings):
        size = engine.knowledge.sizes.get(passage.collection, 0)
        reach = f" to {size}" if size > engine.settings.store.exact else ""
        return f"raise store.exact{reach}, so that every passage is compared with the question"
    if any(standing.late for standing in standings):
        return "raise retrieve.hard_ms; `consilience doctor` looks further"
    if any(standing.outcome.left_out for standing in standings):
        return "`consilience doctor` looks further"
    if was_made:
        return (
            f"name both ends in the question ({passage.title}); if it is not found then, what it "
            "was made of has changed or is gone"
        )
    if not standings or not all(standing.held for standing in standings):
        return "run `consilience add`, which indexes what is missing"
    if passage.kind in unsearched_kinds():
        return f"name it in the question ({passage.title}): it is found by its name alone"
    return "ask in other words"


# --- changes that are tried ---------------------------------------------------------------

_ROUNDS = 8
_QUERY_CHANGES = ("filter", "collection", "limit")  # of the query, and not of the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """A search with some changes, each in words. `most` is the largest allowed limit."""

    query: Query
    engine: Engine
    most: float = math.inf
    changes: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " and ".join(self.changes.values())

    def with_query(self, query: Query, name: str, change: str) -> _Attempt:
        """The same with another query."""
        return replace(self, query=query, changes={**self.changes, name: change})

    def with_setting(self, name: str, value: object, change: str = "") -> _Attempt:
        """The same with another setting, for planning as well."""
        section, _, last = name.partition(".")
        old: Settings = self.engine.settings
        settings = replace(old, **{section: replace(getattr(old, section), **{last: value})})
        knowledge = replace(self.engine.knowledge, settings=settings)
        engine = replace(self.engine, settings=settings, knowledge=knowledge)
        number = f"{value:g}" if isinstance(value, int | float) else f"{value}"
        change = change or f"set {name} to {number}"
        return replace(self, engine=engine, changes={**self.changes, name: change})

    async def run(self) -> Result | None:
        """Search; None if that is refused. The engine's circuit breakers do not change."""
        known = self.engine.breakers.by_source
        breakers = Breakers({name: replace(breaker) for name, breaker in known.items()})
        try:
            return await search(self.query, replace(self.engine, breakers=breakers))
        except ConsilienceError:
            return None


def _place_of(result: Result, key: str, *, merged: bool = False) -> int | None:
    """The place of a passage among the hits; with `merged`, of a hit it was merged into."""
    for place, hit in enumerate(result.hits, start=1):
        if hit.passage.id == key or (merged and key in hit.merged):
            return place
    return None


def _fused_place(result: Result, key: str) -> int | None:
    ids = [fused for fused, _ in result.trace.fused]
    return ids.index(key) + 1 if key in ids else None


def _loss_of(result: Result, key: str) -> Loss | None:
    """How refining lost a passage, if it did."""
    return next((loss for loss in result.trace.losses if loss.id == key), None)


async def _works(attempt: _Attempt, passage: Passage, *, merged: bool = False) -> bool:
    """Whether the attempt finds the passage."""
    result = await attempt.run()
    return result is not None and _place_of(result, passage.id, merged=merged) is not None


async def _find_remedy(
    result: Result | None, passage: Passage, attempt: _Attempt, *, merged: bool = False
) -> str:
    """The changes that bring the passage in, tried out; empty if none was found.

    `result` is the outcome of the attempt so far. One change may not be enough: a passage that is
    retrieved may still fall outside the window. With `merged`, a hit it was merged into will do.
    """
    start = attempt
    for _ in range(_ROUNDS):
        if result is None:
            return ""
        if _place_of(result, passage.id, merged=merged):
            return await _simplify(start, attempt, passage, merged=merged)
        further = await _next_attempt(result, passage, attempt, merged=merged)
        if further is None:
            return ""
        attempt = further
        result = await attempt.run()
    return ""


async def _simplify(start: _Attempt, attempt: _Attempt, passage: Passage, *, merged: bool) -> str:
    """The changes in words; only those of the query if they are enough.

    A larger limit raises depth and window too.
    """
    asked = {name: change for name, change in attempt.changes.items() if name in _QUERY_CHANGES}
    alone = replace(start, query=attempt.query, changes={**start.changes, **asked})
    has_more = "limit" in attempt.changes and len(attempt.changes) > len(alone.changes)
    if has_more and await _works(alone, passage, merged=merged):
        return str(alone)
    return str(attempt)


async def _next_attempt(
    result: Result, passage: Passage, attempt: _Attempt, *, merged: bool
) -> _Attempt | None:
    """One more change, against whatever loses the passage now; None if there is none."""
    loss = _loss_of(result, passage.id)
    if loss is not None and loss.into:
        if not merged:
            similar = loss.reason == SIMILAR_TEXT
            return attempt.with_setting("refine.duplicate", 1) if similar else None
        loss = _loss_of(result, loss.into)
    if loss is not None:
        limit = attempt.query.limit
        # Diversity moves with the limit: the second time the limit grows by half.
        least = limit + limit // 2 if "limit" in attempt.changes else 0
        return _with_limit(attempt, passage, max(loss.place or 0, least, limit + 1))
    place = _fused_place(result, passage.id)
    if place is not None:
        grown = place > attempt.engine.settings.refine.window
        return attempt.with_setting("refine.window", place) if grown else None
    standings = await _ask_sources(result, passage, attempt.engine)
    return (
        _with_depth(standings, passage, attempt)
        or _with_weights(standings, attempt)
        or _with_time(standings, attempt)
    )


def _with_limit(attempt: _Attempt, passage: Passage, limit: int) -> _Attempt | None:
    """A larger limit; beyond the largest one, only the passage's collection."""
    if limit <= attempt.most:
        query = replace(attempt.query, limit=limit)
        return attempt.with_query(query, "limit", f"ask for a limit of {limit}")
    alone = (passage.collection,)
    if attempt.query.collections == alone:
        return None
    query = replace(attempt.query, collections=alone)
    return attempt.with_query(query, "collection", f"ask {passage.collection} alone")


def _with_depth(
    standings: Sequence[_Standing], passage: Passage, attempt: _Attempt
) -> _Attempt | None:
    ranks = [
        standing.rank for standing in standings if standing.rank is not None and not standing.missed
    ]
    if not ranks:
        return None
    size = attempt.engine.knowledge.sizes.get(passage.collection, 0)
    if attempt.engine.settings.retrieve.percentile and size:
        share = math.ceil(min(ranks) / size * 10_000) / 100
        return attempt.with_setting("retrieve.percentile", share)
    return attempt.with_setting("retrieve.depth", min(ranks))


def _with_weights(standings: Sequence[_Standing], attempt: _Attempt) -> _Attempt | None:
    """Without the weights of 0 that the settings give."""
    weights = attempt.engine.settings.fusion.weights
    names = {
        name
        for standing in standings
        if standing.weightless
        for name in (standing.ask.source, kind_of(standing.ask.source), standing.ask.collection)
        if weights.get(name) == 0
    }
    if not names:
        return None
    kept = {name: weight for name, weight in weights.items() if name not in names}
    change = f"give {' and '.join(sorted(names))} a weight above 0 in fusion.weights"
    return attempt.with_setting("fusion.weights", kept, change)


def _with_time(standings: Sequence[_Standing], attempt: _Attempt) -> _Attempt | None:
    """More time for a slow source; only once, because a source that hangs never answers."""
    is_late = any(standing.late for standing in standings)
    if "retrieve.hard_ms" in attempt.changes or not is_late:
        return None
    hard_ms = attempt.engine.settings.retrieve.hard_ms
    return attempt.with_setting("retrieve.hard_ms", 10 * hard_ms)


# --- the true rank in each source ---------------------------------------------------------

_DEEPEST = 10_000
_TIMEOUT_MS = 10_000  # longer than in a search: here only the reason counts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """What a source knows of a passage: the true rank, if it has one, and the reason.

    `held` is False when the source can tell that it does not have the passage.
    """

    ask: Ask
    outcome: Outcome
    reason: str
    rank: int | None = None
    held: bool = True
    weightless: bool = False

    @property
    def missed(self) -> bool:
        """Whether it should have been found: its rank is within the depth."""
        return self.rank is not None and self.rank <= self.ask.depth

    @property
    def late(self) -> bool:
        """Whether the source missed its hard deadline."""
        return self.outcome.left_out and self.outcome.status == "slow"


async def _ask_sources(result: Result, passage: Passage, engine: Engine) -> list[_Standing]:
    """What each source of the passage's collection knows of it, in the order of the plan."""
    outcomes = {outcome.source: outcome for outcome in result.trace.outcomes}
    plan = result.trace.plan
    silent = plan.shares.get(passage.collection, 1.0) == 0
    return [
        await _ask_source(ask, outcomes[ask.vote], passage, engine, silent=silent or not ask.weight)
        for ask in plan.asks
        if ask.collection == passage.collection
    ]


async def _ask_source(
    ask: Ask, outcome: Outcome, passage: Passage, engine: Engine, *, silent: bool
) -> _Standing:
    standing = _Standing(ask=ask, outcome=outcome, reason="")
    if outcome.left_out or outcome.status == "skipped":
        reason = f"{outcome.status}: {outcome.reason}"
        return replace(standing, reason=reason, weightless=silent)
    source = engine.sources[ask.source]
    timeout_ms = max(_TIMEOUT_MS, engine.settings.retrieve.hard_ms)
    answer, status, reason = await ask_source(
        replace(ask, depth=_DEEPEST), source, hard_ms=timeout_ms
    )
    if status != "ok":
        verb = "failed: " if status == "failed" else "gave "
        return replace(standing, reason=f"asked for more, it {verb}{reason}")
    ids = [found.id for found in answer.found]
    if passage.id in ids:
        rank = ids.index(passage.id) + 1
        score = answer.found[rank - 1].score
        reason = f"true rank {rank}, its score {score:.4f}; {_asked_for(ask, rank, engine)}"
        return replace(standing, reason=reason, rank=rank)
    score_text = await _describe_score(source, ask, passage, timeout_ms)
    if score_text is None and passage.kind in unsearched_kinds():
        return replace(standing, reason=f"a {passage.kind} is no text to search")
    if score_text is None:
        return replace(standing, reason="does not hold it", held=False)
    far = f"beyond rank {_DEEPEST}" if len(ids) >= _DEEPEST else "does not match"
    return replace(standing, reason=f"{far}{score_text}")


def _asked_for(ask: Ask, rank: int, engine: Engine) -> str:
    share = engine.settings.retrieve.percentile
    count = f"{ask.depth} (retrieve.percentile is {share:g})" if share else f"{ask.depth}"
    if rank <= ask.depth:
        return f"asked for {count}, its shortened vectors missed it"
    return f"asked for {count}"


async def _describe_score(
    source: object, ask: Ask, passage: Passage, timeout_ms: float
) -> str | None:
    """The passage's score in words; empty if the source cannot score, None if it lacks it."""
    if not isinstance(source, Scorer):
        return ""
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            scores = await source.score(ask.request, [passage.id])
            return f", its score {scores[passage.id]:.4f}" if passage.id in scores else None
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
        return f", and cannot score it ({type(error).__name__}: {error})"
