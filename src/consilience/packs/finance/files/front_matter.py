"""Whose report is this, for when, and in which currency? From its title, first lines and name.

Nothing is said where nothing is sure: an empty company costs less than a wrong one.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from consilience.evidence.loaders.common import one_line, plain, title_of
from consilience.packs.finance.data_model import About, Grid, Kind, Period, Report
from consilience.packs.finance.notation.measures import words
from consilience.packs.finance.notation.periods.phrases import phrases_in
from consilience.packs.finance.notation.values import measure_of

_TABLES = tomllib.loads(Path(__file__).with_name("front_matter.toml").read_text(encoding="utf-8"))
_REPORTS = frozenset(_TABLES["reports"])
_TELLING = _REPORTS | frozenset(_TABLES["beside"])
_COMMON = frozenset(_TABLES["common"])
_FORMS = "|".join((*_TABLES["forms"], *(one.upper() for one in _TABLES["forms"])))
_WORD = r"[A-Z0-9][\w&'’./-]*"
_NAMED = re.compile(
    rf"({_WORD}(?:,?\s+(?:{_WORD}|&|and|of|und|et|y))*?(?:,?\s+(?:{_FORMS})(?!\w))+)"
)
_REGISTRANT = re.compile(r"exact name of (?:the )?registrant|name of issuer", re.IGNORECASE)
_NOT_A_COMPANY = re.compile(
    r"securities and exchange|stock exchange|form 10|washington|internal revenue|accounting firm|"
    r"\b(?:reports?|reporting|statements?|notes?|tables?|pages?)\b|microsoft|adobe|\bLLP\b|"
    r"(?:growth|shell|investment|parent) company|a division of",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"['’]?\d+(?:st|nd|rd|th|k|q)?|(?:fy|cy|h|q)\d+|\d+[hq]\d*", re.IGNORECASE)
_PARTED = re.compile(r"\s+[–—|:-]\s+|\s*[–—|]\s*|:\s+|,\s+")
_RULES = re.compile(r"_{3,}|[*•☒☐]+")
_SYMBOL = re.compile(
    r"(?i:\bsymbols?|\bNYSE|\bNASDAQ|\bLSE|\bXETRA)\W{1,6}(?:is\s)?[\"“‘']?([A-Z]{2,5})\b(?![a-z])"
)
_CODED = re.compile(r"(?i)(?<![a-z0-9])(10|20|40|8|6)[-_ ]?([kqf])(?![a-z])")
_WORDS = 6  # of a company's name
_LINE = 12  # words of a line that may name one
_LETTERS = 200  # letters of such a line
_LINES = 60  # lines of the opening that are looked at
_FOR = re.compile(
    r"\b(?:reports?|results|ended|statements?|accounts|10-?[kq]|bericht|abschluss|beendet|"
    r"clos|cerrado|findo)\b",
    re.IGNORECASE,
)  # a line that says what a report is for
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("month", re.compile(r"\bmonthly\b|monats|\bmensuel|\bmensual|\bmensile", re.IGNORECASE)),
    ("quarter", re.compile(r"\bquarterly\b|10-?q\b|quartals|trimestr", re.IGNORECASE)),
    ("half", re.compile(r"\bhalf[- ]year|halbjahr|semestr", re.IGNORECASE)),
    ("year", re.compile(r"\bannual|\byearly\b|10-?k\b|20-?f\b|jahres|geschäfts", re.IGNORECASE)),
)
_EXCHANGES = frozenset(("NYSE", "LSE", "XETRA", "LLC", "INC", "THE", "AND"))
_FRONT = 8  # first lines that say of which kind a report is
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_SIGN = re.compile(r"(?<![A-Z])[$€£¥₹]")
_CURRENCIES = frozenset((*words("signs"), *words("currencies")))
_CELLS = 5000  # cells that are asked for their currency
_CAPTION = 10  # a caption counts for as many cells
_SHARE = 0.6


def about_of(report: Report, path: Path) -> About:
    """What a report says of itself; what it does not say, or not clearly, is empty."""
    return About(
        company=_company(report, path),
        period=_period(report, path),
        currency=_currency(report),
        ticker=_ticker(report),
    )


def _ticker(report: Report) -> str:
    """The symbol that a report says its shares are traded under most often."""
    texts = (part.text for part in report.parts if not isinstance(part, Grid))
    found = Counter(one for text in (*report.opening, *texts) for one in _SYMBOL.findall(text))
    best = [one for one, _ in found.most_common(3) if one not in _EXCHANGES]
    return best[0] if best else ""


# --- company ----------------------------------------------------------------------------


def _company(report: Report, path: Path) -> str:
    """The name on a form, or in the title; else in the first lines; else in the file's name."""
    lines = [one for line in islice(report.opening, _LINES) for one in _parts(line)]
    filed = _left_over(_tokens(path.stem))
    titled = _titled(report.title) if report.title != title_of(path) else []
    sure = [*_registered(lines), *titled]
    if sure:
        return sure[0]
    author = str(report.metadata.get("author", ""))
    full = [name for line in (report.title, *lines, author) for name in _formed(line)]
    agreed = [name for name in full if filed and _agree(name, filed)]
    if agreed:
        return _printed(agreed[0], lines)
    often = Counter(full).most_common(2)
    if often and (len(often) == 1 or often[0][1] > often[1][1]):
        return _printed(often[0][0], lines)
    return filed


def _printed(name: str, lines: Sequence[str]) -> str:
    """A name as the report itself says it, where that is without the legal form."""
    return next((line for line in lines if len(line) > 2 and _bare(name) == line), name)


