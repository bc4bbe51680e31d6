"""Which days come of a wish, as a language model chooses them? Its places, laid out as reckoned.

The model says in which city each day is and what is seen in which part of it, by ids. From that a
draft is made with the names, prices, passages and connections of the atlas, and the reckoned
composer mends its times, meals, beds and gaps. Another draft lets the composer choose anew with the
model's places preferred. The better of them is taken, and neither where the reckoned days have
fewer faults: a model never makes a trip worse. Faults that a check finds later are mended as
reckoned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated

from pydantic import BaseModel, Field

from consilience.packs.travel.atlas import FOOD, SIGHTS, STAY, Atlas
from consilience.packs.travel.trips.checking.days import MOST_VISITS
from consilience.packs.travel.trips.checking.ways import belongs
from consilience.packs.travel.trips.checking.wishes import why_avoided
from consilience.packs.travel.trips.modelled.asking import Asker, Task, Verdict
from consilience.packs.travel.trips.modelled.drafting import Chosen, drafted
from consilience.packs.travel.trips.modelled.evidence import Fact, bounded, place_fact, resolved
from consilience.packs.travel.trips.planning import bounding_cities
from consilience.packs.travel.trips.steps import Steps
from consilience.packs.travel.trips.types import (
    SLOTS,
    Candidate,
    Candidates,
    Finding,
    Itinerary,
    Slot,
    Wish,
)

STEP = "compose"
MOST_DAYS = 60
_MOST_WRITTEN, _MOST_A_DAY = 200, 180  # tokens of a reply
_MENDED = 2  # times that a draft is mended before it is judged
_TASK = """
Choose the days of a trip from `candidates`, best first. For each day give the id of the city in
which its night is spent, and the ids of the places to visit in the morning, the afternoon and the
evening. Stay in few cities, go from one to the next where there is a way of a few hours, visit no
place twice, and visit a place only from the city that it is in. Give `stay`, `lunch` and `dinner`
only where you know a place of that city for it. Times and prices are reckoned by others.
"""


Id = Annotated[str, Field(max_length=120)]


class DayRead(BaseModel):
    """One day."""

    city: Id
    morning: list[Id] = Field(default_factory=list, max_length=4)
    afternoon: list[Id] = Field(default_factory=list, max_length=4)
    evening: list[Id] = Field(default_factory=list, max_length=4)
    stay: Id = ""
    lunch: Id = ""
    dinner: Id = ""


class DaysRead(BaseModel):
    """The days in their order."""

    days: list[DayRead] = Field(max_length=MOST_DAYS)


class ModelledCompose:
    """The step `compose` by a language model; what was `objected` to is used no more."""

    def __init__(self, asker: Asker, reckoned: Steps, objected: Mapping[str, str]) -> None:
        self._asker = asker
        self._reckoned = reckoned
        self._objected = objected

    async def __call__(
        self,
        wish: Wish,
        candidates: Candidates,
        atlas: Atlas,
        *,
        before: Itinerary | None = None,
        findings: Sequence[Finding] = (),
    ) -> Itinerary:
        """The days; with some from before, those mended as reckoned."""
        compose = self._reckoned.compose
        excluded = {**candidates.excluded, **self._objected}
        candidates = replace(candidates, excluded=excluded)
        days = await compose(wish, candidates, atlas, before=before, findings=findings)
        if before is not None:
            return days
        task = Task(
            step=STEP,
            form=DaysRead,
            instructions=_TASK,
            wish=wish.text,
            data=_data(wish, candidates, atlas, self._asker.tokens),
            judge=lambda reply: judged(reply, wish, candidates, atlas),
            atlas=atlas,
            most=_MOST_WRITTEN + wish.days * _MOST_A_DAY,
        )
        chosen = await self._asker.ask(task)
        if chosen is None:
            return days
        return await self._best(chosen, days, wish, candidates, atlas)

    async def _best(
        self,
        chosen: Sequence[Chosen],
        days: Itinerary,
        wish: Wish,
        candidates: Candidates,
        atlas: Atlas,
    ) -> Itinerary:
        """The model's days laid out, unless the reckoned ones have fewer faults."""
        draft = drafted(chosen, wish, atlas)
        guided = preferring(chosen, candidates, atlas)
        route = tuple(dict.fromkeys(day.city for day in chosen))
        toured = replace(wish, cities=tuple(dict.fromkeys((*wish.cities, *route))))
        options = [
            await self._mended(draft, wish, guided, atlas),
            await self._reckoned.compose(toured, guided, atlas),
        ]
        faults = [await self._faults(one, wish, atlas) for one in (*options, days)]
        best = min(range(len(options)), key=lambda one: len(faults[one]))
        if len(faults[best]) <= len(faults[-1]):
            return options[best]
        rules = ", ".join(dict.fromkeys(one.rule for one in faults[best]))
        self._asker.reckoned(STEP, f"the days of {self._asker.name} have faults left ({rules})")
        return days

    async def _mended(
        self, draft: Itinerary, wish: Wish, candidates: Candidates, atlas: Atlas
    ) -> Itinerary:
        for _ in range(_MENDED):
            findings = await self._faults(draft, wish, atlas)
            if not findings:
                break
            draft = await self._reckoned.compose(
                wish, candidates, atlas, before=draft, findings=findings
            )
        return draft

    async def _faults(self, days: Itinerary, wish: Wish, atlas: Atlas) -> Sequence[Finding]:
        advice = await self._reckoned.advise(wish, days, atlas)
        return await self._reckoned.check(wish, days, advice, atlas)


