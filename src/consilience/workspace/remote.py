"""How is a workspace used that another process serves? Through that process, over HTTP.

The owner's note (see `lock`) says where it listens and which secret it expects. Questions and new
evidence are sent there: its models are already loaded. Where settings or models of this process
differ, or an engine is needed here (to measure, to explain), questions are answered here with the
shared catalogue, and only the sources are called remotely. An error raised there is raised here as
the same error; a server that disappears in the middle is an error of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Generator as Iteration
from contextlib import aclosing, closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self, Unpack
from urllib.parse import urlencode, urlsplit

from consilience import errors
from consilience.engine import Engine
from consilience.errors import ConsilienceError, SourceError, StoreError, UsageError, WorkspaceBusy
from consilience.evidence import ingest
from consilience.evidence.catalogue import MEMORY
from consilience.evidence.token_store import TOKENS_FILE
from consilience.lock import owner_name
from consilience.open_stores import Stores
from consilience.progress import FileProgress
from consilience.protocols import Likeness, Retriever
from consilience.serialization import (
    decode_json,
    encode_json,
    event_from_plain,
    from_plain,
    likeness_from_plain,
    to_plain,
)
from consilience.settings import TABLE, Settings
from consilience.types import (
    Chain,
    Done,
    Event,
    Found,
    Length,
    Note,
    Plan,
    Query,
    QueryOptions,
    Request,
    Result,
    SourceReply,
)
from consilience.worker_pool import WorkerPool
from consilience.workspace.layout import STORE
from consilience.workspace.local import GivenModels, Workspace, as_paths, as_query, existing_paths

GREETING_S = 5.0
"""How long an owner may take to answer the first request."""
BEAT_S = 20.0
"""How long an owner is silent at most while a long job runs."""
SPARE_S = 15.0
"""How much longer than an owner's own limit its answer is waited for."""
VERSION = "X-Consilience-Version"


class Gone(WorkspaceBusy):
    """The process that served the workspace does not answer."""


class OtherVersion(WorkspaceBusy):
    """The process that serves the workspace is of another version than this one."""


_ERRORS: Mapping[str, type[ConsilienceError]] = {
    **{
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ConsilienceError)
    },
    "MissingExtra": UsageError,  # its constructor takes other arguments
    "Refused": UsageError,
    "InvalidRequest": UsageError,
    "TooLarge": UsageError,
    "Busy": WorkspaceBusy,
    "Rebuilding": WorkspaceBusy,
    "Late": SourceError,
    "OtherVersion": OtherVersion,
}


@cache
def installed_version() -> str:
    """The version that is installed here."""
    try:
        return version("consilience")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


def settings_fingerprints(settings: Settings, secret: str) -> dict[str, str]:
    """A few digits for every setting, to compare two processes without revealing keys."""

    def digits(name: str) -> str:
        value = settings.value(name)
        plain = sorted(value.items()) if isinstance(value, Mapping) else value
        data = encode_json([name, plain])
        return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()[:16]

    return {row.name: digits(row.name) for row in TABLE}


# --- requests -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteClient:
    """Sends requests to the process that serves a workspace; `name` is for messages."""

    address: str
    secret: str
    name: str
    answers_s: float = GREETING_S

    def call(self, action: str, body: Any = None) -> Any:
        """The whole answer to a request."""
        with self._send(action, body, self.answers_s + SPARE_S) as lines:
            return decode_json(lines.read_all())

    def stream(self, action: str, body: Any = None, *, silent_s: float = 0.0) -> Lines:
        """The answer line by line; no line takes longer than `silent_s` to come."""
        return self._send(action, body, (silent_s or self.answers_s) + SPARE_S)

    def greet(self) -> Mapping[str, Any] | None:
        """What the owner says of itself; None if nothing, or something else, listens there."""
        try:
            with self._send("hello", None, GREETING_S) as lines:
                found = decode_json(lines.read_all())
        except OtherVersion:
            raise
        except ConsilienceError:
            return None
        return found if isinstance(found, dict) else None

    def gone(self, reason: object) -> Gone:
        """The error that says that it does not answer any more."""
        return Gone(
            f"{self.name} serves this workspace at {self.address}, but does not answer "
            f"({reason or 'it hung up'}). What it had stored is kept: if it has ended, run the "
            "same again; if it hangs, stop it first"
        )

    def _send(self, action: str, body: Any, timeout_s: float) -> Lines:
        parts = urlsplit(self.address)
        connection = HTTPConnection(
            parts.hostname or "", parts.port, timeout=timeout_s, blocksize=2**16
        )
        headers = {
            "Authorization": f"Bearer {self.secret}",
            "Content-Type": "application/json",
            VERSION: installed_version(),
        }
        path = f"{parts.path}/remote/{action}"
        try:
            data = body if isinstance(body, Iterator) else encode_json(body)
            connection.request("POST", path, body=data, headers=headers)
            reply = connection.getresponse()
            if reply.status != 200:
                raise error_from_reply(reply.read(), reply.status)
        except (OSError, HTTPException) as error:
            connection.close()
            raise self.gone(error) from error
        except BaseException:
            connection.close()
            raise
        return Lines(self, connection, reply)


