"""Papers that others cite: how they rank, what a passage gains by it, and who is left alone."""

import random

import numpy as np
import pytest
from citations_shared import install, write_papers

from consilience.engine.citation_rank import DAMPING, Cited, cited_works, page_ranks
from consilience.engine.refine import Refined, cite
from consilience.evidence.catalogue import Catalogue
from consilience.explain import total, why
from consilience.measure.tuning import list_parameters
from consilience.types import Hit, Vote
from consilience.workspace.settings_variant import Variant, vary_settings


def solved(pairs):
    """The same ranks, as the solution of the equations that define them."""
    names = sorted({end for pair in pairs for end in pair})
    size = len(names)
    moves = np.zeros((size, size))
    for source, target in pairs:
        moves[names.index(target), names.index(source)] = 1
    out = moves.sum(axis=0)
    moves = np.where(out > 0, moves / np.where(out > 0, out, 1), 1 / size)
    found = np.linalg.solve(np.eye(size) - DAMPING * moves, np.full(size, (1 - DAMPING) / size))
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_ranks_solve_their_equations(seed):
    chance = random.Random(seed)
    ends = [f"w {number}" for number in range(12)]
    pairs = sorted({(chance.choice(ends[:8]), chance.choice(ends)) for _ in range(25)})
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    ranks, least = page_ranks(pairs)
    assert ranks == pytest.approx(solved(pairs), abs=1e-8)
    assert sum(ranks.values()) == pytest.approx(1)
    uncited = [name for name in ranks if name not in {target for _, target in pairs}]
    assert all(ranks[name] == pytest.approx(least) for name in uncited)


def test_works_are_placed_by_who_cites_them():
    works = {"a.pdf": "a", "b.pdf": "b", "c.pdf": "c", "d.pdf": "d", "copy.pdf": "a"}
    pairs = [("b", "a"), ("c", "a"), ("d", "a"), ("c", "b"), ("d", "elsewhere"), ("a", "a")]
    found = cited_works(works, [*pairs, ("b", "a")])
    assert found.keys() == {"a.pdf", "b.pdf", "copy.pdf"}
    assert str(found["a.pdf"]) == "cited by 3 works here (rank 1 of 4)"
    assert str(found["b.pdf"]) == "cited by 1 work here (rank 2 of 4)"
    assert found["a.pdf"] == found["copy.pdf"]
    assert found["a.pdf"].share == 1.0
    assert 0 < found["b.pdf"].share < 1


def test_one_that_is_cited_by_well_cited_papers_stands_higher():
    works = {name: name for name in "abcdxy"}
    pairs = [("b", "a"), ("c", "a"), ("d", "a"), ("a", "x"), ("d", "y")]
    found = cited_works(works, pairs)
    assert (found["x"].by, found["y"].by) == (1, 1)
    assert found["x"].place < found["y"].place
    assert found["x"].share > found["y"].share


