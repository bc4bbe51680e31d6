"""Which texts are written in a notation rather than in prose? Notations that kinds register.

Moves of a game, formulas or chords stand among sentences without being words: the stop in `3. Nc3`
ends no sentence, `d4` says nothing about a topic, and a drawn diagram cannot be quoted. A kind of
passage names its notation (`Kind.notation`), and these functions ask all of them. They hold for
every text, because notations occur in documents of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import NamedTuple

from consilience.kinds import registered_kinds
from consilience.types import Passage

_NEVER = "(?!)"


class Fact(NamedTuple):
    """A fact that a statement gives in a notation, and whether a cited text has it.

    `check` names the check, `value` is the fact as the statement spells it, and `near` is what the
    text has instead, where that is known.
    """

    check: str
    value: str
    found: bool
    near: str = ""


Facts = tuple[Sequence[tuple[int, int]], Sequence[Fact]]
"""Where facts stand in a statement, and what became of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """A way of writing that is not prose.

    `item` and `result` are regular expressions for one item (`Nf3`) and for what ends a list of
    them (`1-0`), to be used inside others. `pattern` finds everything that is no word, and
    `diagram` what can be drawn as a figure; `is_diagram` recognises a block of lines that draws
    one. `strip` removes items from a text, `terms` gives the items of a text as search terms, and
    `asked` those that a question asks about. `check` compares the items of a statement with the
    cited texts. `names` are words that are proper names only where no item `occurs`. `line` gives
    the list of items in a quotation that a figure can show for a question.
    """

    item: str
    result: str
    pattern: re.Pattern[str]
    diagram: re.Pattern[str]
    is_diagram: Callable[[str], bool]
    strip: Callable[[str], str]
    terms: Callable[[str], frozenset[str]]
    asked: Callable[[str], tuple[str, ...]]
    check: Callable[[str, Sequence[str]], Facts]
    occurs: Callable[[str], bool]
    names: frozenset[str]
    line: Callable[[Passage, str, str], str]


@cache
def notations() -> tuple[Notation, ...]:
    """All registered notations; one that cannot be imported is left out."""
    found: dict[str, Notation] = {}
    for kind in registered_kinds():
        if kind.notation and kind.notation not in found:
            module, _, name = kind.notation.partition(":")
            try:
                found[kind.notation] = getattr(import_module(module), name)
            except Exception:  # noqa: BLE001, S112 - code of others
                continue
    return tuple(found.values())


@cache
def item_pattern() -> str:
    """A regular expression for an item of any notation, as part of a pattern."""
    return f"(?:{'|'.join(notation.item for notation in notations()) or _NEVER})"


@cache
def result_pattern() -> str:
    """A regular expression for what ends a list of items."""
    return f"(?:{'|'.join(notation.result for notation in notations()) or _NEVER})"


@cache
def begins_with_number() -> re.Pattern[str]:
    """What a line of numbered items begins with: `3. Nc3`, `3...c5`."""
    return re.compile(rf"\s*\d{{1,3}}\.(?:\.\.|…)?\s*{item_pattern()}")


def spans(text: str) -> list[tuple[int, int]]:
    """Where a text is written in a notation."""
    return [match.span() for notation in notations() for match in notation.pattern.finditer(text)]


def strip_notation(text: str) -> str:
    """A text without the items in it."""
    for notation in notations():
        text = notation.strip(text)
    return text


def diagrams(text: str) -> list[str]:
    """The diagrams that are written down in a text, in order."""
    return [
        " ".join(match[0].split())
        for notation in notations()
        for match in notation.diagram.finditer(text)
    ]


def is_diagram(text: str) -> bool:
    """Whether a block of lines draws a diagram."""
    return any(notation.is_diagram(text) for notation in notations())


def strip_diagrams(text: str) -> tuple[str, int]:
    """A text without diagrams, and how many it had."""
    total = 0
    for notation in notations():
        text, count = notation.diagram.subn(" ", text)
        total += count
    return text, total


def words_of_notation(text: str) -> frozenset[str]:
    """Words that are no proper names in a text, because it has items of their notation."""
    return frozenset().union(*(notation.names for notation in notations() if notation.occurs(text)))


def figure_line(passage: Passage, quotation: str, question: str) -> str:
    """The items in a quotation of a passage that a figure can show for a question."""
    found = (notation.line(passage, quotation, question) for notation in notations())
    return next(filter(None, found), "")
