"""What the graph is certain of: places that meet all of a question, however they rank."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from atlas_shared import place_passage, way_passage
from graph_shared import Walked, coast, suits

from consilience.packs.travel.meeting import limits_in
from consilience.packs.travel.reading import Asked
from consilience.types import Filter, Passage


@pytest.fixture
def walked(tmp_path: Path) -> Walked:
    return Walked(tmp_path, coast())


def sure(walked: Walked, question: str) -> set[str]:
    return {*walked.tell(question).sure}


def test_what_meets_all_of_it_in_a_place_is_certain_and_so_is_that_place(walked: Walked) -> None:
    assert sure(walked, "vegetarian restaurants in Lumen") == {"p:table", "p:lumen"}
    assert sure(walked, "vegetarian restaurants in Barrow") == set()
    assert sure(walked, "a cheap hotel in Barrow") == {"p:inn", "p:barrow"}
    assert sure(walked, "a luxury hotel in Barrow") == set()


def test_what_is_near_comes_with_the_tie_that_says_how_far(walked: Walked) -> None:
    assert sure(walked, "beaches near Lumen") >= {"t:lumen-NEAR-strand", "p:strand"}


def test_the_ways_between_two_places_are_certain(walked: Walked) -> None:
    assert "w:lumen-barrow-train" in sure(walked, "How do I get from Lumen to Barrow?")


def test_without_a_way_two_that_meet_are_certain(tmp_path: Path) -> None:
    known = [one for one in coast() if not one.id.startswith("w:")]
    ways = [
        way_passage("lumen", "shrine", "bus", 30, 2.0, weight=0.5),
        way_passage("shrine", "barrow", "bus", 20, 2.0, weight=0.5),
    ]
    found = sure(Walked(tmp_path, [*known, *ways]), "How do I get from Lumen to Barrow?")
    assert {one.id for one in ways} <= found


@pytest.mark.parametrize(
    "question",
    ["restaurants in Atlantis, as good as in Lumen", "Where can we ski in Lumen?", "restaurants"],
)
def test_nothing_is_certain_of_what_is_not_known(walked: Walked, question: str) -> None:
    assert sure(walked, question) == set()


def suiting(key: str, kind: str, **strengths: float) -> list[Passage]:
    """A place with its themes, as fields and as ties."""
    place = place_passage(key, key.title(), kind, type=kind, themes=strengths)
    return [place, *(suits(key, theme, strength) for theme, strength in strengths.items())]


@pytest.fixture
def themed(tmp_path: Path) -> Walked:
    some = [
        suiting("arden", "city", romance=0.9, food=0.6, hiking=0.8),
        suiting("brisk", "city", romance=0.7, food=0.9),
        suiting("calder", "city", romance=0.4, food=0.9),
        suiting("dune", "attraction", romance=1.0, food=0.9),
        suiting("ember", "city", food=0.8, hiking=0.9, art=0.9),
    ]
    return Walked(tmp_path, [one for each in some for one in each])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which places suit a romantic trip with good food?", ["brisk", "arden", "dune"]),
        ("romantic places with good food", ["dune", "brisk", "arden"]),
        ("Which cities are romantic and have good food?", ["brisk", "arden"]),
        ("Which cities are good for food lovers?", ["brisk", "calder", "ember", "arden"]),
        ("romance and food without hiking", ["dune", "brisk"]),
        ("Where should we go for art, hiking and romance?", ["ember", "arden"]),
        ("Which places are romantic?", ["dune", "arden", "brisk"]),
        ("Which romantic corner did poets write about?", []),
    ],
)
def test_places_that_suit_all_themes_are_certain_the_best_first(
    themed: Walked, question: str, expected: list[str]
) -> None:
    assert [one.removeprefix("p:") for one in themed.tell(question).sure] == expected


def test_without_a_tie_the_coordinates_say_how_far_it_is(tmp_path: Path) -> None:
    some = [
        place_passage("quay", "Quay", "city", lat=10.0, lon=20.0),
        place_passage("fair", "Fair Sands", "attraction", type="beach", lat=10.2, lon=20.0),
        place_passage("close", "Close Sands", "attraction", type="beach", lat=10.0, lon=20.05),
        place_passage("gone", "Gone Sands", "attraction", type="beach", lat=11.0, lon=20.0),
    ]
    walked = Walked(tmp_path, [*some, *(suits(one, "beach", 0.9) for one in ("fair", "close"))])
    told = walked.tell("Which beaches are near Quay?")
    made = [one.passage for one in told.found if one.passage is not None]
    assert [one.text for one in made] == [
        "Close Sands → (near) → Quay: 5.5 km",
        "Fair Sands → (near) → Quay: 22.2 km",
    ]
    assert told.sure == ("p:close", "p:fair", *(one.id for one in made), "p:quay")
    filtered = walked.tell("Which beaches are near Quay?", filters=(Filter("type", "=", "beach"),))
    assert all(one.passage is None for one in filtered.found)


def test_the_limits_of_a_question() -> None:
    nothing = Asked()
    assert limits_in("museums closed on Mondays", nothing).closed == (0,)
    assert limits_in("museums open on Sundays and Mondays", nothing).opened == (6, 0)
    assert limits_in("bars open after 9 pm", nothing).clock == 21 * 60
    assert limits_in("a room for less than 1,200,000 VND", nothing).most == Decimal(1_200_000)
    assert limits_in("dinner under € 18.50", nothing).most == Decimal("18.50")
    assert limits_in("a hotel with a pool", nothing).extras == (" pool",)
    assert limits_in("a hotel with my wife", nothing).extras == ()
    assert not limits_in("a hotel under 2 hours away", nothing)
