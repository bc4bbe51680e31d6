"""Which printed lines are headings? Those that are numbered in turn, named as such, or set apart.

Bookmarks tell it where a file has them. Else a number must follow the one before it (2 after 1,
2.1 after 2), so that an item of a list is no heading, and it needs no other type than the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from consilience.evidence.loaders.common import same_heading
from consilience.evidence.loaders.pdf import Mark
from consilience.packs.research.papers.entries import NAMES as REFERENCES
from consilience.packs.research.papers.glyphs import Print

_NUMBERED = re.compile(
    r"(?P<appendix>Appendix\s+)?(?:(?P<digits>\d{1,2}(?:\.\d{1,2}){0,3})|(?P<letter>[A-Z](?:\.\d{1,2}){0,3}))"
    r"(?P<dot>[.:)]?)\s+(?P<words>\S.*)"
)
_ROMAN = re.compile(r"(?P<digits>[IVX]{1,5})\.\s+(?P<words>[A-Z].*)")
_ROMANS = {
    "I": 1,
    "II": 2,
    "III": 3,
    "IV": 4,
    "V": 5,
    "VI": 6,
    "VII": 7,
    "VIII": 8,
    "IX": 9,
    "X": 10,
    "XI": 11,
    "XII": 12,
    "XIII": 13,
    "XIV": 14,
    "XV": 15,
}
_KNOWN = re.compile(
    r"(?:abstract|summary|introduction|background|related works?|methods?|methodology|"
    r"materials and methods|results|discussion|conclusions?|concluding remarks|"
    r"acknowledge?ments?|acknowledge?ments? and disclosure of funding|funding|"
    r"data availability|code availability|author contributions|conflicts? of interest|"
    r"competing interests|appendix|appendices|supplementary materials?|supplement|"
    r"limitations|future work|notation|preliminaries|contents|table of contents|index terms)[:.]?",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"(?:abstract|summary)\s*[.:—–-]\s*(?=\S)", re.IGNORECASE)
_NO_HEADING = re.compile(
    r"(?:fig(?:ure|\.)|table|algorithm|theorem|lemma|definition|proposition|corollary|proof|"
    r"example|remark|assumption|condition|hypothesis|input|output|require|ensure|step|case|"
    r"keywords?|editors?|received|accepted|published|note)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"((?:Appendix\s+)?(?:[A-Z]|[IVX]+|\d{1,2})(?:\.\d{1,2})*)(?:[.:)]\s+|\s+(?=[\dA-Z]))"
)
_LEADER = re.compile(r"(?:\.\s*){3,}\d*\s*$|\s\d{1,3}$")
_LETTERS = 100  # numbers of appendices are above it: A is 101
_LONGEST = 130
_BIGGER = 1.06
_TITLE = 1.25  # of the text's size: the title of a supplement, whatever the bookmarks say


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading: its level from 1, its words, and how many printed lines it takes.

    `rest` is text that stands behind it on its own line ("Abstract. We show …"). One that only
    its type tells is not `sure`.
    """

    level: int
    words: str
    lines: int = 1
    rest: str = ""
    sure: bool = True


Places = dict[tuple[int, int], Heading]
Pages = Sequence[Sequence[Print]]


