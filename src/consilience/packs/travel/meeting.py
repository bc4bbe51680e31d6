"""Which places meet all that a question asks for? Kind, features, level, time, price, and where.

What a question looks for is read as the graph reads it (see `reading`); each of its interests is
met by what the fields of a place say. Days and times are held against opening hours, and a price
that may not be passed against the price. What nothing is known of is not met.
"""

from __future__ import annotations

import re
from calendar import day_name
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from consilience.packs.travel.hours import closed_weekdays, is_hours, open_spans
from consilience.packs.travel.reading import Asked, Interest
from consilience.packs.travel.vocabulary import kinds_in, rarities_in
from consilience.packs.travel.wording import plain
from consilience.types import Passage, Value
from consilience.understand.names import surface

CONTAINERS = frozenset({"country", "region", "city", "area"})
"""Kinds of places that others are in."""
STRENGTH = 0.5
"""From which strength on a place suits a theme that is asked for."""
ALIKE: Mapping[str, Mapping[str, float]] = {
    "attraction": {"attraction": 1.0, "area": 1.0, "activity": 0.7},
    "activity": {"activity": 1.0, "attraction": 0.7},
    "city": {"city": 1.0, "region": 0.5},
    "area": {"area": 1.0, "attraction": 1.0},
}
"""How far a place of one kind is what somebody means who asks for another."""
LIKE_ENOUGH = 0.7
"""From which likeness on a place of another kind is meant as well: a sight is something to do."""
_TO_DO = frozenset({"attraction", "activity", "area", "city"})
_WHOLE = frozenset({"city", "region"})
_TRAVELS = re.compile(
    r"\b(?:trips?|holidays?|vacations?|honeymoons?|getaways?|weekends?|destinations?|breaks?|"
    r"escapes?|journeys?|travel(?:l?ing)?|(?:place|where|somewhere) (?:\w+ ){0,3}go)\b",
    re.IGNORECASE,
)
_EATEN = frozenset({"theme:food", "feature:vegetarian", "feature:seafood", "feature:spicy"})
_TYPED = ("type:", "feature:museum", "feature:temple")
_LOOSE = frozenset({"hotel", "restaurant"})
_LOOSE_NODES = frozenset(f"type:{one}" for one in _LOOSE)
_MONDAY = date(2026, 6, 1)
_DAYS = {plain(name): number for number, name in enumerate(day_name)}
_DAY = re.compile(rf"\b({'|'.join(_DAYS)})s?\b", re.IGNORECASE)
_CLOSED = re.compile(
    r"\b(?:clos(?:ed|es|ing)\b(?! at)|shut(?:s)?|not open|rest days?)", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:open|opens|visit|see|go)\b", re.IGNORECASE)
