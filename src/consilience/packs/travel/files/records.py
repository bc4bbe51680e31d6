"""What does a file hold? Records, each a place, a relation or a row; texts; and what is wrong.

Whatever comes of a record is counted, so that the sums can be told: records are places,
relations, rows and texts, told together with another, or left out for a reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from consilience.evidence.loaders.json_records import Json
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import (
    PLACED,
    Fields,
    as_text,
    is_empty,
    items_of,
    meaning_of,
    sort_out,
    spelt,
)
from consilience.packs.travel.files.words import WITHIN, kind_of
from consilience.types import Block

Role = Literal["place", "relation", "row"]
_MOST_NOTES = 12
_SOURCE_WORDS = """
from source origin start src from_id from_city from_place from_node source_id source_airport
start_node source_city source_name from_airport from_station from_name start_city
departure_airport from_location origin_city subject head start_id origin_id departure_city node1
place1
"""
SOURCES = frozenset(_SOURCE_WORDS.split())
_TARGET_WORDS = """
to target destination end dst dest to_id to_city to_place to_node target_id destination_airport
end_node target_name to_airport to_station to_name end_city arrival_airport to_location
destination_city object tail end_id destination_id arrival_city node2 place2
"""
TARGETS = frozenset(_TARGET_WORDS.split())
_NO_PLACE = re.compile(
    r"[\d:.,/\s-]*[:/.][\d:.,/\s-]*|\d{4}-\d\d-\d\d.*", re.DOTALL
)  # times, dates
_NAMING = ("city", "country", "location", "region")  # what names a place where nothing else does
_SORT_WORDS = """
hotel hostel resort restaurant cafe bar attraction activity airport place site sight landmark poi
tour beach museum experience property venue town village
"""
_SORTS = frozenset(_SORT_WORDS.split())  # fields that hold a name, where there is no other
_ADDRESSES = frozenset({"address", "adresse", "location", "localisation", "direccion", "indirizzo",
                        "addr", "standort", "lage", "place", "ubicacion"})  # fmt: skip
_IN_ADDRESS = frozenset({"city", "region", "country"})
_INNER = ("properties", "attributes", "data", "fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record of a file: where it stands, its fields, and what its list calls such records.

    `within` is the number of the record that it is nested in.
    """

    number: int
    where: str
    values: Mapping[str, Json]
    role: Role = "place"
    hint: str = ""
    within: int | None = None
    row: int | None = None


@dataclass(slots=True)
class Content:
    """What was read of a file: its records, texts besides, facts for all, and what to tell."""

    kind: Literal["places", "table", "document"] = "places"
    title: str = ""
    records: list[Record] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    facts: dict[str, Json] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=lambda: Tally())  # noqa: PLW0108 - it stands below


@dataclass(slots=True)
class Tally:
    """How many records there were, and what came of each; and of the relations `said` inside them.

    `made` counts the relations that the places come with, by their names.
    """

    records: int = 0
    places: int = 0
    relations: int = 0
    rows: int = 0
    texts: int = 0
    together: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    said: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)

    def drop(self, where: str, reason: str, detail: str = "") -> None:
        """A relation that a record states of its place is left out."""
        self.dropped[reason] += 1
        self.faults.append(f"{where}: a relation left out: {reason}{detail}")

    def leave_out(self, where: str, reason: str, detail: str = "") -> None:
        """A record is left out: the reason is counted, and the record named."""
        self.left_out[reason] += 1
        self.faults.append(f"{where} left out: {reason}{detail}")

    def tell(self, where: str, fault: str) -> None:
        """Something in a record is wrong, and the rest of it is kept."""
        self.faults.append(f"{where}: {fault}")

    @property
    def unaccounted(self) -> int:
        """Records of which nothing came, and nothing was told; there should be none."""
        known = self.places + self.relations + self.rows + self.texts + self.together
        inside = self.said - self.kept - sum(self.dropped.values())
        return self.records - known - sum(self.left_out.values()) + inside

    def told(self) -> list[str]:
        """The sums and the first faults in full, where something was left out or is wrong."""
        if not (self.faults or self.left_out):
            return []
        sums = [self.sums()]
        if self.dropped:
            parts = [f"{n:,} left out ({why})" for why, n in sorted(self.dropped.items())]
            stated = f"{self.said:,} relations stated in records: {self.kept:,} kept"
            sums.append(", ".join((stated, *parts)))
        rest = len(self.faults) - _MOST_NOTES
        more = [f"{rest:,} more such notes"] if rest > 0 else []
        return [*sums, *self.faults[:_MOST_NOTES], *more]

    def sums(self) -> str:
        """`12 records: 9 places, 2 relations, 1 left out (no name)`."""
        named = (
            (self.places, "place"), (self.relations, "relation"), (self.rows, "row"),
            (self.texts, "text"), (self.together, "told together with another"),
        )  # fmt: skip
        parts = [_counted(number, what) for number, what in named if number]
        parts += [f"{number:,} left out ({why})" for why, number in sorted(self.left_out.items())]
        return f"{_counted(self.records, 'record')}: {', '.join(parts) or 'nothing'}"


