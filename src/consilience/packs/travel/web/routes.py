"""Which addresses plan trips? The whole trip, its steps, a page, and files to download.

Only workspaces of places plan trips; others say so. A trip is planned in the worker pool that
also answers questions, and the work stops when the client goes away.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from consilience.errors import ConsilienceError, UsageError
from consilience.packs.travel import trip_planner
from consilience.packs.travel.agenda import title_of
from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.exports import calendar, geojson, markdown, svg, trip_json
from consilience.packs.travel.itinerary import Trip
from consilience.packs.travel.trip_planner import Stage
from consilience.packs.travel.web import pages
from consilience.packs.travel.web.requests import (
    TripEventParams,
    TripPageParams,
    TripParams,
    TripRequest,
)
from consilience.service.error_responses import error_shape, unexpected_error
from consilience.service.openapi import Shape
from consilience.service.pages import reply, wants_page
from consilience.service.redaction import redact
from consilience.service.search_routes import EVENT_SCHEMA, EVENT_STREAM, Svg, format_event
from consilience.service.service import Service, Space
from consilience.understand.names import surface

Made = TypeVar("Made")
Json = dict[str, Any]


class TripShape(Shape):
    """A trip, day by day, checked and cited; amounts are strings, so that they stay exact."""

    status: str = Field(description="as wished, planned, negotiated or impossible")
    reason: str = Field(description="Why there is no plan; empty where there is one")
    wish: dict[str, Any] = Field(description="Constraints with their words, and words left over")
    clashes: list[Any] = Field(description="What cannot be had together, and what was dropped")
    report: dict[str, Any] = Field(description="Every constraint: kept, broken or unknown; faults")
    itinerary: dict[str, Any] | None = Field(description="The days, in order")
    advice: dict[str, Any] | None = Field(description="What to know on the way, and the bill")
    value: float | None = Field(description="What the plan is worth to the solver")
    bound: float | None = Field(description="The most that a plan on this route could be worth")
    citations: list[Any] = Field(description="The passages that it rests on, numbered")
    stages: list[Any] = Field(description="What came of each step")


_EVENTS: dict[int | str, Json] = {
    200: {
        "description": "`stage` for each step as it ends, then `done` or `error`",
        "content": {"text/event-stream": {"schema": EVENT_SCHEMA}},
    }
}
_JSON: dict[int | str, Json] = {200: {"model": TripShape}}
_JSON_OR_PAGE: dict[int | str, Json] = {
    200: {"model": TripShape, "content": {"text/html": {"schema": {"type": "string"}}}}
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A trip that is planned: the places it is of, and what each step said on the way."""

    trip: Trip
    atlas: Atlas
    stages: tuple[Json, ...]

    def data(self) -> Json:
        """All of it as JSON."""
        return redact({**trip_json(self.trip, self.atlas), "stages": list(self.stages)})


