"""How long is the trip, and how many nights are meant for which place?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.packs.travel.trips.reading.counting import COUNT, NUMBER, value
from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence

_UNIT = (
    r"(?P<unit>full days?|whole days?|days?|nights?|weeks?|wks?|fortnights?|months?"
    r"|years?(?= (?:and a half )?(?:in|around|across|through|of travel\w*)\b)|hours?"
    r"|hrs?)\b"
)
_RANGE = rf"(?:(?:\d{{1,2}}\s*-|{NUMBER} (?:to|or))\s*)?"
_LENGTH = re.compile(
    rf"(?<![\d.,$€£])\b{_RANGE}(?P<count>\d\.\d|{COUNT}|an?)"
    rf"(?P<half> and a half)?[\s-]+(?:(?!{NUMBER}\b)[^\W\d]+ )??{_UNIT}(?P<more> and a half)?"
    r"(?![\s-]*(?:olds?|ago|away|of (?:age|experience)|younger|older|anniversary)\b)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(\d{1,2}) ?d(?:ays?)?[ /,&-]*(\d{1,2}) ?n(?:ights?)?\b", re.IGNORECASE)
_SHORTER = re.compile(r"(?<![\w.,$€£/])(?P<count>\d{1,2}) ?(?P<unit>d|w)\b(?![.'/-])", re.I)
_WEEKEND = re.compile(
    r"\b(?P<long>(?:long|extended|bank holiday|3-day|three-day)[ -])?weekend\b", re.I
)
_AT = (
    rf"(?:in|at|on|for|around|exploring|near|to)\s+(?:the )?(?P<place>{PLACE})(?!\s*(?:,|and|&"
    rf"|then|to|-)\s*{PLACE}(?!\s*\())"
)
_EACH = re.compile(
    rf"(?P<place>{PLACE})\s*[:(-]?\s*(?:for )?\(?(?P<count>{NUMBER})[ -]?(?P<unit>nights?|days?"
    rf"|n|d)\b(?!\s+(?:in|at|on)\b)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"(?P<place>{PLACE})\s*\((?P<count>\d)\)")
_FEW_HOURS = re.compile(
    rf"\b(?:layover|stop-?over)\b|\b(?:{COUNT} hours|an? (?:half[ -])?hour|half an hour"
    rf"|{COUNT} minutes)"
    rf" (?:in|at|for) (?:the )?{PLACE}",
    re.IGNORECASE,
)
_SAME_DAY = re.compile(r"\b(?:on )?(?:the )?(?:very )?same day\b", re.IGNORECASE)
_SHARED = re.compile(
    rf"(?:[,:;]|and|then|plus|&)\s*(?:then )?(?P<count>{NUMBER})\s+(?:more )?(?:in|at"
    rf"|on)\s+(?P<place>{PLACE})",
    re.IGNORECASE,
)
_DAY_OUT = re.compile(
    r"\b(?:(?:a|one|single|full)?[ -]?day (?:trip|out|tour|excursion)\b(?!s)|half[ -](?:a )?day\b)",
    re.I,
)
_WEEK = re.compile(
    r"(?<!next )(?<!this )(?<!per )(?<!every )(?<!each )(?<!golden )(?<!last "
    r")\bweek(?:-?long)?\b(?!s| of \w+ 20| from now| days?)",
    re.IGNORECASE,
)
_OUTING = re.compile(r"[ -]?(?:trips?|tours?|excursions?|out)\b", re.IGNORECASE)
_HOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How many days, None where nothing is said, and the nights for places by id."""

    days: int | None = None
    nights: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Tally:
    """What was counted: lengths of all of it, in days, and those of places, with their unit."""

    whole: list[int] = field(default_factory=list)
    places: dict[str, tuple[int, bool]] = field(default_factory=dict)


def read_length(sentence: Sentence) -> Length:
    """How long the trip is to be, as far as it is said in days, nights, weeks or a weekend."""
    tally = _Tally()
    for match in sentence.find(_SHORT):
        days, nights = int(match[1]), int(match[2])
        if abs(days - nights) == 1:
            tally.whole.append(max(days, nights))
            sentence.use(*match.span())
    for match in sentence.find(_SHORTER):
        tally.whole.append(int(match["count"]) * (7 if match["unit"].casefold() == "w" else 1))
        sentence.use(*match.span())
    _at_places(sentence, tally)
    _lengths(sentence, tally)
    for match in sentence.find(_WEEKEND):
        if not tally.whole:
            tally.whole.append(3 if match["long"] else 2)
        sentence.use(*match.span())
    if not tally.whole and not tally.places:
        _bare(sentence, tally)
    return _length(tally)


def _bare(sentence: Sentence, tally: _Tally) -> None:
    """A length without a count: "beach week", "day trip"."""
    for match in sentence.find(_WEEK):
        tally.whole.append(7)
        sentence.use(*match.span())
        return
    if not tally.whole:
        tally.whole += [1 for _ in sentence.find(_SAME_DAY)][:1]
        tally.whole += [1 for _ in sentence.find(_FEW_HOURS)][:1]
        for match in sentence.find(_DAY_OUT):
            if not sentence.places(sentence.rest[match.end() : match.end() + 12]):
                tally.whole.append(1)
                sentence.use(*match.span())


