"""What does the outside see of a result? One JSON shape for the command line and the service."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from consilience.names import surface
from consilience.types import Hit, Locator, Passage, Plan, Result

PREVIEW = 240
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def result_json(result: Result) -> dict[str, Any]:
    """An answer list as JSON; fields are added over time, never renamed."""
    return {
        "query": result.query.text,
        "results": [hit_json(hit, result.query.text) for hit in result.hits],
        "outcomes": {
            one.source: {
                "status": one.status,
                "ms": one.ms,
                "count": one.count,
                "reason": one.reason,
            }
            for one in result.trace.outcomes
        },
        "plan": plan_json(result.trace.plan),
        "shares": dict(result.trace.shares),
        "notes": [asdict(note) for note in result.notes],
        "timing_ms": dict(result.trace.timing_ms),
    }


def hit_json(hit: Hit, question: str) -> dict[str, Any]:
    """One result: the passage, its place in its document, and the arithmetic of its rank."""
    return {
        **passage_json(hit.passage),
        "preview": preview(hit.passage, question),
        "score": hit.score,
        "votes": [asdict(vote) for vote in hit.votes],
        "changes": [asdict(change) for change in hit.changes],
        "merged": list(hit.merged),
    }


def passage_json(passage: Passage) -> dict[str, Any]:
    """What can be cited."""
    return {
        "passage": passage.id,
        "kind": passage.kind,
        "collection": passage.collection,
        "document": passage.document,
        "title": passage.title,
        "locator": locator_json(passage.locator),
        "metadata": dict(passage.metadata),
    }


def locator_json(locator: Locator) -> dict[str, Any]:
    """The parts that are known, and the whole as a person would say it."""
    parts = {name: value for name, value in asdict(locator).items() if value}
    return {**parts, "text": str(locator)}


def plan_json(plan: Plan) -> dict[str, Any]:
    """What was asked of whom, and by which rule."""
    return {
        "intent": plan.intent,
        "rule": plan.rule,
        "terms": [asdict(term) for term in plan.terms],
        "boosts": [asdict(boost) for boost in plan.boosts],
        "identifiers": list(plan.identifiers),
        "cover": dict(plan.cover),
        "shares": dict(plan.shares),
        "sources": {
            ask.vote: {"weight": ask.weight, "depth": ask.depth, "skip": ask.skip}
            for ask in plan.asks
        },
    }


def preview(passage: Passage, question: str) -> str:
    """The sentences of a passage that share most words with the question, cut to a few lines."""
    whole = " ".join(passage.text.split())
    if len(whole) <= PREVIEW:
        return whole
    sentences = _SENTENCE.split(whole)
    words = set(surface(question).split())
    shared = [len(words & set(surface(sentence).split())) for sentence in sentences]
    start = shared.index(max(shared))
    text = " ".join(sentences[start:])
    lead = "… " if start else ""
    return lead + (text if len(text) <= PREVIEW else text[:PREVIEW].rsplit(" ", 1)[0] + " …")
