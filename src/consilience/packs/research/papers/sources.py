"""How are notes in Markdown and HTML read? As everywhere, with what they say of themselves.

Front matter may name authors in more than one way, and a page in its `<meta>` fields; both come
to the same fields here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from selectolax.lexbor import LexborHTMLParser

from consilience.evidence.loaders import html, markdown
from consilience.evidence.loaders.common import one_line, plain, read_bytes, read_text, said
from consilience.evidence.loaders.common import title_of as name_of
from consilience.evidence.size_limits import short
from consilience.packs.research.papers.markup import without_marks
from consilience.packs.research.papers.people import people
from consilience.types import Document, Value

_FENCE = re.compile(r"---[^\S\n]*\n(.*?\n)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_META = {
    "citation_author": "authors",
    "dc.creator": "authors",
    "dcterms.creator": "authors",
    "article:author": "authors",
    "author": "authors",
    "citation_publication_date": "year",
    "citation_date": "year",
    "citation_year": "year",
    "dc.date": "year",
    "dcterms.date": "year",
    "article:published_time": "year",
    "date": "year",
    "year": "year",
    "citation_key": "key",
    "key": "key",
}
_YEAR = re.compile(r"(1[6-9]\d\d|20[0-4]\d)")


def load_markdown(path: Path) -> Document:
    """Read a note in Markdown, Quarto or MyST."""
    text, notes = read_text(path)
    metadata, body = markdown.front_matter(plain(text))
    metadata.update(_declared(plain(text)))
    title, blocks = markdown.read_body(without_marks(body))
    return Document(
        title=short(str(metadata.pop("title", ""))) or title or name_of(path),
        kind="document",
        blocks=tuple(blocks),
        metadata=metadata,
        notes=(*notes, *said(path, blocks)),
    )


def _declared(text: str) -> dict[str, Value]:
    """Authors and year of front matter, however deep they stand: `author: [{name: …}]`."""
    match = _FENCE.match(text)
    if not match:
        return {}
    try:
        fields = yaml.safe_load(match[1])
    except yaml.YAMLError:
        return {}
    if not isinstance(fields, dict):
        return {}
    known = {str(name).lower(): value for name, value in fields.items()}
    found: dict[str, Value] = {}
    for name in ("authors", "author"):
        if names := _names(known.get(name)):
            found["authors"] = names
            break
    for name in ("year", "date", "published", "issued"):
        if year := _YEAR.search(str(known.get(name, ""))):
            found["year"] = int(year[1])
            break
    return found


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return people(value)
    if isinstance(value, dict):
        name = value.get("name") or " ".join(
            str(value[part]) for part in ("given", "family") if value.get(part)
        )
        return _names(name) if name else ()
    if isinstance(value, list):
        return tuple(name for one in value for name in _one_name(one))
    return ()


def _one_name(value: Any) -> tuple[str, ...]:
    """One entry of a list of authors is one person, whatever commas are in it."""
    return (one_line(value),) if isinstance(value, str) and value.strip() else _names(value)


def load_html(path: Path) -> Document:
    """Read a page, with the authors and the year of its `<meta>` fields."""
    document = html.load(path)
    text, _ = html.decode_page(read_bytes(path), path.name)
    metadata: dict[str, Value] = dict(document.metadata)
    metadata.update(_meta(html.parse(text)))
    return replace(document, metadata=metadata)


def _meta(tree: LexborHTMLParser) -> dict[str, Value]:
    authors: list[str] = []
    found: dict[str, Value] = {}
    for node in tree.css("meta"):
        name = node.attributes.get("name") or node.attributes.get("property") or ""
        field = _META.get(name.lower(), "")
        words = one_line(node.attributes.get("content") or "")
        if field == "authors" and words:
            authors.extend(one for one in people(words) if one not in authors)
        elif field == "year" and (year := _YEAR.search(words)):
            found.setdefault("year", int(year[1]))
        elif field == "key" and words:
            found.setdefault("key", words)
    if authors:
        found["authors"] = tuple(authors)
    return found
