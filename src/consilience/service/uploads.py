"""How do files come in over HTTP? By PUT, block by block into a file beside its place.

A name that could lead elsewhere, a format that nothing reads, too many bytes, a sender that is too
slow or goes away, a full disk: each is refused, and what was there before stays.
"""

from __future__ import annotations

import asyncio
import errno
import sqlite3
import unicodedata
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Depends, Request
from fastapi import Path as Place
from fastapi import Query as Param
from fastapi.responses import JSONResponse, Response
from starlette.requests import ClientDisconnect

from consilience.errors import StoreError, UsageError
from consilience.evidence import ingest
from consilience.evidence.memory_documents import LONGEST_ID
from consilience.open_stores import check_collection_name
from consilience.service.error_responses import Refusal
from consilience.service.jobs import UPLOADS, Job, Jobs, UploadFolder
from consilience.service.pages import reply
from consilience.service.request_pool import Busy
from consilience.service.service import Missing, Service, Space, may_write
from consilience.settings import Settings
from consilience.worker_pool import WorkerPool

_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"description": "It is on disk, and its job in line; `Location` is where the job stands"}
}
_REFUSED: dict[int | str, dict[str, Any]] = {
    408: {"description": "The file came too slowly"},
    409: {"description": "A file of this name is there that did not come by upload"},
    413: {"description": "The file is too large"},
    415: {
        "description": "No loader reads files with this extension, or the file is wrapped in a form"
    },
    507: {"description": "The disk of the server is full"},
}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The bytes of the file, as they are",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_DOCUMENTS = {
    "requestBody": {
        "required": True,
        "description": "Objects with `text`, `passages` or `rows`, with `id`, `title`, `metadata`; "
        "other fields become metadata",
        "content": {
            "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    }
}
Key = Annotated[str, Place(max_length=20, description="The id of a job", examples=["7"])]


def router(service: Service) -> APIRouter:
    """The addresses at which files come and go, and those of jobs."""
    router, receiver = APIRouter(tags=["own"]), Receiver()
    run = service.searching.run

    @router.put(
        "/w/{name}/files/{filename:path}",
        summary="Add a file; one of the same name is replaced",
        status_code=202,
        responses={**_ACCEPTED, **_REFUSED},
        openapi_extra=_BODY,
        dependencies=[Depends(may_write)],
    )
    async def upload(
        request: Request,
        name: str,
        filename: Annotated[str, Place(description="Its name", examples=["bees.md"])],
        collection: Annotated[
            str, Param(max_length=63, description="Where it goes; by default the pack decides")
        ] = "",
    ) -> Response:
        space = service.space(name)
        plain = check_file_name(filename, space.workspace.settings)
        chosen = check_collection_name(collection) if collection else ""
        job = await receiver.receive(request, space.jobs, plain, collection=chosen)
        return _accepted(space, job)

    @router.delete(
        "/w/{name}/files/{path:path}",
        summary="Forget a file; one that came by upload is deleted",
        status_code=202,
        responses=_ACCEPTED,
        dependencies=[Depends(may_write)],
    )
    async def remove(
        name: str,
        path: Annotated[
            str, Place(description="Its path, as the status lists it", examples=["bees.md"])
        ],
    ) -> Response:
        space = service.space(name)
        return _accepted(space, await run(lambda: _remove(space, path)))

    @router.post(
        "/w/{name}/documents",
        summary="Add documents: a list of objects with a text, or one in each line",
        status_code=202,
        responses={**_ACCEPTED, **_REFUSED},
        openapi_extra=_DOCUMENTS,
        dependencies=[Depends(may_write)],
    )
    async def documents(
        request: Request,
        name: str,
        collection: Annotated[
            str, Param(max_length=63, description="Where they go; by default the pack decides")
        ] = "",
    ) -> Response:
        space = service.space(name)
        chosen = check_collection_name(collection) if collection else ""
        return _accepted(space, await receiver.receive(request, space.jobs, collection=chosen))

    @router.delete(
        "/w/{name}/documents/{key}",
        summary="Forget a document, by the id that it was added with",
        status_code=202,
        responses=_ACCEPTED,
        dependencies=[Depends(may_write)],
    )
    async def remove_document(
        name: str, key: Annotated[str, Place(max_length=LONGEST_ID, description="Its id")]
    ) -> Response:
        space, path = service.space(name), ingest.key_of_id(key)
        if await run(lambda: space.workspace.catalogue.document(path)) is None:
            raise Missing(f"there is no document {key[:60]!r} here")
        return _accepted(space, await run(lambda: space.jobs.remove([path])))

    @router.get("/w/{name}/jobs", summary="The jobs of a workspace, the newest first")
    async def jobs(request: Request, name: str) -> Response:
        every = await run(service.space(name).jobs.all)
        return reply(request, {"jobs": [job.view() for job in every]}, "jobs.html", space=name)

    @router.get("/w/{name}/jobs/{key}", summary="Where a job stands")
    async def job(request: Request, name: str, key: Key) -> Response:
        space = service.space(name)
        found = await run(lambda: space.jobs.job(key))
        return reply(request, found.view(), "job.html", space=name)

    @router.post(
        "/w/{name}/jobs/{key}/stop",
        summary="Stop a job at the next safe place; what it did so far stays",
        status_code=202,
        responses=_ACCEPTED,
        dependencies=[Depends(may_write)],
    )
    async def stop(name: str, key: Key) -> Response:
        space = service.space(name)
        return _accepted(space, await run(lambda: space.jobs.stop(key)))

    return router


def _accepted(space: Space, job: Job) -> Response:
    headers = {"Location": f"/w/{space.name}/jobs/{job.id}"}
    return JSONResponse({"job": job.view()}, 202, headers=headers)


def _remove(space: Space, path: str) -> Job:
    """Forget a file, by its path or by the name under which it was uploaded."""
    catalogue, jobs = space.workspace.catalogue, space.jobs
    if "\0" in path or any("\ud800" <= char <= "\udfff" for char in path):
        raise UsageError(f"{path[:60]!r} contains a character that a path cannot have")
    for key in (f"{UPLOADS}/{path}", path) if "/" not in path else (path,):
        if catalogue.document(key) is not None or jobs.expects(key):
            return jobs.remove([space.workspace.folder / key], delete=True)
    raise Missing(f"there is no file {path[:60]!r} here; the status of the workspace lists them")


# --- receiving a file ---------------------------------------------------------------


BLOCK = 2**20
"""Bytes that are kept in memory before they are written."""
AT_ONCE = 32
"""Files that come in at a time."""
PAUSE_S = 20.0
"""Seconds within which the next piece has to come."""
START_S, SLOWEST = 60.0, 1024
"""After so many seconds, at least so many bytes a second have to have come."""
LONGEST = 200
"""Bytes of a file's name."""
_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{kind}{n}" for kind in ("com", "lpt") for n in "123456789"
}
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_TEXT = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, half a pair, ends of lines
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_file_name(name: str, settings: Settings) -> str:
    """A name under which a file may come in, in the one spelling that is stored."""
    plain = unicodedata.normalize("NFC", name)
    categories = {unicodedata.category(char) for char in plain}
    faults = {
        "it has to be a plain name, without folders": not plain or "/" in plain or "\\" in plain,
        "it contains a character that a name cannot have": categories & _NO_TEXT
        or "\ufffd" in plain,
        "it contains a character that changes the direction of writing": _TURNING & set(plain),
        "it begins with a dot or a space": plain.startswith((".", " ")),
        "it ends with a dot or a space": plain.endswith((".", " ")),
        f"it is longer than {LONGEST} bytes": len(plain.encode(errors="replace")) > LONGEST,
        "some systems keep it for themselves": (
            plain.partition(".")[0].strip().casefold() in _RESERVED
        ),
    }
    if reason := next((reason for reason, is_so in faults.items() if is_so), ""):
        raise UsageError(f"{name[:60]!r} cannot name a file here: {reason}; choose another name")
    known = ingest.formats(settings.pack, settings.plugins)
    if ingest.ending_of(plain, known) is None:
        endings = " ".join(sorted(known))
        raise Refusal(415, "UnknownFormat", f"no loader reads {name[:60]!r}; it reads {endings}")
    return plain


