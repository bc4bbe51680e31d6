"""Which places are there, what is known of them, and how does one get from one to another?

An atlas is made from the passages of a workspace and held in memory, so that whatever is planned
can be cited. Names are compared as `surface` spells them; a connection goes both ways where its
passage says so. Regions, coasts, islands and what is near come from areas, coordinates, kinds and
texts of the places themselves.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, lru_cache
from itertools import count
from typing import Any, Literal, TypeVar

from consilience.packs.travel.geography import Point, distance_km
from consilience.packs.travel.money import RATES, rate, rounded
from consilience.packs.travel.terms import Lexicon, attributes, is_absent, plain, read_table, tokens
from consilience.types import Passage, Value
from consilience.understand.names import surface

CITY = "city"
SIGHTS = frozenset({"attraction", "activity", "area"})
STAY = "stay"
FOOD = "food"
TOPICS = ("season", "getting_around", "safety", "booking")
"""What is said of a place besides what it is; each topic is a passage of its own."""
CHANGE_MIN = 30
"""Minutes that a change from one connection to the next takes."""
_UPWARDS = ("LOCATED_IN", "PART_OF")
_KNOWN_FIELDS = frozenset(
    (
        *("node", "name", "node_kind", "aliases", "type", "city", "region", "country", "tags"),
        *("lat", "lon", "themes", "strengths", "whys", "price", "currency", "price_text", "hours"),
        *("visit_minutes", "slots", "best_months", "effort", "features", "lacks", "level"),
        *("suggested_days", "offers", "serves", "known_for", "invented", "codes", "computed"),
    )
)
_SIDES = {
    "north": (1, 0), "south": (-1, 0), "east": (0, 1), "west": (0, -1),
    "northern": (1, 0), "southern": (-1, 0), "eastern": (0, 1), "western": (0, -1),
    "centre": (0, 0), "center": (0, 0), "central": (0, 0), "middle": (0, 0),
}  # fmt: skip
_SETTINGS = {
    "sea": ("sea", "beach*", "coast*", "seaside", "seafront", "ocean", "bay"),
    "island": ("island*", "isle", "archipelago"),
    "mountains": ("mountain*", "peak", "summit*", "highland*", "hills", "mountainous"),
    "lake": ("lake*",),
    "river": ("river*", "riverside", "delta"),
    "desert": ("desert*", "dune*"),
    "forest": ("forest*", "jungle*", "rainforest*", "woods"),
    "countryside": ("countryside", "village*", "rural", "rice field*", "farm*", "vineyard*"),
}
"""Surroundings that a place may have, with the words of its own text and types that say so."""
_BY_SIGHTS = frozenset({"sea", "lake", "desert"})
"""Surroundings that a city has where one of its sights is of that type."""
_IS_ISLAND = re.compile(r"\b(?:is|on)\s+(?:an|the|a)\b[^.,;:]{0,40}\bisland\b")
_OPENING_WORDS = 90

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as its passages describe it.

    `kind` is country, region, city, area, attraction, activity, stay, food, airport or other, and
    `type` says it more exactly (pagoda, hostel). `city`, `region` and `country` are ids, empty for
    none. `price` is for one person, of a stay for a room and a night; None where it is not known.
    `minutes` is how long a visit takes, 0 where it is not known. `months` are those it is best in,
    none for all. `themes` have a strength from 0 to 1, and `whys` a reason. `features` are
    attributes that it has by its fields, `lacks` those that it has not; what is in neither is read
    by `fact`. `fields` are those of the file that have no meaning here, and `texts` all that is
    written about it, each with the id of its passage.
    """

    id: str
    name: str
    kind: str
    passage: str
    type: str = ""
    city: str = ""
    region: str = ""
    country: str = ""
    point: Point | None = None
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    themes: Mapping[str, float] = field(default_factory=dict)
    whys: Mapping[str, str] = field(default_factory=dict)
    price: Decimal | None = None
    currency: str = ""
    price_text: str = ""
    hours: str = ""
    minutes: int = 0
    slots: tuple[str, ...] = ()
    months: tuple[int, ...] = ()
    effort: str = ""
    features: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    level: str = ""
    days: tuple[int, ...] = ()
    offers: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    known_for: tuple[str, ...] = ()
    invented: bool = False
    fields: Mapping[str, Value] = field(default_factory=dict)
    text: str = ""
    texts: tuple[tuple[str, str], ...] = ()

    def fact(self, name: str) -> Fact | None:
        """What is known of it under a name; None where nobody says: unknown is not yes."""
        return read_fact(self, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A way from one place to another that a passage describes.

    `computed` minutes are estimated from the distance, since nobody says them. A price of None is
    not known.
    """

    start: str
    end: str
    mode: str
    minutes: int
    price: Decimal | None
    passage: str
    currency: str = ""
    overnight: bool = False
    departures: str = ""
    note: str = ""
    computed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A relation between two places, or a place and a theme, month or thing it offers."""

    source: str
    relation: str
    target: str
    passage: str
    weight: float = 1.0
    km: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a passage says of a place on one of `TOPICS`."""

    text: str
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Words of a text that name places of the atlas: `text[start:end]`, cities first."""

    places: tuple[str, ...]
    text: str
    start: int
    end: int


@dataclass(slots=True)
class Atlas:
    """All places by id, and what joins them.

    `currency` is that of most prices, empty where there is none, and `rates` are units of
    currencies for one dollar.
    """

    places: dict[str, Place] = field(default_factory=dict)
    connections: dict[tuple[str, str], list[Connection]] = field(default_factory=dict)
    ties: dict[str, list[Tie]] = field(default_factory=dict)
    remarks: dict[tuple[str, str], list[Remark]] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    rates: Mapping[str, Decimal] = field(default_factory=lambda: RATES)
    currency: str = ""
    _derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, passages: Iterable[Passage], *, rates: Mapping[str, Decimal] | None = None
    ) -> Atlas:
        """The atlas that passages describe; the first passage of a place counts.

        All prices are in one currency, that of most of them: others are converted by the `rates`,
        and not known where there is none.
        """
        atlas = cls(rates=rates or RATES)
        about: dict[str, list[tuple[str, str]]] = {}
        for passage in passages:
            fields = passage.metadata
            if passage.kind == "place" and str(fields.get("node", "")) not in atlas.places:
                atlas._add_place(read_place(passage))
            elif "about" in fields and "topic" in fields:
                place, topic = str(fields["about"]), str(fields["topic"])
                remark = Remark(text=passage.text, passage=passage.id)
                atlas.remarks.setdefault((place, topic), []).append(remark)
                about.setdefault(place, []).append((passage.text, passage.id))
            elif fields.get("relation") == "CONNECTED_TO" and fields.get("minutes") is not None:
                atlas._add_connection(passage)
            elif passage.kind in ("tie", "edge") and "relation" in fields:
                tie = read_tie(passage)
                atlas.ties.setdefault(tie.source, []).append(tie)
        for key, texts in about.items():
            if known := atlas.places.get(key):
                atlas.places[key] = replace(known, texts=(*known.texts, *texts))
        atlas._unify_prices()
        return atlas

    def _add_place(self, place: Place) -> None:
        self.places[place.id] = place
        for name in dict.fromkeys(map(surface, (place.name, *place.names))):
            self.named.setdefault(name, []).append(place.id)
        if place.city:
            self.inside.setdefault(place.city, []).append(place.id)

    def _add_connection(self, passage: Passage) -> None:
        there = read_connection(passage, backwards=False)
        self.connections.setdefault((there.start, there.end), []).append(there)
        if passage.metadata.get("both_ways", True):
            back = read_connection(passage, backwards=True)
            self.connections.setdefault((back.start, back.end), []).append(back)

    def _unify_prices(self) -> None:
        """Find the usual currency, and convert every price to it."""
        ways = [way for ways in self.connections.values() for way in ways]
        counts = Counter(place.currency for place in self.places.values() if place.price)
        counts += Counter(way.currency for way in ways if way.price)
        counts.pop("", None)
        self.currency = max(sorted(counts), key=lambda name: counts[name], default="")
        for key, place in self.places.items():
            if place.price is not None and place.currency not in ("", self.currency):
                price = self.convert(place.price, place.currency)
                self.places[key] = replace(place, price=price, currency=self.currency)
        for found in self.connections.values():
            found[:] = [
                replace(
                    way,
                    price=self.convert(way.price, way.currency),
                    currency=self.currency,
                )
                if way.price is not None and way.currency not in ("", self.currency)
                else way
                for way in found
            ]

    def convert(self, amount: Decimal, currency: str) -> Decimal | None:
        """An amount in the atlas's currency; None where there is no rate."""
        factor = rate(currency, self.currency, self.rates)
        return rounded(amount * factor, self.currency) if factor else None

    def derive(self, name: str, make: Callable[[Atlas], Made]) -> Made:
        """Something made of all places, once: an atlas does not change after it is read."""
        if name not in self._derived:
            self._derived[name] = make(self)
        made: Made = self._derived[name]
        return made

    # --- places -------------------------------------------------------------------------

    def find(self, name: str) -> tuple[str, ...]:
        """The places of a name, cities first."""
        found = self.named.get(surface(name), ())
        return tuple(sorted(found, key=lambda key: (self.places[key].kind != CITY, key)))

    def find_names(self, text: str) -> list[Naming]:
        """The places that a text names, the longest name at each word, in the text's order.

        Codes of airports (`SGN`) name their city where they are in capitals.
        """
        lexicon, codes = self.derive("names", _name_lexicon), self.derive("codes", _codes)
        found = [(keys, start, end) for keys, start, end in lexicon.find(text)]
        found += [
            (codes[match[0]], match.start(), match.end())
            for match in re.finditer(r"\b[A-Z]{3}\b", text)
            if match[0] in codes
        ]
        return [
            Naming(
                places=tuple(sorted(keys, key=lambda key: (self.places[key].kind != CITY, key))),
                text=text[start:end],
                start=start,
                end=end,
            )
            for keys, start, end in sorted(found, key=lambda name: name[1])
        ]

    def name_of(self, place: str) -> str:
        """What a place is called; an unknown one, as its id is spelt."""
        known = self.places.get(place)
        return known.name if known else place

    def cities(self) -> tuple[Place, ...]:
        """The places one can stay in, by id."""
        return tuple(place for _, place in sorted(self.places.items()) if place.kind == CITY)

    def within(self, city: str, kinds: Iterable[str] = SIGHTS) -> tuple[Place, ...]:
        """The places of some kinds in a city, or in an area of it, by id."""
        wanted, ids = frozenset(kinds), list(self.inside.get(city, ()))
        areas = [key for key in ids if self.places[key].kind == "area"]
        ids += [key for area in areas for key in self.inside.get(area, ())]
        return tuple(
            self.places[key] for key in sorted(set(ids)) if self.places[key].kind in wanted
        )

    def city_of(self, place: str) -> str:
        """The city that a place is in, or is itself; empty for none."""
        seen = set[str]()
        while place and place not in seen:
            seen.add(place)
            known = self.places.get(place)
            if known is None:
                return ""
            if known.kind == CITY:
                return place
            place = known.city
        return ""

    def lies_in(self, place: str, whole: str) -> bool:
        """Whether a place is another one or lies in it: a sight in a region of a country."""
        waiting, seen = [place], set[str]()
        while waiting:
            here = waiting.pop()
            if here == whole:
                return True
            if here in seen:
                continue
            seen.add(here)
            known = self.places.get(here)
            upwards = (known.city, known.region, known.country) if known else ()
            waiting += [key for key in upwards if key]
            waiting += [tie.target for tie in self.ties.get(here, ()) if tie.relation in _UPWARDS]
        return False

    def remark(self, place: str, topic: str) -> Remark | None:
        """What is said of a place on a topic; None for nothing."""
        return next(iter(self.remarks.get((place, topic), ())), None)

    # --- where places are -----------------------------------------------------------------

    def km(self, place: str, other: str) -> float | None:
        """How far apart two places are; None where one of them has no coordinates."""
        points = [self.places[key].point if key in self.places else None for key in (place, other)]
        if points[0] is None or points[1] is None:
            return None
        return distance_km(points[0], points[1])

    def cities_in(self, whole: str) -> tuple[str, ...]:
        """The cities that lie in a region, a country or an area."""
        return tuple(city.id for city in self.cities() if self.lies_in(city.id, whole))

    def side(self, word: str) -> tuple[str, ...]:
        """The cities of a part of the map: `north`, `southern`, `centre`; none for other words.

        A region that is named so comes first. Otherwise coordinates decide: the third of the cities
        that lies furthest in that direction, for the centre the third in the middle from north to
        south or, in a country that is wider than high, from west to east.
        """
        word = plain(word)
        if word not in _SIDES:
            return ()
        stem = word[:5] if word[:5] in ("north", "south") else word[:4]
        stem = "cent" if stem in ("cent", "midd") else stem
        regions = [
            place.id
            for _, place in sorted(self.places.items())
            if place.kind == "region"
            and any(
                part.startswith(stem)
                for name in (place.name, *place.names)
                for part in plain(name).split()
            )
        ]
        named = {city for region in regions for city in self.cities_in(region)}
        return tuple(sorted(named)) if named else self._third(_SIDES[word])

    def _third(self, side: tuple[int, int]) -> tuple[str, ...]:
        points = [(city.point, city.id) for city in self.cities() if city.point is not None]
        if len(points) < 3:
            return ()
        lats, lons = [point.lat for point, _ in points], [point.lon for point, _ in points]
        tall = max(lats) - min(lats) >= max(lons) - min(lons)
        axis = 0 if side[0] or (side == (0, 0) and tall) else 1
        ordered = [key for _, key in sorted((point[axis], key) for point, key in points)]
        third = max(1, round(len(ordered) / 3))
        if side == (0, 0):
            return tuple(sorted(ordered[third:-third]))
        return tuple(sorted(ordered[-third:] if 1 in side else ordered[:third]))

    def setting(self, place: str, name: str) -> Fact | None:
        """Whether a place is by the sea, on an island, in the mountains …, by what is said of it.

        For a city the places in it count as well: where there is a beach, there is the sea. None
        where nothing says so. `name` is a key of `SETTINGS`.
        """
        known = self.places.get(place)
        if known is None or name not in _SETTINGS:
            return None
        return self.derive(
            f"setting {name} {place}", lambda atlas: atlas._read_setting(known, name)
        )

    def _read_setting(self, place: Place, name: str) -> Fact | None:
        lexicon = Lexicon({name: _SETTINGS[name]})
        types = "; ".join(filter(None, (place.type, *place.tags)))
        if any(True for _ in lexicon.find(types)):
            return Fact(value=True, source="type", quote=types, passage=place.passage)
        opening = " ".join(place.text.split()[:_OPENING_WORDS])
        if name == "island":
            match = _IS_ISLAND.search(opening)
            quote = match[0] if match else ""
        elif name == "sea" and (island := self._read_setting(place, "island")):
            return island
        else:
            for other in self._sights_of(place) if name in _BY_SIGHTS else ():
                if lexicon.names(other.type):
                    quote = f"{other.name}: {other.type}"
                    return Fact(value=True, source="type", quote=quote, passage=other.passage)
            quote = next((_sentence(opening, at, end) for _, at, end in lexicon.find(opening)), "")
        return (
            Fact(value=True, source="text", quote=quote, passage=place.passage) if quote else None
        )

    def _sights_of(self, place: Place) -> list[Place]:
        if place.kind != CITY:
            return []
        return [other for other in self.within(place.id) if not self.is_day_trip(other.id)]

    def cities_of(self, phrase: str) -> tuple[str, ...]:
        """The cities that a phrase for a part of the map means; none where it means none.

        A region, country or area by its name; a side (`the north`); surroundings (`the coast`,
        `islands`, `mountains`).
        """
        bare = re.sub(r"^the ", "", plain(phrase).strip())
        for key in (*self.find(phrase), *self.find(bare)):
            if self.places[key].kind in ("region", "country", "area") and self.cities_in(key):
                return self.cities_in(key)
        if cities := self.side(bare):
            return cities
        names = Lexicon(_SETTINGS).names(bare)
        return tuple(
            city.id for city in self.cities() if any(self.setting(city.id, name) for name in names)
        )

    def is_day_trip(self, place: str) -> bool:
        """Whether a place is a day trip from its city rather than in it."""
        return any(tie.relation == "DAY_TRIP_FROM" for tie in self.ties.get(place, ()))

    # --- ways ---------------------------------------------------------------------------

    def modes(self) -> tuple[str, ...]:
        """The means of travel that connections have."""
        return tuple(sorted({way.mode for ways in self.connections.values() for way in ways}))

    def direct(
        self, start: str, end: str, avoiding: frozenset[str] = frozenset()
    ) -> tuple[Connection, ...]:
        """The connections from one place to another, the fastest first."""
        found = [way for way in self.connections.get((start, end), ()) if way.mode not in avoiding]
        return tuple(sorted(found, key=lambda way: (way.minutes, way.price or 0, way.passage)))

    def fastest(
        self, start: str, end: str, avoiding: frozenset[str] = frozenset()
    ) -> tuple[Connection, ...]:
        """The connections that lead from one place to another in the least time, changes counted.

        Empty where there is no way, and where start is end.
        """
        best: dict[str, int] = {start: 0}
        came: dict[str, Connection] = {}
        order = count()
        waiting: list[tuple[int, int, str]] = [(0, next(order), start)]
        leaving = self.derive("leaving", _leaving)
        while waiting:
            spent, _, here = heapq.heappop(waiting)
            if here == end:
                break
            if spent > best[here]:
                continue
            for way in leaving.get(here, ()):
                change = CHANGE_MIN if here != start else 0
                late = spent + way.minutes + change
                if way.mode not in avoiding and late < best.get(way.end, late + 1):
                    best[way.end], came[way.end] = late, way
                    heapq.heappush(waiting, (late, next(order), way.end))
        return _trace(came, start, end)


