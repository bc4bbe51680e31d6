"""What does a question ask for, by its letters? Positions, lines, codes, openings, and reasons.

Nothing is guessed: a FEN is a legal position, a line of moves can be played, a code stands in
capitals, a name stands in the table of openings. A line is played from the start when it begins
with move 1, or has no numbers and can be; from a position or line of the same question, or from
the opening that is named, when its number fits there. Else its moves are kept as they are. A
square alone ("the d5 square", "weak on e6") is no move.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from consilience.pack import has_words, quoted
from consilience.packs.chess.fens import FEN, fens_in
from consilience.packs.chess.lines import Line, lines_in
from consilience.packs.chess.notation import epd
from consilience.packs.chess.openings import Name, belongs, canonical, ecos_of, named_in
from consilience.types import Passage
from consilience.understand.names import surface

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
    found = lines_in(rest, fens, [name for one in openings for name in one.canonical])
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
        famous=_words("famous", words),
        years=tuple(int(year) for year in _YEAR.findall(rest)),
        why=_words("explaining", words),
        asks=_words("asking", words),
        themes=_words("themes", words),
        shows=shows,
        games=_words("games", words),
        rest=words,
        lists=bool(_words("show_games", words)),
        chess=chessy or bool(openings or players or _words("famous", words)),
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
    path = Path(__file__).with_name("asking.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: tuple(row.split()) if isinstance(row, str) else tuple(row)
        for name, row in table.items()
    }


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