class Receiver:
    """Takes files in, some at a time, and hands each to the jobs of its workspace."""

    def __init__(self) -> None:
        self._workers = WorkerPool("upload", threads=4)
        self._inside = 0

    async def receive(
        self, request: Request, jobs: Jobs, name: str = "", *, collection: str
    ) -> Job:
        """Take a file in, or documents where there is no name; on return it and its job are on
        disk.
        """
        _check_request(request, jobs, name)
        if self._inside >= AT_ONCE:
            raise Busy(f"{self._inside} files come in already; send this one again in a moment")
        self._inside += 1
        part = ""
        try:
            with _disk_errors(jobs.uploads):
                part, file = jobs.uploads.create_part()
                with file:
                    await self._fill(file, request, jobs.upload_bytes)
                    await self._workers.run(lambda: jobs.uploads.sync(file))
                handing, part = part, ""  # from here on the job has it
                return await self._workers.run(
                    lambda: _hand_in(jobs, handing, name, collection=collection)
                )
        finally:
            jobs.uploads.drop(part)
            self._inside -= 1

    async def _fill(self, file: BinaryIO, request: Request, limit: int) -> None:
        """Write what comes, a block at a time."""
        block, size = bytearray(), 0
        async with aclosing(_pieces(request)) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > limit:
                    raise _too_large(limit)
                block += piece
                if len(block) >= BLOCK:
                    await self._write(file, block)
                    block = bytearray()
        await self._write(file, block)
        if not size:
            raise UsageError("the body is empty; send the file's bytes as they are: curl -T FILE …")

    async def _write(self, file: BinaryIO, block: bytearray) -> None:
        await self._workers.run(lambda: file.write(block))