SETTINGS: tuple[str, ...] = tuple(_SETTINGS)
"""The surroundings that `Atlas.setting` knows."""


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence of a text that has the words from `start` to `end`."""
    begin, stop = text.rfind(". ", 0, start), text.find(". ", end)
    return text[begin + 2 if begin >= 0 else 0 : stop + 1 if stop >= 0 else None]


def _name_lexicon(atlas: Atlas) -> Lexicon:
    """Every name of every place, and short forms that only that place has."""
    names = {key: [place.name, *place.names] for key, place in atlas.places.items()}
    short: dict[str, set[str]] = {}
    for key, place in atlas.places.items():
        for form in _short_forms(place, atlas):
            short.setdefault(form, set()).add(key)
    for form, keys in short.items():
        if len(keys) == 1 and form not in atlas.named:
            names[next(iter(keys))].append(form)
    return Lexicon(names)


def _codes(atlas: Atlas) -> dict[str, tuple[str, ...]]:
    """The cities by the codes of their airports."""
    found: dict[str, tuple[str, ...]] = {}
    for key, place in atlas.places.items():
        code = str(place.fields.get("airport", ""))
        if re.fullmatch(r"[A-Z]{3}", code) and place.kind == CITY:
            found[code] = (*found.get(code, ()), key)
    return found


def _short_forms(place: Place, atlas: Atlas) -> set[str]:
    """`imperial city` of `Imperial City of Hue`: a name without that of the place's city."""
    city = surface(atlas.name_of(place.city)) if place.city else ""
    forms = set()
    for name in map(surface, (place.name, *place.names)) if city else ():
        rest = re.sub(rf"^{re.escape(city)} | (?:(?:of|in|at|near) )?{re.escape(city)}$", "", name)
        if rest != name and len(rest.split()) > 1:
            forms.add(rest)
    return forms


