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
from consilience.filters import leaves, passes
from consilience.kinds import unsearched_kinds
from consilience.protocols import Scorer
from consilience.settings import Settings
from consilience.types import (
    Ask,
    Change,
    Condition,
    Hit,
    Loss,
    Outcome,
    Passage,
    Query,
    Result,
    Trace,
    Vote,
)
from consilience.understand.names import find_mentions
from consilience.worker_pool import run_apart

_EXPLAINED = 3
"""Hits that are explained when none is named."""


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


def explain_result(result: Result, engine: Engine, which: str = "") -> Explanation:
    """Explain a result: one place or passage of it, or the first few hits."""
    chosen = _choose_hits(result, which)
    calibration, knowledge = engine.calibration, engine.knowledge
    relevance: list[str] = []
    if calibration is not None:
        exact = find_exact_matches(
            result.hits, result.trace.plan, knowledge.pack, sure=result.trace.sure
        )
        signs = signs_of(result.hits, result.query.text, exact)
        relevance = [calibration.explained(sign) for sign in signs]
    mentions = find_mentions(result.query.text, knowledge.mentions)
    nodes = {mention.value: mention.surface for mention in mentions if mention.role == "node"}
    return Explanation(
        plan=tuple(plan_lines(result.trace, nodes)),
        chance=tuple(answerable(result, calibration)),
        hits=tuple(
            ExplainedHit(place=place, hit=hit, lines=(*why(hit), *relevance[at : at + 1]))
            for place, hit in chosen
            for at in [place - 1 - result.query.offset]
        ),
    )


def _choose_hits(result: Result, which: str) -> Sequence[tuple[int, Hit]]:
    numbered = list(enumerate(result.hits, start=result.query.offset + 1))
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
        lines.append(
            f"trust in {trust.collection}: meaning {trust.meaning:.2f} · words {trust.words:.2f} · "
            f"neighbours {trust.neighbours:.2f}"
        )
        lines.extend(f"  {reason}" for reason in trust.reasons)
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
    lines.extend(
        f"preferred: {boost.condition} (+{boost.factor:.0%}, {boost.reason})"
        for boost in plan.boosts
    )
    lines.extend(f"meant exactly: {identifier}" for identifier in plan.identifiers)
    lines.extend(
        f"shown by place {places}, if there is any: {kind}" for kind, places in plan.cover.items()
    )
    return lines


def shares_asked(trace: Trace) -> dict[str, float]:
    """The share of each collection that was asked."""
    asked = {ask.collection for ask in trace.plan.asks}
    return {name: share for name, share in trace.shares.items() if name in asked}


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
    whole = replace(query, limit=query.places, offset=0)
    attempt = _Attempt(passage=passage, query=whole, engine=engine, most=most)
    result = await search(whole, engine)
    place = _place_of(result, passage.id)
    if place is not None and place <= query.offset:
        reason = f"it is at place {place}; those from place {query.offset + 1} on were asked for"
        lost = "offset", [reason], f"ask for an offset of {place - 1} at most"
    elif place is not None:
        reason = f"it is among the results, at place {place}"
        lost = "present", [reason], "nothing; `consilience why` explains its place"
    else:
        lost = (
            await _lost_by_filter(result, attempt)
            or await _lost_in_refining(result, attempt)
            or await _lost_outside_window(result, attempt)
            or (_NOT_INDEXED if pending else await _never_retrieved(result, attempt))
        )
    step, reasons, remedy = lost
    return Absence(
        passage=passage,
        step=step,
        reasons=tuple(reasons),
        remedy=remedy or _NO_REMEDY,
        place=place,
    )


_Loss = tuple[str, list[str], str]
"""The step that lost a passage, the reasons, and the advice; empty where none was found."""
_NOT_INDEXED: _Loss = (
    "index",
    ["it is in the catalogue, but not indexed yet"],
    "run `consilience add`",
)


async def _lost_by_filter(result: Result, attempt: _Attempt) -> _Loss | None:
    query, passage = attempt.query, attempt.passage
    if query.collections and passage.collection not in query.collections:
        wider = replace(query, collections=(*query.collections, passage.collection))
        change = f"ask {passage.collection} as well, or every collection"
        reasons = [f"it is in {passage.collection}, which was not asked"]
    else:
        missed = _missed_filters(result, passage)
        if not missed:
            return None
        kept = tuple(item for at, item in enumerate(query.filters) if at not in missed)
        wider = replace(query, filters=kept)
        change = "leave that filter out"
        reasons = [
            f"{condition} does not hold: it has {_values_of(condition, passage)}"
            for condition in missed.values()
        ]
    attempt = attempt.with_query(wider, "filter", change)
    return "filter", reasons, await attempt.find_remedy(await attempt.run()) or str(attempt)


def _values_of(condition: Condition, passage: Passage) -> str:
    """What a passage has in the fields of a condition."""
    names = list(dict.fromkeys(leaf.field for leaf in leaves([condition])))
    if len(names) == 1:
        return repr(passage.value(names[0]))
    return ", ".join(f"{name} {passage.value(name)!r}" for name in names)


