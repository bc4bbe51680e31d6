"""How do two things connect, according to one's own texts? By sentences that name both, or a term
between them. No graph has to be written for it.

Every sentence of prose is kept in a full-text index (SQLite FTS5). A question about a connection
names two terms. Sentences with both of them answer it; without any, passages that speak of both;
and without those a third term that belongs to each of them: one that occurs in sentences about
either far more often than elsewhere. Each step quotes its sentence. Where two terms occur and
nothing joins them, the reply says so.
"""

from __future__ import annotations

import math
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import StoreError
from consilience.kinds import record_kinds, whole_kinds
from consilience.packs.research.expanding import expand
from consilience.packs.research.intents import CONNECTION
from consilience.protocols import Lookup, Retriever, Shelf, StoreKind, Vectors
from consilience.stores.common import check_limit, collection_of, filter_passages, open_error
from consilience.types import (
    Chain,
    Found,
    Link,
    Locator,
    Passage,
    Request,
    Signal,
    SourceReply,
    passage_id,
)
from consilience.understand.names import surface
from consilience.understand.sentences import one_line, sentences
from consilience.understand.words import COMMON, JOINING, LINKING, stem
from consilience.worker_pool import WorkerPool

SHORTEST, LONGEST = 30, 600
"""Letters of a sentence that is kept: shorter ones state nothing, longer ones are tables."""
LEAST_LETTERS = 0.7
"""The share of letters and spaces in a sentence; formulas, code and tables have fewer."""
LOOKED_AT = 400
"""Sentences about a term that are looked at for terms beside it."""
TRIED = 120
"""Terms beside both that are weighed."""
LEAST_LIFT = 5.0
"""How much more often than elsewhere a joining term occurs beside each of the two, at least."""
LEAST_EVIDENCE = 7.0
"""The weaker side's evidence for a joining term, in nats: its count times the log of its lift."""
ENOUGH_SENTENCES = 2000
"""Both apply in full from so many sentences on; in a smaller collection less can be expected."""
QUOTES = 3
"""Sentences quoted for two terms that occur together."""
RELATION = "together with"
_TERM_WORDS = 3
_USUAL_WORDS = 22  # of a sentence that says something and not everything
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sentences (
    id INTEGER PRIMARY KEY, passage TEXT NOT NULL, text TEXT NOT NULL, heading TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_passage ON sentences (passage);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    text, heading, content='sentences', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
);
"""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_COMMON = JOINING | LINKING | COMMON["English"]
_SIDES = re.compile(r"\b(?:and|or|to|with|from)\b|,", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A sentence of a passage."""

    passage: str
    text: str


