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
