"""Which opening is a position, what is known of it, and which openings does a text name?

`openings.tsv` (made by `scripts/build_openings.py`) holds named lines with the positions that they
lead to. A game has the name of the last of its positions that has one, so that every order of moves
comes to the same name. `Sicilian Defense: Najdorf Variation, English Attack` belongs to the two
openings that its name begins with.

In texts it is also "the Najdorf" or "Najdorf Sicilian". A part that is an ordinary word
("Exchange", "Closed") is a name only beside its opening, and the name of a country, a town or a
player only with an article, so that neither "English translation" nor "Alekhine won" names an
opening. Other names, and which words are ordinary, stand in `aliases.toml`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening: its code in the encyclopaedia, and its name."""

    eco: str
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """A named line: its opening, its moves as coordinates, and where they lead."""

    opening: Opening
    moves: tuple[str, ...]
    position: str


def openings_at(position: str) -> Opening | None:
    """The opening whose named position this is (an EPD as `notation.epd` writes it)."""
    return _positions().get(position)


def opening_of(positions: Sequence[str]) -> Opening | None:
    """The opening of a game, by the last of its positions that has a name."""
    known = _positions()
    return next((known[one] for one in reversed(positions) if one in known), None)


@lru_cache(maxsize=4096)
def ecos_of(name: str) -> tuple[str, ...]:
    """The codes of all lines whose name is this or begins with it."""
    return tuple(sorted({row.opening.eco for row in under().get(name, ())}))


@lru_cache(maxsize=1024)
def lines_of(name: str, *, own: bool) -> tuple[tuple[str, ...], ...]:
    """The lines of an opening, or of its variations, as coordinates: the most travelled first."""
    lines = under().get(name, ())
    found = [row.moves for row in lines if (row.opening.name == name) is own]
    return tuple(sorted(found, key=lambda line: (-_followed(line, lines), len(line))))


def _followed(line: tuple[str, ...], others: Iterable[Row]) -> int:
    """How many lines begin with this one."""
    return sum(row.moves[: len(line)] == line for row in others)


def belongs(name: str, wanted: str) -> bool:
    """Whether an opening is the wanted one or one of its variations, by their names: a gambit
    accepted or declined is still that gambit.
    """
    turned = {f"{wanted} {turn}" for turn in ("Accepted", "Declined", "Deferred")}
    return not {wanted, *turned}.isdisjoint(prefixes(name))


