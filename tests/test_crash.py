"""Killed at any moment, the next run completes with nothing lost and nothing doubled."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from consilience.workspace import init_workspace, open_workspace

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


def command(*words):
    code = "from consilience.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, words)]


def contents(folder):
    """Every id in the catalogue and in each engine."""
    with open_workspace(folder) as space:
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
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        init_workspace(folder)
    started = time.monotonic()
    subprocess.run(command("add", "-w", whole, corpus), check=True, capture_output=True)
    length = time.monotonic() - started
    chance = random.Random(7)
    for _ in range(8):
        job = subprocess.Popen(
            command("add", "-w", broken, corpus), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(chance.uniform(0.2, 1.0) * length)
        job.send_signal(signal.SIGKILL)
        job.communicate()
    subprocess.run(command("add", "-w", broken, corpus), check=True, capture_output=True)
    expected, found = contents(whole), contents(broken)
    assert found == expected
    catalogued, shards, rows, graph = found
    assert shards == catalogued
    assert rows == catalogued["tables"]
    assert graph == catalogued["graph"]


def test_sigkill_while_changing_and_rebuilding_loses_and_doubles_nothing(corpus, tmp_path):
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    init_workspace(broken)
    subprocess.run(command("add", "-w", broken, corpus), check=True, capture_output=True)
    (corpus / "0.md").unlink()
    (corpus / "1.md").rename(corpus / "moved.md")
    text = (corpus / "2.md").read_text()
    (corpus / "2.md").write_text(text.replace("1803", "1903"))
    (corpus / "table.csv").write_text("topic,number\nlamp,1\nlens,99\n")
    chance = random.Random(11)
    for words in (("add",), ("rebuild",), ("rebuild",), ("remove", corpus / "3.md"), ("rebuild",)):
        job = subprocess.Popen(
            command(words[0], "-w", broken, *words[1:]),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(chance.uniform(0.3, 1.5))
        job.send_signal(signal.SIGKILL)
        job.communicate()
    subprocess.run(command("add", "-w", broken, corpus / "3.md"), check=True, capture_output=True)
    subprocess.run(command("add", "-w", broken, corpus), check=True, capture_output=True)
    init_workspace(whole)
    subprocess.run(command("add", "-w", whole, corpus), check=True, capture_output=True)
    assert contents(broken) == contents(whole)


def test_processes_on_one_workspace_wait_or_say_who_holds_it(corpus, tmp_path):
    folder = tmp_path / "space"
    init_workspace(folder)
    environment = {**os.environ, "CONSILIENCE_RETRIEVE_HARD_MS": "20000"}

    def start(*words, wait_s):
        return subprocess.Popen(
            command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment, "CONSILIENCE_STORE_WAIT_S": str(wait_s)},
        )

    subprocess.run(command("add", "-w", folder, corpus), check=True, capture_output=True)
    searches = [start("search", "-w", folder, "the lens", "--json", wait_s=60) for _ in range(3)]
    adding = start("add", "-w", folder, corpus, wait_s=60)
    for job in searches:
        out, err = job.communicate(timeout=120)
        assert job.returncode == 0, err
        assert json.loads(out)["results"]
    out, err = adding.communicate(timeout=120)
    assert adding.returncode == 0, err
    assert "10 unchanged" in out
    with open_workspace(folder):
        out, err = start("search", "-w", folder, "the lens", wait_s=0.1).communicate(timeout=60)
        assert out == ""
        assert f"process {os.getpid()}" in err
        assert "try again" in err
        out, _ = start("status", "-w", folder, wait_s=0.1).communicate(timeout=60)
        assert "tables: 8 row" in out
