"""How is a workspace used that another process serves? Through that process, over HTTP.

The owner's note (see `lock`) says where it listens and which secret it expects. Questions and new
evidence are sent there whole: its models are already loaded. Where settings or models of this
process differ, or an engine is needed here (to measure, to explain), questions are answered here
with the shared catalogue, and only the sources are called remotely. An error raised there is raised
here as the same error; a server that disappears in the middle is an error of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import sqlite3
from collections.abc import (
    AsyncGenerator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, aclosing, closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from consilience import errors
from consilience.engine import Engine
from consilience.errors import ConsilienceError, SourceError, StoreError, UsageError, WorkspaceBusy
from consilience.evidence import ingest
from consilience.evidence.token_store import TOKENS_FILE, TokenKeeper, TokenStore, keeps_tokens
from consilience.lock import owner_name
from consilience.open_stores import Stores
from consilience.progress import FileProgress
from consilience.protocols import Likeness, Preparing, Retriever
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
    Request,
    Result,
    SourceReply,
)
from consilience.worker_pool import WorkerPool
from consilience.workspace.layout import STORE
from consilience.workspace.local import GivenModels, SourceProvider, Workspace

GREETING_S = 5.0
"""How long an owner may take to say that it is there."""
BEAT_S = 20.0
"""How long an owner says nothing at most while a long job goes on."""
SPARE_S = 15.0
"""How much longer than an owner allows itself its answer is waited for."""
VERSION = "X-Consilience-Version"


class Gone(WorkspaceBusy):
    """Whoever served the workspace does not answer."""


class OtherVersion(WorkspaceBusy):
    """Whoever serves the workspace is of another version than this."""


_KINDS: Mapping[str, type[ConsilienceError]] = {
    **{
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ConsilienceError)
    },
    "MissingExtra": UsageError,  # it is told as it was told there
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
    """A few digits for every setting, to compare two processes without telling either's keys."""
    values = asdict(settings)
    found = {}
    for row in TABLE:
        section, _, last = row.name.rpartition(".")
        value = values[section][last] if section else values[last]
        told = encode_json([row.name, _ordered(value)])
        found[row.name] = hmac.new(secret.encode(), told, hashlib.sha256).hexdigest()[:16]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteClient:
    """Whoever serves a workspace: where, by which secret, and what it is called in messages."""

    address: str
    secret: str
    name: str
    answers_s: float = GREETING_S

    def ask(self, what: str, body: Any = None) -> Any:
        """What it answers."""
        with self._reached(what, body, self.answers_s + SPARE_S) as lines:
            return decode_json(lines.all())

    def told(self, what: str, body: Any = None, *, quiet_s: float = 0.0) -> Lines:
        """What it answers line by line, none of which takes longer than `quiet_s` to come."""
        return self._reached(what, body, (quiet_s or self.answers_s) + SPARE_S)

    def greeted(self) -> Mapping[str, Any] | None:
        """What it says of itself; None where nothing listens there, or something else does."""
        try:
            with self._reached("hello", None, GREETING_S) as lines:
                found = decode_json(lines.all())
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

    def _reached(self, what: str, body: Any, patience_s: float) -> Lines:
        parts = urlsplit(self.address)
        connection = HTTPConnection(
            parts.hostname or "", parts.port, timeout=patience_s, blocksize=2**16
        )
        headers = {
            "Authorization": f"Bearer {self.secret}",
            "Content-Type": "application/json",
            VERSION: installed_version(),
        }
        path = f"{parts.path}/remote/{what}"
        try:
            connection.request("POST", path, body=encode_json(body), headers=headers)
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
    """What an owner says, line by line, until it has said all or nobody listens any more."""

    def __init__(
        self, owner: RemoteClient, connection: HTTPConnection, reply: HTTPResponse
    ) -> None:
        self._owner = owner
        self._connection = connection
        self._reply = reply

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Every line; one that tells of an error raises it. An empty one only says it is there."""
        while line := self._read(self._reply.readline):
            if not line.endswith(b"\n"):
                raise self._owner.gone("it stopped in the middle of a line")
            if not line.strip():
                continue
            found = decode_json(line)
            if "error" in found:
                raise error_from_reply(line, 200)
            yield found

    def cut_off(self) -> Gone:
        """The error of what ended before it was whole."""
        return self._owner.gone("it stopped before the answer was whole")

    def all(self) -> bytes:
        """Everything at once."""
        return self._read(self._reply.read)

    def close(self) -> None:
        """Listen no more; whoever waits for the next line in another thread is woken."""
        with suppress(OSError, AttributeError):
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, read: Any) -> bytes:
        try:
            found: bytes = read()
        except (OSError, HTTPException, ValueError) as error:
            raise self._owner.gone(error) from error
        return found


def error_from_reply(data: bytes, status: int) -> ConsilienceError:
    """The error that an owner tells of, as it was raised there."""
    try:
        told = decode_json(data)["error"]
        kind, message = str(told["kind"]), str(told["message"])
    except (ConsilienceError, LookupError, TypeError):
        kind, message = "", f"it answered with status {status}, not in words that are known here"
    return _KINDS.get(kind, ConsilienceError)(message)


def _ordered(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, Mapping) else value


# --- remote sources ----------------------------------------------------------------------


_IDS = 2000  # ids in one question: more would make it too long


class RemoteSources:
    """The sources of a workspace that another process serves."""

    def __init__(self, owner: RemoteClient) -> None:
        self._owner = owner
        self._known: list[dict[str, Any]] | None = None

    def sources(self, collection: str, kinds: Iterable[str]) -> list[Retriever]:
        """The ways to rank a collection, as its owner has them; the kinds it knows itself."""
        del kinds
        if self._known is None:
            self._known = self._owner.ask("sources")
        return [
            _CLASSES[one["scores"], one["compares"]](self._owner, one["name"], collection)
            for one in self._known
            if one["collection"] == collection
        ]


class RemoteSource:
    """One source of another process."""

    def __init__(self, owner: RemoteClient, name: str, collection: str) -> None:
        self.name = name
        self.collection = collection
        self._owner = owner
        self._workers = WorkerPool(name)

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """What it finds, best first."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """What it finds, and how it came to it."""
        told = await self._ask("retrieve", request=to_plain(Request, request), limit=limit)
        return from_plain(SourceReply, told)

    async def _ask(self, what: str, **more: Any) -> Any:
        asked = {"source": self.name, "do": what, **more}
        return await self._workers.run(lambda: self._owner.ask("source", asked))


class Scoring(RemoteSource):
    """One that scores named passages too."""

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """The scores of these passages, as far as it holds them."""
        found: dict[str, float] = {}
        for start in range(0, len(ids), _IDS):
            some = list(ids[start : start + _IDS])
            scores = await self._ask("score", request=to_plain(Request, request), ids=some)
            found.update(from_plain(dict[str, float], scores))
        return found


class Comparing(RemoteSource):
    """One that compares passages too."""

    async def compare(self, ids: Sequence[str]) -> Likeness:
        """How alike these passages are."""
        return likeness_from_plain(await self._ask("compare", ids=list(ids)))


class Both(Scoring, Comparing):
    """One that does both."""


_CLASSES: Mapping[tuple[bool, bool], Callable[[RemoteClient, str, str], RemoteSource]] = {
    (False, False): RemoteSource,
    (True, False): Scoring,
    (False, True): Comparing,
    (True, True): Both,
}


# --- the remote workspace ----------------------------------------------------------------


_UNHEARD = ("serve.", "store.wait_s")  # settings that no answer depends on
_EVIDENCE = ("pack", "models.embed", "models.rerank", "models.tokens", "passages.", "store.exact")
_LONGEST = 48_000  # letters of paths in one request


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Whoever serves a workspace, and a few digits for each of its settings."""

    owner: RemoteClient
    settings: Mapping[str, str]

    def differing(self, settings: Settings) -> list[str]:
        """The settings that it has otherwise."""
        here = settings_fingerprints(settings, self.owner.secret)
        return [name for name, digits in here.items() if self.settings.get(name) != digits]


