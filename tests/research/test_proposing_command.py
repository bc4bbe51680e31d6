"""`consilience concepts`: nothing proposed is used before a person accepts it."""

import json

import pytest
import yaml

from consilience.packs.research import commands as command
from consilience.testing import ScriptedGenerator
from consilience.workspace import init_workspace, open_workspace
from copied_shared import copied

NOTES = """\
# Splitting samples

Double machine learning (DML) is a method for effects with many covariates. DML requires
cross-fitting. It does not require parallel trends. Cross-fitting extends sample splitting.

# Quasi experiments

Synthetic controls are an alternative to parallel trends in a few designs. Cross-fitting
addresses overfitting.
"""
GRAPH = """\
concepts:
  - {name: cross-fitting, kind: method, definition: Fits on one part and scores on the other.}
  - {name: sample splitting, kind: method}
  - {name: parallel trends, kind: assumption}
  - name: overfitting
    kind: problem
"""
QUESTION = ("path", "DML", "sample splitting")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A workspace with a note and a small graph, to be copied."""
    folder = init_workspace(tmp_path_factory.mktemp("proposing") / "space", pack="research")
    (folder / "splitting.md").write_text(NOTES, encoding="utf-8")
    (folder / "some.concepts.yaml").write_text(GRAPH, encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([folder / "splitting.md", folder / "some.concepts.yaml"])
    return folder


@pytest.fixture
def space(made, tmp_path):
    return copied(made, tmp_path / "space")


def reply(*relations):
    given = [
        {"source": start, "type": kind, "target": end, "quote": quote}
        for start, kind, end, quote in relations
    ]
    return json.dumps({"concepts": [], "relations": given})


@pytest.fixture
def model(monkeypatch):
    """A language model that finds what the notes state, and one relation that they deny."""
    said = reply(
        ("DML", "REQUIRES", "cross-fitting", "DML requires cross-fitting."),
        ("cross-fitting", "EXTENDS", "sample splitting", "Cross-fitting extends sample splitting."),
        ("cross-fitting", "ADDRESSES", "overfitting", "Cross-fitting addresses overfitting."),
        ("DML", "REQUIRES", "parallel trends", "It does not require parallel trends."),
    )
    model = ScriptedGenerator({"concepts": said})
    monkeypatch.setattr(command, "open_generator", lambda name, settings: model)
    return model


def marked(path, status, *, but=()):
    """Mark all that is proposed in a file."""
    held = yaml.safe_load(path.read_text(encoding="utf-8"))
    for entry in held["concepts"]:
        for one in (entry, *entry.get("relations", ())):
            if one["status"] == "proposed" and one.get("to") not in but:
                one["status"] = status
    path.write_text(yaml.safe_dump(held), encoding="utf-8")


def found(run, space):
    """The kinds and names of all that a search gives."""
    told = json.loads(run("search", "-w", space, "double machine learning DML", "--json")[1])
    return [(one["kind"], one["name"]) for one in told["results"]]


@pytest.mark.usefixtures("model")
def test_nothing_is_used_before_it_is_accepted_and_all_of_it_afterwards(run, space):
    code, out, err = run("concepts", "propose", "-w", space)
    assert code == 0
    assert "dropped" in err  # what the notes deny
    assert "none is used yet" in out
    file = space / "proposals.concepts.yaml"
    assert "Nothing here is used before it is accepted" in file.read_text(encoding="utf-8")
    held = yaml.safe_load(file.read_text(encoding="utf-8"))["concepts"]
    by_name = {one["name"]: one for one in held}
    assert by_name["double machine learning"]["aliases"] == ["DML"]
    assert by_name["double machine learning"]["status"] == "proposed"
    relations = {
        (one["name"], link["type"], link["to"]) for one in held for link in one["relations"]
    }
    assert ("double machine learning", "REQUIRES", "cross-fitting") in relations
    assert not any(
        "parallel trends" in (one[0], one[2]) and one[1] == "REQUIRES" for one in relations
    )

    before = found(run, space)
    assert before
    assert run("add", "-w", space, file)[0] == 0  # even where the file itself is added
    assert found(run, space) == before
    assert "(requires)" not in run(*QUESTION, "-w", space)[1]  # texts join them, no relation yet

    marked(file, "accepted")
    code, out, err = run("concepts", "accept", file, "-w", space)
    assert code == 0, err
    assert ("node", "my concepts") in found(run, space)
    code, out, _ = run(*QUESTION, "-w", space)
    assert code == 0
    assert out.index("requires") < out.index("extends")
    assert "DML requires cross-fitting." in out.replace("\n", " ")
    code, out, _ = run("concepts", "propose", "-w", space)  # all of it is known now
    assert (code, out[:1]) == (0, "0")


@pytest.mark.usefixtures("model")
def test_what_is_rejected_is_remembered_even_after_a_rebuild(run, space):
    file = space / "proposals.concepts.yaml"
    run("concepts", "propose", "-w", space)
    marked(file, "rejected")
    code, out, err = run("concepts", "accept", file, "-w", space)
    assert code == 0, err
    assert "not proposed again" in out
    assert not (space / "my.concepts.yaml").exists()
    assert run("rebuild", "-w", space)[0] == 0
    told = json.loads(run("concepts", "propose", "-w", space, "--json")[1])
    assert told["relations"] == []
    assert "double machine learning" not in [one["name"] for one in told["concepts"]]


@pytest.mark.usefixtures("model")
def test_only_marked_ones_are_taken_and_they_are_merged_by_name(run, space, tmp_path):
    file, into = tmp_path / "some.concepts.yaml", tmp_path / "mine.concepts.yaml"
    into.write_text(
        "concepts:\n- {name: Cross-Fitting, kind: method, aliases: [CF], field: ml}\n", "utf-8"
    )
    run("concepts", "propose", "-w", space, "--out", file)
    marked(file, "accepted", but=("cross-fitting", "sample splitting", "parallel trends"))
    assert run("concepts", "accept", file, "-w", space, "--into", into)[0] == 0
    held = yaml.safe_load(into.read_text(encoding="utf-8"))["concepts"]
    crossing = next(one for one in held if one["name"] == "Cross-Fitting")
    assert (crossing["aliases"], crossing["field"]) == (["CF"], "ml")
    assert [one["to"] for one in crossing["relations"]] == ["overfitting"]
    assert "status" not in json.dumps(held)
    assert into.with_name("mine.concepts.yaml.bak").exists()
    status = run("status", "-w", space)[1]
    assert "mine.concepts.yaml" in status


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"quote": "DML requires cross-fitting and luck."}, "is in no passage"),
        ({"quote": ""}, "has no quote"),
        ({"type": "CAUSES"}, "give it a type"),
        ({"type": None}, "give it a type"),
        ({"to": "magic"}, "'magic' is not a concept of the graph"),
        ({"confidence": 7}, "not a number from 0 to 1"),
        ({"status": "acepted"}, "unknown status 'acepted'"),
    ],
)
def test_what_cannot_be_taken_in_is_refused_whole_with_its_line(run, space, change, told):
    file = space / "proposals.concepts.yaml"
    run("concepts", "propose", "-w", space)
    marked(file, "accepted")
    held = yaml.safe_load(file.read_text(encoding="utf-8"))
    entry = next(one for one in held["concepts"] if one["name"] == "double machine learning")
    entry["relations"][0].update(change)
    file.write_text(yaml.safe_dump(held), encoding="utf-8")
    code, _, err = run("concepts", "accept", file, "-w", space)
    assert code == 1
    assert told in err
    assert "line " in err
    assert not (space / "my.concepts.yaml").exists()


def test_decisions_are_not_written_over_and_wrong_calls_are_told(run, space, tmp_path):
    file = space / "proposals.concepts.yaml"
    run("concepts", "propose", "-w", space)
    marked(file, "accepted")
    code, _, err = run("concepts", "propose", "-w", space)
    assert code == 1
    assert "were not applied yet" in err
    assert "no such file" in run("concepts", "accept", tmp_path / "none.yaml", "-w", space)[2]
    code, _, err = run("concepts", "accept", file, "-w", space, "--into", tmp_path / "mine.yaml")
    assert "ends in .concepts.yaml" in err
    broken = tmp_path / "broken.concepts.yaml"
    broken.write_text("concepts: [", "utf-8")
    assert "not valid YAML" in run("concepts", "accept", broken, "-w", space)[2]
    code, _, err = run("concepts", "propose", "-w", space, "--model", "--out", tmp_path / "a.yaml")
    assert code == 1
    assert "models.generate" in err
    empty = tmp_path / "empty"
    run("init", "research", empty)
    assert "holds no text" in run("concepts", "propose", "-w", empty)[2]


def test_the_configured_model_is_asked_unless_told_not_to(run, space, tmp_path, model):
    file = tmp_path / "told.concepts.yaml"
    assert run("concepts", "propose", "-w", space, "--out", file)[0] == 0
    assert "proposed by the language model scripted" in file.read_text(encoding="utf-8")
    assert model.prompts
    asked = len(model.prompts)
    assert run("concepts", "propose", "-w", space, "--out", file, "--no-model")[0] == 0
    assert "language model" not in file.read_text(encoding="utf-8")
    assert len(model.prompts) == asked
