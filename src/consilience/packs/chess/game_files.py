"""How does a file of games become a document? One block a game, with its header and metadata.

Each line is UTF-8 where it can be, else in the old encoding that suits the whole file best. What is
wrong with a game is noted. A file of games is a course where its games have no results and share an
event: then what stands for the players are the names of its chapters. So it is with a chapter of a
study, and with a game whose players are no people by what they are called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import (
    TITLE_LENGTH,
    listed,
    one_line,
    plain,
    read_bytes,
    title_of,
)
from consilience.packs.chess.game_tree import Cell, Game, Node, Scored, cells_of, printed
from consilience.packs.chess.openings import Opening, openings_at
from consilience.packs.chess.pgn_parser import Fault, Reader
from consilience.types import Document, Locator, Value

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_OLD = {
    "cp1252": "Windows-1252",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp866": "DOS 866 (Cyrillic)",
    "cp850": "DOS 850",
}
_SAMPLED = 20_000  # bytes of words that are looked at to choose among the old encodings
_WORDY = 3  # letters of a word of which in western languages most have no accent
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")


def read_games_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a file of games, and notes where its encoding had to be guessed."""
    text, notes = decoded(read_bytes(path))
    return plain(text), notes


def decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Bytes to text: by a byte order mark, as UTF-16 without one, as UTF-8, line by line."""
    for mark, encoding in _MARKS:
        if data.startswith(mark) and encoding != "utf-8":
            return _whole(data[len(mark) :], encoding)
    data = data.removeprefix(_MARKS[0][0])
    wide = _unmarked_wide(data)
    if wide:
        return _whole(data, wide)
    notes: tuple[str, ...] = ()
    if b"\x00" in data:
        notes = (f"{data.count(0)} zero bytes, which no text has, were left out",)
        data = data.replace(b"\x00", b"")
    try:
        return data.decode("utf-8"), notes
    except UnicodeDecodeError:
        text, more = _by_lines(data)
        return text, (*notes, *more)


def _whole(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        note = f"bytes that are not {encoding} from byte {error.start} on were replaced"
        return data.decode(encoding, "replace"), (note,)


def _unmarked_wide(data: bytes) -> str:
    """UTF-16 without a mark: nearly every second byte of ordinary letters is zero."""
    start = data[:2000]
    half = len(start) // 2
    if half < 4:
        return ""
    if start[1::2].count(0) > 0.8 * half and start[::2].count(0) < 0.2 * half:
        return "utf-16-le"
    if start[::2].count(0) > 0.8 * half and start[1::2].count(0) < 0.2 * half:
        return "utf-16-be"
    return ""


def _by_lines(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Each line as UTF-8 where it is, else in the old encoding that suits all such lines best."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    found = [_utf8(line) for line in lines]
    other = [at for at, text in enumerate(found) if text is None]
    encoding = _old([lines[at] for at in other])
    for at in other:
        found[at] = _one(lines[at], encoding)
    which = "lines" if len(other) > 1 else "line"
    note = (
        f"not UTF-8 throughout: {which} {listed([at + 1 for at in other])} read as "
        f"{_OLD[encoding]}: accented letters may be wrong, save the file as UTF-8"
    )
    return "\n".join(text or "" for text in found), (note,)


def _utf8(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _one(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _old(lines: list[bytes]) -> str:
    """The old encoding whose words look most like words; of equals the commonest."""
    words: list[bytes] = []
    size = 0
    for line in lines:
        words.extend(word for word in _WORD.findall(line[:_SAMPLED]) if not word.isascii())
        size += len(line)
        if size > _SAMPLED:
            break
    return max(_OLD, key=lambda encoding: sum(_looks(word, encoding) for word in words))


def _looks(word: bytes, encoding: str) -> int:
    """How much a word looks like one: letters of one script, capitals only where they begin."""
    try:
        text = word.decode(encoding)
    except UnicodeDecodeError:
        return -2
    letters = [letter for letter in text if letter.isalpha()]
    strange = len(text[1:-1]) - sum(one.isalpha() or one in "’‘'-–." for one in text[1:-1])
    cyrillic = sum("а" <= letter.lower() <= "ё" for letter in letters)
    inside = any(a.islower() and b.isupper() for a, b in pairwise(letters))
    accents = sum(not letter.isascii() for letter in letters)
    latin = cyrillic == 0 and (len(letters) < _WORDY or 2 * accents <= len(letters))
    good = not inside and not strange and (latin or 1 < cyrillic == len(letters))
    return (1 if good else 0) - strange - 2 * inside - 2 * (0 < cyrillic < len(letters))


_LONGEST = 200
_SHOWN = 60
_UNKNOWN = re.compile(r"[?\-.*\s]*|n/?a|unknown", re.IGNORECASE)
_ECO = re.compile(r"[A-E]\d\d")
_DATE = re.compile(r"(\d{4})(?:[./-](\d\d)(?:[./-](\d\d))?)?")
_RESULTS = (
    ("1-0", re.compile(r"(?:1-0|\+--|1:0)(?![/\d])")),
    ("0-1", re.compile(r"(?:0-1|--\+|0:1)(?![/\d])")),
    ("1/2-1/2", re.compile(r"(?:1/2|½|0[.,]5)(?:[-:](?:1/2|½|0[.,]5))?(?!\d)|=-=")),
)
_STUDY = "/study/"
_NUMBERED = re.compile(r"(?:chapter|part|lesson)\s+\d+\s*[-–—:.]\s*", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:(?:the\s+)?(?:main\s*line|mainline|introduction|intro|overview|theory|summary|"
    r"conclusion|exercises?|puzzles?|model games?|sidelines?)|"
    r"(?:chapter|part|line|lesson|section|variation|game|puzzle|exercise)?\s*#?\d{1,4})\.?",
    re.IGNORECASE,
)
# No person is called so: a colon, the number of a move, or a move.
_TITLE = re.compile(
    r":|\d\.{1,3}\s*[a-hKQRBNO]|\b(?:[KQRBN][a-h]?x?[a-h][1-8]|O-O|[a-h]x[a-h][1-8])"
)
_FIELDS = ("White", "Black", "Event", "Site", "Round", "Annotator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A game's header in parts, and its metadata.

    `where` is event, place, year and result, `opening` the opening's name and code.
    """

    who: str
    where: str
    result: str
    opening: str
    metadata: Mapping[str, Value]

    def header(self, *, opening: str = "", most: int = 10**6) -> str:
        """`Petrosian – Pachman, Bled 1961, 1-0. King's Indian Attack (A07).`, or less of it."""
        named = opening or self.opening
        free = most - len(self.who) - len(named) - 4
        where = self.where if len(self.where) <= free else self.result
        first = ", ".join(filter(None, (self.who, where)))
        whole = ". ".join(filter(None, (first, named)))
        return whole and f"{_short(whole, most)}."


