"""How does an answer to "what is it?" begin? With the definition of the concept, and a paper's."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from consilience.kinds import edge_kinds, node_kinds
from consilience.packs.research.intents import DEFINITION
from consilience.packs.research.requiring import is_named
from consilience.types import Exhibit, Statement
from consilience.understand.names import surface

_SAYING = "is|are|means|refers to|denotes|says|holds|compares|estimates|measures|describes|asks"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])|\n+")
_LONGEST = 400  # letters of a sentence that is quoted whole


def defined(question: str, exhibits: Sequence[Exhibit], named: Collection[str]) -> list[Statement]:
    """The definition of the longest concept that a question for one names; `named` are concepts
    that it has by an abbreviation.
    """
    if not DEFINITION.search(question):
        return []
    asked = f" {surface(question)} "
    found = [one for one in exhibits if one.passage.kind == "node" and _told(one)]
    meant = [one for one in found if is_named(_name(one), asked, named)]
    best = max(meant, key=lambda one: len(_name(one)), default=None)
    if best is None:
        return []
    told = _told(best)
    text = f"**{_name(best)}**: “{told}” [{best.mark}]"
    return [
        Statement(text=text, opens=True, quotes={best.mark: told}),
        *_in_papers(_name(best), exhibits),
    ]


def _in_papers(name: str, exhibits: Sequence[Exhibit]) -> list[Statement]:
    """The first sentence of a text that says what something of this name is or does."""
    says = re.compile(rf"(?i)\b{re.escape(name)}s?\b (?:\([^()]*\) )?(?:{_SAYING})\b")
    for one in exhibits:
        if one.passage.kind in node_kinds() | edge_kinds() | {"path"}:
            continue
        for sentence in _SENTENCE.split(one.text):
            if says.search(sentence) and len(sentence) <= _LONGEST:
                told = sentence.rstrip(".")
                return [Statement(text=f"“{told}” [{one.mark}]", quotes={one.mark: told})]
    return []


def _name(exhibit: Exhibit) -> str:
    return str(exhibit.passage.metadata.get("name", ""))


def _told(exhibit: Exhibit) -> str:
    """What a concept is said to be: what stands behind its names."""
    head, dot, told = exhibit.text.partition(". ")
    return told.strip().rstrip(".") if dot and head.startswith(_name(exhibit)) else ""
