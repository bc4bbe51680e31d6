"""What answers the question at once? A value of a row, a link between what it names, a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from consilience.answer.drawn import has_drawing
from consilience.answer.extractive import (
    cells,
    comparing,
    games,
    links,
    listing,
    rows,
    stories,
    which_games,
)
from consilience.answer.extractive.aim import LEADS, WITHOUT_MEANING, Aim, about_itself
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.leaning import leans_hard
from consilience.answer.extractive.opened import Opening
from consilience.answer.extractive.picking import Pick, length, picked, telling
from consilience.answer.extractive.played import asked_moves
from consilience.answer.extractive.prose import Teller, board
from consilience.answer.extractive.scoring import Candidate, Reading
from consilience.answer.extractive.themes import kind_of
from consilience.answer.extractive.wording import quoted, shortened
from consilience.answer.figures import wanted
from consilience.answer.moves import MOVE
from consilience.answer.sentences import one_line
from consilience.types import Exhibit, Length, Statement

SECOND = 0.9
"""The share of the best score from which a second sentence belongs to the opening."""
ROOM = 75
"""Words of an opening of two sentences."""
SURE = 1.7
"""The score from which a sentence that has what is asked for is the answer, with a model."""
COMPARED = 0.8
"""The score that a sentence on one side of a comparison must have, with a model."""
BOTH = 0.75
"""The share of the best score from which a sentence that names both sides opens a comparison."""
FOLLOWING: Mapping[Length, int] = {"concise": 1, "balanced": 2, "in-depth": 2}
"""Sentences that may follow the first where they lean on it."""
_FROM_START = re.compile(
    rf"(?<![\w.])1\.\s?{MOVE}[+#]?(?:\s+(?:\d{{1,2}}\.\s?)?{MOVE}[+#]?(?![\w-]))+"
)


def opening(
    exhibits: Sequence[Exhibit],
    aim: Aim,
    *,
    most: int,
    links_most: int,
) -> Opening:
    """The opening of an answer; `most` rows or `links_most` links at most."""
    return (
        listing.row(exhibits, aim)
        or listing.table(exhibits, aim, most)
        or _links(exhibits, aim, links_most)
        or _sides(aim)
        or _sentences(aim)
        or _whatever(exhibits)
    )


def game(exhibits: Sequence[Exhibit], asked: str, *, comments: int, board: bool) -> Opening | None:
    """The best game as an opening, with so many of its comments, and a board if wanted."""
    played = [one for one in exhibits if kind_of(one) == "games"]
    if not played:
        return None
    whole = which_games.asked_game(exhibits, asked)
    if whole:
        told = stories.told(whole, asked, comments=comments, board=board)
        return Opening(statements=told, marks={one.mark for one in whole})
    best = which_games.fitting(played, asked)[0]
    if which_games.wanted_by(asked) and not which_games.named(best, asked):
        best = which_games.first_piece(best, played)
    told = games.statements(best, asked, comments=comments, board=board)
    return Opening(statements=told, marks={best.mark})


def shown(first: Opening, asked: str, reading: Reading) -> list[Statement]:
    """The board of the first line that an opening of prose quotes from the first move on, or of
    the position that is written down beside it.

    Where the question names moves, only of a line that leads to the last of them.
    """
    named = [one.move for one in asked_moves(asked)]
    for pick in first.picks:
        exhibit = pick.best.exhibit
        line = _FROM_START.search(" ".join(part.sentence.text for part in pick.parts))
        if line is None or (named and named[-1] not in line[0].rstrip("+#").split(".")[-1].split()):
            continue
        if exhibit.passage.metadata.get("positions"):
            text = f"{wanted(one_line(line[0]))} [{exhibit.mark}]"
            return [Statement(text=text, form="lines", opens=True)]
    return board(first.picks, reading) if not named else []


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
    names = links.Names.among(linked, reading.asked)
    joining = [one for one in linked if links.joins(one, names)]
    paths = [one for one in joining if one.passage.kind == "path"]
    answers = links.answering(linked, names)
    chosen = paths[:1] or links.defining(linked, reading.asked) or (answers or joining)[:most]
    if not chosen and kind_of(best.exhibit) == "links":
        chosen = [best.exhibit]
    if "reason" in reading.asked.kinds and not any(_has_reason(one, reading) for one in chosen):
        return None
    made = Opening(marks={one.mark for one in chosen})
    best_of_all = best.exhibit in chosen and aim.one_thing
    made.complete = bool(paths) or (bool(answers) and best_of_all)
    for one in chosen:
        made.statements.extend(links.statements(one, reading.of(one.mark), made.told))
    return made if made.statements else None


def _has_reason(exhibit: Exhibit, reading: Reading) -> bool:
    return any(reading.asked.answers(one.sentence.text) for one in reading.of(exhibit.mark))


def _whatever(exhibits: Sequence[Exhibit]) -> Opening:
    """The first passage as it is, where none of it is a sentence."""
    if not exhibits:
        return Opening()
    one = exhibits[0]
    if kind_of(one) == "rows":
        return Opening(statements=[rows.alone(cells.row_of(one))], marks={one.mark})
    text = f"{quoted([shortened(one_line(one.passage.text))])} [{one.mark}]"
    told = Statement(text=text, opens=True, quotes={one.mark: one.passage.text})
    return Opening(statements=[told], marks={one.mark})


def _sides(aim: Aim) -> Opening | None:
    """Where two things are compared: a sentence that names both, and the best of each side."""
    if aim.pair is None:
        return None
    lack = WITHOUT_MEANING if aim.reading.vectors is None else 0.0
    respects = comparing.aspect(aim.reading.asked.text, aim.pair)
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
    apart = [each for each in both if comparing.contrasts(each.sentence.text)]
    return apart or [each for each in both if each.score >= BOTH * best]


def _side_of(one: Candidate, aim: Aim) -> comparing.Side | None:
    """Which side of a comparison a sentence is about: by itself, or by the nearest heading."""
    passage = one.exhibit.passage
    levels = (one.sentence.text, *reversed(passage.locator.section), passage.title)
    return comparing.side_of(levels, aim.pair) if aim.pair else None


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
    return aim.one_thing and kind and one.score >= SURE - lack
