"""How do relations become passages? Typed, weighted, with both ends known or known by name.

`CONNECTED_TO` is an edge that is searched as text, all others are ties. Ends are looked up in the
file, then in the files beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from consilience.evidence.loaders.common import one_line
from consilience.evidence.loaders.json_records import Json
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import as_text, spelt
from consilience.packs.travel.files.gazetteer import Gazetteer, Known, id_of
from consilience.packs.travel.files.prices import price_of, settled
from consilience.packs.travel.files.relating import CONNECTED, Said
from consilience.packs.travel.files.values import minutes, number, share, truth
from consilience.packs.travel.places import in_money, in_time
from consilience.packs.travel.vocabulary import RELATIONS, theme_of
from consilience.types import Block, Locator, Value
from consilience.understand.names import surface

_UNKNOWN_WEIGHT = 0.3
_MOST_MERGED = 50
_FLYING = frozenset({"flight", "plane", "air", "fly", "airplane", "flights"})
_SPELT: Mapping[str, tuple[str, ...]] = {
    "mode": ("mode", "transport", "transport_mode", "vehicle", "by", "means", "transport_type",
             "travel_mode", "method"),
    "minutes": ("minutes", "duration_minutes", "duration_min", "duration", "travel_time", "time",
                "hours", "duration_hours", "duration_h", "time_minutes", "travel_minutes",
                "travel_time_minutes", "travel_time_hours", "avg_duration"),
    "price": ("price", "cost", "fare", "price_vnd", "price_usd", "price_eur", "cost_usd",
              "cost_vnd", "ticket_price", "typical_price", "avg_price"),
    "currency": ("currency", "price_currency", "currency_code"),
    "departures": ("departures", "schedule", "frequency", "timetable", "departs"),
    "overnight": ("overnight", "night", "sleeper"),
    "both_ways": ("both_ways", "bidirectional", "two_way", "return", "undirected"),
    "one_way": ("one_way", "directed", "oneway"),
    "km": ("km", "distance_km", "distance", "kilometres", "kilometers"),
    "note": ("note", "notes", "why", "reason", "remark", "description", "text", "comment"),
    "operators": ("airline", "operator", "operators", "company", "carrier"),
    "strength": ("strength", "weight", "score", "confidence"),
}  # fmt: skip
_MEANT = {spelling: meaning for meaning, spellings in _SPELT.items() for spelling in spellings}
_THINGS = {"OFFERS": "offer", "SERVES": "dish", "KNOWN_FOR": "thing"}


@dataclass(slots=True, kw_only=True)
class Joint:
    """A relation between two ends, each an id with its name, and what is said of it."""

    source: str
    source_name: str
    relation: str
    target: str
    target_name: str
    strength: float = 1.0
    km: float | None = None
    why: str = ""
    way: dict[str, Value] = field(default_factory=dict)
    others: dict[str, Value] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it another relation than one between the same ends."""
        way = [
            str(self.way.get(one, ""))
            for one in ("mode", "minutes", "price", "currency", "departures", "overnight", "note")
        ]
        return (self.source, self.relation, self.target, self.why, *way)  # fmt: skip


@dataclass(slots=True)
class Ends:
    """Finds the ends of relations; what is not known is counted, by its name."""

    own: Gazetteer
    beside: Callable[[], Gazetteer]
    unknown: dict[str, int] = field(default_factory=dict)
    _found: dict[tuple[str, frozenset[str]], Known | None] = field(default_factory=dict)

    def find(self, said: str, kinds: frozenset[str] = frozenset()) -> tuple[str, str, bool]:
        """(id, name, whether it is known) of the place that a reference means."""
        found = self.look(said, kinds)
        if found is not None:
            return found.id, found.name, True
        name = short(one_line(said), 200)
        self.unknown[name] = self.unknown.get(name, 0) + 1
        return id_of(name), name, False

    def look(self, said: str, kinds: frozenset[str] = frozenset()) -> Known | None:
        """The place that a reference means; in this file before those beside it."""
        key = (said, kinds)
        if key not in self._found:
            self._found[key] = self._looked_up(said, kinds)
        return self._found[key]

    def _looked_up(self, said: str, kinds: frozenset[str]) -> Known | None:
        own = self.own.find(said, kinds)
        if own is not None and (not kinds or own.kind in kinds):
            return own
        other = self.beside().find(said, kinds)
        if other is not None and (own is None or other.kind in kinds):
            return other
        return own


