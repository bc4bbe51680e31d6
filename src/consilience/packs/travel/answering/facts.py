"""What does the passage of a place say of it: price, hours, months, how long, what it serves?

A place's text has its facts in lines of their own (see `places`); each is told in the words it has
there, so that the passage bears it out to the letter.
"""

from __future__ import annotations

import re

from consilience.packs.travel.meeting import kind_of, strengths_of, texts
from consilience.packs.travel.wording import plain
from consilience.types import Exhibit

_PRICE = re.compile(r"^Price: (.+?)\.?$", re.MULTILINE)
_FREE = re.compile(r"^Free of charge\.", re.MULTILINE)
_HOURS = re.compile(r"^Open (.+?)\.(?= |$)", re.MULTILINE)
_CLOSED = re.compile(r"\bClosed on ([^.\n]+)\.")
_VISIT = re.compile(r"\bA visit takes about ([^.\n]+)\.")
_SLOTS = re.compile(r"\bGood in the ([^.\n]+)\.")
_MONTHS = re.compile(r"^Best in ([^.\n]+)\.", re.MULTILINE)
_DAYS = re.compile(r"^Stay ([^.\n]+)\.", re.MULTILINE)
_SERVES = re.compile(r"^Serves: (.+?)\.?$", re.MULTILINE)
_FEATURES = re.compile(r"^Features: (.+?)\.?$", re.MULTILINE)
_KNOWN = re.compile(r"^Known for: (.+?)\.?$", re.MULTILINE)
_LABEL = re.compile(
    r"[A-Z][a-z ]+: |Suits |Best in |Open |Stay \d|Free of charge|A visit |An invented"
)
LONGEST = 220
"""Letters of a sentence that is told of a place."""
DISHES = 3
"""What a place serves that is told of it in a list."""
REASONS = 2
"""Reasons that are told of one place."""


def name_of(exhibit: Exhibit) -> str:
    """The name of a place."""
    return str(exhibit.passage.metadata.get("name") or exhibit.passage.title)


def price(exhibit: Exhibit) -> str:
    """`60,000 VND for a meal`, `free of charge`; empty where it is not told."""
    if found := _PRICE.search(exhibit.text):
        return found[1]
    return "free of charge" if _FREE.search(exhibit.text) else ""


def hours(exhibit: Exhibit) -> str:
    """`Tu-Su 08:00-17:00`, without the days on which it is closed; `daily 08:00-17:00`."""
    spelt = [one.strip() for one in _first(_HOURS, exhibit).split(";")]
    told = ", ".join(one for one in spelt if not one.endswith((" off", " closed")))
    return re.sub(r"\bMo-Su\b", "daily", told)


def closed(exhibit: Exhibit) -> str:
    """`Monday`."""
    return _first(_CLOSED, exhibit)


def visit(exhibit: Exhibit) -> str:
    """`1 h 30 min`."""
    return _first(_VISIT, exhibit)


def slots(exhibit: Exhibit) -> str:
    """`morning, afternoon`."""
    return _first(_SLOTS, exhibit)


def months(exhibit: Exhibit) -> str:
    """`February to May`."""
    return _first(_MONTHS, exhibit)


def days(exhibit: Exhibit) -> str:
    """`2 to 3 days`."""
    return _first(_DAYS, exhibit)


def serves(exhibit: Exhibit, most: int | None = None) -> str:
    """`clay-pot chicken, tofu curry`; the first of them."""
    return ", ".join(_first(_SERVES, exhibit).split(", ")[:most])


def known_for(exhibit: Exhibit) -> str:
    """`lanterns, tailors`."""
    return _first(_KNOWN, exhibit)


def features(exhibit: Exhibit) -> str:
    """`wheelchair, indoor`."""
    return _first(_FEATURES, exhibit)


def where(exhibit: Exhibit) -> str:
    """`Hue, Central Vietnam`, as the first line of its text has it."""
    line = exhibit.text.partition("\n")[0]
    return line.rpartition(" in ")[2].partition(" (")[0].rstrip(".") if " in " in line else ""


def type_of(exhibit: Exhibit) -> str:
    """` (vegetarian restaurant)`; empty where it is not told."""
    spelt = str(exhibit.passage.metadata.get("type") or "").strip()
    return f" ({spelt})" if spelt and plain(spelt) in plain(exhibit.text) else ""


def description(exhibit: Exhibit) -> str:
    """The first sentence of what is written about a place: its text has it in the second line."""
    lines = exhibit.text.split("\n")
    line = lines[1].strip() if len(lines) > 1 else ""
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ])", line)[0].rstrip(".")
    return "" if _LABEL.match(line) or len(sentence) > LONGEST else sentence


def reasons(exhibit: Exhibit, themes: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Why a place suits these themes, or those that it suits best, as its passage says it."""
    fields = exhibit.passage.metadata
    whys = dict(zip(texts(fields.get("themes")), texts(fields.get("whys")), strict=False))
    strengths = strengths_of(exhibit.passage)
    chosen = themes or tuple(sorted(strengths, key=lambda one: (-strengths[one], one)))
    bare = {plain(str(fields.get("type", ""))), plain(name_of(exhibit)), ""}
    told = [(one, whys[one]) for one in chosen if plain(whys.get(one, "")) not in bare]
    return [one for one in told if plain(one[1]) in plain(exhibit.text)][
        : max(REASONS, len(themes))
    ]


def described(exhibit: Exhibit, themes: tuple[str, ...], *, with_hours: bool) -> str:
    """` (vegetarian restaurant): 60,000 VND for a meal; serves tofu curry`."""
    kind = kind_of(exhibit.passage)
    parts = []
    if with_hours and (told := hours(exhibit)):
        parts += [f"closed on {closed(exhibit)}"] if closed(exhibit) else []
        parts.append(f"open {told}")
    elif kind not in ("stay", "food"):
        parts += [why for _, why in reasons(exhibit, themes)]
    cost = price(exhibit)
    parts += [cost] if cost else []
    if kind == "food" and (dishes := serves(exhibit, DISHES)):
        parts.append(f"serves {dishes}")
    if kind in ("attraction", "activity", "area") and (time := visit(exhibit)):
        parts.append(f"a visit takes about {time}")
    if not parts and (said := description(exhibit)):
        parts.append(said)
    head = type_of(exhibit)
    return f"{head}: {'; '.join(parts)}" if parts else head


def _first(form: re.Pattern[str], exhibit: Exhibit) -> str:
    found = form.search(exhibit.text)
    return found[1].strip() if found else ""
