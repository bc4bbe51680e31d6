"""How does an answer to "how do these two connect?" begin? With the chain, and the words behind it;
one to "what does it assume?" with what is required.

A chain joins two concepts that the question names, by their names or by an abbreviation. Each of
its steps is told in the words it rests on; where the passage that has them is among the exhibits,
that one is cited, else the chain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from consilience.packs.research.defining import defined
from consilience.packs.research.expanding import expand
from consilience.packs.research.intents import CONNECTION
from consilience.packs.research.requiring import required
from consilience.packs.research.spelling import in_order, ordinary
from consilience.packs.research.text_chains import RELATION
from consilience.types import Exhibit, Statement
from consilience.understand.names import singular_or_plural, surface

_ARROW = re.compile(r"\s*[→←]\s*(?:\([^()]*\)\s*[→←]\s*)?")
_QUOTED = re.compile(r"“(.+)”")
_LINKS = frozenset(("path", "edge"))
_NUMBERS = str.maketrans("123", "ott")  # as initials: one, two, three


def opens(
    question: str, exhibits: Sequence[Exhibit], cells: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """The first chain that joins what the question names, step by step; nothing for others."""
    del cells  # of tables
    named = _named(question, exhibits)
    if not CONNECTION.search(question):
        return required(question, exhibits, named) or defined(question, exhibits, named)
    joining = [exhibit for exhibit in exhibits if _joins(exhibit, question, named)]
    stated = (exhibit for exhibit in joining if f"({RELATION})" not in exhibit.text)
    chain = next(stated, joining[0] if joining else None)  # a graph says how, texts only that
    return _told(chain, exhibits) if chain is not None else []


def _named(question: str, exhibits: Sequence[Exhibit]) -> frozenset[str]:
    """Concepts that the question has by an abbreviation or an alias, which stands for them."""
    asked = f" {surface(question)} "
    names = {surface(term.text) for term in expand(question)}
    for one in exhibits:
        aliases = one.passage.metadata.get("aliases", ())
        spelt = map(surface, map(str, aliases if isinstance(aliases, tuple) else ()))
        if one.passage.kind == "node" and any(f" {alias} " in asked for alias in spelt):
            names.add(surface(str(one.passage.metadata.get("name", ""))))
    return frozenset(names)


def _joins(exhibit: Exhibit, question: str, named: frozenset[str]) -> bool:
    """Whether both ends are named, each by words of its own: the longer takes its words away."""
    nodes = _ARROW.split(_chain(exhibit)) if exhibit.passage.kind in _LINKS else []
    if len(nodes) < 2:
        return False
    asked = f" {surface(question)} "
    for end in sorted((surface(nodes[0]), surface(nodes[-1])), key=len, reverse=True):
        forms = (end, *singular_or_plural(end), *_abbreviations(end, asked))
        form = next((one for one in forms if f" {one} " in asked), None)
        if not end or (form is None and end not in named):
            return False
        asked = asked.replace(f" {form} ", " | ") if form else asked
    return True


def _abbreviations(name: str, asked: str) -> list[str]:
    """Words of a question that are letters of a name in their order, its initials among them:
    `mvcc`, multiversion concurrency control; `2pl`, two-phase locking.
    """
    initials = [word[0] for word in name.split()]
    words = [(word, word.translate(_NUMBERS)) for word in asked.split() if not ordinary(word)]
    return [
        word
        for word, letters in words
        if len(initials) > 1
        and letters[0] == initials[0]
        and in_order(initials, letters)
        and in_order(letters, name)
    ]


def _chain(exhibit: Exhibit) -> str:
    """The line of arrows, without what follows it."""
    line = exhibit.text.partition("\n")[0]
    return line.partition(". “")[0].rstrip(".") if exhibit.passage.kind == "edge" else line


def _told(chain: Exhibit, exhibits: Sequence[Exhibit]) -> list[Statement]:
    line = _chain(chain)
    first = Statement(
        text=f"{line} [{chain.mark}]", form="path", opens=True, quotes={chain.mark: line}
    )
    lines = chain.text.splitlines()
    steps = lines[1:] if chain.passage.kind == "path" else lines
    quotes = [found[1] for step in steps if (found := _QUOTED.search(step))]
    return [
        first,
        *(
            _quotation(quote, chain, exhibits, is_first=place == 0)
            for place, quote in enumerate(dict.fromkeys(quotes))
        ),
    ]


def _quotation(
    quote: str, chain: Exhibit, exhibits: Sequence[Exhibit], *, is_first: bool
) -> Statement:
    words = f" {surface(quote)} "
    having = [
        one.mark
        for one in exhibits
        if one.passage.kind not in _LINKS and words in f" {surface(one.text)} "
    ]
    mark = having[0] if having else chain.mark
    return Statement(text=f"“{quote}” [{mark}]", opens=is_first, quotes={mark: quote})
