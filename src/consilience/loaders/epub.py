"""How is a book read? Chapter by chapter, in its reading order, under its contents' titles."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import LoadError
from consilience.loaders import _html
from consilience.loaders._package import Archive, Contents, Package, read_package
from consilience.loaders._sections import is_title
from consilience.loaders._text import said, title_of
from consilience.loaders.html import decode_page
from consilience.protocols import Format
from consilience.types import Block, Document


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

    path: tuple[str, ...] | None
    marks: Mapping[str, tuple[str, ...]]


def _read_spine(
    archive: Archive, package: Package, *, title: str
) -> tuple[list[Block], tuple[str, ...]]:
    chapters = _chapters(package.contents, title)
    blocks: list[Block] = []
    notes: list[str] = []
    path: tuple[str, ...] = ()
    for name in package.spine:
        chapter = chapters.get(name.lower(), _Chapter(None, {}))
        try:
            text, told = decode_page(archive.read(name), name)
            base = _base(chapter, text, before=path)
            found = _html.read_blocks(text, base=base, marks=chapter.marks, title=title)
        except LoadError as error:
            notes.append(f"left out: {error}")
            continue
        notes.extend(f"{name}: {note}" for note in told)
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
        chapter = found.get(file.lower(), _Chapter(None, {}))
        if chapter.path is None:
            chapter = _Chapter(path, {})
        elif fragment:
            chapter = _Chapter(chapter.path, {**chapter.marks, fragment: path})
        found[file.lower()] = chapter
    return found


def _base(chapter: _Chapter, text: str, *, before: tuple[str, ...]) -> tuple[str, ...]:
    """The path a file begins under: its own, or that of the chapter it goes on with.

    A file that the contents do not name but that has a chapter heading begins a chapter.
    """
    if chapter.path is not None:
        return chapter.path
    tree = _html.parse(text)
    return () if _html.headings(tree, 1) or _html.headings(tree, 2) else before


LOADER = Format(endings=(".epub",), version=1, load=load)
