"""What runs in a workspace besides questions? Jobs: a queue, one worker thread, and a log on disk.

A job is on disk before its sender gets an answer. A job that was stopped or killed runs again when
the workspace is next served, so every job may run twice.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Literal

from consilience.errors import ConsilienceError, StoreError
from consilience.evidence import ingest
from consilience.progress import FileProgress
from consilience.service.redaction import redact
from consilience.service.request_pool import Busy
from consilience.workspace import STORE, Workspace

Kind = Literal["add", "remove", "rebuild"]
Status = Literal["waiting", "running", "done", "failed", "stopped"]


class Rebuilding(ConsilienceError):
    """A workspace cannot be asked while it is rebuilt."""


class NoJob(ConsilienceError):
    """No job of this id is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done. `paths` are as the catalogue names them.

    `part` is a file that has arrived and is to take the place of the first path. With `delete`
    files that came by upload are deleted once they are forgotten.
    """

    kind: Kind
    paths: tuple[str, ...] = ()
    collection: str = ""
    force: bool = False
    part: str = ""
    delete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it stands. Times are seconds since 1970, 0 as long as they are not known.

    `inside` has how far the files are that are being read, of those that say so.
    `error` says what went wrong, `error_kind` is the name of its class.
    """

    id: str
    kind: Kind
    what: tuple[str, ...] = ()
    status: Status = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    unit: str = ""
    inside: tuple[FileProgress, ...] = ()
    asked: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    report: Mapping[str, Any] | None = None
    error: str = ""
    error_kind: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it while this server runs."""
        return self.status in ("done", "failed", "stopped")

    @property
    def share(self) -> float:
        """How much of the stage is done, from 0 to 1."""
        begun = sum(one.done / one.total for one in self.inside if one.total)
        return min(1.0, (self.done + begun) / self.total) if self.total else 0.0

    def view(self) -> dict[str, Any]:
        """The job as JSON."""
        told: dict[str, Any] = {
            "id": self.id,
            "kind": self.kind,
            "what": list(self.what),
            "status": self.status,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "unit": self.unit,
            "inside": [asdict(one) for one in self.inside],
            "asked": _time(self.asked),
            "began": _time(self.began),
            "ended": _time(self.ended),
            "report": self.report,
            "error": self.error,
            "error_kind": self.error_kind,
        }
        return redact(told)


def _time(seconds: float) -> str | None:
    """`2026-01-31T12:00:00+00:00`, or None as long as it is not known."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None


# --- files that arrive --------------------------------------------------------------


UPLOADS = "uploads"
"""The folder of a workspace in which files that were uploaded lie."""
_ENDING = ".part"


class Arrivals:
    """The files of one workspace that come in by upload."""

    def __init__(self, home: Path) -> None:
        self.folder = home / UPLOADS

    def begin(self) -> tuple[str, BinaryIO]:
        """A new file to be filled: its name, and the file."""
        self.folder.mkdir(exist_ok=True)
        name = f".{secrets.token_hex(8)}{_ENDING}"
        return name, (self.folder / name).open("xb")

    def whole(self, file: BinaryIO) -> None:
        """Have what was written on the disk itself, name and all; closes the file."""
        file.flush()
        os.fsync(file.fileno())
        file.close()
        sync_folder(self.folder)

    def drop(self, name: str) -> None:
        """It is not wanted after all; without a name there is none."""
        if name:
            (self.folder / name).unlink(missing_ok=True)

    def settle(self, name: str, path: Path) -> None:
        """Move a whole file to its place; one that is there already was moved before."""
        part = self.folder / name
        if part.exists():
            part.replace(path)
            sync_folder(path.parent)

    def sweep(self, wanted: Iterable[str]) -> None:
        """Delete what is left of files that never became whole."""
        known = set(wanted)
        for path in self.folder.glob(f".*{_ENDING}"):
            if path.name not in known and stat.S_ISREG(path.lstat().st_mode):
                path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk itself, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- the log on disk ----------------------------------------------------------------


