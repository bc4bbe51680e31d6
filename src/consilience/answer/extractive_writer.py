"""How is an answer written without a language model? From the words of the evidence.

The stages are those of a model: an outline by theme and kind of evidence, sentences and rows chosen
for each part, and all of it put together so that it reads. Nothing is said that is not quoted or
printed in the evidence, and the same evidence always gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from consilience.answer import excerpts, records
from consilience.answer.excerpts import (
    LINKS,
    WEIGHTS,
    Asked,
    Candidate,
    Pick,
    Reading,
    has_drawing,
    headed_scores,
    leans_hard,
    length,
    marks,
    picked,
    quoted,
    read,
    said,
    shortened,
    source,
    telling,
    telling_heading,
    terms,
    titled,
)
from consilience.answer.figures import parted, wanted
from consilience.answer.question_words import named_in
from consilience.answer.task import Log, Task
from consilience.kinds import whole_kinds
from consilience.notations import diagrams, figure_line, notation_terms
from consilience.pack import PassageWriter
from consilience.protocols import Embedder
from consilience.text_markup import find_marks, strip_marks, unescape_markdown
from consilience.types import Exhibit, Length, Outline, Said, Section, Statement
from consilience.understand.sentences import one_line
from consilience.understand.words import is_english

if TYPE_CHECKING:
    from consilience.answer.transcript import Transcript


# --- How do chosen sentences become a paragraph? ------------------------------------------


GAP = 1
"""Sentences that may be left out inside one quotation."""
TOGETHER = 3
"""Sentences apart from one another in one quotation."""
PARAGRAPH = 4
"""Quotations of a paragraph."""


@dataclass(slots=True)
class Teller:
    """Puts quotations together; remembers what was quoted last, so as to name a source once.

    With `named` sources are named at all; with `english` connecting words are used.
    """

    asked: Asked
    named: bool
    english: bool
    _last: Exhibit | None = None

    def paragraph(self, picks: Sequence[Pick], under: str = "") -> list[Statement]:
        """The statements of one part, in paragraphs, under a heading or none."""
        self._last = None
        found: list[Statement] = []
        held = 0
        for group in _grouped(picks):
            listed = _records(group)
            if listed:
                found.append(self._listed(listed))
                held = 0
                continue
            full = held + len(group) > PARAGRAPH
            found.append(self.statement(group, opens=not held or full, under=under))
            held = len(group) if full else held + len(group)
        return found

    def _listed(self, listed: Sequence[records.Row]) -> Statement:
        """Lines of names and values: one as a sentence, several as a table."""
        self._last = listed[0].exhibit
        listed = records.named(listed, self.asked.text) or listed
        columns = records.columns_of(listed)
        if len(listed) == 1:
            return records.sentence(listed[0], columns[1:], listed)
        return records.table(listed, self.asked, among=listed, columns=columns)

    def statement(self, group: Sequence[Pick], *, opens: bool, under: str = "") -> Statement:
        """Neighbouring sentences of one exhibit as one quotation, with its source and marks."""
        parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
        also = {one.mark: one for pick in group for one in pick.also} if len(group) == 1 else {}
        exhibit = parts[0].exhibit
        pieces = _pieces(parts)
        intro = self._intro(exhibit, under)
        cited = [exhibit.mark, *(mark for mark in also if mark != exhibit.mark)]
        words = [shortened(one_line(one)) for one in pieces] if len(parts) == 1 else pieces
        text = f"{intro}{quoted(words)} {marks(cited)}"
        quotes = {exhibit.mark: pieces[0] if len(pieces) == 1 else " … ".join(pieces)}
        quotes.update({mark: one.sentence.text for mark, one in also.items()})
        self._last = exhibit
        return Statement(text=text, opens=opens, quotes=quotes, within=(exhibit.mark,))

    def _intro(self, exhibit: Exhibit, under: str) -> str:
        """What stands before a quotation: its source, where that is not clear already."""
        passage = exhibit.passage
        section = telling_heading(passage)
        last = self._last.passage if self._last else None
        if last is not None and last.title == passage.title:
            new = section and section not in (under, telling_heading(last))
            return f"Under “{section}”: " if new and self.english else ""
        name = source(passage, part=section != under)
        if not self.named or not name or titled(passage.title) == under:
            return ""
        return f"{name}: "


def diagram(picks: Sequence[Pick], reading: Reading) -> list[Statement]:
    """The first diagram that is written down beside quoted sentences, as a figure to be drawn.

    Beside them is what stands between them, or before the sentence that follows.
    """
    for pick in picks:
        text = pick.best.exhibit.passage.text
        last = max(one.place for one in pick.parts)
        after = [one.sentence.start for one in reading.of(pick.mark) if one.place == last + 1]
        found = diagrams(text[pick.parts[0].sentence.start : (after or [len(text)])[0]])
        if found:
            shown = f"{wanted(found[0])} [{pick.mark}]"
            return [Statement(text=shown, form="lines", opens=True)]
    return []


def _records(group: Sequence[Pick]) -> list[records.Row]:
    """The lines of a table that a group consists of; none if it has other sentences."""
    parts = sorted({one.key: one for pick in group for one in pick.parts}.values(), key=_place)
    found = [records.record(one.exhibit, one.sentence.text) for one in parts]
    lines = [row for row in found if row is not None]
    return lines if len(lines) == len(parts) and all(map(_in_table, lines)) else []


def _in_table(row: records.Row) -> bool:
    """Whether a line of names and values is one of several with the same columns."""
    same = [one for one in records.records(row.exhibit) if set(one.cells) == set(row.cells)]
    return len(same) > 1


def _place(one: Candidate) -> int:
    return one.place


def _grouped(picks: Sequence[Pick]) -> list[list[Pick]]:
    """Picks by exhibit and in reading order, a few together; lines of a table by themselves."""
    groups: list[list[Pick]] = []
    end, block = 0, -1
    for pick in sorted(picks, key=lambda one: (one.mark, one.parts[0].place)):
        first = pick.parts[0]
        near = first.place - end <= GAP + 1 and first.sentence.block == block
        last = groups[-1] if groups else []
        if last and last[0].mark == pick.mark and _fits(pick, last, near=near):
            last.append(pick)
        else:
            groups.append([pick])
        end = max(one.place for one in pick.parts)
        block = pick.parts[-1].sentence.block
    return groups


def _fits(pick: Pick, group: Sequence[Pick], *, near: bool) -> bool:
    if _is_record(pick) or _is_record(group[0]):
        return _is_record(pick) and _is_record(group[0])
    return near or len(group) < TOGETHER


def _is_record(pick: Pick) -> bool:
    return records.record(pick.best.exhibit, pick.best.sentence.text) is not None


def _pieces(parts: Sequence[Candidate]) -> list[str]:
    """The exact pieces of the passage that the sentences make up; neighbours are one piece."""
    text = parts[0].exhibit.passage.text
    pieces: list[tuple[int, int]] = []
    last = -2
    for one in parts:
        start, end = one.sentence.start, one.sentence.end
        if pieces and one.place == last + 1 and not has_drawing(text[pieces[-1][1] : start]):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        last = one.place
    return [text[start:end] for start, end in pieces]


# --- Does a sentence add to an answer? ----------------------------------------------------


LEAST: dict[Length, float] = {"concise": 1.3, "balanced": 1.2, "in-depth": 0.75}
"""The score below which a sentence adds nothing, with a model of meaning."""
ENOUGH: dict[Length, float] = {"concise": 1.8, "balanced": 1.45, "in-depth": 1.0}
"""The score from which a sentence may be said however good the best is."""
SHARE: dict[Length, float] = {"concise": 0.8, "balanced": 0.7, "in-depth": 0.45}
AT_HOME: dict[Length, float] = {"concise": 0.75, "balanced": 0.6, "in-depth": 0.4}
"""The share of the best score that is enough in the passage which the answer begins with."""
TOUCHED = 0.1
"""The share of the question's words that a sentence there must have in it or around it."""
WITHOUT_MEANING = 0.4
"""What scores lack where there is no model of meaning."""
COVERED: dict[Length, float] = {"concise": 0.4, "balanced": 0.4, "in-depth": 0.2}
"""The share of the question's words, by rarity, in a sentence and what is above and before it."""
ALMOST = 0.6
"""The share of what the best has of them, where that is less."""
NEARLY = 0.8
"""The share of the best score that is enough where even the best is below `LEAST`."""
HALF = 0.5
"""The share that a sentence must have by itself where the question is answered already."""
CERTAIN = 0.6
"""The share that a sentence of a doubtful passage must have by itself."""
SURE = 0.8
"""That share where the headings of the passage have little of the question's words as well."""
DOUBTFUL: dict[Length, float] = {"concise": 0.1, "balanced": 0.1, "in-depth": 0.05}
"""Passages less relevant than this are doubtful."""
BEHIND: dict[Length, float] = {"concise": 0.3, "balanced": 0.25, "in-depth": 0.12}
"""The share of the best relevance below which passages are doubtful too."""
UNHEADED = 0.6
"""That share for prose under headings which have little of what the question is about."""
HEADED = 0.6
"""The share of what the best headings have of the question's words; with less they have little."""
LEADS = 0.4
"""The share of the best relevance of prose that a passage must have to begin an answer."""
BELOW = 1.5
"""How much more relevant than any whole passage prose is that an answer begins with anyway."""
LIKELY = 0.2
"""The relevance that a whole passage must have to begin an answer."""
ABOVE = 2.0
"""How much more relevant than any prose it must be."""
_ABOUT_ITSELF = re.compile(
    r"\bthis (?:chapter|book|section|paper|article|report|post|page|tutorial|guide|e-?text)\b"
    r"|\b(?:recommend|suggest) (?:that )?you (?:to )?(?:read|check|look)\b|\bcheck out\b"
    r"|\bin the (?:next|previous|last|following) (?:chapter|section|example)\b|\be-text of\b"
    r"|\bwe (?:will|shall|are going to) (?:now )?(?:see|turn|look|discuss|learn|cover|show)\b"
    r"|^(?:title|author|copyright|isbn)\b\s*:",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)\b",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|for|in|at)\b|['’]s\b", re.IGNORECASE)


