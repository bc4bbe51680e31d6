"""How long is the trip, and how many nights are meant for which place?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.reading.counting import COUNT, NUMBER, SMALL, value
from consilience.packs.travel.trips.reading.places.naming import name_places
from consilience.packs.travel.trips.reading.sentence import PLACE, USED, Sentence

_UNIT = (
    r"(?P<unit>full days?|whole days?|days?|nights?|weeks?|wks?|fortnights?|months?"
    r"|years?(?= (?:and a half )?(?:in|around|across|through|of travel\w*)\b)|hours?"
    r"|hrs?)\b"
)
_RANGE = rf"(?:(?:\d{{1,2}}\s*-|{NUMBER} (?:to|or))\s*)?"
_LENGTH = re.compile(
    rf"(?<![\d.,$€£])\b{_RANGE}(?P<count>\d\.\d|{COUNT}|an?)"
    rf"(?P<half> and a half)?[\s-]+(?:(?!(?:{NUMBER}|at|in|by|to|per|the|this|that)\b)[^\W\d]+ )??"
    rf"{_UNIT}(?P<more> and a half)?"
    r"(?![\s-]*(?:olds?|ago|away|of (?:age|experience)|younger|older|anniversary)\b)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(\d{1,2}) ?d(?:ays?)?[ /,&-]*(\d{1,2}) ?n(?:ights?)?\b", re.IGNORECASE)
_SHORTER = re.compile(r"(?<![\w.,$€£/])(?P<count>\d{1,2}) ?(?P<unit>d|w)\b(?![.'/-])", re.I)
_WEEKEND = re.compile(
    r"\b(?P<long>(?:long|extended|bank holiday|3-day|three-day)[ -])?weekend\b", re.I
)
_ALONE = rf"(?:the )?(?P<place>{PLACE})(?!\s*(?:,|and|&|then|to|-)\s*{PLACE}(?!\s*\())"
_AT = rf"(?:in|at|on|for|around|exploring|near|to)\s+{_ALONE}"
_EACH = re.compile(
    rf"(?P<place>{PLACE})\s*[:(-]?\s*(?:for )?\(?(?P<count>{NUMBER}|(?<=for )an?)[ -]?"
    rf"(?P<unit>nights?|days?|n|d)\b(?!\s+(?:in|at|on)\b|[ -](?:trip|tour|excursion|out)\b)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"(?P<place>{PLACE})\s*\((?P<count>\d)\)")
_BEHIND = re.compile(
    rf"(?P<place>{PLACE}),\s*(?P<count>{NUMBER}) nights\b(?!\s+(?:(?:in|at|on)\b|{PLACE}))",
    re.IGNORECASE,
)
"""Nights behind a comma, of the place before it where several are told so."""
_TRAILING = re.compile(
    rf"(?P<place>{PLACE})\s+(?:for )?(?P<count>[1-9]|{SMALL})(?=\s*(?:[,.;]|and\b|then\b|$))",
    re.IGNORECASE,
)
"""A bare count where others have their unit: "Hoi An four nights then Hue two"."""
_THERE = re.compile(
    rf"(?P<count>{NUMBER}) (?:full )?nights (?:up |down |over |out )?there\b", re.IGNORECASE
)
_PASSED = re.compile(r"\b(?:from|via|through|leaving|back (?:to|in))\s+(?:the )?$", re.IGNORECASE)
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
_OVERNIGHT = re.compile(
    r"\bovernight (?:\w+ )?(?:cruise|boat|junk|trek|hike|stay|homestay|camp\w*|safari)\b", re.I
)
_MORE = re.compile(
    rf"\b(?:back|return\w*|again) (?:to |in |at )?(?:the )?(?P<place>{PLACE}) (?:for )?(?:the |a )?"
    rf"(?P<count>{NUMBER})? ?(?:more|last|final|further)(?: (?:one|nights?))?\b",
    re.IGNORECASE,
)
"""Nights of a second stay: "back to X for one more"."""
_PARTS = re.compile(r"[.;!?]|\bthen\b|\bback\b|\bplus\b|\bfollowed by\b", re.IGNORECASE)
_NAMED = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_FREE_DAY = re.compile(
    rf"\b(?:(?:just|only)(?: have| got)? (?:{_NAMED}|one day|a day)(?: is)? (?:free|off|to spare"
    rf"|in)\b|(?:have|has|got|'ve) (?:just|only) (?:the |a |one )?{_NAMED}\b"
    rf"|{_NAMED} is all (?:i|we) have|(?:single|lone|sole) free day)",
    re.IGNORECASE,
)
"""A day that is all there is: "just Saturday free"."""
_WEEK = re.compile(
    r"(?<!next )(?<!this )(?<!per )(?<!every )(?<!each )(?<!golden )(?<!last "
    r")\bweek(?:-?long)?\b(?!s| of \w+ 20| from now| days?)",
    re.IGNORECASE,
)
_OUTING = re.compile(r"[ -]?(?:trips?|tours?|excursions?|out)\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"(?: (?:of )?(?:annual |paid )?(?:leave|holidays?|vacation|off))? (?:a|per|each|every) year\b",
    re.I,
)
"""Behind days that are had in every year: "30 days off a year"."""
_FOR_ALL = rf"{USED}\s*(?:in|for)\s+{PLACE}+\s*(?:,|and|&)\s*(?:and )?(?:the )?{PLACE}"
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


_DAYS_NIGHTS = re.compile(
    rf"\b(?P<days>{NUMBER}|no) days?(?: at all| in total| only)?(?:\s+(?:in|at|on) {PLACE})?"
    rf"\s*(?:,|and|/|&|with|but|-|\+|plus|\()*\s*(?:with |and |but )?(?P<nights>{NUMBER}) nights?\b"
    rf"(?!\s+(?:(?:in|at|on)\s+)?(?:the )?{PLACE})",
    re.IGNORECASE,
)
"""Days and nights of one and the same stay: "3 days / 5 nights"."""
_LEAVE = r"(?:leave|holidays?|vacation|time off|days off|break)"
_IN_ALL = re.compile(
    rf"(?:\b(?:in|have|has|got|gets?|only|just|exactly|total|within|for|of|our|all|a total of|spend"
    rf"|'ve|{_LEAVE}(?: this year)?(?: (?:is|are|lasts?|comes to|covers?|runs?))?:?)|=)"
    r"\s+(?:only |just |exactly |about |limited to |no more than )*$",
    re.IGNORECASE,
)
"""What stands before the length of all of it."""
_PURPOSE = re.compile(
    rf"^(?:'s?\s|\s*(?:(?:by|at|on|of|with|for|to)\s+(?!{PLACE}|us\b|two\b|all\b|me\b)[a-z]"
    rf"|(?:should|could|must|can|will|would|has to|ought to) (?:be|go)\b"
    r"|(?!(?:includ|exclud|count|travell?|everyth|start|beginn|leav|arriv)ing)[a-z]+ing\b))",
    re.IGNORECASE,
)
"""What a single day is for: "one day by bike", "two days diving", "a day's cycling"."""
_AFTER_ALL = re.compile(
    r"^\s*,?\s*(?:in total|in all|all in all|altogether|all told|overall|total\b)", re.IGNORECASE
)
"""What stands behind the length of all of it."""


def nights_beyond(text: str, atlas: Atlas) -> tuple[int, int] | None:
    """Days and nights of one stay, where the nights are more than such days can have."""
    sentence = Sentence(text)
    name_places(sentence, atlas)
    for match in sentence.find(_DAYS_NIGHTS):
        days, nights = value(match["days"]), value(match["nights"])
        if nights > days + 1:
            return days, nights
    return None


def read_length(sentence: Sentence, wide: frozenset[str] = frozenset()) -> Length:
    """How long the trip is to be, as far as it is said in days, nights, weeks or a weekend.

    A stay in a `wide` place, a country or a region, is the length of all of it.
    """
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
    _once_more(sentence, tally)
    for place in (wide | _shared(sentence, tally)) & set(tally.places):
        count, as_nights = tally.places.pop(place)
        tally.whole.append(count + as_nights)
    _lengths(sentence, tally)
    for match in sentence.find(_WEEKEND):
        if not tally.whole:
            tally.whole.append(3 if match["long"] else 2)
        sentence.use(*match.span())
    if not tally.whole and not tally.places:
        _bare(sentence, tally)
    return _length(tally, aboard=_aboard(sentence, tally))


def _shared(sentence: Sentence, tally: _Tally) -> set[str]:
    """The only place with days, where others follow it: "9 days in X, Y and Z" are for all."""
    by_day = [place for place, (_, as_nights) in tally.places.items() if not as_nights]
    return set(by_day) if len(tally.places) == 1 and sentence.has(_FOR_ALL) else set()


def _once_more(sentence: Sentence, tally: _Tally) -> None:
    """Nights that a stay has besides, in a place whose nights are told."""
    for match in sentence.find(_MORE):
        place = sentence.places(match["place"])[0].place
        known = tally.places.get(place)
        if known and known[1]:
            tally.places[place] = (known[0] + value(match["count"] or "one"), True)
            sentence.use(*match.span())


def _aboard(sentence: Sentence, tally: _Tally) -> int:
    """Nights besides those that are counted: "two nights in X, then an overnight cruise"."""
    if not tally.places or not all(as_nights for _, as_nights in tally.places.values()):
        return 0
    found = 0
    for match in _OVERNIGHT.finditer(sentence.text):
        before = _PARTS.split(sentence.rest[: match.start()])[-1]
        behind = _PARTS.split(sentence.rest[match.end() :])[0]
        named = {one.place for one in sentence.places(before + behind)}
        found += not named & set(tally.places)
    return min(found, 1)


def _bare(sentence: Sentence, tally: _Tally) -> None:
    """A length without a count: "beach week", "day trip"."""
    for match in sentence.find(_WEEK):
        tally.whole.append(7)
        sentence.use(*match.span())
        return
    if not tally.whole:
        tally.whole += [1 for _ in sentence.find(_SAME_DAY)][:1]
        tally.whole += [1 for _ in sentence.find(_FEW_HOURS)][:1]
        tally.whole += [1 for _ in sentence.find(_FREE_DAY)][:1]
        for match in sentence.find(_DAY_OUT):
            behind = sentence.rest[match.end() :]
            whole = re.match(rf"\s*from {PLACE} to {PLACE}", behind, re.IGNORECASE)
            if whole or not sentence.places(behind[:12]):
                tally.whole.append(1)
                sentence.use(*match.span())


def _length(tally: _Tally, *, aboard: int = 0) -> Length:
    nights = {place: count for place, (count, as_nights) in tally.places.items() if as_nights}
    stays = [place for place, (_, as_nights) in tally.places.items() if not as_nights]
    ends_by_day = bool(stays) and (len(stays) > 1 or next(reversed(tally.places)) == stays[-1])
    for place in stays:
        count = tally.places[place][0]
        last = ends_by_day and place == stays[-1] and len(tally.places) > 1
        nights[place] = max(0, count - 1) if last else count
    if len(tally.places) == 1 and stays and not tally.whole:
        return Length(days=tally.places[stays[0]][0])
    counted = sum(count for count, _ in tally.places.values())
    least = counted + aboard + (0 if ends_by_day or not counted else 1)
    if not tally.whole and not tally.places:
        return Length()
    said = max(tally.whole, default=0) if tally.whole else least
    nights = {place: nights[place] for place in tally.places if nights[place] > 0}
    return Length(days=said, nights=nights)


def _at_places(sentence: Sentence, tally: _Tally) -> None:
    """Nights and days of single places: "3 nights in X and 2 in Y", "X (2 nights)"."""
    for match in sentence.find(_EACH):
        begun = re.search(r"\bto\s*$", sentence.rest[: match.start()])
        spent = ":" in match[0] and _PURPOSE.match(sentence.rest[match.end() :])
        if (not begun or "(" in match[0]) and not spent:
            _put(sentence, tally, match, as_nights=match["unit"].casefold().startswith("n"))
            sentence.use(*match.span())
    if tally.places:
        for match in sentence.find(_BRACKETED):
            _put(sentence, tally, match, as_nights=next(iter(tally.places.values()))[1])
            sentence.use(*match.span())
    _nights_told_apart(sentence, tally)
    unit: bool | None = None
    for match in sentence.find(_LENGTH):
        word = match["unit"].casefold()
        form = (
            rf"\s*(?:each )?{_AT}"
            if not word.startswith("night")
            else (rf"\s*(?:each )?(?:{_AT}|{_ALONE.replace('<place>', '<bare>')})")
        )
        found = re.match(form, sentence.rest[match.end() :], re.IGNORECASE)
        if (
            found
            and not word.startswith(("week", "wk", "fort", "mon", "year", "h"))
            and not _per(sentence, match)
        ):
            unit = word.startswith("night")
            place = sentence.places(found[0])[0].place
            tally.places.setdefault(place, (_count(match["count"]), unit))
            _use(sentence, match)
    shared = list(sentence.find(_SHARED))
    if unit is None and len(shared) > 1:
        unit = sentence.has(r"\bnights\b")
    if unit is not None:
        for match in shared:
            _put(sentence, tally, match, as_nights=unit)
            sentence.use(*match.span())


def _nights_told_apart(sentence: Sentence, tally: _Tally) -> None:
    """Nights behind a comma, of a bare count, or "there"."""
    behind = list(sentence.find(_BEHIND))
    if len(behind) > 1:
        for match in behind:
            _put(sentence, tally, match, as_nights=True)
            sentence.use(*match.span())
    if any(as_nights for _, as_nights in tally.places.values()):
        for match in sentence.find(_TRAILING):
            _put(sentence, tally, match, as_nights=True)
            sentence.use(*match.span())
    for match in sentence.find(_THERE):
        before = sentence.rest[: match.start()]
        named = re.finditer(PLACE, before)
        meant = [one for one in named if not _PASSED.search(before[: one.start()])]
        if meant:
            place = sentence.places(meant[-1][0])[0].place
            tally.places.setdefault(place, (value(match["count"]), True))
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
    if _YEARLY.match(behind):
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
        known = tally.places or tally.whole
        if days is not None and known and _is_spent(sentence, match, tally):
            continue
        if days is not None:
            tally.whole.append(days)
            _use(sentence, match)


def _is_spent(sentence: Sentence, match: re.Match[str], tally: _Tally) -> bool:
    """Whether days are part of a stay that is told already: "one lazy day by bike"."""
    before, behind = sentence.rest[: match.start()], sentence.rest[match.end() :]
    if "day" not in match["unit"].casefold() or _AFTER_ALL.match(behind):
        return False
    lead = _IN_ALL.search(before)
    stays = [count for count, _ in tally.places.values()]
    if _count(match["count"]) == 1 and max((*stays, *tally.whole)) > 1:
        certain = lead and not re.match(r"(?:for|of|our|spend)\b", lead[0], re.IGNORECASE)
        return not certain or bool(_PURPOSE.match(behind))
    between = sentence.rest[match.end("count") : match.start("unit")].strip(" -")
    return not lead and bool(between or _PURPOSE.match(behind))


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
