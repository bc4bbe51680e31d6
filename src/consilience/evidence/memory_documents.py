"""How do values of a program become documents? A text, passages or table rows, each under an id.

A value is a mapping, a dataclass or a `Passage`. It has one of:
- `text`: split into passages, paragraph by paragraph;
- `passages`: texts that stay as they are, each with its own `title`, `section`, `page`;
- `rows`: mappings, one for each row of a table called by the document's `title`.

`id` names the document: the same id again replaces it. Without one, the content decides. `title`,
`metadata` and `collection` may be there; other fields become metadata, as in a `.jsonl` file.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias

from consilience.errors import UsageError
from consilience.evidence.catalogue import MEMORY
from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import flatten, shown
from consilience.evidence.loaders.table import line_of
from consilience.types import ID_LENGTH, Block, Document, Locator, Passage

DocumentValue: TypeAlias = "Mapping[str, Any] | Passage | Any"
"""A mapping or a dataclass with a text, passages or rows."""
LONGEST_ID = 500
_CONTENTS = ("text", "passages", "rows")
_OWN = (*_CONTENTS, "id", "title", "metadata", "collection", "kind")
_OF_PASSAGE = ("text", "title", "section", "page", "metadata", "locator", "kind", "search")
_TITLE_WORDS = 8
_BLANK = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A document that no file holds: its name in the catalogue, and a digest of its content."""

    key: str
    document: Document
    sha256: str
    collection: str = ""


def key_of_id(name: object) -> str:
    """The name in the catalogue of a document with this id."""
    known = isinstance(name, str | int) and not isinstance(name, bool)
    text = str(name) if known else ""
    if not text.strip() or len(text) > LONGEST_ID or not text.isprintable():
        raise UsageError(
            f"{name!r} cannot be the id of a document; use a number, or a text of at most "
            f"{LONGEST_ID} letters"
        )
    return f"{MEMORY}{text}"


def plain_documents(values: DocumentValue | Iterable[DocumentValue]) -> Iterable[dict[str, Any]]:
    """The values as JSON can hold them; one that is no document is refused with its number."""
    if isinstance(values, str | bytes):
        raise UsageError(f"{values[:40]!r} is not a document; give a list: [{{'text': …}}]")
    if isinstance(values, Mapping) or is_dataclass(values):
        values = [values]
    if isinstance(values, Sequence):  # all of a list, or nothing
        return [_numbered(at, value) for at, value in enumerate(values, start=1)]
    return (_numbered(at, value) for at, value in enumerate(values, start=1))


def read_documents(path: Path) -> Iterable[Any]:
    """The documents that a file holds as JSON: one, a list of them, or one in each line."""
    try:
        with path.open(encoding="utf-8") as file:
            start = file.read(1)
            file.seek(0)
            if start == "[":
                yield from json.load(file)
            else:
                yield from map(json.loads, filter(str.strip, file))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"the documents are not JSON: {error}; send a list, or one object in each line"
        ) from error


def read_document(plain: Mapping[str, Any]) -> MemoryDocument:
    """The document that a plain value describes."""
    text, title = plain.get("text"), one_line(plain.get("title", ""))
    metadata = flatten(plain.get("metadata", {}))
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
    name = plain.get("id", digest[:ID_LENGTH])
    if text is not None:
        parts = [part for piece in _BLANK.split(text) if (part := tidy(piece))]
        title = title or _first_words(parts[0] if parts else str(name))
        blocks, kind = [Block(text=part) for part in parts], "document"
    elif "rows" in plain:
        title, kind = title or str(name), "table"
        blocks = [_row(title, at, row) for at, row in enumerate(plain["rows"], start=1)]
    else:
        blocks, kind = [_passage(passage) for passage in plain["passages"]], "document"
        title = title or _first_words(blocks[0].text if blocks else str(name))
    document = Document(
        title=title,
        kind=plain.get("kind", kind),
        blocks=tuple(block for block in blocks if block.text),
        metadata=metadata,
    )
    return MemoryDocument(key_of_id(name), document, digest, plain.get("collection", ""))


def _row(table: str, number: int, row: Mapping[str, Any]) -> Block:
    cells = flatten(row)
    text = line_of((name, shown(value)) for name, value in cells.items())
    place = Locator(table=table, row=number)
    return Block(text=text, locator=place, kind="row", whole=True, metadata=cells)


def _passage(passage: Mapping[str, Any]) -> Block:
    place = Locator.of(passage.get("locator", {}))
    section = (*place.section, *passage.get("section", ()), *filter(None, [passage.get("title")]))
    page = passage.get("page", place.page)
    return Block(
        text=tidy(passage["text"]),
        locator=Locator.of({**place.parts(), "section": section, "page": page}),
        kind=passage.get("kind"),
        whole=True,
        metadata=flatten(passage.get("metadata", {})),
        search=passage.get("search", ""),
    )


