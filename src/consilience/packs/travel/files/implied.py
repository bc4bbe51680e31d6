"""What does a record say without a field made for it? Prose, levels, and features by yes and no.

`wheelchair=yes` and `fee=no` are how OpenStreetMap says it; a hotel may be tagged `budget`, and the
text of a place may stand under any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from consilience.evidence.loaders.common import tidy
from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import Fields, as_text, spelt
from consilience.packs.travel.files.values import number

_LEVELS = {
    "budget": "budget", "cheap": "budget", "low": "budget", "economy": "budget",
    "inexpensive": "budget", "mid": "mid-range", "medium": "mid-range", "moderate": "mid-range",
    "midrange": "mid-range", "mid range": "mid-range", "middle": "mid-range",
    "standard": "mid-range", "luxury": "luxury", "expensive": "luxury", "high": "luxury",
    "premium": "luxury", "upscale": "luxury", "high end": "luxury", "splurge": "luxury",
}  # fmt: skip
_MAPPED: Mapping[str, str] = {
    "wheelchair": "wheelchair", "diet_vegetarian": "vegetarian", "diet_vegan": "vegetarian",
    "outdoor_seating": "outdoor", "wheelchair_accessible": "wheelchair",
}  # fmt: skip
_SLOTS = {
    "morning": re.compile(r"\b(?:morning|sunrise|breakfast)", re.IGNORECASE),
    "afternoon": re.compile(r"\bafternoon", re.IGNORECASE),
    "evening": re.compile(r"\b(?:evening|night|sunset|dinner)", re.IGNORECASE),
}
_PROSE = 8  # words from which on a text is prose


def level_of(value: Json, name: str) -> str:
    """The level that a price class, a number of stars or a word means; empty for none."""
    text = as_text(value).casefold().replace("-", " ")
    if text and set(text) <= set("$€£ "):
        return ("budget", "mid-range", "luxury")[min(len(text.replace(" ", "")), 3) - 1]
    plain = number(value)
    if plain is not None and 0 < plain <= 5:
        stars = "star" in spelt(name) or "class" in spelt(name)
        steps = (3, 4.5) if stars else (2, 3)
        return "budget" if plain < steps[0] else "mid-range" if plain < steps[1] else "luxury"
    return next((level for word, level in _LEVELS.items() if word in text), "")


def level_tagged(tags: Iterable[str]) -> str:
    """The level of a stay or restaurant that only its tags tell; empty where they tell none."""
    found = {_LEVELS.get(one.casefold().replace("-", " "), "") for one in tags} - {""}
    return found.pop() if len(found) == 1 else ""


def _said(fields: Fields) -> dict[str, str]:
    return {spelt(name): as_text(value).casefold() for name, value in fields.others.items()}


def slots_of(words: str) -> tuple[str, ...]:
    """The parts of the day that words name: `Fado evening in Alfama`."""
    return tuple(slot for slot, named in _SLOTS.items() if named.search(words))


def is_free(fields: Fields) -> bool:
    """Whether a record says by yes and no that nothing is paid."""
    return _said(fields).get("fee") == "no"


def is_barred(fields: Fields) -> bool:
    """Whether a record says by yes and no that a wheelchair does not get in."""
    said = _said(fields)
    return "no" in (said.get("wheelchair"), said.get("wheelchair_accessible"))


def features_of(fields: Fields) -> list[str]:
    """What a place has, by fields of yes and no."""
    said = _said(fields)
    return [feature for name, feature in _MAPPED.items() if said.get(name) in ("yes", "only")]


def prose_of(fields: Fields) -> list[str]:
    """Descriptions by language, of which all count; else the longest field that is prose."""
    found = [value for _, value in fields.each("description") if isinstance(value, dict)]
    texts = [tidy(str(one)) for value in found for one in value.values() if as_text(one)]
    if texts:
        return list(dict.fromkeys(texts))
    said = [(name, as_text(value)) for name, value in fields.others.items()]
    prose = [(len(text), name) for name, text in said if len(text.split()) >= _PROSE]
    return [tidy(str(fields.others.pop(max(prose)[1])))] if prose else []
