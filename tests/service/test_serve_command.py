"""`consilience serve`: what it takes, says, refuses, and how it ends."""

import http.client
import json
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from process_shared import PATIENT, serving

from consilience.cli import main
from consilience.cli.serve import _print_addresses, choose_workspaces
from consilience.errors import MissingWorkspace, UsageError
from consilience.lock import read_owner
from consilience.service.server import Listener
from consilience.service.service import Options, Service
from consilience.settings import FILE
from consilience.workspace import STORE, RemoteWorkspace, init_workspace, open_workspace


@pytest.fixture(scope="module")
def home(tmp_path_factory, bees):
    """A folder that holds two workspaces, one of them empty, and something else."""
    made = tmp_path_factory.mktemp("home")
    for name in ("Apiary 1", "empty"):
        folder = init_workspace(made / name)
        (folder / FILE).write_text(PATIENT)
    (made / "other").mkdir()
    with open_workspace(made / "Apiary 1") as space:
        space.add([bees / "keeping.md"])
    return made


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["consilience", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


def asked(address, method="GET", path="/", body=None, **headers):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.request(method, f"{parts.path}{path}", body=body, headers=headers)
    reply = connection.getresponse()
    found = reply.status, reply.read().decode()
    connection.close()
    return found


def test_folders_are_workspaces_or_hold_them(home, monkeypatch, tmp_path):
    both = [home / "Apiary 1", home / "empty"]
    assert choose_workspaces([home]) == both
    assert choose_workspaces([home / "empty", home]) == [home / "empty", home / "Apiary 1"]
    monkeypatch.chdir(home / "empty")
    assert choose_workspaces([]) == [home / "empty"]
    assert choose_workspaces([Path()]) == [home / "empty"]
    monkeypatch.chdir(home)
    assert choose_workspaces([]) == both
    for wrong in (home / "other", tmp_path / "nowhere"):
        with pytest.raises(MissingWorkspace, match="is not a workspace and holds none"):
            choose_workspaces([wrong])


def test_a_port_that_is_taken_is_said_at_once(home, run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", home / "empty", "--port", port)
        assert (code, out) == (1, "")
        assert err.startswith(f"error: port {port} of 127.0.0.1 is taken; ")
        assert "--port" in err
        near = Listener("127.0.0.1", port, near=True)
        assert port < near.port <= port + 20
        near.socket.close()
    with pytest.raises(UsageError, match=r"--host no\.such\.host\.invalid is not known"):
        Listener("no.such.host.invalid", 0)


def test_where_it_is_reached_and_by_which_names():
    here = Listener("127.0.0.1", 0)
    assert here.address == f"http://127.0.0.1:{here.port}"
    assert here.loopback
    assert "localhost" in here.names
    here.socket.close()


def test_beyond_this_machine_without_keys_it_is_only_read_but_for_its_owner(home, tmp_path):
    with serving(home, "--host", "0.0.0.0") as server:
        assert list(server.workspaces) == ["apiary-1", "empty"]
        assert server.address.startswith("http://127.0.0.1:")
        apiary, empty = server.workspaces["apiary-1"], server.workspaces["empty"]
        status, said = asked(apiary, path="/search?q=winter")
        assert (status, "Winter" in said) == (200, True)
        status, said = asked(apiary, "PUT", "/files/a.md", b"# A\n\nAnts.\n")
        assert (status, json.loads(said)["error"]["kind"]) == (403, "Refused")
        assert asked(empty, path="")[0] == 200
        (tmp_path / "ants.md").write_text("# Ants\n\nAnts carry leaves.\n")
        with open_workspace(home / "empty") as space:
            assert isinstance(space, RemoteWorkspace)
            assert space.add([tmp_path / "ants.md"]).read == 1
            assert space.search("leaves").hits[0].passage.title == "Ants"
        code, said = server.end(signal.SIGINT)
    assert code == 0
    assert "0.0.0.0 may be reached from other machines and there are no keys" in said
    assert "holds no evidence yet" in said
    assert read_owner(home / "empty" / STORE) == {}


@pytest.mark.parametrize("read_only", [False, True])
def test_people_are_told_that_a_key_is_asked_for(space, capsys, read_only):
    keys = {"one": "read", "two": "read", "three": "write"}
    place = Listener("127.0.0.1", 0)
    for known in (keys, {}):
        service = Service([space], Options(keys=known, read_only=read_only))
        _print_addresses(service, place, as_json=False)
        service.close()
    place.socket.close()
    rights = "3 keys may read" if read_only else "2 keys may read, 1 key may add and remove as well"
    out = capsys.readouterr().out
    assert out.count(f"the page and programs are asked for a key: {rights}\n") == 1


def test_a_file_of_keys_that_is_wrong_is_said_before_anything_is_opened(home, run, tmp_path):
    (tmp_path / "keys").write_text("nonsense\n")
    code, _, err = run("serve", home, "--keys", tmp_path / "keys", "--port", "0")
    assert code == 1
    assert "line 1" in err
