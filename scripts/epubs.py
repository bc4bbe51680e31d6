"""How is an EPUB made of Markdown chapters? Byte for byte, for the samples.

Nothing is compressed and no clock is read, so the same sources give the same bytes everywhere.
"""

from __future__ import annotations

import io
import uuid
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

EPOCH = (2026, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a book says of itself."""

    title: str
    author: str = "Consilience sample authors"
    date: str = "2026-01-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One file of the book: its name, its body as XHTML, and its headings as (id, title)."""

    name: str
    title: str
    body: str
    sections: tuple[tuple[str, str], ...]


def build_book(folder: Path, about: About) -> bytes:
    """The EPUB 3 made of the Markdown chapters of a folder, in the order of their names."""
    chapters = [read_chapter(path) for path in sorted(folder.glob("*.md"))]
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/package.opf": _package(chapters, about),
        "OEBPS/nav.xhtml": _nav(chapters),
        "OEBPS/style.css": _STYLE,
        **{f"OEBPS/{one.name}": _page(one.title, one.body) for one in chapters},
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), text.encode())
    return stream.getvalue()


def read_chapter(path: Path) -> Chapter:
    """A chapter from its Markdown file; each section heading gets an id to link to."""
    markdown = MarkdownIt("commonmark", {"xhtmlOut": True}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title, sections = "", []
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        if token.tag == "h1":
            title = inline.content
        else:
            mark = f"section-{len(sections) + 1}"
            token.attrSet("id", mark)
            sections.append((mark, inline.content))
    body = markdown.renderer.render(tokens, markdown.options, {})
    name = f"{path.stem}.xhtml"
    return Chapter(name=name, title=title, body=body, sections=tuple(sections))


def _page(title: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">\n'
        f"<head><title>{escape(title)}</title>"
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def _nav(chapters: Sequence[Chapter]) -> str:
    lines = []
    for one in chapters:
        inner = "".join(
            f'<li><a href="{one.name}#{mark}">{escape(title)}</a></li>'
            for mark, title in one.sections
        )
        entry = f'<a href="{one.name}">{escape(one.title)}</a>'
        lines.append(f"<li>{entry}<ol>{inner}</ol></li>\n")
    body = f'<nav epub:type="toc"><h1>Contents</h1>\n<ol>\n{"".join(lines)}</ol></nav>\n'
    return _page("Contents", body)


def _package(chapters: Sequence[Chapter], about: About) -> str:
    items = "".join(
        f'<item id="c{n}" href="{one.name}" media-type="application/xhtml+xml"/>\n'
        for n, one in enumerate(chapters, start=1)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n, _ in enumerate(chapters, start=1))
    return _PACKAGE.format(
        identifier=uuid.uuid5(uuid.NAMESPACE_URL, about.title),
        title=escape(about.title),
        author=escape(about.author),
        date=about.date,
        items=items,
        spine=spine,
    )


_STYLE = "body { font-family: serif; line-height: 1.4; }\nh1, h2 { font-family: sans-serif; }\n"
_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator>
<dc:language>en</dc:language>
<dc:date>{date}</dc:date>
<meta property="dcterms:modified">{date}T00:00:00Z</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
{items}</manifest>
<spine>{spine}</spine>
</package>
"""