def _data(wish: Wish, candidates: Candidates, atlas: Atlas, tokens: int) -> dict[str, object]:
    facts: list[Fact] = [
        place_fact(atlas.places[one.place], atlas, letters=0)
        for one in candidates.found
        if one.place in atlas.places
    ]
    return {
        "days": wish.days,
        "starts_on": wish.starts_on,
        "themes_in_per_cent": dict(wish.themes),
        "pace": wish.pace,
        "most_visits_a_day": MOST_VISITS[wish.pace],
        "has_to_be_in_it": [{"id": one, "name": atlas.name_of(one)} for one in wish.must],
        "begins_in": wish.start,
        "ends_in": wish.end,
        "not_wanted": list(wish.avoid.said),
        "candidates": bounded(facts, tokens),
    }


# --- what is valid ----------------------------------------------------------------------


def judged(
    reply: DaysRead, wish: Wish, candidates: Candidates, atlas: Atlas
) -> Verdict[tuple[Chosen, ...]]:
    """The days with what is known and allowed in them, and what of the reply is set aside."""
    if len(reply.days) != wish.days:
        return Verdict(None, (f"{wish.days} days are wanted, not {len(reply.days)}",))
    choosing = _Choosing(wish, candidates, atlas)
    days = [choosing.day(one) for one in reply.days]
    faults = tuple(choosing.faults)
    valid = [one for one in days if one is not None]
    if len(valid) < len(days) or not any(one.visits for one in valid):
        return Verdict(None, (*faults, "a day needs a city that is known, and places in it"))
    return Verdict(tuple(valid), faults)


class _Choosing:
    """Holds the places that a model chose against the atlas and the wish."""

    def __init__(self, wish: Wish, candidates: Candidates, atlas: Atlas) -> None:
        self._wish = wish
        self._excluded = candidates.excluded
        self._atlas = atlas
        self._seen: set[str] = set()
        self._city = ""
        self.faults: list[str] = []

    def day(self, read: DayRead) -> Chosen | None:
        """What is valid of a day; None where its city is not."""
        city = self._atlas.city_of(resolved(read.city, self._atlas))
        if not city or not self._may_stay_in(city):
            why = "is not wanted" if city else "is no city that is known"
            self.faults.append(f"{read.city!r} {why}")
            return None
        here = tuple(dict.fromkeys(one for one in (self._city, city) if one))
        self._city = city
        visits: list[tuple[Slot, str]] = []
        for slot in SLOTS:
            for named in getattr(read, slot):
                if len(visits) < MOST_VISITS[self._wish.pace] and (
                    place := self._sight(named, here)
                ):
                    visits.append((slot, place))
        return Chosen(
            city=city,
            visits=tuple(visits),
            stay=self._other(read.stay, STAY, city),
            lunch=self._other(read.lunch, FOOD, city),
            dinner=self._other(read.dinner, FOOD, city),
        )

    def _may_stay_in(self, city: str) -> bool:
        """Whether a night may be there: in a city that is named, where some are."""
        bound = bounding_cities(self._wish, self._atlas)
        return (city in bound or not bound) and city not in self._wish.avoid.places

    def _sight(self, named: str, here: Sequence[str]) -> str:
        place = resolved(named, self._atlas, SIGHTS)
        if not place or not self._allowed(place, named):
            if not place:
                self.faults.append(f"no place {named!r} to visit is known")
            return ""
        if not any(belongs(place, city, self._atlas) for city in here):
            self.faults.append(f"{named} is not in {' or '.join(here)}")
            return ""
        if place in self._seen:
            self.faults.append(f"{named} is there twice")
            return ""
        self._seen.add(place)
        return place

    def _other(self, named: str, kind: str, city: str) -> str:
        """A place to sleep or eat in a city, where the model names one."""
        if not named.strip():
            return ""
        place = resolved(named, self._atlas, {kind})
        if place and belongs(place, city, self._atlas, meal=True) and self._allowed(place, named):
            return place
        self.faults.append(f"no {kind} {named!r} is known in {self._atlas.name_of(city)}")
        return ""

    def _allowed(self, place: str, named: str) -> bool:
        known = self._atlas.places[place]
        why = self._excluded.get(place) or why_avoided(known, self._wish.avoid, self._atlas)
        if why and place not in self._wish.must:
            self.faults.append(f"{named} is not wanted: {why}")
            return False
        return True


def preferring(chosen: Sequence[Chosen], candidates: Candidates, atlas: Atlas) -> Candidates:
    """The candidates with the chosen places before all others, in the order chosen."""
    cities = [city for city, _ in groupby(day.city for day in chosen)]
    named = [place for day in chosen for _, place in day.visits]
    tables = [place for day in chosen for place in (day.stay, day.lunch, day.dinner) if place]
    order = list(dict.fromkeys((*cities, *named, *tables)))
    best = max((one.score for one in candidates.found), default=1.0) or 1.0
    found = {one.place: one for one in candidates.found}
    first = [
        Candidate(
            place=place,
            passage=atlas.places[place].passage,
            score=best * (2.0 - number / len(order)),
            reasons=(*(found[place].reasons if place in found else ()), "chosen by the model"),
        )
        for number, place in enumerate(order)
        if place in atlas.places
    ]
    rest = [one for one in candidates.found if one.place not in order]
    return replace(candidates, found=(*first, *rest))
