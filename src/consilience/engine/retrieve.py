"""Who answered, with what, and how did it go? Every source is asked at once.

A slow or failing source costs a note, not the answer. Each source has two deadlines: past the soft
one it is reported as slow, past the hard one it is left out. A source that keeps failing is not
asked for a while (circuit breaker), so that not every question waits for the hard deadline.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from consilience.errors import NoSourceAnswered, SourceError
from consilience.protocols import Generator, Proposer, Retriever, Teller
from consilience.settings import Retrieve, Settings
from consilience.timeouts import within
from consilience.types import (
    AGAIN,
    Ask,
    Found,
    Note,
    Outcome,
    Passage,
    Plan,
    Ranking,
    Request,
    SourceReply,
    Status,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """The rankings of the sources, and how each request went."""

    rankings: tuple[Ranking, ...]
    outcomes: tuple[Outcome, ...]
    notes: tuple[Note, ...]

    @property
    def sure(self) -> tuple[str, ...]:
        """What sources are sure of, best first."""
        return tuple(dict.fromkeys(key for outcome in self.outcomes for key in outcome.sure))

    @property
    def missing(self) -> tuple[str, ...]:
        """What the question names and no source that looks for it has."""
        return tuple(dict.fromkeys(name for outcome in self.outcomes for name in outcome.missing))

    @property
    def named(self) -> tuple[str, ...]:
        """What the question names, as those sources read it."""
        return tuple(dict.fromkeys(name for outcome in self.outcomes for name in outcome.named))


@dataclass(slots=True)
class Breaker:
    """Counts failures in a row; an open breaker blocks a source for a while."""

    failures: int = 0
    until: float = 0.0

    def record(self, outcome: Outcome, settings: Retrieve) -> None:
        """A failure or a missed hard deadline counts; any answer closes the breaker."""
        if not outcome.left_out:
            self.failures = 0
            return
        self.failures += 1
        if self.failures >= settings.failures:
            self.until = time.monotonic() + settings.rest_s

    def rest_s(self) -> float:
        """Seconds until the source is asked again; 0 when it may be."""
        return max(0.0, self.until - time.monotonic())


@dataclass(frozen=True, slots=True)
class Breakers:
    """One breaker for each source, kept between questions."""

    by_source: dict[str, Breaker] = field(default_factory=dict)

    def of(self, source: str) -> Breaker:
        """The breaker of a source."""
        return self.by_source.setdefault(source, Breaker())


async def retrieve(
    plan: Plan,
    sources: Mapping[str, Retriever],
    *,
    settings: Retrieve,
    breakers: Breakers,
) -> Retrieved:
    """Ask every source of the plan at once; all of those asked failing is one clear error.

    A source that is asked twice for a question counts once with its breaker.
    """
    answers = await asyncio.gather(
        *(_answer(ask, sources[ask.source], settings, breakers) for ask in plan.asks)
    )
    outcomes = tuple(outcome for _, outcome in answers)
    asked: dict[str, Outcome] = {}
    for ask, outcome in zip(plan.asks, outcomes, strict=True):
        if outcome.status != "skipped" and (ask.source not in asked or not outcome.left_out):
            asked[ask.source] = outcome
    for source, outcome in asked.items():
        breakers.of(source).record(outcome, settings)
    missed = [outcome for outcome in outcomes if outcome.left_out]
    if missed and all(outcome.left_out or outcome.status == "skipped" for outcome in outcomes):
        details = "; ".join(f"{outcome.source}: {outcome.reason}" for outcome in missed)
        raise NoSourceAnswered(f"no source answered: {details}; `consilience doctor` looks further")
    return Retrieved(
        rankings=_join_repeated([ranking for ranking, _ in answers if ranking.found]),
        outcomes=outcomes,
        notes=tuple(_notes(outcomes)),
    )


def _join_repeated(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """The rankings, with that of a repeated request merged into the source's own by score: the
    score of a passage does not depend on the other passages.
    """
    joined: dict[str, Ranking] = {}
    for ranking in rankings:
        source = ranking.source.removesuffix(AGAIN)
        own = joined.get(source, replace(ranking, source=source))
        if source in joined:
            every = {entry.id: entry for entry in (*ranking.found, *own.found)}
            best = sorted(every.values(), key=lambda entry: (-entry.score, entry.id))
            own = replace(own, found=tuple(best))
        joined[source] = own
    return tuple(joined.values())


async def retrieve_proposals(
    plan: Plan,
    retrieved: Retrieved,
    sources: Mapping[str, Retriever],
    generator: Generator,
    *,
    settings: Settings,
) -> tuple[Plan, Retrieved]:
    """Let a language model write queries for sources that are sure of nothing.

    Returns the plan and what was retrieved with those added. Each is a vote of its own,
    `reports/sql+model`.
    """
    asks = [
        replace(ask, vote=f"{ask.source}+model")
        for ask, outcome in zip(plan.asks, retrieved.outcomes, strict=True)
        if isinstance(sources[ask.source], Proposer)
        and not (outcome.sure or outcome.left_out or outcome.status == "skipped")
    ]
    hard_ms = settings.answer.timeout_s * 1000
    answers = await asyncio.gather(
        *(_propose(ask, sources[ask.source], generator, hard_ms) for ask in asks)
    )
    outcomes = tuple(outcome for _, outcome in answers)
    return replace(plan, asks=(*plan.asks, *asks)), Retrieved(
        rankings=(*retrieved.rankings, *(ranking for ranking, _ in answers if ranking.found)),
        outcomes=(*retrieved.outcomes, *outcomes),
        notes=(*retrieved.notes, *_notes(outcomes)),
    )


async def _propose(
    ask: Ask, source: Retriever, generator: Generator, hard_ms: float
) -> tuple[Ranking, Outcome]:
    def propose() -> Awaitable[SourceReply]:
        return cast("Proposer", source).propose(ask.request, generator, limit=ask.depth)

    started = time.perf_counter()
    reply, reason = await within(hard_ms, _checked(propose, ask))
    ms = (time.perf_counter() - started) * 1000
    status: Status = "failed" if reply is None else "ok"
    return _outcome(ask, reply or SourceReply(found=()), ms, status, reason)


async def ask_source(
    ask: Ask, source: Retriever, *, hard_ms: float
) -> tuple[SourceReply, Status, str]:
    """What a source found, how that went, and the reason if it did not go well."""

    def request() -> Awaitable[SourceReply]:
        return describe(source, ask.request, limit=ask.depth)

    reply, reason = await within(hard_ms, _checked(request, ask))
    if reply is not None:
        return reply, "ok", ""
    if reason == f"no answer within {hard_ms:g} ms":
        return SourceReply(found=()), "slow", f"{reason}; left out"
    return SourceReply(found=()), "failed", reason


async def describe(source: Retriever, request: Request, *, limit: int) -> SourceReply:
    """What a source found, with its own explanation where it gives one."""
    if isinstance(source, Teller):
        return await source.tell(request, limit=limit)
    return SourceReply(found=tuple(await source.retrieve(request, limit=limit)))


async def _answer(
    ask: Ask, source: Retriever, settings: Retrieve, breakers: Breakers
) -> tuple[Ranking, Outcome]:
    breaker = breakers.of(ask.source)
    reason = ask.skip
    if not reason and (rest_s := breaker.rest_s()):
        reason = f"failed {breaker.failures} times in a row; asked again in {rest_s:.0f} s"
    if reason:
        empty = Ranking(source=ask.vote, collection=ask.collection, found=(), signal=ask.signal)
        return empty, Outcome(
            source=ask.vote, status="skipped", ms=0.0, reason=reason, left_out=not ask.skip
        )
    started = time.perf_counter()
    reply, status, reason = await ask_source(ask, source, hard_ms=settings.hard_ms)
    ms = (time.perf_counter() - started) * 1000
    if status == "ok" and ms > settings.soft_ms:
        ranking, outcome = _outcome(ask, reply, ms, "slow", f"answered after {ms:.0f} ms")
        return ranking, replace(outcome, left_out=False)
    return _outcome(ask, reply, ms, status, reason)


def _outcome(
    ask: Ask, reply: SourceReply, ms: float, status: Status, reason: str
) -> tuple[Ranking, Outcome]:
    outcome = Outcome(
        source=ask.vote,
        status=status if reply.found or status != "ok" else "empty",
        ms=round(ms, 2),
        count=len(reply.found),
        reason=reason,
        left_out=status != "ok",
        **reply.details(),
    )
    ranking = Ranking(
        source=ask.vote, collection=ask.collection, found=reply.found, signal=ask.signal
    )
    return ranking, outcome


async def _checked(call: Callable[[], Awaitable[SourceReply]], ask: Ask) -> SourceReply:
    """The reply with its entries up to the depth, each id once; invalid ones are an error.

    A plug-in may return anything, whatever its types say.
    """
    reply = await call()
    first: dict[str, Found] = {}
    entries: Sequence[object] = reply.found
    for entry in entries:
        if not isinstance(entry, Found):
            raise SourceError(f"{ask.source} gave {entry!r} where a passage was expected")
        if not isinstance(entry.id, str):
            raise SourceError(f"{ask.source} gave {entry.id!r} where an id was expected")
        if not math.isfinite(entry.score):
            raise SourceError(f"{ask.source} gave {entry.id!r} the score {entry.score!r}")
        brought: object = entry.passage
        if brought is not None and not (isinstance(brought, Passage) and brought.id == entry.id):
            raise SourceError(f"{ask.source} brought {brought!r} along as {entry.id!r}")
        first.setdefault(entry.id, entry)
    return replace(reply, found=tuple(first.values())[: ask.depth])


def _notes(outcomes: Sequence[Outcome]) -> list[Note]:
    """Which sources were late or failed, and how those that answered read the question."""
    late = [
        Note(outcome.source, outcome.reason)
        for outcome in outcomes
        if outcome.left_out or outcome.status == "slow"
    ]
    return [*late, *(Note(outcome.source, step) for outcome in outcomes for step in outcome.steps)]
