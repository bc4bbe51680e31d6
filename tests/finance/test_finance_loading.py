"""Does a report become a document: prose and rows in reading order, whose and for when?"""

import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import Workbook

from consilience.errors import LoadError
from consilience.evidence.file_scan import formats
from consilience.packs import finance
from consilience.packs.finance.data_model import Cell, Grid, Report
from consilience.packs.finance.files import reports
from consilience.packs.finance.files.front_matter import about_of
from consilience.packs.finance.loading import LOADER
from consilience.packs.finance.tables.encoding import loaded
from consilience.protocols import Room
from consilience.types import Block, Locator

SAMPLE = Path(finance.__file__).parent / "sample"
PAGE = """<html><head><title>Nordvik Group – Annual report 2024</title></head><body>
<h2>Results</h2><p>Revenue rose in both countries, and so did the result.</p>
<p>Revenue by country (in € millions)</p>
<table><tr><td></td><td>2024</td><td>2023</td></tr><tr><td>Portugal</td><td>12.5</td><td>11.0</td>
</tr><tr><td>Spain</td><td>(3.1)</td><td>4.0</td></tr><tr><td>(1) Restated by us.</td></tr></table>
<p>Afterwards nothing happened that matters here.</p>
<table><tr><td></td><td>2024</td></tr><tr><td>Staff</td><td>88</td></tr></table></body></html>"""


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(document):
    return [block for block in document.blocks if block.kind == "row"]


def test_prose_and_rows_stand_in_reading_order_and_nothing_is_lost(tmp_path):
    document = LOADER.load(written(tmp_path, "page.html", PAGE))
    kinds = [block.kind or "text" for block in document.blocks]
    assert kinds == ["text", "row", "row", "text", "text", "row"]
    texts = [block.text for block in document.blocks if block.kind != "row"]
    assert texts[1] == "(1) Restated by us."
    assert document.kind == "report"
    assert document.metadata["company"] == "Nordvik Group"
    assert document.metadata["period"] == "2024"
    assert document.notes == ("2 tables, 5 numbers",)
    first = rows(document)[0]
    assert first.whole
    assert first.locator.table == "1"
    assert first.locator.section == ("Results", "Revenue by country (in € millions)")
    assert "12.5" in first.text
    assert loaded(str(first.metadata["cells"]))[0].number == 12_500_000


def test_tables_of_workbooks_have_the_names_of_their_sheets(tmp_path):
    book = Workbook()
    book.active.title = "Costs"
    for row in (["Item", "2024"], ["Energy", 5.5]):
        book.active.append(row)
    sheet = book.create_sheet("Sales")
    for row in (["Item", "2024"], ["Lamps", 7.5], [], ["Country", "2024"], ["Spain", 8.5]):
        sheet.append(row)
    book.save(tmp_path / "nordvik.xlsx")
    document = LOADER.load(tmp_path / "nordvik.xlsx")
    assert [block.locator.table for block in rows(document)] == ["Costs", "Sales 1", "Sales 2"]
    assert document.notes == ("3 tables, 3 numbers",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "Revenue by country\n\nCountry;2024;2023\nSpain;1.234,5;99,0\n"),
        ("a.tsv", "Country\t2024\t2023\nSpain\t1,234.5\t99.0\n"),
        ("a.md", "# T\n\n| Country | 2024 | 2023 |\n|---|---|---|\n| Spain | 1,234.5 | 99.0 |\n"),
        ("a.htm", "<table><tr><td>Country<td>2024<td>2023<tr><td>Spain<td>1,234.5<td>99.0</table>"),
    ],
)
def test_every_format_gives_the_same_numbers(tmp_path, name, text):
    (row,) = rows(LOADER.load(written(tmp_path, name, text)))
    assert [one.number for one in loaded(str(row.metadata["cells"]))] == [Decimal("1234.5"), 99]
    assert row.locator.table == "1"


def test_a_pdf_has_tables_by_page():
    path = next(iter(sorted(SAMPLE.glob("*.pdf"))))
    document = LOADER.load(path)
    named = {block.locator.table: block.locator.page for block in rows(document)}
    assert all(name.split(".")[0].isdigit() for name in named)
    assert document.metadata["company"]
    assert any("tables" in note and "numbers" in note for note in document.notes)


def test_tables_that_go_on_over_a_page_are_one_table_where_they_begin(tmp_path, monkeypatch):
    def grid(page, rows):
        cells = [
            Cell(text=text, row=at, column=column, page=page)
            for at, row in enumerate(rows)
            for column, text in enumerate(row)
        ]
        return Grid(cells=tuple(cells), page=page, header=1)

    heads = ["Item", "2024", "2023"]
    report = Report(
        title="Two pages",
        parts=(
            grid(1, [heads, ["Energy", "5.5", "5.0"], ["Wages", "6.5", "6.0"]]),
            Block(text="A line between."),
            grid(2, [heads, ["Rent", "7.5", "7.0"]]),
        ),
    )
    monkeypatch.setitem(reports._READERS, ".pdf", lambda path: report)
    document = reports.load(tmp_path / "two.pdf")
    assert [block.kind or "text" for block in document.blocks] == ["row", "row", "row", "text"]
    assert {block.locator.table for block in rows(document)} == {"1.1"}


