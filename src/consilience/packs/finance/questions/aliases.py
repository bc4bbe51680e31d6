"""Which names stand for the same thing? Groups of names of equal standing, in `aliases.toml`.

The names of a group may replace one another, alone and inside a longer name: "turnover growth"
is "revenue growth". What is only related is in no group: EBITDA is not EBIT, a margin is no
profit. Codes of countries count in capitals only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from consilience.packs.finance.questions.spelling import Word, joined, key_of, words_of

_TABLE = Path(__file__).with_name("aliases.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aliases:
    """What each name stands for; `codes` only where it is written in capitals."""

    names: Mapping[str, str]
    codes: Mapping[str, str]
    words: frozenset[str]
    measures: frozenset[str]
    longest: int

    def told(self, words: list[Word]) -> list[tuple[str, int, int]]:
        """Words with each known name as one: what it stands for, its first word and the end."""
        found = []
        at = 0
        while at < len(words):
            key, size = self._at(words, at)
            found.append((key, at, at + size))
            at += size
        return found

    def is_measure(self, text: str) -> bool:
        """Whether a text is the name of a measure: revenue, headcount."""
        return self.names.get(joined(words_of(text)), "") in self.measures

    def _at(self, words: list[Word], at: int) -> tuple[str, int]:
        for size in range(min(self.longest, len(words) - at), 0, -1):
            key = joined(words[at : at + size])
            if name := self.names.get(key):
                return name, size
        if words[at].capital == "AA" and (name := self.codes.get(words[at].key)):
            return name, 1
        return words[at].key, 1


@cache
def _groups() -> tuple[dict[str, list[str]], ...]:
    """The names of measures, of countries, of divisions, and the codes of countries."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(table[part] for part in ("measures", "countries", "divisions", "codes"))


@cache
def country_names() -> frozenset[str]:
    """Names of countries, as they are compared."""
    groups = _groups()[1].items()
    return frozenset(joined(words_of(one)) for name, others in groups for one in (name, *others))


@cache
def common_words() -> frozenset[str]:
    """Words of questions that are nobody's name, as they are compared."""
    return _common("words")


@cache
def common_nouns() -> frozenset[str]:
    """Words of reports that are a name in some of them only: `group`, `product`."""
    return _common("nouns")


@cache
def _common_roots() -> frozenset[str]:
    return frozenset(_root(word) for word in common_words())


def says_little(key: str, aliases: Aliases) -> bool:
    """Whether a word is common, also in another form: `reported`, `contributes`."""
    if key in common_words() or key in common_nouns() or _ADVERB.search(key):
        return True
    return key not in aliases.words and _root(key) in _common_roots()


_ADVERB = re.compile(r"[a-z]{4}ly$")


def _root(word: str) -> str:
    return re.sub(r"(?:ed|ing|es|e|s|ly|ion)$", "", word) if len(word) > 3 else word


def _common(part: str) -> frozenset[str]:
    lines = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["common"][part]
    return frozenset(key_of(word) for line in lines for word in line.split())


def read_aliases(synonyms: Mapping[str, Iterable[str]] | None = None) -> Aliases:
    """The table, with a workspace's own synonyms, which come first."""
    return _read(tuple((name, tuple(others)) for name, others in (synonyms or {}).items()))


@lru_cache(maxsize=8)
def _read(own: tuple[tuple[str, tuple[str, ...]], ...]) -> Aliases:
    *parts, codes = _groups()
    measures = parts[0]
    groups = [(name, tuple(others)) for part in parts for name, others in part.items()]
    names: dict[str, str] = {}
    for name, others in [*own, *groups]:
        keys = [key for one in (name, *others) if (key := joined(words_of(one)))]
        if not keys:
            continue
        canonical = next((names[key] for key in keys if key in names), f"={keys[0]}")
        for key in keys:
            names.setdefault(key, canonical)
    short = {
        code.casefold(): names[joined(words_of(name))]
        for name, others in codes.items()
        for code in others
    }
    for code in short.keys() & names.keys():
        del names[code]
    return Aliases(
        names=names,
        codes=short,
        words=frozenset(word for key in names for word in key.split()),
        measures=frozenset(names[joined(words_of(name))] for name in measures),
        longest=max(len(key.split()) for key in names),
    )
