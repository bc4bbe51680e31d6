"""Which JSON do programs get? One shape for the command line and the service.

Keys are added over time and never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from consilience.explain import Absence, Explanation, shares_asked
from consilience.passage_display import name_of, place_of, preview
from consilience.provenance import without_encoded
from consilience.types import (
    Answer,
    Chain,
    Citation,
    Hit,
    Locator,
    Note,
    Outcome,
    Passage,
    Plan,
    Result,
)
from consilience.workspace.graph_paths import chain_factors, why_first
from consilience.workspace.graph_paths import describe_chain as chain_arithmetic
from consilience.workspace.supporting_passage import FindSupport

# In which direction a step moves a hit on purpose; the other way it only makes room.
_DIRECTIONS = {
    "diversity": "down",
    "share cap": "down",
    "coverage": "up",
    "exact identifier": "up",
    "exact match": "up",
}


# --- results ------------------------------------------------------------------------------


def result_json(result: Result) -> dict[str, Any]:
    """The result of a search."""
    return {
        "query": result.query.text,
        "results": [hit_json(hit, result.query.text) for hit in result.hits],
        "offset": result.query.offset,
        "outcomes": {outcome.source: _outcome_json(outcome) for outcome in result.trace.outcomes},
        "plan": plan_json(result.trace.plan),
        "shares": shares_asked(result.trace),
        "trusts": {name: asdict(trust) for name, trust in result.trace.trusts.items()},
        "abstained": result.abstained,
        "answerable": result.answerable,
        "notes": [asdict(note) for note in result.notes],
        "timing_ms": dict(result.trace.timing_ms),
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    """How asking a source went, and how it came to its hits, where it says so."""
    details = _pick(outcome, "query", "steps", "missing")
    return _pick(outcome, "status", "ms", "count", "reason") | {
        name: value for name, value in details.items() if value
    }


def plan_json(plan: Plan) -> dict[str, Any]:
    """What each source was asked, and which rule decided it."""
    return {
        "intent": plan.intent,
        "rule": plan.rule,
        "terms": [asdict(term) for term in plan.terms],
        "boosts": [asdict(boost) for boost in plan.boosts],
        "identifiers": list(plan.identifiers),
        "cover": dict(plan.cover),
        "shares": dict(plan.shares),
        "sources": {
            ask.vote: {
                **_pick(ask, "weight", "depth", "skip"),
                "criteria": [asdict(criterion) for criterion in ask.request.criteria],
                **_pick(ask.request, "seeds", "intents"),
            }
            for ask in plan.asks
        },
    }


def hit_json(hit: Hit, question: str) -> dict[str, Any]:
    """A hit: the passage, and the arithmetic of its rank."""
    return {
        **passage_json(hit.passage),
        "preview": preview(hit.passage, question),
        **_pick(hit, "relevance", "score", "best_rank"),
        "sources": sorted(hit.sources),
        "votes": [asdict(vote) for vote in hit.votes],
        "changes": [asdict(change) for change in hit.changes],
        "merged": list(hit.merged),
    }


def passage_json(passage: Passage) -> dict[str, Any]:
    """A passage without its text: what a citation needs."""
    return {
        "passage": passage.id,
        **_pick(passage, "kind", "collection", "document", "title"),
        "name": name_of(passage),
        "locator": locator_json(passage.locator),
        "where": place_of(passage),
        "metadata": without_encoded(passage.metadata),
    }


def locator_json(locator: Locator) -> dict[str, Any]:
    """The known parts of a locator, and all of it in words."""
    return {**locator.parts(), "text": str(locator)}


# --- answers, explanations, paths ---------------------------------------------------------


def answer_json(answer: Answer) -> dict[str, Any]:
    """A written answer: the result of its search, the text and its evidence."""
    return {
        **result_json(answer.result),
        "text": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "exhibits": [
            {**_pick(exhibit, "mark", "label", "relevance"), "passage": exhibit.passage.id}
            for exhibit in answer.exhibits
        ],
        "figures": [asdict(figure) for figure in answer.figures],
        **_pick(answer, "support", "facts", "abstained", "writer", "length", "emphasis"),
        "faults": [asdict(fault) for fault in answer.faults],
        "suggestions": [asdict(suggestion) for suggestion in answer.suggestions],
        "outline": asdict(answer.outline) if answer.outline else None,
        "calls": [asdict(call) for call in answer.calls],
        "notes": [asdict(note) for note in answer.notes],
        "timing_ms": dict(answer.timing_ms),
    }


def citation_json(citation: Citation) -> dict[str, Any]:
    """A citation: its passage, its label, and the quoted words."""
    return passage_json(citation.passage) | _pick(citation, "mark", "label", "quote")


def explanation_json(result: Result, explanation: Explanation) -> dict[str, Any]:
    """A result with only the explained hits, each with its lines."""
    hits = [
        {
            "place": explained.place,
            **hit_json(explained.hit, result.query.text),
            "lines": list(explained.lines),
        }
        for explained in explanation.hits
    ]
    lines = {"plan": list(explanation.plan), "chance": list(explanation.chance)}
    return {**result_json(result), "results": hits, "told": lines}


def absence_json(absence: Absence) -> dict[str, Any]:
    """At which step a passage was lost, why, and what would change that."""
    return {**asdict(absence), "passage": passage_json(absence.passage)}


def paths_json(
    chains: Sequence[Chain], evidence: FindSupport = lambda passage: None
) -> dict[str, Any]:
    """How two things connect: each chain step by step, with the passage behind each step.

    `evidence` finds the passage that has the quoted words of a step. The factors of the steps
    multiply to the score.
    """
    return {"paths": [_chain_json(chain, evidence) for chain in chains], "why": why_first(chains)}


def _chain_json(chain: Chain, evidence: FindSupport) -> dict[str, Any]:
    steps = [
        {
            **_pick(link, "start", "relation", "end", "forward"),
            "passage": link.passage.id,
            "text": link.passage.text,
            "quote": str(link.passage.metadata.get("quote", "")),
            "evidence": value_json(evidence(link.passage)),
            **asdict(step),
        }
        for link, step in zip(chain.links, chain_factors(chain), strict=True)
    ]
    return {
        "score": chain.score,
        **passage_json(chain.passage),
        "text": chain.passage.text,
        "arithmetic": chain_arithmetic(chain),
        "steps": steps,
    }


def _pick(value: object, *names: str) -> dict[str, Any]:
    """Some attributes of a value by name, tuples as lists."""
    found = {name: getattr(value, name) for name in names}
    return {name: list(item) if isinstance(item, tuple) else item for name, item in found.items()}


def value_json(value: Any) -> Any:
    """Any value: a dataclass by its fields and properties, a passage with its text."""
    if isinstance(value, Passage):
        return {**passage_json(value), "text": value.text}
    if is_dataclass(value) and not isinstance(value, type):
        members = vars(type(value)).items()
        properties = [name for name, member in members if isinstance(member, property)]
        names = [*(field.name for field in fields(value)), *properties]
        return {name: value_json(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(name): value_json(item) for name, item in value.items()}
    return [value_json(item) for item in value] if isinstance(value, list | tuple) else value


# --- sentences about results --------------------------------------------------------------


def notes_for_people(result: Result) -> list[str]:
    """The notes of a result, without names of settings."""
    return [_describe_note(note, result) for note in result.notes]


def _describe_note(note: Note, result: Result) -> str:
    if note.origin != "relevance" or not result.abstained:
        return str(note)
    if result.answerable is not None:
        return f"no passage is likely to answer this (chance {result.answerable:.2f})"
    best = max((hit.relevance or 0.0 for hit in result.hits), default=0.0)
    return f"no passage is likely to answer this (best relevance {best:.2f})"


def describe_moves(hit: Hit) -> list[str]:
    """`moved up by coverage`: the steps that moved a hit on purpose, whatever its score."""
    moves = []
    for change in hit.changes:
        if change.before is None or change.after is None or change.before == change.after:
            continue
        direction = "up" if change.after < change.before else "down"
        if direction == _DIRECTIONS.get(change.step):
            moves.append(f"moved {direction} by {change.step}")
    return list(dict.fromkeys(moves))
