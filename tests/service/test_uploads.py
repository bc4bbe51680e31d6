"""Files come in whole or not at all, under plain names, and go again."""

from __future__ import annotations

import asyncio
import json
import threading
import tracemalloc
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from consilience.evidence import ingest
from consilience.service import uploads
from consilience.service.app import create_app
from consilience.service.jobs import UploadFolder
from consilience.service.service import Options, Service
from consilience.workspace import STORE, open_workspace

PAGE = {"accept": "text/html"}


@pytest.fixture
def own(made):
    with open_workspace(made) as found:
        yield found


@pytest.fixture
def service(own):
    return Service([own], Options(upload_bytes=100_000))


@pytest.fixture
def client(service):
    with TestClient(create_app(service)) as found:
        yield found


def ended(client, reply):
    """The job that a reply names, once it is over."""
    assert reply.status_code == 202, reply.text
    assert reply.headers["location"] == f"/w/apiary/jobs/{reply.json()['job']['id']}"
    for _ in range(2000):
        job = client.get(reply.headers["location"]).json()
        if job["status"] in ("done", "failed", "stopped"):
            return job
        threading.Event().wait(0.01)
    raise AssertionError(f"it does not end: {job}")


def put(client, name, text, **more):
    return client.put(f"/w/apiary/files/{quote(name, safe='')}", content=text, **more)


def found(client, words):
    """The texts of the results."""
    reply = client.post("/w/apiary/search", json={"query": words})
    return " | ".join(one["preview"] for one in reply.json()["results"])


def lying(own):
    """Every file in the folder of uploads, hidden ones too."""
    folder = own.folder / "uploads"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def refusal(reply, status):
    assert reply.status_code == status, reply.text
    assert list(reply.json()) == ["error"]
    return reply.json()["error"]["message"]


# --- coming in --------------------------------------------------------------------------


def test_a_file_comes_in_and_is_found(client, own, template):
    text = "# The moor\n\nHeather flowers in August.\n"
    reply = put(client, "moor.md", text, params={"collection": "coast"})
    assert reply.json()["job"]["what"] == ["uploads/moor.md"]
    job = ended(client, reply)
    assert (job["status"], job["report"]["read"]) == ("done", 1)
    assert "Heather flowers" in found(client, "heather")
    assert "coast" in client.get("/w/apiary").json()["collections"]
    assert lying(own) == ["moor.md"]
    store = own.folder / STORE
    for private in (
        own.folder / "uploads/moor.md",
        store / "jobs.db",
        template / STORE / "catalogue.db",
    ):
        assert private.stat().st_mode & 0o777 == 0o600, private
    wrong = put(client, "sea.md", "Thrift.", params={"collection": "No Name"})
    assert "cannot name a collection" in refusal(wrong, 400)


def test_a_name_keeps_its_letters_in_one_spelling(client, own):
    for name in ("Bühne (2).md", "Bu\u0308hne (2).md"):
        ended(client, put(client, name, "Thrift grows by the sea."))
    assert lying(own) == ["Bühne (2).md"]


def test_the_same_name_again_replaces_the_file(client, own):
    ended(client, put(client, "moor.md", "Heather flowers in August."))
    ended(client, put(client, "moor.md", "Juniper berries turn black."))
    assert "Juniper" in found(client, "juniper heather")
    assert "Heather" not in found(client, "juniper heather")
    assert lying(own) == ["moor.md"]


def test_files_take_their_places_in_the_order_in_which_they_came(client, own, monkeypatch):
    gate, real = threading.Event(), ingest.scan_files
    monkeypatch.setattr(ingest, "scan_files", lambda *a, **k: gate.wait(20) and real(*a, **k))
    replies = [
        put(client, "moor.md", "Heather flowers."),
        client.delete("/w/apiary/files/moor.md"),
        put(client, "moor.md", "Juniper berries."),
    ]
    gate.set()
    assert [ended(client, one)["status"] for one in replies] == ["done"] * 3
    assert "Juniper" in found(client, "juniper heather")
    assert lying(own) == ["moor.md"]