def test_a_long_caption_is_text_and_a_table_without_rows_too(tmp_path):
    caption = "What was spent " + "and what was not " * 15
    table = "<table><caption>{}</caption><tr><td></td><td>2024</td></tr>{}</table>"
    text = table.format(caption, "<tr><td>Rent</td><td>5</td></tr>")
    document = LOADER.load(written(tmp_path, "long.html", text))
    assert document.blocks[0].text == caption.strip()
    said = " ".join(
        block.text + " ".join(block.locator.section)
        for block in LOADER.load(written(tmp_path, "none.html", table.format("", "") * 2)).blocks
    )
    assert "2024" in said


def test_rows_that_are_too_long_are_cut_to_the_room(tmp_path):
    heads = "".join(f"<td>Quarter {n} of the year {1900 + n}</td>" for n in range(90))
    cells = "".join(f"<td>{n},123.5</td>" for n in range(1, 91))
    text = f"<table><tr><td></td>{heads}</tr><tr><td>Rent</td>{cells}</tr></table>"
    document = LOADER.load(written(tmp_path, "wide.html", text))
    room = Room(count=lambda texts: [len(one.split()) for one in texts], limit=120, target=100)
    cut = LOADER.cut(document, room)
    assert len(rows(cut)) > 1
    assert all("90,123.5" in block.text or "Rent" in block.text for block in rows(cut))


def test_the_loader_is_asked_in_workspaces_of_the_pack_only():
    ours, others = formats("finance"), formats("general")
    for ending in LOADER.endings:
        assert ours[ending][1] is LOADER
        assert others.get(ending, ("", None))[1] is not LOADER
    with pytest.raises(LoadError, match="is not a report"):
        reports.read(Path("x.docx"))


