"""How do the printed lines of a section become paragraphs? By gaps, indents, and what they say.

A formula stays with the sentence that it is part of, on lines of its own. A foot note stands
behind the text of its page, so that a sentence goes on over the end of a page. Labels inside of
figures are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from consilience.evidence.loaders import pdf
from consilience.packs.research.papers.glyphs import Print
from consilience.packs.research.papers.section_headings import Places

_ENDS = re.compile(r"[.!?][\"'”’)\]]*\s*$")
_STOPS = re.compile(r"[.!?:][\"'”’)\]]*\s*$")
_ITEM = re.compile(r"(?:[•▪◦●■]|\(?(?:\d{1,2}|[a-z]|[ivx]+)[.)])\s+\S|[–—-]\s+[A-Z]")
_BULLETS = frozenset("•▪◦●■–—-")
_BEFORE_ITEM = re.compile(r"(?:[.:;,!?)\]}]|\band|\bor|\d)\s*$")
_WORD = re.compile(r"(?<![\w\\])[^\W\d_]{3,}(?!\w)")
_SIGN = re.compile(r"[=<>≤≥≈∼~∈∉∑∏∫√±×∥⊥→←↔⇒∀∃^+−∗]|[α-ωΑ-Ω𝐀-𝟿]")
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|algorithm)\s*[A-Z]?\.?\d{1,3}\s*[.:|]", re.IGNORECASE
)
_FIGURE = re.compile(r"fig(?:ure|\.)?\s*[A-Z]?\.?\d{1,3}\s*[.:|]", re.IGNORECASE)
_NOTE = re.compile(r"(?:[∗*†‡§¶]|\d{1,2}[.)]?)\s*\S")
_SMALL = 0.94  # of the text's size: the type of foot notes and captions
_FEWEST = 3  # labels in a row that are a figure's
Held = Sequence[tuple[int, Print]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How a document is set: its size of type, the step from line to line, its right edges."""

    body: float
    step: float
    rights: dict[tuple[int, int], float]

    @classmethod
    def of(cls, pages: Sequence[Sequence[Print]], *, body: float) -> Setting:
        """Measure a document."""
        steps: Counter[float] = Counter()
        edges: dict[tuple[int, int], list[Print]] = {}
        for number, lines in enumerate(pages):
            for above, line in pairwise(lines):
                if above.column == line.column and line.size == above.size == body:
                    steps[round(above.base - line.base, 1)] += 1
            for line in lines:
                edges.setdefault((number, line.column), []).append(line)
        steps.pop(0.0, None)
        usual = next((step for step, _ in steps.most_common() if step > 0), 1.2 * body)
        return cls(
            body=body,
            step=usual,
            rights={
                place: _edge([one.right for one in held], 0.8) for place, held in edges.items()
            },
        )


def _edge(places: Sequence[float], share: float) -> float:
    return sorted(places)[min(len(places) - 1, int(len(places) * share))]


# --- labels inside figures --------------------------------------------------------------


def without_labels(
    pages: Sequence[Sequence[Print]], headings: Places, *, body: float
) -> tuple[list[list[Print]], list[str]]:
    """The pages with the lines inside of figures emptied, and a note of how many they were.

    A figure is a run of short lines that are no sentence, beside a caption that says "Figure".
    """
    kept: list[list[Print]] = []
    dropped = 0
    for number, lines in enumerate(pages):
        marked = {at for page, at in headings if page == number}
        gone = _labels(lines, marked, body=body)
        dropped += len(gone)
        kept.append([_emptied(line) if at in gone else line for at, line in enumerate(lines)])
    return kept, [f"labels inside figures left out: {dropped} lines"] if dropped else []


def _emptied(line: Print) -> Print:
    return replace(line, text="", pieces=(), hyphen=False)


def _labels(lines: Sequence[Print], marked: set[int], *, body: float) -> set[int]:
    breadth = max((line.right - line.left for line in lines), default=0.0)
    gone: set[int] = set()
    for at, line in enumerate(lines):
        if not _FIGURE.match(line.text):
            continue
        above = at
        while above > 0 and above - 1 not in marked and _is_label(lines[above - 1], breadth, body):
            above -= 1
        if at - above >= _FEWEST:
            gone.update(range(above, at))
    return gone


def _is_label(line: Print, breadth: float, body: float) -> bool:
    words = line.text.split()
    short = line.right - line.left < 0.5 * breadth or len(line.pieces) > 1
    scattered = len(line.pieces) > 1 or len(words) <= 4 or line.size < 0.85 * body
    told = _STOPS.search(line.text) or _CAPTION.match(line.text) or _ITEM.match(line.text)
    return short and scattered and not told and "=" not in line.text


# --- paragraphs -------------------------------------------------------------------------


