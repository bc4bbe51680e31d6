"""In which order do the steps run? Each is told as it ends; the check goes back to the composer.

analyse → negotiate → plan retrieval → retrieve → compose → advise → check, and again from compose
with what the check found, `ROUNDS` times at most. The best round is kept. What could not be mended
is said: it is a compromise that nobody chose.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from consilience.errors import UsageError
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.given import Given
from consilience.packs.travel.trips.modelled.account import account_of
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.retrieving import retrieve
from consilience.packs.travel.trips.steps import Searches, Steps
from consilience.packs.travel.trips.telling import (
    told_advice,
    told_candidates,
    told_check,
    told_days,
    told_plan,
    told_wish,
)
from consilience.packs.travel.trips.types import (
    Advice,
    Candidates,
    Compromise,
    Finding,
    Itinerary,
    RetrievalPlan,
    Round,
    Trip,
    Wish,
)

ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A step that has ended: its name, what came of it in a line, and all of it."""

    step: str
    said: str
    value: Wish | RetrievalPlan | Candidates | Itinerary | Advice | tuple[Finding, ...] | Trip


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What a trip is made with: places, a way to search, the five steps, the day it is."""

    atlas: Atlas
    searches: Searches
    steps: Steps
    today: date


@dataclass(slots=True)
class _Work:
    """The best that came of composing so far."""

    itinerary: Itinerary
    advice: Advice
    findings: tuple[Finding, ...]
    rounds: list[Round]


async def stages(text: str, kit: Kit, given: Given | None = None) -> AsyncGenerator[Stage]:
    """A trip, step by step; the last stage is `done` and has all of it."""
    atlas = kit.atlas
    if not atlas.cities():
        raise UsageError(
            "this workspace holds no cities to travel to; add files of places: `consilience add`"
        )
    wish = await kit.steps.analyse(text, atlas, today=kit.today)
    wish = (given or Given()).applied(wish, atlas)
    yield Stage(step="analyse", said=told_wish(wish, atlas), value=wish)
    if wish.off_topic:
        yield _done(Trip(wish=wish, status="refused", refusal=wish.off_topic), kit)
        return
    agreed = negotiate(wish, atlas, today=kit.today)
    base = Trip(wish=wish, status="planned", granted=agreed.wish, compromises=agreed.compromises)
    if agreed.refusal:
        offers = tuple(agreed.offers)
        yield _done(replace(base, status="refused", refusal=agreed.refusal, offers=offers), kit)
        return
    granted = agreed.wish
    plan = await kit.steps.plan(granted, atlas)
    yield Stage(step="plan", said=told_plan(plan), value=plan)
    candidates = await retrieve(plan, kit.searches, atlas)
    yield Stage(step="retrieve", said=told_candidates(candidates, atlas), value=candidates)
    work: _Work | None = None
    async for step in _composed(granted, candidates, kit):
        if isinstance(step, Stage):
            yield step
        else:
            work = step
    assert work is not None  # noqa: S101 - the last that comes, always
    yield _done(_whole(replace(base, plan=plan, candidates=candidates), work), kit)


async def _composed(wish: Wish, candidates: Candidates, kit: Kit) -> AsyncGenerator[Stage | _Work]:
    """Rounds of composing, advising and checking, and at last the best of them."""
    best: _Work | None = None
    before: Itinerary | None = None
    findings: tuple[Finding, ...] = ()
    rounds: list[Round] = []
    for number in range(1, ROUNDS + 1):
        days = await kit.steps.compose(
            wish, candidates, kit.atlas, before=before, findings=findings
        )
        yield Stage(step="compose", said=told_days(days, kit.atlas), value=days)
        advice = await kit.steps.advise(wish, days, kit.atlas)
        yield Stage(step="advise", said=told_advice(advice), value=advice)
        findings = tuple(await kit.steps.check(wish, days, advice, kit.atlas))
        yield Stage(step="check", said=told_check(findings, number), value=findings)
        rounds.append(Round(number=number, findings=findings))
        if best is None or len(findings) < len(best.findings):
            best = _Work(days, advice, findings, rounds)
        if not findings or (before == days and number > 1):
            break
        before = days
    if best is not None:
        yield best


def _whole(trip: Trip, work: _Work) -> Trip:
    compromises = (*trip.compromises, *unmended(work.findings))
    return replace(
        trip,
        status="negotiated" if compromises else "planned",
        compromises=compromises,
        itinerary=work.itinerary,
        advice=work.advice,
        rounds=tuple(work.rounds),
        findings=work.findings,
    )


def unmended(findings: Sequence[Finding]) -> tuple[Compromise, ...]:
    """What the rounds could not mend, as what it is: something that was wanted and is not so."""
    from consilience.packs.travel.trips.checking import RULES  # noqa: PLC0415 - checks need more

    by_rule: dict[str, list[str]] = {}
    for one in findings:
        by_rule.setdefault(one.rule, []).append(one.message)
    return tuple(
        Compromise(
            wanted=RULES[rule],
            reason="; ".join(messages),
            instead="the plan below is the nearest that was found",
        )
        for rule, messages in by_rule.items()
    )


def _done(trip: Trip, kit: Kit) -> Stage:
    account = account_of(kit.steps)
    trip = replace(trip, steps=dict(account.made), notes=(*trip.notes, *account.notes))
    said = {"planned": "planned", "negotiated": "planned with compromises", "refused": "refused"}
    return Stage(step="done", said=trip.refusal or said[trip.status], value=trip)
