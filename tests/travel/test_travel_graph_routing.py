"""Which kind of question it is, what is refused, and how an answer begins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from atlas_shared import place_passage, way_passage

from consilience.pack import Reading
from consilience.packs.travel.opening import opens
from consilience.packs.travel.refusing.absent import absent, has, topics
from consilience.packs.travel.routing import boosts, route
from consilience.types import Exhibit, Passage
from consilience.understand.names import Mention


def reading(text: str, *places: str) -> Reading:
    mentions = tuple(Mention(one, "places", "node", "", one) for one in places)
    return Reading(text=text, mentions=mentions)


@pytest.mark.parametrize(
    ("text", "places", "intent"),
    [
        ("How do I get from Aurel to Lindow?", ("aurel", "lindow"), "way"),
        ("How long is the train Aurel - Lindow?", ("aurel", "lindow"), "way"),
        ("How can we reach Lindow?", ("lindow",), "way"),
        ("Aurel or Lindow for a first visit?", ("aurel", "lindow"), "comparison"),
        ("day trips from Lindow", ("lindow",), "near"),
        ("When should I visit Lindow?", ("lindow",), "season"),
        ("Where should we stay in Lindow?", ("lindow",), "stay"),
        ("a good restaurant in Lindow", ("lindow",), "food"),
        ("Somewhere romantic", (), "theme"),
        ("What is Lindow?", ("lindow",), "fact"),
        ("Do I need a visa?", (), "fact"),
        ("Write a Python script", (), "elsewhere"),
        ("Who is the prime minister there, in Lindow?", ("lindow",), "elsewhere"),
    ],
)
def test_the_kind_of_question(text: str, places: tuple[str, ...], intent: str) -> None:
    rule = route(reading(text, *places))
    assert rule is not None
    assert rule.intent == intent


def test_who_asks_for_the_way_gets_connections_and_others_none() -> None:
    way = route(reading("the bus from Aurel to Lindow", "aurel", "lindow"))
    theme = route(reading("a romantic town"))
    assert way is not None
    assert theme is not None
    assert (way.relations, way.cover) == (("CONNECTED_TO",), {"edge": 2})
    assert "paths" in theme.skips
    assert theme.weights["graph"] > way.weights["graph"]


def test_what_has_nothing_to_do_with_travel_is_only_answered_exactly() -> None:
    rule = route(reading("What is the derivative of x squared?"))
    assert rule is not None
    assert rule.exact


@pytest.mark.parametrize(
    ("text", "places", "names"),
    [
        ("hotels in Kyoto", (), ("Kyoto",)),
        ("things to do in paris with kids", (), ("Paris",)),
        ("hotels in Lindow", ("lindow",), ()),
        ("a week in May with English guides", (), ()),
        ("Can we ski in Lindow?", ("lindow",), ("ski in lindow",)),
        ("kayaking or surfing in Lindow", ("lindow",), ("kayaking or surfing in lindow",)),
        ("from Lindow, where can we go kayaking?", ("lindow",), ("kayaking",)),
        ("a town with good food, in peace", (), ()),
    ],
)
def test_what_nothing_here_is_about(
    text: str, places: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert absent(reading(text, *places)) == names


def test_a_question_without_a_word_of_travel_is_about_all_its_words() -> None:
    (one,) = topics(reading("Which glue holds broken fig tart moulds?"))
    assert one.names == ("glue holds fig tart moulds",)
    assert topics(reading("What is fig tart?")) == ()
    assert topics(reading("What is Lindow?", "lindow")) == ()
    assert topics(reading("Where is a quiet beach?")) == ()


def test_a_thing_is_there_where_a_passage_of_the_place_tells_of_it() -> None:
    cove = place_passage("cove", "Kayak Cove", "activity")
    cove = replace(cove, text="Kayak Cove. Kayaks are lent in Lindow all year.")
    assert has(cove, "kayaking in lindow")
    assert has(cove, "surfing or kayaking in lindow")
    assert not has(cove, "surfing in lindow")
    assert not has(cove, "kayaking in aurel")
    assert has(cove, "Lindow")


def test_soft_preferences_for_the_kind_the_city_and_the_subject() -> None:
    found = boosts(reading("Is it safe to book a hotel in Lindow?", "lindow"))
    conditions = {(one.condition.field, one.condition.value) for one in found}
    assert conditions == {
        ("node_kind", "stay"),
        ("topic", "safety"),
        ("topic", "booking"),
        ("city", "lindow"),
        ("about", "lindow"),
    }
    compared = boosts(reading("Aurel or Lindow?", "aurel", "lindow"))
    own = {one.condition.value for one in compared if one.condition.field == "node"}
    assert own == {"aurel", "lindow"}


# --- how an answer begins -----------------------------------------------------------------


def exhibit(mark: int, passage: Passage) -> Exhibit:
    return Exhibit(mark=mark, passage=passage, label="", text=passage.text)


def way(start: str, end: str, mode: str, minutes: int) -> Passage:
    ends = {"source_name": start.title(), "target_name": end.title()}
    made = way_passage(start, end, mode, minutes, 9.5, **ends)
    text = f"{start.title()} → (is connected to) → {end.title()}: by {mode}; {minutes} min; 9.5 EUR"
    return replace(made, text=text)


def test_the_way_is_told_first_the_fastest_in_front_each_with_its_passage() -> None:
    ways = [
        way("aurel", "lindow", "bus", 110),
        way("aurel", "lindow", "train", 80),
        way("lindow", "aurel", "train", 85),
        way("aurel", "wren", "flight", 55),
    ]
    shown = [exhibit(number, one) for number, one in enumerate(ways, start=1)]
    told = opens("How do I get from Aurel to Lindow?", shown, {})
    assert [one.text for one in told] == [
        "The train from Aurel to Lindow takes 80 min and costs 9.5 EUR [2].",
        "The bus from Aurel to Lindow takes 110 min and costs 9.5 EUR [1].",
    ]
    assert [one.opens for one in told] == [True, False]


def test_what_suits_is_told_with_the_reason_its_passage_gives() -> None:
    town = place_passage("lumen", "Lumen", "city", themes={"romance": 0.9, "food": 0.4})
    town = replace(town, text="Lumen. Suits romance (Lumen suits romance); food.")
    dull = place_passage("barrow", "Barrow", "city", themes={"history": 0.9})
    told = opens("Where is it romantic?", [exhibit(1, dull), exhibit(2, town)], {})
    assert [one.text for one in told] == ["Lumen: Lumen suits romance [2]."]


def test_a_question_for_neither_has_no_opening() -> None:
    town = place_passage("lumen", "Lumen", "city", themes={"romance": 0.9})
    assert opens("Do I need a visa?", [exhibit(1, town)], {}) == []