@dataclass(frozen=True)
class Aim:
    """What the sentences of an answer must speak of, and how well."""

    reading: Reading
    length: Length
    writers: Mapping[str, PassageWriter] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[frozenset[str]]:
        """The words of each name in the question."""
        found = (terms(" ".join(word.text for word in one)) for one in named_in(self._text))
        return [own for one in found if (own := frozenset(term for term in one if len(term) > 1))]

    @cached_property
    def pair(self) -> tuple[excerpts.Side, excerpts.Side] | None:
        """The two things that the question compares, if it does; two that a passage joins,
        such as the players of a game, are not compared.
        """
        pair = excerpts.sides(self._text)
        if pair is None:
            return None
        sides = [side.within for side in pair]
        passages = {one.mark: one.exhibit.passage for one in self.reading.candidates}.values()
        joined = any(
            writer.joins(passage, sides) for passage in passages for writer in self.writers.values()
        )
        return None if joined else pair

    @cached_property
    def least(self) -> float:
        """The score that a sentence must have to be said."""
        best = max((one.score for one in self.reading.candidates), default=0.0)
        lack = WITHOUT_MEANING if self.reading.vectors is None else 0.0
        low, high = LEAST[self.length] - lack, ENOUGH[self.length] - lack
        return max(min(low, NEARLY * best), min(high, SHARE[self.length] * best))

    @cached_property
    def least_at_home(self) -> float:
        """The score that a sentence of the passage must have which the answer begins with."""
        best = max((one.score for one in self.reading.candidates), default=0.0)
        return min(self.least, AT_HOME[self.length] * best)

    @cached_property
    def one_thing(self) -> bool:
        """Whether one thing is asked for: a name, a number, or what something of something is."""
        asked = self.reading.asked
        part = asked.kinds == {"meaning"} and bool(_OF.search(asked.text))
        return asked.one_thing or part

    @cached_property
    def yes_or_no(self) -> bool:
        """Whether a yes or a no is asked for, and not by comparing two things."""
        return self.pair is None and bool(_YES_NO.match(self._text))

    @cached_property
    def _covered(self) -> float:
        """The least share of the question's words: that of the best may be small."""
        most = max((_coverage(one) for one in self.reading.candidates), default=0.0)
        return min(COVERED[self.length], ALMOST * most)

    @property
    def _text(self) -> str:
        return self.reading.asked.text

    def hit_by(self, one: Candidate, home: Container[int] = ()) -> bool:
        """Whether a candidate adds: it speaks of what is asked, and its passage is no guess.

        Less is asked of the passages that the answer begins with, its `home`: they go on with it.
        """
        if about_itself(one):
            return False
        if one.mark in home:
            touched = _coverage(one) >= TOUCHED or not self.reading.asked.terms
            return one.score >= self.least_at_home and touched
        if one.score < self.least or not self.speaks(one):
            return False
        return not self.doubtful(one.exhibit) or self._certain(one)

    def _certain(self, one: Candidate) -> bool:
        """Whether a sentence adds by itself, however doubtful its passage and wherever in it."""
        if one.score - WEIGHTS.begins * one.signs.begins < self.least:
            return False
        kind = not self.reading.asked.kinds or one.signs.kind >= 0.5
        off = is_prose(one) and self._off(one.exhibit)
        return kind and one.signs.words >= (SURE if off else CERTAIN)

    def speaks(self, one: Candidate) -> bool:
        """Whether what the question is about stands in a sentence, its heading or its title."""
        text = above(one)
        if self.pair is not None:
            return any(side.within(text) for side in self.pair)
        held = set(terms(text))
        if self.names and not any(2 * len(own & held) >= len(own) for own in self.names):
            return False
        return _coverage(one) >= self._covered

    def doubtful(self, exhibit: Exhibit) -> bool:
        """Whether a passage is too far behind the best to be told of for its own sake."""
        if exhibit.relevance is None:
            return False
        least = max(DOUBTFUL[self.length], BEHIND[self.length] * self._most_relevant)
        if exhibit.passage.kind not in LINKS | whole_kinds() and self._off(exhibit):
            least = max(least, UNHEADED * self._most_relevant_prose)
        return exhibit.relevance < least

    def _off(self, exhibit: Exhibit) -> bool:
        """Whether the headings of a passage have little of what headings of others have."""
        return 0.0 < HEADED * max(self._headed.values()) > self._headed[exhibit.mark]

    def leads(self, exhibit: Exhibit) -> bool:
        """Whether an answer may begin with a passage of prose: it is among the most relevant."""
        if exhibit.relevance is None:
            return True
        return exhibit.relevance >= LEADS * self._most_relevant_prose

    def begins_with(self, exhibits: Sequence[Exhibit]) -> bool:
        """Whether an exhibit with its own writer leads: it is far more relevant than all prose."""
        wholes = [one for one in exhibits if one.passage.kind in self.writers]
        best = max((one.relevance or 0.0 for one in wholes), default=0.0)
        return best >= max(LIKELY, ABOVE * self._most_relevant_prose)

    def is_behind(self, exhibits: Sequence[Exhibit]) -> bool:
        """Whether all exhibits with writers of their own are much less relevant than some prose."""
        wholes = [one for one in exhibits if one.passage.kind in self.writers]
        best = max((one.relevance or 0.0 for one in wholes), default=0.0)
        return any(one.relevance is not None for one in wholes) and (
            self._most_relevant_prose >= BELOW * best
        )

    @cached_property
    def nearest(self) -> set[int]:
        """The mark of the most relevant passage of prose, if it is not doubtful."""
        found = {one.mark: one.exhibit for one in self.reading.candidates if is_prose(one)}
        sure = [one for one in found.values() if not self.doubtful(one)]
        best = max(sure, key=lambda one: (one.relevance or 0.0, -one.mark), default=None)
        return set() if best is None else {best.mark}

    @cached_property
    def _headed(self) -> dict[int, float]:
        """The share of the question's words in the headings of each exhibit."""
        found = {one.mark: one.exhibit for one in self.reading.candidates}
        return headed_scores(self.reading.asked, list(found.values()))

    @cached_property
    def _most_relevant_prose(self) -> float:
        found = (one.exhibit.relevance or 0.0 for one in self.reading.candidates if is_prose(one))
        return max(found, default=0.0)

    @cached_property
    def _most_relevant(self) -> float:
        return max((one.exhibit.relevance or 0.0 for one in self.reading.candidates), default=0.0)


