"""Whoever may only read sees names of files, and nothing of where they lie on the server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.service.auth import digest
from consilience.service.mcp_server import ADDRESS
from consilience.service.redaction import PathRedactor
from consilience.workspace import init_workspace, open_workspace

READ, WRITE = "a-key-for-those-who-read", "a-key-for-those-who-write"
KEYS = {digest(READ): "read", digest(WRITE): "write"}
ASKED = {"query": "When do bees swarm?", "limit": 3}
PAGE = {"accept": "text/html"}


def bearer(key):
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
def readers(space, serving):
    """Whoever may only read, in both ways, and whoever may write."""
    locked = serving(space, keys=KEYS)
    return [(serving(space, read_only=True), {}), (locked, bearer(READ))], (locked, bearer(WRITE))


def replies(client, headers):
    """What a client gets from every address that tells of files, as text."""
    first = client.post("/w/apiary/search", json=ASKED, headers=headers).json()["results"][0]
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    called["params"] = {"name": "show", "arguments": {"passage": first["passage"]}}
    accepts = {"accept": "application/json, text/event-stream"}
    path = {"start": "honey bee", "end": "lime honey"}
    missed = {**ASKED, "passage": first["passage"]}
    compared = {"query": ASKED["query"], "a": "settings", "b": "in:documents"}
    got = {
        "ask": client.post("/w/apiary/ask", json=ASKED, headers=headers),
        "events": client.get("/w/apiary/ask/events?q=swarm&html=1", headers=headers),
        "why": client.post("/w/apiary/why", json=ASKED, headers=headers),
        "why-not": client.post("/w/apiary/why-not", json=missed, headers=headers),
        "path": client.post("/w/apiary/path", json=path, headers=headers),
        "passage": client.get(f"/w/apiary/passages/{first['passage']}", headers=headers),
        "passage page": client.get(
            f"/w/apiary/passages/{first['passage']}", headers={**headers, **PAGE}
        ),
        "page": client.get("/w/apiary/search?q=swarm", headers={**headers, **PAGE}),
        "compare": client.post("/w/apiary/compare", json=compared, headers=headers),
        "tool": client.post(ADDRESS, json=called, headers={**headers, **accepts}),
        "status": client.get("/w/apiary/status", headers=headers),
        "status page": client.get("/w/apiary/status", headers={**headers, **PAGE}),
        "health": client.get("/health", headers=headers),
    }
    assert {name: one.status_code for name, one in got.items()} == dict.fromkeys(got, 200)
    return {"search": json.dumps(first), **{name: one.text for name, one in got.items()}}


def test_readers_see_names_and_writers_whole_paths(readers, bees):
    reading, writing = readers
    for client, headers in reading:
        told = replies(client, headers)
        assert [name for name, text in told.items() if str(bees.parent) in text] == []
        assert json.loads(told["search"])["document"] in ("keeping.md", "meadow.graph.jsonl")
        status = json.loads(told["status"])
        assert status["workspace"] == "apiary"
        assert {one["path"] for one in status["documents"]} >= {"keeping.md", "harvest.csv"}
    told = replies(*writing)
    for name in ("search", "ask", "why", "passage", "tool", "status", "path"):
        assert str(bees) in told[name], name


def test_files_are_not_found_by_folders_that_are_not_shown(readers, bees):
    (reading, *_), (client, key) = readers
    asked = {"find": bees.parent.name}
    assert reading[0].get("/w/apiary/status", params=asked).json()["found"] == 0
    assert client.get("/w/apiary/status", params=asked, headers=key).json()["found"] == 3


def test_errors_and_jobs_name_no_folder(made, tmp_path, serving):
    with open_workspace(made) as space:
        client = serving(space, keys=KEYS)
        job = client.put("/w/apiary/files/a.md", content=b"# A\n\nAnts.\n", headers=bearer(WRITE))
        assert job.status_code == 202
        (space.folder / ".consilience" / "reports").write_text("no folder")
        told = [
            client.get(address, headers=bearer(READ)).text
            for address in ("/w/apiary/jobs", "/w/apiary/reports", "/w/apiary/settings")
        ]
    assert [text for text in told if str(tmp_path) in text] == []


def test_an_empty_workspace_does_not_say_where_it_is(tmp_path, serving):
    with open_workspace(init_workspace(tmp_path / "new")) as space:
        reply = serving(space).post("/w/new/search", json=ASKED)
    assert reply.status_code == 400
    assert reply.json()["error"]["message"].startswith("this workspace holds no evidence yet")


def test_only_folders_of_workspaces_and_whole_paths_are_taken_out():
    hiding = PathRedactor([Path("/srv/bees"), Path("/srv/bees/old"), Path("/data"), Path("/")])
    shown = hiding.redact(
        {
            "error": "/srv/bees/.consilience/jobs.db cannot be used; see /srv/bees, /srv/beeswax",
            "text": "Bees fly to /srv/bees/old. (/data)",
            "image": "/data/figures?kind=board",
            "path": "/home/me/a.md",
            "document": "sample/b.md",
            "what": ["C:/files/c.md", "d.md"],
            "failed": [["/home/me/e.pdf", "broken"]],
            "roots": {"/home/me/f": "", ".": ""},
            "title": "/home/me/stays.md is a title",
            "number": 3,
        }
    )
    assert shown == {
        "error": ".consilience/jobs.db cannot be used; see bees, /srv/beeswax",
        "text": "Bees fly to old. (data)",
        "image": "/data/figures?kind=board",
        "path": "a.md",
        "document": "sample/b.md",
        "what": ["c.md", "d.md"],
        "failed": [["e.pdf", "broken"]],
        "roots": {"f": "", ".": ""},
        "title": "/home/me/stays.md is a title",
        "number": 3,
    }
