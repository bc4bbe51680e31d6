"""Typed queries over tables that are made up here: compiled, run, described; what is refused."""

from __future__ import annotations

import duckdb
import pytest

from consilience.errors import UsageError
from consilience.tables.compile import compile_query
from consilience.tables.database import Database
from consilience.tables.grammar import parse_question
from consilience.tables.query import Condition, Rank, TableQuery, describe_answer
from consilience.tables.schema import make_table, parse_date, parse_number

TABLE = make_table(
    "kilns",
    ["name", "region", "height", "lit on", "fired"],
    [
        ["Ashdown", "North", "3.5 m", "March 5, 2004", "1,200"],
        ["Übel [1]", "north", "2", "2 Apr 2001", "900"],
        ["Cray", "South", "7", "2010-06-30", "2,400"],
        ["Dorn", "East", "", "2010-07-01", "150"],
    ],
)


def answer(**parts: object) -> tuple[str, ...]:
    return Database([TABLE]).run(TableQuery(table="kilns", **parts)).values  # type: ignore[arg-type]


NORTH = Condition("region", "=", ("North",))
SIDES = (Condition("name", "=", ("Cray",)), Condition("name", "=", ("ubel",)))


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ({"column": "name", "conditions": (NORTH,)}, ("Ashdown", "Übel [1]")),
        ({"column": "name", "conditions": (Condition("height", ">", (3,)),)}, ("Ashdown", "Cray")),
        ({"column": "name", "rank": Rank("height", descending=True)}, ("Cray",)),
        ({"column": "name", "rank": Rank("height", True, 1, 2)}, ("Ashdown",)),
        ({"column": "name", "rank": Rank("", descending=True)}, ("Dorn",)),
        (
            {"column": "name", "conditions": (Condition("lit on", "year", (2010,)),)},
            ("Cray", "Dorn"),
        ),
        ({"column": "name", "conditions": (Condition("lit on", "<", (2004,)),)}, ("Übel [1]",)),
        ({"column": "name", "conditions": (Condition("lit on", ">", ("2010-06-30",)),)}, ("Dorn",)),
        (
            {"column": "name", "conditions": (Condition("region", "!=", ("north",)),)},
            ("Cray", "Dorn"),
        ),
        ({"column": "height", "conditions": (Condition("name", "contains", ("übel",)),)}, ("2",)),
        ({"operation": "count", "conditions": (NORTH,)}, ("2",)),
        ({"operation": "count", "column": "region", "distinct": True}, ("3",)),
        ({"operation": "sum", "column": "fired", "conditions": (NORTH,)}, ("2100",)),
        ({"operation": "average", "column": "height"}, ("4.16667",)),
        ({"operation": "maximum", "column": "height"}, ("7",)),
        ({"operation": "sum", "column": "fired", "rank": Rank("height", True, 2)}, ("3600",)),
        ({"operation": "sum", "column": "fired", "group": "region"}, ("North", "South", "East")),
        ({"operation": "count", "group": "region", "rank": Rank("", descending=True)}, ("North",)),
        ({"operation": "difference", "column": "height", "sides": SIDES}, ("5",)),
        ({"operation": "change", "column": "height", "sides": SIDES}, ("-5",)),
        ({"operation": "ratio", "column": "height", "sides": SIDES}, ("3.5",)),
        ({"operation": "difference", "column": "lit on", "sides": SIDES}, ("9",)),
        ({"operation": "previous", "column": "name", "conditions": SIDES[:1]}, ("Übel [1]",)),
        ({"operation": "next", "column": "name", "conditions": SIDES[:1]}, ("Dorn",)),
        ({"operation": "count", "conditions": (Condition("region", "=", ("West",)),)}, ("0",)),
        ({"column": "name", "conditions": (Condition("region", "=", ("West",)),)}, ()),
    ],
)
def test_a_typed_query_gives(parts: dict[str, object], values: tuple[str, ...]) -> None:
    assert answer(**parts) == values


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"column": "heigth"}, "no column 'heigth' in 'kilns'; the nearest is 'height'"),
        ({"operation": "sum", "column": "lit on"}, "needs a column of numbers, not 'lit on'"),
        ({"operation": "average"}, "'kilns' has name, region, height"),
    ],
)
def test_a_query_that_does_not_fit_the_table_is_refused(
    parts: dict[str, object], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        answer(**parts)


def test_the_rows_behind_a_number_are_given() -> None:
    query = TableQuery(table="kilns", operation="sum", column="fired", conditions=(NORTH,))
    found = Database([TABLE]).run(query)
    assert found.rows == (1, 2)
    assert describe_answer(found, "Kilns") == "2100: sum of fired where region is North, in Kilns"
    assert "'North', 'north'" in found.sql


def test_sql_as_shown_runs_as_it_is() -> None:
    odd = make_table("a?b", ['what?"s', "n"], [["it's ?", "1"], ["b", "2"]])
    condition = Condition('what?"s', "=", ("it's ?",))
    query = TableQuery(table="a?b", operation="count", conditions=(condition,))
    database = Database([odd])
    assert database.run(query).values == ("1",)
    assert database.select(str(compile_query(query, odd)))[0][0] == 1


def test_words_without_a_place_make_a_query_unsure() -> None:
    query = parse_question("which kiln with enchanted bricks is the highest", TABLE)
    assert query.unplaced == ("enchanted", "bricks")
    assert not query.is_sure
    assert query.rank == Rank("height", descending=True, quote="highest")


def test_a_word_that_is_spelt_a_little_otherwise_is_found() -> None:
    query = parse_question("height of ashdwon", TABLE)
    assert query.column == "height"
    assert query.conditions[0].values == ("ashdown",)


TOWERS = make_table(
    "towers",
    ["name", "height_m", "country", "lit"],
    [
        ["Cordouan", "67.5", "France", "1611"],
        ["Île Vierge", "82.5", "France", "1902"],
        ["Skerryvore", "48", "Scotland", "1844"],
        ["Total", "198", "", ""],
    ],
)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Towers in France of more than 70 m", ("Île Vierge",)),
        ("Which towers have a height of at least 67.5 m?", ("Cordouan", "Île Vierge", "Total")),
        ("Which towers were lit between 1800 and 1850?", ("Skerryvore",)),
        ("Which tower in France is not taller than 70 metres?", ("Cordouan",)),
        ("towers under 50 metres in height", ("Skerryvore",)),
        ("Which towers were lit after 1800?", ("Île Vierge", "Skerryvore")),
        ("tallest tower", ("Île Vierge",)),
        ("the two tallest towers", ("Île Vierge", "Cordouan")),
        ("how much taller is Cordouan than Skerryvore?", ("19.5",)),
        ("total height of the towers", ("198",)),
        ("how many towers per country?", ("France", "Scotland")),
        ("which country has the most towers?", ("France",)),
        ("Which tower outside France is the tallest?", ("Skerryvore",)),
        ("which tower was lit earlier, Skerryvore or Cordouan?", ("Cordouan",)),
    ],
)
def test_a_plain_question_is(question: str, values: tuple[str, ...]) -> None:
    found = Database([TOWERS]).run(parse_question(question, TOWERS))
    assert found.values == values


