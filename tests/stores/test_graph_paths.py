"""How two nodes of a graph connect: every chain that there is, the best first, within bounds."""

import asyncio
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shelves import lookup_in, make

from consilience.protocols import Connector
from consilience.stores import graph_paths
from consilience.stores.graph_paths import DECAY
from consilience.stores.ladybug import GraphNodes, GraphPaths, GraphStore

NAMES = ("a", "b", "c", "d", "o'e", "f", "g")
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
links = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(("NEEDS", "USED_BY")),
    st.sampled_from(NAMES),
    st.sampled_from((0.25, 0.5, 1.0, 3.0)),
)


def edge(source, relation, target, weight=1.0, told=""):
    return make(f"{told} {source} {relation} {target}", kind="edge", source=source,
                relation=relation, target=target, weight=weight)  # fmt: skip


def connect(store, passages, starts, ends, limit=3):
    source = GraphPaths(store, "shelf/paths", lookup=lookup_in(passages))
    return asyncio.run(source.connect(starts, ends, limit=limit))


def told(chain):
    """The names on a chain's way."""
    return (chain.links[0].start, *(link.end for link in chain.links))


def every_way(passages, start, end):
    """The weight of each simple path of up to six edges, by trying them all; parallels by best."""
    found = {}

    def go(nodes, weight):
        if nodes[-1] == end and len(nodes) > 1:
            found[nodes] = max(weight, found.get(nodes, 0))
        if len(nodes) > 2 * graph_paths.REACH:
            return
        for one in passages:
            ends = [one.metadata["source"], one.metadata["target"]]
            for here, there in (ends, ends[::-1]):
                if here == nodes[-1] and there not in nodes:
                    decay = DECAY if len(nodes) > 1 else 1
                    go((*nodes, there), weight * decay * one.metadata["weight"])

    go((start,), 1.0)
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


@pytest.fixture
def store(tmp_path):
    found = GraphStore(tmp_path / "graph.lbug")
    yield found
    found.close()


@FEW
@given(drawn=st.lists(links, max_size=10), limit=st.integers(1, 6))
def test_the_best_chains_are_those_that_trying_them_all_gives(store, drawn, limit):
    passages = [edge(*one, told=str(at)) for at, one in enumerate(drawn)]
    store.remove(list(store.ids()))
    store.write(passages)
    found = connect(store, passages, ["a"], ["b"], limit)
    weights = {path: weight for path, weight in every_way(passages, "a", "b") if path[-1] == "b"}
    best = sorted(weights.values(), reverse=True)[:limit]
    assert [one.score for one in found] == pytest.approx(best)
    assert [one.score for one in found] == pytest.approx([weights[told(one)] for one in found])
    assert len({told(one) for one in found}) == len(found)


def test_a_chain_tells_each_step_with_its_evidence_in_the_direction_that_was_asked(store):
    passages = [edge("a", "BUILT_BY", "b"), edge("c", "TAUGHT", "b")]
    nodes = [make("about", kind="node", node="a", name="Bell Rock")]
    store.write([*passages, *nodes])
    [chain] = connect(store, passages, ["a"], ["c"])
    assert [(one.relation, one.forward) for one in chain.links] == [
        ("built by", True),
        ("taught", False),
    ]
    assert [one.passage for one in chain.links] == passages
    assert chain.passage.kind == "path"
    assert chain.passage.text.startswith("Bell Rock → (built by) → b ← (taught) ← c\n")
    [back] = connect(store, passages, ["c"], ["a"])
    assert told(back) == told(chain)[::-1]
    [one] = connect(store, passages, ["b"], ["a"])
    assert one.passage == passages[0]


def test_what_does_not_connect_is_empty_and_unknown_nodes_are_as_well(store):
    passages = [edge("a", "NEEDS", "b"), edge("c", "NEEDS", "d")]
    store.write(passages)
    assert connect(store, passages, ["a"], ["d"]) == []
    assert connect(store, passages, ["a"], ["nobody"]) == []
    assert connect(store, passages, ["a"], ["a"]) == []
    assert connect(store, passages, ["a", "c"], ["d"])[0].passage == passages[1]


def test_seven_steps_are_too_many(store):
    passages = [edge(f"n{at}", "NEEDS", f"n{at + 1}") for at in range(7)]
    store.write(passages)
    assert len(connect(store, passages, ["n0"], ["n6"])[0].links) == 6
    assert connect(store, passages, ["n0"], ["n7"]) == []


def test_hubs_are_met_and_not_walked_through(store, monkeypatch):
    """Two leaves of hubs with far more edges than are followed; the work stays bounded."""
    passages = [edge(f"leaf{at}", "NEAR", f"hub{at % 2}") for at in range(900)]
    passages.append(edge("hub0", "NEAR", "hub1"))
    store.write(passages)
    looked = []
    join = graph_paths._join_halves
    spy = lambda *pair: looked.append(pair) or join(*pair)  # noqa: E731
    monkeypatch.setattr(graph_paths, "_join_halves", spy)
    chains = connect(store, passages, ["leaf898"], ["leaf899"], limit=10)
    assert [told(one) for one in chains] == [("leaf898", "hub0", "hub1", "leaf899")]
    assert told(connect(store, passages, ["hub1"], ["leaf899"])[0]) == ("hub1", "leaf899")
    assert len(looked) <= 2 * graph_paths.TRIES


def test_the_same_chains_come_in_the_same_order_however_they_were_written(store, tmp_path):
    passages = [edge("a", "NEEDS", middle) for middle in NAMES[2:]]
    passages += [edge(middle, "NEEDS", "b") for middle in NAMES[2:]]
    mixed = random.Random(1).sample(passages, len(passages))
    store.write(passages)
    other = GraphStore(tmp_path / "other.lbug")
    other.write(mixed)
    first, second = (connect(one, passages, ["a"], ["b"]) for one in (store, other))
    assert first == second
    assert [told(one)[1] for one in first] == ["c", "d", "f"]
    other.close()


def test_only_the_source_of_paths_connects(store):
    assert isinstance(GraphPaths(store, "shelf/paths", lookup=lookup_in([])), Connector)
    assert not isinstance(GraphNodes(store, "shelf/graph"), Connector)
