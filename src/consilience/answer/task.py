"""What is a writer asked, and what does it leave behind for the trace?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.pack import PassageWriter
from consilience.settings import Answering
from consilience.types import Call, Emphasis, Exhibit, Length, Note, Outline, Prompt, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a writer is asked: a question, the evidence to answer it from, and at what length.

    `drawing` says how figures are asked for, to a language model; without it there are none.
    `writers` write from passages that are not cut into sentences, by kind, and `lines` tells a
    language model how to put such lines first. `opening` is what answers the question at once,
    where the pack or a table knows: a value, a calculation; strings are remarks of our own.
    `is_doubtful` says that the evidence may not answer.
    """

    question: str
    exhibits: tuple[Exhibit, ...]
    length: Length = "balanced"
    emphasis: Emphasis = "ideas"
    settings: Answering = field(default_factory=Answering)
    drawing: str = ""
    writers: Mapping[str, PassageWriter] = field(default_factory=dict)
    lines: str = ""
    opening: tuple[Statement | str, ...] = ()
    is_doubtful: bool = False

    @property
    def by_mark(self) -> dict[int, Exhibit]:
        """The exhibits by their marks."""
        return {one.mark: one for one in self.exhibits}


@dataclass(slots=True, kw_only=True)
class Log:
    """What a writer did on the way: its outline, what a model was asked and took, remarks."""

    outline: Outline | None = None
    prompts: list[Prompt] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
