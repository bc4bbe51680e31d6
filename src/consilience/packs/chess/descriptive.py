"""Which move do older books mean by `P-K4`, `Kt×P ch` or `K. B. to Q. B's 4th`?

Descriptive notation names squares after the pieces that stand there at the beginning, counted from
the mover's side, and a capture after the man that is taken. Books differ in signs (`-`, `to`, `x`,
`×`, `takes`), in dots and blanks between the letters, and in how much they say. So a move is first
parted into what it says (`Spelt`), and then compared with the legal moves: those that fit are
meant. Squares in algebraic notation (`Kt-c3`, `Pxd5`) are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

_AFTER = r"(?:['’]s)?\.?[ \u00a0]?"  # what may stand behind a letter: 's, a dot, a blank
_ALONE = "(?![abd-rt-wyz]|s(?!q))"  # no letter of a word; `x`, `sq` and `ch` may follow
_ROYAL = rf"(?:K(?:ing)?|Q(?:ueen)?){_ALONE}"
_MINOR = rf"(?:Kt|Knight|N|B(?:ishop)?|R(?:ook)?){_ALONE}"
_MAN = (
    rf"(?:(?:{_ROYAL}{_AFTER})?(?:{_MINOR}{_AFTER})?P(?:awn)?{_ALONE}"
    rf"|(?:{_ROYAL}{_AFTER})?{_MINOR}|{_ROYAL})"
)
_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_RANK = rf"(?:[1-8](?:st|n?d|rd|th)?(?![\da-bd-z])|{'|'.join(_RANKS)}|sq(?:uare)?(?![a-z]))"
_FILE = rf"(?:(?:{_ROYAL}{_AFTER})?{_MINOR}|{_ROYAL})"
_OWN = "(?:his|her|its) "
_SQUARE = rf"(?:[a-h][1-8]|(?:{_OWN})?{_FILE}(?:{_AFTER}{_RANK})?|{_OWN}{_RANK})"
_DASH = r"[ \u00a0]?(?:--?|[‐‑–—−])[ \u00a0]?|\.?[ \u00a0]to (?:the )?"
_TAKES = r"\.?[ \u00a0]?[xX×:][ \u00a0]?|\.?[ \u00a0](?:takes|tks\.?) (?:the )?"
_CASTLES = (
    r"(?:[Cc]astles?|[O0o] ?(?:--?|[–—]) ?[O0o](?P<far> ?(?:--?|[–—]) ?[O0o])?)(?![\w-])"
    r"(?:\.?[ \u00a0]\(?(?:on |with )?(?:the |his )?(?P<wing>[KQ])(?:ing['’]s|ueen['’]s|['’]s)?\.?"
    r"[ \u00a0]?(?:R(?:ook)?|side|wing)?(?![a-z])\.?\)?)?"
)
_BECOMES = r"[ \u00a0]?(?:=[ \u00a0]?|\()(?P<becomes>Q(?:ueen)?|R|B|Kt|N)\)?(?![a-z])"
_CHECK = r"(?:(?:dis|disc|dbl|double|giving|and)\.?[ \u00a0]?)*(?:ch(?:eck)?|\+\+?|†)"
_MATE = r"(?:giving )?(?:check)?mates?|#|‡"
_MARKS = (
    rf"(?:[,.]{{0,2}}[ \u00a0]?(?:[!?]{{1,3}}|\(?(?P<check>{_CHECK})(?![a-z])\.?\)?"
    rf"|\(?(?P<mate>{_MATE})(?![a-z])\.?\)?|\(?(?:e\.?[ \u00a0]?p|en pas(?:s(?:ant)?)?)\b\.?\)?"
    r"|\(best\.?\)))*"
)
DESCRIPTIVE = re.compile(
    r"(?<![\w/$@^=-])(?:\(?(?P<number>\d{1,3})\)?(?P<dots>[ \t\u00a0.…]{0,60})[,;]?"
    r"[ \t\u00a0]{0,60})?"
    rf"(?P<move>{_CASTLES}"
    rf"|Kt(?P<knight>[a-h]?[1-8]?[-x]?[a-h][1-8])"
    rf"|(?P<man>{_MAN})\.?(?:[ \u00a0]?\((?P<from>{_SQUARE})\))?"
    rf"(?:(?P<takes>{_TAKES})(?:(?P<prey>{_MAN})(?:[ \u00a0]?\((?P<at>{_SQUARE})\))?"
    rf"|(?P<there>[a-h][1-8]))"
    rf"|(?:{_DASH})(?P<to>{_SQUARE})"
    rf"|\.?[ \u00a0](?P<does>one|two|checks|mates|queens|Queens))(?:['’]s)?)(?![a-bd-z\d])"
    rf"(?:{_BECOMES})?(?P<marks>{_MARKS})"
)
"""A move as older books print it, with its `number` and `dots` where it has them."""

_WORDS = {"King": "K", "Queen": "Q", "Rook": "R", "Bishop": "B", "Knight": "Kt", "Pawn": "P"}
_LETTERS = re.compile(r"Knight|King|Queen|Rook|Bishop|Pawn|Kt|[KQRBNP]")
_PIECES = {
    "K": chess.KING,
    "Q": chess.QUEEN,
    "R": chess.ROOK,
    "B": chess.BISHOP,
    "Kt": chess.KNIGHT,
    "P": chess.PAWN,
}
_FILES = {"R": (0, 7), "Kt": (1, 6), "B": (2, 5), "Q": (3,), "K": (4,)}
_COLUMNS = re.compile(
    r"[ \t]*(?P<left>\(?(?P<first>\d{1,3})[.)]*\s.*?\S)[ \t]+"
    r"(?P<right>(?P<second>\d{1,3})[.)]*[ \t]+[A-Z].*)"
)

Letters = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelt:
    """What a move says, as far as it says it: men and squares by their letters."""

    castles: str = ""  # "K", "Q", or "either"
    man: Letters = ()
    start: str = ""
    to: str = ""  # empty where it is not said
    takes: bool | None = False  # None where it may
    prey: Letters = ()
    steps: int = 0
    queens: bool = False
    becomes: int = chess.QUEEN
    check: bool = False
    mate: bool = False


def spelt(found: re.Match[str]) -> Spelt:
    """What a match of `DESCRIPTIVE` says."""
    check, mate = bool(found["check"]), bool(found["mate"])
    if found["knight"]:
        start, to = found["knight"][:-2], found["knight"][-2:]
        takes, start = start.endswith("x"), start.rstrip("-x")
        return Spelt(man=("Kt",), start=start, takes=takes, to=to, check=check, mate=mate)
    if not found["man"]:
        far = "Q" if found["far"] else "K" if found["move"][0] in "0Oo" else "either"
        return Spelt(castles=found["wing"] or far, check=check, mate=mate)
    does, becomes = found["does"] or "", letters(found["becomes"] or "Q")[0]
    return Spelt(
        man=letters(found["man"]),
        start=found["from"] or "",
        to=found["to"] or found["there"] or found["at"] or "",
        takes=None if does in {"checks", "mates"} else bool(found["takes"]),
        prey=letters(found["prey"] or ""),
        steps={"one": 1, "two": 2}.get(does, 0),
        queens=does in {"queens", "Queens"},
        becomes=_PIECES[becomes],
        check=check or does == "checks",
        mate=mate or does == "mates",
    )


def letters(name: str) -> Letters:
    """The letters of a man or a file: `K. Kt's P` is K, Kt, P."""
    found = (_WORDS.get(one, one) for one in _LETTERS.findall(name))
    return tuple("Kt" if one == "N" else one for one in found)


def fitting(board: chess.Board, move: Spelt) -> list[chess.Move]:
    """The legal moves that a spelling may mean; the likeliest only where it leaves a choice."""
    fits = list(_castling(board, move) if move.castles else _moving(board, move))
    if move.check or move.mate:
        fits = [one for one in fits if board.gives_check(one)]
    if len(fits) < 2:
        return fits
    if move.mate:
        fits = _rather(fits, lambda one: _mates(board, one))
    fits = _rather(fits, lambda one: _on_side(board, one.from_square, move.man[:-1], board.turn))
    if len(move.prey) > 1:
        fits = _rather(
            fits, lambda one: _on_side(board, one.to_square, move.prey[:-1], not board.turn)
        )
    return (
        fits if move.check or move.mate else _rather(fits, lambda one: not board.gives_check(one))
    )


def _rather(moves: list[chess.Move], wanted: Callable[[chess.Move], bool]) -> list[chess.Move]:
    """Those that are as wanted, where there are any."""
    return [one for one in moves if wanted(one)] or moves


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    over = board.is_checkmate()
    board.pop()
    return over


def _castling(board: chess.Board, move: Spelt) -> list[chess.Move]:
    """Castling as it is said; where the side is not, the king's, which is the usual one."""
    found = {board.is_queenside_castling(one): one for one in board.generate_castling_moves()}
    far = found.get(True)
    near = found.get(False)
    one = far if move.castles == "Q" else near
    if move.castles == "either" and near is None:
        one = far
    return [one] if one else []