def _leaving(atlas: Atlas) -> Mapping[str, Sequence[Connection]]:
    found: dict[str, list[Connection]] = {}
    for (start, _), ways in atlas.connections.items():
        found.setdefault(start, []).extend(ways)
    return found


def _trace(came: Mapping[str, Connection], start: str, end: str) -> tuple[Connection, ...]:
    ways: list[Connection] = []
    while end != start:
        if end not in came:
            return ()
        ways.append(came[end])
        end = came[end].start
    return tuple(reversed(ways))


# --- passages -----------------------------------------------------------------------------


def read_place(passage: Passage) -> Place:
    """The place that a passage describes."""
    fields = passage.metadata
    lat, lon = fields.get("lat"), fields.get("lon")
    located = isinstance(lat, int | float) and isinstance(lon, int | float)
    themes, strengths = texts_of(fields.get("themes")), numbers_of(fields.get("strengths"))
    strengths = strengths if len(strengths) == len(themes) else (1.0,) * len(themes)
    minutes = numbers_of(fields.get("visit_minutes"))
    return Place(
        id=str(fields["node"]),
        name=str(fields.get("name", fields["node"])),
        kind=str(fields.get("node_kind", "")),
        passage=passage.id,
        type=str(fields.get("type", "")),
        city=str(fields.get("city", "")),
        region=str(fields.get("region", "")),
        country=str(fields.get("country", "")),
        point=Point(float(str(lat)), float(str(lon))) if located else None,
        names=texts_of(fields.get("aliases")),
        tags=texts_of(fields.get("tags")),
        themes=dict(zip(themes, strengths, strict=True)),
        whys=dict(zip(themes, texts_of(fields.get("whys")), strict=False)),
        price=_amount(fields.get("price")),
        currency=str(fields.get("currency", "")),
        price_text=str(fields.get("price_text", "")),
        hours=str(fields.get("hours", "")),
        minutes=int(minutes[0]) if minutes else 0,
        slots=texts_of(fields.get("slots")),
        months=tuple(int(month) for month in numbers_of(fields.get("best_months"))),
        effort=str(fields.get("effort", "")),
        features=_attributes(fields.get("features")),
        lacks=_attributes(fields.get("lacks")),
        level=str(fields.get("level", "")),
        days=tuple(int(days) for days in numbers_of(fields.get("suggested_days"))),
        offers=texts_of(fields.get("offers")),
        serves=texts_of(fields.get("serves")),
        known_for=texts_of(fields.get("known_for")),
        invented=bool(fields.get("invented", False)),
        fields={name: value for name, value in fields.items() if name not in _KNOWN_FIELDS},
        text=passage.text,
        texts=((passage.text, passage.id),),
    )


