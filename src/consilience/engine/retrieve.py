"""Who answered, with what, and how did it go? Every source is asked at once.

A slow or failing source costs a note, not the answer. Each source has two deadlines: past the soft
one it is reported as slow, past the hard one it is left out. The hard one grows with the source's
own measured times. A written answer waits some seconds and asks a missing source again. A source
that keeps failing, or that never answers, is not asked for a while (circuit breaker); slowness does
not open the breaker. A source that may block runs in a thread of its own: it costs only itself.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
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
from consilience.worker_pool import run_apart

_MARGIN = 5  # times the slowest recent answer of a source: a busy machine is no failure
_LONGEST_MS = 60_000.0
_LONGER = 1.5  # a deadline that is this much longer than any missed one is worth another try
_LONGEST_REST_S = 900.0
_REPEATS = 10  # how many times its depth a source may list, the same ids included


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
    """Blocks a source for a while once it failed several times in a row or never answers.

    Slowness is no failure: a missed deadline counts only as time waited in vain since the last
    answer (`silent_ms`), and a question with a longer deadline than any missed one (`longest_ms`)
    is still asked. Each rest without an answer after it is twice as long as the one before.
    `times_ms` are the last times in which the source answered.
    """

    failures: int = 0
    silent_ms: float = 0.0
    longest_ms: float = 0.0
    missed_at: float = 0.0
    rests: int = 0
    until: float = 0.0
    reason: str = ""
    times_ms: deque[float] = field(default_factory=lambda: deque(maxlen=20))

    def record(self, outcome: Outcome, settings: Retrieve) -> None:
        """Count an outcome; any answer closes the breaker."""
        now = time.monotonic()
        if not outcome.left_out:
            self.failures, self.silent_ms, self.longest_ms, self.rests = 0, 0.0, 0.0, 0
            self.times_ms.append(outcome.ms)
            return
        if outcome.status == "failed":
            self.failures += 1
            self.reason = f"failed {self.failures} times in a row"
        else:  # questions that wait at the same time wait in vain once
            self.silent_ms += min(outcome.ms, (now - self.missed_at) * 1000)
            self.missed_at = now
            self.reason = f"no answer in {self.silent_ms / 1000:.0f} s of waiting"
        silent = self.silent_ms >= settings.failures * settings.answer_ms
        if self.failures >= settings.failures or silent:
            self.until = now + min(settings.rest_s * 2**self.rests, _LONGEST_REST_S)
            self.rests += 1

    def rest_s(self, deadline_ms: float = 0.0) -> float:
        """Seconds until the source is asked again with this deadline; 0 when it may be."""
        if self.silent_ms and not self.failures and deadline_ms > _LONGER * self.longest_ms:
            return 0.0
        return max(0.0, self.until - time.monotonic())

    def deadline_ms(self, least_ms: float) -> float:
        """How long the source is waited for: several times what it took before, or more."""
        measured = _MARGIN * max(self.times_ms, default=0.0)
        return max(least_ms, min(measured, _LONGEST_MS))


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
    patient: bool = False,
) -> Retrieved:
    """Ask every source of the plan at once; all of those asked failing is one clear error.

    A source that is asked twice for a question counts once with its breaker. With `patient` each
    gets `retrieve.answer_ms` at least, and one that did not answer is asked a second time.
    """

    async def answer(ask: Ask) -> tuple[Ranking, Outcome]:
        source, breaker = sources[ask.source], breakers.of(ask.source)
        first = await _answer(ask, source, settings, breaker, patient=patient)
        if not (patient and first[1].left_out) or breaker.rests:
            return first
        again = await _answer(ask, source, settings, breaker, patient=True)
        ms = round(first[1].ms + again[1].ms, 2)
        return again[0], replace(again[1], ms=ms) if again[1].left_out else again[1]

    answers = await asyncio.gather(*map(answer, plan.asks))
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
    reply, reason = await within(hard_ms, run_apart(source, lambda: _checked(propose, ask)))
    ms = (time.perf_counter() - started) * 1000
    status: Status = "failed" if reply is None else "ok"
    return _outcome(ask, reply or SourceReply(found=()), ms, status, reason)


async def ask_source(
    ask: Ask, source: Retriever, *, hard_ms: float
) -> tuple[SourceReply, Status, str]:
    """What a source found, how that went, and the reason if it did not go well."""

    def request() -> Awaitable[SourceReply]:
        return describe(source, ask.request, limit=ask.depth)

    reply, reason = await within(hard_ms, run_apart(source, lambda: _checked(request, ask)))
    if reply is not None:
        return reply, "ok", ""
    if reason == f"no answer within {hard_ms:g} ms":
        return SourceReply(found=()), "slow", f"{reason}; left out"
    return SourceReply(found=()), "failed", reason


async def describe(source: Retriever, request: Request, *, limit: int) -> SourceReply:
    """What a source found, with its own explanation where it gives one."""
    if isinstance(source, Teller):
        return await source.tell(request, limit=limit)
    found = await source.retrieve(request, limit=limit)
    return SourceReply(found=tuple(islice(found, limit * _REPEATS)))


async def _answer(
    ask: Ask, source: Retriever, settings: Retrieve, breaker: Breaker, *, patient: bool
) -> tuple[Ranking, Outcome]:
    least_ms = max(settings.hard_ms, settings.answer_ms) if patient else settings.hard_ms
    hard_ms = breaker.deadline_ms(least_ms)
    reason = ask.skip
    if not reason and (rest_s := breaker.rest_s(hard_ms)):
        reason = f"{breaker.reason}; asked again in {rest_s:.0f} s"
    if reason:
        empty = Ranking(source=ask.vote, collection=ask.collection, found=(), signal=ask.signal)
        return empty, Outcome(
            source=ask.vote, status="skipped", ms=0.0, reason=reason, left_out=not ask.skip
        )
    started = time.perf_counter()
    reply, status, reason = await ask_source(ask, source, hard_ms=hard_ms)
    ms = (time.perf_counter() - started) * 1000
    if status == "slow":  # the deadline, not the time: on a busy machine the wait is longer
        breaker.longest_ms = max(breaker.longest_ms, hard_ms)
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

    A plug-in may return anything, whatever its types say, and a million of it: only as many are
    looked at as count.
    """
    reply = await call()
    first: dict[str, Found] = {}
    entries: Sequence[object] = reply.found
    for entry in islice(entries, ask.depth * _REPEATS):
        if len(first) == ask.depth:
            break
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
    return replace(reply, found=tuple(first.values()))


def _notes(outcomes: Sequence[Outcome]) -> list[Note]:
    """Which sources were left out, and how those that answered read the question."""
    missing = [Note(outcome.source, outcome.reason) for outcome in outcomes if outcome.left_out]
    return [
        *missing,
        *(Note(outcome.source, step) for outcome in outcomes for step in outcome.steps),
    ]
