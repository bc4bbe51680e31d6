"""Are workbooks and separated values read as tables, with every number as it is meant?"""

import zipfile
from datetime import datetime

import pytest
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font

from consilience.errors import LoadError
from consilience.packs.finance.data_model import About, Grid
from consilience.packs.finance.files import sheets
from consilience.packs.finance.files.regions import is_figure
from consilience.packs.finance.files.sheets import exact, read_csv, read_workbook, shown
from consilience.packs.finance.tables.structure import understand
from consilience.types import Block


def saved(path, fill):
    book = Workbook()
    book.active.title = "Empty"
    fill(book)
    book.save(path)
    return path


def sheet_of(book, rows, title="Figures"):
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append(row)
    return sheet


def lines(grid):
    found = {}
    for cell in grid.cells:
        found.setdefault(cell.row, []).append(cell.text)
    return list(found.values())


def grids(report):
    return [part for part in report.parts if isinstance(part, Grid)]


@pytest.mark.parametrize(
    ("value", "number_format", "text", "digits"),
    [
        (0.2345, "0.0%", "23.5%", "23.45"),
        (0.2, "0.0%", "20.0%", ""),
        (1234.5, "#,##0", "1,235", "1234.5"),
        (1.5, "0.0##", "1.5", ""),
        (1200, "#,##0.00", "1,200.00", ""),
        (-3, "#,##0_);(#,##0)", "(3)", ""),
        (-3.4, "#,##0_);(#,##0)", "(3)", "-3.4"),
        (-3, "#,##0;[Red]#,##0", "-3", ""),
        (1234567890, '#,##0,,"m"', "1,235m", "1234.56789"),
        (1234.5, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', "1,234.50 €", ""),
        (1234.5, "[$€-407] #,##0", "€ 1,235", "1234.5"),
        (-12, '"$"#,##0_);("$"#,##0)', "($12)", ""),
        (0, '#,##0;(#,##0);"-"', "0", ""),
        (2.5, '0.0"x"', "2.5x", ""),
        (0.1 + 0.2, "General", "0.3", ""),
        (1 / 3, "General", "0.3333333333", "0.333333333333333"),
        (1.234, "General", "1.234", "1.234"),  # never taken for a thousand
        (2018, "General", "2018", ""),
        (1e300, "General", "1E+300", ""),
        (True, "General", "TRUE", ""),
        ("  padded ", "@", "padded", ""),
        (None, "General", "", ""),
        (float("nan"), "General", "", ""),
        (datetime(2025, 8, 1), "mmm-yy", "August 2025", ""),
        (datetime(2025, 8, 31), "yyyy-mm-dd", "31 August 2025", ""),
        (datetime(2025, 1, 1), "yyyy", "2025", ""),
    ],
)
def test_a_value_is_written_as_its_format_shows_it_and_no_digit_is_lost(
    value, number_format, text, digits
):
    assert shown(value, number_format) == text
    assert exact(value, number_format) == digits


@pytest.mark.parametrize("text", ["1,234", "(5.1)", "$ 12", "23.4%", "€1.234,5", "12m", "3 (1)"])
def test_numbers_are_figures(text):
    assert is_figure(text)


@pytest.mark.parametrize(
    "text",
    [
        *("2024", "FY 2025", "2025B", "2017 (1)", "31 August 2025", "May 26, 2019", "MAY 26, 2019"),
        *("US$000", "£'000", "Q3", "2016 low", "Total", "", "(" * 99),
    ],
)
def test_times_units_and_words_are_not(text):
    assert not is_figure(text)


def monthly(book):
    rows = [
        ["Nordvik – Monthly report August 2025"],
        ["in € thousands"],
        [],
        [None, "August 2025", None, "YTD"],
        [None, "Actual", "Budget", "Actual"],
        ["Portugal"],
        ["Cement", 1234.5, 1200, 9000],
        ["Margin", 0.2345, 0.22, 0.2],
        [],
        ["Costs"],
        ["Energy", -12, -13, -100],
        ["(1) With carbon."],
        [],
        ["Headcount"],
        ["Country", datetime(2025, 8, 1), datetime(2025, 7, 1)],
        ["Spain", 88, 90],
    ]
    sheet = sheet_of(book, rows, "P&L")
    sheet.merge_cells("B4:C4")
    sheet["A7"].alignment = Alignment(indent=2)
    sheet["A6"].font = Font(bold=True)
    for cell in sheet[8][1:]:
        cell.number_format = "0.0%"
    for cell in sheet[15][1:]:
        cell.number_format = "mmm-yy"


def test_a_sheet_gives_its_tables_with_captions_notes_spans_and_indents(tmp_path):
    report = read_workbook(saved(tmp_path / "m.xlsx", monthly))
    first, second = grids(report)
    assert first.caption == "Nordvik – Monthly report August 2025 – in € thousands"
    assert first.section == ("P&L",)
    assert first.notes == ("(1) With carbon.",)
    assert lines(first)[0] == ["August 2025", "YTD"]
    assert lines(first)[4] == ["Margin", "23.5%", "22.0%", "20.0%"]
    assert ["Energy", "-12", "-13", "-100"] in lines(first)  # goes on below an empty row
    by_text = {cell.text: cell for cell in first.cells}
    assert by_text["August 2025"].columns == 2
    assert by_text["Cement"].indent > by_text["Margin"].indent
    assert by_text["Portugal"].bold
    assert second.caption == "Headcount"  # counts no euros
    assert lines(second)[0] == ["Country", "August 2025", "July 2025"]
    assert "Monthly report August 2025" in report.opening


def test_tables_side_by_side_are_apart_and_a_spacer_column_parts_nothing(tmp_path):
    rows = [
        ["Region", 2024, None, "Product", 2024],
        ["North", 5.5, None, "Lamps", 7.5],
        ["South", 6.5, None, "Lenses", 8.5],
        [],
        ["Item", None, 2024, None, 2025],
        ["Sales", None, 1.5, None, 2.5],
    ]
    found = grids(read_workbook(saved(tmp_path / "s.xlsx", lambda book: sheet_of(book, rows))))
    assert [lines(one)[1] for one in found] == [
        ["North", "5.5"],
        ["Lamps", "7.5"],
        ["Sales", "1.5", "2.5"],
    ]
    assert found[2].size == (2, 3)


def test_tables_side_by_side_go_on_below_an_empty_row_each_for_itself(tmp_path):
    rows = [
        ["Two tables"],
        [],
        ["Region", "Sales", None, "Product", "Sales"],
        ["North", 5.5, None, "Lamps", 7.5],
        [],
        ["South", 6.5, None, "Lenses", 8.5],
        [],
        ["West", 1.5],
        [],
        ["Item", "A", "B", "C", "D"],
        ["Rent", 1.5, 2.5, 3.5, 4.5],
    ]
    found = grids(read_workbook(saved(tmp_path / "g.xlsx", lambda book: sheet_of(book, rows))))
    assert [lines(one)[1:] for one in found] == [
        [["North", "5.5"], ["South", "6.5"], ["West", "1.5"]],
        [["Lamps", "7.5"], ["Lenses", "8.5"]],
        [["Rent", "1.5", "2.5", "3.5", "4.5"]],
    ]
    assert [one.caption for one in found] == ["Two tables", "", ""]


def test_headings_above_an_empty_row_belong_to_the_numbers_below_it(tmp_path):
    rows = [["Item", "Actual", "Budget"], [], ["Sales", 10.5, 11], ["Costs", 5, 6]]
    (grid,) = grids(read_workbook(saved(tmp_path / "h.xlsx", lambda book: sheet_of(book, rows))))
    assert lines(grid)[0] == ["Item", "Actual", "Budget"]
    assert len(lines(grid)) == 3


def test_text_that_is_no_table_is_prose(tmp_path):
    words = "Sales rose because lamps were bought by everyone who had seen them. " * 6
    rows = [[words], [], ["Item", "Actual"], ["Sales", 10.5]]
    report = read_workbook(saved(tmp_path / "p.xlsx", lambda book: sheet_of(book, rows)))
    assert isinstance(report.parts[0], Block)
    assert report.parts[0].text == words.strip()
    assert grids(report)[0].caption == ""


def test_hidden_sheets_are_read_and_said_and_formulas_without_values_are_counted(tmp_path):
    def fill(book):
        sheet_of(book, [["Sales", 10.5], ["Twice", "=B1*2"]], "Open")
        sheet_of(book, [["Item", "2024"], ["Secret", 7.5]], "Shut").sheet_state = "hidden"

    report = read_workbook(saved(tmp_path / "f.xlsx", fill))
    assert [one.section for one in grids(report)] == [("Open",), ("Shut",)]
    assert any("'Shut' is hidden" in note for note in report.notes)
    assert any("formulas without a value in the file: 1;" in note for note in report.notes)


def test_a_row_of_formulas_without_values_is_a_row_and_no_heading_of_others(tmp_path):
    rows = [
        ["USD million", "2024", "=B1-1"],
        ["Revenue", 1000, 900],
        ["EBITDA margin", "=B3/B2", "=C3/C2"],
        ["Capex", 12, 11],
        ["=A1", 1, 2],
    ]
    report = read_workbook(saved(tmp_path / "f.xlsx", lambda book: sheet_of(book, rows)))
    assert lines(grids(report)[0]) == [
        ["USD million", "2024"],
        ["Revenue", "1000", "900"],
        ["EBITDA margin", "no value", "no value"],
        ["Capex", "12", "11"],
        ["1", "2"],
    ]
    found = understand(grids(report)[0], About(), "Figures")
    assert [row.label for row in found.rows][:3] == [("Revenue",), ("EBITDA margin",), ("Capex",)]
    assert [len(row.data) for row in found.rows][:3] == [2, 0, 2]
    assert {(one.unit, one.scale) for one in found.rows[2].data} == {("USD", 10**6)}


def test_bounds_cut_a_sheet_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "MOST_ROWS", 3)
    monkeypatch.setattr(sheets, "MOST_COLUMNS", 2)
    rows = [["Item", "A", "B"], *([f"row {n}", n, n] for n in range(9))]
    report = read_workbook(saved(tmp_path / "b.xlsx", lambda book: sheet_of(book, rows)))
    assert grids(report)[0].size == (3, 2)
    assert any("first 3 rows" in note for note in report.notes)
    assert any("first 2 columns" in note for note in report.notes)
    table = tmp_path / "b.csv"
    table.write_text("\n".join(",".join(map(str, row)) for row in rows))
    assert any("first 3 rows" in note for note in read_csv(table).notes)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.xlsx", b"\xd0\xcf\x11\xe0" + b"0" * 600, "password"),
        ("a.xls", b"\xd0\xcf\x11\xe0" + b"0" * 600, "save it as .xlsx"),
        ("a.xlsx", b"PK\x03\x04 broken", "not a workbook"),
        ("a.xlsx", b"", "not a workbook"),
        ("a.xlsx", b"a,b\n1,2\n", "not a workbook"),
    ],
)
def test_what_is_no_workbook_gets_a_reason(tmp_path, name, data, told):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(LoadError, match=told):
        read_workbook(path)


