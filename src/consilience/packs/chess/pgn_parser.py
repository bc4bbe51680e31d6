"""Which games does a text of PGN hold? Parsed token by token, each game in its own right.

A line that begins with `[Name "` after a blank line begins a new game, and so does one with
`[Event "`, even where a comment was never closed: one broken game costs no other. Of a game with
an illegal move what was legal is kept, and every comment; what is left out is reported. Tags may
be written loosely. The same move in the same position is worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import chess

from consilience.packs.chess.game_tree import SIGNS, Game, Node, split_comment, thin
from consilience.packs.chess.notation import epd, mended, read_move

_BETWEEN = re.compile(r"(?<=\])[^\S\n]{0,9}(?=\[\s{0,9}\w)")
_NAME = re.compile(r"\[\s*(\w[\w.+#=:-]*)\s*")
_CAPITALS = frozenset(("Fen", "Eco"))


def tags_of(line: str) -> list[tuple[str, str]]:
    """The tags of a line: their names and values."""
    found = []
    for part in _BETWEEN.split(line):
        name = _NAME.match(part)
        if name:
            found.append((_named(name[1]), _value(part[name.end() :])))
    return found


def _named(name: str) -> str:
    """A tag's name as it is usually written."""
    known = name.capitalize() if name.islower() or name.isupper() else name
    return known.upper() if known in _CAPITALS else known


def _value(text: str) -> str:
    value, end, _ = text.rpartition('"]')
    value = value if end else text.rstrip(" \t]")
    value = value.removeprefix('"').removesuffix('"').strip("“”„'")
    return re.sub(r'\\(["\\])', r"\1", value).strip()


_KEPT = 200_000
_TAIL = re.compile(r"(?:[+#=±∓∞⩲⩱†‡-]|e\.?p\.?)+$")
_NOTHING = frozenset(("--", "Z0", "0000", "@@@@", "null", "pass", "<>", "–", "—"))
_FULL = re.compile(
    r"[a-h][1-8][-x:]?[a-h][1-8]|[a-h]x?[a-h]$|(?:[a-h]?x)?[a-h][18][/=(]{1,2}[QRBNDTLSCFA]"
)
_FOREIGN = frozenset("DTLSCFA")


class Player:
    """Plays moves by name from positions by key, under the rules of Chess960 where told so."""

    def __init__(self, *, chess960: bool = False) -> None:
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        self._chess960 = chess960
        self._board = chess.Board(chess960=chess960)
        self._at = epd(self._board)

    def play(self, position: str, spelt: str, *, foreign: bool = False) -> tuple[str, str] | str:
        """The move in short algebraic notation and the position it leads to, or why there is none.

        With `foreign`, an R that no rook explains is a king, as in French, Spanish and Italian.
        """
        known = self._known.get((position, spelt))
        if known is not None:
            return known
        board = self._set(position)
        move = _english(board, spelt)
        if isinstance(move, str):
            other = _other(board, spelt, foreign=foreign)
            if other is None:
                return move
            move = other
        name = board.san(move)
        board.push(move)
        self._at = epd(board)
        found = (name, self._at)
        if not (foreign and spelt.startswith("R")):
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[position, spelt] = found
        return found

    def _set(self, position: str) -> chess.Board:
        if position != self._at:
            self._board = chess.Board(f"{position} 0 1", chess960=self._chess960)
            self._at = position
        elif len(self._board.move_stack) > 100:
            self._board.clear_stack()
        return self._board


def is_foreign(spelt: str) -> bool:
    """Whether a move begins with a letter that means a piece in other languages only."""
    return spelt[:1] in _FOREIGN


def _english(board: chess.Board, spelt: str) -> chess.Move | str:
    if spelt in _NOTHING:
        return chess.Move.null()
    try:
        return board.parse_san(spelt)
    except chess.AmbiguousMoveError:
        return "ambiguous move"
    except ValueError:
        short = _TAIL.sub("", spelt)
    try:
        return board.parse_san(short) if short != spelt and short else "illegal move"
    except ValueError:
        return "illegal move"


def _other(board: chess.Board, spelt: str, *, foreign: bool) -> chess.Move | None:
    """The move in another notation, where that cannot be mistaken for an English one."""
    if spelt[0] in "abcdefgh" and not _FULL.match(spelt):
        return None
    if spelt[0] == "R" and not foreign:
        return None
    return read_move(board, spelt)