def body_size(pages: Pages) -> float:
    """The size of type that most letters are set in."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def find_headings(pages: Pages, marks: Sequence[Mark], *, after: int = 0) -> Places:
    """The headings of a document by page and line, from a line of the first page on.

    On that page, what only its type tells is one below the first that is sure: above it stand
    the names of authors.
    """
    finder = _Finder(pages, marks)
    numbered = finder.numbered()
    found: Places = {}
    for place in finder.places():
        heading = finder.at(place, numbered) if place >= (0, after) else None
        if heading and all(place not in _lines(*one) for one in found.items()):
            last = next(reversed(found.values()), heading)
            behind = not heading.sure and REFERENCES.fullmatch(last.words)
            found[place] = replace(heading, level=1) if behind else heading
    first = min((place for place, one in found.items() if one.sure), default=(0, 0))
    if first[0] > 0:
        return found
    return {place: one for place, one in found.items() if place >= first}


def _lines(place: tuple[int, int], heading: Heading) -> set[tuple[int, int]]:
    return {(place[0], place[1] + taken) for taken in range(heading.lines)}


class _Finder:
    """Looks at each line of a document in turn."""

    def __init__(self, pages: Pages, marks: Sequence[Mark]) -> None:
        self._pages = pages
        self._body = body_size(pages)
        self._marked = _marked(pages, marks)
        self._step = usual_step(pages)

    def places(self) -> list[tuple[int, int]]:
        """Page and line of each line."""
        return [(page, at) for page, lines in enumerate(self._pages) for at in range(len(lines))]

    def at(self, place: tuple[int, int], numbered: Mapping[tuple[int, int], int]) -> Heading | None:
        """The heading that begins at a line, if one does."""
        page, at = place
        line = self._pages[page][at]
        text = line.text.strip()
        if place in numbered:
            return self._heading(place, numbered[place])
        if place in self._marked:
            level, taken = self._marked[place]
            words = " ".join(one.text for one in self._pages[page][at : at + taken])
            return Heading(level=level, words=_shown(words), lines=taken)
        if len(text) < 60 and (REFERENCES.fullmatch(text) or _KNOWN.fullmatch(text)):
            return Heading(level=1, words=_shown(text)) if self._apart(place) else None
        if page == 0 and (match := _ABSTRACT.match(text)):
            word = re.match(r"\w+", text)
            name = word[0].capitalize() if word else "Abstract"
            return Heading(level=1, words=name, rest=text[match.end() :])
        large = page > 0 and line.size >= _TITLE * self._body
        if (large or not self._marked) and self._hinted(line) and self._alone(place):
            level = 2 if numbered and not large else self._rank(line)
            return replace(self._heading(place, level), sure=False)
        return None

    # --- numbers ------------------------------------------------------------------------

    def numbered(self) -> dict[tuple[int, int], int]:
        """The lines whose numbers follow one another, with their levels."""
        first = self._sequence(hinted=True)
        if len(first) >= 3 or self._marked:
            return first
        return self._sequence(hinted=False)

    def _sequence(self, *, hinted: bool) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        before: tuple[int, ...] = ()
        first = ""
        for place in self.places():
            line = self._pages[place[0]][place[1]]
            known = _number(line.text, appendices=bool(before))
            shown = self._hinted(line) or line.lead or place in self._marked
            if known is None or (hinted and not shown):
                continue
            number, words, sure = known
            if _LEADER.search(words) or not (hinted or self._reads_alone(place, words)):
                continue
            if not (sure or (shown and (before or number[0] <= _LETTERS))):
                continue
            if number == (1,) and first and same_heading(words, first):
                found.clear()  # the table of contents had it before
                before = ()
            if _follows(number, before):
                found[place] = len(number)
                before = number
                first = first or words
        return found

    def _reads_alone(self, place: tuple[int, int], words: str) -> bool:
        """Whether a line in the type of the text reads as a heading: short, no sentence, and
        followed by text that begins anew.
        """
        page, at = place
        lines = self._pages[page]
        after = lines[at + 1].text if at + 1 < len(lines) else "A"
        telling = re.findall(r"[^\W\d_]{3,}", words)
        return (
            len(words) <= 90
            and words[:1].isupper()
            and not words.endswith((".", ",", ";", ":"))
            and bool(telling)
            and not after[:1].islower()
            and self._apart(place)
        )

    # --- type ---------------------------------------------------------------------------

    def _hinted(self, line: Print) -> bool:
        """Whether a line is set in bold or in larger type than the text."""
        return line.size >= _BIGGER * self._body or (line.bold and line.size >= 0.94 * self._body)

    def _apart(self, place: tuple[int, int]) -> bool:
        """Whether a line stands by itself: the line before it ended, or there is room above it."""
        page, at = place
        if at == 0:
            return True
        line, above = self._pages[page][at], self._pages[page][at - 1]
        step = above.base - line.base
        if line.column != above.column or step < 0 or step > 1.25 * self._step:
            return True
        return above.text.rstrip().endswith((".", "!", "?", ":", "]", ")")) or self._hinted(line)

    def _alone(self, place: tuple[int, int]) -> bool:
        """Whether a line in other type is a heading: neither a label nor a sentence."""
        page, at = place
        lines = self._pages[page]
        line = lines[at]
        words = line.text.split()
        if not 1 <= len(words) <= 14 or _NO_HEADING.match(line.text) or len(line.pieces) > 1:
            return False
        telling = re.findall(r"[^\W\d_]{3,}", line.text)
        if not telling or not line.text[0].isalnum() or line.text[0].islower():
            return False
        if line.text.endswith((".", ",", ";")) or "@" in line.text or not self._apart(place):
            return False
        after = lines[at + 1 : at + 5]
        return any(not self._hinted(one) and len(one.text) > 30 for one in after)

    def _rank(self, line: Print) -> int:
        return 1 if line.size >= 1.15 * self._body else 2

    def _heading(self, place: tuple[int, int], level: int) -> Heading:
        """A heading with the lines that it goes on over."""
        page, at = place
        lines = self._pages[page]
        taken = 1
        while at + taken < len(lines) and taken < 3 and self._goes_on(lines, at + taken, at):
            taken += 1
        words = " ".join(one.text for one in lines[at : at + taken])
        return Heading(level=level, words=_shown(words), lines=taken)

    def _goes_on(self, lines: Sequence[Print], at: int, first: int) -> bool:
        line, above = lines[at], lines[at - 1]
        step = above.base - line.base
        return (
            self._hinted(line)
            and (line.size, line.bold, line.column) == (above.size, above.bold, above.column)
            and 0 < step <= 1.5 * line.size
            and above.right - lines[first].left > 0.55 * _breadth(lines, line.column)
            and _number(line.text, appendices=True) is None
            and not _NO_HEADING.match(line.text)
        )


def _breadth(lines: Sequence[Print], column: int) -> float:
    """How wide the lines of a column are as a rule."""
    return median(line.right - line.left for line in lines if line.column == column)


def usual_step(pages: Pages) -> float:
    """The distance from line to line that most lines have."""
    steps: Counter[float] = Counter()
    for lines in pages:
        for above, line in pairwise(lines):
            if above.column == line.column and 0 < above.base - line.base < 3 * line.size:
                steps[round(above.base - line.base, 1)] += 1
    return steps.most_common(1)[0][0] if steps else 12.0


def _number(text: str, *, appendices: bool) -> tuple[tuple[int, ...], str, bool] | None:
    """A line's number, its words, and whether the number can be nothing else.

    An appendix `A.1` is (101, 1): it comes after all numbers.
    """
    if len(text) > _LONGEST:
        return None
    roman = _ROMAN.fullmatch(text)
    if roman and roman["digits"] in _ROMANS and not (appendices and len(roman["digits"]) == 1):
        return ((_ROMANS[roman["digits"]],), roman["words"], roman["words"].isupper())
    match = _NUMBERED.fullmatch(text)
    if not match or (not match["words"][0].isalpha() and match["words"][0] not in "“\"'("):
        return None
    if match["digits"] and not match["appendix"]:
        parts = tuple(int(part) for part in match["digits"].split("."))
        return parts, match["words"], True
    if match["letter"]:
        letter, *rest = match["letter"].split(".")
        number = (_LETTERS + ord(letter) - 64, *(int(part) for part in rest))
        return number, match["words"], bool(match["appendix"] or rest)
    return None


def _follows(number: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether a number is the next: 1 at first, then the next of any level, or the first below."""
    if not before:
        return number in ((0,), (1,), (101,))
    if number[0] > _LETTERS and before[0] <= _LETTERS:
        return number in ((101,),)
    if len(number) > len(before):
        return number[:-1] == before and number[-1] in (0, 1)
    at = len(number) - 1
    return number[:at] == before[:at] and number[at] == before[at] + 1


