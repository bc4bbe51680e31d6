"""What does the outside see of a result? One JSON shape for the command line and the service."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from consilience.answer.labels import played
from consilience.names import surface
from consilience.types import Answer, Citation, Hit, Locator, Passage, Plan, Result, Trace

PREVIEW = 240
# Of text on one line, where lists and headings can no longer be told from sentences.
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# In which direction a step moves a hit on purpose; the others only give way or close the gap.
_DIRECTIONS = {"diversity": "down", "share cap": "down", "coverage": "up", "exact identifier": "up"}


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
        "shares": shares_asked(result.trace),
        "trusts": {name: asdict(one) for name, one in result.trace.trusts.items()},
        "abstained": result.abstained,
        "answerable": result.answerable,
        "notes": [asdict(note) for note in result.notes],
        "timing_ms": dict(result.trace.timing_ms),
    }


def answer_json(answer: Answer) -> dict[str, Any]:
    """A written answer as JSON: that of its search, with the text and what it rests on."""
    return {
        **result_json(answer.result),
        "text": answer.text,
        "citations": [citation_json(one) for one in answer.citations],
        "exhibits": [
            {
                "mark": one.mark,
                "passage": one.passage.id,
                "label": one.label,
                "relevance": one.relevance,
            }
            for one in answer.exhibits
        ],
        "figures": [asdict(one) for one in answer.figures],
        "support": answer.support,
        "facts": answer.facts,
        "faults": [asdict(fault) for fault in answer.faults],
        "abstained": answer.abstained,
        "suggestions": [asdict(one) for one in answer.suggestions],
        "writer": answer.writer,
        "length": answer.length,
        "emphasis": answer.emphasis,
        "outline": asdict(answer.outline) if answer.outline else None,
        "calls": [asdict(call) for call in answer.calls],
        "notes": [asdict(note) for note in answer.notes],
        "timing_ms": dict(answer.timing_ms),
    }


def citation_json(citation: Citation) -> dict[str, Any]:
    """Where a mark leads: the passage, how it is named, and the words that the text rests on."""
    return {
        "mark": citation.mark,
        **passage_json(citation.passage),
        "label": citation.label,
        "quote": citation.quote,
    }


def hit_json(hit: Hit, question: str) -> dict[str, Any]:
    """One result: the passage, its place in its document, and the arithmetic of its rank."""
    return {
        **passage_json(hit.passage),
        "preview": preview(hit.passage, question),
        "relevance": hit.relevance,
        "score": hit.score,
        "best_rank": hit.best_rank,
        "sources": sorted(hit.sources),
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
        "name": called(passage),
        "locator": locator_json(passage.locator),
        "metadata": dict(passage.metadata),
    }


def called(passage: Passage) -> str:
    """How a passage is called in a list: a game by who played it, the rest by their title."""
    named = played(passage) if passage.kind == "game" else ""
    return f"{named} ({passage.title})" if named else passage.title


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
            ask.vote: {
                "weight": ask.weight,
                "depth": ask.depth,
                "skip": ask.skip,
                "criteria": [asdict(one) for one in ask.request.criteria],
                "seeds": list(ask.request.seeds),
                "intents": list(ask.request.intents),
            }
            for ask in plan.asks
        },
    }


def shares_asked(trace: Trace) -> dict[str, float]:
    """The share of voice of each collection that was asked."""
    asked = {ask.collection for ask in trace.plan.asks}
    return {name: share for name, share in trace.shares.items() if name in asked}


def moves(hit: Hit) -> list[str]:
    """`moved up by coverage`: the steps that moved a hit on purpose, whatever its score."""
    told = []
    for change in hit.changes:
        if change.before is None or change.after is None or change.before == change.after:
            continue
        direction = "up" if change.after < change.before else "down"
        if direction == _DIRECTIONS.get(change.step):
            told.append(f"moved {direction} by {change.step}")
    return list(dict.fromkeys(told))


def preview(passage: Passage, question: str) -> str:
    """A few lines of a passage, from the sentence that shares the most telling words with the
    question; where that sentence is too long, from around the most telling of them.
    """
    whole = " ".join(_body(passage).split())
    if len(whole) <= PREVIEW:
        return whole
    worth = _worth(question, whole)
    sentences = _SENTENCE.split(whole)
    values = [sum(worth[word] for word in worth.keys() & _words(one)) for one in sentences]
    best = values.index(max(values))
    start = sum(len(one) + 1 for one in sentences[:best])
    if len(sentences[best]) > PREVIEW:
        start = _around(sentences[best], worth, start)
    end = start + PREVIEW
    text = whole[start:] if end >= len(whole) else whole[start:end].rsplit(" ", 1)[0] + " …"
    return ("… " if start else "") + text


def _body(passage: Passage) -> str:
    """A passage's text; of a game the moves, without the header that its first lines are."""
    _, _, body = passage.text.partition("\n\n")
    return body if passage.kind == "game" and body.strip() else passage.text


def _words(text: str) -> set[str]:
    return set(surface(text).split())


def _worth(question: str, whole: str) -> dict[str, float]:
    """How much each word of a question tells in a text: short and frequent ones little.

    That needs no list of stop words, in whatever language the text is.
    """
    counts = Counter(surface(whole).split())
    return {word: len(word) / counts[word] ** 0.5 for word in _words(question) if word in counts}


def _around(sentence: str, worth: Mapping[str, float], offset: int) -> int:
    """Where to begin so that the first most telling word of a long sentence stands midway."""
    here = _words(sentence)
    best = max((value for word, value in worth.items() if word in here), default=0.0)
    for match in re.finditer(r"\S+", sentence):
        if any(worth.get(word) == best for word in surface(match[0]).split()):
            begin = min(match.start() - PREVIEW // 2, len(sentence) - PREVIEW)
            return offset + (sentence.index(" ", begin) + 1 if begin > 0 else 0)
    return offset
