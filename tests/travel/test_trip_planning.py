"""What is searched for a wish, and what comes of the searches in their order."""

import asyncio
from dataclasses import replace
from datetime import date

from atlas_shared import make_atlas, passages, place_passage, remark_passage, way_passage

from consilience.packs.travel.trips.planning import plan_retrieval
from consilience.packs.travel.trips.retrieving import BESIDE, K, retrieve
from consilience.packs.travel.trips.types import Avoid, Group, RetrievalPlan, Search, Wish
from consilience.types import Filter, Hit, Note, Plan, Query, Result, Trace

ATLAS = make_atlas()
KNOWN = {str(one.metadata["node"]): one for one in passages() if "node" in one.metadata}


def planned(**parts):
    return asyncio.run(plan_retrieval(Wish(text=parts.pop("text", "a trip"), **parts), ATLAS))


def purposes(plan):
    return [one.purpose for one in plan.searches]


def result(*found, notes=()):
    query = Query(text="q")
    trace = Trace(plan=Plan(query=query, intent="", rule="", asks=()))
    hits = tuple(Hit(passage=one, score=1.0) for one in found)
    return Result(query=query, hits=hits, notes=tuple(notes), trace=trace)


def retrieved(plan, answers):
    async def searches(search):
        return answers[search.purpose]

    return asyncio.run(retrieve(plan, searches, ATLAS))


# --- planning ---------------------------------------------------------------------------


def test_every_theme_has_a_search_that_weighs_its_share():
    plan = planned(themes={"food": 30, "romance": 70})
    weights = {one.purpose: one.weight for one in plan.searches}
    assert purposes(plan)[:2] == ["romance", "food"]
    assert weights["romance"] == 0.7
    assert weights["food"] < weights["romance"]


def test_the_words_of_the_wish_and_its_season_are_searched():
    plan = planned(text="somewhere romantic", themes={"romance": 100}, month=3)
    text = plan.searches[0].text
    assert "romance" in text
    assert "romantic" in text
    assert "March" in text


def test_a_date_gives_the_month():
    plan = planned(themes={"beach": 100}, starts_on=date(2027, 1, 9))
    assert "January" in plan.searches[0].text


def test_cities_that_are_named_bound_the_searches_one_each():
    plan = planned(themes={"beach": 100}, cities=("wren", "sandmouth"), start="aurel")
    assert plan.cities == ("wren", "sandmouth", "aurel")
    found = [one.filters for one in plan.searches if one.purpose == "beach"]
    assert found == [(Filter("city", "=", city),) for city in plan.cities]
    assert "Isle of Wren" in plan.searches[0].text


def test_without_cities_cities_are_searched_for():
    plan = planned(themes={"beach": 100})
    assert plan.cities == ()
    assert "cities" in purposes(plan)
    assert "cities" not in purposes(planned(themes={"beach": 100}, cities=("wren",)))


def test_stays_and_food_of_the_level_and_the_needs():
    wish = {"level": "luxury", "needs": frozenset({"vegetarian"}), "group": Group(kind="couple")}
    plan = planned(themes={"food": 100}, **wish)
    stays = next(one for one in plan.searches if one.purpose == "stays")
    assert Filter("node_kind", "=", "stay") in stays.filters
    assert Filter("level", "=", "luxury") in stays.filters
    assert "couples" in stays.text
    tables = [one for one in plan.searches if Filter("node_kind", "=", "food") in one.filters]
    assert any("vegetarian" in one.text for one in tables)


def test_what_has_to_be_seen_is_searched_by_its_name():
    plan = planned(themes={"food": 100}, must=("lindow-lookout", "lindow"))
    found = [one for one in plan.searches if one.purpose == "must"]
    assert [one.text for one in found] == ["Lindow Lookout"]


def test_longer_trips_are_searched_deeper_and_avoids_are_excluded():
    avoid = Avoid(features=frozenset({"stairs"}))
    short, long = (planned(themes={"food": 100}, days=days, avoid=avoid) for days in (2, 12))
    assert short.searches[0].depth < long.searches[0].depth
    assert long.exclusions == avoid


def test_a_wish_without_themes_is_searched_all_the_same():
    assert len(planned().searches) >= 3


# --- retrieving -------------------------------------------------------------------------


