"""Is a place open at the hour, or on the day of the week, at which it is wanted?

Opening hours decide; where a place has none, the one part of the day that it is good for. A hour
before or after which a traveller does nothing at all counts for every place that has to be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import combinations

from consilience.packs.travel.atlas import FOOD, SIGHTS, Place
from consilience.packs.travel.hours import closed_weekdays, open_spans
from consilience.packs.travel.trips.granting.period import A_WEEK, period_of
from consilience.packs.travel.trips.granting.shows import settle_shows
from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.sentence import PLACE, Mention, Sentence
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.times.clocks import (
    DAY,
    NOON,
    Asked,
    asked_lists,
    asked_times,
    asked_weekdays,
    earliest,
    latest,
)
from consilience.packs.travel.trips.reading.times.onlydays import OnlyDay, only_days
from consilience.packs.travel.trips.wording import duration
from consilience.understand.names import surface

_PARTS = {"morning": (240, 780), "afternoon": (660, 1140), "evening": (960, 1620)}
"""Minutes of the parts of a day, at their widest."""
_LEAST = 15  # minutes for which a place has to be open
_A_LOOK = 30  # minutes that a short visit takes
_SHORT = 5  # letters of a word that does not stand for a sight alone
_WORDS = r"((?:[a-z]+[ -]){0,2}[a-z]+)"
_CALLED = re.compile(rf"\b(?:the|that|this|its) {_WORDS}", re.IGNORECASE)
_OF_A_CITY = re.compile(rf"{PLACE} {_WORDS}", re.IGNORECASE)
_OPENING = re.compile(rf"(?:^|[.,;:!?]) *{_WORDS}", re.IGNORECASE)
"""Words by which a sight may be called."""
_UNTELLING = frozenset(
    {"morning", "afternoon", "evening", "night", "day", "week"}
    | {"and", "or", "in", "at", "of", "on", "the", "a", "with", "for", "to", "by"}
)
"""Words by which no sight is called alone: "the evening"."""
_DEMANDED = re.compile(
    r"\s+(?:is|are)\s+(?:the|our|my|a)\s+(?:\w+\s)?(?:reason|point|must|highlight|aim|dream|priority)",
    re.IGNORECASE,
)


def settle_times(talk: Talk) -> None:
    """Settle places that are wanted when they are closed."""
    sentence = _named(talk)
    told: set[str] = set()
    early = earliest(talk.wanted.text)
    for asked in (
        *asked_times(sentence, lambda one: _is_timed(talk, one)),
        *asked_weekdays(sentence, lambda one: _is_timed(talk, one)),
        *asked_lists(sentence, lambda one: talk.atlas.places[one].kind == FOOD),
    ):
        place = talk.atlas.places[asked.place]
        known = place.id in told or place.id in talk.wish.avoid.places
        if not known and _is_closed(talk, place, asked):
            told.add(place.id)
            _tell(talk, f"{place.name} {_said(asked)}", place)
        elif not known and early and 0 < asked.ends <= early[0]:
            told.add(place.id)
            reason = f"it is said as well: {early[1]}"
            talk.settle(f"{place.name} {_said(asked)}", reason, "planned when it is open")
    wanted = _wanted(talk, sentence)
    _on_its_only_day(talk, sentence, [one for one in (*wanted, *_tables(talk)) if one not in told])
    _kept_hours(talk, [one for one in wanted if one not in told])
    _on_one_day(talk, wanted)


def _named(talk: Talk) -> Sentence:
    """The text with its places, and those that are only called by what they are: "the museum"."""
    known = talk.sentence()
    towns = {*talk.cities(), talk.wish.start, talk.wish.end}
    sights = [one for town in sorted(towns - {""}) for one in talk.atlas.within(town, SIGHTS)]
    called = [
        Mention(start=match.start(1), end=match.start(1) + len(said), place=place, said=said)
        for form in (_CALLED, _OF_A_CITY, _OPENING)
        for match in known.find(form)
        for said, place in _called(match[1], sights, alone=form is not _OPENING)
    ]
    apart: list[Mention] = list(known.mentions)
    for one in called:
        if not any(one.start < other.end and other.start < one.end for other in apart):
            apart.append(one)
    sentence = Sentence(talk.wanted.text)
    sentence.name(tuple(sorted(apart, key=lambda one: one.start)))
    return sentence


def _called(words: str, sights: list[Place], *, alone: bool) -> list[tuple[str, str]]:
    """The only sight of the trip whose name or type has these words, the first ones of them."""
    parts = re.findall(r"\w+", words)
    for count in range(len(parts), 0, -1):
        said = set(surface(" ".join(parts[:count])).split())
        if said <= _UNTELLING:
            return []
        found = [one.id for one in sights if said <= set(surface(f"{one.name} {one.type}").split())]
        if len(found) == 1 and (count > 1 or (alone and len(parts[0]) > _SHORT)):
            return [(words[: _end_of(words, count)], found[0])]
        if found:
            return []
    return []


def _end_of(words: str, count: int) -> int:
    return list(re.finditer(r"\w+", words))[count - 1].end()


def _wanted(talk: Talk, sentence: Sentence) -> list[str]:
    """The sights that the text asks for, by name or as what they are."""
    text = sentence.text
    named = [
        one.place
        for one in sentence.mentions
        if _DEMANDED.match(text[one.end :]) or not is_aside(text, one.start, one.end)
    ]
    keys = dict.fromkeys((*talk.wish.must, *named))
    places = [talk.atlas.places[one] for one in keys if one in talk.atlas.places]
    return [one.id for one in places
            if one.kind in SIGHTS and one.id not in talk.wish.avoid.places]  # fmt: skip


def _is_timed(talk: Talk, key: str) -> bool:
    return talk.atlas.places[key].kind in {*SIGHTS, FOOD}


def _said(asked: Asked) -> str:
    """A time as it was put, with a word before it where it has none."""
    clock = asked.said[:1].isdigit() or asked.said.split()[0].casefold() in ("noon", "midnight")
    return f"at {asked.said}" if clock else asked.said


def _tell(talk: Talk, wanted: str, place: Place, instead: str = "planned when it is open") -> None:
    told = f"open {place.hours}" if place.hours else f"for the {place.slots[0]}"
    talk.settle(wanted, f"it is {told}", instead)


def _is_closed(talk: Talk, place: Place, asked: Asked) -> bool:
    if asked.weekday is not None:
        return bool(place.hours) and asked.weekday in closed_weekdays(place.hours)
    if place.hours and not any(open_spans(place.hours, one) for one in _days(talk)):
        return False  # closed on all days: told elsewhere
    spans = list(_spans(talk, place))
    later = [(first + DAY, last + DAY) for first, last in spans]
    earlier = [(first - DAY, last - DAY) for first, last in spans if last > DAY]
    return bool(spans) and not any(
        min(last, asked.ends) - max(first, asked.begins) >= _LEAST
        for first, last in (*spans, *later, *earlier)
    )


def _days(talk: Talk) -> tuple[date, ...]:
    return tuple(period_of(talk)) or A_WEEK


def _spans(talk: Talk, place: Place) -> Iterator[tuple[int, int]]:
    """When a place is open on the days of the trip; none where nothing is known."""
    if place.hours:
        for day in _days(talk):
            yield from open_spans(place.hours, day)
    elif len(place.slots) == 1 and place.slots[0] in _PARTS:
        yield _PARTS[place.slots[0]]


def _tables(talk: Talk) -> list[str]:
    """The places to eat that the wish asks for."""
    return [one for one in talk.wish.must if talk.atlas.places[one].kind == FOOD]


def _on_its_only_day(talk: Talk, sentence: Sentence, wanted: list[str]) -> None:
    """Places of a city that is seen on one day of the week, on which they are closed."""
    told: set[str] = set()
    for only in only_days(sentence, talk.today or A_WEEK[0]):
        city = talk.atlas.city_of(only.place)
        for key in wanted if _is_all(talk, only) else ():
            place = talk.atlas.places[key]
            if key in told or talk.atlas.city_of(key) != city or not _misses(place, only):
                continue
            told.add(key)
            talk.drop(key)
            name = talk.atlas.name_of(city)
            what = f"{place.name} on {only.said}, the only {only.part} in {name}"
            talk.settle(what, f"it is open {place.hours}", "left out")
        if not told and _is_all(talk, only):
            settle_shows(talk, only)


def _is_all(talk: Talk, only: OnlyDay) -> bool:
    """Whether an evening can be the only one in its city: not in a longer stay there."""
    said = not any("no length" in one for one in talk.wish.assumed)
    alone = len({*talk.cities(), talk.wish.start, talk.wish.end} - {""}) < 2
    return only.part == "day" or not (said and alone and talk.wish.days > 2)


def _misses(place: Place, only: OnlyDay) -> bool:
    """Whether a place is closed on that day, and after a night there on the morning behind it."""
    if not place.hours or only.weekday not in closed_weekdays(place.hours):
        return False
    tomorrow = open_spans(place.hours, A_WEEK[(only.weekday + 1) % len(A_WEEK)])
    return only.part != "night" or all(begins >= NOON for begins, _ in tomorrow)


def _kept_hours(talk: Talk, wanted: list[str]) -> None:
    """Places that are over before a traveller gets up, or begin after bedtime."""
    early, late = earliest(talk.wanted.text), latest(talk.wanted.text)
    begins, ends = early[0] if early else 0, late[0] if late else 2 * DAY
    said = " and ".join(one[1] for one in (early, late) if one)
    for key in wanted if said else ():
        place = talk.atlas.places[key]
        spans = list(_spans(talk, place))
        enough = min(place.minutes / 2 or _A_LOOK, 4 * _A_LOOK) if early else _A_LOOK
        fits = any(min(last, ends) - max(first, begins) >= enough for first, last in spans)
        if spans and not fits:
            what = f"{place.name}, and '{said}'"
            _tell(talk, what, place, "planned when it is open: an exception to the hours asked for")


def _on_one_day(talk: Talk, wanted: list[str]) -> None:
    """Two places that are open on one and the same day of the trip only, too far apart for it."""
    for one, other in combinations([talk.atlas.places[key] for key in wanted], 2):
        first, second = _open_days(talk, one), _open_days(talk, other)
        if len(first) != 1 or first != second:
            continue
        way = talk.atlas.fastest(talk.atlas.city_of(one.id), talk.atlas.city_of(other.id))
        minutes = sum(step.minutes for step in way)
        if minutes and not _both(one, other, minutes, first[0]):
            talk.settle(
                f"{one.name} and {other.name}",
                f"both are open on {first[0].day} {first[0]:%B} only, and the way between them "
                f"takes {duration(minutes)}",
                "one of them",
            )


def _open_days(talk: Talk, place: Place) -> list[date]:
    """The days of the trip on which a place is open; none where no hours or no days are told."""
    days = period_of(talk) if place.hours else ()
    return [one for one in days if open_spans(place.hours, one)]


def _both(one: Place, other: Place, minutes: int, day: date) -> bool:
    """Whether two places can be seen on a day, in one order or the other."""
    return any(
        opens + (first.minutes or _A_LOOK) + minutes + (last.minutes or _A_LOOK) <= closes
        for first, last in ((one, other), (other, one))
        for opens, _ in open_spans(first.hours, day)
        for _, closes in open_spans(last.hours, day)
    )
