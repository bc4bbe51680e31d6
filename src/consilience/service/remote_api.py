"""How do other commands of this machine reach a workspace that is served?

Whoever can read the folder knows the server's secret, and may do here what they could do with the
workspace itself: ask, add evidence, and ask single sources. Values go in and out whole, as
`consilience.serialization` writes them. No part of the description: only this package speaks it.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from fastapi import APIRouter, Depends, Request
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
from consilience.service.error_responses import error_shape
from consilience.service.jobs import Job
from consilience.service.request_pool import RequestPool
from consilience.service.service import Refused, Service, Space
from consilience.service.uploads import Receiver
from consilience.types import Chain, Plan, Query, Result, SourceReply
from consilience.types import Request as SourceRequest
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
_FOLLOWED = 16  # jobs followed at a time
_LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBody:
    """A question that gets a written answer."""

    query: Query
    length: str | None = None
    model: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PathBody:
    """Two nodes whose connection is asked for."""

    start: str
    end: str
    limit: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBody:
    """What one source is asked."""

    source: str
    do: Literal["retrieve", "score", "compare"]
    request: SourceRequest = field(default_factory=lambda: SourceRequest(text=""))
    limit: int = 1
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobBody:
    """What is to be added, forgotten or rebuilt."""

    paths: tuple[str, ...] = ()
    collection: str = ""
    force: bool = False


def router(service: Service) -> APIRouter:
    """The addresses below a workspace that only its owner's commands use."""
    remote = Remote(service)
    router = APIRouter(
        prefix="/w/{name}/remote",
        dependencies=[Depends(remote.check_sender)],
        include_in_schema=False,
    )
    search = service.searching
    for what, kind, pool, work in (
        ("find", Query, search, remote.find),
        ("plan", Query, search, lambda space, query: to_plain(Plan, space.workspace.plan(query))),
        ("paths", PathBody, search, _find_paths),
        ("sources", None, search, lambda space, _: _list_sources(space.workspace)),
        ("source", SourceBody, remote.sources, _ask_source),
    ):
        reply = remote.answering(kind, pool, work)
        router.add_api_route(f"/{what}", reply, methods=["POST"])
    for what in ("add", "remove", "rebuild"):
        router.add_api_route(f"/{what}", remote.running(what), methods=["POST"])
    for what in ("hello", "events", "documents"):
        router.add_api_route(f"/{what}", getattr(remote, what), methods=["POST"])
    return router


