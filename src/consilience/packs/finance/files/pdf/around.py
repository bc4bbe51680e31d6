"""What belongs to a table but stands outside of it? Its caption above, its notes below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.finance.files.pdf.page import Word
from consilience.packs.finance.files.pdf.regions import is_prose, values, words_in
from consilience.packs.finance.files.pdf.rows import Row
from consilience.packs.finance.shapes import Box

_NOTED = re.compile(
    r"(?:\((?:\d{1,2}|[a-z]{1,2})\)|(?:\d{1,2}|[a-z])\)|\[\d{1,2}\]|[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+|"
    r"Notes?:|Sources?:|See accompanying|See (?:the )?(?:accompanying )?notes|"
    r"(?:NM|N/M|NP|n\.m\.|n/a|N/A)\s*[-–—=:])\s*",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\(.{3,160}\)|(?:all |amounts |figures |dollars )*in .{0,25}"
    r"(?:thousand|million|billion|tausend|mio|mrd|tsd|mn\b|bn\b|€|\$|£|EUR|USD|%).{0,30}",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"(?:table|tabelle|tableau|tabla|tabela|tabella|tabel|quadro|cuadro)\s+[\dIVXA-Z]",
    re.IGNORECASE,
)
_LINES = 4
_WORDS = 14
_NOTE_LINES = 40
_SENTENCE = re.compile(r"[a-z]{2,}\.$")


def caption_of(
    rows: Sequence[Row], box: Box, *, taken: frozenset[int], usual: float
) -> tuple[str, list[Word]]:
    """The lines right above a table that name it, and their words."""
    found: list[Row] = []
    top, step = box.top, 2.2
    above = None
    for row in reversed([one for one in rows if one.bottom <= box.top + 1]):
        above = row
        if len(found) >= _LINES or top - row.bottom > step * row.size:
            break
        if not _names(row, box, taken=taken, usual=usual):
            break
        found.append(row)
        top, step, above = row.top, 0.9, None
    if found and above and _ends(above, found[-1]):
        return "", []
    found.reverse()
    return " ".join(row.text for row in found), _words(found)


def _ends(above: Row, row: Row) -> bool:
    """Whether a line is the end of a paragraph rather than a title under one."""
    close = row.top - above.bottom < 0.5 * row.size and abs(row.size - above.size) < 0.5
    open_ended = is_prose(above) and not above.text.endswith((".", ":", "!", "?"))
    bolder = row.pieces[0].bold and not above.pieces[-1].bold
    return close and open_ended and not bolder and not _UNIT.fullmatch(row.text)


def _names(row: Row, box: Box, *, taken: frozenset[int], usual: float) -> bool:
    """Whether a line may name the table below it."""
    if any(word.at in taken for word in _words([row])) or row.leaders:
        return False
    if _UNIT.fullmatch(row.text) or _TABLE.match(row.text):
        return True
    if row.size > 1.15 * usual or row.left >= box.right or not 0 < words_in(row.text) <= _WORDS:
        return False
    if is_prose(row) and row.text.endswith((":", ",", ";")):
        return False
    if _SENTENCE.search(row.text) or row.text[:1] in "•▪◦●■" or _NOTED.match(row.text):
        return False
    return not (values(row) and len(row.pieces) > 1)


def notes_below(
    rows: Sequence[Row], box: Box, *, taken: frozenset[int]
) -> tuple[list[str], list[Word]]:
    """The notes under a table, each as one text, and their words."""
    notes: list[list[Row]] = []
    last, step = box.bottom, 3.0
    for row in [one for one in rows if one.top >= box.bottom - 2]:
        if row.top - last > step * row.size or sum(map(len, notes)) >= _NOTE_LINES:
            break
        if any(word.at in taken for word in _words([row])):
            break
        if _is_note(row):
            notes.append([row])
        elif notes and _goes_on(notes[-1], row):
            notes[-1].append(row)
        else:
            break
        last, step = row.bottom, 1.6
    return [" ".join(row.text for row in note) for note in notes], _words(
        [row for note in notes for row in note]
    )


def _is_note(row: Row) -> bool:
    if _NOTED.match(row.text) and not (len(row.pieces) > 2 and values(row)):
        return True
    words = [word for piece in row.pieces for word in piece.words]
    return len(words) > 2 and words[0].size < 0.85 * words[1].size and words[0].text.isdigit()


def _goes_on(note: Sequence[Row], row: Row) -> bool:
    """Whether a line is the next one of a note: close below, set in or after a full line."""
    first, last = note[0], note[-1]
    if row.top - last.bottom > 0.6 * row.size or not 0.9 < row.size / last.size < 1.1:
        return False
    hung = row.left > first.left + 3
    return (
        hung
        or (len(note) > 1 and abs(row.left - last.left) < 2)
        or (last.right > 0.9 * max(row.right, last.right) and abs(row.left - first.left) < 3)
    )


def _words(rows: Sequence[Row]) -> list[Word]:
    return [word for row in rows for piece in row.pieces for word in piece.words]
