"""How are places joined? References are looked up, and relations become passages with weights.

`CONNECTED_TO` is an edge that is searched as text; all other relations are ties that are only
followed. Ends that no file describes are known by their name alone.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from consilience.evidence.loaders.common import one_line
from consilience.evidence.loaders.json_records import Json, flatten, shown
from consilience.evidence.size_limits import short
from consilience.packs.travel import place_values as values
from consilience.packs.travel.geography import distance_km, near_pairs
from consilience.packs.travel.hours import closed_weekdays
from consilience.packs.travel.place_records import (
    SOURCES,
    TARGETS,
    PlaceRecord,
    Stated,
    field_key,
    relations,
)
from consilience.packs.travel.place_values import as_text, meant_currency
from consilience.packs.travel.terms import theme_of
from consilience.types import Block, Locator, Value
from consilience.understand.names import surface

CONNECTED = "CONNECTED_TO"
NEAR_KM, NEAREST = 5.0, 5
"""Sights, stays and places to eat are near where they are among the nearest five within 5 km."""
UNKNOWN_MIN = 240
"""Minutes of a connection of which neither the time nor the distance is known."""
_UNKNOWN_WEIGHT = 0.3
_DETOUR, _FLIGHT_KMH, _AIRPORT_MIN, _FLOWN_KM, _CAR_KMH = 1.3, 700.0, 150, 600, 60.0
_SPEEDS = (
    *(("train", 80.0), ("rail", 80.0), ("bus", 50.0), ("coach", 50.0), ("ferry", 30.0)),
    *(("boat", 30.0), ("ship", 30.0), ("motorbike", 40.0), ("bicycle", 15.0), ("bike", 15.0)),
)
_FLYING = ("flight", "plane", "air", "fly")
_NEAR_KINDS = frozenset({"attraction", "activity", "area", "stay", "food"})
_WHOLE = frozenset({"country", "region", "city"})
_THINGS = {"offers": ("OFFERS", "offer"), "serves": ("SERVES", "dish"),
           "known_for": ("KNOWN_FOR", "thing")}  # fmt: skip
_WAY_FIELDS = {
    "mode": ("mode", "transport", "vehicle", "by", "means", "travel_mode"),
    "minutes": ("minutes", "duration_minutes", "duration_min", "duration", "travel_time", "time",
                "hours", "duration_hours", "travel_minutes", "takes"),
    "price": ("price", "cost", "fare", "price_vnd", "price_usd", "price_eur", "ticket_price"),
    "currency": ("currency", "price_currency", "currency_code"),
    "departures": ("departures", "schedule", "frequency", "timetable", "departs"),
    "overnight": ("overnight", "night", "sleeper"),
    "both_ways": ("both_ways", "bidirectional", "two_way", "return"),
    "km": ("km", "distance_km", "distance", "kilometres"),
    "note": ("note", "notes", "why", "reason", "remark", "description", "text"),
    "operators": ("airline", "operator", "operators", "company"),
    "strength": ("strength", "weight", "score"),
}  # fmt: skip
_MEANINGS = {spelling: name for name, spellings in _WAY_FIELDS.items() for spelling in spellings}
_ENDS = SOURCES | TARGETS | {"relation", "relationship", "type", "kind", "label", "id", "place"}


def slug(name: str) -> str:
    """A name as an id: `hoi-an`."""
    return surface(name).replace(" ", "-")


class Gazetteer:
    """Places by id, by code and by name; the first of an id counts."""

    def __init__(self, places: Iterable[PlaceRecord]) -> None:
        self.places: list[PlaceRecord] = []
        self.unknown: Counter[str] = Counter()
        self._ids: dict[str, PlaceRecord] = {}
        self._names: dict[str, list[tuple[int, PlaceRecord]]] = {}
        for place in places:
            if place.id not in self._ids:
                self._ids[place.id] = place
                self.places.append(place)
                spellings = ((0, place.name), *((1, key) for key in place.keys),
                             *((2, name) for name in place.aliases))  # fmt: skip
                for rank, name in spellings:
                    self._names.setdefault(surface(name), []).append((rank, place))

    def find(self, said: str, kinds: frozenset[str] = frozenset()) -> PlaceRecord | None:
        """The place that a reference means, of these kinds first; None for an unknown one."""
        exact = self._ids.get(said) or self._ids.get(slug(said))
        if exact is not None and (not kinds or exact.kind in kinds):
            return exact
        found = self._names.get(surface(said), ())
        best = min(
            found,
            key=lambda one: (bool(kinds) and one[1].kind not in kinds, one[0], one[1].id),
            default=None,
        )
        if best is None or (kinds and best[1].kind not in kinds):
            return exact or (best[1] if best and not kinds else None)
        return best[1]

    def resolve(self, said: str, kinds: frozenset[str] = frozenset()) -> tuple[str, str, bool]:
        """(id, name, whether it is known) of the place that a reference means."""
        found = self.find(said, kinds)
        if found is not None:
            return found.id, found.name, True
        name = short(one_line(said), 200)
        self.unknown[name] += 1
        is_id = name == name.casefold() and " " not in name
        return name if is_id else slug(name) or name, name, False

    def locate(self, place: PlaceRecord) -> Location:
        """What a place is in; the region of a place in a city is that of the city."""
        nowhere = ("", "", False)
        city = self.resolve(place.city, frozenset({"city", "area"})) if place.city else nowhere
        city = nowhere if city[0] == place.id else city
        region_said = place.region
        if city[2] and not region_said:
            known = self.find(place.city, frozenset({"city", "area"}))
            region_said = known.region or known.country if known else ""
        region = self.resolve(region_said, frozenset({"region"})) if region_said else nowhere
        region = nowhere if region[0] == place.id else region
        said = place.country
        country = self.resolve(said, frozenset({"country"})) if said else nowhere
        country = nowhere if country[0] == place.id else country
        return Location(
            placed=city[2],
            city=city[0],
            city_name=city[1],
            region=region[0] or country[0],
            region_name=region[1],
            country=country[0],
            country_name=country[1],
        )


@dataclass(slots=True, kw_only=True)
class Tie:
    """A relation between two ends, each an id with its name, and what is said of it."""

    source: tuple[str, str]
    relation: str
    target: tuple[str, str]
    strength: float = 1.0
    km: float | None = None
    why: str = ""
    way: dict[str, Value] = field(default_factory=dict)
    others: dict[str, Value] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it another relation than one between the same ends."""
        parts = ("mode", "minutes", "price", "departures", "note")
        way = [str(self.way.get(part, "")) for part in parts]
        return (self.source[0], self.relation, self.target[0], self.why, *way)


