"""How do other commands of this machine reach a workspace that is served?

Whoever can read the folder knows the server's secret, and may do here what they could do with the
workspace itself: ask, take evidence in, and ask single sources. Values go in and out whole, as
`consilience.serialization` writes them. No part of the description: only this package speaks it.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi import Path as PathPart
from fastapi.responses import Response, StreamingResponse

from consilience.engine.retrieve import describe
from consilience.errors import ConsilienceError, SourceError
from consilience.protocols import Comparer, Scorer
from consilience.serialization import (
    decode_json,
    encode_json,
    event_to_plain,
    from_plain,
    likeness_to_plain,
    to_plain,
)
from consilience.service.jobs import Job
from consilience.service.request_pool import RequestPool
from consilience.service.service import Refused, Service, Space
from consilience.types import Chain, Plan, Query, Result, SourceReply
from consilience.types import Request as Wanted
from consilience.worker_pool import WorkerPool, run_sync
from consilience.workspace import Workspace
from consilience.workspace.remote import (
    VERSION,
    OtherVersion,
    installed_version,
    settings_fingerprints,
)

_THREADS = 32  # sources asked at a time: each has threads of its own, and is quick
_WAITING = 512
_FOLLOWED = 16  # jobs watched at a time
_LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAnswer:
    """A question to be answered in writing."""

    query: Query
    length: str | None = None
    model: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToConnect:
    """Two things whose connection is asked for."""

    start: str
    end: str
    limit: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAsk:
    """What one source is asked."""

    source: str
    do: Literal["retrieve", "score", "compare"]
    request: Wanted = field(default_factory=lambda: Wanted(text=""))
    limit: int = 1
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDo:
    """What is to be taken in, forgotten or built again."""

    paths: tuple[str, ...] = ()
    collection: str = ""
    force: bool = False


def router(service: Service) -> APIRouter:
    """The addresses below a workspace that only its owner's commands use."""
    remote = Remote(service)
    router = APIRouter(
        prefix="/w/{name}/remote",
        dependencies=[Depends(remote.let_in)],
        include_in_schema=False,
    )
    for what in ("hello", "find", "plan", "paths", "sources", "source", "events"):
        router.add_api_route(f"/{what}", getattr(remote, what), methods=["POST"])
    for what in ("add", "remove", "rebuild"):
        router.add_api_route(f"/{what}", remote.job(what), methods=["POST"])
    return router


Name = Annotated[str, PathPart()]


