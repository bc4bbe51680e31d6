"""How is an EPUB read? Chapter by chapter, in reading order, under its table of contents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from selectolax.lexbor import LexborNode

from consilience.errors import LoadError
from consilience.evidence.loaders import html
from consilience.evidence.loaders.archive import Archive, Bomb
from consilience.evidence.loaders.common import decode, is_title, one_line, said, title_of
from consilience.evidence.loaders.html import decode_page
from consilience.evidence.size_limits import short
from consilience.protocols import Format
from consilience.types import Block, Document, Value


def load(path: Path) -> Document:
    """Read an EPUB. Chapters that cannot be read are named in the notes; the rest is given."""
    if not path.is_file():
        raise LoadError(f"cannot open {path.name}: no such file; check the path")
    with closing(Archive(path)) as archive:
        package = read_package(archive, path.name)
        title = package.title or title_of(path)
        blocks, notes = _read_spine(archive, package, title=title)
    if not blocks and not package.spine:
        raise LoadError(f"{path.name} has no chapter to read; export it again")
    return Document(
        title=title,
        kind="book",
        blocks=tuple(blocks),
        metadata=package.metadata,
        notes=(*package.notes, *notes, *said(path, blocks)),
    )


@dataclass(frozen=True, slots=True)
class _Chapter:
    """Where a file stands in the contents: its path, and paths by the ids inside it."""

    path: tuple[str, ...] | None = None
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)


def _read_spine(
    archive: Archive, package: Package, *, title: str
) -> tuple[list[Block], tuple[str, ...]]:
    chapters = _chapters(package.contents, title)
    blocks: list[Block] = []
    notes: list[str] = []
    path: tuple[str, ...] = ()
    for name in package.spine:
        chapter = chapters.get(name.lower(), _Chapter())
        try:
            text, page_notes = decode_page(archive.read(name), name)
            base = _base(chapter, text, before=path)
            found = html.read_blocks(text, base=base, marks=chapter.marks, title=title)
        except Bomb:
            raise
        except LoadError as error:
            notes.append(f"left out: {error}")
            continue
        notes.extend(f"{name}: {note}" for note in page_notes)
        path = [base, *chapter.marks.values()][-1]
        blocks.extend(found)
    return blocks, tuple(notes)


def _chapters(contents: Contents, title: str) -> dict[str, _Chapter]:
    """The contents by file. The book's own title on top of every path is left off."""
    found: dict[str, _Chapter] = {}
    for file, fragment, titles in contents:
        path = titles
        while path and is_title(path[0], title):
            path = path[1:]
        if file.lower() not in found:
            found[file.lower()] = _Chapter(path)
        elif fragment:
            found[file.lower()].marks[fragment] = path
    return found


def _base(chapter: _Chapter, text: str, *, before: tuple[str, ...]) -> tuple[str, ...]:
    """The path a file begins under: its own, or that of the chapter it goes on with.

    A file that the contents do not name but that has a chapter heading begins a chapter.
    """
    if chapter.path is not None:
        return chapter.path
    tree = html.parse(text)
    return () if html.headings(tree, 1) or html.headings(tree, 2) else before


LOADER = Format(endings=(".epub",), version=1, load=load)


_FONT_SCRAMBLERS = {
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
}
_PAGES = ("application/xhtml+xml", "text/html", "application/html", "text/x-oeb1-document")

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-\w+)*")

