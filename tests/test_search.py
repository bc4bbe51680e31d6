"""Questions to a real workspace on real engines, from files to explained hits."""

import asyncio

import pytest

from consilience.explain import total, why, why_not
from consilience.types import Filter, Query


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
    plain = workspace.ask(Query(text="Inchcape", collections=("documents",), expand=False))
    assert not [one for one in plain.trace.outcomes if one.source.endswith("bm25") and one.count]
    found = workspace.ask(Query(text="Inchcape", collections=("documents",)))
    assert [term.text for term in found.trace.plan.terms] == ["bell rock"]
    assert best(found).locator.section == ("Bell Rock",)


def test_a_synonym_of_the_workspace_reaches_the_engine(workspace):
    (workspace.folder / "synonyms.toml").write_text('ashlar = ["granite blocks"]\n')
    found = workspace.ask(Query(text="ashlar", collections=("documents",)))
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


def absent(workspace, question, wanted, **more):
    passage = next(
        one
        for name in workspace.catalogue.counts()
        for one in workspace.catalogue.each(name)
        if wanted in one.text
    )
    query = Query(text=question, **more)
    return asyncio.run(why_not(query, passage, workspace.engine))


def test_why_not_says_when_it_is_there(workspace):
    found = absent(workspace, "granite", "granite")
    assert (found.step, found.place) == ("present", 1)


def test_why_not_knows_a_filter(workspace):
    found = absent(workspace, "granite", "granite", filters=(Filter("kind", "=", "row"),))
    assert found.step == "filter"
    assert "kind = row does not hold: it has 'document'" in found.reasons[0]
    found = absent(workspace, "granite", "granite", collections=("tables",))
    assert found.step == "filter"
    assert "which was not asked" in found.reasons[0]


def test_why_not_knows_a_cut_and_what_limit_it_takes(workspace):
    found = absent(workspace, "granite", "Fresnel", limit=1)
    assert found.step in ("cut", "share cap")
    place = int(found.remedy.split("limit of ")[1].split()[0])
    again = absent(workspace, "granite", "Fresnel", limit=place)
    assert again.step == "present"


def test_why_not_finds_the_true_rank_of_what_was_never_retrieved(opened, evidence):
    space = opened(**{"retrieve.depth": 1})
    space.add([evidence])
    found = absent(space, "granite", "Fresnel", limit=1)
    assert found.step == "retrieve"
    reasons = dict(reason.split(": ", 1) for reason in found.reasons)
    assert reasons["documents/bm25"].startswith("does not match")
    rank = int(reasons["documents/dense"].split("true rank ")[1].split(",")[0])
    assert rank > 1
    assert f"set retrieve.depth to {rank} or more" in found.remedy


def test_why_not_names_the_passage_that_stands_for_it(opened, evidence):
    text = "# {}\n\nA lantern room was glazed with thick plate glass against gales and birds.\n"
    for name in ("North", "South"):
        (evidence / f"{name}.md").write_text(text.format(name))
    space = opened()
    space.add([evidence])
    hits = space.search("lantern room plate glass").hits
    lost = hits[0].merged[0]
    passage = space.catalogue.resolve(lost)
    query = Query(text="lantern room plate glass")
    found = asyncio.run(why_not(query, passage, space.engine))
    assert found.step == "dedupe"
    assert hits[0].passage.id[:12] in found.reasons[0]
    assert "refine.duplicate" in found.remedy


def test_why_not_knows_the_window(opened, evidence):
    space = opened(**{"refine.window": 2})
    space.add([evidence])
    found = absent(space, "granite", "Fresnel", limit=1)
    assert found.step == "window"
    assert "set refine.window to" in found.remedy


def test_the_same_question_gives_the_same_answer(workspace):
    first, second = (workspace.search("light on a rock") for _ in range(2))
    assert [(h.passage.id, h.score) for h in first.hits] == [
        (h.passage.id, h.score) for h in second.hits
    ]
