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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from consilience.errors import ConsilienceError, StoreError
from consilience.evidence import ingest
from consilience.evidence.catalogue import MEMORY
from consilience.evidence.memory_documents import read_documents
from consilience.progress import FileProgress
from consilience.service.redaction import redact
from consilience.service.request_pool import Busy
from consilience.workspace import STORE, Workspace

Kind = Literal["add", "documents", "remove", "rebuild"]
Status = Literal["waiting", "running", "done", "failed", "stopped"]
LOG = "jobs.db"
UPLOADS = "uploads"
"""The folder of a workspace for uploaded files."""
MAX_ENDED = 100
"""Jobs that have ended and are still shown."""
MAX_WAITING = 1000
"""Jobs that may wait; more are refused."""
MAX_ATTEMPTS = 5
"""How often a job is started that kills the server each time."""
EVERY_S, QUIET_S = 0.25, 15.0
"""How often a job that is followed is reported at most, and at least."""
GRACE_S = 30.0
"""How long a job that is to stop may take to do so."""
_PART = ".part"
_TIMES = ("asked", "began", "ended")
_log = logging.getLogger("consilience.service.jobs")


class Rebuilding(ConsilienceError):
    """A workspace cannot be searched while it is rebuilt."""


class NoJob(ConsilienceError):
    """No job of this id is known."""


class Stopped(Exception):
    """A job was asked to stop, and has come to a safe place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done. `paths` are as the catalogue names them.

    `part` is an uploaded file: of documents as JSON, or one that takes the place of the first
    path. With `delete`, uploaded files are deleted once they are forgotten.
    """

    kind: Kind
    paths: tuple[str, ...] = ()
    collection: str = ""
    force: bool = False
    part: str = ""
    delete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The state of a job. Times are seconds since 1970, 0 as long as they are not known.

    `inside` has the progress of the files that are being read, of those that report it.
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
        begun = sum(file.done / file.total for file in self.inside if file.total)
        return min(1.0, (self.done + begun) / self.total) if self.total else 0.0

    def fail(self, error: ConsilienceError) -> Job:
        """The same job, failed."""
        return replace(self, status="failed", error=str(error), error_kind=type(error).__name__)

    def view(self) -> dict[str, Any]:
        """The job as JSON; times as `2026-01-31T12:00:00+00:00`."""
        values = {**asdict(self), "what": list(self.what)}
        values["inside"] = [asdict(file) for file in self.inside]
        for name in _TIMES:
            moment = datetime.fromtimestamp(values[name], UTC) if values[name] else None
            values[name] = moment and moment.isoformat(timespec="seconds")
        return redact(values)


class _Entry:
    """A job, what was ordered, how often it was started, and whether it is to stop."""

    def __init__(self, job: Job, order: Order, *, attempts: int = 0) -> None:
        self.job = job
        self.order = order
        self.attempts = attempts
        self.stopping = False


# --- uploaded files -----------------------------------------------------------------


