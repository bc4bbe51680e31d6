import pytest

from consilience.understand.names import (
    Mention,
    compared_numbers,
    find_mentions,
    longest_mentions,
    names_of,
    singular_or_plural,
    surface,
    word_spans,
)


def test_a_surface_has_no_case_accents_or_punctuation():
    assert surface("Bell-Rock’s  Phare du Créac'h") == "bell rock s phare du creac h"


def test_spans_are_runs_of_words_longest_first():
    assert word_spans("how tall is it")[0] == "how tall is it"
    assert "tall is" in word_spans("how tall is it")
    assert word_spans("a a") == ["a a", "a"]


def test_rows_nodes_and_edges_give_names(passage):
    cells = {"name": "Bell Rock (old)", "height": 35, "note": "the", "lit": 1811, "on": True}
    row = passage("r", kind="row", metadata=cells)
    assert [(one.surface, one.role, one.field) for one in names_of(row)] == [
        ("bell rock old", "value", "name"),
        ("bell rock", "value", "name"),
        ("1811", "number", "lit"),
    ]
    node = passage("n", kind="node", metadata={"node": "b", "name": "Bell", "aliases": ("Inch",)})
    assert {(one.surface, one.value) for one in names_of(node)} == {("bell", "b"), ("inch", "b")}
    edge = passage("e", kind="edge", metadata={"relation": "BUILT_BY"})
    assert [(one.surface, one.role) for one in names_of(edge)] == [("built by", "relation")]
    assert names_of(passage("p")) == []


def test_a_name_inside_a_longer_one_is_not_meant():
    found = [Mention(one, "c", "value", "f", one) for one in ("bell", "bell rock", "rock")]
    assert [one.surface for one in longest_mentions("the Bell Rock light", found)] == ["bell rock"]
    assert [one.surface for one in longest_mentions("Bell Rock, and a bell", found)] == [
        "bell rock",
        "bell",
    ]


def known(*names):
    """A look-up over names given as (surface, role) or (surface, role, value)."""
    mentions = [
        Mention(spelt, "c", role, "", *(value or (spelt,))) for spelt, role, *value in names
    ]
    return lambda surfaces: [one for one in mentions if one.surface in surfaces]


@pytest.mark.parametrize(
    "question",
    [
        "lights taller than 300",
        "which had fewer than the 300 that were planned",
        "over 300 feet",
        "lit before the year 300",
        "at least 300 steps",
        "no more than about 300",
        "since 300",
        "height >= 300",
        "300 or more",
        "from 300 onwards",
        "between 300 and 500",
        "from 200 to 300",
        "in 300–400",
    ],
)
def test_a_number_that_only_bounds_a_value_is_no_name(question):
    assert "300" in compared_numbers(question)
    assert find_mentions(question, known(("300", "number"))) == []


@pytest.mark.parametrize(
    "question",
    [
        "lit in 300",
        "the 300 steps",
        "order 300 and others",
        "300 steps, over 300 feet",
        "over x300",
    ],
)
def test_a_number_that_stands_by_itself_is_a_name(question):
    assert "300" not in compared_numbers(question)


def test_a_text_in_a_cell_is_a_name_whatever_it_is_compared_with():
    found = find_mentions("which is older than bell rock", known(("bell rock", "value")))
    assert [one.surface for one in found] == ["bell rock"]


@pytest.mark.parametrize(
    "relation", ["related to", "connected to", "linked to", "associated with", "has link"]
)
def test_words_that_ask_for_any_relation_name_none(relation):
    look_up = known((relation, "relation"), ("built by", "relation"))
    found = find_mentions(f"how is x {relation} y, built by z", look_up)
    assert [one.surface for one in found] == ["built by"]


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("instrumental variable", "instrumental variables"),
        ("case study", "case studies"),
        ("box", "boxes"),
        ("lens", "lenses"),
        ("class", "classes"),
        ("lighthouse", "lighthouses"),
        ("key", "keys"),
    ],
)
def test_a_node_is_found_in_singular_and_plural(singular, plural):
    assert plural in singular_or_plural(singular)
    assert singular in singular_or_plural(plural)
    for asked, name in ((singular, plural), (plural, singular)):
        found = find_mentions(f"what is the {asked} for", known((name, "node", "n")))
        assert [(one.surface, one.value) for one in found] == [(asked, "n")]


@pytest.mark.parametrize("word", ["does", "gas", "this", "is", "x1s"])
def test_words_that_only_look_like_plurals_are_left_alone(word):
    assert not [form for form in singular_or_plural(word) if len(form) < len(word)]


def test_a_node_known_in_both_numbers_is_counted_once_and_values_are_not_bent():
    both = known(("prisms", "node", "p"), ("prism", "node", "p"))
    assert len(find_mentions("the prism", both)) == len(find_mentions("the prisms", both)) == 1
    either = known(("box", "node", "b"), ("boxe", "node", "b"))
    assert len(find_mentions("the boxes", either)) == 1
    two = known(("prisms", "node", "many"), ("prism", "node", "one"))
    assert [one.value for one in find_mentions("the prism", two)] == ["one"]
    assert find_mentions("the prism", known(("prisms", "value"))) == []


def test_a_name_in_the_other_number_is_no_part_of_a_longer_one():
    look_up = known(("bell rock lights", "node", "b"), ("lights", "node", "l"))
    assert [one.value for one in find_mentions("the bell rock light", look_up)] == ["b"]
