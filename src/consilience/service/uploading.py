"""How do files come in over HTTP, and where do they stand? By PUT, and as jobs to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi import Path as Place
from fastapi import Query as Part
from fastapi.responses import JSONResponse, Response

from consilience.errors import UsageError
from consilience.service.core import Missing, Service, Space, may_write
from consilience.service.jobs import UPLOADS, Job
from consilience.service.pages import reply
from consilience.service.receiving import Reception, file_name
from consilience.stores import checked_name

_JOB: Mapping[str, Any] = {
    "id": "7",
    "kind": "add",
    "what": ["uploads/bees.md"],
    "status": "running",
    "stage": "Indexing",
    "done": 64,
    "total": 210,
    "unit": "passages",
    "inside": [],
    "asked": "2026-01-31T12:00:00+00:00",
    "began": "2026-01-31T12:00:01+00:00",
    "ended": None,
    "report": None,
    "error": "",
    "error_kind": "",
}
_TAKEN = {
    202: {
        "description": "It is on disk, and its job in line; `Location` is where the job stands",
        "content": {"application/json": {"example": {"job": {**_JOB, "status": "waiting"}}}},
    }
}
_REFUSED = {
    408: {"description": "The file came too slowly"},
    409: {"description": "A file of this name is there that did not come by upload"},
    413: {"description": "The file is too large"},
    415: {"description": "Nothing here reads files of this ending, or it is wrapped in a form"},
    507: {"description": "The disk of the server is full"},
}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The bytes of the file, as they are",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Key = Annotated[str, Place(max_length=20, description="The id of a job", examples=["7"])]


def router(service: Service) -> APIRouter:
    """The addresses at which files come and go, and those of jobs."""
    router = APIRouter(tags=["own"])
    _files(router, service)
    _jobs(router, service)
    return router


def _files(router: APIRouter, service: Service) -> None:
    reception = Reception()

    @router.put(
        "/w/{name}/files/{filename:path}",
        summary="A file comes in; one of the same name is replaced",
        status_code=202,
        responses={**_TAKEN, **_REFUSED},  # type: ignore[dict-item]
        openapi_extra=_BODY,
        dependencies=[Depends(may_write)],
    )
    async def upload(
        request: Request,
        name: str,
        filename: Annotated[str, Place(description="Its name", examples=["bees.md"])],
        collection: Annotated[
            str, Part(max_length=63, description="Where it goes; by default the pack decides")
        ] = "",
    ) -> Response:
        space = service.space(name)
        plain = file_name(filename, space.workspace.pack.name)
        chosen = checked_name(collection) if collection else ""
        return _taken(space, await reception.take(request, space.jobs, plain, collection=chosen))

    @router.delete(
        "/w/{name}/files/{path:path}",
        summary="A file is forgotten; one that came by upload is deleted",
        status_code=202,
        responses=_TAKEN,  # type: ignore[arg-type]
        dependencies=[Depends(may_write)],
    )
    async def remove(
        name: str,
        path: Annotated[
            str, Place(description="Its path, as the status lists it", examples=["bees.md"])
        ],
    ) -> Response:
        space = service.space(name)
        return _taken(space, await service.searching.run(lambda: _removed(space, path)))


def _jobs(router: APIRouter, service: Service) -> None:
    @router.get(
        "/w/{name}/jobs",
        summary="What goes on in a workspace, and what went on last",
        responses={200: {"content": {"application/json": {"example": {"jobs": [_JOB]}}}}},
    )
    async def jobs(request: Request, name: str) -> Response:
        space = service.space(name)
        every = await service.searching.run(space.jobs.all)
        return reply(request, {"jobs": [one.view() for one in every]}, "jobs.html", space=name)

    @router.get(
        "/w/{name}/jobs/{key}",
        summary="Where a job stands",
        responses={200: {"content": {"application/json": {"example": _JOB}}}},
    )
    async def job(request: Request, name: str, key: Key) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: space.jobs.job(key))
        return reply(request, found.view(), "job.html", space=name)

    @router.post(
        "/w/{name}/jobs/{key}/stop",
        summary="A job ends at the next safe place; what it did so far stays",
        status_code=202,
        responses=_TAKEN,  # type: ignore[arg-type]
        dependencies=[Depends(may_write)],
    )
    async def stop(name: str, key: Key) -> Response:
        space = service.space(name)
        return _taken(space, await service.searching.run(lambda: space.jobs.stop(key)))


def _taken(space: Space, job: Job) -> Response:
    headers = {"Location": f"/w/{space.name}/jobs/{job.id}"}
    return JSONResponse({"job": job.view()}, 202, headers=headers)


def _removed(space: Space, path: str) -> Job:
    """Have a file forgotten, by its path or by the name under which it was uploaded."""
    catalogue, jobs = space.workspace.catalogue, space.jobs
    if "\0" in path or any("\ud800" <= sign <= "\udfff" for sign in path):
        raise UsageError(f"{path[:60]!r} holds a sign that no path has")
    named = (f"{UPLOADS}/{path}", path) if "/" not in path else (path,)
    for key in named:
        if catalogue.document(key) is not None or jobs.expects(key):
            return jobs.remove([space.workspace.folder / key], delete=True)
    raise Missing(f"there is no file {path[:60]!r} here; the status of the workspace lists them")