def about_itself(one: Candidate) -> bool:
    """Whether a sentence speaks of the text that it stands in."""
    return _ABOUT_ITSELF.search(one.sentence.text) is not None


def _coverage(one: Candidate) -> float:
    return one.signs.words + one.signs.around


def above(one: Candidate) -> str:
    """A sentence with the headings and the title that it stands under."""
    passage = one.exhibit.passage
    return " ".join((passage.title, *passage.locator.section, one.sentence.text))


def is_prose(one: Candidate) -> bool:
    """Whether a candidate is a sentence of prose."""
    return one.exhibit.passage.kind not in LINKS | whole_kinds()


def is_record(one: Candidate) -> bool:
    """Whether a candidate is a line of names and values inside a document."""
    return records.record(one.exhibit, one.sentence.text) is not None


# --- What was said first, and is the question answered by it? -----------------------------


@dataclass(slots=True)
class Opening:
    """What is said first: the statements, what they rest on, and what the rest must speak of.

    `subject` are the words of a row's name, where its value is the answer: what says nothing of
    it adds nothing. `told` are sentences of links that were said. With `complete` the question is
    answered, and more is said only where an answer in depth is wanted. `before` and `after` are
    remarks of our own on what was found.
    """

    statements: list[Statement] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    marks: set[int] = field(default_factory=set)
    subject: frozenset[str] = frozenset()
    told: set[str] = field(default_factory=set)
    complete: bool = False
    before: str = ""
    after: str = ""


# --- Which rows open an answer? -----------------------------------------------------------


FEW = 2
"""Rows that are told as sentences; more are a table."""
MANY = 6
"""Rows of one name that may be meant together."""
LEADING = 3
"""Passages at the top: where most of them are rows, a table opens."""
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)


