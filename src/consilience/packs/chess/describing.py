"""What is a game called, and what is known of it? Its header for people, its metadata for search.

A file of games is a course where its games have no results and share an event: then what stands
for the players are the names of its chapters, as course makers write them. So it is with a chapter
of a study, and with a game whose players are no people by what they are called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.evidence.loaders.common import TITLE_LENGTH, one_line, title_of
from consilience.packs.chess.openings import Opening, openings_at
from consilience.packs.chess.trees import Game, Node
from consilience.types import Value

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