def read_connection(passage: Passage, *, backwards: bool) -> Connection:
    """The way that a passage describes, or the same way back."""
    fields = passage.metadata
    start, end = str(fields["source"]), str(fields["target"])
    return Connection(
        start=end if backwards else start,
        end=start if backwards else end,
        mode=str(fields.get("mode", "")),
        minutes=int(numbers_of(fields.get("minutes", 0))[0]),
        price=_amount(fields.get("price")),
        passage=passage.id,
        currency=str(fields.get("currency", "")),
        overnight=bool(fields.get("overnight", False)),
        departures=str(fields.get("departures", "")),
        note=str(fields.get("note", "")),
        computed=bool(fields.get("computed", False)),
    )


def read_tie(passage: Passage) -> Tie:
    """The relation that a passage describes."""
    fields = passage.metadata
    km = fields.get("km")
    return Tie(
        source=str(fields.get("source", "")),
        relation=str(fields["relation"]),
        target=str(fields.get("target", "")),
        passage=passage.id,
        weight=numbers_of(fields.get("weight", 1.0))[0],
        km=float(km) if isinstance(km, int | float) else None,
        why=str(fields.get("why", "")),
    )


def texts_of(value: Value | None) -> tuple[str, ...]:
    """The texts of a metadata value, which may be a list or a single one."""
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def numbers_of(value: Value | None) -> tuple[float, ...]:
    """The numbers of a metadata value."""
    found = value if isinstance(value, tuple) else (value,)
    return tuple(float(number) for number in found if isinstance(number, int | float))