def title(games: Sequence[Game], path: Path) -> str:
    """The course or event that all games share, else a title from the file's name."""
    for names in ([course(game) for game in games], [tag(game, "Event") for game in games]):
        if names[0] and set(names) == {names[0]}:
            return _short(names[0], TITLE_LENGTH)
    return title_of(path)


def is_course(games: Sequence[Game]) -> bool:
    """Whether a file's games are the lines of a course: one event, no results, and either no
    dates or names that nobody has.
    """
    events = {tag(game, "Event") for game in games}
    return (
        len(games) > 1
        and len(events) == 1
        and "" not in events
        and not any(_result(game) or _is_person(game) for game in games)
        and (not any(_date(game) for game in games) or any(_is_heading(game) for game in games))
    )


def describe(game: Game, path: Path, *, lines: bool) -> Described:
    """What is known of a game; with `lines` its file is a course."""
    white, black = tag(game, "White"), tag(game, "Black")
    chapter, whole = _chapter(game), course(game)
    if _is_titled(game) or (lines and not whole):
        whole = whole or _course_by_event(game)
        chapter = _joined(chapter, white, black)
        white = black = ""
    opening = _opening(game)
    known: dict[str, Value] = {name.lower(): tag(game, name) for name in _FIELDS}
    known |= {"white": white, "black": black, "course": whole, "chapter": _named(whole, chapter)}
    known |= {"result": _result(game), "date": _date(game), "year": int(_date(game)[:4] or 0)}
    known |= {"eco": opening.eco, "opening": opening.name, "start": game.start}
    metadata: dict[str, Value] = {"file": path.name, "game": game.number}
    metadata |= {name: value for name, value in known.items() if value}
    metadata["moves"] = game.end.line
    who = " – ".join(_spoken(name) for name in (white, black) if name)
    course_of = " › ".join(_short(name, 2 * _SHOWN) for name in (whole, chapter) if name)
    return Described(
        who=". ".join(filter(None, (course_of, who))) or f"Game {game.number}",
        where=_where(game, whole, played=bool(who)),
        result=_result(game),
        opening=shown(opening),
        metadata=metadata,
    )


