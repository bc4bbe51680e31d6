"""What is made of a document that was read? A work: who wrote it, when, and what it cites.

Its list of references is taken off the text: each entry becomes a citation, and the document
itself a work, so that papers of a workspace meet in a graph. A note that says none of this
stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from consilience.evidence.size_limits import short
from consilience.packs.research.papers.entries import NAMES, Entry, read_entry, split_entries
from consilience.packs.research.papers.people import aliases_of, key_of, people
from consilience.types import Block, Document, Locator, Value
from consilience.understand.names import surface

WEIGHT = 0.4  # of a citation, as a relation of the graph
ENTRY = "reference"
"""The kind of a block that is one entry of a list of references."""
_YEAR = re.compile(r"\b(1[6-9]\d\d|20[0-4]\d)\b")
_AUTHOR_FIELDS = ("authors", "author")
_YEAR_FIELDS = ("year", "date", "published", "issued")
Listed = tuple[Entry, Locator]
_PROSE = re.compile(r"\((?:1[6-9]|20)\d\d[a-z]?\)\s+(?!in\b|edn?\b)[a-z]{2,}")  # Rubin (1974) shows
_WORDS = 120  # of a reference; more is a paragraph
_LEAST = 0.5  # of the entries under a heading, that read as references


def as_work(document: Document) -> Document:
    """The document with its authors, year and key, its references as citations."""
    authors, year = _authors(document.metadata), _year(document.metadata)
    blocks, entries = _set_apart(document)
    key = key_of(authors, year)
    metadata = _fields(document.metadata, authors=authors, year=year, key=key)
    node = key or (short(surface(document.title), 80) if entries else "")
    if not node:
        return replace(document, blocks=blocks, metadata=metadata)
    given = str(document.metadata.get("key", ""))
    names = tuple(
        dict.fromkeys(one for one in (*aliases_of(authors, year), given) if one and one != node)
    )
    made = [_work(document, node, names, authors=authors), *_citations(node, entries)]
    return replace(document, blocks=(*blocks, *made), metadata=metadata)


def _authors(metadata: Mapping[str, Value]) -> tuple[str, ...]:
    for name in _AUTHOR_FIELDS:
        value = metadata.get(name)
        if isinstance(value, tuple):
            return tuple(str(one) for one in value if str(one).strip())
        if isinstance(value, str) and value.strip():
            return people(value)
    return ()


def _year(metadata: Mapping[str, Value]) -> int | None:
    for name in _YEAR_FIELDS:
        match = _YEAR.search(str(metadata.get(name, "")))
        if match:
            return int(match[1])
    return None


def _fields(
    metadata: Mapping[str, Value], *, authors: tuple[str, ...], year: int | None, key: str
) -> dict[str, Value]:
    """The fields of a document, those of its authors, year and key by their names here."""
    kept = {name: value for name, value in metadata.items() if name not in ("author", "key")}
    if authors:
        kept["authors"] = authors
    if year:
        kept["year"] = year
    if key:
        kept["key"] = key
    return kept


# --- references -------------------------------------------------------------------------


def _set_apart(document: Document) -> tuple[tuple[Block, ...], list[Listed]]:
    """The blocks of the text, and the entries of its lists of references with their places."""
    text: list[Block] = []
    entries: list[Listed] = []
    known = any(block.kind == ENTRY for block in document.blocks)
    groups = groupby(document.blocks, lambda one: one.kind == ENTRY if known else _is_listed(one))
    for listed, group in groups:
        found, rest = _entries(list(group)) if listed else ([], list(group))
        entries.extend(found)
        text.extend(rest)
    return tuple(text), entries


def _is_listed(block: Block) -> bool:
    section = block.locator.section
    return bool(section and NAMES.fullmatch(section[-1].strip()))


def _entries(blocks: Sequence[Block]) -> tuple[list[Listed], list[Block]]:
    """The entries of a list, and what in it is none: all of it, where few read as references."""
    place = blocks[0].locator
    if all(block.kind == ENTRY for block in blocks):
        found = [(read_entry(block.text), block.locator) for block in blocks]
    else:
        texts = split_entries([block.text for block in blocks])
        found = [(read_entry(text), place) for text in texts]
    if sum(_is_reference(entry) for entry, _ in found) < max(1, _LEAST * len(found)):
        return [], [replace(block, kind=None) for block in blocks]
    other = [one for one in found if not (one[0].authors or one[0].year)]
    text = [Block(text=entry.text, locator=where) for entry, where in other]
    return [one for one in found if one not in other], text


def _is_reference(entry: Entry) -> bool:
    """Whether a text reads as one reference rather than as prose about several."""
    words = len(entry.text.split())
    return bool(entry.authors and entry.year) and words <= _WORDS and not _PROSE.search(entry.text)


# --- the graph --------------------------------------------------------------------------


def _work(
    document: Document, node: str, names: tuple[str, ...], *, authors: tuple[str, ...]
) -> Block:
    fields: dict[str, Value] = {"node": node, "name": document.title, "node_kind": "work"}
    if names:
        fields["aliases"] = names
    said = f"{document.title}. {', '.join(authors)}".rstrip(". ")
    return Block(
        text=f"{said} ({names[0]})" if names else said,
        locator=Locator(node=node),
        kind="work",
        whole=True,
        metadata=fields,
    )


def _citations(node: str, entries: Sequence[tuple[Entry, Locator]]) -> list[Block]:
    """An edge to each work that is cited: by its title where its author or year is not known."""
    found: dict[str, Block] = {}
    for entry, place in entries:
        target = entry.key or short(surface(entry.title or entry.text), 80)
        if target and target != node:
            found.setdefault(entry.text, _citation(node, target, entry, place))
    return list(found.values())


def _citation(node: str, target: str, entry: Entry, place: Locator) -> Block:
    fields: dict[str, Value] = {
        "source": node,
        "relation": "CITES",
        "target": target,
        "weight": WEIGHT,
        "inverse": "is cited by",
        "cited": short(entry.title or entry.text, 300),
    }
    if names := aliases_of(entry.authors, entry.year):
        fields["aliases"] = names
    return Block(
        text=entry.text,
        locator=replace(place, node=f"{node} → {target}"),
        kind="citation",
        whole=True,
        metadata=fields,
    )
