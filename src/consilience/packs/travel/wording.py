"""Where does a text have the words of a table, and does it say that it does not want them?

A table gives names their words, several words with a space; `hik*` is any word that begins so, and
the last letters of the plural may follow. Of the words that begin at one place the longest counts.
What is said not to be wanted goes from the word that says so ("no", "without") to the end of its
clause; a list goes on behind it as long as nothing in it begins a wish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import yaml

NONE = "none"
"""The name under which a table has phrases that mean nothing."""
FIRST = 6  # words that a thing which is not wanted is named with
LATER = 3  # words of a further one in a list
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|&")
_JOINED = re.compile(r"[\s\-]*")
_STOPS = re.compile(r"[.;:!?()\[\]\n–—]|\s-\s")
_ENDS = frozenset(
    ("but", "though", "however", "although", "because", "since", "while", "whereas", "besides")
)
_HEADS = frozenset(("needed", "wanted", "required", "necessary", "interested", "gos", "go"))
"""What may stand between "not" and the colon before a list."""
_TOLD = re.compile(
    r"(?:\s+(?:trips?|tours?|rides?|visits?))?(?:"
    r"\s*(?:is|are|'s|'re)?\s*(?:not|n't)\s+(?:for|my|our|his|her|wanted|needed|necessary|"
    r"an option|possible|of interest|interesting|on the list)\b"
    r"|\s+(?:is|are)\s+(?:out|off the table|a no-?go|boring|too much)\b"
    r"|\s+(?:bores?|scares?|frightens?|terrif\w+)\s+(?:me|us|him|her|them)\b"
    r"|\s+makes?\s+(?:me|us|him|her|them)\s+(?:sick|ill|nervous|anxious|dizzy|bored)\b"
    r"|-free\b|\s+can be skipped\b|\s+can wait\b|\s+(?:is|are) overrated\b"
    r"|\s+(?:does|do) (?:nothing|not do anything|n't do anything) for\b|\s+leaves? (?:me|us) cold\b"
    r"|\s*(?::|=|\?|,|-)+\s*(?:no|nope|nah|never|not (?:for|needed|wanted|required|my|our)"
    r"|no thanks"
    r"|no thank you|no way|skip|hard pass|pass)\b(?!\s+(?:problem|doubt|matter|more|later|wait"
    r"|[a-z]+(?:ing)?\s*(?:,|and|or)))(?=\s*(?:$|[.,;!?()\n]|and\b|either\b|thanks\b|for\b|us\b"
    r"|me\b|cup\b|thing\b|way\b))"
    r"|\s+(?:not|n't) (?:required|necessary|my cup|our cup|our thing|my thing)\b)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a plain text and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Met:
    """Words of a table in a text: whose they are, how the text has them, where, and if unwanted."""

    name: str
    word: str
    start: int
    negated: bool


class Table:
    """Names with their words, ready to be looked for."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name, phrases in words.items():
            for phrase in phrases:
                parts = tuple(plain(str(phrase)).replace("-", " ").split())
                self._phrases.setdefault(parts[0][:2], []).append((parts, name))

    def met(self, text: str) -> list[Met]:
        """The words of the table that a text has, in its order."""
        whole = plain(text)
        tokens = _tokens(whole)
        unwanted = _unwanted(whole)
        found: list[Met] = []
        place = 0
        while place < len(tokens):
            names, length = self._at(whole, tokens, place)
            start, end = tokens[place].start, tokens[place + max(length, 1) - 1].end
            negated = any(low <= start < high for low, high in unwanted)
            negated = negated or bool(_TOLD.match(whole[end:]))
            found += [Met(one, text[start:end], start, negated) for one in names if one != NONE]
            place += max(length, 1)
        return found

    def named(self, text: str) -> list[str]:
        """The names that a text as a whole is a word of."""
        whole = plain(text)
        tokens = _tokens(whole)
        names, length = self._at(whole, tokens, 0) if tokens else ([], 0)
        return [one for one in names if one != NONE] if length == len(tokens) else []

    def _at(self, whole: str, tokens: Sequence[Token], place: int) -> tuple[list[str], int]:
        """The names whose words are the longest that begin at a token, and how many words."""
        longest, names = 0, dict[str, None]()
        for parts, name in self._phrases.get(tokens[place].text[:2], ()):
            if len(parts) < longest or not _begins(parts, whole, tokens, place):
                continue
            if len(parts) > longest:
                longest, names = len(parts), {}
            names[name] = None
        return list(names), longest


def is_unwanted(text: str, start: int, end: int) -> bool:
    """Whether what stands there is said not to be wanted: in a list of such, or by what follows."""
    whole = plain(text)
    return any(low <= start < high for low, high in _unwanted(whole)) or bool(
        _TOLD.match(whole[end:])
    )


def plain(text: str) -> str:
    """A text in lower case without accents, each letter where it was."""
    return "".join(map(_letter, text))


@cache
def read(name: str) -> Any:
    """A file of `words/`, every value in it a text."""
    path = files("consilience.packs.travel") / "words" / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - texts only: "no" is a word


