"""In which encoding is a file of games? Each line in UTF-8 where it is that, else in an old one.

Files of games are older than Unicode and are often made of others, so that one line is UTF-8 and
the next is not. Which of the old encodings is meant is decided for the whole file, by what its
letters look like: words are of one script, and no capital stands inside a word.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from consilience.evidence.loaders.common import listed, plain, read_bytes

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_OLD = {
    "cp1252": "Windows-1252",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp866": "DOS 866 (Cyrillic)",
    "cp850": "DOS 850",
}
_SAMPLED = 20_000  # bytes of words that are looked at to choose among the old encodings
_WORDY = 3  # letters of a word of which in western languages most have no accent
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")


def read_games_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a file of games, and notes where its encoding had to be guessed."""
    text, notes = decoded(read_bytes(path))
    return plain(text), notes


def decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Bytes to text: by a byte order mark, as UTF-16 without one, as UTF-8, line by line."""
    for mark, encoding in _MARKS:
        if data.startswith(mark) and encoding != "utf-8":
            return _whole(data[len(mark) :], encoding)
    data = data.removeprefix(_MARKS[0][0])
    wide = _unmarked_wide(data)
    if wide:
        return _whole(data, wide)
    notes: tuple[str, ...] = ()
    if b"\x00" in data:
        notes = (f"{data.count(0)} zero bytes, which no text has, were left out",)
        data = data.replace(b"\x00", b"")
    try:
        return data.decode("utf-8"), notes
    except UnicodeDecodeError:
        text, more = _by_lines(data)
        return text, (*notes, *more)


def _whole(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        note = f"bytes that are not {encoding} from byte {error.start} on were replaced"
        return data.decode(encoding, "replace"), (note,)


def _unmarked_wide(data: bytes) -> str:
    """UTF-16 without a mark: nearly every second byte of ordinary letters is zero."""
    start = data[:2000]
    half = len(start) // 2
    if half < 4:
        return ""
    if start[1::2].count(0) > 0.8 * half and start[::2].count(0) < 0.2 * half:
        return "utf-16-le"
    if start[::2].count(0) > 0.8 * half and start[1::2].count(0) < 0.2 * half:
        return "utf-16-be"
    return ""


def _by_lines(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Each line as UTF-8 where it is, else in the old encoding that suits all such lines best."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    found = [_utf8(line) for line in lines]
    other = [at for at, text in enumerate(found) if text is None]
    encoding = _old([lines[at] for at in other])
    for at in other:
        found[at] = _one(lines[at], encoding)
    which = "lines" if len(other) > 1 else "line"
    note = (
        f"not UTF-8 throughout: {which} {listed([at + 1 for at in other])} read as "
        f"{_OLD[encoding]}: accented letters may be wrong, save the file as UTF-8"
    )
    return "\n".join(text or "" for text in found), (note,)


def _utf8(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _one(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _old(lines: list[bytes]) -> str:
    """The old encoding whose words look most like words; of equals the commonest."""
    words: list[bytes] = []
    size = 0
    for line in lines:
        words.extend(word for word in _WORD.findall(line[:_SAMPLED]) if not word.isascii())
        size += len(line)
        if size > _SAMPLED:
            break
    return max(_OLD, key=lambda encoding: sum(_looks(word, encoding) for word in words))


def _looks(word: bytes, encoding: str) -> int:
    """How much a word looks like one: letters of one script, capitals only where they begin."""
    try:
        text = word.decode(encoding)
    except UnicodeDecodeError:
        return -2
    letters = [letter for letter in text if letter.isalpha()]
    strange = len(text[1:-1]) - sum(one.isalpha() or one in "’‘'-–." for one in text[1:-1])
    cyrillic = sum("а" <= letter.lower() <= "ё" for letter in letters)
    inside = any(a.islower() and b.isupper() for a, b in pairwise(letters))
    accents = sum(not letter.isascii() for letter in letters)
    latin = cyrillic == 0 and (len(letters) < _WORDY or 2 * accents <= len(letters))
    good = not inside and not strange and (latin or 1 < cyrillic == len(letters))
    return (1 if good else 0) - strange - 2 * inside - 2 * (0 < cyrillic < len(letters))
