"""Which passage has the words that a relation rests on? Looked up by the quotation.

A relation of a graph gives a quotation and the document that it stands in. The same words are
looked for in what was read, so that the relation leads to a passage with its section and page. A
quotation may run over the end of a passage; then the passage with the larger part of it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from consilience.evidence.catalogue import Catalogue
from consilience.kinds import graph_kinds
from consilience.types import Passage
from consilience.understand.names import surface

FindSupport = Callable[[Passage], Passage | None]
_LOOKED_AT = 200  # passages: relations quote the same words, and each has them
_BEGINNING = 6  # words that are looked for; the rest is compared
_LEAST = 4  # words of a part that still say something


def supporting_passages(catalogue: Catalogue) -> FindSupport:
    """What gives, of a relation's passage, the passage that bears it out; each looked up once."""
    found: dict[tuple[str, str], Passage | None] = {}

    def of(relation: Passage) -> Passage | None:
        quote, document = (str(relation.metadata.get(name, "")) for name in ("quote", "evidence"))
        key = (quote, document)
        if key not in found:
            found[key] = _borne_out(catalogue, quote, document)
        return found[key]

    return of


def _borne_out(catalogue: Catalogue, quote: str, document: str) -> Passage | None:
    words = surface(quote).split()
    for part in _parts(words):
        wanted = f" {' '.join(part)} "
        phrase = " ".join(part[:_BEGINNING])
        having = [
            one
            for one in catalogue.with_phrase(phrase, _LOOKED_AT)
            if one.kind not in graph_kinds() | {"path"} and wanted in f" {surface(one.text)} "
        ]
        if document and part is not words:  # a part of the words may stand anywhere by chance
            having = [one for one in having if names_document(one, document)]
        if having:
            return min(having, key=lambda one: (not names_document(one, document), one.id))
    return None


def _parts(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The whole, then its larger and larger ends, down to half of it."""
    if not words:
        return
    yield words
    for length in range(len(words) - 1, max(_LEAST, len(words) // 2) - 1, -1):
        yield words[:length]
        yield words[-length:]


def names_document(passage: Passage, document: str) -> bool:
    """Whether a name means the passage's document: its file, without ending, or its key."""
    wanted = _bare(PurePath(document).name)
    known = (PurePath(passage.document).name, str(passage.metadata.get("key", "")))
    return bool(wanted) and wanted in {bare for one in known if (bare := _bare(one))}


def _bare(name: str) -> str:
    return re.sub(r"\W|_", "", re.sub(r"\.\w{1,8}$", "", name)).casefold()
