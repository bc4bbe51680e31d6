"""How is a game shown to a person? By its players, its moves, and movetext that can be read."""

from __future__ import annotations

import re

from consilience.pack import Display
from consilience.passage_display import PREVIEW, excerpt
from consilience.types import Passage

# The parts of movetext: comments, brackets, a number with the space after it, other words.
_MOVETEXT = re.compile(
    r"\{(?P<note>[^}]*)\}?|(?P<bracket>[()])|\$\d+|(?P<number>\d+\.+)\s*|(?P<word>[^\s{}()]+)"
)
_COMMAND = re.compile(r"\[%[^\]]*\]")
_NUMBERED = re.compile(r"\d+\.")
_MOVE = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|O-O")
_INNER_QUOTES = str.maketrans({"“": "‘", "”": "’"})
# Signs after a move that few fonts have, as people type them.
_RARE_SIGNS = str.maketrans({"⩲": "+=", "⩱": "=+", "⨀": "(zugzwang)", "⟳": "(better developed)"})
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))


def name_of_game(passage: Passage) -> str:
    """`Petrosian–Pachman 1961 (Masters)`: players and year, then the title of the file."""
    played = players_and_year(passage)
    if not played or passage.title in played:
        return played or passage.title
    return f"{played} ({passage.title})"


def players_and_year(passage: Passage) -> str:
    """`Petrosian–Pachman 1961`; the chapter if it is a course, or nothing."""
    metadata = passage.metadata
    sides = [_surname(str(metadata[side])) for side in ("white", "black") if metadata.get(side)]
    year = re.match(r"\d{4}", str(metadata.get("date", "")))
    if not sides:
        return str(metadata.get("chapter", ""))
    return " ".join(filter(None, ("–".join(sides), year[0] if year else "")))


def place_in_game(passage: Passage) -> str:
    """`game 4, moves 12–18`: moves, and not half moves."""
    moves = moves_of(passage)
    if not moves:
        return str(passage.locator)
    game = passage.locator.number("game")
    return f"game {game}, {moves}" if game else moves


def moves_of(passage: Passage) -> str:
    """Which moves a piece of a game has, `moves 12–18`; empty if that is not known.

    Half moves are counted from the start of the game. A set-up position may start with another
    number or with Black: then the printed numbers count. A piece without moves is an introduction.
    """
    plies = [passage.metadata.get(name) for name in ("ply_first", "ply_last")]
    first, last = (ply if isinstance(ply, int) else passage.locator.number("ply") for ply in plies)
    if first is None or last is None:
        return ""
    positions = passage.metadata.get("positions", ())
    if not isinstance(positions, tuple) or len(positions) == 1:
        return "introduction"
    before = _half_moves_before(str(passage.metadata.get("start", "")))
    begin, end = ((before + ply + 1) // 2 for ply in (first, last))
    return f"move {begin}" if begin == end else f"moves {begin}–{end}"


def game_label(passage: Passage) -> str:
    """`Game - Petrosian–Pachman 1961, moves 12–18`."""
    played = players_and_year(passage)
    title = f'"{passage.title}"' if passage.title not in played else ""
    parts = [part for part in (title, played, moves_of(passage)) if part]
    return f"Game - {', '.join(parts) or 'unnamed'}"


def text_of_game(passage: Passage) -> str:
    """The header, then the moves in readable form."""
    header, _, body = passage.text.partition("\n\n")
    return f"{header}\n\n{readable(body)}" if body.strip() else passage.text


def excerpt_of_game(passage: Passage, question: str) -> str:
    """A few lines of the moves that suit a question, without the header."""
    _, _, body = passage.text.partition("\n\n")
    text = readable(body) if body.strip() else passage.text
    line = " ".join(text.split())
    if len(line) <= PREVIEW:
        return line
    return _close_quotes(excerpt(line, question, begin=_start_with_move))


def readable(movetext: str) -> str:
    """Movetext for people: comments in quotation marks, variations after `or`, no brackets.

    What only programs read, such as evaluations and numbers of signs, is left out.
    """
    parts: list[str] = []
    number, variations = "", 0
    for match in _MOVETEXT.finditer(movetext):
        if match["number"]:
            number = match["number"]
            continue
        if match["note"] is not None:
            words = " ".join(_COMMAND.sub(" ", match["note"]).split())
            parts += [f"“{words.translate(_INNER_QUOTES)}”"] if words else []
        elif match["bracket"]:
            variations += 1 if match["bracket"] == "(" else -1
            if parts and not parts[-1].endswith(";"):
                parts[-1] += ";"
            parts += ["or"] if match["bracket"] == "(" else []
        elif match["word"] and not (match["word"] in _RESULTS and variations == 0):
            parts.append(number + match["word"])
        number = ""
    return " ".join(parts).rstrip("; ").translate(_RARE_SIGNS)


def _start_with_move(line: str, start: int) -> int:
    """Where to start so that a comment has its move, and Black's move its number."""
    opened = line.rfind("“", 0, start + 1)
    if opened >= 0 and line.find("”", opened, start) < 0:
        begin = _previous_word(line, opened)
        if not any(sign.isalnum() for sign in line[begin:opened]):  # a sign after the move: `=`
            begin = _previous_word(line, begin)
        start = begin if start - begin <= PREVIEW // 2 else start
    before = _previous_word(line, start)
    has_no_number = _MOVE.match(line, start) is not None
    return before if has_no_number and _NUMBERED.match(line, before) else start


def _previous_word(text: str, at: int) -> int:
    return text.rfind(" ", 0, max(at - 1, 0)) + 1


def _close_quotes(text: str) -> str:
    """Add the quotation marks that were cut off at the ends."""
    first, closing = text.find("“"), text.find("”")
    if closing >= 0 and not 0 <= first < closing:
        text = text.replace("… ", "… “", 1)
    return f"{text}”" if text.rfind("“") > text.rfind("”") else text


def _half_moves_before(start: str) -> int:
    """Half moves before a set-up position (FEN), by the side to move and the move number."""
    fields = start.split()
    number = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1
    return 2 * (number - 1) + (fields[1:2] == ["b"])


def _surname(player: str) -> str:
    """`Petrosian` of `Petrosian, Tigran`; a name in another order is left as it is."""
    return player.partition(",")[0].strip() or player


GAME = Display(
    name=name_of_game,
    place=place_in_game,
    text=text_of_game,
    quote=readable,
    excerpt=excerpt_of_game,
)
