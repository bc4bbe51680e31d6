"""A PDF as a report: parts in their order, sections, pages that fail, files that cannot be read."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from consilience.errors import LoadError
from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.files import pdf
from consilience.packs.finance.files.pdf import read_report
from consilience.types import Block

STYLES = getSampleStyleSheet()
PACK = Path(pdf.__file__).parents[2]
FILINGS = Path(__file__).parents[3] / "shared" / "data" / "finance_filings"
WORDS = "The group sold more in 2025 than in 2024, mostly in the south, as it had said before. " * 3


def heading(words):
    return Paragraph(words, STYLES["Heading1"])


def text(words):
    return Paragraph(words, STYLES["BodyText"])


def figures(name):
    rows = [["", "2025", "2024"], [name, "10.5", "9.1"], ["Costs", "(8.0)", "(7.5)"]]
    return Table(rows, style=[("ALIGN", (1, 0), (-1, -1), "RIGHT")])


def written(path, *parts, **more):
    SimpleDocTemplate(str(path), **more).build(list(parts))
    return path


def test_parts_follow_as_they_are_read_each_under_its_heading(tmp_path):
    parts = [heading("Sales"), text(WORDS), figures("Sales"), heading("Outlook"), text(WORDS)]
    report = read_report(written(tmp_path / "a.pdf", *parts, figures("Plan"), title="Results 2025"))
    found = [
        (part.section, "grid")
        if isinstance(part, Grid)
        else (part.locator.section, part.text.split()[0])
        for part in report.parts
    ]
    sales, outlook = ("Sales",), ("Outlook",)
    assert found == [
        (sales, "Sales"),
        (sales, "The"),
        (sales, "grid"),
        (outlook, "Outlook"),
        (outlook, "The"),
        (outlook, "grid"),
    ]
    assert report.title == "Results 2025"
    assert report.opening[0] == "Sales"
    assert {part.locator.page for part in report.parts if isinstance(part, Block)} == {1}


def test_bookmarks_are_sections_where_there_are_some(tmp_path):
    page = canvas.Canvas(str(tmp_path / "a.pdf"))
    page.bookmarkHorizontal("one", 0, 780)
    page.addOutlineEntry("Chapter one", "one")
    page.drawString(72, 760, "Chapter one")
    page.drawString(72, 730, "A sentence stands here.")
    page.save()
    report = read_report(tmp_path / "a.pdf")
    assert {part.locator.section for part in report.parts} == {("Chapter one",)}


def test_running_heads_do_not_stand_in_tables_or_prose(tmp_path):
    def head(page, document):
        page.drawString(72, 800, "Example Group")
        page.drawString(300, 30, f"Page {document.page}")

    path = tmp_path / "a.pdf"
    parts = [part for _ in range(12) for part in (text(WORDS * 4), figures("Sales"))]
    SimpleDocTemplate(str(path)).build(parts, onFirstPage=head, onLaterPages=head)
    report = read_report(path)
    assert sum(isinstance(part, Grid) for part in report.parts) == 12
    assert "Example Group" not in repr(report.parts)
    assert "running heads" in report.notes[0]


def test_files_that_cannot_be_read_say_why(tmp_path):
    whole = written(tmp_path / "a.pdf", text(WORDS)).read_bytes()
    for name, data in (("empty", b""), ("broken", b"%PDF-1.4 nothing"), ("text", b"hello")):
        (tmp_path / f"{name}.pdf").write_bytes(data)
        with pytest.raises(LoadError, match=f"{name}.pdf"):
            read_report(tmp_path / f"{name}.pdf")
    (tmp_path / "half.pdf").write_bytes(whole[: len(whole) // 3])
    with pytest.raises(LoadError, match=r"half\.pdf"):
        read_report(tmp_path / "half.pdf")


def test_a_password_and_a_scan_are_told(tmp_path):
    written(tmp_path / "locked.pdf", text(WORDS), encrypt="secret")
    with pytest.raises(LoadError, match="needs a password"):
        read_report(tmp_path / "locked.pdf")
    page = canvas.Canvas(str(tmp_path / "scan.pdf"))
    page.rect(50, 50, 300, 300, fill=1)
    page.save()
    with pytest.raises(LoadError, match="holds no text"):
        read_report(tmp_path / "scan.pdf")


def test_a_page_that_fails_costs_only_itself(tmp_path, monkeypatch):
    path = written(tmp_path / "a.pdf", *[part for _ in range(9) for part in (text(WORDS * 8),)])
    reading = pdf.read_page

    def failing(document, number):
        if number == 1:
            raise pypdfium2.PdfiumError("no such page")
        return reading(document, number)

    monkeypatch.setattr(pdf, "read_page", failing)
    report = read_report(path)
    assert "pages that could not be read: 2" in report.notes
    assert {part.locator.page for part in report.parts} > {1}


def test_tables_that_fail_are_left_as_text_and_told(tmp_path, monkeypatch):
    def failing(page, words, *, usual):
        raise IndexError(page.number)

    path = written(tmp_path / "a.pdf", text(WORDS), figures("Sales"))
    monkeypatch.setattr(pdf, "tables_of", failing)
    report = read_report(path)
    assert report.notes == ("pages whose tables are left as text: 1",)
    assert "10.5" in " ".join(part.text for part in report.parts)


def test_a_page_of_far_too_much_is_read_as_text(tmp_path):
    page = canvas.Canvas(str(tmp_path / "a.pdf"), pagesize=(3000, 3000))
    page.setFont("Helvetica", 4)
    for row in range(350):
        page.drawString(20, 20 + 5 * row, " 1.5" * 60)
        page.line(0, 20 + 5 * row, 3000, 20 + 5 * row)
        for at in range(10):
            page.line(20 + at * 60, 5 * row, 20 + at * 60, 5 * row + 5)
    page.save()
    report = read_report(tmp_path / "a.pdf")
    assert not [part for part in report.parts if isinstance(part, Grid)]


def test_nearly_every_cell_of_the_sample_is_read_exactly():
    """The first pages of a report of each group, against what they are known to hold."""
    right = count = 0
    documents = ("veldmark-2025-05-monthly.pdf", "tessenhof-2025-09-monatsbericht.pdf")
    with gzip.open(PACK / "truth" / "tables.jsonl.gz", "rt", encoding="utf-8") as file:
        tables = [one for one in map(json.loads, file) if one["document"] in documents]
    for document in documents:
        found = defaultdict(set)
        for grid in read_report(PACK / "sample" / document).parts:
            if isinstance(grid, Grid):
                labels = {cell.row: cell.text for cell in grid.cells if not cell.column}
                for cell in grid.cells:
                    found[grid.page].add((labels.get(cell.row), cell.column, cell.text))
        for table in (one for one in tables if one["document"] == document):
            labels = {one["row"]: one["text"] for one in table["labels"]}
            for cell in table["cells"]:
                count += 1
                key = (labels[cell["row"]], cell["column"], cell["text"])
                right += key in found[cell["page"]]
    assert count > 1500
    assert right >= 0.98 * count


@pytest.mark.skipif(not FILINGS.exists(), reason="needs ../shared/data/finance_filings")
def test_numbers_of_a_real_filing_stand_in_tables():
    """Numbers at the ends of lines that end in three of them or more, by the text alone."""
    path = FILINGS / "NETFLIX_2016_10K.pdf"
    report = read_report(path)
    inside = defaultdict(set)
    for grid in report.parts:
        if isinstance(grid, Grid):
            inside[grid.page].update(cell.text.strip("$()%* ") for cell in grid.cells)
    document = pypdfium2.PdfDocument(path)
    wanted = found = 0
    for number in range(len(document)):
        for line in document[number].get_textpage().get_text_range().splitlines():
            run = re.search(r"(?:[$(]?[\d,.]{4,}\)? ?[$%)]? ?){3,}$", line)
            numbers = re.findall(r"\d[\d,.]*", run[0]) if run else []
            wanted += len(numbers)
            found += sum(one in inside[number + 1] for one in numbers)
    document.close()
    assert wanted > 300
    assert found >= 0.95 * wanted


SIDEWAYS = [
    ("Segment", "2023", "2022"),
    ("Timber", "1,204.5", "1,101.2"),
    ("Glass", "(45.3)", "33.1"),
    ("Total", "1,159.2", "1,134.3"),
]


def drawn(paper, turn):
    """A table on a page, turned to the left or to the right."""
    paper.saveState()
    paper.setFont("Helvetica", 10)
    if turn:
        paper.translate(*((595, 0) if turn > 0 else (0, 842)))
        paper.rotate(turn)
    paper.drawString(60, 500, "Results by segment (in € millions)")
    for at, (name, *numbers) in enumerate(SIDEWAYS):
        paper.drawString(60, 470 - 16 * at, name)
        for column, number in enumerate(numbers, start=1):
            paper.drawRightString(60 + 120 * column, 470 - 16 * at, number)
    paper.restoreState()


@pytest.mark.parametrize(("turn", "box"), [(90, (133, 662, 143, 694)), (-90, (452, 148, 462, 180))])
def test_a_table_that_stands_sideways_is_read_in_its_direction(tmp_path, turn, box):
    paper = canvas.Canvas(str(tmp_path / "a.pdf"), pagesize=(595, 842))
    paper.drawString(50, 800, "Orvane 2023")
    drawn(paper, turn)
    paper.save()
    report = read_report(tmp_path / "a.pdf")
    (grid,) = [part for part in report.parts if isinstance(part, Grid)]
    texts = [one.text for one in grid.cells]
    assert texts == [text for row in SIDEWAYS for text in row]
    assert grid.caption == "Results by segment (in € millions)"
    found = next(one.box for one in grid.cells if one.text == "1,204.5")
    assert (found.left, found.top, found.right, found.bottom) == pytest.approx(box, abs=1)
    assert any(isinstance(part, Block) and "Orvane" in part.text for part in report.parts)


def test_a_table_beside_the_direction_of_the_page_is_left_as_text_and_said(tmp_path):
    paper = canvas.Canvas(str(tmp_path / "a.pdf"), pagesize=(595, 842))
    for at in range(12):
        paper.drawString(50, 800 - 14 * at, WORDS[:86])
    drawn(paper, 90)
    paper.save()
    report = read_report(tmp_path / "a.pdf")
    assert not any(isinstance(part, Grid) for part in report.parts)
    assert "pages whose tables are left as text: 1" in report.notes
    assert "1,204.5" in " ".join(part.text for part in report.parts)


def test_words_across_a_page_spoil_no_table(tmp_path):
    paper = canvas.Canvas(str(tmp_path / "a.pdf"), pagesize=(595, 842))
    drawn(paper, 0)
    paper.translate(60, 300)
    paper.rotate(45)
    paper.setFont("Helvetica", 60)
    paper.drawString(0, 0, "DRAFT 2")
    paper.save()
    (grid,) = [part for part in read_report(tmp_path / "a.pdf").parts if isinstance(part, Grid)]
    assert [one.text for one in grid.cells] == [text for row in SIDEWAYS for text in row]


@pytest.mark.parametrize("style", ["Heading2", "Heading3"])
def test_a_heading_keeps_its_unit_in_a_report_without_prose(tmp_path, style):
    parts = [
        Paragraph("Zarquon Annual Report 2025", STYLES["Title"]),
        Paragraph("Sales in EUR thousand", STYLES[style]),
        figures("Norway"),
    ]
    path = written(tmp_path / "a.pdf", *parts, title="Zarquon Annual Report 2025")
    (grid,) = [part for part in read_report(path).parts if isinstance(part, Grid)]
    assert "Sales in EUR thousand" in (grid.caption, *grid.section)
