import errno
import json
import stat
from pathlib import Path

import pytest

from consilience.errors import WorkspaceBusy
from consilience.lock import NOTE, Hold, hold, read_owner


def test_a_long_wait_is_reported_once_and_a_short_one_never(tmp_path):
    reported = []
    with hold(tmp_path, command="consilience add", wait_s=1):
        for wait_s in (0.1, 0.5):
            with (
                pytest.raises(WorkspaceBusy, match="already open in this process"),
                hold(tmp_path, command="search", wait_s=wait_s, waiting=reported.append),
            ):
                pass
        process = read_owner(tmp_path)["pid"]
    assert reported == [f"waiting for `consilience add` (process {process})"]
    with hold(tmp_path, command="search", wait_s=1, waiting=reported.append):
        assert read_owner(tmp_path)["command"] == "search"
    assert len(reported) == 1


def test_a_full_disk_costs_the_note_not_the_lock(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with hold(tmp_path, command="add", wait_s=1):
        assert read_owner(tmp_path) == {}
        with (
            pytest.raises(WorkspaceBusy, match="held by another process; waited 0 s"),
            hold(tmp_path, command="search", wait_s=0.1),
        ):
            pass


def test_an_owner_that_serves_says_where_to_its_own_user_alone(tmp_path):
    with hold(tmp_path, command="consilience serve", wait_s=1) as held:
        held.announce("http://127.0.0.1:8000/w/a", "secret")
        reported = read_owner(tmp_path)
        assert (reported["address"], reported["secret"]) == ("http://127.0.0.1:8000/w/a", "secret")
        assert stat.S_IMODE((tmp_path / NOTE).stat().st_mode) == 0o600
        held.withdraw()
        assert {"address", "secret"}.isdisjoint(read_owner(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["lock"]


def test_who_comes_goes_through_an_owner_that_serves_and_answers(tmp_path):
    asked = []

    def connect(note):
        asked.append(note["address"])
        return "a way" if len(asked) > 1 else None  # it answers the second time

    with hold(tmp_path, command="consilience serve", wait_s=1) as held:
        held.announce("http://127.0.0.1:8000/w/a", "secret")
        with pytest.raises(WorkspaceBusy, match="already open in this process"):
            hold(tmp_path, command="search", wait_s=0.1, connect=connect)
        assert asked == []  # nobody goes through itself
        held._note["pid"] = 4242
        held.announce("http://127.0.0.1:8000/w/a", "secret")
        assert hold(tmp_path, command="search", wait_s=5, connect=connect) == "a way"
        assert asked == ["http://127.0.0.1:8000/w/a"] * 2
        with pytest.raises(WorkspaceBusy, match=r"at http://127\.0\.0\.1:8000/w/a, for"):
            hold(tmp_path, command="search", wait_s=0.1)


def test_a_note_that_was_left_behind_misleads_nobody(tmp_path):
    left = {"pid": 4242, "command": "consilience serve", "address": "http://127.0.0.1:9/w/a"}
    (tmp_path / NOTE).write_text(json.dumps(left))
    found = hold(tmp_path, command="search", wait_s=1, connect=lambda _: "a way")
    assert isinstance(found, Hold)
    assert "address" not in read_owner(tmp_path)
    found.release()