class SentenceStore:
    """The sentences of a collection's prose, searched by words; opened for this process alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise open_error(path, error) from error

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        """Keep the sentences of these passages, in place of those they had."""
        rows = [
            (passage.id, text, " / ".join((passage.title, *passage.locator.section)))
            for passage in passages
            for text in prose_sentences(passage)
        ]
        with self._change() as db:
            self._forget(db, [passage.id for passage in passages])
            for row in rows:
                insert = "INSERT INTO sentences (passage, text, heading) VALUES (?, ?, ?)"
                key = db.execute(insert, row).lastrowid
                insert = "INSERT INTO words (rowid, text, heading) VALUES (?, ?, ?)"
                db.execute(insert, (key, *row[1:]))

    def remove(self, ids: Sequence[str]) -> None:
        """Forget the sentences of passages."""
        with self._change() as db:
            self._forget(db, ids)

    def find(self, *terms: Sequence[str], limit: int, with_headings: bool = False) -> list[Stated]:
        """The best sentences that have all these terms, each by one of its names; those under a
        heading that has one count `with_headings`.
        """
        query = (
            "SELECT s.passage, s.text FROM words w JOIN sentences s ON s.id = w.rowid "
            "WHERE words MATCH ? ORDER BY w.rank, s.passage, s.text LIMIT ?"
        )
        rows = self._all(query, (_match(terms, with_headings=with_headings), limit))
        return [Stated(passage=passage, text=text) for passage, text in rows]

    def count(self, *terms: Sequence[str]) -> int:
        """How many sentences have all these terms."""
        query = "SELECT count(*) FROM words WHERE words MATCH ?"
        return int(self._all(query, (_match(terms),))[0][0])

    def size(self) -> int:
        """How many sentences there are."""
        return int(self._all("SELECT count(*) FROM sentences", ())[0][0])

    def close(self) -> None:
        """Write everything to disk and let go of it."""
        with self._lock:
            self._db.close()

    def _forget(self, db: sqlite3.Connection, ids: Sequence[str]) -> None:
        for passage in ids:
            db.execute(
                "INSERT INTO words (words, rowid, text, heading) "
                "SELECT 'delete', id, text, heading FROM sentences WHERE passage = ?",
                (passage,),
            )
            db.execute("DELETE FROM sentences WHERE passage = ?", (passage,))

    def _all(self, query: str, values: Sequence[object]) -> list[tuple[str, ...]]:
        with self._lock:
            try:
                return list(self._db.execute(query, values))
            except sqlite3.Error as error:
                raise open_error(self.path, error) from error

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("BEGIN")
                yield self._db
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise StoreError(f"cannot write {self.path}: {error}; is the disk full?") from error


def prose_sentences(passage: Passage) -> list[str]:
    """The sentences of a passage, each on one line; pieces of tables, code and lists are none."""
    found = (one_line(sentence.text) for sentence in sentences(passage.text))
    return [text for text in found if SHORTEST <= len(text) <= LONGEST and _is_prose(text)]


def _is_prose(text: str) -> bool:
    plain = sum(letter.isalpha() or letter.isspace() for letter in text)
    return plain >= LEAST_LETTERS * len(text) and text[-1] in ".!?:;…)]”\"'"


def _match(terms: Sequence[Sequence[str]], *, with_headings: bool = False) -> str:
    """An FTS5 query for sentences with one name of each term."""
    quoted = (
        " OR ".join('"{}"'.format(" ".join(_WORD.findall(name))) for name in names)
        for names in terms
    )
    every = " AND ".join(f"({names})" for names in quoted)
    return every if with_headings else f"text : ({every})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What a question names: by its own words, and the other names that the pack knows for it."""

    name: str
    names: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Whether one of its names shares all its words with a text, or the other way round."""
        words = _stems(text)
        return any(words <= _stems(name) or _stems(name) <= words for name in self.names)


def _named(name: str, *others: str) -> Term:
    """A term with its other names: those given, and what the pack knows an abbreviation for."""
    spelt_out = (term.text for term in expand(name) if term.spells and term.origin == name)
    return Term(name=name, names=(name, *others, *spelt_out))


def _stems(text: str) -> set[str]:
    return {stem(word) for word in surface(text).split()}


@dataclass(frozen=True, slots=True)
class Step:
    """Two terms, and the sentences of one passage that join them."""

    start: Term
    end: Term
    stated: tuple[Stated, ...]

    @property
    def passage(self) -> str:
        """The id of the passage."""
        return self.stated[0].passage


class TextChains:
    """Chains between two terms that a question names, from the sentences of a collection."""

    signal = Signal.PATHS
    blocks = False

    def __init__(self, store: SentenceStore, name: str, *, lookup: Lookup) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` chains, best first."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The chains, and the two terms where nothing joins them."""
        check_limit(limit)
        return await self._workers.run(lambda: self._answer(request, limit))

    async def connect(
        self, starts: Sequence[str], ends: Sequence[str], *, limit: int
    ) -> Sequence[Chain]:
        """The chains between two terms, each by its names."""
        check_limit(limit)
        start, end = (_named(names[0], *names[1:]) for names in (starts, ends))
        return await self._workers.run(lambda: self._chains(start, end, limit))

    def has_term(self, name: str) -> bool:
        """Whether a sentence has a term, by this name or one that the pack knows for it."""
        return self._store.count(_named(name).names) > 0

    def _answer(self, request: Request, limit: int) -> SourceReply:
        pair = self.named_terms(request.text)
        if pair is None:
            return SourceReply(found=())
        chains = self._chains(*pair, limit)
        if request.filters:
            allowed = filter_passages(
                [link.passage.id for chain in chains for link in chain.links],
                request.filters,
                self._lookup,
            )
            chains = [
                chain for chain in chains if all(link.passage.id in allowed for link in chain.links)
            ]
        names = tuple(term.name for term in pair)
        return SourceReply(
            found=tuple(Found(chain.passage.id, chain.score, chain.passage) for chain in chains),
            query=" – ".join(names),
            missing=() if chains else names,
            named=names,
            sure=tuple(chain.passage.id for chain in chains[:1]),
        )

    # --- the two terms of a question --------------------------------------------------------

    def named_terms(self, question: str) -> tuple[Term, Term] | None:
        """The two terms that a question wants connected: the rarest on each side of its word of
        connection, or of an "and", a "to", a "with" behind it.
        """
        word = CONNECTION.search(question)
        if word is None:
            return None
        before, after = question[: word.start()], question[word.end() :]
        first, last = self._terms(before), self._terms(after)
        if first and last:
            return _rarest(first), _rarest(last)
        for joint in _SIDES.finditer(before if first else after):
            text = joint.string
            sides = self._terms(text[: joint.start()]), self._terms(text[joint.end() :])
            if all(sides):
                return _rarest(sides[0]), _rarest(sides[1])
        return None

    def _terms(self, text: str) -> list[tuple[int, Term]]:
        """The longest phrases of a text that sentences have, with how many do."""
        found: list[tuple[int, Term]] = []
        for run in _runs(text):
            place = 0
            while place < len(run):
                for size in range(min(len(run) - place, 6), 0, -1):
                    term = _named(" ".join(run[place : place + size]))
                    count = self._store.count(term.names)
                    if count:
                        found.append((count, term))
                        break
                place += size
        return found

    # --- chains -----------------------------------------------------------------------------

    def _chains(self, start: Term, end: Term, limit: int) -> list[Chain]:
        if start.is_in(end.name) and end.is_in(start.name):
            return []
        terms = start.names, end.names
        direct = self._store.find(*terms, limit=50) or self._store.find(
            *terms, limit=50, with_headings=True
        )
        chains = [[Step(start, end, (stated,))] for stated in _best(direct, start, end)[:QUOTES]]
        chains = chains or self._in_one_passage(start, end) or self._through_a_term(start, end)
        return self._made(chains[:limit])

    def _in_one_passage(self, start: Term, end: Term) -> list[list[Step]]:
        """One step each: a passage that speaks of both, by its best sentence about either."""
        found = [self._store.find(term.names, limit=LOOKED_AT) for term in (start, end)]
        best: list[dict[str, Stated]] = [{}, {}]
        for side, sentences_found in enumerate(found):
            for stated in sentences_found:
                best[side].setdefault(stated.passage, stated)
        shared = [key for key in best[0] if key in best[1]]
        counts = Counter(stated.passage for side in found for stated in side)
        shared.sort(key=lambda key: (-counts[key], key))
        return [[Step(start, end, (best[0][key], best[1][key]))] for key in shared[:QUOTES]]

    def _through_a_term(self, start: Term, end: Term) -> list[list[Step]]:
        """Two steps each: the sentence that joins the first to a third term, and that to the last.

        Of terms with the same evidence the longer comes first, then by name.
        """
        beside = [self._store.find(term.names, limit=LOOKED_AT) for term in (start, end)]
        counts = [Counter(_candidates(stated.text for stated in found)) for found in beside]
        shared = [
            key
            for key in counts[0].keys() & counts[1].keys()
            if min(counts[0][key], counts[1][key]) > 1
            and not start.is_in(key)
            and not end.is_in(key)
        ]
        shared.sort(
            key=lambda key: (
                -min(c[key] / len(f) for c, f in zip(counts, beside, strict=True)),
                key,
            )
        )
        size = self._store.size()
        share = min(size / ENOUGH_SENTENCES, 1.0)
        weighed = []
        for key in shared[:TRIED]:
            everywhere = max(self._store.count((key,)), 1) / size
            lifts = [
                counts[side][key] / len(beside[side]) / everywhere for side in range(len(beside))
            ]
            if min(lifts) <= 1 + (LEAST_LIFT - 1) * share:
                continue
            evidence = min(
                counts[side][key] * math.log(lifts[side]) for side in range(len(beside))
            ) * (1 + 0.5 * key.count(" "))
            if evidence >= LEAST_EVIDENCE * share:
                weighed.append((-evidence, key))
        steps = []
        for _, key in sorted(weighed)[:QUOTES]:
            middle = Term(name=key, names=(key,))
            ways = [
                _best(self._store.find(near.names, middle.names, limit=50), near, middle)[:1]
                for near in (start, end)
            ]
            if all(ways):
                steps.append([Step(start, middle, (ways[0][0],)), Step(middle, end, (ways[1][0],))])
        return steps

    def _made(self, found: Sequence[Sequence[Step]]) -> list[Chain]:
        """Chains with the passages that their sentences stand in, and a passage that states all."""
        known = self._lookup([step.passage for steps in found for step in steps])
        chains: list[Chain] = []
        for steps in found:
            if not all(step.passage in known for step in steps):
                continue
            links = tuple(
                Link(
                    start=step.start.name,
                    relation=RELATION,
                    end=step.end.name,
                    passage=known[step.passage],
                )
                for step in steps
            )
            score = 1.0 / (len(steps) * (1 + 0.1 * len(chains)))
            chains.append(Chain(links=links, score=score, passage=self._passage(links, steps)))
        return chains

    def _passage(self, links: Sequence[Link], steps: Sequence[Step]) -> Passage:
        nodes = (links[0].start, *(link.end for link in links))
        line = f" → ({RELATION}) → ".join(nodes)
        quotes = [
            f"“{stated.text}” ({link.passage.title})"
            for step, link in zip(steps, links, strict=True)
            for stated in step.stated
        ]
        title, text = f"{nodes[0]} → {nodes[-1]}", "\n".join((line, *quotes))
        return Passage(
            id=passage_id(self.collection, "path", title, Locator(), text),
            collection=self.collection,
            document=links[0].passage.document,
            kind="path",
            title=title,
            text=text,
            metadata={
                "source": nodes[0],
                "target": nodes[-1],
                "relations": tuple(RELATION for _ in links),
                "length": len(links),
                "nodes": nodes,
            },
        )


