"""Which parts of a book are no evidence? Title pages, contents, indexes, bibliographies, licences.

A part is known by its heading, or by its lines: an index and a table of contents are entries that
end in page numbers. Of a book, the pages before its first paragraph of prose are titles, credits
and lists. What a reader would miss (a preface, a glossary, notes, moves) stays. A document that
would lose everything keeps everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from consilience.types import Block
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
