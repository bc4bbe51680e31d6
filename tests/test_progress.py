"""Whoever waits for a large file sees how far its reading is, wherever they look."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from consilience import progress
from consilience.cli import progress as bars
from consilience.evidence import ingest_progress as telling
from consilience.evidence.ingest import Detailed
from consilience.evidence.loaders import pdf
from consilience.progress import FileProgress
from consilience.service.jobs import Job, Jobs
from consilience.service.pages import Renderer
from consilience.workspace import remote
from report_shared import write_report

PAGES = 5
WAIT_S = 20.0


class Seen:
    """A progress that remembers all it is told, and tells of pages when they are heard of."""

    def __init__(self, *, stop_at: int = 0) -> None:
        self.told: list[list[FileProgress]] = []
        self.stages: list[str] = []
        self.heard = threading.Event()
        self._stop_at = stop_at

    def stage(self, name, *, total, unit):
        self.stages.append(name)

    def advance(self, number=1):
        pass

    def within(self, paces):
        assert self.stages == ["Reading"]
        self.told.append(list(paces))
        if paces and paces[0].done >= 2:
            self.heard.set()
        if self._stop_at and paces and paces[0].done >= self._stop_at:
            raise KeyboardInterrupt


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_report(tmp_path / "report.pdf", pages=PAGES)


@pytest.fixture
def held(monkeypatch) -> Callable[[threading.Event, int], list[int]]:
    """Hold the reading of a PDF before its third page until something happened."""
    real, read = pdf.printed_lines, []

    def hold(until: threading.Event) -> list[int]:
        def lines(document, number):
            assert number < 2 or until.wait(WAIT_S)
            read.append(number)
            return real(document, number)

        monkeypatch.setattr(pdf, "printed_lines", lines)
        return read

    return hold


def test_pages_are_told_while_a_file_is_read(opened, report, held):
    seen = Seen()
    held(seen.heard)
    opened().add([report], progress=seen)
    assert isinstance(seen, Detailed)
    first = FileProgress(path=str(report), done=2, total=PAGES, unit="pages")
    assert [first] in seen.told
    assert [FileProgress(path=str(report), done=PAGES, total=PAGES, unit="pages")] in seen.told
    assert seen.told[-1] == []
    assert seen.stages == ["Reading", "Indexing"]


def test_a_progress_that_knows_nothing_of_files_and_none_at_all_are_enough(opened, report):
    class Plain:
        done = 0

        def stage(self, name, *, total, unit):
            pass

        def advance(self, number=1):
            self.done += number

    plain = Plain()
    assert opened().add([report], progress=plain).read == 1
    assert plain.done > 1
    progress.report_progress(1, 2, "pages")
    assert pdf.load(report).blocks


def test_whoever_stops_waits_for_a_page_and_not_for_the_file(opened, report, held, monkeypatch):
    stopped = threading.Event()
    real = telling.ProgressRelay.stop

    def stop(self):
        real(self)
        stopped.set()

    monkeypatch.setattr(telling.ProgressRelay, "stop", stop)
    read = held(stopped)
    space = opened()
    with pytest.raises(KeyboardInterrupt):
        space.add([report], progress=Seen(stop_at=2))
    assert read == [0, 1, 2]
    assert space.add([report]).read == 1


def test_files_read_at_the_same_time_are_told_side_by_side():
    seen, both = Seen(), threading.Barrier(3)
    seen.stages = ["Reading"]
    paces = telling.ProgressRelay(seen)

    def read(name: str, done: int) -> None:
        with paces.track(name):
            progress.report_progress(done, 9, "pages")
            both.wait(WAIT_S)
            both.wait(WAIT_S)

    threads = [threading.Thread(target=read, args=one) for one in (("a", 1), ("b", 2))]
    for thread in threads:
        thread.start()
    both.wait(WAIT_S)
    paces.relay()
    paces.relay()
    both.wait(WAIT_S)
    for thread in threads:
        thread.join()
    paces.relay()
    paces.relay()
    (first, last) = seen.told
    assert {(one.path, one.done) for one in first} == {("a", 1), ("b", 2)}
    assert last == []


# --- the terminal -----------------------------------------------------------------------


def drawn(*, terminal: bool) -> str:
    """What the bars look like in the middle of a file, and what is left of it."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=120, color_system=None)
    with bars.ProgressBars(console) as shown:
        shown.stage("Reading", total=1, unit="files")
        for done in (118, 119, 120):
            shown.within(
                [FileProgress(path="/a/b/rep[b]ort\x1b.pdf", done=done, total=300, unit="pages")]
            )
        shown._progress.refresh()
        middle = out.getvalue()
        out.truncate(0)
        shown.within(())
        shown.advance()
    assert "1/1" in out.getvalue()
    assert "300" not in out.getvalue()
    return middle


def test_a_terminal_has_a_bar_for_a_large_file_and_a_pipe_none(monkeypatch):
    monkeypatch.setattr(bars, "_VISIBLE_AFTER_S", 0.0)
    middle = drawn(terminal=True)
    assert "rep[b]ort?.pdf" in middle
    assert "120/300" in middle
    assert "pages/s" in middle
    assert drawn(terminal=False) == ""


def test_a_file_that_is_read_at_once_has_no_bar():
    assert "300" not in drawn(terminal=True)


# --- the service ------------------------------------------------------------------------


def test_a_job_tells_the_pages_of_its_files_until_they_are_read(opened, report, held):
    seen = threading.Event()
    held(seen)
    jobs = Jobs(opened(), upload_bytes=10**6)
    try:
        told = []
        for job in jobs.follow(jobs.add([report]).id):
            told.append(job)
            if job.inside and job.inside[0].done == 2:
                seen.set()
    finally:
        jobs.close()
    middle = next(one for one in told if one.inside and one.inside[0].done == 2)
    assert middle.share == pytest.approx(2 / PAGES)
    told_inside = {"path": str(report), "done": 2, "total": PAGES, "unit": "pages"}
    assert middle.view()["inside"] == [told_inside]
    assert told[-1].status == "done"
    assert told[-1].view()["inside"] == []


def test_whoever_goes_through_a_server_is_told_as_well():
    seen = Seen()
    line = {"stage": "Reading", "done": 0, "total": 1, "unit": "files"}
    inside = [{"path": "report.pdf", "done": 2, "total": PAGES, "unit": "pages"}]
    remote.RemoteProgress(seen).update({**line, "inside": inside})
    assert seen.told == [[FileProgress(path="report.pdf", done=2, total=PAGES, unit="pages")]]


def test_the_page_of_a_job_says_how_far_its_files_are():
    inside = (FileProgress(path="uploads/report.pdf", done=1200, total=3000, unit="pages"),)
    job = Job(id="1", kind="add", status="running", stage="Reading", total=1, inside=inside)
    page = Renderer().render("jobs.html", found={"jobs": [job.view()]}, space="space")
    assert "1,200 of 3,000 pages of report.pdf" in page
