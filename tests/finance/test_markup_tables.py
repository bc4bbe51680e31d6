"""Are the tables of web pages and Markdown read as grids, and the text around them as before?"""

import pytest

from consilience.evidence.loaders import html, markdown
from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.files.markup import read_html, read_markdown
from consilience.types import Block

FILING = """<html><head><title>ACME CORP 10-K</title></head><body>
<div><ix:header>hidden facts 12345</ix:header></div>
<p>We sell lamps. Results were good.</p>
<p>The following table presents our results:</p>
<p>(in millions, except per share data)</p>
<table>
<tr><td></td><td>&nbsp;</td><td colspan="7">Year Ended December 31,</td></tr>
<tr><td></td><td>&nbsp;</td><td colspan="2">2018</td><td>&nbsp;</td><td>&nbsp;</td>
    <td colspan="2">2017</td><td>&nbsp;</td></tr>
<tr><td>Revenue<sup>(1)</sup></td><td>&nbsp;</td><td>$</td><td>1,234</td><td>&nbsp;</td>
    <td>&nbsp;</td><td>$</td><td>1,100<sup>2</sup></td><td>&nbsp;</td></tr>
<tr><td style="padding-left:10pt">Cost</td><td>&nbsp;</td><td colspan="2">(800</td><td>)</td>
    <td>&nbsp;</td><td colspan="2">(700</td><td>)</td></tr>
<tr><td><b>Margin</b></td><td>&nbsp;</td><td></td><td>35.2</td><td>%</td><td>&nbsp;</td><td></td>
    <td>36.4</td><td>%</td></tr>
<tr><td>Other</td><td>&nbsp;</td><td>$</td><td>—</td><td></td><td>&nbsp;</td><td>$</td><td>(5</td>
    <td>)</td></tr>
<tr><td colspan="9">(1) Net of returns.</td></tr>
</table>
<p>(2) Restated.</p>
<table><tr><td>•</td><td>a first point</td></tr><tr><td>•</td><td>a second one</td></tr></table>
<h2>Segments</h2>
<table><caption>Revenue by region, € thousands</caption>
<thead><tr><th rowspan="2">Region</th><th colspan="2">2025</th></tr>
<tr><th>Actual</th><th>Budget</th></tr></thead>
<tbody><tr><td>North</td><td>1.234,5</td><td>1.200,0</td></tr></tbody></table>
<p>That is all.</p>
</body></html>"""


