"""What is wrong with a trip, as a language model sees it? It may add to what is reckoned, no more.

All that the reckoned check finds stays. What is reckoned exactly (sums, clocks, ways) is not the
model's to judge; it may find in descriptions what no field says: that a place is shut, is not for
somebody's needs, or is what was to be avoided. It has to quote the passage, and the quoted words
have to say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, Field

from consilience.packs.travel.atlas import TOPICS, Atlas
from consilience.packs.travel.trips.checking import RULES
from consilience.packs.travel.trips.modelled.asking import Asker, Task, Verdict
from consilience.packs.travel.trips.modelled.evidence import Fact, bounded, cut, stands_in
from consilience.packs.travel.trips.steps import Check
from consilience.packs.travel.trips.types import Advice, Day, Finding, Itinerary, Slot, Wish
from consilience.packs.travel.vocabulary import features_in, kinds_in, themes_in

STEP = "check"
JUDGED = ("avoided", "need-unmet", "closed")
"""The rules by which a model may find something."""
_LETTERS = 500
_SHUT = re.compile(
    r"\b(?:clos(?:ed|ure)|shut|not open|demolished|suspended|under (?:repair|renovation)|"
    r"no longer (?:open|exists?))\b",
    re.IGNORECASE,
)
_TASK = f"""
Look for faults in a trip that figures do not show. Read the description of each place against the
wish. The rules are: {"; ".join(f"{rule}: {RULES[rule]}" for rule in JUDGED)}. For each fault
give the day, the id of the place, the rule, and the words of the description that show it, copied
exactly. Give none where there is none.
"""


class FaultRead(BaseModel):
    """A fault."""

    day: int
    place: str = Field(max_length=120)
    rule: str = Field(max_length=40)
    quote: str = Field(description="words of the description, copied exactly", max_length=300)


class FaultsRead(BaseModel):
    """The faults."""

    faults: list[FaultRead] = Field(default_factory=list, max_length=12)


class ModelledCheck:
    """The step `check` by a language model; `objected` are the places that it finds fault with."""

    def __init__(self, asker: Asker, reckoned: Check, objected: dict[str, str]) -> None:
        self._asker = asker
        self._reckoned = reckoned
        self._objected = objected

    async def __call__(
        self, wish: Wish, itinerary: Itinerary, advice: Advice, atlas: Atlas
    ) -> Sequence[Finding]:
        """What is wrong: all that is reckoned, and what the model adds."""
        findings = tuple(await self._reckoned(wish, itinerary, advice, atlas))
        facts = [_fact(place, day, atlas) for day in itinerary.days for place in _uses(day)]
        if not facts:
            return findings
        task = Task(
            step=STEP,
            form=FaultsRead,
            instructions=_TASK,
            wish=wish.text,
            data={
                "not_wanted": list(wish.avoid.said),
                "needed": sorted(wish.needs),
                "places": bounded(facts, self._asker.tokens),
            },
            judge=lambda reply: judged(reply, wish, itinerary, atlas),
            atlas=atlas,
        )
        added = await self._asker.ask(task) or ()
        self._objected |= {one.place: one.message for one in added}
        return tuple(dict.fromkeys((*findings, *added)))


def _uses(day: Day) -> dict[str, Slot]:
    """The places that a day visits and eats at, and when."""
    meals = {one.place: one.slot for one in day.meals}
    return {one.place: one.slot for one in day.visits} | meals


def _fact(place: str, day: Day, atlas: Atlas) -> Fact:
    return {
        "day": day.number,
        "on": day.on,
        "id": place,
        "name": atlas.name_of(place),
        "description": cut(_said_of(place, atlas), _LETTERS),
    }


def _said_of(place: str, atlas: Atlas) -> str:
    known = atlas.places.get(place)
    remarks = [one.text for topic in TOPICS for one in atlas.remarks.get((place, topic), ())]
    return " ".join([known.text if known else "", *remarks])


def judged(
    reply: FaultsRead, wish: Wish, itinerary: Itinerary, atlas: Atlas
) -> Verdict[tuple[Finding, ...]]:
    """The findings that the passages bear out, and those that they do not."""
    found: list[Finding] = []
    faults: list[str] = []
    days = {day.number: day for day in itinerary.days}
    for one in reply.faults:
        day = days.get(one.day)
        uses = _uses(day) if day else {}
        if one.rule not in JUDGED:
            faults.append(f"{cut(one.rule, 40)!r} is none of the rules {', '.join(JUDGED)}")
        elif one.place not in uses or one.place in wish.must:
            faults.append(f"{cut(one.place, 40)!r} is not to be judged on day {one.day}")
        elif not stands_in(one.quote, _said_of(one.place, atlas)):
            faults.append(f"{cut(one.quote, 60)!r} does not stand in what is told of {one.place}")
        elif not _shows(one, wish):
            faults.append(f"{cut(one.quote, 60)!r} does not show {one.rule}")
        else:
            told = f"day {one.day}: {atlas.name_of(one.place)}: “{cut(one.quote, 120)}”"
            found.append(
                Finding(
                    rule=one.rule,
                    message=told,
                    day=one.day,
                    slot=uses[one.place],
                    place=one.place,
                )
            )
    if faults and not found:
        return Verdict(None, tuple(faults))
    return Verdict(tuple(found), tuple(faults))


def _shows(one: FaultRead, wish: Wish) -> bool:
    """Whether quoted words speak of what the rule is about."""
    if one.rule == "closed":
        return bool(_SHUT.search(one.quote))
    if one.rule == "need-unmet":
        lacks = {word.feature for word in features_in(one.quote) if word.negated}
        return bool(lacks & wish.needs)
    avoid = wish.avoid
    has = {word.theme for word in themes_in(one.quote) if not word.negated} & avoid.themes
    has |= {word.feature for word in features_in(one.quote) if not word.negated} & avoid.features
    has |= {word.type for word in kinds_in(one.quote) if not word.negated} & avoid.types
    return bool(has)
