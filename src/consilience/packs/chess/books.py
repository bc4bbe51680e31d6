"""How does a book become evidence? Without its front matter, searchable by moves, by position.

`prepare` works on a book before it is split: title pages, contents, indexes, bibliographies and
licences go, and are listed; the moves of figurines and long notation are written plainly for
search and boards drawn with letters as placements, while the text shown stays as printed. What a
reader would miss (a preface, a glossary, notes, moves) stays, and a document that would lose
everything keeps everything. `annotate` works on its passages afterwards: the moves of the text are
played, so that each passage knows the positions and openings that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import chess

from consilience.packs.chess.notation import normalised
from consilience.packs.chess.openings import named_in
from consilience.packs.chess.passage_moves import held
from consilience.packs.chess.pgn import LOADER
from consilience.packs.chess.replay import Replay
from consilience.protocols import Room
from consilience.types import Block, Document, Passage
from consilience.understand.names import surface

_ALWAYS = re.compile(
    r"(table of |list of )?contents|toc|(general |game )?ind(ex|exes|ices)( of [\w ]+| to [\w ]+)?"
    r"|[\w ]{1,30} index|(select |selected |annotated )?bibliography|works cited"
    r"|(the )?(full )?project gutenberg[\w ]*|landmarks|page list"
)
_HEADINGS = re.compile(
    r"(half )?title( page)?|cover( page)?|imprint|copyright( page| notice| and licen[cs]e)?"
    r"|colophon|dedication|references|further reading"
    r"|list of (illustrations|figures|plates|diagrams|abbreviations|games|tables|players)"
    r"|about the authors?|about this (e ?book|book)|also by [\w ]+|other (books|works) by [\w ]+"
    r"|by the same author|(praise|advance praise) for [\w ]+|advertisements?|errata"
    r"|transcribers?( s)? notes?|(information|notes?) (about|on) this e ?(text|book)( edition)?"
    r"|[\w ]*license and trademark|(publisher|editor) s note on the e ?book"
)
_BEGINS = re.compile(r"\*\*\* ?START OF TH(IS|E) PROJECT GUTENBERG")
_ENDS = re.compile(r"\*\*\* ?END OF TH(IS|E) PROJECT GUTENBERG|\bEnd of (the )?Project Gutenberg")
_CREDITS = re.compile(
    r"all rights reserved|no part of this (book|publication) may be|\bisbn[\s:-]*[\dxX-]{10}"
    r"|first published (in|by)|copyright ©|©\s?\d{4}|printed (and bound )?in (the )?[A-Z]"
    r"|e-?text was produced|distributed proofread|produced by .{3,90}proofread"
    r"|^transcriber['’]s note|entered according to act of congress"
    r"|this ebook is for the use of anyone anywhere|gutenberg-tm|library of congress",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"(?=.*[^\W\d_]{3}).{1,90}?[\s,.…·]+(?:\d{1,4}|[ivxlc]{1,6})(?:\s?[-–,;]\s?\d{1,4})*\.?\s*$"
)
_LEADING = re.compile(r"^\s*(?:\d+|[IVXLC]+)[.)]\s*")
_TRAILING = re.compile(r"(?<=\bNO\b)[.\s]*\d+\.?$|(?<=\bGAME\b)\s*\d+\.?$", re.IGNORECASE)
_CAPTION = re.compile(
    r"(diag(ram)?|fig(ure)?|plate|table|position|problem|the end)\b", re.IGNORECASE
)
_ENTRIES = 8  # entries from which on a part may be an index
_SHORT = 1500  # words up to which a heading such as "Further reading" is believed
_FEW_WORDS = 120  # in which credits make a part a page of credits
_PROSE = 25  # words of a paragraph of prose
_BOOK = 2000  # words from which on a document may have front pages
_FRONT = 12  # of so many parts of a book, front pages are one at most
_TEXTS = re.compile(r"([\w ]+ )?(preface|foreword|introduction|prologue|introductory)([\w ]*)")
_MOVES = re.compile(
    r"\b1\.{1,3}\s?(?:[KQRBN]?[a-h]?x?[a-h][1-8]|(?:[KQ]\.? ?)?(?:Kt|P|N)\.?\s?(?:[-–x×]|to ))"
    r"|[pnbrqkPNBRQK1-8]{1,8}(?:/[pnbrqkPNBRQK1-8]{1,8}){7}"
)


def without_matter(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """The blocks that are evidence, and the names of the parts that were left out."""
    kept: list[Block] = []
    inside, left = _inside_licence(blocks)
    inside, front = _behind_front(inside)
    left += front
    for section, group in groupby(inside, key=lambda block: block.locator.section):
        part = list(group)
        if is_matter(section, part):
            left.append(_named(section))
        else:
            kept.extend(part)
    if not kept:
        return tuple(blocks), ()
    return tuple(kept), tuple(dict.fromkeys(left))


def _inside_licence(blocks: Sequence[Block]) -> tuple[Sequence[Block], list[str]]:
    """The blocks between the lines in which a library of free books wraps its texts."""
    begins = [at for at, block in enumerate(blocks) if _BEGINS.search(block.text)]
    ends = [at for at, block in enumerate(blocks) if _ENDS.search(block.text)]
    first = begins[0] + 1 if begins and 4 * begins[0] < len(blocks) else 0
    last = ends[0] if ends and 2 * ends[0] > len(blocks) else len(blocks)
    wrapped = (first, last) != (0, len(blocks))
    return blocks[first:last], ["the library's licence"] if wrapped else []


def _behind_front(blocks: Sequence[Block]) -> tuple[Sequence[Block], list[str]]:
    """A book's blocks from the part on that has its first prose or moves, and what is before it."""
    words = [len(block.text.split()) for block in blocks]
    left: list[str] = []
    at = 0
    for section, group in groupby(blocks, key=lambda block: block.locator.section):
        part = list(group)
        if not is_matter(section, part) and _begins_text(section, part):
            break
        at += len(part)
        left.append(_named(section))
    if sum(words) < _BOOK or _FRONT * sum(words[:at]) > sum(words):
        return blocks, []
    return blocks[at:], left


