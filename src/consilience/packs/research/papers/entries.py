"""What does a list of references say? Its entries, each with authors, year and title.

Entries are numbered (`[1]`, `1.`), parted by lines, or run on; an entry gives its year behind the
authors ("Rubin, D. B. (1974). Title.") or at its end ("Donald Rubin. Title. Journal, 1974.").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.evidence.loaders.common import one_line
from consilience.packs.research.papers.people import INITIALS, key_of, people

NAMES = re.compile(
    r"(?:\W*(?:\d{1,2}|[A-Z]|[IVX]+)[.)]?\s+)?"
    r"(?:references|reference list|bibliography|literature|literature cited|works cited|"
    r"references and notes|cited literature|further reading and references|"
    r"references and further reading|bibliographic references|literatur|literaturverzeichnis|"
    r"r[ée]f[ée]rences|bibliographie|referencias)\s*[:.]?",
    re.IGNORECASE,
)
"""Headings under which references stand."""
_YEAR = r"(?:1[6-9]\d\d|20[0-4]\d)"
_BEHIND_AUTHORS = re.compile(
    rf"[.,]?\s*[(\[](?:\w+\.?\s+)?({_YEAR})[a-z]?(?:[,/–-][^)\]]*)?[)\]][.,:]?\s*|"
    rf"[.,]\s+({_YEAR})[a-z]?[.:]\s+"
)
_ANY_YEAR = re.compile(rf"(?<![\d:./–-])({_YEAR})[a-z]?(?![\d:–-]|/\d|\.\d)")
_NUMBER = re.compile(r"\s*(?:\[(\d{1,4})\]|(\d{1,4})[.)])\s*(?=\S)")
_INLINE = re.compile(r"(?:(?<=\s)|^)\[(\d{1,4})\]\s+")
_LABEL = re.compile(r"\s*\[([^\]\s]{1,12}?\d{2,4}[a-z]?)\]\s+")
_MARK = re.compile(r"\s*[-*•–]\s+")
_QUOTED = re.compile(r"[“\"«‘]([^”\"»]{4,300}?)[.,]?[”\"»’](?=[\s,.]|$)")
_BRACKETED = re.compile(r"^[(\[][^)\]]{1,20}[)\]][.,:]?\s*")
_STOP = re.compile(r"(?<![A-Z])(?<!\b[A-Z][a-z])(?<!et al)[.?!][”\"’]?\s+(?=[\"“]?\w)")
_SURNAME_FIRST = re.compile(
    rf"(?:[^\W\d_][\w'’`-]*(?:\s+[^\W\d_][\w'’-]*){{0,2}},\s+{INITIALS}(?:,\s*|\s*(?:,\s*)?(?:and|&)\s+)?)+"
)
_INITIALS_FIRST = re.compile(
    r"(?:(?:[A-Z]\.[\s-]?){1,4}[^\W\d_][\w'’-]+(?:\s+[^\W\d_A-Z][\w'’-]+)*(?:,?\s+(?:and|&)\s+|,\s+))+"
    r"(?=[^\W\d_a-z])(?![A-Z]\.)"
)  # J. Pearl and K. Roe, Title
_VENUE = re.compile(r"^(?:In|in:?|arXiv|doi|https?:|URL|Available|PhD|Ph\.D|Technical)\b")
_AUTHORS_END = re.compile(
    r"(?<=[a-zß-öø-ÿ\u0101-\u017f])(?<!\bJr)(?<!\bSt)(?<!\bal)\.\s+(?=\S)|(?<=[A-Z]{2})\.\s+(?=\S)|"
    r"(?<=\bal\.)\s+(?=\S)|(?<=\.):\s+"
)
_KEY = re.compile(rf"@?([^\W\d_]{{2,}})[-_:]?({_YEAR})[a-z]?")
_LONGEST = 1500  # letters of an entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One reference: who wrote what, and when; what it does not tell is empty."""

    text: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""

    @property
    def key(self) -> str:
        """The key under which papers meet it."""
        return key_of(self.authors, self.year)


def split_entries(texts: Sequence[str]) -> list[str]:
    """The entries of a list, given as paragraphs or as lines of one."""
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    whole = " ".join(one_line(line) for line in lines)
    inline = _in_sequence(whole)
    if len(inline) > 1:
        return inline
    marked = sum(1 for line in lines if _MARK.match(line) or _NUMBER.match(line))
    if marked >= 0.6 * len(lines) or len(texts) == 1:
        parts = _joined(lines)
    else:
        parts = [one_line(text) for text in texts]
    return [bare for part in parts if len(bare := _bare(part)) > 8]


