"""What does the outside see of a result? One JSON shape for the command line and the service."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from consilience.answer.labels import place_of, played
from consilience.attribution import facts_of
from consilience.explain import Absence, Account, shares_asked
from consilience.names import surface
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
from consilience.workspace.bearing import Bearing
from consilience.workspace.reckoning import factors, why_first
from consilience.workspace.reckoning import told as reckoned

PREVIEW = 240
# Of text on one line, where lists and headings can no longer be told from sentences.
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\d\.)\s+")
# What movetext is made of: comments, brackets, a number with the space behind it, other words.
_SCORE = re.compile(
    r"\{(?P<note>[^}]*)\}?|(?P<bracket>[()])|\$\d+|(?P<number>\d+\.+)\s*|(?P<word>[^\s{}()]+)"
)
_COMMAND = re.compile(r"\[%[^\]]*\]")
_NUMBERED = re.compile(r"\d+\.")
_SQUARE = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|O-O")
_INNER = str.maketrans({"“": "‘", "”": "’"})
# Signs behind a move that few fonts have, as they are typed.
_RARE = str.maketrans({"⩲": "+=", "⩱": "=+", "⨀": "(zugzwang)", "⟳": "(better developed)"})
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))
# In which direction a step moves a hit on purpose; the others only give way or close the gap.
_DIRECTIONS = {
    "diversity": "down",
    "share cap": "down",
    "coverage": "up",
    "exact identifier": "up",
    "exact match": "up",
}


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
                **told_by(one),
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


def told_by(outcome: Outcome) -> dict[str, Any]:
    """What a source says of how it came to what it found, where it says something."""
    told = {"query": outcome.query, "steps": outcome.steps, "missing": outcome.missing}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in told.items() if one}


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


def account_json(result: Result, account: Account) -> dict[str, Any]:
    """A result with the hits that are explained, each in lines, and what the plan used."""
    hits = [
        {"place": one.place, **hit_json(one.hit, result.query.text), "lines": list(one.lines)}
        for one in account.hits
    ]
    told = {"plan": list(account.plan), "chance": list(account.chance)}
    return {**result_json(result), "results": hits, "told": told}


def absence_json(absence: Absence) -> dict[str, Any]:
    """At which step a passage was lost, why, and what would have to change."""
    return {**asdict(absence), "passage": passage_json(absence.passage)}


def paths_json(chains: Sequence[Chain], bearing: Bearing = lambda passage: None) -> dict[str, Any]:
    """How two things connect: each way step by step, with the passage that tells each step.

    `bearing` gives the passage that has the words a step rests on; the factors of the steps
    multiply to the score.
    """
    return {"paths": [_chain(chain, bearing) for chain in chains], "why": why_first(chains)}


def _chain(chain: Chain, bearing: Bearing) -> dict[str, Any]:
    steps = [
        {
            "start": link.start,
            "relation": link.relation,
            "end": link.end,
            "forward": link.forward,
            "passage": link.passage.id,
            "text": link.passage.text,
            "quote": str(link.passage.metadata.get("quote", "")),
            "evidence": plainly(bearing(link.passage)),
            **asdict(one),
        }
        for link, one in zip(chain.links, factors(chain), strict=True)
    ]
    told = {**passage_json(chain.passage), "text": chain.passage.text}
    return {"score": chain.score, **told, "arithmetic": reckoned(chain), "steps": steps}


def plainly(value: Any) -> Any:
    """A value of any kind as JSON: its fields by name, what it says, a passage with its text."""
    if isinstance(value, Passage):
        return {**passage_json(value), "text": value.text}
    if is_dataclass(value) and not isinstance(value, type):
        said = [name for name, one in vars(type(value)).items() if isinstance(one, property)]
        names = [*(one.name for one in fields(value)), *said]
        return {name: plainly(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(name): plainly(one) for name, one in value.items()}
    return [plainly(one) for one in value] if isinstance(value, list | tuple) else value


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
        "where": place_of(passage),
        "metadata": facts_of(passage.metadata),
    }


def called(passage: Passage) -> str:
    """How a passage is called in a list: a game by who played it, a place by its name, the rest by
    their title.
    """
    if passage.kind == "place" and passage.metadata.get("name"):
        return str(passage.metadata["name"])
    named = played(passage) if passage.kind == "game" else ""
    if not named or passage.title in named:
        return named or passage.title
    return f"{named} ({passage.title})"


def notes_for_people(result: Result) -> list[str]:
    """What one should know of a result, without the names of settings."""
    return [_said(note, result) for note in result.notes]


def _said(note: Note, result: Result) -> str:
    if note.origin != "relevance" or not result.abstained:
        return str(note)
    if result.answerable is not None:
        return f"nothing here is likely to answer this (chance {result.answerable:.2f})"
    best = max((hit.relevance or 0.0 for hit in result.hits), default=0.0)
    return f"nothing here is likely to answer this (best relevance {best:.2f})"


def locator_json(locator: Locator) -> dict[str, Any]:
    """The parts that are known, and the whole as a person would say it."""
    return {**locator.parts(), "text": str(locator)}


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

    A game is shown as a person would tell it: see `readable`.
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
    if passage.kind == "game":
        start = _with_its_move(whole, start)
    end = start + PREVIEW
    text = whole[start:] if end >= len(whole) else whole[start:end].rsplit(" ", 1)[0] + " …"
    text = ("… " if start else "") + text
    return _closed(text) if passage.kind == "game" else text


def readable(movetext: str) -> str:
    """Movetext for people: comments in quotation marks, variations behind `or`, no brackets.

    What only programs read, such as evaluations and the numbers of signs, is left out.
    """
    parts: list[str] = []
    number, variations = "", 0
    for match in _SCORE.finditer(movetext):
        if match["number"]:
            number = match["number"]
            continue
        if match["note"] is not None:
            words = " ".join(_COMMAND.sub(" ", match["note"]).split())
            parts += [f"“{words.translate(_INNER)}”"] if words else []
        elif match["bracket"]:
            variations += 1 if match["bracket"] == "(" else -1
            if parts and not parts[-1].endswith(";"):
                parts[-1] += ";"
            parts += ["or"] if match["bracket"] == "(" else []
        elif match["word"] and not (match["word"] in _RESULTS and variations == 0):
            parts.append(number + match["word"])
        number = ""
    return " ".join(parts).rstrip("; ").translate(_RARE)


def told(passage: Passage) -> str:
    """A passage's text for people: of a game its header, then its moves as one tells them."""
    header, _, body = passage.text.partition("\n\n")
    if passage.kind != "game" or not body.strip():
        return passage.text
    return f"{header}\n\n{readable(body)}"


