"""Tables of PDF pages: what stands in a cell, under which headings, beside which label."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.files.pdf import read_report
from consilience.types import Block

PATH = Path(__file__).parents[2] / "benchmarks" / "finance_meaning.py"
SPEC = importlib.util.spec_from_file_location("finance_meaning", PATH)
scoring = importlib.util.module_from_spec(SPEC)
sys.modules["finance_meaning"] = scoring
SPEC.loader.exec_module(scoring)
BODY = getSampleStyleSheet()["BodyText"]
RIGHT = ("ALIGN", (1, 0), (-1, -1), "RIGHT")
PROSE = (
    "In 2025 the group sold 1,234 tonnes of cement, 3% more than in 2024, and invested $12 "
    "million in 3 plants. Sales in Spain rose from 980 to 1,020 and those in Portugal fell. "
)
CASH = "Cash and cash equivalents held in restricted accounts, end of period"


def text(words):
    return Paragraph(words, BODY)


def table(rows, *styles, widths=None, **more):
    return Table(rows, colWidths=widths, style=[RIGHT, *styles], **more)


@pytest.fixture
def read(tmp_path):
    def build(*parts, size=A4, **more):
        path = tmp_path / "report.pdf"
        SimpleDocTemplate(str(path), pagesize=size, **more).build(list(parts))
        return read_report(path)

    return build


def grids(report):
    return [part for part in report.parts if isinstance(part, Grid)]


def prose(report):
    return [part.text for part in report.parts if isinstance(part, Block)]


def texts(grid):
    rows, columns = grid.size
    found = [[""] * columns for _ in range(rows)]
    for cell in grid.cells:
        found[cell.row][cell.column] = cell.text
    return found


def spans(grid):
    return {cell.text: (cell.column, cell.columns) for cell in grid.cells if cell.columns > 1}


QUARTERS = [
    ["", "Three months ended June 30,", "", "Six months ended June 30,", ""],
    ["(in millions)", "2025", "2024", "2025", "2024"],
    ["Operating expenses:", "", "", "", ""],
    ["   Wages (1)", "$ 1,234", "$ 1,111", "$ 2,345", "$ 2,222"],
    ["   Energy", "(600)", "—", "(1,200)", "12.5%"],
    ["Total", "$ 634", "", "$ 1,145", "$ 1,096"],
]
MERGED = [
    ("SPAN", (1, 0), (2, 0)),
    ("SPAN", (3, 0), (4, 0)),
    ("ALIGN", (1, 0), (-1, 0), "CENTER"),
]


@pytest.mark.parametrize(
    "look",
    [
        [("LINEBELOW", (1, 0), (2, 0), 0.5, colors.black)],
        [("LINEBELOW", (0, 1), (-1, 1), 1, colors.black)],
        [("ROWBACKGROUNDS", (0, 2), (-1, -1), [colors.whitesmoke, colors.lightblue])],
        [("GRID", (0, 0), (-1, -1), 0.5, colors.black)],
    ],
    ids=["ruled headings", "one rule", "shaded", "ruled"],
)
def test_a_table_keeps_its_cells_whatever_its_look(read, look):
    made = table(QUARTERS, *MERGED, *look, widths=[150, 75, 75, 75, 75])
    (grid,) = grids(read(text(PROSE * 3), made, text(PROSE * 3)))
    assert texts(grid)[1:] == [
        ["(in millions)", "2025", "2024", "2025", "2024"],
        ["Operating expenses:", "", "", "", ""],
        ["Wages (1)", "$1,234", "$1,111", "$2,345", "$2,222"],
        ["Energy", "(600)", "—", "(1,200)", "12.5%"],
        ["Total", "$634", "", "$1,145", "$1,096"],
    ]
    assert spans(grid) == {
        "Three months ended June 30,": (1, 2),
        "Six months ended June 30,": (3, 2),
    }
    indents = {cell.text: cell.indent for cell in grid.cells if cell.column == 0}
    assert indents["Wages (1)"] > indents["Total"] == 0


def test_signs_and_brackets_in_columns_of_their_own_join_their_numbers(read):
    rows = [
        ["", "", "2025", "", "", "2024", ""],
        ["Revenue", "$", "1,234", "", "$", "998", ""],
        ["Loss", "", "(45", ")", "", "(7", ")"],
        ["Margin", "", "12.5", "%", "", "11.0", "%"],
    ]
    (grid,) = grids(read(table(rows, widths=[150, 12, 60, 10, 12, 60, 10])))
    assert texts(grid) == [
        ["", "2025", "2024"],
        ["Revenue", "$1,234", "$998"],
        ["Loss", "(45)", "(7)"],
        ["Margin", "12.5 %", "11.0 %"],
    ]


@pytest.mark.parametrize("align", ["TOP", "MIDDLE", "BOTTOM"])
def test_a_label_over_several_lines_is_one_row(read, align):
    rows = [
        ["Indicator", "Unit", "2025", "2024"],
        [text(CASH), "€ m", "12.5", "11.0"],
        [text("Employees"), "FTE", "1.204", "1.190"],
        [text("Net debt to EBITDA as defined in the facility agreement"), "x", "1,9x", "2,1x"],
    ]
    ruled = ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey)
    made = table(rows, ruled, ("VALIGN", (0, 0), (-1, -1), align), widths=[150, 50, 60, 60])
    report = read(text(PROSE), made, text(PROSE))
    (grid,) = grids(report)
    assert [row[0] for row in texts(grid)] == [
        "Indicator",
        CASH,
        "Employees",
        "Net debt to EBITDA as defined in the facility agreement",
    ]
    assert [row[1:] for row in texts(grid)][1:] == [
        ["€ m", "12.5", "11.0"],
        ["FTE", "1.204", "1.190"],
        ["x", "1,9x", "2,1x"],
    ]
    assert len(prose(report)) == 2


def test_a_table_of_words_is_one_where_it_is_ruled(read):
    rows = [["Term", "Meaning"], ["EBITDA", text("Earnings before interest and more of it.")]]
    rows.append(["ROCE", "Return on capital employed"])
    made = table(rows, ("GRID", (0, 0), (-1, -1), 0.5, colors.black), widths=[80, 120])
    (grid,) = grids(read(made))
    assert texts(grid)[1] == ["EBITDA", "Earnings before interest and more of it."]


def test_two_tables_beside_each_other_are_two(read):
    def half(name, shift):
        rows = [[name, "2025", "2024"]]
        rows += [[word, f"{shift}.{at}", f"{shift + 1}.{at}"] for at, word in enumerate("ABC")]
        return table(rows)

    found = grids(read(Table([[half("Volume", 10), half("Price", 20)]], colWidths=[240, 240])))
    assert [texts(grid)[1] for grid in found] == [["A", "10.0", "11.0"], ["A", "20.0", "21.0"]]


def test_prose_with_numbers_and_contents_are_no_tables_and_are_not_lost(read):
    contents = [["Item 1. Business", "4"], ["Item 2. Properties", "11"], ["Item 3. Law", "28"]]
    contents += [["Item 4. Safety", "28"], ["Item 5. Market", "30"]]
    report = read(text(PROSE * 8), table(contents, widths=[300, 50]), text("1. " + "." * 60 + " 9"))
    assert grids(report) == []
    whole = " ".join(prose(report))
    assert "Item 3. Law 28" in whole
    assert whole.count("1,234 tonnes") == 8


def test_captions_and_notes_belong_to_their_table_and_to_nothing_else(read):
    rows = [["", "2025", "2024"], ["Sales (1)", "10.5", "9.1"], ["Costs", "8.0", "7.5"]]
    report = read(
        text(PROSE * 3),
        text("Table 7: Sales by country"),
        text("(in € thousands, except per share data)"),
        table(rows),
        text("(1) Excludes sales between companies of the group."),
        text(PROSE * 3),
        text("Profit by division was as follows (in millions):"),
        table(rows),
    )
    first, second = grids(report)
    assert first.caption == "Table 7: Sales by country (in € thousands, except per share data)"
    assert first.notes == ("(1) Excludes sales between companies of the group.",)
    assert second.caption == "Profit by division was as follows (in millions):"
    assert all("Excludes" not in words and "Table 7" not in words for words in prose(report))


def test_a_table_over_two_pages_is_a_grid_on_each_with_its_headings(read):
    rows = [["Plant", "Jan", "Feb"]] + [[f"Plant {n}", f"{n}.1", f"{n}.2"] for n in range(60)]
    found = grids(read(table(rows, repeatRows=1)))
    assert [grid.page for grid in found] == [1, 2]
    assert [texts(grid)[0] for grid in found] == [["Plant", "Jan", "Feb"]] * 2
    assert sum(grid.size[0] - 1 for grid in found) == 60


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_count_from_the_upper_left_of_the_page_as_shown(tmp_path, turn):
    """A page that is turned when shown has its words turned the other way in the file."""
    path = tmp_path / "turned.pdf"
    page = canvas.Canvas(str(path), pagesize=(400, 300))
    page.setPageRotation(turn)
    page.rotate(turn)
    page.translate(*{0: (0, 0), 90: (0, -300), 180: (-400, -300), 270: (-400, 0)}[turn])
    rows = (("", "2025", "2024"), ("Sales", "10.5", "9.1"), ("Costs", "8", "7"))
    for row, cells in enumerate(rows):
        for column, words in enumerate(cells):
            page.drawRightString(80 + 70 * column, 240 - 20 * row, words)
    page.save()
    (grid,) = grids(read_report(path))
    assert texts(grid)[1] == ["Sales", "10.5", "9.1"]
    cell = next(cell for cell in grid.cells if cell.text == "10.5")
    assert cell.box.right == pytest.approx(150, abs=2)
    assert cell.box.bottom == pytest.approx(80, abs=4)


def test_wide_pages_and_page_breaks(read):
    rows = [["EUR", *map(str, range(2015, 2026))], ["Sales", *(f"{n}.0" for n in range(11))]]
    rows.append(["Costs", *(f"({n})" for n in range(11))])
    report = read(table(rows), PageBreak(), table(rows), size=landscape(A4))
    assert [(grid.page, grid.size) for grid in grids(report)] == [(1, (3, 12)), (2, (3, 12))]


def test_numbers_of_the_sample_are_found_and_understood():
    some = ("veldmark-2025-04-monthly.pdf", "tessenhof-2025-05-monthly.pdf")
    counts = scoring.meaning((*some, "tessenhof-2024-annual.pdf"))
    assert {"ruled", "lines", "shaded", "plain"} <= counts.keys()
    for look, found in counts.items():
        numbers = found["all of"]
        assert numbers > 100, look
        assert found["text"] >= 0.98 * numbers, look
        for name in ("label", "heading", "period", "basis", "scale", "unit"):
            assert found[name] >= 0.97 * numbers, (look, name)


def test_headings_beside_taller_cells_are_parted_by_the_columns_below(read):
    rows = [
        ["", "March 2025", "", "", "", ""],
        ["", "Actual", "Budget", "Last year", "Change on", ""],
        ["", "", "", "", "budget", "last year"],
        ["Revenue", "348.7", "350.1", "340.2", "1.4", "8.5"],
        ["Costs", "248.7", "250.1", "240.2", "1.5", "8.6"],
    ]
    lines = [
        ("GRID", (0, 3), (-1, -1), 0.5, colors.black),
        ("BOX", (0, 0), (-1, 2), 0.5, colors.black),
        ("LINEAFTER", (0, 0), (0, 2), 0.5, colors.black),
        ("BOX", (1, 0), (-1, 0), 0.5, colors.black),
        ("BOX", (4, 1), (5, 1), 0.5, colors.black),
        ("INNERGRID", (1, 2), (-1, 2), 0.5, colors.black),
    ]
    (grid,) = grids(read(table(rows, *lines, widths=[90, 60, 60, 60, 60, 60])))
    heads = {cell.text: (cell.column, cell.columns) for cell in grid.cells if cell.row < 3}
    assert heads["Actual"] == (1, 1)
    assert heads["Last year"] == (3, 1)
    assert heads["Change on"] == (4, 2)


def test_a_heading_spans_the_columns_whose_headings_come_again(read):
    heads = ["Actual", "Budget", "PY", "Var.", "Var. PY"]
    rows = [
        ["", "", "August 2025", *[""] * 4, "YTD Jan-Aug 2025", *[""] * 4],
        ["", "Unit", *heads, *heads],
        *[
            [name, "m", *["112.900,0"] * 3, "-1,3", "2,4", *["539.703,4"] * 3, "-1,0", "1,8"]
            for name in ("Net sales", "EBITDA", "Costs")
        ],
    ]
    spread = [
        *(("SPAN", (at, 0), (at + 4, 0)) for at in (2, 7)),
        ("ALIGN", (1, 0), (-1, 0), "CENTER"),
        ("FONTSIZE", (0, 0), (-1, -1), 6.4),
        ("LEFTPADDING", (0, 0), (-1, -1), 3.5),
        ("RIGHTPADDING", (0, 0), (-1, -1), 3.5),
    ]
    widths = [118, 25, *([39.3] * 3 + [31.4] * 2) * 2]
    (grid,) = grids(read(table(rows, *spread, widths=widths)))
    assert spans(grid) == {"August 2025": (2, 5), "YTD Jan-Aug 2025": (7, 5)}


def test_a_page_with_too_many_words_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("consilience.packs.finance.files.pdf.tables.MOST_WORDS", 20)
    path = tmp_path / "full.pdf"
    SimpleDocTemplate(str(path)).build([text(PROSE), table([["Item", "2024"], ["Sales", "1,234"]])])
    report = read_report(path)
    assert not grids(report)
    assert "pages whose tables are left as text: 1" in report.notes
