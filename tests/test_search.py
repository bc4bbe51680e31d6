"""Questions to a real workspace on real engines, from files to explained hits."""

import asyncio
import json

import pytest

from consilience.errors import UsageError
from consilience.explain import explain_result, total, why, why_not
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


def ids(result):
    return [hit.passage.id for hit in result]


def test_pages_put_together_are_the_whole_list(workspace):
    question = "towers, lamps and lights"
    whole = ids(workspace.search(question, limit=9))
    assert len(whole) > 6
    pages = [workspace.search(question, limit=3, offset=start) for start in (0, 3, 6)]
    assert [key for page in pages for key in ids(page)] == whole
    assert ids(workspace.search(question, limit=3, offset=500)) == []
    assert not workspace.search(question, limit=3, offset=500).abstained


def test_a_document_comes_once_by_its_best_passage(workspace):
    question = "towers, lamps and lights"
    passages = workspace.search(question, limit=20)
    best = list(dict.fromkeys(hit.passage.document for hit in passages))
    assert len(best) < len(passages)
    found = workspace.search(question, limit=2, per="document")
    assert [hit.passage.document for hit in found] == best[:2]
    assert ids(found)[0] == ids(passages)[0]
    second = workspace.search(question, limit=2, offset=1, per="document")
    assert [hit.passage.document for hit in second] == best[1:3]


def test_of_a_file_of_many_texts_each_is_a_document(opened, tmp_path):
    texts = [
        " ".join(
            f"Lamp {n * part} burned {n + part} hours with a steady light." for part in range(20)
        )
        for n in range(3)
    ]
    lines = [{"id": n, "text": text} for n, text in enumerate(texts)]
    (tmp_path / "lamps.jsonl").write_text("\n".join(map(json.dumps, lines)))
    workspace = opened()
    workspace.add(tmp_path / "lamps.jsonl")
    found = workspace.search("which lamp burned with a steady light?", limit=20, per="document")
    assert sorted(hit.passage.metadata["id"] for hit in found) == [0, 1, 2]
    assert len(workspace.search("which lamp burned with a steady light?", limit=20)) > 3


def test_filters_are_typed_in_every_door(workspace):
    wanted = ["country in (Scotland, England) and not height > 40"]
    found = workspace.search("lights", filters=wanted)
    assert [hit.passage.metadata["name"] for hit in found] == ["Bell Rock"]
    answer = workspace.ask("lights", filters=wanted, limit=3)
    assert {hit.passage.metadata["name"] for hit in answer.result} == {"Bell Rock"}
    *_, done = workspace.stream("lights", filters=wanted, limit=3)
    assert done.answer.result.query == answer.result.query

    async def last():
        return [event async for event in workspace.events("lights", filters=wanted, limit=3)][-1]

    assert asyncio.run(last()).answer.result.query == answer.result.query


def test_what_is_no_list_or_no_filter_is_refused_and_opens_no_breaker(workspace):
    for options, message in (
        ({"filters": "kind=row"}, "not a list"),
        ({"collections": "tables"}, "not a list"),
        ({"filters": [Filter("height", "=", [1])]}, "in \\("),
        ({"filters": [3]}, "is not a filter"),
    ):
        for _ in range(6):
            with pytest.raises(UsageError, match=message):
                workspace.search("lights", **options)
    with pytest.raises(UsageError, match="has its own"):
        workspace.ask(Query(text="lights"), limit=3)
    assert {one.status for one in workspace.search("Bell Rock").trace.outcomes} == {"ok"}


def test_why_not_names_the_page_and_the_document(workspace):
    question = "towers, lamps and lights"
    whole = workspace.search(question, limit=20)
    query = Query(text=question, limit=2, per="document")
    shown = {hit.passage.id for hit in workspace.find(query)}
    first = whole.hits[0].passage.document
    hidden = next(
        hit.passage.id
        for hit in whole
        if hit.passage.document == first and hit.passage.id not in shown
    )
    passage = next(hit.passage for hit in whole if hit.passage.id == hidden)
    lost = asyncio.run(why_not(query, passage, workspace.engine))
    assert lost.step == "document"
    assert "shown once" in lost.reasons[0]
    page = Query(text=question, limit=2, offset=3)
    earlier = asyncio.run(why_not(page, whole.hits[1].passage, workspace.engine))
    assert (earlier.step, earlier.place) == ("offset", 2)
    assert "offset of 1" in earlier.remedy
    explained = explain_result(workspace.find(page), workspace.engine, "4")
    assert [one.hit.passage.id for one in explained.hits] == [whole.hits[3].passage.id]


def test_alpha_counts_for_a_question_and_is_refused_where_it_would_not(opened, evidence):
    space = opened(**{"fusion.method": "convex"})
    space.add(evidence)
    by_words = space.search("granite towers", alpha=0)
    assert by_words.hits[0].votes != space.search("granite towers", alpha=1).hits[0].votes
    assert not [note for note in by_words.notes if note.origin == "settings"]
    with pytest.raises(UsageError, match="alpha is 2"):
        space.search("granite", alpha=2)
    space.close()
    space = opened(**{"fusion.method": "rrf", "fusion.alpha": 0.9})
    with pytest.raises(UsageError, match=r"alpha changes nothing under fusion\.method 'rrf'"):
        space.search("granite", alpha=0.9)
    notes = [str(note) for note in space.search("granite").notes]
    assert any("fusion.alpha changes nothing under fusion.method 'rrf'" in note for note in notes)
