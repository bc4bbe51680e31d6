"""What is a language model told of places and passages? Facts by name, texts quoted and cut."""

from __future__ import annotations

import json
from collections.abc import Iterable

from consilience.packs.travel.atlas import Atlas, Connection, Place
from consilience.understand.names import surface

Fact = dict[str, object]
LETTERS = 240
"""Letters of a text that are quoted."""
_LETTERS_A_TOKEN = 3  # of JSON, where a model reads many marks


def place_fact(place: Place, atlas: Atlas, *, letters: int = LETTERS) -> Fact:
    """A place, for a model to read; empty fields are left out."""
    found: Fact = {
        "id": place.id,
        "name": place.name,
        "kind": place.kind,
        "type": place.type,
        "city": atlas.city_of(place.id),
        "themes": {theme: round(strength, 2) for theme, strength in place.themes.items()},
        "minutes": place.minutes,
        "price": str(place.price) if place.price is not None else "",
        "level": place.level,
        "hours": place.hours,
        "parts_of_day": list(place.slots),
        "text": cut(place.text, letters) if letters else "",
    }
    return {name: value for name, value in found.items() if value}


def way_fact(way: Connection, atlas: Atlas) -> Fact:
    """A connection, for a model to read."""
    return {
        "from": atlas.name_of(way.start),
        "to": atlas.name_of(way.end),
        "mode": way.mode,
        "minutes": way.minutes,
        "price": str(way.price),
        "overnight": way.overnight,
        "departures": cut(way.departures),
        "note": cut(way.note),
    }


def bounded(facts: Iterable[Fact], tokens: int) -> list[Fact]:
    """As many of the facts as so many tokens hold; one at least."""
    found: list[Fact] = []
    left = tokens * _LETTERS_A_TOKEN
    for fact in facts:
        left -= len(json.dumps(fact, ensure_ascii=False, default=str))
        if left < 0 and found:
            break
        found.append(fact)
    return found


def cut(text: str, letters: int = LETTERS) -> str:
    """A text on one line, and no longer than that."""
    line = " ".join(text.split())
    return line if len(line) <= letters else line[: letters - 1].rstrip() + "…"


def stands_in(words: str, text: str) -> bool:
    """Whether words stand in a text as they are, whatever their case, accents and marks."""
    wanted = surface(words)
    return bool(wanted) and f" {wanted} " in f" {surface(text)} "


def resolved(named: str, atlas: Atlas, kinds: Iterable[str] = ()) -> str:
    """The id of a place that a model names by id or by name; empty where there is none."""
    wanted = frozenset(kinds)
    ids = (named,) if named in atlas.places else atlas.find(named)
    return next((one for one in ids if not wanted or atlas.places[one].kind in wanted), "")