@cache
def _letter(letter: str) -> str:
    if letter in "’‘`´":
        return "'"
    bare = unicodedata.normalize("NFKD", letter.replace("đ", "d").replace("Đ", "d"))
    return (bare[:1] or letter).lower()[:1] or letter


@lru_cache(maxsize=256)
def _tokens(whole: str) -> tuple[Token, ...]:
    return tuple(Token(one.group(), *one.span()) for one in _TOKEN.finditer(whole))


def _begins(parts: Sequence[str], whole: str, tokens: Sequence[Token], place: int) -> bool:
    """Whether a phrase stands at a token; nothing but spaces and hyphens between its words."""
    here = tokens[place : place + len(parts)]
    return (
        len(here) == len(parts)
        and all(_spells(part, one.text) for part, one in zip(parts, here, strict=True))
        and all(_JOINED.fullmatch(whole[one.end : other.start]) for one, other in pairwise(here))
    )


def _spells(part: str, word: str) -> bool:
    """Whether a word is this one: in the plural, with a genitive, or its beginning with `*`."""
    word = word.removesuffix("'s") if not part.endswith("'s") else word
    if part.endswith("*"):
        return word.startswith(part[:-1])
    return word in (part, f"{part}s", f"{part}es") or (
        part.endswith("y") and word == f"{part[:-1]}ies"
    )


# --- what is not wanted -------------------------------------------------------------------


@cache
def _cues() -> tuple[Mapping[str, list[tuple[tuple[str, ...], str]]], frozenset[str]]:
    """What says that something is not wanted, by its first word; and the words of wishes."""
    table = read("negation")
    cues: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind in ("lists", "nots", "kept"):
        for phrase in table[kind]:
            spelt = plain(str(phrase))
            for form in {spelt, spelt.replace("n't", "nt")}:  # don't, and dont
                parts = tuple(_TOKEN.findall(form))
                cues.setdefault(parts[0], []).append((parts, kind))
    return cues, frozenset(map(str, table["wishes"]))


@lru_cache(maxsize=256)
def _unwanted(whole: str) -> tuple[tuple[int, int], ...]:
    """The stretches of a text that name what is not wanted."""
    tokens = _tokens(whole)
    found: list[tuple[int, int]] = []
    place = 0
    while place < len(tokens):
        kind, length = _cue(tokens, place)
        if kind in ("lists", "nots"):
            after = place + length
            end = _headed(whole, tokens, after) or _end(whole, tokens, after, lists=kind == "lists")
            if end > after:
                found.append((tokens[after].start, tokens[end - 1].end))
        place += length or 1
    return tuple(found)


def _cue(tokens: Sequence[Token], place: int) -> tuple[str, int]:
    cues, _ = _cues()
    longest, kind = 0, ""
    for parts, which in cues.get(tokens[place].text, ()):
        here = tuple(one.text for one in tokens[place : place + len(parts)])
        if here == parts and len(parts) > longest:
            longest, kind = len(parts), which
    return kind, longest


def _headed(whole: str, tokens: Sequence[Token], place: int) -> int:
    """The token behind a list that stands behind a colon: "not needed: spa, golf"; 0 for none."""
    if place < len(tokens) and tokens[place].text in _HEADS:
        place += 1
    if place >= len(tokens) or ":" not in whole[tokens[place - 1].end : tokens[place].start]:
        return 0
    end = place + 1
    while end < len(tokens) and not _STOPS.search(whole[tokens[end - 1].end : tokens[end].start]):
        end += 1
    return end


def _end(whole: str, tokens: Sequence[Token], place: int, *, lists: bool) -> int:
    """The token behind the last thing that is not wanted, of those that begin at `place`."""
    items = list(_items(whole, tokens, place))
    if not items:
        return place
    end = items[0][1]
    joins = {"or", "nor", "and", "&", "plus"} if lists else {"or", "nor"}
    for number, (start, stop, join) in enumerate(items[1:], start=1):
        if _is_wish(tokens, start, stop):
            break
        closing = next((one[2] for one in items[number:] if one[2] != ","), "")
        short = not lists and join in ("and", "&") and stop - start == 1
        if closing not in joins and not short:
            break
        end = stop
    return end


def _items(whole: str, tokens: Sequence[Token], place: int) -> Iterator[tuple[int, int, str]]:
    """The things of a list: the first token, the one behind the last, and what joins it."""
    start, join = place, ""
    at = place
    while at < len(tokens):
        token = tokens[at]
        gap = whole[tokens[at - 1].end : token.start] if at else ""
        is_join = token.text in ("or", "nor", "and", "&", "plus")
        parts = at > start and ("," in gap or is_join)
        long = at - start >= (LATER if join else FIRST) + parts
        if _STOPS.search(gap) or token.text in _ENDS or long:
            break
        if parts:
            yield start, at, join
            start, join = at + is_join, token.text if is_join else ","
        elif is_join:  # behind a comma
            start, join = at + 1, token.text
        at += 1
    if at > start:
        yield start, at, join


def _is_wish(tokens: Sequence[Token], start: int, stop: int) -> bool:
    """Whether a thing of a list is wanted after all: it begins so, or says itself what is not."""
    _, wishes = _cues()
    return start >= stop or tokens[start].text in wishes or bool(_cue(tokens, start)[0])
