"""What should one know on the way, as a language model tells it? Only what passages bear out.

All that is reckoned stays, the bill with it. The model may add tips that cite passages of this
trip: their numbers and most of their words have to stand in what they cite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, Field

from consilience.packs.travel.atlas import TOPICS, Atlas
from consilience.packs.travel.trips.modelled.asking import Asker, Task, Verdict
from consilience.packs.travel.trips.modelled.evidence import Fact, bounded, cut, way_fact
from consilience.packs.travel.trips.steps import Advise
from consilience.packs.travel.trips.types import Advice, Itinerary, Tip, Wish
from consilience.understand.names import surface

STEP = "advise"
MOST_TIPS = 3
"""Tips that a model may add on a subject."""
MOST_LETTERS = 300
BORNE_OUT = 0.6
"""Share of the longer words of a tip that have to stand in what it cites."""
Subject = Literal["transport", "season", "booking", "safety"]
SUBJECTS: tuple[Subject, ...] = ("transport", "season", "booking", "safety")
_LONG = 4
_NUMBER = re.compile(r"\d+")
_TASK = f"""
Write what a traveller should know on this trip, on {", ".join(SUBJECTS)}. Each tip is one or two
plain sentences, in the words of the passages it rests on, and cites their numbers. Say nothing that
they do not say. Prices and sums are reckoned by others.
"""


class TipRead(BaseModel):
    """A tip."""

    subject: Subject
    text: str = Field(max_length=2 * MOST_LETTERS)
    cites: list[int] = Field(description="numbers of the passages that say so", max_length=6)


class AdviceRead(BaseModel):
    """The tips."""

    tips: list[TipRead] = Field(max_length=3 * len(SUBJECTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A passage that may be cited, and all that it says."""

    passage: str
    about: str
    text: str


class ModelledAdvise:
    """The step `advise` by a language model."""

    def __init__(self, asker: Asker, reckoned: Advise) -> None:
        self._asker = asker
        self._reckoned = reckoned

    async def __call__(self, wish: Wish, itinerary: Itinerary, atlas: Atlas) -> Advice:
        """What to know; the bill is reckoned."""
        advice = await self._reckoned(wish, itinerary, atlas)
        told = list({one.passage: one for one in passages_of(itinerary, atlas)}.values())
        facts: list[Fact] = [
            {"number": number, "about": one.about, "text": cut(one.text)}
            for number, one in enumerate(told, start=1)
        ]
        shown = bounded(facts, self._asker.tokens)
        if not shown:
            return advice
        numbered = dict(enumerate(told[: len(shown)], start=1))
        task = Task(
            step=STEP,
            form=AdviceRead,
            instructions=_TASK,
            wish=wish.text,
            data={"month": wish.month, "passages": shown},
            judge=lambda reply: judged(reply, numbered, advice),
            atlas=atlas,
        )
        return await self._asker.ask(task) or advice


def passages_of(itinerary: Itinerary, atlas: Atlas) -> Iterator[Told]:
    """What passages say of the cities, ways and places of a trip; some of them more than once."""
    days = itinerary.days
    for city in dict.fromkeys(day.city for day in days):
        yield from _remarks(city, atlas)
    for leg in (leg for day in days for leg in day.legs):
        ways = [one for one in atlas.direct(leg.start, leg.end) if one.passage == leg.passage]
        for way in ways:
            facts = ", ".join(f"{name} {value}" for name, value in way_fact(way, atlas).items())
            yield Told(passage=way.passage, about="a way", text=facts)
    for visit in (visit for day in days for visit in day.visits):
        yield from _remarks(visit.place, atlas)
        if (known := atlas.places.get(visit.place)) is not None:
            yield Told(passage=known.passage, about=known.name, text=known.text)


def _remarks(place: str, atlas: Atlas) -> Iterator[Told]:
    for remark in (atlas.remark(place, topic) for topic in TOPICS):
        if remark is not None:
            yield Told(passage=remark.passage, about=atlas.name_of(place), text=remark.text)


def judged(reply: AdviceRead, numbered: Mapping[int, Told], advice: Advice) -> Verdict[Advice]:
    """The reckoned advice with the tips of the model that hold, and those that do not."""
    faults: list[str] = []
    added: dict[Subject, list[Tip]] = {subject: [] for subject in SUBJECTS}
    for one in reply.tips:
        if fault := _fault(one, numbered):
            faults.append(fault)
            continue
        cited = tuple(numbered[number].passage for number in dict.fromkeys(one.cites))
        if any(set(cited) <= set(tip.passages) for tip in _tips(advice, one.subject)):
            continue  # said already, as reckoned
        if len(added[one.subject]) < MOST_TIPS:
            added[one.subject].append(Tip(text=" ".join(one.text.split()), passages=cited))
    if faults and len(faults) == len(reply.tips):
        return Verdict(None, tuple(faults))
    return Verdict(
        replace(
            advice,
            transport=(*advice.transport, *added["transport"]),
            season=(*advice.season, *added["season"]),
            booking=(*advice.booking, *added["booking"]),
            safety=(*advice.safety, *added["safety"]),
        ),
        tuple(faults),
    )


def _tips(advice: Advice, subject: Subject) -> tuple[Tip, ...]:
    tips: Mapping[Subject, tuple[Tip, ...]] = {
        "transport": advice.transport,
        "season": advice.season,
        "booking": advice.booking,
        "safety": advice.safety,
    }
    return tips[subject]


def _fault(one: TipRead, numbered: Mapping[int, Told]) -> str:
    """Why a tip does not hold; empty where it does."""
    said = cut(one.text, 60)
    unknown = [number for number in one.cites if number not in numbered]
    if not one.cites or unknown:
        return f"{said!r} cites {unknown or 'nothing'}"
    if not one.text.strip() or len(one.text) > MOST_LETTERS:
        return f"{said!r} has {len(one.text)} letters; {MOST_LETTERS} at most"
    evidence = " ".join(f"{numbered[n].about} {numbered[n].text}" for n in one.cites)
    if strange := set(_NUMBER.findall(one.text)) - set(_NUMBER.findall(evidence)):
        return f"{said!r} says {', '.join(sorted(strange))}, and what it cites does not"
    words = {word for word in surface(one.text).split() if len(word) >= _LONG}
    known = words & set(surface(evidence).split())
    if words and len(known) / len(words) < BORNE_OUT:
        return f"{said!r} is not what it cites says"
    return ""
