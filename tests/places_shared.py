"""Files of places for tests: two invented cities, with sights, stays, food and a train."""

from __future__ import annotations

import json
from pathlib import Path

from consilience.workspace import init_workspace, open_workspace

BAD = "<img src=x onerror=alert(1)>"
"""Part of the name of a sight: it has to stay a name wherever it is shown."""
CITIES = {"marsk": ("Marsk", 54.1, 8.2), "tolven": ("Tolven", 54.5, 8.9)}
DAY, NIGHT = ["morning", "afternoon"], ["evening"]
SIGHTS = (  # name, type, themes, hours, minutes, price, slots, features
    ("Museum", "museum", {"history": 0.9, "culture": 0.7}, "Mo-Su 09:00-18:00", 90, 8, DAY, []),
    ("Old Fort", "fort", {"history": 0.8, "romance": 0.5}, "Mo-Su 08:00-18:00", 75, 6, DAY, []),
    ("Garden", "garden", {"romance": 0.8, "nature": 0.7}, "Mo-Su 08:00-18:00", 80, 4, DAY, []),
    ("Market", "market", {"food": 0.9, "shopping": 0.6}, "Mo-Su 08:00-18:00", 60, 0, DAY, []),
    ("Strand", "beach", {"beach": 0.9, "romance": 0.7}, "24/7", 120, 0, DAY, ["swimming"]),
    ("Cooking School", "cooking class", {"food": 0.95}, "Mo-Su 09:00-18:00", 150, 30, DAY, []),
    ("Gallery", "museum", {"art": 0.9, "culture": 0.6}, "Mo-Su 10:00-18:00", 70, 7, DAY, []),
    ("Chapel", "church", {"spirituality": 0.9, "history": 0.5}, "24/7", 45, 0, DAY, []),
    (f"Tower {BAD}", "tower", {"romance": 0.9}, "Mo-Su 08:00-22:00", 60, 5, DAY + NIGHT, []),
    ("Promenade", "street", {"romance": 0.9, "relaxation": 0.8}, "24/7", 60, 0, NIGHT, []),
    ("Night Market", "market", {"food": 0.9}, "Mo-Su 17:00-23:00", 90, 0, NIGHT, []),
    ("Theatre", "theatre", {"art": 0.8, "romance": 0.7}, "Mo-Su 18:00-23:00", 100, 15, NIGHT, []),
    ("Jazz Bar", "bar", {"nightlife": 0.9}, "Mo-Su 18:00-24:00", 90, 10, NIGHT, ["alcohol"]),
)
STAYS = (("Hostel", "budget", 30), ("Inn", "mid-range", 80), ("Grand Hotel", "luxury", 1260))
FOOD = (
    ("Stall", "street food", "budget", 6),
    ("Green Table", "vegetarian restaurant", "mid-range", 18),
    ("Fish House", "restaurant", "mid-range", 22),
    ("Cellar", "restaurant", "mid-range", 20),
    ("Silver Fork", "restaurant", "luxury", 70),
)
REMARKS = {
    "season": "Spring is mild; autumn storms bring rain.",
    "getting_around": "The old town is walked; taxis wait at the station.",
    "safety": "Mind the tide on the flats.",
    "booking": "Rooms are taken early in July.",
}


def write_places(folder: Path) -> Path:
    """The files, in a folder that is made."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [{"id": "norderland", "name": "Norderland", "type": "country", "currency": "EUR"}]
    for key, (name, lat, lon) in CITIES.items():
        places.append(_city(key, name, lat, lon))
        places += [_sight(key, name, lat, lon, at) for at in range(len(SIGHTS))]
        places += [
            {"id": f"{key}-stay-{level}", "name": f"{name} {noun}", "type": "hotel", "city": key,
             "category": "stay", "level": level, "price": price, "invented": True,
             "lat": lat + 0.002, "lon": lon + 0.002, "description": f"A {level} house in {name}."}
            for noun, level, price in STAYS
        ]  # fmt: skip
        places += [
            {"id": f"{key}-food-{at}", "name": f"{name} {noun}", "type": kind, "city": key,
             "category": "food", "level": level, "price": price, "hours": "Mo-Su 10:00-23:00",
             "lat": lat - 0.002, "lon": lon + 0.001 * at, "invented": True, "serves": ["stew"],
             "features": ["vegetarian"], "description": f"{noun} of {name}, for a meal."}
            for at, (noun, kind, level, price) in enumerate(FOOD)
        ]  # fmt: skip
    text = json.dumps(places, ensure_ascii=False, indent=1)
    (folder / "places.json").write_text(text, encoding="utf-8")
    (folder / "transport.csv").write_text(
        "from,to,mode,minutes,price,departures,overnight,both_ways\n"
        "marsk,tolven,train,70,12,hourly 06:00-21:00,no,yes\n",
        encoding="utf-8",
    )
    return folder


def place_workspace(folder: Path) -> Path:
    """A workspace of these places, closed."""
    init_workspace(folder, pack="travel")
    text = 'pack = "travel"\n[models]\nembed = "fast"\n'
    (folder / "consilience.toml").write_text(text, encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([write_places(folder / "places")])
    return folder


def _city(key: str, name: str, lat: float, lon: float) -> dict[str, object]:
    suits = [{"theme": one, "strength": 0.8, "why": f"{name} is made for it"}
             for one in ("romance", "food", "history", "beach")]  # fmt: skip
    return {
        "id": key, "name": name, "type": "city", "lat": lat, "lon": lon, "suits": suits,
        "country": "norderland", "suggested_days": [2, 3],
        "description": f"{name} is a town by the sea with a fort and a strand.", **REMARKS,
    }  # fmt: skip


def _sight(city: str, town: str, lat: float, lon: float, at: int) -> dict[str, object]:
    name, kind, themes, hours, minutes, price, slots, features = SIGHTS[at]
    suits = [{"theme": one, "strength": much, "why": f"known in {town}"}
             for one, much in themes.items()]  # fmt: skip
    return {
        "id": f"{city}-sight-{at}", "name": f"{town} {name}", "type": kind, "city": city,
        "category": "attraction", "lat": lat + 0.001 * at, "lon": lon - 0.001 * at,
        "suits": suits, "hours": hours, "visit_minutes": minutes, "price": price,
        "slots": slots, "features": features, "effort": "easy",
        "description": f"The {name} of {town}, which people come to see.",
    }  # fmt: skip