def joint_of(said: Said, place: tuple[str, str], ends: Ends, *, usual: str) -> Joint:
    """A relation that a record states, with its ends found."""
    way, others = _read(said, usual)
    kinds = _wanted(said.relation, str(way.get("mode", "")))
    source = place
    if said.source:
        source = ends.find(said.source, kinds)[:2]
    target = _thing(said) or ends.find(said.target, kinds)[:2]
    if said.backwards:
        source, target = target, source
    strength = way.pop("strength", 1.0)
    km, why = way.pop("km", None), str(way.get("note", ""))
    is_way = said.relation == CONNECTED
    return Joint(
        source=source[0],
        source_name=source[1],
        relation=said.relation,
        target=target[0],
        target_name=target[1],
        strength=strength if isinstance(strength, float) else 1.0,
        km=km if isinstance(km, float) else None,
        why="" if is_way else why,
        way=way if is_way else {},
        others=others if is_way else {**others, **{n: v for n, v in way.items() if n != "note"}},
    )


def _thing(said: Said) -> tuple[str, str] | None:
    """What is no place: a theme, something offered, a dish."""
    name = one_line(said.target)
    if said.relation == "SUITS":
        theme = theme_of(name)
        return (f"theme:{theme}", theme) if theme else (f"tag:{surface(name)}", name)
    prefix = _THINGS.get(said.relation)
    return (f"{prefix}:{surface(short(name, 120))}", name) if prefix else None


def _wanted(relation: str, mode: str) -> frozenset[str]:
    if relation == CONNECTED:
        return frozenset({"airport"}) if mode in _FLYING else frozenset({"city"})
    if relation == "BORDERS":
        return frozenset({"country"})
    wide = {"LOCATED_IN": "city", "DAY_TRIP_FROM": "city"}.get(relation)
    return frozenset({wide}) if wide else frozenset()


def _read(said: Said, usual: str) -> tuple[dict[str, Value], dict[str, Value]]:
    """What is said of a relation by meaning, and the rest."""
    way: dict[str, Value] = {}
    rest: dict[str, Value] = {}
    raw = {name: value for name, value in said.values.items() if value is not None}
    for name, value in said.others.items():
        meaning = _MEANT.get(spelt(name), "")
        given = raw.get(name, _plain(value))
        found = _value(meaning, given, name) if meaning else None
        if meaning == "minutes" and re.search(r"overnight", as_text(given), re.IGNORECASE):
            way.setdefault("overnight", True)
        if found is None or meaning in way:
            rest[name] = value
        else:
            way |= found if isinstance(found, dict) else {meaning: found}
    if said.relation == CONNECTED and "mode" not in way:
        kind = next((as_text(raw[one]) for one in raw if spelt(one) in ("type", "kind")), "")
        if kind and spelt(kind) != "connected_to":
            way["mode"] = kind.casefold()
    _plain_mode(way)
    if "mode" not in way and {"airline", "flight", "flight_number"} & set(map(spelt, raw)):
        way["mode"] = "flight"
    if "price" in way:
        currency = settled(str(way.get("currency", "")), usual)
        way |= {"currency": currency} if currency else {}
    if one_way := way.pop("one_way", None):
        way.setdefault("both_ways", not one_way)
    return way, rest