def row(exhibits: Sequence[Exhibit], aim: Aim) -> Opening | None:
    """Where the question names a few rows and asks for a value of theirs, or compares them."""
    asked = aim.reading.asked
    if records.tells(asked) and aim.pair is None:
        return None
    for table in [*records.tables(exhibits), *records.printed(exhibits)]:
        named = records.named(table, asked.text)
        if not 0 < len(named) <= MANY:
            continue
        if aim.pair is not None:
            compared = _compared(named, table, aim)
            if compared is not None:
                return compared
            continue
        columns = records.wanted(table, asked)
        if not records.covers(table, named, columns, asked):
            continue
        having = [one for one in named if any(column in one.cells for column in columns)]
        if having:
            return _told(having, columns, table, aim)
        if lacking := records.asked_by_name(table, asked):
            statements = [records.missing(one, lacking, table) for one in named[:FEW]]
            return _made(statements, named[:FEW], table, aim)
    return None


def _compared(
    named: Sequence[records.Row], table: Sequence[records.Row], aim: Aim
) -> Opening | None:
    """The rows of both sides: what is asked of them, or all that they have where nothing is."""
    if aim.pair is None:
        return None
    name = records.name_column(table)
    names = [one.cells.get(name, "") for one in named]
    if not all(any(side.within(one) for one in names) for side in aim.pair):
        return None
    columns = records.wanted(table, aim.reading.asked)
    having = [one for one in named if any(column in one.cells for column in columns)]
    if len(having) > 1:
        named = having
    if not columns and excerpts.aspect(aim.reading.asked.text, aim.pair):
        return None
    shown = records.table(
        named, aim.reading.asked, among=table, columns=columns or records.common(named)
    )
    made = _made([shown], named, table, aim)
    made.complete = bool(columns)
    made.subject = frozenset()
    return made


def _told(
    chosen: Sequence[records.Row], columns: Sequence[str], table: Sequence[records.Row], aim: Aim
) -> Opening:
    """Rows with the values that are asked for: a sentence each, or a table of several."""
    asked = aim.reading.asked
    if len(chosen) > FEW:
        statements = [records.table(chosen, asked, among=table, columns=columns)]
    else:
        statements = [records.sentence(one, columns, table) for one in chosen]
    made = _made(statements, chosen, table, aim)
    made.complete = "meaning" not in asked.kinds or bool(records.asked_by_name(table, asked))
    return made


def _made(
    statements: list[Statement],
    chosen: Sequence[records.Row],
    table: Sequence[records.Row],
    aim: Aim,
) -> Opening:
    name = records.name_column(table)
    lines = {(one.mark, one.text) for one in chosen}
    told = [one for one in aim.reading.candidates if (one.mark, one.sentence.text) in lines]
    names = " ".join(one.cells.get(name, "") for one in chosen)
    return Opening(
        statements=statements,
        picks=[Pick(one, (one,)) for one in told],
        marks={one.mark for one in table if one.exhibit.passage.kind == "row"},
        subject=frozenset(terms(names)) - frozenset(terms(" ".join(records.general(table)))),
    )


def table(exhibits: Sequence[Exhibit], aim: Aim, most: int) -> Opening | None:
    """Where rows lead the evidence, or those that have what the question says are among it."""
    asked = aim.reading.asked
    found = min(records.tables(exhibits), key=lambda one: one[0].mark, default=[])
    wrong = records.tells(asked) or "meaning" in asked.kinds or aim.pair is not None
    if not found or wrong or not records.restricts(found, asked):
        return None
    leading = exhibits[:LEADING]
    first = sum(one.passage.kind == "row" for one in leading) * 2 > len(leading)
    listed = records.mentioned(found, asked.text)
    kept = records.fitting(found, asked)
    if not kept or not (first or (len(listed) > 1 and len(kept) > 1)):
        return None
    if len(kept) == 1 and not _COUNT.search(asked.text):
        columns = list(dict.fromkeys([*records.wanted(found, asked), *listed]))
        return _told(kept, columns, found, aim)
    shown = records.table(kept[:most], asked, among=found)
    made = Opening(statements=[shown], marks={one.mark for one in found}, complete=True)
    if is_english(asked.text) and records.compares_all(found, asked):
        _remark(made, asked, len(kept), min(most, len(kept)), found[0])
    return made


def _remark(made: Opening, asked: Asked, fitting: int, shown: int, one: records.Row) -> None:
    """How many rows fit, of those that were found: the table may have others."""
    name = said(one.exhibit.passage.locator.table or one.exhibit.passage.title)
    rows_fit = "row fits" if fitting == 1 else "rows fit"
    part = f"; the first {shown} are shown" if shown < fitting else ""
    if _COUNT.search(asked.text):
        made.before = f"{fitting} {rows_fit}, of those that were found in “{name}”{part}."
    else:
        made.after = f"{fitting} of the rows that were found fit{part}; “{name}” may have others."


# --- What parts does an answer have? ------------------------------------------------------


PARTS: Mapping[Length, int] = {"concise": 3, "balanced": 4, "in-depth": 7}
"""Parts of prose in an answer."""
ALIKE = 0.6
"""The share of words from which passages of two documents are one part."""
SAME_DOCUMENT = 0.3
SAME_CHAPTER = 0.3


@dataclass(frozen=True, slots=True)
class Theme:
    """A part of an answer: what kind it is, its heading, and its exhibits in order."""

    kind: str
    heading: str
    exhibits: tuple[Exhibit, ...]

    @property
    def marks(self) -> tuple[int, ...]:
        """The marks of its exhibits."""
        return tuple(one.mark for one in self.exhibits)


def themes(
    exhibits: Sequence[Exhibit],
    length: Length,
    writers: Mapping[str, PassageWriter] | None = None,
) -> list[Theme]:
    """The parts, in the order of their best passages; every exhibit is in one of them."""
    prose = [one for one in exhibits if kind_of(one) == "prose"]
    found = [*_joined(_prose(prose, PARTS[length])), *_others(exhibits, writers or {})]
    return sorted(found, key=lambda theme: theme.marks)


def kind_of(exhibit: Exhibit) -> str:
    """`prose`, `rows`, `links`, or the kind of a passage that is not cut into sentences."""
    kind = exhibit.passage.kind
    if kind in LINKS:
        return "links"
    if kind == "row":
        return "rows"
    return kind if kind in whole_kinds() else "prose"


