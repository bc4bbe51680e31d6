"""How two concepts connect: the right chain, its evidence, its arithmetic, and a plain no."""

import json
import math
import shutil
import sys

import pytest
from chains_shared import CONCEPTS, build, concept, names, relation, reopened, write_concepts

from consilience import json_output
from consilience.cli import main, search
from consilience.errors import UsageError
from consilience.packs.research.opening import opens
from consilience.types import Exhibit
from consilience.workspace import init_workspace
from consilience.workspace.graph_paths import chain_factors, describe_chain, why_first
from consilience.workspace.supporting_passage import supporting_passages
from tests_shared import make_passage


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chains")
    yield build(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def space(home):
    with reopened(home) as space:
        yield space


WAY = ["double machine learning", "cross-fitting", "sample splitting"]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("DML", "sample splitting"),
        ("dml", "Sample-Splitting"),
        ("Double Machine Learning", "sample_splitting"),
        ("debiased machine learning", "sample splittings"),
    ],
)
def test_a_chain_is_found_under_every_spelling(space, start, end):
    [chain, *_] = space.paths(start, end)
    assert names(chain) == WAY
    assert [(one.relation, one.forward) for one in chain.links] == [("requires", True)] * 2
    [back, *_] = space.paths(end, start)
    assert names(back) == WAY[::-1]
    assert not any(link.forward for link in back.links)


def test_a_name_that_is_a_common_word_can_be_meant_here(space):
    [chain, *_] = space.paths("DiD", "event study")
    assert names(chain) == ["difference-in-differences", "parallel trends", "event study"]


def test_every_step_leads_to_the_passage_that_has_its_words(space):
    [chain, *_] = space.paths("DML", "sample splitting")
    borne = supporting_passages(space.catalogue)
    found = [borne(link.passage) for link in chain.links]
    assert [one.document.endswith("notes.md") for one in found] == [True, True]
    assert [one.locator.section for one in found] == [("Splitting",)] * 2
    for link, passage in zip(chain.links, found, strict=True):
        assert link.passage.metadata["quote"] in passage.text
        assert passage.collection == "papers"


def test_the_factors_of_a_chain_multiply_to_its_score(space):
    for start, end in (("DML", "sample splitting"), ("DML", "matching"), ("DiD", "donor pool")):
        for chain in space.paths(start, end):
            parts = chain_factors(chain)
            assert len(parts) == len(chain.links)
            assert math.prod(one.product for one in parts) == pytest.approx(chain.score)
    [chain] = space.paths("DML", "sample splitting")
    assert chain.score == pytest.approx(1.0 * 1.0 * (1.0 * 0.9) * 0.5)
    assert describe_chain(chain) == "requires 1, then requires 1 × 0.9 × 0.5 = 0.45"


def test_a_turn_counts_as_a_step_and_sharing_a_problem_as_one_more(space):
    [chain] = space.paths("DML", "matching")  # both address confounding
    assert [one.turns for one in chain_factors(chain)] == [0, 2]
    assert chain.score == pytest.approx(0.85 * 0.9 * 0.85 * 0.5**3)
    assert "0.125 for the turn to the same" in describe_chain(chain)
    [chain, *_] = space.paths("event study", "DiD")  # one tests what the other requires
    assert [one.turns for one in chain_factors(chain)] == [0, 1]
    assert chain.score == pytest.approx(0.9 * 1.0 * 0.5**2)


def test_what_only_a_shared_problem_and_more_would_join_is_unrelated(space):
    assert space.paths("cross-fitting", "overlap") == []  # up to a problem and down again
    assert space.paths("DML", "phlogiston") == []
    [chain] = space.paths("overfitting", "matching")  # a text speaks of both, the graph joins none
    assert [link.relation for link in chain.links] == ["together with"]


def test_a_chain_that_keeps_its_sense_wins_over_one_through_a_hub(tmp_path):
    """Of two ways of the same kinds and lengths the one that reads on; why is told."""
    file = write_concepts(
        tmp_path / "hub.concepts.yaml",
        [
            concept("a", "", relation("USES", "middle", "1"), relation("USES", "hub", "2")),
            concept("middle", "", relation("USES", "b", "3")),
            concept("b", "", relation("USES", "hub", "4")),
            concept("hub", ""),
            *(concept(f"other {at}", "", relation("USES", "hub", "5")) for at in range(20)),
        ],
    )
    with reopened(_made(tmp_path)) as space:
        space.add([file])
        first, second = space.paths("a", "b")
    assert names(first)[1:-1] == ["middle"]
    assert names(second)[1:-1] == ["hub"]
    assert why_first([first, second]) == (
        "the second weighs 25% of the first: × 0.25 by length and turns"
    )


def _made(folder):
    return init_workspace(folder / "space", pack="research")