def _bare(name: str) -> str:
    return re.sub(rf"(?:,?\s+(?:{_FORMS})(?!\w))+$", "", name)


def _parts(line: str) -> list[str]:
    """What stands between rules and boxes, without spaces before stops."""
    parts = (re.sub(r"\s+(?=[.,])", "", one_line(part)) for part in _RULES.split(line))
    return [part for part in parts if part]


def _registered(lines: Sequence[str]) -> Iterator[str]:
    """The name above the words that a form has under it."""
    for at, line in enumerate(lines):
        match = _REGISTRANT.search(line)
        if match is None:
            continue
        before = line[: match.start()].strip(" (") or (lines[at - 1] if at else "")
        if before and len(before.split()) <= _WORDS and not _NOT_A_COMPANY.search(before):
            yield before


def _titled(title: str) -> list[str]:
    """The name beside the kind of report: `Nordvik Group – Monthly report August 2025`."""
    words = one_line(title)
    if not any(_plain(one) in _REPORTS for one in words.split()):
        return []
    parts = [part.split() for part in _PARTED.split(words)]
    names = (_left_over([*part, "report"]) for part in parts)
    return [name for name in names if name and name.split(maxsplit=1)[0] in words]


def _formed(line: str) -> list[str]:
    """The name with a legal form that most of a short line is."""
    words = len(line.split())
    if words > _LINE or len(line) > _LETTERS or _NOT_A_COMPANY.search(line):
        return []
    found = [match[1].strip(" ,") for match in _NAMED.finditer(line)][:1]
    return [one for one in found if 2 * len(one.split()) > words and not _is_common(one)]


def _tokens(stem: str) -> list[str]:
    return [part for part in re.split(r"[\s_.–—-]+", _CODED.sub(r"\1\2", plain(stem))) if part]


def _left_over(words: Iterable[str]) -> str:
    """The name beside words of reports and times: what is left of them, if they are there."""
    found = [one for word in words if (one := re.sub(r"['’]s$", "", word.strip(" ,;()")))]
    if not any(_plain(one) in _REPORTS for one in found):
        return ""
    kept = [at for at, one in enumerate(found) if not _is_telling(one)]
    if not kept:
        return ""
    name = " ".join(found[kept[0] : kept[-1] + 1])
    lost = kept[-1] + 1 - kept[0] > len(kept) + 1
    if lost or len(kept) > _WORDS or _is_common(name) or _looks_coded(name):
        return ""
    return name if name != name.lower() else name.title()


def _plain(word: str) -> str:
    return word.casefold().replace("-", "").strip(".,;:()")


def _is_telling(word: str) -> bool:
    return _plain(word) in _TELLING or _NUMBER.fullmatch(word) is not None


def _is_common(name: str) -> bool:
    """Whether a name is made of words for things that are counted, or is but a letter."""
    words = [_plain(one) for one in name.split()]
    common = all(one in _COMMON or one in _TELLING for one in words)
    return common or sum(one.isalpha() for one in name) < 2


def _looks_coded(name: str) -> bool:
    """Whether a name has digits among its letters, as a key or a digest does."""
    return re.search(r"\d[a-zA-Z]+\d|[a-f0-9]{8,}", name) is not None


def _agree(name: str, other: str) -> bool:
    """Whether two names share a first word, whatever its case."""
    mine = re.sub(r"\W", "", name.split(maxsplit=1)[0]).casefold()
    return mine in {re.sub(r"\W", "", one).casefold() for one in other.split()}


# --- period -----------------------------------------------------------------------------


def _period(report: Report, path: Path) -> Period | None:
    """The time that the title names; else the subject, the first lines, the name of the file.

    A monthly report is about a month, an annual one about a year: the first time of this kind
    is taken, and only without any the first of another.
    """
    title = report.title if report.title != title_of(path) else ""  # the name says it better
    subject = str(report.metadata.get("subject", ""))
    stem = re.sub(r"_+", " ", plain(path.stem))
    lines = [one for line in islice(report.opening, _LINES) for one in _parts(line)]
    found = [
        *_times(title),
        *_times(subject),
        *(time for line in lines for time in _times(line, own=not _FOR.search(line))),
        *(_times(stem) or _times(title_of(path))),
    ]
    told = f"{report.title} {subject} {stem} {' '.join(lines[:_FRONT])}"
    kind = next((kind for kind, words in _KINDS if words.search(told)), None)
    fitting = [one for one in found if one.kind == kind]
    return next(iter((*fitting, *found)), None)


def _times(text: str, *, own: bool = False) -> list[Period]:
    """The times that a text names; with `own` only where they are most of it."""
    if len(text) > _LETTERS:
        return []
    found = [one for one in phrases_in(text) if one.period and one.period.kind != "day"]
    length = sum(one.end - one.start for one in found[:1])
    return [] if own and 2 * length < len(text) else [one.period for one in found if one.period]


# --- currency ---------------------------------------------------------------------------


def _currency(report: Report) -> str:
    """The currency that most captions and cells speak of."""
    found: Counter[str] = Counter()
    cells = 0
    for part in report.parts:
        if not isinstance(part, Grid):
            continue
        unit = measure_of(part.caption).unit.split("/")[0]
        if unit in _CURRENCIES:
            found[unit] += _CAPTION
        for cell in islice(part.cells, max(0, _CELLS - cells)):
            cells += 1
            found.update(_SIGNS[sign] for sign in _SIGN.findall(cell.text))
    best = found.most_common(1)
    return best[0][0] if best and best[0][1] >= _SHARE * found.total() else ""