class Trips:
    """What plans trips, for the workspaces of a service."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def planned(
        self, space: Space, asked: TripRequest, made: Callable[[Planned], Made]
    ) -> Made:
        """What is made of a trip once it is planned."""
        async with aclosing(self.stream(space, asked, made)) as steps:
            *_, (_, last) = [one async for one in steps]
        return last  # type: ignore[return-value]  # of the last step, always

    async def stream(
        self, space: Space, asked: TripRequest, made: Callable[[Planned], Made]
    ) -> AsyncGenerator[tuple[str, Json | Made]]:
        """Each step by `stage` and as JSON, when it has ended; at last, by `done`, what is made."""
        space.jobs.ready()

        async def source() -> AsyncGenerator[tuple[str, Json | Made]]:
            atlas = trip_planner.open_atlas(space.workspace)
            known = list[Json]()
            stream = trip_planner.trip_stages(
                space.workspace,
                asked.wish,
                changes=asked.options(atlas).constraints(atlas),
                wish=asked.edited_wish(atlas),
                model=asked.model,
            )
            async with aclosing(stream) as stages:
                async for stage in stages:
                    if stage.step == "done":
                        whole = Planned(trip=stage.value, atlas=atlas, stages=tuple(known))  # type: ignore[arg-type]  # the last one is a trip
                        yield "done", made(whole)
                    else:
                        known.append(stage_view(stage))
                        yield "stage", known[-1]

        pool = self.service.pool(space.workspace, model=asked.model)
        async with aclosing(pool.stream(source)) as events:  # who stops reading stops the work
            async for told in events:
                yield told


def stage_view(stage: Stage) -> Json:
    """The name of a step and what came of it in a line."""
    return {"step": stage.step, "summary": stage.summary}


def router(service: Service) -> APIRouter:
    """The addresses below a workspace at which trips are planned."""
    router, trips = APIRouter(tags=["trip"]), Trips(service)
    _whole(router, trips)
    _streamed(router, trips)
    for download in _DOWNLOADS:
        _downloaded(router, trips, download)
    return router


# --- the whole of it --------------------------------------------------------------------


def _whole(router: APIRouter, trips: Trips) -> None:
    service = trips.service

    @router.post(
        "/w/{name}/trip",
        summary="A trip for a wish, day by day, checked and cited",
        response_model=None,
        responses=_JSON,
    )
    async def trip(name: str, asked: TripRequest) -> Json:
        return await trips.planned(service.space(name), asked, Planned.data)

    @router.get("/w/{name}/trip", summary="The same, asked in the address", responses=_JSON_OR_PAGE)
    async def trip_page(
        request: Request, name: str, wanted: Annotated[TripPageParams, Query()]
    ) -> Response:
        space = service.space(name)
        asked = wanted.asked() if wanted.q is not None else None
        if not wants_page(request):
            if asked is None:
                raise UsageError("a trip begins with a wish; say what you want: ?q=…")
            return reply(
                request, await trips.planned(space, asked, Planned.data), "travel/trip.html"
            )
        more = await service.searching.run(lambda: _form(space, asked))
        if asked is None or not wanted.whole:  # a page that can is filled while it is planned
            return reply(request, {}, "travel/trip.html", **more)
        try:
            plan = await trips.planned(space, asked, lambda one: _shown(space, asked, one))
        except UsageError as error:  # the wish stays in its box, to be corrected
            return reply(
                request, {}, "travel/trip.html", status=400, **{**more, "trouble": str(error)}
            )
        return reply(request, {}, "travel/trip.html", **{**more, "plan": plan})


def _form(space: Space, asked: TripRequest | None) -> Json:
    """What the form of a page needs."""
    atlas = trip_planner.open_atlas(space.workspace)
    model = space.workspace.settings.models.generate if space.workspace.generator else ""
    known = pages.form_view(space.name, atlas, asked, model=model)
    return {"space": space.name, "asked": asked, "form": known, "plan": "", "trouble": ""}


def _shown(space: Space, asked: TripRequest, planned: Planned) -> str:
    """What a page shows of a trip."""
    trip, atlas = planned.trip, planned.atlas
    return space.renderer.render(
        "travel/plan.html",
        plan=pages.plan_view(trip, atlas, planned.stages, space.name, asked),
        links=pages.links(space.name, asked, trip),
        others=pages.example_links(space.name, atlas) if trip.itinerary is None else [],
        space=space.name,
        asked=asked,
    )


def _step(space: Space, stage: Json) -> str:
    """What a page shows of a finished step."""
    return space.renderer.render("travel/step.html", one=pages.step_view(stage)).strip()


# --- step by step -----------------------------------------------------------------------


def _streamed(router: APIRouter, trips: Trips) -> None:
    @router.get(
        "/w/{name}/trip/events",
        summary="The same while it is planned, as server-sent events",
        response_class=StreamingResponse,
        responses=_EVENTS,
    )
    async def trip_events(name: str, wanted: Annotated[TripEventParams, Query()]) -> Response:
        space, asked = trips.service.space(name), wanted.asked()
        events = _events(trips, space, asked, html=wanted.html)
        return StreamingResponse(events, media_type="text/event-stream", headers=EVENT_STREAM)


async def _events(
    trips: Trips, space: Space, asked: TripRequest, *, html: bool
) -> AsyncIterator[str]:
    """The events of a trip: a `stage` for each step, then `done`; or an error, the last.

    With `html` each brings what a page shows of it.
    """

    def made(planned: Planned) -> Json:
        data = planned.data()
        return {**data, "html": _shown(space, asked, planned)} if html else data

    try:
        async with aclosing(trips.stream(space, asked, made)) as steps:
            async for name, found in steps:
                more = {"html": _step(space, found)} if html and name == "stage" else {}
                yield format_event(name, {**found, **more})
    except ConsilienceError as error:
        yield format_event("error", error_shape(type(error).__name__, str(error)))
    except Exception as error:  # noqa: BLE001 - logged, and told as everywhere
        yield format_event("error", unexpected_error(f"the trip for {asked.wish[:100]!r}", error))


# --- to take along ----------------------------------------------------------------------


class Calendar(Response):
    """Days for a calendar."""

    media_type = "text/calendar"


class Markdown(Response):
    """A plan to read and to print."""

    media_type = "text/markdown"


class GeoJson(Response):
    """A route for maps."""

    media_type = "application/geo+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file that a trip can be taken along as: how it ends, what it is, what makes it.

    `holds` is what it holds as JSON sees it.
    """

    ending: str
    summary: str
    kind: type[Response]
    make: Callable[[Planned], str | bytes]
    holds: str = "string"