_NEW = re.compile(r'\n[^\S\n]*\n(?=[^\S\n]*\[\s*\w[\w.+#=:-]*\s*")')
_TAG = re.compile(r"\s*\[")
_TOKEN = re.compile(
    r"""
      \{ (?P<note> (?: [^}\n] | \n (?! [^\S\n]* \[ \s* Event \s* " ) )*+ ) (?P<closed>\}?)
    | ; (?P<rest>[^\n]*)
    | ^ % [^\n]*
    | ^ [^\S\n]* (?P<tags> \[ \s* \w[\w.+#=:-]* \s* ["“„] [^\n]* )
    | ^ [^\S\n]* (?P<bare> \[ [A-Z][A-Za-z]{2,19} [^\S\n]+ [^]"\n]+ \] )
    | (?P<bracket> [()] )
    | \$ (?P<nag> \d{1,9} )
    | (?P<sign> [!?]{1,2} | [‼⁇⁉⁈] )
    | (?P<result> 1\s?[-–—−:]\s?0 | 0\s?[-–—−:]\s?1 | \*
        | (?: 1/2 | ½ | 0[.,]5 ) (?: \s?[-–—−:]\s? (?: 1/2 | ½ | 0[.,]5 ) )?
      ) (?= [\s{(;)!?*] | $ | \Z )
    | (?P<number> (?!0000\b) \d{1,9} ) (?: [^\S\n]*(?:\.+|…) | (?=\s) | :(?=[a-hKQRBNO♔-♟]) )
    | (?: \.+ | … )
    | (?P<word> [^\s{}();$!?]+ (?: (?<=[18=])\([QRBNDTLSCFA]\) )? )
    | (?P<loose> \} )
    """,
    re.VERBOSE | re.MULTILINE,
)
_MOVELIKE = re.compile(
    r"[KQRBNPSTLDCFA♔-♟]?[a-h]?\d?[x:×-]?[a-h][0-9](?!\w*[g-z]{2})|[O0o]-[O0o]|[KQRBN][a-h]?x"
)
_SIGNS = {sign: nag for nag, sign in reversed(SIGNS.items())} | {
    "‼": 3, "⁇": 4, "⁉": 5, "⁈": 6, "+=": 14, "+/=": 14, "=+": 15, "=/+": 15, "+/-": 16,
    "-/+": 17, "+−": 18, "−+": 19,
}  # fmt: skip
_MARKS = frozenset(("+", "++", "#", "e.p.", "ep", "ch", "mate", "D", "*", "-", "½"))
_NAGS = range(1, 256)
_MOST = 8  # marks that are kept of one move
_LONGEST = 20  # letters that a move can have in any notation, with all its marks
_STANDARD = frozenset(("", "?", "standard", "chess", "classical", "normal", "fromposition"))
_CHESS960 = frozenset(("chess960", "fischerandom", "fischerrandom", "freestyle"))


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a game: its number and line in the file, the reason, whether it is out."""

    game: int
    row: int
    reason: str
    out: bool

    def __str__(self) -> str:
        place = f"game {self.game} (line {self.row})" if self.game else f"line {self.row}"
        return f"{place}: {self.reason}"


@dataclass(slots=True)
class _Frame:
    """A line that is being read: where it stands, whether it has moves yet, whether it is lost."""

    node: Node
    fresh: bool = False
    lost: bool = False
    before: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    """A game that is being read."""

    row: int
    player: Player
    tags: dict[str, str] = field(default_factory=dict)
    moving: bool = False
    game: Game | None = None
    frames: list[_Frame] = field(default_factory=list)
    result: str = ""
    foreign: bool = False
    refused: str = ""
    faults: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    dropped: int = 0

    @property
    def silent(self) -> bool:
        """Whether there are comments and no moves yet: tags that follow are its own."""
        words = self.game is not None and not (self.game.root.children or self.result)
        return words and len(self.frames) == 1 and not (self.faults or self.strange)


class Reader:
    """Reads the games of one text; `faults` has what is wrong, of every game in order."""

    def __init__(self, text: str) -> None:
        self._text = f"{text}\n"
        self.faults: list[Fault] = []
        self.count = 0
        self._players = {False: Player(), True: Player(chess960=True)}
        self._draft = _Draft(1, self._players[False])
        self._row, self._counted = 1, 0
        self._stray_words: list[str] = []

    def games(self) -> Iterator[Game]:
        """The games that can be read, in order, each with its number."""
        starts = [0, *(match.end() for match in _NEW.finditer(self._text)), len(self._text)]
        for start, end in pairwise(starts):
            begins = True
            for token in _TOKEN.finditer(self._text, start, end):
                if self._parts(token, begins=begins):
                    yield from self._done()
                    self._draft = _Draft(self._line(token.start()), self._players[False])
                self._take(token)
                begins = False
        yield from self._done()

    def _line(self, at: int) -> int:
        self._row += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._row

    def _parts(self, token: re.Match[str], *, begins: bool) -> bool:
        """Whether a new game begins with this token."""
        draft = self._draft
        if token["tags"] is not None:
            again = any(name in draft.tags for name, _ in tags_of(token["tags"]))
            return again if draft.silent else draft.moving or (again and begins)
        if token["number"] != "1" or len(draft.frames) != 1:
            return False
        if draft.frames[0].node.ply < 2 and not draft.frames[0].lost:
            return False
        gap = self._text[max(0, token.start() - 200) : token.start()]
        return bool(draft.result) or re.search(r"\n[^\S\n]*\n\s*\Z", gap) is not None

    # --- tokens -------------------------------------------------------------------------

    def _take(self, token: re.Match[str]) -> None:
        draft, kind = self._draft, token.lastgroup
        if kind in {"tags", "bare"}:
            self._tagged(token)
        elif kind is not None:
            if not draft.moving:
                self._begin(token)
            if draft.game is not None:
                self._put(token, draft.game)

    def _tagged(self, token: re.Match[str]) -> None:
        draft = self._draft
        if token["bare"] and draft.moving and not draft.silent:
            draft.strange.append(token["bare"])
            return
        draft.row = draft.row if draft.tags else self._line(token.start())
        draft.tags.update(tags_of(token["tags"] or token["bare"]))
        if draft.game is not None:  # comments stood before them
            self._begin(token, draft.game.root.after)

    def _put(self, token: re.Match[str], game: Game) -> None:
        draft, kind = self._draft, token.lastgroup
        if kind in {"closed", "note", "rest"}:
            self._comment(token)
        elif kind == "bracket":
            self._bracket(token["bracket"])
        elif kind in {"nag", "sign"}:
            self._mark(int(token["nag"]) if token["nag"] else _SIGNS[token["sign"]])
        elif kind == "result":
            draft.result = token["result"] if len(draft.frames) == 1 else draft.result
        elif kind == "word":
            self._word(token["word"], game)
        elif kind == "loose":
            self._loose()
        if kind != "word":
            draft.near.clear()

    def _begin(self, token: re.Match[str], said: Sequence[str] = ()) -> None:
        draft = self._draft
        draft.moving = True
        draft.row = draft.row if draft.tags else self._line(token.start())
        set_up(draft, self._players)
        if draft.game is not None:
            draft.game.root.after = said

    def _loose(self) -> None:
        """The end of a comment that had braces inside: the words before it belong to it."""
        draft = self._draft
        if draft.near:
            del draft.strange[-len(draft.near) :]
            _add(draft.frames[-1].node, " ".join(draft.near))

    def _comment(self, token: re.Match[str]) -> None:
        frame = self._draft.frames[-1]
        text = token["rest"] if token["rest"] is not None else token["note"]
        words, evaluation = split_comment(text)
        if token["rest"] is None and not token["closed"]:
            ends = _TAG.match(self._text, token.end()) is not None
            where = "the next game's tags end it" if ends else "what follows is taken as comment"
            self._draft.faults.append(f"a comment is not closed; {where}, and moves may be lost")
        if frame.fresh and not frame.lost:
            frame.before.extend([words] if words else [])
            return
        if evaluation and not frame.lost:
            frame.node.evaluation = evaluation
        _add(frame.node, words)

    def _bracket(self, bracket: str) -> None:
        frames = self._draft.frames
        frame = frames[-1]
        if bracket == "(":
            back = frame.node if frame.lost else frame.node.parent or frame.node
            frames.append(_Frame(back, fresh=True, lost=frame.lost))
        elif len(frames) > 1:
            frames.pop()
            for words in frame.before:  # a variation of words alone
                _add(frames[-1].node, words)

    def _mark(self, nag: int) -> None:
        frame = self._draft.frames[-1]
        node = frame.node
        taken = nag in node.nags or len(node.nags) >= _MOST
        if not (taken or frame.lost or frame.fresh) and nag in _NAGS:
            node.nags = (*node.nags, nag)

    def _word(self, word: str, game: Game) -> None:
        draft = self._draft
        frame = draft.frames[-1]
        if word in _SIGNS and not (word == "N" and frame.fresh):
            self._mark(_SIGNS[word])
        elif word in _MARKS:
            return
        elif frame.lost:
            draft.dropped += 1
        else:
            found = "unreadable" if len(word) > _LONGEST else self._played(frame, word)
            if isinstance(found, str):
                self._unplayed(word, game, reason=found)
            else:
                draft.near.clear()
                draft.foreign = draft.foreign or is_foreign(word)
                _advance(frame, Node(frame.node, *found))

    def _played(self, frame: _Frame, word: str) -> tuple[str, str] | str:
        return self._draft.player.play(frame.node.epd, word, foreign=self._draft.foreign)

    def _unplayed(self, word: str, game: Game, *, reason: str) -> None:
        """A word that no move is meant by is passed over; an illegal move ends its line."""
        draft, frame = self._draft, self._draft.frames[-1]
        if len(word) > _LONGEST or not _MOVELIKE.match(word):
            draft.strange.append(word)
            draft.near.append(word)
            return
        place = game.named(Node(frame.node, "", ""))
        frame.lost = True
        if frame.fresh:  # what is said of it is said beside the move that it would replace
            frame.node, frame.fresh = draft.frames[-2].node, False
        for words in frame.before:
            _add(frame.node, words)
        frame.before.clear()
        rest = "variation" if len(draft.frames) > 1 else "game"
        draft.faults.append(f"{reason} {word[:20]!r} at {place}; the rest of the {rest} left out")

    # --- games --------------------------------------------------------------------------

    def _done(self) -> Iterator[Game]:
        """The draft as a game, or the reason why it is none."""
        draft, game = self._draft, self._draft.game
        if game is None and not draft.tags:
            return
        if not draft.moving:
            set_up(draft, self._players)
            game = draft.game
        if game is not None:
            self._closed(draft, game)
        if not draft.tags and (game is None or not game.root.children):
            self._stray(draft, game)
            return
        empty = game is None or not (game.root.children or game.root.after)
        self.count += 1
        reason = draft.refused or ("no moves and no comments" if empty and not draft.faults else "")
        reason = reason if not (empty and game is not None and game.start) else draft.refused
        if reason or game is None:
            self.faults.append(Fault(self.count, draft.row, f"{reason}; left out", out=True))
            return
        game.number, game.row, game.tags, game.result = (
            self.count, draft.row, draft.tags, draft.result,
        )  # fmt: skip
        if said := _said(draft):
            self.faults.append(Fault(self.count, draft.row, said, out=False))
        game.root.after = [*self._stray_words, *game.root.after]
        self._stray_words = []
        game.finish()
        thin(game)
        yield game

    def _stray(self, draft: _Draft, game: Game | None) -> None:
        """What stands outside of games: comments are kept for the next one, other text is not."""
        if game is not None:
            self._stray_words.extend(game.root.after)
        if draft.faults:
            self.faults.append(Fault(0, draft.row, _said(draft), out=True))
        elif draft.strange:
            self.faults.append(Fault(0, draft.row, "text that is not a game; left out", out=True))

    def _closed(self, draft: _Draft, game: Game) -> None:
        if len(draft.frames) > 1:
            draft.faults.append("a variation is not closed")
        for frame in draft.frames:
            for words in frame.before:
                _add(frame.node, words)


def set_up(draft: _Draft, players: dict[bool, Player]) -> None:
    """Give a draft the position that its game begins from, or the reason why it has none."""
    variant = re.sub(r"[\s_-]", "", draft.tags.get("Variant", "")).lower()
    fen = mended(draft.tags.get("FEN", ""))
    if variant not in _STANDARD | _CHESS960:
        draft.refused = f"the variant {draft.tags['Variant'][:40]!r} is not chess"
        return
    try:
        board = chess.Board(fen, chess960=variant in _CHESS960)
    except ValueError as error:
        draft.refused = f"not a position: FEN {fen[:90]!r} ({str(error)[:60]})"
        return
    chess960 = board.chess960 or board.has_chess960_castling_rights()
    board.chess960 = chess960
    start = board.fen() if board.fen() != chess.STARTING_FEN else ""
    before = 2 * (board.fullmove_number - 1) + (board.turn == chess.BLACK)
    root = Node(None, "", epd(board))
    draft.game = Game(root=root, end=root, before=before, start=start)
    draft.player = players[chess960]
    draft.frames = [_Frame(draft.game.root)]


def _advance(frame: _Frame, node: Node) -> None:
    """Go on with a move; the first of a variation comes behind the line it departs from."""
    children = frame.node.children
    if frame.fresh:
        children.append(node)
        node.before = tuple(frame.before)
        frame.before.clear()
    else:
        children.insert(0, node)
    frame.node, frame.fresh = node, False


def _add(node: Node, words: str) -> None:
    if not words:
        return
    if not isinstance(node.after, list):
        node.after = list(node.after)
    node.after.append(words)


def _slanted(draft: _Draft) -> bool:
    return "\\" in draft.tags.get("FEN", "")


def _said(draft: _Draft) -> str:
    """What a person should know of a game that is kept."""
    parts = ["the backslashes of its FEN are read as slashes"] if _slanted(draft) else []
    open_ones = [one for one in draft.faults if one.startswith("a ")]
    unplayed = [one for one in draft.faults if one not in open_ones]
    parts += unplayed[:1]
    if more := len(unplayed) - 1 if unplayed else 0:
        parts.append(f"{more} more such {'place' if more == 1 else 'places'}")
    if draft.dropped:
        parts.append(f"{draft.dropped} {'move' if draft.dropped == 1 else 'moves'} after that")
    parts += dict.fromkeys(open_ones)
    if draft.strange:
        words = ", ".join(repr(word[:20]) for word in draft.strange[:3])
        parts.append(f"{len(draft.strange)} words that are no moves skipped: {words}")
    return "; ".join(parts)
