"""Who answered, with what, and how did it go? Every source is asked at once.

A slow or failing source costs a note, not the answer. Each has two deadlines: past the soft one
it is reported as slow, past the hard one it is left out. A source that keeps failing is left
alone for a while (the breaker), so that it does not cost every question the hard deadline.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from consilience.errors import NoSourceAnswered, SourceError
from consilience.patience import within
from consilience.protocols import Generator, Proposer, Retriever, Teller
from consilience.settings import Retrieve, Settings
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
    Status,
    Told,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What the sources gave: their rankings, and how asking each of them went."""

    rankings: tuple[Ranking, ...]
    outcomes: tuple[Outcome, ...]
    notes: tuple[Note, ...]

    @property
    def sure(self) -> tuple[str, ...]:
        """What sources are sure of, best first."""
        return tuple(dict.fromkeys(key for one in self.outcomes for key in one.sure))

    @property
    def missing(self) -> tuple[str, ...]:
        """What the question names and no source that looks for it has."""
        return tuple(dict.fromkeys(name for one in self.outcomes for name in one.missing))

    @property
    def named(self) -> tuple[str, ...]:
        """What the question names, as those sources read it."""
        return tuple(dict.fromkeys(name for one in self.outcomes for name in one.named))


@dataclass(slots=True)
class Breaker:
    """Counts failures in a row; open, it keeps a source from being asked for a while."""

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
    _record(plan, outcomes, settings, breakers)
    _refuse_if_all_failed(outcomes)
    return Retrieved(
        rankings=_joined([ranking for ranking, _ in answers if ranking.found]),
        outcomes=outcomes,
        notes=tuple(_notes(outcomes)),
    )