def _attributes(value: Value | None) -> frozenset[str]:
    return frozenset(attribute_of(text) or text for text in texts_of(value))


def _amount(value: Value | None) -> Decimal | None:
    """A price, exactly as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(str(value))


# --- what is known of a place ----------------------------------------


Origin = Literal["field", "type", "implied", "text"]
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_LISTED = ("Suits ", "Offers: ", "Known for: ", "Tags: ", "Features: ", "Codes: ", "Price: ")
_SIGHTS = frozenset({"attraction", "activity", "area"})
_YES = frozenset({"yes", "true", "1", "only", "designated", "official", "y"})
_NO = frozenset({"no", "false", "0", "none", "n"})
_PARTLY = frozenset({"limited", "partial", "partly", "some"})
_VALUES = ("price", "hours", "level", "effort", "minutes", "months", "slots", "themes")


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a place, where it comes from, and the words that say so.

    `passage` is the passage that can be cited for it.
    """

    value: bool | str | int | Decimal | tuple[str, ...] | tuple[int, ...]
    source: Origin
    quote: str
    passage: str = ""


def read_fact(place: Place, name: str) -> Fact | None:
    """What is known of a place under a name; None where nobody says anything about it.

    `name` is an attribute of `words/attributes.yaml`, or `price`, `hours`, `level`, `effort`,
    `minutes`, `months`, `slots` or `themes`.
    """
    if name in _VALUES:
        return _read_value(place, name)
    name = attribute_of(name) or name
    return _from_field(place, name) or _from_type(place, name) or _from_text(place, name)


