"""More of what runs beside a server: tools over pipes, tuning, a reranker here, Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from process_shared import PATIENT, serving
from typer.testing import CliRunner

from consilience.cli import app
from consilience.errors import StoreError, UsageError
from consilience.evidence.token_store import TokenStore
from consilience.settings import FILE, read_settings
from consilience.types import Query
from consilience.workspace import RemoteWorkspace, connect_workspace, init_workspace, open_workspace
from copied_shared import copied

QUERY = Query(text="What does the keeper do before the lime trees bloom?")


@pytest.fixture(scope="module")
def apiary(tmp_path_factory, template):
    folder = copied(template, tmp_path_factory.mktemp("through") / "apiary")
    (folder / FILE).write_text(PATIENT)
    return folder


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


@pytest.fixture(scope="module")
def direct(late):
    """What the second workspace finds when this process owns it."""
    with open_workspace(late) as space:
        return space.find(QUERY)


@pytest.fixture(scope="module")
def server(apiary, late, direct):
    with serving(apiary, late) as process:
        yield process


def questions(server):
    """How many questions the server has searched for in the first workspace."""
    lines = httpx.get(f"{server.address}/metrics").text.splitlines()
    name = 'consilience_questions_total{workspace="apiary"} '
    return sum(float(one.removeprefix(name)) for one in lines if one.startswith(name))


def test_a_tool_over_pipes_goes_through_the_server(server, apiary):
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "consilience", "mcp", "-w", str(apiary)]
    )

    async def called():
        async with Client(stdio_client(process), mode="legacy") as client:
            return await client.call_tool("search", {"query": QUERY.text})

    before = questions(server)
    result = asyncio.run(called())
    assert not result.is_error, result.content
    assert result.structured_content["results"]
    assert questions(server) == before + 1


def test_kept_token_vectors_give_the_same_order_here_and_there(server, late, direct, monkeypatch):
    read, get = [], TokenStore.get
    monkeypatch.setattr(
        TokenStore, "get", lambda self, ids: read.extend(found := get(self, ids)) or found
    )
    order = [(hit.passage.id, hit.relevance) for hit in direct.hits]
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


def test_two_processes_keep_passages_that_were_made(server, apiary):
    with open_workspace(apiary) as space:
        (chain, *_) = space.paths("honey bee", "lime honey")
        asking = threading.Thread(
            target=lambda: [space.paths("honey bee", "lime honey") for _ in range(30)]
        )
        asking.start()
        ours = [replace(chain.passage, id=f"{number:032x}") for number in range(60)]
        for one in ours:
            space.catalogue.keep_made([one])
        asking.join()
        for one in (*ours, chain.passage):
            assert space.catalogue.resolve(one.id) == one


def test_suggesting_questions_works_beside_the_server(server, apiary, tmp_path):
    golden = tmp_path / "golden.yaml"
    where = ["-w", str(apiary)]
    words = ["golden", "suggest", *where, "--out", str(golden), "--count", "3", "--json"]
    suggested = CliRunner().invoke(app, words)
    assert suggested.exit_code == 0, suggested.output
    assert json.loads(suggested.stdout)


def test_an_error_of_a_job_is_of_the_same_kind_here_and_there(server, apiary, tmp_path, made):
    with open_workspace(made) as space, pytest.raises(UsageError) as here:
        space.remove([tmp_path / "nowhere.md"])
    with open_workspace(apiary) as space:
        assert isinstance(space, RemoteWorkspace)
        with pytest.raises(UsageError) as there:
            space.remove([tmp_path / "nowhere.md"])
    assert type(there.value) is type(here.value)
    assert str(there.value) == str(here.value)
    with open_workspace(apiary) as space, pytest.raises(StoreError):
        _ = space.stores


def test_ctrl_c_ends_the_command_and_not_the_work(server, apiary, tmp_path):
    for number in range(300):
        parts = [f"## Part {part}\n\nAnt {number} carries leaf {part}.\n" for part in range(5)]
        (tmp_path / f"{number}.md").write_text(f"# Ant {number}\n\n" + "\n".join(parts))
    command = subprocess.Popen(
        [sys.executable, "-m", "consilience", "add", "-w", str(apiary), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    jobs = f"{server.workspaces['apiary']}/jobs"

    def last():
        found = httpx.get(jobs).json()["jobs"][0]
        return found if str(tmp_path) in found["what"] else {"status": ""}

    while last()["status"] not in ("running", "done"):
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    out, said = command.communicate(timeout=60)
    assert (command.returncode, out) == (130, "")
    assert f"process {server.pid}) goes on with it" in said
    assert "Traceback" not in said
    while last()["status"] in ("waiting", "running"):
        time.sleep(0.02)
    assert (last()["status"], last()["report"]["read"]) == ("done", 300)
    with open_workspace(apiary) as space:
        assert isinstance(space, RemoteWorkspace)
        assert "Ant 299" in {hit.passage.title for hit in space.search("ant 299 leaf").hits}