def _joined(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """The rankings, those of a source that was asked again put into its own: by their scores, which
    are the same whoever else is among the passages. So it says more, and nothing else.
    """
    again = {one.source.removesuffix(AGAIN): one for one in rankings if one.source.endswith(AGAIN)}
    joined = []
    for one in rankings:
        if one.source.endswith(AGAIN):
            if all(other.source != one.source.removesuffix(AGAIN) for other in rankings):
                joined.append(replace(one, source=one.source.removesuffix(AGAIN)))
            continue
        if one.source in again:
            every = {found.id: found for found in (*again[one.source].found, *one.found)}
            best = sorted(every.values(), key=lambda found: (-found.score, found.id))
            one = replace(one, found=tuple(best))  # noqa: PLW2901 - the same, with more in it
        joined.append(one)
    return tuple(joined)


async def proposed(
    plan: Plan,
    found: Retrieved,
    sources: Mapping[str, Retriever],
    generator: Generator,
    *,
    settings: Settings,
) -> tuple[Plan, Retrieved]:
    """The plan and what was found, with what a language model had sources look for that are sure
    of nothing. That is a vote of its own, `reports/sql+model`.
    """
    asks = [
        replace(ask, vote=f"{ask.source}+model")
        for ask, outcome in zip(plan.asks, found.outcomes, strict=True)
        if isinstance(sources[ask.source], Proposer)
        and not (outcome.sure or outcome.left_out or outcome.status == "skipped")
    ]
    hard_ms = settings.answer.timeout_s * 1000
    made = await asyncio.gather(
        *(_proposed(ask, sources[ask.source], generator, hard_ms) for ask in asks)
    )
    outcomes = tuple(outcome for _, outcome in made)
    return replace(plan, asks=(*plan.asks, *asks)), Retrieved(
        rankings=(*found.rankings, *(ranking for ranking, _ in made if ranking.found)),
        outcomes=(*found.outcomes, *outcomes),
        notes=(*found.notes, *_notes(outcomes)),
    )


async def _proposed(
    ask: Ask, source: Retriever, generator: Generator, hard_ms: float
) -> tuple[Ranking, Outcome]:
    async def asked() -> Told:
        told = await cast("Proposer", source).propose(ask.request, generator, limit=ask.depth)
        return replace(told, found=_checked(told.found, ask))

    started = time.perf_counter()
    told, reason = await within(hard_ms, asked())
    ms = (time.perf_counter() - started) * 1000
    return _outcome(ask, told or Told(found=()), ms, "failed" if told is None else "ok", reason)


async def ask_source(ask: Ask, source: Retriever, *, hard_ms: float) -> tuple[Told, Status, str]:
    """What a source found, how that went, and why not well."""
    late = f"no answer within {hard_ms:g} ms"
    found, reason = await within(hard_ms, _told(ask, source))
    if found is not None:
        return found, "ok", ""
    nothing = Told(found=())
    return (
        (nothing, "slow", f"{reason}; left out") if reason == late else (nothing, "failed", reason)
    )


async def told(source: Retriever, request: Request, *, limit: int) -> Told:
    """What a source found, with how it came to it where it can say."""
    if isinstance(source, Teller):
        return await source.tell(request, limit=limit)
    return Told(found=tuple(await source.retrieve(request, limit=limit)))


async def _told(ask: Ask, source: Retriever) -> Told:
    found = await told(source, ask.request, limit=ask.depth)
    return replace(found, found=_checked(found.found, ask))


async def _answer(
    ask: Ask, source: Retriever, settings: Retrieve, breakers: Breakers
) -> tuple[Ranking, Outcome]:
    nothing = Ranking(source=ask.vote, collection=ask.collection, found=())
    resting = _resting(breakers.of(ask.source))
    if ask.skip or resting:
        reason = ask.skip or resting
        left_out = not ask.skip
        return nothing, Outcome(
            source=ask.vote, status="skipped", ms=0.0, reason=reason, left_out=left_out
        )
    started = time.perf_counter()
    found, status, reason = await ask_source(ask, source, hard_ms=settings.hard_ms)
    ms = (time.perf_counter() - started) * 1000
    if status == "ok" and ms > settings.soft_ms:
        ranking, outcome = _outcome(ask, found, ms, "slow", f"answered after {ms:.0f} ms")
        return ranking, replace(outcome, left_out=False)
    return _outcome(ask, found, ms, status, reason)


def _outcome(
    ask: Ask, found: Told, ms: float, status: Status, reason: str
) -> tuple[Ranking, Outcome]:
    outcome = Outcome(
        source=ask.vote,
        status=status if found.found or status != "ok" else "empty",
        ms=round(ms, 2),
        count=len(found.found),
        reason=reason,
        left_out=status != "ok",
        query=found.query,
        steps=found.steps,
        missing=found.missing,
        named=found.named,
        sure=found.sure,
        cells=found.cells,
        reasons=found.reasons,
    )
    return Ranking(source=ask.vote, collection=ask.collection, found=found.found), outcome


def _checked(found: Sequence[object], ask: Ask) -> tuple[Found, ...]:
    """Refuse rubbish, cut what is too much, keep the first of an id that comes twice."""
    first: dict[str, Found] = {}
    for one in found:
        if not isinstance(one, Found):
            raise SourceError(f"{ask.source} gave {one!r} where a passage was expected")
        if not isinstance(one.id, str):
            raise SourceError(f"{ask.source} gave {one.id!r} where an id was expected")
        if not math.isfinite(one.score):
            raise SourceError(f"{ask.source} gave {one.id!r} the score {one.score!r}")
        if one.passage is not None and not _stands_behind(one):
            raise SourceError(f"{ask.source} brought {one.passage!r} along as {one.id!r}")
        first.setdefault(one.id, one)
    return tuple(first.values())[: ask.depth]


def _stands_behind(found: Found) -> bool:
    brought: object = found.passage  # a plug-in need not keep to the types
    return isinstance(brought, Passage) and brought.id == found.id


def _record(
    plan: Plan, outcomes: Sequence[Outcome], settings: Retrieve, breakers: Breakers
) -> None:
    """Tell each breaker how its source did: one answer of several is an answer."""
    asked: dict[str, Outcome] = {}
    for ask, outcome in zip(plan.asks, outcomes, strict=True):
        if outcome.status == "skipped":
            continue
        if ask.source not in asked or not outcome.left_out:
            asked[ask.source] = outcome
    for source, outcome in asked.items():
        breakers.of(source).record(outcome, settings)


def _resting(breaker: Breaker) -> str:
    rest_s = breaker.rest_s()
    if not rest_s:
        return ""
    return f"failed {breaker.failures} times in a row; asked again in {rest_s:.0f} s"


def _refuse_if_all_failed(outcomes: Sequence[Outcome]) -> None:
    missed = [one for one in outcomes if one.left_out]
    answered = [one for one in outcomes if not one.left_out and one.status != "skipped"]
    if missed and not answered:
        details = "; ".join(f"{one.source}: {one.reason}" for one in missed)
        raise NoSourceAnswered(f"no source answered: {details}; `consilience doctor` looks further")


def _notes(outcomes: Sequence[Outcome]) -> list[Note]:
    """What a person should know of the sources: who came late or not at all, and what those that
    answered took the question for.
    """
    late = [
        Note(one.source, one.reason) for one in outcomes if one.left_out or one.status == "slow"
    ]
    return [*late, *(Note(one.source, step) for one in outcomes for step in one.steps)]
