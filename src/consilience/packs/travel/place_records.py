"""What does a record of a file say of a place? Its facts, whatever its fields are called.

References to other places (`city`, `near`) stay as they are written until all places are known.
What cannot be read is kept under its own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import Json, flatten
from consilience.evidence.size_limits import short
from consilience.packs.travel import place_values as values
from consilience.packs.travel.atlas import attribute_of, truth_of
from consilience.packs.travel.geography import Point
from consilience.packs.travel.place_values import Price, as_text, is_empty, items, reference
from consilience.packs.travel.terms import (
    find_terms,
    find_type,
    kind_of,
    plain,
    read_table,
    theme_of,
)
from consilience.types import Value
from consilience.understand.names import surface

IN_CITIES = frozenset({"attraction", "activity", "stay", "food"})
"""The kinds of what is in a city."""
WIDE = frozenset({"country", "region", "city", "area"})
"""The kinds of what other places are in."""
TOPICS = ("season", "getting_around", "safety", "booking")
NAMED_THEME, TYPE_THEME, TEXT_THEME = 0.7, 0.6, 0.5
"""The strength of a theme that is only named, that the type means, that the text mentions."""
PLACED = frozenset(
    (
        *("lat", "lon", "point", "category", "type", "city", "region", "country", "description"),
        *("suits", "price", "hours", "visit_minutes", "best_months", "offers", "serves"),
        *("known_for", "suggested_days", "level", "relations"),
    )
)
"""What a record with a name has besides, where it describes a place."""
SOURCES = frozenset(
    (
        *("from", "source", "origin", "start", "src", "from_id", "from_city", "from_place"),
        *("source_id", "from_name", "start_city", "origin_city", "departure_city"),
    )
)
TARGETS = frozenset(
    (
        *("to", "target", "destination", "end", "dst", "dest", "to_id", "to_city", "to_place"),
        *("target_id", "to_name", "end_city", "destination_city", "arrival_city", "finish"),
    )
)
_RELATION_KEYS = ("relation", "relationship", "rel", "predicate", "type", "label", "kind")
_TARGET_KEYS = ("target", "to", "target_id", "destination", "place", "id", "node", "name", "city")
_LEVELS = {
    "budget": "budget", "cheap": "budget", "low": "budget", "inexpensive": "budget",
    "mid": "mid-range", "medium": "mid-range", "moderate": "mid-range", "standard": "mid-range",
    "luxury": "luxury", "expensive": "luxury", "high": "luxury", "premium": "luxury",
    "upscale": "luxury",
}  # fmt: skip
_SETTLED = frozenset({"island", "village", "area"})  # a city to stay in, unless it is in another
_NO_TYPES = frozenset({"", "feature", "node", "place", "poi", "yes", "way"})
_GENERAL = frozenset({"attraction", "sight", "point of interest", "poi", "activity"})
_WITH_STRENGTH = re.compile(r"(.*?)[\s:=(]+(\d*\.?\d+)\)?")
_LONGEST_REFERENCE = 80
_MOST_ALIASES = 60
_PROSE_WORDS = 8
_OPENING_WORDS = 12


@dataclass(frozen=True, slots=True)
class Suit:
    """A theme that a place suits, from 0 to 1, and why; empty where no reason is given."""

    theme: str
    strength: float
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A relation as a record states it: to (or, `backwards`, from) what it names."""

    relation: str
    target: str
    source: str = ""
    backwards: bool = False
    fields: Mapping[str, Json] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class PlaceRecord:
    """A place as a file describes it; `facts` are metadata of its passage, by their names.

    Its kind is `inferred` where no field states it.
    """

    where: str
    name: str
    id: str = ""
    keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    kind: str = "other"
    type: str = ""
    point: Point | None = None
    city: str = ""
    region: str = ""
    country: str = ""
    description: str = ""
    suits: tuple[Suit, ...] = ()
    tags: tuple[str, ...] = ()
    price: Price | None = None
    currency: str = ""
    facts: dict[str, Value] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    stated: tuple[Stated, ...] = ()
    others: dict[str, Value] = field(default_factory=dict)
    file: str = ""
    inferred: bool = False


