"""How are chosen sentences, rows, links and lines put together? The answer first, then the rest.

The opening answers at once: a value of a row, a link between two things that the question names,
or the best sentence. Then come the parts of the outline, each with what it adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.answer.extractive import games, links, rows
from consilience.answer.extractive.picking import Pick, length, picked
from consilience.answer.extractive.prose import Teller
from consilience.answer.extractive.reading import Candidate, Reading, read
from consilience.answer.extractive.themes import Theme, kind_of, themes
from consilience.answer.extractive.wording import is_english, said, shortened
from consilience.answer.markup import plain, without_marks
from consilience.answer.sentences import one_line
from consilience.answer.task import Log, Task
from consilience.protocols import Embedder
from consilience.types import Exhibit, Length, Outline, Said, Section, Statement

if TYPE_CHECKING:
    from consilience.answer.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer of some length may hold.

    `words` of quotations, sentences that score at least this `share` of the best, so many links,
    rows, games and comments of each; `second` lets a second sentence into the opening.
    """

    words: int
    share: float
    links: int
    rows: int
    games: int
    comments: int
    headings: bool = True


LIMITS: Mapping[Length, Limits] = {
    "concise": Limits(words=90, share=0.8, links=2, rows=5, games=1, comments=1, headings=False),
    "balanced": Limits(words=260, share=0.65, links=4, rows=12, games=3, comments=3),
    "in-depth": Limits(words=850, share=0.5, links=10, rows=40, games=6, comments=8),
}


@dataclass(slots=True)
class Composition:
    """An answer as it is put together: what was read, what was said, and what is left."""

    task: Task
    reading: Reading
    parts: list[Theme]
    limits: Limits
    opening: list[Statement] = field(default_factory=list)
    said: list[Pick] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    @property
    def least(self) -> float:
        """The score that a sentence must have to be said."""
        return self.limits.share * max((one.score for one in self.reading.candidates), default=0.0)


def write(
    task: Task, transcript: Transcript, embedder: Embedder | None, log: Log
) -> Iterator[Said]:
    """Say an answer, statement by statement."""
    work = _begun(task, embedder)
    _open(work)
    log.outline = _outline(work)
    for statement in (*work.opening, *_body(work)):
        yield transcript.say(statement)


def outline(task: Task, embedder: Embedder | None = None) -> Outline:
    """The parts that an answer should have; every exhibit is in one of them."""
    work = _begun(task, embedder)
    _open(work)
    return _outline(work)


def _begun(task: Task, embedder: Embedder | None) -> Composition:
    reading = read(task.question, task.exhibits, embedder)
    return Composition(task, reading, themes(task.exhibits, task.length), LIMITS[task.length])


def _outline(work: Composition) -> Outline:
    sections = [
        Section(heading=theme.heading, marks=theme.marks, point=_point(work, theme))
        for theme in work.parts
    ]
    told = " ".join(without_marks(one.text) for one in work.opening if one.form == "prose")
    return Outline(sections=tuple(sections), opening=plain(told))


def _point(work: Composition, theme: Theme) -> str:
    among = [one for one in work.reading.candidates if one.mark in theme.marks]
    if theme.kind != "prose" or not among:
        return ""
    best = max(among, key=lambda one: (one.score, -one.mark, -one.place))
    return plain(said(shortened(one_line(best.sentence.text))))


# --- the opening ------------------------------------------------------------------------


def _open(work: Composition) -> None:
    """Answer at once, by a row, a link or a sentence."""
    if not (_open_with_row(work) or _open_with_table(work) or _open_with_link(work)):
        _open_with_prose(work)


def _open_with_row(work: Composition) -> bool:
    """Where the question names one or two rows and asks for a value of theirs."""
    for table in rows.tables(work.task.exhibits):
        named = rows.named(table, work.task.question)
        columns = rows.wanted(table, work.reading.asked)
        having = [row for row in named if any(column in row.cells for column in columns)]
        if 0 < len(having) <= 2:
            work.opening = [rows.sentence(row, columns, table) for row in having]
            work.used.update(row.mark for row in having)
            return True
    return False


