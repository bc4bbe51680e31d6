"""Who does the jobs? One thread for each workspace, in the order in which they were handed in."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from consilience import ingest
from consilience.errors import ConsilienceError
from consilience.pace import Pace
from consilience.service.desk import Busy
from consilience.service.jobs.arriving import UPLOADS, Arrivals
from consilience.service.jobs.doing import Doing, Stopped
from consilience.service.jobs.job import Job, NoJob, Order, Rebuilding
from consilience.service.jobs.log import KEPT, LOG, Log
from consilience.workspace import STORE, Workspace

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
        self._take_up()

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

    def _take_up(self) -> None:
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

    def within(self, paces: Sequence[Pace]) -> None:
        """How far the files are that are being read; a safe place to stop."""
        self._tell(self._entry, replace(self._entry.job, inside=tuple(paces)))
        self._go_on(self._entry)
