"""Stores: written twice, killed, locked, damaged, attacked; and asked at once."""

import asyncio
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from shelves import MANY, Questions, ask, lookup_in, make, ones

from consilience.errors import SourceError, StoreError, WorkspaceBusy
from consilience.stores.duckdb import SqlRows, TableStore
from consilience.stores.ladybug import GraphNodes, GraphPaths, GraphStore
from consilience.stores.passage_sources import DenseSource, WordSource
from consilience.stores.qdrant_edge import EdgeStore
from consilience.types import Filter, Locator, Request
from consilience.worker_pool import WorkerPool

ROWS = [
    make(f"row {at}", kind="row", locator=Locator(table="t", row=at), n=at) for at in range(4000)
]
LINKS = [
    make(f"link {at}", kind="edge", source=f"n{at % 50}", target=f"n{at % 49}", relation="r")
    for at in range(1500)
] + [make(f"node {at}", kind="node", node=f"n{at}") for at in range(50)]

OPENERS = {
    "edge": (lambda folder: EdgeStore(folder / "edge", 2), MANY, "edge"),
    "table": (lambda folder: TableStore(folder / "t.duckdb"), ROWS, "t.duckdb"),
    "graph": (lambda folder: GraphStore(folder / "g.lbug"), LINKS, "g.lbug"),
}
each_store = pytest.mark.parametrize("kind", OPENERS)


def vectors_for(kind, passages):
    return ones(len(passages)) if kind == "edge" else None


# --- written twice, removed, reopened ---------------------------------------------------


@each_store
def test_writing_twice_holds_each_passage_once(kind, tmp_path):
    opener, passages, _ = OPENERS[kind]
    some = passages[:3] + passages[-3:]
    store = opener(tmp_path)
    for _ in range(2):
        store.write(some, vectors_for(kind, some))
    assert list(store.ids()) == sorted(one.id for one in some)
    store.remove([some[0].id, "0" * 16])
    store.remove([some[0].id])
    assert store.count() == 5
    store.close()
    store.close()
    again = opener(tmp_path)
    assert list(again.ids()) == sorted(one.id for one in some[1:])
    again.close()


@each_store
def test_nothing_can_be_written_and_removed(kind, tmp_path):
    store = OPENERS[kind][0](tmp_path)
    store.write([], vectors_for(kind, []))
    store.remove([])
    assert store.count() == 0
    store.close()


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_stores as stores
opener, passages, _ = stores.OPENERS[{kind!r}]
store = opener(Path({folder!r}))
print("open", flush=True)
for start in range(0, len(passages), 300):
    batch = passages[start:start + 300]
    store.write(batch, stores.vectors_for({kind!r}, batch))
    print("batch", flush=True)
    if {wait}:
        sys.stdin.readline()
