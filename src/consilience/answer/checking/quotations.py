"""Do the words in quotation marks stand in what is cited, to the letter?

White space, the case of the first letter and the shapes of quotes and dashes may differ, and
words may be left out where dots say so. One source must hold the whole quotation; where several
marks stand behind it, each that does not hold it is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from consilience.answer.checking.findings import Finding, masked, shortened
from consilience.answer.checking.sources import Source, to_the_letter
from consilience.markup import marks_in
from consilience.types import Fault

_QUOTED = re.compile(
    r"“(?P<a>[^“”]+)”|„(?P<b>[^„“”]+)[“”]|«(?P<c>[^«»]+)»|»(?P<d>[^«»]+)«"
    r"|(?<![\w\"])\"(?P<e>[^\"]+)\"(?![\w\"])|(?<!\w)‘(?P<f>[^‘]+?)’(?!\w)"
    r"|「(?P<g>[^「」]+)」|『(?P<h>[^『』]+)』"
)
_BEHIND = re.compile(r"(?:\s*\[\d{1,3}\]){2,}")
_OMITTED = re.compile(r"(?<!\s)\s*(?:\(\.{3}\)|\[[^\[\]]*\]|\(…\)|…|\.{3,}|\. \. \.)\s*")
_EDGE = " .,;:!?\"'-"
_FEWEST = 3  # words of a quotation; fewer are a term or a title
_FEWEST_LETTERS = 6  # in scripts without spaces
_SHOWN = 8  # words of the source that a remark shows


def quotations(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The quotations of a text, and the text with them blotted out."""
    spans, findings = [], []
    for start, end, quoted in _quoted(text):
        wanted = pieces(quoted)
        found = any(stands(wanted, one.reading.letters) for one in cited)
        near = "" if found else _nearest(wanted, cited)
        findings.append(Finding(check="quotation", value=quoted, found=found, near=near))
        spans.append((start, end))
    return masked(text, spans), findings


def spans(text: str) -> list[tuple[int, int]]:
    """Where quotation marks open and close in a text, however little stands between them."""
    return [match.span() for match in _QUOTED.finditer(text)]


def outside(text: str, change: Callable[[str], str]) -> str:
    """A text changed where it is not within quotation marks."""
    parts, at = [], 0
    for start, end in spans(text):
        parts += [change(text[at:start]), text[start:end]]
        at = end
    return "".join((*parts, change(text[at:])))


def misplaced(text: str, known: Mapping[int, Source]) -> tuple[str, list[Fault]]:
    """A text without the marks behind a quotation whose sources lack it, where others have it."""
    faults = []
    for _, end, quoted in reversed(list(_quoted(text))):
        behind = _BEHIND.match(text, end)
        cited = [known[mark] for mark in marks_in(behind[0])] if behind else []
        holding = [one for one in cited if stands(pieces(quoted), one.reading.letters)]
        if behind is None or not holding or len(holding) == len(cited):
            continue
        rest = " ".join(f"[{one.mark}]" for one in holding)
        text = f"{text[:end]} {rest}{text[behind.end() :]}"
        for one in cited:
            if one not in holding:
                told = f"“{shortened(quoted)}” does not stand in [{one.mark}] to the letter"
                faults.append(Fault(check="mark", value=f"[{one.mark}]", told=told))
    return text, faults


def pieces(quoted: str) -> list[str]:
    """A quotation in the pieces between its omissions."""
    parts = (to_the_letter(part).strip(_EDGE) for part in _OMITTED.split(quoted))
    return [part for part in parts if part]


def stands(wanted: Sequence[str], letters: str) -> bool:
    """Whether pieces stand in a text in their order, each as whole words."""
    at = 0
    for place, piece in enumerate(wanted):
        head = piece[0]
        cases = dict.fromkeys((head, head.upper(), head.lower())) if place == 0 else (head,)
        ends = [end for case in cases if (end := _end(case + piece[1:], letters, at)) is not None]
        if not ends:
            return False
        at = min(ends)
    return True


def _end(piece: str, letters: str, at: int) -> int | None:
    while (start := letters.find(piece, at)) >= 0:
        end = start + len(piece)
        cut = _inside(letters, start) or _inside(letters, end)
        if not cut:
            return end
        at = start + 1
    return None


def _inside(letters: str, at: int) -> bool:
    """Whether a place lies inside a word of a script with spaces."""
    around = letters[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isalnum() and max(around) < "\u0e00"


def _quoted(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _QUOTED.finditer(text):
        quoted = next(part for part in match.groups() if part is not None).strip()
        unspaced = max(quoted, default="") >= "\u0e00" and len(quoted) >= _FEWEST_LETTERS
        if len(quoted.split()) >= _FEWEST or unspaced:
            yield match.start(), match.end(), quoted


def _nearest(wanted: Sequence[str], cited: Sequence[Source]) -> str:
    """What stands in a source where the quotation begins to differ."""
    words = " ".join(wanted).casefold().split()
    for length in range(len(words) - 1, 1, -1):
        for start in (0, len(words) - length):
            part = " ".join(words[start : start + length])
            for one in cited:
                at = one.reading.letters.casefold().find(part)
                if at >= 0:
                    around = one.reading.letters[max(0, at - 30) : at + len(part) + 30]
                    return " ".join(around.split()[1:-1]) or part
    return ""