class Ties:
    """Collects the relations of a file and writes their passages."""

    def __init__(self, gazetteer: Gazetteer, *, usual: str) -> None:
        self._gazetteer, self._usual = gazetteer, usual
        self._ties: dict[tuple[str, ...], Tie] = {}

    def add(self, tie: Tie) -> None:
        """Take in a relation; the first that says the same counts."""
        if tie.source[0] != tie.target[0]:
            self._ties.setdefault(tie.key, tie)

    def add_fields(self, place: PlaceRecord, where: Location) -> None:
        """Add the relations that follow from the fields of a place: where it is, what it suits."""
        source = (place.id, place.name)
        for relation, target in _places_above(place, where):
            self.add(Tie(source=source, relation=relation, target=target))
        for suit in place.suits:
            target = (f"theme:{suit.theme}", suit.theme)
            tie = Tie(source=source, relation="SUITS", target=target, strength=suit.strength)
            tie.why = suit.why
            self.add(tie)
        months = place.facts.get("best_months")
        for month in months if isinstance(months, tuple) else ():
            target = (f"month:{month}", calendar.month_name[int(month)])
            self.add(Tie(source=source, relation="BEST_IN", target=target))
        for name, (relation, prefix) in _THINGS.items():
            things = place.facts.get(name)
            for thing in things if isinstance(things, tuple) else ():
                target = (f"{prefix}:{surface(str(thing))}", str(thing))
                self.add(Tie(source=source, relation=relation, target=target))

    def add_stated(self, stated: Stated, place: PlaceRecord | None) -> None:
        """Add a relation that a record states, of its place or as a record of its own."""
        way, others = _read_fields(stated, self._usual)
        kinds = _end_kinds(stated.relation, str(way.get("mode", "")))
        source = (place.id, place.name) if place else ("", "")
        if stated.source:
            source = self._gazetteer.resolve(stated.source, kinds)[:2]
        target = _thing(stated) or self._gazetteer.resolve(stated.target, kinds)[:2]
        if stated.backwards:
            source, target = target, source
        strength, km = way.pop("strength", 1.0), way.pop("km", None)
        is_way = stated.relation == CONNECTED
        tie = Tie(
            source=source,
            relation=stated.relation,
            target=target,
            strength=strength if isinstance(strength, float) else 1.0,
            km=km if isinstance(km, float) else None,
            why="" if is_way else str(way.get("note", "")),
            way=way if is_way else {},
            others=others,
        )
        self._measure(tie)
        if is_way:
            self._time(tie)
            self._pair(tie)
        self.add(tie)

    def _measure(self, tie: Tie) -> None:
        """Give a stated nearness its distance."""
        if tie.relation == "NEAR" and tie.km is None:
            tie.km = self._distance(tie)
            tie.strength = _nearness(tie.km) if tie.km is not None else tie.strength

    def _distance(self, tie: Tie) -> float | None:
        ends = [self._gazetteer.find(end[0]) for end in (tie.source, tie.target)]
        points = [end.point for end in ends if end is not None and end.point is not None]
        return distance_km(points[0], points[1]) if len(points) == 2 else None

    def _time(self, tie: Tie) -> None:
        """Estimate the minutes of a connection that says none, and mark them as computed."""
        way = tie.way
        if "minutes" in way:
            return
        straight = self._distance(tie)
        way["computed"] = True
        if tie.km is None and straight is None:
            way["minutes"] = UNKNOWN_MIN
            return
        km = tie.km if tie.km is not None else (straight or 0.0) * _DETOUR
        mode = str(way.setdefault("mode", "flight" if km > _FLOWN_KM * _DETOUR else "car"))
        tie.km = tie.km if tie.km is not None else straight
        way["minutes"] = estimate_minutes(km, mode)

    def _pair(self, tie: Tie) -> None:
        """A connection goes both ways unless it says otherwise or the way back is there as well."""
        key = (tie.target[0], tie.relation, tie.source[0], *tie.key[3:])
        before = self._ties.get(key)
        if before is not None and "both_ways" not in tie.way:
            before.way["both_ways"] = False
            tie.way["both_ways"] = False
        tie.way.setdefault("both_ways", True)

    def add_near(self, own: Sequence[PlaceRecord], beside: Sequence[PlaceRecord]) -> None:
        """Add what is near each place of the file, by coordinates."""
        stated = {
            frozenset((tie.source[0], tie.target[0]))
            for tie in self._ties.values()
            if tie.relation == "NEAR"
        }
        places = {place.id: place for place in (*beside, *own) if place.kind in _NEAR_KINDS}
        points = {key: place.point for key, place in places.items() if place.point is not None}
        mine = [place.id for place in own if place.id in points]
        for first, second, km in near_pairs(mine, points, km=NEAR_KM, most=NEAREST):
            if frozenset((first, second)) not in stated:
                ends = [(key, places[key].name) for key in (first, second)]
                tie = Tie(source=ends[0], relation="NEAR", target=ends[1], km=km)
                tie.strength = _nearness(km)
                self.add(tie)

    def blocks(self) -> Iterator[Block]:
        """The passages of all relations, connections first."""
        for tie in sorted(self._ties.values(), key=lambda tie: tie.relation != CONNECTED):
            yield _block(tie)

    def notes(self, founded: Sequence[PlaceRecord]) -> Iterator[str]:
        """Which places no file describes."""
        if founded:
            names = ", ".join(repr(place.name) for place in founded[:5])
            yield f"{len(founded):,} places are known only from what is in them: {names}"
        unknown = self._gazetteer.unknown
        if unknown:
            names = ", ".join(repr(name) for name, _ in unknown.most_common(5))
            yield f"{len(unknown):,} names of places that no file here describes: {names}"