"""


def child(kind, folder, *, wait):
    code = CHILD.format(
        tests=str(__file__).rsplit("/", 1)[0], kind=kind, folder=str(folder), wait=wait
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@each_store
def test_a_killed_writer_loses_nothing_and_doubles_nothing(kind, tmp_path):
    opener, passages, _ = OPENERS[kind]
    with child(kind, tmp_path, wait=False) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["open\n", "batch\n"]
        process.send_signal(signal.SIGKILL)
    store = opener(tmp_path)
    assert {one.id for one in passages[:300]} <= set(store.ids())
    store.write(passages, vectors_for(kind, passages))
    assert list(store.ids()) == sorted(one.id for one in passages)
    store.close()


@each_store
def test_a_second_process_is_told_to_wait(kind, tmp_path):
    opener, _, name = OPENERS[kind]
    with child(kind, tmp_path, wait=True) as process:
        assert process.stdout.readline() == "open\n"
        with pytest.raises(WorkspaceBusy, match=rf"{name} is held by .*process.* try again"):
            opener(tmp_path)
        process.kill()


@each_store
def test_damage_is_reported_with_what_to_do(kind, tmp_path):
    opener, _, name = OPENERS[kind]
    if kind == "edge":
        (tmp_path / name).mkdir()
        (tmp_path / name / "edge_config.json").write_text("{")
    else:
        (tmp_path / name).write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match=rf"{name} cannot be opened: .* run `consilience add`"):
        opener(tmp_path)


@pytest.mark.parametrize("at", [0, 4104, 8200])
def test_a_damaged_block_of_tables_is_no_lock(at, tmp_path):
    store = OPENERS["table"][0](tmp_path)
    store.write(ROWS[:100])
    store.close()
    data = bytearray((tmp_path / "t.duckdb").read_bytes())
    data[at : at + 64] = b"\xff" * 64
    (tmp_path / "t.duckdb").write_bytes(data)
    with pytest.raises(StoreError, match=r"cannot be opened: .* if it is damaged") as caught:
        OPENERS["table"][0](tmp_path)
    assert not isinstance(caught.value, WorkspaceBusy)


@each_store
def test_a_closed_store_is_an_error_of_the_source(kind, tmp_path):
    store = OPENERS[kind][0](tmp_path)
    store.close()
    source, request = {
        "edge": lambda: (WordSource(store, "c/bm25"), {"text": "fox"}),
        "table": lambda: (SqlRows(store, "c/sql"), {"criteria": (Filter("n", "=", 1),)}),
        "graph": lambda: (GraphNodes(store, "c/graph"), {"seeds": ("n1",)}),
    }[kind]()
    with pytest.raises((SourceError, StoreError)):
        ask(source, **request)


# --- at the same time -------------------------------------------------------------------


def test_two_blocking_sources_run_at_once():
    barrier = threading.Barrier(2, timeout=5)

    async def both():
        one, other = WorkerPool("one"), WorkerPool("other")
        return await asyncio.gather(one.run(barrier.wait), other.run(barrier.wait))

    assert sorted(asyncio.run(both())) == [0, 1]


def test_sources_over_one_store_wait_for_each_other_inside_their_calls(tmp_path):
    barrier = threading.Barrier(2, timeout=5)
    store = EdgeStore(tmp_path / "edge", 2)
    passages = [make("fox")]
    store.write(passages, ones(1))

    def lookup(ids):
        barrier.wait()
        return lookup_in(passages)(ids)

    async def both():
        request = Request(text="fox", filters=(Filter("text", "contains", "fox"),))
        dense = DenseSource(store, "c/dense", vectors=Questions(), lookup=lookup)
        words = WordSource(store, "c/bm25", lookup=lookup)
        return await asyncio.gather(
            dense.retrieve(request, limit=1), words.retrieve(request, limit=1)
        )

    assert [[one.id for one in found] for found in asyncio.run(both())] == [[passages[0].id]] * 2
    store.close()


# --- tables -----------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    store = TableStore(tmp_path / "t.duckdb")
    yield store
    store.close()


def row(at, name="t", **columns):
    return make(f"row {at}", kind="row", locator=Locator(table=name, row=at), **columns)


def test_other_kinds_are_ignored(table):
    table.write([make("prose"), make("node", kind="node", node="n")], None)
    assert table.count() == 0


def test_columns_widen_as_rows_need(table):
    rows = [row(1, n=1), row(2, n=2.5), row(3, n="three"), row(4, n=True), row(5, n=2**63)]
    for one in rows:
        table.write([one], None)
    source = SqlRows(table, "c/sql", lookup=lookup_in(rows))
    for value, at in ((1, 0), (2.5, 1), ("THREE", 2), (2**63, 4)):
        assert [one.id for one in ask(source, criteria=(Filter("n", "=", value),))] == [rows[at].id]
    found = ask(source, criteria=(Filter("n", "=", value=True),))
    assert [one.id for one in found] == [rows[3].id]


def test_huge_and_odd_values_are_written(table):
    rows = [row(1, text_="x" * 2_000_000), row(2, a="a\0b"), row(3, a="\ud800"), row(4, a=10**400)]
    table.write(rows, None)
    assert table.count() == 4
    found = ask(SqlRows(table, "c/sql"), criteria=(Filter("text_", "contains", "xxx"),))
    assert [one.id for one in found] == [rows[0].id]


EVIL = ('"; DROP TABLE "t"; --', "' OR 1=1 --", 'a" OR "1"="1', "}) DETACH DELETE n //", "$ids")


@pytest.mark.parametrize("evil", EVIL)
def test_names_and_values_never_become_sql(table, evil):
    rows = [row(1, name="t", n=1), row(2, name=evil, **{evil: evil}), row(3, n=evil)]
    table.write(rows, None)
    source = SqlRows(table, "c/sql", lookup=lookup_in(rows))
    assert [one.id for one in ask(source, criteria=(Filter(evil, "=", evil),))] == [rows[1].id]
    assert [one.id for one in ask(source, criteria=(Filter("n", "=", evil),))] == [rows[2].id]
    assert ask(source, criteria=(Filter(evil, "!=", 1),), filters=(Filter("n", "=", 1),)) == []
    assert table.count() == 3


def test_the_database_reads_no_files_and_readers_cannot_write(table):
    table.write([row(1, n=1)], None)
    with table.reading() as cursor, pytest.raises(Exception, match="disabled by configuration"):
        cursor.execute("SELECT * FROM read_text('/etc/hostname')")
    with table.reading() as cursor, pytest.raises(Exception, match="read-only"):
        cursor.execute('DELETE FROM "t"')


def test_filters_without_criteria_find_nothing(table):
    table.write([row(1, n=1)], None)
    assert ask(SqlRows(table, "c/sql"), filters=(Filter("n", "=", 1),)) == []


# --- graphs -----------------------------------------------------------------------------


@pytest.fixture
def graph(tmp_path):
    store = GraphStore(tmp_path / "g.lbug")
    yield store
    store.close()


def link(source, relation, target, weight=1.0):
    return make(
        f"{source} {relation} {target}", kind="edge",
        source=source, relation=relation, target=target, weight=weight,
    )  # fmt: skip


def node(key, text="about"):
    return make(f"{text} {key}", kind="node", node=key, name=key.upper())


def test_edges_may_come_before_their_nodes(graph):
    graph.write([link("a", "needs", "b")], None)
    graph.write([node("b")], None)
    assert [one.id for one in ask(GraphNodes(graph, "c/graph"), seeds=("a",))] == [node("b").id]


def test_a_node_may_have_several_passages_and_lose_one(graph):
    first, second = node("a"), node("a", "more about")
    graph.write([first, second, link("a", "needs", "b")], None)
    source = GraphNodes(graph, "c/graph")
    assert {one.id for one in ask(source, seeds=("a",))} == {first.id, second.id}
    graph.remove([first.id])
    assert [one.id for one in ask(source, seeds=("b",))] == [second.id]


def test_an_edge_written_again_is_replaced(graph):
    edge = link("a", "needs", "b")
    graph.write([edge], None)
    graph.write([replace(edge, metadata={**edge.metadata, "weight": 0.5})], None)
    found = ask(GraphPaths(graph, "c/paths", lookup=lookup_in([edge])), seeds=("a",))
    assert [(one.id, one.score) for one in found] == [(edge.id, 0.5)]


def test_a_hub_costs_bounded_work(graph):
    spokes = [link("hub", "has", f"leaf{at}", 0.1) for at in range(2000)]
    passages = [*spokes, link("hub", "has", "best", 0.9), node("best"), node("hub")]
    graph.write(passages, None)
    assert [one.id for one in ask(GraphNodes(graph, "c/graph"), 2, seeds=("hub",))] == [
        node("hub").id,
        node("best").id,
    ]
    paths = ask(GraphPaths(graph, "c/paths", lookup=lookup_in(passages)), 5, seeds=("leaf7",))
    assert [one.score for one in paths][:2] == pytest.approx([0.1, 0.1 * 0.9 * 0.5])


@pytest.mark.parametrize("evil", [*EVIL, "a\0b", "\ud800"])
def test_names_and_values_never_become_cypher(graph, evil):
    passages = [link(evil, evil, "b"), node("b"), node(evil)]
    graph.write(passages, None)
    source = GraphNodes(graph, "c/graph", lookup=lookup_in(passages))
    found = ask(source, seeds=("b",), intents=(evil,))
    assert [(one.id, one.score) for one in found] == [
        (key, 1.0) for key in sorted((node("b").id, node(evil).id))
    ]
    assert ask(source, seeds=("x' OR true //",)) == []
    assert graph.count() == 3
