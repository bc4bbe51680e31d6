"""What the graph is certain of: places that meet all of a question, however they rank."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from atlas_shared import way_passage
from graph_shared import Walked, coast

from consilience.packs.travel.meeting import limits_in
from consilience.packs.travel.reading import Asked


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
