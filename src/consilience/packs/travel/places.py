"""How is a place told, in words and in fields? One passage: prose, then its facts in words.

Everything that can be asked about stands in the text, so that words and meaning find it; the
fields hold the same for filters, for the graph and for planning.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from consilience.evidence.loaders.json_records import shown
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.prices import settled
from consilience.packs.travel.hours import closed_weekdays
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
_UNTOLD = re.compile(r"://|@|\.(?:jpe?g|png|svg)$|^#[0-9a-f]{6}$", re.IGNORECASE)
_ABSTRACT = re.compile(
    r"(?:^|[._ ])(?:id|url|code|timezone|lastedit|wikidata|flag|tld|image)$", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
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
    def told(self) -> str:
        """`Hue, Central Vietnam`."""
        names = (self.city_name, self.region_name, self.country_name)
        return ", ".join(dict.fromkeys(filter(None, names)))


def place_blocks(draft: Draft, where: Where, *, usual: str) -> Iterator[Block]:
    """The passage of a place, and what of its text is too long to be searched in one passage.

    `usual` is the currency of prices that name none.
    """
    lines = [line for line in _told(draft, where, usual) if line]
    searched, rest = _searched(lines, draft)
    text = "\n".join(lines)
    if len(text) > _LONGEST:  # the rest of it is told below
        text = searched
    yield Block(
        text=text,
        locator=Locator(section=(draft.name,)),
        kind="place",
        whole=True,
        metadata=_fields(draft, where, usual),
        search=searched if searched != text else "",
    )
    if rest:
        yield Block(
            text=rest,
            locator=Locator(section=(draft.name, DETAILS)),
            kind="text",
            metadata={"about": draft.id, "topic": DETAILS.lower()},
        )


def _searched(lines: Sequence[str], draft: Draft) -> tuple[str, str]:
    """What of a place's text is searched as its own passage, and the rest; the rest may be none.

    The first line and the description come first, then facts, the shortest to tell before lists.
    """
    if sum(map(_size, lines)) <= _ROOM:
        return "\n".join(lines), ""
    suits = [line for line in lines[1:] if line.startswith(_SUITS)]
    facts = [line for line in lines[1:] if line != draft.description and line not in suits]
    brief = [f"{_SUITS}{', '.join(one.theme for one in draft.suits)}."] if draft.suits else []
    facts.sort(key=lambda line: line.startswith(_LISTS))
    prose, told, rest = [lines[0]], list[str](), list[str]()
    room = _ROOM - _size(lines[0]) - sum(map(_size, brief))
    full = False
    for sentence in filter(None, _SENTENCES.split(draft.description)):
        full = full or _size(sentence) > room
        (rest if full else prose).append(sentence)
        room -= 0 if full else _size(sentence)
    for line in facts:
        fits = _size(line) <= room
        (told if fits else rest).append(line)
        room -= _size(line) if fits else 0
    told = [*brief, *told]
    return "\n".join([prose[0], " ".join(prose[1:]), *told]), "\n".join([*rest, *suits])


def _size(text: str) -> int:
    """About how many tokens a text has, as encoders of words' pieces count; rather too many."""
    return sum(
        1 + (len(word) - 1) // 6 if word.isascii() else 1 + len(word)
        for word in _PIECES.findall(text)
    )


def remark_blocks(draft: Draft) -> Iterator[Block]:
    """What is told of a place besides what it is: each topic a passage of its own."""
    for topic, text in draft.remarks.items():
        yield Block(
            text=text,
            locator=Locator(section=(draft.name, _TOPICS[topic])),
            kind="text",
            whole=True,
            metadata={"about": draft.id, "topic": topic},
        )


# --- fields -------------------------------------------------------------------------------


def _fields(draft: Draft, where: Where, usual: str) -> dict[str, Value]:
    fields: dict[str, Value] = {
        "node": draft.id,
        "name": draft.name,
        "node_kind": draft.kind,
    }
    pairs: tuple[tuple[str, Value], ...] = (
        ("aliases", draft.aliases),
        ("type", draft.type),
        ("city", where.city),
        ("region", where.region),
        ("country", where.country),
        ("tags", draft.tags),
    )
    fields |= {name: value for name, value in pairs if value}
    if draft.point is not None:
        fields |= {"lat": draft.point.lat, "lon": draft.point.lon}
    if draft.suits:
        fields["themes"] = tuple(one.theme for one in draft.suits)
        fields["strengths"] = tuple(one.strength for one in draft.suits)
        fields["whys"] = tuple(one.why for one in draft.suits)
    if draft.price is not None:
        fields["price"] = draft.price.amount
        if currency := currency_of(draft, usual):
            fields["currency"] = currency
        if draft.price.words:
            fields["price_text"] = draft.price.words
    elif draft.currency:
        fields["currency"] = draft.currency
    fields |= draft.facts
    return fields | {name: one for name, one in draft.others.items() if name not in fields}


