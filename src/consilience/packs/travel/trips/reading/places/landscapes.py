"""Which kind of landscape does a text ask for in a city that it names: a beach, a cave, a volcano?

"Island hopping in A", "A's beach" and "the volcano near A" bind it by a word. A bed by the sea ("a
room on the beach", "the ocean off our deck") is bound to the only city of a wish as well, unless
the sentence goes on to somewhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.sentence import PLACE, Mention, Sentence
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

SEA = "the sea"
_SEAS = r"(?:beach(?:es)?|sea|ocean|seaside|sea ?shore|sea ?front|surf beach|waves|coast)"
_WORDS = {  # a kind of landscape, and the words that ask for it
    SEA: r"(?:beach(?:es)?|seaside|sea ?shore|ocean|sea views?|ocean views?|sea(?! of\b| food)"
    r"|coral reefs?|coastline)",
    "islands": r"(?:island[- ]hopping|islands|archipelago)",
    "caves": r"(?:cave[- ]diving|caving|cave (?:tours?|trips?|expeditions?)"
    r"|caves|caverns?|grotto(?:e?s)?)",
    "a volcano": r"(?:(?:active |live |living |smoking |erupting )*volcano(?:e?s)?"
    r"|lava fields?|crater lakes?)",
    "a desert": r"(?:deserts?|sand dunes?|dunes)",
    "a waterfall": r"(?:waterfalls?|cascades)",
    "mountains": r"(?:mountain (?:peaks?|climbing|hikes?|trek\w*|views?)|mountaineering|summits?)",
    "a zoo": r"(?:zoos?|aquariums?|safari parks?)",
    "an amusement park": r"(?:(?:amusement|theme|water) ?parks?)",
    "a rainforest": r"(?:rain ?forests?|jungles?)",
}  # fmt: skip
_BEDS = (
    r"(?:rooms?|hotels?|resorts?|bungalows?|villas?|huts?|houses?|cabins?|suites?|lodges?"
    r"|hostels?|homestays?|apartments?|cottages?|beds?)"
)
_DOORS = (
    r"(?:decks?|porch|doors?|doorstep|balcon(?:y|ies)|windows?|terraces?|verandas?|beds?|rooms?"
    r"|hotels?|bungalows?|villas?)"
)
_BEACHED = re.compile(
    rf"\b(?:{_SEAS}[- ]?(?:front|side|view|facing)?s?\s+{_BEDS}|(?:sea|ocean"
    r"|beach)[- ]?(?:front|views?)"
    rf"|{_BEDS}\s+(?:right |directly |straight |standing )*(?:on|by|at|facing|overlooking|over"
    r"|in front of"
    r"|with (?:a |the )?(?:direct )?views? (?:of|over|on|to)|next to)\s+(?:the "
    rf"|a )?(?:private )?{_SEAS}"
    rf"|{_SEAS}\b[^.;!?,]{{0,25}}\b(?:off|from|outside|in front of|below|beneath|at|before)\s"
    rf"+(?:the|our|my)\s+{_DOORS}"
    rf"|{_DOORS}\b[^.;!?,]{{0,25}}\b(?:into|onto|over|on|facing|to|towards)\s+the\s+(?:open "
    rf"|blue |wide |deep )?{_SEAS}"
    r"|(?:every|each) (?:morning|day|evening)\s+(?:we |i )?(?:swim|bathe|surf)\w*\s"
    r"+in the (?:sea|ocean)"
    r"|(?:the|its|their) (?:city|town|local|main|own|village) (?:beach|seafront|seaside))\b",
    re.IGNORECASE,
)
"""A bed by the sea, or the beach of a town."""
_ONWARDS = re.compile(
    r"\b(?:then|after\w*|finally|later|end\w*|finish\w*|before|somewhere|elsewhere|next"
    r"|followed|last"
    r"|from there|move on|wind down|anywhere|another|other|coast town|between)\b|\bfrom [\ue000-"
    r"\uefff]",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?:nights?|days?|weeks?|weekend)\b", re.IGNORECASE)
_JOINED = rf"(?P<cities>{PLACE}(?:\s*(?:,|and|or|&)\s+{PLACE})*)"
_STEPS = r"(?:\s+(?!and\b|or\b|but\b|then\b|from\b|to\b|near\b|after\b|before\b)[\w'-]+){0,2}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A kind of landscape, as it is said, and the cities it is asked for in; `near` is looser."""

    kind: str
    said: str
    cities: tuple[str, ...]
    near: bool = False


def landscapes_asked(sentence: Sentence, cities: list[str]) -> Iterator[Asked]:
    """What is asked for in cities by name, and beds by the sea in the only one of the `cities`."""
    for kind, words in _WORDS.items():
        bound = (
            rf"\b(?P<kind>{words}){_STEPS}\s+(?:right |just |deep )?(?P<lead>in|at|of|near"
            r"|outside|around|close to)\s+"
            rf"(?:the (?:middle|cent(?:re|er)|heart) of )?(?:downtown |central )?{_JOINED}"
        )
        owned = rf"{_JOINED}(?:'s)?\s+(?:[a-z]+ )?(?P<kind>{words})(?P<lead>)\b"
        for form in (bound, owned):
            for match in sentence.find(form):
                if is_aside(sentence.rest, *match.span("kind")):
                    continue
                named = sentence.places(match["cities"])
                near = match["lead"] in ("near", "around", "outside", "close to")
                yield Asked(kind=kind, said=match["kind"], cities=_ids(named), near=near)
    yield from _beached(sentence, cities)


def _beached(sentence: Sentence, cities: list[str]) -> Iterator[Asked]:
    for match in sentence.find(_BEACHED):
        start, end = match.span()
        whole = _sentence_around(sentence.rest, start, end)
        clause = re.split(r"[,:;.!?]\s", sentence.rest[:start])[-1] + re.split(
            r"[,:]", sentence.rest[start:])[0]  # fmt: skip
        if not is_meant(sentence.rest, start, end) or _ONWARDS.search(whole):
            continue
        inside = sentence.places(clause)
        if inside:
            yield Asked(kind=SEA, said=match[0], cities=_ids(inside))
        elif len(cities) == 1 and not _COUNTED.search(clause):
            yield Asked(kind=SEA, said=match[0], cities=tuple(cities))


def _sentence_around(text: str, start: int, end: int) -> str:
    before = re.split(r"[.;!?]\s", text[:start])[-1]
    return before + text[start:end] + re.split(r"[.;!?](?:\s|$)", text[end:])[0]


def _ids(mentions: list[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.place for one in mentions))
