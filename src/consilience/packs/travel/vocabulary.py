"""Which themes, features, kinds of places and months does a text speak of, and which not at all?

The words stand in `words/*.yaml`; nothing else in the pack has a list of them. A word is met
whatever its case, accents, number and hyphens, the longest first. "No hiking", "without museums or
temples" and "boats are not for us" name a thing that is not wanted: such a word is `negated`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from consilience.packs.travel.wording import NONE, Met, Table, plain, read
from consilience.understand.names import surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A kind of edge: what a step along it weighs, and how it reads from either end."""

    name: str
    weight: float
    forwards: str
    backwards: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeWord:
    """A word of a text that names a theme; `start` is where it stands."""

    theme: str
    word: str
    negated: bool
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureWord:
    """A word of a text that names a feature of places: to be had or, `negated`, to be avoided."""

    feature: str
    word: str
    negated: bool
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KindWord:
    """A word of a text that names a kind of places; `type` says it more exactly, or is empty."""

    kind: str
    type: str
    word: str
    negated: bool
    start: int


def _relations() -> dict[str, Relation]:
    return {
        name: Relation(
            name=name,
            weight=float(entry["weight"]),
            forwards=str(entry["forwards"]),
            backwards=str(entry["backwards"]),
        )
        for name, entry in read("relations").items()
        if name != "reversed"
    }


THEMES: tuple[str, ...] = tuple(sorted(one for one in read("themes") if one != NONE))
"""What a place may suit, in the order of the alphabet."""
FEATURES: tuple[str, ...] = tuple(one for one in read("features") if one != NONE)
"""What a place may have that somebody needs or wants to avoid."""
RELATIONS: Mapping[str, Relation] = _relations()
"""The kinds of edges by name."""

