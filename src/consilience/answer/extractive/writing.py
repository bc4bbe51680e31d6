"""How are chosen sentences, rows, links and lines put together? The answer first, then the rest.

After the opening come the parts of the outline that have something to add, those with the best
passages first. Parts of a line or two are put together at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consilience.answer.extractive import cells, games, links, matching, rows
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.opening import Opening, opening, order, prose
from consilience.answer.extractive.picking import Pick, length, picked
from consilience.answer.extractive.prose import Teller
from consilience.answer.extractive.reading import Candidate, Reading, read
from consilience.answer.extractive.themes import Theme, themes
from consilience.answer.extractive.wording import is_english, said, shortened
from consilience.answer.markup import plain, without_marks
from consilience.answer.sentences import one_line
from consilience.answer.task import Log, Task
from consilience.protocols import Embedder
from consilience.types import Exhibit, Length, Outline, Said, Section, Statement

if TYPE_CHECKING:
    from consilience.answer.transcript import Transcript

SMALL = 30
"""Words of a part; smaller ones are put together under one heading."""
ELSEWHERE = "Elsewhere"
FARTHER = 1.1
"""How much more a sentence must score that is not of the passage which opens the answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer of some length may hold.

    So many `words` in `quotations` besides the opening, or `further` ones where a question asks
    for one thing, a name or a number; of sentences that score at least this `share` of the best.
    So many links, rows, games, and comments of each game.
    """

    words: int
    share: float
    links: int
    rows: int
    games: int
    comments: int
    further: int
    quotations: int
    headings: bool = True


LIMITS: Mapping[Length, Limits] = {
    "concise": Limits(
        words=90,
        share=0.75,
        links=3,
        rows=6,
        games=1,
        comments=1,
        further=1,
        quotations=2,
        headings=False,
    ),
    "balanced": Limits(
        words=260, share=0.65, links=5, rows=12, games=3, comments=3, further=3, quotations=12
    ),
    "in-depth": Limits(
        words=850, share=0.5, links=12, rows=40, games=6, comments=8, further=8, quotations=40
    ),
}


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer is put together from."""

    task: Task
    reading: Reading
    parts: list[Theme]
    limits: Limits
    opening: Opening

    @property
    def least(self) -> float:
        """The score that a sentence must have to be said."""
        best = max((one.score for one in self.reading.candidates), default=0.0)
        return self.limits.share * best

    def adds(self, one: Candidate) -> bool:
        """Whether a candidate speaks of the row whose value is the answer, if there is one."""
        subject = self.opening.subject
        shared = subject & set(terms(f"{one.around} {one.sentence.text}"))
        return 3 * len(shared) >= 2 * len(subject)

    def belongs(self, one: Candidate) -> bool:
        """Whether a sentence is of the passage that opens, or nearer than those need be."""
        opens = {pick.mark for pick in self.opening.picks}
        return one.mark in opens or one.score >= FARTHER * self.least

    def near(self, exhibit: Exhibit) -> bool:
        """Whether some of an exhibit is good enough to be said."""
        found = self.reading.of(exhibit.mark)
        return any(one.score >= self.least and self.adds(one) for one in found)


def write(
    task: Task, transcript: Transcript, embedder: Embedder | None, log: Log
) -> Iterator[Said]:
    """Say an answer, statement by statement."""
    work = _begun(task, embedder)
    log.outline = _outline(work)
    for statement in (*work.opening.statements, *_body(work)):
        yield transcript.say(statement)


def outline(task: Task, embedder: Embedder | None = None) -> Outline:
    """The parts that an answer should have; every exhibit is in one of them."""
    return _outline(_begun(task, embedder))


def _begun(task: Task, embedder: Embedder | None) -> Work:
    reading = read(task.question, task.exhibits, embedder)
    limits = LIMITS[task.length]
    lines = task.emphasis == "lines"
    first = opening(
        task.exhibits,
        reading,
        most=limits.rows,
        links_most=limits.links,
        lines=limits.comments if lines else 0,
    )
    parts = themes(task.exhibits, task.length)
    parts.sort(key=lambda theme: ((theme.kind == "games") != lines, theme.marks))
    return Work(task, reading, parts, limits, first)