# --- what is refused --------------------------------------------------------------------


def test_a_name_that_could_lead_elsewhere_is_refused(served, space):
    for name in (
        "../up.md", "a/b.md", "a\\b.md", ".md", ".hidden.md", "x\0.md", "x\t.md", "x\x7f.md",
        "nul.md", "COM1.md", "a.md ", " a.md", "a.md.", "x\u202egpj.md", "x\u2029.md",
        "ü" * 100 + ".md",
    ):  # fmt: skip
        assert "cannot name a file" in refusal(put(served, name, "Text."), 400)
    assert 400 <= put(served, "x\n.md", "Text.").status_code < 500
    assert lying(space) == []


def test_an_ending_that_nothing_reads_is_refused_with_those_that_are(served, space):
    said = refusal(put(served, "picture.xyz", "Text."), 415)
    assert ".md" in said
    assert ".graph.jsonl" in said
    assert lying(space) == []


def test_a_file_that_is_wrapped_is_refused(served):
    for headers in (
        {"content-type": "multipart/form-data; boundary=x"},
        {"content-encoding": "gzip"},
    ):
        assert "as they are" in refusal(put(served, "a.md", "Text.", headers=headers), 415)


def test_an_empty_body_is_refused(served, space):
    assert "empty" in refusal(put(served, "a.md", b""), 400)
    assert lying(space) == []


def test_a_file_that_did_not_come_by_upload_is_not_replaced(client, own):
    (own.folder / "uploads").mkdir()
    (own.folder / "uploads" / "own.md").write_text("The owner's.")
    assert "did not come by upload" in refusal(put(client, "own.md", "Mine."), 409)
    assert (own.folder / "uploads" / "own.md").read_text() == "The owner's."


def test_who_may_only_read_cannot_change_anything(space, serving):
    client = serving(space, read_only=True)
    refusal(put(client, "a.md", "Text."), 403)
    refusal(client.delete("/w/apiary/files/keeping.md"), 403)
    refusal(client.post("/w/apiary/jobs/1/stop"), 403)
    assert client.get("/w/apiary/jobs").json() == {"jobs": []}
    assert lying(space) == []


def test_a_file_that_is_too_large_is_refused_and_the_old_one_stays(client, own):
    ended(client, put(client, "moor.md", "Heather flowers in August."))
    assert "100,000 bytes" in refusal(put(client, "moor.md", b"x" * 100_001), 413)
    pieces = (b"x" * 1000 for _ in range(200))  # its length is not told before
    assert "100,000 bytes" in refusal(put(client, "moor.md", pieces), 413)
    assert lying(own) == ["moor.md"]
    assert "Heather" in found(client, "heather")


def test_a_full_disk_is_told_and_nothing_is_left(client, own, monkeypatch):
    monkeypatch.setattr(UploadFolder, "create_part", lambda self: ("", open("/dev/full", "wb")))  # noqa: PTH123, SIM115
    assert "full" in refusal(put(client, "a.md", b"x" * 50_000), 507)
    assert client.get("/w/apiary/jobs").json() == {"jobs": []}


# --- whoever sends ----------------------------------------------------------------------


def asked(app, path, receive, **headers):
    """One request by hand: what the server says, or None when nobody is there to hear it."""
    replies = []

    async def send(message):
        replies.append(message)

    named = {"host": "testserver", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(key.encode(), value.encode()) for key, value in named.items()],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
        "state": {},
    }
    asyncio.run(app(scope, receive, send))
    body = b"".join(one.get("body", b"") for one in replies[1:])
    return replies[0]["status"], json.loads(body)


@pytest.fixture
def app(own):
    service = Service([own], Options(upload_bytes=40 * 2**20))
    yield create_app(service)
    service.close()