def test_naming_the_loader_imports_nothing_heavy():
    code = (
        "import sys, consilience.packs.finance.loading as one;"
        "print([name for name in ('openpyxl','pdfplumber','duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- whose, and for when ----------------------------------------------------------------

FORM = (
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION",
    "For the fiscal year ended May 31, 2016",
    "Commission file number 1-1. __________ LAMPS & LENSES, Inc .",
    "(Exact name of registrant as specified in its charter) ____ DE 7",
    "Emerging Growth Company",
)


@pytest.mark.parametrize(
    ("title", "opening", "name", "company"),
    [
        ("Nordvik Group – Monthly report August 2025", (), "x.pdf", "Nordvik Group"),
        ("Form 10-K", FORM, "LAMPS_2016_10K.pdf", "LAMPS & LENSES, Inc."),
        ("ACME 2018 10K", (), "ACME_2018_10K.pdf", "ACME"),
        ("HSBO Holdings plc Annual Report and Accounts 2023", (), "x.pdf", "HSBO Holdings plc"),
        (
            "nordvik 2025 04 monthly",
            ("Nordvik SE", "Oslo"),
            "nordvik-2025-04-monthly.pdf",
            "Nordvik SE",
        ),
        ("Nordvik's annual report", (), "a.md", "Nordvik"),
        ("budget", ("Sales", "Nordvik SE", "Nordvik", "US$ million"), "budget.xlsx", "Nordvik"),
        ("2023 Annual Report & Accounts", (), "x.pdf", ""),
        ("sales report 2024", (), "sales_report_2024.csv", ""),
        ("Report on the state of lighthouses", (), "x.md", ""),
        ("Cooking", ("We bought from Amazing Inc. and others last year.",), "notes.md", ""),
        ("dc9d58a4e24a74d5", (), "dc9d58a4e24a74d5.html", ""),
    ],
)
def test_the_company_is_named_where_it_is_sure(title, opening, name, company):
    report = Report(title=title, parts=(), opening=opening)
    assert about_of(report, Path(name)).company == company


@pytest.mark.parametrize(
    ("title", "opening", "name", "key"),
    [
        ("Nordvik Group – Monthly report August 2025", (), "x.pdf", "2025-08"),
        ("Quarterly results, Q3 2024", (), "x.pdf", "2024-Q3"),
        ("nordvik 2025 04 monthly", (), "nordvik-2025-04-monthly.pdf", "2025-04"),
        ("ACME 2018 10K", (), "ACME_2018_10K.pdf", "2018"),
        ("Words", ("As of June 30, 2016 there were 12 shares.",), "x.pdf", None),
        (
            "Nordvik – Monthly report",
            ("Results of the year 2024", "April 2025"),
            "x.pdf",
            "2025-04",
        ),
        ("Nordvik", ("We met in May 2023 and again in June.",), "nordvik-staff-2025.csv", "2025"),
    ],
)
def test_the_period_is_that_of_the_report(title, opening, name, key):
    period = about_of(Report(title=title, parts=(), opening=opening), Path(name)).period
    assert (period.key if period else None) == key


def test_a_business_year_ends_when_its_form_says():
    period = about_of(Report(title="Form", parts=(), opening=FORM), Path("x.pdf")).period
    assert (period.start, period.end) == (date(2015, 6, 1), date(2016, 5, 31))


@pytest.mark.parametrize(
    ("caption", "texts", "currency"),
    [
        ("in € millions", ("5", "6"), "EUR"),
        ("", ("$5", "$ 6", "7"), "USD"),
        ("", ("$5", "€6"), ""),
        ("Headcount", ("5", "6"), ""),
    ],
)
def test_the_currency_is_that_of_most_tables(caption, texts, currency):
    cells = tuple(Cell(text=text, row=at, column=1) for at, text in enumerate(texts))
    report = Report(title="", parts=(Grid(cells=cells, caption=caption),))
    assert about_of(report, Path("x.pdf")).currency == currency


def part(text, section=(), page=1):
    return Block(text=text, locator=Locator(section=section, page=page))


def test_a_table_of_contents_is_left_out_and_prose_with_numbers_is_not(tmp_path, monkeypatch):
    prose = "Sold in 2023: 5\nSold in 2024: 12"
    report = Report(
        title="Nordvik – Monthly report",
        opening=("Monthly report August 2025",),
        parts=(
            part("Contents", ("Contents",)),
            part("Page", ("Contents",)),
            part("Item 1. Business 3\nItem 1A. Risk factors 8", ("Part I",)),
            part("Outlook for 2025 · 12", ("Part I",)),
            part(prose, ("Sales",), page=2),
            part("Letter ..... 4\nOutlook ..... 6\nNotes ..... 9", ("Sales",), page=2),
        ),
    )
    monkeypatch.setattr(reports, "_READERS", {".pdf": lambda path: report})
    document = reports.load(tmp_path / "nordvik.pdf")
    assert [block.text for block in document.blocks] == [prose]
    assert document.notes == ("the table of contents is left out",)
    assert document.title == "Nordvik – Monthly report, August 2025"


def test_a_heading_alone_goes_with_what_follows(tmp_path, monkeypatch):
    report = Report(
        title="Nordvik – Annual report 2024",
        parts=(
            part("Nordvik"),
            part("May 2025"),
            part("Key points", ("Key points",)),
            part("Sales rose by a third.", ("Key points",)),
            part("Part II", ("Part II",)),
            part("Costs fell by a third.", ("Part II", "Costs")),
            part("On another page", ("Part III",), page=2),
        ),
    )
    monkeypatch.setattr(reports, "_READERS", {".pdf": lambda path: report})
    document = reports.load(tmp_path / "nordvik.pdf")
    assert [block.text for block in document.blocks] == [
        "Nordvik\nMay 2025\nKey points",
        "Sales rose by a third.",
        "Costs fell by a third.",
        "On another page",
    ]
    assert document.title == "Nordvik – Annual report 2024"


def test_the_head_of_a_page_says_what_its_numbers_are_in(tmp_path, monkeypatch):
    cells = [("", "2024"), ("Leases", "$5")]
    grid = Grid(
        cells=tuple(
            Cell(text=text, row=at, column=column, page=1)
            for at, row in enumerate(cells)
            for column, text in enumerate(row)
        ),
        page=1,
    )
    head = part("Notes (amounts in millions, except per share data)", ("Notes",))
    later = replace(grid, page=3)
    report = Report(title="Nordvik – Annual report 2024", parts=(head, grid, later))
    monkeypatch.setattr(reports, "_READERS", {".pdf": lambda path: report})
    found = [
        loaded(str(row.metadata["cells"]))[0] for row in rows(reports.load(tmp_path / "n.pdf"))
    ]
    assert [one.scale for one in found] == [1_000_000, 1]


def test_a_workbook_shows_what_it_shows_and_keeps_every_digit(tmp_path):
    book = Workbook()
    for row in (["Item", "2024"], ["Margin", 0.234471]):
        book.active.append(row)
    book.active["B2"].number_format = "0.0%"
    book.save(tmp_path / "margins.xlsx")
    (row,) = rows(LOADER.load(tmp_path / "margins.xlsx"))
    assert row.text == "Item: Margin; 2024: 23.4%"
    assert loaded(str(row.metadata["cells"]))[0].value == Decimal("23.4471")