class Lines:
    """The answer of an owner, line by line; closing it tells the owner to stop."""

    def __init__(
        self, client: RemoteClient, connection: HTTPConnection, reply: HTTPResponse
    ) -> None:
        self.client = client
        self._connection = connection
        self._reply = reply

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Every line; one with an error raises it. An empty one only shows a sign of life."""
        while line := self._read(self._reply.readline):
            if not line.endswith(b"\n"):
                raise self.client.gone("it stopped in the middle of a line")
            if not line.strip():
                continue
            found = decode_json(line)
            if "error" in found:
                raise error_from_reply(line, 200)
            yield found

    def read_all(self) -> bytes:
        """Everything at once."""
        return self._read(self._reply.read)

    def close(self) -> None:
        """Stop reading; a thread that waits for the next line wakes up."""
        with suppress(OSError, AttributeError):
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (OSError, HTTPException, ValueError) as error:
            raise self.client.gone(error) from error


def error_from_reply(data: bytes, status: int) -> ConsilienceError:
    """The error in an owner's answer, as it was raised there."""
    try:
        found = decode_json(data)["error"]
        kind, message = str(found["kind"]), str(found["message"])
    except (ConsilienceError, LookupError, TypeError):
        kind, message = "", f"it answered with status {status}, not in words that are known here"
    return _ERRORS.get(kind, ConsilienceError)(message)


# --- sources ------------------------------------------------------------------------------

_IDS = 2000  # ids in one request


class RemoteSource:
    """One source of the process that serves the workspace."""

    def __init__(self, client: RemoteClient, name: str, collection: str) -> None:
        self.name = name
        self.collection = collection
        self._client = client
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """What it finds, best first."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """What it finds, and how it came to it."""
        reply = await self._call("retrieve", request=to_plain(Request, request), limit=limit)
        return from_plain(SourceReply, reply)

    async def _call(self, action: str, **options: Any) -> Any:
        body = {"source": self.name, "do": action, **options}
        return await self._workers.run(lambda: self._client.call("source", body))


class Scoring(RemoteSource):
    """A source that scores named passages too."""

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The scores of these passages, as far as it holds them."""
        scores: dict[str, float] = {}
        for start in range(0, len(ids), _IDS):
            part = list(ids[start : start + _IDS])
            reply = await self._call("score", request=to_plain(Request, request), ids=part)
            scores.update(from_plain(dict[str, float], reply))
        return scores


class Comparing(RemoteSource):
    """A source that compares passages too."""

    async def compare(self, ids: Sequence[str]) -> Likeness:
        """How alike these passages are."""
        return likeness_from_plain(await self._call("compare", ids=list(ids)))


class ScoringAndComparing(Scoring, Comparing):
    """A source that does both."""


_CLASSES: Mapping[tuple[bool, bool], type[RemoteSource]] = {
    (False, False): RemoteSource,
    (True, False): Scoring,
    (False, True): Comparing,
    (True, True): ScoringAndComparing,
}


# --- the workspace ------------------------------------------------------------------------

_IRRELEVANT = ("serve.", "store.wait_s")  # settings that no answer depends on
_EVIDENCE = ("pack", "models.embed", "models.rerank", "models.tokens", "passages.", "store.exact")
_PATH_BYTES = 48_000  # of paths in one request


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process that serves a workspace, and a few digits for each of its settings."""

    client: RemoteClient
    settings: Mapping[str, str]

    def differing(self, settings: Settings) -> list[str]:
        """The names of settings that are different there."""
        here = settings_fingerprints(settings, self.client.secret)
        return [name for name, digits in here.items() if self.settings.get(name) != digits]


def connect_to_server(note: Mapping[str, object]) -> Server | None:
    """The server that an owner's note names; None if it does not answer."""
    client = RemoteClient(
        address=str(note["address"]),
        secret=str(note.get("secret", "")),
        name=owner_name(note),
    )
    greeting = client.greet()
    if greeting is None:
        return None
    patient = replace(client, answers_s=float(greeting["answers_s"]))
    return Server(client=patient, settings=greeting["settings"])


