"""How is a question answered without a language model? With excerpts, the best first.

An excerpt is a run of sentences of one passage, exactly as they follow one another there, under
the heading of its place. Sentences are scored by meaning, by the words of the question and by the
rank of their passage; the best sentence of a passage grows into an excerpt by its neighbours. What
the best excerpt leaves out of the question is looked for in others, so that a question of two
parts or a comparison gets both; a part of which nothing speaks is named.
Rows of a table stand under their header, a chain of a graph as a line of arrows. Passages of kinds
with a writer of their own, such as games, are left to that writer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from consilience.answer.figures import parted, wanted
from consilience.answer.question_words import words_of
from consilience.answer.quotations import (
    heading,
    question_terms,
    quoted,
    said,
    source,
    terms,
)
from consilience.answer.table_rows import first_cell, rows_answer, write_rows
from consilience.answer.task import Task
from consilience.answer.transcript import Transcript
from consilience.kinds import whole_kinds
from consilience.notations import figure_line, is_diagram, strip_diagrams
from consilience.pack import PassageWriter
from consilience.protocols import Embedder
from consilience.types import (
    Exhibit,
    Form,
    Length,
    Outline,
    Passage,
    Said,
    Section,
    Statement,
)
from consilience.understand.sentences import Sentence, one_line, sentences
from consilience.understand.words import beginning

MEANING, WORDS, PLACE = 0.5, 0.4, 0.1
"""How much nearness in meaning, the words of the question and the rank of the passage count."""
GROWTH = 0.55
"""The share of the best sentence's score from which a neighbour joins its excerpt."""
WORTH = 0.8
"""The share of the best excerpt's score from which another one is shown."""
LEFT = 0.25
"""The share of the question that the excerpts leave out from which another one is looked for."""
COMPLETES = 0.45
"""The share of that which it must have."""
CREDIBLE = 0.5
"""The share of the best excerpt's score that it must have."""
ALIKE = 0.6
"""The share of common words from which two excerpts say the same."""
ENTRIES = 14
"""Entries of a list that is quoted whole."""
LONGEST = 1_700
"""Letters of a quotation."""
RUN_ON = 35
"""Words without any punctuation from which on a text is no sentence: a table run together."""
GRAPH = ("path", "edge", "node")
_CLAUSE = re.compile(r"[,;:?!，；？！]+")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer of some length holds: excerpts, words of each, rows, chains, wholes.

    An excerpt of fewer than `least` words takes the next sentence, else the one before: what
    answers often stands beside the sentence that has the words of the question.
    """

    excerpts: int
    least: int
    words: int
    rows: int
    chains: int
    wholes: int
    comments: int
    figures: int


LIMITS: Mapping[Length, Limits] = {
    "concise": Limits(
        excerpts=1, least=25, words=70, rows=12, chains=1, wholes=1, comments=1, figures=1
    ),
    "balanced": Limits(
        excerpts=3, least=45, words=100, rows=20, chains=4, wholes=3, comments=3, figures=2
    ),
    "in-depth": Limits(
        excerpts=8, least=80, words=140, rows=40, chains=12, wholes=6, comments=8, figures=4
    ),
}


# --- choosing excerpts ------------------------------------------------------------------


@dataclass(slots=True)
class Candidate:
    """A readable sentence of an exhibit, its place among the readable ones, and its score.

    `number` is its place among all sentences: between two that follow one another in `place` but
    not in `number` stands something unreadable.
    """

    exhibit: Exhibit
    sentence: Sentence
    place: int
    number: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A run of sentences of one exhibit, and the score of the best of them."""

    exhibit: Exhibit
    sentences: tuple[Sentence, ...]
    score: float

    @property
    def text(self) -> str:
        """The words as they stand in the passage."""
        return self.exhibit.passage.text[self.sentences[0].start : self.sentences[-1].end]

    @property
    def terms(self) -> frozenset[str]:
        """The words that say what it is about."""
        return frozenset(terms(self.text))


