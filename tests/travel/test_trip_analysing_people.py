"""Who travels, at which cost, in which style and at which pace?"""

from decimal import Decimal

import pytest
from wishes_shared import quillas, read

GROUPS = {
    "a romantic week for a couple": (2, 0, "couple"),
    "our honeymoon, ten days": (2, 0, "couple"),
    "My wife and I want a week by the sea": (2, 0, "couple"),
    "a week with my boyfriend": (2, 0, "couple"),
    "solo trip, five days": (1, 0, "solo"),
    "I travel alone for a week": (1, 0, "solo"),
    "five days on my own": (1, 0, "solo"),
    "family of four with two kids aged 5 and 8": (2, 2, "family"),
    "family of five, one week": (2, 3, "family"),
    "a family holiday, one week": (2, 2, "family"),
    "a week for 2 adults and 3 children": (2, 3, "family"),
    "we travel with our daughter for a week": (2, 1, "family"),
    "a week with our 6-year-old": (2, 1, "family"),
    "my husband and I with our two boys, a week": (2, 2, "family"),
    "trip for three friends": (3, 0, "friends"),
    "me and three friends, a weekend": (4, 0, "friends"),
    "a weekend with two of my friends and good bars": (3, 0, "friends"),
    "a group of six, five days": (6, 0, ""),
    "five of us want to hike for a week": (5, 0, ""),
    "6 people, three days of food": (6, 0, ""),
    "trip for 4 in October": (4, 0, ""),
    "a week with my parents": (3, 0, "family"),
    "my wife, our son and my mother, a week": (3, 1, "family"),
    "a trip for 25 people": (25, 0, ""),
    "0 people, a week in Lindow": (0, 0, ""),
    "a trip with kids (4, 7 and 9)": (2, 3, "family"),
    "two couples, five days": (4, 0, "friends"),
    "a trip with a friend": (2, 0, "friends"),
    "four days of beaches": (2, 0, ""),
    "my 12 year old and I, three days": (1, 1, "family"),
    "my parents and my husband, four adults, a week": (4, 0, "family"),
    "8 days, 3 ppl": (3, 0, ""),
    "kids 3, 6 and 10, we two, 11 days": (2, 3, "family"),
    "with our kids, 5 days": (2, 2, "family"),
}


@pytest.mark.parametrize("text", GROUPS)
def test_the_group_is_read(text):
    group = read(text).group
    assert (group.adults, group.children, group.kind) == GROUPS[text]


def test_people_that_nobody_speaks_of_are_told():
    assert any("two adults" in one for one in read("four days of beaches").assumed)
    assert not any("adults" in one for one in read("a solo trip, four days").assumed)
    assert any("four adults" in one for one in read("a trip with friends").assumed)


BUDGETS = {
    "a week for $500": ("500", "USD", "trip"),
    "a week, 500 USD": ("500", "USD", "trip"),
    "a week for USD 1,500": ("1500", "USD", "trip"),
    "a week, 800 euros each": ("1600", "EUR", "trip"),
    "a week solo, 800 euros each": ("800", "EUR", "trip"),
    "a week, 20 dollars a day": ("20", "USD", "day"),
    "a week at €60 per day per person": ("120", "EUR", "day"),
    "a week, 60 euros per person per day": ("120", "EUR", "day"),
    "a week on £1.5k": ("1500", "GBP", "trip"),
    "a week, 15 million dong": ("15000000", "VND", "trip"),
    "a week under 1000": ("1000", "EUR", "trip"),
    "my budget is 1200 for a week": ("1200", "EUR", "trip"),
    "a week, budget: 2,000 dollars for the two of us": ("2000", "USD", "trip"),
    "a week, between 500 and 700 dollars": ("700", "USD", "trip"),
    "a week for $500-700": ("700", "USD", "trip"),
    "a family of four, 3000 CHF in total, a week": ("3000", "CHF", "trip"),
    "a week, 500 dollars per head, three friends": ("1500", "USD", "trip"),
    "a week, max 90 euros daily": ("90", "EUR", "day"),
    "a week, two thousand euros": ("2000", "EUR", "trip"),
    "luxury at 20 a day": ("20", "EUR", "day"),
    "a week for 1.250,50 euros": ("1250.50", "EUR", "trip"),
    "a week in Lindow with 900 bucks": ("900", "USD", "trip"),
    "a week, 1000 dollars excluding flights": ("1000", "USD", "trip"),
}


@pytest.mark.parametrize("text", BUDGETS)
def test_the_budget_is_that_for_all(text):
    budget = read(text).budget
    amount, currency, per = BUDGETS[text]
    assert budget is not None
    assert (budget.amount, budget.currency, budget.per) == (Decimal(amount), currency, per)


@pytest.mark.parametrize(
    "text",
    [
        "4 days for 2 people",
        "a week in 2027",
        "ages 5 and 8, a week",
        "10 nights, 3 cities",
        "a trip for 4 in October",
        "48 hours in Lindow",
        "hotel with 4 stars, a week",
    ],
)
def test_other_numbers_are_no_money(text):
    assert read(text).budget is None


def test_flights_that_the_money_is_not_for_are_not_ruled_out():
    assert not read("a week, 1000 dollars excluding flights").avoid.modes


def test_an_amount_without_a_currency_is_that_of_the_places_unless_it_were_nothing():
    assert read("a week under 90000", quillas()).budget.currency == "JPY"
    wish = read("a week under 900", quillas())
    assert wish.budget.currency == "USD"
    assert any("no currency" in one for one in wish.assumed)
    assert read("a week for 3tr", quillas()).budget.amount == Decimal(3_000_000)


LEVELS = {
    "mid-range hotels, a week": "mid-range",
    "a shoestring week": "budget",
    "a cheap week with friends": "budget",
    "a week on a tight budget": "budget",
    "backpacking for ten days": "budget",
    "five-star week in Lindow": "luxury",
    "a luxurious week": "luxury",
    "money is no object, a week": "luxury",
    "a week in 3-star hotels": "mid-range",
    "nothing fancy, a week": "mid-range",
    "a week of food": None,
    "a week with a budget of 900 euros": None,
}


@pytest.mark.parametrize("text", LEVELS)
def test_the_level_is_read(text):
    assert read(text).level == LEVELS[text]


def test_a_level_that_nobody_speaks_of_is_told():
    assert any("level" in one for one in read("a week of food").assumed)
    assert not any("level" in one for one in read("a week of food for 500 euros").assumed)


PACES = {
    "a relaxed week": "relaxed",
    "a slow week": "relaxed",
    "five days, no rush": "relaxed",
    "a week, not too packed": "relaxed",
    "easy-going days by the sea, a week": "relaxed",
    "a packed week": "packed",
    "five days, see as much as possible": "packed",
    "an action-packed week": "packed",
    "we want to see everything in a week": "packed",
    "a week of food": "balanced",
    "at a leisurely pace for a week": "relaxed",
}


@pytest.mark.parametrize("text", PACES)
def test_the_pace_is_read(text):
    assert read(text).pace == PACES[text]


MOST = {
    "a week from one base": 1,
    "a week, at most two cities": 2,
    "a week, no more than 3 cities": 3,
    "stay in one place for a week": 1,
    "a week without changing hotels": 1,
    "a week with two bases": 2,
    "a week, 2 stops max": 2,
    "a week in Lindow and Sandmouth": None,
}


@pytest.mark.parametrize("text", MOST)
def test_the_number_of_bases_is_read(text):
    wish = read(text)
    assert wish.most_cities == MOST[text]
    assert not wish.avoid.types