class Remote:
    """What each address does."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.sources = RequestPool(
            "remote", threads=_THREADS, waiting=_WAITING, timeout_s=service.options.timeout_s
        )
        self._followers = WorkerPool("following", threads=_FOLLOWED)
        self._receiver = Receiver()

    async def check_sender(self, request: Request) -> None:
        """Refuse a sender that does not know the secret, or has another version."""
        _, _, shown = request.headers.get("authorization", "").partition(" ")
        secret = self._service.options.secret
        if not hmac.compare_digest(shown.encode("utf-8", "replace"), secret.encode()):
            raise Refused(
                "this address is for commands of the server's owner, which know its secret"
            )
        theirs, ours = request.headers.get(VERSION, "unknown"), installed_version()
        if theirs != ours:
            raise OtherVersion(
                f"the server of this workspace is Consilience {ours}, this command is "
                f"{theirs}; stop the server and start it again"
            )

    async def hello(self, name: str) -> Response:
        """That it is there, how long it may take, and a few digits for each setting."""
        options, space = self._service.options, self._service.space(name)
        greeting = {
            "answers_s": options.timeout_s,
            "settings": settings_fingerprints(space.workspace.settings, options.secret),
        }
        return Response(encode_json(greeting), media_type="application/json")

    def find(self, space: Space, query: Query) -> Any:
        """The result of a query, whole."""
        result = space.workspace.find(query)
        self._service.metrics.searched(space.name, result)
        return to_plain(Result, result)

    def answering(
        self, kind: type[Any] | None, pool: RequestPool, work: Callable[[Space, Any], Any]
    ) -> Callable[..., Awaitable[Response]]:
        """An address that takes a value of a kind, and answers with plain values."""

        async def reply(name: str, request: Request) -> Response:
            space, body = self._ready(name), await _parse(request, kind) if kind else None
            data = await pool.run(lambda: encode_json(work(space, body)))
            return Response(data, media_type="application/json")

        return reply

    async def events(self, name: str, request: Request) -> StreamingResponse:
        """An answer as it is written."""
        space, asked = self._ready(name), await _parse(request, AnswerBody)
        pool = self._service.pool(space.workspace, model=asked.model)

        async def lines() -> AsyncIterator[Any]:
            async for event in pool.stream(
                lambda: space.workspace.events(asked.query, length=asked.length, model=asked.model)
            ):
                yield event_to_plain(event)

        return StreamingResponse(_encode_lines(lines()), media_type=_LINES)

    def running(self, what: str) -> Callable[..., Awaitable[StreamingResponse]]:
        """The address at which a kind of job is handed in, and followed until it is over."""

        async def reply(name: str, request: Request) -> StreamingResponse:
            space, order = self._service.space(name), await _parse(request, JobBody)
            job = await self._followers.run(lambda: _hand_in(space, what, order))
            return StreamingResponse(_encode_lines(self._follow(space, job)), media_type=_LINES)

        return reply

    async def documents(self, name: str, request: Request, collection: str = "") -> Response:
        """The address at which documents come in, as lines of JSON, and their job is followed."""
        space = self._service.space(name)
        job = await self._receiver.receive(request, space.jobs, collection=collection)
        return StreamingResponse(_encode_lines(self._follow(space, job)), media_type=_LINES)

    async def _follow(self, space: Space, job: Job) -> AsyncIterator[Any]:
        """A job each time that it changed, and its report at the end."""
        states = iter(space.jobs.follow(job.id))
        while (now := await self._followers.run(lambda: next(states, None))) is not None:
            job = now
            names = ("status", "stage", "done", "total", "unit")
            inside = [asdict(file) for file in job.inside]
            yield {**{name: getattr(job, name) for name in names}, "inside": inside}
        if job.report is not None:
            yield {"report": dict(job.report)}
        else:
            yield error_shape(job.error_kind, _describe_end(job))

    def _ready(self, name: str) -> Space:
        """The workspace of a name, where it can be searched now."""
        space = self._service.space(name)
        space.jobs.ready()
        return space


async def _parse(request: Request, kind: type[Any]) -> Any:
    return from_plain(kind, decode_json(await request.body()))


async def _encode_lines(values: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    """A line of JSON for each value; an error is the last of them."""
    try:
        async for value in values:
            yield encode_json(value) + b"\n"
    except ConsilienceError as error:
        yield encode_json(error_shape(type(error).__name__, str(error))) + b"\n"


def _find_paths(space: Space, asked: PathBody) -> Any:
    chains = space.workspace.paths(asked.start, asked.end, limit=asked.limit)
    return to_plain(list[Chain], chains)


def _list_sources(workspace: Workspace) -> list[dict[str, Any]]:
    """The sources there are, and what each can do."""
    return [
        {
            "name": name,
            "collection": source.collection,
            "scores": isinstance(source, Scorer),
            "compares": isinstance(source, Comparer),
        }
        for name, source in workspace.engine.sources.items()
    ]


def _ask_source(space: Space, asked: SourceBody) -> Any:
    """What one source answers, as plain values."""
    source = space.workspace.engine.sources.get(asked.source)
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


def _hand_in(space: Space, what: str, order: JobBody) -> Job:
    if what == "add":
        return space.jobs.add(order.paths, collection=order.collection, force=order.force)
    if what == "remove":
        return space.jobs.remove(order.paths)
    return space.jobs.rebuild()


def _describe_end(job: Job) -> str:
    if job.status == "stopped":
        return (
            "the server was stopped; what was done so far is kept, and the rest is done when "
            "the workspace is served again, or when you run the same command again"
        )
    return job.error or f"the job ended as {job.status}"