def _plain_mode(way: dict[str, Value]) -> None:
    """`night bus (CTM)` is a bus of CTM that goes overnight."""
    mode = str(way.get("mode", ""))
    if match := re.fullmatch(r"(.*?)\s*\(([^()]*)\)", mode):
        way["mode"] = mode = match[1]
        way.setdefault("operators", match[2].upper() if len(match[2]) < 6 else match[2])
    if re.search(r"\b(?:night|overnight|sleeper)\b", mode):
        way.setdefault("overnight", True)


def _plain(value: Value) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _value(meaning: str, value: Json, name: str) -> Value | dict[str, Value] | None:
    if meaning == "price":
        return _price(value, name)
    if meaning in ("overnight", "both_ways", "one_way"):
        return truth(value)
    if meaning in ("minutes", "strength"):
        return minutes(value, name) if meaning == "minutes" else share(value)
    text = one_line(as_text(value))
    if meaning == "km":
        return number(text.casefold().removesuffix("km").strip())
    return (text.casefold() if meaning == "mode" else text) or None


def _price(value: Json, name: str) -> dict[str, Value] | None:
    price = price_of(value, name)
    if price is None:
        return None
    currency = {"currency": price.currency} if price.currency else {}
    return {"price": price.amount, **currency}


# --- passages -----------------------------------------------------------------------------


def joint_block(joint: Joint) -> Block:
    """The passage of a relation: an edge for a way to travel, else a tie."""
    known = RELATIONS.get(joint.relation)
    words = known.forwards if known else joint.relation.replace("_", " ").lower()
    weight = (known.weight if known else _UNKNOWN_WEIGHT) * joint.strength
    fields: dict[str, Value] = {
        **joint.others,
        "source": joint.source,
        "relation": joint.relation,
        "target": joint.target,
        "source_name": joint.source_name,
        "target_name": joint.target_name,
        "weight": round(weight, 4),
        **joint.way,
    }
    if joint.km is not None:
        fields["km"] = round(joint.km, 2)
    if joint.why:
        fields["why"] = joint.why
    text = f"{joint.source_name} → ({words}) → {joint.target_name}"
    told = "; ".join(_said(joint))
    return Block(
        text=f"{text}: {told}" if told else text,
        locator=Locator(node=f"{joint.source_name} → {joint.target_name}"),
        kind="edge" if joint.relation == CONNECTED else "tie",
        whole=True,
        metadata=fields,
    )


def _said(joint: Joint) -> Iterator[str]:
    way = joint.way
    if mode := way.get("mode"):
        yield f"by {mode}"
    if isinstance(spent := way.get("minutes"), int):
        yield _spent(spent, way, joint.km)
    if isinstance(price := way.get("price"), int | float):
        yield in_money(price, str(way.get("currency", ""))) if price else "free of charge"
    if operators := way.get("operators"):
        named = operators if isinstance(operators, tuple) else (operators,)
        yield f"with {', '.join(map(str, named))}"
    if departures := way.get("departures"):
        yield f"departures {departures}"
    if way.get("overnight"):
        yield "overnight"
    if joint.km is not None:
        yield f"{joint.km:.1f} km"
    if note := joint.why or str(way.get("note", "")):
        yield note


def _spent(minutes: int, way: Mapping[str, Value], km: float | None) -> str:
    """How long a way takes, and where that is not from the record."""
    if not way.get("computed"):
        return in_time(minutes)
    if km is None:
        return f"how long it takes is not told; {in_time(minutes)} is counted for it"
    return f"about {in_time(minutes)}, computed from the distance"


def merged(one: Joint, other: Joint) -> None:
    """Tell a relation together with another that says the same but for who runs it."""
    for mine, theirs in ((one.way, other.way), (one.others, other.others)):
        for name, value in theirs.items():
            if mine.get(name) != value and not isinstance(value, bool):
                mine[name] = _both(mine.get(name), value)


def _both(one: Value | None, other: Value) -> Value:
    found = [*(one if isinstance(one, tuple) else () if one is None else (one,))]
    found += other if isinstance(other, tuple) else (other,)
    return tuple(dict.fromkeys(found))[:_MOST_MERGED]
