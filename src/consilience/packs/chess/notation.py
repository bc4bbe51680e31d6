"""How are moves and positions written, and which does a text give? Algebraic, descriptive, FEN.

A move is compared with the legal moves of a board: what is printed says which piece (or none),
where from, as far as it says, where to and what a pawn becomes; the one legal move that fits is
meant, and none when several fit. So short and long algebraic notation, figurines and coordinates
come to the same. Piece letters are English; those of other languages count where the English
reading has no legal move. Descriptive notation names squares after the pieces that stand there at
the beginning, counted from the mover's side, and a capture after the man that is taken; several
moves may fit. A FEN may lack counters, rights and the side to move: then those that can be are
tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", strict=True))
LETTERS = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT}
# Dame, Tour/Turm/Torre, Läufer/Loper, Springer, Cavalier/Caballo/Cavallo, Fou, Alfil/Alfiere,
# Paard, Roi/Rey/Re: each letter means one piece in all of German, French, Spanish, Italian, Dutch.
OTHERS = {
    "D": chess.QUEEN,
    "T": chess.ROOK,
    "L": chess.BISHOP,
    "S": chess.KNIGHT,
    "C": chess.KNIGHT,
    "F": chess.BISHOP,
    "A": chess.BISHOP,
    "P": chess.KNIGHT,
    "R": chess.KING,
}
_ENGLISH = {chess.QUEEN: "Q", chess.ROOK: "R", chess.BISHOP: "B", chess.KNIGHT: "N"}

_FIGURES = "".join(FIGURINES)
_DASH = "[-‐‑–—−]"
_CASTLE = rf"(?:[O0]{_DASH}[O0](?:{_DASH}[O0])?|o-o(?:-o)?)"
_PIECE = rf"[KQRBNPDTLSCFA{_FIGURES}][\ufe0e\ufe0f]?"
_TAKES = r"[x:×]"
_BECOMES = rf"(?:=?\(?[QRBNDTLSCFA{_FIGURES}]\)?(?![a-z]))"
_SQUARE = "[a-h][1-8]"
_MOVE = (
    rf"(?:{_CASTLE}"
    rf"|{_PIECE}[a-h]?[1-8]?(?:{_TAKES}|{_DASH})?{_SQUARE}"
    rf"|{_SQUARE}(?:{_TAKES}|{_DASH})?{_SQUARE}(?:{_BECOMES}|[qrbn](?![a-z]))?"
    rf"|(?:[a-h]{_TAKES}?)?{_SQUARE}{_BECOMES}?)"
)
_MARKS = r"(?:\s?e\.\s?p\.|ep\b)?(?:\+\+|[+#†‡])?[!?⁉‼⁈⁇]{0,2}"

MOVE_TOKEN = re.compile(
    rf"(?<![\w/$@^=-])(?:(?P<number>\d{{1,3}})(?:\s?(?P<dots>\.(?:\s?\.){{0,3}}|…)|(?=\s))\s*"
    rf"|(?P<ellipsis>\.{{2,3}}|…)\s?)?"
    rf"(?P<move>{_MOVE})(?P<marks>{_MARKS})(?![\w/])"
)
"""A token that may be a move: its `number` with `dots` (or an `ellipsis` alone), the `move` itself
and its `marks`. Whether it is one, a board says (`read_move`)."""

_FIGURE = re.compile(rf"(?P<pawn>[♙♟][\ufe0e\ufe0f]?(?=[a-h]))|[{_FIGURES}][\ufe0e\ufe0f]?")
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}\s*(?:\.{1,4}|…)?\s+|\d{1,3}\s*(?:\.{1,4}|…)|\.{2,3}|…)?\s*")
_TAIL = re.compile(
    r"(?:\$\d+|[+#†‡!?⁉‼⁈⁇=]|\s?e\.?\s?p\.?|\s?(?:dis\.?\s?)?(?:ch|mate)\.?|[,;.:])$"
)
_PARTS = re.compile(
    rf"(?P<piece>[A-Z])?(?P<file>[a-h])?(?P<rank>[1-8])?(?:{_TAKES}|{_DASH})?"
    r"(?P<to>[a-h][1-8])(?:[=/]?\(?(?P<becomes>[A-Za-z])\)?)?"
)
_FILES = re.compile(rf"(?P<file>[a-h]){_TAKES}?(?P<other>[a-h])")
_CASTLES = re.compile(rf"(?i:[o0]{_DASH}?[o0](?P<long>{_DASH}?[o0])?)")


def epd(board: chess.Board) -> str:
    """The key of a position: who stands where, who moves, who may castle or take en passant.

    Counters are left out, and an en passant square is named only where a pawn can take there, so
    that every order of moves leads to the same key.
    """
    return board.epd(en_passant="legal")


def numbered(ply: int) -> str:
    """The number of a half move: `12.` or `12...`."""
    return f"{(ply + 1) // 2}{'.' if ply % 2 else '...'}"


def read_move(board: chess.Board, spelt: str) -> chess.Move | None:
    """The legal move that is written so, in any common notation; None when none or several fit."""
    plain = _plain(spelt)
    castle = _CASTLES.fullmatch(plain)
    if castle:
        return _castling(board, far=bool(castle["long"]))
    for text in dict.fromkeys((plain, _cased(plain))):
        for letters in (LETTERS, OTHERS):
            move = _fitting(board, text, letters)
            if move is not None:
                return move
    return _between_files(board, plain)


def letters_in(text: str) -> str:
    """A text with figurines as English letters; that of a pawn goes where its square follows."""
    return _FIGURE.sub(lambda found: "" if found["pawn"] else FIGURINES[found[0][0]], text)


def normalised(text: str) -> str:
    """A text with its moves in short English algebraic notation, for searching.

    Figurines and the letters of other languages become English ones, long moves short ones
    ("♘g1-f3", "Sg1-f3" and "Ng1-f3" are all "Nf3"), and zeros the letters of castling. Words stay
    one to one, and what is no move stays as it is.
    """
    return _IN_PROSE.sub(_shortened, letters_in(text))


_IN_PROSE = re.compile(
    rf"(?<![\w/$@^=])(?<!\d{_DASH})(?P<number>\d{{1,3}}(?:\.{{1,4}}|…))?(?:(?P<castle>{_CASTLE})"
    rf"|(?P<piece>[KQRBNDTLSCFA])?(?P<from>[a-h]?[1-8]?)(?P<how>{_TAKES}|{_DASH})?"
    rf"(?P<to>{_SQUARE})(?:=?\(?(?P<becomes>[QRBNDTLSCFA])\)?)?)(?![\w/]|{_DASH}\w)"
)


def _shortened(match: re.Match[str]) -> str:
    """One move as it is written in short English algebraic notation."""
    number = match["number"] or ""
    if match["castle"]:
        return number + re.sub(_DASH, "-", match["castle"]).replace("0", "O").upper()
    letter, start, how = match["piece"] or "", match["from"], match["how"] or ""
    if not letter and not (start or match["number"] or match["becomes"]):
        return match[0]
    takes = "x" if how and how in "x:×" else ""
    if len(start) == 2:  # in full, so that no letter or number is needed to tell pieces apart
        if not letter and not (how and _pawns(start, match["to"], takes=bool(takes))):
            return match[0]  # as engines write it, which does not say which piece, or a diagonal
        start = "" if letter or not takes else start[0]
    piece = _english(letter)
    becomes = f"={_english(match['becomes'])}" if match["becomes"] else ""
    return f"{number}{piece}{start}{takes}{match['to']}{becomes}"


def _pawns(start: str, to: str, *, takes: bool) -> bool:
    """Whether a pawn can go from one square to the other: `e2-e4`, and not `d1-h5`."""
    aside, ahead = abs(ord(start[0]) - ord(to[0])), abs(int(start[1]) - int(to[1]))
    return (aside, ahead) == (1, 1) if takes else aside == 0 and ahead in {1, 2}


def _english(letter: str) -> str:
    return letter if not letter or letter in LETTERS else _ENGLISH[OTHERS[letter]]


def _plain(spelt: str) -> str:
    """What is left of a move without number, marks and figurines."""
    text = letters_in(spelt).strip(" \t\n\u00a0()[]{}")
    text = text if _CASTLES.match(text) else _NUMBERED.sub("", text, count=1)
    while (cut := _TAIL.sub("", text).strip()) != text:
        text = cut
    return text if text.count("(") == text.count(")") else f"{text})"


def _cased(text: str) -> str:
    """A move typed in one case: `nf3` and `NF3` as `Nf3`, `E4` as `e4`."""
    low = text.lower()
    return (
        low[:1].upper() + low[1:] if re.match(r"[a-z][a-h]?[1-8]?[x:×-]?[a-h][1-8]", low) else low
    )


def _castling(board: chess.Board, *, far: bool) -> chess.Move | None:
    for move in board.legal_moves:
        if board.is_castling(move) and board.is_queenside_castling(move) == far:
            return move
    return None


def _fitting(board: chess.Board, text: str, letters: dict[str, int]) -> chess.Move | None:
    """The one legal move that has these parts, with these letters for pieces."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    letter, becomes = parts["piece"], (parts["becomes"] or "").upper()
    full = bool(parts["file"] and parts["rank"])
    if (letter and letter not in letters and letter != "P") or (becomes and becomes not in letters):
        return None
    kinds = {letters[letter]} if letter in letters else {chess.PAWN}
    if not letter and full:
        kinds = set(chess.PIECE_TYPES)
    fits = [
        move
        for move in _leading_to(board, chess.parse_square(parts["to"]), kinds)
        if _starts(move, parts) and move.promotion == (letters[becomes] if becomes else None)
    ]
    if chess.PAWN in kinds and not full and not parts["file"]:
        straight = [one for one in fits if not _sideways(one)]
        fits = straight or fits
    return fits[0] if len(fits) == 1 else None


