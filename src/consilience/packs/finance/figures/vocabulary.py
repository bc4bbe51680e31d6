"""Which words of reports and of questions mean the same thing?

`vocabulary.toml` holds groups of equal standing: measures, countries, divisions; and the words that
say what is to be done with figures. Names are compared by stems, so case, accents and plurals do
not matter. Nothing here knows a sentence: what a question says is decided in `query`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

Stems = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+(?:&[^\W_]+)*|[%/+÷]|(?<=\s)[−–-](?=\s)")
_SIGNS = frozenset("%/+÷−–-")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?=\s)")
_ENDS_NAME = frozenset(("attributable", "excluding", "net", "less", "note", "allowance"))
"""Words of a label behind which it says no more what it is: `…, net of allowances of $12`."""
_BRACKETS = re.compile(r"\([^()]*\)")
LIGHT = frozenset(
    [
        "total",
        "net",
        "of",
        "the",
        "and",
        "for",
        "in",
        "on",
        "to",
        "from",
        "by",
        "at",
        "a",
        "an",
        "our",
        "its",
        "their",
        "other",
        "less",
        "plus",
        "all",
        "per",
        "as",
        "or",
        "consolidated",
        "group",
        "company",
        "overall",
        "inc",
        "und",
        "der",
        "die",
        "das",
    ]
)
"""Words of labels that change little: a label is not farther from a question for having them."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text, or a sign of arithmetic, and where it stands."""

    text: str
    stem: str
    start: int
    end: int

    @property
    def is_sign(self) -> bool:
        """Whether it is a sign of arithmetic."""
        return self.text in _SIGNS


def tokenize(text: str) -> list[Token]:
    """The words of a text; `R&D` is one word, and `Nike's` is Nike."""
    plain = _POSSESSIVE.sub(lambda match: " " * len(match[0]), text)
    return [
        Token(match[0], stem(match[0]), match.start(), match.end())
        for match in _WORD.finditer(plain)
    ]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without case, accents, plural and the differences between British and American."""
    letters = unicodedata.normalize("NFKD", word.casefold().replace("ß", "ss"))
    found = "".join(one for one in letters if not unicodedata.combining(one))
    found = found.replace("isation", "ization")
    if len(found) > 4 and found.endswith("ies"):
        return found[:-3] + "y"
    if len(found) > 3 and found.endswith("s") and not found.endswith(("ss", "us", "is")):
        return found[:-1]
    return found


@lru_cache(maxsize=1 << 16)
def stems_of(text: str) -> Stems:
    """The stems of a text, without signs."""
    return tuple(one.stem for one in tokenize(text) if not one.is_sign)


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question that a name was found in: tokens `start` to `end`."""

    start: int
    end: int
    name: str
    kind: str


def longest(spans: Iterable[Span]) -> list[Span]:
    """Names in their order, of those that overlap the longest, then the first."""
    kept: list[Span] = []
    for one in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        if not any(one.start < other.end and other.start < one.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda span: span.start)


class PhraseBook:
    """Names by their stems, to be found in a text."""

    def __init__(self, phrases: Iterable[tuple[Stems, str, str]] = ()) -> None:
        self._known: dict[Stems, list[tuple[str, str]]] = {}
        self._longest: dict[str, int] = {}
        for stems, name, kind in phrases:
            self.add(stems, name, kind)

    def add(self, stems: Stems, name: str, kind: str) -> None:
        """Know a name by these stems, too."""
        if not stems:
            return
        known = self._known.setdefault(stems, [])
        if (name, kind) not in known:
            known.append((name, kind))
        self._longest[stems[0]] = max(self._longest.get(stems[0], 0), len(stems))

    def get(self, stems: Stems) -> Sequence[tuple[str, str]]:
        """What these stems, all of them, are a name of."""
        return self._known.get(stems, ())

    def find(self, tokens: Sequence[Token], taken: Sequence[bool] = ()) -> Iterator[Span]:
        """All names in a text; they may overlap (see `longest`)."""
        for at in range(len(tokens)):
            most = min(self._longest.get(tokens[at].stem, 0), len(tokens) - at)
            for length in range(most, 0, -1):
                if taken and any(taken[at : at + length]):
                    continue
                stems = tuple(one.stem for one in tokens[at : at + length])
                if found := self._known.get(stems):
                    yield Span(at, at + length, *found[0])


