"""What does a passage tell of a place, of a way between two, or of what joins them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from consilience.packs.travel.geography import Point
from consilience.types import Passage, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as its passage tells of it.

    `kind` is country, region, city, area, attraction, activity, stay, food or airport; `type` says
    it more exactly (pagoda, hostel). `city` is where it is, by id, empty for none. `price` is for
    one person, of a stay for a room and a night, None where it is not known; `minutes` is how long
    a visit takes. `months` are those it is best in, none for all. `themes` have a strength from 0
    to 1, and `whys` a reason.
    """

    id: str
    name: str
    kind: str
    passage: str
    type: str = ""
    city: str = ""
    region: str = ""
    point: Point | None = None
    names: tuple[str, ...] = ()
    themes: Mapping[str, float] = field(default_factory=dict)
    whys: Mapping[str, str] = field(default_factory=dict)
    price: Decimal | None = None
    currency: str = ""
    hours: str = ""
    minutes: int = 0
    slots: tuple[str, ...] = ()
    months: tuple[int, ...] = ()
    effort: str = ""
    features: frozenset[str] = frozenset()
    level: str = ""
    days: tuple[int, ...] = ()
    offers: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    invented: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A way from one place to another that a passage tells of.

    `computed` minutes are from the distance, since nobody says them; a price of 0 is not known.
    """

    start: str
    end: str
    mode: str
    minutes: int
    price: Decimal
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


def read_place(passage: Passage) -> Place:
    """The place that a passage tells of."""
    fields = passage.metadata
    lat, lon = fields.get("lat"), fields.get("lon")
    located = isinstance(lat, int | float) and isinstance(lon, int | float)
    themes, strengths = _texts(fields.get("themes")), _numbers(fields.get("strengths"))
    whys = _texts(fields.get("whys"))
    return Place(
        id=str(fields["node"]),
        name=str(fields.get("name", fields["node"])),
        kind=str(fields.get("node_kind", "")),
        passage=passage.id,
        type=str(fields.get("type", "")),
        city=str(fields.get("city", "")),
        region=str(fields.get("region", "")),
        point=Point(float(str(lat)), float(str(lon))) if located else None,
        names=_texts(fields.get("aliases")),
        themes=dict(zip(themes, strengths, strict=True)) if strengths else dict.fromkeys(themes, 1),
        whys=dict(zip(themes, whys, strict=False)),
        price=_amount(fields.get("price")),
        currency=str(fields.get("currency", "")),
        hours=str(fields.get("hours", "")),
        minutes=int(_numbers(fields.get("visit_minutes", 0))[0]),
        slots=_texts(fields.get("slots")),
        months=tuple(int(one) for one in _numbers(fields.get("best_months"))),
        effort=str(fields.get("effort", "")),
        features=frozenset(_texts(fields.get("features"))),
        level=str(fields.get("level", "")),
        days=tuple(int(one) for one in _numbers(fields.get("suggested_days"))),
        offers=_texts(fields.get("offers")),
        serves=_texts(fields.get("serves")),
        invented=bool(fields.get("invented", False)),
        text=passage.text,
    )


def read_connection(passage: Passage, *, backwards: bool) -> Connection:
    """The way that a passage tells of, or the same way back."""
    fields = passage.metadata
    start, end = str(fields["source"]), str(fields["target"])
    return Connection(
        start=end if backwards else start,
        end=start if backwards else end,
        mode=str(fields.get("mode", "")),
        minutes=int(_numbers(fields.get("minutes", 0))[0]),
        price=_amount(fields.get("price")) or Decimal(0),
        passage=passage.id,
        currency=str(fields.get("currency", "")),
        overnight=bool(fields.get("overnight", False)),
        departures=str(fields.get("departures", "")),
        note=str(fields.get("note", "")),
        computed=bool(fields.get("computed", False)),
    )


def read_tie(passage: Passage) -> Tie:
    """The relation that a passage tells of."""
    fields = passage.metadata
    km = fields.get("km")
    return Tie(
        source=str(fields.get("source", "")),
        relation=str(fields["relation"]),
        target=str(fields.get("target", "")),
        passage=passage.id,
        weight=_numbers(fields.get("weight", 1.0))[0],
        km=float(km) if isinstance(km, int | float) else None,
        why=str(fields.get("why", "")),
    )


def _texts(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _numbers(value: Value | None) -> tuple[float, ...]:
    found = value if isinstance(value, tuple) else (value,)
    return tuple(float(one) for one in found if isinstance(one, int | float))


def _amount(value: Value | None) -> Decimal | None:
    """A price, exactly as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(str(value))