def attribute_of(tag: str) -> str:
    """The attribute that a tag or field of other people's data means; empty for none."""
    key = " ".join(token.stem for token in tokens(tag.replace("_", " ").replace(":", " ")))
    return _spellings().get(key, "")


def truth_of(value: Value) -> bool | None:
    """Yes or no as data spells it; None for anything else, such as `limited`."""
    word = str(value).strip().casefold()
    return True if word in _YES else False if word in _NO else None


def _read_value(place: Place, name: str) -> Fact | None:
    value = getattr(place, name)
    if value is None or (not value and name != "price"):
        return None
    if name == "price" and place.price is not None:
        quote = place.price_text or f"{place.price.normalize():f} {place.currency}".strip()
        return Fact(place.price, "field", quote, place.passage)
    value = tuple(value) if isinstance(value, Mapping) else value
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return Fact(value, "field", shown, place.passage)


def _from_field(place: Place, name: str) -> Fact | None:
    if name in place.features:
        return Fact(value=True, source="field", quote=name, passage=place.passage)
    if name in place.lacks:
        return Fact(value=False, source="field", quote=f"no {name}", passage=place.passage)
    for tag, value in place.fields.items():
        if attribute_of(tag) != name:
            continue
        known = truth_of(value)
        if known is not None:
            return Fact(known, "field", f"{tag}: {value}", place.passage)
        if str(value).strip().casefold() in _PARTLY:
            return None
    for other in _excluding().get(name, ()):
        if other in place.features:
            return Fact(value=False, source="implied", quote=other, passage=place.passage)
    return None