LOG = "jobs.db"
KEPT = 100
"""Jobs that are over and still shown."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, wanted TEXT NOT NULL, state TEXT NOT NULL,
    left INTEGER NOT NULL, begun INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS uploaded (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A job from the file: `left` when it is still to be done, `begun` how often it was begun."""

    job: Job
    order: Order
    left: bool
    begun: int


class Log:
    """The jobs of a workspace on disk; the file is made with the first job."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None

    def read(self) -> list[Kept]:
        """Every job that is kept, the oldest first."""
        if not self._path.exists():
            return []
        with self._using() as db:
            rows = db.execute("SELECT id, wanted, state, left, begun FROM jobs ORDER BY id")
            return [
                Kept(_job(str(key), state), _order(wanted), bool(left), begun)
                for key, wanted, state, left, begun in rows
            ]

    def new(self, order: Order, *, asked: float) -> Job:
        """Keep a new job; on return it is on disk."""
        job = Job(id="", kind=order.kind, what=order.paths, asked=asked)
        with self._using() as db:
            if order.part:
                rows = [(path,) for path in order.paths]
                db.executemany("INSERT OR IGNORE INTO uploaded VALUES (?)", rows)
            key = db.execute(
                "INSERT INTO jobs (wanted, state, left, begun) VALUES (?, ?, 1, 0)",
                (json.dumps(asdict(order)), _state(job)),
            ).lastrowid
        return _job(str(key), _state(job))

    def begin(self, job: Job) -> None:
        """A job is begun, once more than before."""
        with self._using() as db:
            values = (_state(job), int(job.id))
            db.execute("UPDATE jobs SET state = ?, begun = begun + 1 WHERE id = ?", values)

    def end(self, job: Job, *, left: bool) -> None:
        """How a job ended; one of which something is left is begun again another time."""
        with self._using() as db:
            begun = "0" if left else "begun"  # stopped in good order: it did nothing wrong
            db.execute(
                f"UPDATE jobs SET state = ?, left = ?, begun = {begun} WHERE id = ?",  # noqa: S608
                (_state(job), left, int(job.id)),
            )
            db.execute(
                "DELETE FROM jobs WHERE NOT left AND id NOT IN "
                "(SELECT id FROM jobs WHERE NOT left ORDER BY id DESC LIMIT ?)",
                (KEPT,),
            )

    def uploaded(self, path: str) -> bool:
        """Whether the file of this name came by upload."""
        if not self._path.exists():
            return False
        with self._using() as db:
            query = "SELECT 1 FROM uploaded WHERE path = ?"
            return db.execute(query, (path,)).fetchone() is not None

    def forget_uploaded(self, path: str) -> None:
        """The file was deleted."""
        with self._using() as db:
            db.execute("DELETE FROM uploaded WHERE path = ?", (path,))

    def close(self) -> None:
        """Let go of the file; it is opened again when next needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """A transaction, for one thread at a time."""
        with self._lock:
            try:
                db = self._db = self._db or self._open()
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"{self._path} cannot be used: {error}; is the disk full? If not, stop the "
                    "server and delete this file: it lists the jobs of the workspace, and those "
                    "that are not done have to be handed in again"
                ) from error
            finally:
                if self._db is not None and self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = FULL")  # what was promised holds through a power cut
            db.executescript(_SCHEMA)
        except sqlite3.Error:
            db.close()
            raise
        return db


def _state(job: Job) -> str:
    return json.dumps(asdict(job))


def _job(key: str, state: str) -> Job:
    values: dict[str, Any] = json.loads(state)
    return Job(**{**values, "id": key, "what": tuple(values["what"]), "inside": ()})


def _order(wanted: str) -> Order:
    values: dict[str, Any] = json.loads(wanted)
    return Order(**{**values, "paths": tuple(values["paths"])})


# --- doing a job --------------------------------------------------------------------


class Stopped(Exception):
    """A job was asked to stop, and has come to a safe place."""