def _outline(work: Work) -> Outline:
    sections = [
        Section(heading=theme.heading, marks=theme.marks, point=_point(work, theme))
        for theme in work.parts
    ]
    told = " ".join(
        without_marks(one.text) for one in work.opening.statements if one.form == "prose"
    )
    return Outline(sections=tuple(sections), opening=plain(told))


def _point(work: Work, theme: Theme) -> str:
    among = [one for one in work.reading.candidates if one.mark in theme.marks]
    if theme.kind != "prose" or not among:
        return ""
    best = max(among, key=order)
    return plain(said(shortened(one_line(best.sentence.text))))


# --- the rest ---------------------------------------------------------------------------


def _body(work: Work) -> list[Statement]:
    """The parts after the opening, under headings where there are several."""
    spent = sum(length(one.text) for one in work.opening.statements)
    new = picked(
        work.reading,
        [one for one in prose(work.reading) if work.adds(one) and work.belongs(one)],
        words=work.limits.words - spent,
        least=work.least,
        most=work.limits.further if work.reading.asked.one_thing else work.limits.quotations,
        before=work.opening.picks,
    )
    teller = Teller(
        work.reading.asked,
        named=len({one.best.exhibit.passage.title for one in (*work.opening.picks, *new)}) > 1,
        english=is_english(work.task.question),
    )
    filled = [(theme, _filled(work, theme, new, teller)) for theme in work.parts]
    return _headed(work, [(theme, told) for theme, told in filled if told], new, teller)


def _headed(
    work: Work,
    filled: Sequence[tuple[Theme, list[Statement]]],
    new: Sequence[Pick],
    teller: Teller,
) -> list[Statement]:
    """Parts under their headings; small ones of prose together, where there are others."""
    if not work.limits.headings or len(filled) < 2:
        return [statement for _, statements in filled for statement in statements]
    small = [
        (theme, statements)
        for theme, statements in filled
        if theme.kind == "prose" and sum(length(one.text) for one in statements) < SMALL
    ]
    joined = small if len(small) > 1 and is_english(work.task.question) else []
    found: list[Statement] = []
    for part in filled:
        if part not in joined:
            found += [Statement(text=part[0].heading, form="heading"), *part[1]]
    if joined:
        found.append(Statement(text=ELSEWHERE, form="heading"))
        for theme, _ in joined:
            picks = [pick for pick in new if pick.mark in theme.marks]
            found += teller.paragraph(picks, ELSEWHERE)
    return found


def _filled(work: Work, theme: Theme, new: Sequence[Pick], teller: Teller) -> list[Statement]:
    """What is said in one part."""
    left = [one for one in theme.exhibits if one.mark not in work.opening.marks]
    if theme.kind == "rows":
        return _rows(work, left)
    if theme.kind == "games":
        return _games(work, left)
    if theme.kind == "links":
        return _links(work, left)
    picks = [pick for pick in new if pick.mark in theme.marks]
    return teller.paragraph(picks, theme.heading if work.limits.headings else "")


def _rows(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    """The rows that the question names, or that are as near as its best passages."""
    asked = work.reading.asked
    found = []
    for table in cells.tables(left):
        kept = matching.named(table, asked.text) or [
            row for row in matching.fitting(table, asked) if work.near(row.exhibit)
        ]
        if kept:
            found.append(rows.table(kept[: work.limits.rows], asked, among=table))
    return found


def _games(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    comments, question = work.limits.comments, work.task.question
    return [
        statement
        for one in left[: work.limits.games]
        for statement in games.statements(one, question, comments=comments)
    ]


def _links(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    told = set(work.opening.told)
    near = [one for one in left if work.near(one)]
    made = [links.statements(one, work.reading.of(one.mark), told) for one in near]
    return [
        statement
        for statements in [one for one in made if one][: work.limits.links]
        for statement in statements
    ]
