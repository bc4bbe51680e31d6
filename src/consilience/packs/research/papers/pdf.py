"""How is a paper in PDF read? In reading order, by its headings, with its references set apart.

The head of the first page is one block, each entry of the list of references is one, and what
stands between the headings is put together to paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast
from unicodedata import normalize

from consilience.evidence.loaders import pdf
from consilience.evidence.loaders.common import Sections, is_ornament, read_bytes
from consilience.packs.research.papers import columns, listing
from consilience.packs.research.papers.entries import NAMES as REFERENCES
from consilience.packs.research.papers.front import (
    Front,
    declared_authors,
    read_front,
    title_span,
)
from consilience.packs.research.papers.glyphs import Print, printed_lines
from consilience.packs.research.papers.paragraphs import Setting, paragraphs, without_labels
from consilience.packs.research.papers.running import without_heads
from consilience.packs.research.papers.section_headings import (
    Places,
    body_size,
    find_headings,
    usual_step,
)
from consilience.packs.research.papers.works import ENTRY
from consilience.types import Block, Document, Locator, Value

_CUT = re.compile(r"(?<=[^\W\d_]{2})[-‐]$")  # a word that goes on in the next line
_OWNER = re.compile(r"^\W*(?:(?:©|c\b|\(c\)|copyright)\s*\d{4}|arxiv:\d)", re.IGNORECASE)
_STRUCK = re.compile("\u0338\\s?([=∈<>≤≥∃⊂⊆∼])")
_SIGNS = ((" 6= ", " ≠ "), ("∈/ ", "∉ "))  # signs that old fonts set as two


def load(path: Path) -> Document:
    """Read a paper; what it says of itself becomes its title, authors and year."""
    data = read_bytes(path)
    with pdf.LOCK:
        read = pdf.read_pdf(data, path.name, lines=printed_lines)
    if not any(read.pages):
        return pdf.load(path)  # a scan: there is OCR for all packs
    usual = 1.15 * body_size(cast("list[list[Print]]", read.pages))
    kept, running = pdf.without_running(
        read, path.name, keep=lambda line: cast("Print", line).size > usual
    )
    prints = [[_mended(cast("Print", line)) for line in page] for page in kept]
    declared = read.fields.get("Title", "")
    pages, heads = _without_heads(columns.in_order(prints), declared)
    body = body_size(pages)
    span = title_span(pages[0], body=body, declared=declared)
    headings = find_headings(pages, read.marks, after=span[1] if span else 0)
    first = min((at for page, at in headings if page == 0), default=None)
    front = read_front(pages[0], body=body, span=span, first=first)
    title = front.title or pdf.title_in(read, path)
    pages, dropped = without_labels(pages, headings, body=body)
    reader = _Reader(pages, headings, front=front, body=body)
    return Document(
        title=title,
        kind="document",
        blocks=tuple(reader.read()),
        metadata=_metadata(read, front),
        notes=(*pdf.notes_of(read, [*running, *heads]), *dropped),
    )


def _without_heads(pages: list[list[Print]], declared: str) -> tuple[list[list[Print]], list[str]]:
    """The pages without the heads that say the title or the authors of the first page."""
    body = body_size(pages)
    first = pages[0]
    span = title_span(first, body=body, declared=declared)
    said = [line.text for line in first[span[0] : span[1] + 12]] if span else []
    return without_heads(pages, said=said, step=usual_step(pages), body=body)


def _mended(line: Print) -> Print:
    """A line with the signs of old fonts put right, and with a cut word known as such."""
    text = line.text
    for old, new in _SIGNS:
        text = text.replace(old, new)
    text = _STRUCK.sub(lambda match: normalize("NFC", f"{match[1]}\u0338"), text)
    if not line.hyphen and _CUT.search(text):
        return replace(line, text=text[:-1], hyphen=True)
    return line if text == line.text else replace(line, text=text)


def _metadata(read: pdf.Read, front: Front) -> dict[str, Value]:
    """What the file and its first page say; the day the file was made is the last resort."""
    found = pdf.metadata_of(read.fields)
    authors = front.authors or declared_authors(read.fields)
    found.pop("author", None)
    if authors:
        found["authors"] = authors
    if front.year:
        found["year"] = front.year
        found.pop("date", None)
    return found


class _Reader:
    """Walks over the lines of a paper, from heading to heading."""

    def __init__(
        self,
        pages: Sequence[Sequence[Print]],
        headings: Places,
        *,
        front: Front,
        body: float,
    ) -> None:
        self._pages = pages
        self._headings = headings
        self._front = front
        self._words = pdf.vocabulary(pages)
        self._setting = Setting.of(pages, body=body)
        self._sections = Sections()

    def read(self) -> Iterator[Block]:
        """The blocks of the paper in order."""
        head = [line for at, line in enumerate(self._pages[0]) if at in self._front.head]
        if head and self._front.authors:
            text = "\n".join(line.text for line in head)
            yield Block(text=text, locator=Locator(page=1))
        held: list[tuple[int, Print]] = []
        for page, lines in enumerate(self._pages):
            skipped = self._front.head if page == 0 else frozenset()
            at = 0
            while at < len(lines):
                heading = self._headings.get((page, at))
                if heading and at not in skipped:
                    yield from self._section(held)
                    held = []
                    self._sections.enter(heading.level, heading.words)
                    if heading.rest:
                        held.append((page, replace(lines[at], text=heading.rest)))
                    at += heading.lines
                    continue
                if at not in skipped and not (page == 0 and _OWNER.match(lines[at].text)):
                    held.append((page, lines[at]))
                at += 1
        yield from self._section(held)

    def _section(self, held: Sequence[tuple[int, Print]]) -> Iterator[Block]:
        path = self._sections.path
        if path and REFERENCES.fullmatch(path[-1]):
            yield from self._entries(held)
        else:
            yield from self._text(held)

    def _text(self, held: Sequence[tuple[int, Print]]) -> Iterator[Block]:
        path = self._sections.path
        for page, text in paragraphs(held, setting=self._setting, words=self._words):
            if not is_ornament(text):
                yield Block(text=text, locator=Locator(section=path, page=page + 1))

    def _entries(self, held: Sequence[tuple[int, Print]]) -> Iterator[Block]:
        of = {id(line): page for page, line in held}
        usual = body_size([[line for _, line in held]])
        notes = [one for one in held if one[1].size < 0.93 * usual]
        if notes and len(notes) < 0.2 * len(held):  # foot notes of the pages
            yield from self._text(notes)
            held = [one for one in held if one[1].size >= 0.93 * usual]
        for lines in listing.entries([line for _, line in held]):
            place = Locator(section=self._sections.path, page=of[id(lines[0])] + 1)
            text = pdf.joined(lines, self._words).replace("\n", " ")
            yield Block(text=text, locator=place, kind=ENTRY)