def test_a_file_that_breaks_off_leaves_nothing(app, own):
    messages = iter(
        [
            {"type": "http.request", "body": b"# Half", "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def receive():
        return next(messages)

    status, said = asked(app, "/w/apiary/files/half.md", receive)
    assert (status, said["error"]["kind"]) == (400, "BrokenOff")
    assert lying(own) == []


def test_a_sender_who_pauses_too_long_is_refused(app, own, monkeypatch):
    monkeypatch.setattr(uploads, "PAUSE_S", 0.02)
    messages = iter([{"type": "http.request", "body": b"# Half", "more_body": True}])

    async def receive():
        if (message := next(messages, None)) is None:
            await asyncio.sleep(60)
        return message

    status, said = asked(app, "/w/apiary/files/half.md", receive)
    assert (status, said["error"]["kind"]) == (408, "TooSlow")
    assert lying(own) == []


def test_a_sender_who_trickles_is_refused(app, own, monkeypatch):
    monkeypatch.setattr(uploads, "START_S", 0.0)
    monkeypatch.setattr(uploads, "SLOWEST", 10**9)

    async def receive():
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"x", "more_body": True}

    status, said = asked(app, "/w/apiary/files/half.md", receive)
    assert (status, said["error"]["kind"]) == (408, "TooSlow")
    assert lying(own) == []


def test_a_large_file_is_never_in_memory_as_a_whole(app, monkeypatch):
    written, real = [], uploads.Receiver._write
    size, piece = 30 * 2**20, b"x" * 2**16

    async def write(self, file, block):
        written.append(len(block))
        await real(self, file, block)

    monkeypatch.setattr(uploads.Receiver, "_write", write)
    left = size // len(piece)

    async def receive():
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": piece, "more_body": left > 0}

    tracemalloc.start()
    status, said = asked(app, "/w/apiary/files/large.pdf", receive)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (status, said["job"]["status"]) == (202, "waiting")
    assert sum(written) == size
    assert max(written) <= uploads.BLOCK + len(piece)
    assert most < size / 3


def test_only_so_many_files_come_in_at_a_time(app, monkeypatch):
    monkeypatch.setattr(uploads, "AT_ONCE", 0)

    async def receive():
        return {"type": "http.request", "body": b"Text.", "more_body": False}

    status, said = asked(app, "/w/apiary/files/a.md", receive)
    assert (status, said["error"]["kind"]) == (503, "Busy")


# --- going ------------------------------------------------------------------------------


def test_a_file_that_came_by_upload_is_deleted(client, own):
    ended(client, put(client, "moor.md", "Heather flowers in August."))
    for path in ("moor.md", "uploads/moor.md"):
        ended(client, client.delete(f"/w/apiary/files/{path}"))
        assert lying(own) == []
        assert "Heather" not in found(client, "heather")
        ended(client, put(client, "moor.md", "Heather flowers in August."))


def test_a_file_that_was_added_elsewhere_is_forgotten_and_stays(client, bees):
    ended(client, client.delete(f"/w/apiary/files/{bees / 'keeping.md'}"))
    assert "cluster" not in found(client, "cluster around the queen")
    assert (bees / "keeping.md").exists()


def test_what_is_no_file_of_the_workspace_cannot_go(served):
    for path in ("nowhere.md", "uploads", "../../etc/passwd", "x\0y", "consilience.toml"):
        reply = served.delete(f"/w/apiary/files/{quote(path, safe='')}")
        assert reply.status_code in (400, 404), reply.text
    assert served.get("/w/apiary/jobs").json() == {"jobs": []}


# --- jobs to look at --------------------------------------------------------------------


def test_jobs_are_listed_newest_first_as_json_and_as_pages(client):
    for name in ("a.md", "b<i>.md"):
        ended(client, put(client, name, "Text of it."))
    listed = client.get("/w/apiary/jobs").json()["jobs"]
    assert [one["what"] for one in listed] == [["uploads/b<i>.md"], ["uploads/a.md"]]
    for address in ("/w/apiary/jobs", f"/w/apiary/jobs/{listed[0]['id']}"):
        page = client.get(address, headers=PAGE)
        assert page.status_code == 200
        assert "b&lt;i&gt;.md" in page.text


def test_an_unknown_job_is_not_found(served):
    assert "no job '77'" in refusal(served.get("/w/apiary/jobs/77"), 404)
    refusal(served.post("/w/apiary/jobs/77/stop"), 404)
    refusal(served.get("/w/apiary/jobs/x"), 404)


def test_a_job_can_be_stopped(client, monkeypatch):
    gate, real = threading.Event(), ingest.scan_files
    monkeypatch.setattr(ingest, "scan_files", lambda *a, **k: gate.wait(20) and real(*a, **k))
    first, second = put(client, "a.md", "Text."), put(client, "b.md", "Text.")
    stopped = client.post(f"{second.headers['location']}/stop")
    gate.set()
    assert ended(client, stopped)["status"] == "stopped"
    assert ended(client, first)["status"] == "done"


REBUILT = {
    "search": {},
    "ask": {},
    "why": {},
    "plan": {},
    "why-not": {"query": "bees", "passage": "0123abcd"},
    "path": {"start": "honey bee", "end": "lime honey"},
    "compare": {"query": "bees", "a": "settings", "b": "refine.mmr=1"},
}


def test_questions_meet_a_rebuild_with_a_clear_refusal(client, service, monkeypatch):
    reached, gate, real = threading.Event(), threading.Event(), ingest.scan_files

    def look(*args, **more):
        reached.set()
        assert gate.wait(20)
        return real(*args, **more)

    monkeypatch.setattr(ingest, "scan_files", look)
    job = service.spaces["apiary"].jobs.rebuild()
    assert reached.wait(20)
    for address, more in REBUILT.items():
        reply = client.post(f"/w/apiary/{address}", json=more or {"query": "bees"})
        assert "being rebuilt" in refusal(reply, 503), address
        assert int(reply.headers["retry-after"]) > 0
    told = client.get("/w/apiary/ask/events?q=bees").text
    assert told.startswith("event: error")
    assert "being rebuilt" in told
    gate.set()
    *_, last = service.spaces["apiary"].jobs.follow(job.id)
    assert last.status == "done"
    assert found(client, "bees in winter")


DOCUMENTS = [
    {"id": "wax", "text": "Wax moths eat the comb of weak colonies.", "year": 1999},
    {"id": "mite", "title": "Mites", "text": "Varroa mites came late to the valley."},
]


def test_documents_come_in_as_a_list_or_as_lines_and_go_by_their_ids(client, own):
    job = ended(client, client.post("/w/apiary/documents", json=DOCUMENTS))
    assert (job["status"], job["kind"], job["report"]["read"]) == ("done", "documents", 2)
    assert "Wax moths" in found(client, "what eats the comb?")
    lines = "\n".join(json.dumps({**one, "text": "Changed."}) for one in DOCUMENTS)
    job = ended(client, client.post("/w/apiary/documents?collection=later", content=lines))
    assert (job["report"]["read"], job["report"]["gone"]) == (2, 2)
    assert own.catalogue.counts()["later"] == {"document": 2}
    ended(client, client.delete("/w/apiary/documents/wax"))
    assert own.catalogue.document("memory://wax") is None
    assert client.delete("/w/apiary/documents/wax").status_code == 404
    assert not list(own.folder.glob("uploads/.*")), "nothing that came in is left over"


def test_documents_that_are_none_fail_their_job_and_leave_nothing(client, own):
    before = own.catalogue.counts()
    for body, message in (("[{]", "not JSON"), ("[1]", "document 1"), ('{"a": 1}', "none of text")):
        job = ended(client, client.post("/w/apiary/documents", content=body))
        assert (job["status"], job["error_kind"]) == ("failed", "UsageError")
        assert message in job["error"]
    assert own.catalogue.counts() == before
    assert not list(own.folder.glob("uploads/.*"))


def test_documents_are_bounded_and_need_the_right_to_write(client, own):
    assert client.post("/w/apiary/documents", content="x" * 100_001).status_code == 413
    with TestClient(create_app(Service([own], Options(read_only=True)))) as reader:
        assert reader.post("/w/apiary/documents", json=DOCUMENTS).status_code == 403
        assert reader.delete("/w/apiary/documents/wax").status_code == 403