@dataclass(slots=True)
class Reader:
    """The sentences of the evidence, scored for one question."""

    question: str
    exhibits: Sequence[Exhibit]
    embedder: Embedder | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    _by_mark: dict[int, list[Candidate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for exhibit in self.exhibits:
            self._by_mark[exhibit.mark] = candidates(exhibit)
        every = [one for found in self._by_mark.values() for one in found]
        if every:
            self._score(every)

    def _score(self, every: Sequence[Candidate]) -> None:
        worded = question_terms(self.question)
        weights = self.weights = inverse_frequencies(worded, every)
        meaning = self._meaning(every)
        places = {exhibit.mark: place for place, exhibit in enumerate(self.exhibits)}
        for number, candidate in enumerate(every):
            overlap = share(weights, candidate.sentence.text, above(candidate.exhibit.passage))
            rank = 1 / (1 + places[candidate.exhibit.mark])
            near = MEANING * meaning[number] if meaning is not None else MEANING * overlap
            candidate.score = near + WORDS * overlap + PLACE * rank

    def _meaning(self, every: Sequence[Candidate]) -> Sequence[float] | None:
        """The cosine of each sentence, read under its heading, with the question."""
        if self.embedder is None:
            return None
        limit = self.embedder.limit - 8
        texts = [f"{above(one.exhibit.passage)}: {one_line(one.sentence.text)}" for one in every]
        counts = self.embedder.count(texts)
        cut = [
            text if count <= limit else " ".join(text.split()[: max(1, limit // 3)])
            for text, count in zip(texts, counts, strict=True)
        ]
        vectors = self.embedder.embed(cut)
        question = self.embedder.embed_query(self.question)
        cosines: list[float] = np.clip(vectors @ question, 0.0, 1.0).tolist()
        return cosines

    def choose(self, limits: Limits) -> list[Excerpt]:
        """The best excerpts, and one that speaks of what they leave out of the question."""
        ranked = self._ranked(limits)
        chosen: list[Excerpt] = []
        for excerpt in ranked:
            if len(chosen) >= limits.excerpts or excerpt.score < WORTH * ranked[0].score:
                break
            if not any(repeats(excerpt, other) for other in chosen):
                chosen.append(excerpt)
        if chosen and (other := self._completing(chosen, limits)):
            chosen.append(other)
        return chosen

    def _ranked(self, limits: Limits) -> list[Excerpt]:
        """The best excerpt of every exhibit, best first."""
        best = [
            max(found, key=lambda one: (one.score, -one.place))
            for found in self._by_mark.values()
            if found
        ]
        excerpts = [self._grown(one, limits) for one in best]
        return sorted(excerpts, key=lambda one: (-one.score, one.exhibit.mark))

    def _completing(self, chosen: Sequence[Excerpt], limits: Limits) -> Excerpt | None:
        """The best excerpt that has much of what the question says and the others do not."""
        told = {
            term for one in chosen for term in terms(f"{above(one.exhibit.passage)} {one.text}")
        }
        left = {term: weight for term, weight in self.weights.items() if term not in told}
        if sum(left.values()) < LEFT * sum(self.weights.values()):
            return None
        every = [one for found in self._by_mark.values() for one in found]
        gains = [(share(left, one.sentence.text, ""), one) for one in every]
        least = CREDIBLE * chosen[0].score
        fitting = [(gain, one) for gain, one in gains if gain >= COMPLETES and one.score >= least]
        fitting.sort(key=lambda each: (-each[0] * each[1].score, each[1].exhibit.mark))
        for _, candidate in fitting:
            alone = Excerpt(candidate.exhibit, (candidate.sentence,), candidate.score)
            for excerpt in (self._grown(candidate, limits), alone):
                if not any(repeats(excerpt, other) for other in chosen):
                    return excerpt
        return None

    def _grown(self, best: Candidate, limits: Limits) -> Excerpt:
        """The excerpt around a sentence."""
        found = self._by_mark[best.exhibit.mark]
        first, last = grow(found, best, limits)
        run = tuple(one.sentence for one in found[first : last + 1])
        return Excerpt(best.exhibit, run, best.score)


def candidates(exhibit: Exhibit) -> list[Candidate]:
    """The sentences of a passage of prose; of rows, graphs and whole kinds there are none."""
    passage = exhibit.passage
    if passage.kind in (*GRAPH, "row", *whole_kinds()):
        return []
    found = sentences(passage.text, passage.locator.section)
    readable = [
        (number, one) for number, one in enumerate(found) if one.entry or is_readable(one.text)
    ]
    return [Candidate(exhibit, one, place, number) for place, (number, one) in enumerate(readable)]


def is_readable(text: str) -> bool:
    """Whether a piece of text is words rather than a drawing, a formula or a table run together."""
    rest, _ = strip_diagrams(text)
    if len(text.split()) > RUN_ON * (1 + len(re.findall(r"[,.;:!?—–()]", text[:-1]))):
        return False
    return len(re.findall(r"[^\W\d_]{2,}", rest)) >= 3 and not is_diagram(text)


def above(passage: Passage) -> str:
    """The title and the headings over a passage."""
    return " ".join(dict.fromkeys((passage.title, *passage.locator.section)))


def inverse_frequencies(worded: Sequence[str], every: Sequence[Candidate]) -> dict[str, float]:
    """How much each word of the question tells: the fewer sentences have it, the more."""
    counts = Counter(term for one in every for term in set(terms(one.sentence.text)) & set(worded))
    return {term: math.log1p(len(every) / (1 + counts[term])) for term in dict.fromkeys(worded)}


def share(weights: Mapping[str, float], text: str, headings: str) -> float:
    """The weighted share of the question's words in a text; under its heading they count half."""
    here, over = set(terms(text)), set(terms(headings))
    total = sum(weights.values()) or 1.0
    found = sum(
        weight * (1.0 if term in here else 0.5 if term in over else 0.0)
        for term, weight in weights.items()
    )
    return found / total


_LEANS = re.compile(
    r"(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|here|there|thus|"
    r"however|therefore|hence|also|but|and|so|then|instead|otherwise|for example|for instance|"
    r"in (?:this|that|these|both|such) \w+|as a result|the (?:former|latter|same|other))\b",
    re.IGNORECASE,
)


def grow(found: Sequence[Candidate], best: Candidate, limits: Limits) -> tuple[int, int]:
    """The first and last place of the excerpt around the best sentence.

    A list is taken whole with the sentence that announces it. A sentence that refers back takes the
    one before. Neighbours that score well join, the next before the one before, as room allows. It
    ends where a list begins, and at anything unreadable.
    """
    first = last = best.place
    if listed := whole_list(found, best.place):
        return listed
    size = length(best)

    def joins(other: Candidate) -> bool:
        return size < limits.least or other.score >= GROWTH * best.score

    while _LEANS.match(found[first].sentence.text) and size < limits.words:
        if not (before := _neighbour(found, first, -1)):
            break
        first -= 1
        size += length(before)
    while True:
        after, before = _neighbour(found, last, 1), _neighbour(found, first, -1)
        if after and size + length(after) <= limits.words and joins(after):
            last, size = last + 1, size + length(after)
        elif before and size + length(before) <= limits.words and joins(before):
            first, size = first - 1, size + length(before)
        else:
            return first, last


def _neighbour(found: Sequence[Candidate], place: int, step: int) -> Candidate | None:
    """The sentence right before or after one, where nothing stands between and it is of a kind."""
    if not 0 <= place + step < len(found):
        return None
    here, there = found[place], found[place + step]
    follows = there.number - here.number == step
    return there if follows and there.sentence.entry == here.sentence.entry else None


def length(candidate: Candidate) -> int:
    """The words of a sentence."""
    return len(candidate.sentence.text.split())


def whole_list(found: Sequence[Candidate], place: int) -> tuple[int, int] | None:
    """The bounds of the list that a sentence announces or is an entry of; None for no list."""
    announces = found[place].sentence.text.rstrip().endswith(":")
    first = last = place
    if announces:
        last = place + 1
    elif not found[place].sentence.entry:
        return None
    while first and found[first].sentence.entry:
        first -= 1
    while last + 1 < len(found) and found[last + 1].sentence.entry:
        last += 1
    if last >= len(found) or not found[last].sentence.entry or last - first > ENTRIES:
        return None
    lead = found[first].sentence
    return (first if lead.entry or lead.text.rstrip().endswith(":") else first + 1), last


# --- parts of a question ----------------------------------------------------------------


def unspoken(question: str, exhibits: Sequence[Exhibit]) -> tuple[str, ...]:
    """The parts of a question, between its stops and commas, of which no exhibit has a word.

    What nothing at all speaks of is no missing part: then the question has no answer here.
    """
    have = {
        beginning(word.key)
        for one in exhibits
        for word in words_of(f"{above(one.passage)} {one.passage.text}")
    }
    telling = {
        clause.strip(): [word for word in words_of(clause) if word.telling and word.key.isalpha()]
        for clause in _CLAUSE.split(question)
    }
    parts = {clause: words for clause, words in telling.items() if words}
    lost = tuple(
        clause
        for clause, words in parts.items()
        if not any(beginning(form) in have for word in words for form in word.forms)
    )
    return lost if len(lost) < len(parts) else ()


def compared_rows(exhibits: Sequence[Exhibit], question: str) -> list[Exhibit]:
    """The rows that a question names by their first cells, where it names two or more.

    What most of the cells say, such as *Lighthouse*, need not be said.
    """
    asked = set(terms(question))
    rows = [(one, set(terms(first_cell(one)))) for one in exhibits if one.passage.kind == "row"]
    counts = Counter(term for _, name in rows for term in name)
    usual = {term for term, count in counts.items() if len(rows) > 2 and 2 * count > len(rows)}
    named = [(one, name - usual) for one, name in rows if name - usual and name - usual <= asked]
    return [one for one, _ in named] if len({frozenset(name) for _, name in named}) > 1 else []


# --- chains of a graph ------------------------------------------------------------------


def choose_chains(chains: Sequence[Exhibit], question: str) -> list[Exhibit]:
    """Those of the kind of the first that have nearly as many words of the question as the best."""
    asked = set(terms(question))
    alike = [one for one in chains if one.passage.kind == chains[0].passage.kind]
    shared = [len(asked & set(terms(one.passage.text))) for one in alike]
    least = WORTH * max(shared, default=0)
    return [one for one, count in zip(alike, shared, strict=True) if count >= least]


def write_chain(exhibit: Exhibit) -> list[Statement]:
    """A path as a line of arrows and then its sentences; an edge or a node as one line."""
    passage, mark = exhibit.passage, exhibit.mark
    end = chain_end(passage)
    line, rest = passage.text[:end].strip().rstrip("."), passage.text[end:].strip()
    if passage.kind == "node":
        line = str(passage.metadata.get("name") or passage.locator.node or passage.title)
        rest = passage.text.removeprefix(line).lstrip(" .:\n")
    if passage.kind == "path":
        found = [
            Statement(text=f"{said(line)} [{mark}]", form="path", opens=True, quotes={mark: line})
        ]
        told = [one for step in rest.splitlines() if (one := step[arrows_end(step) :].strip())]
        if told:
            text = f"{' '.join(quoted([one]) for one in told)} [{mark}]"
            found.append(Statement(text=text, opens=True, quotes={mark: told[0]}))
        return found
    lead = f"**{said(line)}**" if passage.kind == "node" else said(line)
    text = f"{lead}: {quoted([rest])} [{mark}]" if rest else f"{lead} [{mark}]"
    form: Form = "path" if passage.kind == "edge" else "prose"
    return [Statement(text=text, form=form, opens=True, quotes={mark: rest or passage.text})]


def chain_end(passage: Passage) -> int:
    """Where the arrows of a path or an edge end and its sentences begin."""
    if passage.kind == "path":
        return passage.text.find("\n") + 1 or len(passage.text)
    return arrows_end(passage.text)


def arrows_end(text: str) -> int:
    """Where the sentence behind the last arrow of a line begins."""
    last = max(text.rfind("→"), text.rfind("←"))
    if last < 0:
        return 0
    stop = text.find(". ", last)
    return stop + 2 if stop >= 0 else len(text)


# --- the answer -------------------------------------------------------------------------


def write(task: Task, transcript: Transcript, embedder: Embedder | None) -> Iterator[Said]:
    """Write an answer, statement by statement."""
    count = 0
    for part in compose(task, embedder):
        said_part = transcript.say(part) if isinstance(part, Statement) else transcript.remark(part)
        count += bool(said_part.text)
        yield said_part
    if not count and task.exhibits:
        yield transcript.say(_quote_whole(task.exhibits[0]))


def compose(task: Task, embedder: Embedder | None) -> Iterator[Statement | str]:
    """The parts of an answer in order: statements with marks, and remarks of our own.

    What the pack says answers at once comes first and is all, unless more is wanted. Else the kind
    of the best exhibit leads: a whole with a writer of its own, rows, a chain, or prose.
    """
    limits = LIMITS["concise" if task.is_doubtful else task.length]
    yield from task.opening
    if task.opening and task.length != "in-depth":
        return
    shown: set[int] = set()
    for writer in task.writers.values():
        if _leads(writer, task):
            statements, marks = writer.write_opening(
                task.exhibits,
                task.question,
                comments=limits.comments,
                figure=bool(task.drawing),
            )
            yield from statements
            shown |= marks
    first = task.exhibits[0].passage.kind if task.exhibits else ""
    compared = compared_rows(task.exhibits, task.question)
    rows_lead = first == "row" and rows_answer(task.exhibits, task.question)
    if compared or rows_lead:
        yield from write_rows(compared or task.exhibits, task.question, limits.rows)
    if rows_lead and not compared and task.length != "in-depth":
        return
    chains = [one for one in task.exhibits if one.passage.kind in GRAPH]
    if chains and (first in GRAPH or chains[0].passage.kind == "path"):
        for exhibit in choose_chains(chains, task.question)[: limits.chains]:
            yield from write_chain(exhibit)
        if task.length == "concise" and chains[0].passage.kind == "path":
            return
    drawn = 0
    for part in write_prose(task, embedder, limits):
        drawn += isinstance(part, Statement) and bool(parted(part.text)[1])
        yield part
    if first == "row" and not rows_lead and not compared:
        yield from write_rows(task.exhibits, task.question, limits.rows)
    yield from write_wholes(task, limits, shown, limits.figures - drawn - bool(shown))


def _leads(writer: PassageWriter, task: Task) -> bool:
    """Whether an answer begins with passages that a writer writes from."""
    return (
        task.emphasis == "lines"
        or writer.is_asked_for(task.question)
        or bool(writer.find_whole(task.exhibits, task.question))
        or all(one.passage.kind in task.writers for one in task.exhibits)
    )


def write_prose(task: Task, embedder: Embedder | None, limits: Limits) -> Iterator[Statement | str]:
    """The excerpts that answer, and the part of the question of which nothing speaks."""
    reader = Reader(task.question, task.exhibits, embedder)
    figures = 0
    for excerpt in reader.choose(limits):
        yield from write_excerpt(excerpt)
        numbered = task.drawing and re.search(r"\b\d{1,3}\.", excerpt.text)
        line = numbered and figure_line(excerpt.exhibit.passage, excerpt.text, task.question)
        if line and figures < limits.figures:
            figures += 1
            text = f"{wanted(one_line(line))} [{excerpt.exhibit.mark}]"
            yield Statement(text=text, form="lines", opens=True)
    for part in unspoken(task.question, task.exhibits):
        yield f"*Nothing that was found speaks of “{said(part)}”.*"


def _ends(excerpt: Excerpt) -> tuple[int, int]:
    return excerpt.sentences[0].start, excerpt.sentences[-1].end


def repeats(excerpt: Excerpt, other: Excerpt) -> bool:
    """Whether two excerpts overlap or say nearly the same."""
    if excerpt.exhibit.mark == other.exhibit.mark:
        (first, last), (start, end) = _ends(excerpt), _ends(other)
        if first < end and start < last:
            return True
    both = excerpt.terms & other.terms
    return len(both) >= ALIKE * min(len(excerpt.terms), len(other.terms))


def write_excerpt(excerpt: Excerpt) -> Iterator[Statement]:
    """A run of sentences as one quotation under its source; a list with its entries as a list."""
    mark = excerpt.exhibit.mark
    lead = [one for one in excerpt.sentences if not one.entry]
    entries = [one for one in excerpt.sentences if one.entry]
    place = source(excerpt.exhibit.passage)
    intro = f"{place}: " if place else ""
    if lead or not entries:
        text = excerpt.exhibit.passage.text[lead[0].start : lead[-1].end]
        yield Statement(
            text=f"{intro}{quoted([shorten(text)])} [{mark}]",
            opens=True,
            quotes={mark: text},
            within=(mark,),
        )
    elif intro:
        yield Statement(text=f"{place} [{mark}]", opens=True, quotes={mark: excerpt.text})
    if entries:
        blocks: dict[int, list[str]] = {}
        for entry in entries:
            blocks.setdefault(entry.block, []).append(entry.text)
        lines = [f"- {said(' '.join(texts))} [{mark}]" for texts in blocks.values()]
        yield Statement(
            text="\n".join(lines), form="lines", opens=True, quotes={mark: excerpt.text}
        )


def shorten(text: str) -> str:
    """A text that is far too long for a quotation ends at a word, with an ellipsis."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


def write_wholes(task: Task, limits: Limits, shown: set[int], figures: int) -> Iterator[Statement]:
    """What writers of whole passages write from those that fit, besides what was shown."""
    for kind, writer in task.writers.items():
        if writer.find_whole(task.exhibits, task.question):
            continue
        others = [one for one in task.exhibits if one.passage.kind == kind]
        fitting = writer.rank([one for one in others if one.mark not in shown], task.question)
        written: list[tuple[Exhibit, Sequence[Statement]]] = []
        for exhibit in fitting:
            figure = bool(task.drawing) and len(written) < figures
            made = writer.write(exhibit, task.question, comments=limits.comments, figure=figure)
            first = not written and not shown
            if first or task.emphasis == "lines" or writer.is_telling(exhibit, made, task.question):
                written.append((exhibit, made))
            if len(written) == limits.wholes:
                break
        for _, statements in writer.arrange(written):
            yield from statements


def _quote_whole(exhibit: Exhibit) -> Statement:
    text = shorten(exhibit.passage.text)
    return Statement(
        text=f"{quoted([text])} [{exhibit.mark}]", opens=True, quotes={exhibit.mark: text}
    )


def outline(task: Task) -> Outline:
    """The parts that a long answer should have: one for each document; every exhibit is in one."""
    parts: dict[str, list[int]] = {}
    for exhibit in task.exhibits:
        parts.setdefault(heading(exhibit.passage.title), []).append(exhibit.mark)
    sections = (Section(heading=title, marks=tuple(marks)) for title, marks in parts.items())
    return Outline(sections=tuple(sections))
