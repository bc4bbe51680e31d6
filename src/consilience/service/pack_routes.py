"""Which addresses does a pack add? Declared ones, a router of its own, and static files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import RedirectResponse
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from starlette.routing import BaseRoute, Match, Route
from starlette.staticfiles import StaticFiles

from consilience.errors import UsageError
from consilience.pack import Endpoint, Pack, load_reference
from consilience.service.search import (
    AnswerRequest,
    Filters,
    Handlers,
    Long,
    Model,
    Text,
    draw_picture,
)
from consilience.service.service import Service, Space
from consilience.workspace import Workspace


class PackRequest(BaseModel):
    """The body of a request to a declared address of a pack."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        Text, Field(description="The question", examples=["What is the plan against it?"])
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
        bool, Field(description="Search the other collections of this address as well")
    ] = False
    filters: Filters = ()
    model: Model = True


def packs_of(service: Service) -> dict[str, Pack]:
    """The packs of the served workspaces, by name."""
    return {space.workspace.pack.name: space.workspace.pack for space in service.spaces.values()}


def mount_static(app: FastAPI, service: Service) -> None:
    """Serve the static files of the packs, below `/static/<pack>`."""
    for pack in packs_of(service).values():
        if pack.web.static is not None:
            app.mount(f"/static/{pack.name}", StaticFiles(directory=pack.web.static))


def mount(app: FastAPI, service: Service) -> None:
    """Add the addresses of the packs; an address that the service has itself is refused."""
    own = list(app.routes)
    for pack in packs_of(service).values():
        if pack.web.routes:
            router: APIRouter = load_reference(pack.web.routes)(service)
            for path, methods in _paths(router):
                _refuse_taken(pack, path, methods, own)
            app.include_router(router)
    router, handlers, known = APIRouter(), Handlers(service), set[str]()
    for space in service.spaces.values():
        pack = space.workspace.pack
        for endpoint in pack.web.endpoints:
            for path in (f"/w/{space.name}{endpoint.path}", endpoint.path):
                _refuse_taken(pack, path, {"POST"}, app.routes, declared=endpoint.path)
            _add(router, handlers, space, endpoint, prefix=f"/w/{space.name}")
            if endpoint.path not in known:  # at the root for the first workspace that has it
                _add(router, handlers, space, endpoint, prefix="")
            known.add(endpoint.path)
    app.include_router(router)


def _paths(router: APIRouter) -> Iterator[tuple[str, set[str]]]:
    for route in router.routes:
        if isinstance(route, Route):
            yield route.path, route.methods or {"GET"}


def _refuse_taken(
    pack: Pack, path: str, methods: set[str], routes: Sequence[BaseRoute], *, declared: str = ""
) -> None:
    """Refuse an address that another route would answer, or that begins with no `/`."""
    shown = declared or path
    scopes = [{"type": "http", "method": method, "path": path, "headers": []} for method in methods]
    taken = any(route.matches(scope)[0] is not Match.NONE for route in routes for scope in scopes)
    if taken or not shown.startswith("/"):
        raise UsageError(
            f"the pack {pack.name!r} has the address {shown!r}, which does not begin with `/` or "
            f"belongs to the service; rename it in the pack, for example to `/ask_{pack.name}`"
        )


def _add(
    router: APIRouter, handlers: Handlers, space: Space, endpoint: Endpoint, *, prefix: str
) -> None:
    """One declared address: JSON by POST and, where it has a page, a redirect to it by GET."""

    async def reply(
        asked: PackRequest,
        merge: Annotated[bool, Query(description="The same as `merge` in the body")] = False,
    ) -> dict[str, Any]:
        asked = asked.model_copy(update={"merge": asked.merge or merge})
        return await answer(handlers, space, endpoint, asked)

    path = f"{prefix}{endpoint.path}"
    name = path.strip("/").replace("/", "_")
    router.add_api_route(
        path, reply, methods=["POST"], summary=endpoint.summary, operation_id=name, tags=["pack"]
    )
    if not endpoint.page:
        return

    async def page(request: Request) -> RedirectResponse:
        params = {"q": request.query_params.get("q", ""), "in": list(endpoint.collections)}
        kind = "ask" if endpoint.answers else "search"
        address = f"/w/{space.name}/{kind}?{urlencode(params, doseq=True)}"
        return RedirectResponse(address if params["q"] else f"/w/{space.name}")

    router.add_api_route(path, page, methods=["GET"], include_in_schema=False)


async def answer(
    handlers: Handlers, space: Space, endpoint: Endpoint, asked: PackRequest
) -> dict[str, Any]:
    """The answer to a request, or only results where the address writes none."""
    collections = collections_of(space.workspace, endpoint, merge=asked.merge)
    request = AnswerRequest(
        query=asked.query,
        limit=asked.limit,
        filters=asked.filters,
        collections=collections,
        length=asked.length,
        model=asked.model,
    )
    if endpoint.answers:
        found = await handlers.answer(space, request)
        found = {**found, "answer": found["text"], "sources": found["citations"]}
        figures = found["figures"]
    else:
        found = await handlers.search(space, request)
        figures = found["drawn"]
    draw = partial(draw_picture, space.workspace)
    fields = await handlers.service.searching.run(
        lambda: space.workspace.pack.web.endpoint_fields(figures, draw)
    )
    return {**found, **fields}


def collections_of(workspace: Workspace, endpoint: Endpoint, *, merge: bool) -> tuple[str, ...]:
    """The collections of an address that the workspace holds; `UsageError` if it holds none."""
    counts = workspace.catalogue.counts()
    wanted = (*(endpoint.collections or sorted(counts)), *(endpoint.merge if merge else ()))
    known = tuple(name for name in wanted if name in counts)
    if not known:
        missing = " or ".join(wanted) or "evidence"
        raise UsageError(f"this workspace holds no {missing} yet; add files with `consilience add`")
    return known
