"""Which records stand in a file of JSON? Lists, objects by key, features of a map, and wrappers.

A list is one of places where at least half of its first records are places or relations, and
objects by key where nearly all are. Objects nested in a place (`"attractions": [{…}]`) are places
of their own, in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from consilience.evidence.loaders.json_records import Json
from consilience.packs.travel.files.fields import as_text, meaning_of, spelt
from consilience.packs.travel.files.records import (
    Content,
    Record,
    name_from,
    name_in,
    role_of,
    unwrapped,
)
from consilience.packs.travel.files.spots import centre_of
from consilience.packs.travel.files.words import kind_of

LOOKED_AT = 200
_LISTED = 0.5  # of a list that are places or relations
_KEYED = 0.8  # of objects by key, which may as well be parts of one thing
_CODE = re.compile(r"[A-Z0-9]{1,4}|\d+")
_CHILDREN = frozenset({"children", "places", "pois", "items", "listings", "sights", "spots"})
_PLACING = frozenset({"lat", "point", "category", "type", "city", "region", "country"})
_MAY_NEST = frozenset({"", "offers", "known_for", "serves"})


def content_of(value: Json, hint: str) -> Content | None:
    """The records of a JSON value; None where it is no list of places or of their relations."""
    content = Content()
    if isinstance(value, dict) and value.get("type") in ("FeatureCollection", "Feature"):
        features = value.get("features", [value])
        _add(content, features if isinstance(features, list) else [], hint=hint, what="feature")
        content.facts = _scalars(value)
        return content
    if isinstance(value, list):
        return _add(content, value, hint=hint) if is_listed(value, hint) else None
    if not isinstance(value, dict):
        return None
    keyed = _by_key(value)
    if is_listed(keyed, hint, least=_KEYED):
        return _add(content, keyed, hint=hint)
    return _of_wrapper(content, value, hint)


def _of_wrapper(content: Content, value: dict[str, Json], hint: str) -> Content | None:
    """The lists inside an object: `{"places": […], "relations": […]}`."""
    found, rest = False, {}
    for name, inner in value.items():
        listed, least = (inner, _LISTED) if isinstance(inner, list) else (_by_key(inner), _KEYED)
        called = name if kind_of(name) else hint
        if is_listed(listed, called, least=least) or (listed and _is_of_ends(listed)):
            found = True
            _add(content, listed, hint=called, what=f"{name} record")
        else:
            rest[name] = inner
    if not found:
        return None
    content.facts = _scalars(rest)
    _keep_rest(content, rest)
    return content


def _keep_rest(content: Content, rest: dict[str, Json]) -> None:
    for name, inner in rest.items():
        if isinstance(inner, list | dict) and inner:
            content.tally.records += 1
            content.tally.leave_out(f"{name!r}", "it lists neither places nor relations")


def _scalars(value: Mapping[str, Json]) -> dict[str, Json]:
    return {name: one for name, one in value.items() if as_text(one)}


def _by_key(value: Json) -> list[Json]:
    """Objects by key as a list: a short code is a code, another key an id, or the name."""
    if not isinstance(value, dict) or len(value) < 2:
        return []
    found: list[Json] = []
    for key, inner in value.items():
        if not isinstance(inner, dict):
            return []
        record = dict(inner)
        named = any(meaning_of(one) == "name" and name_in(record[one]) for one in record)
        if not named and not any(_places(one, record[one]) for one in record):
            found.append(record)
            continue
        if not named:
            record = {"name": name_from(key), **record}
        record.setdefault("code" if _CODE.fullmatch(key) else "id", key)
        found.append(record)
    return found


def _places(name: str, value: Json) -> bool:
    """Whether a field says where something is, or what kind of place."""
    plain = as_text(value) or (isinstance(value, list) and bool(value))
    return bool(plain) and meaning_of(name) in _PLACING


def is_listed(records: Iterable[Json], hint: str, *, least: float = _LISTED) -> bool:
    """Whether enough of the first records are places or relations."""
    seen = list(islice(records, LOOKED_AT))
    roles = [role_of(unwrapped(one), hint) for one in seen if isinstance(one, dict)]
    known = sum(role is not None for role in roles)
    return known > 0 and known >= least * len(seen)


def _is_of_ends(records: Sequence[Json]) -> bool:
    return all(isinstance(one, list) and len(one) == 3 for one in records[:LOOKED_AT])


def _add(content: Content, records: Sequence[Json], *, hint: str, what: str = "record") -> Content:
    for at, one in enumerate(records, start=1):
        where = f"{what} {at:,}"
        if isinstance(one, list) and len(one) == 3:
            add_record(content, {"edge": one}, where, hint=hint)
        elif isinstance(one, dict):
            add_record(content, _feature(one), where, hint=hint)
        else:
            content.tally.records += 1
            told = "it is no object with fields"
            content.tally.leave_out(where, told, f" but {type(one).__name__}")
    return content


def _feature(record: dict[str, Json]) -> dict[str, Json]:
    """A feature of a map as a record: its properties, and the middle of its geometry."""
    geometry = record.get("geometry")
    plain = unwrapped(record)
    if not isinstance(geometry, dict) or not {"coordinates", "geometries"} & geometry.keys():
        return plain
    plain.pop("geometry", None)
    if plain.get("type") == "Feature":
        plain.pop("type")
    places = geometry.get("coordinates", geometry.get("geometries"))
    parts = (
        [one.get("coordinates") for one in places if isinstance(one, dict)]
        if isinstance(places, list)
        else []
    )
    centre = centre_of(parts or places)
    if centre is not None:
        kept = {n: v for n, v in plain.items() if meaning_of(n) not in ("lat", "lon")}
        return {**kept, "lat": centre[1], "lon": centre[0]}
    return plain


def add_record(
    content: Content,
    values: dict[str, Json],
    where: str,
    *,
    hint: str,
    within: int | None = None,
    row: int | None = None,
) -> None:
    """Take in a record, and the places that are nested in it."""
    values = unwrapped(values)
    content.tally.records += 1
    role = role_of(values, hint) or "place"
    nested = dict(_nested(values)) if role == "place" else {}
    plain = {name: one for name, one in values.items() if name not in nested}
    number = len(content.records)
    record = Record(
        number=number, where=where, values=plain, role=role, hint=hint, within=within, row=row
    )
    content.records.append(record)
    for name, inner in nested.items():
        for at, one in enumerate(inner, start=1):
            called = name if kind_of(name) else ""
            add_record(content, one, f"{where}, {name} {at}", hint=called, within=number)


def _nested(values: Mapping[str, Json]) -> Iterator[tuple[str, list[dict[str, Json]]]]:
    """The fields of a record that list places with more than a name."""
    for name, inner in values.items():
        if not isinstance(inner, list) or meaning_of(name) not in _MAY_NEST or not inner:
            continue
        if not kind_of(name) and spelt(name) not in _CHILDREN:
            continue
        objects = [one for one in inner if isinstance(one, dict)]
        if len(objects) == len(inner) and all(
            len(one) > 1 and role_of(one, name) == "place" for one in objects
        ):
            yield name, objects
