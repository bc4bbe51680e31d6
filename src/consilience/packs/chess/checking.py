"""Can the moves of a statement be played where what it cites has them?

That each move stands in the source, with its number, the engine looks for itself; but moves of a
main line, of variations and of comments stand side by side in a text, and a line that is put
together from several of them may be one that nobody can play. So a line of a statement is followed
on the board. Nothing is said of a move that the source itself has where it cannot be played, nor
of one that is not there at all, which the engine has seen already. And what stands beside the names
of two players must be what they played: a sideline has to be called one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import chess

from consilience.packs.chess.notation import FEN, numbered, read_move
from consilience.packs.chess.passage_moves import Held, Spot, Token, bare, held, is_move, runs
from consilience.types import Checked, Exhibit, Fault, Passage
from consilience.understand.names import surface

_CALLED = re.compile(
    r"\b(?:variations?|varianten?|side-?\s?lines?|nebenvariante\w*|alternativ\w*|instead|could|would"
    r"|might|may|can|should|if|unless|not(?:es?|ed)?|never|analys\w*|comment\w*|better|stronger|best"
    r"|improv\w*|possib\w*|threat\w*|suggest\w*|recommend\w*|prefer\w*|modern|theory|ideas?|later"
    r"|follows?|wins?|loses?|fails?|allow\w*|avoid\w*|refut\w*|miss\w*|overlook\w*|reject\w*|rather"
    r"|könn\w*|würd\w*|wäre\w*|hätt\w*|statt|stattdessen|wenn|besser\w*|nicht|pourrait|aurait|serait"
    r"|mieux|podría\w*|habría\w*|mejor|potrebbe|avrebbe|meglio)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|(?<![\w\"])\"[^\"]*\"(?![\w\"])")


def check(text: str, cited: Sequence[Exhibit]) -> Checked:
    """The lines and positions of a statement that what it cites does not bear out.

    What is quoted is compared letter by letter elsewhere. Only faults are counted as facts: the
    moves of a sound line were counted by those who looked for them in the text.
    """
    said = _QUOTED.sub(lambda match: " " * len(match[0]), text)
    faults = [*_positions(said, cited)]
    said = FEN.sub(lambda match: " " * len(match[0]), said)
    every = list(runs(said))
    lines = [line for line in every if len(line) > 1]
    if lines:
        sources = [held(one.passage) for one in cited]
        faults += [fault for line in lines if (fault := _line(line, sources, cited)) is not None]
    if every and not faults and not _CALLED.search(said):
        faults += _sidelines(every, said, cited)
    return Checked(facts=len(faults), faults=tuple(faults))


def _positions(text: str, cited: Sequence[Exhibit]) -> Iterator[Fault]:
    """What is wrong with the positions that a statement gives."""
    for match in FEN.finditer(text):
        from consilience.packs.chess.drawing import draw  # noqa: PLC0415 - rare, and draws

        found = draw(match[0], cited)
        if isinstance(found, str):
            yield Fault(check="position", value=match[0], told=found)


def _line(line: Sequence[Token], sources: Sequence[Held], cited: Sequence[Exhibit]) -> Fault | None:
    """What is wrong with a line of moves; None where nothing is, or nothing can be said."""
    ways = [(source.reach(line), source) for source in sources]
    way, _ = max(ways, key=lambda one: len(one[0]), default=([], None))
    if len(way) == len(line):
        return None
    token = line[len(way)]
    if not way or any(source.cannot_tell(token) for source in sources):
        return None
    if not any(_has(source, token) for source in sources):
        return None  # not in the text at all: that is seen without a board
    if any(_stands(line, one) for one in cited):
        return None
    number = numbered(way[-1].ply + 1)
    return Fault(check="move", value=token.spelt, told=_told(token, number, way[-1], cited))


# --- what was played --------------------------------------------------------------------


def _sidelines(
    lines: Sequence[Sequence[Token]], said: str, cited: Sequence[Exhibit]
) -> list[Fault]:
    """Lines that stand under the names of players who did not play them."""
    named = [one for one in cited if _names(one.passage, said)]
    others = [held(one.passage) for one in cited if one not in named]
    found = []
    for line in lines if named else ():
        faults = [_not_played(line, one) for one in named]
        elsewhere = any(len(other.reach(line)) == len(line) for other in others)
        if all(faults) and not elsewhere:
            found += [fault for fault in faults[:1] if fault is not None]
    return found


def _names(passage: Passage, said: str) -> bool:
    """Whether a statement names both players of a game; one without a result is a line of study."""
    if passage.kind != "game" or not passage.metadata.get("result"):
        return False
    sides = [str(passage.metadata.get(side, "")) for side in ("white", "black")]
    words = set(surface(said).split())
    last = [surface(one.partition(",")[0]).split()[-1:] for one in sides]
    return all(own and own[0] in words for own in last)


def _not_played(line: Sequence[Token], exhibit: Exhibit) -> Fault | None:
    """What is wrong where a line is in a game's notes and another was played; else None."""
    source = held(exhibit.passage)
    played = source.played
    for first in played.values():
        main = [played.get(first.ply + place) for place in range(len(line))]
        if all(spot and is_move(spot, one) for spot, one in zip(main, line, strict=True)):
            return None
    way = source.reach(line)
    aside = next((spot for spot in way if not spot.main), None)
    if aside is None or len(way) < len(line):
        return None
    other = played[aside.ply].name if aside.ply in played else source.instead.get(aside.ply, "")
    if not other:
        return None
    told = f'"{aside.name}" is from a sideline of [{exhibit.mark}]; the game went {other}'
    return Fault(check="sideline", value=aside.name, told=told)


def _has(source: Held, token: Token) -> bool:
    move = bare(token.move)
    return any(
        bare(spot.san) == move and token.ply in {None, spot.ply}
        for spot in source.spots
        if spot.san
    )


def _stands(line: Sequence[Token], exhibit: Exhibit) -> bool:
    """Whether a source of prose has the whole line like this, move after move."""
    if exhibit.passage.kind == "game":
        return False
    wanted = [bare(one.move) for one in line]
    for run in runs(exhibit.passage.text):
        moves = [bare(one.move) for one in run]
        for start in range(len(moves) - len(wanted) + 1):
            if moves[start : start + len(wanted)] == wanted:
                return True
    return False


def _told(token: Token, number: str, last: Spot, cited: Sequence[Exhibit]) -> str:
    where = " or ".join(f"[{one.mark}]" for one in cited)
    said = f"{number}{token.spelt}"
    move = read_move(last.board, token.move)
    if move is None or move == chess.Move.null():
        return f'"{said}" cannot be played after {last.name} in {where}'
    return f'"{said}" is not played after {last.name} in {where}'