def test_the_stronger_relation_wins_and_the_reason_is_told(tmp_path):
    file = write_concepts(
        tmp_path / "kinds.concepts.yaml",
        [
            concept("a1", "", relation("USES", "x1", "1"), relation("REQUIRES", "y1", "2", 0.8)),
            concept("x1", "", relation("REQUIRES", "b1", "3")),
            concept("y1", "", relation("REQUIRES", "b1", "4")),
            concept("b1", ""),
        ],
    )
    with reopened(_made(tmp_path)) as space:
        space.add([file])
        first, second = space.paths("a1", "b1")
        limited = space.paths("a1", "b1", limit=1)
    assert [names(one)[1] for one in (first, second)] == ["y1", "x1"]
    assert limited == [first]
    assert why_first([first, second]) == (
        "the second weighs 75% of the first: × 0.6 by kinds of relation, × 1.25 by confidence"
    )


def test_an_edge_of_no_weight_is_never_walked(tmp_path):
    lines = [
        *({"node": one} for one in ("a", "b", "c")),
        {"edge": ["a", "LEADS_TO", "b"], "weight": 0},
        {"edge": ["b", "LEADS_TO", "c"], "weight": 0.5},
    ]
    file = tmp_path / "zero.graph.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    with reopened(_made(tmp_path)) as space:
        space.add([file])
        assert space.paths("a", "b") == []
        assert space.paths("a", "c") == []
        assert [names(one) for one in space.paths("c", "b")] == [["c", "b"]]


def test_unknown_names_are_refused_with_those_that_come_near(space):
    with pytest.raises(UsageError, match="did you mean 'double machine learning'"):
        space.paths("doubel machine lerning", "overlap")
    with pytest.raises(UsageError, match="did you mean 'cross-fitting'"):
        space.paths("crossfitting", "overlap")
    with pytest.raises(UsageError, match="no graph here names 'quaternions'; a search"):
        space.paths("quaternions", "overlap")


def test_two_files_tell_of_one_concept(tmp_path):
    one = write_concepts(
        tmp_path / "one.concepts.yaml",
        [concept("Cross-Fitting", "method", relation("USES", "folds", "q")), concept("folds", "")],
    )
    other = write_concepts(
        tmp_path / "two.concepts.yaml",
        [concept("stacking", "method", relation("USES", "cross fitting", "q"))],
    )
    with reopened(_made(tmp_path)) as space:
        space.add([one, other])
        [chain] = space.paths("stacking", "folds")
    assert names(chain)[1].lower().replace("-", " ") == "cross fitting"


def test_the_json_has_each_step_with_factors_quote_and_passage(space):
    chains = space.paths("DML", "sample splitting")
    told_json = json_output.paths_json(chains, supporting_passages(space.catalogue))
    [path] = json.loads(json.dumps(told_json))["paths"]
    step = path["steps"][1]
    assert (step["kind"], step["confidence"], step["decay"], step["turns"]) == (1.0, 0.9, 0.5, 0)
    assert step["quote"] == "Cross-fitting requires sample splitting"
    assert step["quote"] in step["evidence"]["text"]
    assert step["evidence"]["locator"]
    assert path["arithmetic"].endswith("= 0.45")
    assert told_json["why"] == "no other chain was found"
    assert json_output.paths_json(chains)["paths"][0]["steps"][0]["evidence"] is None
    assert json_output.paths_json([])["paths"] == []