_AT = re.compile(
    r"\b(?:at|after|past|until|till|before)\s+(\d{1,2})(?:[:.](\d\d))?\s*(am|pm|a\.m\.|p\.m\.|"
    r"o'?clock|h)?\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:under|below|less than|cheaper than|up to|at most|no more than|not more than|max(?:imum)?"
    r"(?: of)?|within)\s+(?:[$€£¥₫]\s*)?(\d[\d.,]*)\s*(k|thousand|million|m)?\b"
    r"(?!\s*(?:min|hour|km|kilomet|mile|day|night|week|people|m\b))",
    re.IGNORECASE,
)
_TIMES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000, "m": 1_000_000}
_FREE = re.compile(
    r"\b(?:for free|for nothing|free of charge|free (?:entry|entrance|admission|to enter)|"
    r"free (?:museum|sight|thing|attraction|activit)\w*|no entrance fee|costs? nothing|"
    r"(?:is|are) (?:completely |totally )?free)\b",
    re.IGNORECASE,
)
_EXTRA = re.compile(r"\bwith (?:an? |its own |the )?((?:[a-z]+[ -]?){1,2})", re.IGNORECASE)
_PEOPLE = re.compile(
    r"^(?:my|our|his|her|their|a|an|the|two|three|small|young|kids?|child\w*|famil\w*|friends?|"
    r"good|great|nice|lots?|best|some|few|less|more|time|price\w*|no|great|many|beautiful|local|"
    r"lovely|amazing|decent|proper|real|really|very|it|them|us|me|you|wife|husband|partner|"
    r"parents?|grand\w+|baby|toddler\w*|teenager\w*|views?|character|style|charm)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a question says of days, clock times and prices, and what a place must speak of.

    `extras` are words, `rare` is what a place either has or has not. `closed` and `opened` are days
    of the week (0 is Monday); `clock` is in minutes after midnight.
    """

    closed: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    clock: int | None = None
    most: Decimal | None = None
    free: bool = False
    extras: tuple[str, ...] = ()
    rare: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self != Limits()


def limits_in(text: str, asked: Asked) -> Limits:
    """The limits that a question sets; `asked` is what else it looks for."""
    days = tuple(dict.fromkeys(_DAYS[plain(one)] for one in _DAY.findall(text)))
    is_closed = bool(_CLOSED.search(text))
    is_open = not is_closed and bool(_OPEN.search(text))
    clock = _clock(text) if re.search(r"\bopen", text, re.IGNORECASE) else None
    return Limits(
        closed=days if is_closed else (),
        opened=days if is_open else (),
        clock=clock,
        most=_most(text),
        free=bool(_FREE.search(text)),
        extras=_extras(text, asked),
        rare=frozenset(rarities_in(text)),
    )


def meets(passage: Passage, asked: Asked, limits: Limits) -> bool:
    """Whether a place is of the kind, and has all, and nothing of what is not wanted."""
    return (
        passage.kind == "place"
        and (is_of_kind(passage, asked.kinds) if asked.kinds else _is_to_do(passage, asked))
        and all(_meets(passage, one) for one in asked.interests)
        and not any(_holds(passage, node) for node in asked.unwanted)
        and _in_time(passage, limits)
        and _in_price(passage, limits)
        and all(one in f" {surface(passage.text)} " for one in limits.extras)
        and limits.rare <= rarities_in(passage.text).keys()
    )


def meets_most(passage: Passage, asked: Asked, limits: Limits, fewest: int) -> bool:
    """The same where so many of the themes will do."""
    themes = [one for one in asked.interests if is_theme(one)]
    others = tuple(one for one in asked.interests if not is_theme(one))
    met = sum(_meets(passage, one) for one in themes)
    return met >= fewest and meets(passage, replace(asked, interests=others), limits)


def loosened(asked: Asked) -> Asked:
    """The same where any place to stay does for a hotel, and any to eat at for a restaurant."""
    kinds = tuple(
        (kind, "" if kind_type in _LOOSE else kind_type) for kind, kind_type in asked.kinds
    )
    return replace(
        asked,
        kinds=kinds,
        interests=tuple(one for one in asked.interests if not one.nodes.keys() & _LOOSE_NODES),
    )


def is_theme(interest: Interest) -> bool:
    """Whether a theme is looked for; a word that names a type of place hints at some only."""
    return any(node.startswith("theme:") and weight == 1.0
               for node, weight in interest.nodes.items())  # fmt: skip


def order(places: Sequence[Passage], asked: Asked, text: str) -> list[Passage]:
    """The places by how well they suit the themes of a question, taken together.

    Cities come first where it asks where to travel and names no kind.
    """
    travels = not asked.kinds and bool(_TRAVELS.search(text))
    return sorted(
        places,
        key=lambda one: (travels and kind_of(one) not in _WHOLE, -_merit(one, asked)),
    )


def _merit(passage: Passage, asked: Asked) -> float:
    """The sum of its strengths for the themes that are asked for."""
    strengths = strengths_of(passage)
    return sum(
        max(strengths.get(node.removeprefix("theme:"), 0.0) for node in one.nodes)
        for one in asked.interests
        if is_theme(one)
    )


def is_in(passage: Passage, nodes: Sequence[str]) -> bool:
    """Whether a place lies in one of these, as its fields say."""
    fields = passage.metadata
    return any(fields.get(name) in nodes for name in ("city", "region", "country", "area"))


def is_of_kind(passage: Passage, kinds: Sequence[tuple[str, str]]) -> bool:
    """Whether a place is of one of these kinds and types."""
    kind, type_of = kind_of(passage), str(passage.metadata.get("type", "")).casefold()
    type_of = "" if type_of == kind else type_of  # says no more than the kind
    for wanted, wanted_type in kinds:
        if not wanted_type:
            if ALIKE.get(wanted, {wanted: 1.0}).get(kind, 0.0) >= LIKE_ENOUGH:
                return True
        elif _is_type(passage, wanted_type) or (kind == wanted and not type_of):
            return True
        elif kind == wanted and wanted_type in texts(passage.metadata.get("features")):
            return True  # a pagoda has the feature temple
        elif type_of and kind == wanted and wanted_type.endswith(f" {type_of}"):
            return True  # what is narrower than the type is a feature, and asked for as such
    return False


def _is_type(passage: Passage, wanted: str) -> bool:
    """Whether a place is of a type, or of one that is narrower: an art museum is a museum."""
    type_of = str(passage.metadata.get("type", "")).casefold()
    return f" {type_of}".endswith(f" {wanted}")


def _is_to_do(passage: Passage, asked: Asked) -> bool:
    """Whether a place is one to visit, or to eat at where something to eat is asked for."""
    kind = kind_of(passage)
    if kind != "food":
        return kind in _TO_DO
    nodes = [node for one in asked.interests for node in one.nodes]
    return any(node in _EATEN or node.startswith("dish:") for node in nodes)


def kind_of(passage: Passage) -> str:
    """`attraction`, `stay`, …"""
    return str(passage.metadata.get("node_kind", ""))


def texts(value: Value | None) -> tuple[str, ...]:
    """A field of one or several texts."""
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def price_of(passage: Passage) -> Decimal | None:
    """What a place costs, where that is known."""
    price = passage.metadata.get("price")
    return Decimal(str(price)) if isinstance(price, int | float) else None


def strengths_of(passage: Passage) -> dict[str, float]:
    """How well a place suits each of its themes; 1 where that is not said."""
    themes = texts(passage.metadata.get("themes"))
    weighed = texts(passage.metadata.get("strengths"))
    if len(weighed) != len(themes):
        return dict.fromkeys(themes, 1.0)
    return {theme: float(weight) for theme, weight in zip(themes, weighed, strict=True)}


def _meets(passage: Passage, interest: Interest) -> bool:
    levels = [node for node in interest.nodes if node.startswith("level:")]
    if levels and passage.metadata.get("level"):
        return any(_holds(passage, node) for node in levels)
    if "level:budget" in levels and kind_of(passage) in ("stay", "food"):
        return price_of(passage) is not None  # the cheapest are told first
    if any(_is_untyped(passage, node) for node in interest.nodes):
        return True
    full = [node for node, weight in interest.nodes.items() if weight == 1.0]
    if kind_of(passage) in _WHOLE and all(node.startswith(_TYPED) for node in full):
        full = []  # a city has museums and is none: what it suits tells
    nodes = full or list(interest.nodes)
    if any(node.startswith(("feature:", "dish:")) for node in nodes):
        nodes = [node for node in nodes if node != "theme:food"]  # all places to eat suit that
    return any(_holds(passage, node) for node in nodes)


def _is_untyped(passage: Passage, node: str) -> bool:
    """Whether a node says a type of a kind that the place is of, which says no type itself."""
    prefix, _, value = node.partition(":")
    if prefix != "type" or passage.metadata.get("type"):
        return False
    return any(one.kind == kind_of(passage) for one in kinds_in(value))


def _holds(passage: Passage, node: str) -> bool:
    """Whether `theme:romance`, `feature:indoor`, `level:budget`, `month:5`, … holds of a place."""
    prefix, _, value = node.partition(":")
    fields = passage.metadata
    if prefix == "theme":
        own = 1.0 if value == kind_of(passage) else 0.0
        return max(own, strengths_of(passage).get(value, 0.0)) >= STRENGTH
    if prefix in ("type", "kind"):
        return _is_type(passage, value) if prefix == "type" else is_of_kind(passage, [(value, "")])
    if prefix in ("month", "slot"):
        known = texts(fields.get("best_months" if prefix == "month" else "slots"))
        return value in known or not known
    if prefix == "level":
        return price_of(passage) == 0 if value == "free" else fields.get("level") == value
    held = {"feature": ("features",), "offer": ("offers",), "dish": ("serves",)}
    names = held.get(prefix, ("known_for", "offers", "serves", "features"))
    spelt = surface(value)
    return any(surface(one) == spelt for name in names for one in texts(fields.get(name)))


def _in_time(passage: Passage, limits: Limits) -> bool:
    if not (limits.closed or limits.opened or limits.clock is not None):
        return True
    hours = str(passage.metadata.get("hours", ""))
    if not hours or not is_hours(hours):
        return False
    shut = closed_weekdays(hours)
    if any(day not in shut for day in limits.closed) or any(day in shut for day in limits.opened):
        return False
    if limits.clock is None:
        return True
    days = limits.opened or range(7)
    spans = [open_spans(hours, _MONDAY + timedelta(days=day)) for day in days]
    return any(first <= limits.clock < last for span in spans for first, last in span)


def _in_price(passage: Passage, limits: Limits) -> bool:
    price = price_of(passage)
    if limits.free:
        return price == 0
    return limits.most is None or (price is not None and price <= limits.most)


def _clock(text: str) -> int | None:
    """`after 9 pm` in minutes after midnight; a bare number counts where it is one of a clock."""
    match = _AT.search(text)
    if match is None or not (match[2] or match[3]) or int(match[1]) > 24:
        return None
    half = (match[3] or "").casefold().replace(".", "")
    hour = int(match[1]) % 12 if half in ("am", "pm") else int(match[1])
    return (hour + (12 if half == "pm" else 0)) * 60 + int(match[2] or 0)


def _most(text: str) -> Decimal | None:
    match = _MOST.search(text)
    if match is None:
        return None
    digits = match[1].rstrip(".,")
    digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", digits).replace(",", ".")
    if digits.count(".") > 1:
        return None
    return Decimal(digits) * _TIMES.get((match[2] or "").casefold(), 1)


def _extras(text: str, asked: Asked) -> tuple[str, ...]:
    """What a place is to be "with" that no other word of the question stands for: `pool`."""
    labels = [*(one.label for one in asked.interests), *asked.unwanted.values()]
    taken = f" {surface(' '.join(labels))} "
    found = []
    for match in _EXTRA.finditer(text):
        words = [one for one in surface(match[1]).split() if not _PEOPLE.match(one)]
        if words and len(words[0]) > 2 and f" {words[0]} " not in taken:
            found.append(f" {words[0]}")
    return tuple(found)
