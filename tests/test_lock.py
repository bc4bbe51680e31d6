import errno
from pathlib import Path

import pytest

from consilience.errors import WorkspaceBusy
from consilience.lock import owner, owning


def test_a_long_wait_is_told_once_and_a_short_one_never(tmp_path):
    told = []
    with owning(tmp_path, command="consilience add", wait_s=1):
        for wait_s in (0.1, 0.5):
            with (
                pytest.raises(WorkspaceBusy, match="already open in this process"),
                owning(tmp_path, command="search", wait_s=wait_s, waiting=told.append),
            ):
                pass
        process = owner(tmp_path)["pid"]
    assert told == [f"waiting for `consilience add` (process {process})"]
    with owning(tmp_path, command="search", wait_s=1, waiting=told.append):
        assert owner(tmp_path)["command"] == "search"
    assert len(told) == 1


def test_a_full_disk_costs_the_note_not_the_lock(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with owning(tmp_path, command="add", wait_s=1):
        assert owner(tmp_path) == {}
        with (
            pytest.raises(WorkspaceBusy, match="held by another process; waited 0 s"),
            owning(tmp_path, command="search", wait_s=0.1),
        ):
            pass
