"""Does a diagnosis show what each method did, and where they differ?"""

import asyncio
import json
from dataclasses import replace

import library_shared as library
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.engine import search
from consilience.engine.fusion import FUSERS
from consilience.measure.diagnosis import FIRST, diagnose, kendall
from consilience.types import Query

QUESTION = library.golden().questions[1].text


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    made = tmp_path_factory.mktemp("diagnosing")
    with library.built(made, **{"retrieve.depth": 12}) as space:
        yield space


@pytest.fixture(scope="module")
def found(space):
    return asyncio.run(diagnose(Query(text=QUESTION), space.engine))


def test_every_source_every_fuser_and_merged_stand_side_by_side(space, found):
    assert {one.name for one in found.columns_of("source")} == set(space.engine.sources)
    names = {one.name for one in found.columns_of("fuser")}
    assert {"rrf", "convex", "dbsf", "borda"} <= names == set(FUSERS)
    (merged,) = found.columns_of("merged")
    result = asyncio.run(search(Query(text=QUESTION), space.engine))
    assert [key for key, _ in merged.order] == [hit.passage.id for hit in result.hits]


def test_a_source_shows_its_own_scores_with_their_spread(found):
    for one in found.columns_of("source"):
        scores = [score for _, score in one.order]
        assert scores == sorted(scores, reverse=True)
        assert one.spread["max"] == scores[0]
        assert one.spread["spread"] == pytest.approx(scores[0] - scores[-1])
        assert one.spread["gap_to_2"] == pytest.approx(scores[0] - scores[1])
    by_name = {one.name: one for one in found.columns_of("source")}
    bm25, dense = by_name["documents/bm25"], by_name["documents/dense"]
    ids = {name: {key for key, _ in one.order} for name, one in by_name.items()}
    assert dense.completed == len(ids["documents/bm25"] - ids["documents/dense"])
    assert bm25.completed == len(ids["documents/dense"] - ids["documents/bm25"])


def test_the_fuser_in_use_shares_all_with_itself(space):
    fusion = replace(space.engine.settings.fusion, method="rrf")
    engine = replace(space.engine, settings=replace(space.engine.settings, fusion=fusion))
    found = asyncio.run(diagnose(Query(text=QUESTION), engine))
    used = next(one for one in found.columns_of("fuser") if one.name == "rrf")
    assert found.shared(used) == FIRST
    shown = {one["name"]: one for one in found.as_json(3)["methods"]}
    assert shown["rrf"]["shared_with_used"] == FIRST
    assert "shared_with_used" in shown["rrf"]


def test_json_says_how_far_each_side_is_trusted_and_whether_the_search_abstains(found):
    told = found.as_json(3)
    assert told["abstained"] is found.result.abstained
    assert set(told["trusts"]) == set(found.result.trace.trusts) == {"documents"}
    assert {"meaning", "words", "reasons"} <= set(told["trusts"]["documents"])
    assert json.loads(json.dumps(told))["abstained"] is False
    refused = replace(found, result=replace(found.result, abstained=True))
    assert refused.as_json(3)["abstained"] is True


def test_overlap_is_counted_over_the_first_places_and_the_order_of_what_both_found(found):
    (one,) = found.overlaps
    by_name = {each.name: each for each in found.columns_of("source")}
    first, second = ([key for key, _ in by_name[name].order] for name in (one.one, one.other))
    assert one.common == len(set(first) & set(second))
    both, either = set(first[:10]) & set(second[:10]), set(first[:10]) | set(second[:10])
    assert one.jaccard == pytest.approx(len(both) / len(either))
    assert kendall("abc", "abc") == 1.0
    assert kendall("abc", "cba") == -1.0
    assert kendall("abcx", "bacy") == pytest.approx(1 / 3)
    assert kendall("a", "a") is None


def test_the_command_prints_tables_and_json(tmp_path, monkeypatch):
    with library.built(tmp_path) as built:
        folder, embedder = built.folder, built.embedder
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: embedder)
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK", "none")
    run = CliRunner().invoke
    plain = run(app, ["diagnose", "-w", str(folder), "-n", "3", QUESTION])
    assert plain.exit_code == 0, plain.output
    for told in ("documents/bm25", "(in use)", "Jaccard", "the first 3 places", "#3"):
        assert told in plain.output
    as_json = run(app, ["diagnose", "-w", str(folder), "-n", "3", "--json", QUESTION])
    value = json.loads(as_json.stdout)
    assert {one["kind"] for one in value["methods"]} == {"source", "fuser", "merged"}
    assert all(len(one["first"]) <= 3 for one in value["methods"])
    shown = {each["passage"] for one in value["methods"] for each in one["first"]}
    assert shown <= set(value["passages"])
