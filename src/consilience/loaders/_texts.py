"""Which lines of JSON hold texts rather than rows, and how does such a record become a block?

A corpus for search (`{"_id": …, "title": …, "text": …}`) and a table may both be JSON Lines. A
file holds texts when one of the fields `text`, `contents`, `content` and `body` (the first that
fits) is prose in more than half of its first 1,000 records. A value is prose when it is a text
of 10 words or more, or of 60 characters or more that no spaces part (Chinese, Japanese), and
when it is at least half of all that its record says. So a table of short cells with a column
`text` stays a table, and so does one whose remarks are long but fewer than its other cells.

Of a text, the title becomes its section, the other fields become its metadata. A record without
a text is kept too, as a line of its fields. None is merged with its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from consilience.loaders._cells import line_of
from consilience.loaders._records import Json, Numbered, flatten, shown
from consilience.loaders._text import one_line, tidy
from consilience.types import Block, Locator

LOOKED_AT = 1000  # records at the beginning of a file that decide what it holds
_TEXTS = ("text", "contents", "content", "body")
_TITLES = ("title", "heading", "headline")
_WORDS = 10
_LETTERS = 60


def text_field(records: Sequence[dict[str, Json]]) -> str:
    """The field that holds the texts of these records; empty when they are rows of a table."""
    for name in _TEXTS:
        if 2 * sum(_is_prose(record, name) for record in records) > len(records):
            return name
    return ""


def blocks_of(records: Iterable[Numbered], name: str) -> Iterator[Block]:
    """One block for each record that says something; `name` is the field of the texts."""
    for _, record in records:
        block = _block(record, name)
        if block.text:
            yield block


def _block(record: dict[str, Json], name: str) -> Block:
    held = record.pop(name, None)
    text = _tidy(held) if isinstance(held, str) else ""
    if held is not None and not isinstance(held, str):
        record[name] = held
    title = _title(record)
    fields = flatten(record)
    if not text:
        line = line_of((key, shown(value)) for key, value in fields.items())
        text, title = (title or line), ""
    place = Locator(section=(title,)) if title else Locator()
    return Block(text=text, locator=place, whole=True, metadata=fields)


def _tidy(text: str) -> str:
    """`tidy`, without its work on a text that is tidy but for its ends, as most are."""
    return (
        text.strip() if text.isascii() and text.isprintable() and "  " not in text else tidy(text)
    )


def _title(record: dict[str, Json]) -> str:
    """The record's title, taken out of it."""
    for name in _TITLES:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            del record[name]
            return one_line(value)
    return ""


def _is_prose(record: dict[str, Json], name: str) -> bool:
    text = record.get(name)
    if not isinstance(text, str):
        return False
    words = text.split()
    long = len(words) >= _WORDS or max(map(len, words), default=0) >= _LETTERS
    return long and 2 * len(text) >= sum(map(_length, record.values()))


def _length(value: Json) -> int:
    """About how many characters a value takes."""
    return len(value) if isinstance(value, str) else len(repr(value))