def estimate_minutes(km: float, mode: str) -> int:
    """How long a way of so many kilometres takes by a means of travel, roughly."""
    if any(word in mode for word in _FLYING):
        return _AIRPORT_MIN + round(km / _DETOUR / _FLIGHT_KMH * 60)
    speed = next((speed for word, speed in _SPEEDS if word in mode), _CAR_KMH)
    return max(5, 5 * round(km / speed * 12))


def _nearness(km: float) -> float:
    """1 next door, a half at the end of what is near."""
    return max(0.5, 1 - km / NEAR_KM / 2)


def _places_above(place: PlaceRecord, where: Location) -> Iterator[tuple[str, tuple[str, str]]]:
    if where.city:
        relation = "PART_OF" if place.kind in _WHOLE else "LOCATED_IN"
        yield relation, (where.city, where.city_name)
    if where.placed and place.kind not in _WHOLE:
        return  # the city itself says what it is part of
    if where.region_name:
        yield "PART_OF", (where.region, where.region_name)
    if where.country and where.country != where.region:
        yield "PART_OF", (where.country, where.country_name)


def _thing(stated: Stated) -> tuple[str, str] | None:
    """What is no place: a theme, something offered, a dish."""
    name = one_line(stated.target)
    if stated.relation == "SUITS":
        theme = theme_of(name)
        return (f"theme:{theme}", theme) if theme else (f"tag:{surface(name)}", name)
    prefix = next((prefix for rel, prefix in _THINGS.values() if rel == stated.relation), "")
    return (f"{prefix}:{surface(short(name, 120))}", name) if prefix else None


