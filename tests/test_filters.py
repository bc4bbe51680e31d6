import pytest

from consilience.errors import UsageError
from consilience.filters import holds, parse_filter, passes
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
