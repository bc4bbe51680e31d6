"""What does a question ask for, by its letters? Positions, lines, codes, openings, and reasons.

Nothing is guessed: a FEN is a legal position, a line of moves can be played, a code stands in
capitals, a name stands in the table of openings. A line is played from the start when it begins
with move 1, or has no numbers and can be; from a position or line of the same question, or from
the opening that is named, when its number fits there. Else its moves are kept as they are. A
square alone ("the d5 square", "weak on e6") is no move. What a person can ask is bounded, so that
no question takes long.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

import chess

from consilience.pack import has_words, quoted
from consilience.packs.chess.notation import (
    DESCRIPTIVE,
    FEN,
    MOVE_TOKEN,
    epd,
    fens_in,
    letters_in,
    normalised,
    numbered,
    read_move,
)
from consilience.packs.chess.openings import (
    Name,
    belongs,
    canonical,
    ecos_of,
    lines_of,
    name_of,
    named_in,
    table,
)
from consilience.packs.chess.replay import Replay
from consilience.types import Passage
from consilience.understand.names import surface

_GAP = re.compile(r"[\s,;()\[\]]*(?:(?:and|then)\s+)?")
_SQUARE = re.compile(r"[a-h][1-8]")
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_PLACES = re.compile(
    r"\b(?:on|of|at|from|between|over|squares?|pawns?|outposts?|control|controls|files?|to|via)\s*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*(?:-|and [a-h][1-8]\b|squares?\b|pawns?\b|points?\b|outposts?\b|files?\b|break\b|hole\b)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"\b(?:(?:against|versus|vs\.?|after|meet|meeting|first move|move one)"
    r"|(?:begin|start|open)(?:s|ing)? with"
    r"|(?:repl(?:y|ies)|respon[ds]\w*|answers?|defen[cs]es?|defend\w*|alternatives?)"
    r" (?:to|against))\s*$",
    re.IGNORECASE,
)
_START = chess.Board()
_NEAR = 40  # letters before a move that may say what it is
_MOST_MOVES = 600  # tokens that are read of one text
_MOST_TRIES = 12  # runs that are looked up in the lines of openings
_FEW = 4  # lines of an opening in which a numbered move may be meant
_MOST_BASES = 12  # positions and openings that a run may begin from


@dataclass(frozen=True, slots=True)
class Line:
    """Moves that can be played: the positions they lead to, the last one last, and their names.

    `first` is the number of half moves played before them.
    """

    positions: tuple[str, ...]
    moves: tuple[str, ...]
    first: int = 0

    def __str__(self) -> str:
        """`1.e4 c5 2.Nf3`."""
        words: list[str] = []
        for ply, move in enumerate(self.moves, self.first):
            shown = ply % 2 == 0 or not words
            words.append(f"{numbered(ply + 1)}{move}" if shown else move)
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a text holds of moves: lines that were played, and moves that could not be placed."""

    lines: tuple[Line, ...]
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """A token that may be a move; `ply` is how many half moves its number says came before."""

    move: str
    text: str
    start: int
    end: int
    ply: int | None

    @property
    def square(self) -> bool:
        """Whether it may as well be only a square."""
        return self.ply is None and self.text == self.move and bool(_SQUARE.fullmatch(self.move))


def lines_in(text: str, fens: Sequence[str], names: Sequence[str]) -> Lines:
    """The lines and single moves of a text, with the positions and openings that it names."""
    lines: dict[Line, None] = {}
    moves: dict[str, None] = {}
    boards = [chess.Board(f"{one} 0 1") for one in fens[:_MOST_BASES]]
    bases = list(dict.fromkeys(names))[:_MOST_BASES]
    tries = 0
    for run in _runs(text):
        at = 0
        while at < len(run):
            rest = run[at:]
            tries += bool(rest[0].ply)
            known = bases if tries <= _MOST_TRIES else []
            found, used = _played(rest, text, boards, list(lines), known)
            lines |= dict.fromkeys(found)
            if not found and not rest[0].square:
                moves[_spelt(rest[0])] = None
            at += used if found else 1
    if DESCRIPTIVE.search(text):
        lines |= dict.fromkeys(_of_older_books(text))
    return Lines(tuple(lines), tuple(moves))


