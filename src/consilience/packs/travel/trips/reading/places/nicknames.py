"""Which sight is meant by a part of its name: "the Golden Bridge", "water puppets", "turtles"?

A part of two words or more that stands in one name only is that sight, written as a name where
the text names cities and the sight is in none of them; a single word, or a part that several have,
only among the sights of those cities. Ordinary words alone
("old quarter") have to be a whole part of the name, written as a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from consilience.packs.travel.atlas import SIGHTS, Atlas
from consilience.packs.travel.trips.reading.ordinary import is_ordinary, is_plain
from consilience.understand.names import singular_or_plural, surface

_JOINTS = re.compile(r"\b(?:and|the|of|in|on|at|by|with|from|to|near)\b|[,()&-]", re.IGNORECASE)
_SMALL_WORDS = "a an and at by for from in is my no not of on or our the to we with"
_SMALL = frozenset(_SMALL_WORDS.split())
_LEAST = 5  # letters of a word that stands for a sight alone


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a sight in words, without its city's, and the parts that it is joined from."""

    place: str
    words: tuple[str, ...]
    parts: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Nicknames:
    """The names of all sights, and of those in the cities that a text names."""

    every: Sequence[_Name]
    near: Sequence[_Name]

    @classmethod
    def of(cls, atlas: Atlas, cities: Collection[str]) -> Nicknames:
        """Those of an atlas."""
        every = atlas.reckoned("nicknames", _every)
        near = [one for one in every if atlas.city_of(one.place) in cities]
        return cls(every=every, near=near)

    def meant(self, text: str) -> tuple[str, ...]:
        """The sights of the named cities that single words of a text mean, theme words too."""
        words = dict.fromkeys(surface(text).split())
        long = [one for one in words if len(one) >= _LEAST and not is_plain(one)]
        forms = [{one, *singular_or_plural(one)} for one in long]
        found = (_only(self.near, partial(_has_one, one)) for one in forms)
        return tuple(dict.fromkeys(one for one in found if one))

    def one(self, said: Sequence[str], *, titled: bool) -> str:
        """The sight that some words (as `surface` spells them) mean; empty for none or several."""
        if {said[0], said[-1]} & _SMALL:
            return ""
        forms = [{one, *singular_or_plural(one)} for one in said]
        if all(map(is_ordinary, said)):
            if not titled or len(said) < 2:
                return ""
            return _only(self.near, lambda name: _is_part(forms, name))
        if len(said) == 1:
            long = len(said[0]) >= _LEAST
            return _only(self.near, lambda name: _stands_in(forms, name.words)) if long else ""
        if is_ordinary(said[0]) and not titled and len(said) > 2:
            return ""
        anywhere = titled or not self.near
        fits = _only(self.every, lambda name: _stands_in(forms, name.words)) if anywhere else ""
        fits = fits or _only(self.near, lambda name: _stands_in(forms, name.words))
        return fits or _only(self.near, lambda name: all(_has_one(one, name) for one in forms))


def _every(atlas: Atlas) -> list[_Name]:
    return [
        _name(one.id, one.name, atlas)
        for _, one in sorted(atlas.places.items())
        if one.kind in SIGHTS
    ]


def _name(place: str, name: str, atlas: Atlas) -> _Name:
    city = atlas.places.get(atlas.city_of(place))
    own = set(surface(city.name).split()) if city else set()
    words = tuple(one for one in surface(name).split() if one not in own)
    parts = (tuple(surface(one).split()) for one in _JOINTS.split(name))
    bare = (tuple(word for word in one if word not in own) for one in parts)
    return _Name(place, words, frozenset(one for one in bare if one))


def _only(names: Iterable[_Name], fits: Callable[[_Name], bool]) -> str:
    found = [one.place for one in names if fits(one)]
    return found[0] if len(found) == 1 else ""


def _has_one(forms: set[str], name: _Name) -> bool:
    return bool(forms & set(name.words))


def _is_part(forms: Sequence[set[str]], name: _Name) -> bool:
    return any(
        len(part) == len(forms)
        and all(word in form for word, form in zip(part, forms, strict=True))
        for part in name.parts
    )


def _stands_in(forms: Sequence[set[str]], words: Iterable[str]) -> bool:
    """Whether words stand in a name in this order, others between them or not."""
    left = iter(words)
    return all(any(word in form for word in left) for form in forms)