def _others(exhibits: Sequence[Exhibit], writers: Mapping[str, PassageWriter]) -> list[Theme]:
    groups: dict[tuple[str, str], list[Exhibit]] = {}
    for one in exhibits:
        kind = kind_of(one)
        if kind == "rows":
            table = one.passage.locator.table or one.passage.title
            groups.setdefault((kind, table), []).append(one)
        elif kind != "prose":
            groups.setdefault((kind, ""), []).append(one)
    names = {"links": "Connections", **{kind: one.heading for kind, one in writers.items()}}
    return [
        Theme(
            kind,
            f"In the table “{said(table)}”" if kind == "rows" else names.get(kind, titled(kind)),
            tuple(group),
        )
        for (kind, table), group in groups.items()
    ]


def _prose(exhibits: Sequence[Exhibit], most: int) -> list[Theme]:
    groups: dict[tuple[str, ...], list[Exhibit]] = {}
    for one in exhibits:
        passage = one.passage
        key = (passage.collection, passage.document, *passage.locator.section)
        groups.setdefault(key, []).append(one)
    parts = [tuple(group) for group in groups.values()]
    words = {one.mark: _words(one) for one in exhibits}
    while len(parts) > 1:
        score, first, second = max(
            (_likeness(parts[a], parts[b], words), -a, -b)
            for a in range(len(parts))
            for b in range(a + 1, len(parts))
        )
        if len(parts) <= most and score < ALIKE + SAME_DOCUMENT:
            break
        joined = sorted((*parts[-first], *parts[-second]), key=lambda one: one.mark)
        parts = [part for at, part in enumerate(parts) if at not in (-first, -second)]
        parts.append(tuple(joined))
    return [Theme("prose", _named(part), part) for part in parts]


def _words(exhibit: Exhibit) -> frozenset[str]:
    return frozenset(term for term in terms(exhibit.passage.text) if len(term) > 3)


def _likeness(
    one: Sequence[Exhibit], other: Sequence[Exhibit], held: Mapping[int, frozenset[str]]
) -> float:
    first, second = (
        frozenset().union(*(held[exhibit.mark] for exhibit in group)) for group in (one, other)
    )
    words = len(first & second) / max(1, min(len(first), len(second)))
    a, b = one[0].passage, other[0].passage
    if a.document != b.document:
        return words
    chapter = a.locator.section[:1] == b.locator.section[:1] and bool(a.locator.section)
    return words + SAME_DOCUMENT + (SAME_CHAPTER if chapter else 0.0)


def _named(part: Sequence[Exhibit]) -> str:
    """The heading that all passages share, else the document's, else that of the best."""
    places = [one.passage.locator.section for one in part]
    shared = places[0]
    for place in places[1:]:
        while place[: len(shared)] != shared:
            shared = shared[:-1]
    passage = part[0].passage
    if len({one.passage.document for one in part}) == 1:
        passage = replace(passage, locator=replace(passage.locator, section=shared))
    return telling_heading(passage) or titled(passage.title)


def _joined(found: Sequence[Theme]) -> list[Theme]:
    """Parts with one heading are one part."""
    groups: dict[str, list[Exhibit]] = {}
    for theme in found:
        groups.setdefault(theme.heading.casefold(), []).extend(theme.exhibits)
    names = {theme.heading.casefold(): theme.heading for theme in reversed(found)}
    return [
        Theme("prose", names[key], tuple(sorted(group, key=lambda one: one.mark)))
        for key, group in groups.items()
    ]


# --- What answers the question at once? ---------------------------------------------------


SECOND = 0.9
"""The share of the best score from which a second sentence belongs to the opening."""
ROOM = 75
"""Words of an opening of two sentences."""
OPENING_SURE = 1.7
"""The score from which a sentence that has what is asked for is the answer, with a model."""
COMPARED = 0.8
"""The score that a sentence on one side of a comparison must have, with a model."""
BOTH = 0.75
"""The share of the best score from which a sentence that names both sides opens a comparison."""
FOLLOWING: Mapping[Length, int] = {"concise": 1, "balanced": 2, "in-depth": 2}
"""Sentences that may follow the first where they lean on it."""


def opening(
    exhibits: Sequence[Exhibit],
    aim: Aim,
    *,
    most: int,
    links_most: int,
) -> Opening:
    """The opening of an answer; `most` rows or `links_most` links at most."""
    return (
        row(exhibits, aim)
        or table(exhibits, aim, most)
        or _links(exhibits, aim, links_most)
        or _sides(aim)
        or _sentences(aim)
        or _whatever(exhibits)
    )


def whole(
    exhibits: Sequence[Exhibit],
    question: str,
    writer: PassageWriter,
    *,
    comments: int,
    figure: bool,
) -> Opening | None:
    """What a writer of whole passages begins an answer with, if it has any."""
    statements, marks = writer.write_opening(exhibits, question, comments=comments, figure=figure)
    return Opening(statements=list(statements), marks=marks) if marks else None


def shown(first: Opening, question: str, reading: Reading) -> list[Statement]:
    """The figure of a line that an opening of prose quotes, or of the diagram beside it."""
    for pick in first.picks:
        exhibit = pick.best.exhibit
        quotation = " ".join(part.sentence.text for part in pick.parts)
        if line := figure_line(exhibit.passage, quotation, question):
            text = f"{wanted(one_line(line))} [{exhibit.mark}]"
            return [Statement(text=text, form="lines", opens=True)]
    return diagram(first.picks, reading) if not notation_terms(question) else []


def prose(reading: Reading) -> list[Candidate]:
    """The candidates that are sentences of prose."""
    return [one for one in reading.candidates if kind_of(one.exhibit) == "prose"]


def order(one: Candidate) -> tuple[float, int, int]:
    """Best first when the largest comes first; ties by mark and place."""
    return (one.score, -one.mark, -one.place)


def _links(exhibits: Sequence[Exhibit], aim: Aim, most: int) -> Opening | None:
    """Where links answer: by what they join, by their relation, or better than any prose."""
    reading = aim.reading
    linked = [one for one in exhibits if kind_of(one) == "links"]
    best = max(reading.candidates, key=order, default=None)
    if not linked or best is None:
        return None
    names = records.Names.among(linked, reading.asked)
    joining = [one for one in linked if records.joins(one, names)]
    paths = [one for one in joining if one.passage.kind == "path"]
    answers = records.answering(linked, names)
    chosen = paths[:1] or records.defining(linked, reading.asked) or (answers or joining)[:most]
    if not chosen and kind_of(best.exhibit) == "links":
        chosen = [best.exhibit]
    if "reason" in reading.asked.kinds and not any(_has_reason(one, reading) for one in chosen):
        return None
    made = Opening(marks={one.mark for one in chosen})
    best_of_all = best.exhibit in chosen and aim.one_thing
    made.complete = bool(paths) or (bool(answers) and best_of_all)
    for one in chosen:
        made.statements.extend(records.statements(one, reading.of(one.mark), made.told))
    return made if made.statements else None


