"""How does a place become a passage? Prose, then its facts in words; the same facts as metadata.

Everything that can be asked about stands in the text, so that words and meaning find it; the
metadata hold it for filters, for the graph and for planning. What does not fit into the few hundred
tokens that an encoder reads becomes a passage beside it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from consilience.evidence.loaders.json_records import shown
from consilience.evidence.size_limits import short
from consilience.packs.travel.hours import closed_weekdays
from consilience.packs.travel.place_records import PlaceRecord
from consilience.packs.travel.place_values import meant_currency
from consilience.types import Block, Locator, Value

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