def shown(opening: Opening) -> str:
    """`King's Indian Attack (A07)`; what is not known of it is left out."""
    if opening.name and opening.eco:
        return f"{_short(opening.name, 2 * _SHOWN)} ({opening.eco})"
    return opening.name or opening.eco


def opening_at(node: Node) -> Opening | None:
    """The opening that a line has come to, by the deepest position that has a name."""
    here: Node | None = node.early
    while here is not None:
        found = openings_at(here.epd)
        if found is not None:
            return found
        here = here.parent
    return None


def tag(game: Game, name: str) -> str:
    """A tag's value where it says something, on one line and not endless."""
    value = one_line(game.tags.get(name, "")[: 4 * _LONGEST])
    return "" if _UNKNOWN.fullmatch(value) else _short(value, _LONGEST)


def course(game: Game) -> str:
    """The course or study that a game says it is of."""
    named = tag(game, "Course") or tag(game, "Book")
    if named or not _chapter(game):
        return named
    study, event = tag(game, "StudyName"), tag(game, "Event")
    return study or event.partition(": ")[0]


def _chapter(game: Game) -> str:
    """The chapter that a game says it is; not where that only repeats the players."""
    chapter = tag(game, "Chapter") or tag(game, "ChapterName")
    if not chapter and _STUDY in game.tags.get("Site", ""):
        chapter = _NUMBERED.sub("", tag(game, "Event").partition(": ")[2])
    players = [tag(game, name) for name in ("White", "Black")]
    said = chapter.casefold()
    repeats = all(name and name.split(",")[0].casefold() in said for name in players)
    return "" if repeats and not _is_titled(game) else chapter


def _named(whole: str, chapter: str) -> str:
    """The name of a chapter wherever it stands alone: `main line` by itself names nothing."""
    return f"{whole}: {chapter}" if whole and _NO_NAME.fullmatch(chapter) else chapter


def _joined(*names: str) -> str:
    """Names as one, without those that only repeat a part of it."""
    joined = ""
    for name in filter(None, names):
        if name.casefold() in joined.casefold():
            continue
        repeats = name.casefold().startswith(joined.casefold())
        joined = name if repeats else f"{joined}: {name}"
    return joined


def _course_by_event(game: Game) -> str:
    """The course by a game's event: without the chapter's name, where it has that as well."""
    event = tag(game, "Event")
    head, _, rest = event.partition(": ")
    titles = [tag(game, name) for name in ("White", "Black")]
    return head if rest and rest in titles else event


def _is_titled(game: Game) -> bool:
    """Whether what stands for the players are titles of a chapter or a line."""
    names = [name for side in ("White", "Black") if (name := tag(game, side))]
    if _result(game) or _is_person(game) or not names:
        return False
    event = tag(game, "Event")
    studied = bool(tag(game, "ChapterName") or tag(game, "Chapter"))
    parts = (*event.split(": "), event.partition(": ")[2], tag(game, "ChapterName"))
    return any(
        _TITLE.search(name) or name in parts or (studied and len(name.split()) > 3)
        for name in names
    )


def _is_person(game: Game) -> bool:
    names = (tag(game, "White"), tag(game, "Black"))
    rated = tag(game, "WhiteElo") or tag(game, "BlackElo")
    return bool(rated) or all(re.fullmatch(r"[^\W\d]+, ?[^\W\d].*", name) for name in names)


def _is_heading(game: Game) -> bool:
    names = (tag(game, "White"), tag(game, "Black"))
    return any(re.search(r"[\d#:]", name) or len(name.split()) > 3 for name in names)


def _opening(game: Game) -> Opening:
    """By the tags where they say it, else by the moves."""
    code = _ECO.match(tag(game, "ECO").upper())
    parts = [tag(game, name) for name in ("Opening", "Variation", "SubVariation")]
    name = ": ".join(filter(None, (parts[0], ", ".join(filter(None, parts[1:])))))
    found = None if code and parts[0] else opening_at(game.end)
    eco = code[0] if code else found.eco if found else ""
    return Opening(eco, name if parts[0] else found.name if found else "")


def _result(game: Game) -> str:
    for value in (game.tags.get("Result", "").strip(), game.result):
        known = re.sub(r"[–—−]", "-", value.replace(" ", ""))
        for result, pattern in _RESULTS:
            if pattern.match(known):
                return result
    return ""


