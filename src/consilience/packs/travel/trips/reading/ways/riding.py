"""How does a text want to get somewhere: by which means, from where to where, in what time?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence
from consilience.packs.travel.trips.reading.spoken.asides import is_aside

MEANS = {
    "bullet train": r"(?:bullet|high[- ]speed) (?:trains?|rail)|shinkansen|tgv|hyperloop|maglev",
    "metro": r"metro|subway|underground(?= train)?|tube|tram(?:way)?s?|monorail",
    "cable car": r"cable[- ]cars?|gondola lift|ropeway|chairlift",
    "helicopter": r"helicopters?|chopper",
    "space travel": r"spaceships?|rockets?|teleport\w*|flying (?:carpet|saucer)|beam(?:ed|ing)? up",
    "airship": r"zeppelins?|airships?|hot[- ]air balloons?|submarines?|hovercrafts?|jet ?packs?",
    "tunnel": r"(?:(?:undersea|under-?water|sub-?sea|submarine|sea|channel|long) )?"
    r"(?:(?:road|rail|car) )?tunnel",
    "bridge": r"(?:(?:long|big|great|new|sea|road|land) )*bridge|causeway",
    "zipline": r"zip[- ]?lin(?:e|es|ing)|zip[- ]?wire",
    "swimming": r"swim(?:ming)?",
    "kayak": r"kayak(?:ing)?|cano(?:e|eing)|paddl(?:e|ing)|rowing(?: boats?)?|row ?boats?"
    r"|row(?= (?:across"
    r"|from|to|an?|the|our)\b)"
    r"|pedal(?:o| boat)s?|paddle ?board(?:ing)?|raft(?:ing)?|dinghy",
    "skates": r"(?:skate|long) ?board(?:ing)?|roller[- ]?(?:skates?|blades?|skating|blading)"
    r"|unicycles?|pogo sticks?|push scooters?|hoverboards?|stilts",
    "foot": r"walk(?:ing)?|hik(?:e|ing)|on foot|run(?:ning)?|jog(?:ging)?|trek(?:king)?|marching"
    r"|crawl(?:ing)?|barefoot",
    "bicycle": r"cycl(?:e|ed|ing)|(?:push ?)?(?<!motor )(?<!quad )(?<!dirt )(?<!trail )bi(?:kes?"
    r"|king|cycles?)|pedal(?:l?ing|l?ed)?|tandems?|two wheels",
    "horse": r"on horseback|by horse|by camel|by elephant|horse[- ]drawn \w+|on (?:a |our own )?"
    r"(?:horses?|ponies|pony|camels?|elephants?|donkeys?|mules?|buffalo(?:es)?|ox(?:en)?)"
    r"|rid(?:e|ing) (?:an? |the |our )?(?:horses?|ponies|pony|camels?|elephants?|donkeys?|buffalo)"
    r"|ox[- ]?cart|rickshaw|cyclo",
    "tractor": r"tractors?|lawn ?mowers?|golf (?:cart|buggy)|mobility scooters?",
    "train": r"(?:night |overnight |sleeper |express )?trains?|rails?|railway",
    "bus": r"(?:night |sleeper )?(?:bus|buses|coach|coaches|minibus)",
    "boat": r"(?:cruise )?ships?|ferr(?:y|ies)|boats?|speedboats?|sail(?:ing)?|yachts?|catamarans?",
    "car": r"driv(?:e|ing)|cars?|taxis?|road[- ]trip|campervans?|motorhomes?",
    "motorbike": r"motorbikes?|motorcycles?|scooters?",
    "flight": r"(?:direct |non-?stop )?flights?|fly(?:ing)?",
}
BY_STRENGTH = frozenset({"swimming", "kayak", "skates", "foot", "bicycle", "horse", "tractor"})
"""Means that take their days."""
_ANY = "|".join(f"(?P<m{number}>{form})" for number, form in enumerate(MEANS.values()))
_BETWEEN = r"(?:(?!·|[.;!?]|\bthen\b|\bbut\b|\bno\b|\bnot\b)[^\ue000-\uefff]){0,32}?"
_THE = (
    r"(?:(?:the|old|new|main|very|central|island of|city of|town of|(?:our|my|the) (?:hotel|resort"
    r"|room|bungalow|door(?:step)?) (?:on|in|at))\s+)*"
)
_TO = re.compile(
    rf"\b(?:{_ANY})\b(?P<gap>{_BETWEEN})(?:\b(?:from"
    rf"|between)\s+{_THE}(?P<from>{PLACE})\s+(?:[\w ]{{0,14}}?)"
    rf"(?:to|and|up to|down to|into|until|till|all the way to)\s+{_THE}(?P<to>{PLACE})"
    rf"|\b(?:to|into|onto|up to|until|over to)\s+{_THE}(?P<only>{PLACE}))",
    re.IGNORECASE,
)
_ALL = r"(?:(?:entirely|all|only|exclusively|solely|completely|strictly|purely|just|both ways)\s+)*"
_BY = re.compile(
    rf"(?:\bfrom\s+)?(?P<from>{PLACE})(?:\s+(?:(?:all the way |down |up |over )?(?:to|until)|and)"
    rf"\s+|\s*(?:-+>?|→|–)\s*){_THE}(?P<to>{PLACE}),?\s+(?:(?!by|on)\w+ )?{_ALL}"
    rf"(?:(?:by|on|via|with|in|through|over|using|aboard)\s+(?:the |an? |our |my |own )*"
    rf"|(?=on |by |barefoot))(?:{_ANY})\b",
    re.IGNORECASE,
)
_STRENGTH = "|".join(
    f"(?P<{name}>{MEANS[name]})" for name in sorted(BY_STRENGTH)
)  # fmt: skip
_THROUGHOUT = re.compile(
    rf"\b(?:everywhere|always|(?:all|our) (?:travel|transport|journeys?|ways?)(?: \w+){{0,2}}?|only"
    rf"|exclusively|entirely|solely|strictly|every (?:leg|way|step|stage|metre|kilomet(?:re|er)|km"
    rf"|mile)(?: \w+){{0,2}}?"
    rf"|between (?:all |the )*(?:cities|towns|places|them))\s+(?:by |on |in |with )?(?:an? |the "
    rf"|our )*"
    rf"(?:{_STRENGTH})\b(?! (?:tours?|street|distance))",
    re.IGNORECASE,
)
"""A means by one's own strength for the whole of the trip."""
_REACH = re.compile(
    rf"\b(?:reach|get to|go to|getting to|arrive in|come to)\s+{_THE}(?P<to>{PLACE})\s+from\s+"
    rf"{_THE}(?P<from>{PLACE}),?\s+{_ALL}(?:by|on|via|with|in)\s+(?:the |an? |our "
    rf"|my )*(?:{_ANY})\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"\b(?:{_ANY})\s+(?P<from>{PLACE})(?:\s+to\s+|\s*(?:-+>?|→|–)\s*){_THE}(?P<to>{PLACE})",
    re.IGNORECASE,
)
_WHOLE_LENGTH = re.compile(
    rf"\b(?:{_STRENGTH})\b(?P<gap>{_BETWEEN})\b"
    r"(?P<length>(?:the )?(?:whole |entire |full )?length of"
    rf" (?:the (?:whole |entire )?(?:country|land|nation)|(?P<land>{PLACE}))"
    r"|(?:across|through|over|down|up) the (?:whole|entire) country|border to border"
    r"|(?:from )?(?:the )?(?:very )?(?:top|north"
    r"(?:ern tip)?|one end) to (?:the )?(?:very )?(?:bottom|south(?:ern tip)?|other(?: end)?)"
    rf" of (?:the (?:country|land)|(?P<all>{PLACE})))",
    re.IGNORECASE,
)
"""A means by one's own strength from one end of a country to the other."""
_ENGINE = re.compile(
    r"(?<!no )(?<!not )(?<!without )\b(?:motor\w*|scooters?|mopeds?|vespas?|hondas?|easy riders?"
    r"|engines?|\d+ ?cc)\b",
    re.IGNORECASE,
)
"""What tells that bikes, or two wheels, have an engine."""
_EITHER = re.compile(r"bikes?|two wheels", re.IGNORECASE)
_MEANS = re.compile(rf"\b(?:{'|'.join(MEANS.values())})\b", re.IGNORECASE)
_WAY = re.compile(
    r"\s*(?:(?:all the way|the (?:whole|entire) way|across|over|down|up|straight|directly|our way"
    r"|a kayak|the kayaks?|kayaks?|canoes?|(?:the|our|an?) \w+)\s*)*",
    re.IGNORECASE,
)
"""What may stand between a means by one's own strength and where it goes."""
_LOCAL = re.compile(
    rf"\b(?:take|taking|hop on|hopping on|jump on|ride|riding|by|use|using|catch|on)\s+"
    rf"(?:the |a |its )*(?:famous |local |new |city )*(?P<means>metro|subway|tube|trams?"
    rf"|monorail|funicular)\s+"
    rf"(?:system |line |network )?(?:in|around|across|through|of)\s+(?P<city>{PLACE})"
    rf"|(?P<other>{PLACE})(?:'s)? (?P<its>metro|subway|tube|trams?|monorail|funicular)\b",
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
HOMES = re.compile(
    r"\b(?:camper ?vans?|campers?|motor ?homes?|caravans?|rv|recreational vehicles?)\b",
    re.IGNORECASE,
)
"""Vehicles to live in."""
_HIRED = re.compile(
    r"\b(?:rent(?:ing|al)?|hir(?:e|ing)|with|in|by|own|our|my|drive|driving|take|taking|want"
    r"|need|an?)"
    r"\s+(?:an? |the |our |own |small |big |cheap )*$",
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
    for form in (_TO, _BY, _REACH, _BARE):
        found = form.search(sentence.rest)
        while found is not None:
            number = next(n for n in range(len(MEANS)) if found[f"m{n}"])
            span = found.span(f"m{number}")
            ride = _ride(sentence, found, number)
            if ride is not None and not is_aside(sentence.rest, *span):
                yield ride
            after = found.end() if ride is not None else max(span[1], found.start() + 1)
            found = form.search(sentence.rest, after)


def _ride(sentence: Sentence, match: re.Match[str], number: int) -> Ride | None:
    means, said = list(MEANS)[number], match[f"m{number}"]
    gap = match.groupdict().get("gap") or ""
    if (_MEANS.search(gap) and means != "kayak") or _has_engine(sentence.rest, said):
        return None
    start, end = match["from"] or "", match["to"] or match.groupdict().get("only") or ""
    if means in BY_STRENGTH and gap and not (_WAY.fullmatch(gap) or (start and "," not in gap)):
        return None
    first = sentence.places(start)[0].place if start else ""
    last = sentence.places(end)[0].place
    strict = bool(_STATION.match(sentence.rest, match.end()) or _DIRECT.search(match[0]))
    if means == "flight" and not strict and not start:
        return None
    return Ride(means=means, said=said, start=first, end=last, strict=strict)


def _has_engine(text: str, said: str) -> bool:
    """Whether what is called a bike has an engine in this text."""
    return _EITHER.fullmatch(said) is not None and _ENGINE.search(text) is not None


def lengths_asked(sentence: Sentence) -> Iterator[tuple[str, str, str]]:
    """Means for the whole length of a country, how that is said, and the place it names by id."""
    for match in _WHOLE_LENGTH.finditer(sentence.rest):
        means = next(one for one in sorted(BY_STRENGTH) if match[one])
        land = match["land"] or match["all"] or ""
        engine = _has_engine(sentence.rest, match[means])
        if not engine and not is_aside(sentence.rest, *match.span(means)):
            yield means, match[means], sentence.places(land)[0].place if land else ""


def means_throughout(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Means by one's own strength by which all of a trip is to go, and how that is said."""
    for match in _THROUGHOUT.finditer(sentence.rest):
        means = next(one for one in sorted(BY_STRENGTH) if match[one])
        if not is_aside(sentence.rest, *match.span(means)):
            yield means, match[0].strip()


def local_asked(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Means within a city that a text asks for: how said, and the city or sight by id."""
    for match in _LOCAL.finditer(sentence.rest):
        said = "means" if match["means"] else "its"
        if not is_aside(sentence.rest, *match.span(said)):
            place = sentence.places(match["city"] or match["other"])[0].place
            yield match[said], place


def times_asked(sentence: Sentence) -> Iterator[tuple[str, str, int, str]]:
    """From where to where in how many minutes, and how that is said."""
    for match in _IN.finditer(sentence.rest):
        said = match["count"].casefold()
        each = 60 if match["unit"].casefold().startswith("h") else 1
        half, alone = said.startswith("half"), said in ("a", "an")
        minutes = each // 2 if half else each if alone else value(said) * each
        first, last = (sentence.places(match[one])[0].place for one in ("from", "to"))
        yield first, last, minutes, f"{said} {match['unit']}"


def hires_asked(sentence: Sentence) -> Iterator[str]:
    """Vehicles to live in that a text asks for, as it says them."""
    for match in HOMES.finditer(sentence.rest):
        asked = _HIRED.search(sentence.rest[: match.start()])
        if asked and not is_aside(sentence.rest, *match.span()):
            yield match[0]
