"""What might a golden set of this corpus hold? Proposals, for a person to accept or reject.

A proposal is a question with passages to judge, each with the words that would be quoted. Nothing
of it is a label until a person has read it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from consilience.errors import UsageError
from consilience.measure.golden.corpus import Corpus
from consilience.measure.golden.files import question_digest, question_id
from consilience.measure.golden.ideas import Idea, ideas, naming_field
from consilience.measure.golden.pooling import DEPTH, Pooling, pool
from consilience.measure.golden.quoting import letters, stands_in
from consilience.measure.golden.walking import edges_of
from consilience.measure.values import Fact, Judgement, Question
from consilience.names import surface
from consilience.types import Locator, Passage
from consilience.workspace import Workspace

COUNT = 20
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\Wa-z_])|\n+")
_SHORTEST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage to judge, and how a judgement would point at it; its grade is still open."""

    passage: Passage
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A question, the passages to judge for it, and the methods that found them."""

    text: str
    category: str
    candidates: tuple[Candidate, ...]
    methods: tuple[str, ...]
    facts: tuple[Fact, ...] = ()

    def question(self, judgements: Sequence[Judgement], *, taken: Collection[str] = ()) -> Question:
        """The question as it was judged; without a positive judgement it is unanswerable.

        Facts that a rule read in its passage count only if something answers the question.
        """
        answered = any(one.grade > 0 for one in judgements)
        return Question(
            id=_free(question_id(self.text), taken),
            text=self.text,
            category=self.category,
            judgements=tuple(judgements),
            facts=self.facts if answered else (),
            unanswerable=not answered,
            pool=self.methods,
        )


class Suggester:
    """Proposes questions and evidence of one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        collections: Sequence[str] = (),
        seed: int = 0,
        depth: int = DEPTH,
    ) -> None:
        self._workspace = workspace
        self._collections = tuple(collections)
        self._seed = seed
        known = set(workspace.catalogue.counts())
        unknown = [one for one in collections if one not in known]
        if unknown:
            raise UsageError(
                f"there is no collection {unknown[0]!r}; there are {', '.join(sorted(known))}"
            )
        self._names = _names([one.path for one in workspace.catalogue.documents()])
        self._corpus = Corpus(workspace.catalogue)
        self._how = Pooling(
            collections=self._collections, depth=depth, seed=seed, edges=edges_of(self._corpus)
        )

    def ideas(self, count: int, *, known: Collection[str] = ()) -> list[Idea]:
        """Questions made by rule, without those whose digests are known."""
        wanted = [
            one
            for one in self._corpus
            if not self._collections or one.collection in self._collections
        ]
        return ideas(wanted, count=count, seed=self._seed, known=known)

    def propose(self, idea: Idea) -> Proposal:
        """A question with the passages to judge for it, in a random order."""
        found = pool(idea.text, self._workspace.engine, self._how, origin=idea.passage)
        candidates = tuple(
            Candidate(passage=one, judgement=self.judgement(one, idea.text))
            for one in found.candidates
        )
        facts = tuple(
            replace(one, document=self._names.get(one.document, one.document)) for one in idea.facts
        )
        return Proposal(
            text=idea.text,
            category=idea.category,
            candidates=candidates,
            methods=found.methods,
            facts=facts,
        )

    def judgement(self, passage: Passage, text: str) -> Judgement:
        """How to point at a passage so that it is found again: a row by its name, an edge by its
        ends, a node by itself, all else by its best sentence.
        """
        one = self._pointing(passage, text)
        found = self._corpus.find(one).passages
        if len(found) == 1 or (one.quote and passage in found):
            return one
        place = passage.locator  # a name that several rows have: say which
        return replace(one, locator=replace(one.locator, row=place.row, page=place.page))

    def _pointing(self, passage: Passage, text: str) -> Judgement:
        document = self._names.get(passage.document, passage.document)
        ends = ("source", "relation", "target")
        if passage.kind == "edge" and all(end in passage.metadata for end in ends):
            fields = {end: passage.metadata[end] for end in ends}
            return Judgement(document=document, fields=fields)
        if passage.locator.node is not None:
            return Judgement(document=document, locator=Locator(node=passage.locator.node))
        named = naming_field(passage)
        if passage.kind == "row" and named is not None:
            return Judgement(document=document, fields={named[0]: named[1]})
        where = Locator(section=passage.locator.section[-1:], page=passage.locator.page)
        return Judgement(document=document, locator=where, quote=best_sentence(passage, text))


def questions_in(path: Path, *, category: str = "") -> list[Idea]:
    """The questions of a file, one a line; a tab and a category may follow. `#` begins a remark."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the questions in {path}: {error}") from error
    found = []
    for line in lines:
        text, _, kind = line.partition("\t")
        if text.strip() and not text.lstrip().startswith("#"):
            text = " ".join(text.split())
            found.append(Idea(text=text, category=kind.strip() or category))
    if not found:
        raise UsageError(f"{path} holds no question; write one a line")
    return found


def fresh(found: Sequence[Idea], known: Collection[str]) -> Iterator[Idea]:
    """The questions whose digests are not known yet."""
    for one in found:
        if question_digest(Question(id="", text=one.text)) not in known:
            yield one


def best_sentence(passage: Passage, text: str) -> str:
    """The sentence of a passage that shares the most telling words with a question."""
    sentences = [" ".join(one.split()) for one in _SENTENCE.split(passage.text)]
    long = [one for one in sentences if len(one) >= _SHORTEST]
    wanted = set(surface(text).split())
    best = max(long, key=lambda one: _shared(one, wanted), default="")
    return best or " ".join(passage.text.split())


def is_quoted(quote: str, passage: Passage) -> bool:
    """Whether these words stand in a passage."""
    return stands_in(letters(quote), letters(passage.text))


def _shared(sentence: str, wanted: set[str]) -> int:
    return sum(len(word) for word in wanted & set(surface(sentence).split()))


def _free(key: str, taken: Collection[str]) -> str:
    number = 2
    free = key
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    return free


def _names(paths: Sequence[str]) -> dict[str, str]:
    """Every document by the shortest end of its path that no other has."""
    ends: dict[str, int] = {}
    for path in paths:
        for end in _ends(path):
            ends[end] = ends.get(end, 0) + 1
    return {path: next((end for end in _ends(path) if ends[end] == 1), path) for path in paths}


def _ends(path: str) -> list[str]:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return ["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]
