"""What might a golden set of this corpus hold? Proposals, for a person to accept or reject.

A proposal is a question with passages to judge, each with the words that would be quoted. Nothing
of it is a label until a person has read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from consilience.errors import UsageError
from consilience.measure.golden.files import question_digest, question_id
from consilience.measure.golden.ideas import Idea, ideas
from consilience.measure.golden.pointing import Pointer, best_sentence, is_quoted
from consilience.measure.golden.pooling import DEPTH, Pooling, pool
from consilience.measure.golden.walking import edges_of
from consilience.measure.values import Fact, Judgement, Question
from consilience.types import Passage
from consilience.workspace import Workspace

__all__ = [
    "COUNT",
    "Candidate",
    "Proposal",
    "Suggester",
    "best_sentence",
    "fresh",
    "is_quoted",
    "questions_in",
]

COUNT = 20


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
        self._pointer = Pointer(workspace.catalogue)
        self._corpus = self._pointer.corpus
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
        facts = tuple(replace(one, document=self._pointer.name(one.document)) for one in idea.facts)
        return Proposal(
            text=idea.text,
            category=idea.category,
            candidates=candidates,
            methods=found.methods,
            facts=facts,
        )

    def judgement(self, passage: Passage, text: str) -> Judgement:
        """How to point at a passage so that it is found again."""
        return self._pointer.judgement(passage, text)


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


def _free(key: str, taken: Collection[str]) -> str:
    number = 2
    free = key
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    return free
