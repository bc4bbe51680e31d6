"""By which closed words does English ask tables? Those of `lexicon.toml`, and their forms."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, cast

from consilience.tables.query import Operator
from consilience.tables.schema import months


@dataclass(frozen=True)
class Lexicon:
    """The closed words: phrases with their meanings, adjectives."""

    data: Mapping[str, Any]

    @cached_property
    def plain(self) -> frozenset[str]:
        """Words that need no place."""
        return frozenset(self.data["plain"].split())

    @cached_property
    def phrases(self) -> Mapping[tuple[str, ...], str]:
        """What a phrase asks for: an operation, a rank, a group, a step."""
        return {
            tuple(phrase.split()): meaning
            for role in ("words", "operations")
            for meaning, phrases in self.data[role].items()
            for phrase in phrases
        }

    @cached_property
    def bounds(self) -> Mapping[tuple[str, ...], Operator]:
        """The operator of a phrase beside a number."""
        return {
            tuple(phrase.split()): cast("Operator", operator)
            for operator, phrases in self.data["bounds"].items()
            for phrase in phrases
        }

    @cached_property
    def measures(self) -> Mapping[str, tuple[bool, tuple[str, ...]]]:
        """For an adjective: whether its superlative is the largest value, and its nouns."""
        return {
            word: (text.startswith("+"), tuple(text[1:].split()))
            for word, text in self.data["measures"].items()
        }

    @cached_property
    def moments(self) -> Mapping[str, bool]:
        """For an adjective of time: whether its superlative is the latest."""
        return {word: text == "+" for word, text in self.data["moments"].items()}

    @cached_property
    def closed(self) -> frozenset[str]:
        """Words that are no value unless they are written as a name."""
        words = {word for phrase in (*self.phrases, *self.bounds) for word in phrase}
        counts, ordinals = self.data["counts"], self.data["ordinals"]
        return frozenset({*words, *self.moments, *counts, *ordinals, *months()})

    def adjective(self, word: str, ending: str) -> str:
        """The adjective of a superlative (`est`) or comparative (`er`); empty where it is none."""
        if word in self.data["irregular"]:
            return str(self.data["irregular"][word])
        base = word.removesuffix(ending)
        if base == word or len(base) < 3:
            return ""
        forms = (base, base + "e", base[:-1], base[:-1] + "y")
        known = (form for form in forms if form in self.measures or form in self.moments)
        return next(known, "")


@cache
def lexicon() -> Lexicon:
    """The closed words of the package."""
    text = files("consilience.tables").joinpath("lexicon.toml").read_text(encoding="utf-8")
    return Lexicon(tomllib.loads(text))