STAFF = make_table(
    "staff",
    ["name", "department", "salary", "started", "age"],
    [
        ["Ana Ruiz", "Sales", "42,000", "2019-03-01", "34"],
        ["Bo Lind", "Workshop", "61,000", "2015-07-15", "45"],
        ["Cy Park", "Workshop", "58,500", "2021-01-10", "29"],
        ["Di Roth", "Sales", "39,000", "2022-11-03", "27"],
    ],
)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("who is the oldest?", ("Bo Lind",)),
        ("how many people are older than 30?", ("2",)),
        ("how many departments are there?", ("2",)),
        ("which department has the highest average salary?", ("Workshop",)),
        ("who started after 2020?", ("Cy Park", "Di Roth")),
        ("average age per department", ("Sales", "Workshop")),
        ("top 2 salaries", ("Bo Lind", "Cy Park")),
    ],
)
def test_a_plain_question_about_people_is(question: str, values: tuple[str, ...]) -> None:
    query = parse_question(question, STAFF)
    assert query.is_sure
    assert Database([STAFF]).run(query).values == values


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1,234", 1234), ("$3.5", 3.5), ("12%", 12), ("3 (2nd)", 3), ("n/a", None), ("−4", -4),
        ("1:30", 90), ("2–1", None), ("3 million", 3e6), ("7th", 7), ("4runner", None),
    ],
)  # fmt: skip
def test_messy_cells_are_numbers(cell: str, number: float | None) -> None:
    assert parse_number(cell) == number


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2004-03-05", "2004-03-05"), ("5th March 2004", "2004-03-05"), ("Mar. 5", "1904-03-05"),
        ("Sunday, June 1, 1997", "1997-06-01"), ("3. März 2020", "2020-03-03"),
        ("May 2001", "2001-05-01"), ("31 February 2001", None), ("Mayor 12", None),
    ],
)  # fmt: skip
def test_cells_are_dates(cell: str, day: str | None) -> None:
    assert (found.isoformat() if (found := parse_date(cell)) else None) == day


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM kilns", "SELECT * FROM read_csv('/etc/passwd')", "COPY kilns TO '/tmp/t.csv'"],
)
def test_the_database_neither_writes_nor_reads_files(sql: str) -> None:
    database = Database([TABLE])
    database.copy(TABLE)
    with pytest.raises(duckdb.Error):
        database.select(sql)
    assert database.select("SELECT count(*) FROM kilns") == [(4,)]
