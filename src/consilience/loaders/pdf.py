"""How is a PDF read? Page by page; printed lines become paragraphs, bookmarks sections."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from consilience import pace
from consilience.bounds import short
from consilience.errors import LoadError
from consilience.loaders import _pages
from consilience.loaders._pages import HYPHEN, Line, Paragraph
from consilience.loaders._sections import same_heading
from consilience.loaders._text import is_ornament, listed, one_line, read_bytes, title_of
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

LOCK = threading.Lock()
"""PDFium is not safe to call from two threads at once."""
_BREAK = re.compile(f"\r\n|\n|\r|({HYPHEN})")
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
_ENDS = 1024  # bytes within which a PDF says that it begins, and that it ends


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
    """What PDFium gave: the lines of each page, bookmarks, fields, pages that failed."""

    pages: list[list[Line]]
    marks: list[Mark]
    fields: Mapping[str, str]
    broken: list[int]


def load(path: Path) -> Document:
    """Read a PDF; pages without text are named in the notes, none at all is an error."""
    data = read_bytes(path)
    with LOCK:
        read = read_pdf(data, path.name)
    pages, running = without_running(read, path.name)
    starts = section_starts(pages, read.marks)
    found = _pages.paragraphs(pages, breaks=lambda page, at: (page, at) in starts)
    title = title_in(read, path)
    return Document(
        title=title,
        kind="document",
        blocks=tuple(_blocks(found, pages, starts=starts, title=title)),
        metadata=metadata_of(read.fields),
        notes=notes_of(read, running),
    )


def without_running(
    read: Read, name: str, *, keep: Callable[[Line], bool] = lambda line: False
) -> tuple[list[list[Line]], list[str]]:
    """The pages without running heads, and those; no text at all is an error.

    A line that is to be kept is no running head, however often it is there.
    """
    pages, running = _pages.drop_running(read.pages, keep=keep)
    if not any(pages):
        raise LoadError(
            f"{name} holds no text on its {len(read.pages)} pages: it looks scanned; "
            "run it through OCR first"
        )
    return pages, running


def notes_of(read: Read, running: list[str]) -> tuple[str, ...]:
    """What the user should know of a reading."""
    empty = [n for n, lines in enumerate(read.pages, start=1) if not lines and n not in read.broken]
    notes = []
    if read.broken:
        notes.append(f"pages that could not be read: {listed(read.broken)}")
    if empty:
        notes.append(f"pages without text (blank or scanned): {listed(empty)}")
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
                pages.append((lines or _lines)(document, number))
            except (pypdfium2.PdfiumError, ValueError):
                pages.append([])
                broken.append(number + 1)
            pace.tell(number + 1, len(document), "pages")
        marks = _marks(document, len(pages))
        fields = {key: one_line(value) for key, value in document.get_metadata_dict().items()}
    return Read(pages=pages, marks=marks, fields=fields, broken=broken)


def _why(data: bytes, error: pypdfium2.PdfiumError) -> str:
    """What is wrong with a file that PDFium does not open, and what helps."""
    if not data:
        return "it is empty; copy or download it again"
    if b"%PDF-" not in data[:_ENDS]:
        return "it does not begin as a PDF does; open it to see what it is"
    if b"%%EOF" not in data[-_ENDS:]:
        return "its end is missing; copy or download it again"
    return f"{str(error).rstrip('.')}; export it again"


def _lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
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
    words = _pages.clean(text)
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
            title = one_line(_pages.clean(bookmark.get_title()))
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
    found: Sequence[Paragraph], pages: Sequence[Sequence[Line]], *, starts: Starts, title: str
) -> Iterator[Block]:
    words = _pages.vocabulary(pages)
    places = {id(line): (p, at) for p, lines in enumerate(pages) for at, line in enumerate(lines)}
    section: tuple[str, ...] = ()
    for paragraph in found:
        section = starts.get(places[id(paragraph.lines[0])], section)
        text = _pages.joined(paragraph.lines, words)
        if not is_ornament(text):
            path = section[1:] if section and same_heading(section[0], title) else section
            yield Block(text=text, locator=Locator(section=path, page=paragraph.page + 1))


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


LOADER = Format(endings=(".pdf",), version=1, load=load)