def connect_to_server(note: Mapping[str, object]) -> Server | None:
    """The server that an owner's note tells of; None where it does not answer."""
    owner = RemoteClient(
        address=str(note["address"]),
        secret=str(note.get("secret", "")),
        name=owner_name(note),
    )
    told = owner.greeted()
    if told is None:
        return None
    patient = replace(owner, answers_s=float(told["answers_s"]))
    return Server(owner=patient, settings=told["settings"])


class RemoteWorkspace(Workspace):
    """A workspace that another process owns and serves; closing it leaves that one as it is."""

    def __init__(
        self, folder: Path, server: Server, *, settings: Settings, given: GivenModels | None = None
    ) -> None:
        with ExitStack() as opening:
            self._prepare(folder, settings, given)
            self._hold = None
            self._server = server
            self._held: Mapping[str, Mapping[str, int]] = {}
            self._open(opening)
        self._same = (given or GivenModels()) == GivenModels() and not [
            name for name in server.differing(settings) if not name.startswith(_UNHEARD)
        ]

    @property
    def owner(self) -> RemoteClient:
        """Whoever serves it."""
        return self._server.owner

    # --- asking -------------------------------------------------------------------------

    def find(self, query: Query) -> Result:
        """Answer a query, there or here."""
        if not self._same:
            return super().find(query)
        return from_plain(Result, self.owner.ask("find", to_plain(Query, query)))

    def stream(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> Iterator[Event]:
        """The answer to a question as it is written, there or here."""
        if not self._same:
            return super().stream(question, length=length, model=model)
        return _told(self._lines(question, length, model=model))

    async def events(
        self, question: str | Query, *, length: Length | None = None, model: bool = True
    ) -> AsyncGenerator[Event]:
        """The same for callers that are asynchronous themselves."""
        if not self._same:
            async with aclosing(super().events(question, length=length, model=model)) as events:
                async for event in events:
                    yield event
            return
        reader = WorkerPool("served", threads=1)
        each = _told(self._lines(question, length, model=model))
        with closing(each):  # whoever stops here stops it there
            read: Callable[[], Event | None] = partial(next, each, None)
            heard = await reader.run(read)
            while heard is not None:
                yield heard
                heard = await reader.run(read)

    def plan(self, query: Query) -> Plan:
        """What each source would be asked for a query, and by which rule; none is asked."""
        if not self._same:
            return super().plan(query)
        return from_plain(Plan, self.owner.ask("plan", to_plain(Query, query)))

    def paths(self, start: str, end: str, *, limit: int = 3) -> list[Chain]:
        """How two things that a graph names connect; no setting bears on it."""
        asked = {"start": start, "end": end, "limit": limit}
        return from_plain(list[Chain], self.owner.ask("paths", asked))

    @property
    def engine(self) -> Engine:
        """What a search here needs; opened anew when evidence came or went over there."""
        with self._opening:
            held = self.catalogue.counts()
            if held != self._held:
                self._reopen()
            self._held = held
            return super().engine

    # --- evidence -----------------------------------------------------------------------

    def add(
        self,
        paths: Iterable[str | Path],
        *,
        collection: str = "",
        progress: ingest.Progress | None = None,
        force: bool = False,
    ) -> ingest.Report:
        """Have files and folders taken in; without any, all that was added before."""
        named = [Path(path).absolute() for path in paths]
        for path in named:
            if not path.exists() and not path.is_symlink():
                raise UsageError(f"no such file or folder: {path}")
        reports = [
            self._done("add", {"paths": some, "collection": collection, "force": force}, progress)
            for some in _parts([str(path) for path in named])
        ]
        return _together(reports)

    def remove(self, paths: Iterable[str | Path]) -> ingest.Report:
        """Have files and folders forgotten; the files themselves stay where they are."""
        named = [str(Path(path).absolute()) for path in paths]
        return _together([self._done("remove", {"paths": some}, None) for some in _parts(named)])

    def rebuild(self, *, progress: ingest.Progress | None = None) -> ingest.Report:
        """Have everything read and indexed again."""
        return self._done("rebuild", {}, progress)

    @property
    def stores(self) -> Stores:
        """The engines are the owner's alone."""
        raise StoreError(f"the engines belong to {self.owner.name}; ask it, or stop it first")

    # --- inside -------------------------------------------------------------------------

    @property
    def _shelves(self) -> SourceProvider:
        return RemoteSources(self.owner)

    def _read_kept(self) -> list[Note]:
        """Have the reranker read the token vectors that are kept; what is missing is made live."""
        reranker, path = self.reranker, self.folder / STORE / TOKENS_FILE
        kept = keeps_tokens(self.settings.models.tokens, reranker, self.embedder)
        if kept and isinstance(reranker, Preparing) and path.exists():
            with suppress(StoreError, sqlite3.Error):  # another model's, or not readable: live
                keeping = TokenKeeper(reranker, TokenStore(path, reranker.name, read_only=True))
                self._closing.callback(keeping.close)
                reranker.reads_from(keeping.store.get)
        return []

    def _lines(self, question: str | Query, length: Length | None, *, model: bool) -> Lines:
        query = Query(text=question) if isinstance(question, str) else question
        asked = {"query": to_plain(Query, query), "length": length, "model": model}
        return self.owner.told("events", asked)

    def _done(
        self, what: str, asked: Mapping[str, Any], progress: ingest.Progress | None
    ) -> ingest.Report:
        """Have a job done over there, showing how far it is; its report."""
        self._refuse_other_settings()
        shown = _Shown(progress or ingest.Silent())
        try:
            with self.owner.told(what, dict(asked), quiet_s=BEAT_S) as lines:
                for line in lines:
                    if "report" in line:
                        shown.finish()
                        return from_plain(ingest.Report, line["report"])
                    shown.update(line)
        finally:
            self._reopen()
        raise self.owner.gone("it ended without a report")

    def _refuse_other_settings(self) -> None:
        """Evidence is taken in with the owner's settings and models: they must be those here."""
        names = [one for one in self._server.differing(self.settings) if one.startswith(_EVIDENCE)]
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


def _told(lines: Lines) -> Generator[Event]:
    event: Event | None = None
    with lines:
        for line in lines:
            event = event_from_plain(line)
            yield event
        if not isinstance(event, Done):
            raise lines.cut_off()


def _parts(paths: Sequence[str]) -> list[list[str]]:
    """Paths as many at a time as one request takes."""
    parts: list[list[str]] = [[]]
    size = 0
    for path in paths:
        length = len(encode_json(path)) + 2
        if size + length > _LONGEST and parts[-1]:
            parts.append([])
            size = 0
        parts[-1].append(path)
        size += length
    return parts


def _together(reports: Sequence[ingest.Report]) -> ingest.Report:
    """What several runs did, as one."""
    whole = ingest.Report()
    for one in reports:
        for name, value in asdict(one).items():
            setattr(whole, name, getattr(whole, name) + value)
    whole.ignored = list(dict.fromkeys(whole.ignored))
    return whole


class _Shown:
    """Turns how far a job is, told now and then, into what a `Progress` wants to know.

    What was not told of a stage is made up for when the next begins: only then it is done.
    """

    def __init__(self, progress: ingest.Progress) -> None:
        self._progress = progress
        self._stage = ("", 0, "")
        self._done = 0

    def update(self, line: Mapping[str, Any]) -> None:
        """Show where the job stands."""
        stage, done = (line["stage"], line["total"], line["unit"]), line["done"]
        if not line["stage"]:
            return
        if stage != self._stage or done < self._done:
            self.finish()
            self._stage, self._done = stage, 0
            self._progress.stage(stage[0], total=stage[1], unit=stage[2])
        if done > self._done:
            self._progress.advance(done - self._done)
            self._done = done
        if isinstance(self._progress, ingest.Detailed):
            self._progress.within([from_plain(FileProgress, one) for one in line["inside"]])

    def finish(self) -> None:
        """The stage is done."""
        if self._done < self._stage[1]:
            self._progress.advance(self._stage[1] - self._done)
            self._done = self._stage[1]
