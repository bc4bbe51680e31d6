"""Which tool plans a trip, and what does it return? Days line by line, the cost, the sources."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, Field

from consilience.packs.travel.agenda import day_entries, sources_of, title_of
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.exports import clash_words, report_lines, total_words
from consilience.packs.travel.itinerary import Day, Itinerary, Trip
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
            "verdicts, clashes and words not understood as well, and add no place of your own.",
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
    entries: list[Item]


class Cited(BaseModel):
    """A passage that a trip rests on."""

    mark: int
    passage: Id
    label: Label


class TripResult(ToolResult):
    """A trip, or why there is none."""

    status: str = Field(description="as wished, planned, negotiated or impossible")
    title: str
    reason: str = Field(description="Why there is no plan; empty where there is one")
    not_understood: list[str] = Field(description="Words of the wish that no constraint covers")
    verdicts: list[str] = Field(description="Every constraint: kept, broken or unknown, and why")
    clashes: list[str] = Field(description="What cannot be had together, and what was dropped")
    faults: list[str] = Field(description="What is wrong with the plan itself")
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
            reason=strip_invisible(trip.reason),
            not_understood=[strip_invisible(span.text) for span in trip.wish.leftover],
            verdicts=[strip_invisible(line) for line in report_lines(trip, atlas)],
            clashes=[strip_invisible(clash_words(clash, atlas)) for clash in trip.clashes],
            faults=[strip_invisible(fault.message) for fault in trip.report.faults],
            days=[_day_result(day, days, atlas, numbers) for day in days.days] if days else [],
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
        head += [f"No trip: {_line_of(self.reason)}"] if self.reason else []
        named = {
            "not understood": self.not_understood,
            "wish": self.verdicts,
            "clash": self.clashes,
            "fault": self.faults,
        }
        head += [f"{name}: {_line_of(one)}" for name, every in named.items() for one in every]
        parts = ["\n".join(head)]
        for day in self.days:
            dated = f", {day.date}" if day.date else ""
            lines = [f"Day {day.day}{dated}: {_line_of(day.city)}"]
            parts.append("\n".join((*lines, *map(_line, day.entries))))
        parts += [f"In all: {self.total}"] if self.total else []
        parts += ["\n".join(_marked(one) for one in self.advice)] if self.advice else []
        cited = [f"[{one.mark}] {_line_of(one.label)} ({one.passage})" for one in self.citations]
        return "\n\n".join((*parts, *(["\n".join(cited)] if cited else [])))


def _day_result(day: Day, itinerary: Itinerary, atlas: Atlas, numbers: dict[str, int]) -> DayResult:
    entries = [
        Item(
            time=entry.time,
            what=strip_invisible(entry.name),
            why=strip_invisible(entry.note),
            price=entry.cost(itinerary.currency),
            mark=numbers.get(entry.passage),
        )
        for entry in day_entries(day, atlas)
    ]
    dated = day.date.isoformat() if day.date else ""
    city = strip_invisible(atlas.name_of(day.city))
    return DayResult(day=day.number, date=dated, city=city, entries=entries)


def _total(trip: Trip) -> str:
    bill = trip.advice.bill if trip.advice else None
    return total_words(bill) if bill else ""


def _advice(trip: Trip, numbers: dict[str, int]) -> list[str]:
    """Sentences with the marks of what bears them out."""
    if trip.advice is None:
        return []
    tips = [tip for tips in trip.advice.subjects().values() for tip in tips]
    return [
        f"{_line_of(tip.text)} {''.join(f'[{numbers[one]}]' for one in tip.passages)}".strip()
        for tip in tips
    ]


def _line(entry: Item) -> str:
    mark = f" [{entry.mark}]" if entry.mark else ""
    why = f": {_line_of(entry.why)}" if entry.why else ""
    price = f" ({entry.price})" if entry.price else ""
    return f"- {entry.time} {_line_of(entry.what)}{mark}{why}{price}"


def _marked(told: str) -> str:
    """A sentence that was made harmless before its marks were set."""
    return f"- {told}"


def _line_of(text: str) -> str:
    """Text of others on one line, in which nothing is a mark of ours."""
    return " ".join(neutralize(text).split())