def test_lists_are_fused_by_rank_and_weight():
    plan = RetrievalPlan(
        searches=(
            Search(purpose="food", text="", weight=0.75),
            Search(purpose="art", text="", weight=0.25),
        )
    )
    market, gallery = KNOWN["aurel-night-market"], KNOWN["aurel-gallery"]
    answers = {"food": result(market, gallery), "art": result(gallery)}
    found = retrieved(plan, answers).found
    scores = {one.place: one.score for one in found}
    assert scores["aurel-gallery"] == 0.75 / (K + 2) + 0.25 / (K + 1)
    assert scores["aurel-night-market"] == 0.75 / (K + 1)
    assert [one.place for one in found] == ["aurel-gallery", "aurel-night-market"]
    assert found[0].passage == gallery.id
    assert found[0].reasons == ("food, place 2", "art, place 1")


def test_the_order_of_a_search_decides():
    plan = RetrievalPlan(searches=(Search(purpose="food", text=""),))
    pair = (KNOWN["aurel-night-market"], KNOWN["aurel-gallery"])
    there = retrieved(plan, {"food": result(*pair)})
    back = retrieved(plan, {"food": result(*reversed(pair))})
    assert [one.place for one in there.found] == [one.place for one in reversed(back.found)]


def test_remarks_and_ways_count_half_for_the_places_they_are_about():
    plan = RetrievalPlan(searches=(Search(purpose="food", text=""),))
    remark = remark_passage("lindow", "season", "Mild.")
    way = way_passage("aurel", "wren", "flight", 55, 74.0)
    found = retrieved(plan, {"food": result(remark, way)}).found
    scores = {one.place: one.score for one in found}
    assert scores["lindow"] == BESIDE / (K + 1)
    assert scores["wren"] == scores["aurel"] == BESIDE / (K + 2)
    assert {one.passage for one in found} == {"p:lindow", "p:wren", "p:aurel"}


def test_a_search_counts_once_for_a_place_and_only_as_deep_as_it_goes():
    plan = RetrievalPlan(searches=(Search(purpose="food", text="", depth=2),))
    answers = result(KNOWN["lindow"], remark_passage("lindow", "safety", "x"), KNOWN["wren"])
    found = retrieved(plan, {"food": answers}).found
    assert [(one.place, one.score) for one in found] == [("lindow", 1 / (K + 1))]


def test_what_is_avoided_is_left_out_and_told():
    avoid = Avoid(features=frozenset({"museum"}), places=frozenset({"aurel-promenade"}))
    plan = RetrievalPlan(searches=(Search(purpose="art", text=""),), exclusions=avoid)
    names = ("aurel-gallery", "aurel-promenade", "aurel-cathedral")
    found = retrieved(plan, {"art": result(*(KNOWN[one] for one in names))})
    assert [one.place for one in found.found] == ["aurel-cathedral"]
    assert set(found.excluded) == {"aurel-gallery", "aurel-promenade"}
    assert "museum" in found.excluded["aurel-gallery"]


def test_places_of_other_cities_are_left_out_where_cities_are_named():
    plan = RetrievalPlan(searches=(Search(purpose="art", text=""),), cities=("lindow",))
    found = retrieved(plan, {"art": result(KNOWN["aurel-gallery"], KNOWN["lindow-gallery"])})
    assert [one.place for one in found.found] == ["lindow-gallery"]
    assert "Lindow" in found.excluded["aurel-gallery"]


def test_places_that_the_atlas_does_not_know_are_no_candidates():
    plan = RetrievalPlan(searches=(Search(purpose="art", text=""),))
    stranger = place_passage("nowhere", "Nowhere", "attraction")
    assert retrieved(plan, {"art": result(stranger)}).found == ()


def test_notes_of_the_searches_are_passed_on_once():
    searches = (Search(purpose="art", text=""), Search(purpose="food", text=""))
    note = Note("dense", "was slow")
    answers = {"art": result(notes=[note]), "food": result(notes=[note])}
    assert retrieved(RetrievalPlan(searches=searches), answers).notes == (note,)


def test_searches_run_one_after_another_since_each_takes_all_cores():
    plan = planned(themes={"food": 50, "art": 50})
    running, most = 0, 0

    async def searches(_):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return result()

    asyncio.run(retrieve(replace(plan), searches, ATLAS))
    assert len(plan.searches) > 1
    assert most == 1


def test_many_cities_and_themes_make_no_more_searches_than_bearable():
    themes = {"food": 40, "culture": 30, "nature": 30}
    cities = ("aurel", "lindow", "sandmouth", "highmere")
    plan = planned(cities=cities, must=cities, themes=themes)
    assert len(plan.searches) <= 8
    assert all("Lindow" in one.text for one in plan.searches)
