"""Which addresses does a pack add? Each asks some collections, and answers or only finds."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.packs import Endpoint
from consilience.service.bodies import Filters, Long, Model, Text
from consilience.service.core import Service, Space
from consilience.service.views import answer_view, of_hits, result_view
from consilience.types import Figure, Query
from consilience.workspace import Workspace


class AskedPack(BaseModel):
    """What is asked of an address of a pack."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        Text,
        Field(
            description="The question, in words, moves, a FEN or an ECO code",
            examples=["What is White's plan against the isolated pawn?"],
        ),
    ]
    limit: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="Results at most, also called `top_k`",
            validation_alias=AliasChoices("limit", "top_k"),
        ),
    ] = 10
    length: Long = None
    merge: Annotated[
        bool, Field(description="Ask the other collections of this address as well")
    ] = False
    filters: Filters = ()
    model: Model = True


def router(service: Service) -> APIRouter:
    """The addresses of every pack: below each workspace, and at the root for the first."""
    router, known = APIRouter(), set[str]()
    for space in service.spaces.values():
        for endpoint in space.workspace.pack.endpoints:
            _mount(router, service, space, endpoint, prefix=f"/w/{space.name}")
            if endpoint.path not in known:
                _mount(router, service, space, endpoint, prefix="")
            known.add(endpoint.path)
    return router


def _mount(
    router: APIRouter, service: Service, space: Space, endpoint: Endpoint, *, prefix: str
) -> None:
    """One address: JSON by POST, and by GET the page that shows the same, where it has one."""

    async def reply(asked: AskedPack) -> dict[str, Any]:
        desk = service.desk(space, model=asked.model and endpoint.answers)
        return await desk.run(lambda: answer(space, endpoint, asked))

    name = f"{prefix}{endpoint.path}".strip("/").replace("/", "_")
    path = f"{prefix}{endpoint.path}"
    router.add_api_route(
        path, reply, methods=["POST"], summary=endpoint.summary, operation_id=name, tags=["pack"]
    )
    if not endpoint.page:
        return

    async def page(request: Request) -> RedirectResponse:
        asked = {"q": request.query_params.get("q", ""), "in": list(endpoint.collections)}
        kind = "ask" if endpoint.answers else "search"
        address = f"/w/{space.name}/{kind}?{urlencode(asked, doseq=True)}"
        return RedirectResponse(address if asked["q"] else f"/w/{space.name}")

    router.add_api_route(path, page, methods=["GET"], include_in_schema=False)


def answer(space: Space, endpoint: Endpoint, asked: AskedPack) -> dict[str, Any]:
    """The answer to a request, or only the results where the address writes none."""
    workspace = space.workspace
    query = Query(
        text=asked.query,
        limit=asked.limit,
        filters=tuple(map(parse_filter, asked.filters)),
        collections=collections_of(workspace, endpoint, merge=asked.merge),
    )
    if not endpoint.answers:
        result = workspace.find(query)
        boards = [_position(workspace, *one) for one in of_hits(workspace, result)]
        return {**result_view(space, result), "positions": boards}
    told = workspace.answer(query, length=asked.length, model=asked.model)
    found, cited = answer_view(space, told), {one.mark: one.passage.id for one in told.exhibits}
    return {
        **found,
        "answer": found["text"],
        "sources": found["citations"],
        "positions": [_position(workspace, one, cited[one.mark]) for one in told.figures],
    }


def collections_of(workspace: Workspace, endpoint: Endpoint, *, merge: bool) -> tuple[str, ...]:
    """The collections that are asked: those of the address that the workspace holds."""
    wanted = (*endpoint.collections, *(endpoint.merge if merge else ()))
    held = workspace.catalogue.counts()
    found = tuple(name for name in wanted if name in held)
    if not found:
        raise UsageError(
            f"this workspace holds no {' or '.join(wanted)} yet; add files with `consilience add`"
        )
    return found


def _position(workspace: Workspace, figure: Figure, passage: str) -> dict[str, Any]:
    """A figure as whoever plays would call it: positions by their FEN, steps by their moves."""
    drawing = workspace.pack.drawing
    return {
        "number": figure.number,
        "fen": figure.data,
        "caption": figure.caption,
        "mark": figure.mark,
        "passage": passage,
        "steps": [{"move": name, "fen": data} for name, data in figure.steps],
        "svg": drawing.picture(figure) if drawing else "",
    }
