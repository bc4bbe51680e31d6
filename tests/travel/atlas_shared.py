"""What tests of trips share: an invented country with cities, sights, stays, food and ways.

`make_atlas()` is the country of Velmora: eight cities in three regions, each with sights for every
part of the day, stays and food of three levels, remarks, and connections by bus, train, flight and
boat, some of them overnight. Prices are in euros with cents. `place_passage`, `way_passage`,
`remark_passage` and `tie_passage` make further passages; `passages()` is all of Velmora.
"""

from __future__ import annotations

from consilience.packs.travel.atlas import Atlas
from consilience.types import Passage

COUNTRY = "velmora"
REGIONS = {"coast": "The Coast", "hills": "The Hills", "outer": "Outer Velmora"}
ALWAYS = ("morning", "afternoon", "evening")
DAYLIGHT = ("morning", "afternoon")

CITIES = (  # id, name, region, lat, lon, themes, suggested days, best months
    ("aurel", "Port Aurel", "coast", -30.00, -15.00,
     {"culture": 0.9, "food": 0.9, "history": 0.8, "nightlife": 0.8, "shopping": 0.7}, (2, 3), ()),
    ("lindow", "Lindow", "coast", -30.60, -15.30,
     {"romance": 0.95, "photography": 0.8, "relaxation": 0.7, "food": 0.6}, (2, 2), (4, 5, 9)),
    ("sandmouth", "Sandmouth", "coast", -31.10, -15.10,
     {"beach": 0.95, "water-sports": 0.85, "family": 0.8, "relaxation": 0.8}, (2, 4), (12, 1, 2)),
    ("highmere", "Highmere", "hills", -30.40, -14.00,
     {"hiking": 0.95, "nature": 0.9, "adventure": 0.9, "photography": 0.7}, (2, 3), ()),
    ("old-tarn", "Old Tarn", "hills", -29.70, -14.20,
     {"history": 0.95, "spirituality": 0.8, "culture": 0.85, "art": 0.5}, (1, 2), ()),
    ("brackwell", "Brackwell", "hills", -30.05, -14.55,
     {"food": 0.95, "art": 0.8, "culture": 0.7, "budget": 0.8, "shopping": 0.6}, (1, 2), ()),
    ("wren", "Isle of Wren", "outer", -31.60, -16.10,
     {"beach": 0.85, "wildlife": 0.9, "nature": 0.8, "romance": 0.6, "luxury": 0.7}, (2, 3), ()),
    ("farpoint", "Farpoint", "outer", -27.20, -12.10,
     {"adventure": 0.9, "wildlife": 0.8, "nature": 0.85, "hiking": 0.6}, (2, 3), ()),
)  # fmt: skip

