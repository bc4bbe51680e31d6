"""Questions are answered while files are added, changed and removed, in one process."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from consilience.errors import StoreError
from consilience.stores.duckdb import SqlRows, TableStore
from consilience.stores.ladybug import GraphStore
from consilience.stores.passage_sources import DENSE, SPARSE
from consilience.stores.qdrant_edge import EdgeStore
from consilience.types import Filter, Locator, Passage, Request, identified
from consilience.workspace import init_workspace, open_workspace

WORDS = ("heather", "gorse", "thrift", "juniper", "bracken")
ASKERS = 3


class Askers:
    """Threads that do something again and again until they are told to stop."""

    def __init__(self, work, *, count=ASKERS):
        self.done, self.errors = 0, []
        self._work, self._stop = work, threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(count)]

    def _run(self):
        while not self._stop.is_set():
            try:
                self._work()
            except BaseException as error:  # noqa: BLE001 - told at the end
                self.errors.append(error)
                return
            self.done += 1

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()


# --- a whole workspace ------------------------------------------------------------------


@pytest.fixture
def space(tmp_path):
    folder = init_workspace(tmp_path / "space")
    (folder / "consilience.toml").write_text(
        'pack = "general"\n[models]\nembed = "fast"\n[retrieve]\nsoft_ms = 20000\nhard_ms = 30000\n'
    )
    with open_workspace(folder) as found:
        yield found


def write(folder, number, version):
    """Three files of three kinds, of one version of one number."""
    word = WORDS[(number + version) % len(WORDS)]
    told = f"# Moor {number}\n\nOn moor {number} grows {word}, as seen in visit {version}.\n"
    (folder / f"{number}.md").write_text(told)
    rows = "".join(f"{word},{number},{row}\n" for row in range(3))
    (folder / f"{number}.csv").write_text(f"plant,moor,visit{version}\n{rows}")
    lines = [
        {"node": f"m{number}", "name": f"Moor {number}"},
        {"node": word, "name": word},
        {"edge": [f"m{number}", "GROWS", word], "text": f"Moor {number} grows {word}."},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / f"{number}.graph.jsonl").write_text(text)


def test_searching_while_files_come_change_and_go(space, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    write(files, 0, 0)
    space.add([files])

    def ask():
        result = space.search("which plant grows on moor 0, heather or gorse?")
        failed = {one.source: one.reason for one in result.trace.outcomes if one.left_out}
        assert not failed
        for hit in result.hits:
            assert len(hit.passage.id) == 16
            assert hit.passage.text

    with Askers(ask) as askers:
        for version in range(3):
            for number in range(1, 5):
                write(files, number, version)
            space.add([files])
            space.remove([files / f"{version + 1}.md"])
            space.add([files / f"{version + 1}.md"])
    assert not askers.errors
    assert askers.done > ASKERS
    _agree(space)


def _agree(space):
    """Every engine holds what the catalogue says, no more and no less."""
    catalogue, stores = space.catalogue, space.stores
    assert catalogue.pending_count() == 0
    held = {name: {one.id for one in catalogue.each(name)} for name in catalogue.counts()}
    assert {name: set(stores.passages(name).ids()) for name in held} == held
    assert set(stores.store("tables", "tables").ids()) == held["tables"]
    assert set(stores.store("graph", "graph").ids()) == held["graph"]
    assert {one.passages for one in catalogue.documents()} >= {1, 3}
    assert len(catalogue.documents()) == 15


def test_engines_are_opened_once_however_many_ask_at_once(space, tmp_path):
    (tmp_path / "files").mkdir()
    write(tmp_path / "files", 0, 0)
    space.add([tmp_path / "files"])
    for _ in range(5):
        space._close_stores()
        start = threading.Barrier(8)

        def ask(start=start):
            start.wait()
            return [space.stores.passages(name) for name in ("documents", "tables", "graph")]

        with ThreadPoolExecutor(8) as pool:
            found = [one.result() for one in [pool.submit(ask) for _ in range(8)]]
        assert all(one == found[0] for one in found)


def test_an_engine_that_is_opened_again_starts_no_new_threads(space, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    write(files, 0, 0)
    space.add([files])
    space.search("moor")
    before = threading.active_count()
    for version in range(1, 5):
        write(files, 0, version)
        space.add([files])
        space.search("moor")
    assert threading.active_count() <= before + 2 * ASKERS


# --- each store -------------------------------------------------------------------------


def row(number, version=0):
    return identified(
        Passage(
            id="",
            collection="c",
            document="d",
            kind="row",
            title=f"Moor {number}",
            text=f"{WORDS[number % 5]} moor {number} visit {version}",
            locator=Locator(table="moors"),
            metadata={"moor": number, f"visit{version}": 1.5 if number % 3 else 2},
        )
    )


def arrow(number):
    ends = {"source": f"m{number % 9}", "target": f"m{number % 7}", "relation": "NEAR"}
    return identified(
        Passage(id="", collection="c", document="d", kind="edge", title="", text="x", metadata=ends)
    )


def test_a_shard_is_searched_while_it_is_written_weighed_and_optimized(tmp_path):
    store, chance = EdgeStore(tmp_path / "shard", 8, exact=50), np.random.default_rng(1)
    ids = [row(number).id for number in range(5)]

    def ask():
        store.search([0.1] * 8, DENSE, only=None, limit=5, exact=False)
        words = store.words("heather on the moor", ())
        store.search(words, SPARSE, only=None, limit=5, exact=True)
        known, vectors = store.vectors(ids)
        assert vectors.shape == (len(known), 8)

    with Askers(ask) as askers:
        for turn in range(6):
            rows = [row(number, turn % 2) for number in range(200)]
            store.write(rows, chance.random((200, 8), dtype=np.float32))
            store.remove([one.id for one in rows[::3]])
            store.reweigh(rows, 5.0 + turn)
            store.optimize()
    assert not askers.errors
    assert askers.done
    assert store.count() == len(set(store.ids())) == 2 * len(range(200)) - 2 * len(range(0, 200, 3))
    store.close()


def test_tables_are_searched_while_they_are_written(tmp_path):
    store = TableStore(tmp_path / "tables.duckdb")
    source = SqlRows(store, "c/sql")
    request = Request(text="", criteria=(Filter("moor", "<", 50), Filter("visit0", "=", 2)))

    def ask():
        assert all(len(one.id) == 16 for one in source._rank(request, 10))

    with Askers(ask) as askers:
        for turn in range(8):
            rows = [row(number, turn) for number in range(60)]
            store.write(rows)
            store.remove([one.id for one in rows[::2]])
    assert not askers.errors
    assert askers.done
    assert store.count() == 8 * 30
    store.close()


def test_a_graph_is_searched_while_it_is_written(tmp_path):
    store = GraphStore(tmp_path / "graph.lbug")
    with Askers(lambda: store.edges(["m1", "m2"], (), limit=9)) as askers:
        for turn in range(4):
            edges = [arrow(turn * 40 + number) for number in range(40)]
            store.write(edges)
            store.remove([one.id for one in edges[::2]])
    assert not askers.errors
    assert askers.done
    assert store.count() == len(set(store.ids()))
    store.close()


def test_a_graph_gives_back_what_it_keeps_for_threads_that_ended(tmp_path):
    store = GraphStore(tmp_path / "graph.lbug")
    for _ in range(40):
        thread = threading.Thread(target=lambda: store.edges(["m1"], (), limit=1))
        thread.start()
        thread.join()
    assert len(store._connections) <= 2
    store.close()


@pytest.mark.parametrize("kind", ["shard", "tables", "graph"])
def test_a_store_closes_once_nobody_uses_it_and_says_so_afterwards(tmp_path, kind):
    if kind == "shard":
        store = EdgeStore(tmp_path / "shard", 8)
        store.write([row(one) for one in range(300)], None)
    elif kind == "tables":
        store = TableStore(tmp_path / "tables.duckdb")
        store.write([row(one) for one in range(300)])
    else:
        store = GraphStore(tmp_path / "graph.lbug")
        store.write([arrow(one) for one in range(100)])
    with Askers(lambda: list(store.ids())) as askers:
        until = time.monotonic() + 20
        while not askers.done and time.monotonic() < until:
            time.sleep(0.001)
        store.close()
        for thread in askers._threads:
            thread.join()
    assert len(askers.errors) == ASKERS
    for error in askers.errors:
        assert isinstance(error, StoreError)
        assert "was closed" in str(error)
    store.close()
