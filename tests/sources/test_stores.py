"""Stores: written twice, killed, locked, damaged, attacked; and asked at once."""

import asyncio
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from consilience.errors import SourceError, StoreError, UsageError, WorkspaceBusy
from consilience.sources._edge_filters import condition as as_qdrant
from consilience.sources.duckdb import SqlRows, TableStore
from consilience.sources.ladybug import GraphNodes, GraphPaths, GraphStore
from consilience.sources.qdrant_edge import EdgeDense, EdgeStore, EdgeWords, token_counts
from consilience.threads import Workers
from consilience.types import Filter, Locator, Passage, Request, Term, passage_id


def make(text, *, kind="text", locator=None, **metadata):
    place = locator or Locator()
    key = passage_id("shelf", kind, "Lens", place, text)
    return Passage(
        id=key, collection="shelf", document="d", kind=kind, title="Lens", text=text,
        locator=place, metadata=metadata,
    )  # fmt: skip


def lookup_in(passages):
    known = {passage.id: passage for passage in passages}
    return lambda ids: {key: known[key] for key in ids if key in known}


def ask(source, limit=10, **request):
    return list(asyncio.run(source.retrieve(Request(**{"text": "", **request}), limit=limit)))


def ones(count):
    return np.ones((count, 2), dtype=np.float32)


MANY = [make(f"fox {at}") for at in range(1200)]
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


@each_store
def test_a_closed_store_is_an_error_of_the_source(kind, tmp_path):
    store = OPENERS[kind][0](tmp_path)
    store.close()
    source, request = {
        "edge": lambda: (EdgeWords(store, "c/bm25"), {"text": "fox"}),
        "table": lambda: (SqlRows(store, "c/sql"), {"criteria": (Filter("n", "=", 1),)}),
        "graph": lambda: (GraphNodes(store, "c/graph"), {"seeds": ("n1",)}),
    }[kind]()
    with pytest.raises((SourceError, StoreError)):
        ask(source, **request)


# --- words and vectors ------------------------------------------------------------------


class Questions:
    async def get(self, text):
        return np.array([1, 0], dtype=np.float32)


