"""What does a graph of concepts lack that texts say? Proposals, for a person to accept or reject.

Nothing that is proposed is used by a search or a path before it was accepted: it stands in a file
that a person reads, and becomes evidence only when `consilience concepts accept` takes it in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from consilience.errors import ModelError
from consilience.packs.research.proposing.naming import propose_concepts
from consilience.packs.research.proposing.relating import propose_relations
from consilience.packs.research.proposing.together import propose_pairs
from consilience.packs.research.proposing.values import (
    GRAPH,
    Asked,
    Concept,
    Evidence,
    Proposals,
    Relation,
    Text,
    is_prose,
    one_line,
)
from consilience.packs.research.proposing.vocabulary import Vocabulary, read_vocabulary
from consilience.protocols import Generator
from consilience.types import Passage
from consilience.understand.names import surface
from consilience.worker_pool import run_sync

__all__ = [
    "LIMIT",
    "Concept",
    "Evidence",
    "Proposals",
    "Relation",
    "Source",
    "Vocabulary",
    "propose",
    "read_source",
]

LIMIT = 100
"""How many concepts, and how many relations, a file of proposals holds."""
PASSAGES = 40
"""How many passages a language model is asked about."""
LETTERS = 1000
"""A longer sentence is none: a table, or a list without stops."""
LEAST_LETTERS = 0.6
_REFERENCES = re.compile(
    r"(?:\d+\.?\s+)?(?:references|bibliography|literature(?: cited)?|works cited|further reading)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\bimport \w+ (?:as|from|import)\b|\bfrom \w+ import\b|\bdef \w+\(|\w\.\w+\(|==|::|->"
)
_STOPS = (".", "!", "?", ":", ";", "…", ")", "]", "”", '"', "’", "»", "$")
PAIRS = 5
"""A pair without a type for so many relations that have one, at most."""
_LEAST_CONCEPT = 0.45
"""Below this a concept is worth a place only where a relation has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What proposals are made from: the texts, their bodies by passage, and the graph so far."""

    texts: tuple[Text, ...]
    bodies: dict[str, str]
    known: Vocabulary


def read_source(passages: Iterable[Passage], sentences: Callable[[str], Sequence[str]]) -> Source:
    """The texts and the graph that the passages of a workspace hold.

    A sentence that stands in many places, as the last lines of every chapter, is read once.
    """
    graph: list[Passage] = []
    read: list[Passage] = []
    for one in passages:
        if one.kind in GRAPH:
            graph.append(one)
        elif is_prose(one):
            read.append(one)
    said: set[str] = set()
    texts = []
    for one in read:
        cited = any(_REFERENCES.match(heading) for heading in one.locator.section)
        lines = [line for line in map(one_line, sentences(one.text)) if _is_sentence(line)]
        fresh = [] if cited else [line for line in dict.fromkeys(lines) if line not in said]
        said.update(fresh)
        texts.append(
            Text(
                passage=one.id,
                document=one.document,
                headings=one.locator.section,
                sentences=tuple(fresh),
            )
        )
    return Source(
        texts=tuple(texts),
        bodies={one.id: one.text for one in read},
        known=read_vocabulary(graph),
    )


def _is_sentence(line: str) -> bool:
    """Whether a line is a sentence, and no piece of a program or of a table."""
    if _CODE.search(line):
        return False
    plain = sum(sign.isalpha() or sign.isspace() for sign in line)
    return len(line) <= LETTERS and line.endswith(_STOPS) and plain >= LEAST_LETTERS * len(line)


def propose(
    source: Source,
    *,
    generator: Generator | None = None,
    limit: int = LIMIT,
    rejected: Collection[tuple[str, ...]] = (),
) -> Proposals:
    """What the texts say that the graph lacks, but for what a person `rejected` before.

    With a `generator` the passages that name most are shown to it as well.
    """
    known, texts = source.known, source.texts
    concepts = [one for one in propose_concepts(texts, known) if concept_key(one) not in rejected]
    asked, notes = _asked(source, _with(known, concepts), generator)
    concepts += [one for one in asked.concepts if concept_key(one) not in rejected]
    vocabulary = _with(known, concepts)
    stated = _best([*propose_relations(texts, vocabulary, known=known), *_meant(asked, vocabulary)])
    open_pairs = propose_pairs(texts, vocabulary, apart=_apart(known, stated))
    fresh = [one for one in stated if one.key not in known.relations]
    typed, pairs = (
        [one for one in found if relation_key(one) not in rejected] for found in (fresh, open_pairs)
    )
    relations = _shared_out(typed, pairs, limit)
    kept, left = _chosen(_once(concepts), {end for one in relations for end in one.pair}, limit)
    there = {*known.kinds, *(one.name for one in kept)}
    relations = [one for one in relations if one.pair <= there]
    more = len(typed) - sum(bool(one.type) for one in relations)
    if more or left:
        notes.append(f"{left} more concepts and {more} more relations were found; see --limit")
    return Proposals(concepts=tuple(kept), relations=tuple(relations), notes=tuple(notes))


def _shared_out(typed: Sequence[Relation], pairs: Sequence[Relation], limit: int) -> list[Relation]:
    """As many relations as there is room for, and some pairs whose type is open."""
    first = list(typed[:limit])
    return [*first, *pairs[: min(max(limit // PAIRS, 1), limit - len(first))]]


def concept_key(one: Concept) -> tuple[str, ...]:
    """What a person rejects with a concept: its name, and for a known one the new aliases."""
    names = one.aliases if one.known else ()
    return ("concept", surface(one.name), *sorted(map(surface, names)))


def relation_key(one: Relation) -> tuple[str, ...]:
    """What a person rejects with a relation."""
    first, kind, last = one.key
    return ("relation", surface(first), kind, surface(last))


def _with(known: Vocabulary, concepts: Iterable[Concept]) -> Vocabulary:
    """The graph's concepts, and behind them those that are proposed."""
    grown = Vocabulary()
    for name, kind in known.kinds.items():
        grown.add(name, kind=kind, aliases=known.aliases.get(name, ()))
    for one in concepts:
        grown.add(one.name, kind=one.kind, aliases=one.aliases)
    return grown