def _of_older_books(text: str) -> Iterator[Line]:
    """The lines of a text in descriptive notation, from the start: `1. P-K4 P-K4 2. Kt-KB3`."""
    replay = Replay()
    replay.read(text)
    for line in replay.lines:
        board, moves = chess.Board(), list[str]()
        for move in line.moves:
            moves.append(board.san(move))
            board.push(move)
        if line.named and moves:
            yield Line(tuple(line.keys), tuple(moves))


def _runs(text: str) -> Iterator[list[_Token]]:
    """Tokens that follow one another with nothing between them but commas."""
    run: list[_Token] = []
    for match in islice(MOVE_TOKEN.finditer(text), _MOST_MOVES):
        token = _token(match)
        gap = text[run[-1].end : token.start] if run else ""
        words = gap.strip(" \n\t,;()[]")
        if run and (not _GAP.fullmatch(gap) or (words and (token.square or run[-1].square))):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _token(match: re.Match[str]) -> _Token:
    number, dots = match["number"], (match["dots"] or "").replace(" ", "")
    ply = None
    if number and int(number) > 0:
        ply = 2 * (int(number) - 1) + (len(dots) > 1 or dots == "…")
    said = match["move"] if match["ellipsis"] is None else f"...{match['move']}"
    return _Token(match["move"], said, match.start(), match.end(), ply)


def _spelt(token: _Token) -> str:
    """A move that could not be placed, as it is usually written: `12...Nd5`."""
    move = normalised(letters_in(token.move))
    if token.ply is None:
        return f"...{move}" if token.text.startswith("...") else move
    return f"{numbered(token.ply + 1)}{move}"


def _played(
    run: Sequence[_Token],
    text: str,
    boards: Sequence[chess.Board],
    lines: Sequence[Line],
    names: Sequence[str],
) -> tuple[list[Line], int]:
    """The lines that a run of tokens may begin with, and how many of them they take.

    A move by its number in a named opening ("3...dxe4 in the French") may stand in a few lines of
    it, and then all of those are meant; where there are many, it is not said which.
    """
    first = run[0]
    for board in boards if not first.square else ():
        line, used = _replayed(board, 0, run, numbered=False)
        if line is not None:
            return [line], used
    if first.ply in {None, 0}:
        numbered = first.ply == 0
        line, used = _replayed(_START, 0, run) if numbered else _from_start(run, text)
        return ([] if line is None else [line]), used
    for group in _bases(first, lines, names):
        found = {line.positions[-1]: (line, used) for line, used in _onward(group, first.ply, run)}
        if 1 <= len(found) <= _FEW:
            return [line for line, _ in found.values()], next(iter(found.values()))[1]
    return [], 1


def _onward(
    group: Sequence[tuple[str, ...]], ply: int, run: Sequence[_Token]
) -> Iterator[tuple[Line, int]]:
    """The line with each of these beginnings that it can follow, where most of it can be played."""
    played = [(before, *_replayed(_after(before), ply, run)) for before in group]
    most = max((used for _, line, used in played if line is not None), default=0)
    for before, line, used in played:
        if line is not None and used == most:
            whole = _replayed(_START, 0, [_Token(one, one, 0, 0, None) for one in before])[0]
            head = whole or Line((), ())
            yield Line((*head.positions, *line.positions), (*head.moves, *line.moves)), used