def _open_with_table(work: Composition) -> bool:
    """Where rows lead the evidence."""
    first = work.task.exhibits[:3]
    if not first or sum(one.passage.kind == "row" for one in first) * 2 <= len(first):
        return False
    table = max(
        rows.tables(work.task.exhibits), key=lambda one: (len(one), -one[0].mark), default=[]
    )
    found = rows.fitting(table, work.reading.asked)[: work.limits.rows]
    if not found:
        return False
    work.opening = [rows.table(found, work.reading.asked, among=table)]
    work.used.update(row.mark for row in table)
    return True


def _open_with_link(work: Composition) -> bool:
    """Where a path or edge joins what the question names, or a link answers better than prose."""
    linked = [one for one in work.task.exhibits if kind_of(one) == "links"]
    joining = [one for one in linked if links.joins(one, work.reading.asked)]
    best = max(work.reading.candidates, key=_order, default=None)
    chosen = joining[0] if joining else best.exhibit if best else None
    if chosen is None or kind_of(chosen) != "links":
        return False
    work.opening = links.statements(chosen, work.reading.of(chosen.mark))
    work.used.add(chosen.mark)
    return True


def _open_with_prose(work: Composition) -> None:
    among = _prose(work)
    best = picked(work.reading, among, words=1, least=0.0)
    if not best and among:
        one = max(among, key=_order)
        best = [Pick(one, (one,))]
    if best:
        work.said.extend(best[:1])
        work.opening = Teller(named=False, english=True).paragraph(best[:1])


def _order(one: Candidate) -> tuple[float, int, int]:
    return (one.score, -one.mark, -one.place)


def _prose(work: Composition) -> list[Candidate]:
    return [one for one in work.reading.candidates if kind_of(one.exhibit) == "prose"]


# --- the rest ---------------------------------------------------------------------------


def _body(work: Composition) -> list[Statement]:
    """The parts after the opening, those with the best sentences first, under headings."""
    spent = sum(length(one.text) for one in work.opening)
    new = picked(
        work.reading,
        _prose(work),
        words=work.limits.words - spent,
        least=work.least,
        before=work.said,
    )
    teller = Teller(
        named=len({one.best.exhibit.passage.document for one in (*work.said, *new)}) > 1,
        english=is_english(work.task.question),
    )
    filled = [
        (theme, statements)
        for theme in _ordered(work)
        if (statements := _filled(work, theme, new, teller))
    ]
    headed = work.limits.headings and len(filled) > 1
    found: list[Statement] = []
    for theme, statements in filled:
        if headed:
            found.append(Statement(text=theme.heading, form="heading"))
        found.extend(statements)
    return found


def _ordered(work: Composition) -> list[Theme]:
    """Lines of games first, or ideas, as the answer is meant; else by the best passage."""
    lines = work.task.emphasis == "lines"
    return sorted(work.parts, key=lambda theme: ((theme.kind == "games") != lines, theme.marks))


def _filled(
    work: Composition, theme: Theme, new: Sequence[Pick], teller: Teller
) -> list[Statement]:
    """What is said in one part."""
    left = [one for one in theme.exhibits if one.mark not in work.used]
    if theme.kind == "rows":
        return _rows(work, left)
    if theme.kind == "games":
        return [
            statement
            for one in left[: work.limits.games]
            for statement in games.statements(
                one, work.task.question, comments=work.limits.comments
            )
        ]
    if theme.kind == "links":
        return _links(work, left)
    picks = [pick for pick in new if pick.mark in theme.marks]
    return teller.paragraph(picks, theme.heading if work.limits.headings else "")


def _rows(work: Composition, left: Sequence[Exhibit]) -> list[Statement]:
    """The rows that the question names or that are near its best passages, as one table."""
    near = [one for one in left if _near(work, one)]
    found = [
        rows.table(kept[: work.limits.rows], work.reading.asked, among=table)
        for table in rows.tables(near)
        if (kept := rows.fitting(table, work.reading.asked))
    ]
    return found


def _links(work: Composition, left: Sequence[Exhibit]) -> list[Statement]:
    near = [one for one in left if _near(work, one)][: work.limits.links]
    return [
        statement for one in near for statement in links.statements(one, work.reading.of(one.mark))
    ]


def _near(work: Composition, exhibit: Exhibit) -> bool:
    return any(one.score >= work.least for one in work.reading.of(exhibit.mark))