def test_works_that_stand_alike_share_a_place():
    works = {name: name for name in "abcd"}
    found = cited_works(works, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    assert [found[name].place for name in "dbc"] == [1, 2, 2]


def test_without_citations_of_what_is_here_there_is_nothing():
    assert cited_works({}, []) == {}
    assert cited_works({"a.pdf": "a"}, [("a", "elsewhere"), ("a", "a")]) == {}


@pytest.fixture
def hits(passage):
    def make(*told):
        votes = [
            Vote(source="c/x", rank=1, score=1.0, weight=1.0, contribution=one[1]) for one in told
        ]
        return Refined(
            hits=tuple(
                Hit(passage=passage(key, document=f"{key}.pdf", **more), score=score, votes=(vote,))
                for (key, score, more), vote in zip(told, votes, strict=True)
            )
        )

    return make


FOUND = {
    "b.pdf": Cited(by=3, place=2, works=28, share=0.5),
    "c.pdf": Cited(by=9, place=1, works=28, share=1.0),
}


def test_a_passage_of_a_cited_paper_gains_and_says_why(hits):
    before = hits(("a", 1.0, {}), ("b", 0.9, {}), ("c", 0.5, {"kind": "citation"}))
    after = cite(before, FOUND, weight=0.4)
    assert [hit.passage.id for hit in after.hits] == ["b", "a", "c"]
    first = after.hits[0]
    assert first.score == pytest.approx(0.9 * (1 + 0.4 * 0.5)) == pytest.approx(total(first))
    assert "citations: +0.180000 (cited by 3 works here (rank 2 of 28))" in why(first)
    assert [hit.changes for hit in after.hits[1:]] == [(), ()]


def test_a_score_below_0_gains_too(hits):
    after = cite(hits(("a", -0.4, {}), ("b", -0.5, {})), FOUND, weight=0.8)
    assert [(hit.passage.id, hit.score) for hit in after.hits] == [
        ("b", pytest.approx(-0.3)),
        ("a", -0.4),
    ]


def test_a_weight_of_0_or_no_citations_change_nothing(hits):
    before = hits(("a", 1.0, {}), ("b", 0.9, {}))
    assert cite(before, FOUND, weight=0.0) is before
    assert cite(before, {}, weight=0.4) is before


# --- in a workspace ---------------------------------------------------------------------

QUESTION = "a tower of granite blocks with a lamp behind glass"


@pytest.fixture
def papers(tmp_path):
    return write_papers(tmp_path / "papers")


@pytest.fixture
def cited(monkeypatch, opened, papers):
    def make(**values):
        install(monkeypatch)
        space = opened(pack="cited", **values)
        space.add([papers])
        return space

    return make


def scores(found):
    return [(hit.passage.document.rpartition("/")[2], hit.score, hit.changes) for hit in found.hits]


def changes(found):
    return {
        name: [one.reason for one in told if one.step == "citations"]
        for name, _, told in scores(found)
    }


def test_the_setting_reaches_the_search(cited):
    told = changes(cited(**{"refine.cited": 0.5}).search(QUESTION))
    assert told == {
        "eskola.md": [],
        "lund.md": [],
        "moran.md": ["cited by 2 works here (rank 1 of 3)"],
    }


def test_by_itself_it_is_off_and_nothing_is_read_for_it(cited, monkeypatch):
    space = cited()
    monkeypatch.setattr(Catalogue, "citations", lambda _: pytest.fail("read for nothing"))
    plain = space.search(QUESTION)
    assert not any(any(told) for told in changes(plain).values())
    monkeypatch.undo()
    loud = Variant(space, vary_settings(space.settings, {"refine.cited": 0.5})).find(plain.query)
    first, other = ({name: score for name, score, _ in scores(one)} for one in (plain, loud))
    assert other == pytest.approx({**first, "moran.md": 1.5 * first["moran.md"]})


def test_what_comes_in_later_counts(cited, papers):
    space = cited(**{"refine.cited": 0.5})
    space.search(QUESTION)
    text = "# More on lamps of the north\n\nGlass lamps.\n\nWORK: berg 2022\n\n"
    (papers / "berg.md").write_text(f"{text}CITES: lund 2020\n\nCITES: moran 2001\n")
    space.add([papers])
    told = changes(space.search(QUESTION))
    assert told["moran.md"] == ["cited by 3 works here (rank 1 of 4)"]
    assert told["lund.md"] == ["cited by 1 work here (rank 2 of 4)"]
    space.remove([papers / "berg.md"])
    assert changes(space.search(QUESTION))["moran.md"] == ["cited by 2 works here (rank 1 of 3)"]


def test_a_workspace_without_citations_is_left_alone(workspace):
    plain = workspace.search("Bell Rock tower")
    loud = Variant(workspace, vary_settings(workspace.settings, {"refine.cited": 1.0}))
    assert scores(loud.find(plain.query)) == scores(plain)


def test_a_document_of_several_works_ranks_none(cited, papers):
    (papers / "moran.md").write_text("# Both\n\nGranite.\n\nWORK: moran 2001\n\nWORK: noor 1960\n")
    space = cited(**{"refine.cited": 0.5})
    assert not any(changes(space.search(QUESTION)).values())


def test_tuning_tries_it_where_papers_cite_one_another(cited, workspace):
    assert "refine.cited" not in {one.name for one in list_parameters(workspace.engine)}
    workspace.close()
    [found] = [one for one in list_parameters(cited().engine) if one.name == "refine.cited"]
    assert [one.value for one in found.moves] == [0.0, 0.05, 0.1, 0.2]