def _leading_to(board: chess.Board, square: int, kinds: set[int]) -> Iterator[chess.Move]:
    """The legal moves of such pieces to a square."""
    pieces = 0
    for kind in kinds:
        pieces |= board.pieces_mask(kind, board.turn)
    aim = (
        chess.BB_ALL if chess.KING in kinds else chess.BB_SQUARES[square]
    )  # castling aims at rooks
    moves = board.generate_legal_moves(pieces, aim)
    return (move for move in moves if move.to_square == square)


def _starts(move: chess.Move, parts: re.Match[str]) -> bool:
    name = chess.square_name(move.from_square)
    return parts["file"] in {None, name[0]} and parts["rank"] in {None, name[1]}


def _sideways(move: chess.Move) -> bool:
    return chess.square_file(move.from_square) != chess.square_file(move.to_square)


def _between_files(board: chess.Board, text: str) -> chess.Move | None:
    """A pawn's capture that names files only: `exd`, `ed`."""
    files = _FILES.fullmatch(text)
    if files is None:
        return None
    pawns = board.pieces_mask(chess.PAWN, board.turn)
    start, end = (chess.BB_FILES[ord(files[part]) - ord("a")] for part in ("file", "other"))
    fits = [
        move
        for move in board.generate_legal_moves(pawns & start, end)
        if board.is_capture(move) and move.promotion is None
    ]
    return fits[0] if len(fits) == 1 else None


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
_OLD_SQUARE = rf"(?:[a-h][1-8]|(?:{_OWN})?{_FILE}(?:{_AFTER}{_RANK})?|{_OWN}{_RANK})"
_OLD_DASH = r"[ \u00a0]?(?:--?|[‐‑–—−])[ \u00a0]?|\.?[ \u00a0]to (?:the )?"
_OLD_TAKES = r"\.?[ \u00a0]?[xX×:][ \u00a0]?|\.?[ \u00a0](?:takes|tks\.?) (?:the )?"
_OLD_CASTLES = (
    r"(?:[Cc]astles?|[O0o] ?(?:--?|[–—]) ?[O0o](?P<far> ?(?:--?|[–—]) ?[O0o])?)(?![\w-])"
    r"(?:\.?[ \u00a0]\(?(?:on |with )?(?:the |his )?(?P<wing>[KQ])(?:ing['’]s|ueen['’]s|['’]s)?\.?"
    r"[ \u00a0]?(?:R(?:ook)?|side|wing)?(?![a-z])\.?\)?)?"
)
_OLD_BECOMES = r"[ \u00a0]?(?:=[ \u00a0]?|\()(?P<becomes>Q(?:ueen)?|R|B|Kt|N)\)?(?![a-z])"
_CHECK = r"(?:(?:dis|disc|dbl|double|giving|and)\.?[ \u00a0]?)*(?:ch(?:eck)?|\+\+?|†)"
_MATE = r"(?:giving )?(?:check)?mates?|#|‡"
_OLD_MARKS = (
    rf"(?:[,.]{{0,2}}[ \u00a0]?(?:[!?]{{1,3}}|\(?(?P<check>{_CHECK})(?![a-z])\.?\)?"
    rf"|\(?(?P<mate>{_MATE})(?![a-z])\.?\)?|\(?(?:e\.?[ \u00a0]?p|en pas(?:s(?:ant)?)?)\b\.?\)?"
    r"|\(best\.?\)))*"
)
DESCRIPTIVE = re.compile(
    r"(?<![\w/$@^=-])(?:\(?(?P<number>\d{1,3})\)?(?P<dots>[ \t\u00a0.…]{0,60})[,;]?"
    r"[ \t\u00a0]{0,60})?"
    rf"(?P<move>{_OLD_CASTLES}"
    rf"|Kt(?P<knight>[a-h]?[1-8]?[-x]?[a-h][1-8])"
    rf"|(?P<man>{_MAN})\.?(?:[ \u00a0]?\((?P<from>{_OLD_SQUARE})\))?"
    rf"(?:(?P<takes>{_OLD_TAKES})(?:(?P<prey>{_MAN})(?:[ \u00a0]?\((?P<at>{_OLD_SQUARE})\))?"
    rf"|(?P<there>[a-h][1-8]))"
    rf"|(?:{_OLD_DASH})(?P<to>{_OLD_SQUARE})"
    rf"|\.?[ \u00a0](?P<does>one|two|checks|mates|queens|Queens))(?:['’]s)?)(?![a-bd-z\d])"
    rf"(?:{_OLD_BECOMES})?(?P<marks>{_OLD_MARKS})"
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
_OLD_FILES = {"R": (0, 7), "Kt": (1, 6), "B": (2, 5), "Q": (3,), "K": (4,)}
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
    fits = list(_descriptive_castling(board, move) if move.castles else _moving(board, move))
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


def _descriptive_castling(board: chess.Board, move: Spelt) -> list[chess.Move]:
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
    files = _OLD_FILES.get(name[-1], ()) if name else ()
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


FEN = re.compile(
    r"(?<![\w/\\])(?P<board>(?:[pnbrqkPNBRQK1-8]{1,8}[/\\]){7}[pnbrqkPNBRQK1-8]{1,8})"
    r"(?:[\s_]+(?P<turn>[wb])\b(?:[\s_]+(?P<castling>-|[KQkqA-Ha-h]{1,4})(?=[\s_,;.?!)\"']|$))?"
    r"(?:[\s_]+(?P<passing>-|[a-h][36])(?=[\s_,;.?!)\"']|$))?"
    r"(?:[\s_]+\d{1,4}(?:[\s_]+(?P<number>\d{1,4}))?)?)?"
)
"""A position in Forsyth-Edwards Notation, or as much of it as is written."""
_DASHES = re.compile("[‐‑–—−]")
_BLACK = re.compile(
    r"\bblack (?:to|has to|must) (?:move|play)|black's (?:move|turn)", re.IGNORECASE
)


def fens_in(text: str) -> Iterator[tuple[str, chess.Board]]:
    """Each FEN of a text as it is spelt, with the boards that it may mean."""
    for match in FEN.finditer(text):
        for board in boards_of(match, text):
            yield match[0], board


def boards_of(match: re.Match[str], text: str) -> Iterator[chess.Board]:
    """The boards that a FEN may mean; none where there can be no such position."""
    turns = match["turn"] or ("b" if _BLACK.search(text) else "wb")
    rights = [match["castling"]] if match["castling"] else ["KQkq", "-"]
    number = max(1, int(match["number"] or 1))
    seen = set()
    for turn in turns:
        for castling in rights:
            passing = match["passing"] or "-"
            board = _legal(f"{mended(match['board'])} {turn} {castling} {passing} 0 {number}")
            if board is not None and epd(board) not in seen:
                seen.add(epd(board))
                yield board


def mended(fen: str) -> str:
    """A FEN as it is meant: with slashes, and with plain dashes; without one, the usual start."""
    plain = _DASHES.sub("-", fen.replace("\\", "/")).strip(" ?")
    return chess.STARTING_FEN if plain.casefold() in {"", "startpos"} else plain


def _legal(fen: str) -> chess.Board | None:
    """The board, if it can arise; rights to castle that cannot be are left out."""
    try:
        board = chess.Board(fen)
    except ValueError:
        return None
    board.castling_rights = board.clean_castling_rights()
    return None if board.status() & ~chess.STATUS_INVALID_EP_SQUARE else board