def _length(tally: _Tally) -> Length:
    nights = {place: count for place, (count, as_nights) in tally.places.items() if as_nights}
    stays = [place for place, (_, as_nights) in tally.places.items() if not as_nights]
    for place in stays:
        count = tally.places[place][0]
        nights[place] = max(0, count - 1) if place == stays[-1] and len(stays) > 1 else count
    if len(tally.places) == 1 and stays and not tally.whole:
        return Length(days=tally.places[stays[0]][0])
    counted = sum(count for count, _ in tally.places.values())
    least = counted + (0 if stays or not counted else 1)
    if not tally.whole and not tally.places:
        return Length()
    said = max(tally.whole, default=0) if tally.whole else least
    nights = {place: nights[place] for place in tally.places if nights[place] > 0}
    return Length(days=said, nights=nights)


def _at_places(sentence: Sentence, tally: _Tally) -> None:
    """Nights and days of single places: "3 nights in X and 2 in Y", "X (2 nights)"."""
    for match in sentence.find(_EACH):
        if not re.search(r"\bto\s*$", sentence.rest[: match.start()]) or "(" in match[0]:
            _put(sentence, tally, match, as_nights=match["unit"].casefold().startswith("n"))
            sentence.use(*match.span())
    if tally.places:
        for match in sentence.find(_BRACKETED):
            _put(sentence, tally, match, as_nights=next(iter(tally.places.values()))[1])
            sentence.use(*match.span())
    unit: bool | None = None
    for match in sentence.find(_LENGTH):
        found = re.match(rf"\s*(?:each )?{_AT}", sentence.rest[match.end() :], re.IGNORECASE)
        word = match["unit"].casefold()
        if (
            found
            and not word.startswith(("week", "wk", "fort", "mon", "year", "h"))
            and not _per(sentence, match)
        ):
            unit = word.startswith("night")
            place = sentence.places(found["place"])[0].place
            tally.places.setdefault(place, (_count(match["count"]), unit))
            _use(sentence, match)
    shared = list(sentence.find(_SHARED))
    if unit is None and len(shared) > 1:
        unit = sentence.has(r"\bnights\b")
    if unit is not None:
        for match in shared:
            _put(sentence, tally, match, as_nights=unit)
            sentence.use(*match.span())


def _put(sentence: Sentence, tally: _Tally, match: re.Match[str], *, as_nights: bool) -> None:
    place = sentence.places(match["place"])[0].place
    before = tally.places.get(place)
    nights = value(match["count"]) + (before[0] if before else 0)
    tally.places[place] = (nights, as_nights)


def _use(sentence: Sentence, match: re.Match[str]) -> None:
    """Take the count and the unit out; a word between them is for other readers."""
    sentence.use(match.start(), match.end("count"))
    sentence.use(match.start("unit"), match.end())


def _per(sentence: Sentence, match: re.Match[str]) -> bool:
    """Whether it is a rate ("a museum a day") or an outing ("a day trip to")."""
    alone = match["count"].casefold() in ("a", "an", "one", "1")
    before, behind = sentence.rest[: match.start()], sentence.rest[match.end() :]
    if alone and _OUTING.match(behind) and match["unit"].casefold() == "day":
        return True
    rated = re.search(
        r"\b(?:hours?|times?|meals?|visits?|sights?|museums?|once|twice|each|per|drinks?)\s*$",
        before,
        re.I,
    )
    return bool(alone and rated)


def _lengths(sentence: Sentence, tally: _Tally) -> None:
    for match in sentence.find(_LENGTH):
        if _per(sentence, match):
            continue
        days = _days(sentence, match)
        if days is not None:
            tally.whole.append(days)
            _use(sentence, match)


def _days(sentence: Sentence, match: re.Match[str]) -> int | None:
    word, count = match["unit"].casefold(), _count(match["count"])
    half = bool(match["half"] or match["more"])
    said = match[0].strip()
    if word.startswith(("hour", "hr")):
        if count < _HOURS:
            return None
        return -(-count // _HOURS)
    if re.match(r"(?:a )?(?:few|several)", match["count"], re.IGNORECASE) or re.search(
        rf"(?:\d\s*-|{NUMBER} (?:to|or))\s*{NUMBER}", said, re.IGNORECASE
    ):
        sentence.assumed.append(f"'{said}' is taken as {count} {word.rstrip('s')}s")
    if word.startswith("night"):
        return count + 1
    if word.startswith(("month", "year")):
        return count * (30 if word.startswith("month") else 365)
    if word.startswith(("week", "wk", "fort")):
        week = 14 if word.startswith("fort") else 7
        return count * week + (week // 2 if half else 0)
    return count + (1 if half else 0)


def _count(said: str) -> int:
    """A count, rounded up: one and a half days are two."""
    return -(-int(said.replace(".", "")) // 10) if "." in said else value(said)
