"""Which words of a text stand for something that places are or have, and are they negated?

The words are data (`words/*.yaml`): themes, kinds of places, attributes, parts of the day, months.
The same words serve the texts of places, questions and wishes. A word is found whatever its case,
accents, number and hyphens; `hik*` is any word that begins so, and the longest phrase wins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

import yaml

Category = Literal["theme", "kind", "attribute", "slot", "month"]
CATEGORIES: tuple[Category, ...] = ("theme", "kind", "attribute", "slot", "month")
IGNORED = "none"
"""The entry of a table for phrases that contain one of its words and mean something else."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STOP = re.compile(r"[.;:!?()\[\]\n–—]|\s-\s|\b(?:but|though|although|however|because|while)\b")
_NEGATION = re.compile(
    r"\b(?:no|not|none|never|neither|nor|nothing|cannot|without|avoid\w*|skip\w*|except|excluding|"
    r"lacks?|lacking|hates?|dislikes?|instead of|rather than|free of|allergic to|tired of)\b"
    r"|n['’]t\b"
)
_ABSENCE = re.compile(r"\b(?:no|not|never|neither|nor|without|lacks?|lacking|free of)\b|n['’]t\b")
_AFFIRMED = re.compile(
    r"\b(?:not (?:only|just|far|sure)|no (?:problem|more than|less than|later than|doubt)|"
    r"(?:do|does|would)(?: not|n['’]t) (?:mind|miss|forget)|cannot wait|can['’]t wait|why not)\b"
)
_TURNS = re.compile(
    r"\b(?:with|want\w*|like\w*|love\w*|prefer\w*|enjoy\w*|need\w*|only|just|then|please)\b"
)
_BEHIND = re.compile(r"(?:\s*-\s*free\b)|(?:\s+(?:is|are|was|were))?(?:\s+not\b|n['’]t\b)")
_LIST = re.compile(r"\s*(?:,|\band\b|\bor\b|\bnor\b|/|&)\s*")
_NEAR_WORDS = 4
_ABSENT_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A phrase of a text that stands for something: `text[start:end]` names a theme or a kind.

    A kind is spelt `food` or, with its type, `food/cafe`; a month is a number from 1 to 12.
    """

    category: Category
    name: str
    text: str
    start: int
    end: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text, compared by its `stem`."""

    stem: str
    start: int
    end: int


