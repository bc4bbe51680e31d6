"""While a workspace is served, everything else goes through the server, and finds the same."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from process_shared import PATIENT, serving
from typer.testing import CliRunner

from consilience.cli import app, main
from consilience.cli.evidence import progress_bars
from consilience.errors import ConsilienceError, NoSourceAnswered, StoreError, UsageError
from consilience.evidence.token_store import TokenStore
from consilience.lock import NOTE, read_owner
from consilience.measure.data_model import Golden, Judgement, Question
from consilience.measure.golden import write_golden
from consilience.serialization import encode_json, event_to_plain
from consilience.settings import FILE, build_settings, read_settings
from consilience.types import ID_LENGTH, Filter, Query, Withdrawn
from consilience.workspace import (
    STORE,
    RemoteWorkspace,
    Workspace,
    connect_workspace,
    init_workspace,
    open_workspace,
    remote,
)
from consilience.workspace.remote import Gone, RemoteClient

QUERIES = (
    Query(text="what does the keeper do in summer?"),
    Query(text="how much honey did Lime give in 2023?", limit=3),
    Query(text="how does a honey bee lead to lime honey?"),
    Query(text="bees", filters=(Filter("kind", "=", "document"),), expand=False),
)
FLAT = {
    "models.embed": "fast",
    "models.rerank": "none",
    "retrieve.soft_ms": 30000,
    "retrieve.hard_ms": 60000,
}
"""The settings of the workspace."""
SURE = "where do the bees sit in winter?"


def labelled():
    """A golden set of two questions."""
    asked = {
        "When does a colony swarm?": "A colony that lacks room swarms.",
        "What do bees eat in winter?": "eat the honey that was left to them",
    }
    questions = tuple(
        Question(
            id=f"q{number}",
            text=text,
            judgements=(Judgement(document="keeping.md", quote=quote, grade=3),),
        )
        for number, (text, quote) in enumerate(asked.items())
    )
    return Golden(name="bees", questions=questions)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, bees):
    made = init_workspace(tmp_path_factory.mktemp("remote") / "apiary")
    (made / FILE).write_text(PATIENT)
    write_golden(labelled(), made / "golden.yaml")
    return made


@pytest.fixture(scope="module")
def direct(folder, bees):
    """What the workspace says when this process owns it."""
    with open_workspace(folder) as space:
        space.add([bees])
        assert type(space) is Workspace
        said = {
            "found": [space.find(query) for query in QUERIES],
            "answer": space.ask(SURE),
            "plan": space.plan(QUERIES[1]),
            "paths": space.paths("honey bee", "lime honey"),
        }
    out = CliRunner().invoke(app, ["evaluate", "-w", str(folder), "--json", "--fresh"]).stdout
    return {**said, "measured": measured(json.loads(out))}


def measured(evaluation):
    """What an evaluation says of each way, but for the time it took."""
    return {name: way["measures"] for name, way in evaluation["ways"].items()}


@pytest.fixture(scope="module")
def late_result(late):
    """What the second workspace finds when this process owns it."""
    with open_workspace(late) as space:
        return space.find(QUERY)


@pytest.fixture(scope="module")
def server(folder, direct, late, late_result):
    with serving(folder, late) as process:
        yield process


@pytest.fixture
def space(folder, server):
    with open_workspace(folder) as found:
        assert isinstance(found, RemoteWorkspace)
        yield found


@pytest.fixture
def run(capsys, monkeypatch, folder, server):
    def call(command, *words):
        where = () if command == "serve" else ("-w", str(folder))
        monkeypatch.setattr(sys, "argv", ["consilience", command, *where, *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


def same(one, other):
    """Whether two results say the same, whatever the time it took."""
    assert one.hits == other.hits
    assert one.more == other.more
    assert one.notes == other.notes
    assert one.trace.rankings == other.trace.rankings
    assert one.trace.plan == other.trace.plan
    assert one.trace.fused == other.trace.fused
    return True


def severed(space):
    """Have a workspace call a server that is not there."""
    gone = replace(space._server.client, address="http://127.0.0.1:9/w/apiary")
    space._server = replace(space._server, client=gone)


# --- questions ------------------------------------------------------------------------------


def test_what_is_found_over_there_is_what_is_found_here(space, direct):
    for query, expected in zip(QUERIES, direct["found"], strict=True):
        assert same(space.find(query), expected)
    assert not {"embedder", "reranker"} & set(vars(space))  # no model was opened here
    severed(space)
    with pytest.raises(remote.Gone, match=r"`consilience serve` \(process \d+\).*run the same"):
        space.find(QUERIES[0])


def test_an_answer_is_written_over_there(space, direct):
    expected = direct["answer"]
    answer = space.ask(SURE)
    assert (answer.text, answer.citations) == (expected.text, expected.citations)

    async def listened():
        return [event async for event in space.events(SURE)]

    names = [type(event).__name__ for event in asyncio.run(listened())]
    assert names[0] == "Searched"
    assert names[-1] == "Done"
    assert "Said" in names
    assert "embedder" not in vars(space)
    severed(space)
    with pytest.raises(remote.Gone):
        space.stream(SURE)


def test_whoever_stops_listening_hears_no_more_and_the_server_goes_on(space):
    events = space.stream(SURE)
    next(events)
    events.close()
    assert space.ask(SURE).text


def test_plans_and_paths_come_from_over_there(space, direct):
    assert space.plan(QUERIES[1]) == direct["plan"]
    assert space.paths("honey bee", "lime honey") == direct["paths"]
    assert "embedder" not in vars(space)


def test_errors_over_there_are_raised_here_as_they_are(space):
    with pytest.raises(UsageError, match="unknown length 'epic'"):
        space.ask(SURE, length="epic")
    with pytest.raises(UsageError, match=r"unknown collection|no collection"):
        space.search("bees", collections=["nowhere"])


# --- where this process has settings of its own ---------------------------------------------


def test_with_other_settings_only_the_sources_are_asked_over_there(folder, server, direct):
    other = replace(
        read_settings(folder), serve=replace(read_settings(folder).serve, journal="off")
    )
    with connect_workspace(folder, settings=other) as space:
        space.find(QUERIES[0])
        assert "embedder" not in vars(space)  # this setting changes no answer
    deeper = build_settings({**FLAT, "retrieve.depth": 40})
    with connect_workspace(folder, settings=deeper) as space:
        for query, expected in zip(QUERIES, direct["found"], strict=True):
            found = space.find(query)
            assert found.hits == expected.hits
            assert [one.source for one in found.trace.rankings] == [
                one.source for one in expected.trace.rankings
            ]
        assert "embedder" in vars(space)
        assert space.ask(SURE).text == direct["answer"].text
    with connect_workspace(folder, settings=deeper) as space:
        _ = space.engine
        severed(space)
        space._drop_engine()
        with pytest.raises(remote.Gone):
            space.find(QUERIES[0])


def test_a_source_over_there_scores_and_compares(folder, space, direct):
    ids = [hit.passage.id for hit in direct["found"][0].hits]
    ranked = {one.source: one for one in direct["found"][0].trace.rankings}
    request = direct["found"][0].trace.plan.asks[0].request
    dense = space.engine.sources["documents/dense"]
    scores = asyncio.run(dense.score(request, ids))
    expected = {one.id: one.score for one in ranked["documents/dense"].found}
    assert {key: scores[key] for key in expected if key in scores} == {
        key: score for key, score in expected.items() if key in scores
    }
    likeness = asyncio.run(dense.compare(list(expected)))
    assert likeness.matrix.shape == (len(expected), len(expected))
    assert likeness.matrix.diagonal() == pytest.approx(1, abs=1e-3)
    with pytest.raises(ConsilienceError, match="engines belong to `consilience serve`"):
        _ = space.stores


def test_a_server_that_dies_under_an_engine_is_named(folder, server):
    deeper = build_settings({**FLAT, "retrieve.depth": 40})
    with connect_workspace(folder, settings=deeper) as space:
        engine = space.engine
        for source in engine.sources.values():
            source._client = replace(source._client, address="http://127.0.0.1:9/w/apiary")
        with pytest.raises(NoSourceAnswered, match="consilience serve"):
            space.find(QUERIES[0])


# --- commands -------------------------------------------------------------------------------


def test_commands_that_ask_go_through_the_server(run, direct, server):
    code, out, _ = run("search", QUERIES[0].text, "--json")
    hits = direct["found"][0].hits
    found = json.loads(out)["results"]
    assert code == 0
    assert [(one["passage"], one["score"]) for one in found] == [
        (hit.passage.id, pytest.approx(hit.score)) for hit in hits
    ]
    code, out, _ = run("ask", SURE)
    assert (code, out.splitlines()[0]) == (0, direct["answer"].text.splitlines()[0])
    code, out, _ = run("why", QUERIES[0].text, "1")
    assert code == 0
    assert "documents/bm25" in out
    code, out, _ = run("why-not", QUERIES[0].text, hits[0].passage.id, "--json")
    assert (code, json.loads(out)["place"]) == (0, 1)
    code, out, _ = run("show", hits[0].passage.id)
    assert (code, hits[0].passage.text in out) == (0, True)
    code, out, _ = run("diagnose", QUERIES[0].text)
    assert (code, "intent" in out) == (0, True)


def test_commands_that_look_work_beside_the_server(run, server, folder):
    code, out, err = run("serve", str(folder), "--port", "0")
    assert (code, out) == (1, "")
    assert f"is served already, by `consilience serve` (process {server.pid})" in err
    code, out, _ = run("status", "--json")
    assert (code, json.loads(out)["pending"]) == (0, 0)
    code, out, _ = run("doctor")
    assert code == 0
    assert f"served: by `consilience serve` (process {server.pid})" in out
    assert "documents/dense: ok" in out


def test_measuring_goes_through_the_server_and_gives_the_same(run, folder, direct):
    _, out, err = run("evaluate", "--json", "--fresh")
    assert out, err
    assert measured(json.loads(out)) == direct["measured"]
    assert direct["measured"]["merged"]["nDCG@10"]["strict"]["mean"] > 0.5


# --- evidence -------------------------------------------------------------------------------


def test_what_is_added_over_there_is_found_and_what_is_removed_is_not(
    run, server, tmp_path, monkeypatch
):
    (tmp_path / "wasps.md").write_text("# Wasps\n\nWasps chew wood and build nests of paper.\n")
    monkeypatch.chdir(tmp_path)  # the server stands elsewhere: paths are as they are here
    code, out, err = run("add", "wasps.md", "-c", "insects", "--json")
    report = json.loads(out)
    assert (code, report["read"], report["new"], report["indexed"]) == (0, 1, 1, 1), err
    code, out, _ = run("search", "nests of paper", "--json")
    first = json.loads(out)["results"][0]
    assert (first["title"], first["collection"]) == ("Wasps", "insects")
    code, out, _ = run("remove", "wasps.md")
    assert (code, out) == (0, "forgot 1 file, 1 passage\n")
    code, out, _ = run("search", "nests of paper", "--json")
    assert "Wasps" not in [one["title"] for one in json.loads(out)["results"]]


def test_a_job_that_fails_over_there_says_why(run, space, server, tmp_path):
    assert "no such file or folder" in run("add", str(tmp_path / "nowhere.md"))[2]
    assert "nothing was added from" in run("remove", str(tmp_path / "nowhere.md"))[2]
    (tmp_path / "odd.xyz").write_text("?")
    with pytest.raises(ConsilienceError, match=r"'odd\.xyz': no loader for \.xyz files"):
        space.add([tmp_path / "odd.xyz"])


class Seen:
    """A progress that remembers."""

    def __init__(self):
        self.stages = {}

    def stage(self, name, *, total, unit):
        self.last = name
        self.stages[name] = [0, total, unit]

    def advance(self, number=1):
        self.stages[self.last][0] += number


def test_everything_is_built_again_over_there_with_its_progress_shown_here(space, direct):
    seen = Seen()
    report = space.rebuild(progress=seen)
    assert report.indexed > 0
    assert seen.stages["Indexing"][0] == seen.stages["Indexing"][1] == report.indexed
    assert space.find(QUERIES[0]).hits == direct["found"][0].hits


def test_more_paths_than_one_request_takes_are_added_all_the_same(space, tmp_path):
    home = tmp_path.joinpath(*["long-" * 40] * 3)
    home.mkdir(parents=True)
    files = [home / f"{number:04}.md" for number in range(90)]
    for number, file in enumerate(files):
        file.write_text(f"# Ant {number}\n\nAnt {number} carries leaf {number * 7}.\n")
    report = space.add(files, collection="ants")
    assert (report.read, report.new) == (90, 90)
    assert space.remove([home]).removed == 90


def test_documents_of_a_program_go_through_the_server(space):
    values = ({"id": n, "text": f"Beetle {n} rolls a ball."} for n in range(300))
    seen = Seen()
    report = space.add_documents(values, collection="beetles", progress=seen)
    assert (report.read, report.new) == (300, 300)
    assert space.search("which beetle rolls a ball?", collections=["beetles"]).hits
    assert space.remove_documents(range(300)).removed == 300
    with pytest.raises(UsageError, match="document 1: it has none of text"):
        space.add_documents([{}])
    with pytest.raises(UsageError, match="document 2"):  # one that comes after others
        space.add_documents(iter([{"text": "A."}, {}]))


def test_two_processes_write_the_catalogue_at_once(space, tmp_path):
    """What measuring keeps (facts, passages made for a question) while files come in."""
    for number in range(20):
        (tmp_path / f"{number}.md").write_text(f"# Moth {number}\n\nMoth {number} flies.\n")
    reports = []
    adding = threading.Thread(target=lambda: reports.append(space.add([tmp_path])))
    adding.start()
    made = 0
    while adding.is_alive() or made < 50:
        space.catalogue.set_fact("counted", str(made))
        made += 1
    adding.join()
    assert reports[0].read == 20
    assert space.catalogue.fact("counted") == str(made - 1)
    assert space.remove([tmp_path]).removed == 20


def test_evidence_is_not_taken_in_under_other_settings(folder, server, tmp_path):
    (tmp_path / "wasps.md").write_text("# Wasps\n\nWasps.\n")
    for name, value in (("passages.target", 90), ("models.embed", "fine")):
        with (
            connect_workspace(folder, settings=build_settings({**FLAT, name: value})) as space,
            pytest.raises(UsageError, match=f"with other settings.*{name}.*start it again"),
        ):
            space.add([tmp_path / "wasps.md"])


# --- who is let in --------------------------------------------------------------------------


def ask(address, secret, version=None, what="hello"):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    headers[remote.VERSION] = version or remote.installed_version()
    connection.request("POST", f"{parts.path}/remote/{what}", body=b"{}", headers=headers)
    reply = connection.getresponse()
    found = reply.status, json.loads(reply.read())
    connection.close()
    return found


def test_only_who_knows_the_secret_is_let_in(folder, server):
    note = read_owner(folder / STORE)
    address, secret = note["address"], note["secret"]
    assert ask(address, secret)[0] == 200
    for what in ("hello", "find", "events", "plan", "paths", "sources", "source", "add", "rebuild"):
        status, said = ask(address, "wrong", what=what)
        assert (status, said["error"]["kind"]) == (403, "Refused")
    assert secret not in json.dumps(ask(address, secret))
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request("GET", "/openapi.json")
    assert b"/remote/" not in connection.getresponse().read()
    connection.close()


def test_a_server_of_another_version_is_to_be_started_again(folder, server, monkeypatch):
    note = read_owner(folder / STORE)
    status, said = ask(note["address"], note["secret"], version="0.0.1")
    assert (status, said["error"]["kind"]) == (503, "OtherVersion")
    monkeypatch.setattr(remote, "installed_version", lambda: "0.0.1")
    with pytest.raises(remote.OtherVersion, match=r"this command is 0\.0\.1; stop the server"):
        open_workspace(folder)


def test_what_is_no_question_is_refused_as_such(folder, server):
    note = read_owner(folder / STORE)
    for what in ("find", "events", "paths", "source"):
        status, said = ask(note["address"], note["secret"], what=what)
        assert (status, said["error"]["kind"]) == (400, "UsageError")


def test_a_note_whose_address_is_somebody_else_s_is_no_way_through(folder, server):
    """The lock is held, but what answers at the address does not know the secret."""
    note = folder / STORE / NOTE
    told = note.read_text()
    note.write_text(json.dumps({**json.loads(told), "secret": "of another"}))
    try:
        with pytest.raises(remote.WorkspaceBusy, match=f"held by .*process {server.pid}"):
            connect_workspace(folder, settings=build_settings({**FLAT, "store.wait_s": 0.5}))
    finally:
        note.write_text(told)


def test_stopping_a_command_says_that_the_server_goes_on(space, capsys):
    with pytest.raises(KeyboardInterrupt), progress_bars(space):
        raise KeyboardInterrupt
    assert "`consilience serve` (process" in (said := capsys.readouterr().err)
    assert "goes on with it" in said


def test_kept_token_vectors_are_read_beside_their_owner_and_never_written(tmp_path):
    path, key = tmp_path / "tokens.db", "0" * ID_LENGTH
    kept = TokenStore(path, "late:1")
    kept.write({key: b"vectors"})
    beside = TokenStore(path, "late:1", read_only=True)
    assert beside.get([key]) == {key: b"vectors"}
    with pytest.raises(StoreError, match="readonly"):
        beside.write({key: b"others"})
    beside.close()
    with pytest.raises(StoreError, match="was not made by 'late:2'"):
        TokenStore(path, "late:2", read_only=True)
    assert kept.get([key]) == {key: b"vectors"}
    kept.close()


QUERY = Query(text="What does the keeper do before the lime trees bloom?")


@pytest.fixture(scope="module")
def late(tmp_path_factory, bees):
    """A workspace whose results are ordered by `late`, with token vectors that are kept."""
    folder = init_workspace(tmp_path_factory.mktemp("through") / "late")
    (folder / FILE).write_text(
        PATIENT.replace('rerank = "none"', 'rerank = "late"\ntokens = "keep"')
    )
    with open_workspace(folder) as space:
        space.add([bees / "keeping.md"])
    return folder


def questions(server):
    """How many questions the server has searched for in the first workspace."""
    lines = httpx.get(f"{server.address}/metrics").text.splitlines()
    name = 'consilience_questions_total{workspace="apiary"} '
    return sum(float(one.removeprefix(name)) for one in lines if one.startswith(name))


def test_a_tool_over_pipes_goes_through_the_server(server, folder):
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "consilience", "mcp", "-w", str(folder)]
    )

    async def called():
        async with Client(stdio_client(process), mode="legacy") as client:
            return await client.call_tool("search", {"query": QUERY.text})

    before = questions(server)
    result = asyncio.run(called())
    assert not result.is_error, result.content
    assert result.structured_content["results"]
    assert questions(server) == before + 1


def test_kept_token_vectors_give_the_same_order_on_both_sides(
    server, late, late_result, monkeypatch
):
    read, get = [], TokenStore.get
    monkeypatch.setattr(
        TokenStore, "get", lambda self, ids: read.extend(found := get(self, ids)) or found
    )
    order = [(hit.passage.id, hit.relevance) for hit in late_result.hits]
    with open_workspace(late) as space:
        assert isinstance(space, RemoteWorkspace)
        assert [(hit.passage.id, hit.relevance) for hit in space.find(QUERY).hits] == order
    assert not read
    own = read_settings(late)
    deeper = replace(own, retrieve=replace(own.retrieve, depth=40))
    with connect_workspace(late, settings=deeper) as space:  # only the sources are asked over there
        found = space.find(QUERY)
        assert [hit.passage.id for hit in found.hits] == [key for key, _ in order]
        assert [hit.relevance for hit in found.hits] == pytest.approx([one for _, one in order])
    assert {key for key, _ in order} <= set(read)
    assert any(change.step == "rerank" for hit in found.hits for change in hit.changes)


def test_suggesting_questions_works_beside_the_server(server, folder, tmp_path):
    golden = tmp_path / "golden.yaml"
    where = ["-w", str(folder)]
    words = ["golden", "suggest", *where, "--out", str(golden), "--count", "3", "--json"]
    suggested = CliRunner().invoke(app, words)
    assert suggested.exit_code == 0, suggested.output
    assert json.loads(suggested.stdout)


def test_ctrl_c_ends_the_command_and_not_the_work(server, folder, tmp_path):
    for number in range(2000):  # enough to be still running when the signal comes
        parts = [f"## Part {part}\n\nAnt {number} carries leaf {part}.\n" for part in range(5)]
        (tmp_path / f"{number}.md").write_text(f"# Ant {number}\n\n" + "\n".join(parts))
    command = subprocess.Popen(
        [sys.executable, "-m", "consilience", "add", "-w", str(folder), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    jobs = f"{server.workspaces['apiary']}/jobs"

    def last():
        found = [job for job in httpx.get(jobs).json()["jobs"] if str(tmp_path) in job["what"]]
        return found[0] if found else {"status": ""}

    while last()["status"] not in ("running", "done"):
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    out, said = command.communicate(timeout=60)
    assert (command.returncode, out) == (130, "")
    assert f"process {server.pid}) goes on with it" in said
    assert "Traceback" not in said
    while last()["status"] in ("waiting", "running"):
        time.sleep(0.02)
    assert (last()["status"], last()["report"]["read"]) == ("done", 2000)
    with open_workspace(folder) as space:
        assert isinstance(space, RemoteWorkspace)
        assert "Ant 299" in {hit.passage.title for hit in space.search("ant 299 leaf").hits}


class Cutting(BaseHTTPRequestHandler):
    """Says the first line of an answer and hangs up."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        line = encode_json(event_to_plain(Withdrawn(reason="the model failed"))) + b"\n"
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(line)

    def log_message(self, *_):
        pass


@pytest.fixture
def owner():
    server = HTTPServer(("127.0.0.1", 0), Cutting)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/w/apiary"
    yield RemoteClient(address=address, secret="s", name="`consilience serve` (process 1)")
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_ends_before_the_answer_is_whole_is_told(owner):
    events = remote.read_events(owner.stream("events", {}))
    assert isinstance(next(events), Withdrawn)
    with pytest.raises(Gone, match="before the answer was whole"):
        next(events)


def test_also_to_callers_that_are_asynchronous(owner, space):
    class Through(remote.RemoteWorkspace):
        def __init__(self):
            self._is_same = True

        def _send_question(self, *_args, **_more):
            return owner.stream("events", {})

    async def read():
        return [event async for event in Through().events("bees")]

    with pytest.raises(Gone, match="before the answer was whole"):
        asyncio.run(read())
