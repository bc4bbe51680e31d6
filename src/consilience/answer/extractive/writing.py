"""How are chosen sentences, rows, links and lines put together? The answer first, then the rest.

After the opening come the parts of the outline that have something to add, those with the best
passages first. Parts of a line or two are put together at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consilience.answer.extractive import (
    cells,
    comparing,
    games,
    links,
    matching,
    rows,
    which_games,
)
from consilience.answer.extractive.aim import CERTAIN, HALF, Aim, is_record
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.moving import move_terms
from consilience.answer.extractive.opened import Opening
from consilience.answer.extractive.opening import game, opening, order, prose, shown
from consilience.answer.extractive.picking import Pick, length, picked
from consilience.answer.extractive.prose import Teller, board
from consilience.answer.extractive.scoring import Candidate, Reading, read
from consilience.answer.extractive.themes import Theme, kind_of, themes
from consilience.answer.extractive.wording import said, shortened
from consilience.answer.figures import parted
from consilience.answer.sentences import one_line
from consilience.answer.task import Log, Task
from consilience.answer.words import is_english
from consilience.marks import marks_in
from consilience.markup import plain, without_marks
from consilience.protocols import Embedder
from consilience.types import Exhibit, Length, Outline, Said, Section, Statement

if TYPE_CHECKING:
    from consilience.answer.transcript import Transcript

SMALL = 30
"""Words of a part; smaller ones follow the opening without a heading."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer of some length may hold.

    So many `words` in `quotations` besides the opening, or `further` ones where a question asks
    for one thing, a name or a number. So many links, rows, games, comments of each game, and
    boards where they can be drawn. With `goes_on` more is said after a complete answer.
    """

    words: int
    links: int
    rows: int
    games: int
    comments: int
    boards: int
    further: int
    quotations: int
    headings: bool = True
    goes_on: bool = False


LIMITS: Mapping[Length, Limits] = {
    "concise": Limits(
        words=90,
        links=3,
        rows=12,
        games=1,
        comments=1,
        boards=1,
        further=1,
        quotations=2,
        headings=False,
    ),
    "balanced": Limits(
        words=260, links=5, rows=20, games=3, comments=3, boards=2, further=2, quotations=8
    ),
    "in-depth": Limits(
        words=850,
        links=12,
        rows=40,
        games=6,
        comments=8,
        boards=4,
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
        found = cells.records(one.exhibit)
        named = {row.text for row in matching.named(found, self.reading.asked.text)}
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
    aim = Aim(read(task.question, task.exhibits, embedder), task.length)
    limits = LIMITS[task.length]
    lines = which_games.wanted_by(task.question) or (
        task.emphasis == "lines" and not aim.is_behind(task.exhibits) and not _missed(task, aim)
    )
    first = _first(task, aim, limits, lines=lines)
    parts = themes(task.exhibits, task.length)
    parts.sort(key=lambda theme: ((theme.kind == "games") != lines, theme.marks))
    return Work(task, aim, parts, limits, first, ideas=not lines)


def _missed(task: Task, aim: Aim) -> bool:
    """Whether prose has a move that the question asks about, and no game has it."""
    asked = set(aim.reading.asked.moves)
    told = any(
        asked & move_terms(one.sentence.text)
        for one in prose(aim.reading)
        if aim.leads(one.exhibit)
    )
    played = [one for one in task.exhibits if kind_of(one) == "games"]
    return told and not any(which_games.named(one, task.question) for one in played)


def _first(task: Task, aim: Aim, limits: Limits, *, lines: bool) -> Opening:
    """The opening: a game where lines come first, there is nothing else, or it is by far the most
    relevant; else what answers.
    """
    if task.opening:
        marks = {mark for one in task.opening for mark in marks_in(one.text)}
        return Opening(statements=list(task.opening), marks=marks, complete=True)
    board = bool(task.drawing)
    alone = all(kind_of(one) == "games" for one in task.exhibits)
    whole = bool(which_games.asked_game(task.exhibits, task.question))
    if lines or alone or whole or (aim.pair is None and aim.begins_with(task.exhibits)):
        made = game(task.exhibits, task.question, comments=limits.comments, board=board)
        if made is not None:
            return made
    found = opening(task.exhibits, aim, most=limits.rows, links_most=limits.links)
    if board:
        found.statements.extend(shown(found, task.question, aim.reading))
    return found


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
    """The parts after the opening, under headings where there are several.

    Where the question is answered, only games follow that have the move which it names.
    """
    if work.opening.complete and not work.limits.goes_on:
        played = [one for part in work.parts if part.kind == "games" for one in part.exhibits]
        return _games(
            work, [one for one in played if which_games.named(one, work.task.question) > 1]
        )
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
    if theme.kind == "games":
        return _games(work, left)
    if theme.kind == "links":
        return _links(work, left)
    picks = [pick for pick in new if pick.mark in theme.marks]
    return [*teller.paragraph(picks, under), *_board(work, picks)]


def _board(work: Work, picks: Sequence[Pick]) -> list[Statement]:
    """The position that is written down beside what is quoted, unless the opening shows one."""
    drawn = any(parted(one.text)[1] for one in work.opening.statements)
    return board(picks, work.reading) if work.task.drawing and not drawn else []


def _rows(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    """The rows that have what the question says, or what it asks of those that it names."""
    asked = work.reading.asked
    found = []
    for table in cells.tables(left):
        columns = matching.wanted(table, asked)
        kept = [
            row
            for row in matching.named(table, asked.text)
            if any(column in row.cells for column in columns)
        ]
        if not kept and matching.mentioned(table, asked.text) and not matching.tells(asked):
            kept = [row for row in matching.fitting(table, asked) if work.near(row.exhibit)]
        if kept:
            found.append(rows.table(kept[: work.limits.rows], asked, among=table))
    return found


def _games(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    comments, question = work.limits.comments, work.task.question
    if which_games.asked_game(work.task.exhibits, question):
        return []
    near = [one for one in left if not work.aim.doubtful(one) or which_games.related(one, question)]
    boards = work.limits.boards if work.task.drawing else 0
    boards -= any(parted(one.text)[1] for one in work.opening.statements)
    found: list[tuple[Exhibit, list[Statement]]] = []
    for one in _by_sides(which_games.fitting(near, question), work.aim.pair):
        drawn = len(found) < boards
        told = games.statements(one, question, comments=comments, board=drawn)
        silent = all(each.form == "lines" for each in told) or not which_games.touched(
            one, question
        )
        if not (silent and found and work.ideas):
            found.append((one, told))
        if len(found) == work.limits.games:
            break
    return [statement for _, told in which_games.in_order(found) for statement in told]


def _by_sides(
    played: Sequence[Exhibit], pair: tuple[comparing.Side, comparing.Side] | None
) -> list[Exhibit]:
    """Games in their order; where two things are compared, the first of each come before."""
    if pair is None:
        return list(played)
    of = {one.mark: comparing.side_of(_levels(one), pair) for one in played}
    first = [next((one for one in played if of[one.mark] == side), None) for side in pair]
    chosen = [one for one in first if one is not None]
    return [*chosen, *(one for one in played if one not in chosen)]


def _levels(exhibit: Exhibit) -> tuple[str, ...]:
    """What a game is about: its header, then what it belongs to."""
    passage = exhibit.passage
    known = [str(passage.metadata.get(one, "")) for one in ("white", "chapter", "opening")]
    return (" ".join(known), passage.text.partition("\n\n")[0], passage.title)


def _links(work: Work, left: Sequence[Exhibit]) -> list[Statement]:
    """The links that are near; those whose relation answers, where one thing is asked for."""
    told = set(work.opening.told)
    near = [one for one in left if work.near(one)]
    names = links.Names.among(left, work.reading.asked)
    if work.aim.one_thing:
        near = [one for one in links.answering(left, names) if one in near]
    if "reason" in work.reading.asked.kinds:
        near = [
            one for one in near if any(each.signs.kind > 0 for each in work.reading.of(one.mark))
        ]
    if work.aim.pair is not None:
        near = [one for one in near if links.joins(one, names)]
    made = [links.statements(one, work.reading.of(one.mark), told) for one in near]
    return [
        statement
        for statements in [one for one in made if one][: work.limits.links]
        for statement in statements
    ]