def _in_sequence(text: str) -> list[str]:
    """Entries that are numbered `[1] … [2] …`, one after the other."""
    wanted, cuts = 0, list[tuple[int, int]]()
    for match in _INLINE.finditer(text):
        number = int(match[1])
        if not cuts or number == wanted:
            cuts.append((match.start(), match.end()))
            wanted = number + 1
    if not cuts:
        return []
    ends = [*(start for start, _ in cuts[1:]), len(text)]
    before = [text[: cuts[0][0]].strip()] if text[: cuts[0][0]].strip() else []
    return [*before, *(text[at:end].strip() for (_, at), end in zip(cuts, ends, strict=True))]


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines to entries: one that begins with a mark or a number opens the next."""
    marked = any(_MARK.match(line) or _NUMBER.match(line) for line in lines)
    parts: list[str] = []
    for line in lines:
        if parts and marked and not (_MARK.match(line) or _NUMBER.match(line)):
            parts[-1] = f"{parts[-1]} {one_line(line)}"
        else:
            parts.append(one_line(line))
    return parts


def _bare(text: str) -> str:
    """An entry without its mark, number or label."""
    text = _MARK.sub("", text, count=1) if _MARK.match(text) else text
    for pattern in (_NUMBER, _LABEL):
        match = pattern.match(text)
        if match and match.end() < len(text):
            return text[match.end() :].strip()
    return text.strip()


def read_entry(text: str) -> Entry:
    """Read one entry, in whichever of the usual styles it is."""
    text = _bare(one_line(text))[:_LONGEST]
    if key := _KEY.fullmatch(text):
        return Entry(text=text, authors=(key[1].capitalize(),), year=int(key[2]))
    behind = _BEHIND_AUTHORS.search(text)
    if behind and _is_authors(text[: behind.start()]):
        year = int(behind[1] or behind[2])
        authors = people(text[: behind.start()])
        return Entry(text=text, authors=authors, year=year, title=_title(text[behind.end() :]))
    names, rest = _parted(text)
    return Entry(text=text, authors=people(names), year=_year(text), title=_title(rest))


def _is_authors(text: str) -> bool:
    """Whether what stands before a year is but a list of authors, and no title as well."""
    stop = _AUTHORS_END.search(text.rstrip(" .,:"))
    return 1 < len(text) < 600 and not stop and not _QUOTED.search(text) and not _runs_on(text)


def _runs_on(text: str) -> bool:
    """Whether a list of names is followed by a sentence: several words in small letters."""
    small = re.findall(r"(?<![\w.'’-])[a-zß-ÿ]{2,}\b", text)
    usual = {"and", "et", "al", "van", "von", "der", "den", "de", "del", "di", "da", "la", "le"}
    usual |= {"dos", "du", "st", "ter", "eds", "ed", "others", "the", "of", "for", "und"}
    return sum(word not in usual for word in small) > 1


def _year(text: str) -> int | None:
    """The year at the end: the last number that reads as one and is no page or identifier."""
    years = [int(match[1]) for match in _ANY_YEAR.finditer(text)]
    return years[-1] if years else None


def _parted(text: str) -> tuple[str, str]:
    """Authors and the rest of an entry that has no year between them."""
    quoted = _QUOTED.search(text)
    if quoted and not _AUTHORS_END.search(text[: quoted.start()].rstrip(" ,.:")):
        return text[: quoted.start()].rstrip(" ,.:"), text[quoted.start() :]
    first = _SURNAME_FIRST.match(text)
    if first and len(first[0]) < len(text) - 8:
        return first[0], text[first.end() :].lstrip(" .:,")
    given = _INITIALS_FIRST.match(text)
    if given and not _AUTHORS_END.search(given[0].rstrip(" ,")):
        return given[0], text[given.end() :]
    for match in _AUTHORS_END.finditer(text):
        if not _runs_on(text[: match.start()]):
            return text[: match.start()], text[match.end() :]
        break
    return "", text


def _title(text: str) -> str:
    """The title at the beginning of what follows the authors and the year."""
    text = _BRACKETED.sub("", text.strip(" .,:"))
    if quoted := _QUOTED.match(text):
        return quoted[1].strip(" ,.")
    end = _STOP.search(text)
    title = text[: end.start() + (text[end.start()] in "?!")] if end else text.rstrip(".")
    return "" if _VENUE.match(title) else title.strip(" ,.")[:300]