class Doing:
    """Does what orders say. Each may be repeated: it then does what is left."""

    def __init__(self, workspace: Workspace, arrivals: Arrivals, log: Log) -> None:
        self._workspace = workspace
        self._arrivals = arrivals
        self._log = log

    def do(self, order: Order, progress: ingest.Progress, *, again: bool) -> ingest.Report:
        """Do it; `again` where an earlier try may have done some or all of it."""
        match order.kind:
            case "add":
                return self._add(order, progress)
            case "remove":
                return self._remove(order, again=again)
            case "rebuild":
                return self._workspace.rebuild(progress=progress)

    def _add(self, order: Order, progress: ingest.Progress) -> ingest.Report:
        paths = [self._path(key) for key in order.paths]
        if order.part:
            self._arrivals.settle(order.part, paths[0])
        return self._workspace.add(
            paths, collection=order.collection, progress=progress, force=order.force
        )

    def _remove(self, order: Order, *, again: bool) -> ingest.Report:
        catalogue = self._workspace.catalogue
        roots = catalogue.roots()
        known = [key for key in order.paths if key in roots or catalogue.documents(key)]
        wanted = known if again else order.paths
        report = (
            self._workspace.remove([self._path(key) for key in wanted])
            if wanted
            else ingest.Report()
        )
        for key in order.paths if order.delete else ():
            if self._log.uploaded(key):
                self._path(key).unlink(missing_ok=True)
                self._log.forget_uploaded(key)
        return report

    def _path(self, key: str) -> Path:
        return self._workspace.folder / key


# --- the queue and its worker -------------------------------------------------------


WAITING = 1000
"""Jobs that may wait; more are told to come back."""
TRIES = 5
"""How often a job is begun that kills the server each time."""
EVERY_S, QUIET_S = 0.25, 15.0
"""How often a job that is followed is told at most, and at least."""
GRACE_S = 30.0
"""How long a job that is to stop is waited for."""
_log = logging.getLogger("consilience.service.jobs")


class _Entry:
    """A job, what was asked for, and whether it is to stop."""

    def __init__(self, job: Job, order: Order, *, begun: int = 0) -> None:
        self.job = job
        self.order = order
        self.begun = begun
        self.stopping = False


