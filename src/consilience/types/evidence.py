"""What is read, and what can be cited: documents, their blocks, and passages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]
Metadata = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where in its document a passage is, in terms a person can follow.

    `extra` are parts that only some kinds have, as pairs of name and value. The first names the
    whole that the passage is a piece of: the number of a game, before the number of a move.
    """

    section: tuple[str, ...] = ()
    page: int | None = None
    table: str | None = None
    row: int | None = None
    node: str | None = None
    part: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()

    def get(self, name: str) -> Value | None:
        """A part by its name; None where it is unknown."""
        if name in LOCATOR_FIELDS:
            value: Value | None = getattr(self, name)
            return value
        return dict(self.extra).get(name)

    def number(self, name: str) -> int | None:
        """A part that is a number, such as that of a game; None where it is unknown."""
        value = self.get(name)
        return value if isinstance(value, int) else None

    def parts(self) -> dict[str, Value]:
        """The parts that are known, by name."""
        named = {name: getattr(self, name) for name in LOCATOR_FIELDS}
        known = {name: value for name, value in named.items() if value}
        return {**known, **dict(self.extra)}

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> Locator:
        """The locator with these parts; a name that is no field goes to `extra`."""
        known = {name: value for name, value in parts.items() if value is not None}
        named = {name: known.pop(name) for name in LOCATOR_FIELDS if name in known}
        return cls(
            **{**named, "section": tuple(named.get("section", ()))}, extra=tuple(known.items())
        )

    def __str__(self) -> str:
        """`Part I › Lenses, page 12, passage 2`; empty when nothing is known.

        Headings lose the commas, colons and dashes that they end in.
        """
        headings = [name for part in self.section if (name := part.rstrip(" ,;:-–—"))]
        words = [" › ".join(headings)] if headings else []
        named = [(name, getattr(self, name)) for name in ("page", "table", "row", "node")]
        for name, value in (*named, *self.extra, ("passage", self.part)):
            if value is not None:
                words.append(f"{name} {value}")
        return ", ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a document as its author made it: a paragraph, a heading's text, a row.

    A `whole` block (a row, a node) is never merged with its neighbours. `search` replaces the
    text for indexing only, where what is printed and what is looked for differ.
    """

    text: str
    locator: Locator = field(default_factory=Locator)
    kind: str | None = None
    whole: bool = False
    metadata: Metadata = field(default_factory=dict)
    search: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as a loader read it: its title, kind and blocks in reading order.

    `notes` are what the user should know of the reading: pages with no text, rows skipped.
    """

    title: str
    kind: str
    blocks: tuple[Block, ...]
    metadata: Metadata = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What can be cited. It knows nothing of any search."""

    id: str
    collection: str
    document: str
    kind: str
    title: str
    text: str
    locator: Locator = field(default_factory=Locator)
    metadata: Metadata = field(default_factory=dict)
    search: str = ""

    @property
    def indexed(self) -> str:
        """The text that engines index: title and section give a short passage its context."""
        return indexed(self.title, self.locator.section, self.search or self.text)

    def value(self, name: str) -> Value | None:
        """A field by the name that filters use: metadata, an attribute, or a locator part.

        Metadata comes first: a table may well have a column called `title` or `id`.
        """
        if name in self.metadata:
            return self.metadata[name]
        if name in ATTRIBUTES:
            return str(getattr(self, name))
        return self.locator.get(name)


ID_LENGTH = 16  # hexadecimal digits: a number that engines take as it is; 64 bits are enough
LOCATOR_FIELDS = tuple(part.name for part in fields(Locator) if part.name != "extra")
ATTRIBUTES = ("id", "collection", "document", "kind", "title", "text")
FIELDS = (*ATTRIBUTES, *LOCATOR_FIELDS)
"""What filters can name in every passage, whatever its metadata."""


def indexed(title: str, section: tuple[str, ...], text: str) -> str:
    """A text under the headings it stands under, as engines index it."""
    return f"{' › '.join((title, *section))}\n{text}"


def identified(passage: Passage) -> Passage:
    """The passage under the id that follows from what it holds."""
    key = passage_id(
        passage.collection,
        passage.kind,
        passage.title,
        passage.locator,
        passage.text,
        passage.metadata,
    )
    return passage if key == passage.id else replace(passage, id=key)


def passage_id(
    collection: str,
    kind: str,
    title: str,
    locator: Locator,
    text: str,
    metadata: Metadata | None = None,
) -> str:
    """An id from content and locator: the same file read again gives the same ids.

    `part` counts the pieces of a section, so it is left out: a paragraph inserted above must
    not rename everything below it.
    """
    place = [getattr(locator, name) for name in LOCATOR_FIELDS if name != "part"]
    extra = [value for _, value in locator.extra]
    place += [*extra, None, None][: max(2, len(extra))]  # keeps old ids
    known = sorted((metadata or {}).items())
    content = repr((collection, kind, title, place, text, known))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]
