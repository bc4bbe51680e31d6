"""Tables: rows to read, cells with types, dialects."""

from __future__ import annotations

import json

import pytest

from consilience.errors import LoadError
from consilience.evidence.loaders.table import LOADER, style_of, typed

load = LOADER.load


def rows(document):
    return [dict(block.metadata) for block in document.blocks]


def test_a_row_is_a_whole_block_that_names_its_cells(write):
    found = load(write("tallest_towers.csv", "Country,Height,Old\nFrance,52.0,true\nChad,7,\n"))
    first = found.blocks[0]
    assert (found.title, found.kind) == ("tallest towers", "table")
    assert (first.text, first.kind, first.whole) == (
        "Country: France; Height: 52.0; Old: true",
        "row",
        True,
    )
    assert (first.locator.table, first.locator.row) == ("tallest_towers", 1)
    assert rows(found) == [
        {"Country": "France", "Height": 52.0, "Old": True},
        {"Country": "Chad", "Height": 7},
    ]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12", "-3", "0"], [12, -3, 0]),
        (["1.50", "-.5", "2"], [1.5, -0.5, 2]),
        (["007", "12"], ["007", "12"]),
        (["1,234"], ["1,234"]),
        (["1,234", "1,234,567"], [1234, 1234567]),
        (["1,234.5"], [1234.5]),
        (["TRUE", "no"], [True, "no"]),
        (["1e5", "1.5e3", "1.2.3", "nan", "+5"], ["1e5", 1500.0, "1.2.3", "nan", "+5"]),
        (["1234567890123456789012"], ["1234567890123456789012"]),
    ],
)
def test_cells_have_types_only_where_there_is_no_doubt(cells, values):
    style = style_of(cells, comma_decimals=False)
    found = [typed(cell, style) for cell in cells]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_decimal_commas_are_read_in_a_semicolon_file(write):
    found = load(write("a.csv", "Land;Wert;Menge\nA;1,5;1.234,75\nB;0,25;12\n"))
    assert rows(found) == [
        {"Land": "A", "Wert": 1.5, "Menge": 1234.75},
        {"Land": "B", "Wert": 0.25, "Menge": 12},
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'A,B\n"x, y",2\n"say ""hi""",3\n'),
        ("a.csv", 'A;B\nx, y;2\nsay "hi";3\n'),
        ("a.csv", '\ufeffA|B\r\nx, y|2\r\nsay "hi"|3\r\n'),
        ("a.tsv", 'A\tB\nx, y\t2\nsay "hi"\t3\n'),
        ("a.csv", '"A","B"\n"x, y","2"\n"say \\"hi\\"","3"\n'),
    ],
    ids=["comma", "semicolon", "pipe", "tab", "backslash"],
)
def test_dialects(write, name, text):
    assert rows(load(write(name, text))) == [{"A": "x, y", "B": 2}, {"A": 'say "hi"', "B": 3}]


def test_ragged_rows_are_kept_and_said(write):
    found = load(write("a.csv", "A,B\n1,2,3\n4\n5,6\n"))
    assert rows(found) == [{"A": 1, "B": 2, "column 3": 3}, {"A": 4}, {"A": 5, "B": 6}]
    assert found.notes == (
        "rows with more cells than the header, kept as 'column N': 1",
        "rows with fewer cells than the header: 2",
    )


def test_empty_and_repeated_names_are_made_unique(write):
    found = load(write("a.csv", "A,,A, B \n1,2,3,4\n"))
    assert rows(found) == [{"A": 1, "column 2": 2, "A (2)": 3, "B": 4}]


def test_cells_of_several_lines_are_one_line_to_read(write):
    found = load(write("a.csv", 'A,B\n"x\ny",2\n'))
    assert found.blocks[0].text == "A: x y; B: 2"
    assert rows(found) == [{"A": "x\ny", "B": 2}]


def test_blank_rows_are_passed_over_but_counted(write):
    found = load(write("a.csv", "A,B\n1,2\n,\n3,4\n"))
    assert [block.locator.row for block in found.blocks] == [1, 3]


def test_a_single_column_is_a_table_too(write):
    assert rows(load(write("a.csv", "Name\nAnn\nBob\n"))) == [{"Name": "Ann"}, {"Name": "Bob"}]


def test_json_lines_are_flattened_and_typed(write):
    plain = '"id": "007", "n": 1, "f": 1.5, "ok": true, "none": null'
    text = f'{{{plain}, "in": {{"a": {{"b": "x"}}}}, "l": ["p", "q"]}}\n'
    found = load(write("a.jsonl", text))
    assert rows(found) == [
        {"id": "007", "n": 1, "f": 1.5, "ok": True, "in.a.b": "x", "l": ("p", "q")}
    ]
    assert found.blocks[0].text == "id: 007; n: 1; f: 1.5; ok: true; in.a.b: x; l: p, q"


def test_bad_lines_are_told_with_number_and_reason_and_the_others_load(write):
    found = load(write("a.ndjson", '{"a": 1}\n\nnot json\n[1]\n{"a": NaN, "b": 2}\n'))
    assert [block.locator.row for block in found.blocks] == [1, 5]
    assert rows(found)[1] == {"b": 2}
    assert found.notes[0].startswith("line 3 left out: Expecting value")
    assert found.notes[1] == "line 4 left out: not an object but list"


def test_a_file_of_bad_lines_only_is_refused(write):
    with pytest.raises(LoadError, match=r"no line of a\.jsonl"):
        load(write("a.jsonl", "x\ny\n"))


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, '{"a": ' + "9" * 5000 + "}"]
)
def test_hostile_json_costs_a_line(write, line):
    assert len(load(write("a.jsonl", line + '\n{"a": 1}\n')).blocks) >= 1


def test_lone_surrogates_and_huge_numbers_become_text(write):
    found = load(write("a.jsonl", '{"a": "\\ud800x", "b": 99999999999999999999, "c": 1e999}'))
    assert rows(found) == [{"a": "\ufffdx", "b": "99999999999999999999"}]
    assert found.blocks[0].text.encode()


def test_a_table_too_wide_for_rows_is_refused(write):
    text = "A\n" + "," * 20_000 + "x\n" + "1\n" * 2000
    with pytest.raises(LoadError, match="20,001 columns, and a row may have 1,000; keep"):
        load(write("a.csv", text))


def test_a_table_of_as_many_columns_as_may_be_is_read(write):
    text = "A\n" + "," * 999 + "x\n" + "1\n" * 2000
    assert rows(load(write("a.csv", text)))[0] == {"column 1000": "x"}


def test_blank_lines_above_a_table_are_left_out(write):
    assert rows(load(write("a.csv", "\n" * 200_000 + "A\n1\n"))) == [{"A": 1}]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({f"k{n}": n for n in range(1001)}, "more than 1,000 fields"),
        ({"a": {f"k{n}": {"b": n} for n in range(1001)}}, "more than 1,000 fields"),
        ({"n" * 501: 1, "m": "x" * 600}, "more than 500 letters"),
    ],
)
def test_a_record_of_too_many_fields_or_letters_is_told(write, record, reason):
    found = load(write("a.jsonl", json.dumps(record) + '\n{"a": 1}\n'))
    assert rows(found) == [{"a": 1}]
    assert reason in found.notes[0]