@cache
def rows() -> tuple[Row, ...]:
    """All lines of the table."""
    lines = (FOLDER / "openings.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = (line.split("\t") for line in lines)
    return tuple(
        Row(Opening(eco, name), tuple(moves.split()), end) for eco, name, moves, end in cells
    )


@cache
def _positions() -> dict[str, Opening]:
    return {row.position: row.opening for row in rows()}


@lru_cache(maxsize=16384)
def prefixes(name: str) -> tuple[str, ...]:
    """The openings that one belongs to, itself last: `A: b, c` is of `A` and of `A: b`."""
    ends = [match.start() for match in re.finditer(r"[:,] ", name)]
    return (*(name[:end] for end in ends), name)


@cache
def under() -> Mapping[str, Sequence[Row]]:
    """The rows of every name and of every beginning of a name."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows():
        for name in prefixes(row.opening.name):
            found[name].append(row)
    return dict(found)


def name_of(eco: str) -> str | None:
    """The opening that a code stands for, by the shortest of its names."""
    return _codes().get(eco)


@cache
def _codes() -> dict[str, str]:
    found = sorted(rows(), key=lambda row: (-len(row.opening.name), row.opening.name))
    return {row.opening.eco: row.opening.name for row in found}


@lru_cache(maxsize=1024)
def begins(named: str) -> tuple[str, ...]:
    """The positions in which an opening, given by its code or its name, begins.

    Of a line that goes on under the same name only the first position counts.
    """
    own = [row for row in rows() if named in (row.opening.eco, row.opening.name)]
    lines = {row.moves for row in own}
    return tuple(
        row.position
        for row in own
        if not any(row.moves[:end] in lines for end in range(1, len(row.moves)))
    )


LONGEST = 7
NEAR = 6  # words between a part and the opening it belongs to, at most
CLOSE = 3  # mentions between a part and its opening, at most
SHARE = 3  # an opening this many times as large as another of the same name is the one meant
_TURNS = ("accepted", "declined", "deferred")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLAYED = re.compile(r"(?!King|Queen|Bishop|Knight)[A-Z]\w+['’]s [a-z]")
_MOVES = re.compile(r"^with |[a-h][1-8]\b")
_YEAR = re.compile(r",?\s\(?(?:1[5-9]|20)\d\d\b")
_NUMBERED = re.compile(r"[\s,:(]*(?:with\s+)?\d{1,2}\s?(?:\.{1,3}|…)\s?[a-hKQRBNO♔-♟]")
_ENDS = re.compile(r"[.?!;](?=\s)")


@dataclass(frozen=True, slots=True)
class Name:
    """An opening that a text names: the words, the names it may mean, and the codes they cover.

    It is not `sure` where the words are a country's or a player's as well ("the Dutch").
    """

    surface: str
    canonical: tuple[str, ...]
    ecos: tuple[str, ...]
    sure: bool = True

    @property
    def widest(self) -> tuple[str, ...]:
        """The names that belong to no other of them."""
        return tuple(
            name
            for name in self.canonical
            if not any(other != name and belongs(name, other) for other in self.canonical)
        )


class _Force(IntEnum):
    """What a mention takes to be a name: its opening beside it, an article, or nothing."""

    BESIDE = 0
    NEAR_BY = 1
    ARTICLE = 2
    FIRM = 3


@dataclass(frozen=True, slots=True)
class _Word:
    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Mention:
    """Words `first` to `last` (exclusive) that may name one of these openings.

    `given` are those of `aliases.toml`, which are meant where no other opening stands beside.
    """

    first: int
    last: int
    names: frozenset[str]
    force: _Force
    given: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def canonical(name: str) -> tuple[str, ...]:
    """An opening's name as the table has it: itself, or what its words name."""
    found = () if ecos_of(name) else tuple(one for each in named_in(name) for one in each.canonical)
    return (name, *found)


@lru_cache(maxsize=1024)
def named_in(text: str) -> tuple[Name, ...]:
    """The openings a text names, in order; the most telling name where parts stand together."""
    words = list(_words(text))
    found = _joined(list(_mentions(words, text)), words, text)
    firm = [one for one in found if one.force is _Force.FIRM or _in_place(one, words, text)]
    return tuple(
        Name(
            text[words[one.first].start : words[one.last - 1].end],
            names := tuple(sorted(one.given or _largest(one.names))),
            tuple(sorted({eco for name in names for eco in ecos_of(name)})),
            one.force is _Force.FIRM,
        )
        for one in firm
    )


@dataclass(frozen=True, slots=True)
class _Index:
    """Phrases (words joined by blanks) and what they name: in full, by stem, and by other names."""

    full: Mapping[str, frozenset[str]]
    stems: Mapping[str, frozenset[str]]
    others: Mapping[str, tuple[frozenset[str], _Force]]
    capitals: Mapping[str, frozenset[str]]
    starts: frozenset[str]


@cache
def table() -> dict[str, Any]:
    """Other names of openings and games, and which words are ordinary."""
    return tomllib.loads((FOLDER / "aliases.toml").read_text(encoding="utf-8"))


@cache
def _set(name: str) -> frozenset[str]:
    """A list of words, or of phrases with bars between them, from `aliases.toml`."""
    text = str(table()["words"][name])
    return frozenset(_phrase(one) for one in (text.split("|") if "|" in text else text.split()))


@cache
def _index() -> _Index:
    known = table()
    full: dict[str, set[str]] = defaultdict(set)
    stems: dict[str, set[str]] = defaultdict(set)
    for name in under():
        phrase = _phrase(name.rsplit(", ", 1)[-1].rsplit(": ", 1)[-1])
        if {phrase, _stem(phrase)} & _set("left_out") or _MOVES.search(phrase):
            continue
        for one in {phrase, _undecided(phrase)}:
            full[one].add(name)
            stems[_stem(one)].add(name)
    others = {
        _phrase(phrase): (frozenset(names), force)
        for section, force in (("article", _Force.ARTICLE), ("names", _Force.FIRM))
        for phrase, names in known[section].items()
    }
    return _Index(
        {phrase: frozenset(names) for phrase, names in full.items()},
        {phrase: frozenset(names) for phrase, names in stems.items()},
        others,
        {word: frozenset(names) for word, names in known["abbreviations"].items()},
        frozenset(
            _phrase(one).split()[0]
            for some in (full, stems, others, known["abbreviations"])
            for one in some
        ),
    )


def _phrase(text: str) -> str:
    return " ".join(word.form for word in _words(text))


def _undecided(phrase: str) -> str:
    """A gambit accepted or declined is still that gambit."""
    head, _, tail = phrase.rpartition(" ")
    return head if head and tail in _TURNS else phrase


def _stem(phrase: str) -> str:
    head, _, tail = phrase.rpartition(" ")
    return head if head and tail in _set("nouns") else phrase


def _words(text: str) -> Iterator[_Word]:
    """The words of a text as names are compared: no case, accents, possessives or plurals."""
    spelling = table()["spelling"]
    for match in _WORD.finditer(text):
        form = _bare(re.sub(r"['’]s$", "", match[0].casefold()))
        if len(form) > 4 and form.endswith("s") and not form.endswith("ss"):
            form = form[:-1]
        yield _Word(spelling.get(form, form), match.start(), match.end())


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o"))
    return "".join(one for one in plain if not unicodedata.combining(one) and one not in "'’")


def _mentions(words: Sequence[_Word], text: str) -> Iterator[_Mention]:
    """What may be a name, longest first from left to right."""
    starts = _index().starts
    at = 0
    while at < len(words):
        if words[at].form not in starts:
            at += 1
            continue
        found = next(
            (
                mention
                for size in range(min(LONGEST, len(words) - at), 0, -1)
                if (mention := _mention(words, at, at + size, text)) is not None
            ),
            None,
        )
        if found is not None:
            yield found
        at = found.last if found is not None else at + 1


def _mention(words: Sequence[_Word], first: int, last: int, text: str) -> _Mention | None:
    index, phrase = _index(), " ".join(word.form for word in words[first:last])
    raw = text[words[first].start : words[last - 1].end]
    if raw in index.capitals:
        names = index.capitals[raw]
        return _Mention(first, last, names, _Force.FIRM, names)
    names = _candidates(phrase)
    given, force = index.others.get(phrase, (frozenset(), None))
    if not (names or given) or _of_a_person(words, first, last, text, names | given):
        return None
    capital = raw[:1].isupper()
    if force is None:
        force = _force(phrase, names, capital=capital)
    elif phrase in _set("capital") and not capital:
        force = _Force.BESIDE
    return _Mention(first, last, names | given, force, given)


def _of_a_person(
    words: Sequence[_Word], first: int, last: int, text: str, names: Iterable[str]
) -> bool:
    """Whether what may be an opening is a player or a place: "A. Burn", "Scheveningen 1913"."""
    raw, phrase = text[words[first].start : words[last - 1].end], words[last - 1].form
    if _PLAYED.match(raw):
        return phrase in _set("played") or all(": " in name for name in names)
    if phrase in _set("nouns"):
        return False
    ahead = words[first - 1].form if first else ""
    initial = re.search(r"\b[A-Z]\.\s?$", text[: words[first].start])
    return bool(initial or ahead in _set("titles") or _YEAR.match(text, words[last - 1].end))


def _candidates(phrase: str) -> frozenset[str]:
    """The openings of the table that a phrase may name: by all of its words, or by its stem."""
    index, stem, noun = _index(), _stem(phrase), phrase.rpartition(" ")[2]
    if phrase in index.full and phrase != stem:
        return index.full[phrase]
    if phrase == stem or (noun in _set("loose") and not _plain(stem)):
        return index.stems.get(stem, frozenset())
    return frozenset()


def _plain(stem: str) -> bool:
    return set(stem.split()) <= _set("ordinary")


def _force(phrase: str, names: Iterable[str], *, capital: bool) -> _Force:
    """How much a phrase says on its own."""
    index, stem = _index(), _stem(phrase)
    family = any(": " not in name for name in names)
    plain = _plain(stem)
    if phrase in _set("alone") or stem in _set("alone"):
        return _Force.FIRM
    if phrase != stem:
        return _Force.FIRM if not plain or (family and phrase in index.full) else _Force.NEAR_BY
    if family and stem in _set("article"):
        return _Force.ARTICLE if capital or stem not in _set("capital") else _Force.BESIDE
    if family or (" " in stem and not plain and phrase in index.full):
        return _Force.BESIDE if plain else _Force.FIRM
    return _Force.BESIDE


def _joined(found: list[_Mention], words: Sequence[_Word], text: str) -> list[_Mention]:
    """Mentions narrowed by the openings beside them, which are then not named once more."""
    absorbed: set[int] = set()
    for _ in range(3):  # a variation of a variation of an opening
        for here, there in _neighbours(len(found)):
            one, other = found[here], found[there]
            if not _together(one, other, words, text):
                continue
            names = frozenset(name for name in one.names if other.names & set(prefixes(name)[:-1]))
            if names:
                first, last = min(one.first, other.first), max(one.last, other.last)
                given = one.given & names
                found[here] = _Mention(first, last, names, _Force.FIRM, given)
                absorbed.add(there)
    return [one for at, one in enumerate(found) if at not in absorbed]


def _neighbours(count: int) -> Iterator[tuple[int, int]]:
    """The places of mentions that stand near enough to be looked at together."""
    for here in range(count):
        for there in range(max(0, here - CLOSE), min(count, here + CLOSE + 1)):
            if here != there:
                yield here, there


def _together(one: _Mention, other: _Mention, words: Sequence[_Word], text: str) -> bool:
    """Whether a part stands close enough to an opening to belong to it."""
    left, right = (one, other) if one.first < other.first else (other, one)
    between = words[left.last : right.first]
    gap = text[words[left.last - 1].end : words[right.first].start]
    if other.force < _Force.ARTICLE or _ENDS.search(gap):  # ordinary words, or another sentence
        return False
    if re.search(r"[,–—-]", gap) and max(one.force, other.force) < _Force.FIRM:
        return one.force is _Force.NEAR_BY  # else they are players, in a list or against each other
    if not between or one.force is _Force.BESIDE:
        return not between
    joining = all(word.form in _set("joining") for word in between)
    noun = one.force is not _Force.ARTICLE
    return joining or (noun and other.force is _Force.FIRM and len(between) <= NEAR)


def _largest(names: frozenset[str]) -> frozenset[str]:
    """Of several openings of one name the large ones: 2 Bc4 has a Berlin Defence as well."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        head, _, tail = name.rpartition(" ")
        groups[head if tail.casefold() in _TURNS else name].append(name)
    sizes = {
        group: sum(len(under().get(name, ())) for name in members)
        for group, members in groups.items()
    }
    most = max(sizes.values(), default=0)
    kept = [name for group in groups if sizes[group] * SHARE >= most for name in groups[group]]
    return frozenset(one for one in kept if not set(prefixes(one)[:-1]) & set(kept))


def _in_place(one: _Mention, words: Sequence[_Word], text: str) -> bool:
    """Whether a word that has other meanings stands where only an opening can stand."""
    if one.force is not _Force.ARTICLE or _NUMBERED.match(text, words[one.last - 1].end):
        return one.force is _Force.ARTICLE
    ahead = words[one.first - 1].form if one.first else ""
    capital = text[words[one.first].start].isupper()
    person = capital and words[one.first].form not in _set("nations")
    behind = words[one.last].form if one.last < len(words) else ""
    raw = text[words[one.last - 1].start : words[one.last - 1].end]
    if capital and behind in _set("after_bare") and not raw.endswith(("'s", "’s")):
        return True
    if raw.casefold().removesuffix("s") in _set("nations") and raw.endswith("s"):
        return False  # the people, not the opening
    placed = ahead in (_set("before") if capital else {"the"})
    if not placed and (person or (ahead and ahead not in _set("meeting"))):
        return False
    rest = text[words[one.last - 1].end :].lstrip()
    if not rest or not rest[0].isalnum() or rest[0].isdigit():
        return True
    known = behind in _set("after") or behind in _set("nouns")
    return known and not (person and behind in _set("after_person_not"))
