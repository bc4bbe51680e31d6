"""How is JSON read that lists no places? As a document: its keys are headings, its values text.

An object whose values are all plain becomes one text of lines; `{"text": "…"}` is the text
itself. Every value is counted: told in a text, or empty.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import Json, shown, value_of
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.records import Content
from consilience.types import Block, Locator

_DEEPEST = 5  # headings; below, keys are lines
_ITSELF = frozenset({"text", "value", "content", "note", "description", "markdown"})
_BREAK = re.compile(r"<(?:br|/p|/li|/div)\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_NAMING = re.compile(r"(?:.*\s)?(?:name|title)", re.IGNORECASE)
_LONGEST_TITLE = 80


def sections_of(value: Json, title: str) -> Content:
    """A nested document as texts under headings; the tally counts its plain values."""
    content = Content(kind="document", title=_title(value) or title)
    for path, text, number in _texts(value, ()):
        content.tally.records += number
        content.tally.texts += number
        content.blocks.append(Block(text=text, locator=Locator(section=path)))
    empty = _empty(value)
    content.tally.records += empty
    if empty:
        content.tally.left_out["empty values"] = empty
    return content


def without_tags(text: str) -> str:
    """Text of a value without the tags and entities of HTML."""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    return tidy(html.unescape(text) if "&" in text else text)


def _texts(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Texts with the headings they stand under, and how many plain values each tells."""
    if isinstance(value, list):
        value = {str(at): one for at, one in enumerate(value, start=1)} if _deep(value) else value
    if not isinstance(value, dict):
        text = _plain(value)
        if text:
            yield path, text, len(value) if isinstance(value, list) else 1
        return
    flat = {name: one for name, one in value.items() if not _deep(one) or len(path) >= _DEEPEST}
    lines = [_line(name, one) for name, one in flat.items()]
    kept = [(line, number) for line, number in lines if line]
    if kept:
        yield path, "\n".join(line for line, _ in kept), sum(number for _, number in kept)
    for name, one in value.items():
        if name not in flat:
            yield from _texts(one, (*path, short(one_line(name)) or "…"))


def _deep(value: Json) -> bool:
    """Whether a value needs a heading of its own: an object of objects, or with long text."""
    if isinstance(value, list):
        return any(isinstance(one, list | dict) for one in value)
    if isinstance(value, str):
        return len(value) > 400
    return isinstance(value, dict)


def _line(name: str, value: Json) -> tuple[str, int]:
    if isinstance(value, list | dict):
        leaves = list(_leaves(value))
        return f"{name}: {'; '.join(leaves)}" if leaves else "", len(leaves)
    text = _plain(value)
    if not text:
        return "", 0
    return (text if name.casefold() in _ITSELF else f"{one_line(name)}: {text}"), 1


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from (
                leaf if name.casefold() in _ITSELF else f"{one_line(name)}: {leaf}"
                for leaf in _leaves(one)
            )
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif text := _plain(value):
        yield one_line(text)


def _plain(value: Json) -> str:
    known = value_of(value)
    return without_tags(shown(known)) if known is not None else ""


def _empty(value: Json) -> int:
    """How many plain values say nothing."""
    if isinstance(value, dict):
        return sum(map(_empty, value.values()))
    if isinstance(value, list):
        return sum(map(_empty, value))
    return not _plain(value)


def _title(value: Json) -> str:
    """What a document calls itself: the first short value under a key that is a name or title."""
    waiting: list[tuple[int, Json]] = [(0, value)]
    while waiting:
        depth, one = waiting.pop(0)
        if not isinstance(one, dict) or depth > 2:
            continue
        for name, inner in one.items():
            if _NAMING.fullmatch(name.strip()) and (said := _called(inner)):
                return said
            waiting.append((depth + 1, inner))
    return ""


def _called(value: Json) -> str:
    if isinstance(value, Mapping):
        ranked = sorted(value, key=lambda name: not re.search("short|common", name))
        return next((said for name in ranked if (said := _called(value[name]))), "")
    text = one_line(_plain(value)) if isinstance(value, str) else ""
    fits = 0 < len(text) <= _LONGEST_TITLE and text.casefold() not in ("none", "n/a", "na")
    return text if fits else ""