def _from_type(place: Place, name: str) -> Fact | None:
    """A vegetarian restaurant is vegetarian, and what is called a museum is one."""
    called = (place.name,) if place.kind in _SIGHTS else ()
    for words in (place.type, *place.tags, *called):
        if any(name in names for names, _, _ in _lexicon().find(words)):
            return Fact(value=True, source="type", quote=words, passage=place.passage)
    return None


def _from_text(place: Place, name: str) -> Fact | None:
    """What the sentences about a place agree on; nothing where they contradict each other."""
    if read_table("attributes").get(name, {}).get("from_text", True) is False:
        return None
    found = _text_facts(place.texts).get(name, ())
    return found[0] if len({fact.value for fact in found}) == 1 else None


@lru_cache(8192)
def _text_facts(texts: tuple[tuple[str, str], ...]) -> Mapping[str, tuple[Fact, ...]]:
    """What the sentences of some texts say, by attribute."""
    found: dict[str, list[Fact]] = {}
    for text, passage in texts:
        for sentence in _sentences(text):
            for names, start, end in _lexicon().find(sentence):
                absent = is_absent(sentence, start, end)
                for name in names:
                    value = name.startswith("-") == absent
                    fact = Fact(value, "text", sentence, passage)
                    found.setdefault(name.lstrip("-"), []).append(fact)
                    for other in _excludes().get(name, ()) if value else ():
                        denied = Fact(value=False, source="text", quote=sentence, passage=passage)
                        found.setdefault(other, []).append(denied)
    return {name: tuple(facts) for name, facts in found.items()}


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a place's text that are prose, without lists of what else is known."""
    for line in text.split("\n"):
        if not line.startswith(_LISTED):
            yield from _SENTENCE.split(line)


@cache
def _lexicon() -> Lexicon:
    table = read_table("attributes")
    present = {name: entry["words"] for name, entry in table.items()}
    absent = {f"-{name}": entry.get("absent", ()) for name, entry in table.items()}
    return Lexicon({**present, **absent})


@cache
def _spellings() -> Mapping[str, str]:
    found = {}
    for name in attributes():
        for spelling in (name, *read_table("attributes")[name].get("spelt", ())):
            found[" ".join(token.stem for token in tokens(spelling))] = name
    return found


@cache
def _excludes() -> Mapping[str, tuple[str, ...]]:
    table = read_table("attributes")
    return {name: tuple(entry.get("excludes", ())) for name, entry in table.items()}


@cache
def _excluding() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, others in _excludes().items():
        for other in others:
            found[other] = (*found.get(other, ()), name)
    return found
