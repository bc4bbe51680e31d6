"""Which addresses does a pack add? Each asks some collections, and answers or only finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from starlette.routing import BaseRoute, Match

from consilience.errors import UsageError
from consilience.pack import Endpoint
from consilience.service.bodies import AskedAnswer, Filters, Long, Model, Text
from consilience.service.core import Service, Space
from consilience.service.handlers import Handlers
from consilience.service.views import picture
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


def refuse_taken(service: Service, routes: Sequence[BaseRoute]) -> None:
    """Refuse a pack whose address is one of the service's own: only one of them would answer."""
    for space in service.spaces.values():
        for endpoint in space.workspace.pack.web.endpoints:
            for path in (f"/w/{space.name}{endpoint.path}", endpoint.path):
                if not endpoint.path.startswith("/") or _is_taken(path, routes):
                    raise UsageError(
                        f"the pack {space.workspace.pack.name!r} has the address "
                        f"{endpoint.path!r}, which begins with no `/` or is one of the service's "
                        "own; its author has to give it another, such as `/ask_chess`"
                    )


def _is_taken(path: str, routes: Sequence[BaseRoute]) -> bool:
    asked = {"type": "http", "method": "POST", "path": path, "headers": []}
    return any(one.matches(asked)[0] is not Match.NONE for one in routes)


def router(service: Service) -> APIRouter:
    """The addresses of every pack: below each workspace, and at the root for the first."""
    router, handlers, known = APIRouter(), Handlers(service), set[str]()
    for space in service.spaces.values():
        for endpoint in space.workspace.pack.web.endpoints:
            _mount(router, handlers, space, endpoint, prefix=f"/w/{space.name}")
            if endpoint.path not in known:
                _mount(router, handlers, space, endpoint, prefix="")
            known.add(endpoint.path)
    return router


def _mount(
    router: APIRouter, handlers: Handlers, space: Space, endpoint: Endpoint, *, prefix: str
) -> None:
    """One address: JSON by POST, and by GET the page that shows the same, where it has one."""

    async def reply(asked: AskedPack) -> dict[str, Any]:
        return await answer(handlers, space, endpoint, asked)

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


async def answer(
    handlers: Handlers, space: Space, endpoint: Endpoint, asked: AskedPack
) -> dict[str, Any]:
    """The answer to a request, or only the results where the address writes none."""
    collections = collections_of(space.workspace, endpoint, merge=asked.merge)
    wanted = AskedAnswer(
        query=asked.query,
        limit=asked.limit,
        filters=asked.filters,
        collections=collections,
        length=asked.length,
        model=asked.model,
    )
    if not endpoint.answers:
        found = await handlers.search(space, wanted)
        return {**found, "positions": await _positions(handlers, space, found["drawn"])}
    found = await handlers.answer(space, wanted)
    return {
        **found,
        "answer": found["text"],
        "sources": found["citations"],
        "positions": await _positions(handlers, space, found["figures"]),
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


async def _positions(
    handlers: Handlers, space: Space, figures: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    def work() -> list[dict[str, Any]]:
        return [_position(space.workspace, one) for one in figures]

    return await handlers.service.searching.run(work)


def _position(workspace: Workspace, figure: Mapping[str, Any]) -> dict[str, Any]:
    """A figure as whoever plays would call it: positions by their FEN, steps by their moves."""
    steps, data = figure["steps"], figure["data"]
    arrived = steps and steps[-1]["data"] == data
    return {
        **{name: figure[name] for name in ("number", "caption", "mark", "passage")},
        "fen": data,
        "steps": [{"move": one["name"], "fen": one["data"]} for one in steps],
        "svg": picture(
            workspace,
            figure["kind"],
            data,
            name=steps[-1]["name"] if arrived else "",
            before=steps[-2]["data"] if arrived and len(steps) > 1 else "",
        ),
    }