def _from_start(run: Sequence[_Token], text: str) -> tuple[Line | None, int]:
    """A run without numbers, where it can only have been meant from the start."""
    line, used = _replayed(_START, 0, run)
    if line is None:
        return None, 1
    start, end = run[0].start, run[used - 1].end
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    alone = not before.strip(" \"'“”«»") and not behind.strip(" \"'“”«».?!")
    if run[0].text.startswith("..."):
        return None, 1
    if all(token.square for token in run[:used]):
        placed = bool(_PLACES.search(before)) and not _BEGINNING.search(before)
        sure = used > 1 or alone or bool(_BEGINNING.search(before))
        return (line, used) if sure and not placed and not _BEHIND.match(behind) else (None, 1)
    sure = (
        used > 1 or alone or bool(_COORDINATES.fullmatch(run[0].move) or _BEGINNING.search(before))
    )
    return (line, used) if sure else (None, 1)


def _replayed(
    start: chess.Board, ply: int, run: Sequence[_Token], *, numbered: bool = True
) -> tuple[Line | None, int]:
    """As many tokens as can be played from a position; numbers have to fit, where they count."""
    board, positions, moves = start.copy(stack=False), list[str](), list[str]()
    for token in run:
        if numbered and token.ply is not None and token.ply != ply + len(moves):
            break
        if token.text.startswith("...") and board.turn:
            break
        move = read_move(board, token.move)
        if move is None:
            break
        moves.append(board.san(move))
        board.push(move)
        positions.append(epd(board))
    first = ply if numbered else int(not start.turn)
    return (Line(tuple(positions), tuple(moves), first) if moves else None), max(len(moves), 1)


def _bases(
    first: _Token, lines: Sequence[Line], names: Sequence[str]
) -> Iterator[Sequence[tuple[str, ...]]]:
    """The beginnings up to a numbered move that the text gives, those that go together together.

    First its own lines, then the lines of an opening, then those of its variations that go on with
    the very move, then all of its variations.
    """
    ply = first.ply or 0
    for line in reversed(lines):
        if line.first == 0 and len(line.moves) >= ply:
            yield [line.moves[:ply]]
    for name in names:
        own, parts = (
            [moves for moves in lines_of(name, own=own) if len(moves) == ply]
            for own in (True, False)
        )
        yield from ([one] for one in own)
        yield _going_on(name, ply, first.move)
        yield parts


@lru_cache(maxsize=256)
def _going_on(name: str, ply: int, spelt: str) -> list[tuple[str, ...]]:
    """The beginnings that an opening's lines go on with this move from, the most travelled ones."""
    known = Counter(
        moves[: ply + 1]
        for own in (True, False)
        for moves in lines_of(name, own=own)
        if len(moves) > ply
    )
    found = {}
    for line, count in known.items():
        move = read_move(_after(line[:ply]), spelt)
        if move is not None and move.uci() == line[ply]:
            found[line[:ply]] = count
    most = max(found.values(), default=0)
    return [before for before, count in found.items() if 3 * count >= most]


@lru_cache(maxsize=4096)
def _after(moves: tuple[str, ...]) -> chess.Board:
    board = chess.Board()
    for one in moves:
        move = read_move(board, one)
        if move is not None:  # moves of the table, or played before
            board.push(move)
    return board


