"""Which tool plans a trip, and what does it return? Days line by line, the cost, the sources."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, Field

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import told
from consilience.packs.travel.trips.checking.spans import DAY_MIN, clock
from consilience.packs.travel.trips.showing.agenda import entries, meal_word, title_of, way_words
from consilience.packs.travel.trips.showing.citing import sources_of
from consilience.packs.travel.trips.types import Day, Itinerary, Trip
from consilience.packs.travel.web.requests import TripRequest
from consilience.packs.travel.web.routes import Trips
from consilience.service.mcp_tools import (
    Id,
    Label,
    Tool,
    Toolbox,
    ToolResult,
    WorkspaceArguments,
)
from consilience.service.service import Service
from consilience.text_markup import neutralize, strip_invisible


class TripArguments(WorkspaceArguments, TripRequest):
    """A wish for a trip, and fields that override its words."""


def tools(service: Service) -> tuple[Tool, ...]:
    """The tool that plans trips."""
    trips = Trips(service)

    async def plan_trip(toolbox: Toolbox, given: TripArguments) -> TripResult:
        space, asked = toolbox.parse(given, TripRequest)
        return await trips.planned(
            space, asked, lambda planned: TripResult.of(planned.trip, planned.atlas)
        )

    return (
        Tool(
            name="plan_trip",
            title="Plan a trip",
            summary="A trip for a wish in words, day by day, checked, with times, prices and the "
            "passages that tell of each place; or why it cannot be had, and what can.",
            takes=TripArguments,
            gives=TripResult,
            call=plan_trip,
            instructions="- `plan_trip` plans a trip in a workspace of places. Report its "
            "compromises and assumptions as well, and add no place of your own.",
        ),
    )


class Item(BaseModel):
    """One thing on a day."""

    time: str = Field(description="`09:00–10:30`; `night` for where one sleeps")
    what: str
    why: str = Field(description="The reason it was chosen; empty for none")
    price: str
    mark: int | None = Field(description="The number of the source that tells of it")


class DayResult(BaseModel):
    """One day."""

    day: int
    date: str = Field(description="As 2027-03-01; empty where no date is known")
    city: str = Field(description="Where its night is spent")
    doings: list[Item]


class Cited(BaseModel):
    """A passage that a trip rests on."""

    mark: int
    passage: Id
    label: Label


class TripResult(ToolResult):
    """A trip, or why there is none."""

    status: str = Field(description="planned, negotiated (with compromises) or refused")
    title: str
    refusal: str = Field(description="Why it is refused; empty where it is not")
    offers: list[str] = Field(description="What can be had instead")
    assumed: list[str] = Field(description="What was not said, and taken so")
    compromises: list[str] = Field(description="What is otherwise than wished, and why")
    unmended: list[str] = Field(description="What is wrong with it and could not be mended")
    days: list[DayResult]
    total: str = Field(description="What all of it costs for everybody; empty where unknown")
    advice: list[str]
    citations: list[Cited]

    @classmethod
    def of(cls, trip: Trip, atlas: Atlas) -> Self:
        """A trip that the service planned."""
        sources, days = sources_of(trip, atlas), trip.itinerary
        numbers = {one.passage: one.number for one in sources}
        return cls(
            status=trip.status,
            title=strip_invisible(title_of(days, atlas)) if days else "",
            refusal=strip_invisible(trip.refusal),
            offers=[strip_invisible(one) for one in trip.offers],
            assumed=[strip_invisible(one) for one in trip.wish.assumed],
            compromises=[
                strip_invisible(f"{one.wanted}: {one.reason}; instead: {one.instead}")
                for one in trip.compromises
            ],
            unmended=[strip_invisible(one.message) for one in trip.findings],
            days=[_spent(day, days, atlas, numbers) for day in days.days] if days else [],
            total=_total(trip),
            advice=_advice(trip, numbers),
            citations=[
                Cited(mark=one.number, passage=one.passage, label=strip_invisible(one.label))
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


def _spent(day: Day, itinerary: Itinerary, atlas: Atlas, numbers: dict[str, int]) -> DayResult:
    doings = []
    for one in entries(day, atlas):
        lead = f"{meal_word(one.begins)} at " if one.kind == "meal" else ""
        is_way, is_night = one.kind in ("leg", "way"), one.kind == "stay"
        times = f"{clock(one.begins % DAY_MIN)}–{clock(one.ends % DAY_MIN)}"
        doings.append(
            Item(
                time="night" if is_night else times,
                what=strip_invisible(way_words(one, atlas) if is_way else f"{lead}{one.name}"),
                why=strip_invisible(one.note),
                price=one.cost(itinerary.currency),
                mark=numbers.get(one.passage),
            )
        )
    dated = day.on.isoformat() if day.on else ""
    city = strip_invisible(atlas.name_of(day.city))
    return DayResult(day=day.number, date=dated, city=city, doings=doings)


def _total(trip: Trip) -> str:
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


def _line(doing: Item) -> str:
    mark = f" [{doing.mark}]" if doing.mark else ""
    why = f": {_line_of(doing.why)}" if doing.why else ""
    price = f" ({doing.price})" if doing.price else ""
    return f"- {doing.time} {_line_of(doing.what)}{mark}{why}{price}"


def _marked(told: str) -> str:
    """A sentence that was made harmless before its marks were set."""
    return f"- {told}"


def _line_of(text: str) -> str:
    """Text of others on one line, in which nothing is a mark of ours."""
    return " ".join(neutralize(text).split())
