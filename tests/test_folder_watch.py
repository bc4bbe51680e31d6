"""A folder that changes is read again, on the command line and while it is served."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from threading import Event, Timer

import pytest

from consilience.errors import MissingExtra
from consilience.evidence import folder_watch
from consilience.workspace import Workspace, init_workspace, open_workspace

PATIENCE_S = 60


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = init_workspace(tmp_path / "w")
    (folder / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.md").write_text("# Lamps\n\nThe lamp burns colza.\n")
    return folder


def titles(home: Path) -> set[str]:
    with closing(Workspace.peek(home)) as catalogue:
        return {record.title for record in catalogue.documents()}


def wait_for(holds, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.2)


def started(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "consilience", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_change_is_reported_once_and_hidden_files_are_not(tmp_path):
    stop = Event()
    Timer(0.5, lambda: (tmp_path / ".hidden").write_text("x")).start()
    Timer(2.5, lambda: (tmp_path / "seen.md").write_text("x")).start()
    changes = folder_watch.watch_folders(lambda: [tmp_path], stop)
    assert next(changes) == [tmp_path / "seen.md"]
    stop.set()


def test_without_the_library_the_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[watch\]'"):
        next(folder_watch.watch_folders(list, Event()))


def test_watch_reads_what_changes(home, tmp_path):
    process = started("watch", "-w", home, tmp_path / "files")
    try:
        wait_for(lambda: titles(home) == {"Lamps"}, process)
        time.sleep(2)
        (tmp_path / "files" / "b.md").write_text("# Ropes\n\nManila floats.\n")
        wait_for(lambda: titles(home) == {"Lamps", "Ropes"}, process)
        (tmp_path / "files" / "a.md").unlink()
        wait_for(lambda: titles(home) == {"Ropes"}, process)
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_serve_watches_too(home, tmp_path):
    with open_workspace(home) as space:
        space.add([tmp_path / "files"])
    process = started("serve", "--json", "--port", "0", "--watch", home)
    try:
        address = json.loads(process.stdout.readline())["workspaces"]["w"]
        time.sleep(2)
        (tmp_path / "files" / "b.md").write_text("# Ropes\n\nManila floats.\n")
        wait_for(lambda: titles(home) == {"Lamps", "Ropes"}, process)
        reply = urllib.request.urlopen(f"{address}/search?q=Manila&format=json", timeout=30)
        assert json.load(reply)["results"][0]["title"] == "Ropes"
    finally:
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=30)[1]