def _moving(board: chess.Board, move: Spelt) -> Iterator[chess.Move]:
    """The legal moves of such a man to such a square, or that take such a man."""
    piece = _PIECES[move.man[-1]]
    men = board.pieces_mask(piece, board.turn)
    if piece == chess.PAWN and len(move.man) > 1:
        men &= _on_files(files_of(move.man[:-1]))
    men &= _squares(move.start, board.turn, ()) if move.start else chess.BB_ALL
    aim = _squares(move.to, board.turn, move.man) if move.to else chess.BB_ALL
    for one in board.generate_legal_moves(men, aim):
        if not board.is_castling(one) and _as_said(board, one, move):
            yield one


def _as_said(board: chess.Board, one: chess.Move, move: Spelt) -> bool:
    """Whether a legal move takes, walks and becomes what its spelling says."""
    if move.takes is not None and board.is_capture(one) != move.takes:
        return False
    if one.promotion != move.becomes and (one.promotion is not None or move.queens):
        return False
    if move.prey and not _is_prey(board, one, move.prey):
        return False
    return not move.steps or abs(one.to_square - one.from_square) == 8 * move.steps


def _is_prey(board: chess.Board, move: chess.Move, prey: Letters) -> bool:
    taken = board.piece_type_at(move.to_square) or chess.PAWN  # en passant
    if taken != _PIECES[prey[-1]]:
        return False
    named = taken == chess.PAWN and len(prey) > 1
    return not named or chess.square_file(move.to_square) in files_of(prey[:-1])


