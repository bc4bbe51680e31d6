"""Whom does a place suit, how well and why? From themes with strengths, or from tags alone.

A tag that means no theme stays a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from consilience.evidence.loaders.json_records import Json
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import as_text, spelt
from consilience.packs.travel.files.languages import theme_in_english
from consilience.packs.travel.files.values import items, share
from consilience.packs.travel.vocabulary import theme_of, themes_in

TAGGED = 0.7
"""The strength of a theme that is only named."""
OF_TYPE, OF_TEXT = 0.6, 0.5
"""The strength of a theme that the type of a place means, and one that its text speaks of."""
_LOOKED_AT = 600  # letters of a text
_MOST_IMPLIED = 3
_WITH_STRENGTH = re.compile(r"(.*?)[\s:=(]+(\d*\.?\d+)\)?")
_NAMES = ("theme", "name", "tag", "label", "interest", "type", "value")
_STRENGTHS = ("strength", "score", "weight", "rating", "level")
_WHYS = ("why", "reason", "note", "because", "description")


@dataclass(frozen=True, slots=True)
class Suit:
    """A theme that a place suits, from 0 to 1, and why; empty where no reason is given."""

    theme: str
    strength: float
    why: str = ""


def suits_of(values: Iterable[Json]) -> tuple[tuple[Suit, ...], tuple[str, ...]]:
    """The themes that values name, each once and the strongest first, and the tags besides."""
    suits: dict[str, Suit] = {}
    tags: dict[str, None] = {}
    for word, strength, why in (one for value in values for one in _named(value)):
        theme = theme_of(word) or theme_in_english(word) or None
        if theme is None or (strength is None and theme not in suits and len(word) > 60):
            tags[short(word, 60)] = None
            continue
        if spelt(word).replace("_", "-") != theme and strength is None:
            tags[short(word, 60)] = None
        suit = Suit(theme, TAGGED if strength is None else strength, why)
        if theme not in suits or suits[theme].strength < suit.strength:
            suits[theme] = suit
    ordered = sorted(suits.values(), key=lambda one: -one.strength)
    return tuple(ordered), tuple(tags)


def implied_suits(kind: str, text: str) -> tuple[Suit, ...]:
    """The themes of a place that states none: what its type means, then what its text speaks of."""
    found: dict[str, Suit] = {}
    theme = theme_of(kind) if kind else None
    if theme:
        found[theme] = Suit(theme, OF_TYPE, kind)
    for one in themes_in(text[:_LOOKED_AT]):
        if not one.negated and len(found) < _MOST_IMPLIED:
            found.setdefault(one.theme, Suit(one.theme, OF_TEXT, one.word))
    return tuple(found.values())


def _named(value: Json) -> Iterator[tuple[str, float | None, str]]:
    """(word, strength, why) of every theme or tag in a value."""
    if isinstance(value, list):
        for one in value:
            yield from _named(one)
    elif isinstance(value, dict):
        yield from _of_object(value)
    else:
        for text in items(value):
            match = _WITH_STRENGTH.fullmatch(text)
            strength = share(match[2]) if match else None
            yield (match[1], strength, "") if match and strength is not None else (text, None, "")


def _of_object(value: dict[str, Json]) -> Iterator[tuple[str, float | None, str]]:
    by = {spelt(name): one for name, one in value.items()}
    word = next((text for one in _NAMES if (text := as_text(by.get(one)))), "")
    if word:
        strength = next((share(by[one]) for one in _STRENGTHS if one in by), None)
        yield word, strength, next((text for one in _WHYS if (text := as_text(by.get(one)))), "")
        return
    for name, one in value.items():
        strength = share(one)
        if strength is not None and not isinstance(one, bool):
            yield name, strength, ""
        elif one is True or isinstance(one, str):
            yield name, None, as_text(one)