def test_vectors_of_another_model_are_refused(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    with pytest.raises(StoreError, match=r"takes 2 numbers .* shape \(1, 3\)"):
        store.write([make("fox")], np.ones((1, 3), dtype=np.float32))
    store.close()
    with pytest.raises(StoreError, match="vectors of another size than 3"):
        EdgeStore(tmp_path / "edge", 3)


def test_an_unknown_language_and_a_bad_id_are_the_caller_s_mistakes(tmp_path):
    with pytest.raises(UsageError, match=r"'klingon'.*passages\.language"):
        EdgeStore(tmp_path / "edge", 2, language="klingon")
    store = EdgeStore(tmp_path / "edge", 2)
    with pytest.raises(UsageError, match="'x' is not 16 hexadecimal digits"):
        store.write([replace(make("fox"), id="x")], ones(1))
    assert asyncio.run(EdgeWords(store, "c/bm25").score(Request(text="fox"), ["x"])) == {}
    store.close()


def test_a_name_without_a_collection_is_refused():
    with pytest.raises(UsageError, match="source name 'bm25' is not COLLECTION/KIND"):
        EdgeWords(None, "bm25")


def test_word_forms_stop_words_and_accents_are_known(tmp_path):
    assert token_counts(["The foxes of the café", "fox fox", "the"]) == [2, 2, 0]
    store = EdgeStore(tmp_path / "edge", 2)
    passage = make("The foxes were running to the CAFÉ")
    store.write([passage, make("the")], ones(2))
    source = EdgeWords(store, "c/bm25")
    for text in ("fox", "runs", "cafe"):
        assert [one.id for one in ask(source, text=text)] == [passage.id]
    assert ask(source, text="the of") == []
    store.close()


def test_expansion_terms_reach_the_engine(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    fox, hen = make("fox"), make("hen")
    store.write([fox, hen], ones(2))
    source = EdgeWords(store, "c/bm25")
    plain = ask(source, text="fox")
    term = Term(text="hens", weight=0.5, origin="synonym")
    wider = ask(source, text="fox", terms=(term,))
    assert [one.id for one in plain] == [fox.id]
    assert [one.id for one in wider] == [fox.id, hen.id]
    assert wider[1].score == pytest.approx(wider[0].score / 2)
    again = Term(text="foxes", weight=0.5, origin="synonym")
    assert ask(source, text="fox", terms=(again,)) == plain
    store.close()


def test_reweighing_is_writing_with_the_new_average(tmp_path):
    passages = [make("fox"), make("fox hen corn barn whale")]
    old = EdgeStore(tmp_path / "old", 2, average_length=2.0)
    old.write(passages, ones(2))
    before = ask(EdgeWords(old, "c/bm25"), text="fox")
    old.reweigh([*passages, make("never written")], 8.0)
    new = EdgeStore(tmp_path / "new", 2, average_length=8.0)
    new.write(passages, ones(2))
    after = ask(EdgeWords(old, "c/bm25"), text="fox")
    assert after == ask(EdgeWords(new, "c/bm25"), text="fox") != before
    assert old.count() == 2
    assert [one.score for one in ask(EdgeDense(old, "c/dense", vectors=Questions()))] == (
        pytest.approx([0.5**0.5] * 2)
    )
    old.close()
    new.close()


def test_optimizing_forgets_what_was_removed(tmp_path):
    store, fresh = EdgeStore(tmp_path / "edge", 2), EdgeStore(tmp_path / "fresh", 2)
    store.write(MANY, ones(len(MANY)))
    store.remove([one.id for one in MANY[2:]])
    fresh.write(MANY[:2], ones(2))
    expected = ask(EdgeWords(fresh, "c/bm25"), text="fox")
    assert ask(EdgeWords(store, "c/bm25"), text="fox") != expected  # removed ones still count
    store.optimize()
    assert ask(EdgeWords(store, "c/bm25"), text="fox") == expected
    store.close()
    fresh.close()


def test_filters_mean_the_same_once_a_shard_is_large_enough_for_indexes(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    passages = [make(f"fox {at}", locator=Locator(page=at), **{"a.b": at}) for at in range(2100)]
    for half in (passages[:1500], passages[1500:]):
        store.write(half, ones(len(half)))
    source = EdgeWords(store, "c/bm25")
    for condition, count in (
        (Filter("a.b", ">=", 2000), 100),
        (Filter("page", "=", 7), 1),
        (Filter("page", "!=", 7), 2099),
        (Filter("title", "contains", "LEN"), 2100),
        (Filter("absent", "!=", 7), 0),
    ):
        assert len(ask(source, 5000, text="fox", filters=(condition,))) == count
    assert {"has", "is", "text.title", "number.page"} <= store.indexed()
    store.close()


def test_ties_beyond_the_limit_are_cut_by_id(tmp_path):
    store = EdgeStore(tmp_path / "edge", 2)
    twins = [make("fox", locator=Locator(page=page)) for page in range(20)]
    store.write(twins, ones(20))
    first = sorted(one.id for one in twins)[:5]
    assert [one.id for one in ask(EdgeWords(store, "c/bm25"), 5, text="fox")] == first
    store.close()


# --- at the same time -------------------------------------------------------------------


def test_two_blocking_sources_run_at_once():
    barrier = threading.Barrier(2, timeout=5)

    async def both():
        one, other = Workers("one"), Workers("other")
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
        dense = EdgeDense(store, "c/dense", vectors=Questions(), lookup=lookup)
        words = EdgeWords(store, "c/bm25", lookup=lookup)
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


class Listening:
    """Takes a shard's place and remembers how it was asked."""

    def __init__(self):
        self.exact = []

    def query(self, request):
        self.exact.append(request.params.exact)
        return []


def test_few_passages_are_compared_by_whole_vectors_and_many_by_short_ones_first(tmp_path):
    for exact, asked, wanted in ((100, False, True), (2, False, False), (2, True, True)):
        store = EdgeStore(tmp_path / f"{exact}{asked}", 2, exact=exact)
        some = [make(f"passage {at}") for at in range(5)]
        store.write(some, ones(5))
        shard, store._shard = store._shard, Listening()
        store.search([1.0, 0.0], "dense", only=None, limit=3, exact=asked)
        assert store._shard.exact == [wanted]
        store._shard = shard
        store.close()


def test_short_vectors_find_what_whole_ones_find_and_lose_nothing_that_stands_alone(tmp_path):
    chance = np.random.default_rng(3)
    crowd = chance.standard_normal((3000, 32)) * 0.1 + np.eye(32)[0]
    apart = chance.standard_normal((4, 32)) * 0.02 - np.eye(32)[7]
    vectors = np.concatenate([crowd, apart]).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    passages = [make(f"passage {at}", half=at % 2) for at in range(len(vectors))]
    whole, short = EdgeStore(tmp_path / "whole", 32), EdgeStore(tmp_path / "short", 32, exact=1000)
    for store in (whole, short):
        store.write(passages, vectors)
        store.optimize()
    assert not list(whole.folder.rglob("quantized*"))
    assert list(short.folder.rglob("quantized*"))
    for only in (None, as_qdrant([Filter("half", "=", 1)])):
        for vector in [*vectors[:20], *vectors[-4:]]:
            for store in (whole, short):
                store.found = store.search(
                    vector.tolist(), "dense", only=only, limit=50, exact=False
                )
            assert [one.id for one in short.found] == [one.id for one in whole.found]
            assert [one.score for one in short.found] == pytest.approx(
                [one.score for one in whole.found], abs=1e-6
            )
    nearest = short.search(vectors[-1].tolist(), "dense", only=None, limit=4, exact=False)
    assert {one.id for one in nearest} == {one.id for one in passages[-4:]}
    whole.close()
    short.close()
