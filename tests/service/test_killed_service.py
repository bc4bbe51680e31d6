"""A server that is killed loses nothing that it said it had, and leaves nothing half there."""

from __future__ import annotations

import signal
import socket
import sqlite3
import time
from contextlib import closing, suppress
from urllib.parse import urlsplit

import httpx
import pytest
from process_shared import Process

from consilience.workspace import Workspace, init_workspace, open_workspace

FILES = 12
PLANTS = ("heather", "gorse", "thrift", "juniper", "bracken")
SECTIONS = 2500  # which take a few seconds
LARGE = "# All moors\n\n" + "\n".join(
    f"## Map {number}\n\nMap {number} shows {PLANTS[number % 5]} and path {number * 7}.\n"
    for number in range(SECTIONS)
)


@pytest.fixture
def folder(tmp_path):
    made = init_workspace(tmp_path / "moors")
    (made / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    return made


def text(number, *, version=1):
    parts = [
        f"## Part {part}\n\nVisit {version} to moor{number}, part {part}: "
        f"{PLANTS[(number + part) % 5]} in flower, and {number * part} sheep.\n"
        for part in range(12)
    ]
    return f"# Moor{number}\n\n" + "\n".join(parts)


def sent(server, number, *, version=1):
    reply = httpx.put(
        f"{server.address}/w/moors/files/moor{number}.md", content=text(number, version=version)
    )
    assert reply.status_code == 202, reply.text
    return reply.json()["job"]["id"]


def large(server):
    reply = httpx.put(f"{server.address}/w/moors/files/large.md", content=LARGE)
    assert reply.status_code == 202, reply.text
    return reply.json()["job"]["id"]


def begun(server, name):
    """An upload that has begun and does not go on."""
    where = urlsplit(server.address)
    link = socket.create_connection((where.hostname, where.port))
    head = f"PUT /w/moors/files/{name} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 90000"
    link.sendall(f"{head}\r\n\r\n# Half of a file\n\nUnfinished.".encode())
    return link


def jobs(server):
    return httpx.get(f"{server.address}/w/moors/jobs").json()["jobs"]


def wait(what):
    """Until something is so."""
    until = time.monotonic() + 60
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.005)
    return found


def empty_parts(folder):
    """Files that have begun to come in: so little of them is not on disk yet."""
    sizes = []
    for path in (folder / "uploads").glob(".*.part"):
        with suppress(FileNotFoundError):  # its job has moved it
            sizes.append(path.stat().st_size)
    return sizes.count(0)


def left(folder):
    """How many jobs a killed server has left, by what is on disk."""
    path = folder / ".consilience" / "jobs.db"
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT count(*) FROM jobs WHERE left").fetchone()[0]


def indexing(server):
    """Whether the last job has written some of its passages, and not all."""
    last = jobs(server)[0]
    return last["stage"] == "Indexing" and 0 < last["done"] < last["total"]


def test_a_server_that_is_killed_loses_no_file_that_it_took(folder):
    server = Process("--port", "0", folder)
    for number in range(FILES):
        sent(server, number)
    sent(server, 0, version=2)
    large(server)  # the last, so that something is left
    wait(lambda: jobs(server)[0]["status"] == "running")
    link = begun(server, "half.md")
    replaced = begun(server, "moor1.md")
    wait(lambda: empty_parts(folder) == 2 and indexing(server))
    server.end(signal.SIGKILL)  # in the middle of two uploads, and of writing passages
    link.close()
    replaced.close()
    with closing(Workspace.peek(folder)) as catalogue:
        assert 0 < catalogue.pending_count() < sum(catalogue.counts()["documents"].values())
    assert left(folder) == 1

    server = Process("--port", "0", folder)
    wait(lambda: not any(one["status"] in ("waiting", "running") for one in jobs(server)))
    assert [one["status"] for one in jobs(server)] == ["done"] * (FILES + 2)
    for number in range(FILES):
        asked = {"query": f"moor{number} part 3 sheep", "limit": 20}
        found = httpx.post(f"{server.address}/w/moors/search", json=asked).json()["results"]
        assert f"uploads/moor{number}.md" in {one["document"] for one in found}
    status, said = server.end()
    assert (status, said) == (0, "")
    _whole(folder)


def _whole(folder):
    """All files, none half, and engines that agree with the catalogue."""
    names = sorted(["large.md", *(f"moor{number}.md" for number in range(FILES))])
    assert sorted(path.name for path in (folder / "uploads").iterdir()) == names
    with open_workspace(folder) as space:
        assert space.catalogue.pending_count() == 0
        held = {one.id for one in space.catalogue.each("documents")}
        assert set(space.stores.passages("documents").ids()) == held
        assert space.catalogue.document("uploads/large.md").passages == SECTIONS
        told = " ".join(one.text for one in space.catalogue.each("documents"))
        assert "Visit 2 to moor0," in told
        assert "Visit 1 to moor0," not in told
        assert "Visit 1 to moor1," in told
        assert "Unfinished" not in told
