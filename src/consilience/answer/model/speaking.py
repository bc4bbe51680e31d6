"""How does what a model writes become what is said? Drafted letter by letter, then checked.

A mark is drafted whole and alone, with the citation that it leads to. A sentence that says what
another has said already is left out.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing

from consilience.answer.model.calling import Writing
from consilience.answer.model.cleaning import drafted
from consilience.answer.model.marking import Marker
from consilience.answer.model.reading import Reader
from consilience.answer.task import Task
from consilience.answer.transcript import Transcript
from consilience.errors import ModelError
from consilience.markup import without_marks
from consilience.types import Drafted, Note, Said, Statement

ALIKE = 0.9
"""Share of words from which two sentences with the same numbers say the same."""
Words = tuple[frozenset[str], frozenset[str]]
"""The words of a statement, and the numbers among them."""


class Speaker:
    """Speaks through a transcript.

    `said` counts the statements that stood the check, `words` their words, `failed` the others.
    """

    def __init__(self, task: Task, transcript: Transcript) -> None:
        self.transcript = transcript
        self.said = 0
        self.words = 0
        self.failed = 0
        self._every = tuple(one.mark for one in task.exhibits)
        self._known: list[Words] = []
        self._repeated = 0
        self._marked = False  # a mark was drafted last

    def opening(self, text: str) -> Iterator[Drafted | Said]:
        """What the outline gives as the answer in brief."""
        marker, reader = Marker(), Reader(self._every)
        for piece in (*marker.take(text), *marker.end()):
            yield from self._heard(piece, reader)
        yield from self._say(reader.end())

    def heading(self, text: str) -> Iterator[Drafted | Said]:
        """A section begins."""
        yield Drafted(text=f"\n\n## {text}\n\n" if text else "\n\n")
        if text:
            yield self.transcript.say(Statement(text=text, form="heading"))

    async def heard(self, writing: Writing, reader: Reader) -> AsyncGenerator[Drafted | Said]:
        """What a section says, as it comes; a thought that ends is forgotten.

        Raises `ModelError` where a part of the thought was said already.
        """
        marker = Marker()
        async with aclosing(writing.letters()) as letters:
            async for text in letters:
                if text is None:
                    marker, reader = Marker(), _anew(reader, writing.model)
                    yield Drafted(text="\n\n")
                    continue
                for piece in marker.take(text):
                    for event in self._heard(piece, reader):
                        yield event
        for piece in marker.end():
            for event in self._heard(piece, reader):
                yield event
        for said in self._say(reader.end(cut=writing.cut)):
            yield said

    def notes(self) -> Iterator[Note]:
        """What was left out."""
        if self._repeated:
            told = f"sentences of the model left out, as others say the same: {self._repeated}"
            yield Note("answer", told)

    def _heard(self, piece: str | int, reader: Reader) -> Iterator[Drafted | Said]:
        if isinstance(piece, int):
            text = f"[{piece}]"
            yield Drafted(text=text, citation=self.transcript.citation(piece))
        else:
            text = piece
            # What follows a mark at once would make a link of it.
            apart = " " if self._marked and text.startswith(("(", ":")) else ""
            yield Drafted(text=apart + drafted(text))
        self._marked = isinstance(piece, int)
        yield from self._say(reader.take(text))

    def _say(self, statements: Iterable[Statement]) -> Iterator[Said]:
        for one in statements:
            words = _words(one)
            if self._repeats(words):
                self._repeated += 1
                continue
            said = self.transcript.say(one)
            if one.form != "heading":
                self._count(one, words, stood=bool(said.text))
            yield said

    def _count(self, statement: Statement, words: Words, *, stood: bool) -> None:
        if not stood:
            self.failed += 1
            return
        self.said += 1
        self.words += len(without_marks(statement.text).split())
        self._known.append(words)

    def _repeats(self, words: Words) -> bool:
        own, numbers = words
        return any(
            numbers == seen and len(own & known) >= ALIKE * len(own | known)
            for known, seen in self._known
        )


def _anew(reader: Reader, model: str) -> Reader:
    if reader.given:
        raise ModelError(
            f"language model {model!r} thought aloud where its answer should stand; let its server "
            f"keep thoughts apart (vLLM: --reasoning-parser, llama.cpp: --reasoning-format), ask "
            f"again, or choose another model"
        )
    return reader.anew()


def _words(statement: Statement) -> Words:
    text = re.sub(r"^\d+[.)] ", "", without_marks(statement.text))  # its number in a list
    words = re.findall(r"\w+", text.casefold())
    return frozenset(words), frozenset(one for one in words if any(map(str.isdigit, one)))
