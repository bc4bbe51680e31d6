"""How is source code read? By its definitions, with the number of the line where each begins.

Code is cut where a line that is not indented follows an empty line, so that a function or a class
is a block of its own, and its first line is the section. Small pieces join what stands before them.
Settings, logs and other texts by lines are read the same way, without sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from consilience.evidence.loaders.common import plain, read_text, said
from consilience.evidence.size_limits import short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator

_CODE = """.py .pyi .js .mjs .jsx .ts .tsx .java .kt .c .h .cc .cpp .hpp .cs .go .rs .rb .php .swift
.scala .r .jl .lua .pl .sh .bash .zsh .ps1 .bat .sql .hs .ml .clj .ex .erl .dart .vue .css .scss
.f90 .pas .vb .proto .m"""
_LINES = """.yaml .yml .toml .ini .cfg .conf .properties .log .xml .srt .vtt .ics .vcf .adoc .bib
.tex .diff .patch .dockerfile .makefile .cmake .gradle"""
_NAMED = re.compile(r"[A-Za-z_@#].*[({:=]|(?:[a-z]+\s+)*(?:def|class|fn|func|function|sub)\b")
_LEAST = 300  # letters of a block; smaller pieces are joined
_SECTION = 100


def load(path: Path) -> Document:
    """Read a text whose lines matter."""
    text, notes = read_text(path)
    code = path.suffix.lower() in _CODE.split()
    blocks = tuple(_blocks(plain(text).expandtabs(4), code=code))
    return Document(
        title=plain(path.name), kind="document", blocks=blocks, notes=(*notes, *said(path, blocks))
    )


def _blocks(text: str, *, code: bool) -> Iterator[Block]:
    for number, piece in _pieces(text.split("\n")):
        head = next((line for line in piece if _NAMED.match(line)), "") if code else ""
        name = short(head.strip(" :{("), _SECTION)
        yield Block(
            text="\n".join(piece),
            locator=Locator(section=(name,) if name else (), extra=(("line", number),)),
        )


def _pieces(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """(number of the first line, lines) of each piece, without empty lines at its ends."""
    piece: list[str] = []
    start = 1
    for number, line in enumerate([*lines, ""], start=1):
        fresh = line[:1].strip() and piece and not piece[-1].strip() and line[0] not in ")}]"
        if number > len(lines) or (fresh and sum(map(len, piece)) >= _LEAST):
            while piece and not piece[-1].strip():
                piece.pop()
            if piece:
                yield start, piece
            piece = []
        if line.strip() or piece:
            start = start if piece else number
            piece.append(line.rstrip())


LOADER = Format(endings=tuple(f"{_CODE} {_LINES}".split()), version=1, load=load)