class Fields:
    """The fields of a record by what they mean, and the others under their own names."""

    def __init__(self, record: Mapping[str, Json]) -> None:
        self.known: dict[str, list[tuple[str, Json]]] = {}
        self.others: dict[str, Json] = {}
        for name, value in record.items():
            if is_empty(value):
                continue
            if meaning := meaning_of(name):
                self.known.setdefault(meaning, []).append((name, value))
            else:
                self.others[name] = value

    def each(self, meaning: str) -> list[tuple[str, Json]]:
        """All fields of a meaning, as (name, value)."""
        return self.known.get(meaning, [])

    def first(self, meaning: str) -> Json:
        """The first value of a meaning; None where there is none."""
        return next((value for _, value in self.each(meaning)), None)

    def text(self, meaning: str) -> str:
        """The first reference or text of a meaning."""
        return next((text for _, value in self.each(meaning) if (text := reference(value))), "")


@lru_cache(4096)
def field_key(name: str) -> str:
    """A field's name in one spelling: `bestTimeToVisit` and `Best time to visit` are one."""
    humps = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^0-9a-z]+", "_", plain(humps)).strip("_")


@lru_cache(4096)
def meaning_of(name: str) -> str:
    """What a field means; empty for an unknown one. `price_eur` is a price, `name_vi` a name."""
    key = field_key(name)
    table = _meanings()
    if key in table:
        return table[key]
    if re.fullmatch(r"(?:price|cost|fee|fare)_[a-z]{3}", key):
        return "price"
    if re.fullmatch(r"(?:name|title)_[a-z]{2}", key):
        return "aliases"
    return table.get(re.sub(r"_(?:in_)?(?:hrs|hours|minutes|mins|usd|eur|km)$", "", key), "")


@cache
def _meanings() -> Mapping[str, str]:
    table = read_table("fields")
    return {spelling: meaning for meaning, names in table.items() for spelling in names}


def ends_of(record: Mapping[str, Json]) -> tuple[str, str]:
    """The two ends that a record of a connection names; empty where it names none."""
    found = {"": ""}
    for name, value in record.items():
        key = field_key(name)
        for side, keys in (("source", SOURCES), ("target", TARGETS)):
            if key in keys and (said := reference(value)) and re.search(r"[^\W\d_]", said):
                found.setdefault(side, said)
    return found.get("source", ""), found.get("target", "")


def is_relation(record: Mapping[str, Json]) -> bool:
    """Whether a record joins two places rather than describing one."""
    return all(ends_of(record)) and not any(meaning_of(name) == "lat" for name in record)


def is_place(record: Mapping[str, Json], hint: str) -> bool:
    """Whether a record describes a place: a name, and something that only places have."""
    meanings = {meaning_of(name) for name, value in record.items() if not is_empty(value)}
    named = "name" in meanings or "aliases" in meanings
    return named and bool(PLACED & meanings or kind_of(hint))


def read_relation(record: Mapping[str, Json]) -> Stated:
    """The relation that a record of its own states; a way to travel where it has no type."""
    source, target = ends_of(record)
    keys = {field_key(name) for name in record}
    spelling = _spelling(record)
    relation, backwards = relation_of(spelling) if spelling else ("CONNECTED_TO", False)
    travels = keys & {"mode", "minutes", "duration", "hours", "departures", "travel_time"}
    if spelling and relation not in relations() and travels:
        relation = "CONNECTED_TO"
    return Stated(
        relation=relation, source=source, target=target, backwards=backwards, fields=record
    )


def read_place(record: Mapping[str, Json], *, where: str, hint: str = "") -> PlaceRecord | None:
    """The place that a record describes; None where it has no name."""
    fields = Fields(record)
    name = _name(fields.first("name")) or next(iter(_names(fields.first("aliases"))), "")
    if not name:
        return None
    place = PlaceRecord(where=where, name=short(name), point=_point(fields))
    place.stated = tuple(_stated(fields))
    _identify(place, fields)
    for meaning in ("city", "region", "country"):
        setattr(place, meaning, fields.text(meaning))
    _classify(place, fields, hint)
    _describe(place, fields)
    _read_facts(place, fields)
    _read_price(place, fields)
    _read_remarks(place, fields)
    _read_attributes(place, fields)
    place.others = flatten(fields.others)
    return place


