"""Which kind of place do the types of a record mean, or else the name of its list or file?

The words are those of `vocabulary.kind_of`; here they are met in longer names (`hotels_2024`,
`North Island sights`), with the codes that GeoNames has for places people live in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from consilience.packs.travel import vocabulary
from consilience.packs.travel.files.languages import type_in_english
from consilience.understand.names import surface

WITHIN = frozenset({"attraction", "activity", "stay", "food"})
"""The kinds of what is in a city."""
WIDE = frozenset({"country", "region", "city", "area"})
"""The kinds of what other places are in."""
_SETTLED = frozenset({"island", "village", "area"})  # a city to stay in, unless it is in one
_CODES = {"P": "city", "A": "region"}  # of GeoNames
_LIVED_IN = re.compile(r"PPL[A-Z]?\d?")
_DIGITS = re.compile(r"\d+")
_MOST_WORDS = 8


@lru_cache(8192)
def kind_of(words: str) -> str:
    """The kind that a type or a name of a list means; empty for words that are not known."""
    bare = words.strip()
    if bare in _CODES or _LIVED_IN.fullmatch(bare):
        return _CODES.get(bare, "city")
    parts = surface(_DIGITS.sub(" ", bare.replace("_", " "))).split()[:_MOST_WORDS]
    whole = " ".join(parts)
    tried = [whole, *(" ".join(parts[at:]) for at in range(1, len(parts))), *parts[-2::-1]]
    known = (vocabulary.kind_of(one) or vocabulary.kind_of(type_in_english(one)) for one in tried)
    return next(filter(None, known), None) or ""


def kind_among(types: Iterable[str], *, hint: str, has_city: bool, stayed_in: bool) -> str:
    """The kind of a place by the first of its types that is known, else by its list's name.

    An island, a village or an area is somewhere to stay where it is in no city.
    """
    for one in types:
        settled = surface(one) in _SETTLED and not has_city
        if settled and (stayed_in or surface(one) != "area"):
            return "city"
        kind = kind_of(one)
        if kind == "city" and has_city and surface(one) in _SETTLED:
            return "attraction"
        if kind:
            return kind
    return kind_of(hint) if hint else ""