def test_bombs_entities_and_strange_zips_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 30_000_000)
    with pytest.raises(LoadError, match="would unpack"):
        read_workbook(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
    with pytest.raises(LoadError, match="entities"):
        read_workbook(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "no workbook")
    with pytest.raises(LoadError, match="not a readable workbook"):
        read_workbook(path)
    with pytest.raises(LoadError, match="cannot open"):
        read_workbook(tmp_path / "none.xlsx")


def test_a_sheet_damaged_inside_gets_a_reason(tmp_path):
    path = saved(tmp_path / "d.xlsx", monthly)
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    held[sheet] = held[sheet][: len(held[sheet]) // 2]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    with pytest.raises(LoadError, match=r"d\.xlsx"):
        read_workbook(path)


def test_separated_values_have_captions_and_both_ways_of_writing_numbers(tmp_path):
    path = tmp_path / "umsatz.csv"
    path.write_text(
        "Umsatz nach Land;;\nin Mio. €;;\n;;\nLand;2024;2025\nDeutschland;1.234,5;1.300,1\n"
        "Frankreich;99,5;101,0\n\nPersonal;;\nLand;2024;2025\nDeutschland;10;12\n",
        encoding="utf-8",
    )
    first, second = grids(read_csv(path))
    assert first.caption == "Umsatz nach Land – in Mio. €"
    assert lines(first)[1] == ["Deutschland", "1.234,5", "1.300,1"]
    assert second.caption.startswith("Personal")
    plain = tmp_path / "plain.tsv"
    plain.write_text("Country\tYear\tRevenue\nPT\t2024\t1,200\n  ES\t2024\t1,300\n")
    (grid,) = grids(read_csv(plain))
    assert lines(grid)[2] == ["ES", "2024", "1,300"]


def test_an_empty_file_says_so(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("")
    report = read_csv(path)
    assert report.parts == ()
    assert report.notes == ("none.csv holds no text",)
    assert read_workbook(saved(tmp_path / "e.xlsx", lambda book: None)).notes