SIGHTS = (  # noun, kind, type, themes, hours, minutes, price, slots, effort, features, months
    ("Museum", "attraction", "museum", {"history": 0.8, "culture": 0.6},
     "Tu-Su 09:00-17:00; Mo off", 90, 12.50, DAYLIGHT, "easy",
     ("indoor", "museum", "wheelchair"), ()),
    ("Cathedral", "attraction", "church", {"history": 0.7, "spirituality": 0.8},
     "Mo-Su 07:00-18:00", 45, 0.0, DAYLIGHT, "none", ("indoor", "wheelchair"), ()),
    ("Night Market", "attraction", "market", {"food": 0.8, "shopping": 0.8, "nightlife": 0.5},
     "Mo-Su 17:00-23:00", 90, 0.0, ("evening",), "none", ("crowds", "night", "wheelchair"), ()),
    ("Promenade", "attraction", "street", {"romance": 0.8, "relaxation": 0.7, "photography": 0.6},
     "24/7", 60, 0.0, ("afternoon", "evening"), "none",
     ("outdoor", "wheelchair", "children-ok"), ()),
    ("Botanical Garden", "attraction", "garden", {"nature": 0.7, "family": 0.7, "relaxation": 0.6},
     "Mo-Su 08:00-18:00", 75, 6.20, DAYLIGHT, "easy", ("outdoor", "children-ok", "wheelchair"), ()),
    ("Old Fort", "attraction", "fort", {"history": 0.9, "photography": 0.7},
     "Mo-Su 08:00-17:30", 75, 8.00, DAYLIGHT, "moderate", ("stairs", "outdoor"), ()),
    ("Strand", "attraction", "beach", {"beach": 0.95, "relaxation": 0.8, "family": 0.6},
     "24/7", 150, 0.0, DAYLIGHT, "none", ("swimming", "outdoor", "children-ok"), (11, 12, 1, 2, 3)),
    ("Kitchen School", "activity", "cooking class", {"food": 0.95, "culture": 0.5},
     "Mo-Su 09:00-18:00", 180, 38.90, DAYLIGHT, "easy", ("indoor", "children-ok"), ()),
    ("Ridge Walk", "activity", "trek", {"hiking": 0.95, "nature": 0.8, "adventure": 0.6},
     "Mo-Su 06:00-18:00", 300, 15.00, ("morning",), "hard", ("steep", "outdoor", "heights"), ()),
    ("Kayak Cove", "activity", "kayaking", {"water-sports": 0.95, "adventure": 0.7},
     "Mo-Su 08:00-16:00", 150, 29.00, DAYLIGHT, "moderate", ("boat", "swimming", "outdoor"), ()),
    ("Jazz Cellar", "attraction", "theatre", {"nightlife": 0.9, "art": 0.6, "romance": 0.5},
     "Tu-Su 19:00-24:00; Mo off", 120, 18.40, ("evening",), "none",
     ("indoor", "night", "alcohol"), ()),
    ("Gallery", "attraction", "museum", {"art": 0.95, "culture": 0.7},
     "We-Mo 10:00-18:00; Tu off", 75, 9.90, DAYLIGHT, "none",
     ("indoor", "museum", "wheelchair"), ()),
    ("Wildlife Reserve", "attraction", "park", {"wildlife": 0.95, "nature": 0.8, "family": 0.7},
     "Mo-Su 07:00-17:00", 180, 22.00, DAYLIGHT, "easy", ("animals", "outdoor", "children-ok"), ()),
    ("Lantern Show", "attraction", "theatre", {"romance": 0.8, "family": 0.7, "culture": 0.6},
     "Mo-Su 18:30-21:30", 75, 14.00, ("evening",), "none",
     ("night", "children-ok", "wheelchair"), ()),
    ("Lookout", "attraction", "viewpoint", {"photography": 0.9, "romance": 0.7, "nature": 0.5},
     "24/7", 45, 3.50, ALWAYS, "moderate", ("stairs", "heights", "outdoor"), ()),
    ("Spa House", "activity", "spa", {"relaxation": 0.95, "luxury": 0.8, "romance": 0.6},
     "Mo-Su 10:00-21:00", 120, 65.00, ("afternoon", "evening"), "none", ("indoor",), ()),
    ("Weavers Lane", "attraction", "craft", {"shopping": 0.8, "culture": 0.7, "art": 0.6},
     "Mo-Sa 08:00-18:00", 60, 0.0, DAYLIGHT, "none", ("crowds", "wheelchair"), ()),
    ("Hermitage", "attraction", "temple", {"spirituality": 0.95, "culture": 0.6},
     "Mo-Su 06:00-17:00", 60, 2.00, DAYLIGHT, "easy", ("temple", "outdoor"), ()),
    ("Food Street", "area", "street", {"food": 0.9, "nightlife": 0.6, "budget": 0.7},
     "Mo-Su 16:00-24:00", 90, 0.0, ("evening",), "none", ("crowds", "night"), ()),
    ("Lake Cruise", "activity", "cruise", {"romance": 0.8, "nature": 0.7, "luxury": 0.5},
     "Mo-Su 08:00-16:00", 240, 55.00, ("morning",), "none", ("boat", "outdoor"), ()),
    ("Town Square", "attraction", "monument", {"history": 0.5, "culture": 0.6, "photography": 0.5},
     "24/7", 40, 0.0, ALWAYS, "none", ("outdoor", "wheelchair", "children-ok"), ()),
    ("Science House", "attraction", "museum", {"family": 0.9, "culture": 0.4},
     "Mo-Su 10:00-17:00", 105, 11.00, DAYLIGHT, "none",
     ("indoor", "children-ok", "museum", "wheelchair"), ()),
)  # fmt: skip

STAYS = (  # noun, type, level, price, themes
    ("Bunkhouse", "hostel", "budget", 24.00, {"budget": 0.9}),
    ("Guesthouse", "guesthouse", "budget", 38.50, {"budget": 0.7, "family": 0.5}),
    ("Inn", "hotel", "mid-range", 82.00, {"romance": 0.6}),
    ("Courtyard Hotel", "hotel", "mid-range", 96.40, {"family": 0.6}),
    ("Grand", "hotel", "luxury", 245.00, {"luxury": 0.9, "romance": 0.7}),
    ("Bay Resort", "resort", "luxury", 310.00, {"luxury": 0.95, "relaxation": 0.8}),
)

