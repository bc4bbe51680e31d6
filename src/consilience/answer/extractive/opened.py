"""What was said first, and is the question answered by it?"""

from __future__ import annotations

from dataclasses import dataclass, field

from consilience.answer.extractive.picking import Pick
from consilience.types import Statement


@dataclass(slots=True)
class Opening:
    """What is said first: the statements, what they rest on, and what the rest must speak of.

    `subject` are the words of a row's name, where its value is the answer: what says nothing of
    it adds nothing. `told` are sentences of links that were said. With `complete` the question is
    answered, and more is said only where an answer in depth is wanted. `before` and `after` are
    remarks of our own on what was found.
    """

    statements: list[Statement] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    marks: set[int] = field(default_factory=set)
    subject: frozenset[str] = frozenset()
    told: set[str] = field(default_factory=set)
    complete: bool = False
    before: str = ""
    after: str = ""