def _first_words(text: str) -> str:
    words = one_line(text).split()
    return " ".join(words[:_TITLE_WORDS]) + (" …" if len(words) > _TITLE_WORDS else "")


# --- values as JSON can hold them ---------------------------------------------------------


def _numbered(number: int, value: DocumentValue) -> dict[str, Any]:
    try:
        return _plain(value)
    except UsageError as error:
        raise UsageError(f"document {number}: {error}") from error


def _plain(value: DocumentValue) -> dict[str, Any]:
    found = _of_passage(value) if isinstance(value, Passage) else _fields(value)
    contents = [name for name in _CONTENTS if found.get(name) is not None]
    if len(contents) != 1:
        raise UsageError(
            f"it has {' and '.join(contents) or 'none of text, passages and rows'}; give one of "
            "them, for example {'id': 'a', 'text': '…'}"
        )
    plain = _with_metadata(found, _OWN)
    if "id" in plain:
        key_of_id(plain["id"])
        if not isinstance(value, Passage):  # results show it, and filters can name it
            plain["metadata"] = {"id": plain["id"], **plain.get("metadata", {})}
    for name in ("text", "title", "collection", "kind"):
        _check_text(name, plain.get(name, ""))
    for name, read in (("passages", _plain_passage), ("rows", _plain_row)):
        if name in plain:
            items = plain[name]
            if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
                raise UsageError(f"{name!r} is {type(items).__name__}, not a list")
            plain[name] = [read(item) for item in items]
    return plain


def _of_passage(passage: Passage) -> dict[str, Any]:
    """A passage of another workspace, whole, as a document of its own."""
    place = passage.locator.parts()
    own = {"text": passage.text, "kind": passage.kind, "search": passage.search, "locator": place}
    return {
        "id": passage.id,
        "title": passage.title,
        "collection": passage.collection,
        "passages": [{**own, "metadata": dict(passage.metadata)}],
    }


def _plain_passage(value: object) -> dict[str, Any]:
    found = {"text": value} if isinstance(value, str) else _fields(value)
    if not isinstance(found.get("text"), str):
        raise UsageError(f"a passage has a `text`, not {found.get('text')!r}")
    plain = _with_metadata(found, _OF_PASSAGE)
    section = plain.get("section", ())
    plain["section"] = [section] if isinstance(section, str) else list(section)
    for name, text in (("title", plain.get("title", "")), *(("section", s) for s in section)):
        _check_text(name, text)
    page = plain.get("page")
    if page is not None and (isinstance(page, bool) or not isinstance(page, int)):
        raise UsageError(f"the page of a passage is a number, not {page!r}")
    return plain


def _plain_row(value: object) -> dict[str, Any]:
    return {str(name): _json(str(name), cell) for name, cell in _fields(value).items()}


def _fields(value: object) -> dict[str, Any]:
    """The fields of a mapping or a dataclass; None is no value."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    if not isinstance(value, Mapping):
        raise UsageError(
            f"{str(value)[:40]!r} is {type(value).__name__}; give a dict or a dataclass, for "
            "example {'id': 'a', 'text': '…'}"
        )
    return {str(name): one for name, one in value.items() if one is not None}


def _with_metadata(found: Mapping[str, Any], own: Sequence[str]) -> dict[str, Any]:
    """The fields that are known, and the others as metadata."""
    plain = {name: value for name, value in found.items() if name in own}
    named = _fields(plain.get("metadata", {}))
    other = {name: value for name, value in found.items() if name not in own}
    if both := sorted(named.keys() & other.keys()):
        raise UsageError(f"{both[0]!r} stands both in `metadata` and beside it; give it once")
    metadata = {name: _json(name, value) for name, value in {**named, **other}.items()}
    plain.pop("metadata", None)
    return {**plain, "metadata": metadata} if metadata else plain


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise UsageError(f"`{name}` is {value!r}; it must be a text")


def _json(name: str, value: Any) -> Any:
    """A value as JSON can hold it; dates as `2026-01-31`."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _json(f"{name}.{key}", inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return [_json(name, item) for item in items]
    if callable(scalar := getattr(value, "item", None)) and getattr(value, "ndim", 1) == 0:
        return _json(name, scalar())  # of numpy
    raise UsageError(
        f"`{name}` is {type(value).__name__}, which cannot be kept; give a number, a text, a date, "
        "or a list of them"
    )