def _hand_in(jobs: Jobs, part: str, name: str, *, collection: str) -> Job:
    try:
        if not name:
            return jobs.add_documents(part, collection=collection)
        return jobs.add_upload(part, name, collection=collection)
    except BaseException:
        jobs.uploads.drop(part)
        raise


def _check_request(request: Request, jobs: Jobs, name: str) -> None:
    """Refuse what can be refused before a byte has come."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if kind.startswith("multipart/") or packed != "identity":
        message = "send the file's bytes as they are, in no form and not packed: curl -T FILE …"
        raise Refusal(415, "NotPlain", message)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > jobs.upload_bytes:
        raise _too_large(jobs.upload_bytes)
    if name and (jobs.uploads.path / name).exists() and not jobs.is_uploaded(f"{UPLOADS}/{name}"):
        message = f"{UPLOADS}/{name} is there and did not come by upload; choose another name"
        raise Refusal(409, "Taken", message)


def _too_large(limit: int) -> Refusal:
    message = (
        f"a file may have {limit:,} bytes here; the owner of the server can allow more, or add "
        "the file with `consilience add`"
    )
    return Refusal(413, "TooLarge", message)


async def _pieces(request: Request) -> AsyncGenerator[bytes]:
    """What comes, as it comes, from a sender who is there and not too slow."""
    loop = asyncio.get_running_loop()
    began, size = loop.time(), 0
    stream = request.stream()
    try:
        while True:
            async with asyncio.timeout(PAUSE_S):
                piece = await anext(stream, None)
            if piece is None:
                return
            size += len(piece)
            if loop.time() - began > START_S + size / SLOWEST:
                raise TimeoutError
            yield piece
    except TimeoutError as error:
        message = f"the file came too slowly: {size:,} bytes so far; send it again"
        raise Refusal(408, "TooSlow", message, {"Connection": "close"}) from error
    except ClientDisconnect as error:
        message = f"the file broke off after {size:,} bytes; nothing of it was kept"
        raise Refusal(400, "BrokenOff", message) from error


@contextmanager
def _disk_errors(uploads: UploadFolder) -> Iterator[None]:
    """Distinguish a full disk, and a folder that cannot be written, from other errors."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise _disk_full() from error
        raise StoreError(
            f"{uploads.path} cannot be written: {error.strerror or error}; check its rights"
        ) from error
    except StoreError as error:
        match error.__cause__:
            case sqlite3.Error(sqlite_errorcode=sqlite3.SQLITE_FULL):
                raise _disk_full() from error
            case OSError(errno=number) if number in _DISK_FULL:
                raise _disk_full() from error
        raise


def _disk_full() -> Refusal:
    return Refusal(507, "NoRoom", "the disk of the server is full; nothing of the file was kept")