def _has_reason(exhibit: Exhibit, reading: Reading) -> bool:
    return any(reading.asked.answers(one.sentence.text) for one in reading.of(exhibit.mark))


def _whatever(exhibits: Sequence[Exhibit]) -> Opening:
    """The first passage as it is, where none of it is a sentence."""
    if not exhibits:
        return Opening()
    one = exhibits[0]
    if kind_of(one) == "rows":
        return Opening(statements=[records.alone(records.row_of(one))], marks={one.mark})
    text = f"{quoted([shortened(one_line(one.passage.text))])} [{one.mark}]"
    told = Statement(text=text, opens=True, quotes={one.mark: one.passage.text})
    return Opening(statements=[told], marks={one.mark})


def _sides(aim: Aim) -> Opening | None:
    """Where two things are compared: a sentence that names both, and the best of each side."""
    if aim.pair is None:
        return None
    lack = WITHOUT_MEANING if aim.reading.vectors is None else 0.0
    respects = excerpts.aspect(aim.reading.asked.text, aim.pair)
    every = [
        each
        for each in prose(aim.reading)
        if (not respects or not respects.isdisjoint(terms(f"{each.around} {each.sentence.text}")))
    ]
    among = [each for each in every if each.score >= COMPARED - lack]
    found = picked(aim.reading, _naming_both(aim, among), words=ROOM, least=0.0, most=1)
    for side in aim.pair:
        of_side = _led([each for each in among if _side_of(each, aim) == side]) or _led(
            [each for each in every if _side_of(each, aim) == side]
        )
        told = {part.key for pick in found for part in pick.parts}
        best_of_side = picked(aim.reading, of_side, words=ROOM, least=0.0, most=1)
        found += [_gone_on(pick, aim, ROOM) for pick in best_of_side if pick.best.key not in told]
    if not found:
        return None
    several = len({pick.best.exhibit.passage.title for pick in found}) > 1
    teller = Teller(aim.reading.asked, named=several, english=False)
    return Opening(statements=teller.paragraph(found), picks=found)


def _naming_both(aim: Aim, among: Sequence[Candidate]) -> list[Candidate]:
    """The sentences that name both sides, of passages that may lead; those that set one against
    the other, where some do.
    """
    sides = aim.pair or ()
    best = max((each.score for each in among), default=0.0)
    both = [
        each
        for each in among
        if all(side.within(each.sentence.text) for side in sides) and aim.leads(each.exhibit)
    ]
    apart = [each for each in both if excerpts.contrasts(each.sentence.text)]
    return apart or [each for each in both if each.score >= BOTH * best]


def _side_of(one: Candidate, aim: Aim) -> excerpts.Side | None:
    """Which side of a comparison a sentence is about: by itself, or by the nearest heading."""
    passage = one.exhibit.passage
    levels = (one.sentence.text, *reversed(passage.locator.section), passage.title)
    return excerpts.side_of(levels, aim.pair) if aim.pair else None


def _led(among: Sequence[Candidate]) -> list[Candidate]:
    """The sentences of the most relevant of their passages."""
    best = max((each.exhibit.relevance or 0.0 for each in among), default=0.0)
    return [
        each
        for each in among
        if each.exhibit.relevance is None or each.exhibit.relevance >= LEADS * best
    ]


def _sentences(aim: Aim) -> Opening | None:
    """The best sentence of the most relevant passages, and what goes on from it; a second one
    where the question is open and it is nearly as good.
    """
    reading = aim.reading
    every = prose(reading)
    among = [one for one in every if aim.leads(one.exhibit) or _defines(one, aim)]
    best = max((one.score for one in among), default=0.0)
    found = picked(reading, among, words=1, least=0.0, most=1)
    if not found:
        among, best = every, max((one.score for one in every), default=0.0)
        found = picked(reading, among, words=1, least=0.0, most=1)
    if not found:
        quotable = [one for one in among if not has_drawing(one.sentence.text)]
        one = max(quotable, key=order, default=None)
        found = [Pick(one, (one,))] if one else []
    if not found:
        return None
    if not aim.one_thing:
        found = [_gone_on(found[0], aim, ROOM)]
        left = ROOM - found[0].words
        here = [one for one in among if one.mark == found[0].mark and aim.speaks(one)]
        found += picked(reading, here, words=left, least=SECOND * best, most=1, before=found)
    teller = Teller(reading.asked, named=False, english=False)
    return Opening(
        statements=teller.paragraph(found), picks=found, complete=_answers(found[0].best, aim)
    )


def _defines(one: Candidate, aim: Aim) -> bool:
    """Whether a sentence says what is asked for the meaning of, whatever its passage."""
    return "meaning" in aim.reading.asked.kinds and one.signs.kind == 1.0


def _gone_on(pick: Pick, aim: Aim, room: int) -> Pick:
    """A pick with the sentences after it that lean on it and complete the thought."""
    everything = {one.place: one for one in aim.reading.of(pick.mark)}
    parts = list(pick.parts)
    for _ in range(FOLLOWING[aim.length]):
        last = parts[-1]
        following = everything.get(last.place + 1)
        if following is None or following.sentence.block != last.sentence.block:
            break
        text = following.sentence.text
        words = sum(length(one.sentence.text) for one in parts) + length(text)
        joins = leans_hard(text) and telling(text) and not about_itself(following)
        if not joins or words > room:
            break
        parts.append(following)
    return replace(pick, parts=tuple(parts))


def _answers(one: Candidate, aim: Aim) -> bool:
    """Whether a sentence answers a question for one thing, as far as can be told.

    A definition does, where the answer is to be concise.
    """
    lack = WITHOUT_MEANING if aim.reading.vectors is None else 0.0
    kind = one.signs.kind > 0 or not aim.reading.asked.one_thing
    if "meaning" in aim.reading.asked.kinds and aim.length == "concise" and one.signs.kind == 1.0:
        return True
    return aim.one_thing and kind and one.score >= OPENING_SURE - lack


