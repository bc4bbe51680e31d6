"""What expansion does to a search: in words, in meaning, in `why`, and nothing when turned off."""

from dataclasses import replace

import pytest

from consilience import open_workspace
from consilience.engine.plan import SYNONYM, plan
from consilience.explain import explain_result
from consilience.packs.research import PACK
from consilience.packs.research.expanding import expand, means, offers
from consilience.settings import build_settings
from consilience.types import Query
from consilience.workspace.layout import init_workspace
from tests_shared import WordVectors, with_questions

NOTES = {
    "spelt-out.md": "# Variation\n\nInstrumental variables borrow variation from outside.\n",
    "model.md": "# Arrows\n\nA structural causal model assigns each variable an equation.\n",
    "donors.md": "# Donors\n\nThe synthetic control method weighs untreated regions.\n",
    "other.md": "# Kitchen\n\nBread assumes flour, water, salt and patience.\n",
}
CONCEPTS = """
concepts:
- name: instrumental variables
  kind: method
  aliases: [IV]
  definition: Variation from outside moves the treatment alone.
  relations:
  - {type: REQUIRES, to: exclusion restriction, confidence: 0.9, document: spelt-out.md,
     quote: Instrumental variables borrow variation from outside}
  - {type: USES, to: first stage, confidence: 0.5, document: spelt-out.md,
     quote: Instrumental variables borrow variation from outside}
- {name: exclusion restriction, kind: assumption, definition: No other way leads to the outcome.}
- {name: first stage, kind: method, definition: The treatment is regressed on the instrument.}
- {name: local average treatment effect, kind: estimand, aliases: [LATE], definition: Of compliers.}
"""
SETTINGS = {"pack": "research", "models.rerank": "none", "retrieve.hard_ms": 30_000}
ASKED = "What does IV assume?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("expanding")
    files = place / "files"
    files.mkdir()
    for name, text in NOTES.items():
        (files / name).write_text(text, encoding="utf-8")
    (files / "tiny.concepts.yaml").write_text(CONCEPTS, encoding="utf-8")
    folder = init_workspace(place / "space", pack="research")
    (folder / "synonyms.toml").write_text('loaf = ["bread"]\n', encoding="utf-8")
    with open_workspace(folder, settings=build_settings(SETTINGS), embedder=WordVectors()) as space:
        space.add([files])
    return folder


@pytest.fixture(scope="module")
def space(folder):
    with open_workspace(folder, settings=build_settings(SETTINGS), embedder=WordVectors()) as space:
        yield space


def found(space, text, source, **how):
    """The files that a source found, best first."""
    result = space.find(Query(text=text, collections=("papers",), **how))
    rankings = {one.source: one for one in result.trace.rankings}
    ids = [one.id for one in rankings[source].found] if source in rankings else []
    held = space.catalogue.get(ids)
    return [held[key].document.rpartition("/")[2] for key in ids]


def terms(space, text, **how):
    return {one.text: one.weight for one in space.find(Query(text=text, **how)).trace.plan.terms}


def test_the_pack_has_its_expansion():
    assert (PACK.questions.expand, PACK.questions.means, PACK.questions.offers) == (
        expand,
        means,
        offers,
    )


def test_words_find_a_passage_that_only_has_the_other_name_and_not_without(space):
    assert found(space, ASKED, "papers/bm25")[0] == "spelt-out.md"
    assert "spelt-out.md" not in found(space, ASKED, "papers/bm25", expand=False)


def test_meaning_votes_a_second_time_for_the_expanded_question_and_not_without(space):
    result = space.find(Query(text=ASKED, collections=("papers",)))
    hit = next(one for one in result.hits if one.passage.document.endswith("spelt-out.md"))
    votes = {vote.source: vote for vote in hit.votes}
    assert votes["papers/dense+terms"].contribution > 0
    assert votes["papers/dense+terms"].score > votes["papers/dense"].score + 0.1
    assert found(space, ASKED, "papers/dense+terms", expand=False) == []


def test_the_workspace_s_own_synonyms_work_beside_the_table(space):
    assert {"bread", "instrumental variables"} <= terms(
        space, "IV and the loaf on the table"
    ).keys()
    assert found(space, "a loaf", "papers/bm25") == ["other.md"]
    assert found(space, "a loaf", "papers/bm25", expand=False) == []


def test_an_ambiguous_name_is_offered_to_the_person_and_finds_all_it_may_mean(space):
    result = space.search("What does SCM assume?")
    assert [note.message for note in result.notes if note.origin == "question"] == [
        "“SCM” may mean structural causal model or synthetic control method; say which"
    ]
    assert {"model.md", "donors.md"} <= set(found(space, "What does SCM assume?", "papers/bm25"))
    assert any("may mean" in note.message for note in space.ask("What does SCM assume?").notes)
    clear = space.search("What does SCM assume of its donor pool?")
    assert not any("may mean" in note.message for note in clear.notes)
    assert not any(
        "may mean" in note.message
        for note in space.find(Query(text="What does SCM assume?", expand=False)).notes
    )


def test_neighbours_in_the_graph_are_added_by_the_weight_of_their_edge(space):
    added = added_by(space, neighbours=0.4)
    assert added["exclusion restriction"] == pytest.approx(SYNONYM * 0.4 * 1.0 * 0.9, abs=1e-3)
    assert added["first stage"] == pytest.approx(SYNONYM * 0.4 * 0.6 * 0.5, abs=1e-3)
    assert not {"exclusion restriction", "first stage"} & added_by(space, neighbours=0.0).keys()


def test_the_nearest_neighbours_have_the_room_that_is_left(space):
    added = added_by(space, "IV and its use", neighbours=0.4)
    assert list(added)[:2] == ["instrumental variables", "exclusion restriction"]
    assert sum(len(name.split()) for name in added) <= 5  # IV counts as two words


def added_by(space, text="IV and all that one must assume for it", *, neighbours):
    known = space.engine.knowledge
    known = replace(known, pack=with_questions(known.pack, neighbours=neighbours))
    return {one.text: one.weight for one in plan(Query(text=text), known).terms}


def test_an_ordinary_word_names_no_node(space):
    seeds = {
        text: {seed for ask in space.search(text).trace.plan.asks for seed in ask.request.seeds}
        for text in ("What is the LATE?", "It came too late for the data that we have")
    }
    assert [bool(one) for one in seeds.values()] == [True, False]


def test_why_shows_the_terms_and_the_second_vote(space):
    def why(**how):
        result = space.find(Query(text="What does SCM assume?", collections=("papers",), **how))
        told = explain_result(result, space.engine)
        return "\n".join((*told.plan, *(line for one in told.hits for line in one.lines)))

    assert "also looked for: synthetic control method (weight 0.4, for 'SCM')" in why()
    assert "papers/dense+terms" in why()
    assert "also looked for" not in why(expand=False)
    assert "dense+terms" not in why(expand=False)


class Overlap:
    """A reranker that scores by the words a passage shares with what it is given to read."""

    name = "overlap"

    def __init__(self):
        self.read = []

    async def rerank(self, text, passages):
        self.read.append(text)
        words = set(text.casefold().split())
        return [float(len(words & set(one.text.casefold().split()))) for one in passages]


def test_a_reranker_reads_the_question_with_its_abbreviations_spelt_out(space):
    reader = Overlap()
    engine = replace(space.engine, reranker=reader)
    for how in ({}, {"expand": False}):
        space.search_with(engine, Query(text=ASKED, collections=("papers",), **how))
    assert reader.read == ["What does instrumental variables assume?", ASKED]
