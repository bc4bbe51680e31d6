"""A small country that no file describes, and a plan in it: for wishes, constraints and checks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from consilience.packs.travel.atlas import Atlas, Connection, Place
from consilience.packs.travel.geography import Point
from consilience.packs.travel.itinerary import Day, Itinerary, Leg, Meal, Stay, Visit
from consilience.understand.names import surface

TODAY = date(2027, 1, 4)  # a Monday


def place(key: str, name: str, kind: str, **fields: Any) -> Place:
    """A place with a passage of its own."""
    text = fields.pop("text", f"{name}.")
    passage = f"p-{key}"
    return Place(
        id=key, name=name, kind=kind, passage=passage, text=text, texts=((text, passage),), **fields
    )


PLACES = (
    place("aurelia", "Aurelia", "country", type="country"),
    place("highmark", "Highmark", "region", type="region", country="aurelia"),
    place("lowmark", "Lowmark", "region", type="region", country="aurelia"),
    place("varn", "Varn", "city", type="town", region="highmark", country="aurelia",
          point=Point(46.9, 11.0), text="Varn lies high in the mountains."),
    place("oltova", "Oltova", "city", type="town", region="highmark", country="aurelia",
          point=Point(46.5, 11.2), names=("Old Oltova",), themes={"history": 0.9}),
    place("port-selm", "Port Selm", "city", type="town", region="lowmark", country="aurelia",
          point=Point(45.6, 11.4), text="Port Selm is a town by the sea with a long beach."),
    place("cast", "Castle of Oltova", "attraction", type="castle", city="oltova", price=Decimal(12),
          themes={"history": 0.9}, features=frozenset({"stairs"})),
    place("glass", "Glass Museum", "attraction", type="museum", city="oltova", price=Decimal(8),
          themes={"art": 0.8, "culture": 0.7}, features=frozenset({"wheelchair", "indoor"})),
    place("mine", "Salt Mine", "attraction", type="cave", city="varn", price=Decimal(20),
          themes={"adventure": 0.8}, offers=("zipline",), features=frozenset({"cave"})),
    place("falls", "Grey Falls", "attraction", type="waterfall", city="varn", price=Decimal(0),
          themes={"nature": 0.9, "hiking": 0.6}),
    place("strand", "Long Strand", "attraction", type="beach", city="port-selm", price=Decimal(0),
          themes={"beach": 0.9, "romance": 0.6}),
    place("bistro", "Bistro Anker", "food", type="restaurant", city="port-selm", price=Decimal(25),
          level="mid-range", serves=("fish soup",), themes={"food": 0.8}),
    place("leaf", "Green Leaf", "food", type="restaurant", city="oltova", price=Decimal(18),
          level="budget", features=frozenset({"vegetarian"}), themes={"food": 0.7}),
    place("hut", "Varn Hut", "food", type="restaurant", city="varn",
          lacks=frozenset({"vegetarian"}),
          themes={"food": 0.6}),
    place("inn", "Oltova Inn", "stay", type="hotel", city="oltova", price=Decimal(70),
          level="mid-range", features=frozenset({"wheelchair"}), themes={"romance": 0.5}),
    place("bunk", "Varn Hostel", "stay", type="hostel", city="varn", price=Decimal(30),
          level="budget", themes={"budget": 0.8}),
    place("palm", "Palm Hotel", "stay", type="hotel", city="port-selm", price=Decimal(140),
          level="luxury", features=frozenset({"pool"}), themes={"luxury": 0.9}),
)  # fmt: skip


def atlas() -> Atlas:
    """The country, with trains and buses between its towns."""
    made = Atlas(places={each.id: each for each in PLACES}, currency="EUR")
    for each in PLACES:
        for name in (each.name, *each.names):
            made.named.setdefault(surface(name), []).append(each.id)
        if each.city:
            made.inside.setdefault(each.city, []).append(each.id)
    ways = (("oltova", "varn", "bus", 90, 9), ("oltova", "port-selm", "train", 150, 22))
    for start, end, mode, minutes, price in ways:
        for first, last in ((start, end), (end, start)):
            made.connections[first, last] = [
                Connection(
                    start=first,
                    end=last,
                    mode=mode,
                    minutes=minutes,
                    price=Decimal(price),
                    passage=f"p-{start}-{end}",
                    currency="EUR",
                )
            ]
    return made


def visit(key: str, start: int, minutes: int = 90) -> Visit:
    """A visit at the place's own price."""
    known = next(each for each in PLACES if each.id == key)
    return Visit(place=key, name=known.name, start=start, end=start + minutes, price=known.price,
                 passage=known.passage)  # fmt: skip


def meal(key: str, start: int) -> Meal:
    """An hour at a table."""
    known = next(each for each in PLACES if each.id == key)
    return Meal(meal="lunch" if start < 900 else "dinner", place=key, name=known.name, start=start,
                end=start + 60, price=known.price, passage=known.passage)  # fmt: skip


def stay(key: str, rooms: int = 1) -> Stay:
    """A night."""
    known = next(each for each in PLACES if each.id == key)
    return Stay(place=key, name=known.name, rooms=rooms, price=known.price, passage=known.passage)


def ride(start: str, end: str, mode: str, begins: int, minutes: int, price: int) -> Leg:
    """A ride between two towns."""
    return Leg(origin=start, destination=end, mode=mode, start=begins, minutes=minutes,
               price=Decimal(price), passage=f"p-{start}-{end}")  # fmt: skip


def plan() -> Itinerary:
    """Three days: Oltova, Port Selm by train, and back; from Friday 5 March 2027."""
    first = date(2027, 3, 5)
    walk = Leg(origin="inn", destination="cast", mode="walk", start=600, minutes=15,
               price=Decimal(0), km=1.2, local=True)  # fmt: skip
    days = (
        Day(number=1, city="oltova", legs=(walk,), visits=(visit("cast", 615), visit("glass", 840)),
            meals=(meal("leaf", 750), meal("leaf", 1140)), stay=stay("inn")),
        Day(number=2, city="port-selm", legs=(ride("oltova", "port-selm", "train", 570, 150, 22),),
            visits=(visit("strand", 840, 120),), meals=(meal("bistro", 750), meal("bistro", 1170)),
            stay=stay("palm")),
        Day(number=3, city="oltova", legs=(ride("port-selm", "oltova", "train", 960, 150, 22),),
            visits=(visit("strand", 660, 60),), meals=(meal("bistro", 750),)),
    )  # fmt: skip
    dated = tuple(replace(day, date=first + timedelta(days=day.number - 1)) for day in days)
    return Itinerary(days=dated, start="oltova", currency="EUR")


def change_day(itinerary: Itinerary, number: int, **fields: Any) -> Itinerary:
    """The plan with one day changed."""
    days = tuple(replace(day, **fields) if day.number == number else day for day in itinerary.days)
    return replace(itinerary, days=days)
