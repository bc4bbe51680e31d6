"""Jobs are done one after the other, can be watched and stopped, and outlive their server."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from consilience.errors import StoreError
from consilience.evidence import ingest
from consilience.service import jobs as queue
from consilience.service.jobs import LOG, JobLog, Jobs
from consilience.workspace import STORE, open_workspace

LIMIT = 10**6


@pytest.fixture
def space(made):
    with open_workspace(made) as found:
        yield found


@pytest.fixture
def jobs(space):
    found = Jobs(space, upload_bytes=LIMIT)
    yield found
    found.close()


def ended(jobs, job):
    *_, last = jobs.follow(job.id)
    return last


def write(folder, count, *, word="heather"):
    folder.mkdir(exist_ok=True)
    for number in range(count):
        text = f"# Note {number}\n\nThe {word} of moor {number} is in flower.\n"
        (folder / f"{number}.md").write_text(text)
    return folder


class Gate:
    """Holds a job in `Workspace.add` until it is let go, and says when it has come there."""

    def __init__(self, monkeypatch):
        self.reached, self.open, self.order = threading.Event(), threading.Event(), []
        real = ingest.scan_files

        def look(roots, *rest, **more):
            self.order.append(sorted(path.name for path in roots))
            self.reached.set()
            assert self.open.wait(20)
            return real(roots, *rest, **more)

        monkeypatch.setattr(ingest, "scan_files", look)


# --- doing ------------------------------------------------------------------------------


def test_a_job_is_told_from_its_beginning_to_its_report(jobs, tmp_path):
    job = jobs.add([write(tmp_path / "notes", 5)])
    assert (job.status, job.kind, job.what) == ("waiting", "add", (str(tmp_path / "notes"),))
    seen = list(jobs.follow(job.id))
    assert seen[-1].status == "done"
    assert seen[-1].report["read"] == 5
    assert seen[-1].report["indexed"] == seen[-1].done == seen[-1].total > 0
    assert seen[-1].asked <= seen[-1].began <= seen[-1].ended
    assert jobs.job(job.id) == seen[-1]
    assert seen[-1].view()["ended"].endswith("+00:00")
    assert seen[-1].view()["report"]["failed"] == []


def test_jobs_are_done_in_the_order_in_which_they_came(jobs, tmp_path, monkeypatch):
    gate = Gate(monkeypatch)
    folders = [write(tmp_path / name, 1, word=name) for name in ("c", "a", "b")]
    handed = [jobs.add([folder]) for folder in folders]
    assert gate.reached.wait(20)
    assert [one.status for one in jobs.all()] == ["waiting", "waiting", "running"]
    assert [one.id for one in jobs.all()] == [one.id for one in reversed(handed)]
    assert jobs.unfinished() == 3
    gate.open.set()
    assert ended(jobs, handed[-1]).status == "done"
    assert gate.order == [["c"], ["a"], ["b"]]
    assert jobs.unfinished() == 0


def test_a_job_that_fails_says_why_and_the_next_goes_on(jobs, tmp_path):
    failed = jobs.add([tmp_path / "nowhere.md"])
    notes = write(tmp_path / "notes", 1)
    (notes / "broken.pdf").write_bytes(b"no pdf at all")
    good = jobs.add([notes])
    assert "no such file" in ended(jobs, failed).error
    assert ended(jobs, good).status == "done"
    assert [path for path, _ in ended(jobs, good).report["failed"]] == [str(notes / "broken.pdf")]


def test_what_nobody_thought_of_fails_one_job_alone(jobs, tmp_path, monkeypatch):
    real = ingest.scan_files
    monkeypatch.setattr(ingest, "scan_files", lambda *_, **__: 1 / 0)
    notes = write(tmp_path / "notes", 1)
    assert "ZeroDivisionError" in ended(jobs, jobs.add([notes])).error
    monkeypatch.setattr(ingest, "scan_files", real)
    assert ended(jobs, jobs.add([notes])).status == "done"


def test_ended_jobs_are_remembered_up_to_a_number(jobs, space, monkeypatch):
    monkeypatch.setattr(queue, "MAX_ENDED", 3)
    for _ in range(6):
        last = ended(jobs, jobs.add([]))
    assert len(jobs.all()) == 3
    jobs.close()
    again = Jobs(space, upload_bytes=LIMIT)
    assert [one.id for one in again.all()] == [
        last.id,
        str(int(last.id) - 1),
        str(int(last.id) - 2),
    ]
    again.close()


def test_more_than_a_number_may_not_wait(jobs, monkeypatch):
    gate = Gate(monkeypatch)
    monkeypatch.setattr(queue, "MAX_WAITING", 2)
    jobs.add([])
    assert gate.reached.wait(20)
    jobs.add([])
    jobs.add([])
    with pytest.raises(queue.Busy, match="2 jobs wait"):
        jobs.add([])
    gate.open.set()


# --- watching ---------------------------------------------------------------------------


def test_a_job_is_not_told_more_than_a_few_times_a_second(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(queue, "EVERY_S", 60.0)
    told = list(jobs.follow(jobs.add([write(tmp_path / "notes", 40)]).id))
    assert len(told) == 2  # as it was, and as it ended: its end is told at once
    assert told[-1].status == "done"


def test_a_job_that_does_not_change_is_told_again(jobs, tmp_path, monkeypatch):
    gate = Gate(monkeypatch)
    monkeypatch.setattr(queue, "EVERY_S", 0.0)
    monkeypatch.setattr(queue, "QUIET_S", 0.01)
    following = jobs.follow(jobs.add([write(tmp_path / "notes", 1)]).id)
    assert gate.reached.wait(20)
    assert {next(following).status for _ in range(5)} <= {"waiting", "running"}
    gate.open.set()
    assert list(following)[-1].status == "done"


# --- stopping ---------------------------------------------------------------------------


def test_a_waiting_job_that_is_stopped_is_never_begun(jobs, tmp_path, monkeypatch):
    gate = Gate(monkeypatch)
    first, second = jobs.add([]), jobs.add([write(tmp_path / "notes", 1)])
    assert gate.reached.wait(20)
    assert jobs.stop(second.id).status == "stopped"
    gate.open.set()
    assert ended(jobs, first).status == "done"
    assert gate.order == [gate.order[0]]


def test_a_running_job_that_is_stopped_ends_at_the_next_file(jobs, space, tmp_path, monkeypatch):
    gate = Gate(monkeypatch)
    job = jobs.add([write(tmp_path / "notes", 30)])
    assert gate.reached.wait(20)
    jobs.stop(job.id)
    gate.open.set()
    assert ended(jobs, job).status == "stopped"
    jobs.close()
    again = Jobs(space, upload_bytes=LIMIT)
    assert again.unfinished() == 0
    again.close()


def test_a_server_that_ends_leaves_its_jobs_to_the_next(jobs, space, tmp_path, monkeypatch):
    gate = Gate(monkeypatch)
    running = jobs.add([write(tmp_path / "one", 30)])
    waiting = jobs.add([write(tmp_path / "two", 2, word="gorse")])
    assert gate.reached.wait(20)
    closing = threading.Thread(target=jobs.close)
    closing.start()
    gate.open.set()
    assert [ended(jobs, one).status for one in (running, waiting)] == ["stopped", "stopped"]
    closing.join()
    assert "gorse" not in str(space.search("gorse").hits)
    again = Jobs(space, upload_bytes=LIMIT)
    assert [ended(again, one).status for one in (running, waiting)] == ["done", "done"]
    again.close()
    assert "gorse" in space.search("gorse").hits[0].passage.text
    assert len(space.catalogue.documents(str(tmp_path / "one"))) == 30
    assert space.catalogue.pending_count() == 0


# --- dying ------------------------------------------------------------------------------


def left_behind(space, order, *, begun):
    """What a server leaves that was killed while it did a job."""
    log = JobLog(space.folder / STORE / LOG)
    job = log.add(order, asked=1.0)
    for _ in range(begun):
        log.start(replace(job, status="running", began=2.0))
    log.close()
    return job


def test_a_job_that_was_killed_is_begun_again(space, tmp_path):
    notes = write(tmp_path / "notes", 2)
    job = left_behind(space, queue.Order(kind="add", paths=(str(notes),)), begun=1)
    jobs = Jobs(space, upload_bytes=LIMIT)
    assert ended(jobs, job).report["read"] == 2
    jobs.close()


def test_a_removal_that_was_killed_after_its_work_is_done(space, bees):
    key = str(bees / "keeping.md")
    space.remove([key])
    job = left_behind(space, queue.Order(kind="remove", paths=(key,)), begun=1)
    jobs = Jobs(space, upload_bytes=LIMIT)
    assert ended(jobs, job).status == "done"
    assert "nothing was added" in ended(jobs, jobs.remove([key])).error
    jobs.close()


def test_a_job_that_kills_the_server_each_time_is_given_up(space, tmp_path):
    notes = write(tmp_path / "notes", 1)
    order = queue.Order(kind="add", paths=(str(notes),))
    job = left_behind(space, order, begun=queue.MAX_ATTEMPTS)
    jobs = Jobs(space, upload_bytes=LIMIT)
    assert "begun 5 times" in ended(jobs, job).error
    jobs.close()


def test_a_damaged_list_of_jobs_is_told_with_what_to_do(space):
    (space.folder / STORE / LOG).write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="delete this file"):
        Jobs(space, upload_bytes=LIMIT)


# --- rebuilding -------------------------------------------------------------------------
