"""What does a tool tell of a trip? Its days line by line, what it costs, what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, Field

from consilience.markup import harmless, visible
from consilience.service.tools.told import Id, Label, Told

if TYPE_CHECKING:  # what a trip needs is imported when one is planned
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.trips.types import Day, Itinerary, Trip


class Doing(BaseModel):
    """One thing on a day."""

    time: str = Field(description="`09:00–10:30`; `night` for where one sleeps")
    what: str
    why: str = Field(description="The reason it was chosen; empty for none")
    price: str
    mark: int | None = Field(description="The number of the source that tells of it")


class Spent(BaseModel):
    """One day."""

    day: int
    date: str = Field(description="As 2027-03-01; empty where no date is known")
    city: str = Field(description="Where its night is spent")
    doings: list[Doing]


class Rested(BaseModel):
    """A passage that a trip rests on."""

    mark: int
    passage: Id
    label: Label


class Travelled(Told):
    """A trip, or why there is none."""

    status: str = Field(description="planned, negotiated (with compromises) or refused")
    title: str
    refusal: str = Field(description="Why it is refused; empty where it is not")
    offers: list[str] = Field(description="What can be had instead")
    assumed: list[str] = Field(description="What was not said, and taken so")
    compromises: list[str] = Field(description="What is otherwise than wished, and why")
    unmended: list[str] = Field(description="What is wrong with it and could not be mended")
    days: list[Spent]
    total: str = Field(description="What all of it costs for everybody; empty where unknown")
    advice: list[str]
    citations: list[Rested]

    @classmethod
    def of(cls, trip: Trip, atlas: Atlas) -> Self:
        """A trip that the service planned."""
        from consilience.packs.travel.trips.showing.agenda import title_of  # noqa: PLC0415 - above
        from consilience.packs.travel.trips.showing.citing import sources_of  # noqa: PLC0415

        sources, days = sources_of(trip, atlas), trip.itinerary
        numbers = {one.passage: one.number for one in sources}
        return cls(
            status=trip.status,
            title=visible(title_of(days, atlas)) if days else "",
            refusal=visible(trip.refusal),
            offers=[visible(one) for one in trip.offers],
            assumed=[visible(one) for one in trip.wish.assumed],
            compromises=[
                visible(f"{one.wanted}: {one.reason}; instead: {one.instead}")
                for one in trip.compromises
            ],
            unmended=[visible(one.message) for one in trip.findings],
            days=[_spent(day, days, atlas, numbers) for day in days.days] if days else [],
            total=_total(trip),
            advice=_advice(trip, numbers),
            citations=[
                Rested(mark=one.number, passage=one.passage, label=visible(one.label))
                for one in sources
            ],
        )

    def text(self) -> str:
        """The days, what to know, and the sources by their marks."""
        head = [_line_of(self.title)] if self.title else []
        head += [f"Refused: {_line_of(self.refusal)}"] if self.refusal else []
        named = {
            "instead": self.offers,
            "assumed": self.assumed,
            "otherwise than wished": self.compromises,
            "could not be mended": self.unmended,
        }
        head += [f"{name}: {_line_of(one)}" for name, every in named.items() for one in every]
        parts = ["\n".join(head)]
        for day in self.days:
            dated = f", {day.date}" if day.date else ""
            lines = [f"Day {day.day}{dated}: {_line_of(day.city)}"]
            parts.append("\n".join((*lines, *map(_line, day.doings))))
        parts += [f"In all: {self.total}"] if self.total else []
        parts += ["\n".join(_marked(one) for one in self.advice)] if self.advice else []
        cited = [f"[{one.mark}] {_line_of(one.label)} ({one.passage})" for one in self.citations]
        return "\n\n".join((*parts, *(["\n".join(cited)] if cited else [])))


def _spent(day: Day, itinerary: Itinerary, atlas: Atlas, numbers: dict[str, int]) -> Spent:
    from consilience.packs.travel.trips.checking.spans import DAY_MIN, clock  # noqa: PLC0415
    from consilience.packs.travel.trips.showing.agenda import (  # noqa: PLC0415 - see above
        entries,
        meal_word,
        way_words,
    )

    doings = []
    for one in entries(day, atlas):
        lead = f"{meal_word(one.begins)} at " if one.kind == "meal" else ""
        is_way, is_night = one.kind in ("leg", "way"), one.kind == "stay"
        times = f"{clock(one.begins % DAY_MIN)}–{clock(one.ends % DAY_MIN)}"
        doings.append(
            Doing(
                time="night" if is_night else times,
                what=visible(way_words(one, atlas) if is_way else f"{lead}{one.name}"),
                why=visible(one.note),
                price=one.cost(itinerary.currency),
                mark=numbers.get(one.passage),
            )
        )
    dated = day.on.isoformat() if day.on else ""
    city = visible(atlas.name_of(day.city))
    return Spent(day=day.number, date=dated, city=city, doings=doings)


def _total(trip: Trip) -> str:
    from consilience.packs.travel.money import told  # noqa: PLC0415 - see above

    bill = trip.advice.bill if trip.advice else None
    if bill is None:
        return ""
    own = told(bill.total, bill.currency)
    if bill.converted is None or bill.in_currency == bill.currency:
        return own
    return f"{own}, {told(bill.converted, bill.in_currency)}"


def _advice(trip: Trip, numbers: dict[str, int]) -> list[str]:
    """Sentences with the marks of what bears them out."""
    if trip.advice is None:
        return []
    every = trip.advice
    tips = (*every.transport, *every.season, *every.booking, *every.safety)
    return [
        f"{_line_of(tip.text)} {''.join(f'[{numbers[one]}]' for one in tip.passages)}".strip()
        for tip in tips
    ]


def _line(doing: Doing) -> str:
    mark = f" [{doing.mark}]" if doing.mark else ""
    why = f": {_line_of(doing.why)}" if doing.why else ""
    price = f" ({doing.price})" if doing.price else ""
    return f"- {doing.time} {_line_of(doing.what)}{mark}{why}{price}"


def _marked(told: str) -> str:
    """A sentence that was made harmless before its marks were set."""
    return f"- {told}"


def _line_of(text: str) -> str:
    """Text of others on one line, in which nothing is a mark of ours."""
    return " ".join(harmless(text).split())
