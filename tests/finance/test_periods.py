"""Which time a phrase means, and what is told of it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.finance.data_model import Period
from consilience.packs.finance.notation.periods import (
    after,
    before,
    closeness,
    day,
    half,
    joined_header,
    month,
    quarter,
    read_periods,
    shifted,
    through,
    to_date,
    told,
    year_of,
)
from consilience.packs.finance.notation.periods.times import months, weeks

NEAR = month(2025, 8)


def keys(text, near=None):
    return [one.period.key if one.period else None for one in read_periods(text, near=near)]


ONE = [
    ("Aug 2025", "2025-08"),
    ("August 2025", "2025-08"),
    ("AUGUST 2025", "2025-08"),
    ("August, 2025", "2025-08"),
    ("Aug-25", "2025-08"),
    ("Aug 25", "2025-08"),
    ("Aug. '25", "2025-08"),
    ("08/2025", "2025-08"),
    ("2025-08", "2025-08"),
    ("2025 Aug", "2025-08"),
    ("May 2020", "2020-05"),
    ("mars 2024", "2024-03"),
    ("août 2024", "2024-08"),
    ("März 2024", "2024-03"),
    ("Dezember 2024", "2024-12"),
    ("diciembre de 2024", "2024-12"),
    ("março 2024", "2024-03"),
    ("settembre 2024", "2024-09"),
    ("month ended August 31, 2025", "2025-08"),
    ("Q3 2025", "2025-Q3"),
    ("Q3 25", "2025-Q3"),
    ("Q3'25", "2025-Q3"),
    ("Q3-2025", "2025-Q3"),
    ("Q3 FY2025", "2025-Q3"),
    ("3Q25", "2025-Q3"),
    ("3Q 2025", "2025-Q3"),
    ("2025 Q3", "2025-Q3"),
    ("2025Q3", "2025-Q3"),
    ("third quarter of 2025", "2025-Q3"),
    ("third quarter 2025", "2025-Q3"),
    ("the fourth fiscal quarter of fiscal 2019", "2019-Q4"),
    ("3. Quartal 2025", "2025-Q3"),
    ("three months ended September 30, 2018", "2018-Q3"),
    ("Three Months Ended\u00a0September\u00a030, 2018", "2018-Q3"),
    ("quarter ended June 30, 2018", "2018-Q2"),
    ("thirteen weeks ended September 28, 2019", "2019-Q3"),
    ("13 weeks ended October 3, 2020", "2020-Q3"),
    ("3 months ended 30 June 2020", "2020-Q2"),
    ("Jul-Sep 2025", "2025-Q3"),
    ("3M 2025", "2025-Q1"),
    ("H1 2025", "2025-H1"),
    ("1H25", "2025-H1"),
    ("HY1 2025", "2025-H1"),
    ("2H 2025", "2025-H2"),
    ("H1 FY19", "2019-H1"),
    ("first half of 2025", "2025-H1"),
    ("second half 2025", "2025-H2"),
    ("1. Halbjahr 2025", "2025-H1"),
    ("six months ended June 30, 2019", "2019-H1"),
    ("half year ended 30 June 2019", "2019-H1"),
    ("first six months of 2025", "2025-H1"),
    ("January to June 2025", "2025-H1"),
    ("nine months ended September 30, 2018", "2018-YTD-09"),
    ("first nine months of 2018", "2018-YTD-09"),
    ("9M 2018", "2018-YTD-09"),
    ("9M18", "2018-YTD-09"),
    ("Q1-Q3 2018", "2018-YTD-09"),
    ("39 weeks ended September 28, 2019", "2019-YTD-09"),
    ("nine months ended March 31, 2019", "2018-07-01..2019-03-31"),
    ("YTD August 2025", "2025-YTD-08"),
    ("YTD Aug-25", "2025-YTD-08"),
    ("YTD 08/2025", "2025-YTD-08"),
    ("August 2025 YTD", "2025-YTD-08"),
    ("year to date August 2025", "2025-YTD-08"),
    ("Jan–Aug 2025", "2025-YTD-08"),
    ("January to August 2025", "2025-YTD-08"),
    ("January - August 2025", "2025-YTD-08"),
    ("LTM September 2025", "2024-10-01..2025-09-30"),
    ("2019", "2019"),
    ("FY2019", "2019"),
    ("FY 2019", "2019"),
    ("FY19", "2019"),
    ("FY'19", "2019"),
    ("fiscal 2019", "2019"),
    ("fiscal year 2019", "2019"),
    ("Geschäftsjahr 2019", "2019"),
    ("2018/19", "2019"),
    ("2018-19", "2019"),
    ("FY2018/19", "2019"),
    ("2018/2019", "2019"),
    ("1999/00", "2000"),
    ("2019¹", "2019"),
    ("2019 (1)", "2019"),
    ("2019 €m", "2019"),
    ("year ended December 31, 2018", "2018"),
    ("twelve months ended December 31, 2018", "2018"),
    ("fiscal year ended June 30, 2019", "2019"),
    ("fifty-two weeks ended December 28, 2019", "2019"),
    ("53 weeks ended January 2, 2021", "2020"),
    ("as of December 31, 2019", "2019-12-31"),
    ("Dec. 31, 2019", "2019-12-31"),
    ("31.12.2019", "2019-12-31"),
    ("12/31/2019", "2019-12-31"),
    ("31/12/2019", "2019-12-31"),
    ("2019-12-31", "2019-12-31"),
    ("31 December 2019", "2019-12-31"),
    ("31st of December, 2019", "2019-12-31"),
    ("31. Dezember 2019", "2019-12-31"),
    ("31 de diciembre de 2019", "2019-12-31"),
    ("At year-end 2019", "2019-12-31"),
    ("at the end of 2019", "2019-12-31"),
    ("end of August 2025", "2025-08-31"),
    ("２０１９", "2019"),
]


@pytest.mark.parametrize(("text", "key"), ONE)
def test_a_phrase_means_a_time(text, key):
    assert keys(text) == [key]
    assert keys(f"What was the revenue for {text}?") == [key] or text == "Aug 25"


@pytest.mark.parametrize(
    "text",
    [
        "2,019", "$2019", "$ 2019", "€2019", "2019 units", "1999 units", "2019%", "page 2019",
        "20190", "12019", "2019.5", "1.2019.3", "#2019", "1850", "2101", "Q5 2", "Q3", "August",
        "YTD", "Month", "may", "The company may set out a plan", "Form 10-K", "31.13.2019",
        "Revenue", "IFRS 2019", "six months ended June 30", "approximately 2000 employees",
        "R2019", "A2019",
    ],
)  # fmt: skip
def test_what_names_no_time_is_not_read(text):
    assert [one for one in read_periods(text) if one.period] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Q3 2019 and 2018", ["2019-Q3", "2018-Q3"]),
        ("six months ended June 30, 2019 and 2018", ["2019-H1", "2018-H1"]),
        ("December 31, 2019 and 2018", ["2019-12-31", "2018-12-31"]),
        ("years ended December 31, 2019, 2018 and 2017", ["2019", "2018", "2017"]),
        ("What was Q3 revenue in 2019?", ["2019-Q3"]),
        ("Q3 revenue in 2018 and 2019", ["2018-Q3", "2019-Q3"]),
        ("2018, 2019 and 2020", ["2018", "2019", "2020"]),
        ("Q2 2019 vs. Q3 2019", ["2019-Q2", "2019-Q3"]),
        ("In 2019 employees numbered 2019 units", ["2019"]),
        ("It may be 2019", ["2019"]),
        ("cash at June 30 and December 31, 2019", ["2019-06-30", "2019-12-31"]),
        ("from Aug 2007-Jan 2011 to Jun-2018", ["2007-08", "2011-01", "2018-06"]),
        ("the December 2017 quarter", ["2017-Q4"]),
        ("2019/2018", ["2019", "2018"]),
        ("YTD revenue in August 2025", ["2025-YTD-08"]),
        ("Q3 2025 and the previous quarter", ["2025-Q3", "2025-Q2"]),
    ],
)
def test_several_times_are_read_in_order(text, found):
    assert keys(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "between 2017 and 2019", "from 2017 to 2019", "2017-2019", "2017 – 2019",
        "2017 through 2019",
        "sales growth from fiscal 2017 to fiscal 2019", "between Q1 2018 and Q3 2018",
        "from December 31, 2017 to December 31, 2019", "from January 2017 to March 2018",
    ],
)  # fmt: skip
def test_both_ends_of_a_range_are_told(text):
    assert [one.role for one in read_periods(text)] == ["from", "to"]


def test_a_list_is_no_range():
    assert [one.role for one in read_periods("2017 and 2019")] == ["", ""]


@pytest.mark.parametrize(
    ("text", "key", "basis", "against"),
    [
        ("Budget", "2025-08", "budget", None),
        ("Bud.", "2025-08", "budget", None),
        ("Plan", "2025-08", "budget", None),
        ("Soll", "2025-08", "budget", None),
        ("Target", "2025-08", "budget", None),
        ("Actual", "2025-08", "actual", None),
        ("Act.", "2025-08", "actual", None),
        ("ACT", "2025-08", "actual", None),
        ("Ist", "2025-08", "actual", None),
        ("Forecast", "2025-08", "forecast", None),
        ("FC", "2025-08", "forecast", None),
        ("Outlook", "2025-08", "forecast", None),
        ("Last year", "2024-08", "last year", None),
        ("LY", "2024-08", "last year", None),
        ("PY", "2024-08", "last year", None),
        ("Prior year", "2024-08", "last year", None),
        ("Previous year", "2024-08", "last year", None),
        ("Vorjahr", "2024-08", "last year", None),
        ("same period last year", "2024-08", "last year", None),
        ("Change", "2025-08", "change", None),
        ("% change", "2025-08", "change", None),
        ("Δ", "2025-08", "change", None),
        ("Δ %", "2025-08", "change", None),
        ("+/- %", "2025-08", "change", None),
        ("chg.", "2025-08", "change", None),
        ("Variance", "2025-08", "change", None),
        ("Increase (decrease)", "2025-08", "change", None),
        ("vs. budget", "2025-08", "change", "budget"),
        ("Var. vs. Bud.", "2025-08", "change", "budget"),
        ("Change vs. budget", "2025-08", "change", "budget"),
        ("Budget variance", "2025-08", "change", "budget"),
        ("Δ LY", "2025-08", "change", "last year"),
        ("Δ% vs LY", "2025-08", "change", "last year"),
        ("Abw. Plan", "2025-08", "change", "budget"),
        ("Abw. VJ", "2025-08", "change", "last year"),
        ("Act. vs. Bud.", "2025-08", "change", "budget"),
        ("Actual/Budget", "2025-08", "change", "budget"),
        ("YoY", "2025-08", "change", "last year"),
        ("year-over-year", "2025-08", "change", "last year"),
        ("Month", "2025-08", None, None),
        ("YTD", "2025-YTD-08", None, None),
        ("Year to date", "2025-YTD-08", None, None),
        ("Full year", "2025", None, None),
        ("Q3", "2025-Q3", None, None),
        ("March", "2025-03", None, None),
        ("May", "2025-05", None, None),
        ("in August", "2025-08", None, None),
        ("six months ended June 30", "2025-H1", None, None),
        ("previous quarter", "2025-Q2", None, None),
        ("previous month", "2025-07", None, None),
        ("next year", "2026", None, None),
        ("August last year", "2024-08", "last year", None),
        ("Q3 of the previous year", "2024-Q3", "last year", None),
        ("2020E", "2020", "forecast", None),
        ("2019A", "2019", "actual", None),
        ("BUD25", "2025", "budget", None),
        ("Plan 2025", "2025", "budget", None),
    ],
)
def test_words_alone_have_a_meaning_near_a_time(text, key, basis, against):
    found = joined_header([text], near=NEAR)
    assert (found.period.key, found.basis, found.against) == (key, basis, against)
    one = next(one for one in read_periods(text, near=NEAR) if one.basis == basis)
    assert (one.basis, one.against) == (basis, against)


@pytest.mark.parametrize(
    "text",
    ["Pension plan assets", "plan assets at fair value", "The Act of 1934", "Ist der Umsatz höher?",
     "estimated useful lives", "Real estate", "target company acquired", "Actuarial losses",
     "What is the fair value of plan assets in 2019?", "Prior service cost",
     "Basis difference in subsidiaries", "Positions taken in prior years", "projected obligation"],
)  # fmt: skip
def test_other_words_are_no_basis(text):
    assert [one for one in read_periods(text) if one.basis] == []


@pytest.mark.parametrize(
    "words",
    ["against budget", "vs. plan", "compared with the budget", "above plan", "gegen Budget"],
)
def test_a_question_against_budget_is_a_change_of_its_period(words):
    found = read_periods(f"What was the EBITDA margin in August 2025 {words}?")
    assert [(one.period.key, one.basis, one.against) for one in found] == [
        ("2025-08", None, None),
        ("2025-08", "change", "budget"),
    ]


HEADERS = [
    (("December 31,", "2018"), "2018-12-31", None, None),
    (("2018", "December 31"), "2018-12-31", None, None),
    (("Three months ended September 30,", "2018"), "2018-Q3", None, None),
    (("Three months ended", "September 30, 2018"), "2018-Q3", None, None),
    (("2018", "Three months ended September 30,"), "2018-Q3", None, None),
    (("Three months ended September 30, 2019 and 2018", "2018"), "2018-Q3", None, None),
    (("Years ended December 31, 2019 and 2018", "2018"), "2018", None, None),
    (("Year ended June 30,", "2019"), "2019", None, None),
    (("Fiscal Year Ended", "June 30, 2019"), "2019", None, None),
    (("2025", "Q3"), "2025-Q3", None, None),
    (("Q3", "2025"), "2025-Q3", None, None),
    (("2025", "Aug"), "2025-08", None, None),
    (("August 2025", "Act."), "2025-08", "actual", None),
    (("August 2025", "YTD", "Budget"), "2025-YTD-08", "budget", None),
    (("YTD", "August 2025", "Plan"), "2025-YTD-08", "budget", None),
    (("August 2025", "LY"), "2024-08", "last year", None),
    (("August 2025", "Full year", "Forecast"), "2025", "forecast", None),
    (("August 2025", "Var.", "Bud."), "2025-08", "change", "budget"),
    (("PY 2024",), "2024", "last year", None),
    (("2019 vs. 2018", "% change"), "2019", "change", "last year"),
    (("2019 vs. 2018", "%"), "2019", "change", "last year"),
    (("Change 2019 to 2018",), "2019", "change", "last year"),
    (("% Change", "2018-2019"), "2019", "change", "last year"),
    (("Yr.-to-Yr. Percent Change",), None, "change", "last year"),
    (("At December 31:", "2018"), "2018-12-31", None, None),
    (("F19",), "2019", None, None),
    (("August", "Act 25"), "2025-08", "actual", None),
    (("Note", "2019"), "2019", None, None),
    (("2020", "E"), "2020", "forecast", None),
    (("2019", "EUR million"), "2019", None, None),
    (("2019", "£'000"), "2019", None, None),
    (("2019", "%"), "2019", None, None),
    (("2019", "Shares"), "2019", None, None),
    (("Cement", "2019"), "2019", None, None),
    (("Pension Plan", "2019"), "2019", None, None),
    (("January 1, 2019 to December 31, 2019",), "2019", None, None),
    (("Quarter ended", "September 30, 2018", "Change"), "2018-Q3", "change", None),
    (("Revenue",), None, None, None),
    ((), None, None, None),
]


@pytest.mark.parametrize(("parts", "key", "basis", "against"), HEADERS)
def test_headings_are_read_as_one_phrase(parts, key, basis, against):
    found = joined_header(parts)
    assert (found.period.key if found.period else None) == key
    assert (found.basis, found.against) == (basis, against)


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("Month", "2024"), "2024-08"),
        (("Month", "2025"), "2025-08"),
        (("YTD", "2024"), "2024-YTD-08"),
        (("YTD", "Last year"), "2024-YTD-08"),
        (("Month", "LY"), "2024-08"),
        (("August", "YTD"), "2025-YTD-08"),
        (("2024", "LY"), "2024"),
        (("Cement", "Bud."), "2025-08"),
        (("Revenue",), None),
    ],
)
def test_headings_of_a_monthly_report_are_of_its_month(parts, key):
    found = joined_header(parts, near=NEAR)
    assert (found.period.key if found.period else None) == key


def test_last_year_keeps_the_period_that_is_stated():
    found = joined_header(("August 2025", "Last year"))
    assert (found.period, found.stated) == (month(2024, 8), month(2025, 8))


def test_a_business_year_has_its_own_days_and_the_key_of_its_year():
    (found,) = read_periods("year ended June 30, 2019")
    assert (found.period.kind, found.period.start, found.period.end) == (
        "year",
        date(2018, 7, 1),
        date(2019, 6, 30),
    )
    assert found.period.key == year_of(2019).key == "2019"


def test_offsets_are_those_of_the_text():
    text = "In\u00a0Q3 2019, and at\u200b December 31, 2018"
    assert [text[one.start : one.end] for one in read_periods(text)] == [
        "Q3 2019",
        "December 31, 2018",
    ]


def test_periods_move():
    assert shifted(month(2025, 2), -1) == month(2024, 2)
    assert shifted(month(2024, 2), 1) == month(2025, 2)
    assert shifted(day(date(2024, 2, 29)), 1) == day(date(2025, 2, 28))
    assert shifted(quarter(2025, 3), -2) == quarter(2023, 3)
    assert before(month(2025, 1)) == month(2024, 12)
    assert before(quarter(2025, 1)) == quarter(2024, 4)
    assert before(half(2025, 1)) == half(2024, 2)
    assert before(year_of(2025)) == year_of(2024)
    assert before(to_date(2025, 8)) == to_date(2024, 8)
    assert before(day(date(2019, 12, 31))) == day(date(2018, 12, 31))
    assert after(month(2024, 12)) == month(2025, 1)
    assert through(year_of(2019), year_of(2017)) == (year_of(2017), year_of(2018), year_of(2019))
    assert len(through(month(2024, 11), month(2025, 2))) == 4
    assert through(year_of(2017), month(2019, 1)) == (year_of(2017), month(2019, 1))


def test_closeness():
    end = day(date(2019, 12, 31))
    assert closeness(year_of(2019), year_of(2019)) == 1
    assert closeness(year_of(2019), months(12, date(2019, 6, 30))) == 1
    assert closeness(year_of(2019), to_date(2019, 12)) == 1
    assert closeness(half(2019, 1), to_date(2019, 6)) == 1
    for one in (month(2019, 12), quarter(2019, 4), half(2019, 2), year_of(2019)):
        assert 0.8 < closeness(one, end) < 1
        assert 0.8 < closeness(end, one) < 1
    assert 0 < closeness(year_of(2019), day(date(2019, 6, 30))) < 0.5
    for other in (year_of(2018), month(2019, 12), quarter(2019, 4), day(date(2018, 12, 31))):
        assert closeness(year_of(2019), other) == 0
    assert closeness(month(2019, 8), month(2018, 8)) == 0


@pytest.mark.parametrize(
    ("period", "text"),
    [
        (month(2025, 8), "August 2025"),
        (quarter(2025, 3), "Q3 2025"),
        (half(2025, 2), "H2 2025"),
        (year_of(2019), "2019"),
        (to_date(2025, 8), "January–August 2025"),
        (day(date(2019, 12, 31)), "31 December 2019"),
        (months(12, date(2019, 6, 30)), "year ended 30 June 2019"),
        (months(3, date(2019, 4, 30)), "three months ended 30 April 2019"),
        (months(9, date(2019, 3, 31)), "nine months ended 31 March 2019"),
        (weeks(13, date(2019, 9, 28)), "13 weeks ended 28 September 2019"),
    ],
)
def test_a_period_is_told(period, text):
    assert told(period) == text
    assert told(period, "budget") == f"{text}, budget"
    assert told(period, "actual") == text


DAYS = st.dates(date(1901, 1, 1), date(2099, 12, 31))
YEARS = st.integers(1901, 2099)
PERIODS = st.one_of(
    st.builds(month, YEARS, st.integers(1, 12)),
    st.builds(quarter, YEARS, st.integers(1, 4)),
    st.builds(half, YEARS, st.integers(1, 2)),
    st.builds(year_of, YEARS),
    st.builds(to_date, YEARS, st.integers(2, 12)),
    st.builds(day, DAYS),
    st.builds(months, st.sampled_from((3, 6, 9, 12)), DAYS),
    st.builds(weeks, st.sampled_from((13, 26, 39)), DAYS),
)


@given(PERIODS)
def test_what_is_told_is_read_again(period):
    (found,) = read_periods(told(period))
    assert isinstance(found.period, Period)
    assert found.period == period


@given(PERIODS, st.integers(-50, 50))
def test_moving_there_and_back_leads_home(period, years):
    there = shifted(period, years)
    assert there.kind == period.kind
    assert there.year == period.year + years
    assert shifted(there, -years).key == period.key or period.end.day > 27


@given(st.text(max_size=80))
def test_any_text_is_read_without_harm(text):
    for near in (None, NEAR):
        for one in read_periods(text, near=near):
            assert 0 <= one.start <= one.end <= len(text)
        joined_header([text, text], near=near)


WORDS = """
²²¹ ³ sıx aprıl JULY to ıst Kč thırd quarter Q3 2019 and YTD vs. Budget 31 12 . / - to from last
year Aug 25 three months ended FY E %
"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=12))
def test_any_row_of_such_words_is_read_without_harm(parts):
    for near in (None, NEAR):
        read_periods(" ".join(parts), near=near)
        joined_header(parts, near=near)