def _apart(known: Vocabulary, stated: Iterable[Relation]) -> set[frozenset[str]]:
    related = {frozenset((first, last)) for first, _, last in known.relations}
    return related | {one.pair for one in stated}


def _best(relations: Iterable[Relation]) -> list[Relation]:
    """Each relation once, with the evidence that is surest."""
    best: dict[tuple[str, str, str], Relation] = {}
    for one in relations:
        if one.key not in best or one.confidence > best[one.key].confidence:
            best[one.key] = one
    return sorted(best.values(), key=lambda one: (-one.confidence, one.key))


def _once(concepts: Iterable[Concept]) -> list[Concept]:
    best: dict[tuple[str, bool], Concept] = {}
    for one in concepts:
        best.setdefault((surface(one.name), one.known), one)
    return sorted(best.values(), key=lambda one: (-one.confidence, one.name))


def _chosen(
    concepts: Sequence[Concept], wanted: Collection[str], limit: int
) -> tuple[list[Concept], int]:
    """The surest concepts, those first that a relation has; and how many are left out."""
    worth = [one for one in concepts if one.name in wanted or one.confidence >= _LEAST_CONCEPT]
    first = sorted(worth, key=lambda one: (one.name not in wanted, -one.confidence, one.name))
    kept = first[:limit]
    return sorted(kept, key=lambda one: (-one.confidence, one.name)), len(worth) - len(kept)


# --- a language model -----------------------------------------------------------------------


def _asked(
    source: Source, vocabulary: Vocabulary, generator: Generator | None
) -> tuple[Asked, list[str]]:
    """What a model proposes for the passages that name most, and what went wrong."""
    whole, notes = Asked(), list[str]()
    if generator is None:
        return whole, notes
    from consilience.packs.research.proposing.asking import ask  # noqa: PLC0415 - loads pydantic

    ranked = sorted(
        source.texts,
        key=lambda text: (
            -len({one.name for line in text.sentences for one in vocabulary.mentions(line)}),
            text.passage,
        ),
    )
    if len(ranked) > PASSAGES:
        notes.append(f"the language model was asked about {PASSAGES} of {len(ranked):,} passages")
    for text in ranked[:PASSAGES]:
        try:
            one = run_sync(ask(text, source.bodies[text.passage], generator, source.known))
        except ModelError as error:
            notes.append(f"the language model failed, so the rest is by patterns alone: {error}")
            break
        whole.concepts += one.concepts
        whole.relations += one.relations
        whole.dropped += one.dropped
    if whole.dropped:
        notes.append(
            f"{len(whole.dropped)} proposals of the language model were dropped: {whole.dropped[0]}"
        )
    return whole, notes


def _meant(asked: Asked, vocabulary: Vocabulary) -> list[Relation]:
    """A model's relations between concepts that are known or proposed, by their own names."""
    found = []
    for one in asked.relations:
        source, target = vocabulary.meaning(one.source), vocabulary.meaning(one.target)
        if source and target and source != target:
            found.append(replace(one, source=source, target=target))
    return found
