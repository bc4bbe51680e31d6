"""Killed at any moment, the next run completes with nothing lost and nothing doubled."""

import json
import multiprocessing
import os
import random
import subprocess
import sys
import time

import pytest

from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

# Processes that are killed are forked from one that has imported everything.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["consilience.workspace", "consilience.stores.qdrant_edge"])

TOPICS = ("lamp", "lens", "reef", "keeper", "fog bell", "oil", "tower", "storm")


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for number, topic in enumerate(TOPICS):
        parts = [
            f"## Part {n}\n\nThe {topic} of year {1800 + n} and its {n} men.\n" for n in range(9)
        ]
        (folder / f"{number}.md").write_text(f"# On the {topic}\n\n" + "\n".join(parts))
    rows = "\n".join(f"{topic},{n}" for n, topic in enumerate(TOPICS))
    (folder / "table.csv").write_text(f"topic,number\n{rows}\n")
    edges = [f'{{"node":"{n}","name":"{topic}"}}' for n, topic in enumerate(TOPICS)]
    edges += [f'{{"edge":["{n}","NEAR","{n + 1}"]}}' for n in range(len(TOPICS) - 1)]
    (folder / "map.graph.jsonl").write_text("\n".join(edges))
    return folder


def change(folder, action, *paths):
    """Add, remove or rebuild in a workspace."""
    with open_workspace(folder, embedder=WordVectors()) as space:
        getattr(space, action)(*([list(paths)] if paths else []))


def kill(folder, action, *paths, after_s):
    """Do it in another process that is killed after a while."""
    job = PROCESSES.Process(target=change, args=(folder, action, *paths))
    job.start()
    time.sleep(after_s)
    job.kill()
    job.join()


def contents(folder):
    """Every id in the catalogue and in each engine."""
    with open_workspace(folder, embedder=WordVectors()) as space:
        catalogued = {
            name: sorted(one.id for one in space.catalogue.each(name))
            for name in space.catalogue.counts()
        }
        shards = {name: sorted(space.stores.passages(name).ids()) for name in catalogued}
        rows = sorted(space.stores.store("tables", "tables").ids())
        graph = sorted(space.stores.store("graph", "graph").ids())
        assert space.catalogue.pending_count() == 0
    return catalogued, shards, rows, graph


def test_sigkill_at_random_moments_loses_and_doubles_nothing(corpus, tmp_path):
    whole, broken, timed = tmp_path / "whole", tmp_path / "broken", tmp_path / "timed"
    for folder in (whole, broken, timed):
        init_workspace(folder)
    for target, words in ((int, ()), (change, (timed, "add", corpus))):  # the first starts up
        started = time.monotonic()
        job = PROCESSES.Process(target=target, args=words)
        job.start()
        job.join()
        assert job.exitcode == 0
    length = time.monotonic() - started
    change(whole, "add", corpus)
    chance = random.Random(7)
    for _ in range(6):
        kill(broken, "add", corpus, after_s=chance.uniform(0.2, 1.0) * length)
    change(broken, "add", corpus)
    expected, found = contents(whole), contents(broken)
    assert found == expected
    catalogued, shards, rows, graph = found
    assert shards == catalogued
    assert rows == catalogued["tables"]
    assert graph == catalogued["graph"]


def test_sigkill_while_changing_and_rebuilding_loses_and_doubles_nothing(corpus, tmp_path):
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    init_workspace(broken)
    started = time.monotonic()
    change(broken, "add", corpus)
    length = time.monotonic() - started
    (corpus / "0.md").unlink()
    (corpus / "1.md").rename(corpus / "moved.md")
    text = (corpus / "2.md").read_text()
    (corpus / "2.md").write_text(text.replace("1803", "1903"))
    (corpus / "table.csv").write_text("topic,number\nlamp,1\nlens,99\n")
    chance = random.Random(11)
    for work in (("add",), ("rebuild",), ("rebuild",), ("remove", corpus / "3.md"), ("rebuild",)):
        kill(broken, *work, after_s=chance.uniform(0.2, 1.2) * length)
    change(broken, "add", corpus / "3.md")
    change(broken, "add", corpus)
    init_workspace(whole)
    change(whole, "add", corpus)
    assert contents(broken) == contents(whole)


def test_processes_on_one_workspace_wait_or_say_who_holds_it(corpus, tmp_path, monkeypatch):
    folder = tmp_path / "space"
    init_workspace(folder)
    monkeypatch.setenv("CONSILIENCE_RETRIEVE_HARD_MS", "20000")
    monkeypatch.setenv("CONSILIENCE_MODELS_EMBED", "fast")

    def start(*words, wait_s):
        code = "from consilience.cli import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", code, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "CONSILIENCE_STORE_WAIT_S": str(wait_s)},
        )

    with open_workspace(folder) as space:
        space.add([corpus])
        blocked = start("search", "-w", folder, "the lens", wait_s=0.1)
        status = start("status", "-w", folder, wait_s=0.1)
        out, err = blocked.communicate(timeout=120)
        assert out == ""
        assert f"process {os.getpid()}" in err
        assert "try again" in err
        assert "tables: 8 row" in status.communicate(timeout=120)[0]
    searching = start("search", "-w", folder, "the lens", "--json", wait_s=60)
    adding = start("add", "-w", folder, corpus, wait_s=60)
    out, err = searching.communicate(timeout=120)
    assert searching.returncode == 0, err
    assert json.loads(out)["results"]
    out, err = adding.communicate(timeout=120)
    assert adding.returncode == 0, err
    assert "10 unchanged" in out
