import pytest

from consilience.errors import UsageError
from consilience.filters import checked_filter, holds, parse_filter, passes, resolve_filters
from consilience.types import Filter, Locator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year>=1900", Filter("year", ">=", 1900)),
        ("height = 35.5", Filter("height", "=", 35.5)),
        ("country=France", Filter("country", "=", "France")),
        ('code="007"', Filter("code", "=", "007")),
        ("lit != true", Filter("lit", "!=", True)),
        ("first lit<1800", Filter("first lit", "<", 1800)),
        ("title contains rock", Filter("title", "contains", "rock")),
    ],
)
def test_filters_are_typed_as_people_write_them(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize("text", ["", "year", "=3", "year>"])
def test_what_cannot_be_read_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match="for example"):
        parse_filter(text)


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        (Filter("f", "=", "france"), "France", True),
        (Filter("f", "!=", "france"), "France", False),
        (Filter("f", "!=", "x"), None, False),
        (Filter("f", "=", 1), True, False),
        (Filter("f", "=", True), True, True),
        (Filter("f", "=", 1), 1.0, True),
        (Filter("f", "=", "1"), 1, False),
        (Filter("f", "<", 3), "2", False),
        (Filter("f", "<=", 3), 3, True),
        (Filter("f", ">", 3), 10**400, True),
        (Filter("f", ">", 3), (1, 4), True),
        (Filter("f", "!=", 4), (1, 4), False),
        (Filter("f", "contains", "ROCK"), "Bell Rock", True),
        (Filter("f", "contains", "1"), 1, False),
    ],
)
def test_one_meaning_for_every_engine(condition, value, expected):
    assert holds(condition, value) is expected


def test_a_passage_passes_when_all_filters_hold(passage):
    one = passage("a", locator=Locator(page=4), metadata={"year": 1811})
    assert passes(one, [Filter("year", ">", 1800), Filter("page", "=", 4)])
    assert not passes(one, [Filter("year", ">", 1800), Filter("page", "=", 5)])
    assert passes(one, [])


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("year", {"Year", "year"}, "year"),
        ("YEAR", {"Year", "height"}, "Year"),
        ("First Lit", {"first lit"}, "first lit"),
        ("Page", set(), "page"),
        ("title", {"Title"}, "title"),
        ("Text", set(), "text"),
    ],
)
def test_a_field_is_found_as_it_is_spelt_and_else_without_regard_to_case(name, fields, expected):
    assert resolve_filters([Filter(name, "=", 1)], fields) == (Filter(expected, "=", 1),)


def test_filters_on_a_field_that_is_not_there_cannot_be_resolved():
    there, missing = Filter("kind", "=", "row"), Filter("year", "=", 1811)
    assert resolve_filters([there, missing], {"height"}) is None
    assert resolve_filters([], {"height"}) == ()


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("value", ["2025-2-1", "late", True, ""])
def test_an_order_of_what_is_no_number_and_no_date_is_refused(operator, value):
    with pytest.raises(
        UsageError, match=f"`{operator}` compares .* dates, and {value!r} is neither"
    ):
        checked_filter(Filter("date", operator, value))


def test_the_refusal_of_an_order_says_what_to_write_instead():
    with pytest.raises(UsageError, match=r"e\.g\. 'date contains 2025-02'$"):
        checked_filter(Filter("date", ">=", "2025-02-1st"))
    with pytest.raises(UsageError, match=r"e\.g\. 'name contains Bell'$"):
        checked_filter(Filter("name", ">", "Bell"))
    for fine in (Filter("year", ">", 1811), Filter("date", ">", "2025-02-01")):
        assert checked_filter(fine) is fine


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1 and b=2 or c=3", "(a = 1 and b = 2) or c = 3"),
        ("a=1 AND (b=2 or c=3)", "a = 1 and (b = 2 or c = 3)"),
        ("not a=1 and b=2", "(not (a = 1)) and b = 2"),
        ("not (a=1 and b=2)", "not (a = 1 and b = 2)"),
        ("kind in (row, 'a, b', 3)", "kind = row or kind = a, b or kind = 3"),
        ("kind not in (row)", "not (kind = row)"),
        ("height in 30..60.5", "height >= 30 and height <= 60.5"),
        ("lit in 1811-02-01..", "lit >= 1811-02-01"),
        ("lit in ..1811-02", "lit <= 1811-02"),
        ("name = Salt and Pepper", "name = Salt and Pepper"),
        ('name = "Salt and x=1" or b=2', "name = Salt and x=1 or b = 2"),
        ("name = Foo (bar)", "name = Foo (bar)"),
        ("Name (2) = 5", "Name (2) = 5"),
        ('"not lit" = true', "not lit = True"),
        ("(a = b (c) or d = 1) and e = 2", "(a = b (c) or d = 1) and e = 2"),
    ],
)
def test_conditions_are_joined_as_people_write_them(text, expected):
    assert str(parse_filter(text)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(a=1", "not closed"),
        ("a in (b", "in parentheses"),
        ("a in ..", "at least one end"),
        ("(a=1) b=2", "left over"),
        ("(" * 60 + "a=1" + ")" * 60, "too deep"),
    ],
)
def test_conditions_that_are_not_whole_are_refused_with_the_reason(text, reason):
    with pytest.raises(UsageError, match=reason):
        parse_filter(text)


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        (Filter("f", ">=", "1811-02"), "1811-02-28", True),
        (Filter("f", "<=", "1811-02"), "1811-02-28", True),
        (Filter("f", ">", "1811-02"), "1811-02-28", False),
        (Filter("f", "<", "1811-02-01"), "1811-01-31T23:00", True),
        (Filter("f", ">", "1811-02-01"), "1811-03", True),
        (Filter("f", ">=", "1811-02-10"), "1811-02", False),
        (Filter("f", "<", "1811-02-10"), "1811-02", False),
        (Filter("f", "<=", "1811-02-01 10:00"), "1811-02-01T09:59", True),
        (Filter("f", ">", "1811-02-01"), 1811, False),
        (Filter("f", ">", "1811-02-01"), "late", False),
    ],
)
def test_dates_are_compared_as_exactly_as_they_are_typed(condition, value, expected):
    assert holds(condition, value) is expected


def test_joined_conditions_hold_as_logic_says(passage):
    one = passage("a", metadata={"year": 1811, "tags": ("a", "b")})
    for text, expected in (
        ("year = 1811 or missing = 1", True),
        ("year = 1811 and missing = 1", False),
        ("not missing = 1", True),
        ("missing != 1", False),
        ("tags in (b, c) and year in 1800..1811", True),
        ("not (tags = a or year < 1800)", False),
    ):
        assert passes(one, [parse_filter(text)]) is expected, text
