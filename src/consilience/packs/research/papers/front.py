"""What does the first page say of a paper? Its title, its authors and its year.

The title is the first run of the largest type, the authors stand between it and the abstract,
and the year is where a paper says that it was published: in its head, foot or stamp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.evidence.loaders.common import same_heading
from consilience.packs.research.papers.glyphs import Print
from consilience.packs.research.papers.people import HONOURS, is_person, people

_EMAIL = re.compile(r"\{[\w.,+\s-]*\}@\S+|\S*@\S+|https?://\S+|\bORCID\S*", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:universi\w*|institut\w*|department|dept|school|college|faculty|laborator\w*|labs?|unit|"
    r"cent(?:er|re)|academy|hospital|research|google|microsoft|amazon|facebook|meta|ibm|inc|ltd|"
    r"gmbh|corp\w*|street|avenue|road|usa|uk|germany|france|china|canada|japan|italy|spain|"
    r"netherlands|switzerland|sweden|denmark|finland|norway|korea|singapore|australia|india|"
    r"israel|editors?|email|abstract|keywords?|arxiv|preprint|proceedings|conference|journal|"
    r"volume|vol|version|draft|working paper|received|accepted|published|submitted|correspond\w*|"
    r"equal contribution|author\w*|division|group|bureau|bank|ministry|foundation|society|"
    r"technolog\w*|sciences?|statistics|economics|engineering|mathematics|medicine|business|"
    r"physics|biology|informatics|computing|analytics|intelligence|systems)\b",
    re.IGNORECASE,
)
_COUNTRY = re.compile(
    r",\s*(?:[A-Z]{2}(?:\s+\d{4,5})?|USA|U\.S\.A\.|UK|United (?:States|Kingdom)|Germany|France|"
    r"China|Canada|Japan|Italy|Spain|(?:The )?Netherlands|Switzerland|Sweden|Denmark|Finland|"
    r"Norway|(?:South )?Korea|Singapore|Australia|India|Israel|Portugal|Poland|Austria|Belgium|"
    r"Brazil|Greece|Ireland|Mexico|Russia|Taiwan|Turkey|Hong Kong)\W*$"
)
_NO_AUTHORS = re.compile(
    r"\W*(?:editors?|keywords?|received|accepted|arxiv|abstract|correspond\w*)\b", re.IGNORECASE
)
_FOOTMARK = re.compile(r"(?<=\w)[\d∗*†‡§¶,]+(?=\s|,|$)|(?<=\s)[\d∗*†‡§¶]+(?=\s|,|$)|[∗*†‡§¶⋆]")
_BETWEEN = re.compile(r"[,;·•|]\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+|\s{2,}")
_YEAR = r"(?<![\d/.:–-])(1[89]\d\d|20[0-4]\d)(?![\d/–-])"
_SAID = (
    re.compile(rf"(?:©|\(c\)|copyright|\bc)\s*{_YEAR}", re.IGNORECASE),
    re.compile(
        rf"(?:proceedings|conference|journal|workshop|vol(?:ume)?\b|advances in|transactions|"
        rf"published|review of|annals|arxiv|working paper|preprint|symposium|letters).*?{_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?\s+(?:\d{{1,2}},?\s+)?{_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(rf"^\W*{_YEAR}\W*$"),
    re.compile(rf"^.{{0,40}}\b{_YEAR}\b.{{0,40}}$"),
)
_HEAD = 160  # letters of a line that tells where a paper was published
_STAMP = re.compile(r"arxiv:(\d\d)(\d\d)\.\d{4,5}", re.IGNORECASE)
_FURNITURE = re.compile(
    r"^\W*(?:proceedings|journal|arxiv|preprint|volume|vol\b|doi|https?:|issn|isbn|published|"
    r"submitted|received|under review|accepted|working paper|technical report|draft|"
    r"page\b|copyright|©)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What the first page says; `head` are the lines of it that are no text, by their number."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    head: frozenset[int] = frozenset()


def read_front(
    lines: Sequence[Print], *, body: float, span: tuple[int, int] | None, first: int | None
) -> Front:
    """Read the head of the first page: the title, and what stands above the first heading.

    Where there is no heading, authors are named right below the title or not at all.
    """
    if span is None:
        return Front(year=_year(lines[:3], ()))
    start, end = span
    title = " ".join(line.text for line in lines[start:end])
    stop = first if first is not None and first >= end else end + _until_text(lines[end:], body)
    between = lines[end:stop]
    told = first is not None or not between or next(_persons(between[0]), "")
    authors = _authors(between) if told else ()
    kept = end if not authors else stop
    outside = [*lines[:start], *between, *lines[max(stop, len(lines) - 6) :]]
    return Front(
        title=title, authors=authors, year=_year(outside, lines), head=frozenset(range(kept))
    )


def title_span(lines: Sequence[Print], *, body: float, declared: str) -> tuple[int, int] | None:
    """From which line to which the title stands: where the declared one does, or the largest."""
    upper = lines[:25]
    for start in range(len(upper)):
        words = ""
        for end in range(start + 1, min(start + 5, len(upper)) + 1):
            words = f"{words} {upper[end - 1].text}".strip()
            if declared and same_heading(words, declared):
                return start, end
    places = [
        at
        for at, line in enumerate(upper)
        if len(re.findall(r"[^\W\d_]{2,}", line.text)) >= 1 and not _FURNITURE.match(line.text)
    ]
    size = max((upper[at].size for at in places), default=0.0)
    starts = [at for at in places if upper[at].size >= 0.97 * size]
    if not starts or size < 1.1 * body:
        return None
    end = starts[0] + 1
    while end < len(upper) and upper[end].size >= 0.97 * size and end - starts[0] < 5:
        end += 1
    return (
        (starts[0], end)
        if len(" ".join(one.text for one in upper[starts[0] : end])) < 300
        else None
    )


def _until_text(lines: Sequence[Print], body: float) -> int:
    """How many lines come before the text begins: a line of the text's size and full breadth."""
    widest = max((line.right - line.left for line in lines), default=0.0)
    for at, line in enumerate(lines):
        full = line.right - line.left > 0.85 * widest and len(line.text.split()) >= 9
        if full and abs(line.size - body) < 0.12 * body and not is_listed(line.text):
            return at
    return 0


