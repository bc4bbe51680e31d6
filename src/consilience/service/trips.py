"""What can be asked about a trip? The whole of it, step by step, as a page, and to take along.

Only workspaces of places plan trips; the others say so. A trip is planned at a desk, as questions
are answered, and whoever goes away stops the work on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from consilience.errors import ConsilienceError, UsageError
from consilience.names import surface
from consilience.service.asking import EVENT, LIVE, Picture
from consilience.service.core import Service, Space
from consilience.service.hiding import hidden
from consilience.service.pages import page, reply, wants_page
from consilience.service.refusals import error_shape, unexpected
from consilience.service.streaming import event_text
from consilience.service.wishes import Addressed, AskedTrip, ForEvents, ForPage
from consilience.workspace import touring

if TYPE_CHECKING:  # what a trip needs is imported when one is planned
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.trips.running import Stage
    from consilience.packs.travel.trips.types import Trip

Made = TypeVar("Made")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A trip that is planned: the places it is of, and what each step said on the way."""

    trip: Trip
    atlas: Atlas
    stages: tuple[Json, ...]

    def data(self) -> Json:
        """All of it as JSON."""
        from consilience.packs.travel.trips.showing.data import trip_json  # noqa: PLC0415 - above

        return hidden({**trip_json(self.trip, self.atlas), "stages": list(self.stages)})


