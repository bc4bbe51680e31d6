"""Graphs: nodes, edges, and lines that are neither."""

from __future__ import annotations

import json

from consilience.evidence.loaders.graph import LOADER

load = LOADER.load
NODES = (
    '{"node": "e4", "name": "King pawn", "kind": "opening", "aliases": ["1. e4"], '
    '"text": "Open.", "eco": "B00"}\n'
    '{"node": "c5", "name": "Sicilian"}\n'
)


def test_a_node_is_a_whole_block(write):
    found = load(write("my_moves.graph.jsonl", NODES))
    node = found.blocks[0]
    assert (found.title, found.kind) == ("my moves", "graph")
    assert (node.text, node.kind, node.whole) == ("King pawn (1. e4). Open.", "node", True)
    assert node.locator.node == "e4"
    assert node.metadata == {
        "node": "e4",
        "name": "King pawn",
        "aliases": ("1. e4",),
        "node_kind": "opening",
        "eco": "B00",
    }
    assert found.blocks[1].text == "Sicilian"


def test_an_edge_is_a_path_between_names_and_may_stand_first(write):
    edge = '{"edge": ["e4", "LEADS_TO", "c5"], "weight": 0.5, "text": "Often met.", "year": 1900}\n'
    path = load(write("a.graph.jsonl", edge + NODES)).blocks[-1]
    assert path.text == "King pawn → (leads to) → Sicilian. Often met."
    assert (path.kind, path.locator.node, path.whole) == ("edge", "e4 → c5", True)
    assert path.metadata == {
        "source": "e4",
        "relation": "LEADS_TO",
        "target": "c5",
        "weight": 0.5,
        "year": 1900,
    }


def test_the_weight_is_1_unless_given(write):
    found = load(write("a.graph.jsonl", NODES + '{"edge": ["e4", "R", "c5"]}'))
    assert found.blocks[-1].metadata["weight"] == 1.0
    assert found.blocks[-1].text == "King pawn → (r) → Sicilian"


def test_lines_that_cannot_be_used_are_told(write):
    bad = [
        '{"edge": ["e4", "R", "zz"]}',
        '{"edge": ["e4", "R"]}',
        '{"edge": ["e4", "R", "c5"], "weight": 7}',
        '{"node": "e4"}',
        "oops",
    ]
    found = load(write("a.graph.jsonl", NODES + "\n".join(bad)))
    assert len(found.blocks) == 2
    assert [note.split(":")[0] for note in found.notes] == [
        f"line {n} left out" for n in range(3, 8)
    ]
    assert "'zz'" in found.notes[0]
    assert "weight 7" in found.notes[2]
    assert "already given" in found.notes[3]


def test_names_too_long_to_join_a_graph_by_are_told(write):
    lines = [
        {"node": "n" * 501},
        {"node": "a", "name": "N" * 900},
        {"edge": ["a", "R" * 501, "a"]},
        {"edge": ["a", "R", "u" * 9000]},
    ]
    found = load(write("a.graph.jsonl", "\n".join(map(json.dumps, lines))))
    assert [block.text for block in found.blocks] == ["N" * 500 + "…"]
    assert [note.split(":")[0] for note in found.notes] == [
        f"line {number} left out" for number in (1, 3, 4)
    ]
    assert all(len(note) < 600 for note in found.notes)
