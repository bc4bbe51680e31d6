"""What does a model's Markdown say? Statements, one by one, as soon as each is whole.

Paragraphs become sentences; each entry of a list, each line of moves and each table becomes one
statement. An ordered list keeps its numbers. Headings inside a section, fences, rules and lists
of sources are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.answer.model.cleaning import heading_of, safe, tidy
from consilience.answer.moves import MOVE
from consilience.answer.sentences import sentences
from consilience.markup import without_marks
from consilience.types import Form, Statement

_HEADING = re.compile(
    r"\s{0,3}#{1,6}\s+(?P<text>.*?)\s*#*$|\s*(?:\*\*|__)(?P<bold>[^*_\[\]]+)(?:\*\*|__):?$"
)
_ITEM = re.compile(r"\s*(?:[-*+•]|(?P<number>\d{1,2})[.)])\s+(?=\S)")
_WORDED = re.compile(r"[^\W\d_]+[\s,;:'’]")
_MOVES = re.compile(rf"\s*\d{{1,3}}\.(?:\.\.|…)?\s*{MOVE}")
_LEFT_OUT = re.compile(
    r"\s*(?:[-*_=]\s*){3,}$|\s*(?:```|~~~)\S*$"
    r"|\W*(?:sources?|references?|citations?|evidence)\W*(?:\[[0-9]{1,3}\][\s,;]*)*$",
    re.IGNORECASE,
)
_TABLE_RULE = re.compile(r"[|\s:-]+$")
_MARKS = re.compile(r"(?:\s*\[[0-9]{1,3}\])+\s*")
_STOPPED = re.compile(r"[.!?…。！？｡؟।:][\W\d]*$")
_AFTER_STOP = re.compile(r"(?<!\.)([.!?…]+)((?:\s*\[[0-9]{1,3}\])+)")


class Reader:
    """Takes letters with marks in our form and gives the statements that are whole.

    `within` goes into every statement. With `heading` a heading stands before the first: the
    one that the model begins with, or else this one. With `late` nothing is given before the
    end. `given` says whether any statement was.
    """

    def __init__(self, within: Sequence[int], *, heading: str = "", late: bool = False) -> None:
        self.given = False
        self._within = tuple(within)
        self._late = "" if late else None  # the letters that wait for the end
        self._heading = self._first_heading = heading
        self._line = ""  # what came of the line that is being written
        self._within_line = False  # the beginning of that line was said already
        self._prose = ""
        self._item = ""
        self._number = ""  # of the entry
        self._table: list[str] = []
        self._opens = True

    def take(self, text: str) -> Iterator[Statement]:
        """The statements that these letters end."""
        if self._late is None:
            yield from self._headed(self._taken(text))
        else:
            self._late += text

    def end(self, *, cut: bool = False) -> Iterator[Statement]:
        """The rest; where the model was cut off, without what it did not finish."""
        late, self._late = self._late or "", None
        yield from self.take(late)
        yield from self._headed(self._rest(cut=cut))

    def anew(self) -> Reader:
        """Another reader of the same section, which has read nothing."""
        return Reader(self._within, heading=self._first_heading, late=self._late is not None)

    def _headed(self, statements: Iterator[Statement]) -> Iterator[Statement]:
        for one in statements:
            self.given = True
            heading, self._heading = self._heading, ""
            if heading:
                yield Statement(text=heading, form="heading")
            if one.text.casefold() != heading.casefold():
                yield one

    def _taken(self, text: str) -> Iterator[Statement]:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            yield from self._take_line(line)
            self._within_line = False
        if self._within_line or (self._begins_prose() and not (self._item or self._table)):
            yield from self._early()

    def _rest(self, *, cut: bool) -> Iterator[Statement]:
        line, self._line = self._line, ""
        block = not self._within_line and (_ITEM.match(line) or line.lstrip().startswith("|"))
        if not (cut and block and not _STOPPED.search(line)):
            yield from self._take_line(line)
        yield from self._flush(cut=cut)

    def _begins_prose(self) -> bool:
        """Whether the line can be nothing but prose, as far as it came."""
        return bool(re.match(r"\s*[^\W\d_]\w*\s", self._line))

    def _early(self) -> Iterator[Statement]:
        """The sentences of a paragraph that is still being written, but for the last."""
        known, space, begun = (self._prose + self._line).rpartition(" ")
        found = split(known)
        if len(found) < 2:
            return
        self._prose, self._line, self._within_line = found[-1] + space, begun, True
        yield from self._said(found[:-1])

    def _take_line(self, line: str) -> Iterator[Statement]:
        line = line.rstrip() if self._within_line else re.sub(r"^\s*(?:>\s?)+", "", line.rstrip())
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if self._within_line and line:
            self._prose += line + " "
        elif _MOVES.match(line):
            yield from self._flush()
            yield self._statement(safe(tidy(line)), form="lines")
        elif line.lstrip().startswith("|"):
            yield from self._flush(table=False)
            self._table.append(line.strip())
        elif heading or _LEFT_OUT.match(line) or not line:
            yield from self._flush()
            self._opens = True
            if heading and self._heading:
                self._heading = heading_of(heading["text"] or heading["bold"]) or self._heading
        elif item:
            yield from self._flush()
            self._item = line[item.end() :]
            self._number = item["number"] or ""
        elif self._item:
            self._item += " " + line.strip()
        else:
            yield from self._flush(prose=False)
            self._prose += line.strip() + " "

    def _flush(
        self, *, prose: bool = True, table: bool = True, cut: bool = False
    ) -> Iterator[Statement]:
        """What was open and has ended."""
        item, self._item = self._item, ""
        if item:
            yield self._statement(_entry(self._number, safe(tidy(item))))
        if table and self._table:
            rows, self._table = self._table, []
            if text := _table(rows):
                yield self._statement(text, form="table")
        if prose and self._prose:
            found, self._prose = split(self._prose), ""
            if cut and found and not _STOPPED.search(found[-1]):
                found.pop()
            yield from self._said(found)

    def _said(self, found: Sequence[str]) -> Iterator[Statement]:
        for one in found:
            if text := safe(tidy(one)):
                yield Statement(text=text, opens=self._opens, within=self._within)
                self._opens = False

    def _statement(self, text: str, *, form: Form = "prose") -> Statement:
        self._opens = True
        return Statement(text=text, form=form, opens=True, within=self._within)


def split(text: str) -> list[str]:
    """The sentences of a paragraph; marks after a stop belong to the sentence that it ends."""
    found: list[str] = []
    for one in sentences(_AFTER_STOP.sub(r"\2\1", " ".join(text.split()))):
        lead = _MARKS.match(one.text)
        rest = one.text
        if lead and found:
            found[-1] = f"{found[-1]} {lead[0].strip()}"
            rest = rest[lead.end() :]
        if any(sign.isalnum() for sign in rest):
            found.append(rest)
    return found


def _entry(number: str, text: str) -> str:
    """An entry of a list. Its number is kept where words follow, and none takes it for a fact."""
    counted = number and _WORDED.match(without_marks(text))
    return f"{int(number)}. {text}" if counted else f"- {text}"


def _table(rows: Sequence[str]) -> str:
    """A table of at least one row under its head, each row as wide as the head; or nothing."""
    cells = [
        [safe(tidy(cell)) for cell in re.split(r"(?<!\\)\|", row.strip("|"))]
        for row in rows
        if not _TABLE_RULE.match(row)
    ]
    if len(cells) < 2:
        return ""
    wide = len(cells[0])
    lines = [f"| {' | '.join([*row, *[''] * wide][:wide])} |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * wide, *lines[1:]])