def _end_kinds(relation: str, mode: str) -> frozenset[str]:
    if relation == CONNECTED:
        return frozenset({"airport", "city"} if mode in _FLYING else {"city"})
    kind = {"BORDERS": "country", "LOCATED_IN": "city", "DAY_TRIP_FROM": "city"}.get(relation)
    return frozenset({kind}) if kind else frozenset()


def _read_fields(stated: Stated, usual: str) -> tuple[dict[str, Value], dict[str, Value]]:
    """What is said of a relation, by meaning, and the rest."""
    way: dict[str, Value] = {}
    rest: dict[str, Json] = {}
    for name, value in stated.fields.items():
        key = field_key(name)
        meaning = _MEANINGS.get(key, "")
        if value in (None, "") or (key in _ENDS and not meaning):
            continue
        found = _read_field(meaning, value, name) if meaning else None
        if found is None or meaning in way:
            rest[name] = value
        else:
            way |= found if isinstance(found, dict) else {meaning: found}
    if stated.relation == CONNECTED:
        kinds = (
            as_text(stated.fields[name]) for name in stated.fields if field_key(name) == "type"
        )
        kind = next((text for text in kinds if text), "").casefold()
        if kind and "mode" not in way and field_key(kind) != "connected_to":
            way["mode"] = kind
        if re.search(r"\b(?:night|overnight|sleeper)\b", str(way.get("mode", ""))):
            way.setdefault("overnight", True)
    if "price" in way and (code := values.meant_currency(str(way.get("currency", "")), usual)):
        way["currency"] = code
    return way, flatten(rest)


def _read_field(meaning: str, value: Json, name: str) -> Value | dict[str, Value] | None:
    if meaning == "price":
        price = values.price(value, name)
        if price is None:
            return None
        named: dict[str, Value] = {"currency": price.currency} if price.currency else {}
        return {"price": price.amount, **named}
    if meaning in ("overnight", "both_ways"):
        return values.truth(value)
    if meaning == "minutes":
        return values.minutes(value, name)
    if meaning == "strength":
        return values.share(value)
    text = one_line(as_text(value))
    if meaning == "km":
        return values.number(text.casefold().removesuffix("km").strip())
    return (text.casefold() if meaning == "mode" else text) or None