@pytest.fixture
def run(home, monkeypatch, capsys, space):
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: space.embedder)
    monkeypatch.setattr("consilience.cli.search.open_for_command", lambda *_, **__: _Kept(space))

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["consilience", *words, "-w", str(home)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return command


class _Kept:
    """A workspace that stays open for the next test."""

    def __init__(self, space):
        self.space = space

    def __enter__(self):
        return self.space

    def __exit__(self, *_):
        return None


def test_the_command_tells_chain_evidence_and_arithmetic(run):
    code, out, _ = run("path", "DML", "sample splitting")
    assert code == 0
    line = "double machine learning → (requires) → cross-fitting → (requires) → sample splitting"
    assert f" 1. {line}\n" in out
    assert "“Cross-fitting requires sample splitting”" in out
    assert "notes.md · Splitting" in out
    assert "requires 1, then requires 1 × 0.9 × 0.5 = 0.45" in out
    code, out, _ = run("path", "DML", "phlogiston")
    assert (code, out) == (0, "nothing connects 'DML' and 'phlogiston' within 4 steps\n")
    code, out, _ = run("path", "DML", "phlogiston", "--json")
    assert json.loads(out) == {"paths": [], "why": ""}


def test_words_that_were_never_read_are_told_to_be_missing(tmp_path, monkeypatch, capsys):
    file = write_concepts(
        tmp_path / "lost.concepts.yaml",
        [concept("p1", "", relation("USES", "q1", "words of a paper that is not here")),
         concept("q1", "")],
    )  # fmt: skip
    with reopened(_made(tmp_path)) as space:
        space.add([file])
        monkeypatch.setattr(search, "open_for_command", lambda *_, **__: _Kept(space))
        search.path("p1", "q1", space.folder)
    out = capsys.readouterr().out
    assert "notes.md: no passage here has these words" in out


def test_a_quotation_over_the_end_of_a_passage_is_found_by_its_larger_part(tmp_path):
    halves = "Overlap means that every group has both kinds of people"
    note = tmp_path / "notes.md"
    note.write_text(f"# T\n\n## One\n\n{halves}\n\n## Two\n\nin it at all.\n")
    file = write_concepts(
        tmp_path / "cut.concepts.yaml",
        [concept("p1", "", relation("USES", "q1", f"{halves} in it at")), concept("q1", "")],
    )
    with reopened(_made(tmp_path)) as space:
        space.add([note, file])
        [chain] = space.paths("p1", "q1")
        assert supporting_passages(space.catalogue)(chain.links[0].passage).locator.section == (
            "One",
        )


def test_a_chain_is_a_ranked_item_and_begins_the_answer(space):
    question = "How does DML relate to sample splitting?"
    result = space.search(question)
    chain = "double machine learning → (requires) → cross-fitting → (requires) → sample splitting"
    places = [hit.passage.text.startswith(chain) for hit in result.hits[:5]]
    assert any(places)
    hit = result.hits[places.index(True)]
    parts = [part.source for vote in hit.votes for part in vote.parts]
    assert "concepts/paths" in parts
    answer = space.ask(question)
    assert chain in answer.text
    assert "“Cross-fitting requires sample splitting”" in answer.text
    cited = {one.passage.kind for one in answer.citations}
    assert "path" in cited


def exhibit(mark, kind, text, **fields):
    passage = make_passage(str(mark), text, kind=kind, metadata=fields)
    return Exhibit(mark=mark, passage=passage, label="", text=text)


CHAIN = exhibit(
    1,
    "path",
    "matching → (requires) → overlap ← (requires) ← inverse weighting\n"
    "matching → (requires) → overlap. “Matching needs overlap” (a.md)\n"
    "inverse weighting → (requires) → overlap. “So does weighting” (a.md)",
)
PROSE = exhibit(2, "document", "It is known. So does weighting, always.")
NODE = exhibit(3, "node", "inverse weighting (IWX)", name="inverse weighting", aliases=("IWX",))


@pytest.mark.parametrize(
    "question",
    [
        "How are matching and inverse weighting related?",
        "How does IWX relate to matching?",
        "What has inverse weighting to do with matching?",
    ],
)
def test_a_chain_opens_an_answer_where_it_joins_what_is_named(question):
    chain, first, second = opens(question, [NODE, PROSE, CHAIN], {})
    assert chain.text == "matching → (requires) → overlap ← (requires) ← inverse weighting [1]"
    assert (first.text, second.text) == ("“Matching needs overlap” [1]", "“So does weighting” [2]")


@pytest.mark.parametrize(
    "question",
    [
        "What is matching?",
        "How does matching relate to overlap?",
        "Compare matching and inverse weighting.",
    ],
)
def test_nothing_opens_where_the_chain_joins_something_else(question):
    assert opens(question, [PROSE, CHAIN], {}) == []


def test_the_graph_of_the_tests_has_no_slip():
    known = {str(one["name"]) for one in CONCEPTS} | {"DiD"}
    for one in CONCEPTS:
        assert {each["to"] for each in one["relations"]} <= known


def test_a_short_name_of_several_things_is_tried_as_each(tmp_path):
    folder = _made(tmp_path / "either")
    concepts = [
        concept("synthetic control method", "method", relation("REQUIRES", "donor pool", "d")),
        concept("donor pool", "assumption"),
        concept("structural causal model", "method", relation("USES", "graph of causes", "g")),
        concept("graph of causes", "method"),
    ]
    write_concepts(folder / "either.concepts.yaml", concepts)
    with reopened(folder) as space:
        space.add([folder / "either.concepts.yaml"])
        assert names(space.paths("SCM", "donor pool")[0])[-1] == "donor pool"
        assert names(space.paths("SCM", "graph of causes")[0])[-1] == "graph of causes"


def test_a_question_of_two_letters_is_heard_where_they_stand_for_something(tmp_path):
    folder = _made(tmp_path / "short")
    method = concept("instrumental variables", "method", relation("USES", "first stage", "f"))
    file = write_concepts(folder / "iv.concepts.yaml", [method, concept("first stage", "method")])
    with reopened(folder) as space:
        space.add([file])
        assert not space.ask("What is IV?").abstained
        refused = space.ask("What is it?")
    assert refused.abstained
    assert "no word that says what it is about" in refused.text
