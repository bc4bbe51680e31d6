"""How is a workspace used that another process serves? Through that process.

Questions, and evidence that comes in, are handed over whole: its models are warm. Where settings or
models of this process differ, or an engine itself is wanted (to measure, to explain), questions are
worked on here, with the catalogue, which many may read, and only the sources are asked over there.
"""

from __future__ import annotations

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
from functools import partial
from pathlib import Path
from typing import Any

from consilience import ingest
from consilience.client import BEAT_S, Lines, Owner, fingerprints
from consilience.errors import StoreError, UsageError
from consilience.lock import name_of
from consilience.pace import Pace
from consilience.pipeline import Engine
from consilience.protocols import Preparing
from consilience.settings import Settings
from consilience.stores import Stores
from consilience.threads import Workers
from consilience.tokens import TOKENS, Keeping, KeptTokens, is_kept
from consilience.types import Chain, Done, Event, Length, Note, Plan, Query, Result
from consilience.wire import encoded, event_made, made, plain
from consilience.workspace.asked import Asked
from consilience.workspace.held import Workspace
from consilience.workspace.making import STORE
from consilience.workspace.opening import Given, Shelves

_UNHEARD = ("serve.", "store.wait_s")  # settings that no answer depends on
_EVIDENCE = ("pack", "models.embed", "models.rerank", "models.tokens", "passages.", "store.exact")
_LONGEST = 48_000  # letters of paths in one request


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Whoever serves a workspace, and a few digits for each of its settings."""

    owner: Owner
    settings: Mapping[str, str]

    def differing(self, settings: Settings) -> list[str]:
        """The settings that it has otherwise."""
        here = fingerprints(settings, self.owner.secret)
        return [name for name, digits in here.items() if self.settings.get(name) != digits]


def reached(note: Mapping[str, object]) -> Server | None:
    """The server that an owner's note tells of; None where it does not answer."""
    owner = Owner(
        address=str(note["address"]),
        secret=str(note.get("secret", "")),
        name=name_of(note),
    )
    told = owner.greeted()
    if told is None:
        return None
    patient = replace(owner, answers_s=float(told["answers_s"]))
    return Server(owner=patient, settings=told["settings"])


class Served(Workspace):
    """A workspace that another process owns and serves; closing it leaves that one as it is."""

    def __init__(
        self, folder: Path, server: Server, *, settings: Settings, given: Given | None = None
    ) -> None:
        with ExitStack() as opening:
            self._prepare(folder, settings, given)
            self._hold = None
            self._server = server
            self._held: Mapping[str, Mapping[str, int]] = {}
            self._open(opening)
        self._same = (given or Given()) == Given() and not [
            name for name in server.differing(settings) if not name.startswith(_UNHEARD)
        ]

    @property
    def owner(self) -> Owner:
        """Whoever serves it."""
        return self._server.owner

    # --- asking -------------------------------------------------------------------------

    def find(self, query: Query) -> Result:
        """Answer a query, there or here."""
        if not self._same:
            return super().find(query)
        return made(Result, self.owner.ask("find", plain(Query, query)))

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
        reader = Workers("served", threads=1)
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
        return made(Plan, self.owner.ask("plan", plain(Query, query)))

    def paths(self, start: str, end: str, *, limit: int = 3) -> list[Chain]:
        """How two things that a graph names connect; no setting bears on it."""
        asked = {"start": start, "end": end, "limit": limit}
        return made(list[Chain], self.owner.ask("paths", asked))

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
    def _shelves(self) -> Shelves:
        return Asked(self.owner)

    def _read_kept(self) -> list[Note]:
        """Have the reranker read the token vectors that are kept; what is missing is made live."""
        reranker, path = self.reranker, self.folder / STORE / TOKENS
        kept = is_kept(self.settings.models.tokens, reranker, self.embedder)
        if kept and isinstance(reranker, Preparing) and path.exists():
            with suppress(StoreError, sqlite3.Error):  # another model's, or not readable: live
                keeping = Keeping(reranker, KeptTokens(path, reranker.name, read_only=True))
                self._closing.callback(keeping.close)
                reranker.reads_from(keeping.store.get)
        return []

    def _lines(self, question: str | Query, length: Length | None, *, model: bool) -> Lines:
        query = Query(text=question) if isinstance(question, str) else question
        asked = {"query": plain(Query, query), "length": length, "model": model}
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
                        return made(ingest.Report, line["report"])
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
            event = event_made(line)
            yield event
        if not isinstance(event, Done):
            raise lines.cut_off()


def _parts(paths: Sequence[str]) -> list[list[str]]:
    """Paths as many at a time as one request takes."""
    parts: list[list[str]] = [[]]
    size = 0
    for path in paths:
        length = len(encoded(path)) + 2
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
            self._progress.within([made(Pace, one) for one in line["inside"]])

    def finish(self) -> None:
        """The stage is done."""
        if self._done < self._stage[1]:
            self._progress.advance(self._stage[1] - self._done)
            self._done = self._stage[1]