class UploadFolder:
    """The uploaded files of a workspace; only its owner can read them."""

    def __init__(self, workspace: Path) -> None:
        self.path = workspace / UPLOADS

    def create_part(self) -> tuple[str, BinaryIO]:
        """A new file to be filled: its name, and the file."""
        self.path.mkdir(mode=0o700, exist_ok=True)
        name = f".{secrets.token_hex(8)}{_PART}"
        handle = os.open(self.path / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        return name, os.fdopen(handle, "wb")

    def sync(self, file: BinaryIO) -> None:
        """Write a whole file to the disk itself, its name as well, and close it."""
        file.flush()
        os.fsync(file.fileno())
        file.close()
        _sync_folder(self.path)

    def drop(self, part: str) -> None:
        """Delete a part that is not wanted; an empty name is none."""
        if part:
            (self.path / part).unlink(missing_ok=True)

    def move(self, part: str, path: Path) -> None:
        """Move a whole file to its place, unless that was done before."""
        if (self.path / part).exists():
            (self.path / part).replace(path)
            _sync_folder(path.parent)

    def sweep(self, wanted: Iterable[str]) -> None:
        """Delete the parts of files that never became whole."""
        known = set(wanted)
        for path in self.path.glob(f".*{_PART}"):
            if path.name not in known and stat.S_ISREG(path.lstat().st_mode):
                path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk itself, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- the log on disk ----------------------------------------------------------------


_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, wanted TEXT NOT NULL, state TEXT NOT NULL,
    left INTEGER NOT NULL, begun INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS uploaded (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class JobLog:
    """The jobs of a workspace on disk; the file is created with the first job."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def read(self) -> list[_Entry]:
        """Every known job, the oldest first; those that are not done wait again."""
        if not self._path.exists():
            return []
        with self._transaction() as db:
            rows = db.execute("SELECT id, wanted, state, left, begun FROM jobs ORDER BY id")
            entries = []
            for key, wanted, state, left, begun in rows:
                job, order = _load(Job, state, "what"), _load(Order, wanted, "paths")
                job = replace(job, id=str(key), inside=())
                job = replace(job, status="waiting") if left else job
                entries.append(_Entry(job, order, attempts=begun))
            return entries

    def add(self, order: Order, *, asked: float) -> Job:
        """Write a new job; on return it is on disk."""
        job = Job(id="", kind=order.kind, what=order.paths, asked=asked)
        with self._transaction() as db:
            if order.part and order.paths:
                rows = [(path,) for path in order.paths]
                db.executemany("INSERT OR IGNORE INTO uploaded VALUES (?)", rows)
            key = db.execute(
                "INSERT INTO jobs (wanted, state, left, begun) VALUES (?, ?, 1, 0)",
                (json.dumps(asdict(order)), json.dumps(asdict(job))),
            ).lastrowid
        return replace(job, id=str(key))

    def start(self, job: Job) -> None:
        """Write that a job was started once more."""
        with self._transaction() as db:
            values = (json.dumps(asdict(job)), int(job.id))
            db.execute("UPDATE jobs SET state = ?, begun = begun + 1 WHERE id = ?", values)

    def end(self, job: Job, *, unfinished: bool) -> None:
        """Write how a job ended; an unfinished one runs again another time."""
        with self._transaction() as db:
            # One that was stopped in good order did nothing wrong: its attempts do not count.
            db.execute(
                "UPDATE jobs SET state = ?, left = ?, begun = begun * ? WHERE id = ?",
                (json.dumps(asdict(job)), unfinished, not unfinished, int(job.id)),
            )
            db.execute(
                "DELETE FROM jobs WHERE NOT left AND id NOT IN "
                "(SELECT id FROM jobs WHERE NOT left ORDER BY id DESC LIMIT ?)",
                (MAX_ENDED,),
            )

    def is_uploaded(self, path: str) -> bool:
        """Whether the file of this name came by upload."""
        if not self._path.exists():
            return False
        with self._transaction() as db:
            query = "SELECT 1 FROM uploaded WHERE path = ?"
            return db.execute(query, (path,)).fetchone() is not None

    def forget_uploaded(self, path: str) -> None:
        """Write that an uploaded file was deleted."""
        with self._transaction() as db:
            db.execute("DELETE FROM uploaded WHERE path = ?", (path,))

    def close(self) -> None:
        """Close the file; it is opened again when next needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction, for one thread at a time."""
        with self._lock:
            try:
                db = self._db = self._db or self._open()
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                raise StoreError(
                    f"{self._path} cannot be used: {error}; is the disk full? If not, stop the "
                    "server and delete this file: it lists the jobs of the workspace, and those "
                    "that are not done have to be handed in again"
                ) from error
            finally:
                if self._db is not None and self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = FULL")  # what was promised holds through a power cut
            db.executescript(_SCHEMA)
        except sqlite3.Error:
            db.close()
            raise
        return db


def _load(kind: type[Any], text: str, names: str) -> Any:
    values: dict[str, Any] = json.loads(text)
    return kind(**{**values, names: tuple(values[names])})


# --- the queue and its worker -------------------------------------------------------


class Jobs:
    """The jobs of one workspace. Methods that add a job return it as it is then.

    Without `resume`, jobs from the log are left to the server that took them.
    """

    def __init__(self, workspace: Workspace, *, upload_bytes: int, resume: bool = True) -> None:
        self.upload_bytes = upload_bytes
        self.uploads = UploadFolder(workspace.folder)
        self._workspace = workspace
        self._log = JobLog(workspace.folder / STORE / LOG)
        self._entries: dict[str, _Entry] = {}
        self._changed = threading.Condition()  # guards the entries and what follows
        self._closing = False
        self._thread: threading.Thread | None = None
        if resume:
            self._entries = {entry.job.id: entry for entry in self._log.read()}
            self.uploads.sweep(entry.order.part for entry in self._entries.values())
            if self.unfinished():
                self._start()

    # --- handing in ---------------------------------------------------------------------

    def add(self, paths: Iterable[str | Path], *, collection: str = "", force: bool = False) -> Job:
        """Add files and folders; without any, look again at all that was added before."""
        keys = self._keys(paths)
        return self._hand_in(Order(kind="add", paths=keys, collection=collection, force=force))

    def remove(self, paths: Iterable[str | Path], *, delete: bool = False) -> Job:
        """Forget files and folders; with `delete`, uploaded files are deleted."""
        return self._hand_in(Order(kind="remove", paths=self._keys(paths), delete=delete))

    def rebuild(self) -> Job:
        """Read and index everything again."""
        return self._hand_in(Order(kind="rebuild"))

    def add_upload(self, part: str, name: str, *, collection: str = "") -> Job:
        """Add an uploaded file under its name in the folder of uploads."""
        path = f"{UPLOADS}/{name}"
        # Read whatever its size and time say: a second version may follow within one tick.
        return self._hand_in(
            Order(kind="add", paths=(path,), collection=collection, part=part, force=True)
        )

    def add_documents(self, part: str, *, collection: str = "") -> Job:
        """Add the documents that an uploaded file holds as JSON."""
        return self._hand_in(Order(kind="documents", collection=collection, part=part))

    def stop(self, key: str) -> Job:
        """Stop a job at the next safe place; what it did so far stays."""
        with self._changed:
            entry = self._entry(key)
            if entry.job.status == "waiting":
                self._end(entry, replace(entry.job, status="stopped"), unfinished=False)
                self.uploads.drop(entry.order.part)
            entry.stopping = True
            return entry.job

    def close(self) -> None:
        """Stop at the next safe place; unfinished jobs run when the workspace is next served."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(GRACE_S)
        self._log.close()
        with self._changed:  # whoever follows them need not wait; on disk they are not done
            for entry in self._entries.values():
                if not entry.job.over:
                    self._set(entry, replace(entry.job, status="stopped"))

    # --- looking ------------------------------------------------------------------------

    def job(self, key: str) -> Job:
        """The job of an id."""
        with self._changed:
            return self._entry(key).job

    def all(self) -> list[Job]:
        """Every known job, the newest first."""
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
            seen = self._await_change(entry, seen)
            yield seen

    def _await_change(self, entry: _Entry, seen: Job) -> Job:
        with self._changed:
            self._changed.wait_for(lambda: entry.job.over, EVERY_S)
            self._changed.wait_for(lambda: entry.job is not seen, QUIET_S)
            return entry.job

    def expects(self, path: str) -> bool:
        """Whether an unfinished job is about the file of this name."""
        with self._changed:
            entries = self._entries.values()
            return any(path in entry.order.paths for entry in entries if not entry.job.over)

    def is_uploaded(self, path: str) -> bool:
        """Whether the file of this name came by upload."""
        return self._log.is_uploaded(path)

    def ready(self) -> None:
        """Raise `Rebuilding` while questions cannot be answered."""
        for job in self.all():
            if job.kind == "rebuild" and job.status == "running":
                stage = f" ({job.stage.lower()}, {job.share:.0%})" if job.stage else ""
                raise Rebuilding(
                    f"this workspace is being rebuilt{stage}; ask again in a moment, or see "
                    f"job {job.id}"
                )

    def unfinished(self) -> int:
        """How many are not over."""
        return sum(not job.over for job in self.all())

    def failed(self) -> int:
        """How many of the known jobs failed."""
        return sum(job.status == "failed" for job in self.all())

    # --- the worker ---------------------------------------------------------------------

    def _keys(self, paths: Iterable[str | Path]) -> tuple[str, ...]:
        return tuple(ingest.key_of(path, self._workspace.folder) for path in paths)

    def _path(self, key: str) -> Path:
        return self._workspace.folder / key

    def _entry(self, key: str) -> _Entry:
        if key not in self._entries:
            raise NoJob(f"there is no job {key[:40]!r} here; old jobs are removed from the list")
        return self._entries[key]

    def _hand_in(self, order: Order) -> Job:
        with self._changed:
            waiting = sum(entry.job.status == "waiting" for entry in self._entries.values())
            if waiting >= MAX_WAITING or self._closing:
                raise Busy(f"{waiting} jobs wait already; hand this one in again later")
            job = self._log.add(order, asked=time.time())
            self._entries[job.id] = _Entry(job, order)
            self._start()
            self._changed.notify_all()
            return job

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (entry := self._next()) is not None:
            try:
                self._run(entry)
            except Exception as error:  # noqa: BLE001 - the jobs behind it must go on
                # It could not be written to the log, and runs again when it is served again.
                _log.error("job %s", entry.job.id, exc_info=error)
                self._set(entry, entry.job.fail(ConsilienceError(str(error))))

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

    def _run(self, entry: _Entry) -> None:
        """Run a job from its start to its end, however that comes."""
        again = entry.attempts > 0 or entry.job.began > 0
        if entry.attempts >= MAX_ATTEMPTS:
            message = (
                f"it was begun {entry.attempts} times, and each time the server ended during it; "
                "hand it in again to try once more"
            )
            self._end(entry, entry.job.fail(ConsilienceError(message)), unfinished=False)
            return
        fresh = Job(id=entry.job.id, kind=entry.job.kind, what=entry.job.what)
        job = replace(fresh, status="running", asked=entry.job.asked, began=time.time())
        self._set(entry, job)
        self._log.start(job)
        job = self._attempt(entry, again=again)
        unfinished = self._closing and job.status != "done" and not entry.stopping
        job = replace(job, status="stopped") if unfinished else job
        self._end(entry, job, unfinished=unfinished)

    def _attempt(self, entry: _Entry, *, again: bool) -> Job:
        """The job after its work."""
        try:
            report = self._execute(entry.order, _Progress(self, entry), again=again)
        except Stopped:
            return replace(entry.job, status="stopped")
        except ConsilienceError as error:
            return entry.job.fail(error)
        except Exception as error:  # noqa: BLE001 - one job must not cost the others
            _log.error("job %s", entry.job.id, exc_info=error)
            message = f"something went wrong here ({type(error).__name__}: {error})"
            return entry.job.fail(ConsilienceError(message))
        return replace(entry.job, status="done", report=asdict(report))

    def _execute(self, order: Order, progress: _Progress, *, again: bool) -> ingest.Report:
        """Carry out an order; `again` where an earlier attempt may have done some of it."""
        if order.kind == "rebuild":
            return self._workspace.rebuild(progress=progress)
        if order.kind == "documents":
            return self._add_documents(order, progress)
        if order.kind == "add":
            paths = [self._path(key) for key in order.paths]
            if order.part:
                self.uploads.move(order.part, paths[0])
            return self._workspace.add(
                paths, collection=order.collection, progress=progress, force=order.force
            )
        catalogue, keys = self._workspace.catalogue, list(order.paths)
        if again:
            roots = catalogue.roots()
            keys = [key for key in keys if key in roots or catalogue.documents(key)]
        names = [key if key.startswith(MEMORY) else self._path(key) for key in keys]
        report = self._workspace.remove(names) if names else ingest.Report()
        for key in order.paths if order.delete else ():
            if self._log.is_uploaded(key):
                self._path(key).unlink(missing_ok=True)
                self._log.forget_uploaded(key)
        return report

    def _add_documents(self, order: Order, progress: _Progress) -> ingest.Report:
        """Add documents and delete their file; one that is stopped needs it again."""
        path = self.uploads.path / order.part
        values = read_documents(path) if path.exists() else []  # it was added, then killed
        try:
            report = self._workspace.add_documents(
                values, collection=order.collection, progress=progress
            )
        except ConsilienceError:
            self.uploads.drop(order.part)
            raise
        self.uploads.drop(order.part)
        return report

    def _end(self, entry: _Entry, job: Job, *, unfinished: bool) -> None:
        job = replace(job, ended=time.time(), inside=())
        self._log.end(job, unfinished=unfinished)
        self._set(entry, job)
        with self._changed:
            ended = [key for key, known in self._entries.items() if known.job.over]
            for key in ended[:-MAX_ENDED]:
                del self._entries[key]

    def _set(self, entry: _Entry, job: Job) -> None:
        with self._changed:
            entry.job = job
            self._changed.notify_all()

    def report(self, entry: _Entry, **changes: Any) -> None:
        """Take in the progress of a running job; this is also a safe place to stop it."""
        self._set(entry, replace(entry.job, **changes))
        if self._closing or entry.stopping:
            raise Stopped


class _Progress(ingest.Silent):
    """Passes the progress of a job on, and stops it where that is wanted."""

    def __init__(self, jobs: Jobs, entry: _Entry) -> None:
        self._jobs = jobs
        self._entry = entry

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A stage begins."""
        self._jobs.report(self._entry, stage=name, done=0, total=total, unit=unit, inside=())

    def advance(self, number: int = 1) -> None:
        """So many more are done."""
        self._jobs.report(self._entry, done=self._entry.job.done + number)

    def within(self, paces: Sequence[FileProgress]) -> None:
        """How far the files are that are being read."""
        self._jobs.report(self._entry, inside=tuple(paces))