def _block(tie: Tie) -> Block:
    """The passage of a relation: an edge for a way to travel, else a tie."""
    known = relations().get(tie.relation)
    words = str(known["forwards"]) if known else tie.relation.replace("_", " ").lower()
    weight = (float(known["weight"]) if known else _UNKNOWN_WEIGHT) * tie.strength
    fields: dict[str, Value] = {
        **tie.others,
        "source": tie.source[0],
        "relation": tie.relation,
        "target": tie.target[0],
        "source_name": tie.source[1],
        "target_name": tie.target[1],
        "weight": round(weight, 4),
        **tie.way,
    }
    if tie.km is not None:
        fields["km"] = round(tie.km, 2)
    if tie.why:
        fields["why"] = tie.why
    text = f"{tie.source[1]} → ({words}) → {tie.target[1]}"
    details = "; ".join(_details(tie))
    return Block(
        text=f"{text}: {details}" if details else text,
        locator=Locator(node=f"{tie.source[1]} → {tie.target[1]}"),
        kind="edge" if tie.relation == CONNECTED else "tie",
        whole=True,
        metadata=fields,
    )


def _details(tie: Tie) -> Iterator[str]:
    way: Mapping[str, Value] = tie.way
    if mode := way.get("mode"):
        yield f"by {mode}"
    if isinstance(minutes := way.get("minutes"), int):
        spent = duration_in_words(minutes)
        if not way.get("computed"):
            yield spent
        elif tie.km is None:
            yield f"how long it takes is not known; {spent} is assumed"
        else:
            yield f"about {spent}, computed from the distance"
    if isinstance(price := way.get("price"), int | float):
        yield amount_in_words(price, str(way.get("currency", ""))) if price else "free of charge"
    if operators := way.get("operators"):
        yield f"with {operators}"
    if departures := way.get("departures"):
        yield f"departures {departures}"
    if way.get("overnight"):
        yield "overnight"
    if tie.km is not None:
        yield f"{tie.km:.1f} km"
    if note := tie.why or str(way.get("note", "")):
        yield note


# --- passages of places ----------------------------------------