def page(tmp_path, text, name="page.html"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(grid):
    found = {}
    for cell in grid.cells:
        found.setdefault(cell.row, []).append((cell.column, cell.text))
    return [tuple(row) for row in found.values()]


def grids(report):
    return [part for part in report.parts if isinstance(part, Grid)]


def table(*rows):
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def test_numbers_that_filings_set_in_several_cells_are_put_together(tmp_path):
    grid = grids(read_html(page(tmp_path, FILING)))[0]
    assert lines(grid) == [
        ((1, "Year Ended December 31,"),),
        ((1, "2018"), (2, "2017")),
        ((0, "Revenue(1)"), (1, "$1,234"), (2, "$1,100 (2)")),
        ((0, "Cost"), (1, "(800)"), (2, "(700)")),
        ((0, "Margin"), (1, "35.2%"), (2, "36.4%")),
        ((0, "Other"), (1, "$—"), (2, "$(5)")),
    ]
    by_text = {cell.text: cell for cell in grid.cells}
    assert by_text["Year Ended December 31,"].columns == 2
    assert by_text["Cost"].indent == 10
    assert by_text["Margin"].bold


def test_captions_notes_and_prose_are_told_apart(tmp_path):
    report = read_html(page(tmp_path, FILING))
    first, second = grids(report)
    assert first.caption == (
        "The following table presents our results: – (in millions, except per share data)"
    )
    assert first.notes == ("(1) Net of returns.", "(2) Restated.")
    assert second.caption == "Revenue by region, € thousands"
    assert second.section == ("Segments",)
    prose = [part.text for part in report.parts if isinstance(part, Block)]
    assert prose == [
        "We sell lamps. Results were good.",
        "(2) Restated.",
        "•; a first point\n•; a second one",
        "That is all.",
    ]


def test_headings_that_are_marked_are_known_with_their_spans(tmp_path):
    grid = grids(read_html(page(tmp_path, FILING)))[1]
    assert grid.header == 2
    by_text = {cell.text: cell for cell in grid.cells}
    assert (by_text["Region"].rows, by_text["2025"].columns) == (2, 2)
    assert lines(grid)[1] == ((1, "Actual"), (2, "Budget"))


def test_a_label_of_three_letters_is_no_currency_before_a_number(tmp_path):
    rows = table(("", "2019"), ("USD", "70.07"), ("VAS", "199,991"))
    grid = grids(read_html(page(tmp_path, rows)))[0]
    assert lines(grid)[1:] == [((0, "USD"), (1, "70.07")), ((0, "VAS"), (1, "199,991"))]


def test_a_dash_for_none_is_no_sign_of_the_number_beside_it(tmp_path):
    rows = table(("", "2019", "2018"), ("Loans", "-", "31.3"), ("Leases", "12.0", "–"))
    grid = grids(read_html(page(tmp_path, rows)))[0]
    assert lines(grid)[1:] == [
        ((0, "Loans"), (1, "-"), (2, "31.3")),
        ((0, "Leases"), (1, "12.0"), (2, "–")),
    ]


def test_a_sentence_above_is_caption_and_prose_and_a_story_is_prose_only(tmp_path):
    words = (
        "Prices rose in every month of the year. The following table sets forth the revenue of "
        "each of our segments for the two years that ended in December."
    )
    story = "The winter was long. Nobody wanted lamps, and so it went on until the spring came."
    text = f"<p>{words}</p>{table(('', '2019'), ('A', '5'))}<p>{story}</p>"
    report = read_html(page(tmp_path, text + table(("", "2019"), ("B", "6"))))
    first, second = grids(report)
    assert first.caption.startswith("The following table sets forth")
    assert second.caption == ""
    assert [part.text for part in report.parts if isinstance(part, Block)] == [words, story]


def test_parts_items_and_notes_are_sections_where_nothing_else_is(tmp_path):
    text = (
        "<p>PART II</p><p>Item 7. Management’s Discussion</p><p>Words on the year.</p>"
        "<p>NOTE 5 — REVENUE</p><p>Item 7 of this report tells more.</p>"
        f"{table(('', '2019'), ('A', '5'))}<p>Item 8. Statements</p><p>Last words.</p>"
    )
    report = read_html(page(tmp_path, text))
    discussion = ("PART II", "Item 7. Management’s Discussion")
    assert [
        part.section if isinstance(part, Grid) else part.locator.section for part in report.parts
    ] == [
        discussion,
        (*discussion, "NOTE 5 — REVENUE"),
        (*discussion, "NOTE 5 — REVENUE"),
        ("PART II", "Item 8. Statements"),
    ]
    headed = read_html(page(tmp_path, f"<h2>Own</h2>{text}"))
    assert all(
        (part.section if isinstance(part, Grid) else part.locator.section) == ("Own",)
        for part in headed.parts
    )


def test_raised_marks_do_not_join_numbers_and_powers_stay(tmp_path):
    rows = table(("Item", "2019<sup>a</sup>"), ("Area in m<sup>2</sup>", "1,234<sup>1</sup>"))
    grid = grids(read_html(page(tmp_path, rows)))[0]
    assert lines(grid) == [
        ((0, "Item"), (1, "2019 (a)")),
        ((0, "Area in m2"), (1, "1,234 (1)")),
    ]


def test_frames_for_text_are_read_as_text(tmp_path):
    rows = table(
        ("Our mission", "We bring light to all who are at sea, and we do it gladly."), ("", "x")
    )
    report = read_html(page(tmp_path, f"<p>Above.</p>{rows}"))
    assert grids(report) == []
    assert "We bring light" in report.parts[1].text


@pytest.mark.parametrize(
    "rows",
    [
        (("●", "Risks of 2024"), ("●", "Risks of 2025")),
        (("Item 1.", "Business", "4"), ("Item 1A.", "Risk factors", "12")),
        (("", "Page"), ("Our lamps", "3"), ("Our lenses", "8")),
    ],
)
def test_lists_and_contents_are_no_tables_of_numbers(tmp_path, rows):
    report = read_html(page(tmp_path, table(*rows)))
    assert grids(report) == []
    assert rows[-1][-1] in report.parts[0].text


def test_a_page_number_is_no_caption(tmp_path):
    report = read_html(page(tmp_path, f"<p>Page 23</p>{table(('', '2019'), ('A', '5'))}"))
    assert grids(report)[0].caption == ""


def test_markdown_tables_are_grids_and_html_in_it_too(tmp_path):
    text = (
        "# Nordvik 2024\n\nWords.\n\n## Revenue\n\nRevenue by country (in € millions)\n\n"
        "| Country | 2024 |\n|---|---|\n| Portugal | 12.5 |\n| Spain | (3.1) |\n\nAfter.\n\n"
        "<table><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr></table>\n\n"
        "- one\n- two\n"
    )
    report = read_markdown(page(tmp_path, text, "report.md"))
    first, second = grids(report)
    assert report.title == "Nordvik 2024"
    assert (first.caption, first.header) == ("Revenue by country (in € millions)", 1)
    assert first.section == second.section == ("Revenue",)
    assert lines(first)[2] == ((0, "Spain"), (1, "(3.1)"))
    assert lines(second) == [((0, "A"), (1, "1")), ((0, "B"), (1, "2"))]
    prose = [part.text for part in report.parts if isinstance(part, Block)]
    assert prose == ["Words.", "After.", "- one\n- two"]


def test_without_tables_prose_is_what_the_general_loaders_read(tmp_path):
    text = "<h1>T</h1><p>One.</p><ul><li>a</li><li>b</li></ul><h2>S</h2><p>Two.</p>"
    path = page(tmp_path, text)
    assert read_html(path).parts == html.load(path).blocks
    path = page(tmp_path, "# T\n\nOne.\n\n> quoted\n\n## S\n\n```\ncode\n```\n", "t.md")
    assert read_markdown(path).parts == markdown.load(path).blocks


@pytest.mark.parametrize(
    "hostile",
    [
        "<table>" + "<tr><td colspan='99999999' rowspan='99999999'>1</td></tr>" * 50 + "</table>",
        "<table><tr>" + "<td colspan='1000'>1</td>" * 5000 + "</tr></table>",
        "<table><tr><td colspan='-1' rowspan='x'>a</td><td colspan=''>1</td></tr><tr></tr></table>",
        "<table><caption></caption></table><table><tr></tr></table><table></table>",
        "<table><tr><td>$</td></tr><tr><td>)</td><td>$</td><td>)</td><td>%</td></tr></table>",
        "<table><tr><td>a<td>1<tr><td>b<td>2<tr><td rowspan=9>c<td>3",
    ],
)
def test_hostile_tables_are_read_or_left_as_text(tmp_path, hostile):
    report = read_html(page(tmp_path, f"<p>Words.</p>{hostile}"))
    assert report.parts
    assert all(grid.size < (1000, 5000) for grid in grids(report))
