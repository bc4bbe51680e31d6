"""How does a file of places become passages? JSON, GeoJSON, tables and Markdown of places.

Records become places and relations; references are looked up in the file and in those beside it.
A place is a passage that is searched and a node of the graph; a connection is searched too, other
relations are only followed. Notes say what was left out and why.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from statistics import median

from consilience.errors import LoadError
from consilience.evidence.loaders import markdown, table
from consilience.evidence.loaders.common import read_text, said, title_of
from consilience.evidence.loaders.json_records import Json, read_lines, unpacked
from consilience.evidence.size_limits import least_tokens
from consilience.packs.travel.geography import Point, distance_km
from consilience.packs.travel.place_records import (
    IN_CITIES,
    PlaceRecord,
    Stated,
    Suit,
    is_place,
    is_relation,
    meaning_of,
    read_place,
    read_relation,
)
from consilience.packs.travel.place_ties import (
    DETAILS,
    Gazetteer,
    Ties,
    place_blocks,
    remark_blocks,
    slug,
)
from consilience.packs.travel.place_values import as_text, currency, is_empty
from consilience.packs.travel.terms import find_terms, kind_of
from consilience.protocols import Room
from consilience.types import Block, Document, Locator
from consilience.understand.names import surface

ENDINGS = (
    *(".json", ".geojson", ".csv", ".tsv"),
    *(".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
)
REACH_KM = 15.0
"""How far a place that names no city may be from the city that it is put into."""
_FILES_BESIDE, _BYTES_BESIDE = 40, 16_000_000
_LEAST_PLACES = 0.5  # of the records of a file of places
_NOTES = 8
_INNER = ("properties", "attributes", "data", "fields")
_NAMED_TWICE = frozenset({"attraction", "area", "other"})
_LISTING_HEADINGS = {
    "see": "attraction", "do": "activity", "buy": "attraction", "eat": "food", "drink": "food",
    "sleep": "stay",
}  # fmt: skip
_LISTING = re.compile(r"^\s*[-*]\s+(?:\*\*|__)(?P<name>[^*_]+)(?:\*\*|__)[\s,.:–—-]*(?P<text>.*)$")


@dataclass(slots=True)
class Records:
    """What a file lists: places, relations, facts for the whole file, and notes."""

    places: list[PlaceRecord] = field(default_factory=list)
    relations: list[Stated] = field(default_factory=list)
    facts: dict[str, Json] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seen: int = 0

    def leave_out(self, where: str, reason: str) -> None:
        """Note that a record was left out."""
        self.notes.append(f"{where} left out: {reason}")

    def add(self, record: Json, where: str, hint: str, parent: PlaceRecord | None = None) -> None:
        """Take in a record: a relation, a place, or one that is left out."""
        self.seen += 1
        if not isinstance(record, dict):
            self.leave_out(where, "it is no object")
            return
        record = _unwrap(record)
        if is_relation(record):
            self.relations.append(read_relation(record))
            return
        nested = {name: value for name, value in record.items() if _is_nested(name, value)}
        own = {name: value for name, value in record.items() if name not in nested}
        place = read_place(own, where=where, hint=hint) if is_place(own, hint) else None
        if place is None:
            self.leave_out(where, "it has no name, or nothing that only places have")
            return
        if parent is not None and not place.city:
            place.city = parent.id or parent.name
        self.places.append(place)
        for name, value in nested.items():
            for at, inner in enumerate(value if isinstance(value, list) else [value], start=1):
                self.add(inner, f"{where}, {name} {at}", name, place)


# --- reading files ----------------------------------------------------------------------------


def load(path: Path) -> Document:
    """Read a file of places; a file that lists none is read as the table or text that it is."""
    records = read_records(path)
    if records is None:
        return _load_other(path)
    title = title_of(unpacked(path))
    blocks = tuple(_Writer(path, records).blocks())
    notes = _shorten(records.notes)
    return Document(title=title, kind="places", blocks=blocks, notes=(*notes, *said(path, blocks)))


def load_markdown(path: Path) -> Document:
    """Read Markdown with listings under See, Do, Eat, Drink, Sleep as places; other as text."""
    records = _read_listings(path)
    if records is None:
        return markdown.load(path)
    blocks = (*_Writer(path, records).blocks(), *markdown.load(path).blocks)
    return Document(title=title_of(path), kind="places", blocks=blocks, notes=())


def read_records(path: Path) -> Records | None:
    """The places and relations that a file lists; None where it lists neither."""
    hint = title_of(unpacked(path))
    records = Records()
    ending = unpacked(path).suffix.lower()
    if ending in (".json", ".geojson"):
        _read_json(path, records, hint)
    elif ending in (".jsonl", ".ndjson"):
        lines, faults, notes = read_lines(path)
        records.notes += [*notes, *(f"line {at} left out: {reason}" for at, reason in faults)]
        for at, record in lines:
            records.add(record, f"line {at:,}", hint)
    else:
        for block in table.load(path).blocks:
            row = {name: _plain(value) for name, value in block.metadata.items()}
            records.add(row, f"row {block.locator.row or 0:,}", hint)
    kept = len(records.places) + len(records.relations)
    if not kept or kept < _LEAST_PLACES * records.seen:
        return None
    return _complete(records, path)


def _plain(value: object) -> Json:
    return list(value) if isinstance(value, tuple) else value  # type: ignore[return-value]


def _read_json(path: Path, records: Records, hint: str) -> None:
    text, notes = read_text(path)
    records.notes += notes
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise LoadError(f"{path.name} is not valid JSON: {error}; check the file") from error
    _collect(value, records, hint)


def _collect(value: Json, records: Records, hint: str) -> None:
    """Find the records in a JSON value: a list, features of a map, objects by key, a wrapper."""
    if isinstance(value, list):
        for at, record in enumerate(value, start=1):
            records.add(record, f"record {at:,}", hint)
    elif isinstance(value, dict) and isinstance(features := value.get("features"), list):
        _collect(features, records, hint)
    elif isinstance(value, dict) and is_place(value, ""):
        records.add(value, "the record", hint)
    elif isinstance(value, dict):
        by_key = all(isinstance(inner, dict) for inner in value.values())
        for name, inner in value.items():
            if by_key and isinstance(inner, dict):
                records.add({"id": name, "name": _name_of(name), **inner}, name, hint)
            elif isinstance(inner, list | dict):
                _collect(inner, records, name if kind_of(name) else hint)
            elif not is_empty(inner):
                records.facts[name] = inner


def _name_of(key: str) -> str:
    """A name from an id: `hoi_an` is Hoi An."""
    words = re.sub(r"[_-]+", " ", key).strip()
    return words.title() if words == words.casefold() else words


def _unwrap(record: dict[str, Json]) -> dict[str, Json]:
    """A record with the fields that stand in an object of their own: `properties`, `tags`."""
    inner = next((record[name] for name in _INNER if isinstance(record.get(name), dict)), None)
    tags, address = record.get("tags"), record.get("address")
    if isinstance(tags, dict) and "name" in tags:
        inner = tags
    found = dict(record)
    if isinstance(inner, dict):
        found = {name: value for name, value in record.items() if value is not inner}
        if found.get("type") in ("node", "way", "relation", "Feature"):
            del found["type"]
        found |= {name: value for name, value in inner.items() if not is_empty(value)}
    if isinstance(address, dict):
        parts = {name: one for name, one in address.items() if meaning_of(name)}
        found = {**parts, **{name: one for name, one in found.items() if name != "address"}}
    return found


def _is_nested(name: str, value: Json) -> bool:
    """Whether a field holds places of their own: `"attractions": [{"name": …}]`."""
    if not isinstance(value, list) or not value or not kind_of(name):
        return False
    return all(isinstance(inner, dict) and is_place(_unwrap(inner), name) for inner in value)


def _read_listings(path: Path) -> Records | None:
    """The places of a guide in Markdown: bold names in lists below headings of their kinds."""
    text, _ = read_text(path)
    city = title_of(path)
    records = Records()
    heading, kinds = "", set[str]()
    for at, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"#\s+(.+)", line):
            city = match[1].strip()
        elif match := re.match(r"#{2,4}\s+(\w+)\s*$", line):
            heading = match[1].casefold()
        elif heading in _LISTING_HEADINGS and (match := _LISTING.match(line)):
            kinds.add(heading)
            kind = _LISTING_HEADINGS[heading]
            record = {"name": match["name"].strip(" .,"), "category": kind, "city": city}
            records.add({**record, "description": match["text"]}, f"line {at}", kind)
    if len(kinds) < 2:
        return None
    records.add({"name": city, "category": "city"}, "the title", "city")
    return _complete(records, path)


def _load_other(path: Path) -> Document:
    """A file that lists no places: rows of a table, or JSON as text under its keys."""
    if unpacked(path).suffix.lower() not in (".json", ".geojson"):
        return table.load(path)
    value = json.loads(read_text(path)[0])
    parts = value.items() if isinstance(value, dict) else enumerate(_listed(value), start=1)
    blocks = tuple(
        Block(
            text=text if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False),
            locator=Locator(section=(str(name),)),
        )
        for name, inner in parts
        if (text := as_text(inner)) or not is_empty(inner)
    )
    title = title_of(unpacked(path))
    return Document(title=title, kind="document", blocks=blocks, notes=said(path, blocks))


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _complete(records: Records, path: Path) -> Records:
    _identify(records)
    _find_towns(records.places)
    _name_parts(records.places)
    for place in records.places:
        place.file = path.name
    return records


def _find_towns(places: Sequence[PlaceRecord]) -> None:
    """Make places cities that others say they are in, where no type says what they are."""
    named = {surface(place.city) for place in places if place.city}
    for place in places:
        names = {surface(name) for name in (place.id, place.name, *place.aliases)}
        if (place.inferred or place.kind == "other") and names & named:
            place.kind, place.type, place.inferred = "city", "", False


def _identify(records: Records) -> None:
    """Give every place an id of its own; one whose id was used before is left out."""
    taken: dict[str, PlaceRecord] = {}
    for place in list(records.places):
        if place.id and place.id in taken:
            records.places.remove(place)
            before = taken[place.id].where
            records.leave_out(place.where, f"its id {place.id!r} is that of {before}")
        elif place.id:
            taken[place.id] = place
    names = Counter(slug(place.name) for place in records.places if not place.id)
    for place in records.places:
        if not place.id:
            bare = slug(place.name) or "place"
            behind = [slug(part) for part in (place.city, place.region, *place.keys) if part]
            tried = [bare] * (names[bare] == 1) + [f"{bare}-{part}" for part in behind if part]
            numbered = (f"{bare}-{at}" for at in count(2))
            place.id = next(key for key in chain(tried, numbered) if key not in taken)
            taken[place.id] = place


def _name_parts(places: Sequence[PlaceRecord]) -> None:
    """Give a place that is called after two things the name of each, where no other has it."""
    taken = {surface(place.name) for place in places}
    for place in places:
        parts = re.split(r"\s+(?:and|&)\s+", place.name) if place.kind in _NAMED_TWICE else []
        for at, part in enumerate(parts if len(parts) > 1 else ()):
            bare = re.sub(r"^the\s+", "", part, flags=re.IGNORECASE)
            least = 2 if at == 0 or bare != part else 3
            general = {word for term in find_terms(bare) for word in term.text.split()}
            proper = any(word[:1].isupper() and word not in general for word in bare.split())
            if len(bare.split()) >= least and proper and surface(bare) not in taken:
                place.aliases = tuple(dict.fromkeys([*place.aliases, bare]))


# --- files beside -----------------------------------------------------------------------------


def places_beside(path: Path) -> list[PlaceRecord]:
    """The places of the other files in the folder, for looking up names; large ones are skipped."""
    try:
        others = sorted(other for other in path.parent.iterdir() if other != path)
    except OSError:
        return []
    found: list[PlaceRecord] = []
    usable = [other for other in others if other.name.lower().endswith(ENDINGS)]
    for other in usable[:_FILES_BESIDE]:
        status = other.stat()
        if status.st_size <= _BYTES_BESIDE and not other.name.endswith(".graph.jsonl"):
            found += _places_of(other, status.st_mtime_ns, status.st_size)
    return found


@lru_cache(64)
def _places_of(path: Path, _changed: int, _size: int) -> tuple[PlaceRecord, ...]:
    try:
        records = read_records(path)
    except LoadError:
        return ()
    return tuple(records.places) if records else ()


# --- passages ---------------------------------------------------------------------------------


class _Writer:
    """Writes the passages of a file, with all places of the folder known."""

    def __init__(self, path: Path, records: Records) -> None:
        self.path, self.records = path, records
        self.places = [replace(place, facts=dict(place.facts)) for place in records.places]
        self.beside = places_beside(path)
        self.founded = list(found_cities([*self.places, *self.beside]))
        self.gazetteer = Gazetteer([*self.places, *self.beside, *self.founded])
        self.usual = self._usual_currency()

    def blocks(self) -> Iterator[Block]:
        """Places with what is said about them, connections, then other relations."""
        ties = Ties(self.gazetteer, usual=self.usual)
        self._put_into_cities()
        own = [place for place in self.founded if place.file == self.path.name]
        for place in (*self.places, *own):
            where = self.gazetteer.locate(place)
            yield from place_blocks(place, where, usual=self.usual)
            yield from remark_blocks(place)
            ties.add_fields(place, where)
        for place in self.places:
            for stated in place.stated:
                ties.add_stated(stated, place)
        for stated in self.records.relations:
            ties.add_stated(stated, None)
        ties.add_near(self.places, self.beside)
        yield from self.records.blocks
        yield from ties.blocks()
        self.records.notes += ties.notes(own)

    def _usual_currency(self) -> str:
        """The currency of prices that name none: the file's, or that of the only country."""
        facts = self.records.facts
        given = (as_text(value) for name, value in facts.items() if meaning_of(name) == "currency")
        if code := next((currency(text) for text in given if text), ""):
            return code
        for places in (self.places, self.beside):
            own = {place.currency for place in places if place.kind == "country"} - {""}
            if len(own) == 1:
                return own.pop()
        named = {place.price.currency for place in self.places if place.price} - {""}
        return named.pop() if len(named) == 1 else ""

    def _put_into_cities(self) -> None:
        """Put places that name no city into the nearest one within reach."""
        cities = [place for place in self.gazetteer.places if place.kind == "city" and place.point]
        for place in self.places:
            if place.kind in IN_CITIES and place.point and not place.city:
                city = _nearest(place.point, cities)
                if city is not None:
                    place.city = city.id
                    place.facts["city_by"] = "distance"