class Lexicon:
    """Names with the phrases that stand for them, ready to be found in texts."""

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        self._exact: dict[tuple[str, ...], list[str]] = {}
        self._open: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        self._longest = 0
        for name, spellings in phrases.items():
            for spelling in map(str, spellings):
                self._add(name, spelling)

    def _add(self, name: str, spelling: str) -> None:
        stems = tuple(token.stem for token in tokens(spelling))
        if not stems:
            return
        self._longest = max(self._longest, len(stems))
        if spelling.endswith("*"):
            begins = plain(spelling).rstrip("*").replace("-", " ").split()[-1]
            self._open.setdefault(stems[:-1], []).append((begins, name))
        elif name not in self._exact.setdefault(stems, []):
            self._exact[stems].append(name)

    def find(self, text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
        """The names, with start and end, of every phrase in a text; the longest at each word."""
        words, whole = tokens(text), plain(text)
        at = 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                names = self._names(words[at : at + length], whole)
                if names:
                    yield names, words[at].start, words[at + length - 1].end
                    at += length - 1
                    break
            at += 1

    def names(self, phrase: str) -> tuple[str, ...]:
        """What a whole phrase stands for."""
        return self._names(tokens(phrase), plain(phrase))

    def _names(self, words: Sequence[Token], whole: str) -> tuple[str, ...]:
        if not words:
            return ()
        stems = tuple(word.stem for word in words)
        found = list(self._exact.get(stems, ()))
        last = whole[words[-1].start : words[-1].end]
        found += [
            name for begins, name in self._open.get(stems[:-1], ()) if last.startswith(begins)
        ]
        return tuple(dict.fromkeys(found))


def plain(text: str) -> str:
    """Lower case without accents, letter by letter, so that places in the text stay the same."""
    return "".join(_plain_letter(letter) for letter in text)


@cache
def _plain_letter(letter: str) -> str:
    if letter in "đĐ":
        return "d"
    bare = unicodedata.normalize("NFKD", letter.casefold())
    kept = "".join(part for part in bare if not unicodedata.combining(part))
    return kept if len(kept) == 1 else letter


def tokens(text: str) -> list[Token]:
    """The words of a text in singular, with their places."""
    whole = plain(text)
    return [Token(_stem(m[0]), m.start(), m.end()) for m in _WORD.finditer(whole)]


def _stem(word: str) -> str:
    word = re.sub(r"['’]s$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def is_negated(text: str, start: int, end: int) -> bool:
    """Whether the words from `start` to `end` are said not to be there or not to be wanted.

    A negation reaches to the end of its clause or list: `no museums, temples or churches`.
    """
    whole = plain(text)
    if _BEHIND.match(whole, end):
        return True
    before = _STOP.split(whole[:start])[-1]
    before = _AFFIRMED.sub(lambda match: "_" * len(match[0]), before)
    negations = list(_NEGATION.finditer(before))
    if not negations:
        return False
    between = before[negations[-1].end() :]
    if _TURNS.search(between):
        # What follows "no X, but with Y" or "I don't like" differs: the verb right after counts.
        between = _TURNS.sub("", between, count=1) if not _LIST.search(between) else between
        if _TURNS.search(between):
            return False
    parts = _LIST.split(between)
    return all(len(part.split()) <= _NEAR_WORDS for part in parts)


def is_absent(sentence: str, start: int, end: int) -> bool:
    """Whether a sentence about a place says that it has not what is named from `start` to `end`.

    Narrower than `is_negated`: what a text advises against may still be there.
    """
    whole = plain(sentence)
    if _BEHIND.match(whole, end):
        return True
    before = re.split(r"[,.;:!?()]|\band\b|\bbut\b", whole[:start])[-1]
    negations = list(_ABSENCE.finditer(before))
    return bool(negations) and len(before[negations[-1].end() :].split()) <= _ABSENT_WORDS


# --- the tables ----------------------------------------------------------------------------


@cache
def read_table(name: str) -> Any:
    """The content of `words/<name>.yaml`."""
    path = files("consilience.packs.travel").joinpath("words", f"{name}.yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def themes() -> tuple[str, ...]:
    """The themes that a place may suit, in alphabetical order."""
    return tuple(sorted(name for name in read_table("themes") if name != IGNORED))


def attributes() -> tuple[str, ...]:
    """The attributes that a place may have: see `words/attributes.yaml`."""
    return tuple(name for name in read_table("attributes") if name != IGNORED)


@cache
def lexicon(category: Category) -> Lexicon:
    """The phrases of one category."""
    if category == "theme":
        return Lexicon({name: entry["words"] for name, entry in read_table("themes").items()})
    if category == "kind":
        return Lexicon(_kind_phrases())
    if category == "attribute":
        return Lexicon({name: entry["words"] for name, entry in read_table("attributes").items()})
    if category == "slot":
        return Lexicon(read_table("slots"))
    months = read_table("months")["names"]
    return Lexicon({str(number): names for number, names in months.items()})


def _kind_phrases() -> dict[str, list[str]]:
    return {
        IGNORED if kind == IGNORED else f"{kind}/{of_type}".rstrip("/"): words
        for kind, types in read_table("kinds").items()
        for of_type, words in types.items()
    }


@lru_cache(8192)
def kind_of(words: str) -> str:
    """The kind of place that a type, or the name of a list or file, means; empty for none.

    Of several words the last counts most: `boutique hotels 2024` are stays.
    """
    parts = [token.stem for token in tokens(words.replace("_", " ")) if not token.stem.isdigit()]
    tried = [" ".join(parts[at:]) for at in range(len(parts))] + parts[-2::-1]
    for phrase in tried:
        for table in (_types(), lexicon("kind")):
            if names := [name for name in table.names(phrase) if name != IGNORED]:
                return names[0].partition("/")[0]
    return ""


def find_type(text: str) -> tuple[str, str] | None:
    """The first kind and type of place that a text names: `A small inn …` is (`stay`, `inn`)."""
    for names, start, end in _types().find(text):
        if IGNORED not in names:
            return names[0], plain(text[start:end])
    return None


@lru_cache(8192)
def theme_of(tag: str) -> str:
    """The theme that a tag or type of other people's data means; empty for none."""
    name = "-".join(_WORD.findall(plain(tag)))
    if name in read_table("themes"):
        return name
    for table in (_tags(), lexicon("theme")):
        if names := [name for name in table.names(tag) if name != IGNORED]:
            return names[0]
    terms = find_terms(tag, ("theme",))
    return next((term.name for term in terms if not term.negated), "")


@cache
def _types() -> Lexicon:
    return Lexicon(read_table("types"))


@cache
def _tags() -> Lexicon:
    return Lexicon({name: entry.get("tags", ()) for name, entry in read_table("themes").items()})


def find_terms(text: str, categories: Iterable[Category] = CATEGORIES) -> list[Term]:
    """The terms of some categories in a text, in its order."""
    found = [
        Term(
            category=category,
            name=name,
            text=text[start:end],
            start=start,
            end=end,
            negated=is_negated(text, start, end),
        )
        for category in categories
        for names, start, end in lexicon(category).find(text)
        for name in names
        if IGNORED not in names
    ]
    return sorted(found, key=lambda term: (term.start, -term.end))