def paragraphs(held: Held, *, setting: Setting, words: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The paragraphs of a section, each with the page it starts on."""
    for part in _notes_behind([one for one in held if one[1].text], setting):
        group: list[tuple[int, Print]] = []
        for one in part:
            if group and _is_new(group, one, setting):
                yield group[0][0], _text(group, words)
                group = []
            group.append(one)
        if group:
            yield group[0][0], _text(group, words)


def _notes_behind(held: Held, setting: Setting) -> list[list[tuple[int, Print]]]:
    """The text of a section, and its foot notes and captions apart, each by itself."""
    text: list[tuple[int, Print]] = []
    apart: list[list[tuple[int, Print]]] = []
    small = False
    for page, line in held:
        opens = _opens_apart(line, setting)
        goes_on = small and apart and _goes_on_apart(apart[-1][-1], (page, line), setting)
        if opens and not (small and goes_on and not _NOTE.match(line.text)):
            apart.append([(page, line)])
            small = True
        elif goes_on:
            apart[-1].append((page, line))
        else:
            text.append((page, line))
            small = False
    return [text, *apart]


def _opens_apart(line: Print, setting: Setting) -> bool:
    """Whether a foot note or a caption begins at a line."""
    if _CAPTION.match(line.text):
        return True
    return (
        line.size < _SMALL * setting.body and bool(_NOTE.match(line.text)) and not is_formula(line)
    )


def _goes_on_apart(last: tuple[int, Print], one: tuple[int, Print], setting: Setting) -> bool:
    (page, before), (where, line) = last, one
    step = before.base - line.base
    return (
        page == where
        and before.column == line.column
        and line.size == before.size
        and 0 < step < 1.4 * max(setting.step * line.size / setting.body, line.size)
    )


def is_formula(line: Print) -> bool:
    """Whether a line is a displayed formula rather than words."""
    words = len(_WORD.findall(line.text))
    signs = _SIGN.search(line.text) is not None
    return (words <= 2 and signs) or (words == 0 and any(map(str.isalpha, line.text)))


def _is_new(group: Sequence[tuple[int, Print]], one: tuple[int, Print], setting: Setting) -> bool:
    (page, before), (where, line) = group[-1], one
    if before.hyphen:
        return False
    if page != where or before.column != line.column or line.base > before.base + line.size:
        return not _carries_on(group, line, setting, far=where - group[0][0] > 1)
    step = before.base - line.base
    if is_formula(line) or is_formula(before):
        return step > 3.2 * setting.step or (is_formula(before) and _begins(group, line))
    return (
        step > 1.35 * max(setting.step * line.size / setting.body, line.size)
        or (abs(line.size - before.size) > 0.08 * before.size and step > 0.5 * line.size)
        or _is_item(before, line)
        or _begins(group, line)
    )


def _is_item(before: Print, line: Print) -> bool:
    """Whether a line is an item of a list; "(iv)" may also stand in a sentence."""
    if not _ITEM.match(line.text):
        return False
    return line.text[0] in _BULLETS or _BEFORE_ITEM.search(before.text) is not None


def _begins(group: Sequence[tuple[int, Print]], line: Print) -> bool:
    """Whether a line begins a sentence, and is indented or comes after a line that ended early."""
    last = [one for _, one in group[-4:] if one.column == line.column]
    before = group[-1][1]
    if not line.text[:1].isupper() or not _STOPS.search(before.text) or not last:
        return False
    words = [one for one in last if not is_formula(one)]
    indented = bool(words) and line.left - min(one.left for one in words) > 0.8 * line.size
    if is_formula(before):
        return indented
    right = max(line.right, *(one.right for one in last))
    return indented or before.right < right - 4 * line.size


def _carries_on(
    group: Sequence[tuple[int, Print]], line: Print, setting: Setting, *, far: bool
) -> bool:
    """Whether the first line of a page or column goes on with the sentence before it.

    No paragraph goes on over two pages: one that is `far` from its beginning does not.
    """
    before = group[-1][1]
    if _ENDS.search(before.text) or _ITEM.match(line.text) or far:
        return False
    return (
        line.text[:1].islower()
        or is_formula(line)
        or is_formula(before)
        or (
            before.size == line.size
            and before.right > setting.rights.get((group[-1][0], before.column), 0) - 4 * line.size
        )
    )


def _text(group: Sequence[tuple[int, Print]], words: frozenset[str]) -> str:
    """The words of a paragraph; a formula stands on a line of its own."""
    parts: list[tuple[bool, list[Print]]] = []
    for _, line in group:
        formula = is_formula(line)
        if parts and (parts[-1][1][-1].hyphen or parts[-1][0] == formula):
            parts[-1][1].append(line)
        else:
            parts.append((formula, [line]))
    return "\n".join(pdf.joined(part, words) for _, part in parts)
