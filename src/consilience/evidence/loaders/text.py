"""How is a plain text file read? By paragraphs, which blank lines part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from consilience.evidence.loaders.common import (
    TITLE_LENGTH,
    Sections,
    is_ornament,
    plain,
    read_text,
    said,
    tidy,
    title_of,
)
from consilience.protocols import Format
from consilience.types import Block, Document, Locator

_BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}$")
_ITEM = re.compile(r"\s*(?:[-*•+|]|>+|\d{1,3}[.)])\s")
_WRAPPED = range(45, 101)


def load(path: Path) -> Document:
    """Read a text file; in `.rst` files underlined headings become section paths."""
    text, notes = read_text(path)
    paragraphs = [part.strip("\n") for part in _BLANK.split(plain(text)) if not is_ornament(part)]
    if path.suffix.lower() == ".rst":
        title, blocks = _sectioned(path, paragraphs)
    else:
        title, blocks = _flat(path, paragraphs)
    return Document(
        title=title, kind="document", blocks=blocks, notes=(*notes, *said(path, blocks))
    )


def _flat(path: Path, paragraphs: list[str]) -> tuple[str, tuple[Block, ...]]:
    title = _first_line(paragraphs)
    rest = paragraphs[1:] if title else paragraphs
    return title or title_of(path), tuple(Block(text=_unwrapped(part)) for part in rest)


def _first_line(paragraphs: list[str]) -> str:
    """A short line that stands alone above the text and does not read as a sentence."""
    if len(paragraphs) < 2:
        return ""
    line = tidy(paragraphs[0])
    alone = "\n" not in line and len(line) <= TITLE_LENGTH
    return line if alone and line[-1].isalnum() | (line[-1] in ")]!?\"'”’") else ""


def _unwrapped(paragraph: str) -> str:
    """Lines that were broken at a margin become one; verse, lists and code keep their lines."""
    lines = paragraph.split("\n")
    wrapped = all(len(line.strip()) in _WRAPPED for line in lines[:-1])
    if len(lines) > 1 and wrapped and not any(_ITEM.match(line) for line in lines[1:]):
        return " ".join(tidy(paragraph).split("\n"))
    return paragraph.rstrip() if _indented(lines) else tidy(paragraph)


def _indented(lines: list[str]) -> bool:
    return any(line.startswith((" ", "\t")) for line in lines[1:])


def _sectioned(path: Path, paragraphs: list[str]) -> tuple[str, tuple[Block, ...]]:
    """reStructuredText: the first underline seen is level 1, the next new one level 2."""
    sections, levels = Sections(), dict[str, int]()
    found: list[tuple[tuple[str, ...], str]] = []
    headings: list[tuple[int, str]] = []
    for heading, mark, body in _headings(paragraphs):
        if heading:
            level = levels.setdefault(mark, len(levels) + 1)
            headings.append((level, heading))
            sections.enter(level, heading)
        if body:
            found.append((sections.path, _unwrapped(body)))
    tops = [heading for level, heading in headings if level == 1]
    title = tops[0] if len(tops) == 1 else ""
    blocks = tuple(
        Block(text=text, locator=Locator(section=place[1:] if title in place[:1] else place))
        for place, text in found
    )
    return title or title_of(path), blocks or tuple(Block(text=text) for _, text in headings)


def _headings(paragraphs: list[str]) -> Iterator[tuple[str, str, str]]:
    """(heading, underline mark, text below) of each paragraph; no heading is an empty one."""
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        if len(lines) > 2 and _RULE.match(lines[0].rstrip()):
            lines = lines[1:]
        line, rule = lines[0].strip(), lines[1].rstrip() if len(lines) > 1 else ""
        if line and _RULE.match(rule) and len(rule) >= len(line) and not _RULE.match(line):
            yield tidy(line), rule[0], "\n".join(lines[2:]).strip("\n")
        else:
            yield "", "", paragraph


LOADER = Format(endings=(".txt", ".text", ".rst"), version=1, load=load)