def _nearest(point: Point, cities: Iterable[PlaceRecord]) -> PlaceRecord | None:
    near = [
        (distance_km(point, city.point), city.id, city)
        for city in cities
        if city.point is not None and abs(city.point.lat - point.lat) < REACH_KM / 110
    ]
    best = min(near, default=None, key=lambda found: found[:2])
    return best[2] if best is not None and best[0] <= REACH_KM else None


def found_cities(places: Sequence[PlaceRecord]) -> Iterator[PlaceRecord]:
    """The cities, regions and countries that places say they are in and that no file describes."""
    known = Gazetteer(places)
    for kind, inside in (
        ("city", IN_CITIES | {"area"}),
        ("region", {"city"}),
        ("country", {"city"}),
    ):
        groups: dict[str, list[PlaceRecord]] = {}
        for place in places:
            name = getattr(place, kind)
            if name and place.kind in inside and re.search(r"[^\W\d_]{2}", name):
                groups.setdefault(name, []).append(place)
        for name, group in groups.items():
            if known.find(name, frozenset({kind})) is None and len(name) <= 60:
                made = _found(kind, name, group)
                if known.find(made.id) is None:
                    yield made


def _found(kind: str, name: str, inside: Sequence[PlaceRecord]) -> PlaceRecord:
    points = [place.point for place in inside if place.point is not None]
    themes = Counter(suit.theme for place in inside for suit in place.suits)
    some = ", ".join(sorted(place.name for place in inside)[:5])
    shared = {field_name: {getattr(place, field_name) for place in inside} - {""}
              for field_name in ("region", "country")}  # fmt: skip
    middle = Point(
        round(median(point.lat for point in points), 5),
        round(median(point.lon for point in points), 5),
    ) if points else None  # fmt: skip
    return PlaceRecord(
        where="",
        name=_name_of(name),
        id=slug(name),
        keys=(name,),
        kind=kind,
        type=kind,
        point=middle,
        region=shared["region"].pop() if kind == "city" and len(shared["region"]) == 1 else "",
        country=shared["country"].pop()
        if kind != "country" and len(shared["country"]) == 1
        else "",
        description=f"Known from {len(inside)} places in it: {some}.",
        suits=tuple(
            Suit(theme, round(min(0.8, 0.4 + 0.1 * places_with), 2))
            for theme, places_with in themes.most_common()
            if places_with >= 2
        ),
        facts={"computed": True},
        file=min(place.file for place in inside),
    )


