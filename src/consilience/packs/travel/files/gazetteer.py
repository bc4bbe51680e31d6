"""Which place is meant by a reference? By its id, its code, its name, or another name of it.

A place that is looked for as a city, a country or an airport is found as one, where several have
the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.records import Tally
from consilience.packs.travel.geography import Point
from consilience.understand.names import surface

_SAID_IN = re.compile(r"(?:\b[Ii]n|\b[Oo]f|,)\s+((?:[A-Z]\w+)(?:\s[A-Z]\w+)?)(?=[\s.,;:')])")
_LOOKED_AT = 600  # letters of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A place that a file tells of, as much of it as others need; `file` is that file's name.

    `said_in` are names of what a city is in, as its text has them.
    """

    id: str
    name: str
    kind: str
    city: str = ""
    region: str = ""
    country: str = ""
    point: Point | None = None
    currency: str = ""
    keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    said_in: tuple[str, ...] = ()
    file: str = ""


@dataclass(slots=True)
class Gazetteer:
    """Places by id, by code and by name."""

    ids: dict[str, Known] = field(default_factory=dict)
    codes: dict[str, list[Known]] = field(default_factory=dict)
    names: dict[str, list[Known]] = field(default_factory=dict)
    others: dict[str, list[Known]] = field(default_factory=dict)

    def add(self, place: Known) -> None:
        """Take in a place; the first of an id counts."""
        if place.id in self.ids:
            return
        self.ids[place.id] = place
        for code in place.keys:
            self.codes.setdefault(code, []).append(place)
        self.names.setdefault(surface(place.name), []).append(place)
        for name in place.aliases:
            self.others.setdefault(surface(name), []).append(place)

    def find(self, said: str, kinds: frozenset[str] = frozenset()) -> Known | None:
        """The place that is meant; None for one that is not known."""
        exact = self.ids.get(said) or self.ids.get(slug(said)) or self.ids.get(said.casefold())
        if exact is not None and (not kinds or exact.kind in kinds):
            return exact
        words = surface(said)
        ways = (self.names.get(words, ()), self.codes.get(said, ()), self.others.get(words, ()))
        found = [(way, one) for way, places in enumerate(ways) for one in places]
        best = min(
            found,
            key=lambda one: (
                bool(kinds) and one[1].kind not in kinds,
                one[0],
                one[1].keys.index(said) if one[0] == 1 else 0,  # the better known code first
                one[1].id,
            ),
            default=None,
        )
        if exact is not None and (best is None or best[1].kind not in kinds):
            return exact
        return best[1] if best is not None else None


def slug(name: str) -> str:
    """A name as an id: `hoi-an`."""
    return surface(name).replace(" ", "-")


def id_of(said: str) -> str:
    """The id of a place that nothing tells of: a reference as it is, a name with hyphens."""
    plain = said.strip()
    is_id = plain == plain.casefold() and not any(letter.isspace() for letter in plain)
    return plain if is_id else slug(plain) or plain


def known_of(draft: Draft, file: str = "") -> Known:
    """What others need of a place."""
    return Known(
        id=draft.id,
        name=draft.name,
        kind=draft.kind,
        city=draft.city,
        region=draft.region,
        country=draft.country,
        point=draft.point,
        currency=draft.currency,
        keys=draft.keys,
        aliases=draft.aliases,
        themes=tuple(one.theme for one in draft.suits),
        said_in=_said_in(draft) if draft.kind == "city" else (),
        file=file,
    )


def _said_in(draft: Draft) -> tuple[str, ...]:
    """What the text and the region of a city name as what it is in: `… a port in Portugal`."""
    said = [one.strip() for one in _SAID_IN.findall(f"{draft.description[:_LOOKED_AT]}.")]
    region = re.findall(r"\b[A-Z]\w+$", draft.region)
    return tuple(dict.fromkeys([*said, *region]))


def identified(drafts: Iterable[Draft], tally: Tally) -> list[Draft]:
    """The places, each with an id of its own; one whose id was given before is left out, told.

    Without an id it is the name; where several have it, with the city, region, country or code.
    """
    kept: list[Draft] = []
    first: dict[str, Draft] = {}
    nameless: dict[str, list[Draft]] = {}
    for draft in drafts:
        kept.append(draft)
        if not draft.id:
            nameless.setdefault(slug(draft.name) or "place", []).append(draft)
        elif draft.id in first:
            kept.pop()
            before = first[draft.id].where
            fault = f" (id {draft.id!r} is that of {before}; give it an id of its own)"
            tally.leave_out(draft.where, "its id was given before", fault)
        else:
            first[draft.id] = draft
    taken = set(first)
    for name, same in nameless.items():
        for draft in same:
            draft.id = _free(name, draft, alone=len(same) == 1, taken=taken)
            taken.add(draft.id)
    return kept


def _free(name: str, draft: Draft, *, alone: bool, taken: set[str]) -> str:
    if alone and name not in taken:
        return name
    behind = (draft.city, draft.region, draft.country, *draft.keys)
    for one in filter(None, map(slug, behind)):
        if f"{name}-{one}" not in taken:
            return f"{name}-{one}"
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}" if name in taken else name
