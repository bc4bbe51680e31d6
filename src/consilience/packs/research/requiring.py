"""How does an answer to "what does it assume?" begin? With what the graph says it requires, and the
words that this rests on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from consilience.packs.research.intents import ASSUMPTION, REMEDIES, REMEDY
from consilience.types import Exhibit, Statement
from consilience.understand.names import singular_or_plural, surface

_QUOTED = re.compile(r"“(.+)”")
_LEAST = 2  # statements of one requirement, which needs no list


def required(question: str, exhibits: Sequence[Exhibit], named: Collection[str]) -> list[Statement]:
    """What the concept that a question is about requires, or what helps where it fails, each as a
    line; `named` are concepts that it has by an abbreviation.
    """
    if REMEDY.search(question):
        return _listed(question, exhibits, named, relations=REMEDIES, ends=("target", "source"))
    if ASSUMPTION.search(question):
        told = _listed(question, exhibits, named, relations=("REQUIRES",), ends=("source",))
        return told if len(told) > _LEAST else []
    return []


def _listed(
    question: str,
    exhibits: Sequence[Exhibit],
    named: Collection[str],
    *,
    relations: Sequence[str],
    ends: Sequence[str],
) -> list[Statement]:
    """The relations of the concept with most of them, and the words that they rest on."""
    asked = f" {surface(question)} "
    about: dict[str, list[Exhibit]] = {}
    for one in exhibits:
        known = one.passage.metadata
        for name in (str(known.get(end, "")) for end in ends):
            if known.get("relation") in relations and is_named(name, asked, named):
                about.setdefault(name, []).append(one)
    told = max(about.values(), key=len, default=[])
    quoted = {found[1]: one.mark for one in told[::-1] if (found := _QUOTED.search(one.text))}
    return [
        *(_line(one, is_first=place == 0) for place, one in enumerate(told)),
        *(
            Statement(text=f"“{quote}” [{mark}]", quotes={mark: quote})
            for quote, mark in reversed(quoted.items())
        ),
    ]


def is_named(name: str, asked: str, named: Collection[str]) -> bool:
    """Whether a question, as a surface between spaces, has a name, or `named` has it."""
    forms = (surface(name), *singular_or_plural(surface(name)))
    return surface(name) in named or any(f" {form} " in asked for form in forms)


def _line(exhibit: Exhibit, *, is_first: bool) -> Statement:
    line = exhibit.text.partition(". “")[0].partition("\n")[0]
    mark = exhibit.mark
    return Statement(text=f"{line} [{mark}]", form="path", opens=is_first, quotes={mark: line})
