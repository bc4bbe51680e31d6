"""How large may a passage be, whatever a tokenizer counts? These numbers hold for every file.

An encoder's tokenizer calls a word of a million letters one unknown token, so tokens alone bound
nothing. Here a token never stands for more than `LETTERS` letters: ordinary text has 4 to 7, so
nothing but absurd text is measured otherwise, and an encoder of 256 tokens has passages of at
most 4,096 letters. A heading over `HEADING` letters is cut with "…" and its words are given as
text besides. Fields that are together larger than `FIELDS` letters keep a share of each value:
every part of a cut row carries them, so that a row of any size would weigh its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from consilience.types import Block, Metadata, Scalar, Value

Count = Callable[[Sequence[str]], Sequence[int]]

LETTERS = 16  # of a text, that one token can stand for
HEADING = 500  # letters of a title or of one heading
FIELDS = 32_768  # letters of all of a passage's fields
_SHARED = 8192  # letters that are shared out when they are more
_LEAST = 100  # letters of a value that are kept in any case
_NAMES = frozenset(("node", "name", "source", "relation", "target"))  # a graph is joined by them


def least_tokens(text: str) -> int:
    """What a text counts for at least."""
    return -(-len(text) // LETTERS)


def bounded(count: Count, *, limit: int) -> Count:
    """A measure by which no text over the letters of `limit` fits; such a text is not read."""

    def measure(texts: Sequence[str]) -> Sequence[int]:
        floors = [least_tokens(text) for text in texts]
        short = [text for text, floor in zip(texts, floors, strict=True) if floor <= limit]
        counted = iter(count(short) if short else ())
        return [next(counted) if floor <= limit else floor for floor in floors]

    return measure


def short(text: str, length: int = HEADING) -> str:
    """The beginning of a text, with "…" where more followed."""
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


def within(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with headings and fields of bounded length."""
    for block in _headed(blocks):
        kept = fields(block.metadata)
        yield block if kept is block.metadata else replace(block, metadata=kept)


def _headed(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks under headings of bounded length; a heading that was cut is given as text."""
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


def fields(metadata: Metadata) -> Metadata:
    """The fields that a passage carries: all of them, or of absurdly long ones a share."""
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
    kept: list[Scalar] = []
    for one in value:
        if share <= 0:
            break
        kept.append(short(one, share) if isinstance(one, str) else one)
        share -= _length(one) + 1
    return tuple(kept)