class RemoteWorkspace(Workspace):
    """A workspace that another process owns and serves; closing it leaves that one as it is."""

    def __init__(
        self, folder: Path, server: Server, *, settings: Settings, given: GivenModels
    ) -> None:
        super().__init__(folder, settings=settings, given=given)
        self._server = server
        self._counts: Mapping[str, Mapping[str, int]] = {}
        self._known_sources: list[dict[str, Any]] | None = None
        differing = server.differing(settings)
        self._is_same = given == GivenModels() and all(
            name.startswith(_IRRELEVANT) for name in differing
        )

    @property
    def owner(self) -> RemoteClient:
        """The process that serves it."""
        self._check_usable()
        return self._server.client

    def find(self, query: Query) -> Result:
        """Answer a query, there or here."""
        if not self._is_same:
            return super().find(query)
        return from_plain(Result, self.owner.call("find", to_plain(Query, query)))

    def stream(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> Iterator[Event]:
        """The events of an answer, written there or here."""
        query = as_query(question, options)
        if not self._is_same:
            return super().stream(query, length=length, model=model)
        return read_events(self._send_question(query, length, model=model))

    async def events(
        self,
        question: str | Query,
        *,
        length: Length | None = None,
        model: bool = True,
        **options: Unpack[QueryOptions],
    ) -> AsyncGenerator[Event]:
        """The same for asynchronous callers."""
        query = as_query(question, options)
        if not self._is_same:
            async with aclosing(super().events(query, length=length, model=model)) as here:
                async for event in here:
                    yield event
            return
        reader = WorkerPool("served", threads=1)
        events = read_events(self._send_question(query, length, model=model))
        with closing(events):  # a caller that stops here stops it there
            while (found := await reader.run(lambda: next(events, None))) is not None:
                yield found

    def plan(self, query: Query) -> Plan:
        """What each source would be asked for a query, and by which rule; none is asked."""
        if not self._is_same:
            return super().plan(query)
        return from_plain(Plan, self.owner.call("plan", to_plain(Query, query)))

    def paths(self, start: str, end: str, *, limit: int = 3) -> list[Chain]:
        """How two things that a graph names connect; this depends on no setting."""
        body = {"start": start, "end": end, "limit": limit}
        return from_plain(list[Chain], self.owner.call("paths", body))

    @property
    def engine(self) -> Engine:
        """What a search here needs; opened anew when the evidence there has changed."""
        with self._opening:
            counts = self.catalogue.counts()
            if counts != self._counts:
                self._drop_engine()
            self._counts = counts
            return super().engine

    def add(
        self,
        paths: str | Path | Iterable[str | Path] = (),
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
        force: bool = False,
    ) -> ingest.Report:
        """Add files and folders there; without any, look again at all that was added before."""
        body = {"collection": collection, "force": force}
        return self._run_jobs("add", existing_paths(paths), body, progress)

    def add_documents(
        self,
        documents: ingest.DocumentValue | Iterable[ingest.DocumentValue],
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
    ) -> ingest.Report:
        """Send values there as lines of JSON, as they come."""
        lines = (encode_json(value) + b"\n" for value in ingest.plain_documents(documents))
        action = f"documents?{urlencode({'collection': collection})}"
        return self._run_job(action, lines, progress)

    def remove(self, paths: str | Path | Iterable[str | Path]) -> ingest.Report:
        """Forget files and folders there; the files themselves are not deleted."""
        names = [
            path if str(path).startswith(MEMORY) else Path(path).absolute()
            for path in as_paths(paths)
        ]
        return self._run_jobs("remove", names, {}, None)

    def rebuild(self, *, progress: ingest.Progress | None = None) -> ingest.Report:
        """Have everything read and indexed again."""
        return self._run_job("rebuild", {}, progress)

    @property
    def stores(self) -> Stores:
        """The stores belong to the owner alone."""
        raise StoreError(f"the engines belong to {self.owner.name}; ask it, or stop it first")

    def _sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        del kinds  # the owner knows them
        if self._known_sources is None:
            self._known_sources = self.owner.call("sources")
        return [
            _CLASSES[known["scores"], known["compares"]](self.owner, known["name"], collection)
            for known in self._known_sources
            if known["collection"] == collection
        ]

    def _drop_engine(self) -> None:
        self._known_sources = None
        super()._drop_engine()

    def _prepare_stores(self) -> list[Note]:
        """Let the reranker read the stored token vectors; the missing ones are computed live."""
        if (self.folder / STORE / TOKENS_FILE).exists():
            with suppress(StoreError, sqlite3.Error):  # another model's, or not readable
                if (keeper := self._open_tokens(read_only=True)) is not None:
                    self._cleanup.callback(keeper.close)
        return []

    def _send_question(self, query: Query, length: Length | None, *, model: bool) -> Lines:
        body = {"query": to_plain(Query, query), "length": length, "model": model}
        return self.owner.stream("events", body)

    def _run_jobs(
        self,
        action: str,
        paths: Sequence[str | Path],
        body: Mapping[str, Any],
        progress: ingest.Progress | None,
    ) -> ingest.Report:
        """Run a job for each part of the paths that fits a request; the sum of the reports."""
        total = ingest.Report()
        for part in _split_paths([str(path) for path in paths]):
            report = self._run_job(action, {"paths": part, **body}, progress)
            for name, value in asdict(report).items():
                setattr(total, name, getattr(total, name) + value)
        total.ignored = list(dict.fromkeys(total.ignored))
        return total

    def _run_job(
        self,
        action: str,
        body: Mapping[str, Any] | Iterator[bytes],
        progress: ingest.Progress | None,
    ) -> ingest.Report:
        """Run a job there and show its progress; its report."""
        self._refuse_other_settings()
        shown = RemoteProgress(progress or ingest.Silent())
        try:
            with self.owner.stream(action, body, silent_s=BEAT_S) as lines:
                for line in lines:
                    if "report" in line:
                        shown.finish()
                        return from_plain(ingest.Report, line["report"])
                    shown.update(line)
        finally:
            self._drop_engine()
        raise self.owner.gone("it ended without a report")

    def _refuse_other_settings(self) -> None:
        """Evidence is added with the owner's settings and models, which must be the same here."""
        differing = self._server.differing(self.settings)
        names = [name for name in differing if name.startswith(_EVIDENCE)]
        if names:
            raise UsageError(
                f"{self.owner.name} serves this workspace with other settings than are set now: "
                f"{', '.join(names)}; stop it and start it again, then run this again"
            )
        own = self._given.embedder
        if own is not None and own.name != self.catalogue.fact("model"):
            raise UsageError(
                f"{self.owner.name} serves this workspace with its own embedder, not with "
                f"{own.name!r}; stop it to use another"
            )


def read_events(lines: Lines) -> Iteration[Event]:
    """The events of an answer; an answer that ends early is an error."""
    event: Event | None = None
    with lines:
        for line in lines:
            event = event_from_plain(line)
            yield event
        if not isinstance(event, Done):
            raise lines.client.gone("it stopped before the answer was whole")


def _split_paths(paths: Sequence[str]) -> list[list[str]]:
    """Parts that each fit into one request; without paths, one empty part."""
    parts: list[list[str]] = [[]]
    size = 0
    for path in paths:
        length = len(encode_json(path)) + 2
        if size + length > _PATH_BYTES and parts[-1]:
            parts.append([])
            size = 0
        parts[-1].append(path)
        size += length
    return parts


class RemoteProgress:
    """Turns the states of a remote job into calls of a `Progress`.

    States come now and then: what is missing of a stage is made up for when the next one begins.
    """

    def __init__(self, progress: ingest.Progress) -> None:
        self._progress = progress
        self._stage = ("", 0, "")
        self._done = 0

    def update(self, line: Mapping[str, Any]) -> None:
        """Show the state of the job."""
        stage, done = (line["stage"], line["total"], line["unit"]), line["done"]
        if not line["stage"]:
            return
        if stage != self._stage or done < self._done:
            self.finish()
            self._stage, self._done = stage, 0
            self._progress.stage(stage[0], total=stage[1], unit=stage[2])
        self._advance_to(done)
        if isinstance(self._progress, ingest.Detailed):
            self._progress.within([from_plain(FileProgress, file) for file in line["inside"]])

    def finish(self) -> None:
        """The stage is done."""
        self._advance_to(self._stage[1])

    def _advance_to(self, done: int) -> None:
        if done > self._done:
            self._progress.advance(done - self._done)
            self._done = done
