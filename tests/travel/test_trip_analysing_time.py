"""How long is a trip, and when? In the words that people use."""

from datetime import date

import pytest
from wishes_shared import read

from consilience.packs.travel.trips.reading.times.festivals import easter, lunar_new_year

LENGTHS = {
    "four days on the coast": 4,
    "A 5-day trip with good food": 5,
    "a week of beaches": 7,
    "one week in the hills please": 7,
    "10 nights of hiking": 11,
    "2 weeks with my girlfriend": 14,
    "two weeks' holiday": 14,
    "a fortnight of art and museums": 14,
    "a long weekend in Lindow": 3,
    "a weekend in Lindow": 2,
    "weekend break, good restaurants": 2,
    "a week and a half on beaches": 10,
    "4D3N in Port Aurel": 4,
    "4 days 3 nights in Sandmouth": 4,
    "5 days / 4 nights, history": 5,
    "a couple of days in Brackwell": 2,
    "twenty-one days of wildlife": 21,
    "We have six full days for Velmora": 6,
    "Friday to Sunday in Lindow": 3,
    "Thursday through Monday, food and wine": 5,
    "from 3 to 9 March in Lindow": 7,
    "3-9 March, beaches": 7,
    "March 3-9, beaches": 7,
    "March 3 to March 9, beaches": 7,
    "28 December to 3 January with friends": 7,
    "2027-03-03 to 2027-03-09 in Sandmouth": 7,
    "between 3 and 9 March 2027, hiking": 7,
    "48 hours in Port Aurel": 2,
    "just one day in Old Tarn": 1,
    "9 hours in Old Tarn": 1,
    "1.5 days free in Lindow": 2,
    "Looking for a 3 day trek": 3,
    "we land in Lindow on 14 Feb 2027 and leave on 20 Feb 2027": 7,
    "a day trip with kids": 1,
    "0 days in Lindow": 0,
    "45 days of wandering": 45,
    "5 to 7 days of hiking": 7,
    "3 nights in Port Aurel and 2 in Lindow": 6,
    "2 days in Port Aurel, 3 days in Lindow": 5,
    "7 days: 3 nights in Port Aurel, the rest in Lindow": 7,
    "a slow week by the sea": 7,
    "I'd love a beach week for 900 euros": 7,
    "3 days of museums at 20 euros a day": 3,
    "a month of backpacking": 30,
    "5 days with a day trip to Brackwell": 5,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_the_length_is_read(text):
    assert read(text).days == LENGTHS[text]
    assert not [one for one in read(text).assumed if "no length" in one]


@pytest.mark.parametrize(
    "text", ["good food and beaches", "my 8-year-old loves beaches", "at 20 euros a day"]
)
def test_a_length_that_is_not_said_is_told(text):
    wish = read(text + ", a trip")
    assert wish.days == 3
    assert any("days" in one for one in wish.assumed)


def test_nights_belong_to_their_cities():
    wish = read("3 nights in Port Aurel and 2 in Lindow")
    assert wish.nights == {"aurel": 3, "lindow": 2}
    assert read("Port Aurel (2 nights), Lindow (1 night), Sandmouth (3 nights)").nights == {
        "aurel": 2,
        "lindow": 1,
        "sandmouth": 3,
    }
    assert read("2 days in Port Aurel, 3 days in Lindow").nights == {"aurel": 2, "lindow": 2}
    assert read("5 days in Lindow and Sandmouth").nights == {}


DATES = {
    "from 12 March 2027, four days": date(2027, 3, 12),
    "four days from March 12, 2027": date(2027, 3, 12),
    "four days, starting on the 12th of March": date(2027, 3, 12),
    "four days from 2027-03-12": date(2027, 3, 12),
    "four days from 25/03/2027": date(2027, 3, 25),
    "four days from 03/25/2027": date(2027, 3, 25),
    "four days from 12/03": date(2027, 3, 12),
    "four days from 20 November": date(2026, 11, 20),
    "four days from 1 November": date(2027, 11, 1),
    "next Friday for three days": date(2026, 11, 20),
    "this weekend in Lindow": date(2026, 11, 21),
    "tomorrow, two days in Lindow": date(2026, 11, 17),
    "five days starting next Monday": date(2026, 11, 23),
    "a week in Velmora two weeks from now": date(2026, 11, 30),
    "a week over Easter": date(2027, 3, 26),
    "a week over Christmas": date(2026, 12, 23),
    "five days around Chinese New Year": date(2027, 2, 6),
    "the first week of May": date(2027, 5, 1),
    "a week from 3 May 2025": date(2025, 5, 3),
    "9 to 12 Jan 2027": date(2027, 1, 9),
}


@pytest.mark.parametrize("text", DATES)
def test_the_first_day_is_read(text):
    wish = read(text + ", trip with good food")
    assert wish.starts_on == DATES[text]
    assert wish.month == DATES[text].month


MONTHS = {
    "a week in October": 10,
    "a week in mid-March": 3,
    "a week in May with kids": 5,
    "a week next month": 12,
    "a week in summer": 1,
    "five days in the winter": 7,
    "early June, four days": 6,
    "a week, maybe we may hike": None,
    "march through the hills for a week": None,
}


@pytest.mark.parametrize("text", MONTHS)
def test_the_month_is_read(text):
    wish = read(text)
    assert (wish.month, wish.starts_on) == (MONTHS[text], None)


def test_a_date_that_reads_in_two_ways_is_told():
    assert any(
        "two ways" in one and "12 March 2027" in one
        for one in read("four days from 12/03/2027").assumed
    )
    assert not any("two ways" in one for one in read("four days from 25/03/2027").assumed)


def test_a_date_without_a_year_is_told():
    assert any("20 November 2026" in one for one in read("four days from 20 November").assumed)


@pytest.mark.parametrize(
    ("year", "day"),
    [(2024, (3, 31)), (2025, (4, 20)), (2026, (4, 5)), (2027, (3, 28)), (2038, (4, 25))],
)
def test_easter_is_where_the_calendar_has_it(year, day):
    assert easter(year) == date(year, *day)


@pytest.mark.parametrize(
    ("year", "day"),
    [(2024, (2, 10)), (2025, (1, 29)), (2026, (2, 17)), (2027, (2, 6)), (2028, (1, 26))],
)
def test_the_lunar_new_year_is_right_within_a_day(year, day):
    assert abs((lunar_new_year(year) - date(year, *day)).days) <= 1
