"""How are places named in lists and answers, and which names of a question are not here at all?

Answers about places are written and checked by the engine; the pack only names its passages.
"""

from __future__ import annotations

import calendar
import re

from consilience.pack import Reading
from consilience.types import Passage
from consilience.understand.names import surface

SHORT = 12
"""Words of a question in which a name is what it is about."""
_NAME = re.compile(
    r"\b(?:in|to|from|near|at|around|between|of|for|and)\s+(?:the\s+)?"
    r"([A-Z][\w-]+(?:\s+(?:of\s+|the\s+)*[A-Z][\w-]+)*)"
)
_CALENDAR = frozenset(map(surface, (*calendar.month_name, *calendar.day_name, "I")))


def place_key(passage: Passage) -> str:
    """The node of a place: the parts of a long description are about the same one."""
    return str(passage.metadata.get("node", passage.id))


def part_worth(passage: Passage) -> float:
    """Of several parts the first says what the place is."""
    return -float(passage.locator.part or 0)


def place_name(passage: Passage) -> str:
    """What a list calls a place."""
    return str(passage.metadata.get("name") or passage.title)


def place_label(passage: Passage) -> str:
    """`Place - Old Fort, fort`."""
    kind = passage.metadata.get("type") or passage.metadata.get("node_kind", "")
    return f"Place - {place_name(passage)}{f', {kind}' if kind else ''}"


def way_label(passage: Passage) -> str:
    """`Way - Hanoi to Hue by train`."""
    fields = passage.metadata
    start, end = (
        fields.get(f"{side}_name") or fields.get(side, "") for side in ("source", "target")
    )
    mode = f" by {fields['mode']}" if fields.get("mode") else ""
    return f"Way - {start} to {end}{mode}"


def absent_names(reading: Reading) -> tuple[str, ...]:
    """Places that a short question names and that are not here; the engine looks for them in prose.

    A longer question may only mention where somebody comes from.
    """
    if reading.nodes or len(reading.text.split()) > SHORT:
        return ()
    known = " ".join(f" {mention.surface} " for mention in reading.mentions)
    names = dict.fromkeys(match[1] for match in _NAME.finditer(reading.text))
    return tuple(
        name
        for name in names
        if f" {surface(name)} " not in known
        and not any(word in known.split() for word in surface(name).split())
        and surface(name) not in _CALENDAR
        and not name.isupper()
    )
