"""Words of themes, features, kinds and months; and what a text says that it does not want."""

from __future__ import annotations

import pytest

from consilience.packs.travel.vocabulary import (
    FEATURES,
    RELATIONS,
    THEMES,
    features_in,
    is_travel,
    kind_of,
    kinds_in,
    months_in,
    reads_backwards,
    relation_of,
    theme_of,
    themes_in,
)


def wanted(text: str) -> set[str]:
    return {one.theme for one in themes_in(text) if not one.negated}


def unwanted(text: str) -> set[str]:
    return {one.theme for one in themes_in(text) if one.negated}


def avoided(text: str) -> set[str]:
    return {one.feature for one in features_in(text) if one.negated}


def needed(text: str) -> set[str]:
    return {one.feature for one in features_in(text) if not one.negated}


@pytest.mark.parametrize(
    ("text", "themes"),
    [
        ("our HONEYMOON in June", {"romance"}),
        ("a tenth anniversary for my wife", {"romance"}),
        ("I live for street-food and noodles", {"food"}),
        ("two toddlers and a baby", {"family"}),
        ("backpackers on a shoestring", {"budget"}),
        ("five-star hotels, money is no object", {"luxury"}),
        ("treks over several days", {"hiking"}),
        ("snorkelling and scuba", {"water-sports"}),
        ("ruins and imperial tombs", {"history"}),
        ("sunset photos", {"photography"}),
        ("cocktail bars until late", {"nightlife"}),
        ("massages, yoga and doing nothing", {"relaxation"}),
        ("elephants, gibbons and turtles", {"wildlife"}),
        ("souks, tailors and souvenirs", {"shopping"}),
        ("pilgrims and monks", {"spirituality"}),
        ("white-water rafting", {"adventure", "water-sports"}),
        ("a couple of days for two weeks of work", set()),
        ("a thousand-year-old stone", set()),
        ("the familiar surface of things", set()),
    ],
)
def test_a_theme_is_read_from_its_words(text: str, themes: set[str]) -> None:
    assert wanted(text) == themes


def test_every_theme_has_several_dozen_words_and_its_own_name() -> None:
    for theme in THEMES:
        assert theme in wanted(f"we like {theme.replace('-', ' ')}"), theme


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("romantic, good food, no hiking, mid-range", {"romance", "food"}, {"hiking"}),
        ("not into nightlife; skip the beach", set(), {"nightlife", "beach"}),
        ("no hiking, shopping or nightlife please", set(), {"hiking", "shopping", "nightlife"}),
        ("no hiking, good food and beaches", {"food", "beach"}, {"hiking"}),
        ("we hate hiking and love food", {"food"}, {"hiking"}),
        ("avoid beaches, shopping and nightlife", set(), {"beach", "shopping", "nightlife"}),
        ("hiking is not for us, romance is", {"romance"}, {"hiking"}),
        ("without nightlife but with food", {"food"}, {"nightlife"}),
        ("not only beaches, history too", {"beach", "history"}, set()),
        ("we don't mind hiking", {"hiking"}, set()),
        ("don't miss the beach", {"beach"}, set()),
        ("ten minutes away from the beach", {"beach"}, set()),
        ("anything but beaches", set(), {"beach"}),
        ("neither hiking nor nightlife", set(), {"hiking", "nightlife"}),
        ("not too expensive", {"budget"}, set()),
        ("rather than shopping, wildlife", {"wildlife"}, {"shopping"}),
    ],
)
def test_what_is_not_wanted_is_told_apart(text: str, yes: set[str], no: set[str]) -> None:
    assert (wanted(text), unwanted(text)) == (yes, no)


