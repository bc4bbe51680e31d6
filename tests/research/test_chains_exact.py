"""The chains that the engine finds are those that trying them all gives, statements included."""

import asyncio
from itertools import pairwise

import ladybug
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memory_shared as memory
from consilience.stores.ladybug import GraphPaths, GraphStore
from consilience.types import Request
from tests_shared import make_passage

NAMES = ("a", "b", "c", "d", "e")
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
links = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(("REQUIRES", "TESTS", "USES", "ALTERNATIVE_TO")),
        st.sampled_from(NAMES),
        st.sampled_from((0.0, 0.25, 0.5, 1.0)),
    ),
    max_size=9,
)


def edge(at, source, kind, target, weight):
    stated = {} if kind == "ALTERNATIVE_TO" else {"inverse": "is …"}
    fields = {"source": source, "relation": kind, "target": target, "weight": weight, **stated}
    return make_passage(f"{at} {source} {kind} {target}", kind="edge", metadata=fields)


def sense(one, forward):
    return (1 if forward else -1) if "inverse" in one.metadata else 0


def length(walk):
    """Steps, and one more for each change of sense, two where both say the same of one thing."""
    total = len(walk)
    for (one, forward), (other, onward) in pairwise(walk):
        if sense(one, forward) != sense(other, onward):
            same = one.metadata["relation"] == other.metadata["relation"]
            total += 2 if same and (sense(one, forward), sense(other, onward)) == (1, -1) else 1
    return total


def meets(walk):
    """Whether somewhere one tests what the other requires."""
    return any(
        (sense(one, forward), sense(other, onward)) == (1, -1)
        and {one.metadata["relation"], other.metadata["relation"]} == {"TESTS", "REQUIRES"}
        for (one, forward), (other, onward) in pairwise(walk)
    )


def every_way(passages, start, end, most):
    """The best weight of each simple way, by trying them all."""
    found = {}

    def go(nodes, walk):
        if nodes[-1] == end and walk:
            far = length(walk)
            weight = 0.5 ** (far - 1)
            for one, _ in walk:
                weight *= one.metadata["weight"]
            stated = any("inverse" in one.metadata for one, _ in walk)
            if weight > 0 and not (stated and far > 4 + meets(walk)):
                found[nodes] = max(weight, found.get(nodes, 0.0))
        if len(walk) == most:
            return
        for one in passages:
            ends = (one.metadata["source"], one.metadata["target"])
            for forward, (here, there) in ((True, ends), (False, ends[::-1])):
                if here == nodes[-1] and there not in nodes:
                    go((*nodes, there), [*walk, (one, forward)])

    go((start,), [])
    return found


@pytest.fixture
def store(tmp_path):
    found = GraphStore(tmp_path / "graph.lbug")
    yield found
    found.close()


def written(store, drawn):
    passages = [edge(at, *one) for at, one in enumerate(drawn)]
    store.remove(list(store.ids()))
    store.write(passages)
    by_id = {one.id: one for one in passages}
    lookup = lambda ids: {key: by_id[key] for key in ids if key in by_id}  # noqa: E731
    return passages, GraphPaths(store, "shelf/paths", lookup=lookup)


@FEW
@given(drawn=links, limit=st.integers(1, 4))
def test_chains_of_statements_are_the_best_there_are(store, drawn, limit):
    passages, source = written(store, drawn)
    found = asyncio.run(source.connect(["a"], ["b"], limit=limit))
    expected = sorted(every_way(passages, "a", "b", 6).values(), reverse=True)[:limit]
    assert [one.score for one in found] == pytest.approx(expected)
    ways = every_way(passages, "a", "b", 6)
    for chain in found:
        nodes = (chain.links[0].start, *(link.end for link in chain.links))
        assert chain.score == pytest.approx(ways[nodes])
    back = asyncio.run(source.connect(["b"], ["a"], limit=limit))
    assert [one.score for one in back] == pytest.approx(expected)


@FEW
@given(drawn=links)
def test_the_engine_ranks_paths_as_the_reference_does(store, drawn):
    passages, source = written(store, drawn)
    request = Request(text="a", seeds=("a", "b"))
    reference = memory.Memory("shelf/paths", "shelf", passages=passages, rank=memory.ByPaths())
    found = asyncio.run(source.retrieve(request, limit=50))
    expected = asyncio.run(reference.retrieve(request, limit=50))
    assert [one.id for one in found] == [one.id for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected])


def test_a_store_from_before_statements_had_a_direction_is_read_on(tmp_path):
    database = ladybug.Database(str(tmp_path / "old.lbug"))
    database.init_database()
    connection = ladybug.Connection(database)
    join = "(a)-[:Edge {passage: 'p', relation: 'USES', weight: 1.0}]->(b)"
    for statement in (
        "CREATE NODE TABLE Node(id STRING PRIMARY KEY)",
        "CREATE REL TABLE Edge(FROM Node TO Node, passage STRING, relation STRING, weight DOUBLE)",
        "MERGE (n:Node {id: 'a'})",
        "MERGE (n:Node {id: 'b'})",
        f"MATCH (a:Node {{id: 'a'}}), (b:Node {{id: 'b'}}) CREATE {join}",
    ):
        connection.execute(statement)
    connection.close()
    database.close()
    store = GraphStore(tmp_path / "old.lbug")
    [found] = store.edges(["a"], (), limit=5)
    assert (found.passage, found.stated) == ("p", False)
    store.write([edge(0, "a", "USES", "b", 0.0)])
    assert len(list(store.ids())) == 2  # held, but never walked
    assert len(store.edges(["a"], (), limit=5)) == 1
    store.close()
