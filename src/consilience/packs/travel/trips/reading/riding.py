"""How does a text want to get somewhere: by which means, from where to where, in what time?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.asides import is_aside
from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence

MEANS = {
    "bullet train": r"(?:bullet|high[- ]speed) (?:trains?|rail)|shinkansen|tgv|hyperloop|maglev",
    "metro": r"metro|subway|underground|tube|tram(?:way)?s?|monorail",
    "cable car": r"cable[- ]cars?|gondola lift|ropeway|chairlift",
    "helicopter": r"helicopters?|chopper",
    "space travel": r"spaceships?|rockets?|teleport\w*|flying (?:carpet|saucer)|beam(?:ed|ing)? up",
    "airship": r"zeppelins?|airships?|hot[- ]air balloons?|submarines?|hovercrafts?",
    "foot": r"walk(?:ing)?|hik(?:e|ing)|on foot|run(?:ning)?|jog(?:ging)?|swim(?:ming)?",
    "bicycle": r"cycl(?:e|ing)|bicycles?|bik(?:e|ing)|pedal(?:l?ing)?",
    "horse": r"on horseback|by horse|by camel|by elephant|horse[- ]drawn \w+",
    "train": r"(?:night |overnight |sleeper |express )?trains?|rail(?:way)?",
    "bus": r"(?:night |sleeper )?(?:bus|buses|coach|coaches|minibus)",
    "boat": r"(?:cruise )?ships?|ferr(?:y|ies)|boats?|speedboats?|sail(?:ing)?|yachts?|catamarans?",
    "car": r"driv(?:e|ing)|cars?|taxis?|road[- ]trip|campervans?|motorhomes?",
    "motorbike": r"motorbikes?|motorcycles?|scooters?",
    "flight": r"(?:direct |non-?stop )?flights?|fly(?:ing)?",
}
_ANY = "|".join(f"(?P<m{number}>{form})" for number, form in enumerate(MEANS.values()))
_BETWEEN = r"(?:(?!·|[.;!?]|\bthen\b|\bbut\b|\bno\b|\bnot\b)[^\ue000-\uefff]){0,32}?"
_TO = re.compile(
    rf"\b(?:{_ANY})\b(?P<gap>{_BETWEEN})(?:\b(?:from"
    rf"|between)\s+(?P<from>{PLACE})\s+(?:[\w ]{{0,14}}?)"
    rf"(?:to|and|up to|down to|into)\s+(?P<to>{PLACE})|\b(?:to|into|onto|up to"
    rf"|over to)\s+(?P<only>{PLACE}))",
    re.IGNORECASE,
)
_BY = re.compile(
    rf"(?:\bfrom\s+)?(?P<from>{PLACE})\s+(?:to|and|-+>?)\s+(?P<to>{PLACE})\s+(?:[\w]+ )?(?:by|on"
    rf"|via|with"
    rf"|in)\s+(?:the |an? |our |my )*(?:{_ANY})\b",
    re.IGNORECASE,
)
_STATION = re.compile(
    r"\s*(?:'s )?(?:international |central |railway |train |main )*(?:airport|station)\b", re.I
)
_DIRECT = re.compile(r"\b(?:direct\w*|non-?stop|straight)\b", re.IGNORECASE)
_IN = re.compile(
    rf"(?:\bfrom\s+)?(?P<from>{PLACE})\s+to\s+(?P<to>{PLACE})[^.;!?,]{{0,20}}?\b(?:in|within"
    rf"|under)\s+"
    rf"(?:only |just |less than |under )*(?P<count>{NUMBER}|an?|half an?)[ -](?P<unit>hours?"
    rf"|minutes?|mins?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """A way that is asked for: its means, its ends by id (`start` empty for none), and how said."""

    means: str
    said: str
    start: str
    end: str
    strict: bool
    """Whether it has to go to the very place: a station or an airport there, a direct flight."""


def rides_asked(sentence: Sentence) -> Iterator[Ride]:
    """The ways that a text asks for by their means."""
    text = sentence.rest
    for form in (_TO, _BY):
        for match in form.finditer(text):
            number = next(n for n in range(len(MEANS)) if match[f"m{n}"])
            span = match.span(f"m{number}")
            if is_aside(text, *span):
                continue
            end = match["to"] or match.groupdict().get("only") or ""
            start = match["from"] or ""
            means = list(MEANS)[number]
            first = sentence.places(start)[0].place if start else ""
            last = sentence.places(end)[0].place
            strict = bool(_STATION.match(text, match.end()) or _DIRECT.search(match[0]))
            if means == "flight" and not strict and not start:
                continue
            said = match[f"m{number}"]
            yield Ride(means=means, said=said, start=first, end=last, strict=strict)


def times_asked(sentence: Sentence) -> Iterator[tuple[str, str, int, str]]:
    """From where to where in how many minutes, and how that is said."""
    for match in _IN.finditer(sentence.rest):
        said = match["count"].casefold()
        each = 60 if match["unit"].casefold().startswith("h") else 1
        half, alone = said.startswith("half"), said in ("a", "an")
        minutes = each // 2 if half else each if alone else value(said) * each
        first, last = (sentence.places(match[one])[0].place for one in ("from", "to"))
        yield first, last, minutes, f"{said} {match['unit']}"