class Jobs:
    """The jobs of one workspace. Whoever hands one in gets it back as it stands."""

    def __init__(self, workspace: Workspace, *, upload_bytes: int) -> None:
        self.upload_bytes = upload_bytes
        self.arrivals = Arrivals(workspace.folder)
        self._home = workspace.folder
        self._file = Log(workspace.folder / STORE / LOG)
        self._doing = Doing(workspace, self.arrivals, self._file)
        self._entries: dict[str, _Entry] = {}
        self._changed = threading.Condition()  # guards the entries and what follows
        self._closing = False
        self._thread: threading.Thread | None = None
        self._resume()

    # --- handing in ---------------------------------------------------------------------

    def add(self, paths: Iterable[str | Path], *, collection: str = "", force: bool = False) -> Job:
        """Take files and folders in; without any, look again at all that was added before."""
        keys = self._keys(paths)
        return self._hand_in(Order(kind="add", paths=keys, collection=collection, force=force))

    def remove(self, paths: Iterable[str | Path], *, delete: bool = False) -> Job:
        """Forget files and folders; with `delete` files that came by upload go altogether."""
        return self._hand_in(Order(kind="remove", paths=self._keys(paths), delete=delete))

    def rebuild(self) -> Job:
        """Read and index everything again."""
        return self._hand_in(Order(kind="rebuild"))

    def arrived(self, part: str, name: str, *, collection: str = "") -> Job:
        """Take in a file that has arrived, under its name in the folder of uploads."""
        # Read whatever its size and time say: a second version may follow within one tick.
        order = Order(
            kind="add",
            paths=(f"{UPLOADS}/{name}",),
            collection=collection,
            part=part,
            force=True,
        )
        return self._hand_in(order)

    def stop(self, key: str) -> Job:
        """Stop a job at the next safe place; what it did so far stays."""
        with self._changed:
            entry = self._entry(key)
            if entry.job.status == "waiting":
                self._end(entry, replace(entry.job, status="stopped"), left=False)
                self.arrivals.drop(entry.order.part)
            entry.stopping = True
            return entry.job

    # --- looking ------------------------------------------------------------------------

    def job(self, key: str) -> Job:
        """The job of an id."""
        with self._changed:
            return self._entry(key).job

    def all(self) -> list[Job]:
        """Every job that is known, the newest first."""
        with self._changed:
            return [entry.job for entry in reversed(self._entries.values())]

    def follow(self, key: str) -> Iterator[Job]:
        """A job each time that it changed, a few times a second at most, until it is over.

        It blocks. After a while without a change the job comes again as it is.
        """
        with self._changed:
            entry = self._entry(key)
        seen = entry.job
        yield seen
        while not seen.over:
            seen = self._awaited(entry, seen)
            yield seen

    def _awaited(self, entry: _Entry, seen: Job) -> Job:
        with self._changed:
            self._changed.wait_for(lambda: entry.job.over, EVERY_S)
            self._changed.wait_for(lambda: entry.job is not seen, QUIET_S)
            return entry.job

    def expects(self, path: str) -> bool:
        """Whether a file of this name is about to come in, or to go."""
        with self._changed:
            open_ = [one for one in self._entries.values() if not one.job.over]
            return any(path in entry.order.paths for entry in open_)

    def uploaded(self, path: str) -> bool:
        """Whether the file of this name came by upload."""
        return self._file.uploaded(path)

    def ready(self) -> None:
        """Raise `Rebuilding` while questions cannot be answered."""
        with self._changed:
            jobs = [entry.job for entry in self._entries.values()]
        for job in jobs:
            if job.kind == "rebuild" and job.status == "running":
                stage = f" ({job.stage.lower()}, {job.share:.0%})" if job.stage else ""
                raise Rebuilding(
                    f"this workspace is being rebuilt{stage}; ask again in a moment, or see "
                    f"job {job.id}"
                )

    def going_on(self) -> int:
        """How many are not done."""
        with self._changed:
            return sum(not entry.job.over for entry in self._entries.values())

    def failed(self) -> int:
        """How many of those that are still known failed."""
        with self._changed:
            return sum(entry.job.status == "failed" for entry in self._entries.values())

    def close(self) -> None:
        """Stop at the next safe place; what was begun goes on when it is served again."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(GRACE_S)
        self._file.close()
        with self._changed:  # whoever follows them need not wait; on disk they are not done
            for entry in self._entries.values():
                if not entry.job.over:
                    self._tell(entry, replace(entry.job, status="stopped"))

    # --- inside -------------------------------------------------------------------------

    def _keys(self, paths: Iterable[str | Path]) -> tuple[str, ...]:
        return tuple(ingest.key_of(Path(path), self._home) for path in paths)

    def _entry(self, key: str) -> _Entry:
        if key not in self._entries:
            raise NoJob(f"there is no job {key[:40]!r} here; those that ended long ago are gone")
        return self._entries[key]

    def _hand_in(self, order: Order) -> Job:
        with self._changed:
            waiting = sum(entry.job.status == "waiting" for entry in self._entries.values())
            if waiting >= WAITING or self._closing:
                raise Busy(f"{waiting} jobs wait already; hand this one in again later")
            job = self._file.new(order, asked=time.time())
            self._entries[job.id] = _Entry(job, order)
            self._start()
            self._changed.notify_all()
            return job

    def _resume(self) -> None:
        """Begin again what an earlier server did not end."""
        for kept in self._file.read():
            job = replace(kept.job, status="waiting") if kept.left else kept.job
            self._entries[job.id] = _Entry(job, kept.order, begun=kept.begun)
        self.arrivals.sweep(entry.order.part for entry in self._entries.values())
        if self.going_on():
            self._start()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (entry := self._next()) is not None:
            try:
                self._do(entry)
            except Exception as error:  # noqa: BLE001 - the jobs behind it must go on
                # It could not be written down, and is begun again when it is served again.
                _log.error("job %s", entry.job.id, exc_info=error)
                self._tell(entry, _failed(entry.job, ConsilienceError(str(error))))

    def _next(self) -> _Entry | None:
        """The oldest job that waits; None when the server ends."""
        with self._changed:
            while not self._closing:
                for entry in self._entries.values():
                    if entry.job.status == "waiting":  # from here on it is stopped, not taken back
                        entry.job = replace(entry.job, status="running")
                        return entry
                self._changed.wait()
            return None

    def _do(self, entry: _Entry) -> None:
        """A job from its beginning to its end, however that comes."""
        again = entry.begun > 0 or entry.job.began > 0
        if entry.begun >= TRIES:
            told = (
                f"it was begun {entry.begun} times, and each time the server ended during it; "
                "hand it in again to try once more"
            )
            self._end(entry, _failed(entry.job, ConsilienceError(told)), left=False)
            return
        fresh = Job(id=entry.job.id, kind=entry.job.kind, what=entry.job.what)
        begun = replace(fresh, status="running", asked=entry.job.asked, began=time.time())
        self._tell(entry, begun)
        self._file.begin(begun)
        job = self._attempt(entry, again=again)
        unfinished = self._closing and job.status != "done" and not entry.stopping
        self._end(entry, replace(job, status="stopped") if unfinished else job, left=unfinished)

    def _attempt(self, entry: _Entry, *, again: bool) -> Job:
        """The job as it stands afterwards."""
        try:
            watched = _Watched(entry, self._tell, self._go_on)
            report = self._doing.do(entry.order, watched, again=again)
        except Stopped:
            return replace(entry.job, status="stopped")
        except ConsilienceError as error:
            return _failed(entry.job, error)
        except Exception as error:  # noqa: BLE001 - one job must not cost the others
            _log.error("job %s", entry.job.id, exc_info=error)
            told = f"something went wrong here ({type(error).__name__}: {error})"
            return _failed(entry.job, ConsilienceError(told))
        return replace(entry.job, status="done", report=asdict(report))

    def _end(self, entry: _Entry, job: Job, *, left: bool) -> None:
        job = replace(job, ended=time.time(), inside=())
        self._file.end(job, left=left)
        self._tell(entry, job)
        with self._changed:
            over = [key for key, one in self._entries.items() if one.job.over]
            for key in over[:-KEPT]:
                del self._entries[key]

    def _tell(self, entry: _Entry, job: Job) -> None:
        with self._changed:
            entry.job = job
            self._changed.notify_all()

    def _go_on(self, entry: _Entry) -> None:
        if self._closing or entry.stopping:
            raise Stopped


def _failed(job: Job, error: ConsilienceError) -> Job:
    kind = type(error).__name__
    return replace(job, status="failed", error=str(error), error_kind=kind)


class _Watched(ingest.Silent):
    """Tells whoever looks how far a job is, and stops it where that is asked for."""

    def __init__(
        self,
        entry: _Entry,
        tell: Callable[[_Entry, Job], None],
        go_on: Callable[[_Entry], None],
    ) -> None:
        self._entry = entry
        self._tell = tell
        self._go_on = go_on

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A stage begins; a safe place to stop."""
        job = replace(self._entry.job, stage=name, done=0, total=total, unit=unit, inside=())
        self._tell(self._entry, job)
        self._go_on(self._entry)

    def advance(self, number: int = 1) -> None:
        """So many more are done; a safe place to stop."""
        self._tell(self._entry, replace(self._entry.job, done=self._entry.job.done + number))
        self._go_on(self._entry)

    def within(self, paces: Sequence[FileProgress]) -> None:
        """How far the files are that are being read; a safe place to stop."""
        self._tell(self._entry, replace(self._entry.job, inside=tuple(paces)))
        self._go_on(self._entry)