# --- what a record says -------------------------------------------------------------------------


def _name(value: Json) -> str:
    """A name, also where it is an object of names: the English one, else the first."""
    if isinstance(value, dict):
        tried = [value.get("en"), value.get("common"), *value.values()]
        return next((name for one in tried if (name := _name(one))), "")
    if isinstance(value, list):
        return next((name for one in value if (name := _name(one))), "")
    said = as_text(value).strip("'\"* ")
    return said if re.search(r"[^\W_]", said) else ""


def _names(value: Json) -> Iterator[str]:
    """The names in a value, however deep; a text may list several."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _names(inner)
    elif isinstance(value, str):
        yield from filter(None, map(_name, re.split(r"[;|]", value)))


def _point(fields: Fields) -> Point | None:
    found = values.point(fields.first("lat"), fields.first("lon"))
    tried = [*fields.each("point"), *fields.each("city")]
    return found or next(
        (point for _, value in tried if (point := values.geometry_point(value))), None
    )


def _identify(place: PlaceRecord, fields: Fields) -> None:
    ids = [text for _, value in fields.each("id") if (text := as_text(value))]
    place.id = next((short(one_line(key), 200) for key in ids if not key.isdigit()), "")
    codes = [code for _, value in fields.each("code") for code in items(value)]
    place.keys = tuple(dict.fromkeys([key for key in ids if key != place.id] + codes))
    if codes:
        place.facts["codes"] = tuple(dict.fromkeys(codes))
    given = [*fields.each("aliases"), *fields.each("name")]
    names = dict.fromkeys(short(name) for _, value in given for name in _names(value))
    place.aliases = tuple(name for name in names if name != place.name)[:_MOST_ALIASES]


def _classify(place: PlaceRecord, fields: Fields, hint: str) -> None:
    exact = [text for _, value in fields.each("type") for text in items(value)]
    types = [text for _, value in fields.each("category") for text in items(value)] + exact
    types = [text for text in types if text.casefold() not in _NO_TYPES]
    place.kind = next(filter(None, (_kind(text, place, fields) for text in types)), "")
    place.kind = place.kind or kind_of(hint) or "other"
    types = [text for text in (*exact, *types) if text.casefold() not in _NO_TYPES]
    types.sort(key=lambda text: text.casefold().replace("_", " ") in _GENERAL)
    place.type = short(next(iter(types), ""), 60).replace("_", " ").lower()
    if place.kind == "other" and not types:
        _infer_kind(place, fields)


def _infer_kind(place: PlaceRecord, fields: Fields) -> None:
    """The kind of a place that states none: by its name, by how its text begins, else a sight."""
    place.inferred = True
    opening = " ".join(fields.text("description").split()[:_OPENING_WORDS])
    for words in (place.name.rpartition(" ")[2], place.name, opening):
        found = find_type(words)
        if found and (found[0] not in WIDE or words != opening):
            place.kind, place.type = found
            return
    place.kind = "attraction" if place.city else "other"


def _kind(text: str, place: PlaceRecord, fields: Fields) -> str:
    """The kind that a type means: an island or a village is a city where it is in none."""
    word = surface(text)
    if word in _SETTLED:
        stays = word != "area" or "suggested_days" in fields.known or "region" in fields.known
        if not place.city and stays:
            return "city"
        return "area" if word == "area" else "attraction"
    return kind_of(text)


def _describe(place: PlaceRecord, fields: Fields) -> None:
    texts = [tidy(str(value)) for _, value in fields.each("description") if as_text(value)]
    if not texts:
        prose = [(len(as_text(value).split()), name) for name, value in fields.others.items()]
        longest = max(prose, default=(0, ""))
        if longest[0] >= _PROSE_WORDS:
            texts = [tidy(str(fields.others.pop(longest[1])))]
    place.description = "\n".join(dict.fromkeys(texts))
    suits: dict[str, Suit] = {}
    tags: dict[str, None] = {}
    for _, value in fields.each("suits"):
        for word, strength, why in _themes_in(value):
            theme = theme_of(word)
            if not theme or (strength is None and surface(word).replace(" ", "-") != theme):
                tags[short(word, 60)] = None
            suit = Suit(theme, NAMED_THEME if strength is None else strength, why)
            if theme and (theme not in suits or suits[theme].strength < suit.strength):
                suits[theme] = suit
    place.suits = tuple(sorted(suits.values(), key=lambda suit: -suit.strength))
    place.tags = tuple(tags)
    if not suits and place.kind in IN_CITIES | {"city", "area"}:
        place.suits = tuple(_implied_suits(place))


def _themes_in(value: Json) -> Iterator[tuple[str, float | None, str]]:
    """(word, strength, reason) of every theme or tag in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _themes_in(item)
    elif isinstance(value, dict) and (word := as_text(value.get("theme", value.get("name")))):
        strength = next((values.share(value[key]) for key in _STRENGTHS if key in value), None)
        yield word, strength, next((as_text(value[key]) for key in _REASONS if key in value), "")
    elif isinstance(value, dict):
        for name, inner in value.items():
            strength = None if isinstance(inner, bool) else values.share(inner)
            if strength is not None or inner is True:
                yield name, strength, ""
    else:
        for text in items(value):
            match = _WITH_STRENGTH.fullmatch(text)
            strength = values.share(match[2]) if match else None
            yield (match[1], strength, "") if match and strength is not None else (text, None, "")


