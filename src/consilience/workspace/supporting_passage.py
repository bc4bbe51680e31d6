"""Which passage has the words that a relation rests on? It is found by the quotation.

A relation of a graph gives a quotation and its document. The same words are looked up in the
passages, so that the relation leads to one with its section and page. A quotation may run over the
end of a passage; then the passage with the larger part of it is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import PurePath

from consilience.evidence.catalogue import Catalogue
from consilience.kinds import graph_kinds
from consilience.types import Passage
from consilience.understand.names import surface

FindSupport = Callable[[Passage], Passage | None]
_CANDIDATES = 200  # passages looked at: relations quote the same words, and each has them
_PREFIX = 6  # words that are searched for; the rest is compared
_SHORTEST = 4  # words of a part that still say something


def supporting_passages(catalogue: Catalogue) -> FindSupport:
    """A function that finds the passage behind a relation; each quotation is looked up once."""

    @cache
    def find(quote: str, document: str) -> Passage | None:
        words = surface(quote).split()
        for part in _parts(words):
            text = f" {' '.join(part)} "
            passages = [
                passage
                for passage in catalogue.with_phrase(" ".join(part[:_PREFIX]), _CANDIDATES)
                if passage.kind not in graph_kinds() | {"path"}
                and text in f" {surface(passage.text)} "
            ]
            if document and part is not words:  # a part of the words may occur anywhere by chance
                passages = [passage for passage in passages if names_document(passage, document)]
            if passages:
                return min(
                    passages,
                    key=lambda passage: (not names_document(passage, document), passage.id),
                )
        return None

    return lambda relation: find(
        str(relation.metadata.get("quote", "")), str(relation.metadata.get("evidence", ""))
    )


def _parts(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The whole, then shorter and shorter beginnings and ends, down to half of it."""
    if not words:
        return
    yield words
    for length in range(len(words) - 1, max(_SHORTEST, len(words) // 2) - 1, -1):
        yield words[:length]
        yield words[-length:]


def names_document(passage: Passage, document: str) -> bool:
    """Whether a name means the passage's document: its file, without ending, or its key."""
    wanted = _bare(PurePath(document).name)
    names = (PurePath(passage.document).name, str(passage.metadata.get("key", "")))
    return bool(wanted) and wanted in map(_bare, names)


def _bare(name: str) -> str:
    return re.sub(r"\W|_", "", re.sub(r"\.\w{1,8}$", "", name)).casefold()