LONGEST = 8000
"""Letters of a question that are read: more than the moves of any game."""
_CODE = re.compile(
    r"(?:(?<![\w/.+#-])|(?<=\b[A-E]\d\d/))(?P<first>[A-E]\d\d)"
    r"(?:\s?[-–—]\s?(?P<last>[A-E]?\d\d))?(?![\w-]|/(?![A-E]\d\d\b))"
    r"|(?<![\w/.+#-])(?P<ten>[A-E]\d)[xX*](?![\w/-])"
)
_CODES = tuple(f"{letter}{number:02}" for letter in "ABCDE" for number in range(100))
_YEAR = re.compile(r"(?<![\w.,-])(1[5-9]\d\d|20\d\d)(?![\w-])")
_PERSON = r"[A-ZÀ-Þ](?:[^\W\d_]|['’]){2,}(?!\w)"
_PAIR = re.compile(
    rf"\b(?P<one>{_PERSON})\s?(?:[-–—]|\bvs?\.?\s|\bversus\s|\bagainst\s)\s?(?P<other>{_PERSON})"
)
_KEPT = re.compile(r"(?<![\w.])(?:White|Black|Defen[cs]e|Attack|Gambit|Opening|Variation|System)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a question asks for.

    `fens` are positions as EPD, `lines` the moves that could be played, `moves` those that could
    not be placed; `ecos` are codes, `openings` what is named and `names` its names in the table;
    `players` and `famous` games are named, too. `why` are words that ask for an explanation,
    `themes` what chess players explain, `asks` words that ask for anything; `shows` ask for moves
    or games, `games` speak of games played, and with `lists` games are to be shown. `rest` is what
    is left without positions, codes and names of openings. `chess` says
    whether the question speaks of chess at all, `worded` whether it has any words.
    """

    fens: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    ecos: tuple[str, ...] = ()
    openings: tuple[Name, ...] = ()
    moves: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    famous: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    why: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    rest: str = ""
    lists: bool = False
    chess: bool = False
    worded: bool = True

    @property
    def bare(self) -> bool:
        """Whether only positions, moves or codes are named, and nothing else is said."""
        said = (self.openings, self.players, self.famous, self.why, self.themes, self.years)
        return bool(self.fens or self.lines or self.ecos) and not any(said)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of openings, as the table has them."""
        return tuple(dict.fromkeys(name for one in self.openings for name in one.canonical))


@lru_cache(maxsize=512)
def read_question(text: str) -> Sought:
    """What a question asks for, as far as `LONGEST` letters of it say so."""
    text = text[:LONGEST]
    fens, rest = _positions(text)
    ecos, rest = _codes(rest)
    chessy = _speaks_of_chess(rest) or bool(fens or ecos)
    pairs = _pairs(rest)
    openings = named_in(_without(rest, [one for pair in pairs for one in pair]))
    named = [name for one in openings for name in one.canonical]
    coded = [name for one in ecos if (name := name_of(one))]
    found = lines_in(rest, fens, [*named, *coded])
    chessy = chessy or bool(found.lines or found.moves) or any(one.sure for one in openings)
    shows = _words("showing", rest)
    if not (chessy or shows or _words("explaining", rest)):
        openings = ()
    words = _without(rest, [one.surface for one in openings])
    players = _players(words)
    return Sought(
        fens=fens,
        lines=found.lines,
        ecos=ecos,
        openings=openings,
        moves=found.moves,
        players=players,
        famous=tuple(famous_in(words)),
        years=tuple(int(year) for year in _YEAR.findall(rest)),
        why=_words("explaining", words),
        asks=_words("asking", words),
        themes=_words("themes", words),
        shows=shows,
        games=_words("games", words),
        rest=words,
        lists=bool(_words("show_games", words)),
        chess=chessy or bool(openings or players or famous_in(words)),
        worded=bool(surface(text)),
    )


def identifiers(text: str) -> tuple[str, ...]:
    """What a question means exactly: quoted phrases, codes, positions and names of openings.

    Beside the players of a game its opening is no name for what is wanted: other games have it.
    """
    sought = read_question(text)
    ends = tuple(line.positions[-1] for line in sought.lines)
    names = [name for one in sought.openings for name in one.widest]
    names = [] if sought.famous or len(sought.players) > 1 else names
    return tuple(dict.fromkeys((*quoted(text), *sought.ecos, *sought.fens, *ends, *names)))


def has(passage: Passage, identifier: str) -> bool:
    """Whether a passage has such a thing: by what is known of it, or to the letter."""
    if identifier.count("/") == 7:
        return identifier in (*_values(passage, "positions"), *_values(passage, "mentioned"))
    if identifier in _CODES:
        return identifier in (*_values(passage, "eco"), *_values(passage, "ecos"))
    if ecos_of(identifier):
        known = (*_values(passage, "opening"), *_values(passage, "openings"))
        if any(belongs(name, identifier) for one in known for name in canonical(one)):
            return True
    return has_words(passage, identifier)


def _values(passage: Passage, field: str) -> tuple[str, ...]:
    value = passage.metadata.get(field, ())
    return tuple(str(one) for one in value) if isinstance(value, tuple) else (str(value),)


def _positions(text: str) -> tuple[tuple[str, ...], str]:
    """The positions that FENs in a text describe, and the text without them."""
    found = dict.fromkeys(epd(board) for _, board in fens_in(text))
    return tuple(found), FEN.sub(lambda match: " " * len(match[0]), text)


def _codes(text: str) -> tuple[tuple[str, ...], str]:
    """The codes in a text, ranges in full, and the text without them."""
    found: dict[str, None] = {}
    spans = []
    for match in _CODE.finditer(text):
        around = text[max(0, match.start() - 12) : match.end() + 12]
        if _words("no_codes", around):
            continue
        spans.append(match.span())
        if match["ten"]:
            found |= dict.fromkeys(one for one in _CODES if one.startswith(match["ten"]))
            continue
        first = match["first"]
        last = match["last"] or first
        last = last if last[0].isalpha() else first[0] + last
        found |= dict.fromkeys(one for one in _CODES if first <= one <= last)
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return tuple(found), text


def told_codes(ecos: tuple[str, ...]) -> Iterator[str]:
    """Codes for people: a run of them by its ends."""
    start = 0
    for at in range(1, len(ecos) + 1):
        if at == len(ecos) or _CODES.index(ecos[at]) != _CODES.index(ecos[at - 1]) + 1:
            yield ecos[start] if at - start == 1 else f"{ecos[start]}–{ecos[at - 1]}"
            start = at


@cache
def _table() -> dict[str, tuple[str, ...]]:
    path = Path(__file__).with_name("questions.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: tuple(row.split()) if isinstance(row, str) else tuple(row)
        for name, row in table.items()
    }


def famous_in(text: str) -> dict[str, str]:
    """The famous games that a text calls by name, with their players and year."""
    plain = f" {surface(text)} "
    return {name: whose for name, whose in table()["games"].items() if f" {name} " in plain}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    longest = sorted(_table()[name], key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(longest)})(?![\w])", re.IGNORECASE)