def _runs(text: str) -> Iterator[list[str]]:
    """The runs of words between words that only join others, and between marks."""
    run: list[str] = []
    for part in re.split(r"[^\w\s'’-]", text):
        for word in _WORD.findall(part):
            if surface(word) in _COMMON and not (word.isupper() and len(word) > 1):
                if run:
                    yield run
                run = []
            else:
                run.append(word)
        if run:
            yield run
        run = []


def _rarest(terms: Sequence[tuple[int, Term]]) -> Term:
    return min(terms, key=lambda pair: (pair[0], pair[1].name))[1]


def _candidates(texts: Iterable[str]) -> Iterator[str]:
    """The words and phrases of sentences that may be terms, each once a sentence."""
    for text in texts:
        words = [word.lower() for word in _WORD.findall(text)]
        phrases: set[str] = set()
        for start in range(len(words)):
            for size in range(1, _TERM_WORDS + 1):
                phrase = words[start : start + size]
                if len(phrase) == size and _may_begin(phrase[0]) and _may_begin(phrase[-1]):
                    phrases.add(" ".join(phrase))
        yield from phrases


def _may_begin(word: str) -> bool:
    return len(word) > 2 and not word[0].isdigit() and word not in _COMMON


def _best(found: Sequence[Stated], start: Term, end: Term) -> list[Stated]:
    """The sentences that say most of two terms: those where they stand close, of usual length."""

    def order(stated: Stated) -> tuple[float, str]:
        words = [stem(word) for word in surface(stated.text).split()]
        places = [
            [at for at, word in enumerate(words) if any(word in _stems(n) for n in term.names)]
            for term in (start, end)
        ]
        gap = min((abs(a - b) for a in places[0] for b in places[1]), default=len(words))
        return gap + abs(len(words) - _USUAL_WORDS) / 4, stated.text

    unique = {stated.text: stated for stated in found}
    return sorted(unique.values(), key=order)


def _sources(store: SentenceStore, shelf: Shelf) -> Sequence[Retriever]:
    return [TextChains(store, f"{shelf.collection}/chains", lookup=shelf.lookup)]


SENTENCES = StoreKind(
    takes=lambda kind: kind not in record_kinds() | whole_kinds(),
    file="sentences.sqlite",
    open=lambda path, shelf: SentenceStore(path),
    sources=_sources,
    packs=frozenset({"research"}),
)