def _calendar(planned: Planned) -> bytes:
    return calendar(planned.trip, planned.atlas)


def _markdown(planned: Planned) -> str:
    return markdown(planned.trip, planned.atlas)


def _geojson(planned: Planned) -> str:
    return json.dumps(geojson(planned.trip, planned.atlas), ensure_ascii=False)


def _drawing(planned: Planned) -> str:
    return svg(planned.trip, planned.atlas)


_DOWNLOADS = (
    Download(
        ending="ics", summary="Its days for a calendar; it needs a date", kind=Calendar,
        make=_calendar,
    ),
    Download(ending="md", summary="The whole plan as Markdown", kind=Markdown, make=_markdown),
    Download(
        ending="geojson", summary="Its route for maps", kind=GeoJson, make=_geojson, holds="object"
    ),
    Download(ending="svg", summary="Its route as a picture", kind=Svg, make=_drawing),
)  # fmt: skip


def _downloaded(router: APIRouter, trips: Trips, download: Download) -> None:
    def made(planned: Planned) -> tuple[str, str | bytes]:
        if planned.trip.itinerary is None:
            raise UsageError(f"there is no plan to take along: {planned.trip.reason}")
        return file_name(planned, download.ending), redact(download.make(planned))

    async def file(name: str, wanted: Annotated[TripParams, Query()]) -> Response:
        space = trips.service.space(name)
        called, body = await trips.planned(space, wanted.asked(), made)
        headers = {"Content-Disposition": f'attachment; filename="{called}"'}
        return download.kind(body, headers=headers)

    router.add_api_route(
        f"/w/{{name}}/trip.{download.ending}",
        file,
        methods=["GET"],
        summary=download.summary,
        name=f"trip_{download.ending}",
        response_class=download.kind,
        responses={
            200: {"content": {download.kind.media_type: {"schema": {"type": download.holds}}}}
        },
    )


def file_name(planned: Planned, ending: str) -> str:
    """`trip-4-days-hue-and-hoi-an.ics`: letters that every system takes."""
    assert planned.trip.itinerary is not None  # noqa: S101 - asked before
    plain = re.sub(r"[^a-z0-9]+", "-", surface(title_of(planned.trip.itinerary, planned.atlas)))
    return f"trip-{plain.strip('-')[:80].strip('-')}.{ending}"