class Vocabulary:
    """The groups of names that are known everywhere, with those of a workspace."""

    def __init__(self, synonyms: Mapping[str, Iterable[str]] | None = None) -> None:
        data, sheet = _data(), formulas()
        self.groups: dict[str, dict[Stems, None]] = {}
        self.kinds: dict[str, str] = {}
        self.phrases = PhraseBook()
        for kind, table in (
            ("measure", data["measures"]),
            ("measure", {name: one.get("names", ()) for name, one in sheet.items()}),
            ("name", data["countries"]),
            ("name", data["divisions"]),
        ):
            for name, others in table.items():
                self._add(name, (name, *others), kind)
        for name, codes in data["codes"].items():
            self._add(name, codes, "code")
        for name, others in (synonyms or {}).items():
            known = next((group for group, kind in self.phrases.get(stems_of(name))), name)
            self._add(known, (name, *others), self.kinds.get(known, "measure"))

    def _add(self, name: str, others: Iterable[str], kind: str) -> None:
        group = self.groups.setdefault(name, {})
        self.kinds.setdefault(name, "name" if kind == "code" else kind)
        for text in others:
            stems = tuple(one.stem for one in tokenize(text) if one.stem != "-")
            group.setdefault(stems)
            self.phrases.add(stems, name, kind)

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - one vocabulary lives as long as its store
    def groups_of(self, label: str) -> frozenset[str]:
        """The groups that a label is a name of, whatever it adds in brackets or as a total."""
        plain = stems_of(label)
        forms = {plain, stems_of(_BRACKETS.sub(" ", label))}
        for form in list(forms):
            forms |= {_without(form, {"total"}), _without(form, {"net"}), _without(form, LIGHT)}
            for at, word in enumerate(form):
                if at and (word in _ENDS_NAME or word.isdecimal()):
                    forms |= {form[:at], _without(form[:at], {"total"})}
                    break
        return frozenset(
            name for form in forms for name, kind in self.phrases.get(form) if kind != "code"
        )

    def names_of(self, group: str) -> tuple[Stems, ...]:
        """All names of a group, as stems."""
        return tuple(self.groups.get(group, ()))


def _without(stems: Stems, light: Iterable[str]) -> Stems:
    dropped = set(light)
    return tuple(one for one in stems if one not in dropped)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


@cache
def formulas() -> dict[str, Any]:
    """The sheet of formulas by the measure that each one gives."""
    return tomllib.loads(Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8"))


@cache
def frame() -> frozenset[str]:
    """Stems of words that name nothing."""
    return frozenset(stems_of(_data()["frame"]["words"]))


@cache
def known_words() -> frozenset[str]:
    """Stems that name a measure, a place or nothing at all, and so no company by themselves."""
    groups = Vocabulary().groups.values()
    return frozenset(one for group in groups for stems in group for one in stems) | frame()


@cache
def outlays() -> frozenset[str]:
    """Measures that are printed below zero where they are spent."""
    return frozenset(_data()["outlays"]["measures"])


@cache
def counts() -> frozenset[str]:
    """Measures that count people and things, and are never money."""
    return frozenset(_data()["counts"]["measures"])


@cache
def countries() -> frozenset[str]:
    """The groups that name a country or a region."""
    return frozenset(_data()["countries"])


@cache
def statement_of(measure: str) -> str:
    """The main statement that prints a measure; empty where none does."""
    return next((name for name, held in _data()["statements"].items() if measure in held), "")


@cache
def signatures() -> Mapping[str, frozenset[str]]:
    """The measures by which a statement is known."""
    return {name: frozenset(held) for name, held in _data()["signatures"].items()}


@cache
def book(section: str) -> PhraseBook:
    """The phrases of a section: operations, connectives, statement_names or prose."""
    found = PhraseBook()
    for name, texts in _data()[section].items():
        for text in texts:
            found.add(tuple(one.stem for one in tokenize(text)), name, section)
    return found