_STRENGTHS = ("strength", "score", "weight", "rating")
_REASONS = ("why", "reason", "note")


def _implied_suits(place: PlaceRecord) -> Iterator[Suit]:
    """The themes of a place that states none: of its type, then of the words of its text."""
    of_type = theme_of(place.type)
    found = {of_type: Suit(of_type, TYPE_THEME, place.type)} if of_type else {}
    for term in find_terms(f"{place.name}. {place.description[:600]}", ("theme",)):
        if not term.negated and len(found) < 3:
            found.setdefault(term.name, Suit(term.name, TEXT_THEME, term.text))
    yield from found.values()


def _level(value: Json, name: str) -> str:
    """The level that a price class, a number of stars or a word means; empty for none."""
    text = as_text(value).casefold().replace("-", " ")
    if text and set(text) <= set("$€£ "):
        return ("budget", "mid-range", "luxury")[min(len(text.replace(" ", "")), 3) - 1]
    bare = values.number(value)
    if bare is not None and 0 < bare <= 5:
        middle, top = (3, 4.5) if re.search("star|class", field_key(name)) else (2, 3)
        return "budget" if bare < middle else "mid-range" if bare < top else "luxury"
    return next((level for word, level in _LEVELS.items() if word in text), "")


def _listed(value: Json, _: str) -> Value:
    return tuple(dict.fromkeys(short(text, 120) for text in items(value)))


_READERS: Mapping[str, Callable[[Json, str], Value | None]] = {
    "hours": lambda value, _: values.hours(value),
    "suggested_days": lambda value, _: values.days(value),
    "visit_minutes": values.minutes,
    "best_months": lambda value, _: values.months(value),
    "slots": lambda value, _: values.slots(" ".join(items(value))),
    "effort": lambda value, _: short(as_text(value), 40).lower(),
    "features": _listed,
    "level": _level,
    "offers": _listed,
    "serves": _listed,
    "known_for": _listed,
    "invented": lambda value, _: values.truth(value) or (),
}


def _read_facts(place: PlaceRecord, fields: Fields) -> None:
    for meaning, read in _READERS.items():
        for name, value in fields.each(meaning):
            if meaning == "level" and "star" in field_key(name) and place.kind != "stay":
                fields.others[name] = value
                continue
            found = read(value, name)
            if found not in ((), "", None) and meaning not in place.facts:
                place.facts[meaning] = found
            elif not isinstance(value, list | bool):
                fields.others.setdefault(name, value)


def _read_price(place: PlaceRecord, fields: Fields) -> None:
    said = (as_text(value) for _, value in fields.each("currency"))
    place.currency = next((values.currency(text.upper() or text) for text in said if text), "")
    for name, value in fields.each("price"):
        found = values.price(value, name)
        if found is None and (level := _level(value, name)):
            place.facts.setdefault("level", level)
        if found is not None and place.price is None:
            place.price = found
        else:
            fields.others[name] = value
    if place.price is None and as_text(fields.others.get("fee")).casefold() == "no":
        place.price = Price(amount=0)