def _missed_filters(result: Result, passage: Passage) -> dict[int, Condition]:
    """The filters that the passage does not match, by position, as its collection got them."""
    asked = [ask for ask in result.trace.plan.asks if ask.collection == passage.collection]
    filters = asked[0].request.filters if asked else result.query.filters
    return {
        at: condition for at, condition in enumerate(filters) if not passes(passage, [condition])
    }


async def _lost_in_refining(result: Result, attempt: _Attempt) -> _Loss | None:
    loss = _loss_of(result, attempt.passage.id)
    if loss is None:
        return None
    advice = []
    if loss.into:  # merged into another passage, which is shown or was lost as well
        key, place = loss.into[:12], _place_of(result, loss.into)
        reasons = [f"{loss.reason} as {key}, which stands for both"]
        if place:
            advice.append(f"look at {key}, at place {place}")
        if further := _loss_of(result, loss.into):
            reasons.append(f"{key} was cut in its turn: {further.reason}")
            if shown := await replace(attempt, merged=True).find_remedy(result):
                advice.append(f"{shown} to see {key}")
        if loss.reason == SIMILAR_TEXT:
            advice.append(await attempt.find_remedy(result))
    else:
        reasons = [loss.reason, *([_WINNERS[loss.step]] if loss.step in _WINNERS else [])]
        advice.append(await attempt.find_remedy(result))
        if loss.step in _SWITCHES:
            switched = attempt.with_setting(*_SWITCHES[loss.step])
            advice.append(str(switched) if await switched.works() else "")
    return loss.step, reasons, ", or ".join(filter(None, advice))


async def _lost_outside_window(result: Result, attempt: _Attempt) -> _Loss | None:
    place = _fused_place(result, attempt.passage.id)
    if place is None:
        return None
    engine = attempt.engine
    size = window_size(engine.settings, result.query.depth, reranks=engine.reranker is not None)
    if place <= size:
        reason = f"fused at place {place}, but the catalogue no longer has it"
        return "look up", [reason], "run `consilience add`"
    reason = f"fused at place {place}; the first {size} are looked at"
    return "window", [reason], await attempt.find_remedy(result)


async def _never_retrieved(result: Result, attempt: _Attempt) -> _Loss:
    passage, engine = attempt.passage, attempt.engine
    standings = await _ask_sources(result, passage, engine)
    reasons = [f"{standing.ask.vote}: {standing.reason}" for standing in standings]
    if not standings:
        reasons.append(f"no source holds anything of {passage.collection}")
    was_made = passage.id not in engine.lookup([passage.id])
    if was_made:
        reasons.append("it was made for a question, and is not made for this one")
    advice = await attempt.find_remedy(result)
    return "retrieve", reasons, advice or _other_advice(standings, attempt, was_made=was_made)


def _other_advice(standings: Sequence[_Standing], attempt: _Attempt, *, was_made: bool) -> str:
    """Advice that cannot be tried by searching again."""
    passage, engine = attempt.passage, attempt.engine
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
    if not standings or not all(standing.stored for standing in standings):
        return "run `consilience add`, which indexes what is missing"
    if passage.kind in unsearched_kinds():
        return f"name it in the question ({passage.title}): it is found by its name alone"
    return "ask in other words"


def _place_of(result: Result, key: str) -> int | None:
    """The place of a passage among the hits."""
    places = (place for place, hit in enumerate(result.hits, 1) if hit.passage.id == key)
    return next(places, None)


def _fused_place(result: Result, key: str) -> int | None:
    ids = [fused for fused, _ in result.trace.fused]
    return ids.index(key) + 1 if key in ids else None


def _loss_of(result: Result, key: str) -> Loss | None:
    """How refining lost a passage, if it did."""
    return next((loss for loss in result.trace.losses if loss.id == key), None)


# --- changes that are tried ---------------------------------------------------------------

