"""How did a result come about? The plan, the chance that it answers, and the ranks, in lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.errors import UsageError
from consilience.explain.arithmetic import answerable, why
from consilience.names import mentioned
from consilience.pipeline import meant
from consilience.plan import kind_of
from consilience.relevance import Calibration, signs_of
from consilience.types import Ask, Hit, Plan, Result, Trace, Trust
from consilience.workspace import Workspace

SHOWN = 3
"""Results that are explained where none is named."""
# Sources that compare texts: criteria and nodes are no use to them.
_WORDS_ONLY = ("dense", "bm25")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A hit at its place, with the lines that explain it."""

    place: int
    hit: Hit
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How a result came about: what the plan used, the chance that anything answers, the ranks."""

    plan: tuple[str, ...]
    chance: tuple[str, ...]
    hits: tuple[Explained, ...]


def account(result: Result, space: Workspace, which: str = "") -> Account:
    """Explain a result of a workspace: one place or passage of it, or the first few."""
    chosen = _chosen(result, which)
    calibration = space.engine.calibration
    likely = _likely(result, calibration, space)
    return Account(
        plan=tuple(plan_lines(result.trace, _nodes(space, result.query.text))),
        chance=tuple(answerable(result, calibration)),
        hits=tuple(
            Explained(place=place, hit=hit, lines=(*why(hit), *likely[place - 1 : place]))
            for place, hit in chosen
        ),
    )


def plan_lines(trace: Trace, nodes: Mapping[str, str]) -> list[str]:
    """All that the plan used: the rule, shares of voice, added words, what each source got."""
    plan = trace.plan
    told = [f"intent: {plan.intent} ({plan.rule})"]
    shares = shares_asked(trace)
    if len(shares) > 1:
        each = " · ".join(f"{name} {share:.2f}" for name, share in shares.items())
        told.append(f"share of voice, by the best similarity found: {each}")
    for trust in trace.trusts.values():
        told.extend(_trust(trust))
    told.extend(
        f"also looked for: {term.text} (weight {term.weight:g}, for {term.origin!r})"
        for term in plan.terms
    )
    ran = {one.source: one.query for one in trace.outcomes if one.query}
    given = {ask.vote: _given(ask, nodes) for ask in plan.asks if ask.vote not in ran}
    told.extend(f"{vote} was given {what}" for vote, what in given.items() if what)
    told.extend(f"{vote} ran: {' '.join(query.split())}" for vote, query in ran.items())
    return [*told, *_preferences(plan)]


def shares_asked(trace: Trace) -> dict[str, float]:
    """The share of voice of each collection that was asked."""
    asked = {ask.collection for ask in trace.plan.asks}
    return {name: share for name, share in trace.shares.items() if name in asked}


def _likely(result: Result, calibration: Calibration | None, space: Workspace) -> list[str]:
    """How the relevance of each hit comes about; nothing where there is no calibration."""
    if calibration is None:
        return []
    trace = result.trace
    exactly = meant(result.hits, trace.plan, space.pack, sure=trace.sure)
    return [calibration.explained(one) for one in signs_of(result.hits, result.query.text, exactly)]


def _nodes(space: Workspace, question: str) -> dict[str, str]:
    """The nodes that a question names, and the words by which it does."""
    mentions = mentioned(question, space.catalogue.mentions)
    return {one.value: one.surface for one in mentions if one.role == "node"}


def _chosen(result: Result, which: str) -> Sequence[tuple[int, Hit]]:
    numbered = list(enumerate(result.hits, start=1))
    if not which:
        return numbered[:SHOWN]
    fits = [
        (place, hit)
        for place, hit in numbered
        if which == str(place) or (len(which) >= 4 and hit.passage.id.startswith(which))
    ]
    if not fits:
        raise UsageError(
            f"{which!r} is neither one of the {len(numbered)} places nor the id of a result; "
            "for a passage that is missing use `consilience why-not`"
        )
    return fits


def _trust(trust: Trust) -> list[str]:
    """How far each side is trusted in a collection for this question, and for what reason."""
    told = (
        f"trust in {trust.collection}: meaning {trust.meaning:.2f} · words {trust.words:.2f} · "
        f"neighbours {trust.neighbours:.2f}"
    )
    return [told, *(f"  {reason}" for reason in trust.reasons)]


def _given(ask: Ask, nodes: Mapping[str, str]) -> str:
    """What a source was asked beyond the words: criteria, nodes to start from, relations."""
    if ask.skip or kind_of(ask.source) in _WORDS_ONLY:
        return ""
    request = ask.request
    parts = {
        "rows": [str(one) for one in request.criteria],
        "from": [nodes.get(one, one) for one in request.seeds],
        "along": list(request.intents),
    }
    return "; ".join(f"{name}: {', '.join(told)}" for name, told in parts.items() if told)


def _preferences(plan: Plan) -> list[str]:
    """What may move a passage after fusing."""
    return [
        *(f"preferred: {one.condition} (+{one.factor:.0%}, {one.reason})" for one in plan.boosts),
        *(f"meant exactly: {one}" for one in plan.identifiers),
        *(
            f"shown by place {places}, if there is any: {kind}"
            for kind, places in plan.cover.items()
        ),
    ]
