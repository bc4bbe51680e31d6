"""How is a web page read? By its headings and paragraphs, without menus and scripts."""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from consilience.bounds import HEADING, short
from consilience.loaders import _html
from consilience.loaders._text import decode, one_line, read_bytes, said, title_of
from consilience.protocols import Format
from consilience.types import Block, Document, Value

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""")
_META = {"author": "author", "date": "date", "dcterms.date": "date", "dc.creator": "author"}
_HEAD = 4096


def load(path: Path) -> Document:
    """Read a page; its title is its only h1, else its `<title>`, else the name of the file."""
    return read(path)


def read(path: Path, *, tables: _html.TableReader | None = None) -> Document:
    """Read a page, with tables read by one who knows them better."""
    text, notes = decode_page(read_bytes(path), path.name)
    tree = _html.parse(text)
    tops = _html.headings(tree, 1)
    lone = tops[0] if len(tops) == 1 and len(tops[0]) <= HEADING else ""
    blocks = _html.read_blocks(text, dropped=_html.PAGE_FURNITURE, title=lone, tables=tables)
    if not blocks:  # some pages put all they say in an `aside`
        blocks = _html.read_blocks(text, title=lone, tables=tables)
    blocks = blocks or [Block(text=words) for words in tops]
    return Document(
        title=lone or _title(tree) or title_of(path),
        kind="document",
        blocks=tuple(blocks),
        metadata=_metadata(tree),
        notes=(*notes, *said(path, blocks)),
    )


def decode_page(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a page in the encoding that it declares."""
    match = _CHARSET.search(data[:_HEAD])
    declared = match[1].decode("ascii") if match else ""
    if declared.lower() in ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"):
        declared = "cp1252"  # what browsers do: pages say Latin-1 and mean Windows-1252
    return decode(data, name, declared=declared if _is_text(declared) else "")


def _is_text(encoding: str) -> bool:
    """Codecs such as `hex` exist too, and are not encodings of text; nor is UTF-16 unmarked."""
    try:
        return bool("<p>".encode(encoding).decode("ascii") == "<p>")
    except (LookupError, UnicodeError, ValueError):
        return False


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return short(one_line(node.text())) if node else ""


def _metadata(tree: LexborHTMLParser) -> dict[str, Value]:
    found: dict[str, Value] = {}
    root = tree.css_first("html")
    language = one_line(root.attributes.get("lang") or "") if root else ""
    if language:
        found["language"] = language
    for node in tree.css("meta"):
        name = _META.get((node.attributes.get("name") or "").lower())
        words = one_line(node.attributes.get("content") or "")
        if name and words:
            found.setdefault(name, words)
    return found


LOADER = Format(endings=(".html", ".htm", ".xhtml"), version=1, load=load)