def _words(name: str, text: str) -> tuple[str, ...]:
    """The words of a table that stand in a text, in order, each once."""
    plain = text.replace("’", "'")
    return tuple(dict.fromkeys(match[0].casefold() for match in _pattern(name).finditer(plain)))


def _speaks_of_chess(text: str) -> bool:
    """Whether a text has a word of chess, or two that also mean something else."""
    plain = text.casefold()
    rows = [re.compile(rf"(?<![\w-])(?:{row})(?!\w)") for row in _table()["board"]]
    themes = [one for one in _words("themes", text) if not any(row.fullmatch(one) for row in rows)]
    return bool(_words("chess", text) or themes) or sum(bool(row.search(plain)) for row in rows) > 1


def _without(text: str, phrases: list[str]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return text


def _pairs(text: str) -> list[tuple[str, str]]:
    """Well-known players who face each other: `Capablanca versus Alekhine`."""
    known = set(_table()["players"])
    pairs = ((match["one"], match["other"]) for match in _PAIR.finditer(text))
    return [pair for pair in pairs if known.issuperset(pair)]


def _players(text: str) -> tuple[str, ...]:
    """The players a text names: those everybody knows, and two names that face each other."""
    known = set(_table()["players"])
    pairs = (one for match in _PAIR.finditer(text) for one in (match["one"], match["other"]))
    faced = [re.sub(r"['’]s$", "", one) for one in pairs if not _KEPT.match(one)]
    words = [re.sub(r"['’]s?$", "", one) for one in re.findall(r"[^\W\d_][\w'’]+", text)]
    return tuple(dict.fromkeys([*(one for one in words if one in known), *faced]))
