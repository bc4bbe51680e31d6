"""A server that ends, in good order or not: nothing is lost, and nobody is misled."""

import os
import signal
import threading
import time

import pytest
from process_shared import PATIENT, serving

from consilience.lock import NOTE, read_owner
from consilience.settings import FILE
from consilience.workspace import (
    STORE,
    RemoteWorkspace,
    Workspace,
    connect_workspace,
    open_workspace,
    remote,
)


@pytest.fixture
def folder(made):
    (made / FILE).write_text(PATIENT + "[store]\nwait_s = 60\n")
    return made


def test_a_killed_server_leaves_a_workspace_that_the_next_command_opens_itself(folder, tmp_path):
    files = tmp_path / "many"
    files.mkdir()
    for number in range(800):
        (files / f"{number}.md").write_text(f"# Moth {number}\n\nMoth {number} flies at night.\n")
    with serving(folder) as server, open_workspace(folder) as space:
        before = space.search("bees in winter").hits
        note = (folder / STORE / NOTE).read_text()

        class Kill:
            """Ends the server in the middle of the work."""

            def stage(self, name, *, total, unit):
                os.kill(server.pid, signal.SIGKILL)

            def advance(self, number=1):
                pass

        with pytest.raises(remote.Gone, match="What it had stored is kept"):
            space.add([files], progress=Kill())
        with pytest.raises(remote.Gone, match=rf"process {server.pid}\) serves this workspace"):
            space.search("bees in winter")
        server.process.communicate()
    assert (folder / STORE / NOTE).read_text() == note  # it is left behind, and means nothing
    with open_workspace(folder) as space:
        assert type(space) is Workspace
        assert space.search("bees in winter", collections=["documents"]).hits
        space.add([files])
        assert space.catalogue.pending_count() == 0
        assert len([one for one in space.catalogue.documents() if "Moth" in one.title]) == 800
    assert before


def test_who_waits_for_a_server_that_is_starting_goes_through_it(folder):
    """The lock is taken long before anything listens: that is waited for."""
    held = connect_workspace(folder, command="consilience serve")
    found = []

    def come():
        with open_workspace(folder) as space:
            found.append(type(space))

    held._lock._note["pid"] = 1  # as if it were another process
    held.withdraw()
    waiting = threading.Thread(target=come)
    waiting.start()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(remote.RemoteClient, "greet", lambda _: {"answers_s": 1, "settings": {}})
        time.sleep(0.5)
        assert not found
        held.announce("http://127.0.0.1:9/w/apiary", "secret")
        waiting.join(30)
    held.close()
    assert found == [RemoteWorkspace]


def test_told_to_stop_it_finishes_lets_go_and_ends_well(folder):
    with serving(folder) as server, open_workspace(folder) as space:
        assert isinstance(space, RemoteWorkspace)
        events = space.stream("where do the bees sit in winter?")
        next(events)
        code, said = server.end()
        assert (code, said) == (0, "")
        *_, last = events  # what was under way came to its end
        assert last.answer.text
        assert read_owner(folder / STORE) == {}
    with open_workspace(folder) as space:
        assert type(space) is Workspace
