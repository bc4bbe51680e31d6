"""How two things connect, from their names to chains that can be cited."""

import json

import pytest

from consilience.errors import UsageError


def steps(chain):
    return [(one.start, one.relation, one.end, one.forward) for one in chain.links]


WAY = [
    ("Bell Rock", "built by", "Robert Stevenson", True),
    ("Robert Stevenson", "learned from", "John Smeaton", True),
]


@pytest.mark.parametrize("start", ["Bell Rock", "bell-rock", "the INCHCAPE", "bell rocks", "bell"])
def test_names_are_read_as_a_question_s_are(shared, start):
    [chain] = shared.paths(start, "John Smeaton")
    assert steps(chain) == WAY
    assert [one.passage.text.split("\n")[0].split(". ")[-1] for one in chain.links]


def test_a_chain_can_be_shown_again_and_one_edge_is_its_own_passage(shared):
    space = shared
    [chain] = space.paths("john smeaton", "inchcape")
    assert [one.forward for one in chain.links] == [False, False]
    assert space.catalogue.resolve(chain.passage.id) == chain.passage
    assert all(one.passage.text in chain.passage.text for one in chain.links)
    [edge] = space.paths("Bell Rock", "Robert Stevenson")
    assert edge.passage == edge.links[0].passage
    assert edge.passage.kind == "edge"


def test_what_no_graph_names_is_refused_with_names_that_come_near(shared):
    space = shared
    with pytest.raises(UsageError, match=r"'Jon Smeeton'; did you mean 'John Smeaton'\?"):
        space.paths("Jon Smeeton", "Bell Rock")
    with pytest.raises(UsageError, match="'Stevenson'; did you mean 'Robert Stevenson'"):
        space.paths("Bell Rock", "Stevenson")
    with pytest.raises(UsageError, match="no graph here names 'xylophone'; a search"):
        space.paths("xylophone", "Bell Rock")
    with pytest.raises(UsageError, match="no graph here names '…'"):
        space.paths("…", "Bell Rock")


def test_letters_and_numbers_are_names_as_well_and_what_is_not_connected_is_empty(
    workspace, evidence
):
    lines = [
        {"node": "a"},
        {"node": "year", "name": "1811"},
        {"edge": ["a", "IS", "year"]},
        {"node": "fresnel", "name": "Augustin Fresnel"},
    ]
    (evidence / "more.graph.jsonl").write_text("\n".join(map(json.dumps, lines)))
    space = workspace
    space.add([evidence])
    assert space.paths("Bell Rock", "Augustin Fresnel") == []
    assert steps(space.paths("A", "1811")[0]) == [("a", "is", "1811", True)]
    with pytest.raises(UsageError, match="no graph here names 'b'"):
        space.paths("a", "b")


def test_two_ends_are_two_things(shared):
    space = shared
    with pytest.raises(UsageError, match="'Bell Rock' and 'Inchcape' are the same thing"):
        space.paths("Bell Rock", "Inchcape")
    with pytest.raises(UsageError, match=r"names several things, .*; name one"):
        space.paths("Bell Rock and John Smeaton", "Robert Stevenson")
    with pytest.raises(UsageError, match="limit is 0"):
        space.paths("Bell Rock", "John Smeaton", limit=0)


def test_a_workspace_without_a_graph_says_so(opened, evidence):
    (evidence / "people.graph.jsonl").unlink()
    space = opened()
    space.add([evidence])
    with pytest.raises(UsageError, match=r"holds no graph; add one"):
        space.paths("Bell Rock", "Fresnel")


def test_the_command_shows_each_step_with_its_evidence(workspace, monkeypatch, run):
    embedder = workspace.embedder
    workspace.close()
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: embedder)
    path = ("path", "-w", workspace.folder, "bell rock")
    code, out, _ = run(*path, "john smeaton")
    assert code == 0
    chain = "Bell Rock → (built by) → Robert Stevenson → (learned from) → John Smeaton"
    assert f" 1. {chain}\n" in out
    assert "Stevenson built it." in out
    assert "people.graph.jsonl" in out
    code, out, _ = run(*path, "john smeaton", "--json")
    [found] = json.loads(out)["paths"]
    assert [one["relation"] for one in found["steps"]] == ["built by", "learned from"]
    code, _, problem = run(*path, "john smeeton")
    assert code == 1
    assert "did you mean 'John Smeaton'?" in problem
