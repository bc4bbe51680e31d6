"""What is a trip for, what must it not have, and what does somebody need?"""

import pytest
from wishes_shared import quillas, read

LEADING = {
    "a romantic four-day trip, good food": "romance",
    "mostly food, a bit of culture, five days": "food",
    "a bit of culture, mostly food, five days": "food",
    "60% beach 40% culture, a week": "beach",
    "a week of hiking and mountains": "hiking",
    "temples and monasteries for a week": "spirituality",
    "a week of bars and clubs with friends": "nightlife",
    "a week of street food and cooking classes": "food",
    "snorkelling and diving, five days": "water-sports",
    "a week with elephants and birds": "wildlife",
    "lie on the beach for a week": "beach",
    "some museums, but above all markets and shopping, a week": "shopping",
}


@pytest.mark.parametrize("text", LEADING)
def test_the_first_theme_is_what_the_words_say(text):
    themes = read(text).themes
    assert max(themes, key=lambda one: themes[one]) == LEADING[text]
    assert sum(themes.values()) == 100


def test_shares_that_are_said_are_kept():
    assert read("60% beach 40% culture, a week").themes == {"beach": 60, "culture": 40}
    assert read("70 per cent food and 30 percent hiking, a week").themes == {
        "food": 70,
        "hiking": 30,
    }
    assert read("half beach, half history, a week").themes == {"beach": 50, "history": 50}
    rest = read("50% beach, food and nature, a week").themes
    assert rest["beach"] == 50
    assert sum(rest.values()) == 100


def test_emphasis_and_order_weigh():
    themes = read("mostly food, a bit of culture").themes
    assert themes["food"] > 3 * themes["culture"]
    themes = read("a week of food and history").themes
    assert 0 < themes["food"] - themes["history"] < 15


def test_themes_that_nobody_speaks_of_are_told():
    wish = read("a week in Lindow")
    assert wish.themes == {"culture": 40, "food": 30, "nature": 30}
    assert any("no theme" in one for one in wish.assumed)
    assert "culture" not in read("a week in Lindow, no culture").themes


def test_the_word_budget_before_an_amount_is_no_theme():
    assert "budget" not in read("a week of food with a budget of 900 euros").themes
    assert "budget" in read("a budget week of food").themes


def test_a_theme_in_the_name_of_a_place_is_none():
    assert "beach" not in read("food and White Beach, a week", quillas()).themes


AVOIDED = {
    "a week, no hiking": ("themes", {"hiking"}),
    "a week without museums": ("types", {"museum"}),
    "a week, no war sites": ("features", {"war"}),
    "a week, nothing with stairs": ("features", {"stairs"}),
    "a week, we are allergic to seafood": ("features", {"seafood"}),
    "a week, I hate boats": ("features", {"boat"}),
    "a week, afraid of heights": ("features", {"heights"}),
    "a week, please no crowds": ("features", {"crowds"}),
    "beach trip without beaches": ("themes", {"beach"}),
    "a week, no nightlife": ("themes", {"nightlife"}),
    "a week, no shopping please": ("themes", {"shopping"}),
    "a week, I don't like temples or churches": ("types", {"temple", "church"}),
}


@pytest.mark.parametrize("text", AVOIDED)
def test_what_is_not_wanted_is_read(text):
    field, wanted = AVOIDED[text]
    wish = read(text)
    assert wanted <= getattr(wish.avoid, field)
    assert wish.avoid.said


MODES = {
    "a week, no flights": {"flight"},
    "a week, no long bus rides": {"bus"},
    "a week, we hate boats": {"boat", "ferry"},
    "a week, no buses or trains": {"bus", "train"},
    "a week, I'm afraid of flying": {"flight"},
    "a week, I get seasick": {"boat", "ferry"},
    "a week without flying": {"flight"},
    "a week, avoid buses": {"bus"},
    "a week by train only": {"bus", "flight", "boat", "ferry", "car"},
    "a week, I'd rather not fly": {"flight"},
    "a week, we don't want to drive": {"car"},
    "a week, flights are fine": set(),
    "a week, we don't mind buses": set(),
}


@pytest.mark.parametrize("text", MODES)
def test_ways_of_travelling_that_are_ruled_out_are_read(text):
    assert read(text).avoid.modes == MODES[text]


def test_modes_are_those_of_the_atlas():
    assert read("a week, no flights or boats", quillas()).avoid.modes == {
        "boat",
        "speedboat",
        "flight",
        "domestic flight",
    }


def test_little_of_something_is_no_ban():
    wish = read("a week, not too much hiking, good food")
    assert not wish.avoid.themes
    assert "hiking" not in wish.themes


@pytest.mark.parametrize(
    "text", ["no hiking, good food", "no hiking but lots of food", "food, no hiking, beaches"]
)
def test_a_ban_ends_where_the_wish_goes_on(text):
    wish = read(text + ", a week")
    assert wish.avoid.themes == {"hiking"}
    assert "food" in wish.themes
    assert "hiking" not in wish.themes


NEEDS = {
    "a week, we are vegetarians": {"vegetarian"},
    "a week, my mother is in a wheelchair": {"wheelchair"},
    "a vegan week": {"vegetarian"},
    "a week with halal food": {"halal"},
    "a week of food": set(),
}


@pytest.mark.parametrize("text", NEEDS)
def test_needs_are_read(text):
    assert read(text).needs == NEEDS[text]


def test_an_allergy_that_no_place_tells_of_is_unclear():
    assert any("peanuts" in one for one in read("a week, allergic to peanuts").unclear)


def test_what_is_avoided_is_told_without_the_no():
    assert read("a week, no flights or buses").avoid.said == ("flights", "buses")
