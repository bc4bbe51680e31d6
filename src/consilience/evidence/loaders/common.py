"""What do all loaders share? Decoding bytes, tidying text, titles, and the path of headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from consilience.errors import LoadError
from consilience.types import Block, Metadata

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u200b\ufeff\ufffe\uffff]|\u00ad")
_SPACES = re.compile(r"[^\S\n]+")
_LONE = re.compile(r"[\ud800-\udfff]")
_ORNAMENT = re.compile(r"[-–—*=_~.·•#\s]*")
TITLE_LENGTH = 80
_CAPTION_WORDS = 3


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; anything in the way is a `LoadError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise LoadError(f"cannot open {path.name}: {reason}; check the path and rights") from error


def read_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and notes where its encoding had to be guessed."""
    return decode(read_bytes(path), path.name)


def decode(data: bytes, name: str, *, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """Bytes to text: a byte order mark, the declared encoding, UTF-8, Windows-1252, in that order.

    Windows-1252 leaves five bytes undefined; a file that has them is read as Latin-1, which
    reads anything. Zero bytes mean that the file is no text at all.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    if b"\x00" in data:
        raise LoadError(
            f"{name} is not a text file: it holds zero bytes; "
            "give it the ending of its format, or save it as UTF-8 text"
        )
    for encoding in dict.fromkeys((declared or "utf-8", "utf-8")):
        try:
            return data.decode(encoding), ()
        except (LookupError, UnicodeError):
            continue
    return _guessed(data)


def _marked(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        note = f"bytes that are not {encoding} from byte {error.start} on were replaced"
        return data.decode(encoding, "replace"), (note,)


def _guessed(data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        text, encoding = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "Latin-1"
    note = f"not UTF-8; read as {encoding}: accented letters may be wrong, save it as UTF-8"
    return text, (note,)


def tidy(text: str) -> str:
    """Text fit to show and to index: composed characters, no control codes, single spaces.

    Line breaks stay; the spaces around them go.
    """
    lines = (_SPACES.sub(" ", line).strip() for line in plain(text).split("\n"))
    return "\n".join(lines).strip("\n")


def plain(text: str) -> str:
    """Text without control codes, with one kind of line break; spaces stay as they are."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub("", _LONE.sub("\ufffd", text))


def one_line(text: str) -> str:
    """Tidy text with its line breaks turned into spaces."""
    return " ".join(plain(text).split())


def caption(text: str) -> str:
    """What an image says in words; a name such as `img` or `Figure 1` says nothing."""
    words = one_line(text)
    return words if len(words.split()) >= _CAPTION_WORDS else ""


def is_ornament(text: str) -> bool:
    """Whether a text is but a rule or a row of stars: nothing to find, nothing to cite."""
    return _ORNAMENT.fullmatch(text) is not None


def title_of(path: Path) -> str:
    """A title from a file's name: `lamps-and_lenses.txt` is `lamps and lenses`."""
    stem = re.sub(r"[-_\s]+", " ", plain(path.stem)).strip()
    return stem or plain(path.name) or "untitled"


def said(path: Path, blocks: Sequence[object]) -> tuple[str, ...]:
    """The note that a file without text deserves."""
    return () if blocks else (f"{path.name} holds no text",)


def with_fields(blocks: Iterable[Block], fields: Metadata) -> tuple[Block, ...]:
    """The blocks with fields of their document; rows keep their own columns alone."""
    return tuple(
        block if block.kind == "row" else replace(block, metadata={**fields, **block.metadata})
        for block in blocks
    )


def listed(numbers: Sequence[int], *, most: int = 8) -> str:
    """Numbers as a person lists them: ranges joined, the rest counted. `1-3, 7 and 12 more`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges[:most])
    rest = sum(b - a + 1 for a, b in ranges[most:])
    return f"{shown} and {rest} more" if rest else shown


class Sections:
    """The path of headings at one point of a document.

    A heading closes all of its own level and below; a level that is skipped (an h3 under an
    h1) leaves no gap. Headings from a table of contents are a fixed base that headings in the
    text do not close, unless the text repeats the last of them: then it has that level.
    """

    def __init__(self) -> None:
        self._stack: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings from the outermost in."""
        return tuple(text for _, text in self._stack)

    def base(self, path: tuple[str, ...]) -> None:
        """Start again under these headings."""
        self._stack = [(0, text) for text in path]

    def enter(self, level: int, text: str) -> None:
        """Pass a heading of this level, 1 being the highest; an empty one changes nothing."""
        text = one_line(text)
        if not text:
            return
        if self._stack and self._stack[-1][0] == 0 and same_heading(self._stack[-1][1], text):
            self._stack[-1] = (level, self._stack[-1][1])
            return
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))


def same_heading(one: str, other: str) -> bool:
    """Whether two headings have the same letters and digits, whatever their case and marks."""
    return _letters(one) == _letters(other)


def is_title(heading: str, title: str) -> bool:
    """Whether a heading is but the title of the whole, or the beginning of a long one."""
    some, whole = _letters(heading), _letters(title)
    return bool(some) and (some == whole or (len(some) >= 12 and whole.startswith(some)))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