def _body(passage: Passage) -> str:
    """A passage's text; of a game the moves, without the header that its first lines are."""
    _, _, body = passage.text.partition("\n\n")
    return readable(body) if passage.kind == "game" and body.strip() else passage.text


def _with_its_move(whole: str, start: int) -> int:
    """Where to begin so that a remark has the move it is about, and Black's move its number."""
    opened = whole.rfind("“", 0, start + 1)
    if opened >= 0 and whole.find("”", opened, start) < 0:
        begin = _word_before(whole, opened)
        if not any(sign.isalnum() for sign in whole[begin:opened]):  # a sign behind the move: `=`
            begin = _word_before(whole, begin)
        start = begin if start - begin <= PREVIEW // 2 else start
    before = _word_before(whole, start)
    bare = _SQUARE.match(whole, start) is not None
    return before if bare and _NUMBERED.match(whole, before) else start


def _word_before(text: str, at: int) -> int:
    """Where the word begins that stands before this place."""
    return text.rfind(" ", 0, max(at - 1, 0)) + 1


def _closed(text: str) -> str:
    """A text with the quotation marks that were cut off at its ends."""
    first, closing = text.find("“"), text.find("”")
    if closing >= 0 and not 0 <= first < closing:
        text = text.replace("… ", "… “", 1)
    return f"{text}”" if text.rfind("“") > text.rfind("”") else text


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