def is_listed(text: str) -> bool:
    """Whether a line lists persons or places rather than telling something."""
    return bool(_EMAIL.search(text) and "@" in text) or text.count(",") >= 3


def _authors(lines: Sequence[Print]) -> tuple[str, ...]:
    """The names among the lines below a title, without places and addresses.

    Where names stand beside addresses of mail, those of other lines are of places.
    """
    found: dict[str, None] = {}
    beside: dict[str, None] = {}
    for line in lines:
        if _NO_AUTHORS.match(line.text):
            continue
        names = dict.fromkeys(_persons(line))
        found.update(names)
        if "@" in line.text:
            beside.update(names)
    return tuple(beside or found)


def _persons(line: Print) -> Iterator[str]:
    return (name for _, _, piece in line.pieces for name in _names(piece))


def _names(piece: str) -> Iterator[str]:
    """The persons in one run of words, up to the first place in it."""
    if _COUNTRY.search(piece):
        return
    for part in _BETWEEN.split(_FOOTMARK.sub(" , ", _EMAIL.sub(" , ", piece))):
        name = HONOURS.sub("", " ".join(part.split()).strip(" ,.;"))
        if _PLACE.search(name):
            return
        name = name.title() if name.isupper() and len(name) > 5 else name
        if is_person(name):
            yield name


def _year(outside: Sequence[Print], lines: Sequence[Print]) -> int | None:
    texts = [line.text for line in outside]
    for pattern in _SAID:
        for text in texts:
            if len(text) < _HEAD and (match := pattern.search(text)):
                return int(match[1])
    for line in (*outside, *lines):
        if match := _STAMP.search(line.text):
            return 2000 + int(match[1])
    return None


def declared_authors(fields: Mapping[str, str]) -> tuple[str, ...]:
    """The authors that a file declares, where they read as names."""
    known = people(fields.get("Author", ""))
    return known if known and all(is_person(one) for one in known) else ()