def files_of(name: Letters) -> tuple[int, ...]:
    """The files that letters name: `B` both bishops' files, `K B` one of them."""
    files = _FILES.get(name[-1], ()) if name else ()
    if len(name) > 1:
        files = files[1:] if name[0] == "K" else files[:1]
    return files


def _on_files(files: tuple[int, ...]) -> int:
    return sum(chess.BB_FILES[one] for one in files)


def _squares(name: str, mover: chess.Color, man: Letters) -> int:
    """The squares of a name, seen from the mover's side; a rank that is not said is the first."""
    if re.fullmatch("[a-h]?[1-8]?", name):
        file = _on_files((ord(name[0]) - 97,)) if name[0].isalpha() else chess.BB_ALL
        return file & (chess.BB_RANKS[int(name[-1]) - 1] if name[-1].isdigit() else chess.BB_ALL)
    own = re.match(_OWN, name)
    named = letters(name)
    if own and not named:  # `Kt to his 5th`: on the file that the man has its name from
        named = man[:-1] if man[-1] == "P" else man
    elif own and man[0] in {"K", "Q"}:  # `Q to her B's 2d`: on that of the queen's bishop
        named = (man[0], *named)
    rank = _rank(name)
    return _on_files(files_of(named)) & chess.BB_RANKS[rank if mover else 7 - rank]


def _rank(name: str) -> int:
    number = re.search("[1-8]", name)
    if number:
        return int(number[0]) - 1
    return next((at for at, word in enumerate(_RANKS) if word in name), 0)


def _on_side(board: chess.Board, square: int, name: Letters, side: chess.Color) -> bool:
    """Whether a man is the king's or the queen's, as its name says; a name may say nothing.

    A bishop is known by the colour of its squares, another man by where it began.
    """
    if not name or board.piece_type_at(square) == chess.PAWN:
        return True
    if board.piece_type_at(square) == chess.BISHOP:
        light = bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)
        return light == ((name[0] == "K") == side)
    return (chess.square_file(origin(board, square)) >= 4) == (name[0] == "K")


def origin(board: chess.Board, square: int) -> int:
    """The square on which the man of a square stood when the line began."""
    for move in reversed(board.move_stack):
        if move.to_square == square:
            square = move.from_square
        elif square in _CASTLED and (move.from_square, move.to_square) == _CASTLED[square][0]:
            square = _CASTLED[square][1]
    return square


_CASTLED = {  # where a rook stands after castling: the king's move, and where the rook came from
    chess.F1: ((chess.E1, chess.G1), chess.H1),
    chess.D1: ((chess.E1, chess.C1), chess.A1),
    chess.F8: ((chess.E8, chess.G8), chess.H8),
    chess.D8: ((chess.E8, chess.C8), chess.A8),
}


def unfolded(text: str) -> str:
    """A text whose columns of moves stand one below the other.

    Books print long games in two columns, `1 P to K4 P to K4   25 P takes P B to B5`; in lines
    whose numbers go on in both columns, the right one is put behind the left.
    """
    lines = text.split("\n")
    if sum(map(bool, map(_COLUMNS.fullmatch, lines))) < 3:
        return text
    out: list[str] = []
    right: list[str] = []
    before = (0, 0)
    for line in lines:
        found = _COLUMNS.fullmatch(line)
        now = (int(found["first"]), int(found["second"])) if found else (0, 0)
        follows = now == (before[0] + 1, before[1] + 1)
        if right and not follows:
            out, right = [*out, *right], []
        if found and now[1] > now[0] + 1:
            out.append(found["left"])
            right.append(found["right"])
            before = now
        else:
            out.append(line)
            before = (0, 0)
    return "\n".join([*out, *right])
