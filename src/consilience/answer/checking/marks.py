"""Which exhibits does a statement cite? By its marks; one that leads nowhere is taken out."""

from __future__ import annotations

import re
from collections.abc import Container

from consilience.marks import MARK

_DOUBLED = re.compile(r"(\[[0-9]{1,3}\])(?:\s*\1)+")


def apart(text: str) -> str:
    """A text with a space between its marks, and none of them twice in a row."""
    return _DOUBLED.sub(r"\1", re.sub(r"(?<=[0-9]\])(?=\[[0-9])", " ", text))


def lost(text: str, known: Container[int]) -> tuple[str, tuple[str, ...]]:
    """A text without the marks that lead nowhere, and those marks."""
    stray = tuple(dict.fromkeys(one[0] for one in MARK.finditer(text) if int(one[1]) not in known))
    for mark in stray:
        text = re.sub(rf"(?<![ \t])[ \t]*{re.escape(mark)}", "", text)
    return text, stray


def with_mark(text: str, mark: int) -> str:
    """A sentence with a mark before what ends it."""
    body = text.rstrip()
    end = re.search(r"(?<!\.)[.!?。！？]?\Z", body)
    at = end.start() if end else len(body)
    return f"{body[:at]} [{mark}]{body[at:]}"