Contents = list[tuple[str, str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """An open book: files of the spine in reading order, and where the contents point.

    `contents` are (file, fragment, path of titles) in the order of the table of contents.
    """

    title: str
    metadata: Mapping[str, Value]
    spine: tuple[str, ...]
    contents: Contents = field(default_factory=list)
    notes: tuple[str, ...] = ()


def read_package(archive: Archive, name: str) -> Package:
    """The package of the book in this archive; `name` is the file's, for messages."""
    _refuse_protected(archive, name)
    opf = _package_file(archive, name)
    root = archive.xml(opf)
    items = _items(root, posixpath.dirname(opf))
    spine, missing = _spine(archive, root, items=items)
    contents, notes = _contents(archive, root, items=items)
    if missing:
        notes = (*notes, f"files of the reading order that are missing: {', '.join(missing[:5])}")
    titles = _dublin(root, "title")
    return Package(
        title=short(titles[0]) if titles else "",
        metadata=_metadata(root),
        spine=spine,
        contents=contents,
        notes=notes,
    )


def _refuse_protected(archive: Archive, name: str) -> None:
    """Scrambled fonts are common and harmless; any other encryption hides the text."""
    if not archive.has("META-INF/encryption.xml"):
        return
    root = archive.xml("META-INF/encryption.xml")
    methods = {node.get("Algorithm", "") for node in _all(root, "EncryptedData/EncryptionMethod")}
    if methods - _FONT_SCRAMBLERS:
        raise LoadError(
            f"{name} is protected by its seller (DRM) and cannot be read; use a copy without it"
        )


def _all(root: ElementTree.Element, path: str) -> Iterator[ElementTree.Element]:
    """Descendants by local names, whatever their namespaces: `spine/itemref`."""
    parent, _, child = path.rpartition("/")
    for node in root.iter():
        if not parent and _local(node) == child:
            yield node
        elif parent and _local(node) == parent:
            yield from (inner for inner in node if _local(inner) == child)


def _local(node: ElementTree.Element) -> str:
    return str(node.tag).rpartition("}")[2]  # a comment's tag is a function: its text is no name


def _package_file(archive: Archive, name: str) -> str:
    root = archive.xml("META-INF/container.xml")
    for node in _all(root, "rootfile"):
        if path := node.get("full-path"):
            return path
    raise LoadError(f"{name} names no package in META-INF/container.xml; export it again")


def _items(root: ElementTree.Element, folder: str) -> dict[str, dict[str, str]]:
    """The manifest by id: `path`, `type`, `properties`."""
    return {
        node.get("id", ""): {
            "path": resolve(folder, node.get("href", ""))[0],
            "type": node.get("media-type", ""),
            "properties": node.get("properties", ""),
        }
        for node in _all(root, "manifest/item")
    }


def resolve(folder: str, href: str) -> tuple[str, str]:
    """A reference as (file, fragment): relative to its folder, percent-encoding undone."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return "", ""
    path = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    return path.lstrip("/"), unquote(parts.fragment)


def _spine(
    archive: Archive, root: ElementTree.Element, *, items: Mapping[str, Mapping[str, str]]
) -> tuple[tuple[str, ...], list[str]]:
    present: dict[str, str] = {}
    missing: list[str] = []
    for node in _all(root, "spine/itemref"):
        name = node.get("idref", "")
        item = items.get(name)
        if item is None or not archive.has(item["path"]):
            missing.append(item["path"] if item else name)
        elif item["type"] in _PAGES and "nav" not in item["properties"].split():
            present.setdefault(item["path"].lower(), item["path"])  # each file once
    return tuple(present.values()), missing


def _dublin(root: ElementTree.Element, name: str) -> list[str]:
    found = (one_line("".join(node.itertext())) for node in _all(root, f"metadata/{name}"))
    return [words for words in found if words]


def _metadata(root: ElementTree.Element) -> dict[str, Value]:
    found: dict[str, Value] = {}
    authors = tuple(dict.fromkeys(_dublin(root, "creator")))
    if authors:
        found["author"] = authors if len(authors) > 1 else authors[0]
    for name in ("language", "date", "publisher"):
        values = [v for v in _dublin(root, name) if name != "language" or _LANGUAGE.fullmatch(v)]
        if values:
            found[name] = values[0]
    return found


# --- table of contents ------------------------------------------------------------------


def _contents(
    archive: Archive, root: ElementTree.Element, *, items: Mapping[str, Mapping[str, str]]
) -> tuple[Contents, tuple[str, ...]]:
    """From the navigation page of EPUB 3, else the `toc.ncx` of EPUB 2, else none."""
    navigation = [i["path"] for i in items.values() if "nav" in i["properties"].split()]
    tables = [i["path"] for i in items.values() if i["type"] == "application/x-dtbncx+xml"]
    notes: list[str] = []
    for path, read in [*((p, _from_page) for p in navigation), *((p, _from_ncx) for p in tables)]:
        try:
            if found := read(archive, path):
                return found, tuple(notes)
        except Bomb:
            raise
        except LoadError as error:
            notes.append(f"table of contents left out: {error}")
    return [], tuple(notes)


def _from_page(archive: Archive, path: str) -> Contents:
    text, _ = decode(archive.read(path), path)
    tree = html.parse(text)
    pages = tree.css("nav")
    chosen = [nav for nav in pages if nav.attributes.get("epub:type") == "toc"] or pages[:1]
    entries = []
    for nav in chosen:
        for node in nav.css("li > a, li > span"):
            depth = sum(1 for above in _ancestors(node) if above.tag == "li")
            entries.append((depth, one_line(node.text()), node.attributes.get("href") or ""))
    return _nested(entries, posixpath.dirname(path))


def _ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _from_ncx(archive: Archive, path: str) -> Contents:
    entries: list[tuple[int, str, str]] = []
    waiting = [(0, node) for node in _all(archive.xml(path), "navMap")]
    while waiting:
        depth, node = waiting.pop()
        inner = [child for child in node if _local(child) == "navPoint"]
        if _local(node) == "navPoint":
            words = one_line("".join(next(_all(node, "text"), node).itertext()))
            href = next((child.get("src", "") for child in node if _local(child) == "content"), "")
            entries.append((depth, words, href))
        waiting.extend((depth + 1, child) for child in reversed(inner))
    return _nested(entries, posixpath.dirname(path))


def _nested(entries: list[tuple[int, str, str]], folder: str) -> Contents:
    """Entries by depth to entries by path; those that point nowhere only lend their words."""
    above: list[tuple[int, str]] = []
    found: Contents = []
    for depth, words, href in entries:
        above = [(d, w) for d, w in above if d < depth]
        if words:
            above.append((depth, words))
        if href and words:
            file, fragment = resolve(folder, href)
            found.append((file, fragment, tuple(w for _, w in above)))
    return found