# --- How are chosen sentences, rows, links and lines put together? ------------------------


SMALL = 30
"""Words of a part; smaller ones follow the opening without a heading."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer of some length may hold.

    So many `words` in `quotations` besides the opening, or `further` ones where a question asks
    for one thing, a name or a number. So many links, rows, whole passages, comments of each, and
    figures where they can be drawn. With `goes_on` more is said after a complete answer.
    """

    words: int
    links: int
    rows: int
    wholes: int
    comments: int
    figures: int
    further: int
    quotations: int
    headings: bool = True
    goes_on: bool = False


LIMITS: Mapping[Length, Limits] = {
    "concise": Limits(
        words=90,
        links=3,
        rows=12,
        wholes=1,
        comments=1,
        figures=1,
        further=1,
        quotations=2,
        headings=False,
    ),
    "balanced": Limits(
        words=260, links=5, rows=20, wholes=3, comments=3, figures=2, further=2, quotations=8
    ),
    "in-depth": Limits(
        words=850,
        links=12,
        rows=40,
        wholes=6,
        comments=8,
        figures=4,
        further=6,
        quotations=30,
        goes_on=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer is put together from."""

    task: Task
    aim: Aim
    parts: list[Theme]
    limits: Limits
    opening: Opening
    ideas: bool = True

    @property
    def reading(self) -> Reading:
        """The evidence as it was read."""
        return self.aim.reading

    @property
    def home(self) -> set[int]:
        """The passages of prose that the answer begins with, or would if it did with prose."""
        told = {pick.mark for pick in self.opening.picks}
        return told or self.aim.nearest

    def adds(self, one: Candidate) -> bool:
        """Whether a candidate adds to the answer.

        It speaks of what is asked; of the row whose value is the answer, if there is one; and has
        the kind of thing that is asked for, where that is one thing.
        """
        subject = self.opening.subject
        under = " ".join(one.exhibit.passage.locator.section)
        shared = subject & set(terms(f"{under} {one.sentence.text}"))
        if not self.aim.hit_by(one, self.home) or 3 * len(shared) < 2 * len(subject):
            return False
        if is_record(one) and not self._named(one):
            return False
        if self.opening.complete:
            return one.signs.words >= HALF
        return one.signs.kind > 0 or not self._must_fit or one.signs.words >= CERTAIN

    @property
    def _must_fit(self) -> bool:
        """Whether what is said must have the kind of thing that is asked for."""
        asked = self.reading.asked
        return asked.one_thing or "reason" in asked.kinds

    def _named(self, one: Candidate) -> bool:
        """Whether the question says the name of a line of names and values."""
        found = records.records(one.exhibit)
        named = {row.text for row in records.named(found, self.reading.asked.text)}
        return not found or one.sentence.text in named

    def near(self, exhibit: Exhibit) -> bool:
        """Whether some of an exhibit is good enough to be said."""
        return any(self.adds(one) for one in self.reading.of(exhibit.mark))


def write(
    task: Task, transcript: Transcript, embedder: Embedder | None, log: Log
) -> Iterator[Said]:
    """Say an answer, statement by statement."""
    work = _begun(task, embedder)
    log.outline = _outline(work)
    if work.opening.before:
        yield transcript.remark(work.opening.before)
    for statement in work.opening.statements:
        yield transcript.say(statement)
    if work.opening.after:
        yield transcript.remark(work.opening.after)
    for statement in _body(work):
        yield transcript.say(statement)


def outline(task: Task, embedder: Embedder | None = None) -> Outline:
    """The parts that an answer should have; every exhibit is in one of them."""
    return _outline(_begun(task, embedder))


def _begun(task: Task, embedder: Embedder | None) -> Work:
    aim = Aim(read(task.question, task.exhibits, embedder), task.length, task.writers)
    limits = LIMITS[task.length]
    lines = any(writer.is_asked_for(task.question) for writer in task.writers.values()) or (
        task.emphasis == "lines" and not aim.is_behind(task.exhibits) and not _missed(task, aim)
    )
    first = _first(task, aim, limits, lines=lines)
    parts = themes(task.exhibits, task.length, task.writers)
    parts.sort(key=lambda theme: ((theme.kind in task.writers) != lines, theme.marks))
    return Work(task, aim, parts, limits, first, ideas=not lines)


def _missed(task: Task, aim: Aim) -> bool:
    """Whether prose has an item that the question asks about, and no whole passage has it."""
    asked = set(aim.reading.asked.items)
    told = any(
        asked & notation_terms(one.sentence.text)
        for one in prose(aim.reading)
        if aim.leads(one.exhibit)
    )
    return told and not any(
        task.writers[one.passage.kind].match(one, task.question)
        for one in task.exhibits
        if one.passage.kind in task.writers
    )


def _first(task: Task, aim: Aim, limits: Limits, *, lines: bool) -> Opening:
    """The opening: a whole passage where lines come first, there is nothing else, or it is by far
    the most relevant; else what answers.
    """
    if task.opening:
        marks = {mark for one in task.opening for mark in find_marks(one.text)}
        return Opening(statements=list(task.opening), marks=marks, complete=True)
    figure = bool(task.drawing)
    alone = all(one.passage.kind in task.writers for one in task.exhibits)
    for writer in task.writers.values():
        about_one = bool(writer.find_whole(task.exhibits, task.question))
        leads = lines or alone or about_one
        if leads or (aim.pair is None and aim.begins_with(task.exhibits)):
            found = whole(
                task.exhibits, task.question, writer, comments=limits.comments, figure=figure
            )
            if found is not None:
                return found
    found = opening(task.exhibits, aim, most=limits.rows, links_most=limits.links)
    if figure:
        found.statements.extend(shown(found, task.question, aim.reading))
    return found


def _outline(work: Work) -> Outline:
    sections = [
        Section(heading=theme.heading, marks=theme.marks, point=_point(work, theme))
        for theme in work.parts
    ]
    told = " ".join(strip_marks(one.text) for one in work.opening.statements if one.form == "prose")
    return Outline(sections=tuple(sections), opening=unescape_markdown(told))


def _point(work: Work, theme: Theme) -> str:
    among = [one for one in work.reading.candidates if one.mark in theme.marks]
    if theme.kind != "prose" or not among:
        return ""
    best = max(among, key=order)
    return unescape_markdown(said(shortened(one_line(best.sentence.text))))


# --- the rest ---------------------------------------------------------------------------


def _body(work: Work) -> list[Statement]:
    """The parts after the opening, under headings where there are several.

    Where the question is answered, only whole passages follow that have what it names.
    """
    if work.opening.complete and not work.limits.goes_on:
        return [
            statement
            for part in work.parts
            if (writer := work.task.writers.get(part.kind))
            for statement in _wholes(
                work,
                [one for one in part.exhibits if writer.match(one, work.task.question) > 1],
                writer,
            )
        ]
    spent = sum(length(one.text) for one in work.opening.statements)
    new = picked(
        work.reading,
        [one for one in prose(work.reading) if work.adds(one)],
        words=work.limits.words - spent,
        least=min(work.aim.least, work.aim.least_at_home),
        most=_most(work),
        before=work.opening.picks,
    )
    teller = Teller(
        work.reading.asked,
        named=len({one.best.exhibit.passage.title for one in (*work.opening.picks, *new)}) > 1,
        english=is_english(work.task.question),
    )
    return _headed(work, new, teller)


def _most(work: Work) -> int:
    """How many quotations may follow: fewer where one thing is asked for, or a yes or no."""
    if work.aim.one_thing:
        return work.limits.further
    whole = work.limits.quotations
    return (whole + 1) // 2 if work.aim.yes_or_no else whole


def _headed(work: Work, new: Sequence[Pick], teller: Teller) -> list[Statement]:
    """Parts under their headings, where there are several; what is small comes before them."""
    filled = [(theme, _filled(work, theme, new, teller, under="")) for theme in work.parts]
    filled.sort(key=lambda part: work.home.isdisjoint(part[0].marks))
    large = [theme for theme, told in filled if _large(theme, told, new)]
    if not work.limits.headings or len(large) < 2:
        return [statement for _, told in filled for statement in told]
    found = [statement for theme, told in filled if theme not in large for statement in told]
    for theme in large:
        told = _filled(work, theme, new, teller, under=theme.heading)
        found += [Statement(text=theme.heading, form="heading"), *told]
    return found


def _large(theme: Theme, told: Sequence[Statement], new: Sequence[Pick]) -> bool:
    """Whether a part has enough for a heading of its own: more than a sentence."""
    if theme.kind != "prose":
        return (theme.kind == "rows" and bool(told)) or len(told) > 1
    several = sum(len(pick.parts) for pick in new if pick.mark in theme.marks) > 1
    return several and sum(length(one.text) for one in told) >= SMALL


def _filled(
    work: Work, theme: Theme, new: Sequence[Pick], teller: Teller, *, under: str
) -> list[Statement]:
    """What is said in one part."""
    left = [one for one in theme.exhibits if one.mark not in work.opening.marks]
    if theme.kind == "rows":
        return _rows(work, left)
    if theme.kind in work.task.writers:
        return _wholes(work, left, work.task.writers[theme.kind])
    if theme.kind == "links":
        return _writing_links(work, left)
    picks = [pick for pick in new if pick.mark in theme.marks]
    return [*teller.paragraph(picks, under), *_diagram(work, picks)]


def _diagram(work: Work, picks: Sequence[Pick]) -> list[Statement]:
    """The diagram that is written down beside what is quoted, unless the opening shows one."""
    drawn = any(parted(one.text)[1] for one in work.opening.statements)
    return diagram(picks, work.reading) if work.task.drawing and not drawn else []


def _rows(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    """The rows that have what the question says, or what it asks of those that it names."""
    asked = work.reading.asked
    found = []
    for table in records.tables(left):
        columns = records.wanted(table, asked)
        kept = [
            row
            for row in records.named(table, asked.text)
            if any(column in row.cells for column in columns)
        ]
        if not kept and records.mentioned(table, asked.text) and not records.tells(asked):
            kept = [row for row in records.fitting(table, asked) if work.near(row.exhibit)]
        if kept:
            found.append(records.table(kept[: work.limits.rows], asked, among=table))
    return found


def _wholes(work: Work, left: Sequence[Exhibit], writer: PassageWriter) -> list[Statement]:
    """What a writer of whole passages says of some, those near the question."""
    comments, question = work.limits.comments, work.task.question
    if writer.find_whole(work.task.exhibits, question):
        return []
    near = [one for one in left if not work.aim.doubtful(one) or writer.is_related(one, question)]
    figures = work.limits.figures if work.task.drawing else 0
    figures -= any(parted(one.text)[1] for one in work.opening.statements)
    found: list[tuple[Exhibit, Sequence[Statement]]] = []
    for one in _by_sides(writer.rank(near, question), work.aim.pair, writer):
        drawn = len(found) < figures
        written = writer.write(one, question, comments=comments, figure=drawn)
        telling = writer.is_telling(one, written, question)
        if telling or not found or not work.ideas:
            found.append((one, written))
        if len(found) == work.limits.wholes:
            break
    return [statement for _, written in writer.arrange(found) for statement in written]


def _by_sides(
    exhibits: Sequence[Exhibit],
    pair: tuple[excerpts.Side, excerpts.Side] | None,
    writer: PassageWriter,
) -> list[Exhibit]:
    """Exhibits in their order; where two things are compared, the first of each come before."""
    if pair is None:
        return list(exhibits)
    of = {one.mark: excerpts.side_of(writer.levels(one), pair) for one in exhibits}
    first = [next((one for one in exhibits if of[one.mark] == side), None) for side in pair]
    chosen = [one for one in first if one is not None]
    return [*chosen, *(one for one in exhibits if one not in chosen)]


def _writing_links(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    """The links that are near; those whose relation answers, where one thing is asked for."""
    told = set(work.opening.told)
    near = [one for one in left if work.near(one)]
    names = records.Names.among(left, work.reading.asked)
    if work.aim.one_thing:
        near = [one for one in records.answering(left, names) if one in near]
    if "reason" in work.reading.asked.kinds:
        near = [
            one for one in near if any(each.signs.kind > 0 for each in work.reading.of(one.mark))
        ]
    if work.aim.pair is not None:
        near = [one for one in near if records.joins(one, names)]
    made = [records.statements(one, work.reading.of(one.mark), told) for one in near]
    return [
        statement
        for statements in [one for one in made if one][: work.limits.links]
        for statement in statements
    ]
