"""How is a PDF read? Page by page; printed lines become paragraphs, bookmarks sections.

Paragraphs come from the positions of lines on their page. Running heads, page numbers and line-end
hyphens are removed, by rules that leave a line in place when in doubt.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pypdfium2
from pypdfium2 import raw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from consilience import progress
from consilience.errors import LoadError
from consilience.evidence.loaders import ocr
from consilience.evidence.loaders.common import (
    is_ornament,
    listed,
    one_line,
    read_bytes,
    same_heading,
    tidy,
    title_of,
)
from consilience.evidence.size_limits import short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

HYPHEN = "\ufffe"  # what PDFium gives for a hyphen at the end of a line
_BREAK = re.compile(f"\r\n|\n|\r|({HYPHEN})")
LOCK = threading.Lock()
"""PDFium is not safe to call from two threads at once."""
_UNSAID = re.compile(
    r"\W*(?:anonymous|unspecified|untitled|unknown|none|null|n/a)\W*", re.IGNORECASE
)  # what programs write where nobody said anything
_NOT_A_TITLE = re.compile(
    r"^(?:untitled(?:[\s-]*(?:document|presentation|spreadsheet)?[\s-]*\d*)|microsoft \w+ - .*|"
    r".*\.(?:docx?|tex|pdf|indd|dvi|qxd|pptx?)|[\W\d_]*|"
    r"overleaf example|title)$",
    re.IGNORECASE,
)
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_DEEPEST = 6
_MOST_BOOKMARKS = 20_000
_SIGNATURE_BYTES = 1024  # bytes within which a PDF says that it begins, and that it ends


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


Lines = Callable[[pypdfium2.PdfDocument, int], list[Line]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A bookmark: its title, its depth from 0, its page from 0 and its height on the page."""

    title: str
    level: int
    page: int
    top: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What PDFium gave: the lines of each page, bookmarks, fields, pages that failed; and pages
    that OCR read, with its certainty.
    """

    pages: list[list[Line]]
    marks: list[Mark]
    fields: Mapping[str, str]
    broken: list[int]
    scanned: Mapping[int, float] = field(default_factory=dict)


class NoText(LoadError):
    """A PDF without text: a scan."""


def load(path: Path) -> Document:
    """Read a PDF; pages without text are read by OCR where it is installed.

    Pages that hold none are named in the notes, and a file that holds none at all is an error.
    """
    data = read_bytes(path)
    with LOCK:
        read = read_pdf(data, path.name)
    read = _read_scans(read, data)
    pages, running = without_running(read, path.name)
    starts = section_starts(pages, read.marks)
    by_hand = {*read.scanned, *(page + 1 for page in read.scanned)}  # nothing runs over these
    found = paragraphs(
        pages,
        breaks=lambda page, at: (page, at) in starts or (at == 0 and page + 1 in by_hand),
    )
    title = title_in(read, path)
    return Document(
        title=title,
        kind="document",
        blocks=tuple(_blocks(found, pages, starts=starts, title=title, scanned=read.scanned)),
        metadata=metadata_of(read.fields),
        notes=notes_of(read, running),
    )


def without_running(
    read: Read, name: str, *, keep: Callable[[Line], bool] = lambda line: False
) -> tuple[list[list[Line]], list[str]]:
    """The pages without running heads, and those; no text at all is an error.

    A line that is to be kept is no running head, however often it is there.
    """
    pages, running = drop_running(read.pages, keep=keep)
    if not any(pages):
        advice = "OCR found none either" if ocr.is_installed() else f"to read scans: {ocr.INSTALL}"
        raise NoText(f"{name} holds no text on its {len(read.pages)} pages; {advice}")
    return pages, running


def notes_of(read: Read, running: list[str]) -> tuple[str, ...]:
    """What the user should know of a reading."""
    empty = [n for n, lines in enumerate(read.pages, start=1) if not lines and n not in read.broken]
    notes = []
    if read.broken:
        notes.append(f"pages that could not be read: {listed(read.broken)}")
    if read.scanned:
        sure = sum(read.scanned.values()) / len(read.scanned)
        notes.append(f"pages read by OCR, certainty {sure:.2f}: {listed(sorted(read.scanned))}")
    if empty:
        advice = "" if ocr.is_installed() else f"; to read scans: {ocr.INSTALL}"
        notes.append(f"pages without text (blank or scanned): {listed(empty)}{advice}")
    if running:
        some = "; ".join(repr(words) for words in running[:3])
        rest = f" and {len(running) - 3} more" if len(running) > 3 else ""
        notes.append(f"running heads and page numbers left out: {some}{rest}")
    return tuple(notes)


# --- what PDFium gives ------------------------------------------------------------------


def read_pdf(data: bytes, name: str, *, lines: Lines | None = None) -> Read:
    """Read all pages under `LOCK`; `lines` reads one, by default its printed lines.

    A page that cannot be read is empty and named as broken; a file that cannot is an error.
    """
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise LoadError(f"{name} needs a password; save a copy without one") from error
        raise LoadError(f"{name} is not a readable PDF: {_why(data, error)}") from error
    with closing(document):
        pages: list[list[Line]] = []
        broken: list[int] = []
        for number in range(len(document)):
            try:
                pages.append((lines or printed_lines)(document, number))
            except (pypdfium2.PdfiumError, ValueError):
                pages.append([])
                broken.append(number + 1)
            progress.report_progress(number + 1, len(document), "pages")
        marks = _marks(document, len(pages))
        fields = {key: one_line(value) for key, value in document.get_metadata_dict().items()}
    return Read(pages=pages, marks=marks, fields=fields, broken=broken)


_SCAN_SCALE = 200 / 72  # pixels to a point: print of 8 points is read well
_LONGEST_SIDE = 4000  # pixels
_MOST_SCANS = 500  # pages; each takes a second or more


def _read_scans(read: Read, data: bytes) -> Read:
    """The reading with the pages that have no text read by OCR, where it is installed."""
    empty = [
        number
        for number, lines in enumerate(read.pages, start=1)
        if not lines and number not in read.broken
    ]
    if not empty or not ocr.is_installed():
        return read
    pages, scanned = list(read.pages), dict[int, float]()
    for number in empty[:_MOST_SCANS]:
        pixels, scale, height = _scan_pixels(data, number)
        found = ocr.read_lines(pixels)
        progress.report_progress(number, len(read.pages), "pages")
        if found:
            pages[number - 1] = _lines_of_scan(found, height=height, scale=scale)
            scanned[number] = ocr.certainty(found)
    return replace(read, pages=pages, scanned=scanned)


def _scan_pixels(data: bytes, number: int) -> tuple[NDArray[np.uint8], float, float]:
    """A page as it is printed, how many pixels there are to a point, and its height in points."""
    with (
        LOCK,
        closing(pypdfium2.PdfDocument(data)) as document,
        closing(document[number - 1]) as page,
    ):
        width, height = page.get_size()
        scale = min(_SCAN_SCALE, _LONGEST_SIDE / max(width, height))
        with closing(page.render(scale=scale, rev_byteorder=True)) as bitmap:
            return bitmap.to_numpy()[:, :, :3].copy(), scale, height


def _lines_of_scan(found: Sequence[ocr.OcrLine], *, height: float, scale: float) -> list[Line]:
    """Lines that OCR read, in points from the lower left as PDFium gives them."""
    return [
        Line(
            text=line.text.removesuffix("-") if _cut_word(line.text) else line.text,
            left=line.left / scale,
            right=line.right / scale,
            top=height - line.top / scale,
            bottom=height - line.bottom / scale,
            hyphen=_cut_word(line.text),
        )
        for line in found
    ]


def _cut_word(text: str) -> bool:
    return text.endswith("-") and text[-2:-1].isalpha()


def scanned_blocks(found: Sequence[ocr.OcrLine], *, page: int, height: float) -> list[Block]:
    """The paragraphs on one picture, each with the certainty of its reading."""
    lines = _lines_of_scan(found, height=height, scale=1.0)
    metadata = _by_ocr(ocr.certainty(found))
    return [
        Block(text=joined(part.lines, frozenset()), locator=Locator(page=page), metadata=metadata)
        for part in paragraphs([lines], breaks=lambda _page, _at: False)
    ]


def _by_ocr(certainty: float) -> dict[str, Value]:
    return {"read by": "OCR", "certainty": certainty}


def _why(data: bytes, error: pypdfium2.PdfiumError) -> str:
    """What is wrong with a file that PDFium does not open, and what helps."""
    if not data:
        return "it is empty; copy or download it again"
    if b"%PDF-" not in data[:_SIGNATURE_BYTES]:
        return "it does not begin as a PDF does; open it to see what it is"
    if b"%%EOF" not in data[-_SIGNATURE_BYTES:]:
        return "its end is missing; copy or download it again"
    return f"{str(error).rstrip('.')}; export it again"


def printed_lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """The printed lines of a page, counted from 0, in the order of the file."""
    page = document[number]
    with closing(page):
        textpage = page.get_textpage()
        with closing(textpage):
            text: str = textpage.get_text_range()
            lines = (
                _line(textpage, start, text=words, hyphen=hyphen)
                for start, words, hyphen in _pieces(text)
            )
            return [line for line in lines if line]


def _pieces(text: str) -> Iterator[tuple[int, str, bool]]:
    """(offset, text, whether it ends in a line-end hyphen) of each printed line."""
    start = 0
    for match in _BREAK.finditer(text):
        yield start, text[start : match.start()], match[1] is not None
        start = match.end()
    yield start, text[start:], False


def _line(textpage: pypdfium2.PdfTextPage, start: int, *, text: str, hyphen: bool) -> Line | None:
    words = clean(text)
    if not words:
        return None
    first = start + len(text) - len(text.lstrip())
    last = start + len(text.rstrip()) - 1
    left, bottom, _, top = _box(textpage, first)
    right = _box(textpage, last)[2]
    return Line(text=words, left=left, right=right, top=top, bottom=bottom, hyphen=hyphen)


def _box(textpage: pypdfium2.PdfTextPage, at: int) -> tuple[float, float, float, float]:
    """The box of the character at a place in the text; of no size where there is none."""
    index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, at)
    try:
        left, bottom, right, top = textpage.get_charbox(max(index, 0), loose=True)
    except pypdfium2.PdfiumError:
        return (0.0, 0.0, 0.0, 0.0)
    return (left, bottom, right, top)


def _marks(document: pypdfium2.PdfDocument, count: int) -> list[Mark]:
    marks: list[Mark] = []
    try:
        for bookmark in document.get_toc(max_depth=_DEEPEST):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = one_line(clean(bookmark.get_title()))
            if title and page is not None and 0 <= page < count:
                top = _top(target)
                marks.append(Mark(title=title, level=bookmark.level, page=page, top=top))
            if len(marks) >= _MOST_BOOKMARKS:
                break
    except (pypdfium2.PdfiumError, ValueError, AttributeError):
        return marks
    return marks


def _top(target: pypdfium2.PdfDest) -> float | None:
    mode, place = target.get_view()
    heights = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0}
    at = heights.get(mode)
    return float(place[at]) if at is not None and len(place) > at and place[at] else None


# --- sections and titles ----------------------------------------------------------------

Starts = dict[tuple[int, int], tuple[str, ...]]


def section_starts(pages: Sequence[Sequence[Line]], marks: Sequence[Mark]) -> Starts:
    """Section paths by (page, line) where they begin."""
    starts: Starts = {}
    above: list[tuple[int, str]] = []
    floor = (0, 0)
    for mark in marks:
        above = [(level, title) for level, title in above if level < mark.level]
        above.append((mark.level, mark.title))
        place = max(floor, (mark.page, _line_of(pages[mark.page], mark)))
        starts[place] = tuple(title for _, title in above)
        floor = place
    return starts


def _line_of(lines: Sequence[Line], mark: Mark) -> int:
    """The line that a bookmark means: the one with its words, else the one at its height."""
    for at, line in enumerate(lines):
        numberless = re.sub(r"^(?:[A-Z]|\d{1,2})?(?:\.\d{1,2})*\.?\s+", "", line.text)
        if same_heading(line.text, mark.title) or same_heading(numberless, mark.title):
            return at
    if mark.top is None:
        return 0
    return next((at for at, line in enumerate(lines) if line.top <= mark.top + 2), 0)


def _blocks(
    found: Sequence[Paragraph],
    pages: Sequence[Sequence[Line]],
    *,
    starts: Starts,
    title: str,
    scanned: Mapping[int, float],
) -> Iterator[Block]:
    words = vocabulary(pages)
    places = {id(line): (p, at) for p, lines in enumerate(pages) for at, line in enumerate(lines)}
    section: tuple[str, ...] = ()
    for paragraph in found:
        section = starts.get(places[id(paragraph.lines[0])], section)
        text = joined(paragraph.lines, words)
        if not is_ornament(text):
            path = section[1:] if section and same_heading(section[0], title) else section
            page = paragraph.page + 1
            fields = _by_ocr(scanned[page]) if page in scanned else {}
            yield Block(text=text, locator=Locator(section=path, page=page), metadata=fields)


def title_in(read: Read, path: Path) -> str:
    """The title the file declares; where it declares none, the largest type on page 1."""
    declared = "" if _UNSAID.fullmatch(said := read.fields.get("Title", "")) else said
    if declared and not _NOT_A_TITLE.match(declared):
        return short(declared)
    if declared and re.fullmatch(r"[\W\d_]*", declared):
        return title_of(path)  # a number was given on purpose: the first page is a form
    return _largest(read.pages[0] if read.pages else []) or title_of(path)


def _largest(lines: Sequence[Line]) -> str:
    """The first run of lines in the largest type, if it reads like a title."""
    size = max((line.height for line in lines), default=0.0)
    usual = sorted(line.height for line in lines)[len(lines) // 2] if lines else 0.0
    run: list[str] = []
    for line in lines:
        if line.height >= 0.95 * size:
            run.append(line.text)
        elif run:
            break
    words = " ".join(run)
    return words if size > 1.15 * usual and len(words.split()) >= 2 and len(words) < 200 else ""


def metadata_of(fields: Mapping[str, str]) -> dict[str, Value]:
    """What the file declares of itself: its author, subject, keywords and date."""
    found: dict[str, Value] = {}
    for key, name in (("Author", "author"), ("Subject", "subject"), ("Keywords", "keywords")):
        if fields.get(key) and not _UNSAID.fullmatch(fields[key]):
            found[name] = fields[key]
    date = _DATE.match(fields.get("CreationDate", ""))
    if date:
        found["date"] = "-".join(date.groups())
    return found


LOADER = Format(endings=(".pdf",), version=2, load=load)


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
