import pytest

from consilience.errors import UsageError
from consilience.measure.data_model import Golden, Judgement, Question
from consilience.measure.derived_passages import edges_in
from consilience.measure.golden import question_digest
from consilience.measure.label_resolver import contains_quote, resolve
from consilience.measure.suggestions import (
    POOLED_FUSERS,
    LabelWriter,
    Pooling,
    Suggester,
    best_sentence,
    generate_ideas,
    pool,
    read_questions,
)
from consilience.types import Locator


def passages(workspace):
    return [
        one
        for collection in workspace.catalogue.counts()
        for one in workspace.catalogue.each(collection)
    ]


# --- questions made by rule -------------------------------------------------------------


def asked(*given, count=50, **more):
    return {one.text: one for one in generate_ideas(given, count=count, seed=1, **more)}


def test_a_heading_of_several_words_gives_a_question(passage):
    def under(heading):
        return passage(text="Loom.", locator=Locator(section=("Part", heading)))

    assert set(asked(under("2.1 The tower by day:"))) == {"What is said about The tower by day?"}
    assert not asked(under("Summary"))
    assert not asked(under("Who kept it?"))


def test_a_row_asks_for_its_cells_and_knows_the_values(passage):
    row = passage(
        kind="row", metadata={"name": "Cordouan", "height_m": 67.5, "lit": 1611.0, "old": True}
    )
    found = asked(row)
    assert set(found) == {"What is the height m of Cordouan?", "What is the lit of Cordouan?"}
    assert found["What is the height m of Cordouan?"].facts[0].value == "67.5"
    assert found["What is the lit of Cordouan?"].facts[0].value == "1611"


def test_nodes_and_edges_are_asked_about_by_name(workspace):
    found = asked(*passages(workspace))
    assert "How is Bell Rock connected with Robert Stevenson?" in found
    assert "What is known about John Smeaton?" in found


def test_every_kind_of_question_comes_in_turn_and_a_seed_decides(workspace):
    given = passages(workspace)
    first = generate_ideas(given, count=4, seed=1)
    assert len({one.category for one in first}) == len(
        {one.category for one in asked(*given).values()}
    )
    assert generate_ideas(reversed(given), count=4, seed=1) == first
    assert generate_ideas(given, count=4, seed=2) != first
    known = {question_digest(Question(id="", text=one.text)) for one in first}
    assert not {one.text for one in first} & set(asked(*given, known=known))


# --- evidence from several methods ------------------------------------------------------


def test_the_pool_holds_the_finds_of_every_source_and_of_fusers(workspace):
    found = pool("Robert Stevenson tower on a reef", workspace.engine, Pooling(depth=2))
    sources = {name for name in found.methods if not name.startswith(("fused/", "search"))}
    assert {"documents/bm25", "documents/dense", "graph/bm25", "tables/dense"} <= sources
    assert {f"fused/{one}" for one in POOLED_FUSERS} <= set(found.methods)
    assert "search" in found.methods
    kinds = {one.kind for one in found.candidates}
    assert {"row", "node", "document"} <= kinds
    assert len({one.id for one in found.candidates}) == len(found.candidates)


def test_the_order_of_the_pool_tells_nothing_of_ranks(workspace):
    text = "Robert Stevenson tower on a reef"
    orders = {
        tuple(one.id for one in pool(text, workspace.engine, Pooling(seed=seed)).candidates)
        for seed in range(4)
    }
    assert len(orders) > 1
    assert len({frozenset(order) for order in orders}) == 1
    again = pool(text, workspace.engine, Pooling(seed=3))
    assert again == pool(text, workspace.engine, Pooling(seed=3))


def test_a_path_is_judged_by_its_edges(workspace):
    text = "How is Bell Rock connected to John Smeaton?"
    edges = edges_in(workspace.catalogue)
    found = pool(text, workspace.engine, Pooling(depth=1, edges=edges))
    assert "graph/paths" in found.methods
    assert set(edges.values()) <= {one.id for one in found.candidates}
    assert "path" not in {one.kind for one in found.candidates}


def test_the_passage_that_gave_the_idea_is_among_the_others(workspace):
    (origin,) = [one for one in passages(workspace) if "Oil gave way" in one.text]
    found = pool("Bell Rock", workspace.engine, Pooling(depth=1), origin=origin.id)
    assert origin in found.candidates
    assert "rule" in found.methods


# --- proposals --------------------------------------------------------------------------


def test_every_proposed_judgement_points_at_its_passage(workspace):
    maker = Suggester(workspace, seed=1)
    for idea in maker.ideas(12):
        proposal = maker.suggest(idea)
        assert proposal.candidates
        for number, one in enumerate(proposal.candidates):
            question = Question(id=f"q{number}", text="?", judgements=(one.judgement,))
            found = resolve(Golden(name="g", questions=(question,)), workspace.catalogue)
            assert one.passage.id in found.strict[question.id]
            assert "/" not in one.judgement.document  # the shortest end that is clear


def test_rows_with_one_name_are_told_apart(opened, evidence):
    (evidence / "twice.csv").write_text("name,year\nOak,1\nOak,2\n", encoding="utf-8")
    space = opened()
    space.add([evidence])
    rows = [one for one in space.catalogue.each("tables") if "Oak" in one.text]
    labels = LabelWriter(space.catalogue)
    assert len({labels.judgement(one, "?").locator.row for one in rows}) == 2


def test_a_proposal_becomes_a_question(workspace):
    maker = Suggester(workspace)
    proposal = maker.suggest(maker.ideas(1)[0])
    yes = Judgement(document="lamps.txt", quote="Oil gave way", grade=2)
    no = Judgement(document="lamps.txt", quote="Fresnel arranged", grade=0)
    question = proposal.question([yes, no])
    assert question.judgements == (yes, no)
    assert question.pool == proposal.methods
    assert not question.unanswerable
    assert proposal.question([no]).unanswerable
    assert proposal.question([yes], taken={question.id}).id == f"{question.id}-2"


def test_the_quotation_is_the_sentence_nearest_to_the_question(passage):
    text = "The tower was striped. Its lamp burned colza oil until 1870. Nobody remembers why."
    assert best_sentence(passage(text=text), "Which oil did the lamp burn?") == (
        "Its lamp burned colza oil until 1870."
    )
    assert contains_quote(text, "colza oil")
    assert not contains_quote(text, "olive oil")
    assert best_sentence(passage(text="Short."), "?") == "Short."


def test_own_questions_are_read_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# remark\nHow  tall?\n\nWho built it?\tpeople\n", encoding="utf-8")
    found = read_questions(path, category="any")
    assert [(one.text, one.category) for one in found] == [
        ("How tall?", "any"),
        ("Who built it?", "people"),
    ]
    known = {question_digest(Question(id="", text="how tall?"))}
    assert [one.text for one in read_questions(path, known=known)] == ["Who built it?"]
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(UsageError, match="holds no question"):
        read_questions(path)
    with pytest.raises(UsageError, match="cannot read the questions"):
        read_questions(tmp_path / "none.txt")