FOOD = (  # noun, type, level, price, hours, serves, features
    ("Noodle Stall", "street food", "budget", 3.20, "Mo-Su 06:00-22:00", ("noodles",), ("spicy",)),
    ("Green Bowl", "vegetarian restaurant", "budget", 5.60, "Mo-Su 10:00-21:30", ("salad",),
     ("vegetarian", "wheelchair")),
    ("Tavern", "restaurant", "mid-range", 14.80, "Mo-Su 11:00-22:30", ("stew", "pie"), ()),
    ("Garden Table", "restaurant", "mid-range", 17.30, "Mo-Su 11:00-22:00", ("tart",),
     ("vegetarian", "wheelchair")),
    ("Fish House", "restaurant", "mid-range", 19.90, "Tu-Su 11:00-22:00; Mo off", ("grilled fish",),
     ("seafood",)),
    ("Chef's Room", "restaurant", "luxury", 62.00, "Mo-Su 12:00-15:00,18:00-23:00", ("menu",),
     ("vegetarian", "wheelchair")),
    ("Oyster Bar", "restaurant", "luxury", 54.00, "Mo-Su 12:00-23:00", ("oysters",), ("seafood",)),
)  # fmt: skip

WAYS = (  # start, end, mode, minutes, price, overnight, departures
    ("aurel", "lindow", "bus", 110, 9.50, False, "hourly 06:00-20:00"),
    ("aurel", "lindow", "train", 80, 14.00, False, "about ten a day 06:00-21:00"),
    ("aurel", "sandmouth", "bus", 200, 16.00, False, "every two hours 07:00-17:00"),
    ("lindow", "sandmouth", "bus", 90, 8.00, False, "hourly 07:00-19:00"),
    ("lindow", "sandmouth", "car", 70, 40.00, False, "any time"),
    ("aurel", "brackwell", "train", 55, 7.40, False, "hourly 06:00-22:00"),
    ("brackwell", "old-tarn", "bus", 75, 6.10, False, "six a day 07:00-18:00"),
    ("brackwell", "highmere", "bus", 130, 11.00, False, "four a day 08:00-16:00"),
    ("aurel", "old-tarn", "train", 140, 15.50, False, "five a day 07:00-19:00"),
    ("old-tarn", "highmere", "bus", 170, 12.00, False, "three a day 08:00-15:00"),
    ("aurel", "highmere", "bus", 230, 18.00, False, "four a day 07:00-14:00"),
    ("sandmouth", "wren", "ferry", 150, 21.00, False, "three a day 08:00-15:00"),
    ("aurel", "wren", "flight", 55, 74.00, False, "two a day 09:00 and 16:00"),
    ("aurel", "farpoint", "train", 620, 42.00, True, "nightly 20:30"),
    ("aurel", "farpoint", "flight", 75, 96.00, False, "two a day 08:00-18:00"),
    ("old-tarn", "farpoint", "bus", 760, 30.00, False, "one a day 06:00"),
    ("highmere", "sandmouth", "bus", 480, 27.00, False, "one a day 07:00"),
)


def passages() -> list[Passage]:
    """All of Velmora: places, what is remarked of them, ties and ways."""
    found = [place_passage(COUNTRY, "Velmora", "country", lat=-30.0, lon=-14.5)]
    found += [place_passage(key, name, "region") for key, name in REGIONS.items()]
    for order, (key, name, region, lat, lon, themes, days, months) in enumerate(CITIES):
        found.append(
            place_passage(
                key, name, "city", type="city", region=region, lat=lat, lon=lon, themes=themes,
                suggested_days=days, best_months=months,
            )
        )  # fmt: skip
        found += _inside(key, name, region, (lat, lon), order)
        found += [
            remark_passage(key, "season", f"{name} is mild; the dry months are best."),
            remark_passage(key, "safety", f"Keep to the paths outside {name}."),
            remark_passage(key, "getting_around", f"{name} is walked; taxis are few."),
            remark_passage(key, "booking", f"Rooms in {name} fill up in summer."),
        ]
    return found + [way_passage(*one[:5], overnight=one[5], departures=one[6]) for one in WAYS]


def make_atlas(*more: Passage, without: tuple[str, ...] = ()) -> Atlas:
    """Velmora and further passages, without some of its places; a later telling does not count."""
    known = [one for one in passages() if str(one.metadata.get("node", "")) not in without]
    return Atlas.of([*known, *more])