def _shorten(notes: Sequence[str]) -> tuple[str, ...]:
    rest = len(notes) - _NOTES
    return (*notes[:_NOTES], *([f"{rest:,} more such notes"] if rest > 0 else []))


# --- fitting the encoder ----------------------------------------------------------------------


def cut(document: Document, room: Room) -> Document:
    """Keep each place one passage: what the encoder cannot read becomes a passage beside it."""
    places = [block for block in document.blocks if block.kind == "place"]
    sizes = {
        id(block): max(size, least_tokens(block.text))
        for block, size in zip(places, room.sizes(document.title, places), strict=True)
    }
    blocks: list[Block] = []
    for block in document.blocks:
        fits = sizes.get(id(block), 0) <= room.limit
        blocks.extend([block] if fits else _fit(block, document.title, room))
    return replace(document, blocks=tuple(blocks))


def _fit(block: Block, title: str, room: Room) -> Iterator[Block]:
    pieces = re.findall(r"[^\n]+?(?:(?<=[.!?…])\s+|\n+|\Z)", block.search or block.text)
    pieces = [part for piece in pieces for part in _by_words(piece)]
    least, most = 1, len(pieces)
    while least < most:
        middle = (least + most + 1) // 2
        tried = replace(block, search="".join(pieces[:middle]))
        fits = room.sizes(title, [tried])[0] <= room.limit
        least, most = (middle, most) if fits else (least, middle - 1)
    kept, rest = "".join(pieces[:least]).strip(), "".join(pieces[least:]).strip()
    long = least_tokens(block.text) > room.limit
    yield replace(block, search="" if long else kept, text=kept if long else block.text)
    if rest:
        yield Block(
            text=rest,
            locator=Locator(section=(*block.locator.section, DETAILS)),
            kind="text",
            metadata={"about": block.metadata["node"], "topic": DETAILS.lower()},
        )


def _by_words(sentence: str) -> list[str]:
    return re.findall(r"\S+\s*", sentence) if len(sentence) > 300 else [sentence]
