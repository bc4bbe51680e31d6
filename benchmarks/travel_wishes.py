"""Which wishes can be put to a planner? Constraints drawn by lot, and the words that say them.

A `Drawn` knows what was asked for in the terms of the files of places alone, so that a plan can be
judged without asking the planner how it understood the words. Half of the wordings are for tuning
(`voice` 0 to 3), half are held out (4 to 7).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

THEMES = {
    "romance": ("romance", "romantic evenings", "something romantic"),
    "food": ("food", "good food", "eating well"),
    "culture": ("culture", "local culture", "cultural sights"),
    "history": ("history", "old sites and history", "historic places"),
    "beach": ("beaches", "time at the beach", "the sea"),
    "nature": ("nature", "landscapes", "green scenery"),
    "adventure": ("adventure", "some adventure", "a bit of a thrill"),
    "photography": ("photography", "photo stops", "taking pictures"),
    "relaxation": ("relaxation", "doing little", "unwinding"),
    "shopping": ("shopping", "markets and shopping", "buying crafts"),
}
AVOIDS = {
    "no hiking": ("themes", "hiking"),
    "no boats": ("features", "boat"),
    "no museums": ("types", "museum"),
    "no caves": ("features", "cave"),
    "no nightlife": ("themes", "nightlife"),
    "no flights": ("modes", "flight"),
    "no motorbikes": ("features", "motorbike"),
    "nothing with steep climbs": ("features", "steep"),
}
GROUPS = {
    "a couple": 2,
    "me alone": 1,
    "two friends": 2,
    "a family of four": 4,
    "three friends": 3,
}
PACES = {"relaxed": "a relaxed pace", "packed": "a packed programme", "balanced": ""}
TODAY = date(2027, 1, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A wish as it was drawn: what was asked for, and the words for it."""

    days: int
    themes: tuple[str, ...]
    people: int
    pace: str
    level: str
    budget_usd: int | None
    per_day: bool
    must: tuple[str, ...]
    avoid: tuple[tuple[str, str], ...]
    start: str
    starts_on: date | None
    words: str


def drawn(places: Mapping[str, Mapping[str, Any]], number: int, *, held_out: bool) -> Drawn:
    """The wish of a number; the same number gives the same wish."""
    lot = random.Random(f"{'held out' if held_out else 'tuning'} {number}")
    cities = sorted(key for key, one in places.items() if one["kind"] == "city")
    sights = sorted(key for key, one in places.items() if one["kind"] in ("attraction", "activity"))
    days = lot.choice((1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12))
    themes = tuple(lot.sample(sorted(THEMES), lot.choice((1, 2, 2, 3))))
    avoid = tuple(lot.sample(sorted(AVOIDS), lot.choice((0, 0, 1, 1, 2))))
    must = [*lot.sample(cities, lot.choice((0, 1, 1, 2)) if days > 3 else lot.choice((0, 1)))]
    if lot.random() < 0.4:
        must.append(lot.choice(_allowed(sights, must, avoid, places)))
    group = lot.choice(sorted(GROUPS))
    level, budget, per_day = _purse(lot, days, GROUPS[group])
    start = lot.choice((*([must[0]] if must else []), "", ""))
    start = start if start in cities else ""
    starts_on = TODAY + timedelta(days=lot.randrange(20, 300)) if lot.random() < 0.6 else None
    chosen = {
        "days": days,
        "themes": themes,
        "group": group,
        "pace": lot.choice(sorted(PACES)),
        "level": level,
        "budget": budget,
        "per_day": per_day,
        "must": [places[one]["name"] for one in must],
        "avoid": avoid,
        "start": places[start]["name"] if start else "",
        "starts_on": starts_on,
    }
    return Drawn(
        days=days,
        themes=themes,
        people=GROUPS[group],
        pace=str(chosen["pace"]),
        level=level,
        budget_usd=budget,
        per_day=per_day,
        must=tuple(must),
        avoid=tuple(AVOIDS[one] for one in avoid),
        start=start,
        starts_on=starts_on,
        words=_words(chosen, lot.randrange(4) + 4 * held_out, lot),
    )


def is_avoided(place: Mapping[str, Any], avoid: Sequence[tuple[str, str]]) -> bool:
    """Whether a place of the files is one of those to be avoided."""
    for field, value in avoid:
        if field == "themes" and place["themes"].get(value, 0) >= 0.5 and place["kind"] != "stay":
            return True
        if field == "features" and value in place["features"] and place["kind"] != "stay":
            return True
        if field == "types" and place["type"] == value:
            return True
    return False


def _allowed(
    sights: Sequence[str],
    must: Sequence[str],
    avoid: Sequence[str],
    places: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """Sights that do not contradict: in a city that is visited anyway, and not to be avoided."""
    ruled = [AVOIDS[one] for one in avoid]
    fine = [one for one in sights if not is_avoided(places[one], ruled)]
    near = [one for one in fine if places[one]["city"] in must]
    return near or fine


def _purse(lot: random.Random, days: int, people: int) -> tuple[str, int | None, bool]:
    """A level, or a budget that a trip of that level can do with, or neither."""
    kind = lot.choice(("level", "budget", "neither"))
    if kind == "level":
        return lot.choice(("budget", "mid-range", "luxury")), None, False
    if kind == "neither":
        return "", None, False
    each = lot.choice((60, 90, 130, 200))
    per_day = lot.random() < 0.4
    return "", each * people * (1 if per_day else days), per_day


def _words(chosen: Mapping[str, Any], voice: int, lot: random.Random) -> str:
    days, group = chosen["days"], chosen["group"]
    themes = " and ".join(lot.choice(THEMES[one]) for one in chosen["themes"])
    forms = (
        f"Plan {days} days for {group}: {themes}.",
        f"{days} days, {group}, we care about {themes}.",
        f"I'd like a {days}-day trip for {group} with {themes}.",
        f"A trip of {days} days for {group}, focused on {themes}.",
        f"Could you put together {days} days for {group}? Interests: {themes}.",
        f"Looking for an itinerary, {days} days, {group}; {themes} matter most.",
        f"We have {days} days. It is for {group} and should be about {themes}.",
        f"{days}-day holiday for {group}. On the list: {themes}.",
    )
    parts = [forms[voice], *_wanted(chosen, voice)]
    return " ".join(part for part in parts if part)


def _wanted(chosen: Mapping[str, Any], voice: int) -> list[str]:
    parts = []
    if chosen["must"]:
        names = " and ".join(chosen["must"])
        parts.append(
            ("It must include {}.", "We want to see {} for sure.")[voice % 2].format(names)
        )
    if chosen["avoid"]:
        told = ", ".join(chosen["avoid"])
        parts.append(f"{told[0].upper()}{told[1:]}, please." if voice % 2 else f"But {told}.")
    if chosen["start"]:
        parts.append(f"Starting in {chosen['start']}.")
    if chosen["starts_on"]:
        parts.append(f"From {chosen['starts_on']:%d %B %Y}.")
    if chosen["budget"]:
        a_day = " a day" if chosen["per_day"] else ""
        parts.append(f"Budget {chosen['budget']} USD{a_day} for all of us.")
    if chosen["level"]:
        parts.append(
            {"budget": "Keep it cheap: budget level."}.get(
                chosen["level"], f"{str(chosen['level']).capitalize()} hotels."
            )
        )
    if PACES[chosen["pace"]]:
        parts.append(f"At {PACES[chosen['pace']]}.".replace("At a packed", "With a packed"))
    return parts
