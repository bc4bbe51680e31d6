"""What stands around a concept, what a method requires, and what is said where nothing is known."""

import json
import shutil
import sys

import pytest
from chains_shared import build, reopened
from rich.console import Console

from consilience import json_output
from consilience.cli import main
from consilience.errors import UsageError
from consilience.packs.research.auditing import audit as audited
from consilience.packs.research.concept_queries import find_neighbourhood, find_requirements
from consilience.packs.research.graphs import Graph


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    yield build(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def space(home):
    with reopened(home) as space:
        yield space


def told(found):
    return [(one.hops, one.words, one.concept.name) for one in found.near]


def test_a_neighbourhood_reads_from_the_concept_both_ways(space):
    found = find_neighbourhood(space, "cross-fitting")
    assert told(found) == [
        (1, "is required by", "double machine learning"),
        (1, "requires", "sample splitting"),
    ]
    for one in found.near:
        assert one.statement.quote in one.statement.evidence.text
    wider = find_neighbourhood(space, "Cross Fittings", hops=2)
    assert [one.concept.name for one in wider.near if one.hops == 2] == [
        "overfitting",
        "confounding",
    ]
    assert len({one.concept.node for one in find_neighbourhood(space, "DML", hops=3).near}) == len(
        find_neighbourhood(space, "DML", hops=3).near
    )


def test_a_neighbourhood_may_be_of_some_relations_only(space):
    found = find_neighbourhood(space, "DiD", relations=["requires"])
    assert told(found) == [(1, "requires", "parallel trends")]
    either = find_neighbourhood(space, "did", relations=["ALTERNATIVE_TO"])
    assert told(either) == [(1, "is an alternative to", "synthetic control")]
    with pytest.raises(UsageError, match="'likes' is not a type of relation; known: REQUIRES"):
        find_neighbourhood(space, "DiD", relations=["likes"])
    with pytest.raises(UsageError, match="hops is 9; ask for 1 to 3"):
        find_neighbourhood(space, "DiD", hops=9)


def test_an_audit_gives_requirements_tests_and_remedies_with_their_words(space):
    found = find_requirements(space, "DiD")
    trends = found.requirements[0]
    assert (trends.concept.name, trends.direct) == ("parallel trends", True)
    assert [one.start.name for one in trends.tests] == ["event study"]
    remedies = {one.concept.name: one for one in trends.remedies}
    assert list(remedies) == ["conditional trends", "synthetic control"]
    assert remedies["synthetic control"].caution == (
        "no statement says that synthetic control requires this"
    )
    assert remedies["synthetic control"].instead
    assert not remedies["conditional trends"].instead
    assert trends.unknown == ()
    for one in (*trends.way, *trends.tests, *(each.statement for each in trends.remedies)):
        assert one.quote
        assert one.quote in one.evidence.text


def test_what_a_part_requires_is_required_and_the_part_is_what_is_replaced(space):
    _, clusters = find_requirements(space, "difference-in-differences").requirements
    assert clusters.concept.name == "many clusters"
    assert [one.words for one in clusters.way] == [
        "difference-in-differences uses clustered errors",
        "clustered errors requires many clusters",
    ]
    [remedy] = clusters.remedies
    assert remedy.concept.name == "wild bootstrap"
    assert remedy.caution == "what wild bootstrap requires is not said here"
    assert clusters.unknown == ("how it is tested",)
    deep = find_requirements(space, "DML")
    assert [one.concept.name for one in deep.requirements] == ["cross-fitting", "sample splitting"]
    assert [one.direct for one in deep.requirements] == [True, False]


def test_what_the_graph_does_not_say_is_said(space):
    found = find_requirements(space, "overlap")
    assert found.requirements == ()
    assert found.unknown == (
        "overlap is of kind assumption, not a method",
        "no statement here says what overlap requires",
    )
    [pool] = find_requirements(space, "synthetic control").requirements
    assert pool.unknown == ("how it is tested",)
    [remedy] = pool.remedies
    assert remedy.words == "difference-in-differences is an alternative to synthetic control"


def test_an_alternative_that_requires_the_same_is_no_remedy(passage):
    def edge(source, kind, target):
        fields = {"source": source, "relation": kind, "target": target, "weight": 1.0}
        return passage(f"{source} {kind} {target}", kind="edge", metadata=fields)

    graph = Graph.of(
        [
            edge("m", "REQUIRES", "x"),
            edge("same", "ALTERNATIVE_TO", "m"),
            edge("same", "USES", "part"),
            edge("part", "REQUIRES", "x"),
            edge("m", "ALTERNATIVE_TO", "free"),
            edge("free", "REQUIRES", "y"),
            edge("cure", "ADDRESSES", "x"),
            edge("x", "REQUIRES", "m"),  # in a circle
        ]
    )
    [one] = audited(graph, "m").requirements
    assert [each.concept.name for each in one.remedies] == ["cure", "free"]


def test_names_are_understood_and_refused_as_for_paths(space):
    assert (
        find_requirements(space, "debiased machine learning").method.name
        == "double machine learning"
    )
    with pytest.raises(UsageError, match="did you mean 'matching'"):
        find_requirements(space, "matchign")
    with pytest.raises(UsageError, match="names several things"):
        find_requirements(space, "matching and overlap")


def test_a_workspace_without_a_graph_says_what_to_add(opened):
    with pytest.raises(UsageError, match=r"holds no graph; add one, .*\.concepts\.yaml"):
        find_neighbourhood(opened(), "anything")


def test_json_has_every_statement_with_its_passage(space):
    shown = json.loads(json.dumps(json_output.value_json(find_requirements(space, "DiD"))))
    first = shown["requirements"][0]
    assert shown["method"]["name"] == "difference-in-differences"
    assert first["way"][0]["evidence"]["text"]
    assert first["way"][0]["evidence"]["passage"]
    assert first["tests"][0]["start"]["name"] == "event study"
    assert first["direct"] is True
    assert first["tests"][0]["words"] == "event study tests parallel trends"
    assert space.catalogue.resolve(first["concept"]["passage"]).kind == "node"


@pytest.fixture
def run(home, monkeypatch, capsys, space):
    class Kept:
        def __enter__(self):
            return space

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(
        "consilience.packs.research.commands.open_for_command", lambda *_, **__: Kept()
    )

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["consilience", *words, "-w", str(home)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return command


def test_the_commands_print_what_can_be_read(run):
    code, out, _ = run("audit-assumptions", "DiD")
    assert code == 0
    assert out.startswith(
        "difference-in-differences (method) requires 1 thing, and 1 through its parts\n"
    )
    assert " 1. parallel trends (assumption)\n" in out
    assert "    tested by\n      event study\n        “an event study tests" in out
    assert "    when it fails\n      conditional trends generalizes parallel trends\n" in out
    assert "    not said here: how it is tested\n" in out
    assert "notes.md · Panels" in out
    code, out, _ = run("neighbourhood", "cross-fitting", "--hops", "2", "--type", "REQUIRES")
    assert code == 0
    assert out.startswith("cross-fitting (method)\n  is required by\n    double machine learning\n")
    code, out, _ = run("neighbourhood", "phlogiston")
    assert out.endswith("no text or graph here says how it relates to others\n")
    code, out, _ = run("neighbourhood", "DML", "--json")
    assert {one["words"] for one in json.loads(out)["near"]} == {"requires", "addresses"}


def test_a_narrow_terminal_gets_lines_that_fit(run, monkeypatch):
    narrow = Console(width=80, force_terminal=True, no_color=True, highlight=False)
    monkeypatch.setattr(sys.modules["consilience.cli.app"], "out", narrow)
    _, out, _ = run("audit-assumptions", "DiD")
    lines = [line for line in out.splitlines() if "\x1b" not in line]
    assert max(map(len, lines)) <= 80
