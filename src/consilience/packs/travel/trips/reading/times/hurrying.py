"""How little time does a text give: hours instead of days, an evening for two cities, all of it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE

_MINUTES = {"hour": 60.0, "hr": 60.0, "minute": 1.0, "min": 1.0, "second": 1 / 60, "sec": 1 / 60}
_MOVING = (
    r"bus|buses|coach|train|car|van|taxi|ferry|boat|flight|plane|drive|drives|driving|ride|rides"
    r"|walk|walks|walking|hike|hikes|trek|transfer|transfers|road|cruise|massage|class|lesson|tour"
    r"|jet ?lag|sleep|sit|sitting|travel|travelling|flying|journey|commute"
)
_SHORT = re.compile(
    rf"\b(?:(?:in|for|have|has|got|within|under|only|just|spend|about|with|but|layover of"
    rf"|stopover of)"
    rf"\s+(?:(?:only|just|about|less than|under|the next|exactly)\s+)*|^)"
    rf"(?P<count>{NUMBER}|an?|half an?|a few|a couple of|(?:one|a) single)"
    rf"[\s-]+(?P<unit>(?:nano|micro|milli)?(?:hours?|hrs?|minutes?|mins?|seconds?|secs?))\b"
    rf"(?!\s+(?:of\s+)?(?:{_MOVING}|from|away|by|per|each|a day|before|later|ago|max|on (?:a|the)"
    r"|every|daily|north|south|east|west)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"^\W*(?P<count>{NUMBER}|an?|half an?)[\s-]+(?P<unit>(?:nano|micro|milli)?(?:hours?|hrs?"
    rf"|minutes?|mins?|seconds?|secs?))\s+(?:in|at|for|to see|around)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(rf"\b(?:{_MOVING})\b[^.;!?,]*$", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:before (?:lunch|noon|breakfast|dinner)|(?:this|in one|in an?|in a single"
    r"|one) (?:afternoon"
    r"|morning|evening)(?! (?:and|in the|trip))|by (?:noon|lunchtime)|over lunch"
    r"|between breakfast and"
    r" (?:lunch|dinner)|(?:have|has|got|'ve|with|on) (?:only |just )?(?:the |a |one |our )?"
    r"(?:\w+day )?(?:afternoon|morning|evening|arvo) (?:free|off|to spare|only|to kill))\b",
    re.IGNORECASE,
)
_PART_MINUTES = 240
_TOGETHER = re.compile(
    r"\b(?:(?:on |in )?(?:the |one and the )?(?:very )?same (?P<part>evening|afternoon|morning"
    r"|night"
    r"|hour|time|moment|lunch\w*|dinner|sunset|sunrise)|at (?:the stroke of )?midnight"
    r"|at once|simultaneously)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:(?:every|each)(?: single| last)?|all(?: of)?(?: the| its| of its)?(?: \d+| [a-z]+ty(?:-"
    r"[a-z]+)?)?)\s+(?:famous |major |big |beautiful )?(?P<what>[a-z]{4,}(?: [a-z]{4,})?)\b",
    re.IGNORECASE,
)
_AREAS = re.compile(
    r"^(?:cit(?:y|ies)|towns?|provinces?|regions?|districts?|destinations?|corners?)\b", re.I
)
_EVERYTHING = re.compile(
    r"\b(?:(?:see|visit|do|tour|cover|know|explore)\s+(?:absolutely |literally |simply )?(?:it all"
    r"|everything|every place|all there is)|(?:the )?(?:whole|entire)(?: of)?(?: the)? (?:country"
    rf"|land|nation|{PLACE})|all of (?:the )?{PLACE}|(?:from )?(?:top|north|one end) to (?:bottom"
    r"|south|the other)|(?:from )?coast to coast)\b",
    re.IGNORECASE,
)
_CLOCK = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.|o'clock)?"
    r"|(?P<noon>noon)"
)
_ARRIVES = re.compile(
    rf"\b(?:land|arriv\w+|touch down|get in)\b[^.;]{{0,30}}?\bat (?:{_CLOCK})", re.I
)
_LEAVES = re.compile(
    rf"\b(?:leav\w+|depart\w*|fly (?:out|home|back)|flight (?:out|home|back))\b[^.;]{{0,30}}?\bat "
    rf"(?:{_CLOCK})",
    re.IGNORECASE,
)
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Haste:
    """How long it may take in minutes, and how that is said."""

    minutes: float
    said: str


def haste_of(text: str) -> Haste | None:
    """The hours, minutes or part of a day that all of it is to take; None where none is said."""
    for form in (_OPENING, _SHORT):
        for match in form.finditer(text):
            moved = form is _SHORT and _MOVED.search(text[: match.start()])
            if not moved and (minutes := _span(match)) <= _DAY:
                return Haste(minutes, f"{match['count']} {match['unit']}")
    if part := _PART.search(text):
        return Haste(_PART_MINUTES, part[0])
    return _between_clocks(text)


def _span(match: re.Match[str]) -> float:
    unit, said = match["unit"].casefold(), match["count"].casefold()
    small = unit.startswith(("nano", "micro", "milli"))
    bare = re.sub(r"^(?:nano|micro|milli)", "", unit).rstrip("s")
    each = 0.0 if small else _MINUTES[bare]
    return each * (0.5 if said.startswith("half") else 1 if said[:1] == "a" and len(said) < 3
                   else 1 if "single" in said else value(said))  # fmt: skip


def _between_clocks(text: str) -> Haste | None:
    arrives, leaves = _ARRIVES.search(text), _LEAVES.search(text)
    same = re.search(r"\bsame day\b|\bone day\b|\btoday\b", text, re.IGNORECASE)
    if not (arrives and leaves and same):
        return None
    minutes = _clock(leaves) - _clock(arrives)
    said = f"from {arrives[0].rpartition(' at ')[2]} to {leaves[0].rpartition(' at ')[2]}"
    return Haste(minutes, said) if minutes > 0 else None


def _clock(match: re.Match[str]) -> int:
    if match["noon"]:
        return 12 * 60
    late = (match["half"] or "").startswith("p") and int(match["hour"]) < 12
    return (int(match["hour"]) + 12 * late) * 60 + int(match["minute"] or 0)


def together(text: str) -> str:
    """The moment at which several places are to be had at once; empty for none."""
    match = _TOGETHER.search(text)
    return match[0] if match else ""


_MEALS = re.compile(
    rf"\b(?P<meal>breakfast|brunch|lunch|dinner|supper|sunrise|sunset)\s+(?:in|at"
    rf"|on)\s+(?P<place>{PLACE})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?P<count>{NUMBER})\s+(?:different |famous |big "
    rf"|great )*(?P<what>[a-z]{{4,}})(?P<daily>\s+(?:a|per|each|every)"
    r" day)?\b",
    re.IGNORECASE,
)


def meals_apart(rest: str) -> tuple[str, ...]:
    """The meals of one day that are to be in different places, where they are listed so."""
    found = {one["meal"].casefold(): one["place"][0] for one in _MEALS.finditer(rest)}
    return tuple(found) if len(set(found.values())) == len(found) > 1 else ()


def numbered(text: str) -> Iterator[tuple[int, str, bool]]:
    """So many of something, and whether they are for each day."""
    for match in _NUMBERED.finditer(text):
        yield value(match["count"]), match["what"], bool(match["daily"])


_LISTED = re.compile(
    rf"\b(?P<count>{NUMBER}) (?:\w+ )?(?:places|cities|towns|destinations|stops)\b", re.IGNORECASE
)
_EACH_OF = re.compile(
    rf"\b(?:(?P<nights>{NUMBER}|an?) (?:full |whole )?(?P<unit>nights?|days?) )?(?:in|at|of|to|see"
    r"|visit) (?:each|every|all)(?: single)?(?: one)?(?: of (?:them|these|those))\b",
    re.IGNORECASE,
)


_ALL_OF = re.compile(
    r"\b(?:want|need|like|do|see|visit|have|take|book|include|in|at|to|of)(?: to (?:see|visit|do))?"
    r" (?:all|each|every (?:single )?one)(?: \d+)? of (?:them|these|those)\b[^.;!?]{0,20}?"
    rf"\b(?P<nights>{NUMBER}|an?) (?:full |whole )?(?P<unit>nights?|days?) (?:each|apiece|in each"
    r"|per (?:city|place|town|stop))\b",
    re.IGNORECASE,
)
"""The nights behind what is wanted all of: "I want all of them, two nights each"."""


def each_of(text: str) -> tuple[int, int, str] | None:
    """So many places that are listed, the nights or days in each of them, and how it is said."""
    listed, asked = _LISTED.search(text), _ALL_OF.search(text) or _EACH_OF.search(text)
    if listed is None or asked is None or asked.start() < listed.end():
        return None
    return value(listed["count"]), value(asked["nights"] or "one"), f"{listed[0]}: {asked[0]}"


_IN_EACH = re.compile(
    rf"\b(?:at least|(?:a )?minimum(?: of)?|no(?:t)? (?:less|fewer) than) (?P<nights>{NUMBER})"
    r" (?:full |whole )?nights? (?:in|at|for|per) (?:each|every|all)?\s?(?:single )?"
    r"(?:place|city|town|stop|of them|one)\b",
    re.IGNORECASE,
)


def nights_in_each(text: str) -> tuple[int, str] | None:
    """The nights that each of the places named is to have at least, and how that is said."""
    match = _IN_EACH.search(text)
    return (value(match["nights"]), match[0]) if match else None


def wants_every_city(text: str) -> str:
    """The words that ask for every city or province; empty for none."""
    for match in _ALL.finditer(text):
        if _AREAS.match(match["what"]):
            return match[0]
    return ""


def every_kind(text: str) -> tuple[str, ...]:
    """What is asked for all of: "every museum", "all the islands", as it is said."""
    return tuple(one["what"] for one in _ALL.finditer(text) if not _AREAS.match(one["what"]))


def wants_everything(text: str) -> str:
    """The words that ask for all of a country; empty for none."""
    match = _EVERYTHING.search(text)
    return match[0] if match else ""


def sides_in(text: str) -> frozenset[str]:
    """The parts of a country that are listed: "north, centre and south"."""
    form = (
        r"\b(north|south|east|west|cent(?:er|re|ral))(?:ern)?\b(?=\s*(?:,|and\b|&|or\b|of\b|in\b))"
    )
    found = {one[1][:4].casefold() for one in re.finditer(form, text, re.IGNORECASE)}
    return frozenset(found) if len(found) > 1 else frozenset()