def _date(game: Game) -> str:
    """As far as it is known: `1961`, `1961.05`, `1961.05.17`."""
    for name in ("Date", "UTCDate", "EventDate"):
        known = _DATE.match(tag(game, name))
        if known and known[1] != "0000":
            return ".".join(part for part in known.groups() if part)
    return ""


def _where(game: Game, whole: str, *, played: bool) -> str:
    """Event, place, year and result; of a line that nobody played no year."""
    event, site = tag(game, "Event"), tag(game, "Site")
    year = _date(game)[:4] if played or not whole else ""
    if whole and event.startswith(whole):
        event = ""
    if "://" in site or "www." in site or (event and site.casefold() in event.casefold()):
        site = ""
    if site and event.casefold() in site.casefold():
        event = ""
    place = ", ".join(_short(name, _SHOWN) for name in (event, site) if name)
    dated = f"{place} {year}" if year and year not in place else place
    return ", ".join(filter(None, (dated.strip(), _result(game))))


def _spoken(name: str) -> str:
    """`Petrosian, Tigran V` as it is said: `Tigran V Petrosian`."""
    last, comma, first = name.partition(",")
    spoken = f"{first.strip()} {last.strip()}" if comma and first.strip() else name
    return _short(spoken, _SHOWN)


def _short(text: str, length: int) -> str:
    """A text that is not too long, cut between words where there is one to cut at."""
    if len(text) <= length:
        return text
    cut = text[: max(0, length - 1)]
    whole = cut.rpartition(" ")[0] if text[len(cut) : len(cut) + 1].strip() else cut
    return f"{(whole if 2 * len(whole) > length else cut).rstrip(' ,;:–-')}…"


LISTED = 20  # faults that are told one by one; the others are counted


def load(path: Path) -> Document:
    """The games of a PGN file, each as a block of its own.

    What is wrong with a game is told with its number, line and reason. A file in which no game
    can be read is a `LoadError`.
    """
    text, notes = read_games_text(path)
    reader = Reader(text)
    games = list(reader.games())
    if not games:
        raise LoadError(_nothing(path, reader.faults))
    lines = is_course(games)
    return Document(
        title=title(games, path),
        kind="game",
        blocks=tuple(_block(game, describe(game, path, lines=lines)) for game in games),
        notes=(*notes, *_told(reader.faults, reader.count)),
    )


def _block(game: Game, known: Described) -> Scored:
    cells = cells_of(game)
    moves = printed(game, cells[:1])
    ending = known.metadata.get("result", "*")
    return Scored(
        text=f"{known.header()}\n\n{' '.join(filter(None, (moves, str(ending))))}",
        locator=Locator(extra=(("game", game.number), ("ply", 1))),
        kind="game",
        whole=True,
        metadata={**known.metadata, **own(cells), "line": game.end.line, "end": game.end.epd},
        game=game,
        known=known,
    )


def own(cells: Sequence[Cell]) -> dict[str, Value]:
    """What a passage knows of its own moves: positions, half moves, words of comment.

    The first of the positions is the one that the passage starts from.
    """
    lead = cells[0].node
    start = lead if lead.parent is None else lead.parent
    played = [cell.node for cell in cells if cell.node.parent is not None]
    plies = [node.ply for node in played] or [1]
    positions = dict.fromkeys([start.epd, *(node.epd for node in played)])
    notes = sum(len(cell.said.split()) + len(cell.introduced.split()) for cell in cells)
    return {
        "ply_first": min(plies),
        "ply_last": max(plies),
        "positions": tuple(positions),
        "notes": notes,
    }


def _nothing(path: Path, faults: Sequence[Fault]) -> str:
    """Why there is no game in a file."""
    reasons = "; ".join(str(fault) for fault in faults[:3])
    more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
    found = f": {reasons}{more}" if reasons else ""
    return f"{path.name} holds no game that can be read{found}; give it games in PGN"


def _told(faults: Sequence[Fault], games: int) -> tuple[str, ...]:
    """The notes of a file: the first faults one by one, the others by their number."""
    notes = [str(fault) for fault in faults[:LISTED]]
    if len(faults) > LISTED:
        out = sum(fault.out and fault.game > 0 for fault in faults)
        notes.append(
            f"{len(faults) - LISTED} more faults like these; of {games} games {out} were left out"
        )
    return tuple(notes)
