"""A full disk: a sentence instead of a killed process, and all is well once there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from consilience.errors import DiskFull, StoreError
from consilience.evidence import size_limits
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

DOCUMENTS = [{"id": n, "text": f"lamp {n} burned {n * 7} hours near a tower"} for n in range(300)]
MORE = [{**one, "id": f"more {one['id']}"} for one in DOCUMENTS]


def test_with_too_little_room_nothing_is_opened_or_written(opened, monkeypatch):
    space = opened()
    space.add_documents(DOCUMENTS)
    free = [1e12]
    monkeypatch.setattr(size_limits, "free_bytes", lambda folder: free[0])
    free[0] = size_limits.TO_WRITE - 1
    with pytest.raises(DiskFull, match=r"96 MB are needed to write.*Nothing is lost"):
        space.add_documents(MORE)
    assert space.search("lamp 7").hits  # open already
    space.close()
    space = opened()
    free[0] = size_limits.TO_OPEN - 1
    with pytest.raises(DiskFull, match="64 MB are needed to open it"):
        space.search("lamp 7")
    free[0] = 1e12
    assert space.search("lamp 7").hits
    assert space.add_documents(MORE).unchanged == 300
    assert space.catalogue.pending_count() == 0


def test_a_new_store_needs_room_too(opened, monkeypatch):
    space = opened()
    monkeypatch.setattr(size_limits, "free_bytes", lambda folder: size_limits.TO_OPEN)
    with pytest.raises(DiskFull, match="needed to make a store"):
        space.add_documents(DOCUMENTS)


def test_where_nothing_can_be_written_there_is_always_room(tmp_path, monkeypatch):
    class Status:
        f_flag = os.ST_RDONLY

    monkeypatch.setattr(os, "statvfs", lambda path: Status())
    assert size_limits.free_bytes(tmp_path / "not" / "there") == float("inf")


PROGRAM = """
import sys
sys.path[:0] = {path!r}
from consilience.errors import ConsilienceError
from consilience.settings import build_settings
from consilience.workspace import open_workspace
from test_full_disk import DOCUMENTS, MORE
from tests_shared import WordVectors
values = {{"models.rerank": "none", "retrieve.hard_ms": 60_000}}
try:
    models = {{"settings": build_settings(values), "embedder": WordVectors()}}
    with open_workspace({folder!r}, **models) as space:
        if {values}:
            space.add_documents({values})
        print(len(space.search("lamp 7").hits))
except ConsilienceError as error:
    print(type(error).__name__)
"""


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of 300 MB; skipped where none may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(disk)]
    if (
        not shutil.which("mount")
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_workspace_on_a_read_only_disk_is_searched_and_not_changed(small_disk):
    folder = init_workspace(small_disk / "space")
    models = {"embedder": WordVectors(), "reranker": None}
    with open_workspace(folder, **models) as space:
        space.add_documents(DOCUMENTS)
        expected = [(hit.passage.id, hit.score) for hit in space.search("lamp 7")]
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with open_workspace(folder, **models) as space:
        copy = space._store
        result = space.search("lamp 7")
        assert [(hit.passage.id, hit.score) for hit in result] == expected
        assert any("read-only; a copy is searched" in str(note) for note in result.notes)
        for change in (lambda: space.add_documents(MORE), space.rebuild):
            with pytest.raises(StoreError, match="is read-only; nothing can be added"):
                change()
    assert not copy.exists()


@pytest.mark.parametrize("left", [0, 40_000, 20_000_000, 70_000_000])
def test_no_process_dies_on_a_disk_that_is_really_full(small_disk, left):
    folder = init_workspace(small_disk / "space")

    def run(values):
        program = PROGRAM.format(path=[*sys.path, str(Path(__file__).parent)], folder=str(folder),
                                 values=values)  # fmt: skip
        found = subprocess.run(
            [sys.executable, "-c", program], check=False, capture_output=True, text=True
        )
        assert found.returncode == 0, (found.returncode, found.stderr[-500:])
        return found.stdout.strip()

    assert run("DOCUMENTS") == "10"
    filler = small_disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small_disk).free - left)
    assert run("()") in ("DiskFull", "10")
    assert run("MORE") == "DiskFull"
    filler.unlink()
    assert run("MORE") == "10"
