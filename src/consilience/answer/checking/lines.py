"""Do lines of moves and paths of a graph stand in what is cited, step after step?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.answer.checking.findings import Finding, masked
from consilience.answer.checking.moves import Move, first_missing, lines_of
from consilience.answer.checking.sources import Source, read
from consilience.names import surface

_ARROW = re.compile(r"\s*(?:→|←|->|<-|—>)\s*")
_LINE = re.compile(r"[^\n·]+")
_AFTER = re.compile(r"\.(?=\s|$)|[;:]|$")


def moves(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The chess moves of a text, line by line, and the text with them blotted out.

    A lone `e4` or `Rb1` may be a square or no chess at all, and then stands there as a word.
    """
    spans, findings = [], []
    for line in lines_of(read(text).moves):
        wrong = _wrong(line, cited)
        if wrong and len(line) == 1 and not wrong.numbered:
            wrong = _unless_word(wrong, cited)
        value = wrong.spelt if wrong else text[line[0].start : line[-1].end]
        near = _instead(wrong, cited) if wrong else ""
        findings += [Finding(check="move", value=one.spelt, found=True) for one in line[1:]]
        findings.append(Finding(check="move", value=value, found=wrong is None, near=near))
        spans.append((line[0].start, line[-1].end))
    return masked(text, spans), findings


def _wrong(line: Sequence[Move], cited: Sequence[Source]) -> Move | None:
    """The first move that no source has as the line does."""
    missing = [first_missing(line, one.reading.text, one.reading.moves) for one in cited]
    if not missing:
        return line[0]
    if None in missing:
        return None
    return max((one for one in missing if one), key=line.index)


def _unless_word(move: Move, cited: Sequence[Source]) -> Move | None:
    has = any(f" {move.move.casefold()} " in one.reading.surface for one in cited)
    has = has or any(move.move in known.move for one in cited for known in one.reading.moves)
    return None if has else move


def _instead(wrong: Move, cited: Sequence[Source]) -> str:
    """What is played there instead, where numbers tell."""
    if wrong.ply is None:
        return ""
    for one in cited:
        for other in one.reading.moves:
            if other.ply == wrong.ply:
                return other.spelt
    return ""


def paths(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The paths of a text, step by step, and the text with them blotted out."""
    spans: list[tuple[int, int]] = []
    findings: list[Finding] = []
    if "→" not in text and "←" not in text:
        return text, findings
    for start, end in _places(text):
        for step in _steps(_ARROW.split(text[start:end].strip())):
            found = any(_stands(step, one.reading.surface) for one in cited)
            findings.append(Finding(check="path", value=" → ".join(step), found=found))
        spans.append((start, end))
    return masked(text, spans), findings


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where the paths of a text stand: from what opens their line to what ends the last node."""
    for line in _LINE.finditer(text):
        said = line[0]
        first = min((at for at in (said.find("→"), said.find("←")) if at >= 0), default=-1)
        if first < 0:
            continue
        opened = max(said.rfind(sign, 0, first) for sign in (". ", ": ", "; "))
        ended = _AFTER.search(said, max(said.rfind("→"), said.rfind("←")))
        start = opened + 2 if opened >= 0 else 0
        yield line.start() + start, line.start() + (ended.start() if ended else len(said))


def _steps(parts: Sequence[str]) -> list[Sequence[str]]:
    """Node, relation, node; or two nodes where a path names no relations."""
    width = 3 if any(part.startswith("(") for part in parts) else 2
    last = max(1, len(parts) - width + 1)
    return [parts[at : at + width] for at in range(0, last, width - 1)]


def _stands(step: Sequence[str], words: str) -> bool:
    """Whether a step stands in a text: word after word with its relation, else in its order."""
    named = [f" {surface(part)} " for part in step]
    if len(named) > 2:
        return f" {' '.join(''.join(named).split())} " in words
    at = words.find(named[0])
    return at >= 0 and words.find(named[-1], at) >= 0