def _begins_text(section: Sequence[str], part: Sequence[Block]) -> bool:
    """Whether a part is more than titles, credits and lists."""
    if any(_TEXTS.fullmatch(_bare(heading)) for heading in section):
        return True
    return any(_is_prose(block.text) or _MOVES.search(block.text) for block in part)


def _is_prose(text: str) -> bool:
    """Whether a paragraph says something in sentences: long lines, with an end, not in capitals."""
    words = text.split()
    letters = [char for char in text if char.isalpha()]
    return (
        len(words) >= _PROSE
        and len(words) >= 8 * len(text.splitlines())
        and re.search(r"[^\W\d_]{2}[.!?]", text) is not None
        and 2 * sum(char.isupper() for char in letters) < len(letters)
        and _CREDITS.search(text) is None
    )


def _named(section: Sequence[str]) -> str:
    return " › ".join(section) or "pages before the first heading"


def is_matter(section: Sequence[str], part: Sequence[Block]) -> bool:
    """Whether a part of a book is none of its text, by its headings or its lines."""
    text = "\n".join(block.text for block in part)
    names = [_bare(heading) for heading in section]
    if any(_ALWAYS.fullmatch(name) for name in names):
        return True
    if len(text.split()) <= _SHORT and any(_HEADINGS.fullmatch(name) for name in names):
        return True
    if len(text.split()) <= _FEW_WORDS and _CREDITS.search(text):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    entries = sum(bool(_ENTRY.fullmatch(line)) for line in lines)
    return entries >= _ENTRIES and 5 * entries >= 4 * len(lines)


def _bare(heading: str) -> str:
    """A heading without its number and its marks."""
    words = surface(heading).split()
    while words and re.fullmatch(r"\d+|[ivx]{1,4}|chapter|appendix|part|[a-d]", words[0]):
        words = words[1:]
    return " ".join(words)