def _marked(pages: Pages, marks: Sequence[Mark]) -> dict[tuple[int, int], tuple[int, int]]:
    """The lines that bookmarks name, with the level and how many lines the heading takes.

    Where most bookmarks name no line at all, they are no headings of this text.
    """
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for mark in marks:
        lines = pages[mark.page] if mark.page < len(pages) else []
        for at in range(len(lines)):
            taken = _names(lines, at, mark.title)
            if taken:
                found[mark.page, at] = (mark.level + 1, taken)
                break
    return found if len(found) >= max(2, 0.5 * len(marks)) else {}


def _names(lines: Sequence[Print], at: int, title: str) -> int:
    """How many lines from one on give a title; 0 when they do not."""
    words = ""
    for taken, line in enumerate(lines[at : at + 3], start=1):
        words = f"{words} {line.text}".strip()
        bare = re.sub(r"^(?:Appendix\s+)?(?:[A-Z]|\d{1,2})?(?:\.\d{1,2})*[.:]?\s+", "", words)
        if same_heading(words, title) or same_heading(bare, title):
            return taken
        if len(words) > len(title) + 20:
            break
    return 0


def _shown(words: str) -> str:
    """The words of a heading, behind a number without its full stop; capitals alone are small."""
    match = _PREFIX.match(words.strip())
    number, rest = (match[1], words.strip()[match.end() :]) if match else ("", words.strip())
    rest = rest.rstrip(":").strip()
    letters = re.sub(r"[\W\d_]", "", rest)
    if len(letters) > 3 and letters.isupper():
        rest = rest.capitalize()
    return f"{number} {rest}".strip()