_NARROWS = re.compile(
    r"\b(?:spicy|fast|junk|raw|western|heavy|fried|expensive|fancy|long|steep|hard|hardcore"
    r"|crowded|touristy"
    r"|big|loud|cold|busy|dirty|multi-?day|serious|extreme|strenuous|difficult|technical|tough"
    r"|packed)\s+$",
    re.IGNORECASE,
)
"""What makes a thing that is not wanted a narrower one: "no long hikes"."""
_NARROWED = re.compile(
    r"[ -](?:bars?|clubs?|part(?:y|ies)|malls?|huts?|vendors?|hawkers?|resorts?|courts?|poisoning"
    r"|centres?"
    r"|centers?|stops?|tours?|crowds?|chains?|crawls?|allerg\w+|shops?|streets?|challenges?|fights?"
    r"|lessons?|class(?:es)?|shows?|towers?|buffets?)\b",
    re.IGNORECASE,
)
"""What makes one behind it: "no beach bars"."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IS = re.compile(r"^(?:is|are|was) (?=\S)")
_ISO = re.compile(r"\b(?:19|20)\d\d-(0[1-9]|1[0-2])(?:-\d\d)?\b")
_RANGE = re.compile(r"\s*(?:-|–|—|to|until|till|through|and)\s*")
_AROUND = re.compile(
    r"(?:\b(?:in|of|early|late|mid|until|till|to|from|by|during|between|and|or|this|next|every"
    r"|each|"
    r"around|since|before|after|for|through|starting|beginning|end)|\d(?:st|nd|rd|th)?|[-–—/,])"
    r"[\s-]*$"
)
_BEFORE_MAY = re.compile(
    r"(?:\b(?:in|of|early|late|mid|until|till|from|during|between|since|before|after|end)|"
    r"\d(?:st|nd|rd|th)?|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"(?:\s+(?:to|and|or|through|until|till)|\s*[-–/]))[\s-]*$"
)
_FOLLOWS = re.compile(
    r"\s*(?:[-–,/.?!]|and\b|or\b|\d|is\b|$)|\s+(?:to|until|through)\s+[a-z]{3,9}\s*$"
)
_SEASONS = ("spring", "summer", "autumn", "fall", "winter", "season", "time")
_VERBS = frozenset(("may", "march", "mar", "jan", "jun", "dec", "sep", "oct", "apr", "aug"))


def themes_in(text: str) -> list[ThemeWord]:
    """The themes that a text speaks of, in its order; a word may speak of several.

    Who wants no museums may still like history: a word that names a kind of place or a feature and
    is not wanted says nothing of its theme, unless it is the core of it; nor do "no beach bars" and
    "no spicy food" where beaches and food are wanted.
    """
    met = _theme_words().met(text)
    wanted = {one.name for one in met if not one.negated}
    return [
        ThemeWord(theme=one.name, word=one.word, negated=one.negated, start=one.start)
        for one in met
        if not one.negated or not (_is_narrow(one) or (one.name in wanted and _is_part(one, text)))
    ]


def _is_part(one: Met, text: str) -> bool:
    """Whether a word is part of a name for something narrower: "beach bars", "spicy food"."""
    before, behind = text[: one.start], text[one.start + len(one.word) :]
    return bool(_NARROWS.search(before) or _NARROWED.match(behind))


def _is_narrow(one: Met) -> bool:
    if one.name in _core_words().named(one.word):
        return False
    return bool(_feature_words()[0].named(one.word) or _kind_words().named(one.word))


def theme_of(tag: str) -> str | None:
    """The theme that a tag of foreign data means; None for none."""
    if (name := surface(tag).replace(" ", "-")) in THEMES:
        return name
    for table in (_tag_words(), _theme_words()):
        if found := table.named(tag):
            return found[0]
    return next((one.theme for one in themes_in(tag) if not one.negated), None)


def features_in(text: str) -> list[FeatureWord]:
    """The features that a text speaks of, in its order: `negated` are to be avoided."""
    named, avoided = _feature_words()
    found = [*named.met(text)]
    kept = [replace(one, negated=True) for one in avoided.met(text) if not one.negated]
    taken = {(one.name, place) for one in kept for place in _places(one)}
    found = [one for one in found if not any((one.name, at) in taken for at in _places(one))]
    return [
        FeatureWord(feature=one.name, word=one.word, negated=one.negated, start=one.start)
        for one in sorted([*found, *kept], key=lambda one: one.start)
    ]


def kinds_in(text: str) -> list[KindWord]:
    """The kinds of places that a text asks for or names in general, in its order."""
    found = []
    for one in _kind_words().met(text):
        kind, _, kind_type = one.name.partition("/")
        word = KindWord(
            kind=kind, type=kind_type, word=one.word, negated=one.negated, start=one.start
        )
        found.append(word)
    return found


def kind_of(type_of_place: str) -> str | None:
    """The kind of place that a type of foreign data is ("aerodrome": airport); None for none."""
    last = surface(type_of_place).rpartition(" ")[2]
    for spelt in (surface(type_of_place), last):
        for table in (_type_words(), _kind_words()):
            if found := table.named(spelt):
                return found[0].partition("/")[0]
    return None


def rarities_in(text: str) -> dict[str, str]:
    """What a text asks for that a place either has or has not, by its stem: the words it uses."""
    return {one.name: one.word for one in _rarity_words().met(text) if not one.negated}


def slots_in(text: str) -> list[str]:
    """The parts of the day that a text speaks of, as it comes to them, each once."""
    found = (one.name for one in _slot_words().met(text) if not one.negated)
    return list(dict.fromkeys(found))


def months_in(text: str, *, south: bool = False) -> tuple[int, ...]:
    """The months that a text speaks of, from 1 to 12, as they follow one another in it.

    "From November to February" are four; a season is that of the northern half of the earth, or
    with `south` of the southern one.
    """
    whole = plain(text)
    found: dict[int, None] = dict.fromkeys(int(one) for one in _ISO.findall(whole))
    names = _month_names().met(text)
    before: Met | None = None
    for one in names:
        number = int(one.name)
        if not _is_month(one, whole):
            continue
        if before and _is_range(whole, before, one):
            found.update(dict.fromkeys(_span(int(before.name), number)))
        found[number] = None
        before = one
    for one in _times().met(text):
        if not one.negated:
            turned = 6 if south and plain(one.word).endswith(_SEASONS) else 0
            months = ((int(month) + turned - 1) % 12 + 1 for month in one.name.split())
            found.update(dict.fromkeys(months))
    return tuple(found)


def is_travel(text: str) -> bool:
    """Whether a question has a word of travel, and none of what no guide answers."""
    names = {one.name for one in _topic_words().met(text)}
    if "elsewhere" in names:
        return False
    return bool(names or themes_in(text) or kinds_in(text) or features_in(text) or months_in(text))


def relation_of(text: str) -> str | None:
    """The relation that foreign data spells so (`locatedIn`, `is_near`); None for none."""
    return _spellings().get(_spelt(text), (None, False))[0]


def reads_backwards(text: str) -> bool:
    """Whether that spelling tells the relation from its other end: a city `has_hotel`."""
    return _spellings().get(_spelt(text), (None, False))[1]


# --- tables -------------------------------------------------------------------------------


@cache
def _theme_words() -> Table:
    return Table({name: entry["words"] for name, entry in read("themes").items()})


@cache
def _core_words() -> Table:
    return Table({name: entry.get("core", ()) for name, entry in read("themes").items()})


@cache
def _tag_words() -> Table:
    return Table({name: entry.get("tags", ()) for name, entry in read("themes").items()})


@cache
def _feature_words() -> tuple[Table, Table]:
    table = read("features")
    named = Table({name: entry["words"] for name, entry in table.items()})
    return named, Table({name: entry["avoided"] for name, entry in table.items()})


@cache
def _kind_words() -> Table:
    return Table(
        {
            NONE if kind == NONE else f"{kind}/{kind_type}": words
            for kind, types in read("kinds").items()
            for kind_type, words in types.items()
        }
    )


@cache
def _rarity_words() -> Table:
    return Table(read("rarities"))


@cache
def _slot_words() -> Table:
    return Table(read("slots"))


@cache
def _topic_words() -> Table:
    return Table(read("topics"))


@cache
def _type_words() -> Table:
    return Table(read("types"))


@cache
def _month_names() -> Table:
    return Table({str(number): names for number, names in read("months")["names"].items()})


@cache
def _times() -> Table:
    return Table(_by_months(read("months")["times"]))


def _by_months(times: Mapping[str, list[int]]) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for time, months in times.items():
        words.setdefault(" ".join(map(str, months)), []).append(time)
    return words


@cache
def _spellings() -> Mapping[str, tuple[str, bool]]:
    table = read("relations")
    found = {
        surface(spelling): (name, True)
        for name, spellings in table["reversed"].items()
        for spelling in spellings
    }
    for name, entry in table.items():
        for spelling in () if name == "reversed" else (name, entry["forwards"], *entry["spelt"]):
            found.setdefault(_IS.sub("", surface(spelling)), (name, False))
    return found


def _spelt(text: str) -> str:
    return _IS.sub("", surface(_HUMP.sub(" ", text)))


def _places(one: Met) -> range:
    return range(one.start, one.start + len(one.word))


# --- months -------------------------------------------------------------------------------


def _is_month(one: Met, whole: str) -> bool:
    """Whether a word that is also another one ("may", "march") means the month."""
    if plain(one.word) not in _VERBS:
        return True
    behind = whole[one.start + len(one.word) :]
    if one.word[:1].isupper() and (one.start or _FOLLOWS.match(behind)):
        return True
    before = _BEFORE_MAY if plain(one.word) == "may" else _AROUND
    return bool(before.search(whole[: one.start]))


def _is_range(whole: str, before: Met, one: Met) -> bool:
    """Whether two months are the ends of a time: "March and May" are not, but for "between"."""
    between = whole[before.start + len(before.word) : one.start]
    if not _RANGE.fullmatch(between):
        return False
    return "and" not in between or bool(re.search(r"\bbetween\s*$", whole[: before.start]))


def _span(first: int, last: int) -> list[int]:
    return [(first + step - 1) % 12 + 1 for step in range((last - first) % 12 + 1)]
