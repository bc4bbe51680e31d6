"""How does a place stay one passage, however little an encoder reads? By a shorter search text.

Its text stays whole unless it is longer than any passage may be; what is taken from the end of
what is searched becomes a text of its own under the place's name, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from consilience.evidence.size_limits import least_tokens
from consilience.packs.travel.places import DETAILS
from consilience.protocols import Room
from consilience.types import Block, Document, Locator

_SENTENCE = re.compile(r"[^\n]+?(?:(?<=[.!?…])\s+|\n+|\Z)")
_WORD = re.compile(r"\S+\s*")
_LONG = 300  # letters of a sentence that is cut by its words


def cut(document: Document, room: Room) -> Document:
    """The document with places that fit the room, each in one block."""
    places = [one for one in document.blocks if one.kind == "place"]
    sizes = {
        id(one): max(size, least_tokens(one.text))
        for one, size in zip(places, room.sizes(document.title, places), strict=True)
    }
    if all(size <= room.limit for size in sizes.values()):
        return document
    blocks: list[Block] = []
    for block in document.blocks:
        if sizes.get(id(block), 0) > room.limit:
            blocks.extend(_fitted(block, document.title, room))
        else:
            blocks.append(block)
    return replace(document, blocks=tuple(blocks))


def _fitted(block: Block, title: str, room: Room) -> Iterator[Block]:
    """A place whose searched text fits, and what was taken from it as a text."""
    searched = block.search or block.text
    pieces = list(_pieces(searched))
    least, most = 1, len(pieces)
    while least < most:  # the most pieces that fit
        middle = (least + most + 1) // 2
        tried = replace(block, search="".join(pieces[:middle]))
        if room.sizes(title, [tried])[0] <= room.limit:
            least = middle
        else:
            most = middle - 1
    kept = "".join(pieces[:least]).strip()
    long = least_tokens(block.text) > room.limit
    yield replace(block, search="" if long else kept, text=kept if long else block.text)
    rest = "".join(pieces[least:]).strip()
    if rest:
        yield Block(
            text=rest,
            locator=Locator(section=(*block.locator.section, DETAILS)),
            kind="text",
            metadata={"about": block.metadata["node"], "topic": DETAILS.lower()},
        )


def _pieces(text: str) -> Iterator[str]:
    """Sentences and lines of a text with what stands behind them; a long one by its words."""
    for sentence in _SENTENCE.findall(text):
        yield from _WORD.findall(sentence) if len(sentence) > _LONG else (sentence,)
