"""Where would a source have placed a passage, had it been asked for more?"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from consilience.kinds import unsearched_kinds
from consilience.pipeline import Engine
from consilience.protocols import Scorer
from consilience.retrieve import ask_source
from consilience.types import Ask, Outcome, Passage, Result

DEEPEST = 10_000
PATIENCE_MS = 10_000  # nobody waits for an answer: only the reason is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What one source has to say of a passage: the true rank, if it has one, and the reason.

    `held` is False when the source can tell that it does not hold the passage.
    """

    ask: Ask
    outcome: Outcome
    reason: str
    rank: int | None = None
    held: bool = True
    weightless: bool = False

    @property
    def missed(self) -> bool:
        """Whether it should have been found: its rank lies within what was asked for."""
        return self.rank is not None and self.rank <= self.ask.depth

    @property
    def late(self) -> bool:
        """Whether the source missed its hard deadline."""
        return self.outcome.left_out and self.outcome.status == "slow"


async def standings(result: Result, passage: Passage, engine: Engine) -> list[Standing]:
    """What every source of the passage's collection says, in the order of the plan."""
    outcomes = {one.source: one for one in result.trace.outcomes}
    plan = result.trace.plan
    silent = plan.shares.get(passage.collection, 1.0) == 0
    return [
        await _standing(ask, outcomes[ask.vote], passage, engine, silent=silent or not ask.weight)
        for ask in plan.asks
        if ask.collection == passage.collection
    ]


async def _standing(
    ask: Ask, outcome: Outcome, passage: Passage, engine: Engine, *, silent: bool
) -> Standing:
    if outcome.left_out or outcome.status == "skipped":
        reason = f"{outcome.status}: {outcome.reason}"
        return Standing(ask=ask, outcome=outcome, reason=reason, weightless=silent)
    source = engine.sources[ask.source]
    patience_ms = max(PATIENCE_MS, engine.settings.retrieve.hard_ms)
    asked, status, reason = await ask_source(
        replace(ask, depth=DEEPEST), source, hard_ms=patience_ms
    )
    if status != "ok":
        return Standing(
            ask=ask, outcome=outcome, reason=f"asked for more, it {_did(status)}{reason}"
        )
    found = asked.found
    ids = [one.id for one in found]
    if passage.id in ids:
        rank = ids.index(passage.id) + 1
        told = (
            f"true rank {rank}, its score {found[rank - 1].score:.4f}; {_asked(ask, rank, engine)}"
        )
        return Standing(ask=ask, outcome=outcome, reason=told, rank=rank)
    score = await _score(source, ask, passage, patience_ms)
    if score is None and passage.kind in unsearched_kinds():
        return Standing(ask=ask, outcome=outcome, reason=f"a {passage.kind} is no text to search")
    if score is None:
        return Standing(ask=ask, outcome=outcome, reason="does not hold it", held=False)
    far = f"beyond rank {DEEPEST}" if len(ids) >= DEEPEST else "does not match"
    return Standing(ask=ask, outcome=outcome, reason=f"{far}{score}")


def _did(status: str) -> str:
    return "failed: " if status == "failed" else "gave "


def _asked(ask: Ask, rank: int, engine: Engine) -> str:
    share = engine.settings.retrieve.percentile
    count = f"{ask.depth} (retrieve.percentile is {share:g})" if share else f"{ask.depth}"
    if rank <= ask.depth:
        return f"asked for {count}, its shortened vectors missed it"
    return f"asked for {count}"


async def _score(source: object, ask: Ask, passage: Passage, patience_ms: float) -> str | None:
    """The passage's score in words; empty if the source cannot tell, None if it lacks it."""
    if not isinstance(source, Scorer):
        return ""
    try:
        async with asyncio.timeout(patience_ms / 1000):
            scores = await source.score(ask.request, [passage.id])
            return f", its score {scores[passage.id]:.4f}" if passage.id in scores else None
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
        return f", and cannot score it ({type(error).__name__}: {error})"