def _read_remarks(place: PlaceRecord, fields: Fields) -> None:
    for topic in TOPICS:
        for name, value in fields.each(topic):
            text = tidy(str(value)) if isinstance(value, str) else ""
            if isinstance(value, list):
                text = tidy("; ".join(map(as_text, value)))
            if text and topic not in place.remarks:
                place.remarks[topic] = text
            elif not isinstance(value, bool):
                fields.others.setdefault(name, value)


def _read_attributes(place: PlaceRecord, fields: Fields) -> None:
    """Attributes by fields of yes and no: `wheelchair=no`, `diet:vegetarian=only`."""
    has, lacks = list[str](), list[str]()
    for name, value in fields.others.items():
        attribute = attribute_of(name)
        known = truth_of(as_text(value) or str(value)) if attribute else None
        if known is not None:
            (has if known else lacks).append(attribute)
    given = place.facts.get("features", ())
    if has:
        listed = given if isinstance(given, tuple) else (given,)
        place.facts["features"] = tuple(dict.fromkeys([*map(str, listed), *has]))
    if lacks:
        place.facts["lacks"] = tuple(lacks)


# --- relations ----------------------------------------------------------------------------------


@cache
def relations() -> Mapping[str, Mapping[str, str | float]]:
    """The relations that are known, with their weight and their words in both directions."""
    return {name: entry for name, entry in read_table("relations").items() if name != "reversed"}


@lru_cache(4096)
def relation_of(spelling: str) -> tuple[str, bool]:
    """The name of a relation, and whether the spelling reads from its other end: `has_hotel`."""
    key = re.sub(r"^(?:is|are|was) (?=\S)", "", field_key(spelling).replace("_", " "))
    return _relation_spellings().get(key) or (short(field_key(spelling).upper(), 60), False)


@cache
def _relation_spellings() -> Mapping[str, tuple[str, bool]]:
    found = {
        surface(spelling): (name, True)
        for name, spellings in read_table("relations")["reversed"].items()
        for spelling in spellings
    }
    for name, entry in relations().items():
        for spelling in (name, str(entry["forwards"]), *entry["spelt"]):  # type: ignore[misc]
            found.setdefault(re.sub(r"^is ", "", surface(spelling)), (name, False))
    return found | {"neighbours": ("BORDERS", False), "neighbors": ("BORDERS", False)}


def _stated(fields: Fields) -> Iterator[Stated]:
    """The relations that a record states of its place, in a list or under their own names."""
    for name, value in fields.each("relations"):
        default = "CONNECTED_TO" if field_key(name) in ("connections", "links") else "RELATED_TO"
        for item in value if isinstance(value, list) else items(value):
            spelling = _spelling(item) if isinstance(item, dict) else ""
            relation, backwards = relation_of(spelling) if spelling else (default, False)
            for target, inner in _targets(item):
                yield Stated(relation=relation, target=target, backwards=backwards, fields=inner)
    for name, value in list(fields.others.items()):
        relation, backwards = relation_of(name)
        if relation not in relations() or isinstance(value, bool | int | float):
            continue
        targets = list(_targets(value))
        if targets:
            del fields.others[name]
        for target, inner in targets:
            yield Stated(relation=relation, target=target, backwards=backwards, fields=inner)


def _spelling(record: Mapping[str, Json]) -> str:
    keys = {field_key(name): value for name, value in record.items()}
    return next((text for key in _RELATION_KEYS if (text := as_text(keys.get(key)))), "")


def _targets(value: Json) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The ends that a value names: a list of ids, of objects, or a text that lists them."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            keys = {field_key(name): inner for name, inner in item.items()}
            ends = (reference(keys.get(key)) for key in _TARGET_KEYS)
            if said := next(filter(None, ends), ""):
                yield said, item
        else:
            texts = items(item)
            if all(len(text) <= _LONGEST_REFERENCE and "://" not in text for text in texts):
                yield from ((text, {}) for text in texts)