class Remote:
    """What each address does."""

    def __init__(self, service: Service) -> None:
        self._service = service
        limits = service.options
        self._sources = RequestPool(
            "remote", threads=_THREADS, waiting=_WAITING, timeout_s=limits.timeout_s
        )
        self._watching = WorkerPool("watching", threads=_FOLLOWED)

    async def let_in(self, request: Request) -> None:
        """Refuse whoever does not know the secret, or speaks as another version does."""
        _, _, shown = request.headers.get("authorization", "").partition(" ")
        secret = self._service.options.secret
        if not hmac.compare_digest(shown.encode("utf-8", "replace"), secret.encode()):
            raise Refused("this is for commands of whoever runs the server; they know its secret")
        theirs, ours = request.headers.get(VERSION, "unknown"), installed_version()
        if theirs != ours:
            raise OtherVersion(
                f"the server of this workspace is Consilience {ours}, this command is "
                f"{theirs}; stop the server and start it again"
            )

    async def hello(self, name: Name) -> Response:
        """That it is there, how long it may take, and a few digits for each setting."""
        options, space = self._service.options, self._service.space(name)
        describe = {
            "answers_s": options.timeout_s,
            "settings": settings_fingerprints(space.workspace.settings, options.secret),
        }
        return Response(encode_json(describe), media_type="application/json")

    async def find(self, name: Name, request: Request) -> Response:
        """The result of a query, whole."""

        def work(space: Space, query: Query) -> bytes:
            result = space.workspace.find(query)
            self._service.metrics.searched(space.name, result)
            return encode_json(to_plain(Result, result))

        return await self._searched(name, request, Query, work)

    async def plan(self, name: Name, request: Request) -> Response:
        """What each source would be asked."""
        return await self._searched(
            name,
            request,
            Query,
            lambda space, query: encode_json(to_plain(Plan, space.workspace.plan(query))),
        )

    async def paths(self, name: Name, request: Request) -> Response:
        """How two things connect."""

        def work(space: Space, asked: ToConnect) -> bytes:
            found = space.workspace.paths(asked.start, asked.end, limit=asked.limit)
            return encode_json(to_plain(list[Chain], found))

        return await self._searched(name, request, ToConnect, work)

    async def sources(self, name: Name) -> Response:
        """The sources there are, and what each can do."""
        space = self._ready(name)
        data = await self._service.searching.run(lambda: encode_json(_sources(space.workspace)))
        return Response(data, media_type="application/json")

    async def source(self, name: Name, request: Request) -> Response:
        """What one source says."""
        space, asked = self._ready(name), await _body(request, ToAsk)
        data = await self._sources.run(lambda: encode_json(_said(space.workspace, asked)))
        return Response(data, media_type="application/json")

    async def events(self, name: Name, request: Request) -> StreamingResponse:
        """An answer as it is written."""
        space, asked = self._ready(name), await _body(request, ToAnswer)
        pool = self._service.pool(space.workspace, model=asked.model)

        async def lines() -> AsyncIterator[bytes]:
            async for event in pool.stream(
                lambda: space.workspace.events(asked.query, length=asked.length, model=asked.model)
            ):
                yield encode_json(event_to_plain(event))

        return StreamingResponse(_told(lines()), media_type=_LINES)

    def job(self, what: str) -> Callable[..., Any]:
        """The address at which a kind of job is handed in, and watched until it is over."""

        async def reply(name: Name, request: Request) -> StreamingResponse:
            space, asked = self._service.space(name), await _body(request, ToDo)
            job = await self._watching.run(lambda: _begun(space, what, asked))
            return StreamingResponse(_told(self._watched(space, job)), media_type=_LINES)

        return reply

    async def _watched(self, space: Space, job: Job) -> AsyncIterator[bytes]:
        """Where a job stands, each time that it changed, and its report at the end."""
        each = iter(space.jobs.follow(job.id))
        while (now := await self._watching.run(lambda: next(each, None))) is not None:
            job = now
            describe = {"stage": now.stage, "done": now.done, "total": now.total, "unit": now.unit}
            inside = [asdict(one) for one in now.inside]
            yield encode_json({"status": now.status, **describe, "inside": inside})
        if job.report is not None:
            yield encode_json({"report": dict(job.report)})
        else:
            yield encode_json(_error(job.error_kind, _why(job)))

    def _ready(self, name: str) -> Space:
        """The workspace of a name, where it can be asked now."""
        space = self._service.space(name)
        space.jobs.ready()
        return space

    async def _searched(
        self,
        name: str,
        request: Request,
        kind: type[Any],
        work: Callable[[Space, Any], bytes],
    ) -> Response:
        space, asked = self._ready(name), await _body(request, kind)
        data = await self._service.searching.run(lambda: work(space, asked))
        return Response(data, media_type="application/json")


async def _body(request: Request, kind: type[Any]) -> Any:
    return from_plain(kind, decode_json(await request.body()))


async def _told(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Line by line; an error is the last of them."""
    try:
        async for line in lines:
            yield line + b"\n"
    except ConsilienceError as error:
        yield encode_json(_error(type(error).__name__, str(error))) + b"\n"


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}


def _sources(workspace: Workspace) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "collection": one.collection,
            "scores": isinstance(one, Scorer),
            "compares": isinstance(one, Comparer),
        }
        for name, one in workspace.engine.sources.items()
    ]


def _said(workspace: Workspace, asked: ToAsk) -> Any:
    """What a source answers, as plain values."""
    source = workspace.engine.sources.get(asked.source)
    if source is None:
        raise SourceError(f"there is no source {asked.source!r} any more; open the workspace again")
    if asked.do == "retrieve":
        return to_plain(SourceReply, run_sync(describe(source, asked.request, limit=asked.limit)))
    if asked.do == "score" and isinstance(source, Scorer):
        scores = run_sync(source.score(asked.request, asked.ids))
        return {key: float(score) for key, score in scores.items()}
    if asked.do == "compare" and isinstance(source, Comparer):
        return likeness_to_plain(run_sync(source.compare(asked.ids)))
    raise SourceError(f"{asked.source} does not {asked.do} passages")


def _begun(space: Space, what: str, asked: ToDo) -> Job:
    if what == "add":
        return space.jobs.add(asked.paths, collection=asked.collection, force=asked.force)
    if what == "remove":
        return space.jobs.remove(asked.paths)
    return space.jobs.rebuild()


def _why(job: Job) -> str:
    if job.status == "stopped":
        return (
            "the server was told to stop; what was done so far is kept, and the rest is done when "
            "the workspace is served again, or when you run the same command again"
        )
    return job.error or f"the job ended as {job.status}"
