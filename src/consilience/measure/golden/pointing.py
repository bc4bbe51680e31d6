"""How does a label point at a passage? So that it is found again, however the text is split."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from consilience.catalogue import Catalogue
from consilience.measure.golden.corpus import Corpus
from consilience.measure.golden.ideas import naming_field
from consilience.measure.golden.quoting import letters, stands_in
from consilience.measure.values import Judgement
from consilience.names import surface
from consilience.types import Locator, Passage

_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\Wa-z_])|\n+")
_SHORTEST = 20


class Pointer:
    """Points at the passages of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.corpus = Corpus(catalogue)
        self._names = _names([one.path for one in catalogue.documents()])

    def name(self, document: str) -> str:
        """A document by the shortest end of its path that no other has."""
        return self._names.get(document, document)

    def judgement(self, passage: Passage, text: str) -> Judgement:
        """How to point at a passage so that it is found again: a row by its name, an edge by its
        ends, a node by itself, all else by its best sentence.
        """
        one = self._pointing(passage, text)
        found = self.corpus.find(one).passages
        if len(found) == 1 or (one.quote and passage in found):
            return one
        place = passage.locator  # a name that several rows have: say which
        return replace(one, locator=replace(one.locator, row=place.row, page=place.page))

    def _pointing(self, passage: Passage, text: str) -> Judgement:
        document = self.name(passage.document)
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