def currency_of(draft: Draft, usual: str) -> str:
    """The currency of a place's price: what it says itself, else the usual one."""
    said = draft.price.currency if draft.price is not None else ""
    return settled(said, draft.currency or usual)


# --- words --------------------------------------------------------------------------------


def _told(draft: Draft, where: Where, usual: str) -> Iterator[str]:
    yield _opening(draft, where)
    yield draft.description
    if draft.suits:
        suits = (f"{one.theme} ({one.why})" if one.why else one.theme for one in draft.suits)
        yield f"{_SUITS}{'; '.join(suits)}."
    yield from _listed("Tags", draft.tags)
    yield from _facts(draft, usual)
    others = [line for name, value in draft.others.items() if (line := _line(name, value))]
    if others:
        yield "; ".join(others[:_OTHER_FIELDS]) + "."


def _opening(draft: Draft, where: Where) -> str:
    others = [one for one in draft.aliases if one not in draft.name]
    plain = sorted(others, key=lambda one: (not one.isascii(), len(one)))
    chosen = [one for one in others if one in plain[:_OTHER_NAMES]][:_OTHER_NAMES]
    names = f"{draft.name} ({', '.join(chosen)})" if chosen else draft.name
    kind = draft.type or _KINDS.get(draft.kind, draft.kind)
    if not draft.description and where.told:  # the only sentence there is
        return f"{names} is in {where.told}{f' ({kind})' if kind else ''}."
    words = " in ".join(filter(None, (kind, where.told)))
    if not kind and words:
        words = f"in {words}"
    return f"{names}. {words[:1].upper()}{words[1:]}." if words else f"{names}."


def _facts(draft: Draft, usual: str) -> Iterator[str]:
    facts = draft.facts
    yield from _listed("Known for", facts.get("known_for"))
    yield from _listed("Offers", facts.get("offers"))
    yield from _listed("Serves", facts.get("serves"))
    if months := facts.get("best_months"):
        yield f"Best in {in_months(_numbers(months))}."
    if stay := _numbers(facts.get("suggested_days")):
        ends = dict.fromkeys(map(str, (stay[0], stay[-1])))
        yield f"Stay {' to '.join(ends)} day{'' if stay[-1] == 1 else 's'}."
    yield " ".join(filter(None, (_hours(facts), _visit(facts))))
    yield _price(draft, usual)
    for name in ("level", "effort"):
        yield from _listed(name.capitalize(), facts.get(name))
    yield from _listed("Features", facts.get("features"))
    yield from _listed("Codes", facts.get("codes"))
    if facts.get("invented"):
        yield "An invented example, not a real business."


def _listed(label: str, value: Value | None) -> Iterator[str]:
    if value:
        items = value if isinstance(value, tuple) else (value,)
        yield f"{label}: {', '.join(map(str, items))}."


def _numbers(value: Value | None) -> tuple[int, ...]:
    found = value if isinstance(value, tuple) else () if value is None else (value,)
    return tuple(int(one) for one in found)


def in_months(months: Sequence[int]) -> str:
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
        " to ".join(dict.fromkeys(calendar.month_name[one] for one in (run[0], run[-1])))
        for run in runs
    ]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _hours(facts: dict[str, Value]) -> str:
    hours = str(facts.get("hours", ""))
    if not hours:
        return ""
    if hours == "24/7":
        return "Open day and night."
    closed = [calendar.day_name[one] for one in closed_weekdays(hours)]
    return f"Open {hours}." + (f" Closed on {', '.join(closed)}." if closed else "")


def _visit(facts: dict[str, Value]) -> str:
    spent = _numbers(facts.get("visit_minutes"))
    slots = facts.get("slots")
    told = f"A visit takes about {in_time(spent[0])}." if spent else ""
    if isinstance(slots, tuple) and slots:
        told = f"{told} Good in the {', '.join(map(str, slots))}.".strip()
    return told


def in_time(minutes: int) -> str:
    """`2 h 40 min`."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours)
    return " ".join(parts)


def in_money(amount: float, currency: str) -> str:
    """`120,000 VND`."""
    return f"{Decimal(str(amount)):,} {currency}".strip()


def _price(draft: Draft, usual: str) -> str:
    if draft.price is None:
        return ""
    if draft.price.amount == 0:
        return "Free of charge."
    words = draft.price.words
    told = in_money(draft.price.amount, currency_of(draft, usual))
    per = {"stay": " for a room and night", "food": " for a meal"}.get(draft.kind, "")
    said = f" ({words})" if words and re.sub(r"\W", "", words) != re.sub(r"\W", "", told) else ""
    return f"Price: {told}{per}{said}."


def _line(name: str, value: Value) -> str:
    text = shown(value)
    if value is False or len(text) > _SHORT or _UNTOLD.search(text) or _ABSTRACT.search(name):
        return ""
    label = re.sub(r"[._]+", " ", name).strip()
    return f"{short(label, 60).capitalize()}: {text}"
