"""Does the atlas know where places are, how one gets there, and what nobody says of them?"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from atlas_shared import make_atlas, place_passage, remark_passage, way_passage
from second_country import second_atlas

from consilience.packs.travel.atlas import Atlas, Place
from consilience.packs.travel.terms import find_terms, is_negated


def _place(text: str = "", **fields: object) -> Place:
    passage = place_passage("x", "X", "attraction", **fields)
    atlas = Atlas.of([passage, remark_passage("x", "booking", text)] if text else [passage])
    return atlas.places["x"]


def test_names_are_found_in_any_spelling_and_short_form() -> None:
    atlas = make_atlas(place_passage("gate", "Iron Gate of Lindow", "attraction", city="lindow"))
    named = atlas.find_names("From PORT AUREL to the Isle-of-Wren, then the iron gate")
    assert [naming.places for naming in named] == [("aurel",), ("wren",), ("gate",)]
    assert [naming.text for naming in named] == ["PORT AUREL", "Isle-of-Wren", "iron gate"]


def test_parts_of_the_map_come_from_regions_coordinates_and_texts(tmp_path: Path) -> None:
    velmora = make_atlas()
    assert set(velmora.cities_of("The Hills")) == {"highmere", "old-tarn", "brackwell"}
    assert "farpoint" in velmora.cities_of("the north")
    assert velmora.cities_of("the moon") == ()
    north = second_atlas(tmp_path)
    assert north.cities_of("islands") == ("storøy",)
    assert "norvik" in north.cities_of("coast")
    assert "elmdal" not in north.cities_of("coast")
    assert north.cities_of("mountains") == ("elmdal",)


def test_the_fastest_way_counts_changes_and_leaves_out_what_is_avoided() -> None:
    atlas = make_atlas()
    assert [way.mode for way in atlas.fastest("aurel", "farpoint")] == ["flight"]
    slower = atlas.fastest("aurel", "farpoint", avoiding=frozenset({"flight"}))
    assert [way.mode for way in slower] == ["train"]
    assert atlas.fastest("aurel", "aurel") == ()


def test_prices_are_in_one_currency_and_unknown_ones_stay_unknown() -> None:
    dollars = place_passage("d", "D", "attraction", price=10, currency="USD")
    strange = place_passage("s", "S", "attraction", price=10, currency="XXX")
    free = way_passage("aurel", "lindow", "cable car", 5, 1.0)
    unpriced = {name: value for name, value in free.metadata.items() if name != "price"}
    atlas = make_atlas(dollars, strange)
    assert atlas.currency == "EUR"
    assert atlas.places["d"].price == Decimal("8.60")
    assert atlas.places["s"].price is None
    assert unpriced["mode"] == "cable car"


def test_what_nobody_says_is_unknown() -> None:
    place = _place()
    assert place.fact("wheelchair") is None
    assert place.fact("price") is None


@pytest.mark.parametrize(
    ("fields", "text", "name", "value", "source"),
    [
        ({"features": ("wheelchair",)}, "", "wheelchair", True, "field"),
        ({"wheelchair": "no"}, "", "wheelchair", False, "field"),
        ({"diet:vegan": "only"}, "", "vegan", True, "field"),
        ({"features": ("stairs",)}, "", "wheelchair", False, "implied"),
        ({"type": "vegetarian restaurant"}, "", "vegetarian", True, "type"),
        ({}, "Step-free entrance on the left.", "wheelchair", True, "text"),
        ({}, "There are no stairs.", "stairs", False, "text"),
        ({}, "Not suitable for young children.", "children", False, "text"),
        ({}, "Beer and wine from six.", "alcohol", True, "text"),
        ({}, "No alcohol is served.", "alcohol", False, "text"),
    ],
)
def test_facts_come_from_fields_types_and_sentences(
    fields: dict[str, object], text: str, name: str, value: bool, source: str
) -> None:
    fact = _place(text, **fields).fact(name)
    assert fact is not None
    assert (fact.value, fact.source) == (value, source)
    assert fact.quote == text or not text


def test_a_text_that_contradicts_itself_says_nothing() -> None:
    assert _place("The hall has no stairs. The tower has 200 stairs.").fact("stairs") is None


@pytest.mark.parametrize(
    ("text", "word", "negated"),
    [
        ("no museums, temples or churches", "churches", True),
        ("We don't like boats", "boats", True),
        ("a caffeine-free cafe", "cafe", False),
        ("not only temples", "temples", False),
        ("no hiking but beaches", "beaches", False),
        ("nothing with alcohol", "alcohol", True),
    ],
)
def test_negation_reaches_to_the_end_of_its_clause(text: str, word: str, negated: bool) -> None:
    start = text.index(word)
    assert is_negated(text, start, start + len(word)) is negated


def test_terms_are_found_with_their_places_in_the_text() -> None:
    text = "Vegetarian restaurants near Pagódas in March, no museums"
    found = {(term.category, term.name): term for term in find_terms(text)}
    assert found["attribute", "vegetarian"].text == "Vegetarian"
    assert found["kind", "attraction/pagoda"].text == "Pagódas"
    assert found["month", "3"].negated is False
    assert found["kind", "attraction/museum"].negated is True
