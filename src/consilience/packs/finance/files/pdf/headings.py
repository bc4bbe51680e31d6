"""Where do sections begin in a report without bookmarks? At lines in larger or bolder type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.evidence.loaders.pdf import Line

_MOST_WORDS = 16
_LINE = 8  # words in a line of text
_LEVELS = 5
_NAMED = (
    re.compile(r"part\s+(?:[ivx]+|\d+)\b", re.IGNORECASE),
    re.compile(r"(?:item|chapter)\s+\d+[a-z]?\b", re.IGNORECASE),
    re.compile(r"(?:note|section|annex|appendix)\s+(?:\d+|[a-z])\b", re.IGNORECASE),
)
_ENDS = re.compile(r"[.,;:]$")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_GOES_ON = re.compile(r"[—–-]?\s*\(?\b(?:continued|cont['’]d)\b\)?", re.IGNORECASE)

Starts = dict[tuple[int, int], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """The type of a line: its size, and whether all of it is bold."""

    size: float
    bold: bool


def starts(pages: Sequence[Sequence[Line]], types: Mapping[int, Type], *, usual: float) -> Starts:
    """Section paths by (page, line) where they begin; `types` are by the identity of a line.

    `usual` is the size of most type, that of tables included: a report may have little else.
    """
    found = list(_headings(pages, types, usual=usual))
    styles = sorted({style for _, _, style in found})
    level = {style: min(at, _LEVELS) for at, style in enumerate(styles)}
    sections: Starts = {}
    above: list[tuple[int, str]] = []
    for place, text, style in found:
        above = [one for one in above if one[0] < level[style]]
        above.append((level[style], text))
        sections[place] = tuple(title for _, title in above)
    return sections


_Style = tuple[int, float, int]


def _headings(
    pages: Sequence[Sequence[Line]], types: Mapping[int, Type], *, usual: float
) -> list[tuple[tuple[int, int], str, _Style]]:
    """(place, text, style) of each heading; one that runs over lines is put together."""
    found: list[tuple[tuple[int, int], str, _Style]] = []
    for page, lines in enumerate(pages):
        last: tuple[int, _Style] | None = None
        for at, line in enumerate(lines):
            style = _style(line, types.get(id(line)), usual=usual)
            if style is None or _GOES_ON.search(line.text):
                continue
            close = (
                last and last[0] == at - 1 and lines[at - 1].bottom - line.top < 0.6 * line.height
            )
            if last and close and last[1] == style and style[0] == len(_NAMED):
                place, text, _ = found[-1]
                found[-1] = (place, f"{text} {line.text}", style)
            else:
                found.append(((page, at), line.text.strip(" —–-"), style))
            last = (at, style)
    return [one for one in found if len(one[1].split()) <= 2 * _MOST_WORDS]


def _style(line: Line, kind: Type | None, *, usual: float) -> _Style | None:
    """How high a heading ranks: by its name, its size and its capitals; None for other lines."""
    if kind is None or not _LETTERS.search(line.text):
        return None
    numbered = kind.bold and any(one.match(line.text) for one in _NAMED)
    long = len(_LETTERS.findall(line.text)) > _MOST_WORDS
    if (long or _ENDS.search(line.text)) and not numbered:
        return None
    large, bold = kind.size > 1.12 * usual, kind.bold and kind.size >= 0.93 * usual
    if not (large or bold) or line.text[:1].islower():
        return None
    rank = next((at for at, one in enumerate(_NAMED) if one.match(line.text)), len(_NAMED))
    if rank < len(_NAMED):
        return (rank, 0.0, 0)
    size = round(2 * kind.size) / 2 if large else round(2 * usual) / 2
    return (rank, -size, 0 if line.text.isupper() else 1 if bold else 2)


def usual(pages: Sequence[Sequence[Line]], types: Mapping[int, Type]) -> float:
    """The size of most of the type of some pages: that of lines of text, where there are any."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            if id(line) in types:
                text = len(_LETTERS.findall(line.text)) >= _LINE
                sizes[round(2 * types[id(line)].size) / 2] += len(line.text) * (20 if text else 1)
    return sizes.most_common(1)[0][0] if sizes else 10.0