def test_no_museums_is_not_no_history() -> None:
    assert unwanted("history without museums") == set()
    assert wanted("history without museums") == {"history"}
    assert avoided("history without museums") == {"museum"}


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("my mother uses a wheelchair", {"wheelchair"}, {"stairs", "steep"}),
        ("we are vegan", {"vegetarian"}, set()),
        ("I don't eat meat", {"vegetarian"}, set()),
        ("I get seasick", set(), {"boat"}),
        ("she can't swim", set(), {"swimming"}),
        ("afraid of heights", set(), {"heights"}),
        ("claustrophobic", set(), {"cave"}),
        ("no stairs, no boats", set(), {"stairs", "boat"}),
        ("away from the crowds", set(), {"crowds"}),
        ("something to do when it rains", {"indoor"}, set()),
        ("allergic to shellfish", set(), {"seafood"}),
        ("we do not drink", set(), {"alcohol"}),
        ("by cable car", {"cable-car"}, set()),
    ],
)
def test_a_feature_is_needed_or_avoided(text: str, yes: set[str], no: set[str]) -> None:
    assert (needed(text), avoided(text)) == (yes, no)
    assert yes | no <= set(FEATURES)


def test_a_word_says_where_it_stands_in_the_text_as_written() -> None:
    found = themes_in("Für die Liebe: Café, then ROMANCE")
    assert [(one.word, one.start) for one in found] == [("Café", 15), ("ROMANCE", 26)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Which town is best?", [("city", "")]),
        ("Where should we stay?", [("stay", "")]),
        ("a resort or hotels", [("stay", "resort"), ("stay", "hotel")]),
        ("where to eat", [("food", "")]),
        ("temples and museums", [("attraction", "temple"), ("attraction", "museum")]),
        ("a cooking class", [("activity", "cooking class")]),
        ("show me the way", []),
    ],
)
def test_kinds_of_places_that_are_asked_for(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.type) for one in kinds_in(text)] == kinds


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("in march", (3,)),
        ("We march in May", (5,)),
        ("we may go", ()),
        ("from November to February", (11, 12, 1, 2)),
        ("March and May", (3, 5)),
        ("between March and May", (3, 4, 5)),
        ("in spring", (3, 4, 5)),
        ("over Christmas", (12,)),
        ("during Tet", (1, 2)),
        ("on 2027-08-14", (8,)),
        ("Oct–Dec", (10, 11, 12)),
    ],
)
def test_months(text: str, months: tuple[int, ...]) -> None:
    found = months_in(text)
    assert sorted(found) == sorted(months)


@pytest.mark.parametrize(
    ("tag", "theme"),
    [
        ("romantic", "romance"),
        ("Foodie", "food"),
        ("Cultural", "culture"),
        ("Water Sports", "water-sports"),
        ("HISTORIC_SITE", "history"),
        ("Spa & Wellness", "relaxation"),
        ("kids", "family"),
        ("wifi", None),
    ],
)
def test_tags_of_foreign_data(tag: str, theme: str | None) -> None:
    assert theme_of(tag) == theme


def test_relations_of_foreign_data_are_named_and_turned_round() -> None:
    assert relation_of("locatedIn") == relation_of("is_in") == "LOCATED_IN"
    assert relation_of("good-for") == "SUITS"
    assert (relation_of("has_hotel"), reads_backwards("has_hotel")) == ("LOCATED_IN", True)
    assert (relation_of("LOCATED_IN"), reads_backwards("LOCATED_IN")) == ("LOCATED_IN", False)
    assert relation_of("owes money to") is None
    assert RELATIONS["SUITS"].weight > RELATIONS["NEAR"].weight > RELATIONS["CONNECTED_TO"].weight


def test_kinds_of_foreign_types() -> None:
    found = [kind_of(one) for one in ("Buddhist temple", "guest_house", "aerodrome", "invoice")]
    assert found == ["attraction", "stay", "airport", None]


@pytest.mark.parametrize(
    "text",
    [
        "Write a Python function that sorts a list of hotels",
        "Who won the world cup?",
        "What is the boiling point of ethanol?",
        "Should I invest in airline shares of late?",
        "Why?",
    ],
)
def test_what_no_guide_answers(text: str) -> None:
    assert not is_travel(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do I need a visa?",
        "Is tap water safe?",
        "What should I pack?",
        "Where can we see fireflies?",
        "How much is a taxi?",
        "best month for surfing",
    ],
)
def test_what_a_guide_answers(text: str) -> None:
    assert is_travel(text)


def test_seasons_of_the_southern_half_of_the_earth() -> None:
    assert months_in("in summer", south=True) == (12, 1, 2)
    assert months_in("in March, over Christmas", south=True) == (3, 12)
