"""Which exhibits does a statement cite? Marks in any of the forms that models write.

`[1, 2]`, `[1][2]`, `[Source 3]`, `[3: Book …]`, `[^3]` and `【3】` all become `[1] [2]`, `[3]`. A
mark that leads nowhere is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Container

from consilience.answer.markup import MARK

_FORMS = re.compile(
    r"[\[【［]\s*(?:\^|sources?\s*:?\s*|refs?\.?\s*)?"
    r"(?P<list>\d{1,3}(?:\s*(?:,|;|&|and|-|–|/)\s*(?:sources?\s*)?\d{1,3})*)"
    r"\s*(?:(?:[:†]|\s-\s)[^\[\]【】\n]{0,300})?[\]】］](?!\()",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")
_WIDEST = 20  # marks that a range may stand for
_DOUBLED = re.compile(r"(\[\d{1,3}\])(?:\s*\1)+")


def normalised(text: str) -> str:
    """A text with its marks in one form, each `[3]`."""
    text = _FORMS.sub(_one_form, text)
    text = re.sub(r"\](?=\[\d)", "] ", text)
    return _DOUBLED.sub(r"\1", text)


def lost(text: str, known: Container[int]) -> tuple[str, tuple[str, ...]]:
    """A text without the marks that lead nowhere, and those marks."""
    stray = tuple(dict.fromkeys(one[0] for one in MARK.finditer(text) if int(one[1]) not in known))
    for mark in stray:
        text = re.sub(rf"[ \t]*{re.escape(mark)}", "", text)
    return text, stray


def with_mark(text: str, mark: int) -> str:
    """A sentence with a mark before what ends it."""
    body = text.rstrip()
    end = re.search(r"(?<!\.)[.!?。！？]?$", body)
    at = end.start() if end else len(body)
    return f"{body[:at]} [{mark}]{body[at:]}"


def _one_form(match: re.Match[str]) -> str:
    listed = _RANGE.sub(_each, match["list"])
    return " ".join(f"[{int(one)}]" for one in re.findall(r"\d+", listed))


def _each(match: re.Match[str]) -> str:
    first, last = int(match[1]), int(match[2])
    if not first <= last <= first + _WIDEST:
        return match[0]
    return " ".join(map(str, range(first, last + 1)))