class Trips:
    """What plans trips, for the workspaces of a service."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def planned(
        self, space: Space, asked: AskedTrip, made: Callable[[Planned], Made]
    ) -> Made:
        """What is made of a trip once it is planned."""
        async with aclosing(self.told(space, asked, made)) as steps:
            *_, (_, last) = [one async for one in steps]
        return last  # type: ignore[return-value]  # of the last step, always

    async def told(
        self, space: Space, asked: AskedTrip, made: Callable[[Planned], Made]
    ) -> AsyncGenerator[tuple[str, Json | Made]]:
        """Each step by `stage` and as JSON, when it has ended; at last, by `done`, what is made."""
        space.jobs.ready()

        async def source() -> AsyncGenerator[tuple[str, Json | Made]]:
            atlas = touring.atlas_of(space.workspace)
            given, known = asked.given(atlas), list[Json]()
            stream = touring.told(space.workspace, asked.wish, given=given, model=asked.model)
            async with aclosing(stream) as stages:
                async for stage in stages:
                    if stage.step == "done":
                        whole = Planned(trip=stage.value, atlas=atlas, stages=tuple(known))  # type: ignore[arg-type]  # the last one is a trip
                        yield "done", made(whole)
                    else:
                        known.append(stage_view(stage, known))
                        yield "stage", known[-1]

        desk = self.service.desk(space.workspace, model=asked.model)
        async with aclosing(desk.stream(source)) as events:  # who stops reading stops the work
            async for told in events:
                yield told


def stage_view(stage: Stage, before: list[Json]) -> Json:
    """What a step said, in which round of composing and checking, and what a check found."""
    from consilience.packs.travel.trips.showing.data import plainly  # noqa: PLC0415 - see above

    rounds = sum(one["step"] == "compose" for one in before)
    in_round = {"compose": rounds + 1, "advise": rounds, "check": rounds}
    return {
        "step": stage.step,
        "said": stage.said,
        "round": in_round.get(stage.step, 0),
        "findings": plainly(stage.value) if stage.step == "check" else [],
    }


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

    @router.post("/w/{name}/trip", summary="A trip for a wish, day by day, checked and cited")
    async def trip(name: str, asked: AskedTrip) -> Json:
        return await trips.planned(service.space(name), asked, Planned.data)

    @router.get("/w/{name}/trip", summary="The same, asked in the address")
    async def trip_page(
        request: Request, name: str, wanted: Annotated[ForPage, Query()]
    ) -> Response:
        space = service.space(name)
        asked = wanted.asked() if wanted.q is not None else None
        if not wants_page(request):
            if asked is None:
                raise UsageError("a trip begins with a wish; say what you want: ?q=…")
            return reply(request, await trips.planned(space, asked, Planned.data), "trip.html")
        more = await service.searching.run(lambda: _form(space, asked))
        if asked is None or not wanted.whole:  # a page that can is filled while it is planned
            return reply(request, {}, "trip.html", **more)
        try:
            plan = await trips.planned(space, asked, lambda one: _shown(space, asked, one))
        except UsageError as error:  # the wish stays in its box, to be corrected
            return reply(request, {}, "trip.html", status=400, **{**more, "trouble": str(error)})
        return reply(request, {}, "trip.html", **{**more, "plan": plan})


def _form(space: Space, asked: AskedTrip | None) -> Json:
    """What the form of a page needs."""
    atlas = touring.atlas_of(space.workspace)
    from consilience.service.pages.wishing import form  # noqa: PLC0415 - it needs an extra

    model = space.workspace.settings.models.generate if space.workspace.generator else ""
    known = form(space.name, atlas, asked, model=model)
    return {"space": space.name, "asked": asked, "form": known, "plan": "", "trouble": ""}


def _shown(space: Space, asked: AskedTrip, planned: Planned) -> str:
    """What a page shows of a trip."""
    from consilience.service.pages.trips import plan  # noqa: PLC0415 - it needs an extra
    from consilience.service.pages.wishing import begun, links  # noqa: PLC0415 - the same

    found = plan(planned.trip, planned.atlas, planned.stages)
    files = links(space.name, asked, planned.trip)
    others = begun(space.name, planned.atlas) if planned.trip.itinerary is None else []
    return page("trip-plan.html", plan=found, links=files, others=others, space=space.name)


def _step(stage: Json) -> str:
    """What a page shows of a step that has ended."""
    from consilience.service.pages.trips import step_view  # noqa: PLC0415 - it needs an extra

    return page("trip-step.html", one=step_view(stage)).strip()


# --- step by step -----------------------------------------------------------------------


def _streamed(router: APIRouter, trips: Trips) -> None:
    @router.get(
        "/w/{name}/trip/events",
        summary="The same while it is planned, as server-sent events",
        response_class=StreamingResponse,
        responses=_EVENTS,
    )
    async def trip_events(name: str, wanted: Annotated[ForEvents, Query()]) -> Response:
        space, asked = trips.service.space(name), wanted.asked()
        events = _events(trips, space, asked, html=wanted.html)
        return StreamingResponse(events, media_type="text/event-stream", headers=LIVE)


async def _events(
    trips: Trips, space: Space, asked: AskedTrip, *, html: bool
) -> AsyncIterator[str]:
    """The events of a trip: a `stage` for each step, then `done`; or an error, the last.

    With `html` each brings what a page shows of it.
    """

    def made(planned: Planned) -> Json:
        data = planned.data()
        return {**data, "html": _shown(space, asked, planned)} if html else data

    try:
        async with aclosing(trips.told(space, asked, made)) as steps:
            async for name, found in steps:
                more = {"html": _step(found)} if html and name == "stage" else {}
                yield event_text(name, {**found, **more})
    except ConsilienceError as error:
        yield event_text("error", error_shape(type(error).__name__, str(error)))
    except Exception as error:  # noqa: BLE001 - logged, and told as everywhere
        yield event_text("error", unexpected(f"the trip for {asked.wish[:100]!r}", error))


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
    from consilience.packs.travel.trips.showing.calendar import calendar  # noqa: PLC0415 - above

    return calendar(planned.trip, planned.atlas)


def _markdown(planned: Planned) -> str:
    from consilience.packs.travel.trips.showing.markdown import markdown  # noqa: PLC0415 - above

    return markdown(planned.trip, planned.atlas)


def _geojson(planned: Planned) -> str:
    from consilience.packs.travel.trips.showing.map import geojson  # noqa: PLC0415 - above

    return json.dumps(geojson(planned.trip, planned.atlas), ensure_ascii=False)


def _drawing(planned: Planned) -> str:
    from consilience.packs.travel.trips.showing.drawing import svg  # noqa: PLC0415 - above

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
    Download(ending="svg", summary="Its route as a picture", kind=Picture, make=_drawing),
)  # fmt: skip


def _downloaded(router: APIRouter, trips: Trips, download: Download) -> None:
    def made(planned: Planned) -> tuple[str, str | bytes]:
        if planned.trip.itinerary is None:
            raise UsageError(f"there is no plan to take along: {planned.trip.refusal}")
        return file_name(planned, download.ending), hidden(download.make(planned))

    async def file(name: str, wanted: Annotated[Addressed, Query()]) -> Response:
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
    from consilience.packs.travel.trips.showing.agenda import title_of  # noqa: PLC0415 - above

    assert planned.trip.itinerary is not None  # noqa: S101 - asked before
    plain = re.sub(r"[^a-z0-9]+", "-", surface(title_of(planned.trip.itinerary, planned.atlas)))
    return f"trip-{plain.strip('-')[:80].strip('-')}.{ending}"


_EVENTS: dict[int | str, Json] = {
    200: {
        "description": "`stage` for each step as it ends, then `done` or `error`",
        "content": {"text/event-stream": {"schema": EVENT}},
    }
}