def _counted(number: int, what: str) -> str:
    plural = what if number == 1 or " " in what else f"{what}s"
    return f"{number:,} {plural}"


# --- what a record is ---------------------------------------------------------------------


def unwrapped(record: Mapping[str, Json]) -> dict[str, Json]:
    """A record with the fields that stand in an object of their own, as exports of graphs do."""
    inner = next((record[name] for name in _INNER if isinstance(record.get(name), dict)), None)
    tags = record.get("tags")
    if isinstance(tags, dict) and "name" in tags:  # as exports of OpenStreetMap have them
        inner = tags
    if not isinstance(inner, dict):
        return _addressed(record)
    outer = {name: value for name, value in record.items() if value is not inner}
    if isinstance(labels := outer.pop("labels", None), list) and labels:
        outer["category"] = labels[0]
    if outer.get("type") in ("node", "way", "relation", "Feature", "relationship"):
        outer.pop("type")
    kept = {name: value for name, value in inner.items() if not is_empty(value)}
    return _addressed({**outer, **kept})


def _addressed(record: Mapping[str, Json]) -> dict[str, Json]:
    """A record with what its address says of the city, the region and the country."""
    found = dict(record)
    for name, inner in record.items():
        if spelt(name) not in _ADDRESSES or not isinstance(inner, dict):
            continue
        said = {one: inner[one] for one in inner if meaning_of(one) in _IN_ADDRESS}
        rest = {one: value for one, value in inner.items() if one not in said}
        found |= {one: value for one, value in said.items() if one not in record}
        found[name] = rest
        if not rest:
            del found[name]
    return found


def end_of(record: Mapping[str, Json], names: frozenset[str]) -> str:
    """One end of a relation, as the record names it; empty for none."""
    for name, value in record.items():
        if spelt(name) not in names:
            continue
        said = reference(value)
        if said and not _NO_PLACE.fullmatch(said):
            return said
    return ""


def reference(value: Json) -> str:
    """What a value refers to: its text, or the id or name of an object."""
    if isinstance(value, dict):
        wanted = ("id", "node", "target", "to", "code", "place", "name", "title", "iata")
        by = {spelt(name): one for name, one in value.items()}
        return next((text for name in wanted if (text := as_text(by.get(name)))), "")
    return as_text(value)


def is_relation(record: Mapping[str, Json]) -> bool:
    """Whether a record joins two places rather than telling of one."""
    edge = record.get("edge")
    if isinstance(edge, list) and len(edge) == 3:
        return True
    if any(spelt(name) in ("lat", "latitude") for name in record):
        return False
    return bool(end_of(record, SOURCES) and end_of(record, TARGETS))


def role_of(record: Mapping[str, Json], hint: str) -> Role | None:
    """What a record is: a relation, a place, or neither."""
    if is_relation(record):
        return "relation"
    fields = sort_out(record)
    if not named(fields)[0]:
        return None
    placed = PLACED & fields.known.keys()
    return "place" if placed or kind_of(hint) else None


def named(fields: Fields) -> tuple[str, str]:
    """The name of a place, and the field that gave it where that is no name (`city`)."""
    name = name_in(fields.first("name"))
    if name:
        return name, ""
    for field_name, value in fields.others.items():
        if spelt(field_name) in _SORTS and (said := name_in(value)):
            return said, field_name
    sorts = [kind_of(one) for _, value in fields.each("type") for one in items_of(value)]
    for meaning in _NAMING if not WITHIN & set(sorts) else ():
        for field_name, value in fields.each(meaning):
            said = as_text(value)
            if re.search(r"[^\W\d_]{2}", said) and not spelt(field_name).endswith(("id", "code")):
                return short(said), field_name
    for meaning in ("local_name", "aliases", "id"):
        said = fields.text(meaning) or name_in(fields.first(meaning))
        if re.search(r"[^\W\d_]{2}", said):
            return short(name_from(said) if meaning == "id" else said), meaning
    return "", ""


def name_in(value: Json) -> str:
    """A name, also where it is an object of names: the common or English one, else the first."""
    if isinstance(value, list):
        return next((name for one in value if (name := name_in(one))), "")
    if not isinstance(value, dict):
        said = as_text(value).strip("'\"* ")
        return short(said) if re.search(r"[^\W_]", said) else ""
    wanted = ("common", "en", "eng", "english", "default", "name", "value")
    tried = [*(value.get(one) for one in wanted), *value.values()]
    return next((name for one in tried if (name := name_in(one))), "")


def name_from(key: str) -> str:
    """A name from an id: `hoi_an` is Hoi An."""
    words = re.sub(r"[_-]+", " ", key).strip()
    return words.title() if words == words.casefold() else words
