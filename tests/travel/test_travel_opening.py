"""What an answer about travel begins with: what is asked for, and nothing where it is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from atlas_shared import place_passage, remark_passage, tie_passage, way_passage

from consilience.packs.travel.opening import opens
from consilience.types import Exhibit, Locator, Passage

IN_AUREL = {"city": "aurel", "region": "coast"}


def place(key: str, name: str, kind: str, *lines: str, **fields: object) -> Passage:
    where = "Aurel, The Coast" if fields.get("city") == "aurel" else "Lindow, The Hills"
    first = f"{name}. {str(fields.get('type', kind)).capitalize()} in {where}."
    if kind == "city":
        first = f"{name}. City."
    return replace(place_passage(key, name, kind, **fields), text="\n".join((first, *lines)))


def remark(about: str, name: str, topic: str, text: str) -> Passage:
    made = remark_passage(about, topic, text)
    return replace(made, locator=Locator(section=(name, topic)))


def way(start: str, end: str, mode: str, minutes: int, **more: object) -> Passage:
    ends = {"source_name": start.title(), "target_name": end.title()}
    made = way_passage(start, end, mode, minutes, 9.5, **ends, **more)
    told = f"by {mode}; {minutes} min; 9.5 EUR; departures {more.get('departures', '')}"
    return replace(made, text=f"{start.title()} → (is connected to) → {end.title()}: {told}")


AUREL = place("aurel", "Aurel", "city", "Best in April to June.", "Stay 2 to 3 days.",
              "Suits food (fish soup on the quay).", region="coast",
              themes={"food": 0.9})  # fmt: skip
LINDOW = place("lindow", "Lindow", "city", "Best in May.", region="hills", themes={"food": 0.5})
MUSEUM = place("museum", "Sea Museum", "attraction", "Open Tu-Su 09:00-17:00; Mo off. Closed on "
               "Monday. A visit takes about 1 h 30 min.", "Price: 12.5 EUR.", type="museum",
               hours="Tu-Su 09:00-17:00; Mo off", price=12.5, features=("indoor", "museum"),
               slots=("morning", "afternoon"), **IN_AUREL)  # fmt: skip
GALLERY = place("gallery", "Quay Gallery", "attraction", "Open Mo-Su 10:00-18:00.",
                "Free of charge.", type="museum", hours="Mo-Su 10:00-18:00", price=0,
                features=("indoor", "museum"), slots=("morning",), **IN_AUREL)  # fmt: skip
FAR = place("far", "Hill Museum", "attraction", "Open Tu-Su 09:00-17:00. Closed on Monday.",
            type="museum", hours="Tu-Su 09:00-17:00", city="lindow", region="hills")  # fmt: skip
FIG = place("fig", "Fig Table", "food", "Serves: fig tart, bean stew.", "Price: 14 EUR for a meal.",
            type="restaurant", features=("vegetarian",), serves=("fig tart", "bean stew"),
            price=14, level="budget", **IN_AUREL)  # fmt: skip
GRILL = place("grill", "Ember Grill", "food", "Price: 30 EUR for a meal.", type="restaurant",
              price=30, level="mid-range", **IN_AUREL)  # fmt: skip
BUNKS = place("bunks", "Rope Bunks", "stay", "Price: 20 EUR for a room and night.", type="hostel",
              price=20, level="budget", **IN_AUREL)  # fmt: skip
PALACE = place("palace", "Grand Quay", "stay", "Price: 300 EUR for a room and night.",
               type="hotel", price=300, level="luxury", **IN_AUREL)  # fmt: skip
ALL = (AUREL, LINDOW, MUSEUM, GALLERY, FAR, FIG, GRILL, BUNKS, PALACE)


def told(question: str, *passages: Passage) -> list[str]:
    shown = passages or ALL
    exhibits = [
        Exhibit(mark=mark, passage=one, label="", text=one.text)
        for mark, one in enumerate(shown, start=1)
    ]
    return [one.text for one in opens(question, exhibits, {})]


def names(found: Sequence[str]) -> list[str]:
    return [one.partition(" (")[0] for one in found]


def test_a_price_is_told_as_its_passage_spells_it() -> None:
    assert told("How much does the Sea Museum cost?") == ["Sea Museum costs 12.5 EUR [3]."]
    assert told("Is the entrance to the Quay Gallery free?") == [
        "Quay Gallery is free of charge [4]."
    ]


def test_hours_closed_days_and_the_length_of_a_visit() -> None:
    assert told("When does the Sea Museum open?") == [
        "Sea Museum is open Tu-Su 09:00-17:00 and closed on Monday [3]."
    ]
    assert told("how long do I need for the Sea Museum") == [
        "A visit to Sea Museum takes about 1 h 30 min [3]."
    ]


def test_closed_days_are_decided_by_the_hours_and_the_city() -> None:
    assert names(told("Which museums in Aurel are closed on Mondays?")) == ["Sea Museum"]
    assert names(told("Which museums in Aurel are open on Mondays?")) == ["Quay Gallery"]
    assert names(told("Which museums in Lindow are closed on Mondays?")) == ["Hill Museum"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("vegetarian restaurants in Aurel", ["Fig Table"]),
        ("vegetarian restaurants in Lindow", []),
        ("a cheap hostel in Aurel", ["Rope Bunks"]),
        ("Where can I stay in Aurel for less than 100 euros?", ["Rope Bunks"]),
        ("luxury hotels in Aurel", ["Grand Quay"]),
        ("Which sights in Aurel are free?", ["Quay Gallery"]),
        ("What can I do on a rainy afternoon in Aurel?", ["Sea Museum"]),
        ("Where can I eat fig tart in Aurel?", ["Fig Table"]),
        ("restaurants with a swimming pool in Aurel", []),
    ],
)
def test_a_list_has_only_places_that_meet_every_condition(question: str, found: list[str]) -> None:
    assert names(told(question)) == found


def test_a_meal_is_told_with_its_price_and_dishes() -> None:
    assert told("vegetarian restaurants in Aurel") == [
        "Fig Table (restaurant): 14 EUR for a meal; serves fig tart, bean stew [6]."
    ]


def test_the_months_come_before_the_remark_on_the_season() -> None:
    season = remark("aurel", "Aurel", "season", "Dry from April to June. Storms in November.")
    assert told("When is the best time to visit Aurel?", AUREL, season) == [
        "Aurel is best in April to June [1].",
        "Aurel: Dry from April to June [2].",
        "Storms in November [2].",
    ]


def test_a_question_about_a_month_is_answered_by_what_speaks_of_it() -> None:
    season = remark("aurel", "Aurel", "season", "Dry from April to June. Storms in November.")
    safety = remark("aurel", "Aurel", "safety", "Swim between the flags.")
    other = remark("lindow", "Lindow", "safety", "Keep to the paths.")
    found = told("Is it safe to swim in Aurel in November?", AUREL, season, safety, other)
    assert found == ["Aurel: Swim between the flags [3].", "Aurel: Storms in November [2]."]


def test_a_way_that_is_named_is_told_alone() -> None:
    ways = (way("aurel", "lindow", "bus", 50), way("aurel", "lindow", "train", 80,
            departures="hourly", note="Sit on the left."))  # fmt: skip
    assert told("How long is the train from Aurel to Lindow?", *ways) == [
        "The train from Aurel to Lindow takes 80 min and costs 9.5 EUR; departures: hourly [2]."
    ]
    assert told("Is there a ferry from Aurel to Lindow?", *ways) == []


def test_two_ways_are_told_where_none_joins_the_two_places() -> None:
    ways = (way("aurel", "wren", "bus", 50), way("lindow", "wren", "train", 80))
    found = told("How do I get from Aurel to Lindow?", *ways)
    assert found == [
        "With a change: the bus from Aurel to Wren takes 50 min and costs 9.5 EUR [1].",
        "The train between Wren and Lindow takes 80 min and costs 9.5 EUR [2].",
    ]


def test_what_is_near_is_told_with_how_far_it_is() -> None:
    tie = tie_passage("museum", "NEAR", "fig", km=0.4, source_name="Sea Museum",
                      target_name="Fig Table")  # fmt: skip
    tie = replace(tie, text="Sea Museum → (near) → Fig Table: 0.4 km")
    found = told("Which restaurants are near the Sea Museum?", MUSEUM, FIG, BUNKS, tie)
    assert found == ["Fig Table (restaurant) is 0.4 km from Sea Museum [4] [2]."]


def test_each_of_two_places_is_compared_by_its_own_reasons() -> None:
    aurel = replace(AUREL, text=f"{AUREL.text}\nSuits food (Aurel suits food).")
    lindow = replace(LINDOW, text=f"{LINDOW.text}\nSuits food (Lindow suits food).")
    found = told("Is Aurel or Lindow better for food?", aurel, lindow)
    assert found == [
        "Aurel suits food: Aurel suits food [1].",
        "Best in April to June; stay 2 to 3 days [1].",
        "Lindow suits food: Lindow suits food [2].",
        "Best in May [2].",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "How much does the Hill Museum cost?",
        "Is Aurel safe?",
        "What are the opening hours of Grand Quay?",
        "Which churches in Aurel are closed on Mondays?",
    ],
)
def test_what_nobody_tells_is_not_answered_with_something_else(question: str) -> None:
    assert told(question) == []


def test_places_for_two_themes_come_with_the_reason_for_each() -> None:
    def town(key: str, romance: float, food: float) -> Passage:
        made = place(key, key.title(), "city", f"Suits romance ({key} lanes); food ({key} soup).",
                     themes={"romance": romance, "food": food})  # fmt: skip
        whys = (f"{key} lanes", f"{key} soup")
        return replace(made, metadata={**made.metadata, "whys": whys})

    towns = [town("lesser", 0.6, 0.6), town("plain", 0.9, 0.2), town("better", 0.9, 0.8)]
    shown = [Exhibit(mark=at, label="", passage=one, text=one.text)
             for at, one in enumerate(towns, start=1)]  # fmt: skip
    told = [one.text for one in opens("Which towns are romantic and have good food?", shown, {})]
    assert told == [
        "Better suits romance: better lanes; food: better soup [3].",
        "Lesser suits romance: lesser lanes; food: lesser soup [1].",
    ]