def place_passage(key: str, name: str, kind: str, **more: object) -> Passage:
    """A passage that tells of a place; `themes` may be a mapping to strengths."""
    fields: dict[str, object] = {"node": key, "name": name, "node_kind": kind, **more}
    themes = fields.pop("themes", None)
    if isinstance(themes, dict):
        fields["themes"] = tuple(themes)
        fields["strengths"] = tuple(float(one) for one in themes.values())
        fields["whys"] = tuple(f"{name} suits {one}" for one in themes)
    text = f"{name} is a {fields.get('type', kind)} of Velmora."
    return _passage(f"p:{key}", "place", name, text, fields)


def way_passage(
    start: str, end: str, mode: str, minutes: int, price: float, **more: object
) -> Passage:
    """A passage that tells how one gets from one place to another."""
    fields = {
        "source": start, "target": end, "relation": "CONNECTED_TO", "weight": 1.0, "mode": mode,
        "minutes": minutes, "price": price, "currency": "EUR", "overnight": False,
        "both_ways": True, **more,
    }  # fmt: skip
    night = "-night" if fields["overnight"] else ""
    text = f"{start} to {end} by {mode}: {minutes} minutes, {price} EUR"
    return _passage(f"w:{start}-{end}-{mode}{night}", "edge", f"{start} – {end}", text, fields)


def remark_passage(about: str, topic: str, text: str) -> Passage:
    """A passage that says something of a place on a topic."""
    return _passage(f"r:{about}-{topic}", "text", about, text, {"about": about, "topic": topic})


def tie_passage(source: str, relation: str, target: str, **more: object) -> Passage:
    """A passage that ties a place to another, or to a theme."""
    fields = {"source": source, "relation": relation, "target": target, "weight": 1.0, **more}
    text = f"{source} → ({relation}) → {target}"
    return _passage(f"t:{source}-{relation}-{target}", "tie", source, text, fields)


def _inside(
    city: str, name: str, region: str, middle: tuple[float, float], order: int
) -> list[Passage]:
    """Sights, stays and food of a city, spread over two quarters and the country around."""
    where = {"city": city, "region": region, "currency": "EUR"}
    found = []
    for number, one in enumerate(SIGHTS):
        noun, kind, kind_of, themes, hours, minutes, price, slots, effort, features, months = one
        lat, lon = _spot(middle, number + order)
        key = f"{city}-{noun.lower().replace(' ', '-')}"
        found.append(
            place_passage(
                key, f"{name} {noun}", kind, type=kind_of, lat=lat, lon=lon, themes=themes,
                hours=hours, visit_minutes=minutes, price=price, slots=slots, effort=effort,
                features=features, best_months=months, **where,
            )
        )  # fmt: skip
        found.append(tie_passage(key, "LOCATED_IN", city))
        found += [
            tie_passage(key, "SUITS", f"theme:{theme}", weight=weight)
            for theme, weight in themes.items()
        ]
    for number, (noun, kind_of, level, price, themes) in enumerate(STAYS):
        lat, lon = _spot(middle, 2 * number + order)
        found.append(
            place_passage(
                f"{city}-{noun.lower().replace(' ', '-')}", f"{name} {noun}", "stay", type=kind_of,
                level=level, price=price, themes=themes, lat=lat, lon=lon, invented=True, **where,
            )
        )  # fmt: skip
    for number, (noun, kind_of, level, price, hours, serves, features) in enumerate(FOOD):
        lat, lon = _spot(middle, 3 * number + order)
        key = f"{city}-{noun.lower().replace(' ', '-').replace(chr(39), '')}"
        found.append(
            place_passage(
                key, f"{name} {noun}", "food", type=kind_of, level=level, price=price, hours=hours,
                serves=serves, features=features, lat=lat, lon=lon, invented=True,
                themes={"food": 0.7}, **where,
            )
        )  # fmt: skip
    return found


def _spot(middle: tuple[float, float], number: int) -> tuple[float, float]:
    """Two quarters some 4 km apart, and every seventh thing some 12 km out."""
    lat, lon = middle
    quarter = 0.036 if number % 2 else 0.0
    out = 0.11 if number % 7 == 6 else 0.0
    return (
        round(lat + quarter + 0.003 * (number % 5), 5),
        round(lon + out + 0.002 * (number % 3), 5),
    )


def _passage(key: str, kind: str, title: str, text: str, fields: dict[str, object]) -> Passage:
    return Passage(
        id=key, collection="places", document="velmora.json", kind=kind, title=title, text=text,
        metadata=fields,  # type: ignore[arg-type]
    )  # fmt: skip
