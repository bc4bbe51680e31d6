from dataclasses import FrozenInstanceError, replace

import pytest

from consilience.types import Locator, Passage, passage_id


def test_a_locator_reads_like_a_reference():
    where = Locator(section=("Part I", "Lenses"), page=12, part=2)
    assert str(where) == "Part I › Lenses, page 12, passage 2"
    assert str(Locator()) == ""


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (("PHILIDOR,",), "PHILIDOR, passage 2"),
        (("Part I:", "Lenses — "), "Part I › Lenses, passage 2"),
        (("---",), "passage 2"),
        (("Well-made, and lit",), "Well-made, and lit, passage 2"),
    ],
)
def test_a_locator_prints_headings_without_what_they_end_in(section, expected):
    assert str(Locator(section=section, part=2)) == expected


def test_values_are_frozen(passage):
    with pytest.raises(FrozenInstanceError):
        passage().text = "other"


def test_an_id_comes_from_content_and_locator_and_nothing_else():
    here = Locator(section=("One",), page=3)
    first = passage_id("books", "book", "Title", here, "text")
    assert first == passage_id("books", "book", "Title", here, "text")
    assert first == passage_id("books", "book", "Title", replace(here, part=7), "text")
    others = [
        passage_id("games", "book", "Title", here, "text"),
        passage_id("books", "row", "Title", here, "text"),
        passage_id("books", "book", "Other", here, "text"),
        passage_id("books", "book", "Title", replace(here, page=4), "text"),
        passage_id("books", "book", "Title", here, "text!"),
    ]
    assert len({first, *others}) == 6


def test_fields_are_found_by_the_name_a_filter_uses(passage):
    one = passage("a", "t", locator=Locator(page=4), metadata={"year": 1811, "tags": ("x", "y")})
    assert (one.value("page"), one.value("year"), one.value("title")) == (4, 1811, "Notes")
    assert one.value("tags") == ("x", "y")
    assert one.value("nothing") is None


def test_what_is_indexed_has_title_and_section_and_the_searchable_text(passage):
    one: Passage = passage("a", "♘f3", locator=Locator(section=("Plans",)), search="Nf3")
    assert one.indexed == "Notes › Plans\nNf3"
    assert replace(one, search="").indexed == "Notes › Plans\n♘f3"


def test_ids_are_those_of_the_first_workspaces():
    """Stored passages and golden files refer to them."""
    places = (Locator(extra=(("game", 4), ("ply", 7))), Locator(extra=(("game", 4),)))
    games = [passage_id("games", "game", "Masters", place, "1.e4 e5") for place in places]
    assert games[1] == "9f76f664778cea1a"
    note = Locator(section=("A",), page=3, part=2)
    assert passage_id("docs", "note", "T", note, "text") == "e2a11e04dcedcf73"
    known = {"a": 1}
    assert passage_id("games", "game", "Masters", places[0], "1.e4 e5", known) == "fc8387a8e7f922d6"


def test_a_locator_has_parts_of_its_own_and_is_made_again_from_them():
    place = Locator(section=("A",), page=3, extra=(("game", 4), ("ply", 7)))
    assert str(place) == "A, page 3, game 4, ply 7"
    assert place.number("ply") == 7
    assert place.get("page") == 3
    assert place.get("row") is None
    assert Locator.of(place.parts()) == place
    assert Locator.of({"page": 2, "game": None}) == Locator(page=2)
