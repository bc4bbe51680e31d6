"""How do printed lines become paragraphs? By where they stand on their page.

Running heads, page numbers and line-end hyphens belong to the paper, not to the text; they
are taken out here, with rules that leave a line in place when in doubt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from consilience.loaders._text import tidy

_EDGE = 2  # a running head or foot stands among the first or last lines of a page
_SHARE = 0.4  # left and right pages have heads of their own: each on half of them, less the first
_FEWEST = 3
_DENSE = 10  # lines that tell what is usual on a page; fewer are read by the whole document
_NUMBER = re.compile(r"\d{1,4}")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
_ITEM = re.compile(r"(?:[•▪◦●■–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]+)[.)])\s+\S")
_ROW = re.compile(r"(?:\d|[—–-])[%)\s]*$")  # a row of figures keeps its own line
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
HYPHEN = "\ufffe"  # what PDFium gives for a hyphen at the end of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A printed line and its box in points; `hyphen` when its last word goes on below."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    hyphen: bool = False

    @property
    def height(self) -> float:
        """The size of its type."""
        return self.top - self.bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph, the page it starts on (from 0), and the lines it was made of."""

    page: int
    lines: tuple[Line, ...]


def clean(text: str) -> str:
    """Ligatures as letters, accents on their letters, single spaces."""
    return tidy(text.translate(_LIGATURES))


# --- running heads ----------------------------------------------------------------------


def drop_running(
    pages: Sequence[Sequence[Line]], *, keep: Callable[[Line], bool] = lambda line: False
) -> tuple[list[list[Line]], list[str]]:
    """The pages without lines that repeat at their edges, and what those lines said.

    Lines are the same when their texts are, or when they differ only by a number that goes up
    with the page; a number in a table does not, and stays. So does a line that is to be kept.
    """
    counts: Counter[str] = Counter()
    for page, lines in enumerate(pages):
        counts.update({form for line in _edges(lines) for form in _forms(line.text, page)})
    least = max(_FEWEST, _SHARE * sum(1 for lines in pages if lines))
    running = {form for form, count in counts.items() if count >= least}
    kept: list[list[Line]] = []
    dropped: dict[str, None] = {}
    for page, lines in enumerate(pages):
        again = [line for line in _edges(lines) if not running.isdisjoint(_forms(line.text, page))]
        gone = [line for line in again if not keep(line)]
        dropped.update(dict.fromkeys(_shown(line.text, page, running=running) for line in gone))
        ids = {id(line) for line in gone}
        kept.append([line for line in lines if id(line) not in ids])
    return kept, list(dropped)


def _edges(lines: Sequence[Line]) -> list[Line]:
    return [*lines[:_EDGE], *lines[max(_EDGE, len(lines) - _EDGE) :]]


def _forms(text: str, page: int) -> set[str]:
    """The line as it is, and with its first or last number counted from the page."""
    found = list(_NUMBER.finditer(text))
    forms = {text} if re.search(r"[^\W\d]", text) else set()
    for match in {found[0], found[-1]} if found else ():
        forms.add(f"{text[: match.start()]}\x00{int(match[0]) - page}\x00{text[match.end() :]}")
    return forms


def _shown(text: str, page: int, *, running: set[str]) -> str:
    """The words of a running line; a number that goes up with the page is `#`."""
    forms = _forms(text, page) & running
    return text if text in forms else re.sub(r"\x00-?\d+\x00", "#", min(forms))


# --- paragraphs -------------------------------------------------------------------------


def paragraphs(
    pages: Sequence[Sequence[Line]], *, breaks: Callable[[int, int], bool]
) -> list[Paragraph]:
    """Lines to paragraphs; `breaks(page, at)` says that a section begins at that line.

    One that runs over the end of a page belongs to the page it starts on.
    """
    found: list[tuple[int, list[Line]]] = []
    usual = _measure(pages)
    for page, lines in enumerate(pages):
        measure = _measure([lines]) if len(lines) >= _DENSE else usual
        last: Line | None = None
        for at, line in enumerate(lines):
            if (
                not found
                or breaks(page, at)
                or _is_new(found[-1][1][-1], line, last=last, measure=measure)
            ):
                found.append((page, []))
            found[-1][1].append(line)
            last = line
    return [Paragraph(page=page, lines=tuple(lines)) for page, lines in found]


def _is_new(before: Line, line: Line, *, last: Line | None, measure: _Measure) -> bool:
    return _starts(last, line, measure=measure) if last else not _goes_on(before, line)


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is usual on some pages: the step from line to line, and where lines end."""

    step: float
    right: float


def _measure(pages: Sequence[Sequence[Line]]) -> _Measure:
    steps = [a.bottom - b.bottom for lines in pages for a, b in pairwise(lines)]
    usual = [step for step in steps if step > 0]
    ends = sorted(line.right for lines in pages for line in lines)
    return _Measure(median(usual) if usual else 0.0, ends[len(ends) * 4 // 5] if ends else 0.0)


def _starts(last: Line, line: Line, *, measure: _Measure) -> bool:
    """Whether a paragraph starts at `line`: a gap, other type, an indent after a full stop, a
    list item, or a line that ended early.
    """
    if last.hyphen:
        return False
    step = last.bottom - line.bottom
    size = max(line.height, 1.0)
    if step > max(1.45 * measure.step, 1.2 * size) or step < -2 * size:
        return step > 0 or bool(_ENDS.search(last.text))
    if not 0.85 <= last.height / size <= 1.18 and abs(step) > 0.5 * size:
        return True
    if _ITEM.match(line.text):
        return True
    if step > 0.5 * size and line.left - last.left > 0.8 * size:
        return bool(_ENDS.search(last.text))
    early = last.right < measure.right - 4 * size
    return early and (bool(_ENDS.search(last.text)) or not line.text[:1].islower())


def _goes_on(last: Line, line: Line) -> bool:
    """Whether the first line of a page ends a sentence of the page before it."""
    return last.hyphen or (not _ENDS.search(last.text) and line.text[:1].islower())


# --- words ------------------------------------------------------------------------------


def vocabulary(pages: Iterable[Sequence[Line]]) -> frozenset[str]:
    """Words that stand whole on a line: what tells a hyphen of the word from one of the line."""
    words: set[str] = set()
    for lines in pages:
        for before, line in zip([None, *lines], lines, strict=False):
            found = [match[0].casefold() for match in _WORD.finditer(line.text)]
            words.update(found[bool(before and before.hyphen) : len(found) - line.hyphen])
    return frozenset(words)


def joined(lines: Sequence[Line], words: frozenset[str]) -> str:
    """The text of a paragraph, with words that were cut at line ends put together."""
    parts = [lines[0].text]
    for before, line in pairwise(lines):
        if before.hyphen:
            parts.append("-" if _keeps_hyphen(parts[-1], line.text, words=words) else "")
        else:
            parts.append("\n" if _ROW.search(before.text) and _ROW.search(line.text) else " ")
        parts.append(line.text)
    return "".join(parts) + "-" * lines[-1].hyphen


def _keeps_hyphen(text: str, rest: str, *, words: frozenset[str]) -> bool:
    """A hyphen stays where the word is known with it, or where both halves are words."""
    head, tail = re.search(r"[^\W\d_]+$", text), re.match(r"[^\W\d_]+", rest)
    if not head or not tail or not tail[0][0].islower():
        return True
    first, second = head[0].casefold(), tail[0].casefold()
    if first + second in words:
        return False
    return f"{first}-{second}" in words or (first in words and second in words)
