"""Questions to a real workspace on real engines, from files to explained hits."""

import pytest

from consilience.explain import total, why
from consilience.types import Query


def best(result):
    return result.hits[0].passage


def statuses(result):
    return {one.source: one.status for one in result.trace.outcomes}


def test_prose_is_found_by_words_and_meaning(workspace):
    result = workspace.search("who dovetailed granite?")
    assert best(result).text == "Smeaton dovetailed granite blocks together."
    assert str(best(result).locator) == "Eddystone"
    votes = {part.source for vote in result.hits[0].votes for part in vote.parts}
    assert votes == {"documents/bm25", "documents/dense"}


def test_a_named_row_is_found_by_sql_too(workspace):
    result = workspace.search("how tall is Cordouan?")
    assert result.trace.plan.intent == "lookup"
    assert best(result).metadata["height"] == 67
    assert statuses(result)["tables/sql"] == "ok"
    assert statuses(workspace.search("glass prisms"))["tables/sql"] == "skipped"


def test_two_named_things_are_joined_by_a_path_that_can_be_cited(workspace):
    result = workspace.search("how is Bell Rock connected to John Smeaton?")
    assert result.trace.plan.intent == "relation"
    paths = [hit.passage for hit in result.hits if hit.passage.kind == "path"]
    chain = next(one for one in paths if "relations" in one.metadata)
    assert "Bell Rock → (built by) → Robert Stevenson → (learned from) → John Smeaton" in chain.text
    assert "Stevenson built it." in chain.text
    assert workspace.catalogue.resolve(chain.id[:12]) == chain


def test_an_alias_in_the_graph_finds_passages_that_never_use_it(workspace):
    plain = workspace.find(Query(text="Inchcape", collections=("documents",), expand=False))
    assert not [one for one in plain.trace.outcomes if one.source.endswith("bm25") and one.count]
    found = workspace.find(Query(text="Inchcape", collections=("documents",)))
    assert [term.text for term in found.trace.plan.terms] == ["bell rock"]
    assert best(found).locator.section == ("Bell Rock",)


def test_a_synonym_of_the_workspace_reaches_the_engine(workspace):
    (workspace.folder / "synonyms.toml").write_text('ashlar = ["granite blocks"]\n')
    found = workspace.find(Query(text="ashlar", collections=("documents",)))
    assert best(found).text.startswith("Smeaton")
    assert any("bm25" in one.source and one.count for one in found.trace.outcomes)


def test_the_score_shown_is_the_sum_that_is_told(workspace):
    result = workspace.search("Bell Rock tower")
    for hit in result.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-9)
        assert f"score {hit.score:.6f}" in why(hit)[-1]
    lines = "\n".join(why(result.hits[0]))
    for vote in result.hits[0].votes:
        assert f"{vote.source}: rank {vote.rank}" in lines


def test_the_same_question_gives_the_same_answer(workspace):
    first, second = (workspace.search("light on a rock") for _ in range(2))
    assert [(h.passage.id, h.score) for h in first.hits] == [
        (h.passage.id, h.score) for h in second.hits
    ]
