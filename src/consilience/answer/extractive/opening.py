"""What answers the question at once? A value of a row, a link between what it names, a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.answer.extractive import comparing, games, links, listing, which_games
from consilience.answer.extractive.aim import WITHOUT_MEANING, Aim, above
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.opened import Opening
from consilience.answer.extractive.picking import Pick, picked
from consilience.answer.extractive.played import asked_moves
from consilience.answer.extractive.prose import Teller
from consilience.answer.extractive.scoring import Candidate, Reading
from consilience.answer.extractive.themes import kind_of
from consilience.answer.extractive.wording import quoted, shortened
from consilience.answer.figures import wanted
from consilience.answer.moves import MOVE
from consilience.answer.sentences import one_line
from consilience.types import Exhibit, Statement

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
    best = which_games.fitting(played, asked)[0]
    if which_games.wanted_by(asked) and not which_games.named(best, asked):
        best = which_games.first_piece(best, played)
    told = games.statements(best, asked, comments=comments, board=board)
    return Opening(statements=told, marks={best.mark})


def shown(first: Opening, asked: str) -> list[Statement]:
    """The board of the first line that an opening of prose quotes from the first move on.

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
    return []


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
    text = f"{quoted([shortened(one_line(one.passage.text))])} [{one.mark}]"
    told = Statement(text=text, opens=True, quotes={one.mark: one.passage.text})
    return Opening(statements=[told], marks={one.mark})


def _sides(aim: Aim) -> Opening | None:
    """Where two things are compared: a sentence that names both, and the best of each side."""
    if aim.pair is None:
        return None
    one, other = aim.pair
    lack = WITHOUT_MEANING if aim.reading.vectors is None else 0.0
    respects = comparing.aspect(aim.reading.asked.text, aim.pair)
    among = [
        each
        for each in prose(aim.reading)
        if each.score >= COMPARED - lack
        and (not respects or not respects.isdisjoint(terms(f"{each.around} {each.sentence.text}")))
    ]
    best = max((each.score for each in among), default=0.0)
    both = [
        each
        for each in among
        if all(side.within(each.sentence.text) for side in aim.pair) and each.score >= BOTH * best
    ]
    found = picked(aim.reading, both, words=ROOM, least=0.0, most=1)
    for side, opposite in ((one, other), (other, one)):
        of_side = [
            each
            for each in among
            if side.within(above(each)) and not opposite.within(each.sentence.text)
        ]
        told = {part.key for pick in found for part in pick.parts}
        best_of_side = picked(aim.reading, of_side, words=ROOM, least=0.0, most=1)
        found += [pick for pick in best_of_side if pick.best.key not in told]
    if not found:
        return None
    several = len({pick.best.exhibit.passage.title for pick in found}) > 1
    teller = Teller(aim.reading.asked, named=several, english=False)
    return Opening(statements=teller.paragraph(found), picks=found)


def _sentences(aim: Aim) -> Opening | None:
    """The best sentence; a second one where the question is open and it is nearly as good."""
    reading = aim.reading
    among = prose(reading)
    best = max((one.score for one in among), default=0.0)
    found = picked(reading, among, words=1, least=0.0, most=1)
    if not found and among:
        one = max(among, key=order)
        found = [Pick(one, (one,))]
    if not found:
        return None
    if not aim.one_thing:
        left = ROOM - found[0].words
        here = [one for one in among if one.mark == found[0].mark and aim.speaks(one)]
        found += picked(reading, here, words=left, least=SECOND * best, most=1, before=found)
    teller = Teller(reading.asked, named=False, english=False)
    return Opening(
        statements=teller.paragraph(found), picks=found, complete=_answers(found[0].best, aim)
    )


def _answers(one: Candidate, aim: Aim) -> bool:
    """Whether a sentence answers a question for one thing, as far as can be told.

    A definition does, where the answer is to be concise.
    """
    lack = WITHOUT_MEANING if aim.reading.vectors is None else 0.0
    kind = one.signs.kind > 0 or not aim.reading.asked.one_thing
    if "meaning" in aim.reading.asked.kinds and aim.length == "concise" and one.signs.kind == 1.0:
        return True
    return aim.one_thing and kind and one.score >= SURE - lack
