"""How large may a passage be, whatever a tokenizer counts, and how full the disk?

A tokenizer calls a word of a million letters one unknown token, so tokens alone limit nothing.
Here a token never counts for more than `LETTERS` letters: ordinary text has 4 to 7, so only absurd
text is measured differently, and an encoder of 256 tokens has passages of at most 4,096 letters. A
heading over `HEADING` letters is cut with "…" and its words are given as text as well. Fields that
are together larger than `FIELDS` letters keep a share of each value: every part of a split row
carries them, so the size of a row would grow with its square.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from consilience.errors import DiskFull
from consilience.types import Block, Metadata, Scalar, Value

Count = Callable[[Sequence[str]], Sequence[int]]

LETTERS = 16  # of a text, that one token can stand for
HEADING = 500  # letters of a title or of one heading
FIELDS = 32_768  # letters of all of a passage's fields
_SHARED = 8192  # letters that all values share when there are more
_LEAST = 100  # letters of a value that are kept in any case
_NAMES = frozenset(("node", "name", "source", "relation", "target"))  # they join a graph


def least_tokens(text: str) -> int:
    """How many tokens a text counts for at least."""
    return -(-len(text) // LETTERS)


def limit_count(count: Count, *, limit: int) -> Count:
    """A count by which no text over the letters of `limit` fits; such a text is not tokenized."""

    def measure(texts: Sequence[str]) -> Sequence[int]:
        floors = [least_tokens(text) for text in texts]
        short = [text for text, floor in zip(texts, floors, strict=True) if floor <= limit]
        counted = iter(count(short) if short else ())
        return [next(counted) if floor <= limit else floor for floor in floors]

    return measure


def short(text: str, length: int = HEADING) -> str:
    """The beginning of a text, with "…" where more followed."""
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


def limit_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with headings and fields of limited length."""
    for block in _limit_headings(blocks):
        metadata = limit_fields(block.metadata)
        yield block if metadata is block.metadata else replace(block, metadata=metadata)


def _limit_headings(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks under shortened headings; the words of one that was cut are given as text."""
    before: tuple[str, ...] = ()
    for block in blocks:
        section = block.locator.section
        if all(len(words) <= HEADING for words in section):
            before = section
            yield block
            continue
        place = replace(block.locator, section=tuple(short(words) for words in section))
        if section != before:
            fresh = [words for words in section if len(words) > HEADING and words not in before]
            yield from (Block(text=words, locator=place, kind=block.kind) for words in fresh)
        before = section
        yield replace(block, locator=place)


def limit_fields(metadata: Metadata) -> Metadata:
    """The fields that a passage carries: all of them, or of very long ones a share."""
    if sum(len(name) + _length(value) for name, value in metadata.items()) <= FIELDS:
        return metadata
    share = max(_LEAST, _SHARED // len(metadata))
    return {
        name: value if name in _NAMES else _share(value, share) for name, value in metadata.items()
    }


def _length(value: Value) -> int:
    if isinstance(value, tuple):
        return sum(map(_length, value)) + len(value)
    return len(value) if isinstance(value, str) else 8


def _share(value: Value, share: int) -> Value:
    if not isinstance(value, tuple):
        return short(value, share) if isinstance(value, str) else value
    items: list[Scalar] = []
    for item in value:
        if share <= 0:
            break
        items.append(short(item, share) if isinstance(item, str) else item)
        share -= _length(item) + 1
    return tuple(items)


# --- the disk -----------------------------------------------------------------------------

TO_OPEN, TO_WRITE = 64 * 2**20, 96 * 2**20
"""Bytes that have to be free before a store is opened, and before a batch is written to it."""


def free_bytes(folder: Path) -> float:
    """How much can be written where a folder is; without end where nothing is written at all."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if hasattr(os, "statvfs") and os.statvfs(there).f_flag & os.ST_RDONLY:
        return math.inf
    return shutil.disk_usage(there).free


def check_free_space(folder: Path, needed: int, purpose: str) -> None:
    """Refuse to go on where too little is free.

    The engines map sparse files. A page of one that finds no room ends the whole process (SIGBUS),
    so it has to be looked at before.
    """
    free = free_bytes(folder)
    if free < needed:
        raise DiskFull(
            f"the disk of {folder} has {free / 2**20:.0f} MB free, and {needed / 2**20:.0f} MB are "
            f"needed to {purpose}; free some space and run the same again. Nothing is lost"
        )