_ROUNDS = 8
_QUERY_CHANGES = ("filter", "collection", "limit")  # of the query, and not of the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """A search for a passage with some changes, each in words.

    `most` is the largest allowed limit. With `merged`, a hit that the passage was merged into
    will do.
    """

    passage: Passage
    query: Query
    engine: Engine
    most: float = math.inf
    merged: bool = False
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

    def is_in(self, result: Result | None) -> bool:
        """Whether a result has the passage."""
        key = self.passage.id
        return result is not None and any(
            hit.passage.id == key or (self.merged and key in hit.merged) for hit in result.hits
        )

    async def works(self) -> bool:
        """Whether the search finds the passage."""
        return self.is_in(await self.run())

    async def find_remedy(self, result: Result | None) -> str:
        """The changes that bring the passage in, tried out; empty if none was found.

        `result` is what the search gives so far. One change may not be enough: a passage that is
        retrieved may still fall outside the window.
        """
        attempt = self
        for _ in range(_ROUNDS):
            if result is None:
                return ""
            if attempt.is_in(result):
                return await self._simplify(attempt)
            further = await attempt._next(result)
            if further is None:
                return ""
            attempt = further
            result = await attempt.run()
        return ""

    async def _simplify(self, attempt: _Attempt) -> str:
        """The changes of an attempt in words; only those of the query if they are enough.

        A larger limit raises depth and window too.
        """
        asked = {name: change for name, change in attempt.changes.items() if name in _QUERY_CHANGES}
        alone = replace(self, query=attempt.query, changes={**self.changes, **asked})
        has_more = "limit" in attempt.changes and len(attempt.changes) > len(alone.changes)
        return str(alone if has_more and await alone.works() else attempt)

    async def _next(self, result: Result) -> _Attempt | None:
        """One more change, against whatever loses the passage now; None if there is none."""
        loss = _loss_of(result, self.passage.id)
        if loss is not None and loss.into:
            if not self.merged:
                similar = loss.reason == SIMILAR_TEXT
                return self.with_setting("refine.duplicate", 1) if similar else None
            loss = _loss_of(result, loss.into)
        if loss is not None:
            limit = self.query.places
            # Diversity moves with the limit: the second time the limit grows by half.
            least = limit + limit // 2 if "limit" in self.changes else 0
            return self._with_limit(max(loss.place or 0, least, limit + 1))
        place = _fused_place(result, self.passage.id)
        if place is not None:
            grown = place > self.engine.settings.refine.window
            return self.with_setting("refine.window", place) if grown else None
        standings = await _ask_sources(result, self.passage, self.engine)
        return (
            self._with_depth(standings)
            or self._with_weights(standings)
            or self._with_time(standings)
        )

    def _with_limit(self, limit: int) -> _Attempt | None:
        """A larger limit; beyond the largest one, only the passage's collection."""
        if limit <= self.most:
            query = replace(self.query, limit=limit, offset=0)
            return self.with_query(query, "limit", f"ask for a limit of {limit}")
        collection = self.passage.collection
        if self.query.collections == (collection,):
            return None
        query = replace(self.query, collections=(collection,))
        return self.with_query(query, "collection", f"ask {collection} alone")

    def _with_depth(self, standings: Sequence[_Standing]) -> _Attempt | None:
        ranks = [
            standing.rank
            for standing in standings
            if standing.rank is not None and not standing.missed
        ]
        if not ranks:
            return None
        return self.with_setting("retrieve.depth", min(ranks))

    def _with_weights(self, standings: Sequence[_Standing]) -> _Attempt | None:
        """Without the weights of 0 that the settings give."""
        weights = self.engine.settings.fusion.weights
        asks = [standing.ask for standing in standings if standing.weightless]
        names = {name for ask in asks for name in (ask.source, kind_of(ask.source), ask.collection)}
        silent = sorted(name for name in names if weights.get(name) == 0)
        if not silent:
            return None
        kept = {name: weight for name, weight in weights.items() if name not in silent}
        change = f"give {' and '.join(silent)} a weight above 0 in fusion.weights"
        return self.with_setting("fusion.weights", kept, change)

    def _with_time(self, standings: Sequence[_Standing]) -> _Attempt | None:
        """More time for a slow source; only once, because a source that hangs never answers."""
        name, is_late = "retrieve.hard_ms", any(standing.late for standing in standings)
        if name in self.changes or not is_late:
            return None
        return self.with_setting(name, 10 * self.engine.settings.retrieve.hard_ms)


# --- the true rank in each source ---------------------------------------------------------

_DEEPEST = 10_000
_TIMEOUT_MS = 10_000  # longer than in a search: here only the reason counts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """What a source knows of a passage: the true rank, if it has one, and the reason.

    `stored` is False when the source can tell that it does not have the passage.
    """

    ask: Ask
    outcome: Outcome
    reason: str
    rank: int | None = None
    stored: bool = True
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
        reason = f"true rank {rank}, its score {score:.4f}; asked for {ask.depth}"
        if rank <= ask.depth:
            reason += ", its shortened vectors missed it"
        return replace(standing, reason=reason, rank=rank)
    score_text = await _describe_score(source, ask, passage, timeout_ms)
    if score_text is None and passage.kind in unsearched_kinds():
        return replace(standing, reason=f"a {passage.kind} has no text to search")
    if score_text is None:
        return replace(standing, reason="does not hold it", stored=False)
    far = f"beyond rank {_DEEPEST}" if len(ids) >= _DEEPEST else "does not match"
    return replace(standing, reason=f"{far}{score_text}")


async def _describe_score(
    source: object, ask: Ask, passage: Passage, timeout_ms: float
) -> str | None:
    """The passage's score in words; empty if the source cannot score, None if it lacks it."""
    if not isinstance(source, Scorer):
        return ""
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            scores = await run_apart(source, lambda: source.score(ask.request, [passage.id]))
            return f", its score {scores[passage.id]:.4f}" if passage.id in scores else None
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
        return f", and cannot score it ({type(error).__name__}: {error})"