def with_headings(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks under the headings that a book prints as paragraphs of capitals.

    Older books set sections as `9. A CARDINAL PRINCIPLE` without marking them as headings. Such a
    line holds until the next one, or until the chapter ends.
    """
    return tuple(_headed(blocks))


def _headed(blocks: Sequence[Block]) -> Iterator[Block]:
    heading, chapter = "", None
    for place, block in enumerate(blocks):
        section = block.locator.section
        if section != chapter:
            heading, chapter = "", section
        following = blocks[place + 1] if place + 1 < len(blocks) else None
        if following and following.locator.section == section and _heads(block, following):
            heading = " ".join(block.text.split())
            continue
        locator = replace(block.locator, section=(*section, heading) if heading else section)
        yield replace(block, locator=locator)


def _heads(block: Block, following: Block) -> bool:
    """Whether a block is the heading of what follows: lines of capitals in a row are a title."""
    says = len(following.text.split()) >= 3 and not _is_heading(following.text)
    return says and _is_heading(block.text)


def _is_heading(text: str) -> bool:
    words = text.strip()
    letters = [char for char in words if char.isalpha()]
    plain = _TRAILING.sub("", _LEADING.sub("", words))
    return (
        "\n" not in words
        and len(letters) >= 4
        and len(words) <= 80
        and sum(char.isupper() for char in letters) >= 0.9 * len(letters)
        and len(words.split()) >= 2
        and re.search(r"[^\W\d_]{3}", words) is not None
        and re.search(r"[\d×;=+\[\]]| [-–] |[,:—–-]$", plain) is None
        and _CAPTION.match(plain) is None
    )


_MEN = {"K": "k", "Q": "q", "R": "r", "B": "b", "KT": "n", "N": "n", "S": "n", "P": "p"}
_SIDES = {"^": True, "#": False, "w": True, "W": True, "b": False, "*": False}
_EMPTY = frozenset({"", ".", "-", "_", "+", "::", "...", "*", "=", "#", "##", "###"})
_RULE = re.compile(r"[\s|+:'`.,_=-]*")
_NUMBER = re.compile(r"^\s*[1-8](?=\s*[|:\s])|[|\s][1-8]\s*$")
_TALLEST = 30  # lines of a board, with those between its rows
_FILES = re.compile(r"\s*[|+]?\s*a\W+b\W+c\W+d\W+e\W+f\W+g\W+h\W*", re.IGNORECASE)


def drawn_in(text: str) -> Iterator[tuple[int, int, str]]:
    """The boards that are drawn in a text: first line, line behind the last, and placement."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end, rows = _rows(lines, at)
        placement = _placement(rows) if len(rows) == 8 else ""
        if placement:
            yield at, end, placement
            at = end
        else:
            at += 1


def _rows(lines: list[str], at: int) -> tuple[int, list[list[str]]]:
    """The rows of eight cells from a line on, and the line behind all that belongs to them."""
    rows: list[list[str]] = []
    end = at
    for place in range(at, min(at + _TALLEST, len(lines))):
        line = lines[place]
        cells = _cells(line) if len(rows) < 8 else []
        if len(cells) == 8:
            rows.append(cells)
        elif not (_FILES.fullmatch(line) if len(rows) in {0, 8} else False) and not (
            line.strip() and _RULE.fullmatch(line)
        ):
            break
        end = place + 1
    return end, rows


def _cells(line: str) -> list[str]:
    """The eight cells of a row; nothing for any other line."""
    inner = _NUMBER.sub(lambda found: " " if found[0][0] != "|" else "|", line)
    if inner.count("|") >= 7:
        inner = inner.strip()
        inner = inner.removeprefix("|").removesuffix("|")
        cells = [cell.strip() for cell in inner.split("|")]
    else:
        cells = inner.split()
    if len(cells) != 8 or _RULE.fullmatch(line):
        return cells if _blank_row(cells) else []
    return cells if all(_man(cell) is not None for cell in cells) else []


def _blank_row(cells: list[str]) -> bool:
    return len(cells) == 8 and all(cell in _EMPTY for cell in cells)


def _man(cell: str) -> str | None:
    """The letter of a FEN for a cell, empty for an empty one; None where it is no man."""
    if cell in _EMPTY:
        return ""
    side = _SIDES.get(cell[0]) if len(cell) > 1 else None
    name = cell[1:].strip() if side is not None else cell
    letter = _MEN.get(name.upper())
    if letter is None or (side is not None and not name[:1].isupper()):
        return None
    white = side if side is not None else name[0].isupper()
    return letter.upper() if white else letter


def _placement(rows: list[list[str]]) -> str:
    """The rows as a FEN has them; empty where there can be no such position."""
    written = []
    for row in rows:
        men = "".join(_man(cell) or " " for cell in row)
        written.append(re.sub(" +", lambda found: str(len(found[0])), men))
    placement = "/".join(written)
    boards = (chess.Board(f"{placement} {turn} - - 0 1") for turn in "wb")
    return placement if any(board.is_valid() for board in boards) else ""


KIND = "book"
GAME = "game"
_BOOK_PROSE = frozenset({"book", "document"})
_TAG = re.compile(rb'\[[A-Z]\w{1,40} "[^"\n]{0,500}"\]\s*\n')
_ABOUT = re.compile(r"(?:\w+\.)*(?:epd|fen|pgn|moves|line|uci)", re.IGNORECASE)
_MOST = 400  # positions that one passage is found under: a table of moves may have more


def prepare(document: Document, path: Path, room: Room) -> Document:
    """A document as chess evidence: prose becomes a book, and a text file of games games."""
    if document.kind not in _BOOK_PROSE:
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
