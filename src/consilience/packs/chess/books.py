"""How does a book become evidence? Without its front matter, searchable by moves, by position.

`prepare` works on a book before it is split: parts that are no evidence go, and are listed; the
moves of figurines and long notation are written plainly for search and boards drawn with letters
as placements, while the text shown stays as printed. `annotate` works on its passages afterwards:
the moves of the text are played, so that each passage knows the positions and openings that it
speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from consilience.packs.chess.boards import drawn_in
from consilience.packs.chess.held import held
from consilience.packs.chess.matter import with_headings, without_matter
from consilience.packs.chess.notation import normalised
from consilience.packs.chess.openings import named_in
from consilience.packs.chess.pgn import LOADER
from consilience.packs.chess.replaying import Replay
from consilience.protocols import Room
from consilience.types import Block, Document, Passage

KIND = "book"
GAME = "game"
_PROSE = frozenset({"book", "document"})
_TAG = re.compile(rb'\[[A-Z]\w{1,40} "[^"\n]{0,500}"\]\s*\n')
_ABOUT = re.compile(r"(?:\w+\.)*(?:epd|fen|pgn|moves|line|uci)", re.IGNORECASE)
_MOST = 400  # positions that one passage is found under: a table of moves may have more


def prepare(document: Document, path: Path, room: Room) -> Document:
    """A document as chess evidence: prose becomes a book, and a text file of games games."""
    if document.kind not in _PROSE:
        return document
    if path.suffix.lower() == ".txt" and is_pgn(path):
        games = LOADER.load(path)
        return LOADER.cut(games, room) if LOADER.cut else games
    blocks = document.blocks
    left: tuple[str, ...] = ()
    if not any(block.whole for block in blocks):  # records of a file are texts of their own
        blocks, left = without_matter(with_headings(blocks))
    notes = document.notes
    if left:
        notes = (*notes, f"left out as no part of the text: {', '.join(left)}")
    searchable = tuple(_searchable(part) for block in blocks for part in _apart(block))
    return replace(document, kind=KIND, blocks=searchable, notes=notes)


def is_pgn(path: Path) -> bool:
    """Whether a file begins as games do: with a line of tags, whatever its name."""
    with path.open("rb") as stream:
        begins = stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    return bool(_TAG.match(begins))


def _apart(block: Block) -> Iterator[Block]:
    """A block with each board that it draws as a block of its own, searched by its placement."""
    boards = [] if block.whole or block.search else list(drawn_in(block.text))
    if not boards:
        yield block
        return
    lines = block.text.split("\n")
    behind = 0
    for first, end, placement in boards:
        yield from _some(block, lines[behind:first])
        yield replace(block, text="\n".join(lines[first:end]), search=placement)
        behind = end
    yield from _some(block, lines[behind:])


def _some(block: Block, lines: Sequence[str]) -> Iterator[Block]:
    text = "\n".join(lines)
    if text.strip():
        yield replace(block, text=text)


def _searchable(block: Block) -> Block:
    """A block with its moves as they are searched, where they are printed otherwise."""
    plain = normalised(block.search or block.text)
    return block if plain == block.text else replace(block, search=plain)


def annotate(passages: Sequence[Passage]) -> list[Passage]:
    """The passages of a document, those of a book with the positions and openings they discuss.

    The moves are played from passage to passage: what one leaves off, the next may take up.
    """
    replay = Replay()
    chapter: tuple[str, ...] = ()
    found = []
    for passage in passages:
        if passage.kind != KIND:
            found.append(commented(passage) if passage.kind == GAME else passage)
            continue
        if passage.locator.section[:1] != chapter:
            chapter = passage.locator.section[:1]
            replay.next_chapter()
        given = _given(passage)
        if given:
            replay = Replay()
        found.append(_annotated(passage, replay, given))
    return found


def commented(passage: Passage) -> Passage:
    """A game with the positions that its comments speak of, and those that they alone lead to."""
    if not passage.metadata.get("notes"):
        return passage
    played = held(passage)
    known = {
        "focus": tuple(played.focus)[:_MOST],
        "mentioned": tuple(key for key in played.mentioned if key not in played.known)[:_MOST],
    }
    told = {name: values for name, values in known.items() if values}
    return replace(passage, metadata={**passage.metadata, **told})


def _given(passage: Passage) -> str:
    """The position or moves that a record says it is about, in a field of its own."""
    known = passage.metadata.items()
    return "\n".join(
        value for name, value in known if isinstance(value, str) and _ABOUT.fullmatch(name)
    )


def _annotated(passage: Passage, replay: Replay, given: str) -> Passage:
    text = passage.search or passage.text
    seen = replay.read(f"{given}\n\n{text}" if given else text)
    heading = " ".join(passage.locator.section)
    said = (one for one in named_in(passage.text) if one.sure)
    openings = {one: None for name in (*named_in(heading), *said) for one in name.canonical}
    openings |= {one.name: None for one in seen.openings}
    known = {
        "positions": tuple(seen.positions[:_MOST]),
        "focus": tuple(seen.focus[:_MOST]),
        "openings": tuple(openings),
        "ecos": tuple(dict.fromkeys(one.eco for one in seen.openings)),
    }
    told = {name: values for name, values in known.items() if values}
    return replace(passage, metadata={**passage.metadata, **told}) if told else passage