_ROOM = 228  # tokens of a passage that a small encoder reads, less its headings
_LONGEST = 3600  # letters of a place's text; encoders count one for sixteen at least
DETAILS = "Details"
"""The heading of what of a place's text is searched apart from it."""
_SUITS = "Suits "
_LISTS = ("Known for", "Offers", "Serves", "Tags", "Codes")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_PIECES = re.compile(r"[^\W\d_]+|\d{1,3}|[^\w\s]")
_OTHER_NAMES = 6  # that are told in the text
_OTHER_FIELDS = 12
_SHORT = 80  # letters of a field that is told in the text
_TOPICS = {
    "season": "weather and season",
    "getting_around": "getting around",
    "safety": "safety",
    "booking": "booking",
}
_KINDS = {"stay": "place to stay", "food": "place to eat", "other": ""}
_NOT_SHOWN = re.compile(r"://|@|\.(?:jpe?g|png|svg)$|^#[0-9a-f]{6}$", re.IGNORECASE)
_ABSTRACT = re.compile(
    r"(?:^|[._ ])(?:id|url|code|timezone|lastedit|wikidata|flag|tld|image)$", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """What a place is in, by ids and by names; empty where it is not said.

    `placed` says whether a file tells of that city, and so of what it is part of.
    """

    placed: bool = False
    city: str = ""
    city_name: str = ""
    region: str = ""
    region_name: str = ""
    country: str = ""
    country_name: str = ""

    @property
    def names(self) -> str:
        """`Hue, Central Vietnam`."""
        names = (self.city_name, self.region_name, self.country_name)
        return ", ".join(dict.fromkeys(filter(None, names)))


def place_blocks(place: PlaceRecord, where: Location, *, usual: str) -> Iterator[Block]:
    """The passage of a place, and what of its text is too long to be searched in one passage.

    `usual` is the currency of prices that name none.
    """
    lines = [line for line in _lines(place, where, usual) if line]
    searched, rest = _search_text(lines, place)
    text = "\n".join(lines)
    if len(text) > _LONGEST:  # the rest of it is told below
        text = searched
    yield Block(
        text=text,
        locator=Locator(section=(place.name,)),
        kind="place",
        whole=True,
        metadata=_fields(place, where, usual),
        search=searched if searched != text else "",
    )
    if rest:
        yield Block(
            text=rest,
            locator=Locator(section=(place.name, DETAILS)),
            kind="text",
            metadata={"about": place.id, "topic": DETAILS.lower()},
        )


def _search_text(lines: Sequence[str], place: PlaceRecord) -> tuple[str, str]:
    """What of a place's text is searched as its own passage, and the rest; the rest may be none.

    The first line and the description come first, then facts, the shortest to tell before lists.
    """
    if sum(map(_size, lines)) <= _ROOM:
        return "\n".join(lines), ""
    suits = [line for line in lines[1:] if line.startswith(_SUITS)]
    facts = [line for line in lines[1:] if line != place.description and line not in suits]
    brief = [f"{_SUITS}{', '.join(item.theme for item in place.suits)}."] if place.suits else []
    facts.sort(key=lambda line: line.startswith(_LISTS))
    prose, kept, rest = [lines[0]], list[str](), list[str]()
    room = _ROOM - _size(lines[0]) - sum(map(_size, brief))
    full = False
    for sentence in filter(None, _SENTENCES.split(place.description)):
        full = full or _size(sentence) > room
        (rest if full else prose).append(sentence)
        room -= 0 if full else _size(sentence)
    for line in facts:
        fits = _size(line) <= room
        (kept if fits else rest).append(line)
        room -= _size(line) if fits else 0
    kept = [*brief, *kept]
    return "\n".join([prose[0], " ".join(prose[1:]), *kept]), "\n".join([*rest, *suits])


def _size(text: str) -> int:
    """About how many tokens a text has, as encoders of words' pieces count; rather too many."""
    return sum(
        1 + (len(word) - 1) // 6 if word.isascii() else 1 + len(word)
        for word in _PIECES.findall(text)
    )


def remark_blocks(place: PlaceRecord) -> Iterator[Block]:
    """What is told of a place besides what it is: each topic a passage of its own."""
    for topic, text in place.remarks.items():
        yield Block(
            text=text,
            locator=Locator(section=(place.name, _TOPICS[topic])),
            kind="text",
            whole=True,
            metadata={"about": place.id, "topic": topic},
        )


# --- fields -------------------------------------------------------------------------------


def _fields(place: PlaceRecord, where: Location, usual: str) -> dict[str, Value]:
    fields: dict[str, Value] = {
        "node": place.id,
        "name": place.name,
        "node_kind": place.kind,
    }
    pairs: tuple[tuple[str, Value], ...] = (
        ("aliases", place.aliases),
        ("type", place.type),
        ("city", where.city),
        ("region", where.region),
        ("country", where.country),
        ("tags", place.tags),
    )
    fields |= {name: value for name, value in pairs if value}
    if place.point is not None:
        fields |= {"lat": place.point.lat, "lon": place.point.lon}
    if place.suits:
        fields["themes"] = tuple(item.theme for item in place.suits)
        fields["strengths"] = tuple(item.strength for item in place.suits)
        fields["whys"] = tuple(item.why for item in place.suits)
    if place.price is not None:
        fields["price"] = place.price.amount
        if currency := currency_of(place, usual):
            fields["currency"] = currency
        if place.price.words:
            fields["price_text"] = place.price.words
    elif place.currency:
        fields["currency"] = place.currency
    fields |= place.facts
    return fields | {name: item for name, item in place.others.items() if name not in fields}


def currency_of(place: PlaceRecord, usual: str) -> str:
    """The currency of a place's price: what it says itself, else the usual one."""
    said = place.price.currency if place.price is not None else ""
    return meant_currency(said, place.currency or usual)


# --- words --------------------------------------------------------------------------------


def _lines(place: PlaceRecord, where: Location, usual: str) -> Iterator[str]:
    yield _opening(place, where)
    yield place.description
    if place.suits:
        suits = (f"{item.theme} ({item.why})" if item.why else item.theme for item in place.suits)
        yield f"{_SUITS}{'; '.join(suits)}."
    yield from _list_line("Tags", place.tags)
    yield from _facts(place, usual)
    others = [line for name, value in place.others.items() if (line := _other_line(name, value))]
    if others:
        yield "; ".join(others[:_OTHER_FIELDS]) + "."


def _opening(place: PlaceRecord, where: Location) -> str:
    others = [item for item in place.aliases if item not in place.name]
    plain = sorted(others, key=lambda item: (not item.isascii(), len(item)))
    chosen = [item for item in others if item in plain[:_OTHER_NAMES]][:_OTHER_NAMES]
    names = f"{place.name} ({', '.join(chosen)})" if chosen else place.name
    kind = place.type or _KINDS.get(place.kind, place.kind)
    if not place.description and where.names:  # the only sentence there is
        return f"{names} is in {where.names}{f' ({kind})' if kind else ''}."
    words = " in ".join(filter(None, (kind, where.names)))
    if not kind and words:
        words = f"in {words}"
    return f"{names}. {words[:1].upper()}{words[1:]}." if words else f"{names}."


def _facts(place: PlaceRecord, usual: str) -> Iterator[str]:
    facts = place.facts
    yield from _list_line("Known for", facts.get("known_for"))
    yield from _list_line("Offers", facts.get("offers"))
    yield from _list_line("Serves", facts.get("serves"))
    if months := facts.get("best_months"):
        yield f"Best in {months_in_words(_numbers(months))}."
    if stay := _numbers(facts.get("suggested_days")):
        ends = dict.fromkeys(map(str, (stay[0], stay[-1])))
        yield f"Stay {' to '.join(ends)} day{'' if stay[-1] == 1 else 's'}."
    yield " ".join(filter(None, (_hours(facts), _visit(facts))))
    yield _price(place, usual)
    for name in ("level", "effort"):
        yield from _list_line(name.capitalize(), facts.get(name))
    yield from _list_line("Features", facts.get("features"))
    yield from _list_line("Codes", facts.get("codes"))
    if facts.get("invented"):
        yield "An invented example, not a real business."


def _list_line(label: str, value: Value | None) -> Iterator[str]:
    if value:
        items = value if isinstance(value, tuple) else (value,)
        yield f"{label}: {', '.join(map(str, items))}."


def _numbers(value: Value | None) -> tuple[int, ...]:
    found = value if isinstance(value, tuple) else () if value is None else (value,)
    return tuple(int(item) for item in found)


def months_in_words(months: Sequence[int]) -> str:
    """`February to May and November`; runs joined, also over the end of the year."""
    given = sorted(set(months))
    runs: list[list[int]] = []
    for month in given:
        if runs and month == runs[-1][-1] + 1:
            runs[-1].append(month)
        else:
            runs.append([month])
    if len(runs) > 1 and runs[0][0] == 1 and runs[-1][-1] == 12:
        runs[-1].extend(runs.pop(0))
    names = [
        " to ".join(dict.fromkeys(calendar.month_name[item] for item in (run[0], run[-1])))
        for run in runs
    ]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _hours(facts: dict[str, Value]) -> str:
    hours = str(facts.get("hours", ""))
    if not hours:
        return ""
    if hours == "24/7":
        return "Open day and night."
    closed = [calendar.day_name[item] for item in closed_weekdays(hours)]
    return f"Open {hours}." + (f" Closed on {', '.join(closed)}." if closed else "")


def _visit(facts: dict[str, Value]) -> str:
    spent = _numbers(facts.get("visit_minutes"))
    slots = facts.get("slots")
    told = f"A visit takes about {duration_in_words(spent[0])}." if spent else ""
    if isinstance(slots, tuple) and slots:
        told = f"{told} Good in the {', '.join(map(str, slots))}.".strip()
    return told


def duration_in_words(minutes: int) -> str:
    """`2 h 40 min`."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours)
    return " ".join(parts)


def amount_in_words(amount: float, currency: str) -> str:
    """`120,000 VND`."""
    return f"{Decimal(str(amount)):,} {currency}".strip()


def _price(place: PlaceRecord, usual: str) -> str:
    if place.price is None:
        return ""
    if place.price.amount == 0:
        return "Free of charge."
    words = place.price.words
    told = amount_in_words(place.price.amount, currency_of(place, usual))
    per = {"stay": " for a room and night", "food": " for a meal"}.get(place.kind, "")
    said = f" ({words})" if words and re.sub(r"\W", "", words) != re.sub(r"\W", "", told) else ""
    return f"Price: {told}{per}{said}."


def _other_line(name: str, value: Value) -> str:
    text = shown(value)
    if value is False or len(text) > _SHORT or _NOT_SHOWN.search(text) or _ABSTRACT.search(name):
        return ""
    label = re.sub(r"[._]+", " ", name).strip()
    return f"{short(label, 60).capitalize()}: {text}"
