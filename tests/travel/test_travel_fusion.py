"""Meaning, words and the graph vote on the same places, and the order shown is the fused order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from atlas_shared import place_passage, tie_passage
from graph_shared import Walked, coast

from consilience import plugins
from consilience.engine import Engine, search
from consilience.engine.fusion import fuse
from consilience.engine.fusion_methods import Options
from consilience.engine.plan import Knowledge
from consilience.explain import total, why
from consilience.json_output import hit_json
from consilience.serialization import from_plain, to_plain
from consilience.service.pages.explanations import reasons
from consilience.settings import build_settings
from consilience.testing import Scripted
from consilience.types import Found, Passage, Query, Ranking, Result
from consilience.understand.names import Mention, names_of

QUESTION = "Which places suit a romantic trip with good food?"


@pytest.fixture
def walked(tmp_path: Path) -> Iterator[Walked]:
    graph = Walked(tmp_path, coast())
    yield graph
    graph.store.close()


def ask(
    walked: Walked,
    *,
    meaning: str = "barrow table lumen",
    words: str = "table barrow strand",
    text: str = QUESTION,
    **settings: object,
) -> Result:
    """The question to the graph and to sources that found these places, in this order."""
    sources = [_scripted("dense", meaning), _scripted("bm25", words), walked.source]
    chosen = build_settings(
        {"fusion.method": "rrf", "refine.mmr": 1, "retrieve.hard_ms": 20_000, **settings}
    )
    engine = Engine(
        sources={one.name: one for one in sources},
        lookup=walked.known,
        settings=chosen,
        knowledge=Knowledge(
            sources={one.name: one.collection for one in sources},
            sizes={},
            pack=plugins.load("packs", "travel"),
            settings=chosen,
            mentions=lambda runs: _mentions(walked.passages.values(), runs),
            aliases=lambda node, collection: [],
            synonyms={},
            fields={"places": frozenset({"node_kind", "city"})},
        ),
    )
    return asyncio.run(search(Query(text=text), engine))


def _scripted(kind: str, places: str) -> Scripted:
    found = [Found(f"p:{one}", 10.0 - rank) for rank, one in enumerate(places.split())]
    return Scripted(f"places/{kind}", "places", found=found)


def _mentions(passages: Sequence[Passage], runs: Sequence[str]) -> list[Mention]:
    return [
        Mention(name.surface, "places", name.role, name.field, name.value)
        for passage in passages
        for name in names_of(passage)
        if name.surface in runs
    ]


def places(result: Result) -> list[str]:
    return [hit.passage.id.removeprefix("p:") for hit in result.hits]


# --- the worked example ------------------------------------------------------------------


def ranked(source: str, scores: dict[str, float]) -> Ranking:
    found = tuple(Found(place, score) for place, score in scores.items())
    return Ranking(source=source, collection="places", found=found)


MEANING = {"hoi-an": 0.91, "da-lat": 0.88, "ha-long": 0.84, "hue": 0.80, "sapa": 0.71}
WALKED = {"da-lat": 0.90, "hoi-an": 0.85, "ha-long": 0.62, "phu-quoc": 0.60, "hue": 0.41}


def test_the_worked_example_at_60() -> None:
    rankings = [ranked("places/dense", MEANING), ranked("places/graph", WALKED)]
    order = fuse(rankings, method="rrf", options=Options(k=60)).order
    assert [place for place, _ in order] == [
        "hoi-an", "da-lat", "ha-long", "hue", "phu-quoc", "sapa",
    ]  # fmt: skip
    scores = {place: round(score, 4) for place, score in order}
    assert scores == {
        "hoi-an": 0.0325,  # 1/61 + 1/62
        "da-lat": 0.0325,  # 1/62 + 1/61
        "ha-long": 0.0317,  # 1/63 + 1/63
        "hue": 0.031,  # 1/64 + 1/65
        "phu-quoc": 0.0156,  # 1/64
        "sapa": 0.0154,  # 1/65
    }


def test_a_tie_goes_by_the_best_rank_then_the_raw_score_there_then_the_id() -> None:
    first = ranked("places/dense", {"hoi-an": 0.80, "da-lat": 0.79})
    graph = ranked("places/graph", {"da-lat": 0.95, "hoi-an": 0.40})
    order = fuse([first, graph], method="rrf").order
    assert [place for place, _ in order] == ["da-lat", "hoi-an"]  # both first once: 0.95 over 0.80
    same = ranked("places/graph", {"da-lat": 0.80, "hoi-an": 0.40})
    order = fuse([first, same], method="rrf").order
    assert [place for place, _ in order] == ["da-lat", "hoi-an"]  # by id


# --- the order shown ---------------------------------------------------------------------


def test_the_order_shown_is_the_fused_order(walked: Walked) -> None:
    result = ask(walked)
    fused = [place.removeprefix("p:") for place, _ in result.trace.fused]
    assert places(result) == fused[: len(result.hits)]
    for hit in result.hits:
        assert total(hit) == pytest.approx(hit.score)


def test_another_fused_order_is_another_order_shown(walked: Walked) -> None:
    quiet = {"fusion.weights": {"graph": 0.1}}
    one = ask(walked, meaning="shrine inn", words="shrine inn", **quiet)
    other = ask(walked, meaning="inn shrine", words="inn shrine", **quiet)
    assert places(one)[:2] == ["shrine", "inn"]
    assert places(other)[:2] == ["inn", "shrine"]
    assert [place for place, _ in other.trace.fused[:2]] == ["p:inn", "p:shrine"]


def test_votes_of_all_three_meet_on_one_place(walked: Walked) -> None:
    hit = next(one for one in ask(walked).hits if one.passage.id == "p:table")
    assert hit.sources == {"places/dense", "places/bm25", "places/graph"}
    assert len([one for one in ask(walked).hits if one.passage.id == "p:table"]) == 1


def test_the_graph_changes_the_result_and_can_be_switched_off(walked: Walked) -> None:
    with_graph = ask(walked)
    without = ask(walked, **{"fusion.weights": {"graph": 0}})
    assert "places/graph" not in {one for hit in without.hits for one in hit.sources}
    assert places(with_graph) != places(without)
    assert "ridge" in places(with_graph)  # only a path leads there
    assert "ridge" not in places(without)


def test_edges_that_say_nothing_of_the_question_change_nothing(tmp_path: Path) -> None:
    more = []
    for number in range(40):
        more.append(place_passage(f"kiosk-{number}", f"Kiosk {number}", "other", type="kiosk"))
        more.append(tie_passage("barrow", "BORDERS", f"kiosk-{number}", weight=1.0))
        more.append(tie_passage("barrow", "NEAR", f"kiosk-{number}", weight=0.7, km=0.2))
    few, many = Walked(tmp_path / "few", coast()), Walked(tmp_path / "many", [*coast(), *more])
    try:
        votes = [
            next(hit for hit in ask(one).hits if hit.passage.id == "p:barrow").score
            for one in (few, many)
        ]
        assert votes[0] == pytest.approx(votes[1])
    finally:
        few.store.close()
        many.store.close()


# --- the reason --------------------------------------------------------------------------


def test_a_vote_says_why_and_so_do_all_who_show_it(walked: Walked) -> None:
    result = ask(walked)
    hit = next(one for one in result.hits if one.passage.id == "p:lumen")
    vote = next(one for one in hit.votes if one.source == "places/graph")
    assert vote.because.startswith("Lumen — suits → romance (lamps along the quay)")
    assert all(not one.because for one in hit.votes if one.source != "places/graph")
    assert f"  {vote.because}" in why(hit)
    shown = hit_json(hit, QUESTION)
    assert vote.because in [one["because"] for one in shown["votes"]]
    assert reasons(shown).because == (vote.because,)


def test_reasons_travel(walked: Walked) -> None:
    result = ask(walked)
    assert from_plain(Result, to_plain(Result, result)) == result
    outcome = next(one for one in result.trace.outcomes if one.source == "places/graph")
    assert dict(outcome.reasons)["p:table"].startswith("Fig Table — suits → ")
